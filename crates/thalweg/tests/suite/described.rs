//! What is said about the parameters of a scene is true, and written where people look.

use serde_json::Value;
use std::path::{Path, PathBuf};
use thalweg::field::describe::{Form, Parameter};
use thalweg::field::units::Dimension;
use thalweg::project::{
    Project, ProjectError, built_in_scenes, description, explain, json_schema, parse, with_tables,
};
use thalweg::{Edit, Session};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_tables_of_the_guide_are_current() {
    for page in ["scene-file.md", "sph.md", "terrain.md", "volumes.md", "waves.md"] {
        let text = std::fs::read_to_string(root().join("docs/guide").join(page)).unwrap();
        let written = with_tables(&text).unwrap();
        let stale = text.lines().zip(written.lines()).find(|(there, right)| there != right);
        assert!(
            text == written,
            "{page} is not current, `cargo xtask guide` writes it anew; first {stale:#?}"
        );
    }
}

#[test]
fn the_schema_in_the_repository_is_current() {
    let there = std::fs::read_to_string(root().join("scene.schema.json")).unwrap();
    let right = serde_json::to_string_pretty(&json_schema()).unwrap() + "\n";
    assert!(there == right, "scene.schema.json is not current; `cargo xtask guide` writes it anew");
}

/// Entries that these sections need before anything can be said about one of them.
const ENTRIES: &str = "
    version = 1
    rain = [{ drops = { per_second = 1, depth = 1, radius = 1 } }]
    source = [{ at = [0, 0], rate = 1 }]
    drain = [{ at = [0, 0], rate = 1 }]
    emitter = [{ shape = 'disc', velocity = [1, 0, 0] }]
    sink = [{ from = [0, 0, 0], to = [1, 1, 1] }]
    obstacle = [{ shape = 'mesh', file = 'a.obj' }]
    probe = [{ name = 'a', kind = 'pressure' }]
    water = [{ depth = 1 }]
    ocean = { wave = [{}] }
    body = [{ steer = [{ at = 0 }] }]
    wavemaker = [{ from = [0, 0], to = [1, 0], height = 1, length = 1 }]
    time = { coarse = [{ factor = 2, steps = 1 }] }
    camera = { key = [{ time = 0 }] }
    picture = { overlay = { field = 'flow' } }
";

/// Sections that are lists.
const LISTS: [&str; 25] = [
    "ocean.wave",
    "body.steer",
    "body",
    "wavemaker",
    "before.time.coarse",
    "before.layer",
    "before",
    "rain",
    "source",
    "drain",
    "emitter",
    "sink",
    "obstacle",
    "probe",
    "water",
    "time.coarse",
    "camera.key",
    "terrain.layer",
    "terrain.hardness.layer",
    "terrain.uplift.layer",
    "terrain.volume.noise",
    "terrain.volume.cavern",
    "terrain.volume.tube",
    "terrain.volume.strata.bed",
    "solver.layer",
];

