//! `thalweg new`: a folder with a scene to edit.

use super::memory_limit;
use crate::Failure;
use crate::args::{NewArgs, Reading};
use crate::print::fixed;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use thalweg::field::Heightfield;
use thalweg::io::{Imported, Notice, ReadOptions, WriteOptions, read_heightfield, write_heightfield};
use thalweg::project::{BuiltIn, Project, Terrain, built_in_scenes, json_schema, nearest, write_all_new};
use thalweg::run::shell_word;
use thalweg::{Session, SetupError};

/// `thalweg new`
pub(crate) fn new(args: &NewArgs) -> Result<(), Failure> {
    let base = args.from.as_deref().map(built_in).transpose()?;
    let written = match (&args.terrain, base) {
        (Some(file), base) => around(file, base, args)?,
        (None, Some(base)) => {
            refuse_reading(&args.reading)?;
            let others = base.files.iter().map(|(name, content)| ((*name).to_owned(), content.to_vec()));
            write(&args.dir, base.text, others.collect())?
        }
        (None, None) => return Err(Failure::usage("give --terrain FILE, --from NAME, or both")),
    };
    for file in &written {
        say!("{}", file.display());
    }
    say!("run it with: thalweg run {}", shell_word(&args.dir.to_string_lossy()));
    Ok(())
}

fn built_in(name: &str) -> Result<&'static BuiltIn, Failure> {
    BuiltIn::named(name).ok_or_else(|| {
        let near = nearest(name, built_in_scenes().iter().map(|scene| scene.name));
        let hint = near.map_or(String::new(), |near| format!(" (did you mean \"{near}\"?)"));
        Failure::usage(format!("there is no built-in scene \"{name}\"{hint}; `thalweg scenes` lists them"))
    })
}

/// The file that describes scenes to editors, beside the scene.
const SCHEMA: &str = "scene.schema.json";

/// Writes a scene and the files it reads to a folder, and what an editor needs to complete and check it.
fn write(dir: &Path, scene: &str, others: Vec<(String, Vec<u8>)>) -> Result<Vec<PathBuf>, Failure> {
    let scene = format!("#:schema ./{SCHEMA}\n{scene}");
    let mut files = vec![("scene.toml".to_owned(), scene.into_bytes())];
    files.extend(others);
    // Another scene may have brought it along.
    if !dir.join(SCHEMA).exists() {
        let schema = serde_json::to_string_pretty(&json_schema()).map_err(Failure::run)? + "\n";
        files.push((SCHEMA.into(), schema.into_bytes()));
    }
    let files: Vec<_> = files.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect();
    write_all_new(dir, &files).map_err(|error| refused(dir, error))
}

/// A scene that is copied as it is reads no file of the user's.
fn refuse_reading(reading: &Reading) -> Result<(), Failure> {
    let Reading { metres_per_pixel, height_range, raw_size, big_endian, utm, max_memory: _ } = reading;
    if metres_per_pixel.is_some() || height_range.is_some() || raw_size.is_some() || *big_endian || *utm {
        let options = "--metres-per-pixel, --height-range, --raw-size, --big-endian and --utm";
        return Err(Failure::usage(format!(
            "{options} say how to read the file of --terrain, and there is none"
        )));
    }
    Ok(())
}

fn refused(dir: &Path, error: std::io::Error) -> Failure {
    match error.kind() {
        ErrorKind::AlreadyExists if dir.is_dir() => {
            Failure::usage(format!("{error}, and nothing is overwritten; choose another folder"))
        }
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            Failure::usage(format!("{}: there is a file in the way; choose another folder", dir.display()))
        }
        _ => Failure::run(format!("{}: cannot be written: {error}", dir.display())),
    }
}

/// A heightmap and what a scene says about it.
struct Ground {
    /// Name of the file in the scene's folder.
    name: String,
    field: Heightfield,
    /// Heights of black and white, where the scene has to say them `[m]`.
    height_range: Option<[f64; 2]>,
    /// Whether the scene gets a file of metres, because it cannot say how to read the numbers of this one.
    converted: bool,
}

