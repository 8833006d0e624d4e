//! Where particles and bodies keep the sun away.

use std::f32::consts::PI;

use glam::{Vec2, Vec3};
use thalweg_field::{Grid2, band};

use super::coverage::{Aim, Coverage, Pattern, ROWS};
use super::things::{Thing, Things};
use crate::{Lens, ReliefStyle, View};

/// Samples along each side of what the sun sees.
const SIDE: usize = 1024;
/// One sample in the middle of each; half a diagonal always reaches one.
const MIDDLE: Pattern = Pattern { places: &[[0.5, 0.5]], reach: 0.71 };

/// What the sun sees of particles and bodies: how far ahead of it the nearest of them is.
pub(crate) struct Shade {
    aim: Aim,
    ahead: Grid2<f32>,
    /// Side of a sample `[m]`.
    texel: f32,
    /// What lies no farther behind the nearest belongs to it `[m]`.
    slack: f32,
}

impl Shade {
    /// Looks from the sun at things between two corners `[m]`.
    pub(crate) fn new(things: &Things, bounds: [Vec3; 2], style: &ReliefStyle) -> Self {
        let view = from_the_sun(bounds, style);
        let aim = Aim::new(&view, [SIDE; 2]);
        // Water lets the sun through.
        let casts = |thing: Thing| !matches!(thing, Thing::Facet { body, .. } if things.is_water(body));
        let coverage = Coverage::new(things, aim, &MIDDLE, casts);
        let mut ahead = Grid2::filled(SIDE, SIDE, f32::INFINITY);
        band::for_each_chunk(ahead.values_mut(), ROWS * SIDE, |group, nearest| {
            for (nearest, seen) in nearest.iter_mut().zip(coverage.of_rows(group)) {
                *nearest = seen.map_or(f32::INFINITY, |seen| seen.ahead);
            }
        });
        let texel = view.metres_per_pixel(1.0, SIDE);
        Self { aim, ahead, texel, slack: things.radius() + texel }
    }

    /// Share of the sun that is seen from a place on a surface `[-]`.
    pub(crate) fn sun_at(&self, place: Vec3, normal: Vec3) -> f32 {
        /// Samples to each side, and how far apart they are `[texels]`.
        const AROUND: i32 = 1;
        const APART: f32 = 1.2;
        // A step along the normal keeps the surface out of its own shadow.
        let seen = self.aim.seen_from(place + normal * 1.5 * self.texel);
        let at = self.aim.pixel(seen.truncate());
        let (mut lit, mut count) = (0.0, 0.0);
        for step in (-AROUND..=AROUND).flat_map(|y| (-AROUND..=AROUND).map(move |x| [x, y])) {
            let at = at + Vec2::from_array(step.map(|n| n as f32)) * APART;
            let inside = at.min_element() >= 0.0 && at.max_element() < SIDE as f32;
            let free = !inside || self.ahead.at(at.x as usize, at.y as usize) + self.slack >= seen.z;
            lit += f32::from(free);
            count += 1.0;
        }
        lit / count
    }
}

/// The view along the sun's rays that holds a box between two corners.
fn from_the_sun([low, high]: [Vec3; 2], style: &ReliefStyle) -> View {
    let mut view = View::looking(style.sun_azimuth + PI, style.sun_elevation, 1.0, 1.0);
    let half = 0.5 * (high - low).length().max(1.0e-3);
    view.lens = Lens::Parallel(half);
    view.eye = (low + high) * 0.5 - view.forward * 2.0 * half;
    (view.near, view.far) = (0.5 * half, 4.0 * half);
    view
}
