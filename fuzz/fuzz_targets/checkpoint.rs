//! Any bytes are a checkpoint or are refused, and so is any state in one.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use thalweg::Session;
use thalweg::io::checkpoint::Checkpoint;
use thalweg::project::Project;
use thalweg::run::restore;

const SCENE: &str = "version = 1\n[terrain]\nsize = [24, 20]\n[[rain]]\nrate = '80 mm/h'\n[time]\nsteps = 60\n";

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("step_0000000001.twc");
    std::fs::write(&path, bytes).expect("a file");
    if let Ok(checkpoint) = Checkpoint::read(&path, 16 << 20) {
        let project = Project::from_text(SCENE, "fuzz", Path::new(""), &[]).expect("a scene");
        let mut session = Session::new(&project, 1 << 28).expect("a session");
        let _ = restore(&mut session, &checkpoint);
    }
});
