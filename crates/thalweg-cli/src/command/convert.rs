//! `thalweg convert`: terrain in another format, size or program.

use super::fitted::fitted;
use super::heightmap::{self, Found, assume, options, remarks};
use super::target::{self, Target};
use super::{tiles, volume};
use crate::Failure;
use crate::args::ConvertArgs;
use crate::print::fixed;
use std::path::Path;
use thalweg::field::{FieldInfo, Heightfield};
use thalweg::io::{
    CopyError, Kind, MeshExtras, ReadOptions, WriteOptions, copy_by_rows, fill_holes, heights_of_mesh,
    is_written_by_rows, read_mesh, survey, write_heightfield, write_mesh_with,
};
use thalweg::render::Look;
use thalweg::run::colours_of_ground;
use thalweg::terrain::tin::{TinParams, ground_mesh};

/// Cells from which a file is copied row by row.
const LARGE: u64 = 4096 * 4096;

/// Formats of meshes.
const MESHES: [&str; 4] = ["obj", "ply", "stl", "glb"];

/// `thalweg convert`
pub(crate) fn convert(args: &ConvertArgs) -> Result<(), Failure> {
    if args.height_range.is_some() {
        return Err(Failure::usage(
            "--height-range could mean two things here: --input-heights says what the darkest and the brightest value of \
             the input stand for, --output-heights what the smallest and the largest code of the output shall stand for",
        ));
    }
    if args.input.join("report.json").is_file() {
        let Some(target) = args.target else {
            return Err(Failure::usage(format!(
                "{}: is the folder of a run; say for what with --for, such as --for unreal, or name a file in it",
                args.input.display()
            )));
        };
        return target::convert_run(args, target);
    }
    if volume::convert(args)? {
        say!("{}", args.output.display());
        return Ok(());
    }
    let ending = args.output.extension().unwrap_or_default().to_ascii_lowercase();
    let to_mesh = MESHES.iter().any(|mesh| ending == *mesh);
    if to_mesh && (args.target.is_some() || args.tiles.is_some()) {
        return Err(Failure::usage(format!("{}: --for and --tiles are for heights", args.output.display())));
    }
    if !to_mesh && args.triangles.is_some() {
        return Err(Failure::usage("--triangles is for meshes: .obj, .ply, .stl or .glb"));
    }
    let plain = args.size.is_none() && args.target.is_none() && args.tiles.is_none() && !args.join;
    if plain && by_rows(args)? {
        say!("{}", args.output.display());
        return Ok(());
    }
    let (ground, info) = if let Some(ground) = of_mesh(args)? {
        (ground, None)
    } else if args.join {
        (tiles::join(&args.input, &args.reading())?, None)
    } else {
        let read = heightmap::read_keeping(&args.input, &args.reading(), keeps_holes(args))?;
        read.tell();
        (read.imported.field, Some(read.imported.info))
    };
    if let Some(program) = args.target {
        return Target::of(program).convert(args, ground, &args.output);
    }
    let ground = match args.size {
        Some(size) => fitted(ground, size, args.fit, args.source.max_memory)?,
        None if args.fit.is_some() => {
            return Err(Failure::usage("--fit needs a --size, or a program with --for"));
        }
        None => ground,
    };
    if to_mesh {
        return write_as_mesh(args, &ground);
    }
    write(args, &ground, info, &args.output)
}

/// Writes the ground as triangles, with the colours that pictures have.
fn write_as_mesh(args: &ConvertArgs, ground: &Heightfield) -> Result<(), Failure> {
    let usual = TinParams::default();
    let params = TinParams { max_triangles: args.triangles.unwrap_or(usual.max_triangles), ..usual };
    let tin = ground_mesh(ground, &params, None).map_err(Failure::usage)?;
    let colours = colours_of_ground(&tin, None, ground, &Look::default());
    let extras = MeshExtras { colours: Some(&colours), uvs: Some(&tin.uvs), matt: true, up: None };
    write_mesh_with(&args.output, &tin.mesh, &extras)?;
    let (triangles, off) = (tin.mesh.triangles.len(), fixed(tin.error, 3));
    say!("{}: {triangles} triangles, {off} m off the cells at most", args.output.display());
    Ok(())
}

