//! How much a terrain is like one that water has shaped, in numbers that can be compared.

use super::{
    Aspects, Channels, Drainage, Geomorphons, area_exponent, curvature, histogram, jensen_shannon,
    pit_fraction, share_steeper, skewness, slope,
};
use crate::resample;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use thalweg_field::Heightfield;

/// Cell size at which landscapes are compared `[m]`: that of SRTM, from which the real ones come.
pub const COMPARED_CELL: f64 = 30.0;

/// Widest cells that are interpolated to [`COMPARED_CELL`], as a multiple of it `[-]`. Wider ones do not hold what would be
/// compared.
const WIDEST: f64 = 1.5;

/// Fewest cells of [`COMPARED_CELL`] along each side of a ground that is compared: fewer hold no valleys.
const FEWEST: f64 = 64.0;

/// Drainage area from which a cell is taken as a channel `[m²]`.
const CHANNEL: f64 = 0.5e6;

/// Drainage area from which a channel is taken as a river that may have a floor `[m²]`.
const RIVER: f64 = 1.0e6;

/// Slope above which few soils and little rock hold `[rad]`.
const STEEP: f32 = 35.0 * std::f32::consts::PI / 180.0;

/// Shares of the ten landforms in Big Tujunga, in the order of `Landform::ALL`: the 512 × 512 cells of 30 m of
/// `scenes/tujunga` (SRTM), looking ten cells far, flat below 1°. Kept here because this crate reads no files; a test of
/// the crate `thalweg` measures them anew.
pub const BIG_TUJUNGA: [f64; 10] = [
    3.814_697_265_625e-6,
    0.008_651_733_398_437_5,
    0.092_323_303_222_656_25,
    0.001_880_645_751_953_125,
    0.199_981_689_453_125,
    0.398_162_841_796_875,
    0.183_250_427_246_093_75,
    0.001_777_648_925_781_25,
    0.108_051_300_048_828_12,
    0.005_916_595_458_984_375,
];

/// How natural the ground looks to a geomorphologist; `None` where the ground does not define a number.
///
/// All but the last two are taken at one cell size, 30 m, whatever the ground's own: they depend on it, and like is compared
/// with like. Finer ground is averaged, coarser ground interpolated; ground with cells wider than 45 m, or less than 64 cells of 30 m
/// along a side, is measured as it is, and its landforms are not compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Realism {
    /// Share of the cells in pits `[-]`.
    pub pit_fraction: Option<f64>,
    /// Exponent of Hack's law `[-]`.
    pub hack_exponent: Option<f64>,
    /// Concavity of channels over reaches of 300 m `[-]`.
    pub concavity: Option<f64>,
    /// Exponent of the distribution of drainage areas `[-]`.
    pub area_exponent: Option<f64>,
    /// Share of the cells steeper than 35° `[-]`.
    pub steep_fraction: Option<f64>,
    /// Slopes that face along the axes of the grid, over how many would if they faced all ways alike `[-]`.
    pub aspects_near_axes: Option<f64>,
    /// Largest difference of a sector of aspects from an even share, over that share `[-]`.
    pub aspect_unevenness: Option<f64>,
    /// Skewness of the curvature `[-]`: above 0 where valleys are sharper than ridges.
    pub curvature_skew: Option<f64>,
    /// Skewness of the slope `[-]`: below 0 where most slopes are as steep as they can be.
    pub slope_skew: Option<f64>,
    /// Jensen–Shannon distance of the landforms to those of Big Tujunga, a real landscape `[-]`.
    pub geomorphon_distance: Option<f64>,
    /// Share of the river cells with a flat floor at least three cells of 30 m wide `[-]`.
    pub floor_share: Option<f64>,
    /// Width of the floor that half of the river cells do not exceed `[m]`.
    pub floor_width_median: Option<f64>,
    /// Width of the floor that nine tenths of the river cells do not exceed `[m]`.
    pub floor_width_p90: Option<f64>,
    /// Share of the channel cells with a second thread beside them, in the ground's own cells `[-]`.
    pub twin_share: Option<f64>,
    /// How far the lowest cell lies below the lowest one of the map's edge, in the ground's own cells `[m]`.
    pub below_outlet: Option<f64>,
}

impl Realism {
    /// Measures the ground.
    pub fn of(ground: &Heightfield) -> Self {
        let drainage = Drainage::of(ground);
        let channels = Channels::of(&drainage, &ground.height, CHANNEL);
        let own =
            Self { twin_share: channels.twin_share(), below_outlet: below_outlet(ground), ..Self::default() };
        match compared(ground) {
            Cow::Borrowed(_) => own.at_its_cell(ground, &drainage),
            Cow::Owned(other) => own.at_its_cell(&other, &Drainage::of(&other)),
        }
    }

