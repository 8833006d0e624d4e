//! A run of particles on a bed.

use super::method::{Method, read_as, table};
use super::sections::time_steps;
use super::{
    Books, Canvas, CellPatch, Clock, Crowd, Crumbs, GoOn, Layer, ParticleCounts, Patch, Relaxing, Rounds,
    Sections, Setup, Solver, StepError, Stroke, Tool, Wanted, cannot_paint,
};
use crate::project::{Complaint, Emitter, EmitterShape, Obstacle, ObstacleShape, Scene};
use crate::world::{Ground, memory_beside};
use schemars::JsonSchema;
use std::sync::Arc;
use thalweg_coupling::{
    self as coupling, Params, ParticleWater, RockBrush, RockTool, Saved, Setting, Shape, SolidShape, Terrain,
};
use thalweg_field::{
    Body, BodyPart, Edge, Field, FieldInfo, Finish, Grid2, Heightfield, Invalid, Material, Points, Pose,
    Region, Snapshot, TimeSteps, TriMesh,
};
use thalweg_sph::{FluidParams, RoundsTaken, RunningEmitter};
use thalweg_terrain::analysis::slope;
use thalweg_terrain::volume::Volume;
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
    understands: &[
        "terrain.volume",
        "emitter",
        "sink",
        "obstacle",
        "probe",
        "water.particles",
        "output.particles",
        "output.surface",
    ],
    instead: &[
        (
            "rain",
            "a particle is far larger than a drop; let water in with [[emitter]], or begin with [[water]]",
        ),
        ("source", "let water in with [[emitter]], which has a height and a velocity"),
        ("drain", "take water out with [[sink]]"),
        ("time.coarse", "particles cannot be refined; try things out with a larger solver.fluid.spacing"),
    ],
    more_maps: &[],
    free: &["fluid.dt", "fluid.safety", "fluid.max_dt"],
    relax: Some("fluid.relax"),
    spacing: |params| params.get("fluid").and_then(Value::as_table).and_then(spacing),
    // What particles need is known once the size of the cells is.
    memory_of_cells: |[cols, rows], _| memory_beside(cols, rows),
    memory: |setup| memory(setup, &params(setup)?),
    build: |setup| Ok(Box::new(ParticleRun::new(setup)?)),
};

/// Distance of the particles, unless it follows from their number.
fn spacing(fluid: &Table) -> Option<f64> {
    let counted = fluid.contains_key("particles");
    fluid.get("spacing").and_then(Value::as_float).filter(|_| !counted)
}

/// The parameters of a scene, with the spacing that its number of particles asks for.
fn params(setup: &Setup) -> Result<Params, Complaint> {
    ParticleWater::with_count(terrain(setup), &setup.params()?, &setting(setup)).map_err(complaint)
}

