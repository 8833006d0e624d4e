//! What a drop, a stone or a hump of water sends out: rings of crests and troughs, one behind the other.
//!
//! Far from where it began every circular wave has the same profile along its way, and loses height with the root of the distance. Rings of
//! bumps are fitted to that profile once; together they have no net volume, as energy could not be kept otherwise (C8 of the
//! method's page).

use crate::Emission;
use std::f64::consts::{PI, TAU};

/// One ring of a hump.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ring {
    /// How far it runs ahead of what starts in the middle of the hump, below zero behind it; in widths of the hump.
    pub ahead: f64,
    /// Height of its crest at a distance of one width of the hump, as a share of the hump's.
    pub height: f64,
    /// Radius of its bumps, in widths of the hump.
    pub radius: f64,
}

/// The rings that a Gaussian hump, exp(−x²/2), at rest sends out.
#[derive(Clone, Debug, PartialEq)]
pub struct Hump {
    rings: Vec<Ring>,
}

/// Time of the fit, in widths of the hump over the speed of waves.
const FITTED_AT: f64 = 10.0;
/// The part of the profile that is fitted, in widths.
const PROFILE: [f64; 2] = [-8.0, 5.0];
/// Radius of the ring behind all others, in widths.
const TAIL: f64 = 4.0;
/// Samples of a width.
const SAMPLES: f64 = 10.0;
/// Share of the largest square by which unknowns are held down, as rings that lie close to each other are nearly alike.
const RIDGE: f64 = 1.0e-5;

impl Hump {
    /// So many rings of bumps of a radius, in widths of the hump, fitted to the exact solution of the wave equation.
    pub fn fitted(rings: usize, radius: f64) -> Self {
        let [low, high] = PROFILE;
        let samples = 0..=((high - low) * SAMPLES) as usize;
        let samples: Vec<_> = samples
            .map(|n| low + n as f64 / SAMPLES)
            .map(|at| (at, ring_height(FITTED_AT + at, FITTED_AT)))
            .collect();
        let (places, heights) = if rings == 2 {
            crest_and_trough(&samples, radius)
        } else {
            let last = rings.max(2) - 1;
            let places: Vec<f64> =
                (0..rings).map(|n| low + (high - radius - low) * n as f64 / last as f64).collect();
            let (heights, _) = fitted(&samples, &places, radius);
            (places, heights)
        };
        let ring = |(&ahead, height): (&f64, f64)| Ring { ahead, height, radius };
        let mut rings: Vec<Ring> = places.iter().zip(heights).map(ring).collect();
        // What follows the part that is fitted is long and low, and makes the sum nothing.
        let sum: f64 = rings.iter().map(|ring| ring.height * ring.radius).sum();
        rings.push(Ring { ahead: low - TAIL, height: -sum / TAIL, radius: TAIL });
        Self { rings }
    }

    /// Its rings.
    pub fn rings(&self) -> &[Ring] {
        &self.rings
    }

    /// What a hump of some height and width sends out from a place over water where waves go at `speed`, as rings of `count` particles.
    pub fn emissions(
        &self,
        place: [f64; 2],
        [height, width]: [f64; 2],
        speed: f64,
        count: usize,
    ) -> Vec<Emission> {
        let spread = TAU / count as f64;
        let of_ring = |ring: &Ring| {
            let radius = ring.radius * width;
            let ahead = ring.ahead * width;
            let (start, delay) = if ahead >= 0.0 { (ahead, 0.0) } else { (0.0, -ahead / speed) };
            // An emission's height is that at its start, or one radius out.
            let told_at = start.max(radius);
            let crest = height * ring.height * (width / told_at).sqrt();
            let amplitude = crest * spread * told_at / radius;
            (0..count)
                .map(move |n| {
                    let angle = spread * (n as f64 + 0.5);
                    let heading = [libm::cos(angle), libm::sin(angle)];
                    let place = [place[0] + heading[0] * start, place[1] + heading[1] * start];
                    let origin_distance = start;
                    Emission {
                        place,
                        heading,
                        spread,
                        origin_distance,
                        amplitude,
                        radius,
                        delay,
                        ..Emission::default()
                    }
                })
                .collect::<Vec<_>>()
        };
        self.rings.iter().flat_map(of_ring).collect()
    }
}

