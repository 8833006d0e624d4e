//! What an edit changed, so that it can be taken back.

use super::stroke::Layer;
use thalweg_coupling::{Exchanged, RockLayer, RockPatch};
use thalweg_field::Region;
use thalweg_field::range::whole;
use thalweg_sph::Particle;

/// What a stroke changed, as the solver that it was painted on counts it. Turned round it takes the stroke back.
#[derive(Clone, Debug, PartialEq)]
pub enum Patch {
    /// Values of cells.
    Cells(CellPatch),
    /// Particles that came and went.
    Particles(Exchanged),
    /// Rock of a volume.
    Rock(RockPatch),
}

/// Values of some cells before and after, heights in metres above any datum `[m]`: a later method may have another.
#[derive(Clone, Debug, PartialEq)]
pub struct CellPatch {
    /// Which values.
    pub layer: Layer,
    /// Columns and rows of the grid.
    pub grid: [usize; 2],
    /// Which cells.
    pub region: Region,
    /// Before, row by row.
    pub before: Vec<f64>,
    /// After.
    pub after: Vec<f64>,
}

impl CellPatch {
    /// What cells become that are `now`: just as they were after it where they are as they were before it, and by as much
    /// more or less where something has happened since.
    pub fn over(&self, now: &[f64]) -> Vec<f64> {
        let change = now.iter().zip(&self.before).zip(&self.after);
        change
            .map(
                |((now, before), after)| {
                    if now.to_bits() == before.to_bits() { *after } else { now + (after - before) }
                },
            )
            .collect()
    }

    /// The same change on a grid of another size over the same ground.
    #[must_use]
    pub fn on_grid(&self, grid: [usize; 2]) -> Self {
        if self.grid == grid {
            return self.clone();
        }
        let wide = self.region.cols.len();
        // First cell of this grid that lies at or behind one of the other.
        let scaled = |at: usize, axis: usize| (at * grid[axis]).div_ceil(self.grid[axis]);
        let cols = scaled(self.region.cols.start, 0)..scaled(self.region.cols.end, 0);
        let rows = scaled(self.region.rows.start, 1)..scaled(self.region.rows.end, 1);
        let region = if self.region.is_empty() { Region::default() } else { Region { cols, rows } };
        let own = |at: usize, axis: usize, range: &std::ops::Range<usize>| {
            (at * self.grid[axis] / grid[axis]).clamp(range.start, range.end - 1) - range.start
        };
        let change = |(col, row): (usize, usize)| {
            let i = own(row, 1, &self.region.rows) * wide + own(col, 0, &self.region.cols);
            self.after[i] - self.before[i]
        };
        let after: Vec<_> =
            if self.region.is_empty() { Vec::new() } else { region.cells().map(change).collect() };
        Self { layer: self.layer, grid, before: vec![0.0; after.len()], after, region }
    }
}

impl Patch {
    /// The way back.
    #[must_use]
    pub fn turned(self) -> Self {
        match self {
            Self::Cells(CellPatch { layer, grid, region, before, after }) => {
                Self::Cells(CellPatch { layer, grid, region, before: after, after: before })
            }
            Self::Particles(Exchanged { came, went }) => {
                Self::Particles(Exchanged { came: went, went: came })
            }
            Self::Rock(patch) => Self::Rock(patch.inverse()),
        }
    }

