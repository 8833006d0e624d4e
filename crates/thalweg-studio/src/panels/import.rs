//! A heightmap before it is loaded: what it looks like, how large and how high it is.

use super::dialog;
use crate::engine::Opening;
use crate::studio::Studio;
use egui::{ColorImage, Context, DragValue, Grid, RichText, TextureHandle};
use std::path::{Path, PathBuf};
use thalweg::field::Heightfield;
use thalweg::io::{ReadOptions, read_heightfield};
use thalweg::render::{ReliefStyle, Scene, relief};
use thalweg::terrain::resample;

/// Cells along the longer side of a preview.
const PREVIEW: usize = 320;
/// Memory that reading for a preview may take `[bytes]`.
const MOST_BYTES: u64 = 4 << 30;

/// The window with a heightmap.
pub(crate) struct Import {
    file: PathBuf,
    read: Result<Read, String>,
    cell: f64,
    heights: [f64; 2],
    rain: f64,
    picture: Option<TextureHandle>,
}

impl std::fmt::Debug for Import {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Import").field("file", &self.file).finish_non_exhaustive()
    }
}

/// What the file says.
struct Read {
    small: Heightfield,
    size: [usize; 2],
    notices: Vec<String>,
    bytes: u64,
    /// Cell and heights as they were read, which nobody needs to say again.
    own: (f64, [f64; 2]),
}

impl Import {
    pub(crate) fn new(file: &Path) -> Self {
        let read = read(file);
        let (cell, heights) = read.as_ref().map_or((10.0, [0.0, 1000.0]), |read| read.own);
        Self { file: file.into(), read, cell, heights, rain: 20.0, picture: None }
    }

    /// The text of a scene around it: rain on it, open edges.
    fn scene(&self, own: (f64, [f64; 2])) -> String {
        let name = self.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let [low, high] = self.heights;
        let heights = if self.heights == own.1 {
            String::new()
        } else {
            format!("height_range = [{low:?}, {high:?}]\n")
        };
        format!(
            "version = 1\ntitle = {title}\n[terrain]\nfile = {file}\ncell = {cell:?}\n{heights}\
             [edges]\nnorth = \"open\"\neast = \"open\"\nsouth = \"open\"\nwest = \"open\"\n\
             [[rain]]\nrate = \"{rain} mm/h\"\n[time]\nsteps = 20000\n",
            title = toml::Value::from(format!("Rain on {name}")),
            file = toml::Value::from(name),
            cell = self.cell,
            rain = self.rain,
        )
    }
}

fn read(file: &Path) -> Result<Read, String> {
    let options = ReadOptions { max_bytes: MOST_BYTES, ..ReadOptions::default() };
    let imported = read_heightfield(file, &options).map_err(|error| error.to_string())?;
    let field = imported.field;
    let size = [field.height.cols(), field.height.rows()];
    let (low, high) = field.height.range().unwrap_or((0.0, 1.0));
    let shrink = (size[0].max(size[1]) as f64 / PREVIEW as f64).max(1.0);
    let [cols, rows] = size.map(|side| ((side as f64 / shrink) as usize).max(2));
    Ok(Read {
        small: resample(&field, cols, rows),
        size,
        notices: imported.notices.iter().map(ToString::to_string).collect(),
        bytes: std::fs::metadata(file).map_or(0, |data| data.len()),
        own: (field.frame.cell, [f64::from(low), f64::from(high)]),
    })
}

pub(crate) fn show(studio: &mut Studio, ctx: &Context) {
    let Some(import) = &mut studio.windows.import else { return };
    let name = import.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut loads = false;
    let open = dialog(ctx, &format!("Open heightmap: {name}"), 560.0, |ui| match &import.read {
        Err(reason) => {
            ui.label(reason);
        }
        Ok(read) => {
            let picture = import.picture.get_or_insert_with(|| preview(ctx, read));
            ui.horizontal_top(|ui| {
                ui.image((picture.id(), picture.size_vec2() * (260.0 / picture.size_vec2().max_elem())));
                ui.vertical(|ui| {
                    facts(ui, read, (&mut import.cell, &mut import.heights, &mut import.rain));
                    ui.add_space(6.0);
                    let button = egui::Button::new(RichText::new("Load and let it rain").strong())
                        .fill(crate::theme::ACCENT);
                    loads = ui.add(button).clicked();
                });
            });
            for notice in &read.notices {
                ui.label(RichText::new(notice).small().weak());
            }
        }
    });
    let opening = import.read.as_ref().ok().map(|read| {
        let text = import.scene(read.own);
        Opening::Ground { file: import.file.clone(), text }
    });
    if !open || loads {
        studio.windows.import = None;
    }
    if let (true, Some(opening)) = (loads, opening) {
        studio.windows.welcome = false;
        studio.open(opening);
    }
}

fn facts(ui: &mut egui::Ui, read: &Read, (cell, heights, rain): (&mut f64, &mut [f64; 2], &mut f64)) {
    let [cols, rows] = read.size;
    Grid::new("heightmap").num_columns(2).spacing([14.0, 6.0]).show(ui, |ui| {
        ui.label("Size");
        ui.label(format!("{cols} × {rows} cells"));
        ui.end_row();
        ui.label("File");
        let bits = 8.0 * read.bytes as f64 / (cols * rows) as f64;
        ui.label(format!("{:.1} MB, {bits:.1} bits a cell", read.bytes as f64 / 1.0e6));
        ui.end_row();
        ui.label("Metres per pixel");
        ui.add(DragValue::new(cell).range(1.0e-3..=1.0e5).speed(0.1).suffix(" m"));
        ui.end_row();
        ui.label("Lowest height");
        ui.add(DragValue::new(&mut heights[0]).speed(1.0).suffix(" m"));
        ui.end_row();
        ui.label("Highest height");
        ui.add(DragValue::new(&mut heights[1]).speed(1.0).suffix(" m"));
        ui.end_row();
        ui.label("Rain");
        ui.add(DragValue::new(rain).range(0.0..=1.0e4).suffix(" mm/h"));
        ui.end_row();
        ui.label("Width");
        ui.label(format!("{:.2} km", cols as f64 * *cell / 1000.0));
        ui.end_row();
    });
}

fn preview(ctx: &Context, read: &Read) -> TextureHandle {
    let scene = Scene::ground(&read.small);
    let longer = read.small.height.cols().max(read.small.height.rows());
    let picture = relief(&scene, &ReliefStyle::default(), longer);
    let image = ColorImage::from_rgb([picture.width, picture.height], &picture.rgb);
    ctx.load_texture("heightmap", image, egui::TextureOptions::LINEAR)
}
