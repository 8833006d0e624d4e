//! Particle water against theory, experiment and plain reference code: kernels, neighbours, conservation, water at rest
//! and in motion, sediment afloat, the bed, and the same bits however the work is cut.

use super::{Case, Check};
use std::f64::consts::PI;
use thalweg_coupling::{
    Bed, BedParams, Edge, Emitter, ErosionParams, Exposure, Hold, Params, Pieces, Pool, Saved, Setting,
    Shape, StepError, Top, Torrent, changes,
};
use thalweg_erosion::law::settling::{Grains, richardson_zaki};
use thalweg_erosion::law::shear::Shear;
use thalweg_erosion::pipes::Ledger;
use thalweg_field::{Frame, Grid2, Heightfield, random::Key};
use thalweg_sph::kernel::{CubicSpline, Kernel, Poly6, Spiky, Viscosity, Wendland, lattice_sum};
use thalweg_sph::{Equation, FOREVER, Fluid, FluidParams, Grip, Particle, Particles, Surroundings, Tension};

type Checks = Result<Vec<Check>, StepError>;

pub const CASES: &[Case] = &[
    Case {
        name: "sph/kernels",
        about: "kernels integrate to one, slopes and Laplacians are theirs",
        run: || told(kernels()),
    },
    Case {
        name: "sph/neighbours",
        about: "every particle feels just those within h",
        run: || told(neighbours()),
    },
    Case {
        name: "sph/reference",
        about: "density and acceleration against plain sums in f64",
        run: || told(reference()),
    },
    Case { name: "sph/momentum", about: "a free blob keeps its momentum", run: || told(momentum()) },
    Case {
        name: "sph/hydrostatic",
        about: "a column at rest carries its weight",
        run: || told(hydrostatic()),
    },
    Case { name: "sph/dam-break", about: "the front of a falling column", run: || told(dam_break()) },
    Case {
        name: "sph/poiseuille",
        about: "flow between two plates, driven by a force",
        run: || told(poiseuille()),
    },
    Case {
        name: "sph/couette",
        about: "flow between two plates, driven by one of them",
        run: || told(couette()),
    },
    Case { name: "sph/settling", about: "grains settle in still water", run: || told(settling()) },
    Case { name: "sph/diffusion", about: "a cloud of sediment spreads", run: || told(diffusion()) },
    Case {
        name: "sph/erosion-law",
        about: "shear loosens as much as the law says",
        run: || told(erosion_law()),
    },
    Case { name: "sph/no-leak", about: "rough ground stops what falls on it", run: || told(no_leak()) },
    Case {
        name: "sph/triangle-mass",
        about: "a triangle changes the bed by what it gains",
        run: || told(triangle_mass()),
    },
    Case { name: "sph/ledger", about: "no grain is lost in an eroding stream", run: || told(ledger()) },
    Case { name: "sph/resume", about: "a saved run goes on to the same bits", run: || told(resume()) },
    #[cfg(not(target_arch = "wasm32"))]
    Case { name: "sph/threads", about: "any number of threads gives the same bits", run: || told(threads()) },
];

// ---- what the cases share ----

/// A run that the fluid itself gives up is a failed check.
fn told(checks: Checks) -> Result<Vec<Check>, thalweg_erosion::pipes::StepError> {
    let stopped =
        |error| vec![Check::new(format!("the run stopped: {error}"), "-", "the solver's own guard")];
    Ok(checks.unwrap_or_else(stopped))
}

/// Ground of `cols` by `rows` vertices `cell` metres apart; `height` takes column and row from the north-west.
fn ground(cols: usize, rows: usize, cell: f64, height: impl Fn(usize, usize) -> f64 + Sync) -> Heightfield {
    Heightfield {
        height: Grid2::from_fn(cols, rows, |col, row| height(col, row) as f32),
        frame: Frame::with_cell(cell),
    }
}

/// Level ground at 0 m that spans `size` cells; the triangles begin half a cell from its corner.
fn flat(size: [usize; 2], cell: f64) -> Heightfield {
    ground(size[0] + 1, size[1] + 1, cell, |_, _| 0.0)
}

/// Spikes and holes up to `relief` metres, different at every vertex.
fn rough(size: usize, cell: f64, relief: f64) -> Heightfield {
    ground(size, size, cell, |col, row| relief * Key::new(23).with((row * size + col) as u64).unit())
}

fn torrent(ground: &Heightfield, params: &Params, setting: &Setting) -> Torrent {
    Torrent::new(ground, params, setting).expect("the numbers of a built-in case are valid")
}

fn fluid(params: &FluidParams, expected_speed: f64) -> Fluid {
    Fluid::new(params, expected_speed, 1024, false).expect("the numbers of a built-in case are valid")
}

fn still_water(from: [f64; 2], to: [f64; 2], bottom: Option<f64>, top: Top) -> Pool {
    Pool { from, to, bottom, top, velocity: [0.0; 3], sediment: 0.0, lifetime: None }
}

/// Water alone.
fn clear(fluid: FluidParams, bed: BedParams) -> Params {
    Params { fluid, bed, erosion: ErosionParams { enabled: false, ..ErosionParams::default() } }
}

/// A number between −1 and 1.
fn signed(key: Key, index: u64) -> f64 {
    2.0 * key.with(index).unit() - 1.0
}

