//! How rock follows what the water takes from it and leaves on it.
//!
//! A surface moves by δ if every share across it changes by −δ|∇s|. So what a spot loses is taken from the voxels across the surface there, each by how
//! much it differs from the one outside it (upwind; Osher & Sethian 1988), over about a voxel to the sides. What it gains is added by how much
//! they differ from the one inside. Shares stay between 0 and 1; what they have no room for is owed to the next spot.

use super::rock::{Rock, Vector};

/// Voxels on either side of a surface that its ramp reaches along the axis that it faces most.
const RAMP: usize = 4;
/// Voxels to the sides that take part.
const ASIDE: usize = 1;
/// Voxels along the axis and across it that are looked at: those, and one more on either side for differences.
const LONG: usize = 2 * RAMP + 3;
const WIDE: usize = 2 * ASIDE + 3;
/// Times that what voxels have no room for is shared out among the others.
const ROUNDS: usize = 3;

/// Share of a change that is rounding `[-]`: it is owed to the next.
const ROUNDING: f64 = 1.0e-12;

/// What a place of the surface gains or loses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    /// Where, in voxels.
    pub at: Vector,
    /// The way out of the rock.
    pub out: [f32; 3],
    /// How much [voxels].
    pub rock: f64,
}

/// The voxels across a place of a surface, and how much of a change each takes.
#[derive(Clone, Debug)]
pub(super) struct Across {
    voxels: Vec<([usize; 3], f64)>,
    shares: Vec<f32>,
}

/// Lets rock follow what is due, one place after the other; returns what nobody had room for [voxels]. `touched` is told every voxel that changes.
pub(super) fn follow(
    rock: &mut Rock,
    across: &mut Across,
    due: &[Due],
    owed: f64,
    mut touched: impl FnMut([usize; 3], f64),
) -> f64 {
    due.iter().fold(owed, |owed, due| {
        let wanted = due.rock + owed;
        let mut left = wanted;
        for _ in 0..ROUNDS {
            if left.abs() <= ROUNDING * wanted.abs() {
                break;
            }
            across.find(rock, due, left < 0.0);
            left = across.change(rock, left, &mut touched);
        }
        left
    })
}

/// Puts together what is due in the same cell.
pub(super) fn gather(due: &mut Vec<Due>) {
    let cell = |due: &Due| due.at.map(|v| v.floor() as i64);
    due.sort_unstable_by_key(|due| {
        let [x, y, z] = cell(due);
        [z, y, x]
    });
    let (mut count, mut many) = (0, 0.0);
    for n in 0..due.len() {
        let next = due[n];
        if count > 0 && cell(&due[count - 1]) == cell(&next) {
            let all = &mut due[count - 1];
            many += 1.0;
            let mean = |all: f64, next: f64| all + (next - all) / many;
            all.at = std::array::from_fn(|axis| mean(all.at[axis], next.at[axis]));
            all.out = std::array::from_fn(|axis| mean(all.out[axis].into(), next.out[axis].into()) as f32);
            all.rock += next.rock;
        } else {
            (due[count], many) = (next, 1.0);
            count += 1;
        }
    }
    due.truncate(count);
}

impl Default for Across {
    fn default() -> Self {
        let most = LONG * (2 * ASIDE + 1).pow(2);
        Self { voxels: Vec::with_capacity(most), shares: vec![0.0; LONG * WIDE * WIDE] }
    }
}

impl Across {
    /// Finds the voxels across a surface that lose or gain, and their weights.
    fn find(&mut self, rock: &Rock, due: &Due, loses: bool) {
        let steep = due.out.map(f32::abs);
        let axis =
            if steep[2] >= steep[0] && steep[2] >= steep[1] { 2 } else { usize::from(steep[1] > steep[0]) };
        let half: [usize; 3] = std::array::from_fn(|n| if n == axis { RAMP + 1 } else { ASIDE + 1 });
        let middle = due.at.map(|v| v.round() as isize);
        let first: [isize; 3] = std::array::from_fn(|n| middle[n] - half[n] as isize);
        let size = half.map(|n| 2 * n + 1);
        rock.volume().copy_shares(first, size, &mut self.shares);
        self.voxels.clear();
        let [p, q] = [(axis + 1) % 3, (axis + 2) % 3];
        for side in 0..(2 * ASIDE + 1).pow(2) {
            let mut at = [0; 3];
            (at[p], at[q]) = (1 + side % (2 * ASIDE + 1), 1 + side / (2 * ASIDE + 1));
            let tent = |n: usize| {
                let away = (first[n] + at[n] as isize) as f64 - due.at[n];
                (1.0 - away.abs() / (ASIDE as f64 + 0.5)).max(0.0)
            };
            let weight = tent(p) * tent(q);
            if weight > 0.0 {
                // Where the plane of the surface crosses this line of voxels.
                let slant = [p, q].map(|n| {
                    f64::from(due.out[n]) * ((first[n] + at[n] as isize) as f64 - due.at[n])
                        / f64::from(due.out[axis])
                });
                let surface = due.at[axis] - slant[0] - slant[1] - first[axis] as f64;
                let rises = due.out[axis] < 0.0;
                self.line(rock, (first, size), (axis, at), (surface, rises), (weight, loses));
            }
        }
    }