fn check(scene: &Scene) -> Vec<Complaint> {
    let mut found = Vec::new();
    match scene.solver.first().params::<Params>() {
        Ok(params) => found.extend(params.validated().err().map(complaint)),
        Err(complaint) => found.push(complaint),
    }
    let edges = &scene.edges;
    for (side, edge) in
        [("north", edges.north), ("east", edges.east), ("south", edges.south), ("west", edges.west)]
    {
        if let Edge::Level(_) = edge {
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

/// Parameters stand below `solver`; what else the water names stands at the top of a scene.
fn complaint(invalid: Invalid) -> Complaint {
    let parameter =
        ["fluid.", "bed.", "erosion.", "periodic"].iter().any(|section| invalid.key.starts_with(section));
    let above = if parameter { "solver." } else { "" };
    Complaint { path: format!("{above}{}", invalid.key), message: format!("{above}{invalid}") }
}

/// What is seen of obstacles.
const CONCRETE: Material = Material { colour: [158, 155, 148], finish: Finish::Matt, bottom: None };
/// And of gates.
const GATE: Material = Material { colour: [104, 108, 112], finish: Finish::Metal, bottom: None };

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
        let params = params(setup)?;
        admit(setup, &params)?;
        let water = ParticleWater::new(terrain(setup), &params, &setting(setup)).map_err(complaint)?;
        Ok(Self { setup: setup.clone(), water, dt: TimeSteps::NONE })
    }

    /// Particles that were there at the beginning, came, went, and are there now.
    fn counts(&self) -> ParticleCounts {
        let fluid = &self.water.params().fluid;
        let volume = fluid.particle_mass() / fluid.density;
        let water = self.water.ledger().water;
        let [start, added, removed, end] =
            [water.start, water.added, water.exported, water.end].map(|all| (all / volume).round() as u64);
        let held_back = self.water.held_back().round() as u64;
        ParticleCounts { start, added, removed, end, held_back, rounds: self.rounds() }
    }

    /// Rounds in which the pressure was sought, if it was.
    fn rounds(&self) -> Option<Rounds> {
        let RoundsTaken { rounds, anew, unfinished, worst } = self.water.fluid().rounds_taken();
        (rounds > 0).then_some(Rounds {
            taken: rounds,
            steps_anew: anew,
            steps_unfinished: unfinished,
            worst,
        })
    }

    /// What emitters could not give for want of room, in words.
    fn held_back(&self) -> Option<String> {
        let (held_back, most) =
            (self.water.held_back().round() as u64, self.water.params().fluid.max_particles);
        let text = format!(
            "solver.fluid.max_particles is {most}, and there is no room for more: emitters have held back {held_back} \
             particles; raise it, let water leave through a sink, an open edge or with a lifetime, or use a larger \
             solver.fluid.spacing"
        );
        (held_back > 0).then_some(text)
    }

    /// Steps in which the pressure was not found, in words.
    fn unfinished(&self) -> Option<String> {
        let FluidParams { max_rounds, tolerance, .. } = self.water.params().fluid;
        let RoundsTaken { unfinished, worst, .. } = self.water.fluid().rounds_taken();
        let text = format!(
            "solver.fluid.max_rounds is {max_rounds}, and in {unfinished} of {} steps that did not do: they went on with up to {:.2e} of the \
             water's volume still compressed, and solver.fluid.tolerance is {tolerance:.2e}; raise max_rounds or tolerance, or lower \
             solver.fluid.safety",
            self.water.steps_taken(),
            worst
        );
        (unfinished > 0).then_some(text)
    }

    /// Pieces of rock that have fallen, if any.
    fn crumbs(&self) -> Option<Crumbs> {
        let crumbs = self.water.crumbs();
        (crumbs.count > 0).then_some(Crumbs { count: crumbs.count, volume: crumbs.rock })
    }
}

impl ParticleRun {
    /// The obstacles that are there, where they are.
    fn obstacles(&self) -> Vec<Body> {
        let Setup { scene, ground, .. } = &self.setup;
        let there = scene.obstacles.iter().zip(&ground.meshes).zip(self.water.lifted()).enumerate();
        let seen = there.filter_map(|(i, (described, lifted))| {
            let solid = solid(described);
            let material = if solid.opens.is_some() { GATE } else { CONCRETE };
            let mesh = Arc::new(solid.shape.mesh());
            let pose = Pose { place: [0.0, 0.0, lifted?], ..Pose::default() };
            let name = format!("obstacle-{i}").into();
            Some(Body { name, parts: vec![BodyPart { mesh, material }], dry: None, pose })
        });
        seen.collect()
    }

    /// Adds rock to a volume along a stroke, takes it away or makes it even: in a ball of its radius, around its level or on the uppermost surface. Of rock that is
    /// added or taken, the share that its strength is of the radius.
    fn paint_rock(&mut self, stroke: &Stroke) -> Result<Patch, Complaint> {
        let height = |at: &[f64; 2]| stroke.level.unwrap_or_else(|| self.water.top(*at));
        let along: Vec<_> = stroke.along.iter().map(|at| [at[0], at[1], height(at)]).collect();
        let (tool, share) = match stroke.tool {
            Tool::Raise => (RockTool::Add, stroke.strength / stroke.radius),
            Tool::Smooth => (RockTool::Smooth, stroke.strength),
            Tool::Flatten => (RockTool::Flatten(along[0][2]), stroke.strength),
            Tool::Harden => (RockTool::Harden, stroke.strength),
            Tool::Soften => (RockTool::Soften, stroke.strength),
            _ => (RockTool::Take, stroke.strength / stroke.radius),
        };
        let painted = self.water.brush_rock(&RockBrush { tool, along, radius: stroke.radius, share });
        painted.map(Patch::Rock).map_err(complaint)
    }

    /// Takes water away along a stroke: all of it, or in a volume that within its radius of its level, if it has one.
    fn scoop(&mut self, stroke: &Stroke) -> Result<Patch, Complaint> {
        let level = stroke.level.filter(|_| self.water.volume().is_some());
        let scooped = self.water.scoop(|[east, north, up]| {
            let near = stroke.distance([east, north]).hypot(level.map_or(0.0, |level| up - level));
            near < stroke.radius
        });
        Ok(Patch::Particles(scooped.map_err(complaint)?))
    }

    /// Sets what has come on top of the bed to what `paint` makes of it; water may follow ground that sinks.
    fn set_bed(
        &mut self,
        region: Region,
        follow: bool,
        paint: impl FnOnce(&[f64]) -> Vec<f64>,
    ) -> Result<Patch, Complaint> {
        let before = self.water.bed_change(&region);
        let after = paint(&before);
        self.water.set_bed_change(&region, &after, follow).map_err(complaint)?;
        let grid = self.water.bed().size;
        Ok(Patch::Cells(CellPatch { layer: Layer::Ground, grid, region, before, after }))
    }
}

/// Memory that running it takes `[bytes]`; a complaint about water that is too far away to be searched.
fn memory(setup: &Setup, params: &Params) -> Result<u64, Complaint> {
    let solver = ParticleWater::memory(terrain(setup), params, &setting(setup)).map_err(complaint)?;
    Ok(solver.saturating_add(bytes_beside(&setup.ground)))
}

/// Complains about what would need more memory than may be used.
fn admit(setup: &Setup, params: &Params) -> Result<(), Complaint> {
    let (height, max_bytes) = (&setup.ground.heights().height, setup.max_bytes);
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
    memory_beside(ground.heights().height.cols(), ground.heights().height.rows())
}

/// What water is put on.
fn terrain(setup: &Setup) -> Terrain<'_> {
    setup.ground.volume().map_or(Terrain::Heights(setup.ground.heights()), |volume| Terrain::Volume(volume))
}

