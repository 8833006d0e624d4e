//! Sediment on its way: settling and diffusion between particles, erosion and deposition between particles and bed.
//!
//! Each particle of the fluid carries a share C of its volume as grains. Per step, four walks (Krištof et al. 2009, 4.3;
//! Kataev 2022, 4.8.7–4.8.9):
//!
//! 1. every boundary particle finds how much the water around it would loosen;
//! 2. every fluid particle sums up what it would give and get, and finds which share of that it can grant: nobody gives
//!    more than it has, nobody takes more than fits;
//! 3. where not all is granted, every fluid particle exchanges with its neighbours, each transfer scaled by what both sides grant;
//! 4. every boundary particle does the same.
//!
//! A transfer is computed twice, once from each side, by the same operations in the same order, and so to the same bits;
//! sums are in f64. What one gives the other gets: nothing is lost, on any number of threads.

mod exchange;
mod loosen;
mod rates;
mod uptake;

pub(crate) use rates::max_dt;

use crate::ground::{Eddies, Ground, Spot};
use crate::params::{Hindrance, Params, Stress, Transfer};
use exchange::{Columns, Exchange, Grant, Granted, Settle};
use loosen::ByWall;
use rates::{AsPrinted, Carrying, CarryingKernel, Rates};
use std::ops::Range;
use thalweg_erosion::law::settling::richardson_zaki;
use thalweg_erosion::law::wall;
use thalweg_field::band;
use thalweg_sph::{BOUNDARY, Fluid, MuellerSet, Particles, PressureSolver, SLIP, WendlandSet, make_room};
use uptake::{ByEroder, Spread, Uptake};

/// Values that are worked on together.
const PART: usize = 1024;

/// By how much a particle full of grains is heavier than one of water, over the weight of that `[-]`.
pub(crate) fn surplus(params: &Params) -> f64 {
    let heavy = params.erosion.enabled && params.erosion.heavy;
    if heavy { params.erosion.sediment_density / params.fluid.density - 1.0 } else { 0.0 }
}

/// Share of the room that grains fill where they are shaken together as densely as they can be `[-]`.
const DENSEST: f64 = 0.64;

/// Lets sediment thicken the water that carries it, or not.
pub(crate) fn thicken(fluid: &mut Fluid, params: &Params) {
    let summed = params.fluid.pressure == PressureSolver::Summed;
    let thick = params.erosion.enabled && params.erosion.thick && !summed;
    fluid.set_thickening(thick.then_some(DENSEST), params.erosion.max_fraction);
}

/// Columns beside those of the fluid, for sorted particles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sediment {
    /// C, and the share of the settling speed that is left at that concentration; zero for the boundary `[-]`.
    fraction: Vec<f32>,
    hindrance: Vec<f32>,
    /// Half of the diffusivity, so that those of two particles add up to their mean `[m²/s]`.
    mixing: Vec<f32>,
    /// Volume of a boundary particle over that of a fluid particle, less the share of grains that the flow does not let settle; 0 for
    /// the fluid `[-]`.
    bed: Vec<f32>,
    /// What the water would loosen at a boundary particle, over the sum of kernels of that water, or where each particle of water takes up
    /// what it erodes, for each pascal above the critical stress; 0 for the fluid.
    want: Vec<f32>,
    /// Critical stress `[Pa]` and normal of the bed at a boundary particle, for those that take up what they erode alone.
    place: [Vec<f32>; 4],
    /// Share of what a particle would give, and of what it would get, that it grants `[-]`.
    give: Vec<f32>,
    take: Vec<f32>,
    /// What a step brings to each particle; of a boundary particle, to the bed.
    gain: Vec<f64>,
}

impl Sediment {
    /// Bytes for each particle.
    pub(crate) const BYTES: u64 = 7 * 4 + 8;

    /// Bytes for each particle beside those.
    pub(crate) fn more_bytes(params: &Params) -> u64 {
        if params.erosion.enabled && params.erosion.stress == Stress::ShearRate { 4 * 4 } else { 0 }
    }

