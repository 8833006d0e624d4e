//! Random numbers keyed by what they are for, never by thread or order.
//!
//! A [`Key`] is made from the seed and refined with whatever names the draw: a layer, a step, a cell.
//! The same key gives the same numbers on every machine.

/// A place in the space of all random draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(u64);

impl Key {
    /// The root of all draws of a run.
    pub fn new(seed: u64) -> Self {
        Self(mix(seed ^ 0x7468_616c_7765_6721))
    }

    /// The key for one of many draws below this one.
    #[must_use]
    pub fn with(self, index: u64) -> Self {
        Self(mix(self.0.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15))))
    }

    /// 64 random bits.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// A number in [0, 1), all of f64's precision.
    pub fn unit(self) -> f64 {
        (self.0 >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

/// The finaliser of `SplitMix64` (Steele, Lea & Flood 2014): every bit of the result depends on all bits given.
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_fill_the_unit_interval_evenly() {
        let key = Key::new(1);
        let mut bins = [0u32; 16];
        for i in 0..16_000 {
            bins[(key.with(i).unit() * 16.0) as usize] += 1;
        }
        // 1000 expected in each, standard deviation about 31.
        assert!(bins.iter().all(|&n| (850..1150).contains(&n)), "{bins:?}");
    }

    #[test]
    fn order_of_keys_matters_and_seeds_differ() {
        let key = Key::new(5);
        assert_ne!(key.with(1).with(2), key.with(2).with(1));
        assert_ne!(Key::new(5).with(1), Key::new(6).with(1));
    }
}
