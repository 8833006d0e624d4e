//! Rock that somebody adds or takes away.

use super::{VolumeGround, rock::SIDE};
use thalweg_terrain::volume::SOFT;

/// A box of voxels before and after somebody painted.
#[derive(Clone, Debug, PartialEq)]
pub struct RockPatch {
    /// Its first voxel.
    pub first: [usize; 3],
    /// How many it has to the east, to the north and up.
    pub size: [usize; 3],
    /// Shares of rock before, east running fastest, then north, then up `[-]`.
    pub before: Vec<f64>,
    /// The same afterwards.
    pub after: Vec<f64>,
}

impl RockPatch {
    /// The way back.
    pub fn inverse(&self) -> Self {
        Self { before: self.after.clone(), after: self.before.clone(), ..*self }
    }

    fn voxels(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let (first, [east, north, up]) = (self.first, self.size);
        (0..east * north * up)
            .map(move |n| [first[0] + n % east, first[1] + n / east % north, first[2] + n / east / north])
    }
}

impl VolumeGround {
    /// What balls of rock that come, or go, around places would change: a share of it, from 0 to 1 `[-]`.
    pub(crate) fn balls(&self, places: &[[f64; 3]], radius: f64, share: f64, adds: bool) -> RockPatch {
        let middles: Vec<_> = places.iter().map(|&at| self.rock.in_voxels(at)).collect();
        let reach = radius / self.rock.voxel() + f64::from(SOFT);
        let bound = |v: f64, axis: usize| v.clamp(0.0, self.rock.size()[axis] as f64) as usize;
        let along = |axis: usize| middles.iter().map(move |middle| middle[axis]);
        let first: [usize; 3] = std::array::from_fn(|axis| {
            bound((along(axis).fold(f64::INFINITY, f64::min) - reach).ceil(), axis)
        });
        let size = std::array::from_fn(|axis| {
            let last = bound((along(axis).fold(f64::NEG_INFINITY, f64::max) + reach).floor() + 1.0, axis);
            last.saturating_sub(first[axis])
        });
        let mut patch = RockPatch { first, size, before: Vec::new(), after: Vec::new() };
        for voxel in patch.voxels() {
            let before = self.rock.exact(voxel.map(|n| n as isize));
            let far = |middle: &[f64; 3]| {
                (0..3).map(|axis| (voxel[axis] as f64 - middle[axis]).powi(2)).sum::<f64>()
            };
            let away = middles.iter().map(far).fold(f64::INFINITY, f64::min).sqrt();
            let ball = (0.5 + (radius / self.rock.voxel() - away) / f64::from(SOFT)).clamp(0.0, 1.0);
            let wanted = if adds { before.max(ball) } else { before.min(1.0 - ball) };
            patch.before.push(before);
            patch.after.push(before + share.clamp(0.0, 1.0) * (wanted - before));
        }
        patch
    }

    /// Makes the rock as a patch has it afterwards; returns how much came [m³, pores included]. None if the patch is not one of this volume.
    pub(crate) fn put(&mut self, patch: &RockPatch) -> Option<f64> {
        let count: usize = patch.size.iter().product();
        let fits = (0..3).all(|axis| patch.first[axis] + patch.size[axis] <= self.rock.size()[axis]);
        let whole = patch.after.iter().all(|share| (0.0..=1.0).contains(share));
        if !fits || !whole || patch.after.len() != count {
            return None;
        }
        let mut gained = 0.0;
        for (voxel, &share) in patch.voxels().zip(&patch.after) {
            gained += share - self.rock.exact(voxel.map(|n| n as isize));
            self.rock.set(voxel, share);
        }
        let last = std::array::from_fn(|axis| patch.first[axis] + patch.size[axis]);
        self.bricks.find(&self.rock, patch.first, last);
        let blocks = |axis: usize| patch.first[axis] / SIDE..last[axis].div_ceil(SIDE);
        for z in blocks(2) {
            for y in blocks(1) {
                for x in blocks(0) {
                    self.loosen([x, y, z].map(|n| n * SIDE));
                }
            }
        }
        Some(gained * self.rock.voxel().powi(3))
    }
}
