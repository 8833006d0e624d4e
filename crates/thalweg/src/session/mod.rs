//! A scene at work: it takes steps, is edited while it does, takes edits back, and shows itself.
//!
//! Nothing here opens a file, reads a clock or starts a thread: programs with a window or a browser around them drive it,
//! and [`run`](crate::run) does so for files. What is done to a session is written down with the step at which it was done;
//! the same scene with the same edits at the same steps ends in the same bits.

mod edit;
mod history;
mod saved;

pub use edit::Edit;

use crate::project::{Complaint, Difference, Output, Project, Rain, Scene, description};
use crate::solver::{Books, Clock, Crowd, GoOn, Layer, Patch, Seen, Setup, StepError, Stroke, Wanted};
use crate::world::{Ground, SetupError, World};
use edit::{Way, edited};
use history::{Entry, History};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use thalweg_field::{Grid2, Heightfield, Ledger, Points, Snapshot};
use thalweg_terrain::volume::Volume;
use thalweg_waves::BodyParams;

/// Events that wait to be asked for; older ones are forgotten.
const MOST_EVENTS: usize = 1000;

/// A scene at work.
#[derive(Debug)]
pub struct Session {
    world: World,
    history: History,
    /// What was done to it while it ran.
    changes: Vec<Change>,
    events: Vec<Event>,
    /// Whether something was said that nobody asked for.
    warned: bool,
    /// Masks of rain that were read, by the name of their file.
    masks: Vec<(String, Grid2<f32>)>,
    /// What was assumed or repaired while reading files.
    pub notices: Vec<String>,
}

/// Something that was done to a scene while it ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Steps taken before.
    pub step: u64,
    /// What was done, in a few words; a value that was set as KEY=VALUE.
    pub set: String,
    /// What was done. States of version 0.1 tell it in words alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub act: Option<Act>,
}

/// What can be done to a scene while it runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// An edit.
    Did(Edit),
    /// An edit that counts as one with the last, if both set the same key.
    Adjusted(Edit),
    /// The last edit was taken back.
    Undid,
    /// The last edit that was taken back was done again.
    Redid,
}

/// Something that happened to a session since it was last asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// It has taken steps.
    Advanced {
        /// How many there were before.
        from: u64,
        /// How many there are now.
        to: u64,
    },
    /// Its cells have another size now: a pass is over.
    Refined,
    /// Something was done to it.
    Changed(Change),
    /// Something goes on otherwise than its scene says; told once.
    Warned(String),
    /// It is back at the beginning.
    Reset,
    /// All its steps are taken.
    Over,
}

/// An edit that cannot be made, and why; nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Refused {
    /// Why.
    pub reason: String,
    /// Whether the scene can have it from its beginning.
    pub needs_restart: bool,
}

impl Refused {
    fn because(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), needs_restart: false }
    }

    /// What a solver says against a scene: what is not described as live needs a restart.
    fn of(complaint: Complaint) -> Self {
        Self { needs_restart: is_fixed(&complaint.path), reason: complaint.message }
    }
}

impl Session {
    /// Builds the terrain of a project and puts its water over it, using at most `max_bytes` of memory.
    pub fn new(project: &Project, max_bytes: u64) -> Result<Self, SetupError> {
        let scene = project.scene.clone();
        let mut notices = Vec::new();
        let ground = Ground::new(project, max_bytes, &mut notices)?;
        let masks = scene.rain.iter().zip(&ground.masks);
        let masks = masks.filter_map(|(rain, mask)| Some((rain.mask.clone()?, mask.clone()?))).collect();
        let complaints = complaints(&scene, ground.heights());
        if !complaints.is_empty() {
            return Err(SetupError::complaints(project, complaints));
        }
        let setup = Setup { scene: Arc::new(scene), ground: Arc::new(ground), max_bytes };
        let world = World::new(setup).map_err(|invalid| SetupError::invalid(project, invalid))?;
        let (history, changes, events) = (History::default(), Vec::new(), Vec::new());
        Ok(Self { world, history, changes, events, warned: false, masks, notices })
    }

