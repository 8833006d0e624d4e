//! Names and places of what is written.

use std::path::{Path, PathBuf};
use thalweg::draw::write_picture as write_as_named;
use thalweg::io::atomic;
use thalweg::render::Picture;

/// `thalweg-studio` among the user's pictures, or here.
pub(crate) fn usual_folder() -> PathBuf {
    let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE")).map(PathBuf::from);
    let pictures = home.map(|home| home.join("Pictures")).filter(|folder| folder.is_dir());
    let here = || std::env::current_dir().unwrap_or_default();
    pictures.unwrap_or_else(here).join("thalweg-studio")
}

/// A name that is a good one for a file everywhere.
pub(crate) fn plain(name: &str) -> String {
    let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let letter = |c: char| if c.is_alphanumeric() || c == '-' { c } else { '_' };
    let plain: String = stem.chars().map(letter).collect();
    if plain.is_empty() { "scene".into() } else { plain }
}

/// Writes a file, and its folder if need be.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        atomic::create_dir(folder).map_err(|error| error.to_string())?;
    }
    atomic::write_atomic(path, |file| std::io::Write::write_all(file, bytes))
        .map_err(|error| error.to_string())
}

/// Writes a picture into a folder; none that is there is overwritten.
pub(crate) fn write_picture(folder: &Path, name: &str, picture: &Picture) -> Result<PathBuf, String> {
    atomic::create_dir(folder).map_err(|error| error.to_string())?;
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, "png"));
    let numbered = (2..).map(|number| folder.join(format!("{stem}_{number}.{ending}")));
    let free = |path: &PathBuf| !path.exists();
    let path = std::iter::once(folder.join(name)).chain(numbered).find(free).unwrap_or_default();
    write_as_named(&path, picture).map_err(|error| error.to_string())?;
    Ok(path)
}
