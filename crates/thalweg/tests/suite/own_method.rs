//! The seam is open: a program that uses the library brings its own method and takes it through everything there is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;
use thalweg::field::describe::{live, within};
use thalweg::field::{Field, FieldInfo, Grid2, Heightfield, Region, Snapshot, units};
use thalweg::project::{Complaint, Project, explain};
use thalweg::run::{Earlier, Outcome, Silent, run};
use thalweg::solver::{
    Books, Canvas, CellPatch, Clock, Layer, Method, Patch, Sections, Setup, Solver, StepError, Stroke, Tool,
    Wanted, read_as, register, table,
};
use thalweg::{Edit, Event, Session};
use thalweg_test_support::runs::{MEMORY, options};

/// A sea that rises at a steady rate, and takes off a little of the ground below it.
#[derive(Debug)]
struct Tide {
    setup: Setup,
    params: Params,
    ground: Heightfield,
    steps: u64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(transform = live)]
struct Params {
    /// How fast the sea rises `[m/s]`.
    #[serde(with = "units::Speed")]
    #[schemars(transform = within(0.0, 100.0))]
    rate: f64,
    /// Ground that it takes off in each second `[m/s]`.
    #[serde(with = "units::Speed")]
    #[schemars(transform = within(0.0, 1.0).hint("the sea is patient"))]
    wear: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { rate: 1.0, wear: 0.01 }
    }
}

static TIDE: Method = Method {
    name: "tide",
    about: "A sea that rises.",
    schema: Params::json_schema,
    presets: &[("moon", "as it is"), ("storm", "higher")],
    preset: |name| match name {
        "moon" => Some(table(&Params::default())),
        "storm" => Some(table(&Params { rate: 5.0, ..Params::default() })),
        _ => None,
    },
    read: read_as::<Params>,
    check: |_| Vec::new(),
    understands: &[],
    instead: &[("rain", "the sea is wet enough")],
    more_maps: &[],
    free: &[],
    relax: None,
    spacing: |_| None,
    memory_of_cells: |[cols, rows], _| 8 * (cols * rows) as u64,
    memory: |setup| Ok(8 * setup.ground.heights().height.len() as u64),
    build: |setup| {
        let (params, ground) = (setup.params()?, setup.ground.heights().clone());
        Ok(Box::new(Tide { setup: setup.clone(), params, ground, steps: 0 }))
    },
};

/// Time step `[s]`.
const DT: f64 = 0.5;

impl Tide {
    fn heights(&self, region: &Region) -> Vec<f64> {
        region.cells().map(|(col, row)| f64::from(self.ground.height.at(col, row))).collect()
    }

    fn level(&self) -> f64 {
        self.params.rate * self.steps as f64 * DT
    }
}

impl Solver for Tide {
    fn clock(&self) -> Clock {
        let clock = Clock::of_one_pass(&self.setup.scene.time, (self.steps, self.steps as f64 * DT), 4);
        Clock { items: self.ground.height.len(), dt: [DT; 2], ..clock }
    }

    fn steps_before(&self, _: f64) -> u64 {
        1
    }

    fn advance(&mut self, steps: u64) -> Result<(), StepError> {
        for _ in 0..steps {
            self.steps += 1;
            let (level, wear) = (self.level() as f32, (self.params.wear * DT) as f32);
            for height in self.ground.height.values_mut().iter_mut().filter(|height| **height < level) {
                *height -= wear;
            }
        }
        Ok(())
    }

    fn change(&mut self, setup: &Setup) -> Result<(), Complaint> {
        (self.params, self.setup) = (setup.params()?, setup.clone());
        Ok(())
    }

    fn paint(&mut self, stroke: &Stroke) -> Result<Patch, Complaint> {
        let Heightfield { height, frame } = &self.ground;
        let canvas = Canvas::new(height.cols(), height.rows(), frame);
        let region = stroke.region(&canvas);
        let now = self.heights(&region);
        let patch =
            CellPatch { layer: Layer::Ground, grid: canvas.size, after: now.clone(), before: now, region };
        let after = stroke.painted(&canvas, &patch.region, &patch.before);
        self.repaint(&Patch::Cells(CellPatch { after, ..patch }))
    }

    fn repaint(&mut self, patch: &Patch) -> Result<Patch, Complaint> {
        let Patch::Cells(patch) = patch else { panic!("a sea has no particles") };
        let before = self.heights(&patch.region);
        let after: Vec<_> = patch.over(&before).into_iter().map(|height| f64::from(height as f32)).collect();
        let cols = self.ground.height.cols();
        for ((col, row), height) in patch.region.cells().zip(&after) {
            self.ground.height.values_mut()[row * cols + col] = *height as f32;
        }
        Ok(Patch::Cells(CellPatch { before, after, ..patch.clone() }))
    }

