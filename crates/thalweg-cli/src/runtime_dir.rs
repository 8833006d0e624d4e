//! A folder for graphics drivers.

use std::path::Path;
use tempfile::TempDir;

/// The variable that names the folder for a user's sockets while a desktop runs.
const VARIABLE: &str = "XDG_RUNTIME_DIR";

/// Gives drivers a private folder for their sockets where there is none, until the end of the program. Mesa looks for a
/// desktop there and complains on standard error if the variable names none. Must be called before any thread starts.
#[must_use]
pub fn lend() -> Option<TempDir> {
    let named = std::env::var_os(VARIABLE).is_some_and(|folder| Path::new(&folder).is_absolute());
    if named || !cfg!(target_os = "linux") {
        return None;
    }
    // Without one there are two lines more on the screen, and nothing else.
    let folder = tempfile::Builder::new().prefix("thalweg-").tempdir().ok()?;
    #[allow(unsafe_code)]
    // SAFETY: `main` calls this before it starts anything, so there is no other thread that could read the environment.
    unsafe {
        std::env::set_var(VARIABLE, folder.path());
    }
    Some(folder)
}
