//! A ground and the waters on it.

mod error;
mod files;
mod ground;

pub use error::SetupError;
#[cfg(feature = "files")]
pub(crate) use files::native::is_inside;
pub use ground::{Ground, start_ground};
pub(crate) use ground::{memory_beside, standing_water};

use crate::project::{Complaint, Pool, Scene};
use crate::solver::{
    Books, Clock, Crowd, GoOn, Patch, Sections, Seen, Setup, Solver, StepError, Stroke, Succession, Wanted,
};
use std::sync::Arc;
use thalweg_field::{Field, Grid2, Points, Snapshot};

/// A ground and the waters on it, which take their steps in turn. The first leads: its steps and its time are those of the
/// run, and the others follow it in time. What each does to the ground, the others find.
#[derive(Debug)]
pub(crate) struct World {
    setup: Setup,
    waters: Vec<Water>,
}

/// One of the waters.
#[derive(Debug)]
struct Water {
    kind: &'static str,
    solver: Box<dyn Solver>,
    /// The ground as it was when the waters last met `[m]`; a water alone meets nobody.
    met: Option<Grid2<f32>>,
}

impl World {
    /// Puts the waters of a scene onto its ground.
    pub(crate) fn new(setup: Setup) -> Result<Self, Complaint> {
        let count = setup.scene.solver.iter().len();
        let mut waters = Vec::new();
        for (i, table) in setup.scene.solver.iter().enumerate() {
            let own = setup_of(&setup, i);
            let solver: Result<Box<dyn Solver>, _> = if own.scene.before.is_empty() {
                (table.method().build)(&own)
            } else {
                Succession::new(&own).map(|all| Box::new(all) as Box<dyn Solver>)
            };
            let solver = solver.map_err(|wrong| numbered(&setup, i, wrong))?;
            let met = (count > 1).then(|| solver.ground().height);
            waters.push(Water { kind: table.method().name, solver, met });
        }
        let mut world = Self { setup, waters };
        world.float()?;
        let (need, most) = (world.memory() >> 20, world.setup.max_bytes >> 20);
        if count > 1 && need > most {
            let message = format!(
                "{count} waters need about {need} MiB together, but only {most} MiB may be used; raise --max-memory"
            );
            return Err(Complaint { path: "solver".into(), message });
        }
        Ok(world)
    }

    pub(crate) fn setup(&self) -> &Setup {
        &self.setup
    }

    pub(crate) fn ground(&self) -> &Ground {
        &self.setup.ground
    }

    /// The water that counts the steps.
    pub(crate) fn leader(&self) -> &dyn Solver {
        &*self.waters[0].solver
    }

