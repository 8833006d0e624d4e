//! Sunlight on the bed below waves.

use thalweg_gpu::Gpu;
use wgpu::TextureFormat;
use wgpu::util::DeviceExt;

use super::globals::Globals;
use super::needs::summed;
use super::texture::Texture;
use super::{FRAME, GROUND, MUD, WATER};

/// Texels along the side of the map. Meshes that shrink below a small part of a texel are lost: with half as
/// many texels, 2 % of the light below strong ripples went missing.
pub(super) const SIDE: u32 = 2048;
/// Meshes along the side of the net of light.
const MESHES: u32 = 512;
pub(super) const FORMAT: TextureFormat = TextureFormat::R16Float;

/// A knot of the net: its place as a share of the map's sides.
pub(super) const KNOT: wgpu::VertexBufferLayout<'static> = wgpu::VertexBufferLayout {
    array_stride: size_of::<[f32; 2]>() as u64,
    step_mode: wgpu::VertexStepMode::Vertex,
    attributes: &wgpu::vertex_attr_array![0 => Float32x2],
};

pub(super) struct Caustics {
    pub map: Texture,
    pipeline: wgpu::RenderPipeline,
    knots: wgpu::Buffer,
    triangles: wgpu::Buffer,
}

impl Caustics {
    pub(super) fn new(gpu: &Gpu, globals: &Globals) -> Self {
        let parts = [
            FRAME,
            GROUND,
            MUD,
            WATER,
            include_str!("shaders/lake.wgsl"),
            include_str!("shaders/caustics.wgsl"),
        ];
        let module = gpu.shader("caustics", &parts);
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("caustics"),
            bind_group_layouts: &[Some(&globals.layout)],
            immediate_size: 0,
        });
        let pipeline = gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("caustics"),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("vertex"),
                compilation_options: Default::default(),
                buffers: &[Some(KNOT)],
            },
            primitive: Default::default(),
            depth_stencil: None,
            multisample: Default::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("fragment"),
                compilation_options: Default::default(),
                targets: &[Some(summed(FORMAT))],
            }),
            multiview_mask: None,
            cache: None,
        });
        let row = MESHES + 1;
        let share = |i: u32| i as f32 / MESHES as f32;
        let knots: Vec<[f32; 2]> = (0..row * row).map(|i| [share(i % row), share(i / row)]).collect();
        let triangles: Vec<u32> = (0..MESHES * MESHES)
            .flat_map(|i| {
                let a = i / MESHES * row + i % MESHES;
                [a, a + 1, a + row, a + row, a + 1, a + row + 1]
            })
            .collect();
        let buffer = |label, contents: &[u8], usage| {
            gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some(label),
                contents,
                usage,
            })
        };
        Self {
            map: Texture::new(gpu, "caustics", [SIDE; 2], FORMAT, 1),
            pipeline,
            knots: buffer("knots", bytemuck::cast_slice(&knots), wgpu::BufferUsages::VERTEX),
            triangles: buffer("net", bytemuck::cast_slice(&triangles), wgpu::BufferUsages::INDEX),
        }
    }

    /// Draws the map of the frame that is set.
    pub(super) fn draw(&self, encoder: &mut wgpu::CommandEncoder, group: &wgpu::BindGroup) {
        self.draw_with(encoder, |pass| {
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, group, &[]);
        });
    }

    /// Draws the map as what is set on the pass carries light down.
    pub(super) fn draw_with(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        set: impl FnOnce(&mut wgpu::RenderPass),
    ) {
        let mut pass = super::begin(encoder, "caustics", &[&self.map.view], None);
        set(&mut pass);
        pass.set_vertex_buffer(0, self.knots.slice(..));
        pass.set_index_buffer(self.triangles.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..MESHES * MESHES * 6, 0, 0..1);
    }
}

#[cfg(test)]
mod tests {
    use half::f16;
    use thalweg_field::{Field, FieldInfo, Frame, Grid2, Snapshot};

    use super::super::Renderer;
    use crate::{Camera, Look};

    /// The map below water of that level over a bed at 0, on cells of 10 cm.
    fn light_below(level: impl Fn(f32, f32) -> f32 + Sync, ripples: f32) -> Vec<f32> {
        const CELLS: usize = 128;
        let mut renderer =
            Renderer::open().expect("the tests need a graphics adapter, in software if need be");
        let field = |name, values| Field { info: FieldInfo::new(name, "m", ""), values };
        let water = Grid2::from_fn(CELLS, CELLS, |c, r| level(c as f32 * 0.1, r as f32 * 0.1));
        let fields = vec![field("height", Grid2::filled(CELLS, CELLS, 0.0)), field("water", water)];
        let snapshot = Snapshot::of_fields(Frame::with_cell(0.1), fields);
        let mut look = Look::default();
        look.water.ripples = ripples;
        look.relief.sun_elevation = 0.9;
        let mut world = renderer.load(&snapshot, &look).unwrap();
        let view = world.view(&Camera::default(), &look, 1.0);
        renderer.light(&mut world, &look, &view, [16, 16]).unwrap();
        let bytes = renderer.gpu.texture_bytes(&renderer.caustics.map.texture).unwrap();
        bytemuck::cast_slice::<u8, f16>(&bytes).iter().map(|v| v.to_f32()).collect()
    }

    #[test]
    fn flat_water_leaves_sunlight_as_it_is() {
        let map = light_below(|_, _| 2.0, 0.0);
        let away = map.iter().map(|light| (light - 1.0).abs()).fold(0.0, f32::max);
        // Neighbouring meshes share their edges; a texel on one may be rounded.
        assert!(away < 2.0e-3, "{away}");
    }

    #[test]
    fn waves_move_light_but_neither_make_nor_lose_it() {
        let waves = |x: f32, y: f32| 2.0 + 0.03 * (x * 4.0).sin() * (y * 3.0 + 1.0).cos();
        for (map, what) in [(light_below(waves, 0.0), "waves"), (light_below(|_, _| 2.5, 1.0), "ripples")] {
            let mean = map.iter().map(|v| f64::from(*v)).sum::<f64>() / map.len() as f64;
            assert!((mean - 1.0).abs() < 0.01, "{what}: {mean} of the light arrives");
            let brightest = map.iter().copied().fold(0.0, f32::max);
            assert!(brightest > 1.5, "{what}: nothing is focused, {brightest}");
        }
    }
}
