//! The surface of a volume with the light on it, kept while the volume changes: what changed is worked out anew, and nothing else.

use crate::marching_cubes::Surface;
use crate::volume::{Volume, openness};
use std::sync::Arc;
use thalweg_field::{GroundMesh, Strata};

/// Blocks around a change whose light is worked out anew [blocks]: rock twice as far away as a block is wide hides or opens less of the sky than
/// anybody sees, unless it is a lot of rock, which is then nearer elsewhere.
const NEAR: usize = 2;

/// A surface that follows its volume.
#[derive(Clone, Debug)]
pub struct LitSurface {
    /// The volume that it is the surface of: its blocks are shared with the one that goes on until that changes them.
    volume: Volume,
    surface: Surface,
    shown: Arc<GroundMesh>,
}

impl LitSurface {
    /// The surface of a volume, with its beds of rock.
    pub fn of(volume: &Volume, strata: Option<&Strata>) -> Self {
        let surface = Surface::of(volume);
        let mesh = surface.mesh();
        let open = openness(volume, &mesh.positions, &mesh.normals);
        let shown = Arc::new(GroundMesh { mesh, open, strata: strata.cloned() });
        Self { volume: volume.clone(), surface, shown }
    }

    /// What is shown of it.
    pub fn shown(&self) -> &Arc<GroundMesh> {
        &self.shown
    }

    /// Becomes the surface of the volume as it is now. Its triangles are all that the whole surface has; light that is worked out anew only near
    /// changes lags behind a little far away.
    pub fn follow(&mut self, volume: &Volume) {
        let same_box = volume.size() == self.volume.size()
            && volume.voxel() == self.volume.voxel()
            && volume.bottom() == self.volume.bottom();
        if !same_box {
            *self = Self::of(volume, self.shown.strata.as_ref());
            return;
        }
        let before: Vec<_> = self.surface.corners_of_blocks().collect();
        let stale = self.surface.follow(&self.volume, volume);
        self.volume = volume.clone();
        if stale.contains(&true) {
            self.relight(&before, &self.near(&stale));
        }
    }

    /// The blocks near some.
    fn near(&self, stale: &[bool]) -> Vec<bool> {
        let along = self.surface.blocks_along();
        let mut near = stale.to_vec();
        for (axis, step) in [1, along[0], along[0] * along[1]].into_iter().enumerate() {
            for _ in 0..NEAR {
                let last = near.clone();
                let at = |n: usize| n / step % along[axis];
                for (n, near) in near.iter_mut().enumerate() {
                    *near |= (at(n) > 0 && last[n - step]) || (at(n) + 1 < along[axis] && last[n + step]);
                }
            }
        }
        near
    }

    /// Puts the mesh together, with the light of before where no change is near; blocks had so many corners.
    fn relight(&mut self, before: &[usize], near: &[bool]) {
        let mesh = self.surface.mesh();
        let mut open = vec![0.0; mesh.positions.len()];
        let (mut from, mut to, mut dark) = (0, 0, Vec::new());
        for ((now, &before), near) in self.surface.corners_of_blocks().zip(before).zip(near) {
            if *near {
                dark.extend(to..to + now);
            } else {
                open[to..to + now].copy_from_slice(&self.shown.open[from..from + before]);
            }
            (from, to) = (from + before, to + now);
        }
        let of_dark = |all: &[[f32; 3]]| dark.iter().map(|&n| all[n]).collect::<Vec<_>>();
        let light = openness(&self.volume, &of_dark(&mesh.positions), &of_dark(&mesh.normals));
        dark.iter().zip(light).for_each(|(&n, light)| open[n] = light);
        self.shown = Arc::new(GroundMesh { mesh, open, strata: self.shown.strata.clone() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::VolumeRecipe;
    use thalweg_field::{Frame, Grid2, Heightfield, random::Key};

    fn hills() -> Volume {
        let level = Heightfield { height: Grid2::filled(120, 90, 20.0), frame: Frame::with_cell(0.5) };
        let recipe = VolumeRecipe { height: 40.0, noises: vec![Default::default()], ..Default::default() };
        recipe.build(&level, 3).unwrap().0
    }

    /// Takes a ball of rock away, or puts one there.
    fn dab(volume: &mut Volume, key: Key, share: f32) {
        let radius = 3.0;
        let middle: [f64; 3] = std::array::from_fn(|axis| {
            radius + key.with(axis as u64).unit() * (volume.size()[axis] as f64 - 2.0 * radius - 1.0)
        });
        for n in 0..343 {
            let by = [n % 7, n / 7 % 7, n / 49].map(|n| n as f64 - 3.0);
            if by.iter().map(|x| x * x).sum::<f64>() <= radius * radius {
                volume.set_share(std::array::from_fn(|axis| (middle[axis] + by[axis]) as usize), share);
            }
        }
    }

    /// Also where blocks become even or are spelt out, and where the volume goes back to what it was.
    #[test]
    fn a_surface_that_followed_is_that_of_the_whole_volume_and_its_light_nearly_so() {
        let mut volume = hills();
        let start = volume.clone();
        let mut lit = LitSurface::of(&volume, None);
        let (mut worst, mut all) = (0.0_f32, Vec::new());
        for round in 0..6 {
            let key = Key::new(5).with(round);
            (0..3).for_each(|n| dab(&mut volume, key.with(n), (n % 2) as f32));
            match round {
                2 => volume.settle(),
                4 => volume = start.clone(),
                _ => (),
            }
            lit.follow(&volume);
            let whole = LitSurface::of(&volume, None);
            assert!(lit.surface == whole.surface, "the surface of round {round} is another");
            assert!(lit.shown.mesh == whole.shown.mesh, "the mesh of round {round} is another");
            let off = lit.shown.open.iter().zip(&whole.shown.open).map(|(a, b)| (a - b).abs());
            all.extend(off.clone());
            worst = off.fold(worst, f32::max);
        }
        let mean = all.iter().sum::<f32>() / all.len() as f32;
        // A fiftieth of the sky is five steps of 256 in a picture.
        assert!(mean < 1.0e-3 && worst < 0.02, "light off by {mean} on average, by {worst} at most");
    }

    #[test]
    fn what_has_not_changed_is_shown_as_it_was() {
        let mut volume = hills();
        let mut lit = LitSurface::of(&volume, None);
        let first = lit.shown().clone();
        lit.follow(&volume);
        assert!(Arc::ptr_eq(&first, lit.shown()));
        dab(&mut volume, Key::new(1), 1.0);
        lit.follow(&volume);
        assert!(!Arc::ptr_eq(&first, lit.shown()));
    }
}
