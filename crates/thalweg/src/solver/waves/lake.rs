//! The water at rest that waves go through: it stands at a level of the scene's, or another water has filled it.

use super::in_solver;
use crate::project::{Complaint, Scene};
use crate::solver::Setup;
use thalweg_field::sum::ordered_sum;
use thalweg_field::{Edge, Grid2, Heightfield};
use thalweg_waves::Basin;

/// Water of others that is no deeper carries no waves: films on slopes and brooks are no lakes `[m]`.
const LEAST_DEPTH: f32 = 0.2;
/// Changes of depth that waves do not notice `[m]`.
const UNNOTICED: f32 = 0.02;
/// Depth of water that nobody has told anything of, above the lowest ground `[m]`.
const PLACEHOLDER: f64 = 1.0;
/// Time between two looks at the water of others, whose shores are found anew then `[s]`.
const LOOK_EVERY: f64 = 0.5;

/// The water at rest.
#[derive(Clone, Debug)]
pub(super) struct Lake {
    level: f64,
    closed: bool,
    /// The ground when its shores were last found: what waves, bodies and the sea know of it.
    bed: Heightfield,
    /// How deep the water of another method was when it was last looked at; none where the scene gives a level `[m]`.
    filled: Option<Grid2<f32>>,
    /// When it is looked at next `[s]`.
    next_look: f64,
}

impl Lake {
    /// The level of the scene's standing water, 0 m without any.
    pub(super) fn of_scene(setup: &Setup, ground: &Heightfield) -> Result<Self, Complaint> {
        let scene = &setup.scene;
        let level = scene.water.first().and_then(|pool| pool.level).unwrap_or(0.0);
        let lowest = ground.height.range().map_or(0.0, |(low, _)| f64::from(low));
        // Until the water of another method is known, which may lie high.
        let level = if scene.water.is_empty() && lowest >= level { lowest + PLACEHOLDER } else { level };
        let lake =
            Self { level, closed: is_closed(scene), bed: ground.clone(), filled: None, next_look: 0.0 };
        let dry = || Complaint {
            path: "water[0].level".into(),
            message: format!(
                "the water stands at {level} m, and all ground is higher (the lowest is {lowest:.1} m): waves need water; \
                 raise [[water]] level, or lower the terrain"
            ),
        };
        let wet = ground.height.values().iter().any(|&height| f64::from(height) < level);
        if wet { Ok(lake) } else { Err(dry()) }
    }

    /// Height of its surface `[m]`.
    pub(super) fn level(&self) -> f64 {
        self.level
    }

    /// The ground that its shores belong to.
    pub(super) fn bed(&self) -> &Heightfield {
        &self.bed
    }

    /// The lake on a ground that has become another; `None` where hardly anything has changed.
    pub(super) fn on(&self, ground: &Heightfield) -> Option<Self> {
        (!near(&self.bed.height, &ground.height)).then(|| Self { bed: ground.clone(), ..self.clone() })
    }

    /// Whether it is time to look at the water of another method `[s]`.
    pub(super) fn looks(&self, time: f64) -> bool {
        time >= self.next_look
    }

    /// Takes over how deep the water of another method is at a time `[s]`; false if hardly anything has changed.
    pub(super) fn takes(&mut self, ground: &Heightfield, depth: &Grid2<f32>, time: f64) -> bool {
        self.next_look = time + LOOK_EVERY;
        if self.filled.as_ref().is_some_and(|was| near(was, depth)) {
            return false;
        }
        let deep =
            ground.height.values().iter().zip(depth.values()).filter(|(_, depth)| **depth > LEAST_DEPTH);
        let (mut water, mut moment) = (0.0, 0.0);
        for (&height, &depth) in deep {
            // Where it is deep it counts for more: slopes and rivers have a surface of their own.
            water += f64::from(depth);
            moment += f64::from(depth) * f64::from(height + depth);
        }
        if water > 0.0 {
            self.level = moment / water;
            self.filled = Some(depth.clone());
            self.bed = ground.clone();
        }
        water > 0.0
    }

    /// How deep the water of another method was, if it fills it `[m]`.
    pub(super) fn filled(&self) -> Option<&Grid2<f32>> {
        self.filled.as_ref()
    }

    /// When it is looked at next `[s]`.
    pub(super) fn next_look(&self) -> f64 {
        self.next_look
    }

    /// Takes up what was saved.
    pub(super) fn resume(
        &mut self,
        bed: Grid2<f32>,
        filled: Option<Grid2<f32>>,
        [level, next_look]: [f64; 2],
    ) {
        self.bed.height = bed;
        (self.filled, self.level, self.next_look) = (filled, level, next_look);
    }

    /// Depth of the water, below zero where the ground stands out `[m]`.
    pub(super) fn depth(&self, ground: &Heightfield) -> Grid2<f32> {
        match &self.filled {
            None => ground.height.map(|height| (self.level - f64::from(height)) as f32),
            Some(filled) => Grid2::from_fn(filled.cols(), filled.rows(), |col, row| {
                let below = (self.level - f64::from(ground.height.at(col, row))) as f32;
                // A lake's own shore, not that of the level: behind a dam there may be lower ground that is dry.
                if filled.at(col, row) > 0.0 { below } else { below.min(-UNNOTICED) }
            }),
        }
    }

    /// Its shores and its bed.
    pub(super) fn basin(&self) -> Result<Basin, Complaint> {
        let depth = Heightfield { height: self.depth(&self.bed), frame: self.bed.frame.clone() };
        Basin::from_depth(&depth, self.closed).map_err(in_solver)
    }

    /// What bodies do not pass beside the bed: edges that are closed, each a little longer than it is, so that no corner is open.
    pub(super) fn edges(&self) -> Vec<[[f64; 2]; 2]> {
        if !self.closed {
            return Vec::new();
        }
        let [east, north] = self.bed.extent();
        let over = self.bed.frame.cell;
        vec![
            [[-over, 0.0], [east + over, 0.0]],
            [[east, -over], [east, north + over]],
            [[east + over, north], [-over, north]],
            [[0.0, north + over], [0.0, -over]],
        ]
    }

    /// How much water there is `[m³]`.
    pub(super) fn volume(&self, ground: &Heightfield) -> f64 {
        let depth = self.depth(ground).map(|depth| depth.max(0.0));
        ordered_sum(depth.values()) * ground.frame.cell * ground.frame.cell
    }
}

/// Whether two maps are alike but for what waves do not notice.
fn near(was: &Grid2<f32>, is: &Grid2<f32>) -> bool {
    was.same_shape(is) && was.values().iter().zip(is.values()).all(|(was, is)| (was - is).abs() < UNNOTICED)
}

/// Whether its edges are walls; they are all alike, which is checked.
fn is_closed(scene: &Scene) -> bool {
    scene.ocean.is_none() && scene.edges.north == Edge::Closed
}
