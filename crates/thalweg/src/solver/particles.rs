//! A run of particles on a bed.

use super::method::{Method, read_as, table};
use super::sections::time_steps;
use super::{
    Books, Clock, Crowd, GoOn, ParticleCounts, Relaxing, Sections, Setup, Solver, StepError, TimeSteps,
    does_not_fit,
};
use crate::project::{Complaint, Emitter, EmitterShape, Pool, Scene};
use crate::state::{Ground, memory_beside};
use schemars::JsonSchema;
use thalweg_coupling::{self as coupling, Edge, Params, ParticleWater, Saved, Setting, Shape, Top};
use thalweg_erosion::pipes;
use thalweg_field::{Field, FieldInfo, Heightfield, Points, Snapshot};
use thalweg_sph::RunningEmitter;
use thalweg_terrain::analysis::slope;
use toml::{Table, Value};

/// Particles on a bed, as scenes know them.
pub(super) const METHOD: Method = Method {
    name: "sph",
    about: "Particles on a bed.",
    schema: Params::json_schema,
    presets: &Params::PRESETS,
    preset: |name| Params::preset(name).as_ref().map(table),
    read: read_as::<Params>,
    check,
    understands: &["emitter", "sink", "water.particles", "output.particles"],
    instead: &[
        (
            "rain",
            "a particle is far larger than a drop; let water in with [[emitter]], or begin with [[water]]",
        ),
        ("source", "let water in with [[emitter]], which has a height and a velocity"),
        ("drain", "take water out with [[sink]]"),
        ("time.coarse", "particles cannot be refined; try things out with a larger solver.fluid.spacing"),
    ],
    free: &["fluid.dt", "fluid.safety", "fluid.max_dt"],
    relax: Some("fluid.relax"),
    spacing: |params| params.get("fluid").and_then(Value::as_table).and_then(spacing),
    // What particles need is known once the size of the cells is.
    memory_of_cells: |[cols, rows], _| memory_beside(cols, rows),
    memory: |setup| memory(setup, &setup.params()?),
    build: |setup| Ok(Box::new(ParticleRun::new(setup)?)),
};

fn spacing(fluid: &Table) -> Option<f64> {
    fluid.get("spacing").and_then(Value::as_float)
}

fn check(scene: &Scene) -> Vec<Complaint> {
    let mut found = Vec::new();
    match scene.solver.params::<Params>() {
        Ok(params) => found.extend(params.validated().err().map(Complaint::from)),
        Err(complaint) => found.push(complaint),
    }
    let edges = &scene.edges;
    for (side, edge) in
        [("north", edges.north), ("east", edges.east), ("south", edges.south), ("west", edges.west)]
    {
        if let pipes::Edge::Level(_) = edge {
            let path = format!("edges.{side}");
            let message = format!(
                "{path} is a reservoir, which particles cannot keep level; use \"closed\" or \"open\", and an \
                 [[emitter]] for the water that comes in"
            );
            found.push(Complaint { path, message });
        }
    }
    found
}

/// Steps taken in one go, at most.
const STRIDE: u64 = 16;

/// The state of a run of particles.
#[derive(Debug)]
struct ParticleRun {
    setup: Setup,
    /// Water and bed.
    water: ParticleWater,
    dt: TimeSteps,
}

impl ParticleRun {
    /// Puts the scene's water onto its terrain.
    fn new(setup: &Setup) -> Result<Self, Complaint> {
        let params = setup.params()?;
        admit(setup, &params)?;
        let water = ParticleWater::new(&setup.ground.field, &params, &setting(setup))?;
        Ok(Self { setup: setup.clone(), water, dt: TimeSteps::NONE })
    }

    /// Particles that were there at the beginning, came, went, and are there now.
    fn counts(&self) -> ParticleCounts {
        let fluid = &self.water.params().fluid;
        let volume = fluid.particle_mass() / fluid.density;
        let water = self.water.ledger().water;
        let [start, added, removed, end] =
            [water.start, water.added, water.exported, water.end].map(|all| (all / volume).round() as u64);
        ParticleCounts { start, added, removed, end }
    }
}

/// Memory that running it takes [bytes]; a complaint about water that is too far away to be searched.
fn memory(setup: &Setup, params: &Params) -> Result<u64, Complaint> {
    let solver = ParticleWater::memory(&setup.ground.field, params, &setting(setup))?;
    Ok(solver.saturating_add(bytes_beside(&setup.ground)))
}

