//! Sums, fits and comparisons over particles.

use thalweg_coupling::Saved;
use thalweg_field::random::Key;
use thalweg_sph::Particles;

/// A number between −1 and 1.
pub(super) fn signed(key: Key, index: u64) -> f64 {
    2.0 * key.with(index).unit() - 1.0
}

pub(super) fn water(particles: &Particles) -> impl Iterator<Item = usize> + '_ {
    (0..particles.len()).filter(|&i| !particles.is_boundary(i))
}

pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn length(v: [f64; 3]) -> f64 {
    dot(v, v).sqrt()
}

pub(super) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

pub(super) fn position(particles: &Particles, i: usize) -> [f64; 3] {
    particles.get(i).position.map(f64::from)
}

pub(super) fn velocity(particles: &Particles, i: usize) -> [f64; 3] {
    particles.get(i).velocity.map(f64::from)
}

/// A line through points by least squares: value at 0, and slope.
pub(super) fn line(points: &[[f64; 2]]) -> [f64; 2] {
    let n = points.len() as f64;
    let sum = |f: &dyn Fn(&[f64; 2]) -> f64| points.iter().map(f).sum::<f64>();
    let (x, y) = (sum(&|p| p[0]) / n, sum(&|p| p[1]) / n);
    let slope = sum(&|p| (p[0] - x) * (p[1] - y)) / sum(&|p| (p[0] - x).powi(2));
    [y - slope * x, slope]
}

/// The value at `at` of a curve through points in order, straight between them.
pub(super) fn interpolated(curve: &[[f64; 2]], at: f64) -> f64 {
    let Some(i) = curve.windows(2).position(|pair| (pair[0][0]..=pair[1][0]).contains(&at)) else {
        return f64::NAN;
    };
    let (a, b) = (curve[i], curve[i + 1]);
    a[1] + (b[1] - a[1]) * (at - a[0]) / (b[0] - a[0])
}

pub(super) fn differing_values(a: &Saved, b: &Saved) -> usize {
    fn count<T: Copy, B: PartialEq>(a: &[T], b: &[T], bits: impl Fn(T) -> B) -> usize {
        a.len().abs_diff(b.len()) + a.iter().zip(b).filter(|(a, b)| bits(**a) != bits(**b)).count()
    }
    usize::from(a.step != b.step)
        + count(&a.numbers, &b.numbers, f64::to_bits)
        + count(&a.doubles, &b.doubles, f64::to_bits)
        + count(&a.floats, &b.floats, f32::to_bits)
        + count(&a.tags, &b.tags, |tag| tag)
}
