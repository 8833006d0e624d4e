//! What an exchange of sediment does to the rock, and to the water beside it.

use super::crumbs::Search;
use super::ramp::Ramp;
use super::slip::{Slope, slip};
use super::wear::{Across, Due};
use super::{Crumbs, VolumeGround, crumbs, wear};
use crate::params::ErosionParams;
use thalweg_field::band;
use thalweg_field::range::{FINITE, NATURAL, all_within};
use thalweg_sph::{BOUNDARY, Fluid, Particles};

/// Rock that a block loses or gains before its ramp is made even again [voxels]: an eighth of a voxel all over a level surface.
const BLURRED: f64 = 32.0;
/// Exchanges between two looks for rock that nothing holds.
const CRUMBS_EVERY: u64 = 64;
/// Exchanges between two looks at slopes.
const SLIP_EVERY: u64 = 4;
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
    /// Whether something came to a block since its slopes held, and how long none has slipped `[s]`.
    heaped: Vec<bool>,
    waited: f64,
    across: Across,
    search: Search,
    ramp: Ramp,
    /// Blocks that a look for crumbs or at slopes has changed.
    touched: Vec<usize>,
}

/// Numbers beside those of the blocks, and for each of them.
const NUMBERS: usize = 5;
const NUMBERS_OF_BLOCK: usize = 3;

impl Worn {
    pub(super) fn new(blocks: usize) -> Self {
        Self {
            due: Vec::new(),
            owed: 0.0,
            exchanges: 0,
            crumbs: Crumbs::default(),
            moved: vec![0.0; blocks],
            loose: vec![false; blocks],
            heaped: vec![false; blocks],
            waited: 0.0,
            across: Across::default(),
            search: Search::default(),
            ramp: Ramp::default(),
            touched: Vec::new(),
        }
    }

    /// How many numbers it is saved as.
    pub(super) fn numbers(blocks: usize) -> usize {
        NUMBERS + NUMBERS_OF_BLOCK * blocks
    }

    pub(super) fn save(&self) -> Vec<f64> {
        let own = [self.owed, self.waited, self.exchanges as f64, self.crumbs.count as f64, self.crumbs.rock];
        let flags = self.loose.iter().chain(&self.heaped).map(|&flag| f64::from(u8::from(flag)));
        own.into_iter().chain(self.moved.iter().copied()).chain(flags).collect()
    }

    pub(super) fn restored(saved: &[f64]) -> Result<Self, String> {
        let (&[owed, waited, exchanges, count, rock], blocks) =
            saved.split_first_chunk::<NUMBERS>().ok_or("its rock is not whole")?;
        all_within("what its rock owes,", &[owed], &FINITE)?;
        all_within("its count of exchanges and crumbs,", &[waited, exchanges, count, rock], &NATURAL)?;
        all_within("what a block of its rock moved,", blocks, &NATURAL)?;
        let (moved, flags) = blocks.split_at(blocks.len() / NUMBERS_OF_BLOCK);
        let flags: Vec<bool> = flags.iter().map(|&flag| flag != 0.0).collect();
        let (loose, heaped) = flags.split_at(moved.len());
        Ok(Self {
            owed,
            exchanges: exchanges as u64,
            crumbs: Crumbs { count: count as u64, rock },
            moved: moved.to_vec(),
            loose: loose.to_vec(),
            heaped: heaped.to_vec(),
            waited,
            ..Self::new(0)
        })
    }
}

/// Notes a block; most voxels that change one after the other are of the same.
fn note(touched: &mut Vec<usize>, block: usize) {
    if touched.last() != Some(&block) {
        touched.push(block);
    }
}

impl VolumeGround {
    /// Lets the rock follow what is due, of which a share is grains and the rest pores; makes blurred ramps even, drops crumbs, lets what lies too
    /// steeply slip for the time `dt` `[s]`, and lifts the water that rock has grown over.
    pub(super) fn settle(&mut self, fluid: &mut Fluid, erosion: &ErosionParams, dt: f64) {
        let soil = erosion.soil();
        let per = 1.0 / (soil.packing * self.rock.voxel().powi(3));
        self.worn.due.iter_mut().for_each(|due| due.rock *= per);
        self.follow();
        self.even_ramps();
        self.worn.exchanges += 1;
        if self.worn.exchanges.is_multiple_of(CRUMBS_EVERY) {
            self.drop_crumbs();
        }
        self.worn.waited += dt;
        if self.worn.exchanges.is_multiple_of(SLIP_EVERY) {
            let waited = std::mem::take(&mut self.worn.waited);
            if erosion.talus {
                self.slip(
                    Slope { hold: soil.repose.tan(), speed: erosion.slip_speed / self.rock.voxel() },
                    waited,
                );
            }
        }
        self.lift_water(fluid);
    }

    fn follow(&mut self) {
        let Self { rock, worn, .. } = self;
        let blocks = rock.layout();
        let Worn { due, owed, moved, loose, heaped, across, .. } = worn;
        wear::gather(due);
        *owed = wear::follow(rock, across, due, *owed, |voxel, by| {
            let block = blocks.block_of(voxel);
            moved[block] += by.abs();
            loose[block] |= by < 0.0;
            heaped[block] |= by > 0.0;
        });
        due.clear();
    }

    /// Lets grains slip in the blocks that some came to, until their slopes hold.
    fn slip(&mut self, slope: Slope, dt: f64) {
        let Self { rock, worn, .. } = self;
        let blocks = rock.layout();
        let Worn { owed, moved, loose, heaped, touched, .. } = worn;
        touched.clear();
        for (block, heaped) in heaped.iter_mut().enumerate() {
            if !std::mem::take(heaped) {
                continue;
            }
            *owed += slip(rock, block, (slope, dt), &mut |voxel, by| {
                let block = blocks.block_of(voxel);
                moved[block] += by.abs();
                loose[block] |= by < 0.0;
                note(touched, block);
            });
        }
        self.look_at_touched();
        // They go on slipping, and so may what lies beside them.
        for &block in &self.worn.touched {
            for near in self.rock.changed_around(block) {
                self.worn.heaped[near] = true;
            }
        }
    }

    /// Looks where rock is now in and around the blocks that were touched.
    fn look_at_touched(&mut self) {
        self.worn.touched.sort_unstable();
        self.worn.touched.dedup();
        for n in 0..self.worn.touched.len() {
            self.look_at(self.worn.touched[n]);
        }
    }

    /// Makes the ramps of blocks even that have moved far enough.
    fn even_ramps(&mut self) {
        for block in 0..self.worn.moved.len() {
            if self.worn.moved[block] > BLURRED {
                self.worn.moved[block] = 0.0;
                self.worn.owed += self.worn.ramp.even_out(&mut self.rock, block);
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
        let Self { rock, worn, .. } = self;
        let (per, blocks) = (rock.voxel().powi(3), rock.layout());
        let Worn { owed, crumbs, moved, loose, search, touched, .. } = worn;
        touched.clear();
        for (block, loose) in loose.iter_mut().enumerate() {
            if std::mem::take(loose) {
                let dropped = crumbs::drop_crumbs(rock, search, block, |voxel, by| {
                    let block = blocks.block_of(voxel);
                    moved[block] += by.abs();
                    note(touched, block);
                });
                crumbs.count += dropped.count;
                crumbs.rock += dropped.rock * per;
                *owed += dropped.left;
            }
        }
        self.look_at_touched();
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
