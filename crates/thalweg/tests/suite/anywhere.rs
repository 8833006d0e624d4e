//! The core runs anywhere to the same bits: on all cores, on one, and in a browser.

#[expect(dead_code, unreachable_pub, reason = "what a page calls is not called here")]
#[path = "../../../../xtask/portable/src/lib.rs"]
mod portable;

use std::time::Instant;

/// What every scene of the portable core ends in here.
fn here() -> Vec<String> {
    let scenes = 0..portable::scenes() as usize;
    scenes.map(|scene| format!("{:016x}", portable::ending(scene).unwrap())).collect()
}

#[test]
fn scenes_end_in_the_same_bits_on_any_number_of_threads_and_in_wasm() {
    let clock = Instant::now();
    let all = here();
    println!("{all:?} in {:?}", clock.elapsed());
    let mut apart = all.clone();
    apart.sort();
    apart.dedup();
    assert_eq!(apart.len(), all.len(), "scenes are told apart");
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(here), all, "{threads} threads");
    }
    // `cargo xtask wasm` leaves here what Node found.
    if let Some(file) = std::env::var_os("THALWEG_PORTABLE") {
        let there =
            std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let there: Vec<_> = there.lines().collect();
        assert_eq!(
            there[..portable::EXACT],
            all[..portable::EXACT],
            "wasm32 (left) and this machine (right)"
        );
        assert!(
            there.len() == all.len() && there.iter().all(|number| number.contains(|c| c != '0')),
            "{there:?}"
        );
    }
}
