//! Moving scenes: what there is at each of some moments, for files of animation.
//!
//! A run keeps each moment in a file of its own while it goes on, and makes one file of all of them at its end.

use crate::atomic::write_atomic;
use crate::reading::open_regular;
use crate::{ReadError, WriteError};
use std::io::{self, Read, Write};
use std::path::Path;
use thalweg_field::{Column, FieldInfo, Points, Pose, TriMesh};

/// First bytes of a file of one moment, the version in them.
const MAGIC: &[u8; 8] = b"TWMOVE2\n";
const FORMAT: &str = "frame of animation";

/// What there is at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// When `[s]`.
    pub time: f64,
    /// Things, each with a name of its own.
    pub things: Vec<Thing>,
}

/// Something that is seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Thing {
    /// Its name, letters, digits and `_`: `Water`, `Boat_1`, ...
    pub name: String,
    /// What it looks like.
    pub shape: Shape,
}

/// What a thing looks like.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A surface.
    Mesh {
        /// Its triangles.
        mesh: TriMesh,
        /// Red, green, blue and opacity of each corner, linear `[-]`; empty: of no colour of its own.
        colours: Vec<[f32; 4]>,
    },
    /// A body that keeps its shape.
    Body {
        /// Its triangles, in its own axes.
        mesh: TriMesh,
        /// As of a surface.
        colours: Vec<[f32; 4]>,
        /// Where it is.
        pose: Pose,
    },
    /// Particles; of their columns `velocity_x`, `velocity_y` and `velocity_z` are kept.
    Points(Points),
}

/// The columns of particles that an animation keeps.
pub(crate) const KEPT: [&str; 3] = ["velocity_x", "velocity_y", "velocity_z"];

/// Moves particles back from when they are there to a moment shortly before, along their velocities `[s]`.
pub fn points_at(points: &Points, time: f64, moment: f64) -> Points {
    let mut moved = points.clone();
    let back = (moment - time) as f32;
    for (axis, name) in KEPT.iter().enumerate() {
        let Some(velocity) = points.column(name) else { continue };
        for (place, velocity) in moved.positions.iter_mut().zip(&velocity.values) {
            place[axis] += back * velocity;
        }
    }
    moved.columns.retain(|column| KEPT.contains(&&*column.info.name));
    moved
}

/// Writes one moment, to be read back by [`read_moment`]; nobody else reads it.
pub fn write_moment(path: &Path, moment: &Moment) -> Result<(), WriteError> {
    write_atomic(path, |writer| {
        writer.write_all(MAGIC)?;
        writer.write_all(&moment.time.to_le_bytes())?;
        count(writer, moment.things.len())?;
        for Thing { name, shape } in &moment.things {
            text(writer, name)?;
            match shape {
                Shape::Mesh { mesh, colours } => {
                    writer.write_all(&[0])?;
                    surface(writer, mesh, colours)?;
                }
                Shape::Body { mesh, colours, pose } => {
                    writer.write_all(&[2])?;
                    surface(writer, mesh, colours)?;
                    writer.write_all(bytemuck::cast_slice(&pose.place))?;
                    writer.write_all(bytemuck::cast_slice(&pose.turn))?;
                }
                Shape::Points(points) => {
                    writer.write_all(&[1])?;
                    list(writer, &points.positions)?;
                    list(writer, &[points.radius])?;
                    list(writer, &points.ids)?;
                    let kept = points.columns.iter().filter(|column| KEPT.contains(&&*column.info.name));
                    let kept: Vec<_> = kept.collect();
                    count(writer, kept.len())?;
                    for column in kept {
                        text(writer, &column.info.name)?;
                        list(writer, &column.values)?;
                    }
                }
            }
        }
        Ok(())
    })
}

fn surface(writer: &mut impl Write, mesh: &TriMesh, colours: &[[f32; 4]]) -> io::Result<()> {
    list(writer, &mesh.positions)?;
    list(writer, &mesh.normals)?;
    list(writer, &mesh.triangles)?;
    list(writer, colours)
}

