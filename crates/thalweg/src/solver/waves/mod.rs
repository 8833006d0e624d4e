//! Waves on water, and what floats on it, as scenes know them.

mod check;
mod lake;
mod makers;
mod open_sea;
mod saved;
mod shown;

use super::method::{Method, read_as, table};
use super::{Books, Clock, Sections, Setup, Solver, StepError, Stroke, Wanted, cannot_paint};
use super::{Layer, Patch, Seen, WaveBooks};
use crate::project::Complaint;
use crate::world::memory_beside;
use lake::Lake;
use open_sea::OpenSea;
use schemars::JsonSchema;
use shown::Look;
use thalweg_field::sum::ordered_sum;
use thalweg_field::{Grid2, Heightfield, Invalid, Ledger, Points, Snapshot, Solids, Water};
use thalweg_waves::{self as waves, Basin, Fleet, OceanParams, Params, Sea, Sum, WaterSurface, Waves};

/// Waves on water, as scenes know them.
pub(super) const METHOD: Method = Method {
    name: "waves",
    about: "Waves, the open sea, and bodies that float.",
    schema: Params::json_schema,
    presets: &Params::PRESETS,
    preset: |name| Params::preset(name).as_ref().map(table),
    read: read_as::<Params>,
    check: check::check,
    understands: &["ocean", "body", "wavemaker", "output.particles"],
    instead: &[
        ("rain", "waves need water that is there; let it rain with a first [[solver]] of kind = \"pipes\""),
        ("source", "a lake is filled by a first [[solver]] of kind = \"pipes\", on which waves then float"),
        ("drain", "water leaves through a first [[solver]] of kind = \"pipes\""),
        ("emitter", "waves come from a [[wavemaker]], an [ocean] or a [[body]] that moves"),
        ("output.surface", "its surface is a map: take `water` with output.water, or output.maps_every"),
        ("time.coarse", "waves cannot be refined; try things out with a larger terrain.cell"),
    ],
    more_maps: &["slope_east", "slope_north", "normal_east", "normal_north", "normal_up", "wave_speed"],
    free: &["step"],
    relax: None,
    spacing: |_| None,
    memory_of_cells: |[cols, rows], _| memory_beside(cols, rows) + 64 * (cols * rows) as u64,
    memory: |setup| {
        let Heightfield { height, frame } = setup.ground.heights();
        let (cols, rows) = (height.cols(), height.rows());
        let sea = setup.scene.ocean.as_ref().map_or(0, OceanParams::memory);
        let waves = Waves::memory(&setup.params()?, [cols, rows], frame.cell, true).saturating_add(sea);
        Ok(memory_beside(cols, rows).saturating_add(waves))
    },
    build: |setup| Ok(Box::new(WaveRun::new(setup)?)),
};

/// Steps taken in one go, at most.
const STRIDE: u64 = 16;
/// Density of solid rock `[kg/m³]`.
const ROCK_DENSITY: f64 = 2650.0;

/// The state of a run of waves.
#[derive(Debug)]
struct WaveRun {
    setup: Setup,
    ground: Heightfield,
    /// The water at rest.
    lake: Lake,
    waves: Waves,
    /// Waves of the open sea, if there is one.
    sea: Option<OpenSea>,
    fleet: Fleet,
    /// What bodies look like.
    looks: Vec<Look>,
    steps: u64,
    /// Waves that were sent where there is no water.
    on_land: u64,
}

impl WaveRun {
    fn new(setup: &Setup) -> Result<Self, Complaint> {
        let params: Params = setup.params()?;
        let ground = setup.ground.heights().clone();
        let lake = Lake::of_scene(setup, &ground)?;
        let basin = lake.basin()?;
        let size = [ground.height.cols(), ground.height.rows()];
        let cell = ground.frame.cell;
        let start = waves::Setup { params: params.clone(), basin, size, cell, velocity: true };
        let waves = Waves::new(start).map_err(in_solver)?;
        let sea = Sea {
            gravity: params.gravity,
            level: lake.level(),
            least_radius: params.smallest_radius.max(2.0 * cell),
            ..Sea::default()
        };
        let open = setup.scene.ocean.as_ref().map(|ocean| OpenSea::new(ocean, &lake)).transpose()?;
        let (fleet, looks) = launched(setup, &lake, sea)?;
        Ok(Self { setup: setup.clone(), ground, lake, waves, sea: open, fleet, looks, steps: 0, on_land: 0 })
    }