    /// Lets the water find its place before the first step, if the scene asks for it; `go_on` is asked before each damped
    /// step. False if some are left: the first step takes them.
    pub fn relax(&mut self, go_on: &mut GoOn) -> Result<bool, Complaint> {
        self.world.relax(go_on)
    }

    /// Goes back to the beginning, with the settings it has now and the ground as it was painted, and lets the water find
    /// its place as [`Self::relax`] does. False if it was stopped on the way; the complaint says why it cannot. Nothing
    /// changes then.
    pub fn reset(&mut self, go_on: &mut GoOn) -> Result<bool, Complaint> {
        let mut fresh = self.anew(self.scene().clone())?;
        fresh.forget_paint()?;
        let painted =
            |edit: &Edit| matches!(edit, Edit::Paint(stroke) if stroke.tool.layer() != Layer::Water);
        let repainted =
            self.standing().into_iter().filter(painted).try_for_each(|stroke| fresh.apply(stroke));
        repainted.map_err(|refused| Complaint { path: "paint".into(), message: refused.reason })?;
        if !fresh.relax(go_on)? {
            return Ok(false);
        }
        fresh.events.push(Event::Reset);
        *self = fresh;
        Ok(true)
    }

    /// All edits that were not taken back, also those that are too long ago to be undone.
    fn standing(&self) -> Vec<Edit> {
        let (mut done, mut undone) = (Vec::new(), Vec::new());
        for act in self.changes.iter().filter_map(|change| change.act.clone()) {
            match act {
                Act::Did(edit) => done.push(edit),
                Act::Adjusted(edit) => match done.last_mut() {
                    Some(last) if edit.sets_key_of(last) => *last = edit,
                    _ => done.push(edit),
                },
                Act::Undid => undone.extend(done.pop()),
                Act::Redid => done.extend(undone.pop()),
            }
        }
        done
    }

    fn forget_paint(&mut self) -> Result<(), Complaint> {
        let mut setup = self.world.setup().clone();
        if setup.ground.painted_softness().is_some() {
            Arc::make_mut(&mut setup.ground).forget_paint();
            self.world = World::new(setup)?;
        }
        Ok(())
    }

    /// Another scene on the same ground, from its beginning; the complaint says why it cannot.
    pub fn anew(&self, scene: Scene) -> Result<Self, Complaint> {
        let setup = Setup { scene: Arc::new(scene), ..self.world.setup().clone() };
        Ok(Self {
            world: World::new(setup)?,
            history: History::default(),
            changes: Vec::new(),
            events: Vec::new(),
            warned: false,
            masks: self.masks.clone(),
            notices: self.notices.clone(),
        })
    }

    /// What there is at some places, east and north of the south-west corner: ground, water, and how its surface stands.
    pub fn seen_at(&self, places: &[[f64; 2]]) -> Vec<Seen> {
        self.world.seen_at(places)
    }

    /// Takes steps, as many as `budget` says or until all are taken; returns how many. Who draws between two calls gives it
    /// as many as fit into a frame: [`Clock::items`] tells how much work one is.
    pub fn tick(&mut self, budget: u64) -> Result<u64, StepError> {
        let mut taken = 0;
        while taken < budget && !self.is_over() {
            taken += self.advance(budget - taken)?;
        }
        Ok(taken)
    }

    /// Takes so many steps, or fewer where something has to be looked at before; returns how many.
    pub fn advance(&mut self, steps: u64) -> Result<u64, StepError> {
        let before = self.clock();
        let steps = self.world.advance(steps)?;
        let now = self.clock();
        self.tell(Event::Advanced { from: before.steps, to: now.steps });
        if before.items != now.items && now.kind == "cells" {
            self.tell(Event::Refined);
        }
        if !self.warned {
            for warning in self.warnings() {
                self.tell(Event::Warned(warning));
                self.warned = true;
            }
        }
        if now.is_over {
            self.tell(Event::Over);
        }
        Ok(steps)
    }

    /// Notes an event; steps that follow steps are told as one.
    fn tell(&mut self, event: Event) {
        match (self.events.last_mut(), &event) {
            (Some(Event::Advanced { to: last, .. }), Event::Advanced { to, .. }) => *last = *to,
            _ => self.events.push(event),
        }
        if self.events.len() > MOST_EVENTS {
            self.events.remove(0);
        }
    }

