//! Ground at another resolution.

use thalweg_field::{Frame, Grid2, Heightfield};

/// The same ground on `cols` × `rows` cells that cover the same extent.
///
/// Finer cells are interpolated with Catmull–Rom cubics (Keys 1981, a = −½), coarser ones are means over
/// the area they cover, each axis for itself. Cells stay square: their side follows from the columns, and
/// a number of rows that does not fit stretches the ground to the north by as much as it is off.
/// Without cells in the ground there are none in the result.
pub fn resample(ground: &Heightfield, cols: usize, rows: usize) -> Heightfield {
    let (old_cols, old_rows) = (ground.height.cols(), ground.height.rows());
    if ground.height.is_empty() || cols == 0 || rows == 0 {
        return Heightfield { height: Grid2::filled(0, 0, 0.0), frame: ground.frame.clone() };
    }
    let (across, down) = (weights(old_cols, cols), weights(old_rows, rows));
    let wide = Grid2::from_fn(cols, old_rows, |col, row| {
        across[col].apply(|from| f64::from(ground.height.at(from, row)))
    });
    let height = Grid2::from_fn(cols, rows, |col, row| down[row].apply(|from| wide.at(col, from)) as f32);
    let cell = ground.frame.cell * old_cols as f64 / cols as f64;
    Heightfield { height, frame: Frame { cell, ..ground.frame.clone() } }
}

/// How one new cell is mixed from consecutive old ones.
struct Mix {
    first: usize,
    shares: Vec<f64>,
}

impl Mix {
    fn apply(&self, value: impl Fn(usize) -> f64) -> f64 {
        self.shares.iter().enumerate().map(|(i, share)| share * value(self.first + i)).sum()
    }
}

/// The mixes that make `new` cells of `old` ones along one axis.
fn weights(old: usize, new: usize) -> Vec<Mix> {
    let ratio = old as f64 / new as f64;
    (0..new).map(|i| if new < old { mean(old, ratio, i) } else { cubic(old, ratio, i) }).collect()
}

/// Old cells by how much of the new one they cover.
fn mean(old: usize, ratio: f64, i: usize) -> Mix {
    let (from, to) = (i as f64 * ratio, (i + 1) as f64 * ratio);
    let (first, end) = (from as usize, (to.ceil() as usize).min(old));
    let cover = |cell: usize| ((cell + 1) as f64).min(to) - (cell as f64).max(from);
    Mix { first, shares: (first..end).map(|cell| cover(cell) / ratio).collect() }
}

/// The four old cells around the new one's centre. Those beyond the edge are put where the line through
/// the two cells at the edge goes on, so that a slope stays a slope.
fn cubic(old: usize, ratio: f64, i: usize) -> Mix {
    let centre = (i as f64 + 0.5) * ratio - 0.5;
    let t = centre - centre.floor();
    let taps = [
        t * (-0.5 + t * (1.0 - 0.5 * t)),
        1.0 + t * t * (-2.5 + 1.5 * t),
        t * (0.5 + t * (2.0 - 1.5 * t)),
        t * t * (-0.5 + 0.5 * t),
    ];
    let west = centre.floor() as isize - 1;
    let last = old as isize - 1;
    let first = west.clamp(0, last.saturating_sub(3).max(0));
    let mut shares = vec![0.0; (last - first + 1).min(4) as usize];
    let mut give = |cell: isize, share: f64| shares[(cell - first) as usize] += share;
    for (cell, share) in (west..).zip(taps) {
        let edge = cell.clamp(0, last);
        let inner = (edge + (edge - cell).signum()).clamp(0, last);
        let beyond = (cell - edge).abs() as f64;
        give(edge, share * (1.0 + beyond));
        give(inner, -share * beyond);
    }
    Mix { first: first as usize, shares }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ground(height: Grid2<f32>) -> Heightfield {
        Heightfield { height, frame: Frame::with_cell(30.0) }
    }

    #[test]
    fn a_plane_stays_a_plane_up_to_its_edges() {
        let plane = ground(Grid2::from_fn(12, 8, |col, row| 2.0 * col as f32 + 5.0 * row as f32));
        for (cols, rows) in [(36, 24), (18, 12), (13, 9), (12, 8), (6, 4), (3, 2)] {
            let other = resample(&plane, cols, rows);
            assert!((other.extent()[0] - 360.0).abs() < 1.0e-9);
            for row in 0..rows {
                for col in 0..cols {
                    let x = (col as f32 + 0.5) * 12.0 / cols as f32 - 0.5;
                    let y = (row as f32 + 0.5) * 8.0 / rows as f32 - 0.5;
                    let off = other.height.at(col, row) - (2.0 * x + 5.0 * y);
                    assert!(off.abs() < 1.0e-4, "{cols} × {rows}: {off} m off at {col}, {row}");
                }
            }
        }
    }

    #[test]
    fn coarser_ground_keeps_its_mean() {
        let fine = ground(Grid2::from_fn(30, 20, |col, row| ((col * 7 + row * 13) % 11) as f32));
        let mean = |grid: &Grid2<f32>| thalweg_field::sum::ordered_sum(grid.values()) / grid.len() as f64;
        for (cols, rows) in [(15, 10), (7, 9), (1, 1)] {
            let off = mean(&resample(&fine, cols, rows).height) - mean(&fine.height);
            assert!(off.abs() < 1.0e-5, "{cols} × {rows}: {off} m");
        }
    }

    #[test]
    fn mirrored_ground_gives_mirrored_cells() {
        let height = Grid2::from_fn(17, 13, |col, row| ((col * 31 + row * 17) % 23) as f32);
        let mirrored = Grid2::from_fn(17, 13, |col, row| height.at(16 - col, 12 - row));
        for (cols, rows) in [(40, 31), (9, 5), (17, 13)] {
            let (one, two) = (
                resample(&ground(height.clone()), cols, rows),
                resample(&ground(mirrored.clone()), cols, rows),
            );
            for row in 0..rows {
                for col in 0..cols {
                    let off = one.height.at(col, row) - two.height.at(cols - 1 - col, rows - 1 - row);
                    assert!(off.abs() < 1.0e-4, "{off} m");
                }
            }
        }
    }

    #[test]
    fn single_cells_and_none_at_all_can_be_resampled() {
        assert_eq!(resample(&ground(Grid2::filled(1, 1, 4.0)), 5, 5).height.values(), [4.0; 25]);
        assert_eq!(resample(&ground(Grid2::filled(2, 1, 4.0)), 7, 1).height.values(), [4.0; 7]);
        assert!(resample(&ground(Grid2::filled(0, 0, 4.0)), 5, 5).height.is_empty());
    }
}
