//! `[[obstacle]]`: bodies in water of particles, and gates.

use super::check::{Complaints, check_path};
use super::particles::check_box;
use super::ranges::{Point, angle, size, time};
use super::schema::Scene;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thalweg_field::describe::within;
use thalweg_field::units;

/// A body that particles cannot enter: it stands still, or opens at some time like a gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Obstacle {
    /// Its form.
    pub shape: ObstacleShape,
    /// Lowest corner of a box before it is turned: metres east, north and up.
    #[serde(default, with = "Point", skip_serializing_if = "Option::is_none")]
    pub from: Option<[f64; 3]>,
    /// Its highest corner.
    #[serde(default, with = "Point", skip_serializing_if = "Option::is_none")]
    pub to: Option<[f64; 3]>,
    /// File of a closed mesh: `.obj` or `.glb` with Y up, as is their custom, `.ply` or `.stl` with Z up; where the file says otherwise, as that says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where the origin of a mesh is put: metres east, north and up; missing: the south-west corner at 0 m.
    #[serde(default, with = "Point", skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 3]>,
    /// Length of a unit of a mesh `[m]`; missing: 1 m.
    #[serde(default, with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = size().slider(0.001, 10.0).hint("\"1 mm\" for a mesh in millimetres"))]
    pub scale: Option<f64>,
    /// How far it is turned anticlockwise seen from above, a box about its middle, a mesh about its origin `[rad]`.
    #[serde(default, with = "units::Angle")]
    #[schemars(transform = angle())]
    pub turn: f64,
    /// When it opens `[s]`; missing: never.
    #[serde(default, with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = time().slider(0.0, 60.0))]
    pub opens: Option<f64>,
    /// How fast it is lifted when it opens, until it has risen by its own height `[m/s]`; missing: it is gone at once.
    #[serde(default, with = "units::Speed", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-6, 1.0e3).slider(0.1, 10.0))]
    pub lift: Option<f64>,
}

/// Forms of obstacles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ObstacleShape {
    /// A box.
    Box,
    /// What a closed mesh encloses.
    Mesh,
}

impl Scene {
    pub(super) fn check_obstacles(&self, found: &mut Complaints) {
        for (i, obstacle) in self.obstacles.iter().enumerate() {
            check_obstacle(found, obstacle, &format!("obstacle[{i}]"));
        }
    }
}

fn check_obstacle(found: &mut Complaints, obstacle: &Obstacle, path: &str) {
    let boxed = obstacle.shape == ObstacleShape::Box;
    for (key, there, needed, fits, shape) in [
        ("from", obstacle.from.is_some(), true, boxed, "\"box\""),
        ("to", obstacle.to.is_some(), true, boxed, "\"box\""),
        ("file", obstacle.file.is_some(), true, !boxed, "\"mesh\""),
        ("at", obstacle.at.is_some(), false, !boxed, "\"mesh\""),
        ("scale", obstacle.scale.is_some(), false, !boxed, "\"mesh\""),
    ] {
        let path = format!("{path}.{key}");
        found.unless(there || !needed || !fits, &path, || {
            format!("{path} is missing; shape = {shape} needs it")
        });
        found.unless(!there || fits, &path, || {
            format!("{path} has no meaning here; it is for shape = {shape}")
        });
    }
    if let (ObstacleShape::Box, Some(from), Some(to)) = (obstacle.shape, obstacle.from, obstacle.to) {
        check_box(found, from, to, path);
    }
    if let Some(file) = &obstacle.file {
        check_path(found, file, &format!("{path}.file"));
    }
    found.unless(obstacle.lift.is_none() || obstacle.opens.is_some(), format!("{path}.lift"), || {
        format!("{path}.lift has no meaning without {path}.opens, the time at which it is lifted")
    });
}