    /// What happened since this was last asked.
    pub fn events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Edits the scene; the edit acts from the next step on, and can be undone.
    pub fn apply(&mut self, edit: Edit) -> Result<(), Refused> {
        self.edit(edit, false)
    }

    /// Like [`Self::apply`] for a value that is dragged along: one that sets the same key as the last edit is undone
    /// together with it.
    pub fn adjust(&mut self, edit: Edit) -> Result<(), Refused> {
        self.edit(edit, true)
    }

    fn edit(&mut self, edit: Edit, joins: bool) -> Result<(), Refused> {
        let way = self.go(&Way::Edit(edit.clone()))?;
        self.history.push(Entry { edit: edit.clone(), way }, joins);
        self.note(edit.label(), if joins { Act::Adjusted(edit) } else { Act::Did(edit) });
        Ok(())
    }

    /// Takes the last edit back; returns what it was, or `None` if there is none.
    pub fn undo(&mut self) -> Result<Option<Edit>, Refused> {
        let Some(Entry { edit, way }) = self.history.done.last().cloned() else { return Ok(None) };
        let gone = self.go(&way);
        if gone.as_ref().map_or_else(|refused| refused.needs_restart, |_| true) {
            // What needs a restart will never be undone; it must not stand before what can be.
            self.history.done.pop();
        }
        let way = gone?;
        self.history.undone.push(Entry { edit: edit.clone(), way });
        self.note(format!("undo {}", edit.label()), Act::Undid);
        Ok(Some(edit))
    }

    /// Does the last edit that was taken back again; returns what it was, or `None` if there is none.
    pub fn redo(&mut self) -> Result<Option<Edit>, Refused> {
        let Some(Entry { edit, way }) = self.history.undone.last().cloned() else { return Ok(None) };
        let way = self.go(&way)?;
        self.history.undone.pop();
        self.history.done.push(Entry { edit: edit.clone(), way });
        self.note(format!("redo {}", edit.label()), Act::Redid);
        Ok(Some(edit))
    }

    /// Does what was done to another session of the same scene, as soon as it is at the step at which it was done.
    pub fn act(&mut self, act: &Act) -> Result<(), Refused> {
        match act {
            Act::Did(edit) => self.apply(edit.clone()),
            Act::Adjusted(edit) => self.adjust(edit.clone()),
            Act::Undid => self.undo().map(drop),
            Act::Redid => self.redo().map(drop),
        }
    }

    fn note(&mut self, set: String, act: Act) {
        let change = Change { step: self.steps_taken(), set, act: Some(act) };
        self.changes.push(change.clone());
        self.tell(Event::Changed(change));
    }

    /// Goes one way; returns the way back.
    fn go(&mut self, way: &Way) -> Result<Way, Refused> {
        match way {
            Way::Patch(patch) => self.lay(patch).map(|done| Way::Patch(done.turned())),
            Way::Edit(Edit::Paint(stroke)) => self.paint(stroke).map(|done| Way::Patch(done.turned())),
            Way::Edit(edit) => {
                let (scene, back) = edited(self.scene(), edit).map_err(Refused::because)?;
                self.change(scene, edit)?;
                Ok(Way::Edit(back))
            }
        }
    }

    fn paint(&mut self, stroke: &Stroke) -> Result<Patch, Refused> {
        let refused = |complaint: Complaint| Refused::because(complaint.message);
        stroke.validated().map_err(refused)?;
        // At a height, a brush in a volume means what is within it; without one, all rock above and below.
        let within = stroke.level.is_some() && self.world.leader().volume().is_some();
        match stroke.tool.layer() {
            Layer::Softness if !within => self.soften(|ground| ground.paint(stroke)),
            _ => self.world.paint(stroke).map_err(refused),
        }
    }

    fn lay(&mut self, patch: &Patch) -> Result<Patch, Refused> {
        match patch {
            Patch::Cells(cells) if cells.layer == Layer::Softness => {
                self.soften(|ground| ground.repaint(cells))
            }
            _ => self.world.repaint(patch).map_err(|complaint| Refused::because(complaint.message)),
        }
    }

