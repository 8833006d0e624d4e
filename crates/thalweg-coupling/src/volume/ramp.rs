//! The ramp across a surface made even again: shares by how far voxels are from the triangles of the surface, and not a grain lost.
//!
//! A surface that wanders blurs (first order differences do that). Once it has moved by about a voxel the shares of its block are found anew from its
//! triangles; then all of them are moved in or out together by what is missing, which is very little.

use super::rock::{BLOCK, Rock, SIDE, Vector};
use thalweg_terrain::volume::{SOFT, SURFACE};

/// How far from a surface shares are between 0 and 1, in voxels.
const REACH: f64 = 0.5 * SOFT as f64;
/// Cells around a block whose triangles are looked at.
const AROUND: isize = REACH as isize + 1;
/// Halvings of the distance by which a block's surface is moved, at most a voxel either way.
const HALVINGS: u32 = 40;
/// The least share of a voxel that is rock `[-]`: more than the surface has by what f32 tells apart.
const LEAST_ROCK: f64 = SURFACE as f64 + 1.0e-6;

/// What making a ramp even needs to remember of a block's voxels; kept, so that it allocates nothing.
#[derive(Clone, Debug)]
pub(super) struct Ramp {
    /// Squared distance from the nearest triangle, and that distance with its sign, positive in the rock.
    away: Vec<f64>,
    signed: Vec<f64>,
    /// Shares as they were.
    before: Vec<f64>,
}

impl Default for Ramp {
    fn default() -> Self {
        let zeros = || vec![0.0; BLOCK];
        Self { away: zeros(), signed: zeros(), before: zeros() }
    }
}

impl Ramp {
    /// Makes the ramp of a block even. Returns what rock is left over [voxels]: rounding, or all of it where there is no surface.
    pub(super) fn even_out(&mut self, rock: &mut Rock, block: usize) -> f64 {
        let first = rock.first_of(block).map(|n| n as isize);
        if !self.find_distances(rock, first) {
            return 0.0;
        }
        let voxel = |n: usize| [n % SIDE, n / SIDE % SIDE, n / SIDE / SIDE];
        let place =
            |n: usize| -> [isize; 3] { std::array::from_fn(|axis| first[axis] + voxel(n)[axis] as isize) };
        let size = rock.size();
        let inside = |n: &usize| (0..3).all(|axis| place(*n)[axis] < size[axis] as isize);
        let within = || (0..BLOCK).filter(inside);
        let Self { away, signed, before } = self;
        for n in 0..BLOCK {
            before[n] = rock.exact(place(n));
            signed[n] = if before[n] > f64::from(SURFACE) { away[n].sqrt() } else { -away[n].sqrt() };
        }
        // A voxel stays what it is, rock or air: the surface does not jump.
        let share = |n: usize, by: f64| {
            let even = f64::from(SURFACE) + (signed[n] + by) / f64::from(SOFT);
            if before[n] > f64::from(SURFACE) {
                even.clamp(LEAST_ROCK.min(before[n]), 1.0)
            } else {
                even.clamp(0.0, f64::from(SURFACE))
            }
        };
        let wanted: f64 = within().map(|n| before[n]).sum();
        let (mut low, mut high) = (-1.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            let found: f64 = within().map(|n| share(n, middle)).sum();
            if found > wanted { high = middle } else { low = middle }
        }
        let by = 0.5 * (low + high);
        let mut left = 0.0;
        for n in within() {
            let after = share(n, by);
            if after != before[n] {
                rock.set(place(n).map(|n| n as usize), after);
                left += before[n] - after;
            }
        }
        left
    }

    /// Finds how far the voxels of a block are from the surface; false if there is none.
    fn find_distances(&mut self, rock: &Rock, first: [isize; 3]) -> bool {
        self.away.fill(f64::INFINITY);
        let (cells, mut any) = (SIDE as isize + 2 * AROUND, false);
        for n in 0..cells.pow(3) {
            let at: [isize; 3] = [n % cells, n / cells % cells, n / cells / cells];
            let at = std::array::from_fn(|axis| first[axis] + at[axis] - AROUND);
            let cell = rock.volume().cell(at);
            if cell.is_mixed() {
                any = true;
                for triangle in cell.triangles() {
                    let corners = triangle.map(|corner| {
                        std::array::from_fn(|axis| (at[axis] - first[axis]) as f64 + f64::from(corner[axis]))
                    });
                    nearer(corners, &mut self.away);
                }
            }
        }
        any
    }
}

