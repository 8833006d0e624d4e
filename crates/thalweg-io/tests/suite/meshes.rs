//! Meshes in OBJ and GLB files, read back byte by byte.

use crate::common::pyramid;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use thalweg_field::TriMesh;
use thalweg_io::{Ply, WriteError, read_ply, write_glb_mesh, write_mesh, write_obj_mesh};

/// A colour for each corner of the pyramid: red, green, blue and opacity, linear.
const COLOURS: [[f32; 4]; 5] = [
    [0.0, 0.5, 1.0, 1.0],
    [0.25, 0.125, 0.0, 1.0],
    [1.0, 1.0, 1.0, 1.0],
    [0.1, 0.2, 0.3, 1.0],
    [0.9, 0.8, 0.7, 1.0],
];

fn file(name: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    (folder, path)
}

/// A GLB file taken apart.
struct Glb {
    scene: Value,
    numbers: Vec<u8>,
}

impl Glb {
    fn read(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!(bytes[..4], *b"glTF");
        assert_eq!(word(4), 2, "version");
        assert_eq!(word(8) as usize, bytes.len(), "length of the file");
        let mut chunks = Vec::new();
        let mut at = 12;
        while at < bytes.len() {
            let length = word(at) as usize;
            assert_eq!(at % 4 + length % 4, 0, "chunk of {length} bytes at {at}");
            chunks.push((&bytes[at + 4..at + 8], &bytes[at + 8..at + 8 + length]));
            at += 8 + length;
        }
        assert_eq!(at, bytes.len());
        assert_eq!(chunks[0].0, b"JSON");
        let scene: Value = serde_json::from_slice(chunks[0].1).unwrap();
        assert!(!chunks[0].1.contains(&0), "text is filled up with blanks");
        let numbers = match chunks[1..] {
            [] => Vec::new(),
            [(b"BIN\0", numbers)] => numbers.to_vec(),
            _ => panic!("{} chunks", chunks.len()),
        };
        Self { scene, numbers }
    }

    fn primitive(&self) -> &Value {
        &self.scene["meshes"][0]["primitives"][0]
    }

    fn accessor(&self, number: &Value) -> &Value {
        &self.scene["accessors"][number.as_u64().unwrap() as usize]
    }

    /// The four-byte numbers of an array, which must have that shape, type and purpose.
    fn array(&self, number: &Value, shape: &str, kind: u32, target: u32) -> Vec<u32> {
        let accessor = self.accessor(number);
        assert_eq!((&accessor["type"], &accessor["componentType"]), (&json!(shape), &json!(kind)));
        let view = &self.scene["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        assert_eq!((&view["target"], &view["buffer"]), (&json!(target), &json!(0)));
        let [offset, length] = ["byteOffset", "byteLength"].map(|key| view[key].as_u64().unwrap() as usize);
        assert_eq!(offset % 4, 0);
        let width = match shape {
            "VEC4" => 4,
            "VEC3" => 3,
            _ => 1,
        };
        assert_eq!(accessor["count"].as_u64().unwrap() as usize * width * 4, length);
        let words = self.numbers[offset..offset + length].chunks(4);
        words.map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap())).collect()
    }

    fn attribute(&self, name: &str, shape: &str) -> Vec<f32> {
        let number = &self.primitive()["attributes"][name];
        self.array(number, shape, 5126, 34962).into_iter().map(f32::from_bits).collect()
    }
}

fn glb(mesh: &TriMesh, colours: Option<&[[f32; 4]]>) -> Glb {
    let (_folder, path) = file("a.glb");
    write_glb_mesh(&path, mesh, colours).unwrap();
    Glb::read(&path)
}

#[test]
fn a_glb_file_has_the_mesh_with_y_up() {
    let mesh = pyramid().with_normals();
    let file = glb(&mesh, None);
    let turned = |triples: &[[f32; 3]]| -> Vec<f32> {
        triples.iter().flat_map(|[east, north, up]| [*east, *up, -north]).collect()
    };
    assert_eq!(file.attribute("POSITION", "VEC3"), turned(&mesh.positions));
    assert_eq!(file.attribute("NORMAL", "VEC3"), turned(&mesh.normals));
    let indices = file.array(&file.primitive()["indices"], "SCALAR", 5125, 34963);
    assert_eq!(indices, mesh.triangles.as_flattened());

    let scene = &file.scene;
    assert_eq!(scene["asset"]["version"], "2.0");
    let root = &scene["scenes"][scene["scene"].as_u64().unwrap() as usize]["nodes"];
    assert_eq!((root, &scene["nodes"]), (&json!([0]), &json!([{ "mesh": 0 }])));
    // Arrays follow one another, and the buffer is all of them.
    assert_eq!(scene["buffers"], json!([{ "byteLength": file.numbers.len() }]));
    let views = scene["bufferViews"].as_array().unwrap();
    let mut end = 0;
    for view in views {
        assert_eq!(view["byteOffset"], end);
        end += view["byteLength"].as_u64().unwrap();
    }
    assert_eq!(end, file.numbers.len() as u64);
}

