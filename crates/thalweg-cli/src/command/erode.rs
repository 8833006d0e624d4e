//! `thalweg erode`: one command for somebody's own heightmap.

use super::heightmap::{self, Ground, Image, range, round};
use super::memory_limit;
use super::new::Folder;
use super::own_scene::{self, Overview, REPOSE, SIDES, Wish, mean_work};
use super::simulate::{go, set_threads, stopped, tell};
use crate::Failure;
use crate::args::{ErodeArgs, Limits, Place};
use crate::print::{answer, fixed};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use thalweg::field::Heightfield;
use thalweg::io::{ReadOptions, read_heightfield};
use thalweg::project::Project;
use thalweg::run::{Earlier, Outcome, Report, RunOptions, admit, shell_word};
use thalweg::terrain::analysis::{Drainage, pit_fraction, share_steeper, slope};

/// Folder of the scene and what it reads, in the output folder. Runs keep copies of what they read there too.
const INPUTS: &str = "inputs";

/// `thalweg erode`
pub(crate) fn erode(args: &ErodeArgs) -> Result<(), Failure> {
    let limit = memory_limit(args.reading.source.max_memory);
    let stem = args.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let out = args.out.clone().unwrap_or_else(|| Path::new("out").join(&stem));
    let options = RunOptions { out: out.clone(), earlier: Earlier::Refuse, max_bytes: limit };
    // Before anything is worked out: nothing of the scene is known yet, but the folder is.
    admit(&Project::from_text("version = 1", &stem, Path::new(""), &[])?, &options)?;
    set_threads(args.threads)?;
    let read = heightmap::read(&args.file, &args.reading)?;
    let (assumed, remarks) = (read.assumed.clone(), read.remarks.clone());
    let ground = Ground::new(&args.file, &args.reading, read);
    let (wish, overview) = (wish(args, &ground, limit)?, Overview::of(&ground.field));
    if overview.relief <= 0.0 {
        return Err(Failure::usage(format!("{}: the ground is level, water finds no slope", ground.name)));
    }
    let warnings = warnings(&ground.field, &wish);
    if !args.quiet {
        // The run tells the file's own remarks, unless it reads another one.
        let told = remarks.iter().filter(|_| ground.converted);
        assumed.iter().chain(told).chain(&warnings).for_each(|note| remark!("note: {note}"));
    }
    let scene = own_scene::write(&ground, &wish, &overview, limit)?;
    // What --set says is checked before anything is written.
    Project::from_text(&scene.text, &stem, Path::new(""), &args.set)?;
    let dir = out.join(INPUTS);
    Folder { dir: &dir, file: &args.file, ground: &ground, text: &scene.text, wish: &wish }.write(limit)?;
    let mut project = Project::open(&dir.to_string_lossy(), &args.set)?;
    project.name = stem;
    let limits = Limits { threads: None, max_memory: args.reading.source.max_memory, quiet: args.quiet };
    let outcome = go(&project, &options, None, &limits)?;
    let Outcome::Finished(report) = outcome else {
        stopped(&outcome, &out, args.json);
        return Ok(());
    };
    let asked = wish.years.is_none().then(|| wish.strength.share() * overview.relief);
    let work =
        Work { asked, done: done(&ground.field, &out, limit)?, years: scene.years, relief: overview.relief };
    let notes = [assumed, remarks, warnings].concat();
    if args.json {
        answer(&with_work(&report, &work, &notes, &dir));
    } else if !args.quiet {
        tell(&report, &out);
        work.tell();
        say!("the scene, to edit: {}", dir.join("scene.toml").display());
        say!("run it again with: thalweg run {} -o NEW_FOLDER", shell_word(&dir.to_string_lossy()));
        say!("\nLook at {} first.", out.join("pictures/before_after.png").display());
    }
    Ok(())
}

/// What is asked for on the command line.
fn wish(args: &ErodeArgs, ground: &Ground, limit: u64) -> Result<Wish, Failure> {
    let image = |file: &Option<PathBuf>, taken: &[&str], other: &str| {
        file.as_ref().map(|file| Image::read(file, taken, other, limit)).transpose()
    };
    let mask = image(&args.mask, &[&ground.name], "rain")?;
    let taken: Vec<_> =
        std::iter::once(ground.name.as_str()).chain(mask.iter().map(|mask| &*mask.name)).collect();
    let hardness = image(&args.hardness, &taken, "hardness")?;
    let rivers = args.river.iter().map(|place| place.on(&ground.field)).collect::<Result<_, _>>()?;
    let closed: Vec<_> = SIDES
        .into_iter()
        .zip(0..)
        .filter(|(_, i)| args.closed.iter().any(|side| *side as usize == *i))
        .map(|(side, _)| side)
        .collect();
    if closed.len() == SIDES.len() {
        return Err(Failure::usage(
            "--closed: rivers need a way out; leave one of north, east, south and west open",
        ));
    }
    let (strength, years, seed) = (args.strength, args.years, args.seed);
    Ok(Wish { strength, years, mask, hardness, rivers, closed, seed })
}