/// Notes the squared distances of the voxels of a block from a triangle, where it is nearer than those before.
fn nearer(corners: [Vector; 3], away: &mut [f64]) {
    let range = |axis: usize| {
        let low = corners.iter().map(|c| c[axis]).fold(f64::INFINITY, f64::min) - REACH;
        let high = corners.iter().map(|c| c[axis]).fold(f64::NEG_INFINITY, f64::max) + REACH;
        low.ceil().max(0.0) as usize..(high.floor() + 1.0).clamp(0.0, SIDE as f64) as usize
    };
    for z in range(2) {
        for y in range(1) {
            for x in range(0) {
                let far = squared_distance([x as f64, y as f64, z as f64], corners);
                let there = &mut away[x + SIDE * (y + SIDE * z)];
                *there = there.min(far);
            }
        }
    }
}

/// Squared distance of a place from a triangle (Ericson 2005, 5.1.5).
fn squared_distance(p: Vector, [a, b, c]: [Vector; 3]) -> f64 {
    let minus = |a: Vector, b: Vector| -> Vector { std::array::from_fn(|n| a[n] - b[n]) };
    let dot = |a: Vector, b: Vector| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let square = |a: Vector| dot(a, a);
    let (ab, ac, ap) = (minus(b, a), minus(c, a), minus(p, a));
    let (d1, d2) = (dot(ab, ap), dot(ac, ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return square(ap);
    }
    let bp = minus(p, b);
    let (d3, d4) = (dot(ab, bp), dot(ac, bp));
    if d3 >= 0.0 && d4 <= d3 {
        return square(bp);
    }
    let on = |from: Vector, way: Vector, share: f64| {
        square(std::array::from_fn(|n| p[n] - from[n] - share * way[n]))
    };
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return on(a, ab, d1 / (d1 - d3));
    }
    let cp = minus(p, c);
    let (d5, d6) = (dot(ab, cp), dot(ac, cp));
    if d6 >= 0.0 && d5 <= d6 {
        return square(cp);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return on(a, ac, d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return on(b, minus(c, b), (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let per = 1.0 / (va + vb + vc);
    square(std::array::from_fn(|n| ap[n] - vb * per * ab[n] - vc * per * ac[n]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_terrain::volume::Volume;

    fn ball(soft: f32) -> Rock {
        let mut volume = Volume::empty([32; 3], 1.0, 0.0).unwrap();
        for n in 0..32usize.pow(3) {
            let at = [n % 32, n / 32 % 32, n / 1024];
            let away = at.iter().map(|&n| (n as f32 - 15.6).powi(2)).sum::<f32>().sqrt();
            volume.set_share(at, (0.5 + (9.3 - away) / soft).clamp(0.0, 1.0));
        }
        Rock::new(&volume)
    }

    /// A ball with a blurred surface, and one with a steep one, get the ramp they should have, and keep their rock: what is left over is rounding.
    #[test]
    fn a_ramp_is_made_even_and_no_rock_is_lost() {
        // Blurred farther a ball holds so much more rock that its surface has to move by more than the ramp is off.
        for soft in [1.5, 4.5] {
            let mut rock = ball(soft);
            let all = |rock: &Rock| -> f64 {
                (0..32isize.pow(3)).map(|n| rock.exact([n % 32, n / 32 % 32, n / 1024])).sum()
            };
            let before = all(&rock);
            let left: f64 = (0..8).map(|block| Ramp::default().even_out(&mut rock, block)).sum();
            assert!((all(&rock) + left - before).abs() < 1.0e-9 * before);
            assert!(left.abs() < 1.0e-9 * before, "{left} of {before} voxels are left over");
            let wanted = ball(SOFT);
            let off = (0..32isize.pow(3)).map(|n| {
                let at = [n % 32, n / 32 % 32, n / 1024];
                (rock.exact(at) - wanted.exact(at)).abs()
            });
            let off = off.fold(0.0, f64::max);
            assert!(off < 0.06, "a share is off by {off} where the ramp was {soft} voxels");
        }
    }
}