/// Heights of rings at some places that come nearest to a profile, and what is left of it, squared.
fn fitted(samples: &[(f64, f64)], places: &[f64], radius: f64) -> (Vec<f64>, f64) {
    let count = places.len();
    let row = |ahead: f64| -> Vec<f64> {
        let at =
            |&place: &f64| front_profile((ahead - place) / radius) / (FITTED_AT + place).max(radius).sqrt();
        places.iter().map(at).collect()
    };
    let rows: Vec<_> = samples.iter().map(|&(ahead, exact)| (row(ahead), exact)).collect();
    let mut matrix = vec![vec![0.0; count + 1]; count];
    for (row, exact) in &rows {
        for i in 0..count {
            for j in 0..count {
                matrix[i][j] += row[i] * row[j];
            }
            matrix[i][count] += row[i] * exact;
        }
    }
    let largest = (0..count).map(|i| matrix[i][i]).fold(0.0, f64::max);
    for (i, row) in matrix.iter_mut().enumerate() {
        row[i] += RIDGE * largest;
    }
    let heights = solved(matrix);
    let left = rows.iter().map(|(row, exact)| {
        let sum: f64 = row.iter().zip(&heights).map(|(a, b)| a * b).sum();
        (sum - exact) * (sum - exact)
    });
    let left = left.sum();
    (heights, left)
}

/// The places and heights of two rings that make the most of it.
fn crest_and_trough(samples: &[(f64, f64)], radius: f64) -> (Vec<f64>, Vec<f64>) {
    let mut best = (Vec::new(), Vec::new(), f64::INFINITY);
    for trough in 0..40 {
        for crest in 0..25 {
            let places = vec![-4.5 + 0.1 * f64::from(trough), -1.0 + 0.1 * f64::from(crest)];
            let (heights, left) = fitted(samples, &places, radius);
            if left < best.2 {
                best = (places, heights, left);
            }
        }
    }
    (best.0, best.1)
}

/// Height at a distance and a time after a hump exp(−x²/2) at rest was let go, where waves go at 1: ∫ e^(−k²/2) cos(kt) J0(kx) k dk.
pub fn ring_height(distance: f64, time: f64) -> f64 {
    const STEPS: usize = 3000;
    const MOST: f64 = 9.0;
    let step = MOST / STEPS as f64;
    let part = |n: usize| {
        let k = step * n as f64;
        let weight = if n == 0 || n == STEPS {
            1.0
        } else if n % 2 == 1 {
            4.0
        } else {
            2.0
        };
        weight * libm::exp(-0.5 * k * k) * libm::cos(k * time) * libm::j0(k * distance) * k
    };
    (0..=STEPS).map(part).sum::<f64>() * step / 3.0
}

/// Profile of a straight front across it, 1 at its crest, as the surface has it along its rows and columns.
fn front_profile(ahead: f64) -> f64 {
    if ahead.abs() < 1.0 { 0.5 * (1.0 + libm::cos(PI * ahead)) } else { 0.0 }
}

/// Solves linear equations whose right sides stand in the last column, with the largest of a column on top.
fn solved(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let count = rows.len();
    for i in 0..count {
        let best =
            (i..count).fold(i, |best, j| if rows[j][i].abs() > rows[best][i].abs() { j } else { best });
        rows.swap(i, best);
        for j in 0..count {
            if j == i {
                continue;
            }
            let share = rows[j][i] / rows[i][i];
            let pivot = rows[i].clone();
            for (value, above) in rows[j].iter_mut().zip(&pivot).skip(i) {
                *value -= share * above;
            }
        }
    }
    (0..count).map(|i| rows[i][count] / rows[i][i]).collect()
}