/// What is said against a scene in which a parameter has a value, as in `--set`.
fn said(parameter: &Parameter, kind: Option<&str>, value: &str) -> String {
    let mut text = ENTRIES.to_owned();
    let maps = ["terrain.hardness.layer", "terrain.uplift.layer"];
    let layers = maps.into_iter().find(|map| parameter.key.starts_with(map)).unwrap_or("terrain.layer");
    if parameter.key.starts_with(&format!("{layers}.mask")) {
        let needs = match kind {
            Some("layer") => "layer = { kind = 'plane' }, low = 0, high = 1",
            Some("height") => "low = 0, high = 1",
            _ => "radius = 1",
        };
        let kind = kind.unwrap_or("radial");
        text += &format!("[[{layers}]]\nkind = 'plane'\nmask = {{ kind = '{kind}', {needs} }}\n");
    } else if parameter.key.starts_with(layers) {
        text += &format!("[[{layers}]]\nkind = '{}'\n", kind.unwrap_or("plane"));
    } else if parameter.key.starts_with("terrain.volume.") {
        let lists = LISTS.iter().filter(|list| list.starts_with("terrain.volume."));
        text += &lists.map(|list| format!("[[{list}]]\n")).collect::<String>();
    } else if parameter.key.starts_with("solver") {
        text += &format!("[solver]\nkind = '{}'\n", kind.unwrap_or("pipes"));
        if parameter.key.starts_with("solver.layer.") {
            text += "[[solver.layer]]\nthickness = 1\nhardness = 0\n";
        }
    } else if parameter.key.starts_with("before") {
        text += &format!("[[before]]\nkind = '{}'\n", kind.unwrap_or("pipes"));
        if parameter.key.starts_with("before.layer.") {
            text += "[[before.layer]]\nthickness = 1\nhardness = 0\n";
        }
        if parameter.key.starts_with("before.time.coarse.") {
            text += "[[before.time.coarse]]\nfactor = 2\nsteps = 1\n";
        }
    }
    let key = LISTS.iter().fold(parameter.key.clone(), |key, list| {
        let inside = parameter.key.starts_with(&format!("{list}."));
        if inside { key.replacen(list, &format!("{list}.0"), 1) } else { key }
    });
    match parse(&text, "a.toml", &[format!("{key}={value}")]) {
        Ok(_) => String::new(),
        Err(ProjectError::Wrong(mistakes)) => {
            mistakes.iter().map(|mistake| format!("{}\n", mistake.message)).collect()
        }
        Err(other) => panic!("{other}"),
    }
}

/// A value of a form, as text with that unit.
fn with_unit(form: &Form, unit: &str) -> String {
    let one = format!("\"1 {unit}\"");
    match form.length {
        Some(length) => format!("[{}]", vec![one; length as usize].join(", ")),
        None => one,
    }
}

/// Every number of a scene, once for each kind that has it.
fn numbers() -> Vec<(Parameter, Option<String>, Form)> {
    let mut all = Vec::new();
    for parameter in description().parameters() {
        let kinds: Vec<_> = match &parameter.kinds[..] {
            [] => vec![None],
            kinds => kinds.iter().cloned().map(Some).collect(),
        };
        for form in parameter.forms.iter().filter(|form| form.range.is_some() || form.dimension.is_some()) {
            all.extend(kinds.iter().map(|kind| (parameter.clone(), kind.clone(), form.clone())));
        }
    }
    all
}

#[test]
fn every_number_is_read_in_the_units_that_it_is_described_with_and_in_no_other() {
    let mut checked = 0;
    for (parameter, kind, form) in numbers() {
        let refused = |unit: &str| {
            let said = said(&parameter, kind.as_deref(), &with_unit(&form, unit));
            said.contains("does not fit") || said.contains("invalid type") || said.contains("nor a time")
        };
        let name = format!("{} of {kind:?}", parameter.key);
        let right = form.dimension.as_deref().map(|name| Dimension::named(name).unwrap());
        for (unit, _) in right.map(Dimension::units).unwrap_or_default() {
            // A height of snow and a time between frames need their unit, as text.
            let needed = unit.is_empty() && parameter.choices.len() + parameter.forms.len() > 1;
            assert!(needed || !refused(unit), "{name} is no {right:?} in \"{unit}\"");
        }
        let heights_of_snow = parameter.key == "picture.snow";
        for wrong in ["kg m", "%", "m2/s2", "s", "m"] {
            let own = right.is_some_and(|right| right.units().iter().any(|(unit, _)| *unit == wrong));
            let timed = form.unit.as_deref() == Some("steps") && wrong == "s";
            assert!(own || timed || heights_of_snow || refused(wrong), "{name} is read in \"{wrong}\"");
        }
        checked += 1;
    }
    assert!(checked > 200, "only {checked} numbers were found");
}

/// The unit in brackets in a doc comment is the one that the parameter is read in.
#[test]
fn meanings_tell_the_unit_that_is_read() {
    for (parameter, kind, form) in numbers() {
        // The right one is taken out of the meaning; any other would still be there.
        let told = [
            "[m]", "[s]", "[-]", "[rad]", "[kg]", "[Pa]", "[1/s]", "[m/s]", "[m²]", "[m³/s]", "[kg/m³]",
            "[Pa·s]",
        ];
        for unit in told {
            assert!(
                !parameter.meaning.contains(unit),
                "{} of {kind:?} is read in {:?}, and its meaning says \"{}\"",
                parameter.key,
                form.unit,
                parameter.meaning
            );
        }
    }
}

