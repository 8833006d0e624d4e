//! Who drags whom, against a trial of all pairs.

use super::measure::{dot, minus, signed};
use super::setup::{HELD, fluid};
use crate::{Check, Checks};
use thalweg_coupling::StepError;
use thalweg_field::random::Key;
use thalweg_sph::{FOREVER, FluidParams, Particle, PressureSolver};

/// A cloud: places `[m]`, each with whether it is water.
type Cloud = Vec<([f32; 3], bool)>;

fn cloud(count: usize, seed: u64, place: impl Fn(Key) -> [f64; 3]) -> Cloud {
    let one = |i: usize| {
        let key = Key::new(seed).with(i as u64);
        (place(key).map(|v| v as f32), key.with(9).unit() < 0.7)
    };
    (0..count).map(one).collect()
}

/// One particle moves at a time, three along the three axes: it drags those within h and no others. That goes through the
/// sort, the search, the vectors that the density keeps for the forces, and the forces themselves.
pub(super) fn neighbours() -> Checks {
    let h = 0.05;
    let random = |side: f64, at: f64| move |key: Key| [0, 1, 2].map(|axis| at + side * key.with(axis).unit());
    let clouds: [(&str, Cloud); 9] = [
        ("1 particle", cloud(1, 1, random(0.1, 0.0))),
        ("2 particles", cloud(2, 2, random(0.03, -7.0))),
        ("17 particles", cloud(17, 3, random(0.09, 0.0))),
        ("600 particles", cloud(600, 4, random(0.3, 0.0))),
        ("dense clumps", {
            let clump = |key: Key| {
                let middle = [0, 1, 2].map(|axis| (4.0 * key.with(5 + axis).unit()).floor() * 0.031);
                std::array::from_fn(|axis| middle[axis] + 0.004 * signed(key, axis as u64))
            };
            cloud(600, 5, clump)
        }),
        ("thin sheet", cloud(500, 6, |key| [key.with(0).unit(), 0.4 * key.with(1).unit(), 0.013])),
        ("coincident x", cloud(500, 7, |key| [0.1, 0.3 * key.with(1).unit(), 0.3 * key.with(2).unit()])),
        ("on one spot", cloud(40, 8, |_| [0.3; 3])),
        ("at 100 m", cloud(500, 9, random(0.25, 100.0))),
    ];
    let mut checks = Vec::new();
    for (name, mut cloud) in clouds {
        if name == "at 100 m" {
            // Something far away, so that cells are counted from there.
            cloud.extend([([0.0, 100.0, 100.0], true), ([100.1, 100.0, 99.8], false)]);
        }
        let (found, differ) = differing_pairs(&cloud, h)?;
        let what = |what: &str| format!("{what}, {name}");
        checks.push(Check::new(what("pairs that differ"), "pairs", "every pair tried").near(
            differ as f64,
            0.0,
            0.0,
        ));
        let least = if name == "1 particle" { 0.0 } else { 1.0 };
        let check = Check::new(what("pairs found"), "pairs", "a comparison of nothing shows nothing");
        checks.push(check.at_least(found as f64, least));
    }
    Ok(checks)
}

/// What the pressure that is left does to a velocity is less, what the weakest drag does is more `[m/s]`.
const NOTHING: f32 = 1.0e-9;

/// Pairs of a particle of the fluid and any other that are within `h`, and pairs in which search and trial disagree.
fn differing_pairs(cloud: &Cloud, h: f64) -> Result<(usize, usize), StepError> {
    let params = FluidParams {
        spacing: 0.5 * h,
        radius: Some(h),
        viscosity: 1000.0,
        damping: 0.0,
        // No pressure, however close they are.
        sound_speed: Some(1.0e-18),
        gravity: 0.0,
        // Friction along all axes, and none by the way between two.
        pressure: PressureSolver::Summed,
        ..FluidParams::default()
    };
    let mut fluid = fluid(&params, 1.0);
    for &(at, wet) in cloud {
        if wet {
            fluid.add(at, [0.0; 3], FOREVER, 0.0);
        } else {
            fluid.add_boundary(at, [0.0; 3], 0, 1.0);
        }
    }
    let hh = f64::from(fluid.constants().h).powi(2);
    let (mut found, mut differ) = (0, 0);
    let count = cloud.len();
    for first in (0..count).step_by(3) {
        let particles = fluid.particles_mut();
        particles.velocity.iter_mut().for_each(|v| v.fill(0.0));
        for axis in 0..3.min(count - first) {
            particles.velocity[axis][first + axis] = 1.0;
        }
        let before: Vec<Particle> = (0..count).map(|i| particles.get(i)).collect();
        fluid.sort()?;
        fluid.compute_density();
        fluid.accelerate_and_move(&HELD, 1.0)?;
        let after = fluid.particles();
        for (i, old) in fluid.neighbours().order().enumerate() {
            if after.is_boundary(i) {
                continue;
            }
            for axis in 0..3.min(count - first) {
                let mover = first + axis;
                if mover == old {
                    continue;
                }
                let [a, b] = [old, mover].map(|i| before[i].position.map(f64::from));
                let away = minus(a, b);
                // A distance of h itself, to all digits of f32, is neither within nor beyond.
                let near = dot(away, away) / hh;
                if (near - 1.0).abs() < 1.0e-6 {
                    continue;
                }
                let change = after.velocity[axis][i] - before[old].velocity[axis];
                let (dragged, within) = (change.abs() > NOTHING, near < 1.0);
                found += usize::from(within);
                differ += usize::from(dragged != within);
            }
        }
    }
    Ok((found, differ))
}
