//! The studio: what it knows, and what it does in each frame of the window.

use crate::command::{self, Command};
use crate::drawing::{Drawing, Economy, Painted, Wish};
use crate::engine::Opening;
use crate::panels::{
    browser::Browser, export::Export, gallery::Gallery, import::Import, parameters::Panel, search::Search,
};
use crate::picking::Ground;
use crate::recording::Recording;
use crate::timeline::Timeline;
use crate::tools::Brush;
use crate::worker::{Order, Said, Shown, Worker};
use crate::{autosave, picture_file};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use thalweg::Edit;
use thalweg::project::{RendererChoice, Scene};
use thalweg::render::{Camera, Look, Shot};

/// How the studio begins.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Scene to open; without one there is the welcome, with a small scene moving behind it.
    pub scene: Option<String>,
    /// Folder for everything that is written; without one `thalweg-studio` in the user's pictures, or here.
    pub out: Option<PathBuf>,
    /// Whether work that was left behind is asked about.
    pub recover: bool,
    /// What draws.
    pub renderer: RendererChoice,
}

/// The scene that moves behind the welcome: small, so that it is there at once on any machine.
pub const FIRST_SCENE: &str = "tujunga";

/// A window on a scene at work.
pub struct Studio {
    ctx: egui::Context,
    pub(crate) worker: Option<Worker>,
    pub(crate) drawing: Drawing,
    pub(crate) shown: Option<Arc<Shown>>,
    /// The scene as it was opened, which values are compared with.
    pub(crate) opened: Option<Arc<Scene>>,
    pub(crate) name: String,
    pub(crate) painted: Option<Painted>,
    pub(crate) texture: Option<egui::TextureHandle>,
    pub(crate) ground: Option<Ground>,
    /// What is being waited for.
    pub(crate) busy: Option<String>,
    pub(crate) camera: Camera,
    pub(crate) look: Look,
    pub(crate) overlay: u8,
    pub(crate) brush: Brush,
    pub(crate) timeline: Timeline,
    /// Changes that wait for a restart, by key.
    pub(crate) waiting: BTreeMap<String, String>,
    pub(crate) panel: Panel,
    pub(crate) windows: Windows,
    pub(crate) messages: Messages,
    pub(crate) recording: Recording,
    /// Folder for everything that is written.
    pub(crate) out: PathBuf,
    /// Step at which the scene was saved or opened, and how much was edited then.
    pub(crate) saved_at: usize,
    pub(crate) dark: bool,
    /// Whether the next bodies are ridden on or followed.
    pub(crate) body: usize,
}

impl std::fmt::Debug for Studio {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Studio").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Windows over the view.
#[derive(Debug, Default)]
pub(crate) struct Windows {
    pub welcome: bool,
    pub keys: bool,
    pub history: bool,
    pub asks_to_quit: bool,
    pub quits: bool,
    pub left_behind: Option<(PathBuf, String)>,
    pub gallery: Option<Gallery>,
    pub browser: Option<Browser>,
    pub import: Option<Import>,
    pub export: Option<Export>,
    pub search: Option<Search>,
}

/// What was said, newest last.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    pub all: Vec<Message>,
}

/// Something that was said.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub text: String,
    pub is_trouble: bool,
    /// A file or folder that was written.
    pub path: Option<PathBuf>,
}

/// Messages that are kept.
const MOST_MESSAGES: usize = 50;

impl Messages {
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.put(Message { text: text.into(), is_trouble: false, path: None });
    }

    pub(crate) fn trouble(&mut self, text: impl Into<String>) {
        self.put(Message { text: text.into(), is_trouble: true, path: None });
    }

    pub(crate) fn wrote(&mut self, path: PathBuf) {
        self.put(Message { text: format!("Saved {}", path.display()), is_trouble: false, path: Some(path) });
    }

    fn put(&mut self, message: Message) {
        if self.all.last().is_none_or(|last| last.text != message.text) {
            self.all.push(message);
        }
        if self.all.len() > MOST_MESSAGES {
            self.all.remove(0);
        }
    }
}

