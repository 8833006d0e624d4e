//! The view: picture, pointer, ring, handles, probe.

use crate::camera::{self, Flight};
use crate::picking::{Ground, Place};
use crate::studio::Studio;
use crate::tools::Hand;
use crate::worker::{Order, Shown};
use crate::{panels::legend, panels::side::OVERLAYS};
use egui::{
    Align2, Color32, FontId, Key, PointerButton, Pos2, Rect, Response, Sense, Stroke, Ui, Vec2, pos2, vec2,
};
use thalweg::render::View;

/// Points of a ring.
const RING: usize = 48;
/// Size of handles, and how near the pointer must come to take one, in points.
const HANDLE: f32 = 6.0;
const REACH: f32 = 12.0;
/// Share of the scene that a flight crosses in a second, and how much faster Shift is `[-]`.
const FLIGHT: f32 = 0.12;
const FASTER: f32 = 4.0;

pub(crate) fn show(studio: &mut Studio, ui: &mut Ui) {
    let rect = ui.available_rect_before_wrap();
    let response = ui.allocate_rect(rect, Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, "View of the scene"));
    let pixels = rect.size() * ui.ctx().pixels_per_point();
    studio.wish([pixels.x, pixels.y].map(|side| (side.round() as usize).max(16)));
    ui.painter().rect_filled(rect, 0.0, ui.visuals().extreme_bg_color);
    match &studio.texture {
        Some(texture) if studio.painted.is_some() => {
            let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            ui.painter().image(texture.id(), rect, whole, Color32::WHITE);
        }
        _ => waiting(studio, ui, rect),
    }
    let Some(view) = view_now(studio, rect) else { return };
    let pointer = Pointer::of(ui, &response, rect);
    let place = pointer.at.and_then(|at| studio.ground.as_ref()?.seen(&view, at));
    handles(studio, ui, (&response, rect), &view, place);
    move_camera(studio, ui, &response, &view, &pointer);
    work(studio, ui, &response, place);
    ring(studio, ui, rect, &view, place);
    legend::show(studio, ui, rect);
    probe(studio, ui, rect, place);
    economy(studio, ui, rect);
}

/// What the camera sees now, which the next picture will show.
fn view_now(studio: &Studio, rect: Rect) -> Option<View> {
    let painted = studio.painted.as_ref()?;
    let exaggeration = studio.look.relief.vertical_exaggeration;
    Some(painted.extent.view(&studio.camera, exaggeration, rect.width() / rect.height()))
}

fn waiting(studio: &Studio, ui: &Ui, rect: Rect) {
    let text = studio.busy.clone().unwrap_or_else(|| "The first picture is being drawn".into());
    let colour = ui.visuals().weak_text_color();
    ui.painter().text(
        rect.center(),
        Align2::CENTER_CENTER,
        format!("{text} …"),
        FontId::proportional(16.0),
        colour,
    );
}

/// Where the pointer is in the view, and how far it went.
struct Pointer {
    /// From 0 to 1 from the top left.
    at: Option<[f32; 2]>,
    /// As shares of the view's height.
    by: [f32; 2],
    scroll: f32,
}

impl Pointer {
    fn of(ui: &Ui, response: &Response, rect: Rect) -> Self {
        let at = response.hover_pos().map(|at| {
            let Vec2 { x, y } = (at - rect.min) / rect.size();
            [x, y]
        });
        let by = response.drag_delta() / rect.height();
        let scroll = if response.hovered() { ui.input(|input| input.smooth_scroll_delta().y) } else { 0.0 };
        Self { at, by: [by.x, by.y], scroll }
    }
}

