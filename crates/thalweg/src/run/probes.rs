//! Tables of what probes measure while a run goes on.

use super::gauge::{headings, measure};
use super::pace::Pace;
use super::progress::Watcher;
use super::recorder::{Ending, Now, Recorder, Shows};
use super::{Earlier, RunOptions};
use crate::project::{Every, Probe};
use std::path::PathBuf;
use thalweg_field::Snapshot;
use thalweg_io::{GrowingTable, WriteError, atomic};

/// A probe at work.
struct Running {
    probe: Probe,
    path: PathBuf,
    /// The next line of its table, and the table once it is begun.
    number: u64,
    table: Option<GrowingTable>,
}

impl Running {
    fn pace(&self) -> Pace {
        Pace::Every(Every::Time(self.probe.every))
    }
}

/// Writes the tables of all probes.
pub(super) struct Probes {
    folder: PathBuf,
    all: Vec<Running>,
    /// Whether tables that are there go on.
    resumes: bool,
}

impl Probes {
    pub(super) fn new(options: &RunOptions, now: &Now) -> Self {
        let folder = options.out.join("probes");
        let running = |probe: &Probe| Running {
            path: folder.join(format!("{}.csv", probe.name)),
            number: Pace::Every(Every::Time(probe.every)).first(now),
            table: None,
            probe: probe.clone(),
        };
        let all = now.scene().probes.iter().map(running).collect();
        Self { folder, all, resumes: options.earlier == Earlier::Resume }
    }
}

impl Recorder for Probes {
    fn name(&self) -> &'static str {
        "probes"
    }

    fn due_in(&self, now: &Now) -> u64 {
        self.all.iter().map(|running| running.pace().due_in(running.number, now)).min().unwrap_or(u64::MAX)
    }

    fn is_due(&self, now: &Now) -> bool {
        self.all.iter().any(|running| running.pace().is_due(running.number, now))
    }

    fn shows(&self) -> Shows {
        Shows::PointsAndBed
    }

    fn write(&mut self, now: &Now, shown: &mut Snapshot, _: &mut dyn Watcher) -> Result<(), WriteError> {
        atomic::create_dir(&self.folder)?;
        for running in &mut self.all {
            if !running.pace().is_due(running.number, now) {
                continue;
            }
            let table = match &mut running.table {
                Some(table) => table,
                none => {
                    // Lines that the run took before it was stopped, up to the state that it goes on from.
                    let until = self.resumes.then_some(shown.time * (1.0 - f64::EPSILON));
                    none.insert(GrowingTable::open(&running.path, headings(running.probe.kind), until)?)
                }
            };
            let found = measure(&running.probe, shown);
            table.add(&[vec![shown.time], found].concat())?;
            while running.pace().is_due(running.number, now) {
                running.number += 1;
            }
        }
        Ok(())
    }

    fn rewind(&mut self) {
        self.resumes = false;
        for running in &mut self.all {
            (running.number, running.table) = (0, None);
        }
    }

    fn finish(&mut self, _: &mut Ending) -> Result<Vec<PathBuf>, WriteError> {
        Ok(self.all.iter().map(|running| running.path.clone()).filter(|path| path.is_file()).collect())
    }
}
