//! What particles of the fluid give to each other and to the bed, and what they get.

use super::rates::{CarryingKernel, Rates};
use super::uptake::Uptake;
use fearless_simd::{Simd, f32x8, f64x4, prelude::*};
use thalweg_sph::neighbours::{Group, Kind, Vector, Visitor, even, load};

/// What both remaining kinds of walk need.
#[derive(Clone, Copy)]
pub(super) struct Columns<'a, K, U> {
    pub kernels: K,
    pub rates: &'a Rates,
    pub place: [&'a [f32]; 3],
    pub fraction: &'a [f32],
    pub hindrance: &'a [f32],
    pub mixing: &'a [f32],
    pub fluid: &'a [f32],
    pub bed: &'a [f32],
    pub uptake: U,
}

/// A fluid particle as its neighbours see it, in every lane.
#[derive(Clone, Copy)]
struct Here<S: Simd> {
    slot: usize,
    x: f32x8<S>,
    y: f32x8<S>,
    z: f32x8<S>,
    fraction: f32x8<S>,
    hindrance: f32x8<S>,
    mixing: f32x8<S>,
}

/// What moves between a particle and those of a vector: gain from the fluid, loss to the bed, gain from the bed.
#[derive(Clone, Copy)]
struct Moves<S: Simd> {
    between: f32x8<S>,
    down: f32x8<S>,
    loosened: f32x8<S>,
}

impl<K: CarryingKernel, U: Uptake> Columns<'_, K, U> {
    /// The same, of one length: that spares checks.
    #[inline(always)]
    fn even(self) -> Self {
        let [x, y, z] = self.place;
        let [x, y, z, fraction, hindrance, mixing, fluid, bed] =
            even([x, y, z, self.fraction, self.hindrance, self.mixing, self.fluid, self.bed]);
        let uptake = self.uptake.even(x);
        Self { place: [x, y, z], fraction, hindrance, mixing, fluid, bed, uptake, ..self }
    }

    #[inline(always)]
    fn here<S: Simd>(&self, simd: S, i: usize) -> Here<S> {
        let [x, y, z] = self.place;
        Here {
            slot: i,
            x: f32x8::splat(simd, x[i]),
            y: f32x8::splat(simd, y[i]),
            z: f32x8::splat(simd, z[i]),
            fraction: f32x8::splat(simd, self.fraction[i]),
            hindrance: f32x8::splat(simd, self.hindrance[i]),
            mixing: f32x8::splat(simd, self.mixing[i]),
        }
    }

    /// Settling, diffusion and deposition (Kataev 2022, eqs. 1.64, 1.68 and 1.69) between a fluid particle and a vector of others.
    #[inline(always)]
    fn moves<S: Simd>(&self, simd: S, group: &Group, here: &Here<S>, vector: Vector) -> Moves<S> {
        let [x, y, z] = self.place;
        let at = vector.start();
        let zero = f32x8::splat(simd, 0.0);
        let up = load(simd, z, at) - here.z;
        let rr = group.squared(simd, vector, [load(simd, x, at) - here.x, load(simd, y, at) - here.y, up]);
        let slope = self.kernels.slope_over_r(simd, self.rates, rr);
        let (cj, fj) = (load(simd, self.fraction, at), load(simd, self.hindrance, at));
        // From above into here, as much as here is hindered; from here into what is below, as much as that is.
        let gained = cj * here.hindrance * up.max(zero);
        let lost = here.fraction * fj * (-up).max(zero);
        let settled = (gained - lost) * self.rates.settle;
        let spread = (cj - here.fraction) * (load(simd, self.mixing, at) + here.mixing) * self.rates.diffuse;
        let spread = self.kernels.spread(simd, self.rates, spread, rr);
        let between = (settled + spread) * slope * load(simd, self.fluid, at);
        let down = deposited(simd, self.rates, here.fraction, -up, slope, load(simd, self.bed, at));
        let loosened = self.uptake.by_water(simd, here.slot, at, rr);
        Moves { between, down, loosened }
    }
}

/// What a fluid particle would leave on a boundary particle `down` metres below it (Kataev 2022, eq. 1.69).
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

/// Walk 2: what each fluid particle can give and take.
pub(super) struct Grant<'a, K, U> {
    pub columns: Columns<'a, K, U>,
}

/// Shares are kept this little below what would just empty or fill a particle, for rounding `[-]`.
const ALMOST: f32 = 0.999_99;

impl<'a, K: CarryingKernel, U: Uptake> Visitor for Grant<'a, K, U> {
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
                let moves = columns.moves(simd, group, &here, vector);
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
pub(super) struct Granted<'a, K, U> {
    pub columns: Columns<'a, K, U>,
    pub give: &'a [f32],
    pub take: &'a [f32],
}

impl<K: CarryingKernel, U: Uptake> Granted<'_, K, U> {
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
pub(super) struct Exchange<'a, K, U> {
    pub granted: Granted<'a, K, U>,
}

impl<'a, K: CarryingKernel, U: Uptake> Visitor for Exchange<'a, K, U> {
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
                let moves = columns.moves(simd, group, &here, vector);
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
pub(super) struct Settle<'a, K, U> {
    pub granted: Granted<'a, K, U>,
}

impl<'a, K: CarryingKernel, U: Uptake> Visitor for Settle<'a, K, U> {
    type Out = &'a mut [f64];
    const KIND: Kind = Kind::Boundary;

    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: &Group, first: usize, out: &mut Self::Out) {
        let Granted { columns, give, take } = self.granted.even();
        let [x, y, z] = columns.place;
        for k in 0..group.count {
            let i = group.slots[k];
            let bed = f32x8::splat(simd, columns.bed[i]);
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
                let slope = columns.kernels.slope_over_r(simd, columns.rates, rr);
                let down = deposited(simd, columns.rates, load(simd, columns.fraction, at), up, slope, bed);
                let loosened = columns.uptake.off_bed(simd, i, at, rr);
                // Shares are zero for the boundary, so only water counts.
                let lost = loosened * load(simd, take, at) - down * load(simd, give, at);
                add(&mut sum, -lost);
            }
            out[i - first] = sum.reduce_sum();
        }
    }
}
