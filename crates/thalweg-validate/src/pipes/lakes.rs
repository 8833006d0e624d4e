//! Water in hollows: a lake at rest, and a bowl in which it swings.

use super::measure::{area_name, form_name, missing, worst};
use super::setup::{CONSERVED, clear, grid, ground, pipes, preset, run_to, standing, with};
use crate::{Check, Checks};
use std::f64::consts::TAU;
use thalweg_erosion::pipes::{Counterflow, GRAVITY, Params, PipeArea};

/// SWASHES, lake at rest with an immersed and an emerged bump. On a bed of whole 2⁻²⁴ m level minus bed is
/// exact in f32, and nothing may move at all. On the bed as the formula gives it the surface is level to half
/// an ulp only. The default preset takes that for level and may move by an ulp at most. Mei's form feels it:
/// every step rounds the ripples again, and roundings add up like the root of their number.
pub(super) fn lake_at_rest() -> Checks {
    const SOURCE: &str = "SWASHES (Delestre et al. 2013), lakes at rest";
    const STEPS: u64 = 3000;
    let cell = 0.25;
    let mut checks = Vec::new();
    for (lake, level) in [("immersed", 0.5_f32), ("emerged", 0.1)] {
        for (bed, grain) in [("exact in f32", 2.0_f64.powi(-24)), ("rounded", 0.0)] {
            let bump = ground(100, 12, cell, |x, _| {
                let z = (0.2 - 0.05 * (x - 10.0).powi(2)).max(0.0);
                if grain > 0.0 { (z / grain).round() * grain } else { z }
            });
            let depth = bump.height.map(|z| (level - z).max(0.0));
            for (name, ulps, variants) in [
                ("thalweg", 1.0, [(8, PipeArea::Depth), (4, PipeArea::Depth), (4, PipeArea::Constant)]),
                (
                    "mei-2007",
                    0.5 * (STEPS as f64).sqrt(),
                    [(8, PipeArea::Constant), (4, PipeArea::Constant), (4, PipeArea::Depth)],
                ),
            ] {
                let (mut moved, mut speed) = (0.0_f64, 0.0_f64);
                for (neighbours, area) in variants {
                    let pipe_area = cell * f64::from(level);
                    let params =
                        Params { neighbours, area, pipe_area, dt: None, evaporation: 0.0, ..preset(name) };
                    let mut pipes = pipes(&bump, &params, &standing(depth.clone()));
                    pipes.advance(STEPS)?;
                    moved = moved.max(worst(&pipes.depth(), &depth)).max(worst(&pipes.bed(), &bump.height));
                    for velocity in pipes.velocity() {
                        speed = speed.max(worst(&velocity, &velocity.map(|_| 0.0)));
                    }
                }
                let ulp = f64::from(level.next_up() - level);
                let allowed = if grain > 0.0 { 0.0 } else { ulps * ulp };
                // Ripples of that height on water of that depth move at a·√(g/d).
                let push = allowed * (GRAVITY / f64::from(level)).sqrt();
                let what = |what: &str| format!("{what}, {lake}, bed {bed}, {name}");
                checks.push(Check::new(what("water or bed moved"), "m", SOURCE).near(moved, 0.0, allowed));
                checks.push(Check::new(what("speed"), "m/s", SOURCE).near(speed, 0.0, push));
            }
        }
    }
    Ok(checks)
}

/// The radial swing in a paraboloid, from its highest point at rest, three periods long.
pub(super) fn thacker() -> Checks {
    let (a, r0, h0) = (1.0_f64, 0.8_f64, 0.1_f64);
    let period = TAU * a / (8.0 * GRAVITY * h0).sqrt();
    let size = 161;
    let cell = 4.0 / size as f64;
    let r2 = |x: f64, y: f64| ((x - 2.0).powi(2) + (y - 2.0).powi(2)) / (a * a);
    let bowl = ground(size, size, cell, |x, y| -h0 * (1.0 - r2(x, y)));
    let swing = (a * a - r0 * r0) / (a * a + r0 * r0); // A in SWASHES
    let root = ((1.0 + swing) / (1.0 - swing)).sqrt();
    let water = grid(size, size, cell, |x, y| (h0 * root * (1.0 - r2(x, y) * root)).max(0.0));
    let deepest = h0 * root;
    let mut checks = Vec::new();
    // Deviations of a plain implementation: depth in the middle [m], whole field [-].
    for (counterflow, area, neighbours, depth_off, field_off) in [
        (Counterflow::Cancel, PipeArea::Depth, 8, 0.014, 0.11),
        (Counterflow::Cancel, PipeArea::Depth, 4, 0.014, 0.11),
        (Counterflow::Cancel, PipeArea::Constant, 4, 0.014, 0.11),
        (Counterflow::Keep, PipeArea::Depth, 8, 0.021, 0.20),
        (Counterflow::Keep, PipeArea::Depth, 4, 0.021, 0.20),
        (Counterflow::Keep, PipeArea::Constant, 4, 0.029, 0.29),
    ] {
        let params = with(counterflow, Params { pipe_area: cell * h0, ..clear(neighbours, area) });
        let speed = (GRAVITY * deepest).sqrt();
        let pipes = run_to(3.0 * period, 0.7, speed, &bowl, params, &standing(water.clone()))?;
        let check = |what, unit, source| {
            let form = form_name(counterflow);
            Check::new(format!("{what}, {form}, {}, {neighbours} neighbours", area_name(area)), unit, source)
        };
        let source = "Thacker 1981; SWASHES (Delestre et al. 2013); 1.1 (L1) and 1.5 times the method's known deviation";
        let depth = pipes.depth();
        let middle = f64::from(depth.at(size / 2, size / 2));
        checks.push(check("depth in the middle", "m", source).near(middle, deepest, 1.5 * depth_off));
        let pairs = depth.values().iter().zip(water.values());
        let off: f64 = pairs.map(|(&a, &b)| f64::from((a - b).abs())).sum();
        let whole: f64 = water.values().iter().map(|&d| f64::from(d)).sum();
        checks.push(check("L1 of the depth", "of the water", source).near(off / whole, 0.0, 1.1 * field_off));
        let water = pipes.ledger().water;
        let lost = missing(&water) / water.start;
        checks.push(check("water lost", "of the water", CONSERVED).near(lost, 0.0, 1.0e-6));
    }
    Ok(checks)
}
