//! A column of water at rest, and one that falls.

use super::measure::{dot, interpolated, length, line, minus, position, velocity, water};
use super::setup::{clear, flat, still_water, torrent};
use crate::{Check, Checks};
use thalweg_coupling::{BedParams, Setting};
use thalweg_field::Top;
use thalweg_sph::{FluidParams, Particles};

/// Pressure is that of the equation of state, a mean over layers one spacing deep away from walls, bed and surface, and
/// over the last half second: sound runs up and down the column for long.
pub(super) fn hydrostatic() -> Checks {
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

/// A column 20 particles wide and 40 high, eight across. The front is where the water of the lowest two
/// spacings ends, splashes left out: the farthest particle that has three others within two spacings behind it.
pub(super) fn dam_break() -> Checks {
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