fn water(particles: &Particles) -> impl Iterator<Item = usize> + '_ {
    (0..particles.len()).filter(|&i| !particles.is_boundary(i))
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn length(v: [f64; 3]) -> f64 {
    dot(v, v).sqrt()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

fn position(particles: &Particles, i: usize) -> [f64; 3] {
    particles.get(i).position.map(f64::from)
}

fn velocity(particles: &Particles, i: usize) -> [f64; 3] {
    particles.get(i).velocity.map(f64::from)
}

/// A line through points by least squares: value at 0, and slope.
fn line(points: &[[f64; 2]]) -> [f64; 2] {
    let n = points.len() as f64;
    let sum = |f: &dyn Fn(&[f64; 2]) -> f64| points.iter().map(f).sum::<f64>();
    let (x, y) = (sum(&|p| p[0]) / n, sum(&|p| p[1]) / n);
    let slope = sum(&|p| (p[0] - x) * (p[1] - y)) / sum(&|p| (p[0] - x).powi(2));
    [y - slope * x, slope]
}

/// The value at `at` of a curve through points in order, straight between them.
fn interpolated(curve: &[[f64; 2]], at: f64) -> f64 {
    let Some(i) = curve.windows(2).position(|pair| (pair[0][0]..=pair[1][0]).contains(&at)) else {
        return f64::NAN;
    };
    let (a, b) = (curve[i], curve[i + 1]);
    a[1] + (b[1] - a[1]) * (at - a[0]) / (b[0] - a[0])
}

/// Empty space, or a lattice whose particles stay in their places while velocities change.
#[derive(Default)]
struct Space {
    /// Whether particles stay in their places.
    held: bool,
    /// Whether they move eastwards only.
    eastwards: bool,
    /// Acceleration to the east [m/s²].
    push: f32,
}

impl Surroundings for Space {
    fn push(&self, _: [f32; 3], _: [f32; 3], _: f32) -> [f32; 3] {
        [self.push, 0.0, 0.0]
    }

    fn end_move(&self, from: [f32; 3], particle: &mut Particle, _: f32) {
        if self.held {
            particle.position = from;
        }
        if self.eastwards {
            (particle.velocity[1], particle.velocity[2]) = (0.0, 0.0);
        }
    }
}

const HELD: Space = Space { held: true, eastwards: false, push: 0.0 };

// ---- kernels ----

fn kernels() -> Checks {
    const SOURCE: &str = "Müller et al. 2003; Monaghan 2005: ∫W = 1, central differences in f64";
    let h = 0.0457;
    let kernels: [(&str, &dyn Kernel); 5] = [
        ("wendland", &Wendland(h)),
        ("poly6", &Poly6(h)),
        ("spiky", &Spiky(h)),
        ("viscosity", &Viscosity(h)),
        ("cubic spline", &CubicSpline(h)),
    ];
    let mut checks = Vec::new();
    for (name, kernel) in kernels {
        let n = 200_000;
        let dr = h / f64::from(n);
        let shell = |i: u32| {
            let r = (f64::from(i) + 0.5) * dr;
            4.0 * PI * r * r * kernel.value(r) * dr
        };
        let integral: f64 = (0..n).map(shell).sum();
        checks.push(Check::new(format!("integral, {name}"), "-", SOURCE).near(integral, 1.0, 1.0e-6));
        let (mut worst_slope, mut worst_laplacian) = (0.0f64, 0.0f64);
        for i in 10..200 {
            // Away from the knot of the spline, where the third derivative jumps.
            let r = (f64::from(i) + 0.37) / 201.0 * h;
            let e = 1.0e-4 * h;
            let [a, b, c] = [r - e, r, r + e].map(|r| kernel.value(r));
            let slope = (c - a) / (2.0 * e);
            let laplacian = (c - 2.0 * b + a) / (e * e) + 2.0 / r * slope;
            let (s, l) = (kernel.slope(r), kernel.laplacian(r));
            worst_slope = worst_slope.max((s - slope).abs() / (s.abs() + h.powi(-4)));
            worst_laplacian = worst_laplacian.max((l - laplacian).abs() / (l.abs() + h.powi(-5)));
        }
        let what = |what: &str| format!("worst relative error of the {what}, {name}");
        checks.push(Check::new(what("slope"), "-", SOURCE).at_most(worst_slope, 1.0e-4));
        checks.push(Check::new(what("Laplacian"), "-", SOURCE).at_most(worst_laplacian, 1.0e-4));
    }
    Ok(checks)
}

// ---- neighbours ----

/// A cloud: places [m], each with whether it is water.
type Cloud = Vec<([f32; 3], bool)>;

fn cloud(count: usize, seed: u64, place: impl Fn(Key) -> [f64; 3]) -> Cloud {
    let one = |i: usize| {
        let key = Key::new(seed).with(i as u64);
        (place(key).map(|v| v as f32), key.with(9).unit() < 0.7)
    };
    (0..count).map(one).collect()
}

/// One particle moves at a time, three along the three axes: it drags those within h and no others. That goes through the
/// sort, the search, the vectors that the density keeps for the forces, and the forces themselves.
fn neighbours() -> Checks {
    let h = 0.05;
    let random = |side: f64, at: f64| move |key: Key| [0, 1, 2].map(|axis| at + side * key.with(axis).unit());
    let clouds: [(&str, Cloud); 9] = [
        ("1 particle", cloud(1, 1, random(0.1, 0.0))),
        ("2 particles", cloud(2, 2, random(0.03, -7.0))),
        ("17 particles", cloud(17, 3, random(0.09, 0.0))),
        ("600 particles", cloud(600, 4, random(0.3, 0.0))),
        ("dense clumps", {
            let clump = |key: Key| {
                let middle = [0, 1, 2].map(|axis| (4.0 * key.with(5 + axis).unit()).floor() * 0.031);
                std::array::from_fn(|axis| middle[axis] + 0.004 * signed(key, axis as u64))
            };
            cloud(600, 5, clump)
        }),
        ("thin sheet", cloud(500, 6, |key| [key.with(0).unit(), 0.4 * key.with(1).unit(), 0.013])),
        ("coincident x", cloud(500, 7, |key| [0.1, 0.3 * key.with(1).unit(), 0.3 * key.with(2).unit()])),
        ("on one spot", cloud(40, 8, |_| [0.3; 3])),
        ("at 100 m", cloud(500, 9, random(0.25, 100.0))),
    ];
    let mut checks = Vec::new();
    for (name, mut cloud) in clouds {
        if name == "at 100 m" {
            // Something far away, so that cells are counted from there.
            cloud.extend([([0.0, 100.0, 100.0], true), ([100.1, 100.0, 99.8], false)]);
        }
        let (found, differ) = differing_pairs(&cloud, h)?;
        let what = |what: &str| format!("{what}, {name}");
        checks.push(Check::new(what("pairs that differ"), "pairs", "every pair tried").near(
            differ as f64,
            0.0,
            0.0,
        ));
        let least = if name == "1 particle" { 0.0 } else { 1.0 };
        let check = Check::new(what("pairs found"), "pairs", "a comparison of nothing shows nothing");
        checks.push(check.at_least(found as f64, least));
    }
    Ok(checks)
}

/// What the pressure that is left does to a velocity is less, what the weakest drag does is more [m/s].
const NOTHING: f32 = 1.0e-9;

/// Pairs of a particle of the fluid and any other that are within `h`, and pairs in which search and trial disagree.
fn differing_pairs(cloud: &Cloud, h: f64) -> Result<(usize, usize), StepError> {
    let params = FluidParams {
        spacing: 0.5 * h,
        radius: Some(h),
        viscosity: 1000.0,
        damping: 0.0,
        // No pressure, however close they are.
        sound_speed: Some(1.0e-18),
        gravity: 0.0,
        ..FluidParams::default()
    };
    let mut fluid = fluid(&params, 1.0);
    for &(at, wet) in cloud {
        if wet {
            fluid.add(at, [0.0; 3], FOREVER, 0.0);
        } else {
            fluid.add_boundary(at, [0.0; 3], 0);
        }
    }
    let hh = f64::from(fluid.constants().h).powi(2);
    let (mut found, mut differ) = (0, 0);
    let count = cloud.len();
    for first in (0..count).step_by(3) {
        let particles = fluid.particles_mut();
        particles.velocity.iter_mut().for_each(|v| v.fill(0.0));
        for axis in 0..3.min(count - first) {
            particles.velocity[axis][first + axis] = 1.0;
        }
        let before: Vec<Particle> = (0..count).map(|i| particles.get(i)).collect();
        fluid.sort()?;
        fluid.compute_density();
        fluid.accelerate_and_move(&HELD, 1.0)?;
        let after = fluid.particles();
        for (i, old) in fluid.neighbours().order().enumerate() {
            if after.is_boundary(i) {
                continue;
            }
            for axis in 0..3.min(count - first) {
                let mover = first + axis;
                if mover == old {
                    continue;
                }
                let [a, b] = [old, mover].map(|i| before[i].position.map(f64::from));
                let away = minus(a, b);
                // A distance of h itself, to all digits of f32, is neither within nor beyond.
                let near = dot(away, away) / hh;
                if (near - 1.0).abs() < 1.0e-6 {
                    continue;
                }
                let change = after.velocity[axis][i] - before[old].velocity[axis];
                let (dragged, within) = (change.abs() > NOTHING, near < 1.0);
                found += usize::from(within);
                differ += usize::from(dragged != within);
            }
        }
    }
    Ok((found, differ))
}

// ---- reference ----

/// The forces as printed, pair by pair, in f64.
struct Plain<'a> {
    params: &'a FluidParams,
    particles: &'a Particles,
    sound_speed: f64,
    mass: Vec<f64>,
    density: Vec<f64>,
    grip: Grip,
}