/// The heights of a mesh, seen from above; none if the input is no mesh.
fn of_mesh(args: &ConvertArgs) -> Result<Option<Heightfield>, Failure> {
    if !matches!(Kind::of(&args.input), Some(Kind::Obj | Kind::Ply | Kind::Stl | Kind::Glb)) {
        return Ok(None);
    }
    let name = args.input.display();
    let limit = super::memory_limit(args.source.max_memory);
    let mesh = read_mesh(&args.input, limit).map_err(Failure::usage)?;
    let sides = [0, 1].map(|axis: usize| {
        let along = || mesh.positions.iter().map(|place| f64::from(place[axis]));
        along().fold(f64::MIN, f64::max) - along().fold(f64::MAX, f64::min)
    });
    // About as many cells as the mesh has corners.
    let usual = (sides[0] * sides[1] / mesh.positions.len().max(1) as f64).sqrt();
    let cell = match args.source.metres_per_pixel {
        Some(cell) => cell,
        None => {
            let cell = heightmap::round(usual);
            remark!(
                "note: {name}: cells of {cell} m, about as many as it has corners; --metres-per-pixel changes it"
            );
            cell
        }
    };
    let need = (sides[0] / cell).max(1.0) * (sides[1] / cell).max(1.0) * 8.0;
    if need.is_finite() {
        super::within_memory(
            "cells of that size",
            need as u64,
            limit,
            "use larger ones (--metres-per-pixel)",
        )?;
    }
    let mut ground = heights_of_mesh(&mesh, cell).ok_or_else(|| {
        Failure::usage(format!(
            "{name}: {} by {} m make no terrain of cells of {cell} m; give another --metres-per-pixel",
            sides[0], sides[1]
        ))
    })?;
    let total = ground.height.len();
    match fill_holes(&mut ground.height) {
        0 => {}
        count if count == total => {
            return Err(Failure::usage(format!("{name}: nothing of it is seen from above")));
        }
        count => remark!(
            "note: {name}: {count} of {total} cells lie beside it and were filled from their surroundings"
        ),
    }
    Ok(Some(ground))
}

/// Whether cells without a height stay so: a `GeoTIFF` alone can hold them.
fn keeps_holes(args: &ConvertArgs) -> bool {
    let ending = args.output.extension().unwrap_or_default().to_ascii_lowercase();
    let tiff = ending == "tif" || ending == "tiff";
    tiff && args.size.is_none() && args.target.is_none() && !args.join
}

/// Writes the ground, or the tiles of it.
fn write(
    args: &ConvertArgs,
    ground: &Heightfield,
    info: Option<FieldInfo>,
    output: &Path,
) -> Result<(), Failure> {
    let mut how = WriteOptions { height_range: args.output_heights, info, ..WriteOptions::default() };
    let Some(count) = args.tiles else {
        write_heightfield(output, ground, &how)?;
        say!("{}", output.display());
        return Ok(());
    };
    let all = tiles::cut(ground, count)?;
    let [low, high] = heightmap::range(ground);
    // One range for all, or seams would show.
    how.height_range = how.height_range.or(Some([low, high]));
    for ([col, row], tile) in &all {
        let path = tiles::tile_path(output, *col, *row);
        write_heightfield(&path, tile, &how)?;
        say!("{}", path.display());
    }
    let [low, high] = how.height_range.unwrap_or([low, high]).map(|height| fixed(height, 2));
    say!(
        "{} tiles of {} x {} cells share their edges and the range {low} to {high} m",
        all.len(),
        all[0].1.height.cols(),
        all[0].1.height.rows()
    );
    Ok(())
}

/// Copies a large file row by row, where both formats allow it; false if they do not.
fn by_rows(args: &ConvertArgs) -> Result<bool, Failure> {
    if !is_written_by_rows(&args.output) || Kind::of(&args.input) != Some(Kind::Heightmap) {
        return Ok(false);
    }
    let mut reading = options(&args.source);
    reading.height_range = args.input_heights;
    let unlimited = ReadOptions { max_bytes: u64::MAX, ..reading.clone() };
    let size = thalweg::io::estimate(&args.input, &unlimited).map_err(Failure::usage)?;
    if (size.cols as u64) * (size.rows as u64) < LARGE {
        return Ok(false);
    }
    let look = |reading: &ReadOptions| survey(&args.input, reading).map_err(Failure::usage);
    let Some(mut seen) = look(&reading)? else { return Ok(false) };
    let before = reading.clone();
    let found = Found {
        cells: seen.cols.max(seen.rows),
        cell: seen.frame.cell,
        heights: [seen.range.0.into(), seen.range.1.into()],
    };
    let assumed = assume(&args.input, &mut reading, &seen.notices, &found);
    if before.height_range != reading.height_range
        && let Some(again) = look(&reading)?
    {
        seen = again;
    }
    if let Some(cell) = reading.cell {
        seen.frame.cell = cell;
    }
    // Holes are filled from their surroundings, for which all must be there.
    if seen.holes > 0 && !keeps_holes(args) {
        return Ok(false);
    }
    assumed.iter().chain(&remarks(&args.input, &seen.notices)).for_each(|note| remark!("note: {note}"));
    if seen.holes > 0 {
        remark!("note: {} of {} cells have no height and stay so", seen.holes, seen.cols * seen.rows);
    }
    let how = WriteOptions { height_range: args.output_heights, ..WriteOptions::default() };
    copy_by_rows(&args.input, &reading, &seen, &args.output, &how).map_err(|error| match error {
        CopyError::Read(error) => Failure::usage(error),
        CopyError::Write(error) => error.into(),
    })?;
    Ok(true)
}
