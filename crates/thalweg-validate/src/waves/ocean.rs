//! The open sea: how high and how fast its waves are.

use crate::{Case, Check, Checks};
use std::f64::consts::TAU;
use thalweg_waves::{GerstnerWave, Ocean, OceanParams, SpectrumKind, capillary_frequency};

pub(crate) const CASES: &[Case] = &[
    Case {
        name: "waves/ocean-dispersion", about: "waves at a point turn as ω² = gk says", run: dispersion
    },
    Case {
        name: "waves/ocean-moskowitz",
        about: "fully raised seas are as high as Pierson and Moskowitz say",
        run: moskowitz,
    },
    Case {
        name: "waves/ocean-phillips",
        about: "seas by Tessendorf's formula have its variance",
        run: phillips,
    },
    Case { name: "waves/ocean-jonswap", about: "growing seas are as high as JONSWAP says", run: jonswap },
    Case { name: "waves/ocean-threads", about: "any number of threads, same bits", run: threads },
];

const SEEDS: u64 = 6;

/// Mean significant height of some seas `[m]`.
fn height(params: &OceanParams) -> Result<f64, thalweg_field::Invalid> {
    let mut sum = 0.0;
    for seed in 0..SEEDS {
        sum += Ocean::new(&OceanParams { seed, ..params.clone() })?.significant_height();
    }
    Ok(sum / SEEDS as f64)
}

fn one_patch(spectrum: SpectrumKind, wind: f64, patch: f64) -> OceanParams {
    OceanParams { spectrum, wind, patch, cascades: 1, ..OceanParams::default() }
}

/// T13: a series of heights at the origin, transformed: no bin of more than a thousandth of the largest lies where no wave of the patch turns.
fn dispersion() -> Checks {
    const SIDE: f64 = 400.0;
    const STEPS: usize = 4096;
    const DT: f64 = 0.25;
    let params = OceanParams { resolution: 32, chop: 0.0, ..one_patch(SpectrumKind::Jonswap, 10.0, SIDE) };
    let ocean = Ocean::new(&params)?;
    // A Hann window, so that waves between bins stay near them.
    let series: Vec<f64> = (0..STEPS)
        .map(|n| {
            let window = 0.5 - 0.5 * (TAU * n as f64 / STEPS as f64).cos();
            window * ocean.exact_height([0.0; 2], n as f64 * DT)[0]
        })
        .collect();
    let bin = TAU / (STEPS as f64 * DT);
    let power: Vec<f64> = (0..STEPS / 2)
        .map(|b| {
            let angle = TAU * b as f64 / STEPS as f64;
            let sum = series.iter().enumerate().fold([0.0; 2], |[c, s], (n, x)| {
                let (sine, cosine) = (angle * n as f64).sin_cos();
                [c + x * cosine, s + x * sine]
            });
            sum[0] * sum[0] + sum[1] * sum[1]
        })
        .collect();
    let largest = power.iter().copied().fold(0.0, f64::max);
    let numbers = || {
        (-16..=16_i32)
            .flat_map(|i| (-16..=16_i32).map(move |j| f64::from(i).hypot(f64::from(j)) * TAU / SIDE))
    };
    let known: Vec<f64> = numbers().filter(|&k| k > 0.0).map(|k| (9.81 * k).sqrt()).collect();
    // A Hann window widens each line by two bins to either side: lines are where the power is greater than beside.
    let is_line = |at: &[f64]| at[1] > 1.0e-3 * largest && at[1] > at[0] && at[1] > at[2];
    let off = power
        .windows(3)
        .zip(1..)
        .filter(|(at, _)| is_line(at))
        .map(|(_, b)| known.iter().map(|w| (w / bin - f64::from(b)).abs()).fold(f64::INFINITY, f64::min))
        .fold(0.0, f64::max);
    let speed = capillary_frequency(9.81, TAU / 100.0, None) * 100.0 / TAU;
    let slowest = (1..4000)
        .map(|n| TAU / (f64::from(n) * 1.0e-5))
        .map(|k| capillary_frequency(9.81, k, None) / k)
        .fold(f64::INFINITY, f64::min);
    let wave = vec![GerstnerWave { amplitude: 1.0, length: 100.0, ..GerstnerWave::default() }];
    let lone = Ocean::new(&OceanParams {
        spectrum: SpectrumKind::Calm,
        resolution: 32,
        wave,
        ..OceanParams::default()
    })?;
    // The crest has gone from the origin to here.
    let crest = lone.at_time(4.0, false).of_rest([4.0 * speed, 0.0]).height;
    Ok(vec![
        Check::new("farthest line from a known frequency", "bins", "ω² = gk").at_most(off, 1.0),
        Check::new("speed of waves of 100 m", "m/s", "c = √(g/k)").near(speed, 12.495, 1.0e-3),
        Check::new("height where a crest of 1 m has gone in 4 s", "m", "c = √(g/k)").near(crest, 1.0, 1.0e-6),
        Check::new("slowest ripples", "m/s", "(4gσ/ρ)^¼").near(slowest, 0.2313, 1.0e-4),
    ])
}

