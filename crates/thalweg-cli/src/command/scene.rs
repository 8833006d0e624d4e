//! Finding the scene that a command names.

use crate::Failure;
use crate::args::ErodeArgs;
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

/// `thalweg erode`, which is to come: says how it is done.
pub(crate) fn erode(args: &ErodeArgs) -> Result<(), Failure> {
    let words: Vec<_> = args.words.iter().map(|word| word.to_string_lossy()).collect();
    let known = words.iter().find_map(|word| Some((word, Kind::of(Path::new(&**word))?)));
    let named = words.iter().find(|word| !word.starts_with('-'));
    Err(Failure::usage(match (known, named) {
        (Some((name, kind)), _) => format!("{name} is {}", instead(name, kind)),
        (None, Some(name)) if !Path::new(&**name).exists() => {
            format!("{name}: no such file; name the heightmap to erode")
        }
        (None, Some(name)) => format!("{name} is no heightmap; those are PNG, TIFF, EXR, R16 and RAW files"),
        (None, None) => {
            format!("name the heightmap to erode, such as island.png:\n{}", two_commands("island.png"))
        }
    }))
}

/// What a file is that is no scene, and what to write instead.
fn instead(name: &str, kind: Kind) -> String {
    let word = shell_word(name);
    match kind {
        Kind::Heightmap => {
            format!("a heightmap, not a scene; make a scene around it and run that:\n{}", two_commands(name))
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
        Kind::Glb => "a model, not a scene; runs need the ground as a heightmap (PNG, TIFF, EXR): export it as one, and \
             `thalweg new DIR --terrain FILE` makes a scene around it"
            .into(),
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
