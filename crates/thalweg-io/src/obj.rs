//! OBJ: meshes as text.

use crate::WriteError;
use crate::atomic::write_atomic;
use crate::mesh::{check_finite, check_mesh, srgb};
use crate::points::PLACES;
use std::io::Write;
use std::path::Path;
use thalweg_field::TriMesh;

/// Writes a mesh as OBJ: its corners, its normals if it has any, and its triangles. Z is up, as in the
/// mesh itself; the format does not tell, and programs that take Y for up can be told on import. Each
/// number is as short as it can be and still come back to the bit. What is not finite is refused.
pub fn write_obj_mesh(path: &Path, mesh: &TriMesh) -> Result<(), WriteError> {
    write_mesh(path, mesh, None)
}

/// With colours if there are any: sRGB, three more numbers behind those of the corner. This is no part of
/// the format as it was published, but Blender, MeshLab and others read it.
pub(crate) fn write_mesh(
    path: &Path,
    mesh: &TriMesh,
    colours: Option<&[[f32; 4]]>,
) -> Result<(), WriteError> {
    check_mesh(path, mesh, colours)?;
    check_finite(path, mesh)?;
    write_atomic(path, |writer| {
        writeln!(writer, "# {PLACES}")?;
        for (index, [x, y, z]) in mesh.positions.iter().enumerate() {
            write!(writer, "v {x} {y} {z}")?;
            if let Some(colours) = colours {
                let [red, green, blue] = srgb(colours[index]);
                write!(writer, " {red} {green} {blue}")?;
            }
            writeln!(writer)?;
        }
        for [x, y, z] in &mesh.normals {
            writeln!(writer, "vn {x} {y} {z}")?;
        }
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|corner| u64::from(corner) + 1); // counted from 1
            if mesh.normals.is_empty() {
                writeln!(writer, "f {a} {b} {c}")?;
            } else {
                writeln!(writer, "f {a}//{a} {b}//{b} {c}//{c}")?;
            }
        }
        Ok(())
    })
}
