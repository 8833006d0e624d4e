//! Tools, brush and overlays.

use crate::command::{Command, entry_of};
use crate::studio::Studio;
use crate::tools::Hand;
use egui::{DragValue, RichText, ScrollArea, Slider, Ui};
use thalweg::field::units::{self, Dimension};
use thalweg::project::OverlayTable;

/// Quantities under the keys 1 to 9, with their names.
pub(crate) const OVERLAYS: [(&str, &str); 9] = [
    ("height", "Height"),
    ("slope", "Slope"),
    ("erosion-deposition", "Erosion and deposition"),
    ("flow", "Flow"),
    ("water", "Water depth"),
    ("speed", "Speed"),
    ("sediment", "Sediment"),
    ("wetness", "Wetness"),
    ("change", "Change since the start"),
];

pub(crate) fn show(studio: &mut Studio, ui: &mut Ui) {
    ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
        heading(ui, "Tools");
        tools(studio, ui);
        brush(studio, ui);
        heading(ui, "Overlay");
        overlays(studio, ui);
        heading(ui, "View");
        view(studio, ui);
    });
}

fn heading(ui: &mut Ui, name: &str) {
    ui.add_space(6.0);
    ui.label(RichText::new(name).strong().size(14.5));
}

fn tools(studio: &mut Studio, ui: &mut Ui) {
    egui::Grid::new("tools").num_columns(2).min_col_width(86.0).spacing([4.0, 3.0]).show(ui, |ui| {
        for (i, (hand, command)) in Hand::ALL.into_iter().enumerate() {
            let name = entry_of(command).name;
            let button =
                egui::Button::new(name).selected(studio.brush.hand == hand).min_size(egui::vec2(86.0, 24.0));
            if ui.add(button).on_hover_text(super::menu::told(ui, command)).clicked() {
                studio.obey(command);
            }
            if i % 2 == 1 {
                ui.end_row();
            }
        }
    });
}

fn brush(studio: &mut Studio, ui: &mut Ui) {
    let brush = &mut studio.brush;
    if brush.hand == Hand::Look {
        ui.label(
            RichText::new("Drag turns the view. The middle button does so with any tool.").small().weak(),
        );
        return;
    }
    let speed = 0.01 * brush.radius;
    number(
        ui,
        "Radius",
        &mut brush.radius,
        (speed, "m", Dimension::Length),
        "How far the brush reaches ([ and ])",
    );
    match brush.hand {
        hand if hand.is_height() => {
            let speed = 0.01 * brush.height.max(0.01);
            number(
                ui,
                "Height",
                &mut brush.height,
                (speed, "m", Dimension::Length),
                "In the middle of the brush",
            );
        }
        Hand::RainCloud => {
            number(
                ui,
                "Rain",
                &mut brush.rain,
                (1.0, "mm/h", Dimension::Speed),
                "Rain on the disc of the brush",
            );
        }
        Hand::Source | Hand::Drain => {
            let speed = 0.01 * brush.discharge.max(0.01);
            number(
                ui,
                "Water",
                &mut brush.discharge,
                (speed, "m³/s", Dimension::Discharge),
                "Water in each second",
            );
        }
        _ => {
            let label = ui.label("Strength").id;
            ui.add(Slider::new(&mut brush.share, 0.0..=1.0)).labelled_by(label);
        }
    }
    ui.label(
        RichText::new("Hold Shift for a fifth of the strength. Escape puts the tool down.").small().weak(),
    );
}

