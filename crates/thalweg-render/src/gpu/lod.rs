//! Which parts of the ground are drawn how finely.
//!
//! The ground is a quadtree of square patches, each drawn with the same grid of triangles; a patch of
//! level n has triangles 2ⁿ cells wide. Patches far from the eye are large. Towards the end of a level's
//! range its odd corners slide onto the even ones, so that neighbours of different level meet without
//! gaps and nothing pops (Strugar 2009).

use glam::{Mat4, Vec3, Vec4};
use thalweg_field::{Grid2, band};

/// Triangle pairs along the side of a patch.
pub(super) const SIDE: usize = 32;

/// A patch to draw.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Patch {
    /// Its north-west cell.
    pub col: u32,
    /// Its north-west cell.
    pub row: u32,
    /// Its triangles are 2 to this cells wide.
    pub level: u32,
    /// Keeps patches aligned on the device.
    pub unused: u32,
}

/// How finely a view needs the ground.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fineness {
    /// Where the eye is `[m]`.
    pub eye: Vec3,
    /// Level 1 begins at this many metres from the eye; 0 if the distance does not matter.
    pub range: f32,
    /// The level of everything where the distance does not matter.
    pub level: f32,
}

impl Fineness {
    /// The level that a distance calls for, not rounded.
    fn level_at(&self, distance: f32) -> f32 {
        if self.range > 0.0 { (distance / self.range).max(1.0).log2() } else { self.level }
    }
}

/// Lowest and highest ground of every patch, finest level first.
pub(super) struct Quadtree {
    cells: [usize; 2],
    cell: f32,
    levels: Vec<Grid2<[f32; 2]>>,
}

impl Quadtree {
    pub(super) fn new(height: &Grid2<f32>, cell: f32, deepest_water: f32) -> Self {
        let (cols, rows) = (height.cols(), height.rows());
        let count = |cells: usize| cells.saturating_sub(1).div_ceil(SIDE).max(1);
        let mut finest = Grid2::filled(count(cols), count(rows), [f32::INFINITY, f32::NEG_INFINITY]);
        let patches = finest.cols();
        band::for_each_chunk(finest.values_mut(), patches, |patch_row, ranges| {
            // A patch shares its last row and column of corners with its neighbours.
            for row in patch_row * SIDE..=(patch_row * SIDE + SIDE).min(rows - 1) {
                let heights = height.row(row);
                for (i, range) in ranges.iter_mut().enumerate() {
                    for h in &heights[i * SIDE..=(i * SIDE + SIDE).min(cols - 1)] {
                        // Comparisons with what is no number are false and leave the range alone.
                        range[0] = if *h < range[0] { *h } else { range[0] };
                        range[1] = if *h + deepest_water > range[1] { *h + deepest_water } else { range[1] };
                    }
                }
            }
        });
        let mut levels = vec![finest];
        while let Some(fine) = levels.last().filter(|fine| fine.len() > 1) {
            let coarse = Grid2::from_fn(fine.cols().div_ceil(2), fine.rows().div_ceil(2), |c, r| {
                let mut range = [f32::INFINITY, f32::NEG_INFINITY];
                for (c, r) in [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(i, j)| (2 * c + i, 2 * r + j)) {
                    if c < fine.cols() && r < fine.rows() {
                        let part = fine.at(c, r);
                        range = [range[0].min(part[0]), range[1].max(part[1])];
                    }
                }
                range
            });
            levels.push(coarse);
        }
        Self { cells: [cols, rows], cell, levels }
    }

    /// Chooses the patches for a view. `clip_from_world` leaves out what lies outside the picture, and
    /// `base` is how far down the walls at the edges reach `[m]`.
    pub(super) fn choose(
        &self,
        fineness: &Fineness,
        clip_from_world: &Mat4,
        exaggeration: f32,
        base: f32,
        chosen: &mut Vec<Patch>,
    ) {
        chosen.clear();
        let planes = planes(clip_from_world);
        let root = self.levels.len() - 1;
        let mut waiting = vec![(root, 0, 0)];
        while let Some((level, col, row)) = waiting.pop() {
            let [low, high] = self.bounds(level, col, row, exaggeration, base);
            if planes.iter().any(|plane| outside(*plane, low, high)) {
                continue;
            }
            let nearest = (fineness.eye.clamp(low, high) - fineness.eye).length();
            if level == 0 || fineness.level_at(nearest) >= level as f32 {
                let at = |i: usize| ((i * SIDE) << level) as u32;
                chosen.push(Patch { col: at(col), row: at(row), level: level as u32, unused: 0 });
                continue;
            }
            let fine = &self.levels[level - 1];
            for (c, r) in [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(i, j)| (2 * col + i, 2 * row + j)) {
                if c < fine.cols() && r < fine.rows() {
                    waiting.push((level - 1, c, r));
                }
            }
        }
    }

