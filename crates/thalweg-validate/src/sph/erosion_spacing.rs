//! One sheet of water on a level bed erodes the same, whatever particles it is made of.

use super::setup::{flat, still_water, torrent};
use crate::{Check, Checks};
use thalweg_coupling::{Params, ParticleWater, Setting, StepError};
use thalweg_erosion::law::wall;
use thalweg_field::{Edge, Edges, Pool, Top};
use thalweg_sph::{FluidParams, PressureSolver};

const DEPTH: f64 = 0.2;
const CELL: f64 = 0.1;
/// The sheet is so long and wide, and the bed is looked at between these places along it `[m]`: waves from both ends of the sheet do
/// not get there in time.
const LONG: f64 = 4.8;
const WIDE: f64 = 0.2;
const SEEN: [f64; 2] = [2.8, 4.2];
/// When: just after the beginning, and later `[s]`.
const TIMES: [[f64; 2]; 2] = [[0.0, 0.2], [0.5, 0.7]];

/// Mean height of the bed that is looked at `[m]`.
fn bed_height(torrent: &ParticleWater) -> f64 {
    let bed = torrent.bed();
    let seen = |vertex: &usize| (SEEN[0]..=SEEN[1]).contains(&bed.place(*vertex)[0]);
    let heights: Vec<f64> =
        (0..bed.heights().len()).filter(seen).map(|vertex| bed.exact_height(vertex)).collect();
    heights.iter().sum::<f64>() / heights.len() as f64
}

/// How fast the bed sinks at each of the times `[m/s]`, and the time in the middle of each `[s]`.
fn lowering(pressure: PressureSolver, spacing: f64, speed: f64) -> Result<[[f64; 2]; 2], StepError> {
    let fluid = FluidParams { spacing, pressure, ..FluidParams::default() };
    let params = Params { fluid, ..Params::default() };
    let half = 0.5 * CELL;
    let sheet = still_water([half; 2], [half + LONG, half + WIDE], None, Top::Depth(DEPTH));
    let setting = Setting {
        water: vec![Pool { velocity: [speed, 0.0, 0.0], ..sheet }],
        edges: Edges { east: Edge::Open, ..Edges::default() },
        ..Setting::default()
    };
    let ground = flat([(LONG / CELL).round() as usize, (WIDE / CELL).round() as usize], CELL);
    let mut torrent = torrent(&ground, &params, &setting);
    // What is eroded in a step that exchanges no sediment shows after the next one that does: the first is one, and then every fourth.
    torrent.advance(1)?;
    let mut found = [[0.0; 2]; 2];
    for (found, [from, to]) in found.iter_mut().zip(TIMES) {
        let mut run_to = |end: f64| -> Result<[f64; 2], StepError> {
            while torrent.time() < end {
                torrent.advance(4)?; // steps of an exchange of sediment
            }
            Ok([torrent.time(), bed_height(&torrent)])
        };
        let ([start, before], [end, after]) = (run_to(from)?, run_to(to)?);
        *found = [(before - after) / (end - start), 0.5 * (start + end)];
    }
    Ok(found)
}

pub(super) fn erosion_spacing(pressure: PressureSolver) -> Checks {
    const SOURCE: &str = "law of the wall (Nikuradse 1933), excess shear (Partheniades 1965); ± 10 %";
    let params = Params::default();
    let (soil, grains) = (params.erosion.soil(), params.erosion.sediment_density);
    let mut checks = Vec::new();
    for speed in [1.0, 2.0] {
        for spacing in [0.1, 0.05, 0.025] {
            let found = lowering(pressure, spacing, speed)?;
            for (when, [rate, time]) in ["at first", "later"].into_iter().zip(found) {
                // The sheet slows down as a whole.
                let drag = wall::drag(DEPTH, params.bed.roughness);
                let now = speed / (1.0 + drag * speed * time / DEPTH);
                let stress = params.fluid.density * drag * now * now;
                let expected = soil.strength * (stress - soil.critical_shear) / (grains * soil.packing);
                let quantity =
                    format!("lowering of the bed {when}, {speed} m/s, particles {spacing} m apart");
                checks.push(Check::new(quantity, "m/s", SOURCE).near_share(rate, expected, 0.1));
            }
        }
    }
    Ok(checks)
}
