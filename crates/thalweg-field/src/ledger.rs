//! The account of every cubic metre.

use serde::Serialize;

/// Where the water is `[m³]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Water {
    /// On the terrain at the beginning.
    pub start: f64,
    /// Rained, sprung, flowed in from reservoirs, and poured out by hand.
    pub added: f64,
    /// Evaporated, films dried up included.
    pub evaporated: f64,
    /// Left over the edges or through drains, or was scooped out by hand.
    pub exported: f64,
    /// On the terrain now.
    pub end: f64,
}

impl Water {
    /// |what is missing| / |what moved| `[-]`; of all the water, where none came or went.
    pub fn imbalance(&self) -> f64 {
        let moved = self.added + self.evaporated + self.exported;
        let missing = self.start + self.added - self.evaporated - self.exported - self.end;
        relative(missing, if moved > 0.0 { moved } else { self.start })
    }
}

/// Where the ground is, as volume of bed `[m³]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Solids {
    /// Bed at the beginning, above 0 m.
    pub bed_start: f64,
    /// Bed now, above 0 m.
    pub bed_end: f64,
    /// Suspended in the water.
    pub suspended: f64,
    /// Left over the edges with the water, or was taken off by hand.
    pub exported: f64,
    /// Put there from outside: when a coarse terrain gets finer detail, with muddy water, or by hand.
    pub added: f64,
    /// Taken from the bed by water, deposits taken up again included.
    pub eroded: f64,
}

impl Solids {
    /// |what is missing| / |what moved| `[-]`; of the whole bed, where water moved nothing and slopes slipped at most.
    pub fn imbalance(&self) -> f64 {
        let missing = self.bed_start + self.added - self.bed_end - self.suspended - self.exported;
        relative(missing, if self.eroded > 0.0 { self.eroded } else { self.bed_start })
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
