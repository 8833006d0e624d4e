//! How the heights are spread between the lowest and the highest.

use thalweg_field::{Grid2, sum::Compensated};

/// Mean of the finite heights `[m]`; `None` without data.
pub(super) fn mean(height: &Grid2<f32>) -> Option<f64> {
    let mut sum = Compensated::default();
    let finite = height.values().iter().filter(|z| z.is_finite());
    let count = finite.map(|&z| sum.add(f64::from(z))).count();
    (count > 0).then(|| sum.value() / count as f64)
}

/// Hypsometric integral `[-]`, (mean − lowest) / (highest − lowest) (Pike & Wilson 1971): near 1 a plateau
/// hardly cut, near 0 a plain with few hills left. `None` for level ground.
pub fn hypsometric_integral(height: &Grid2<f32>) -> Option<f64> {
    let (low, high) = height.range()?;
    let (low, high) = (f64::from(low), f64::from(high));
    (high > low).then_some((mean(height)? - low) / (high - low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_slope_has_half_its_relief_above_ground() {
        let ramp = Grid2::from_fn(11, 3, |col, _| 40.0 + col as f32);
        assert_eq!(hypsometric_integral(&ramp), Some(0.5));
        assert_eq!(hypsometric_integral(&Grid2::filled(4, 4, 7.0)), None);
        assert_eq!(hypsometric_integral(&Grid2::filled(4, 4, f32::NAN)), None);
    }
}
