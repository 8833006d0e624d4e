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

use crate::bed::Bed;
use crate::params::{ErosionParams, Exposure, Hindrance, Params};
use crate::piece::{Piece, Pieces};
use fearless_simd::{Simd, f32x8, f64x4, prelude::*};
use std::f64::consts::PI;
use thalweg_erosion::law::settling::{Grains, richardson_zaki};
use thalweg_erosion::law::shear::Shear;
use thalweg_field::band;
use thalweg_sph::kernel::{CubicSpline, Kernel, Wendland, lattice_sum};
use thalweg_sph::neighbours::{Group, Kind, Pass, even, load};
use thalweg_sph::{BOUNDARY, Fluid, Kernels, Particles, SLIP, Volumes, make_room};

/// Values that are worked on together.
const PART: usize = 1024;

/// What parameters and time step come down to in the loops. Amounts are volumes of grains, as shares of the volume of a
/// fluid particle at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rates {
    h: f32,
    /// Factor of the slope of the kernel: of the cubic spline [1/m⁴], of Wendland's [1/m⁸].
    slope: f32,
    /// 315/(64πh⁹) [1/m⁹].
    poly6: f32,
    /// Settling and diffusion in a step, without the slope of the kernel [m⁴, m⁵].
    settle: f32,
    diffuse: f32,
    /// C_max [-].
    max_fraction: f32,
    /// Erosion in a step of a square metre under a stress of 1 Pa above the critical one [1/(m²·Pa)].
    loosen: f32,
    shear: f32,
    critical: f32,
    hard: f32,
    exposure: Exposure,
    /// Shortest distance over which water shears the bed [m].
    nearest: f32,
}

impl Rates {
    pub fn new(params: &Params, dt: f64) -> Self {
        let ErosionParams { diffusivity, .. } = params.erosion;
        let (h, spacing) = (params.fluid.smoothing_radius(), params.fluid.spacing);
        let volume = params.fluid.particle_mass() / params.fluid.density;
        // The documents have the cubic spline (4.19); with Wendland's, a slope takes no division.
        let slope_at = |r: f64| match params.fluid.kernels {
            Kernels::Wendland => -Wendland(h).slope(r),
            Kernels::Mueller => -CubicSpline(h).slope(r),
        };
        // Eq. 1.64 as printed moves sediment at half the settling speed, since each particle sees only the half-space
        // above it as donors; eq. 1.68 leaves out 2/r (Monaghan 2005 has it). Both are set right by asking that
        // particles on a lattice move their sediment at the right speed and spread it at the right rate.
        let spread = lattice_sum(spacing, h, |r| if r > 0.0 { volume * r * slope_at(r) / 3.0 } else { 0.0 });
        Self {
            h: h as f32,
            slope: match params.fluid.kernels {
                Kernels::Wendland => (210.0 / (PI * h.powi(8))) as f32,
                Kernels::Mueller => (1.0 / (4.0 * PI * (0.5 * h).powi(3)) * 2.0 / h) as f32,
            },
            poly6: (315.0 / (64.0 * PI * h.powi(9))) as f32,
            settle: (dt * grains(params).speed() * volume / (0.5 * spread)) as f32,
            diffuse: (2.0 * dt * diffusivity * volume / spread) as f32,
            max_fraction: params.erosion.max_fraction as f32,
            loosen: (dt * params.erosion.strength / (params.erosion.sediment_density * volume)) as f32,
            shear: params.erosion.shear as f32,
            critical: params.erosion.critical_shear as f32,
            hard: params.erosion.hard_shear as f32,
            exposure: params.erosion.exposure,
            nearest: (0.25 * spacing) as f32,
        }
    }

    /// |dW/dr|/r of the kernel, from squared distances [1/m⁵].
    #[inline(always)]
    fn slope_over_r<S: Simd, const WENDLAND: bool>(&self, simd: S, rr: f32x8<S>) -> f32x8<S> {
        let zero = f32x8::splat(simd, 0.0);
        if WENDLAND {
            let q = (f32x8::splat(simd, self.h) - rr.sqrt()).max(zero);
            return q * q * (q * self.slope);
        }
        // Beyond reach distances may be infinite; there the slope is zero.
        let r = rr.min(f32x8::splat(simd, self.h * self.h)).sqrt();
        let q = r * (2.0 / self.h);
        let far = (f32x8::splat(simd, 2.0) - q).max(zero);
        let near = (f32x8::splat(simd, 1.0) - q).max(zero);
        (far * far * 3.0 - near * near * 12.0) * self.slope / r
    }
}

