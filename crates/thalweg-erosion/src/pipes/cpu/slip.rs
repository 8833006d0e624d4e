//! Slopes that slip, in one band.

use super::band::Band;
use super::edges::{Rim, Rims};
use super::layout::{Flows, Layout, Lines, MARGIN, plane};
use super::net::plane::BED_REST;
use crate::law::slip::Slipping;
use fearless_simd::{Level, dispatch};

/// Rows that slipping looks at.
#[derive(Clone, Debug)]
pub(super) struct SlipRows {
    /// The bed before the round, of the row above, of the row and of the row below; a cell beyond either end repeats it.
    old: [Lines; 3],
    /// What moves to the east within the row, and to the south out of the row above and out of the row.
    east: Lines,
    south: [Lines; 2],
}

impl SlipRows {
    pub(super) fn new(layout: &Layout) -> Self {
        let row = || Lines::new(layout.stride, 0.0);
        Self { old: [row(), row(), row()], east: row(), south: [row(), row()] }
    }
}

/// One round of slipping in one band; reads each row as it was before.
pub(super) fn slip(level: Level, layout: &Layout, rims: &Rims, slipping: &Slipping, band: &mut Band) {
    dispatch!(level, _simd => go_down(layout, rims, slipping, band));
}

#[inline(always)]
fn go_down(layout: &Layout, rims: &Rims, slipping: &Slipping, band: &mut Band) {
    let last = layout.rows as isize - 1;
    let mut rows = band.slip_rows.take().unwrap_or_else(|| SlipRows::new(layout));
    let keep = |band: &Band, row: isize, into: &mut Lines| {
        into.copy_from_slice(layout.plane(band.row(layout, row.clamp(0, last)), plane::BED));
        let [first, end] = layout.ends();
        (into[first - 1], into[end + 1]) = (into[first], into[end]);
    };
    let first = band.own.start as isize;
    keep(band, first - 1, &mut rows.old[1]);
    keep(band, first, &mut rows.old[2]);
    move_south(layout, rims, slipping, &mut rows, first - 1);
    for row in band.own.clone() {
        let row = row as isize;
        rows.old.rotate_left(1);
        rows.south.rotate_left(1);
        keep(band, row + 1, &mut rows.old[2]);
        move_east(layout, rims, slipping, &mut rows, row);
        move_south(layout, rims, slipping, &mut rows, row);
        settle(layout, band.row_mut(layout, row), &rows);
    }
    band.slip_rows = Some(rows);
}

fn is_base(rim: Rim) -> bool {
    rim == Rim::Open
}

/// Whether all cells of a row lie on an open edge.
fn is_base_row(layout: &Layout, rims: &Rims, row: isize) -> bool {
    (row == 0 && is_base(rims.north)) || (row + 1 == layout.rows as isize && is_base(rims.south))
}

/// What moves within a row.
#[inline(always)]
fn move_east(layout: &Layout, rims: &Rims, slipping: &Slipping, rows: &mut SlipRows, row: isize) {
    let last = layout.cols - 1;
    let [above, here, below] = [0, 1, 2].map(|i: usize| &rows.old[i][MARGIN..][..layout.cols]);
    let east = &mut rows.east[MARGIN..][..last];
    slipping.move_east([above, here, below], east);
    if is_base_row(layout, rims, row) {
        east.fill(0.0);
    }
    if last > 0 {
        slipping.keep_base(&mut east[0], [is_base(rims.west), last == 1 && is_base(rims.east)]);
        slipping.keep_base(&mut east[last - 1], [last == 1 && is_base(rims.west), is_base(rims.east)]);
    }
}

/// What moves from the row in the middle to the row below; nothing from the last or into the first.
#[inline(always)]
fn move_south(layout: &Layout, rims: &Rims, slipping: &Slipping, rows: &mut SlipRows, row: isize) {
    let south = &mut rows.south[1][MARGIN..][..layout.cols];
    if row < 0 || row + 1 >= layout.rows as isize {
        south.fill(0.0);
        return;
    }
    let [here, below] = [1, 2].map(|i: usize| &rows.old[i][MARGIN - 1..][..layout.cols + 2]);
    slipping.move_south([here, below], south);
    let base = [row, row + 1].map(|row| is_base_row(layout, rims, row));
    if base[0] || base[1] {
        south.iter_mut().for_each(|moved| slipping.keep_base(moved, base));
    }
    for (col, rim) in [(0, rims.west), (layout.cols - 1, rims.east)] {
        if is_base(rim) {
            south[col] = 0.0;
        }
    }
}

/// Changes the bed of a row by what came and went.
#[inline(always)]
fn settle(layout: &Layout, cells: &mut [f32], rows: &SlipRows) {
    let cols = layout.cols;
    let (from_west, to_east) = (&rows.east[MARGIN - 1..][..cols], &rows.east[MARGIN..][..cols]);
    let (from_north, to_south) = (&rows.south[0][MARGIN..][..cols], &rows.south[1][MARGIN..][..cols]);
    // Sums pair opposite sides, so that a turned terrain gives turned bits.
    let gained = |i: usize| (from_west[i] - to_east[i]) + (from_north[i] - to_south[i]);
    if layout.flows == Flows::TwoWay {
        let bed = &mut layout.plane_mut(cells, plane::BED)[MARGIN..][..cols];
        bed.iter_mut().enumerate().for_each(|(i, bed)| *bed += gained(i));
        return;
    }
    let [bed, _, _, rest] = layout.planes_mut::<{ BED_REST + 1 }>(cells);
    let (bed, rest) = (&mut bed[MARGIN..][..cols], &mut rest[MARGIN..][..cols]);
    for i in 0..cols {
        let low = rest[i] + gained(i);
        let sum = bed[i] + low;
        rest[i] = low - (sum - bed[i]);
        bed[i] = sum;
    }
}
