//! What the renderer asks of a graphics device. Textures are made and bound by this list, so that it cannot tell
//! less than what is used.

use thalweg_gpu::Needs;
use wgpu::TextureFormatFeatureFlags as Flags;
use wgpu::{DownlevelFlags, Limits, TextureFormat as Format, TextureUsages as Uses};

const READ: Uses = Uses::TEXTURE_BINDING;
const DRAWN: Uses = READ.union(Uses::RENDER_ATTACHMENT);
const WRITTEN: Uses = READ.union(Uses::COPY_DST);
const NONE: Flags = Flags::empty();
const SMOOTH: Flags = Flags::FILTERABLE;
const SUMMED: Flags = SMOOTH.union(Flags::BLENDABLE);

/// Formats, what they are used for, and whether they are read between texels and drawn into as sums.
///
/// Numbers of 32 bits are never drawn into as floats: OpenGL may lack that. Depths are neither copied nor read back,
/// which it lacks as well.
const FORMATS: [(Format, Uses, Flags); 11] = [
    (Format::R8Unorm, DRAWN, SMOOTH),
    (Format::Rg8Unorm, DRAWN, NONE),
    (Format::Rgba8Unorm, DRAWN.union(Uses::COPY_SRC), SMOOTH),
    (Format::Rgba8UnormSrgb, WRITTEN, SMOOTH),
    (Format::R16Float, DRAWN.union(Uses::COPY_SRC), SUMMED),
    (Format::Rg16Float, DRAWN, SMOOTH),
    (Format::Rgba16Float, DRAWN.union(WRITTEN).union(Uses::COPY_SRC), SUMMED),
    (Format::R32Float, WRITTEN, NONE),
    (Format::R32Uint, DRAWN.union(Uses::COPY_SRC), NONE),
    (Format::Rg32Uint, DRAWN.union(Uses::COPY_SRC), NONE),
    (Format::Depth32Float, DRAWN, NONE),
];

/// What the renderer needs.
pub fn needs() -> Needs<'static> {
    Needs {
        formats: &FORMATS,
        limits: Limits {
            // The maps of shadows and caustics.
            max_texture_dimension_2d: super::shadow::SIDE.max(super::caustics::SIDE),
            // Particles: positions, values, contents.
            max_storage_buffers_per_shader_stage: 3,
            max_storage_buffer_binding_size: super::particles::CHUNK_BYTES,
            max_buffer_size: super::particles::CHUNK_BYTES,
            ..Limits::downlevel_webgl2_defaults()
        },
        abilities: DownlevelFlags::VERTEX_STORAGE
            | DownlevelFlags::COMPARISON_SAMPLERS
            | DownlevelFlags::NON_POWER_OF_TWO_MIPMAPPED_TEXTURES,
    }
}

/// What textures of a format are used for.
pub(super) fn uses(format: Format) -> Uses {
    listed(format).1
}

/// A target that sums up what is drawn into it.
pub(super) fn summed(format: Format) -> wgpu::ColorTargetState {
    assert!(listed(format).2.contains(Flags::BLENDABLE), "{format:?} is not listed as summed");
    let sum = wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::One,
        dst_factor: wgpu::BlendFactor::One,
        operation: wgpu::BlendOperation::Add,
    };
    wgpu::ColorTargetState { blend: Some(wgpu::BlendState { color: sum, alpha: sum }), ..format.into() }
}

/// A target that what is drawn into it covers in part: its colours come multiplied with how much of it they hide.
pub(super) fn covered(format: Format) -> wgpu::ColorTargetState {
    wgpu::ColorTargetState { blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING), ..summed(format) }
}

/// Makes sure that a format which is read between its texels is listed so.
pub(super) fn check_smooth(format: Format) {
    assert!(listed(format).2.contains(SMOOTH), "{format:?} is not listed as read between its texels");
}

fn listed(format: Format) -> (Format, Uses, Flags) {
    let found = FORMATS.iter().find(|(listed, ..)| *listed == format);
    *found.unwrap_or_else(|| panic!("{format:?} is not among the formats that the renderer asks for"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every texture is made by what is listed here: one that is forgotten shows in the first picture.
    #[test]
    fn a_format_that_is_not_listed_cannot_be_used() {
        let refused = |work: fn()| std::panic::catch_unwind(work).is_err();
        let (unlisted, unsummed): (fn(), fn()) =
            (|| _ = uses(Format::R16Uint), || _ = summed(Format::Rg8Unorm));
        assert!(refused(unlisted), "R16Uint is not listed");
        assert!(refused(unsummed), "Rg8Unorm is not listed as summed");
        assert!(refused(|| check_smooth(Format::R32Float)), "R32Float is not listed as smooth");
        assert!(
            !uses(Format::R32Float).contains(Uses::RENDER_ATTACHMENT),
            "OpenGL does not draw into R32Float"
        );
    }
}
