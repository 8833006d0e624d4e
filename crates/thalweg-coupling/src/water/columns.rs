//! How a pool is cut into columns of particles.

use thalweg_field::{Pool, Top};

/// Lowest particles of a column that give way where the ground leaves no room for whole layers.
pub(crate) const GIVING: usize = 3;
/// How far particles keep from the ground, at least, in spacings `[-]`: half of one, less some rounding.
pub(crate) const KEPT: f64 = 0.45;

/// Height that a pool reaches over ground of some height `[m]`.
pub(crate) fn top_of(pool: &Pool, ground: f64) -> f64 {
    match pool.top {
        Top::Level(level) => level,
        Top::Depth(depth) => pool.bottom.unwrap_or(ground) + depth,
    }
}

/// Columns of a pool, side by side.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    /// South-west corner of the first, and sides of each `[m]`.
    corner: [f64; 2],
    side: [f64; 2],
    /// How many to the east and to the north.
    pub count: [usize; 2],
    /// Distance between particles `[m]`.
    pub spacing: f64,
    /// Height of a particle's share of a column `[m]`.
    pub layer: f64,
}

impl Columns {
    /// The columns of what of a pool lies between the edges of the ground, for particles `spacing` apart that fill `volume` each.
    pub(super) fn new(extent: [[f32; 2]; 2], pool: &Pool, spacing: f64, volume: f64) -> Self {
        let extent = extent.map(|range| range.map(f64::from));
        let corner: [f64; 2] = std::array::from_fn(|axis| pool.from[axis].max(extent[axis][0]));
        let long: [f64; 2] = std::array::from_fn(|axis| pool.to[axis].min(extent[axis][1]) - corner[axis]);
        let count = long.map(|long| if long > 0.0 { (long / spacing).round().max(1.0) } else { 0.0 });
        let side: [f64; 2] = std::array::from_fn(|axis| long[axis] / count[axis].max(1.0));
        let layer = volume / (side[0] * side[1]);
        Self { corner, side, count: count.map(|n| n as usize), spacing, layer }
    }

    /// Middle of a column `[m]`.
    pub(crate) fn middle(&self, [i, j]: [usize; 2]) -> [f64; 2] {
        self.place([i as f64 + 0.5, j as f64 + 0.5])
    }

    /// A place so many columns to the east and to the north `[m]`.
    pub(crate) fn place(&self, at: [f64; 2]) -> [f64; 2] {
        std::array::from_fn(|axis| self.corner[axis] + at[axis] * self.side[axis])
    }

    /// Columns row by row, every other row backwards: each beside the one before.
    pub(crate) fn back_and_forth(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let [wide, deep] = self.count;
        (0..wide * deep).map(move |n| {
            let (i, j) = (n % wide, n / wide);
            [if j % 2 == 0 { i } else { wide - 1 - i }, j]
        })
    }
}