impl<'a> Plain<'a> {
    fn new(params: &'a FluidParams, particles: &'a Particles, sound_speed: f64) -> Self {
        let ([bell, _], weighing) = (params.kernels(), Poly6(params.smoothing_radius()));
        let count = particles.len();
        let distance = |i: usize, j: usize| length(minus(position(particles, i), position(particles, j)));
        let mass: Vec<f64> = (0..count)
            .map(|i| {
                if !particles.is_boundary(i) {
                    return params.particle_mass();
                }
                let solid = (0..count).filter(|&j| particles.is_boundary(j));
                params.density / solid.map(|j| weighing.value(distance(i, j))).sum::<f64>()
            })
            .collect();
        let grip = Grip::on(params);
        let density = (0..count)
            .map(|i| {
                let felt = |j: usize| {
                    let grip = if particles.is_boundary(j) { f64::from(grip.density) } else { 1.0 };
                    grip * mass[j] * bell.value(distance(i, j))
                };
                if particles.is_boundary(i) { params.density } else { (0..count).map(felt).sum() }
            })
            .collect();
        Self { params, particles, sound_speed, mass, density, grip }
    }

    fn pressure(&self, i: usize) -> f64 {
        if self.particles.is_boundary(i) {
            return 0.0;
        }
        let p = self.params;
        match p.equation {
            Equation::Linear => p.stiffness * (self.density[i] - p.density),
            Equation::Tait => {
                let b = p.density * self.sound_speed.powi(2) / 7.0;
                (b * ((self.density[i] / p.density).powi(7) - 1.0)).max(0.0)
            }
        }
    }

    /// n = h Σ V ∇W, over the water.
    fn normal(&self, i: usize) -> [f64; 3] {
        let bell = Poly6(self.params.smoothing_radius());
        let mut n = [0.0; 3];
        for j in water(self.particles).filter(|&j| j != i) {
            let away = minus(position(self.particles, i), position(self.particles, j));
            let r = length(away);
            for axis in 0..3 {
                n[axis] += bell.0 * self.mass[j] / self.density[j] * bell.slope(r) * away[axis] / r;
            }
        }
        n
    }

    fn acceleration(&self, i: usize, normals: &[[f64; 3]]) -> [f64; 3] {
        let (p, h) = (self.params, self.params.smoothing_radius());
        let ([_, spike], bell, rub) = (p.kernels(), Poly6(h), Viscosity(h));
        let [steep, thick] = calibration(p);
        // Between water and boundary only a little of the damping, on a volume that makes the boundary's own speed felt.
        let viscosity = p.viscosity + p.density * p.damping * h * self.sound_speed;
        let wall =
            f64::from(self.grip.drag) * (p.viscosity + 0.005 * p.density * p.damping * h * self.sound_speed);
        let (pi, di) = (self.pressure(i), self.density[i]);
        let mut a = [0.0, 0.0, -p.gravity];
        let (mut colour, mut curvature) = ([0.0; 3], 0.0);
        if p.surface == Tension::ColourField {
            curvature = self.mass[i] / di * bell.laplacian(0.0);
        }
        for j in (0..self.particles.len()).filter(|&j| j != i) {
            let away = minus(position(self.particles, i), position(self.particles, j));
            let r = length(away);
            if r >= h {
                continue;
            }
            let faster = minus(velocity(self.particles, j), velocity(self.particles, i));
            let solid = self.particles.is_boundary(j);
            let push = if solid { f64::from(self.grip.push) } else { 1.0 };
            let dj = self.density[j];
            let volume = self.mass[j] / dj;
            let mut over = pi / (di * di) + self.pressure(j) / (dj * dj);
            if solid && p.calibrate {
                // Pressure goes on growing with depth behind the boundary, where the water presses on it at all.
                over += 0.5 * (p.gravity / p.density).min(pi.max(0.0) / (di * di) / h) * away[2];
            }
            let press = -push * self.mass[j] * over;
            for axis in 0..3 {
                a[axis] += press * steep * spike.slope(r) * away[axis] / r;
                a[axis] += if solid { wall } else { viscosity } / di
                    * volume
                    * thick
                    * rub.laplacian(r)
                    * faster[axis];
            }
            if solid {
                continue;
            }
            match p.surface {
                Tension::None => {}
                Tension::ColourField => {
                    for axis in 0..3 {
                        colour[axis] += volume * bell.slope(r) * away[axis] / r;
                    }
                    curvature += volume * bell.laplacian(r);
                }
                Tension::BeckerTeschner => {
                    let pull = -p.tension * self.mass[j] / self.mass[i] * bell.value(r);
                    for axis in 0..3 {
                        a[axis] += pull * away[axis];
                    }
                }
                Tension::Akinci => {
                    let few = 2.0 * p.density / (di + dj);
                    let cube = ((h - r) * r).powi(3);
                    let spline = if 2.0 * r > h { cube } else { 2.0 * cube - h.powi(6) / 64.0 };
                    let cohesion = 32.0 / (PI * h.powi(9)) * spline * self.mass[j];
                    for axis in 0..3 {
                        let bend = normals[i][axis] - normals[j][axis];
                        a[axis] -= p.tension * few * (cohesion * away[axis] / r + bend);
                    }
                }
            }
        }
        // (1.37): only where the normal is long enough to have a direction.
        let steepness = length(colour);
        if p.surface == Tension::ColourField && steepness >= 0.32 / h {
            for axis in 0..3 {
                a[axis] -= p.tension / di * curvature * colour[axis] / steepness;
            }
        }
        a
    }
}

/// Factors that make gradient and Laplacian exact on a lattice.
fn calibration(params: &FluidParams) -> [f64; 2] {
    if !params.calibrate {
        return [1.0; 2];
    }
    let (h, volume) = (params.smoothing_radius(), params.particle_mass() / params.density);
    let [_, pressure] = params.kernels();
    let first = lattice_sum(params.spacing, h, |r| -volume * r * pressure.slope(r));
    let second = lattice_sum(params.spacing, h, |r| volume * r * r * Viscosity(h).laplacian(r));
    [3.0 / first, 6.0 / second]
}

/// A blob of shaken lattice above two boundary layers that meet in an edge.
fn shaken_blob(fluid: &mut Fluid, spacing: f64, side: usize) {
    let key = Key::new(71);
    let place = |i: usize, j: usize, k: usize| {
        let key = key.with((i * side + j) as u64).with(k as u64);
        let shake = |axis: u64| 0.25 * spacing * signed(key, axis);
        [i, j, k].map(|n| (n as f64 + 0.5) * spacing).map(|v| v + shake((v * 1.0e4) as u64 % 97))
    };
    for i in 0..side {
        for j in 0..side {
            for k in 0..side {
                let v = key.with((i + side * (j + side * k)) as u64);
                let velocity = [0, 1, 2].map(|axis| signed(v, axis) as f32);
                fluid.add(place(i, j, k).map(|v| v as f32), velocity, FOREVER, 0.0);
            }
            let [a, b] = [i, j].map(|n| ((n as f64 + 0.3) * spacing) as f32);
            fluid.add_boundary([a, b, (-0.5 * spacing) as f32], [0.2, 0.0, 0.0], 0);
            fluid.add_boundary([(-0.5 * spacing) as f32, a, b], [0.0; 3], 0);
        }
    }
}

