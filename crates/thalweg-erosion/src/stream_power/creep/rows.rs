//! The soil that has crossed the faces of all cells, row by row.

use super::law::Law;
use super::tile::{MARGIN, Room, STRIP, Tile};
use super::{Layout, Slopes, Stage};
use crate::lanes::some;
use fearless_simd::{Level, dispatch};
use std::ops::Range;
use thalweg_field::band::{self, Lines};

/// Rows of a tile at least and at most: those around it that are computed twice are few beside them.
const TOGETHER: [usize; 2] = [128, 512];
/// Tiles below one another for each thread, so that none waits long for another.
const FOR_EACH_THREAD: usize = 2;

/// Soil that has crossed the eastern and the southern face of each cell towards it, row by row `[m]`. A row has margins on either
/// side of each of the two.
#[derive(Clone, Debug, Default)]
pub(super) struct Crossed {
    faces: Vec<f32>,
    /// Values of one of the two in a row.
    pub(super) stride: usize,
}

/// Some stages of a step.
pub(super) struct Stages<'a> {
    pub(super) slopes: &'a Slopes<'a>,
    /// Heights at the beginning of the step `[m]`.
    pub(super) height: &'a [f64],
    pub(super) law: Law,
    /// At most [`super::tile::STAGES`].
    pub(super) stages: &'a [Stage],
    /// What had crossed after the last two stages, the later first; nothing before the first.
    pub(super) from: Option<&'a [Crossed; 2]>,
    /// Whether others follow.
    pub(super) go_on: bool,
}

impl Crossed {
    /// Makes room for what crosses.
    pub(super) fn resize(&mut self, slopes: &Slopes) {
        self.stride = slopes.layout.cols.next_multiple_of(STRIP) + 2 * MARGIN;
        self.faces.resize(2 * self.stride * slopes.layout.rows, 0.0);
    }

    /// Nothing has crossed.
    pub(super) fn clear(&mut self) {
        self.faces.fill(0.0);
    }

    /// One of the two of a row, with its margins.
    #[inline(always)]
    pub(super) fn row(&self, row: usize, face: usize) -> &[f32] {
        &self.faces[(2 * row + face) * self.stride..][..self.stride]
    }
}

impl Stages<'_> {
    /// Takes the stages. `to` gets what has crossed after the last of them, and after the one before it if others follow.
    pub(super) fn take(&self, rooms: &mut Vec<Room>, to: &mut [Crossed; 2]) {
        let (level, layout) = (Level::new(), self.slopes.layout);
        let together = layout.rows.div_ceil(FOR_EACH_THREAD * band::threads());
        let together = together.clamp(TOGETHER[0], TOGETHER[1]);
        let count = layout.rows.div_ceil(together);
        if rooms.len() < count {
            rooms.resize_with(count, Room::default);
        }
        let to = to
            .each_mut()
            .map(|crossed| Lines { length: 2 * crossed.stride * together, values: &mut crossed.faces[..] });
        let cross = |number: Range<usize>, (rooms, to): (&mut [Room], [Lines<'_, f32>; 2])| {
            let mut to = to.map(|cells| cells.values);
            let first = number.start * together;
            let rows = first..(first + together).min(layout.rows);
            for col in (0..layout.cols).step_by(STRIP) {
                let tile = Tile { stages: self, rows: rows.clone(), col };
                dispatch!(level, simd => tile.cross(simd, self.law.on(simd), &mut rooms[0], &mut to));
            }
        };
        band::for_each_part(0..count, 1, (&mut rooms[..count], to), &cross);
    }
}

/// The ground after soil has crept.
pub(in super::super) struct Crept<'a> {
    pub(super) layout: &'a Layout,
    pub(super) crossed: &'a Crossed,
    pub(super) stays: &'a [f32],
    /// Heights before `[m]`.
    pub(super) height: &'a [f64],
}

/// A row of it.
pub(in super::super) struct CreptRow<'a> {
    /// What crossed the eastern faces; the first is the western face of the first cell.
    east: &'a [f32],
    south: &'a [f32],
    north: Option<&'a [f32]>,
    stays: &'a [f32],
    height: &'a [f64],
}

impl<'a> Crept<'a> {
    /// A row of the terrain.
    pub(in super::super) fn row(&self, row: usize) -> CreptRow<'a> {
        let Self { layout, crossed, stays, height } = *self;
        let (first, cols) = (layout.at(0, row), layout.cols);
        CreptRow {
            east: &crossed.row(row, 0)[MARGIN - 1..][..=cols],
            south: &crossed.row(row, 1)[MARGIN..][..cols],
            north: (row > 0).then(|| &crossed.row(row - 1, 1)[MARGIN..][..cols]),
            stays: &stays[first..][..cols],
            height: &height[first..][..cols],
        }
    }
}

impl CreptRow<'_> {
    /// The heights of some cells with what stays there, and the soil that does not, in 64 bits: what crossed a face counts alike on
    /// both sides.
    #[inline(always)]
    pub(in super::super) fn settle<const N: usize>(&self, first: usize) -> [[f64; N]; 2] {
        let [west, east] = [first, first + 1].map(|at| some::<_, N>(&self.east[at..], 0.0));
        let (south, stays) =
            (some::<_, N>(&self.south[first..], 0.0), some::<_, N>(&self.stays[first..], 0.0));
        let (mut height, mut soil) = (some(&self.height[first..], 1.0), [0.0; N]);
        for at in 0..N {
            let along = f64::from(east[at]) - f64::from(west[at]);
            soil[at] = along + f64::from(south[at]);
        }
        if let Some(north) = self.north {
            let north = some::<_, N>(&north[first..], 0.0);
            (0..N).for_each(|at| soil[at] -= f64::from(north[at]));
        }
        for at in 0..N {
            let whole = (soil[at] < 0.0) & (stays[at] > 0.0);
            let kept = soil[at] * if whole { 1.0 } else { f64::from(stays[at]) };
            height[at] += kept;
            soil[at] -= kept;
        }
        [height, soil]
    }
}
