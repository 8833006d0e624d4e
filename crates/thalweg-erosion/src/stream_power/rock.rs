//! What the ground is made of: how easily each cell erodes.

use super::layout::Layout;
use super::params::Params;
use fearless_simd::{Level, Simd, dispatch};
use thalweg_field::band;
use thalweg_field::random::Key;

/// Wavelengths over which erodibility varies `[m]`.
const WAVELENGTHS: [f64; 4] = [2500.0, 900.0, 300.0, 120.0];
/// Sediment of this thickness erodes half like sediment and half like the rock below `[m]`.
const COVER: f32 = 1.0;

/// The erodibility of every cell that does not depend on what lies at its surface: variation and softness `[-]`.
pub(super) fn erodibility(layout: &Layout, params: &Params, softness: Option<&[f32]>, seed: u64) -> Vec<f32> {
    let (stride, key) = (layout.stride, Key::new(seed).with(0x726f_636b));
    let mut rock = layout.filled(1.0_f32);
    band::for_each_chunk(&mut rock, stride, |row, line| {
        for (col, factor) in line.iter_mut().enumerate() {
            if params.erodibility_noise > 0.0 {
                // Metres east and north of the south-west corner: the same rock at any resolution.
                let place =
                    [(col as f64 - 0.5) * layout.cell, (layout.rows as f64 - row as f64 + 0.5) * layout.cell];
                let waves =
                    WAVELENGTHS.iter().zip(0..).map(|(wave, i)| bumps(place.map(|x| x / wave), key.with(i)));
                let sum: f64 = waves.sum();
                *factor = (params.erodibility_noise * sum / (WAVELENGTHS.len() as f64).sqrt()).exp() as f32;
            }
            if let Some(softness) = softness {
                *factor *= softness[row * stride + col];
            }
        }
    });
    rock
}

/// Smooth random numbers over the plane, of mean 0 and variance 1 everywhere: those of the corners of a square, which are
/// normally distributed, mixed and scaled by what mixing takes from their variance.
fn bumps(place: [f64; 2], key: Key) -> f64 {
    let corner = place.map(f64::floor);
    let ease = |t: f64| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let [u, v] = [0, 1].map(|axis| ease(place[axis] - corner[axis]));
    let [col, row] = corner.map(|x| x as i64 as u64);
    let (mut sum, mut squares) = (0.0, 0.0);
    for (dx, dy, weight) in
        [(0, 0, (1.0 - u) * (1.0 - v)), (1, 0, u * (1.0 - v)), (0, 1, (1.0 - u) * v), (1, 1, u * v)]
    {
        let key = key.with(col.wrapping_add(dx)).with(row.wrapping_add(dy));
        // The sum of twelve even numbers is near enough to normal, and has no logarithm that systems differ in.
        let normal: f64 = (0..12).map(|i| key.with(i).unit()).sum::<f64>() - 6.0;
        sum += weight * normal;
        squares += weight * weight;
    }
    sum / squares.sqrt()
}

/// Layers of rock under a cell.
#[derive(Clone, Debug)]
pub(super) struct Strata {
    /// Depth of the lower side of each below the top of the first, and its share of the erodibility.
    sides: Vec<[f32; 2]>,
    /// Height of the top at the south-west corner `[m]`.
    top: f64,
    /// Fall to the east and to the north `[-]`.
    fall: [f64; 2],
}

impl Strata {
    /// The layers, the first from `top` down.
    pub(super) fn new(params: &Params, top: f64) -> Option<Self> {
        let mut depth = 0.0;
        let sides = params.layers.iter().map(|layer| {
            depth += layer.thickness;
            [depth as f32, (1.0 - layer.hardness) as f32]
        });
        let sides: Vec<_> = sides.collect();
        let slope = params.dip.tan();
        let fall = [slope * params.dip_direction.sin(), slope * params.dip_direction.cos()];
        (!sides.is_empty()).then_some(Self { sides, top, fall })
    }

    /// The share of the erodibility at a height of the rock `[-]`.
    fn factor(&self, place: [f64; 2], rock: f64) -> f32 {
        let deepest = self.sides[self.sides.len() - 1][0];
        let depth = self.top - self.fall[0] * place[0] - self.fall[1] * place[1] - rock;
        let depth = depth.rem_euclid(f64::from(deepest)) as f32;
        self.sides.iter().find(|side| depth < side[0]).unwrap_or(&self.sides[0])[1]
    }
}