fn reference() -> Checks {
    const SOURCE: &str = "plain sums over all pairs in f64, eqs. 1.25–1.41 of Kataev 2022";
    let thalweg = FluidParams::default();
    let kelager = FluidParams::kelager_water();
    let cases = [
        ("thalweg", thalweg.clone()),
        ("thalweg, h = 2.6 spacings", FluidParams { radius: Some(2.6 * thalweg.spacing), ..thalweg.clone() }),
        ("kelager-water, colour field", FluidParams { tension: 5.0, ..kelager }),
        (
            "Becker-Teschner",
            FluidParams { surface: Tension::BeckerTeschner, tension: 50.0, ..thalweg.clone() },
        ),
        ("Akinci", FluidParams { surface: Tension::Akinci, tension: 100.0, ..thalweg }),
    ];
    let mut checks = Vec::new();
    for (name, params) in cases {
        let mut fluid = fluid(&params, 1.0);
        shaken_blob(&mut fluid, params.spacing, 7);
        fluid.sort()?;
        fluid.weigh_boundary();
        fluid.compute_density();
        let before = fluid.sorted().clone();
        let density = fluid.density().to_vec();
        // So long a step that the old velocity does not round the change away.
        let dt = 100.0;
        fluid.accelerate_and_move(&HELD, dt)?;
        let after = fluid.particles();
        let sound = f64::from(fluid.constants().sound_speed);
        let plain = Plain::new(&params, &before, sound);
        let normals: Vec<[f64; 3]> = (0..before.len()).map(|i| plain.normal(i)).collect();
        let (mut worst_density, mut worst, mut largest) = (0.0f64, 0.0f64, 0.0f64);
        for i in water(&before) {
            worst_density = worst_density.max((f64::from(density[i]) / plain.density[i] - 1.0).abs());
            let a = plain.acceleration(i, &normals);
            let change = minus(velocity(after, i), velocity(&before, i));
            let found = change.map(|v| v / (0.5 * dt));
            worst = worst.max(length(minus(found, a)));
            largest = largest.max(length(a));
        }
        let what = |what: &str| format!("worst error of the {what}, {name}");
        checks.push(Check::new(what("density"), "of the density", SOURCE).at_most(worst_density, 1.0e-5));
        let check = Check::new(what("acceleration"), "of the largest", SOURCE);
        checks.push(check.at_most(worst / largest, 1.0e-4));
    }
    Ok(checks)
}

// ---- momentum ----

/// The colour field is left out: its force is no sum over pairs, and does not conserve momentum. Angular momentum is that
/// of forces along the line between two particles: friction between them and Akinci's area term are not, so it is
/// asked for where there is neither.
fn momentum() -> Checks {
    const SOURCE: &str = "methods/sph.md: 1e-6 linear, 1e-5 angular in 1000 steps of f32";
    let ideal = FluidParams { gravity: 0.0, viscosity: 0.0, damping: 0.0, ..FluidParams::default() };
    let thalweg = FluidParams { gravity: 0.0, ..FluidParams::default() };
    let attracted = |surface, tension| FluidParams { surface, tension, ..thalweg.clone() };
    let cases = [
        ("thalweg", thalweg.clone(), false),
        ("no friction", ideal.clone(), true),
        (
            "no friction, Becker-Teschner",
            FluidParams { surface: Tension::BeckerTeschner, tension: 10.0, ..ideal },
            true,
        ),
        ("Becker-Teschner", attracted(Tension::BeckerTeschner, 10.0), false),
        ("Akinci", attracted(Tension::Akinci, 1.0), false),
    ];
    let mut checks = Vec::new();
    for (name, params, central) in cases {
        let mut fluid = fluid(&params, 2.0);
        let side = 11;
        for n in 0..side * side * side {
            let at = [n % side, n / side % side, n / side / side].map(|v| (v as f32 - 5.0) * 0.05);
            let spin = [-at[1], at[0], 0.3];
            let key = Key::new(5).with(n as u64);
            let v = std::array::from_fn(|axis| spin[axis] + signed(key, axis as u64) as f32);
            fluid.add(at, v, FOREVER, 0.0);
        }
        let sums = |fluid: &Fluid| {
            let particles = fluid.particles();
            let (mut linear, mut angular, mut all, mut around) = ([0.0; 3], [0.0; 3], 0.0, 0.0);
            for i in 0..particles.len() {
                let (m, x) = (f64::from(particles.mass[i]), position(particles, i));
                let v = velocity(particles, i);
                let turn = cross(x, v);
                linear = std::array::from_fn(|axis| linear[axis] + m * v[axis]);
                angular = std::array::from_fn(|axis| angular[axis] + m * turn[axis]);
                all += m * length(v);
                around += m * length(x) * length(v);
            }
            (linear, angular, all, around)
        };
        let start = sums(&fluid);
        for _ in 0..1000 {
            fluid.sort()?;
            fluid.compute_density();
            let dt = fluid.choose_dt(f64::INFINITY);
            fluid.accelerate_and_move(&Space::default(), dt)?;
        }
        let end = sums(&fluid);
        let what = |what: &str| format!("drift of {what}, {name}");
        let drift = length(minus(end.0, start.0)) / start.2;
        checks.push(Check::new(what("momentum"), "of Σ m|v|", SOURCE).at_most(drift, 1.0e-6));
        if central {
            let drift = length(minus(end.1, start.1)) / start.3;
            checks.push(Check::new(what("angular momentum"), "of Σ m|x||v|", SOURCE).at_most(drift, 1.0e-5));
        }
    }
    Ok(checks)
}

// ---- hydrostatic ----

/// Pressure is that of the equation of state, a mean over layers one spacing deep away from walls, bed and surface, and
/// over the last half second: sound runs up and down the column for long.
fn hydrostatic() -> Checks {
    const SOURCE: &str = "hydrostatics: p = ρ g (H − z); bounds of methods/sph.md";
    let (spacing, height, side, end) = (0.05, 1.0, 10, 3.0);
    let fluid = FluidParams { spacing, damping: 0.1, relax: 400, ..FluidParams::default() };
    let params = clear(fluid, BedParams::default());
    let (edge, wide) = (0.5 * spacing, side as f64 * spacing);
    let pool = still_water([edge; 2], [edge + wide; 2], None, Top::Depth(height));
    let setting = Setting { water: vec![pool], ..Setting::default() };
    let mut torrent = torrent(&flat([side; 2], spacing), &params, &setting);
    let count = torrent.particle_count();
    // Particles, their heights, pressures and densities; squares of the densities' distance from that at rest.
    let mut layers = vec![[0.0f64; 5]; 20];
    while torrent.time() < end {
        torrent.advance(10)?;
        let (fluid, particles) = (torrent.fluid(), torrent.fluid().particles());
        for i in water(particles).filter(|_| torrent.time() > end - 0.5) {
            let [x, y, z] = position(particles, i);
            let inside = |v: f64| (v - edge - 0.5 * wide).abs() < 0.5 * wide - spacing;
            if inside(x) && inside(y) && (0.1..0.9).contains(&z) {
                let density = fluid.density()[i];
                let pressure = f64::from(fluid.pressure_at(density));
                let density = f64::from(density);
                let values = [1.0, z, pressure, density, (density - 1000.0).powi(2)];
                let layer = &mut layers[(z / spacing) as usize];
                *layer = std::array::from_fn(|n| layer[n] + values[n]);
            }
        }
    }
    let means: Vec<[f64; 5]> = layers.iter().filter(|l| l[0] > 0.0).map(|l| l.map(|v| v / l[0])).collect();
    let [bottom, slope] = line(&means.iter().map(|l| [l[1], l[2]]).collect::<Vec<_>>());
    let expected = 1000.0 * 9.81;
    let misfit = means.iter().map(|l| (l[2] - expected * (height - l[1])).powi(2)).sum::<f64>();
    let misfit = (misfit / means.len() as f64).sqrt();
    let densest = means.iter().map(|l| l[3]).fold(0.0, f64::max);
    let thinnest = means.iter().map(|l| l[3]).fold(f64::INFINITY, f64::min);
    let uneven = means.iter().map(|l| l[4].sqrt()).fold(0.0, f64::max);
    let particles = torrent.fluid().particles();
    let (mut kinetic, mut potential, mut heights) = (0.0, 0.0, Vec::new());
    for i in water(particles) {
        let (v, z) = (velocity(particles, i), position(particles, i)[2]);
        kinetic += 0.5 * dot(v, v);
        potential += 9.81 * z;
        heights.push(z);
    }
    // The surface is half a spacing above the particles on top, as many as make a layer.
    heights.sort_by(f64::total_cmp);
    let top = &heights[count - side * side..];
    let surface = top.iter().sum::<f64>() / top.len() as f64 + 0.5 * spacing;
    let check = |quantity: &str, unit| Check::new(quantity, unit, SOURCE);
    Ok(vec![
        check("pressure at the bottom", "Pa").near_share(bottom, expected * height, 0.03),
        check("slope of the pressure", "Pa/m").near_share(slope, -expected, 0.03),
        check("root mean square of the difference", "of ρ g H").at_most(misfit / (expected * height), 0.05),
        check("height of the surface", "m").at_least(surface, 0.98 * height),
        check("height of the surface", "m").at_most(surface, 1.02 * height),
        check("kinetic energy", "of the potential").at_most(kinetic / potential, 1.0e-4),
        check("span of the layers' density", "of the density").at_most((densest - thinnest) / 1000.0, 0.01),
        check("unevenness of the density in a layer", "of the density").at_most(uneven / 1000.0, 0.01),
        check("particles lost", "particles").near((count - torrent.particle_count()) as f64, 0.0, 0.0),
    ])
}

