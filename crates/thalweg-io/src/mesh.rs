//! Meshes in and out, in the format that the name tells.

use crate::points::PLACES;
use crate::{Ply, ReadError, WriteError, glb, glb_read, obj, ply, stl, stl_read};
use std::path::Path;
use thalweg_field::TriMesh;

/// Reads a mesh in the format that the name tells, `.ply`, `.obj`, `.stl` or `.glb`. `max_bytes` is the memory that reading may use `[byte]`.
pub fn read_mesh(path: &Path, max_bytes: u64) -> Result<TriMesh, ReadError> {
    let unsupported =
        |what: &str, remedy| Err(ReadError::Unsupported { path: path.into(), what: what.into(), remedy });
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    match extension.to_str() {
        Some("obj") => obj::read_obj(path, max_bytes),
        Some("ply") => match ply::read_ply(path, max_bytes)? {
            Ply::Mesh(mesh) => Ok(mesh),
            Ply::Points(_) => unsupported("it holds points, no mesh", "a file that has faces"),
        },
        Some("stl") => stl_read::read_stl(path, max_bytes),
        Some("glb") => glb_read::read_glb(path, max_bytes),
        _ => unsupported("its name is not that of a mesh that is read here", ".obj, .ply, .stl or .glb"),
    }
}

/// Which way is up in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpAxis {
    /// East, north and up are x, -z and y: the custom of OBJ files and the rule of GLB.
    Y,
    /// East, north and up are x, y and z, as in a mesh here.
    Z,
}

impl UpAxis {
    /// What a file says of its numbers.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Y => "thalweg: metres east (x), up (y) and south (z) from the south-west corner; Y is up",
            Self::Z => PLACES,
        }
    }

    /// The same, read back.
    pub(crate) fn told(words: &str) -> Option<Self> {
        [Self::Y, Self::Z].into_iter().find(|up| words.trim() == up.words())
    }

    /// A place or a direction as the file has it. Nothing is rounded by that.
    pub(crate) fn turned(self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        match self {
            Self::Y => [x, z, -y],
            Self::Z => [x, y, z],
        }
    }

    pub(crate) fn turned_back(self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        match self {
            Self::Y => [x, -z, y],
            Self::Z => [x, y, z],
        }
    }
}

/// What a file of a mesh has beside its triangles and their normals.
#[derive(Clone, Copy, Debug, Default)]
pub struct MeshExtras<'a> {
    /// Red, green, blue and opacity of each corner, linear, from 0 to 1 `[-]`.
    pub colours: Option<&'a [[f32; 4]]>,
    /// Place of each corner in a picture that lies over the mesh, from its lower left corner `[-]`: east, then north.
    pub uvs: Option<&'a [[f32; 2]]>,
    /// Whether it does not gloss as water does; GLB alone tells that.
    pub matt: bool,
    /// Which way is up; without it Y in OBJ and GLB files, Z in PLY and STL files.
    pub up: Option<UpAxis>,
}

/// Writes a mesh in the format that the name tells: `.ply`, `.obj`, `.glb` or `.stl`. PLY and STL files have Z up
/// like the mesh itself, OBJ and GLB files have Y up as is their custom; a comment in OBJ, PLY and STL files says so.
///
/// `colours` are red, green, blue and opacity of each corner, linear, from 0 to 1 `[-]`. GLB keeps them as
/// they are; PLY has them as sRGB in 8 bits, and OBJ as sRGB numbers behind each corner, without the
/// opacity, for which it has no place. STL has room for triangles alone.
pub fn write_mesh(path: &Path, mesh: &TriMesh, colours: Option<&[[f32; 4]]>) -> Result<(), WriteError> {
    write_mesh_with(path, mesh, &MeshExtras { colours, ..MeshExtras::default() })
}

/// As [`write_mesh`], with all that a file of a mesh can have.
pub fn write_mesh_with(path: &Path, mesh: &TriMesh, extras: &MeshExtras) -> Result<(), WriteError> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    match extension.to_str() {
        Some("ply") => ply::write_mesh(path, mesh, extras),
        Some("obj") => obj::write_mesh(path, mesh, extras),
        Some("glb") => glb::write_mesh(path, mesh, extras),
        Some("stl") => stl::write_mesh(path, mesh, extras),
        _ => Err(WriteError::Extension { path: path.into(), expected: ".ply, .obj, .glb or .stl" }),
    }
}

/// Refuses a mesh whose parts do not belong together.
pub(crate) fn check_mesh(path: &Path, mesh: &TriMesh, extras: &MeshExtras) -> Result<(), WriteError> {
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
    if let Some(uvs) = extras.uvs {
        if uvs.len() != corners {
            let what = format!("there are {} places in a picture for {corners} corners", uvs.len());
            return refuse(what, "there must be one for each, or none at all");
        }
        if let Some(index) = uvs.iter().position(|uv| uv.iter().any(|x| !x.is_finite())) {
            let what = format!("the place of corner {index} in a picture is {:?}", uvs[index]);
            return refuse(what, "both numbers must be finite");
        }
    }
    let Some(colours) = extras.colours else { return Ok(()) };
    if colours.len() != corners {
        let what = format!("there are {} colours for {corners} corners", colours.len());
        return refuse(what, "there must be one for each, or none at all");
    }
    let wild = |colour: &[f32; 4]| colour.iter().any(|part| !(0.0..=1.0).contains(part));
    if let Some(index) = colours.iter().position(wild) {
        let what = format!("the colour of corner {index} is {:?}", colours[index]);
        return refuse(what, "each part must lie between 0 and 1");
    }
    Ok(())
}

/// Refuses corners and normals that are not finite, for formats that have no way to write them.
pub(crate) fn check_finite(path: &Path, mesh: &TriMesh) -> Result<(), WriteError> {
    let wild = |triple: &[f32; 3]| triple.iter().any(|x| !x.is_finite());
    for (what, triples) in [("corner", &mesh.positions), ("the normal of corner", &mesh.normals)] {
        if let Some(index) = triples.iter().position(wild) {
            let what = format!("{what} {index} is {:?}", triples[index]);
            let expected = "this format holds finite numbers only; try .ply, or repair the mesh";
            return Err(WriteError::Refused { path: path.into(), what, expected });
        }
    }
    Ok(())
}

/// Red, green and blue as screens take them: sRGB, IEC 61966-2-1 `[-]`.
pub(crate) fn srgb([red, green, blue, _]: [f32; 4]) -> [f32; 3] {
    [red, green, blue].map(|linear| {
        if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
    })
}
