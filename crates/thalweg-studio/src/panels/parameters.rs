//! The panel of all parameters.

use crate::parameters::{Control, Group, Row, groups};
use crate::studio::Studio;
use crate::theme;
use crate::worker::Order;
use egui::{Button, CollapsingHeader, ComboBox, DragValue, Id, RichText, ScrollArea, TextEdit, Ui};
use std::collections::BTreeMap;
use std::sync::Arc;
use thalweg::project::Scene;
use toml::Value;

/// Values by their keys.
type Values = BTreeMap<String, Option<Value>>;

/// What the panel remembers.
#[derive(Debug, Default)]
pub(crate) struct Panel {
    /// What is searched for.
    pub search: String,
    /// Whether only what was changed is shown.
    changed_only: bool,
    /// The groups, and the scene that they are of.
    known: Option<(Arc<Scene>, Arc<Vec<Group>>)>,
    /// Values as the scene was opened.
    usual: Option<(Arc<Scene>, Values)>,
    /// A number that was just changed, until the scene has it.
    held: Option<Held>,
    /// Texts that are being written.
    texts: BTreeMap<String, String>,
}

/// A number that was just changed.
#[derive(Debug)]
struct Held {
    key: String,
    value: f64,
    /// When it is given up waiting for, by the clock of the window `[s]`.
    until: f64,
}

/// The scene has a value after this time, or refused it `[s]`.
const PATIENCE: f64 = 1.0;

/// What was done to a value.
enum Done {
    /// It gets another, and whether that joins the one before.
    Set(String, bool),
    /// It becomes what it was when the scene was opened.
    Reset,
}

impl Panel {
    fn groups(&mut self, scene: &Arc<Scene>) -> Arc<Vec<Group>> {
        match &self.known {
            Some((known, groups)) if Arc::ptr_eq(known, scene) => groups.clone(),
            _ => self.known.insert((scene.clone(), Arc::new(groups(scene)))).1.clone(),
        }
    }

    fn usual(&mut self, opened: &Arc<Scene>) -> &Values {
        let known = self.usual.as_ref().is_some_and(|(known, _)| Arc::ptr_eq(known, opened));
        if !known {
            let rows = groups(opened).into_iter().flat_map(|group| group.rows);
            self.usual = Some((opened.clone(), rows.map(|row| (row.key, row.value)).collect()));
        }
        &self.usual.as_ref().expect("made above").1
    }
}

pub(crate) fn show(studio: &mut Studio, ui: &mut Ui) {
    ui.add_space(6.0);
    ui.label(RichText::new("Parameters").strong().size(14.5));
    ui.horizontal(|ui| {
        let search = TextEdit::singleline(&mut studio.panel.search)
            .hint_text("Search parameters")
            .desired_width(170.0);
        ui.add(search);
        ui.checkbox(&mut studio.panel.changed_only, "Changed only");
    });
    waiting(studio, ui);
    let (Some(shown), Some(opened)) = (studio.shown.clone(), studio.opened.clone()) else { return };
    let groups = studio.panel.groups(&shown.scene);
    let usual = studio.panel.usual(&opened).clone();
    let search = studio.panel.search.to_lowercase();
    let mut done = Vec::new();
    ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
        for (number, group) in groups.iter().enumerate() {
            let wanted = |row: &&Row| {
                let changed =
                    usual.get(&row.key) != Some(&row.value) || studio.waiting.contains_key(&row.key);
                let found = matches(&search, group, row);
                found && (changed || !studio.panel.changed_only)
            };
            let rows: Vec<_> = group.rows.iter().filter(wanted).collect();
            if rows.is_empty() {
                continue;
            }
            let filtered = !search.is_empty() || studio.panel.changed_only;
            let header =
                CollapsingHeader::new(RichText::new(&group.name).strong()).id_salt((&group.name, filtered));
            header.default_open(filtered || number < 3).show(ui, |ui| {
                for row in rows {
                    let changed = usual.get(&row.key) != Some(&row.value);
                    if let Some(what) = show_row(studio, ui, row, changed) {
                        done.push((row.clone(), what));
                    }
                }
            });
        }
        ui.add_space(8.0);
    });
    for (row, what) in done {
        carry_out(studio, &row, what, usual.get(&row.key).cloned().flatten());
    }
}

fn matches(search: &str, group: &Group, row: &Row) -> bool {
    let text = format!("{} {} {} {}", group.name, row.name, row.key, row.help).to_lowercase();
    search.split_whitespace().all(|word| text.contains(word))
}

