//! What is under the cursor.

use thalweg::field::{Heightfield, Snapshot};
use thalweg::render::View;

/// A place on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    /// East and north of the south-west corner `[m]`.
    pub at: [f64; 2],
    /// Height of the bed `[m]`.
    pub height: f64,
}

/// The ground of a snapshot, to look for places on it.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    field: Heightfield,
    range: (f32, f32),
    exaggeration: f64,
}

/// Steps along a ray that crosses the whole ground.
const STEPS: usize = 1024;
/// Halvings of the step in which it goes below the ground.
const HALVINGS: usize = 20;

impl Ground {
    pub(crate) fn of(snapshot: &Snapshot, exaggeration: f32) -> Option<Self> {
        let height = snapshot.field("height").filter(|height| !height.is_empty())?;
        let range = height.range()?;
        let field = Heightfield { height: height.clone(), frame: snapshot.frame.clone() };
        Some(Self { field, range, exaggeration: f64::from(exaggeration) })
    }

    /// Side of a cell `[m]`.
    pub(crate) fn cell(&self) -> f64 {
        self.field.frame.cell
    }

    /// From west to east and from south to north `[m]`.
    pub(crate) fn extent(&self) -> [f64; 2] {
        self.field.extent()
    }

    /// Height of the bed at a place `[m]`.
    pub(crate) fn height_at(&self, at: [f64; 2]) -> f64 {
        let [col, row] = self.field.cell_from_local(at);
        f64::from(self.field.height.bilinear(col, row))
    }

    /// A place as it is drawn.
    pub(crate) fn drawn(&self, at: [f64; 2]) -> [f32; 3] {
        [at[0] as f32, at[1] as f32, (self.height_at(at) * self.exaggeration) as f32]
    }

    /// The place that is seen at a point of a picture, both coordinates from 0 to 1 from the top left.
    pub(crate) fn seen(&self, view: &View, [x, y]: [f32; 2]) -> Option<Place> {
        let (eye, way) = view.ray(x, y);
        let [eye, way] = [eye, way].map(|v| v.to_array().map(f64::from));
        let [from, to] = self.within(eye, way)?;
        let point = |t: f64| [0, 1, 2].map(|axis| eye[axis] + t * way[axis]);
        let below = |t: f64| {
            let [east, north, up] = point(t);
            up <= self.height_at([east, north]) * self.exaggeration
        };
        let step = (to - from) / STEPS as f64;
        let first = (0..=STEPS).map(|i| from + i as f64 * step).find(|t| below(*t))?;
        let (mut above, mut under) = (first - step, first);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (above + under);
            if below(middle) { under = middle } else { above = middle }
        }
        let [east, north, _] = point(under);
        Some(Place { at: [east, north], height: self.height_at([east, north]) })
    }

    /// The part of a ray over the ground, between its lowest and its highest place.
    fn within(&self, eye: [f64; 3], way: [f64; 3]) -> Option<[f64; 2]> {
        let [width, length] = self.extent();
        let [low, high] = [self.range.0, self.range.1].map(|height| f64::from(height) * self.exaggeration);
        let slabs = [(0.0, width), (0.0, length), (low - 1.0, high)];
        let (mut from, mut to) = (0.0_f64, f64::INFINITY);
        for (axis, (low, high)) in slabs.into_iter().enumerate() {
            if way[axis].abs() < 1.0e-12 {
                if !(low..=high).contains(&eye[axis]) {
                    return None;
                }
                continue;
            }
            let ends = [low, high].map(|end| (end - eye[axis]) / way[axis]);
            from = from.max(ends[0].min(ends[1]));
            to = to.min(ends[0].max(ends[1]));
        }
        (from <= to && to.is_finite()).then_some([from, to])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg::field::{Frame, Grid2};
    use thalweg::render::{Camera, Extent};

    /// A hill hides what is behind it: the ray through its picture meets its near side.
    #[test]
    fn what_is_seen_is_under_the_cursor() {
        let hill = |col: usize, row: usize| {
            let [x, y] = [col, row].map(|i| (i as f32 - 32.0) / 12.0);
            120.0 * (-(x * x + y * y)).exp()
        };
        let field = Heightfield { height: Grid2::from_fn(64, 64, hill), frame: Frame::with_cell(5.0) };
        let snapshot = thalweg::draw::bare(&field);
        for exaggeration in [1.0_f32, 2.0] {
            let ground = Ground::of(&snapshot, exaggeration).unwrap();
            let view = Extent::of(&snapshot).view(&Camera::default(), exaggeration, 1.6);
            for at in [[100.0, 60.0], [160.0, 150.0], [250.0, 40.0]] {
                let seen = view.place_of(ground.drawn(at).into()).unwrap();
                let found = ground.seen(&view, seen).unwrap().at;
                let off = (found[0] - at[0]).hypot(found[1] - at[1]);
                assert!(off < 1.0, "{at:?} is taken for {found:?}, {off} m off");
            }
            assert_eq!(ground.seen(&view, [0.5, -0.9]), None, "there is sky");
        }
    }
}
