//! `thalweg info`: what a run did, or what a file or a scene holds.

use super::{memory_limit, scene};
use crate::Failure;
use crate::args::InfoArgs;
use crate::print::{answer, brief, fixed};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use thalweg::field::{Field, FieldInfo, Frame, Heightfield, Points, TriMesh};
use thalweg::io::checkpoint::Checkpoint;
use thalweg::io::{Imported, Kind, Ply, read_mesh, read_obj, read_ply};
use thalweg::realism::{MEASURES, Measure, Sample, Verdict};
use thalweg::run::{Realism, Unfinished, resume_command};
use thalweg::terrain::analysis::{Measures, Statistics};

/// `thalweg info`
pub(crate) fn info(args: &InfoArgs) -> Result<(), Failure> {
    let path = Path::new(&args.file);
    let is_scene = || {
        let extension = path.extension();
        extension.is_some_and(|name| name == "toml") || path.is_dir() || !path.exists() && extension.is_none()
    };
    if let Some(run) = Unfinished::within(path) {
        info_unfinished(path, &run, args);
        return Ok(());
    }
    match Kind::of(path) {
        Some(Kind::Checkpoint) => info_checkpoint(path, args),
        Some(Kind::Volume) => super::volume::info(path, args),
        Some(Kind::Ply) => {
            match read_ply(path, memory_limit(args.reading.source.max_memory)).map_err(Failure::usage)? {
                Ply::Points(points) => info_points(&points, args),
                Ply::Mesh(mesh) => info_mesh(&mesh, args),
            }
        }
        Some(Kind::Obj) => info_mesh(
            &read_obj(path, memory_limit(args.reading.source.max_memory)).map_err(Failure::usage)?,
            args,
        ),
        Some(Kind::Glb | Kind::Stl) => info_mesh(
            &read_mesh(path, memory_limit(args.reading.source.max_memory)).map_err(Failure::usage)?,
            args,
        ),
        None if path.join("report.json").is_file() => info_run(path, args),
        None if is_scene() => info_scene(args),
        Some(Kind::Heightmap) | None => info_map(path, args),
    }
}

fn info_checkpoint(path: &Path, args: &InfoArgs) -> Result<(), Failure> {
    let limit = memory_limit(args.reading.source.max_memory);
    let Checkpoint { header, sections } = Checkpoint::read(path, limit).map_err(Failure::usage)?;
    let names: Vec<_> = sections.iter().map(|(name, _)| name.as_str()).collect();
    if args.json {
        answer(&json!({ "kind": "checkpoint", "header": header, "sections": names }));
        return Ok(());
    }
    let text = |key: &str| header[key].as_str().unwrap_or("-").to_owned();
    say!("checkpoint      scene {}, written by thalweg {}", text("scene"), text("thalweg"));
    let time = header["time"].as_f64().unwrap_or(f64::NAN);
    say!("step            {}, {} s simulated", header["step"], fixed(time, 1));
    say!("size            {} x {} cells", header["size"][0], header["size"][1]);
    if let Some(particles) = header["particles"].as_u64() {
        say!("particles       {particles}");
    }
    say!("sections        {}; all checksums are right", names.join(", "));
    Ok(())
}

/// A run that has not finished has no results, whatever files are in its folder.
fn info_unfinished(path: &Path, run: &Unfinished, args: &InfoArgs) {
    let Unfinished { thalweg, scene, steps, saved, alive } = run;
    let resume = saved.map(|_| resume_command(path));
    if args.json {
        answer(&json!({
            "kind": "unfinished run", "scene": scene, "steps": steps, "saved": saved, "alive": alive, "resume": resume
        }));
        return;
    }
    say!("unfinished run  scene {scene}, {steps} steps, by thalweg {thalweg}");
    let fate = if *alive { "goes on now" } else { "was stopped or killed" };
    say!("                it {fate}; the files in the folder are not its result");
    say!("                {}", run.advice(path));
}

