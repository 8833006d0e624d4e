//! Which neighbour the water of each cell runs to.

use super::layout::{Layout, OUTLET, PIT, RIM};
use super::params::Routing;
use crate::lanes::some;
use fearless_simd::{Level, Simd, dispatch};
use thalweg_field::band;
use thalweg_field::random::Key;

/// Three rows of heights: that of the cells, and those beside it.
struct Rows<'a> {
    north: &'a [f64],
    here: &'a [f64],
    south: &'a [f64],
}

/// Finds the way down from every cell; `key` is that of the step.
pub(super) fn find(layout: &Layout, height: &[f64], routing: Routing, key: Key, ways: &mut [u8]) {
    let (stride, level) = (layout.stride, Level::new());
    band::for_each_chunk(ways, stride, |row, ways| {
        if row == 0 || row > layout.rows {
            return ways.fill(RIM);
        }
        let line = |row: usize| &height[row * stride..][..stride];
        let rows = Rows { north: line(row - 1), here: line(row), south: line(row + 1) };
        let key = key.with(row as u64);
        match routing {
            Routing::D8 => {
                dispatch!(level, simd => steepest(simd, &rows, |_| std::f32::consts::SQRT_2, ways));
            }
            Routing::Rho8 => {
                // Fairfield & Leymarie 1991: diagonals count as 2 − r cells long, r even between 0 and 1.
                let length =
                    |col: usize| 2.0 - (key.with(col as u64).bits() >> 40) as f32 * (1.0 / (1 << 24) as f32);
                dispatch!(level, simd => steepest(simd, &rows, length, ways));
            }
            Routing::Dinf => drawn(&rows, key, ways),
        }
        (ways[0], ways[stride - 1]) = (RIM, RIM);
        for col in outlet_columns(layout, row - 1) {
            ways[col + 1] = OUTLET;
        }
    });
}

/// The columns of a row where water leaves.
fn outlet_columns(layout: &Layout, row: usize) -> impl Iterator<Item = usize> {
    let [north, east, south, west] = layout.edges.map(|edge| edge.is_some());
    let whole = (row == 0 && north) || (row + 1 == layout.rows && south);
    let last = layout.cols - 1;
    (0..layout.cols).filter(move |&col| whole || (col == 0 && west) || (col == last && east))
}

/// Cells whose ways are found together.
const TOGETHER: usize = 64;

/// The steepest of eight. `length` is how many cells long a diagonal is.
#[inline(always)]
fn steepest<S: Simd>(_: S, rows: &Rows, length: impl Fn(usize) -> f32, ways: &mut [u8]) {
    let inner = 1..ways.len() - 1;
    for (first, ways) in inner.clone().step_by(TOGETHER).zip(ways[inner].chunks_mut(TOGETHER)) {
        let mut lengths = [0.0; TOGETHER];
        for (i, long) in lengths.iter_mut().enumerate() {
            *long = length(first + i);
        }
        steepest_of_some(rows, first, &lengths, ways);
    }
}

/// Without a branch, and with codes as wide as falls, so that several cells go at once.
#[inline(always)]
fn steepest_of_some(rows: &Rows, first: usize, lengths: &[f32; TOGETHER], ways: &mut [u8]) {
    let near = |row: &'_ [f64]| some::<_, { TOGETHER + 2 }>(&row[first - 1..], 0.0);
    let (north, here, south) = (near(rows.north), near(rows.here), near(rows.south));
    let mut codes = [0_u32; TOGETHER];
    for i in 0..TOGETHER {
        let own = here[i + 1];
        let fall = |other: f64| (own - other) as f32;
        let steeper = |a: (f32, u32), b: (f32, u32)| {
            let is_second = b.0 > a.0;
            (if is_second { b.0 } else { a.0 }, if is_second { b.1 } else { a.1 })
        };
        let [e, w] = [fall(here[i + 2]), fall(here[i])];
        let [n, s] = [fall(north[i + 1]), fall(south[i + 1])];
        let straight = steeper(steeper((e, 0), (n, 2)), steeper((w, 4), (s, 6)));
        let [ne, nw] = [fall(north[i + 2]), fall(north[i])];
        let [se, sw] = [fall(south[i + 2]), fall(south[i])];
        let across = steeper(steeper((ne, 1), (nw, 3)), steeper((sw, 5), (se, 7)));
        let best = steeper((straight.0 * lengths[i], straight.1), across).1;
        let falls = (straight.0 > 0.0) | (across.0 > 0.0);
        codes[i] = if falls { best } else { u32::from(PIT) };
    }
    ways.iter_mut().zip(&codes).for_each(|(way, &code)| *way = code as u8);
}

/// Tarboton 1997: the steepest of the eight triangles around a cell; one of its two neighbours is drawn, with the share of
/// the angle that is nearer to it.
fn drawn(rows: &Rows, key: Key, ways: &mut [u8]) {
    for col in 1..ways.len() - 1 {
        let own = rows.here[col];
        let around = [
            rows.here[col + 1],
            rows.north[col + 1],
            rows.north[col],
            rows.north[col - 1],
            rows.here[col - 1],
            rows.south[col - 1],
            rows.south[col],
            rows.south[col + 1],
        ]
        .map(|other| own - other);
        let mut best = (0.0, PIT);
        for (straight, across) in [(0, 1), (2, 1), (2, 3), (4, 3), (4, 5), (6, 5), (6, 7), (0, 7)] {
            if around[straight] == f64::NEG_INFINITY || around[across] == f64::NEG_INFINITY {
                continue;
            }
            // Slopes along the straight side and at right angles to it.
            let (along, aside) = (around[straight], around[across] - around[straight]);
            let angle = aside.atan2(along).clamp(0.0, std::f64::consts::FRAC_PI_4);
            let slope = along * angle.cos() + aside * angle.sin();
            if slope > best.0 {
                let diagonal = key.with(col as u64).unit() < angle * (4.0 / std::f64::consts::PI);
                best = (slope, if diagonal { across } else { straight } as u8);
            }
        }
        // Beside walls there may be no triangle; and the one drawn must lie lower.
        let lower = |way: u8| way < PIT && around[way as usize] > 0.0;
        let steepest = (0..8_u8).max_by(|&a, &b| {
            let slope = |way: u8| around[way as usize] * if way & 1 == 1 { 0.5_f64.sqrt() } else { 1.0 };
            slope(a).total_cmp(&slope(b)).then(b.cmp(&a))
        });
        ways[col] = if lower(best.1) { best.1 } else { steepest.filter(|&way| lower(way)).unwrap_or(PIT) };
    }
}
