//! A step, in the order in which its stages are called.

use super::{Fluid, Removed};
use crate::boundary::Weigh;
use crate::error::FluidError;
use crate::integrate::{Extremes, Motion, Surroundings};
use crate::neighbours::TooWide;
use crate::particles::{BOUNDARY, PADDING, PART};
use crate::pressure::{Pressure, Shared, Sorted, resize_column};
use std::ops::Range;
use thalweg_field::band;

/// What is left of the velocity in each step while particles find their places `[-]`.
const RELAXED: f32 = 0.9;

impl Fluid {
    /// The longest stable time step `[s]`.
    pub fn max_dt(&self) -> f64 {
        self.pressure.max_dt(&self.constants, self.last, self.thickest().max(self.wall_viscosity))
    }

    /// The largest viscosity that there may be inside the fluid `[Pa·s]`.
    fn thickest(&self) -> f32 {
        let times = self.thickening.map_or(1.0, |thickening| thickening.times(self.most_cargo));
        self.constants.viscosity + (self.params.viscosity * (times - 1.0)) as f32
    }

    /// The time step that comes next `[s]`, at most `limit`.
    pub fn choose_dt(&self, limit: f64) -> f64 {
        let longest = if self.last_dt > 0.0 { self.pressure.growth() * self.last_dt } else { f64::INFINITY };
        let chosen = (self.params.safety * self.max_dt()).min(self.params.max_dt).min(longest);
        self.params.dt.unwrap_or(chosen).min(limit)
    }

    /// Sorts the particles; those whose time is over are dropped and returned.
    pub fn sort(&mut self) -> Result<Removed, FluidError> {
        let now = self.time as f32;
        let gone = |range: Range<usize>| {
            let mut removed = Removed::default();
            if self.next.expires[range.clone()].iter().all(|&expires| expires > now) {
                return removed;
            }
            for i in range {
                if self.next.expires[i] <= now && !self.next.is_boundary(i) {
                    removed.count += 1;
                    removed.cargo += self.next.cargo.get(i).copied().unwrap_or(0.0);
                }
            }
            removed
        };
        let both = |a: Removed, b: Removed| Removed { count: a.count + b.count, cargo: a.cargo + b.cargo };
        let removed = band::measure(0..self.next.len(), PART, &gone, &both);
        self.fluid_count -= removed.count as usize;
        self.periodic.copy(&mut self.next, self.constants.h, now);
        self.neighbours.sort(&self.next, &mut self.now, now).map_err(|spread| self.too_wide(spread))?;
        self.periodic.find(&self.now, self.neighbours.order(), self.next.len());
        self.known = 0;
        let length = self.now.len() + PADDING;
        resize_column(&mut self.shared.density, length);
        self.pressure.resize(length);
        // Volumes are divided by it, behind the last particle too.
        self.shared.density[length - PADDING..].fill(self.constants.rest_density);
        Ok(removed)
    }

    /// Finds how much fluid every sorted boundary particle stands for, unless their owner knows. Needed whenever some were added or
    /// removed.
    pub fn weigh_boundary(&mut self) {
        if !self.boundary.weighed {
            return;
        }
        let count = self.now.len();
        let visitor = Weigh { particles: &self.now, constants: &self.constants };
        self.neighbours.walk(&self.now, &visitor, &mut self.shared.density[..count]);
        for i in 0..count {
            if self.now.is_boundary(i) {
                self.now.mass[i] = self.shared.density[i];
            }
        }
    }

    /// Adds to what the sorted particles of the fluid carry.
    pub fn add_cargo(&mut self, gain: &[f64]) {
        let count = self.now.len();
        let tags = &self.now.tag;
        band::for_each_part(0..count, PART, &mut self.now.cargo[..count], &|range, cargo: &mut [f64]| {
            for (i, cargo) in range.zip(cargo) {
                *cargo += if tags[i] & BOUNDARY == 0 { gain[i] } else { 0.0 };
            }
        });
    }