#[test]
fn every_parameter_has_a_meaning_and_sensible_values_lie_within_the_allowed_ones() {
    for parameter in description().parameters() {
        let Parameter { key, meaning, slider, .. } = parameter;
        let last = key.rsplit('.').next().unwrap();
        assert!(!meaning.is_empty() || last == "kind", "{key} has no meaning");
        let Some(Form { range: Some([low, high]), .. }) = parameter.quantity() else { continue };
        assert!(low <= high, "{key} lies between {low} and {high}");
        if let Some([from, to]) = slider {
            assert!(low <= from && from < to && to <= high, "{key}: {from} to {to} within {low} to {high}");
        }
        if let Some(default) = parameter.default.as_ref().and_then(Value::as_f64) {
            assert!((*low..=*high).contains(&default), "{key} is {default} by default");
        }
    }
}

/// As much of JSON Schema as ours uses.
fn valid(root: &Value, schema: &Value, value: &Value) -> bool {
    let all = |name: &str| schema.get(name).and_then(Value::as_array);
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        return valid(root, root.pointer(target.trim_start_matches('#')).unwrap(), value);
    }
    let named = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is = |name: &Value| name == named || (name == "number" && named == "integer");
    let number = |name: &str| schema.get(name).and_then(Value::as_f64);
    let typed = match schema.get("type") {
        None => true,
        Some(Value::Array(names)) => names.iter().any(is),
        Some(name) => is(name),
    };
    let below = value.as_f64().is_none_or(|x| number("minimum").is_none_or(|low| x >= low));
    let above = value.as_f64().is_none_or(|x| number("maximum").is_none_or(|high| x <= high));
    let inside = value.as_object().is_none_or(|table| {
        let known = |(key, value): (&String, &Value)| match schema["properties"].get(key) {
            Some(schema) => valid(root, schema, value),
            None => schema.get("additionalProperties") != Some(&Value::Bool(false)),
        };
        let there =
            all("required").into_iter().flatten().all(|key| table.contains_key(key.as_str().unwrap()));
        there && table.iter().all(known)
    });
    let items = value.as_array().is_none_or(|list| match schema.get("items") {
        Some(Value::Array(parts)) => parts.iter().zip(list).all(|(schema, value)| valid(root, schema, value)),
        Some(schema) => list.iter().all(|value| valid(root, schema, value)),
        None => true,
    });
    let worded = all("enum").is_none_or(|words| words.contains(value));
    let fixed = schema.get("const").is_none_or(|only| only == value);
    let any = all("anyOf").is_none_or(|some| some.iter().any(|schema| valid(root, schema, value)));
    let one =
        all("oneOf").is_none_or(|some| some.iter().filter(|schema| valid(root, schema, value)).count() == 1);
    let each = all("allOf").is_none_or(|some| some.iter().all(|schema| valid(root, schema, value)));
    typed && below && above && inside && items && worded && fixed && any && one && each
}

#[test]
fn built_in_scenes_follow_the_schema_and_wrong_ones_do_not() {
    let schema = json_schema();
    let follows = |text: &str| {
        let table: toml::Table = toml::from_str(text).unwrap();
        valid(&schema, &schema, &serde_json::to_value(table).unwrap())
    };
    for scene in built_in_scenes() {
        assert!(follows(scene.text), "{} does not follow the schema", scene.name);
        let whole = toml::to_string(&parse(scene.text, scene.name, &[]).unwrap()).unwrap();
        assert!(follows(&whole), "{} with all its defaults does not follow the schema:\n{whole}", scene.name);
    }
    for wrong in [
        "title = 'no version'",
        "version = 1\n[solver]\ncapacty = 3",
        "version = 1\n[solver]\ncapacity = -3",
        "version = 1\n[solver]\nkind = 'sph'\ncapacity = 3",
        "version = 1\n[[terrain.layer]]\nkind = 'fmb'",
        "version = 1\n[[terrain.layer]]\nkind = 'cone'\nlacunarity = 2",
        "version = 1\n[[source]]\nrate = 1",
        "version = 1\n[picture]\noverlay = 'flwo'",
    ] {
        assert!(!follows(wrong), "{wrong} follows the schema");
    }
}

