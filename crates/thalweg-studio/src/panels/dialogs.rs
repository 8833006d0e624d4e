//! Small windows: welcome, keys, history, questions.

use super::dialog;
use crate::command::{COMMANDS, Command, Menu};
use crate::engine::Opening;
use crate::studio::Studio;
use crate::{autosave, theme};
use egui::{Context, Grid, RichText, ScrollArea};

pub(crate) fn show(studio: &mut Studio, ctx: &Context) {
    if studio.windows.left_behind.is_some() {
        left_behind(studio, ctx);
    } else if studio.windows.welcome {
        welcome(studio, ctx);
    }
    if studio.windows.keys {
        studio.windows.keys = dialog(ctx, "Keys", 780.0, keys);
    }
    if studio.windows.history {
        history(studio, ctx);
    }
    if studio.windows.asks_to_quit {
        ask_to_quit(studio, ctx);
    }
}

fn welcome(studio: &mut Studio, ctx: &Context) {
    let mut chosen = None;
    let mut stays = true;
    let open = dialog(ctx, "Welcome to thalweg", 430.0, |ui| {
        ui.label("Rain falls on real mountains behind this window: it is at work already.");
        ui.add_space(4.0);
        for (name, text) in [
            ("Drag", "turns the view; the wheel brings it nearer"),
            ("Space", "pauses and plays"),
            ("Left", "brushes for ground and water, and what is laid over the ground"),
            ("Right", "every parameter of the scene; most act at once"),
        ] {
            ui.horizontal(|ui| {
                ui.add_sized([56.0, 18.0], egui::Label::new(RichText::new(name).strong()));
                ui.label(text);
            });
        }
        ui.add_space(8.0);
        ui.horizontal(|ui| {
            for (name, command) in
                [("Choose a scene…", Some(Command::Scenes)), ("Open heightmap…", Some(Command::Heightmap))]
            {
                if ui.button(name).clicked() {
                    chosen = command;
                    stays = false;
                }
            }
            let play = egui::Button::new(RichText::new("Play with this one").strong()).fill(theme::ACCENT);
            if ui.add(play).clicked() {
                stays = false;
            }
        });
    });
    studio.windows.welcome = open && stays;
    if let Some(command) = chosen {
        studio.obey(command);
    }
}

fn keys(ui: &mut egui::Ui) {
    ui.label("The left button turns the view, with Shift it moves it; the middle button does so with any tool in the hand. The wheel zooms to the cursor. Hold the right button to fly: W A S D, Q and E down and up, Shift faster.");
    ui.add_space(6.0);
    let height = ui.ctx().content_rect().height() - 220.0;
    ScrollArea::vertical().max_height(height).show(ui, |ui| {
        ui.columns(2, |columns| {
            for (menu, column) in Menu::ALL.into_iter().zip([0, 0, 0, 1, 0, 1]) {
                let ui = &mut columns[column];
                ui.label(RichText::new(menu.name()).strong());
                Grid::new(menu.name()).num_columns(2).spacing([12.0, 2.0]).show(ui, |ui| {
                    for entry in COMMANDS.iter().filter(|entry| entry.menu == menu) {
                        ui.label(entry.name.trim_end_matches('…'));
                        ui.label(RichText::new(entry.keys_told(ui.ctx())).monospace().small());
                        ui.end_row();
                    }
                });
                ui.add_space(6.0);
            }
        });
    });
}

fn history(studio: &mut Studio, ctx: &Context) {
    let Some(shown) = studio.shown.clone() else { return };
    let [done, undone] = &shown.undoable;
    let mut orders = Vec::new();
    let open = dialog(ctx, "History", 420.0, |ui| {
        ui.label("A click goes back or forth to there.");
        ScrollArea::vertical().max_height(360.0).stick_to_bottom(true).show(ui, |ui| {
            let start = ui.selectable_label(done.is_empty(), "As it was opened");
            if start.clicked() {
                orders.extend(done.iter().map(|_| Command::Undo));
            }
            for (i, label) in done.iter().enumerate() {
                if ui.selectable_label(i + 1 == done.len(), label).clicked() {
                    orders.extend((i + 1..done.len()).map(|_| Command::Undo));
                }
            }
            for (i, label) in undone.iter().rev().enumerate() {
                if ui.selectable_label(false, RichText::new(label).weak()).clicked() {
                    orders.extend((0..=i).map(|_| Command::Redo));
                }
            }
        });
    });
    studio.windows.history = open;
    orders.into_iter().for_each(|order| studio.obey(order));
}

fn ask_to_quit(studio: &mut Studio, ctx: &Context) {
    let (mut quits, mut saves) = (false, false);
    let open = dialog(ctx, "Quit?", 400.0, |ui| {
        let frames = studio.recording.frames();
        ui.label(if studio.recording.is_on() {
            format!(
                "Frames are being recorded, {frames} so far, and the scene may have changes that no file has."
            )
        } else {
            "The scene has changes that no file has.".into()
        });
        ui.add_space(6.0);
        ui.horizontal(|ui| {
            saves = ui.button("Save and quit").clicked();
            quits = ui.button("Quit without saving").clicked() || saves;
        });
    });
    studio.windows.asks_to_quit = open && !quits;
    if saves {
        studio.obey(Command::Save);
    }
    if quits {
        studio.windows.quits = true;
        autosave::forget();
        ctx.send_viewport_cmd(egui::ViewportCommand::Close);
    }
}

fn left_behind(studio: &mut Studio, ctx: &Context) {
    let Some((folder, name)) = studio.windows.left_behind.clone() else { return };
    let (mut takes, mut forgets) = (false, false);
    let open = dialog(ctx, "Go on where it stopped?", 420.0, |ui| {
        ui.label(format!("The studio ended without being asked to while \"{name}\" was at work. What it saved last is still there."));
        ui.add_space(6.0);
        ui.horizontal(|ui| {
            takes = ui.button("Go on").clicked();
            forgets = ui.button("Forget it").clicked();
        });
    });
    if takes {
        studio.windows.welcome = false;
        studio.open(Opening::Saved(folder));
        studio.name = name;
    }
    if forgets {
        autosave::forget();
    }
    if takes || forgets || !open {
        studio.windows.left_behind = None;
    }
}
