//! Draws a sea to the horizon, a boat with its wake, a shore and a lake, from snapshots made here of sines and a few
//! triangles: `cargo run --release -p thalweg-render --example sea [folder] [picture ...]`.

#![expect(clippy::print_stdout, reason = "an example tells what it finds")]

use std::f32::consts::{PI, TAU};
use std::path::Path;
use std::sync::Arc;

use thalweg_field::random::Key;
use thalweg_field::{
    Body, BodyPart, Field, FieldInfo, Finish, Frame, Grid2, Material, Pose, Sea, SeaPatch, Snapshot, TriMesh,
};
use thalweg_render::gpu::Renderer;
use thalweg_render::{Camera, Fly, Follow, Look, Picture, Ride, sketch};

const SIZE: [usize; 2] = [960, 540];
/// Where the wind goes to, east and north.
const WIND: [f32; 2] = [0.8, 0.6];

fn field(name: &'static str, unit: &'static str, values: Grid2<f32>) -> Field {
    Field { info: FieldInfo::new(name, unit, ""), values }
}

/// A wave of a square: whole turns to the east and north, height, phase.
struct Wave {
    turns: [f32; 2],
    height: f32,
    phase: f32,
}

/// Sines that fit into a square, by the spectrum of Phillips for a wind of that speed [m/s].
fn waves(seed: u64, side: f32, [longest, shortest]: [f32; 2], speed: f32) -> Vec<Wave> {
    const COUNT: usize = 60;
    let key = Key::new(seed);
    let reach = speed * speed / 9.81;
    let bands = (longest / shortest).ln() / COUNT as f32;
    (0..COUNT)
        .map(|i| {
            let draw = |j: u64| key.with(i as u64).with(j).unit() as f32;
            let length = longest * (shortest / longest).powf((i as f32 + draw(0)) / COUNT as f32);
            let turn = (draw(1) + draw(2) + draw(3) - 1.5) * 1.1;
            let (sin, cos) = turn.sin_cos();
            let heading = [WIND[0] * cos - WIND[1] * sin, WIND[0] * sin + WIND[1] * cos];
            let turns = heading.map(|part| (part * side / length).round());
            let number = TAU * turns[0].hypot(turns[1]).max(1.0) / side;
            let height = (0.0081 * bands).sqrt() / number * (-0.5 / (number * reach).powi(2)).exp();
            Wave { turns, height, phase: draw(4) * TAU }
        })
        .collect()
}

fn patch(seed: u64, side: f32, lengths: [f32; 2], speed: f32, white: bool) -> SeaPatch {
    const CELLS: usize = 256;
    let waves = waves(seed, side, lengths, speed);
    let sum = |part: fn(&Wave, f32) -> f32| {
        Grid2::from_fn(CELLS, CELLS, |col, row| {
            let (x, y) = ((col as f32 + 0.5) / CELLS as f32, 1.0 - (row as f32 + 0.5) / CELLS as f32);
            waves.iter().map(|w| part(w, TAU * (w.turns[0] * x + w.turns[1] * y) + w.phase)).sum()
        })
    };
    let height = sum(|w, at| w.height * at.cos());
    let east = sum(|w, at| -w.height * w.turns[0] / w.turns[0].hypot(w.turns[1]).max(1.0) * at.sin());
    let north = sum(|w, at| -w.height * w.turns[1] / w.turns[0].hypot(w.turns[1]).max(1.0) * at.sin());
    let foam = if white { whitecaps(&east, &north, side) } else { Grid2::filled(0, 0, 0.0) };
    SeaPatch { side, corner: [0.0; 2], height, east, north, foam }
}

