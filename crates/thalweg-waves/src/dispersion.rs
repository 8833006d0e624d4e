//! How fast waves go.

use std::f64::consts::PI;
use std::sync::LazyLock;

/// Speed of the crests of waves of half a wavelength `radius` over water of that depth, √((g r/π) tanh(π h/r)) `[m/s]`.
pub fn phase_speed(gravity: f64, radius: f64, depth: f64) -> f64 {
    (gravity * radius / PI * libm::tanh(PI * depth / radius)).sqrt()
}

/// Speed of groups of such waves and of their energy, dω/dk `[m/s]`.
pub fn group_speed(gravity: f64, radius: f64, depth: f64) -> f64 {
    let kh = PI * depth / radius;
    // Beyond, sinh is so large that the share is nothing.
    let share = if kh > 300.0 { 0.0 } else { 2.0 * kh / libm::sinh(2.0 * kh) };
    let shallow = if kh == 0.0 { 1.0 } else { share };
    0.5 * phase_speed(gravity, radius, depth) * (1.0 + shallow)
}

/// Angular frequency of such waves `[rad/s]`.
pub fn frequency(gravity: f64, radius: f64, depth: f64) -> f64 {
    PI / radius * phase_speed(gravity, radius, depth)
}

/// Half the wavelength of waves of an angular frequency over water of that depth `[m]`.
pub fn radius_of(gravity: f64, frequency: f64, depth: f64) -> f64 {
    // ω² h/g = y = q tanh q, with q = kh: the start of Fenton & McKee 1990, then Newton.
    let y = frequency * frequency * depth / gravity;
    if y > 40.0 {
        return PI * gravity / (frequency * frequency);
    }
    let t = libm::cbrt(libm::tanh(libm::pow(y, 0.75)));
    let mut q = y / (t * t);
    for _ in 0..3 {
        let t = libm::tanh(q);
        q -= (q * t - y) / (t + q * (1.0 - t * t));
    }
    PI * depth / q
}

/// Speeds of waves over a bed, looked up: ways over shoals ask for them all the time.
///
/// With y = ω² h/g, the wave number is k = q(y)/h with q tanh q = y, and groups go n(y) = ½ (1 + 2q/sinh 2q) times as fast as crests. Both
/// are smooth in √y: √y/q is the speed beside √(gh).
struct Table {
    /// √y/q, n and how both grow to the next entry, from √y = 0 on.
    entries: Vec<[f64; 4]>,
}

/// Entries of the table for each √y of 1.
const FINE: f64 = 512.0;
/// Where it ends: there waves are 0.000002 off those of deep water.
const DEEP: f64 = 3.0;

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let exact = |n: usize| {
        let root = n as f64 / FINE;
        if n == 0 {
            return [1.0, 1.0];
        }
        // g = h = 1.
        let q = PI / radius_of(1.0, root, 1.0);
        [root / q, 0.5 * (1.0 + 2.0 * q / libm::sinh(2.0 * q))]
    };
    let count = (DEEP * FINE) as usize + 2;
    let values: Vec<[f64; 2]> = (0..=count).map(exact).collect();
    let entry =
        |pair: &[[f64; 2]]| [pair[0][0], pair[0][1], pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]];
    Table { entries: values.windows(2).map(entry).collect() }
});

/// Speeds of the crests and of the groups of waves of an angular frequency over water of that depth `[m/s]`, to 0.000002 of them.
pub(crate) fn speeds(gravity: f64, frequency: f64, depth: f64) -> [f64; 2] {
    let root = frequency * (depth / gravity).sqrt();
    if root >= DEEP {
        let crests = gravity / frequency;
        return [crests, 0.5 * crests];
    }
    let at = root * FINE;
    let number = at as usize;
    let [shallow, groups, more, faster] = TABLE.entries[number];
    let share = at - number as f64;
    let crests = (gravity * depth).sqrt() * (shallow + share * more);
    [crests, crests * (groups + share * faster)]
}

/// Depth beyond which waves of an angular frequency feel no bed: their speed is within 0.0007 of that over deep water `[m]`.
pub(crate) fn feels_no_bed(gravity: f64, frequency: f64) -> f64 {
    4.0 * gravity / (frequency * frequency)
}

/// How fast the group speed falls with the wave number, |d²ω/dk²| `[m²/s]`: what makes trains longer.
pub(crate) fn spreading(gravity: f64, radius: f64, depth: f64) -> f64 {
    let k = PI / radius;
    let small = 1.0e-3 * k;
    let at = |k: f64| group_speed(gravity, PI / k, depth);
    ((at(k + small) - at(k - small)) / (2.0 * small)).abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    #[test]
    fn waves_go_as_fast_as_airy_says() {
        let near =
            |found: f64, wanted: f64| assert!((found - wanted).abs() < 2.0e-5, "{found}, not {wanted}");
        near(phase_speed(9.81, 5.0, 1.0), 2.948_70);
        near(phase_speed(9.81, 5.0, 0.5), 2.179_39);
        near(phase_speed(9.81, 1.0e5, 10.0), 9.904_54);
        near(phase_speed(9.81, 50.0, 1.0e9), 12.495_24);
        near(group_speed(9.81, 50.0, 1.0e9), 0.5 * 12.495_24);
        near(group_speed(9.81, 1.0e5, 10.0), 9.904_54);
    }

    #[test]
    fn lengths_come_back_from_their_frequency() {
        for depth in [0.01, 0.3, 1.0, 10.0, 1.0e4] {
            for radius in [0.05, 0.7, 5.0, 80.0] {
                let found = radius_of(9.81, frequency(9.81, radius, depth), depth);
                assert!((found / radius - 1.0).abs() < 1.0e-9, "{found} m for {radius} m at {depth} m");
            }
        }
    }

    #[test]
    fn speeds_that_are_looked_up_are_those_of_airy() {
        for depth in [0.01, 0.3, 1.0, 7.0, 40.0] {
            for radius in [0.3, 2.0, 9.0, 80.0] {
                let [crests, groups] = speeds(9.81, frequency(9.81, radius, depth), depth);
                let off = (crests / phase_speed(9.81, radius, depth) - 1.0)
                    .abs()
                    .max((groups / group_speed(9.81, radius, depth) - 1.0).abs());
                assert!(off < 1.0e-5, "{off:e} off for {radius} m over {depth} m");
            }
        }
        let near = speeds(9.81, 1.0, feels_no_bed(9.81, 1.0))[0] / 9.81;
        assert!((near - 1.0).abs() < 8.0e-4, "{near} of the speed over deep water");
    }

    #[test]
    fn short_waves_spread_as_deep_water_says() {
        let k: f64 = TAU / 3.0;
        let wanted = 0.25 * (9.81 / (k * k * k)).sqrt();
        assert!((spreading(9.81, 1.5, 100.0) / wanted - 1.0).abs() < 1.0e-5);
    }
}
