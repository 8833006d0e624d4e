//! Beds of rock as scene files write them.

use crate::recipe::{bearing, length, size};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;
use thalweg_field::{Bed, Fold, Strata, describe::within, random::Key, units};

/// Layers of rock that the ground is made of: `[terrain.volume.strata]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StrataRecipe {
    /// How steeply the beds lie `[rad]`.
    #[serde(with = "units::Angle")]
    #[schemars(transform = within(0.0, 1.5).slider(0.0, 0.5))]
    pub dip: f64,
    /// Compass direction that they fall towards, clockwise from north `[rad]`.
    #[serde(with = "units::Angle")]
    #[schemars(transform = bearing())]
    pub towards: f64,
    /// How far they are bent up and down `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = length().slider(0.0, 10.0))]
    pub fold: f64,
    /// From one crest of the bends to the next `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = size().slider(5.0, 500.0))]
    pub fold_length: f64,
    /// The beds, the lowest first; above the last the pile begins anew.
    #[serde(rename = "bed")]
    pub beds: Vec<BedRecipe>,
}

/// A bed of rock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BedRecipe {
    /// From its foot to its top `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = size().slider(0.1, 50.0))]
    pub thickness: f64,
    /// From 0 (as soft as the parameters say) to 1 (never erodes) `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 1.0).slider(0.0, 1.0))]
    pub hardness: f64,
    /// Red, green and blue, 0 to 255.
    #[schemars(transform = within(0.0, 255.0).slider(0.0, 255.0))]
    pub colour: [u8; 3],
}

impl Default for StrataRecipe {
    /// Sandstone in bands of hard and soft, almost level.
    fn default() -> Self {
        let bed = |thickness, hardness, colour| BedRecipe { thickness, hardness, colour };
        Self {
            dip: 0.03,
            towards: 2.0,
            fold: 1.0,
            fold_length: 60.0,
            beds: vec![
                bed(3.0, 0.5, [156, 112, 84]),
                bed(1.2, 0.1, [122, 84, 66]),
                bed(4.0, 0.6, [186, 146, 108]),
                bed(0.8, 0.2, [148, 98, 74]),
                bed(2.5, 0.7, [204, 172, 134]),
                bed(1.5, 0.0, [134, 108, 92]),
            ],
        }
    }
}

impl Default for BedRecipe {
    fn default() -> Self {
        Self { thickness: 2.0, hardness: 0.0, colour: [160, 130, 104] }
    }
}

/// Waves that bends are made of: how long and how high each is, as shares of the longest.
const WAVES: [[f64; 2]; 4] = [[1.0, 0.5], [0.62, 0.27], [0.37, 0.15], [0.19, 0.08]];

impl StrataRecipe {
    /// The beds of a scene with this seed.
    pub fn build(&self, seed: u64) -> Strata {
        let key = Key::new(seed).with(2000);
        let fold = |(n, [length, height]): (usize, &[f64; 2])| {
            let [heading, phase] = [0, 1].map(|part| key.with(2 * n as u64 + part).unit() * TAU);
            let turns = TAU / (self.fold_length * length);
            Fold {
                along: [turns * libm::sin(heading), turns * libm::cos(heading)],
                phase,
                height: self.fold * height,
            }
        };
        let falls = libm::tan(self.dip);
        let bed =
            |&BedRecipe { thickness, hardness, colour }: &BedRecipe| Bed { thickness, hardness, colour };
        Strata {
            beds: self.beds.iter().map(bed).collect(),
            rise: [-falls * libm::sin(self.towards), -falls * libm::cos(self.towards)],
            folds: WAVES.iter().enumerate().map(fold).filter(|fold| fold.height > 0.0).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beds_fall_towards_their_bearing() {
        let recipe = StrataRecipe { dip: 0.2, towards: TAU / 4.0, fold: 0.0, ..StrataRecipe::default() };
        let strata = recipe.build(1);
        // To the east the same bed lies lower, so that a place there is higher in the pile.
        let rises = strata.level([10.0, 3.0, 0.0]) - strata.level([0.0, 3.0, 0.0]);
        assert!((rises - 10.0 * 0.2_f64.tan()).abs() < 1.0e-9, "{rises} m");
        let along = strata.level([0.0, 13.0, 0.0]) - strata.level([0.0, 3.0, 0.0]);
        assert!(along.abs() < 1.0e-9, "{along} m");
    }

    #[test]
    fn bends_are_as_high_as_they_are_said_to_be_and_differ_with_the_seed() {
        let recipe = StrataRecipe { dip: 0.0, fold: 2.0, fold_length: 30.0, ..StrataRecipe::default() };
        let bend = |seed: u64, n: u32| recipe.build(seed).level([f64::from(n) * 1.7, f64::from(n % 37), 0.0]);
        let highest = (0..2000).map(|n| bend(5, n).abs()).fold(0.0, f64::max);
        assert!((1.2..=2.0).contains(&highest), "{highest} m");
        assert_ne!(bend(5, 3), bend(6, 3));
    }
}