    fn params(&self) -> &Params {
        self.waves.params()
    }

    fn time(&self) -> f64 {
        self.steps as f64 * self.params().step
    }

    /// Lets waves, bodies and the sea know a lake whose shores are no longer where they were.
    fn settle_on(&mut self, lake: Lake, basin: Basin) {
        self.waves.set_basin(basin);
        self.fleet.set_bed(Some(lake.bed().clone()));
        self.fleet.set_level(lake.level());
        if let Some(sea) = &mut self.sea {
            sea.reach(&lake);
        }
        self.lake = lake;
    }

    /// Bodies feel the water and stir it; paddles push; waves go their ways.
    fn step(&mut self) -> Result<(), StepError> {
        let dt = self.params().step;
        // In the middle of the step, where the sea is known beforehand.
        let sea = self.sea.as_ref().filter(|_| !self.fleet.is_empty());
        let sea = sea.map(|sea| sea.at_time(self.time() + 0.5 * dt));
        let mut water: Vec<&dyn WaterSurface> = vec![&self.waves];
        water.extend(sea.as_ref().map(|sea| sea as &dyn WaterSurface));
        let wake = self.fleet.step(dt, &Sum(&water)).map_err(StepError::wild)?;
        let mut sent = wake.emissions;
        sent.extend(makers::emissions(&self.setup.scene.wavemakers, &self.waves, [self.time(), dt]));
        let sent = self.waves.emit(&sent).map_err(StepError::wild)?;
        self.on_land += sent.on_land as u64;
        for foam in &wake.foam {
            self.waves.stir(foam.place, foam.power * dt);
        }
        self.steps += 1;
        let time = self.time();
        match &self.sea {
            None => self.waves.advance_to(time),
            Some(sea) => self.waves.advance_under(time, Some(&|look, surface: &_| sea.strain(look, surface))),
        }
        Ok(())
    }
}

/// The bodies of a scene, put onto its water, and what they look like.
fn launched(setup: &Setup, lake: &Lake, sea: Sea) -> Result<(Fleet, Vec<Look>), Complaint> {
    let mut fleet = Fleet::new(sea).map_err(in_solver)?.within(Some(lake.bed().clone()), &lake.edges());
    let mut looks = Vec::new();
    for (i, body) in setup.scene.bodies.iter().enumerate() {
        let mesh = setup.ground.hulls.get(i).and_then(Option::as_deref);
        let wrong = |error| Complaint { path: format!("body[{i}]"), message: format!("body[{i}]: {error}") };
        let number = fleet.add(body, mesh).map_err(wrong)?;
        looks.push(Look::of(body, &fleet, number, sea.level));
    }
    Ok((fleet, looks))
}

/// Parameters of the method stand below `solver`.
fn in_solver(invalid: Invalid) -> Complaint {
    Invalid { key: format!("solver.{}", invalid.key), ..invalid }.into()
}

impl Solver for WaveRun {
    fn clock(&self) -> Clock {
        let time = &self.setup.scene.time;
        let clock = Clock::of_one_pass(time, (self.steps, self.time()), STRIDE);
        let before_end = time.duration.map_or(u64::MAX, |duration| self.steps_before(duration));
        let dt = if self.steps > 0 { [self.params().step; 2] } else { [0.0; 2] };
        let items = self.ground.height.len();
        Clock { dt, items, most_steps: clock.most_steps.min(before_end), ..clock }
    }

    fn steps_before(&self, pass_time: f64) -> u64 {
        let left = (pass_time - self.time()) / self.params().step;
        (left.ceil().max(1.0) as u64).min(STRIDE)
    }

    fn advance(&mut self, steps: u64) -> Result<(), StepError> {
        (0..steps).try_for_each(|_| self.step())
    }