    /// Adds what is measured at the cell size of comparison.
    fn at_its_cell(self, ground: &Heightfield, drainage: &Drainage) -> Self {
        let slope = slope(ground);
        let channels = Channels::of(drainage, &ground.height, CHANNEL);
        let aspects = Aspects::of(ground);
        let floors = Channels::of(drainage, &ground.height, RIVER).valley_floors(&slope);
        let landforms = || histogram(&Geomorphons::default().classify(ground));
        Self {
            pit_fraction: pit_fraction(&ground.height, &drainage.filled),
            hack_exponent: channels.hack_exponent(),
            concavity: channels.concavity(),
            area_exponent: area_exponent(drainage),
            steep_fraction: share_steeper(&slope, STEEP),
            aspects_near_axes: aspects.map(|aspects| aspects.near_axes),
            aspect_unevenness: aspects.map(|aspects| aspects.unevenness),
            curvature_skew: skewness(curvature(ground).laplacian.values()),
            slope_skew: skewness(slope.values()),
            geomorphon_distance: is_comparable(ground)
                .then(landforms)
                .flatten()
                .map(|own| jensen_shannon(&BIG_TUJUNGA, &own)),
            floor_share: floors.map(|floors| floors.share),
            floor_width_median: floors.map(|floors| floors.median_width),
            floor_width_p90: floors.map(|floors| floors.wide_width),
            ..self
        }
    }
}

/// Whether the cells are near enough to those of comparison, and the ground wide enough for it.
fn is_comparable(ground: &Heightfield) -> bool {
    let wide = ground.extent().iter().all(|&side| (side / COMPARED_CELL).round() >= FEWEST);
    wide && ground.frame.cell <= WIDEST * COMPARED_CELL
}

/// The ground with cells of 30 m, as near as whole cells come to it; as it is where its own are as large, or too wide.
pub fn compared(ground: &Heightfield) -> Cow<'_, Heightfield> {
    let count = |cells: usize| (cells as f64 * ground.frame.cell / COMPARED_CELL).round().max(1.0) as usize;
    let (cols, rows) = (ground.height.cols(), ground.height.rows());
    let (new_cols, new_rows) = (count(cols), count(rows));
    if !is_comparable(ground) || (new_cols, new_rows) == (cols, rows) || ground.height.is_empty() {
        return Cow::Borrowed(ground);
    }
    Cow::Owned(resample(ground, new_cols, new_rows))
}

/// How far the lowest cell lies below the lowest one of the map's edge `[m]`: 0 where the map drains, and the depth below
/// its outlet that a river has dug where it has dug too deep. `None` without data.
fn below_outlet(ground: &Heightfield) -> Option<f64> {
    let (cols, rows) = (ground.height.cols(), ground.height.rows());
    let (low, _) = ground.height.range()?;
    let is_edge = |cell: usize| {
        let (col, row) = (cell % cols, cell / cols);
        col == 0 || row == 0 || col + 1 == cols || row + 1 == rows
    };
    let edge =
        (0..ground.height.len()).filter(|&cell| is_edge(cell)).map(|cell| ground.height.values()[cell]);
    let outlet = edge.filter(|height| height.is_finite()).reduce(f32::min)?;
    Some(f64::from(outlet - low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::{Frame, Grid2};

    #[test]
    fn ground_is_compared_at_cells_of_thirty_metres() {
        let with = |cells: usize, cell: f64| Heightfield {
            height: Grid2::from_fn(cells, cells, |col, row| (3 * col + row) as f32),
            frame: Frame::with_cell(cell),
        };
        for (cells, cell, expected) in [
            (300, 10.0, 100),
            (100, 30.0, 100),
            (75, 40.0, 100),
            (60, 50.0, 60),
            (180, 10.0, 180),
            (1, 1.0, 1),
        ] {
            let found = compared(&with(cells, cell)).height.cols();
            assert_eq!(found, expected, "{cells} cells of {cell} m");
        }
        assert_eq!(Realism::of(&with(60, 50.0)).geomorphon_distance, None);
    }

    #[test]
    fn a_hole_is_as_far_below_the_outlet_as_it_was_dug() {
        let mut height = Grid2::from_fn(20, 20, |col, row| 100.0 + (col + row) as f32);
        let ground =
            |height: &Grid2<f32>| Heightfield { height: height.clone(), frame: Frame::with_cell(10.0) };
        assert_eq!(below_outlet(&ground(&height)), Some(0.0));
        height.set(9, 12, 70.0);
        assert_eq!(below_outlet(&ground(&height)), Some(30.0));
    }

    #[test]
    fn odd_ground_is_measured_without_nan() {
        for (cols, rows) in [(0, 0), (1, 1), (1, 40), (40, 1), (2, 2), (40, 40)] {
            for (height, cell) in [(0.0, 30.0), (12.5, 1.0), (f32::NAN, 30.0), (7.0, 500.0)] {
                let ground =
                    Heightfield { height: Grid2::filled(cols, rows, height), frame: Frame::with_cell(cell) };
                let text = toml::to_string(&Realism::of(&ground)).unwrap();
                assert!(
                    !text.contains("nan") && !text.contains("inf"),
                    "{cols} × {rows} of {height}:\n{text}"
                );
            }
        }
    }
}
