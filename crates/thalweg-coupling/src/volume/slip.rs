//! What water has laid down slips where it lies steeper than it can.
//!
//! Rock stands upright and hangs over, loose grains do not. Column by column, the topmost part of what lies above the rock of the beginning goes down to the
//! column beside it, as fast as heights slip (`heightfield/settle.rs`); where that is a brink it falls to the next rock below. A column is a run of rock with
//! air above it, so that the floor of a cave has its own.

use super::rock::{Rock, SIDE};
use thalweg_terrain::volume::SURFACE;

/// How fast the excess height between two columns slips away, without the limit of the speed `[1/s]`.
const RATE: f64 = 4.0;
/// Share of the excess height between two columns that one round moves, at most `[-]`: each has eight neighbours.
const SHARE: f64 = 1.0 / 16.0;
/// Voxels below and above a surface that its ramp reaches.
const RAMP: isize = 4;
/// What is laid down and thinner holds [voxels]: ramps that are made even differ by so much from the rock of the beginning.
const HOLDS: f64 = 0.1;

/// How slopes hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slope {
    /// Tangent of the steepest slope that holds `[-]`.
    pub hold: f64,
    /// Fastest that ground rises or sinks [voxels/s].
    pub speed: f64,
}

/// Lets what lies too steeply in a block slip for a time `dt` `[s]`; `touched` is told every voxel that changes. Returns what the voxels below had no room for
/// [voxels].
pub(super) fn slip(
    rock: &mut Rock,
    block: usize,
    (slope, dt): (Slope, f64),
    touched: &mut impl FnMut([usize; 3], f64),
) -> f64 {
    let (share, most) = ((RATE * dt).min(SHARE), slope.speed * dt / 8.0);
    let (first, size) = (rock.first_of(block), rock.size());
    let last: [usize; 3] = std::array::from_fn(|axis| (first[axis] + SIDE).min(size[axis]));
    let mut left = 0.0;
    for y in first[1]..last[1] {
        for x in first[0]..last[0] {
            for z in first[2]..last[2] {
                let at = [x, y, z].map(|n| n as isize);
                if !is_top(rock, at) {
                    continue;
                }
                let mut loose = laid_down(rock, at) - HOLDS;
                for way in WAYS {
                    if loose <= 0.0 {
                        break;
                    }
                    let beside = [at[0] + way[0], at[1] + way[1]];
                    let Some(below) = floor(rock, beside, at[2]) else { continue };
                    let far = ((way[0] * way[0] + way[1] * way[1]) as f64).sqrt();
                    let excess = height(rock, at) - height(rock, below) - slope.hold * far;
                    if excess <= 0.0 {
                        continue;
                    }
                    let taken = take(rock, at, (share * excess).min(most).min(loose), touched);
                    loose -= taken;
                    left += lay(rock, below, taken, touched);
                }
            }
        }
    }
    left
}

/// The eight columns around one.
const WAYS: [[isize; 2]; 8] = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, -1], [1, -1], [-1, 1]];

fn above([x, y, z]: [isize; 3]) -> [isize; 3] {
    [x, y, z + 1]
}

fn is_rock(rock: &Rock, at: [isize; 3]) -> bool {
    rock.volume().share(at) > SURFACE
}

/// Whether a voxel is the topmost of a run of rock.
fn is_top(rock: &Rock, at: [isize; 3]) -> bool {
    is_rock(rock, at) && !is_rock(rock, above(at))
}

/// The topmost voxel of rock of a column that is no higher than a level; the bottom, one voxel below the lowest, where there is none. None outside, and where
/// there is rock at the level.
fn floor(rock: &Rock, [x, y]: [isize; 2], level: isize) -> Option<[isize; 3]> {
    let inside = |n: isize, axis: usize| (0..rock.size()[axis] as isize).contains(&n);
    if !inside(x, 0) || !inside(y, 1) || is_rock(rock, [x, y, level + 1]) {
        return None;
    }
    let down = (0..=level).rev().find(|&z| is_rock(rock, [x, y, z]));
    Some([x, y, down.unwrap_or(-1)])
}

/// Height of the surface above the topmost voxel of a run [voxels].
fn height(rock: &Rock, at: [isize; 3]) -> f64 {
    // Below the lowest voxel there is rock all the way.
    let here = if at[2] < 0 { 1.0 } else { rock.exact(at) };
    let there = rock.exact(above(at));
    at[2] as f64 + (here - f64::from(SURFACE)) / (here - there).max(f64::MIN_POSITIVE)
}

/// How much has been laid down across the surface of a column [voxels].
fn laid_down(rock: &Rock, [x, y, z]: [isize; 3]) -> f64 {
    (z - RAMP..=z + RAMP).map(|z| rock.gain([x, y, z])).sum()
}

