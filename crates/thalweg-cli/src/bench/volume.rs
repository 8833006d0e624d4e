//! How fast volumes of ground are made, and their surfaces found.

use super::{Case, Machine, Row, best};
use crate::Failure;
use std::collections::BTreeMap;
use std::time::Instant;
use thalweg::coupling::{Params, ParticleWater, Setting, Terrain};
use thalweg::field::random::Key;
use thalweg::field::{Frame, Grid2, Heightfield, Pool, Top};
use thalweg::terrain::marching_cubes::Surface;
use thalweg::terrain::volume::{NoiseLayer, Perlin, Volume, VolumeRecipe};

const REPEATS: usize = 7;
/// Side of a voxel `[m]`.
const VOXEL: f64 = 0.25;
/// Voxels along each side of the volume whose surface is found, and of the one that is made.
const DENSE: usize = 256;
const LIVE: usize = 128;
/// Voxels along each side of what is changed.
const DENT: usize = 8;
/// Particles that are put on a volume and on heights, about, and steps in one repeat.
const PARTICLES: f64 = 50_000.0;
const STEPS: u64 = 40;

pub(super) fn cases() -> Vec<Case> {
    let case = |name: &str, measure: fn(usize) -> Result<Row, Failure>| Case {
        name: format!("volume/{name}"),
        run: Box::new(move |machine: &Machine| {
            let threads = if machine.cores > 1 { vec![1, machine.cores] } else { vec![1] };
            let on = |threads| {
                let pool =
                    rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::run)?;
                pool.install(|| measure(threads))
            };
            threads.into_iter().map(on).collect()
        }),
    };
    vec![
        case("noise", noise),
        case("terrain", terrain),
        case("marching-cubes", marching_cubes),
        case("change", change),
        case("water", |threads| particles(threads, false)),
        case("erosion", |threads| particles(threads, true)),
    ]
}

/// Ground that noise tears into overhangs and hollows.
fn recipe(size: usize) -> (VolumeRecipe, Heightfield) {
    let extent = size as f64 * VOXEL;
    let noise = NoiseLayer { magnitude: 0.2 * extent, wavelength: 0.4 * extent, ..NoiseLayer::default() };
    let recipe = VolumeRecipe { height: extent, bias: 0.7, noises: vec![noise], ..VolumeRecipe::default() };
    let height = Grid2::filled(size, size, (0.5 * extent) as f32);
    (recipe, Heightfield { height, frame: Frame::with_cell(VOXEL) })
}

fn built(size: usize) -> Result<Volume, Failure> {
    let (recipe, ground) = recipe(size);
    Ok(recipe.build(&ground, 1).map_err(Failure::run)?.0)
}

fn row(case: &str, size: usize, threads: usize, [items, seconds]: [f64; 2], unit: &'static str) -> Row {
    Row {
        solver: "volume",
        case: case.into(),
        size: format!("{size}^3"),
        threads,
        backend: "cpu".into(),
        throughput: items / seconds,
        unit,
        stages_ms: BTreeMap::from([("once", seconds * 1.0e3)]),
        ..Row::default()
    }
}

/// One octave of noise on a whole volume, on as many threads as there are.
fn noise(threads: usize) -> Result<Row, Failure> {
    let noise = Perlin::new(Key::new(1), 24.0 * VOXEL);
    let mut rows = vec![0.0; LIVE * LIVE * LIVE];
    let seconds = best(REPEATS, || {
        thalweg::field::band::for_each_chunk(&mut rows, LIVE, |row, values| {
            let [north, up] = [row % LIVE, row / LIVE].map(|n| n as f64 * VOXEL);
            noise.row([0.0, north, up], VOXEL, values);
        });
        Ok(())
    })?;
    Ok(row("noise", LIVE, threads, [rows.len() as f64, seconds], "samples/s"))
}

