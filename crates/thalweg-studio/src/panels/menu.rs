//! Menus and the buttons that are used most.

use crate::command::{COMMANDS, Command, Menu, WELCOME, entry_of};
use crate::studio::Studio;
use egui::{Button, RichText, Ui};

pub(crate) fn show(studio: &mut Studio, ui: &mut Ui) {
    ui.add_space(2.0);
    ui.horizontal(|ui| {
        for menu in Menu::ALL {
            ui.menu_button(menu.name(), |ui| entries(studio, ui, menu));
        }
        ui.separator();
        buttons(studio, ui);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            button(studio, ui, Command::Export, "Export…");
            button(studio, ui, Command::Scenes, "Scenes…");
            let title =
                if studio.is_unsaved() { format!("{} •", studio.name) } else { studio.name.clone() };
            ui.label(RichText::new(title).strong());
        });
    });
    ui.add_space(2.0);
}

fn entries(studio: &mut Studio, ui: &mut Ui, menu: Menu) {
    ui.set_min_width(250.0);
    let welcome = [WELCOME].into_iter().filter(|_| menu == Menu::Help);
    for entry in COMMANDS.into_iter().filter(|entry| entry.menu == menu).chain(welcome) {
        let keys = entry.keys.first().map(|keys| ui.ctx().format_shortcut(keys)).unwrap_or_default();
        if ui.add(Button::new(entry.name).shortcut_text(keys)).clicked() {
            studio.obey(entry.command);
            ui.close();
        }
    }
    match menu {
        Menu::View => {
            ui.separator();
            ui.label("Size of everything");
            ui.horizontal(|ui| {
                for percent in [100, 125, 150, 200] {
                    if ui.button(format!("{percent} %")).clicked() {
                        ui.ctx().set_zoom_factor(percent as f32 / 100.0);
                    }
                }
            });
        }
        Menu::Edit => {
            ui.separator();
            if ui.button("History").clicked() {
                studio.windows.history = true;
                ui.close();
            }
        }
        _ => {}
    }
}

/// Play, step, reset, undo, redo.
fn buttons(studio: &mut Studio, ui: &mut Ui) {
    let playing = studio.shown.as_ref().is_some_and(|shown| shown.playing);
    let name = if playing { "Pause" } else { "Play" };
    let width = 78.0;
    let play = ui.add_sized([width, 24.0], Button::new(RichText::new(name).strong()).selected(!playing));
    if play.on_hover_text(told(ui, Command::Play)).clicked() {
        studio.obey(Command::Play);
    }
    button(studio, ui, Command::Step, "Step");
    button(studio, ui, Command::Reset, "Reset");
    ui.separator();
    let [undo, redo] = studio
        .shown
        .as_ref()
        .map_or([false; 2], |shown| [!shown.undoable[0].is_empty(), !shown.undoable[1].is_empty()]);
    for (command, name, able) in [(Command::Undo, "Undo", undo), (Command::Redo, "Redo", redo)] {
        let button = ui.add_enabled(able, Button::new(name));
        if button.on_hover_text(told(ui, command)).clicked() {
            studio.obey(command);
        }
    }
}

fn button(studio: &mut Studio, ui: &mut Ui, command: Command, name: &str) {
    if ui.button(name).on_hover_text(told(ui, command)).clicked() {
        studio.obey(command);
    }
}

/// What a command does, with its keys.
pub(crate) fn told(ui: &Ui, command: Command) -> String {
    let entry = entry_of(command);
    format!("{} ({})", entry.name.trim_end_matches('…'), entry.keys_told(ui.ctx()))
}
