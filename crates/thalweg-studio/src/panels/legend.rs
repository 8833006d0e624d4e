//! The colours of an overlay, with numbers and unit.

use crate::drawing::Painted;
use crate::studio::Studio;
use egui::{Align2, Color32, FontId, Mesh, Rect, Ui, pos2, vec2};
use thalweg::field::FieldInfo;
use thalweg::render::{Overlay, Spread};

const WIDTH: f32 = 240.0;
const HEIGHT: f32 = 62.0;

/// Draws the legend into the lower right corner of the view.
pub(crate) fn show(studio: &Studio, ui: &Ui, view: Rect) {
    let (Some(overlay), Some(Painted { range: Some(range), .. })) = (&studio.look.overlay, &studio.painted)
    else {
        return;
    };
    let Some(shown) = &studio.shown else { return };
    let known = shown.snapshot.labelled(&overlay.field).map(|field| field.info.clone());
    let info = known.unwrap_or_else(|| made_up(&overlay.field));
    let corner = view.right_bottom() - vec2(WIDTH + 12.0, HEIGHT + 12.0);
    let frame = Rect::from_min_size(corner, vec2(WIDTH, HEIGHT));
    let painter = ui.painter();
    painter.rect_filled(frame, 6.0, Color32::from_black_alpha(170));
    let text = |at: egui::Pos2, align: Align2, text: String| {
        painter.text(at, align, text, FontId::proportional(12.0), Color32::WHITE);
    };
    text(frame.left_top() + vec2(10.0, 7.0), Align2::LEFT_TOP, title(&info));
    let bar = Rect::from_min_size(frame.left_top() + vec2(10.0, 26.0), vec2(WIDTH - 20.0, 12.0));
    painter.add(colours(overlay, bar));
    let spread = Spread::new(overlay.style.scale, *range);
    let factor = if info.unit == "rad" { 180.0 / std::f64::consts::PI } else { 1.0 };
    let mut end = f32::NEG_INFINITY;
    for tick in spread.ticks_times(factor) {
        let x = bar.left() + tick.0.clamp(0.0, 1.0) * bar.width();
        // Numbers keep apart.
        if x > end + 30.0 {
            text(pos2(x, bar.bottom() + 4.0), Align2::CENTER_TOP, tick.1);
            end = x;
        }
    }
}

/// Quantities that are worked out while drawing.
fn made_up(field: &str) -> FieldInfo {
    match field {
        "slope" => FieldInfo::new("slope", "rad", ""),
        "change" => FieldInfo::new("change since the start", "m", ""),
        "erosion-deposition" => FieldInfo::new("deposition less erosion", "m", ""),
        _ => FieldInfo::new("", "-", ""),
    }
}

fn title(info: &FieldInfo) -> String {
    let unit = if info.unit == "rad" { "°" } else { &info.unit };
    let name = crate::parameters::sentence(&crate::parameters::words(&info.name));
    if matches!(unit, "-" | "") { name } else { format!("{name} ({unit})") }
}

fn colours(overlay: &Overlay, bar: Rect) -> Mesh {
    const STRIPES: usize = 64;
    let mut mesh = Mesh::default();
    for i in 0..=STRIPES {
        let share = i as f32 / STRIPES as f32;
        let [red, green, blue] = overlay.style.colours.colour(share);
        let x = bar.left() + share * bar.width();
        for y in [bar.top(), bar.bottom()] {
            mesh.colored_vertex(pos2(x, y), Color32::from_rgb(red, green, blue));
        }
        if i > 0 {
            let at = 2 * i as u32;
            mesh.add_triangle(at - 2, at - 1, at);
            mesh.add_triangle(at - 1, at, at + 1);
        }
    }
    mesh
}
