//! USD as text: moving water, bodies and particles for Blender, Houdini, Maya and the engines.
//!
//! A stage with Z up, in metres, whose time codes are frames (OpenUSD, "USD ASCII" and the schemas UsdGeomMesh and
//! UsdGeomPoints). What moves has a sample for each moment; topology and colours too, where they change.

use crate::ReadError;
use crate::WriteError;
use crate::atomic::write_atomic;
use crate::motion::{
    Moment, Motion, MotionError, Shape, Thing, carried, check_motion, check_thing, uncarried,
};
use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::io::{self, Write};
use std::path::Path;
use thalweg_field::{Points, Pose, TriMesh};

/// Writes a moving scene. `moment` gives the moments in the order of their times; each is asked for several times, so that
/// no more than one is in memory.
///
/// Names of things stay for the whole scene, and bodies have the shape of their first moment; a thing that is not there at a moment is invisible then.
pub fn write_usda(
    path: &Path,
    motion: &Motion,
    mut moment: impl FnMut(usize) -> Result<Moment, ReadError>,
) -> Result<(), MotionError> {
    check_motion(path, motion)?;
    let cast = Cast::of(path, motion, &mut moment)?;
    uncarried(write_atomic(path, |writer| {
        cast.head(writer)?;
        for thing in motion.still {
            still(writer, thing)?;
        }
        for (name, role) in &cast.roles {
            moving(writer, name, role, &cast.times, &mut moment)?;
        }
        writer.write_all(b"}\n")
    }))
}

/// Who appears, and when.
struct Cast {
    fps: f64,
    /// Time codes: frames since the beginning.
    times: Vec<f64>,
    roles: BTreeMap<String, Role>,
}

/// What is known of a thing from all its moments.
struct Role {
    points: bool,
    /// What a body looks like, if it is one.
    body: Option<(TriMesh, Vec<[f32; 4]>)>,
    /// Whether its triangles are always the same.
    firm: Option<Vec<[u32; 3]>>,
    /// Numbers of the moments at which it is there.
    there: Vec<usize>,
    coloured: bool,
    normals: bool,
}

impl Cast {
    fn of(
        path: &Path,
        motion: &Motion,
        moment: &mut impl FnMut(usize) -> Result<Moment, ReadError>,
    ) -> Result<Self, MotionError> {
        let mut cast = Self { fps: motion.fps, times: Vec::new(), roles: BTreeMap::new() };
        for number in 0..motion.moments {
            let Moment { time, things } = moment(number)?;
            let code = time * motion.fps;
            if !code.is_finite() || cast.times.last().is_some_and(|last| *last >= code) {
                let what = format!("moment {number} is at {time} s");
                let expected = "each must come after the one before";
                return Err(WriteError::Refused { path: path.into(), what, expected }.into());
            }
            cast.times.push(code);
            for thing in things {
                check_thing(path, &thing)?;
                if motion.still.iter().any(|still| still.name == thing.name) {
                    let what = format!("{} both moves and stands still", thing.name);
                    let expected = "each thing needs a name of its own";
                    return Err(WriteError::Refused { path: path.into(), what, expected }.into());
                }
                cast.take(number, thing);
            }
        }
        Ok(cast)
    }

    fn take(&mut self, number: usize, Thing { name, shape }: Thing) {
        let plain = Role {
            points: matches!(shape, Shape::Points(_)),
            body: None,
            firm: None,
            there: Vec::new(),
            coloured: false,
            normals: false,
        };
        match shape {
            Shape::Points(_) => self.roles.entry(name).or_insert(plain).there.push(number),
            Shape::Body { mesh, colours, .. } => {
                let body = Some((mesh, colours));
                self.roles.entry(name).or_insert(Role { body, ..plain }).there.push(number);
            }
            Shape::Mesh { mesh, colours } => {
                let [coloured, normals] = [!colours.is_empty(), !mesh.normals.is_empty()];
                let firm = Some(mesh.triangles.clone());
                let role = self.roles.entry(name).or_insert(Role { firm, coloured, normals, ..plain });
                if role.firm.as_ref().is_some_and(|firm| *firm != mesh.triangles) {
                    role.firm = None;
                }
                role.coloured &= coloured;
                role.normals &= normals;
                role.there.push(number);
            }
        }
    }

    fn head(&self, writer: &mut impl Write) -> io::Result<()> {
        let [first, last] = [self.times[0], self.times[self.times.len() - 1]];
        let Self { fps, .. } = self;
        writeln!(
            writer,
            "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = \"thalweg: metres east, north and up from the \
             south-west corner\"\n    endTimeCode = {last}\n    framesPerSecond = {fps}\n    metersPerUnit = 1\n    \
             startTimeCode = {first}\n    timeCodesPerSecond = {fps}\n    upAxis = \"Z\"\n)\n\n\
             def Xform \"World\"\n{{"
        )
    }
}

