//! Whether a scene of waves makes sense.

use super::{Params, in_solver};
use crate::project::{Complaint, Scene};
use thalweg_field::Edge;

/// Everything that is wrong with it, as far as it is seen without its ground.
pub(super) fn check(scene: &Scene) -> Vec<Complaint> {
    let mut found = Vec::new();
    match scene.solver.first().params::<Params>() {
        Ok(params) => found.extend(params.validated().err().map(in_solver)),
        Err(complaint) => found.push(complaint),
    }
    let mut unless = |good: bool, path: &str, message: &str| {
        if !good {
            found.push(Complaint { path: path.into(), message: format!("{path}: {message}") });
        }
    };
    for (i, pool) in scene.water.iter().enumerate() {
        let path = format!("water[{i}]");
        unless(i == 0, &path, "waves run on one surface; give one [[water]] with a level");
        unless(
            pool.level.is_some(),
            &path,
            "waves run on water that stands at a level; give a level instead of a depth",
        );
    }
    let sides = scene.edges.sides();
    let named = sides.iter().zip(["north", "east", "south", "west"]);
    for (side, name) in named {
        let path = format!("edges.{name}");
        let known = matches!(side, Edge::Closed | Edge::Open);
        unless(known, &path, "waves end at an edge (\"open\") or come back from it (\"closed\")");
        let alike = std::mem::discriminant(side) == std::mem::discriminant(&sides[0]);
        unless(
            alike || !known,
            &path,
            "for waves all edges are \"open\", or all are \"closed\"; walls in between are ground",
        );
    }
    found
}

/// Refuses changes of what cannot change while waves run.
pub(super) fn only_live(old: &Scene, new: &Scene) -> Result<(), Complaint> {
    let fixed = |path: &str| {
        let message = format!("{path} cannot change while waves run; start anew for that");
        Err(Complaint { path: path.into(), message })
    };
    if old.bodies.len() != new.bodies.len() {
        return fixed("body");
    }
    if old.ocean != new.ocean {
        return fixed("ocean");
    }
    if old.water != new.water {
        return fixed("water");
    }
    Ok(())
}
