//! Shapes whose measures are known.

use super::measure::{area_and_volume, euler_characteristic};
use crate::{Check, Checks};
use std::f64::consts::PI;
use thalweg_field::{Frame, Grid2, Heightfield, random::Key};
use thalweg_terrain::marching_cubes::Surface;
use thalweg_terrain::volume::{BedRecipe, Perlin, StrataRecipe, Volume};

/// Voxels along each side.
const SIDE: usize = 64;

/// A volume by how deep places around its middle lie in the rock.
fn around_the_middle(depth: impl Fn([f64; 3]) -> f64 + Sync) -> Result<Volume, thalweg_field::Invalid> {
    let middle = SIDE as f64 / 2.0;
    Volume::from_depths([SIDE; 3], 1.0, 0.0, |[x, y, z], row| {
        for (n, out) in row.iter_mut().enumerate() {
            *out = depth([x + n as f64, y, z].map(|at| at - middle)) as f32;
        }
    })
}

pub(super) fn shapes() -> Checks {
    let ball = around_the_middle(|p| 24.0 - p.iter().map(|x| x * x).sum::<f64>().sqrt())?;
    let ring = around_the_middle(|[x, y, z]| {
        let out = (x * x + y * y).sqrt() - 20.0;
        8.0 - (out * out + z * z).sqrt()
    })?;
    let exact = [
        ("ball", &ball, [4.0 * PI * 576.0, 4.0 / 3.0 * PI * 13_824.0], 2),
        ("ring", &ring, [4.0 * PI * PI * 160.0, 2.0 * PI * PI * 1280.0], 0),
    ];
    let mut checks = Vec::new();
    for (name, volume, [area, inside], euler) in exact {
        let mesh = Surface::of(volume).mesh();
        let found = area_and_volume(&mesh);
        let source = "geometry";
        checks.push(Check::new(format!("area of the {name}"), "m²", source).near_share(found[0], area, 0.01));
        checks.push(
            Check::new(format!("volume of the {name}"), "m³", source).near_share(found[1], inside, 0.01),
        );
        let told = Check::new(format!("Euler characteristic of the {name}"), "-", "topology");
        checks.push(told.near(euler_characteristic(&mesh) as f64, f64::from(euler), 0.0));
    }
    Ok(checks)
}

pub(super) fn heightfield() -> Checks {
    let noise = Perlin::new(Key::new(2), 12.0);
    let cell = 2.0;
    let ground = Heightfield {
        height: Grid2::from_fn(60, 45, |col, row| {
            let mut value = [0.0];
            noise.row([col as f64, row as f64, 0.0], 1.0, &mut value);
            100.0 + 9.0 * value[0] + 0.4 * col as f32
        }),
        frame: Frame::with_cell(cell),
    };
    let back = Volume::from_heightfield(&ground, 60.0, 48)?.heightfield();
    let away = ground.height.values().iter().zip(back.height.values()).map(|(a, b)| f64::from((a - b).abs()));
    let check = |what: &str| {
        Check::new(format!("height that is off after the way through a volume, {what}"), "m", "half a voxel")
    };
    Ok(vec![
        check("at most").at_most(away.clone().fold(0.0, f64::max), 0.5 * cell),
        // The largest would not tell of what is no number.
        check("all together").at_most(away.sum(), 0.5 * cell * ground.height.values().len() as f64),
    ])
}

/// Across the beds, every bed takes its share of the way.
pub(super) fn strata() -> Checks {
    let bed = |thickness, hardness| BedRecipe { thickness, hardness, ..BedRecipe::default() };
    let beds = vec![bed(3.0, 0.25), bed(1.0, 0.5), bed(6.0, 0.75)];
    let strata = StrataRecipe { dip: 0.3, towards: 1.0, fold: 2.0, fold_length: 40.0, beds }.build(4);
    let mut checks = Vec::new();
    for (hardness, share) in [(0.25, 0.3), (0.5, 0.1), (0.75, 0.6)] {
        let inside = |n: &u32| strata.hardness([17.0, 5.0, 0.001 * f64::from(*n)]) == hardness;
        let found = (0..1_000_000).filter(inside).count() as f64 / 1.0e6;
        let check =
            Check::new(format!("share of rock with hardness {hardness}"), "-", "thickness of the beds");
        // A thousand metres are a hundred piles, cut off within one.
        checks.push(check.near(found, share, 1.0e-4));
    }
    Ok(checks)
}
