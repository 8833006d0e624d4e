//! Strokes of a brush over ground and water.

use crate::project::Complaint;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use thalweg_field::{Frame, Region};

/// A stroke of a brush along a line. What it does is strongest along the line and fades out towards its radius.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stroke {
    /// What it does.
    pub tool: Tool,
    /// The points of the line, metres east and north of the south-west corner; a single one is a dab.
    pub along: Vec<[f64; 2]>,
    /// How far it reaches from the line `[m]`.
    pub radius: f64,
    /// How strong it is in the middle: metres for what raises, lowers, pours and scoops, a share from 0 to 1 for the rest.
    #[serde(default = "whole")]
    pub strength: f64,
    /// Height that flattened ground gets `[m]`; missing: that where the stroke begins. In a volume it is where the brush is, whatever it does, and missing it is
    /// on the uppermost surface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<f64>,
}

fn whole() -> f64 {
    1.0
}

/// What a stroke does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tool {
    /// Heaps ground up.
    Raise,
    /// Takes ground off.
    Lower,
    /// Evens out bumps.
    Smooth,
    /// Brings ground to one height.
    Flatten,
    /// Makes ground harder to erode.
    Harden,
    /// Makes it easier.
    Soften,
    /// Pours water out.
    Pour,
    /// Takes water away.
    Scoop,
}

/// What a stroke changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// Height of the bed.
    Ground,
    /// Depth of the water.
    Water,
    /// How easily the ground erodes.
    Softness,
}

impl Tool {
    /// What it changes.
    pub fn layer(self) -> Layer {
        match self {
            Self::Raise | Self::Lower | Self::Smooth | Self::Flatten => Layer::Ground,
            Self::Harden | Self::Soften => Layer::Softness,
            Self::Pour | Self::Scoop => Layer::Water,
        }
    }

    /// Strengths that make sense, and their unit.
    fn strengths(self) -> (RangeInclusive<f64>, &'static str) {
        match self {
            Self::Raise | Self::Lower | Self::Pour | Self::Scoop => (0.0..=1.0e4, " m"),
            Self::Smooth | Self::Flatten | Self::Harden | Self::Soften => (0.0..=1.0, ""),
        }
    }
}

/// Most points of a line.
const MOST_POINTS: usize = 10_000;
/// Heights that ground is flattened to `[m]`.
const LEVELS: RangeInclusive<f64> = -1.0e6..=1.0e6;
/// No place or radius is farther `[m]`.
const FARTHEST: f64 = 1.0e9;

/// The cells that are painted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Canvas {
    /// Columns and rows.
    pub size: [usize; 2],
    /// Side of a cell `[m]`.
    pub cell: f64,
}

impl Canvas {
    /// That of a grid with a frame.
    pub fn new(cols: usize, rows: usize, frame: &Frame) -> Self {
        Self { size: [cols, rows], cell: frame.cell }
    }

    /// Middle of a cell, metres east and north of the south-west corner.
    pub fn place(&self, col: usize, row: usize) -> [f64; 2] {
        let rows = self.size[1] as f64;
        [(col as f64 + 0.5) * self.cell, (rows - row as f64 - 0.5) * self.cell]
    }
}

impl Stroke {
    /// Refuses what no brush can do.
    pub fn validated(&self) -> Result<(), Complaint> {
        let wrong = |what: String| {
            let path = "paint".to_owned();
            Err(Complaint { message: format!("a stroke {what}"), path })
        };
        let finite = |place: &[f64; 2]| place.iter().all(|x| x.abs() <= FARTHEST);
        if !(1..=MOST_POINTS).contains(&self.along.len()) {
            return wrong(format!("has {} points; it has 1 to {MOST_POINTS}", self.along.len()));
        }
        if let Some(place) = self.along.iter().find(|place| !finite(place)) {
            return wrong(format!("goes to {place:?}; places lie within {FARTHEST} m"));
        }
        if !(self.radius > 0.0 && self.radius <= FARTHEST) {
            return wrong(format!(
                "has a radius of {} m; it must lie between 0 and {FARTHEST} m",
                self.radius
            ));
        }
        let (strengths, unit) = self.tool.strengths();
        if !strengths.contains(&self.strength) {
            let (low, high) = strengths.into_inner();
            return wrong(format!(
                "has a strength of {}{unit}; it must lie between {low} and {high}{unit}",
                self.strength
            ));
        }
        match self.level {
            Some(level) if !LEVELS.contains(&level) => {
                wrong(format!("flattens to {level} m, where no ground is"))
            }
            _ => Ok(()),
        }
    }

