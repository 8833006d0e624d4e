//! The bed: nothing falls through it, and it changes by what its triangles gain.

use super::measure::water;
use super::setup::{clear, rough, still_water, torrent};
use crate::{Check, Checks};
use thalweg_coupling::{Bed, BedParams, Hold, Setting, Triangle, change_lowest_first, change_smoothly};
use thalweg_field::{Pool, Top};
use thalweg_sph::{FluidParams, PressureSolver};

pub(super) fn no_leak() -> Checks {
    const SOURCE: &str = "ground and walls are solid";
    let (spacing, cell) = (0.05, 0.1);
    let ground = rough(17, cell, 0.4);
    let mut checks = Vec::new();
    // Spring and collision go with summed densities alone.
    for (name, hold, pressure) in [
        ("pressure", Hold::Pressure, PressureSolver::Wcsph),
        ("pressure of summed densities", Hold::Pressure, PressureSolver::Summed),
        ("penalty", Hold::Penalty, PressureSolver::Summed),
        ("collision", Hold::Collision, PressureSolver::Summed),
    ] {
        let bed = BedParams { hold, ..BedParams::default() };
        let params = clear(FluidParams { spacing, pressure, ..FluidParams::default() }, bed);
        let pool = Pool {
            velocity: [2.0, -1.0, -10.0],
            ..still_water([0.2, 0.2], [1.5, 1.5], Some(0.5), Top::Depth(0.15))
        };
        let setting = Setting { water: vec![pool], ..Setting::default() };
        let mut torrent = torrent(&ground, &params, &setting);
        let count = torrent.particle_count();
        let mut worst = f64::INFINITY;
        let mut outside = 0;
        for _ in 0..120 {
            torrent.advance(5)?;
            let particles = torrent.fluid().particles();
            let [[west, east], [south, north]] = torrent.bed().extent();
            for i in water(particles) {
                let at = particles.get(i).position;
                worst = worst.min(f64::from(torrent.bed().clearance(at)));
                let inside = (west..=east).contains(&at[0]) && (south..=north).contains(&at[1]);
                outside += usize::from(!inside || !at[2].is_finite());
            }
        }
        let what = |what: &str| format!("{what}, held by {name}");
        checks.push(Check::new(what("smallest height above the bed"), "m", SOURCE).at_least(worst, -1.0e-4));
        checks.push(Check::new(what("particles beyond walls or number"), "particles", SOURCE).near(
            outside as f64,
            0.0,
            0.0,
        ));
        let lost = (count - torrent.particle_count()) as f64;
        checks.push(Check::new(what("particles lost"), "particles", SOURCE).near(lost, 0.0, 0.0));
    }
    Ok(checks)
}

pub(super) fn triangle_mass() -> Checks {
    let ground = rough(6, 0.5, 0.3);
    let mut worst = [0.0f64; 3];
    let bed = Bed::new(&ground);
    let gains = [1.0e-9, 1.0e-6, 3.0e-3, 0.4, -1.0e-9, -1.0e-6, -2.0e-3, -0.7];
    for (triangle, gain) in (0..bed.triangles() as u32).flat_map(|t| gains.map(|gain| (t, gain))) {
        let smoothly: fn(&mut Bed, Triangle, f64) = |bed, t, gain| change_smoothly(bed, t, gain, Bed::raise);
        let lowest_first: fn(&mut Bed, Triangle, f64) =
            |bed, t, gain| change_lowest_first(bed, t, gain, Bed::raise);
        for change in [smoothly, lowest_first] {
            let mut bed = bed.clone();
            change(&mut bed, triangle, gain);
            let mean = |t: u32| bed.corners(t).iter().map(|&v| bed.change()[v]).sum::<f64>() / 3.0;
            let found: f64 = (0..bed.triangles() as u32).map(|t| mean(t) * bed.triangle_area()).sum();
            // Vertices of the triangle inside: three, two or fewer.
            let at_edge = |v: usize| bed.triangles_at(v) < 6;
            let kind = match bed.corners(triangle).into_iter().filter(|&v| at_edge(v)).count() {
                0 => 0,
                1 | 2 => 1,
                _ => 2,
            };
            worst[kind] = worst[kind].max((found / gain - 1.0).abs());
        }
    }
    let names = ["inside", "at an edge", "in a corner"];
    let check = |(name, worst): (&str, f64)| {
        let quantity = format!("worst error of the bed's volume, triangle {name}");
        Check::new(quantity, "of the gain", "eqs. 1.70, 1.71 with true triangle counts")
            .at_most(worst, 1.0e-12)
    };
    Ok(names.into_iter().zip(worst).map(check).collect())
}
