//! Landscapes to be measured: those that a scene makes, and windows of real ones.

use crate::project::{Project, ProjectError};
use crate::session::Session;
use crate::solver::StepError;
use crate::world::{SetupError, start_ground};
use thalweg_field::{Frame, Grid2, Heightfield};
use thalweg_terrain::analysis::{Channels, Drainage, Realism, compared};

/// Drainage area from which a cell is a channel when two networks are compared `[m²]`.
const CHANNEL: f64 = 0.5e6;

/// Distance within which two channels are the same `[m]`: three cells of 30 m, rounded up.
const SAME: f64 = 100.0;

/// Acceleration of gravity `[m/s²]`.
const GRAVITY: f64 = 9.81;

/// What is known of one landscape, real or made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// What it is called.
    pub name: String,
    /// What is measured of its ground.
    pub realism: Realism,
    /// Fastest water of a run, over the speed that falling down the whole relief gives `[-]`.
    pub speed_over_fall: Option<f64>,
    /// Share of the channels that are where those of the same seed at the first size are, the smaller of both ways `[-]`.
    pub overlap: Option<f64>,
    /// Volume of ground that left over the edges, over that of the same seed at the first size `[-]`.
    pub export_ratio: Option<f64>,
}

impl Sample {
    /// Measures a ground.
    pub fn of(name: impl Into<String>, ground: &Heightfield) -> Self {
        Self { name: name.into(), realism: Realism::of(ground), ..Self::default() }
    }
}

/// A landscape that a scene made.
#[derive(Clone, Debug)]
pub struct Made {
    /// What is known of it.
    pub sample: Sample,
    /// Its ground.
    pub ground: Heightfield,
    /// Volume of ground that left over the edges `[m³]`.
    pub exported: f64,
}

/// Why a landscape could not be made.
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    /// The scene cannot be opened.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// The scene cannot be set up.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The run failed.
    #[error(transparent)]
    Step(#[from] StepError),
}

/// A scene over the same kilometres with any seed and any number of cells.
#[derive(Clone, Debug)]
pub struct Survey {
    scene: String,
    changes: Vec<String>,
    /// Columns and rows as the scene has them.
    size: [usize; 2],
    /// Width of the terrain `[m]`, where its file does not tell it.
    width: Option<f64>,
}

impl Survey {
    /// Takes a scene by file, folder or name, with `key=value` changes.
    pub fn new(scene: &str, changes: &[String]) -> Result<Self, SurveyError> {
        let project = Project::open(scene, changes)?;
        let start = start_ground(&project, u64::MAX, &mut Vec::new())?;
        let size = [start.height.cols(), start.height.rows()];
        // A file has its own width, and resampling keeps it.
        let width = project.scene.terrain.file.is_none().then(|| start.extent()[0]);
        Ok(Self { scene: scene.into(), changes: changes.to_vec(), size, width })
    }

    /// Columns as the scene has them.
    pub fn cols(&self) -> usize {
        self.size[0]
    }

    /// Runs the scene with a seed on so many columns.
    pub fn run(&self, seed: u64, cols: usize) -> Result<Made, SurveyError> {
        let rows = (cols * self.size[1]).div_ceil(self.size[0].max(1));
        let mut changes = self.changes.clone();
        changes.push(format!("seed={seed}"));
        changes.push(format!("terrain.size=[{cols},{rows}]"));
        if let Some(width) = self.width {
            changes.push(format!("terrain.cell={}", width / cols as f64));
        }
        let project = Project::open(&self.scene, &changes)?;
        let mut session = Session::new(&project, u64::MAX)?;
        while !session.is_over() {
            session.tick(u64::MAX)?;
        }
        session.check_finite()?;
        let ground = session.ground();
        let sample = Sample {
            speed_over_fall: speed_over_fall(&session),
            ..Sample::of(format!("{}, seed {seed}, {cols}", project.name), &ground)
        };
        Ok(Made { sample, ground, exported: session.ledger().solids.exported })
    }

