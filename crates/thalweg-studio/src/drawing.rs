//! The thread that draws: the newest wish is drawn, those before it are forgotten. The window shows the last picture meanwhile,
//! so that it stays fluid however long a picture takes.

use crate::worker::Shown;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use thalweg::draw::{Exposure, Marks, Model, Painter, lay_over};
use thalweg::field::Snapshot;
use thalweg::project::RendererChoice;
use thalweg::render::{Camera, Extent, Look, Picture, View};

/// A picture that somebody wants.
#[derive(Clone, Debug)]
pub(crate) struct Wish {
    pub shown: Arc<Shown>,
    /// What is drawn of it: a frame of the past, or what it shows itself.
    pub snapshot: Arc<Snapshot>,
    pub look: Look,
    pub camera: Camera,
    /// Columns and rows of the place for it `[px]`.
    pub size: [usize; 2],
}

impl Wish {
    fn is_as(&self, other: &Self) -> bool {
        self.draws_as(other) && self.camera == other.camera && self.size == other.size
    }

    /// Whether both need the same model.
    fn draws_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.snapshot, &other.snapshot) && self.look == other.look
    }
}

/// A picture that was drawn.
#[derive(Debug)]
pub(crate) struct Painted {
    pub picture: Picture,
    /// What was in view, and how it falls onto the picture.
    pub extent: Arc<Extent>,
    pub view: View,
    /// First and last value of the overlay's colours.
    pub range: Option<[f32; 2]>,
    /// How long it took `[s]`.
    pub took: f64,
    pub economy: Economy,
}

/// How much is left out so that a picture is there soon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Economy {
    /// Nothing.
    #[default]
    None,
    /// One sample in each pixel.
    Samples,
    /// And no shadows, foam and caustics.
    Plain,
    /// And every other pixel, and larger triangles.
    Half,
    /// And every third.
    Third,
}

impl Economy {
    const ALL: [Self; 5] = [Self::None, Self::Samples, Self::Plain, Self::Half, Self::Third];

    fn more(self) -> Self {
        Self::ALL[(self as usize + 1).min(Self::ALL.len() - 1)]
    }

    fn less(self) -> Self {
        Self::ALL[(self as usize).saturating_sub(1)]
    }

    /// What it leaves out, in a few words.
    pub(crate) fn told(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Samples => Some("edges are not smoothed"),
            Self::Plain => Some("no shadows and foam"),
            Self::Half => Some("half the resolution, no shadows and foam"),
            Self::Third => Some("a third of the resolution, no shadows and foam"),
        }
    }

    /// Pixels of the window for each of the picture, along each side.
    fn coarseness(self) -> usize {
        match self {
            Self::None | Self::Samples | Self::Plain => 1,
            Self::Half => 2,
            Self::Third => 3,
        }
    }

    fn look(self, look: &Look) -> Look {
        let mut look = look.clone();
        if self >= Self::Samples {
            look.supersampling = 1;
        }
        if self >= Self::Plain {
            (look.shadows, look.ambient_occlusion, look.water.caustics) = (false, false, false);
            look.water.foam = 0.0;
        }
        if self >= Self::Half {
            look.triangle_size = look.triangle_size.max(3.0);
        }
        look
    }
}

/// Pictures take no longer than this, or something is left out; and if they take much less, less is left out `[s]`.
const SLOW: f64 = 0.09;
const FAST: f64 = 0.018;
/// Pictures in a row that must be fast before less is left out.
const STEADY: u32 = 12;

/// What the two threads share.
#[derive(Default)]
struct Desk {
    wish: Option<Wish>,
    painted: Option<Painted>,
    notices: Vec<String>,
    device: Option<String>,
    over: bool,
}

struct Shared {
    desk: Mutex<Desk>,
    changed: Condvar,
    wake: Box<dyn Fn() + Send + Sync>,
}

impl Shared {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Draws on a thread of its own.
pub(crate) struct Drawing {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    last: Option<Wish>,
}

impl std::fmt::Debug for Drawing {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Drawing").finish_non_exhaustive()
    }
}

impl Drawing {
    /// Begins; `wake` is called whenever there is a picture.
    pub(crate) fn new(choice: RendererChoice, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let shared =
            Arc::new(Shared { desk: Mutex::default(), changed: Condvar::new(), wake: Box::new(wake) });
        let own = shared.clone();
        let thread = std::thread::Builder::new().name("drawing".into()).spawn(move || draw(&own, choice));
        if let Err(error) = &thread {
            shared.desk().notices.push(format!("no thread can be started for drawing: {error}"));
        }
        Self { shared, thread: thread.ok(), last: None }
    }

    /// Wishes for a picture, unless it is the same as the last.
    pub(crate) fn wish(&mut self, wish: Wish) {
        if self.last.as_ref().is_none_or(|last| !wish.is_as(last)) {
            self.last = Some(wish.clone());
            self.shared.desk().wish = Some(wish);
            self.shared.changed.notify_one();
        }
    }

    /// The newest picture, if there is a new one.
    pub(crate) fn painted(&self) -> Option<Painted> {
        self.shared.desk().painted.take()
    }

    /// What was noticed while drawing.
    pub(crate) fn notices(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.desk().notices)
    }

    /// What draws, as soon as that is known.
    pub(crate) fn device(&self) -> Option<String> {
        self.shared.desk().device.clone()
    }
}