    /// The voxels of one line across the surface: inwards as long as there is more rock, outwards as long as there is less.
    fn line(
        &mut self,
        rock: &Rock,
        (first, size): ([isize; 3], [usize; 3]),
        (axis, mut at): (usize, [usize; 3]),
        (surface, rises): (f64, bool),
        (weight, loses): (f64, bool),
    ) {
        let start = (surface.round().max(1.0) as usize).min(size[axis] - 2);
        for inwards in [true, false] {
            let up = inwards == rises;
            let mut n = start;
            if !inwards {
                n = if up { n + 1 } else { n - 1 };
            }
            let mut last = None;
            while (1..size[axis] - 1).contains(&n) {
                at[axis] = n;
                let share = self.share(size, at);
                let turns = last.is_some_and(|last| if inwards { share < last } else { share > last });
                if turns {
                    break;
                }
                last = Some(share);
                let slope = self.slope(size, at, loses);
                let voxel: [isize; 3] = std::array::from_fn(|k| first[k] + at[k] as isize);
                let inside = (0..3).all(|k| (0..rock.size()[k] as isize).contains(&voxel[k]));
                if slope > 0.0 && inside {
                    self.voxels.push((voxel.map(|n| n as usize), weight * f64::from(slope)));
                }
                n = if up { n + 1 } else { n - 1 };
            }
        }
    }

    fn share(&self, size: [usize; 3], [x, y, z]: [usize; 3]) -> f32 {
        self.shares[x + size[0] * (y + size[1] * z)]
    }

    /// How steeply the share of a voxel falls towards its neighbours with less, or rises towards those with more [1/voxel].
    fn slope(&self, size: [usize; 3], at: [usize; 3], falls: bool) -> f32 {
        let here = self.share(size, at);
        let along = |axis: usize| {
            let (mut before, mut behind) = (at, at);
            before[axis] -= 1;
            behind[axis] += 1;
            let most = [before, behind].map(|near| {
                let more = here - self.share(size, near);
                if falls { more } else { -more }
            });
            most[0].max(most[1]).max(0.0)
        };
        (0..3).map(|axis| along(axis).powi(2)).sum::<f32>().sqrt()
    }

    /// Shares a change out; returns what is left of it.
    fn change(&self, rock: &mut Rock, wanted: f64, touched: &mut impl FnMut([usize; 3], f64)) -> f64 {
        let all: f64 = self.voxels.iter().map(|(_, weight)| weight).sum();
        if all <= 0.0 {
            return wanted;
        }
        let mut done = 0.0;
        for &(voxel, weight) in &self.voxels {
            let before = rock.exact(voxel.map(|n| n as isize));
            let after = (before + wanted * weight / all).clamp(0.0, 1.0);
            if after != before {
                rock.set(voxel, after);
                touched(voxel, after - before);
                done += after - before;
            }
        }
        wanted - done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_terrain::volume::Volume;

    /// A slope of rock.
    fn slope(rise: f64) -> Rock {
        let upright = 1.0 / (1.0 + rise * rise).sqrt();
        let volume = Volume::from_depths([32, 32, 32], 0.5, 0.0, |start, row| {
            for (i, depth) in row.iter_mut().enumerate() {
                let east = start[0] + 0.5 * i as f64;
                *depth = ((8.0 + rise * (east - 8.0) - start[2]) * upright) as f32;
            }
        });
        Rock::new(&volume.unwrap())
    }

    /// Takes the same off a slope everywhere, or adds it, in so many rounds; returns by how much its surface sank on average [voxels], how uneven it
    /// is then, and what is missing.
    fn worn(rise: f64, each: f64, rounds: usize) -> [f64; 3] {
        let mut rock = slope(rise);
        let upright = 1.0 / (1.0 + rise * rise).sqrt();
        let out = [(-rise * upright) as f32, 0.0, upright as f32];
        let (mut owed, mut across, mut asked) = (0.0, Across::default(), 0.0);
        let height = |rock: &Rock, [x, y]: [f64; 2]| {
            let [_, _, up] = rock.in_voxels([
                0.0,
                0.0,
                crate::volume::pool::top(rock, [(x + 0.5) * 0.5, (y + 0.5) * 0.5]),
            ]);
            up
        };
        for _ in 0..rounds {
            let mut due = Vec::new();
            for n in 0..30 * 30 {
                let at = [1.0 + (n % 30) as f64 + 0.3, 1.0 + (n / 30) as f64 + 0.6];
                due.push(Due { at: [at[0], at[1], height(&rock, at)], out, rock: each });
                asked += each;
            }
            gather(&mut due);
            owed = follow(&mut rock, &mut across, &due, owed, |_, _| ());
        }
        let sunk: Vec<f64> = (0..100)
            .map(|n| {
                let at = [10.0 + (n % 10) as f64 + 0.5, 10.0 + (n / 10) as f64 + 0.5];
                height(&slope(rise), at) - height(&rock, at)
            })
            .collect();
        let mean = sunk.iter().sum::<f64>() / 100.0;
        let uneven = (sunk.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / 100.0).sqrt();
        let [_, gained] = rock.books();
        [mean, uneven, gained / 0.125 + owed - asked]
    }

    /// A due of a hundredth of a voxel for each voxel of the map, a hundred times, is a voxel of height.
    #[test]
    fn a_surface_sinks_and_rises_by_what_is_taken_and_added_and_stays_even() {
        for rise in [0.0, 0.3, 1.0] {
            for each in [-0.01, 0.01] {
                let [sunk, uneven, missing] = worn(rise, each, 100);
                assert!((sunk + 100.0 * each).abs() < 0.1, "sank by {sunk} voxels on a slope of {rise}");
                assert!(uneven < 0.06, "uneven by {uneven} voxels on a slope of {rise}");
                assert!(missing.abs() < 1.0e-9, "{missing:e} voxels are missing");
            }
        }
    }
}