#[test]
fn keys_are_explained_and_misspelt_ones_answered_with_the_nearest() {
    let only = |key: &str| {
        let mut found = explain(key).unwrap();
        assert_eq!(found.len(), 1, "{key}: {found:#?}");
        found.remove(0)
    };
    let capacity = only("solver.capacity");
    let form = capacity.parameter.quantity().unwrap();
    assert_eq!((form.unit.as_deref(), form.range), (Some("s"), Some([0.0, 1.0e6])));
    assert!(capacity.parameter.live && capacity.parameter.meaning.starts_with("Sediment capacity"));
    let presets: Vec<_> = capacity
        .presets
        .iter()
        .map(|preset| (preset.name, preset.value.as_ref().unwrap().as_f64()))
        .collect();
    let right = [("thalweg", Some(0.5)), ("mei-2007", Some(0.01)), ("schmidberger-2024", Some(0.0004))];
    assert_eq!(presets, right);
    assert_eq!(only("rain[0].rate").parameter.key, "rain.rate");
    assert_eq!(only("rain.1.rate").parameter.key, "rain.rate");
    assert_eq!(only("talus_every").parameter.key, "solver.talus_every");
    let spacing = only("solver.fluid.spacing");
    assert!(!spacing.parameter.live && spacing.presets.len() == 6, "{spacing:?}");
    assert!(explain("terrain.layer.height").unwrap().len() > 3, "kinds of layers differ");
    for (wrong, near) in [
        ("solver.capcity", "solver.capacity"),
        ("evaporatoin", "solver.evaporation"),
        ("rain.rat", "rain.rate"),
    ] {
        assert_eq!(explain(wrong).unwrap_err().near.as_deref(), Some(near));
    }
    assert_eq!(explain("something else altogether").unwrap_err().near, None);
}

