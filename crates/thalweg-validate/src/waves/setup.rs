//! What the cases have in common.

use crate::Stopped;
use std::f64::consts::TAU;
use thalweg_waves::{Basin, Emission, Params, Setup, Speed, Waves};

/// Waves that all go at 1 m/s and lose nothing.
pub(super) fn ideal() -> Params {
    Params {
        speed: Speed::Constant,
        wave_speed: 1.0,
        damping: 0.0,
        lowest_crest: 1.0e-6,
        smallest_radius: 1.0,
        largest_radius: 1.0,
        ..Params::default()
    }
}

/// Still water whose surface nobody looks at.
pub(super) fn waves(params: &Params, basin: &Basin) -> Result<Waves, Stopped> {
    let setup =
        Setup { params: params.clone(), basin: basin.clone(), size: [2, 2], cell: 1.0, velocity: false };
    Ok(Waves::new(setup)?)
}

/// A ring of so many particles around a place.
pub(super) fn ring(place: [f64; 2], count: usize, amplitude: f64, radius: f64) -> Vec<Emission> {
    let one = |n: usize| {
        let angle = TAU * (n as f64 + 0.25) / count as f64;
        let heading = [angle.cos(), angle.sin()];
        Emission { place, heading, spread: TAU / count as f64, amplitude, radius, ..Emission::default() }
    };
    (0..count).map(one).collect()
}

/// A straight front that goes east, from one place to another north of it, its bumps so far apart.
pub(super) fn front(
    x: f64,
    [south, north]: [f64; 2],
    spacing: f64,
    crest: f64,
    radius: f64,
) -> Vec<Emission> {
    let count = ((north - south) / spacing).round() as usize;
    let one = |n: usize| Emission {
        place: [x, south + (n as f64 + 0.5) * spacing],
        heading: [1.0, 0.0],
        width: spacing,
        amplitude: crest * spacing / radius,
        radius,
        ..Emission::default()
    };
    (0..count).map(one).collect()
}

/// How far `found` is from `wanted`, as a share of the latter, both as vectors.
pub(super) fn relative(found: &[f64], wanted: &[f64]) -> f64 {
    let off: f64 = found.iter().zip(wanted).map(|(a, b)| (a - b) * (a - b)).sum();
    let all: f64 = wanted.iter().map(|b| b * b).sum();
    (off / all).sqrt()
}
