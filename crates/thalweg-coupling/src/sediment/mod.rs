//! Sediment on its way: settling and diffusion between particles, erosion and deposition between particles and bed.
//!
//! Each particle of the fluid carries a share C of its volume as grains. Per step, four walks (Krištof et al. 2009, 4.3;
//! Kataev 2022, 4.8.7–4.8.9):
//!
//! 1. every boundary particle sums up how much the water around it would loosen;
//! 2. every fluid particle sums up what it would give and get, and finds which share of that it can grant: nobody gives
//!    more than it has, nobody takes more than fits;
//! 3. every fluid particle exchanges with its neighbours, each transfer scaled by what both sides grant;
//! 4. every boundary particle does the same.
//!
//! A transfer is computed twice, once from each side, by the same operations in the same order, and so to the same bits;
//! sums are in f64. What one gives the other gets: nothing is lost, on any number of threads.

mod exchange;
mod loosen;
mod rates;

pub(crate) use rates::max_dt;

use crate::bed::Bed;
use crate::params::{Hindrance, Params};
use crate::patch::{Patch, Patches};
use exchange::{Columns, Exchange, Grant, Granted, Settle};
use loosen::Loosen;
use rates::{CarryingKernel, Rates};
use std::ops::Range;
use thalweg_erosion::law::settling::richardson_zaki;
use thalweg_field::band;
use thalweg_sph::{BOUNDARY, Fluid, Kernels, MuellerSet, SLIP, WendlandSet, make_room};

/// Values that are worked on together.
const PART: usize = 1024;

/// The bed as the sediment meets it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground<'a> {
    /// The bed.
    pub bed: &'a Bed,
    /// Hardness of each vertex, 0 to 1 `[-]`; missing: soft everywhere.
    pub hardness: Option<&'a [f32]>,
    /// The patches that boundary particles are on.
    pub patches: Patches,
}

/// Columns beside those of the fluid, for sorted particles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sediment {
    /// C, and the share of the settling speed that is left at that concentration; zero for the boundary `[-]`.
    fraction: Vec<f32>,
    hindrance: Vec<f32>,
    /// 1 for the fluid, 0 for the boundary.
    fluid: Vec<f32>,
    /// Volume of a boundary particle over that of a fluid particle; 0 for the fluid `[-]`.
    bed: Vec<f32>,
    /// What the water would loosen at a boundary particle, over the sum of kernels of that water; 0 for the fluid.
    want: Vec<f32>,
    /// Share of what a particle would give, and of what it would get, that it grants `[-]`.
    give: Vec<f32>,
    take: Vec<f32>,
    /// What a step brings to each particle; of a boundary particle, to the bed.
    gain: Vec<f64>,
}

impl Sediment {
    /// Bytes for each particle.
    pub(crate) const BYTES: u64 = 7 * 4 + 8;

    /// Exchanges sediment between the sorted particles of a fluid, and between them and the bed. `deposit` is called for
    /// every boundary particle that gained or lost something, with its patch of the bed and the gain [m³ of grains].
    pub(crate) fn exchange(
        &mut self,
        fluid: &mut Fluid,
        ground: Ground,
        params: &Params,
        dt: f64,
        mut deposit: impl FnMut(Patch, f64),
    ) {
        let rates = Rates::new(params, dt);
        let count = fluid.sorted().len();
        self.prepare(fluid, params, count);
        match params.fluid.kernels {
            Kernels::Wendland => self.walk(WendlandSet, fluid, ground, &rates),
            Kernels::Mueller => self.walk(MuellerSet, fluid, ground, &rates),
        }
        let (particles, gain) = (fluid.sorted(), &self.gain);
        let volume = params.fluid.particle_mass() / params.fluid.density;
        for (&tag, &gain) in particles.tag[..count].iter().zip(gain) {
            if tag & (BOUNDARY | SLIP) == BOUNDARY && gain != 0.0 {
                deposit(tag & !BOUNDARY, gain * volume);
            }
        }
        fluid.add_cargo(gain);
    }

    /// The four walks.
    fn walk(&mut self, kernels: impl CarryingKernel, fluid: &Fluid, ground: Ground, rates: &Rates) {
        let (particles, near, kept) = (fluid.sorted(), fluid.neighbours(), fluid.kept());
        let count = particles.len();
        let loosen = Loosen { particles, volumes: fluid.volumes(), ground, rates };
        near.walk(particles, &loosen, &mut self.want[..count]);
        let [x, y, z] = &particles.position;
        let columns = Columns {
            kernels,
            rates,
            place: [x, y, z],
            fraction: &self.fraction,
            hindrance: &self.hindrance,
            fluid: &self.fluid,
            bed: &self.bed,
            want: &self.want,
        };
        let shares = [&mut self.give[..count], &mut self.take[..count]];
        near.walk_kept(particles, kept, &Grant { columns }, shares);
        let granted = Granted { columns, give: &self.give, take: &self.take };
        near.walk_kept(particles, kept, &Exchange { granted }, &mut self.gain[..count]);
        near.walk(particles, &Settle { granted }, &mut self.gain[..count]);
    }

    fn prepare(&mut self, fluid: &Fluid, params: &Params, count: usize) {
        let length = count + thalweg_sph::PADDING;
        for column in self.columns() {
            make_room(column, length);
            column.resize(length, 0.0);
        }
        make_room(&mut self.gain, length);
        self.gain.resize(length, 0.0);
        let (particles, erosion) = (fluid.sorted(), &params.erosion);
        let mass = fluid.constants().mass;
        let hindrance = |c: f64| match erosion.hindrance {
            _ if c >= erosion.max_fraction => 0.0,
            Hindrance::RichardsonZaki => richardson_zaki(c, erosion.hindrance_exponent),
            Hindrance::Saturation => 1.0 - (c / erosion.max_fraction).powf(erosion.hindrance_exponent),
        };
        let work = |range: Range<usize>, columns: [&mut [f32]; 7]| {
            let [fraction, slower, water, bed, want, give, take] = columns;
            for (k, i) in range.enumerate() {
                (want[k], give[k], take[k]) = (0.0, 0.0, 0.0);
                let tag = particles.tag[i];
                if tag & BOUNDARY == 0 {
                    let c = particles.cargo[i].max(0.0);
                    fraction[k] = c as f32;
                    slower[k] = if c > 0.0 { hindrance(c) as f32 } else { 1.0 };
                    (water[k], bed[k]) = (1.0, 0.0);
                } else {
                    // Walls take nothing.
                    let share = if tag & SLIP == 0 { particles.mass[i] / mass } else { 0.0 };
                    (fraction[k], slower[k], water[k], bed[k]) = (0.0, 0.0, 0.0, share);
                }
            }
        };
        band::for_each_part(0..count, PART, self.columns().map(|column| &mut column[..count]), &work);
    }

    fn columns(&mut self) -> [&mut Vec<f32>; 7] {
        let Self { fraction, hindrance, fluid, bed, want, give, take, .. } = self;
        [fraction, hindrance, fluid, bed, want, give, take]
    }
}
