//! Water at the beginning, and where more comes from.

use super::columns::{Columns, top_of};
use super::room::pool_volume;
use crate::ground::Ground;
use crate::params::Params;
use crate::setting::Setting;
use crate::solid::Body;
use thalweg_field::{Edge, Invalid, Pool, Top, require};
use thalweg_sph::{Emitter, FOREVER, Particle, RunningEmitter, Shape};

/// Volume of a particle at rest `[m³]`.
pub(super) fn particle_volume(params: &Params) -> f64 {
    params.fluid.particle_mass() / params.fluid.density
}

/// Refuses emitters in the rock.
pub(super) fn check_mouths(ground: &impl Ground, emitters: &[Emitter]) -> Result<(), Invalid> {
    for (i, emitter) in emitters.iter().enumerate() {
        let (field, middle) = match emitter.shape {
            Shape::Disc { at, .. } => ("at", at),
            Shape::Box { from, to } | Shape::Line { from, to } => {
                ("from", std::array::from_fn(|axis| 0.5 * (from[axis] + to[axis])))
            }
        };
        ground.check_mouth(&format!("emitter[{i}].{field}"), middle)?;
    }
    Ok(())
}

pub(super) fn running_emitters(
    emitters: &[Emitter],
    params: &Params,
    volume: f64,
) -> Result<Vec<RunningEmitter>, Invalid> {
    let running = |(i, emitter): (usize, &Emitter)| {
        let key = format!("emitter[{i}]");
        let running = RunningEmitter::new(emitter, &params.fluid, volume, &key)?;
        check_sediment(&format!("{key}.sediment"), emitter.sediment, params)?;
        Ok(running)
    };
    emitters.iter().enumerate().map(running).collect()
}

/// Refuses more sediment than fits, and sediment where nothing carries it.
fn check_sediment(key: &str, sediment: f64, params: &Params) -> Result<(), Invalid> {
    let most = if params.erosion.enabled { params.erosion.max_fraction } else { 0.0 };
    let remedy = if params.erosion.enabled {
        format!("it lies between 0 and erosion.max_fraction, {most}")
    } else {
        "with erosion.enabled = false water is clear: leave it out".into()
    };
    require((0.0..=most).contains(&sediment), key, sediment, remedy)
}

/// What is so close to a side of a pool is at it, for rounding, in cells `[-]`.
const WHOLE: f64 = 1.0e-6;
/// Layers of water that are expected to fall, at least `[-]`.
const LEAST_LAYERS: f64 = 10.0;

/// Beside a free side the pressure at the beginning grows from nothing over this share of the depth `[-]`: water that nothing holds
/// presses on nothing, and would be shot out if it did.
const FREE_SHARE: f64 = 0.5;

/// How far a place in a pool is from the nearest of its sides that nothing holds `[m]`; `held` tells whether a body does, beside a place of a
/// side, in a direction, at a height.
fn free_side(
    ground: &impl Ground,
    setting: &Setting,
    pool: &Pool,
    [x, y, z]: [f64; 3],
    held: &dyn Fn([f64; 2], [f64; 2], f64) -> bool,
) -> f64 {
    let extent = ground.extent().map(|range| range.map(f64::from));
    let [north, east, south, west] = setting.edges.sides();
    let sides = [
        (west, x - pool.from[0], [pool.from[0], y], extent[0][0] - pool.from[0]),
        (east, pool.to[0] - x, [pool.to[0], y], pool.to[0] - extent[0][1]),
        (south, y - pool.from[1], [x, pool.from[1]], extent[1][0] - pool.from[1]),
        (north, pool.to[1] - y, [x, pool.to[1]], pool.to[1] - extent[1][1]),
    ];
    let free = sides.into_iter().filter(|(edge, away, at, beyond)| {
        let outwards = if *away > 0.0 { WHOLE * ground.cell() } else { 0.0 };
        let next = [at[0] + outwards * (at[0] - x).signum(), at[1] + outwards * (at[1] - y).signum()];
        let walled = *edge == Edge::Closed && *beyond >= -WHOLE * ground.cell();
        let wet = || {
            let top = ground.top(next[0], next[1]);
            setting.water.iter().any(|pool| holds(pool, [next[0], next[1], z], top))
        };
        let out = [
            (at[0] - x).signum() * f64::from(u8::from(at[0] != x)),
            (at[1] - y).signum() * f64::from(u8::from(at[1] != y)),
        ];
        !walled && !ground.holds([next[0], next[1], z]) && !wet() && !held(*at, out, z)
    });
    free.map(|(_, away, ..)| away).fold(f64::INFINITY, f64::min)
}

/// Whether a place is within a pool over ground of some height.
fn holds(pool: &Pool, at: [f64; 3], ground: f64) -> bool {
    let bottom = pool.bottom.unwrap_or(ground);
    let (low, high) = (pool.from, pool.to);
    (0..2).all(|axis| (low[axis]..high[axis]).contains(&at[axis]))
        && (bottom..top_of(pool, ground)).contains(&at[2])
}

