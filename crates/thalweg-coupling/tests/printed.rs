//! The documents' equations as they are printed, against sums by hand in f64 over a few particles.

use std::f64::consts::PI;
use thalweg_coupling::{Bed, BedParams, Hold, Params, ParticleWater, Patches, Place, Setting, ShearSpeed};
use thalweg_field::{Edge, Edges, Pool};
use thalweg_sph::{BOUNDARY, SLIP};
use thalweg_test_support::ground;
use thalweg_test_support::particles::{books_close, still_water};

const CELL: f64 = 0.1;
/// Smoothing radius, mass and density of Kataev 2022, table 4.1.
const H: f64 = 0.0457;
const MASS: f64 = 0.02;
const DENSITY: f64 = 998.29;
const GRAVITY: f64 = 9.82;
/// Grains and time step.
const GRAINS: f64 = 3000.0;
const DT: f64 = 0.01;

/// Kataev's parameters, with no more diffusion than is asked for.
fn kataev() -> Params {
    let mut params = Params::preset("kataev-2022").unwrap();
    params.erosion.diffusivity = 0.0;
    params
}

/// One particle of water, its centre at a place.
fn drop([x, y, z]: [f64; 3], velocity: [f64; 3], sediment: f64) -> Pool {
    let side = (MASS / DENSITY).cbrt();
    let [from, to] = [-0.5, 0.5].map(|half| [x + half * side, y + half * side]);
    Pool { bottom: Some(z - 0.5 * side), velocity, sediment, ..still_water(from, to, side) }
}

/// Drops above a level bed.
fn drops(params: &Params, water: Vec<Pool>) -> ParticleWater {
    let count = water.len();
    let setting = Setting { water, edges: Edges::all(Edge::Open), ..Setting::default() };
    let torrent = ParticleWater::new(&ground(12, 12, CELL, |_, _| 0.0), params, &setting).unwrap();
    assert_eq!(torrent.particle_count(), count);
    torrent
}

fn positions(torrent: &ParticleWater, wanted: impl Fn(u32) -> bool) -> Vec<(usize, [f64; 3])> {
    let particles = torrent.fluid().sorted();
    let all = (0..particles.len()).filter(|&i| wanted(particles.tag[i]));
    all.map(|i| (i, particles.get(i).position.map(f64::from))).collect()
}

/// Particles of the water in the order of their heights.
fn water(torrent: &ParticleWater) -> Vec<(usize, [f64; 3])> {
    let mut water = positions(torrent, |tag| tag & BOUNDARY == 0);
    water.sort_by(|(_, a), (_, b)| a[2].total_cmp(&b[2]));
    water
}

/// Distances from a place to the boundary particles of the bed within reach, the share of the bed that each stands for, and how far down it is.
fn bed_around(torrent: &ParticleWater, at: [f64; 3]) -> Vec<[f64; 3]> {
    let bed = Bed::new(&torrent.ground());
    let patches = Patches::new(&bed, torrent.params().bed_spacing());
    let tags = &torrent.fluid().sorted().tag;
    let near = positions(torrent, |tag| tag & (BOUNDARY | SLIP) == BOUNDARY).into_iter().map(|(i, b)| {
        let mut samples = 0;
        patches.sample(&bed, tags[i] & !BOUNDARY, |_| samples += 1);
        assert!(b[2].abs() < 1.0e-7, "a boundary particle is at {} m, not on the triangles", b[2]);
        [distance(at, b), 0.5 * CELL * CELL / f64::from(samples), at[2] - b[2]]
    });
    let near: Vec<_> = near.filter(|[l, ..]| *l < H).collect();
    assert!(near.len() > 5, "{} boundary particles", near.len());
    near
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}

/// |F| of the cubic spline (Kataev 2022, eq. 4.19) with the factor of a slope, 1/(4π(h/2)⁴) `[1/m⁴]`.
fn slope(r: f64) -> f64 {
    let q = 2.0 * r / H;
    let bracket =
        if q < 1.0 { 3.0 * (2.0 - q).powi(2) - 12.0 * (1.0 - q).powi(2) } else { 3.0 * (2.0 - q).powi(2) };
    bracket / (4.0 * PI * (0.5 * H).powi(4))
}

