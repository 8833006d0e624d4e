//! Writes one file of every kind into a folder, of things whose numbers are known, for `cargo xtask clients` to open in
//! other programs: `cargo run --release -p thalweg-io --example clients -- DIR`.
//!
//! The ground has no symmetry: it is high in the north-west, partly below 0 m, and 48 by 30 cells of 2.5 m. What it should
//! be read as is in `truth.json`.

use serde_json::json;
use std::error::Error;
use std::io::Write;
use std::path::Path;
use thalweg_field::random::Key;
use thalweg_field::{Column, Field, FieldInfo, Frame, Grid2, Heightfield, Points, Pose, TriMesh};
use thalweg_io::{
    MapLayer, MeshExtras, Moment, Motion, NpyArray, Shape, SparseGrid, Thing, UpAxis, VdbClass, VdbGrid,
    VdbValues, WriteOptions, atomic, write_glb_motion, write_heightfield, write_layers, write_map_exr,
    write_map_png, write_map_tiff, write_mesh_with, write_npy, write_npz_fields, write_points, write_pvd,
    write_shares_png, write_usda, write_vdb, write_vectors_png, write_volume, write_vti, write_vti_volume,
};
use thalweg_terrain::art::{NormalStyle, directions, normals, splat};
use thalweg_terrain::tin::{Tin, TinParams, ground_mesh, water_mesh};
use thalweg_terrain::volume::Volume;

const COLS: usize = 48;
const ROWS: usize = 30;
const CELL: f64 = 2.5;

/// Side of the picture that nothing can pack.
const NOISE: usize = 1009;

/// A system of metres without a number of its own, as ArcGIS writes it.
const ALBERS: &str = r#"PROJCS["Somewhere_Albers",GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Albers"],PARAMETER["False_Easting",1000.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",-97.0],PARAMETER["Standard_Parallel_1",28.5],PARAMETER["Standard_Parallel_2",44.5],PARAMETER["Latitude_Of_Origin",38.0],UNIT["Meter",1.0]]"#;

/// A run, of which a checkout of the program makes files: water of particles from a spout over a slope, and what it leaves.
const SPOUT: &str = r#"version = 1
seed = 3
[terrain]
size = [24, 16]
cell = "10 cm"
[[terrain.layer]]
kind = "ramp"
grade = 0.14
direction = "270 deg"
[solver]
kind = "sph"
[solver.fluid]
spacing = "5 cm"
max_particles = 5000
[solver.erosion]
enabled = false
[edges]
east = "open"
[[water]]
depth = "25 cm"
from = [0.2, 0.3]
to = [0.9, 1.2]
[time]
steps = 400
duration = "0.2 s"
[output]
pictures = false
particles = "ply"
volumes = ["vdb"]
animation_every = "0.05 s"
animation = ["usda", "glb"]
"#;

/// Beyond it 32-bit floats know even numbers alone.
const FIRST_ID: u32 = 1 << 24;

fn height(col: usize, row: usize) -> f32 {
    let (east, south) = (col as f32 / COLS as f32, row as f32 / ROWS as f32);
    // Eighths, so that every program's rounding can be told from a mistake.
    ((90.0 * (1.0 - east) * (1.0 - south) - 25.0 * east + (col * 7 + row * 13) as f32 % 5.0) * 8.0).round()
        / 8.0
}

/// What all files are of.
struct Made {
    ground: Heightfield,
    depth: Grid2<f32>,
}

impl Made {
    fn new() -> Self {
        let frame = Frame { cell: CELL, origin: [431_000.0, 5_412_000.0], crs: Some("EPSG:32611".into()) };
        let ground = Heightfield { height: Grid2::from_fn(COLS, ROWS, height), frame };
        let depth = Grid2::from_fn(COLS, ROWS, |col, row| (-2.0 - height(col, row)).max(0.0));
        Self { ground, depth }
    }
}

