//! The mouth of an emitter: a flat face that water comes through, and the short way behind it on which the water is driven.

use crate::emit::Shape;
use thalweg_field::{Invalid, require};

/// Particles that are born together, at most.
const MOST_PLACES: f64 = 1.0e6;
/// How far the flow is from lying within the face, at least: the sine of the angle `[-]`.
const LEAST_SLANT: f64 = 0.01;
/// Layers of the wall around the driven way: more than particles feel each other across.
const LAYERS: u32 = 2;
/// Water at the beginning keeps so far from that wall, in spacings `[-]`.
const OFF_WALL: f64 = 0.25;
/// Places so close in front of the face lie behind it, in spacings: rounding `[-]`.
const ON_FACE: f64 = 0.01;
/// The angle between two places of a disc that follow each other, such that all have the same room (Vogel 1979) `[rad]`.
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;

/// A vector of space.
pub(crate) type Vector = [f64; 3];

pub(crate) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

/// a + factor · b.
pub(crate) fn plus(a: Vector, factor: f64, b: Vector) -> Vector {
    std::array::from_fn(|axis| a[axis] + factor * b[axis])
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// What a face looks like.
#[derive(Clone, Copy, Debug)]
enum Outline {
    /// Half of its sides `[m]`.
    Rectangle([f64; 2]),
    /// Its radius `[m]`.
    Disc(f64),
}

impl Outline {
    /// Places all over it and beyond it by a `margin`, each with its area `[m²]`.
    fn filled(self, margin: f64, spacing: f64) -> Vec<([f64; 2], f64)> {
        match self {
            Self::Rectangle(half) => {
                let half = half.map(|half| half + margin);
                let count = half.map(|half| (2.0 * half / spacing).round().max(1.0));
                let along = |k: usize, i: usize| half[k] * (2.0 * (i as f64 + 0.5) / count[k] - 1.0);
                let row = |j: usize| (0..count[0] as usize).map(move |i| (i, j));
                let each = 4.0 * half[0] * half[1] / (count[0] * count[1]);
                (0..count[1] as usize)
                    .flat_map(row)
                    .map(|(i, j)| ([along(0, i), along(1, j)], each))
                    .collect()
            }
            Self::Disc(radius) => {
                let area = std::f64::consts::PI * (radius + margin).powi(2);
                let count = (area / (spacing * spacing)).round().max(1.0);
                let place = |i: usize| {
                    let out = (radius + margin) * ((i as f64 + 0.5) / count).sqrt();
                    // A lone one is in the middle.
                    polar(if count > 1.0 { out } else { 0.0 }, i as f64 * GOLDEN_ANGLE)
                };
                (0..count as usize).map(|i| (place(i), area / count)).collect()
            }
        }
    }

    /// Places around it, so far away, each with the area that it has in a ring one spacing wide `[m²]`.
    fn ring(self, away: f64, spacing: f64) -> Vec<([f64; 2], f64)> {
        match self {
            Self::Rectangle(half) => {
                let [a, b] = half.map(|half| half + away);
                // Four sides, each from one corner to just before the next.
                let side = |from: [f64; 2], to: [f64; 2]| {
                    let long = (to[0] - from[0]).hypot(to[1] - from[1]);
                    let count = (long / spacing).round().max(1.0);
                    (0..count as usize).map(move |i| {
                        let share = i as f64 / count;
                        let at = [0, 1].map(|k: usize| from[k] + share * (to[k] - from[k]));
                        (at, long / count * spacing)
                    })
                };
                let corners = [[-a, -b], [a, -b], [a, b], [-a, b]];
                (0..4).flat_map(|k| side(corners[k], corners[(k + 1) % 4])).collect()
            }
            Self::Disc(radius) => {
                let around = 2.0 * std::f64::consts::PI * (radius + away);
                let count = (around / spacing).round().max(1.0);
                let turn = 2.0 * std::f64::consts::PI / count;
                let each = around / count * spacing;
                (0..count as usize).map(|i| (polar(radius + away, i as f64 * turn), each)).collect()
            }
        }
    }
}

/// A place so far from the middle, in a direction `[rad]`.
fn polar(out: f64, turn: f64) -> [f64; 2] {
    [out * turn.cos(), out * turn.sin()]
}

/// The mouth: a face, and the prism or cylinder that it sweeps on the way of the flow.
#[derive(Clone, Debug)]
pub(crate) struct Mouth {
    middle: Vector,
    /// Two unit vectors along the face, at right angles to each other.
    sides: [Vector; 2],
    /// The face's normal, as long as one over its part of the flow's direction.
    normal: Vector,
    /// Where the water goes, a unit vector.
    direction: Vector,
    outline: Outline,
    spacing: f64,
    /// How far water is driven `[m]`.
    reach: f64,
}

/// A place as a mouth sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// How far behind the face, along the flow `[m]`.
    pub way: f64,
    /// How far from the middle of the way, along the sides of the face `[m]`.
    aside: [f64; 2],
}

