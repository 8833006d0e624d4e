//! Terrain cut into tiles that share their edges, and joined again.

use super::heightmap;
use crate::Failure;
use crate::args::Reading;
use std::path::{Path, PathBuf};
use thalweg::field::{Frame, Grid2, Heightfield};
use thalweg::io::Window;

/// The file of a tile: columns count eastwards, and rows southwards.
pub(super) fn tile_path(path: &Path, col: usize, row: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}_x{col}_y{row}.{ending}"))
}

/// The file of a tile in Unity, which counts columns eastwards and rows northwards.
pub(super) fn unity_path(path: &Path, col: usize, row: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}_{col}_{row}.{ending}"))
}

/// Parts of so many cells, with the column and row of each. Neighbours share a row or column of cells, so each has
/// (cells − 1) / tiles + 1.
pub(super) fn windows(
    [cols, rows]: [usize; 2],
    [across, down]: [usize; 2],
) -> Result<Vec<([usize; 2], Window)>, Failure> {
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
    let [wide, high] = [(cols - 1) / across, (rows - 1) / down];
    let places = (0..down).flat_map(|row| (0..across).map(move |col| [col, row]));
    let window = |[col, row]: [usize; 2]| Window {
        west: col * wide,
        north: row * high,
        cols: wide + 1,
        rows: high + 1,
    };
    Ok(places.map(|place| (place, window(place))).collect())
}

/// How the tiles of a set are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    /// `name_x0_y0`, rows southwards.
    Usual,
    /// `name_0_0`, rows northwards.
    Unity,
}

impl Naming {
    /// The naming of a set and what its names begin with, by the name of one tile.
    fn of(stem: &str) -> Option<(Self, &str)> {
        let number = |text: &str| text.parse::<u16>().is_ok();
        let (rest, row) = stem.rsplit_once('_')?;
        let (name, col) = rest.rsplit_once('_')?;
        match (col.strip_prefix('x'), row.strip_prefix('y')) {
            (Some(col), Some(row)) => (number(col) && number(row)).then_some((Self::Usual, name)),
            _ => (number(col) && number(row)).then_some((Self::Unity, name)),
        }
    }

    /// The file of a tile in a column and a row of the file's own counting.
    fn path(self, whole: &Path, col: usize, row: usize) -> PathBuf {
        match self {
            Self::Usual => tile_path(whole, col, row),
            Self::Unity => unity_path(whole, col, row),
        }
    }
}

/// Reads all tiles of a set, one of which is named, and joins them.
pub(super) fn join(one: &Path, reading: &Reading) -> Result<Heightfield, Failure> {
    let stem = one.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let Some((naming, base)) = Naming::of(&stem) else {
        return Err(Failure::usage(format!(
            "{}: --join needs the name of a tile, such as name_x0_y0.png, or name_0_0.raw of Unity",
            one.display()
        )));
    };
    // Not `with_extension`, which would take what follows a dot in the name.
    let ending = one.extension().unwrap_or_default().to_string_lossy();
    let whole = one.with_file_name(format!("{base}.{ending}"));
    let count = |next: &dyn Fn(usize) -> PathBuf| (0..).take_while(|&n| next(n).is_file()).count();
    let across = count(&|n| naming.path(&whole, n, 0));
    let down = count(&|n| naming.path(&whole, 0, n));
    if across == 0 || down == 0 {
        let first = naming.path(&whole, 0, 0);
        return Err(Failure::usage(format!("{}: there is no such tile", first.display())));
    }
    let mut joined: Option<Joined> = None;
    for (row, col) in (0..down).flat_map(|row| (0..across).map(move |col| (row, col))) {
        let path = naming.path(&whole, col, if naming == Naming::Unity { down - 1 - row } else { row });
        let read = heightmap::read(&path, reading)?;
        if joined.is_none() {
            read.tell();
        }
        let tile = read.imported.field;
        joined.get_or_insert_with(|| Joined::around(&tile, [across, down])).add(&path, &tile, [col, row])?;
    }
    Ok(joined.expect("there is a tile").ground)
}

/// Terrain that is put together from tiles.
struct Joined {
    ground: Heightfield,
    /// Columns and rows of a tile.
    tile: [usize; 2],
}

impl Joined {
    /// Nothing yet, with room for so many tiles like this one, which lies in the north-west.
    fn around(tile: &Heightfield, [across, down]: [usize; 2]) -> Self {
        let [cols, rows] = [tile.height.cols(), tile.height.rows()];
        let height = Grid2::filled((cols - 1) * across + 1, (rows - 1) * down + 1, f32::NAN);
        // The origin is that of the tile in the south-west.
        let south = ((down - 1) * (rows - 1)) as f64 * tile.frame.cell;
        let origin = [tile.frame.origin[0], tile.frame.origin[1] - south];
        let ground = Heightfield { height, frame: Frame { origin, ..tile.frame.clone() } };
        Self { ground, tile: [cols, rows] }
    }

    /// Puts a tile where it belongs, where its edges must be those of its neighbours.
    fn add(&mut self, path: &Path, tile: &Heightfield, [col, row]: [usize; 2]) -> Result<(), Failure> {
        let [cols, rows] = self.tile;
        if [tile.height.cols(), tile.height.rows()] != self.tile {
            return Err(Failure::usage(format!(
                "{}: has {} x {} cells, the first tile {cols} x {rows}",
                path.display(),
                tile.height.cols(),
                tile.height.rows()
            )));
        }
        let [west, north] = [col * (cols - 1), row * (rows - 1)];
        for (r, c) in (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c))) {
            let (new, there) = (tile.height.at(c, r), self.ground.height.at(west + c, north + r));
            if there.is_finite() && there.to_bits() != new.to_bits() {
                return Err(Failure::usage(format!(
                    "{}: at column {c}, row {r} it is {new} m high, its neighbour {there} m: tiles of one set share \
                     their edges and one range of heights",
                    path.display()
                )));
            }
            self.ground.height.set(west + c, north + r, new);
        }
        Ok(())
    }
}
