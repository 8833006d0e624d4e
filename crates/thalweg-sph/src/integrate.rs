//! Leap-frog: velocities live half a step before positions (Kataev 2022, eqs. 1.45–1.48).

use crate::neighbours::{LANES, load};
use crate::particles::{BOUNDARY, PART, Particle, Particles};
use fearless_simd::{Level, Simd, dispatch, f32x8, prelude::*, u32x8};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use thalweg_field::band;

/// What lies around the fluid and is no particle: ground, walls, places where water leaves.
pub trait Surroundings: Sync {
    /// Acceleration of a particle by whatever is there `[m/s²]`.
    fn push(&self, _particle: &Particle, _density: f32) -> [f32; 3] {
        [0.0; 3]
    }

    /// Ends the move of a particle from `from`: it may be held up, turned round, or told to vanish.
    fn end_move(&self, from: [f32; 3], particle: &mut Particle, dt: f32);

    /// Whether nothing of this happens to particles that stay between two corners and carry this, if anything; said only where it is soon
    /// found out.
    fn is_free(&self, _low: [f32; 3], _high: [f32; 3], _cargo: &[f64]) -> bool {
        false
    }
}

/// How particles move beside their velocity, by what stands where their positions will be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shift {
    /// Not at all.
    None,
    /// By just that `[m]`.
    By,
    /// To where there are fewer, in proportion to the way that they go (Lind et al. 2012): against the slope of how closely
    /// they stand `[1/m]`.
    Down {
        /// How far, for a slope of one and a way of one `[m]`.
        share: f32,
        /// At most so far in a step `[m]`.
        most: f32,
        /// What goes no faster is not shifted `[m/s]`.
        slowest: f32,
    },
}

impl Shift {
    /// By how much a particle of a speed is shifted in so much time, in metres.
    #[inline(always)]
    fn of(&self, beside: [f32; 3], speed: f32, time: f32) -> [f32; 3] {
        match *self {
            Self::None => [0.0; 3],
            Self::By => beside,
            Self::Down { share, most, slowest } => {
                let way = (speed - slowest).max(0.0) * time;
                let by = beside.map(|slope| -share * way * slope);
                let far = (by[0] * by[0] + by[1] * by[1] + by[2] * by[2]).sqrt();
                let less = most / far.max(most);
                by.map(|by| by * less)
            }
        }
    }

    /// The same for eight particles with these squares of their speeds.
    #[inline(always)]
    fn of_eight<S: Simd>(
        &self,
        simd: S,
        beside: [f32x8<S>; 3],
        square: f32x8<S>,
        time: f32,
    ) -> [f32x8<S>; 3] {
        match *self {
            Self::None => [f32x8::splat(simd, 0.0); 3],
            Self::By => beside,
            Self::Down { share, most, slowest } => {
                let way = (square.sqrt() - slowest).max(f32x8::splat(simd, 0.0)) * time;
                let by = beside.map(|slope| slope * (way * -share));
                let far = (by[0] * by[0] + by[1] * by[1] + by[2] * by[2]).sqrt();
                let most = f32x8::splat(simd, most);
                let less = most / far.max(most);
                by.map(|by| by * less)
            }
        }
    }
}

/// How far a step goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Motion {
    /// Time between the velocities before and after: half of the last step and half of this one `[s]`.
    pub kick: f32,
    /// Time between the positions before and after `[s]`.
    pub drift: f32,
    /// What is left of the velocity; less than 1 while particles find their places `[-]`.
    pub keep: f32,
    /// What moves them beside their velocity.
    pub shift: Shift,
}

/// The fastest and the most accelerated particle of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extremes {
    /// Largest speed `[m/s]`.
    pub speed: f32,
    /// Largest acceleration `[m/s²]`.
    pub acceleration: f32,
}

impl Motion {
    /// Moves every particle from `now` to `next`, which has their accelerations where velocities will be, and where positions will
    /// be what shifts them. Those of the boundary stay where they are.
    pub(crate) fn apply(
        &self,
        now: &Particles,
        next: &mut Particles,
        density: &[f32],
        surroundings: &impl Surroundings,
    ) -> Extremes {
        let count = now.len();
        // Squares as bits: those of numbers that are not negative have the same order, and above them is what is no number.
        let (fastest, strongest) = (AtomicU32::new(0), AtomicU32::new(0));
        let [x, y, z] = &mut next.position;
        let [u, v, w] = &mut next.velocity;
        let moved = [x, y, z, u, v, w, &mut next.expires, &mut next.mass].map(|column| &mut column[..count]);
        let level = Level::new();
        let work = |range: Range<usize>, (mut moved, tag): ([&mut [f32]; 8], &mut [u32])| {
            moved[6].copy_from_slice(&now.expires[range.clone()]);
            moved[7].copy_from_slice(&now.mass[range.clone()]);
            tag.copy_from_slice(&now.tag[range.clone()]);
            let most = dispatch!(level, simd => self.move_part(simd, now, density, surroundings, range.start, &mut moved));
            fastest.fetch_max(most[0], Relaxed);
            strongest.fetch_max(most[1], Relaxed);
        };
        band::for_each_part(0..count, PART, (moved, &mut next.tag[..count]), &work);
        if now.has_cargo() {
            let cargo = &mut next.cargo[..count];
            band::for_each_part(0..count, PART, cargo, &|range, cargo: &mut [f64]| {
                cargo.copy_from_slice(&now.cargo[range]);
            });
        }
        let root = |bits: AtomicU32| f32::from_bits(bits.into_inner()).sqrt();
        Extremes { speed: root(fastest), acceleration: root(strongest) }
    }

