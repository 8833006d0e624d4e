//! Ground that is a volume: from a scene to snapshots, pictures and files.

use std::path::Path;
use thalweg::Session;
use thalweg::draw::{self, Exposure, Marks, Painter};
use thalweg::io::{read_mesh, read_volume};
use thalweg::project::{PictureTable, Project, RendererChoice, parse};
use thalweg::render::{Camera, Cut, Look, Picture};
use thalweg::run::{Earlier, Silent};
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
    assert!(draw::of_volume(&volume).ground.is_some());
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