/// Complains about what would need more memory than may be used.
fn admit(setup: &Setup, params: &Params) -> Result<(), Complaint> {
    let (height, max_bytes) = (&setup.ground.field.height, setup.max_bytes);
    let need = memory(setup, params)?;
    if need <= max_bytes {
        return Ok(());
    }
    // Without emitters there are never more particles than at the beginning.
    let (key, remedy) = if setup.scene.emitters.is_empty() {
        ("spacing", "a larger solver.fluid.spacing")
    } else {
        ("max_particles", "a smaller solver.fluid.max_particles, a larger solver.fluid.spacing")
    };
    let message = format!(
        "particles {} m apart on {} by {} cells need about {} MiB, but only {} MiB may be used; use {remedy}, or raise \
         --max-memory",
        params.fluid.spacing,
        height.cols(),
        height.rows(),
        need.div_ceil(1 << 20),
        max_bytes >> 20
    );
    Err(Complaint { path: format!("solver.fluid.{key}"), message })
}

/// Bytes for the terrain beside the solver's own.
fn bytes_beside(ground: &Ground) -> u64 {
    memory_beside(ground.field.height.cols(), ground.field.height.rows())
}

/// What stands around the bed.
fn setting(setup: &Setup) -> Setting {
    let Setup { scene, ground, max_bytes } = setup;
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
        emitters: emitters(scene, &ground.field),
        sinks: scene.sinks.iter().map(|sink| coupling::Sink { from: sink.from, to: sink.to }).collect(),
        edges: [edges.north, edges.east, edges.south, edges.west].map(|edge| match edge {
            pipes::Edge::Open => Edge::Open,
            // Reservoirs are refused when the scene is checked.
            pipes::Edge::Closed | pipes::Edge::Level(_) => Edge::Wall,
        }),
        hardness: ground.softness.as_ref().map(|softness| softness.map(|soft| 1.0 - soft)),
        seed: scene.seed,
        max_bytes: Some(max_bytes.saturating_sub(bytes_beside(ground))),
    }
}

