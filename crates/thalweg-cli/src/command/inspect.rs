//! Commands that make, show or check things without running a scene.

use super::memory_limit;
use crate::Failure;
use crate::args::{
    CasesArgs, CheckArgs, ConvertArgs, GenerateArgs, InfoArgs, JsonArgs, NewArgs, Reading, RenderArgs,
};
use serde_json::json;
use std::path::Path;
use thalweg::field::Heightfield;
use thalweg::io::checkpoint::Checkpoint;
use thalweg::io::{ReadOptions, WriteOptions, read_heightfield, write_heightfield, write_png_rgb};
use thalweg::project::{BuiltIn, Project, built_in_scenes, nearest};
use thalweg::render::{Camera, Picture, ReliefStyle, Scene as View, perspective, relief};
use thalweg::terrain::analysis::{Measures, Statistics};
use thalweg::terrain::{Recipe, kinds, resample};
use thalweg::{State, validate};

/// `thalweg scenes`
pub fn scenes(args: &JsonArgs) -> Result<(), Failure> {
    if args.json {
        let scenes =
            built_in_scenes().iter().map(|scene| json!({ "name": scene.name, "title": scene.title() }));
        println!("{}", json!({ "scenes": scenes.collect::<Vec<_>>() }));
    } else {
        for scene in built_in_scenes() {
            println!("{:<15} {}", scene.name, scene.title());
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
    if args.dir.join("scene.toml").exists() {
        let message = format!("{} already holds a scene; choose another folder", args.dir.display());
        return Err(Failure::usage(message));
    }
    let written = scene
        .copy_to(&args.dir)
        .map_err(|error| Failure::run(format!("{}: cannot be written: {error}", args.dir.display())))?;
    for file in &written {
        println!("{}", file.display());
    }
    println!("run it with: thalweg run {}", args.dir.display());
    Ok(())
}

/// `thalweg generate`
pub fn generate(args: &GenerateArgs) -> Result<(), Failure> {
    let Some(output) = args.output.as_ref().filter(|_| !args.list) else {
        for (name, about) in kinds() {
            println!("{name:<10} {about}");
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
    let ground = recipe.build(cols, rows, args.cell, args.seed);
    write_heightfield(output, &ground, &WriteOptions::default()).map_err(Failure::run)?;
    let (low, high) = ground.height.range().unwrap_or((0.0, 0.0));
    println!("{}: {cols} x {rows} cells of {} m, {low:.1} to {high:.1} m", output.display(), args.cell);
    Ok(())
}

fn read(path: &Path, reading: &Reading) -> Result<Heightfield, Failure> {
    let options = ReadOptions {
        cell: reading.metres_per_pixel,
        height_range: reading.height_range,
        size: reading.raw_size,
        big_endian: reading.big_endian,
        max_bytes: memory_limit(reading.max_memory),
    };
    let imported = read_heightfield(path, &options).map_err(Failure::usage)?;
    for notice in &imported.notices {
        eprintln!("note: {notice}");
    }
    Ok(imported.field)
}

/// `thalweg info`
pub fn info(args: &InfoArgs) -> Result<(), Failure> {
    match args.file.extension().and_then(|extension| extension.to_str()) {
        Some("twc") => {
            let header = Checkpoint::read_header(&args.file).map_err(Failure::usage)?;
            let whole = Checkpoint::read(&args.file, memory_limit(args.reading.max_memory))
                .map_err(Failure::usage)?;
            let sections: Vec<_> = whole.sections.iter().map(|(name, _)| name.as_str()).collect();
            if args.json {
                println!("{}", json!({ "kind": "checkpoint", "header": header, "sections": sections }));
            } else {
                println!(
                    "checkpoint of scene {} at step {}, version {}",
                    header["scene"], header["step"], header["thalweg"]
                );
                println!("size {}, sections {}; checksums are right", header["size"], sections.join(", "));
            }
        }
        Some("toml") => {
            let project = Project::open(&args.file.to_string_lossy(), &[]).map_err(Failure::usage)?;
            if args.json {
                println!("{}", json!({ "kind": "scene", "scene": project.scene }));
            } else {
                println!("scene: {}", project.scene.title);
                println!("{} steps, preset {}", project.scene.time.steps, project.scene.solver.preset);
            }
        }
        _ => {
            let ground = read(&args.file, &args.reading)?;
            let statistics = Statistics::of(&ground, &Measures::default());
            if args.json {
                let frame = json!({ "cell": ground.frame.cell, "origin": ground.frame.origin, "crs": ground.frame.crs });
                println!("{}", json!({ "kind": "terrain", "frame": frame, "statistics": statistics }));
            } else {
                describe(&ground, &statistics);
            }
        }
    }
    Ok(())
}

fn describe(ground: &Heightfield, s: &Statistics) {
    let number =
        |value: Option<f64>, decimals: usize| value.map_or("-".into(), |v| format!("{v:.decimals$}"));
    let [east, north] = ground.extent();
    println!("size            {} x {} cells, {east:.0} x {north:.0} m", s.cols, s.rows);
    println!("cell            {} m", s.cell);
    if let Some(crs) = &ground.frame.crs {
        println!("place           {:?} in {crs}", ground.frame.origin);
    }
    println!("heights         {} to {} m, mean {}", number(s.min, 2), number(s.max, 2), number(s.mean, 2));
    println!(
        "slope           mean {}, 95 % below {}, steepest {} degrees",
        number(s.slope_mean_deg, 1),
        number(s.slope_p95_deg, 1),
        number(s.slope_max_deg, 1)
    );
    println!("in pits         {} % of the cells", number(s.pit_fraction.map(|p| p * 100.0), 2));
    println!("hypsometric     {}", number(s.hypsometric_integral, 3));
    println!(
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
        ground = resample(&ground, cols, rows);
    }
    write_heightfield(&args.output, &ground, &WriteOptions::default()).map_err(Failure::run)?;
    println!("{}", args.output.display());
    Ok(())
}

/// `thalweg render`
pub fn render(args: &RenderArgs) -> Result<(), Failure> {
    let path = Path::new(&args.what);
    let (ground, water) = if path.join("report.json").is_file() {
        let ground = read(&path.join("height.exr"), &args.reading)?;
        let water = path.join("maps/water.exr");
        let water = if water.is_file() { Some(read(&water, &args.reading)?.height) } else { None };
        (ground, water)
    } else if path.is_dir() || path.extension().is_none_or(|extension| extension == "toml") {
        let project = Project::open(&args.what, &[]).map_err(Failure::usage)?;
        let state = State::new(&project, memory_limit(args.reading.max_memory)).map_err(Failure::usage)?;
        (state.start().clone(), Some(state.pipes.depth()))
    } else {
        (read(path, &args.reading)?, None)
    };
    let mut view = View::ground(&ground);
    if let Some(water) = &water {
        view = view.with_water(water);
    }
    let picture = draw(&view, args)?;
    write_png_rgb(&args.output, picture.width, picture.height, &picture.rgb).map_err(Failure::run)?;
    println!("{}", args.output.display());
    Ok(())
}

fn draw(view: &View, args: &RenderArgs) -> Result<Picture, Failure> {
    let [width, height] = args.size;
    if args.camera == "top" {
        return Ok(relief(view, &ReliefStyle::default(), width.max(height)));
    }
    let angles = args
        .camera
        .split_once(',')
        .and_then(|(yaw, pitch)| Some([yaw.trim().parse::<f32>().ok()?, pitch.trim().parse::<f32>().ok()?]));
    let wrong = || {
        Failure::usage(format!(
            "--camera is \"{}\"; write top, or YAW,PITCH in degrees, such as 30,35",
            args.camera
        ))
    };
    let [yaw, pitch] = angles.ok_or_else(wrong)?;
    let camera = Camera { yaw: yaw.to_radians(), pitch: pitch.to_radians(), ..Camera::default() };
    let camera = camera.validated().map_err(Failure::usage)?;
    Ok(perspective(view, &ReliefStyle::side_lit(), &camera, args.size))
}

/// `thalweg check`
pub fn check(args: &CheckArgs) -> Result<(), Failure> {
    let project = Project::open(&args.scene, &args.set).map_err(Failure::usage)?;
    let state = State::new(&project, memory_limit(None)).map_err(Failure::usage)?;
    for notice in &state.notices {
        println!("note: {notice}");
    }
    let ground = &state.start().height;
    println!(
        "{}: fine; {} x {} cells, {} steps",
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
            println!("{}: {}", case.name, case.about);
            for check in &checks {
                let verdict = if check.pass { "ok  " } else { "FAIL" };
                println!(
                    "  {verdict} {:<46} measured {:>12.6e}  expected {:>12.6e} ± {:.1e} {}  [{}]",
                    check.quantity, check.measured, check.expected, check.tolerance, check.unit, check.source
                );
            }
        }
        all.extend(checks);
    }
    let failed = all.iter().filter(|check| !check.pass).count();
    if args.json {
        println!("{}", json!({ "cases": all }));
    } else {
        println!("{} of {} within tolerance", all.len() - failed, all.len());
    }
    if failed > 0 { Err(Failure::run(format!("{failed} comparisons are out of tolerance"))) } else { Ok(()) }
}
