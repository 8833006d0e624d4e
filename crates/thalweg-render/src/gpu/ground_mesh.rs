//! Ground with caves and overhangs: the mesh of a volume.

use std::borrow::Cow;

use glam::Vec4;
use thalweg_field::{GroundMesh, Strata};
use thalweg_gpu::{Gpu, GpuError};
use wgpu::BufferUsages;
use wgpu::util::DeviceExt;

use super::globals::Globals;
use super::space::{BODIES, Pipeline, SPACE};
use super::{FRAME, SEEN, depth_state};
use crate::extent::bounds_of;

/// Folds of the beds that shaders know; `shaders/frame.wgsl` says the same.
pub(super) const FOLDS: usize = 4;

/// The mesh of a volume on the device.
pub(super) struct Earth {
    places: wgpu::Buffer,
    normals: wgpu::Buffer,
    open: wgpu::Buffer,
    triangles: wgpu::Buffer,
    corners: u32,
    pub strata: Option<Strata>,
}

impl Earth {
    /// `None` if there is nothing to draw.
    pub(super) fn new(gpu: &Gpu, ground: &GroundMesh) -> Result<Option<Self>, GpuError> {
        let mut mesh = Cow::Borrowed(&ground.mesh);
        if mesh.triangles.is_empty() || bounds_of(&mesh.positions).is_none() {
            return Ok(None);
        }
        if mesh.normals.len() != mesh.positions.len() {
            mesh = Cow::Owned(mesh.into_owned().with_normals());
        }
        let largest = size_of_val(&mesh.positions[..]).max(size_of_val(&mesh.triangles[..]));
        gpu.admit_buffer("a buffer of the ground", largest as u64)?;
        let all_open = vec![1.0; mesh.positions.len()];
        let open = if ground.open.len() == mesh.positions.len() { &ground.open } else { &all_open };
        let buffer = |label, contents: &[u8], usage| {
            let label = Some(label);
            gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label, contents, usage })
        };
        Ok(Some(Self {
            places: buffer("places", bytemuck::cast_slice(&mesh.positions), BufferUsages::VERTEX),
            normals: buffer("normals", bytemuck::cast_slice(&mesh.normals), BufferUsages::VERTEX),
            open: buffer("open", bytemuck::cast_slice(open), BufferUsages::VERTEX),
            triangles: buffer("triangles", bytemuck::cast_slice(&mesh.triangles), BufferUsages::INDEX),
            corners: 3 * mesh.triangles.len() as u32,
            strata: ground.strata.clone(),
        }))
    }

    fn draw(&self, pass: &mut wgpu::RenderPass) {
        pass.set_vertex_buffer(0, self.places.slice(..));
        pass.set_vertex_buffer(1, self.normals.slice(..));
        pass.set_vertex_buffer(2, self.open.slice(..));
        pass.set_index_buffer(self.triangles.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..self.corners, 0, 0..1);
    }
}

/// Tilt of the beds and thickness of their pile, and their folds, as shaders know them.
pub(super) fn strata_data(strata: Option<&Strata>) -> (Vec4, [Vec4; FOLDS]) {
    let Some(strata) = strata.filter(|strata| strata.thickness() > 0.0) else {
        return (Vec4::ZERO, [Vec4::ZERO; FOLDS]);
    };
    let [east, north] = strata.rise.map(|rise| rise as f32);
    let fold = |n: usize| {
        strata.folds.get(n).map_or(Vec4::ZERO, |fold| {
            Vec4::from_array([fold.along[0], fold.along[1], fold.phase, fold.height].map(|x| x as f32))
        })
    };
    (Vec4::new(east, north, strata.thickness() as f32, 1.0), std::array::from_fn(fold))
}

/// Colours of the beds over the whole pile, from its foot to its top; opacity is their hardness.
pub(super) fn bed_colours(strata: Option<&Strata>) -> [[u8; 4]; 256] {
    std::array::from_fn(|n| {
        let bed = strata.and_then(|strata| strata.bed_at((n as f64 + 0.5) / 256.0 * strata.thickness()));
        bed.map_or([0; 4], |bed| {
            let [red, green, blue] = bed.colour;
            [red, green, blue, (255.0 * bed.hardness) as u8]
        })
    })
}

pub(super) struct EarthPipelines {
    seen: wgpu::RenderPipeline,
    shadow: wgpu::RenderPipeline,
}

impl EarthPipelines {
    pub(super) fn new(gpu: &Gpu, globals: &Globals) -> Self {
        let module = gpu.shader("ground mesh", &[FRAME, SPACE, include_str!("shaders/ground_mesh.wgsl")]);
        let place = wgpu::VertexBufferLayout {
            array_stride: size_of::<[f32; 3]>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &wgpu::vertex_attr_array![0 => Float32x3],
        };
        let normal = wgpu::VertexBufferLayout {
            attributes: &wgpu::vertex_attr_array![1 => Float32x3],
            ..place.clone()
        };
        let open = wgpu::VertexBufferLayout {
            array_stride: size_of::<f32>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &wgpu::vertex_attr_array![2 => Float32],
        };
        let buffers = [Some(place), Some(normal), Some(open)];
        let greater = depth_state(true, wgpu::CompareFunction::GreaterEqual);
        // As for the ground of heights: slopes at a grazing angle to the sun must not shade themselves.
        let bias = wgpu::DepthBiasState { constant: -2, slope_scale: -2.0, clamp: 0.0 };
        let cast = wgpu::DepthStencilState { bias, ..greater.clone() };
        let pipeline = |label, vertex, fragment, targets: &[_], depth| {
            let (module, layouts, buffers) = (&module, &[&globals.layout][..], &buffers[..]);
            Pipeline {
                label,
                module,
                layouts,
                buffers,
                vertex,
                fragment: Some(fragment),
                targets,
                depth: Some(depth),
            }
            .make(gpu)
        };
        let bodies = [Some(SEEN.into()), Some(BODIES.into())];
        Self {
            seen: pipeline("ground mesh", "vertex", "fragment", &bodies, greater),
            shadow: pipeline("ground mesh's shadow", "shadow_vertex", "shadow_fragment", &[], cast),
        }
    }

    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass, earth: &Earth) {
        pass.set_pipeline(&self.seen);
        earth.draw(pass);
    }

    /// Draws it as the sun sees it.
    pub(super) fn cast(&self, pass: &mut wgpu::RenderPass, earth: &Earth) {
        pass.set_pipeline(&self.shadow);
        earth.draw(pass);
    }
}
