//! `thalweg new`: a folder with a scene to edit.

use super::heightmap::{self, Ground};
use super::memory_limit;
use super::own_scene::{self, Overview, Wish};
use crate::Failure;
use crate::args::{NewArgs, Reading, Source};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use thalweg::io::{WriteOptions, write_heightfield};
use thalweg::project::{BuiltIn, Project, built_in_scenes, json_schema, nearest, write_all_new};
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
    let Reading { source, height_range } = reading;
    let Source { metres_per_pixel, raw_size, big_endian, little_endian, band, utm, max_memory: _ } = source;
    let told = metres_per_pixel.is_some() || height_range.is_some() || raw_size.is_some() || band.is_some();
    if told || *big_endian || *little_endian || *utm {
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

/// Makes a scene around a heightmap and returns what was written.
fn around(file: &Path, base: Option<&BuiltIn>, args: &NewArgs) -> Result<Vec<PathBuf>, Failure> {
    let limit = memory_limit(args.reading.source.max_memory);
    let read = heightmap::read(file, &args.reading)?;
    read.tell();
    let (ground, wish) = (Ground::new(file, &args.reading, read), Wish::default());
    let text = match base {
        Some(base) => with_terrain(base.text, &ground.section()),
        None => own_scene::write(&ground, &wish, &Overview::of(&ground.field), limit)?.text,
    };
    Folder { dir: &args.dir, file, ground: &ground, text: &text, wish: &wish }.write(limit)
}

/// A folder to be made around a heightmap.
pub(super) struct Folder<'a> {
    pub dir: &'a Path,
    pub file: &'a Path,
    pub ground: &'a Ground,
    /// The scene.
    pub text: &'a str,
    pub wish: &'a Wish,
}

impl Folder<'_> {
    /// Writes it, unless the scene cannot be run.
    pub(super) fn write(&self, limit: u64) -> Result<Vec<PathBuf>, Failure> {
        let Self { dir, file, ground, text, wish } = self;
        let aside = tempfile::tempdir().map_err(Failure::run)?;
        let mut files: Vec<_> =
            wish.images().map(|image| (image.name.clone(), image.content.clone())).collect();
        if ground.converted {
            let heights = aside.path().join(&ground.name);
            write_heightfield(&heights, &ground.field, &WriteOptions::default()).map_err(Failure::run)?;
            files.push((ground.name.clone(), std::fs::read(&heights).map_err(Failure::run)?));
        } else {
            files.extend(copies(file, dir)?);
        }
        self.can_run(limit)?;
        write(dir, text, files)
    }

    /// Whether it can be run, before anything is written into the folder.
    fn can_run(&self, limit: u64) -> Result<(), Failure> {
        let mut project = Project::from_text(self.text, "scene.toml", Path::new(""), &[])?;
        project.give_map(&self.ground.name, self.ground.field.clone());
        self.wish.images().for_each(|image| project.give_map(&image.name, image.shares.clone()));
        let wrong = |error: SetupError| {
            // There is no such file yet that could be mended.
            let words =
                |text: &str| text.replacen("scene.toml", &format!("the scene for {}", self.ground.name), 1);
            Failure::from(error).reworded(words)
        };
        Session::new(&project, limit).map(drop).map_err(wrong)
    }
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
