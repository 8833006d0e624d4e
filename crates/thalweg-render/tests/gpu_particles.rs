//! Particles and meshes in pictures, through the public API. Needs a graphics adapter; Mesa's software one
//! will do.

use std::borrow::Cow;

use glam::Vec3;
use thalweg_field::random::Key;
use thalweg_field::{Column, Field, FieldInfo, Frame, Grid2, Matter, Mesh, Points, Snapshot, TriMesh};
use thalweg_render::gpu::Renderer;
use thalweg_render::{Camera, ColourMap, Look, MapStyle, ParticleShape, Picture, sketch};

const SIDE: usize = 128;

fn renderer() -> Renderer {
    Renderer::open().expect("a graphics adapter; a software one will do")
}

fn plain() -> Look {
    Look { supersampling: 1, haze: 0.0, ..Look::default() }
}

fn shaped(shape: ParticleShape) -> Look {
    let mut look = plain();
    look.particles.shape = shape;
    look
}

fn of_points(positions: Vec<[f32; 3]>, radius: f32) -> Snapshot {
    let points = Points { positions, radius, ..Points::default() };
    Snapshot { points: Some(points), ..Snapshot::of_fields(Frame::with_cell(1.0), Vec::new()) }
}

fn picture(renderer: &mut Renderer, snapshot: &Snapshot, look: &Look, camera: &Camera) -> Picture {
    let mut world = renderer.load(snapshot, look).unwrap();
    renderer.picture(&mut world, look, camera, [SIDE, SIDE]).unwrap()
}

/// Particles scattered in a box far from the origin, also below zero.
fn scattered(count: u64) -> Vec<[f32; 3]> {
    let unit = |i: u64, axis: u64| Key::new(7).with(i).with(axis).unit() as f32;
    (0..count)
        .map(|i| [unit(i, 0) * 30.0 - 95.0, unit(i, 1) * 20.0 + 40.0, unit(i, 2) * 12.0 - 30.0])
        .collect()
}

/// A closed box.
fn solid_box(low: [f32; 3], high: [f32; 3]) -> TriMesh {
    let corner =
        |i: usize| std::array::from_fn(|axis| if i >> axis & 1 == 0 { low[axis] } else { high[axis] });
    // Corners of each side, counter-clockwise from outside; each side has corners of its own.
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [3, 2, 6, 7], [2, 0, 4, 6], [1, 3, 7, 5]];
    TriMesh {
        positions: sides.iter().flatten().map(|i| corner(*i)).collect(),
        normals: Vec::new(),
        triangles: (0..6)
            .flat_map(|side| [[0, 1, 2], [0, 2, 3]].map(|t| t.map(|i: u32| 4 * side + i)))
            .collect(),
    }
    .with_normals()
}