/// Makes a scene around a heightmap and returns what was written.
fn around(file: &Path, base: Option<&BuiltIn>, args: &NewArgs) -> Result<Vec<PathBuf>, Failure> {
    let (dir, limit) = (&args.dir, memory_limit(args.reading.max_memory));
    let ground = read(file, &args.reading, limit)?;
    let text = match base {
        Some(base) => with_terrain(base.text, &terrain_section(&ground)),
        None => scene_text(&ground),
    };
    // Whether it can be run, before anything is written into the folder.
    let can_run = |folder: &Path| -> Result<(), Failure> {
        let mut project = Project::from_text(&text, "scene.toml", folder, &[])?;
        // A link to a heightmap is as good as the heightmap: it is copied.
        project.allow_outside = true;
        let wrong = |error: SetupError| {
            // There is no such file yet that could be mended.
            let words =
                |text: &str| text.replacen("scene.toml", &format!("the scene for {}", ground.name), 1);
            Failure::from(error).reworded(words)
        };
        Session::new(&project, limit).map(drop).map_err(wrong)
    };
    let mut files = Vec::new();
    if ground.converted {
        let aside = tempfile::tempdir().map_err(Failure::run)?;
        let heights = aside.path().join(&ground.name);
        write_heightfield(&heights, &ground.field, &WriteOptions::default()).map_err(Failure::run)?;
        can_run(aside.path())?;
        files.push((ground.name.clone(), std::fs::read(&heights).map_err(Failure::run)?));
    } else {
        can_run(file.parent().unwrap_or(Path::new("")))?;
        files.extend(copies(file, dir)?);
    }
    write(dir, &text, files)
}

/// The heightmap and the description beside it, by name, unless they are in the folder already.
fn copies(file: &Path, dir: &Path) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut copies = Vec::new();
    for from in [file.to_path_buf(), file.with_extension("thalweg.json")] {
        let name = from.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let there = dir.join(&name).canonicalize();
        if !from.is_file() || there.is_ok_and(|to| from.canonicalize().is_ok_and(|from| from == to)) {
            continue;
        }
        let unreadable = |error| Failure::usage(format!("{}: cannot be read: {error}", from.display()));
        copies.push((name, std::fs::read(&from).map_err(unreadable)?));
    }
    Ok(copies)
}

/// Steepest and flattest terrain whose numbers are taken for metres: height over width `[-]`. Mountains reach 0.3; the
/// numbers of a file that nobody explained are either the metres themselves or codes for them.
const LIKELY: std::ops::RangeInclusive<f64> = 0.001..=0.5;

/// Height of a terrain over its width, where nothing is known about it `[-]`: mountains, but no needles.
const USUAL: f64 = 0.125;

/// Reads a heightmap and says what had to be assumed.
fn read(file: &Path, reading: &Reading, max_bytes: u64) -> Result<Ground, Failure> {
    let mut options = ReadOptions {
        cell: reading.metres_per_pixel,
        height_range: reading.height_range,
        size: reading.raw_size,
        big_endian: reading.big_endian,
        utm: reading.utm,
        max_bytes,
    };
    let import = |options: &ReadOptions| read_heightfield(file, options).map_err(Failure::usage);
    let mut imported = import(&options)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_unknown = |notice: &Notice| matches!(notice, Notice::CellUnknown { .. });
    if imported.notices.iter().any(is_unknown) {
        imported.field.frame.cell = Terrain::CELL;
        options.cell = Some(Terrain::CELL);
        remark!(
            "note: {name} does not say how large a pixel is: {} m assumed; --metres-per-pixel changes it",
            Terrain::CELL
        );
    }
    if imported.notices.contains(&Notice::TakenAsMetres) {
        let [low, high] = range(&imported);
        let width = imported.field.extent()[0].max(imported.field.extent()[1]);
        if high > low && !LIKELY.contains(&((high - low) / width)) {
            let top = round(USUAL * width);
            options.height_range = Some([0.0, top]);
            imported = import(&options)?;
            remark!(
                "note: {name} does not say how high it is: 0 m assumed for black and {top} m for white; \
                 --height-range changes it"
            );
        } else {
            remark!(
                "note: {name} does not say how high it is: its numbers are taken as metres, {} to {} m; \
                 --height-range changes it",
                fixed(low, 1),
                fixed(high, 1)
            );
        }
    }
    let told = |notice: &&Notice| !is_unknown(notice) && **notice != Notice::TakenAsMetres;
    imported.notices.iter().filter(told).for_each(|notice| remark!("note: {name}: {notice}"));
    let converted = reading.raw_size.is_some() || reading.big_endian || reading.utm;
    Ok(Ground {
        name: if converted { Path::new(&name).with_extension("exr").to_string_lossy().into() } else { name },
        field: imported.field,
        height_range: options.height_range.filter(|_| !converted),
        converted,
    })
}