fn info_run(path: &Path, args: &InfoArgs) -> Result<(), Failure> {
    let file = path.join("report.json");
    let wrong = |error: String| Failure::usage(format!("{}: cannot be read: {error}", file.display()));
    let text = std::fs::read_to_string(&file).map_err(|error| wrong(error.to_string()))?;
    let report: Value = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if args.json {
        answer(&json!({ "kind": "run", "report": report }));
        return Ok(());
    }
    let text = |key: &str| report[key].as_str().unwrap_or("-").to_owned();
    say!("run             scene {}, seed {}, by thalweg {}", text("scene"), report["seed"], text("thalweg"));
    say!(
        "steps           {}, {} s simulated in {} s on {} threads",
        report["steps"],
        brief(number(&report["simulated_s"])),
        fixed(number(&report["wall_s"]), 1),
        report["threads"]
    );
    let dt = &report["dt"];
    let [shortest, mean, longest] = ["min", "mean", "max"].map(|key| brief(number(&dt[key])));
    say!("time step       {shortest} to {longest} s, {mean} s on average");
    let particles = &report["particles"];
    if particles.is_object() {
        say!(
            "particles       {} at the beginning, {} came, {} went, {} are there",
            particles["start"],
            particles["added"],
            particles["removed"],
            particles["end"]
        );
    }
    tell_ledger(&report["ledger"], particles.is_object());
    let realism = |key: &str| serde_json::from_value::<Realism>(report[key].clone()).ok();
    if let (Some(before), Some(after)) = (realism("realism_before"), realism("realism_after")) {
        tell_realism(&before, &after);
    }
    for change in report["changes"].as_array().into_iter().flatten() {
        say!("changed         {} after step {}", change["set"].as_str().unwrap_or("-"), change["step"]);
    }
    tell_files(path, &report["files"]);
    Ok(())
}

/// A number of a report; one that is missing is no number.
fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// Where the water and the ground went.
fn tell_ledger(ledger: &Value, particles: bool) {
    let water = &ledger["water"];
    let [start, added, evaporated, exported, end] =
        ["start", "added", "evaporated", "exported", "end"].map(|key| volume(number(&water[key])));
    say!("water           {start} at the beginning, {added} came");
    say!("                {exported} left, {evaporated} evaporated, {end} are there");
    let [eroded, added, suspended, exported] =
        ["eroded", "added", "suspended", "exported"].map(|key| number(&ledger[key]));
    // Grains come with muddy water; what refining adds to the ground of pipes was never afloat.
    let afloat = eroded + if particles { added } else { 0.0 };
    let settled = (afloat - suspended - exported).max(0.0);
    say!(
        "ground          {} eroded: {} came to rest, {} left, {} are afloat",
        mass(afloat),
        mass(settled),
        mass(exported),
        mass(suspended)
    );
    say!(
        "missing         water {:.1e}, ground {:.1e} of what moved",
        number(&water["imbalance_rel"]),
        number(&ledger["imbalance_rel"])
    );
}

/// A volume in words.
fn volume(cubic_metres: f64) -> String {
    match cubic_metres.abs() {
        1.0e6.. => format!("{} million m³", brief(cubic_metres / 1.0e6)),
        0.0 | 0.01.. => format!("{} m³", brief(cubic_metres)),
        _ => format!("{} l", brief(cubic_metres * 1.0e3)),
    }
}

/// A mass in words.
fn mass(kilograms: f64) -> String {
    match kilograms.abs() {
        1.0e12.. => format!("{} billion t", brief(kilograms / 1.0e12)),
        1.0e9.. => format!("{} million t", brief(kilograms / 1.0e9)),
        1.0e3.. => format!("{} t", brief(kilograms / 1.0e3)),
        _ => format!("{} kg", brief(kilograms)),
    }
}

/// How natural a landscape looks before and after.
pub(super) fn tell_realism(before: &Realism, after: &Realism) {
    let [before, after] =
        [before, after].map(|realism| Sample { realism: realism.clone(), ..Sample::default() });
    say!("                                   before   after");
    for Measure { name, decimals, required, value, .. } in &MEASURES {
        let number = |sample: &Sample| value(sample).map_or("-".into(), |v| fixed(v, *decimals));
        if *required || value(&before).or(value(&after)).is_some() {
            say!("{name:<34} {:>7} {:>7}", number(&before), number(&after));
        }
    }
}

