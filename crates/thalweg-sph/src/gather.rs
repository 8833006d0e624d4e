//! Particles as a volume: what they are at the middles of voxels (Wang, Yang & Zhu 2021, 2.4).
//!
//! Particles are sorted by the voxels they are in. Each voxel near one sums its neighbours with the smoothing kernel: they lie in
//! a few runs of that order, one for each row of voxels around. Nothing is scattered, so that threads never meet and the bits are the same.

use crate::kernel::{Kernel, Wendland, lattice_sum};
use std::ops::Range;
use thalweg_field::band;

/// Support of the kernel, in voxels: as that of the fluid, where voxels are as wide as particles lie apart.
const SUPPORT: i32 = 2;

/// A voxel, to the east, to the north and up.
type Voxel = [i32; 3];

/// What particles are in a voxel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gathered {
    /// Which voxel: number 0 reaches from 0 to 1.
    pub voxel: [i32; 3],
    /// Share of it that they fill; in a crowd more than 1 `[-]`.
    pub share: f32,
    /// Their mean velocity `[m/s]`.
    pub velocity: [f32; 3],
}

/// Particles in the order of the voxels they are in.
struct Sorted {
    /// Row by row, and in each from west to east: the voxel and the number of each.
    particles: Vec<(Voxel, u32)>,
    /// Where each row begins, by height and then by distance to the north.
    rows: Vec<([i32; 2], usize)>,
}

/// The voxels that particles are near, row by row from the bottom and the south, for voxels as wide as particles lie apart `[m]`. `velocity` is asked for
/// that of each particle. Particles at places that are no numbers are nowhere.
pub fn gather(
    places: &[[f32; 3]],
    spacing: f64,
    velocity: impl Fn(usize) -> [f32; 3] + Sync,
) -> Vec<Gathered> {
    let kernel = Wendland(f64::from(SUPPORT));
    // On a lattice the sum is one.
    let whole = lattice_sum(1.0, kernel.support(), |r| kernel.value(r));
    let sorted = Sorted::new(places, spacing);
    let mut rows: Vec<_> = sorted.rows_near().into_iter().map(|row| (row, Vec::new())).collect();
    band::for_each(&mut rows, |_, (row, found)| {
        let runs = sorted.runs_around(row[0]);
        found.extend(row.iter().filter_map(|&voxel| {
            let (mut share, mut flow) = (0.0, [0.0; 3]);
            for number in runs.iter().flat_map(|run| sorted.near(run.clone(), voxel[0])) {
                let off = (0..3).map(|axis| {
                    let middle = f64::from(voxel[axis]) + 0.5;
                    (f64::from(places[number][axis]) / spacing - middle).powi(2)
                });
                let weight = kernel.value(off.sum::<f64>().sqrt()) / whole;
                let way = velocity(number).map(f64::from);
                share += weight;
                flow = std::array::from_fn(|axis| flow[axis] + weight * way[axis]);
            }
            let velocity = flow.map(|part| (part / share) as f32);
            (share > 0.0).then_some(Gathered { voxel, share: share as f32, velocity })
        }));
    });
    rows.into_iter().flat_map(|(_, found)| found).collect()
}

impl Sorted {
    fn new(places: &[[f32; 3]], spacing: f64) -> Self {
        /// Farther away numbers of voxels might not fit.
        const FARTHEST: f64 = 1.0e9;
        let voxels = places.iter().map(|place| place.map(|x| (f64::from(x) / spacing).floor()));
        let inside = voxels.zip(0_u32..).filter(|(at, _)| at.iter().all(|x| x.abs() < FARTHEST));
        let mut particles: Vec<(Voxel, u32)> = inside.map(|(at, n)| (at.map(|x| x as i32), n)).collect();
        particles.sort_unstable_by_key(|&([x, y, z], number)| (z, y, x, number));
        let mut rows: Vec<([i32; 2], usize)> = Vec::new();
        for (n, &([_, y, z], _)) in particles.iter().enumerate() {
            if rows.last().is_none_or(|&(row, _)| row != [z, y]) {
                rows.push(([z, y], n));
            }
        }
        Self { particles, rows }
    }

    /// The voxels near particles, row by row: first what is near along a row, then across rows, then up and down.
    fn rows_near(&self) -> Vec<Vec<Voxel>> {
        let mut voxels: Vec<Voxel> = self.particles.iter().map(|&(voxel, _)| voxel).collect();
        for axis in 0..3 {
            voxels.dedup();
            let near = voxels.iter().flat_map(|&voxel| {
                (-SUPPORT..=SUPPORT).map(move |by| {
                    let mut near = voxel;
                    near[axis] += by;
                    near
                })
            });
            voxels = near.collect();
            voxels.sort_unstable_by_key(|&[x, y, z]| (z, y, x));
        }
        voxels.dedup();
        voxels.chunk_by(|a, b| a[1..] == b[1..]).map(<[_]>::to_vec).collect()
    }

