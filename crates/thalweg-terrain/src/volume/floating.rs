//! Rock that hangs in the air: pieces without a way through rock to the bottom of the box.
//!
//! The voxels of a block are 4096 bits, so that rock is followed 64 voxels at a time.

use super::{BLOCK, Block, SIDE, SURFACE, Volume, first_voxel};

/// Words of a block, each four rows of a level.
const WORDS: usize = BLOCK / 64;
/// Words of a level of a block.
const LEVEL: usize = WORDS / SIDE;
/// The westernmost voxels of the rows of a word, and the easternmost ones.
const WEST: u64 = 0x0001_0001_0001_0001;
const EAST: u64 = WEST << (SIDE - 1);
/// Voxels around rock that belong to its ramp.
const RAMP: isize = 3;

/// A bit for each voxel of a block.
type Bits = [u64; WORDS];

/// Rock that hung in the air.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Floating {
    /// How many pieces.
    pub count: usize,
    /// Their rock `[m³]`.
    pub rock: f64,
}

/// Rock of the blocks, and what of it is held.
struct Held {
    rock: Vec<Option<Box<Bits>>>,
    held: Vec<Option<Box<Bits>>>,
    along: [usize; 3],
}

impl Held {
    fn of(volume: &Volume) -> Self {
        let rock = |(number, block): (usize, &Block)| match block {
            Block::Even(share) if *share <= SURFACE => None,
            // A block at the end reaches past the box.
            Block::Even(_) => Some(Box::new(bits(volume, number, |_| true))),
            Block::Dense(shares) => Some(Box::new(bits(volume, number, |n| shares[n] > SURFACE))),
        };
        let rock: Vec<_> = volume.blocks.iter().enumerate().map(rock).collect();
        let along = volume.blocks_along();
        let mut all = Self { held: vec![None; rock.len()], rock, along };
        all.hold();
        all
    }

    /// Follows the rock from the bottom upwards, and wherever it leads.
    fn hold(&mut self) {
        let level = self.along[0] * self.along[1];
        let mut open = Vec::new();
        for block in 0..level.min(self.rock.len()) {
            let Some(rock) = &self.rock[block] else { continue };
            let mut held = [0; WORDS];
            held[..LEVEL].copy_from_slice(&rock[..LEVEL]);
            self.held[block] = Some(Box::new(held));
            open.push(block);
        }
        while let Some(block) = open.pop() {
            let (Some(rock), Some(held)) = (&self.rock[block], &mut self.held[block]) else { continue };
            spread(rock, held);
            let held = held.clone();
            for side in 0..6 {
                let Some(next) = self.beside(block, side) else { continue };
                let Some(rock) = &self.rock[next] else { continue };
                let there = self.held[next].get_or_insert_with(|| Box::new([0; WORDS]));
                let mut more = false;
                handed_on(&held, side, |word, bits| {
                    let new = bits & rock[word] & !there[word];
                    there[word] |= new;
                    more |= new != 0;
                });
                if more {
                    open.push(next);
                }
            }
        }
    }

    /// The block on one of the six sides of another: west, east, south, north, below, above.
    fn beside(&self, block: usize, side: usize) -> Option<usize> {
        let [across, along, _] = self.along;
        let at = [block % across, block / across % along, block / across / along];
        let axis = side / 2;
        let step = [1, across, across * along][axis];
        if side.is_multiple_of(2) {
            (at[axis] > 0).then(|| block - step)
        } else {
            (at[axis] + 1 < self.along[axis]).then(|| block + step)
        }
    }

    /// The voxels of rock that nothing holds, block by block.
    fn floating(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let words = self.rock.iter().enumerate().filter_map(|(block, rock)| Some((block, rock.as_ref()?)));
        words.flat_map(move |(block, rock)| {
            let held = self.held[block].as_deref();
            let free = move |word: usize| rock[word] & !held.map_or(0, |held| held[word]);
            (0..WORDS).filter(move |&word| free(word) != 0).flat_map(move |word| {
                (0..64).filter(move |bit| free(word) >> bit & 1 == 1).map(move |bit| (block, 64 * word + bit))
            })
        })
    }

    /// Whether a voxel of rock has a neighbour that is none.
    fn is_outermost(&self, size: [usize; 3], at: [usize; 3]) -> bool {
        around(size, at, 1).any(|near| !self.has(&self.rock, near))
    }

    /// Whether a voxel is rock that something holds.
    fn holds(&self, at: [usize; 3]) -> bool {
        self.has(&self.held, at)
    }

