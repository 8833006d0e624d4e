//! Rock that nothing holds any more: pieces without a way through rock to the bottom or the sides fall straight down and lie on the rock below. What is left
//! of rock where no surface is near goes to the next place that gains some.

use super::rock::{Rock, SIDE};
use std::collections::HashSet;
use thalweg_terrain::volume::SURFACE;

/// Voxels of the largest piece that is looked for; whatever is larger holds.
const LARGEST: usize = 1 << 20;
/// Voxels around rock that belong to its ramp.
const RAMP: isize = 3;

/// What has fallen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Crumbs {
    /// How many pieces.
    pub count: u64,
    /// Their rock `[m³]`.
    pub rock: f64,
}

/// What one look at a block found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Dropped {
    /// How many pieces fell.
    pub count: u64,
    /// Their rock [voxels].
    pub rock: f64,
    /// What found no room where they lie, and what was left of rock far from any [voxels].
    pub left: f64,
}

/// What a search for pieces needs to remember; kept, so that looking allocates nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    /// Voxels of which is known that something holds them.
    held: HashSet<[usize; 3]>,
    /// Voxels of the present piece: those that were met, in their order, and those whose neighbours are still to be looked at.
    seen: HashSet<[usize; 3]>,
    all: Vec<[usize; 3]>,
    open: Vec<[usize; 3]>,
    /// What falls: where it was, and how much.
    parts: Vec<([usize; 3], f64)>,
}

/// Lets pieces of rock fall that begin in a block and that nothing holds; `touched` is told every voxel that changes.
pub(super) fn drop_crumbs(
    rock: &mut Rock,
    search: &mut Search,
    block: usize,
    mut touched: impl FnMut([usize; 3], f64),
) -> Dropped {
    search.held.clear();
    let mut dropped = Dropped::default();
    for at in voxels_of(rock, block) {
        if !is_rock(rock, at.map(|n| n as isize)) || search.held.contains(&at) {
            continue;
        }
        if search.is_loose(rock, at) {
            dropped.count += 1;
            dropped.drop_piece(rock, search, &mut touched);
        } else {
            search.held.extend(&search.all);
        }
    }
    for at in voxels_of(rock, block) {
        if is_dust(rock, at) {
            dropped.left += take(rock, at, &mut touched);
        }
    }
    dropped
}

impl Dropped {
    /// Takes the piece that was found away, and puts it where it comes to lie: so far down that it touches rock or the bottom.
    fn drop_piece(
        &mut self,
        rock: &mut Rock,
        Search { all, parts, .. }: &mut Search,
        touched: &mut impl FnMut([usize; 3], f64),
    ) {
        parts.clear();
        for &at in &*all {
            parts.push((at, take(rock, at, touched)));
        }
        for &at in &*all {
            for near in around(rock, at) {
                if is_dust(rock, near) {
                    parts.push((near, take(rock, near, touched)));
                }
            }
        }
        let down = all.iter().map(|&at| fall(rock, at)).min().unwrap_or(0);
        for &([x, y, z], share) in &*parts {
            self.rock += share;
            rock.note_placed([x, y, z], -share);
            // The ramp below the lowest voxel goes no deeper than the bottom.
            let there = [x, y, z.saturating_sub(down)];
            let left = add(rock, there, share, touched);
            rock.note_placed(there, share - left);
            self.left += left;
        }
    }
}

/// The voxels of a block that are in the box.
fn voxels_of(rock: &Rock, block: usize) -> impl Iterator<Item = [usize; 3]> + use<> {
    let (first, size) = (rock.first_of(block), rock.size());
    let voxel = move |n: usize| [first[0] + n % SIDE, first[1] + n / SIDE % SIDE, first[2] + n / SIDE / SIDE];
    (0..SIDE.pow(3)).map(voxel).filter(move |at| (0..3).all(|axis| at[axis] < size[axis]))
}

/// How many voxels one can fall before there is rock, or the bottom.
fn fall(rock: &Rock, [x, y, z]: [usize; 3]) -> usize {
    (1..=z).find(|down| is_rock(rock, [x, y, z - down].map(|n| n as isize))).map_or(z, |down| down - 1)
}

/// Adds rock to a voxel; returns what it has no room for.
fn add(rock: &mut Rock, at: [usize; 3], share: f64, touched: &mut impl FnMut([usize; 3], f64)) -> f64 {
    let before = rock.exact(at.map(|n| n as isize));
    let after = (before + share).min(1.0);
    if after > before {
        rock.set(at, after);
        touched(at, after - before);
    }
    share - (after - before)
}

fn is_rock(rock: &Rock, at: [isize; 3]) -> bool {
    rock.volume().share(at) > SURFACE
}

