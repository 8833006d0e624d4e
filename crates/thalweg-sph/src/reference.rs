//! The same physics as a plain program: one particle after the other in f64, the formulas as printed, each particle with a
//! list of neighbours from a hash map.
//!
//! It stays simple. The fast one is measured and checked against it.

use crate::boundary::BoundaryFactors;
use crate::constants::{NORMAL_THRESHOLD, WALL_SHARE};
use crate::kernel::{Kernel, Poly6, Viscosity};
use crate::params::{Equation, FluidParams, PressureSolver, Tension};
use crate::particles::{Particles, SLIP};
use crate::pressure::{at_rest, wcsph};
use std::collections::HashMap;
use std::f64::consts::PI;

/// A particle as a plain program has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where `[m]`.
    pub position: [f64; 3],
    /// How fast `[m/s]`.
    pub velocity: [f64; 3],
    /// How heavy `[kg]`.
    pub mass: f64,
    /// Whether it belongs to the boundary.
    pub boundary: bool,
    /// Whether it belongs to one that rubs.
    pub rough: bool,
    /// ρ/ρ₀ − 1, where density follows the flow `[-]`.
    pub compression: f64,
}

impl Point {
    /// All particles, with the masses that they have.
    pub fn all(particles: &Particles) -> Vec<Self> {
        let point = |i: usize| {
            let particle = particles.get(i);
            Self {
                position: particle.position.map(f64::from),
                velocity: particle.velocity.map(f64::from),
                mass: f64::from(particle.mass),
                boundary: particles.is_boundary(i),
                rough: particles.is_boundary(i) && particle.tag & SLIP == 0,
                compression: particle.compression.into(),
            }
        };
        (0..particles.len()).map(point).collect()
    }
}

/// Weighs the boundary: each of its particles stands for ρ₀ over the sum of the kernel over all of them (Akinci et al.
/// 2012).
pub fn weigh_boundary(params: &FluidParams, points: &mut [Point]) {
    if params.pressure != PressureSolver::Summed {
        return; // its owner knows
    }
    let bell = Poly6(params.smoothing_radius());
    let near = neighbours(points, bell.0, |point| point.boundary);
    for (i, near) in near.iter().enumerate().filter(|(_, near)| !near.is_empty()) {
        let solid = near.iter().filter(|&&j| points[j].boundary);
        let sum: f64 = solid.map(|&j| bell.value(length(between(points, i, j)))).sum();
        points[i].mass = params.density / sum;
    }
}

/// A fluid and its boundary at one moment.
pub struct Plain<'a> {
    params: &'a FluidParams,
    sound_speed: f64,
    points: &'a [Point],
    /// Of each particle of the fluid, all within reach, itself included.
    near: Vec<Vec<usize>>,
    boundary: BoundaryFactors,
    /// Kernels of density and of pressure.
    bell: Box<dyn Kernel>,
    spike: Box<dyn Kernel>,
    density: Vec<f64>,
    pressure: Vec<f64>,
    /// Factors where density follows the flow: of slopes, of shear, and of what sticks.
    factors: [f64; 3],
}

impl std::fmt::Debug for Plain<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Plain")
            .field("params", &self.params)
            .field("density", &self.density)
            .finish_non_exhaustive()
    }
}

impl<'a> Plain<'a> {
    /// Finds neighbours, densities (Kataev 2022, eq. 1.25) and pressures (eq. 1.32, or Tait) of a fluid with this speed of sound `[m/s]`.
    pub fn new(params: &'a FluidParams, sound_speed: f64, points: &'a [Point]) -> Self {
        let near = neighbours(points, params.smoothing_radius(), |point| !point.boundary);
        let count = points.len();
        let boundary = BoundaryFactors::of(params);
        let (density, pressure) = (vec![params.density; count], vec![0.0; count]);
        let [bell, spike] = params.kernels();
        let [slope, shear] = at_rest::calibration(params);
        let factors = [slope, shear, at_rest::sticking(params)];
        let mut plain =
            Self { params, sound_speed, points, near, boundary, bell, spike, density, pressure, factors };
        for i in plain.fluid() {
            let part = |j: &usize| {
                let share = if points[*j].boundary { f64::from(boundary.density) } else { 1.0 };
                share * points[*j].mass * plain.bell.value(length(between(points, i, *j)))
            };
            (plain.density[i], plain.pressure[i]) = match params.pressure {
                PressureSolver::Summed => {
                    let density = plain.near[i].iter().map(part).sum();
                    (density, plain.pressure_at(density))
                }
                _ => plain.follow(i),
            };
        }
        plain
    }

    /// Density of each particle `[kg/m³]`; that at rest for the boundary.
    pub fn density(&self) -> &[f64] {
        &self.density
    }

