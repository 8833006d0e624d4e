//! Small waves: their speed, their shape, and the swing of a basin.

use super::measure::{area_name, first_below, form_name, last_above, mean, ray, widened};
use super::setup::{clear, flat, grid, pipes, run_to, standing, with};
use crate::{Check, Checks};
use std::f64::consts::{FRAC_1_SQRT_2, PI};
use thalweg_erosion::pipes::{Counterflow, GRAVITY, Params, PipeArea, StepError, stable_dt};

pub(super) fn linear_wave() -> Checks {
    let mut checks = Vec::new();
    // One row of cells, a constant area that makes all waves as fast as those on the deep side.
    let (cells, cell) = (2000, 0.005);
    let (left, right, dam, time) = (0.005, 0.001, 5.0, 6.0);
    let c = (GRAVITY * left).sqrt();
    let params = Params { pipe_area: cell * left, ..clear(4, PipeArea::Constant) };
    let water = grid(cells, 1, cell, |x, _| if x < dam { left } else { right });
    let pipes = run_to(time, 0.8, c, &flat(cells, 1, cell), params, &standing(water))?;
    let profile = widened(pipes.depth().values());
    let place = |cells: f64| (cells + 0.5) * cell;
    // The mean over a metre: the sharp step leaves ripples two cells long at the dam.
    let plateau = mean(&profile[900..1100]);
    let check = |quantity| {
        Check::new(format!("{quantity}, constant area"), "m", "c = √(gA/L), plateau (h_l + h_r)/2")
    };
    checks.push(check("plateau").near_share(plateau, 0.5 * (left + right), 0.01));
    let downstream = place(last_above(&profile, 0.5 * (plateau + right))) - dam;
    checks.push(check("way of the front downstream").near_share(downstream, c * time, 0.01));
    let upstream = dam - place(first_below(&profile, 0.5 * (plateau + left)));
    checks.push(check("way of the front upstream").near_share(upstream, c * time, 0.01));

    // A low step across a square; walls are too far away to be heard in the middle. The step is some cells
    // wide: what the grid cannot resolve it cannot carry at the right speed.
    let (size, depth, step, width) = (241, 1.0, 1.0e-3, 6.0);
    let middle = 0.5 * size as f64;
    let c = (GRAVITY * (depth + 0.5 * step)).sqrt();
    let time = 70.0 / c;
    for (neighbours, degrees) in [(4, 0.0), (4, 45.0), (8, 0.0), (8, 22.5), (8, 45.0), (8, 90.0_f64)] {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let water = grid(size, size, 1.0, |x, y| {
            let along = (x - middle) * cos + (y - middle) * sin;
            depth + step * 0.5 * (1.0 - (along / width).tanh())
        });
        let params = clear(neighbours, PipeArea::Depth);
        let pipes = run_to(time, 0.8, c, &flat(size, size, 1.0), params, &standing(water))?;
        let profile = ray(&pipes.depth(), depth, [cos, sin], -100..=100);
        let quantity = |what: &str| format!("{what}, {degrees}° to the grid, {neighbours} neighbours");
        let check = |what, unit| {
            Check::new(quantity(what), unit, "linear shallow water: c = √(gd), plateau (h_l + h_r)/2")
        };
        checks.push(check("plateau", "m").near_share(mean(&profile[80..=120]), 0.5 * step, 0.01));
        let downstream = (last_above(&profile, 0.25 * step) - 100.0) / time;
        checks.push(check("speed downstream", "m/s").near_share(downstream, c, 0.01));
        let upstream = (100.0 - first_below(&profile, 0.75 * step)) / time;
        checks.push(check("speed upstream", "m/s").near_share(upstream, c, 0.01));
    }
    checks.append(&mut channels()?);
    Ok(checks)
}

