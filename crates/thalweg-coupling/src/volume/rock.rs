//! Rock as water meets it: how much there is at a place, which way is out, and where it changes.

use thalweg_field::range::FINITE;
use thalweg_terrain::marching_cubes::Cell;
use thalweg_terrain::volume::{SOFT, SURFACE, Volume};

/// A place or a way in voxels, from the middle of the first voxel.
pub(super) type Vector = [f64; 3];
/// Voxels along each side of a block whose shares are kept to all digits.
pub(super) const SIDE: usize = thalweg_terrain::volume::SIDE;
/// Voxels in a block.
pub(super) const BLOCK: usize = SIDE * SIDE * SIDE;
/// Where the slope is gentler than this share of that of a surface, nobody knows which way is out `[-]`.
const FLAT: f32 = 1.0e-3;

/// Shares of a block that has changed.
#[derive(Clone, Debug)]
struct Changed {
    /// Now, to all digits.
    now: Box<[f64]>,
    /// At the beginning.
    start: Box<[f32]>,
    /// What of the change since then is rock, and no grains: put there by hand, or fallen. Missing: nothing.
    placed: Option<Box<[f64]>>,
}

/// A volume that changes.
#[derive(Clone, Debug)]
pub(super) struct Rock {
    volume: Volume,
    /// The blocks that have changed.
    changed: Vec<Option<Changed>>,
    /// Rock of the whole at the beginning `[m³]`.
    rock_start: f64,
}

impl Rock {
    pub(super) fn new(volume: &Volume) -> Self {
        let blocks = volume.size().map(|voxels| voxels.div_ceil(SIDE)).iter().product();
        Self { volume: volume.clone(), changed: vec![None; blocks], rock_start: volume.rock() }
    }

    pub(super) fn volume(&self) -> &Volume {
        &self.volume
    }

    /// Voxels to the east, to the north and up.
    pub(super) fn size(&self) -> [usize; 3] {
        self.volume.size()
    }

    /// Side of a voxel `[m]`.
    pub(super) fn voxel(&self) -> f64 {
        self.volume.voxel()
    }

    /// A place in voxels.
    #[inline(always)]
    pub(super) fn in_voxels(&self, at: [f64; 3]) -> Vector {
        let per = 1.0 / self.volume.voxel();
        [at[0] * per - 0.5, at[1] * per - 0.5, (at[2] - self.volume.bottom()) * per - 0.5]
    }

    /// A place in metres.
    #[inline(always)]
    pub(super) fn in_metres(&self, at: Vector) -> [f64; 3] {
        let side = self.volume.voxel();
        [(at[0] + 0.5) * side, (at[1] + 0.5) * side, (at[2] + 0.5) * side + self.volume.bottom()]
    }

    /// The cell around a place, and where in it the place is.
    #[inline(always)]
    pub(super) fn cell_at(&self, at: Vector) -> (Cell, [f32; 3]) {
        let first = at.map(f64::floor);
        let within = std::array::from_fn(|axis| (at[axis] - first[axis]) as f32);
        (self.volume.cell(first.map(|n| n as isize)), within)
    }

    /// Share of rock at a place `[-]`.
    #[inline(always)]
    pub(super) fn share_at(&self, at: Vector) -> f32 {
        let (cell, within) = self.cell_at(at);
        share(&cell, within)
    }

    /// How far outside the rock a place is, negative in it `[m]`, and the way out. No more than that it is far, where it is; the way out
    /// is up then.
    #[inline(always)]
    pub(super) fn distance(&self, at: [f32; 3]) -> (f32, [f32; 3]) {
        let (cell, within) = self.cell_at(self.in_voxels(at.map(f64::from)));
        let steep = slope(&cell, within).iter().map(|s| s * s).sum::<f32>().sqrt();
        // Across a surface the share changes by one over so many voxels; more steeply where it was eroded.
        let along = steep.max(1.0 / SOFT);
        let distance = (SURFACE - share(&cell, within)) / along * self.volume.voxel() as f32;
        (distance, way_out(&cell, within).unwrap_or([0.0, 0.0, 1.0]))
    }

