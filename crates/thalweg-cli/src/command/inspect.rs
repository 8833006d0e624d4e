//! Commands that make, show or check things without running a scene.

use super::{memory_limit, within_memory};
use crate::Failure;
use crate::args::{CasesArgs, CheckArgs, ConvertArgs, GenerateArgs, InfoArgs, JsonArgs, NewArgs, Reading};
use serde_json::json;
use std::io::ErrorKind;
use std::path::Path;
use thalweg::field::{Frame, Heightfield};
use thalweg::io::checkpoint::Checkpoint;
use thalweg::io::{ReadOptions, WriteOptions, read_heightfield, write_heightfield};
use thalweg::project::{BuiltIn, Project, Solver, SolverKind, built_in_scenes, nearest};
use thalweg::terrain::analysis::{Measures, Statistics};
use thalweg::terrain::{Recipe, kinds, resample};
use thalweg::{State, validate};

/// Memory for each cell while a terrain is made or resampled [bytes].
const GENERATING: u64 = 24;

/// `thalweg scenes`
pub fn scenes(args: &JsonArgs) -> Result<(), Failure> {
    if args.json {
        let scenes =
            built_in_scenes().iter().map(|scene| json!({ "name": scene.name, "title": scene.title() }));
        say!("{}", json!({ "scenes": scenes.collect::<Vec<_>>() }));
    } else {
        for scene in built_in_scenes() {
            say!("{:<15} {}", scene.name, scene.title());
        }
    }
    Ok(())
}

/// `thalweg new`
pub fn new(args: &NewArgs) -> Result<(), Failure> {
    let scene = BuiltIn::named(&args.from).ok_or_else(|| {
        let near = nearest(&args.from, built_in_scenes().iter().map(|scene| scene.name));
        let hint = near.map_or(String::new(), |near| format!(" (did you mean \"{near}\"?)"));
        Failure::usage(format!(
            "there is no built-in scene \"{}\"{hint}; `thalweg scenes` lists them",
            args.from
        ))
    })?;
    let refused = |error: std::io::Error| {
        let dir = args.dir.display();
        match error.kind() {
            ErrorKind::AlreadyExists if args.dir.is_dir() => {
                Failure::usage(format!("{error}, and nothing is overwritten; choose another folder"))
            }
            ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
                Failure::usage(format!("{dir}: there is a file in the way; choose another folder"))
            }
            _ => Failure::run(format!("{dir}: cannot be written: {error}")),
        }
    };
    let written = scene.copy_to(&args.dir).map_err(refused)?;
    for file in &written {
        say!("{}", file.display());
    }
    say!("run it with: thalweg run {}", args.dir.display());
    Ok(())
}

