//! Ground that is a volume: from a scene to snapshots, pictures and files.

use std::path::Path;
use thalweg::draw::{self, Exposure, Marks, Painter};
use thalweg::io::{read_mesh, read_volume};
use thalweg::project::{PictureTable, Project, RendererChoice, parse};
use thalweg::render::{Camera, Cut, Look, Picture};
use thalweg::run::{Earlier, Silent};
use thalweg::solver::{Stroke, Tool};
use thalweg::{Edit, Session};
use thalweg_test_support::on_threads;
use thalweg_test_support::runs::{MEMORY, finished, project};

/// A block of rock with a tunnel through it from west to east, in beds.
const TUNNEL: &str = r#"
version = 1
seed = 2
[terrain]
size = [48, 32]
cell = "50 cm"
[[terrain.layer]]
kind = "plane"
height = "10 m"
[terrain.volume]
height = "14 m"
[[terrain.volume.noise]]
magnitude = "50 cm"
wavelength = "4 m"
[[terrain.volume.tube]]
from = ["-9 m", "8 m", "4.5 m"]
to = ["40 m", "8 m", "4.5 m"]
radius = "2.5 m"
rough = 0.0
[terrain.volume.strata]
[solver]
kind = "still"
[output]
ground = ["obj", "ply"]
[picture]
size = [160, 90]
"#;

fn session(text: &str) -> Session {
    let project = Project::from_text(text, "tunnel", Path::new(""), &[]).unwrap();
    Session::new(&project, MEMORY).unwrap()
}

/// A chamber below a hill with a lake in it, and a jet that falls into it.
const CHAMBER: &str = r#"
version = 1
[terrain]
size = [16, 16]
cell = "10 cm"
[[terrain.layer]]
kind = "plane"
height = "1.6 m"
[terrain.volume]
height = "2 m"
[[terrain.volume.tube]]
from = ["50 cm", "80 cm", "80 cm"]
to = ["110 cm", "80 cm", "80 cm"]
radius = "50 cm"
rough = 0.0
[[water]]
level = "60 cm"
from = ["20 cm", "20 cm"]
to = ["140 cm", "140 cm"]
bottom = "20 cm"
[[emitter]]
shape = "disc"
at = ["80 cm", "80 cm", "110 cm"]
radius = "15 cm"
velocity = [0.0, 0.0, "-3 m/s"]
[solver]
kind = "sph"
fluid = { spacing = "8 cm", max_particles = 4000 }
erosion = { strength = 20.0 }
[time]
steps = 5000
"#;

fn stroke(tool: Tool, along: &[[f64; 2]], strength: f64, level: Option<f64>) -> Stroke {
    Stroke { tool, along: along.to_vec(), radius: 0.3, strength, level }
}

fn share(session: &Session, at: [f64; 3]) -> f32 {
    session.volume().unwrap().share(at.map(|place| (place / 0.1) as isize))
}

fn shares(session: &Session) -> Vec<u32> {
    session.volume().unwrap().numbers().map(f32::to_bits).collect()
}

