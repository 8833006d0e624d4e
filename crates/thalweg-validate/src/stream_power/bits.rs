//! Same bits, however they are computed.

use super::setup::rough;
use crate::{Check, Checks, Stopped};
use thalweg_erosion::stream_power::{Land, Params, Saved, StreamPower};

fn begin() -> Result<StreamPower, Stopped> {
    Ok(StreamPower::new(&rough(90, 4000.0), &Params::default(), &Land::open())?)
}

fn run() -> Result<Saved, Stopped> {
    let mut land = begin()?;
    land.advance(24)?;
    Ok(land.save())
}

/// One thread, several, and a run that was saved half-way.
pub(super) fn threads() -> Checks {
    let alone = run()?;
    let differing = |other: &Saved| {
        let heights =
            alone.height.iter().zip(&other.height).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
        (heights + usize::from(alone != *other)) as f64
    };
    let mut checks = Vec::new();
    let source = "the order of sums and draws does not depend on threads";
    #[cfg(not(target_arch = "wasm32"))]
    for count in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build()?;
        let other = pool.install(run)?;
        let quantity = format!("heights that differ with {count} threads");
        checks.push(Check::new(quantity, "-", source).near(differing(&other), 0.0, 0.0));
    }
    let mut half = begin()?;
    half.advance(10)?;
    let saved = half.save();
    let mut other = begin()?;
    if let Err(error) = other.restore(&saved) {
        return Err(Stopped(error));
    }
    other.advance(14)?;
    let check = Check::new("heights that differ after saving half-way", "-", "all that matters is saved");
    checks.push(check.near(differing(&other.save()), 0.0, 0.0));
    Ok(checks)
}