    /// Acceleration of each particle `[m/s²]`; zero for the boundary.
    pub fn accelerations(&self) -> Vec<[f64; 3]> {
        let normals = match self.params.surface {
            Tension::Akinci => (0..self.points.len()).map(|i| self.normal(i)).collect(),
            _ => Vec::new(),
        };
        let mut all = vec![[0.0; 3]; self.points.len()];
        let calibration = self.params.calibration();
        for i in self.fluid() {
            let pushed = match self.params.pressure {
                PressureSolver::Summed => self.pressure_and_friction(i, calibration),
                _ => self.push_and_drag(i),
            };
            let parts = [pushed, self.tension(i, &normals)];
            all[i] = plus(parts[0], parts[1]);
            all[i][2] -= self.params.gravity;
        }
        all
    }

    fn fluid(&self) -> impl Iterator<Item = usize> + use<> {
        let fluid: Vec<usize> = (0..self.points.len()).filter(|&i| !self.points[i].boundary).collect();
        fluid.into_iter()
    }

    fn pressure_at(&self, density: f64) -> f64 {
        let p = self.params;
        match p.equation {
            Equation::Linear => p.stiffness * (density - p.density),
            Equation::Tait => {
                let b = p.density * self.sound_speed.powi(2) / 7.0;
                (b * ((density / p.density).powi(7) - 1.0)).max(0.0)
            }
        }
    }

    /// Density that follows the flow, and what of the pressure pushes: none pulls at the surface.
    fn follow(&self, i: usize) -> (f64, f64) {
        let s = self.points[i].compression;
        let pressure = self.params.density * self.sound_speed.powi(2) * s;
        let filled: f64 = self.others(i).map(|(j, _, r)| self.steepness(j, r) * r * r).sum();
        (
            self.params.density * (1.0 + s),
            if filled < 3.0 * at_rest::FULL { pressure.max(0.0) } else { pressure },
        )
    }

    /// V |dW/dr|/r, calibrated `[1/m²]`.
    fn steepness(&self, j: usize, r: f64) -> f64 {
        self.factors[0] * (self.params.smoothing_radius() - r).max(0.0).powi(3) * self.points[j].mass
            / self.params.density
    }

    /// How fast the flow compresses the particle `i`, ds/dt `[1/s]` (Monaghan 1994; Fourtakas et al. 2019).
    pub fn compression_rate(&self, i: usize) -> f64 {
        let (p, sound) = (self.params, self.sound_speed);
        let diffusion = wcsph::DIFFUSION * p.smoothing_radius() * sound;
        let rate = |(j, away, r): (usize, [f64; 3], f64)| {
            let (here, there) = (&self.points[i], &self.points[j]);
            let apart: f64 = (0..3).map(|k| (here.velocity[k] - there.velocity[k]) * away[k]).sum();
            let uneven = there.compression - here.compression - p.gravity * away[2] / sound.powi(2);
            let term = if there.boundary { -2.0 * apart } else { diffusion * uneven - apart };
            self.steepness(j, r) * term
        };
        self.others(i).map(rate).sum()
    }

    /// Pressure and viscosity where density follows the flow, each pair along the way between the two; and what the air does to spray.
    fn push_and_drag(&self, i: usize) -> [f64; 3] {
        let (p, own) = (self.params, self.pressure[i]);
        let [_, shear, sticking] = self.factors;
        let damping = p.density * p.damping * p.smoothing_radius() * self.sound_speed;
        let filled: f64 = self.others(i).map(|(j, _, r)| self.steepness(j, r) * r * r).sum();
        let v = self.points[i].velocity;
        let air = if filled < 3.0 * f64::from(at_rest::SPRAY) { p.air * length(v) } else { 0.0 };
        let mut a = v.map(|v| -air * v);
        for (j, away, r) in self.others(i) {
            let other = &self.points[j];
            let (both, viscosity) = match (other.boundary, other.rough) {
                (false, _) => (own + self.pressure[j], p.viscosity + damping),
                (true, true) => (self.behind(own, away[2]), sticking * (p.viscosity + WALL_SHARE * damping)),
                (true, false) => (self.behind(own, away[2]), 0.0),
            };
            let apart: f64 = (0..3).map(|k| (self.points[i].velocity[k] - other.velocity[k]) * away[k]).sum();
            let push = both / p.density - 2.0 * viscosity / p.density / shear * apart / (r * r);
            a = plus(a, away.map(|d| self.steepness(j, r) * push * d));
        }
        a
    }

    /// Pressure of a particle and of the boundary that lies `down` below it `[Pa]`; together they never pull.
    fn behind(&self, own: f64, down: f64) -> f64 {
        (2.0 * own + self.params.density * self.params.gravity * down).max(0.0)
    }

    /// Others within reach of a particle, each with the way from there and its length `[m]`.
    fn others(&self, i: usize) -> impl Iterator<Item = (usize, [f64; 3], f64)> {
        self.near[i].iter().filter(move |&&j| j != i).map(move |&j| {
            let away = between(self.points, i, j);
            (j, away, length(away))
        })
    }

    /// Volume of a particle `[m³]`.
    fn volume(&self, i: usize) -> f64 {
        self.points[i].mass / self.density[i]
    }

