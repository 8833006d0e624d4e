//! Particles as the surface of a fluid, smoothed in the picture (van der Laan, Green & Sainz 2009).

use thalweg_gpu::Gpu;
use wgpu::{LoadOp, TextureFormat, TextureSampleType};

use super::globals::{Globals, texture_entry};
use super::space::{self, BODIES, SPACE, THICKNESS};
use super::texture::{SMOOTH, Texture};
use super::{DEPTH, FRAME, MUD, depth_state, fullscreen_pipeline};

/// The bits of distances along the middle ray `[m]`; 0 where there is nothing.
pub(super) const DISTANCES: TextureFormat = TextureFormat::R32Uint;

/// The rounds of the smoothing, across and down: two wide ones leave no trace of single particles, the last one none of
/// the samples that those left out.
const SMOOTHING: [&str; 6] = [
    "across_fragment",
    "down_fragment",
    "across_fragment",
    "down_fragment",
    "fine_across_fragment",
    "fine_down_fragment",
];

pub(super) struct Fluid {
    layout: wgpu::BindGroupLayout,
    /// Across and down in turn.
    smoothing: Vec<wgpu::RenderPipeline>,
    pieces: wgpu::RenderPipeline,
    pieces_layout: wgpu::BindGroupLayout,
    surface: wgpu::RenderPipeline,
}

/// The fluid in the picture.
pub(super) struct Flow {
    /// Smoothing goes back and forth between them; it begins and ends with the first.
    distances: [Texture; 2],
    groups: [wgpu::BindGroup; 2],
    pieces: Texture,
    pieces_group: wgpu::BindGroup,
    pub depth: Texture,
    /// Half as many texels along each side: it changes slowly, and it is where most particles add up.
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
        let module = gpu.shader("fluid", &[FRAME, MUD, SPACE, include_str!("shaders/fluid.wgsl")]);
        let layout = |kinds: &[TextureSampleType]| {
            let entries: Vec<_> = kinds.iter().zip(0..).map(|(kind, i)| texture_entry(i, *kind)).collect();
            gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("fluid"),
                entries: &entries,
            })
        };
        let pieces_layout = layout(&[TextureSampleType::Uint, SMOOTH]);
        let layout = layout(&[TextureSampleType::Uint]);
        let pipeline = |fragment, format, layout, depth| {
            let layouts = [&globals.layout, layout];
            fullscreen_pipeline(gpu, fragment, &module, &layouts, fragment, format, depth)
        };
        let nearer = depth_state(true, wgpu::CompareFunction::Greater);
        Self {
            smoothing: SMOOTHING.map(|fragment| pipeline(fragment, DISTANCES, &layout, None)).into(),
            pieces: pipeline("piece_fragment", BODIES, &layout, None),
            surface: pipeline("surface_fragment", BODIES, &pieces_layout, Some(nearer)),
            pieces_layout,
            layout,
        }
    }

    /// `size` is that of the picture, not of its samples.
    pub(super) fn make_flow(&self, gpu: &Gpu, size: [u32; 2]) -> Flow {
        let distances = [(); 2].map(|()| Texture::new(gpu, "distances", size, DISTANCES, 1));
        let pieces = Texture::new(gpu, "pieces", size, BODIES, 1);
        let thickness = Texture::new(gpu, "thickness", size.map(|n| n.div_ceil(2)), THICKNESS, 1);
        let group = |layout, entries: &[_]| {
            let descriptor = wgpu::BindGroupDescriptor { label: Some("fluid"), layout, entries };
            gpu.device.create_bind_group(&descriptor)
        };
        let groups =
            [0, 1].map(|i: usize| group(&self.layout, &[distances[i].bound(0, TextureSampleType::Uint)]));
        let entries = [pieces.bound(0, TextureSampleType::Uint), thickness.bound(1, SMOOTH)];
        let pieces_group = group(&self.pieces_layout, &entries);
        Flow {
            distances,
            groups,
            pieces,
            pieces_group,
            depth: Texture::new(gpu, "spheres' depth", size, DEPTH, 1),
            thickness,
        }
    }

    /// Smooths the distances and works out normals.
    pub(super) fn smooth(&self, encoder: &mut wgpu::CommandEncoder, frame: &wgpu::BindGroup, flow: &Flow) {
        for (pipeline, [from, to]) in self.smoothing.iter().zip([[0, 1], [1, 0]].into_iter().cycle()) {
            let colours = [(&flow.distances[to].view, LoadOp::Clear(wgpu::Color::TRANSPARENT))];
            let mut pass = space::begin(encoder, "smoothing", &colours, None);
            space::fullscreen(&mut pass, pipeline, frame, &flow.groups[from]);
        }
        let colours = [(&flow.pieces.view, LoadOp::Clear(wgpu::Color::TRANSPARENT))];
        let mut pass = space::begin(encoder, "pieces", &colours, None);
        space::fullscreen(&mut pass, &self.pieces, frame, &flow.groups[0]);
    }

    /// Draws normals and mud of the smoothed surface where it is nearer than all else.
    pub(super) fn draw_surface(&self, pass: &mut wgpu::RenderPass, frame: &wgpu::BindGroup, flow: &Flow) {
        space::fullscreen(pass, &self.surface, frame, &flow.pieces_group);
    }
}
