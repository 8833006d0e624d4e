//! What is drawn.

use super::order::Order;
use crate::Failure;
use crate::args::{ParticlesArg, RenderArgs};
use crate::command::inspect::read;
use crate::watch::Watch;
use std::path::{Path, PathBuf};
use thalweg::draw;
use thalweg::field::{Frame, Heightfield, Matter, Mesh, Points, Snapshot};
use thalweg::io::{
    Kind, Ply,
    checkpoint::{self, Checkpoint},
    read_map, read_ply, read_volume,
};
use thalweg::project::Project;
use thalweg::render::likely_radius;
use thalweg::run::{Unfinished, Watcher, advance_to, restore};
use thalweg::surface::{SurfaceParams, reconstruct};
use thalweg::{Session, start_ground};

/// A moment of something, and how things stood before anything happened.
pub(super) struct Subject {
    pub now: Snapshot,
    /// The ground then.
    pub start: Option<Heightfield>,
    /// Everything then, where that is known or asked for.
    pub before: Option<Snapshot>,
}

impl Subject {
    /// Reads it, or runs a scene to the step asked for.
    pub(super) fn load(
        args: &RenderArgs,
        order: &Order,
        limit: u64,
        watch: &mut Watch,
    ) -> Result<Self, Failure> {
        let path = Path::new(&args.what);
        if let Some(project) = &order.project {
            return match args.step {
                Some(step) => run_to(project, step, limit, watch),
                None if Unfinished::within(path).is_some() => Err(unfinished(path)),
                None if path.join("report.json").is_file() => finished(path, project, args, limit),
                None => beginning(project, limit, watch),
            };
        }
        if args.step.is_some() {
            return Err(Failure::usage("--step is for scenes and runs; this is a file that stands still"));
        }
        let now = match (Kind::of(path), &args.terrain) {
            (Some(Kind::Ply), _) => particles_or_mesh(path, args, limit)?,
            (Some(Kind::Volume), None) => {
                draw::of_volume(&read_volume(path, limit).map_err(Failure::usage)?, None)
            }
            (Some(Kind::Obj | Kind::Glb | Kind::Stl), _) => {
                let message =
                    "meshes are drawn from PLY files; write the surface as one with output.surface = \"ply\"";
                return Err(Failure::usage(format!("{}: {message}", path.display())));
            }
            (_, None) => draw::bare(&read(path, &args.reading)?),
            (_, Some(_)) => {
                return Err(Failure::usage("--terrain is the ground below what a PLY file holds"));
            }
        };
        Ok(Self { now, start: None, before: None })
    }
}

/// A run that has not finished has no result, whatever files are in its folder.
fn unfinished(path: &Path) -> Failure {
    let advice = Unfinished::within(path).map_or(String::new(), |run| run.advice(path));
    Failure::usage(format!(
        "{}: the run in it has not finished, so there is no result to draw; {advice}, or draw it at a step with --step N",
        path.display()
    ))
}

/// The start of a scene.
fn beginning(project: &Project, limit: u64, watch: &mut Watch) -> Result<Subject, Failure> {
    let mut state = Session::new(project, limit)?;
    state.notices.iter().for_each(|notice| remark!("note: {notice}"));
    // Its water finds its place before anything is shown.
    advance_to(project, &mut state, 0, None, watch)?;
    let now = opening(&state);
    Ok(Subject { before: Some(now.clone()), now, start: Some(state.start().clone()) })
}

/// How a scene begins: ground and water, be it particles.
fn opening(state: &Session) -> Snapshot {
    Snapshot { points: state.points(), ..draw::opening(state.scene(), state.start_ground()) }
}

/// A scene after some steps.
fn run_to(project: &Project, step: u64, limit: u64, watch: &mut Watch) -> Result<Subject, Failure> {
    if step == 0 {
        return beginning(project, limit, watch);
    }
    let mut state = Session::new(project, limit)?;
    state.notices.iter().for_each(|notice| watch.notice(notice));
    if step > state.clock().planned {
        let message = format!("--step is {step}, but the scene has only {} steps", state.clock().planned);
        return Err(Failure::usage(message));
    }
    let (checkpoints, before) = (project.folder.join("checkpoints"), opening(&state));
    advance_to(project, &mut state, step, Some((&checkpoints, limit)), watch)?;
    if state.steps_taken() < step && !state.is_over() {
        let message = format!("stopped after step {}; nothing was written", state.steps_taken());
        return Err(Failure::run(message));
    }
    Ok(Subject { now: state.scenery(), start: Some(state.start().clone()), before: Some(before) })
}

