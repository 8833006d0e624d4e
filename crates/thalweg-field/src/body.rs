//! Bodies that move, as they are seen.

use std::borrow::Cow;
use std::sync::Arc;

use crate::TriMesh;

/// A body with its shape, its place and what it is made of.
///
/// Its own axes point ahead (`x`), to its left (`y`, port) and up (`z`).
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its name: `boat`, `buoy-3`, ... Cameras follow it by that.
    pub name: Cow<'static, str>,
    /// What it is made of, in its own axes; shapes that many snapshots share.
    pub parts: Vec<BodyPart>,
    /// The room that no water enters, a closed surface in its own axes: the hull with a lid on it. Where it is missing,
    /// water is seen wherever no part hides it.
    pub dry: Option<Arc<TriMesh>>,
    /// Where it is.
    pub pose: Pose,
}

/// A part of a body, of one material.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyPart {
    /// Its triangles.
    pub mesh: Arc<TriMesh>,
    /// What it is made of.
    pub material: Material,
}

/// What is seen of a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Its colour, sRGB.
    pub colour: [u8; 3],
    /// How it answers to light.
    pub finish: Finish,
    /// Another colour below a height in the body's axes, sRGB and `[m]`: the paint of a ship's bottom.
    pub bottom: Option<([u8; 3], f32)>,
}

/// How a surface answers to light.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finish {
    /// Matt, as canvas or rubber.
    Matt,
    /// Paint: matt below a clear coat that mirrors.
    #[default]
    Paint,
    /// Wood, in planks along the body.
    Wood,
    /// Metal: it mirrors in its colour.
    Metal,
}

/// Where something is, and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Where the origin of its axes lies, east, north and up `[m]`.
    pub place: [f64; 3],
    /// Turn from its axes to the world's, a unit quaternion `x y z w`; without one (`0 0 0 1`) it heads east.
    pub turn: [f64; 4],
}

impl Default for Pose {
    fn default() -> Self {
        Self { place: [0.0; 3], turn: [0.0, 0.0, 0.0, 1.0] }
    }
}

impl Pose {
    /// Upright at a place, with a compass heading, clockwise from north `[rad]`.
    pub fn heading(place: [f64; 3], heading: f64) -> Self {
        let half = 0.5 * (0.5 * std::f64::consts::PI - heading);
        Self { place, turn: [0.0, 0.0, libm::sin(half), libm::cos(half)] }
    }

    /// A direction of its own axes in the world's.
    pub fn turned(&self, way: [f64; 3]) -> [f64; 3] {
        let [x, y, z, w] = self.turn;
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        };
        let axis = [x, y, z];
        let once = cross(axis, way);
        let inner = std::array::from_fn(|i| once[i] + w * way[i]);
        let twice = cross(axis, inner);
        std::array::from_fn(|i| way[i] + 2.0 * twice[i])
    }

    /// A place of its own axes in the world's `[m]`.
    pub fn world(&self, place: [f64; 3]) -> [f64; 3] {
        let turned = self.turned(place);
        std::array::from_fn(|i| self.place[i] + turned[i])
    }

    /// A share of the way to another pose: straight, and turning the shorter way round. For the small turns between two steps the
    /// chord of the quaternions does as well as their arc: at 10 degrees the two differ by less than 0.002 degrees.
    pub fn toward(&self, other: &Self, share: f64) -> Self {
        let mixed = |a: f64, b: f64| a + (b - a) * share;
        let along: f64 = self.turn.iter().zip(other.turn).map(|(a, b)| a * b).sum();
        // A quaternion and its negative are the same turn.
        let sign = if along < 0.0 { -1.0 } else { 1.0 };
        let turn: [f64; 4] = std::array::from_fn(|i| mixed(self.turn[i], sign * other.turn[i]));
        let length = turn.iter().map(|part| part * part).sum::<f64>().sqrt();
        Self {
            place: std::array::from_fn(|i| mixed(self.place[i], other.place[i])),
            turn: turn.map(|part| part / length),
        }
    }
}

impl Material {
    /// A paint of one colour, sRGB.
    pub const fn paint(colour: [u8; 3]) -> Self {
        Self { colour, finish: Finish::Paint, bottom: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: [f64; 3], b: [f64; 3]) -> bool {
        (0..3).all(|i| (a[i] - b[i]).abs() < 1.0e-12)
    }

    #[test]
    fn a_body_that_heads_north_has_its_bow_in_the_north_and_its_port_in_the_west() {
        let pose = Pose::heading([10.0, 20.0, 1.0], 0.0);
        assert!(close(pose.world([5.0, 0.0, 0.0]), [10.0, 25.0, 1.0]));
        assert!(close(pose.world([0.0, 2.0, 0.5]), [8.0, 20.0, 1.5]));
        let south_east = Pose::heading([0.0; 3], 0.75 * std::f64::consts::PI).turned([1.0, 0.0, 0.0]);
        assert!(close(south_east, [0.5_f64.sqrt(), -(0.5_f64.sqrt()), 0.0]), "{south_east:?}");
        assert!(close(Pose::default().turned([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]));
    }

    #[test]
    fn halfway_to_another_pose_is_halfway_around_the_shorter_way() {
        let degrees = |angle: f64| angle.to_radians();
        let (from, mut to) =
            (Pose::heading([1.0, 2.0, 3.0], degrees(355.0)), Pose::heading([3.0, 2.0, -1.0], degrees(5.0)));
        for sign in [1.0, -1.0] {
            to.turn = to.turn.map(|part| sign * part);
            for share in [0.0, 0.25, 0.5, 1.0] {
                let pose = from.toward(&to, share);
                assert!(close(pose.place, [1.0 + 2.0 * share, 2.0, 3.0 - 4.0 * share]));
                let [east, north, _] = pose.turned([1.0, 0.0, 0.0]);
                let heading = east.atan2(north).to_degrees();
                let off = heading - (10.0 * share - 5.0);
                assert!(off.abs() < 0.002, "{share}: {off} degrees off");
            }
        }
    }
}
