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
}

/// The rings that a Gaussian hump, exp(−x²/2), at rest sends out.
#[derive(Clone, Debug, PartialEq)]
pub struct Hump {
    rings: Vec<Ring>,
    /// Radius of their bumps, in widths of the hump.
    radius: f64,
}

/// Time of the fit, in widths of the hump over the speed of waves.
const FITTED_AT: f64 = 10.0;
/// The part of the profile that is fitted, in widths.
const PROFILE: [f64; 2] = [-8.0, 5.0];
/// Samples of a width.
const SAMPLES: f64 = 10.0;
/// Share of the largest square by which unknowns are held down, as rings that lie close to each other are nearly alike.
const RIDGE: f64 = 1.0e-6;

impl Hump {
    /// So many rings of bumps of a radius, in widths of the hump, fitted to the exact solution of the wave equation.
    pub fn fitted(rings: usize, radius: f64) -> Self {
        let [low, high] = PROFILE;
        let places = if rings == 2 {
            // The crest and the trough behind it.
            vec![-2.1, 0.4]
        } else {
            let (first, last) = (low + radius, high - radius);
            (0..rings).map(|n| first + (last - first) * n as f64 / (rings.max(2) - 1) as f64).collect()
        };
        let samples = ((high - low) * SAMPLES) as usize;
        let count = places.len();
        // Least squares, with the sum of all heights held at 0 by one more unknown.
        let mut matrix = vec![vec![0.0; count + 2]; count + 1];
        for sample in 0..=samples {
            let ahead = low + sample as f64 / SAMPLES;
            let exact = ring_height(FITTED_AT + ahead, FITTED_AT);
            let row: Vec<f64> = places
                .iter()
                .map(|&place| front_profile((ahead - place) / radius) / (FITTED_AT + place).max(radius).sqrt())
                .collect();
            for i in 0..count {
                for j in 0..count {
                    matrix[i][j] += row[i] * row[j];
                }
                matrix[i][count + 1] += row[i] * exact;
            }
        }
        let largest = (0..count).map(|i| matrix[i][i]).fold(0.0, f64::max);
        for i in 0..count {
            matrix[i][i] += RIDGE * largest;
            matrix[i][count] = 1.0;
            matrix[count][i] = 1.0;
        }
        let heights = solved(matrix);
        let rings = places.iter().zip(heights).map(|(&ahead, height)| Ring { ahead, height }).collect();
        Self { rings, radius }
    }

    /// Its rings.
    pub fn rings(&self) -> &[Ring] {
        &self.rings
    }

    /// What a hump of some height and width sends out from a place over water where waves go at `speed`, as rings of `count` particles.
    pub fn emissions(&self, place: [f64; 2], [height, width]: [f64; 2], speed: f64, count: usize) -> Vec<Emission> {
        let radius = self.radius * width;
        let spread = TAU / count as f64;
        let of_ring = |ring: &Ring| {
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
                    Emission { place, heading, spread, origin_distance, amplitude, radius, delay, ..Emission::default() }
                })
                .collect::<Vec<_>>()
        };
        self.rings.iter().flat_map(of_ring).collect()
    }
}

/// Height at a distance and a time after a hump exp(−x²/2) at rest was let go, where waves go at 1: ∫ e^(−k²/2) cos(kt) J0(kx) k dk.
pub fn ring_height(distance: f64, time: f64) -> f64 {
    const STEPS: usize = 3000;
    const MOST: f64 = 9.0;
    let step = MOST / STEPS as f64;
    let part = |n: usize| {
        let k = step * n as f64;
        let weight = if n == 0 || n == STEPS { 1.0 } else if n % 2 == 1 { 4.0 } else { 2.0 };
        weight * libm::exp(-0.5 * k * k) * libm::cos(k * time) * libm::j0(k * distance) * k
    };
    (0..=STEPS).map(part).sum::<f64>() * step / 3.0
}

/// Profile of a straight front of round bumps across it, 1 at its crest: the sum of what lies beside a place.
fn front_profile(ahead: f64) -> f64 {
    if ahead.abs() >= 1.0 {
        return 0.0;
    }
    const STEPS: usize = 64;
    let half = (1.0 - ahead * ahead).sqrt();
    let step = half / STEPS as f64;
    let at = |n: usize| {
        let aside = step * (n as f64 + 0.5);
        0.5 * (1.0 + libm::cos(PI * (ahead * ahead + aside * aside).sqrt()))
    };
    2.0 * step * (0..STEPS).map(at).sum::<f64>()
}

/// Solves linear equations whose right sides stand in the last column, with the largest of a column on top.
fn solved(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let count = rows.len();
    for i in 0..count {
        let best = (i..count).fold(i, |best, j| if rows[j][i].abs() > rows[best][i].abs() { j } else { best });
        rows.swap(i, best);
        for j in 0..count {
            if j == i {
                continue;
            }
            let share = rows[j][i] / rows[i][i];
            for k in i..=count {
                rows[j][k] -= share * rows[i][k];
            }
        }
    }
    (0..count).map(|i| rows[i][count] / rows[i][i]).collect()
}