/// The left button turns, unless a tool is in the hand; with Shift it moves aside. The middle one does so with any tool; the right
/// one flies.
fn move_camera(studio: &mut Studio, ui: &Ui, response: &Response, view: &View, pointer: &Pointer) {
    let (shift, alt) = ui.input(|input| (input.modifiers.shift, input.modifiers.alt));
    let bare = studio.brush.hand == Hand::Look && studio.brush.dragged.is_none();
    let left = response.dragged_by(PointerButton::Primary) && (bare || alt);
    let turns = response.dragged_by(PointerButton::Middle) || left;
    let ground = studio.ground.clone();
    if turns && pointer.by != [0.0; 2] {
        studio.camera = if shift {
            camera::moved(view, ground.as_ref(), pointer.by)
        } else {
            camera::turned(view, ground.as_ref(), pointer.by)
        };
    }
    if pointer.scroll != 0.0 {
        let at = pointer.at.unwrap_or([0.5; 2]);
        studio.camera = camera::zoomed(view, ground.as_ref(), (-0.003 * pointer.scroll).exp(), at);
    }
    studio.brush.flies = response.dragged_by(PointerButton::Secondary);
    if studio.brush.flies {
        let key = |plus: Key, minus: Key| {
            ui.input(|input| f32::from(input.key_down(plus)) - f32::from(input.key_down(minus)))
        };
        let flight = Flight {
            ahead: key(Key::W, Key::S),
            aside: key(Key::D, Key::A),
            up: key(Key::E, Key::Q),
            turn: pointer.by,
        };
        let reach = ground.as_ref().map_or(100.0, |ground| ground.extent()[0] as f32);
        let metres = FLIGHT * reach * ui.input(|input| input.stable_dt) * if shift { FASTER } else { 1.0 };
        if flight != Flight::default() {
            studio.camera = camera::flown(view, &flight, metres);
        }
        ui.ctx().request_repaint();
    }
}

/// Something that can be dragged: its key, its place and its colour.
struct Handle {
    key: String,
    at: [f64; 2],
    radius: f64,
    name: String,
    colour: Color32,
}

fn handles_of(shown: &Shown) -> Vec<Handle> {
    let scene = &shown.scene;
    let entries = |list: &str, name: &str, sources: &[thalweg::project::Source], colour| -> Vec<Handle> {
        let handle = |(i, source): (usize, &thalweg::project::Source)| Handle {
            key: format!("{list}.{i}.at"),
            at: source.at,
            radius: source.radius,
            name: format!("{name} {}: {:.3} m³/s", i + 1, source.rate),
            colour,
        };
        sources.iter().enumerate().map(handle).collect()
    };
    let mut handles = entries("source", "Source", &scene.sources, Color32::from_rgb(70, 170, 255));
    handles.extend(entries("drain", "Drain", &scene.drains, Color32::from_rgb(240, 120, 80)));
    handles
}

/// Sources and drains: seen, and dragged along the ground.
fn handles(
    studio: &mut Studio,
    ui: &Ui,
    (response, rect): (&Response, Rect),
    view: &View,
    place: Option<Place>,
) {
    let (Some(shown), Some(ground)) = (studio.shown.clone(), studio.ground.clone()) else { return };
    let handles = handles_of(&shown);
    let on_screen = |at: [f64; 2]| screen(&ground, view, rect, at);
    if response.drag_started_by(PointerButton::Primary) {
        let start = ui.input(|input| input.pointer.press_origin());
        let near = |handle: &&Handle| {
            start.zip(on_screen(handle.at)).is_some_and(|(start, at)| start.distance(at) < REACH)
        };
        studio.brush.dragged = handles.iter().find(near).map(|handle| handle.key.clone());
    }
    for handle in &handles {
        let held = studio.brush.dragged.as_ref() == Some(&handle.key);
        let at = place.filter(|_| held).map_or(handle.at, |place| place.at);
        let Some(spot) = on_screen(at) else { continue };
        let radius = handle.radius.max(0.5 * ground.cell());
        circle(ui, (&ground, view, rect), (at, radius), Stroke::new(1.5, handle.colour));
        ui.painter().circle(spot, HANDLE, handle.colour, Stroke::new(1.5, Color32::WHITE));
        let hovered = response.hover_pos().is_some_and(|pointer| pointer.distance(spot) < REACH);
        if hovered || held {
            label(ui, spot + vec2(12.0, -10.0), Align2::LEFT_BOTTOM, &handle.name);
        }
    }
    if response.drag_stopped()
        && let (Some(key), Some(place)) = (studio.brush.dragged.take(), place)
    {
        let [east, north] = place.at;
        studio.set(&key, format!("[{east:.2}, {north:.2}]"), false);
    }
}

/// What a tool does: a line while the button is down, an edit when it is let go of.
fn work(studio: &mut Studio, ui: &Ui, response: &Response, place: Option<Place>) {
    let alt = ui.input(|input| input.modifiers.alt);
    if studio.brush.hand == Hand::Look || studio.brush.dragged.is_some() || alt {
        return;
    }
    let down = response.dragged_by(PointerButton::Primary) || response.clicked_by(PointerButton::Primary);
    if let Some(place) = place.filter(|_| down) {
        studio.brush.go_to(place.at);
    }
    if response.drag_stopped_by(PointerButton::Primary) || response.clicked_by(PointerButton::Primary) {
        let fine = ui.input(|input| input.modifiers.shift);
        if let Some(edit) = studio.brush.done(fine) {
            studio.timeline.leave();
            studio.order(Order::Edit(edit));
        }
    }
}