/// Foam where crests are drawn together, and what is left of it behind them.
fn whitecaps(east: &Grid2<f32>, north: &Grid2<f32>, side: f32) -> Grid2<f32> {
    let cells = east.cols();
    let texel = side / cells as f32;
    let at = |grid: &Grid2<f32>, col: usize, row: usize| grid.at(col % cells, row % cells);
    let area = Grid2::from_fn(cells, cells, |col, row| {
        let x = (at(east, col + 1, row) - at(east, col + cells - 1, row)) / (2.0 * texel);
        let y = (at(north, col, row + cells - 1) - at(north, col, row + 1)) / (2.0 * texel);
        (1.0 + x) * (1.0 + y)
    });
    let mut sorted = area.values().to_vec();
    sorted.sort_by(f32::total_cmp);
    let [least, some] = [0.0, 0.015].map(|share| sorted[(share * sorted.len() as f32) as usize]);
    Grid2::from_fn(cells, cells, |col, row| {
        let steps = (14.0 / texel) as usize;
        (0..steps)
            .map(|i| {
                let away = i as f32 * texel;
                // The crest has gone on with the wind and left it behind.
                let c = col as f32 + WIND[0] * i as f32 + cells as f32;
                let r = row as f32 - WIND[1] * i as f32 + cells as f32;
                let fresh =
                    ((some - at(&area, c as usize, r as usize)) / (some - least)).clamp(0.0, 1.0).sqrt();
                fresh * (-away / 5.0).exp()
            })
            .fold(0.0, f32::max)
    })
}

fn sea(speed: f32) -> Sea {
    Sea {
        level: 0.0,
        depth: 80.0,
        patches: vec![
            patch(1, 271.0, [110.0, 7.0], speed, true),
            patch(2, 43.0, [7.0, 1.1], speed, false),
            patch(3, 7.3, [1.1, 0.16], speed, false),
        ],
    }
}

/// A section of a hull: half its width, keel and rail.
fn section(along: f32) -> [f32; 3] {
    let bow = (1.0 - (along.max(0.0)).powf(2.4)).max(0.0);
    let stern = 1.0 - 0.25 * (-along).max(0.0).powi(2);
    [1.45 * bow * stern, -0.55 * (1.0 - along.max(0.0).powi(4)) - 0.02, 0.75 + 0.45 * along.max(0.0).powi(2)]
}

/// The skin of a hull 9 m long, a little smaller and higher for its inside.
fn skin(scale: f32, lift: f32, out: bool) -> TriMesh {
    const STATIONS: usize = 40;
    const RIBS: usize = 24;
    let mut mesh = TriMesh::default();
    for i in 0..=STATIONS {
        let along = 2.0 * i as f32 / STATIONS as f32 - 1.0;
        let [half, keel, rail] = section(along);
        for j in 0..=RIBS {
            let side = 2.0 * j as f32 / RIBS as f32 - 1.0;
            let rise = side.abs();
            let y = half * side.signum() * rise.powf(0.55) * scale;
            let z = (keel + lift) + (rail - keel - lift) * rise.powf(2.2);
            mesh.positions.push([4.5 * along * scale, y, z]);
        }
    }
    let at = |i: usize, j: usize| (i * (RIBS + 1) + j) as u32;
    for (i, j) in (0..STATIONS).flat_map(|i| (0..RIBS).map(move |j| (i, j))) {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)];
        // The right side comes first.
        mesh.triangles.extend([[a, b, c], [c, b, d]]);
    }
    // The stern.
    for j in 0..RIBS / 2 {
        let [a, b, c, d] = [at(0, j), at(0, j + 1), at(0, RIBS - j), at(0, RIBS - j - 1)];
        mesh.triangles.extend([[a, c, b], [b, c, d]]);
    }
    if !out {
        mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    mesh.with_normals()
}

/// A lid over a hull or a strip between its two skins.
fn rim(outer: f32, inner: f32) -> TriMesh {
    const STATIONS: usize = 40;
    let mut mesh = TriMesh::default();
    for side in [-1.0_f32, 1.0] {
        let first = mesh.positions.len() as u32;
        for i in 0..=STATIONS {
            let along = 2.0 * i as f32 / STATIONS as f32 - 1.0;
            let [half, _, rail] = section(along);
            mesh.positions.push([4.5 * along * outer, half * side * outer, rail]);
            mesh.positions.push([4.5 * along * inner, half * side * inner, rail]);
        }
        for i in 0..STATIONS as u32 {
            let [a, b, c, d] = [0, 1, 2, 3].map(|n| first + 2 * i + n);
            mesh.triangles.extend(if side < 0.0 { [[a, c, b], [b, c, d]] } else { [[a, b, c], [b, d, c]] });
        }
    }
    mesh.with_normals()
}

