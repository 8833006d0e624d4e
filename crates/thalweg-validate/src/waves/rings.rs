//! Rings.

use super::setup::{ideal, relative, ring, waves};
use crate::{Check, Checks, Stopped};
use std::f64::consts::TAU;
use thalweg_waves::{Basin, Conserved, Hump, Params, Setup, Waves, ring_height};

/// A ring of 8 particles of 1 m: how many there are, what they keep, how high they are.
pub(super) fn split() -> Checks {
    let mut checks = Vec::new();
    let books = "closed form: x = o + û (R0 + v t), three of a third each";
    for (conserved, name) in [(Conserved::Volume, "volume"), (Conserved::Energy, "energy")] {
        let mut water = waves(&Params { conserved, ..ideal() }, &Basin::open())?;
        water.emit(&ring([0.0; 2], 8, 1.0, 1.0))?;
        for (distance, count) in [(5.0, 72.0), (10.0, 216.0), (20.0, 648.0)] {
            let at = |what: &str| format!("{what}, {name} kept, at {distance} m");
            water.skip_to(distance);
            checks.push(Check::new(at("particles"), "", books).near(
                water.particle_count() as f64,
                count,
                0.0,
            ));
            let off = water
                .particles()
                .map(|p| (p.place[0].hypot(p.place[1]) - distance).abs())
                .fold(0.0, f64::max);
            checks.push(Check::new(at("off the circle"), "m", books).at_most(off, 1.0e-12 * distance));
            let arcs: f64 = water.particles().map(|p| p.spread).sum();
            checks.push(Check::new(at("sum of arcs"), "rad", books).near(arcs, TAU, 1.0e-12));
            // Along the crest, between bumps and on them.
            let heights: Vec<f64> = (0..200)
                .map(|n| {
                    let angle = TAU * f64::from(n) / 200.0 * 0.37;
                    water.exact_height([distance * angle.cos(), distance * angle.sin()])
                })
                .collect();
            let mean = heights.iter().sum::<f64>() / 200.0;
            let ripple = (heights.iter().map(|h| (h - mean) * (h - mean)).sum::<f64>() / 200.0).sqrt() / mean;
            checks.push(
                Check::new(at("ripple of the crest"), "-", "spacing below r/2 (C7)").at_most(ripple, 5.0e-3),
            );
            let power = if conserved == Conserved::Volume { distance } else { distance.sqrt() };
            // A curved front is a little lower on its circle than a straight one: r²/R² terms.
            checks.push(Check::new(at("crest times R or its root"), "m", "8/2π").near_share(
                mean * power,
                8.0 / TAU,
                5.0e-3,
            ));
            if conserved == Conserved::Volume {
                let amplitudes: f64 = water.particles().map(|p| p.amplitude()).sum();
                checks.push(Check::new(at("sum of amplitudes"), "m", books).near(
                    amplitudes,
                    8.0,
                    1.0e-12 * 8.0,
                ));
            } else {
                checks.push(
                    Check::new(at("energy missing"), "-", books).at_most(water.books().missing(), 1.0e-12),
                );
            }
        }
    }
    Ok(checks)
}

/// Dawson's integral, by its differential equation F' = 1 − 2xF.
fn dawson(x: f64) -> f64 {
    let steps = 20_000;
    let h = x / f64::from(steps);
    let slope = |x: f64, f: f64| 1.0 - 2.0 * x * f;
    (0..steps).fold(0.0, |f, n| {
        let x = h * f64::from(n);
        let a = slope(x, f);
        let b = slope(x + 0.5 * h, f + 0.5 * h * a);
        let c = slope(x + 0.5 * h, f + 0.5 * h * b);
        let d = slope(x + h, f + h * c);
        f + h * (a + 2.0 * b + 2.0 * c + d) / 6.0
    })
}

/// A hump at rest, let go: the middle, the crest that runs out, and finite differences.
pub(super) fn exact() -> Checks {
    let mut checks = Vec::new();
    for (time, height) in [
        (0.5, 0.769_828),
        (1.0, 0.275_222),
        (1.5, -0.128_204),
        (2.0, -0.279_976),
        (3.0, -0.179_501),
        (5.0, -0.046_229),
        (10.0, -0.010_316),
    ] {
        let root = 2.0_f64.sqrt();
        let formula = 1.0 - root * time * dawson(time / root);
        let check = |what: &str| {
            Check::new(format!("height in the middle at {time}, {what}"), "m", "1 − √2 t F(t/√2)")
        };
        checks.push(check("formula").near(formula, height, 1.0e-6));
        checks.push(check("quadrature").near(ring_height(0.0, time), height, 1.0e-6));
    }
    for (time, place, height) in [
        (5.0, 5.5086, 0.156_843),
        (10.0, 10.5280, 0.114_885),
        (20.0, 20.5389, 0.082_794),
        (40.0, 40.5448, 0.059_126),
    ] {
        let crest = (-200..=200).map(|n| place + 1.0e-3 * f64::from(n)).map(|x| (x, ring_height(x, time)));
        let (x, h) = crest.fold((0.0, 0.0), |best, at| if at.1 > best.1 { at } else { best });
        let source = "∫ e^(−k²/2) cos(kt) J0(kx) k dk";
        checks.push(Check::new(format!("place of the crest at {time}"), "m", source).near(x, place, 2.0e-3));
        checks
            .push(Check::new(format!("height of the crest at {time}"), "m", source).near(h, height, 1.0e-6));
    }
    for (time, place, height) in [(10.0, 8.2194, -0.063_133), (40.0, 38.2470, -0.028_376)] {
        let trough = (-200..=200).map(|n| place + 1.0e-3 * f64::from(n)).map(|x| (x, ring_height(x, time)));
        let (x, h) = trough.fold((0.0, 0.0), |best, at| if at.1 < best.1 { at } else { best });
        let source = "∫ e^(−k²/2) cos(kt) J0(kx) k dk";
        checks.push(Check::new(format!("place of the trough at {time}"), "m", source).near(x, place, 2.0e-3));
        checks
            .push(Check::new(format!("depth of the trough at {time}"), "m", source).near(h, height, 1.0e-6));
    }
    let far = ring_height(40.5448, 40.0) * 40.5448_f64.sqrt();
    let source = "the far field of a ring loses height with the root of its distance";
    checks.push(Check::new("crest × √R at 40", "m", source).near_share(far, 0.377, 0.005));
    for (time, off) in finite_differences() {
        let source = "leap-frog, ten cells to a width, Courant number 0.5";
        checks.push(
            Check::new(format!("finite differences against it at {time}, L2"), "-", source)
                .at_most(off, 0.01),
        );
    }
    Ok(checks)
}