impl Mouth {
    /// The mouth of a shape for particles `spacing` apart that are driven over `reach`; `named` makes the name of a key.
    pub(crate) fn new(
        shape: &Shape,
        direction: Vector,
        [spacing, reach]: [f64; 2],
        named: &dyn Fn(&str) -> String,
    ) -> Result<Self, Invalid> {
        let (middle, sides, outline, key) = match *shape {
            Shape::Box { from, to } => {
                let extent = plus(to, -1.0, from);
                let good = extent.iter().all(|e| *e >= 0.0 && e.is_finite());
                let remedy = "it is the highest corner, above `from` along every axis";
                require(good, &named("to"), format!("{to:?}"), remedy)?;
                let (middle, sides, half) = face_of_box(from, to, direction);
                (middle, sides, Outline::Rectangle(half.map(|half| wide(half, spacing))), "to")
            }
            Shape::Disc { at, radius } => {
                let good = radius > 0.0 && radius.is_finite();
                require(good, &named("radius"), radius, "a disc has a positive radius")?;
                (at, across(direction), Outline::Disc(radius), "radius")
            }
            Shape::Line { from, to } => {
                let middle = plus(from, 0.5, plus(to, -1.0, from));
                let (sides, half) = face_of_line(from, to, direction);
                let half = [wide(half, spacing), 0.5 * spacing];
                let slant = dot(cross(sides[0], sides[1]), direction).abs();
                let remedy = "a line lies across the flow, not along it";
                require(slant >= LEAST_SLANT, &named("to"), format!("{to:?}"), remedy)?;
                (middle, sides, Outline::Rectangle(half), "to")
            }
        };
        let face = cross(sides[0], sides[1]);
        let normal = face.map(|n| n / dot(face, direction));
        let mouth = Self { middle, sides, normal, direction, outline, spacing, reach };
        let count = mouth.face_area() / (spacing * spacing);
        let remedy = format!(
            "particles {spacing} m apart make {count:.0} of them at once; make it smaller, or spacing larger"
        );
        require(count <= MOST_PLACES, &named(key), "too large", remedy)?;
        Ok(mouth)
    }

    /// Distance of particles at rest `[m]`.
    pub(crate) fn spacing(&self) -> f64 {
        self.spacing
    }

    /// How far water is driven `[m]`.
    pub(crate) fn reach(&self) -> f64 {
        self.reach
    }

    /// The way away from the face, against the flow, a unit vector.
    pub(crate) fn back(&self) -> Vector {
        let long = length(self.normal);
        self.normal.map(|n| -n / long)
    }

    /// Area of the face `[m²]`.
    fn face_area(&self) -> f64 {
        match self.outline {
            Outline::Rectangle([a, b]) => 4.0 * a * b,
            Outline::Disc(radius) => std::f64::consts::PI * radius * radius,
        }
    }

    /// Area that the flow has to pass, at right angles to it `[m²]`.
    pub(crate) fn area(&self) -> f64 {
        self.face_area() / length(self.normal)
    }

    /// Places on the face that have the same room each, about as far apart as particles are.
    pub(crate) fn places(&self) -> Vec<Vector> {
        let at = |[a, b]: [f64; 2]| plus(plus(self.middle, a, self.sides[0]), b, self.sides[1]);
        self.outline.filled(0.0, self.spacing).into_iter().map(|(place, _)| at(place)).collect()
    }

    /// Places of a wall behind the mouth and around the driven way, each with the share of a particle's room that it has.
    pub(crate) fn wall(&self) -> Vec<(Vector, f64)> {
        let spacing = self.spacing;
        let rows = (self.reach / spacing).round().max(1.0);
        let mut all = Vec::new();
        let mut put = |way: f64, [a, b]: [f64; 2], room: f64| {
            let on_face = plus(plus(self.middle, a, self.sides[0]), b, self.sides[1]);
            all.push((plus(on_face, way, self.direction), room / length(self.normal) / spacing.powi(3)));
        };
        for layer in 0..LAYERS {
            let deep = (f64::from(layer) + 0.5) * spacing;
            for (at, room) in self.outline.filled(f64::from(LAYERS) * spacing, spacing) {
                put(-deep, at, room * spacing);
            }
            for (at, room) in self.outline.ring(deep, spacing) {
                for row in 0..rows as usize {
                    let long = self.reach / rows;
                    put((row as f64 + 0.5) * long, at, room * long);
                }
            }
        }
        all
    }

    /// Whether a place is within that wall, or so close to it that no particle has room.
    pub(crate) fn is_walled(&self, seen: Seen) -> bool {
        let thick = (f64::from(LAYERS) + OFF_WALL) * self.spacing;
        let beside = self.beside(seen);
        (-thick..self.reach + OFF_WALL * self.spacing).contains(&seen.way)
            && beside < thick
            && (beside > -OFF_WALL * self.spacing || seen.way < 0.0)
    }

