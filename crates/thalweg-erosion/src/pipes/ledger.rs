//! The account of every cubic metre.

use serde::Serialize;

/// Where the water is [m³].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Water {
    /// On the terrain at the beginning.
    pub start: f64,
    /// Rained, sprung and flowed in from reservoirs.
    pub added: f64,
    /// Evaporated, films dried up included.
    pub evaporated: f64,
    /// Left over the edges or through drains.
    pub exported: f64,
    /// On the terrain now.
    pub end: f64,
}

impl Water {
    /// |what is missing| / |what moved| [-].
    pub fn imbalance(&self) -> f64 {
        relative(
            self.start + self.added - self.evaporated - self.exported - self.end,
            self.start + self.added,
        )
    }
}

/// Where the ground is, as volume of bed [m³].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Solids {
    /// Bed at the beginning, above 0 m.
    pub bed_start: f64,
    /// Bed now, above 0 m.
    pub bed_end: f64,
    /// Suspended in the water.
    pub suspended: f64,
    /// Left over the edges with the water.
    pub exported: f64,
    /// Put there from outside, as when a coarse terrain gets finer detail.
    pub added: f64,
    /// Taken from the bed by water, deposits taken up again included.
    pub eroded: f64,
}

impl Solids {
    /// |what is missing| / |what moved| [-].
    pub fn imbalance(&self) -> f64 {
        relative(self.bed_start + self.added - self.bed_end - self.suspended - self.exported, self.eroded)
    }
}

/// Nothing moved and nothing missing is no imbalance.
fn relative(missing: f64, moved: f64) -> f64 {
    if missing == 0.0 { 0.0 } else { missing.abs() / moved.abs() }
}

/// Both accounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Ledger {
    /// The water's account.
    pub water: Water,
    /// The ground's account.
    pub solids: Solids,
}
