//! The sea at a moment.

use super::params::{GerstnerWave, OceanParams};
use super::patch::{Node, Patch, PatchNow, Velocity, sharpest};
use super::spectrum::{Spectrum, capillary_frequency};
use crate::{WaterPoint, WaterSurface};
use std::f64::consts::TAU;
use std::sync::Mutex;
use thalweg_field::Invalid;
use thalweg_field::random::Key;

/// How much smaller each patch is than the one before `[-]`; no whole number, so that they do not repeat together.
const RATIO: f64 = 7.31;
/// The longest waves of a smaller patch fit into it so many times `[-]`: fewer would stand out as a pattern.
const FEW: f64 = 5.0;
/// Rounds of looking for the water that has come to a place.
const ROUNDS: usize = 5;
/// Surfaces whose room is kept.
const MOST_SPARE: usize = 2;
/// What is near enough `[m]`.
const NEAR: f64 = 1.0e-4;

/// The waves of an open sea, for all time.
#[derive(Debug)]
pub struct Ocean {
    params: OceanParams,
    patches: Vec<Patch>,
    waves: Vec<Wave>,
    /// Room of surfaces that are gone, for the next ones.
    spare: Mutex<Vec<Vec<PatchNow>>>,
}

/// A wave of one length.
#[derive(Clone, Copy, Debug)]
struct Wave {
    amplitude: f64,
    k: [f64; 2],
    /// Direction, times how far water goes to and fro for each metre up; with chop and without.
    sway: [f64; 2],
    flow: [f64; 2],
    frequency: f64,
    phase: f64,
}

impl Wave {
    fn new(wave: &GerstnerWave, params: &OceanParams) -> Self {
        let k = TAU / wave.length;
        // A bearing, clockwise from north.
        let (cosine, sine) = libm::sincos(wave.direction);
        let flat = params.depth.map_or(1.0, |h| 1.0 / libm::tanh(k * h));
        let flow = [cosine * flat, sine * flat];
        Self {
            amplitude: wave.amplitude,
            k: [k * cosine, k * sine],
            sway: flow.map(|x| params.chop * x),
            flow,
            frequency: capillary_frequency(params.gravity, k, params.depth),
            phase: wave.phase,
        }
    }
}

/// Water that rests at a place without waves, and where they take it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OceanPoint {
    /// Height above the water at rest `[m]`.
    pub height: f64,
    /// How far it has gone east and north `[m]`.
    pub displacement: [f64; 2],
    /// Slopes east and north of the surface that one sees `[-]`.
    pub gradient: [f64; 2],
    /// Area that a square of water at rest takes now, seen from above `[-]`: crests that break fold it, and foam stands where it is
    /// below 0.6.
    pub jacobian: f64,
    /// How its displacement grows: eastward to the east, northward to the north, and either across `[-]`.
    pub strain: [f64; 3],
    /// Velocity of the water `[m/s]`; 0 if nobody asked for it.
    pub velocity: [f64; 3],
}

impl Ocean {
    /// The sea of these parameters.
    pub fn new(params: &OceanParams) -> Result<Self, Invalid> {
        let params = params.clone().validated()?;
        let spectrum = Spectrum::new(&params);
        let count = params.resolution as usize;
        let ratio = RATIO.min(super::patch::SHARPEST * 0.5 * count as f64 / FEW);
        let last = params.cascades as usize - 1;
        let mut side = params.patch;
        let mut from = 0.0;
        let patches = (0..=last)
            .map(|n| {
                // Each wave is in one patch, the largest that shows it while the next one is too small for it.
                let to = if n == last { sharpest(side, count) } else { FEW * TAU * ratio / side };
                let key = Key::new(params.seed).with(n as u64);
                let sea = (params.gravity, params.depth, params.chop);
                let patch = Patch::new(&spectrum, (side, count), [from, to], key, sea);
                from = to;
                side /= ratio;
                patch
            })
            .collect();
        let waves = params.wave.iter().map(|wave| Wave::new(wave, &params)).collect();
        Ok(Self { params, patches, waves, spare: Mutex::default() })
    }