    /// Changes how easily the ground erodes.
    fn soften(&mut self, paint: impl FnOnce(&mut Ground) -> Patch) -> Result<Patch, Refused> {
        let mut setup = self.world.setup().clone();
        let patch = paint(Arc::make_mut(&mut setup.ground));
        self.world.change(setup).map_err(|complaint| Refused::because(complaint.message))?;
        Ok(patch)
    }

    /// Takes over the scene that an edit makes, if it differs in what can change while it runs.
    fn change(&mut self, scene: Scene, edit: &Edit) -> Result<(), Refused> {
        let able = able(self.scene(), &scene);
        let restart = |path: &str| {
            let how =
                if let Edit::Set { .. } = edit { format!("--set {}", edit.label()) } else { "it".into() };
            let reason = format!("{path} cannot change while the scene runs; start it anew with {how}");
            Refused { reason, needs_restart: true }
        };
        if let Some(Difference { path, .. }) = Difference::first(&able, &scene) {
            return Err(restart(&path));
        }
        let refused = |complaint: Complaint| Refused::because(complaint.message);
        complaints(&scene, self.start())
            .into_iter()
            .next()
            .map_or(Ok(()), |complaint| Err(refused(complaint)))?;
        let mut setup = self.world.setup().clone();
        if scene.rain != self.scene().rain {
            let masks = self.masks_of(&scene.rain).map_err(|path| restart(&path))?;
            Arc::make_mut(&mut setup.ground).masks = masks;
        }
        setup.scene = Arc::new(scene);
        self.world.change(setup).map_err(Refused::of)
    }

    /// Masks that the run has read already; else the path of the one that it has not.
    fn masks_of(&self, rain: &[Rain]) -> Result<Vec<Option<Grid2<f32>>>, String> {
        let mask = |(i, rain): (usize, &Rain)| {
            let Some(file) = &rain.mask else { return Ok(None) };
            let known = self.masks.iter().find(|(name, _)| name == file);
            known.map(|(_, mask)| Some(mask.clone())).ok_or_else(|| format!("rain[{i}].mask"))
        };
        rain.iter().enumerate().map(mask).collect()
    }

    /// What it shows of what is wanted.
    pub fn show(&self, wanted: &Wanted) -> Snapshot {
        self.world.show(wanted)
    }

    /// Everything there is to show.
    pub fn snapshot(&self) -> Snapshot {
        self.show(&Wanted::all())
    }

    /// Everything there is to see, with the cells of the terrain itself: a coarse pass as if it were refined now. From
    /// the last step of a pass to the first of the next, nothing that is seen jumps.
    pub fn scenery(&self) -> Snapshot {
        self.world.scenery()
    }

    /// Memory that running it takes, pictures not counted `[bytes]`.
    pub fn memory(&self) -> u64 {
        self.world.memory()
    }

    /// Particles that a run of so much time `[s]` will have; `None` for methods without any.
    pub fn particles_within(&self, time: f64) -> Option<Crowd> {
        self.world.particles_within(time)
    }

    /// The terrain before anything happened, at full resolution.
    pub fn start(&self) -> &Heightfield {
        self.world.ground().heights()
    }

    /// The ground before anything happened.
    pub fn start_ground(&self) -> &Ground {
        self.world.ground()
    }

    /// The ground as it is now, where it is a volume.
    pub fn volume(&self) -> Option<&Volume> {
        self.world.leader().volume()
    }

    /// The scene it runs, as it is edited.
    pub fn scene(&self) -> &Scene {
        &self.world.setup().scene
    }

    /// What was done to it while it ran.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Edits that can be undone, and edits that can be done again.
    pub fn undoable(&self) -> [Vec<String>; 2] {
        let History { done, undone } = &self.history;
        [done, undone].map(|entries| entries.iter().map(|entry| entry.edit.label()).collect())
    }

    /// How far it is, and how far it goes.
    pub fn clock(&self) -> Clock {
        self.world.clock()
    }