impl Studio {
    /// Begins as the options say.
    pub fn new(ctx: &egui::Context, options: Options) -> Self {
        crate::theme::add_letters(ctx);
        crate::theme::set(ctx, true);
        let wake = ctx.clone();
        let drawing = Drawing::new(options.renderer, move || wake.request_repaint());
        let left_behind = if options.recover { autosave::left_behind() } else { None };
        let mut studio = Self {
            ctx: ctx.clone(),
            worker: None,
            drawing,
            shown: None,
            opened: None,
            name: String::new(),
            painted: None,
            texture: None,
            ground: None,
            busy: None,
            camera: Camera::default(),
            look: Look::default(),
            overlay: 0,
            brush: Brush::default(),
            timeline: Timeline::default(),
            waiting: BTreeMap::new(),
            panel: Panel::default(),
            windows: Windows { welcome: options.scene.is_none(), left_behind, ..Windows::default() },
            messages: Messages::default(),
            recording: Recording::default(),
            out: options.out.unwrap_or_else(picture_file::usual_folder),
            saved_at: 0,
            dark: true,
            body: 0,
        };
        studio.open(Opening::Scene(options.scene.unwrap_or_else(|| FIRST_SCENE.into())));
        studio
    }

    /// Opens something else; what was at work is over.
    pub(crate) fn open(&mut self, opening: Opening) {
        let wake = self.ctx.clone();
        self.name = opening.name();
        self.worker = None;
        self.worker = Some(Worker::new(opening, move || wake.request_repaint()));
        (self.shown, self.opened, self.ground) = (None, None, None);
        self.waiting.clear();
        self.timeline = Timeline::default();
        self.saved_at = 0;
        self.brush.stroke.clear();
    }

    pub(crate) fn order(&self, order: Order) {
        if let Some(worker) = &self.worker {
            worker.order(order);
        }
    }

    /// Gives a key of the scene another value.
    pub(crate) fn set(&mut self, key: &str, value: String, joins: bool) {
        let edit = Edit::Set { key: key.into(), value };
        self.order(if joins { Order::Adjust(edit) } else { Order::Edit(edit) });
    }