    /// All of it as plain numbers, for a file.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        match self {
            Self::Cells(CellPatch { layer, grid, region, before, after }) => {
                let kind = match layer {
                    Layer::Ground => 0.0,
                    Layer::Water => 1.0,
                    Layer::Softness => 2.0,
                };
                let Region { cols, rows } = region;
                let counts = [grid[0], grid[1], cols.start, cols.end, rows.start, rows.end].map(|n| n as f64);
                [kind].into_iter().chain(counts).chain(before.iter().chain(after).copied()).collect()
            }
            Self::Particles(Exchanged { came, went }) => {
                let counts = [PARTICLES, came.len() as f64, went.len() as f64];
                counts.into_iter().chain(came.iter().chain(went).flat_map(particle_numbers)).collect()
            }
            Self::Rock(RockPatch { layer, first, size, before, after }) => {
                let kind = if *layer == RockLayer::Share { ROCK } else { HARDNESS };
                let counts = first.iter().chain(size).map(|&n| n as f64);
                [kind].into_iter().chain(counts).chain(before.iter().chain(after).copied()).collect()
            }
        }
    }

    /// Reads such numbers; the text says what is wrong with them.
    pub(crate) fn from_numbers(numbers: &[f64]) -> Result<Self, String> {
        let misfit = || "an edit that can be undone is not whole".to_owned();
        let (&kind, rest) = numbers.split_first().ok_or_else(misfit)?;
        if kind == PARTICLES {
            let (counts, rest) = rest.split_first_chunk::<2>().ok_or_else(misfit)?;
            let (each, left) = rest.as_chunks::<PARTICLE_NUMBERS>();
            let most = each.len() as u64;
            let came = whole("particles that an edit brought", counts[0], most)?;
            let went = whole("particles that an edit took", counts[1], most)?;
            if came + went != most {
                return Err(misfit());
            }
            let all: Result<Vec<_>, _> = each.iter().map(particle).collect();
            let mut all = all?;
            let went = all.split_off(came as usize);
            return if left.is_empty() {
                Ok(Self::Particles(Exchanged { came: all, went }))
            } else {
                Err(misfit())
            };
        }
        if let Some((_, layer)) = [(ROCK, RockLayer::Share), (HARDNESS, RockLayer::Hardness)]
            .into_iter()
            .find(|(own, _)| *own == kind)
        {
            return rock(layer, rest).ok_or_else(misfit);
        }
        let layer = match whole("the kind of an edit", kind, 2)? {
            0 => Layer::Ground,
            1 => Layer::Water,
            _ => Layer::Softness,
        };
        let (counts, values) = rest.split_first_chunk::<6>().ok_or_else(misfit)?;
        let mut sizes = [0; 6];
        for (size, count) in sizes.iter_mut().zip(counts) {
            *size = whole("the cells of an edit", *count, u32::MAX.into())? as usize;
        }
        let [wide, high, west, east, north, south] = sizes;
        let region = Region { cols: west..east, rows: north..south };
        let fits = wide > 0 && high > 0 && west <= east && east <= wide && north <= south && south <= high;
        if !fits || values.len() != 2 * region.len() || !values.iter().all(|value| value.is_finite()) {
            return Err(misfit());
        }
        let (before, after) = values.split_at(region.len());
        let (before, after) = (before.to_vec(), after.to_vec());
        Ok(Self::Cells(CellPatch { layer, grid: [wide, high], region, before, after }))
    }
}

/// The kinds of a patch of particles, of one of rock and of one of its hardness in a file.
const PARTICLES: f64 = 4.0;
const ROCK: f64 = 5.0;
const HARDNESS: f64 = 6.0;
/// Numbers that one has there.
const PARTICLE_NUMBERS: usize = 11;

/// A patch of rock from its numbers; none if they are not whole.
fn rock(layer: RockLayer, numbers: &[f64]) -> Option<Patch> {
    let (counts, shares) = numbers.split_first_chunk::<6>()?;
    let mut sizes = [0; 6];
    for (size, count) in sizes.iter_mut().zip(counts) {
        *size = whole("the voxels of an edit", *count, 1 << 16).ok()? as usize;
    }
    let [a, b, c, x, y, z] = sizes;
    let fits = shares.len() == 2 * x * y * z && shares.iter().all(|share| (0.0..=1.0).contains(share));
    let (before, after) = shares.split_at(shares.len() / 2);
    fits.then(|| {
        let (before, after) = (before.to_vec(), after.to_vec());
        Patch::Rock(RockPatch { layer, first: [a, b, c], size: [x, y, z], before, after })
    })
}