/// How natural a landscape looks, beside what is wanted.
fn tell_landscape(ground: &Heightfield) {
    let sample = Sample::of("", ground);
    say!("as a landscape, with cells of 30 m where it is wide enough:");
    for measure @ Measure { name, decimals, value, reason, .. } in &MEASURES {
        let Some(number) = value(&sample) else { continue };
        let mark = if measure.verdict(&sample) == Verdict::Outside { "*" } else { " " };
        say!("{name:<34} {:>7}{mark} {reason}", fixed(number, *decimals));
    }
}

/// The files of a run, those in folders counted.
fn tell_files(out: &Path, files: &Value) {
    let mut folders = BTreeMap::<_, usize>::new();
    for file in files.as_array().into_iter().flatten().filter_map(Value::as_str) {
        match file.split_once('/') {
            Some((folder, _)) => *folders.entry(folder).or_default() += 1,
            None => say!("file            {}", out.join(file).display()),
        }
    }
    for (folder, count) in folders {
        let files = if count == 1 { "file" } else { "files" };
        say!("folder          {} with {count} {files}", out.join(folder).display());
    }
}

fn info_scene(args: &InfoArgs) -> Result<(), Failure> {
    let project = scene::open(&args.file, &[])?;
    let scene = &project.scene;
    if args.json {
        answer(&json!({ "kind": "scene", "name": project.name, "scene": scene }));
        return Ok(());
    }
    say!("scene           {}: {}", project.name, scene.title);
    let size =
        scene.terrain.size.map_or("its own size".into(), |[cols, rows]| format!("{cols} x {rows} cells"));
    let cell = scene.terrain.cell.map_or(String::new(), |cell| format!(" of {cell} m"));
    let volume = scene.terrain.volume.as_ref();
    let file = scene.terrain.file.as_ref().or(volume.and_then(|volume| volume.file.as_ref()));
    let from = file.map_or("made from layers".into(), |file| format!("from {file}"));
    let kind = if volume.is_some() { ", a volume" } else { "" };
    say!("terrain         {size}{cell}, {from}{kind}");
    for solver in scene.solver.iter() {
        let (name, preset) = (solver.method().name, solver.preset());
        say!("solver          {name}, preset {preset}, on {}", solver.backend.resolved());
    }
    let mut water = format!("{} standing", scene.water.len());
    for (section, count) in [
        ("rain", scene.rain.len()),
        ("source", scene.sources.len()),
        ("drain", scene.drains.len()),
        ("emitter", scene.emitters.len()),
        ("sink", scene.sinks.len()),
    ] {
        if scene.solver.iter().any(|solver| solver.method().understands.contains(&section)) {
            water += &format!(", {count} {section}s");
        }
    }
    say!("water           {water}");
    for coarse in &scene.time.coarse {
        say!("coarse pass     {} steps on {}", coarse.steps, coarse.width());
    }
    let until = scene.time.duration.map_or(String::new(), |duration| format!(", or {duration} s simulated"));
    say!("steps           {}{until}", scene.time.steps);
    Ok(())
}

fn info_map(path: &Path, args: &InfoArgs) -> Result<(), Failure> {
    let read = super::heightmap::read(path, &args.reading)?;
    if read.imported.info.name == "height" {
        read.tell();
    }
    let Imported { field: ground, info, .. } = read.imported;
    if info.name != "height" {
        return info_field(&Field { info, values: ground.height }, &ground.frame, args);
    }
    let statistics = Statistics::of(&ground, &Measures::default());
    if args.json {
        let realism = Realism::of(&ground);
        answer(&json!({
            "kind": "terrain", "frame": frame(&ground.frame), "statistics": statistics, "realism": realism,
        }));
    } else {
        describe(&ground, &statistics);
        tell_landscape(&ground);
    }
    Ok(())
}

fn frame(frame: &Frame) -> Value {
    let Frame { cell, origin, crs } = frame;
    json!({ "cell": cell, "origin": origin, "crs": crs })
}

