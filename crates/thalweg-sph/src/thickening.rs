//! What a fluid carries makes it thicker.

/// Share of the densest packing beyond which a fluid becomes no thicker `[-]`: it is a hundred times as thick there.
const MOST: f64 = 0.9;

/// How cargo thickens a fluid: by 1/(1 − C/C_m)² (Maron & Pierce 1956), which is what Krieger & Dougherty (1959) found, with an exponent of
/// 2 where they have 1.6 for balls, and needs no power.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Thickening {
    /// Share of the room that cargo takes in its densest packing, C_m, where nothing flows any more `[-]`.
    packed: f64,
}

impl Thickening {
    /// Around grains that fill this share of the room where they lie as densely as they can.
    pub(crate) fn around(packed: f64) -> Self {
        Self { packed }
    }

    /// How many times as thick a fluid is with a share of cargo.
    #[inline(always)]
    pub(crate) fn times(self, share: f64) -> f64 {
        let free = 1.0 - (share / self.packed).clamp(0.0, MOST);
        1.0 / (free * free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_grains_thicken_as_einstein_says_and_many_as_was_measured() {
        let mud = Thickening::around(0.64);
        assert_eq!(mud.times(0.0), 1.0);
        // Einstein 1911: 2.5 C. Thomas 1965: 1 + 2.5 C + 10.05 C² + 0.00273 exp(16.6 C), within the scatter of what he collected.
        let few = (mud.times(1.0e-3) - 1.0) / 1.0e-3;
        assert!((few / 2.5 - 1.0).abs() < 0.3, "{few} per share of grains");
        // Beyond that measurements scatter by half.
        for share in [0.1f64, 0.2, 0.3, 0.4] {
            let measured = 1.0 + 2.5 * share + 10.05 * share * share + 0.00273 * (16.6 * share).exp();
            let times = mud.times(share);
            assert!((times / measured - 1.0).abs() < 0.3, "{times} instead of {measured} at {share}");
        }
        assert!((mud.times(1.0) - 100.0).abs() < 1.0e-6, "{} when full", mud.times(1.0));
    }
}
