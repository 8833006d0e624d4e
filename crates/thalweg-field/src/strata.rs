//! Beds of rock, one on top of the other.

/// Layers of rock as a rule for every place: tilted, folded, and repeating upwards and downwards without end.
///
/// ```
/// use thalweg_field::{Bed, Strata};
///
/// let bed = |thickness, hardness| Bed { thickness, hardness, colour: [150, 120, 90] };
/// let level = Strata { beds: vec![bed(3.0, 0.2), bed(1.0, 0.9)], ..Strata::default() };
/// assert_eq!(level.hardness([5.0, 5.0, 3.5]), 0.9);
/// assert_eq!(level.hardness([5.0, 5.0, -0.5]), 0.9); // the pile below
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Strata {
    /// The pile, the lowest first; it begins at height 0 m.
    pub beds: Vec<Bed>,
    /// Rise of the beds to the east and to the north `[-]`.
    pub rise: [f64; 2],
    /// Waves that bend them, which add up.
    pub folds: Vec<Fold>,
}

/// A bed of rock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bed {
    /// From its foot to its top `[m]`.
    pub thickness: f64,
    /// From 0 (as soft as a method's parameters say) to 1 (never erodes) `[-]`.
    pub hardness: f64,
    /// sRGB.
    pub colour: [u8; 3],
}

/// A wave that bends beds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fold {
    /// How fast its phase grows to the east and to the north `[rad/m]`.
    pub along: [f64; 2],
    /// Its phase in the south-west corner `[rad]`.
    pub phase: f64,
    /// How far it lifts and lowers beds `[m]`.
    pub height: f64,
}

impl Strata {
    /// Height in the pile at a place (east, north, up), as if the beds lay level and straight `[m]`.
    pub fn level(&self, [east, north, up]: [f64; 3]) -> f64 {
        let folded =
            |fold: &Fold| fold.height * libm::sin(fold.along[0] * east + fold.along[1] * north + fold.phase);
        up - self.rise[0] * east - self.rise[1] * north - self.folds.iter().map(folded).sum::<f64>()
    }

    /// From the foot of the pile to its top `[m]`.
    pub fn thickness(&self) -> f64 {
        self.beds.iter().map(|bed| bed.thickness).sum()
    }

    /// The bed at a height in the pile `[m]`; none where there are no beds.
    pub fn bed_at(&self, level: f64) -> Option<&Bed> {
        let pile = self.thickness();
        let mut left = level - (level / pile).floor() * pile;
        let inside = |bed: &&Bed| {
            left -= bed.thickness;
            left < 0.0
        };
        // Rounding may leave a place at the very top of the pile.
        self.beds.iter().find(inside).or(self.beds.last())
    }

    /// Hardness of the rock at a place (east, north, up), from 0 to 1 `[-]`.
    pub fn hardness(&self, place: [f64; 3]) -> f64 {
        self.bed_at(self.level(place)).map_or(0.0, |bed| bed.hardness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pile() -> Strata {
        let bed = |thickness, hardness| Bed { thickness, hardness, colour: [0; 3] };
        Strata { beds: vec![bed(2.0, 0.1), bed(1.0, 0.5), bed(3.0, 0.8)], ..Strata::default() }
    }

    #[test]
    fn beds_follow_each_other_and_begin_anew_above_and_below() {
        let hardness = |level: f64| pile().bed_at(level).unwrap().hardness;
        assert_eq!([0.0, 1.9, 2.0, 2.9, 3.0, 5.9].map(hardness), [0.1, 0.1, 0.5, 0.5, 0.8, 0.8]);
        assert_eq!([6.0, 8.5, -0.1, -3.1, -6.0].map(hardness), [0.1, 0.5, 0.8, 0.5, 0.1]);
        assert_eq!(Strata::default().hardness([1.0; 3]), 0.0);
    }

    #[test]
    fn beds_rise_with_their_tilt_and_bend_with_their_folds() {
        let fold = Fold { along: [std::f64::consts::PI / 20.0, 0.0], phase: 0.0, height: 2.0 };
        let strata = Strata { rise: [0.1, 0.0], folds: vec![fold], ..pile() };
        // Ten metres east the beds lie a metre higher for the tilt, and two for the crest of the fold.
        assert!((strata.level([10.0, 7.0, 5.0]) - 2.0).abs() < 1.0e-12);
        assert!((strata.level([0.0, 7.0, 5.0]) - 5.0).abs() < 1.0e-12);
    }
}
