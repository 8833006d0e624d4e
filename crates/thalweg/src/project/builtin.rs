//! Scenes that come with the program.

use super::parse;

/// A scene inside the program.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// The text of its `scene.toml`.
    pub text: &'static str,
    /// Files it reads: name relative to the scene, and content.
    pub files: &'static [(&'static str, &'static [u8])],
}

macro_rules! scenes {
    ($($name:literal $(: $($file:literal)+)?),* $(,)?) => {
        &[$(BuiltIn {
            name: $name,
            text: include_str!(concat!("../../../../scenes/", $name, "/scene.toml")),
            files: &[$($(($file, include_bytes!(concat!("../../../../scenes/", $name, "/", $file)))),+)?],
        }),*]
    };
}

/// All of them.
pub fn built_in_scenes() -> &'static [BuiltIn] {
    scenes!["demo", "range", "mountain", "mountain-rain", "river-detail", "schmidberger-mountain", "schmidberger-rain", "schmidberger-river", "lake-at-rest", "dam-break-2d", "pool", "fluid-water", "fluid-honey", "fluid-heavy", "dam-break", "ditch", "ditch-kataev", "meander", "meander-kataev", "canyon", "lake", "waterfall", "settling", "diffusion", "terrain-noise-peaks", "terrain-noise-overhangs", "terrain-noise-islands", "terrain-noise-terraces", "cavern", "arch", "peak-before-after", "spring-in-cave", "ocean", "lighthouse", "wave-pool", "fleet", "harbour": "harbour.png", "beach", "lake-boats", "particles-max", "tujunga": "bigtujunga_512.png" "README.md"]
}

impl BuiltIn {
    /// The scene of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        built_in_scenes().iter().find(|scene| scene.name == name)
    }

    /// One line about it.
    pub fn title(&self) -> String {
        parse(self.text, self.name, &[]).map(|scene| scene.title).unwrap_or_default()
    }
}