/// Every tool of a brush does in a cave what it says, and is taken back: at once to the same bits.
#[test]
fn strokes_in_a_cave_do_what_they_say_and_are_taken_back() {
    let mut session = session(CHAMBER);
    session.tick(12).unwrap();
    let count = |session: &Session| session.points().unwrap().len();
    let (rock, water) = (shares(&session), count(&session));
    let mean = |session: &Session, up: f64| {
        [0.6, 0.8, 1.0].map(|east| share(session, [east, 0.8, up])).iter().sum::<f32>() / 3.0
    };
    let line = [[0.6, 0.8], [1.0, 0.8]];
    let floor = mean(&session, 0.3);
    for (tool, strength, level) in [
        (Tool::Raise, 0.3, Some(0.3)),
        (Tool::Lower, 0.3, Some(0.3)),
        (Tool::Smooth, 1.0, Some(0.3)),
        (Tool::Flatten, 1.0, Some(0.4)),
        (Tool::Raise, 0.3, None),
    ] {
        session.apply(Edit::Paint(stroke(tool, &line, strength, level))).unwrap();
        let now = mean(&session, 0.3);
        match (tool, level) {
            (Tool::Raise, Some(_)) => assert!(now > floor + 0.2, "raised from {floor} to {now}"),
            (Tool::Lower, _) => assert!(now < floor - 0.2, "lowered from {floor} to {now}"),
            // Below 40 cm there is rock now, above there is none.
            (Tool::Flatten, _) => {
                assert!(now > 0.6 && mean(&session, 0.52) < 0.4, "{now}, {}", mean(&session, 0.52));
            }
            (Tool::Raise, None) => assert!(now == floor && mean(&session, 1.72) > 0.8, "not on the top"),
            _ => assert!(shares(&session) != rock, "nothing is smoother"),
        }
        session.undo().unwrap();
        assert!(shares(&session) == rock, "{tool:?} is not taken back");
    }
    // Water comes to the cave, not onto the hill, and goes from where the brush is.
    session.apply(Edit::Paint(stroke(Tool::Pour, &[[1.2, 0.8]], 0.2, Some(1.0)))).unwrap();
    let poured = count(&session);
    let top = session.points().unwrap().positions.iter().map(|at| at[2]).fold(0.0, f32::max);
    assert!(poured > water + 5 && top < 1.3, "{} particles came, up to {top} m", poured - water);
    session.undo().unwrap();
    assert_eq!(count(&session), water);
    session.apply(Edit::Paint(stroke(Tool::Scoop, &line, 1.0, Some(0.7)))).unwrap();
    let left = count(&session);
    session.undo().unwrap();
    let back = count(&session);
    assert!(left < water && back == water, "{water} particles, {left} left, {back} came back");
    session.apply(Edit::Paint(stroke(Tool::Scoop, &line, 1.0, None))).unwrap();
    let fewer = count(&session);
    assert!(fewer + 20 < left, "{water} particles, {left} below the brush, {fewer} beside it");
    session.tick(20).unwrap();
    let books = session.books();
    assert!(books.solids_missing < 1.0e-9, "{:e} of the ground is missing", books.solids_missing);
}

/// What a stroke took off is put back later too, and what the water did meanwhile stays.
#[test]
fn a_stroke_on_rock_is_taken_back_after_the_water_has_gone_on() {
    let mut session = session(CHAMBER);
    session.tick(4).unwrap();
    let mut alone = self::session(CHAMBER);
    alone.tick(4).unwrap();
    // In the roof, where no water comes.
    session.apply(Edit::Paint(stroke(Tool::Lower, &[[0.3, 0.3]], 0.3, Some(1.6)))).unwrap();
    for session in [&mut session, &mut alone] {
        session.tick(60).unwrap();
    }
    assert!(shares(&session) != shares(&alone));
    session.undo().unwrap();
    assert!(shares(&session) == shares(&alone), "the rock is not as if nobody had painted");
}

/// Ground that somebody made hard, or that is hard by the scene, is not worn, and is soft again when that is taken back.
#[test]
fn hardened_rock_is_not_worn() {
    let eroded = |hard: bool, back: bool| {
        let mut session = session(CHAMBER);
        if hard {
            let stroke = Stroke { radius: 40.0, ..stroke(Tool::Harden, &[[0.8, 0.8]], 1.0, None) };
            session.apply(Edit::Paint(stroke)).unwrap();
        }
        if back {
            session.undo().unwrap();
        }
        session.tick(150).unwrap();
        session.books().ledger.solids.eroded
    };
    let (soft, hard) = (eroded(false, false), eroded(true, false));
    assert!(soft > 0.0 && hard < 0.02 * soft, "{soft} kg of soft rock, {hard} kg of hard rock");
    assert_eq!(eroded(true, true), soft);
    let all_hard = CHAMBER.replace(
        "[terrain.volume]",
        "[[terrain.hardness.layer]]\nkind = \"plane\"\nheight = 1\n[terrain.volume]",
    );
    let mut session = session(&all_hard);
    session.tick(150).unwrap();
    assert_eq!(session.books().ledger.solids.eroded, 0.0);
}