    /// The same seed at several sizes; each is compared with the first. `tell` gets the columns and
    /// the landscape of each as soon as it is there.
    pub fn run_sizes(
        &self,
        seed: u64,
        sizes: &[usize],
        tell: &mut dyn FnMut(usize, Result<&Made, SurveyError>),
    ) {
        let mut first: Option<Made> = None;
        for &cols in sizes {
            match self.run(seed, cols) {
                Ok(mut made) => {
                    if let Some(first) = &first {
                        made.sample.overlap = overlap(&first.ground, &made.ground);
                        let ratio = made.exported / first.exported;
                        made.sample.export_ratio = Some(ratio).filter(|ratio| ratio.is_finite());
                    }
                    tell(cols, Ok(&made));
                    first.get_or_insert(made);
                }
                Err(error) => tell(cols, Err(error)),
            }
        }
    }
}

/// Fastest water that a session shows, over √(2 g relief) `[-]`; `None` without a map of the speed or without relief.
fn speed_over_fall(session: &Session) -> Option<f64> {
    let snapshot = session.snapshot();
    let speeds = snapshot.fields.iter().filter(|field| field.info.name.ends_with("speed"));
    let fastest =
        speeds.filter_map(|field| field.values.range()).map(|(_, high)| f64::from(high)).reduce(f64::max)?;
    let (low, high) = session.start().height.range()?;
    let fall = (2.0 * GRAVITY * f64::from(high - low)).sqrt();
    (fall > 0.0).then(|| fastest / fall)
}

/// Share of the channels of each of two grounds over the same extent that the other has too, the smaller of both.
fn overlap(one: &Heightfield, other: &Heightfield) -> Option<f64> {
    let grounds = [compared(one), compared(other)];
    let drainages = [Drainage::of(&grounds[0]), Drainage::of(&grounds[1])];
    let [one, other] = [0, 1].map(|i| Channels::of(&drainages[i], &grounds[i].height, CHANNEL));
    Some(one.overlap(&other, SAME)?.min(other.overlap(&one, SAME)?))
}

/// Square windows of a ground with a side of about `side` metres, spread evenly over it, as many as it is wide and high in
/// them; from the north-west, row after row. The ground itself where it is smaller.
pub fn windows(ground: &Heightfield, side: f64) -> Vec<Heightfield> {
    let cells = (side / ground.frame.cell).round() as usize;
    let (cols, rows) = (ground.height.cols(), ground.height.rows());
    if cells == 0 || cells >= cols.min(rows) {
        return vec![ground.clone()];
    }
    let starts = |length: usize| {
        let count = (length as f64 / cells as f64).round() as usize;
        (0..count).map(move |i| (length - cells) * i / (count - 1).max(1))
    };
    let cut = |first_col: usize, first_row: usize| Heightfield {
        height: Grid2::from_fn(cells, cells, |col, row| ground.height.at(first_col + col, first_row + row)),
        frame: Frame::with_cell(ground.frame.cell),
    };
    starts(rows)
        .flat_map(|row| starts(cols).map(move |col| (col, row)))
        .map(|(col, row)| cut(col, row))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_reach_from_edge_to_edge() {
        let ground = Heightfield {
            height: Grid2::from_fn(35, 20, |col, row| (100 * row + col) as f32),
            frame: Frame::with_cell(10.0),
        };
        let corners = |side: f64| {
            windows(&ground, side).iter().map(|window| window.height.at(0, 0)).collect::<Vec<f32>>()
        };
        // Three and a half windows make four, which overlap a little.
        assert_eq!(corners(100.0), [0.0, 8.0, 16.0, 25.0, 1000.0, 1008.0, 1016.0, 1025.0]);
        assert_eq!(corners(200.0), [0.0], "it is no higher than a window");
    }
}
