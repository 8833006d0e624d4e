//! What each command does.

mod inspect;
mod simulate;

pub use inspect::{check, convert, generate, info, new, render, scenes, validate};
pub use simulate::{demo, run};

/// Greets a newcomer.
pub fn welcome() {
    println!(
        "thalweg {}: water on terrain\n\n\
         Three commands to begin with:\n  \
         thalweg demo              make a mountain range, erode it, see the pictures\n  \
         thalweg scenes            what else is built in; run one with `thalweg run NAME`\n  \
         thalweg new DIR --from mountain\n                            \
         copy a scene, change it, and `thalweg run DIR`\n\n\
         All commands: thalweg --help",
        env!("CARGO_PKG_VERSION")
    );
}

/// Memory that may be used, in bytes: as asked, or 75 % of what the machine has.
pub fn memory_limit(mebibytes: Option<u64>) -> u64 {
    mebibytes.map_or_else(
        || {
            let mut system = sysinfo::System::new();
            system.refresh_memory();
            system.total_memory() / 4 * 3
        },
        |mebibytes| mebibytes.saturating_mul(1 << 20),
    )
}
