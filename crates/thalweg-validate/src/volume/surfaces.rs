//! What holds for any surface.

use super::measure::edges;
use crate::{Check, Checks};
use thalweg_field::random::Key;
use thalweg_terrain::marching_cubes::Surface;
use thalweg_terrain::volume::Volume;

/// Voxels full of noise: all cases of marching cubes lie side by side.
fn random(size: [usize; 3], seed: u64) -> Result<Volume, thalweg_field::Invalid> {
    let mut volume = Volume::empty(size, 1.0, 0.0)?;
    let key = Key::new(seed);
    for n in 0..size.iter().product() {
        let at = [n % size[0], n / size[0] % size[1], n / size[0] / size[1]];
        volume.set_share(at, key.with(n as u64).unit() as f32);
    }
    Ok(volume)
}

pub(super) fn closed() -> Checks {
    let (mut open, mut hit) = (0, [false; 256]);
    for seed in 0..4 {
        let size = [29, 18, 23];
        let volume = random(size, seed)?;
        open += edges(&Surface::of(&volume).mesh())[1];
        for n in 0..size.iter().product::<usize>() as isize {
            let at = [n % 29, n / 29 % 18, n / 29 / 18];
            let rock = |corner: isize| {
                volume.share([at[0] + (corner & 1), at[1] + (corner >> 1 & 1), at[2] + (corner >> 2)]) > 0.5
            };
            hit[(0..8).fold(0, |case, n| case | usize::from(rock(n)) << n)] = true;
        }
    }
    let cases = hit.iter().filter(|&&hit| hit).count() as f64;
    Ok(vec![
        Check::new("edges without two triangles", "-", "a closed surface").near(open as f64, 0.0, 0.0),
        Check::new("cases that occurred", "-", "eight corners of rock or air").near(cases, 256.0, 0.0),
    ])
}

pub(super) fn update() -> Checks {
    let mut volume = random([50, 40, 37], 7)?;
    let mut surface = Surface::of(&volume);
    let key = Key::new(9);
    for round in 0..30 {
        let key = key.with(round);
        let first: [usize; 3] = std::array::from_fn(|axis| {
            (key.with(axis as u64).unit() * (volume.size()[axis] - 4) as f64) as usize
        });
        for n in 0..64 {
            let at = [n % 4, n / 4 % 4, n / 16];
            let at: [usize; 3] = std::array::from_fn(|axis| first[axis] + at[axis]);
            volume.set_share(at, key.with(100 + n as u64).unit() as f32);
        }
        surface.update(&volume, first, first.map(|n| n + 3));
    }
    let same = f64::from(u8::from(surface == Surface::of(&volume)));
    let check =
        Check::new("whether 30 local changes give the surface of the whole", "-", "both are the same");
    Ok(vec![check.near(same, 1.0, 0.0)])
}
