//! Runs the real program in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;
use thalweg::field::Grid2;
use thalweg::io::read_map;

/// A folder to work in.
pub(crate) struct Folder(TempDir);

/// What the program did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// A small scene that ends in a moment: rain, a spring, two passes.
pub(crate) const SMALL: &str = r#"version = 1
title = "small"
seed = 3

[terrain]
size = [48, 40]
cell = "10 m"

[[terrain.layer]]
kind = "fbm"
height = "80 m"
wavelength = "200 m"

[[rain]]
rate = "60 mm/h"

[[source]]
at = ["200 m", "300 m"]
rate = "0.5 m3/s"
radius = "15 m"

[edges]
south = "open"

[time]
steps = 100

[[time.coarse]]
factor = 2
steps = 60

[picture]
size = [160, 90]

[output]
pictures = false
"#;

impl Folder {
    /// Values of a map in it.
    pub(crate) fn map(&self, name: &str) -> Grid2<f32> {
        read_map(&self.path(name), 1 << 30).unwrap().values
    }

    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With `small.toml` in it.
    pub(crate) fn with_scene() -> Self {
        let folder = Self::new();
        folder.write("small.toml", SMALL);
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_slice(&self.read(name)).unwrap()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_thalweg"));
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        // Without it Mesa's drivers complain on standard error where there is no desktop.
        command.env("XDG_RUNTIME_DIR", self.0.path());
        command
    }

    /// Runs the program; it must not panic, and must leave no temporary file.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.judge(self.command(arguments), &format!("{arguments:?}"))
    }

    /// Runs the program with a variable of the environment set.
    pub(crate) fn run_with(&self, variable: (&str, &str), arguments: &[&str]) -> Ran {
        let mut command = self.command(arguments);
        command.env(variable.0, variable.1);
        self.judge(command, &format!("{variable:?} {arguments:?}"))
    }

    /// Runs a line of shell in which `$THALWEG` is the program.
    pub(crate) fn shell(&self, line: &str) -> Ran {
        let mut command = Command::new("sh");
        command.args(["-c", line]).env("THALWEG", env!("CARGO_BIN_EXE_thalweg"));
        command.current_dir(self.0.path()).stdin(Stdio::null());
        self.judge(command, line)
    }

    pub(crate) fn judge(&self, mut command: Command, what: &str) -> Ran {
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let ran = Ran {
            code: output.status.code().unwrap_or_else(|| panic!("{what} was killed: {}", output.status)),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        };
        assert!(!ran.stderr.contains("panicked"), "{what}: {ran:?}");
        let left: Vec<_> = self.files().into_iter().filter(|name| name.ends_with(".part")).collect();
        assert!(left.is_empty(), "{what} left {left:?}");
        ran
    }

    pub(crate) fn ok(&self, arguments: &[&str]) -> Ran {
        let ran = self.run(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
        ran
    }

    /// Runs something that must fail with this code and say all of this, each in a message on standard error.
    pub(crate) fn fails(&self, arguments: &[&str], code: i32, words: &[&str]) -> Ran {
        let ran = self.run(arguments);
        ran.failed(code, words, &format!("{arguments:?}"));
        ran
    }

    /// All files below the folder, sorted, relative to it.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        collect(self.0.path(), self.0.path(), &mut files);
        files.sort();
        files
    }

    /// The files below a folder in which two runs must agree to the bit: all but times and checkpoints.
    pub(crate) fn results(&self, out: &str) -> Vec<(String, Vec<u8>)> {
        let inside = format!("{out}/");
        let names = self.files().into_iter().filter_map(|name| name.strip_prefix(&inside).map(str::to_owned));
        names
            .filter(|name| name != "report.json" && !name.starts_with("checkpoints/"))
            .map(|name| (name.clone(), self.read(&format!("{inside}{name}"))))
            .collect()
    }
}

impl Ran {
    pub(crate) fn failed(&self, code: i32, words: &[&str], what: &str) {
        assert_eq!(self.code, code, "{what}: {self:?}");
        assert!(self.stdout.is_empty(), "{what} printed on standard output: {self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "{what} should say {word:?}: {self:?}");
        }
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            collect(root, &path, files);
        } else {
            files.push(path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/"));
        }
    }
}

/// Waits until something holds while the program runs, presses Ctrl-C, and tells how the program ended.
#[cfg(unix)]
pub(crate) fn interrupted(mut command: Command, when: impl Fn(u32) -> bool) -> Ran {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let started = std::time::Instant::now();
    while !when(child.id()) {
        assert!(started.elapsed().as_secs() < 120, "not so far after two minutes: {command:?}");
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be stopped: {command:?}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().expect("it ends by itself"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Two runs wrote the same files with the same bytes.
pub(crate) fn same(a: &[(String, Vec<u8>)], b: &[(String, Vec<u8>)], what: &str) {
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(a), names(b), "{what}");
    for ((name, one), (_, other)) in a.iter().zip(b) {
        assert!(one == other, "{what}: {name} differs");
    }
}
