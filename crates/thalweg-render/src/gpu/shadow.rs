//! What the sun sees.

use glam::{Mat4, Vec3, Vec4};

use super::lod::Fineness;

/// Texels along the side of the shadow map.
pub(super) const SIDE: u32 = 2048;

/// The sun's view of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shadow {
    /// World to the sun's clip space; depth runs from 1 at the sun to 0 behind everything.
    pub clip_from_world: Mat4,
    /// Side of a texel `[m]`.
    pub texel: f32,
}

impl Shadow {
    /// A view along parallel rays that just holds everything between two corners.
    pub(super) fn new(to_sun: Vec3, low: Vec3, high: Vec3) -> Self {
        let forward = -to_sun;
        let right = forward.any_orthonormal_vector();
        let up = right.cross(forward);
        let corners = (0..8).map(|i| {
            let pick = |bit: usize, low: f32, high: f32| if i >> bit & 1 == 0 { low } else { high };
            Vec3::new(pick(0, low.x, high.x), pick(1, low.y, high.y), pick(2, low.z, high.z))
        });
        let start = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        let [least, most] = corners
            .map(|corner| Vec3::new(corner.dot(right), corner.dot(up), corner.dot(forward)))
            .fold(start, |[least, most], p| [least.min(p), most.max(p)]);
        let extent = (most - least).max(Vec3::splat(1.0e-3));
        let row = |axis: Vec3, low: f32, extent: f32| (axis * 2.0 / extent).extend(-2.0 * low / extent - 1.0);
        // A margin in depth keeps the nearest and farthest ground inside.
        let depth = extent.z * 1.1;
        let behind = (-forward / depth).extend((most.z + 0.05 * extent.z) / depth);
        let rows = [row(right, least.x, extent.x), row(up, least.y, extent.y), behind, Vec4::W];
        let clip_from_world = Mat4::from_cols(rows[0], rows[1], rows[2], rows[3]).transpose();
        Self { clip_from_world, texel: extent.x.max(extent.y) / SIDE as f32 }
    }

    /// How finely the sun needs the ground: a triangle per texel or two.
    pub(super) fn fineness(&self, cell: f32) -> Fineness {
        Fineness { eye: Vec3::ZERO, range: 0.0, level: (1.5 * self.texel / cell).max(1.0).log2().floor() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_lies_inside_the_suns_view_and_what_is_nearer_to_it_has_more_depth() {
        let (low, high) = (Vec3::new(-3.0, 4.0, 10.0), Vec3::new(900.0, 500.0, 300.0));
        let sun = Vec3::new(-0.4, 0.5, 0.6).normalize();
        let shadow = Shadow::new(sun, low, high);
        for corner in [low, high, Vec3::new(low.x, high.y, low.z), Vec3::new(high.x, low.y, high.z)] {
            let at = shadow.clip_from_world.project_point3(corner);
            assert!(
                at.x.abs() <= 1.0001 && at.y.abs() <= 1.0001 && at.z > 0.0 && at.z < 1.0,
                "{corner}: {at}"
            );
            let nearer = shadow.clip_from_world.project_point3(corner + sun * 5.0);
            assert!(nearer.z > at.z && (nearer - at).truncate().length() < 1.0e-4, "{corner}: {at} {nearer}");
        }
    }
}
