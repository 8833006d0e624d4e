//! Slopes that slip, in one band.

use super::band::Band;
use super::layout::{Layout, Lines, MARGIN, plane};
use crate::law::talus::Slipping;

/// Slipping in one band; reads each row as it was before.
pub(super) fn slip(layout: &Layout, slipping: &Slipping, band: &mut Band) {
    let last = layout.rows as isize - 1;
    // The scratch of a sweep has room for the three rows that are looked at.
    let mut in_flight = std::mem::take(&mut band.in_flight);
    let old = &mut in_flight[0].cargo;
    let keep = |band: &Band, row: isize, into: &mut Lines| {
        into.copy_from_slice(layout.plane(band.row(layout, row.clamp(0, last)), plane::BED));
    };
    let first = band.own.start as isize;
    keep(band, first - 1, &mut old[0]);
    keep(band, first, &mut old[1]);
    for row in band.own.clone() {
        keep(band, row as isize + 1, &mut old[2]);
        let plane = layout.plane_mut(band.row_mut(layout, row as isize), plane::BED);
        let [north, here, south] = [0, 1, 2].map(|i: usize| &old[i][MARGIN..][..layout.cols]);
        slipping.row([north, here, south], &mut plane[MARGIN..][..layout.cols]);
        old.rotate_left(1);
    }
    // Sweeps expect nothing to be carried in from beyond the ends.
    for row in old {
        row.fill(0.0);
    }
    band.in_flight = in_flight;
}
