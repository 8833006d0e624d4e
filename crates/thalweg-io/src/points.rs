//! Particles out, in the format that the name tells.

use crate::{WriteError, write_ply_points, write_vtp_points};
use std::collections::HashSet;
use std::path::Path;
use thalweg_field::{FieldInfo, Points};

/// What the numbers of a place are, told at the beginning of every file of particles or triangles that
/// has room for words.
pub(crate) const PLACES: &str = "thalweg: metres east, north and up from the south-west corner";

/// Writes particles in the format that the name tells: [`.ply`](write_ply_points) or
/// [`.vtp`](write_vtp_points). `time` is when they are there, if that is known `[s]`.
pub fn write_points(path: &Path, points: &Points, time: Option<f64>) -> Result<(), WriteError> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    match extension.to_str() {
        Some("ply") => write_ply_points(path, points, time),
        Some("vtp") => write_vtp_points(path, points, time),
        _ => Err(WriteError::Extension { path: path.into(), expected: ".ply or .vtp" }),
    }
}

/// Refuses particles that a file could not tell apart, name or count. The rules are the same for every
/// format, so that whoever can write one can write the other.
pub(crate) fn check_points(path: &Path, points: &Points) -> Result<(), WriteError> {
    let refuse = |what, expected| Err(WriteError::Refused { path: path.into(), what, expected });
    if !(points.radius.is_finite() && points.radius >= 0.0) {
        return refuse(format!("the radius is {} m", points.radius), "it must be 0 or more");
    }
    if !points.ids.is_empty() && points.ids.len() != points.len() {
        let what = format!("{} of {} points have a number of their own", points.ids.len(), points.len());
        return refuse(what, "all must have one, or none");
    }
    let mut names = HashSet::from(["x", "y", "z"]);
    names.extend((!points.ids.is_empty()).then_some("id"));
    for column in &points.columns {
        let FieldInfo { name, unit, meaning } = &column.info;
        if !names.insert(name) {
            return refuse(format!("two columns are named {name}"), "each needs a name of its own");
        }
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return refuse(format!("a column is named {name:?}"), "its name must be one word");
        }
        for text in [unit, meaning] {
            if text.contains(char::is_control) || text.trim() != text {
                return refuse(
                    format!("the label of the column {name} is {text:?}"),
                    "it must be one line without blanks around it",
                );
            }
        }
        if column.values.len() != points.len() {
            let what =
                format!("the column {name} has {} values for {} points", column.values.len(), points.len());
            return refuse(what, "it must have one for each");
        }
    }
    Ok(())
}
