//! PLY: particles and meshes.
//!
//! Read by hand rather than with the crate `ply-rs-bw`: that one makes an element of its own for every
//! vertex and hands each number over by the name of its property, so that columns known only from the
//! header would need a map for each of millions of particles, and an element without properties can be
//! declared 10¹² times and is made as often. Here numbers go straight into the arrays they end in, whose
//! sizes have been compared with the file and the memory limit before.

mod ascii;
mod header;
mod input;
mod write;

pub(crate) use write::write_mesh;
pub use write::{write_ply_mesh, write_ply_points};

use crate::mesh::UpAxis;
use crate::reading::Reading;
use crate::{ReadError, ReadOptions};
use header::{Element, Encoding, Form, Header, Kind, Property};
use input::Input;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use thalweg_field::{Column, FieldInfo, Points, TriMesh};

const FORMAT: &str = "PLY";

/// Names under which programs store the corners of a face.
const CORNERS: [&str; 2] = ["vertex_indices", "vertex_index"];

/// The number a particle was born with: a whole number without a sign, so that none is rounded.
const ID: &str = "id";

/// Memory of a place, a normal or a triangle `[byte]`.
const TRIPLE: u64 = 12;

/// What a PLY file holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Ply {
    /// Vertices alone.
    Points(Points),
    /// Vertices and faces.
    Mesh(TriMesh),
}

/// Reads particles or a mesh from a PLY file, as text or binary of either byte order. `max_bytes` is the
/// memory that reading may use `[byte]`.
///
/// A file with faces is a mesh; polygons are cut into triangles that share their first corner, which is
/// right for convex ones. `nx`, `ny` and `nz` become the normals; if one of them is not finite all are
/// left out, as if nobody had worked them out. Other properties of the vertices are passed over.
///
/// A file without faces is particles, also if it declares that it has none, as programs do for point
/// clouds; only with no vertices either is it an empty mesh. `id`, where it is a `uint`, is the number each was born
/// with; every other number of a vertex besides `x`, `y` and `z` becomes a column, rounded to f32. Comments of the form `unit <name> <unit>`,
/// `meaning <name> <text>` and `radius <metres>` give what the numbers do not: without them the unit is
/// `-` and the radius 0.
pub fn read_ply(path: &Path, max_bytes: u64) -> Result<Ply, ReadError> {
    let options = ReadOptions { max_bytes, ..ReadOptions::default() };
    let (reading, file) = Reading::open(path, &options)?;
    let mut input = Input::new(reading, file);
    let header = Header::read(&mut input)?;
    let plan = Plan::of(reading, &header)?;
    plan.admit(reading, &header)?;

    let mut vertices = Vertices::default();
    let mut triangles = Vec::new();
    for element in &header.elements {
        if element.name == "vertex" {
            vertices = read_vertices(&mut input, &header, &plan, element)?;
        } else if let Some(face) = plan.face.as_ref().filter(|face| face.element == element) {
            triangles = read_faces(&mut input, header.encoding, &plan, face)?;
        } else if !element.properties.is_empty() {
            for _ in 0..element.count {
                input.begin(header.encoding)?;
                for property in &element.properties {
                    input.skip(header.encoding, property.form)?;
                }
                input.end(header.encoding)?;
            }
        }
    }
    input.finish()?;

    let Vertices { mut positions, mut normals, ids, columns } = vertices;
    if plan.face.is_some() {
        if normals.iter().flatten().any(|n| !n.is_finite()) {
            normals.clear();
        }
        if header.comments.iter().any(|comment| UpAxis::told(comment) == Some(UpAxis::Y)) {
            for triple in positions.iter_mut().chain(&mut normals) {
                *triple = UpAxis::Y.turned_back(*triple);
            }
        }
        return Ok(Ply::Mesh(TriMesh { positions, normals, triangles }));
    }
    let notes = Notes::of(reading, &header.comments)?;
    let columns = plan.columns.iter().zip(columns);
    let columns = columns.map(|(&name, values)| Column { info: notes.info(name), values }).collect();
    Ok(Ply::Points(Points { positions, radius: notes.radius, ids, columns }))
}

/// Where a number of a vertex goes.
#[derive(Clone, Copy)]
enum Target {
    Position(usize),
    Normal(usize),
    Id,
    Column(usize),
    Nowhere,
}

/// The faces, and which of their properties holds the corners.
struct Face<'a> {
    element: &'a Element,
    corners: usize,
    length: Kind,
    item: Kind,
}

/// What to make of a file, from its header alone.
struct Plan<'a> {
    vertices: u64,
    /// One for each property of a vertex.
    targets: Vec<Target>,
    /// Names of the columns.
    columns: Vec<&'a str>,
    normals: bool,
    ids: bool,
    /// Present if it is a mesh.
    face: Option<Face<'a>>,
    /// Memory that all of it takes if every face is a triangle `[byte]`.
    needed: u64,
}

