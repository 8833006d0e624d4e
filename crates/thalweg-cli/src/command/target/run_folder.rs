//! The height and the maps of a run as a program wants them.

use super::Target;
use crate::Failure;
use crate::args::{ConvertArgs, FitArg, TargetArg};
use crate::command::fitted::fitted;
use crate::command::memory_limit;
use crate::command::relief::Relief;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use thalweg::field::{Field, FieldInfo, Frame, Heightfield, Snapshot};
use thalweg::io::{
    MapCodes, ReadOptions, read_heightfield, read_layers, write_map_exr, write_map_png_with, write_map_tiff,
    write_share_png,
};
use thalweg::run::{ground_shares, story, write_layered_maps, write_normals, write_shares};
use thalweg::terrain::art::{NormalStyle, normals};

/// Formats of single maps, the best first.
const FORMATS: [&str; 3] = ["exr", "tif", "png"];

/// What the channels of the shares are, as names of files.
const SHARES: [&str; 4] = ["rock", "soil", "loose", "water"];

/// Writes the height and the maps of a run into a folder.
pub(crate) fn convert_run(args: &ConvertArgs, program: TargetArg) -> Result<(), Failure> {
    let target = Target::of(program);
    if args.output.extension().is_some() {
        return Err(Failure::usage(format!(
            "{}: what becomes of a whole run needs the name of a folder",
            args.output.display()
        )));
    }
    let limit = memory_limit(args.source.max_memory);
    let from = &args.input;
    let height = read(&from.join("height.exr"), limit)?;
    let frame = height.frame.clone();
    let maps = maps_of(from, limit)?;
    if maps.is_empty() {
        remark!(
            "note: {}: there are no maps but the height; output.map_formats may be exr, tif, png or layers",
            from.display()
        );
    }
    let maps = maps.into_iter().filter(|map| map.values.same_shape(&height.height));
    let size = target.size(args, [height.height.cols(), height.height.rows()])?;
    let maps: Vec<Field> = maps.map(|map| as_large(args, map, &frame, size)).collect::<Result<_, _>>()?;
    let relief = target.sized(args, Relief::Held(height, None))?;
    let output = target.file(&args.output)?;
    target.write(args, &relief, &output, story(from))?;
    let Relief::Held(ground, _) = relief else { return Ok(()) };
    match program {
        TargetArg::Houdini => target.write_layers(args, &ground, &maps)?,
        _ => maps.iter().try_for_each(|map| target.write_map(args, map, &ground.frame))?,
    }
    if program == TargetArg::Gis { Ok(()) } else { target.write_art(args, &ground, &maps) }
}

/// Reads a terrain or a map of a run; cells without a value stay so.
fn read(path: &Path, max_bytes: u64) -> Result<Heightfield, Failure> {
    read_field(path, max_bytes).map(|(_, field)| field)
}

fn read_field(path: &Path, max_bytes: u64) -> Result<(FieldInfo, Heightfield), Failure> {
    let options = ReadOptions { max_bytes, keep_holes: true, ..ReadOptions::default() };
    let imported = read_heightfield(path, &options).map_err(Failure::usage)?;
    Ok((imported.info, imported.field))
}

/// The maps of a run: each from the best of its files, or all from the one that holds them.
fn maps_of(run: &Path, limit: u64) -> Result<Vec<Field>, Failure> {
    let mut files: BTreeMap<String, PathBuf> = BTreeMap::new();
    for path in run.join("maps").read_dir().into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()))
    {
        let rank = |path: &Path| FORMATS.iter().position(|format| super::ending(path) == *format);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let better = files.get(&stem).is_none_or(|other| rank(&path) < rank(other));
        if rank(&path).is_some() && better {
            files.insert(stem, path);
        }
    }
    let single = files.into_iter().map(|(name, path)| {
        let (info, Heightfield { height, .. }) = read_field(&path, limit)?;
        // By its file: another program may have dropped the label, and then it would be taken for the height.
        let info = FieldInfo { name: name.into(), ..info };
        Ok(Field { info, values: height })
    });
    let single: Vec<Field> = single.collect::<Result<_, Failure>>()?;
    let all = run.join("maps.exr");
    if !single.is_empty() || !all.is_file() {
        return Ok(single);
    }
    let layers = read_layers(&all, limit).map_err(Failure::usage)?.into_iter();
    // What is made of the others is made again.
    let own = |info: &FieldInfo| !["height", "debris", "bedrock", "mask"].contains(&&*info.name);
    let fields = layers.filter(|(info, grids)| own(info) && grids.len() == 1);
    Ok(fields.map(|(info, mut grids)| Field { info, values: grids.remove(0) }).collect())
}