/// A volume from its recipe, with four octaves.
fn terrain(threads: usize) -> Result<Row, Failure> {
    let seconds = best(REPEATS, || built(LIVE).map(drop))?;
    Ok(row("terrain", LIVE, threads, [(LIVE as f64).powi(3), seconds], "voxels/s"))
}

/// The whole surface of a volume that has some in every block, and its mesh.
fn marching_cubes(threads: usize) -> Result<Row, Failure> {
    let mut volume = built(DENSE)?;
    volume.make_dense();
    let seconds = best(REPEATS, || {
        std::hint::black_box(Surface::of(&volume).mesh());
        Ok(())
    })?;
    Ok(row("marching-cubes", DENSE, threads, [(DENSE as f64).powi(3), seconds], "cells/s"))
}

/// The surface around a small change.
fn change(threads: usize) -> Result<Row, Failure> {
    let mut volume = built(DENSE)?;
    let mut surface = Surface::of(&volume);
    let first = [DENSE / 2 - DENT / 2; 3];
    let last = first.map(|n| n + DENT - 1);
    let mut round = 0_u16;
    let seconds = best(REPEATS, || {
        round += 1;
        for n in 0..DENT * DENT * DENT {
            let at = [n % DENT, n / DENT % DENT, n / DENT / DENT];
            let share = ((n * usize::from(round)) % 17) as f32 / 16.0;
            volume.set_share(std::array::from_fn(|axis| first[axis] + at[axis]), share);
        }
        surface.update(&volume, first, last);
        Ok(())
    })?;
    Ok(row("change", DENSE, threads, [(DENT as f64).powi(3), seconds], "voxels/s"))
}

/// Water on a rough volume; the ratio is that of its speed to the same water's on the heights that the volume is made of.
fn particles(threads: usize, erodes: bool) -> Result<Row, Failure> {
    let mut params = Params::default();
    params.erosion.enabled = erodes;
    let (spacing, wide) = (params.fluid.spacing, PARTICLES.cbrt().round());
    let cell = 2.0 * spacing;
    // Twice as long as wide, half as deep.
    let [cols, rows] = [wide as usize + 1, wide as usize / 2 + 1];
    let rough = |col: usize, row: usize| 0.3 * spacing as f32 * ((col * 7 + row * 13) % 5) as f32;
    let ground = Heightfield { height: Grid2::from_fn(cols, rows, rough), frame: Frame::with_cell(cell) };
    let up = (0.25 * wide) as usize + 12;
    let volume = Volume::from_heightfield(&ground, -6.0 * cell, up).map_err(Failure::run)?;
    let pool = Pool {
        from: [0.0; 2],
        to: [1.0e9; 2],
        bottom: None,
        top: Top::Level((0.5 * wide + 0.6) * spacing),
        velocity: [1.0, 0.3, 0.0],
        sediment: if erodes { 0.05 } else { 0.0 },
        lifetime: None,
    };
    let setting = Setting { water: vec![pool], ..Setting::default() };
    let new = |terrain: Terrain| ParticleWater::new(terrain, &params, &setting).map_err(Failure::run);
    let mut waters = [new(Terrain::Heights(&ground))?, new(Terrain::Volume(&volume))?];
    let mut fastest = [f64::INFINITY; 2];
    // In turn, so that both see the same machine.
    for _ in 0..REPEATS {
        for (water, fastest) in waters.iter_mut().zip(&mut fastest) {
            let clock = Instant::now();
            water.advance(STEPS).map_err(Failure::run)?;
            *fastest = fastest.min(clock.elapsed().as_secs_f64());
        }
    }
    let count = waters[1].particle_count() as f64;
    let case = if erodes { "erosion" } else { "water" };
    Ok(Row {
        size: count.to_string(),
        heights_ratio: Some(fastest[0] / fastest[1]),
        ..row(case, 0, threads, [count * STEPS as f64, fastest[1]], "particles*steps/s")
    })
}
