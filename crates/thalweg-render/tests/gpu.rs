//! What the graphics device draws, against theory and against pictures kept from before.
//!
//! The pictures are drawn by Mesa's software device; other devices differ by rounding, which the
//! tolerances allow. `UPDATE_PICTURES=1` writes them anew.

use std::path::{Path, PathBuf};

use glam::Vec3;
use thalweg_field::{Field, FieldInfo, Frame, Grid2, Snapshot};
use thalweg_render::gpu::{Renderer, World};
use thalweg_render::{
    Camera, ColourMap, Fly, Light, Look, MapStyle, Overlay, Picture, Scale, Snow, View, WaterLook, compare,
};

fn renderer() -> Renderer {
    Renderer::open().expect("the tests need a graphics adapter, in software if need be")
}

fn field(name: &'static str, values: Grid2<f32>) -> Field {
    Field { info: FieldInfo::new(name, "m", ""), values }
}

/// Hills with a lake between them, on 96 by 72 cells of 10 m.
fn landscape() -> Snapshot {
    let height = Grid2::from_fn(96, 72, |col, row| {
        let (x, y) = (col as f32 / 96.0, row as f32 / 72.0);
        let hills = (x * 9.0).sin() * (y * 7.0 + 1.0).cos() + 0.4 * (x * 23.0 + y * 17.0).sin();
        150.0 + 90.0 * hills + 200.0 * (y - 0.5) * (y - 0.5)
    });
    let water = height.map(|h| (115.0 - h).max(0.0));
    let slope = Grid2::from_fn(96, 72, |col, row| {
        let at = |c: isize| height.at_clamped(col as isize + c, row as isize);
        (at(1) - at(-1)) / 20.0
    });
    let fields = vec![field("height", height), field("water", water), field("change", slope)];
    Snapshot::of_fields(Frame::with_cell(10.0), fields)
}

/// Level water of one depth over a level bed at height 0.
fn pool(cells: usize, depth: f32) -> Vec<Field> {
    vec![
        field("height", Grid2::filled(cells, cells, 0.0)),
        field("water", Grid2::filled(cells, cells, depth)),
    ]
}

/// A look without anything that spreads light: no haze, ripples, foam.
fn still() -> Look {
    let water = WaterLook { ripples: 0.0, foam: 0.0, caustics: false, ..WaterLook::default() };
    Look { haze: 0.0, supersampling: 1, triangle_size: 1.0, water, ..Look::default() }
}

/// Compares with the picture of that name; on failure, expected, actual and difference are written.
fn assert_like(name: &str, actual: &Picture) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pictures");
    let path = folder.join(format!("{name}.png"));
    if std::env::var_os("UPDATE_PICTURES").is_some() {
        write_png(&path, actual);
    }
    let expected = read_png(&path);
    let found = compare::difference(&expected, actual).expect("pictures of one size");
    // Another driver rounds otherwise: a step of 8 bits here and there, and edges of triangles.
    if found.mean > 0.6 || found.p99 > 12 {
        let failed = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
        write_png(&failed, &compare::sheet(&expected, actual));
        panic!("{name}: {found:?}; expected, actual and difference are in {}", failed.display());
    }
}

fn write_png(path: &Path, picture: &Picture) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let file = std::fs::File::create(path).unwrap();
    let mut encoder = png::Encoder::new(file, picture.width as u32, picture.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    encoder.write_header().unwrap().write_image_data(&picture.rgb).unwrap();
}

fn read_png(path: &Path) -> Picture {
    let file = std::fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut rgb).unwrap();
    Picture { width: info.width as usize, height: info.height as usize, rgb }
}

const SIZE: [usize; 2] = [160, 100];

#[test]
fn landscapes_look_as_they_did() {
    let mut renderer = renderer();
    let snapshot = landscape();
    let look = Look::default();
    let overlay = |scale, colours| Overlay {
        field: "change".into(),
        style: MapStyle { colours, scale, range: Some([-0.6, 0.6]), ..MapStyle::default() },
        opacity: 0.9,
    };
    let looks = [
        ("physical", look.clone()),
        ("phong", Look { light: Light::Phong, sky: false, haze: 0.0, ..look.clone() }),
        ("wireframe", Look { wireframe: true, grid: true, triangle_size: 6.0, ..look.clone() }),
        ("overlay", Look { overlay: Some(overlay(Scale::AroundZero, ColourMap::Diverging)), ..look.clone() }),
    ];
    for (name, look) in looks {
        let mut world = renderer.load(&snapshot, &look).unwrap();
        let picture = renderer.picture(&mut world, &look, &Camera::default(), SIZE).unwrap();
        assert_like(name, &picture);
    }
    let mut world = renderer.load(&snapshot, &look).unwrap();
    let fly = Fly { position: [480.0, 60.0, 230.0], yaw: 0.3, pitch: 0.25, fov: 0.9 };
    for (name, camera) in [("top", Camera::Top), ("fly", Camera::Fly(fly))] {
        assert_like(name, &renderer.picture(&mut world, &look, &camera, SIZE).unwrap());
    }
}

