//! What stands or flows in space: particles and meshes, solid or water.
//!
//! Opaque things are drawn into a small picture of paint and normals first and lit afterwards, once for
//! each sample: millions of particles hide each other, and light is the costly part. Water comes last: all
//! its surfaces, of meshes and of particles, are gathered before they are lit by one shader.

use thalweg_field::Matter;
use thalweg_gpu::Gpu;
use wgpu::{LoadOp, TextureFormat, TextureSampleType};

use super::fluid::Fluid;
use super::globals::{Globals, texture_entry};
use super::ground_mesh::EarthPipelines;
use super::mesh::Meshes;
use super::needs::covered;
use super::particles::Particles;
use super::texture::{EXACT, SMOOTH, Texture};
use super::world::World;
use super::{DEPTH, FRAME, GROUND, LIGHT, MUD, ROCK, Targets, WATER, depth_state, fullscreen_pipeline};
use crate::{Look, ParticleShape};

/// Of opaque things, paint and folded normal; of surfaces of water, normal and foam, depth and mud.
pub(super) const BODIES: TextureFormat = TextureFormat::Rg32Uint;
/// Water along a ray, the sediment in it, the foam in it and the spray `[m]`.
pub(super) const THICKNESS: TextureFormat = TextureFormat::Rgba16Float;

/// How the textures of the groups are read.
const BODIES_KINDS: [TextureSampleType; 2] = [TextureSampleType::Uint, EXACT];
const SURFACE_KINDS: [TextureSampleType; 3] = [SMOOTH, EXACT, TextureSampleType::Uint];
const BEHIND_KINDS: [TextureSampleType; 2] = [SMOOTH, SMOOTH];
const MIST_KINDS: [TextureSampleType; 2] = [SMOOTH, EXACT];
const DEPTH_KINDS: [TextureSampleType; 1] = [EXACT];

/// WGSL that everything in space shares.
pub(super) const SPACE: &str = include_str!("shaders/space.wgsl");

pub(super) struct Space {
    particles: Particles,
    meshes: Meshes,
    earth: EarthPipelines,
    fluid: Fluid,
    bodies_layout: wgpu::BindGroupLayout,
    bodies_light: wgpu::RenderPipeline,
    behind_layout: wgpu::BindGroupLayout,
    behind: wgpu::RenderPipeline,
    surface_layout: wgpu::BindGroupLayout,
    surface_light: wgpu::RenderPipeline,
    mist_layout: wgpu::BindGroupLayout,
    mist: wgpu::RenderPipeline,
    depth_layout: wgpu::BindGroupLayout,
    /// Copies depths.
    copied: wgpu::RenderPipeline,
    nothing: Texture,
    bodies: Option<Bodies>,
    waters: Option<Waters>,
}

/// Opaque things in the picture.
struct Bodies {
    /// The depths that they were made for.
    depth: wgpu::Texture,
    paint: Texture,
    group: wgpu::BindGroup,
}

/// Surfaces of water in the picture.
pub(super) struct Waters {
    /// The depths that they were made for, and samples along each side of a pixel if there are particles.
    made_for: (wgpu::Texture, Option<u32>),
    /// Light, and in alpha the water in front of it.
    pub behind: Texture,
    depth: Texture,
    pub surfaces: Texture,
    pub flow: Option<super::fluid::Flow>,
    behind_group: wgpu::BindGroup,
    depth_group: wgpu::BindGroup,
    mist_group: wgpu::BindGroup,
    group: wgpu::BindGroup,
}

/// What of a world is drawn how.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Parts {
    solids: bool,
    spheres: bool,
    water: bool,
    fluid: bool,
}

impl Parts {
    fn of(world: &World, look: &Look) -> Self {
        let made_of = |water: bool| world.bodies.iter().any(|body| (body.matter == Matter::Water) == water);
        let shaped = |shape| world.cloud.is_some() && look.particles.shape == shape;
        Self {
            solids: made_of(false),
            spheres: shaped(ParticleShape::Spheres),
            water: look.water.visible && made_of(true),
            fluid: shaped(ParticleShape::Surface),
        }
    }
}

