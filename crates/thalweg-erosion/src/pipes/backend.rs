//! Who holds the cells and takes the steps.
//!
//! The solver decides when to do what, keeps the books and watches over the energy (`schedule`, `books`, `guard`); a
//! backend knows none of that. It sweeps, slips, sums up and shows. [`Cpu`](super::cpu::Cpu) is the one there is; others
//! agree with it within a stated tolerance.

use super::model::Model;
use super::weather::Weather;
use crate::law::slip::Slipping;
use thalweg_field::{Grid2, Heightfield, Invalid, Region};

/// One step in time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub step: u64,
    /// When it begins `[s]`.
    pub time: f64,
    pub dt: f64,
    /// Deepest water `[m]`.
    pub deepest: f64,
}

/// What every cell has, in the solver's heights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The bed, above the solver's datum.
    Bed,
    /// Water above it.
    Depth,
    /// Suspended sediment, as height of bed.
    Sediment,
}

/// A cell beside another, by its number in [`Neighbour::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the points of the compass")]
pub enum Neighbour {
    West,
    East,
    North,
    South,
    NorthWest,
    NorthEast,
    SouthWest,
    SouthEast,
}

impl Neighbour {
    /// All eight, those across corners last.
    pub const ALL: [Self; 8] = [
        Self::West,
        Self::East,
        Self::North,
        Self::South,
        Self::NorthWest,
        Self::NorthEast,
        Self::SouthWest,
        Self::SouthEast,
    ];

    /// The four beside a cell, with or without those across its corners.
    pub(super) fn around(diagonal: bool) -> &'static [Self] {
        if diagonal { &Self::ALL } else { &Self::ALL[..4] }
    }

    /// How many columns to the east and rows to the south it lies.
    pub const fn step(self) -> [isize; 2] {
        match self {
            Self::West => [-1, 0],
            Self::East => [1, 0],
            Self::North => [0, -1],
            Self::South => [0, 1],
            Self::NorthWest => [-1, -1],
            Self::NorthEast => [1, -1],
            Self::SouthWest => [-1, 1],
            Self::SouthEast => [1, 1],
        }
    }
}

/// What a cell sent to each of its neighbours in the last step, and what it got from it, in the order of [`Neighbour::ALL`]; 0 where no pipe
/// leads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct FlowsAround(pub [[f64; 2]; 8]);

impl FlowsAround {
    /// Flow through the cell to the east and to the south: each flow enters and leaves.
    pub(super) fn through(&self) -> [f64; 2] {
        let mut through = [0.0; 2];
        for (to, [out, inward]) in Neighbour::ALL.iter().zip(self.0) {
            for (through, by) in through.iter_mut().zip(to.step()) {
                *through += 0.5 * out * by as f64;
                *through -= 0.5 * inward * by as f64;
            }
        }
        through
    }
}

/// What has happened since the beginning, in heights times cells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Account {
    pub evaporated: f64,
    pub eroded: f64,
    /// Left through drains and over the edges.
    pub exported: f64,
    /// Came from reservoirs.
    pub imported: f64,
    pub exported_sediment: f64,
}

/// What a sweep finds in its last step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swept {
    /// Deepest water.
    pub deepest: f32,
    /// Largest square of the share of a cell that water crossed; 0 where nobody looks.
    pub briskest: f32,
}

/// What a check of all cells finds, in the solver's heights. Rows are summed one by one, so that the sums do
/// not depend on the cut.
#[derive(Clone, Debug)]
pub(super) struct Survey {
    /// Lowest bed and highest surface.
    pub low: f32,
    pub high: f32,
    /// Water of each row.
    pub weight: Vec<f64>,
    /// Kinetic and potential energy of each row's water over its weight, above the datum.
    pub energy: Vec<f64>,
    /// Cells that are no longer finite, and the first of them.
    pub stray_count: usize,
    pub stray: Option<(usize, usize)>,
}

impl Default for Survey {
    fn default() -> Self {
        let (low, high) = (f32::INFINITY, f32::NEG_INFINITY);
        Self { low, high, weight: Vec::new(), energy: Vec::new(), stray_count: 0, stray: None }
    }
}

impl Survey {
    /// Energy of the water over its weight, above the lowest bed.
    pub(super) fn energy_above_lowest(&self) -> f64 {
        self.energy.iter().sum::<f64>() - self.weight.iter().sum::<f64>() * f64::from(self.low)
    }
}

/// A way to hold the cells of a terrain and to take steps on them.
pub(super) trait Backend {
    /// Most steps that one sweep takes.
    fn steps_per_sweep(&self) -> usize;

    /// Works out the water for one step of the next sweep; rain too fine to fall waits in `carry`. Returns the volume that
    /// is added, drains apart, in heights times cells.
    fn supply(&mut self, place: usize, when: Moment, carry: &mut [f64]) -> f64;

    /// Takes `count` steps of `dt` `[s]`, for which water has been supplied.
    fn sweep(&mut self, model: &Model, count: usize, dt: f64) -> Swept;

    /// One round in which slopes slip; no bed is higher or deeper than `highest`.
    fn slip(&mut self, slipping: &Slipping, highest: f32);

    /// Checks all cells.
    fn survey(&self, model: &Model, dt: f64) -> Survey;

    /// The account of the whole terrain.
    fn account(&self) -> Account;

    /// Sum over all cells.
    fn total(&self, quantity: Quantity) -> f64;

    /// Deepest water in a reservoir beside the terrain; 0 where there is none.
    fn deepest_reservoir(&self) -> f32;

    /// Takes other weather over the same ground from the next step on.
    fn set_weather(&mut self, ground: &Heightfield, model: &Model, weather: &Weather) -> Result<(), Invalid>;

    /// A quantity of some cells.
    fn cells(&self, quantity: Quantity, region: &Region) -> Vec<f32>;

    /// Sets it; what is finer than it can tell stays.
    fn set_cells(&mut self, quantity: Quantity, region: &Region, values: &[f32]);

    /// Sets a quantity of every cell, given by column and row.
    fn fill(&mut self, quantity: Quantity, value: impl Fn(usize, usize) -> f32 + Sync);

    /// A map of what follows from a quantity, given with column and row and in full.
    fn map(&self, quantity: Quantity, value: impl Fn(usize, usize, f64) -> f32 + Sync) -> Grid2<f32>;

    /// A map of what follows from the flows of the last step around each cell, given with its column and row.
    fn map_of_flows(&self, value: impl Fn([usize; 2], FlowsAround) -> f32 + Sync) -> Grid2<f32>;
}
