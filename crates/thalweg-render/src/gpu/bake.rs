//! Passes over the cells of the terrain: what the drawing needs of the fields, worked out on the device.

use bytemuck::{Pod, Zeroable};
use thalweg_gpu::Gpu;
use wgpu::TextureFormat;
use wgpu::util::DeviceExt;

use super::MUD;
use super::texture::{Texture, levels_of};

/// See `shaders/bake.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(super) struct BakeData {
    pub grid: [f32; 4],
    pub full: [f32; 4],
}

/// The maps that are baked, by the names of their shaders in `shaders/bake.wgsl`, and how they are kept.
const MAPS: [(&str, TextureFormat); 6] = [
    ("slopes", TextureFormat::Rg16Float),
    ("levels", TextureFormat::Rgba16Float),
    ("covers", TextureFormat::Rgba16Float),
    ("matter", TextureFormat::Rgba8Unorm),
    ("flow", TextureFormat::Rg16Float),
    ("openness", TextureFormat::R8Unorm),
];

/// Formats that have coarser levels.
const HALVED: [TextureFormat; 3] =
    [TextureFormat::Rg16Float, TextureFormat::Rgba16Float, TextureFormat::Rgba8Unorm];

/// Inputs of a map.
const INPUTS: usize = 5;

pub(super) struct Bakery {
    layout: wgpu::BindGroupLayout,
    maps: Vec<(&'static str, wgpu::RenderPipeline)>,
    halved: Vec<(TextureFormat, wgpu::RenderPipeline)>,
    nothing: Texture,
}

impl Bakery {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let module = gpu.shader("bake", &[MUD, include_str!("shaders/bake.wgsl")]);
        let texture = |i: usize| wgpu::BindGroupLayoutEntry {
            binding: i as u32 + 1,
            visibility: wgpu::ShaderStages::FRAGMENT,
            ty: wgpu::BindingType::Texture {
                sample_type: wgpu::TextureSampleType::Float { filterable: false },
                view_dimension: wgpu::TextureViewDimension::D2,
                multisampled: false,
            },
            count: None,
        };
        let numbers = wgpu::BindGroupLayoutEntry {
            binding: 0,
            visibility: wgpu::ShaderStages::FRAGMENT,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Uniform,
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let entries: Vec<_> = std::iter::once(numbers).chain((0..INPUTS).map(texture)).collect();
        let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("bake"),
            entries: &entries,
        });
        let pipeline = |name: &str, format| {
            super::fullscreen_pipeline(gpu, name, &module, &[&layout], name, format, None)
        };
        Self {
            maps: MAPS.iter().map(|(name, format)| (*name, pipeline(name, *format))).collect(),
            halved: HALVED.iter().map(|format| (*format, pipeline("halved", *format))).collect(),
            layout,
            nothing: Texture::of_value(gpu, "nothing", 0.0),
        }
    }

    /// Bakes a map into a new texture, with all its coarser levels if asked for.
    pub(super) fn bake(
        &self,
        gpu: &Gpu,
        map: &'static str,
        size: [u32; 2],
        data: &BakeData,
        inputs: &[Option<&Texture>],
        coarser: bool,
    ) -> Texture {
        let (_, format) = MAPS.iter().find(|(name, _)| *name == map).expect("a map of this name");
        let (_, pipeline) = self.maps.iter().find(|(name, _)| *name == map).expect("a map of this name");
        let levels = if coarser { levels_of(size) } else { 1 };
        let baked = Texture::new(gpu, map, size, *format, levels);
        let views: Vec<_> = inputs.iter().map(|input| input.map(|input| &input.view)).collect();
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        self.run(gpu, &mut encoder, pipeline, data, &views, &baked.level(0));
        self.halve(gpu, &mut encoder, &baked, data);
        gpu.queue.submit([encoder.finish()]);
        baked
    }

    /// Fills all coarser levels of a texture from its first one.
    fn halve(&self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, texture: &Texture, data: &BakeData) {
        let format = texture.texture.format();
        for level in 1..texture.texture.mip_level_count() {
            let (_, pipeline) =
                self.halved.iter().find(|(halved, _)| *halved == format).expect("a format with levels");
            let finer = texture.level(level - 1);
            self.run(gpu, encoder, pipeline, data, &[Some(&finer)], &texture.level(level));
        }
    }

    /// Makes the coarser levels of a texture that was written from outside.
    pub(super) fn with_levels(&self, gpu: &Gpu, texture: &Texture) {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        self.halve(gpu, &mut encoder, texture, &BakeData::zeroed());
        gpu.queue.submit([encoder.finish()]);
    }

    fn run(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        pipeline: &wgpu::RenderPipeline,
        data: &BakeData,
        inputs: &[Option<&wgpu::TextureView>],
        target: &wgpu::TextureView,
    ) {
        let numbers = gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("bake"),
            contents: bytemuck::bytes_of(data),
            usage: wgpu::BufferUsages::UNIFORM,
        });
        let texture = |i: usize| wgpu::BindGroupEntry {
            binding: i as u32 + 1,
            resource: wgpu::BindingResource::TextureView(
                inputs.get(i).copied().flatten().unwrap_or(&self.nothing.view),
            ),
        };
        let numbers = wgpu::BindGroupEntry { binding: 0, resource: numbers.as_entire_binding() };
        let entries: Vec<_> = std::iter::once(numbers).chain((0..INPUTS).map(texture)).collect();
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("bake"),
            layout: &self.layout,
            entries: &entries,
        });
        let mut pass = super::begin(encoder, "bake", &[target], None);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
    }
}
