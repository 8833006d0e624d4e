//! Finding a command or a parameter by a word.

use super::dialog;
use crate::command::COMMANDS;
use crate::parameters::groups;
use crate::studio::Studio;
use egui::{Context, Key, ScrollArea, TextEdit};

/// Results that are shown.
const MOST: usize = 14;

/// The window in which one searches.
#[derive(Debug, Default)]
pub(crate) struct Search {
    written: String,
    began: bool,
}

pub(crate) fn show(studio: &mut Studio, ctx: &Context) {
    let Some(mut search) = studio.windows.search.take() else { return };
    let (mut command, mut parameter) = (None, None);
    let open = dialog(ctx, "Search", 440.0, |ui| {
        let line = TextEdit::singleline(&mut search.written)
            .hint_text("A parameter or a command")
            .desired_width(f32::INFINITY);
        let response = ui.add(line);
        if !std::mem::replace(&mut search.began, true) {
            response.request_focus();
        }
        let entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        let words = search.written.to_lowercase();
        let finds = |text: &str| words.split_whitespace().all(|word| text.to_lowercase().contains(word));
        ScrollArea::vertical().max_height(360.0).show(ui, |ui| {
            let mut first = entered && !words.is_empty();
            for entry in COMMANDS.iter().filter(|entry| finds(entry.name)).take(MOST) {
                let text = format!("{}   {}", entry.name, entry.keys_told(ui.ctx()));
                if ui.selectable_label(false, text).clicked() || std::mem::take(&mut first) {
                    command = Some(entry.command);
                }
            }
            let scene = studio.shown.as_ref().filter(|_| !words.is_empty()).map(|shown| shown.scene.clone());
            let rows = scene.iter().flat_map(|scene| groups(scene)).flat_map(|group| {
                let name = group.name.clone();
                group.rows.into_iter().map(move |row| (name.clone(), row))
            });
            for (group, row) in
                rows.filter(|(group, row)| finds(&format!("{group} {} {}", row.name, row.key))).take(MOST)
            {
                let label =
                    ui.selectable_label(false, format!("{group}: {}", row.name)).on_hover_text(&row.help);
                if label.clicked() || std::mem::take(&mut first) {
                    parameter = Some(row.name);
                }
            }
        });
    });
    if open && command.is_none() && parameter.is_none() {
        studio.windows.search = Some(search);
    }
    if let Some(name) = parameter {
        studio.panel.search = name.replace(':', " ");
    }
    if let Some(command) = command {
        studio.obey(command);
    }
}