#[test]
fn the_same_world_gives_the_same_bytes() {
    let draw = || {
        let mut renderer = renderer();
        let look = Look { time: 1.7, ..Look::default() };
        let mut world = renderer.load(&landscape(), &look).unwrap();
        [0, 1].map(|_| renderer.picture(&mut world, &look, &Camera::default(), SIZE).unwrap())
    };
    let [first, again] = draw();
    assert_eq!(first, again, "drawn twice");
    assert_eq!(first, draw()[0], "drawn by another renderer");
}

/// Ground and water whose heights are no numbers at some cells are drawn, and those cells in magenta.
#[test]
fn holes_are_magenta() {
    let mut snapshot = landscape();
    for col in 20..40 {
        for row in 20..40 {
            snapshot.fields[0].values.set(col, row, f32::NAN);
        }
    }
    let mut renderer = renderer();
    let look = still();
    let mut world = renderer.load(&snapshot, &look).unwrap();
    let picture = renderer.picture(&mut world, &look, &Camera::Top, [96, 72]).unwrap();
    assert_eq!(picture.pixel(30, 30), [255, 0, 255]);
    assert_ne!(picture.pixel(60, 50), [255, 0, 255]);
}

/// A marked cell is found where the camera says that its place in the world lies.
#[test]
fn known_places_land_on_known_pixels() {
    let mut renderer = renderer();
    let (cells, size) = (40, [320, 240]);
    for (col, row) in [(5, 7), (20, 20), (33, 12), (12, 34)] {
        let mut mark = Grid2::filled(cells, cells, 0.0);
        mark.set(col, row, 1.0);
        let heights = Grid2::filled(cells, cells, 50.0);
        let snapshot =
            Snapshot::of_fields(Frame::with_cell(10.0), vec![field("height", heights), field("mark", mark)]);
        let style = MapStyle { range: Some([0.0, 1.0]), ..MapStyle::default() };
        let overlay = Some(Overlay { field: "mark".into(), style, opacity: 1.0 });
        let look = Look { overlay, light: Light::Phong, ..still() };
        let mut world = renderer.load(&snapshot, &look).unwrap();
        for camera in [Camera::default(), Camera::orbit(2.4, 0.9), Camera::Top] {
            let view = world.view(&camera, &look, 320.0 / 240.0);
            let light = renderer.light(&mut world, &look, &view, size).unwrap();
            // The last colour of the map is yellow, the first violet: red tells them apart.
            let (mut sum, mut at) = (0.0, [0.0, 0.0]);
            for (i, sample) in light.iter().enumerate() {
                let weight = (sample[1] - sample[2] - 0.2).max(0.0);
                sum += weight;
                at[0] += weight * ((i % size[0]) as f32 + 0.5);
                at[1] += weight * ((i / size[0]) as f32 + 0.5);
            }
            assert!(sum > 0.0, "the mark at {col}, {row} is not seen");
            let place = Vec3::new((col as f32 + 0.5) * 10.0, (cells as f32 - row as f32 - 0.5) * 10.0, 50.0);
            let expected = view.place_of(place).unwrap();
            let expected = [expected[0] * size[0] as f32, expected[1] * size[1] as f32];
            let found = at.map(|v| v / sum);
            let away = (found[0] - expected[0]).hypot(found[1] - expected[1]);
            assert!(away < 0.5, "{col}, {row} {camera:?}: {found:?}, not {expected:?}");
        }
    }
}

fn fly(position: [f32; 3], pitch: f32, fov: f32) -> Camera {
    Camera::Fly(Fly { position, yaw: 0.0, pitch, fov })
}

fn lit(renderer: &mut Renderer, world: &mut World, look: &Look, view: &View, size: [usize; 2]) -> Vec<Vec3> {
    renderer.light(world, look, view, size).unwrap().into_iter().map(Vec3::from_array).collect()
}

