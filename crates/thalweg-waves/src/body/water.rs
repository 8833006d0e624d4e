//! Hydrostatics: triangles cut where the water surface passes through them (Kerner 2015).
//!
//! The surface is sampled at the corners; between them it is taken as plane, so that the cut, the force and its centre are exact
//! for level and for tilted water, and off by the square of the side for waves. No cap is needed: pressure vanishes at the
//! surface. Water is asked for once at a few points around a body, and is bilinear between them.

use super::hull::Hull;
use super::vector::{Matrix, Vector, cross, dot, minus, plus, scaled, times};
use crate::{WaterPoint, WaterSurface};

/// What still and moving water does to a hull.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Push {
    /// `[N]`.
    pub(super) force: Vector,
    /// About the centre of mass `[N m]`.
    pub(super) torque: Vector,
}

impl Push {
    pub(super) fn add(&mut self, force: Vector, arm: Vector) {
        self.force = plus(self.force, 1.0, force);
        self.torque = plus(self.torque, 1.0, cross(arm, force));
    }
}

/// What of a hull is under water.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Submerged {
    /// Volume of the displaced water `[m³]`.
    pub volume: f64,
    /// Area under water `[m²]`.
    pub area: f64,
    /// Area that the hull cuts out of the water surface, seen from above `[m²]`.
    pub waterplane: f64,
    /// Buoyancy, with what waves push sideways `[N]`.
    pub force: Vector,
    /// Its torque about the centre of mass `[N m]`.
    pub torque: Vector,
}

/// A hull somewhere in the water: corners in the world, and the water above each of them. Kept between steps, so that none of it
/// is allocated again.
#[derive(Clone, Debug, Default)]
pub(super) struct Wetting {
    /// From the centre of mass, along the axes of the world `[m]`.
    pub(super) arms: Vec<Vector>,
    /// Depth below the surface; negative above it `[m]`.
    pub(super) depths: Vec<f64>,
}

impl Wetting {
    /// Places the corners.
    pub(super) fn turn(&mut self, hull: &Hull, turn: &Matrix) {
        self.arms.clear();
        self.arms.extend(hull.places.iter().map(|&place| times(turn, place)));
    }

    /// Depths below water that was sampled around here: the surface is followed along its slope.
    pub(super) fn sink(&mut self, centre: Vector, samples: &[Sample]) {
        self.depths.clear();
        self.depths.extend(self.arms.iter().zip(samples).map(|(arm, sample)| {
            let off = [centre[0] + arm[0] - sample.place[0], centre[1] + arm[1] - sample.place[1]];
            let water = &sample.water;
            water.height + water.gradient[0] * off[0] + water.gradient[1] * off[1] - (centre[2] + arm[2])
        }));
    }

    /// Calls for every part of a triangle under water with its depths at the corners and the number of the triangle.
    ///
    /// A triangle that is cut gives one or two parts.
    #[inline]
    pub(super) fn each_part(&self, hull: &Hull, mut part: impl FnMut([Vector; 3], [f64; 3], &[u32; 3])) {
        for triangle in &hull.triangles {
            let at = triangle.map(|n| self.arms[n as usize]);
            let d = triangle.map(|n| self.depths[n as usize]);
            match d.map(|d| d > 0.0) {
                [true, true, true] => part(at, d, triangle),
                [false, false, false] => {}
                wet => {
                    // Turned so that the corner on its own comes first.
                    let alone = wet.iter().filter(|&&w| w).count() == 1;
                    let first = wet.iter().position(|&w| w == alone).unwrap_or(0);
                    let [a, b, c] = [0, 1, 2].map(|k| at[(first + k) % 3]);
                    let [da, db, dc] = [0, 1, 2].map(|k| d[(first + k) % 3]);
                    let p = plus(a, da / (da - db), minus(b, a));
                    let q = plus(a, da / (da - dc), minus(c, a));
                    if alone {
                        part([a, p, q], [da, 0.0, 0.0], triangle);
                    } else {
                        part([p, b, c], [0.0, db, dc], triangle);
                        part([p, c, q], [0.0, dc, 0.0], triangle);
                    }
                }
            }
        }
    }

