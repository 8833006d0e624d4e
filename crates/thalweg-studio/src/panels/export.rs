//! Terrain for other programs: the files, the numbers to type in, and the command that does the same.

use super::dialog;
use crate::picture_file;
use crate::studio::{Messages, Studio};
use crate::worker::Order;
use egui::{ComboBox, Context, RichText, ScrollArea, TextEdit};
use std::path::{Path, PathBuf};
use std::process::Command;
use thalweg::field::Grid2;
use thalweg::run::shell_word;

/// Programs that terrain can be made for, as `thalweg convert --for` calls them.
const TARGETS: [(&str, &str); 7] = [
    ("unreal", "Unreal Engine"),
    ("unity", "Unity"),
    ("godot", "Godot with Terrain3D"),
    ("blender", "Blender"),
    ("houdini", "Houdini"),
    ("gaea", "Gaea"),
    ("gis", "QGIS and other GIS"),
];

/// The window from which terrain is exported.
#[derive(Debug)]
pub(crate) struct Export {
    target: usize,
    folder: String,
    /// The heights that the command line converts, while they are written.
    waits: Option<PathBuf>,
    /// What the command line said: the files and the numbers to type in.
    said: Option<Result<String, String>>,
}

impl Export {
    pub(crate) fn new(out: &Path, name: &str) -> Self {
        let folder = out.join(format!("{}_export", picture_file::plain(name))).display().to_string();
        Self { target: 0, folder, waits: None, said: None }
    }

    /// Whether that file is what it waits for.
    pub(crate) fn waits_for(&self, path: &Path) -> bool {
        self.waits.as_deref() == Some(path)
    }

    fn heights(&self) -> PathBuf {
        Path::new(&self.folder).join("heights.exr")
    }

    fn output(&self) -> PathBuf {
        Path::new(&self.folder).join(TARGETS[self.target].0)
    }

    /// What the command line is called with.
    fn arguments(&self) -> Vec<String> {
        let [heights, output] = [self.heights(), self.output()].map(|path| path.display().to_string());
        let fit = matches!(TARGETS[self.target].0, "unreal" | "unity");
        let fit = ["--fit", "nearest"].iter().filter(|_| fit).map(|word| (*word).to_owned());
        ["convert".into(), heights, output, "--for".into(), TARGETS[self.target].0.into()]
            .into_iter()
            .chain(fit)
            .collect()
    }

    /// The same as a line for a terminal.
    pub(crate) fn command(&self) -> String {
        // Paths are quoted; what begins with a dash is no path.
        let word = |word: &String| if word.starts_with('-') { word.clone() } else { shell_word(word) };
        let words: Vec<_> = self.arguments().iter().map(word).collect();
        format!("thalweg {}", words.join(" "))
    }

    /// Lets the command line make the files, now that the heights are written.
    pub(crate) fn convert(&mut self, messages: &mut Messages) {
        self.waits = None;
        let said = match program() {
            Some(program) => run(&program, &self.arguments()),
            None => Err(format!(
                "the command line is not beside the studio (cargo build --release); the heights are in {}",
                self.heights().display()
            )),
        };
        match &said {
            Ok(_) => messages.wrote(self.output()),
            Err(reason) => messages.trouble(reason.clone()),
        }
        self.said = Some(said);
    }
}

fn run(program: &Path, arguments: &[String]) -> Result<String, String> {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }
}

/// The command line beside the studio, or one folder up, where tests are below it.
fn program() -> Option<PathBuf> {
    let name = format!("thalweg{}", std::env::consts::EXE_SUFFIX);
    let own = std::env::current_exe().ok()?;
    own.ancestors().skip(1).take(2).map(|folder| folder.join(&name)).find(|program| program.is_file())
}

pub(crate) fn show(studio: &mut Studio, ctx: &Context) {
    let Some(export) = &mut studio.windows.export else { return };
    let mut begins = false;
    let open = dialog(ctx, "Export terrain", 560.0, |ui| {
        ui.horizontal(|ui| {
            ui.label("For");
            let name = TARGETS[export.target].1;
            ComboBox::from_id_salt("target").selected_text(name).width(220.0).show_ui(ui, |ui| {
                for (i, (_, name)) in TARGETS.iter().enumerate() {
                    ui.selectable_value(&mut export.target, i, *name);
                }
            });
        });
        ui.horizontal(|ui| {
            ui.label("Into");
            ui.add(TextEdit::singleline(&mut export.folder).desired_width(460.0));
        });
        if let Some(shown) =
            studio.shown.as_ref().and_then(|shown| shown.snapshot.field("height").map(Grid2::len))
        {
            ui.label(
                RichText::new(format!("Needs about {} MB on the disk.", (shown * 6).div_ceil(1_000_000)))
                    .weak(),
            );
        }
        ui.add_space(4.0);
        ui.label("The same on the command line:");
        ui.horizontal(|ui| {
            let mut command = export.command();
            ui.add(
                TextEdit::multiline(&mut command)
                    .desired_rows(2)
                    .desired_width(450.0)
                    .font(egui::TextStyle::Monospace),
            );
            if ui.button("Copy").clicked() {
                ui.ctx().copy_text(command);
            }
        });
        ui.add_space(4.0);
        let name = if export.waits.is_some() { "Exporting…" } else { "Export" };
        let button = egui::Button::new(RichText::new(name).strong()).fill(crate::theme::ACCENT);
        begins = ui.add_enabled(export.waits.is_none(), button).clicked();
        result(ui, export.said.as_ref());
    });
    if !open {
        studio.windows.export = None;
    } else if begins {
        begin(studio);
    }
}

/// What the command line said.
fn result(ui: &mut egui::Ui, said: Option<&Result<String, String>>) {
    match said {
        Some(Ok(said)) => {
            ui.label(RichText::new("Type these numbers in:").strong());
            ScrollArea::vertical().max_height(220.0).show(ui, |ui| {
                ui.label(RichText::new(said).monospace());
            });
        }
        Some(Err(reason)) => {
            ui.label(RichText::new(reason).color(crate::theme::WARN));
        }
        None => {}
    }
}

/// Lets the heights be written; what follows happens when they are.
fn begin(studio: &mut Studio) {
    let Some(export) = &mut studio.windows.export else { return };
    let heights = export.heights();
    let folder = heights.parent().unwrap_or(Path::new(""));
    if let Err(error) = thalweg::io::atomic::create_dir(folder) {
        studio.messages.trouble(error.to_string());
        return;
    }
    (export.waits, export.said) = (Some(heights.clone()), None);
    studio.order(Order::WriteHeights(heights));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_told_as_it_is_written_in_a_terminal() {
        let mut export = Export::new(Path::new("/tmp/my work"), "scenes/Big Valley.toml");
        assert_eq!(
            export.command(),
            "thalweg convert '/tmp/my work/Big_Valley_export/heights.exr' '/tmp/my work/Big_Valley_export/unreal' \
             --for unreal --fit nearest"
        );
        export.target = 6;
        assert!(export.command().ends_with("gis' --for gis"), "{}", export.command());
    }
}