impl Space {
    pub(super) fn new(gpu: &Gpu, globals: &Globals) -> Self {
        let layout = |label, kinds: &[TextureSampleType]| {
            let entries: Vec<_> = kinds.iter().zip(0..).map(|(kind, i)| texture_entry(i, *kind)).collect();
            let descriptor = wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries };
            gpu.device.create_bind_group_layout(&descriptor)
        };
        let bodies_layout = layout("bodies", &BODIES_KINDS);
        let surface_layout = layout("surface", &SURFACE_KINDS);
        let behind_layout = layout("behind", &BEHIND_KINDS);
        let mist_layout = layout("mist", &MIST_KINDS);
        let depth_layout = layout("depth", &DEPTH_KINDS);
        let lit = |label, parts: &[&str], layout: &wgpu::BindGroupLayout| {
            let module = gpu.shader(label, parts);
            fullscreen_pipeline(gpu, label, &module, &[&globals.layout, layout], "fragment", LIGHT, None)
        };
        let copied = Pipeline {
            label: "depth",
            module: &gpu.shader("depth", &[include_str!("shaders/depth.wgsl")]),
            layouts: &[&globals.layout, &depth_layout],
            buffers: &[],
            vertex: "vertex",
            fragment: Some("fragment"),
            targets: &[],
            depth: Some(depth_state(true, wgpu::CompareFunction::Always)),
        };
        let mist = include_str!("shaders/mist.wgsl");
        let mist = Pipeline {
            label: "mist",
            module: &gpu.shader("mist", &[FRAME, GROUND, MUD, WATER, SPACE, mist]),
            layouts: &[&globals.layout, &mist_layout],
            buffers: &[],
            vertex: "vertex",
            fragment: Some("fragment"),
            targets: &[Some(covered(LIGHT))],
            depth: None,
        };
        let bodies = include_str!("shaders/bodies.wgsl");
        let surface = include_str!("shaders/surface.wgsl");
        Self {
            particles: Particles::new(gpu, globals, &depth_layout),
            meshes: Meshes::new(gpu, globals, &depth_layout),
            earth: EarthPipelines::new(gpu, globals),
            fluid: Fluid::new(gpu, globals),
            bodies_light: lit("bodies", &[FRAME, GROUND, ROCK, SPACE, bodies], &bodies_layout),
            bodies_layout,
            behind: lit("behind", &[FRAME, include_str!("shaders/behind.wgsl")], &behind_layout),
            behind_layout,
            surface_light: lit("surface", &[FRAME, GROUND, MUD, WATER, SPACE, surface], &surface_layout),
            surface_layout,
            mist: mist.make(gpu),
            mist_layout,
            copied: copied.make(gpu),
            depth_layout,
            nothing: Texture::new(gpu, "nothing", [1, 1], THICKNESS, 1),
            bodies: None,
            waters: None,
        }
    }

    /// Draws what the sun sees. Water lets it through.
    pub(super) fn cast(&self, gpu: &Gpu, pass: &mut wgpu::RenderPass, world: &World, look: &Look) {
        self.meshes.cast(pass, world);
        if let Some(earth) = &world.earth {
            self.earth.cast(pass, earth);
        }
        if let Some(cloud) = world.cloud.as_ref().filter(|_| Parts::of(world, look).spheres) {
            self.particles.cast(gpu, pass, cloud);
        }
    }

    /// Draws opaque things over what is seen of the ground.
    pub(super) fn draw_bodies(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame: &wgpu::BindGroup,
        (world, look): (&World, &Look),
        targets: &Targets,
    ) {
        let parts = Parts::of(world, look);
        if !(parts.solids || parts.spheres || world.earth.is_some()) {
            self.bodies = None;
            return;
        }
        let bodies = self.bodies.take().filter(|bodies| bodies.depth == targets.depth.texture);
        let bodies = bodies.unwrap_or_else(|| self.make_bodies(gpu, targets));
        {
            let clear = LoadOp::Clear(wgpu::Color::TRANSPARENT);
            let colours = [(&targets.seen.view, LoadOp::Load), (&bodies.paint.view, clear)];
            let depth = (&targets.depth.view, LoadOp::Load);
            let mut pass = begin(encoder, "bodies", &colours, Some(depth));
            pass.set_bind_group(0, frame, &[]);
            self.meshes.draw_solids(&mut pass, world);
            if let Some(earth) = &world.earth {
                self.earth.draw(&mut pass, earth);
            }
            if let Some(cloud) = world.cloud.as_ref().filter(|_| parts.spheres) {
                self.particles.draw(gpu, &mut pass, cloud);
            }
        }
        self.bodies = Some(bodies);
    }

    /// The pipelines of meshes.
    pub(super) fn meshes(&self) -> &Meshes {
        &self.meshes
    }

    /// Lights the opaque things.
    pub(super) fn light_bodies(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        frame: &wgpu::BindGroup,
        targets: &Targets,
    ) {
        if let Some(bodies) = &self.bodies {
            let light = [(&targets.light.view, LoadOp::Load)];
            let mut pass = begin(encoder, "bodies' light", &light, None);
            fullscreen(&mut pass, &self.bodies_light, frame, &bodies.group);
        }
    }

    /// Draws the water of meshes and particles in front of everything else.
    pub(super) fn finish(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame: &wgpu::BindGroup,
        (world, look): (&World, &Look),
        targets: &Targets,
    ) {
        let light = [(&targets.light.view, LoadOp::Load)];
        let parts = Parts::of(world, look);
        if !(parts.water || parts.fluid) {
            self.waters = None;
            return;
        }
        let samples = parts.fluid.then_some(look.supersampling);
        let made_for = (targets.depth.texture.clone(), samples);
        let waters = self.waters.take().filter(|waters| waters.made_for == made_for);
        let waters = waters.unwrap_or_else(|| self.make_waters(gpu, targets, samples));
        {
            let depth = (&waters.depth.view, LoadOp::Clear(0.0));
            let mut pass = begin(encoder, "depth behind water", &[], Some(depth));
            fullscreen(&mut pass, &self.copied, frame, &waters.depth_group);
        }
        let nothing = LoadOp::Clear(wgpu::Color::TRANSPARENT);
        if let (Some(flow), Some(cloud)) = (&waters.flow, &world.cloud) {
            self.particles.draw_distances(gpu, encoder, frame, cloud, flow);
            self.particles.draw_thickness(gpu, encoder, frame, cloud, flow, &waters.depth_group);
            self.fluid.smooth(encoder, frame, flow);
        }
        {
            let colours = [(&waters.surfaces.view, nothing)];
            let depth = (&waters.depth.view, LoadOp::Load);
            let mut pass = begin(encoder, "water's surface", &colours, Some(depth));
            pass.set_bind_group(0, frame, &[]);
            if parts.water {
                self.meshes.draw_waters(&mut pass, world);
            }
            if let Some(flow) = &waters.flow {
                self.fluid.draw_surface(&mut pass, frame, flow);
            }
        }
        {
            let mut pass = begin(encoder, "behind water", &[(&waters.behind.view, nothing)], None);
            fullscreen(&mut pass, &self.behind, frame, &waters.behind_group);
            if parts.water {
                pass.set_bind_group(1, &waters.depth_group, &[]);
                self.meshes.draw_thickness(&mut pass, world);
            }
        }
        {
            let mut pass = begin(encoder, "water's light", &light, None);
            fullscreen(&mut pass, &self.surface_light, frame, &waters.group);
            if parts.fluid {
                fullscreen(&mut pass, &self.mist, frame, &waters.mist_group);
            }
        }
        self.waters = Some(waters);
    }

    fn make_bodies(&self, gpu: &Gpu, targets: &Targets) -> Bodies {
        let paint = Texture::new(gpu, "bodies", targets.depth.size(), BODIES, 1);
        let entries = bound(&[&paint, &targets.depth], &BODIES_KINDS);
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("bodies"),
            layout: &self.bodies_layout,
            entries: &entries,
        });
        Bodies { depth: targets.depth.texture.clone(), paint, group }
    }

    fn make_waters(&self, gpu: &Gpu, targets: &Targets, samples: Option<u32>) -> Waters {
        let size = targets.depth.size();
        let texture = |label, format| Texture::new(gpu, label, size, format, 1);
        let behind = texture("behind", LIGHT);
        let depth = texture("water's depth", DEPTH);
        let surfaces = texture("water's surfaces", BODIES);
        let flow = samples.map(|samples| self.fluid.make_flow(gpu, size.map(|n| n / samples)));
        let thickness = flow.as_ref().map_or(&self.nothing, |flow| &flow.thickness);
        let group = |layout, textures: &[&Texture], kinds: &[_]| {
            let entries = bound(textures, kinds);
            let descriptor = wgpu::BindGroupDescriptor { label: Some("water"), layout, entries: &entries };
            gpu.device.create_bind_group(&descriptor)
        };
        let behind_group = group(&self.behind_layout, &[&targets.light, thickness], &BEHIND_KINDS);
        let mist_group = group(&self.mist_layout, &[thickness, &depth], &MIST_KINDS);
        let depth_group = group(&self.depth_layout, &[&targets.depth], &DEPTH_KINDS);
        let textures = [&behind, &targets.depth, &surfaces];
        let group = group(&self.surface_layout, &textures, &SURFACE_KINDS);
        let made_for = (targets.depth.texture.clone(), samples);
        Waters { made_for, behind, depth, surfaces, flow, behind_group, depth_group, mist_group, group }
    }

    /// The surfaces of water in the last picture.
    #[cfg(test)]
    pub(super) fn waters(&self) -> Option<&Waters> {
        self.waters.as_ref()
    }
}

