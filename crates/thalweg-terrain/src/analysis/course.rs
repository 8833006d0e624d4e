//! The way a river takes through its cells, and which way it runs there.

use super::Channels;

/// Cells that are looked ahead and back for the direction in which a river runs.
const LOOK: usize = 3;

/// No cell.
const NONE: u32 = u32::MAX;

/// Each channel cell's way up its main branch and down.
pub(super) struct Courses<'a> {
    channels: &'a Channels<'a>,
    /// The channel cell with the largest area among those that drain into each cell; `NONE` without any.
    main_donor: Vec<u32>,
    cols: usize,
}

impl<'a> Courses<'a> {
    pub(super) fn of(channels: &'a Channels<'a>) -> Self {
        let drainage = channels.drainage;
        let area = |cell: u32| drainage.area.values()[cell as usize];
        let mut main_donor = vec![NONE; channels.bed.len()];
        for &cell in &channels.cells {
            let below = drainage.receiver.values()[cell] as usize;
            let best = main_donor[below];
            if below != cell && (best == NONE || area(cell as u32) > area(best)) {
                main_donor[below] = cell as u32;
            }
        }
        Self { channels, main_donor, cols: drainage.receiver.cols() }
    }

    /// The cells that water passes from here on, this one included.
    pub(super) fn down(&self, cell: usize) -> impl Iterator<Item = usize> {
        let receiver = self.channels.drainage.receiver.values();
        std::iter::successors(Some(cell), move |&cell| {
            Some(receiver[cell] as usize).filter(|&below| below != cell)
        })
    }

    /// The cells of the main branch above, this one included.
    pub(super) fn up(&self, cell: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(cell), |&cell| {
            Some(self.main_donor[cell]).filter(|&donor| donor != NONE).map(|donor| donor as usize)
        })
    }

    /// Direction in which the river runs at a cell, in columns and rows and of length one, from the cells before to those
    /// after; `None` where it has neither.
    pub(super) fn direction(&self, cell: usize) -> Option<[f64; 2]> {
        let from = self.up(cell).take(LOOK + 1).last()?;
        let to = self.down(cell).take(LOOK + 1).last()?;
        let [east, south] = self.between(from, to);
        let length = (east * east + south * south).sqrt();
        (length > 0.0).then(|| [east / length, south / length])
    }

    /// The way from one cell to another, in columns and rows.
    pub(super) fn between(&self, from: usize, to: usize) -> [f64; 2] {
        let place = |cell: usize| [(cell % self.cols) as f64, (cell / self.cols) as f64];
        let ([a, b], [c, d]) = (place(from), place(to));
        [c - a, d - b]
    }
}
