//! How fast waves go.

use std::f64::consts::PI;

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
    fn short_waves_spread_as_deep_water_says() {
        let k: f64 = TAU / 3.0;
        let wanted = 0.25 * (9.81 / (k * k * k)).sqrt();
        assert!((spreading(9.81, 1.5, 100.0) / wanted - 1.0).abs() < 1.0e-5);
    }
}
