//! Water with waves of its own: the open sea as far as the eye reaches, or a sheet of water on the grid.
//!
//! Its surface is a net of triangles around the point below the eye, as fine everywhere as the picture shows it. One pass
//! notes which water is seen where, by the place that it has at rest; the next one lights it, once for each sample.

use glam::{Vec2, Vec3};
use thalweg_gpu::Gpu;
use wgpu::{LoadOp, TextureFormat, TextureSampleType, TextureViewDimension};

use super::bake::Bakery;
use super::fullscreen_pipeline;
use super::globals::{Globals, texture_entry};
use super::mesh::Meshes;
use super::needs::summed;
use super::sea_maps::SeaMaps;
use super::space::{BODIES, Pipeline, SPACE, begin, fullscreen};
use super::texture::{EXACT, SMOOTH, Texture, levels_of};
use super::world::World;
use super::{DEPTH, FRAME, GROUND, LIGHT, MUD, Targets, WATER, caustics, depth_state, foam_tile};
use crate::{Lens, Look, View};

const WAVES: &str = include_str!("shaders/sea_waves.wgsl");
/// How textures of the groups are read, and whether they have layers.
type Kind = (TextureSampleType, bool);
const NET_KINDS: [Kind; 5] = [(SMOOTH, true), (SMOOTH, true), (EXACT, false), (EXACT, false), (EXACT, false)];
const CAUSTICS_KINDS: [Kind; 3] = [(SMOOTH, true); 3];
const LIGHT_KINDS: [Kind; 8] = [
    (SMOOTH, true),
    (SMOOTH, true),
    (SMOOTH, true),
    (SMOOTH, false),
    (EXACT, false),
    (EXACT, false),
    (TextureSampleType::Uint, false),
    (SMOOTH, false),
];
const COPY_KINDS: [Kind; 2] = [(SMOOTH, false), (EXACT, false)];

pub(super) struct SeaPipelines {
    net_layout: wgpu::BindGroupLayout,
    net: wgpu::RenderPipeline,
    light_layout: wgpu::BindGroupLayout,
    light: wgpu::RenderPipeline,
    caustics_layout: wgpu::BindGroupLayout,
    caustics: wgpu::RenderPipeline,
    copy_layout: wgpu::BindGroupLayout,
    copied_light: wgpu::RenderPipeline,
    copied_depth: wgpu::RenderPipeline,
    foam: Texture,
    nothing: Texture,
    knots: Knots,
    behind: Option<Behind>,
}

/// What is behind the water, and which water is seen where.
struct Behind {
    /// The depths that they were made for.
    made_for: wgpu::Texture,
    light: Texture,
    depth: Texture,
    places: Texture,
    /// Nearest front and back of the rooms that no water enters.
    dry: [Texture; 2],
    copy_group: wgpu::BindGroup,
}

/// The net on the device.
struct Knots {
    places: wgpu::Buffer,
    triangles: wgpu::Buffer,
    /// Columns and rows that the triangles are for.
    size: [u32; 2],
}

impl Knots {
    fn none(gpu: &Gpu) -> Self {
        let buffer = |label, usage| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: 16,
                usage: usage | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        Self {
            places: buffer("sea's knots", wgpu::BufferUsages::VERTEX),
            triangles: buffer("sea's triangles", wgpu::BufferUsages::INDEX),
            size: [0; 2],
        }
    }
}

/// A group of textures, some of them arrays of layers.
fn texture_layout(gpu: &Gpu, label: &str, kinds: &[Kind]) -> wgpu::BindGroupLayout {
    let entry = |(&(kind, layers), i): (&Kind, u32)| {
        let mut entry = texture_entry(i, kind);
        if let (true, wgpu::BindingType::Texture { view_dimension, .. }) = (layers, &mut entry.ty) {
            *view_dimension = TextureViewDimension::D2Array;
        }
        entry
    };
    let entries: Vec<_> = kinds.iter().zip(0..).map(entry).collect();
    gpu.device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries })
}

