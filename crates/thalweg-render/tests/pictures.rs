//! What the pictures show, through the public API.

use thalweg_field::{Field, FieldInfo, Frame, Grid2, Heightfield, Snapshot};
use thalweg_render::{
    Camera, ColourMap, Label, MapStyle, Palette, Picture, ReliefStyle, Scale, Scene, Snow, Spread, map,
    perspective, relief, text_width,
};
use thalweg_test_support::on_threads;

const MAGENTA: [u8; 3] = [255, 0, 255];

fn ground(cols: usize, rows: usize, height: impl Fn(usize, usize) -> f32 + Sync) -> Heightfield {
    Heightfield { height: Grid2::from_fn(cols, rows, height), frame: Frame::with_cell(10.0) }
}

fn hills(cols: usize, rows: usize) -> Heightfield {
    ground(cols, rows, |c, r| 80.0 * ((c as f32 * 0.21).sin() + (r as f32 * 0.17).cos()) + (c * r % 7) as f32)
}

/// Colours that do not depend on height, so that only light differs.
fn one_colour() -> ReliefStyle {
    ReliefStyle { height_range: Some([-1.0e5, 1.0e5]), ..ReliefStyle::default() }
}

fn brightness(picture: &Picture, x: usize, y: usize) -> f32 {
    picture.pixel(x, y).iter().map(|&v| f32::from(v)).sum::<f32>() / 3.0
}

fn height_field(values: &Grid2<f32>) -> Field {
    Field { info: FieldInfo::new("height", "m", "height of the bed"), values: values.clone() }
}

#[test]
fn a_slope_towards_the_light_is_lighter_than_level_ground_and_one_away_is_darker() {
    // Planes of 25°, below the angle at which colours turn to rock, rising to the south-east or north-west.
    let rise = 25f32.to_radians().tan() * 10.0 / 2f32.sqrt();
    let centre = |sign: f32| {
        let plane = ground(64, 64, |c, r| sign * rise * (c as f32 + r as f32));
        brightness(&relief(&Scene::ground(&plane), &one_colour(), 64), 32, 32)
    };
    let (facing, level, away) = (centre(1.0), centre(0.0), centre(-1.0));
    // Measured 158, 145 and 110 of 255: in linear light about 1.2 and 0.55 times level ground. The slope
    // that faces north-west is also a little greener, which takes some of its gain back.
    assert!(facing > level + 10.0 && away < level - 30.0, "{facing} facing, {level} level, {away} away");
}

#[test]
fn flat_ground_is_uniform() {
    let flat = ground(50, 40, |_, _| 123.0);
    for width in [20, 50, 90] {
        let picture = relief(&Scene::ground(&flat), &ReliefStyle::default(), width);
        let first = picture.pixel(0, 0);
        assert!(picture.rgb.chunks_exact(3).all(|pixel| pixel == first), "{width} px wide");
    }
}

#[test]
fn a_wall_in_the_west_light_shades_the_ground_east_of_it() {
    // 200 m high, six cells of 10 m thick; the sun 45° high in the west shades 20 cells.
    let wall = ground(96, 32, |c, _| if (30..36).contains(&c) { 200.0 } else { 0.0 });
    let style = ReliefStyle {
        sun_azimuth: 270f32.to_radians(),
        sun_elevation: 45f32.to_radians(),
        sun_radius: 0.01,
        ..one_colour()
    };
    let picture = relief(&Scene::ground(&wall), &style, 96);
    let far = brightness(&picture, 90, 16);
    let end = (40..90).find(|&x| brightness(&picture, x, 16) > 0.8 * far).unwrap();
    assert!((55..=57).contains(&end), "shadow ends at column {end}, not after 20 cells");
    let before = brightness(&picture, 20, 16);
    assert!(before > 0.8 * far, "{before} in front of the wall, {far} far behind it");
}

#[test]
fn north_is_up_and_east_is_right() {
    // A snow peak in the north-west, a pond in the south-east.
    let bump = |c: usize, r: usize, at: [f32; 2]| {
        (-((c as f32 - at[0]).powi(2) + (r as f32 - at[1]).powi(2)) / 200.0).exp()
    };
    let land = ground(80, 60, |c, r| 150.0 * bump(c, r, [18.0, 14.0]) - 20.0 * bump(c, r, [62.0, 46.0]));
    let pond = land.height.map(|height| (-8.0 - height).max(0.0));
    let picture = relief(&Scene::ground(&land).with_water(&pond), &ReliefStyle::default(), 160);
    assert_eq!([picture.width, picture.height], [160, 120]);
    let peak = brightness(&picture, 36, 28);
    assert!((0..4).all(|i| peak > brightness(&picture, 60 + 20 * i, 90) + 30.0), "{peak}");
    let [red, _, blue] = picture.pixel(124, 92);
    assert!(blue > red + 40, "pond {:?}", picture.pixel(124, 92));
}