/// Black water shows nothing but its mirror: each pixel that looks down holds what the mirrored pixel of
/// a camera that looks up holds, times what Fresnel leaves of it (Schlick's form).
#[test]
fn flat_water_shows_the_mirrored_sky() {
    let mut renderer = renderer();
    let mut look = still();
    look.relief.palette.water_deep = [0, 0, 0];
    look.relief.water_deep = 0.01;
    look.relief.sun_azimuth = std::f32::consts::PI;
    look.relief.sun_elevation = 0.6;
    let snapshot = Snapshot::of_fields(Frame::with_cell(20.0), pool(64, 30.0));
    let mut world = renderer.load(&snapshot, &look).unwrap();
    let (size, above) = ([48, 32], 150.0);
    let eye = [640.0, 40.0, 30.0 + above];
    for pitch in [0.25_f32, 0.5, 0.9] {
        let down = world.view(&fly(eye, pitch, 0.3), &look, 1.5);
        let up = world.view(&fly(eye, -pitch, 0.3), &look, 1.5);
        let water = lit(&mut renderer, &mut world, &look, &down, size);
        let sky = lit(&mut renderer, &mut world, &look, &up, size);
        for y in 0..size[1] {
            for x in 0..size[0] {
                let (start, ray) = down.ray((x as f32 + 0.5) / 48.0, (y as f32 + 0.5) / 32.0);
                let hit = start + ray * (above / -ray.z);
                if hit.y > 1260.0 || hit.y < 20.0 || !(20.0..1260.0).contains(&hit.x) {
                    continue;
                }
                let fresnel = 0.02037 + (1.0 - 0.02037) * (1.0 + ray.z).powi(5);
                let expected = sky[(size[1] - 1 - y) * size[0] + x] * fresnel;
                let found = water[y * size[0] + x];
                let away = (found - expected).abs().max_element() / expected.max_element();
                assert!(away < 0.01, "pitch {pitch}, pixel {x}, {y}: {found}, not {expected}");
            }
        }
    }
}

/// A border on the bed is seen where Snell's law puts it, not where a straight line would.
#[test]
fn refraction_bends_to_the_analytic_angle() {
    let mut renderer = renderer();
    let (cells, cell, depth) = (200, 1.0_f32, 12.0_f32);
    let mut fields = pool(cells, depth);
    // Rows from 100 on (the south) are white with deposits, the others black: the border runs east-west,
    // 100 m north of the south edge.
    let half = Grid2::from_fn(cells, cells, |_, row| if row >= 100 { 1.0e3 } else { 0.0 });
    fields.push(field("deposition", half));
    let snapshot = Snapshot::of_fields(Frame::with_cell(f64::from(cell)), fields);
    let mut look = Look { shadows: false, ..still() };
    let palette = &mut look.relief.palette;
    (palette.valley, palette.deposit, palette.water_deep) = ([0; 3], [255; 3], [0; 3]);
    look.relief.water_deep = 1.0e4;
    let mut world = renderer.load(&snapshot, &look).unwrap();
    let size = [8, 400];
    for pitch in [0.5_f32, 0.8, 1.2] {
        // Aim at the border as a straight line would see it.
        let back = 40.0 / pitch.tan();
        let eye = [100.0, 100.0 - back, depth + 40.0];
        let view = world.view(&fly(eye, pitch, 0.7), &look, 0.02);
        let light = lit(&mut renderer, &mut world, &look, &view, size);
        // Half way from the black of the north (above) to the white of the south.
        let white = light[(size[1] - 1) * size[0] + 4].y;
        let green = |y: usize| light[y * size[0] + 4].y - 0.5 * white;
        let y =
            (1..size[1]).find(|&y| green(y - 1) < 0.0 && green(y) >= 0.0).expect("the border is in sight");
        let share = green(y - 1) / (green(y - 1) - green(y));
        let (start, ray) = view.ray(4.5 / 8.0, (y as f32 - 0.5 + share) / size[1] as f32);
        let entry = start + ray * (40.0 / -ray.z);
        let incidence = (-ray.z).acos();
        let refracted = (incidence.sin() / 1.333).asin();
        let found = entry.y + depth * refracted.tan();
        let straight = entry.y + depth * incidence.tan();
        assert!((found - 100.0).abs() < 0.15, "pitch {pitch}: seen at {found} m, not at 100 m");
        assert!((straight - 100.0).abs() > 0.8, "pitch {pitch}: {straight} m would not tell");
    }
}

