//! What memory water of particles takes, and whether its water is near enough together to be searched.

use super::ParticleWater;
use super::fixtures::bodies;
use crate::bed::Bed;
use crate::bed_flow::BedFlow;
use crate::boundary_tiles::BoundaryTiles;
use crate::params::Params;
use crate::sediment::Sediment;
use crate::setting::Setting;
use crate::solid::Body;
use thalweg_field::{Heightfield, Invalid, Pool, Top};
use thalweg_sph::neighbours::Neighbours;
use thalweg_sph::{BoundaryFactors, Shape};

/// Particles of the boundary for each of the fluid that memory is planned for, at worst.
const BOUNDARY_SHARE: u64 = 1;
/// Bytes for each vertex of the bed.
const BYTES_PER_VERTEX: u64 = 84 + BedFlow::BYTES;
/// Most particles of both kinds: their numbers have 28 bits, and whole vectors are read behind the last.
const MOST_OF_BOTH: u64 = (1 << 28) - 1024;

/// Two corners of a box: lowest and highest coordinates `[m]`.
type Corners = [[f64; 3]; 2];

impl ParticleWater {
    /// Bytes that it needs at worst; a complaint about water that is too far away to be searched.
    pub fn memory(ground: &Heightfield, params: &Params, setting: &Setting) -> Result<u64, Invalid> {
        let bed = Bed::new(ground);
        let boundary = boundary_tiles(&bed, params, setting, 0);
        let spread = check_spread(&bed, &boundary, params, setting)?;
        let most = most_particles(ground, params, setting);
        let each = bytes_each(params);
        let solid: usize = bodies(&setting.solids, params)?.iter().map(Body::count).sum();
        let fixed = spread + ground.height.len() as u64 * BYTES_PER_VERTEX + solid as u64 * each;
        Ok(fixed.saturating_add(most.saturating_mul(each * (1 + BOUNDARY_SHARE))))
    }
}

/// Bytes for each particle of either kind.
fn bytes_each(params: &Params) -> u64 {
    ParticleWater::bytes_per_particle(params.erosion.enabled) + Sediment::more_bytes(params)
}

/// Boundary particles that memory leaves room for beside so many of the fluid.
pub(super) fn boundary_room(bed: &Bed, params: &Params, setting: &Setting, beside: usize) -> usize {
    let each = bytes_each(params);
    let fixed = bed.heights().len() as u64 * BYTES_PER_VERTEX + beside as u64 * each;
    let room = setting.max_bytes.map_or(u64::MAX, |bytes| bytes.saturating_sub(fixed) / each);
    room.min(MOST_OF_BOTH - beside as u64) as usize
}

/// Where boundary particles will be, beside so many of the fluid.
pub(super) fn boundary_tiles(bed: &Bed, params: &Params, setting: &Setting, beside: usize) -> BoundaryTiles {
    let room = boundary_room(bed, params, setting, beside);
    let reach = 2.0 * params.fluid.smoothing_radius();
    let mut tiles = BoundaryTiles::new(
        bed,
        [params.bed_spacing(), params.boundary_depth()],
        BoundaryFactors::layers(&params.fluid),
        reach,
        setting.edges.sides(),
        room,
    );
    tiles.join(bed, params.periodic.joined());
    tiles
}

/// Particles of the fluid, at most.
pub(super) fn most_particles(ground: &Heightfield, params: &Params, setting: &Setting) -> u64 {
    let (size, cell) = ([ground.height.cols(), ground.height.rows()], ground.frame.cell);
    let pools: f64 = setting.water.iter().map(|pool| pool_volume(pool, size, cell)).sum();
    let start = (pools / params.fluid.spacing.powi(3)).min(1.0e15) as u64;
    if setting.emitters.is_empty() { start } else { start.max(params.fluid.max_particles.into()) }
}

/// Bytes for the search over all water at the beginning and all emitters, and for the walls around it. The complaint names
/// what is too far from the rest.
pub(super) fn check_spread(
    bed: &Bed,
    boundary: &BoundaryTiles,
    params: &Params,
    setting: &Setting,
) -> Result<u64, Invalid> {
    let h = params.fluid.smoothing_radius();
    let pools = setting.water.iter().enumerate().map(|(i, pool)| {
        let field = match (pool.bottom, pool.top) {
            (Some(_), _) => "bottom",
            (None, Top::Level(_)) => "level",
            (None, Top::Depth(_)) => "depth",
        };
        (format!("water[{i}].{field}"), around_pool(bed, pool))
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
            .and_then(|grid| Some(grid + boundary.wall_bytes(bed, high[2] + h)?));
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
fn around_pool(bed: &Bed, pool: &Pool) -> Option<Corners> {
    let extent = bed.extent().map(|range| range.map(f64::from));
    let sides: [[f64; 2]; 2] = std::array::from_fn(|axis| {
        [pool.from[axis].max(extent[axis][0]), pool.to[axis].min(extent[axis][1])]
    });
    if sides.iter().any(|[low, high]| low > high) {
        return None;
    }
    // Vertices below it, and those next to them.
    let cells = |axis: usize| {
        let [low, high] = sides[axis].map(|v| (v / bed.cell - 0.5).max(0.0));
        low as usize..(high.ceil() as usize + 1).min(bed.size[axis])
    };
    let row = |j: usize| &bed.heights()[j * bed.size[0]..][cells(0)];
    let heights = cells(1).flat_map(row).map(|&h| f64::from(h));
    let [lowest, highest] =
        heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], h| [low.min(h), high.max(h)]);
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