    /// The parameters.
    pub fn params(&self) -> &OceanParams {
        &self.params
    }

    /// Significant height of its waves, four standard deviations `[m]`.
    pub fn significant_height(&self) -> f64 {
        let drawn: f64 = self.patches.iter().map(Patch::variance).sum();
        let waves: f64 = self.waves.iter().map(|wave| 0.5 * wave.amplitude * wave.amplitude).sum();
        4.0 * (drawn + waves).sqrt()
    }

    /// The sea at a time `[s]`; velocities cost half as much again.
    pub fn at_time(&self, time: f64, with_velocity: bool) -> OceanSurface<'_> {
        let unused = || vec![PatchNow::default(); self.patches.len()];
        let mut surface = OceanSurface {
            ocean: self,
            time,
            now: self.spare.lock().ok().and_then(|mut spare| spare.pop()).unwrap_or_else(unused),
            waves: Vec::new(),
        };
        surface.advance_to(time, with_velocity);
        surface
    }

    /// Height above a place at rest, as a plain sum over all waves of the spectrum, and its imaginary part, which is none: slow,
    /// the reference `[m]`.
    pub fn exact_height(&self, place: [f64; 2], time: f64) -> [f64; 2] {
        self.patches
            .iter()
            .map(|patch| patch.exact(time, place))
            .fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]])
    }
}

/// The sea at one moment.
#[derive(Clone, Debug)]
pub struct OceanSurface<'a> {
    ocean: &'a Ocean,
    time: f64,
    now: Vec<PatchNow>,
    /// Waves of one length each, and their phases now.
    waves: Vec<(Wave, f64)>,
}

impl Drop for OceanSurface<'_> {
    fn drop(&mut self) {
        if let Ok(mut spare) = self.ocean.spare.lock()
            && spare.len() < MOST_SPARE
        {
            spare.push(std::mem::take(&mut self.now));
        }
    }
}

/// A patch for drawing: points east and then north, which repeat.
#[derive(Clone, Copy, Debug)]
pub struct PatchView<'a> {
    /// Its side `[m]`.
    pub side: f64,
    /// Points along a side.
    pub count: usize,
    nodes: &'a [Node],
}

impl PatchView<'_> {
    /// Height, displacement east and north, slopes east and north before the displacement, ∂Dx/∂x, ∂Dy/∂y and ∂Dx/∂y at each point, row by row
    /// from the south.
    pub fn nodes(&self) -> &[[f32; 8]] {
        self.nodes
    }
}

impl<'a> OceanSurface<'a> {
    /// Goes to another time, in the memory that it has.
    pub fn advance_to(&mut self, time: f64, with_velocity: bool) {
        self.time = time;
        for (patch, now) in self.ocean.patches.iter().zip(&mut self.now) {
            patch.evaluate(time, with_velocity, now);
        }
        self.waves.clear();
        let phase = |wave: &Wave| TAU * (wave.frequency * time / TAU).fract() - wave.phase;
        self.waves.extend(self.ocean.waves.iter().map(|wave| (*wave, phase(wave))));
    }

