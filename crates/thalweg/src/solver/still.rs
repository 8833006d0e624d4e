//! Ground alone: nothing flows, no step is taken.

use super::method::{Method, read_as, table};
use super::{Books, Clock, Sections, Setup, Solver, StepError, Wanted};
use crate::project::{Complaint, Scene};
use crate::world::{memory_beside, standing_water};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thalweg_field::sum::ordered_sum;
use thalweg_field::{Field, FieldInfo, Heightfield, Ledger, Snapshot, Solids};
use thalweg_terrain::analysis::slope;
use thalweg_terrain::volume::Volume;

/// Ground alone, as scenes know it.
pub(super) const METHOD: Method = Method {
    name: "still",
    about: "Ground alone: nothing flows.",
    schema: Params::json_schema,
    presets: &[("thalweg", "ground as it is")],
    preset: |name| (name == "thalweg").then(|| table(&Params {})),
    read: read_as::<Params>,
    check,
    understands: &["terrain.volume"],
    instead: &[],
    more_maps: &[],
    free: &[],
    relax: None,
    spacing: |_| None,
    memory_of_cells: |[cols, rows], _| memory_beside(cols, rows),
    memory: |setup| {
        let height = &setup.ground.heights().height;
        let volume = setup.ground.volume().map_or(0, |volume| volume.bytes() as u64);
        Ok(memory_beside(height.cols(), height.rows()).saturating_add(volume))
    },
    build: |setup| Ok(Box::new(Still { setup: setup.clone() })),
};

/// It has no parameters.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {}

/// Density of solid rock `[kg/m³]`.
const ROCK_DENSITY: f64 = 2650.0;

fn check(scene: &Scene) -> Vec<Complaint> {
    let in_caves = scene.terrain.volume.is_some() && !scene.water.is_empty();
    let complaint = || Complaint {
        path: "water[0]".into(),
        message: "water[0]: still water is shown on heights alone, and this ground is a volume; leave it out"
            .into(),
    };
    in_caves.then(complaint).into_iter().collect()
}

/// A scene that stays as it is.
#[derive(Debug)]
struct Still {
    setup: Setup,
}

impl Still {
    fn heights(&self) -> &Heightfield {
        self.setup.ground.heights()
    }

    /// Ground above the bottom of the volume, or above 0 m `[m³]`.
    fn rock(&self) -> f64 {
        let Heightfield { height, frame } = self.heights();
        self.volume().map_or_else(|| ordered_sum(height.values()) * frame.cell * frame.cell, Volume::rock)
    }
}

impl Solver for Still {
    fn clock(&self) -> Clock {
        Clock {
            steps: 0,
            time: 0.0,
            pass_time: 0.0,
            dt: [0.0; 2],
            items: self.heights().height.len(),
            kind: "cells",
            planned: 0,
            most_steps: 0,
            is_over: true,
            share: 1.0,
            end_time: None,
            dt_grows_with_cells: false,
        }
    }

    fn steps_before(&self, _: f64) -> u64 {
        1
    }

    fn advance(&mut self, _: u64) -> Result<(), StepError> {
        Ok(())
    }

    fn change(&mut self, setup: &Setup) -> Result<(), Complaint> {
        self.setup = setup.clone();
        Ok(())
    }

    fn ground(&self) -> Heightfield {
        self.heights().clone()
    }

    fn volume(&self) -> Option<&Volume> {
        self.setup.ground.volume().map(|volume| &**volume)
    }

    fn snapshot(&self, wanted: &Wanted) -> Snapshot {
        let ground = self.heights();
        let pools = !self.setup.scene.water.is_empty();
        let mut fields = Vec::new();
        if wanted.has("height") {
            let info = FieldInfo::new("height", "m", "height of the bed");
            fields.push(Field { info, values: ground.height.clone() });
        }
        if wanted.has("water") && pools {
            let info = FieldInfo::new("water", "m", "depth of the water above the bed");
            fields.push(Field { info, values: standing_water(&self.setup.scene, ground) });
        }
        if wanted.has("slope") {
            let info = FieldInfo::new("slope", "rad", "slope of the bed");
            fields.push(Field { info, values: slope(ground) });
        }
        Snapshot::of_fields(ground.frame.clone(), fields)
    }

    fn books(&self) -> Books {
        let rock = self.rock();
        let solids = Solids { bed_start: rock, bed_end: rock, ..Solids::default() };
        Books {
            ledger: Ledger { solids, ..Ledger::default() },
            solid_density: ROCK_DENSITY,
            solids_missing: 0.0,
            particles: None,
            crumbs: None,
            waves: None,
        }
    }

    fn save(&self, _: &mut Sections) {}

    fn load(&mut self, _: &Sections) -> Result<(), String> {
        Ok(())
    }
}
