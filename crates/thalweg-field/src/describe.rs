//! Parameters that say what they are: unit, range, meaning, and whether they can change while something runs.
//!
//! Everything about a parameter stands beside its field and nowhere else. The unit is that of the type which reads it
//! ([`units`]), the meaning is the doc comment, the default is the struct's own, and the rest is an [`About`]. Checks,
//! tables of the guide, `thalweg explain` and the JSON Schema of scene files all come from there.
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//! use thalweg_field::{describe::{Description, check, within}, units};
//!
//! /// Rain.
//! #[derive(Serialize, Deserialize, JsonSchema)]
//! struct Rain {
//!     /// Water reaching every cell `[m/s]`.
//!     #[serde(with = "units::Speed")]
//!     #[schemars(transform = within(0.0, 10.0).slider(0.0, 1.0e-4).hint("a cloudburst has 1e-4"))]
//!     rate: f64,
//! }
//! let refused = check(&Rain { rate: -1.0 }).unwrap_err();
//! assert_eq!(refused.to_string(), "rate is -1 m/s; it must lie between 0 and 10 m/s (a cloudburst has 1e-4)");
//! let description = Description::of::<Rain>();
//! let rate = &description.parameters()[0];
//! assert_eq!((&*rate.key, &*rate.meaning), ("rate", "Water reaching every cell."));
//! ```

use crate::Invalid;
use crate::range::brief;
use crate::units::{self, Dimension};
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde_json::{Map, Value, json};
use std::sync::OnceLock;

/// What there is to say about a parameter beside its unit, meaning and default.
///
/// It stands beside the field, as `#[schemars(transform = within(0.0, 1.0))]`.
#[derive(Clone, Copy, Debug, Default)]
pub struct About {
    range: Option<[f64; 2]>,
    slider: Option<[f64; 2]>,
    hint: &'static str,
    unit: &'static str,
    fixed: bool,
}

/// A parameter that lies between two values, both allowed.
pub const fn within(low: f64, high: f64) -> About {
    About { range: Some([low, high]), ..about() }
}

/// A parameter without limits.
pub const fn about() -> About {
    About { range: None, slider: None, hint: "", unit: "", fixed: false }
}

impl About {
    /// Where values that make sense lie, in the middle of all that are allowed.
    #[must_use]
    pub const fn slider(self, low: f64, high: f64) -> Self {
        Self { slider: Some([low, high]), ..self }
    }

    /// What to do instead of going beyond the range.
    #[must_use]
    pub const fn hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }

    /// What a whole number counts.
    #[must_use]
    pub const fn of(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    /// It cannot change while something runs, unlike the others of its [`live`] section.
    #[must_use]
    pub const fn fixed(self) -> Self {
        Self { fixed: true, ..self }
    }
}

impl Transform for About {
    fn transform(&mut self, schema: &mut Schema) {
        // The numbers of a list have the range, the list has the rest.
        let number = match schema.get_mut("items") {
            Some(items) => <&mut Schema>::try_from(items).ok(),
            None => Some(&mut *schema),
        };
        if let (Some(number), Some(range)) = (number, self.range) {
            // Whole numbers are told as such.
            let whole = number.get("type").and_then(Value::as_str) == Some("integer");
            let told = |value: f64| if whole { json!(value as i64) } else { json!(value) };
            number.insert("minimum".into(), told(range[0]));
            number.insert("maximum".into(), told(range[1]));
        }
        if let Some(slider) = self.slider {
            schema.insert("x-slider".into(), json!(slider));
        }
        if !self.hint.is_empty() {
            schema.insert("x-hint".into(), self.hint.into());
        }
        if !self.unit.is_empty() {
            schema.insert("x-unit".into(), self.unit.into());
        }
        if self.fixed {
            schema.insert("x-live".into(), false.into());
        }
    }
}

/// Says of all parameters of a section that they can change while something runs, less those that are
/// [fixed](About::fixed). Stands above the struct, as `#[schemars(transform = live)]`.
pub fn live(section: &mut Schema) {
    let properties = section.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut) {
        property.entry("x-live").or_insert(true.into());
    }
}

/// TOML has no null: what is not there is left out.
#[derive(Clone, Debug)]
pub struct WithoutNull;

impl Transform for WithoutNull {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        if let Some(types) = schema.get_mut("type").and_then(Value::as_array_mut) {
            types.retain(|name| name != "null");
            if let [only] = &types[..] {
                let only = only.clone();
                schema.insert("type".into(), only);
            }
        }
        let Some(others) = schema.get_mut("anyOf").and_then(Value::as_array_mut) else { return };
        others.retain(|schema| schema.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = &others[..] {
            let only = only.clone();
            schema.remove("anyOf");
            for (key, value) in only {
                schema.ensure_object().entry(key).or_insert(value);
            }
        }
    }
}