    /// Exchanges sediment between the sorted particles of a fluid, and between them and the ground; [`Self::settled`] tells what that gained.
    pub(crate) fn exchange(&mut self, fluid: &mut Fluid, ground: &impl Ground, params: &Params, dt: f64) {
        let rates = Rates::new(params, dt);
        self.prepare(fluid, ground, params, &rates);
        match params.erosion.stress {
            Stress::Wall => self.loosen(fluid, ground, &rates),
            Stress::ShearRate => self.expose(fluid, ground, &rates),
        }
        match Carrying::of(params) {
            Carrying::Wendland => self.carry(WendlandSet, fluid, params, &rates),
            Carrying::Spline => self.carry(MuellerSet, fluid, params, &rates),
            Carrying::Printed => self.carry(AsPrinted, fluid, params, &rates),
        }
        fluid.add_cargo(&self.gain);
    }

    /// The boundary particles that gained or lost something in the last exchange, and how much [m³ of grains].
    pub(crate) fn settled(&self, fluid: &Fluid, params: &Params) -> impl Iterator<Item = (Spot, f64)> {
        let (particles, mass) = (fluid.sorted(), fluid.constants().mass);
        let volume = params.fluid.particle_mass() / params.fluid.density;
        let bare = |i: &usize| particles.tag[*i] & (BOUNDARY | SLIP) == BOUNDARY && self.gain[*i] != 0.0;
        (0..particles.len()).filter(bare).map(move |i| (spot(particles, i, mass), self.gain[i] * volume))
    }

    /// The first walk.
    fn loosen(&mut self, fluid: &Fluid, ground: &impl Ground, rates: &Rates) {
        let (particles, near) = (fluid.sorted(), fluid.neighbours());
        let visitor = ByWall { particles, mass: fluid.constants().mass, ground, rates };
        near.walk(particles, &visitor, &mut self.want[..particles.len()]);
    }

    /// What stands for the first walk where each particle of water takes up what it erodes: how the bed resists.
    fn expose(&mut self, fluid: &Fluid, ground: &impl Ground, rates: &Rates) {
        let particles = fluid.sorted();
        let (count, mass) = (particles.len(), fluid.constants().mass);
        for column in &mut self.place {
            make_room(column, count + thalweg_sph::PADDING);
            column.resize(count + thalweg_sph::PADDING, 0.0);
        }
        let [critical, a, b, c] = &mut self.place;
        let columns = [&mut self.want, critical, a, b, c].map(|column| &mut column[..count]);
        band::for_each_part(0..count, PART, columns, &|range, [want, critical, a, b, c]: [&mut [f32]; 5]| {
            for (k, i) in range.enumerate() {
                let tag = particles.tag[i];
                let bare = tag & (BOUNDARY | SLIP) == BOUNDARY;
                let ([strength, threshold], normal) =
                    if bare { exposure(ground, spot(particles, i, mass), rates) } else { Default::default() };
                (want[k], critical[k]) = (strength, threshold);
                [a[k], b[k], c[k]] = normal;
            }
        });
    }

    /// The other three walks, for either way of taking up what is loosened.
    fn carry(&mut self, kernels: impl CarryingKernel, fluid: &Fluid, params: &Params, rates: &Rates) {
        let want = std::mem::take(&mut self.want);
        let place = std::mem::take(&mut self.place);
        let [critical, a, b, c] = &place;
        let [u, v, w] = &fluid.sorted().velocity;
        match params.erosion.stress {
            Stress::Wall => self.walk(kernels, Spread { want: &want, hh: rates.h * rates.h }, fluid, rates),
            Stress::ShearRate => {
                let (normal, velocity, speed) = ([a, b, c], [u, v, w], params.erosion.shear_speed);
                let [normal, velocity] = [normal, velocity].map(|columns| columns.map(Vec::as_slice));
                let uptake = ByEroder { rates, speed, want: &want, critical, normal, velocity };
                self.walk(kernels, uptake, fluid, rates);
            }
        }
        (self.want, self.place) = (want, place);
    }