fn close(found: f64, expected: f64, what: &str) {
    // Sums are in f32, differences of heights and stresses keep four digits.
    assert!((found / expected - 1.0).abs() < 1.0e-4, "{what}: {found:e}, not {expected:e}");
}

/// Eqs. 1.54–1.57 and 4.22: water that comes at a slant, at 5 m/s of which 4 m/s go down, shears the bed at 1 m/s as printed by Kataev, at 3 m/s along it,
/// and at 5 m/s as printed by Krištof. Who erodes takes it up (4.8.9): water beside it that stands still does not.
#[test]
fn each_particle_takes_up_what_it_erodes_at_the_printed_speed() {
    for (shear_speed, speed) in
        [(ShearSpeed::Difference, 1.0), (ShearSpeed::Along, 3.0), (ShearSpeed::Whole, 5.0)]
    {
        let mut params = kataev();
        params.erosion.shear_speed = shear_speed;
        let fast = drop([0.52, 0.53, 0.02], [3.0, 0.0, -4.0], 0.0);
        let still = drop([0.54, 0.53, 0.03], [0.0; 3], 0.0);
        let mut torrent = drops(&params, vec![fast, still]);
        torrent.advance_still(1).unwrap();
        let [(fast, at), (still, _)] = water(&torrent)[..] else { panic!("two particles") };
        let per_pascal = DT * 0.1 / GRAINS / (MASS / DENSITY);
        let expected: f64 = bed_around(&torrent, at)
            .iter()
            .map(|[l, area, _]| per_pascal * area * ((speed / l).sqrt() - 3.0).max(0.0))
            .sum();
        let cargo = &torrent.fluid().sorted().cargo;
        close(cargo[fast], expected, "share of grains");
        assert_eq!(cargo[still], 0.0, "water that stands still took up what other water eroded");
        books_close(&torrent);
    }
}

/// Eq. 1.64 with 1.65: from one particle to another h/2 below it, where q = 1 and V |F| = 3V/(4π(h/2)⁴) = 17.54 1/m. Grains of 10 µm and 3000 kg/m³ sink
/// at 1.2480e-7 m/s through 3.5 Pa·s.
#[test]
fn sediment_sinks_by_the_printed_sum_through_the_viscosity_of_the_table() {
    let below = drop([0.52, 0.53, 0.5], [0.0; 3], 0.0);
    let above = drop([0.52, 0.53, 0.5 + 0.5 * H], [0.0; 3], 0.1);
    let mut torrent = drops(&kataev(), vec![below, above]);
    torrent.advance_still(1).unwrap();
    let [(low, a), (high, b)] = water(&torrent)[..] else { panic!("two particles") };
    let r = distance(a, b);
    close(r, 0.5 * H, "distance");
    let speed = 2.0 / 9.0 * 1.0e-10 * (GRAINS - DENSITY) / 3.5 * GRAVITY;
    close(speed, 1.248_04e-7, "settling speed");
    let cargo = &torrent.fluid().sorted().cargo;
    close(cargo[low], DT * 0.1 * speed * MASS / DENSITY * slope(r), "share that sank");
    close(cargo[low], DT * 0.1 * 1.248_04e-7 * 17.545, "share that sank, by hand");
    assert_eq!(0.1 - cargo[high], 0.1 - (0.1 - cargo[low]), "what one gives the other gets");
}

/// Eq. 1.68: between two particles at one height, V |F| D/ρ (C_j − C_i), with D = 0.1 of table 4.2.
#[test]
fn sediment_spreads_by_the_printed_sum() {
    let muddy = drop([0.52, 0.53, 0.5], [0.0; 3], 0.1);
    let clear = drop([0.52 + 0.5 * H, 0.53, 0.5], [0.0; 3], 0.0);
    let params = Params::preset("kataev-2022").unwrap();
    let mut torrent = drops(&params, vec![muddy, clear]);
    torrent.advance_still(1).unwrap();
    let both = water(&torrent);
    let r = distance(both[0].1, both[1].1);
    let cargo = &torrent.fluid().sorted().cargo;
    let spread = both.iter().map(|(i, _)| cargo[*i]).fold(f64::INFINITY, f64::min);
    close(spread, DT * MASS / DENSITY * slope(r) * 0.1 / DENSITY * 0.1, "share that spread");
    close(spread, DT * 17.545 * 1.001_71e-4 * 0.1, "share that spread, by hand");
}

