//! Checkpoints whose checksums are right and whose numbers are not.

use std::path::Path;
use std::sync::LazyLock;
use thalweg::Session;
use thalweg::io::checkpoint::{Checkpoint, Section, newest};
use thalweg::project::Project;
use thalweg::run::{restore, save};
use thalweg_test_support::runs::{HILLS, MEMORY, SPOUT, drive, project};

/// What a spout makes of a slope: a little of it, since every number of its state is spoilt once.
static TORRENT: LazyLock<String> = LazyLock::new(|| {
    let small = [("[24, 16]", "[16, 12]"), ("[0.9, 1.2]", "[0.7, 0.9]"), ("0.8, 0.6]", "0.6, 0.5]")];
    let spout = small.iter().fold(SPOUT.to_owned(), |text, (from, to)| text.replace(from, to));
    let erosion = "[solver.erosion]\nstrength = 1\ncritical_shear = 0.1\n";
    format!("{spout}sediment = \"5 %\"\n{erosion}[time]\nsteps = 100000\n[output]\npictures = false\n")
});

/// Rain, drops and a spring, on coarse cells first.
static RAIN: LazyLock<String> = LazyLock::new(|| format!("{}{MORE}", HILLS.replace("[44, 37]", "[24, 20]")));

const MORE: &str = r#"
[edges]
south = "open"
[[rain]]
drops = { per_second = 3, depth = "1 cm", radius = "20 m" }
[[source]]
at = [100, 100]
rate = 2
[[time.coarse]]
factor = 2
steps = 40
[time]
steps = 100000
[output]
pictures = false
"#;

/// A scene after some steps, as a checkpoint.
fn saved(folder: &Path, project: &Project, steps: u64) -> Checkpoint {
    let mut state = Session::new(project, MEMORY).unwrap();
    drive(&mut state, steps);
    save(&state, folder, "poisoned").unwrap();
    newest(folder, MEMORY).unwrap().found.unwrap().checkpoint
}

/// Resumes a checkpoint and takes a few steps. Whether it was taken up; no error is a panic.
fn resumed(project: &Project, checkpoint: &Checkpoint) -> Result<(), String> {
    let mut state = Session::new(project, MEMORY).unwrap();
    restore(&mut state, checkpoint)?;
    for _ in 0..2 {
        state.advance(8).map_err(|error| format!("stopped: {error}"))?;
    }
    state.snapshot();
    state.points();
    Ok(())
}

/// Places of a section that are worth spoiling: all of a short one, some of a long one.
fn places(length: usize) -> Vec<usize> {
    let stride = (length / 16).max(1);
    (0..length).step_by(stride).chain(length.checked_sub(1)).collect()
}

const WRONG: [f64; 8] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 1.0e300, 1.0e20, 7.5, -1.0e9];

/// All ways to spoil one section a little: a wrong number somewhere, a number too few, a number too many.
fn spoiled(section: &Section) -> Vec<(String, Section)> {
    fn with<T: Copy>(
        values: &[T],
        wrong: &[(String, T)],
        wrap: fn(Vec<T>) -> Section,
    ) -> Vec<(String, Section)> {
        let mut all = Vec::new();
        for at in places(values.len()) {
            for (name, value) in wrong {
                let mut other = values.to_vec();
                other[at] = *value;
                all.push((format!("number {at} is {name}"), wrap(other)));
            }
        }
        if let Some(&last) = values.last() {
            all.push(("one too few".into(), wrap(values[..values.len() - 1].to_vec())));
            all.push(("one too many".into(), wrap([values, &[last]].concat())));
        }
        all
    }
    let named = |value: &f64| value.to_string();
    match section {
        Section::F64(values) => {
            let wrong: Vec<_> = WRONG.iter().map(|v| (named(v), *v)).collect();
            with(values, &wrong, Section::F64)
        }
        Section::F32(values) => {
            let wrong: Vec<_> = WRONG.iter().map(|v| (named(v), *v as f32)).collect();
            with(values, &wrong, Section::F32)
        }
        Section::Bytes(values) => {
            let wrong: Vec<_> = [0, 1, 0x7f, 0x80, 0xa0, 0xe0, 0xff].map(|v: u8| (v.to_string(), v)).to_vec();
            with(values, &wrong, Section::Bytes)
        }
        Section::U64(values) => with(values, &[("u64::MAX".into(), u64::MAX)], Section::U64),
    }
}