fn block([x0, y0, z0]: [f32; 3], [x1, y1, z1]: [f32; 3]) -> TriMesh {
    let mut mesh = TriMesh::default();
    let sides: [([f32; 3], [f32; 3], [f32; 3]); 6] = [
        ([x0, y0, z1], [x1 - x0, 0.0, 0.0], [0.0, y1 - y0, 0.0]),
        ([x0, y1, z0], [x1 - x0, 0.0, 0.0], [0.0, y0 - y1, 0.0]),
        ([x0, y0, z0], [x1 - x0, 0.0, 0.0], [0.0, 0.0, z1 - z0]),
        ([x1, y1, z0], [x0 - x1, 0.0, 0.0], [0.0, 0.0, z1 - z0]),
        ([x1, y0, z0], [0.0, y1 - y0, 0.0], [0.0, 0.0, z1 - z0]),
        ([x0, y1, z0], [0.0, y0 - y1, 0.0], [0.0, 0.0, z1 - z0]),
    ];
    for (from, u, v) in sides {
        let first = mesh.positions.len() as u32;
        for [a, b] in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]] {
            mesh.positions.push(std::array::from_fn(|i| from[i] + a * u[i] + b * v[i]));
        }
        mesh.triangles.extend([[first, first + 1, first + 2], [first + 2, first + 1, first + 3]]);
    }
    mesh.with_normals()
}

/// An open boat: no deck, its floor below the water.
fn boat(name: &'static str, place: [f64; 3], heading: f64, roll: f64, colour: [u8; 3]) -> Body {
    let part = |mesh: TriMesh, material: Material| BodyPart { mesh: Arc::new(mesh), material };
    let hull = Material { colour, finish: Finish::Paint, bottom: Some(([122, 28, 24], 0.1)) };
    let wood = Material { colour: [168, 112, 64], finish: Finish::Wood, bottom: None };
    let metal = Material { colour: [200, 205, 210], finish: Finish::Metal, bottom: None };
    let mut dry = skin(1.0, 0.0, true);
    let lid = rim(1.0, 0.0);
    let first = dry.positions.len() as u32;
    dry.positions.extend(lid.positions);
    dry.normals.extend(lid.normals);
    dry.triangles.extend(lid.triangles.iter().map(|t| t.map(|i| i + first)));
    let mut pose = Pose::heading(place, heading);
    let [.., z, w] = pose.turn;
    // A little roll about the body's own axis.
    let (s, c) = (0.5 * roll).sin_cos();
    pose.turn = [w * s, z * s, z * c, w * c];
    Body {
        name: name.into(),
        parts: vec![
            part(skin(1.0, 0.0, true), hull),
            part(skin(0.95, 0.12, false), wood),
            part(rim(1.0, 0.95), wood),
            part(block([-0.3, -0.75, 0.3], [1.6, 0.75, 1.5]), Material::paint([236, 236, 228])),
            part(block([-0.5, -0.85, 1.5], [1.75, 0.85, 1.58]), wood),
            part(block([-4.3, -0.25, -0.4], [-3.9, 0.25, 1.1]), metal),
            part(block([-2.6, -1.2, 0.35], [-2.2, 1.2, 0.42]), wood),
        ],
        dry: Some(Arc::new(dry)),
        pose,
    }
}

/// The wake of a boat at a place, as a sum of waves that stand still beside it (Kelvin 1887).
fn kelvin(at: [f32; 2], heading: f32, speed: f32, place: [f32; 2]) -> f32 {
    const WAVES: i32 = 120;
    let (sin, cos) = heading.sin_cos();
    let [east, north] = [place[0] - at[0], place[1] - at[1]];
    // Behind the boat, and to its right.
    let (behind, beside) = (-(east * sin + north * cos), east * cos - north * sin);
    if behind < -6.0 {
        return 0.0;
    }
    let wave = |i: i32| {
        let turn = i as f32 / WAVES as f32 * 1.35;
        let number = 9.81 / (speed * turn.cos()).powi(2);
        let at = number * (behind * turn.cos() + beside * turn.sin());
        (-0.09 * number * number).exp() * at.sin() / (1.0 + 0.02 * behind.max(0.0))
    };
    let sum: f32 = (-WAVES..=WAVES).map(wave).sum();
    let edge = ((behind + 6.0) / 8.0).clamp(0.0, 1.0);
    let wedge = (1.3 - beside.abs() / (behind.max(0.0) * 0.36 + 3.0)).clamp(0.0, 1.0);
    sum / WAVES as f32 * 1.1 * edge * wedge.powf(0.7)
}

