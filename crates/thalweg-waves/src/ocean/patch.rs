//! One patch of sea that repeats: its waves, and their sum at a moment by Fourier transform (Tessendorf 2001).

use super::spectrum::{Spectrum, capillary_frequency};
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};
use std::f64::consts::{PI, TAU};
use std::fmt;
use std::sync::Arc;
use thalweg_field::band;
use thalweg_field::random::Key;

/// Transforms of a patch: two real fields each.
pub(super) const PLANES: usize = 6;
/// Those that are needed without the velocity.
const SHOWN: usize = 4;
/// Squares that are turned at once `[points]`: they fit into the cache.
const TILE: usize = 16;

/// What is known at a point of a patch: height, displacement east and north, slopes east and north, ∂Dx/∂x, ∂Dy/∂y, ∂Dx/∂y.
pub(super) type Node = [f32; 8];
/// Velocity east, north and up; the fourth is 0.
pub(super) type Velocity = [f32; 4];

/// The waves of one patch.
pub(super) struct Patch {
    /// Its side `[m]`.
    pub(super) side: f64,
    /// Points along a side.
    pub(super) count: usize,
    /// Columns of wave numbers east that have waves, from the first one on and up to the last: the rows of the transform.
    rows: Vec<usize>,
    modes: Vec<Mode>,
    /// Where the modes of each row begin.
    starts: Vec<usize>,
    transform: Arc<dyn Fft<f32>>,
}

impl fmt::Debug for Patch {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Patch of {} m with {} waves", self.side, self.modes.len())
    }
}

/// Waves of one length along one line, both ways.
#[derive(Clone, Copy, Debug)]
struct Mode {
    /// Place in its row.
    place: u32,
    /// Amplitudes of the wave with the wave vector, and of the one against it, conjugate `[m]`.
    with: [f32; 2],
    against: [f32; 2],
    /// Wave vector [1/m].
    k: [f32; 2],
    /// Its direction, times how far the water goes to and fro for each metre up.
    sway: [f32; 2],
    /// The same, without chop.
    flow: [f32; 2],
    /// ω [rad/s], and ω/2π [1/s].
    frequency: f32,
    turns: f64,
}

/// Room for one transform.
#[derive(Clone, Debug, Default)]
struct Plane {
    values: Vec<Complex<f32>>,
    turned: Vec<Complex<f32>>,
    scratch: Vec<Complex<f32>>,
}

/// A patch at a moment.
#[derive(Clone, Debug, Default)]
pub(super) struct PatchNow {
    pub(super) nodes: Vec<Node>,
    /// Empty if nobody asked.
    pub(super) velocities: Vec<Velocity>,
    planes: Vec<Plane>,
}