    /// Pressure and viscosity (Kataev 2022, eqs. 1.33 and 1.35), each corrected by its factor.
    fn pressure_and_friction(&self, i: usize, [steep, thick]: [f64; 2]) -> [f64; 3] {
        let (p, h) = (self.params, self.params.smoothing_radius());
        let rub = Viscosity(h);
        // Between water and boundary only a little of the damping, on a volume that makes the boundary's own speed felt.
        let damping = p.density * p.damping * h * self.sound_speed;
        let viscosity = p.viscosity + damping;
        let wall = f64::from(self.boundary.drag) * (p.viscosity + WALL_SHARE * damping);
        let over = |i: usize| self.pressure[i] / (self.density[i] * self.density[i]);
        let mut a = [0.0; 3];
        for (j, away, r) in self.others(i) {
            let (mut both, mut mass, mut viscous) = (over(i) + over(j), self.points[j].mass, viscosity);
            if self.points[j].boundary {
                mass *= f64::from(self.boundary.push);
                viscous = wall;
                if p.calibrate {
                    // Pressure goes on growing with depth behind the boundary, where the water presses on it at all.
                    both += 0.5 * (p.gravity / p.density).min(over(i).max(0.0) / h) * away[2];
                }
            }
            let push = -mass * both * steep * self.spike.slope(r) / r;
            let drag = viscous / self.density[i] * self.volume(j) * thick * rub.laplacian(r);
            for axis in 0..3 {
                let faster = self.points[j].velocity[axis] - self.points[i].velocity[axis];
                a[axis] += push * away[axis] + drag * faster;
            }
        }
        a
    }

    /// Surface tension, between particles of the fluid.
    fn tension(&self, i: usize, normals: &[[f64; 3]]) -> [f64; 3] {
        let (p, bell) = (self.params, Poly6(self.params.smoothing_radius()));
        let h = bell.0;
        let fluid = self.others(i).filter(|&(j, ..)| !self.points[j].boundary);
        match p.surface {
            Tension::None => [0.0; 3],
            Tension::ColourField => {
                let mut curvature = self.volume(i) * bell.laplacian(0.0);
                let mut normal = [0.0; 3];
                for (j, away, r) in fluid {
                    normal = plus(normal, away.map(|d| self.volume(j) * bell.slope(r) * d / r));
                    curvature += self.volume(j) * bell.laplacian(r);
                }
                // Kataev 2022, eq. 1.37: only where the normal is long enough to have a direction.
                let steepness = length(normal);
                let strength = if steepness < NORMAL_THRESHOLD / h { 0.0 } else { p.tension };
                normal.map(|n| -strength / self.density[i] * curvature * n / steepness)
            }
            Tension::BeckerTeschner => {
                let pull =
                    |j: usize, r: f64| -p.tension * self.points[j].mass / self.points[i].mass * bell.value(r);
                fluid.fold([0.0; 3], |a, (j, away, r)| plus(a, away.map(|d| pull(j, r) * d)))
            }
            Tension::Akinci => fluid.fold([0.0; 3], |a, (j, away, r)| {
                let few = 2.0 * p.density / (self.density[i] + self.density[j]);
                let cube = ((h - r) * r).powi(3);
                let spline = if 2.0 * r > h { cube } else { 2.0 * cube - h.powi(6) / 64.0 };
                let cohesion = 32.0 / (PI * h.powi(9)) * spline * self.points[j].mass;
                let pull = |axis: usize| cohesion * away[axis] / r + normals[i][axis] - normals[j][axis];
                std::array::from_fn(|axis| a[axis] - p.tension * few * pull(axis))
            }),
        }
    }

    /// Normal of the surface (Akinci et al. 2013), n = h Σ V ∇W over the fluid.
    fn normal(&self, i: usize) -> [f64; 3] {
        let bell = Poly6(self.params.smoothing_radius());
        let fluid = self.others(i).filter(|&(j, ..)| !self.points[j].boundary);
        fluid.fold([0.0; 3], |n, (j, away, r)| {
            plus(n, away.map(|d| bell.0 * self.volume(j) * bell.slope(r) * d / r))
        })
    }
}

/// For every point that is `wanted`, those within `h` `[m]`, itself included; none for the others.
fn neighbours(points: &[Point], h: f64, wanted: impl Fn(&Point) -> bool) -> Vec<Vec<usize>> {
    let cell = |p: [f64; 3]| p.map(|v| (v / h).floor() as i64);
    let mut cells: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    for (i, point) in points.iter().enumerate() {
        cells.entry(cell(point.position)).or_default().push(i);
    }
    let near = |i: usize| {
        let [x, y, z] = cell(points[i].position);
        let around = (0..27).map(move |k| [x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1]);
        let all = around.filter_map(|cell| cells.get(&cell)).flatten().copied();
        all.filter(|&j| length(between(points, i, j)) < h).collect()
    };
    (0..points.len()).map(|i| if wanted(&points[i]) { near(i) } else { Vec::new() }).collect()
}

/// The way from the second point to the first `[m]`.
fn between(points: &[Point], i: usize, j: usize) -> [f64; 3] {
    std::array::from_fn(|axis| points[i].position[axis] - points[j].position[axis])
}

fn plus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| a[axis] + b[axis])
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}
