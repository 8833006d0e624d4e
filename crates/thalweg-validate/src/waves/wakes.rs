//! Wakes, and rings over deep water.

use super::setup::{ideal, relative, ring, waves};
use crate::{Check, Checks, Stopped};
use std::f64::consts::{PI, TAU};
use thalweg_waves::{
    Basin, BodyParams, Emission, Fleet, GRAVITY, HullForm, Params, Setup, Wake, WaterPoint, WaterSurface,
    Waves, group_speed,
};

/// Cells of the surface that wakes are seen on, and how many make up the length that counts.
const SIZE: [usize; 2] = [360, 180];
const CELLS: f64 = 16.0;

/// A surface on which something that goes east comes to a place near its south-eastern corner.
struct Sea {
    water: Waves,
    cell: f64,
    end: [f64; 2],
}

impl Sea {
    fn new(params: &Params, length: f64) -> Result<Self, Stopped> {
        let cell = length / CELLS;
        let params = Params { radii_per_octave: 4, ..params.clone() };
        let setup = Setup { params, basin: Basin::open(), size: SIZE, cell, velocity: false };
        Ok(Self { water: Waves::new(setup)?, cell, end: [21.0 * length, length] })
    }

    /// Height at a distance behind where it ended, in a direction to the side `[rad]`.
    fn height(&self, behind: f64, angle: f64) -> f64 {
        let [x, y] = [self.end[0] - behind * angle.cos(), self.end[1] + behind * angle.sin()];
        let heights = self.water.surface().height();
        f64::from(heights.bilinear(x / self.cell - 0.5, heights.rows() as f64 - y / self.cell - 0.5))
    }
}

/// Half the angle of the wake of something that moves faster than all waves.
fn mach(ratio: f64) -> Result<f64, Stopped> {
    let (speed, radius) = (1.0 / ratio, 0.5);
    let params = Params { smallest_radius: radius, largest_radius: radius, diffraction: false, ..ideal() };
    let mut sea = Sea::new(&params, 4.0 * radius)?;
    let (dt, steps) = (0.4 * radius / speed, 200);
    let start = sea.end[0] - speed * dt * f64::from(steps);
    for step in 0..steps {
        let time = f64::from(step) * dt;
        sea.water.skip_to(time);
        sea.water.emit(&ring([start + speed * time, sea.end[1]], 24, 0.01, radius))?;
    }
    sea.water.skip_to(f64::from(steps) * dt);
    sea.water.refresh();
    // Where the crest lies at two distances.
    let crest = |behind: f64| {
        let heights = (0..600).map(|n| 0.1 * f64::from(n)).map(|degrees| {
            let angle = degrees.to_radians();
            (angle, sea.height(behind / angle.cos(), angle))
        });
        let angle = heights.fold((0.0, f64::MIN), |best, at| if at.1 > best.1 { at } else { best }).0;
        behind * angle.tan()
    };
    let (near, far) = (10.0, 24.0);
    Ok(((crest(far) - crest(near)) / (far - near)).atan().to_degrees())
}

/// Half the angle of a wake over deep water, and the length of the waves that follow in it.
fn kelvin(speed: f64) -> Result<[f64; 2], Stopped> {
    let length = TAU * speed * speed / GRAVITY;
    let params = Params {
        damping: 0.0,
        lowest_crest: 1.0e-7,
        diffraction: false,
        smallest_radius: length / 8.0,
        largest_radius: length / 2.0,
        ..Params::default()
    };
    let mut sea = Sea::new(&params, length)?;
    let dt = 0.2 * length / speed;
    let steps = 180;
    let start = sea.end[0] - speed * dt * f64::from(steps);
    for step in 0..steps {
        let time = f64::from(step) * dt;
        sea.water.skip_to(time);
        let wake = Wake {
            place: [start + speed * time, sea.end[1]],
            course: [1.0, 0.0],
            speed,
            strength: 0.01 / dt,
            depth: 0.05 * length,
            angles: 24,
            train: 2.0,
        };
        sea.water.emit(&wake.emissions(GRAVITY, dt))?;
    }
    sea.water.skip_to(f64::from(steps) * dt);
    sea.water.refresh();
    let strength = |degrees: f64| {
        let squares =
            (0..60).map(|n| sea.height((12.0 + 0.1 * f64::from(n)) * length, degrees.to_radians()).powi(2));
        squares.sum::<f64>().sqrt()
    };
    let profile: Vec<(f64, f64)> =
        (0..=60).map(|n| 12.0 + 0.2 * f64::from(n)).map(|a| (a, strength(a))).collect();
    let (peak_at, peak) = profile.iter().fold((0.0, 0.0), |best, at| if at.1 > best.1 { *at } else { best });
    // At the edge of a wake waves have the height of Airy's function at 0, as a share of its largest value.
    let edge = 0.355_03 / 0.535_66 * peak;
    let outside = profile.windows(2).find(|pair| pair[0].0 >= peak_at && pair[1].1 < edge);
    let half_angle = outside.map_or(f64::NAN, |pair| {
        pair[0].0 + (pair[1].0 - pair[0].0) * (pair[0].1 - edge) / (pair[0].1 - pair[1].1)
    });
    let heights: Vec<f64> =
        (0..1200).map(|n| sea.height((6.0 + 0.01 * f64::from(n)) * length, 0.0)).collect();
    let rises: Vec<f64> = heights
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| pair[0] < 0.0 && pair[1] >= 0.0)
        .map(|(n, pair)| 0.01 * length * (n as f64 + pair[0] / (pair[0] - pair[1])))
        .collect();
    let found = match &rises[..] {
        [first, .., last] => (last - first) / (rises.len() - 1) as f64,
        _ => f64::NAN,
    };
    Ok([half_angle, found])
}

