//! Same bits, however they are computed.

use super::setup::{ideal, ring};
use crate::{Check, Checks, Stopped};
use thalweg_waves::{Basin, Outside, Params, Setup, Waves};

/// A pool with waves of two lengths and foam, after some seconds of so many pictures each.
fn run(pictures: u32) -> Result<Vec<u32>, Stopped> {
    let pool = vec![[2.0, 2.0], [38.0, 2.0], [38.0, 30.0], [20.0, 38.0], [2.0, 30.0]];
    let mole = vec![[10.0, 20.0], [14.0, 20.0], [14.0, 20.2], [10.0, 20.2]];
    let basin = Basin::from_polygons(&[pool, mole], Outside::Land)?;
    let params = Params { largest_radius: 2.0, lowest_crest: 1.0e-3, damping: 0.02, ..ideal() };
    let mut water = Waves::new(Setup { params, basin, size: [160, 160], cell: 0.25, velocity: true })?;
    water.emit(&ring([3.5, 4.0], 16, 0.4, 1.0))?;
    water.emit(&ring([25.0, 20.0], 16, 0.4, 2.0))?;
    for picture in 1..=2 * pictures {
        water.advance_to(f64::from(picture) / f64::from(pictures));
    }
    let surface = water.surface();
    let [east, north] = surface.displacement();
    let speeds = surface.velocity().into_iter().flatten();
    let grids = [surface.height(), east, north, surface.foam()].into_iter().chain(speeds);
    let saved = water.save();
    let numbers = saved.particles.iter().flat_map(|number| {
        let bits = number.to_bits();
        [bits as u32, (bits >> 32) as u32]
    });
    Ok(grids.flat_map(|grid| grid.values().iter().map(|v| v.to_bits())).chain(numbers).collect())
}

pub(super) fn cuts() -> Checks {
    let alone = run(5)?;
    let mut checks = Vec::new();
    let differs = |other: &[u32]| {
        let pairs = alone.iter().zip(other).filter(|(a, b)| a != b).count();
        (pairs + alone.len().abs_diff(other.len())) as f64
    };
    let mut check = |what: String, other: &[u32]| {
        checks.push(Check::new(what, "", "the same numbers, bit by bit").near(differs(other), 0.0, 0.0));
    };
    for pictures in [30, 60, 144] {
        check(format!("numbers that differ at {pictures} pictures in a second"), &run(pictures)?);
    }
    #[cfg(not(target_arch = "wasm32"))]
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        check(format!("numbers that differ with {threads} threads"), &pool.install(|| run(5))?);
    }
    Ok(checks)
}