    /// Whether there is work that no file has.
    pub(crate) fn is_unsaved(&self) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.undoable[0].len() != self.saved_at)
            || !self.waiting.is_empty()
    }

    /// Takes in what the threads have to tell.
    fn listen(&mut self) {
        let Some(worker) = &self.worker else { return };
        let (newest, said, busy) = worker.news();
        self.busy = busy;
        for said in said {
            match said {
                Said::Note(text) => self.messages.note(text),
                Said::Trouble(text) => self.messages.trouble(text),
                Said::Wrote(path) => self.wrote(path),
                Said::NeedsRestart { key, value } => drop(self.waiting.insert(key, value)),
            }
        }
        if let Some(shown) = newest {
            self.take(shown);
        }
        for notice in self.drawing.notices() {
            self.messages.note(notice);
        }
        if let Some(painted) = self.drawing.painted() {
            self.hang(painted);
        }
    }

    /// Something was written for a window that waits for it, or for the user.
    fn wrote(&mut self, path: PathBuf) {
        match self.windows.export.as_mut().filter(|export| export.waits_for(&path)) {
            Some(export) => export.convert(&mut self.messages),
            None => self.messages.wrote(path),
        }
    }

    fn take(&mut self, shown: Arc<Shown>) {
        if self.opened.is_none() {
            self.begin(&shown);
        }
        self.timeline.keep(&shown);
        self.ground = Ground::of(&shown.snapshot, self.look.relief.vertical_exaggeration);
        self.shown = Some(shown);
    }

    /// What a scene brings along when it is first seen: camera and look.
    fn begin(&mut self, shown: &Shown) {
        self.opened = Some(shown.scene.clone());
        self.saved_at = shown.undoable[0].len();
        self.camera = match shown.scene.camera.shot() {
            Shot::Still(camera) => camera,
            Shot::Turntable { orbit, .. } => Camera::Orbit(orbit),
            Shot::Path(keys) => keys.first().map_or_else(Camera::default, |key| key.camera.clone()),
        };
        self.look = thalweg::draw::coloured_by(shown.scene.picture.look(), &shown.start);
        self.look.overlay = None;
        self.overlay = 0;
        if let Some(ground) = Ground::of(&shown.snapshot, 1.0) {
            self.brush.fit(ground.extent(), ground.cell());
        }
    }

    /// Shows a picture that was drawn.
    fn hang(&mut self, painted: Painted) {
        let picture = &painted.picture;
        let image = egui::ColorImage::from_rgb([picture.width, picture.height], &picture.rgb);
        match &mut self.texture {
            Some(texture) => texture.set(image, egui::TextureOptions::LINEAR),
            None => self.texture = Some(self.ctx.load_texture("view", image, egui::TextureOptions::LINEAR)),
        }
        if let Err(reason) = self.recording.take(&painted.picture) {
            self.messages.trouble(reason);
        }
        self.painted = Some(painted);
    }

    /// Wishes for a picture of what is to be seen now.
    pub(crate) fn wish(&mut self, size: [usize; 2]) {
        let Some(shown) = self.shown.clone() else { return };
        let snapshot = self.timeline.chosen().unwrap_or_else(|| shown.snapshot.clone());
        let mut look = self.look.clone();
        look.time = snapshot.time as f32;
        self.drawing.wish(Wish { shown, snapshot, look, camera: self.camera.clone(), size });
    }

    /// What the last picture left out.
    pub(crate) fn economy(&self) -> Economy {
        self.painted.as_ref().map_or(Economy::None, |painted| painted.economy)
    }

    /// One frame of the window.
    pub fn frame(&mut self, ui: &mut egui::Ui) {
        self.listen();
        self.take_drops();
        self.escape();
        if !self.brush.flies {
            for command in command::pressed(&self.ctx.clone()) {
                self.obey(command);
            }
        }
        crate::panels::show(self, ui);
        self.ask_before_quitting();
    }

    /// Escape puts the tool down or closes the uppermost window, and never ends the program.
    fn escape(&mut self) {
        // Menus and lists close themselves.
        if egui::Popup::is_any_open(&self.ctx) {
            return;
        }
        if self.ctx.input_mut(|input| input.consume_key(egui::Modifiers::NONE, egui::Key::Escape)) {
            let closed = self.windows.close_top();
            if !closed {
                self.brush.put_down();
            }
        }
    }

    /// Files that were dropped onto the window.
    fn take_drops(&mut self) {
        let dropped = self.ctx.input(|input| input.raw.dropped_files.clone());
        if let Some(path) = dropped.first().map(|file| file.path().to_path_buf()) {
            self.open_file(&path);
        }
    }

    /// Opens a file by what it is: a scene at once, a heightmap after a look at it.
    pub(crate) fn open_file(&mut self, path: &std::path::Path) {
        use thalweg::io::Kind;
        match Kind::of(path) {
            Some(Kind::Heightmap) => self.windows.import = Some(Import::new(path)),
            None => {
                let name = path.to_string_lossy().into_owned();
                self.open(Opening::Scene(name));
            }
            Some(_) => self.messages.trouble(format!(
                "{} is neither a scene nor a heightmap; drop a scene.toml, or a PNG, TIFF, EXR or raw heightmap",
                path.display()
            )),
        }
    }

    fn ask_before_quitting(&mut self) {
        let closing = self.ctx.input(|input| input.viewport().close_requested());
        if closing && !self.windows.quits && (self.is_unsaved() || self.recording.is_on()) {
            self.ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            self.windows.asks_to_quit = true;
        } else if closing {
            autosave::forget();
        }
    }
}

impl Windows {
    /// Closes the uppermost one; false if there is none.
    fn close_top(&mut self) -> bool {
        let open = [&mut self.asks_to_quit, &mut self.keys, &mut self.welcome, &mut self.history];
        let dialogs = self.search.take().is_some()
            || self.browser.take().is_some()
            || self.import.take().is_some()
            || self.export.take().is_some()
            || self.gallery.take().is_some();
        dialogs || open.into_iter().find(|open| **open).map(|open| *open = false).is_some()
    }
}

impl eframe::App for Studio {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        self.frame(ui);
    }
}