/// What was read as a pure number has its unit now, and no other.
#[test]
fn quantities_are_read_with_their_own_unit_and_refuse_others() {
    let scene = |kind: &str, text: &str| {
        parse(&format!("version = 1\n[solver]\nkind = '{kind}'\n{text}"), "a.toml", &[])
    };
    for (kind, text) in [
        ("pipes", "gravity = '9.81 m/s2'"),
        ("pipes", "capacity = '2 min'"),
        ("sph", "[solver.fluid]\ndensity = '1 g/cm3'"),
        ("sph", "[solver.fluid]\nviscosity = '1 mPa s'"),
        ("sph", "[solver.erosion]\ncritical_shear = '3 Pa'\nshear = '1 Pa s^0.5'\ndiffusivity = '1 mm2/s'"),
    ] {
        scene(kind, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    for (kind, text, words) in [
        ("sph", "[solver.fluid]\ndensity = '80 %'", "kg/m3"),
        ("pipes", "gravity = '9.81 m/s'", "m/s2"),
        ("pipes", "dissolve = '2 %'", "plain number"),
        ("sph", "[solver.fluid]\nmass = '1 m'", "kg"),
    ] {
        let refused = scene(kind, text).unwrap_err().to_string();
        assert!(refused.contains("does not fit") && refused.contains(words), "{text}: {refused}");
    }
}

/// Small scenes of both methods, with one of everything that could change.
const RUNNING: [(&str, &str); 2] = [
    (
        "pipes",
        "version = 1\n[terrain]\nsize = [16, 16]\ncell = '8 m'\n[[terrain.layer]]\nkind = 'ramp'\n[[rain]]\nrate = 1e-5\n\
         [[rain]]\ndrops = { per_second = 1, depth = 0.1, radius = 8 }\n[[source]]\nat = [40, 40]\nrate = 1\nradius = 20\n\
         [[drain]]\nat = [80, 80]\nrate = 1\nradius = 20\n[[water]]\nlevel = '2 m'\n[time]\nsteps = 50\nduration = '1 h'",
    ),
    (
        "sph",
        "version = 1\n[terrain]\nsize = [12, 12]\ncell = '10 cm'\n[[terrain.layer]]\nkind = 'plane'\n[solver]\nkind = 'sph'\n\
         [solver.fluid]\nmax_particles = 2000\n[[water]]\ndepth = '10 cm'\n[[emitter]]\nshape = 'disc'\nat = [0.6, 0.6, 0.5]\n\
         radius = '12 cm'\nvelocity = [0, 0, -1]\nrate = 1e-4\n[[sink]]\nfrom = [0, 0, 0]\nto = [0.1, 0.1, 0.1]\n[time]\nsteps = 50\nduration = '1 h'",
    ),
];

/// Other values that a parameter may have, as in `--set`, those like its own first.
fn others(parameter: &Parameter, own: Option<&Value>) -> Vec<String> {
    let words = parameter.choices.iter().map(|choice| &choice.value).filter(|value| Some(*value) != own);
    let mut all: Vec<_> = words.map(Value::to_string).collect();
    if let Some(Value::Bool(own)) = own {
        all.push((!own).to_string());
    }
    let form = parameter.forms.iter().find(|form| form.range.is_some() && form.length.is_none());
    if let Some(Form { range: Some([least, most]), form, .. }) = form {
        let [low, high] = parameter.slider.unwrap_or([*least, *most]);
        let near =
            own.and_then(Value::as_f64).into_iter().flat_map(|own| [1.01 * own, 0.99 * own, own + 1.0]);
        let numbers = near.chain([0.1, 0.01, 0.5].map(|share| low + share * (high - low)));
        let allowed = numbers.filter(|number| (*least..=*most).contains(number));
        all.extend(allowed.map(|number| {
            if *form == "integer" { (number.round() as i64).to_string() } else { number.to_string() }
        }));
    }
    all
}

/// Says so of every value that can be set in a running scene, and of no other.
#[test]
fn what_is_said_to_change_while_a_scene_runs_does() {
    let (mut counted, mut wrong) = ([0, 0], Vec::new());
    for (kind, text) in RUNNING {
        let project = Project::from_text(text, kind, Path::new(""), &[]).unwrap();
        let scene = serde_json::to_value(&project.scene).unwrap();
        for parameter in description().parameters() {
            let Parameter { key, kinds, live, .. } = parameter;
            let list = LISTS.iter().find(|list| key.starts_with(&format!("{list}.")));
            let key = list.map_or(key.clone(), |list| key.replacen(list, &format!("{list}.0"), 1));
            let section = key.rsplit_once('.').map_or("", |(section, _)| section);
            let there =
                scene.pointer(&format!("/{section}").replace('.', "/")).is_some() || section.is_empty();
            let ours = kinds.is_empty() || kinds.iter().any(|other| other == kind);
            // The kind of a solver tells which scene this is, and its preset which parameters it began with.
            if !there
                || !ours
                || ["solver.kind", "solver.preset", "solver.backend", "version"].contains(&&*key)
            {
                continue;
            }
            let own = scene.pointer(&format!("/{}", key.replace('.', "/")));
            let sets = others(parameter, own).into_iter().map(|value| format!("{key}={value}"));
            let makes_sense = sets.filter_map(|set| Some((project.scene.with(&set).ok()?, set)));
            let changed: Vec<_> = makes_sense.filter(|(scene, _)| *scene != project.scene).collect();
            if changed.is_empty() {
                continue;
            }
            let taken = changed.into_iter().map(|(_, set)| {
                let mut session = Session::new(&project, 1 << 30).unwrap();
                session.apply(Edit::set(&set)).map_err(|why| format!("{set}: {why}"))
            });
            let answers: Vec<_> = taken.collect();
            if answers.iter().any(Result::is_ok) != *live {
                wrong.push(format!("{key} of {kind} is said to be live: {live}; {answers:?}"));
            }
            counted[usize::from(*live)] += 1;
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(counted[0] > 30 && counted[1] > 60, "{counted:?} parameters were tried");
}
