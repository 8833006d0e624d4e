//! The soil that has crossed the faces of all cells, row by row.

use super::law::Law;
use super::tile::{MARGIN, Room, STRIP, Tile};
use super::{Slopes, Stage};
use fearless_simd::{Level, Simd, dispatch};
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

    /// Lays down what stays, and tells what does not, in 64 bits: what crossed a face counts alike on both sides.
    pub(super) fn settle(&self, slopes: &Slopes, height: &mut [f64], soil: &mut [f64]) {
        let (layout, level) = (slopes.layout, Level::new());
        let (line, cols) = (layout.stride, layout.cols);
        let settle = |row: Range<usize>, [height, soil]: [Lines<'_, f64>; 2]| {
            if row.start > 0 && row.start <= layout.rows {
                let row = row.start - 1;
                let came = Came {
                    east: &self.row(row, 0)[MARGIN - 1..][..=cols],
                    south: &self.row(row, 1)[MARGIN..][..cols],
                    north: (row > 0).then(|| &self.row(row - 1, 1)[MARGIN..][..cols]),
                };
                let stays = &slopes.stays[layout.at(0, row)..][..cols];
                let (height, soil) = (&mut height.values[1..][..cols], &mut soil.values[1..][..cols]);
                dispatch!(level, simd => came.settle(simd, stays, height, soil));
            }
        };
        let parts = [Lines { values: height, length: line }, Lines { values: soil, length: line }];
        band::for_each_part(0..layout.rows + 2, 1, parts, &settle);
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

/// What crossed the faces around a row.
struct Came<'a> {
    /// The first is the western face of the first cell.
    east: &'a [f32],
    south: &'a [f32],
    north: Option<&'a [f32]>,
}

impl Came<'_> {
    #[inline(always)]
    fn settle<S: Simd>(&self, _: S, stays: &[f32], height: &mut [f64], soil: &mut [f64]) {
        let cols = height.len();
        let (west, east, south) = (&self.east[..cols], &self.east[1..][..cols], &self.south[..cols]);
        let stays = &stays[..cols];
        let soil = &mut soil[..cols];
        for at in 0..cols {
            let along = f64::from(east[at]) - f64::from(west[at]);
            soil[at] = along + f64::from(south[at]);
        }
        if let Some(north) = self.north {
            soil.iter_mut().zip(north).for_each(|(gained, north)| *gained -= f64::from(*north));
        }
        for at in 0..cols {
            let whole = (soil[at] < 0.0) & (stays[at] > 0.0);
            let kept = soil[at] * if whole { 1.0 } else { f64::from(stays[at]) };
            height[at] += kept;
            soil[at] -= kept;
        }
    }
}
