//! PLY out: binary, low byte first, 32-bit floats.

use crate::WriteError;
use crate::atomic::write_atomic;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use thalweg_field::{FieldInfo, Points, TriMesh};

/// The first lines of every file.
const HEAD: &str = "ply\nformat binary_little_endian 1.0\n\
                    comment thalweg: metres east, north and up from the south-west corner\n";

const PLACE: &str = "property float x\nproperty float y\nproperty float z\n";

/// Writes particles: `x`, `y`, `z` and the columns under their names. Units, meanings and the radius go
/// into comments, where [`read_ply`](crate::read_ply) finds them again.
pub fn write_ply_points(path: &Path, points: &Points) -> Result<(), WriteError> {
    let refuse = |what, expected| Err(WriteError::Refused { path: path.into(), what, expected });
    if !(points.radius.is_finite() && points.radius >= 0.0) {
        return refuse(format!("the radius is {} m", points.radius), "it must be 0 or more");
    }
    let mut names = HashSet::from(["x", "y", "z"]);
    for column in &points.columns {
        let FieldInfo { name, unit, meaning } = &column.info;
        if !names.insert(name) {
            return refuse(format!("two columns are named {name}"), "each needs a name of its own");
        }
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return refuse(format!("a column is named {name:?}"), "its name must be one word");
        }
        for text in [unit, meaning] {
            if text.contains(char::is_control) || text.trim() != text {
                return refuse(
                    format!("the label of the column {name} is {text:?}"),
                    "it must be one line without blanks around it",
                );
            }
        }
        if column.values.len() != points.len() {
            let what =
                format!("the column {name} has {} values for {} points", column.values.len(), points.len());
            return refuse(what, "it must have one for each");
        }
    }
    let header = points_header(points);
    write_atomic(path, |writer| {
        writer.write_all(header.as_bytes())?;
        let mut row = Vec::new();
        for (index, position) in points.positions.iter().enumerate() {
            row.clear();
            row.extend(position.iter().flat_map(|x| x.to_le_bytes()));
            row.extend(points.columns.iter().flat_map(|column| column.values[index].to_le_bytes()));
            writer.write_all(&row)?;
        }
        Ok(())
    })
}

fn points_header(points: &Points) -> String {
    let mut header = format!("{HEAD}comment radius {}\n", points.radius);
    // Writing to a string cannot fail.
    for FieldInfo { name, unit, meaning } in points.columns.iter().map(|column| &column.info) {
        if !unit.is_empty() {
            let _ = writeln!(header, "comment unit {name} {unit}");
        }
        if !meaning.is_empty() {
            let _ = writeln!(header, "comment meaning {name} {meaning}");
        }
    }
    let _ = write!(header, "element vertex {}\n{PLACE}", points.len());
    for column in &points.columns {
        let _ = writeln!(header, "property float {}", column.info.name);
    }
    header + "end_header\n"
}

/// Writes a mesh: `x`, `y`, `z`, with `nx`, `ny`, `nz` if it has normals, and its triangles.
pub fn write_ply_mesh(path: &Path, mesh: &TriMesh) -> Result<(), WriteError> {
    let refuse = |what, expected| Err(WriteError::Refused { path: path.into(), what, expected });
    let TriMesh { positions, normals, triangles } = mesh;
    let corners = positions.len();
    if !normals.is_empty() && normals.len() != corners {
        let what = format!("the mesh has {} normals for {corners} corners", normals.len());
        return refuse(what, "it must have one for each, or none");
    }
    let outside = |triangle: &[u32; 3]| triangle.iter().any(|&corner| corner as usize >= corners);
    if let Some(index) = triangles.iter().position(outside) {
        let what = format!("triangle {index} is {:?} but there are {corners} corners", triangles[index]);
        return refuse(what, "each number must be below that of the corners");
    }
    let mut header = format!("{HEAD}element vertex {corners}\n{PLACE}");
    if !normals.is_empty() {
        header += "property float nx\nproperty float ny\nproperty float nz\n";
    }
    let _ = write!(header, "element face {}\nproperty list uchar uint vertex_indices\n", triangles.len());
    header += "end_header\n";
    write_atomic(path, |writer| {
        writer.write_all(header.as_bytes())?;
        for (index, position) in positions.iter().enumerate() {
            for triple in [Some(position), normals.get(index)].into_iter().flatten() {
                writer.write_all(&triple.map(f32::to_le_bytes).concat())?;
            }
        }
        for triangle in triangles {
            writer.write_all(&[3])?;
            writer.write_all(&triangle.map(u32::to_le_bytes).concat())?;
        }
        Ok(())
    })
}