/// Water at the beginning, but where bodies and the walls of emitters are; each particle with the height of the water that presses on it `[m]`.
pub(super) fn initial_particles(
    ground: &impl Ground,
    params: &Params,
    setting: &Setting,
    (emitters, bodies): (&[RunningEmitter], &[Body]),
) -> Result<Vec<(f64, Particle)>, Invalid> {
    let volume = particle_volume(params);
    let walled = |at: [f64; 3]| {
        emitters.iter().any(|emitter| emitter.is_walled(at)) || bodies.iter().any(|body| body.keeps_out(at))
    };
    // Just beyond the side of a pool.
    let beside = 0.25 * params.fluid.spacing;
    let held = |at: [f64; 2], out: [f64; 2], z: f64| {
        bodies.iter().any(|body| body.contains([at[0] + beside * out[0], at[1] + beside * out[1], z]))
    };
    let most = params.fluid.max_particles as usize;
    let mut particles = Vec::new();
    for (index, pool) in setting.water.iter().enumerate() {
        let key = |field: &str| format!("water[{index}].{field}");
        check_sediment(&key("sediment"), pool.sediment, params)?;
        let too_large = |need: f64| Invalid {
            key: key("to"),
            value: "too large".into(),
            remedy: format!(
                "{need:.3e} particles of {volume:.3e} m³ do not fit into fluid.max_particles = {most}; use a larger fluid.spacing"
            ),
        };
        let need = pool_volume(pool, ground.size(), ground.cell()) / volume;
        let deep = matches!(pool.top, Top::Depth(_)) || pool.bottom.is_some();
        let fits = need <= 1.1 * most as f64 + 1.0;
        if deep && !fits {
            return Err(too_large(need));
        }
        let columns = Columns::new(ground.extent(), pool, params.fluid.spacing, volume);
        // A later pool takes the place of an earlier one.
        let later = &setting.water[index + 1..];
        let replaced = |at: [f64; 3]| later.iter().any(|later| holds(later, at, ground.top(at[0], at[1])));
        ground.fill_pool((&format!("water[{index}]"), pool), &columns, &mut |at, top| {
            if replaced(at) || walled(at) {
                return Ok(());
            }
            if particles.len() >= most {
                return Err(too_large((particles.len() + 1) as f64));
            }
            let depth = (top - at[2]).max(0.0);
            let aside = free_side(ground, setting, pool, at, &held);
            particles.push((depth.min(aside / FREE_SHARE), particle(pool, at)));
            Ok(())
        })?;
    }
    Ok(particles)
}

/// A particle of a pool.
fn particle(pool: &Pool, at: [f64; 3]) -> Particle {
    Particle {
        position: at.map(|v| v as f32),
        velocity: pool.velocity.map(|v| v as f32),
        mass: 0.0,
        expires: pool.lifetime.map_or(FOREVER, |lifetime| lifetime as f32),
        compression: 0.0,
        tag: 0,
        cargo: pool.sediment,
    }
}

/// What the water was like at the beginning, as far as it matters later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beginning {
    /// How many particles there were.
    pub count: usize,
    /// How far they can fall `[m]`.
    fall: f64,
    /// How fast the fastest was `[m/s]`.
    speed: f64,
    /// Share of the muddiest that was sediment `[-]`.
    pub sediment: f64,
}

impl Beginning {
    pub(super) fn of(particles: &[(f64, Particle)], params: &Params) -> Self {
        let heights = particles.iter().map(|(_, p)| f64::from(p.position[2]));
        let (low, high) =
            heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), z| (low.min(z), high.max(z)));
        let speeds =
            particles.iter().map(|(_, p)| f64::from(p.velocity.iter().map(|v| v * v).sum::<f32>()).sqrt());
        Self {
            count: particles.len(),
            fall: (high - low).max(LEAST_LAYERS * params.fluid.spacing),
            speed: speeds.fold(0.0, f64::max),
            sediment: particles.iter().fold(0.0, |most: f64, (_, particle)| most.max(particle.cargo)),
        }
    }

    /// The fastest flow to be expected `[m/s]`: water that falls through its own height, leaves an emitter, or moves already.
    pub(super) fn expected_speed(&self, emitters: &[RunningEmitter], params: &Params) -> f64 {
        let falling = (2.0 * params.fluid.gravity * self.fall).sqrt();
        emitters.iter().map(RunningEmitter::speed).fold(falling.max(self.speed), f64::max)
    }

    /// Particles of the fluid that room is made for.
    pub(super) fn capacity(&self, emitters: &[RunningEmitter], params: &Params) -> usize {
        if emitters.is_empty() { self.count } else { params.fluid.max_particles as usize }
    }
}
