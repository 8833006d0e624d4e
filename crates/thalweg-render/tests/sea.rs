//! The sea, its foam and the bodies in it, as the graphics device and the processor draw them, against theory.

use std::sync::Arc;

use thalweg_field::{
    Body, BodyPart, Field, FieldInfo, Frame, Grid2, Material, Pose, Sea, SeaPatch, Snapshot, TriMesh,
};
use thalweg_render::gpu::Renderer;
use thalweg_render::{Camera, Extent, Fly, Follow, Look, Picture, Ride, WaterLook, sketch};

fn renderer() -> Renderer {
    Renderer::open().expect("the tests need a graphics adapter, in software if need be")
}

/// A look without anything that spreads light.
fn still() -> Look {
    let water = WaterLook { ripples: 0.0, caustics: false, ..WaterLook::default() };
    Look { haze: 0.0, supersampling: 1, triangle_size: 2.0, water, ..Look::default() }
}

fn open(sea: Sea) -> Snapshot {
    Snapshot { sea: Some(Arc::new(sea)), ..Snapshot::of_fields(Frame::with_cell(1.0), Vec::new()) }
}

fn flat_patch(side: f32, foam: f32) -> SeaPatch {
    let grid = |value| Grid2::filled(8, 8, value);
    let none = || Grid2::filled(0, 0, 0.0);
    SeaPatch { side, corner: [0.0; 2], height: grid(0.0), east: none(), north: none(), foam: grid(foam) }
}

fn fly(height: f32, pitch_degrees: f32, fov_degrees: f32) -> Camera {
    let (pitch, fov) = (pitch_degrees.to_radians(), fov_degrees.to_radians());
    // Away from the sun, which stands in the west.
    Camera::Fly(Fly { position: [3.0, 4.0, height], yaw: 1.2, pitch, fov })
}

const SIZE: [usize; 2] = [120, 90];

fn draw(renderer: &mut Renderer, snapshot: &Snapshot, look: &Look, camera: &Camera) -> Vec<[f32; 3]> {
    let mut world = renderer.load(snapshot, look).unwrap();
    let view = world.view(camera, look, SIZE[0] as f32 / SIZE[1] as f32);
    renderer.light(&mut world, look, &view, SIZE).unwrap()
}

fn mean(light: &[[f32; 3]]) -> [f32; 3] {
    std::array::from_fn(|i| light.iter().map(|l| l[i]).sum::<f32>() / light.len() as f32)
}

fn row(light: &[[f32; 3]], row: usize) -> [f32; 3] {
    mean(&light[row * SIZE[0]..(row + 1) * SIZE[0]])
}

/// A box from one corner to the other, faces outwards.
fn block([x0, y0, z0]: [f32; 3], [x1, y1, z1]: [f32; 3]) -> TriMesh {
    let corner = |i: usize| [[x0, x1][i & 1], [y0, y1][i >> 1 & 1], [z0, z1][i >> 2]];
    let faces = [[0, 2, 1, 3], [4, 5, 6, 7], [0, 1, 4, 5], [2, 6, 3, 7], [0, 4, 2, 6], [1, 3, 5, 7]];
    let mut mesh = TriMesh::default();
    for face in faces {
        let first = mesh.positions.len() as u32;
        mesh.positions.extend(face.map(corner));
        mesh.triangles.extend([[first, first + 1, first + 2], [first + 2, first + 1, first + 3]]);
    }
    mesh.with_normals()
}

/// An open tray of red floor that lies lower than the water around it.
fn tray(dry: bool) -> Body {
    let part = |mesh| BodyPart { mesh: Arc::new(mesh), material: Material::paint([200, 20, 10]) };
    Body {
        name: "tray".into(),
        parts: vec![part(block([-5.0, -5.0, -1.0], [5.0, 5.0, -0.8]))],
        dry: dry.then(|| Arc::new(block([-5.0, -5.0, -1.0], [5.0, 5.0, 0.5]))),
        pose: Pose::heading([3.0, 4.0, 0.0], 0.4),
    }
}

/// On an endless plane the horizon lies at the height of the eye, whatever that is; the test allows one row for the last
/// ring of the net.
#[test]
fn the_horizon_lies_at_the_height_of_the_eye() {
    let mut renderer = renderer();
    let (fov, pitch) = (40.0_f32, 9.0_f32);
    let expected = 0.5 - 0.5 * pitch.to_radians().tan() / (0.5 * fov).to_radians().tan();
    for height in [2.0, 60.0] {
        let light = draw(&mut renderer, &open(Sea::at_rest(0.0, 50.0)), &still(), &fly(height, pitch, fov));
        let step = |r: usize| (0..3).map(|i| (row(&light, r)[i] - row(&light, r + 1)[i]).abs()).sum::<f32>();
        // Roughness of the finest wrinkles darkens the far water below the brightest sky.
        let at = (0..SIZE[1] - 1).max_by(|a, b| step(*a).total_cmp(&step(*b))).unwrap() + 1;
        let wanted = expected * SIZE[1] as f32;
        assert!((at as f32 - wanted).abs() <= 1.5, "from {height} m up it lies in row {at}, not {wanted}");
    }
}

