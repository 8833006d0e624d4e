//! Drawing with the graphics device.
//!
//! [`Renderer::load`] brings a [`Snapshot`] onto the device as a [`World`]; [`Renderer::draw`] draws it
//! into a view, [`Renderer::picture`] into a [`Picture`]. All pipelines are made once, with the renderer.
//!
//! ```no_run
//! # fn f(snapshot: &thalweg_field::Snapshot) -> Result<(), thalweg_gpu::GpuError> {
//! use thalweg_render::{Camera, Look, gpu::Renderer};
//!
//! let mut renderer = Renderer::open()?;
//! let look = Look::default();
//! let mut world = renderer.load(snapshot, &look)?;
//! let picture = renderer.picture(&mut world, &look, &Camera::default(), [1280, 720])?;
//! # Ok(()) }
//! ```

mod bake;
mod caustics;
mod contents;
mod fluid;
mod foam_tile;
mod frame;
mod globals;
mod ground_mesh;
mod lod;
mod mesh;
mod needs;
mod particles;
mod ripples;
mod sea;
mod sea_maps;
mod shadow;
mod space;
#[cfg(test)]
mod space_tests;
mod terrain;
mod texture;
mod world;

pub use needs::needs;
pub use world::World;

#[cfg(not(target_arch = "wasm32"))]
use half::f16;
use thalweg_field::{Snapshot, Strata};
#[cfg(not(target_arch = "wasm32"))]
use thalweg_gpu::{Breadth, Choice};
use thalweg_gpu::{Gpu, GpuError};
use wgpu::TextureFormat;

use crate::sky::Sky;
#[cfg(not(target_arch = "wasm32"))]
use crate::{Camera, Picture};
use crate::{ColourMap, Look, View};
use bake::Bakery;
use caustics::Caustics;
use frame::FrameData;
use globals::Globals;
use sea::SeaPipelines;
use shadow::Shadow;
use space::Space;
use terrain::Terrain;
use texture::{EXACT, Texture};

/// Light before it becomes a picture.
const LIGHT: TextureFormat = TextureFormat::Rgba16Float;
/// What is seen of the ground, and lines over it.
const SEEN: TextureFormat = TextureFormat::Rg8Unorm;
const DEPTH: TextureFormat = TextureFormat::Depth32Float;

/// Draws worlds. Holds the pipelines and what does not depend on the world.
pub struct Renderer {
    gpu: Gpu,
    bakery: Bakery,
    globals: Globals,
    terrain: Terrain,
    caustics: Caustics,
    space: Space,
    sea: SeaPipelines,
    light: wgpu::RenderPipeline,
    seen_layout: wgpu::BindGroupLayout,
    finish: Finish,
    targets: Option<Targets>,
    /// The colours on the device.
    colours: Option<([ColourMap; 2], Option<Strata>)>,
    sky: Option<(u32, Sky)>,
}

impl std::fmt::Debug for Renderer {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Renderer").finish_non_exhaustive()
    }
}

/// What is drawn into before it becomes a picture.
struct Targets {
    /// What of the ground is seen where.
    seen: Texture,
    depth: Texture,
    light: Texture,
    /// The first two, to be read.
    group: wgpu::BindGroup,
}