/// The same step in channels of a few cells between walls: a wall mirrors the water before it, so that waves along
/// it are those of the open sea, and their crests stay straight.
fn channels() -> Checks {
    const SOURCE: &str = "linear shallow water between walls: c = √(gd), crests across the channel";
    let (length, depth, step, width) = (241, 1.0, 1.0e-3, 6.0);
    let middle = 0.5 * length as f64;
    let c = (GRAVITY * (depth + 0.5 * step)).sqrt();
    let time = 70.0 / c;
    let mut checks = Vec::new();
    for neighbours in [4, 8] {
        for (across, east) in
            [(1, true), (2, true), (4, true), (16, true), (1, false), (2, false), (4, false)]
        {
            let (cols, rows) = if east { (length, across) } else { (across, length) };
            let water = grid(cols, rows, 1.0, |x, y| {
                let along = if east { x } else { y } - middle;
                depth + step * 0.5 * (1.0 - (along / width).tanh())
            });
            let params = clear(neighbours, PipeArea::Depth);
            let pipes = run_to(time, 0.8, c, &flat(cols, rows, 1.0), params, &standing(water))?;
            let water = pipes.depth();
            let line = |lane: usize| -> Vec<f64> {
                let cell = |n| if east { water.at(n, lane) } else { water.at(lane, n) };
                (0..length).map(|n| f64::from(cell(n)) - depth).collect()
            };
            let way = if east { "east" } else { "south" };
            let what =
                |what: &str| format!("{what}, channel of {across} to the {way}, {neighbours} neighbours");
            let front = last_above(&line(0), 0.25 * step);
            let speed = (front + 0.5 - middle) / time;
            checks.push(Check::new(what("speed at the wall"), "m/s", SOURCE).near_share(speed, c, 0.01));
            // Rounding of 1 m of water lets a front of that slope wander by some thousandths of a cell.
            let fronts = (0..across).map(|lane| last_above(&line(lane), 0.25 * step) - front);
            let bent = fronts.fold(0.0, |worst: f64, off| worst.max(off.abs()));
            checks.push(Check::new(what("bend of the crest"), "cells", SOURCE).near(bent, 0.0, 0.02));
        }
    }
    Ok(checks)
}

/// A raised disc with a sharp rim runs apart; the shorter the waves, the more the grid shows.
pub(super) fn ring_wave() -> Checks {
    let (size, depth, raised, radius) = (181, 1.0, 1.0e-3, 10.0);
    let middle = 0.5 * size as f64;
    let water = grid(size, size, 1.0, |x, y| {
        let outside = (x - middle).hypot(y - middle) - radius;
        depth + raised * 0.5 * (1.0 - outside.tanh())
    });
    let c = (GRAVITY * depth).sqrt();
    let mut checks = Vec::new();
    for (neighbours, allowed) in [(8, 0.01), (4, 0.03)] {
        let params = clear(neighbours, PipeArea::Depth);
        let pipes = run_to(60.0 / c, 0.8, c, &flat(size, size, 1.0), params, &standing(water.clone()))?;
        let front = |degrees: f64| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let profile = ray(&pipes.depth(), depth, [cos, sin], 0..=85);
            let crest = profile[60..].iter().copied().fold(0.0, f64::max);
            last_above(&profile, 0.5 * crest)
        };
        let quantity = format!("radius along the axis over that along the diagonal, {neighbours} neighbours");
        checks.push(Check::new(quantity, "-", "isotropy").near(front(0.0) / front(45.0), 1.0, allowed));
    }
    Ok(checks)
}

