//! Vectors, matrices and turns in space, in full precision.

/// A place or a direction: east, north, up; on a body: ahead, to port, up.
pub type Vector = [f64; 3];

/// Three rows of three.
pub(crate) type Matrix = [Vector; 3];

pub(crate) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// a + factor · b.
pub(crate) fn plus(a: Vector, factor: f64, b: Vector) -> Vector {
    [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]]
}

pub(crate) fn scaled(factor: f64, a: Vector) -> Vector {
    a.map(|x| factor * x)
}

pub(crate) fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

/// The same direction, of length 1; nothing stays nothing.
pub(crate) fn unit_or_zero(a: Vector) -> Vector {
    let length = length(a);
    if length > 0.0 { scaled(1.0 / length, a) } else { [0.0; 3] }
}

pub(crate) fn times(m: &Matrix, a: Vector) -> Vector {
    [dot(m[0], a), dot(m[1], a), dot(m[2], a)]
}

pub(crate) fn transposed(m: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| m[j][i]))
}

/// The inverse of a symmetric matrix that has one.
pub(crate) fn inverse(m: &Matrix) -> Matrix {
    let rows = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])];
    let whole = dot(m[0], rows[0]);
    transposed(&rows.map(|row| scaled(1.0 / whole, row)))
}

/// How a body is turned: a quaternion of length 1, w first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn(pub [f64; 4]);

impl Default for Turn {
    fn default() -> Self {
        Self([1.0, 0.0, 0.0, 0.0])
    }
}

impl Turn {
    /// About an axis, by its length `[rad]`.
    pub fn about(axis: Vector) -> Self {
        let angle = length(axis);
        let (sine, cosine) = libm::sincos(0.5 * angle);
        // sin(x/2)/x → ½ for small angles.
        let factor = if angle > 1.0e-8 { sine / angle } else { 0.5 };
        Self([cosine, factor * axis[0], factor * axis[1], factor * axis[2]])
    }

    /// Yaw anticlockwise seen from above, then pitch with the bow down, then roll to starboard `[rad]`.
    pub fn from_heading([yaw, pitch, roll]: [f64; 3]) -> Self {
        let about = |axis: usize, angle: f64| {
            let mut way = [0.0; 3];
            way[axis] = angle;
            Self::about(way)
        };
        about(2, yaw).after(about(1, pitch).after(about(0, roll)))
    }

    /// This turn after another one.
    #[must_use]
    pub fn after(self, first: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, first.0);
        Self([
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ])
    }

    /// Of length 1 again.
    #[must_use]
    pub(crate) fn normalised(self) -> Self {
        let length = self.0.iter().map(|x| x * x).sum::<f64>().sqrt();
        Self(self.0.map(|x| x / length))
    }

    /// The share between two turns, along the shorter way.
    #[must_use]
    pub fn between(self, share: f64, to: Self) -> Self {
        let dot: f64 = self.0.iter().zip(to.0).map(|(a, b)| a * b).sum();
        let sign = if dot < 0.0 { -1.0 } else { 1.0 };
        Self(std::array::from_fn(|i| (1.0 - share) * self.0[i] + share * sign * to.0[i])).normalised()
    }

    /// As a matrix that takes directions on the body to directions in the world.
    pub(crate) fn matrix(self) -> Matrix {
        let [w, x, y, z] = self.0;
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    }

    /// A direction on the body as one in the world.
    pub fn apply(self, way: Vector) -> Vector {
        times(&self.matrix(), way)
    }

    /// Yaw, pitch and roll, as in [`Turn::from_heading`] `[rad]`.
    pub fn heading(self) -> [f64; 3] {
        let m = self.matrix();
        [
            libm::atan2(m[1][0], m[0][0]),
            libm::asin((-m[2][0]).clamp(-1.0, 1.0)),
            libm::atan2(m[2][1], m[2][2]),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_comes_back_from_its_turn() {
        let heading = [0.7, -0.3, 0.2];
        let back = Turn::from_heading(heading).heading();
        assert!(heading.iter().zip(back).all(|(a, b)| (a - b).abs() < 1.0e-14), "{back:?}");
        let ahead = Turn::from_heading([0.5 * std::f64::consts::PI, 0.0, 0.0]).apply([1.0, 0.0, 0.0]);
        assert!((ahead[1] - 1.0).abs() < 1.0e-15, "a quarter to port of east is north, not {ahead:?}");
    }

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let m = [[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 2.0]];
        let back = times(&inverse(&m), times(&m, [1.0, 2.0, 3.0]));
        assert!(back.iter().zip([1.0, 2.0, 3.0]).all(|(a, b)| (a - b).abs() < 1.0e-14), "{back:?}");
    }
}
