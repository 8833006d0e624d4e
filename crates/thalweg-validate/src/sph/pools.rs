//! Water that pools begin with.

use super::setup::{clear, ground, rough, still_water, torrent};
use crate::{Check, Checks};
use thalweg_coupling::{Bed, BedParams, Setting};
use thalweg_field::{Heightfield, Pool, Top};
use thalweg_sph::FluidParams;

/// Volume between the bed and the level of a pool, by its depth at the middles of squares of 2 mm `[m³]`.
fn volume(ground: &Heightfield, pool: &Pool, level: f64) -> f64 {
    let bed = Bed::new(ground);
    let extent = bed.extent().map(|range| range.map(f64::from));
    let side = 0.002;
    let range = |axis: usize| {
        let [low, high] = [pool.from[axis].max(extent[axis][0]), pool.to[axis].min(extent[axis][1])];
        let count = ((high - low) / side).round();
        (0..count as usize).map(move |n| low + (n as f64 + 0.5) * (high - low) / count)
    };
    let depth = |x: f64, y: f64| (level - f64::from(bed.below(x as f32, y as f32).1)).max(0.0);
    let area: f64 = (0..2)
        .map(|axis| pool.to[axis].min(extent[axis][1]) - pool.from[axis].max(extent[axis][0]))
        .product();
    let all: Vec<f64> =
        range(1).flat_map(|y| range(0).map(move |x| (x, y))).map(|(x, y)| depth(x, y)).collect();
    all.iter().sum::<f64>() / all.len() as f64 * area
}

/// Pools up to a level in basins with sloping, rough sides, and one whose sides are no whole number of spacings, hold the water
/// that is between their bed and their level.
pub(super) fn pools() -> Checks {
    const SOURCE: &str = "volume between bed and level; bounds of methods/particles.md";
    let (cell, size, level) = (0.05, 41, 0.63);
    let rough = rough(size, cell, 0.12);
    let bumps = |col: usize, row: usize| f64::from(rough.height.row(row)[col]);
    let away = |n: usize| (n as f64 - 20.0).abs() * cell;
    let valley = ground(size, size, cell, |col, row| 0.9 * away(col) + bumps(col, row));
    let bowl = ground(size, size, cell, |col, row| 0.8 * away(col).hypot(away(row)) + bumps(col, row));
    let plain = ground(size, size, cell, |_, _| 0.0);
    let whole = still_water([0.0; 2], [2.05; 2], None, Top::Level(level));
    let odd = still_water([0.5, 0.7], [1.333, 1.217], None, Top::Level(level));
    let mut checks = Vec::new();
    for (name, ground, pool) in
        [("valley", valley, &whole), ("bowl", bowl, &whole), ("box of odd size", plain, &odd)]
    {
        let expected = volume(&ground, pool, level);
        for spacing in [0.1, 0.05, 0.025] {
            let params = clear(FluidParams { spacing, ..FluidParams::default() }, BedParams::default());
            let setting = Setting { water: vec![pool.clone()], ..Setting::default() };
            let filled = torrent(&ground, &params, &setting).ledger().water.end;
            let quantity = format!("water in a {name}, spacing {spacing} m");
            checks.push(Check::new(quantity, "m³", SOURCE).near_share(filled, expected, 0.01));
        }
    }
    Ok(checks)
}
