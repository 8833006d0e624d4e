//! The books: where every cubic metre came from and went.

use super::backend::{Account, Backend, Quantity};
use super::model::Model;
use thalweg_field::sum::Compensated;
use thalweg_field::{Ledger, Solids, Water};

/// What a backend does not count, in the solver's heights times cells.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Books {
    pub water_start: f64,
    pub bed_start: f64,
    /// Afloat at the beginning.
    pub afloat_start: f64,
    /// Rained, sprung and painted.
    pub added: Compensated,
    /// Ground that was painted, less what was taken off.
    pub painted: f64,
    /// Water that was scooped out.
    pub scooped: f64,
}

impl Books {
    /// Water and ground at the beginning.
    pub(super) fn open(backend: &impl Backend) -> Self {
        let (water_start, bed_start) = (backend.total(Quantity::Depth), backend.total(Quantity::Bed));
        let afloat_start = backend.total(Quantity::Sediment);
        Self {
            water_start,
            bed_start,
            afloat_start,
            added: Compensated::default(),
            painted: 0.0,
            scooped: 0.0,
        }
    }

    /// The account of water and ground so far.
    pub(super) fn ledger(&self, model: &Model, backend: &impl Backend, cells: usize) -> Ledger {
        let area = model.frame.cell * model.frame.cell;
        let volume = area * model.unit;
        let below = model.datum * cells as f64 * model.frame.cell * model.frame.cell;
        let Account { evaporated, eroded, exported, imported, exported_sediment } = backend.account();
        Ledger {
            water: Water {
                start: self.water_start * volume,
                added: (self.added.value() + imported) * volume,
                evaporated: evaporated * volume,
                exported: (exported + self.scooped) * volume,
                end: backend.total(Quantity::Depth) * volume,
            },
            solids: Solids {
                bed_start: self.bed_start * volume + below,
                bed_end: backend.total(Quantity::Bed) * volume + below,
                suspended: backend.total(Quantity::Sediment) * volume,
                exported: exported_sediment * volume,
                added: (self.painted + self.afloat_start) * volume,
                eroded: eroded * volume,
            },
        }
    }
}
