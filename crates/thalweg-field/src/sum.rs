//! Sums that come out the same for any number of threads.

/// Values summed together before the partial sums are added left to right.
const CHUNK: usize = 4096;

/// Sums in fixed chunks, then left to right: the same bits for any thread count.
pub fn ordered_sum(values: &[f32]) -> f64 {
    values.chunks(CHUNK).map(|chunk| chunk.iter().map(|&v| f64::from(v)).sum::<f64>()).sum()
}

/// A running sum that keeps what rounding would drop (Neumaier 1974).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Compensated {
    sum: f64,
    rest: f64,
}

impl Compensated {
    /// Adds one value.
    pub fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        self.rest +=
            if self.sum.abs() >= value.abs() { (self.sum - sum) + value } else { (value - sum) + self.sum };
        self.sum = sum;
    }

    /// The sum so far.
    pub fn value(self) -> f64 {
        self.sum + self.rest
    }

    /// The two numbers that make up the sum, for saving.
    pub fn parts(self) -> [f64; 2] {
        [self.sum, self.rest]
    }

    /// A sum taken up again from its saved parts.
    pub fn from_parts([sum, rest]: [f64; 2]) -> Self {
        Self { sum, rest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compensated_sum_keeps_small_values_beside_a_large_one() {
        let mut sum = Compensated::default();
        sum.add(1.0e16);
        for _ in 0..1000 {
            sum.add(0.1);
        }
        sum.add(-1.0e16);
        assert!((sum.value() - 100.0).abs() < 1.0e-9, "{}", sum.value());
    }
}