    /// How strongly it acts at a place, from 0 to 1: a bell without edges.
    pub fn weight(&self, place: [f64; 2]) -> f64 {
        let share = 1.0 - self.distance_squared(place) / (self.radius * self.radius);
        share.max(0.0) * share.max(0.0)
    }

    /// Distance of a place from its line `[m]`.
    pub fn distance(&self, place: [f64; 2]) -> f64 {
        self.distance_squared(place).sqrt()
    }

    fn distance_squared(&self, place: [f64; 2]) -> f64 {
        let near = |pair: &[[f64; 2]]| distance_squared(place, pair[0], pair[pair.len() - 1]);
        match &self.along[..] {
            [only] => near(&[*only]),
            line => line.windows(2).map(near).fold(f64::INFINITY, f64::min),
        }
    }

    /// The cells that it touches.
    pub fn region(&self, canvas: &Canvas) -> Region {
        let [cols, rows] = canvas.size;
        let range = |axis: usize, count: usize| {
            let places = || self.along.iter().map(|place| place[axis]);
            let low = places().fold(f64::INFINITY, f64::min) - self.radius;
            let high = places().fold(f64::NEG_INFINITY, f64::max) + self.radius;
            let index = |x: f64| (x / canvas.cell).clamp(0.0, count as f64);
            index(low).floor() as usize..index(high).ceil() as usize
        };
        let north = range(1, rows);
        Region { cols: range(0, cols), rows: rows - north.end..rows - north.start }
    }

    /// What the cells of a region become that are `now`.
    pub fn painted(&self, canvas: &Canvas, region: &Region, now: &[f64]) -> Vec<f64> {
        if region.is_empty() {
            return Vec::new();
        }
        let wide = region.cols.len();
        let level = self.level.unwrap_or_else(|| now[self.first_cell(canvas, region)]);
        let around = |i: usize| {
            let (col, row) = (i % wide, i / wide);
            let near = |at: usize, count: usize| at.saturating_sub(1)..=(at + 1).min(count - 1);
            let cells =
                near(row, region.rows.len()).flat_map(|row| near(col, wide).map(move |col| (col, row)));
            let (sum, count) =
                cells.fold((0.0, 0.0), |(sum, count), (c, r)| (sum + now[r * wide + c], count + 1.0));
            sum / count
        };
        let painted = |(i, (col, row)): (usize, (usize, usize))| {
            let (own, by) = (now[i], self.strength * self.weight(canvas.place(col, row)));
            match self.tool {
                // What is not touched keeps its bits.
                _ if by == 0.0 => own,
                Tool::Raise | Tool::Pour => own + by,
                Tool::Lower => own - by,
                Tool::Scoop => (own - by).max(0.0),
                Tool::Smooth => own + by * (around(i) - own),
                Tool::Flatten => own + by * (level - own),
                Tool::Harden => (own - by).max(0.0),
                Tool::Soften => (own + by).min(1.0),
            }
        };
        region.cells().enumerate().map(painted).collect()
    }

    /// The cell where it begins, by its place in a region, or the one nearest to it.
    fn first_cell(&self, canvas: &Canvas, region: &Region) -> usize {
        let [east, north] = self.along[0];
        let index =
            |x: f64, low: usize, high: usize| ((x / canvas.cell).max(0.0) as usize).clamp(low, high - 1);
        let col = index(east, region.cols.start, region.cols.end) - region.cols.start;
        let south = canvas.size[1] as f64 * canvas.cell - north;
        let row = index(south, region.rows.start, region.rows.end) - region.rows.start;
        row * region.cols.len() + col
    }
}

