//! Where a ray meets a heightfield, by a pyramid of maxima (Tevs, Ihrke & Seidel 2008).

use glam::{Vec2, Vec3};
use thalweg_field::Grid2;

/// A heightfield to shoot rays at. Places are counted in cells: x to the east, y to the south, both 0
/// at the centre of the north-west cell; z upwards in the unit of the heights.
pub(crate) struct RayField<'a> {
    height: &'a Grid2<f32>,
    /// Highest corner of each patch between four cells, then of 2 × 2 of those, and so on up to one.
    maxima: Vec<Grid2<f32>>,
}

impl<'a> RayField<'a> {
    /// Prepares heights of at least 2 × 2 cells.
    pub(crate) fn new(height: &'a Grid2<f32>) -> Self {
        let corners = |col: usize, row: usize| {
            let pair = |row: usize| height.at(col, row).max(height.at(col + 1, row));
            pair(row).max(pair(row + 1))
        };
        let mut maxima = vec![Grid2::from_fn(height.cols() - 1, height.rows() - 1, corners)];
        while let Some(fine) = maxima.last().filter(|fine| fine.len() > 1) {
            let highest = |col: usize, row: usize| {
                let (col, row) = (2 * col as isize, 2 * row as isize);
                let pair = |row| fine.at_clamped(col, row).max(fine.at_clamped(col + 1, row));
                pair(row).max(pair(row + 1))
            };
            maxima.push(Grid2::from_fn(fine.cols().div_ceil(2), fine.rows().div_ceil(2), highest));
        }
        Self { height, maxima }
    }

    /// The stretch of a ray over the heightfield's rectangle: the way to its start (0 for an origin
    /// within) and to its end; `None` if the ray passes by.
    pub(crate) fn overlap(&self, origin: Vec3, direction: Vec3) -> Option<(f32, f32)> {
        let (mut start, mut end) = (0f32, f32::INFINITY);
        for (o, d, size) in
            [(origin.x, direction.x, self.height.cols() - 1), (origin.y, direction.y, self.height.rows() - 1)]
        {
            // A ray along an edge divides 0 by 0; such a ray misses.
            let (a, b) = ((0.0 - o) / d, (size as f32 - o) / d);
            if a.is_nan() || b.is_nan() {
                return None;
            }
            start = start.max(a.min(b));
            end = end.min(a.max(b));
        }
        (start < end).then_some((start, end))
    }

    /// The way along the ray, from `start` up to `end`, to where it first meets the ground from above.
    pub(crate) fn hit(&self, origin: Vec3, direction: Vec3, start: f32, end: f32) -> Option<f32> {
        let patches = &self.maxima[0];
        let last = [patches.cols() as isize - 1, patches.rows() as isize - 1];
        let entry = origin + direction * start;
        // The patch is carried along as whole numbers: rounding can then never trap a ray on an edge.
        let mut patch = [(entry.x as isize).clamp(0, last[0]), (entry.y as isize).clamp(0, last[1])];
        let (o, d) = ([origin.x, origin.y], [direction.x, direction.y]);
        let inverse = d.map(|v| 1.0 / v);
        let (mut level, mut t) = (self.maxima.len() - 1, start);
        while t < end {
            let node = patch.map(|i| i >> level);
            let exit = |axis: usize| {
                let wall = if d[axis] > 0.0 { (node[axis] + 1) << level } else { node[axis] << level };
                if d[axis] == 0.0 { f32::INFINITY } else { (wall as f32 - o[axis]) * inverse[axis] }
            };
            let (exit_x, exit_y) = (exit(0), exit(1));
            let leave = exit_x.min(exit_y).clamp(t, end);
            let lowest = origin.z + direction.z * if direction.z < 0.0 { leave } else { t };
            if lowest <= self.maxima[level].at(node[0] as usize, node[1] as usize) {
                if level > 0 {
                    level -= 1;
                    continue;
                }
                if let Some(way) = self.patch_hit(patch, origin + direction * t, direction, leave - t) {
                    return Some(t + way);
                }
            }
            t = leave;
            let axis = usize::from(exit_y < exit_x);
            let (low, high) = (node[axis] << level, ((node[axis] + 1) << level) - 1);
            patch[axis] = if d[axis] > 0.0 { high + 1 } else { low - 1 };
            let other = 1 - axis;
            let (low, high) = (node[other] << level, ((node[other] + 1) << level) - 1);
            patch[other] = ((o[other] + d[other] * t) as isize).clamp(low, high.min(last[other]));
            if !(0..=last[axis]).contains(&patch[axis]) {
                return None;
            }
            // Up one level only where the parent changes too; within it the children are next.
            if patch[axis] >> (level + 1) != node[axis] >> 1 && level + 1 < self.maxima.len() {
                level += 1;
            }
        }
        None
    }