    fn has(&self, all: &[Option<Box<Bits>>], at: [usize; 3]) -> bool {
        let (within, [x, y, z]) = (super::within_block(at), at.map(|n| n / SIDE));
        let block = x + self.along[0] * (y + self.along[1] * z);
        all[block].as_ref().is_some_and(|bits| bits[within / 64] >> (within % 64) & 1 == 1)
    }
}

/// A bit for each voxel of a block that is in the box and what is asked for.
fn bits(volume: &Volume, number: usize, is: impl Fn(usize) -> bool) -> Bits {
    let mut bits = [0; WORDS];
    for row in volume.rows_within(number) {
        for n in row {
            bits[n / 64] |= u64::from(is(n)) << (n % 64);
        }
    }
    bits
}

/// Lets what is held hold the rock that touches it, within a block.
fn spread(rock: &Bits, held: &mut Bits) {
    loop {
        let mut more = false;
        let mut visit = |word: usize| {
            let (here, row) = (held[word], word % LEVEL);
            let east_west = (here << 1 & !WEST) | (here >> 1 & !EAST);
            let mut near = here | east_west | here << SIDE | here >> SIDE;
            if row > 0 {
                near |= held[word - 1] >> (64 - SIDE);
            }
            if row + 1 < LEVEL {
                near |= held[word + 1] << (64 - SIDE);
            }
            if word >= LEVEL {
                near |= held[word - LEVEL];
            }
            if word + LEVEL < WORDS {
                near |= held[word + LEVEL];
            }
            let now = near & rock[word];
            more |= now != here;
            held[word] = now;
        };
        (0..WORDS).for_each(&mut visit);
        (0..WORDS).rev().for_each(&mut visit);
        if !more {
            return;
        }
    }
}

/// Calls `put` with the words of the neighbour on one side, and the bits there that touch what is held here.
fn handed_on(held: &Bits, side: usize, mut put: impl FnMut(usize, u64)) {
    let last = WORDS - LEVEL;
    match side {
        0 => (0..WORDS).for_each(|word| put(word, (held[word] & WEST) << (SIDE - 1))),
        1 => (0..WORDS).for_each(|word| put(word, (held[word] & EAST) >> (SIDE - 1))),
        2 => (0..SIDE).for_each(|level| put(LEVEL * level + LEVEL - 1, held[LEVEL * level] << (64 - SIDE))),
        3 => (0..SIDE).for_each(|level| put(LEVEL * level, held[LEVEL * level + LEVEL - 1] >> (64 - SIDE))),
        4 => (0..LEVEL).for_each(|word| put(last + word, held[word])),
        _ => (0..LEVEL).for_each(|word| put(word, held[last + word])),
    }
}

impl Volume {
    /// Takes away rock that hangs in the air: whatever has no way through rock to the bottom of the box.
    pub fn drop_floating(&mut self) -> Floating {
        let held = Held::of(self);
        let size = self.size;
        let free: Vec<[usize; 3]> = held.floating().map(|(block, n)| self.voxel_of(block, n)).collect();
        let mut floating = Floating::default();
        let mut rock = 0.0;
        for &start in &free {
            // What has been taken away belonged to a piece that was counted.
            if self.share(start.map(|n| n as isize)) <= SURFACE {
                continue;
            }
            floating.count += 1;
            let mut open = vec![start];
            rock += self.taken(start);
            while let Some(at) = open.pop() {
                for near in
                    around(size, at, 1).filter(|near| (0..3).filter(|&n| near[n] != at[n]).count() == 1)
                {
                    if self.share(near.map(|n| n as isize)) > SURFACE {
                        rock += self.taken(near);
                        open.push(near);
                    }
                }
            }
        }
        // Of the ramp around it stays what belongs to rock that is held.
        let mut ramp = Vec::new();
        for at in free.into_iter().filter(|&at| held.is_outermost(size, at)) {
            ramp.extend(around(size, at, RAMP).filter(|near| self.share(near.map(|n| n as isize)) > 0.0));
        }
        ramp.sort_unstable();
        ramp.dedup();
        for at in ramp {
            if !around(size, at, RAMP).any(|near| held.holds(near)) {
                rock += self.taken(at);
            }
        }
        self.settle();
        floating.rock = rock * self.voxel.powi(3);
        floating
    }

    /// Takes the rock of a voxel; returns how much it was [voxels].
    fn taken(&mut self, at: [usize; 3]) -> f64 {
        let share = self.share(at.map(|n| n as isize));
        self.set_share(at, 0.0);
        share.into()
    }

