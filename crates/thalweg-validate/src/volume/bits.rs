//! Same bits, however they are computed.

use crate::{Check, Checks, Stopped};
use thalweg_field::{Frame, Grid2, Heightfield};
use thalweg_terrain::marching_cubes::Surface;
use thalweg_terrain::volume::{Cavern, NoiseLayer, Terraces, Tube, VolumeRecipe, openness};

/// All numbers of a volume with everything in it, of its surface and of the light on it.
fn run() -> Result<Vec<u32>, Stopped> {
    let level = Heightfield { height: Grid2::filled(70, 50, 12.0), frame: Frame::with_cell(0.5) };
    let recipe = VolumeRecipe {
        height: 24.0,
        noises: vec![NoiseLayer { sharpness: 1.3, ..NoiseLayer::default() }],
        terraces: Some(Terraces::default()),
        caverns: vec![Cavern::default()],
        tubes: vec![Tube { blend: 1.0, ..Tube::default() }],
        ..VolumeRecipe::default()
    };
    let (volume, floating) = recipe.build(&level, 5)?;
    let mesh = Surface::of(&volume).mesh();
    let open = openness(&volume, &mesh.positions, &mesh.normals);
    let corners = mesh.positions.iter().chain(&mesh.normals).flatten().copied();
    let numbers = volume.numbers().chain(corners).chain(open).chain([floating.rock as f32]).map(f32::to_bits);
    Ok(numbers.chain(mesh.triangles.into_iter().flatten()).collect())
}

pub(super) fn threads() -> Checks {
    let alone = run()?;
    let mut checks = Vec::new();
    #[cfg(not(target_arch = "wasm32"))]
    for count in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build()?;
        let other = pool.install(run)?;
        let differing =
            alone.iter().zip(&other).filter(|(a, b)| a != b).count() + alone.len().abs_diff(other.len());
        let check =
            Check::new(format!("numbers that differ with {count} threads"), "-", "places decide alone");
        checks.push(check.near(differing as f64, 0.0, 0.0));
    }
    let check = Check::new("numbers of the volume, its surface and its light", "-", "there are some");
    checks.push(check.at_least(alone.len() as f64, 10_000.0));
    Ok(checks)
}
