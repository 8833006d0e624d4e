//! What particles of the fluid give to each other and to the bed, and what they get.

use super::rates::{CarryingKernel, Rates};
use super::uptake::Uptake;
use fearless_simd::{Simd, f32x8, f64x4, prelude::*};
use std::ops::Range;
use thalweg_sph::neighbours::{Cluster, Kind, LANES, Visitor, apart, dot3, even};

/// What both remaining kinds of walk need.
#[derive(Clone, Copy)]
pub(super) struct Columns<'a, K, U> {
    pub kernels: K,
    pub rates: &'a Rates,
    pub place: [&'a [f32]; 3],
    pub fraction: &'a [f32],
    pub hindrance: &'a [f32],
    pub mixing: &'a [f32],
    pub bed: &'a [f32],
    pub uptake: U,
}

/// The particles of a cluster of the fluid as their neighbours see them.
#[derive(Clone, Copy)]
struct Here<S: Simd> {
    place: [f32x8<S>; 3],
    fraction: f32x8<S>,
    hindrance: f32x8<S>,
    mixing: f32x8<S>,
}

impl<K: CarryingKernel, U: Uptake> Columns<'_, K, U> {
    /// The same, of one length: that spares checks.
    #[inline(always)]
    fn even(self) -> Self {
        let [x, y, z] = self.place;
        let [x, y, z, fraction, hindrance, mixing, bed] =
            even([x, y, z, self.fraction, self.hindrance, self.mixing, self.bed]);
        let uptake = self.uptake.even(x);
        Self { place: [x, y, z], fraction, hindrance, mixing, bed, uptake, ..self }
    }

    #[inline(always)]
    fn here<S: Simd>(&self, simd: S, cluster: &Cluster) -> Here<S> {
        Here {
            place: cluster.own3(simd, self.place),
            fraction: cluster.own(simd, self.fraction),
            hindrance: cluster.own(simd, self.hindrance),
            mixing: cluster.own(simd, self.mixing),
        }
    }

    /// What fluid particles gain by settling and diffusion (Kataev 2022, eqs. 1.64 and 1.68) from another one.
    #[inline(always)]
    fn between<S: Simd>(&self, simd: S, here: &Here<S>, j: usize) -> f32x8<S> {
        let zero = f32x8::splat(simd, 0.0);
        let way = apart(here.place, self.place, j);
        let rr = dot3(way, way);
        let slope = self.kernels.slope_over_r(simd, self.rates, rr);
        let [c, f, mixing] = [
            f32x8::splat(simd, self.fraction[j]),
            f32x8::splat(simd, self.hindrance[j]),
            f32x8::splat(simd, self.mixing[j]),
        ];
        // From above into here, as much as here is hindered; from here into what is below, as much as that is.
        let gained = c * here.hindrance * way[2].max(zero);
        let lost = here.fraction * f * (-way[2]).max(zero);
        let settled = (gained - lost) * self.rates.settle;
        let spread = (c - here.fraction) * (mixing + here.mixing) * self.rates.diffuse;
        let spread = self.kernels.spread(simd, self.rates, spread, rr);
        (settled + spread) * slope
    }

    /// What fluid particles would leave on a boundary particle, and what they would get from it.
    #[inline(always)]
    fn with_bed<S: Simd>(&self, simd: S, cluster: &Cluster, here: &Here<S>, j: usize) -> [f32x8<S>; 2] {
        let way = apart(here.place, self.place, j);
        let rr = dot3(way, way);
        let slope = self.kernels.slope_over_r(simd, self.rates, rr);
        let bed = f32x8::splat(simd, self.bed[j]);
        let down = deposited(simd, self.rates, here.fraction, -way[2], slope, bed);
        [down, self.uptake.by_water(simd, cluster, j, rr)]
    }
}

/// What fluid particles would leave on boundary particles `down` metres below them (Kataev 2022, eq. 1.69).
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

/// Walk 2: what each fluid particle can give and take, and what it gains if all is granted.
pub(super) struct Grant<'a, K, U> {
    pub columns: Columns<'a, K, U>,
}

/// Shares are kept this little below what would just empty or fill a particle, for rounding `[-]`.
const ALMOST: f32 = 0.999_99;

