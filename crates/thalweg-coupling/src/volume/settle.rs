//! What an exchange of sediment does to the rock, and to the water beside it.

use super::wear::{Across, Due};
use super::{Crumbs, VolumeGround, crumbs, ramp, wear};
use std::collections::BTreeSet;
use thalweg_field::band;
use thalweg_field::range::{FINITE, NATURAL, all_within};
use thalweg_sph::{BOUNDARY, Fluid, Particles};

/// Rock that a block loses or gains before its ramp is made even again [voxels]: an eighth of a voxel all over a level surface.
const BLURRED: f64 = 32.0;
/// Exchanges between two looks for rock that nothing holds.
const CRUMBS_EVERY: u64 = 64;
/// Particles that are worked on together.
const PART: usize = 1024;

/// What has happened to the rock.
#[derive(Clone, Debug)]
pub(super) struct Worn {
    /// What places of the surface gained or lost since the rock last followed [m³ of grains].
    pub due: Vec<Due>,
    /// What the rock had no room for [voxels].
    pub owed: f64,
    /// Exchanges so far.
    exchanges: u64,
    /// What has fallen.
    pub crumbs: Crumbs,
    /// What each block lost and gained together since its ramp was even [voxels], and whether it lost something since it was last looked over for
    /// crumbs.
    moved: Vec<f64>,
    loose: Vec<bool>,
    across: Across,
}

/// Numbers beside those of the blocks.
const NUMBERS: usize = 4;

impl Worn {
    pub(super) fn new(blocks: usize) -> Self {
        Self {
            due: Vec::new(),
            owed: 0.0,
            exchanges: 0,
            crumbs: Crumbs::default(),
            moved: vec![0.0; blocks],
            loose: vec![false; blocks],
            across: Across::default(),
        }
    }

    /// How many numbers it is saved as.
    pub(super) fn numbers(blocks: usize) -> usize {
        NUMBERS + 2 * blocks
    }

    pub(super) fn save(&self) -> Vec<f64> {
        let own = [self.owed, self.exchanges as f64, self.crumbs.count as f64, self.crumbs.rock];
        let loose = self.loose.iter().map(|&loose| f64::from(u8::from(loose)));
        own.into_iter().chain(self.moved.iter().copied()).chain(loose).collect()
    }

    pub(super) fn restored(saved: &[f64]) -> Result<Self, String> {
        let (&[owed, exchanges, count, rock], blocks) =
            saved.split_first_chunk::<NUMBERS>().ok_or("its rock is not whole")?;
        all_within("what its rock owes,", &[owed], &FINITE)?;
        all_within("its count of exchanges and crumbs,", &[exchanges, count, rock], &NATURAL)?;
        all_within("what a block of its rock moved,", blocks, &NATURAL)?;
        let (moved, loose) = blocks.split_at(blocks.len() / 2);
        Ok(Self {
            due: Vec::new(),
            owed,
            exchanges: exchanges as u64,
            crumbs: Crumbs { count: count as u64, rock },
            moved: moved.to_vec(),
            loose: loose.iter().map(|&loose| loose != 0.0).collect(),
            across: Across::default(),
        })
    }
}

impl VolumeGround {
    /// Lets the rock follow what is due, of which a share is grains and the rest pores; makes blurred ramps even, drops crumbs, and lifts the water
    /// that rock has grown over.
    pub(super) fn settle(&mut self, fluid: &mut Fluid, packing: f64) {
        let per = 1.0 / (packing * self.rock.voxel().powi(3));
        self.worn.due.iter_mut().for_each(|due| due.rock *= per);
        self.follow();
        self.even_ramps();
        self.worn.exchanges += 1;
        if self.worn.exchanges.is_multiple_of(CRUMBS_EVERY) {
            self.drop_crumbs();
        }
        self.lift_water(fluid);
    }

    fn follow(&mut self) {
        let Self { rock, worn, .. } = self;
        let blocks = rock.layout();
        let Worn { due, owed, moved, loose, across, .. } = worn;
        wear::gather(due);
        *owed = wear::follow(rock, across, due, *owed, |voxel, by| {
            let block = blocks.block_of(voxel);
            moved[block] += by.abs();
            loose[block] |= by < 0.0;
        });
        due.clear();
    }

    /// Makes the ramps of blocks even that have moved far enough.
    fn even_ramps(&mut self) {
        for block in 0..self.worn.moved.len() {
            if self.worn.moved[block] > BLURRED {
                self.worn.moved[block] = 0.0;
                self.worn.owed += ramp::even_out(&mut self.rock, block);
                self.look_at(block);
            }
        }
    }

    /// Looks where rock is now around a block.
    fn look_at(&mut self, block: usize) {
        let first = self.rock.first_of(block);
        self.bricks.find(&self.rock, first, first.map(|n| n + super::rock::SIDE));
    }

    /// Notes that the block of a voxel has to be looked over for crumbs.
    pub(super) fn loosen(&mut self, voxel: [usize; 3]) {
        let block = self.rock.layout().block_of(voxel);
        self.worn.loose[block] = true;
    }

    fn drop_crumbs(&mut self) {
        let (per, blocks) = (self.rock.voxel().powi(3), self.rock.layout());
        let mut touched = BTreeSet::new();
        for block in 0..self.worn.loose.len() {
            if std::mem::take(&mut self.worn.loose[block]) {
                let moved = &mut self.worn.moved;
                let dropped = crumbs::drop_crumbs(&mut self.rock, block, |voxel, by| {
                    let block = blocks.block_of(voxel);
                    moved[block] += by.abs();
                    touched.insert(block);
                });
                self.worn.crumbs.count += dropped.count;
                self.worn.crumbs.rock += dropped.rock * per;
                self.worn.owed += dropped.left;
            }
        }
        touched.into_iter().for_each(|block| self.look_at(block));
    }

    /// Puts water that is in the rock back out of it.
    pub(crate) fn lift_water(&self, fluid: &mut Fluid) {
        let count = fluid.particles().len();
        let Particles { tag, position: [x, y, z], .. } = fluid.particles_mut();
        let places = [x, y, z].map(|column| &mut column[..count]);
        band::for_each_part(0..count, PART, places, &|range, [x, y, z]: [&mut [f32]; 3]| {
            for (k, _) in range.enumerate().filter(|(_, i)| tag[*i] & BOUNDARY == 0) {
                let mut at = [x[k], y[k], z[k]];
                let voxels = self.rock.in_voxels(at.map(f64::from));
                if !self.bricks.are_clear(voxels, voxels) && self.rock.is_rock(at) {
                    self.rock.lift(&mut at);
                    [x[k], y[k], z[k]] = at;
                }
            }
        });
    }
}
