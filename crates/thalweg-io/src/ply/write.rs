//! PLY out: binary, low byte first, 32-bit floats.

use super::{ID, ascii};
use crate::WriteError;
use crate::atomic::write_atomic;
use crate::mesh::{MeshExtras, UpAxis, check_mesh, srgb};
use crate::points::{PLACES, check_points};
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use thalweg_field::{FieldInfo, Points, TriMesh};

/// The first lines of every file.
const HEAD: &str = "ply\nformat binary_little_endian 1.0\n";

const PLACE: &str = "property float x\nproperty float y\nproperty float z\n";

/// Writes particles: `x`, `y`, `z`, `id` if they have one, and the columns under their names. Units, meanings and the radius go
/// into comments, where [`read_ply`](crate::read_ply) finds them again, and so does the time `[s]`. The header is ASCII, as the
/// format has it: m³ stands there as `m^3`, other letters as `\u{..}`.
pub fn write_ply_points(path: &Path, points: &Points, time: Option<f64>) -> Result<(), WriteError> {
    check_points(path, points)?;
    let header = points_header(points, time);
    write_atomic(path, |writer| {
        writer.write_all(header.as_bytes())?;
        let mut row = Vec::new();
        for (index, position) in points.positions.iter().enumerate() {
            row.clear();
            row.extend(position.iter().flat_map(|x| x.to_le_bytes()));
            row.extend(points.ids.get(index).into_iter().flat_map(|id| id.to_le_bytes()));
            row.extend(points.columns.iter().flat_map(|column| column.values[index].to_le_bytes()));
            writer.write_all(&row)?;
        }
        Ok(())
    })
}

fn points_header(points: &Points, time: Option<f64>) -> String {
    let mut header = format!("{HEAD}comment {PLACES}\ncomment radius {}\n", points.radius);
    // Writing to a string cannot fail.
    if let Some(time) = time {
        let _ = writeln!(header, "comment time {time}");
    }
    for FieldInfo { name, unit, meaning } in points.columns.iter().map(|column| &column.info) {
        let name = ascii::written(name);
        if !unit.is_empty() {
            let _ = writeln!(header, "comment unit {name} {}", ascii::written(unit));
        }
        if !meaning.is_empty() {
            let _ = writeln!(header, "comment meaning {name} {}", ascii::written(meaning));
        }
    }
    let _ = write!(header, "element vertex {}\n{PLACE}", points.len());
    if !points.ids.is_empty() {
        let _ = writeln!(header, "property uint {ID}");
    }
    for column in &points.columns {
        let _ = writeln!(header, "property float {}", ascii::written(&column.info.name));
    }
    header + "end_header\n"
}

/// Writes a mesh: `x`, `y`, `z`, with `nx`, `ny`, `nz` if it has normals, and its triangles.
pub fn write_ply_mesh(path: &Path, mesh: &TriMesh) -> Result<(), WriteError> {
    write_mesh(path, mesh, &MeshExtras::default())
}

/// With colours if there are any: sRGB in 8 bits, which is what programs expect of `red`, `green` and
/// `blue`, and `alpha` in 8 bits too.
pub(crate) fn write_mesh(path: &Path, mesh: &TriMesh, extras: &MeshExtras) -> Result<(), WriteError> {
    check_mesh(path, mesh, extras)?;
    let TriMesh { positions, normals, triangles } = mesh;
    let MeshExtras { colours, uvs, .. } = *extras;
    let up = extras.up.unwrap_or(UpAxis::Z);
    let mut header = format!("{HEAD}comment {}\nelement vertex {}\n{PLACE}", up.words(), positions.len());
    if !normals.is_empty() {
        header += "property float nx\nproperty float ny\nproperty float nz\n";
    }
    if uvs.is_some() {
        // So Blender and MeshLab call them.
        header += "property float s\nproperty float t\n";
    }
    if colours.is_some() {
        header += "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\n";
    }
    let _ = write!(header, "element face {}\nproperty list uchar uint vertex_indices\n", triangles.len());
    header += "end_header\n";
    write_atomic(path, |writer| {
        writer.write_all(header.as_bytes())?;
        for (index, position) in positions.iter().enumerate() {
            for triple in [Some(position), normals.get(index)].into_iter().flatten() {
                writer.write_all(up.turned(*triple).map(f32::to_le_bytes).as_flattened())?;
            }
            if let Some(uvs) = uvs {
                writer.write_all(uvs[index].map(f32::to_le_bytes).as_flattened())?;
            }
            if let Some(colours) = colours {
                writer.write_all(&eight_bits(colours[index]))?;
            }
        }
        for triangle in triangles {
            writer.write_all(&[3])?;
            writer.write_all(triangle.map(u32::to_le_bytes).as_flattened())?;
        }
        Ok(())
    })
}

fn eight_bits(colour: [f32; 4]) -> [u8; 4] {
    let [red, green, blue] = srgb(colour);
    [red, green, blue, colour[3]].map(|part| (255.0 * part).round() as u8)
}