    pub(crate) fn relax(&mut self, go_on: &mut GoOn) -> Result<bool, Complaint> {
        for water in &mut self.waters {
            if !water.solver.relax(go_on)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(crate) fn clock(&self) -> Clock {
        self.leader().clock()
    }

    /// Which of the leader's methods is at work.
    pub(crate) fn stage(&self) -> usize {
        self.leader().stage()
    }

    pub(crate) fn steps_before(&self, pass_time: f64) -> u64 {
        self.leader().steps_before(pass_time)
    }

    /// Takes so many steps of the leader, or fewer where something has to be looked at before; returns how many.
    pub(crate) fn advance(&mut self, steps: u64) -> Result<u64, StepError> {
        // Waters meet after every step, however many are taken at once: the result must not depend on that.
        let most = if self.waters.len() > 1 { 1 } else { u64::MAX };
        let steps = steps.min(self.clock().most_steps).min(most);
        self.waters[0].solver.advance(steps)?;
        self.follow()?;
        self.meet().and_then(|()| self.float()).map_err(StepError::Invalid)?;
        Ok(steps)
    }

    /// Tells those that float on the water of others how deep it is.
    fn float(&mut self) -> Result<(), Complaint> {
        for i in 0..self.waters.len() {
            if !self.waters[i].solver.floats() {
                continue;
            }
            let others = self.waters.iter().enumerate().filter(|(other, _)| *other != i);
            let depth = others.filter_map(|(_, water)| water.solver.water()).reduce(|mut sum, depth| {
                sum.values_mut().iter_mut().zip(depth.values()).for_each(|(sum, depth)| *sum += depth);
                sum
            });
            depth.map_or(Ok(()), |depth| self.waters[i].solver.float_on(&depth))?;
        }
        Ok(())
    }

    /// Lets the others take steps until they are where the leader is.
    fn follow(&mut self) -> Result<(), StepError> {
        let now = self.clock().time;
        for Water { solver, .. } in &mut self.waters[1..] {
            loop {
                let clock = solver.clock();
                if clock.time >= now || clock.most_steps == 0 {
                    break;
                }
                solver.advance(solver.steps_before(now).min(clock.most_steps))?;
            }
        }
        Ok(())
    }

    /// Tells each water what the others did to the ground since they last met. Where one cannot follow, none does.
    fn meet(&mut self) -> Result<(), Complaint> {
        if self.waters.len() == 1 {
            return Ok(());
        }
        let changes: Vec<_> = self.waters.iter().map(Water::change_since).collect();
        if changes.iter().all(Option::is_none) {
            return Ok(());
        }
        let by_others = |i: usize| {
            let others = changes.iter().enumerate().filter(|(other, _)| *other != i);
            others.filter_map(|(_, change)| change.clone()).reduce(|mut sum, change| {
                sum.values_mut().iter_mut().zip(change.values()).for_each(|(sum, by)| *sum += by);
                sum
            })
        };
        let shifts: Vec<_> = (0..self.waters.len()).map(by_others).collect();
        for (i, by) in shifts.iter().enumerate() {
            let Some(Err(complaint)) = by.as_ref().map(|by| self.waters[i].solver.shift_ground(by)) else {
                continue;
            };
            for (water, by) in self.waters[..i].iter_mut().zip(&shifts) {
                by.as_ref().map_or(Ok(()), |by| water.solver.shift_ground(&by.map(|by| -by)))?;
            }
            return Err(complaint);
        }
        for water in &mut self.waters {
            water.met = Some(water.solver.ground().height);
        }
        Ok(())
    }

    /// Takes over a scene, or maps over its ground, that differ in what can change while water flows. Nothing changes where
    /// one of the waters refuses.
    pub(crate) fn change(&mut self, setup: Setup) -> Result<(), Complaint> {
        for i in 0..self.waters.len() {
            if let Err(complaint) = self.waters[i].solver.change(&setup_of(&setup, i)) {
                for (before, water) in self.waters[..i].iter_mut().enumerate() {
                    water.solver.change(&setup_of(&self.setup, before))?;
                }
                return Err(numbered(&setup, i, complaint));
            }
        }
        self.setup = setup;
        Ok(())
    }

    /// Paints on the leader; the others find what that did to the ground. Nothing changes where one of them refuses.
    pub(crate) fn paint(&mut self, stroke: &Stroke) -> Result<Patch, Complaint> {
        let patch = self.waters[0].solver.paint(stroke)?;
        self.shared(patch)
    }

    pub(crate) fn repaint(&mut self, patch: &Patch) -> Result<Patch, Complaint> {
        let patch = self.waters[0].solver.repaint(patch)?;
        self.shared(patch)
    }

    fn shared(&mut self, patch: Patch) -> Result<Patch, Complaint> {
        if let Err(complaint) = self.meet().and_then(|()| self.float()) {
            self.waters[0].solver.repaint(&patch.turned())?;
            return Err(complaint);
        }
        Ok(patch)
    }

    pub(crate) fn check_finite(&self) -> Result<(), StepError> {
        self.waters.iter().try_for_each(|water| water.solver.check_finite())
    }

    pub(crate) fn points(&self) -> Option<Points> {
        self.waters.iter().find_map(|water| water.solver.points())
    }

    pub(crate) fn other_books(&self) -> Vec<(&'static str, Books)> {
        self.waters[1..].iter().map(|water| (water.kind, water.solver.books())).collect()
    }

    /// What the waters have to say that nobody asked for.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.waters.iter().filter_map(|water| water.solver.warning()).collect()
    }

    pub(crate) fn particles_within(&self, time: f64) -> Option<Crowd> {
        self.waters.iter().find_map(|water| water.solver.particles_within(time))
    }

    /// Memory of all waters together `[bytes]`.
    pub(crate) fn memory(&self) -> u64 {
        let each = self.setup.scene.solver.iter().enumerate().map(|(i, table)| {
            // It was asked before anything was set up.
            (table.method().memory)(&setup_of(&self.setup, i)).unwrap_or(u64::MAX)
        });
        // Methods that come before are gone when the next begins.
        let before = self.setup.scene.before.iter().enumerate().map(|(stage, earlier)| {
            let alone = Arc::new(self.setup.scene.of_stage(stage));
            (earlier.solver.method().memory)(&Setup { scene: alone, ..self.setup.clone() })
                .unwrap_or(u64::MAX)
        });
        each.fold(0, u64::saturating_add).max(before.max().unwrap_or(0))
    }

    pub(crate) fn show(&self, wanted: &Wanted) -> Snapshot {
        self.together(self.leader().snapshot(wanted), wanted)
    }

    /// What there is at some places: of waters that float on others, what they are told to float on is part of it.
    pub(crate) fn seen_at(&self, places: &[[f64; 2]]) -> Vec<Seen> {
        let floating = self.waters.iter().find(|water| water.solver.floats());
        floating.map_or(self.leader(), |water| &*water.solver).seen_at(places)
    }

    pub(crate) fn scenery(&self) -> Snapshot {
        self.together(self.leader().scenery(), &Wanted::all())
    }

    /// What the leader shows, and the maps of the others under their method's name.
    fn together(&self, mut shown: Snapshot, wanted: &Wanted) -> Snapshot {
        if wanted.mesh {
            shown.ground = self.leader().volume().map(|volume| self.ground().mesh_of(volume));
        }
        for Water { kind, solver, .. } in &self.waters[1..] {
            let below = if solver.floats() { wanted.clone() } else { wanted.below(kind) };
            let more = solver.snapshot(&below);
            shown.points = shown.points.or(more.points);
            shown.fronts = shown.fronts.or(more.fronts);
            shown.meshes.extend(more.meshes);
            shown.bodies.extend(more.bodies);
            shown.sea = shown.sea.or(more.sea);
            if solver.floats() {
                put_on_top(&mut shown, more.fields);
                continue;
            }
            for mut field in more.fields.into_iter().filter(|field| field.info.name != "height") {
                field.info.name = format!("{kind}_{}", field.info.name).into();
                shown.fields.push(field);
            }
        }
        shown
    }

    pub(crate) fn save(&self, into: &mut Sections) {
        for (i, water) in self.waters.iter().enumerate() {
            let mut own = Sections::default();
            water.solver.save(&mut own);
            own.put("step", water.solver.clock().steps);
            into.take_in(i, own);
        }
    }

    pub(crate) fn load(&mut self, from: &Sections) -> Result<(), String> {
        for (i, water) in self.waters.iter_mut().enumerate() {
            water.solver.load(&from.of_water(i))?;
            water.met = water.met.take().map(|_| water.solver.ground().height);
        }
        self.float().map_err(|complaint| complaint.message)
    }
}

/// Puts what floats on top of the water that it floats on: its waves raise that water, and what it has beside them keeps its name.
fn put_on_top(shown: &mut Snapshot, floating: Vec<Field>) {
    for field in floating {
        if field.info.name == "waves"
            && let Some(water) = shown.fields.iter_mut().find(|field| field.info.name == "water")
            && water.values.same_shape(&field.values)
        {
            for (depth, wave) in water.values.values_mut().iter_mut().zip(field.values.values()) {
                *depth = if *depth > 0.0 { (*depth + wave).max(0.0) } else { 0.0 };
            }
        }
        if shown.field(&field.info.name).is_none() {
            shown.fields.push(field);
        }
    }
}

impl Water {
    /// What it did to the ground since the waters last met; none if nothing.
    fn change_since(&self) -> Option<Grid2<f32>> {
        let (now, met) = (self.solver.ground().height, self.met.as_ref()?);
        let changed = now.values() != met.values();
        changed
            .then(|| Grid2::from_fn(now.cols(), now.rows(), |col, row| now.at(col, row) - met.at(col, row)))
    }
}

/// Whether standing water belongs to a water of some kind; what names none belongs to the first.
fn is_of(pool: &Pool, kind: &str, first: &str) -> bool {
    pool.solver.as_deref().unwrap_or(first) == kind
}

/// What one of several waters complains about, as the scene numbers it.
fn numbered(setup: &Setup, water: usize, Complaint { path, message }: Complaint) -> Complaint {
    let kinds: Vec<_> = setup.scene.solver.iter().map(|table| table.method().name).collect();
    if kinds.len() == 1 {
        return Complaint { path, message };
    }
    let pools = setup.scene.water.iter().enumerate();
    let own: Vec<_> = pools.filter(|(_, pool)| is_of(pool, kinds[water], kinds[0])).map(|(i, _)| i).collect();
    let pool = path.strip_prefix("water[").and_then(|rest| rest.split(']').next()?.parse::<usize>().ok());
    let (old, new) = match pool.and_then(|pool| Some((pool, own.get(pool)?))) {
        Some((pool, own)) => (format!("water[{pool}]"), format!("water[{own}]")),
        None => ("solver.".into(), format!("solver[{water}].")),
    };
    let told = |text: String| text.replacen(&old, &new, 1);
    Complaint { path: told(path), message: told(message) }
}

/// What one of the waters runs: the scene as if it were alone in it. Those that follow go on as long as the leader does.
fn setup_of(setup: &Setup, water: usize) -> Setup {
    if setup.scene.solver.iter().len() == 1 {
        return setup.clone();
    }
    let mut scene: Scene = (*setup.scene).clone();
    let kinds: Vec<_> = scene.solver.iter().map(|table| table.method().name).collect();
    scene.water.retain(|pool| is_of(pool, kinds[water], kinds[0]));
    scene.solver = scene.solver.only(water);
    if water > 0 {
        (scene.time.steps, scene.time.duration) = (FOR_EVER, None);
    }
    Setup { scene: Arc::new(scene), ..setup.clone() }
}

/// More steps than any run takes; scene files count no further.
const FOR_EVER: u64 = i64::MAX as u64;
