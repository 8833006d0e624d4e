//! What goes wrong on the device, as errors.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

use crate::{Gpu, GpuError};

/// What went wrong on a device and was not told yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trouble(Arc<Mutex<Option<GpuError>>>);

impl Trouble {
    /// Listens to a device.
    pub(crate) fn of(device: &wgpu::Device) -> Self {
        let trouble = Self::default();
        let listener = trouble.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| listener.note(error.into())));
        let listener = trouble.clone();
        device.set_device_lost_callback(move |_, reason| {
            listener.note(GpuError::Lost { reason: in_one_line(&reason) });
        });
        trouble
    }

    fn lock(&self) -> MutexGuard<'_, Option<GpuError>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first thing that goes wrong is the cause of what follows.
    fn note(&self, error: GpuError) {
        self.lock().get_or_insert(error);
    }

    /// A device that is lost stays so.
    fn take(&self) -> Option<GpuError> {
        let mut noted = self.lock();
        match &*noted {
            Some(GpuError::Lost { .. }) => noted.clone(),
            _ => noted.take(),
        }
    }
}

impl From<wgpu::Error> for GpuError {
    fn from(error: wgpu::Error) -> Self {
        match error {
            wgpu::Error::OutOfMemory { .. } => Self::OutOfMemory,
            other => Self::Failed { reason: in_one_line(&other.to_string()) },
        }
    }
}

impl Gpu {
    /// Does some work on the device. Whatever goes wrong there comes back as an error, here or in the next work.
    pub fn guarded<T>(&self, work: impl FnOnce() -> Result<T, GpuError>) -> Result<T, GpuError> {
        let done = caught(work);
        self.trouble.take().map_or(done, Err)
    }
}

thread_local! {
    /// How many times `caught` is entered on this thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The words of the last panic in it.
    static WORDS: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Turns a panic inside wgpu into an error, without a word on standard error. wgpu 30 panics when a device is lost while
/// it is waited for (`Device::poll`), and where a driver breaks its promises; a picture is not worth a run.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, GpuError>) -> Result<T, GpuError> {
    static LISTEN: Once = Once::new();
    LISTEN.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if DEPTH.get() == 0 { usual(panic) } else { WORDS.set(words_of(panic)) }
        }));
    });
    DEPTH.set(DEPTH.get() + 1);
    let done = catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(DEPTH.get() - 1);
    done.unwrap_or_else(|_| Err(GpuError::Failed { reason: WORDS.take() }))
}

fn words_of(panic: &PanicHookInfo) -> String {
    let payload = panic.payload();
    let words = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("for a reason that it did not tell");
    let place =
        panic.location().map_or(String::new(), |place| format!(" ({}:{})", place.file(), place.line()));
    in_one_line(words) + &place
}

/// The words of an error in one line, without wgpu's headings, and not too long.
pub(crate) fn in_one_line(words: &str) -> String {
    /// Characters that tell enough.
    const MOST: usize = 300;
    let headings = ["", "Validation Error", "Caused by:", "wgpu error: Validation Error"];
    let lines: Vec<_> = words.lines().map(str::trim).filter(|line| !headings.contains(line)).collect();
    let line = lines.join(": ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.trim_end_matches('.').into(),
    }
}