    fn shift_ground(&mut self, by: &Grid2<f32>) -> Result<(), Complaint> {
        self.ground.height.values_mut().iter_mut().zip(by.values()).for_each(|(height, by)| *height += by);
        Ok(())
    }

    fn ground(&self) -> Heightfield {
        self.ground.clone()
    }

    fn snapshot(&self, wanted: &Wanted) -> Snapshot {
        let field = |name, meaning, values| Field { info: FieldInfo::new(name, "m", meaning), values };
        let level = self.level() as f32;
        let water = self.ground.height.map(|height| (level - height).max(0.0));
        let mut fields = vec![
            field("height", "height of the bed", self.ground.height.clone()),
            field("water", "depth of the water above the bed", water),
        ];
        fields.retain(|field| wanted.has(&field.info.name));
        let (step, time) = (self.steps, self.clock().time);
        Snapshot { step, time, ..Snapshot::of_fields(self.ground.frame.clone(), fields) }
    }

    fn books(&self) -> Books {
        Books {
            ledger: Default::default(),
            solid_density: 2650.0,
            solids_missing: 0.0,
            particles: None,
            crumbs: None,
            waves: None,
        }
    }

    fn save(&self, into: &mut Sections) {
        into.put_floats("ground", self.ground.height.values().to_vec());
    }

    fn load(&mut self, from: &Sections) -> Result<(), String> {
        self.steps = from.number("step")?;
        let heights = self.ground.height.values_mut();
        let saved = from.floats("ground")?;
        if saved.len() != heights.len() {
            return Err("its ground does not fit".into());
        }
        heights.copy_from_slice(saved);
        Ok(())
    }
}

const SCENE: &str = "version = 1\n[terrain]\nsize = [24, 20]\n[[terrain.layer]]\nkind = 'fbm'\nheight = '40 m'\n\
                     [solver]\nkind = 'tide'\npreset = 'storm'\nwear = 0.02\n[time]\nsteps = 20\n\
                     [picture]\nsize = [64, 36]\nrenderer = 'cpu'\n";

fn project(text: &str) -> Result<Project, String> {
    register(&TIDE);
    Project::from_text(text, "tide", Path::new(""), &[]).map_err(|error| error.to_string())
}

/// All heights, bit by bit.
fn bits(state: &Session) -> Vec<u32> {
    state.ground().height.values().iter().map(|height| height.to_bits()).collect()
}

#[test]
fn a_method_of_ones_own_is_read_and_checked_like_any_other() {
    let scene = project(SCENE).unwrap().scene;
    let params: Params = scene.solver.first().params().unwrap();
    assert_eq!((params.rate, params.wear), (5.0, 0.02), "the preset's, and the scene's");
    let text = toml::to_string(&scene).unwrap();
    assert_eq!(project(&text).unwrap().scene, scene, "{text}");
    let refused = |from: &str, to: &str| project(&SCENE.replace(from, to)).unwrap_err();
    assert!(refused("wear =", "waer =").contains("did you mean `wear`?"));
    assert!(refused("'storm'", "'calm'").contains("expected one of `moon`, `storm`"));
    assert!(refused("wear = 0.02", "rate = 1000").contains("between 0 and 100 m/s"));
    assert!(refused("wear = 0.02", "wear = '2 m'").contains("solver"), "a length is no speed");
    let wear = &explain("solver.wear").unwrap()[0];
    assert_eq!(wear.parameter.meaning, "Ground that it takes off in each second.");
    assert_eq!(wear.presets.len(), 2, "{wear:?}");
    let wet = format!("{SCENE}[[rain]]\nrate = 0");
    let wet = project(&wet).unwrap_err();
    assert!(
        wet.contains(
            "rain[0] is for kind = \"pipes\" or \"stream-power\", and this is \"tide\": the sea is wet enough"
        ),
        "{wet}"
    );
    let unknown = refused("kind = 'tide'", "kind = 'tyde'");
    assert!(unknown.contains("`tide`"), "{unknown}");
}