impl Search {
    /// Finds the voxels of the piece that a voxel belongs to, as many as are needed to know whether nothing holds it. Downwards first: that is where
    /// it is held.
    fn is_loose(&mut self, rock: &Rock, start: [usize; 3]) -> bool {
        const WAYS: [[isize; 3]; 6] = [[0, 0, 1], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, -1]];
        let size = rock.size();
        let Self { held, seen, all, open, .. } = self;
        seen.clear();
        all.clear();
        open.clear();
        seen.insert(start);
        open.push(start);
        while let Some(at) = open.pop() {
            all.push(at);
            let at_edge = at[2] == 0 || (0..2).any(|axis| at[axis] == 0 || at[axis] + 1 == size[axis]);
            if at_edge || held.contains(&at) || all.len() > LARGEST {
                return false;
            }
            for way in WAYS {
                let next: [isize; 3] = std::array::from_fn(|axis| at[axis] as isize + way[axis]);
                if is_rock(rock, next) && seen.insert(next.map(|n| n as usize)) {
                    open.push(next.map(|n| n as usize));
                }
            }
        }
        true
    }
}

/// Takes the rock of a voxel; returns how much it was.
fn take(rock: &mut Rock, at: [usize; 3], touched: &mut impl FnMut([usize; 3], f64)) -> f64 {
    let share = rock.exact(at.map(|n| n as isize));
    if share > 0.0 {
        rock.set(at, 0.0);
        touched(at, -share);
    }
    share
}

/// Whether a voxel has a little rock, and no surface is near that it could belong to.
fn is_dust(rock: &Rock, at: [usize; 3]) -> bool {
    let share = rock.volume().share(at.map(|n| n as isize));
    share > 0.0 && share <= SURFACE && !around(rock, at).any(|near| is_rock(rock, near.map(|n| n as isize)))
}

/// Voxels within the ramp of one, in the box.
fn around(rock: &Rock, at: [usize; 3]) -> impl Iterator<Item = [usize; 3]> + use<> {
    let size = rock.size();
    let wide = 2 * RAMP + 1;
    (0..wide.pow(3)).filter_map(move |n| {
        let by = [n % wide, n / wide % wide, n / wide / wide];
        let near: [isize; 3] = std::array::from_fn(|axis| at[axis] as isize + by[axis] - RAMP);
        let inside = (0..3).all(|axis| (0..size[axis] as isize).contains(&near[axis]));
        inside.then(|| near.map(|n| n as usize))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_terrain::volume::Volume;

    /// Rock where a place is deep in one of some balls, or in the floor.
    fn rock(balls: &[[f32; 4]]) -> Rock {
        let volume = Volume::from_depths([40; 3], 1.0, 0.0, |start, row| {
            for (i, depth) in row.iter_mut().enumerate() {
                let at = [start[0] as f32 + i as f32, start[1] as f32, start[2] as f32];
                let deep = |&[x, y, z, r]: &[f32; 4]| {
                    r - ((at[0] - x).powi(2) + (at[1] - y).powi(2) + (at[2] - z).powi(2)).sqrt()
                };
                *depth = balls.iter().map(deep).fold(5.0 - at[2], f32::max);
            }
        });
        Rock::new(&volume.unwrap())
    }

    fn dropped(rock: &mut Rock) -> Dropped {
        (0..27).fold(Dropped::default(), |all, block| {
            let more = drop_crumbs(rock, &mut Search::default(), block, |_, _| ());
            Dropped { count: all.count + more.count, rock: all.rock + more.rock, left: all.left + more.left }
        })
    }

    #[test]
    fn what_floats_falls_and_what_stands_or_leans_stays() {
        let pillar: Vec<[f32; 4]> = (0..7).map(|n| [20.0, 20.0, 5.0 + 4.0 * n as f32, 4.0]).collect();
        assert_eq!(dropped(&mut rock(&pillar)), Dropped::default());
        let arm: Vec<[f32; 4]> = pillar.iter().copied().chain([[26.0, 20.0, 25.0, 4.0]]).collect();
        assert_eq!(dropped(&mut rock(&arm)).count, 0, "an arm hangs on the pillar");
    }

    /// A ball of six voxels that floats lies on the floor afterwards, and all of its rock is there.
    #[test]
    fn what_falls_lies_on_the_rock_below_and_nothing_is_lost() {
        let mut floating = rock(&[[20.0, 20.0, 28.0, 6.0]]);
        let all = floating.volume().rock();
        let Dropped { count, rock, left } = dropped(&mut floating);
        assert_eq!(count, 1);
        // The floor is five voxels high.
        let ball = all - 40.0 * 40.0 * 5.0;
        assert!((rock - ball).abs() < 0.01 * ball, "{rock} voxels fell, of {ball}");
        assert!((floating.volume().rock() + left - all).abs() < 1.0e-6 * all);
        assert!(left < 0.02 * rock, "{left} of {rock} voxels have found no place");
        let top = (0..40).rfind(|&z| is_rock(&floating, [20, 20, z])).unwrap_or(0);
        assert!((15..=17).contains(&top), "the ball reaches up to voxel {top}");
        assert_eq!(dropped(&mut floating).count, 0, "it lies still");
    }
}