impl Renderer {
    /// A renderer on the best graphics device here that can do what it needs.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open() -> Result<Self, GpuError> {
        Self::choose(Breadth::First).made
    }

    /// As `open`, with what was found out about the adapters.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn choose(breadth: Breadth) -> Choice<Self> {
        thalweg_gpu::choose(&needs(), breadth, Self::new)
    }

    /// Makes all pipelines. The device must have what [`needs`] says.
    pub fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        gpu.guarded(|| Ok(Self::with_pipelines(gpu)))
    }

    fn with_pipelines(gpu: &Gpu) -> Self {
        let bakery = Bakery::new(gpu);
        let globals = Globals::new(gpu, &bakery);
        let terrain = Terrain::new(gpu, &globals);
        let parts = [
            FRAME,
            GROUND,
            MUD,
            WATER,
            include_str!("shaders/lake.wgsl"),
            include_str!("shaders/light.wgsl"),
        ];
        let module = gpu.shader("light", &parts);
        let seen_layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("seen"),
            entries: &[globals::texture_entry(0, EXACT), globals::texture_entry(1, EXACT)],
        });
        let layouts = [&globals.layout, &seen_layout];
        let light = fullscreen_pipeline(gpu, "light", &module, &layouts, "fragment", LIGHT, None);
        Self {
            finish: Finish::new(gpu),
            gpu: gpu.clone(),
            caustics: Caustics::new(gpu, &globals),
            space: Space::new(gpu, &globals),
            sea: SeaPipelines::new(gpu, &globals, &bakery),
            bakery,
            globals,
            terrain,
            light,
            seen_layout,
            targets: None,
            colours: None,
            sky: None,
        }
    }

    /// The device that it draws with.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Brings a snapshot onto the device. The look decides what of it: the overlay's field, and from
    /// which depth on water is drawn.
    pub fn load(&mut self, snapshot: &Snapshot, look: &Look) -> Result<World, GpuError> {
        self.gpu.guarded(|| World::new(&self.gpu, &self.bakery, snapshot, look))
    }

    /// Draws a picture.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn picture(
        &mut self,
        world: &mut World,
        look: &Look,
        camera: &Camera,
        size: [usize; 2],
    ) -> Result<Picture, GpuError> {
        let [width, height] = size;
        let view = world.view(camera, look, width as f32 / height as f32);
        let pixels = size.map(|n| n as u32);
        self.gpu.admit_texture("a picture", size.map(|n| n * look.supersampling as usize))?;
        let gpu = self.gpu.clone();
        let bytes = gpu.guarded(|| {
            let target = Texture::new(&gpu, "picture", pixels, TextureFormat::Rgba8Unorm, 1);
            self.draw(world, look, &view, &target.view, TextureFormat::Rgba8Unorm, pixels);
            gpu.texture_bytes(&target.texture)
        })?;
        let rgb = bytes.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
        Ok(Picture { width, height, rgb })
    }

    /// The light of a picture before it is toned: red, green and blue of every sample, row after row. A
    /// white level surface in the open has about 1.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn light(
        &mut self,
        world: &mut World,
        look: &Look,
        view: &View,
        size: [usize; 2],
    ) -> Result<Vec<[f32; 3]>, GpuError> {
        let size = size.map(|n| n * look.supersampling as usize);
        self.gpu.admit_texture("a picture", size)?;
        let gpu = self.gpu.clone();
        let bytes = gpu.guarded(|| {
            self.draw_light(world, look, view, size.map(|n| n as u32));
            let light = &self.targets.as_ref().expect("made by drawing").light;
            gpu.texture_bytes(&light.texture)
        })?;
        let samples: &[[f16; 4]] = bytemuck::cast_slice(&bytes);
        Ok(samples.iter().map(|sample| [sample[0], sample[1], sample[2]].map(f16::to_f32)).collect())
    }

    /// Triangles of the ground in the last picture.
    pub fn triangles_drawn(&self) -> usize {
        self.terrain.triangles()
    }

    /// Draws into a view of that format and size `[px]`. What goes wrong on the device is told by
    /// [`Gpu::guarded`], around this or later.
    pub fn draw(
        &mut self,
        world: &mut World,
        look: &Look,
        view: &View,
        target: &wgpu::TextureView,
        format: TextureFormat,
        size: [u32; 2],
    ) {
        let samples = look.supersampling;
        let inner = size.map(|n| n * samples);
        self.draw_light(world, look, view, inner);
        let targets = self.targets.as_ref().expect("made above");
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        self.finish.run(&self.gpu, &mut encoder, &targets.light, target, format, samples);
        self.gpu.queue.submit([encoder.finish()]);
    }

    /// Draws the light of a picture, before it is toned.
    fn draw_light(&mut self, world: &mut World, look: &Look, view: &View, size: [u32; 2]) {
        self.make_targets(size);
        self.make_sky(look);
        let exaggeration = look.relief.vertical_exaggeration;
        let [low, high] = world.extent.bounds(exaggeration);
        let shadow = Shadow::new(frame::to_sun(look), low, high);
        let sky = &self.sky.as_ref().expect("made above").1;
        let data = FrameData::new(world, look, view, sky, &shadow, size);
        self.globals.set(&self.gpu, &data);
        self.set_colours(world, look);
        let [[early, few_early], [group, few]] = self.globals.groups(&self.gpu, world, &self.caustics.map);
        let gpu = &self.gpu;
        let mut encoder = gpu.device.create_command_encoder(&Default::default());

        if look.shadows {
            let fineness = shadow.fineness(world.cell);
            self.terrain.choose(gpu, world, &fineness, &shadow.clip_from_world, exaggeration);
            let mut pass = begin(&mut encoder, "shadow", &[], Some(&self.globals.shadow_map.view));
            pass.set_bind_group(0, &early, &[]);
            if world.has_heights() {
                self.terrain.cast(&mut pass);
            }
            self.space.cast(gpu, &mut pass, world, look);
        }
        if frame::focuses(look, world) {
            match &world.sea {
                Some(maps) => self.sea.draw_caustics(gpu, &mut encoder, &few_early, maps, &self.caustics),
                None => self.caustics.draw(&mut encoder, &early),
            }
        }
        gpu.queue.submit([encoder.finish()]);

        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let targets = self.targets.as_ref().expect("made above");
        let fineness = world.fineness(look, view, size[1]);
        self.terrain.choose(gpu, world, &fineness, &view.clip_from_world(), exaggeration);
        {
            let mut pass = begin(&mut encoder, "seen", &[&targets.seen.view], Some(&targets.depth.view));
            pass.set_bind_group(0, &group, &[]);
            if world.has_heights() {
                self.terrain.draw(&mut pass);
            }
        }
        self.space.draw_bodies(gpu, &mut encoder, &group, (world, look), targets);
        {
            let mut pass = begin(&mut encoder, "light", &[&targets.light.view], None);
            pass.set_bind_group(0, &group, &[]);
            pass.set_bind_group(1, &targets.group, &[]);
            pass.set_pipeline(&self.light);
            pass.draw(0..3, 0..1);
        }
        self.space.light_bodies(&mut encoder, &group, targets);
        self.sea.draw(gpu, &mut encoder, [&group, &few], (world, look, view), (targets, self.space.meshes()));
        self.space.finish(gpu, &mut encoder, &group, (world, look), targets);
        gpu.queue.submit([encoder.finish()]);
    }

    fn set_colours(&mut self, world: &World, look: &Look) {
        let overlay = look.overlay.as_ref().map_or(ColourMap::Viridis, |overlay| overlay.style.colours);
        let particles = look.particles.colour.as_ref().map_or(ColourMap::Viridis, |(_, style)| style.colours);
        let strata = world.earth.as_ref().and_then(|earth| earth.strata.clone());
        let wanted = Some(([overlay, particles], strata));
        if self.colours != wanted {
            let strata = wanted.as_ref().and_then(|(_, strata)| strata.as_ref());
            let beds = ground_mesh::bed_colours(strata);
            self.globals.set_colours(&self.gpu, [overlay.table(), particles.table()], beds);
            self.colours = wanted;
        }
    }

    fn make_targets(&mut self, size: [u32; 2]) {
        if self.targets.as_ref().is_none_or(|targets| targets.light.size() != size) {
            let seen = Texture::new(&self.gpu, "seen", size, SEEN, 1);
            let depth = Texture::new(&self.gpu, "depth", size, DEPTH, 1);
            let light = Texture::new(&self.gpu, "light", size, LIGHT, 1);
            let group = self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("seen"),
                layout: &self.seen_layout,
                entries: &[seen.bound(0, EXACT), depth.bound(1, EXACT)],
            });
            self.targets = Some(Targets { seen, depth, light, group });
        }
    }

    fn make_sky(&mut self, look: &Look) {
        let elevation = look.relief.sun_elevation;
        if self.sky.as_ref().is_none_or(|(bits, _)| *bits != elevation.to_bits()) {
            let sky = Sky::new(elevation);
            self.globals.set_sky(&self.gpu, &sky);
            self.sky = Some((elevation.to_bits(), sky));
        }
    }
}

