//! Rock that somebody adds, takes away or makes harder.

use super::{VolumeGround, rock::SIDE};
use thalweg_terrain::volume::{SOFT, SURFACE};

/// What a brush does to rock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RockTool {
    /// Fills its ball.
    Add,
    /// Empties it.
    Take,
    /// Evens out bumps.
    Smooth,
    /// Takes what is above a height `[m]`, and fills what is below.
    Flatten(f64),
    /// Makes it harder than its bed.
    Harden,
    /// Makes it softer again, down to its bed.
    Soften,
}

/// What of the rock somebody changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RockLayer {
    /// How much there is.
    #[default]
    Share,
    /// How much harder it is than its bed.
    Hardness,
}

impl RockTool {
    /// What it changes.
    fn layer(self) -> RockLayer {
        match self {
            Self::Harden | Self::Soften => RockLayer::Hardness,
            Self::Add | Self::Take | Self::Smooth | Self::Flatten(_) => RockLayer::Share,
        }
    }
}

/// A ball that is drawn along a line.
#[derive(Clone, Debug, PartialEq)]
pub struct RockBrush {
    /// What it does.
    pub tool: RockTool,
    /// The points of the line `[m]`; a single one is a dab.
    pub along: Vec<[f64; 3]>,
    /// Radius of the ball `[m]`.
    pub radius: f64,
    /// How much of it is done, from 0 to 1 `[-]`.
    pub share: f64,
}

/// A box of voxels before and after somebody painted.
#[derive(Clone, Debug, PartialEq)]
pub struct RockPatch {
    /// What of them.
    pub layer: RockLayer,
    /// Its first voxel.
    pub first: [usize; 3],
    /// How many it has to the east, to the north and up.
    pub size: [usize; 3],
    /// Shares of rock, or of hardness, before, east running fastest, then north, then up `[-]`.
    pub before: Vec<f64>,
    /// The same afterwards.
    pub after: Vec<f64>,
}

impl RockPatch {
    /// The way back.
    pub fn inverse(&self) -> Self {
        Self { before: self.after.clone(), after: self.before.clone(), ..*self }
    }

    /// What it is over rock that is as `now`: just as it was made where nothing has happened since, and else the same change, as far as it goes.
    fn over(&self, now: &[f64]) -> Self {
        let change = now.iter().zip(&self.before).zip(&self.after).map(|((now, before), after)| {
            if now.to_bits() == before.to_bits() { *after } else { (now + (after - before)).clamp(0.0, 1.0) }
        });
        Self { before: now.to_vec(), after: change.collect(), ..*self }
    }

    fn voxels(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let (first, [east, north, up]) = (self.first, self.size);
        (0..east * north * up)
            .map(move |n| [first[0] + n % east, first[1] + n / east % north, first[2] + n / east / north])
    }
}

/// Distance of a place from a line through some points.
fn distance(place: [f64; 3], line: &[[f64; 3]]) -> f64 {
    let from_part = |[from, to]: [[f64; 3]; 2]| {
        let (way, off): ([f64; 3], [f64; 3]) =
            (std::array::from_fn(|n| to[n] - from[n]), std::array::from_fn(|n| place[n] - from[n]));
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let share = if dot(way, way) > 0.0 { (dot(off, way) / dot(way, way)).clamp(0.0, 1.0) } else { 0.0 };
        let gap: [f64; 3] = std::array::from_fn(|n| off[n] - share * way[n]);
        dot(gap, gap).sqrt()
    };
    match line {
        [only] => from_part([*only; 2]),
        line => line.windows(2).map(|pair| from_part([pair[0], pair[1]])).fold(f64::INFINITY, f64::min),
    }
}

impl VolumeGround {
    /// What a brush would change.
    pub(crate) fn brushed(&self, brush: &RockBrush) -> RockPatch {
        let line: Vec<_> = brush.along.iter().map(|&at| self.rock.in_voxels(at)).collect();
        let radius = brush.radius / self.rock.voxel();
        let reach = radius + f64::from(SOFT);
        let bound = |v: f64, axis: usize| v.clamp(0.0, self.rock.size()[axis] as f64) as usize;
        let along = |axis: usize| line.iter().map(move |middle| middle[axis]);
        let first: [usize; 3] = std::array::from_fn(|axis| {
            bound((along(axis).fold(f64::INFINITY, f64::min) - reach).ceil(), axis)
        });
        let size = std::array::from_fn(|axis| {
            let last = bound((along(axis).fold(f64::NEG_INFINITY, f64::max) + reach).floor() + 1.0, axis);
            last.saturating_sub(first[axis])
        });
        let layer = brush.tool.layer();
        let mut patch = RockPatch { layer, first, size, before: Vec::new(), after: Vec::new() };
        let whole = brush.share.clamp(0.0, 1.0);
        for voxel in patch.voxels() {
            let before = self.now(layer, voxel);
            let away = distance(voxel.map(|n| n as f64), &line);
            let ball = (0.5 + (radius - away) / f64::from(SOFT)).clamp(0.0, 1.0);
            // A bell without edges, as over heights.
            let bell = (1.0 - (away / radius).powi(2)).max(0.0).powi(2);
            let (wanted, share) = match brush.tool {
                RockTool::Add => (before.max(ball), whole),
                RockTool::Take => (before.min(1.0 - ball), whole),
                RockTool::Smooth => (self.mean_around(voxel), whole * bell),
                RockTool::Flatten(level) => {
                    let above = voxel[2] as f64 - self.rock.in_voxels([0.0, 0.0, level])[2];
                    let level = (f64::from(SURFACE) - above / f64::from(SOFT)).clamp(0.0, 1.0);
                    (level, whole * bell)
                }
                RockTool::Harden => (1.0, whole * bell),
                RockTool::Soften => (0.0, whole * bell),
            };
            patch.before.push(before);
            // What is not touched keeps its bits.
            patch.after.push(if share == 0.0 { before } else { before + share * (wanted - before) });
        }
        patch
    }

