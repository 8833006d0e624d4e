//! `thalweg explain` and `thalweg schema`: what scene files may say.

use crate::Failure;
use crate::args::ExplainArgs;
use crate::print::answer;
use serde_json::json;
use thalweg::field::describe::{Form, Parameter};
use thalweg::field::units::Dimension;
use thalweg::project::{Explained, description, explain as looked_up, json_schema, told};

/// `thalweg explain`
pub(crate) fn explain(args: &ExplainArgs) -> Result<(), Failure> {
    let found = looked_up(&args.key).map_err(Failure::usage)?;
    if args.json {
        answer(&json!({ "key": args.key, "parameters": found }));
        return Ok(());
    }
    for (i, explained) in found.iter().enumerate() {
        if i > 0 {
            say!("");
        }
        tell(explained);
    }
    Ok(())
}

/// `thalweg schema`
pub(crate) fn schema() -> Result<(), Failure> {
    say!("{}", serde_json::to_string_pretty(&json_schema()).map_err(Failure::run)?);
    Ok(())
}

fn tell(Explained { parameter, presets }: &Explained) {
    let kinds = match &parameter.kinds[..] {
        [] => String::new(),
        kinds => format!("   (kind = \"{}\")", kinds.join("\", \"")),
    };
    say!("{}{kinds}\n  {}", parameter.key, parameter.meaning);
    for choice in &parameter.choices {
        say!("  {:<10} {}", choice.value.to_string(), choice.meaning);
    }
    for form in &parameter.forms {
        tell_form(form);
    }
    let quantity = parameter.quantity();
    let line = |name: &str, text: String| say!("  {name:<10} {text}");
    if let Some(hint) = &parameter.hint {
        line("hint", hint.clone());
    }
    if let Some([low, high]) = parameter.slider {
        line("sensible", format!("{} to {}", told(&json!(low), quantity), told(&json!(high), quantity)));
    }
    match &parameter.default {
        _ if parameter.required => line("default", "none: it must be given".into()),
        Some(value) if !value.is_object() => line("default", told(value, quantity)),
        _ => {}
    }
    for preset in presets {
        let value = preset.value.as_ref().map_or("not set".into(), |value| told(value, quantity));
        line("preset", format!("{:<18} {value}", preset.name));
    }
    line(
        "running",
        if parameter.live { "can change while a scene runs" } else { "needs a start anew" }.into(),
    );
    tell_keys(parameter);
}

fn tell_form(form: &Form) {
    let units =
        form.dimension.as_deref().and_then(Dimension::named).map(Dimension::units).unwrap_or_default();
    let units: Vec<_> = units.iter().map(|(unit, _)| *unit).filter(|unit| !unit.is_empty()).collect();
    let dimension = form.dimension.as_deref().unwrap_or(form.form);
    let many = form.length.map_or(String::new(), |length| format!("{length} of: "));
    match (&units[..], form.unit.as_deref()) {
        ([], Some(unit)) if !unit.is_empty() => say!("  {:<10} {many}{dimension} in {unit}", "unit"),
        ([], _) => say!("  {:<10} {many}{dimension}", "form"),
        (units, _) => say!("  {:<10} {many}{dimension}: {}", "unit", units.join(", ")),
    }
    if let Some([low, high]) = form.range {
        let [low, high] = [low, high].map(|number| told(&json!(number), Some(form)));
        say!("  {:<10} {low} to {high}", "range");
    }
}

/// What is in a section.
fn tell_keys(section: &Parameter) {
    let above = format!("{}.", section.key);
    let mut keys: Vec<_> = description().parameters().iter().map(|parameter| parameter.key.clone()).collect();
    keys.retain(|key| key.strip_prefix(&above).is_some_and(|name| !name.contains('.')));
    keys.dedup();
    if !keys.is_empty() {
        say!("  {:<10} {}", "keys", keys.join(" "));
    }
}
