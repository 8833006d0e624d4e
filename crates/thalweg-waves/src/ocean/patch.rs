//! One patch of sea that repeats: its waves, and their sum at a moment by Fourier transform (Tessendorf 2001).

use super::fourier::{Fourier, LANES, Room, Square};
use super::spectrum::{Spectrum, capillary_frequency};
use std::f64::consts::{PI, TAU};
use std::fmt;
use thalweg_field::band;
use thalweg_field::random::Key;

/// Transforms of a patch: two real fields each.
pub(super) const PLANES: usize = 6;
/// Those that are needed without the velocity.
const SHOWN: usize = 4;
/// Waves that one thread turns on at a time.
const PART: usize = 4096;

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
    modes: Vec<Mode>,
    /// Of each [`LANES`] columns of wave numbers whether they have waves.
    columns: Vec<bool>,
    fourier: Fourier,
}

impl fmt::Debug for Patch {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Patch of {} m with {} waves", self.side, self.modes.len())
    }
}

/// Waves of one length along one line, both ways.
#[derive(Clone, Copy, Debug)]
struct Mode {
    /// Place among the wave numbers: columns of those east, rows of those north.
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
    /// Waves, and in the end points, row by row.
    values: Square,
    half: Square,
    room: Room,
}

/// A patch at a moment.
#[derive(Clone, Debug, Default)]
pub(super) struct PatchNow {
    pub(super) nodes: Vec<Node>,
    /// Empty if nobody asked.
    pub(super) velocities: Vec<Velocity>,
    /// Height of each wave, of the part that goes with its wave vector and of that against it.
    turned: Vec<[[f32; 2]; 2]>,
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
        let mut modes = Vec::new();
        let mut columns = vec![false; count / LANES];
        for i in (0..count).filter(|&i| i != count / 2) {
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
                columns[i / LANES] = true;
                modes.push(Mode {
                    place: (j * count + i) as u32,
                    with: with.map(|x| x as f32),
                    against: [against[0] as f32, -against[1] as f32],
                    k: vector.map(|x| x as f32),
                    sway: flow.map(|x| (x * chop) as f32),
                    flow: flow.map(|x| x as f32),
                    frequency: frequency as f32,
                    turns: frequency / TAU,
                });
            }
        }
        Self { side, count, modes, columns, fourier: Fourier::new(count) }
    }

    /// Variance of the height that its waves have on average over all phases `[m²]`.
    pub(super) fn variance(&self) -> f64 {
        let square = |[a, b]: [f32; 2]| f64::from(a).powi(2) + f64::from(b).powi(2);
        self.modes.iter().map(|m| square(m.with) + square(m.against)).sum()
    }

    /// Its sum at a time.
    pub(super) fn evaluate(&self, time: f64, with_velocity: bool, now: &mut PatchNow) {
        let points = self.count * self.count;
        now.turned.resize(self.modes.len(), [[0.0; 2]; 2]);
        band::for_each_chunk(&mut now.turned, PART, |part, turned| {
            for (turned, mode) in turned.iter_mut().zip(&self.modes[part * PART..]) {
                *turned = mode.turned(time);
            }
        });
        now.planes.resize_with(if with_velocity { PLANES } else { SHOWN }, Plane::default);
        let turned = &now.turned;
        band::for_each(&mut now.planes, |n, plane| self.transform_plane(n, turned, plane));
        now.nodes.resize(points, Node::default());
        let seen = &now.planes;
        band::for_each_chunk(&mut now.nodes, self.count, |row, nodes| {
            let first = row * self.count;
            let [a, b, c, d] = [0, 1, 2, 3].map(|n: usize| &seen[n].values);
            for (i, node) in (first..).zip(nodes) {
                *node = [a.re[i], b.re[i], b.im[i], c.re[i], c.im[i], d.re[i], d.im[i], a.im[i]];
            }
        });
        now.velocities.resize(if with_velocity { points } else { 0 }, Velocity::default());
        band::for_each_chunk(&mut now.velocities, self.count, |row, velocities| {
            let (e, f) = (&seen[4].values, &seen[5].values);
            for (i, velocity) in (row * self.count..).zip(velocities) {
                *velocity = [e.re[i], e.im[i], f.re[i], 0.0];
            }
        });
    }

    /// One of the pairs of fields: waves into their places, their columns become rows of points, and once more.
    fn transform_plane(&self, which: usize, turned: &[[[f32; 2]; 2]], plane: &mut Plane) {
        let Plane { values, half, room } = plane;
        values.clear(self.count);
        half.re.resize(self.count * self.count, 0.0);
        half.im.resize(self.count * self.count, 0.0);
        for (mode, turned) in self.modes.iter().zip(turned) {
            let [re, im] = mode.value(which, turned);
            (values.re[mode.place as usize], values.im[mode.place as usize]) = (re, im);
        }
        self.fourier.columns(values, half, room, |first| self.columns[first / LANES]);
        self.fourier.columns(half, values, room, |_| true);
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

/// Complex product.
#[inline(always)]
fn product([a, b]: [f32; 2], [c, d]: [f32; 2]) -> [f32; 2] {
    [a * c - b * d, a * d + b * c]
}

impl Mode {
    /// Its height at a time: of the part with its wave vector, and of that against it.
    #[inline]
    fn turned(&self, time: f64) -> [[f32; 2]; 2] {
        let (s, c) = sine_cosine(self.turns * time);
        [product(self.with, [c, -s]), product(self.against, [c, s])]
    }

    /// Its share in one of the pairs of fields.
    #[inline]
    fn value(&self, which: usize, [with, against]: &[[f32; 2]; 2]) -> [f32; 2] {
        let [kx, ky] = self.k;
        let [nx, ny] = self.sway;
        let height = [with[0] + against[0], with[1] + against[1]];
        let apart = [with[0] - against[0], with[1] - against[1]];
        match which {
            // Height, and ∂Dx/∂y.
            0 => product(height, [1.0, -kx * ny]),
            // Displacement.
            1 => product(height, [-ny, nx]),
            // Slopes.
            2 => product(height, [-ky, kx]),
            // ∂Dx/∂x and ∂Dy/∂y.
            3 => product(height, [-kx * nx, -ky * ny]),
            // Velocity east and north: waves of both ways flow with themselves.
            4 => product(apart, self.flow.map(|flow| self.frequency * flow)),
            // Up.
            _ => product(apart, [0.0, -self.frequency]),
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