    /// Name of the method that is at work: one of `[[before]]`, then the scene's own.
    pub fn method_at_work(&self) -> &'static str {
        self.scene().method_of_stage(self.world.stage()).name
    }

    /// Steps taken by all passes.
    pub fn steps_taken(&self) -> u64 {
        self.clock().steps
    }

    /// Simulated time of all passes `[s]`.
    pub fn time(&self) -> f64 {
        self.clock().time
    }

    /// Simulated time of the present pass, which the scene's duration counts `[s]`.
    pub fn pass_time(&self) -> f64 {
        self.clock().pass_time
    }

    /// Whether all passes are over.
    pub fn is_over(&self) -> bool {
        self.clock().is_over
    }

    /// Steps, at least one, that surely do not pass a time of the present pass `[s]` but with the last of them: where it
    /// might come, steps are taken one by one, so that it is met at the same step however the run was cut.
    pub fn steps_before(&self, pass_time: f64) -> u64 {
        self.world.steps_before(pass_time)
    }

    /// Refuses numbers that have gone wild. The solver looks for them now and then; what is saved, shown or handed to
    /// the next pass must be free of them.
    pub fn check_finite(&self) -> Result<(), StepError> {
        self.world.check_finite()
    }

    /// The bed as it is now, with the cells of the present pass.
    pub fn ground(&self) -> Heightfield {
        self.world.leader().ground()
    }

    /// The particles, if the method has any.
    pub fn points(&self) -> Option<Points> {
        self.world.points()
    }

    /// Where water and ground went.
    pub fn books(&self) -> Books {
        self.world.leader().books()
    }

    /// What goes on otherwise than the scene says.
    pub fn warnings(&self) -> Vec<String> {
        self.world.warnings()
    }

    /// The books of the waters beside the first, each with the name of its method.
    pub fn other_books(&self) -> Vec<(&'static str, Books)> {
        self.world.other_books()
    }

    /// The books of all passes.
    pub fn ledger(&self) -> Ledger {
        self.books().ledger
    }
}

/// Whether a key is described as one that cannot change while a scene runs.
fn is_fixed(path: &str) -> bool {
    let names = crate::project::plain(path);
    let names: Vec<_> = names.split('.').filter(|name| name.parse::<usize>().is_err()).collect();
    let key = names.join(".");
    description().parameters().iter().any(|parameter| parameter.key == key && !parameter.live)
}

/// What does not fit the terrain.
fn complaints(scene: &Scene, ground: &Heightfield) -> Vec<Complaint> {
    let (cols, rows) = (ground.height.cols(), ground.height.rows());
    let mut complaints = scene.check_places(ground.extent());
    for stage in 0..scene.stages() {
        for (i, coarse) in scene.time_of_stage(stage).coarse.iter().enumerate() {
            let factor = coarse.factor_on(ground.frame.cell);
            if cols / factor < 2 || rows / factor < 2 {
                let (key, given) = match coarse.cell {
                    Some(cell) => ("cell", format!("{cell} m")),
                    None => ("factor", factor.to_string()),
                };
                let path = format!("time.coarse[{i}].{key}");
                let message = format!(
                    "{path} is {given}, but the terrain has only {cols} by {rows} cells; use a smaller {key}"
                );
                complaints.push(Complaint { path, message }.of_stage(scene, stage));
            }
        }
    }
    complaints
}

/// The scene that runs, with what a new one may change of it while it does.
fn able(own: &Scene, new: &Scene) -> Scene {
    let Output { frames_every, video, pictures, maps_every, animation_every, bodies_every, .. } = own.output;
    let live = |(i, body): (usize, &BodyParams)| {
        new.bodies.get(i).map_or(body.clone(), |new| body.with_live_of(new))
    };
    let mut able = Scene {
        time: own.time.clone(),
        solver: own.solver.with_params_of(&new.solver),
        output: Output {
            frames_every,
            video,
            pictures,
            maps_every,
            animation_every,
            bodies_every,
            ..new.output.clone()
        },
        rain: new.rain.clone(),
        sources: new.sources.clone(),
        drains: new.drains.clone(),
        emitters: new.emitters.clone(),
        sinks: new.sinks.clone(),
        bodies: own.bodies.iter().enumerate().map(live).collect(),
        wavemakers: new.wavemakers.clone(),
        ..own.clone()
    };
    (able.time.steps, able.time.duration) = (new.time.steps, new.time.duration);
    able
}
