//! OBJ: meshes as text.

use crate::atomic::write_atomic;
use crate::mesh::{MeshExtras, UpAxis, check_finite, check_mesh, srgb};
use crate::reading::Reading;
use crate::{ReadError, ReadOptions, WriteError};
use std::io::{BufRead, Read, Write};
use std::path::Path;
use thalweg_field::TriMesh;

const FORMAT: &str = "OBJ";

/// Length of a line that no honest file comes near `[byte]`.
const LONGEST_LINE: u64 = 1 << 20;

/// Memory of a corner or a triangle while its list grows: the old and the new room are both there `[byte]`.
const GROWING: u64 = 3 * 12;

/// Reads the corners and triangles of an OBJ file. Polygons are cut into triangles that share their first corner, which
/// is right for convex ones; normals, textures, materials and curves are passed over. Y is taken for up, as is the custom of OBJ files, unless
/// the file has the comment with which [`write_obj_mesh`] says that it is Z. `max_bytes` is the memory that reading may
/// use `[byte]`.
pub fn read_obj(path: &Path, max_bytes: u64) -> Result<TriMesh, ReadError> {
    let options = ReadOptions { max_bytes, ..ReadOptions::default() };
    let (reading, mut file) = Reading::open(path, &options)?;
    let (mut mesh, mut line, mut number) = (TriMesh::default(), Vec::new(), 0_u64);
    let mut up = UpAxis::Y;
    loop {
        line.clear();
        number += 1;
        let read = (&mut file).take(LONGEST_LINE).read_until(b'\n', &mut line);
        match read.map_err(|source| ReadError::Io { path: path.into(), source })? as u64 {
            0 => break,
            LONGEST_LINE => return Err(reading.broken(FORMAT, format!("line {number} is longer than 1 MiB"))),
            _ => {}
        }
        let line = String::from_utf8_lossy(&line);
        if let Some(told) = line.strip_prefix('#').and_then(UpAxis::told) {
            up = told;
        }
        take_line(&mut mesh, &line)
            .map_err(|wrong| reading.broken(FORMAT, format!("line {number} {wrong}")))?;
        let needed = (mesh.positions.len() + mesh.triangles.len()) as u64 * GROWING;
        if needed > max_bytes {
            let what = format!("{} corners and {} triangles", mesh.positions.len(), mesh.triangles.len());
            return Err(ReadError::TooMuch { path: path.into(), what, needed, allowed: max_bytes });
        }
    }
    if let Some(vertex) = mesh.positions.iter().position(|place| place.iter().any(|x| !x.is_finite())) {
        let at = mesh.positions[vertex];
        return Err(ReadError::NotFinite { path: path.into(), vertex: vertex as u64, at });
    }
    for place in &mut mesh.positions {
        *place = up.turned_back(*place);
    }
    let count = mesh.positions.len();
    match mesh.triangles.iter().flatten().find(|&&corner| corner as usize >= count) {
        Some(corner) => {
            let reason = format!("a face has corner {}, but there are {count}", u64::from(*corner) + 1);
            Err(reading.broken(FORMAT, reason))
        }
        None if count == 0 => Err(reading.broken(FORMAT, "it has no corners (lines that begin with v)")),
        None => Ok(mesh),
    }
}

/// Takes up a line; the text says what is wrong with it.
fn take_line(mesh: &mut TriMesh, line: &str) -> Result<(), String> {
    let mut words = line.split_ascii_whitespace();
    match words.next() {
        Some("v") => {
            let mut place = [0.0; 3];
            for axis in &mut place {
                let word = words.next().ok_or("has a corner of less than three numbers")?;
                *axis = word.parse().map_err(|_| format!("has {word:?} where a number should be"))?;
            }
            mesh.positions.push(place);
        }
        Some("f") => {
            let corners: Vec<_> =
                words.map(|word| corner(word, mesh.positions.len())).collect::<Result<_, _>>()?;
            let [first, rest @ ..] = corners.as_slice() else {
                return Err("has a face without corners".into());
            };
            if rest.len() < 2 {
                return Err(format!("has a face of {} corners; it needs 3 or more", corners.len()));
            }
            mesh.triangles.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
        }
        _ => {}
    }
    Ok(())
}

/// A corner of a face, `7`, `7/1/2` or, counted from the last one backwards, `-1`; counted from 0 as it comes back.
fn corner(word: &str, before: usize) -> Result<u32, String> {
    let number = word.split('/').next().and_then(|number| number.parse::<i64>().ok());
    let index = number.and_then(|number| match number {
        1.. => Some(number - 1),
        0 => None,
        _ => Some(before as i64 + number),
    });
    index
        .and_then(|index| u32::try_from(index).ok())
        .ok_or_else(|| format!("has {word:?} where a corner should be"))
}

/// Writes a mesh as OBJ: its corners, its normals if it has any, and its triangles. Y is up, as most programs take it
/// to be (Blender, Maya, Houdini and the engines): east, north and up become x, -z and y. Each number is as short as it
/// can be and still come back to the bit. What is not finite is refused.
pub fn write_obj_mesh(path: &Path, mesh: &TriMesh) -> Result<(), WriteError> {
    write_mesh(path, mesh, &MeshExtras::default())
}

/// With colours if there are any: sRGB, three more numbers behind those of the corner. This is no part of
/// the format as it was published, but Blender, MeshLab and others read it.
pub(crate) fn write_mesh(path: &Path, mesh: &TriMesh, extras: &MeshExtras) -> Result<(), WriteError> {
    check_mesh(path, mesh, extras)?;
    check_finite(path, mesh)?;
    let up = extras.up.unwrap_or(UpAxis::Y);
    write_atomic(path, |writer| {
        writeln!(writer, "# {}", up.words())?;
        for (index, place) in mesh.positions.iter().enumerate() {
            let [x, y, z] = up.turned(*place);
            write!(writer, "v {x} {y} {z}")?;
            if let Some(colours) = extras.colours {
                let [red, green, blue] = srgb(colours[index]);
                write!(writer, " {red} {green} {blue}")?;
            }
            writeln!(writer)?;
        }
        for [u, v] in extras.uvs.unwrap_or_default() {
            writeln!(writer, "vt {u} {v}")?;
        }
        for normal in &mesh.normals {
            let [x, y, z] = up.turned(*normal);
            writeln!(writer, "vn {x} {y} {z}")?;
        }
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|corner| u64::from(corner) + 1); // counted from 1
            match (extras.uvs.is_some(), mesh.normals.is_empty()) {
                (false, true) => writeln!(writer, "f {a} {b} {c}")?,
                (false, false) => writeln!(writer, "f {a}//{a} {b}//{b} {c}//{c}")?,
                (true, true) => writeln!(writer, "f {a}/{a} {b}/{b} {c}/{c}")?,
                (true, false) => writeln!(writer, "f {a}/{a}/{a} {b}/{b}/{b} {c}/{c}/{c}")?,
            }
        }
        Ok(())
    })
}
