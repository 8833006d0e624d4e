//! Straight lines through points.

/// Slope of the least-squares line through the points; `None` where they leave it open.
pub(super) fn slope_of(points: impl Iterator<Item = [f64; 2]> + Clone) -> Option<f64> {
    let n = points.clone().count() as f64;
    let [sum_x, sum_y] = points.clone().fold([0.0; 2], |[sx, sy], [x, y]| [sx + x, sy + y]);
    let (mean_x, mean_y) = (sum_x / n, sum_y / n);
    let (mut xx, mut xy) = (0.0, 0.0);
    for [x, y] in points {
        xx += (x - mean_x) * (x - mean_x);
        xy += (x - mean_x) * (y - mean_y);
    }
    let slope = xy / xx;
    slope.is_finite().then_some(slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_its_own_slope_and_a_point_has_none() {
        let line = (0..10).map(|i| [f64::from(i), 3.0 - 0.5 * f64::from(i)]);
        assert!((slope_of(line).unwrap() + 0.5).abs() < 1.0e-12);
        assert_eq!(slope_of([[1.0, 2.0], [1.0, 3.0]].into_iter()), None);
        assert_eq!(slope_of(std::iter::empty()), None);
    }
}
