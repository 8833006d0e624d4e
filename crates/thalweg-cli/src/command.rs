//! What each command does.

use crate::Failure;

mod check;
mod doctor;
mod info;
mod inspect;
mod manual;
mod new;
mod render;
mod scene;
mod simulate;

pub use check::check;
pub use doctor::doctor;
pub use info::info;
pub use inspect::{convert, generate, scenes, validate};
pub use manual::{completions, man};
pub use new::new;
pub use render::render;
pub use scene::erode;
pub use simulate::{demo, run};

/// Greets a newcomer.
pub fn welcome() {
    say!(
        "thalweg {}: water on terrain\n\n\
         Three commands to begin with:\n  \
         thalweg demo              make a mountain range, erode it, see the pictures\n  \
         thalweg scenes            what else is built in; run one with `thalweg run NAME`\n  \
         thalweg new DIR --terrain my.png\n                            \
         a scene around your own heightmap; then `thalweg run DIR`\n\n\
         All commands: thalweg --help",
        env!("CARGO_PKG_VERSION")
    );
}

/// Memory that may be used, in bytes: as asked, or 75 % of what the machine, or the container, has.
pub fn memory_limit(mebibytes: Option<u64>) -> u64 {
    mebibytes.map_or_else(
        || {
            let mut system = sysinfo::System::new();
            system.refresh_memory();
            let container = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
            system.total_memory().min(container) / 4 * 3
        },
        |mebibytes| mebibytes.saturating_mul(1 << 20),
    )
}

/// Refuses what would need more memory than may be used; `what` and `remedy` tell what that is.
fn within_memory(what: &str, need: u64, limit: u64, remedy: &str) -> Result<(), Failure> {
    if need <= limit {
        return Ok(());
    }
    let (need, limit) = (need.div_ceil(1 << 20), limit >> 20);
    Err(Failure::usage(format!(
        "{what} need about {need} MiB, but only {limit} MiB may be used; {remedy} or raise --max-memory"
    )))
}
