//! Finding the scene that a command names.

use crate::Failure;
use std::path::Path;
use thalweg::io::Kind;
use thalweg::project::Project;
use thalweg::run::shell_word;

/// The name that stands for standard input.
pub(super) const STDIN: &str = "-";

/// Opens what a command calls SCENE: a file, a folder, a built-in name, or `-` for standard input.
pub(super) fn open(name: &str, changes: &[String]) -> Result<Project, Failure> {
    if name == STDIN {
        // Files that it names are in the current folder.
        return Ok(Project::from_reader(std::io::stdin().lock(), "stdin", Path::new(""), changes)?);
    }
    match Kind::of(Path::new(name)) {
        Some(kind) => Err(Failure::usage(format!("{name} is {}", instead(name, kind)))),
        None => Ok(Project::open(name, changes)?),
    }
}

/// What a file is that is no scene, and what to write instead.
fn instead(name: &str, kind: Kind) -> String {
    let word = shell_word(name);
    match kind {
        Kind::Heightmap => {
            format!(
                "a heightmap, not a scene; erode it:\n  thalweg erode {word}\n\
                 or make a scene around it, to edit, and run that:\n{}",
                two_commands(name)
            )
        }
        Kind::Ply => format!(
            "a file of particles or of a mesh, not a scene; look at it with\n  \
             thalweg info {word}\n  \
             thalweg render {word} -o {}",
            shell_word(&Path::new(name).with_extension("png").to_string_lossy())
        ),
        Kind::Obj => format!(
            "a mesh, not a scene; `thalweg info {word}` tells what it holds. Runs need the ground as a heightmap \
             (PNG, TIFF, EXR): export it as one, and `thalweg new DIR --terrain FILE` makes a scene around it"
        ),
        Kind::Glb | Kind::Stl => "a model, not a scene; runs need the ground as a heightmap (PNG, TIFF, EXR): export it as one, and \
             `thalweg new DIR --terrain FILE` makes a scene around it"
            .into(),
        Kind::Volume => format!(
            "a volume of ground, not a scene; look at it with\n  thalweg info {word}\n  thalweg render {word} -o {}\n\
             or write a scene with file = \"...\" in [terrain.volume] beside it",
            shell_word(&Path::new(name).with_extension("png").to_string_lossy())
        ),
        Kind::Checkpoint => format!(
            "a checkpoint, not a scene; `thalweg info {word}` tells what it holds, and `thalweg run OUT --out OUT \
             --resume` goes on with the run in the folder OUT"
        ),
    }
}

/// The commands that erode a heightmap. The folder is one that is not there yet.
fn two_commands(file: &str) -> String {
    let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
    let free = |name: &String| !Path::new(name).exists();
    let numbered = (2..).map(|number| format!("{stem}-{number}"));
    let dir = std::iter::once(stem.to_string()).chain(numbered).find(free).unwrap_or_default();
    let (dir, file) = (shell_word(&dir), shell_word(file));
    format!("  thalweg new {dir} --terrain {file}\n  thalweg run {dir}")
}