/// The grains and the water they sink in.
pub(crate) fn grains(params: &Params) -> Grains {
    Grains {
        radius: params.erosion.grain_radius,
        density: params.erosion.sediment_density,
        fluid_density: params.fluid.density,
        viscosity: params.erosion.grain_viscosity,
        gravity: params.fluid.gravity,
    }
}

/// The longest step in which sediment goes no farther than to its neighbours [s].
pub(crate) fn max_dt(params: &Params) -> f64 {
    if !params.erosion.enabled {
        return f64::INFINITY;
    }
    let spacing = params.fluid.spacing;
    let settling = 0.4 * spacing / grains(params).speed().max(1.0e-12);
    settling.min(0.1 * spacing * spacing / params.erosion.diffusivity.max(1.0e-12))
}

/// Columns beside those of the fluid, for sorted particles.
#[derive(Clone, Debug, Default)]
pub struct Sediment {
    /// C, and the share of the settling speed that is left at that concentration; zero for the boundary [-].
    fraction: Vec<f32>,
    hindrance: Vec<f32>,
    /// 1 for the fluid, 0 for the boundary.
    fluid: Vec<f32>,
    /// Volume of a boundary particle over that of a fluid particle; 0 for the fluid [-].
    bed: Vec<f32>,
    /// What the water would loosen at a boundary particle, over the sum of kernels of that water; 0 for the fluid.
    want: Vec<f32>,
    /// Share of what a particle would give, and of what it would get, that it grants [-].
    give: Vec<f32>,
    take: Vec<f32>,
    /// What a step brings to each particle; of a boundary particle, to the bed.
    gain: Vec<f64>,
}

impl Sediment {
    /// Bytes for each particle.
    pub const BYTES: u64 = 7 * 4 + 8;