    /// A voxel by its block and its place there.
    fn voxel_of(&self, block: usize, n: usize) -> [usize; 3] {
        let first = first_voxel(self.size, block);
        [first[0] + n % SIDE, first[1] + n / SIDE % SIDE, first[2] + n / SIDE / SIDE]
    }
}

/// Voxels so far around one, in the box.
fn around(size: [usize; 3], at: [usize; 3], reach: isize) -> impl Iterator<Item = [usize; 3]> {
    let wide = 2 * reach + 1;
    (0..wide.pow(3)).filter_map(move |n| {
        let by = [n % wide, n / wide % wide, n / wide / wide];
        let near: [isize; 3] = std::array::from_fn(|axis| at[axis] as isize + by[axis] - reach);
        let inside = (0..3).all(|axis| (0..size[axis] as isize).contains(&near[axis]));
        inside.then(|| near.map(|n| n as usize))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::random::Key;

    /// Rock where a place is deep in one of some balls, or in the floor.
    fn balls(balls: &[[f32; 4]]) -> Volume {
        Volume::from_depths([50, 40, 45], 1.0, 0.0, |start, row| {
            for (i, depth) in row.iter_mut().enumerate() {
                let at = [start[0] as f32 + i as f32, start[1] as f32, start[2] as f32];
                let deep = |&[x, y, z, r]: &[f32; 4]| {
                    r - ((at[0] - x).powi(2) + (at[1] - y).powi(2) + (at[2] - z).powi(2)).sqrt()
                };
                *depth = balls.iter().map(deep).fold(5.0 - at[2], f32::max);
            }
        })
        .unwrap()
    }

    /// Two balls hang in the air, one of them at a side; a third stands on a pillar. The first two are gone, and nothing else.
    #[test]
    fn what_hangs_in_the_air_is_taken_away_and_counted() {
        let mut standing: Vec<[f32; 4]> = (0..7).map(|n| [20.0, 20.0, 5.0 + 4.0 * n as f32, 4.0]).collect();
        standing.push([26.0, 20.0, 29.0, 4.0]);
        let alone = balls(&standing);
        standing.extend([[40.0, 12.0, 30.0, 5.0], [0.0, 33.0, 30.0, 4.0]]);
        let mut volume = balls(&standing);
        let before = volume.rock();
        let Floating { count, rock } = volume.drop_floating();
        assert_eq!(count, 2);
        assert!((before - volume.rock() - rock).abs() < 1.0e-6 * before, "{rock} m³");
        assert!((rock - (before - alone.rock())).abs() < 1.0e-3 * rock, "{rock} m³ are gone");
        assert_eq!(volume, alone);
        assert_eq!(volume.drop_floating(), Floating::default());
    }

    /// On random voxels what is held is what a plain search finds.
    #[test]
    fn rock_is_followed_through_random_voxels_as_by_a_plain_search() {
        for seed in 0..4 {
            let size = [35, 20, 33];
            let mut volume = Volume::empty(size, 1.0, 0.0).unwrap();
            let key = Key::new(seed);
            let all = || (0..size.iter().product()).map(|n: usize| [n % 35, n / 35 % 20, n / 700]);
            for at in all() {
                // About where rock begins to hang together.
                let rock = key.with((at[0] + 100 * (at[1] + 100 * at[2])) as u64).unit() < 0.34;
                volume.set_share(at, if rock { 1.0 } else { 0.0 });
            }
            let is_rock = |at: [usize; 3]| volume.share(at.map(|n| n as isize)) > SURFACE;
            let mut seen = std::collections::HashSet::new();
            let mut open: Vec<_> = all().filter(|&at| at[2] == 0 && is_rock(at)).collect();
            seen.extend(open.iter().copied());
            while let Some(at) = open.pop() {
                for near in around(size, at, 1) {
                    let beside = (0..3).filter(|&n| near[n] != at[n]).count() == 1;
                    if beside && is_rock(near) && seen.insert(near) {
                        open.push(near);
                    }
                }
            }
            let held = Held::of(&volume);
            assert!(all().all(|at| held.holds(at) == seen.contains(&at)));
            let free = all().filter(|&at| is_rock(at) && !seen.contains(&at)).count();
            assert!(free > 100 && seen.len() > 100, "{free} float, {} are held", seen.len());
            let dropped = volume.drop_floating();
            assert_eq!(dropped.rock, free as f64);
            assert_eq!(volume.rock(), seen.len() as f64);
        }
    }
}
