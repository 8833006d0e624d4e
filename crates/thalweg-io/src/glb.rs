//! GLB: meshes as glTF 2.0 in one binary file.
//!
//! A header of 12 bytes, a chunk of JSON that describes the scene, and a chunk of numbers, low byte first
//! (Khronos Group, glTF 2.0 specification, section 4). All arrays here are made of 32-bit numbers, so
//! whatever follows them is aligned as it must be.

use crate::WriteError;
use crate::atomic::write_atomic;
use crate::mesh::{MeshExtras, UpAxis, check_finite, check_mesh};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::Path;
use thalweg_field::TriMesh;

/// First bytes of the file and of its chunks, and its version.
pub(crate) const MAGIC: u32 = u32::from_le_bytes(*b"glTF");
pub(crate) const VERSION: u32 = 2;
pub(crate) const JSON: u32 = u32::from_le_bytes(*b"JSON");
pub(crate) const BIN: u32 = u32::from_le_bytes(*b"BIN\0");

/// Length of the header of the file, and of that of a chunk `[byte]`.
const FILE_HEADER: u64 = 12;
const CHUNK_HEADER: u64 = 8;

/// Numbers by which glTF names types and purposes, as OpenGL does.
pub(crate) const FLOAT: u32 = 5126;
pub(crate) const UNSIGNED_INT: u32 = 5125;
pub(crate) const ARRAY_BUFFER: u32 = 34962;
pub(crate) const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// Deep clear water: red, green, blue and opacity, linear `[-]`.
const WATER: [f32; 4] = [0.02, 0.16, 0.28, 0.85];

/// Roughness of a surface with ripples too small to be triangles `[-]`.
const ROUGHNESS: f32 = 0.1;

/// Writes a mesh as GLB, glTF 2.0 in one file, with a material like water.
///
/// glTF has Y up: corners and normals are turned, so that east, north and up become x, -z and y. Nothing
/// is rounded by that, and programs which pass over the transforms of a scene show it upright too.
///
/// `colours` are red, green, blue and opacity of each corner, linear, from 0 to 1 `[-]`; they take the place
/// of the colour of water. A mesh without triangles becomes a scene with nothing in it, as glTF has no
/// empty arrays. What is not finite is refused, and so is a mesh of more than 4 GiB.
pub fn write_glb_mesh(path: &Path, mesh: &TriMesh, colours: Option<&[[f32; 4]]>) -> Result<(), WriteError> {
    write_mesh(path, mesh, &MeshExtras { colours, ..MeshExtras::default() })
}

/// With places in a picture if there are any, which glTF counts from its upper left corner.
pub(crate) fn write_mesh(path: &Path, mesh: &TriMesh, extras: &MeshExtras) -> Result<(), WriteError> {
    check_mesh(path, mesh, extras)?;
    check_finite(path, mesh)?;
    if extras.up == Some(UpAxis::Z) {
        let what = "Z is asked for as the axis that is up".into();
        let expected = "glTF has Y up by its standard; try .obj, .ply or .stl, or leave the axis out";
        return Err(WriteError::Refused { path: path.into(), what, expected });
    }
    let colours = extras.colours;
    let (scene, length) = describe(mesh, extras);
    let mut text = scene.to_string();
    while !text.len().is_multiple_of(4) {
        text.push(' ');
    }
    let Some(lengths) = Lengths::of(text.len() as u64, length) else {
        let what = format!("the mesh takes {length} bytes");
        let expected = "a .glb file has room for 4 GiB; try .ply, or a coarser mesh";
        return Err(WriteError::Refused { path: path.into(), what, expected });
    };
    write_atomic(path, |writer| {
        write_numbers(writer, [MAGIC, VERSION, lengths.file, lengths.json, JSON].map(u32::to_le_bytes))?;
        writer.write_all(text.as_bytes())?;
        if lengths.bin == 0 {
            return Ok(());
        }
        write_numbers(writer, [lengths.bin, BIN].map(u32::to_le_bytes))?;
        for triple in mesh.positions.iter().chain(&mesh.normals) {
            write_numbers(writer, UpAxis::Y.turned(*triple).map(f32::to_le_bytes))?;
        }
        for colour in colours.unwrap_or_default() {
            write_numbers(writer, colour.map(f32::to_le_bytes))?;
        }
        for [u, v] in extras.uvs.unwrap_or_default() {
            write_numbers(writer, [*u, 1.0 - v].map(f32::to_le_bytes))?;
        }
        for triangle in &mesh.triangles {
            write_numbers(writer, triangle.map(u32::to_le_bytes))?;
        }
        Ok(())
    })
}

pub(crate) fn write_numbers<const N: usize>(
    writer: &mut impl Write,
    numbers: [[u8; 4]; N],
) -> io::Result<()> {
    writer.write_all(numbers.as_flattened())
}

/// What the file says of its own lengths `[byte]`.
#[derive(Debug, PartialEq)]
pub(crate) struct Lengths {
    pub file: u32,
    pub json: u32,
    pub bin: u32,
}

