//! Vectors in the plane: east and north.

pub(crate) type Vec2 = [f64; 2];

#[inline]
pub(crate) fn add(a: Vec2, b: Vec2, share: f64) -> Vec2 {
    [a[0] + b[0] * share, a[1] + b[1] * share]
}

#[inline]
pub(crate) fn sub(a: Vec2, b: Vec2) -> Vec2 {
    [a[0] - b[0], a[1] - b[1]]
}

#[inline]
pub(crate) fn dot(a: Vec2, b: Vec2) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

#[inline]
pub(crate) fn cross(a: Vec2, b: Vec2) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

#[inline]
pub(crate) fn length(a: Vec2) -> f64 {
    dot(a, a).sqrt()
}

/// To the left of a direction.
#[inline]
pub(crate) fn left(a: Vec2) -> Vec2 {
    [-a[1], a[0]]
}

/// Of length one; nothing stays nothing.
#[inline]
pub(crate) fn unit(a: Vec2) -> Vec2 {
    let long = length(a);
    if long > 0.0 { [a[0] / long, a[1] / long] } else { [0.0; 2] }
}

/// Turned to the left by an angle.
#[inline]
pub(crate) fn turned(a: Vec2, angle: f64) -> Vec2 {
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    [a[0] * cos - a[1] * sin, a[0] * sin + a[1] * cos]
}

/// Mirrored in the plane through the origin with that normal.
#[inline]
pub(crate) fn mirrored(a: Vec2, normal: Vec2) -> Vec2 {
    add(a, normal, -2.0 * dot(a, normal))
}
