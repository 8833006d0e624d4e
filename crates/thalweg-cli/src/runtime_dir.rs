//! A folder for graphics drivers.

use std::path::{Path, PathBuf};

/// The variable that names the folder for a user's sockets while a desktop runs.
const VARIABLE: &str = "XDG_RUNTIME_DIR";

/// Names a private folder for the sockets of drivers where there is none. Mesa looks for a desktop there and complains on
/// standard error if the variable names none. Must be called before any thread starts.
pub(crate) fn lend() {
    let named = std::env::var_os(VARIABLE).is_some_and(|folder| Path::new(&folder).is_absolute());
    // Without one there are two lines more on the screen, and nothing else.
    let Some(folder) = private().filter(|_| !named) else { return };
    #[allow(unsafe_code)]
    // SAFETY: `main` calls this before it starts anything, so there is no other thread that could read the environment.
    unsafe {
        std::env::set_var(VARIABLE, folder);
    }
}

/// A folder that only this user can enter, as the XDG base directory specification asks of it. It is one for all
/// programs of a user and stays: one for each would be left behind by all that are killed.
#[cfg(target_os = "linux")]
fn private() -> Option<PathBuf> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    let user = std::fs::metadata("/proc/self").ok()?.uid();
    let folder = std::env::temp_dir().join(format!("thalweg-{user}"));
    let _ = std::fs::DirBuilder::new().mode(0o700).create(&folder);
    // Somebody else may have made it before, to listen in.
    let there = folder.symlink_metadata().ok()?;
    (there.is_dir() && there.uid() == user && there.mode() & 0o077 == 0).then_some(folder)
}

#[cfg(not(target_os = "linux"))]
fn private() -> Option<PathBuf> {
    None
}