/// A positive quantity that can be dragged, or written with a unit.
fn number(
    ui: &mut Ui,
    name: &str,
    value: &mut f64,
    (speed, unit, dimension): (f64, &str, Dimension),
    help: &str,
) {
    let size = units::parse(&format!("1 {unit}"), dimension).unwrap_or(1.0);
    let mut shown = *value / size;
    ui.horizontal(|ui| {
        let label = ui.add_sized([54.0, 20.0], egui::Label::new(name)).on_hover_text(help).id;
        let drag = DragValue::new(&mut shown)
            .speed(speed)
            .range(0.0..=1.0e9)
            .max_decimals(3)
            .suffix(format!(" {unit}"))
            .custom_parser(|text| {
                text.trim().parse().ok().or_else(|| Some(units::parse(text, dimension).ok()? / size))
            });
        if ui.add(drag).labelled_by(label).on_hover_text(help).changed() {
            *value = (shown * size).max(1.0e-9);
        }
    });
}

fn overlays(studio: &mut Studio, ui: &mut Ui) {
    let chosen = studio.overlay;
    if ui
        .selectable_label(chosen == 0, "None")
        .on_hover_text(super::menu::told(ui, Command::Overlay(0)))
        .clicked()
    {
        studio.obey(Command::Overlay(0));
    }
    for (number, (field, name)) in (1..).zip(OVERLAYS) {
        let there = studio.has_overlay(field);
        let label = egui::Button::selectable(chosen == number, name);
        let label = ui.add_enabled(there, label);
        let label = label.on_hover_text(super::menu::told(ui, Command::Overlay(number)));
        if label.on_disabled_hover_text("This scene has no such map.").clicked() {
            studio.obey(Command::Overlay(number));
        }
    }
}

fn view(studio: &mut Studio, ui: &mut Ui) {
    ui.checkbox(&mut studio.look.water.visible, "Water").on_hover_text(super::menu::told(ui, Command::Water));
    ui.checkbox(&mut studio.look.wireframe, "Wireframe")
        .on_hover_text(super::menu::told(ui, Command::Wireframe));
    ui.checkbox(&mut studio.look.shadows, "Shadows");
    ui.checkbox(&mut studio.look.sky, "Sky");
    let label = ui.label("Height of the sun").id;
    let mut degrees = studio.look.relief.sun_elevation.to_degrees();
    let slider = Slider::new(&mut degrees, 3.0..=89.0).suffix("°").fixed_decimals(0).show_value(false);
    if ui.add(slider).labelled_by(label).changed() {
        studio.look.relief.sun_elevation = degrees.to_radians();
    }
    let label = ui.label("Direction of the sun").id;
    let mut degrees = studio.look.relief.sun_azimuth.to_degrees().rem_euclid(360.0);
    let slider = Slider::new(&mut degrees, 0.0..=360.0).suffix("°").fixed_decimals(0).show_value(false);
    if ui.add(slider).labelled_by(label).changed() {
        studio.look.relief.sun_azimuth = degrees.to_radians();
    }
    ui.horizontal_wrapped(|ui| {
        for (command, name) in [(Command::FrameAll, "Everything"), (Command::TopView, "From above")] {
            if ui.button(name).on_hover_text(super::menu::told(ui, command)).clicked() {
                studio.obey(command);
            }
        }
    });
}

impl Studio {
    /// Lays a quantity over the ground, by its place in the list; 0 lays none.
    pub(crate) fn lay_over(&mut self, number: u8) {
        let named = usize::from(number).checked_sub(1).and_then(|at| OVERLAYS.get(at));
        match named {
            Some((field, name)) if !self.has_overlay(field) => {
                self.messages.note(format!("This scene has no map of that: {}.", name.to_lowercase()));
            }
            Some((field, _)) => {
                self.look.overlay = Some(OverlayTable::named(*field).overlay());
                self.overlay = number;
            }
            None => (self.look.overlay, self.overlay) = (None, 0),
        }
    }

    fn has_overlay(&self, field: &str) -> bool {
        let Some(shown) = &self.shown else { return false };
        let has = |name: &str| shown.snapshot.field(name).is_some();
        match field {
            "slope" | "change" => has("height"),
            "erosion-deposition" => has("erosion") && has("deposition"),
            other => has(other),
        }
    }
}