fn count(writer: &mut impl Write, count: usize) -> io::Result<()> {
    writer.write_all(&(count as u64).to_le_bytes())
}

fn text(writer: &mut impl Write, text: &str) -> io::Result<()> {
    list(writer, text.as_bytes())
}

fn list<T: bytemuck::NoUninit>(writer: &mut impl Write, list: &[T]) -> io::Result<()> {
    count(writer, list.len())?;
    writer.write_all(bytemuck::cast_slice(list))
}

/// Reads a moment that [`write_moment`] wrote. `max_bytes` is the memory that reading may use `[byte]`.
pub fn read_moment(path: &Path, max_bytes: u64) -> Result<Moment, ReadError> {
    let io = |source| ReadError::Io { path: path.into(), source };
    let mut bytes = Vec::new();
    let mut file = open_regular(path).map_err(io)?;
    // The file is there beside what is made of it.
    let needed = 2 * file.metadata().map_err(io)?.len();
    if needed > max_bytes {
        return Err(ReadError::TooMuch {
            path: path.into(),
            what: FORMAT.into(),
            needed,
            allowed: max_bytes,
        });
    }
    file.read_to_end(&mut bytes).map_err(io)?;
    let broken =
        |reason: &str| ReadError::Broken { path: path.into(), format: FORMAT, reason: reason.into() };
    let rest = bytes.strip_prefix(MAGIC.as_slice()).ok_or_else(|| broken("it does not begin like one"))?;
    let moment = Input(rest).moment().ok_or_else(|| broken("it ends too early or has too much"))?;
    let fits = |thing: &Thing| match &thing.shape {
        Shape::Mesh { mesh, colours } | Shape::Body { mesh, colours, .. } => {
            let corners = mesh.positions.len();
            let each = |count: usize| count == 0 || count == corners;
            each(mesh.normals.len())
                && each(colours.len())
                && mesh.triangles.as_flattened().iter().all(|&corner| (corner as usize) < corners)
        }
        Shape::Points(points) => {
            (points.ids.is_empty() || points.ids.len() == points.len())
                && points.columns.iter().all(|column| column.values.len() == points.len())
        }
    };
    match moment.things.iter().find(|thing| !fits(thing)) {
        Some(thing) => Err(broken(&format!("the parts of {:?} do not belong together", thing.name))),
        None => Ok(moment),
    }
}

/// What is left of a file.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn moment(&mut self) -> Option<Moment> {
        let time = f64::from_le_bytes(*self.0.split_off(..8)?.first_chunk()?);
        let mut things = Vec::new();
        for _ in 0..self.count()? {
            let name = self.text()?;
            let shape = match self.0.split_off(..1)?[0] {
                0 => {
                    let (mesh, colours) = self.surface()?;
                    Shape::Mesh { mesh, colours }
                }
                2 => {
                    let (mesh, colours) = self.surface()?;
                    let [place, turn]: [Vec<f64>; 2] = [self.numbers(3)?, self.numbers(4)?];
                    let pose = Pose { place: *place.first_chunk()?, turn: *turn.first_chunk()? };
                    Shape::Body { mesh, colours, pose }
                }
                1 => {
                    let positions = self.list()?;
                    let radius = *self.list::<f32>()?.first()?;
                    let ids = self.list()?;
                    let mut columns = Vec::new();
                    for _ in 0..self.count()? {
                        let info =
                            FieldInfo { name: self.text()?.into(), unit: "".into(), meaning: "".into() };
                        columns.push(Column { info, values: self.list()? });
                    }
                    Shape::Points(Points { positions, radius, ids, columns })
                }
                _ => return None,
            };
            things.push(Thing { name, shape });
        }
        self.0.is_empty().then_some(Moment { time, things })
    }

    fn surface(&mut self) -> Option<(TriMesh, Vec<[f32; 4]>)> {
        let [positions, normals] = [self.list::<[f32; 3]>()?, self.list()?];
        let mesh = TriMesh { positions, normals, triangles: self.list()? };
        Some((mesh, self.list()?))
    }

    fn count(&mut self) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(*self.0.split_off(..8)?.first_chunk()?)).ok()
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.list()?).ok()
    }

    /// No longer than the file has bytes for.
    fn list<T: bytemuck::Pod>(&mut self) -> Option<Vec<T>> {
        let count = self.count()?;
        self.numbers(count)
    }

    fn numbers<T: bytemuck::Pod>(&mut self, count: usize) -> Option<Vec<T>> {
        let bytes = self.0.split_off(..count.checked_mul(size_of::<T>())?)?;
        let mut list = vec![T::zeroed(); count];
        bytemuck::cast_slice_mut(&mut list).copy_from_slice(bytes);
        Some(list)
    }
}