    /// Moves the particles of one part, which begins with `first`; returns the largest speed and acceleration squared, as bits.
    #[inline(always)]
    fn move_part<S: Simd>(
        &self,
        simd: S,
        now: &Particles,
        density: &[f32],
        surroundings: &impl Surroundings,
        first: usize,
        moved: &mut [&mut [f32]; 8],
    ) -> [u32; 2] {
        let mut most = [0; 2];
        let count = moved[0].len();
        let mut k = 0;
        while k < count {
            let glided = if k + LANES <= count {
                self.glide(simd, now, surroundings, first + k, k, moved)
            } else {
                None
            };
            let end = (k + LANES).min(count);
            if let Some(squares) = glided {
                most = [most[0].max(squares[0]), most[1].max(squares[1])];
                k = end;
            }
            let [x, y, z, u, v, w, expires, _] = &mut *moved;
            while k < end {
                let i = first + k;
                let mut particle = now.get(i);
                if !now.is_boundary(i) {
                    let (a, beside) = ([u[k], v[k], w[k]], [x[k], y[k], z[k]]);
                    let squares = self.moved(&mut particle, [a, beside], density[i], surroundings);
                    most = [most[0].max(squares[0].to_bits()), most[1].max(squares[1].to_bits())];
                }
                [x[k], y[k], z[k]] = particle.position;
                [u[k], v[k], w[k]] = particle.velocity;
                expires[k] = particle.expires;
                k += 1;
            }
        }
        most
    }

    /// Moves eight particles at once, from `i` on, if they are of the fluid and meet nothing.
    #[inline(always)]
    fn glide<S: Simd>(
        &self,
        simd: S,
        now: &Particles,
        surroundings: &impl Surroundings,
        i: usize,
        k: usize,
        moved: &mut [&mut [f32]; 8],
    ) -> Option<[u32; 2]> {
        if u32x8::from_slice(simd, &now.tag[i..i + LANES]).reduce_max() >= BOUNDARY {
            return None;
        }
        let zero = f32x8::splat(simd, 0.0);
        let (mut to, mut v, mut squares) = ([zero; 3], [zero; 3], [zero; 2]);
        let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
        for axis in 0..3 {
            let (from, a) = (load(simd, &now.position[axis], i), load(simd, moved[3 + axis], k));
            v[axis] = (load(simd, &now.velocity[axis], i) + a * self.kick) * self.keep; // Kataev 2022, eq. 1.45
            to[axis] = from + v[axis] * self.drift; // eq. 1.46
            low[axis] = from.min(to[axis]).reduce_min();
            high[axis] = from.max(to[axis]).reduce_max();
            squares = [squares[0] + v[axis] * v[axis], squares[1] + a * a];
        }
        if self.shift != Shift::None {
            let beside = std::array::from_fn(|axis| load(simd, moved[axis], k));
            let by = self.shift.of_eight(simd, beside, squares[0], self.drift);
            for axis in 0..3 {
                to[axis] += by[axis];
                low[axis] = low[axis].min(to[axis].reduce_min());
                high[axis] = high[axis].max(to[axis].reduce_max());
            }
        }
        let cargo = if now.has_cargo() { &now.cargo[i..i + LANES] } else { &[] };
        if !surroundings.is_free(low, high, cargo) {
            return None;
        }
        for axis in 0..3 {
            to[axis].store_slice(&mut moved[axis][k..k + LANES]);
            v[axis].store_slice(&mut moved[3 + axis][k..k + LANES]);
        }
        Some([squares[0].bitcast::<u32x8<S>>().reduce_max(), squares[1].bitcast::<u32x8<S>>().reduce_max()])
    }

    /// Moves a particle; returns its speed and acceleration squared.
    #[inline(always)]
    fn moved(
        &self,
        particle: &mut Particle,
        [mut a, beside]: [[f32; 3]; 2],
        density: f32,
        surroundings: &impl Surroundings,
    ) -> [f32; 2] {
        let from = particle.position;
        let pushed = surroundings.push(particle, density);
        a = std::array::from_fn(|axis| a[axis] + pushed[axis]);
        let Particle { position, velocity, .. } = particle;
        for ((x, v), a) in position.iter_mut().zip(velocity).zip(a) {
            *v = self.keep * (*v + self.kick * a); // Kataev 2022, eq. 1.45
            *x += self.drift * *v; // eq. 1.46
        }
        let square = |v: [f32; 3]| v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        if self.shift != Shift::None {
            let by = self.shift.of(beside, square(particle.velocity).sqrt(), self.drift);
            particle.position = std::array::from_fn(|axis| particle.position[axis] + by[axis]);
        }
        surroundings.end_move(from, particle, self.drift);
        let nowhere = !particle.position.iter().sum::<f32>().is_finite();
        [if nowhere { f32::NAN } else { square(particle.velocity) }, square(a)]
    }
}
