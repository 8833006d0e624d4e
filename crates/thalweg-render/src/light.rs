//! Linear light, and the way from it to 8-bit sRGB.

use glam::Vec3;

/// The colour of cells that hold no number: nothing in a landscape looks like it.
pub(crate) const MISSING: [u8; 3] = [255, 0, 255];

/// Linear light of an sRGB colour (IEC 61966-2-1).
pub(crate) fn linear(srgb: [u8; 3]) -> Vec3 {
    let decode = |v: u8| {
        let v = f32::from(v) / 255.0;
        if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    };
    Vec3::from_array(srgb.map(decode))
}

/// The sRGB colour of linear light, rounded after adding `dither` in [-0.5, 0.5] steps.
pub(crate) fn srgb(light: Vec3, dither: f32) -> [u8; 3] {
    let encode = |v: f32| {
        let v = v.clamp(0.0, 1.0);
        let v = if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 };
        (v * 255.0 + 0.5 + dither) as u8
    };
    light.to_array().map(encode)
}

/// Where the tone curve begins to bend `[-]`.
const KNEE: f32 = 0.6;

/// A gentle tone curve: straight up to `KNEE`, then bending smoothly towards white, so that snow in
/// full sun keeps its modelling instead of clipping.
pub(crate) fn tone(light: Vec3) -> Vec3 {
    let bend = |v: f32| {
        if v <= KNEE { v.max(0.0) } else { 1.0 - (1.0 - KNEE) * (-(v - KNEE) / (1.0 - KNEE)).exp() }
    };
    Vec3::from_array(light.to_array().map(bend))
}

/// The light that [`tone`] turns into this one: colours that must be read off a legend come out as they are. White,
/// which no light reaches, comes out all but white.
pub(crate) fn untoned(light: Vec3) -> Vec3 {
    const WHITEST: f32 = 0.998;
    let straighten = |v: f32| {
        if v <= KNEE { v } else { KNEE - (1.0 - KNEE) * ((1.0 - v.min(WHITEST)) / (1.0 - KNEE)).ln() }
    };
    Vec3::from_array(light.to_array().map(straighten))
}

/// 0 below `low`, 1 above `high`, and a smooth cubic between them.
pub(crate) fn smoothstep(low: f32, high: f32, v: f32) -> f32 {
    let t = ((v - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_srgb_value_survives_the_way_through_linear_light() {
        for v in 0..=255 {
            assert_eq!(srgb(linear([v; 3]), 0.0), [v; 3]);
        }
    }

    #[test]
    fn untoned_colours_are_what_they_were_after_the_tone_curve() {
        for v in 0..=255 {
            let [found, ..] = srgb(tone(untoned(linear([v; 3]))), 0.0);
            assert!(found.abs_diff(v) <= 1, "{v} becomes {found}");
        }
    }

    #[test]
    fn the_tone_curve_rises_and_never_clips() {
        let values: Vec<f32> = (0..200).map(|i| tone(Vec3::splat(i as f32 * 0.02)).x).collect();
        assert!(values.windows(2).all(|pair| pair[0] < pair[1]), "{values:?}");
        assert!(*values.last().unwrap() <= 1.0);
    }
}