fn field(name: &'static str, values: &Grid2<f32>) -> Field {
    Field { info: FieldInfo::new(name, "m", "made up"), values: values.clone() }
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("a folder is missing")?;
    let folder = Path::new(&folder);
    atomic::create_dir(folder)?;
    let made = Made::new();
    write_heights(folder, &made)?;
    write_maps(folder, &made)?;
    let [tin, closed, lake] = write_meshes(folder, &made)?;
    let points = droplets(0.0);
    write_particles(folder, &points)?;
    let place = write_grids(folder)?;
    let rock = write_rock(folder)?;
    write_animations(folder, &made, &tin)?;
    atomic::write_atomic(&folder.join("spout.toml"), |file| file.write_all(SPOUT.as_bytes()))?;
    let truth = json!({
        "cols": COLS, "rows": ROWS, "cell": CELL, "origin": made.ground.frame.origin, "crs": "EPSG:32611",
        "heights": made.ground.height.values(), "water": made.depth.values(),
        "mesh": { "corners": tin.mesh.positions.len(), "triangles": tin.mesh.triangles.len(), "bounds": tin.mesh.bounds(), "error": tin.error },
        "closed": { "triangles": closed.mesh.triangles.len() },
        "lake": { "triangles": lake.mesh.triangles.len() },
        "drops": points.positions, "speed": points.columns[0].values, "ids": points.ids,
        "flowdir": [-0.6, 0.8],
        "fog": { "voxel": 0.5, "origin": place, "active": (0..6000).filter(|i| i % 30 + i / 30 % 20 + i / 600 < 30).count() },
        "ball": { "radius": 5.0 },
        "rock": rock,
        "wkt": ALBERS,
        "times": [0.0, 0.5, 1.0],
        // Its second corner, 3 m ahead: it heads north, then west, then south.
        "buoy": [[30, 3, 1], [27, 4, 1], [30, 5, 1]],
    });
    atomic::write_atomic(&folder.join("truth.json"), |file| {
        serde_json::to_writer(file, &truth).map_err(Into::into)
    })?;
    Ok(())
}

/// Heights, and codes of which nothing can be packed, which are written in several pieces.
fn write_heights(folder: &Path, made: &Made) -> Result<(), Box<dyn Error>> {
    let plain = WriteOptions::default();
    for name in ["height.png", "height.exr", "height.tif", "height.r16"] {
        write_heightfield(&folder.join(name), &made.ground, &plain)?;
    }
    let albers = Frame { crs: Some(ALBERS.into()), ..made.ground.frame.clone() };
    let albers = Heightfield { height: made.ground.height.clone(), frame: albers };
    write_heightfield(&folder.join("albers.tif"), &albers, &plain)?;
    let noise =
        |col: usize, row: usize| f32::from(Key::new(1).with(row as u64).with(col as u64).bits() as u16);
    let noise = Heightfield { height: Grid2::from_fn(NOISE, NOISE, noise), frame: Frame::with_cell(1.0) };
    let how = WriteOptions { height_range: Some([0.0, 65535.0]), ..plain };
    for name in ["noise.png", "noise.r16"] {
        write_heightfield(&folder.join(name), &noise, &how)?;
    }
    Ok(())
}

fn write_maps(folder: &Path, Made { ground, depth }: &Made) -> Result<(), Box<dyn Error>> {
    let at = |name: &str| folder.join(name);
    let (bed, water) = (field("height", &ground.height), field("water", depth));
    write_map_png(&at("water.png"), &water, &ground.frame)?;
    write_map_exr(&at("water.exr"), &water, &ground.frame)?;
    write_map_tiff(&at("water.tif"), &water, &ground.frame)?;
    let [east, north] = [-0.6_f32, 0.8].map(|part| depth.map(|depth| part * depth));
    let ways = directions(&east, &north);
    let info = FieldInfo::new("flowdir", "-", "made up");
    let flowdir = MapLayer { info, grids: ways.iter().collect() };
    write_layers(&at("maps.exr"), &[MapLayer::of(&bed), MapLayer::of(&water), flowdir], &ground.frame)?;
    write_vectors_png(&at("normal.png"), &normals(ground, NormalStyle::OpenGl), "{}")?;
    let wet = depth.map(|depth| f32::from(u8::from(depth > 0.0)));
    write_shares_png(&at("splat.png"), &splat(ground, None, Some(&wet)), "{}")?;
    write_vti(&at("maps.vti"), &[&bed, &water], &ground.frame, Some(1.5))?;
    write_npy(&at("height.npy"), &NpyArray::Grid(&ground.height))?;
    write_npz_fields(&at("maps.npz"), &[&bed, &water], &ground.frame, 1.5)?;
    Ok(())
}

/// The colour of each corner: blue below 0 m, orange above.
fn colours_of(tin: &Tin) -> Vec<[f32; 4]> {
    let colour = |place: &[f32; 3]| if place[2] < 0.0 { [0.0, 0.25, 1.0, 1.0] } else { [1.0, 0.5, 0.0, 1.0] };
    tin.mesh.positions.iter().map(colour).collect()
}

