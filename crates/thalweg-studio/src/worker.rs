//! The thread that computes: it takes orders, takes steps, and shows what became of them. Nobody waits for it.

use crate::engine::{Engine, Opening};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use thalweg::Edit;
use thalweg::field::{Heightfield, Snapshot};
use thalweg::project::Scene;
use thalweg::solver::{Books, Clock};

/// Something that the scene at work is told to do.
#[derive(Debug)]
pub(crate) enum Order {
    /// Steps are taken, or not.
    Play(bool),
    /// So many steps are taken, and then no more.
    Step(u64),
    /// Back to the beginning.
    Reset,
    /// An edit that can be undone.
    Edit(Edit),
    /// One that counts as one with the last, if both set the same key.
    Adjust(Edit),
    /// The last edit is taken back.
    Undo,
    /// It is done again.
    Redo,
    /// The scene begins anew with changes that it cannot have while it runs.
    Restart(Vec<String>),
    /// Its heights are written to a file, for whoever is told where.
    WriteHeights(std::path::PathBuf),
}

/// A scene as it was at one moment.
#[derive(Debug)]
pub(crate) struct Shown {
    /// What there is to see.
    pub snapshot: Arc<Snapshot>,
    /// The ground before anything happened.
    pub start: Arc<Heightfield>,
    /// The scene as it is edited.
    pub scene: Arc<Scene>,
    pub clock: Clock,
    pub books: Books,
    pub method: &'static str,
    /// Memory that the solver takes `[bytes]`.
    pub memory: u64,
    /// Labels of what can be undone, and done again.
    pub undoable: [Vec<String>; 2],
    /// Whether steps are being taken.
    pub playing: bool,
    /// How long a step took lately `[s]`.
    pub step_time: f64,
    /// Simulated over real time, lately `[-]`.
    pub pace: f64,
}

/// Something to tell the user.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Said {
    /// Something went on otherwise than expected.
    Note(String),
    /// Something cannot be done.
    Trouble(String),
    /// A value that needs a restart, by key.
    NeedsRestart { key: String, value: String },
    /// A file was written.
    Wrote(std::path::PathBuf),
}

/// What the thread shows. Whoever looks takes what is new.
#[derive(Debug, Default)]
pub(crate) struct News {
    pub newest: Option<Arc<Shown>>,
    pub said: Vec<Said>,
    /// What takes a while: opening, finding its place.
    pub busy: Option<String>,
    /// Whether the newest was looked at; nothing else is shown before.
    pub seen: bool,
}

/// Where the thread leaves its news, and whom it wakes.
pub(crate) struct Board {
    news: Mutex<News>,
    /// Whether nobody looks any more.
    over: AtomicBool,
    wake: Box<dyn Fn() + Send + Sync>,
}

impl std::fmt::Debug for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        self.news.fmt(f)
    }
}

impl Board {
    fn news(&self) -> MutexGuard<'_, News> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nobody looks any more.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    pub(crate) fn say(&self, said: Said) {
        self.news().said.push(said);
        (self.wake)();
    }

    pub(crate) fn busy(&self, with: Option<String>) {
        self.news().busy = with;
        (self.wake)();
    }
}

/// A scene at work on a thread of its own.
#[derive(Debug)]
pub(crate) struct Worker {
    orders: Sender<Order>,
    board: Arc<Board>,
}

impl Worker {
    /// Opens a scene and begins to play it; `wake` is called whenever there is news.
    pub(crate) fn new(opening: Opening, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let board =
            Arc::new(Board { news: Mutex::default(), over: AtomicBool::new(false), wake: Box::new(wake) });
        let (orders, taken) = mpsc::channel();
        let own = board.clone();
        let begun =
            std::thread::Builder::new().name("water".into()).spawn(move || work(opening, &taken, &own));
        if let Err(error) = begun {
            board.say(Said::Trouble(format!("no thread can be started for the water: {error}")));
        }
        Self { orders, board }
    }

    /// Gives an order; it is carried out after those before it.
    pub(crate) fn order(&self, order: Order) {
        // A thread that ended has said why.
        let _ = self.orders.send(order);
    }

    /// What is new, for the first who asks.
    pub(crate) fn news(&self) -> (Option<Arc<Shown>>, Vec<Said>, Option<String>) {
        let mut news = self.board.news();
        news.seen = true;
        (news.newest.take(), std::mem::take(&mut news.said), news.busy.clone())
    }
}

impl Drop for Worker {
    /// The thread ends by itself when its burst of steps is over; nobody waits for that.
    fn drop(&mut self) {
        self.board.over.store(true, Ordering::Relaxed);
    }
}

/// Shortest time between two moments that are shown `[s]`.
const FRAME: Duration = Duration::from_millis(33);

fn work(opening: Opening, orders: &Receiver<Order>, board: &Board) {
    board.busy(Some(format!("Opening {}", opening.name())));
    let engine = Engine::open(opening, board);
    board.busy(None);
    let Some(mut engine) = engine else { return };
    let (mut shown, mut due) = (Instant::now(), true);
    loop {
        // Whoever rests waits for orders; whoever works asks for them between steps.
        let mut order = if engine.rests() && !due {
            match orders.recv() {
                Ok(order) => Some(order),
                Err(_) => return,
            }
        } else {
            match orders.try_recv() {
                Ok(order) => Some(order),
                Err(mpsc::TryRecvError::Empty) => None,
                Err(mpsc::TryRecvError::Disconnected) => return,
            }
        };
        while let Some(next) = order {
            engine.obey(next, board);
            due = true;
            order = orders.try_recv().ok();
        }
        due |= engine.advance(board);
        let looked_at = board.news().seen || engine.rests();
        if due && (engine.rests() || looked_at && shown.elapsed() >= FRAME) {
            show(engine.show(), board);
            (shown, due) = (Instant::now(), false);
        }
    }
}

fn show(shown: Shown, board: &Board) {
    let mut news = board.news();
    (news.newest, news.seen) = (Some(Arc::new(shown)), false);
    drop(news);
    (board.wake)();
}
