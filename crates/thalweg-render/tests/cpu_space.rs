//! Particles, meshes and overlays as the processor draws them, through the public API.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;

use glam::Vec3;
use thalweg_field::random::Key;
use thalweg_field::{Column, Field, FieldInfo, Frame, Grid2, Matter, Mesh, Points, Snapshot, TriMesh};
use thalweg_render::{
    Camera, ColourMap, Extent, Fly, Look, MapStyle, Overlay, ParticleShape, Picture, View, sketch,
};
use thalweg_test_support::on_threads;

const SIZE: [usize; 2] = [160, 120];
const ASPECT: f32 = SIZE[0] as f32 / SIZE[1] as f32;

/// Nothing between the eye and the colours, no shadows beside things.
fn plain() -> Look {
    Look { haze: 0.0, shadows: false, ..Look::default() }
}

fn shaped(shape: ParticleShape) -> Look {
    let mut look = plain();
    look.particles.shape = shape;
    look
}

fn empty() -> Snapshot {
    Snapshot::of_fields(Frame::with_cell(1.0), Vec::new())
}

fn of_points(positions: Vec<[f32; 3]>, radius: f32) -> Snapshot {
    Snapshot { points: Some(Points { positions, radius, ..Points::default() }), ..empty() }
}

fn field(name: &'static str, values: Grid2<f32>) -> Field {
    Field { info: FieldInfo::new(name, "m", "made up"), values }
}

fn draw(snapshot: &Snapshot, look: &Look, camera: &Camera) -> Picture {
    sketch(snapshot, look, camera, SIZE, None)
}

fn view_of(snapshot: &Snapshot, camera: &Camera) -> View {
    Extent::of(snapshot).view(camera, 1.0, ASPECT)
}

/// The pixel of a place.
fn pixel_of(view: &View, place: Vec3) -> [usize; 2] {
    let [x, y] = view.place_of(place).expect("in front of the camera");
    [(x * SIZE[0] as f32) as usize, (y * SIZE[1] as f32) as usize]
}

fn linear(srgb: u8) -> f32 {
    let v = f32::from(srgb) / 255.0;
    if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

fn brightness(picture: &Picture, [x, y]: [usize; 2]) -> f32 {
    picture.pixel(x, y).iter().map(|v| linear(*v)).sum::<f32>() / 3.0
}

/// A closed box.
fn solid_box(low: [f32; 3], high: [f32; 3]) -> TriMesh {
    let corner =
        |i: usize| std::array::from_fn(|axis| if i >> axis & 1 == 0 { low[axis] } else { high[axis] });
    // Corners of each side, counter-clockwise from outside; each side has corners of its own.
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [3, 2, 6, 7], [2, 0, 4, 6], [1, 3, 7, 5]];
    let triangles = |side: u32| [[0, 1, 2], [0, 2, 3]].map(|t| t.map(|i: u32| 4 * side + i));
    TriMesh {
        positions: sides.iter().flatten().map(|i| corner(*i)).collect(),
        normals: Vec::new(),
        triangles: (0..6).flat_map(triangles).collect(),
    }
}

fn of_mesh(matter: Matter, mesh: TriMesh) -> Snapshot {
    Snapshot { meshes: vec![Mesh { name: "thing".into(), matter, mesh }], ..empty() }
}

/// How a snapshot looks with and without its particles.
fn with_and_without(snapshot: &Snapshot, camera: &Camera) -> [Picture; 2] {
    [ParticleShape::Spheres, ParticleShape::Hidden].map(|shape| draw(snapshot, &shaped(shape), camera))
}

#[test]
fn a_sphere_covers_the_pixels_that_geometry_says() {
    let fly = |position, yaw: f32, pitch, fov| Camera::Fly(Fly { position, yaw, pitch, fov });
    // In the middle, towards a corner of a wide lens, filling the picture, all around, and from above.
    for (centre, radius, camera) in [
        ([0.0, 10.0, 2.0], 2.0, fly([0.0, 0.0, 2.0], 0.0, 0.0, 0.7)),
        ([0.0, 10.0, 2.0], 2.0, fly([0.0, 0.0, 2.0], 0.4, 0.3, 1.5)),
        ([0.0, 10.0, 2.0], 3.0, fly([1.0, 6.4, 3.0], 0.1, 0.3, 1.5)),
        ([-40.0, -70.0, -9.0], 1.5, Camera::orbit(2.0, 0.7)),
        ([-40.0, 7.0, 3.0], 1.5, Camera::Top),
    ] {
        let snapshot = of_points(vec![centre], radius);
        let [full, bare] = with_and_without(&snapshot, &camera);
        let view = view_of(&snapshot, &camera);
        let centre = Vec3::from_array(centre);
        // How far the ray through a place of the picture passes the centre, in radii.
        let apart = |x: f32, y: f32| {
            let (start, ray) = view.ray(x / SIZE[0] as f32, y / SIZE[1] as f32);
            let way = centre - start;
            (way - ray * way.dot(ray)).length() / radius
        };
        let mut covered = 0;
        for i in 0..SIZE[0] * SIZE[1] {
            let [x, y] = [i % SIZE[0], i / SIZE[0]];
            let corners =
                [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[a, b]| apart((x + a) as f32, (y + b) as f32));
            let hit = full.pixel(x, y) != bare.pixel(x, y);
            covered += usize::from(hit);
            // Pixels that the outline crosses may be either.
            if corners.iter().all(|apart| *apart < 1.0) {
                assert!(hit, "{camera:?}: the sphere has a hole at {x}, {y}");
            } else if corners.iter().all(|apart| *apart > 1.0) {
                assert!(!hit, "{camera:?}: the sphere reaches {x}, {y}, {} radii off", corners[0]);
            }
        }
        assert!(covered > 300, "{camera:?}: only {covered} px are covered");
    }
}

