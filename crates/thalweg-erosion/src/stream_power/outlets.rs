//! Open edges that come down with the ground behind them.
//!
//! Water leaves over an open edge at the height that the edge has: it is the base level. Where no river leaves, the ground behind wears
//! down to that of a river which does so elsewhere, and an edge that kept its height would stand above it like a wall, one cell thick.

use super::layout::{Layout, UNDER_WATER};
use super::order::Order;

/// Lowers outlets that stand higher than the slope behind them leads to. `found` are heights in the order of the cells. Returns what
/// that took away, as height of one cell `[m]`.
pub(super) fn follow(layout: &Layout, ways: &[u8], order: &Order, found: &mut [f64]) -> f64 {
    let mut lost = 0.0;
    for &at in order.outlets() {
        let [col, row] = layout.place(at as usize);
        let behind = |cells: isize| -> Option<usize> {
            let [east, south] = inward(layout, [col, row]).map(|by| cells * by);
            let (col, row) = (col.checked_add_signed(east)?, row.checked_add_signed(south)?);
            let inside = col < layout.cols && row < layout.rows && layout.outlet(col, row).is_none();
            inside.then(|| layout.at(col, row))
        };
        // The rim of a lake holds its water.
        let Some(next) = behind(1).filter(|&next| ways[next] & UNDER_WATER == 0) else { continue };
        let height = |cell: usize| found[order.place.of(cell)];
        let rises = behind(2).map_or(0.0, |second| (height(next) - height(second)).max(0.0));
        let level = layout.outlet(col, row).unwrap_or(f64::NEG_INFINITY);
        let most = (height(next) + rises).max(level);
        let own = &mut found[order.place.of(at as usize)];
        if *own > most {
            lost += *own - most;
            *own = most;
        }
    }
    lost
}

/// The way from an outlet to the ground behind it, to the east and to the south, in cells.
fn inward(layout: &Layout, [col, row]: [usize; 2]) -> [isize; 2] {
    let [north, east, south, west] = layout.edges.map(|edge| edge.is_some());
    let from = |before: bool, after: bool| isize::from(before) - isize::from(after);
    [
        from(west && col == 0, east && col + 1 == layout.cols),
        from(north && row == 0, south && row + 1 == layout.rows),
    ]
}
