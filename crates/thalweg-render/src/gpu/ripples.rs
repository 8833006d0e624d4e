//! A tile of ripples and noise that repeats without a seam.

use std::f32::consts::TAU;

use glam::Vec2;
use half::f16;
use thalweg_field::{Grid2, random::Key};

/// Texels along the side of the tile.
pub(super) const SIDE: usize = 256;

/// Slopes of waves (x, y) and two kinds of noise in 0 to 1, as half floats.
pub(super) fn tile() -> Vec<[f16; 4]> {
    let waves = waves();
    let smooth = noise_tile(1, 8, 4);
    let fine = noise_tile(2, 16, 4);
    let texels = Grid2::from_fn(SIDE, SIDE, |col, row| {
        let place = Vec2::new(col as f32, row as f32) / SIDE as f32;
        let slope: Vec2 = waves
            .iter()
            .map(|wave| wave.direction * (TAU * wave.turns.dot(place) + wave.phase).cos() * wave.slope)
            .sum();
        [slope.x, slope.y, smooth.at(col, row), fine.at(col, row)]
    });
    texels.values().iter().map(|texel| texel.map(f16::from_f32)).collect()
}

/// One sine wave of the tile.
struct Wave {
    /// Whole turns over the tile along each side.
    turns: Vec2,
    direction: Vec2,
    slope: f32,
    phase: f32,
}

/// Waves in all directions, a fan of them broader to the east; their slopes together have a root mean
/// square of 1.
fn waves() -> Vec<Wave> {
    const COUNT: usize = 40;
    let key = Key::new(7);
    let mut waves: Vec<Wave> = (0..COUNT)
        .map(|i| {
            let draw = |j: u64| key.with(i as u64).with(j).unit() as f32;
            // Longer waves first; short ones are many.
            let length = 3.0 * (14.0_f32 / 3.0).powf((i as f32 + draw(0)) / COUNT as f32);
            let angle = (draw(1) - 0.5) * TAU * if i % 3 == 0 { 1.0 } else { 0.55 };
            let turns = (Vec2::from_angle(angle) * length).round();
            let turns = if turns == Vec2::ZERO { Vec2::X } else { turns };
            let slope = turns.length().powf(-0.35);
            Wave { turns, direction: turns.normalize(), slope, phase: draw(2) * TAU }
        })
        .collect();
    let power: f32 = waves.iter().map(|wave| wave.slope * wave.slope * 0.5).sum();
    waves.iter_mut().for_each(|wave| wave.slope /= power.sqrt());
    waves
}

/// Value noise of several octaves, the first with `cells` lattice cells along the tile.
fn noise_tile(seed: u64, cells: usize, octaves: u32) -> Grid2<f32> {
    let key = Key::new(seed);
    Grid2::from_fn(SIDE, SIDE, |col, row| {
        let (mut sum, mut weight, mut whole) = (0.0, 1.0, 0.0);
        for octave in 0..octaves {
            let count = cells << octave;
            let place = Vec2::new(col as f32, row as f32) * count as f32 / SIDE as f32;
            sum += weight * lattice(key.with(u64::from(octave)), count, place);
            whole += weight;
            weight *= 0.55;
        }
        // Averages crowd around the middle; stretch them over the whole range.
        ((sum / whole - 0.5) * 1.8 + 0.5).clamp(0.0, 1.0)
    })
}

fn lattice(key: Key, count: usize, place: Vec2) -> f32 {
    let low = place.floor();
    let part = place - low;
    let part = part * part * (Vec2::splat(3.0) - 2.0 * part);
    let value = |i: usize, j: usize| {
        let (col, row) = ((low.x as usize + i) % count, (low.y as usize + j) % count);
        key.with(col as u64).with(row as u64).unit() as f32
    };
    let north = value(0, 0) + (value(1, 0) - value(0, 0)) * part.x;
    let south = value(0, 1) + (value(1, 1) - value(0, 1)) * part.x;
    north + (south - north) * part.y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tile_has_no_seam_and_ripples_of_unit_slope() {
        let tile = tile();
        let slope = |col: usize, row: usize| {
            let texel = tile[row * SIDE + col];
            Vec2::new(texel[0].to_f32(), texel[1].to_f32())
        };
        let mean_step = |a: usize, b: usize| {
            (0..SIDE).map(|row| (slope(a, row) - slope(b, row)).length()).sum::<f32>() / SIDE as f32
        };
        // A step over the seam is as small as any other.
        assert!(mean_step(SIDE - 1, 0) < 1.3 * mean_step(100, 101), "{}", mean_step(SIDE - 1, 0));
        let power: f32 = tile.iter().map(|t| t[0].to_f32().powi(2) + t[1].to_f32().powi(2)).sum();
        let rms = (power / tile.len() as f32).sqrt();
        assert!((rms - 1.0).abs() < 0.05, "{rms}");
    }
}