#[test]
fn water_is_bluer_where_it_is_deep_enough_to_be_drawn() {
    let flat = ground(90, 30, |_, _| 50.0);
    // A film, a shallow and a deep third.
    let depth = Grid2::from_fn(90, 30, |c, _| [0.01, 0.5, 20.0][c / 30]);
    let dry = relief(&Scene::ground(&flat), &ReliefStyle::default(), 90);
    let wet = relief(&Scene::ground(&flat).with_water(&depth), &ReliefStyle::default(), 90);
    let blueness = |picture: &Picture, x: usize| {
        let [red, _, blue] = picture.pixel(x, 15);
        i32::from(blue) - i32::from(red)
    };
    assert_eq!(blueness(&wet, 15), blueness(&dry, 15), "a film thinner than the least depth");
    assert!(blueness(&wet, 45) > blueness(&dry, 45) + 30, "{} shallow", blueness(&wet, 45));
    assert!(blueness(&wet, 75) > blueness(&wet, 45), "{} deep", blueness(&wet, 75));
}

#[test]
fn deposits_are_paler_than_the_valley_they_lie_in() {
    let flat = ground(60, 20, |_, _| 0.0);
    let full = ReliefStyle::default().deposit_full;
    let deposit = Grid2::from_fn(60, 20, |c, _| if c < 30 { 0.0 } else { full });
    let picture = relief(&Scene::ground(&flat).with_deposits(&deposit), &ReliefStyle::default(), 60);
    assert!(brightness(&picture, 50, 10) > brightness(&picture, 10, 10) + 30.0);
}

#[test]
fn the_smallest_grids_and_pictures_are_drawn() {
    for (cols, rows) in [(1, 1), (1, 40), (40, 1), (2, 2), (3, 200), (0, 0)] {
        let land = hills(cols, rows);
        let water = Grid2::filled(cols, rows, 1.0);
        let scene = Scene::ground(&land).with_water(&water);
        for width in [0, 1, 7, 64] {
            let picture = relief(&scene, &ReliefStyle::default(), width);
            assert_eq!(picture.rgb.len(), picture.width * picture.height * 3);
            assert!(picture.width.max(picture.height) == width || cols == 0, "the longer side is as asked");
            map(&scene, &height_field(&land.height), &MapStyle::default(), width);
            let view = perspective(&scene, &ReliefStyle::side_lit(), &Camera::default(), [width, 5]);
            assert_eq!(view.rgb.len(), width * 5 * 3);
        }
    }
}

#[test]
fn cells_without_a_number_are_magenta_and_leave_their_neighbours_alone() {
    let flat = ground(40, 40, |_, _| 10.0);
    let mut holed = flat.clone();
    holed.height.set(20, 12, f32::NAN);
    holed.height.set(0, 39, f32::INFINITY);
    let clean = relief(&Scene::ground(&flat), &ReliefStyle::default(), 40);
    let picture = relief(&Scene::ground(&holed), &ReliefStyle::default(), 40);
    for i in 0..40 * 40 {
        let (x, y) = (i % 40, i / 40);
        let expected = if (x, y) == (20, 12) || (x, y) == (0, 39) { MAGENTA } else { clean.pixel(x, y) };
        assert_eq!(picture.pixel(x, y), expected, "at {x}, {y}");
    }
    let drawn = map(&Scene::ground(&holed), &height_field(&holed.height), &MapStyle::default(), 40);
    assert_eq!(drawn.pixel(20, 12), MAGENTA);
    assert_ne!(drawn.pixel(21, 12), MAGENTA);
    let nothing = ground(12, 12, |_, _| f32::NAN);
    assert_eq!(relief(&Scene::ground(&nothing), &ReliefStyle::default(), 12).pixel(6, 6), MAGENTA);
    perspective(&Scene::ground(&nothing), &ReliefStyle::default(), &Camera::default(), [16, 9]);
}

