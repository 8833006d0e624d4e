//! A jet on rock: what runs straight into the ground wears it, whichever way it faces.

use crate::{Check, Checks, Stopped};
use thalweg_coupling::{Emitter, ErosionParams, Params, ParticleWater, Setting, Shape, Terrain};
use thalweg_field::{Edge, Edges, Frame, Grid2, Heightfield};
use thalweg_sph::FluidParams;
use thalweg_terrain::volume::Volume;

/// Voxels along each side of the box, and their side `[m]`.
const COUNT: usize = 40;
const VOXEL: f64 = 0.05;
/// Where the rock ends, and the mouth before it; the radius of the jet, and how far around its axis depths are looked up `[m]`.
const FACE: f64 = 1.0;
const MOUTH: f64 = 1.5;
const RADIUS: f64 = 0.15;
const CORE: f64 = 0.1;
/// Speed of the jet `[m/s]`, how long it wears, and how long it takes to come `[s]`.
const SPEED: f64 = 6.0;
const END: f64 = 0.4;
const COMING: f64 = (MOUTH - FACE) / SPEED;
/// Erosion strength `[s/m]`: so weak that the rock stays nearly level.
const STRENGTH: f64 = 0.2;

/// A jet along an axis, towards where that begins.
fn emitter(axis: usize) -> Emitter {
    let (mut at, mut velocity) = ([0.5 * COUNT as f64 * VOXEL; 3], [0.0; 3]);
    (at[axis], velocity[axis]) = (MOUTH, -SPEED);
    Emitter::new(Shape::Disc { at, radius: RADIUS }, velocity)
}

/// Rock that faces an axis.
fn rock(axis: usize) -> Result<Volume, Stopped> {
    Ok(Volume::from_depths([COUNT; 3], VOXEL, 0.0, |start, row| {
        for (n, depth) in row.iter_mut().enumerate() {
            let at = [start[0] + VOXEL * n as f64, start[1], start[2]];
            *depth = (FACE - at[axis]) as f32;
        }
    })?)
}

/// What a jet along an axis does to ground.
fn worn<'a>(ground: impl Into<Terrain<'a>>, axis: usize, blows: f64) -> Result<ParticleWater, Stopped> {
    let fluid = FluidParams { spacing: VOXEL, ..FluidParams::default() };
    let erosion = ErosionParams { blows, strength: Some(STRENGTH), talus: false, ..ErosionParams::default() };
    let params = Params { fluid, erosion, ..Params::default() };
    let edges = Edges { north: Edge::Open, east: Edge::Open, south: Edge::Open, west: Edge::Open };
    let setting = Setting { emitters: vec![emitter(axis)], edges, ..Setting::default() };
    let mut water = ParticleWater::new(ground, &params, &setting)?;
    while water.time() < END {
        water.advance(4)?;
    }
    Ok(water)
}

/// Mean depth that a volume lost along an axis around the middle of the jet `[m]`.
fn depth_lost(before: &Volume, water: &ParticleWater, axis: usize) -> f64 {
    let middle = 0.5 * COUNT as f64;
    let (mut lost, mut lines) = (0.0, 0.0);
    for n in 0..COUNT * COUNT {
        let across = [n % COUNT, n / COUNT];
        let away: f64 = across.iter().map(|&n| (n as f64 + 0.5 - middle).powi(2)).sum();
        if away.sqrt() * VOXEL > CORE {
            continue;
        }
        lines += 1.0;
        for along in 0..COUNT {
            let mut at = [0; 3];
            (at[axis], at[(axis + 1) % 3], at[(axis + 2) % 3]) = (along, across[0], across[1]);
            let at = at.map(|n| n as isize);
            let now = water.volume().map_or(0.0, |now| now.share(at));
            lost += f64::from(before.share(at) - now) * VOXEL;
        }
    }
    lost / lines
}

/// A jet on a floor and on a wall, where blows count, and on the same floor as heights.
pub(super) fn jet() -> Checks {
    const COOK: &str = "highest stress around a jet (Hanson & Cook 2004)";
    /// That over ρ v² `[-]`.
    const HIGHEST: f64 = 0.00416;
    let params = ErosionParams { strength: Some(STRENGTH), ..ErosionParams::default() };
    let soil = params.soil();
    let (mut eroded, mut stress) = ([0.0; 2], [0.0; 2]);
    let mut checks = Vec::new();
    for (n, (axis, name)) in [(2, "floor"), (0, "wall")].into_iter().enumerate() {
        let before = rock(axis)?;
        let water = worn(&before, axis, 1.0)?;
        eroded[n] = water.ledger().solids.eroded;
        let rate = depth_lost(&before, &water, axis) / (END - COMING);
        stress[n] = rate * soil.packing * params.sediment_density / STRENGTH + soil.critical_shear;
        let check = Check::new(format!("stress below the jet on a {name}"), "of ρ v²", COOK);
        // A mean over the core of the jet, of water that the rock has slowed already: less than the highest, and more than a third.
        checks.push(check.within(stress[n] / (1000.0 * SPEED * SPEED), HIGHEST / 3.0..=HIGHEST));
    }
    // From a wall the water falls, on a floor it spreads: around the jet they differ.
    let check = Check::new("stress below the jet on a wall", "Pa", "the same jet on a floor");
    checks.push(check.near_share(stress[1], stress[0], 0.1));
    let level =
        Heightfield { height: Grid2::filled(COUNT, COUNT, FACE as f32), frame: Frame::with_cell(VOXEL) };
    let heights = worn(&level, 2, 1.0)?.ledger().solids.eroded;
    let check = Check::new("grains eroded from a floor of voxels", "m³", "the same jet on heights");
    checks.push(check.near_share(eroded[0], heights, 0.1));
    let alone = worn(&rock(2)?, 2, 0.0)?.ledger().solids.eroded;
    let check = Check::new("the same where blows do not count", "of that", "nothing flows along the middle");
    checks.push(check.at_most(alone / eroded[0], 1.0));
    Ok(checks)
}
