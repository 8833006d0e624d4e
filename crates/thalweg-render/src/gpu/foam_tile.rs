//! A tile of foam that repeats without a seam.

use glam::Vec2;
use half::f16;
use thalweg_field::{Grid2, random::Key};

/// Texels along the side of the tile.
pub(super) const SIDE: usize = 256;

/// For each texel the share of the tile that foam leaves last before it, even from 0 to 1, and bubbles in 0 to 1. Foam
/// thins out to lace: it stays longest along the walls of cells of many sizes.
pub(super) fn tile() -> Vec<[f16; 4]> {
    /// Another place of the tile, whose cells have nothing to do with those here.
    const ELSEWHERE: Vec2 = Vec2::new(0.37, 0.61);
    let large = Cells::new(1, 9);
    let middle = Cells::new(2, 21);
    let small = Cells::new(3, 47);
    let wall = Grid2::from_fn(SIDE, SIDE, |col, row| {
        let place = Vec2::new(col as f32, row as f32) / SIDE as f32;
        // The walls of large cells are bent by the small ones.
        let bend = Vec2::new(middle.wall(place), middle.wall(place + ELSEWHERE)) * 0.035;
        large.wall(place + bend) * 0.5 + middle.wall(place) * 0.33 + small.wall(place) * 0.17
    });
    let ranks = ranks_of(wall.values());
    let bubbles = Cells::new(4, 64);
    (0..SIDE * SIDE)
        .map(|i| {
            let place = Vec2::new((i % SIDE) as f32, (i / SIDE) as f32) / SIDE as f32;
            let bubble = 1.0 - (bubbles.wall(place) * 1.4).min(1.0);
            [ranks[i], 0.5 * bubble + 0.5 * (1.0 - ranks[i]), 0.0, 1.0].map(f16::from_f32)
        })
        .collect()
}

/// Where each value stands among all of them, 0 to 1.
fn ranks_of(values: &[f32]) -> Vec<f32> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    for (rank, i) in order.into_iter().enumerate() {
        ranks[i] = (rank as f32 + 0.5) / values.len() as f32;
    }
    ranks
}

/// Cells around points strewn over a lattice (Worley 1996).
struct Cells {
    key: Key,
    count: usize,
}

impl Cells {
    fn new(seed: u64, count: usize) -> Self {
        Self { key: Key::new(41).with(seed), count }
    }

    /// How far a place is from the nearest wall, about 0 to 1: the difference of the ways to the two nearest points.
    fn wall(&self, place: Vec2) -> f32 {
        let at = place * self.count as f32;
        let low = at.floor();
        let [mut first, mut second] = [f32::INFINITY; 2];
        for (x, y) in (-1..=1).flat_map(|y| (-1..=1).map(move |x| (x as f32, y as f32))) {
            let cell = low + Vec2::new(x, y);
            let wrapped = cell.rem_euclid(Vec2::splat(self.count as f32));
            let key = self.key.with(wrapped.x as u64).with(wrapped.y as u64);
            let point = cell + Vec2::new(key.with(0).unit() as f32, key.with(1).unit() as f32);
            let away = (point - at).length();
            if away < first {
                (first, second) = (away, first);
            } else {
                second = second.min(away);
            }
        }
        second - first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_on_the_tile_covers_the_share_that_it_names_and_the_tile_has_no_seam() {
        let tile = tile();
        for share in [0.05, 0.3, 0.8] {
            let covered =
                tile.iter().filter(|texel| texel[0].to_f32() < share).count() as f32 / tile.len() as f32;
            assert!((covered - share).abs() < 2.0e-3, "{covered} of the tile, not {share}");
        }
        let step = |a: usize, b: usize| {
            (0..SIDE)
                .map(|row| (tile[row * SIDE + a][0].to_f32() - tile[row * SIDE + b][0].to_f32()).abs())
                .sum::<f32>()
        };
        let seam = step(SIDE - 1, 0);
        let within = (20..60).map(|col| step(col, col + 1)).fold(0.0, f32::max);
        assert!(seam < 1.2 * within, "a step over the seam is {seam}, others {within} at most");
    }
}
