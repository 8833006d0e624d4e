//! Particles and meshes as the processor draws them.

use std::borrow::Cow;

use glam::Vec3;
use thalweg_field::{self as field, GroundMesh, Material, Matter, Points, Pose, Snapshot, TriMesh};

use crate::extent::placed;
use crate::light::{MISSING, linear};
use crate::look::DROP_COLOUR;
use crate::{Look, ParticleShape, Spread};

/// What of a snapshot stands or flows in space and is to be drawn.
#[derive(Default)]
pub(crate) struct Things<'a> {
    spheres: Option<Spheres<'a>>,
    bodies: Vec<Body<'a>>,
    /// Factor on heights `[-]`.
    stretch: f32,
}

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Thing {
    Sphere(u32),
    Facet { body: u16, triangle: u32 },
}

/// What light falls on.
pub(crate) struct Paint {
    /// Share of white light that it throws back.
    pub albedo: Vec3,
    /// Whether it mirrors the sky and shines as water does.
    pub wet: bool,
}

struct Spheres<'a> {
    places: &'a [[f32; 3]],
    /// `[m]`
    radius: f32,
    colour: Colour<'a>,
}

/// What colours particles.
enum Colour<'a> {
    /// A column, along a colour map.
    Column { values: &'a [f32], spread: Spread, table: Box<[Vec3; 256]> },
    /// Water, with the sediment and foam that are known of each.
    Water { sediment: Option<&'a [f32]>, foam: Option<&'a [f32]>, look: &'a Look },
}

struct Body<'a> {
    made: Made<'a>,
    mesh: Cow<'a, TriMesh>,
}

/// What a mesh is made of.
#[derive(Clone, Copy)]
enum Made<'a> {
    Of(Matter),
    /// A part of a body that is there.
    Painted(&'a Material, &'a Pose),
    /// The ground itself.
    Earth(&'a GroundMesh),
}

impl<'a> Things<'a> {
    /// Those that a look shows; particles have that radius `[m]`.
    pub(crate) fn of(snapshot: &'a Snapshot, look: &'a Look, radius: f32) -> Self {
        let points = snapshot.points.as_ref().filter(|points| !points.is_empty() && radius > 0.0);
        let shown = points.filter(|_| look.particles.shape != ParticleShape::Hidden);
        let drawn = |matter: Matter| look.water.visible || matter != Matter::Water;
        let bodies = snapshot.meshes.iter().filter(|mesh| drawn(mesh.matter)).map(|mesh| {
            let known = mesh.mesh.normals.len() == mesh.mesh.positions.len();
            let shape = Cow::Borrowed(&mesh.mesh);
            let mesh_of = |shape: Cow<'a, TriMesh>| Cow::Owned(shape.into_owned().with_normals());
            Body { made: Made::Of(mesh.matter), mesh: if known { shape } else { mesh_of(shape) } }
        });
        let parts = snapshot.bodies.iter().flat_map(parts_of);
        let earth = snapshot.ground.as_deref().map(|ground| earth_of(ground, look));
        Self {
            spheres: shown.map(|points| Spheres::new(points, look, radius)),
            // More than that many meshes are no picture.
            bodies: earth.into_iter().chain(bodies).chain(parts).take(usize::from(u16::MAX)).collect(),
            stretch: look.relief.vertical_exaggeration,
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.sphere_count() + self.bodies.iter().map(|body| body.mesh.triangles.len()).sum::<usize>()
    }

    fn sphere_count(&self) -> usize {
        self.spheres.as_ref().map_or(0, |spheres| spheres.places.len())
    }

    /// The one of that number: first the particles, then the triangles of one mesh after the other.
    pub(crate) fn numbered(&self, number: usize) -> Option<Thing> {
        if number < self.sphere_count() {
            return Some(Thing::Sphere(number as u32));
        }
        let mut left = number - self.sphere_count();
        for (body, mesh) in self.bodies.iter().zip(0..).map(|(body, number)| (number, &body.mesh)) {
            if left < mesh.triangles.len() {
                return Some(Thing::Facet { body, triangle: left as u32 });
            }
            left -= mesh.triangles.len();
        }
        None
    }

    /// Radius of the particles `[m]`.
    pub(crate) fn radius(&self) -> f32 {
        self.spheres.as_ref().map_or(0.0, |spheres| spheres.radius)
    }

    /// Centre of a particle `[m]`.
    pub(crate) fn centre(&self, sphere: u32) -> Vec3 {
        self.spheres.as_ref().map_or(Vec3::NAN, |spheres| self.raised(spheres.places[sphere as usize]))
    }

    /// Corners of a triangle `[m]`.
    pub(crate) fn corners(&self, body: u16, triangle: u32) -> [Vec3; 3] {
        let mesh = &self.bodies[usize::from(body)].mesh;
        mesh.triangles[triangle as usize].map(|corner| self.raised(mesh.positions[corner as usize]))
    }

    /// Normal of a triangle between its corners, which count that much; of any length.
    pub(crate) fn normal(&self, body: u16, triangle: u32, weights: [f32; 3]) -> Vec3 {
        let mesh = &self.bodies[usize::from(body)].mesh;
        let corners = mesh.triangles[triangle as usize].map(|i| Vec3::from_array(mesh.normals[i as usize]));
        let normal: Vec3 = corners.iter().zip(weights).map(|(normal, weight)| *normal * weight).sum();
        // Normals turn against the stretch.
        normal * Vec3::new(self.stretch, self.stretch, 1.0)
    }

    /// Whether the sun passes through.
    pub(crate) fn is_water(&self, body: u16) -> bool {
        matches!(self.bodies[usize::from(body)].made, Made::Of(Matter::Water))
    }

    /// Share of the sky's light that a triangle of the ground gets between its corners, which count that much; none of other
    /// things `[-]`.
    pub(crate) fn open(&self, body: u16, triangle: u32, weights: [f32; 3]) -> Option<f32> {
        let Body { made: Made::Earth(ground), mesh } = &self.bodies[usize::from(body)] else { return None };
        let corners = mesh.triangles[triangle as usize];
        let open = |corner: u32| ground.open.get(corner as usize).copied().unwrap_or(1.0);
        Some(corners.iter().zip(weights).map(|(corner, weight)| open(*corner) * weight).sum())
    }

    pub(crate) fn paint(&self, thing: Thing, water: Vec3) -> Paint {
        match (thing, &self.spheres) {
            (Thing::Sphere(number), Some(spheres)) => spheres.colour.paint(number as usize),
            (Thing::Sphere(_), None) => Paint { albedo: Vec3::ZERO, wet: false },
            (Thing::Facet { body, triangle }, _) => match self.bodies[usize::from(body)].made {
                Made::Of(Matter::Water) => Paint { albedo: water, wet: true },
                Made::Of(Matter::Solid(colour)) => Paint { albedo: linear(colour), wet: false },
                Made::Painted(material, pose) => {
                    let below =
                        material.bottom.filter(|(_, line)| self.height_on(pose, body, triangle) < *line);
                    let colour = below.map_or(material.colour, |(colour, _)| colour);
                    Paint { albedo: linear(colour), wet: false }
                }
                // What it is like depends on the place: see `rock.rs`.
                Made::Earth(_) => Paint { albedo: Vec3::ZERO, wet: false },
            },
        }
    }

    /// Height of the middle of a triangle in the axes of its body `[m]`.
    fn height_on(&self, pose: &Pose, body: u16, triangle: u32) -> f32 {
        let mesh = &self.bodies[usize::from(body)].mesh;
        let corners =
            mesh.triangles[triangle as usize].map(|corner| Vec3::from_array(mesh.positions[corner as usize]));
        let middle = corners.iter().sum::<Vec3>() / 3.0 - Vec3::from_array(pose.place.map(|v| v as f32));
        middle.dot(Vec3::from_array(pose.turned([0.0, 0.0, 1.0]).map(|v| v as f32)))
    }

    fn raised(&self, place: [f32; 3]) -> Vec3 {
        Vec3::new(place[0], place[1], place[2] * self.stretch)
    }
}

/// The parts of a body where that is, if they are anywhere.
fn parts_of(body: &field::Body) -> impl Iterator<Item = Body<'_>> {
    let there = body.pose.place.iter().chain(&body.pose.turn).all(|v| v.is_finite());
    body.parts.iter().filter(move |_| there).map(|part| {
        let mut mesh = placed(&body.pose, &part.mesh);
        if mesh.normals.len() != mesh.positions.len() {
            mesh = mesh.with_normals();
        }
        Body { made: Made::Painted(&part.material, &body.pose), mesh: Cow::Owned(mesh) }
    })
}

