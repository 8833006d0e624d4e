//! `thalweg doctor`: what this machine offers, and what of it is used.

use super::memory_limit;
use crate::Failure;
use crate::args::JsonArgs;
use serde::Serialize;
use thalweg::gpu::{Breadth, Candidate};
use thalweg::io::ffmpeg_present;
use thalweg::render::gpu::Renderer;

/// What it found.
#[derive(Serialize)]
struct Findings {
    version: &'static str,
    /// Whether it was built to be fast.
    optimised: bool,
    system: String,
    processor: String,
    threads: usize,
    simd: String,
    memory: Memory,
    /// In the order of preference.
    adapters: Vec<Adapter>,
    /// What draws pictures.
    draws: String,
    ffmpeg: bool,
}

/// Memory `[bytes]`.
#[derive(Serialize)]
struct Memory {
    machine: u64,
    container: Option<u64>,
    /// What a run may use unless it is told otherwise.
    used_at_most: u64,
}

#[derive(Serialize)]
struct Adapter {
    name: String,
    backend: String,
    software: bool,
    /// Why it is not used, or nothing if it could draw.
    passed_over: Option<String>,
}

/// `thalweg doctor`
pub(crate) fn doctor(args: &JsonArgs) -> Result<(), Failure> {
    let found = look();
    if args.json {
        crate::print::answer(&found);
    } else {
        tell(&found);
    }
    Ok(())
}

fn look() -> Findings {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
    let choice = Renderer::choose(Breadth::All);
    let draws = match &choice.made {
        Ok(renderer) => renderer.gpu().describe(),
        Err(_) => "the processor, plainly".into(),
    };
    let machine = system.total_memory();
    // Where the machine's memory cannot be read, sysinfo panics when it is asked for the container's.
    let limits = if machine > 0 { system.cgroup_limits() } else { None };
    let container = limits.map(|limits| limits.total_memory);
    let simd = format!("{:?}", fearless_simd::Level::new());
    Findings {
        version: env!("CARGO_PKG_VERSION"),
        optimised: !cfg!(debug_assertions),
        system: sysinfo::System::long_os_version().unwrap_or_else(|| std::env::consts::OS.into()),
        processor: system.cpus().first().map_or("unknown", |cpu| cpu.brand()).trim().into(),
        threads: rayon::current_num_threads(),
        simd: simd.split('(').next().unwrap_or_default().into(),
        memory: Memory { machine, container, used_at_most: memory_limit(None) },
        adapters: choice.candidates.into_iter().map(Adapter::from).collect(),
        draws,
        ffmpeg: ffmpeg_present(),
    }
}

impl From<Candidate> for Adapter {
    fn from(candidate: Candidate) -> Self {
        let Candidate { name, backend, software, passed_over } = candidate;
        Self { name, backend, software, passed_over }
    }
}

fn tell(found: &Findings) {
    let build = if found.optimised { "release build" } else { "development build, slow" };
    let mebibytes = |bytes: u64| bytes >> 20;
    let memory = &found.memory;
    say!("thalweg     {} ({build})", found.version);
    say!("system      {}", found.system);
    say!("processor   {}, {} threads, {}", found.processor, found.threads, found.simd);
    let container = memory.container.filter(|bytes| *bytes < memory.machine);
    let container =
        container.map_or(String::new(), |bytes| format!(", {} MiB in this container", mebibytes(bytes)));
    let (machine, used) = (mebibytes(memory.machine), mebibytes(memory.used_at_most));
    if machine > 0 {
        say!("memory      {machine} MiB{container}; a run uses {used} MiB at most (--max-memory)");
    } else {
        say!("memory      unknown; a run uses {used} MiB at most (--max-memory)");
    }
    if found.adapters.is_empty() {
        say!("adapters    none: {}", thalweg::gpu::none_found());
    }
    let mut drawing = false;
    for (i, adapter) in found.adapters.iter().enumerate() {
        let heading = if i == 0 { "adapters" } else { "" };
        let verdict = match &adapter.passed_over {
            Some(reason) => format!("passed over: {reason}"),
            None if drawing => "could draw".into(),
            None => "draws".into(),
        };
        drawing |= adapter.passed_over.is_none();
        let kind = if adapter.software { ", software" } else { "" };
        say!("{heading:<11} {} ({}{kind}): {verdict}", adapter.name, adapter.backend);
    }
    say!("pictures    drawn by {}", found.draws);
    let films =
        if found.ffmpeg { "ffmpeg was found" } else { "ffmpeg was not found: animated PNG instead of MP4" };
    say!("films       {films}");
}