impl Place {
    /// East and north of the south-west corner `[m]`.
    fn on(self, field: &Heightfield) -> Result<[f64; 2], Failure> {
        let [east, north] = field.extent();
        let cell = field.frame.cell;
        let [x, y] = match self {
            Self::Metres(place) => place,
            Self::Pixels([col, row]) => [(col + 0.5) * cell, north - (row + 0.5) * cell],
        };
        if (0.0..=east).contains(&x) && (0.0..=north).contains(&y) {
            return Ok([x, y]);
        }
        let (cols, rows) = (field.height.cols(), field.height.rows());
        Err(Failure::usage(format!(
            "--river is {} m east and {} m north of the south-west corner, beyond the terrain: it has {} by {} m, or \
             {cols} by {rows} pixels, written 120px,80px",
            fixed(x, 1),
            fixed(y, 1),
            fixed(east, 0),
            fixed(north, 0)
        )))
    }
}

/// Share of the ground that may be steeper than repose, and lie in hollows, without a word `[-]`.
const STEEP: f64 = 0.15;
const HOLLOW: f64 = 0.3;
/// Slope that steep ground could be meant to have `[deg]`.
const MEANT: f64 = 30.0;

/// What is likely not to be as it was meant.
fn warnings(field: &Heightfield, wish: &Wish) -> Vec<String> {
    let mut found = Vec::new();
    let slopes = slope(field);
    let steep = share_steeper(&slopes, REPOSE.to_radians() as f32).unwrap_or(0.0);
    if steep > STEEP {
        let mean = slopes.values().iter().map(|slope| f64::from(slope.tan())).sum::<f64>()
            / slopes.len().max(1) as f64;
        let times = mean / MEANT.to_radians().tan();
        let ([low, high], cell) = (range(field), field.frame.cell);
        let steepest = slopes.range().map_or(0.0, |(_, steepest)| f64::from(steepest).to_degrees());
        found.push(format!(
            "{} % of the ground is steeper than {REPOSE}°, which loose ground does not hold (steepest {}°). It is taken for rock \
             that does. If that is not meant, cells are larger than {cell} m (try --cell {}) or heights less than {} to {} m \
             (try --heights {}..{})",
            fixed(100.0 * steep, 0),
            fixed(steepest, 0),
            round(cell * times),
            fixed(low, 0),
            fixed(high, 0),
            fixed(low, 0),
            fixed(low + (high - low) / times, 0),
        ));
    }
    if !wish.closed.is_empty() {
        let open: Vec<_> = SIDES.into_iter().filter(|side| !wish.closed.contains(side)).collect();
        found.push(format!(
            "closed edges ({}) hold water back, and it ponds there; it leaves over {} alone",
            wish.closed.join(", "),
            open.join(", ")
        ));
    }
    let hollow = pit_fraction(&field.height, &Drainage::of(field).filled).unwrap_or(0.0);
    if hollow > HOLLOW {
        found.push(format!(
            "{} % of the ground lies in hollows that no water leaves; they become lakes and plains",
            fixed(100.0 * hollow, 0)
        ));
    }
    found
}

/// How much was done to the ground.
struct Work {
    /// Mean work that was asked for `[m]`.
    asked: Option<f64>,
    /// Mean work that was done `[m]`.
    done: f64,
    /// Geological time `[yr]`.
    years: f64,
    /// Highest over lowest ground `[m]`.
    relief: f64,
}

impl Work {
    fn tell(&self) {
        let share = fixed(100.0 * self.done / self.relief, 1);
        let asked =
            self.asked.map_or(String::new(), |asked| format!(", {} m were asked for", fixed(asked, 1)));
        say!(
            "heights changed by {} m on average, {share} % of the relief{asked}, in {} years",
            fixed(self.done, 1),
            self.years
        );
    }
}

/// Mean work that a run did `[m]`.
fn done(before: &Heightfield, out: &Path, max_bytes: u64) -> Result<f64, Failure> {
    let options = ReadOptions { max_bytes, ..ReadOptions::default() };
    let after = read_heightfield(&out.join("height.exr"), &options).map_err(Failure::run)?;
    Ok(mean_work(before, &after.field))
}

/// The report of the run, and beside it what was done to the heightmap.
fn with_work(report: &Report, work: &Work, notes: &[String], dir: &Path) -> Value {
    let mut all = serde_json::to_value(report).unwrap_or_default();
    all["erode"] = json!({
        "work_m": work.done, "asked_m": work.asked, "relief_m": work.relief, "years": work.years,
        "scene": dir.join("scene.toml"), "notes": notes,
    });
    all
}
