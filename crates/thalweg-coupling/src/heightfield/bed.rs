//! The bed: a net of triangles over the cell centres of a heightfield, and what happens to particles that reach it.
//!
//! Four neighbouring cell centres A (south-west), B (east), C (north), D make two triangles, ABC and DCB (Kataev 2022,
//! 4.2). Beyond the outermost centres there is nothing.

use fearless_simd::{Simd, f32x8, i32x8, prelude::*};
use thalweg_field::{Grid2, Heightfield};
use thalweg_sph::Particle;
use thalweg_sph::neighbours::LANES;

/// The net of triangles.
#[derive(Clone, Debug)]
pub struct Bed {
    /// Vertices to the east and to the north.
    pub size: [usize; 2],
    /// Side of a cell `[m]`.
    pub cell: f64,
    /// Heights at the beginning, row by row from the south `[m]`.
    start: Vec<f32>,
    /// What has come on top since `[m]`.
    change: Vec<f64>,
    /// Heights now `[m]`.
    height: Vec<f32>,
    /// What stands beyond the heightfield's own description.
    frame: thalweg_field::Frame,
}

/// A place so near to a line between triangles is on it, in cells `[-]`: f32 tells no finer a thousand cells from the corner.
const ON_LINE: f32 = 1.0e-4;

/// One of the two triangles of a cell; its number is twice that of the cell, plus one for DCB.
pub type Triangle = u32;

impl Bed {
    /// The bed of a terrain.
    pub fn new(ground: &Heightfield) -> Self {
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        let start: Vec<f32> =
            (0..rows).rev().flat_map(|row| ground.height.row(row).iter().copied()).collect();
        Self {
            size: [cols, rows],
            cell: ground.frame.cell,
            change: vec![0.0; start.len()],
            height: start.clone(),
            start,
            frame: ground.frame.clone(),
        }
    }

    /// The terrain as it is now.
    pub fn ground(&self) -> Heightfield {
        Heightfield { height: self.grid(|i| self.height[i]), frame: self.frame.clone() }
    }

    /// A map of the vertices in the order of heightfields: from the north.
    pub fn grid(&self, value: impl Fn(usize) -> f32 + Sync) -> Grid2<f32> {
        let [cols, rows] = self.size;
        Grid2::from_fn(cols, rows, |col, row| value((rows - 1 - row) * cols + col))
    }

    /// Height that has come on top of each vertex since the beginning `[m]`, row by row from the south.
    pub fn change(&self) -> &[f64] {
        &self.change
    }

    /// Takes up changes made before.
    pub fn set_change(&mut self, change: &[f64]) {
        self.change.copy_from_slice(change);
        for (i, height) in self.height.iter_mut().enumerate() {
            *height = (f64::from(self.start[i]) + self.change[i]) as f32;
        }
    }

    /// The vertex of a cell of the heightfield.
    pub fn vertex(&self, col: usize, row: usize) -> usize {
        (self.size[1] - 1 - row) * self.size[0] + col
    }

    /// Sets what has come on top of a vertex since the beginning `[m]`.
    pub fn set_change_at(&mut self, vertex: usize, change: f64) {
        self.change[vertex] = change;
        self.height[vertex] = (f64::from(self.start[vertex]) + change) as f32;
    }

    /// Raises or lowers a vertex `[m]`.
    pub fn raise(&mut self, vertex: usize, by: f64) {
        self.set_change_at(vertex, self.change[vertex] + by);
    }

    /// Heights now, row by row from the south `[m]`.
    pub fn heights(&self) -> &[f32] {
        &self.height
    }

    /// Height of a vertex, to all digits `[m]`.
    pub fn exact_height(&self, vertex: usize) -> f64 {
        f64::from(self.start[vertex]) + self.change[vertex]
    }

    /// How many triangles meet at a vertex: six inside, fewer at edges and corners.
    pub fn triangles_at(&self, vertex: usize) -> u32 {
        let [cols, rows] = self.size;
        let (i, j) = (vertex % cols, vertex / cols);
        let (west, east, south, north) = (i > 0, i + 1 < cols, j > 0, j + 1 < rows);
        // A cell has one triangle at its corners A and D, two at B and C.
        u32::from(east && north)
            + u32::from(west && south)
            + 2 * u32::from(west && north)
            + 2 * u32::from(east && south)
    }

