//! Writes one file of every kind into a folder, of things whose numbers are known, for `cargo xtask clients` to open in
//! other programs: `cargo run --release -p thalweg-io --example clients -- DIR`.
//!
//! The ground has no symmetry: it is high in the north-west, partly below 0 m, and 48 by 30 cells of 2.5 m. What it should
//! be read as is in `truth.json`.

use serde_json::json;
use std::error::Error;
use std::path::Path;
use thalweg_field::random::Key;
use thalweg_field::{Column, Field, FieldInfo, Frame, Grid2, Heightfield, Points, Pose, TriMesh};
use thalweg_io::{
    MapLayer, MeshExtras, Moment, Motion, NpyArray, Shape, SparseGrid, Thing, UpAxis, VdbClass, VdbGrid,
    VdbValues, WriteOptions, atomic, write_glb_motion, write_heightfield, write_layers, write_map_png,
    write_mesh_with, write_npy, write_npz_fields, write_points, write_pvd, write_shares_png, write_usda,
    write_vdb, write_vectors_png, write_vti,
};
use thalweg_terrain::art::{NormalStyle, directions, normals, splat};
use thalweg_terrain::tin::{TinParams, ground_mesh, water_mesh};

const COLS: usize = 48;
const ROWS: usize = 30;
const CELL: f64 = 2.5;

/// Side of the picture that nothing can pack.
const NOISE: usize = 1009;

/// Beyond it 32-bit floats know even numbers alone.
const FIRST_ID: u32 = 1 << 24;