impl Patch {
    /// The waves of a spectrum whose numbers lie in a range [1/m].
    pub(super) fn new(
        spectrum: &Spectrum,
        (side, count): (f64, usize),
        range: [f64; 2],
        key: Key,
        sea: (f64, Option<f64>, f64),
    ) -> Self {
        let (gravity, depth, chop) = sea;
        let step = TAU / side;
        let number = |n: usize| if n < count / 2 { n as f64 } else { n as f64 - count as f64 } * step;
        let opposite = |n: usize| (count - n) % count;
        // P = ½ F Δk², and two random parts of variance ½ each.
        let amplitude = |i: usize, j: usize| -> [f64; 2] {
            let power = 0.5 * spectrum.by_vector([number(i), number(j)]) * step * step;
            let draw = key.with(i as u64).with(j as u64);
            let size = (-libm::log(1.0 - draw.with(0).unit())).sqrt() * power.sqrt();
            let (sine, cosine) = libm::sincos(TAU * draw.with(1).unit());
            [size * cosine, size * sine]
        };
        let (mut rows, mut modes, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        for i in (0..count).filter(|&i| i != count / 2) {
            let start = modes.len();
            for j in (0..count).filter(|&j| j != count / 2) {
                let vector = [number(i), number(j)];
                let k = libm::hypot(vector[0], vector[1]);
                if k == 0.0 || !(range[0]..range[1]).contains(&k) {
                    continue;
                }
                let [with, against] = [amplitude(i, j), amplitude(opposite(i), opposite(j))];
                if with == [0.0; 2] && against == [0.0; 2] {
                    continue;
                }
                let frequency = capillary_frequency(gravity, k, depth);
                // In shallow water it goes farther to and fro than up and down.
                let flat = depth.map_or(1.0, |h| 1.0 / libm::tanh(k * h));
                let flow = vector.map(|x| x / k * flat);
                modes.push(Mode {
                    place: j as u32,
                    with: with.map(|x| x as f32),
                    against: [against[0] as f32, -against[1] as f32],
                    k: vector.map(|x| x as f32),
                    sway: flow.map(|x| (x * chop) as f32),
                    flow: flow.map(|x| x as f32),
                    frequency: frequency as f32,
                    turns: frequency / TAU,
                });
            }
            if modes.len() > start {
                rows.push(i);
                starts.push(start);
            }
        }
        starts.push(modes.len());
        let transform = FftPlanner::new().plan_fft_inverse(count);
        Self { side, count, rows, modes, starts, transform }
    }

    /// Variance of the height that its waves have on average over all phases `[m²]`.
    pub(super) fn variance(&self) -> f64 {
        let square = |[a, b]: [f32; 2]| f64::from(a).powi(2) + f64::from(b).powi(2);
        self.modes.iter().map(|m| square(m.with) + square(m.against)).sum()
    }

    /// Its sum at a time.
    pub(super) fn evaluate(&self, time: f64, with_velocity: bool, now: &mut PatchNow) {
        let points = self.count * self.count;
        let planes = if with_velocity { PLANES } else { SHOWN };
        now.planes.resize_with(planes, Plane::default);
        let length = self.transform.get_inplace_scratch_len();
        band::for_each(&mut now.planes, |n, plane| {
            plane.values.clear();
            plane.values.resize(points, Complex::default());
            plane.turned.resize(points, Complex::default());
            plane.scratch.resize(length, Complex::default());
            self.transform_plane(n, time, plane);
        });
        now.nodes.resize(points, Node::default());
        let seen = &now.planes;
        band::for_each_chunk(&mut now.nodes, self.count, |row, nodes| {
            let row = row * self.count..(row + 1) * self.count;
            let [a, b, c, d] = [0, 1, 2, 3].map(|n: usize| &seen[n].turned[row.clone()]);
            for ((((node, a), b), c), d) in nodes.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *node = [a.re, b.re, b.im, c.re, c.im, d.re, d.im, a.im];
            }
        });
        now.velocities.resize(if with_velocity { points } else { 0 }, Velocity::default());
        band::for_each_chunk(&mut now.velocities, self.count, |row, velocities| {
            let row = row * self.count..(row + 1) * self.count;
            for ((velocity, e), f) in
                velocities.iter_mut().zip(&seen[4].turned[row.clone()]).zip(&seen[5].turned[row])
            {
                *velocity = [e.re, e.im, f.re, 0.0];
            }
        });
    }

    /// One of the pairs of fields: waves into rows, rows, turn, rows.
    fn transform_plane(&self, which: usize, time: f64, plane: &mut Plane) {
        let count = self.count;
        for (n, &row) in self.rows.iter().enumerate() {
            let values = &mut plane.values[row * count..(row + 1) * count];
            for mode in &self.modes[self.starts[n]..self.starts[n + 1]] {
                values[mode.place as usize] = mode.value(which, time);
            }
            self.transform.process_with_scratch(values, &mut plane.scratch);
        }
        turn(&plane.values, &mut plane.turned, count);
        self.transform.process_with_scratch(&mut plane.turned, &mut plane.scratch);
    }