fn net_pipeline(gpu: &Gpu, layouts: &[&wgpu::BindGroupLayout]) -> wgpu::RenderPipeline {
    Pipeline {
        label: "sea",
        module: &gpu.shader("sea", &[FRAME, WAVES, include_str!("shaders/sea.wgsl")]),
        layouts,
        buffers: &[Some(wgpu::VertexBufferLayout {
            array_stride: size_of::<[f32; 3]>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &wgpu::vertex_attr_array![0 => Float32x3],
        })],
        vertex: "vertex",
        fragment: Some("fragment"),
        targets: &[Some(BODIES.into())],
        depth: Some(depth_state(true, wgpu::CompareFunction::GreaterEqual)),
    }
    .make(gpu)
}

fn light_pipeline(gpu: &Gpu, layouts: &[&wgpu::BindGroupLayout]) -> wgpu::RenderPipeline {
    let parts = [FRAME, GROUND, MUD, WATER, SPACE, WAVES, include_str!("shaders/sea_light.wgsl")];
    let module = gpu.shader("sea's light", &parts);
    fullscreen_pipeline(gpu, "sea's light", &module, layouts, "fragment", LIGHT, None)
}

fn caustics_pipeline(gpu: &Gpu, layouts: &[&wgpu::BindGroupLayout]) -> wgpu::RenderPipeline {
    let parts = [FRAME, GROUND, MUD, WATER, WAVES, include_str!("shaders/sea_caustics.wgsl")];
    Pipeline {
        label: "sea's caustics",
        module: &gpu.shader("sea's caustics", &parts),
        layouts,
        buffers: &[Some(caustics::KNOT)],
        vertex: "vertex",
        fragment: Some("fragment"),
        targets: &[Some(summed(caustics::FORMAT))],
        depth: None,
    }
    .make(gpu)
}

/// Light and depth of what is behind the sea, copied before it is drawn over.
fn copy_pipelines(gpu: &Gpu, layouts: &[&wgpu::BindGroupLayout]) -> [wgpu::RenderPipeline; 2] {
    let module = gpu.shader("behind the sea", &[include_str!("shaders/behind_sea.wgsl")]);
    let label = "light behind the sea";
    let light = fullscreen_pipeline(gpu, label, &module, layouts, "light_fragment", LIGHT, None);
    let depth = Pipeline {
        label: "depth behind the sea",
        module: &module,
        layouts,
        buffers: &[],
        vertex: "vertex",
        fragment: Some("depth_fragment"),
        targets: &[],
        depth: Some(depth_state(true, wgpu::CompareFunction::Always)),
    };
    [light, depth.make(gpu)]
}

impl SeaPipelines {
    pub(super) fn new(gpu: &Gpu, globals: &Globals, bakery: &Bakery) -> Self {
        let net_layout = texture_layout(gpu, "sea", &NET_KINDS);
        let light_layout = texture_layout(gpu, "sea's light", &LIGHT_KINDS);
        let caustics_layout = texture_layout(gpu, "sea's caustics", &CAUSTICS_KINDS);
        let copy_layout = texture_layout(gpu, "behind the sea", &COPY_KINDS);
        let few = &globals.few_layout;
        let [copied_light, copied_depth] = copy_pipelines(gpu, &[few, &copy_layout]);
        let side = [foam_tile::SIDE as u32; 2];
        let foam = Texture::new(gpu, "foam", side, TextureFormat::Rgba16Float, levels_of(side));
        foam.write(gpu, bytemuck::cast_slice(&foam_tile::tile()));
        bakery.with_levels(gpu, &foam);
        Self {
            net: net_pipeline(gpu, &[few, &net_layout]),
            net_layout,
            light: light_pipeline(gpu, &[few, &light_layout]),
            light_layout,
            caustics: caustics_pipeline(gpu, &[few, &caustics_layout]),
            caustics_layout,
            copy_layout,
            copied_light,
            copied_depth,
            foam,
            nothing: Texture::new(gpu, "no room", [1, 1], DEPTH, 1),
            knots: Knots::none(gpu),
            behind: None,
        }
    }

    /// Draws the sunlight on the bed into the map of caustics.
    pub(super) fn draw_caustics(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame: &wgpu::BindGroup,
        maps: &SeaMaps,
        caustics: &caustics::Caustics,
    ) {
        let views = [&maps.waves, &maps.grid, &maps.slopes];
        let group = group_of(gpu, &self.caustics_layout, &views);
        caustics.draw_with(encoder, |pass| {
            pass.set_pipeline(&self.caustics);
            pass.set_bind_group(0, frame, &[]);
            pass.set_bind_group(1, &group, &[]);
        });
    }