/// The emitters, with their heights above 0 m.
fn emitters(scene: &Scene, ground: &Heightfield) -> Vec<coupling::Emitter> {
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

impl Solver for ParticleRun {
    fn relax(&mut self, go_on: &mut GoOn) -> Result<bool, Complaint> {
        let steps = self.water.params().fluid.relax;
        self.water.relax(&mut |step| go_on(Relaxing { step, steps })).map_err(|error| {
            let path = "solver.fluid.relax".to_owned();
            let message =
                format!("{path} is {steps}; the water at the beginning does not hold together: {error}");
            Complaint { path, message }
        })
    }

    fn clock(&self) -> Clock {
        let time = &self.setup.scene.time;
        let clock = Clock::of_one_pass(time, (self.water.steps_taken(), self.water.time()), STRIDE);
        let before_end = time.duration.map_or(u64::MAX, |duration| self.steps_before(duration));
        Clock {
            dt: self.dt.or_zero(),
            items: self.water.particle_count(),
            kind: "particles",
            next_look: clock.next_look.min(before_end),
            ..clock
        }
    }

    fn steps_before(&self, pass_time: f64) -> u64 {
        let params = &self.water.params().fluid;
        let longest = params.dt.unwrap_or(params.max_dt);
        if self.water.time() + STRIDE as f64 * longest < pass_time { STRIDE } else { 1 }
    }

    fn advance(&mut self, steps: u64) -> Result<(), StepError> {
        let coupling::StepReport { dt_min, dt_max, .. } =
            self.water.advance(steps).map_err(StepError::wild)?;
        self.dt.note(dt_min, dt_max);
        Ok(())
    }

    /// The solver is made anew and takes up the state, as if the run had been stopped and resumed: so a run that is
    /// stopped later goes on in the same bits.
    fn change(&mut self, setup: &Setup) -> Result<(), Complaint> {
        if (&setup.scene.solver, &setup.scene.emitters)
            == (&self.setup.scene.solver, &self.setup.scene.emitters)
        {
            self.setup = setup.clone();
            return Ok(());
        }
        let (before, params) = (self.water.params().clone(), setup.params()?);
        admit(setup, &params)?;
        // This knows what cannot change while water flows.
        self.water.set_params(&params)?;
        let fresh = Self::new(setup).inspect_err(|_| drop(self.water.set_params(&before)));
        let mut water = fresh?.water;
        self.water.set_emitters(&emitters(&setup.scene, &setup.ground.field))?;
        water.restore(&self.water.save()).map_err(|_| does_not_fit())?;
        (self.water, self.setup) = (water, setup.clone());
        Ok(())
    }

    fn ground(&self) -> Heightfield {
        self.water.ground()
    }

    fn points(&self) -> Option<Points> {
        Some(self.water.points())
    }

    fn snapshot(&mut self) -> Snapshot {
        let ground = self.water.ground();
        let steepness =
            Field { info: FieldInfo::new("slope", "rad", "slope of the bed"), values: slope(&ground) };
        let mut fields = self.water.fields();
        fields.push(steepness);
        Snapshot {
            step: self.water.steps_taken(),
            time: self.water.time(),
            points: self.points(),
            ..Snapshot::of_fields(ground.frame, fields)
        }
    }

    /// The bed is left out of the sum of what is missing but for its change: it is so much larger than what water
    /// moves that the difference of two of them would tell rounding and nothing else.
    fn books(&self) -> Books {
        let ledger = self.water.ledger();
        let missing = self.water.missing_grains().abs();
        let moved = ledger.solids.eroded + ledger.solids.added;
        Books {
            ledger,
            solid_density: self.water.solid_density(),
            solids_missing: if missing == 0.0 { 0.0 } else { missing / moved },
            particles: Some(self.counts()),
        }
    }

    fn particles_within(&self, time: f64) -> Option<Crowd> {
        let (fluid, emitters) =
            (&self.water.params().fluid, emitters(&self.setup.scene, &self.setup.ground.field));
        let (start, volume) = (self.counts().start, fluid.particle_mass() / fluid.density);
        let (mut most, mut particle_seconds) = (start as f64, start as f64 * time);
        for emitter in &emitters {
            let rate =
                RunningEmitter::new(emitter, fluid.spacing, volume, "").map_or(0.0, |running| running.rate());
            let lasts = emitter.lifetime.unwrap_or(f64::INFINITY);
            let (from, to) = (emitter.start.min(time), emitter.stop.min(time));
            most += rate * (to - from).min(lasts);
            // The first is there until the end, or its own; the last hardly at all.
            let [first, last] = [from, to].map(|born| (time - born).min(lasts));
            particle_seconds += rate * (to - from) * 0.5 * (first + last);
        }
        let limit = if emitters.is_empty() { start } else { start.max(fluid.max_particles.into()) };
        let most = (most as u64).min(limit);
        let mean = (particle_seconds / time.max(f64::MIN_POSITIVE)).min(most as f64);
        Some(Crowd { start, most, mean })
    }

    fn save(&self, into: &mut Sections) {
        let Saved { numbers, doubles, floats, tags, .. } = self.water.save();
        let height = &self.water.ground().height;
        into.put("size", vec![height.cols(), height.rows()]);
        into.put("particles", self.water.particle_count());
        into.put_doubles("numbers", numbers);
        into.put_doubles("doubles", doubles);
        into.put_floats("floats", floats);
        into.put_bytes("tags", tags.iter().flat_map(|tag| tag.to_le_bytes()).collect());
        into.put_doubles("clock", self.dt.0.to_vec());
    }

    fn load(&mut self, from: &Sections) -> Result<(), String> {
        let (step, steps) = (from.number("step")?, self.setup.scene.time.steps);
        if step > steps {
            return Err(from.too_far(steps)?);
        }
        let (tags, rest) = from.bytes("tags")?.as_chunks::<4>();
        if !rest.is_empty() {
            return Err("its particles do not fit the scene".into());
        }
        let saved = Saved {
            step,
            numbers: from.doubles("numbers")?.to_vec(),
            doubles: from.doubles("doubles")?.to_vec(),
            floats: from.floats("floats")?.to_vec(),
            tags: tags.iter().map(|tag| u32::from_le_bytes(*tag)).collect(),
        };
        self.water.restore(&saved)?;
        self.dt = time_steps(from.doubles("clock")?)?;
        Ok(())
    }
}
