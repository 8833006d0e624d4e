//! The map in ARCHITECTURE.md is true.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

type Arrows = BTreeMap<String, BTreeSet<String>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A crate's name without the family's.
fn short(name: &str) -> String {
    name.strip_prefix("thalweg-").unwrap_or(name).into()
}

/// The block of arrows in the text.
fn drawn() -> Arrows {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let block = text.split("```arrows\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let arrow = |line: &str| {
        let (from, to) = line.split_once(" -> ").unwrap_or_else(|| panic!("\"{line}\" is no arrow"));
        (from.into(), to.split(", ").map(str::to_owned).collect())
    };
    block.lines().map(arrow).collect()
}

/// What the manifests say; development dependencies do not count.
fn built() -> Arrows {
    let mut arrows = Arrows::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(text) = std::fs::read_to_string(folder.join("Cargo.toml")) else { continue };
        let manifest: toml::Table = text.parse().unwrap();
        let name = short(manifest["package"]["name"].as_str().unwrap());
        assert_eq!(folder.file_name().unwrap().to_str(), manifest["package"]["name"].as_str());
        let uses = manifest
            .get("dependencies")
            .and_then(toml::Value::as_table)
            .into_iter()
            .flat_map(toml::Table::keys);
        let ours: BTreeSet<_> =
            uses.filter(|name| name.starts_with("thalweg")).map(|name| short(name)).collect();
        if !ours.is_empty() {
            arrows.insert(name, ours);
        }
    }
    arrows
}

#[test]
fn crates_use_each_other_as_the_map_says() {
    let (drawn, built) = (drawn(), built());
    assert!(built.len() > 8, "{built:?}");
    assert_eq!(built, drawn, "the manifests (left) and ARCHITECTURE.md (right)");
}

#[test]
fn every_crate_and_folder_of_the_map_is_there() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(text.contains(&format!("\n  {name} ")), "{name} is not on the map");
    }
    let paths = text
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| word.starts_with("thalweg") && word.contains("/src"));
    for path in paths {
        let path = path.split("::").next().unwrap_or(path);
        assert!(root().join("crates").join(path).exists(), "{path} is on the map and not there");
    }
}