    /// Draws the water over the light and the depths of everything else.
    pub(super) fn draw(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        [frame, few]: [&wgpu::BindGroup; 2],
        (world, look, view): (&World, &Look, &View),
        (targets, meshes): (&Targets, &Meshes),
    ) {
        let Some(maps) = &world.sea else {
            self.behind = None;
            return;
        };
        let count = self.set_net(gpu, &net(world, maps, look, view, targets.depth.size()));
        let behind = self.behind.take().filter(|behind| behind.made_for == targets.depth.texture);
        let behind = behind.unwrap_or_else(|| self.make_behind(gpu, targets));
        let nothing = LoadOp::Clear(wgpu::Color::TRANSPARENT);
        {
            let mut pass = begin(encoder, "light behind the sea", &[(&behind.light.view, nothing)], None);
            fullscreen(&mut pass, &self.copied_light, few, &behind.copy_group);
        }
        {
            let depth = (&behind.depth.view, LoadOp::Clear(0.0));
            let mut pass = begin(encoder, "depth behind the sea", &[], Some(depth));
            fullscreen(&mut pass, &self.copied_depth, few, &behind.copy_group);
        }
        if !world.rooms.is_empty() {
            for (texture, front) in behind.dry.iter().zip([true, false]) {
                let mut pass = begin(encoder, "dry rooms", &[], Some((&texture.view, LoadOp::Clear(0.0))));
                pass.set_bind_group(0, frame, &[]);
                meshes.draw_rooms(&mut pass, world, front);
            }
        }
        {
            let [front, back] = if world.rooms.is_empty() {
                [&self.nothing.view; 2]
            } else {
                [&behind.dry[0].view, &behind.dry[1].view]
            };
            let views = [&maps.waves, &maps.grid, &maps.sheet_heights.view, front, back];
            let group = group_of(gpu, &self.net_layout, &views);
            let depth = (&targets.depth.view, LoadOp::Load);
            let mut pass = begin(encoder, "sea", &[(&behind.places.view, nothing)], Some(depth));
            pass.set_pipeline(&self.net);
            pass.set_bind_group(0, few, &[]);
            pass.set_bind_group(1, &group, &[]);
            pass.set_vertex_buffer(0, self.knots.places.slice(..));
            pass.set_index_buffer(self.knots.triangles.slice(..), wgpu::IndexFormat::Uint32);
            pass.draw_indexed(0..count, 0, 0..1);
        }
        {
            let views = [
                &maps.waves,
                &maps.grid,
                &maps.slopes,
                &behind.light.view,
                &behind.depth.view,
                &targets.depth.view,
                &behind.places.view,
                &self.foam.view,
            ];
            let group = group_of(gpu, &self.light_layout, &views);
            let mut pass = begin(encoder, "sea's light", &[(&targets.light.view, LoadOp::Load)], None);
            fullscreen(&mut pass, &self.light, few, &group);
        }
        self.behind = Some(behind);
    }

    fn make_behind(&self, gpu: &Gpu, targets: &Targets) -> Behind {
        let size = targets.depth.size();
        let texture = |label, format| Texture::new(gpu, label, size, format, 1);
        Behind {
            made_for: targets.depth.texture.clone(),
            light: texture("light behind the sea", LIGHT),
            depth: texture("depth behind the sea", DEPTH),
            places: texture("sea's places", BODIES),
            dry: ["dry fronts", "dry backs"].map(|label| texture(label, DEPTH)),
            copy_group: group_of(gpu, &self.copy_layout, &[&targets.light.view, &targets.depth.view]),
        }
    }

