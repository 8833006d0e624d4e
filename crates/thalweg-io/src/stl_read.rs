//! STL in: binary or text.

use crate::mesh::UpAxis;
use crate::reading::Reading;
use crate::{ReadError, ReadOptions};
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use thalweg_field::TriMesh;

const FORMAT: &str = "STL";

/// Bytes before the triangles of a binary file, and of each of them `[byte]`.
const HEAD: usize = 84;
const TRIANGLE: usize = 50;

/// Memory of a triangle with corners of its own while they are gathered, the file's bytes counted `[byte]`.
const NEEDED: u64 = 300;

/// Reads the triangles of an STL file; corners at the same place become one. Z is up, unless the file is one of ours that says
/// otherwise. `max_bytes` is the memory that reading may use `[byte]`.
pub(crate) fn read_stl(path: &Path, max_bytes: u64) -> Result<TriMesh, ReadError> {
    let options = ReadOptions { max_bytes, ..ReadOptions::default() };
    let (reading, mut file) = Reading::open(path, &options)?;
    let needed = (reading.length / TRIANGLE as u64).saturating_mul(NEEDED).saturating_add(reading.length);
    if needed > max_bytes {
        let what = format!("{} bytes of triangles", reading.length);
        return Err(ReadError::TooMuch { path: path.into(), what, needed, allowed: max_bytes });
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|source| ReadError::Io { path: path.into(), source })?;
    let declared =
        bytes.get(80..HEAD).map(|count| u32::from_le_bytes([count[0], count[1], count[2], count[3]]));
    let is_binary =
        declared.is_some_and(|count| HEAD as u64 + u64::from(count) * TRIANGLE as u64 == bytes.len() as u64);
    let mesh = if is_binary {
        binary(&bytes)
    } else if bytes.trim_ascii_start().starts_with(b"solid") {
        text(&bytes).map_err(|reason| reading.broken(FORMAT, reason))?
    } else {
        let reason = match declared {
            Some(count) => format!("it declares {count} triangles but has {} bytes", bytes.len()),
            None => "it ends too early".into(),
        };
        return Err(reading.broken(FORMAT, reason));
    };
    if let Some(vertex) = mesh.positions.iter().position(|place| place.iter().any(|x| !x.is_finite())) {
        let at = mesh.positions[vertex];
        return Err(ReadError::NotFinite { path: path.into(), vertex: vertex as u64, at });
    }
    if mesh.triangles.is_empty() { Err(reading.broken(FORMAT, "it has no triangles")) } else { Ok(mesh) }
}

/// Triangles as bytes.
fn binary(bytes: &[u8]) -> TriMesh {
    let turned = bytes[..80].windows(7).any(|words| words == b"Y is up");
    let mut mesh = Welded::default();
    for triangle in bytes[HEAD..].chunks_exact(TRIANGLE) {
        let numbers = triangle[12..48].as_chunks::<4>().0;
        let corner = |at: usize| std::array::from_fn(|axis| f32::from_le_bytes(numbers[3 * at + axis]));
        mesh.add([corner(0), corner(1), corner(2)], if turned { UpAxis::Y } else { UpAxis::Z });
    }
    mesh.mesh
}

/// Triangles as words, or why they are none.
fn text(bytes: &[u8]) -> Result<TriMesh, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut words = text.split_ascii_whitespace();
    let (mut mesh, mut corners) = (Welded::default(), Vec::new());
    while let Some(word) = words.next() {
        if word != "vertex" {
            continue;
        }
        let mut corner = [0.0; 3];
        for axis in &mut corner {
            let word = words.next().unwrap_or_default();
            *axis = word.parse().map_err(|_| format!("it has {word:?} where a number should be"))?;
        }
        corners.push(corner);
        if let [a, b, c] = corners[..] {
            mesh.add([a, b, c], UpAxis::Z);
            corners.clear();
        }
    }
    if corners.is_empty() {
        Ok(mesh.mesh)
    } else {
        Err("its last triangle has less than three corners".into())
    }
}

/// A mesh whose corners are found again by their bits.
#[derive(Default)]
struct Welded {
    mesh: TriMesh,
    known: HashMap<[u32; 3], u32>,
}

impl Welded {
    fn add(&mut self, corners: [[f32; 3]; 3], up: UpAxis) {
        let triangle = corners.map(|corner| {
            let place = up.turned_back(corner);
            *self.known.entry(place.map(f32::to_bits)).or_insert_with(|| {
                self.mesh.positions.push(place);
                (self.mesh.positions.len() - 1) as u32
            })
        });
        self.mesh.triangles.push(triangle);
    }
}