/// Refuses the first number of some parameters that is beyond its range, or is none.
pub fn check<T: Serialize + JsonSchema>(parameters: &T) -> Result<(), Invalid> {
    Description::of::<T>().beyond(parameters).into_iter().next().map_or(Ok(()), Err)
}

/// The names of a struct's fields as in a file, in the order of the code.
pub fn field_names<T: DeserializeOwned>() -> &'static [&'static str] {
    /// Notes the names that are asked for and gives nothing.
    struct Names<'a>(&'a mut &'static [&'static str]);

    impl<'de> Deserializer<'de> for Names<'_> {
        type Error = serde::de::value::Error;

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
            Err(Self::Error::custom("there is nothing to read"))
        }

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            names: &'static [&'static str],
            visitor: V,
        ) -> Result<V::Value, Self::Error> {
            *self.0 = names;
            self.deserialize_any(visitor)
        }

        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
            unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }

    let mut names: &[&str] = &[];
    // It cannot be read; that is not what it is asked for.
    drop(T::deserialize(Names(&mut names)));
    names
}

/// What a value may look like.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Form {
    /// `number`, `integer`, `text`, `boolean`, `table` or `list`.
    pub form: &'static str,
    /// What kind of quantity it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dimension: Option<String>,
    /// Its unit; of a pure number there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Smallest and largest value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// How many there are, of a list with a fixed length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// What each of a list is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub each: Option<&'static str>,
}

/// One of several words that a parameter may be.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Choice {
    /// As it is written.
    pub value: Value,
    /// What it does.
    pub meaning: String,
}

/// All that is known of a parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// Its key, without numbers of entries: `rain.rate`.
    pub key: String,
    /// The `kind`s of its section that have it; none: whatever kind there is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
    /// What it does.
    pub meaning: String,
    /// What it may look like; a parameter of words alone has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forms: Vec<Form>,
    /// The words that it may be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
    /// Where values that make sense lie.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slider: Option<[f64; 2]>,
    /// What to do instead of going beyond the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Its value where a file does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// Whether a file has to say.
    pub required: bool,
    /// Whether it can change while a scene runs.
    pub live: bool,
}

impl Parameter {
    /// The first form that has a unit or a range.
    pub fn quantity(&self) -> Option<&Form> {
        self.forms.iter().find(|form| form.range.is_some() || form.unit.is_some())
    }
}

/// The description of a whole struct of parameters, and of those within.
#[derive(Clone, Debug)]
pub struct Description {
    root: Value,
    /// What [`Self::parameters`] found: there are hundreds, and a session asks at every edit.
    parameters: OnceLock<Vec<Parameter>>,
}

impl Description {
    /// Describes a type.
    pub fn of<T: JsonSchema>() -> Self {
        let settings = SchemaSettings::draft2020_12().with_transform(WithoutNull);
        let root = settings.into_generator().into_root_schema_for::<T>().into();
        Self { root, parameters: OnceLock::new() }
    }

    /// Every number that is beyond its range, in no order.
    pub fn beyond<T: Serialize>(&self, parameters: &T) -> Vec<Invalid> {
        let mut found = Vec::new();
        if let Ok(value) = serde_json::to_value(parameters) {
            self.compare(&self.root, &value, String::new(), &mut found);
        }
        found
    }

    /// Every parameter, sections before what is in them.
    pub fn parameters(&self) -> &[Parameter] {
        self.parameters.get_or_init(|| {
            let mut all = Vec::new();
            let walk = Walk { description: self, refs: Vec::new(), kind: None };
            walk.below("", &self.root, &mut all);
            all
        })
    }

    /// The schema that a schema stands for.
    fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix('#'));
        target.and_then(|pointer| self.root.pointer(pointer)).map_or(schema, |schema| self.resolve(schema))
    }

    /// The schemas that a value may follow.
    fn branches<'a>(&'a self, schema: &'a Value) -> Vec<&'a Value> {
        let schema = self.resolve(schema);
        let several = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(key)?.as_array());
        match several {
            Some(several) => several.iter().flat_map(|schema| self.branches(schema)).collect(),
            None => vec![schema],
        }
    }

    fn compare(&self, schema: &Value, value: &Value, path: String, found: &mut Vec<Invalid>) {
        let hint = schema.get("x-hint");
        let Some(branch) = self.branches(schema).into_iter().find(|branch| fits(branch, value)) else {
            return;
        };
        match value {
            Value::Object(table) => {
                for (key, value) in table {
                    if let Some(schema) = branch["properties"].get(key) {
                        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                        self.compare(schema, value, path, found);
                    }
                }
            }
            Value::Array(list) => {
                for (i, value) in list.iter().enumerate() {
                    let part = branch["prefixItems"].get(i).unwrap_or(&branch["items"]);
                    let path = if value.is_object() { format!("{path}[{i}]") } else { path.clone() };
                    self.compare(part, value, path, found);
                }
            }
            _ => found.extend(beyond(branch, hint, value, path)),
        }
    }
}