    /// Area that a vertex stands for: a third of the triangles around it, seen from above `[m²]`.
    pub fn area_at(&self, vertex: usize) -> f64 {
        f64::from(self.triangles_at(vertex)) * self.triangle_area() / 3.0
    }

    /// Area of a triangle, seen from above `[m²]`.
    pub fn triangle_area(&self) -> f64 {
        0.5 * self.cell * self.cell
    }

    /// Cells to the east and to the north.
    pub fn cells(&self) -> [usize; 2] {
        [self.size[0] - 1, self.size[1] - 1]
    }

    /// Number of all triangles.
    pub fn triangles(&self) -> usize {
        2 * self.cells()[0] * self.cells()[1]
    }

    /// Vertices of a triangle: the one at the right angle, the next one along x, the next one along y.
    pub fn corners(&self, triangle: Triangle) -> [usize; 3] {
        let [cols, _] = self.size;
        let cell = triangle as usize / 2;
        let (i, j) = (cell % (cols - 1), cell / (cols - 1));
        let a = j * cols + i;
        if triangle.is_multiple_of(2) { [a, a + 1, a + cols] } else { [a + cols + 1, a + cols, a + 1] }
    }

    /// The triangles that meet at a vertex.
    pub fn triangles_around(&self, vertex: usize) -> impl Iterator<Item = Triangle> + use<> {
        let [cols, rows] = self.size;
        let (i, j) = (vertex % cols, vertex / cols);
        let first = move |i: usize, j: usize| 2 * (j * (cols - 1) + i) as Triangle;
        let (west, east, south, north) = (i > 0, i + 1 < cols, j > 0, j + 1 < rows);
        // It is the corner A, B, C or D of a cell; B and C are those of both triangles.
        let a = (east && north).then(|| [first(i, j), first(i, j)]);
        let b = (west && north).then(|| [first(i - 1, j), first(i - 1, j) + 1]);
        let c = (east && south).then(|| [first(i, j - 1), first(i, j - 1) + 1]);
        let d = (west && south).then(|| [first(i - 1, j - 1) + 1; 2]);
        let range = |pair: Option<[Triangle; 2]>| pair.into_iter().flat_map(|[from, to]| from..=to);
        range(a).chain(range(b)).chain(range(c)).chain(range(d))
    }

    /// Place of a vertex `[m]`.
    pub fn place(&self, vertex: usize) -> [f64; 3] {
        let [cols, _] = self.size;
        let along = |n: usize| (n as f64 + 0.5) * self.cell;
        [along(vertex % cols), along(vertex / cols), f64::from(self.height[vertex])]
    }

    /// The rectangle that the triangles cover: west, east; south, north `[m]`.
    pub fn extent(&self) -> [[f32; 2]; 2] {
        self.size.map(|n| [(0.5 * self.cell) as f32, ((n as f64 - 0.5) * self.cell) as f32])
    }

    /// Slope of a triangle to the east and to the north `[-]`.
    #[inline(always)]
    pub fn slope(&self, triangle: Triangle) -> [f32; 2] {
        let [a, b, c] = self.corners(triangle).map(|v| self.height[v]);
        let per = if triangle.is_multiple_of(2) { 1.0 / self.cell as f32 } else { -1.0 / self.cell as f32 };
        [(b - a) * per, (c - a) * per]
    }

    /// Unit normal of a triangle, upwards.
    #[inline(always)]
    pub fn normal(&self, triangle: Triangle) -> [f32; 3] {
        upwards(self.slope(triangle))
    }

    /// Mean of a value over the corners of a triangle.
    #[inline(always)]
    pub fn mean_of(&self, values: &[f32], triangle: Triangle) -> f32 {
        let [a, b, c] = self.corners(triangle);
        (values[a] + values[b] + values[c]) / 3.0
    }

    /// Area of a triangle as it lies in space `[m²]`.
    #[inline(always)]
    pub fn slanted_area(&self, triangle: Triangle) -> f32 {
        let [sx, sy] = self.slope(triangle);
        0.5 * (self.cell * self.cell) as f32 * (1.0 + sx * sx + sy * sy).sqrt()
    }

    /// The triangle below a place, and its height there `[m]`. Places beyond the edge count as on it.
    #[inline(always)]
    pub fn below(&self, x: f32, y: f32) -> (Triangle, f32) {
        self.interpolate(&self.height, x, y)
    }