    /// The block of a voxel, and where in it.
    fn block_of(&self, at: [usize; 3]) -> (usize, usize) {
        let [x, y, z] = at.map(|n| n % SIDE);
        (self.layout().block_of(at), x + SIDE * (y + SIDE * z))
    }

    /// How voxels lie in blocks.
    pub(super) fn layout(&self) -> Layout {
        let [across, along, _] = self.size().map(|voxels| voxels.div_ceil(SIDE));
        Layout { across, along }
    }

    /// How many blocks there are.
    pub(super) fn blocks(&self) -> usize {
        self.changed.len()
    }

    /// The first voxel of a block.
    pub(super) fn first_of(&self, block: usize) -> [usize; 3] {
        self.layout().first_of(block)
    }

    /// A block and those around it, as many of them as have changed.
    pub(super) fn changed_around(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        let along = self.size().map(|voxels| voxels.div_ceil(SIDE));
        let at = [block % along[0], block / along[0] % along[1], block / along[0] / along[1]];
        let blocks = (0..27).filter_map(move |n: usize| {
            let by = [n % 3, n / 3 % 3, n / 9];
            let near: [usize; 3] = std::array::from_fn(|axis| (at[axis] + by[axis]).wrapping_sub(1));
            let inside = (0..3).all(|axis| near[axis] < along[axis]);
            inside.then(|| near[0] + along[0] * (near[1] + along[1] * near[2]))
        });
        blocks.filter(|&near| self.changed[near].is_some())
    }

    /// Share of a voxel to all digits `[-]`; air outside.
    pub(super) fn exact(&self, at: [isize; 3]) -> f64 {
        let inside = (0..3).all(|axis| (0..self.size()[axis] as isize).contains(&at[axis]));
        if !inside {
            return 0.0;
        }
        let (block, within) = self.block_of(at.map(|n| n as usize));
        self.changed[block].as_ref().map_or_else(|| self.volume.share(at).into(), |block| block.now[within])
    }

    /// Sets the share of a voxel.
    pub(super) fn set(&mut self, at: [usize; 3], share: f64) {
        let (block, within) = self.block_of(at);
        if self.changed[block].is_none() {
            self.open(block);
        }
        if let Some(block) = &mut self.changed[block] {
            block.now[within] = share;
        }
        self.volume.set_share(at, share as f32);
    }

    /// Notes that so much of what came to a voxel, or went, is rock.
    pub(super) fn note_placed(&mut self, at: [usize; 3], by: f64) {
        let (block, within) = self.block_of(at);
        if self.changed[block].is_none() {
            self.open(block);
        }
        if let Some(block) = &mut self.changed[block] {
            block.placed.get_or_insert_with(|| vec![0.0; BLOCK].into())[within] += by;
        }
    }

    /// What grains have come to a voxel since the beginning, or went [voxels].
    pub(super) fn gain(&self, at: [isize; 3]) -> f64 {
        let inside = (0..3).all(|axis| (0..self.size()[axis] as isize).contains(&at[axis]));
        if !inside {
            return 0.0;
        }
        let (block, within) = self.block_of(at.map(|n| n as usize));
        self.changed[block].as_ref().map_or(0.0, |block| {
            let placed = block.placed.as_ref().map_or(0.0, |placed| placed[within]);
            block.now[within] - f64::from(block.start[within]) - placed
        })
    }

    /// Spells the shares of a block out.
    fn open(&mut self, block: usize) {
        let first = self.first_of(block).map(|n| n as isize);
        let mut shares = vec![0.0f32; BLOCK];
        self.volume.copy_shares(first, [SIDE; 3], &mut shares);
        let now = shares.iter().map(|&share| share.into()).collect();
        self.changed[block] = Some(Changed { now, start: shares.into(), placed: None });
    }

    /// Rock at the beginning, and what has come since `[m³]`.
    pub(super) fn books(&self) -> [f64; 2] {
        let gained = |block: &Changed| -> f64 {
            block.now.iter().zip(&block.start).map(|(now, &start)| now - f64::from(start)).sum()
        };
        let gained: f64 = self.changed.iter().flatten().map(gained).sum();
        [self.rock_start, gained * self.volume.voxel().powi(3)]
    }