/// Lowers the surface of a column by so much; returns what that gives, both in voxels. The ramp moves down as it is.
fn take(rock: &mut Rock, [x, y, z]: [isize; 3], by: f64, touched: &mut impl FnMut([usize; 3], f64)) -> f64 {
    let mut taken = 0.0;
    for up in (z - RAMP).max(0)..=z + RAMP {
        let (at, here) = ([x, y, up], rock.exact([x, y, up]));
        let falls = here - rock.exact(above(at));
        // Above the run there may be a roof.
        if up > z && falls < 0.0 {
            break;
        }
        taken += change(rock, at, -(by * falls.max(0.0)), touched);
    }
    -taken
}

/// Raises the surface of a column by so much; returns what there was no room for, both in voxels.
fn lay(
    rock: &mut Rock,
    [x, y, z]: [isize; 3],
    wanted: f64,
    touched: &mut impl FnMut([usize; 3], f64),
) -> f64 {
    let mut left = wanted;
    // From the top down, each voxel by what the one below it has more, as it was.
    let mut end = z + 1;
    while end < z + RAMP && rock.exact([x, y, end]) <= rock.exact([x, y, end - 1]) {
        end += 1;
    }
    let mut rise = 0.0;
    let lowest = (z - RAMP).max(-1);
    let solid = |rock: &Rock, up: isize| if up < 0 { 1.0 } else { rock.exact([x, y, up]) };
    for up in lowest + 1..=end {
        rise += (solid(rock, up - 1) - solid(rock, up)).max(0.0);
    }
    if rise > 0.0 {
        for up in (lowest + 1..=end).rev() {
            let more = (solid(rock, up - 1) - solid(rock, up)).max(0.0);
            left -= change(rock, [x, y, up], wanted * more / rise, touched);
        }
    }
    left
}

/// Changes a voxel by so much, as far as it goes; returns by how much.
fn change(rock: &mut Rock, at: [isize; 3], by: f64, touched: &mut impl FnMut([usize; 3], f64)) -> f64 {
    let inside = (0..3).all(|axis| (0..rock.size()[axis] as isize).contains(&at[axis]));
    if !inside || by == 0.0 {
        return 0.0;
    }
    let before = rock.exact(at);
    let after = (before + by).clamp(0.0, 1.0);
    if after != before {
        let voxel = at.map(|n| n as usize);
        rock.set(voxel, after);
        touched(voxel, after - before);
    }
    after - before
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_terrain::volume::Volume;

    /// Level rock eight voxels high, below a roof from 28 voxels on.
    fn cave() -> Rock {
        let volume = Volume::from_depths([32, 32, 32], 1.0, 0.0, |start, row| {
            row.fill((8.0 - start[2]).max(start[2] - 28.0) as f32);
        });
        Rock::new(&volume.unwrap())
    }

    /// Lays a tower down, or puts it as rock.
    fn tower(rock: &mut Rock, loose: bool) {
        for n in 0..6 * 6 * 10 {
            let at = [13 + n % 6, 13 + n / 6 % 6, 8 + n / 36];
            let before = rock.exact(at.map(|n| n as isize));
            rock.set(at, 1.0);
            if !loose {
                rock.note_placed(at, 1.0 - before);
            }
        }
    }

    fn slipped(rock: &mut Rock, rounds: usize) -> f64 {
        let slope = Slope { hold: 0.6, speed: 1.0 };
        (0..rounds * 8).map(|n| slip(rock, n % 8, (slope, 0.1), &mut |_, _| ())).sum()
    }

    fn steepest(rock: &Rock) -> f64 {
        let top = |x: isize, y: isize| floor(rock, [x, y], 24).map_or(0.0, |at| height(rock, at));
        let drop = |n: isize| {
            let [x, y] = [1 + n % 30, 1 + n / 30];
            (top(x, y) - top(x + 1, y)).abs().max((top(x, y) - top(x, y + 1)).abs())
        };
        (0..29 * 30).map(drop).fold(0.0, f64::max)
    }

    /// A tower of grains ten voxels high becomes a heap whose slopes hold; not a grain is lost, and the roof above stays.
    #[test]
    fn a_tower_of_grains_becomes_a_heap_and_the_roof_stays() {
        let mut rock = cave();
        let roof = |rock: &Rock| (20..32).map(|z| rock.exact([16, 16, z])).sum::<f64>();
        let above = roof(&rock);
        tower(&mut rock, true);
        assert!(steepest(&rock) > 8.0, "a tower of {} voxels", steepest(&rock));
        let before: f64 = rock.books().iter().sum();
        let left = slipped(&mut rock, 1500);
        let after: f64 = rock.books().iter().sum();
        assert!((after + left - before).abs() < 1.0e-9 * before, "{} m³ are missing", before - after);
        assert!(left < 0.01, "{left} voxels found no room");
        assert!(steepest(&rock) < 0.75, "a drop of {} voxels from one to the next holds", steepest(&rock));
        assert_eq!(roof(&rock), above);
    }

    /// The same tower of rock stands, and so does the rock of the beginning, upright as it is.
    #[test]
    fn rock_stands_upright() {
        let mut rock = cave();
        tower(&mut rock, false);
        let before = rock.save();
        slipped(&mut rock, 20);
        assert!(rock.save() == before, "rock has slipped");
    }
}