/// A thing that never moves.
fn still(writer: &mut impl Write, Thing { name, shape }: &Thing) -> io::Result<()> {
    match shape {
        Shape::Mesh { mesh, colours } => {
            writeln!(writer, "    def Mesh \"{name}\"\n    {{")?;
            surface(writer, mesh, colours)?;
            writer.write_all(MESH_END)
        }
        Shape::Body { mesh, colours, pose } => {
            writeln!(writer, "    def Mesh \"{name}\"\n    {{")?;
            surface(writer, mesh, colours)?;
            line(writer, "        double3 xformOp:translate = ", &place(pose))?;
            line(writer, "        quatf xformOp:orient = ", &turn(pose))?;
            writer.write_all(MOVED)?;
            writer.write_all(MESH_END)
        }
        Shape::Points(points) => {
            writeln!(writer, "    def Points \"{name}\"\n    {{")?;
            let plain = |what: &str| format!("        {what} = ");
            line(writer, &plain("float3[] extent"), &extent(&points.positions, points.radius))?;
            line(writer, &plain("point3f[] points"), &triples(&points.positions))?;
            line(writer, &plain("float[] widths"), &format!("[{}]{CONSTANT}", 2.0 * points.radius))?;
            writer.write_all(b"    }\n")
        }
    }
}

/// A surface that stays as it is.
fn surface(writer: &mut impl Write, mesh: &TriMesh, colours: &[[f32; 4]]) -> io::Result<()> {
    let plain = |what: &str| format!("        {what} = ");
    line(writer, &plain("float3[] extent"), &extent(&mesh.positions, 0.0))?;
    line(writer, &plain("int[] faceVertexCounts"), &counts(mesh))?;
    line(writer, &plain("int[] faceVertexIndices"), &indices(mesh))?;
    line(writer, &plain("point3f[] points"), &triples(&mesh.positions))?;
    if !mesh.normals.is_empty() {
        line(writer, &plain("normal3f[] normals"), &(triples(&mesh.normals) + VERTEX))?;
    }
    if !colours.is_empty() {
        line(writer, &plain("color3f[] primvars:displayColor"), &(colour_list(colours) + VERTEX))?;
    }
    Ok(())
}

fn place(pose: &Pose) -> String {
    let [x, y, z] = pose.place;
    format!("({x}, {y}, {z})")
}

/// USD tells the real part first.
fn turn(pose: &Pose) -> String {
    let [x, y, z, w] = pose.turn;
    format!("({w}, {x}, {y}, {z})")
}

/// First turned, then put into its place.
const MOVED: &[u8] = b"        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n";
const VERTEX: &str = " (\n            interpolation = \"vertex\"\n        )";
const CONSTANT: &str = " (\n            interpolation = \"constant\"\n        )";
const MESH_END: &[u8] = b"        uniform token orientation = \"rightHanded\"\n        \
    uniform token subdivisionScheme = \"none\"\n    }\n";

fn line(writer: &mut impl Write, begin: &str, value: &str) -> io::Result<()> {
    writeln!(writer, "{begin}{value}")
}

/// Writes the samples of a thing.
struct Samples<'a, W, M> {
    writer: &'a mut W,
    name: &'a str,
    role: &'a Role,
    times: &'a [f64],
    moment: &'a mut M,
}