/// Parts of WGSL that several shaders share.
const FRAME: &str = include_str!("shaders/frame.wgsl");
const GROUND: &str = include_str!("shaders/ground.wgsl");
const ROCK: &str = include_str!("shaders/rock.wgsl");
const MUD: &str = include_str!("shaders/mud.wgsl");
const WATER: &str = include_str!("shaders/water.wgsl");

/// From light to a picture.
struct Finish {
    layout: wgpu::BindGroupLayout,
    module: wgpu::ShaderModule,
    numbers: wgpu::Buffer,
    /// One pipeline for each format that was drawn into.
    pipelines: Vec<(TextureFormat, wgpu::RenderPipeline)>,
}

impl Finish {
    fn new(gpu: &Gpu) -> Self {
        let module = gpu.shader("finish", &[include_str!("shaders/finish.wgsl")]);
        let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("finish"),
            entries: &[
                wgpu::BindGroupLayoutEntry {
                    binding: 0,
                    visibility: wgpu::ShaderStages::FRAGMENT,
                    ty: wgpu::BindingType::Texture {
                        sample_type: wgpu::TextureSampleType::Float { filterable: false },
                        view_dimension: wgpu::TextureViewDimension::D2,
                        multisampled: false,
                    },
                    count: None,
                },
                globals::uniform_entry(1),
            ],
        });
        let numbers = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("finish"),
            size: 16,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Self { layout, module, numbers, pipelines: Vec::new() }
    }

    fn run(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        light: &Texture,
        target: &wgpu::TextureView,
        format: TextureFormat,
        samples: u32,
    ) {
        if !self.pipelines.iter().any(|(known, _)| *known == format) {
            let pipeline =
                fullscreen_pipeline(gpu, "finish", &self.module, &[&self.layout], "fragment", format, None);
            self.pipelines.push((format, pipeline));
        }
        let pipeline = &self.pipelines.iter().find(|(known, _)| *known == format).expect("made above").1;
        let encode = u32::from(!format.is_srgb());
        gpu.queue.write_buffer(&self.numbers, 0, bytemuck::cast_slice(&[samples, encode, 0, 0]));
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("finish"),
            layout: &self.layout,
            entries: &[
                light.bound(0, EXACT),
                wgpu::BindGroupEntry { binding: 1, resource: self.numbers.as_entire_binding() },
            ],
        });
        let mut pass = begin(encoder, "finish", &[target], None);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
    }
}

