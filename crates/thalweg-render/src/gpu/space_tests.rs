//! What only shows in the depths and surfaces behind a picture.

use glam::Vec3;
use thalweg_field::{Frame, Matter, Mesh, Points, Snapshot, TriMesh};

use super::fluid::DISTANCES;
use super::globals::texture_entry;
use super::texture::{EXACT, Texture};
use super::{Renderer, World, begin, fullscreen_pipeline};
use crate::{Camera, Fly, Lens, Look, ParticleShape, View};

const SIDE: u32 = 128;

fn renderer() -> Renderer {
    Renderer::open().expect("a graphics adapter; a software one will do")
}

fn look(shape: ParticleShape) -> Look {
    let mut look = Look { supersampling: 1, haze: 0.0, ..Look::default() };
    look.particles.shape = shape;
    look
}

fn empty() -> Snapshot {
    Snapshot::of_fields(Frame::with_cell(1.0), Vec::new())
}

fn of_points(positions: Vec<[f32; 3]>, radius: f32) -> Snapshot {
    Snapshot { points: Some(Points { positions, radius, ..Points::default() }), ..empty() }
}

/// A sphere of triangles so fine that its facets lie within 1e-4 radii of the true one.
fn fine_sphere(centre: Vec3, radius: f32) -> Snapshot {
    const ROUND: u32 = 384;
    const HIGH: u32 = 192;
    let place = |i: u32| {
        let (turn, rise) = ((i % ROUND) as f32 / ROUND as f32, (i / ROUND) as f32 / HIGH as f32);
        let (turn, rise) = (turn * std::f32::consts::TAU, (rise - 0.5) * std::f32::consts::PI);
        let out = Vec3::new(turn.cos() * rise.cos(), turn.sin() * rise.cos(), rise.sin());
        (centre + out * radius).to_array()
    };
    let quad = |i: u32| {
        let (a, b) = (i, i / ROUND * ROUND + (i + 1) % ROUND);
        [[a, b, a + ROUND], [b, b + ROUND, a + ROUND]]
    };
    let mesh = TriMesh {
        positions: (0..ROUND * (HIGH + 1)).map(place).collect(),
        normals: Vec::new(),
        triangles: (0..ROUND * HIGH).flat_map(quad).collect(),
    };
    let solid = Mesh { name: "ball".into(), matter: Matter::Solid([200, 90, 40]), mesh };
    Snapshot { meshes: vec![solid], ..empty() }
}

/// The depths of the last picture, drawn as bits: not every device reads depths back.
fn depth_bytes(renderer: &Renderer) -> Vec<u8> {
    const SHADER: &str = "@group(0) @binding(0) var depths: texture_2d<f32>;
        @vertex fn vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
            return vec4f(vec2f(f32((i << 1u) & 2u), f32(i & 2u)) * 2.0 - 1.0, 0.0, 1.0);
        }
        @fragment fn fragment(@builtin(position) at: vec4f) -> @location(0) u32 {
            return bitcast<u32>(textureLoad(depths, vec2i(at.xy), 0).r);
        }";
    let (gpu, depth) = (&renderer.gpu, &renderer.targets.as_ref().unwrap().depth);
    let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &[texture_entry(0, EXACT)],
    });
    let bits = Texture::new(gpu, "bits", depth.size(), DISTANCES, 1);
    let module = gpu.shader("bits", &[SHADER]);
    let pipeline = fullscreen_pipeline(gpu, "bits", &module, &[&layout], "fragment", DISTANCES, None);
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &layout,
        entries: &[depth.bound(0, EXACT)],
    });
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    {
        let mut pass = begin(&mut encoder, "bits", &[&bits.view], None);
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
    }
    gpu.queue.submit([encoder.finish()]);
    gpu.texture_bytes(&bits.texture).unwrap()
}

/// Distance along the middle ray to what is seen at each pixel `[m]`; `None` where there is only the table.
fn distances(renderer: &mut Renderer, snapshot: &Snapshot, look: &Look, view: &View) -> Vec<Option<f32>> {
    let mut world = renderer.load(snapshot, look).unwrap();
    renderer.draw_light(&mut world, look, view, [SIDE; 2]);
    let bytes = depth_bytes(renderer);
    let depths: &[f32] = bytemuck::cast_slice(&bytes);
    let distance = |depth: &f32| match view.lens {
        _ if *depth == 0.0 => None,
        Lens::Perspective(_) => Some(view.near / depth),
        Lens::Parallel(_) => Some(view.far + (view.near - view.far) * depth),
    };
    depths.iter().map(distance).collect()
}

