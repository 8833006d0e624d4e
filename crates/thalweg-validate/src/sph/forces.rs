//! Forces against the plain program, and what they leave unchanged.

use super::measure::{cross, length, minus, position, signed, velocity, water};
use super::setup::{HELD, Space, fluid};
use crate::{Check, Checks};
use thalweg_field::random::Key;
use thalweg_sph::reference::{Plain, Point, weigh_boundary};
use thalweg_sph::{FOREVER, Fluid, FluidParams, Tension};

/// A blob of shaken lattice above two boundary layers that meet in an edge.
fn shaken_blob(fluid: &mut Fluid, spacing: f64, side: usize) {
    let key = Key::new(71);
    let place = |i: usize, j: usize, k: usize| {
        let key = key.with((i * side + j) as u64).with(k as u64);
        let shake = |axis: u64| 0.25 * spacing * signed(key, axis);
        [i, j, k].map(|n| (n as f64 + 0.5) * spacing).map(|v| v + shake((v * 1.0e4) as u64 % 97))
    };
    for i in 0..side {
        for j in 0..side {
            for k in 0..side {
                let v = key.with((i + side * (j + side * k)) as u64);
                let velocity = [0, 1, 2].map(|axis| signed(v, axis) as f32);
                fluid.add(place(i, j, k).map(|v| v as f32), velocity, FOREVER, 0.0);
            }
            let [a, b] = [i, j].map(|n| ((n as f64 + 0.3) * spacing) as f32);
            fluid.add_boundary([a, b, (-0.5 * spacing) as f32], [0.2, 0.0, 0.0], 0, 1.0);
            fluid.add_boundary([(-0.5 * spacing) as f32, a, b], [0.0; 3], 0, 1.0);
        }
    }
}

pub(super) fn reference() -> Checks {
    const SOURCE: &str = "plain sums over all pairs in f64, eqs. 1.25–1.41 of Kataev 2022";
    let thalweg = FluidParams::default();
    let kelager = FluidParams::kelager_water();
    let cases = [
        ("thalweg", thalweg.clone()),
        ("thalweg, h = 2.6 spacings", FluidParams { radius: Some(2.6 * thalweg.spacing), ..thalweg.clone() }),
        ("kelager-water, colour field", FluidParams { tension: 5.0, ..kelager }),
        (
            "Becker-Teschner",
            FluidParams { surface: Tension::BeckerTeschner, tension: 50.0, ..thalweg.clone() },
        ),
        ("Akinci", FluidParams { surface: Tension::Akinci, tension: 100.0, ..thalweg }),
    ];
    let mut checks = Vec::new();
    for (name, params) in cases {
        let mut fluid = fluid(&params, 1.0);
        shaken_blob(&mut fluid, params.spacing, 7);
        fluid.sort()?;
        fluid.weigh_boundary();
        fluid.compute_density();
        let before = fluid.sorted().clone();
        let density = fluid.density().to_vec();
        // So long a step that the old velocity does not round the change away.
        let dt = 100.0;
        fluid.accelerate_and_move(&HELD, dt)?;
        let after = fluid.particles();
        let sound = f64::from(fluid.constants().sound_speed);
        let mut points = Point::all(&before);
        weigh_boundary(&params, &mut points);
        let plain = Plain::new(&params, sound, &points);
        let accelerations = plain.accelerations();
        let (mut worst_density, mut worst, mut largest) = (0.0f64, 0.0f64, 0.0f64);
        for i in water(&before) {
            worst_density = worst_density.max((f64::from(density[i]) / plain.density()[i] - 1.0).abs());
            let a = accelerations[i];
            let change = minus(velocity(after, i), velocity(&before, i));
            let found = change.map(|v| v / (0.5 * dt));
            worst = worst.max(length(minus(found, a)));
            largest = largest.max(length(a));
        }
        let what = |what: &str| format!("worst error of the {what}, {name}");
        checks.push(Check::new(what("density"), "of the density", SOURCE).at_most(worst_density, 1.0e-5));
        let check = Check::new(what("acceleration"), "of the largest", SOURCE);
        checks.push(check.at_most(worst / largest, 1.0e-4));
    }
    Ok(checks)
}

/// In a void: air slows spray. The colour field is left out: its force is no sum over pairs, and does not conserve momentum. Angular momentum is that
/// of forces along the line between two particles: friction between them and Akinci's area term are not, so it is
/// asked for where there is neither.
pub(super) fn momentum() -> Checks {
    const SOURCE: &str =
        "methods/sph.md: 1e-6 linear in 1000 steps of f32; what shifts particles knows nothing of turns";
    /// Share of all turning that may be lost `[-]`.
    const ANGULAR: f64 = 0.03;
    let thalweg = FluidParams { gravity: 0.0, air: 0.0, ..FluidParams::default() };
    let ideal = FluidParams { viscosity: 0.0, damping: 0.0, ..thalweg.clone() };
    let attracted = |surface, tension| FluidParams { surface, tension, ..thalweg.clone() };
    let cases = [
        ("thalweg", thalweg.clone(), false),
        ("no friction", ideal.clone(), true),
        (
            "no friction, Becker-Teschner",
            FluidParams { surface: Tension::BeckerTeschner, tension: 10.0, ..ideal },
            true,
        ),
        ("Becker-Teschner", attracted(Tension::BeckerTeschner, 10.0), false),
        ("Akinci", attracted(Tension::Akinci, 1.0), false),
    ];
    let mut checks = Vec::new();
    for (name, params, central) in cases {
        let mut fluid = fluid(&params, 2.0);
        let side = 11;
        for n in 0..side * side * side {
            let at = [n % side, n / side % side, n / side / side].map(|v| (v as f32 - 5.0) * 0.05);
            let spin = [-at[1], at[0], 0.3];
            let key = Key::new(5).with(n as u64);
            let v = std::array::from_fn(|axis| spin[axis] + signed(key, axis as u64) as f32);
            fluid.add(at, v, FOREVER, 0.0);
        }
        let sums = |fluid: &Fluid| {
            let particles = fluid.particles();
            let (mut linear, mut angular, mut all, mut around) = ([0.0; 3], [0.0; 3], 0.0, 0.0);
            for i in 0..particles.len() {
                let (m, x) = (f64::from(particles.mass[i]), position(particles, i));
                let v = velocity(particles, i);
                let turn = cross(x, v);
                linear = std::array::from_fn(|axis| linear[axis] + m * v[axis]);
                angular = std::array::from_fn(|axis| angular[axis] + m * turn[axis]);
                all += m * length(v);
                around += m * length(x) * length(v);
            }
            (linear, angular, all, around)
        };
        let start = sums(&fluid);
        for _ in 0..1000 {
            fluid.sort()?;
            fluid.compute_density();
            let dt = fluid.choose_dt(f64::INFINITY);
            fluid.accelerate_and_move(&Space::default(), dt)?;
        }
        let end = sums(&fluid);
        let what = |what: &str| format!("drift of {what}, {name}");
        let drift = length(minus(end.0, start.0)) / start.2;
        checks.push(Check::new(what("momentum"), "of Σ m|v|", SOURCE).at_most(drift, 1.0e-6));
        if central {
            let drift = length(minus(end.1, start.1)) / start.3;
            checks.push(Check::new(what("angular momentum"), "of Σ m|x||v|", SOURCE).at_most(drift, ANGULAR));
        }
    }
    Ok(checks)
}