#[test]
fn a_speck_much_smaller_than_a_pixel_is_still_seen() {
    let camera = Camera::Fly(Fly { position: [0.0, -300.0, 40.0], yaw: 0.0, pitch: 0.1, fov: 0.8 });
    for i in 0..40 {
        let at = |n: f32| (n * 0.618_034).fract() * 100.0 - 50.0;
        let speck = of_points(vec![[at(i as f32), at(i as f32 + 0.3), at(i as f32 + 0.7)]], 1.0e-3);
        let [full, bare] = with_and_without(&speck, &camera);
        let seen = full.rgb.chunks_exact(3).zip(bare.rgb.chunks_exact(3)).filter(|(a, b)| a != b).count();
        assert!((1..=4).contains(&seen), "particle {i} covers {seen} px");
    }
}

/// Particles coloured by a column from 0 to 1.
fn coloured(positions: Vec<[f32; 3]>, values: Vec<f32>) -> (Snapshot, Look) {
    let mut snapshot = of_points(positions, 1.0);
    let info = FieldInfo::new("pressure", "Pa", "pressure");
    snapshot.points.as_mut().unwrap().columns.push(Column { info, values });
    let mut look = plain();
    let style = MapStyle { range: Some([0.0, 1.0]), ..MapStyle::default() };
    look.particles.colour = Some((Cow::Borrowed("pressure"), style));
    (snapshot, look)
}

/// Shares of red, green and blue in the light of a colour.
fn tint(colour: [u8; 3]) -> [f32; 3] {
    let light = colour.map(linear);
    light.map(|part| part / light.iter().sum::<f32>())
}

