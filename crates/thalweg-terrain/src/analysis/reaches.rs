//! How channels flatten downstream, measured over reaches.

use super::Channels;
use super::fit::slope_of;

/// Length of channel over which its fall is taken `[m]`: ten cells of 30 m, so that whole-metre heights and the steps of
/// single cells even out.
const REACH: f64 = 300.0;

/// Bins of drainage area for each factor of ten.
const BINS_PER_DECADE: f64 = 5.0;

/// Fewest reaches that a bin must hold to count: the mean of fewer is that of one river.
const FEWEST: u32 = 20;

/// The reaches of one bin of drainage area.
#[derive(Clone, Copy, Default)]
struct Bin {
    reaches: u32,
    log_area: f64,
    fall: f64,
}

impl Channels<'_> {
    /// Concavity θ of the channels over reaches of 300 m `[-]`, S ∝ A^−θ (Flint 1974).
    ///
    /// From each channel cell the way down is followed for 300 m; the fall over that way, on the ground as measured, and
    /// the drainage area halfway down it make one point. The points are put into bins of equal width in log A, and the line
    /// goes through the logarithms of the bins' mean falls (Wobus et al. 2006 bin likewise): flat reaches count, where a
    /// fit to single cells must leave them out. `None` with fewer than three bins of 20 reaches.
    pub fn concavity(&self) -> Option<f64> {
        let mut bins: Vec<Bin> = Vec::new();
        for &cell in &self.cells {
            let Some((log_area, fall)) = self.reach(cell) else { continue };
            let log_area = log_area / std::f64::consts::LN_10;
            let bin = (log_area * BINS_PER_DECADE).floor().max(0.0) as usize;
            bins.resize(bins.len().max(bin + 1), Bin::default());
            let Bin { reaches, log_area: sum, fall: total } = &mut bins[bin];
            (*reaches, *sum, *total) = (*reaches + 1, *sum + log_area, *total + fall);
        }
        let full = bins.iter().filter(|bin| bin.reaches >= FEWEST && bin.fall > 0.0);
        let points = full.map(|bin| {
            let count = f64::from(bin.reaches);
            [bin.log_area / count, libm::log10(bin.fall / count)]
        });
        (points.clone().count() >= 3).then(|| slope_of(points).map(|slope| -slope))?
    }

    /// Logarithm of the area halfway down the reach that begins at a cell, and its fall `[-]`; `None` where the map
    /// ends before.
    fn reach(&self, begin: usize) -> Option<(f64, f64)> {
        let (mut cell, mut way, mut middle) = (begin, 0.0, None);
        while way < REACH {
            let next = self.drainage.way(cell);
            if next == 0.0 {
                return None;
            }
            way += next;
            cell = self.drainage.receiver.values()[cell] as usize;
            if way >= REACH / 2.0 {
                middle = middle.or(Some(cell));
            }
        }
        let fall = f64::from(self.bed[begin] - self.bed[cell]) / way;
        fall.is_finite().then_some((self.log_area(middle?), fall))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Drainage;
    use thalweg_field::{Frame, Grid2, Heightfield};

    /// A river whose bed falls as S = 0.05 (A / 0.5 km²)^-θ down the middle of a V-shaped valley of 600 rows.
    fn river(theta: f64, rounding: f32) -> Option<f64> {
        let (rows, cols, cell) = (600, 41, 30.0);
        let mut z = 3000.0;
        let thalweg: Vec<f64> = (0..rows)
            .map(|row| {
                let here = z;
                let area = f64::from(row + 1) * 41.0 * cell * cell;
                z -= cell * 0.05 * (area / 0.5e6).powf(-theta);
                here
            })
            .collect();
        let height = Grid2::from_fn(cols, rows as usize, |col, row| {
            let z = thalweg[row] as f32 + 20.0 * col.abs_diff(20) as f32;
            if rounding > 0.0 { (z / rounding).round() * rounding } else { z }
        });
        let ground = Heightfield { height, frame: Frame::with_cell(cell) };
        let drainage = Drainage::of(&ground);
        Channels::of(&drainage, &ground.height, 0.5e6).concavity()
    }

    #[test]
    fn a_river_has_the_concavity_it_was_made_with() {
        for theta in [0.0, 0.3, 0.45, 0.6] {
            let found = river(theta, 0.0).unwrap();
            // Within a reach the area grows, by at most a third at the upper end.
            assert!((found - theta).abs() < 0.02, "{found} of {theta}");
        }
    }

    /// Where a fit to single cells is biased by steps of a metre.
    #[test]
    fn whole_metres_hardly_matter() {
        let found = river(0.45, 1.0).unwrap();
        assert!((found - 0.45).abs() < 0.03, "{found}");
    }

    #[test]
    fn short_rivers_have_none() {
        let ground = Heightfield {
            height: Grid2::from_fn(5, 12, |_, row| 12.0 - row as f32),
            frame: Frame::with_cell(30.0),
        };
        let drainage = Drainage::of(&ground);
        assert_eq!(Channels::of(&drainage, &ground.height, 1.0).concavity(), None);
    }
}