// ---- dam break ----

/// A column 20 particles wide and 40 high, eight across. The front is where the water of the lowest two
/// spacings ends, splashes left out: the farthest particle that has three others within two spacings behind it.
fn dam_break() -> Checks {
    const SOURCE: &str = "Martin & Moyce 1952, n² = 2, a = 2.25 in";
    let width = 0.057_15;
    let spacing = width / 20.0;
    let params = clear(FluidParams { spacing, ..FluidParams::default() }, BedParams::default());
    let edge = 0.5 * spacing;
    let pool = still_water([edge; 2], [edge + width, edge + 8.0 * spacing], None, Top::Depth(2.0 * width));
    let setting = Setting { water: vec![pool], ..Setting::default() };
    let mut torrent = torrent(&flat([90, 8], spacing), &params, &setting);
    let count = torrent.particle_count();
    let per_second = (2.0 * 9.81 / width).sqrt();
    let mut curve = vec![[0.0, 1.0]];
    while torrent.time() * per_second < 2.6 {
        torrent.advance(5)?;
        let front = front(torrent.fluid().particles(), spacing) + 0.5 * spacing - edge;
        curve.push([torrent.time() * per_second, front / width]);
    }
    let mut checks = Vec::new();
    for (time, place) in [(0.832, 1.217), (1.219, 1.474), (1.997, 2.292), (2.547, 2.995)] {
        let check = Check::new(format!("front at T = {time}"), "widths", SOURCE);
        checks.push(check.near_share(interpolated(&curve, time), place, 0.08));
    }
    let late: Vec<[f64; 2]> = curve.iter().copied().filter(|[time, _]| (2.0..2.55).contains(time)).collect();
    let check = Check::new("speed of the front, T from 2 to 2.55", "√(n²ga)", SOURCE);
    checks.push(check.near_share(line(&late)[1], 1.28, 0.1));
    let lost = (count - torrent.particle_count()) as f64;
    checks.push(Check::new("particles lost", "particles", "walls all around").near(lost, 0.0, 0.0));
    Ok(checks)
}

fn front(particles: &Particles, spacing: f64) -> f64 {
    let mut low: Vec<[f64; 3]> =
        water(particles).map(|i| position(particles, i)).filter(|at| at[2] < 2.0 * spacing).collect();
    low.sort_by(|a, b| b[0].total_cmp(&a[0]));
    let near = |n: usize| {
        let behind = low[n + 1..].iter().take_while(|at| low[n][0] - at[0] < 2.0 * spacing);
        behind.filter(|at| length(minus(low[n], **at)) < 2.0 * spacing).count()
    };
    (0..low.len()).find(|&n| near(n) >= 3).map_or(f64::NAN, |n| low[n][0])
}

// ---- plates ----

/// Speed in the middle between two plates, by time. Particles stay on their lattice, 20 between the plates, and the
/// block has no end: all take the velocity of the column in its middle. The plates are single layers of boundary
/// particles, half a spacing behind the surface that they stand for, as under any bed; `shift` puts them aside of the
/// water's lattice [spacings].
fn between_plates(force: f64, plate_speed: f64, shift: f64) -> Result<Vec<[f64; 2]>, StepError> {
    let (gap, layers, side) = (1.0e-3, 20, 7);
    let spacing = gap / layers as f64;
    let params = FluidParams {
        spacing,
        viscosity: 1.0e-3,
        damping: 0.0,
        sound_speed: Some(0.02),
        gravity: 0.0,
        max_dt: 5.0e-4,
        ..FluidParams::default()
    };
    let mut fluid = fluid(&params, 1.0);
    for n in 0..side * side * layers {
        let at = [n % side, n / side % side, n / side / side];
        fluid.add(at.map(|v| ((v as f64 + 0.5) * spacing) as f32), [0.0; 3], FOREVER, 0.0);
    }
    for i in -3..side as i32 + 3 {
        for j in -3..side as i32 + 3 {
            let [x, y] = [i, j].map(|n| ((f64::from(n) + 0.5 + shift) * spacing) as f32);
            fluid.add_boundary([x, y, (-0.5 * spacing) as f32], [0.0; 3], 0);
            let top = (gap + 0.5 * spacing) as f32;
            fluid.add_boundary([x, y, top], [plate_speed as f32, 0.0, 0.0], 0);
        }
    }
    let middle = |tag: usize| side * side * (tag / (side * side)) + side * side / 2;
    let along = Space { held: true, eastwards: true, push: force as f32 };
    let mut curve = vec![[0.0; 2]];
    while curve.last().is_some_and(|last| last[0] < 1.01) {
        fluid.sort()?;
        if curve.len() == 1 {
            fluid.weigh_boundary();
        }
        fluid.compute_density();
        let dt = fluid.choose_dt(f64::INFINITY);
        fluid.accelerate_and_move(&along, dt)?;
        let time = fluid.time() - 0.5 * dt; // velocities are half a step behind
        let particles = fluid.particles_mut();
        let mut speeds = vec![0.0; side * side * layers];
        for i in 0..particles.len() {
            if !particles.is_boundary(i) {
                speeds[particles.tag[i] as usize] = particles.velocity[0][i];
            }
        }
        for i in 0..particles.len() {
            if !particles.is_boundary(i) {
                particles.velocity[0][i] = speeds[middle(particles.tag[i] as usize)];
            }
        }
        let at = |layer: usize| f64::from(speeds[middle(layer * side * side)]);
        // A parabola through the four layers around the middle.
        let [a, b, c, d] = [8, 9, 10, 11].map(at);
        curve.push([time, (9.0 * (b + c) - (a + d)) / 16.0]);
    }
    Ok(curve)
}

const PLATE_TIMES: [f64; 5] = [0.0225, 0.045, 0.1125, 0.225, 1.0];

fn plate_checks(force: f64, plate_speed: f64, expected: [f64; 5]) -> Checks {
    const SOURCE: &str = "Morris, Fox & Zhu 1997: series solution; ν 1e-6 m²/s, gap 1 mm";
    let mut checks = Vec::new();
    for (name, shift) in [("plates in line", 0.0), ("plates half a spacing aside", 0.5)] {
        let curve = between_plates(force, plate_speed, shift)?;
        for (time, speed) in PLATE_TIMES.into_iter().zip(expected) {
            let check = Check::new(format!("speed in the middle at {time} s, {name}"), "m/s", SOURCE);
            checks.push(check.near_share(interpolated(&curve, time), speed, 0.05));
        }
    }
    Ok(checks)
}

fn poiseuille() -> Checks {
    plate_checks(1.0e-4, 0.0, [2.233e-6, 4.235e-6, 8.250e-6, 1.1100e-5, 1.2499e-5])
}