/// What a run left behind: its last state where it was kept, else what its files tell of it.
fn finished(path: &Path, project: &Project, args: &RenderArgs, limit: u64) -> Result<Subject, Failure> {
    let text = std::fs::read_to_string(path.join("report.json")).unwrap_or_default();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let step = report["steps"].as_u64().unwrap_or(0);
    let now = match last_state(path, project, step, limit)? {
        Some(state) => state.scenery(),
        None => {
            let time = report["simulated_s"].as_f64().unwrap_or(0.0);
            Snapshot { step, time, ..of_files(path, project, step, args, limit)? }
        }
    };
    now.points.as_ref().map_or(Ok(()), |points| check_column(points, args.colour.as_deref()))?;
    // Its notices were told when it ran.
    if args.before_after {
        let state = Session::new(project, limit)?;
        return Ok(Subject { now, start: Some(state.start().clone()), before: Some(opening(&state)) });
    }
    let start = start_ground(project, limit, &mut Vec::new())?;
    Ok(Subject { now, start: Some(start), before: None })
}

/// The state that a run ended in, if it kept it.
fn last_state(path: &Path, project: &Project, step: u64, limit: u64) -> Result<Option<Session>, Failure> {
    let kept = checkpoint::list(&path.join("checkpoints")).unwrap_or_default();
    let Some((_, file)) = kept.into_iter().find(|(of, _)| *of == step) else { return Ok(None) };
    let mut state = Session::new(project, limit)?;
    let restored = Checkpoint::read(&file, limit)
        .map_err(|error| error.to_string())
        .and_then(|checkpoint| restore(&mut state, &checkpoint));
    match restored {
        Ok(()) => Ok(Some(state)),
        Err(reason) => {
            remark!("note: {}: passed over: {reason}", file.display());
            Ok(None)
        }
    }
}

/// What the files of a run tell: its ground, all maps that it wrote, and its last particles.
fn of_files(
    path: &Path,
    project: &Project,
    step: u64,
    args: &RenderArgs,
    limit: u64,
) -> Result<Snapshot, Failure> {
    let ground = read(&path.join("height.exr"), &args.reading)?;
    let mut now = draw::bare(&ground);
    if let Some(recipe) = &project.scene.terrain.volume {
        let volume = read_volume(&path.join("volume.twv"), limit).map_err(Failure::usage)?;
        let strata = recipe.strata.as_ref().map(|strata| strata.build(project.scene.seed));
        now.ground = draw::of_volume(&volume, strata.as_ref()).ground;
    }
    for map in maps(&path.join("maps")) {
        let field = read_map(&map, limit).map_err(Failure::usage)?;
        if field.values.same_shape(&ground.height) {
            now.fields.push(field);
        }
    }
    let particles = path.join(format!("particles/step_{step:06}.ply"));
    if particles.is_file()
        && let Ply::Points(points) = read_ply(&particles, limit).map_err(Failure::usage)?
    {
        now.points = Some(points);
    }
    Ok(now)
}

/// The maps of a run, in the order of their names.
fn maps(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut maps: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "exr")).collect();
    maps.sort();
    maps
}

/// Particles or a mesh from a PLY file, over a terrain if one is given.
fn particles_or_mesh(path: &Path, args: &RenderArgs, limit: u64) -> Result<Snapshot, Failure> {
    let mut now = match &args.terrain {
        Some(terrain) => draw::bare(&read(terrain, &args.reading)?),
        None => Snapshot::of_fields(Frame::with_cell(1.0), Vec::new()),
    };
    /// Plaster.
    const SOLID: Matter = Matter::Solid([196, 188, 176]);
    match read_ply(path, limit).map_err(Failure::usage)? {
        Ply::Mesh(mesh) => {
            let mesh = if mesh.normals.is_empty() { mesh.with_normals() } else { mesh };
            now.meshes.push(Mesh { name: "mesh".into(), matter: SOLID, mesh });
        }
        Ply::Points(points) => {
            let points = with_radius(points);
            check_column(&points, args.colour.as_deref())?;
            if args.particles == Some(ParticlesArg::Mesh) {
                if args.colour.is_some() {
                    let message =
                        "--colour is for particles; a mesh of them has no columns. Use --particles spheres";
                    return Err(Failure::usage(message));
                }
                let params = SurfaceParams { max_bytes: limit, ..SurfaceParams::of(&points) };
                let mesh = reconstruct(&points, &params).map_err(Failure::run)?;
                now.meshes.push(Mesh { name: "surface".into(), matter: Matter::Water, mesh });
            }
            now.points = Some(points);
        }
    }
    Ok(now)
}

/// Particles that can be seen: where the file tells no radius, they just fill the box around them.
fn with_radius(mut points: Points) -> Points {
    if points.radius > 0.0 || points.is_empty() {
        return points;
    }
    points.radius = likely_radius(&points);
    remark!("note: the particles' radius is not known; {} m is taken", points.radius);
    points
}

fn check_column(points: &Points, name: Option<&str>) -> Result<(), Failure> {
    match name {
        Some(name) if points.column(name).is_none() => {
            let known: Vec<_> = points.columns.iter().map(|column| &*column.info.name).collect();
            let known = if known.is_empty() { "none".into() } else { known.join(", ") };
            Err(Failure::usage(format!("--colour is \"{name}\", but the particles' columns are: {known}")))
        }
        _ => Ok(()),
    }
}