impl<'a, K: CarryingKernel, U: Uptake> Visitor for Grant<'a, K, U> {
    type Out = ([&'a mut [f32]; 2], &'a mut [f64]);
    const KIND: Kind = Kind::Fluid;
    const AMONG: &'static [Kind] = &[Kind::Fluid, Kind::Boundary];

    #[inline(always)]
    fn cluster<S: Simd>(&self, simd: S, cluster: &Cluster, ([give, take], gain): &mut Self::Out) {
        let columns = self.columns.even();
        let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
        let here = columns.here(simd, cluster);
        let (mut given, mut taken, mut sum) = (zero, zero, Sum::none(simd));
        for j in cluster.fluid() {
            let between = columns.between(simd, &here, j);
            given += (-between).max(zero);
            taken += between.max(zero);
            sum.add(between);
        }
        for j in cluster.boundary() {
            let [down, loosened] = columns.with_bed(simd, cluster, &here, j);
            given += down;
            taken += loosened;
            sum.add(loosened - down);
        }
        sum.put(cluster, gain);
        let there = here.fraction * ALMOST;
        let room =
            (f32x8::splat(simd, columns.rates.max_fraction * ALMOST) - here.fraction).max(zero) * ALMOST;
        cluster.put(given.simd_gt(there).select(there / given, one), give);
        cluster.put(taken.simd_gt(room).select(room / taken, one), take);
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

/// Sums in f64.
struct Sum<S: Simd>([f64x4<S>; 2]);

impl<S: Simd> Sum<S> {
    #[inline(always)]
    fn none(simd: S) -> Self {
        Self([f64x4::splat(simd, 0.0); 2])
    }

    #[inline(always)]
    fn add(&mut self, value: f32x8<S>) {
        let (low, high) = value.widen();
        self.0 = [self.0[0] + low, self.0[1] + high];
    }

    #[inline(always)]
    fn put(self, cluster: &Cluster, out: &mut [f64]) {
        let mut sums = [0.0; LANES];
        let (low, high) = sums.split_at_mut(LANES / 2);
        self.0[0].store_slice(low);
        self.0[1].store_slice(high);
        for ((_, at), sum) in cluster.places().zip(sums) {
            out[at] = sum;
        }
    }
}

/// Walk 3: what each fluid particle gains, where not all is granted.
pub(super) struct Exchange<'a, K, U> {
    pub granted: Granted<'a, K, U>,
}

impl<'a, K: CarryingKernel, U: Uptake> Visitor for Exchange<'a, K, U> {
    type Out = &'a mut [f64];
    const KIND: Kind = Kind::Fluid;
    const AMONG: &'static [Kind] = &[Kind::Fluid, Kind::Boundary];

    #[inline(always)]
    fn cluster<S: Simd>(&self, simd: S, cluster: &Cluster, out: &mut Self::Out) {
        let Granted { columns, give, take } = self.granted.even();
        if cluster.fluid().all(|j| give[j] == 1.0 && take[j] == 1.0) {
            return;
        }
        let zero = f32x8::splat(simd, 0.0);
        let here = columns.here(simd, cluster);
        let (give_here, take_here) = (cluster.own(simd, give), cluster.own(simd, take));
        let mut sum = Sum::none(simd);
        for j in cluster.fluid() {
            let between = columns.between(simd, &here, j);
            let gain = take_here.min(f32x8::splat(simd, give[j]));
            let loss = give_here.min(f32x8::splat(simd, take[j]));
            sum.add(between * between.simd_gt(zero).select(gain, loss));
        }
        for j in cluster.boundary() {
            let [down, loosened] = columns.with_bed(simd, cluster, &here, j);
            sum.add(loosened * take_here - down * give_here);
        }
        sum.put(cluster, out);
    }
}

/// Walk 4: what each boundary particle gains.
pub(super) struct Settle<'a, K, U> {
    pub granted: Granted<'a, K, U>,
}

impl<'a, K: CarryingKernel, U: Uptake> Visitor for Settle<'a, K, U> {
    type Out = &'a mut [f64];
    const KIND: Kind = Kind::Boundary;
    const AMONG: &'static [Kind] = &[Kind::Fluid];

    #[inline(always)]
    fn without(&self, cluster: Range<usize>, at: usize, out: &mut Self::Out) -> bool {
        let Columns { bed, uptake, .. } = &self.granted.columns;
        let nothing = cluster.clone().all(|i| bed[i] == 0.0 && uptake.is_nothing(i));
        if nothing {
            out[at..at + cluster.len()].fill(0.0);
        }
        nothing
    }

    #[inline(always)]
    fn cluster<S: Simd>(&self, simd: S, cluster: &Cluster, out: &mut Self::Out) {
        let Granted { columns, give, take } = self.granted.even();
        let (here, bed) = (cluster.own3(simd, columns.place), cluster.own(simd, columns.bed));
        let mut sum = Sum::none(simd);
        for j in cluster.fluid() {
            let way = apart(here, columns.place, j);
            let rr = dot3(way, way);
            let slope = columns.kernels.slope_over_r(simd, columns.rates, rr);
            let fraction = f32x8::splat(simd, columns.fraction[j]);
            let down = deposited(simd, columns.rates, fraction, way[2], slope, bed);
            let loosened = columns.uptake.off_bed(simd, cluster, j, rr);
            sum.add(down * give[j] - loosened * take[j]);
        }
        sum.put(cluster, out);
    }
}