/// How a moving scene is told.
#[derive(Clone, Debug)]
pub struct Motion<'a> {
    /// Frames of a second; moments are told in them `[1/s]`.
    pub fps: f64,
    /// Things that stand still.
    pub still: &'a [Thing],
    /// Number of moments, one at least.
    pub moments: usize,
}

/// Refuses moving scenes that no file can hold.
pub(crate) fn check_motion(path: &Path, motion: &Motion) -> Result<(), WriteError> {
    let refuse = |what, expected| Err(WriteError::Refused { path: path.into(), what, expected });
    if motion.moments == 0 {
        return refuse("there is no moment to show".into(), "one at least must be given");
    }
    if !(motion.fps.is_finite() && motion.fps > 0.0) {
        return refuse(
            format!("there are {} frames in a second", motion.fps),
            "it must be above 0, such as 24",
        );
    }
    motion.still.iter().try_for_each(|thing| check_thing(path, thing))
}

/// Refuses a thing with a name that is none, or that is nowhere.
pub(crate) fn check_thing(path: &Path, Thing { name, shape }: &Thing) -> Result<(), WriteError> {
    let refuse = |what, expected| Err(WriteError::Refused { path: path.into(), what, expected });
    let letters = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if !letters || name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return refuse(format!("a thing is named {name:?}"), "letters, digits and _, no digit first");
    }
    let (places, normals): (&[[f32; 3]], &[[f32; 3]]) = match shape {
        Shape::Mesh { mesh, colours } | Shape::Body { mesh, colours, .. } => {
            let colours = (!colours.is_empty()).then_some(colours.as_slice());
            let extras = crate::MeshExtras { colours, ..Default::default() };
            crate::mesh::check_mesh(path, mesh, &extras)?;
            (&mesh.positions, &mesh.normals)
        }
        Shape::Points(points) => (&points.positions, &[]),
    };
    if let Shape::Body { pose, .. } = shape
        && pose.place.iter().chain(&pose.turn).any(|x| !x.is_finite())
    {
        return refuse(
            format!("{name} is at {:?}, turned by {:?}", pose.place, pose.turn),
            "all must be finite",
        );
    }
    let wild = |triple: &&[f32; 3]| triple.iter().any(|x| !x.is_finite());
    match places.iter().chain(normals).find(wild) {
        Some(at) => refuse(format!("{name} has a corner or normal at {at:?}"), "all must be finite"),
        None => Ok(()),
    }
}

/// What went wrong while a moving scene was written.
#[derive(Debug, thiserror::Error)]
pub enum MotionError {
    /// A moment could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Takes an error of our own through the writer of a file.
pub(crate) fn carried(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::other(error)
}

/// Finds out whether writing failed over a moment or over the file.
pub(crate) fn uncarried(result: Result<(), WriteError>) -> Result<(), MotionError> {
    match result {
        Err(WriteError::Io { path, source }) => match source.downcast::<MotionError>() {
            Ok(error) => Err(error),
            Err(source) => Err(WriteError::Io { path, source }.into()),
        },
        other => Ok(other?),
    }
}