/// A render pass that clears what it draws into: light to black, depth to infinitely far.
fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    label: &str,
    targets: &[&wgpu::TextureView],
    depth: Option<&wgpu::TextureView>,
) -> wgpu::RenderPass<'a> {
    let colours: Vec<_> = targets
        .iter()
        .map(|view| {
            Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
            })
        })
        .collect();
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(label),
        color_attachments: &colours,
        depth_stencil_attachment: depth.map(|view| wgpu::RenderPassDepthStencilAttachment {
            view,
            depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(0.0), store: wgpu::StoreOp::Store }),
            stencil_ops: None,
        }),
        ..Default::default()
    })
}

/// Depth runs from 1 near to 0 far: greater is nearer.
fn depth_state(write: bool, compare: wgpu::CompareFunction) -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format: DEPTH,
        depth_write_enabled: Some(write),
        depth_compare: Some(compare),
        stencil: Default::default(),
        bias: Default::default(),
    }
}

/// A pipeline that runs a fragment shader on every pixel.
fn fullscreen_pipeline(
    gpu: &Gpu,
    label: &str,
    module: &wgpu::ShaderModule,
    layouts: &[&wgpu::BindGroupLayout],
    fragment: &str,
    format: TextureFormat,
    depth: Option<wgpu::DepthStencilState>,
) -> wgpu::RenderPipeline {
    let layouts: Vec<_> = layouts.iter().map(|layout| Some(*layout)).collect();
    let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(label),
        bind_group_layouts: &layouts,
        immediate_size: 0,
    });
    gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(label),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("vertex"),
            compilation_options: Default::default(),
            buffers: &[],
        },
        primitive: Default::default(),
        depth_stencil: depth,
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(fragment),
            compilation_options: Default::default(),
            targets: &[Some(format.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}