    /// The blocks that have changed, each after its number, and what was placed there after its number and that of all blocks.
    pub(super) fn save(&self) -> Vec<f64> {
        let (mut saved, all) = (Vec::new(), self.changed.len());
        for (n, block) in self.changed.iter().enumerate().filter_map(|(n, block)| Some((n, block.as_ref()?)))
        {
            saved.push(n as f64);
            saved.extend(&block.now);
            if let Some(placed) = &block.placed {
                saved.push((all + n) as f64);
                saved.extend(placed);
            }
        }
        saved
    }

    /// Makes all blocks what they were at the beginning.
    fn reset(&mut self) {
        for number in 0..self.changed.len() {
            if let Some(block) = self.changed[number].take() {
                for (at, &share) in self.voxels_of(number).zip(&block.start) {
                    if (0..3).all(|axis| at[axis] < self.size()[axis]) {
                        self.volume.set_share(at, share);
                    }
                }
            }
        }
    }

    /// The voxels of a block, those beyond the box too.
    fn voxels_of(&self, block: usize) -> impl Iterator<Item = [usize; 3]> + use<> {
        let first = self.first_of(block);
        (0..BLOCK).map(move |n| [first[0] + n % SIDE, first[1] + n / SIDE % SIDE, first[2] + n / SIDE / SIDE])
    }

    /// Takes them up again.
    pub(super) fn restore(&mut self, saved: &[f64]) -> Result<(), String> {
        self.reset();
        let (blocks, _) = saved.as_chunks::<{ BLOCK + 1 }>();
        for [number, shares @ ..] in blocks {
            let all = self.changed.len();
            let last = (2 * all).saturating_sub(1) as u64;
            let block = thalweg_field::range::whole("the number of a block of rock", *number, last)? as usize;
            if block >= all {
                thalweg_field::range::all_within("placed rock", shares, &FINITE)?;
                let changed =
                    self.changed[block - all].as_mut().ok_or("rock was placed where none has changed")?;
                changed.placed = Some(shares.as_slice().into());
                continue;
            }
            thalweg_field::range::all_within("share of rock", shares, &(0.0..=1.0))?;
            for (at, &share) in self.voxels_of(block).zip(shares) {
                if (0..3).all(|axis| at[axis] < self.size()[axis]) {
                    self.set(at, share);
                }
            }
        }
        Ok(())
    }
}

/// How voxels lie in blocks: so many to the east and to the north.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    across: usize,
    along: usize,
}

impl Layout {
    /// The block of a voxel.
    pub(super) fn block_of(self, at: [usize; 3]) -> usize {
        at[0] / SIDE + self.across * (at[1] / SIDE + self.along * (at[2] / SIDE))
    }

    /// The first voxel of a block.
    pub(super) fn first_of(self, block: usize) -> [usize; 3] {
        let Self { across, along } = self;
        [block % across, block / across % along, block / across / along].map(|n| n * SIDE)
    }
}

/// Share in a cell, linear between its corners `[-]`.
#[inline(always)]
fn share(Cell(c): &Cell, [x, y, z]: [f32; 3]) -> f32 {
    let mix = |a: f32, b: f32, t: f32| a + t * (b - a);
    let row = |n: usize| mix(c[n], c[n + 1], x);
    mix(mix(row(0), row(2), y), mix(row(4), row(6), y), z)
}

/// Unit way out of the rock in a cell; none where nobody knows.
#[inline(always)]
pub(super) fn way_out(cell: &Cell, within: [f32; 3]) -> Option<[f32; 3]> {
    let slope = slope(cell, within);
    let steep = slope.iter().map(|s| s * s).sum::<f32>().sqrt();
    (steep > FLAT / SOFT).then(|| slope.map(|s| -s / steep))
}

/// Slope of the share in a cell [1/voxel].
#[inline(always)]
fn slope(Cell(c): &Cell, [x, y, z]: [f32; 3]) -> [f32; 3] {
    let mix = |a: f32, b: f32, t: f32| a + t * (b - a);
    let east = |n: usize| c[n + 1] - c[n];
    let row = |n: usize| mix(c[n], c[n + 1], x);
    [
        mix(mix(east(0), east(2), y), mix(east(4), east(6), y), z),
        mix(row(2) - row(0), row(6) - row(4), z),
        mix(row(4) - row(0), row(6) - row(2), y),
    ]
}
