//! What is shown of a run of pipes.

use super::super::Wanted;
use super::super::relief::{bed_moved, finer};
use super::PipesRun;
use thalweg_erosion::pipes::{Counterflow, Neighbour, Pipes};
use thalweg_field::{Field, FieldInfo, Grid2, Heightfield, Snapshot};
use thalweg_terrain::analysis::slope;
use thalweg_terrain::resample;

/// Maps of the flow to each neighbour, in the order of [`Neighbour::ALL`].
pub(super) const OUTFLOWS: [&str; 8] = [
    "outflow_west",
    "outflow_east",
    "outflow_north",
    "outflow_south",
    "outflow_north_west",
    "outflow_north_east",
    "outflow_south_west",
    "outflow_south_east",
];

/// Water deeper than this counts as wet `[m]`.
const WET: f32 = 0.01;

/// Adds what flows and what is wet now, weighted with the time since the last sample.
fn add_sample(pipes: &Pipes, sampled: f64, flow: &mut Grid2<f32>, wet: &mut Grid2<f32>) {
    let span = (pipes.time() - sampled) as f32;
    let (depth, discharge) = (pipes.depth(), pipes.discharge());
    flow.for_each_row(|row, cells| {
        for (flow, q) in cells.iter_mut().zip(discharge.row(row)) {
            *flow += q * span;
        }
    });
    wet.for_each_row(|row, cells| {
        for (wet, &d) in cells.iter_mut().zip(depth.row(row)) {
            *wet += if d > WET { span } else { 0.0 };
        }
    });
}

fn replace(snapshot: &mut Snapshot, name: &str, values: Grid2<f32>) {
    if let Some(field) = snapshot.fields.iter_mut().find(|field| field.info.name == name) {
        field.values = values;
    }
}

impl PipesRun {
    pub(super) fn sample(&mut self) {
        add_sample(&self.pipes, self.sampled, &mut self.flow, &mut self.wet);
        self.sampled = self.pipes.time();
    }

    /// Mean discharge per width and share of the time under water, over the time of the pass that is sampled; at the end
    /// also over what has flowed since the last sample.
    fn means(&self) -> [Grid2<f32>; 2] {
        let (mut flow, mut wet, mut sampled) = (self.flow.clone(), self.wet.clone(), self.sampled);
        if self.is_over() {
            add_sample(&self.pipes, sampled, &mut flow, &mut wet);
            sampled = self.pipes.time();
        }
        let per_time = if sampled > 0.0 { (1.0 / sampled) as f32 } else { 0.0 };
        [flow, wet].map(|sum| sum.map(|v| v * per_time))
    }

    /// What the maps of the flow to a neighbour tell.
    fn outflow_meaning(&self) -> &'static str {
        match self.pipes.params().counterflow {
            Counterflow::Keep => "outflow to the neighbour on that side",
            Counterflow::Cancel => {
                "net flow to the neighbour on that side, negative where it comes from there"
            }
        }
    }
}

pub(super) fn snapshot(run: &PipesRun, wanted: &Wanted) -> Snapshot {
    let ground = run.pipes.ground();
    let mut shown = Snapshot::of_fields(ground.frame.clone(), Vec::new());
    (shown.step, shown.time) = (run.steps_taken(), run.time());
    let mut add = |name, unit, meaning, values: &dyn Fn() -> Grid2<f32>| {
        if wanted.has(name) {
            shown.fields.push(Field { info: FieldInfo::new(name, unit, meaning), values: values() });
        }
    };
    add("height", "m", "height of the bed", &|| ground.height.clone());
    add("water", "m", "depth of the water above the bed", &|| run.pipes.depth());
    add("sediment", "m", "sediment in the water, as the height it has at rest", &|| run.pipes.sediment());
    let moving = ["speed", "velocity_east", "velocity_north"].iter().any(|name| wanted.has(name));
    if moving {
        let [east, north] = run.pipes.velocity();
        // By the square root alone, which is rounded the same everywhere.
        let speed = || {
            Grid2::from_fn(east.cols(), east.rows(), |c, r| {
                let [east, north] = [&east, &north].map(|grid| f64::from(grid.at(c, r)));
                (east * east + north * north).sqrt() as f32
            })
        };
        add("speed", "m/s", "speed of the water", &speed);
        add("velocity_east", "m/s", "velocity of the water to the east", &|| east.clone());
        add("velocity_north", "m/s", "velocity of the water to the north", &|| north.clone());
    }
    if ["erosion", "deposition"].iter().any(|name| wanted.has(name)) {
        let start = run.setup.ground.of_pass(run.scene(), run.pass);
        // Not from heights, which on high ground cannot tell what a shower does.
        let gained = run.pipes.bed_above(&start.height);
        add("erosion", "m", "bed lost since the beginning", &|| gained.map(|gain| (-gain).max(0.0)));
        add("deposition", "m", "bed gained since the beginning", &|| gained.map(|gain| gain.max(0.0)));
    }
    if ["flow", "wetness"].iter().any(|name| wanted.has(name)) {
        let [flow, wet] = run.means();
        add("flow", "m²/s", "mean discharge per metre of width", &|| flow.clone());
        add("wetness", "-", "share of the time under water", &|| wet.clone());
    }
    add("slope", "rad", "slope of the bed", &|| slope(&ground));
    let outflows = OUTFLOWS.iter().zip(Neighbour::ALL).take(run.pipes.neighbours().len());
    for (name, to) in outflows.filter(|(name, _)| wanted.names(name)) {
        add(name, "m³/s", run.outflow_meaning(), &|| run.pipes.outflow(to));
    }
    shown
}

pub(super) fn scenery(run: &PipesRun) -> Snapshot {
    let mut snapshot = snapshot(run, &Wanted::all());
    if run.sampled == 0.0 && !run.is_over() {
        // Until a pass has its first sample, what is now stands for the mean.
        let depth = run.pipes.depth();
        replace(&mut snapshot, "flow", run.pipes.discharge());
        replace(&mut snapshot, "wetness", depth.map(|depth| f32::from(depth > WET)));
    }
    if run.is_last_pass() {
        return snapshot;
    }
    let passes = run.pass..run.scene().time.coarse.len();
    let ground = passes.fold(run.pipes.ground(), |ground, pass| finer(&run.setup, pass, &ground));
    let (cols, rows) = (ground.height.cols(), ground.height.rows());
    for field in &mut snapshot.fields {
        let coarse = Heightfield { height: field.values.clone(), frame: snapshot.frame.clone() };
        field.values = resample(&coarse, cols, rows).height;
    }
    let start = run.setup.ground.heights();
    replace(&mut snapshot, "slope", slope(&ground));
    replace(&mut snapshot, "erosion", bed_moved(&ground, start, -1.0));
    replace(&mut snapshot, "deposition", bed_moved(&ground, start, 1.0));
    replace(&mut snapshot, "height", ground.height);
    snapshot.frame = ground.frame;
    snapshot
}
