//! A run's state in a file, and back. Files come from anywhere: every number is checked before it is taken up.

use super::StreamPower;
use super::solver::{Books, Clock};
use thalweg_field::range::{FINITE, NATURAL, NATURAL_F32, all_within};
use thalweg_field::sum::Compensated;
use thalweg_field::{Grid2, Invalid, Region, require};

/// A run's state as plain numbers, enough to go on with the same bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    /// Columns and rows of the terrain.
    pub size: [usize; 2],
    /// Steps taken.
    pub step: u64,
    /// Time, gain and accounts, in the order of [`StreamPower::save`].
    pub numbers: Vec<f64>,
    /// Heights, row by row `[m]`.
    pub height: Vec<f64>,
    /// Sediment, uplift and age, one after the other.
    pub cells: Vec<f32>,
}

impl StreamPower {
    /// Everything needed to go on later.
    pub fn save(&self) -> Saved {
        let Books { start, added, exported, eroded } = &self.books;
        let sums = [added, exported, eroded].map(|sum| sum.parts());
        let numbers =
            [self.clock.time, self.clock.gain, *start].into_iter().chain(sums.into_iter().flatten());
        let layout = &self.layout;
        let rows = || (0..layout.rows).map(|row| layout.at(0, row)..layout.at(0, row) + layout.cols);
        let cells = [&self.cells.sediment, &self.cells.uplifted, &self.cells.age];
        Saved {
            size: [layout.cols, layout.rows],
            step: self.clock.step,
            numbers: numbers.collect(),
            height: rows().flat_map(|row| self.cells.height[row].iter().copied()).collect(),
            cells: cells
                .into_iter()
                .flat_map(|all| rows().flat_map(|row| all[row].iter().copied()))
                .collect(),
        }
    }

    /// Goes back to a saved state of the same scene. The text says why not: it does not fit this terrain, or a number in it
    /// makes no sense; nothing changes then.
    pub fn restore(&mut self, saved: &Saved) -> Result<(), String> {
        let layout = &self.layout;
        let cells = layout.cells();
        let fits = saved.size == [layout.cols, layout.rows]
            && saved.height.len() == cells
            && saved.cells.len() == 3 * cells;
        let (&[time, gain, start, a, a_rest, x, x_rest, e, e_rest], true) = (saved.numbers.as_slice(), fits)
        else {
            return Err("its state does not fit the terrain".into());
        };
        all_within("its time or gain,", &[time, gain], &NATURAL)?;
        all_within("its account,", &saved.numbers, &FINITE)?;
        all_within("height of cell", &saved.height, &FINITE)?;
        let (sediment, rest) = saved.cells.split_at(cells);
        let (uplifted, age) = rest.split_at(cells);
        all_within("sediment of cell", sediment, &NATURAL_F32)?;
        all_within("uplift of cell", uplifted, &thalweg_field::range::FINITE_F32)?;
        all_within("age of cell", age, &NATURAL_F32)?;
        let sum = |sum, rest| Compensated::from_parts([sum, rest]);
        self.books = Books { start, added: sum(a, a_rest), exported: sum(x, x_rest), eroded: sum(e, e_rest) };
        self.clock = Clock { step: saved.step, time, gain };
        for row in 0..layout.rows {
            let (own, from) = (layout.at(0, row)..layout.at(0, row) + layout.cols, row * layout.cols);
            self.cells.height[own.clone()].copy_from_slice(&saved.height[from..][..layout.cols]);
            let all = [&mut self.cells.sediment, &mut self.cells.uplifted, &mut self.cells.age];
            for (all, values) in all.into_iter().zip([sediment, uplifted, age]) {
                all[own.clone()].copy_from_slice(&values[from..][..layout.cols]);
            }
        }
        Ok(())
    }

    /// Takes over what lies at the surface of a coarser terrain; `fit` brings a map to the size of this one.
    pub fn inherit(&mut self, coarse: &Self, fit: impl Fn(Grid2<f32>) -> Grid2<f32>) {
        let layout = &self.layout;
        let natural = |grid: Grid2<f32>| layout.padded(&fit(grid), 0.0, |value| value.max(0.0));
        self.cells.sediment = natural(coarse.sediment());
        self.cells.age = natural(coarse.age());
        self.cells.uplifted = layout.padded(&fit(coarse.uplifted()), 0.0, |value| value);
        self.clock.gain = coarse.clock.gain;
    }

    /// Heights of some cells, row by row `[m]`.
    pub fn heights(&self, region: &Region) -> Vec<f64> {
        region.cells().map(|(col, row)| self.cells.height[self.layout.at(col, row)]).collect()
    }

    /// Sets heights of some cells, as by hand; the ledger counts it as added, or as taken off `[m]`.
    pub fn set_heights(&mut self, region: &Region, heights: &[f64]) -> Result<(), Invalid> {
        let stray = heights.iter().copied().find(|height| !height.is_finite());
        require(stray.is_none(), "paint", stray.unwrap_or(0.0), "every height must be a finite number")?;
        for ((col, row), &height) in region.cells().zip(heights) {
            let own = &mut self.cells.height[self.layout.at(col, row)];
            let by = height - *own;
            if by > 0.0 {
                self.books.added.add(by);
            } else {
                self.books.exported.add(-by);
            }
            *own = height;
        }
        Ok(())
    }
}
