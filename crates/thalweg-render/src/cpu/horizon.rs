//! How high the horizon stands around every cell: the ground of cast shadows and of the sky's light.

use std::f32::consts::TAU;
use std::sync::atomic::AtomicBool;

use thalweg_field::Grid2;

use crate::ReliefStyle;
use crate::light::smoothstep;
use crate::scene::is_set;

/// One place to look at along a direction. It lies between two cells that share a column or a row, so
/// that whole rows are compared with whole rows and the compiler can vectorise the scan.
struct Tap {
    near: [isize; 2],
    far: [isize; 2],
    /// Weight of the far cell `[-]`.
    share: f32,
    /// 1 / distance `[1/m]`.
    inverse_distance: f32,
}

/// Looks along a compass direction `[rad]` after each of `steps` cells, counted along the axis that the
/// direction follows most closely.
fn taps(azimuth: f32, cell: f32, steps: impl Iterator<Item = usize>) -> Vec<Tap> {
    let (east, south) = (azimuth.sin(), -azimuth.cos());
    let along_row = east.abs() >= south.abs();
    let (major, minor) = if along_row { (east, south) } else { (south, east) };
    let place = |along: isize, across: isize| if along_row { [along, across] } else { [across, along] };
    let tap = |step: usize| {
        let along = step as isize * major.signum() as isize;
        let across = step as f32 * minor / major.abs();
        let base = across.floor();
        let share = across - base;
        let near = place(along, base as isize);
        let far = if share > 0.0 { place(along, base as isize + 1) } else { near };
        let distance = cell * (step as f32).hypot(across);
        Tap { near, far, share, inverse_distance: 1.0 / distance }
    };
    steps.map(tap).collect()
}

/// Raises `horizon` (tangents of elevations) of one row to what stands at a tap. Beyond the grid
/// there is nothing to see.
fn raise(horizon: &mut [f32], height: &Grid2<f32>, row: usize, tap: &Tap) {
    let (cols, rows) = (height.cols() as isize, height.rows() as isize);
    let (near_row, far_row) = (row as isize + tap.near[1], row as isize + tap.far[1]);
    let first = 0.max(-tap.near[0]).max(-tap.far[0]);
    let last = cols.min(cols - tap.near[0]).min(cols - tap.far[0]);
    if !(0..rows).contains(&near_row) || !(0..rows).contains(&far_row) || first >= last {
        return;
    }
    let span = |row: isize, shift: isize| {
        &height.row(row as usize)[(first + shift) as usize..(last + shift) as usize]
    };
    let here = span(row as isize, 0);
    let near = span(near_row, tap.near[0]);
    let far = span(far_row, tap.far[0]);
    let horizon = &mut horizon[first as usize..last as usize];
    for (((tangent, here), near), far) in horizon.iter_mut().zip(here).zip(near).zip(far) {
        let rise = (near + (far - near) * tap.share - here) * tap.inverse_distance;
        *tangent = if rise > *tangent { rise } else { *tangent };
    }
}

/// Share of the sun's disc that each cell sees over the ground in front of it `[-]`; of no use once `stop` is set.
pub(crate) fn sunlight(
    height: &Grid2<f32>,
    cell: f32,
    style: &ReliefStyle,
    stop: Option<&AtomicBool>,
) -> Grid2<f32> {
    let ReliefStyle { sun_azimuth: azimuth, sun_elevation: elevation, sun_radius: radius, .. } = *style;
    let (low, high) = height.range().unwrap_or((0.0, 0.0));
    let (set, risen) = (elevation - radius, (elevation + radius).min(1.55));
    // The farthest that the highest ground can shade; a sun on the horizon shades everything.
    let reach = if set > 0.0 { (high - low) / (set.tan() * cell) } else { f32::INFINITY };
    let reach = (reach as usize).saturating_add(1).min(height.cols().max(height.rows()));
    // Far shadows are wide and soft: past this many cells the steps grow with the distance.
    const FINE: usize = 96;
    let steps = std::iter::successors(Some(1), |&step| Some(step + (step / FINE).max(1)));
    let taps = taps(azimuth, cell, steps.take_while(|&step| step <= reach));
    let mut light = Grid2::filled(height.cols(), height.rows(), 0.0);
    light.for_each_row(|row, cells| {
        if is_set(stop) {
            return;
        }
        taps.iter().for_each(|tap| raise(cells, height, row, tap));
        for cell in cells {
            *cell = 1.0 - smoothstep(set, risen, cell.atan());
        }
    });
    light
}

