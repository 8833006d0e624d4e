//! STL: triangles for printers, binary, low byte first.
//!
//! 80 bytes of words, the number of triangles, then 50 bytes for each: its normal, its corners, and two bytes that nobody
//! agrees on.

use crate::WriteError;
use crate::atomic::write_atomic;
use crate::mesh::{MeshExtras, UpAxis, check_finite, check_mesh};
use std::io::Write;
use std::path::Path;
use thalweg_field::TriMesh;

/// Length of the words at the beginning `[byte]`.
const HEADER: usize = 80;

/// Writes the triangles of a mesh, with Z up unless Y is asked for. Colours and places in a picture have no room here.
pub(crate) fn write_mesh(path: &Path, mesh: &TriMesh, extras: &MeshExtras) -> Result<(), WriteError> {
    check_mesh(path, mesh, extras)?;
    check_finite(path, mesh)?;
    let Ok(count) = u32::try_from(mesh.triangles.len()) else {
        let what = format!("the mesh has {} triangles", mesh.triangles.len());
        let expected = "an .stl file has room for 4294967295; try a coarser mesh";
        return Err(WriteError::Refused { path: path.into(), what, expected });
    };
    let up = extras.up.unwrap_or(UpAxis::Z);
    // Readers take a file that begins with "solid" for text.
    let words = match up {
        UpAxis::Z => "thalweg: binary STL, metres east, north and up; Z is up",
        UpAxis::Y => "thalweg: binary STL, metres east (x), up (y) and south (z); Y is up",
    };
    let mut header = [b' '; HEADER];
    header[..words.len()].copy_from_slice(words.as_bytes());
    write_atomic(path, |writer| {
        writer.write_all(&header)?;
        writer.write_all(&count.to_le_bytes())?;
        for triangle in &mesh.triangles {
            let corners = triangle.map(|corner| mesh.positions[corner as usize]);
            for triple in [normal(corners), corners[0], corners[1], corners[2]] {
                writer.write_all(up.turned(triple).map(f32::to_le_bytes).as_flattened())?;
            }
            writer.write_all(&[0; 2])?;
        }
        Ok(())
    })
}

/// The unit normal of a triangle; zero if it has no area, which readers take as not told.
fn normal([a, b, c]: [[f32; 3]; 3]) -> [f32; 3] {
    let [u, v]: [[f64; 3]; 2] =
        [b, c].map(|p| std::array::from_fn(|axis| f64::from(p[axis]) - f64::from(a[axis])));
    let across = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let length = across.iter().map(|x| x * x).sum::<f64>().sqrt();
    across.map(|x| if length > 0.0 { (x / length) as f32 } else { 0.0 })
}
