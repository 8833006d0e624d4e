//! `report.json`: what ran, how long, and whether anything was lost.

use crate::project::{BuiltIn, Project};
use crate::state::State;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use thalweg_field::{Heightfield, band};
use thalweg_io::{WriteError, atomic};
use thalweg_terrain::analysis::{Measures, Statistics, jensen_shannon};

/// Density of solid rock [kg/m³]; the ledger's masses are volumes of bed times this.
pub const ROCK_DENSITY: f64 = 2650.0;

/// Time steps [s].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Dt {
    /// Smallest.
    pub min: f64,
    /// Mean.
    pub mean: f64,
    /// Largest.
    pub max: f64,
}

/// The ground's account [kg], and the water's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LedgerReport {
    /// Bed above 0 m at the beginning.
    pub bed_start: f64,
    /// Bed at the end.
    pub bed_end: f64,
    /// Afloat at the end.
    pub suspended: f64,
    /// Left over the edges.
    pub exported: f64,
    /// Put there by refining the terrain between passes.
    pub added: f64,
    /// |what is missing| / |what was eroded| [-].
    pub imbalance_rel: f64,
    /// The water's account.
    pub water: WaterReport,
}

/// The water's account [m³].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WaterReport {
    /// On the terrain at the beginning.
    pub start: f64,
    /// Rained, sprung, flowed in.
    pub added: f64,
    /// Evaporated.
    pub evaporated: f64,
    /// Left over the edges and through drains.
    pub exported: f64,
    /// On the terrain at the end.
    pub end: f64,
    /// |what is missing| / |what was there or came| [-].
    pub imbalance_rel: f64,
}

/// How natural the ground looks to a geomorphologist.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Realism {
    /// Share of the cells in pits [-].
    pub pit_fraction: Option<f64>,
    /// Exponent of Hack's law [-].
    pub hack_exponent: Option<f64>,
    /// Concavity of channels [-].
    pub concavity: Option<f64>,
    /// Jensen–Shannon distance of the landform histogram to that of Big Tujunga, a real landscape [-].
    pub geomorphon_distance: Option<f64>,
}

/// What `report.json` says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Version of the program.
    pub thalweg: &'static str,
    /// Name of the scene.
    pub scene: String,
    /// Its seed.
    pub seed: u64,
    /// What it ran on.
    pub backend: &'static str,
    /// On how many threads.
    pub threads: usize,
    /// Steps taken.
    pub steps: u64,
    /// Simulated time [s].
    pub simulated_s: f64,
    /// Time it took [s].
    pub wall_s: f64,
    /// Time steps.
    pub dt: Dt,
    /// The accounts.
    pub ledger: LedgerReport,
    /// Realism of the terrain before.
    pub realism_before: Realism,
    /// Realism of the terrain after.
    pub realism_after: Realism,
    /// Where the time went [s].
    pub timings_s: BTreeMap<&'static str, f64>,
    /// Files in the output folder.
    pub files: Vec<String>,
}

/// Measures the terrain before and after.
pub fn realism(before: &Heightfield, after: &Heightfield) -> [Realism; 2] {
    let measures = Measures::default();
    let real = tujunga().and_then(|ground| Statistics::of(&ground, &measures).geomorphons);
    [before, after].map(|ground| {
        let statistics = Statistics::of(ground, &measures);
        let distance = real.as_ref().zip(statistics.geomorphons.as_ref());
        Realism {
            pit_fraction: statistics.pit_fraction,
            hack_exponent: statistics.hack_exponent,
            concavity: statistics.concavity,
            geomorphon_distance: distance.map(|(real, own)| jensen_shannon(real, own)),
        }
    })
}

/// The real landscape that others are compared with.
fn tujunga() -> Option<Heightfield> {
    let mut project = BuiltIn::named("tujunga")?.open(&[]).ok()?;
    project.scene.rain.clear();
    Some(State::new(&project, u64::MAX).ok()?.start().clone())
}

impl Report {
    #[allow(clippy::too_many_arguments)] // the parts of a report
    pub(super) fn new(
        project: &Project,
        state: &State,
        dt: Dt,
        timings_s: BTreeMap<&'static str, f64>,
        wall_s: f64,
        files: Vec<String>,
        [realism_before, realism_after]: [Realism; 2],
    ) -> Self {
        let ledger = state.ledger();
        let (solids, water) = (ledger.solids, ledger.water);
        Self {
            thalweg: env!("CARGO_PKG_VERSION"),
            scene: project.name.clone(),
            seed: project.scene.seed,
            backend: project.scene.solver.backend.resolved(),
            threads: band::threads(),
            steps: state.steps_taken(),
            simulated_s: state.time(),
            wall_s,
            dt,
            ledger: LedgerReport {
                bed_start: solids.bed_start * ROCK_DENSITY,
                bed_end: solids.bed_end * ROCK_DENSITY,
                suspended: solids.suspended * ROCK_DENSITY,
                exported: solids.exported * ROCK_DENSITY,
                added: solids.added * ROCK_DENSITY,
                imbalance_rel: solids.imbalance(),
                water: WaterReport {
                    start: water.start,
                    added: water.added,
                    evaporated: water.evaporated,
                    exported: water.exported,
                    end: water.end,
                    imbalance_rel: water.imbalance(),
                },
            },
            realism_before,
            realism_after,
            timings_s,
            files,
        }
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), WriteError> {
        let text = serde_json::to_string_pretty(self).expect("a report is plain numbers and text");
        atomic::write_atomic(path, |file| file.write_all(text.as_bytes()))
    }
}
