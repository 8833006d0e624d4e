//! Textures as the renderer uses them.

use thalweg_field::Grid2;
use thalweg_gpu::Gpu;
use wgpu::{TextureFormat, TextureSampleType};

use super::needs;

/// Ways to read a texture: as it is (depths too), and between its texels.
pub(super) const EXACT: TextureSampleType = TextureSampleType::Float { filterable: false };
pub(super) const SMOOTH: TextureSampleType = TextureSampleType::Float { filterable: true };

/// A texture and the view of all its levels.
#[derive(Clone)]
pub(super) struct Texture {
    pub texture: wgpu::Texture,
    pub view: wgpu::TextureView,
}

impl Texture {
    pub(super) fn new(
        gpu: &Gpu,
        label: &str,
        [width, height]: [u32; 2],
        format: TextureFormat,
        levels: u32,
    ) -> Self {
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: levels,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: needs::uses(format),
            view_formats: &[],
        });
        let view = texture.create_view(&Default::default());
        Self { texture, view }
    }

    /// A grid of numbers, copied once: from where it lies to the device.
    pub(super) fn of_grid(gpu: &Gpu, label: &str, grid: &Grid2<f32>) -> Self {
        let size = [grid.cols() as u32, grid.rows() as u32];
        let texture = Self::new(gpu, label, size, TextureFormat::R32Float, 1);
        texture.write(gpu, bytemuck::cast_slice(grid.values()));
        texture
    }

    /// One texel.
    pub(super) fn of_value(gpu: &Gpu, label: &str, value: f32) -> Self {
        Self::of_grid(gpu, label, &Grid2::filled(1, 1, value))
    }

    /// Fills the first level.
    pub(super) fn write(&self, gpu: &Gpu, bytes: &[u8]) {
        let size = self.texture.size();
        gpu.queue.write_texture(
            self.texture.as_image_copy(),
            bytes,
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(bytes.len() as u32 / size.height),
                rows_per_image: None,
            },
            size,
        );
    }

    /// The view of one level.
    pub(super) fn level(&self, level: u32) -> wgpu::TextureView {
        self.texture.create_view(&wgpu::TextureViewDescriptor {
            base_mip_level: level,
            mip_level_count: Some(1),
            ..Default::default()
        })
    }

    /// Binds all its levels, to be read in that way.
    pub(super) fn bound(&self, binding: u32, kind: TextureSampleType) -> wgpu::BindGroupEntry<'_> {
        if kind == SMOOTH {
            needs::check_smooth(self.texture.format());
        }
        wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::TextureView(&self.view) }
    }

    pub(super) fn size(&self) -> [u32; 2] {
        [self.texture.width(), self.texture.height()]
    }
}

/// Levels of a texture down to one texel.
pub(super) fn levels_of([width, height]: [u32; 2]) -> u32 {
    width.max(height).max(1).ilog2() + 1
}