/// Whether a value follows a schema that is no choice between others, as far as telling it from others goes.
fn fits(schema: &Value, value: &Value) -> bool {
    if let Some(only) = schema.get("const") {
        return value == only;
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return words.contains(value);
    }
    let is = |name: &str| match schema.get("type") {
        Some(Value::Array(names)) => names.iter().any(|other| other == name),
        Some(other) => other == name,
        None => true,
    };
    match value {
        // Numbers that are none.
        Value::Null => is("number"),
        Value::Bool(_) => is("boolean"),
        Value::Number(_) => is("number") || is("integer"),
        Value::String(text) => {
            is("string") && dimension(schema).is_none_or(|d| units::parse(text, d).is_ok())
        }
        Value::Array(_) => is("array"),
        Value::Object(table) => {
            let properties = &schema["properties"];
            let right = |(key, value): (&String, &Value)| match properties.get(key) {
                Some(schema) => schema.get("const").is_none_or(|only| only == value),
                None => schema.get("additionalProperties").is_none(),
            };
            is("object") && table.iter().all(right)
        }
    }
}

fn dimension(schema: &Value) -> Option<Dimension> {
    schema.get("x-dimension").and_then(Value::as_str).and_then(Dimension::named)
}

fn range(schema: &Value) -> Option<[f64; 2]> {
    let [low, high] = ["minimum", "maximum"].map(|key| schema.get(key).and_then(Value::as_f64));
    Some([low?, high?])
}

fn beyond(schema: &Value, hint: Option<&Value>, value: &Value, key: String) -> Option<Invalid> {
    let [low, high] = range(schema)?;
    let number = match value {
        Value::String(text) => units::parse(text, dimension(schema)?).ok(),
        value => value.as_f64(),
    };
    if number.is_some_and(|number| (low..=high).contains(&number)) {
        return None;
    }
    let unit = schema.get("x-unit").and_then(Value::as_str).unwrap_or_default();
    let with_unit = |number: String| if unit.is_empty() { number } else { format!("{number} {unit}") };
    let value = number.map_or("no finite number".into(), |number| with_unit(brief(number)));
    let mut remedy = format!("it must lie between {} and {}", brief(low), with_unit(brief(high)));
    if let Some(hint) = hint.or(schema.get("x-hint")).and_then(Value::as_str) {
        remedy = format!("{remedy} ({hint})");
    }
    Some(Invalid { key, value, remedy })
}

/// The way from a section to the parameters in it.
struct Walk<'a> {
    description: &'a Description,
    /// Names of the schemas on the way, so that layers within masks of layers come to an end.
    refs: Vec<&'a str>,
    /// The kind of the section.
    kind: Option<&'a str>,
}

impl<'a> Walk<'a> {
    /// Takes in the parameters of a section, or of the entries of a list.
    fn below(&self, above: &str, schema: &'a Value, all: &mut Vec<Parameter>) {
        let Self { description, ref refs, kind } = *self;
        let name = schema.get("$ref").and_then(Value::as_str);
        if name.is_some_and(|name| refs.contains(&name)) {
            return;
        }
        let refs: Vec<_> = refs.iter().copied().chain(name).collect();
        for branch in description.branches(schema) {
            if let Some(items) = branch.get("items") {
                Walk { description, refs: refs.clone(), kind }.below(above, items, all);
            }
            let Some(properties) = branch.get("properties").and_then(Value::as_object) else { continue };
            let own = properties.get("kind").and_then(|kind| kind.get("const")).and_then(Value::as_str);
            let inner = Walk { description, refs: refs.clone(), kind: own.or(kind) };
            let required = branch.get("required").and_then(Value::as_array);
            for (name, schema) in properties {
                let key = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
                let mut parameter = inner.parameter(key, schema);
                if name == "kind" && own.is_some() {
                    // It tells the kinds apart, so all of them have it, and each is what its section is.
                    parameter.kinds.clear();
                    if parameter.meaning.is_empty() {
                        parameter.meaning =
                            "Which kind it is, and with it which other keys there are.".into();
                    }
                    parameter.choices.iter_mut().for_each(|choice| choice.meaning = meaning(branch));
                }
                parameter.required = required.is_some_and(|required| required.contains(&json!(name)));
                let key = parameter.key.clone();
                take_in(parameter, all);
                inner.below(&key, schema, all);
            }
        }
    }

