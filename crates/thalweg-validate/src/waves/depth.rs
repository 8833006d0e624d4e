//! Waves over a bed.

use super::setup::waves;
use crate::{Check, Checks};
use thalweg_field::{Frame, Grid2, Heightfield};
use thalweg_waves::{Basin, Emission, GRAVITY, Params, phase_speed};

/// A bed that rises to the east, from one depth to another between two places.
fn shoal([from, to]: [f64; 2], [deep, shallow]: [f64; 2], cells: [usize; 2], cell: f64) -> Heightfield {
    let height = |col: usize, _| {
        let x = (col as f64 + 0.5) * cell;
        let along = ((x - from) / (to - from)).clamp(0.0, 1.0);
        (-(deep + (shallow - deep) * along)) as f32
    };
    Heightfield { height: Grid2::from_fn(cells[0], cells[1], height), frame: Frame::with_cell(cell) }
}

/// Depth down to which waves on a beach are looked at `[m]`.
const LOOKED_AT: f64 = 0.2;

pub(super) fn beach() -> Checks {
    let mut checks = Vec::new();
    for (depth, speed) in [(1.0, 2.948_70), (0.5, 2.179_39)] {
        let what = format!("speed of waves of 10 m over {depth} m");
        checks.push(Check::new(what, "m/s", "√((g/k) tanh kh)").near(
            phase_speed(GRAVITY, 5.0, depth),
            speed,
            1.0e-5,
        ));
    }
    checks.extend(slope()?);
    checks.extend(breakers()?);
    Ok(checks)
}

/// A long wave that comes at an angle over a slope.
fn slope() -> Checks {
    let params = Params { damping: 0.0, lowest_crest: 1.0e-6, largest_radius: 1000.0, ..Params::default() };
    let ground = shoal([300.0, 600.0], [10.0, 2.5], [200, 200], 5.0);
    let basin = Basin::from_ground(&ground, 0.0, false)?;
    let mut water = waves(&params, &basin)?;
    let angle = 30.0_f64.to_radians();
    water.emit(&[Emission {
        place: [100.0, 300.0],
        heading: [angle.cos(), angle.sin()],
        width: 10.0,
        amplitude: 1.0e-3,
        // Long against the depth.
        radius: 1000.0,
        ..Emission::default()
    }])?;
    let particle = |water: &thalweg_waves::Waves| water.particles().next();
    let before = particle(&water);
    water.skip_to(90.0);
    let after = particle(&water);
    let (Some(before), Some(after)) = (before, after) else {
        return Err(crate::Stopped("the wave was lost".into()));
    };
    let found = after.heading[1].atan2(after.heading[0]).to_degrees();
    let turned = (before.width / after.width).sqrt();
    let rise = after.crest / before.crest;
    Ok(vec![
        Check::new("angle to the slope over the shoal", "°", "Snell").near(found, 14.478, 0.1),
        Check::new("speed over 10 m", "m/s", "√(gh)").near_share(before.speed, 9.905, 1.0e-3),
        Check::new("speed over 2.5 m", "m/s", "√(gh)").near_share(after.speed, 4.952, 1.0e-3),
        Check::new("refraction coefficient", "-", "√(cos 30° / cos 14.478°)")
            .near_share(turned, 0.945_74, 0.02),
        Check::new("shoaling coefficient", "-", "Green's law: (10 / 2.5)^¼").near_share(
            rise / turned,
            2.0_f64.sqrt(),
            0.02,
        ),
        Check::new("height over the shoal", "-", "Green's law: √2 × 0.94574")
            .near_share(rise, 1.337_48, 0.02),
    ])
}

/// A beach up to the waterline: nothing is higher than its water lets it be, and all energy is found again.
fn breakers() -> Checks {
    let ground = shoal([20.0, 120.0], [5.0, -0.5], [260, 60], 0.5);
    let basin = Basin::from_ground(&ground, 0.0, false)?;
    let params = Params { damping: 0.0, lowest_crest: 1.0e-3, largest_radius: 1000.0, ..Params::default() };
    let mut water = waves(&params, &basin)?;
    let front: Vec<Emission> = (0..12)
        .map(|n| Emission {
            place: [10.0, 5.0 + 2.0 * f64::from(n)],
            heading: [1.0, 0.0],
            width: 2.0,
            amplitude: 0.25,
            radius: 4.0,
            row: true,
            ..Emission::default()
        })
        .collect();
    water.emit(&front)?;
    let mut highest = 0.0_f64;
    for tick in 1..600 {
        water.skip_to(0.1 * f64::from(tick));
        for particle in water.particles() {
            let depth = basin.depth(particle.place);
            if depth > LOOKED_AT {
                highest = highest.max(2.0 * particle.crest / depth);
            }
        }
    }
    // Between two pieces of its way, a cell long, the water becomes shallower.
    let source = "McCowan 1894: 0.78, and by as much more as the depth changes over a cell";
    let books = water.books();
    Ok(vec![
        Check::new("height over depth on a beach", "-", source)
            .at_most(highest, 0.78 * (1.0 + 0.055 * 0.5 / LOOKED_AT)),
        Check::new("share of the energy that broke", "-", "all but what is lower than 1 mm")
            .at_least(books.broken / books.sent, 0.9),
        Check::new("energy missing", "-", "the books").at_most(books.missing(), 1.0e-9),
    ])
}