impl Lengths {
    /// `None` if the file would be longer than it can say.
    pub(crate) fn of(json: u64, bin: u64) -> Option<Self> {
        let mut file = FILE_HEADER + CHUNK_HEADER + json;
        if bin > 0 {
            file = file.checked_add(CHUNK_HEADER)?.checked_add(bin)?;
        }
        let [file, json, bin] = [file, json, bin].map(|length| u32::try_from(length).ok());
        Some(Self { file: file?, json: json?, bin: bin? })
    }
}

/// The scene, and how many bytes of numbers go with it.
fn describe(mesh: &TriMesh, extras: &MeshExtras) -> (Value, u64) {
    let colours = extras.colours;
    let asset = json!({ "version": "2.0", "generator": "thalweg" });
    let TriMesh { positions, normals, triangles } = mesh;
    let Some([low, high]) = mesh.bounds().filter(|_| !triangles.is_empty()) else {
        return (json!({ "asset": asset, "scene": 0, "scenes": [{}] }), 0);
    };
    let mut arrays = Arrays::default();
    let mut attributes = json!({ "POSITION": arrays.add(ARRAY_BUFFER, "VEC3", FLOAT, positions.len()) });
    // North counts the other way, so that its ends change places.
    arrays.accessors[0]["min"] = json!(UpAxis::Y.turned([low[0], high[1], low[2]]));
    arrays.accessors[0]["max"] = json!(UpAxis::Y.turned([high[0], low[1], high[2]]));
    if !normals.is_empty() {
        attributes["NORMAL"] = arrays.add(ARRAY_BUFFER, "VEC3", FLOAT, normals.len()).into();
    }
    if let Some(colours) = colours {
        attributes["COLOR_0"] = arrays.add(ARRAY_BUFFER, "VEC4", FLOAT, colours.len()).into();
    }
    if let Some(uvs) = extras.uvs {
        attributes["TEXCOORD_0"] = arrays.add(ARRAY_BUFFER, "VEC2", FLOAT, uvs.len()).into();
    }
    let indices = arrays.add(ELEMENT_ARRAY_BUFFER, "SCALAR", UNSIGNED_INT, 3 * triangles.len());
    let Arrays { accessors, views, length } = arrays;
    let scene = json!({
        "asset": asset,
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": attributes, "indices": indices, "material": 0 }] }],
        "materials": [material(colours, extras.matt)],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{ "byteLength": length }],
    });
    (scene, length)
}

/// Water, or something of the colours given: those are multiplied with that of the material, which is
/// white then. What is `matt` does not gloss as water does.
pub(crate) fn material(colours: Option<&[[f32; 4]]>, matt: bool) -> Value {
    let base = if colours.is_some() { [1.0; 4] } else { WATER };
    let opaque = colours.is_some_and(|colours| colours.iter().all(|colour| colour[3] >= 1.0));
    json!({
        "name": if matt { "matt" } else { "water" },
        "alphaMode": if opaque { "OPAQUE" } else { "BLEND" },
        "pbrMetallicRoughness": {
            "baseColorFactor": base,
            "metallicFactor": 0.0,
            "roughnessFactor": if matt { 1.0 } else { ROUGHNESS },
        },
    })
}

/// Arrays one after the other in the chunk of numbers, each with a view of its own.
#[derive(Default)]
pub(crate) struct Arrays {
    pub accessors: Vec<Value>,
    pub views: Vec<Value>,
    /// Bytes so far.
    pub length: u64,
}

impl Arrays {
    /// Adds an array of 32-bit numbers and returns its number.
    pub(crate) fn add(&mut self, target: u32, shape: &str, kind: u32, count: usize) -> usize {
        let width = match shape {
            "VEC4" => 4,
            "VEC3" => 3,
            "VEC2" => 2,
            _ => 1,
        };
        let bytes = 4 * width * count as u64;
        let index = self.views.len();
        let mut view = json!({ "buffer": 0, "byteOffset": self.length, "byteLength": bytes });
        // Arrays of animations are for nobody's graphics device.
        if target != 0 {
            view["target"] = target.into();
        }
        self.views.push(view);
        self.accessors.push(json!({
            "bufferView": index, "componentType": kind, "type": shape, "count": count,
        }));
        self.length += bytes;
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_as_long_as_32_bits_can_say_and_no_longer() {
        assert_eq!(Lengths::of(100, 60), Some(Lengths { file: 188, json: 100, bin: 60 }));
        assert_eq!(Lengths::of(100, 0), Some(Lengths { file: 120, json: 100, bin: 0 }));
        let most = u64::from(u32::MAX) - 128;
        assert_eq!(Lengths::of(100, most).map(|lengths| lengths.file), Some(u32::MAX));
        for too_much in [most + 1, u64::MAX] {
            assert_eq!(Lengths::of(100, too_much), None);
        }
    }
}