fn linear(srgb: u8) -> f32 {
    let v = f32::from(srgb) / 255.0;
    if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

#[test]
fn a_column_paints_particles_in_the_colours_of_its_scale() {
    let mut renderer = renderer();
    let mut snapshot = of_points((0..5).map(|i| [i as f32 * 3.0, 0.0, 0.0]).collect(), 1.0);
    let values = vec![2.0, 3.0, 4.0, 5.0, 6.0];
    let info = FieldInfo::new("pressure", "Pa", "pressure");
    snapshot.points.as_mut().unwrap().columns.push(Column { info, values: values.clone() });
    let mut look = plain();
    let style = MapStyle { range: Some([2.0, 6.0]), ..MapStyle::default() };
    look.particles.colour = Some((Cow::Borrowed("pressure"), style));
    let mut world = renderer.load(&snapshot, &look).unwrap();
    let scale = *world.particle_scale().expect("a column colours them");
    assert_eq!(scale.range(), [2.0, 6.0]);
    let view = world.view(&Camera::Top, &look, 1.0);
    let light = renderer.light(&mut world, &look, &view, [SIDE, SIDE]).unwrap();
    // Without the column they are water, all in one paint.
    look.particles.colour = None;
    let mut world = renderer.load(&snapshot, &look).unwrap();
    assert!(world.particle_scale().is_none());
    let water = renderer.light(&mut world, &look, &view, [SIDE, SIDE]).unwrap();
    // The light is the same in both pictures: what differs is the paint.
    let mut shades: [Vec<f32>; 3] = Default::default();
    for (i, value) in values.iter().enumerate() {
        let [x, y] = view.place_of(Vec3::new(i as f32 * 3.0, 0.0, 1.0)).unwrap();
        let pixel = (y * SIDE as f32) as usize * SIDE + (x * SIDE as f32) as usize;
        let [r, g, b] = water[pixel];
        assert!(b > 1.5 * g && g > 1.5 * r, "water is blue, not {r} {g} {b}");
        let paint = ColourMap::Viridis.colour(scale.position(*value)).map(linear);
        for c in (0..3).filter(|c| paint[*c] > 0.05) {
            shades[c].push(light[pixel][c] / water[pixel][c] / paint[c]);
        }
    }
    for channel in &shades {
        let (low, high) = channel.iter().fold((f32::MAX, 0.0f32), |(a, b), s| (a.min(*s), b.max(*s)));
        // The highlight is the same on all paints, and crowding depends on them a little.
        assert!(low > 0.0 && high / low < 1.12, "light over paint runs from {low} to {high}: {shades:?}");
    }
}

#[test]
fn particles_alone_are_framed_completely() {
    let mut renderer = renderer();
    let snapshot = of_points(scattered(300), 0.8);
    for camera in [Camera::default(), Camera::orbit(2.4, 0.3), Camera::Top] {
        // Shadows fall outside what is framed.
        let [bare, full] = [ParticleShape::Hidden, ParticleShape::Spheres].map(|shape| {
            let look = Look { shadows: false, ..shaped(shape) };
            picture(&mut renderer, &snapshot, &look, &camera)
        });
        let hit = |x: usize, y: usize| full.pixel(x, y) != bare.pixel(x, y);
        let places: Vec<[usize; 2]> =
            (0..SIDE * SIDE).map(|i| [i % SIDE, i / SIDE]).filter(|[x, y]| hit(*x, *y)).collect();
        let span = |axis: usize| {
            let along = places.iter().map(|p| p[axis]);
            [along.clone().min().unwrap(), along.max().unwrap()]
        };
        let [across, down] = [span(0), span(1)];
        // From above, the picture ends where the particles do.
        let margin = if camera == Camera::Top { 0 } else { 1 };
        for [first, last] in [across, down] {
            assert!(first >= margin && last < SIDE - margin, "{camera:?}: pixels {first} to {last}");
        }
        let widest = [across, down].map(|[a, b]| b - a).into_iter().max().unwrap();
        assert!(widest > SIDE * 3 / 4, "{camera:?}: only {widest} px are used");
    }
}

/// A few drops that were flung far away must not turn the rest into a speck.
#[test]
fn a_block_with_three_strays_is_framed_as_the_block_alone() {
    let mut renderer = renderer();
    let block: Vec<[f32; 3]> = (0..1000).map(|i| [i % 10, i / 10 % 10, i / 100].map(|n| n as f32)).collect();
    let strays = [[100.0, 3.0, 2.0], [-90.0, 100.0, 4.0], [5.0, 5.0, 110.0]];
    let with: Vec<[f32; 3]> = block.iter().copied().chain(strays).collect();
    for camera in [Camera::default(), Camera::orbit(2.4, 0.3), Camera::Top] {
        let mut view = |places: &[[f32; 3]]| {
            let world = renderer.load(&of_points(places.to_vec(), 0.5), &plain()).unwrap();
            world.view(&camera, &plain(), 1.0)
        };
        let [alone, with] = [view(&block), view(&with)];
        assert_eq!(with.eye, alone.eye, "{camera:?} steps back by {} m", (with.eye - alone.eye).length());
    }
}

#[test]
fn a_particle_that_is_nowhere_changes_nothing() {
    let mut renderer = renderer();
    let camera = Camera::default();
    for shape in [ParticleShape::Spheres, ParticleShape::Surface] {
        let mut places = scattered(50);
        let without = picture(&mut renderer, &of_points(places.clone(), 0.8), &shaped(shape), &camera);
        places.extend([[f32::NAN, 50.0, -20.0], [-80.0, f32::INFINITY, -20.0], [f32::NEG_INFINITY; 3]]);
        let with = picture(&mut renderer, &of_points(places, 0.8), &shaped(shape), &camera);
        assert_eq!(without, with, "{shape:?}");
    }
}

#[test]
fn the_same_world_gives_the_same_bytes() {
    let everything = || {
        let bed = Grid2::from_fn(40, 30, |c, r| (c as f32 * 0.3).sin() + 0.1 * r as f32);
        let info = FieldInfo::new("height", "m", "height of the bed");
        let mut snapshot = Snapshot::of_fields(Frame::with_cell(1.0), vec![Field { info, values: bed }]);
        let place = |i: u64| [0, 1, 2].map(|axis| 5.0 + 12.0 * Key::new(3).with(i).with(axis).unit() as f32);
        let positions = (0..4000).map(place).map(|[x, y, z]| [x, y, 0.4 * z]).collect();
        snapshot.points = Some(Points { positions, radius: 0.3, ..Points::default() });
        let water = solid_box([20.0, 5.0, 0.0], [35.0, 25.0, 4.0]);
        snapshot.meshes.push(Mesh { name: "pool".into(), matter: Matter::Water, mesh: water });
        let rock = solid_box([25.0, 10.0, 0.0], [28.0, 14.0, 6.0]);
        snapshot.meshes.push(Mesh { name: "rock".into(), matter: Matter::Solid([120, 90, 70]), mesh: rock });
        snapshot
    };
    for shape in [ParticleShape::Spheres, ParticleShape::Surface] {
        let draw =
            |renderer: &mut Renderer| picture(renderer, &everything(), &shaped(shape), &Camera::default());
        let mut first = renderer();
        let expected = draw(&mut first);
        assert_eq!(expected, draw(&mut first), "{shape:?}, drawn again");
        assert_eq!(expected, draw(&mut renderer()), "{shape:?}, drawn by another renderer");
    }
}

#[test]
fn what_lies_behind_water_darkens_with_its_thickness() {
    let mut renderer = renderer();
    let mut look = plain();
    look.relief.water_deep = 8.0;
    let plate = |shade: u8| Mesh {
        name: "plate".into(),
        matter: Matter::Solid([shade; 3]),
        mesh: solid_box([0.0, 0.0, -1.0], [10.0, 10.0, 0.0]),
    };
    let mut middle = |shade: u8, thickness: f32| {
        let mut snapshot = Snapshot::of_fields(Frame::with_cell(1.0), Vec::new());
        snapshot.meshes.push(plate(shade));
        if thickness > 0.0 {
            let mesh = solid_box([0.5, 0.5, 1.0], [9.5, 9.5, 1.0 + thickness]);
            snapshot.meshes.push(Mesh { name: "slab".into(), matter: Matter::Water, mesh });
        }
        let mut world = renderer.load(&snapshot, &look).unwrap();
        let view = world.view(&Camera::Top, &look, 1.0);
        let light = renderer.light(&mut world, &look, &view, [SIDE, SIDE]).unwrap();
        light[SIDE / 2 * SIDE + SIDE / 2]
    };
    for thickness in [0.1, 0.5, 2.0, 5.0] {
        // The difference between a light and a dark plate leaves out what the water itself adds.
        let [pale, dark] = [230, 40].map(|shade| middle(shade, 0.0));
        let [pale_below, dark_below] = [230, 40].map(|shade| middle(shade, thickness));
        for (channel, strength) in [3.2, 1.0, 0.72].into_iter().enumerate() {
            let passed = (pale_below[channel] - dark_below[channel]) / (pale[channel] - dark[channel]);
            // Straight from above 2 % is mirrored.
            let expected = 0.98 * (-3.0 / 8.0 * strength * thickness).exp();
            let off = (passed - expected).abs();
            assert!(
                off < 0.03 * expected + 0.003,
                "{passed} of channel {channel} pass {thickness} m of water, not {expected}"
            );
        }
    }
}

#[test]
fn solids_and_particles_cast_shadows_and_water_does_not() {
    let mut renderer = renderer();
    let mut look = plain();
    look.relief.sun_azimuth = 270f32.to_radians();
    look.relief.sun_elevation = 45f32.to_radians();
    let mut beside = |snapshot: &mut Snapshot| {
        let floor = solid_box([0.0, 0.0, -0.5], [20.0, 10.0, 0.0]);
        snapshot.meshes.push(Mesh { name: "floor".into(), matter: Matter::Solid([180; 3]), mesh: floor });
        let mut world = renderer.load(snapshot, &look).unwrap();
        let view = world.view(&Camera::Top, &look, 1.0);
        let light = renderer.light(&mut world, &look, &view, [SIDE, SIDE]).unwrap();
        let shade = |x: f32| {
            let [x, y] = view.place_of(Vec3::new(x, 5.0, 0.0)).unwrap();
            light[(y * SIDE as f32) as usize * SIDE + (x * SIDE as f32) as usize][1]
        };
        // The shadow of what stands 4 m above x = 6 m falls on x = 10 m.
        shade(10.0) / shade(17.0)
    };
    let empty = || Snapshot::of_fields(Frame::with_cell(1.0), Vec::new());
    let with = |matter| {
        let mesh = solid_box([5.0, 4.0, 3.0], [7.0, 6.0, 5.0]);
        Snapshot { meshes: vec![Mesh { name: "box".into(), matter, mesh }], ..empty() }
    };
    let [solid, ball, water, nothing] = [
        &mut with(Matter::Solid([90; 3])),
        &mut of_points(vec![[6.0, 5.0, 4.0]], 1.0),
        &mut with(Matter::Water),
        &mut empty(),
    ]
    .map(&mut beside);
    assert!(solid < 0.6 && ball < 0.6, "{solid} below a box, {ball} below a particle");
    assert!(water > 0.95 && nothing > 0.95, "{water} below water, {nothing} below nothing");
}

/// A share of the water at a place.
type Share<'a> = &'a dyn Fn([f32; 3]) -> f32;

/// A slab of water 8 m wide and 2 m deep, seen as a surface.
struct Slab {
    renderer: Renderer,
    look: Look,
    places: Vec<[f32; 3]>,
}

impl Slab {
    fn new() -> Self {
        const ACROSS: usize = 40;
        const LAYERS: usize = 10;
        let place =
            |i: usize| [i % ACROSS, i / ACROSS % ACROSS, i / (ACROSS * ACROSS)].map(|n| 0.2 * n as f32);
        let mut look = shaped(ParticleShape::Surface);
        look.relief.water_deep = 4.0;
        look.water.muddy = 0.05;
        let places = (0..ACROSS * ACROSS * LAYERS).map(place).collect();
        Self { renderer: renderer(), look, places }
    }

    /// From above, with a column of that name.
    fn picture(&mut self, column: Option<(&'static str, Share)>) -> Picture {
        let mut snapshot = of_points(self.places.clone(), 0.1);
        let column = column.map(|(name, share)| Column {
            info: FieldInfo::new(name, "-", "a share of the water"),
            values: self.places.iter().copied().map(share).collect(),
        });
        snapshot.points.as_mut().unwrap().columns.extend(column);
        picture(&mut self.renderer, &snapshot, &self.look, &Camera::Top)
    }
}

#[test]
fn a_surface_of_particles_has_the_colour_of_the_sediment_it_carries() {
    let mut slab = Slab::new();
    let bare = slab.picture(None);
    let mut draw = |share: Share| slab.picture(Some(("sediment", share)));
    assert_eq!(bare, draw(&|_| 0.0), "water without sediment, and none that is known of");
    for wild in [f32::NAN, f32::INFINITY] {
        assert_eq!(bare, draw(&|_| wild), "a share of {wild}");
    }

    // Red less blue, in the west and in the east, in steps of 8-bit sRGB.
    let browns = |picture: &Picture| {
        [SIDE / 4, SIDE * 3 / 4].map(|x| {
            let [red, _, blue] = picture.pixel(x, SIDE / 2);
            i32::from(red) - i32::from(blue)
        })
    };
    // The sky's image and a quarter of the water's blue lie over the brown.
    const MARGIN: i32 = 25;
    let clear = browns(&bare);
    let muddy = browns(&draw(&|_| 0.3));
    assert!(clear.iter().all(|&brown| brown < -MARGIN), "clear water: red less blue is {clear:?}");
    assert!(muddy.iter().all(|&brown| brown > MARGIN), "muddy water: red less blue is {muddy:?}");
    // Each particle brings its own.
    let [west, east] = browns(&draw(&|[x, ..]| if x < 4.0 { 0.0 } else { 0.3 }));
    assert!((west - clear[0]).abs() <= 3, "{west} beside mud, {} without any", clear[0]);
    assert!((east - muddy[1]).abs() <= 3, "{east} beside clear water, {} without any", muddy[1]);
    // And a little of it tints a little.
    let little = browns(&draw(&|_| 0.01));
    assert!(clear[0] < little[0] && little[0] < muddy[0], "{} to {} to {}", clear[0], little[0], muddy[0]);
}

#[test]
fn foam_is_white_where_it_is_and_as_strong_as_the_look_says() {
    let mut slab = Slab::new();
    // The darkest of the colours, in the west and in the east.
    let whites = |picture: &Picture| {
        [SIDE / 4, SIDE * 3 / 4].map(|x| picture.pixel(x, SIDE / 2).into_iter().min().unwrap_or(0))
    };
    let bare = slab.picture(None);
    assert_eq!(bare, slab.picture(Some(("foam", &|_| 0.0))), "water without foam, and none that is known of");
    let clear = whites(&bare);
    let east = |[x, _, _]: [f32; 3]| if x < 4.0 { 0.0 } else { 1.0 };
    let half = whites(&slab.picture(Some(("foam", &east))));
    assert_eq!(half[0], clear[0], "beside foam");
    assert!(half[1] > 200 && clear[1] < 100, "{} of 255, {} without foam", half[1], clear[1]);
    // Foam of a drop's thickness lets something through.
    let top = |[x, _, z]: [f32; 3]| if x < 4.0 || z < 1.7 { 0.0 } else { 1.0 };
    let film = whites(&slab.picture(Some(("foam", &top))))[1];
    assert!(clear[1] + 30 < film && film < half[1], "{} to {film} to {}", clear[1], half[1]);
    slab.look.water.foam = 0.0;
    assert_eq!(bare, slab.picture(Some(("foam", &east))), "foam that is not wanted");
}

/// The processor shows the same section of the world: outlines cover each other.
#[test]
fn processor_and_device_show_the_same_section() {
    let mut renderer = renderer();
    let snapshot = of_points(scattered(400), 0.8);
    for camera in [Camera::default(), Camera::orbit(2.4, 0.3), Camera::Top] {
        let outline = |draw: &mut dyn FnMut(&Look) -> Picture| -> Vec<bool> {
            let [bare, full] = [ParticleShape::Hidden, ParticleShape::Spheres]
                .map(|shape| draw(&Look { shadows: false, ..shaped(shape) }));
            full.rgb.chunks_exact(3).zip(bare.rgb.chunks_exact(3)).map(|(a, b)| a != b).collect()
        };
        let device = outline(&mut |look| picture(&mut renderer, &snapshot, look, &camera));
        let processor = outline(&mut |look| sketch(&snapshot, look, &camera, [SIDE, SIDE], None));
        let count = |test: fn(bool, bool) -> bool| {
            device.iter().zip(&processor).filter(|(a, b)| test(**a, **b)).count() as f32
        };
        let overlap = count(|a, b| a && b) / count(|a, b| a || b);
        // One sample on the device and four on the processor differ along the outlines.
        assert!(overlap > 0.85, "{camera:?}: outlines cover each other to {overlap}");
    }
}
