//! A run of particles on a bed.

use super::site::{Site, memory_beside};
use super::{Course, GoOn, NoteError, ParticleCounts, Parts, Plan, Relaxing, does_not_fit};
use crate::project::{Complaint, Emitter, EmitterShape, Pool, Scene};
use crate::stage::{StepError, StepReport};
use std::path::{Path, PathBuf};
use thalweg_coupling::{self as coupling, Edge, Invalid, Params, ParticleWater, Saved, Setting, Shape, Top};
use thalweg_erosion::pipes::{self, Ledger};
use thalweg_field::{Field, FieldInfo, Heightfield, Points, Snapshot};
use thalweg_io::checkpoint::{Checkpoint, CheckpointError, SectionRef, rotate};
use thalweg_terrain::analysis::slope;

/// Steps taken in one go, at most.
const STRIDE: u64 = 16;

/// The state of a run of particles.
#[derive(Debug)]
pub(crate) struct SphRun {
    /// Water and bed.
    pub torrent: ParticleWater,
    /// Shortest and longest time step so far [s].
    dt: [f64; 2],
}

impl SphRun {
    /// Puts the scene's water onto its terrain.
    pub fn new(plan: Plan, params: &Params) -> Result<Self, Invalid> {
        let torrent = ParticleWater::new(&plan.site.ground, params, &setting(plan))?;
        Ok(Self { torrent, dt: [f64::INFINITY, 0.0] })
    }

    /// Memory that running it takes [bytes]; a complaint about water that is too far away to be searched.
    pub fn memory(plan: Plan, params: &Params) -> Result<u64, Complaint> {
        let solver = ParticleWater::memory(&plan.site.ground, params, &setting(plan))?;
        Ok(solver.saturating_add(bytes_beside(plan.site)))
    }

    /// Complains about what would need more memory than may be used.
    pub fn admit(plan: Plan, params: &Params) -> Result<(), Complaint> {
        let Plan { site, max_bytes, .. } = plan;
        let (cols, rows) = (site.ground.height.cols(), site.ground.height.rows());
        let need = Self::memory(plan, params)?;
        if need <= max_bytes {
            return Ok(());
        }
        // Without emitters there are never more particles than at the beginning.
        let (key, remedy) = if plan.scene.emitters.is_empty() {
            ("spacing", "a larger solver.fluid.spacing")
        } else {
            ("max_particles", "a smaller solver.fluid.max_particles, a larger solver.fluid.spacing")
        };
        let message = format!(
            "particles {} m apart on {cols} by {rows} cells need about {} MiB, but only {} MiB may be used; \
             use {remedy}, or raise --max-memory",
            params.fluid.spacing,
            need.div_ceil(1 << 20),
            max_bytes >> 20
        );
        Err(Complaint { path: format!("solver.fluid.{key}"), message })
    }

    /// The state that a checkpoint holds; the text says why there is none.
    pub fn restored(plan: Plan, params: &Params, checkpoint: &Checkpoint) -> Result<Self, String> {
        let parts = Parts(checkpoint);
        let step = parts.number("step")?;
        if step > plan.scene.time.steps {
            return Err(parts.too_far(plan.scene.time.steps)?);
        }
        let misfit = || "its particles do not fit the scene".to_owned();
        let (tags, rest) = parts.bytes("tags")?.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(misfit());
        }
        let saved = Saved {
            step,
            numbers: parts.doubles("numbers")?,
            doubles: parts.doubles("doubles")?,
            floats: parts.floats("floats")?,
            tags: tags.iter().map(|tag| u32::from_le_bytes(*tag)).collect(),
        };
        let mut run = Self::new(plan, params).map_err(|error| error.to_string())?;
        run.torrent.restore(&saved)?;
        run.dt = parts.time_steps(&parts.doubles("clock")?)?;
        Ok(run)
    }

    /// Goes on with other parameters and emitters, from where it is. The solver is made anew and takes up the state,
    /// as if the run had been stopped and resumed: so a run that is stopped later goes on in the same bits.
    pub fn change(&mut self, plan: Plan, params: &Params) -> Result<(), Complaint> {
        let before = self.torrent.params().clone();
        // This knows what cannot change while water flows.
        self.torrent.set_params(params)?;
        let fresh = Self::new(plan, params).inspect_err(|_| drop(self.torrent.set_params(&before)));
        let mut torrent = fresh?.torrent;
        self.torrent.set_emitters(&emitters(plan.scene, &plan.site.ground))?;
        torrent.restore(&self.torrent.save()).map_err(|_| does_not_fit())?;
        self.torrent = torrent;
        Ok(())
    }

    /// Particles that were there at the beginning, came, went, and are there now.
    pub fn counts(&self) -> ParticleCounts {
        let fluid = &self.torrent.params().fluid;
        let volume = fluid.particle_mass() / fluid.density;
        let water = self.torrent.ledger().water;
        let [start, added, removed, end] =
            [water.start, water.added, water.exported, water.end].map(|all| (all / volume).round() as u64);
        ParticleCounts { start, added, removed, end }
    }
}