/// Swing of a basin and a pulse that runs apart. Where opposite flows cancel both are nature's. Where they are kept
/// (Mei et al. 2007), both pipes between two cells carry water as soon as the flow turns round, and the net flux
/// changes at twice the rate of nature: all is well until the first turn, from then on a basin swings √2 times too
/// fast with half its energy, and a lone pulse falls apart. That is the method's own, and expected of it here.
pub(super) fn seiche() -> Checks {
    const NATURE: &str = "Merian 1828: half a period takes X/√(gd), and nothing damps it";
    const APART: &str = "d'Alembert 1747: half of the pulse runs either way";
    const MEI: &str =
        "the method's own (Mei et al. 2007): two one-way pipes turn the net flux at twice the rate";
    use Counterflow::{Cancel, Keep};
    use PipeArea::{Constant, Depth};
    let (cells, depth, swing) = (200, 1.0, 1.0e-3);
    let length = cells as f64;
    let c = (GRAVITY * depth).sqrt();
    let mut checks = Vec::new();
    for (counterflow, neighbours, area) in
        [(Cancel, 8, Depth), (Cancel, 4, Depth), (Cancel, 4, Constant), (Keep, 4, Depth), (Keep, 4, Constant)]
    {
        let params = with(counterflow, Params { pipe_area: depth, ..clear(neighbours, area) });
        let params = Params { dt: Some(0.8 * stable_dt(&params, 1.0, c)), ..params };
        let water = grid(cells, 1, 1.0, |x, _| depth + swing * (PI * x / length).cos());
        let mut basin = pipes(&flat(cells, 1, 1.0), &params, &standing(water));
        let (mut turns, mut late) = (Vec::new(), 0.0_f64);
        let mut before = (0.0, swing);
        while turns.len() < 5 && basin.time() < 6.0 * length / c {
            basin.advance(1)?;
            let now = (basin.time(), f64::from(basin.depth().at(0, 0)) - depth);
            if before.1 * now.1 < 0.0 {
                turns.push(before.0 + (now.0 - before.0) * before.1 / (before.1 - now.1));
            }
            if turns.len() > 2 {
                late = late.max(now.1.abs());
            }
            before = now;
        }
        turns.resize(5, f64::NAN);
        let crest = crest_of_half_a_pulse(depth, swing, Params { dt: None, ..params })?;

        let what = |what: &str| {
            format!("{what}, {}, {neighbours} neighbours, {}", form_name(counterflow), area_name(area))
        };
        let quarter = Check::new(what("first quarter of the swing, from rest"), "s", NATURE);
        checks.push(quarter.near_share(turns[0], 0.5 * length / c, 0.01));
        let half = what("half a period later on, in X/c (nature: 1)");
        let half_found = (turns[4] - turns[0]) / 4.0 / (length / c);
        let height = what("height later on over that at first (nature: 1)");
        let pulse = what("crest of a pulse after 20 widths over that at first (nature: 0.5)");
        match counterflow {
            Cancel => {
                checks.push(Check::new(half, "-", NATURE).near(half_found, 1.0, 0.01));
                checks.push(Check::new(height, "-", NATURE).near(late / swing, 1.0, 0.02));
                checks.push(Check::new(pulse, "-", APART).near_share(crest / swing, 0.5, 0.01));
            }
            Keep => {
                checks.push(Check::new(half, "-", MEI).near_share(half_found, FRAC_1_SQRT_2, 0.01));
                checks.push(Check::new(height, "-", MEI).near_share(late / swing, FRAC_1_SQRT_2, 0.02));
                checks.push(Check::new(pulse, "-", MEI).within(crest / swing, 0.0..=0.5));
            }
        }
    }
    Ok(checks)
}

/// Height of what is left of a pulse `swing` high after it ran 20 of its widths.
fn crest_of_half_a_pulse(depth: f64, swing: f64, params: Params) -> Result<f64, StepError> {
    let hump = |x: f64| depth + swing * (-0.5 * ((x - 300.0) / 10.0).powi(2)).exp();
    let weather = standing(grid(600, 1, 1.0, |x, _| hump(x)));
    let c = (GRAVITY * depth).sqrt();
    let water = run_to(200.0 / c, 0.8, c, &flat(600, 1, 1.0), params, &weather)?.depth();
    Ok(water.values().iter().fold(0.0, |high: f64, &d| high.max(f64::from(d) - depth)))
}
