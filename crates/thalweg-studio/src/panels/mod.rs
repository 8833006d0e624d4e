//! The parts of the window.

pub(crate) mod browser;
pub(crate) mod dialogs;
pub(crate) mod export;
pub(crate) mod gallery;
pub(crate) mod import;
pub(crate) mod legend;
pub(crate) mod menu;
pub(crate) mod messages;
pub(crate) mod parameters;
pub(crate) mod search;
pub(crate) mod side;
pub(crate) mod status;
pub(crate) mod viewport;

use crate::studio::Studio;
use egui::{CentralPanel, Frame, Panel, Ui};

/// Shows all of them.
pub(crate) fn show(studio: &mut Studio, ui: &mut Ui) {
    Panel::top("menu").show(ui, |ui| menu::show(studio, ui));
    Panel::bottom("status").show(ui, |ui| status::show(studio, ui));
    Panel::left("tools").resizable(false).exact_size(196.0).show(ui, |ui| side::show(studio, ui));
    Panel::right("parameters")
        .resizable(true)
        .default_size(340.0)
        .size_range(280.0..=480.0)
        .show(ui, |ui| parameters::show(studio, ui));
    CentralPanel::default().frame(Frame::NONE).show(ui, |ui| {
        viewport::show(studio, ui);
        messages::show(studio, ui);
    });
    let ctx = ui.ctx().clone();
    dialogs::show(studio, &ctx);
    gallery::show(studio, &ctx);
    browser::show(studio, &ctx);
    import::show(studio, &ctx);
    export::show(studio, &ctx);
    search::show(studio, &ctx);
}

/// A window in the middle, that can be closed; true while it is open.
pub(crate) fn dialog(ctx: &egui::Context, title: &str, width: f32, contents: impl FnOnce(&mut Ui)) -> bool {
    let mut open = true;
    egui::Window::new(title)
        .open(&mut open)
        .collapsible(false)
        .resizable(false)
        .anchor(egui::Align2::CENTER_CENTER, [0.0, 0.0])
        .default_width(width)
        .max_height(ctx.content_rect().height() - 60.0)
        .show(ctx, |ui| {
            ui.set_width(width);
            contents(ui);
        });
    open
}
