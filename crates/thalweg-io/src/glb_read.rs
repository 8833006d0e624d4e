//! GLB in: the triangles of all meshes of the scene, where their nodes put them.

use crate::mesh::UpAxis;
use crate::reading::Reading;
use crate::{ReadError, ReadOptions};
use serde_json::Value;
use std::io::Read;
use std::path::Path;
use thalweg_field::TriMesh;

const FORMAT: &str = "GLB";

/// How deep nodes may lie in each other, and how many are followed.
const DEEPEST: usize = 64;
const MOST_NODES: usize = 100_000;

/// Names of types, as OpenGL has them.
const BYTE: u64 = 5121;
const SHORT: u64 = 5123;
const INT: u64 = 5125;
const FLOAT: u64 = 5126;

/// Lines of a matrix of 4 × 4, column by column as glTF has it.
type Matrix = [f64; 16];

const UNTURNED: Matrix = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

/// Reads the triangles of a GLB file, turned from Y up to Z up. `max_bytes` is the memory that reading may use `[byte]`.
pub(crate) fn read_glb(path: &Path, max_bytes: u64) -> Result<TriMesh, ReadError> {
    let options = ReadOptions { max_bytes, ..ReadOptions::default() };
    let (reading, mut file) = Reading::open(path, &options)?;
    // The file, its JSON as a tree, and the mesh.
    let needed = reading.length.saturating_mul(4);
    if needed > max_bytes {
        let what = format!("{} bytes of meshes", reading.length);
        return Err(ReadError::TooMuch { path: path.into(), what, needed, allowed: max_bytes });
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|source| ReadError::Io { path: path.into(), source })?;
    let broken = |reason: &str| reading.broken(FORMAT, reason);
    let number =
        |at: usize| bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
    if !bytes.starts_with(b"glTF") || number(4) != Some(2) {
        return Err(broken("it does not begin like one of version 2"));
    }
    let length = number(12).ok_or_else(|| broken("it ends too early"))?;
    let json = bytes.get(20..20usize.saturating_add(length)).ok_or_else(|| broken("it ends too early"))?;
    let scene: Value = serde_json::from_slice(json).map_err(|error| reading.broken(FORMAT, error))?;
    let rest = 20 + length;
    let bin = match number(rest) {
        Some(length) => bytes.get(rest + 8..(rest + 8).saturating_add(length)),
        None => None,
    };
    let mut file = Scene {
        reading,
        scene: &scene,
        bin: bin.unwrap_or_default(),
        mesh: TriMesh::default(),
        left: MOST_NODES,
    };
    let start = scene["scene"].as_u64().unwrap_or(0) as usize;
    match scene["scenes"][start]["nodes"].as_array() {
        Some(nodes) => {
            for node in nodes {
                file.node(node, &UNTURNED, 0)?;
            }
        }
        None => {
            for index in 0..scene["meshes"].as_array().map_or(0, Vec::len) {
                file.mesh(index, &UNTURNED)?;
            }
        }
    }
    let mesh = file.mesh;
    if let Some(vertex) = mesh.positions.iter().position(|place| place.iter().any(|x| !x.is_finite())) {
        let at = mesh.positions[vertex];
        return Err(ReadError::NotFinite { path: path.into(), vertex: vertex as u64, at });
    }
    if mesh.triangles.is_empty() { Err(broken("its scene has no triangles")) } else { Ok(mesh) }
}

struct Scene<'a> {
    reading: Reading<'a>,
    scene: &'a Value,
    bin: &'a [u8],
    mesh: TriMesh,
    left: usize,
}

