//! Particles as the surface of a fluid, smoothed in the picture (van der Laan, Green & Sainz 2009).

use thalweg_gpu::Gpu;
use wgpu::{LoadOp, TextureFormat, TextureSampleType};

use super::globals::{Globals, texture_entry};
use super::space::{self, BODIES, SPACE, THICKNESS};
use super::texture::Texture;
use super::{DEPTH, FRAME, depth_state, fullscreen_pipeline};

/// Distances along the middle ray [m]; 0 where there is nothing.
pub(super) const DISTANCES: TextureFormat = TextureFormat::R32Float;

/// Rounds of smoothing, each across and down: two leave no trace of single particles.
const ROUNDS: usize = 2;

pub(super) struct Fluid {
    layout: wgpu::BindGroupLayout,
    across: wgpu::RenderPipeline,
    down: wgpu::RenderPipeline,
    surface: wgpu::RenderPipeline,
}

/// The fluid in the picture.
pub(super) struct Flow {
    /// Smoothing goes back and forth between them; it begins and ends with the first.
    distances: [Texture; 2],
    groups: [wgpu::BindGroup; 2],
    pub depth: Texture,
    /// Half as many pixels along each side: it changes slowly, and it is where most particles add up.
    pub thickness: Texture,
}

impl Flow {
    /// Where the nearest spheres are drawn.
    pub(super) fn spheres(&self) -> &Texture {
        &self.distances[0]
    }
}

impl Fluid {
    pub(super) fn new(gpu: &Gpu, globals: &Globals) -> Self {
        let module = gpu.shader("fluid", &[FRAME, SPACE, include_str!("shaders/fluid.wgsl")]);
        let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("fluid"),
            entries: &[texture_entry(0, TextureSampleType::Float { filterable: false })],
        });
        let pipeline = |fragment, format, depth| {
            let layouts = [&globals.layout, &layout];
            fullscreen_pipeline(gpu, fragment, &module, &layouts, fragment, format, depth)
        };
        let nearer = depth_state(true, wgpu::CompareFunction::Greater);
        Self {
            across: pipeline("across_fragment", DISTANCES, None),
            down: pipeline("down_fragment", DISTANCES, None),
            surface: pipeline("surface_fragment", BODIES, Some(nearer)),
            layout,
        }
    }

    pub(super) fn make_flow(&self, gpu: &Gpu, size: [u32; 2]) -> Flow {
        let distances = [(); 2].map(|()| Texture::new(gpu, "distances", size, DISTANCES, 1));
        let groups = [0, 1].map(|i: usize| {
            gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("fluid"),
                layout: &self.layout,
                entries: &[distances[i].bound(0)],
            })
        });
        Flow {
            distances,
            groups,
            depth: Texture::new(gpu, "spheres' depth", size, DEPTH, 1),
            thickness: Texture::new(gpu, "thickness", size.map(|n| n.div_ceil(2)), THICKNESS, 1),
        }
    }

    /// Smooths the distances.
    pub(super) fn smooth(&self, encoder: &mut wgpu::CommandEncoder, frame: &wgpu::BindGroup, flow: &Flow) {
        let steps = [(&self.across, 0, 1), (&self.down, 1, 0)];
        for (pipeline, from, to) in steps.iter().cycle().take(ROUNDS * steps.len()) {
            let colours = [(&flow.distances[*to].view, LoadOp::Clear(wgpu::Color::TRANSPARENT))];
            let mut pass = space::begin(encoder, "smoothing", &colours, None);
            space::fullscreen(&mut pass, pipeline, frame, &flow.groups[*from]);
        }
    }

    /// Draws the normals of the smoothed surface where it is nearer than all else.
    pub(super) fn draw_surface(&self, pass: &mut wgpu::RenderPass, frame: &wgpu::BindGroup, flow: &Flow) {
        space::fullscreen(pass, &self.surface, frame, &flow.groups[0]);
    }
}