fn range(imported: &Imported) -> [f64; 2] {
    imported.field.height.range().map_or([0.0; 2], |(low, high)| [low.into(), high.into()])
}

/// The nearest of 1, 2, 5, 10, 20, ...
fn round(number: f64) -> f64 {
    let ten = 10_f64.powf(number.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * ten);
    let off = |step: &f64| (step / number).ln().abs();
    steps.into_iter().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(ten)
}

/// `[terrain]` of a heightmap.
fn terrain_section(ground: &Ground) -> String {
    let cell = format!("cell = \"{} m\"", ground.field.frame.cell);
    let heights = match ground.height_range {
        Some([low, high]) => {
            format!("{:<37}# of black and of white", format!("height_range = [\"{low} m\", \"{high} m\"]"))
        }
        None => {
            let (low, high) = ground.field.height.range().unwrap_or_default();
            format!(
                "# heights are {} to {} m; height_range = [\"LOW m\", \"HIGH m\"] says what black and white are instead",
                fixed(low.into(), 1),
                fixed(high.into(), 1)
            )
        }
    };
    let file = quoted(&ground.name);
    format!("[terrain]\nfile = {file}\n{cell:<37}# side of a pixel on the ground\n{heights}\n")
}

/// Text as TOML has it, which is as JSON has it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The text of a scene on another terrain.
fn with_terrain(text: &str, terrain: &str) -> String {
    let (mut whole, mut ours, mut placed) = (String::new(), true, false);
    for line in text.lines() {
        if let Some(section) = line.strip_prefix('[') {
            ours =
                !["terrain]", "terrain."].iter().any(|own| section.trim_start_matches('[').starts_with(own));
            if !std::mem::replace(&mut placed, true) {
                whole += &format!("{terrain}\n");
            }
        }
        if ours {
            whole += &format!("{line}\n");
        }
    }
    whole
}

/// Passes over coarser terrain: how many cells make one, and steps. The finest that is left out begins with its
/// valleys already there.
const PASSES: [(usize, u64); 3] = [(8, 2000), (4, 1500), (2, 800)];
/// Fewest cells along the shorter side of a coarse pass.
const FEWEST: usize = 64;

/// A scene for a terrain of which nothing else is known: rain on all of it, from coarse to fine.
fn scene_text(ground: &Ground) -> String {
    let shorter = ground.field.height.cols().min(ground.field.height.rows());
    let passes: Vec<_> = PASSES.into_iter().filter(|(factor, _)| shorter / factor >= FEWEST).collect();
    let steps = if passes.is_empty() { 2000 } else { 400 };
    let coarse: String = passes
        .iter()
        .map(|(factor, steps)| {
            format!("\n[[time.coarse]]\nfactor = {factor}\nsteps = {steps}\ndetail = 0.7\n")
        })
        .collect();
    format!(
        r#"# Rain on a heightmap. `thalweg check FOLDER` checks this scene, `thalweg run FOLDER` runs it.
# Every key: docs/guide/scene-file.md. What to turn for which look: docs/guide/recipes.md.
version = 1
title = {title}
seed = 1                             # only rain that falls in drops depends on it

# Water sees slopes, which are heights over distances: these two numbers matter more than all others.
{terrain}
# How water works on the ground. Twice the capacity cuts twice as deep; a smaller repose makes gentler slopes.
[solver]
preset = "thalweg"
capacity = 150
repose = "40 deg"

# Water leaves over an open edge; a "closed" one holds it back. For a sea: south = {{ level = "0 m" }}.
[edges]
north = "open"
east = "open"
south = "open"
west = "open"

[[rain]]
rate = "60 mm/h"
# mask = "rain.png"                  # an image beside this file: black stays dry, white gets all of it

# More steps, more erosion. Coarse passes lay out large valleys, finer ones add gullies; detail is the share of the
# heightmap's own bumps that comes back after a pass.
[time]
steps = {steps}
{coarse}"#,
        title = quoted(&format!("Rain on {}", ground.name)),
        terrain = terrain_section(ground),
    )
}
