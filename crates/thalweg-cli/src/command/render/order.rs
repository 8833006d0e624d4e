//! What is asked for: the scene's own camera and look, changed by the options.

use super::camera::camera;
use crate::Failure;
use crate::args::{ParticlesArg, RenderArgs, RendererArg};
use crate::command::scene::open;
use serde_json::json;
use std::path::Path;
use thalweg::draw;
use thalweg::io::Kind;
use thalweg::project::{self, CameraKind, Project, Scene};

/// What to draw, and how.
pub(super) struct Order {
    /// The scene, or that of the run, if there is one.
    pub project: Option<Project>,
    /// Its camera and picture, with the options; defaults where there is no scene.
    pub scene: Scene,
}

impl Order {
    pub(super) fn new(args: &RenderArgs) -> Result<Self, Failure> {
        let changes = changes(args);
        let keys: Vec<_> = changes.iter().map(|(key, _)| key.clone()).collect();
        let blame = |failure: Failure| {
            let named = |told: &str| {
                changes.iter().fold(told.to_owned(), |told, (key, option)| {
                    told.replace(&format!("--set {key}"), option)
                })
            };
            failure.reworded(named)
        };
        let mut project = is_scene(&args.what).then(|| open(&args.what, &keys)).transpose().map_err(blame)?;
        project.iter_mut().for_each(|project| project.allow_outside = args.allow_outside);
        let mut scene = match &project {
            Some(project) => project.scene.clone(),
            None => project::parse("version = 1", "options", &keys).map_err(|error| blame(error.into()))?,
        };
        scene.camera = camera(args.camera.as_deref(), &scene.camera)?;
        if draw::is_film(&args.output) || args.moves() {
            set_in_motion(&mut scene)?;
        }
        if let Some(complaint) = scene.complaints().first() {
            return Err(Failure::usage(format!("--camera: {}", complaint.message)));
        }
        Ok(Self { project, scene })
    }
}

/// Whether it is a scene or the folder of a run, and not a terrain or something else in one file.
fn is_scene(what: &str) -> bool {
    let path = Path::new(what);
    path.is_dir() || Kind::of(path).is_none() && path.extension().is_none_or(|extension| extension == "toml")
}

/// A camera that looks at something goes around it; others must move by themselves.
fn set_in_motion(scene: &mut Scene) -> Result<(), Failure> {
    let camera = &mut scene.camera;
    match camera.kind {
        CameraKind::Orbit => camera.kind = CameraKind::Turntable,
        CameraKind::Turntable | CameraKind::Path => {}
        CameraKind::Fly | CameraKind::Top | CameraKind::Follow | CameraKind::Ride => {
            let message = "the camera stands still; for a moving picture use --camera turntable, or a scene whose \
                           [camera] is a path";
            return Err(Failure::usage(message));
        }
    }
    Ok(())
}

/// The options as changes of a scene, each with the words to blame it with.
fn changes(args: &RenderArgs) -> Vec<(String, String)> {
    let mut changes = Vec::new();
    if let Some([width, height]) = args.size {
        changes.push((format!("picture.size=[{width}, {height}]"), format!("--size {width}x{height}")));
    }
    if let Some(renderer) = args.renderer {
        let name = match renderer {
            RendererArg::Auto => "auto",
            RendererArg::Gpu => "gpu",
            RendererArg::Cpu => "cpu",
        };
        changes.push((format!("picture.renderer={name}"), format!("--renderer {name}")));
    }
    if let Some(overlay) = &args.overlay {
        let table = match overlay.split_once(':') {
            Some((field, colours)) => format!("{{ field = {}, colours = {} }}", json!(field), json!(colours)),
            None => json!(overlay).to_string(),
        };
        changes.push((format!("picture.overlay={table}"), format!("--overlay {overlay}")));
    }
    for look in &args.look {
        changes.push((format!("picture.{look}"), format!("--look {look}")));
    }
    if let Some(column) = &args.colour {
        changes.push((format!("picture.particles.colour={}", json!(column)), format!("--colour {column}")));
    }
    let shape = match args.particles {
        None => return changes,
        Some(ParticlesArg::Spheres) => "spheres",
        Some(ParticlesArg::Surface) => "surface",
        // The mesh takes their place.
        Some(ParticlesArg::Mesh | ParticlesArg::Hidden) => "hidden",
    };
    changes.push((format!("picture.particles.shape={shape}"), format!("--particles {shape}")));
    changes
}