/// What lies at the surface.
pub(super) struct Surface<'a> {
    pub(super) layout: &'a Layout,
    pub(super) rock: &'a [f32],
    pub(super) strata: Option<&'a Strata>,
    pub(super) height: &'a [f64],
    pub(super) sediment: &'a [f32],
    pub(super) uplifted: &'a [f32],
    /// How much more easily sediment erodes `[-]`.
    pub(super) loose: f32,
}

impl Surface<'_> {
    /// The erodibility of every cell `[-]`.
    pub(super) fn erodibility(&self, found: &mut Vec<f32>) {
        let layout = self.layout;
        found.resize(layout.len(), 1.0);
        let level = Level::new();
        band::for_each_chunk(found, layout.stride, |row, found| {
            if (1..=layout.rows).contains(&row) {
                match self.strata {
                    None => dispatch!(level, simd => self.even_row(simd, row, found)),
                    Some(strata) => self.layered_row(strata, row, found),
                }
            }
        });
    }

    /// Sediment on rock that is the same at any depth. Sediment is as loose on hard rock as on soft.
    #[inline(always)]
    fn even_row<S: Simd>(&self, _: S, row: usize, found: &mut [f32]) {
        let cells = row * found.len()..(row + 1) * found.len();
        let cells = self.rock[cells.clone()].iter().zip(&self.sediment[cells]);
        for (found, (rock, sediment)) in found.iter_mut().zip(cells) {
            *found = rock * (1.0 + (self.loose - 1.0) * (sediment / (sediment + COVER)));
        }
    }

    fn layered_row(&self, strata: &Strata, row: usize, found: &mut [f32]) {
        let (start, cell) = (row * found.len(), self.layout.cell);
        for (col, found) in found.iter_mut().enumerate() {
            let at = start + col;
            let sediment = self.sediment[at];
            let place = [(col as f64 - 0.5) * cell, (self.layout.rows as f64 - row as f64 + 0.5) * cell];
            let height = self.height[at] - f64::from(sediment) - f64::from(self.uplifted[at]);
            let rock = strata.factor(place, height);
            *found = self.rock[at] * (rock + (self.loose - rock) * (sediment / (sediment + COVER)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::Edges;

    #[test]
    fn rock_varies_as_much_as_it_is_told_and_is_the_same_at_any_resolution() {
        let params = Params { erodibility_noise: 0.4, ..Params::default() };
        let rock = |cells: usize| {
            let layout = Layout::new(cells, cells, 1.0e5 / cells as f64, &Edges::default());
            (erodibility(&layout, &params, None, 3), layout)
        };
        let (fine, layout) = rock(1000);
        let logs: Vec<f64> =
            (0..1000_usize.pow(2)).map(|i| f64::from(fine[layout.at(i % 1000, i / 1000)]).ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        let deviation = (logs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / logs.len() as f64).sqrt();
        // 40 by 40 independent squares of the longer wavelength leave about 1/40 of a deviation.
        assert!(mean.abs() < 0.03 && (deviation - 0.4).abs() < 0.02, "mean {mean}, deviation {deviation}");
        // Cells of a third share every third centre.
        let (finer, finer_layout) = rock(3000);
        for (col, row) in [(0, 0), (17, 400), (999, 999)] {
            let [a, b] = [fine[layout.at(col, row)], finer[finer_layout.at(3 * col + 1, 3 * row + 1)]];
            assert!((a / b - 1.0).abs() < 1.0e-5, "{a} and {b} at {col}, {row}");
        }
    }

    #[test]
    fn layers_follow_one_another_and_dip() {
        let layer = |thickness, hardness| super::super::RockLayer { thickness, hardness };
        let params = Params { layers: vec![layer(10.0, 0.0), layer(30.0, 0.5)], ..Params::default() };
        let flat = Strata::new(&params, 100.0).unwrap();
        let at = |strata: &Strata, east: f64, height: f64| strata.factor([east, 0.0], height);
        assert_eq!(
            [95.0, 85.0, 61.0, 59.0, 49.0].map(|height| at(&flat, 0.0, height)),
            [1.0, 0.5, 0.5, 1.0, 0.5]
        );
        let dips = Params { dip: 0.1_f64.atan(), dip_direction: std::f64::consts::FRAC_PI_2, ..params };
        let dips = Strata::new(&dips, 100.0).unwrap();
        // 90 m to the east the top lies at 91 m.
        assert_eq!([at(&dips, 90.0, 82.0), at(&dips, 90.0, 80.0)], [1.0, 0.5]);
        assert_eq!(at(&dips, 110.0, 80.0), 1.0);
    }
}
