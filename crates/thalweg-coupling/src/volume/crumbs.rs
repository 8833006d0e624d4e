//! Rock that nothing holds any more: pieces without a way through rock to the bottom or the sides fall away, and so does what is left of rock where no
//! surface is near.

use super::rock::{Rock, SIDE};
use std::collections::HashSet;
use thalweg_terrain::volume::SURFACE;

/// Voxels of the largest piece that is looked for; whatever is larger holds.
const LARGEST: usize = 1 << 20;
/// Voxels around rock that belong to its ramp.
const RAMP: isize = 3;

/// What has fallen away.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Crumbs {
    /// How many pieces.
    pub count: u64,
    /// Their rock `[m³]`.
    pub rock: f64,
}

/// Takes pieces of rock away that begin in a block and that nothing holds. Returns how many, and their rock [voxels]; `touched` is told every voxel
/// that changes.
pub(super) fn drop_crumbs(
    rock: &mut Rock,
    block: usize,
    mut touched: impl FnMut([usize; 3], f64),
) -> (u64, f64) {
    let first = rock.first_of(block);
    let mut held = HashSet::new();
    let (mut count, mut gone) = (0, 0.0);
    for n in 0..SIDE.pow(3) {
        let at = [first[0] + n % SIDE, first[1] + n / SIDE % SIDE, first[2] + n / SIDE / SIDE];
        let inside = (0..3).all(|axis| at[axis] < rock.size()[axis]);
        if !inside || !is_rock(rock, at.map(|n| n as isize)) || held.contains(&at) {
            continue;
        }
        match piece(rock, at, &held) {
            Ok(crumb) => {
                count += 1;
                gone += crumb.iter().map(|&voxel| take(rock, voxel, &mut touched)).sum::<f64>();
                gone += crumb.iter().map(|&voxel| take_dust(rock, voxel, &mut touched)).sum::<f64>();
            }
            Err(seen) => held.extend(seen),
        }
    }
    for n in 0..SIDE.pow(3) {
        let at = [first[0] + n % SIDE, first[1] + n / SIDE % SIDE, first[2] + n / SIDE / SIDE];
        if (0..3).all(|axis| at[axis] < rock.size()[axis]) && is_dust(rock, at) {
            gone += take(rock, at, &mut touched);
        }
    }
    (count, gone)
}

fn is_rock(rock: &Rock, at: [isize; 3]) -> bool {
    rock.volume().share(at) > SURFACE
}

/// All voxels of the piece that a voxel belongs to; what was seen of it if something holds it. Downwards first: that is where it is held.
fn piece(
    rock: &Rock,
    start: [usize; 3],
    held: &HashSet<[usize; 3]>,
) -> Result<Vec<[usize; 3]>, Vec<[usize; 3]>> {
    let size = rock.size();
    let mut seen = HashSet::from([start]);
    let (mut all, mut open) = (Vec::new(), vec![start]);
    while let Some(at) = open.pop() {
        all.push(at);
        let at_edge = at[2] == 0 || (0..2).any(|axis| at[axis] == 0 || at[axis] + 1 == size[axis]);
        if at_edge || held.contains(&at) || all.len() > LARGEST {
            return Err(all);
        }
        let ways: [[isize; 3]; 6] = [[0, 0, 1], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, -1]];
        for way in ways {
            let next: [isize; 3] = std::array::from_fn(|axis| at[axis] as isize + way[axis]);
            if is_rock(rock, next) && seen.insert(next.map(|n| n as usize)) {
                open.push(next.map(|n| n as usize));
            }
        }
    }
    Ok(all)
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

/// Takes what is left around a voxel that was rock.
fn take_dust(rock: &mut Rock, at: [usize; 3], touched: &mut impl FnMut([usize; 3], f64)) -> f64 {
    let near: Vec<[usize; 3]> = around(rock, at).collect();
    near.into_iter().map(|near| if is_dust(rock, near) { take(rock, near, touched) } else { 0.0 }).sum()
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

    fn dropped(rock: &mut Rock) -> (u64, f64) {
        (0..27).fold((0, 0.0), |(count, gone), block| {
            let (more, rock) = drop_crumbs(rock, block, |_, _| ());
            (count + more, gone + rock)
        })
    }

    #[test]
    fn what_floats_falls_and_what_stands_or_leans_stays() {
        let pillar: Vec<[f32; 4]> = (0..7).map(|n| [20.0, 20.0, 5.0 + 4.0 * n as f32, 4.0]).collect();
        let mut standing = rock(&pillar);
        let before = standing.volume().rock();
        assert_eq!(dropped(&mut standing), (0, 0.0));
        let arm: Vec<[f32; 4]> = pillar.iter().copied().chain([[26.0, 20.0, 25.0, 4.0]]).collect();
        assert_eq!(dropped(&mut rock(&arm)).0, 0, "an arm hangs on the pillar");
        let mut floating = rock(&[[20.0, 20.0, 28.0, 6.0]]);
        let all = floating.volume().rock();
        let (count, gone) = dropped(&mut floating);
        assert_eq!(count, 1);
        let left = floating.volume().rock();
        assert!((all - left - gone).abs() < 1.0e-6 * all && before > left);
        // Floor: five voxels high, and its ramp.
        assert!((left - 40.0 * 40.0 * 5.0).abs() < 0.001 * left, "{left} voxels are left");
    }
}
