//! Where no rock is near: cubes of cells without any, so that what moves there meets nothing.

use super::rock::{Rock, Vector};
use std::ops::RangeInclusive;
use thalweg_terrain::volume::SURFACE;

/// Cells along each side of a brick.
const BRICK: usize = 4;
/// Voxels around it that are looked at too: by no more does rock grow until it is looked at again.
const MARGIN: usize = 1;
/// Voxels along each side that are looked at.
const SEEN: usize = BRICK + 1 + 2 * MARGIN;
/// Most bricks that a way or a crowd is looked up in; larger ones are not worth it.
const MOST: usize = 64;

/// Which bricks have rock.
#[derive(Clone, Debug)]
pub(super) struct Bricks {
    /// Bricks to the east, to the north and up.
    along: [usize; 3],
    solid: Vec<bool>,
}

impl Bricks {
    pub(super) fn new(rock: &Rock) -> Self {
        let along = along(rock.size());
        let mut bricks = Self { along, solid: vec![true; along.iter().product()] };
        bricks.find(rock, [0; 3], rock.size());
        bricks
    }

    /// Memory of those of a box of voxels `[bytes]`.
    pub(super) fn memory_of(size: [usize; 3]) -> u64 {
        along(size).iter().map(|&bricks| bricks as u64).product()
    }

    /// Looks at the bricks around voxels between two places, the last not included.
    pub(super) fn find(&mut self, rock: &Rock, first: [usize; 3], last: [usize; 3]) {
        let range = |axis: usize| {
            let from = first[axis].saturating_sub(MARGIN) / BRICK;
            from..((last[axis] + 1 + MARGIN).div_ceil(BRICK)).min(self.along[axis])
        };
        let mut shares = [0.0; SEEN * SEEN * SEEN];
        for up in range(2) {
            for north in range(1) {
                for east in range(0) {
                    let first = [east, north, up].map(|n| (n * BRICK) as isize - 1 - MARGIN as isize);
                    rock.volume().copy_shares(first, [SEEN; 3], &mut shares);
                    let index = self.index([east, north, up]);
                    self.solid[index] = shares.iter().any(|&share| share > SURFACE);
                }
            }
        }
    }

    fn index(&self, [east, north, up]: [usize; 3]) -> usize {
        east + self.along[0] * (north + self.along[1] * up)
    }

    /// Whether there is no rock between two corners.
    #[inline(always)]
    pub(super) fn are_clear(&self, low: Vector, high: Vector) -> bool {
        let brick = |v: f64| ((v + 1.0) * (1.0 / BRICK as f64)).floor();
        let range = |axis: usize| -> Option<RangeInclusive<usize>> {
            let (from, to) = (brick(low[axis]), brick(high[axis]));
            let last = self.along[axis] as f64 - 1.0;
            // Beyond the box there is air.
            (to >= 0.0 && from <= last).then(|| from.max(0.0) as usize..=to.min(last) as usize)
        };
        let (Some(x), Some(y), Some(z)) = (range(0), range(1), range(2)) else { return true };
        let count = |r: &RangeInclusive<usize>| r.end() - r.start() + 1;
        if count(&x) * count(&y) * count(&z) > MOST {
            return false;
        }
        z.into_iter().all(|up| {
            y.clone().all(|north| {
                let row = self.index([0, north, up]);
                !self.solid[row + x.start()..=row + x.end()].contains(&true)
            })
        })
    }
}

/// Bricks along each side of a box of voxels. Cells begin one voxel before it.
fn along(size: [usize; 3]) -> [usize; 3] {
    size.map(|voxels| (voxels + 1).div_ceil(BRICK))
}