    /// Where the particles are that are in the rows around one.
    fn runs_around(&self, [_, y, z]: Voxel) -> Vec<Range<usize>> {
        let mut runs = Vec::new();
        for up in z - SUPPORT..=z + SUPPORT {
            let first = self.rows.partition_point(|&(row, _)| row < [up, y - SUPPORT]);
            let rows = self.rows[first..].iter().take_while(|(row, _)| *row <= [up, y + SUPPORT]).count();
            for n in first..first + rows {
                let end = self.rows.get(n + 1).map_or(self.particles.len(), |&(_, next)| next);
                runs.push(self.rows[n].1..end);
            }
        }
        runs
    }

    /// The numbers of the particles of a run that are near a voxel of so many to the east.
    fn near(&self, run: Range<usize>, x: i32) -> impl Iterator<Item = usize> + '_ {
        let run = &self.particles[run];
        let first = run.partition_point(|(voxel, _)| voxel[0] < x - SUPPORT);
        let near = run[first..].iter().take_while(move |(voxel, _)| voxel[0] <= x + SUPPORT);
        near.map(|&(_, number)| number as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use thalweg_field::random::Key;

    const SPACING: f64 = 0.2;

    /// One particle in the middle of each of 9 by 8 by 7 voxels, some below zero.
    fn block() -> Vec<[f32; 3]> {
        let place = |n: usize| [n % 9, n / 9 % 8, n / 72].map(|n| (SPACING * (n as f64 - 3.5)) as f32);
        (0..9 * 8 * 7).map(place).collect()
    }

    #[test]
    fn a_block_of_particles_fills_its_voxels_and_goes_their_way() {
        let found = gather(&block(), SPACING, |_| [3.0, 0.0, -1.0]);
        let inside = |n: i32, end: i32| (-2..end).contains(&n);
        let mut whole = 0;
        for Gathered { voxel: [x, y, z], share, velocity } in &found {
            assert!((velocity[0] - 3.0).abs() < 1.0e-5 && (velocity[2] + 1.0).abs() < 1.0e-5);
            if inside(*x, 3) && inside(*y, 2) && inside(*z, 1) {
                whole += 1;
                assert!((share - 1.0).abs() < 1.0e-5, "{share} at {x}, {y}, {z}");
            }
        }
        assert_eq!(whole, 5 * 4 * 3);
        let all: f64 = found.iter().map(|voxel| f64::from(voxel.share)).sum();
        assert!((all - 504.0).abs() < 1.0e-3, "{all} voxels of water from 504 particles");
    }

    /// Particles in any order, one on top of another, alone and at no place at all.
    #[test]
    fn sums_over_sorted_neighbours_are_those_over_all_particles() {
        let key = Key::new(4);
        let place = |n: u64| [0, 1, 2].map(|axis| (2.5 * key.with(3 * n + axis).unit()) as f32 - 1.0);
        let mut places: Vec<[f32; 3]> = (0..300).map(place).collect();
        places.extend([[9.0, -7.0, 5.0], [f32::NAN, 0.0, 0.0], places[7]]);
        let kernel = Wendland(2.0);
        let whole = lattice_sum(1.0, 2.0, |r| kernel.value(r));
        let found = gather(&places, SPACING, |n| [n as f32, 0.0, 0.0]);
        let shares: BTreeMap<_, _> = found.iter().map(|one| (one.voxel, one.share)).collect();
        for n in 0..19_i32.pow(3) {
            let voxel = [n % 19, n / 19 % 19, n / 361].map(|n| n - 8);
            let off = |place: &[f32; 3]| {
                let off = |axis: usize| f64::from(place[axis]) / SPACING - f64::from(voxel[axis]) - 0.5;
                (0..3).map(|axis| off(axis).powi(2)).sum::<f64>()
            };
            let near = places.iter().filter(|place| off(place) < 4.0);
            let sum: f64 = near.map(|place| kernel.value(off(place).sqrt()) / whole).sum();
            let there = shares.get(&voxel).copied().unwrap_or_default();
            assert!((f64::from(there) - sum).abs() < 1.0e-6, "{there} and not {sum} at {voxel:?}");
        }
        // The one far away.
        assert!(shares.contains_key(&[44, -35, 25]));
        let rows: Vec<_> = found.iter().map(|one| [one.voxel[2], one.voxel[1], one.voxel[0]]).collect();
        assert!(rows.is_sorted() && rows.len() > 1000);
    }
}
