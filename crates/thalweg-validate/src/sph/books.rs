//! An eroding stream: its books close, a saved one goes on to the same bits, and so does any number of threads.

use super::eroding_stream;
use super::measure::differing_values;
use super::setup::torrent;
use crate::{Check, Checks};
use thalweg_coupling::{Bed, Params, Saved, Setting, StepError};
use thalweg_field::{Heightfield, Ledger};
use thalweg_sph::PressureSolver;

/// Volume of the bed above 0 m between the outermost cell centres `[m³]`.
fn bed_volume(ground: &Heightfield) -> f64 {
    let bed = Bed::new(ground);
    let height = |vertex: usize| f64::from(bed.heights()[vertex]);
    let mean = |triangle| bed.corners(triangle).map(height).iter().sum::<f64>() / 3.0;
    (0..bed.triangles() as u32).map(mean).sum::<f64>() * bed.triangle_area()
}

pub(super) fn ledger() -> Checks {
    const SOURCE: &str = "conservation: sums in f64";
    let (ground, params, setting) = eroding_stream();
    let mut torrent = torrent(&ground, &params, &setting);
    torrent.advance(1500)?;
    let Ledger { water, solids } = torrent.ledger();
    let check = |quantity: &str, unit| Check::new(quantity, unit, SOURCE);
    let moved = solids.eroded + solids.added;
    let water_missing = water.start + water.added - water.exported - water.end;
    // The terrain that is handed out, measured triangle by triangle: heights are rounded to f32 there.
    let gained = (bed_volume(&torrent.ground()) - bed_volume(&ground)) * params.erosion.soil().packing;
    let balance = solids.added - solids.suspended - solids.exported - gained;
    let highest = ground.height.range().map_or(0.0, |(_, high)| high);
    let rounding = f64::from(highest * f32::EPSILON) * ground.extent().iter().product::<f64>();
    Ok(vec![
        check("grains missing from the books", "of all moved").near(
            torrent.missing_grains() / moved,
            0.0,
            1.0e-9,
        ),
        Check::new("grains missing from the terrain", "m³", "its triangles; heights are f32")
            .near(balance, 0.0, rounding),
        check("water missing", "of all added").near(water_missing / water.added, 0.0, 1.0e-9),
        Check::new("grains eroded", "m³", "books of a bed at rest show nothing")
            .at_least(solids.eroded, 1.0e-3),
        Check::new("grains gone with the water", "m³", "nor do those of a closed box")
            .at_least(solids.exported, 1.0e-5),
    ])
}

/// The eroding stream, with one of the ways to keep it from being compressed.
fn stream_under(pressure: PressureSolver) -> (Heightfield, Params, Setting) {
    let (ground, mut params, setting) = eroding_stream();
    params.fluid.pressure = pressure;
    (ground, params, setting)
}

pub(super) fn resume(pressure: PressureSolver) -> Checks {
    let (ground, params, setting) = stream_under(pressure);
    let mut torrent = torrent(&ground, &params, &setting);
    torrent.advance(64)?;
    let mut checks = Vec::new();
    // The bed is looked at every eight steps: just before, at and after that.
    for steps in [7, 1, 1, 6, 1, 17] {
        torrent.advance(steps)?;
        let saved = torrent.save();
        let mut other = self::torrent(&ground, &params, &setting);
        let taken = other.restore(&saved).is_ok();
        let again = differing_values(&saved, &other.save());
        other.advance(40)?;
        let mut whole = self::torrent(&ground, &params, &setting);
        whole.advance(saved.step + 40)?;
        let differ = differing_values(&whole.save(), &other.save());
        let what = |what: &str| format!("{what}, saved at step {}", saved.step);
        let check = |quantity: &str| Check::new(what(quantity), "values", "same state, same bits");
        let refused = if taken { 0 } else { usize::MAX };
        checks.push(check("values that differ when taken up").near(
            again.saturating_add(refused) as f64,
            0.0,
            0.0,
        ));
        checks.push(check("values that differ 40 steps later").near(differ as f64, 0.0, 0.0));
    }
    Ok(checks)
}

#[cfg(not(target_arch = "wasm32"))]
pub(super) fn threads(pressure: PressureSolver) -> Checks {
    const SOURCE: &str = "determinism";
    let (ground, params, setting) = stream_under(pressure);
    let run = || -> Result<(Saved, f64), StepError> {
        let mut torrent = torrent(&ground, &params, &setting);
        torrent.advance(250)?;
        Ok((torrent.save(), torrent.ledger().solids.eroded))
    };
    let mut checks = Vec::new();
    let mut alone: Option<Saved> = None;
    for threads in [1, 2, 3, 8] {
        let pool = match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
            Ok(pool) => pool,
            Err(error) => {
                let quantity = format!("{threads} threads do not start: {error}");
                checks.push(Check::new(quantity, "threads", SOURCE));
                continue;
            }
        };
        let (saved, eroded) = pool.install(run)?;
        if let Some(alone) = &alone {
            let quantity = format!("values of particles, bed and books that differ, {threads} threads");
            let differ = differing_values(alone, &saved) as f64;
            checks.push(Check::new(quantity, "values", SOURCE).near(differ, 0.0, 0.0));
        } else {
            let check = Check::new("grains eroded", "m³", "a bed at rest would show nothing");
            checks.push(check.at_least(eroded, 1.0e-6));
            alone = Some(saved);
        }
    }
    Ok(checks)
}