    fn walk(&mut self, kernels: impl CarryingKernel, uptake: impl Uptake, fluid: &Fluid, rates: &Rates) {
        let (particles, near) = (fluid.sorted(), fluid.neighbours());
        let count = particles.len();
        let [x, y, z] = &particles.position;
        let columns = Columns {
            kernels,
            rates,
            place: [x, y, z],
            fraction: &self.fraction,
            hindrance: &self.hindrance,
            mixing: &self.mixing,
            bed: &self.bed,
            uptake,
        };
        let shares = [&mut self.give[..count], &mut self.take[..count]];
        near.walk(particles, &Grant { columns }, (shares, &mut self.gain[..count]));
        let granted = Granted { columns, give: &self.give, take: &self.take };
        let all = |range: Range<usize>| {
            let shares = self.give[range.clone()].iter().zip(&self.take[range.clone()]);
            shares
                .zip(&particles.tag[range])
                .all(|((&give, &take), tag)| tag & BOUNDARY != 0 || give.min(take) == 1.0)
        };
        if !band::measure(0..count, PART, &all, &|a, b| a && b) {
            near.walk(particles, &Exchange { granted }, &mut self.gain[..count]);
        }
        near.walk(particles, &Settle { granted }, &mut self.gain[..count]);
    }

    fn prepare(&mut self, fluid: &Fluid, ground: &impl Ground, params: &Params, rates: &Rates) {
        let count = fluid.sorted().len();
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
            let [fraction, slower, mixing, bed, want, give, take] = columns;
            for (k, i) in range.enumerate() {
                (want[k], give[k], take[k]) = (0.0, 0.0, 0.0);
                let tag = particles.tag[i];
                if tag & BOUNDARY == 0 {
                    let c = particles.cargo[i].max(0.0);
                    fraction[k] = c as f32;
                    slower[k] = if c > 0.0 { hindrance(c) as f32 } else { 1.0 };
                    mixing[k] = 0.5 * diffusivity(ground.eddies(particles.get(i).position), rates);
                    bed[k] = 0.0;
                } else {
                    // Walls take nothing.
                    let share = match erosion.transfer {
                        _ if tag & SLIP != 0 => 0.0,
                        Transfer::Exact => particles.mass[i] / mass,
                        Transfer::Printed => 1.0, // each as one of the fluid: Kataev 2022, eq. 1.69
                    };
                    let settling =
                        if share > 0.0 { settling(ground, spot(particles, i, mass), rates) } else { 0.0 };
                    (fraction[k], slower[k], mixing[k], bed[k]) = (0.0, 0.0, 0.0, share * settling);
                }
            }
        };
        band::for_each_part(0..count, PART, self.columns().map(|column| &mut column[..count]), &work);
    }

    fn columns(&mut self) -> [&mut Vec<f32>; 7] {
        let Self { fraction, hindrance, mixing, bed, want, give, take, .. } = self;
        [fraction, hindrance, mixing, bed, want, give, take]
    }
}

/// A boundary particle as the ground knows it, where one of the fluid has a mass of `mass`.
#[inline(always)]
fn spot(particles: &Particles, i: usize, mass: f32) -> Spot {
    let at = std::array::from_fn(|axis| particles.position[axis][i]);
    Spot { patch: particles.tag[i] & !BOUNDARY, at, share: particles.mass[i] / mass }
}

/// Critical stress of a spot `[Pa]`, and what a square metre of it gives in a step for each pascal above that.
#[inline(always)]
fn resistance(ground: &impl Ground, spot: Spot, rates: &Rates) -> (f32, f32) {
    let hard = ground.hardness(spot);
    (rates.critical + hard * (rates.hard - rates.critical), rates.loosen * (1.0 - hard))
}

/// What a spot gives in a step for each pascal above the critical stress, and that stress `[Pa]`; its normal.
fn exposure(ground: &impl Ground, spot: Spot, rates: &Rates) -> ([f32; 2], [f32; 3]) {
    let (critical, per_area) = resistance(ground, spot, rates);
    ([per_area * ground.area(spot), critical], ground.normal(spot))
}

/// Share of the grains that reach a spot which the flow lets settle: 1 − τ/τ_d, and nothing from τ_d on (Krone 1962) `[-]`.
fn settling(ground: &impl Ground, spot: Spot, rates: &Rates) -> f32 {
    (1.0 - rates.density * ground.stress(spot) / rates.deposition).max(0.0)
}

/// How fast sediment spreads at a place in the water: as in water at rest, and by the turbulence of the flow along the ground `[m²/s]`.
fn diffusivity(eddies: Eddies, rates: &Rates) -> f32 {
    let Eddies { stress, above, depth } = eddies;
    let turbulent = wall::diffusivity(stress.sqrt().into(), above.into(), depth.into());
    (rates.diffusivity + turbulent as f32).min(rates.most_diffusivity)
}
