//! A pool as columns of particles that hold its volume, whatever the bed below it looks like.

use crate::bed::Bed;
use thalweg_field::{Pool, Top};

/// Places along each side of a column where its depth is looked up.
const LOOKS: usize = 3;
/// Lowest particles of a column that give way where the bed leaves no room for whole layers.
const GIVING: usize = 3;
/// Particles of a column are no closer than this, in layers `[-]`.
const CLOSEST: f64 = 0.75;
/// How far particles keep from the bed, at least, in spacings `[-]`: half of one, less some rounding.
const KEPT: f64 = 0.45;

/// Height that a pool reaches over ground of some height `[m]`.
pub(super) fn top_of(pool: &Pool, ground: f64) -> f64 {
    match pool.top {
        Top::Level(level) => level,
        Top::Depth(depth) => pool.bottom.unwrap_or(ground) + depth,
    }
}

/// Heights between which a pool is filled over ground of some height `[m]`.
fn filled(pool: &Pool, ground: f64) -> [f64; 2] {
    [pool.bottom.map_or(ground, |bottom| bottom.max(ground)), top_of(pool, ground)]
}

/// Columns of a pool on a bed, side by side.
pub(super) struct Columns<'a> {
    bed: &'a Bed,
    pool: &'a Pool,
    /// South-west corner of the first, and sides of each `[m]`.
    corner: [f64; 2],
    side: [f64; 2],
    /// How many to the east and to the north.
    pub count: [usize; 2],
    spacing: f64,
    /// Height of a particle's share of a column `[m]`.
    layer: f64,
}

impl<'a> Columns<'a> {
    /// The columns of what of a pool lies over the bed, for particles `spacing` apart that fill `volume` each.
    pub(super) fn new(bed: &'a Bed, pool: &'a Pool, spacing: f64, volume: f64) -> Self {
        let extent = bed.extent().map(|range| range.map(f64::from));
        let corner: [f64; 2] = std::array::from_fn(|axis| pool.from[axis].max(extent[axis][0]));
        let long: [f64; 2] = std::array::from_fn(|axis| pool.to[axis].min(extent[axis][1]) - corner[axis]);
        let count = long.map(|long| if long > 0.0 { (long / spacing).round().max(1.0) } else { 0.0 });
        let side: [f64; 2] = std::array::from_fn(|axis| long[axis] / count[axis].max(1.0));
        let layer = volume / (side[0] * side[1]);
        Self { bed, pool, corner, side, count: count.map(|n| n as usize), spacing, layer }
    }

    /// Middle of a column `[m]`.
    pub(super) fn middle(&self, [i, j]: [usize; 2]) -> [f64; 2] {
        self.place([i as f64 + 0.5, j as f64 + 0.5])
    }

    fn place(&self, at: [f64; 2]) -> [f64; 2] {
        std::array::from_fn(|axis| self.corner[axis] + at[axis] * self.side[axis])
    }

    fn ground(&self, [east, north]: [f64; 2]) -> f64 {
        f64::from(self.bed.below(east as f32, north as f32).1)
    }

    /// Mean depth of the water of a column `[m]`.
    fn depth(&self, [i, j]: [usize; 2]) -> f64 {
        let looks = (0..LOOKS * LOOKS).map(|n| {
            let part = |cell: usize, n: usize| cell as f64 + (n as f64 + 0.5) / LOOKS as f64;
            let ground = self.ground(self.place([part(i, n % LOOKS), part(j, n / LOOKS)]));
            let [bottom, top] = filled(self.pool, ground);
            (top - bottom).max(0.0)
        });
        looks.sum::<f64>() / (LOOKS * LOOKS) as f64
    }

    /// Heights of the particles of a column, from the top down `[m]`; `owed` is the part of a particle that those before it owe
    /// `[-]`, and afterwards what this one owes too. Layers are level, so that a lake is a lattice; the lowest few give way where the
    /// bed leaves no room for whole ones.
    pub(super) fn heights(&self, column: [usize; 2], owed: &mut f64) -> impl Iterator<Item = f64> + use<> {
        let wanted = self.depth(column) / self.layer + *owed;
        let ground = self.ground(self.middle(column));
        let [bottom, top] = filled(self.pool, ground);
        let room = ((top - bottom) / self.layer).max(0.0);
        let most = (room / CLOSEST).max(f64::from(u8::from(wanted >= 0.5 && room > 0.0)));
        let count = wanted.round().clamp(0.0, most.floor()) as usize;
        *owed = wanted - count as f64;
        let whole = count.saturating_sub(GIVING);
        let (layer, lowest) = (self.layer, ground + KEPT * self.spacing);
        let giving = (room - whole as f64) / (count - whole).max(1) as f64;
        (0..count).map(move |k| {
            let below = if k < whole {
                k as f64 + 0.5
            } else {
                whole as f64 + (k - whole) as f64 * giving + 0.5 * giving
            };
            (top - below * layer).max(lowest)
        })
    }
}