/// The wave equation by leap-frog on a quarter of the plane: how far it is off the exact ring, at two times.
fn finite_differences() -> Vec<(f64, f64)> {
    const CELLS: usize = 150;
    const DX: f64 = 0.1;
    const COURANT: f64 = 0.5;
    let at = |x: usize, y: usize| y * CELLS + x;
    let hump = |n: usize| {
        let [x, y] = [n % CELLS, n / CELLS].map(|n| n as f64 * DX);
        (-0.5 * (x * x + y * y)).exp()
    };
    let start: Vec<f64> = (0..CELLS * CELLS).map(hump).collect();
    let laplacian = |h: &[f64], x: usize, y: usize| {
        // Mirrored at the axes, 0 beyond.
        let get = |x: usize, y: usize| if x < CELLS && y < CELLS { h[at(x, y)] } else { 0.0 };
        let west = if x == 0 { get(1, y) } else { get(x - 1, y) };
        let south = if y == 0 { get(x, 1) } else { get(x, y - 1) };
        west + south + get(x + 1, y) + get(x, y + 1) - 4.0 * h[at(x, y)]
    };
    let c2 = COURANT * COURANT;
    let mut before = start.clone();
    let mut now: Vec<f64> =
        (0..CELLS * CELLS).map(|n| start[n] + 0.5 * c2 * laplacian(&start, n % CELLS, n / CELLS)).collect();
    let mut found = Vec::new();
    for step in 2..=200 {
        let next = (0..CELLS * CELLS)
            .map(|n| 2.0 * now[n] - before[n] + c2 * laplacian(&now, n % CELLS, n / CELLS))
            .collect();
        before = std::mem::replace(&mut now, next);
        let time = f64::from(step) * COURANT * DX;
        if step == 100 || step == 200 {
            let exact: Vec<f64> = (0..CELLS).map(|x| ring_height(x as f64 * DX, time)).collect();
            found.push((time, relative(&now[..CELLS], &exact)));
        }
    }
    found
}

/// Layers of rings fitted at one time, against the exact solution at others.
pub(super) fn matched() -> Checks {
    let mut checks = Vec::new();
    let source =
        "the wave equation, far from the start; bounds after Mikeš' method with layers that sum to nothing";
    let off = |rings: usize, radius: f64, conserved: Conserved, time: f64| {
        let hump = Hump::fitted(rings, radius);
        let params = Params {
            conserved,
            lowest_crest: 1.0e-5,
            smallest_radius: radius,
            largest_radius: radius.max(4.0),
            radii_per_octave: 8,
            ..ideal()
        };
        // A strip of the surface, from the middle of the ring to the east.
        let cell = 0.125;
        let setup = Setup { params, basin: Basin::open(), size: [400, 24], cell, velocity: false };
        let mut water = Waves::new(setup)?;
        let middle = [2.0, 1.5];
        water.emit(&hump.emissions(middle, [1.0, 1.0], 1.0, 32))?;
        water.skip_to(time);
        water.refresh();
        let places = (0..=65).map(|n| time - 8.0 + 0.2 * f64::from(n)).filter(|&x| x >= 2.0 * radius);
        let places: Vec<f64> = places.collect();
        let surface = water.surface().height();
        let row = 24.0 - middle[1] / cell - 0.5;
        let height = |x: &f64| f64::from(surface.bilinear((x + middle[0]) / cell - 0.5, row));
        let found: Vec<f64> = places.iter().map(height).collect();
        let exact: Vec<f64> = places.iter().map(|&x| ring_height(x, time)).collect();
        Ok::<f64, Stopped>(relative(&found, &exact))
    };
    for (rings, radius, bound) in [(2, 2.0, 0.22), (13, 1.5, 0.05), (21, 1.0, 0.04)] {
        for time in [5.0, 10.0, 20.0, 40.0] {
            let measured = off(rings, radius, Conserved::Energy, time)?;
            let what = format!("{rings} layers of {radius} m at {time}, L2");
            checks.push(Check::new(what, "-", source).at_most(measured, bound));
        }
        let sum: f64 = Hump::fitted(rings, radius).rings().iter().map(|ring| ring.height * ring.radius).sum();
        checks
            .push(Check::new(format!("sum of {rings} layers"), "-", "zero mean (C8)").near(sum, 0.0, 1.0e-9));
    }
    // Where volume is kept, rings become too low: a known failure, held to what it is.
    let measured = off(21, 1.0, Conserved::Volume, 40.0)?;
    let known = "volume kept: heights fall with R, not its root; known to fail";
    checks.push(Check::new("21 layers at 40, volume kept, L2", "-", known).at_least(measured, 0.3));
    Ok(checks)
}
