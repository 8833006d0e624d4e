//! What all shaders that draw the world share: one group of bindings, see `shaders/frame.wgsl`.

use half::f16;
use thalweg_gpu::Gpu;
use wgpu::{
    BindGroupLayoutEntry, BindingResource, BindingType, SamplerBindingType, ShaderStages, TextureFormat,
    TextureSampleType,
};

use super::bake::Bakery;
use super::frame::FrameData;
use super::texture::{EXACT, SMOOTH, Texture, levels_of};
use super::world::World;
use super::{ripples, shadow};
use crate::sky::{self, Sky};

pub(super) struct Globals {
    pub layout: wgpu::BindGroupLayout,
    /// Those of its textures that the sea needs; it has many of its own, and a shader may read no more than sixteen.
    pub few_layout: wgpu::BindGroupLayout,
    pub shadow_map: Texture,
    frame: wgpu::Buffer,
    clamped: wgpu::Sampler,
    tiled: wgpu::Sampler,
    compared: wgpu::Sampler,
    ripples: Texture,
    sky: Texture,
    colours: Texture,
    /// Stand in for the maps of shadows and caustics while those are drawn.
    no_shadow: Texture,
    no_caustics: Texture,
    /// Stands in for maps that a world does not have.
    nothing: Texture,
}

/// How the textures of `shaders/frame.wgsl` are read.
const KINDS: [TextureSampleType; 13] = [
    EXACT,
    EXACT,
    SMOOTH,
    SMOOTH,
    SMOOTH,
    SMOOTH,
    SMOOTH,
    TextureSampleType::Depth,
    SMOOTH,
    SMOOTH,
    SMOOTH,
    EXACT,
    SMOOTH,
];

/// Bindings of what the sea needs: drawn surface, bed, its slopes and matter, how open it is, shadows, ripples, sky.
const FEW: [u32; 8] = [4, 5, 6, 7, 10, 11, 13, 14];

const STAGES: ShaderStages = ShaderStages::VERTEX_FRAGMENT;

