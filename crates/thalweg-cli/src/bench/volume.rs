//! How fast volumes of ground are made, and their surfaces found.

use super::{Case, Machine, Row, best};
use crate::Failure;
use std::collections::BTreeMap;
use thalweg::field::random::Key;
use thalweg::field::{Frame, Grid2, Heightfield};
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
    recipe.build(&ground, 1).map_err(Failure::run)
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