/// The ring of the brush on the ground, and the line that it has drawn.
fn ring(studio: &Studio, ui: &Ui, rect: Rect, view: &View, place: Option<Place>) {
    let (Some(ground), Some(place)) = (&studio.ground, place) else { return };
    if studio.brush.hand == Hand::Look {
        return;
    }
    let on_ground = (ground, view, rect);
    circle(ui, on_ground, (place.at, studio.brush.radius), Stroke::new(3.0, Color32::from_black_alpha(120)));
    circle(ui, on_ground, (place.at, studio.brush.radius), Stroke::new(1.5, Color32::WHITE));
    let line: Vec<_> = studio.brush.stroke.iter().filter_map(|at| screen(ground, view, rect, *at)).collect();
    ui.painter().line(line, Stroke::new(2.0, Color32::from_white_alpha(180)));
}

fn circle(
    ui: &Ui,
    (ground, view, rect): (&Ground, &View, Rect),
    (at, radius): ([f64; 2], f64),
    stroke: Stroke,
) {
    let [width, length] = ground.extent();
    let point = |i: usize| {
        let angle = i as f64 / RING as f64 * std::f64::consts::TAU;
        let [east, north] = [at[0] + radius * angle.cos(), at[1] + radius * angle.sin()];
        screen(ground, view, rect, [east.clamp(0.0, width), north.clamp(0.0, length)])
    };
    let points: Vec<_> = (0..=RING).filter_map(point).collect();
    ui.painter_at(rect).line(points, stroke);
}

/// Where a place on the ground is on the screen.
fn screen(ground: &Ground, view: &View, rect: Rect, at: [f64; 2]) -> Option<Pos2> {
    let [x, y] = view.place_of(ground.drawn(at).into())?;
    Some(rect.min + vec2(x, y) * rect.size())
}

fn label(ui: &Ui, at: Pos2, align: Align2, text: &str) {
    let painter = ui.painter();
    let galley = painter.layout_no_wrap(text.into(), FontId::proportional(12.5), Color32::WHITE);
    let place = align.anchor_size(at, galley.size());
    painter.rect_filled(place.expand(4.0), 4.0, Color32::from_black_alpha(170));
    painter.galley(place.min, galley, Color32::WHITE);
}

/// What is under the cursor, in metres.
fn probe(studio: &Studio, ui: &Ui, rect: Rect, place: Option<Place>) {
    let (Some(Place { at, height }), Some(shown)) = (place, &studio.shown) else { return };
    let value = |name: &str| {
        let field = shown.snapshot.labelled(name)?;
        let ground =
            thalweg::field::Heightfield { height: field.values.clone(), frame: shown.snapshot.frame.clone() };
        let [col, row] = ground.cell_from_local(at);
        Some((ground.height.bilinear(col, row), field.info.unit.to_string()))
    };
    let mut lines =
        vec![format!("East {:.1} m, north {:.1} m", at[0], at[1]), format!("Height {height:.2} m")];
    if let Some((depth, _)) = value("water").filter(|(depth, _)| *depth > 0.0) {
        lines.push(format!("Water {depth:.3} m"));
    }
    let overlay = usize::from(studio.overlay).checked_sub(1).and_then(|number| OVERLAYS.get(number));
    if let Some((field, name)) = overlay.filter(|(field, _)| !["height", "water"].contains(field))
        && let Some((value, unit)) = value(field)
    {
        lines.push(format!("{name} {value:.4} {}", if unit == "-" { "" } else { &unit }));
    }
    label(ui, rect.left_bottom() + vec2(12.0, -12.0), Align2::LEFT_BOTTOM, &lines.join("\n"));
}

/// Says in a sentence what was left out of the picture.
fn economy(studio: &Studio, ui: &Ui, rect: Rect) {
    let Some(told) = studio.economy().told() else { return };
    let text = format!("Drawn plainly so that it stays fluid on this machine: {told}.");
    let at = rect.center_top() + vec2(0.0, 10.0);
    label(ui, at, Align2::CENTER_TOP, &text);
}
