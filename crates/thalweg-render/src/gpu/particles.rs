//! Particles: one triangle each, shaped to a sphere by the shader.
//!
//! Positions and the column that colours them lie on the device as they lie in memory, what else is drawn of them packed in
//! three numbers ([`contents`](super::contents)); the vertex shader fetches them: three vertices of one long draw. Instances of three vertices would do the same; in
//! software they take as long, and graphics cards leave most of their lanes idle in such small ones.

use thalweg_field::Points;
use thalweg_gpu::{Gpu, GpuError};
use wgpu::util::DeviceExt;
use wgpu::{BindingType, BufferUsages, LoadOp, TextureFormat};

use super::contents::{WORDS, contents_of};
use super::fluid::{DISTANCES, Flow};
use super::globals::Globals;
use super::needs::summed;
use super::space::{self, BODIES, Pipeline, SPACE, THICKNESS};
use super::{FRAME, SEEN, depth_state};
use crate::extent::bounds_of;
use crate::{Look, Spread};

/// Particles in one buffer, at most: 96 MB of positions, which every device can bind.
const CHUNK: usize = 8 << 20;
/// The positions of so many `[bytes]`.
pub(super) const CHUNK_BYTES: u64 = (CHUNK * size_of::<[f32; 3]>()) as u64;

/// Particles on the device.
pub(super) struct Cloud {
    chunks: Vec<Chunk>,
    /// As it is drawn `[m]`.
    pub radius: f32,
    /// How the colouring column is spread over its colours.
    pub spread: Option<Spread>,
    /// Whether anything is known of what they hold and how they move.
    pub laden: bool,
}

struct Chunk {
    positions: wgpu::Buffer,
    values: wgpu::Buffer,
    contents: wgpu::Buffer,
    count: u32,
}

impl Cloud {
    /// `None` if there is nothing to draw. The radius is that of [`Extent`](crate::Extent) `[m]`.
    pub(super) fn new(
        gpu: &Gpu,
        points: &Points,
        look: &Look,
        radius: f32,
    ) -> Result<Option<Self>, GpuError> {
        if bounds_of(&points.positions).is_none() {
            return Ok(None);
        }
        let bytes = size_of_val(&points.positions[..points.len().min(CHUNK)]);
        gpu.admit_buffer("a buffer of particles", bytes as u64)?;
        let style = look.particles.colour.as_ref();
        let values_of = |name: &str| {
            let column = points.column(name).filter(|column| column.values.len() == points.len());
            column.map(|column| &column.values[..])
        };
        let column = style.and_then(|(name, style)| Some((values_of(name)?, style)));
        let contents = contents_of(points);
        let buffer = |label, contents: &[u8]| {
            let usage = BufferUsages::STORAGE;
            gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some(label),
                contents,
                usage,
            })
        };
        let nothing = buffer("no values", &[0; 4]);
        let chunk = |(i, positions): (usize, &[[f32; 3]])| {
            let part = |label, words: Option<&[u32]>, each: usize| match words {
                Some(words) => {
                    buffer(label, bytemuck::cast_slice(&words[each * i * CHUNK..][..each * positions.len()]))
                }
                None => nothing.clone(),
            };
            Chunk {
                positions: buffer("positions", bytemuck::cast_slice(positions)),
                values: part("values", column.map(|(values, _)| bytemuck::cast_slice(values)), 1),
                contents: part("contents", contents.as_deref(), WORDS),
                count: positions.len() as u32,
            }
        };
        Ok(Some(Self {
            chunks: points.positions.chunks(CHUNK).enumerate().map(chunk).collect(),
            radius,
            spread: column.map(|(values, style)| Spread::of(values, style)),
            laden: contents.is_some(),
        }))
    }
}

pub(super) struct Particles {
    layout: wgpu::BindGroupLayout,
    spheres: wgpu::RenderPipeline,
    shadows: wgpu::RenderPipeline,
    distances: wgpu::RenderPipeline,
    thickness: wgpu::RenderPipeline,
}