impl<'a> Plan<'a> {
    fn of(reading: Reading, header: &'a Header) -> Result<Self, ReadError> {
        let Some(vertex) = header.element("vertex") else {
            return Err(reading.broken(FORMAT, "its header has no element vertex"));
        };
        let axis = |names: [&str; 3], name: &str| names.iter().position(|own| *own == name);
        let is_scalar = |name: &str| {
            let property = vertex.find(name).map(|index| &vertex.properties[index]);
            property.is_some_and(|property| matches!(property.form, Form::Scalar(_)))
        };
        if let Some(missing) = ["x", "y", "z"].into_iter().find(|name| !is_scalar(name)) {
            let what = format!("its vertices have no number named {missing}");
            return Err(reading.unsupported(what, "exporting x, y and z of every vertex"));
        }
        let face = Face::of(reading, header, vertex)?;
        let normals = face.is_some() && ["nx", "ny", "nz"].into_iter().all(is_scalar);
        let mut columns = Vec::new();
        let is_id = |property: &Property| property.name == ID && property.form == Form::Scalar(Kind::U32);
        let ids = face.is_none() && vertex.properties.iter().any(is_id);
        let targets = vertex.properties.iter().map(|property| {
            let name = property.name.as_str();
            if !matches!(property.form, Form::Scalar(_)) {
                Target::Nowhere
            } else if let Some(axis) = axis(["x", "y", "z"], name) {
                Target::Position(axis)
            } else if ids && is_id(property) {
                Target::Id
            } else if face.is_none() {
                columns.push(name);
                Target::Column(columns.len() - 1)
            } else {
                axis(["nx", "ny", "nz"], name).filter(|_| normals).map_or(Target::Nowhere, Target::Normal)
            }
        });
        let targets = targets.collect();
        let values = columns.len() as u64 + u64::from(ids);
        let each = TRIPLE + if normals { TRIPLE } else { 0 } + size_of::<f32>() as u64 * values;
        let faces = face.as_ref().map_or(0, |face| face.element.count);
        let needed = vertex.count.saturating_mul(each).saturating_add(faces.saturating_mul(TRIPLE));
        Ok(Self { vertices: vertex.count, targets, columns, normals, ids, face, needed })
    }

    /// Compares what the header declares with the file and with the memory limit, before anything of
    /// that size is allocated.
    fn admit(&self, reading: Reading, header: &Header) -> Result<(), ReadError> {
        // The last line of a text may lack its end.
        let mut left = header.rest + u64::from(header.encoding == Encoding::Ascii);
        for element in &header.elements {
            let corners = self.face.as_ref().filter(|face| face.element == element).map(|face| face.corners);
            let least = element.least_bytes(header.encoding, corners);
            let Some(less) = left.checked_sub(element.count.saturating_mul(least)) else {
                let Element { name, count, .. } = element;
                let reason = format!(
                    "its header declares {count} × {name} of {least} bytes or more each \
                     but only {} bytes follow it",
                    header.rest
                );
                return Err(reading.broken(FORMAT, reason));
            };
            left = less;
        }
        self.within(reading, self.needed)
    }

    fn within(&self, reading: Reading, needed: u64) -> Result<(), ReadError> {
        let allowed = reading.options.max_bytes;
        if needed <= allowed && usize::try_from(needed).is_ok() {
            return Ok(());
        }
        let what = match &self.face {
            Some(face) => format!("{} vertices and {} faces", self.vertices, face.element.count),
            None => format!("{} points with {} columns", self.vertices, self.columns.len()),
        };
        Err(ReadError::TooMuch { path: reading.path.into(), what, needed, allowed })
    }
}

impl<'a> Face<'a> {
    /// The faces of the file, if it is a mesh.
    fn of(reading: Reading, header: &'a Header, vertex: &Element) -> Result<Option<Self>, ReadError> {
        let remedy = "exporting it as triangles";
        let strips = header.element("tristrips").is_some_and(|strips| strips.count > 0);
        let faces = header.element("face").filter(|face| face.count > 0 || vertex.count == 0);
        let Some(element) = faces else {
            let what = "holds strips of triangles instead of faces";
            return if strips { Err(reading.unsupported(what, remedy)) } else { Ok(None) };
        };
        let corners = CORNERS.iter().find_map(|name| element.find(name));
        match corners.map(|index| (index, element.properties[index].form)) {
            Some((corners, Form::List { length, item })) if !item.is_float() => {
                Ok(Some(Self { element, corners, length, item }))
            }
            _ => {
                let what = "its faces have no list of whole numbers named vertex_indices";
                Err(reading.unsupported(what, remedy))
            }
        }
    }
}

#[derive(Default)]
struct Vertices {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    ids: Vec<u32>,
    columns: Vec<Vec<f32>>,
}