/// Deep water below a straight look is its own colour and 2 % of the sky; at a glance it is nearly all sky.
#[test]
fn water_mirrors_little_from_above_and_nearly_all_at_a_glance() {
    let mut renderer = renderer();
    let mut look = still();
    // Water without a colour of its own: what is left is the mirror.
    look.relief.palette.water_deep = [0; 3];
    look.relief.water_deep = 1.0;
    let sea = open(Sea::at_rest(0.0, 1000.0));
    let blue = |light: [f32; 3]| light[2];
    let above = blue(mean(&draw(&mut renderer, &sea, &look, &fly(50.0, 89.0, 10.0))));
    let sky = blue(mean(&draw(&mut renderer, &sea, &look, &fly(50.0, -89.0, 10.0))));
    let share = above / sky;
    assert!((0.016..0.026).contains(&share), "{share} of the sky overhead is mirrored, not 0.02");
    // 4 degrees down: Schlick says 0.70 for a mirror; wrinkles of 0.02 take some of it.
    let low = draw(&mut renderer, &sea, &look, &fly(50.0, 4.0, 0.4));
    let opposite = draw(&mut renderer, &sea, &look, &fly(50.0, -4.0, 0.4));
    let share = blue(mean(&low)) / blue(mean(&opposite));
    assert!((0.45..0.75).contains(&share), "{share} of the sky is mirrored at 4 degrees");
}

/// Foam covers the share that it tells: between none and all of it the mean light grows in step.
#[test]
fn foam_brightens_by_its_share() {
    let mut renderer = renderer();
    let look = still();
    for height in [9.0, 400.0] {
        let light = |foam: f32| {
            let sea = Sea { patches: vec![flat_patch(16.0, foam)], ..Sea::at_rest(0.0, 100.0) };
            let patch = draw(&mut renderer, &open(sea), &look, &fly(height, 89.0, 80.0));
            mean(&patch)[0]
        };
        let [none, some, all] = [0.0, 0.4, 1.0].map(light);
        let share = (some - none) / (all - none);
        assert!(all > none + 0.4, "foam is white: {all} on water of {none}");
        assert!((share - 0.4).abs() < 0.06, "{share} of the light of full foam from {height} m, not 0.4");
    }
}

/// The floor of an open hull below the waterline is seen where its room is told, and lies under water where not.
#[test]
fn water_stays_out_of_the_dry_room_of_a_hull() {
    let mut renderer = renderer();
    let look = still();
    let camera = fly(20.0, 89.0, 12.0);
    let bare =
        Snapshot { bodies: vec![tray(true)], ..Snapshot::of_fields(Frame::with_cell(1.0), Vec::new()) };
    let floor = mean(&draw(&mut renderer, &bare, &look, &camera));
    let red = |dry: bool| {
        let snapshot = Snapshot { bodies: vec![tray(dry)], ..open(Sea::at_rest(0.0, 30.0)) };
        let light = mean(&draw(&mut renderer, &snapshot, &look, &camera));
        light[0] / light[2]
    };
    let [dry, wet] = [true, false].map(red);
    let expected = floor[0] / floor[2];
    assert!((dry / expected - 1.0).abs() < 0.1, "the dry floor has {dry} of red to blue, alone {expected}");
    assert!(wet < 0.7 * dry, "under water it keeps {wet} of {dry}");
}

