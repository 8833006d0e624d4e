//! Checkpoints come back to the bit, or say why not.

use serde_json::json;
use std::fs;
use std::path::Path;
use thalweg_field::random::Key;
use thalweg_io::checkpoint::{self, Checkpoint, CheckpointError, Section, SectionRef};

const LIMIT: u64 = 1 << 30;

fn example() -> Checkpoint {
    let key = Key::new(3);
    Checkpoint {
        // Numbers that a careless float parser gets wrong in the last bit.
        header: json!({ "scene": "gully", "time": 0.1 + 0.2, "seed": u64::MAX, "dt": 5e-324 }),
        sections: vec![
            (
                "bed".into(),
                Section::F32((0..500).map(|i| key.with(i).unit() as f32).chain([f32::NAN]).collect()),
            ),
            ("ledger".into(), Section::F64((0..50).map(|i| key.with(i).unit().ln()).collect())),
            ("count".into(), Section::U64((0..20).map(|i| key.with(i).bits()).collect())),
            ("notes".into(), Section::Bytes(b"rain from the west".to_vec())),
            ("empty".into(), Section::F32(vec![])),
        ],
    }
}

fn bits(checkpoint: &Checkpoint) -> String {
    // NaN differs from itself, its text does not.
    format!("{checkpoint:?}")
}

#[test]
fn a_checkpoint_comes_back_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.twc");
    example().write(&path).unwrap();
    let back = Checkpoint::read(&path, LIMIT).unwrap();
    assert_eq!(bits(&back), bits(&example()));
    assert_eq!(Checkpoint::read_header(&path).unwrap(), example().header);
    let Some(Section::U64(count)) = back.section("count") else { panic!("no counts") };
    assert_eq!(count.len(), 20);
    assert!(back.section("missing").is_none());
}

/// Where in the file the bytes of a section begin.
fn place_of(bytes: &[u8], section: &Section) -> usize {
    let own: Vec<u8> = match section {
        Section::F32(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Section::F64(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Section::U64(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Section::Bytes(values) => values.clone(),
    };
    bytes.windows(own.len()).position(|window| window == own).unwrap()
}

#[test]
fn a_flipped_bit_is_found_and_its_section_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.twc");
    example().write(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    for (name, section) in example().sections.iter().filter(|(name, _)| name != "empty") {
        let mut bytes = whole.clone();
        bytes[place_of(&whole, section) + 9] ^= 4;
        fs::write(&path, &bytes).unwrap();
        let error = Checkpoint::read(&path, LIMIT).unwrap_err();
        assert!(
            matches!(&error, CheckpointError::CorruptSection { section, .. } if section == name),
            "{error}"
        );
    }
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(&path, &bytes).unwrap();
        assert!(Checkpoint::read(&path, LIMIT).is_err(), "byte {at} may change unnoticed");
    }
}

#[test]
fn what_is_cut_or_grown_or_foreign_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.twc");
    example().write(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    let read = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        Checkpoint::read(&path, LIMIT).unwrap_err()
    };
    for length in 0..whole.len() {
        let error = read(&whole[..length]);
        let expected = if length < 8 {
            matches!(error, CheckpointError::NotACheckpoint { .. })
        } else {
            matches!(error, CheckpointError::Truncated { .. })
        };
        assert!(expected, "cut to {length} bytes: {error}");
    }
    assert!(matches!(read(&[&whole[..], b"x"].concat()), CheckpointError::CorruptIndex { .. }));
    assert!(matches!(read(b"\x89PNG and so on"), CheckpointError::NotACheckpoint { .. }));
    let mut later = whole.clone();
    later[8] = 2;
    assert!(matches!(read(&later), CheckpointError::OtherVersion { found: 2, .. }));
    let mut long = whole.clone();
    long[16..24].fill(0xff);
    assert!(matches!(read(&long), CheckpointError::Truncated { expected: u64::MAX, .. }));
}

#[test]
fn the_memory_limit_holds_for_checkpoints_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.twc");
    example().write(&path).unwrap();
    let needed = 501 * 4 + 50 * 8 + 20 * 8 + 18;
    let error = Checkpoint::read(&path, needed - 1).unwrap_err();
    assert!(matches!(error, CheckpointError::TooLarge { .. }), "{error}");
    Checkpoint::read(&path, needed).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_two_newest_are_kept_and_the_whole_one_is_found() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("step_7.twc"), b"not ours: too few digits").unwrap();
    let save = |step: u64| {
        let depth = [step as f32; 100];
        checkpoint::rotate(
            folder.path(),
            step,
            &json!({ "step": step }),
            &[("depth", SectionRef::F32(&depth))],
        )
    };
    let paths = [100, 200, 300].map(|step| save(step).unwrap());
    assert_eq!(names(folder.path()), ["step_0000000200.twc", "step_0000000300.twc", "step_7.twc"]);
    let found = checkpoint::newest(folder.path(), LIMIT).unwrap().found.unwrap();
    assert_eq!(
        (found.step, &found.path, &found.checkpoint.header),
        (300, &paths[2], &json!({ "step": 300 }))
    );

    // Damage in the newest: the one before takes its place, and the reason is told.
    let mut bytes = fs::read(&paths[2]).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&paths[2], bytes).unwrap();
    let newest = checkpoint::newest(folder.path(), LIMIT).unwrap();
    assert_eq!(newest.found.unwrap().step, 200);
    let (path, error) = &newest.skipped[0];
    assert_eq!(path, &paths[2]);
    assert!(error.to_string().contains("section depth is corrupt"), "{error}");

    // A run that starts over replaces what lies ahead of it.
    save(50).unwrap();
    assert_eq!(names(folder.path()), ["step_0000000050.twc", "step_7.twc"]);
}

#[test]
fn a_checkpoint_that_cannot_be_written_costs_no_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let save = |step| checkpoint::rotate(folder.path(), step, &json!({}), &[]);
    save(1).unwrap();
    save(2).unwrap();
    // A folder in the way of the new file.
    fs::create_dir(folder.path().join("step_0000000003.twc")).unwrap();
    assert!(matches!(save(3).unwrap_err(), CheckpointError::Write(_)));
    assert_eq!(names(folder.path()), ["step_0000000001.twc", "step_0000000002.twc", "step_0000000003.twc"]);
    let newest = checkpoint::newest(folder.path(), LIMIT).unwrap();
    assert_eq!((newest.found.unwrap().step, newest.skipped.len()), (2, 1));
}

#[test]
fn a_folder_without_checkpoints_has_none() {
    let folder = tempfile::tempdir().unwrap();
    assert!(checkpoint::newest(folder.path(), LIMIT).unwrap().found.is_none());
    assert!(checkpoint::newest(&folder.path().join("missing"), LIMIT).unwrap().found.is_none());
}