impl Drop for Drawing {
    fn drop(&mut self) {
        self.shared.desk().over = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn draw(shared: &Shared, choice: RendererChoice) {
    let mut easel = Easel::new(choice);
    shared.desk().device = Some(easel.device());
    let mut last = None;
    while let Some(task) = next(shared, last.is_some()) {
        let painted = match (task, last.take()) {
            (Task::Wish(wish), _) => {
                let painted = easel.paint(&wish);
                last = Some(wish).filter(|_| easel.economy > Economy::Plain);
                painted
            }
            (Task::Refine, Some(wish)) => easel.refine(&wish),
            (Task::Refine, None) => continue,
        };
        let mut desk = shared.desk();
        desk.device = Some(easel.device());
        desk.notices.extend(easel.painter.take_notices());
        match painted {
            Ok(painted) => desk.painted = Some(painted),
            Err(reason) => desk.notices.push(reason),
        }
        drop(desk);
        (shared.wake)();
    }
}

/// Time without a wish after which the last picture is drawn again with less left out.
const REST: Duration = Duration::from_millis(350);

/// What is to be drawn.
enum Task {
    Wish(Box<Wish>),
    /// The last wish once more, finer.
    Refine,
}

/// Waits for the next task; none when it is over.
fn next(shared: &Shared, refines: bool) -> Option<Task> {
    let mut desk = shared.desk();
    loop {
        if desk.over {
            return None;
        }
        if let Some(wish) = desk.wish.take() {
            return Some(Task::Wish(Box::new(wish)));
        }
        if !refines {
            desk = shared.changed.wait(desk).unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        let waited = shared.changed.wait_timeout(desk, REST).unwrap_or_else(PoisonError::into_inner);
        desk = waited.0;
        if waited.1.timed_out() && desk.wish.is_none() {
            return Some(Task::Refine);
        }
    }
}

/// A painter, and what it has before it.
struct Easel {
    painter: Painter,
    economy: Economy,
    /// Fast pictures in a row.
    steady: u32,
    /// What was loaded last: the wish with the economy that it was loaded for.
    model: Option<(Wish, Economy, Loaded)>,
}

struct Loaded {
    snapshot: Snapshot,
    model: Model,
    extent: Arc<Extent>,
    range: Option<[f32; 2]>,
}

impl Easel {
    fn new(choice: RendererChoice) -> Self {
        let painter = Painter::for_run(choice);
        // Software begins with a picture that it can draw at once.
        let software = painter.device().is_none_or(thalweg::gpu::Gpu::is_software);
        let economy = if software { Economy::Half } else { Economy::None };
        Self { painter, economy, steady: 0, model: None }
    }

    fn device(&self) -> String {
        self.painter.device().map_or("processor, no graphics device".into(), thalweg::gpu::Gpu::describe)
    }

    /// Draws what is at rest with more patience; how fast that is decides nothing.
    fn refine(&mut self, wish: &Wish) -> Result<Painted, String> {
        let (economy, steady) = (self.economy, self.steady);
        self.economy = Economy::Plain;
        let painted = self.paint(wish);
        (self.economy, self.steady) = (economy, steady);
        painted
    }

    fn paint(&mut self, wish: &Wish) -> Result<Painted, String> {
        let begin = Instant::now();
        let economy = self.economy;
        let look = economy.look(&wish.look);
        // Foam is made when particles are brought there; the rest is left out while drawing.
        let foams = |economy: Economy| economy < Economy::Plain && wish.snapshot.points.is_some();
        let known = self.model.take();
        let known = known.filter(|(last, same, _)| last.draws_as(wish) && foams(*same) == foams(economy));
        let mut loaded = match known {
            Some((_, _, loaded)) => loaded,
            None => self.load(wish, &look)?,
        };
        let size = wish.size.map(|side| (side / economy.coarseness()).max(16));
        let aspect = wish.size[0] as f32 / wish.size[1] as f32;
        let marks = Marks::default();
        let exposure = Exposure { look: &look, camera: &wish.camera, size, marks: &marks, stop: None };
        let picture = self
            .painter
            .paint_model(&loaded.snapshot, &mut loaded.model, &exposure)
            .map_err(|error| error.to_string())?;
        let view = loaded.extent.view(&wish.camera, look.relief.vertical_exaggeration, aspect);
        let (extent, range) = (loaded.extent.clone(), loaded.range);
        self.model = Some((wish.clone(), economy, loaded));
        let took = begin.elapsed().as_secs_f64();
        self.adapt(took);
        Ok(Painted { picture, extent, view, range, took, economy })
    }

    fn load(&mut self, wish: &Wish, look: &Look) -> Result<Loaded, String> {
        let mut snapshot = Snapshot::clone(&wish.snapshot);
        // A quantity that this scene does not have is left out; the window tells.
        let laid = lay_over(&mut snapshot, look, Some(&wish.shown.start)).is_ok();
        let mut look = look.clone();
        look.overlay = look.overlay.filter(|_| laid);
        let range = look.overlay.as_ref().and_then(|overlay| {
            let values = snapshot.field(&overlay.field)?;
            Some(thalweg::render::Spread::of(values.values(), &overlay.style).range())
        });
        let model = self.painter.model(&snapshot, &look).map_err(|error| error.to_string())?;
        let extent = Arc::new(Extent::of(&snapshot));
        Ok(Loaded { snapshot, model, extent, range })
    }

    /// Leaves more out if pictures are slow, and less if they are fast.
    fn adapt(&mut self, took: f64) {
        self.steady = if took < FAST { self.steady + 1 } else { 0 };
        if took > SLOW {
            self.economy = self.economy.more();
        } else if self.steady >= STEADY {
            (self.economy, self.steady) = (self.economy.less(), 0);
        }
    }
}
