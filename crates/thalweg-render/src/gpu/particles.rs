//! Particles: one triangle each, shaped to a sphere by the shader.
//!
//! Positions and the column that colours them lie on the device as they lie in memory, sediment and foam packed in one
//! number; the vertex shader fetches them: three vertices of one long draw. Instances of three vertices would do the same; in
//! software they take as long, and graphics cards leave most of their lanes idle in such small ones.

use glam::Vec3;
use thalweg_field::Points;
use thalweg_gpu::{Gpu, GpuError};
use wgpu::util::DeviceExt;
use wgpu::{BindingType, BufferUsages, LoadOp, TextureFormat};

use super::fluid::{DISTANCES, Flow};
use super::globals::Globals;
use super::needs::summed;
use super::space::{self, BODIES, Pipeline, SPACE, THICKNESS};
use super::{FRAME, SEEN, depth_state};
use crate::{Look, Spread};

/// Particles in one buffer, at most: 96 MB of positions, which every device can bind.
const CHUNK: usize = 8 << 20;
/// The positions of so many [bytes].
pub(super) const CHUNK_BYTES: u64 = (CHUNK * size_of::<[f32; 3]>()) as u64;

/// Particles on the device.
pub(super) struct Cloud {
    chunks: Vec<Chunk>,
    /// Smallest and largest coordinates of the centres [m].
    centres: [Vec3; 2],
    /// As it is drawn [m].
    pub radius: f32,
    /// How the colouring column is spread over its colours.
    pub spread: Option<Spread>,
    /// Whether it is known how much of them is sediment or foam.
    pub laden: bool,
}

struct Chunk {
    positions: wgpu::Buffer,
    values: wgpu::Buffer,
    contents: wgpu::Buffer,
    count: u32,
}

impl Cloud {
    /// `None` if there is nothing to draw.
    pub(super) fn new(gpu: &Gpu, points: &Points, look: &Look) -> Result<Option<Self>, GpuError> {
        let Some(centres) = bounds_of(&points.positions) else { return Ok(None) };
        let bytes = size_of_val(&points.positions[..points.len().min(CHUNK)]);
        gpu.admit_buffer("a buffer of particles", bytes as u64)?;
        let style = look.particles.colour.as_ref();
        let values_of = |name: &str| {
            let column = points.column(name).filter(|column| column.values.len() == points.len());
            column.map(|column| &column.values[..])
        };
        let column = style.and_then(|(name, style)| Some((values_of(name)?, style)));
        let contents = contents_of(values_of("sediment"), values_of("foam"));
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
            let part = |label, words: Option<&[u32]>| match words {
                Some(words) => buffer(label, bytemuck::cast_slice(&words[i * CHUNK..][..positions.len()])),
                None => nothing.clone(),
            };
            Chunk {
                positions: buffer("positions", bytemuck::cast_slice(positions)),
                values: part("values", column.map(|(values, _)| bytemuck::cast_slice(values))),
                contents: part("contents", contents.as_deref()),
                count: positions.len() as u32,
            }
        };
        Ok(Some(Self {
            chunks: points.positions.chunks(CHUNK).enumerate().map(chunk).collect(),
            centres,
            radius: if points.radius > 0.0 { points.radius } else { likely_radius(centres, points.len()) },
            spread: column.map(|(values, style)| Spread::of(values, style)),
            laden: contents.is_some(),
        }))
    }

    /// Smallest and largest coordinates of the spheres [m].
    pub(super) fn bounds(&self, exaggeration: f32) -> [Vec3; 2] {
        let raised = self.centres.map(|p| p.with_z(p.z * exaggeration));
        [raised[0] - self.radius, raised[1] + self.radius]
    }
}

/// Sediment and foam of each particle, as shares of it in 16 bits; what is no number is none. `None` if neither is known.
fn contents_of(sediment: Option<&[f32]>, foam: Option<&[f32]>) -> Option<Vec<u32>> {
    let count = sediment.or(foam)?.len();
    let share = |values: Option<&[f32]>, i: usize| {
        let known = values.map(|values| values[i]).filter(|value| value.is_finite());
        (known.unwrap_or(0.0).clamp(0.0, 1.0) * 65535.0).round() as u32
    };
    Some((0..count).map(|i| share(sediment, i) | share(foam, i) << 16).collect())
}

/// Smallest and largest of the finite places.
pub(super) fn bounds_of(places: &[[f32; 3]]) -> Option<[Vec3; 2]> {
    let start = [Vec3::INFINITY, Vec3::NEG_INFINITY];
    let [low, high] = places
        .iter()
        .map(|place| Vec3::from_array(*place))
        .filter(|place| place.is_finite())
        .fold(start, |[low, high], place| [low.min(place), high.max(place)]);
    (low.x <= high.x).then_some([low, high])
}

/// Half the spacing of particles that fill their box evenly, be it a box, a sheet or a row [m].
fn likely_radius([low, high]: [Vec3; 2], count: usize) -> f32 {
    /// Rounds after which the spacing has settled; a row gains a third of its digits in each.
    const ROUNDS: usize = 40;
    let sides = high - low;
    let mut spacing = sides.max_element();
    for _ in 0..ROUNDS {
        // Flat sides are one spacing thick.
        let room = sides.max(Vec3::splat(spacing));
        spacing = (room.x * room.y * room.z / count as f32).cbrt();
    }
    // A single one has no spacing.
    if spacing > 1.0e-6 * sides.max_element() && count > 1 { 0.5 * spacing } else { 0.5 }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_without_a_radius_touch_their_neighbours() {
        for (sides, count) in [([10, 20, 5], 1000), ([50, 20, 1], 1000), ([64, 1, 1], 64)] {
            let spacing = 0.5;
            let high = Vec3::from_array(sides.map(|n: i32| (n - 1) as f32 * spacing));
            let radius = likely_radius([Vec3::ZERO, high], count);
            // The box of the centres is one spacing smaller than what the particles fill.
            assert!((0.19..0.26).contains(&radius), "{sides:?}: {radius} m, spacing {spacing} m");
        }
        assert_eq!(likely_radius([Vec3::ONE, Vec3::ONE], 1), 0.5);
    }

    #[test]
    fn places_that_are_no_numbers_do_not_count() {
        let places = [[f32::NAN, 0.0, 0.0], [1.0, -2.0, 3.0], [f32::INFINITY, 0.0, 9.0], [4.0, 5.0, -6.0]];
        assert_eq!(bounds_of(&places), Some([Vec3::new(1.0, -2.0, -6.0), Vec3::new(4.0, 5.0, 3.0)]));
        assert_eq!(bounds_of(&places[..1]), None);
    }
}
