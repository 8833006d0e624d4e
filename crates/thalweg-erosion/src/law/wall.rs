//! Stress of a turbulent flow on a rough bed: the logarithmic law of the wall, u(z) = (u*/κ) ln(z/z₀) with z₀ = k_s/30
//! (Nikuradse 1933), τ = ρ u*².

/// Von Kármán's constant κ `[-]`.
pub const KARMAN: f64 = 0.4;

/// Stress on the bed over ρ U² `[-]`, U being the mean speed over the lowest `height` of the flow `[m]`, on a bed with grains of
/// `roughness` k_s `[m]`. The mean of the law over the height is U = (u*/κ)(ln(height/z₀) − 1). Water no higher than a grain is
/// slowed as if it were just as high; without roughness there is no stress.
pub fn drag(height: f64, roughness: f64) -> f64 {
    if roughness <= 0.0 {
        return 0.0;
    }
    (KARMAN / ((30.0 * (height / roughness).max(1.0)).ln() - 1.0)).powi(2)
}

/// How fast turbulence spreads what water carries, at a height `z` above the bed of a flow `depth` deep `[m²/s]`: κ u* z (1 − z/depth) up
/// to half of the depth, and from there on the same (Rouse 1937; van Rijn 1984).
pub fn diffusivity(friction_speed: f64, z: f64, depth: f64) -> f64 {
    let z = z.clamp(0.0, 0.5 * depth);
    KARMAN * friction_speed * z * (1.0 - z / depth.max(f64::MIN_POSITIVE))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean of ln(z/z₀), summed up, and the law itself give the same stress.
    #[test]
    fn drag_is_that_of_the_mean_of_the_logarithmic_law() {
        let (height, roughness, friction_speed) = (0.2, 0.002, 0.05);
        let z0 = roughness / 30.0;
        let slices = 200_000;
        let speed = |i: u32| {
            let z = z0 + (f64::from(i) + 0.5) / f64::from(slices) * (height - z0);
            friction_speed / KARMAN * (z / z0).ln()
        };
        let mean = (0..slices).map(speed).sum::<f64>() / f64::from(slices);
        let found = (drag(height, roughness) * mean * mean).sqrt();
        // The mean begins at z₀, not at 0: a share of z₀/height of it.
        assert!((found / friction_speed - 1.0).abs() < 1.0e-3, "u* is {found} m/s, not {friction_speed}");
        assert_eq!(drag(height, 0.0), 0.0);
        assert_eq!(drag(1.0e-9, roughness), drag(roughness, roughness));
    }

    #[test]
    fn turbulence_spreads_most_in_the_middle_and_nothing_at_the_bed() {
        let most = diffusivity(0.1, 0.5, 1.0);
        assert!((most - 0.01).abs() < 1.0e-12, "{most} m²/s");
        assert_eq!(diffusivity(0.1, 0.0, 1.0), 0.0);
        assert_eq!(diffusivity(0.1, 0.9, 1.0), most);
        assert_eq!(diffusivity(0.1, 0.1, 0.0), 0.0);
    }
}