/// Water without waves.
struct Calm;

impl WaterSurface for Calm {
    fn at(&self, _: [f64; 2]) -> WaterPoint {
        WaterPoint::default()
    }
}

/// How high waves are in the middle of the wake of a ball that moves under water, times the root of how far off they are: A(0) of
/// ζ = ∫ A(ψ) cos(k x·ψ) dψ, found and as it should be `[m]`.
fn behind_a_ball(speed: f64) -> Result<[f64; 2], Stopped> {
    let length = TAU * speed * speed / GRAVITY;
    let params = Params {
        damping: 0.0,
        lowest_crest: 1.0e-8,
        diffraction: false,
        smallest_radius: length / 8.0,
        largest_radius: length / 2.0,
        ..Params::default()
    };
    let mut sea = Sea::new(&params, length)?;
    let around = thalweg_waves::Sea { least_radius: length / 16.0, ..thalweg_waves::Sea::default() };
    let mut fleet = Fleet::new(around)?;
    let (radius, depth) = (0.08 * length, 0.2 * length);
    let (dt, steps) = (0.05 * length / speed, 600);
    let start = sea.end[0] - speed * dt * f64::from(steps);
    let ball = BodyParams {
        size: [2.0 * radius; 3],
        density: 1500.0,
        at: [start, sea.end[1], -depth],
        velocity: [speed, 0.0, 0.0],
        held: true,
        ..BodyParams::of(HullForm::Sphere)
    };
    fleet.add(&ball, None)?;
    for step in 1..=steps {
        let sent = fleet.step(dt, &Calm)?.emissions;
        sea.water.skip_to(f64::from(step) * dt);
        sea.water.emit(&sent)?;
    }
    sea.water.refresh();
    let k = TAU / length;
    // Eight waves.
    let squares = (0..800).map(|n| {
        let behind = (6.0 + 0.01 * f64::from(n)) * length;
        sea.height(behind, 0.0).powi(2) * 2.0 * k * behind / TAU
    });
    let found = (squares.sum::<f64>() / 800.0).sqrt();
    // S = ∫ n e^(kz − ikx) dA = −ik V e^(−kd), as the mean of a harmonic function over a ball is that in its middle.
    let expected = k * k * fleet.hull(0).volume() * (-k * depth).exp() / PI;
    Ok([found, expected])
}

pub(super) fn wakes() -> Checks {
    let mut checks = Vec::new();
    for speed in [3.0, 6.0] {
        let [found, expected] = behind_a_ball(speed)?;
        let what = format!("height behind a ball under water at {speed} m/s, beside theory");
        checks.push(Check::new(what, "-", "Michell 1898, Havelock 1932").near(found / expected, 1.0, 0.1));
    }
    for (ratio, wanted) in [(0.5, 30.0), (0.2, 11.537)] {
        let what = format!("half-angle of a wake without dispersion, v/U = {ratio}");
        checks.push(Check::new(what, "°", "asin(v/U)").near(mach(ratio)?, wanted, 0.5));
    }
    for (speed, length) in [(2.0, 2.5620), (4.0, 10.248), (8.0, 40.992)] {
        let [angle, found] = kelvin(speed)?;
        let what = format!("half-angle of a wake over deep water at {speed} m/s");
        checks.push(Check::new(what, "°", "asin(1/3), Kelvin 1887").near(angle, 19.471, 1.0));
        let what = format!("length of the waves that follow at {speed} m/s");
        checks.push(Check::new(what, "m", "2π U²/g").near_share(found, length, 0.03));
    }
    Ok(checks)
}

