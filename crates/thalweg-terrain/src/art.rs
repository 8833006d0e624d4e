//! Maps that artists paint by: what a landscape shows, in the form that engines take.

use crate::analysis::gradient;
use thalweg_field::{Grid2, Heightfield};

/// Which way green counts in a map of normals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormalStyle {
    /// Green is north: Blender, Unity, Godot, Houdini.
    OpenGl,
    /// Green is south: Unreal.
    DirectX,
}

/// Unit normals of the ground: red to the east, green to the north or south, blue up.
pub fn normals(ground: &Heightfield, style: NormalStyle) -> Grid2<[f32; 3]> {
    let green = if style == NormalStyle::OpenGl { -1.0 } else { 1.0 };
    Grid2::from_fn(ground.height.cols(), ground.height.rows(), |col, row| {
        let [east, north] = gradient(ground, col, row);
        let length = (east * east + north * north + 1.0).sqrt();
        [-east / length, green * north / length, 1.0 / length].map(|part| part as f32)
    })
}

/// Ways along the grid in which the sky is looked for: all that fifteen cells tell apart, as columns and rows.
const WAYS: [[isize; 2]; 16] = [
    [1, 0],
    [2, 1],
    [1, 1],
    [1, 2],
    [0, 1],
    [-1, 2],
    [-1, 1],
    [-2, 1],
    [-1, 0],
    [-2, -1],
    [-1, -1],
    [-1, -2],
    [0, -1],
    [1, -2],
    [1, -1],
    [2, -1],
];

/// Share of an evenly bright sky that a level surface at each cell sees, 1 on a summit `[-]`: ambient occlusion. Looked
/// for in 16 ways, weighted by the angle that each stands for, as far as `reach` `[m]`; farther off in longer strides.
pub fn sky_seen(ground: &Heightfield, reach: f64) -> Grid2<f32> {
    let cell = ground.frame.cell;
    // The angle from the way before to the one after is 2·atan(1/2) or its complement; halves of both.
    let half = libm::atan(0.5);
    let quarter = std::f64::consts::FRAC_PI_4;
    let (axis, knight, diagonal) = (half, quarter / 2.0, quarter - half);
    Grid2::from_fn(ground.height.cols(), ground.height.rows(), |col, row| {
        let here = f64::from(ground.height.at(col, row));
        let (mut seen, mut all) = (0.0, 0.0);
        for [dc, dr] in WAYS {
            let weight = match dc.abs() + dr.abs() {
                1 => axis,
                2 => diagonal,
                _ => knight,
            };
            let stride = cell * ((dc * dc + dr * dr) as f64).sqrt();
            let (mut tangent, mut n) = (0.0_f64, 1_isize);
            while n as f64 * stride <= reach {
                let (c, r) = (col as isize + n * dc, row as isize + n * dr);
                let inside = (0..ground.height.cols() as isize).contains(&c)
                    && (0..ground.height.rows() as isize).contains(&r);
                if !inside {
                    break;
                }
                let rise = f64::from(ground.height.at(c as usize, r as usize)) - here;
                tangent = tangent.max(rise / (n as f64 * stride));
                n += 1 + n / 8;
            }
            // Light falls on a level surface by the sine of its height: above h that is cos² h of all.
            seen += weight / (1.0 + tangent * tangent);
            all += weight;
        }
        (seen / all) as f32
    })
}

/// Distance of every cell's centre from the shore `[m]`: above zero on land, below in water. Where there is no shore, how long the
/// diagonal of the grid is, with that sign.
pub fn shore_distance(wet: &Grid2<bool>, cell: f64) -> Grid2<f32> {
    let [to_water, to_land] = [true, false].map(|kind| squares_to(wet, kind));
    let [cols, rows] = [wet.cols() as f64, wet.rows() as f64];
    let farthest = (cols * cols + rows * rows).sqrt();
    Grid2::from_fn(wet.cols(), wet.rows(), |col, row| {
        let (squares, sign) =
            if wet.at(col, row) { (to_land.at(col, row), -1.0) } else { (to_water.at(col, row), 1.0) };
        // The shore runs half-way between two centres.
        let cells = if squares.is_finite() { squares.sqrt() - 0.5 } else { farthest };
        (sign * cells * cell) as f32
    })
}

/// Square of the distance from each cell to the nearest of a kind, in cells; exact (Felzenszwalb & Huttenlocher 2012).
fn squares_to(wet: &Grid2<bool>, kind: bool) -> Grid2<f64> {
    let start = |is: bool| if is == kind { 0.0 } else { f64::INFINITY };
    // Along columns first, which become rows here.
    let mut turned = Grid2::from_fn(wet.rows(), wet.cols(), |row, col| start(wet.at(col, row)));
    turned.for_each_row(|_, line| sweep(line));
    let mut squares = Grid2::from_fn(wet.cols(), wet.rows(), |col, row| turned.at(row, col));
    squares.for_each_row(|_, line| sweep(line));
    squares
}