fn couette() -> Checks {
    plate_checks(0.0, 1.25e-5, [2.303e-7, 1.195e-6, 3.628e-6, 5.386e-6, 6.250e-6])
}

// ---- settling ----

/// Grains in water that stands still, far above the bed: what settles packs at the bottom of the water.
struct Settling {
    torrent: Torrent,
    /// Particles along each side of the column.
    side: usize,
    /// Smallest and largest share of sediment ever seen [-].
    range: [f64; 2],
}

impl Settling {
    const SPACING: f64 = 0.025;
    const HEIGHT: f64 = 1.0;
    const BOTTOM: f64 = 0.5;
    const SHARE: f64 = 0.1;
    const GRAIN: f64 = 25.0e-6;

    fn new(side: usize) -> Self {
        let spacing = Self::SPACING;
        let params = Params {
            fluid: FluidParams { spacing, max_dt: 100.0, ..FluidParams::default() },
            erosion: ErosionParams {
                diffusivity: 0.0,
                grain_radius: Self::GRAIN,
                ..ErosionParams::default()
            },
            ..Params::default()
        };
        let (edge, wide) = (0.5 * spacing, side as f64 * spacing);
        let top = Top::Depth(Self::HEIGHT);
        let pool = still_water([edge; 2], [edge + wide; 2], Some(Self::BOTTOM), top);
        let setting = Setting { water: vec![Pool { sediment: Self::SHARE, ..pool }], ..Setting::default() };
        let torrent = torrent(&flat([side; 2], spacing), &params, &setting);
        Self { torrent, side, range: [f64::INFINITY, 0.0] }
    }

    fn advance(&mut self, steps: u64) -> Result<(), StepError> {
        self.torrent.advance_still(steps)?;
        let particles = self.torrent.fluid().particles();
        let shares = || water(particles).map(|i| particles.cargo[i]);
        self.range = [shares().fold(self.range[0], f64::min), shares().fold(self.range[1], f64::max)];
        Ok(())
    }

    /// Mean share of sediment in each layer, from the bottom; over columns less than `reach` from the middle [m].
    fn profile(&self, reach: f64) -> Vec<f64> {
        let mut layers = vec![[0.0f64; 2]; (Self::HEIGHT / Self::SPACING) as usize];
        let particles = self.torrent.fluid().particles();
        let middle = 0.5 * (self.side + 1) as f64 * Self::SPACING;
        for i in water(particles) {
            let [x, y, z] = position(particles, i);
            if (x - middle).abs() < reach && (y - middle).abs() < reach {
                let layer = &mut layers[((z - Self::BOTTOM) / Self::SPACING) as usize];
                *layer = [layer[0] + 1.0, layer[1] + particles.cargo[i]];
            }
        }
        layers.iter().map(|[count, sum]| sum / count).collect()
    }

    /// Height above the bottom at which the middle of the column falls below half of what it began with [m].
    fn interface(&self) -> f64 {
        let (profile, level) = (self.profile(0.05), 0.5 * Self::SHARE);
        let last = profile.iter().rposition(|&c| c >= level).unwrap_or(0);
        let (a, b) = (profile[last], profile.get(last + 1).copied().unwrap_or(0.0));
        (last as f64 + 0.5 + (a - level) / (a - b)) * Self::SPACING
    }

    /// Thickness of what is packed: layers that are full to a twentieth, and the share of the next one [m].
    fn packed(&self) -> f64 {
        let profile = self.profile(f64::INFINITY);
        let full = profile.iter().take_while(|&&c| c > 0.95 * 0.6).count();
        let layers = profile[..full + 1].iter().map(|c| c / 0.6).sum::<f64>();
        layers * Self::SPACING
    }
}

/// Particles at the sides of a column have fewer others above them and settle more slowly; the clear water is measured
/// in the middle of a wide one, the bed, which only takes longer, in a narrow one.
fn settling() -> Checks {
    const SOURCE: &str = "Richardson & Zaki 1954; Kynch 1952: w₀ (1 − φ)^4.65, bed φ H/φ_max";
    let alone = Grains {
        radius: Settling::GRAIN,
        density: 2650.0,
        fluid_density: 1000.0,
        viscosity: 0.001,
        gravity: 9.81,
    };
    let speed = alone.speed() * richardson_zaki(Settling::SHARE, 4.65);
    let mut wide = Settling::new(20);
    let mut interface = Vec::new();
    while wide.torrent.time() * speed < 0.5 {
        wide.advance(2)?;
        interface.push([wide.torrent.time(), wide.interface()]);
    }
    interface.retain(|[time, _]| time * speed > 0.1);
    let sinks = -line(&interface)[1];
    let mut narrow = Settling::new(8);
    let total = grains_afloat(&narrow.torrent);
    for _ in 0..50 {
        narrow.advance(20)?;
    }
    let packed = narrow.packed();
    let left = grains_afloat(&narrow.torrent) / total - 1.0;
    let check = |quantity: &str, unit| Check::new(quantity, unit, SOURCE);
    let expected = Settling::SHARE * Settling::HEIGHT / 0.6;
    Ok(vec![
        check("speed of the clear water's lower end", "m/s").near_share(sinks, speed, 0.05),
        check("thickness of the bed at last", "m").near_share(packed, expected, 0.02),
        check("smallest share of sediment", "-").at_least(wide.range[0].min(narrow.range[0]), 0.0),
        check("largest share of sediment", "-").at_most(wide.range[1].max(narrow.range[1]), 0.6),
        Check::new("sediment gained or lost", "of all", "conservation").near(left, 0.0, 1.0e-12),
    ])
}

fn grains_afloat(torrent: &Torrent) -> f64 {
    let particles = torrent.fluid().particles();
    water(particles).map(|i| particles.cargo[i]).sum()
}

// ---- diffusion ----

/// Gives each particle of the water a share of sediment by its place.
fn set_sediment(torrent: &mut Torrent, share: impl Fn([f64; 3]) -> f64) {
    let mut saved = torrent.save();
    let count = torrent.fluid().particles().len();
    for i in water(torrent.fluid().particles()) {
        saved.doubles[i] = share(std::array::from_fn(|axis| f64::from(saved.floats[axis * count + i])));
    }
    torrent.restore(&saved).expect("a torrent takes its own state");
}

fn diffusion() -> Checks {
    const SOURCE: &str = "Gaussian: variance s² + 2 D t, peak (1 + 2 D t/s²)^-3/2";
    let (d, s, time) = (1.0e-3, 0.05, 1.0);
    let (spacing, side) = (s / 3.0, 33);
    let steps = 40u32;
    let params = Params {
        fluid: FluidParams {
            spacing,
            gravity: 0.0,
            dt: Some(time / f64::from(steps)),
            ..FluidParams::default()
        },
        erosion: ErosionParams { diffusivity: d, ..ErosionParams::default() },
        ..Params::default()
    };
    let (edge, wide) = (0.5 * spacing, f64::from(side) * spacing);
    let pool = still_water([edge; 2], [edge + wide; 2], Some(1.0), Top::Depth(wide));
    let setting = Setting { water: vec![pool], ..Setting::default() };
    let mut torrent = torrent(&flat([side as usize; 2], spacing), &params, &setting);
    let middle = [edge + 0.5 * wide, edge + 0.5 * wide, 1.0 + 0.5 * wide];
    set_sediment(&mut torrent, |at| {
        let away = minus(at, middle);
        0.3 * (-dot(away, away) / (2.0 * s * s)).exp()
    });
    let moments = |torrent: &Torrent| {
        let particles = torrent.fluid().particles();
        let (mut sum, mut squares, mut peak) = (0.0, [0.0; 3], 0.0f64);
        for i in water(particles) {
            let (c, away) = (particles.cargo[i], minus(position(particles, i), middle));
            sum += c;
            squares = std::array::from_fn(|axis| squares[axis] + c * away[axis] * away[axis]);
            peak = peak.max(c);
        }
        (sum, squares.map(|v| v / sum), peak)
    };
    let start = moments(&torrent);
    torrent.advance_still(steps.into())?;
    let end = moments(&torrent);
    let mut checks = Vec::new();
    for (axis, name) in ["east", "north", "up"].into_iter().enumerate() {
        let check = Check::new(format!("variance, {name}"), "m²", SOURCE);
        checks.push(check.near_share(end.1[axis], s * s + 2.0 * d * time, 0.03));
    }
    let check = Check::new("peak", "of the first", SOURCE);
    checks.push(check.near_share(end.2 / start.2, (1.0 + 2.0 * d * time / (s * s)).powf(-1.5), 0.03));
    let check = Check::new("sediment gained or lost", "of all", "conservation");
    checks.push(check.near(end.0 / start.0 - 1.0, 0.0, 1.0e-12));
    Ok(checks)
}