    /// Exchanges sediment between the sorted particles of a fluid, and between them and the bed. `deposit` is called for
    /// every boundary particle that gained or lost something, with its piece of the bed and the gain [m³ of grains].
    pub fn exchange(
        &mut self,
        fluid: &mut Fluid,
        bed: &Bed,
        hardness: Option<&[f32]>,
        params: &Params,
        dt: f64,
        mut deposit: impl FnMut(Piece, f64),
    ) {
        let rates = Rates::new(params, dt);
        let count = fluid.sorted().len();
        self.prepare(fluid, params, count);
        let pieces = Pieces::new(bed, params.bed_spacing());
        match params.fluid.kernels {
            Kernels::Wendland => self.walk::<true>(fluid, bed, hardness, pieces, &rates),
            Kernels::Mueller => self.walk::<false>(fluid, bed, hardness, pieces, &rates),
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
    fn walk<const WENDLAND: bool>(
        &mut self,
        fluid: &Fluid,
        bed: &Bed,
        hardness: Option<&[f32]>,
        pieces: Pieces,
        rates: &Rates,
    ) {
        let (particles, near, kept) = (fluid.sorted(), fluid.neighbours(), fluid.kept());
        let count = particles.len();
        let loosen = Loosen { particles, volumes: fluid.volumes(), bed, hardness, pieces, rates };
        near.walk(particles, &loosen, &mut self.want[..count]);
        let [x, y, z] = &particles.position;
        let columns = Columns {
            place: [x, y, z],
            rates,
            fraction: &self.fraction,
            hindrance: &self.hindrance,
            fluid: &self.fluid,
            bed: &self.bed,
            want: &self.want,
        };
        let shares = [&mut self.give[..count], &mut self.take[..count]];
        near.walk_kept(particles, kept, &Grant::<WENDLAND> { columns }, shares);
        let granted = Granted { columns, give: &self.give, take: &self.take };
        near.walk_kept(particles, kept, &Exchange::<WENDLAND> { granted }, &mut self.gain[..count]);
        near.walk(particles, &Settle::<WENDLAND> { granted }, &mut self.gain[..count]);
    }

    fn prepare(&mut self, fluid: &Fluid, params: &Params, count: usize) {
        let length = count + thalweg_sph::PADDING;
        for column in [
            &mut self.fraction,
            &mut self.hindrance,
            &mut self.fluid,
            &mut self.bed,
            &mut self.want,
            &mut self.give,
            &mut self.take,
        ] {
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
        let columns = [
            &mut self.fraction[..count],
            &mut self.hindrance[..count],
            &mut self.fluid[..count],
            &mut self.bed[..count],
            &mut self.want[..count],
            &mut self.give[..count],
            &mut self.take[..count],
        ];
        band::for_each_part(
            0..count,
            PART,
            columns,
            &|range, [fraction, slower, water, bed, want, give, take]: [&mut [f32]; 7]| {
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
            },
        );
    }
}

/// Walk 1: what the water would loosen (1.54–1.57).
struct Loosen<'a> {
    particles: &'a Particles,
    volumes: Volumes<'a>,
    bed: &'a Bed,
    hardness: Option<&'a [f32]>,
    pieces: Pieces,
    rates: &'a Rates,
}

impl<'a> Pass for Loosen<'a> {
    type Out = &'a mut [f32];
    const KIND: Kind = Kind::Boundary;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let ([x, y, z], [u, v, w]) = (&self.particles.position, &self.particles.velocity);
        let zero = f32x8::splat(simd, 0.0);
        let hh = f32x8::splat(simd, self.rates.h * self.rates.h);
        for k in 0..group.count {
            let i = group.slots[k];
            let tag = self.particles.tag[i];
            if tag & SLIP != 0 {
                out[i - first] = 0.0;
                continue;
            }
            let piece = tag & !BOUNDARY;
            let n = self.pieces.normal(self.bed, piece);
            let hard = self.hardness.map_or(0.0, |map| self.pieces.mean_of(self.bed, map, piece));
            let critical = self.rates.critical + hard * (self.rates.hard - self.rates.critical);
            let law = Shear { constant: self.rates.shear, critical };
            let (mut sum, mut rate) = (zero, zero);
            for vector in group.vectors() {
                let at = vector.start();
                let away = [
                    load(simd, x, at) - f32x8::splat(simd, x[i]),
                    load(simd, y, at) - f32x8::splat(simd, y[i]),
                    load(simd, z, at) - f32x8::splat(simd, z[i]),
                ];
                let rr = group.squared(simd, vector, away);
                let bell = (hh - rr).max(zero);
                let volume = self.volumes.load(simd, at); // zero for the boundary
                let fluid = volume.simd_gt(zero);
                let weight = fluid.select(bell * bell * bell, zero);
                sum += weight;
                let (uj, vj, wj) = (load(simd, u, at), load(simd, v, at), load(simd, w, at));
                // Speed along the bed: what is left without the part towards it.
                let into = uj * n[0] + vj * n[1] + wj * n[2];
                let along = (uj * uj + vj * vj + wj * wj - into * into).max(zero).sqrt();
                let distance = rr.min(hh).sqrt().max(f32x8::splat(simd, self.rates.nearest));
                let excess = law.excess(simd, law.stress(along, distance));
                let exposed = match self.rates.exposure {
                    // Water that fills the half-space above the bed sums up to 1.
                    Exposure::Filled => weight * volume * (2.0 * self.rates.poly6),
                    Exposure::Counted => weight.simd_gt(zero).select(f32x8::splat(simd, 1.0), zero),
                };
                rate = excess.mul_add(exposed, rate);
            }
            let area = self.pieces.area_each(self.bed, piece);
            let total = sum.reduce_sum();
            let wanted = self.rates.loosen * (1.0 - hard) * area * rate.reduce_sum();
            out[i - first] = if total > 0.0 { wanted / total } else { 0.0 };
        }
    }
}

/// What both remaining kinds of walk need.
#[derive(Clone, Copy)]
struct Columns<'a> {
    place: [&'a [f32]; 3],
    rates: &'a Rates,
    fraction: &'a [f32],
    hindrance: &'a [f32],
    fluid: &'a [f32],
    bed: &'a [f32],
    want: &'a [f32],
}

/// A fluid particle as its neighbours see it, in every lane.
#[derive(Clone, Copy)]
struct Here<S: Simd> {
    x: f32x8<S>,
    y: f32x8<S>,
    z: f32x8<S>,
    fraction: f32x8<S>,
    hindrance: f32x8<S>,
}

/// What moves between a particle and those of a vector: gain from the fluid, loss to the bed, gain from the bed.
#[derive(Clone, Copy)]
struct Moves<S: Simd> {
    between: f32x8<S>,
    down: f32x8<S>,
    loosened: f32x8<S>,
}

impl Columns<'_> {
    /// The same, of one length: that spares checks.
    #[inline(always)]
    fn even(self) -> Self {
        let [x, y, z] = self.place;
        let [x, y, z, fraction, hindrance, fluid, bed, want] =
            even([x, y, z, self.fraction, self.hindrance, self.fluid, self.bed, self.want]);
        Self { place: [x, y, z], rates: self.rates, fraction, hindrance, fluid, bed, want }
    }