    /// Hydrostatics in water of this weight, ρg `[N/m³]`.
    pub(super) fn submerged(&self, hull: &Hull, weight: f64) -> Submerged {
        let mut sum = Submerged::default();
        self.each_part(hull, |[a, b, c], d, _| {
            let area = scaled(0.5, cross(minus(b, a), minus(c, a)));
            sum.take(area, dot(area, area).sqrt(), &[a, b, c], d);
        });
        sum.force = scaled(weight, sum.force);
        sum.torque = scaled(weight, sum.torque);
        sum
    }
}

impl Submerged {
    /// Adds a part of a triangle, for water of weight 1.
    #[inline]
    pub(super) fn take(&mut self, area: Vector, size: f64, [a, b, c]: &[Vector; 3], d: [f64; 3]) {
        let whole = d[0] + d[1] + d[2];
        let mean = whole / 3.0;
        // Pressure grows with depth: its centre is the mean of the corners, weighed by depth.
        let share = if whole > 0.0 { 0.25 / whole } else { 0.0 };
        let weight = [share * (whole + d[0]), share * (whole + d[1]), share * (whole + d[2])];
        let centre = plus(plus(scaled(weight[0], *a), weight[1], *b), weight[2], *c);
        let force = scaled(-mean, area);
        self.force = plus(self.force, 1.0, force);
        self.torque = plus(self.torque, 1.0, cross(centre, force));
        self.volume -= mean * area[2];
        self.area += size;
        self.waterplane -= area[2];
    }
}

/// Most points each way at which the water around a body is looked at.
const MOST_POINTS: f64 = 16.0;

/// The water around a body, at points of a grid.
#[derive(Clone, Debug, Default)]
pub(super) struct Around {
    corner: [f64; 2],
    side: [f64; 2],
    count: [usize; 2],
    points: Vec<WaterPoint>,
}

impl Around {
    /// Looks at the water of a rectangle, at points no farther from each other than `apart`, or than a share of its sides.
    pub(super) fn look(&mut self, water: &dyn WaterSurface, [low, high]: [[f64; 2]; 2], apart: f64) {
        self.corner = low;
        for axis in 0..2 {
            let long = high[axis] - low[axis];
            let parts = (long / apart).ceil().clamp(1.0, MOST_POINTS - 1.0);
            (self.side[axis], self.count[axis]) = ((long / parts).max(f64::MIN_POSITIVE), parts as usize + 1);
        }
        self.points.clear();
        for row in 0..self.count[1] {
            let north = low[1] + row as f64 * self.side[1];
            let points = (0..self.count[0]).map(|col| water.at([low[0] + col as f64 * self.side[0], north]));
            self.points.extend(points);
        }
    }

    /// The water at a place of the rectangle.
    pub(super) fn at(&self, place: [f64; 2]) -> WaterPoint {
        let [(col, east), (row, north)] = [0, 1].map(|axis: usize| {
            let at = ((place[axis] - self.corner[axis]) / self.side[axis]).max(0.0);
            let whole = (at as usize).min(self.count[axis] - 2);
            (whole, (at - whole as f64).min(1.0))
        });
        let first = row * self.count[0] + col;
        let [a, b, c, d] =
            [first, first + 1, first + self.count[0], first + self.count[0] + 1].map(|n| &self.points[n]);
        let mix = |of: &dyn Fn(&WaterPoint) -> f64| {
            let (south, there) = (of(a) + east * (of(b) - of(a)), of(c) + east * (of(d) - of(c)));
            south + north * (there - south)
        };
        WaterPoint {
            height: mix(&|point| point.height),
            gradient: [0, 1].map(|axis: usize| mix(&|point| point.gradient[axis])),
            velocity: [0, 1, 2].map(|axis: usize| mix(&|point| point.velocity[axis])),
        }
    }
}

/// Water above a corner of the hull.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    pub(super) place: [f64; 2],
    /// Its height is that above the world's 0.
    pub(super) water: WaterPoint,
}
