//! Smoothing kernels in three dimensions, each with its gradient and Laplacian (Kataev 2022, eqs. 1.14–1.22, 4.19).
//!
//! All have the support radius `h` `[m]`. `slope` is the derivative along the distance: the gradient is `slope(r)` times
//! the unit vector away from the other particle.

use std::f64::consts::PI;

/// A bell over the distance between two particles.
pub trait Kernel {
    /// W `[1/m³]`.
    fn value(&self, r: f64) -> f64;
    /// dW/dr `[1/m⁴]`; ∇W is this times r̂.
    fn slope(&self, r: f64) -> f64;
    /// ∇²W `[1/m⁵]`.
    fn laplacian(&self, r: f64) -> f64;
    /// Radius beyond which it is zero `[m]`.
    fn support(&self) -> f64;
}

/// Müller's default kernel (Kataev 2022, eqs. 1.14–1.16): needs no square root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Poly6(pub f64);

/// The kernel for pressure (Kataev 2022, eqs. 1.17–1.19): its slope does not vanish towards the middle, so particles that come
/// close are pushed apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spiky(pub f64);

/// The kernel for viscosity (Kataev 2022, eqs. 1.20–1.22): its Laplacian is nowhere negative, so friction never speeds up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viscosity(pub f64);

/// The cubic spline (Monaghan 2005), here with support h (Kataev 2022, eqs. 4.19 and 4.20); sediment moves along its slope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubicSpline(pub f64);

/// Wendland's kernel C2 in three dimensions (Wendland 1995): density and pressure can share it, because its slope neither
/// vanishes too early towards the middle nor lets particles pair up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wendland(pub f64);

impl Kernel for Wendland {
    fn value(&self, r: f64) -> f64 {
        let (h, q) = (self.0, r / self.0);
        if r > h { 0.0 } else { 21.0 / (2.0 * PI * h.powi(3)) * (1.0 - q).powi(4) * (1.0 + 4.0 * q) }
    }

    fn slope(&self, r: f64) -> f64 {
        let (h, q) = (self.0, r / self.0);
        if r > h { 0.0 } else { -210.0 / (PI * h.powi(4)) * q * (1.0 - q).powi(3) }
    }

    fn laplacian(&self, r: f64) -> f64 {
        let (h, q) = (self.0, r / self.0);
        if r > h { 0.0 } else { -210.0 / (PI * h.powi(5)) * (1.0 - q).powi(2) * (3.0 - 6.0 * q) }
    }

    fn support(&self) -> f64 {
        self.0
    }
}

impl Kernel for Poly6 {
    fn value(&self, r: f64) -> f64 {
        let h = self.0;
        if r > h { 0.0 } else { 315.0 / (64.0 * PI * h.powi(9)) * (h * h - r * r).powi(3) }
    }

    fn slope(&self, r: f64) -> f64 {
        let h = self.0;
        if r > h { 0.0 } else { -945.0 / (32.0 * PI * h.powi(9)) * r * (h * h - r * r).powi(2) }
    }

    fn laplacian(&self, r: f64) -> f64 {
        let h = self.0;
        let (hh, rr) = (h * h, r * r);
        if r > h { 0.0 } else { -945.0 / (32.0 * PI * h.powi(9)) * (hh - rr) * (3.0 * hh - 7.0 * rr) }
    }

    fn support(&self) -> f64 {
        self.0
    }
}

impl Kernel for Spiky {
    fn value(&self, r: f64) -> f64 {
        let h = self.0;
        if r > h { 0.0 } else { 15.0 / (PI * h.powi(6)) * (h - r).powi(3) }
    }

    fn slope(&self, r: f64) -> f64 {
        let h = self.0;
        if r > h { 0.0 } else { -45.0 / (PI * h.powi(6)) * (h - r).powi(2) }
    }

    fn laplacian(&self, r: f64) -> f64 {
        let h = self.0;
        if r > h { 0.0 } else { -90.0 / (PI * h.powi(6)) / r * (h - r) * (h - 2.0 * r) }
    }

    fn support(&self) -> f64 {
        self.0
    }
}

impl Kernel for Viscosity {
    fn value(&self, r: f64) -> f64 {
        let h = self.0;
        let q = r / h;
        if r > h { 0.0 } else { 15.0 / (2.0 * PI * h.powi(3)) * (-q.powi(3) / 2.0 + q * q + 0.5 / q - 1.0) }
    }