/// What waits for a restart, with the one button that does it.
fn waiting(studio: &mut Studio, ui: &mut Ui) {
    let count = studio.waiting.len();
    if count == 0 {
        return;
    }
    ui.horizontal(|ui| {
        let name = if count == 1 { "change".into() } else { format!("{count} changes") };
        let told = if count == 1 {
            "Apply 1 change and restart".to_owned()
        } else {
            format!("Apply {name} and restart")
        };
        let button = Button::new(RichText::new(told).color(egui::Color32::BLACK)).fill(theme::WARN);
        if ui.add(button).clicked() {
            let changes = std::mem::take(&mut studio.waiting);
            let changes = changes.into_iter().map(|(key, value)| format!("{key}={value}")).collect();
            studio.timeline = crate::timeline::Timeline::default();
            studio.order(Order::Restart(changes));
        }
        if ui.button("Discard").clicked() {
            studio.waiting.clear();
        }
    });
}

/// One parameter: name, value, marks.
fn show_row(studio: &mut Studio, ui: &mut Ui, row: &Row, changed: bool) -> Option<Done> {
    let waits = studio.waiting.get(&row.key).cloned();
    let mut done = None;
    ui.horizontal(|ui| {
        let unit = if row.unit.symbol.is_empty() { String::new() } else { format!(" ({})", row.unit.symbol) };
        let text = RichText::new(format!("{}{unit}", row.name));
        let text = if waits.is_some() {
            text.color(theme::WARN)
        } else if changed {
            text.strong()
        } else {
            text
        };
        let width = (ui.available_width() - 150.0).max(110.0);
        let label = egui::Label::new(text).truncate();
        let mut named = ui.scope_id();
        ui.allocate_ui_with_layout(
            egui::vec2(width, 22.0),
            egui::Layout::left_to_right(egui::Align::Center),
            |ui| {
                named = ui.add(label).on_hover_text(&row.help).id;
                let rest = ui.available_width();
                // Nothing is left by a name that is cut off.
                if rest > 1.0 {
                    ui.allocate_space(egui::vec2(rest, 1.0));
                }
            },
        );
        done = control(&mut studio.panel, ui, (row, named), waits.as_deref());
        if changed && ui.small_button("Back").on_hover_text("As it was when the scene was opened").clicked() {
            done = Some(Done::Reset);
        }
        if waits.is_some() {
            ui.label(RichText::new("restart needed").small().color(theme::WARN));
        }
    });
    done
}

fn control(panel: &mut Panel, ui: &mut Ui, (row, named): (&Row, Id), waits: Option<&str>) -> Option<Done> {
    match &row.control {
        Control::Number { range, slider, whole } => {
            number(panel, ui, (row, named), (*range, *slider, *whole), waits)
        }
        Control::Numbers { range, count } => numbers(ui, (row, named), *range, *count),
        Control::Switch => {
            let mut on = row.value.as_ref().and_then(Value::as_bool).unwrap_or(false);
            if let Some(waits) = waits {
                on = waits == "true";
            }
            ui.checkbox(&mut on, "")
                .on_hover_text(&row.help)
                .changed()
                .then(|| Done::Set(on.to_string(), false))
        }
        Control::Words(choices) => {
            let told = |value: &serde_json::Value| value.as_str().map_or(value.to_string(), str::to_owned);
            let now = row
                .value
                .as_ref()
                .map_or("not set".into(), |value| value.as_str().map_or(value.to_string(), str::to_owned));
            let now = waits.map_or(now, |waits| waits.trim_matches('"').into());
            let mut chosen = None;
            ComboBox::from_id_salt(&row.key)
                .selected_text(crate::parameters::words(&now))
                .width(120.0)
                .show_ui(ui, |ui| {
                    for choice in choices {
                        let value = told(&choice.value);
                        let label = ui.selectable_label(value == now, crate::parameters::words(&value));
                        if label.on_hover_text(&choice.meaning).clicked() {
                            chosen = Some(Done::Set(choice.value.to_string(), false));
                        }
                    }
                })
                .response
                .labelled_by(named);
            chosen
        }
        Control::Text => text(panel, ui, (row, named)),
    }
}