/// Turned, not mirrored: a triangle that faces up does so in the file, by its corners as by its normals.
#[test]
fn up_stays_up_and_outside_stays_outside() {
    let mesh = TriMesh {
        positions: vec![[0.0, 0.0, 1.0], [2.0, 0.0, 1.0], [0.0, 3.0, 1.0]],
        normals: Vec::new(),
        triangles: vec![[0, 1, 2]],
    };
    let file = glb(&mesh.with_normals(), None);
    let corners = file.attribute("POSITION", "VEC3");
    let normals = file.attribute("NORMAL", "VEC3");
    let turned = TriMesh {
        positions: corners.chunks(3).map(|corner| corner.try_into().unwrap()).collect(),
        normals: Vec::new(),
        triangles: vec![[0, 1, 2]],
    };
    assert_eq!(turned.with_normals().normals, [[0.0, 1.0, 0.0]; 3]);
    assert_eq!(normals, [0.0, 1.0, 0.0].repeat(3));
}

/// glTF wants the ends of the positions to the bit.
#[test]
fn the_ends_of_the_positions_are_exact() {
    let mut mesh = pyramid();
    mesh.positions[2] = [0.1, 16_777.217, 1.0e-7];
    mesh.positions[3] = [-123.456, -0.3, -7.7];
    let file = glb(&mesh, None);
    let positions = file.attribute("POSITION", "VEC3");
    let accessor = file.accessor(&file.primitive()["attributes"]["POSITION"]);
    for axis in 0..3 {
        let values = || positions.iter().skip(axis).step_by(3).copied();
        let end = |name: &str| accessor[name][axis].as_f64().unwrap();
        assert_eq!(end("min"), f64::from(values().fold(f32::INFINITY, f32::min)), "least along {axis}");
        assert_eq!(end("max"), f64::from(values().fold(f32::NEG_INFINITY, f32::max)), "most along {axis}");
    }
}

#[test]
fn colours_take_the_place_of_the_colour_of_water() {
    let material =
        |file: &Glb| file.scene["materials"][file.primitive()["material"].as_u64().unwrap() as usize].clone();
    let colour = |material: &Value| -> Vec<f64> {
        let factor = material["pbrMetallicRoughness"]["baseColorFactor"].as_array().unwrap();
        factor.iter().map(|part| part.as_f64().unwrap()).collect()
    };
    let plain = glb(&pyramid(), None);
    assert_eq!(plain.primitive()["attributes"].as_object().unwrap().len(), 1, "positions alone");
    let water = material(&plain);
    let [red, green, blue, opacity] = colour(&water)[..] else { panic!("{water}") };
    assert!(red < green && green < blue && opacity < 1.0, "{water}");
    assert_eq!(
        (&water["alphaMode"], &water["pbrMetallicRoughness"]["metallicFactor"]),
        (&json!("BLEND"), &json!(0.0))
    );

    let coloured = glb(&pyramid(), Some(&COLOURS));
    assert_eq!(coloured.attribute("COLOR_0", "VEC4"), COLOURS.as_flattened());
    let white = material(&coloured);
    assert_eq!((colour(&white), &white["alphaMode"]), (vec![1.0; 4], &json!("OPAQUE")));
    let mut clear = COLOURS;
    clear[3][3] = 0.5;
    assert_eq!(material(&glb(&pyramid(), Some(&clear)))["alphaMode"], "BLEND");
}

/// glTF has no empty arrays, so there is nothing at all.
#[test]
fn a_mesh_without_triangles_is_an_empty_scene() {
    let corners = TriMesh { triangles: Vec::new(), ..pyramid().with_normals() };
    for (mesh, colours) in [(TriMesh::default(), Vec::new()), (corners, COLOURS.to_vec())] {
        for colours in [None, Some(colours.as_slice())] {
            let file = glb(&mesh, colours);
            assert_eq!(file.numbers.len(), 0);
            let asset = &file.scene["asset"];
            assert_eq!(file.scene, json!({ "asset": asset, "scene": 0, "scenes": [{}] }));
            assert_eq!(asset["version"], "2.0");
        }
    }
}

/// Each line as its first word and the rest.
fn lines(text: &str) -> Vec<(&str, &str)> {
    text.lines().map(|line| line.split_once(' ').unwrap()).collect()
}