fn read_vertices(
    input: &mut Input,
    header: &Header,
    plan: &Plan,
    element: &Element,
) -> Result<Vertices, ReadError> {
    // The plan was admitted: this many fit the memory, and hence the address space.
    let count = element.count as usize;
    let encoding = header.encoding;
    let mut positions = Vec::with_capacity(count);
    let mut normals = Vec::with_capacity(if plan.normals { count } else { 0 });
    let mut ids = Vec::with_capacity(if plan.ids { count } else { 0 });
    let mut columns: Vec<Vec<f32>> = plan.columns.iter().map(|_| Vec::with_capacity(count)).collect();
    for vertex in 0..element.count {
        input.begin(encoding)?;
        let (mut position, mut normal) = ([0.0; 3], [0.0; 3]);
        for (property, target) in element.properties.iter().zip(&plan.targets) {
            match (property.form, *target) {
                (Form::Scalar(kind), Target::Position(axis)) => {
                    position[axis] = input.number(encoding, kind)? as f32;
                }
                (Form::Scalar(kind), Target::Normal(axis)) => {
                    normal[axis] = input.number(encoding, kind)? as f32;
                }
                (Form::Scalar(kind), Target::Id) => ids.push(input.number(encoding, kind)? as u32),
                (Form::Scalar(kind), Target::Column(index)) => {
                    columns[index].push(input.number(encoding, kind)? as f32);
                }
                (form, _) => input.skip(encoding, form)?,
            }
        }
        input.end(encoding)?;
        if position.iter().any(|x: &f32| !x.is_finite()) {
            return Err(ReadError::NotFinite { path: input.reading.path.into(), vertex, at: position });
        }
        positions.push(position);
        if plan.normals {
            normals.push(normal);
        }
    }
    Ok(Vertices { positions, normals, ids, columns })
}

fn read_faces(
    input: &mut Input,
    encoding: Encoding,
    plan: &Plan,
    face: &Face,
) -> Result<Vec<[u32; 3]>, ReadError> {
    let reading = input.reading;
    let mut triangles: Vec<[u32; 3]> = Vec::with_capacity(face.element.count as usize);
    for number in 0..face.element.count {
        let broken = |what: String| reading.broken(FORMAT, format!("face {number} (counted from 0) {what}"));
        let corner = |input: &mut Input| {
            let index = input.number(encoding, face.item)?;
            if index < 0.0 || index >= plan.vertices as f64 {
                let what = format!("has corner {index} but there are {} vertices", plan.vertices);
                return Err(broken(what));
            }
            Ok(index as u32)
        };
        input.begin(encoding)?;
        for (index, property) in face.element.properties.iter().enumerate() {
            if index != face.corners {
                input.skip(encoding, property.form)?;
                continue;
            }
            let length = input.length(encoding, face.length)?;
            if length < 3 {
                return Err(broken(format!("has {length} corners; it needs 3 or more")));
            }
            let first = corner(input)?;
            let mut before = corner(input)?;
            for _ in 2..length {
                let next = corner(input)?;
                if triangles.len() == triangles.capacity() {
                    grow(reading, plan, &mut triangles)?;
                }
                triangles.push([first, before, next]);
                before = next;
            }
        }
        input.end(encoding)?;
    }
    Ok(triangles)
}

/// Makes room for more triangles than there are faces, if the memory limit has it. While they move, the
/// old and the new room are both there.
fn grow(reading: Reading, plan: &Plan, triangles: &mut Vec<[u32; 3]>) -> Result<(), ReadError> {
    let more = (triangles.capacity() / 2).max(64);
    let new = (triangles.capacity() + more) as u64;
    plan.within(reading, plan.needed.saturating_add(new * TRIPLE))?;
    triangles.reserve_exact(more);
    Ok(())
}

/// What the comments tell.
#[derive(Default)]
struct Notes<'a> {
    radius: f32,
    units: HashMap<&'a str, &'a str>,
    meanings: HashMap<&'a str, &'a str>,
}

impl<'a> Notes<'a> {
    fn of(reading: Reading, comments: &'a [String]) -> Result<Self, ReadError> {
        let mut notes = Self::default();
        for comment in comments {
            match first_word(comment) {
                ("unit", rest) => {
                    notes.units.extend(Some(first_word(rest)).filter(|unit| !unit.1.is_empty()));
                }
                ("meaning", rest) => notes.meanings.extend([first_word(rest)]),
                // Words about a radius are a comment like any other; a number is meant for us.
                ("radius", rest) => match rest.parse() {
                    Ok(radius) if f32::is_finite(radius) && radius >= 0.0 => notes.radius = radius,
                    Ok(radius) => {
                        let reason = format!("its radius is {radius} m; it must be 0 or more");
                        return Err(reading.broken(FORMAT, reason));
                    }
                    Err(_) => {}
                },
                _ => {}
            }
        }
        Ok(notes)
    }

    fn info(&self, name: &str) -> FieldInfo {
        let note = |notes: &HashMap<&str, &str>, otherwise: &'static str| {
            notes.get(name).map_or(Cow::Borrowed(otherwise), |note| Cow::Owned(ascii::read(note)))
        };
        let [unit, meaning] = [note(&self.units, "-"), note(&self.meanings, "")];
        FieldInfo { name: ascii::read(name).into(), unit, meaning }
    }
}

/// The first word of a line, and the rest without the blanks between.
fn first_word(line: &str) -> (&str, &str) {
    let line = line.trim();
    line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim_start()))
}