    /// The triangle below a place, and what a value that vertices have is there.
    #[inline(always)]
    pub(crate) fn interpolate(&self, values: &[f32], x: f32, y: f32) -> (Triangle, f32) {
        let per = (1.0 / self.cell) as f32;
        let cols = self.cells()[0];
        let ([i, j], [fx, fy]) = self.cell_below(per, x, y);
        let upper = u32::from(fx + fy > 1.0);
        let at = j * self.size[0] + i;
        let [a, b, c, d] =
            [at, at + 1, at + self.size[0], at + self.size[0] + 1].map(|vertex| values[vertex]);
        let value = if upper == 0 {
            a + fx * (b - a) + fy * (c - a)
        } else {
            d + (1.0 - fx) * (c - d) + (1.0 - fy) * (b - d)
        };
        (2 * (j * cols + i) as u32 + upper, value)
    }

    /// How high the triangles below eight places are there `[m]`, and their unit normals, upwards.
    #[inline(always)]
    pub(crate) fn feet<S: Simd>(&self, simd: S, x: f32x8<S>, y: f32x8<S>) -> (f32x8<S>, [f32x8<S>; 3]) {
        let (per, one) = (1.0 / self.cell as f32, f32x8::splat(simd, 1.0));
        let (i, fx) = cells_along(simd, x * per - 0.5, self.cells()[0]);
        let (j, fy) = cells_along(simd, y * per - 0.5, self.cells()[1]);
        let mut at = [0; LANES];
        (j * self.size[0] as i32 + i).store_slice(&mut at);
        let mut corners = [[0.0; LANES]; 4];
        for (k, at) in at.into_iter().enumerate() {
            let (south, north) = (at as usize, at as usize + self.size[0]);
            [corners[0][k], corners[1][k]] = [self.height[south], self.height[south + 1]];
            [corners[2][k], corners[3][k]] = [self.height[north], self.height[north + 1]];
        }
        let [a, b, c, d] = corners.map(|corner| f32x8::from_slice(simd, &corner));
        let upper = (fx + fy).simd_gt(one);
        let (east, north) = (upper.select(d - c, b - a), upper.select(d - b, c - a));
        let ground =
            upper.select(d + (one - fx) * (c - d) + (one - fy) * (b - d), a + fx * east + fy * north);
        let (east, north) = (east * per, north * per);
        let up = one / (one + east * east + north * north).sqrt();
        (ground, [-east * up, -north * up, up])
    }

    /// The cell below a place, and where in it that is `[-]`.
    #[inline(always)]
    fn cell_below(&self, per: f32, x: f32, y: f32) -> ([usize; 2], [f32; 2]) {
        let [cols, rows] = self.cells();
        let (u, v) = (x * per - 0.5, y * per - 0.5);
        // By way of 32 bits, which is quicker.
        let (i, j) = ((u.max(0.0) as u32 as usize).min(cols - 1), (v.max(0.0) as u32 as usize).min(rows - 1));
        ([i, j], [(u - i as f32).clamp(0.0, 1.0), (v - j as f32).clamp(0.0, 1.0)])
    }

    /// Moves a particle that would have gone into the bed back onto it, and turns its velocity (Kataev 2022, 1.4.3 and
    /// 4.3). Returns whether it touched the bed.
    pub fn collide(&self, from: [f32; 3], particle: &mut Particle, restitution: f32, dt: f32) -> bool {
        let to = particle.position;
        let Some((at, touched)) = self.first_touch(from, to) else {
            return false;
        };
        // Where the way ends below the bed it is projected onto the triangle there, and once more where that leads
        // below its neighbour: over an edge or a corner the normals of all triangles touched add up.
        let mut normal = self.normal(touched);
        let mut sum = normal;
        let mut end = if self.clearance(to) < 0.0 { to } else { at };
        for _ in 0..3 {
            let (triangle, height) = self.below(end[0], end[1]);
            let below = height - end[2];
            if below <= 0.0 {
                break;
            }
            let n = self.normal(triangle);
            let depth = below * n[2];
            end = std::array::from_fn(|axis| end[axis] + depth * n[axis]);
            sum = std::array::from_fn(|axis| sum[axis] + n[axis]);
        }
        let length = sum.iter().map(|n| n * n).sum::<f32>().sqrt();
        if length > 0.0 {
            normal = sum.map(|n| n / length);
        }
        // In a notch no projection may help: then it is lifted.
        let (_, floor) = self.below(end[0], end[1]);
        end[2] = end[2].max(floor);
        let v = particle.velocity;
        let into = v[0] * normal[0] + v[1] * normal[1] + v[2] * normal[2];
        if into < 0.0 {
            // Kataev 2022, eq. 1.44: what comes back is bounded by how deep the particle got, so that no energy is gained.
            let far = (0..3).map(|axis| (end[axis] - to[axis]).powi(2)).sum::<f32>().sqrt();
            let speed = v.iter().map(|v| v * v).sum::<f32>().sqrt();
            let back = restitution * (far / (dt * speed).max(f32::MIN_POSITIVE)).min(1.0);
            particle.velocity = std::array::from_fn(|axis| v[axis] - (1.0 + back) * into * normal[axis]);
        }
        particle.position = end;
        true
    }

