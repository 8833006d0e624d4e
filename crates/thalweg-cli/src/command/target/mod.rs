//! Terrain as a program wants it: format, size, byte order, orientation, and what to type into the program.
//!
//! What each one requires is from its own documentation: Unreal Engine 5.4 "Landscape Technical Guide", Unity "Import
//! terrain heightmap", Terrain3D "Importing Data", Houdini "HeightField File", Gaea "File node".

mod engine;
mod run_folder;
mod size;

use super::fitted::fitted;
use super::relief::Relief;
use super::tiles;
use crate::Failure;
use crate::args::{ConvertArgs, TargetArg};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use thalweg::io::{Story, Window, WriteOptions, atomic};

pub(super) use run_folder::convert_run;

/// Least range that codes are given, for flat ground `[m]`.
const LEAST_RANGE: f64 = 1.0;

/// A program and what it reads.
pub(super) struct Target {
    program: TargetArg,
    name: &'static str,
    /// Endings of files it reads, the usual one first.
    endings: &'static [&'static str],
    /// Ending of its masks.
    masks: &'static str,
}

impl Target {
    pub(super) fn of(program: TargetArg) -> Self {
        let (name, endings, masks): (_, &[_], _) = match program {
            TargetArg::Unreal => ("unreal", &["png", "r16", "raw"], "png"),
            TargetArg::Unity => ("unity", &["raw", "r16"], "png"),
            TargetArg::Godot => ("godot", &["exr", "r16"], "exr"),
            TargetArg::Blender => ("blender", &["exr", "tif", "png"], "exr"),
            TargetArg::Houdini => ("houdini", &["exr"], "exr"),
            TargetArg::Gaea => ("gaea", &["exr", "r32", "tif", "png"], "png"),
            TargetArg::Gis => ("gis", &["tif"], "tif"),
        };
        Self { program, name, endings, masks }
    }

    /// Writes terrain to a file, or to one named `height` in a folder.
    pub(super) fn convert(&self, args: &ConvertArgs, relief: Relief, output: &Path) -> Result<(), Failure> {
        let relief = self.sized(args, relief)?;
        let output = self.file(output)?;
        self.write(args, &relief, &output, Story::default())
    }

    /// The terrain in a size that the program takes.
    fn sized(&self, args: &ConvertArgs, relief: Relief) -> Result<Relief, Failure> {
        let size = self.size(args, relief.size())?;
        match relief {
            Relief::Held(ground, info) => {
                Ok(Relief::Held(fitted(ground, size, args.fit, args.source.max_memory)?, info))
            }
            // What is not to keep its size is read as a whole.
            streamed => Ok(streamed),
        }
    }

    /// The file to write.
    fn file(&self, output: &Path) -> Result<PathBuf, Failure> {
        let ending = ending(output);
        if ending.is_empty() || output.is_dir() {
            atomic::create_dir(output)?;
            return Ok(output.join(format!("height.{}", self.endings[0])));
        }
        if self.endings.contains(&ending.as_str()) {
            return Ok(output.to_path_buf());
        }
        let list: Vec<_> = self.endings.iter().map(|ending| format!(".{ending}")).collect();
        let why = match (self.program, ending.as_str()) {
            (TargetArg::Godot, "png") => " (it makes 256 levels of a 16-bit PNG)",
            _ => "",
        };
        Err(Failure::usage(format!(
            "{}: for {} the file must be {}{why}",
            output.display(),
            self.name,
            list.join(" or ")
        )))
    }

    /// The parts to be written of so many cells: all of them, or tiles, each with what its file is called.
    fn parts(
        &self,
        args: &ConvertArgs,
        [cols, rows]: [usize; 2],
        output: &Path,
    ) -> Result<Vec<(PathBuf, Window)>, Failure> {
        let Some(count) = args.tiles else {
            return Ok(vec![(output.to_path_buf(), Window { west: 0, north: 0, cols, rows })]);
        };
        let tiles = tiles::windows([cols, rows], count)?.into_iter();
        Ok(tiles.map(|(place, window)| (self.tile_path(output, place, count), window)).collect())
    }

    /// Writes the file, or tiles of it, and tells what to type into the program.
    fn write(&self, args: &ConvertArgs, relief: &Relief, output: &Path, story: Story) -> Result<(), Failure> {
        let [low, high] = args.output_heights.unwrap_or_else(|| relief.range());
        let flat = high - low < LEAST_RANGE && args.output_heights.is_none();
        let range = [low, if flat { low + LEAST_RANGE } else { high }];
        let ending = ending(output);
        let coded = matches!(ending.as_str(), "png" | "r16" | "raw");
        let shares = self.program == TargetArg::Gaea && !coded;
        relief.tell(output);
        let mut told = None;
        for (path, window) in self.parts(args, relief.size(), output)? {
            let frame = window.frame(relief.frame(), relief.size()[1]);
            let values = self.values([window.cols, window.rows], &frame, range, &ending);
            let how = WriteOptions {
                height_range: (coded || shares).then_some(range),
                story: Story { engine: Some(values.clone()), ..story.clone() },
                sidecar: true,
                south_first: self.program == TargetArg::Unity,
                shares,
                ..WriteOptions::default()
            };
            relief.write(window, &path, &how)?;
            if self.program == TargetArg::Unreal && ending == "raw" {
                let text =
                    json!({ "width": window.cols, "height": window.rows, "bpp": 16 }).to_string() + "\n";
                atomic::write_atomic(&path.with_extension("json"), |file| {
                    std::io::Write::write_all(file, text.as_bytes())
                })?;
            }
            say!("{}", path.display());
            told = Some(values);
        }
        let Some(Value::Object(values)) = told else { return Ok(()) };
        for (name, value) in values.into_iter().filter(|(name, _)| name != "for") {
            match value {
                Value::String(text) => say!("  {name:<26} {text}"),
                value => say!("  {name:<26} {value}"),
            }
        }
        Ok(())
    }

    /// Unity counts tiles from the south-west, the others from the north-west.
    fn tile_path(&self, output: &Path, [col, row]: [usize; 2], [_, down]: [usize; 2]) -> PathBuf {
        if self.program == TargetArg::Unity {
            tiles::unity_path(output, col, down - 1 - row)
        } else {
            tiles::tile_path(output, col, row)
        }
    }
}

/// What follows the last dot in the name of a file, in small letters; nothing for folders.
fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}