/// The mesh of the ground, less what is taken away.
fn earth_of<'a>(ground: &'a GroundMesh, look: &Look) -> Body<'a> {
    let mut mesh = Cow::Borrowed(&ground.mesh);
    if mesh.normals.len() != mesh.positions.len() {
        mesh = Cow::Owned(mesh.into_owned().with_normals());
    }
    if let Some(cut) = look.cut {
        let TriMesh { positions, triangles, .. } = mesh.to_mut();
        triangles.retain(|corners| !corners.iter().all(|&corner| cut.takes(positions[corner as usize])));
    }
    Body { made: Made::Earth(ground), mesh }
}

impl<'a> Spheres<'a> {
    fn new(points: &'a Points, look: &'a Look, radius: f32) -> Self {
        let values_of = |name: &str| {
            let column = points.column(name).filter(|column| column.values.len() == points.len());
            column.map(|column| &column.values[..])
        };
        let column = look.particles.colour.as_ref().and_then(|(name, style)| Some((values_of(name)?, style)));
        // As on the graphics device, spheres are plain water; what takes the place of a surface has its colours.
        let known = |name| values_of(name).filter(|_| look.particles.shape == ParticleShape::Surface);
        let colour = match column {
            Some((values, style)) => Colour::Column {
                values,
                spread: Spread::of(values, style),
                table: Box::new(style.colours.table().map(linear)),
            },
            None => Colour::Water { sediment: known("sediment"), foam: known("foam"), look },
        };
        Self { places: &points.positions, radius, colour }
    }
}

impl Colour<'_> {
    fn paint(&self, number: usize) -> Paint {
        /// Foam, linear.
        const WHITE: Vec3 = Vec3::new(0.82, 0.86, 0.88);
        match self {
            Self::Column { values, spread, table } => {
                let value = values[number];
                let at = (spread.position(value) * 255.0).round() as usize;
                let albedo = if value.is_finite() { table[at.min(255)] } else { linear(MISSING) };
                Paint { albedo, wet: false }
            }
            Self::Water { sediment, foam, look } => {
                let share = |values: &Option<&[f32]>| {
                    let known = values.map(|values| values[number]).filter(|value| value.is_finite());
                    known.unwrap_or(0.0).clamp(0.0, 1.0)
                };
                let water = look.muddied(DROP_COLOUR.into(), share(sediment));
                Paint { albedo: water.lerp(WHITE, share(foam) * look.water.foam.min(1.0)), wet: true }
            }
        }
    }
}
