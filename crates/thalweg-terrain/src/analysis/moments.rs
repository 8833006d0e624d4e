//! How values lie about their mean.

use thalweg_field::sum::Compensated;

/// Skewness of the finite values `[-]`, the third central moment over the third power of the standard deviation: 0 where
/// they lie alike on both sides of their mean, above 0 with a long tail of large ones. `None` where all are alike.
pub fn skewness(values: &[f32]) -> Option<f64> {
    let finite = || values.iter().filter(|value| value.is_finite()).map(|&value| f64::from(value));
    let count = finite().count() as f64;
    let mean_of = |of: &dyn Fn(f64) -> f64| {
        let mut sum = Compensated::default();
        finite().for_each(|value| sum.add(of(value)));
        sum.value() / count
    };
    let mean = mean_of(&|value| value);
    let variance = mean_of(&|value| (value - mean) * (value - mean));
    let third = mean_of(&|value| (value - mean) * (value - mean) * (value - mean));
    let skew = third / (variance * variance.sqrt());
    skew.is_finite().then_some(skew)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_distributions_have_their_skewness() {
        let even: Vec<f32> = (0..1000).map(|i| i as f32).collect();
        assert!(skewness(&even).unwrap().abs() < 1.0e-9);
        // Quantiles of an exponential distribution, whose skewness is 2; the tail beyond the last quantile takes
        // some of it away.
        let n = 200_000;
        let exponential: Vec<f32> = (0..n).map(|i| -(1.0 - (i as f32 + 0.5) / n as f32).ln()).collect();
        let skew = skewness(&exponential).unwrap();
        assert!((skew - 2.0).abs() < 0.01, "{skew}");
        let mirrored: Vec<f32> = exponential.iter().map(|value| -value).collect();
        assert!((skewness(&mirrored).unwrap() + skew).abs() < 1.0e-9);
    }

    #[test]
    fn values_that_are_all_alike_have_none() {
        assert_eq!(skewness(&[3.0; 8]), None);
        assert_eq!(skewness(&[f32::NAN]), None);
        assert_eq!(skewness(&[]), None);
    }
}