fn obj(mesh: &TriMesh, colours: Option<&[[f32; 4]]>) -> String {
    let (_folder, path) = file("a.obj");
    write_mesh(&path, mesh, colours).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    if colours.is_none() {
        write_obj_mesh(&path, mesh).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
    text
}

/// The numbers of all lines that begin with that word.
fn rows(text: &str, word: &str) -> Vec<Vec<f32>> {
    let rows = lines(text).into_iter().filter(|(first, _)| *first == word);
    rows.map(|(_, rest)| rest.split(' ').map(|number| number.parse().unwrap()).collect()).collect()
}

#[test]
fn an_obj_file_has_every_corner_and_counts_from_one() {
    let mut mesh = pyramid();
    mesh.positions[4] = [0.1, -1.0e-12, 123_456.79];
    let text = obj(&mesh, None);
    let turned = |triples: &[[f32; 3]]| triples.iter().map(|[x, y, z]| vec![*x, *z, -y]).collect::<Vec<_>>();
    assert_eq!(rows(&text, "v"), turned(&mesh.positions));
    assert_eq!(text.lines().count(), 1 + 5 + 6, "{text}");
    let faces: Vec<_> =
        lines(&text).into_iter().filter(|(word, _)| *word == "f").map(|(_, rest)| rest).collect();
    assert_eq!(faces, ["1 2 5", "2 3 5", "3 4 5", "4 1 5", "1 4 3", "1 3 2"]);

    let mesh = mesh.with_normals();
    let text = obj(&mesh, None);
    assert_eq!(rows(&text, "vn"), turned(&mesh.normals));
    assert_eq!(text.lines().count(), 1 + 5 + 5 + 6, "{text}");
    assert!(text.ends_with("\nf 1//1 4//4 3//3\nf 1//1 3//3 2//2\n"), "{text}");
}

#[test]
fn an_obj_file_has_screen_colours_behind_its_corners() {
    let text = obj(&pyramid().with_normals(), Some(&COLOURS));
    for ((row, position), colour) in rows(&text, "v").iter().zip(&pyramid().positions).zip(COLOURS) {
        assert_eq!(row[..3], [position[0], position[2], -position[1]]);
        assert_eq!(row.len(), 6);
        for (&found, linear) in row[3..].iter().zip(colour) {
            // Back from sRGB to linear light.
            let back = if found <= 0.04045 { found / 12.92 } else { ((found + 0.055) / 1.055).powf(2.4) };
            assert!((back - linear).abs() < 1.0e-5, "{found} is {back}, not {linear}");
        }
    }
}

#[test]
fn an_empty_mesh_is_still_an_obj_file() {
    let text = obj(&TriMesh::default(), None);
    let expected = "# thalweg: metres east (x), up (y) and south (z) from the south-west corner; Y is up\n";
    assert_eq!(text, expected);
}

#[test]
fn the_name_tells_the_format_of_a_mesh() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str| {
        let path = folder.path().join(name);
        write_mesh(&path, &pyramid(), None).map(|()| path)
    };
    for name in ["a.ply", "b.PLY"] {
        assert_eq!(read_ply(&write(name).unwrap(), 1 << 20).unwrap(), Ply::Mesh(pyramid()));
    }
    for name in ["a.obj", "b.Obj"] {
        assert!(std::fs::read_to_string(write(name).unwrap()).unwrap().contains("\nv 1 0.25 -0\n"));
    }
    for name in ["a.glb", "b.GLB"] {
        assert_eq!(Glb::read(&write(name).unwrap()).attribute("POSITION", "VEC3").len(), 15);
    }
    for name in ["a.gltf", "a.fbx", "a", "ply"] {
        let error = write(name).unwrap_err();
        assert!(matches!(error, WriteError::Extension { .. }), "{error}");
        assert!(error.to_string().ends_with("try .ply, .obj, .glb or .stl"), "{error}");
        assert!(!folder.path().join(name).exists());
    }
}

#[test]
fn meshes_whose_parts_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.ply", "a.obj", "a.glb", "a.stl"] {
        let path = folder.path().join(name);
        let refused = |change: &dyn Fn(&mut TriMesh, &mut Vec<[f32; 4]>), reason: &str| {
            let (mut mesh, mut colours) = (pyramid().with_normals(), COLOURS.to_vec());
            change(&mut mesh, &mut colours);
            let error = write_mesh(&path, &mesh, Some(&colours)).unwrap_err();
            assert!(matches!(error, WriteError::Refused { .. }), "{error}");
            assert!(error.to_string().contains(reason), "{error}");
        };
        refused(&|mesh, _| mesh.normals.truncate(2), "2 normals for 5 corners");
        refused(&|mesh, _| mesh.triangles[3] = [0, 5, 1], "triangle 3 is [0, 5, 1] but there are 5 corners");
        refused(&|_, colours| colours.truncate(4), "4 colours for 5 corners");
        refused(&|_, colours| colours.clear(), "0 colours for 5 corners");
        refused(&|_, colours| colours[2][3] = 1.5, "colour of corner 2 is [1.0, 1.0, 1.0, 1.5]");
        refused(&|_, colours| colours[1][0] = f32::NAN, "between 0 and 1");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Text and glTF have no word for what is not a number; PLY has its bits.
#[test]
fn corners_that_are_nowhere_are_refused_where_they_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let (mut nowhere, mut no_way) = (pyramid().with_normals(), pyramid().with_normals());
    nowhere.positions[3][1] = f32::NAN;
    no_way.normals[2][0] = f32::NEG_INFINITY;
    let cases =
        [(nowhere, ": corner 3 is [0.0, NaN, -0.125]"), (no_way, ": the normal of corner 2 is [-inf, ")];
    for (mesh, reason) in cases {
        for name in ["a.obj", "a.glb"] {
            let error = write_mesh(&folder.path().join(name), &mesh, None).unwrap_err().to_string();
            assert!(error.contains(reason) && error.contains("try .ply"), "{error}");
        }
        write_mesh(&folder.path().join("a.ply"), &mesh, None).unwrap();
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
