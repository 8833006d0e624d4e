//! A session in named sections, and back.

use super::edit::{Edit, Way};
use super::history::{Entry, History};
use super::{Change, Session};
use crate::project::{CameraTable, Difference, Output, PictureTable, Scene};
use crate::solver::{Patch, Sections};
use crate::world::World;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use thalweg_field::Grid2;

/// An edit of the history; what it changed is in an array of its own, if the way is no edit.
#[derive(Serialize, Deserialize)]
struct Written {
    edit: Edit,
    back: Option<Edit>,
}

/// A scene that tells everything, as the first version wrote it, in the words of today: particles had only one way to resist
/// pressure then, and it was not told.
fn in_words_of_today(text: &str) -> String {
    if text.contains("kind = \"sph\"") && !text.contains("\npressure = ") {
        let erosion = "stress = \"shear-rate\"\nreshape = \"lowest-first\"\nheavy = false\n";
        text.replacen("[solver.fluid]\n", "[solver.fluid]\npressure = \"summed\"\n", 1)
            .replacen("exposure = \"filled\"\n", erosion, 1)
            .replacen("exposure = \"counted\"\n", erosion, 1)
    } else {
        text.into()
    }
}

impl Session {
    /// Everything that it needs to go on to the same bits; `name` is the scene's.
    pub fn save(&self, name: &str) -> Sections {
        let clock = self.clock();
        let mut sections = Sections::default();
        self.world.save(&mut sections);
        sections.put("thalweg", env!("CARGO_PKG_VERSION"));
        sections.put("scene", name);
        sections.put("text", toml::to_string(self.scene()).unwrap_or_default());
        sections.put("site", self.world.ground().fingerprint());
        sections.put("step", clock.steps);
        sections.put("time", clock.time);
        sections.put("changes", serde_json::to_value(&self.changes).unwrap_or_default());
        for (name, entries) in [("done", &self.history.done), ("undone", &self.history.undone)] {
            let written: Vec<_> = entries
                .iter()
                .enumerate()
                .map(|(i, entry)| {
                    let back = match &entry.way {
                        Way::Edit(back) => Some(back.clone()),
                        Way::Patch(patch) => {
                            sections.put_doubles(&format!("{name}.{i}"), patch.numbers());
                            None
                        }
                    };
                    Written { edit: entry.edit.clone(), back }
                })
                .collect();
            sections.put(name, serde_json::to_value(&written).unwrap_or_default());
        }
        if let Some(softness) = self.world.ground().painted_softness() {
            sections.put_floats("softness", softness.values().to_vec());
        }
        self.save_masks(&mut sections);
        sections
    }

    /// What is undone or done again may need a mask that the scene names no more, or under another name.
    fn save_masks(&self, sections: &mut Sections) {
        if self.history == History::default() || self.masks.is_empty() {
            return;
        }
        let names: Vec<_> = self.masks.iter().map(|(name, _)| name.clone()).collect();
        sections.put("masks", names);
        for (i, (_, mask)) in self.masks.iter().enumerate() {
            sections.put_floats(&format!("mask.{i}"), mask.values().to_vec());
        }
    }

    /// The masks that are known by name, with those that were saved.
    fn load_masks(&self, saved: &Sections) -> Result<Vec<(String, Grid2<f32>)>, String> {
        let mut masks = self.masks.clone();
        let names = saved.header.get("masks").cloned().unwrap_or_else(|| Vec::<String>::new().into());
        let names: Vec<String> = serde_json::from_value(names)
            .map_err(|error| format!("its header tells no names of masks: {error}"))?;
        for (i, name) in names.into_iter().enumerate() {
            let mask = self.world.ground().map_of_shares(saved.floats(&format!("mask.{i}"))?);
            let mask = mask.ok_or_else(|| format!("its mask \"{name}\" does not fit the terrain"))?;
            if masks.iter().all(|(known, _)| *known != name) {
                masks.push((name, mask));
            }
        }
        Ok(masks)
    }

    /// Goes on from what was saved of the same scene; the text says why not. Nothing changes then.
    pub fn load(&mut self, saved: &Sections) -> Result<(), String> {
        let header = &saved.header;
        let text = header.get("text").and_then(|text| text.as_str());
        let before: Scene = text
            .and_then(|text| toml::from_str(&in_words_of_today(text)).ok())
            .ok_or("its header holds no scene of this version")?;
        if let Some(difference) = Difference::first(&essence(&before), &essence(self.scene())) {
            let Difference { path, left, right } = difference;
            // Fewer steps are shared out among the passes; only the number of all of them tells how.
            let passes = if path.starts_with("time.coarse") { " (--steps N keeps its passes)" } else { "" };
            return Err(format!(
                "it belongs to a run with another scene or other settings: {path} was {left}, and is {right} here; \
                 run without --resume, or with the settings it had{passes}"
            ));
        }
        let mut setup = self.world.setup().clone();
        if header.get("site").and_then(|site| site.as_str()) != Some(&setup.ground.fingerprint()) {
            return Err("it belongs to a run on another terrain: a file that the scene reads has changed since; run without --resume, or put the file back".into());
        }
        let changes: Vec<Change> = serde_json::from_value(header.get("changes").cloned().unwrap_or_default())
            .map_err(|error| format!("its header tells no changes of the scene: {error}"))?;
        let history = History { done: entries(saved, "done")?, undone: entries(saved, "undone")? };
        let masks = self.load_masks(saved)?;
        if setup.ground.painted_softness().is_some() {
            Arc::make_mut(&mut setup.ground).forget_paint();
        }
        if let Ok(softness) = saved.floats("softness") {
            Arc::make_mut(&mut setup.ground).paint_softness(softness)?;
        }
        let mut world = World::new(setup).map_err(|complaint| complaint.message)?;
        world.load(saved)?;
        let (step, told) = (world.clock().steps, header.get("step").cloned().unwrap_or_default());
        if told.as_u64() != Some(step) {
            return Err(format!("its header tells step {told}, and its state is at step {step}"));
        }
        (self.world, self.changes, self.history, self.masks) = (world, changes, history, masks);
        Ok(())
    }
}

/// Edits of a history. States of version 0.1 have none.
fn entries(saved: &Sections, name: &str) -> Result<Vec<Entry>, String> {
    let Some(written) = saved.header.get(name) else { return Ok(Vec::new()) };
    let written: Vec<Written> = serde_json::from_value(written.clone())
        .map_err(|error| format!("its header tells no edits that can be undone: {error}"))?;
    let entry = |(i, Written { edit, back }): (usize, Written)| {
        for edit in [Some(&edit), back.as_ref()].into_iter().flatten() {
            if let Edit::Paint(stroke) = edit {
                stroke.validated().map_err(|complaint| complaint.message)?;
            }
        }
        let way = match back {
            Some(back) => Way::Edit(back),
            None => Way::Patch(Patch::from_numbers(saved.doubles(&format!("{name}.{i}"))?)?),
        };
        Ok(Entry { edit, way })
    };
    written.into_iter().enumerate().map(entry).collect()
}

/// What makes a run: a longer one may go on from a shorter one, one that went wild with a shorter time step, outputs
/// may differ, and files may be called differently (their content is compared by itself).
fn essence(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    scene.title.clear();
    scene.output = Output::default();
    (scene.camera, scene.picture) = (CameraTable::default(), PictureTable::default());
    (scene.time.steps, scene.time.duration) = (0, None);
    scene.solver.drop_free();
    for (_, file) in scene.files_mut() {
        file.clear();
    }
    scene
}
