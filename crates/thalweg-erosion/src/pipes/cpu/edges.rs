//! The edges of the terrain, as ghost cells just outside it.
//!
//! A closed edge is a wall too high to climb; an open one continues the ground downhill; a level one
//! holds a reservoir. The stages see only ghosts and need no special case at the rim.

use super::layout::{Layout, MARGIN, plane};
use crate::pipes::step::WALL_GAIN;
use thalweg_field::{Edge, Edges};

/// Height of a wall: far above any terrain, and still exact to the metre in f32.
const WALL: f32 = 1.0e7;

/// One edge in the solver's heights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rim {
    Closed,
    Open,
    Level(f32),
}

/// The four edges in the solver's heights.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rims {
    pub north: Rim,
    pub east: Rim,
    pub south: Rim,
    pub west: Rim,
}

impl Rims {
    pub(super) fn new(edges: &Edges, datum: f64, unit: f64) -> Self {
        let rim = |edge| match edge {
            Edge::Closed => Rim::Closed,
            Edge::Open => Rim::Open,
            Edge::Level(level) => Rim::Level(((level - datum) / unit) as f32),
        };
        Self {
            north: rim(edges.north),
            east: rim(edges.east),
            south: rim(edges.south),
            west: rim(edges.west),
        }
    }
}

impl Rims {
    /// Whether nothing can leave or enter anywhere.
    pub(super) fn closed(&self) -> bool {
        [self.north, self.east, self.south, self.west].iter().all(|&rim| rim == Rim::Closed)
    }

    /// How much wider the pipes to the west and to the east are in a row.
    pub(super) fn gain_along_row(&self, layout: &Layout, row: isize) -> f32 {
        let north = row == 0 && self.north == Rim::Closed;
        let south = row + 1 == layout.rows as isize && self.south == Rim::Closed;
        1.0 + WALL_GAIN * (f32::from(u8::from(north)) + f32::from(u8::from(south)))
    }

    /// How much wider the pipes to the north and to the south are in each column.
    pub(super) fn gain_along_columns(&self, layout: &Layout) -> Vec<f32> {
        let mut gain = vec![1.0; layout.padded];
        if self.west == Rim::Closed {
            gain[0] += WALL_GAIN;
        }
        if self.east == Rim::Closed {
            gain[layout.cols - 1] += WALL_GAIN;
        }
        gain
    }
}

impl Rim {
    /// Bed and depth of the ghost beside an edge cell; `inner_bed` is the bed one cell farther in.
    #[inline(always)]
    fn ghost(self, bed: f32, depth: f32, inner_bed: f32) -> (f32, f32) {
        match self {
            Self::Closed => (WALL, 0.0),
            // Downhill the slope goes on; on flat or rising ground the water falls over an edge.
            Self::Open => (bed - (inner_bed - bed).max(depth), depth),
            Self::Level(level) => (bed, (level - bed).max(0.0)),
        }
    }

    /// Share of what is pushed that leaves it towards the terrain: only reservoirs give water.
    pub(super) fn gives(self) -> f32 {
        f32::from(u8::from(matches!(self, Self::Level(_))))
    }

    /// What lies beyond the corner of two edges: a wall beside a wall, the lower of two reservoirs.
    pub(super) fn corner(self, other: Self) -> Self {
        match (self, other) {
            (Self::Closed, _) | (_, Self::Closed) => Self::Closed,
            (Self::Level(a), Self::Level(b)) => Self::Level(a.min(b)),
            (Self::Level(level), Self::Open) | (Self::Open, Self::Level(level)) => Self::Level(level),
            (Self::Open, Self::Open) => Self::Open,
        }
    }
}

/// Sets the ghosts at both ends of a row.
#[inline(always)]
pub(super) fn set_ends(layout: &Layout, rims: &Rims, row: &mut [f32]) {
    let [bed, depth] = layout.planes_mut::<2>(row);
    let (first, last) = (MARGIN, MARGIN + layout.cols - 1);
    let inner = usize::from(layout.cols > 1);
    (bed[first - 1], depth[first - 1]) = rims.west.ghost(bed[first], depth[first], bed[first + inner]);
    (bed[last + 1], depth[last + 1]) = rims.east.ghost(bed[last], depth[last], bed[last - inner]);
}

/// Sets the row of ghosts outside an edge row; `inner` is the row one farther in.
#[inline(always)]
pub(super) fn set_outer_row(
    layout: &Layout,
    rims: &Rims,
    rim: Rim,
    ghosts: &mut [f32],
    edge: &[f32],
    inner: &[f32],
) {
    let [bed, depth] = layout.planes_mut::<2>(ghosts);
    let (edge_bed, edge_depth) = (layout.plane(edge, plane::BED), layout.plane(edge, plane::DEPTH));
    let inner_bed = layout.plane(inner, plane::BED);
    let (first, last) = (MARGIN, MARGIN + layout.cols - 1);
    for i in first..=last {
        (bed[i], depth[i]) = rim.ghost(edge_bed[i], edge_depth[i], inner_bed[i]);
    }
    // Corners look along the diagonal, so that neither side is preferred.
    let step = usize::from(layout.cols > 1);
    let (west, east) = (rim.corner(rims.west), rim.corner(rims.east));
    (bed[first - 1], depth[first - 1]) =
        west.ghost(edge_bed[first], edge_depth[first], inner_bed[first + step]);
    (bed[last + 1], depth[last + 1]) = east.ghost(edge_bed[last], edge_depth[last], inner_bed[last - step]);
}