#[test]
fn it_runs_with_maps_pictures_and_a_report_and_goes_on_in_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let (out, whole) = (folder.path().join("out"), folder.path().join("whole"));
    let longer = project(&SCENE.replace("steps = 20", "steps = 33")).unwrap();
    let outcome = run(&longer, &options(&whole, Earlier::Refuse), &mut Silent).unwrap();
    let Outcome::Finished(report) = outcome else { panic!("{outcome:?}") };
    assert_eq!((report.steps, report.simulated_s), (33, 16.5));
    assert!(report.timings_s.contains_key("tide"), "{:?}", report.timings_s);
    for name in ["height.exr", "maps/water.exr", "pictures/before_after.png", "pictures/view.png"] {
        assert!(whole.join(name).is_file(), "{name} is missing");
    }
    run(&project(SCENE).unwrap(), &options(&out, Earlier::Refuse), &mut Silent).unwrap();
    run(&longer, &options(&out, Earlier::Resume), &mut Silent).unwrap();
    let read = |folder: &Path| std::fs::read(folder.join("height.exr")).unwrap();
    assert!(read(&out) == read(&whole), "a run that went on is another");
}

#[test]
fn it_changes_while_it_runs_and_takes_it_back() {
    let mut session = Session::new(&project(SCENE).unwrap(), MEMORY).unwrap();
    session.tick(4).unwrap();
    let worn = bits(&session);
    session.apply(Edit::set("solver.wear=0")).unwrap();
    session.tick(4).unwrap();
    assert_eq!(bits(&session), worn, "the sea no longer wears the ground");
    let along = vec![[100.0, 90.0]];
    let hill = Stroke { tool: Tool::Raise, along, radius: 60.0, strength: 25.0, level: None };
    session.apply(Edit::Paint(hill)).unwrap();
    assert_ne!(bits(&session), worn, "a hill was heaped up");
    // A session that is stopped here knows what it can undo.
    let saved = session.save("tide");
    let mut edited = project(SCENE).unwrap();
    edited.scene = session.scene().clone();
    let mut resumed = Session::new(&edited, MEMORY).unwrap();
    resumed.load(&saved).unwrap();
    for session in [&mut session, &mut resumed] {
        session.undo().unwrap();
        assert_eq!(bits(session), worn, "the hill is gone");
        session.undo().unwrap();
        session.tick(4).unwrap();
        assert_ne!(bits(session), worn, "the sea wears the ground again");
    }
    assert_eq!(bits(&session), bits(&resumed));
    let steps: Vec<_> = session.changes().iter().map(|change| change.step).collect();
    assert_eq!(steps, [4, 8, 8, 8]);
    assert!(session.events().contains(&Event::Advanced { from: 8, to: 12 }));
    let shown = session.show(&Wanted::fields(&["water"]));
    assert_eq!(shown.fields.len(), 1, "nothing else was asked for");
}

/// Rain on the ground that a sea wears away: what each does to it, the other finds.
#[test]
fn it_shares_a_ground_with_another_water() {
    let both = SCENE
        .replace("[solver]\nkind = 'tide'", "[[solver]]\nkind = 'pipes'\n[[solver]]\nkind = 'tide'")
        + "[[rain]]\nrate = '60 mm/h'\n";
    let project = project(&both).unwrap();
    let mut session = Session::new(&project, MEMORY).unwrap();
    let start = session.ground();
    session.tick(16).unwrap();
    let snapshot = session.snapshot();
    let seas = snapshot.field("tide_water").expect("the sea's maps have its name");
    assert!(seas.range().unwrap().1 > 0.0, "the sea has risen");
    assert!(session.other_books()[0].0 == "tide" && session.ledger().water.added > 0.0);
    // Ground that only the sea could have taken off is gone from below the pipes.
    let low = (0..start.height.len())
        .min_by(|&a, &b| start.height.values()[a].total_cmp(&start.height.values()[b]));
    let [was, is] = [&start, &session.ground()].map(|ground| ground.height.values()[low.unwrap()]);
    assert!(is < was - 0.005, "{was} m was worn to {is} m");
    // It does not matter how many steps are taken at once.
    let mut slow = Session::new(&project, MEMORY).unwrap();
    (0..16).for_each(|_| assert_eq!(slow.tick(1).unwrap(), 1));
    assert_eq!(bits(&slow), bits(&session));
    // A hill that is heaped up on the one is there for the other, also after a stop.
    let hill =
        Stroke { tool: Tool::Raise, along: vec![[60.0, 60.0]], radius: 50.0, strength: 9.0, level: None };
    session.apply(Edit::Paint(hill)).unwrap();
    let mut resumed = Session::new(&project, MEMORY).unwrap();
    resumed.load(&session.save("both")).unwrap();
    for session in [&mut session, &mut resumed] {
        session.tick(100).unwrap();
        assert!(session.is_over());
    }
    assert_eq!(bits(&session), bits(&resumed));
    let text = toml::to_string(&project.scene).unwrap();
    assert!(text.contains("[[solver]]"), "{text}");
}
