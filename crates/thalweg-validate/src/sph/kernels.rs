//! Kernels against their integrals and differences.

use crate::{Check, Checks};
use std::f64::consts::PI;
use thalweg_sph::kernel::{CubicSpline, Kernel, Poly6, Spiky, Viscosity, Wendland};

pub(super) fn kernels() -> Checks {
    const SOURCE: &str = "Müller et al. 2003; Monaghan 2005: ∫W = 1, central differences in f64";
    let h = 0.0457;
    let kernels: [(&str, &dyn Kernel); 5] = [
        ("wendland", &Wendland(h)),
        ("poly6", &Poly6(h)),
        ("spiky", &Spiky(h)),
        ("viscosity", &Viscosity(h)),
        ("cubic spline", &CubicSpline(h)),
    ];
    let mut checks = Vec::new();
    for (name, kernel) in kernels {
        let n = 200_000;
        let dr = h / f64::from(n);
        let shell = |i: u32| {
            let r = (f64::from(i) + 0.5) * dr;
            4.0 * PI * r * r * kernel.value(r) * dr
        };
        let integral: f64 = (0..n).map(shell).sum();
        checks.push(Check::new(format!("integral, {name}"), "-", SOURCE).near(integral, 1.0, 1.0e-6));
        let (mut worst_slope, mut worst_laplacian) = (0.0f64, 0.0f64);
        for i in 10..200 {
            // Away from the knot of the spline, where the third derivative jumps.
            let r = (f64::from(i) + 0.37) / 201.0 * h;
            let e = 1.0e-4 * h;
            let [a, b, c] = [r - e, r, r + e].map(|r| kernel.value(r));
            let slope = (c - a) / (2.0 * e);
            let laplacian = (c - 2.0 * b + a) / (e * e) + 2.0 / r * slope;
            let (s, l) = (kernel.slope(r), kernel.laplacian(r));
            worst_slope = worst_slope.max((s - slope).abs() / (s.abs() + h.powi(-4)));
            worst_laplacian = worst_laplacian.max((l - laplacian).abs() / (l.abs() + h.powi(-5)));
        }
        let what = |what: &str| format!("worst relative error of the {what}, {name}");
        checks.push(Check::new(what("slope"), "-", SOURCE).at_most(worst_slope, 1.0e-4));
        checks.push(Check::new(what("Laplacian"), "-", SOURCE).at_most(worst_laplacian, 1.0e-4));
    }
    Ok(checks)
}