/// A roof and the floor below it differ: the brush hardens what is within it, at its height, and a saved run knows that.
#[test]
fn a_brush_hardens_the_floor_of_a_cave_and_not_its_roof() {
    let eroded = |level: Option<f64>, back: bool| {
        let mut session = session(CHAMBER);
        if level.is_some() {
            let stroke =
                Stroke { radius: 0.7, ..stroke(Tool::Harden, &[[0.5, 0.8], [1.1, 0.8]], 1.0, level) };
            session.apply(Edit::Paint(stroke)).unwrap();
        }
        let mut other = self::session(CHAMBER);
        other.load(&session.save("chamber")).unwrap();
        if back {
            other.undo().unwrap();
        }
        for session in [&mut session, &mut other] {
            session.tick(150).unwrap();
        }
        [&session, &other].map(|session| session.books().ledger.solids.eroded)
    };
    let ([soft, _], [roof, _]) = (eroded(None, false), eroded(Some(1.9), false));
    let [floor, resumed] = eroded(Some(0.2), false);
    assert!(floor < 0.9 * soft, "{floor} m³ of a hard floor, {soft} m³ of a soft one");
    assert!(floor < 0.9 * roof, "{floor} m³ of a hard floor, {roof} m³ below a hard roof");
    assert_eq!([resumed, eroded(Some(0.2), true)[1]], [floor, soft]);
}

/// Water over ground without any rock falls out of the world; where there is no room for it, it is refused with its line.
#[test]
fn water_needs_room_and_rock_below_it() {
    let refused = |text: &str| {
        let project = Project::from_text(text, "a.toml", Path::new(""), &[]).unwrap();
        Session::new(&project, MEMORY).map(drop).unwrap_err().to_string()
    };
    let below = CHAMBER.replace("level = \"60 cm\"", "level = \"12 cm\"");
    let told = refused(&below.replace("bottom = \"20 cm\"", "bottom = \"4 cm\""));
    assert!(told.contains("a.toml:1") && told.contains("water[0]") && told.contains("in rock"), "{told}");
    // A block without any air.
    let told = refused(&CHAMBER.replace("radius = \"50 cm\"", "radius = \"1 cm\""));
    assert!(
        told.contains("a.toml:2") && told.contains("emitter[0].at") && told.contains("in the rock"),
        "{told}"
    );
    let air = CHAMBER.replace("height = \"1.6 m\"", "height = \"-9 m\"");
    let mut session = session(&air);
    let start = session.points().unwrap().len();
    session.tick(800).unwrap();
    let counts = session.books().particles.unwrap();
    assert!(start > 300 && counts.removed > 300, "{counts:?}");
}

/// Whether a place is in the rock, by the triangles that are drawn: how many lie between it and the corner of its cell that is clearest.
fn is_rock(volume: &thalweg::terrain::volume::Volume, at: [f32; 3]) -> bool {
    let at: [f64; 3] = std::array::from_fn(|axis| {
        let bottom = if axis == 2 { volume.bottom() } else { 0.0 };
        (f64::from(at[axis]) - bottom) / volume.voxel() - 0.5
    });
    let cell = volume.cell(at.map(|v| v.floor() as isize));
    let clear = |n: &usize| (cell.0[*n] - 0.5).abs();
    let corner = (0..8).max_by(|a, b| clear(a).total_cmp(&clear(b))).unwrap();
    let from = at.map(|v| v - v.floor());
    let way = std::array::from_fn(|axis| (corner >> axis & 1) as f64 - from[axis]);
    let crossed = cell.triangles().filter(|corners| crosses(from, way, corners)).count();
    (cell.0[corner] > 0.5) != (crossed % 2 == 1)
}

/// Whether a way meets a triangle (Möller & Trumbore 1997).
fn crosses(from: [f64; 3], way: [f64; 3], corners: &[[f32; 3]; 3]) -> bool {
    let minus = |a: [f64; 3], b: [f64; 3]| -> [f64; 3] { std::array::from_fn(|n| a[n] - b[n]) };
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let [a, b, c] = corners.map(|corner| corner.map(f64::from));
    let (u, v, off) = (minus(b, a), minus(c, a), minus(from, a));
    let (across, aside) = (cross(way, v), cross(off, u));
    let size = dot(u, across);
    let [x, y, far] = [dot(off, across), dot(way, aside), dot(v, aside)].map(|part| part / size);
    size != 0.0 && x >= 0.0 && y >= 0.0 && x + y <= 1.0 && (0.0..=1.0).contains(&far)
}