/// A map that is no terrain.
fn info_field(field: &Field, place: &Frame, args: &InfoArgs) -> Result<(), Failure> {
    let (values, FieldInfo { name, unit, meaning }) = (&field.values, &field.info);
    let (low, high) = values.range().unwrap_or_default();
    let mean =
        values.values().iter().map(|&value| f64::from(value)).sum::<f64>() / values.len().max(1) as f64;
    let (cols, rows, cell) = (values.cols(), values.rows(), place.cell);
    if args.json {
        answer(&json!({
            "kind": "map", "quantity": name, "unit": unit, "meaning": meaning, "frame": frame(place),
            "statistics": { "cols": cols, "rows": rows, "min": low, "max": high, "mean": mean },
        }));
        return Ok(());
    }
    let about = if meaning.is_empty() { String::new() } else { format!(": {meaning}") };
    say!("map             {name}{about}");
    let [east, north] = [cols, rows].map(|count| brief(count as f64 * cell));
    say!("size            {cols} x {rows} cells, {east} x {north} m");
    say!("cell            {cell} m");
    say!("values          {} to {} {unit}, mean {}", brief(low.into()), brief(high.into()), brief(mean));
    Ok(())
}

fn describe(ground: &Heightfield, s: &Statistics) {
    let number = |value: Option<f64>, decimals: usize| value.map_or("-".into(), |v| fixed(v, decimals));
    let [east, north] = ground.extent();
    say!("size            {} x {} cells, {} x {} m", s.cols, s.rows, fixed(east, 0), fixed(north, 0));
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

/// The box around some places: lowest and highest corner `[m]`.
fn bounds(places: &[[f32; 3]]) -> [[f32; 3]; 2] {
    let Some((first, rest)) = places.split_first() else { return [[0.0; 3]; 2] };
    rest.iter().fold([*first; 2], |[low, high], place| {
        [std::array::from_fn(|i| low[i].min(place[i])), std::array::from_fn(|i| high[i].max(place[i]))]
    })
}

fn tell_bounds([low, high]: [[f32; 3]; 2]) {
    for (name, axis) in [("east", 0), ("north", 1), ("up", 2)] {
        say!("{name:<15} {} to {} m", brief(low[axis].into()), brief(high[axis].into()));
    }
}

fn info_points(points: &Points, args: &InfoArgs) -> Result<(), Failure> {
    let range = |values: &[f32]| {
        let finite = || values.iter().copied().filter(|value| value.is_finite());
        (finite().fold(f32::INFINITY, f32::min), finite().fold(f32::NEG_INFINITY, f32::max))
    };
    let columns = points.columns.iter().map(|column| (&column.info, range(&column.values)));
    if args.json {
        let columns: Vec<_> = columns
            .map(|(FieldInfo { name, unit, meaning }, (min, max))| {
                json!({ "name": name, "unit": unit, "meaning": meaning, "min": min, "max": max })
            })
            .collect();
        let [min, max] = bounds(&points.positions);
        let ids = [points.ids.iter().min(), points.ids.iter().max()];
        answer(&json!({
            "kind": "particles", "count": points.len(), "radius": points.radius, "min": min, "max": max,
            "ids": ids, "columns": columns,
        }));
        return Ok(());
    }
    let radius = if points.radius > 0.0 {
        format!(", radius {} m", brief(points.radius.into()))
    } else {
        String::new()
    };
    say!("particles       {}{radius}", points.len());
    tell_bounds(bounds(&points.positions));
    if let (Some(low), Some(high)) = (points.ids.iter().min(), points.ids.iter().max()) {
        say!("{:<15} {low} to {high}: number a particle was born with", "id");
    }
    for (FieldInfo { name, unit, meaning }, (low, high)) in columns {
        let about = if meaning.is_empty() { String::new() } else { format!(": {meaning}") };
        say!("{name:<15} {} to {} {unit}{about}", brief(low.into()), brief(high.into()));
    }
    Ok(())
}

fn info_mesh(mesh: &TriMesh, args: &InfoArgs) -> Result<(), Failure> {
    let (corners, triangles) = (mesh.positions.len(), mesh.triangles.len());
    let [min, max] = bounds(&mesh.positions);
    if args.json {
        answer(
            &json!({ "kind": "mesh", "corners": corners, "triangles": triangles, "min": min, "max": max }),
        );
        return Ok(());
    }
    say!("mesh            {corners} corners, {triangles} triangles");
    tell_bounds([min, max]);
    Ok(())
}