    /// Height and what its Fourier sum leaves in the imaginary part, at a point, in full precision: slow, the reference `[m]`.
    pub(super) fn exact(&self, time: f64, place: [f64; 2]) -> [f64; 2] {
        self.modes.iter().fold([0.0; 2], |sum, mode| {
            let (sine, cosine) = libm::sincos(TAU * (mode.turns * time).fract());
            let [p, q] = mode.with.map(f64::from);
            let [r, u] = mode.against.map(f64::from);
            let a = p * cosine + q * sine + r * cosine - u * sine;
            let b = q * cosine - p * sine + u * cosine + r * sine;
            let angle = f64::from(mode.k[0]) * place[0] + f64::from(mode.k[1]) * place[1];
            let (s, c) = libm::sincos(angle);
            [sum[0] + a * c - b * s, sum[1] + a * s + b * c]
        })
    }
}

impl Mode {
    /// Its share in one of the pairs of fields.
    #[inline]
    fn value(&self, which: usize, time: f64) -> Complex<f32> {
        let (s, c) = sine_cosine(self.turns * time);
        let [p, q] = self.with;
        let [r, u] = self.against;
        let with = Complex::new(p * c + q * s, q * c - p * s);
        let against = Complex::new(r * c - u * s, u * c + r * s);
        let [kx, ky] = self.k;
        let [nx, ny] = self.sway;
        let height = with + against;
        match which {
            // Height, and ∂Dx/∂y.
            0 => height * Complex::new(1.0, -kx * ny),
            // Displacement.
            1 => height * Complex::new(-ny, nx),
            // Slopes.
            2 => height * Complex::new(-ky, kx),
            // ∂Dx/∂x and ∂Dy/∂y.
            3 => height * Complex::new(-kx * nx, -ky * ny),
            // Velocity east and north: waves of both ways flow with themselves.
            4 => {
                (with - against) * Complex::new(self.frequency * self.flow[0], self.frequency * self.flow[1])
            }
            // Up.
            _ => (with - against) * Complex::new(0.0, -self.frequency),
        }
    }
}

/// sin and cos of whole turns, to 1e-7: the same bits on every machine.
#[inline]
fn sine_cosine(turns: f64) -> (f32, f32) {
    // Quarter turns; what is left lies within an eighth of a turn of 0.
    let quarters = (4.0 * turns).round();
    let x = ((turns - 0.25 * quarters) * TAU) as f32;
    let x2 = x * x;
    // Taylor to x⁹ and x⁸; at π/4 the next terms are 2e-9 and 3e-8.
    let sine = x * (1.0 + x2 * (-1.0 / 6.0 + x2 * (1.0 / 120.0 + x2 * (-1.0 / 5040.0 + x2 / 362_880.0))));
    let cosine = 1.0 + x2 * (-0.5 + x2 * (1.0 / 24.0 + x2 * (-1.0 / 720.0 + x2 / 40_320.0)));
    match (quarters.rem_euclid(4.0)) as u32 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// Rows become columns.
fn turn(from: &[Complex<f32>], to: &mut [Complex<f32>], count: usize) {
    for row in (0..count).step_by(TILE) {
        for col in (0..count).step_by(TILE) {
            for i in row..row + TILE {
                for j in col..col + TILE {
                    to[j * count + i] = from[i * count + j];
                }
            }
        }
    }
}

/// Largest wave number that a patch shows well, as a share of what its points can hold `[-]`: three points to a wave.
pub(super) const SHARPEST: f64 = 0.7;

/// Largest wave number of a patch [1/m].
pub(super) fn sharpest(side: f64, count: usize) -> f64 {
    SHARPEST * PI * count as f64 / side
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_have_the_sine_and_cosine_of_their_angle() {
        for n in -2000..2000 {
            let turns = f64::from(n) * 0.001_37;
            let (sine, cosine) = sine_cosine(turns);
            let (s, c) = libm::sincos(TAU * turns);
            let off = (f64::from(sine) - s).abs().max((f64::from(cosine) - c).abs());
            assert!(off < 2.0e-7, "{turns} turns: {off:e}");
        }
    }
}