    /// What a voxel is now `[-]`.
    fn now(&self, layer: RockLayer, voxel: [usize; 3]) -> f64 {
        let voxel = voxel.map(|n| n as isize);
        match layer {
            RockLayer::Share => self.rock.exact(voxel),
            RockLayer::Hardness => self.hardened.of(voxel).into(),
        }
    }

    /// Mean of a voxel and those around it; what is outside the box is as what is next to it.
    fn mean_around(&self, voxel: [usize; 3]) -> f64 {
        let around = (0..27).map(|n| {
            let by = [n % 3, n / 3 % 3, n / 9];
            let near = |axis: usize| {
                (voxel[axis] as isize + by[axis] - 1).clamp(0, self.rock.size()[axis] as isize - 1)
            };
            self.rock.exact(std::array::from_fn(near))
        });
        around.sum::<f64>() / 27.0
    }

    /// Changes the rock as a patch did, wherever something has happened since by as much; returns what was changed, and how much came [m³, pores included]. None
    /// if the patch is not one of this volume.
    pub(crate) fn put(&mut self, patch: &RockPatch) -> Option<(RockPatch, f64)> {
        let count: usize = patch.size.iter().product();
        let fits = (0..3).all(|axis| patch.first[axis] + patch.size[axis] <= self.rock.size()[axis]);
        let whole = patch.after.iter().chain(&patch.before).all(|share| (0.0..=1.0).contains(share));
        if !fits || !whole || patch.after.len() != count || patch.before.len() != count {
            return None;
        }
        let now: Vec<f64> = patch.voxels().map(|voxel| self.now(patch.layer, voxel)).collect();
        let mut patch = patch.over(&now);
        if patch.layer == RockLayer::Hardness {
            for (voxel, after) in patch.voxels().zip(&mut patch.after) {
                // As it is kept, so that the way back finds it.
                *after = f64::from(*after as f32);
                self.hardened.set(self.rock.volume(), voxel, *after as f32).ok()?;
            }
            return Some((patch, 0.0));
        }
        let mut gained = 0.0;
        for ((voxel, &before), &after) in patch.voxels().zip(&patch.before).zip(&patch.after) {
            if after != before {
                gained += after - before;
                self.rock.set(voxel, after);
                // What somebody builds stands.
                self.rock.note_placed(voxel, after - before);
            }
        }
        let last = std::array::from_fn(|axis| patch.first[axis] + patch.size[axis]);
        self.bricks.find(&self.rock, patch.first, last);
        let blocks = |axis: usize| patch.first[axis] / SIDE..last[axis].div_ceil(SIDE);
        for z in blocks(2) {
            for y in blocks(1) {
                for x in blocks(0) {
                    self.loosen([x, y, z].map(|n| n * SIDE));
                }
            }
        }
        Some((patch, gained * self.rock.voxel().powi(3)))
    }

    /// The topmost rock of a column below a place `[m]`; none where the place is in the rock.
    pub(crate) fn floor_below(&self, at: [f64; 3]) -> Option<f64> {
        if self.rock.is_rock(at.map(|v| v as f32)) {
            return None;
        }
        let [x, y, z] = self.rock.in_voxels(at);
        let share = |up: isize| f64::from(self.rock.share_at([x, y, up as f64]) - SURFACE);
        let top = (z.floor() as isize).min(self.rock.size()[2] as isize);
        let down = (0..=top).rev().find(|&up| share(up) > 0.0);
        Some(down.map_or(self.rock.volume().bottom(), |up| {
            let crossing = up as f64 + share(up) / (share(up) - share(up + 1));
            self.rock.in_metres([0.0, 0.0, crossing])[2]
        }))
    }
}
