//! The built-in scenes, with pictures.

use super::dialog;
use crate::engine::Opening;
use crate::studio::Studio;
use egui::{
    Align2, Color32, ColorImage, Context, FontId, Rect, ScrollArea, Sense, TextEdit, TextureHandle, Ui, pos2,
    vec2,
};
use std::collections::BTreeMap;
use thalweg::project::{BuiltIn, built_in_scenes};

/// Size of a picture, in points.
const PICTURE: [f32; 2] = [192.0, 108.0];
/// Height of a tile with its name and what it is.
const TILE: f32 = 166.0;

/// The window with the scenes.
#[derive(Default)]
pub(crate) struct Gallery {
    search: String,
    titles: BTreeMap<&'static str, String>,
    pictures: BTreeMap<&'static str, Option<TextureHandle>>,
}

impl std::fmt::Debug for Gallery {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Gallery").field("search", &self.search).finish_non_exhaustive()
    }
}

pub(crate) fn show(studio: &mut Studio, ctx: &Context) {
    let Some(gallery) = &mut studio.windows.gallery else { return };
    let mut chosen = None;
    let wide = ((ctx.content_rect().width() - 120.0) / (PICTURE[0] + 12.0)).floor().clamp(3.0, 6.0);
    let width = wide * (PICTURE[0] + 12.0) + 10.0;
    let open = dialog(ctx, "Scenes", width, |ui| {
        let search =
            TextEdit::singleline(&mut gallery.search).hint_text("Search scenes").desired_width(220.0);
        ui.add(search);
        let wanted = gallery.search.to_lowercase();
        ScrollArea::vertical()
            .max_height(ctx.content_rect().height() - 170.0)
            .auto_shrink([false, true])
            .show(ui, |ui| {
                let scenes: Vec<_> =
                    built_in_scenes().iter().filter(|scene| gallery.finds(scene, &wanted)).collect();
                for row in scenes.chunks(wide as usize) {
                    ui.horizontal(|ui| {
                        for scene in row {
                            if gallery.tile(ui, scene) {
                                chosen = Some(scene.name);
                            }
                        }
                    });
                }
            });
    });
    if let Some(name) = chosen {
        studio.open(Opening::Scene(name.into()));
    }
    if !open || chosen.is_some() {
        studio.windows.gallery = None;
    }
}

impl Gallery {
    fn finds(&mut self, scene: &BuiltIn, wanted: &str) -> bool {
        let title = self.titles.entry(scene.name).or_insert_with(|| scene.title());
        let text = format!("{} {title}", scene.name).to_lowercase();
        wanted.split_whitespace().all(|word| text.contains(word))
    }

    /// One scene; true if it is chosen.
    fn tile(&mut self, ui: &mut Ui, scene: &'static BuiltIn) -> bool {
        let (rect, response) = ui.allocate_exact_size(vec2(PICTURE[0] + 4.0, TILE), Sense::click());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, scene.name));
        let visuals = ui.style().interact(&response);
        ui.painter().rect_filled(rect, 5.0, visuals.bg_fill);
        let picture = Rect::from_min_size(rect.min + vec2(2.0, 2.0), PICTURE.into());
        let texture = self.pictures.entry(scene.name).or_insert_with(|| {
            let image = thumbnail(scene.name)?;
            Some(ui.ctx().load_texture(scene.name, image, egui::TextureOptions::LINEAR))
        });
        match texture {
            Some(texture) => {
                let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
                ui.painter().image(texture.id(), picture, whole, Color32::WHITE);
            }
            None => {
                ui.painter().rect_filled(picture, 4.0, ui.visuals().extreme_bg_color);
                let colour = ui.visuals().weak_text_color();
                ui.painter().text(
                    picture.center(),
                    Align2::CENTER_CENTER,
                    scene.name,
                    FontId::proportional(15.0),
                    colour,
                );
            }
        }
        let text = rect.left_top() + vec2(6.0, PICTURE[1] + 7.0);
        let painter = ui.painter_at(rect);
        painter.text(
            text,
            Align2::LEFT_TOP,
            scene.name,
            FontId::proportional(13.5),
            ui.visuals().strong_text_color(),
        );
        let title = self.titles.get(scene.name).cloned().unwrap_or_default();
        let colour = ui.visuals().text_color();
        let mut job = egui::text::LayoutJob::simple(
            title.clone(),
            FontId::proportional(11.0),
            colour,
            PICTURE[0] - 8.0,
        );
        job.wrap.max_rows = 2;
        let galley = painter.layout_job(job);
        painter.galley(text + vec2(0.0, 18.0), galley, colour);
        response.on_hover_text(title).clicked()
    }
}

/// The picture of a scene, if there is one.
fn thumbnail(name: &str) -> Option<ColorImage> {
    let (_, bytes) = THUMBNAILS.iter().find(|(own, _)| *own == name)?;
    let mut decoder = png::Decoder::new(std::io::Cursor::new(*bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut pixels).ok()?;
    let size = [info.width as usize, info.height as usize];
    (info.color_type == png::ColorType::Rgb)
        .then(|| ColorImage::from_rgb(size, &pixels[..info.buffer_size()]))
}

macro_rules! thumbnails {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../pictures/", $name, ".png")))),*]
    };
}

/// Small pictures of the scenes, made from those of the gallery in the documentation.
const THUMBNAILS: &[(&str, &[u8])] = thumbnails![
    "arch",
    "beach",
    "canyon",
    "cavern",
    "dam-break",
    "demo",
    "diffusion",
    "ditch",
    "fleet",
    "fluid-heavy",
    "fluid-honey",
    "fluid-water",
    "harbour",
    "lake",
    "lake-boats",
    "lighthouse",
    "meander",
    "mountain",
    "mountain-rain",
    "ocean",
    "particles-max",
    "peak-before-after",
    "pool",
    "river-detail",
    "settling",
    "spring-in-cave",
    "terrain-noise-islands",
    "terrain-noise-overhangs",
    "terrain-noise-peaks",
    "terrain-noise-terraces",
    "tujunga",
    "waterfall",
    "wave-pool",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_belongs_to_a_scene_and_can_be_read() {
        for (name, _) in THUMBNAILS {
            assert!(BuiltIn::named(name).is_some(), "{name} is no scene");
            assert_eq!(thumbnail(name).map(|image| image.size), Some([192, 108]), "{name}");
        }
        assert!(THUMBNAILS.len() > 10);
    }
}
