//! Walls: what they send back, and what goes around them.

use super::setup::{front, ideal, ring, waves};
use crate::{Check, Checks, Stopped};
use std::f64::consts::TAU;
use thalweg_waves::{Basin, Emission, Outside, Params, mirrored_distance};

fn mirrored(emissions: &[Emission], axis: usize, at: f64) -> Vec<Emission> {
    let mirror = |emission: &Emission| {
        let mut image = *emission;
        image.place[axis] = 2.0 * at - image.place[axis];
        image.heading[axis] = -image.heading[axis];
        image
    };
    emissions.iter().map(mirror).collect()
}

/// A half-plane and a box against images of the source.
pub(super) fn images() -> Checks {
    let mut checks = Vec::new();
    let params = Params { diffraction: false, ..ideal() };
    let rectangle = |[x0, y0]: [f64; 2], [x1, y1]: [f64; 2]| vec![[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
    let largest =
        |emissions: &[Emission], basin: &Basin, all: &[Emission], time: f64, places: &[[f64; 2]]| {
            let (mut walled, mut free) = (waves(&params, basin)?, waves(&params, &Basin::open())?);
            walled.emit(emissions)?;
            free.emit(all)?;
            for water in [&mut walled, &mut free] {
                water.skip_to(time);
            }
            let off = |&place: &[f64; 2]| (walled.exact_height(place) - free.exact_height(place)).abs();
            Ok::<f64, Stopped>(places.iter().map(off).fold(0.0, f64::max))
        };
    let grid = |[x0, y0]: [f64; 2], step: f64, [cols, rows]: [usize; 2]| -> Vec<[f64; 2]> {
        (0..cols * rows).map(|n| [x0 + (n % cols) as f64 * step, y0 + (n / cols) as f64 * step]).collect()
    };
    let wall = Basin::from_polygons(&[rectangle([20.0, -400.0], [30.0, 400.0])], Outside::Water)?;
    let source = ring([15.0, 0.0], 16, 1.0, 1.0);
    let both = [source.clone(), mirrored(&source, 0, 20.0)].concat();
    let places = grid([2.0, -10.0], 0.45, [41, 41]);
    let off = largest(&source, &wall, &both, 11.0, &places)?;
    let method = "source and mirrored source";
    checks.push(Check::new("half-plane against its image", "m", method).at_most(off, 1.0e-4));

    let mut water = waves(&params, &wall)?;
    water.emit(&front(5.0, [-30.0, 30.0], 0.5, 0.1, 1.0))?;
    water.skip_to(5.0);
    let free = water.exact_height([10.0, 0.0]);
    water.skip_to(15.0);
    let at_wall = water.exact_height([20.0, 0.0]);
    checks.push(Check::new("height at a wall over the free crest", "-", "full reflection").near(
        at_wall / free,
        2.0,
        2.0e-3,
    ));

    // A box of 10 m, with images around it farther than waves come in the time of three bounces.
    let pool = Basin::from_polygons(&[rectangle([0.0, 0.0], [10.0, 10.0])], Outside::Land)?;
    let source = ring([3.0, 4.0], 16, 1.0, 1.0);
    let all: Vec<Emission> = (-4..=4)
        .flat_map(|col| {
            let mut line = source.clone();
            // The image in the nth box: turned over when n is odd.
            if col % 2 != 0 {
                line = mirrored(&line, 0, 5.0);
            }
            for emission in &mut line {
                emission.place[0] += 10.0 * f64::from(col);
            }
            (-4..=4).flat_map(move |row| {
                let mut block = line.clone();
                if row % 2 != 0 {
                    block = mirrored(&block, 1, 5.0);
                }
                for emission in &mut block {
                    emission.place[1] += 10.0 * f64::from(row);
                }
                block
            })
        })
        .collect();
    let off = largest(&source, &pool, &all, 27.0, &grid([0.3, 0.3], 0.94, [11, 11]))?;
    checks.push(Check::new("box after three bounces against its images", "m", method).at_most(off, 1.0e-3));
    Ok(checks)
}

/// Volume of the waves within a distance of a place, as a share of all.
fn gathered(basin: &Basin, source: [f64; 2], focus: [f64; 2], time: f64) -> Result<f64, Stopped> {
    let mut water = waves(&ideal(), basin)?;
    let radius = 0.5;
    water.emit(&ring(source, 64, 0.1, radius))?;
    water.skip_to(time);
    let (mut near, mut all) = (0.0, 0.0);
    for particle in water.particles() {
        let volume = particle.amplitude() * radius * radius;
        all += volume;
        let away = (particle.place[0] - focus[0]).hypot(particle.place[1] - focus[1]);
        near += if away < radius { volume } else { 0.0 };
    }
    Ok(near / all)
}

pub(super) fn pools() -> Checks {
    let mut checks = Vec::new();
    let oval = |[a, b]: [f64; 2], points: usize| -> Vec<[f64; 2]> {
        let at = |n: usize| TAU * n as f64 / points as f64;
        (0..points).map(|n| [a * at(n).cos(), b * at(n).sin()]).collect()
    };
    let round = Basin::from_polygons(&[oval([5.0, 5.0], 256)], Outside::Land)?;
    let share = gathered(&round, [0.0; 2], [0.0; 2], 10.0)?;
    let source = "all ways from one focus to the other are equally long";
    checks.push(Check::new("round pool: share that meets in the middle", "-", source).at_least(share, 0.95));
    let ellipse = Basin::from_polygons(&[oval([5.0, 4.0], 512)], Outside::Land)?;
    let share = gathered(&ellipse, [-3.0, 0.0], [3.0, 0.0], 10.0)?;
    checks
        .push(Check::new("ellipse: share that meets in the other focus", "-", source).at_least(share, 0.95));
    for (distance, curvature, angle, wanted) in
        [(3.0, 0.5, 0.0, 0.75), (3.0, 0.5, 0.6, 0.647_265), (3.0, -0.2, 0.6, -6.608_599)]
    {
        let what = format!("distance to the centre after a mirror of {curvature} 1/m at {angle} rad");
        let found = mirrored_distance(distance, curvature, angle);
        checks
            .push(Check::new(what, "m", "mirror equation, against traced rays").near(found, wanted, 1.0e-6));
    }
    Ok(checks)
}

/// A front that passes the end of a mole, fifteen wavelengths behind it.
pub(super) fn mole() -> Checks {
    let mut checks = Vec::new();
    let (radius, behind, crest) = (1.0, 30.0, 0.1);
    let mole =
        Basin::from_polygons(&[vec![[0.0, -300.0], [0.1, -300.0], [0.1, 0.0], [0.0, 0.0]]], Outside::Water)?;
    let mut water = waves(&Params { lowest_crest: 1.0e-5, ..ideal() }, &mole)?;
    water.emit(&front(-10.0, [-40.0, 60.0], 0.5, crest, radius))?;
    water.skip_to(10.0 + behind);
    for (v, share) in [(0.0, 0.500), (1.0, 0.203), (2.0, 0.111), (3.0, 0.075), (-1.0, 1.122)] {
        // The shadow lies to the south.
        let y = -v * (2.0 * radius * behind / 2.0_f64).sqrt();
        // What comes around the end lies on a circle about it.
        let x = if v > 0.0 { (behind * behind - y * y).sqrt() } else { behind };
        let high = (-20..=20).map(|n| water.exact_height([x + 0.05 * f64::from(n), y])).fold(0.0, f64::max);
        let source = "Sommerfeld's half-plane, v = y √(2/(λ x))";
        checks.push(Check::new(format!("height behind a mole at v = {v}"), "-", source).near(
            high / crest,
            share,
            0.05,
        ));
    }
    Ok(checks)
}