    #[inline(always)]
    fn here<S: Simd>(&self, simd: S, i: usize) -> Here<S> {
        let [x, y, z] = self.place;
        Here {
            x: f32x8::splat(simd, x[i]),
            y: f32x8::splat(simd, y[i]),
            z: f32x8::splat(simd, z[i]),
            fraction: f32x8::splat(simd, self.fraction[i]),
            hindrance: f32x8::splat(simd, self.hindrance[i]),
        }
    }

    /// Settling (1.64), diffusion (1.68) and deposition (1.69) between a fluid particle and a vector of others.
    #[inline(always)]
    fn moves<S: Simd, const WENDLAND: bool>(
        &self,
        simd: S,
        group: &Group,
        here: &Here<S>,
        vector: thalweg_sph::neighbours::Vector,
    ) -> Moves<S> {
        let [x, y, z] = self.place;
        let at = vector.start();
        let zero = f32x8::splat(simd, 0.0);
        let up = load(simd, z, at) - here.z;
        let rr = group.squared(simd, vector, [load(simd, x, at) - here.x, load(simd, y, at) - here.y, up]);
        let slope = self.rates.slope_over_r::<S, WENDLAND>(simd, rr);
        let (cj, fj) = (load(simd, self.fraction, at), load(simd, self.hindrance, at));
        // From above into here, as much as here is hindered; from here into what is below, as much as that is.
        let gained = cj * here.hindrance * up.max(zero);
        let lost = here.fraction * fj * (-up).max(zero);
        let settled = (gained - lost) * self.rates.settle;
        let spread = (cj - here.fraction) * self.rates.diffuse;
        let between = (settled + spread) * slope * load(simd, self.fluid, at);
        let down = deposited(simd, self.rates, here.fraction, -up, slope, load(simd, self.bed, at));
        let bell = (f32x8::splat(simd, self.rates.h * self.rates.h) - rr).max(zero);
        let loosened = loosened(bell, load(simd, self.want, at));
        Moves { between, down, loosened }
    }
}

/// What a fluid particle would leave on a boundary particle `down` metres below it (1.69).
#[inline(always)]
fn deposited<S: Simd>(
    simd: S,
    rates: &Rates,
    fraction: f32x8<S>,
    down: f32x8<S>,
    slope: f32x8<S>,
    bed: f32x8<S>,
) -> f32x8<S> {
    fraction * down.max(f32x8::splat(simd, 0.0)) * rates.settle * slope * bed
}

/// What a fluid particle would get of that which water loosens at a boundary particle: by the kernel between them.
#[inline(always)]
fn loosened<S: Simd>(bell: f32x8<S>, want: f32x8<S>) -> f32x8<S> {
    bell * bell * bell * want
}

/// Walk 2: what each fluid particle can give and take.
struct Grant<'a, const WENDLAND: bool> {
    columns: Columns<'a>,
}

/// Shares are kept this little below what would just empty or fill a particle, for rounding [-].
const ALMOST: f32 = 0.999_99;

