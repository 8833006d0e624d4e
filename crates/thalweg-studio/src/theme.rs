//! Colours, sizes and distances of the window.

use egui::{Color32, CornerRadius, FontId, TextStyle, Visuals};

/// The colour of what is chosen: deep water.
pub(crate) const ACCENT: Color32 = Color32::from_rgb(38, 128, 160);
/// The colour of what went wrong or waits.
pub(crate) const WARN: Color32 = Color32::from_rgb(226, 148, 46);

/// Lets the letters of the even font stand in where the other has none: raised numbers, arrows.
pub(crate) fn add_letters(ctx: &egui::Context) {
    let mut fonts = egui::FontDefinitions::default();
    let even = fonts.families.get(&egui::FontFamily::Monospace).cloned().unwrap_or_default();
    let letters = fonts.families.entry(egui::FontFamily::Proportional).or_default();
    for name in even {
        if !letters.contains(&name) {
            letters.push(name);
        }
    }
    ctx.set_fonts(fonts);
}

/// Sets light or dark.
pub(crate) fn set(ctx: &egui::Context, dark: bool) {
    let theme = if dark { egui::Theme::Dark } else { egui::Theme::Light };
    ctx.set_theme(theme);
    ctx.style_mut_of(theme, |style| {
        let mut visuals = if dark { Visuals::dark() } else { Visuals::light() };
        visuals.selection.bg_fill = ACCENT;
        visuals.selection.stroke.color = Color32::WHITE;
        visuals.hyperlink_color =
            if dark { Color32::from_rgb(110, 190, 215) } else { Color32::from_rgb(20, 96, 124) };
        if dark {
            visuals.panel_fill = Color32::from_rgb(30, 32, 35);
            visuals.window_fill = Color32::from_rgb(37, 40, 44);
            visuals.override_text_color = Some(Color32::from_rgb(222, 224, 226));
        }
        for widget in
            [&mut visuals.widgets.inactive, &mut visuals.widgets.hovered, &mut visuals.widgets.active]
        {
            widget.corner_radius = CornerRadius::same(4);
        }
        style.visuals = visuals;
        style.spacing.item_spacing = egui::vec2(8.0, 6.0);
        style.spacing.button_padding = egui::vec2(8.0, 4.0);
        style.spacing.interact_size.y = 22.0;
        for (text, size) in [
            (TextStyle::Body, 13.5),
            (TextStyle::Button, 13.5),
            (TextStyle::Small, 11.5),
            (TextStyle::Heading, 18.0),
        ] {
            style.text_styles.insert(text, FontId::proportional(size));
        }
    });
}
