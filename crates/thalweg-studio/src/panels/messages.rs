//! What was said last, with what can be done about it.

use crate::studio::Studio;
use crate::theme;
use egui::{Align2, Area, Frame, RichText, Ui};
use std::path::Path;

/// Messages that are seen at once.
const SEEN: usize = 3;

pub(crate) fn show(studio: &mut Studio, ui: &mut Ui) {
    let shown = studio.messages.all.len().saturating_sub(SEEN);
    if studio.messages.all.is_empty() && !studio.recording.is_on() {
        return;
    }
    let rect = ui.max_rect();
    let mut gone = None;
    let area = Area::new(egui::Id::unique("messages")).fixed_pos(rect.left_top() + egui::vec2(12.0, 40.0));
    area.pivot(Align2::LEFT_TOP).show(ui.ctx(), |ui| {
        ui.set_max_width((rect.width() - 24.0).clamp(200.0, 560.0));
        if studio.recording.is_on() {
            Frame::popup(ui.style()).show(ui, |ui| {
                let text = format!("Recording: {} frames so far. F11 ends it.", studio.recording.frames());
                ui.label(RichText::new(text).color(theme::WARN));
            });
        }
        for (i, message) in studio.messages.all.iter().enumerate().skip(shown) {
            Frame::popup(ui.style()).show(ui, |ui| {
                let text = RichText::new(&message.text);
                ui.label(if message.is_trouble { text.color(theme::WARN) } else { text });
                ui.horizontal(|ui| {
                    if let Some(path) = &message.path {
                        if ui.button("Open folder").clicked() {
                            open_folder(ui, path);
                        }
                        if ui.button("Copy path").clicked() {
                            ui.ctx().copy_text(path.display().to_string());
                        }
                    }
                    if ui.button("Dismiss").clicked() {
                        gone = Some(i);
                    }
                });
            });
        }
    });
    if let Some(gone) = gone {
        studio.messages.all.remove(gone);
    }
}

/// Shows a folder, or that of a file, with the system's own program.
fn open_folder(ui: &Ui, path: &Path) {
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.into());
    ui.ctx().open_url(egui::OpenUrl::new_tab(format!("file://{}", folder.display())));
}
