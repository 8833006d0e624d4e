//! All the numbers about one terrain.

use super::geomorphons::{Geomorphons, Landform, histogram};
use super::{Channels, Drainage, hypsometric_integral, hypsometry, pit_fraction, slope};
use serde::{Serialize, Serializer};
use thalweg_field::Heightfield;

/// What the measures need to be told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measures {
    /// Drainage area from which a cell is taken as a channel `[m²]`.
    pub channel_area: f64,
    /// How landforms are told apart.
    pub geomorphons: Geomorphons,
}

impl Default for Measures {
    fn default() -> Self {
        Self { channel_area: 0.5e6, geomorphons: Geomorphons::default() }
    }
}

/// All the numbers about one terrain; `None` where the ground does not define one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statistics {
    /// Columns.
    pub cols: usize,
    /// Rows.
    pub rows: usize,
    /// Side of a cell `[m]`.
    pub cell: f64,
    /// Lowest height `[m]`.
    pub min: Option<f64>,
    /// Highest height `[m]`.
    pub max: Option<f64>,
    /// Mean height `[m]`.
    pub mean: Option<f64>,
    /// Mean slope [°].
    pub slope_mean_deg: Option<f64>,
    /// Slope that 95 % of the cells do not exceed [°].
    pub slope_p95_deg: Option<f64>,
    /// Steepest slope [°].
    pub slope_max_deg: Option<f64>,
    /// Share of the cells in depressions `[-]`.
    pub pit_fraction: Option<f64>,
    /// Hypsometric integral `[-]`.
    pub hypsometric_integral: Option<f64>,
    /// Length of channels per area [1/km].
    pub drainage_density_per_km: Option<f64>,
    /// Exponent of Hack's law `[-]`.
    pub hack_exponent: Option<f64>,
    /// Concavity of the channels `[-]`.
    pub concavity: Option<f64>,
    /// Horton's bifurcation ratio `[-]`.
    pub bifurcation_ratio: Option<f64>,
    /// Share of each landform, in the order of [`Landform::ALL`] `[-]`.
    #[serde(serialize_with = "by_name")]
    pub geomorphons: Option<[f64; 10]>,
}

impl Statistics {
    /// Measures the ground.
    pub fn of(ground: &Heightfield, measures: &Measures) -> Self {
        let height = &ground.height;
        let range = height.range();
        let mut slopes: Vec<f32> = slope(ground).into_values();
        slopes.retain(|angle| angle.is_finite());
        slopes.sort_by(f32::total_cmp);
        let degrees = |angle: f32| f64::from(angle).to_degrees();
        let drainage = Drainage::of(ground);
        let channels = Channels::of(&drainage, height, measures.channel_area);
        Self {
            cols: height.cols(),
            rows: height.rows(),
            cell: ground.frame.cell,
            min: range.map(|(low, _)| low.into()),
            max: range.map(|(_, high)| high.into()),
            mean: hypsometry::mean(height),
            slope_mean_deg: (!slopes.is_empty())
                .then(|| slopes.iter().map(|&angle| degrees(angle)).sum::<f64>() / slopes.len() as f64),
            slope_p95_deg: slopes.get(slopes.len() * 95 / 100).map(|&angle| degrees(angle)),
            slope_max_deg: slopes.last().map(|&angle| degrees(angle)),
            pit_fraction: pit_fraction(height, &drainage.filled),
            hypsometric_integral: hypsometric_integral(height),
            drainage_density_per_km: channels.density().map(|per_metre| 1000.0 * per_metre),
            hack_exponent: channels.hack_exponent(),
            concavity: channels.concavity(),
            bifurcation_ratio: channels.bifurcation_ratio(),
            geomorphons: histogram(&measures.geomorphons.classify(ground)),
        }
    }
}

/// Writes the shares under the landforms' names.
fn by_name<S: Serializer>(shares: &Option<[f64; 10]>, serializer: S) -> Result<S::Ok, S::Error> {
    match shares {
        Some(shares) => serializer.collect_map(Landform::ALL.iter().zip(shares)),
        None => serializer.serialize_none(),
    }
}
