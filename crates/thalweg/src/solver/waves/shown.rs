//! What waves and bodies show of themselves.

use super::open_sea::OpenSea;
use super::{Wanted, WaveRun};
use std::sync::Arc;
use thalweg_field::{
    Body, BodyPart, Column, Field, FieldInfo, Finish, Grid2, Heightfield, Material, Points, Pose, Snapshot,
    TriMesh,
};
use thalweg_terrain::analysis::slope;
use thalweg_waves::{BodyParams, Fleet, Hull, HullForm, Sum, Turn, WaterSurface, phase_speed, shapes};

/// What is seen of a body, and the room that no water enters.
#[derive(Clone, Debug)]
pub(super) struct Look {
    parts: Vec<BodyPart>,
    dry: Arc<TriMesh>,
}

/// White paint above a red bottom.
const WHITE: [u8; 3] = [233, 230, 222];
const RED: [u8; 3] = [134, 36, 30];
const ORANGE: [u8; 3] = [224, 96, 28];
const PINE: [u8; 3] = [170, 128, 82];
const GLASS: [u8; 3] = [38, 52, 62];
/// How far the paint of the bottom reaches above the water, in heights of the hull `[-]`.
const BOOT: f64 = 0.05;

impl Look {
    /// How a body looks that was just put onto the water, which stands at a level `[m]`.
    pub(super) fn of(body: &BodyParams, fleet: &Fleet, number: usize, level: f64) -> Self {
        let hull = fleet.hull(number);
        let dry = Arc::new(hull.mesh());
        let water = level - fleet.motion(number).place[2] + body.at[2] + BOOT * body.size[2];
        let paint = |colour, bottom| Material { colour, finish: Finish::Paint, bottom };
        let material = match body.hull {
            HullForm::Boat => paint(WHITE, Some((RED, water as f32))),
            HullForm::Box => Material { colour: PINE, finish: Finish::Wood, bottom: None },
            HullForm::Sphere => paint(ORANGE, None),
            HullForm::Buoy => paint(RED, None),
            HullForm::Mesh => paint([176, 180, 182], Some((RED, water as f32))),
        };
        let mut parts = vec![BodyPart { mesh: dry.clone(), material }];
        if body.hull == HullForm::Boat {
            parts.extend(cabin(hull, body.size));
        }
        Self { parts, dry }
    }
}

/// A wheelhouse aft of the middle, with a band of windows: it carries no weight and is nothing but seen.
fn cabin(hull: &Hull, [long, wide, high]: [f64; 3]) -> Vec<BodyPart> {
    let top = hull.bounds()[1][2];
    let part = |size: [f64; 3], up: f64, material| {
        let mut mesh = shapes::box_hull(size).mesh();
        let at = [-0.08 * long, 0.0, top + up + 0.5 * size[2] - 0.35 * high].map(|x| x as f32);
        mesh.positions.iter_mut().for_each(|place| (0..3).for_each(|axis| place[axis] += at[axis]));
        BodyPart { mesh: Arc::new(mesh), material }
    };
    let [low, windows, roof] = [0.45 * high, 0.22 * high, 0.05 * high];
    let size = |share: f64, tall: f64| [0.26 * long * share, 0.52 * wide * share, tall];
    vec![
        part(size(1.0, low), 0.0, Material::paint(WHITE)),
        part(size(0.96, windows), low, Material { colour: GLASS, finish: Finish::Paint, bottom: None }),
        part(size(1.06, roof), low + windows, Material::paint(WHITE)),
    ]
}

/// Everything that is wanted.
pub(super) fn snapshot(run: &WaveRun, wanted: &Wanted) -> Snapshot {
    let mut shown = Snapshot::of_fields(run.ground.frame.clone(), Vec::new());
    (shown.step, shown.time) = (run.steps, run.time());
    let mut add = |name, unit, meaning, values: &dyn Fn() -> Grid2<f32>| {
        if wanted.has(name) {
            shown.fields.push(Field { info: FieldInfo::new(name, unit, meaning), values: values() });
        }
    };
    let surface = run.waves.surface();
    let [east, north] = surface.displacement();
    add("height", "m", "height of the bed", &|| run.ground.height.clone());
    add("water", "m", "depth of the water above the bed, waves included", &|| run.depth_with_waves());
    add("waves", "m", "height of the waves above water at rest, without those of the open sea", &|| {
        surface.height().clone()
    });
    add(
        "displacement_east",
        "m",
        "how far the surface is moved to the east, without what the open sea adds",
        &|| east.clone(),
    );
    add(
        "displacement_north",
        "m",
        "how far the surface is moved to the north, without what the open sea adds",
        &|| north.clone(),
    );
    add("foam", "-", "share of the surface that foam covers", &|| surface.foam().clone());
    if let Some([east, north, _]) = surface.velocity() {
        add("velocity_east", "m/s", "velocity of the water to the east", &|| east.clone());
        add("velocity_north", "m/s", "velocity of the water to the north", &|| north.clone());
    }
    add("slope", "rad", "slope of the bed", &|| slope(&run.ground));
    more_fields(run, wanted, &mut shown);
    if let Some(sea) = &run.sea {
        add_sea(run, sea, wanted, &mut shown);
    }
    shown.bodies = if wanted.points { bodies(run) } else { Vec::new() };
    let writes = !run.setup.scene.output.particles.is_empty();
    shown.fronts = (wanted.points && writes).then(|| fronts(run));
    shown
}

