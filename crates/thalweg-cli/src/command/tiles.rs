//! Terrain cut into tiles that share their edges, and joined again.

use super::heightmap::{self, Read};
use crate::Failure;
use crate::args::Reading;
use std::path::{Path, PathBuf};
use thalweg::field::{Frame, Grid2, Heightfield};

/// The file of a tile: columns count eastwards, and rows southwards.
pub(super) fn tile_path(path: &Path, col: usize, row: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}_x{col}_y{row}.{ending}"))
}

/// Cuts a terrain. Neighbours share a row or column of cells, so each has (cells − 1) / tiles + 1.
pub(super) fn cut(
    ground: &Heightfield,
    [across, down]: [usize; 2],
) -> Result<Vec<([usize; 2], Heightfield)>, Failure> {
    let [cols, rows] = [ground.height.cols(), ground.height.rows()];
    let fits = |cells: usize, tiles: usize| cells > tiles && (cells - 1).is_multiple_of(tiles);
    if !(fits(cols, across) && fits(rows, down)) {
        let near = |cells: usize, tiles: usize| {
            ((cells - 1) as f64 / tiles as f64).round().max(1.0) as usize * tiles + 1
        };
        return Err(Failure::usage(format!(
            "{cols} x {rows} cells cannot be cut into {across} x {down} tiles that share their edges: each side needs a whole number \
             of cells for each tile and one more, such as --size {}x{}",
            near(cols, across),
            near(rows, down)
        )));
    }
    let side = [(cols - 1) / across, (rows - 1) / down];
    let cell = ground.frame.cell;
    let mut tiles = Vec::new();
    for (row, col) in (0..down).flat_map(|row| (0..across).map(move |col| (row, col))) {
        let [west, north] = [col * side[0], row * side[1]];
        let height = Grid2::from_fn(side[0] + 1, side[1] + 1, |c, r| ground.height.at(west + c, north + r));
        let below = rows - north - (side[1] + 1);
        let origin =
            [ground.frame.origin[0] + west as f64 * cell, ground.frame.origin[1] + below as f64 * cell];
        let frame = Frame { cell, origin, crs: ground.frame.crs.clone() };
        tiles.push(([col, row], Heightfield { height, frame }));
    }
    Ok(tiles)
}

/// Reads all tiles of a set, one of which is named, and joins them.
pub(super) fn join(one: &Path, reading: &Reading) -> Result<Heightfield, Failure> {
    let stem = one.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let base = stem.rsplit_once("_x").filter(|(_, rest)| {
        rest.split_once("_y").is_some_and(|(x, y)| x.parse::<u16>().is_ok() && y.parse::<u16>().is_ok())
    });
    let Some((base, _)) = base else {
        return Err(Failure::usage(format!(
            "{}: --join needs the name of a tile, such as name_x0_y0.png",
            one.display()
        )));
    };
    let ending = one.extension().unwrap_or_default();
    let whole = one.with_file_name(base).with_extension(ending);
    let count = |next: &dyn Fn(usize) -> PathBuf| (0..).take_while(|&n| next(n).is_file()).count();
    let across = count(&|n| tile_path(&whole, n, 0));
    let down = count(&|n| tile_path(&whole, 0, n));
    if across == 0 || down == 0 {
        let first = tile_path(&whole, 0, 0);
        return Err(Failure::usage(format!("{}: there is no such tile", first.display())));
    }
    let mut joined: Option<(Heightfield, [usize; 2])> = None;
    for row in 0..down {
        for col in 0..across {
            let path = tile_path(&whole, col, row);
            let read @ Read { .. } = heightmap::read(&path, reading)?;
            if row == 0 && col == 0 {
                read.tell();
            }
            let tile = read.imported.field;
            let size = [tile.height.cols(), tile.height.rows()];
            let (ground, side) = joined.get_or_insert_with(|| {
                let [cols, rows] = [(size[0] - 1) * across + 1, (size[1] - 1) * down + 1];
                let height = Grid2::filled(cols, rows, f32::NAN);
                // The origin is that of the tile in the south-west; this one lies in the north-west.
                let south = ((down - 1) * (size[1] - 1)) as f64 * tile.frame.cell;
                let origin = [tile.frame.origin[0], tile.frame.origin[1] - south];
                (Heightfield { height, frame: Frame { origin, ..tile.frame.clone() } }, size)
            });
            if size != *side {
                return Err(Failure::usage(format!(
                    "{}: has {} x {} cells, the first tile {} x {}",
                    path.display(),
                    size[0],
                    size[1],
                    side[0],
                    side[1]
                )));
            }
            let [west, north] = [col * (size[0] - 1), row * (size[1] - 1)];
            for r in 0..size[1] {
                for c in 0..size[0] {
                    let (new, there) = (tile.height.at(c, r), ground.height.at(west + c, north + r));
                    if there.is_finite() && there.to_bits() != new.to_bits() {
                        return Err(Failure::usage(format!(
                            "{}: at column {c}, row {r} it is {new} m high, its neighbour {there} m: tiles of one set share \
                             their edges and one range of heights",
                            path.display()
                        )));
                    }
                    ground.height.set(west + c, north + r, new);
                }
            }
        }
    }
    Ok(joined.expect("there is a tile").0)
}
