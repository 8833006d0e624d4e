//! Terrain in another size without bending it unasked.

use super::{memory_limit, within_memory};
use crate::Failure;
use crate::args::FitArg;
use thalweg::field::{Frame, Grid2, Heightfield};
use thalweg::terrain::resample;

/// How far from square the new cells may be `[-]`.
const SQUARE: f64 = 0.005;

/// Whether cells of the new size are squares, as nearly as whole numbers of them allow.
pub(super) fn keeps_shape(old: [usize; 2], new: [usize; 2]) -> bool {
    let [across, down] = [0, 1].map(|axis: usize| old[axis] as f64 / new[axis] as f64);
    (across - down).abs() <= SQUARE * across || new == shaped(old, new[0]) || {
        // The other way around: rows given, columns rounded.
        let cols = (old[0] as f64 * new[1] as f64 / old[1] as f64).round().max(1.0) as usize;
        new[0] == cols
    }
}

/// The size with so many columns that keeps the shape.
fn shaped([cols, rows]: [usize; 2], new: usize) -> [usize; 2] {
    [new, (rows as f64 * new as f64 / cols as f64).round().max(1.0) as usize]
}

/// The ground in a size, as `fit` says where that is another shape.
pub(super) fn fitted(
    ground: Heightfield,
    size: [usize; 2],
    fit: Option<FitArg>,
    max_memory: Option<u64>,
) -> Result<Heightfield, Failure> {
    let old = [ground.height.cols(), ground.height.rows()];
    if old == size {
        return Ok(ground);
    }
    let [cols, rows] = size;
    let need = cols as u64 * rows.max(old[1]) as u64 * super::inspect::GENERATING;
    within_memory(
        &format!("{cols} by {rows} cells"),
        need,
        memory_limit(max_memory),
        "use a smaller --size",
    )?;
    if keeps_shape(old, size) {
        return Ok(resample(&ground, cols, rows));
    }
    let ground = match fit {
        Some(FitArg::Crop) => window(&ground, of_shape(old, size, false)),
        Some(FitArg::Pad) => window(&ground, of_shape(old, size, true)),
        Some(FitArg::Stretch) => {
            let [east, south] =
                [0, 1].map(|axis: usize| ground.frame.cell * old[axis] as f64 / size[axis] as f64);
            remark!("note: cells are {east} by {south} m now; files know squares alone and say {east} m");
            ground
        }
        _ => {
            let [c, r] = shaped(old, cols);
            return Err(Failure::usage(format!(
                "{} x {} cells do not fit into {cols} x {rows} without being bent; --size {c}x{r} keeps the shape, or say \
                 --fit crop (cut), --fit pad (add ground at the edge) or --fit stretch (bend)",
                old[0], old[1]
            )));
        }
    };
    Ok(resample(&ground, cols, rows))
}

/// The largest part of a terrain that has the shape of a size, or with `around` the smallest whole that holds the terrain.
fn of_shape([cols, rows]: [usize; 2], size: [usize; 2], around: bool) -> [usize; 2] {
    let ratio = size[0] as f64 / size[1] as f64;
    let wide = cols as f64 / rows as f64 > ratio;
    let round = |side: f64| side.round().max(1.0) as usize;
    if wide == around { [cols, round(cols as f64 / ratio)] } else { [round(rows as f64 * ratio), rows] }
}

/// A window of so many cells around the middle; beyond the edge the ground is as high as there.
fn window(ground: &Heightfield, [cols, rows]: [usize; 2]) -> Heightfield {
    let middle = |old: usize, new: usize| (old as isize - new as isize).div_euclid(2);
    let (west, north) = (middle(ground.height.cols(), cols), middle(ground.height.rows(), rows));
    let height = Grid2::from_fn(cols, rows, |col, row| {
        ground.height.at_clamped(west + col as isize, north + row as isize)
    });
    let Frame { cell, origin, crs } = &ground.frame;
    let below = ground.height.rows() as isize - north - rows as isize;
    let origin = [origin[0] + west as f64 * cell, origin[1] + below as f64 * cell];
    Heightfield { height, frame: Frame { cell: *cell, origin, crs: crs.clone() } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slope(cols: usize, rows: usize) -> Heightfield {
        let height = Grid2::from_fn(cols, rows, |col, row| (col * 100 + row) as f32);
        Heightfield { height, frame: Frame { cell: 2.0, origin: [100.0, 200.0], crs: None } }
    }

    #[test]
    fn crop_and_pad_keep_squares_and_places() {
        let cut = fitted(slope(40, 20), [10, 10], Some(FitArg::Crop), None).unwrap();
        assert_eq!((cut.frame.cell, cut.frame.origin), (4.0, [120.0, 200.0]));
        let padded = fitted(slope(40, 20), [40, 40], Some(FitArg::Pad), None).unwrap();
        assert_eq!((padded.frame.cell, padded.frame.origin), (2.0, [100.0, 180.0]));
        assert_eq!(
            [padded.height.at(7, 0), padded.height.at(7, 10), padded.height.at(7, 39)],
            [700.0, 700.0, 719.0]
        );
    }

    #[test]
    fn another_shape_is_refused_with_what_would_do() {
        let message = format!("{:?}", fitted(slope(40, 20), [10, 10], None, None).unwrap_err());
        assert!(message.contains("--size 10x5") && message.contains("--fit crop"), "{message}");
        let whole = fitted(slope(97, 31), [10, 3], None, None).unwrap();
        assert_eq!([whole.height.cols(), whole.height.rows()], [10, 3]);
    }
}