    /// Way from `entry`, at most `length`, to the bilinear surface over one patch: a quadratic.
    fn patch_hit(&self, patch: [isize; 2], entry: Vec3, direction: Vec3, length: f32) -> Option<f32> {
        let (col, row) = (patch[0] as usize, patch[1] as usize);
        let (north, south) = (&self.height.row(row)[col..col + 2], &self.height.row(row + 1)[col..col + 2]);
        let (right, down) = (north[1] - north[0], south[0] - north[0]);
        let twist = south[1] - south[0] - right;
        let (u, v) = (entry.x - col as f32, entry.y - row as f32);
        // Height of the ray above the surface: a t² + b t + c.
        let a = -twist * direction.x * direction.y;
        let b = direction.z
            - right * direction.x
            - down * direction.y
            - twist * (u * direction.y + v * direction.x);
        let c = entry.z - north[0] - right * u - down * v - twist * u * v;
        if c <= 0.0 {
            return Some(0.0);
        }
        let root = b * b - 4.0 * a * c;
        if root < 0.0 {
            return None;
        }
        // The form that does not cancel (Press et al., Numerical Recipes, 5.6); c > 0, so the first
        // crossing downwards is 2c / (-b + √…) for either sign of a.
        let way = 2.0 * c / (root.sqrt() - b);
        (way >= 0.0 && way <= length).then_some(way)
    }

    /// Height at a place on the edge or within.
    pub(crate) fn height_at(&self, place: Vec2) -> f32 {
        super::lit_ground::sample(self.height, place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rays from many sides against small steps along the ray.
    #[test]
    fn rays_meet_the_ground_where_small_steps_do() {
        let height = Grid2::from_fn(37, 23, |c, r| {
            3.0 * ((c as f32 * 0.4).sin() + (r as f32 * 0.55).cos()) + ((c * 7 + r * 13) % 5) as f32 * 0.2
        });
        let field = RayField::new(&height);
        let mut hits = 0;
        for i in 0..400 {
            let turn = i as f32 * 0.7;
            let origin = Vec3::new(18.0 + 40.0 * turn.cos(), 11.0 + 40.0 * turn.sin(), 6.0 + (i % 17) as f32);
            let target = Vec3::new((i * 5 % 37) as f32, (i * 3 % 23) as f32, (i % 7) as f32 - 3.0);
            let direction = (target - origin).normalize();
            let Some((start, end)) = field.overlap(origin, direction) else { continue };
            let above = |t: f32| {
                let p = origin + direction * t;
                p.z - field.height_at(Vec2::new(p.x, p.y))
            };
            if above(start) < 0.0 {
                continue;
            }
            let steps = ((end - start) * 500.0) as usize;
            let walked = (0..steps).map(|i| start + i as f32 * 0.002).find(|&t| above(t) <= 0.0);
            let found = field.hit(origin, direction, start, end);
            match (walked, found) {
                (Some(walked), Some(found)) => {
                    assert!((walked - found).abs() < 0.02, "ray {i}: {found} instead of {walked}");
                    hits += 1;
                }
                (None, None) => {}
                // A ray that grazes a crest may be seen by one and not by the other.
                (Some(t), None) | (None, Some(t)) => assert!(above(t).abs() < 1.0e-2, "ray {i} at {t}"),
            }
        }
        assert!(hits > 100, "{hits}");
    }
}
