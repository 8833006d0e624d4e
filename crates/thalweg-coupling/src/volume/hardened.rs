//! Rock that somebody made harder, place by place.

use super::rock::{BLOCK, Layout, SIDE, Vector};
use thalweg_field::Invalid;
use thalweg_terrain::volume::Volume;

/// How hard voxels were made, from 0 (as their bed is) to 1 (never erodes) `[-]`; nothing as long as nobody did.
#[derive(Clone, Debug, Default)]
pub(super) struct Hardened(Option<Volume>);

impl Hardened {
    /// That of a voxel `[-]`.
    pub(super) fn of(&self, voxel: [isize; 3]) -> f32 {
        self.0.as_ref().map_or(0.0, |hard| hard.share(voxel))
    }

    /// That of the voxel that a place is in `[-]`.
    #[inline(always)]
    pub(super) fn at(&self, place: Vector) -> f32 {
        self.0.as_ref().map_or(0.0, |hard| hard.share(place.map(|v| v.round() as isize)))
    }

    /// Sets it in a box of voxels like that of `rock`.
    pub(super) fn set(&mut self, rock: &Volume, voxel: [usize; 3], hard: f32) -> Result<(), Invalid> {
        if self.0.is_none() {
            self.0 = Some(Volume::empty(rock.size(), rock.voxel(), rock.bottom())?);
        }
        if let Some(all) = &mut self.0 {
            all.set_share(voxel, hard);
        }
        Ok(())
    }

    /// The blocks with some that is hard, out of so many, each after its number: those of rock, and of what was placed there, come before.
    pub(super) fn save(&self, blocks: usize, layout: Layout) -> Vec<f64> {
        let mut saved = Vec::new();
        let Some(hard) = &self.0 else { return saved };
        let mut shares = vec![0.0; BLOCK];
        for block in 0..blocks {
            hard.copy_shares(layout.first_of(block).map(|n| n as isize), [SIDE; 3], &mut shares);
            if shares.iter().any(|&share| share > 0.0) {
                saved.push((2 * blocks + block) as f64);
                saved.extend(shares.iter().map(|&share| f64::from(share)));
            }
        }
        saved
    }

    /// Takes them up again.
    pub(super) fn restored(saved: &[f64], rock: &Volume, layout: Layout) -> Result<Self, String> {
        let mut hardened = Self::default();
        let blocks: usize = rock.size().map(|voxels| voxels.div_ceil(SIDE)).iter().product();
        let (saved, _) = saved.as_chunks::<{ BLOCK + 1 }>();
        for [number, shares @ ..] in saved {
            let number =
                thalweg_field::range::whole("the number of a block of hard rock", *number, u64::MAX >> 12)?;
            let block = (number as usize).checked_sub(2 * blocks).filter(|&block| block < blocks);
            let first = layout.first_of(block.ok_or("rock was hardened where there is none")?);
            thalweg_field::range::all_within("how hard rock was made,", shares, &(0.0..=1.0))?;
            for (n, &share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
                let within = [n % SIDE, n / SIDE % SIDE, n / SIDE / SIDE];
                let voxel: [usize; 3] = std::array::from_fn(|axis| first[axis] + within[axis]);
                if (0..3).all(|axis| voxel[axis] < rock.size()[axis]) {
                    hardened.set(rock, voxel, share as f32).map_err(|invalid| invalid.to_string())?;
                }
            }
        }
        Ok(hardened)
    }
}
