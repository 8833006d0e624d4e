//! How many cells drain how much.

use super::Drainage;
use super::fit::slope_of;

/// Smallest area of the fit `[m²]`: below it slopes have no channels yet.
const FROM: f64 = 1.0e5;

/// Largest area of the fit, over that of the largest river `[-]`: above it the map's edge cuts the rivers off.
const UP_TO: f64 = 0.1;

/// Points of the fit for each factor of ten.
const PER_DECADE: i32 = 10;

/// Exponent β of P(A > a) ∝ a^−β `[-]`, where P is the share of the cells that drain more than a (Rodríguez-Iturbe et al.
/// 1992, who find about 0.43 in whole basins; windows cut out of a landscape have larger ones). The fit goes from 0.1 km²
/// to a tenth of the largest area, with points evenly spaced in log a. `None` where that is less than a factor of three.
pub fn area_exponent(drainage: &Drainage) -> Option<f64> {
    let mut areas: Vec<f32> = drainage.order.iter().map(|&i| drainage.area.values()[i as usize]).collect();
    areas.sort_by(f32::total_cmp);
    let largest = f64::from(*areas.last()?) * UP_TO;
    if largest < 3.0 * FROM {
        return None;
    }
    let steps = (libm::log10(largest / FROM) * f64::from(PER_DECADE)).floor() as i32;
    let points = (0..=steps).map(|step| {
        let log_area = libm::log10(FROM) + f64::from(step) / f64::from(PER_DECADE);
        let area = libm::pow(10.0, log_area) as f32;
        let above = areas.len() - areas.partition_point(|&own| own <= area);
        [log_area, libm::log10(above as f64)]
    });
    slope_of(points).map(|slope| -slope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::{Frame, Grid2, Heightfield};

    /// Areas that are made to follow the law.
    #[test]
    fn a_power_law_gives_its_exponent_back() {
        let n = 100_000;
        for beta in [0.43f64, 0.55, 0.7] {
            let areas: Vec<f32> = (0..n)
                .map(|i| (1.0e3 * ((f64::from(i) + 0.5) / f64::from(n)).powf(-1.0 / beta)) as f32)
                .collect();
            let mut drainage = Drainage::of(&Heightfield {
                height: Grid2::filled(n as usize, 1, 0.0),
                frame: Frame::with_cell(1.0),
            });
            drainage.area = Grid2::from_values(n as usize, 1, areas).unwrap();
            let found = area_exponent(&drainage).unwrap();
            assert!((found - beta).abs() < 0.01, "{found} of {beta}");
        }
    }

    /// On a plane the share that drains more than a falls evenly with a, not by a power.
    #[test]
    fn small_ground_has_none() {
        let ground = Heightfield {
            height: Grid2::from_fn(20, 20, |_, row| row as f32),
            frame: Frame::with_cell(30.0),
        };
        assert_eq!(area_exponent(&Drainage::of(&ground)), None);
    }
}