/// The open sea around the grid, and how much of it there is within.
fn add_sea(run: &WaveRun, sea: &OpenSea, wanted: &Wanted, shown: &mut Snapshot) {
    if wanted.has("sea_share") {
        let info = FieldInfo::new("sea_share", "-", "share of the waves of the open sea that arrive");
        shown.fields.push(Field { info, values: sea.share().clone() });
    }
    shown.sea = wanted.points.then(|| Arc::new(sea.patches(run.time(), run.lake.level())));
}

/// Maps that are made only when they are asked for.
fn more_fields(run: &WaveRun, wanted: &Wanted, shown: &mut Snapshot) {
    let mut add = |name, unit, meaning, values: Grid2<f32>| {
        shown.fields.push(Field { info: FieldInfo::new(name, unit, meaning), values });
    };
    if ["slope_east", "slope_north"].iter().any(|name| wanted.names(name)) {
        let [east, north] = run.waves.surface().gradient();
        add("slope_east", "-", "how the surface rises to the east, of its normal", east);
        add("slope_north", "-", "how the surface rises to the north, of its normal", north);
    }
    let axes = ["normal_east", "normal_north", "normal_up"];
    if axes.iter().any(|name| wanted.names(name)) {
        let meanings = ["east", "north", "upward"].map(|way| format!("{way} part of the surface's normal"));
        for ((name, meaning), values) in axes.into_iter().zip(meanings).zip(run.normals()) {
            let info = FieldInfo { meaning: meaning.into(), ..FieldInfo::new(name, "-", "") };
            shown.fields.push(Field { info, values });
        }
    }
    let mut add = |name, unit, meaning, values: Grid2<f32>| {
        shown.fields.push(Field { info: FieldInfo::new(name, unit, meaning), values });
    };
    if wanted.names("wave_speed") {
        let params = run.params();
        let speed =
            |depth: f32| phase_speed(params.gravity, params.largest_radius, f64::from(depth.max(0.0)));
        let depth = run.lake.depth(&run.ground);
        add("wave_speed", "m/s", "speed of the longest waves", depth.map(|depth| speed(depth) as f32));
    }
}

impl WaveRun {
    /// Depth of the water with all its waves `[m]`; nothing on land.
    fn depth_with_waves(&self) -> Grid2<f32> {
        let Heightfield { height, .. } = &self.ground;
        let (rest, waves) = (self.lake.depth(&self.ground), self.waves.surface());
        let sea = self.sea.as_ref().map(|sea| sea.heights(self.time(), waves));
        Grid2::from_fn(height.cols(), height.rows(), |col, row| {
            let depth = rest.at(col, row);
            let sea = sea.as_ref().map_or(0.0, |sea| sea.at(col, row));
            if depth > 0.0 { (depth + waves.height().at(col, row) + sea).max(0.0) } else { 0.0 }
        })
    }
}

impl WaveRun {
    /// Normals of the surface that one sees, waves of the open sea included: east, north and up `[-]`.
    fn normals(&self) -> [Grid2<f32>; 3] {
        let sea = self.sea.as_ref().map(|sea| sea.at_time(self.time()));
        let mut water: Vec<&dyn WaterSurface> = vec![&self.waves];
        water.extend(sea.as_ref().map(|sea| sea as &dyn WaterSurface));
        let (surface, seen) = (Sum(&water), self.waves.surface());
        let (cols, rows) = (seen.height().cols(), seen.height().rows());
        let mut normals = [0; 3].map(|_| Grid2::filled(cols, rows, 0.0_f32));
        for row in 0..rows {
            for col in 0..cols {
                let [x, y] = surface.at(seen.place_of(col, row)).gradient;
                let long = (1.0 + x * x + y * y).sqrt();
                for (grid, part) in normals.iter_mut().zip([-x, -y, 1.0]) {
                    grid.row_mut(row)[col] = (part / long) as f32;
                }
            }
        }
        normals
    }
}

/// The particles of all waves, as points on the surface with what is known of each.
fn fronts(run: &WaveRun) -> Points {
    let level = run.lake.level();
    let labels = [
        FieldInfo::new("heading_east", "-", "where it goes, east"),
        FieldInfo::new("heading_north", "-", "where it goes, north"),
        FieldInfo::new("crest", "m", "height of the crest of its front, below zero for a trough"),
        FieldInfo::new("width", "m", "width of the front that it stands for"),
        FieldInfo::new("wavelength", "m", "twice its radius"),
        FieldInfo::new("speed", "m/s", "its speed"),
    ];
    let mut columns = labels.map(|info| Column { info, values: Vec::new() });
    let mut positions = Vec::new();
    for front in run.waves.particles() {
        let [east, north] = front.place;
        positions.push([east as f32, north as f32, (level + front.crest) as f32]);
        let numbers =
            [front.heading[0], front.heading[1], front.crest, front.width, 2.0 * front.radius, front.speed];
        columns.iter_mut().zip(numbers).for_each(|(column, number)| column.values.push(number as f32));
    }
    Points {
        positions,
        radius: run.params().smallest_radius as f32,
        columns: columns.into(),
        ..Points::default()
    }
}

fn bodies(run: &WaveRun) -> Vec<Body> {
    let body = |(number, look): (usize, &Look)| {
        let motion = run.fleet.motion(number);
        let Turn([w, x, y, z]) = motion.turn;
        Body {
            name: run.fleet.name(number).to_owned().into(),
            parts: look.parts.clone(),
            dry: Some(look.dry.clone()),
            pose: Pose { place: motion.place, turn: [x, y, z, w] },
        }
    };
    run.looks.iter().enumerate().map(body).collect()
}