    /// Brings a net onto the device and tells the corners of its triangles.
    fn set_net(&mut self, gpu: &Gpu, net: &Net) -> u32 {
        let [cols, rows] = net.size;
        let grown = |buffer: &wgpu::Buffer, bytes: usize, label| {
            (bytes as u64 > buffer.size()).then(|| {
                gpu.device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some(label),
                    size: bytes.next_power_of_two() as u64,
                    usage: buffer.usage(),
                    mapped_at_creation: false,
                })
            })
        };
        let bytes: &[u8] = bytemuck::cast_slice(&net.knots);
        if let Some(larger) = grown(&self.knots.places, bytes.len(), "sea's knots") {
            self.knots.places = larger;
        }
        gpu.queue.write_buffer(&self.knots.places, 0, bytes);
        if self.knots.size != net.size {
            let corner = |i: u32| {
                let a = i / (cols - 1) * cols + i % (cols - 1);
                [a, a + 1, a + cols, a + cols, a + 1, a + cols + 1]
            };
            let triangles: Vec<u32> = (0..(cols - 1) * (rows - 1)).flat_map(corner).collect();
            let bytes: &[u8] = bytemuck::cast_slice(&triangles);
            if let Some(larger) = grown(&self.knots.triangles, bytes.len(), "sea's triangles") {
                self.knots.triangles = larger;
            }
            gpu.queue.write_buffer(&self.knots.triangles, 0, bytes);
            self.knots.size = net.size;
        }
        6 * (cols - 1) * (rows - 1)
    }
}

fn group_of(gpu: &Gpu, layout: &wgpu::BindGroupLayout, views: &[&wgpu::TextureView]) -> wgpu::BindGroup {
    let entries: Vec<_> = views
        .iter()
        .zip(0..)
        .map(|(view, binding)| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::TextureView(view),
        })
        .collect();
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some("sea"), layout, entries: &entries })
}

/// Knots of a net over water at rest, row after row: place east and north, way to the neighbours `[m]`.
struct Net {
    size: [u32; 2],
    knots: Vec<[f32; 3]>,
}

/// Knots along a side of a net at most.
const MOST: usize = 1600;

/// The net for a view, in a picture of so many samples.
fn net(world: &World, maps: &SeaMaps, look: &Look, view: &View, [_, height]: [u32; 2]) -> Net {
    let up = look.relief.vertical_exaggeration;
    let [low, high] = maps.heights.map(|level| level * up);
    match view.lens {
        Lens::Parallel(half) => flat_net(view, half, [low, high], maps.aside, look, height),
        Lens::Perspective(half) => {
            // Triangles are as large in the picture as those of the ground.
            let angle = 2.0 * half / height as f32 * look.supersampling as f32 * look.triangle_size;
            let farthest = if maps.sheet {
                let [low, high] = world.extent.ends();
                (0..4)
                    .map(|i| Vec2::new([low.x, high.x][i & 1], [low.y, high.y][i >> 1]))
                    .map(|corner| (corner - view.eye.truncate()).length())
                    .fold(0.0, f32::max)
            } else {
                HORIZON
            };
            round_net(view, [low, high], maps.aside, angle, farthest)
        }
    }
}

/// How far the sea reaches: from any height up to 100 m it ends at a hundredth of a degree or less from the true horizon
/// of an endless plane `[m]`.
const HORIZON: f32 = 4.0e5;

/// Rings around the point below the eye, each cut to what is seen of it.
fn round_net(view: &View, [low, high]: [f32; 2], aside: f32, angle: f32, farthest: f32) -> Net {
    /// Rings are no farther apart than this share of their distance, so that waves keep their form `[-]`.
    const APART: f32 = 0.012;
    let eye = view.eye;
    let middle = 0.5 * (low + high);
    let height = (eye.z - middle).abs().max(0.3 * (high - low)).max(0.2);
    let seen = Seen::of(view, [low, high], farthest);
    let first = (seen.near - aside).max(0.02);
    let last = (seen.far + aside).max(2.0 * first);
    let mut rings = vec![first];
    while let Some(radius) = rings.last().copied().filter(|radius| *radius < last && rings.len() < 4 * MOST) {
        let square = radius * radius + height * height;
        let away = square.sqrt();
        // As large in the picture as wanted, seen from that height.
        let step = (square / height * angle).clamp(away * angle, (away * APART).max(away * angle));
        rings.push(radius + step);
    }
    let heading = view.forward.truncate().normalize_or(view.up.truncate().normalize_or(Vec2::Y));
    let whole = std::f32::consts::PI;
    let widest = seen.aside.clamp(0.05, whole);
    let steepness = (rings[0] / (rings[0] * rings[0] + height * height).sqrt()).max(0.15);
    let cols = ((2.0 * widest / angle * steepness.max(0.5)) as usize).clamp(16, MOST) + 1;
    let mut knots = Vec::with_capacity(cols * rings.len());
    for (i, radius) in rings.iter().enumerate() {
        let along = if i + 1 < rings.len() { rings[i + 1] - radius } else { radius - rings[i - 1] };
        // Water that waves carry into the picture from beside it counts too.
        let half =
            if seen.aside >= whole { whole } else { (widest + (aside / radius).min(whole)).min(whole) };
        let across = 2.0 * half / (cols - 1) as f32 * radius;
        for col in 0..cols {
            let turn = half * (2.0 * col as f32 / (cols - 1) as f32 - 1.0);
            let place = eye.truncate() + Vec2::from_angle(turn).rotate(heading) * *radius;
            knots.push([place.x, place.y, along.max(across)]);
        }
    }
    Net { size: [cols as u32, rings.len() as u32], knots }
}