    /// Height above the bed `[m]`.
    #[inline(always)]
    pub fn clearance(&self, place: [f32; 3]) -> f32 {
        place[2] - self.below(place[0], place[1]).1
    }

    /// Where a way first meets the bed from above, and the triangle there. Walks over every triangle below the way:
    /// within one the clearance is linear.
    fn first_touch(&self, from: [f32; 3], to: [f32; 3]) -> Option<([f32; 3], Triangle)> {
        let per = (1.0 / self.cell) as f32;
        let on = |share: f32| -> [f32; 3] {
            std::array::from_fn(|axis| from[axis] + share * (to[axis] - from[axis]))
        };
        let (u, v) = ([from[0], to[0]].map(|x| x * per - 0.5), [from[1], to[1]].map(|y| y * per - 0.5));
        // The lines that bound triangles: x, y and x + y at whole numbers of cells.
        let lines = [u, v, [u[0] + v[0], u[1] + v[1]]];
        let mut share = 0.0f32;
        let mut clear = self.clearance(from).max(0.0);
        loop {
            // The next line that is crossed.
            let mut next = 1.0f32;
            for [a, b] in lines {
                let speed = b - a;
                if speed != 0.0 {
                    let here = a + share * speed;
                    let line = if speed > 0.0 {
                        (here + ON_LINE).floor() + 1.0
                    } else {
                        (here - ON_LINE).ceil() - 1.0
                    };
                    let at = (line - a) / speed;
                    if at > share && at < next {
                        next = at;
                    }
                }
            }
            let there = self.clearance(on(next));
            if there < 0.0 {
                let part = clear / (clear - there).max(f32::MIN_POSITIVE);
                let touch = on(share + part * (next - share));
                let middle = on(0.5 * (share + next));
                return Some((touch, self.below(middle[0], middle[1]).0));
            }
            if next >= 1.0 {
                return None;
            }
            (share, clear) = (next, there);
        }
    }
}

/// Cells along a side, of so many, that eight places counted in cells lie in, and where in them that is `[-]`. Places beyond the edge count
/// as on it.
#[inline(always)]
fn cells_along<S: Simd>(simd: S, place: f32x8<S>, count: usize) -> (i32x8<S>, f32x8<S>) {
    let zero = f32x8::splat(simd, 0.0);
    let cell = place.max(zero).min(f32x8::splat(simd, (count - 1) as f32)).to_int::<i32x8<S>>();
    (cell, (place - cell.to_float::<f32x8<S>>()).max(zero).min(f32x8::splat(simd, 1.0)))
}