/// The ground, the ground as a closed block, and a lake.
fn write_meshes(folder: &Path, Made { ground, depth }: &Made) -> Result<[Tin; 3], Box<dyn Error>> {
    let at = |name: &str| folder.join(name);
    let params = TinParams { max_triangles: 900, max_error: 0.0 };
    let tin = ground_mesh(ground, &params, None)?;
    let colours = colours_of(&tin);
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
    let closed = ground_mesh(ground, &params, Some(-60.0))?;
    write_mesh_with(&at("closed.stl"), &closed.mesh, &MeshExtras::default())?;
    write_mesh_with(&at("closed.ply"), &closed.mesh, &MeshExtras::default())?;
    let lake = water_mesh(ground, depth, 0.02, &params)?;
    write_mesh_with(&at("water.glb"), &lake.mesh, &MeshExtras::default())?;
    Ok([tin, closed, lake])
}

fn write_particles(folder: &Path, points: &Points) -> Result<(), Box<dyn Error>> {
    write_points(&folder.join("drops.ply"), points, Some(0.25))?;
    let mut list = Vec::new();
    for (number, time) in [0.0, 0.5, 1.0].into_iter().enumerate() {
        let name = format!("drops_{number}.vtp");
        write_points(&folder.join(&name), &droplets(time as f32), Some(time))?;
        list.push((time, name));
    }
    Ok(write_pvd(&folder.join("drops.pvd"), &list)?)
}

/// Grids of OpenVDB; returns where their first voxel lies.
fn write_grids(folder: &Path) -> Result<[f64; 3], Box<dyn Error>> {
    let mut fog = SparseGrid::new(0.0_f32);
    let mut motion = SparseGrid::new([0.0_f32; 3]);
    let within = (0..6000).map(|i| [i % 30, i / 30 % 20, i / 600]).filter(|at| at.iter().sum::<i32>() < 30);
    for [x, y, z] in within {
        fog.set([x, y, z], (x + 1) as f32 / 32.0);
        motion.set([x, y, z], [x as f32, y as f32, z as f32]);
    }
    let mut ball = SparseGrid::new(1.5_f32);
    for [x, y, z] in (0..41 * 41 * 41).map(|i| [i % 41 - 20, i / 41 % 41 - 20, i / 1681 - 20_i32]) {
        // A ball with a radius of 5 m around the origin.
        let away = 0.5 * f64::from(x * x + y * y + z * z).sqrt() - 5.0;
        if away.abs() < 1.5 {
            ball.set([x, y, z], away as f32);
        } else if away < 0.0 {
            ball.set_inactive([x, y, z], -1.5);
        }
    }
    let grid =
        |name: &str, class, values, origin| VdbGrid { name: name.into(), class, voxel: 0.5, origin, values };
    let place = [10.0, 20.0, -3.0];
    write_vdb(
        &folder.join("water.vdb"),
        &[
            grid("density", VdbClass::FogVolume, VdbValues::Float(fog), place),
            grid("velocity", VdbClass::Unknown, VdbValues::Vector(motion), place),
            grid("surface", VdbClass::LevelSet, VdbValues::Float(ball), [0.0; 3]),
        ],
    )?;
    Ok(place)
}

/// A block of rock with a bevel, as ground that is a volume; returns what each voxel holds.
fn write_rock(folder: &Path) -> Result<serde_json::Value, Box<dyn Error>> {
    let sides = [20, 14, 10];
    let rock = Volume::from_depths(sides, 0.5, -2.0, |[x, y, z], row| {
        for (n, depth) in row.iter_mut().enumerate() {
            *depth = (2.0 - z - 0.3 * (x + 0.5 * n as f64) + 0.1 * y) as f32;
        }
    })?;
    write_volume(&folder.join("rock.nrrd"), &rock)?;
    write_vti_volume(&folder.join("rock.vti"), &rock)?;
    let [east, north, up] = sides.map(|side| side as isize);
    let shares: Vec<f32> = (0..up)
        .flat_map(|z| (0..north).flat_map(move |y| (0..east).map(move |x| [x, y, z])))
        .map(|at| rock.share(at))
        .collect();
    Ok(json!({ "sides": sides, "voxel": 0.5, "bottom": -2.0, "shares": shares }))
}

fn write_animations(folder: &Path, made: &Made, tin: &Tin) -> Result<(), Box<dyn Error>> {
    let colours = colours_of(tin);
    let still = [Thing { name: "Ground".into(), shape: Shape::Mesh { mesh: tin.mesh.clone(), colours } }];
    let motion = Motion { fps: 24.0, still: &still, moments: 3 };
    let moment = |number: usize| Ok(moment(&made.ground, number));
    write_usda(&folder.join("animation.usda"), &motion, moment)?;
    write_glb_motion(&folder.join("animation.glb"), &motion, moment)?;
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
