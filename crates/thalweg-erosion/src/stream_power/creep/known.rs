//! What a tile knows of its ground: a few rows at a time, put together from the maps as the tile goes down.

use super::Slopes;
use super::tile::{MARGIN, STAGES, Values, WIDE};
use std::ops::Range;

/// Rows that are known: the newest, and those that its stages are still at.
const ROWS: usize = STAGES + 1;

/// A row of the ground.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// How much higher the cell to the east was at the beginning `[m]`.
    pub(super) east: Values,
    /// How much higher the cell to the south was `[m]`.
    pub(super) south: Values,
    /// Share of the soil that comes to rest `[-]`.
    pub(super) stays: Values,
    /// How far rock rises in this step `[m]`.
    pub(super) risen: Values,
    /// What spreads beside the soil through the eastern and the southern face, over the cell's area `[-]`.
    pub(super) floor: [Values; 2],
    /// What the square of the difference through those faces is multiplied with to tell the share of the critical slope `[1/m²]`.
    pub(super) bend: [Values; 2],
}

impl Row {
    const ZERO: Self = Self {
        east: Values::ZERO,
        south: Values::ZERO,
        stays: Values::ZERO,
        risen: Values::ZERO,
        floor: [Values::ZERO; 2],
        bend: [Values::ZERO; 2],
    };
}

/// Cells of a row that are looked at across faces; those with even numbers first.
#[derive(Clone, Copy, Debug)]
struct Cells {
    height: [f64; WIDE],
    floor: Values,
    softness: Values,
}

impl Cells {
    const ZERO: Self = Self { height: [0.0; WIDE], floor: Values::ZERO, softness: Values::ZERO };
}

/// The rows that a tile is at.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    rows: Vec<Row>,
    cells: Vec<Cells>,
}

/// A part of the maps.
pub(super) struct Part<'a> {
    pub(super) slopes: &'a Slopes<'a>,
    /// Heights at the beginning `[m]`.
    pub(super) height: &'a [f64],
    /// What the square of the difference is multiplied with on common rock `[1/m²]`.
    pub(super) bend: f32,
    /// Column of the first cell behind the margin.
    pub(super) col: usize,
}

impl Part<'_> {
    /// The columns of the terrain that lie in it, and where they begin in a row with margins.
    fn columns(&self) -> (Range<usize>, usize) {
        let first = self.col.saturating_sub(MARGIN);
        let end = (self.col + WIDE - MARGIN).min(self.slopes.layout.cols);
        (first..end, first + MARGIN - self.col)
    }
}

impl Known {
    /// Forgets all rows.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.rows.resize(ROWS, Row::ZERO);
        self.cells.clear();
        self.cells.resize(2, Cells::ZERO);
    }

    /// A row of the ground.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> &Row {
        &self.rows[row % ROWS]
    }

    /// Takes up a row. With it the one above knows what lies south of it.
    #[inline(always)]
    pub(super) fn take_up(&mut self, part: &Part, row: usize) {
        self.look_at(part, row);
        let (here, above) = (&self.cells[row % 2], &self.cells[(row + 1) % 2]);
        let known = &mut self.rows[row % ROWS];
        for at in 0..WIDE - 1 {
            known.east[at] = (here.height[at + 1] - here.height[at]) as f32;
            known.floor[0][at] = (here.floor[at] + here.floor[at + 1]) * 0.5;
            known.bend[0][at] = part.bend * ((here.softness[at] + here.softness[at + 1]) * 0.5);
        }
        if row + 1 == part.slopes.layout.rows {
            part.join([here, here], known);
        }
        if let Some(above_row) = row.checked_sub(1) {
            part.join([above, here], &mut self.rows[above_row % ROWS]);
        }
    }

    /// Reads a row of the maps. Beyond the edges the ground goes on as it is.
    #[inline(always)]
    fn look_at(&mut self, part: &Part, row: usize) {
        let Part { slopes, height, .. } = part;
        let (columns, at) = part.columns();
        let (count, first) = (columns.len(), slopes.layout.at(columns.start, row));
        let (pattern, by) = slopes.risen;
        let by = by as f32;
        let known = &mut self.rows[row % ROWS];
        let cells = &mut self.cells[row % 2];
        let stays = &slopes.stays[first..][..count];
        known.stays[at..][..count].copy_from_slice(stays);
        let (pattern, height) = (&pattern[first..][..count], &height[first..][..count]);
        let own = &mut cells.height[at..][..count];
        let risen = &mut known.risen[at..][..count];
        for i in 0..count {
            // Rivers keep their level while rock rises, as steady ones do: what they will have cut at the end of the step banks
            // must not wait for, or they would stand the steeper the finer the cells are.
            own[i] = height[i] - f64::from(by * pattern[i] * (1.0 - stays[i]));
            risen[i] = by * pattern[i] * stays[i];
        }
        // The critical slope goes with the fourth root of the erodibility.
        let rock = cells.softness[at..][..count].iter_mut().zip(&slopes.erodibility[first..]);
        rock.for_each(|(softness, rock)| *softness = rock.sqrt());
        if let Some(floors) = slopes.floors {
            let per_area = (1.0 / (slopes.layout.cell * slopes.layout.cell)) as f32;
            let floors = cells.floor[at..][..count].iter_mut().zip(&floors[first..]);
            floors.for_each(|(floor, spread)| *floor = per_area * spread);
        }
        if columns.start == 0 {
            cells.go_on(at, at - 1);
        }
        if columns.end == slopes.layout.cols && at + count < WIDE {
            cells.go_on(at + count - 1, at + count);
        }
    }
}

impl Cells {
    /// Lets the ground go on beyond an edge as it is at its last cell.
    #[inline(always)]
    fn go_on(&mut self, last: usize, beyond: usize) {
        self.height[beyond] = self.height[last];
        self.floor[beyond] = self.floor[last];
        self.softness[beyond] = self.softness[last];
    }
}

impl Part<'_> {
    /// Notes what lies between a row and the one below it.
    #[inline(always)]
    fn join(&self, [here, below]: [&Cells; 2], known: &mut Row) {
        for at in 0..WIDE {
            known.south[at] = (below.height[at] - here.height[at]) as f32;
            known.floor[1][at] = (here.floor[at] + below.floor[at]) * 0.5;
            known.bend[1][at] = self.bend * ((here.softness[at] + below.softness[at]) * 0.5);
        }
    }
}
