//! Emitters that come and go while water flows.

use super::saved::TRAVELLED;
use thalweg_field::range::{FINITE, all_within, whole};
use thalweg_sph::{RunningEmitter, Shape};

/// Most emitters that are remembered after they have gone; the oldest are forgotten first.
const MOST_GONE: usize = 1000;

/// An emitter that was taken away, or moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GoneEmitter {
    shape: Shape,
    /// How far its last particles were `[m]`.
    travelled: f64,
}

/// Lets new emitters go on as those of the same shape did that are there or were there before: whoever takes one away and
/// brings it back finds the rows of its particles where they were. Returns those that are gone now.
pub(super) fn going_on(
    new: &mut [RunningEmitter],
    old: &[RunningEmitter],
    gone: &[GoneEmitter],
) -> Vec<GoneEmitter> {
    let mut gone = gone.to_vec();
    for (i, emitter) in new.iter_mut().enumerate() {
        let shape = emitter.description().shape;
        let same = |old: &&RunningEmitter| old.description().shape == shape;
        // The one in the same place of the list, unless others came or went.
        let own = old.get(i).filter(same).or_else(|| old.iter().find(same));
        let back = || gone.iter().rposition(|gone| gone.shape == shape).map(|at| gone.remove(at).travelled);
        if let Some(travelled) = own.map(RunningEmitter::travelled).or_else(back) {
            emitter.set_travelled(travelled);
        }
    }
    for emitter in old {
        let shape = emitter.description().shape;
        if !new.iter().any(|new| new.description().shape == shape) {
            gone.push(GoneEmitter { shape, travelled: emitter.travelled() });
        }
    }
    gone.drain(..gone.len().saturating_sub(MOST_GONE));
    gone
}

/// Numbers that an emitter which has gone is saved as: the kind of its shape, two places, and how far its particles were.
const NUMBERS: usize = 8;

impl GoneEmitter {
    /// All of them as plain numbers.
    pub(super) fn numbers(all: &[Self]) -> Vec<f64> {
        let numbers = |gone: &Self| -> [f64; NUMBERS] {
            let (kind, [a, b, c], [d, e, f]) = match gone.shape {
                Shape::Box { from, to } => (0.0, from, to),
                Shape::Disc { at, radius } => (1.0, at, [radius, 0.0, 0.0]),
                Shape::Line { from, to } => (2.0, from, to),
            };
            [kind, a, b, c, d, e, f, gone.travelled]
        };
        all.iter().flat_map(numbers).collect()
    }

    /// Reads such numbers; the text says what is wrong with them.
    pub(super) fn from_numbers(numbers: &[f64]) -> Result<Vec<Self>, String> {
        let (each, rest) = numbers.as_chunks::<NUMBERS>();
        if !rest.is_empty() || each.len() > MOST_GONE {
            return Err("its emitters that have gone are not whole".into());
        }
        let gone = |&[kind, a, b, c, d, e, f, travelled]: &[f64; NUMBERS]| {
            all_within("place of an emitter that has gone,", &[a, b, c, d, e, f], &FINITE)?;
            all_within("way of the last particles of an emitter that has gone,", &[travelled], &TRAVELLED)?;
            let shape = match whole("the shape of an emitter that has gone", kind, 2)? {
                0 => Shape::Box { from: [a, b, c], to: [d, e, f] },
                1 => Shape::Disc { at: [a, b, c], radius: d },
                _ => Shape::Line { from: [a, b, c], to: [d, e, f] },
            };
            Ok(Self { shape, travelled })
        };
        each.iter().map(gone).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_sph::{Emitter, FluidParams};

    fn running(east: f64) -> RunningEmitter {
        let disc = Shape::Disc { at: [east, 0.0, 1.0], radius: 0.1 };
        let emitter = Emitter::new(disc, [0.0, 0.0, -1.0]);
        RunningEmitter::new(&emitter, &FluidParams::default(), 1.25e-4, "emitter").unwrap()
    }

    #[test]
    fn an_emitter_that_comes_back_goes_on_where_it_was() {
        let mut old = [running(1.0), running(2.0)];
        old[0].set_travelled(0.03);
        old[1].set_travelled(0.01);
        // The first goes: the other keeps its own way, though it has another place in the list.
        let mut left = [running(2.0)];
        let gone = going_on(&mut left, &old, &[]);
        assert_eq!((left[0].travelled(), gone.len()), (0.01, 1));
        // It comes back, and a new one with it, which begins with a whole row.
        let mut all = [running(1.0), running(2.0), running(3.0)];
        let gone = going_on(&mut all, &left, &gone);
        assert_eq!([0, 1].map(|i: usize| all[i].travelled()), [0.03, 0.01]);
        assert_eq!((all[2].travelled(), gone.len()), (running(3.0).travelled(), 0));
    }

    #[test]
    fn emitters_that_have_gone_are_written_and_read_and_broken_ones_refused() {
        let all = [
            Shape::Box { from: [0.0, 1.0, 2.0], to: [3.0, 4.0, 5.0] },
            Shape::Disc { at: [-1.0, 2.0, 0.5], radius: 0.25 },
            Shape::Line { from: [1.0; 3], to: [2.0; 3] },
        ]
        .map(|shape| GoneEmitter { shape, travelled: 0.125 });
        let numbers = GoneEmitter::numbers(&all);
        assert_eq!(GoneEmitter::from_numbers(&numbers).unwrap(), all);
        assert!(GoneEmitter::from_numbers(&numbers[1..]).is_err());
        for at in 0..numbers.len() {
            let mut wild = numbers.clone();
            wild[at] = f64::NAN;
            assert!(GoneEmitter::from_numbers(&wild).is_err(), "number {at} is none");
        }
    }
}