/// A hump of 1 m and σ = 0.5 m over deep water: ∫ σ² e^(−k²σ²/2) cos(√(gk) t) J0(kx) k dk.
fn deep_ring(distance: f64, time: f64) -> f64 {
    const STEPS: usize = 3000;
    const SIGMA: f64 = 0.5;
    let step = 14.0 / STEPS as f64;
    let part = |n: usize| {
        let k = step * n as f64;
        let weight = if n == 0 || n == STEPS {
            1.0
        } else if n % 2 == 1 {
            4.0
        } else {
            2.0
        };
        let swing = ((GRAVITY * k).sqrt() * time).cos();
        weight * (-0.5 * k * k * SIGMA * SIGMA).exp() * swing * libm::j0(k * distance) * k
    };
    (0..=STEPS).map(part).sum::<f64>() * step / 3.0 * SIGMA * SIGMA
}

/// Rings of trains, one for each band of wave numbers, that such a hump sends out.
fn trains(water: &mut Waves, bands: f64) -> Result<(), Stopped> {
    const SIGMA: f64 = 0.5;
    let mut k = bands;
    while k < 7.0 {
        let radius = PI / k;
        // Half of the hump goes outwards: its spectrum times the far form of J0, over the width of the band.
        let crest = 0.5
            * SIGMA
            * SIGMA
            * (-0.5 * k * k * SIGMA * SIGMA).exp()
            * k
            * (2.0 / (PI * k * radius)).sqrt()
            * bands;
        let count = 24;
        let spread = TAU / count as f64;
        let emissions: Vec<Emission> = ring([0.0; 2], count, crest * spread, radius)
            .into_iter()
            // A window cos² of the band is as long as 2π over its width.
            .map(|emission| Emission { train: TAU / bands / (2.0 * radius), phase: -0.25 * PI, ..emission })
            .collect();
        water.emit(&emissions)?;
        k += bands;
    }
    Ok(())
}

pub(super) fn dispersive_ring() -> Checks {
    let mut checks = Vec::new();
    let source = "∫ σ² e^(−k²σ²/2) cos(√(gk) t) J0(kx) k dk";
    for (place, time, height) in [
        (0.0, 0.5, -0.583_66),
        (0.0, 1.0, 0.043_71),
        (5.0, 3.0, -0.012_67),
        (5.0, 5.0, 0.078_11),
        (10.0, 5.0, 0.020_62),
    ] {
        let what = format!("exact height at {place} m after {time} s");
        checks.push(Check::new(what, "m", source).near(deep_ring(place, time), height, 2.0e-5));
    }
    let params = Params { damping: 0.0, lowest_crest: 1.0e-6, ..Params::default() };
    let mut water = waves(&params, &Basin::open())?;
    trains(&mut water, 0.35)?;
    for time in [5.0, 8.0] {
        water.skip_to(time);
        let places: Vec<f64> = (0..120).map(|n| (1.0 + 0.025 * f64::from(n)) * 1.2 * time).collect();
        let (sin, cos) = 0.3_f64.sin_cos();
        let found: Vec<f64> = places.iter().map(|x| water.exact_height([x * cos, x * sin])).collect();
        let exact: Vec<f64> = places.iter().map(|&x| deep_ring(x, time)).collect();
        // Heights of a wave: the root of twice the mean square over about a wavelength.
        let envelope = |heights: &[f64]| -> Vec<f64> {
            heights
                .windows(30)
                .step_by(5)
                .map(|part| (part.iter().map(|h| h * h).sum::<f64>() / 15.0).sqrt())
                .collect()
        };
        let off = relative(&envelope(&found), &envelope(&exact));
        let what = format!("envelope of the packets after {time} s, L2");
        checks.push(Check::new(what, "-", source).at_most(off, 0.2));
    }
    let fastest = group_speed(GRAVITY, 2.0, 1.0e6);
    checks.push(Check::new("speed of groups of 4 m", "m/s", "√(g/k)/2").near(fastest, 1.2495, 1.0e-4));
    Ok(checks)
}