/// Squared distance from a place to the way between two others.
fn distance_squared(place: [f64; 2], from: [f64; 2], to: [f64; 2]) -> f64 {
    let minus = |a: [f64; 2], b: [f64; 2]| [a[0] - b[0], a[1] - b[1]];
    let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
    let (way, off) = (minus(to, from), minus(place, from));
    let share = if dot(way, way) > 0.0 { (dot(off, way) / dot(way, way)).clamp(0.0, 1.0) } else { 0.0 };
    let gap = [off[0] - share * way[0], off[1] - share * way[1]];
    dot(gap, gap)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stroke(tool: Tool) -> Stroke {
        Stroke { tool, along: vec![[20.0, 20.0], [60.0, 20.0]], radius: 10.0, strength: 0.5, level: None }
    }

    const CANVAS: Canvas = Canvas { size: [10, 8], cell: 10.0 };

    #[test]
    fn a_stroke_is_strongest_on_its_line_and_nothing_beyond_its_radius() {
        let stroke = stroke(Tool::Raise);
        assert_eq!([[20.0, 20.0], [40.0, 20.0], [60.0, 20.0]].map(|at| stroke.weight(at)), [1.0; 3]);
        assert_eq!([[40.0, 30.0], [10.0, 20.0], [90.0, 20.0]].map(|at| stroke.weight(at)), [0.0; 3]);
        assert!((stroke.weight([40.0, 25.0]) - 0.5625).abs() < 1.0e-12);
    }

    #[test]
    fn its_region_holds_every_cell_that_it_touches() {
        let stroke = stroke(Tool::Raise);
        let region = stroke.region(&CANVAS);
        assert_eq!(region, Region { cols: 1..7, rows: 5..7 });
        for row in 0..8 {
            for col in 0..10 {
                let inside = region.cols.contains(&col) && region.rows.contains(&row);
                assert!(inside || stroke.weight(CANVAS.place(col, row)) == 0.0, "{col}, {row}");
            }
        }
        let far = Stroke { along: vec![[-500.0, 9000.0]], ..stroke };
        assert!(far.region(&CANVAS).is_empty());
    }

    #[test]
    fn each_tool_does_what_it_says() {
        let region = Region { cols: 3..4, rows: 5..6 };
        // The middle of the cell is 5 m off the line: 0.5 · (3/4)².
        let (by, dab) = (0.28125, |tool| stroke(tool).painted(&CANVAS, &region, &[0.5])[0]);
        let near = |tool, expected: f64| {
            let found = dab(tool);
            assert!((found - expected).abs() < 1.0e-12, "{tool:?}: {found}, not {expected}");
        };
        near(Tool::Raise, 0.5 + by);
        near(Tool::Lower, 0.5 - by);
        near(Tool::Pour, 0.5 + by);
        near(Tool::Scoop, 0.5 - by);
        near(Tool::Soften, 0.5 + by);
        near(Tool::Harden, 0.5 - by);
        let flat = Stroke { level: Some(10.0), ..stroke(Tool::Flatten) };
        assert!((flat.painted(&CANVAS, &region, &[0.5])[0] - (0.5 + by * 9.5)).abs() < 1.0e-12);
        let bump = Region { cols: 2..5, rows: 5..8 };
        let heights = [0.0, 0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0, 0.0];
        let smooth =
            Stroke { along: vec![[35.0, 15.0]], ..stroke(Tool::Smooth) }.painted(&CANVAS, &bump, &heights);
        assert!((smooth[4] - 5.0).abs() < 1.0e-12, "half of the way from 9 to the mean, 1: {smooth:?}");
    }

    #[test]
    fn what_no_brush_can_do_is_refused() {
        let good = stroke(Tool::Raise);
        good.validated().unwrap();
        for bad in [
            Stroke { along: Vec::new(), ..good.clone() },
            Stroke { along: vec![[f64::NAN, 0.0]], ..good.clone() },
            Stroke { radius: 0.0, ..good.clone() },
            Stroke { strength: -1.0, ..good.clone() },
            Stroke { strength: 1.5, tool: Tool::Smooth, ..good.clone() },
            Stroke { level: Some(f64::INFINITY), ..good },
        ] {
            assert!(bad.validated().is_err(), "{bad:?}");
        }
    }
}
