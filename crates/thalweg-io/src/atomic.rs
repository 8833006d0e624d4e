//! Files that are either the old or the new one, never half.

use crate::WriteError;
use crate::error::folder_of;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
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

/// Writes a file that must not be there yet, whole or not at all.
pub fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut part = Part::beside(path)?;
    part.temporary.as_file_mut().write_all(content)?;
    part.keep_with(Place::New, &File::sync_all)
}

/// Creates a folder and those it lies in; a folder that is already there is fine.
pub fn create_dir(path: &Path) -> Result<(), WriteError> {
    let create = || {
        if path.is_dir() {
            return Ok(());
        }
        let missing =
            path.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.is_dir());
        let missing: Vec<_> = missing.collect();
        fs::create_dir_all(path)?;
        // Each new name stands in the folder above it.
        missing.iter().rev().try_for_each(|folder| sync_folder(folder_of(folder), &File::sync_all))
    };
    create().map_err(|source| WriteError::Io { path: path.into(), source })
}

/// How a file or a folder is brought onto the disk.
type Sync<'a> = &'a dyn Fn(&File) -> io::Result<()>;

/// Whether a file may take the place of another.
enum Place {
    Old,
    New,
}

/// Makes a new name in a folder last. Some file systems cannot promise that for folders, and say so; and a folder may be
/// ours to write into and not to open. Whatever else is said is a failure.
fn sync_folder(folder: &Path, sync: Sync) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    let folder = match File::open(folder) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Ok(()),
        folder => folder?,
    };
    match sync(&folder) {
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        synced => synced,
    }
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
    pub(crate) fn beside(path: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".thalweg-").suffix(".part");
        // Temporary files are private by default; this one becomes an ordinary file, under the user's umask.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let temporary = builder.tempfile_in(folder_of(path))?;
        Ok(Self { temporary, path: path.into() })
    }

    /// The file itself.
    pub(crate) fn file(&self) -> &File {
        self.temporary.as_file()
    }

    /// Its temporary name, for programs that open it themselves.
    pub(crate) fn name(&self) -> &Path {
        self.temporary.path()
    }

    /// Puts the file in its place once all its bytes are on the disk.
    pub(crate) fn keep(self) -> io::Result<()> {
        self.keep_with(Place::Old, &File::sync_all)
    }

    fn keep_with(self, place: Place, sync: Sync) -> io::Result<()> {
        sync(self.temporary.as_file())?;
        match place {
            Place::Old => self.temporary.persist(&self.path)?,
            Place::New => self.temporary.persist_noclobber(&self.path)?,
        };
        sync_folder(folder_of(&self.path), sync)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// A disk that gives out while bytes are on their way must not pass for one that took them.
    #[test]
    fn a_disk_that_does_not_take_the_bytes_is_told_of() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("step.twc");
        let kept = |sync: Sync| Part::beside(&path).unwrap().keep_with(Place::Old, sync);
        let full = |_: &File| Err(ErrorKind::StorageFull.into());
        assert_eq!(kept(&full).unwrap_err().kind(), ErrorKind::StorageFull);
        assert!(names(folder.path()).is_empty(), "a file that is not on the disk is not put in place");
        // The file is on the disk, its name in the folder is not.
        let folders = |file: &File| match file.metadata()?.is_dir() {
            true => Err(io::Error::other("the disk is gone")),
            false => Ok(()),
        };
        assert_eq!(kept(&folders).unwrap_err().to_string(), "the disk is gone");
        // Some file systems have no such promise for folders.
        for kind in [ErrorKind::InvalidInput, ErrorKind::Unsupported] {
            let cannot = |file: &File| if file.metadata()?.is_dir() { Err(kind.into()) } else { Ok(()) };
            kept(&cannot).unwrap();
        }
        write_new(&folder.path().join("new"), b"x").unwrap();
        let again = write_new(&folder.path().join("new"), b"y").unwrap_err();
        assert_eq!(again.kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read(folder.path().join("new")).unwrap(), b"x");
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