fn height(col: usize, row: usize) -> f32 {
    let (east, south) = (col as f32 / COLS as f32, row as f32 / ROWS as f32);
    // Eighths, so that every program's rounding can be told from a mistake.
    ((90.0 * (1.0 - east) * (1.0 - south) - 25.0 * east + (col * 7 + row * 13) as f32 % 5.0) * 8.0).round()
        / 8.0
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("a folder is missing")?;
    let folder = Path::new(&folder);
    atomic::create_dir(folder)?;
    let at = |name: &str| folder.join(name);
    let frame = Frame { cell: CELL, origin: [431_000.0, 5_412_000.0], crs: Some("EPSG:32611".into()) };
    let ground = Heightfield { height: Grid2::from_fn(COLS, ROWS, height), frame: frame.clone() };
    let depth = Grid2::from_fn(COLS, ROWS, |col, row| (-2.0 - height(col, row)).max(0.0));
    let field = |name, unit, values: &Grid2<f32>| Field {
        info: FieldInfo::new(name, unit, "made up"),
        values: values.clone(),
    };
    let (bed, water) = (field("height", "m", &ground.height), field("water", "m", &depth));

    for name in ["height.png", "height.exr", "height.tif", "height.r16"] {
        write_heightfield(&at(name), &ground, &WriteOptions::default())?;
    }
    // Nothing in it can be packed, and it is written in several pieces.
    let noise =
        |col: usize, row: usize| f32::from(Key::new(1).with(row as u64).with(col as u64).bits() as u16);
    let noise = Heightfield { height: Grid2::from_fn(NOISE, NOISE, noise), frame: Frame::with_cell(1.0) };
    let how = WriteOptions { height_range: Some([0.0, 65535.0]), ..WriteOptions::default() };
    for name in ["noise.png", "noise.r16"] {
        write_heightfield(&at(name), &noise, &how)?;
    }
    write_map_png(&at("water.png"), &water, &frame)?;
    let [east, north] = [-0.6_f32, 0.8].map(|part| depth.map(|depth| part * depth));
    let ways = directions(&east, &north);
    let info = FieldInfo::new("flowdir", "-", "made up");
    let flowdir = MapLayer { info, grids: ways.iter().collect() };
    write_layers(&at("maps.exr"), &[MapLayer::of(&bed), MapLayer::of(&water), flowdir], &frame)?;
    write_vectors_png(&at("normal.png"), &normals(&ground, NormalStyle::OpenGl), "{}")?;
    let wet = depth.map(|depth| f32::from(u8::from(depth > 0.0)));
    write_shares_png(&at("splat.png"), &splat(&ground, None, Some(&wet)), "{}")?;
    write_vti(&at("maps.vti"), &[&bed, &water], &frame, Some(1.5))?;
    write_npy(&at("height.npy"), &NpyArray::Grid(&ground.height))?;
    write_npz_fields(&at("maps.npz"), &[&bed, &water], &frame, 1.5)?;

    let params = TinParams { max_triangles: 900, max_error: 0.0 };
    let tin = ground_mesh(&ground, &params, None)?;
    let colours: Vec<[f32; 4]> = tin
        .mesh
        .positions
        .iter()
        .map(|place| if place[2] < 0.0 { [0.0, 0.25, 1.0, 1.0] } else { [1.0, 0.5, 0.0, 1.0] })
        .collect();
    for (name, up) in [
        ("ground.obj", None),
        ("ground_z.obj", Some(UpAxis::Z)),
        ("ground.ply", None),
        ("ground.glb", None),
        ("ground.stl", None),
    ] {
        let extras = MeshExtras { colours: Some(&colours), uvs: Some(&tin.uvs), up, matt: true };
        write_mesh_with(&at(name), &tin.mesh, &extras)?;
    }
    let closed = ground_mesh(&ground, &params, Some(-60.0))?;
    write_mesh_with(&at("closed.stl"), &closed.mesh, &MeshExtras::default())?;
    write_mesh_with(&at("closed.ply"), &closed.mesh, &MeshExtras::default())?;
    let lake = water_mesh(&ground, &depth, 0.02, &params)?;
    write_mesh_with(&at("water.glb"), &lake.mesh, &MeshExtras::default())?;

    let points = droplets(0.0);
    write_points(&at("drops.ply"), &points, Some(0.25))?;
    let mut list = Vec::new();
    for (number, time) in [0.0, 0.5, 1.0].into_iter().enumerate() {
        let name = format!("drops_{number}.vtp");
        write_points(&at(&name), &droplets(time as f32), Some(time))?;
        list.push((time, name));
    }
    write_pvd(&at("drops.pvd"), &list)?;

    let mut fog = SparseGrid::new(0.0_f32);
    let mut motion = SparseGrid::new([0.0_f32; 3]);
    let mut ball = SparseGrid::new(1.5_f32);
    for x in 0..30 {
        for y in 0..20 {
            for z in 0..10 {
                if x + y + z < 30 {
                    fog.set([x, y, z], (x + 1) as f32 / 32.0);
                    motion.set([x, y, z], [x as f32, y as f32, z as f32]);
                }
            }
        }
    }
    for x in -20..=20_i32 {
        for y in -20..=20_i32 {
            for z in -20..=20_i32 {
                // A ball with a radius of 5 m around the origin.
                let away = 0.5 * f64::from(x * x + y * y + z * z).sqrt() - 5.0;
                if away.abs() < 1.5 {
                    ball.set([x, y, z], away as f32);
                } else if away < 0.0 {
                    ball.set_inactive([x, y, z], -1.5);
                }
            }
        }
    }
    let grid =
        |name: &str, class, values, origin| VdbGrid { name: name.into(), class, voxel: 0.5, origin, values };
    let place = [10.0, 20.0, -3.0];
    write_vdb(
        &at("water.vdb"),
        &[
            grid("density", VdbClass::FogVolume, VdbValues::Float(fog), place),
            grid("velocity", VdbClass::Unknown, VdbValues::Vector(motion), place),
            grid("surface", VdbClass::LevelSet, VdbValues::Float(ball), [0.0; 3]),
        ],
    )?;

    let still = [Thing { name: "Ground".into(), shape: Shape::Mesh { mesh: tin.mesh.clone(), colours } }];
    let motion = Motion { fps: 24.0, still: &still, moments: 3 };
    let moment = |number: usize| Ok(moment(&ground, number));
    write_usda(&at("animation.usda"), &motion, moment)?;
    write_glb_motion(&at("animation.glb"), &motion, moment)?;

    let bounds = tin.mesh.bounds();
    let truth = json!({
        "cols": COLS, "rows": ROWS, "cell": CELL, "origin": frame.origin, "crs": "EPSG:32611",
        "heights": ground.height.values(), "water": depth.values(),
        "mesh": { "corners": tin.mesh.positions.len(), "triangles": tin.mesh.triangles.len(), "bounds": bounds, "error": tin.error },
        "closed": { "triangles": closed.mesh.triangles.len() },
        "lake": { "triangles": lake.mesh.triangles.len() },
        "drops": points.positions, "speed": points.columns[0].values, "ids": points.ids,
        "flowdir": [-0.6, 0.8],
        "fog": { "voxel": 0.5, "origin": place, "active": (0..6000).filter(|i| i % 30 + i / 30 % 20 + i / 600 < 30).count() },
        "ball": { "radius": 5.0 },
        "times": [0.0, 0.5, 1.0],
        // Its second corner, 3 m ahead: it heads north, then west, then south.
        "buoy": [[30, 3, 1], [27, 4, 1], [30, 5, 1]],
    });
    atomic::write_atomic(&at("truth.json"), |file| serde_json::to_writer(file, &truth).map_err(Into::into))?;
    Ok(())
}