#[test]
#[ignore = "ten minutes of one core"]
fn no_particle_of_the_cavern_is_in_the_rock_in_ten_thousand_steps() {
    let project = Project::open("cavern", &["time.duration=\"1 h\"".to_owned()]).unwrap();
    let mut session = Session::new(&project, MEMORY).unwrap();
    while session.steps_taken() < 10_000 {
        session.tick(100).unwrap();
        let (points, volume) = (session.points().unwrap(), session.volume().unwrap());
        let buried: Vec<_> = points.positions.iter().filter(|&&at| is_rock(volume, at)).collect();
        assert!(buried.is_empty(), "in the rock at step {}: {buried:?}", session.steps_taken());
    }
    let books = session.books();
    println!(
        "{} s, {} particles, {:?}, {:e} missing",
        session.clock().time,
        session.points().unwrap().len(),
        books.crumbs,
        books.solids_missing
    );
    assert!(books.solids_missing < 1.0e-9);
}

/// What `thalweg generate` makes under the name of a scene is that scene's ground, at any size.
#[test]
fn ready_made_volumes_are_those_of_their_scenes() {
    for kind in ["peaks", "overhangs", "islands", "terraces"] {
        let project = Project::open(&format!("terrain-noise-{kind}"), &[]).unwrap();
        let terrain = &project.scene.terrain;
        let extent = terrain.size.unwrap()[0] as f64 * terrain.cell.unwrap();
        let named = thalweg::terrain::volume::NamedVolume::new(&format!("volume-{kind}"), extent).unwrap();
        let numbers = |recipe: &thalweg::terrain::volume::VolumeRecipe| {
            let noises = recipe.noises.iter().flat_map(|noise| {
                [noise.weight * noise.magnitude, noise.wavelength, noise.sharpness, noise.octaves.into()]
            });
            let terraces = recipe.terraces.iter().flat_map(|terraces| [terraces.step, terraces.strength]);
            noises.chain(terraces).chain([recipe.bias, recipe.bottom, recipe.height]).collect::<Vec<f64>>()
        };
        let (made, scene) = (numbers(&named.volume), numbers(terrain.volume.as_ref().unwrap()));
        let near = made.iter().zip(&scene).all(|(a, b)| (a - b).abs() <= 0.01 * b.abs());
        assert!(made.len() == scene.len() && near, "{kind}: {made:?}, but {scene:?} in the scene");
    }
}

/// Rock that hangs in the air is left out and told, unless the scene keeps it.
#[test]
fn rock_that_hangs_in_the_air_is_left_out_and_told() {
    let ball = "[[terrain.volume.tube]]\nfrom = [12, 8, 12.2]\nto = [12, 8, 12.2]\nradius = 0.8\nmatter = \"rock\"\nrough = 0";
    let text = TUNNEL
        .replace("[terrain.volume.strata]", &format!("{ball}\n[terrain.volume.strata]"))
        .replace("height = \"10 m\"", "height = \"8 m\"");
    let dropped = session(&text);
    let notice = dropped.notices.join("; ");
    assert!(notice.contains("1 piece of rock") && notice.contains("floating = true"), "{notice}");
    let kept = session(&text.replace("[terrain.volume]", "[terrain.volume]\nfloating = true"));
    assert!(kept.notices.is_empty());
    let more = kept.volume().unwrap().rock() - dropped.volume().unwrap().rock();
    assert!((0.5..12.0).contains(&more), "{more} m³ more");
}

/// Everything that is wrong with a scene, in one text.
fn mistakes(text: &str) -> String {
    parse(text, "a.toml", &[]).unwrap_err().to_string()
}

