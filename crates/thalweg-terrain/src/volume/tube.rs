//! Straight tubes of air or rock: tunnels and chambers, pillars, arches and stalactites.

use crate::recipe::{length, place, size};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thalweg_field::{describe::within, units};

/// What a tube is full of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Matter {
    /// A tunnel, a chamber.
    #[default]
    Air,
    /// A pillar, a beam, a boulder.
    Rock,
}

/// A straight tube with round ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Tube {
    /// One end: east, north, up `[m]`.
    #[serde(with = "units::Triple::<units::Length>")]
    #[schemars(transform = place())]
    pub from: [f64; 3],
    /// The other end `[m]`.
    #[serde(with = "units::Triple::<units::Length>")]
    #[schemars(transform = place())]
    pub to: [f64; 3],
    /// Half of its width `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = size().slider(0.5, 50.0))]
    pub radius: f64,
    /// Half of its width at the other end `[m]`; missing: as at the first.
    #[serde(with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = size().slider(0.5, 50.0))]
    pub radius_to: Option<f64>,
    /// What it is full of.
    pub matter: Matter,
    /// Width of the hollow curve with which it flows into the rest `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = length().slider(0.0, 10.0))]
    pub blend: f64,
    /// How much of the noise of the layers moves its walls too `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 10.0).slider(0.0, 1.0))]
    pub rough: f64,
}

impl Default for Tube {
    fn default() -> Self {
        Self {
            from: [0.0; 3],
            to: [10.0, 0.0, 0.0],
            radius: 3.0,
            radius_to: None,
            matter: Matter::Air,
            blend: 0.0,
            rough: 0.3,
        }
    }
}

/// The smaller of two numbers, and less around where they meet, over so wide a part of their difference (Quilez 2013).
fn smooth_min(a: f32, b: f32, width: f32) -> f32 {
    let near = (width - (a - b).abs()).max(0.0);
    a.min(b) - if near > 0.0 { 0.25 * near * near / width } else { 0.0 }
}

impl Tube {
    /// Puts the tube into a row of depths; `noise` is what the layers of noise added to each of them `[m]`.
    pub(super) fn put(&self, start: [f64; 3], spacing: f64, noise: &[f32], depths: &mut [f32]) {
        let along: [f64; 3] = std::array::from_fn(|axis| self.to[axis] - self.from[axis]);
        let length2 = along.iter().map(|x| x * x).sum::<f64>();
        let (widens, blend, rough) =
            (self.radius_to.unwrap_or(self.radius) - self.radius, self.blend as f32, self.rough as f32);
        for (n, (depth, noise)) in depths.iter_mut().zip(noise).enumerate() {
            let place = [start[0] + spacing * n as f64, start[1], start[2]];
            let way: [f64; 3] = std::array::from_fn(|axis| place[axis] - self.from[axis]);
            let share =
                (0..3).map(|axis| way[axis] * along[axis]).sum::<f64>() / length2.max(f64::MIN_POSITIVE);
            let share = share.clamp(0.0, 1.0);
            let away = (0..3).map(|axis| (way[axis] - share * along[axis]).powi(2)).sum::<f64>().sqrt();
            let outside = (away - self.radius - share * widens) as f32;
            *depth = match self.matter {
                Matter::Air => smooth_min(*depth, outside + rough * noise, blend),
                Matter::Rock => -smooth_min(-*depth, outside - rough * noise, blend),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blend_is_even_on_both_sides_and_nothing_far_away() {
        assert_eq!(smooth_min(1.0, 1.0, 2.0), 0.5);
        assert_eq!(smooth_min(1.0, 4.0, 2.0), 1.0);
        assert_eq!(smooth_min(4.0, 1.0, 2.0), smooth_min(1.0, 4.0, 2.0));
        assert_eq!(smooth_min(2.0, 1.5, 0.0), 1.5);
    }
}
