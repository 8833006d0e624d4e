//! `thalweg convert`: terrain in another format, size or program.

use super::fitted::fitted;
use super::heightmap::{self, Found, assume, options, remarks};
use super::relief::Relief;
use super::target::{self, Target};
use super::{tiles, volume};
use crate::Failure;
use crate::args::ConvertArgs;
use crate::print::fixed;
use thalweg::field::Heightfield;
use thalweg::io::{
    Kind, MeshExtras, ReadOptions, Streamed, Window, WriteOptions, fill_holes, heights_of_mesh, read_mesh,
    survey, write_mesh_with,
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
    let relief = match streamed(args)? {
        Some(streamed) => Relief::Streamed(Box::new(streamed)),
        None => held(args)?,
    };
    if let Some(program) = args.target {
        return Target::of(program).convert(args, relief, &args.output);
    }
    let relief = match (args.size, relief) {
        (Some(size), Relief::Held(ground, info)) => {
            Relief::Held(fitted(ground, size, args.fit, args.source.max_memory)?, info)
        }
        (None, _) if args.fit.is_some() => {
            return Err(Failure::usage("--fit needs a --size, or a program with --for"));
        }
        (_, relief) => relief,
    };
    match relief {
        Relief::Held(ground, _) if to_mesh => write_as_mesh(args, &ground),
        relief => write(args, &relief),
    }
}

/// The terrain in memory, from heights, a mesh or tiles.
fn held(args: &ConvertArgs) -> Result<Relief, Failure> {
    if let Some(ground) = of_mesh(args)? {
        return Ok(Relief::Held(ground, None));
    }
    if args.join {
        return Ok(Relief::Held(tiles::join(&args.input, &args.reading())?, None));
    }
    let read = heightmap::read_keeping(&args.input, &args.reading(), keeps_holes(args))?;
    read.tell();
    Ok(Relief::Held(read.imported.field, Some(read.imported.info)))
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

/// Writes the terrain, or the tiles of it.
fn write(args: &ConvertArgs, relief: &Relief) -> Result<(), Failure> {
    relief.tell(&args.output);
    let mut how = WriteOptions { height_range: args.output_heights, ..WriteOptions::default() };
    let Some(count) = args.tiles else {
        relief.write(relief.whole(), &args.output, &how)?;
        say!("{}", args.output.display());
        return Ok(());
    };
    let all = tiles::windows(relief.size(), count)?;
    // One range for all, or seams would show.
    let [low, high] = args.output_heights.unwrap_or_else(|| relief.range());
    how.height_range = Some([low, high]);
    for ([col, row], window) in &all {
        let path = tiles::tile_path(&args.output, *col, *row);
        relief.write(*window, &path, &how)?;
        say!("{}", path.display());
    }
    let [low, high] = [low, high].map(|height| fixed(height, 2));
    let Window { cols, rows, .. } = all[0].1;
    say!("{} tiles of {cols} x {rows} cells share their edges and the range {low} to {high} m", all.len());
    Ok(())
}

/// A large file that can be written row by row; none if it is small, or all of it has to be there.
fn streamed(args: &ConvertArgs) -> Result<Option<Streamed>, Failure> {
    let to_mesh = MESHES.iter().any(|mesh| args.output.extension().is_some_and(|ending| ending == *mesh));
    if to_mesh || args.join || Kind::of(&args.input) != Some(Kind::Heightmap) {
        return Ok(None);
    }
    let mut options = options(&args.source);
    options.height_range = args.input_heights;
    let unlimited = ReadOptions { max_bytes: u64::MAX, ..options.clone() };
    let size = thalweg::io::estimate(&args.input, &unlimited).map_err(Failure::usage)?;
    let size = [size.cols, size.rows];
    if (size[0] as u64) * (size[1] as u64) < LARGE {
        return Ok(None);
    }
    let wanted = match args.target {
        // What it refuses may be of another size once it is laid out in metres.
        Some(program) => Target::of(program).size(args, size).ok(),
        None => Some(args.size.unwrap_or(size)),
    };
    if wanted != Some(size) {
        return Ok(None);
    }
    let look = |options: &ReadOptions| survey(&args.input, options).map_err(Failure::usage);
    let Some(mut surveyed) = look(&options)? else { return Ok(None) };
    let before = options.clone();
    let found = Found {
        cells: surveyed.cols.max(surveyed.rows),
        cell: surveyed.frame.cell,
        heights: [surveyed.range.0.into(), surveyed.range.1.into()],
    };
    let assumed = assume(&args.input, &mut options, &surveyed.notices, &found);
    if before.height_range != options.height_range
        && let Some(again) = look(&options)?
    {
        surveyed = again;
    }
    if let Some(cell) = options.cell {
        surveyed.frame.cell = cell;
    }
    // Holes are filled from their surroundings, for which all must be there.
    if surveyed.holes > 0 && !keeps_holes(args) {
        return Ok(None);
    }
    let remarks = remarks(&args.input, &surveyed.notices);
    assumed.iter().chain(&remarks).for_each(|note| remark!("note: {note}"));
    if surveyed.holes > 0 {
        let total = surveyed.cols * surveyed.rows;
        remark!("note: {} of {total} cells have no height and stay so", surveyed.holes);
    }
    Ok(Some(Streamed { from: args.input.clone(), options, surveyed }))
}