    fn change(&mut self, setup: &Setup) -> Result<(), Complaint> {
        let (old, new) = (&self.setup.scene, &setup.scene);
        let params: Params = setup.params()?;
        check::only_live(old, new)?;
        self.waves.set_params(params).map_err(in_solver)?;
        for (i, (was, body)) in old.bodies.iter().zip(&new.bodies).enumerate() {
            if was != body {
                let wrong =
                    |invalid: Invalid| Invalid { key: format!("body[{i}].{}", invalid.key), ..invalid };
                self.fleet.edit(i, body).map_err(|invalid| Complaint::from(wrong(invalid)))?;
            }
        }
        self.setup = setup.clone();
        Ok(())
    }

    fn paint(&mut self, stroke: &Stroke) -> Result<Patch, Complaint> {
        Err(cannot_paint(stroke.tool.layer()))
    }

    fn repaint(&mut self, _: &Patch) -> Result<Patch, Complaint> {
        Err(cannot_paint(Layer::Ground))
    }

    fn shift_ground(&mut self, by: &Grid2<f32>) -> Result<(), Complaint> {
        let mut ground = self.ground.clone();
        ground.height.values_mut().iter_mut().zip(by.values()).for_each(|(height, by)| *height += by);
        if let Some(lake) = self.lake.on(&ground) {
            let basin = lake.basin()?;
            self.settle_on(lake, basin);
        }
        self.ground = ground;
        Ok(())
    }

    fn floats(&self) -> bool {
        true
    }

    fn float_on(&mut self, depth: &Grid2<f32>) -> Result<(), Complaint> {
        if !self.lake.looks(self.time()) {
            return Ok(());
        }
        let mut lake = self.lake.clone();
        let has_changed = lake.takes(&self.ground, depth, self.time());
        if has_changed {
            let basin = lake.basin()?;
            self.settle_on(lake, basin);
            if self.steps == 0 {
                // Now it is known where they float.
                (self.fleet, self.looks) = launched(&self.setup, &self.lake, self.fleet.sea())?;
            }
        } else {
            self.lake = lake;
        }
        Ok(())
    }

    fn ground(&self) -> Heightfield {
        self.ground.clone()
    }

    fn points(&self) -> Option<Points> {
        None
    }

    fn snapshot(&self, wanted: &Wanted) -> Snapshot {
        shown::snapshot(self, wanted)
    }

    fn seen_at(&self, places: &[[f64; 2]]) -> Vec<Seen> {
        let sea = self.sea.as_ref().map(|sea| sea.at_time(self.time()));
        let mut water: Vec<&dyn WaterSurface> = vec![&self.waves];
        water.extend(sea.as_ref().map(|sea| sea as &dyn WaterSurface));
        let surface = Sum(&water);
        let seen = |place: &[f64; 2]| {
            let [col, row] = self.ground.cell_from_local(*place);
            let bed = f64::from(self.ground.height.bilinear(col, row));
            Seen::of_wave(bed, self.lake.level(), surface.at(*place))
        };
        places.iter().map(seen).collect()
    }

    /// Waves move no ground, and the water that they go through is there at the end as it was at the beginning.
    fn books(&self) -> Books {
        let water = self.lake.volume(&self.ground);
        let bed = ordered_sum(self.ground.height.values()) * self.ground.frame.cell * self.ground.frame.cell;
        let ledger = Ledger {
            water: Water { start: water, end: water, ..Water::default() },
            solids: Solids { bed_start: bed, bed_end: bed, ..Solids::default() },
        };
        let waves = WaveBooks::new(&self.waves.books(), self.on_land);
        Books {
            ledger,
            solid_density: ROCK_DENSITY,
            solids_missing: 0.0,
            particles: None,
            crumbs: None,
            waves: Some(waves),
        }
    }

    fn warning(&self) -> Option<String> {
        let (held_back, most) = (self.waves.books().held_back, self.params().most_particles);
        let text = format!(
            "solver.most_particles is {most}, and there is no room for more: {held_back} waves were not sent on; raise it, \
             or let waves end sooner with a larger solver.lowest_crest"
        );
        (held_back > 0).then_some(text)
    }

    fn save(&self, into: &mut Sections) {
        saved::save(self, into);
    }

    fn load(&mut self, from: &Sections) -> Result<(), String> {
        saved::load(self, from)
    }
}
