//! What each command does.

use crate::Failure;

mod check;
mod convert;
mod doctor;
mod erode;
mod explain;
mod fitted;
mod heightmap;
mod info;
mod inspect;
mod manual;
mod new;
mod own_scene;
mod query;
mod relief;
mod render;
mod scene;
mod simulate;
mod studio;
mod target;
mod tiles;
mod volume;

pub(crate) use check::check;
pub(crate) use convert::convert;
pub(crate) use doctor::doctor;
pub(crate) use erode::erode;
pub(crate) use explain::{explain, schema};
pub(crate) use info::info;
pub(crate) use inspect::{generate, scenes, validate};
pub(crate) use manual::{completions, man};
pub(crate) use new::new;
pub(crate) use query::query;
pub(crate) use render::render;
pub(crate) use simulate::{demo, run};
pub(crate) use studio::studio;

/// Greets a newcomer.
pub(crate) fn welcome() {
    say!(
        "thalweg {}: water on terrain\n\n\
         Three commands to begin with:\n  \
         thalweg demo              make a mountain range, erode it, see the pictures\n  \
         thalweg scenes            what else is built in; run one with `thalweg run NAME`\n  \
         thalweg erode my.png      erode your own heightmap\n\n\
         All commands: thalweg --help",
        env!("CARGO_PKG_VERSION")
    );
}

/// Memory that may be used where nothing tells how much there is `[bytes]`.
const UNKNOWN_MEMORY: u64 = 4 << 30;

/// Memory that may be used, in bytes: as asked, or 75 % of what the machine, or the container, has. Where that is not
/// known, as with no file handles left to ask, it is said once what is taken instead.
pub(crate) fn memory_limit(mebibytes: Option<u64>) -> u64 {
    if let Some(mebibytes) = mebibytes {
        return mebibytes.saturating_mul(1 << 20);
    }
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let container = || system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
    usual_limit(system.total_memory(), container)
}

/// 75 % of the machine's memory, or of the container's if that is less. The container cannot be asked for where the
/// machine's is not known.
fn usual_limit(total: u64, container: impl FnOnce() -> u64) -> u64 {
    if total > 0 {
        return total.min(container()) / 4 * 3;
    }
    static SAID: std::sync::Once = std::sync::Once::new();
    SAID.call_once(|| {
        let taken = UNKNOWN_MEMORY >> 20;
        remark!("note: the memory of this machine is not known; at most {taken} MiB are used (--max-memory)");
    });
    UNKNOWN_MEMORY
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

#[cfg(test)]
mod tests {
    use super::*;

    /// With no file handles left `/proc/meminfo` cannot be read; asking for the container's limit then panicked.
    #[test]
    fn a_machine_that_does_not_tell_its_memory_is_no_reason_to_fail() {
        let unknown =
            usual_limit(0, || panic!("the container was asked for though the machine is not known"));
        assert_eq!(unknown, UNKNOWN_MEMORY);
        assert_eq!(usual_limit(8 << 30, || u64::MAX), 6 << 30);
        assert_eq!(usual_limit(8 << 30, || 4 << 30), 3 << 30);
    }
}