/// White water behind a boat and at its bow.
fn wake_foam(at: [f32; 2], heading: f32, place: [f32; 2]) -> f32 {
    let (sin, cos) = heading.sin_cos();
    let [east, north] = [place[0] - at[0], place[1] - at[1]];
    let (behind, beside) = (-(east * sin + north * cos), (east * cos - north * sin).abs());
    let gauss = |x: f32| (-x * x).exp();
    let stern = if behind > 3.0 {
        0.95 * (-(behind - 3.0) / 45.0).exp() * gauss(beside / (1.0 + 0.03 * behind))
            + 0.5
                * (-(behind - 3.0) / 60.0).exp()
                * gauss((beside - 1.2 - 0.06 * behind) / (0.5 + 0.02 * behind))
    } else {
        0.0
    };
    let from_bow = behind + 4.2;
    let bow = if from_bow > 0.0 {
        0.9 * (-from_bow / 9.0).exp()
            * gauss((beside - 0.55 * from_bow.powf(0.75)) / (0.25 + 0.09 * from_bow))
    } else {
        0.0
    };
    (stern + bow).min(1.0)
}

/// A boat under way on the open sea.
fn voyage() -> Snapshot {
    let (cols, rows, cell) = (560, 400, 0.5);
    let (at, heading) = ([200.0_f32, 100.0_f32], 0.5 * PI);
    let place = |col: usize, row: usize| [(col as f32 + 0.5) * cell, (rows as f32 - row as f32 - 0.5) * cell];
    let waves = Grid2::from_fn(cols, rows, |col, row| kelvin(at, heading, 5.0, place(col, row)));
    let foam = Grid2::from_fn(cols, rows, |col, row| wake_foam(at, heading, place(col, row)));
    let fields = vec![
        field("height", "m", Grid2::filled(cols, rows, -60.0)),
        field("waves", "m", waves),
        field("foam", "-", foam),
    ];
    Snapshot {
        bodies: vec![boat("boat", [200.0, 100.0, 0.05], f64::from(heading), 0.06, [28, 62, 96])],
        sea: Some(Arc::new(sea(7.0))),
        ..Snapshot::of_fields(Frame::with_cell(f64::from(cell)), fields)
    }
}

/// A sandy shore with rocks, in clear water.
fn shore() -> Snapshot {
    let (cols, rows, cell) = (320, 240, 0.5);
    let height = Grid2::from_fn(cols, rows, |col, row| {
        let (x, y) = (col as f32 / 320.0, row as f32 / 240.0);
        let rocks = ((x * 31.0).sin() * (y * 27.0 + 2.0 * (x * 9.0).sin()).cos() - 0.55).max(0.0) * 4.0;
        -7.0 + 10.0 * (1.0 - y + 0.12 * (x * 7.0).sin()) + rocks
    });
    Snapshot {
        bodies: vec![boat("boat", [70.0, 42.0, 0.0], 1.9, -0.03, [196, 60, 44])],
        sea: Some(Arc::new(Sea { depth: 9.0, ..sea(4.0) })),
        ..Snapshot::of_fields(Frame::with_cell(cell), vec![field("height", "m", height)])
    }
}

/// A lake in the hills with two boats.
fn lake() -> Snapshot {
    let (cols, rows, cell) = (256, 192, 1.0);
    let height = Grid2::from_fn(cols, rows, |col, row| {
        let (x, y) = ((col as f32 / 128.0 - 1.0) * 1.1, (row as f32 / 96.0 - 1.0) * 1.1);
        let hills = 6.0 * (x * 5.0).sin() * (y * 4.0 + 1.0).cos() + 2.0 * (x * 13.0 + y * 9.0).sin();
        800.0 + 26.0 * (x * x + y * y) - 10.0 + hills
    });
    let level = |col: usize, row: usize| {
        let (x, y) = (col as f32, row as f32);
        804.0 + 0.06 * ((x * 0.9 + y * 0.3).sin() + (x * 0.4 - y * 0.8).sin())
    };
    let water = Grid2::from_fn(cols, rows, |col, row| (level(col, row) - height.at(col, row)).max(0.0));
    let foam = Grid2::from_fn(cols, rows, |col, row| {
        wake_foam([110.0, 100.0], 0.9, [(col as f32 + 0.5) * cell, (rows as f32 - row as f32 - 0.5) * cell])
    });
    let bodies = vec![
        boat("one", [110.0, 100.0, 804.0], 0.9, 0.05, [28, 62, 96]),
        boat("two", [140.0, 84.0, 804.0], 2.9, 0.0, [210, 160, 40]),
    ];
    let fields = vec![field("height", "m", height), field("water", "m", water), field("foam", "-", foam)];
    Snapshot { bodies, ..Snapshot::of_fields(Frame::with_cell(f64::from(cell)), fields) }
}

