//! Files that are either the old or the new one, never half.

use crate::WriteError;
use crate::error::folder_of;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Bytes gathered before they go to the disk.
pub(crate) const BUFFER: usize = 1 << 20;

/// Writes a file through a temporary one in the same folder, which is renamed once all its bytes are on
/// the disk. If anything fails, the file that was there before stays and nothing is left behind.
///
/// The folder must exist: see [`create_dir`].
pub fn write_atomic(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
) -> Result<(), WriteError> {
    replace(path, write).map_err(|source| WriteError::Io { path: path.into(), source })
}

/// Creates a folder and those it lies in; a folder that is already there is fine.
pub fn create_dir(path: &Path) -> Result<(), WriteError> {
    fs::create_dir_all(path).map_err(|source| WriteError::Io { path: path.into(), source })
}

fn replace(path: &Path, write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>) -> io::Result<()> {
    let mut part = Part::beside(path)?;
    let mut writer = BufWriter::with_capacity(BUFFER, part.temporary.as_file_mut());
    write(&mut writer)?;
    writer.flush()?;
    drop(writer);
    part.keep()
}

/// A file under its temporary name. Dropped, it is gone; kept, it takes the place of the old file.
pub(crate) struct Part {
    temporary: NamedTempFile,
    path: PathBuf,
}

impl Part {
    /// An empty file in the folder of `path`.
    pub fn beside(path: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".thalweg-").suffix(".part");
        // Temporary files are private by default; this one becomes an ordinary file, under the user's umask.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let temporary = builder.tempfile_in(folder_of(path))?;
        Ok(Self { temporary, path: path.into() })
    }

    /// The file itself.
    pub fn file(&self) -> &File {
        self.temporary.as_file()
    }

    /// Its temporary name, for programs that open it themselves.
    pub fn name(&self) -> &Path {
        self.temporary.path()
    }

    /// Puts the file in its place once all its bytes are on the disk.
    pub fn keep(self) -> io::Result<()> {
        self.temporary.as_file().sync_all()?;
        self.temporary.persist(&self.path)?;
        // The rename itself lasts only once the folder is on the disk. The new file is in place whether or
        // not this file system can promise that, so a refusal is no failure.
        #[cfg(unix)]
        let _ = File::open(folder_of(&self.path)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("height.png");
        write_atomic(&path, |w| w.write_all(b"old")).unwrap();
        for kind in [ErrorKind::StorageFull, ErrorKind::Other] {
            let error = write_atomic(&path, |w| {
                w.write_all(&vec![7; 3 * BUFFER])?;
                Err(kind.into())
            });
            let message = error.unwrap_err().to_string();
            assert!(message.contains("height.png"), "{message}");
            assert_eq!(message.contains("no space left"), kind == ErrorKind::StorageFull, "{message}");
            assert_eq!(fs::read(&path).unwrap(), b"old");
            assert_eq!(names(folder.path()), ["height.png"]);
        }
        write_atomic(&path, |w| w.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn impossible_places_are_explained() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), b"").unwrap();
        let message = |name: &str| {
            write_atomic(&folder.path().join(name), |w| w.write_all(b"x")).unwrap_err().to_string()
        };
        assert!(message("missing/a.png").contains("does not exist; try creating it"));
        assert!(message("file/a.png").contains("is not a folder"), "{}", message("file/a.png"));
        fs::create_dir(folder.path().join("a.png")).unwrap();
        assert!(message("a.png").contains("this is a folder"), "{}", message("a.png"));
        assert!(create_dir(&folder.path().join("file/sub")).is_err());
        create_dir(&folder.path().join("deep/er")).unwrap();
        create_dir(&folder.path().join("deep/er")).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_what_was_written() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let [ours, plain] = ["ours", "plain"].map(|name| folder.path().join(name));
        write_atomic(&ours, |w| w.write_all(b"x")).unwrap();
        fs::write(&plain, b"x").unwrap();
        let mode = |path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }
}