/// What a view shows of the sea, around the point below the eye.
struct Seen {
    /// Nearest and farthest water `[m]`.
    near: f32,
    far: f32,
    /// How far it reaches to either side of where the view heads `[rad]`.
    aside: f32,
}

impl Seen {
    fn of(view: &View, [low, high]: [f32; 2], farthest: f32) -> Self {
        /// Rays along each side of the picture.
        const RAYS: usize = 24;
        /// A little more than the picture `[-]`.
        const MARGIN: f32 = 0.02;
        let heading = view.forward.truncate().normalize_or(view.up.truncate().normalize_or(Vec2::Y));
        let (mut near, mut far, mut aside) = (f32::INFINITY, 0.0_f32, 0.0_f32);
        let over = |t: f32| t * (1.0 + 2.0 * MARGIN) - MARGIN;
        for i in 0..4 * RAYS {
            let t = over((i % RAYS) as f32 / RAYS as f32);
            let [x, y] =
                [[t, -MARGIN], [1.0 + MARGIN, t], [1.0 - t, 1.0 + MARGIN], [-MARGIN, 1.0 - t]][i / RAYS];
            let (_, ray) = view.ray(x, y);
            let flat = ray.truncate();
            for level in [low, high] {
                let drop = view.eye.z - level;
                let way = if drop * ray.z < 0.0 { drop / -ray.z * flat.length() } else { farthest };
                near = near.min(if drop <= 0.0 { 0.0 } else { way });
                far = far.max(way.min(farthest));
            }
            if flat.length() > 1.0e-4 {
                aside = aside.max(heading.angle_to(flat).abs());
            }
        }
        // Where the point below the eye is in the picture, water is seen all around.
        let below = view.place_of(view.eye - Vec3::Z * (2.0 * view.near).max(1.0));
        let inside = |at: &[f32; 2]| at.iter().all(|v| (-0.05..=1.05).contains(v));
        if view.forward.z < 0.0 && below.filter(inside).is_some() {
            (near, aside) = (0.0, std::f32::consts::PI);
        }
        Self { near: near.min(farthest), far, aside }
    }
}

/// A net of squares over all that a view along parallel rays shows.
fn flat_net(view: &View, half: f32, [low, high]: [f32; 2], aside: f32, look: &Look, height: u32) -> Net {
    let middle = 0.5 * (low + high);
    let fall = view.forward.z.min(-1.0e-3);
    let wanted = 2.0 * half / height as f32 * look.supersampling as f32 * look.triangle_size;
    let place = |x: f32, y: f32| {
        let (start, ray) = view.ray(x, y);
        (start + ray * ((middle - start.z) / fall)).truncate()
    };
    let corners = [place(0.0, 0.0), place(1.0, 0.0), place(0.0, 1.0), place(1.0, 1.0)];
    let least = corners.into_iter().reduce(Vec2::min).unwrap_or_default() - aside - wanted;
    let most = corners.into_iter().reduce(Vec2::max).unwrap_or_default() + aside + wanted;
    let cols = ((most.x - least.x) / wanted).ceil().clamp(2.0, MOST as f32) as usize + 1;
    let rows = ((most.y - least.y) / wanted).ceil().clamp(2.0, MOST as f32) as usize + 1;
    let step = (most - least) / Vec2::new((cols - 1) as f32, (rows - 1) as f32);
    let knots = (0..cols * rows)
        .map(|i| {
            let at = least + step * Vec2::new((i % cols) as f32, (i / cols) as f32);
            [at.x, at.y, step.max_element()]
        })
        .collect();
    Net { size: [cols as u32, rows as u32], knots }
}