impl Studio {
    /// Does what a command asks for.
    pub(crate) fn obey(&mut self, command: Command) {
        match command {
            Command::Play => {
                let playing = self.shown.as_ref().is_some_and(|shown| shown.playing);
                self.timeline.leave();
                self.order(Order::Play(!playing));
            }
            Command::Step => {
                self.timeline.leave();
                self.order(Order::Step(1));
            }
            Command::Reset => {
                self.timeline = Timeline::default();
                self.order(Order::Reset);
            }
            Command::Undo => self.order(Order::Undo),
            Command::Redo => self.order(Order::Redo),
            Command::Overlay(number) => self.lay_over(number),
            Command::Scenes => self.windows.gallery = Some(Gallery::default()),
            Command::Open => self.windows.browser = Some(Browser::scenes()),
            Command::Heightmap => self.windows.browser = Some(Browser::heightmaps()),
            Command::Save => self.save(),
            Command::Export => self.windows.export = Some(Export::new(&self.out, &self.name)),
            Command::Search => self.windows.search = Some(Search::default()),
            Command::Help => self.windows.keys = !self.windows.keys,
            Command::Welcome => self.windows.welcome = true,
            Command::Quit if self.is_unsaved() => self.windows.asks_to_quit = true,
            Command::Quit => self.ctx.send_viewport_cmd(egui::ViewportCommand::Close),
            Command::Screenshot => self.save_picture(),
            Command::Sequence => self.record(),
            other => self.obey_view(other),
        }
    }

    /// Commands that change what is seen, and with what the ground is touched.
    fn obey_view(&mut self, command: Command) {
        match command {
            Command::FrameAll => self.camera = Camera::default(),
            Command::TopView => self.camera = Camera::Top,
            Command::Wireframe => self.look.wireframe = !self.look.wireframe,
            Command::Water => self.look.water.visible = !self.look.water.visible,
            Command::Dark => {
                self.dark = !self.dark;
                crate::theme::set(&self.ctx, self.dark);
            }
            Command::FollowBody | Command::RideBody => self.go_along(command == Command::RideBody),
            Command::Larger => self.brush.resize(1.25),
            Command::Smaller => self.brush.resize(0.8),
            other => self.brush.take(other),
        }
    }

    /// Shows the next body from behind, or from its deck.
    fn go_along(&mut self, ride: bool) {
        use thalweg::render::{Follow, Ride};
        let Some(shown) = &self.shown else { return };
        let bodies = &shown.snapshot.bodies;
        if bodies.is_empty() {
            self.messages
                .note("There is no body in this scene; the scenes ocean, fleet and harbour have some.");
            return;
        }
        let body = bodies[self.body % bodies.len()].name.to_string();
        self.body += 1;
        self.camera = if ride {
            Camera::Ride(Ride { body, ..Ride::default() })
        } else {
            Camera::Follow(Follow { body, ..Follow::default() })
        };
    }

    /// Writes the scene as it is edited.
    fn save(&mut self) {
        let Some(shown) = &self.shown else { return };
        let path = self.out.join(format!("{}.toml", picture_file::plain(&self.name)));
        let text = toml::to_string(&*shown.scene).map_err(|error| error.to_string());
        let written = text.and_then(|text| picture_file::write(&path, text.as_bytes()));
        match written {
            Ok(()) => {
                self.saved_at = shown.undoable[0].len();
                self.messages.wrote(path);
            }
            Err(reason) => self.messages.trouble(reason),
        }
    }

    fn save_picture(&mut self) {
        let (Some(shown), Some(painted)) = (&self.shown, &self.painted) else { return };
        let name = format!("{}_step_{:06}.png", picture_file::plain(&self.name), shown.clock.steps);
        match picture_file::write_picture(&self.out, &name, &painted.picture) {
            Ok(path) => self.messages.wrote(path),
            Err(reason) => self.messages.trouble(reason),
        }
    }

    /// Begins to write every picture, or ends.
    fn record(&mut self) {
        match self.recording.toggle(&self.out, &self.name) {
            Some((folder, frames)) => {
                self.messages.put(Message {
                    text: format!("Saved {frames} frames in {}", folder.display()),
                    is_trouble: false,
                    path: Some(folder),
                });
            }
            None => self.messages.note("Every new picture is written as a frame; F11 ends it."),
        }
    }
}