fn particle_numbers(particle: &Particle) -> [f64; PARTICLE_NUMBERS] {
    let Particle { position: [x, y, z], velocity: [u, v, w], mass, expires, compression, tag, cargo } =
        *particle;
    let [x, y, z, u, v, w, mass, expires] = [x, y, z, u, v, w, mass, expires].map(f64::from);
    [x, y, z, u, v, w, mass, expires, f64::from(tag), cargo, compression.into()]
}

fn particle(numbers: &[f64; PARTICLE_NUMBERS]) -> Result<Particle, String> {
    let [x, y, z, u, v, w, mass, expires, tag, cargo, compression] = *numbers;
    let [x, y, z, u, v, w, mass, expires, compression] =
        [x, y, z, u, v, w, mass, expires, compression].map(|number| number as f32);
    if ![x, y, z, u, v, w, mass, compression].iter().all(|number| number.is_finite())
        || expires.is_nan()
        || !cargo.is_finite()
    {
        return Err("a particle of an edit that can be undone is no particle".into());
    }
    let tag = whole("the tag of a particle", tag, u32::MAX.into())? as u32;
    Ok(Particle { position: [x, y, z], velocity: [u, v, w], mass, expires, compression, tag, cargo })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch() -> CellPatch {
        CellPatch {
            layer: Layer::Ground,
            grid: [4, 4],
            region: Region { cols: 1..3, rows: 2..3 },
            before: vec![0.1, 0.2],
            after: vec![0.3, 7.0],
        }
    }

    #[test]
    fn a_patch_and_its_turn_leave_the_same_bits_and_keep_what_happened_in_between() {
        let Patch::Cells(back) = Patch::Cells(patch()).turned() else { panic!() };
        assert_eq!(patch().over(&[0.1, 0.2]), [0.3, 7.0]);
        assert_eq!(back.over(&[0.3, 7.0]), [0.1, 0.2]);
        assert!((back.over(&[0.3, 6.0])[1] - -0.8).abs() < 1.0e-12, "a metre was eroded meanwhile");
    }

    #[test]
    fn on_a_finer_grid_it_covers_the_same_ground() {
        let fine = patch().on_grid([8, 8]);
        assert_eq!(fine.region, Region { cols: 2..6, rows: 4..6 });
        let [left, right] = [0.3 - 0.1, 7.0 - 0.2];
        assert_eq!(fine.after, [left, left, right, right, left, left, right, right]);
        let coarse = patch().on_grid([2, 2]);
        assert_eq!(coarse.region.len(), coarse.after.len());
    }

    #[test]
    fn patches_are_written_and_read_whole_and_broken_ones_refused() {
        let particle = Particle {
            position: [1.0, 2.0, 3.0],
            velocity: [0.5, 0.25, -1.0],
            mass: 0.125,
            expires: f32::INFINITY,
            compression: 0.004,
            tag: 77,
            cargo: 0.01,
        };
        let particles = Patch::Particles(Exchanged { came: vec![particle], went: vec![particle; 2] });
        let rock = |layer| {
            let (before, after) = (vec![0.0, 0.5], vec![1.0, 0.25]);
            Patch::Rock(RockPatch { layer, first: [1, 2, 3], size: [2, 1, 1], before, after })
        };
        let (rock, hardness) = (rock(RockLayer::Share), rock(RockLayer::Hardness));
        for patch in [Patch::Cells(patch()), particles, rock, hardness] {
            let numbers = patch.numbers();
            assert_eq!(Patch::from_numbers(&numbers).unwrap(), patch);
            for end in 0..numbers.len() {
                assert!(Patch::from_numbers(&numbers[..end]).is_err(), "{end} numbers are a patch");
            }
            for at in 0..numbers.len() {
                let mut wild = numbers.clone();
                wild[at] = f64::NAN;
                assert!(Patch::from_numbers(&wild).is_err(), "number {at} is none");
            }
        }
    }
}
