//! What earlier versions wrote is still read: scenes, and states that go on. `tests/earlier/VERSION` holds what each wrote.

use std::path::{Path, PathBuf};
use thalweg::Session;
use thalweg::io::checkpoint;
use thalweg::project::Project;
use thalweg::run::restore;
use thalweg_test_support::runs::{MEMORY, drive};

/// Folders with a scene and the state of a run of it, one for each version and method.
fn runs() -> Vec<PathBuf> {
    let folders = |path: PathBuf| {
        let entries = std::fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let versions = folders(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/earlier"));
    versions.into_iter().flat_map(folders).collect()
}

#[test]
fn states_of_earlier_versions_go_on() {
    let runs = runs();
    assert!(runs.len() >= 2, "{runs:?}");
    for run in runs {
        let name = run.display();
        // Water of particles resists pressure and erodes in another way today; a run goes on with what it had.
        let had = [
            "fluid.pressure=summed",
            "fluid.damping=0.03",
            "erosion.stress=shear-rate",
            "erosion.reshape=lowest-first",
            "erosion.heavy=false",
            "erosion.strength=0.1",
            "erosion.critical_shear=3",
            "erosion.grain_radius=0.00005",
            "erosion.packing=0.6",
            "erosion.repose=0.6108652381980153",
        ]
        .map(|set| format!("solver.{set}"));
        let changed = if run.ends_with("sph") { &had[..] } else { &[] };
        let project = Project::open(run.to_str().unwrap(), changed).unwrap();
        let mut session = Session::new(&project, MEMORY).unwrap();
        let found = checkpoint::newest(&run.join("checkpoints"), MEMORY).unwrap().found.unwrap();
        restore(&mut session, &found.checkpoint).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(session.steps_taken(), found.step, "{name}");
        drive(&mut session, u64::MAX);
        assert!(session.is_over() && session.undo().unwrap().is_none());
        let (water, books) = (session.ledger().water.imbalance(), session.books());
        assert!(water < 1.0e-4 && books.solids_missing < 1.0e-4, "{name}: {water:e}, {books:?}");
    }
}