/// Waves of the grid fade out before its edge: light crosses it without a step.
#[test]
fn no_seam_shows_at_the_edge_of_the_grid() {
    let fields = |waves: f32| {
        let field = |name: &'static str, value: f32| Field {
            info: FieldInfo::new(name, "m", ""),
            values: Grid2::filled(64, 64, value),
        };
        vec![field("height", -40.0), field("waves", waves), field("foam", waves)]
    };
    let camera = Camera::Fly(Fly { position: [0.0, 32.0, 30.0], yaw: 0.0, pitch: 1.5, fov: 0.5 });
    let mut renderer = renderer();
    let mut drawn = |waves: f32| {
        let sea = Some(Arc::new(Sea::at_rest(0.0, 40.0)));
        draw(
            &mut renderer,
            &Snapshot { sea, ..Snapshot::of_fields(Frame::with_cell(1.0), fields(waves)) },
            &still(),
            &camera,
        )
    };
    let (calm, white) = (drawn(0.0), drawn(0.5));
    let column = |light: &[[f32; 3]], col: usize| {
        (0..SIZE[1]).map(|row| light[row * SIZE[0] + col][0]).sum::<f32>() / SIZE[1] as f32
    };
    // The west end of the grid lies in the middle of the picture.
    let added = |col: usize| column(&white, col) - column(&calm, col);
    let [outside, edge, inside] = [50, 60, 118].map(added);
    assert!(outside.abs() < 1.0e-3, "the grid's foam shows outside of it: {outside}");
    assert!(inside > 0.1, "there is foam on the grid: {inside}");
    assert!(edge < 0.1 * inside, "a step of {edge} at the edge, {inside} within");
}

#[test]
fn cameras_follow_a_body_level_and_ride_with_its_tilt() {
    let heading = 0.7_f64;
    let mut body = tray(false);
    body.pose = Pose::heading([100.0, 50.0, 1.5], heading);
    // Rolled by 0.3 to starboard about its own axis.
    let [.., z, w] = body.pose.turn;
    let (s, c) = 0.15_f64.sin_cos();
    body.pose.turn = [w * s, z * s, z * c, w * c];
    let extent = Extent::of(&Snapshot { bodies: vec![body], ..open(Sea::at_rest(0.0, 30.0)) });
    let ahead = [heading.sin() as f32, heading.cos() as f32, 0.0];
    let follow = Camera::Follow(Follow { body: "tray".into(), distance: Some(40.0), ..Follow::default() });
    let view = extent.view(&follow, 1.0, 1.6);
    assert!(view.right.z.abs() < 1.0e-6, "a camera that follows does not roll");
    let behind = (0..2).map(|i| (view.eye[i] - [100.0, 50.0][i]) * ahead[i]).sum::<f32>();
    assert!(behind < -30.0 && view.eye.z > 5.0, "it stands behind and above: {behind} m, {}", view.eye);
    let ride = Camera::Ride(Ride {
        body: "tray".into(),
        seat: Some([0.0, 0.0, 2.0]),
        pitch: 0.0,
        ..Ride::default()
    });
    let view = extent.view(&ride, 1.0, 1.6);
    let along: f32 = (0..3).map(|i| view.forward[i] * ahead[i]).sum();
    assert!((along - 1.0).abs() < 1.0e-4, "it looks along the bow: {}", view.forward);
    assert!((view.right.z + 0.3_f32.sin()).abs() < 1.0e-4, "it rolls with the body: {}", view.right);
    assert_eq!(extent.body_names().collect::<Vec<_>>(), ["tray"]);
}

/// The processor is plainer, but horizon, hull and colour are where the graphics device has them.
#[test]
fn processor_and_device_show_the_same_sea_and_bodies() {
    let mut look = still();
    look.supersampling = 2;
    let snapshot = Snapshot { bodies: vec![tray(true)], ..open(Sea::at_rest(0.0, 30.0)) };
    let camera = Camera::Fly(Fly { position: [-18.0, -20.0, 14.0], yaw: 0.72, pitch: 0.3, fov: 0.9 });
    let mut renderer = renderer();
    let mut world = renderer.load(&snapshot, &look).unwrap();
    let device = renderer.picture(&mut world, &look, &camera, SIZE).unwrap();
    let processor = sketch(&snapshot, &look, &camera, SIZE, None);
    let red = |picture: &Picture, i: usize| picture.rgb[3 * i] > picture.rgb[3 * i + 2].saturating_add(30);
    let (mut both, mut one) = (0, 0);
    for i in 0..SIZE[0] * SIZE[1] {
        let seen = [red(&device, i), red(&processor, i)];
        both += usize::from(seen == [true; 2]);
        one += usize::from(seen[0] || seen[1]);
    }
    assert!(both > 300 && both as f32 > 0.85 * one as f32, "the floor covers {both} of {one} pixels in both");
    // Water is darker than the sky above the horizon in both.
    for picture in [&device, &processor] {
        let grey = |row: usize| {
            let bytes = &picture.rgb[3 * row * SIZE[0]..3 * (row + 1) * SIZE[0]];
            bytes.iter().map(|b| f32::from(*b)).sum::<f32>() / bytes.len() as f32
        };
        assert!(grey(2) > 1.3 * grey(SIZE[1] - 3), "sky {} and sea {}", grey(2), grey(SIZE[1] - 3));
    }
}