/// Every section, spoiled in every way, is refused in words or runs on; nothing panics.
fn spoil_everything(scene: &str, steps: u64, sure: &[(&str, &str)]) {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path(), scene);
    let checkpoint = saved(folder.path(), &project, steps);
    assert_eq!(resumed(&project, &checkpoint), Ok(()));
    let (mut tried, mut refused) = (0, 0);
    for (index, (name, section)) in checkpoint.sections.iter().enumerate() {
        for (how, section) in spoiled(section) {
            let mut other = checkpoint.clone();
            other.sections[index].1 = section;
            let outcome = std::panic::catch_unwind(|| resumed(&project, &other));
            let outcome = outcome.unwrap_or_else(|_| panic!("section {name}: a panic where {how}"));
            tried += 1;
            refused += usize::from(outcome.is_err());
            let never = ["NaN", "inf", "-inf"].iter().any(|value| how.ends_with(&format!("is {value}")));
            if never && matches!(section_kind(&other.sections[index].1), "numbers") {
                assert!(outcome.is_err() || unused(name), "section {name}, {how}: it was taken up");
            }
        }
    }
    eprintln!("{refused} of {tried} spoiled checkpoints were refused");
    assert!(refused > tried / 4, "only {refused} of {tried} were refused");
    for (section, words) in sure {
        let at = checkpoint.sections.iter().position(|(name, _)| name == section).unwrap();
        let mut other = checkpoint.clone();
        match &mut other.sections[at].1 {
            Section::F64(values) => values[0] = f64::NAN,
            Section::F32(values) => values[0] = f32::NAN,
            Section::Bytes(values) => values[3] = 0xbf,
            Section::U64(values) => values[0] = u64::MAX,
        }
        let mut state = Session::new(&project, MEMORY).unwrap();
        let reason = restore(&mut state, &other).unwrap_err();
        assert!(reason.contains(words), "section {section}: {reason}");
        assert_eq!(state.steps_taken(), 0, "a refused checkpoint changes nothing");
    }
}

/// Each of these is said of some number of the section that is none.
fn hears(scene: &str, steps: u64, section: &str, words: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path(), scene);
    let mut checkpoint = saved(folder.path(), &project, steps);
    let index = checkpoint.sections.iter().position(|(name, _)| name == section).unwrap();
    let mut state = Session::new(&project, MEMORY).unwrap();
    let mut reasons = Vec::new();
    let Section::F32(values) = checkpoint.sections[index].1.clone() else {
        panic!("{section}: other numbers")
    };
    // A stride that meets every column and every kind of number.
    for at in (0..values.len()).step_by(1 + values.len() / 997) {
        let mut other = values.clone();
        other[at] = f32::NAN;
        checkpoint.sections[index].1 = Section::F32(other);
        reasons.extend(restore(&mut state, &checkpoint).err());
    }
    for word in words {
        let heard = reasons.iter().any(|reason| reason.contains(word));
        assert!(heard, "{section}: nothing is said of its {word}: {:?}", reasons.first());
    }
}

fn section_kind(section: &Section) -> &'static str {
    match section {
        Section::F32(_) | Section::F64(_) => "numbers",
        Section::U64(_) | Section::Bytes(_) => "others",
    }
}

/// Sections in which some numbers are room between rows, and nothing reads them; or ends of lives, of which one may be
/// infinite.
fn unused(section: &str) -> bool {
    matches!(section, "cells" | "floats" | "clock")
}

#[test]
fn a_torrent_with_wrong_numbers_is_refused_or_runs_on() {
    let sure = [
        ("numbers", "the number of its particles is NaN"),
        ("doubles", "sediment of particle number 0 is NaN"),
        ("floats", "position east of particle number 0 is NaN"),
        ("tags", "the tag of its particle 0 is 0xbf"),
        ("clock", "time step, number 0 is NaN"),
    ];
    spoil_everything(&TORRENT, 60, &sure);
    let columns = ["position", "velocity", "mass", "end of particle", "density", "height of the bed"];
    hears(&TORRENT, 60, "floats", &columns);
}

#[test]
fn water_on_cells_with_wrong_numbers_is_refused_or_runs_on() {
    let sure = [
        ("numbers", "time, time step or depth, number 0 is NaN"),
        ("accounts", "account of row number 0 is NaN"),
        ("past", "earlier passes is NaN"),
        ("clock", "the time of its last sample, number 0 is NaN"),
        ("flow", "flow in cell number 0 is NaN"),
        ("wet", "wetness in cell number 0 is NaN"),
        ("inherited", "every height must be a finite number"),
    ];
    spoil_everything(&RAIN, 72, &sure);
    hears(&RAIN, 72, "cells", &["height of the bed", "depth of the water", "sediment", "flow in row"]);
}

/// Places that are finite and absurd: the particle that flew away is named, not its index in some list.
#[test]
fn a_particle_far_beyond_the_scene_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path(), &TORRENT);
    let checkpoint = saved(folder.path(), &project, 30);
    let at = checkpoint.sections.iter().position(|(name, _)| name == "floats").unwrap();
    for far in [1.0e9f32, -3.0e7, 1.0e30] {
        let mut other = checkpoint.clone();
        let Section::F32(values) = &mut other.sections[at].1 else { panic!() };
        values[0] = far;
        let reason = restore(&mut Session::new(&project, MEMORY).unwrap(), &other).unwrap_err();
        assert!(reason.contains("particles are spread from"), "{reason}");
    }
}