/// The unit normal of a slope to the east and to the north, upwards.
#[inline(always)]
fn upwards([east, north]: [f32; 2]) -> [f32; 3] {
    let per = 1.0 / (1.0 + east * east + north * north).sqrt();
    [-east * per, -north * per, per]
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::Frame;

    #[test]
    fn the_foot_of_a_place_is_the_triangle_below_it() {
        let bed = bed(9, |i, j| ((i * 7 + j * 5) % 4) as f32 * 0.3);
        for n in 0..50 {
            // Beyond the edges too.
            let [x, y] = [0, 1].map(|axis| {
                std::array::from_fn(|k| [(8 * n + k) % 20, (8 * n + k) / 20][axis] as f32 * 0.263 - 0.4)
            });
            for (k, (height, normal)) in feet(&bed, x, y).into_iter().enumerate() {
                let (triangle, expected) = bed.below(x[k], y[k]);
                assert_eq!((height, normal), (expected, bed.normal(triangle)), "at {}, {} m", x[k], y[k]);
            }
        }
    }

    fn feet(bed: &Bed, x: [f32; LANES], y: [f32; LANES]) -> [(f32, [f32; 3]); LANES] {
        fearless_simd::dispatch!(fearless_simd::Level::new(), simd => {
            let place = [x, y].map(|place| f32x8::from_slice(simd, &place));
            let (height, normal) = bed.feet(simd, place[0], place[1]);
            let [height, a, b, c] = [height, normal[0], normal[1], normal[2]].map(|value| {
                let mut values = [0.0; LANES];
                value.store_slice(&mut values);
                values
            });
            std::array::from_fn(|k| (height[k], [a[k], b[k], c[k]]))
        })
    }

    fn bed(size: usize, height: impl Fn(usize, usize) -> f32 + Sync) -> Bed {
        Bed::new(&Heightfield { height: Grid2::from_fn(size, size, height), frame: Frame::with_cell(0.5) })
    }

    fn thrown(bed: &Bed, from: [f32; 3], velocity: [f32; 3], dt: f32, restitution: f32) -> Particle {
        let position = std::array::from_fn(|axis| from[axis] + dt * velocity[axis]);
        let mut particle =
            Particle { position, velocity, mass: 1.0, expires: 1.0, compression: 0.0, tag: 0, cargo: 0.0 };
        bed.collide(from, &mut particle, restitution, dt);
        particle
    }

    #[test]
    fn triangles_around_vertices_cover_the_bed_once() {
        let bed = bed(5, |_, _| 0.0);
        let counts: Vec<_> = [0, 4, 20, 24, 2, 10, 12].iter().map(|&v| bed.triangles_at(v)).collect();
        assert_eq!(counts, [1, 2, 2, 1, 3, 3, 6]);
        let area: f64 = (0..25).map(|v| bed.area_at(v)).sum();
        assert!((area - 4.0).abs() < 1.0e-12, "{area}");
        let corners = (0..bed.triangles() as u32).flat_map(|t| bed.corners(t));
        let mut met = [0; 25];
        corners.for_each(|v| met[v] += 1);
        assert!((0..25).all(|v| met[v] == bed.triangles_at(v)), "{met:?}");
        for vertex in 0..25 {
            let around: Vec<_> = bed.triangles_around(vertex).collect();
            assert_eq!(around.len() as u32, bed.triangles_at(vertex), "{vertex}: {around:?}");
            assert!(around.iter().all(|&t| bed.corners(t).contains(&vertex)), "{vertex}: {around:?}");
        }
    }

    /// A plane is met at the right place with the right normal, through as many cells as the way crosses.
    #[test]
    fn a_fast_particle_is_stopped_by_the_first_triangle_on_its_way() {
        let slope = bed(41, |col, row| 0.3 * col as f32 - 0.1 * row as f32);
        for dt in [0.01, 0.1, 0.6] {
            let particle = thrown(&slope, [8.0, 9.0, 6.0], [3.0, -1.0, -20.0], dt, 0.0);
            let clear = slope.clearance(particle.position);
            assert!((-1.0e-5..6.0).contains(&clear), "{clear} m at {dt} s");
        }
        // A thin wall across the way: both ends are above the ground, the middle is not.
        let wall = bed(41, |col, _| if col == 20 { 4.0 } else { 0.0 });
        let particle = thrown(&wall, [8.0, 9.0, 0.5], [40.0, 3.0, 0.0], 0.1, 0.0);
        assert!(particle.position[0] < 10.5, "went through to {:?}", particle.position);
        assert!(particle.velocity[0] < 20.0, "{:?}", particle.velocity);
    }

    #[test]
    fn a_bounce_never_gains_energy_and_rest_takes_what_goes_into_the_bed() {
        let rough = bed(21, |col, row| ((col * 7 + row * 13) % 11) as f32 * 0.1);
        let mut worst = 0.0f32;
        for i in 0..2000 {
            let a = i as f32;
            let from = [2.0 + (a * 0.37) % 6.0, 2.0 + (a * 0.73) % 6.0, 1.3];
            let velocity = [(a * 1.7) % 13.0 - 6.5, (a * 2.3) % 11.0 - 5.5, -((a * 0.9) % 10.0) - 0.1];
            for restitution in [0.0, 0.5, 1.0] {
                let particle = thrown(&rough, from, velocity, 0.1, restitution);
                let square = |v: [f32; 3]| v.iter().map(|v| v * v).sum::<f32>();
                worst = worst.max(square(particle.velocity) / square(velocity));
                assert!(rough.clearance(particle.position) >= -1.0e-5, "{:?}", particle.position);
            }
        }
        assert!(worst <= 1.0001, "a bounce made energy: {worst}");
    }
}