/// Bytes for the terrain beside the solver's own.
fn bytes_beside(site: &Site) -> u64 {
    memory_beside(site.ground.height.cols(), site.ground.height.rows())
}

/// What stands around the bed.
fn setting(plan: Plan) -> Setting {
    let Plan { scene, site, max_bytes } = plan;
    let pool = |pool: &Pool| coupling::Pool {
        from: pool.from,
        to: pool.to,
        bottom: pool.bottom,
        top: pool.level.map_or_else(|| Top::Depth(pool.depth.unwrap_or(0.0)), Top::Level),
        velocity: pool.velocity.unwrap_or_default(),
        sediment: pool.sediment.unwrap_or(0.0),
        lifetime: pool.lifetime,
    };
    let edges = &scene.edges;
    Setting {
        water: scene.water.iter().map(pool).collect(),
        emitters: emitters(scene, &site.ground),
        sinks: scene.sinks.iter().map(|sink| coupling::Sink { from: sink.from, to: sink.to }).collect(),
        edges: [edges.north, edges.east, edges.south, edges.west].map(|edge| match edge {
            pipes::Edge::Open => Edge::Open,
            // Reservoirs are refused when the scene is checked.
            pipes::Edge::Closed | pipes::Edge::Level(_) => Edge::Wall,
        }),
        hardness: site.softness.as_ref().map(|softness| softness.map(|soft| 1.0 - soft)),
        seed: scene.seed,
        max_bytes: Some(max_bytes.saturating_sub(bytes_beside(site))),
    }
}

/// The emitters, with their heights above 0 m.
pub(super) fn emitters(scene: &Scene, ground: &Heightfield) -> Vec<coupling::Emitter> {
    let emitter = |emitter: &Emitter| {
        // What a shape needs is there: the scene was checked.
        let [at, from, to] = [emitter.at, emitter.from, emitter.to].map(Option::unwrap_or_default);
        let bed = if emitter.above_bed { bed_at(ground, emitter.middle()) } else { 0.0 };
        let raised = |[east, north, up]: [f64; 3]| [east, north, up + bed];
        coupling::Emitter {
            shape: match emitter.shape {
                EmitterShape::Box => Shape::Box { from: raised(from), to: raised(to) },
                EmitterShape::Disc => {
                    Shape::Disc { at: raised(at), radius: emitter.radius.unwrap_or_default() }
                }
                EmitterShape::Line => Shape::Line { from: raised(from), to: raised(to) },
            },
            velocity: emitter.velocity,
            rate: emitter.rate,
            lifetime: emitter.lifetime,
            sediment: emitter.sediment,
            start: emitter.start,
            stop: emitter.stop.unwrap_or(f64::INFINITY),
        }
    };
    scene.emitters.iter().map(emitter).collect()
}

/// Height of the bed at a place [m].
fn bed_at(ground: &Heightfield, place: [f64; 2]) -> f64 {
    let [col, row] = ground.cell_from_local(place);
    ground.height.bilinear(col, row).into()
}

impl Course for SphRun {
    fn relax(&mut self, go_on: &mut GoOn) -> Result<bool, Complaint> {
        let steps = self.torrent.params().fluid.relax;
        self.torrent.relax(&mut |step| go_on(Relaxing { step, steps })).map_err(|error| {
            let path = "solver.fluid.relax".to_owned();
            let message =
                format!("{path} is {steps}; the water at the beginning does not hold together: {error}");
            Complaint { path, message }
        })
    }