/// The lower envelope of parabolas with their feet at the values of a line.
fn sweep(line: &mut [f64]) {
    let mut feet: Vec<usize> = Vec::new();
    // Where each parabola begins to be the lowest.
    let mut begins: Vec<f64> = Vec::new();
    for (at, &value) in line.iter().enumerate().filter(|(_, value)| value.is_finite()) {
        let begin = loop {
            let Some(&last) = feet.last() else { break f64::NEG_INFINITY };
            let [p, q] = [last as f64, at as f64];
            let meets = ((value + q * q) - (line[last] + p * p)) / (2.0 * (q - p));
            if meets > begins[begins.len() - 1] {
                break meets;
            }
            feet.pop();
            begins.pop();
        };
        feet.push(at);
        begins.push(begin);
    }
    if feet.is_empty() {
        return;
    }
    let values: Vec<f64> = feet.iter().map(|&foot| line[foot]).collect();
    let mut k = 0;
    for (at, slot) in line.iter_mut().enumerate() {
        while k + 1 < feet.len() && begins[k + 1] <= at as f64 {
            k += 1;
        }
        let away = at as f64 - feet[k] as f64;
        *slot = away * away + values[k];
    }
}

/// Angles between which ground turns from soil to bare rock, as their tangents: 30° and 45° `[-]`.
const BARE: [f64; 2] = [0.577_350_269, 1.0];
/// What is laid down this deep hides what was there `[m]`.
const COVER: f64 = 0.5;

/// Shares of rock, soil, loose ground and water in each cell, of 255 together: red, green, blue and alpha.
///
/// Rock is where ground is steeper than 30° to 45°, loose ground where up to 0.5 m of it was laid down, water where `wet` says so
/// (a share, 0 to 1), and soil is the rest. Without a map there is nothing of its kind.
pub fn splat(ground: &Heightfield, loose: Option<&Grid2<f32>>, wet: Option<&Grid2<f32>>) -> Grid2<[u8; 4]> {
    Grid2::from_fn(ground.height.cols(), ground.height.rows(), |col, row| {
        let [east, north] = gradient(ground, col, row);
        let steep = (east * east + north * north).sqrt();
        let bare = smooth((steep - BARE[0]) / (BARE[1] - BARE[0]));
        let of = |map: Option<&Grid2<f32>>, full: f64| {
            map.map_or(0.0, |map| (f64::from(map.at(col, row)) / full).clamp(0.0, 1.0))
        };
        let [wet, loose] = [of(wet, 1.0), smooth(of(loose, COVER))];
        let dry = 1.0 - wet;
        let covered = dry * loose;
        let rest = dry - covered;
        whole([rest * bare, rest * (1.0 - bare), covered, wet])
    })
}

