//! The books: water and grains that came, went and are there.

use super::ParticleWater;
use crate::ground::Ground;
use std::ops::Range;
use thalweg_field::{Ledger, Solids, Water, band};

/// Particles that are summed up together.
const PART: usize = 4096;

/// Water and grains that came and went `[m³]`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Accounts {
    pub water_start: f64,
    pub water_added: f64,
    pub water_gone: f64,
    pub grains_start: f64,
    pub grains_added: f64,
    pub grains_gone: f64,
    pub eroded: f64,
}

impl Accounts {
    /// All of them, as they are saved.
    pub(super) fn numbers(&self) -> [f64; 7] {
        [
            self.water_start,
            self.water_added,
            self.water_gone,
            self.grains_start,
            self.grains_added,
            self.grains_gone,
            self.eroded,
        ]
    }

    /// Takes them up again.
    pub(super) fn from_numbers(numbers: [f64; 7]) -> Self {
        let [water_start, water_added, water_gone, grains_start, grains_added, grains_gone, eroded] = numbers;
        Self { water_start, water_added, water_gone, grains_start, grains_added, grains_gone, eroded }
    }
}

impl ParticleWater {
    /// Grains in the ground above 0 m at the beginning, and what it gained since `[m³]`.
    fn ground_grains(&self) -> [f64; 2] {
        self.ground.solid().map(|volume| volume * self.params.erosion.soil().packing)
    }

    /// Grains that the water carries `[m³]`.
    fn suspended(&self) -> f64 {
        let particles = self.fluid.particles();
        let now = self.time() as f32;
        let part = |range: Range<usize>| {
            let carried = |i: &usize| !particles.is_boundary(*i) && particles.expires[*i] > now;
            range.filter(carried).map(|i| particles.cargo.get(i).copied().unwrap_or(0.0)).sum::<f64>()
        };
        band::measure(0..particles.len(), PART, &part, &|a, b| a + b) * self.volume
    }

    /// The books: water, and grains, in m³.
    pub fn ledger(&self) -> Ledger {
        let volume = self.volume;
        let particles = self.fluid.particles();
        // What has left is dropped when particles are next sorted; in the books it is gone already. What is there is
        // counted one by one: were it what came less what went, the books could not but close.
        let now = self.time() as f32;
        let water = (0..particles.len()).filter(|&i| !particles.is_boundary(i));
        let [alive, leaving] = water.clone().fold([0usize; 2], |[alive, leaving], i| {
            if particles.expires[i] > now { [alive + 1, leaving] } else { [alive, leaving + 1] }
        });
        let cargo: f64 = water
            .filter(|&i| particles.expires[i] <= now)
            .map(|i| particles.cargo.get(i).copied().unwrap_or(0.0))
            .sum();
        let a = &self.accounts;
        let [bed_start, gained] = self.ground_grains();
        Ledger {
            water: Water {
                start: a.water_start,
                added: a.water_added,
                evaporated: 0.0,
                exported: a.water_gone + leaving as f64 * volume,
                end: alive as f64 * volume,
            },
            solids: Solids {
                bed_start,
                bed_end: bed_start + gained,
                suspended: self.suspended(),
                exported: a.grains_gone + cargo * volume,
                added: a.grains_start + a.grains_added,
                eroded: a.eroded,
            },
        }
    }

    /// Grains that are missing: what came, less what is afloat, in the bed, or gone `[m³]`.
    pub fn missing_grains(&self) -> f64 {
        let Solids { suspended, exported, added, .. } = self.ledger().solids;
        added - suspended - exported - self.ground_grains()[1]
    }
}