fn write(path: &Path, picture: &Picture) -> Result<(), Box<dyn std::error::Error>> {
    let mut encoder =
        png::Encoder::new(std::fs::File::create(path)?, picture.width as u32, picture.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&picture.rgb)?;
    Ok(())
}

fn fly(position: [f32; 3], yaw: f32, pitch: f32, fov: f32) -> Camera {
    let [yaw, pitch, fov] = [yaw, pitch, fov].map(f32::to_radians);
    Camera::Fly(Fly { position, yaw, pitch, fov })
}

/// Makes what a picture shows.
type Make = fn() -> Snapshot;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| "target/sea".into());
    let wanted: Vec<String> = arguments.collect();
    std::fs::create_dir_all(&folder)?;
    let mut look = Look::default();
    look.relief.sun_azimuth = 250f32.to_radians();
    look.relief.sun_elevation = 32f32.to_radians();
    let mut low = look.clone();
    low.relief.sun_elevation = 11f32.to_radians();
    let mut clear = look.clone();
    clear.relief.water_deep = 22.0;
    clear.relief.sun_elevation = 50f32.to_radians();
    let open = || Snapshot {
        sea: Some(Arc::new(sea(9.0))),
        ..Snapshot::of_fields(Frame::with_cell(1.0), Vec::new())
    };
    let behind = || Camera::Follow(Follow { body: "boat".into(), yaw: 0.35, ..Follow::default() });
    let aboard = || Camera::Ride(Ride { body: "boat".into(), ..Ride::default() });
    let pictures: Vec<(&str, Make, &Look, Camera)> = vec![
        (
            "glitter",
            || Snapshot::of_fields(Frame::with_cell(1.0), Vec::new()),
            &low,
            fly([40.0, 20.0, 7.0], 256.0, 4.0, 42.0),
        ),
        (
            "lee",
            || Snapshot::of_fields(Frame::with_cell(1.0), Vec::new()),
            &look,
            fly([40.0, 20.0, 12.0], 60.0, 9.0, 45.0),
        ),
        ("follow", voyage, &look, behind()),
        ("ride", voyage, &look, aboard()),
        ("wake", voyage, &look, fly([205.0, 10.0, 48.0], 335.0, 26.0, 45.0)),
        ("close", voyage, &look, fly([214.0, 90.0, 2.6], 305.0, 9.0, 40.0)),
        ("top", voyage, &look, Camera::Top),
        ("shore", shore, &clear, fly([60.0, 8.0, 9.0], 10.0, 17.0, 45.0)),
        ("shallow", shore, &clear, fly([78.0, 38.0, 7.0], 335.0, 34.0, 45.0)),
        ("lake", lake, &look, Camera::orbit(0.3, 0.42)),
        ("moored", lake, &look, fly([120.0, 70.0, 808.0], 345.0, 10.0, 40.0)),
    ];
    let mut renderer = Renderer::open()?;
    for (name, make, look, camera) in pictures {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| wanted == name || wanted == "cpu") {
            continue;
        }
        let snapshot = if matches!(name, "glitter" | "lee") { open() } else { make() };
        if wanted.iter().any(|wanted| wanted == "cpu") {
            write(
                &Path::new(&folder).join(format!("{name}-cpu.png")),
                &sketch(&snapshot, look, &camera, SIZE, None),
            )?;
            continue;
        }
        let start = std::time::Instant::now();
        let mut world = renderer.load(&snapshot, look)?;
        let picture = renderer.picture(&mut world, look, &camera, SIZE)?;
        println!("{name}: {:.1} s", start.elapsed().as_secs_f32());
        write(&Path::new(&folder).join(format!("{name}.png")), &picture)?;
    }
    Ok(())
}
