//! What there is to say about every key of a scene, read off the types that hold it.

use super::{Backend, Earlier, Scene, Solvers, Time};
use crate::solver::{Method, method, methods};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use thalweg_field::describe::{Description, WithoutNull};

/// The description of a scene, with every method that there is.
pub fn description() -> Arc<Description> {
    /// It is made anew when a method comes, and is the same in between.
    static LAST: Mutex<Option<(usize, Arc<Description>)>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let there = methods().len();
    match &*last {
        Some((methods, description)) if *methods == there => description.clone(),
        _ => last.insert((there, Arc::new(Description::of::<Scene>()))).1.clone(),
    }
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
    let named = |method: &'static Method| {
        method.presets.iter().map(|(name, _)| (*name, json!((method.preset)(name))))
    };
    method(kind).into_iter().flat_map(named).collect()
}

impl JsonSchema for Solvers {
    fn schema_name() -> Cow<'static, str> {
        "Solver".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let methods: Vec<_> = methods().into_iter().map(|method| with_method(method, generator)).collect();
        let several = json!({
            "type": "array",
            "items": { "anyOf": methods },
            "minItems": 1,
            "description": "Several waters on one ground; the first leads.",
        });
        json_schema!({ "anyOf": methods.into_iter().chain([several]).collect::<Vec<_>>() })
    }
}

impl JsonSchema for Earlier {
    fn schema_name() -> Cow<'static, str> {
        "Before".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let time = Value::from(generator.subschema_for::<Time>());
        let timed = |method: &'static Method| {
            let mut solver = with_method(method, generator);
            solver["properties"]["time"] = time.clone();
            solver
        };
        json_schema!({ "anyOf": methods().into_iter().map(timed).collect::<Vec<_>>() })
    }
}

/// `[solver]` with the parameters of one method.
fn with_method(method: &Method, generator: &mut SchemaGenerator) -> Value {
    let mut solver = Value::from((method.schema)(generator));
    let mut backend = Value::from(Backend::json_schema(generator));
    backend["default"] = json!(Backend::default());
    let names: Vec<_> = method.presets.iter().map(|(name, _)| *name).collect();
    let usual = methods()[0].name;
    solver["description"] = method.about.into();
    let preset = "The parameter table that the others start from.";
    let more = [
        (
            "kind",
            json!({ "type": "string", "const": method.name, "default": usual, "description": "The method." }),
        ),
        ("preset", json!({ "type": "string", "enum": names, "default": names[0], "description": preset })),
        ("backend", backend),
    ];
    for (key, schema) in more {
        solver["properties"][key] = schema;
    }
    if method.name != usual {
        solver["required"] = json!(["kind"]);
    }
    solver
}