#[test]
fn one_and_many_threads_give_the_same_bytes() {
    let land = hills(120, 90);
    let water = land.height.map(|height| (-60.0 - height).max(0.0));
    let scene = Scene::ground(&land).with_water(&water);
    let draw = |threads: usize| {
        on_threads(threads, || {
            [
                relief(&scene, &ReliefStyle::default(), 200),
                relief(&scene, &ReliefStyle::default(), 50),
                perspective(&scene, &ReliefStyle::side_lit(), &Camera::default(), [160, 90]),
                map(&scene, &height_field(&land.height), &MapStyle::default(), 100),
            ]
        })
    };
    assert!(draw(1) == draw(5));
}

#[test]
fn text_is_drawn_where_it_was_asked_for_and_nowhere_else() {
    let blank = Picture::filled(300, 100, [128; 3]);
    let mut picture = blank.clone();
    let label = Label { size: 24.0, halo: None, ..Label::default() };
    picture.label("Thalweg", [60.0, 50.0], &label);
    let end = 60.0 + text_width("Thalweg", 24.0);
    let mut changed = 0;
    for i in 0..300 * 100 {
        let (x, y) = (i % 300, i / 300);
        if picture.pixel(x, y) != blank.pixel(x, y) {
            changed += 1;
            assert!((59.0..=end + 1.0).contains(&(x as f32)) && (38..68).contains(&y), "ink at {x}, {y}");
        }
    }
    assert!(changed > 200, "{changed} px of ink");
    assert!(picture.rgb.contains(&255), "strokes reach full white");
    // Over the edge is cut off.
    picture.label("Thalweg", [280.0, -3.0], &Label::default());
}

#[test]
fn the_default_camera_shows_the_whole_block() {
    let land = hills(100, 70);
    let warm = [190, 140, 90];
    let palette = Palette {
        valley: warm,
        slope: warm,
        upland: warm,
        summit: warm,
        rock: warm,
        snow_line: 1.0,
        ..Palette::default()
    };
    let style = ReliefStyle { palette, ..ReliefStyle::side_lit() };
    for size in [[320, 180], [120, 200]] {
        let view = perspective(&Scene::ground(&land), &style, &Camera::default(), size);
        // The table is bluish, the ground of this palette and the cut earth are not.
        let is_block = |x: usize, y: usize| {
            let [red, _, blue] = view.pixel(x, y);
            u16::from(red) + 10 > u16::from(blue)
        };
        let [width, height] = size;
        assert!(is_block(width / 2, height / 2));
        let border = (0..width).flat_map(|x| [(x, 0), (x, height - 1)]);
        let border = border.chain((0..height).flat_map(|y| [(0, y), (width - 1, y)]));
        assert!(border.into_iter().all(|(x, y)| !is_block(x, y)), "{size:?}");
        // And it fills most of the width or the height.
        let columns = (0..width).filter(|&x| (0..height).any(|y| is_block(x, y))).count();
        let rows = (0..height).filter(|&y| (0..width).any(|x| is_block(x, y))).count();
        assert!(columns * 10 > width * 8 || rows * 10 > height * 8, "{columns} x {rows} of {size:?}");
    }
}

#[test]
fn maps_take_zeros_negatives_and_single_values() {
    let land = hills(30, 30);
    let scene = Scene::ground(&land);
    let info = FieldInfo::new("flow", "m3/s", "discharge");
    for scale in [Scale::Linear, Scale::Log, Scale::AroundZero] {
        for values in [Grid2::filled(30, 30, 0.0), Grid2::filled(30, 30, -4.0), land.height.clone()] {
            let style = MapStyle { colours: ColourMap::Blues, scale, ..MapStyle::default() };
            let picture = map(&scene, &Field { info: info.clone(), values }, &style, 200);
            assert!(picture.width > 200 && picture.height == 200, "with a colour bar");
        }
    }
}

#[test]
fn the_largest_value_takes_the_last_colour_of_the_map() {
    let flat = ground(20, 20, |_, _| 0.0);
    let values = Grid2::from_fn(20, 20, |c, _| c as f32);
    let picture = map(&Scene::ground(&flat), &height_field(&values), &MapStyle::default(), 20);
    assert_eq!(picture.pixel(0, 5), ColourMap::Viridis.colour(0.0));
    assert_eq!(picture.pixel(19, 5), ColourMap::Viridis.colour(1.0));
}

