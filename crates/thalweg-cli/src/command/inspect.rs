//! Commands that need no scene: they list, make, convert and validate.

use super::{heightmap, memory_limit, volume, within_memory};
use crate::Failure;
use crate::args::{CasesArgs, GenerateArgs, JsonArgs, Reading};
use crate::print::{answer, fixed};
use serde_json::json;
use std::path::Path;
use thalweg::field::Heightfield;
use thalweg::io::{WriteOptions, write_heightfield};
use thalweg::project::{built_in_scenes, nearest};
use thalweg::terrain::volume::volume_kinds;
use thalweg::terrain::{Recipe, kinds};

/// Cells along each side of a terrain where nothing else is said.
const SIZE: usize = 1024;

/// Memory for each cell while a terrain is made or resampled `[bytes]`.
pub(super) const GENERATING: u64 = 24;

/// `thalweg scenes`
pub(crate) fn scenes(args: &JsonArgs) -> Result<(), Failure> {
    if args.json {
        let scenes =
            built_in_scenes().iter().map(|scene| json!({ "name": scene.name, "title": scene.title() }));
        answer(&json!({ "scenes": scenes.collect::<Vec<_>>() }));
    } else {
        for scene in built_in_scenes() {
            say!("{:<15} {}", scene.name, scene.title());
        }
    }
    Ok(())
}

/// `thalweg generate`
pub(crate) fn generate(args: &GenerateArgs) -> Result<(), Failure> {
    let Some(output) = args.output.as_ref().filter(|_| !args.list) else {
        for (name, about) in kinds().iter().chain(volume_kinds()) {
            say!("{name:<16} {about}");
        }
        return Ok(());
    };
    if !(args.cell.is_finite() && args.cell > 0.0) {
        return Err(Failure::usage(format!(
            "--cell is {}; a cell's side must be positive, such as 10",
            args.cell
        )));
    }
    if volume::generate(args, output)? {
        return Ok(());
    }
    let [cols, rows] = args.size.unwrap_or([SIZE; 2]);
    let recipe = Recipe::named(&args.kind, cols.max(rows) as f64 * args.cell).ok_or_else(|| {
        let near = nearest(&args.kind, kinds().iter().chain(volume_kinds()).map(|(name, _)| *name));
        let hint = near.map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
        Failure::usage(format!(
            "there is no kind of terrain \"{}\"{hint} (`thalweg generate --list` shows them)",
            args.kind
        ))
    })?;
    let what = format!("{cols} by {rows} cells");
    let need = cols as u64 * rows as u64 * GENERATING;
    within_memory(&what, need, memory_limit(args.max_memory), "use a smaller --size")?;
    let ground = recipe.build(cols, rows, args.cell, args.seed);
    write_heightfield(output, &ground, &WriteOptions::default()).map_err(Failure::run)?;
    let (low, high) = ground.height.range().unwrap_or((0.0, 0.0));
    let [low, high] = [low, high].map(|height| fixed(height.into(), 1));
    say!("{}: {cols} x {rows} cells of {} m, {low} to {high} m", output.display(), args.cell);
    Ok(())
}

/// Reads a terrain and says what had to be assumed.
pub(super) fn read(path: &Path, reading: &Reading) -> Result<Heightfield, Failure> {
    let read = heightmap::read(path, reading)?;
    read.tell();
    Ok(read.imported.field)
}

/// `thalweg validate`
pub(crate) fn validate(args: &CasesArgs) -> Result<(), Failure> {
    let cases = thalweg_validate::select(&args.cases).map_err(Failure::usage)?;
    let mut all = Vec::new();
    for case in cases {
        let checks = case.run();
        if !args.json {
            say!("{}: {}", case.name, case.about);
            for check in &checks {
                let verdict = if check.pass { "ok  " } else { "FAIL" };
                say!(
                    "  {verdict} {:<46} measured {:>12.6e}  expected {:>12.6e} ± {:.1e} {}  [{}]",
                    check.quantity,
                    check.measured,
                    check.expected,
                    check.tolerance,
                    check.unit,
                    check.source
                );
            }
        }
        all.extend(checks);
    }
    let failed = all.iter().filter(|check| !check.pass).count();
    if args.json {
        answer(&json!({ "cases": all }));
    } else {
        say!("{} of {} within tolerance", all.len() - failed, all.len());
    }
    if failed == 0 {
        return Ok(());
    }
    // With --json the cases tell it.
    Err(Failure::run(format!("{failed} comparisons are out of tolerance")).answered())
}
