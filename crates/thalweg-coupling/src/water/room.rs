//! What memory water of particles takes, and whether its water is near enough together to be searched.

use super::fixtures::bodies;
use super::{ParticleWater, ground_of};
use crate::ground::Ground;
use crate::params::Params;
use crate::sediment::Sediment;
use crate::setting::{Setting, Terrain};
use crate::solid::Body;
use thalweg_field::{Invalid, Pool, Top};
use thalweg_sph::Shape;
use thalweg_sph::neighbours::Neighbours;

/// Particles of the boundary for each of the fluid that memory is planned for, at worst.
const BOUNDARY_SHARE: u64 = 1;
/// Most particles of both kinds: their numbers have 28 bits, and whole vectors are read behind the last.
const MOST_OF_BOTH: u64 = (1 << 28) - 1024;

/// Two corners of a box: lowest and highest coordinates `[m]`.
type Corners = [[f64; 3]; 2];

impl ParticleWater {
    /// Bytes that it needs at worst; a complaint about water that is too far away to be searched.
    pub fn memory<'a>(
        terrain: impl Into<Terrain<'a>>,
        params: &Params,
        setting: &Setting,
    ) -> Result<u64, Invalid> {
        let ground = ground_of(terrain.into(), params, setting)?;
        let spread = check_spread(&ground, params, setting)?;
        let most = most_particles(&ground, params, setting);
        let each = bytes_each(params);
        let solid: usize = bodies(&setting.solids, params)?.iter().map(Body::count).sum();
        let fixed = spread + ground.bytes() + solid as u64 * each;
        Ok(fixed.saturating_add(most.saturating_mul(each * (1 + BOUNDARY_SHARE))))
    }
}

/// Bytes for each particle of either kind.
fn bytes_each(params: &Params) -> u64 {
    ParticleWater::bytes_per_particle(params.erosion.enabled) + Sediment::more_bytes(params)
}

/// Boundary particles that memory leaves room for beside so many of the fluid.
pub(super) fn boundary_room(
    ground: &impl Ground,
    params: &Params,
    setting: &Setting,
    beside: usize,
) -> usize {
    let each = bytes_each(params);
    let fixed = ground.bytes() + beside as u64 * each;
    let room = setting.max_bytes.map_or(u64::MAX, |bytes| bytes.saturating_sub(fixed) / each);
    room.min(MOST_OF_BOTH - beside as u64) as usize
}

/// Particles of the fluid, at most.
pub(super) fn most_particles(ground: &impl Ground, params: &Params, setting: &Setting) -> u64 {
    let (size, cell) = (ground.size(), ground.cell());
    let pools: f64 = setting.water.iter().map(|pool| pool_volume(pool, size, cell)).sum();
    let start = (pools / params.fluid.spacing.powi(3)).min(1.0e15) as u64;
    if setting.emitters.is_empty() { start } else { start.max(params.fluid.max_particles.into()) }
}

/// Bytes for the search over all water at the beginning and all emitters, and for the walls around it. The complaint names
/// what is too far from the rest.
pub(super) fn check_spread(ground: &impl Ground, params: &Params, setting: &Setting) -> Result<u64, Invalid> {
    let h = params.fluid.smoothing_radius();
    let pools = setting.water.iter().enumerate().map(|(i, pool)| {
        let field = match (pool.bottom, pool.top) {
            (Some(_), _) => "bottom",
            (None, Top::Level(_)) => "level",
            (None, Top::Depth(_)) => "depth",
        };
        (format!("water[{i}].{field}"), around_pool(ground, pool))
    });
    let emitters = setting.emitters.iter().enumerate().map(|(i, emitter)| {
        let (field, corners) = match emitter.shape {
            Shape::Disc { at, radius } => ("at", [at.map(|v| v - radius), at.map(|v| v + radius)]),
            Shape::Box { from, to } | Shape::Line { from, to } => ("to", [from, to]),
        };
        (format!("emitter[{i}].{field}"), Some(corners))
    });
    let mut bytes = 0;
    let mut all: Option<Corners> = None;
    for (key, corners) in pools.chain(emitters) {
        let Some(corners) = corners else { continue };
        let joined = all.map_or(corners, |all| join(all, corners));
        let [low, high] = joined;
        let need = Neighbours::grid_bytes(low, high, h)
            .ok()
            .and_then(|grid| Some(grid + ground.walls().bytes(high[2] + h)?));
        let Some(need) = need else {
            let remedy = format!(
                "water from there on spreads from {low:.1?} to {high:.1?} m, which is too wide for a smoothing radius of \
                 {} m; bring it nearer to the rest and to the bed, or use a larger fluid.spacing",
                h as f32
            );
            return Err(Invalid { key, value: "too far away".into(), remedy });
        };
        (bytes, all) = (need, Some(joined));
    }
    Ok(bytes)
}

/// The box that holds two others.
fn join([a, b]: Corners, [c, d]: Corners) -> Corners {
    [std::array::from_fn(|axis| a[axis].min(c[axis])), std::array::from_fn(|axis| b[axis].max(d[axis]))]
}

/// The box around the water of a pool; none if it lies beside the terrain.
fn around_pool(ground: &impl Ground, pool: &Pool) -> Option<Corners> {
    let extent = ground.extent().map(|range| range.map(f64::from));
    let sides: [[f64; 2]; 2] = std::array::from_fn(|axis| {
        [pool.from[axis].max(extent[axis][0]), pool.to[axis].min(extent[axis][1])]
    });
    if sides.iter().any(|[low, high]| low > high) {
        return None;
    }
    let [lowest, highest] = ground.heights_within(sides);
    let bottom = pool.bottom.unwrap_or(lowest);
    let top = match pool.top {
        Top::Level(level) => level,
        Top::Depth(depth) => pool.bottom.unwrap_or(highest) + depth,
    };
    let [[west, east], [south, north]] = sides;
    Some([[west, south, bottom], [east, north, top.max(bottom)]])
}

/// Volume of the water in a pool, at most `[m³]`.
pub(super) fn pool_volume(pool: &Pool, size: [usize; 2], cell: f64) -> f64 {
    let side = |axis: usize| {
        let end = size[axis] as f64 * cell;
        (pool.to[axis].min(end) - pool.from[axis].max(0.0)).max(0.0)
    };
    let depth = match pool.top {
        Top::Depth(depth) => depth,
        // Where the bed is not known it is taken to be at the bottom, or not far below the level.
        Top::Level(level) => level - pool.bottom.unwrap_or(level - 0.25 * side(0).max(side(1))),
    };
    side(0) * side(1) * depth.max(0.0)
}