    fn slope(&self, r: f64) -> f64 {
        let h = self.0;
        let bell = -1.5 * r / h.powi(3) + 2.0 / (h * h) - h / (2.0 * r.powi(3));
        if r > h { 0.0 } else { 15.0 / (2.0 * PI * h.powi(3)) * r * bell }
    }

    fn laplacian(&self, r: f64) -> f64 {
        let h = self.0;
        if r > h { 0.0 } else { 45.0 / (PI * h.powi(6)) * (h - r) }
    }

    fn support(&self) -> f64 {
        self.0
    }
}

impl CubicSpline {
    /// W, W', W'' over q = 2 r / h, without the common factor.
    fn spline(q: f64) -> [f64; 3] {
        let (near, far) = ((1.0 - q).max(0.0), (2.0 - q).max(0.0));
        [far.powi(3) - 4.0 * near.powi(3), 12.0 * near.powi(2) - 3.0 * far.powi(2), 6.0 * far - 24.0 * near]
    }

    /// 1/4π of the printed form with half the support, h³ as in the printed factor `[1/m³]`.
    fn factor(&self) -> f64 {
        1.0 / (4.0 * PI * (0.5 * self.0).powi(3))
    }
}

impl Kernel for CubicSpline {
    fn value(&self, r: f64) -> f64 {
        self.factor() * Self::spline(2.0 * r / self.0)[0]
    }

    // Eq. 4.19 of Kataev 2022 leaves out the inner derivative 2/h of q and takes h for h/2 in the factor.
    fn slope(&self, r: f64) -> f64 {
        self.factor() * Self::spline(2.0 * r / self.0)[1] * 2.0 / self.0
    }

    fn laplacian(&self, r: f64) -> f64 {
        let inner = 2.0 / self.0;
        let [_, first, second] = Self::spline(r * inner);
        self.factor() * (second * inner * inner + 2.0 / r * first * inner)
    }

    fn support(&self) -> f64 {
        self.0
    }
}

/// Sums over a cubic lattice around a particle that is part of it, out to the support of a kernel.
pub fn lattice_sum(spacing: f64, support: f64, term: impl Fn(f64) -> f64) -> f64 {
    let reach = (support / spacing).ceil() as i32;
    let along = || (-reach..=reach).map(|i| f64::from(i) * spacing);
    let mut sum = 0.0;
    for x in along() {
        for y in along() {
            for z in along() {
                let r = (x * x + y * y + z * z).sqrt();
                if r <= support {
                    sum += term(r);
                }
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    const H: f64 = 0.0457;

    fn kernels() -> [(&'static str, Box<dyn Kernel>); 5] {
        [
            ("wendland", Box::new(Wendland(H))),
            ("poly6", Box::new(Poly6(H))),
            ("spiky", Box::new(Spiky(H))),
            ("viscosity", Box::new(Viscosity(H))),
            ("cubic spline", Box::new(CubicSpline(H))),
        ]
    }

    #[test]
    fn kernels_integrate_to_one_and_end_at_their_support() {
        for (name, kernel) in kernels() {
            let n = 200_000;
            let dr = H / f64::from(n);
            let shell = |i: u32| {
                let r = (f64::from(i) + 0.5) * dr;
                4.0 * PI * r * r * kernel.value(r) * dr
            };
            let integral: f64 = (0..n).map(shell).sum();
            assert!((integral - 1.0).abs() < 1.0e-6, "{name}: {integral}");
            assert!(kernel.value(H * 1.0001) == 0.0 && kernel.value(H * 0.9999).abs() * H.powi(3) < 1.0e-6);
        }
    }

    #[test]
    fn slopes_and_laplacians_are_those_of_the_values() {
        for (name, kernel) in kernels() {
            for i in 1..40 {
                // Away from the knot of the spline, where the second derivative jumps.
                let r = (f64::from(i) + 0.37) / 41.0 * H;
                let e = 1.0e-5 * H;
                let [a, b, c] = [r - e, r, r + e].map(|r| kernel.value(r));
                let slope = (c - a) / (2.0 * e);
                let laplacian = (c - 2.0 * b + a) / (e * e) + 2.0 / r * slope;
                let (s, l) = (kernel.slope(r), kernel.laplacian(r));
                assert!((s - slope).abs() < 1.0e-6 * s.abs() + 1.0e-3 / H.powi(4) * 1.0e-4, "{name} at {r}");
                assert!(
                    (l - laplacian).abs() < 1.0e-3 * l.abs() + 1.0e-3 / H.powi(5),
                    "{name} at {r}: {l} {laplacian}"
                );
            }
        }
    }
}