// ---- erosion law ----

fn erosion_law() -> Checks {
    const SOURCE: &str = "Partheniades 1965: M 1e-4 kg/(m²·s), τ = 2 τ_c, bed of 1590 kg/m³";
    // The law that the solver's vectors go through.
    let critical = 0.4;
    let shear = Shear { constant: 1.0, critical };
    let (distance, twice) = (0.1, (2.0 * critical).powi(2));
    let excess = |speed: f32| f64::from(shear.at(speed, distance)[1]);
    let lowering = 1.0e-4 / f64::from(critical) * excess(twice * distance) / 1590.0;
    let below = critical * critical * distance * (1.0 - 1.0e-5);
    let mut checks = vec![
        // f32 keeps seven digits, the difference of two stresses six.
        Check::new("lowering of the bed", "m/s", SOURCE).near_share(lowering, 6.289_308_176e-8, 1.0e-6),
        Check::new("excess just below the critical stress", "Pa", SOURCE).near(excess(below), 0.0, 0.0),
        Check::new("stress of 0.9 m/s in 0.1 m", "Pa", "τ = K θ^½, Krištof et al. 2009").near_share(
            shear.at(0.9, distance)[0].into(),
            3.0,
            1.0e-6,
        ),
    ];
    for (name, exposure) in [("filled", Exposure::Filled), ("counted", Exposure::Counted)] {
        for (pace, speed) in [("fast", 2.0), ("hardly fast enough", 0.6), ("slow", 0.35)] {
            let (found, expected) = loosened_by(speed, exposure)?;
            let quantity = format!("grains loosened, {pace} water, exposure {name}");
            let check = Check::new(quantity, "m³", "eqs. 1.54–1.57 of Kataev 2022, summed up in f64");
            checks.push(check.near(found, expected, 1.0e-4 * expected));
        }
    }
    Ok(checks)
}

/// Grains that one exchange loosens under water of a speed, and what the sum over boundary particles says [m³].
fn loosened_by(speed: f64, exposure: Exposure) -> Result<(f64, f64), StepError> {
    let (spacing, cell, dt) = (0.05, 0.07, 1.0e-3);
    let params = Params {
        fluid: FluidParams { spacing, dt: Some(dt), ..FluidParams::default() },
        erosion: ErosionParams { exposure, talus: false, ..ErosionParams::default() },
        ..Params::default()
    };
    let pool = Pool {
        velocity: [0.8 * speed, -0.6 * speed, 0.0],
        ..still_water([0.2, 0.2], [0.7, 0.6], None, Top::Depth(0.2))
    };
    let setting = Setting { water: vec![pool], edges: [Edge::Open; 4], ..Setting::default() };
    let mut torrent = torrent(&flat([12, 12], cell), &params, &setting);
    let bed = Bed::new(&torrent.ground());
    torrent.advance_still(1)?;
    let eroded = torrent.ledger().solids.eroded;
    let particles = torrent.fluid().sorted();
    let (e, h) = (&params.erosion, params.fluid.smoothing_radius());
    let plain = Plain::new(&params.fluid, particles, 1.0);
    let bell = Poly6(h);
    let mut expected = 0.0;
    for i in (0..particles.len()).filter(|&i| particles.is_boundary(i)) {
        let triangle = particles.tag[i] & !thalweg_sph::BOUNDARY;
        let mut samples = 0;
        Pieces::new(&bed, spacing).seed(&bed, triangle, |_| samples += 1);
        let area = 0.5 * cell * cell / f64::from(samples);
        for j in water(particles) {
            let r = length(minus(position(particles, i), position(particles, j)));
            if r < h {
                let stress = e.shear * (speed / r.max(0.25 * spacing)).sqrt();
                let rate = e.strength * (stress - e.critical_shear).max(0.0);
                let exposed = match exposure {
                    Exposure::Filled => 2.0 * plain.mass[j] / plain.density[j] * bell.value(r),
                    Exposure::Counted => 1.0,
                };
                expected += dt / e.sediment_density * area * rate * exposed;
            }
        }
    }
    Ok((eroded, expected))
}

// ---- no leak ----

fn no_leak() -> Checks {
    const SOURCE: &str = "ground and walls are solid";
    let (spacing, cell) = (0.05, 0.1);
    let ground = rough(17, cell, 0.4);
    let mut checks = Vec::new();
    for (name, hold) in
        [("pressure", Hold::Pressure), ("penalty", Hold::Penalty), ("collision", Hold::Collision)]
    {
        let bed = BedParams { hold, ..BedParams::default() };
        let params = clear(FluidParams { spacing, ..FluidParams::default() }, bed);
        let pool = Pool {
            velocity: [2.0, -1.0, -10.0],
            ..still_water([0.2, 0.2], [1.5, 1.5], Some(0.5), Top::Depth(0.15))
        };
        let setting = Setting { water: vec![pool], ..Setting::default() };
        let mut torrent = torrent(&ground, &params, &setting);
        let count = torrent.particle_count();
        let mut worst = f64::INFINITY;
        let mut outside = 0;
        for _ in 0..120 {
            torrent.advance(5)?;
            let particles = torrent.fluid().particles();
            let [[west, east], [south, north]] = torrent.bed().extent();
            for i in water(particles) {
                let at = particles.get(i).position;
                worst = worst.min(f64::from(torrent.bed().clearance(at)));
                let inside = (west..=east).contains(&at[0]) && (south..=north).contains(&at[1]);
                outside += usize::from(!inside || !at[2].is_finite());
            }
        }
        let what = |what: &str| format!("{what}, held by {name}");
        checks.push(Check::new(what("smallest height above the bed"), "m", SOURCE).at_least(worst, -1.0e-4));
        checks.push(Check::new(what("particles beyond walls or number"), "particles", SOURCE).near(
            outside as f64,
            0.0,
            0.0,
        ));
        let lost = (count - torrent.particle_count()) as f64;
        checks.push(Check::new(what("particles lost"), "particles", SOURCE).near(lost, 0.0, 0.0));
    }
    Ok(checks)
}

// ---- triangle mass ----

