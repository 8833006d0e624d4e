//! How the bed follows what its triangles gained and lost, and the water the bed.

use super::HeightGround;
use super::bed::Bed;
use super::reshape;
use crate::params::{ErosionParams, Reshape};
use thalweg_field::band;
use thalweg_sph::{BOUNDARY, Fluid, Particles};

/// How fast the excess height between two vertices slips away, without the limit of the speed `[1/s]`.
const SLIP_RATE: f64 = 4.0;
/// Share of the excess height between two vertices that one round moves, at most `[-]`: each has eight neighbours.
const SLIP_SHARE: f64 = 1.0 / 16.0;
/// Rounds for a step so long that all comes to rest in it anyway.
const MOST_ROUNDS: f64 = 64.0;

/// Particles that are worked on together.
const PART: usize = 1024;

impl HeightGround {
    /// Moves the vertices of the triangles that gained or lost something in the time `dt` `[s]` (Kataev 2022, eqs. 1.70 and 1.71), one after
    /// the other in the order of their numbers, lets steep slopes there slip, and takes the water along.
    pub(super) fn settle(&mut self, fluid: &mut Fluid, erosion: &ErosionParams, dt: f64) {
        self.touched.sort_unstable();
        self.touched.dedup();
        self.move_vertices(erosion);
        if erosion.talus {
            let rounds = (SLIP_RATE * dt / SLIP_SHARE).ceil().clamp(1.0, MOST_ROUNDS);
            for _ in 0..rounds as u32 {
                self.slip(erosion, dt / rounds);
            }
        }
        self.lift_water(fluid);
        self.forget_changes();
    }

    fn move_vertices(&mut self, erosion: &ErosionParams) {
        let packing = erosion.soil().packing;
        let Self { bed, risen, .. } = self;
        let mut raise = |bed: &mut Bed, vertex: usize, by: f64| {
            bed.raise(vertex, by);
            risen[vertex] += by as f32;
        };
        for &triangle in &self.touched {
            let volume = std::mem::take(&mut self.gains[triangle as usize]) / packing;
            match erosion.reshape {
                Reshape::Smooth => reshape::change_smoothly(bed, triangle, volume, &mut raise),
                Reshape::LowestFirst => reshape::change_lowest_first(bed, triangle, volume, &mut raise),
            }
        }
    }

    /// Lets the water go up and down with the ground below it. Were it left where it is, a hollow that closes would push its particles together
    /// at its bottom, and they would burst out of it.
    fn lift_water(&self, fluid: &mut Fluid) {
        let count = fluid.particles().len();
        let (bed, risen) = (&self.bed, &self.risen);
        let Particles { tag, position: [x, y, z], .. } = fluid.particles_mut();
        band::for_each_part(0..count, PART, &mut z[..count], &|range, z: &mut [f32]| {
            for (z, i) in z.iter_mut().zip(range) {
                if tag[i] & BOUNDARY == 0 {
                    *z += bed.interpolate(risen, x[i], y[i]).1;
                }
            }
        });
    }

    /// Forgets which triangles changed, and by how much their vertices rose, and those around them.
    fn forget_changes(&mut self) {
        for &triangle in &self.touched {
            for middle in self.bed.corners(triangle) {
                for around in self.bed.triangles_around(middle) {
                    for vertex in self.bed.corners(around) {
                        self.risen[vertex] = 0.0;
                    }
                }
            }
        }
        self.touched.clear();
    }

    /// Raises or lowers a vertex of the bed `[m]`, and notes it.
    fn raise(&mut self, vertex: usize, by: f64) {
        self.bed.raise(vertex, by);
        self.risen[vertex] += by as f32;
    }

    /// Lets slopes slip around the triangles that changed: between each pair of neighbouring vertices a share of what is
    /// too high moves down (Musgrave et al. 1989), in the time `dt` `[s]`. A vertex has eight neighbours, and each brings and takes at most an
    /// eighth of what makes it rise or sink at the speed limit: ground that rises faster would throw the water up.
    fn slip(&mut self, erosion: &ErosionParams, dt: f64) {
        let [cols, rows] = self.bed.size;
        let hold = erosion.soil().repose.tan() * self.bed.cell;
        let diagonal = hold * std::f64::consts::SQRT_2;
        let share = (SLIP_RATE * dt).min(SLIP_SHARE);
        let most = erosion.slip_speed * dt / 8.0;
        let mut last = None;
        for index in 0..self.touched.len() {
            let first = self.touched[index] & !1;
            if last.replace(first) == Some(first) {
                continue; // the other triangle of the same cell
            }
            let [a, b, c] = self.bed.corners(first);
            let d = c + 1;
            let (i, j) = (a % cols, a / cols);
            // The northern and the eastern side are those of the next cell, if there is one.
            let north = (j + 2 == rows).then_some((c, d, hold));
            let east = (i + 2 == cols).then_some((b, d, hold));
            let own = [(a, b, hold), (a, c, hold), (a, d, diagonal), (b, c, diagonal)];
            for (at, other, hold) in own.into_iter().chain(north).chain(east) {
                let drop = self.bed.exact_height(at) - self.bed.exact_height(other);
                let excess = drop.abs() - hold;
                if excess > 0.0 {
                    let area = self.bed.area_at(at).min(self.bed.area_at(other));
                    let volume = (share * excess).min(most) * area * drop.signum();
                    self.raise(at, -volume / self.bed.area_at(at));
                    self.raise(other, volume / self.bed.area_at(other));
                }
            }
        }
    }
}
