//! Meshes: solid bodies and surfaces of water.

use std::borrow::Cow;

use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use thalweg_field::{self as field, BodyPart, Finish, Material, Matter, Mesh, Pose, TriMesh};
use thalweg_gpu::{Gpu, GpuError};
use wgpu::BufferUsages;
use wgpu::util::DeviceExt;

use super::globals::Globals;
use super::needs::summed;
use super::space::{BODIES, Pipeline, SPACE};
use super::world::World;
use super::{FRAME, LIGHT, SEEN, depth_state};
use crate::extent::{bounds_of, placed};
use crate::light::linear;

/// What a mesh is painted with; see `shaders/mesh.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Paint {
    /// Linear, and the number of its finish.
    colour: [f32; 4],
    /// Linear, below the line; 1 if there is any.
    bottom: [f32; 4],
    /// Height above the line, and way to the left, of a place in the world: factors and what is added `[m]`.
    up: [f32; 4],
    left: [f32; 4],
}

impl Paint {
    fn plain(colour: Vec3) -> Self {
        Self {
            colour: colour.extend(finish_number(Finish::Matt)).to_array(),
            bottom: [0.0; 4],
            up: [0.0; 4],
            left: [0.0; 4],
        }
    }

    fn of(material: &Material, pose: &Pose) -> Self {
        let (bottom, line) = material
            .bottom
            .map_or(([0.0; 4], 0.0), |(colour, line)| (linear(colour).extend(1.0).to_array(), line));
        let along = |axis: [f64; 3], from: f64| {
            let way = pose.turned(axis);
            let at: f64 = way.iter().zip(pose.place).map(|(way, place)| way * place).sum();
            [way[0] as f32, way[1] as f32, way[2] as f32, (-at - from) as f32]
        };
        Self {
            colour: linear(material.colour).extend(finish_number(material.finish)).to_array(),
            bottom,
            up: along([0.0, 0.0, 1.0], f64::from(line)),
            left: along([0.0, 1.0, 0.0], 0.0),
        }
    }
}

/// The number of a finish; `shaders/space.wgsl` says the same.
fn finish_number(finish: Finish) -> f32 {
    match finish {
        Finish::Matt => 0.25,
        Finish::Paint => 0.3,
        Finish::Metal => 0.35,
        Finish::Wood => 0.4,
    }
}

/// A mesh on the device.
pub(super) struct Body {
    pub matter: Matter,
    places: wgpu::Buffer,
    normals: wgpu::Buffer,
    paint: wgpu::Buffer,
    triangles: wgpu::Buffer,
    corners: u32,
}

impl Body {
    /// `None` if there is nothing to draw.
    pub(super) fn new(gpu: &Gpu, mesh: &Mesh) -> Result<Option<Self>, GpuError> {
        let colour = match mesh.matter {
            Matter::Water => Vec3::ZERO,
            Matter::Solid(colour) => linear(colour),
        };
        Self::with_paint(gpu, mesh.matter, Cow::Borrowed(&mesh.mesh), &Paint::plain(colour))
    }

    /// A part of a body where that is.
    pub(super) fn of_part(gpu: &Gpu, body: &field::Body, part: &BodyPart) -> Result<Option<Self>, GpuError> {
        let mesh = placed(&body.pose, &part.mesh);
        let paint = Paint::of(&part.material, &body.pose);
        Self::with_paint(gpu, Matter::Solid(part.material.colour), Cow::Owned(mesh), &paint)
    }

    /// The room of a body that no water enters.
    pub(super) fn room_of(gpu: &Gpu, body: &field::Body) -> Result<Option<Self>, GpuError> {
        let Some(dry) = &body.dry else { return Ok(None) };
        let mesh = placed(&body.pose, dry);
        Self::with_paint(gpu, Matter::Solid([0; 3]), Cow::Owned(mesh), &Paint::plain(Vec3::ZERO))
    }

    fn with_paint(
        gpu: &Gpu,
        matter: Matter,
        mut shape: Cow<TriMesh>,
        paint: &Paint,
    ) -> Result<Option<Self>, GpuError> {
        if shape.triangles.is_empty() || bounds_of(&shape.positions).is_none() {
            return Ok(None);
        }
        if shape.normals.len() != shape.positions.len() {
            shape = Cow::Owned(shape.into_owned().with_normals());
        }
        let largest = size_of_val(&shape.positions[..]).max(size_of_val(&shape.triangles[..]));
        gpu.admit_buffer("a buffer of a mesh", largest as u64)?;
        let buffer = |label, contents: &[u8], usage| {
            let label = Some(label);
            gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label, contents, usage })
        };
        Ok(Some(Self {
            matter,
            places: buffer("places", bytemuck::cast_slice(&shape.positions), BufferUsages::VERTEX),
            normals: buffer("normals", bytemuck::cast_slice(&shape.normals), BufferUsages::VERTEX),
            paint: buffer("paint", bytemuck::bytes_of(paint), BufferUsages::VERTEX),
            triangles: buffer("triangles", bytemuck::cast_slice(&shape.triangles), BufferUsages::INDEX),
            corners: 3 * shape.triangles.len() as u32,
        }))
    }

    fn draw(&self, pass: &mut wgpu::RenderPass) {
        pass.set_vertex_buffer(0, self.places.slice(..));
        pass.set_vertex_buffer(1, self.normals.slice(..));
        pass.set_vertex_buffer(2, self.paint.slice(..));
        pass.set_index_buffer(self.triangles.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..self.corners, 0, 0..1);
    }
}