    /// Its time `[s]`.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Its patches, the largest first. Waves of one length are not in them.
    pub fn patches(&self) -> impl Iterator<Item = PatchView<'_>> {
        self.ocean.patches.iter().zip(&self.now).map(|(patch, now)| PatchView {
            side: patch.side,
            count: patch.count,
            nodes: &now.nodes,
        })
    }

    /// The water that rests at a place, for meshes that follow it.
    pub fn of_rest(&self, rest: [f64; 2]) -> OceanPoint {
        let (node, velocity) = self.sum(rest);
        let [height, dx, dy, sx, sy, dxx, dyy, dxy] = node;
        let jacobian = (1.0 + dxx) * (1.0 + dyy) - dxy * dxy;
        // Slopes by place, from slopes by place at rest; where water folds over, as if it were about to.
        let area = jacobian.max(0.1);
        let gradient = [((1.0 + dyy) * sx - dxy * sy) / area, ((1.0 + dxx) * sy - dxy * sx) / area];
        OceanPoint { height, displacement: [dx, dy], gradient, jacobian, strain: [dxx, dyy, dxy], velocity }
    }

    /// All that is seen of a place.
    pub fn seen_at(&self, place: [f64; 2]) -> OceanPoint {
        let mut rest = place;
        for _ in 0..ROUNDS {
            let [dx, dy] = self.displacement(rest);
            let next = [place[0] - dx, place[1] - dy];
            let off = (next[0] - rest[0]).abs().max((next[1] - rest[1]).abs());
            rest = next;
            if off < NEAR {
                break;
            }
        }
        self.of_rest(rest)
    }

    fn displacement(&self, rest: [f64; 2]) -> [f64; 2] {
        let mut sum = [0.0; 2];
        for (patch, now) in self.ocean.patches.iter().zip(&self.now) {
            let (corners, weights) = around(patch, rest);
            for (corner, weight) in corners.into_iter().zip(weights) {
                let node = &now.nodes[corner];
                sum = [sum[0] + weight * f64::from(node[1]), sum[1] + weight * f64::from(node[2])];
            }
        }
        for (wave, phase) in &self.waves {
            let sine = libm::sin(wave.k[0] * rest[0] + wave.k[1] * rest[1] - phase);
            let way = wave.amplitude * sine;
            sum = [sum[0] - wave.sway[0] * way, sum[1] - wave.sway[1] * way];
        }
        sum
    }

    fn sum(&self, rest: [f64; 2]) -> ([f64; 8], [f64; 3]) {
        let (mut sum, mut velocity) = ([0.0; 8], [0.0; 3]);
        for (patch, now) in self.ocean.patches.iter().zip(&self.now) {
            let (corners, weights) = around(patch, rest);
            for (corner, weight) in corners.into_iter().zip(weights) {
                let node: &Node = &now.nodes[corner];
                sum.iter_mut().zip(node).for_each(|(sum, &x)| *sum += weight * f64::from(x));
                if let Some(flow) = now.velocities.get(corner) {
                    let flow: &Velocity = flow;
                    velocity.iter_mut().zip(flow).for_each(|(sum, &x)| *sum += weight * f64::from(x));
                }
            }
        }
        for (Wave { amplitude, k, sway, flow, frequency, .. }, phase) in &self.waves {
            let (sine, cosine) = libm::sincos(k[0] * rest[0] + k[1] * rest[1] - phase);
            let (up, across) = (amplitude * cosine, amplitude * sine);
            let terms = [
                up,
                -sway[0] * across,
                -sway[1] * across,
                -k[0] * across,
                -k[1] * across,
                -k[0] * sway[0] * up,
                -k[1] * sway[1] * up,
                -k[0] * sway[1] * up,
            ];
            sum.iter_mut().zip(terms).for_each(|(sum, x)| *sum += x);
            let going = [flow[0] * frequency * up, flow[1] * frequency * up, frequency * across];
            velocity.iter_mut().zip(going).for_each(|(sum, x)| *sum += x);
        }
        (sum, velocity)
    }
}

impl WaterSurface for OceanSurface<'_> {
    fn at(&self, place: [f64; 2]) -> WaterPoint {
        let OceanPoint { height, gradient, velocity, .. } = self.seen_at(place);
        WaterPoint { height, gradient, velocity }
    }
}

/// The four points around a place, and their weights.
fn around(patch: &Patch, place: [f64; 2]) -> ([usize; 4], [f64; 4]) {
    let count = patch.count;
    let cells = place.map(|x| {
        let at = x / patch.side;
        (at - at.floor()) * count as f64
    });
    let [i, j] = cells.map(|x| x as usize % count);
    let [u, v] = cells.map(|x| x - x.floor());
    // A power of two.
    let [right, up] = [(i + 1) & (count - 1), (j + 1) & (count - 1)];
    (
        [j * count + i, j * count + right, up * count + i, up * count + right],
        [(1.0 - u) * (1.0 - v), u * (1.0 - v), (1.0 - u) * v, u * v],
    )
}