    fn parameter(&self, key: String, schema: &Value) -> Parameter {
        let text = |name: &str| schema.get(name).and_then(Value::as_str);
        let branches = self.description.branches(schema);
        let meaning = text("description").or_else(|| branches[0].get("description")?.as_str());
        let unit = branches.iter().find_map(|branch| {
            let parts = ["/x-unit", "/items/x-unit", "/prefixItems/0/x-unit"];
            parts.iter().find_map(|pointer| branch.pointer(pointer)?.as_str())
        });
        let mut forms: Vec<_> = branches.iter().filter_map(|branch| self.form(branch)).collect();
        forms.dedup();
        Parameter {
            key,
            kinds: self.kind.map(str::to_owned).into_iter().collect(),
            meaning: without_unit(meaning.unwrap_or_default(), unit),
            forms,
            choices: branches.iter().flat_map(|branch| choices(branch)).collect(),
            slider: schema.get("x-slider").and_then(|slider| serde_json::from_value(slider.clone()).ok()),
            hint: text("x-hint").map(str::to_owned),
            default: schema.get("default").cloned(),
            required: false,
            live: schema.get("x-live").and_then(Value::as_bool).unwrap_or(false),
        }
    }

    /// What a schema lets a value look like, unless it is a word.
    fn form(&self, schema: &Value) -> Option<Form> {
        if schema.get("enum").is_some() || schema.get("const").is_some() {
            return None;
        }
        let named = |schema: &Value| match schema.get("type") {
            // Quantities are numbers that may be written as text.
            Some(Value::Array(_)) => "number",
            Some(name) => match name.as_str() {
                Some("integer") => "integer",
                Some("number") => "number",
                Some("boolean") => "boolean",
                Some("object") => "table",
                Some("array") => "list",
                // A quantity that is always written as text.
                _ if schema.get("x-dimension").is_some() => "number",
                _ => "text",
            },
            None => "text",
        };
        let form = named(schema);
        let (part, each) = match form {
            "list" => {
                let part = self.description.resolve(schema["prefixItems"].get(0).unwrap_or(&schema["items"]));
                (part, Some(named(part)))
            }
            _ => (schema, None),
        };
        let text =
            |name: &str| part.get(name).or(schema.get(name)).and_then(Value::as_str).map(str::to_owned);
        let length = schema.get("maxItems").and_then(Value::as_u64);
        let [dimension, unit] = ["x-dimension", "x-unit"].map(text);
        Some(Form { form, dimension, unit, range: range(part), length, each })
    }
}

/// Adds a parameter, or its kind to the same one of another kind.
fn take_in(parameter: Parameter, all: &mut Vec<Parameter>) {
    let tells_kinds = parameter.key.rsplit('.').next() == Some("kind") && parameter.kinds.is_empty();
    let same = |other: &&mut Parameter| {
        let as_other = Parameter { kinds: other.kinds.clone(), ..parameter.clone() };
        other.key == parameter.key && (tells_kinds || **other == as_other)
    };
    match all.iter_mut().find(same) {
        Some(other) => {
            add_new(&mut other.kinds, parameter.kinds);
            add_new(&mut other.choices, parameter.choices);
        }
        None => all.push(parameter),
    }
}

fn add_new<T: PartialEq>(list: &mut Vec<T>, more: Vec<T>) {
    for one in more {
        if !list.contains(&one) {
            list.push(one);
        }
    }
}

/// What a schema says about itself.
fn meaning(schema: &Value) -> String {
    schema.get("description").and_then(Value::as_str).map_or(String::new(), |text| without_unit(text, None))
}

fn choices(schema: &Value) -> Vec<Choice> {
    if let Some(value) = schema.get("const") {
        return vec![Choice { value: value.clone(), meaning: meaning(schema) }];
    }
    let words = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    words.map(|value| Choice { value: value.clone(), meaning: String::new() }).collect()
}

/// A doc comment in one line, without the unit in brackets, which is told on its own.
fn without_unit(text: &str, unit: Option<&str>) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match unit {
        None | Some("") => text.replace(" `[-]`", ""),
        Some(unit) => text.replace(&format!(" `[{unit}]`"), ""),
    }
}