/// Binds textures one after the other.
fn bound<'a>(textures: &[&'a Texture], kinds: &[TextureSampleType]) -> Vec<wgpu::BindGroupEntry<'a>> {
    textures.iter().zip(kinds).zip(0..).map(|((texture, kind), i)| texture.bound(i, *kind)).collect()
}

/// Runs a fragment shader on every pixel.
pub(super) fn fullscreen(
    pass: &mut wgpu::RenderPass,
    pipeline: &wgpu::RenderPipeline,
    frame: &wgpu::BindGroup,
    group: &wgpu::BindGroup,
) {
    pass.set_pipeline(pipeline);
    pass.set_bind_group(0, frame, &[]);
    pass.set_bind_group(1, group, &[]);
    pass.draw(0..3, 0..1);
}

/// A render pass that begins with what is told for each thing it draws into.
pub(super) fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    label: &str,
    targets: &[(&wgpu::TextureView, LoadOp<wgpu::Color>)],
    depth: Option<(&wgpu::TextureView, LoadOp<f32>)>,
) -> wgpu::RenderPass<'a> {
    let store = wgpu::StoreOp::Store;
    let colours: Vec<_> = targets
        .iter()
        .map(|(view, load)| {
            Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: *load, store },
            })
        })
        .collect();
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(label),
        color_attachments: &colours,
        depth_stencil_attachment: depth.map(|(view, load)| wgpu::RenderPassDepthStencilAttachment {
            view,
            depth_ops: Some(wgpu::Operations { load, store }),
            stencil_ops: None,
        }),
        ..Default::default()
    })
}

/// A pipeline by its entry points.
pub(super) struct Pipeline<'a> {
    pub label: &'a str,
    pub module: &'a wgpu::ShaderModule,
    pub layouts: &'a [&'a wgpu::BindGroupLayout],
    pub buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    pub vertex: &'a str,
    pub fragment: Option<&'a str>,
    pub targets: &'a [Option<wgpu::ColorTargetState>],
    pub depth: Option<wgpu::DepthStencilState>,
}

impl Pipeline<'_> {
    pub(super) fn make(self, gpu: &Gpu) -> wgpu::RenderPipeline {
        let layouts: Vec<_> = self.layouts.iter().map(|layout| Some(*layout)).collect();
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(self.label),
            bind_group_layouts: &layouts,
            immediate_size: 0,
        });
        gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(self.label),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: self.module,
                entry_point: Some(self.vertex),
                compilation_options: Default::default(),
                buffers: self.buffers,
            },
            primitive: Default::default(),
            depth_stencil: self.depth,
            multisample: Default::default(),
            fragment: self.fragment.map(|fragment| wgpu::FragmentState {
                module: self.module,
                entry_point: Some(fragment),
                compilation_options: Default::default(),
                targets: self.targets,
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}
