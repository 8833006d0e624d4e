//! `[[probe]]`: what is measured while a scene of particles runs.

use super::Complaint;
use super::check::{Complaints, check_file_name};
use super::ranges::{Point, place, span};
use super::schema::Scene;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thalweg_field::units;

/// Something that is measured again and again while particles flow, and written as a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// Its name, which is that of its file: letters, digits, `-` and `_`.
    pub name: String,
    /// What it measures.
    pub kind: ProbeKind,
    /// Where pressure is measured, or above which place the surface: metres east, north and up; of the surface, up has no meaning.
    #[serde(default, with = "Point", skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 3]>,
    /// One end of the section that discharge passes, or the south-west corner of the bed that bears a force: metres east and north.
    #[serde(default, with = "units::Pair::<units::Length>", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = place())]
    pub from: Option<[f64; 2]>,
    /// The other end, or the north-east corner.
    #[serde(default, with = "units::Pair::<units::Length>", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = place())]
    pub to: Option<[f64; 2]>,
    /// Time between two lines of its table `[s]`.
    #[serde(default = "every", with = "units::Time")]
    #[schemars(transform = span().slider(0.001, 1.0).hint("such as \"10 ms\""))]
    pub every: f64,
}

fn every() -> f64 {
    0.01
}

/// What a probe measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProbeKind {
    /// Pressure at a place.
    Pressure,
    /// Height of the surface above a place.
    Surface,
    /// Water that passes a vertical section, to the right of whoever looks from `from` to `to`.
    Discharge,
    /// Force of the water on a rectangle of the bed, east, north and up.
    Force,
}

impl Scene {
    pub(super) fn check_probes(&self, found: &mut Complaints) {
        for (i, probe) in self.probes.iter().enumerate() {
            let path = |key: &str| format!("probe[{i}].{key}");
            check_file_name(found, &probe.name, &path("name"));
            let again = self.probes[..i].iter().any(|other| other.name == probe.name);
            found.unless(!again, path("name"), || {
                format!("{} is {:?} again; each probe has a file of its own", path("name"), probe.name)
            });
            found.extend(probe.missing(&path));
        }
    }
}

impl Probe {
    /// Complaints about keys that its kind needs, or has no use for.
    fn missing(&self, path: &dyn Fn(&str) -> String) -> Vec<Complaint> {
        let pointed = matches!(self.kind, ProbeKind::Pressure | ProbeKind::Surface);
        let kinds = |pointed: bool| {
            if pointed { "\"pressure\" or \"surface\"" } else { "\"discharge\" or \"force\"" }
        };
        let mut found = Vec::new();
        for (key, there, needed) in [
            ("at", self.at.is_some(), pointed),
            ("from", self.from.is_some(), !pointed),
            ("to", self.to.is_some(), !pointed),
        ] {
            let (path, kinds) = (path(key), kinds(key == "at"));
            if needed && !there {
                let message = format!("{path} is missing; kind = {kinds} needs it");
                found.push(Complaint { path, message });
            } else if there && !needed {
                let message = format!("{path} has no meaning here; it is for kind = {kinds}");
                found.push(Complaint { path, message });
            }
        }
        if let (Some(from), Some(to)) = (self.from, self.to) {
            let good = match self.kind {
                ProbeKind::Force => (0..2).all(|axis| to[axis] > from[axis]),
                _ => from != to,
            };
            if !good {
                let path = path("to");
                let message =
                    format!("{path} is {to:?}, and from is {from:?}: there is nothing between them");
                found.push(Complaint { path, message });
            }
        }
        found
    }
}