    fn steps_taken(&self) -> u64 {
        self.torrent.steps_taken()
    }

    fn time(&self) -> f64 {
        self.torrent.time()
    }

    fn pass_time(&self) -> f64 {
        self.torrent.time()
    }

    fn dt(&self) -> [f64; 2] {
        self.dt
    }

    fn items(&self) -> (usize, &'static str) {
        (self.torrent.particle_count(), "particles")
    }

    fn steps_planned(&self, scene: &Scene) -> u64 {
        scene.time.steps
    }

    fn steps_to_next_look(&self, scene: &Scene) -> u64 {
        let taken = self.torrent.steps_taken();
        let aligned = (STRIDE - taken % STRIDE).min(scene.time.steps.saturating_sub(taken));
        scene.time.duration.map_or(aligned, |duration| aligned.min(self.steps_before(duration)))
    }

    fn steps_before(&self, pass_time: f64) -> u64 {
        let params = &self.torrent.params().fluid;
        let longest = params.dt.unwrap_or(params.max_dt);
        if self.torrent.time() + STRIDE as f64 * longest < pass_time { STRIDE } else { 1 }
    }

    fn is_over(&self, scene: &Scene) -> bool {
        let late = scene.time.duration.is_some_and(|duration| self.torrent.time() >= duration);
        late || self.torrent.steps_taken() >= scene.time.steps
    }

    fn share(&self, plan: Plan) -> f64 {
        let time = &plan.scene.time;
        let steps = self.torrent.steps_taken() as f64 / time.steps.max(1) as f64;
        let lapsed = time.duration.map_or(0.0, |duration| self.torrent.time() / duration);
        if self.is_over(plan.scene) { 1.0 } else { steps.max(lapsed) }
    }

    fn end_time(&self, scene: &Scene) -> Option<f64> {
        scene.time.duration
    }

    fn note(&mut self, _: Plan, report: &StepReport) -> Result<(), NoteError> {
        let [shortest, longest] = self.dt;
        self.dt = [shortest.min(report.dt_min), longest.max(report.dt_max)];
        Ok(())
    }

    /// The solver looks for them after every step.
    fn check_finite(&self) -> Result<(), StepError> {
        Ok(())
    }

    fn ground(&self) -> Heightfield {
        self.torrent.ground()
    }

    fn points(&self) -> Option<Points> {
        Some(self.torrent.points())
    }

    fn ledger(&self) -> Ledger {
        self.torrent.ledger()
    }

    fn solid_density(&self) -> f64 {
        self.torrent.solid_density()
    }

    /// The bed is left out of the sum but for its change: it is so much larger than what a torrent moves that the
    /// difference of two of them would tell rounding and nothing else.
    fn solids_missing(&self) -> f64 {
        let solids = self.torrent.ledger().solids;
        let missing = self.torrent.missing_grains().abs();
        if missing == 0.0 { 0.0 } else { missing / (solids.eroded + solids.added) }
    }

    fn snapshot(&mut self, _: Plan) -> Snapshot {
        let ground = self.torrent.ground();
        let steepness =
            Field { info: FieldInfo::new("slope", "rad", "slope of the bed"), values: slope(&ground) };
        let mut fields = self.torrent.fields();
        fields.push(steepness);
        Snapshot {
            step: self.steps_taken(),
            time: self.time(),
            points: self.points(),
            ..Snapshot::of_fields(ground.frame, fields)
        }
    }

    fn save(&self, folder: &Path, mut header: serde_json::Value) -> Result<PathBuf, CheckpointError> {
        let Saved { step, numbers, doubles, floats, tags } = self.torrent.save();
        let height = &self.torrent.ground().height;
        header["size"] = vec![height.cols(), height.rows()].into();
        header["particles"] = self.torrent.particle_count().into();
        let tags: Vec<_> = tags.iter().flat_map(|tag| tag.to_le_bytes()).collect();
        let sections = [
            ("numbers", SectionRef::F64(&numbers)),
            ("doubles", SectionRef::F64(&doubles)),
            ("floats", SectionRef::F32(&floats)),
            ("tags", SectionRef::Bytes(&tags)),
            ("clock", SectionRef::F64(&self.dt)),
        ];
        rotate(folder, step, &header, &sections)
    }
}