/// A map in the size of the ground that it belongs to.
fn as_large(args: &ConvertArgs, mut field: Field, frame: &Frame, size: [usize; 2]) -> Result<Field, Failure> {
    let range = field.values.range();
    let values = Heightfield { height: field.values, frame: frame.clone() };
    let fit = args.fit.filter(|fit| *fit != FitArg::Nearest);
    field.values = fitted(values, size, fit, args.source.max_memory)?.height;
    // Cubics go beyond what there is; no water is less than none.
    if let Some((low, high)) = range {
        field.values = field.values.map(|value| value.clamp(low, high));
    }
    Ok(field)
}

impl Target {
    /// Writes a map, or tiles of it, as the program takes masks.
    fn write_map(&self, args: &ConvertArgs, field: &Field, frame: &Frame) -> Result<(), Failure> {
        let file = args.output.join(format!("{}.{}", field.info.name, self.masks));
        let codes = MapCodes::of(&field.values);
        let (cols, rows) = (field.values.cols(), field.values.rows());
        for (path, window) in self.parts(args, [cols, rows], &file)? {
            let (part, frame) = (window.of(&field.values), window.frame(frame, rows));
            let part = Field { info: field.info.clone(), values: part };
            match self.masks {
                "png" => write_map_png_with(&path, &part, &frame, &codes)?,
                "exr" => write_map_exr(&path, &part, &frame)?,
                _ => write_map_tiff(&path, &part, &frame)?,
            }
            say!("{}", path.display());
        }
        Ok(())
    }

    /// Writes all maps in one file, or in one for each tile, under Houdini's names.
    fn write_layers(&self, args: &ConvertArgs, ground: &Heightfield, maps: &[Field]) -> Result<(), Failure> {
        let size = [ground.height.cols(), ground.height.rows()];
        let info = FieldInfo::new("height", "m", "height of the bed");
        for (path, window) in self.parts(args, size, &args.output.join("maps.exr"))? {
            let height = Field { info: info.clone(), values: window.of(&ground.height) };
            let others =
                maps.iter().map(|map| Field { info: map.info.clone(), values: window.of(&map.values) });
            let fields = std::iter::once(height).chain(others).collect();
            let shown = Snapshot::of_fields(window.frame(&ground.frame, size[1]), fields);
            write_layered_maps(&path, &shown)?;
            say!("{} (layers under Houdini's names)", path.display());
        }
        Ok(())
    }

    /// Writes normals, in the style of the program, and the shares of rock, soil, loose ground and water in each cell.
    fn write_art(&self, args: &ConvertArgs, ground: &Heightfield, maps: &[Field]) -> Result<(), Failure> {
        let size = [ground.height.cols(), ground.height.rows()];
        let (style, told) = match self.program {
            TargetArg::Unreal => (NormalStyle::DirectX, "DirectX"),
            _ => (NormalStyle::OpenGl, "OpenGL"),
        };
        let all = normals(ground, style);
        for (path, window) in self.parts(args, size, &args.output.join("normal.png"))? {
            write_normals(&path, &window.of(&all), style)?;
            say!("{} ({told})", path.display());
        }
        let map = |name: &str| maps.iter().find(|map| map.info.name == name).map(|map| &map.values);
        let shares = ground_shares(ground, map("deposition"), map("water"));
        for (path, window) in self.parts(args, size, &args.output.join("splat.png"))? {
            write_shares(&path, &window.of(&shares))?;
            say!("{} (red rock, green soil, blue loose ground, alpha water)", path.display());
        }
        // Unreal's landscape layers come one by one, in 8 bits.
        let weights = SHARES.iter().enumerate().filter(|_| self.program == TargetArg::Unreal);
        for (channel, name) in weights {
            let share = shares.map(|shares| shares[channel]);
            for (path, window) in self.parts(args, size, &args.output.join(format!("weight_{name}.png")))? {
                let about = json!({ "quantity": "weight", "of": name, "whole": 255 });
                write_share_png(&path, &window.of(&share), &about.to_string())?;
                say!("{}", path.display());
            }
        }
        Ok(())
    }
}