/// A number: dragged, or written with any unit.
fn number(
    panel: &mut Panel,
    ui: &mut Ui,
    (row, named): (&Row, Id),
    (range, slider, whole): ([f64; 2], Option<[f64; 2]>, bool),
    waits: Option<&str>,
) -> Option<Done> {
    let own = row.value.as_ref().and_then(|value| value.as_float().or(value.as_integer().map(|n| n as f64)));
    let Some(own) = waits.and_then(|text| text.parse().ok()).or(own) else {
        let start = slider.map_or(range[0].max(0.0), |[low, high]| 0.5 * (low + high));
        let set = ui.button("Set").on_hover_text(format!("{}\nNot set.", row.help));
        return set.clicked().then(|| Done::Set(format!("{start:e}"), false));
    };
    let held = panel.held.as_ref().filter(|held| held.key == row.key).map(|held| held.value);
    let mut value = held.unwrap_or(own);
    let unit = row.unit;
    let span = slider.map_or(own.abs().max(unit.size), |[low, high]| (high - low).abs());
    let fine = ui.input(|input| input.modifiers.shift);
    let drag = DragValue::new(&mut value)
        .speed(if whole { 0.2 } else { span / if fine { 20_000.0 } else { 1_000.0 } })
        .range(range[0]..=range[1])
        .custom_formatter(move |value, _| unit.tell(value))
        .custom_parser(move |text| unit.read(text))
        .update_while_editing(false);
    let response = ui.add_sized([92.0, 22.0], drag).labelled_by(named).on_hover_text(&row.help);
    let joins = held.is_some() && response.dragged() && !response.drag_started();
    let now = ui.input(|input| input.time);
    let settled = |held: &Held| held.key == row.key && (held.value == own || now > held.until);
    if response.changed() {
        panel.held = Some(Held { key: row.key.clone(), value, until: now + PATIENCE });
    } else if !response.dragged() && panel.held.as_ref().is_some_and(settled) {
        panel.held = None;
    }
    response.changed().then(|| {
        let value = if whole { format!("{}", value.round() as i64) } else { format!("{value:e}") };
        Done::Set(value, joins)
    })
}

fn numbers(ui: &mut Ui, (row, named): (&Row, Id), range: [f64; 2], count: usize) -> Option<Done> {
    let mut values: Vec<f64> = row
        .value
        .as_ref()?
        .as_array()?
        .iter()
        .filter_map(|v| v.as_float().or(v.as_integer().map(|n| n as f64)))
        .collect();
    let whole = row.value.as_ref()?.as_array()?.iter().all(Value::is_integer);
    let unit = row.unit;
    let (mut changed, mut joins) = (false, false);
    for value in values.iter_mut().take(count) {
        let speed = (0.002 * value.abs()).max(0.01 * unit.size);
        let drag = DragValue::new(value)
            .speed(speed)
            .range(range[0]..=range[1])
            .custom_formatter(move |value, _| unit.tell(value))
            .custom_parser(move |text| unit.read(text))
            .update_while_editing(false);
        let response = ui.add(drag).labelled_by(named).on_hover_text(&row.help);
        changed |= response.changed();
        joins |= response.dragged() && !response.drag_started();
    }
    let told = |value: &f64| if whole { format!("{}", value.round() as i64) } else { format!("{value:e}") };
    changed.then(|| Done::Set(format!("[{}]", values.iter().map(told).collect::<Vec<_>>().join(", ")), joins))
}

fn text(panel: &mut Panel, ui: &mut Ui, (row, named): (&Row, Id)) -> Option<Done> {
    let now = match &row.value {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    };
    let text = panel.texts.entry(row.key.clone()).or_insert_with(|| now.clone());
    let response =
        ui.add(TextEdit::singleline(text).desired_width(116.0)).labelled_by(named).on_hover_text(&row.help);
    if response.lost_focus() {
        let written = panel.texts.remove(&row.key).unwrap_or_default();
        return (written != now).then_some(Done::Set(written, false));
    }
    if !response.has_focus() {
        panel.texts.remove(&row.key);
    }
    None
}

/// Gives the scene what was chosen, or lets it wait for a restart.
fn carry_out(studio: &mut Studio, row: &Row, done: Done, usual: Option<Value>) {
    let (value, joins) = match (done, usual) {
        (Done::Set(value, joins), _) => (value, joins),
        (Done::Reset, Some(usual)) => (usual.to_string(), false),
        (Done::Reset, None) => {
            studio.order(Order::Edit(thalweg::Edit::Unset { key: row.key.clone() }));
            return;
        }
    };
    if row.live {
        studio.timeline.leave();
        studio.set(&row.key, value, joins);
    } else {
        studio.waiting.insert(row.key.clone(), value);
    }
}