/// T14.
fn moskowitz() -> Checks {
    let mut checks = Vec::new();
    for (wind, patch, expected) in
        [(5.0, 125.0, 0.533), (10.0, 500.0, 2.133), (15.0, 1125.0, 4.799), (20.0, 2000.0, 8.532)]
    {
        let found = height(&one_patch(SpectrumKind::PiersonMoskowitz, wind, patch))?;
        let check = Check::new(format!("significant height, wind {wind} m/s"), "m", "0.2092 U²/g");
        // Six seas of four peak wavelengths scatter by 2.5 %, and the patch lacks its shortest waves.
        checks.push(check.near_share(found, expected, 0.05));
    }
    Ok(checks)
}

/// T15.
fn phillips() -> Checks {
    let mut checks = Vec::new();
    for (wind, patch) in [(10.0, 500.0), (20.0, 2000.0)] {
        let params = one_patch(SpectrumKind::Phillips, wind, patch);
        let found = height(&params)?;
        let check = Check::new(format!("significant height, wind {wind} m/s"), "m", "√(α/β) U²/g, β = 0.74");
        checks.push(check.near_share(found, 0.2092 * wind * wind / 9.81, 0.03));
    }
    let ocean =
        Ocean::new(&OceanParams { resolution: 64, ..one_patch(SpectrumKind::Phillips, 10.0, 500.0) })?;
    let imaginary = (0..20)
        .map(|n| ocean.exact_height([13.7 * f64::from(n), 5.1], f64::from(n))[1].abs())
        .fold(0.0, f64::max);
    checks.push(Check::new("imaginary part of the height", "m", "h(−k) = h*(k)").at_most(imaginary, 1.0e-13));
    Ok(checks)
}

/// T16.
fn jonswap() -> Checks {
    let mut checks = Vec::new();
    for (wind, fetch, patch, expected) in [
        (10.0, 1.0e4, 100.0, 0.594),
        (10.0, 1.0e5, 400.0, 2.139),
        (20.0, 1.0e5, 600.0, 3.954),
        (15.0, 3.0e5, 1000.0, 5.647),
    ] {
        let found = height(&OceanParams { fetch, ..one_patch(SpectrumKind::Jonswap, wind, patch) })?;
        let quantity = format!("significant height, wind {wind} m/s over {} km", fetch / 1.0e3);
        checks.push(
            Check::new(quantity, "m", "Hasselmann et al. 1973, integrated").near_share(found, expected, 0.06),
        );
    }
    Ok(checks)
}

fn threads() -> Checks {
    let run = || -> Result<Vec<u32>, thalweg_field::Invalid> {
        let ocean = Ocean::new(&OceanParams { resolution: 64, ..OceanParams::default() })?;
        let surface = ocean.at_time(17.0, true);
        Ok(surface
            .patches()
            .flat_map(|p| p.nodes().iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>())
            .collect())
    };
    let alone = run()?;
    let mut checks = Vec::new();
    #[cfg(not(target_arch = "wasm32"))]
    for count in [1, 2, 3, 8] {
        let other = rayon::ThreadPoolBuilder::new().num_threads(count).build()?.install(run)?;
        let differing =
            alone.iter().zip(&other).filter(|(a, b)| a != b).count() + alone.len().abs_diff(other.len());
        let check =
            Check::new(format!("numbers that differ with {count} threads"), "-", "waves decide alone");
        checks.push(check.near(differing as f64, 0.0, 0.0));
    }
    checks
        .push(Check::new("numbers of the sea", "-", "there are some").at_least(alone.len() as f64, 90_000.0));
    Ok(checks)
}
