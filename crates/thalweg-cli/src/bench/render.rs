//! How fast pictures are drawn, on the adapter at hand.

use super::{Case, Machine, Row, best};
use crate::Failure;
use std::collections::BTreeMap;
use thalweg::field::{Column, Field, FieldInfo, Frame, Points, Snapshot, random::Key};
use thalweg::render::gpu::Renderer;
use thalweg::render::{Camera, Look, MapStyle, ReliefStyle, Scene, perspective};
use thalweg::terrain::Recipe;

/// Repeats of a measurement; the best counts.
const REPEATS: usize = 5;
const PICTURE: [usize; 2] = [1280, 720];

/// Terrain with lakes, and particles as spheres.
pub(super) fn cases() -> Vec<Case> {
    let terrain = [1024, 4096].map(|size| Case {
        name: format!("render/terrain/{size}"),
        run: Box::new(move |machine: &Machine| Ok(vec![terrain(size, machine)?])),
    });
    let particles = [100_000, 1_000_000].map(|count| Case {
        name: format!("render/particles/{count}"),
        run: Box::new(move |machine: &Machine| Ok(vec![particles(count, machine)?])),
    });
    terrain.into_iter().chain(particles).collect()
}

/// A look for moving pictures: one sample per pixel, triangles of a few pixels.
fn quick() -> Look {
    Look { supersampling: 1, triangle_size: 3.0, ..Look::default() }
}

/// Mountains with water up to a fifth of their height.
fn terrain(size: usize, machine: &Machine) -> Result<Row, Failure> {
    let cell = 10_240.0 / size as f64;
    let ground = Recipe::named("range", 10_240.0).unwrap_or_default().build(size, size, cell, 1);
    let (low, high) = ground.height.range().unwrap_or((0.0, 1.0));
    let level = low + 0.2 * (high - low);
    let water = ground.height.map(|height| (level - height).max(0.0));
    let field = |name, values| Field { info: FieldInfo::new(name, "m", ""), values };
    let fields = vec![field("height", ground.height.clone()), field("water", water.clone())];
    let snapshot = Snapshot::of_fields(ground.frame.clone(), fields);
    let timed = draw(&snapshot, &quick())?;
    let scene = Scene::ground(&ground).with_water(&water);
    let plain = best(1, || {
        perspective(&scene, &ReliefStyle::side_lit(), &Camera::default(), PICTURE);
        Ok(())
    })?;
    Ok(Row {
        case: format!("terrain/{size}"),
        throughput: timed.triangles as f64 / timed.frame,
        unit: "triangles/s",
        reference_ratio: Some(plain / timed.frame),
        // Height and water as they are, slopes, covers, matter, flow with their coarser levels, openness.
        bytes_per_item: 8 + (4 + 8 + 4 + 4) * 4 / 3 + 1,
        ..timed.row(machine)
    })
}

/// A wave of water, coloured by height.
fn particles(count: usize, machine: &Machine) -> Result<Row, Failure> {
    let side = (count as f32).cbrt();
    let radius = 0.5_f32;
    let key = Key::new(5);
    let place = |i: usize| {
        let draw = |j: u64| key.with(i as u64).with(j).unit() as f32;
        let (x, y) = (draw(0) * 2.0 * side, draw(1) * 2.0 * side);
        let top = side * (0.25 + 0.1 * (x / side * 3.0).sin() * (y / side * 2.0).cos());
        [x, y, draw(2) * top]
    };
    let positions: Vec<[f32; 3]> = (0..count).map(place).collect();
    let heights = positions.iter().map(|p| p[2]).collect();
    let column = Column { info: FieldInfo::new("height", "m", "height of the particle"), values: heights };
    let points = Points { positions, radius, columns: vec![column], ..Points::default() };
    let mut snapshot = Snapshot::of_fields(Frame::with_cell(1.0), Vec::new());
    snapshot.points = Some(points);
    let mut look = quick();
    look.particles.colour = Some(("height".into(), MapStyle::default()));
    let timed = draw(&snapshot, &look)?;
    Ok(Row {
        case: format!("particles/{count}"),
        throughput: count as f64 / timed.frame,
        unit: "particles/s",
        bytes_per_item: 16,
        ..timed.row(machine)
    })
}

struct Timed {
    adapter: String,
    /// Bringing the snapshot onto the device, and drawing one frame `[s]`.
    load: f64,
    frame: f64,
    triangles: usize,
}

impl Timed {
    fn row(&self, machine: &Machine) -> Row {
        Row {
            solver: "render",
            case: String::new(),
            size: format!("{}x{}", PICTURE[0], PICTURE[1]),
            threads: machine.cores,
            backend: self.adapter.clone(),
            throughput: 0.0,
            unit: "",
            bytes_per_item: 0,
            stages_ms: BTreeMap::from([("load", self.load * 1.0e3), ("frame", self.frame * 1.0e3)]),
            frames_per_s: Some(1.0 / self.frame),
            ..Row::default()
        }
    }
}

fn draw(snapshot: &Snapshot, look: &Look) -> Result<Timed, Failure> {
    let mut renderer = Renderer::open().map_err(Failure::run)?;
    let mut world = renderer.load(snapshot, look).map_err(Failure::run)?;
    let load = best(2, || {
        world = renderer.load(snapshot, look).map_err(Failure::run)?;
        renderer.gpu().wait().map_err(Failure::run)
    })?;
    // The first frame compiles what the driver left for later.
    let frame = best(REPEATS + 1, || {
        renderer.picture(&mut world, look, &Camera::default(), PICTURE).map(drop).map_err(Failure::run)
    })?;
    Ok(Timed { adapter: renderer.gpu().describe(), load, frame, triangles: renderer.triangles_drawn() })
}