impl Scene<'_> {
    fn node(&mut self, index: &Value, above: &Matrix, depth: usize) -> Result<(), ReadError> {
        self.left = self.left.saturating_sub(1);
        if depth > DEEPEST || self.left == 0 {
            return Err(self.reading.broken(FORMAT, "its nodes lie in each other without end"));
        }
        let scene = self.scene;
        let node = &scene["nodes"][index.as_u64().unwrap_or(u64::MAX) as usize];
        let here = product(above, &placed(node));
        if let Some(mesh) = node["mesh"].as_u64() {
            self.mesh(mesh as usize, &here)?;
        }
        for child in node["children"].as_array().into_iter().flatten() {
            self.node(child, &here, depth + 1)?;
        }
        Ok(())
    }

    fn mesh(&mut self, index: usize, here: &Matrix) -> Result<(), ReadError> {
        let scene = self.scene;
        for primitive in scene["meshes"][index]["primitives"].as_array().into_iter().flatten() {
            if primitive["mode"].as_u64().unwrap_or(4) != 4 {
                continue;
            }
            let Some(places) = self.numbers(&primitive["attributes"]["POSITION"], 3, &[FLOAT])? else {
                continue;
            };
            let first = self.mesh.positions.len();
            let count = places.len() / 3;
            let corners = match self.numbers(&primitive["indices"], 1, &[BYTE, SHORT, INT])? {
                Some(corners) => corners,
                None => (0..count).map(|corner| corner as f64).collect(),
            };
            let needed = (first + count + self.mesh.triangles.len() + corners.len()) as u64 * 64;
            if needed > self.reading.options.max_bytes {
                let (path, allowed) = (self.reading.path.into(), self.reading.options.max_bytes);
                return Err(ReadError::TooMuch { path, what: "its meshes".into(), needed, allowed });
            }
            self.mesh.positions.extend(places.as_chunks::<3>().0.iter().map(|&[x, y, z]| {
                let at = |row: usize| here[row] * x + here[4 + row] * y + here[8 + row] * z + here[12 + row];
                UpAxis::Y.turned_back([at(0) as f32, at(1) as f32, at(2) as f32])
            }));
            if let Some(corner) = corners.iter().find(|&&corner| corner >= count as f64) {
                let reason = format!("a triangle has corner {corner}, but there are {count}");
                return Err(self.reading.broken(FORMAT, reason));
            }
            let corner = |corner: f64| (first + corner as usize) as u32;
            self.mesh.triangles.extend(corners.as_chunks::<3>().0.iter().map(|three| three.map(corner)));
        }
        Ok(())
    }

    /// The numbers of an accessor; none if there is no accessor.
    fn numbers(&self, index: &Value, width: usize, kinds: &[u64]) -> Result<Option<Vec<f64>>, ReadError> {
        let Some(index) = index.as_u64() else { return Ok(None) };
        let broken = |reason: &str| self.reading.broken(FORMAT, reason);
        let accessor = &self.scene["accessors"][index as usize];
        let kind = accessor["componentType"].as_u64().unwrap_or(0);
        if !kinds.contains(&kind) {
            let what = format!("its numbers are of the type {kind}");
            return Err(self.reading.unsupported(what, "exporting plain floats, without compression"));
        }
        let Some(view) = accessor["bufferView"].as_u64() else {
            let what = "its numbers are sparse or packed (Draco, meshopt)";
            return Err(self.reading.unsupported(what, "exporting it without compression"));
        };
        let view = &self.scene["bufferViews"][view as usize];
        let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
        if number(&view["buffer"]) != 0 {
            return Err(self
                .reading
                .unsupported("it has buffers outside the file", "exporting one .glb file"));
        }
        let size = match kind {
            BYTE => 1,
            SHORT => 2,
            _ => 4,
        };
        let count = number(&accessor["count"]);
        let step = match number(&view["byteStride"]) {
            0 => width * size,
            step => step,
        };
        let start = number(&view["byteOffset"]).saturating_add(number(&accessor["byteOffset"]));
        let end =
            count.saturating_sub(1).saturating_mul(step).saturating_add(width * size).saturating_add(start);
        if count == 0 || end > self.bin.len() {
            return Err(broken("its numbers lie outside the file"));
        }
        let mut numbers = Vec::with_capacity(count * width);
        for item in 0..count {
            for part in 0..width {
                let bytes = &self.bin[start + item * step + part * size..][..size];
                numbers.push(match kind {
                    BYTE => bytes[0].into(),
                    SHORT => u16::from_le_bytes([bytes[0], bytes[1]]).into(),
                    INT => u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).into(),
                    _ => f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).into(),
                });
            }
        }
        Ok(Some(numbers))
    }
}

/// Where a node puts what lies in it.
fn placed(node: &Value) -> Matrix {
    let list = |name: &str, otherwise: &[f64]| -> Vec<f64> {
        let found: Option<Vec<f64>> =
            node[name].as_array().map(|list| list.iter().map(|x| x.as_f64().unwrap_or(0.0)).collect());
        found.filter(|found| found.len() == otherwise.len()).unwrap_or_else(|| otherwise.to_vec())
    };
    if node["matrix"].is_array() {
        return list("matrix", &UNTURNED).try_into().unwrap_or(UNTURNED);
    }
    let (t, s) = (list("translation", &[0.0; 3]), list("scale", &[1.0; 3]));
    let r = list("rotation", &[0.0, 0.0, 0.0, 1.0]);
    let [x, y, z, w] = [r[0], r[1], r[2], r[3]];
    [
        s[0] * (1.0 - 2.0 * (y * y + z * z)),
        s[0] * 2.0 * (x * y + z * w),
        s[0] * 2.0 * (x * z - y * w),
        0.0,
        s[1] * 2.0 * (x * y - z * w),
        s[1] * (1.0 - 2.0 * (x * x + z * z)),
        s[1] * 2.0 * (y * z + x * w),
        0.0,
        s[2] * 2.0 * (x * z + y * w),
        s[2] * 2.0 * (y * z - x * w),
        s[2] * (1.0 - 2.0 * (x * x + y * y)),
        0.0,
        t[0],
        t[1],
        t[2],
        1.0,
    ]
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|at| (0..4).map(|k| a[4 * k + at % 4] * b[at / 4 * 4 + k]).sum())
}
