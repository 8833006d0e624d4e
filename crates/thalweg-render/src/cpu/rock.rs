//! The materials of ground that is a mesh, plainly: `gpu/shaders/rock.wgsl` without its grain.

use glam::Vec3;
use thalweg_field::{GroundMesh, Strata};

use crate::light::{linear, smoothstep};
use crate::{Cut, Extent, Look};

/// Ground that spans so much of height has valleys, meadows and summits `[m]`: as in the shader.
const MOUNTAINS: f32 = 300.0;

/// The colours of a mesh of ground.
pub(crate) struct Rock<'a> {
    strata: Option<&'a Strata>,
    look: &'a Look,
    /// Lowest height of the colours, and over which they run `[m]`.
    low: f32,
    span: f32,
    /// Share of the span where snow begins; 1 or more for nowhere.
    snow: f32,
    /// Sides of the box `[m]`.
    ends: [Vec3; 2],
}

impl<'a> Rock<'a> {
    /// `None` where the ground is no mesh.
    pub(crate) fn new(ground: Option<&'a GroundMesh>, look: &'a Look, extent: &Extent) -> Option<Self> {
        let ends = extent.earth?;
        let heights = look.relief.height_range.unwrap_or(extent.heights);
        let span = (heights[1] - heights[0]).max(0.02 * extent.width());
        let snow = look.relief.snow_level(heights, span);
        Some(Self { strata: ground?.strata.as_ref(), look, low: heights[0], span, snow, ends })
    }

    /// Where it is sawn through.
    pub(crate) fn cut(&self) -> Option<Cut> {
        self.look.cut
    }

    /// Share of white light that it throws back at a place, facing that way and open to the sky to that share.
    pub(crate) fn albedo(&self, place: Vec3, normal: Vec3, open: f32, sawn: bool) -> Vec3 {
        let palette = &self.look.relief.palette;
        let height = place.z / self.look.relief.vertical_exaggeration;
        let bed = self.strata.and_then(|strata| {
            let place = [place.x, place.y, height].map(f64::from);
            strata.bed_at(strata.level(place))
        });
        let rock = bed.map_or_else(|| linear(palette.rock), |bed| 0.82 * linear(bed.colour));
        if sawn || self.is_side(place, normal) {
            return rock;
        }
        // Low hills are meadows all over; mountains have the whole curve of colours.
        let above = height - self.low;
        let level = (0.3 + (above - 0.3 * self.span) / self.span.max(MOUNTAINS)).clamp(0.0, 1.0);
        // The higher and the more level, the farther along the curve of colours (Wang, Yang & Zhu 2021, section 2.7).
        let tints = [palette.valley, palette.slope, palette.upland, palette.summit].map(linear);
        let tone = (level + 0.35 * (normal.z - 0.85)).clamp(0.0, 1.0) * 3.0;
        let stop = (tone as usize).min(2);
        let grass = tints[stop].lerp(tints[stop + 1], smoothstep(0.0, 1.0, tone - stop as f32));
        let lies = smoothstep(0.62, 0.80, normal.z);
        let grows = smoothstep(0.55, 0.75, open);
        let sand = rock.lerp(linear(palette.deposit) * 0.75, 0.55);
        let cold = smoothstep(self.snow - 0.03, self.snow + 0.05, above / self.span) * grows;
        let white = if self.snow < 1.0 { cold * smoothstep(0.55, 0.75, normal.z) } else { 0.0 };
        rock.lerp(sand.lerp(grass, grows), 0.92 * lies).lerp(linear(palette.snow), white)
    }

    /// Whether a place lies on a side of the box, which is sawn too.
    fn is_side(&self, place: Vec3, normal: Vec3) -> bool {
        let [low, high] = self.ends;
        let rim = (place - low).min(high - place).truncate().min_element();
        rim < 2.0e-3 * (high - low).max_element() && normal.z.abs() < 0.3
    }
}