/// What stands around the bed.
fn setting(setup: &Setup) -> Setting {
    let Setup { scene, ground, max_bytes } = setup;
    Setting {
        water: scene.pools(),
        emitters: emitters(scene, ground.heights()),
        sinks: scene.sinks.iter().map(|sink| coupling::Sink { from: sink.from, to: sink.to }).collect(),
        solids: scene.obstacles.iter().zip(&ground.meshes).map(solid).collect(),
        edges: scene.edges,
        hardness: ground.softness().map(|softness| softness.map(|soft| 1.0 - soft)),
        strata: ground.strata().cloned(),
        seed: scene.seed,
        max_bytes: Some(max_bytes.saturating_sub(bytes_beside(ground))),
    }
}

/// An obstacle as a body, its mesh in its place.
fn solid((obstacle, mesh): (&Obstacle, &Option<Arc<TriMesh>>)) -> coupling::Solid {
    let Obstacle { turn, opens, lift, .. } = *obstacle;
    let [from, to, at] = [obstacle.from, obstacle.to, obstacle.at].map(Option::unwrap_or_default);
    let shape = match (obstacle.shape, mesh) {
        (ObstacleShape::Box, _) => SolidShape::Box { from, to, turn },
        (ObstacleShape::Mesh, None) => SolidShape::Mesh(Arc::default()),
        (ObstacleShape::Mesh, Some(mesh)) => {
            let (sin, cos) = turn.sin_cos();
            let placed = |place: &[f32; 3]| {
                let [x, y, z] = place.map(|v| f64::from(v) * obstacle.scale.unwrap_or(1.0));
                let turned = [cos * x - sin * y, sin * x + cos * y, z];
                std::array::from_fn(|axis| (turned[axis] + at[axis]) as f32)
            };
            let positions = mesh.positions.iter().map(placed).collect();
            SolidShape::Mesh(Arc::new(TriMesh {
                positions,
                normals: Vec::new(),
                triangles: mesh.triangles.clone(),
            }))
        }
    };
    coupling::Solid { shape, opens, lift }
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

/// Height of the bed at a place `[m]`.
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
            most_steps: clock.most_steps.min(before_end),
            ..clock
        }
    }

    fn steps_before(&self, pass_time: f64) -> u64 {
        let params = &self.water.params().fluid;
        let longest = params.dt.unwrap_or(params.max_dt);
        if self.water.time() + STRIDE as f64 * longest < pass_time { STRIDE } else { 1 }
    }

    fn advance(&mut self, steps: u64) -> Result<(), StepError> {
        self.dt.add(self.water.advance(steps).map_err(StepError::wild)?);
        Ok(())
    }

    fn change(&mut self, setup: &Setup) -> Result<(), Complaint> {
        let params = params(setup)?;
        admit(setup, &params)?;
        self.water.change(&params, &setting(setup)).map_err(complaint)?;
        self.setup = setup.clone();
        Ok(())
    }

    fn ground(&self) -> Heightfield {
        self.water.ground()
    }

    fn volume(&self) -> Option<&Volume> {
        self.water.volume()
    }

    fn points(&self) -> Option<Points> {
        Some(self.water.points())
    }

    fn paint(&mut self, stroke: &Stroke) -> Result<Patch, Complaint> {
        let heights = self.setup.ground.heights();
        let canvas = Canvas::new(heights.height.cols(), heights.height.rows(), &heights.frame);
        let region = stroke.region(&canvas);
        match stroke.tool {
            Tool::Pour => {
                let depth = |place| stroke.strength * stroke.weight(place);
                let poured = self.water.pour(&region, stroke.level, depth);
                Ok(Patch::Particles(poured.map_err(complaint)?))
            }
            Tool::Scoop => self.scoop(stroke),
            _ if self.water.volume().is_some() => self.paint_rock(stroke),
            Tool::Harden | Tool::Soften => Err(cannot_paint(Layer::Softness)),
            Tool::Raise | Tool::Lower | Tool::Smooth | Tool::Flatten => {
                let bed = self.water.bed();
                let height = |(col, row)| bed.exact_height(bed.vertex(col, row));
                let heights: Vec<_> = region.cells().map(height).collect();
                let painted = stroke.painted(&canvas, &region, &heights);
                let by: Vec<_> = painted.iter().zip(&heights).map(|(after, before)| after - before).collect();
                self.set_bed(region, false, |change| {
                    change.iter().zip(by).map(|(change, by)| change + by).collect()
                })
            }
        }
    }

    fn repaint(&mut self, patch: &Patch) -> Result<Patch, Complaint> {
        match patch {
            Patch::Particles(wanted) => {
                Ok(Patch::Particles(self.water.exchange(wanted.clone()).map_err(complaint)?))
            }
            Patch::Rock(patch) => self.water.paint_rock(patch).map(Patch::Rock).map_err(complaint),
            Patch::Cells(patch) if patch.layer == Layer::Ground && self.water.volume().is_none() => {
                let patch = patch.on_grid(self.water.bed().size);
                self.set_bed(patch.region.clone(), true, |change| patch.over(change))
            }
            Patch::Cells(patch) => Err(cannot_paint(patch.layer)),
        }
    }

    fn shift_ground(&mut self, by: &Grid2<f32>) -> Result<(), Complaint> {
        if self.water.volume().is_some() {
            return Err(cannot_paint(Layer::Ground));
        }
        let whole = Region { cols: 0..by.cols(), rows: 0..by.rows() };
        let shifted = |(change, by): (&f64, &f32)| change + f64::from(*by);
        self.set_bed(whole, false, |change| change.iter().zip(by.values()).map(shifted).collect()).map(drop)
    }

    fn snapshot(&self, wanted: &Wanted) -> Snapshot {
        let ground = self.water.ground();
        let mut fields =
            if wanted.fields.as_ref().is_some_and(Vec::is_empty) { Vec::new() } else { self.water.fields() };
        fields.retain(|field| wanted.has(&field.info.name));
        if wanted.has("slope") {
            let info = FieldInfo::new("slope", "rad", "slope of the bed");
            fields.push(Field { info, values: slope(&ground) });
        }
        Snapshot {
            step: self.water.steps_taken(),
            time: self.water.time(),
            points: if wanted.points { self.points() } else { None },
            bodies: if wanted.points { self.obstacles() } else { Vec::new() },
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
            crumbs: self.crumbs(),
            waves: None,
        }
    }

    fn particles_within(&self, time: f64) -> Option<Crowd> {
        let (fluid, emitters) =
            (&self.water.params().fluid, emitters(&self.setup.scene, self.setup.ground.heights()));
        let (start, volume) = (self.counts().start, fluid.particle_mass() / fluid.density);
        let (mut most, mut particle_seconds) = (start as f64, start as f64 * time);
        for emitter in &emitters {
            let rate = RunningEmitter::new(emitter, fluid, volume, "").map_or(0.0, |running| running.rate());
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

    fn warning(&self) -> Option<String> {
        let told: Vec<String> = self.held_back().into_iter().chain(self.unfinished()).collect();
        (!told.is_empty()).then(|| told.join("; "))
    }

    fn save(&self, into: &mut Sections) {
        let Saved {
            numbers,
            doubles,
            floats,
            tags,
            painted,
            relaxed,
            gone,
            compression,
            held_back,
            rounds,
            ..
        } = self.water.save();
        let height = &self.water.ground().height;
        into.put("size", vec![height.cols(), height.rows()]);
        into.put("particles", self.water.particle_count());
        into.put("painted", painted);
        into.put("relaxed", relaxed);
        into.put_doubles("numbers", numbers);
        into.put_doubles("doubles", doubles);
        into.put_floats("floats", floats);
        into.put_floats("compression", compression);
        into.put_bytes("tags", tags.iter().flat_map(|tag| tag.to_le_bytes()).collect());
        into.put_doubles("clock", self.dt.0.to_vec());
        if !gone.is_empty() {
            into.put_doubles("gone_emitters", gone);
        }
        if held_back > 0.0 {
            into.put_doubles("held_back", vec![held_back]);
        }
        if !rounds.is_empty() {
            into.put_doubles("rounds", rounds);
        }
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
            // States of version 0.1 know nothing of paint, and are saved when the water has found its place.
            painted: from.header.get("painted").and_then(serde_json::Value::as_bool).unwrap_or(false),
            relaxed: from.number("relaxed").ok().and_then(|steps| u32::try_from(steps).ok()),
            gone: from.doubles("gone_emitters").map(<[f64]>::to_vec).unwrap_or_default(),
            // Those of the first version have densities that are found anew in every step.
            compression: from.floats("compression").map(<[f32]>::to_vec).unwrap_or_default(),
            held_back: from.doubles("held_back").map_or(0.0, |all| all.iter().sum()),
            rounds: from.doubles("rounds").map(<[f64]>::to_vec).unwrap_or_default(),
        };
        self.water.restore(&saved)?;
        self.dt = time_steps(from.doubles("clock")?)?;
        Ok(())
    }
}