/// Drops that go east at 4 m/s.
fn droplets(time: f32) -> Points {
    let column =
        |name, unit, values: Vec<f32>| Column { info: FieldInfo::new(name, unit, "made up"), values };
    let count = 50;
    Points {
        positions: (0..count)
            .map(|i| [i as f32 * 0.5 + 4.0 * time, (i * i % 17) as f32, 0.25 * i as f32])
            .collect(),
        radius: 0.05,
        // More than the whole numbers that 32-bit floats can tell apart.
        ids: (0..count as u32).map(|i| FIRST_ID + i).collect(),
        columns: vec![
            column("speed", "m/s", (0..count).map(|i| i as f32 / 8.0).collect()),
            column("density", "kg/m³", vec![1000.0; count]),
            column("velocity_x", "m/s", vec![4.0; count]),
            column("velocity_y", "m/s", vec![0.0; count]),
            column("velocity_z", "m/s", vec![0.0; count]),
        ],
    }
}

/// Water that rises by 1 m in each half second and changes its triangles, a body that goes east at 8 m/s, drops.
fn moment(ground: &Heightfield, number: usize) -> Moment {
    let time = 0.5 * number as f64;
    let level = -2.0 + number as f32;
    let depth = ground.height.map(|bed| (level - bed).max(0.0));
    let params = TinParams { max_triangles: 400, max_error: 0.0 };
    let water = water_mesh(ground, &depth, 0.02, &params).map(|tin| tin.mesh).unwrap_or_default();
    let x = 8.0 * time as f32;
    let boat = TriMesh {
        positions: vec![[x, 0.0, 0.0], [x + 3.0, 0.0, 0.0], [x, 2.0, 0.0], [x, 0.0, 1.0]],
        normals: Vec::new(),
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    };
    let thing =
        |name: &str, mesh| Thing { name: name.into(), shape: Shape::Mesh { mesh, colours: Vec::new() } };
    // It goes north and turns to the left by a quarter in each half second.
    let turn = Pose::heading([30.0, 8.0 * time, 1.0], -std::f64::consts::PI * time);
    let shape = TriMesh {
        positions: vec![[0.0; 3], [3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]],
        ..boat.clone()
    };
    let red = vec![[0.8, 0.05, 0.02, 1.0]; 4];
    let buoy = Thing { name: "Buoy".into(), shape: Shape::Body { mesh: shape, colours: red, pose: turn } };
    let drops = Thing { name: "Particles".into(), shape: Shape::Points(droplets(time as f32)) };
    Moment { time, things: vec![thing("Water", water), thing("Boat", boat), buoy, drops] }
}