/// Eq. 1.69: every boundary particle takes as one of the fluid would.
#[test]
fn sediment_is_deposited_by_the_printed_sum() {
    let mut params = kataev();
    params.erosion.strength = Some(0.0);
    let mut torrent = drops(&params, vec![drop([0.52, 0.53, 0.02], [0.0; 3], 0.1)]);
    torrent.advance_still(1).unwrap();
    let (i, at) = water(&torrent)[0];
    let per_slope = DT * 0.1 * 1.248_04e-7 * MASS / DENSITY;
    let expected: f64 =
        bed_around(&torrent, at).iter().map(|[l, _, down]| per_slope * down / l * slope(*l)).sum();
    close(0.1 - torrent.fluid().sorted().cargo[i], expected, "share that settled");
    books_close(&torrent);
}

/// Eqs. 1.52 and 1.53 over the density of a lone particle, m W(0): a = −Σ L² µ_bf v ∇²W/ρ, for half a step, since the velocity of the beginning is half a
/// step back (1.47). L² is the share of the bed that a boundary particle stands for.
#[test]
fn the_bed_rubs_by_the_printed_sum() {
    let mut params = kataev();
    params.erosion.strength = Some(0.0);
    let mut torrent = drops(&params, vec![drop([0.52, 0.53, 0.02], [1.0, 0.0, 0.0], 0.0)]);
    torrent.advance(1).unwrap();
    let (_, at) = water(&torrent)[0];
    let density = MASS * 315.0 / (64.0 * PI * H.powi(3));
    let laplacian = |r: f64| 45.0 / (PI * H.powi(6)) * (H - r);
    let rub: f64 =
        bed_around(&torrent, at).iter().map(|[l, area, _]| area * 0.11 / density * laplacian(*l)).sum();
    let particles = torrent.fluid().particles();
    let moved = (0..particles.len()).find(|&i| !particles.is_boundary(i)).unwrap();
    close(1.0 - f64::from(particles.velocity[0][moved]), 0.5 * DT * rub, "speed lost [m/s]");
}

/// Eqs. 1.45–1.47: the first kick lasts half a step, and places are those of the parabola, ½ g t².
#[test]
fn a_drop_falls_along_the_parabola_from_its_first_step_on() {
    let start = 0.7;
    let mut torrent = drops(&kataev(), vec![drop([0.52, 0.53, start], [0.0; 3], 0.0)]);
    for step in 1..=5 {
        torrent.advance(1).unwrap();
        let particles = torrent.fluid().particles();
        let drop = (0..particles.len()).find(|&i| !particles.is_boundary(i)).unwrap();
        let time = f64::from(step) * DT;
        let fallen = start - f64::from(particles.position[2][drop]);
        assert!((fallen - 0.5 * GRAVITY * time * time).abs() < 1.0e-6, "fell {fallen} m in {time} s");
        let speed = -f64::from(particles.velocity[2][drop]);
        let half_before = GRAVITY * (time - 0.5 * DT);
        assert!((speed - half_before).abs() < 1.0e-6, "{speed} m/s, not {half_before}");
    }
}

#[test]
fn krištof_has_grains_of_a_millimetre_and_h_of_two_spacings_and_two_milliseconds() {
    let Params { fluid, erosion, bed, .. } = Params::preset("kristof-2009").unwrap();
    assert_eq!(fluid.smoothing_radius(), 2.0 * fluid.spacing);
    assert_eq!((fluid.dt, erosion.grain_radius), (Some(0.002), Some(1.0e-3)));
    assert_eq!((erosion.strength, erosion.critical_shear, erosion.shear), (Some(0.1), Some(3.0), 1.0));
    assert_eq!((bed.hold, erosion.shear_speed), (Hold::Penalty, ShearSpeed::Whole));
}

#[test]
fn boundary_particles_on_the_triangles_do_not_press() {
    let bed = BedParams { place: Place::Surface, ..BedParams::default() };
    assert_eq!(Params { bed, ..Params::default() }.validated().unwrap_err().key, "bed.place");
    for (name, _) in Params::PRESETS {
        Params::preset(name).unwrap().validated().unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}
