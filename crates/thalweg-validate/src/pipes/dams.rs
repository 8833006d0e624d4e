//! Dams that break over dry and wet ground.

use super::measure::{area_name, first_below, form_name, last_above, lowest, mean, missing, widened};
use super::setup::{clear, flat, grid, pipes, run_to, standing, with};
use crate::{Check, Checks};
use thalweg_erosion::pipes::{Counterflow, GRAVITY, Params, PipeArea, Pipes, StepError, stable_dt};

/// The dam of SWASHES: 10 m of channel, 5 mm of water behind x = 5 m, 6 s.
const DAM: f64 = 5.0;
const BEHIND: f64 = 0.005;
const DAM_TIME: f64 = 6.0;
const DAM_CELL: f64 = 0.01;

/// The forms under which a dam breaks.
const FORMS: [(Counterflow, PipeArea); 4] = [
    (Counterflow::Cancel, PipeArea::Depth),
    (Counterflow::Cancel, PipeArea::Constant),
    (Counterflow::Keep, PipeArea::Depth),
    (Counterflow::Keep, PipeArea::Constant),
];

fn dam_break(counterflow: Counterflow, area: PipeArea, ahead: f64) -> Result<Pipes, StepError> {
    let params = with(counterflow, Params { pipe_area: DAM_CELL * BEHIND, ..clear(4, area) });
    let water = grid(1000, 1, DAM_CELL, |x, _| if x < DAM { BEHIND } else { ahead });
    let speed = (GRAVITY * BEHIND).sqrt();
    run_to(DAM_TIME, 0.7, speed, &flat(1000, 1, DAM_CELL), params, &standing(water))
}

/// Deepest water at any look over that behind the dam, with a step of a third of the limit. Where a face has one flux
/// but pushes it by the depth of the side that the water leaves, a thin fast cell is hardly slowed by the deeper
/// water before it, and water piles up 4 to 25 times as high as it ever stood, however short the step. Without
/// momentum advection the tongue has ripples; their crests reach a fifth above the dam in a plain implementation.
fn piling_up(counterflow: Counterflow, area: PipeArea, ahead: f64) -> Result<f64, StepError> {
    let params = with(counterflow, Params { pipe_area: DAM_CELL * BEHIND, ..clear(4, area) });
    let dt = stable_dt(&params, DAM_CELL, (GRAVITY * BEHIND).sqrt()) / 3.0;
    let water = grid(1000, 1, DAM_CELL, |x, _| if x < DAM { BEHIND } else { ahead });
    let params = Params { dt: Some(dt), ..params };
    let mut pipes = pipes(&flat(1000, 1, DAM_CELL), &params, &standing(water)).unguarded();
    let mut highest = 0.0_f64;
    while pipes.time() < DAM_TIME {
        pipes.advance(8)?;
        let deepest = pipes.depth().range().map_or(0.0, |(_, deepest)| f64::from(deepest));
        highest = highest.max(deepest);
    }
    Ok(highest / BEHIND)
}

/// Metres along the channel of a place counted in cells.
fn along_channel(cells: f64) -> f64 {
    (cells + 0.5) * DAM_CELL
}

pub(super) fn ritter() -> Checks {
    let c = (GRAVITY * BEHIND).sqrt();
    let (x_a, x_b) = (DAM - c * DAM_TIME, DAM + 2.0 * c * DAM_TIME);
    let mut checks = Vec::new();
    for (counterflow, area) in FORMS {
        let pipes = dam_break(counterflow, area, 0.0)?;
        let profile = widened(pipes.depth().values());
        let check = |what, unit| {
            let quantity = format!("{what}, {}, {}", form_name(counterflow), area_name(area));
            Check::new(quantity, unit, "Ritter 1892; SWASHES (Delestre et al. 2013)")
        };
        let falls = along_channel(first_below(&profile, 0.98 * BEHIND));
        checks.push(check("x_A, where the level begins to fall", "m").near_share(falls, x_a, 0.02));
        // Without momentum advection the tongue is slower than in nature: between the dam and x_B.
        let front = along_channel(last_above(&profile, 1.0e-3 * BEHIND));
        checks.push(check("front of the tongue, between dam and x_B", "m").within(front, DAM..=x_b));
        checks.push(check("smallest depth", "m").at_least(lowest(&pipes.depth()), 0.0));
        let water = pipes.ledger().water;
        checks.push(check("water lost", "of the water").near(missing(&water) / water.start, 0.0, 1.0e-6));
        let piled = piling_up(counterflow, area, 0.0)?;
        checks.push(check("deepest water over that behind the dam", "-").at_most(piled, 1.2));
    }
    Ok(checks)
}

/// Held to 1.2 times the deviations that a plain implementation of the same model shows.
pub(super) fn stoker() -> Checks {
    // Of the exact solution; c_m is the positive root of the sextic in SWASHES.
    let (x_c, h_m) = (6.2598, 0.002_539);
    let mut checks = Vec::new();
    for (counterflow, area) in FORMS {
        let (shock_off, plateau_off) = match area {
            PipeArea::Depth => (0.33, 0.24),
            PipeArea::Constant => (0.06, 0.18),
        };
        let pipes = dam_break(counterflow, area, 0.001)?;
        let profile = widened(pipes.depth().values());
        let check = |what, unit| {
            let quantity = format!("{what}, {}, {}", form_name(counterflow), area_name(area));
            Check::new(
                quantity,
                unit,
                "Stoker 1957; SWASHES (Delestre et al. 2013); 1.2 times the method's known deviation",
            )
        };
        let plateau = mean(&profile[500..560]);
        let shock = along_channel(last_above(&profile, 0.5 * (plateau + 0.001)));
        checks.push(check("place of the shock", "m").near(shock, x_c, 1.2 * shock_off));
        checks.push(check("depth behind the shock", "m").near_share(plateau, h_m, 1.2 * plateau_off));
        let piled = piling_up(counterflow, area, 0.001)?;
        checks.push(check("deepest water over that behind the dam", "-").at_most(piled, 1.2));
    }
    Ok(checks)
}
