//! Time steps below and above the limit.

use super::measure::{area_name, form_name, mean, widened};
use super::setup::{clear, flat, pipes, standing, with};
use crate::{Check, Checks};
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};
use thalweg_erosion::pipes::{Counterflow, GRAVITY, Params, PipeArea, StepError};
use thalweg_field::Grid2;
use thalweg_field::random::Key;

/// Lets noise of a millimetre on 10 m of water go for 1500 steps; the root mean square of the surface then,
/// over that at first. A blow-up saturates as sloshing with its mass intact, so nothing but the size of the
/// waves shows it.
fn growth(params: Params) -> Result<f64, StepError> {
    let (size, depth, noise) = (48, 10.0, 1.0e-3);
    let rms = |water: &Grid2<f32>| {
        let values = widened(water.values());
        let level = mean(&values);
        let squares: Vec<f64> = values.iter().map(|v| (v - level).powi(2)).collect();
        mean(&squares).sqrt()
    };
    let water = Grid2::from_fn(size, size, |c, r| {
        (depth + noise * (2.0 * Key::new(2).with((c + size * r) as u64).unit() - 1.0)) as f32
    });
    let before = rms(&water);
    let mut pipes = pipes(&flat(size, size, 1.0), &params, &standing(water));
    if params.dt.is_some() {
        pipes = pipes.unguarded();
    }
    pipes.advance(1500)?;
    Ok(rms(&pipes.depth()) / before)
}

pub(super) fn stability() -> Checks {
    const LIMIT: &str =
        "leap-frog: 2L/(c√λ), λ = 8 for 4, 16/3 for 8 neighbours; √2 less where counterflow is kept";
    use Counterflow::{Cancel, Keep};
    let c = (GRAVITY * 10.0_f64).sqrt();
    let mut checks = Vec::new();
    // The limit in L/c, and shares of it that are calm and wild.
    for (counterflow, neighbours, limit, calm, wild) in [
        (Cancel, 4, FRAC_1_SQRT_2, 0.95, 1.05),
        (Cancel, 8, 0.75_f64.sqrt(), 0.95, 1.05),
        (Keep, 4, 0.5, 0.70 * SQRT_2, 0.90 * SQRT_2),
        (Keep, 8, 0.375_f64.sqrt(), 0.95, 1.15),
    ] {
        for area in [PipeArea::Depth, PipeArea::Constant] {
            let params = |dt| with(counterflow, Params { pipe_area: 10.0, dt, ..clear(neighbours, area) });
            let limit = limit / c;
            let check = |what: String, unit| {
                let form = form_name(counterflow);
                let quantity = format!("{what}, {form}, {neighbours} neighbours, {}", area_name(area));
                Check::new(quantity, unit, LIMIT)
            };
            let noise = |when: &str| check(format!("growth of noise, {when}"), "-");
            let grown = growth(params(Some(calm * limit)))?;
            checks.push(noise(&format!("dt = {calm:.2} of the limit")).at_most(grown, 2.0));
            let grown = growth(params(Some(wild * limit)))?;
            checks.push(noise(&format!("dt = {wild:.2} of the limit")).at_least(grown, 100.0));
            checks.push(noise("automatic dt").at_most(growth(params(None))?, 2.0));

            let weather = standing(Grid2::filled(8, 8, 10.0));
            let named = match pipes(&flat(8, 8, 1.0), &params(Some(1.01 * limit)), &weather).advance(1) {
                Err(StepError::TooLong { limit, .. }) => limit,
                _ => f64::NAN,
            };
            let refused = check("limit named when 1.01 times it is refused".to_owned(), "s");
            checks.push(refused.near_share(named, limit, 1.0e-6));
        }
    }
    Ok(checks)
}