impl Particles {
    pub(super) fn new(gpu: &Gpu, globals: &Globals, depth: &wgpu::BindGroupLayout) -> Self {
        let module = gpu.shader("particles", &[FRAME, SPACE, include_str!("shaders/particles.wgsl")]);
        let entry = |binding| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::VERTEX,
            ty: BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only: true },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("particles"),
            entries: &[entry(0), entry(1), entry(2)],
        });
        let greater = depth_state(true, wgpu::CompareFunction::GreaterEqual);
        let pipeline = |label, vertex, fragment, targets: &[TextureFormat]| {
            let targets: Vec<_> = targets.iter().map(|format| Some((*format).into())).collect();
            Pipeline {
                label,
                module: &module,
                layouts: &[&globals.layout, &layout],
                buffers: &[],
                vertex,
                fragment: Some(fragment),
                targets: &targets,
                depth: Some(greater.clone()),
            }
            .make(gpu)
        };
        let thickness = Pipeline {
            label: "particles' thickness",
            module: &module,
            layouts: &[&globals.layout, &layout, depth],
            buffers: &[],
            vertex: "thickness_vertex",
            fragment: Some("thickness_fragment"),
            targets: &[Some(summed(THICKNESS))],
            depth: None,
        };
        Self {
            spheres: pipeline("particles", "vertex", "fragment", &[SEEN, BODIES]),
            shadows: pipeline("particles' shadow", "shadow_vertex", "shadow_fragment", &[]),
            distances: pipeline("particles' distances", "fluid_vertex", "distance_fragment", &[DISTANCES]),
            thickness: thickness.make(gpu),
            layout,
        }
    }

    pub(super) fn draw(&self, gpu: &Gpu, pass: &mut wgpu::RenderPass, cloud: &Cloud) {
        pass.set_pipeline(&self.spheres);
        self.draw_chunks(gpu, pass, cloud);
    }

    /// Draws them as the sun sees them.
    pub(super) fn cast(&self, gpu: &Gpu, pass: &mut wgpu::RenderPass, cloud: &Cloud) {
        pass.set_pipeline(&self.shadows);
        self.draw_chunks(gpu, pass, cloud);
    }

    /// Draws how far the nearest sphere is.
    pub(super) fn draw_distances(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame: &wgpu::BindGroup,
        cloud: &Cloud,
        flow: &Flow,
    ) {
        let colours = [(&flow.spheres().view, LoadOp::Clear(wgpu::Color::TRANSPARENT))];
        let depth = (&flow.depth.view, LoadOp::Clear(0.0));
        let mut pass = space::begin(encoder, "particles' distances", &colours, Some(depth));
        pass.set_bind_group(0, frame, &[]);
        pass.set_pipeline(&self.distances);
        self.draw_chunks(gpu, &mut pass, cloud);
    }

    /// Sums up the water along every ray, in front of what is behind.
    pub(super) fn draw_thickness(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame: &wgpu::BindGroup,
        cloud: &Cloud,
        flow: &Flow,
        behind: &wgpu::BindGroup,
    ) {
        let colours = [(&flow.thickness.view, LoadOp::Clear(wgpu::Color::TRANSPARENT))];
        let mut pass = space::begin(encoder, "particles' thickness", &colours, None);
        pass.set_bind_group(0, frame, &[]);
        pass.set_bind_group(2, behind, &[]);
        pass.set_pipeline(&self.thickness);
        self.draw_chunks(gpu, &mut pass, cloud);
    }

    fn draw_chunks(&self, gpu: &Gpu, pass: &mut wgpu::RenderPass, cloud: &Cloud) {
        for chunk in &cloud.chunks {
            let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("particles"),
                layout: &self.layout,
                entries: &[
                    wgpu::BindGroupEntry { binding: 0, resource: chunk.positions.as_entire_binding() },
                    wgpu::BindGroupEntry { binding: 1, resource: chunk.values.as_entire_binding() },
                    wgpu::BindGroupEntry { binding: 2, resource: chunk.contents.as_entire_binding() },
                ],
            });
            pass.set_bind_group(1, &group, &[]);
            pass.draw(0..3 * chunk.count, 0..1);
        }
    }
}