impl<W: Write, M: FnMut(usize) -> Result<Moment, ReadError>> Samples<'_, W, M> {
    fn of(&mut self, what: &str, value: impl Fn(&Shape) -> Option<String>) -> io::Result<()> {
        writeln!(self.writer, "        {what}.timeSamples = {{")?;
        for &number in &self.role.there {
            let shown = (self.moment)(number).map_err(|error| carried(MotionError::from(error)))?;
            if let Some(thing) = shown.things.iter().find(|thing| thing.name == self.name) {
                let value = value(&thing.shape).unwrap_or_else(|| "None".into());
                writeln!(self.writer, "            {}: {value},", self.times[number])?;
            }
        }
        writeln!(self.writer, "        }}")
    }

    fn of_mesh(&mut self, what: &str, value: impl Fn(&TriMesh) -> String) -> io::Result<()> {
        self.of(what, |shape| match shape {
            Shape::Mesh { mesh, .. } => Some(value(mesh)),
            _ => None,
        })
    }

    fn of_points(&mut self, what: &str, value: impl Fn(&Points) -> String) -> io::Result<()> {
        self.of(what, |shape| match shape {
            Shape::Points(points) => Some(value(points)),
            _ => None,
        })
    }

    fn of_body(&mut self, what: &str, value: impl Fn(&Pose) -> String) -> io::Result<()> {
        self.of(what, |shape| match shape {
            Shape::Body { pose, .. } => Some(value(pose)),
            _ => None,
        })
    }

    fn points(&mut self) -> io::Result<()> {
        self.of_points("float3[] extent", |p| extent(&p.positions, p.radius))?;
        self.of_points("point3f[] points", |p| triples(&p.positions))?;
        self.of_points("float[] widths", |p| each(&vec![2.0 * p.radius; p.len()]))?;
        self.of_points("vector3f[] velocities", velocities)?;
        self.of_points("int64[] ids", ids)
    }

    fn body(&mut self, mesh: &TriMesh, colours: &[[f32; 4]]) -> io::Result<()> {
        surface(self.writer, mesh, colours)?;
        self.of_body("double3 xformOp:translate", place)?;
        self.of_body("quatf xformOp:orient", turn)?;
        self.writer.write_all(MOVED)
    }

    fn mesh(&mut self) -> io::Result<()> {
        self.of_mesh("float3[] extent", |mesh| extent(&mesh.positions, 0.0))?;
        match &self.role.firm {
            Some(triangles) => {
                let mesh = TriMesh { triangles: triangles.clone(), ..TriMesh::default() };
                line(self.writer, "        int[] faceVertexCounts = ", &counts(&mesh))?;
                line(self.writer, "        int[] faceVertexIndices = ", &indices(&mesh))?;
            }
            None => {
                self.of_mesh("int[] faceVertexCounts", counts)?;
                self.of_mesh("int[] faceVertexIndices", indices)?;
            }
        }
        self.of_mesh("point3f[] points", |mesh| triples(&mesh.positions))?;
        if self.role.normals {
            self.of_mesh("normal3f[] normals", |mesh| triples(&mesh.normals))?;
            writeln!(self.writer, "        normal3f[] normals{VERTEX}")?;
        }
        if self.role.coloured {
            self.of("color3f[] primvars:displayColor", |shape| match shape {
                Shape::Mesh { colours, .. } => Some(colour_list(colours)),
                _ => None,
            })?;
            writeln!(self.writer, "        color3f[] primvars:displayColor{VERTEX}")?;
        }
        Ok(())
    }

    /// Where it is missing at some moments, it is not seen there.
    fn visibility(&mut self) -> io::Result<()> {
        if self.role.there.len() == self.times.len() {
            return Ok(());
        }
        writeln!(self.writer, "        token visibility.timeSamples = {{")?;
        for (number, time) in self.times.iter().enumerate() {
            let seen = if self.role.there.contains(&number) { "inherited" } else { "invisible" };
            writeln!(self.writer, "            {time}: \"{seen}\",")?;
        }
        writeln!(self.writer, "        }}")
    }
}

/// A thing with samples.
fn moving(
    writer: &mut impl Write,
    name: &str,
    role: &Role,
    times: &[f64],
    moment: &mut impl FnMut(usize) -> Result<Moment, ReadError>,
) -> io::Result<()> {
    let kind = if role.points { "Points" } else { "Mesh" };
    writeln!(writer, "    def {kind} \"{name}\"\n    {{")?;
    let mut samples = Samples { writer, name, role, times, moment };
    match &role.body {
        _ if role.points => samples.points()?,
        Some((mesh, colours)) => samples.body(mesh, colours)?,
        None => samples.mesh()?,
    }
    samples.visibility()?;
    writer.write_all(if role.points { b"    }\n" } else { MESH_END })
}

/// Numbers in brackets.
fn each<T: Display>(numbers: &[T]) -> String {
    let mut text = String::from("[");
    for (index, number) in numbers.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{}{number}", if index == 0 { "" } else { ", " });
    }
    text + "]"
}

fn triples(list: &[[f32; 3]]) -> String {
    let mut text = String::from("[");
    for (index, [x, y, z]) in list.iter().enumerate() {
        let _ = write!(text, "{}({x}, {y}, {z})", if index == 0 { "" } else { ", " });
    }
    text + "]"
}

/// USD has colours linear, as they are here.
fn colour_list(colours: &[[f32; 4]]) -> String {
    triples(&colours.iter().map(|[red, green, blue, _]| [*red, *green, *blue]).collect::<Vec<_>>())
}

fn counts(mesh: &TriMesh) -> String {
    each(&vec![3; mesh.triangles.len()])
}

fn indices(mesh: &TriMesh) -> String {
    each(mesh.triangles.as_flattened())
}

fn extent(places: &[[f32; 3]], around: f32) -> String {
    let Some(first) = places.first() else { return "[(0, 0, 0), (0, 0, 0)]".into() };
    let end = |pick: fn(f32, f32) -> f32, around: f32| -> [f32; 3] {
        std::array::from_fn(|axis| {
            places.iter().fold(first[axis], |end, place| pick(end, place[axis])) + around
        })
    };
    triples(&[end(f32::min, -around), end(f32::max, around)])
}

fn velocities(points: &Points) -> String {
    let [u, v, w] = ["velocity_x", "velocity_y", "velocity_z"].map(|name| points.column(name));
    let (Some(u), Some(v), Some(w)) = (u, v, w) else { return "None".into() };
    triples(&(0..points.len()).map(|i| [u.values[i], v.values[i], w.values[i]]).collect::<Vec<_>>())
}

fn ids(points: &Points) -> String {
    if points.ids.is_empty() { "None".into() } else { each(&points.ids) }
}