pub(super) struct Meshes {
    solid: wgpu::RenderPipeline,
    shadow: wgpu::RenderPipeline,
    water: wgpu::RenderPipeline,
    thickness: wgpu::RenderPipeline,
    /// Fronts and backs of rooms.
    rooms: [wgpu::RenderPipeline; 2],
}

impl Meshes {
    pub(super) fn new(gpu: &Gpu, globals: &Globals, depth: &wgpu::BindGroupLayout) -> Self {
        let module = gpu.shader("mesh", &[FRAME, SPACE, include_str!("shaders/mesh.wgsl")]);
        let place = wgpu::VertexBufferLayout {
            array_stride: size_of::<[f32; 3]>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &wgpu::vertex_attr_array![0 => Float32x3],
        };
        let normal = wgpu::VertexBufferLayout {
            attributes: &wgpu::vertex_attr_array![1 => Float32x3],
            ..place.clone()
        };
        let paint = wgpu::VertexBufferLayout {
            array_stride: size_of::<Paint>() as u64,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &wgpu::vertex_attr_array![2 => Float32x4, 3 => Float32x4, 4 => Float32x4, 5 => Float32x4],
        };
        let buffers = [Some(place), Some(normal), Some(paint)];
        let greater = depth_state(true, wgpu::CompareFunction::GreaterEqual);
        let pipeline = |label, vertex, fragment, targets: &[_], depth_state: Option<_>| {
            let layouts = [&globals.layout, depth];
            Pipeline {
                label,
                module: &module,
                // Only the thickness looks at what is behind; it tests no depth itself.
                layouts: if depth_state.is_some() { &layouts[..1] } else { &layouts },
                buffers: &buffers,
                vertex,
                fragment,
                targets,
                depth: depth_state,
            }
            .make(gpu)
        };
        // As for the ground: slopes at a grazing angle to the sun must not shade themselves.
        let bias = wgpu::DepthBiasState { constant: -2, slope_scale: -2.0, clamp: 0.0 };
        let cast = wgpu::DepthStencilState { bias, ..greater.clone() };
        let bodies = [Some(SEEN.into()), Some(BODIES.into())];
        let surfaces = [Some(BODIES.into())];
        let sums = [Some(wgpu::ColorTargetState { write_mask: wgpu::ColorWrites::ALPHA, ..summed(LIGHT) })];
        Self {
            solid: pipeline("solids", "vertex", Some("solid_fragment"), &bodies, Some(greater.clone())),
            shadow: pipeline("solids' shadow", "shadow_vertex", None, &[], Some(cast)),
            water: pipeline("water", "vertex", Some("water_fragment"), &surfaces, Some(greater.clone())),
            rooms: ["room_fronts", "room_backs"]
                .map(|fragment| pipeline("rooms", "vertex", Some(fragment), &[], Some(greater.clone()))),
            thickness: pipeline("water's thickness", "vertex", Some("thickness_fragment"), &sums, None),
        }
    }

    pub(super) fn draw_solids(&self, pass: &mut wgpu::RenderPass, world: &World) {
        pass.set_pipeline(&self.solid);
        solids(world).for_each(|body| body.draw(pass));
    }

    /// Draws solid bodies as the sun sees them.
    pub(super) fn cast(&self, pass: &mut wgpu::RenderPass, world: &World) {
        pass.set_pipeline(&self.shadow);
        solids(world).for_each(|body| body.draw(pass));
    }

    /// Draws the depths of the nearest fronts or backs of rooms that no water enters.
    pub(super) fn draw_rooms(&self, pass: &mut wgpu::RenderPass, world: &World, fronts: bool) {
        pass.set_pipeline(&self.rooms[usize::from(!fronts)]);
        world.rooms.iter().for_each(|room| room.draw(pass));
    }

    /// Draws the normals of the nearest surface of water.
    pub(super) fn draw_waters(&self, pass: &mut wgpu::RenderPass, world: &World) {
        pass.set_pipeline(&self.water);
        waters(world).for_each(|body| body.draw(pass));
    }

    /// Sums up the water along every ray, in front of what is behind.
    pub(super) fn draw_thickness(&self, pass: &mut wgpu::RenderPass, world: &World) {
        pass.set_pipeline(&self.thickness);
        waters(world).for_each(|body| body.draw(pass));
    }
}

fn solids(world: &World) -> impl Iterator<Item = &Body> {
    world.bodies.iter().filter(|body| body.matter != Matter::Water)
}

fn waters(world: &World) -> impl Iterator<Item = &Body> {
    world.bodies.iter().filter(|body| body.matter == Matter::Water)
}
