//! Bringing results back from the device.

use bytemuck::Pod;
use wgpu::{BufferUsages, COPY_BYTES_PER_ROW_ALIGNMENT, MapMode};

use crate::trouble::caught;
use crate::{Gpu, GpuError};

impl Gpu {
    /// Waits until all work handed in so far is done.
    pub fn wait(&self) -> Result<(), GpuError> {
        let lost = |error: wgpu::PollError| GpuError::Lost { reason: error.to_string() };
        caught(|| self.device.poll(wgpu::PollType::wait_indefinitely()).map(drop).map_err(lost))
    }

    /// The bytes of a texture's first level, row after row without padding. Its format must have whole
    /// bytes per pixel, and its usage `COPY_SRC`.
    pub fn texture_bytes(&self, texture: &wgpu::Texture) -> Result<Vec<u8>, GpuError> {
        let [width, height] = [texture.width(), texture.height()];
        let pixel = texture.format().block_copy_size(None).unwrap_or(4);
        let row = width * pixel;
        let padded = row.next_multiple_of(COPY_BYTES_PER_ROW_ALIGNMENT);
        let size = u64::from(padded) * u64::from(height);
        self.admit_buffer("a buffer to read a picture back", size)?;
        let buffer = self.landing(size);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(padded),
                    rows_per_image: None,
                },
            },
            texture.size(),
        );
        self.queue.submit([encoder.finish()]);
        let mut bytes = Vec::with_capacity((row * height) as usize);
        self.with_mapped(&buffer, |mapped| {
            for line in mapped.chunks_exact(padded as usize) {
                bytes.extend_from_slice(&line[..row as usize]);
            }
        })?;
        Ok(bytes)
    }

    /// The values of a buffer whose usage has `COPY_SRC`.
    pub fn buffer_values<T: Pod>(&self, source: &wgpu::Buffer) -> Result<Vec<T>, GpuError> {
        let buffer = self.landing(source.size());
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(source, 0, &buffer, 0, source.size());
        self.queue.submit([encoder.finish()]);
        let mut values = Vec::new();
        self.with_mapped(&buffer, |mapped| values = bytemuck::pod_collect_to_vec(mapped))?;
        Ok(values)
    }

    fn landing(&self, size: u64) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("readback"),
            size,
            usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
            mapped_at_creation: false,
        })
    }

    fn with_mapped(&self, buffer: &wgpu::Buffer, read: impl FnOnce(&[u8])) -> Result<(), GpuError> {
        // The outcome of the mapping shows when its range is asked for.
        buffer.map_async(MapMode::Read, .., |_| {});
        self.wait()?;
        let mapped =
            buffer.get_mapped_range(..).map_err(|error| GpuError::Lost { reason: error.to_string() })?;
        read(&mapped);
        Ok(())
    }
}
