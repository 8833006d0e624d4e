//! What to type into programs, by the words in their windows.

use super::Target;
use super::size::landscape;
use crate::args::TargetArg;
use crate::print::fixed;
use serde_json::{Value, json};
use thalweg::field::Frame;

/// Heights that codes of Unreal reach at a Z scale of 100 `[cm]`: 65535 / 128.
const UNREAL_RANGE: f64 = 65535.0 / 128.0;

type Lines = Vec<(&'static str, Value)>;

/// What a program is to be told of.
struct Told<'a> {
    /// Columns and rows.
    size: [usize; 2],
    frame: &'a Frame,
    /// Sides `[m]`.
    sides: [f64; 2],
    /// Heights of the smallest and the largest code `[m]`.
    range: [f64; 2],
    ending: &'a str,
}

impl Target {
    /// What to type in for a file of so many columns and rows.
    pub(super) fn values(&self, size: [usize; 2], frame: &Frame, range: [f64; 2], ending: &str) -> Value {
        let sides = size.map(|count| (count - 1) as f64 * frame.cell);
        let told = Told { size, frame, sides, range, ending };
        let lines = match self.program {
            TargetArg::Unreal => told.unreal(),
            TargetArg::Unity => told.unity(),
            TargetArg::Godot => told.godot(),
            TargetArg::Blender => told.blender(),
            TargetArg::Houdini => told.houdini(),
            TargetArg::Gaea => told.gaea(),
            TargetArg::Gis => told.gis(),
        };
        let all = [("for", self.name.into())].into_iter().chain(lines);
        Value::Object(all.map(|(name, value)| (name.to_owned(), value)).collect())
    }
}

fn number(value: f64) -> Value {
    json!((value * 1.0e6).round() / 1.0e6)
}

impl Told<'_> {
    fn unreal(&self) -> Lines {
        let [low, high] = self.range;
        let [cols, rows] = self.size;
        let scale = (high - low) * 100.0 / UNREAL_RANGE;
        let mut lines = vec![
            ("Scale X, Y", number(self.frame.cell * 100.0)),
            ("Scale Z", number(scale)),
            ("Location Z (cm)", number(low * 100.0 + 256.0 * scale)),
            ("Overall Resolution", format!("{cols} x {rows}").into()),
        ];
        if let Some([quads, sections, across, down]) = landscape(self.size) {
            lines.extend([
                ("Section Size", Value::from(format!("{quads}x{quads} Quads"))),
                ("Sections Per Component", format!("{sections}x{sections} Sections").into()),
                ("Number of Components", format!("{across} x {down}").into()),
            ]);
        }
        lines
    }

    fn unity(&self) -> Lines {
        let ([low, high], [width, length]) = (self.range, self.sides);
        vec![
            ("Depth", "Bit 16".into()),
            ("Resolution", self.size[0].into()),
            ("Byte Order", "Windows".into()),
            ("Flip Vertically", "off: the rows begin in the south already".into()),
            ("Terrain Width", number(width)),
            ("Terrain Length", number(length)),
            ("Terrain Height", number(high - low)),
            ("Position Y", number(low)),
        ]
    }

    fn godot(&self) -> Lines {
        let ([low, high], [cols, rows]) = (self.range, self.size);
        let spacing = ("vertex_spacing", number(self.frame.cell));
        if self.ending == "exr" {
            return vec![spacing, ("Import Scale", number(1.0)), ("Height Offset", number(0.0))];
        }
        vec![
            spacing,
            ("R16 Size", format!("{cols} x {rows}").into()),
            ("R16 Range", format!("{}, {}", fixed(low, 4), fixed(high, 4)).into()),
            ("Import Scale", number(1.0)),
        ]
    }

    fn blender(&self) -> Lines {
        let ([low, high], [width, length]) = (self.range, self.sides);
        let [low, range] = if self.ending == "png" { [low, high - low] } else { [0.0, 1.0] };
        vec![
            ("Plane Size X, Y (m)", format!("{width} x {length}").into()),
            ("Image Color Space", "Non-Color".into()),
            ("Displace Strength", number(range)),
            // Without the sign that 0 would get.
            ("Displace Midlevel", number(if range > 0.0 { 0.0 - low / range } else { 0.0 })),
        ]
    }

    fn houdini(&self) -> Lines {
        let [width, length] = self.sides;
        vec![
            ("Size (m)", format!("{width} x {length}").into()),
            ("Grid Spacing", number(self.frame.cell)),
            ("Height Scale", number(1.0)),
            ("Layer", "height".into()),
        ]
    }

    /// Its terrain runs from 0 to 1, and so do the numbers of the file.
    fn gaea(&self) -> Lines {
        let ([low, high], [width, length]) = (self.range, self.sides);
        vec![
            ("Terrain Width (m)", number(width.max(length))),
            ("Terrain Height (m)", number(high - low)),
            ("Lowest height (m)", number(low)),
        ]
    }

    fn gis(&self) -> Lines {
        vec![
            ("CRS", self.frame.crs.clone().unwrap_or_else(|| "none".into()).into()),
            ("No data", "nan".into()),
            ("Cell (m)", number(self.frame.cell)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scale 100 is 512 m less one code in Epic's table, from −256 m up, if the actor is at 0.
    #[test]
    fn codes_of_unreal_stand_for_the_heights_they_are_given() {
        let [low, high] = [-100.0, 900.0];
        let frame = Frame::with_cell(2.0);
        let values = Target::of(TargetArg::Unreal).values([505, 505], &frame, [low, high], "png");
        let [scale, z] = ["Scale Z", "Location Z (cm)"].map(|name| values[name].as_f64().unwrap());
        // Epic: z of a code is (code − 32768) / 128 cm times the scale.
        for (code, height) in [(0.0, low), (65535.0, high)] {
            let metres = (z + (code - 32768.0) / 128.0 * scale) / 100.0;
            assert!((metres - height).abs() < 1.0e-4, "code {code} is at {metres} m, not {height}");
        }
        assert_eq!(values["Scale X, Y"], 200.0);
    }
}
