//! The timeline, and how it goes: steps, times, cells, what is missing, memory, what draws.

use crate::studio::Studio;
use crate::worker::Shown;
use egui::{RichText, Slider, Ui};
use std::sync::Arc;
use std::time::Duration;

/// Kept moments that are shown in each second.
const FILM: f32 = 12.0;

pub(crate) fn show(studio: &mut Studio, ui: &mut Ui) {
    ui.add_space(3.0);
    timeline(studio, ui);
    let Some(shown) = studio.shown.clone() else {
        ui.label(studio.busy.clone().unwrap_or_else(|| "No scene is open.".into()));
        ui.add_space(3.0);
        return;
    };
    ui.horizontal_wrapped(|ui| {
        for (name, value, help) in facts(studio, &shown) {
            ui.label(RichText::new(name).weak()).on_hover_text(help);
            ui.label(value).on_hover_text(help);
            ui.add_space(6.0);
        }
    });
    ui.add_space(3.0);
}

fn timeline(studio: &mut Studio, ui: &mut Ui) {
    let frames = studio.timeline.frames.len();
    ui.horizontal(|ui| {
        let plays = studio.timeline.plays;
        let film = ui.selectable_label(plays, "Loop");
        if film.on_hover_text("Shows the kept moments one after the other, again and again").clicked() {
            studio.timeline.plays = !plays;
        }
        let live = ui.selectable_label(studio.timeline.chosen.is_none(), "Now");
        let label = ui.label("Kept moments").id;
        if live.on_hover_text("Shows what goes on").clicked() {
            studio.timeline.leave();
        }
        let last = frames.saturating_sub(1);
        let mut at = studio.timeline.chosen.unwrap_or(last);
        let told = match studio.timeline.frames.get(at) {
            Some(kept) => format!("step {}, {}, {frames} kept", kept.step, time(kept.time)),
            None => "nothing is kept yet".into(),
        };
        ui.spacing_mut().slider_width = (ui.available_width() - 270.0).max(80.0);
        let slider = ui.add_enabled(frames > 1, Slider::new(&mut at, 0..=last.max(1)).show_value(false));
        let slider = slider.labelled_by(label);
        if slider.on_hover_text("Moments that were kept: drag to look back").changed() {
            studio.timeline.chosen = Some(at.min(last));
        }
        ui.label(told);
    });
    if studio.timeline.plays {
        let now = ui.input(|input| input.time) as f32;
        let tick = (now * FILM) as u64;
        let id = egui::Id::unique("film");
        if ui.data(|data| data.get_temp::<u64>(id)) != Some(tick) {
            ui.data_mut(|data| data.insert_temp(id, tick));
            studio.timeline.play_on();
        }
        ui.ctx().request_repaint_after(Duration::from_secs_f32(1.0 / FILM));
    }
}

type Fact = (&'static str, String, &'static str);

fn facts(studio: &Studio, shown: &Arc<Shown>) -> Vec<Fact> {
    let clock = &shown.clock;
    let steps = if clock.is_over {
        "all steps are taken".into()
    } else {
        format!("{} of {}", clock.steps, clock.planned)
    };
    let pace = if shown.pace > 0.0 { format!("{} × real time", short(shown.pace)) } else { "–".into() };
    let mut facts = vec![
        ("Steps", steps, "Steps taken, of all that the scene asks for"),
        ("Time per step", duration(shown.step_time), "Time that a step took lately"),
        (
            if clock.kind == "particles" { "Particles" } else { "Cells" },
            thousands(clock.items),
            "How many a step works on",
        ),
        ("Simulated", time(clock.time), "Simulated time since the beginning"),
        ("Pace", pace, "Simulated time in each second of real time"),
        (
            "Missing",
            missing(shown),
            "Water and ground that the books cannot account for, as shares of what moved",
        ),
        ("Memory", format!("{} MB", shown.memory.div_ceil(1_000_000)), "Memory that the solver takes"),
        ("Solver", format!("{}, processor", shown.method), "The method at work, and what computes"),
    ];
    if let Some(device) = studio.drawing.device() {
        facts.push(("Drawn by", device, "What draws the view"));
    }
    if let Some(painted) = &studio.painted {
        facts.push(("Picture", duration(painted.took), "Time that the last picture took"));
        let [x, y, z] = painted.view.eye.to_array();
        facts.push((
            "Camera",
            format!("{x:.0}, {y:.0}, {z:.0} m"),
            "East, north and up of the south-west corner",
        ));
    }
    if let Some(busy) = &studio.busy {
        facts.push(("Busy", busy.clone(), "What takes a while"));
    }
    facts
}

/// What the books cannot account for.
fn missing(shown: &Shown) -> String {
    let share = |share: f64| if share.is_finite() { format!("{share:.0e}") } else { "–".into() };
    let water = share(shown.books.ledger.water.imbalance());
    format!("water {water}, ground {}", share(shown.books.solids_missing))
}

/// A number with three digits.
fn short(number: f64) -> String {
    match number {
        n if n >= 1.0e5 => format!("{n:.1e}"),
        n if n >= 100.0 => format!("{n:.0}"),
        n if n >= 10.0 => format!("{n:.1}"),
        n => format!("{n:.2}"),
    }
}

fn duration(seconds: f64) -> String {
    match seconds {
        0.0 => "–".into(),
        s if s < 1.0e-3 => format!("{} µs", short(s * 1.0e6)),
        s if s < 1.0 => format!("{} ms", short(s * 1.0e3)),
        s => format!("{} s", short(s)),
    }
}

/// Simulated time in handy units.
pub(crate) fn time(seconds: f64) -> String {
    use thalweg::field::units::YEAR;
    match seconds {
        s if s >= 1.0e4 * YEAR => format!("{} kyr", short(s / YEAR / 1.0e3)),
        s if s >= YEAR => format!("{} yr", short(s / YEAR)),
        s if s >= 86_400.0 => format!("{} d", short(s / 86_400.0)),
        s if s >= 7200.0 => format!("{} h", short(s / 3600.0)),
        s if s >= 120.0 => format!("{} min", short(s / 60.0)),
        s => format!("{} s", short(s)),
    }
}

fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let groups: Vec<_> =
        digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group)).collect();
    groups.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_so_that_they_can_be_read() {
        assert_eq!(thousands(1_048_576), "1 048 576");
        assert_eq!(thousands(12), "12");
        assert_eq!([duration(0.0), duration(0.0042), duration(2.5)], ["–", "4.20 ms", "2.50 s"]);
        assert_eq!([time(90.0), time(3.0 * 3600.0), time(6.3e13)], ["90.0 s", "3.00 h", "1996 kyr"]);
    }
}
