//! What leaves the terrain over its edges, and what reservoirs beside it give.

use super::super::layout::Layout;
use super::faces::Own;

/// Flow out of a row's cells over the edges, and into them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct EdgeFlows {
    pub out: f64,
    pub inward: f64,
}

impl EdgeFlows {
    /// Counts a flow that is positive outwards.
    fn count(&mut self, flow: f32) {
        if flow > 0.0 {
            self.out += f64::from(flow);
        } else {
            self.inward -= f64::from(flow);
        }
    }
}

/// Flows through the edge faces of one row, from its own faces and those of the row above.
pub(super) fn edge_flows<const DIAGONAL: bool>(
    layout: &Layout,
    row: usize,
    [above, here]: [Own; 2],
) -> EdgeFlows {
    let [first, last] = layout.ends();
    let mut flows = EdgeFlows::default();
    flows.count(-here[0][first - 1]);
    flows.count(here[0][last]);
    let (north, south) = (row == 0, row + 1 == layout.rows);
    if north {
        (first..=last).for_each(|i| flows.count(-above[1][i]));
    }
    if south {
        (first..=last).for_each(|i| flows.count(here[1][i]));
    }
    if !DIAGONAL {
        return flows;
    }
    // Over a whole side, or through the corners that point past the ends.
    let [to_west, to_east] = [first..=first, last..=last];
    let all = || first..=last;
    for i in if north { all() } else { to_west.clone() } {
        flows.count(-above[2][i - 1]);
    }
    for i in if north { all() } else { to_east.clone() } {
        flows.count(-above[3][i + 1]);
    }
    for i in if south { all() } else { to_east } {
        flows.count(here[2][i]);
    }
    for i in if south { all() } else { to_west } {
        flows.count(here[3][i]);
    }
    flows
}