/// Terrain far larger than the picture and of odd shapes is drawn without gaps.
#[test]
fn no_gaps_between_levels_of_detail() {
    let mut renderer = renderer();
    for (cols, rows) in [(700, 333), (65, 1), (1, 1), (33, 1025)] {
        let height =
            Grid2::from_fn(cols, rows, |c, r| 40.0 * ((c as f32 * 0.11).sin() + (r as f32 * 0.07).cos()));
        let snapshot = Snapshot::of_fields(Frame::with_cell(5.0), vec![field("height", height)]);
        let look = Look { light: Light::Phong, triangle_size: 4.0, ..still() };
        let mut world = renderer.load(&snapshot, &look).unwrap();
        let picture =
            renderer.picture(&mut world, &look, &Camera::Top, [cols.min(256), rows.min(256)]).unwrap();
        assert_eq!(picture.width, cols.min(256));
        // Seen from above, everything is ground: a gap would show the underside's pale table.
        if cols > 65 && rows > 65 {
            let pale = picture.rgb.chunks_exact(3).filter(|p| p[2] > 160).count();
            let inner = picture.width * picture.height;
            assert!(pale * 100 < inner, "{cols} by {rows}: {pale} of {inner} pixels show the table");
        }
    }
}

/// An even quantity has one colour, that of the legend: by a low sun over hills, snow, water and haze, from above and
/// from the side.
#[test]
fn the_colours_of_an_overlay_are_those_of_its_legend() {
    let mut renderer = renderer();
    let mut snapshot = landscape();
    let size = [320, 200];
    for (value, colours) in [(0.15, ColourMap::Viridis), (0.5, ColourMap::Blues), (1.0, ColourMap::Viridis)] {
        for field in &mut snapshot.fields {
            if field.info.name == "change" {
                field.values = Grid2::filled(96, 72, value);
            }
        }
        let style = MapStyle { colours, range: Some([0.0, 1.0]), ..MapStyle::default() };
        let overlay = Some(Overlay { field: "change".into(), style, opacity: 1.0 });
        let mut look = Look { overlay, haze: 0.6, ..Look::default() };
        look.relief.sun_elevation = 0.15;
        look.relief.snow = Snow::Above(180.0);
        let legend = colours.colour(value);
        for camera in [Camera::Top, Camera::default()] {
            let mut world = renderer.load(&snapshot, &look).unwrap();
            let picture = renderer.picture(&mut world, &look, &camera, size).unwrap();
            let view = world.view(&camera, &look, 1.6);
            let height = snapshot.field("height").unwrap();
            let mut seen = 0;
            for i in 0..400 {
                let (col, row) = (3 + i % 20 * 90 / 20, 3 + i / 20 * 66 / 20);
                let water = snapshot.field("water").unwrap().at(col, row);
                let place = Vec3::new(
                    10.0 * col as f32 + 5.0,
                    10.0 * (72 - row) as f32 - 5.0,
                    height.at(col, row) + water,
                );
                let [x, y] = view.place_of(place).unwrap();
                let found = picture.pixel((x * 320.0) as usize, (y * 200.0) as usize);
                let off = (0..3).map(|c| found[c].abs_diff(legend[c])).max().unwrap();
                // Behind a crest another place is seen, or none.
                seen += u32::from(off <= 9);
            }
            assert!(seen > 370, "{camera:?}: {seen} of 400 places have the legend's {legend:?}");
        }
    }
}

/// Both renderers know the same snow line.
#[test]
fn snow_lies_where_the_look_says() {
    let mut renderer = renderer();
    let snapshot = landscape();
    let mut white = |snow| {
        let mut look = still();
        look.relief.snow = snow;
        let mut world = renderer.load(&snapshot, &look).unwrap();
        let picture = renderer.picture(&mut world, &look, &Camera::Top, SIZE).unwrap();
        picture.rgb.chunks_exact(3).filter(|pixel| pixel[0] > 200 && pixel[2] > 200).count()
    };
    let [none, usual, high, low] =
        [Snow::Off, Snow::Auto, Snow::Above(200.0), Snow::Above(120.0)].map(&mut white);
    assert_eq!(none, usual, "hills of 300 m have no snow by themselves");
    assert!(
        high > none + 100 && low > high + 1000,
        "white pixels: {none} off, {high} above 200 m, {low} above 120 m"
    );
}
