//! Tables of numbers as CSV that grow line by line while something runs.

use crate::WriteError;
use crate::atomic::write_atomic;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A table whose first column rises from line to line. It is whole after every line: what is written is written at once.
#[derive(Debug)]
pub struct GrowingTable {
    path: PathBuf,
    file: File,
}

impl GrowingTable {
    /// Begins a table with a line of headings; or goes on with the one that is there, whose lines beyond `until` in the first column,
    /// and whatever is no line of numbers, are dropped.
    pub fn open(path: &Path, headings: &str, until: Option<f64>) -> Result<Self, WriteError> {
        let old = until.and_then(|until| Some((until, std::fs::read_to_string(path).ok()?)));
        let kept = old.map_or(String::new(), |(until, text)| kept_lines(&text, headings, until));
        write_atomic(path, |file| write!(file, "{headings}\n{kept}"))?;
        let file = OpenOptions::new().append(true).open(path);
        Ok(Self {
            path: path.into(),
            file: file.map_err(|source| WriteError::Io { path: path.into(), source })?,
        })
    }

    /// Adds a line; a number that is none becomes an empty place.
    pub fn add(&mut self, numbers: &[f64]) -> Result<(), WriteError> {
        let mut line = String::new();
        for (i, number) in numbers.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            // Writing to a string cannot fail.
            let _ =
                if number.is_finite() { write!(line, "{comma}{number}") } else { write!(line, "{comma}") };
        }
        line.push('\n');
        let written = self.file.write_all(line.as_bytes());
        written.map_err(|source| WriteError::Io { path: self.path.clone(), source })
    }
}

/// Lines of a table up to a number in the first column; none if it has other headings.
fn kept_lines(text: &str, headings: &str, until: f64) -> String {
    let mut lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    if lines.next().map(str::trim_end) != Some(headings) {
        return String::new();
    }
    let number = |line: &str| line.split(',').next()?.trim().parse::<f64>().ok();
    lines.take_while(|line| number(line).is_some_and(|number| number <= until)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_goes_on_where_a_run_does() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let mut table = GrowingTable::open(&path, "time,value", None).unwrap();
        for time in [0.0, 0.5, 1.0] {
            table.add(&[time, 2.0 * time]).unwrap();
        }
        table.add(&[1.5, f64::NAN]).unwrap();
        let read = || std::fs::read_to_string(&path).unwrap();
        assert_eq!(read(), "time,value\n0,0\n0.5,1\n1,2\n1.5,\n");
        // A line that was cut off, and one after the state that the run goes on from.
        std::fs::write(&path, format!("{}1.7", read())).unwrap();
        let mut table = GrowingTable::open(&path, "time,value", Some(1.2)).unwrap();
        table.add(&[1.4, 7.0]).unwrap();
        assert_eq!(read(), "time,value\n0,0\n0.5,1\n1,2\n1.4,7\n");
        // Another table, and a new one.
        drop(GrowingTable::open(&path, "time,other", Some(9.0)).unwrap());
        assert_eq!(read(), "time,other\n");
    }
}