fn smooth(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

/// Whole numbers with the sum 255 in the proportions of shares with the sum 1: what is left after rounding down goes to the
/// largest remainders.
fn whole(shares: [f64; 4]) -> [u8; 4] {
    let exact = shares.map(|share| 255.0 * share);
    let mut numbers = exact.map(|x| x.floor() as u8);
    let mut order = [0, 1, 2, 3];
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    let left = 255 - numbers.iter().map(|&n| u32::from(n)).sum::<u32>();
    for &at in order.iter().cycle().take(left as usize) {
        numbers[at] += 1;
    }
    numbers
}

/// Unit vectors to the east and to the north along which something flows; zero where it does not.
pub fn directions(east: &Grid2<f32>, north: &Grid2<f32>) -> [Grid2<f32>; 2] {
    let unit = Grid2::from_fn(east.cols(), east.rows(), |col, row| {
        let [x, y] = [east, north].map(|grid| f64::from(grid.at(col, row)));
        let length = (x * x + y * y).sqrt();
        if length > 0.0 && length.is_finite() { [x / length, y / length].map(|x| x as f32) } else { [0.0; 2] }
    });
    [0, 1].map(|axis| unit.map(|way| way[axis]))
}

/// Unit vectors down the slope, to the east and to the north; zero on level ground.
pub fn downhill(ground: &Heightfield) -> [Grid2<f32>; 2] {
    let [cols, rows] = [ground.height.cols(), ground.height.rows()];
    let down =
        [0, 1].map(|axis| Grid2::from_fn(cols, rows, |col, row| -gradient(ground, col, row)[axis] as f32));
    directions(&down[0], &down[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::Frame;

    fn ground(cols: usize, rows: usize, height: impl Fn(usize, usize) -> f32 + Sync) -> Heightfield {
        Heightfield { height: Grid2::from_fn(cols, rows, height), frame: Frame::with_cell(2.0) }
    }

    #[test]
    fn normals_lean_away_from_the_slope_and_green_has_two_styles() {
        // Rises 1 m in 2 m to the east and 0.5 m in 2 m to the south.
        let slope = ground(6, 5, |col, row| col as f32 + 0.5 * row as f32);
        let [gl, dx] =
            [NormalStyle::OpenGl, NormalStyle::DirectX].map(|style| normals(&slope, style).at(3, 2));
        let length = (1.0_f32 + 0.25 + 0.0625).sqrt();
        for (found, expected) in gl.iter().zip([-0.5 / length, 0.25 / length, 1.0 / length]) {
            assert!((found - expected).abs() < 1.0e-6, "{gl:?}");
        }
        assert_eq!(dx, [gl[0], -gl[1], gl[2]]);
    }

    #[test]
    fn the_foot_of_a_long_wall_sees_half_of_the_sky() {
        // A wall of 10 km along the middle column: the sky is cut off to one side.
        let wall = ground(81, 81, |col, _| if col >= 40 { 10_000.0 } else { 0.0 });
        let seen = sky_seen(&wall, 80.0);
        assert!((seen.at(39, 40) - 0.5).abs() < 0.1, "{} at the foot", seen.at(39, 40));
        assert_eq!(seen.at(60, 40), 1.0, "on top");
        // A pit of one cell with walls of its width at 45°: cos² 45° is a half.
        let pit = ground(9, 9, |col, row| if (col, row) == (4, 4) { -2.0 } else { 0.0 });
        let [axis, diagonal, knight] = [1.0, 2.0, 5.0].map(|square: f64| 1.0 / (1.0 + 1.0 / square)); // walls farther off are lower
        let found = f64::from(sky_seen(&pit, 100.0).at(4, 4));
        assert!(axis < found && found < knight && diagonal > axis, "{found}");
        assert_eq!(sky_seen(&pit, 100.0).at(1, 1), 1.0);
    }

    #[test]
    fn the_shore_is_as_far_as_it_is() {
        let wet =
            Grid2::from_fn(40, 30, |col, row| (5..9).contains(&col) && (10..14).contains(&row) || col > 35);
        let found = shore_distance(&wet, 3.0);
        for row in 0..30 {
            for col in 0..40 {
                let mut nearest = f64::INFINITY;
                for r in 0..30 {
                    for c in (0..40).filter(|&c| wet.at(c, r) != wet.at(col, row)) {
                        let [x, y] = [c as f64 - col as f64, r as f64 - row as f64];
                        nearest = nearest.min((x * x + y * y).sqrt());
                    }
                }
                let sign = if wet.at(col, row) { -1.0 } else { 1.0 };
                let expected = (sign * (nearest - 0.5) * 3.0) as f32;
                assert_eq!(found.at(col, row), expected, "at {col}, {row}");
            }
        }
        assert_eq!(shore_distance(&Grid2::filled(4, 3, false), 2.0).at(1, 1), 10.0);
        assert_eq!(shore_distance(&Grid2::filled(4, 3, true), 2.0).at(1, 1), -10.0);
    }

    #[test]
    fn shares_of_materials_are_255_together() {
        let hills = ground(50, 40, |col, row| 6.0 * (0.37 * col as f32).sin() * (0.23 * row as f32).cos());
        let loose = Grid2::from_fn(50, 40, |col, row| 0.01 * (col * row % 77) as f32);
        let wet = Grid2::from_fn(50, 40, |col, row| if row > 30 { 0.013 * col as f32 } else { 0.0 });
        let shares = splat(&hills, Some(&loose), Some(&wet));
        for numbers in shares.values() {
            assert_eq!(numbers.iter().map(|&n| u32::from(n)).sum::<u32>(), 255, "{numbers:?}");
        }
        // Level and dry is soil, a cliff is rock, what is under water is water.
        assert_eq!(splat(&ground(4, 4, |_, _| 7.0), None, None).at(2, 2), [0, 255, 0, 0]);
        assert_eq!(splat(&ground(4, 4, |col, _| 3.0 * col as f32), None, None).at(2, 2), [255, 0, 0, 0]);
        let full = Grid2::filled(4, 4, 1.0);
        assert_eq!(splat(&ground(4, 4, |_, _| 7.0), Some(&full), None).at(2, 2), [0, 0, 255, 0]);
        assert_eq!(splat(&ground(4, 4, |_, _| 7.0), Some(&full), Some(&full)).at(2, 2), [0, 0, 0, 255]);
    }

    #[test]
    fn water_goes_down_the_slope() {
        let slope = ground(6, 5, |col, row| 3.0 * col as f32 - 4.0 * row as f32);
        let [east, north] = downhill(&slope);
        // Rises to the east and to the north, so that down is south-west.
        assert!((east.at(2, 2) + 0.6).abs() < 1.0e-6 && (north.at(2, 2) + 0.8).abs() < 1.0e-6);
        assert_eq!(downhill(&ground(4, 4, |_, _| 1.0))[0].at(1, 1), 0.0);
    }
}