fn triangle_mass() -> Checks {
    let ground = rough(6, 0.5, 0.3);
    let mut worst = [0.0f64; 3];
    let bed = Bed::new(&ground);
    for triangle in 0..bed.triangles() as u32 {
        for gain in [1.0e-9, 1.0e-6, 3.0e-3, 0.4, -1.0e-9, -1.0e-6, -2.0e-3, -0.7] {
            let mut bed = bed.clone();
            for (vertex, by) in changes(&bed, triangle, gain) {
                bed.raise(vertex, by);
            }
            let mean = |t: u32| bed.corners(t).iter().map(|&v| bed.change()[v]).sum::<f64>() / 3.0;
            let found: f64 = (0..bed.triangles() as u32).map(|t| mean(t) * bed.triangle_area()).sum();
            // Vertices of the triangle inside: three, two or fewer.
            let at_edge = |v: usize| bed.triangles_at(v) < 6;
            let kind = match bed.corners(triangle).into_iter().filter(|&v| at_edge(v)).count() {
                0 => 0,
                1 | 2 => 1,
                _ => 2,
            };
            worst[kind] = worst[kind].max((found / gain - 1.0).abs());
        }
    }
    let names = ["inside", "at an edge", "in a corner"];
    let check = |(name, worst): (&str, f64)| {
        let quantity = format!("worst error of the bed's volume, triangle {name}");
        Check::new(quantity, "of the gain", "eqs. 1.70, 1.71 with true triangle counts")
            .at_most(worst, 1.0e-12)
    };
    Ok(names.into_iter().zip(worst).map(check).collect())
}

// ---- ledger ----

/// A stream down rough ground that it erodes: a muddy source, a clear one whose water does not last, open ends.
fn stream() -> (Heightfield, Params, Setting) {
    let (cols, rows, cell) = (31, 15, 0.1);
    let ground = ground(cols, rows, cell, |col, row| {
        let bump = 0.04 * Key::new(3).with((row * cols + col) as u64).unit();
        0.02 * (cols - col) as f64 + 0.02 * (row as f64 - 7.0).powi(2) * 0.5 + bump
    });
    let params = Params {
        erosion: ErosionParams {
            critical_shear: 1.0,
            strength: 10.0,
            grain_radius: 20.0e-6,
            ..ErosionParams::default()
        },
        bed: BedParams { friction: Some(1.0), ..BedParams::default() },
        ..Params::default()
    };
    let emitter = Emitter {
        shape: Shape::Disc { at: [0.3, 0.75, 1.0], radius: 0.16 },
        velocity: [1.5, 0.0, -0.5],
        rate: None,
        lifetime: None,
        sediment: 0.01,
        start: 0.0,
        stop: f64::INFINITY,
    };
    let shape = Shape::Line { from: [0.5, 0.5, 1.1], to: [0.5, 1.0, 1.1] };
    let short = Emitter { shape, sediment: 0.0, lifetime: Some(0.8), ..emitter.clone() };
    let water = still_water([0.4, 0.5], [2.9, 0.9], None, Top::Depth(0.12));
    let pool = Pool { sediment: 0.02, velocity: [1.5, 0.0, 0.0], ..water };
    let setting = Setting {
        water: vec![pool],
        emitters: vec![emitter, short],
        edges: [Edge::Wall, Edge::Open, Edge::Wall, Edge::Open],
        ..Setting::default()
    };
    (ground, params, setting)
}

/// Volume of the bed above 0 m between the outermost cell centres [m³].
fn bed_volume(ground: &Heightfield) -> f64 {
    let bed = Bed::new(ground);
    let height = |vertex: usize| f64::from(bed.heights()[vertex]);
    let mean = |triangle| bed.corners(triangle).map(height).iter().sum::<f64>() / 3.0;
    (0..bed.triangles() as u32).map(mean).sum::<f64>() * bed.triangle_area()
}

fn ledger() -> Checks {
    const SOURCE: &str = "conservation: sums in f64";
    let (ground, params, setting) = stream();
    let mut torrent = torrent(&ground, &params, &setting);
    torrent.advance(1500)?;
    let Ledger { water, solids } = torrent.ledger();
    let check = |quantity: &str, unit| Check::new(quantity, unit, SOURCE);
    let moved = solids.eroded + solids.added;
    let water_missing = water.start + water.added - water.exported - water.end;
    // The terrain that is handed out, measured triangle by triangle: heights are rounded to f32 there.
    let gained = (bed_volume(&torrent.ground()) - bed_volume(&ground)) * params.erosion.packing;
    let balance = solids.added - solids.suspended - solids.exported - gained;
    let highest = ground.height.range().map_or(0.0, |(_, high)| high);
    let rounding = f64::from(highest * f32::EPSILON) * ground.extent().iter().product::<f64>();
    Ok(vec![
        check("grains missing from the books", "of all moved").near(
            torrent.missing_grains() / moved,
            0.0,
            1.0e-9,
        ),
        Check::new("grains missing from the terrain", "m³", "its triangles; heights are f32")
            .near(balance, 0.0, rounding),
        check("water missing", "of all added").near(water_missing / water.added, 0.0, 1.0e-9),
        Check::new("grains eroded", "m³", "books of a bed at rest show nothing")
            .at_least(solids.eroded, 1.0e-3),
        Check::new("grains gone with the water", "m³", "nor do those of a closed box")
            .at_least(solids.exported, 1.0e-5),
    ])
}

// ---- resume ----

fn resume() -> Checks {
    let (ground, params, setting) = stream();
    let mut torrent = torrent(&ground, &params, &setting);
    torrent.advance(64)?;
    let mut checks = Vec::new();
    // The bed is looked at every eight steps: just before, at and after that.
    for steps in [7, 1, 1, 6, 1, 17] {
        torrent.advance(steps)?;
        let saved = torrent.save();
        let mut other = self::torrent(&ground, &params, &setting);
        let taken = other.restore(&saved).is_ok();
        let again = differing_values(&saved, &other.save());
        other.advance(40)?;
        let mut whole = self::torrent(&ground, &params, &setting);
        whole.advance(saved.step + 40)?;
        let differ = differing_values(&whole.save(), &other.save());
        let what = |what: &str| format!("{what}, saved at step {}", saved.step);
        let check = |quantity: &str| Check::new(what(quantity), "values", "same state, same bits");
        let refused = if taken { 0 } else { usize::MAX };
        checks.push(check("values that differ when taken up").near((again + refused) as f64, 0.0, 0.0));
        checks.push(check("values that differ 40 steps later").near(differ as f64, 0.0, 0.0));
    }
    Ok(checks)
}

// ---- threads ----

#[cfg(not(target_arch = "wasm32"))]
fn threads() -> Checks {
    const SOURCE: &str = "determinism";
    let (ground, params, setting) = stream();
    let run = || -> Result<(Saved, f64), StepError> {
        let mut torrent = torrent(&ground, &params, &setting);
        torrent.advance(250)?;
        Ok((torrent.save(), torrent.ledger().solids.eroded))
    };
    let mut checks = Vec::new();
    let mut alone: Option<Saved> = None;
    for threads in [1, 2, 3, 8] {
        let pool = match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
            Ok(pool) => pool,
            Err(error) => {
                let quantity = format!("{threads} threads do not start: {error}");
                checks.push(Check::new(quantity, "threads", SOURCE));
                continue;
            }
        };
        let (saved, eroded) = pool.install(run)?;
        if let Some(alone) = &alone {
            let quantity = format!("values of particles, bed and books that differ, {threads} threads");
            let differ = differing_values(alone, &saved) as f64;
            checks.push(Check::new(quantity, "values", SOURCE).near(differ, 0.0, 0.0));
        } else {
            let check = Check::new("grains eroded", "m³", "a bed at rest would show nothing");
            checks.push(check.at_least(eroded, 1.0e-6));
            alone = Some(saved);
        }
    }
    Ok(checks)
}

fn differing_values(a: &Saved, b: &Saved) -> usize {
    fn count<T: Copy, B: PartialEq>(a: &[T], b: &[T], bits: impl Fn(T) -> B) -> usize {
        a.len().abs_diff(b.len()) + a.iter().zip(b).filter(|(a, b)| bits(**a) != bits(**b)).count()
    }
    usize::from(a.step != b.step)
        + count(&a.numbers, &b.numbers, f64::to_bits)
        + count(&a.doubles, &b.doubles, f64::to_bits)
        + count(&a.floats, &b.floats, f32::to_bits)
        + count(&a.tags, &b.tags, |tag| tag)
}