/// Share of the sky's light that reaches each cell `[-]`: the mean over directions of cos² of the
/// horizon's elevation, which is 1 on a plain and on summits (sky-view factor after Dozier & Frew 1990). Of no use once
/// `stop` is set.
pub(crate) fn sky_view(height: &Grid2<f32>, cell: f32, stop: Option<&AtomicBool>) -> Grid2<f32> {
    const DIRECTIONS: usize = 16;
    // A tenth of the terrain is as far as hollows are felt; nearer steps are closer together.
    let reach = (height.cols().max(height.rows()) / 10).max(2);
    let steps = || {
        std::iter::successors(Some(1), |&step: &usize| Some(step + (step / 2).max(1)))
            .take_while(|&s| s <= reach)
    };
    let directions: Vec<Vec<Tap>> =
        (0..DIRECTIONS).map(|i| taps((i as f32 + 0.5) * TAU / DIRECTIONS as f32, cell, steps())).collect();
    let mut sky = Grid2::filled(height.cols(), height.rows(), 0.0);
    sky.for_each_row(|row, cells| {
        if is_set(stop) {
            return;
        }
        let mut horizon = vec![0.0; cells.len()];
        for taps in &directions {
            horizon.fill(0.0);
            taps.iter().for_each(|tap| raise(&mut horizon, height, row, tap));
            for (sky, tangent) in cells.iter_mut().zip(&horizon) {
                *sky += 1.0 / ((1.0 + tangent * tangent) * DIRECTIONS as f32);
            }
        }
    });
    sky
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wall 20 m high on a plain of 1 m cells, and the sun 30° above the horizon in four directions.
    #[test]
    fn a_wall_casts_a_shadow_of_its_height_over_the_tangent() {
        const SIDE: usize = 121;
        let (middle, elevation) = (SIDE / 2, 30f32.to_radians());
        for (azimuth, away) in [(0.0f32, [0, 1]), (90.0, [-1, 0]), (180.0, [0, -1]), (270.0, [1, 0])] {
            let wall = |col: usize, row: usize| if away[0] == 0 { row == middle } else { col == middle };
            let height = Grid2::from_fn(SIDE, SIDE, |c, r| if wall(c, r) { 20.0 } else { 0.0 });
            let style = ReliefStyle {
                sun_azimuth: azimuth.to_radians(),
                sun_elevation: elevation,
                sun_radius: 0.01,
                ..ReliefStyle::default()
            };
            let light = sunlight(&height, 1.0, &style, None);
            let lit = |step: isize| {
                light.at_clamped(middle as isize + away[0] * step, middle as isize + away[1] * step) > 0.5
            };
            let length = (1..60).find(|&step| lit(step)).unwrap() as f32;
            let expected = 20.0 / elevation.tan();
            assert!(
                (length - expected).abs() <= 1.0,
                "{length} m instead of {expected} m, sun at {azimuth}°"
            );
            assert!((1..60).all(|step| lit(-step)), "the side towards the sun is lit, sun at {azimuth}°");
        }
    }

    #[test]
    fn a_plain_sees_all_of_the_sky_and_a_pit_little() {
        let mut height = Grid2::filled(41, 41, 0.0);
        assert!(sky_view(&height, 1.0, None).values().iter().all(|v| (v - 1.0).abs() < 1.0e-5));
        height.set(20, 20, -5.0);
        let sky = sky_view(&height, 1.0, None).at(20, 20);
        assert!(sky < 0.1, "{sky}");
    }
}
