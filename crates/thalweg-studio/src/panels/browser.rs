//! Choosing a file.

use super::dialog;
use crate::studio::Studio;
use egui::{Context, RichText, ScrollArea, TextEdit};
use std::path::{Path, PathBuf};

/// The window in which a file is chosen.
#[derive(Debug)]
pub(crate) struct Browser {
    title: &'static str,
    /// What can be opened, in words.
    formats: &'static str,
    endings: &'static [&'static str],
    folder: PathBuf,
    written: String,
}

/// Endings of heightmaps that can be read.
const HEIGHTMAPS: [&str; 14] =
    ["png", "tif", "tiff", "exr", "r16", "r32", "raw", "asc", "hgt", "npy", "pfm", "dem", "bil", "flt"];

impl Browser {
    pub(crate) fn scenes() -> Self {
        Self::new("Open scene…", "Scene files (.toml)", &["toml"])
    }

    pub(crate) fn heightmaps() -> Self {
        let formats = "PNG (8 or 16 bit), TIFF and GeoTIFF, EXR, raw 16 and 32 bit (.r16 .r32 .raw), ASCII grid, HGT, NPY, PFM";
        Self::new("Open heightmap…", formats, &HEIGHTMAPS)
    }

    fn new(title: &'static str, formats: &'static str, endings: &'static [&'static str]) -> Self {
        let folder = std::env::current_dir().unwrap_or_default();
        Self { title, formats, endings, folder, written: String::new() }
    }

    /// Folders, and files that can be opened; what is hidden is not shown.
    fn entries(&self) -> Vec<(String, PathBuf, bool)> {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return Vec::new() };
        let entry = |path: PathBuf| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            let is_folder = path.is_dir();
            let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
            let wanted = is_folder || self.endings.contains(&ending.as_str());
            (wanted && !name.starts_with('.')).then_some((name, path, is_folder))
        };
        let mut entries: Vec<_> = entries.flatten().filter_map(|found| entry(found.path())).collect();
        entries.sort_by_key(|(name, _, is_folder)| (!is_folder, name.to_lowercase()));
        entries
    }
}

pub(crate) fn show(studio: &mut Studio, ctx: &Context) {
    let Some(browser) = &mut studio.windows.browser else { return };
    let mut chosen = None;
    let open = dialog(ctx, browser.title, 520.0, |ui| {
        ui.label(RichText::new(browser.formats).weak());
        ui.horizontal(|ui| {
            let parent = browser.folder.parent().map(Path::to_path_buf);
            if ui.add_enabled(parent.is_some(), egui::Button::new("Up")).clicked() {
                browser.folder = parent.unwrap_or_default();
            }
            ui.label(browser.folder.display().to_string());
        });
        ScrollArea::vertical().max_height(300.0).auto_shrink([false, false]).show(ui, |ui| {
            for (name, path, is_folder) in browser.entries() {
                let name = if is_folder { format!("{name}/") } else { name };
                if ui.selectable_label(false, name).clicked() {
                    if is_folder { browser.folder = path } else { chosen = Some(path) }
                }
            }
        });
        ui.horizontal(|ui| {
            let path = TextEdit::singleline(&mut browser.written)
                .hint_text("Or the path of a file")
                .desired_width(420.0);
            let entered = ui.add(path).lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
            if (ui.button("Open").clicked() || entered) && !browser.written.is_empty() {
                chosen = Some(browser.folder.join(browser.written.trim()));
            }
        });
    });
    if !open || chosen.is_some() {
        studio.windows.browser = None;
    }
    if let Some(path) = chosen {
        studio.open_file(&path);
    }
}
