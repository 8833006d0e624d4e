//! The ground: patches of triangles over the heights.

use glam::Mat4;
use thalweg_gpu::Gpu;
use wgpu::util::DeviceExt;

use super::globals::Globals;
use super::lod::{Fineness, Patch, SIDE};
use super::world::World;
use super::{DEPTH, FRAME, SEEN, depth_state};

pub(super) struct Terrain {
    pipeline: wgpu::RenderPipeline,
    shadow: wgpu::RenderPipeline,
    corners: wgpu::Buffer,
    triangles: wgpu::Buffer,
    triangle_corners: u32,
    patches: wgpu::Buffer,
    chosen: Vec<Patch>,
}

/// Column and row within the patch, wall, foot of the wall.
type Corner = [i16; 4];

/// The surface of a patch, and a wall along each of its sides.
fn patch_mesh() -> (Vec<Corner>, Vec<u16>) {
    let side = SIDE as i16;
    let mut corners = Vec::new();
    let mut triangles = Vec::new();
    for row in 0..=side {
        corners.extend((0..=side).map(|col| [col, row, 0, 0]));
    }
    let at = |col: i16, row: i16| (row * (side + 1) + col) as u16;
    for row in 0..side {
        for col in 0..side {
            let [nw, ne, sw, se] = [at(col, row), at(col + 1, row), at(col, row + 1), at(col + 1, row + 1)];
            triangles.extend([nw, sw, ne, ne, sw, se]);
        }
    }
    // Each wall runs so that its outside is counter-clockwise.
    type Along = fn(i16, i16) -> [i16; 2];
    let walls: [(i16, Along); 4] = [
        (1, |i, _| [0, i]),
        (2, |i, side| [side, side - i]),
        (3, |i, side| [side - i, 0]),
        (4, |i, side| [i, side]),
    ];
    for (wall, place) in walls {
        let first = corners.len() as u16;
        for i in 0..=side {
            let [col, row] = place(i, side);
            corners.extend([[col, row, wall, 0], [col, row, wall, 1]]);
        }
        for i in 0..side as u16 {
            let [top, foot] = [first + 2 * i, first + 2 * i + 1];
            triangles.extend([top, foot, top + 2, top + 2, foot, foot + 2]);
        }
    }
    (corners, triangles)
}

impl Terrain {
    pub(super) fn new(gpu: &Gpu, globals: &Globals) -> Self {
        let module = gpu.shader("terrain", &[FRAME, include_str!("shaders/terrain.wgsl")]);
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("terrain"),
            bind_group_layouts: &[Some(&globals.layout)],
            immediate_size: 0,
        });
        let buffers = [
            Some(wgpu::VertexBufferLayout {
                array_stride: size_of::<[i32; 4]>() as u64,
                step_mode: wgpu::VertexStepMode::Vertex,
                attributes: &wgpu::vertex_attr_array![0 => Sint32x2, 1 => Sint32x2],
            }),
            Some(wgpu::VertexBufferLayout {
                array_stride: size_of::<Patch>() as u64,
                step_mode: wgpu::VertexStepMode::Instance,
                attributes: &wgpu::vertex_attr_array![2 => Uint32x4],
            }),
        ];
        let pipeline = |label, vertex, fragment: Option<wgpu::FragmentState>, depth| {
            gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some(label),
                layout: Some(&layout),
                vertex: wgpu::VertexState {
                    module: &module,
                    entry_point: Some(vertex),
                    compilation_options: Default::default(),
                    buffers: &buffers,
                },
                primitive: Default::default(),
                depth_stencil: Some(depth),
                multisample: Default::default(),
                fragment,
                multiview_mask: None,
                cache: None,
            })
        };
        let fragment = wgpu::FragmentState {
            module: &module,
            entry_point: Some("fragment"),
            compilation_options: Default::default(),
            targets: &[Some(SEEN.into())],
        };
        let greater = depth_state(true, wgpu::CompareFunction::GreaterEqual);
        // Slopes seen at a grazing angle would shade themselves: move them away from the sun.
        let bias = wgpu::DepthBiasState { constant: -2, slope_scale: -2.0, clamp: 0.0 };
        let cast = wgpu::DepthStencilState { bias, format: DEPTH, ..greater.clone() };
        let (corners, triangles) = patch_mesh();
        let corners: Vec<[i32; 4]> = corners.iter().map(|corner| corner.map(i32::from)).collect();
        let buffer = |label, contents: &[u8], usage| {
            gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some(label),
                contents,
                usage,
            })
        };
        Self {
            pipeline: pipeline("terrain", "vertex", Some(fragment), greater),
            shadow: pipeline("terrain's shadow", "shadow_vertex", None, cast),
            corners: buffer("corners", bytemuck::cast_slice(&corners), wgpu::BufferUsages::VERTEX),
            triangles: buffer("triangles", bytemuck::cast_slice(&triangles), wgpu::BufferUsages::INDEX),
            triangle_corners: triangles.len() as u32,
            patches: patch_buffer(gpu, 256),
            chosen: Vec::new(),
        }
    }

    /// Chooses what is drawn next.
    pub(super) fn choose(
        &mut self,
        gpu: &Gpu,
        world: &World,
        fineness: &Fineness,
        clip_from_world: &Mat4,
        exaggeration: f32,
    ) {
        world.tree.choose(
            fineness,
            clip_from_world,
            exaggeration,
            world.extent.base(exaggeration),
            &mut self.chosen,
        );
        let bytes: &[u8] = bytemuck::cast_slice(&self.chosen);
        if bytes.len() as u64 > self.patches.size() {
            self.patches = patch_buffer(gpu, self.chosen.len().next_power_of_two());
        }
        gpu.queue.write_buffer(&self.patches, 0, bytes);
    }

    /// Triangles of the surface that were chosen.
    pub(super) fn triangles(&self) -> usize {
        self.chosen.len() * SIDE * SIDE * 2
    }

    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass) {
        pass.set_pipeline(&self.pipeline);
        self.draw_patches(pass);
    }

    /// Draws the ground as the sun sees it.
    pub(super) fn cast(&self, pass: &mut wgpu::RenderPass) {
        pass.set_pipeline(&self.shadow);
        self.draw_patches(pass);
    }

    fn draw_patches(&self, pass: &mut wgpu::RenderPass) {
        pass.set_vertex_buffer(0, self.corners.slice(..));
        pass.set_vertex_buffer(1, self.patches.slice(..));
        pass.set_index_buffer(self.triangles.slice(..), wgpu::IndexFormat::Uint16);
        pass.draw_indexed(0..self.triangle_corners, 0, 0..self.chosen.len() as u32);
    }
}

fn patch_buffer(gpu: &Gpu, count: usize) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("patches"),
        size: (count * size_of::<Patch>()) as u64,
        usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}