    /// Densities of all sorted particles, and what follows from them. Until they have moved, [`Self::particles`] means nothing.
    pub fn compute_density(&mut self) {
        let mut next = std::mem::take(&mut self.next);
        next.resize(self.now.len());
        let (pressure, shared, sorted) = self.parts();
        pressure.compute_density(sorted, shared, &mut next);
        self.next = next;
    }

    /// Takes the compression of some sorted particles that something else drives as given in this step, unless density is summed up `[-]`; to be
    /// called between densities and forces.
    pub fn prescribe(&mut self, given: &[(u32, f32)]) {
        for &(i, compression) in given {
            self.next.compression[i as usize] = compression;
        }
        self.pressure.prescribe(given);
    }

    /// Forces, and the move of every particle (Kataev 2022, eqs. 1.33–1.41, 1.45 and 1.46). The step may end up shorter than `dt`:
    /// [`Self::last_dt`] tells.
    pub fn accelerate_and_move(
        &mut self,
        surroundings: &impl Surroundings,
        dt: f64,
    ) -> Result<Extremes, FluidError> {
        let dt = self.go(surroundings, [self.pressure.kick(self.last_dt, dt), dt], 1.0)?;
        self.time += dt;
        self.steps += 1;
        self.last_dt = dt;
        Ok(self.last)
    }

    /// A step that slows every particle down, and takes no time.
    pub fn relax(&mut self, surroundings: &impl Surroundings, dt: f64) -> Result<(), FluidError> {
        self.go(surroundings, [dt, dt], RELAXED).map(drop)
    }

    /// Changes velocities over `kick` and positions over `drift` `[s]`; returns how long that was in the end.
    fn go(
        &mut self,
        surroundings: &impl Surroundings,
        [kick, drift]: [f64; 2],
        keep: f32,
    ) -> Result<f64, FluidError> {
        let count = self.now.len();
        self.known = count;
        let mut next = std::mem::take(&mut self.next);
        let (pressure, shared, sorted) = self.parts();
        let kicked = pressure.accelerate(sorted, shared, &mut next, kick);
        let (kick, drift) = (kicked, if kicked < kick { kicked } else { drift });
        self.next = next;
        let shift = self.pressure.shift(&self.params, &self.constants);
        let motion = Motion { kick: kick as f32, drift: drift as f32, keep, shift };
        self.last = motion.apply(&self.now, &mut self.next, &self.shared.density, surroundings);
        self.periodic.forget(&mut self.next);
        if (self.last.speed + self.last.acceleration).is_finite() {
            Ok(drift)
        } else {
            Err(self.wild(kick as f32))
        }
    }

    /// The method, what it finds, and what it works on.
    fn parts(&mut self) -> (&mut dyn Pressure, &mut Shared, Sorted<'_>) {
        let sorted = Sorted {
            particles: &self.now,
            neighbours: &self.neighbours,
            copies: self.periodic.pairs(),
            params: &self.params,
            constants: &self.constants,
            boundary: self.boundary,
            wall_viscosity: self.wall_viscosity,
            surplus: self.surplus,
            thickening: self.thickening,
            // Longer steps are taken where nothing moves but sediment.
            elapsed: self.last_dt.min(self.max_dt()),
        };
        (&mut *self.pressure, &mut self.shared, sorted)
    }

    /// Tells that particles are spread too far at the present step.
    pub fn too_wide(&self, spread: TooWide) -> FluidError {
        FluidError::TooWide { spread, step: self.steps, time: self.time }
    }

    /// Tells which particles have gone wild.
    fn wild(&self, kick: f32) -> FluidError {
        let square = |v: [f32; 3]| v.iter().map(|v| v * v).sum::<f32>();
        let lost = |i: &usize| {
            let (from, to) = (self.now.get(*i), self.next.get(*i));
            let kicked = std::array::from_fn(|axis| (to.velocity[axis] - from.velocity[axis]) / kick);
            !(square(kicked) + square(to.velocity) + to.position.iter().sum::<f32>()).is_finite()
        };
        let mut all = (0..self.now.len()).filter(|&i| !self.now.is_boundary(i)).filter(lost);
        let at = self.now.get(all.next().unwrap_or(0)).position;
        FluidError::NotFinite { count: 1 + all.count(), step: self.steps, time: self.time, at }
    }
}