    /// Where a place is.
    pub(crate) fn see(&self, place: Vector) -> Seen {
        let away = plus(place, -1.0, self.middle);
        let way = dot(away, self.normal);
        let beside = plus(away, -way, self.direction);
        Seen { way, aside: self.sides.map(|side| dot(beside, side)) }
    }

    /// How far a place is from being within the flow, seen along it: negative inside `[m]`. No flow is narrower than a particle.
    pub(crate) fn beside(&self, seen: Seen) -> f64 {
        let [a, b] = seen.aside;
        match self.outline {
            Outline::Rectangle(half) => {
                let beyond = |k: usize| seen.aside[k].abs() - half[k].max(0.5 * self.spacing);
                beyond(0).max(beyond(1))
            }
            Outline::Disc(radius) => a.hypot(b) - radius.max(0.5 * self.spacing),
        }
    }

    /// Whether water at a place is driven.
    pub(crate) fn drives(&self, seen: Seen) -> bool {
        (-ON_FACE * self.spacing..self.reach).contains(&seen.way) && self.beside(seen) < 0.0
    }

    /// Whether what stands at a place is in the way: on that of driven water, or within a spacing of it.
    pub(crate) fn needs(&self, seen: Seen) -> bool {
        (0.0..self.reach + self.spacing).contains(&seen.way) && self.beside(seen) < self.spacing
    }

    /// The way out of the flow for what is beside it, a unit vector.
    pub(crate) fn outwards(&self, seen: Seen) -> Vector {
        let [a, b] = seen.aside;
        let [a, b] = match self.outline {
            Outline::Rectangle(half) if a.abs() - half[0] > b.abs() - half[1] => [a.signum(), 0.0],
            Outline::Rectangle(_) => [0.0, b.signum()],
            Outline::Disc(_) => [a, b].map(|v| v / a.hypot(b).max(f64::MIN_POSITIVE)),
        };
        plus(self.sides[0].map(|v| a * v), b, self.sides[1])
    }

    /// Two corners of a box around all that is within `margin` of the way on which water is driven `[m]`.
    pub(crate) fn around(&self, margin: f64) -> [Vector; 2] {
        let half = match self.outline {
            Outline::Rectangle(half) => half,
            Outline::Disc(radius) => [radius; 2],
        };
        let wide = |axis: usize| {
            half.iter().zip(&self.sides).map(|(half, side)| half * side[axis].abs()).sum::<f64>()
        };
        let ends = |axis: usize| [0.0, self.reach * self.direction[axis]];
        let beyond = margin + self.spacing;
        [
            std::array::from_fn(|k| self.middle[k] + ends(k)[0].min(ends(k)[1]) - wide(k) - beyond),
            std::array::from_fn(|k| self.middle[k] + ends(k)[0].max(ends(k)[1]) + wide(k) + beyond),
        ]
    }
}

/// Half of a side, but one of nothing is as wide as a particle `[m]`.
fn wide(half: f64, spacing: f64) -> f64 {
    if half > 0.0 { half } else { 0.5 * spacing }
}

/// Two unit vectors across a direction; the first is level, unless the direction is vertical.
fn across(direction: Vector) -> [Vector; 2] {
    let flat = direction[0].hypot(direction[1]);
    let u = if flat > 1.0e-6 { [-direction[1] / flat, direction[0] / flat, 0.0] } else { [1.0, 0.0, 0.0] };
    [u, cross(direction, u)]
}

/// The face of a box that water enters through: the one behind which it goes most straight. Its middle, its sides, half of them `[m]`.
fn face_of_box(from: Vector, to: Vector, direction: Vector) -> (Vector, [Vector; 2], [f64; 2]) {
    let along = (0..3).max_by(|a, b| direction[*a].abs().total_cmp(&direction[*b].abs())).unwrap_or(0);
    let others = [(along + 1) % 3, (along + 2) % 3];
    let mut middle = plus(from, 0.5, plus(to, -1.0, from));
    middle[along] = if direction[along] > 0.0 { from[along] } else { to[along] };
    let unit = |axis: usize| std::array::from_fn(|k| if k == axis { 1.0 } else { 0.0 });
    (middle, others.map(unit), others.map(|axis| 0.5 * (to[axis] - from[axis])))
}

/// The face of a line: one side along it, the other across it and the flow; half of its length `[m]`.
fn face_of_line(from: Vector, to: Vector, direction: Vector) -> ([Vector; 2], f64) {
    let line = plus(to, -1.0, from);
    let long = length(line);
    if long == 0.0 {
        return (across(direction), 0.0);
    }
    let along = line.map(|v| v / long);
    let thick = cross(direction, along);
    let size = length(thick).max(f64::MIN_POSITIVE);
    ([along, thick.map(|v| v / size)], 0.5 * long)
}