#[test]
fn a_snapshot_without_height_is_no_scene() {
    let land = hills(8, 8);
    let mut snapshot = Snapshot::of_fields(land.frame.clone(), Vec::new());
    assert!(Scene::snapshot(&snapshot).is_none());
    snapshot.fields.push(height_field(&land.height));
    assert!(Scene::snapshot(&snapshot).is_some_and(|scene| scene.water_depth.is_none()));
}

/// Share of the pixels of a picture from above that are white as snow `[-]`.
fn snowed(land: &Heightfield, style: &ReliefStyle) -> f32 {
    let picture = relief(&Scene::ground(land), style, 96);
    let white = |pixel: &[u8]| pixel[0] > 205 && pixel[2] >= pixel[0];
    picture.rgb.chunks_exact(3).filter(|pixel| white(pixel)).count() as f32 / (96.0 * 96.0)
}

/// A dome of that height on level ground at a height `[m]`.
fn dome(base: f32, height: f32) -> Heightfield {
    let bump = |c: usize, r: usize| (-((c as f32 - 48.0).powi(2) + (r as f32 - 48.0).powi(2)) / 900.0).exp();
    Heightfield {
        height: Grid2::from_fn(96, 96, |c, r| base + height * bump(c, r)),
        frame: Frame::with_cell(100.0),
    }
}

#[test]
fn snow_lies_on_high_mountains_and_nowhere_else_unless_its_height_is_given() {
    let auto = ReliefStyle::default();
    for (base, height, has_snow) in [
        (0.0, 2200.0, true),
        (2000.0, 1100.0, true),
        (2000.0, 900.0, false),  // hills, however high they stand
        (-700.0, 1500.0, false), // tops at 800 m
    ] {
        let share = snowed(&dome(base, height), &auto);
        assert!((share > 0.02) == has_snow, "{share} of a dome of {height} m on {base} m is white");
    }
    let mountain = dome(0.0, 2200.0);
    let with = |snow| snowed(&mountain, &ReliefStyle { snow, ..ReliefStyle::default() });
    let [low, usual, off] = [with(Snow::Above(900.0)), with(Snow::Auto), with(Snow::Off)];
    assert!(
        off == 0.0 && low > 2.0 * usual,
        "white: {low} above 900 m, {usual} as usual, {off} without snow"
    );
    assert_eq!(with(Snow::Above(2500.0)), 0.0, "above the top");
    let hill = snowed(&dome(0.0, 300.0), &ReliefStyle { snow: Snow::Above(150.0), ..ReliefStyle::default() });
    assert!(hill > 0.02, "{hill} of a hill is white where snow is asked for");
}

/// A plateau as the README's canyon is cut into: nine tenths of it lie near its top.
#[test]
fn a_plateau_is_not_snowed_in() {
    let canyon = Heightfield {
        height: Grid2::from_fn(96, 96, |c, r| {
            let cut = (1.0 - (r as f32 - 48.0).abs() / 12.0).max(0.0);
            80.0 - 820.0 * cut + 20.0 * ((c as f32) * 0.3).sin()
        }),
        frame: Frame::with_cell(53.0),
    };
    let share = snowed(&canyon, &ReliefStyle::default());
    assert!(share < 0.01, "{share} of the plateau is white");
}

/// Colours that must be found in the legend: relief changes them by less than one in twenty.
#[test]
fn the_colours_of_a_map_are_those_of_its_legend() {
    let land = hills(80, 60);
    let steepest = land.height.values().windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
    assert!(steepest > 5.0, "the hills are too flat to tell: {steepest} m per cell");
    for name in ["flow", "slope", "change", "erosion"] {
        let info = FieldInfo::new(name, "m", "made up");
        let values = Grid2::from_fn(80, 60, |c, _| if c < 40 { 0.2 } else { 0.7 });
        let style = MapStyle { range: Some([0.1, 1.0]), ..MapStyle::of(&info) };
        let spread = Spread::of(values.values(), &style);
        let picture = map(&Scene::ground(&land), &Field { info, values: values.clone() }, &style, 80);
        for (i, value) in values.values().iter().enumerate() {
            let [found, legend] =
                [picture.pixel(i % 80, i / 80), style.colours.colour(spread.position(*value))];
            let off = (0..3).map(|c| found[c].abs_diff(legend[c])).max().unwrap();
            assert!(off <= 12, "{name}: {found:?} in the map, {legend:?} in the legend");
        }
    }
}