/// Draws a sphere both ways and compares outline and depth.
fn compare(renderer: &mut Renderer, centre: Vec3, radius: f32, camera: &Camera) {
    let look = look(ParticleShape::Spheres);
    let ball = of_points(vec![centre.to_array()], radius);
    let mut view = renderer.load(&ball, &look).unwrap().view(camera, &look, 1.0);
    // Room in front of the sphere, also where it comes close.
    view.near *= 0.1;
    let drawn = distances(renderer, &ball, &look, &view);
    let mesh = distances(renderer, &fine_sphere(centre, radius), &look, &view);
    let area = mesh.iter().flatten().count();
    assert!(area > 500, "{camera:?} shows {area} px of {centre}");
    let differing = drawn.iter().zip(&mesh).filter(|(a, b)| a.is_some() != b.is_some()).count();
    assert!(differing * 200 <= area, "{differing} of {area} px differ in outline, {centre} {camera:?}");
    let mut worst = [0.0f32; 2];
    for (i, (a, b)) in drawn.iter().zip(&mesh).enumerate() {
        let (Some(a), Some(b)) = (a, b) else { continue };
        let pixel = [i as u32 % SIDE, i as u32 / SIDE].map(|n| (n as f32 + 0.5) / SIDE as f32);
        let (start, ray) = view.ray(pixel[0], pixel[1]);
        let (start, ray, centre) = (start.as_dvec3(), ray.as_dvec3(), centre.as_dvec3());
        let along = (centre - start).dot(ray);
        let half2 = f64::from(radius).powi(2) - (centre - start - ray * along).length_squared();
        // Towards the rim depth changes faster than any pixel can show.
        if half2 < 0.1 * f64::from(radius).powi(2) {
            continue;
        }
        let exact = (start + ray * (along - half2.sqrt()) - view.eye.as_dvec3()).dot(view.forward.as_dvec3());
        worst[0] = worst[0].max((a - exact as f32).abs() / radius);
        worst[1] = worst[1].max((a - b).abs() / radius);
    }
    // Single precision at a few tens of metres; the facets of the mesh.
    assert!(worst[0] < 2.0e-4, "depth off by {} radii, {centre} {camera:?}", worst[0]);
    assert!(worst[1] < 1.0e-3, "depth differs by {} radii from the mesh's, {centre} {camera:?}", worst[1]);
}

#[test]
fn a_particle_has_the_outline_and_depth_of_a_sphere() {
    let mut renderer = renderer();
    let from =
        |position: [f32; 3], yaw: f32, pitch: f32, fov: f32| Camera::Fly(Fly { position, yaw, pitch, fov });
    let ahead = Vec3::new(0.0, 10.0, 2.0);
    // In the middle, towards a corner, far to the side of a wide lens, and so near that it fills the view.
    compare(&mut renderer, ahead, 2.0, &from([0.0, 0.0, 2.0], 0.0, 0.0, 0.6));
    compare(&mut renderer, ahead, 2.0, &from([0.0, 0.0, 2.0], 0.25, 0.25, 1.2));
    compare(&mut renderer, ahead, 3.0, &from([0.0, 0.0, 2.0], -0.6, 0.1, 1.9));
    compare(&mut renderer, ahead, 3.0, &from([1.0, 6.4, 3.0], 0.1, 0.3, 1.5));
    compare(&mut renderer, Vec3::new(-40.0, -70.0, -9.0), 1.5, &Camera::orbit(2.0, 0.7));
    compare(&mut renderer, Vec3::new(-40.0, 7.0, 3.0), 1.5, &Camera::Top);
}

#[test]
fn a_particle_much_smaller_than_a_pixel_is_still_seen() {
    let mut renderer = renderer();
    let look = look(ParticleShape::Spheres);
    let camera = Camera::Fly(Fly { position: [0.0, -300.0, 40.0], yaw: 0.0, pitch: 0.1, fov: 0.8 });
    for i in 0..40 {
        let at = |n: f32| (n * 0.618_034).fract() * 100.0 - 50.0;
        let speck = of_points(vec![[at(i as f32), at(i as f32 + 0.3), at(i as f32 + 0.7)]], 1.0e-3);
        let view = renderer.load(&speck, &look).unwrap().view(&camera, &look, 1.0);
        let seen = distances(&mut renderer, &speck, &look, &view).iter().flatten().count();
        assert!((1..=4).contains(&seen), "particle {i} covers {seen} px");
    }
}

