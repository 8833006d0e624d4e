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
    let (noise, crags) = (Perlin::new(Key::new(2), 12.0), Perlin::new(Key::new(3), 2.5));
    let cell = 2.0;
    // Hills with crags, and a cliff of 15 voxels.
    let height = |east: f64, north: f64| {
        let mut values = [[0.0]; 2];
        noise.row([east, north, 0.0], 1.0, &mut values[0]);
        crags.row([east, north, 0.0], 1.0, &mut values[1]);
        let cliff = if east + 0.3 * north > 40.0 { 30.0 } else { 0.0 };
        100.0 + 9.0 * values[0][0] + 3.0 * values[1][0] + 0.4 * east as f32 + cliff
    };
    let ground = Heightfield {
        height: Grid2::from_fn(60, 45, |col, row| height(col as f64, row as f64)),
        frame: Frame::with_cell(cell),
    };
    let volume = Volume::from_heightfield(&ground, 60.0, 60)?;
    let told = |what: &str| {
        let what = format!("heights that come back from {what} more than half a voxel off, or not at all");
        Check::new(what, "-", "half a voxel")
    };
    let mut checks = Vec::new();
    let (lost, worst) = lost(&ground, &volume.heightfield().height);
    checks.push(told("their volume").near(lost as f64, 0.0, 0.0));
    let check = Check::new("height that is off after the way through a volume, at most", "m", "half a voxel");
    checks.push(check.at_most(worst, 0.5 * cell));
    // Bytes, as other programs keep volumes, tell less of the surface.
    let mut coarse = volume.clone();
    let [east, north, up] = volume.size();
    for n in 0..east * north * up {
        let at = [n % east, n / east % north, n / east / north];
        let share = volume.share(at.map(|n| n as isize));
        coarse.set_share(at, (share * 255.0).round() / 255.0);
    }
    let (lost_of_bytes, worst) = self::lost(&ground, &coarse.heightfield().height);
    checks.push(told("a volume in bytes").near(lost_of_bytes as f64, 0.0, 0.0));
    let check = Check::new("the same where the shares are bytes, at most", "m", "half a voxel");
    checks.push(check.at_most(worst, 0.5 * cell));
    // What all of this is worth: a volume that lies a voxel too high loses every height.
    let raised =
        Volume::from_heightfield(&ground, 60.0 - cell, 60)?.heightfield().height.map(|h| h + cell as f32);
    let (all, _) = self::lost(&ground, &raised);
    let check = Check::new("the same of a volume that lies a voxel too high", "-", "half a voxel");
    checks.push(check.near(all as f64, ground.height.len() as f64, 0.0));
    Ok(checks)
}

/// How many heights came back more than half a cell off, or as no number, and how far the worst is off `[m]`.
fn lost(ground: &Heightfield, back: &Grid2<f32>) -> (usize, f64) {
    let away = || ground.height.values().iter().zip(back.values()).map(|(a, b)| f64::from((a - b).abs()));
    // What is no number is at most nothing.
    let near = away().filter(|&away| away <= 0.5 * ground.frame.cell).count();
    let worst =
        away().fold(0.0, |worst: f64, away| if worst.is_nan() || away < worst { worst } else { away });
    (ground.height.len().max(back.len()) - near, worst)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Heights that are off or are no numbers do not pass for heights that came back.
    #[test]
    fn a_height_that_does_not_come_back_is_lost() {
        let ground = Heightfield { height: Grid2::filled(3, 2, 5.0), frame: Frame::with_cell(2.0) };
        let mut back = ground.height.clone();
        assert_eq!(lost(&ground, &back), (0, 0.0));
        back.values_mut()[1] = 6.5;
        assert_eq!(lost(&ground, &back), (1, 1.5));
        back.values_mut()[4] = f32::NAN;
        let (count, worst) = lost(&ground, &back);
        assert!(count == 2 && worst.is_nan(), "{count} lost, {worst} m");
        assert_eq!(lost(&ground, &Grid2::filled(3, 1, 5.0)).0, 3);
    }
}