pub(super) fn uniform_entry(binding: u32) -> BindGroupLayoutEntry {
    BindGroupLayoutEntry {
        binding,
        visibility: STAGES,
        ty: BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}

pub(super) fn texture_entry(binding: u32, sample_type: TextureSampleType) -> BindGroupLayoutEntry {
    let view_dimension = wgpu::TextureViewDimension::D2;
    let ty = BindingType::Texture { sample_type, view_dimension, multisampled: false };
    BindGroupLayoutEntry { binding, visibility: STAGES, ty, count: None }
}

fn sampler_entry(binding: u32, kind: SamplerBindingType) -> BindGroupLayoutEntry {
    BindGroupLayoutEntry { binding, visibility: STAGES, ty: BindingType::Sampler(kind), count: None }
}

impl Globals {
    pub(super) fn new(gpu: &Gpu, bakery: &Bakery) -> Self {
        let mut entries = vec![
            uniform_entry(0),
            sampler_entry(1, SamplerBindingType::Filtering),
            sampler_entry(2, SamplerBindingType::Filtering),
            sampler_entry(3, SamplerBindingType::Comparison),
        ];
        entries.extend(KINDS.iter().zip(4..).map(|(kind, binding)| texture_entry(binding, *kind)));
        let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("frame"),
            entries: &entries,
        });
        entries.retain(|entry| entry.binding < 4 || FEW.contains(&entry.binding));
        let few_layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("frame of the sea"),
            entries: &entries,
        });
        let sampler = |address, compare| {
            gpu.device.create_sampler(&wgpu::SamplerDescriptor {
                address_mode_u: address,
                address_mode_v: address,
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                mipmap_filter: wgpu::MipmapFilterMode::Linear,
                compare,
                ..Default::default()
            })
        };
        let side = ripples::SIDE as u32;
        let ripples =
            Texture::new(gpu, "ripples", [side; 2], TextureFormat::Rgba16Float, levels_of([side; 2]));
        ripples.write(gpu, bytemuck::cast_slice(&ripples::tile()));
        bakery.with_levels(gpu, &ripples);
        let no_caustics = Texture::new(gpu, "no caustics", [1, 1], TextureFormat::Rgba16Float, 1);
        no_caustics.write(gpu, bytemuck::bytes_of(&[f16::ONE; 4]));
        Self {
            layout,
            few_layout,
            shadow_map: Texture::new(gpu, "shadow", [shadow::SIDE; 2], super::DEPTH, 1),
            frame: gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("frame"),
                size: size_of::<FrameData>() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
            clamped: sampler(wgpu::AddressMode::ClampToEdge, None),
            tiled: sampler(wgpu::AddressMode::Repeat, None),
            compared: sampler(wgpu::AddressMode::ClampToEdge, Some(wgpu::CompareFunction::GreaterEqual)),
            ripples,
            sky: Texture::new(gpu, "sky", sky::TABLE.map(|n| n as u32), TextureFormat::Rgba16Float, 1),
            colours: Texture::new(gpu, "colours", [256, 3], TextureFormat::Rgba8UnormSrgb, 1),
            no_shadow: Texture::new(gpu, "no shadow", [1, 1], super::DEPTH, 1),
            nothing: Texture::of_value(gpu, "nothing", 0.0),
            no_caustics,
        }
    }

    pub(super) fn set(&self, gpu: &Gpu, data: &FrameData) {
        gpu.queue.write_buffer(&self.frame, 0, bytemuck::bytes_of(data));
    }

    pub(super) fn set_sky(&self, gpu: &Gpu, sky: &Sky) {
        let texels: Vec<[f16; 4]> =
            sky.table.iter().map(|light| light.extend(1.0).to_array().map(f16::from_f32)).collect();
        self.sky.write(gpu, bytemuck::cast_slice(&texels));
    }

    /// Colours of the overlay, of the particles and of beds of rock.
    pub(super) fn set_colours(&self, gpu: &Gpu, tables: [[[u8; 3]; 256]; 2], beds: [[u8; 4]; 256]) {
        let opaque = tables.iter().flatten().map(|c| [c[0], c[1], c[2], 255]);
        let texels: Vec<[u8; 4]> = opaque.chain(beds).collect();
        self.colours.write(gpu, bytemuck::cast_slice(&texels));
    }

    /// The bindings while the maps of shadows and caustics are drawn, and afterwards; each as a whole, and those of the sea.
    pub(super) fn groups(&self, gpu: &Gpu, world: &World, caustics: &Texture) -> [[wgpu::BindGroup; 2]; 2] {
        let early = self.group(gpu, world, &self.no_shadow, &self.no_caustics);
        [early, self.group(gpu, world, &self.shadow_map, caustics)]
    }

    fn group(&self, gpu: &Gpu, world: &World, shadow: &Texture, caustics: &Texture) -> [wgpu::BindGroup; 2] {
        let maps = &world.maps;
        let overlay = world.overlay.as_ref().map_or(&self.nothing, |overlay| &overlay.values);
        let textures = [
            &maps.top,
            &maps.bed,
            &maps.slopes,
            &maps.matter,
            &maps.waters,
            &maps.flows,
            &maps.openness,
            shadow,
            caustics,
            &self.ripples,
            &self.sky,
            overlay,
            &self.colours,
        ];
        let mut entries = vec![
            wgpu::BindGroupEntry { binding: 0, resource: self.frame.as_entire_binding() },
            wgpu::BindGroupEntry { binding: 1, resource: BindingResource::Sampler(&self.clamped) },
            wgpu::BindGroupEntry { binding: 2, resource: BindingResource::Sampler(&self.tiled) },
            wgpu::BindGroupEntry { binding: 3, resource: BindingResource::Sampler(&self.compared) },
        ];
        let bound = textures.iter().zip(KINDS).zip(4..);
        entries.extend(bound.map(|((texture, kind), binding)| texture.bound(binding, kind)));
        let group = |layout, entries: &[wgpu::BindGroupEntry]| {
            gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some("frame"), layout, entries })
        };
        let whole = group(&self.layout, &entries);
        entries.retain(|entry| entry.binding < 4 || FEW.contains(&entry.binding));
        [whole, group(&self.few_layout, &entries)]
    }
}