/// `thalweg generate`
pub fn generate(args: &GenerateArgs) -> Result<(), Failure> {
    let Some(output) = args.output.as_ref().filter(|_| !args.list) else {
        for (name, about) in kinds() {
            say!("{name:<10} {about}");
        }
        return Ok(());
    };
    let [cols, rows] = args.size;
    if !(args.cell.is_finite() && args.cell > 0.0) {
        return Err(Failure::usage(format!(
            "--cell is {}; a cell's side must be positive, such as 10",
            args.cell
        )));
    }
    let recipe = Recipe::named(&args.kind, cols.max(rows) as f64 * args.cell).ok_or_else(|| {
        let near = nearest(&args.kind, kinds().iter().map(|(name, _)| *name));
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
    say!("{}: {cols} x {rows} cells of {} m, {low:.1} to {high:.1} m", output.display(), args.cell);
    Ok(())
}

/// Reads a terrain and says what had to be assumed.
pub fn read(path: &Path, reading: &Reading) -> Result<Heightfield, Failure> {
    let options = ReadOptions {
        cell: reading.metres_per_pixel,
        height_range: reading.height_range,
        size: reading.raw_size,
        big_endian: reading.big_endian,
        max_bytes: memory_limit(reading.max_memory),
    };
    let imported = read_heightfield(path, &options).map_err(Failure::usage)?;
    for notice in &imported.notices {
        remark!("note: {notice}");
    }
    Ok(imported.field)
}

/// `thalweg info`
pub fn info(args: &InfoArgs) -> Result<(), Failure> {
    let path = Path::new(&args.file);
    let extension = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
    let is = |name: &str| extension.as_deref() == Some(name.as_ref());
    if is("twc") {
        info_checkpoint(path, args)
    } else if path.join("report.json").is_file() {
        info_run(path, args)
    } else if is("toml") || path.is_dir() || !path.exists() && extension.is_none() {
        info_scene(args)
    } else {
        let ground = read(path, &args.reading)?;
        let statistics = Statistics::of(&ground, &Measures::default());
        if args.json {
            let Frame { cell, origin, crs } = &ground.frame;
            let frame = json!({ "cell": cell, "origin": origin, "crs": crs });
            say!("{}", json!({ "kind": "terrain", "frame": frame, "statistics": statistics }));
        } else {
            describe(&ground, &statistics);
        }
        Ok(())
    }
}

fn info_checkpoint(path: &Path, args: &InfoArgs) -> Result<(), Failure> {
    let limit = memory_limit(args.reading.max_memory);
    let Checkpoint { header, sections } = Checkpoint::read(path, limit).map_err(Failure::usage)?;
    let names: Vec<_> = sections.iter().map(|(name, _)| name.as_str()).collect();
    if args.json {
        say!("{}", json!({ "kind": "checkpoint", "header": header, "sections": names }));
        return Ok(());
    }
    let text = |key: &str| header[key].as_str().unwrap_or("-").to_owned();
    say!("checkpoint      scene {}, written by thalweg {}", text("scene"), text("thalweg"));
    say!(
        "step            {}, {:.1} s simulated",
        header["step"],
        header["time"].as_f64().unwrap_or(f64::NAN)
    );
    say!("size            {} x {} cells", header["size"][0], header["size"][1]);
    if let Some(particles) = header["particles"].as_u64() {
        say!("particles       {particles}");
    }
    say!("sections        {}; all checksums are right", names.join(", "));
    Ok(())
}

fn info_run(path: &Path, args: &InfoArgs) -> Result<(), Failure> {
    let file = path.join("report.json");
    let wrong = |error: String| Failure::usage(format!("{}: cannot be read: {error}", file.display()));
    let text = std::fs::read_to_string(&file).map_err(|error| wrong(error.to_string()))?;
    let report: serde_json::Value = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if args.json {
        say!("{}", json!({ "kind": "run", "report": report }));
        return Ok(());
    }
    let text = |key: &str| report[key].as_str().unwrap_or("-").to_owned();
    let number = |value: &serde_json::Value| value.as_f64().unwrap_or(f64::NAN);
    say!("run             scene {}, seed {}, by thalweg {}", text("scene"), report["seed"], text("thalweg"));
    say!(
        "steps           {}, {:.1} s simulated in {:.1} s",
        report["steps"],
        number(&report["simulated_s"]),
        number(&report["wall_s"])
    );
    let ledger = &report["ledger"];
    let (water, ground) = (number(&ledger["water"]["imbalance_rel"]), number(&ledger["imbalance_rel"]));
    say!("missing         water {water:.1e}, ground {ground:.1e} of what moved");
    for file in report["files"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_str) {
        say!("file            {}", path.join(file).display());
    }
    Ok(())
}

fn info_scene(args: &InfoArgs) -> Result<(), Failure> {
    let project = Project::open(&args.file, &[]).map_err(Failure::usage)?;
    let scene = &project.scene;
    if args.json {
        say!("{}", json!({ "kind": "scene", "name": project.name, "scene": scene }));
        return Ok(());
    }
    say!("scene           {}: {}", project.name, scene.title);
    let size =
        scene.terrain.size.map_or("its own size".into(), |[cols, rows]| format!("{cols} x {rows} cells"));
    let cell = scene.terrain.cell.map_or(String::new(), |cell| format!(" of {cell} m"));
    let from = scene.terrain.file.as_ref().map_or("made from layers".into(), |file| format!("from {file}"));
    say!("terrain         {size}{cell}, {from}");
    let Solver { preset, backend, .. } = &scene.solver;
    say!("solver          {}, preset {preset}, on {}", scene.solver.kind().name(), backend.resolved());
    let standing = scene.water.len();
    match scene.solver.kind() {
        SolverKind::Pipes => say!(
            "water           {standing} standing, {} rains, {} sources, {} drains",
            scene.rain.len(),
            scene.sources.len(),
            scene.drains.len()
        ),
        SolverKind::Sph => say!(
            "water           {standing} standing, {} emitters, {} sinks",
            scene.emitters.len(),
            scene.sinks.len()
        ),
    }
    for coarse in &scene.time.coarse {
        say!("coarse pass     {} steps on cells {} times as wide", coarse.steps, coarse.factor);
    }
    let until = scene.time.duration.map_or(String::new(), |duration| format!(", or {duration} s simulated"));
    say!("steps           {}{until}", scene.time.steps);
    Ok(())
}

fn describe(ground: &Heightfield, s: &Statistics) {
    let number =
        |value: Option<f64>, decimals: usize| value.map_or("-".into(), |v| format!("{v:.decimals$}"));
    let [east, north] = ground.extent();
    say!("size            {} x {} cells, {east:.0} x {north:.0} m", s.cols, s.rows);
    say!("cell            {} m", s.cell);
    if let Some(crs) = &ground.frame.crs {
        say!("place           {:?} in {crs}", ground.frame.origin);
    }
    say!("heights         {} to {} m, mean {}", number(s.min, 2), number(s.max, 2), number(s.mean, 2));
    say!(
        "slope           mean {}, 95 % below {}, steepest {} degrees",
        number(s.slope_mean_deg, 1),
        number(s.slope_p95_deg, 1),
        number(s.slope_max_deg, 1)
    );
    say!("in pits         {} % of the cells", number(s.pit_fraction.map(|p| p * 100.0), 2));
    say!("hypsometric     {}", number(s.hypsometric_integral, 3));
    say!(
        "channels        {} per km, Hack exponent {}, concavity {}",
        number(s.drainage_density_per_km, 2),
        number(s.hack_exponent, 2),
        number(s.concavity, 2)
    );
}

/// `thalweg convert`
pub fn convert(args: &ConvertArgs) -> Result<(), Failure> {
    let mut ground = read(&args.input, &args.reading)?;
    if let Some([cols, rows]) = args.size {
        let need = cols as u64 * rows.max(ground.height.rows()) as u64 * GENERATING;
        let limit = memory_limit(args.reading.max_memory);
        within_memory(&format!("{cols} by {rows} cells"), need, limit, "use a smaller --size")?;
        ground = resample(&ground, cols, rows);
    }
    write_heightfield(&args.output, &ground, &WriteOptions::default()).map_err(Failure::run)?;
    say!("{}", args.output.display());
    Ok(())
}

/// `thalweg check`
pub fn check(args: &CheckArgs) -> Result<(), Failure> {
    let project = Project::open(&args.scene, &args.set).map_err(Failure::usage)?;
    let state = State::new(&project, memory_limit(args.max_memory)).map_err(Failure::usage)?;
    for notice in &state.notices {
        say!("note: {notice}");
    }
    let ground = &state.start().height;
    let particles = state.points().map_or(String::new(), |points| format!(", {} particles", points.len()));
    say!(
        "{}: fine; {} x {} cells{particles}, {} steps",
        args.scene,
        ground.cols(),
        ground.rows(),
        state.steps_planned()
    );
    Ok(())
}

/// `thalweg validate`
pub fn validate(args: &CasesArgs) -> Result<(), Failure> {
    let cases = validate::select(&args.cases).map_err(Failure::usage)?;
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
        say!("{}", json!({ "cases": all }));
    } else {
        say!("{} of {} within tolerance", all.len() - failed, all.len());
    }
    if failed > 0 { Err(Failure::run(format!("{failed} comparisons are out of tolerance"))) } else { Ok(()) }
}