impl<'a, const WENDLAND: bool> Pass for Grant<'a, WENDLAND> {
    type Out = [&'a mut [f32]; 2];
    const KIND: Kind = Kind::Fluid;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let columns = self.columns.even();
        let zero = f32x8::splat(simd, 0.0);
        for k in 0..group.count {
            let i = group.slots[k];
            let here = columns.here(simd, i);
            let (mut given, mut taken) = (zero, zero);
            for vector in group.near(k) {
                let moves = columns.moves::<S, WENDLAND>(simd, group, &here, vector);
                given = given + (-moves.between).max(zero) + moves.down;
                taken = taken + moves.between.max(zero) + moves.loosened;
            }
            let (given, taken) = (given.reduce_sum(), taken.reduce_sum());
            let fraction = columns.fraction[i];
            let room = (columns.rates.max_fraction * ALMOST - fraction).max(0.0);
            out[0][i - first] = if given > fraction * ALMOST { fraction * ALMOST / given } else { 1.0 };
            out[1][i - first] = if taken > room * ALMOST { room * ALMOST / taken } else { 1.0 };
        }
    }
}

/// What is granted.
#[derive(Clone, Copy)]
struct Granted<'a> {
    columns: Columns<'a>,
    give: &'a [f32],
    take: &'a [f32],
}

impl Granted<'_> {
    #[inline(always)]
    fn even(self) -> Self {
        let columns = self.columns.even();
        let [_, give, take] = even([columns.place[0], self.give, self.take]);
        Self { columns, give, take }
    }
}

/// Adds the lanes of a vector to a sum in f64.
#[inline(always)]
fn add<S: Simd>(sum: &mut f64x4<S>, value: f32x8<S>) {
    let (low, high) = value.widen();
    *sum += low + high;
}

/// Walk 3: what each fluid particle gains.
struct Exchange<'a, const WENDLAND: bool> {
    granted: Granted<'a>,
}

impl<'a, const WENDLAND: bool> Pass for Exchange<'a, WENDLAND> {
    type Out = &'a mut [f64];
    const KIND: Kind = Kind::Fluid;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let Granted { columns, give, take } = self.granted.even();
        let zero = f32x8::splat(simd, 0.0);
        for k in 0..group.count {
            let i = group.slots[k];
            let here = columns.here(simd, i);
            let (give_here, take_here) = (f32x8::splat(simd, give[i]), f32x8::splat(simd, take[i]));
            let mut sum = f64x4::splat(simd, 0.0);
            for vector in group.near(k) {
                let at = vector.start();
                let moves = columns.moves::<S, WENDLAND>(simd, group, &here, vector);
                let gain = load(simd, give, at).min(take_here);
                let loss = give_here.min(load(simd, take, at));
                let between = moves.between * moves.between.simd_gt(zero).select(gain, loss);
                // One of the two is zero, so that nothing is rounded off.
                add(&mut sum, between + (moves.loosened * take_here - moves.down * give_here));
            }
            out[i - first] = sum.reduce_sum();
        }
    }
}

/// Walk 4: what each boundary particle gains.
struct Settle<'a, const WENDLAND: bool> {
    granted: Granted<'a>,
}

impl<'a, const WENDLAND: bool> Pass for Settle<'a, WENDLAND> {
    type Out = &'a mut [f64];
    const KIND: Kind = Kind::Boundary;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let Granted { columns, give, take } = self.granted.even();
        let [x, y, z] = columns.place;
        let zero = f32x8::splat(simd, 0.0);
        let hh = f32x8::splat(simd, columns.rates.h * columns.rates.h);
        for k in 0..group.count {
            let i = group.slots[k];
            let (bed, want) = (f32x8::splat(simd, columns.bed[i]), f32x8::splat(simd, columns.want[i]));
            let mut sum = f64x4::splat(simd, 0.0);
            for vector in group.vectors() {
                let at = vector.start();
                let up = load(simd, z, at) - f32x8::splat(simd, z[i]);
                let away = [
                    load(simd, x, at) - f32x8::splat(simd, x[i]),
                    load(simd, y, at) - f32x8::splat(simd, y[i]),
                    up,
                ];
                let rr = group.squared(simd, vector, away);
                let slope = columns.rates.slope_over_r::<S, WENDLAND>(simd, rr);
                let down = deposited(simd, columns.rates, load(simd, columns.fraction, at), up, slope, bed);
                let bell = (hh - rr).max(zero);
                // Shares are zero for the boundary, so only water counts.
                let lost = loosened(bell, want) * load(simd, take, at) - down * load(simd, give, at);
                add(&mut sum, -lost);
            }
            out[i - first] = sum.reduce_sum();
        }
    }
}