#[test]
fn a_scene_becomes_a_closed_mesh_with_light_and_beds() {
    let session = session(TUNNEL);
    assert!(session.is_over(), "still ground takes no steps");
    let shown = session.snapshot();
    let ground = shown.ground.as_ref().expect("a volume is shown as a mesh");
    assert_eq!(ground.open.len(), ground.mesh.positions.len());
    let (corners, triangles) = (ground.mesh.positions.len() as i64, ground.mesh.triangles.len() as i64);
    // A block with one tunnel has one handle; three half edges to a triangle.
    assert_eq!(corners - 3 * triangles / 2 + triangles, 0);
    assert!(ground.strata.as_ref().is_some_and(|strata| strata.beds.len() == 6));
    // The map is the uppermost surface: nothing of the tunnel.
    let (low, _) = shown.field("height").unwrap().range().unwrap();
    assert!(low > 9.0, "{low} m");
    // In the middle of the tunnel it is dark, on top it is light.
    let open = |near: [f32; 3]| {
        let away = |p: &[f32; 3]| (0..3).map(|axis| (p[axis] - near[axis]).powi(2)).sum::<f32>();
        let places = ground.mesh.positions.iter().map(away).enumerate();
        let nearest = places.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0;
        ground.open[nearest]
    };
    assert!(open([12.0, 8.0, 10.0]) > 0.8 && open([12.0, 8.0, 2.0]) < 0.5);
}

#[test]
fn methods_that_need_heights_refuse_a_volume_and_say_what_to_do() {
    for kind in ["pipes", "stream-power"] {
        let told = mistakes(&TUNNEL.replace("kind = \"still\"", &format!("kind = \"{kind}\"")));
        assert!(told.contains("a.toml:10:1: terrain.volume is for kind ="), "{told}");
        assert!(told.contains("\"still\""), "{told}");
    }
}

#[test]
fn what_makes_no_volume_is_refused_with_its_line() {
    for (from, to, said) in [
        ("radius = \"2.5 m\"", "radius = \"-1 m\"", "a.toml:18:10: terrain.volume.tube[0].radius is -1 m"),
        ("wavelength = \"4 m\"", "wavelenght = \"4 m\"", "did you mean `wavelength`?"),
        (
            "[[terrain.volume.noise]]",
            "file = \"a.twv\"\n[[terrain.volume.noise]]",
            "a volume from a file is all",
        ),
        (
            "[solver]",
            "[[before]]\nkind = \"stream-power\"\n[solver]",
            "methods that come before work on heights",
        ),
        ("[solver]", "[[water]]\nlevel = 3\n[solver]", "still water is shown on heights alone"),
        (
            "[terrain.volume.strata]",
            "[[terrain.volume.cavern]]\nbetween = [5, 2]",
            "the second must be the larger",
        ),
    ] {
        let told = mistakes(&TUNNEL.replace(from, to));
        assert!(told.contains(said), "\"{said}\" is not in: {told}");
    }
    let up = TUNNEL.replace("[\"obj\", \"ply\"]", "\"glb\"\nmesh_up = \"z\"");
    assert!(mistakes(&up).contains("GLB, which has Y up by its standard"), "{}", mistakes(&up));
}

/// A box that is too high for the memory is refused before anything is allocated.
#[test]
fn memory_is_estimated_before_it_is_used() {
    let refused = |text: &str, memory: u64| {
        let project = Project::from_text(text, "a.toml", Path::new(""), &[]).unwrap();
        Session::new(&project, memory).map(drop).unwrap_err().to_string()
    };
    let tall = TUNNEL.replace("height = \"14 m\"", "height = \"32 km\"");
    let told = refused(&tall, 512 << 10);
    assert!(told.contains("a.toml:11:10: terrain.volume.height") && told.contains("64000 voxels"), "{told}");
    // Most of it is air: it fits into what its surface needs.
    let project = Project::from_text(&tall, "a.toml", Path::new(""), &[]).unwrap();
    assert!(Session::new(&project, 64 << 20).is_ok());
    let higher = TUNNEL.replace("height = \"14 m\"", "height = \"900 km\"");
    assert!(refused(&higher, 1 << 30).contains("1 to 65536 voxels"), "{}", refused(&higher, 1 << 30));
}

#[test]
fn any_number_of_threads_makes_the_same_volume_and_the_same_light() {
    let made = |threads| on_threads(threads, || session(TUNNEL).snapshot().ground);
    let alone = made(1);
    for threads in [2, 5] {
        assert!(alone == made(threads), "{threads} threads");
    }
}

