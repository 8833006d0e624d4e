//! `[ocean]`, `[[body]]` and `[[wavemaker]]`: what moves the surface of deep water, and what floats on it.

use super::check::{Complaints, check_file_name, check_path, check_window};
use super::ranges::{place, time};
use super::schema::Scene;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::HashSet;
use std::f64::consts::TAU;
use thalweg_field::describe::{live, within};
use thalweg_field::{Invalid, units};
use thalweg_waves::{BodyParams, HullForm, OceanParams, frequency, radius_of};
use toml::{Table, Value};

/// A paddle along a line, which sends straight waves to the left of the way from its first end to its second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = live)]
pub struct Wavemaker {
    /// Its first end, east and north of the south-west corner.
    #[serde(with = "units::Pair::<units::Length>")]
    #[schemars(transform = place())]
    pub from: [f64; 2],
    /// Its second end.
    #[serde(with = "units::Pair::<units::Length>")]
    #[schemars(transform = place())]
    pub to: [f64; 2],
    /// Height of its waves from trough to crest `[m]`.
    #[serde(with = "units::Length")]
    #[schemars(transform = within(1.0e-6, 100.0).slider(0.05, 5.0))]
    pub height: f64,
    /// Length of its waves in deep water `[m]`.
    #[serde(default, with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-3, 1.0e4).slider(2.0, 200.0))]
    pub length: Option<f64>,
    /// Time from crest to crest `[s]`, instead of their length.
    #[serde(default, with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-3, 1.0e3).slider(1.0, 15.0))]
    pub period: Option<f64>,
    /// When it begins `[s]`.
    #[serde(default, with = "units::Time")]
    #[schemars(transform = time().slider(0.0, 600.0))]
    pub start: f64,
    /// When it ends `[s]`; missing: never.
    #[serde(default, with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = time().slider(0.0, 600.0))]
    pub stop: Option<f64>,
}

impl Wavemaker {
    /// Time from crest to crest `[s]`.
    pub fn period(&self, gravity: f64) -> f64 {
        let of_length = |length: f64| TAU / frequency(gravity, 0.5 * length, f64::INFINITY);
        self.period.or(self.length.map(of_length)).unwrap_or(f64::INFINITY)
    }

    /// Half the length of its waves over some depth `[m]`.
    pub fn radius(&self, gravity: f64, depth: f64) -> f64 {
        radius_of(gravity, TAU / self.period(gravity), depth)
    }
}

/// Reads bodies: what one does not say is as usual for its form.
pub(super) fn bodies<'de, D: Deserializer<'de>>(list: D) -> Result<Vec<BodyParams>, D::Error> {
    let read = |written: Table| -> Result<BodyParams, toml::de::Error> {
        let form = written.get("hull").cloned();
        let form = form.map_or(Ok(HullForm::default()), Value::try_into)?;
        let mut whole = Table::try_from(BodyParams::of(form))
            .map_err(|error| toml::de::Error::custom(error.to_string()))?;
        whole.extend(written);
        whole.try_into()
    };
    let wrong = |error: toml::de::Error| D::Error::custom(error.message());
    Vec::<Table>::deserialize(list)?.into_iter().map(|body| read(body).map_err(wrong)).collect()
}

impl Scene {
    pub(super) fn check_floating(&self, found: &mut Complaints) {
        let mut names = HashSet::new();
        for (i, body) in self.bodies.iter().enumerate() {
            if let Err(invalid) = body.clone().validated() {
                found.extend([Invalid { key: format!("body[{i}].{}", invalid.key), ..invalid }.into()]);
            }
            check_file_name(found, &body.name, &format!("body[{i}].name"));
            found.unless(names.insert(body.name.as_str()), format!("body[{i}].name"), || {
                format!(
                    "body[{i}].name is \"{}\" again; cameras and tables know bodies by their names",
                    body.name
                )
            });
            if let Some(file) = &body.file {
                check_path(found, file, &format!("body[{i}].file"));
            }
        }
        for (i, maker) in self.wavemakers.iter().enumerate() {
            let path = format!("wavemaker[{i}]");
            found.unless(maker.length.is_some() != maker.period.is_some(), &path, || {
                format!("{path}: its waves have a length or a period; give exactly one of them")
            });
            found.unless(maker.from != maker.to, format!("{path}.to"), || {
                format!("{path}.to is where it begins; a paddle has two ends")
            });
            check_window(found, &path, maker.start, maker.stop);
        }
        if let Some(Err(invalid)) = self.ocean.clone().map(OceanParams::validated) {
            found.extend([Invalid { key: format!("ocean.{}", invalid.key), ..invalid }.into()]);
        }
    }
}