    fn bounds(&self, level: usize, col: usize, row: usize, exaggeration: f32, base: f32) -> [Vec3; 2] {
        let [mut low, high] = self.levels[level].at(col, row).map(|h| h * exaggeration);
        let [cols, rows] = self.cells;
        let side = SIDE << level;
        let [west, north] = [col * side, row * side];
        let [east, south] = [(west + side).min(cols - 1), (north + side).min(rows - 1)];
        if west == 0 || north == 0 || east == cols - 1 || south == rows - 1 {
            low = low.min(base);
        }
        let x = |col: usize| (col as f32 + 0.5) * self.cell;
        let y = |row: usize| (rows as f32 - row as f32 - 0.5) * self.cell;
        [Vec3::new(x(west), y(south), low), Vec3::new(x(east), y(north), high)]
    }
}

/// Planes of a view, points inside on their positive side. The far end is left out: it is at infinity.
fn planes(clip_from_world: &Mat4) -> [Vec4; 5] {
    let [x, y, z, w] = [0, 1, 2, 3].map(|i| clip_from_world.row(i));
    [w + x, w - x, w + y, w - y, w - z]
}

fn outside(plane: Vec4, low: Vec3, high: Vec3) -> bool {
    // The corner farthest along the plane's normal.
    let normal = plane.truncate();
    let corner = Vec3::select(normal.cmpge(Vec3::ZERO), high, low);
    normal.dot(corner) + plane.w < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Camera, View, camera::Subject};

    fn tree(cols: usize, rows: usize) -> Quadtree {
        Quadtree::new(&Grid2::from_fn(cols, rows, |c, r| ((c * 7 + r * 13) % 50) as f32), 10.0, 0.0)
    }

    fn view(tree: &Quadtree) -> View {
        let [low, high] = tree.bounds(tree.levels.len() - 1, 0, 0, 1.0, 0.0);
        View::new(&Camera::default(), &Subject { landmarks: vec![low, high] }, 1.5)
    }

    /// Every cell of the ground that is in sight is drawn once, whatever the size of the grid.
    #[test]
    fn patches_cover_everything_once() {
        for (cols, rows) in [(1024, 1024), (1000, 333), (33, 32), (2, 900), (1, 1)] {
            let tree = tree(cols, rows);
            for range in [50.0, 500.0, 1.0e6] {
                let fineness = Fineness { eye: Vec3::new(-100.0, 60.0, 90.0), range, level: 0.0 };
                let mut chosen = Vec::new();
                let everything = Mat4::from_scale(Vec3::splat(1.0e-9));
                tree.choose(&fineness, &everything, 1.0, 0.0, &mut chosen);
                let mut seen = Grid2::filled(cols.max(2) - 1, rows.max(2) - 1, 0);
                for patch in &chosen {
                    let side = SIDE << patch.level;
                    for row in patch.row as usize..(patch.row as usize + side).min(seen.rows()) {
                        let cols = seen.cols();
                        for n in
                            &mut seen.row_mut(row)[patch.col as usize..(patch.col as usize + side).min(cols)]
                        {
                            *n += 1;
                        }
                    }
                }
                assert!(seen.values().iter().all(|n| *n == 1), "{cols} by {rows}, range {range}");
            }
        }
    }

    #[test]
    fn far_ground_is_coarser_and_fewer_patches_are_drawn() {
        let tree = tree(4096, 4096);
        let clip = view(&tree).clip_from_world();
        let count = |range: f32| {
            let mut chosen = Vec::new();
            let fineness = Fineness { eye: view(&tree).eye, range, level: 0.0 };
            tree.choose(&fineness, &clip, 1.0, 0.0, &mut chosen);
            chosen.len()
        };
        assert!(count(2.0e3) < count(2.0e4) / 8, "{} {}", count(2.0e3), count(2.0e4));
    }

    #[test]
    fn what_lies_behind_the_camera_is_left_out() {
        let tree = tree(512, 512);
        let fly = crate::Fly { position: [2560.0, 2560.0, 100.0], yaw: 0.0, pitch: 0.2, fov: 0.7 };
        let view =
            View::new(&Camera::Fly(fly), &Subject { landmarks: vec![Vec3::ZERO, Vec3::splat(5120.0)] }, 1.0);
        let fineness = Fineness { eye: view.eye, range: 1.0e6, level: 0.0 };
        let mut chosen = Vec::new();
        tree.choose(&fineness, &view.clip_from_world(), 1.0, 0.0, &mut chosen);
        assert!(!chosen.is_empty());
        assert!(chosen.iter().all(|patch| patch.row < 272), "the camera looks north: {chosen:?}");
    }
}