fn painted(snapshot: &thalweg::field::Snapshot, renderer: RendererChoice, cut: Option<Cut>) -> Picture {
    let look = Look { cut, ..Look::default() };
    let (marks, camera) = (Marks::default(), Camera::orbit(0.0, 0.35));
    let exposure = Exposure { look: &look, camera: &camera, size: [160, 100], marks: &marks, stop: None };
    Painter::new(renderer).unwrap().paint(snapshot, &exposure).unwrap()
}

/// Share of pixels that differ to be seen.
fn differing(a: &Picture, b: &Picture) -> f64 {
    const SEEN: u8 = 12;
    let pixels = a.rgb.chunks_exact(3).zip(b.rgb.chunks_exact(3));
    let differ = |(a, b): &(&[u8], &[u8])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > SEEN);
    pixels.filter(differ).count() as f64 / (a.width * a.height) as f64
}

/// Both renderers see the block from the south, each its own way; sawn through along the tunnel, they look into it.
#[test]
fn both_renderers_draw_the_block_and_look_into_it_where_it_is_sawn() {
    let shown = session(TUNNEL).snapshot();
    let cut = Cut { at: [12.0, 8.0], towards: std::f32::consts::PI };
    let heights = thalweg::field::Snapshot { ground: None, ..shown.clone() };
    for renderer in [RendererChoice::Cpu, RendererChoice::Gpu] {
        let [whole, sawn] = [None, Some(cut)].map(|cut| painted(&shown, renderer, cut));
        let changed = differing(&whole, &sawn);
        assert!(changed > 0.05, "{renderer:?}: the cut changes {changed} of the picture");
        let flat = differing(&whole, &painted(&heights, renderer, None));
        assert!(flat > 0.05, "{renderer:?}: the mesh changes {flat} of the picture of the heights");
    }
}

#[test]
fn a_run_writes_the_volume_its_surface_and_its_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path(), TUNNEL);
    let out = folder.path().join("out");
    let report = finished(&project, &out, Earlier::Refuse, &mut Silent);
    for file in ["volume.twv", "mesh/ground.obj", "mesh/ground.ply", "height.exr", "pictures/view.png"] {
        assert!(report.files.iter().any(|name| name == file), "no {file} among {:?}", report.files);
    }
    let state = session(TUNNEL);
    let volume = read_volume(&out.join("volume.twv"), MEMORY).unwrap();
    assert_eq!(Some(&volume), state.volume());
    let mesh = read_mesh(&out.join("mesh/ground.ply"), MEMORY).unwrap();
    assert_eq!(mesh.triangles, state.snapshot().ground.unwrap().mesh.triangles);
    // The file is ground like any other, for a scene and for a picture.
    let again = "version = 1\n[terrain.volume]\nfile = \"volume.twv\"\n[solver]\nkind = \"still\"";
    std::fs::write(out.join("again.toml"), again).unwrap();
    let again = Project::open(out.join("again.toml").to_str().unwrap(), &[]).unwrap();
    assert_eq!(Session::new(&again, MEMORY).unwrap().volume(), Some(&volume));
    assert!(draw::of_volume(&volume, None).ground.is_some());
}

#[test]
fn a_volume_that_is_not_there_is_told_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let text = "version = 1\n[terrain.volume]\nfile = \"nowhere.twv\"\n[solver]\nkind = \"still\"";
    let project = project(folder.path(), text);
    let told = Session::new(&project, MEMORY).map(drop).unwrap_err().to_string();
    assert!(told.contains("scene.toml:3:") && told.contains("nowhere.twv"), "{told}");
}

/// All air and all rock are drawn as nothing and as a box.
#[test]
fn empty_and_full_volumes_are_harmless() {
    let air = TUNNEL.replace("height = \"10 m\"", "height = \"-50 m\"");
    let rock = TUNNEL.replace("height = \"10 m\"", "height = \"99 m\"");
    for (text, triangles) in [(air, false), (rock, true)] {
        let shown = session(&text).snapshot();
        assert_eq!(!shown.ground.as_ref().unwrap().mesh.triangles.is_empty(), triangles);
        for renderer in [RendererChoice::Cpu, RendererChoice::Gpu] {
            painted(&shown, renderer, None);
        }
    }
    let table = PictureTable::default();
    assert!(table.cut.is_none());
}
