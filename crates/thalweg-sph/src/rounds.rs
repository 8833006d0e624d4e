//! What a method that works in rounds found by them.

use thalweg_field::range::{NATURAL, all_within};

/// Rounds of a method that looks for the pressure in rounds, and steps in which they did not find it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RoundsTaken {
    /// How many there were.
    pub rounds: u64,
    /// How often a step was taken anew, half as long.
    pub anew: u64,
    /// Steps that went on with more left compressed than `tolerance` allows.
    pub unfinished: u64,
    /// What was left at most, on average over the particles of a step `[-]`.
    pub worst: f64,
}

impl RoundsTaken {
    /// A step goes on with so much left compressed.
    pub(crate) fn go_on(&mut self, left: f64, tolerance: f64) {
        if left > tolerance {
            self.unfinished += 1;
            self.worst = self.worst.max(left);
        }
    }

    /// As plain numbers.
    pub fn numbers(&self) -> [f64; 4] {
        [self.rounds as f64, self.anew as f64, self.unfinished as f64, self.worst]
    }

    /// Reads such numbers; the text says what is wrong with them.
    pub fn from_numbers(numbers: &[f64]) -> Result<Self, String> {
        let &[rounds, anew, unfinished, worst] = numbers else {
            return Err("its count of rounds is not whole".into());
        };
        all_within("count of its rounds,", numbers, &NATURAL)?;
        let [rounds, anew, unfinished] = [rounds, anew, unfinished].map(|count| count as u64);
        Ok(Self { rounds, anew, unfinished, worst })
    }
}