/// A level sheet of particles, `layers` thick.
fn sheet(layers: usize, radius: f32) -> Snapshot {
    const ACROSS: usize = 60;
    let place = |i: usize| {
        let [x, y, z] = [i % ACROSS, i / ACROSS % ACROSS, i / (ACROSS * ACROSS)];
        [x, y, z].map(|n| (n as f32 + 0.5) * 2.0 * radius)
    };
    of_points((0..ACROSS * ACROSS * layers).map(place).collect(), radius)
}

fn surface_normal(bits: u32) -> Vec3 {
    let [x, y] = [bits, bits >> 12].map(|bits| (bits & 0xfff) as f32 / 2047.0 - 1.0);
    let z = 1.0 - x.abs() - y.abs();
    let fold = |a: f32, b: f32| if z < 0.0 { (1.0 - b.abs()) * if a >= 0.0 { 1.0 } else { -1.0 } } else { a };
    Vec3::new(fold(x, y), fold(y, x), z).normalize()
}

#[test]
fn a_level_sheet_of_particles_is_a_level_surface_of_its_thickness() {
    let mut renderer = renderer();
    let look = look(ParticleShape::Surface);
    for (camera, layers) in [
        (Camera::orbit(0.3, 1.2), 3),
        (Camera::orbit(-0.6, 0.7), 4),
        (Camera::orbit(1.0, 0.9), 20),
        (Camera::Top, 3),
    ] {
        let radius = 0.05;
        let snapshot = sheet(layers, radius);
        let mut world: World = renderer.load(&snapshot, &look).unwrap();
        let view = world.view(&camera, &look, 1.0);
        renderer.draw_light(&mut world, &look, &view, [SIDE; 2]);
        let waters = renderer.space.waters().unwrap();
        let bytes = renderer.gpu.texture_bytes(&waters.surfaces.texture).unwrap();
        let surfaces: &[[u32; 2]] = bytemuck::cast_slice(&bytes);
        let bytes = renderer.gpu.texture_bytes(&waters.behind.texture).unwrap();
        let behind: &[[half::f16; 4]] = bytemuck::cast_slice(&bytes);
        let top = layers as f32 * 2.0 * radius;
        let mut count = 0;
        for i in 0..SIDE * SIDE {
            let pixel = [i % SIDE, i / SIDE].map(|n| (n as f32 + 0.5) / SIDE as f32);
            let (start, ray) = view.ray(pixel[0], pixel[1]);
            let met = start + ray * ((top - start.z) / ray.z);
            let left = start + ray * (-start.z / ray.z);
            // Away from the sides, where the sheet bends down and rays leave through them.
            if [met, left].iter().any(|p| p.x.min(p.y) < 0.8 || p.x.max(p.y) > 5.2) {
                continue;
            }
            count += 1;
            let [normal, depth] = surfaces[i as usize];
            assert_ne!(depth, 0, "a hole at {pixel:?}, {camera:?}");
            let tilt = surface_normal(normal).angle_between(Vec3::Z).to_degrees();
            assert!(tilt < 4.0, "tilted by {tilt} degrees at {pixel:?}, {camera:?}");
            let thickness = behind[i as usize][3].to_f32();
            let expected = top / -ray.z;
            let share = thickness / expected;
            assert!((0.85..1.15).contains(&share), "{thickness} m of {expected} m at {pixel:?}, {camera:?}");
            let depth = f32::from_bits(depth);
            let way = match view.lens {
                Lens::Perspective(_) => view.near / depth / ray.dot(view.forward),
                Lens::Parallel(_) => view.far + (view.near - view.far) * depth,
            };
            let height = (start + ray * way).z;
            assert!((height - top).abs() < 0.6 * radius, "{height} m, not {top} m at {pixel:?}, {camera:?}");
        }
        assert!(count > 1000, "{count} px of the sheet were looked at, {camera:?}");
    }
}