fn apart(a: [f32; 3], b: [f32; 3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn a_column_paints_particles_in_the_colours_of_its_map() {
    let values: Vec<f32> = (0..5).map(|i| 0.25 * i as f32).collect();
    let (snapshot, look) = coloured((0..5).map(|i| [i as f32 * 3.0, 0.0, 0.0]).collect(), values.clone());
    let picture = draw(&snapshot, &look, &Camera::Top);
    let view = view_of(&snapshot, &Camera::Top);
    for (i, value) in values.iter().enumerate() {
        let [x, y] = pixel_of(&view, Vec3::new(i as f32 * 3.0, 0.0, 1.0));
        let (found, paint) = (picture.pixel(x, y), ColourMap::Viridis.colour(*value));
        // Sunlight is a little warm: in all parts together less than a tenth.
        let off = apart(tint(found), tint(paint));
        assert!(off < 0.08, "{value}: {found:?} has shares {:?}, not those of {paint:?}", tint(found));
        let share = brightness(&picture, [x, y]) / (paint.map(linear).iter().sum::<f32>() / 3.0);
        assert!((0.6..1.3).contains(&share), "{value}: {share} of the light of its colour");
    }
    let mut uncoloured = snapshot.clone();
    uncoloured.points.as_mut().unwrap().columns.clear();
    let [x, y] = pixel_of(&view, Vec3::new(0.0, 0.0, 1.0));
    let [red, green, blue] = draw(&uncoloured, &look, &Camera::Top).pixel(x, y);
    assert!(blue > green && green > red, "without its column it is water, not {red} {green} {blue}");
}

#[test]
fn the_nearer_particle_hides_the_farther_one() {
    let camera = Camera::Fly(Fly { position: [0.0, -20.0, 0.0], yaw: 0.0, pitch: 0.0, fov: 0.3 });
    let (near, far) = ([0.0, 0.0, 0.0], [0.0, 5.0, 0.0]);
    for (places, values) in [(vec![near, far], vec![0.0, 1.0]), (vec![far, near], vec![1.0, 0.0])] {
        let (snapshot, look) = coloured(places, values);
        let found = draw(&snapshot, &look, &camera).pixel(SIZE[0] / 2, SIZE[1] / 2);
        let off = [0.0, 1.0].map(|at| apart(tint(found), tint(ColourMap::Viridis.colour(at))));
        assert!(off[0] < off[1], "{found:?} is the colour of the farther one");
    }
}

/// Flat ground with a ridge of 10 m across its middle, from west to east.
fn ridge() -> Snapshot {
    let height = |_: usize, row: usize| 10.0 * (-((row as f32 - 20.0) / 3.0).powi(2)).exp();
    Snapshot::of_fields(Frame::with_cell(1.0), vec![field("height", Grid2::from_fn(40, 40, height))])
}

#[test]
fn the_ground_hides_a_particle_behind_a_hill() {
    let camera = Camera::Fly(Fly { position: [20.0, 2.0, 5.0], yaw: 0.0, pitch: 0.0, fov: 0.9 });
    let differing = |place: [f32; 3]| {
        let snapshot = Snapshot { points: of_points(vec![place], 1.5).points, ..ridge() };
        let [full, bare] = with_and_without(&snapshot, &camera);
        full.rgb.chunks_exact(3).zip(bare.rgb.chunks_exact(3)).filter(|(a, b)| a != b).count()
    };
    let hidden = differing([20.0, 30.0, 3.0]);
    assert_eq!(hidden, 0, "{hidden} px are seen through the hill");
    let [above, before] = [differing([20.0, 30.0, 16.0]), differing([20.0, 10.0, 3.0])];
    assert!(above > 50 && before > 200, "{above} px above the hill, {before} px in front of it");
}

#[test]
fn a_box_is_lighter_on_the_side_of_the_sun_and_its_shadow_falls_away_from_it() {
    let mut look = Look { haze: 0.0, ..Look::default() };
    look.relief.sun_azimuth = 270f32.to_radians();
    look.relief.sun_elevation = 35f32.to_radians();
    let snapshot = of_mesh(Matter::Solid([180, 170, 160]), solid_box([0.0; 3], [4.0, 4.0, 4.0]));
    let side = |yaw: f32| {
        let camera = Camera::orbit(yaw.to_radians(), 0.15);
        let at = pixel_of(&view_of(&snapshot, &camera), Vec3::new(2.0, 2.0, 2.0));
        brightness(&draw(&snapshot, &look, &camera), at)
    };
    // Looking east shows the west side.
    let [west, east] = [side(90.0), side(270.0)];
    assert!(west > 2.0 * east && east > 0.02, "{west} towards the sun, {east} away from it");
    let camera = Camera::Fly(Fly { position: [2.0, -14.0, 9.0], yaw: 0.0, pitch: 0.5, fov: 0.9 });
    let table = draw(&snapshot, &look, &camera);
    let beside = |x: f32| brightness(&table, pixel_of(&view_of(&snapshot, &camera), Vec3::new(x, 2.0, 0.0)));
    let [lit, shaded] = [beside(-2.0), beside(6.0)];
    assert!(shaded < 0.7 * lit, "the table: {lit} on the sun's side, {shaded} behind the box");
}

#[test]
fn particles_and_meshes_hide_each_other() {
    let camera = Camera::Fly(Fly { position: [0.0, -20.0, 0.0], yaw: 0.0, pitch: 0.0, fov: 0.5 });
    let mut snapshot = of_points(vec![[0.0, 0.0, 0.0]], 1.0);
    let mut middle = |wall: f32| {
        let mesh = solid_box([-3.0, wall, -3.0], [3.0, wall + 0.5, 3.0]);
        snapshot.meshes = of_mesh(Matter::Solid([200, 60, 40]), mesh).meshes;
        let [red, _, blue] = draw(&snapshot, &plain(), &camera).pixel(SIZE[0] / 2, SIZE[1] / 2);
        i32::from(blue) - i32::from(red)
    };
    let [behind, before] = [middle(3.0), middle(-4.0)];
    assert!(behind > 20, "the blue particle stands before the wall: {behind}");
    assert!(before < -20, "the red wall stands before the particle: {before}");
}

#[test]
fn a_triangle_around_the_eye_is_seen_where_it_lies_ahead() {
    // A floor that begins far behind the camera.
    let floor = TriMesh {
        positions: vec![[-500.0, -500.0, 0.0], [500.0, -500.0, 0.0], [0.0, 900.0, 0.0]],
        normals: Vec::new(),
        triangles: vec![[0, 1, 2]],
    };
    let snapshot = of_mesh(Matter::Solid([230, 40, 40]), floor);
    let camera = Camera::Fly(Fly { position: [0.0, 0.0, 5.0], yaw: 0.0, pitch: 0.0, fov: 1.0 });
    let picture = draw(&snapshot, &plain(), &camera);
    let red = |y: usize| {
        let [red, _, blue] = picture.pixel(SIZE[0] / 2, y);
        red > blue
    };
    assert!((SIZE[1] / 2 + 4..SIZE[1]).all(red), "the floor is missing below the horizon");
    assert!(!(0..SIZE[1] / 2 - 2).any(red), "the floor is seen above the horizon");
}

#[test]
fn what_is_nowhere_changes_nothing() {
    let unit = |i: u64, axis: u64| Key::new(7).with(i).with(axis).unit() as f32;
    let mut places: Vec<[f32; 3]> = (0..50).map(|i| [0, 1, 2].map(|axis| 9.0 * unit(i, axis))).collect();
    let without = draw(&of_points(places.clone(), 0.8), &plain(), &Camera::default());
    places.extend([[f32::NAN, 5.0, 2.0], [8.0, f32::INFINITY, 2.0], [f32::NEG_INFINITY; 3]]);
    let with = draw(&of_points(places, 0.8), &plain(), &Camera::default());
    assert!(without == with);
    // Nothing at all is a picture too.
    assert_eq!(draw(&empty(), &plain(), &Camera::default()).rgb.len(), SIZE[0] * SIZE[1] * 3);
}

/// Rough ground in a low sun, half of whose cells have the value 0 and half the value 1.
fn draped() -> (Snapshot, Look) {
    let height = |c: usize, r: usize| 40.0 * ((c as f32 * 0.4).sin() + (r as f32 * 0.5).cos());
    let fields = vec![
        field("height", Grid2::from_fn(40, 40, height)),
        field("flow", Grid2::from_fn(40, 40, |c, _| f32::from(c as u8 / 20))),
    ];
    let mut look = Look::default();
    look.relief.sun_elevation = 12f32.to_radians();
    let style = MapStyle { range: Some([0.0, 1.0]), relief: 0.08, ..MapStyle::default() };
    look.overlay = Some(Overlay { field: "flow".into(), style, opacity: 1.0 });
    (Snapshot::of_fields(Frame::with_cell(5.0), fields), look)
}

#[test]
fn an_overlay_has_the_colours_of_its_legend_whatever_the_light() {
    let (snapshot, look) = draped();
    for camera in [Camera::default(), Camera::orbit(1.8, 1.1)] {
        let picture = draw(&snapshot, &look, &camera);
        let legend = [0.0, 1.0].map(|at| ColourMap::Viridis.colour(at));
        let (mut counts, mut off) = ([0; 2], Vec::new());
        for pixel in picture.rgb.chunks_exact(3) {
            let pixel = [pixel[0], pixel[1], pixel[2]];
            let Some(half) = legend.iter().position(|colour| apart(tint(pixel), tint(*colour)) < 0.02) else {
                continue;
            };
            counts[half] += 1;
            let share = pixel.map(linear).iter().sum::<f32>() / legend[half].map(linear).iter().sum::<f32>();
            off.extend((!(0.85..1.1).contains(&share)).then_some((pixel, share)));
        }
        assert!(
            counts.iter().all(|count| *count > 1500),
            "{counts:?} px in the legend's colours, {camera:?}"
        );
        // Along crests and borders a pixel shows a little of what lies behind.
        let few = counts.iter().sum::<usize>() / 50;
        assert!(off.len() < few, "{} px are off the legend's light, {camera:?}: {off:?}", off.len());
    }
}

#[test]
fn one_and_many_threads_draw_the_same_bytes() {
    let (mut snapshot, look) = draped();
    let unit = |i: u64, axis: u64| Key::new(3).with(i).with(axis).unit() as f32;
    let place = |i: u64| [200.0 * unit(i, 0), 200.0 * unit(i, 1), 60.0 * unit(i, 2)];
    snapshot.points =
        Some(Points { positions: (0..6000).map(place).collect(), radius: 2.0, ..Points::default() });
    for (low, matter) in [(20.0, Matter::Water), (90.0, Matter::Solid([120, 90, 70]))] {
        let mesh = solid_box([low, low, -20.0], [low + 50.0, low + 40.0, 70.0]);
        snapshot.meshes.push(Mesh { name: "box".into(), matter, mesh });
    }
    let pictures = |threads: usize| {
        on_threads(threads, || [Camera::default(), Camera::Top].map(|camera| draw(&snapshot, &look, &camera)))
    };
    assert!(pictures(1) == pictures(5));
}

#[test]
fn drawing_ends_unfinished_once_it_is_told_to_stop() {
    let (snapshot, look) = draped();
    let stopped = |stop: bool| {
        let stop = AtomicBool::new(stop);
        sketch(&snapshot, &look, &Camera::default(), SIZE, Some(&stop))
    };
    assert!(stopped(true).rgb.iter().all(|v| *v == 0), "something was drawn");
    assert!(stopped(false) == draw(&snapshot, &look, &Camera::default()));
}
