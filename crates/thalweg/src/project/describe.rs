//! What there is to say about every key of a scene, read off the types that hold it.

use super::schema::{Backend, Scene, Solver, SolverKind};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::OnceLock;
use thalweg_coupling as coupling;
use thalweg_erosion::pipes;
use thalweg_field::describe::{Description, WithoutNull};

/// The description of a scene.
pub fn description() -> &'static Description {
    static SCENE: OnceLock<Description> = OnceLock::new();
    SCENE.get_or_init(Description::of::<Scene>)
}

/// The JSON Schema of scene files, for editors that complete and check them.
///
/// It is of draft 7, which all of them know. Beside what that says, keys have `x-unit` and `x-dimension`, `x-slider`
/// (where values that make sense lie), `x-hint` and `x-live` (whether it can change while a scene runs).
pub fn json_schema() -> Value {
    let settings = SchemaSettings::draft07().with_transform(WithoutNull);
    let mut schema = Value::from(settings.into_generator().into_root_schema_for::<Scene>());
    schema["title"] = "A thalweg scene".into();
    schema
}

/// The values of a method's parameter tables, each with its name.
pub(super) fn presets(kind: &str) -> Vec<(&'static str, Value)> {
    let method = [SolverKind::Pipes, SolverKind::Sph].into_iter().find(|method| method.name() == kind);
    let values = |kind: SolverKind, name: &str| match kind {
        SolverKind::Pipes => json!(pipes::Params::preset(name)),
        SolverKind::Sph => json!(coupling::Params::preset(name)),
    };
    let named = |kind: SolverKind| kind.presets().into_iter().map(move |name| (name, values(kind, name)));
    method.into_iter().flat_map(named).collect()
}

impl JsonSchema for Solver {
    fn schema_name() -> Cow<'static, str> {
        "Solver".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let methods = [SolverKind::Pipes, SolverKind::Sph].map(|kind| method(kind, generator));
        json_schema!({ "anyOf": methods })
    }
}

/// `[solver]` with the parameters of one method.
fn method(kind: SolverKind, generator: &mut SchemaGenerator) -> Value {
    let params = match kind {
        SolverKind::Pipes => pipes::Params::json_schema(generator),
        SolverKind::Sph => coupling::Params::json_schema(generator),
    };
    let mut method = Value::from(params);
    let mut backend = Value::from(Backend::json_schema(generator));
    backend["default"] = json!(Backend::default());
    let preset = "The parameter table that the others start from.";
    let names = kind.presets();
    // What the method is says the list of methods.
    let methods = Value::from(SolverKind::json_schema(generator));
    let about = methods["oneOf"].as_array().into_iter().flatten().find(|one| one["const"] == kind.name());
    method["description"] = about.map_or(Value::Null, |about| about["description"].clone());
    let usual = SolverKind::default().name();
    let more = [
        (
            "kind",
            json!({ "type": "string", "const": kind.name(), "default": usual, "description": "The method." }),
        ),
        ("preset", json!({ "type": "string", "enum": names, "default": names[0], "description": preset })),
        ("backend", backend),
    ];
    for (key, schema) in more {
        method["properties"][key] = schema;
    }
    if kind != SolverKind::default() {
        method["required"] = json!(["kind"]);
    }
    method
}
