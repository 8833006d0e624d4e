//! Tables of where bodies are while a run goes on, and all of them as JSON at its end.

use super::pace::Pace;
use super::progress::Watcher;
use super::recorder::{Ending, Now, Recorder, Shows};
use super::{Earlier, RunOptions};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::PathBuf;
use thalweg_field::{Body, Snapshot};
use thalweg_io::{GrowingTable, WriteError, atomic};

/// What the columns say.
const HEADINGS: &str =
    "time [s],east [m],north [m],up [m],heading [deg],pitch [deg],roll [deg],x [-],y [-],z [-],w [-]";

/// Writes a table for each body.
pub(super) struct Trajectories {
    folder: PathBuf,
    pace: Pace,
    number: u64,
    tables: Vec<(PathBuf, GrowingTable)>,
    /// Whether tables that are there go on.
    resumes: bool,
}

impl Trajectories {
    pub(super) fn new(options: &RunOptions, now: &Now) -> Self {
        let pace = Pace::Every(now.scene().output.bodies_every);
        let (folder, resumes) = (options.out.join("bodies"), options.earlier == Earlier::Resume);
        Self { folder, pace, number: pace.first(now), tables: Vec::new(), resumes }
    }
}

/// Where a body is, how it is turned as sailors say it, and the same as a quaternion.
fn line(time: f64, body: &Body) -> Vec<f64> {
    let [ahead, port] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(|axis| body.pose.turned(axis));
    let heading = ahead[0].atan2(ahead[1]).to_degrees().rem_euclid(360.0);
    let [pitch, roll] = [ahead[2], port[2]].map(|rise| rise.clamp(-1.0, 1.0).asin().to_degrees());
    [&[time][..], &body.pose.place, &[heading, pitch, roll], &body.pose.turn].concat()
}

impl Recorder for Trajectories {
    fn name(&self) -> &'static str {
        "bodies"
    }

    fn due_in(&self, now: &Now) -> u64 {
        self.pace.due_in(self.number, now)
    }

    fn is_due(&self, now: &Now) -> bool {
        self.pace.is_due(self.number, now)
    }

    fn shows(&self) -> Shows {
        Shows::Points
    }

    fn write(&mut self, now: &Now, shown: &mut Snapshot, _: &mut dyn Watcher) -> Result<(), WriteError> {
        atomic::create_dir(&self.folder)?;
        if self.tables.is_empty() {
            // Lines that the run took before it was stopped, up to the state that it goes on from.
            let until = self.resumes.then_some(shown.time * (1.0 - f64::EPSILON));
            for body in &shown.bodies {
                let path = self.folder.join(format!("{}.csv", body.name));
                let table = GrowingTable::open(&path, HEADINGS, until)?;
                self.tables.push((path, table));
            }
        }
        for ((_, table), body) in self.tables.iter_mut().zip(&shown.bodies) {
            table.add(&line(shown.time, body))?;
        }
        while self.pace.is_due(self.number, now) {
            self.number += 1;
        }
        Ok(())
    }

    fn rewind(&mut self) {
        (self.resumes, self.number, self.tables) = (false, 0, Vec::new());
    }

    fn finish(&mut self, _: &mut Ending) -> Result<Vec<PathBuf>, WriteError> {
        let mut written: Vec<PathBuf> = self.tables.iter().map(|(path, _)| path.clone()).collect();
        if !written.is_empty() {
            let path = self.folder.join("bodies.json");
            let text = as_json(&written)?.to_string();
            atomic::write_atomic(&path, |file| file.write_all(text.as_bytes()))?;
            written.push(path);
        }
        Ok(written)
    }
}

/// What stands in the tables: `columns`, and under `bodies` the lines of each by its name.
fn as_json(tables: &[PathBuf]) -> Result<Value, WriteError> {
    let mut bodies = serde_json::Map::new();
    for path in tables {
        let text =
            std::fs::read_to_string(path).map_err(|source| WriteError::Io { path: path.clone(), source })?;
        let lines = text.lines().skip(1);
        let lines = lines.map(|line| line.split(',').map(|number| number.parse::<f64>().ok()).collect());
        let lines: Vec<Vec<Option<f64>>> = lines.collect();
        let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        bodies.insert(name, json!(lines));
    }
    Ok(json!({ "columns": HEADINGS.split(',').collect::<Vec<_>>(), "bodies": bodies }))
}
