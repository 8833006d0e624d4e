//! `report.json`: what ran, how long, and whether anything was lost.

use crate::project::{Project, Scene};
use crate::session::{Change, Session};
use crate::solver::{Books, Clock, Crumbs, ParticleCounts, WaveBooks};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use thalweg_field::{Heightfield, Ledger, band};
use thalweg_io::{WriteError, atomic};
use thalweg_terrain::analysis::Realism;

/// Time steps `[s]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Dt {
    /// Smallest.
    pub min: f64,
    /// Mean.
    pub mean: f64,
    /// Largest.
    pub max: f64,
}

/// The ground's account `[kg]`, and the water's.
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
    /// Put there by refining the terrain between passes, or with muddy water.
    pub added: f64,
    /// Taken from the bed by water, deposits taken up again included.
    pub eroded: f64,
    /// |what is missing| / |what was eroded| `[-]`; of the whole bed where water moved nothing.
    pub imbalance_rel: f64,
    /// The water's account.
    pub water: WaterReport,
}

/// The books of a water beside the first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OtherWater {
    /// Its method.
    pub kind: &'static str,
    /// Its books.
    pub ledger: LedgerReport,
}

/// The water's account `[m³]`.
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
    /// |what is missing| / |what was there or came| `[-]`.
    pub imbalance_rel: f64,
}

/// What `report.json` says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Version of the program.
    pub thalweg: &'static str,
    /// The output folder, from the root of the file system.
    pub out: String,
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
    /// Simulated time `[s]`.
    pub simulated_s: f64,
    /// Time it took `[s]`.
    pub wall_s: f64,
    /// Time steps.
    pub dt: Dt,
    /// The accounts.
    pub ledger: LedgerReport,
    /// The books of the waters beside the first, where a scene has several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waters: Vec<OtherWater>,
    /// How many particles came and went, of a method that has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub particles: Option<ParticleCounts>,
    /// Rock of a volume that nothing held and that fell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crumbs: Option<Crumbs>,
    /// Where the energy of waves came from and went, if there were waves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waves: Option<WaveBooks>,
    /// What went on otherwise than the scene says.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Realism of the terrain before; none where it is no landscape.
    pub realism_before: Option<Realism>,
    /// Realism of the terrain after.
    pub realism_after: Option<Realism>,
    /// What was changed while it ran.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// Where the time went `[s]`.
    pub timings_s: BTreeMap<&'static str, f64>,
    /// Files in the output folder.
    pub files: Vec<String>,
}

/// Fewest cells along each side of a landscape: fewer hold no network of valleys to measure.
const FEWEST_CELLS: usize = 64;
/// Smallest cell of a landscape `[m]`: below it, ground is the floor of a tank or the bed of a brook.
const SMALLEST_CELL: f64 = 1.0;

/// Whether measures of landscapes tell anything about a scene: its ground is wide enough for valleys, and water comes
/// onto it to cut them. Tanks, dam breaks and lakes at rest are none.
fn is_landscape(scene: &Scene, ground: &Heightfield) -> bool {
    let wide = ground.height.cols().min(ground.height.rows()) >= FEWEST_CELLS;
    let fed = !(scene.rain.is_empty() && scene.sources.is_empty() && scene.emitters.is_empty());
    wide && fed && ground.frame.cell >= SMALLEST_CELL
}

/// Measures the terrain before and after, where that means anything.
pub(super) fn realism(scene: &Scene, before: &Heightfield, after: &Heightfield) -> [Option<Realism>; 2] {
    [before, after].map(|ground| is_landscape(scene, ground).then(|| Realism::of(ground)))
}

/// A path from the root of the file system, as text.
pub fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.into()).display().to_string()
}

/// What only the driver knows of a run.
pub(super) struct Finish<'a> {
    pub out: &'a Path,
    pub timings_s: BTreeMap<&'static str, f64>,
    pub wall_s: f64,
    pub files: Vec<String>,
    pub realism: [Option<Realism>; 2],
}

impl LedgerReport {
    fn of(books: &Books) -> Self {
        let Books { ledger: Ledger { solids, water }, solid_density: density, solids_missing, .. } = *books;
        Self {
            bed_start: solids.bed_start * density,
            bed_end: solids.bed_end * density,
            suspended: solids.suspended * density,
            exported: solids.exported * density,
            added: solids.added * density,
            eroded: solids.eroded * density,
            imbalance_rel: solids_missing,
            water: WaterReport {
                start: water.start,
                added: water.added,
                evaporated: water.evaporated,
                exported: water.exported,
                end: water.end,
                imbalance_rel: water.imbalance(),
            },
        }
    }
}

impl Report {
    pub(super) fn new(project: &Project, state: &Session, finish: Finish) -> Self {
        let Finish { out, timings_s, wall_s, files, realism: [realism_before, realism_after] } = finish;
        let books = state.books();
        let Clock { steps, time, dt: [min, max], .. } = state.clock();
        Self {
            thalweg: env!("CARGO_PKG_VERSION"),
            out: absolute(out),
            scene: project.name.clone(),
            seed: project.scene.seed,
            backend: project.scene.solver.first().backend.resolved(),
            threads: band::threads(),
            steps,
            simulated_s: time,
            wall_s,
            dt: Dt { min, mean: time / steps.max(1) as f64, max },
            ledger: LedgerReport::of(&books),
            waters: state
                .other_books()
                .iter()
                .map(|(kind, books)| OtherWater { kind, ledger: LedgerReport::of(books) })
                .collect(),
            particles: books.particles,
            crumbs: books.crumbs,
            waves: books.waves,
            warnings: state.warnings(),
            realism_before,
            realism_after,
            changes: state.changes().to_vec(),
            timings_s,
            files,
        }
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), WriteError> {
        let text = serde_json::to_string_pretty(self).expect("a report is plain numbers and text");
        atomic::write_atomic(path, |file| file.write_all(text.as_bytes()))
    }
}
