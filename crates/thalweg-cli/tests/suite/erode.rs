//! `thalweg erode`: somebody's own heightmap, from one command to maps and pictures.

use crate::common::{Folder, same};
use serde_json::Value;
use std::path::Path;
use thalweg::field::{Frame, Grid2, Heightfield};
use thalweg::io::{ReadOptions, WriteOptions, read_heightfield, write_heightfield, write_png_rgb};

const NO_PICTURES: [&str; 2] = ["--set", "output.pictures=false"];

impl Folder {
    /// A mountain range, 10.24 km wide, on so many cells.
    fn range(&self, cells: usize) -> String {
        let name = format!("range{cells}.exr");
        let cell = (10_240.0 / cells as f64).to_string();
        self.ok(&[
            "generate",
            "--kind",
            "range",
            "--size",
            &cells.to_string(),
            "--cell",
            &cell,
            "--seed",
            "2",
            "-o",
            &name,
        ]);
        name
    }

    /// Erodes without pictures and returns the report.
    fn eroded(&self, arguments: &[&str]) -> Value {
        self.ok(&[&["erode"], arguments, &NO_PICTURES, &["--json", "-q"]].concat()).json()
    }

    fn heights(&self, name: &str) -> Heightfield {
        let options = ReadOptions { max_bytes: 1 << 30, ..ReadOptions::default() };
        read_heightfield(&self.path(name), &options).unwrap().field
    }
}

/// Mean of |after − before| `[m]`.
fn mean_change(before: &Heightfield, after: &Heightfield) -> f64 {
    let pairs = before.height.values().iter().zip(after.height.values());
    pairs.map(|(a, b)| f64::from((b - a).abs())).sum::<f64>() / before.height.len() as f64
}

fn write(path: &Path, cols: usize, rows: usize, cell: f64, height: impl Fn(usize, usize) -> f32 + Sync) {
    let field = Heightfield { height: Grid2::from_fn(cols, rows, height), frame: Frame::with_cell(cell) };
    write_heightfield(path, &field, &WriteOptions::default()).unwrap();
}

/// All of it at once: what is assumed is said, the scene is there to be edited and gives the same again, maps are as large as
/// the heightmap, and nothing is overwritten.
#[test]
fn a_heightmap_becomes_maps_and_a_scene_to_edit() {
    let folder = Folder::new();
    folder.ok(&["generate", "--kind", "fbm", "--size", "96x64", "-o", "made.r16"]);
    std::fs::remove_file(folder.path("made.thalweg.json")).unwrap();
    let ran = folder.ok(&[
        "erode",
        "made.r16",
        "--raw-size",
        "96x64",
        "-o",
        "a",
        "--set",
        "picture.size=[160, 90]",
    ]);
    for said in [
        "a pixel is: 10 m assumed; --metres-per-pixel",
        "0 m assumed for black and 100 m for white; --input-heights",
    ] {
        assert!(ran.stderr.contains(said), "{said:?} is not in {ran:?}");
    }
    for said in ["on average", "a/inputs/scene.toml", "a/pictures/before_after.png first"] {
        assert!(ran.stdout.contains(said), "{said:?} is not in {ran:?}");
    }
    for map in ["erosion", "deposition", "flow", "water", "wetness"] {
        let map = folder.map(&format!("a/maps/{map}.exr"));
        assert_eq!((map.cols(), map.rows()), (96, 64));
    }
    let scene = String::from_utf8(folder.read("a/inputs/scene.toml")).unwrap();
    for line in [
        "[[before]]",
        "kind = \"stream-power\"",
        "north = \"open\"",
        "[[rain]]",
        "# More years, more erosion",
    ] {
        assert!(scene.contains(line), "{line:?} is not in\n{scene}");
    }
    // The same again, from the scene and on one thread.
    folder.ok(&["run", "a/inputs", "-o", "b", "-q", "--threads", "1", "--set", "picture.size=[160, 90]"]);
    assert_eq!(folder.read("a/height.exr"), folder.read("b/height.exr"));
    // Erosion and deposition are of all that happened.
    let (before, after) = (folder.heights("a/inputs/made.exr"), folder.heights("a/height.exr"));
    let (lost, gained) = (folder.map("a/maps/erosion.exr"), folder.map("a/maps/deposition.exr"));
    for (i, (before, after)) in before.height.values().iter().zip(after.height.values()).enumerate() {
        let told = gained.values()[i] - lost.values()[i];
        assert!((after - before - told).abs() < 1.0e-3, "cell {i}: {} m and {told} m", after - before);
    }
    let results = folder.results("a");
    folder.fails(
        &["erode", "made.r16", "--raw-size", "96x64", "-o", "a"],
        2,
        &["a finished run of \"made\""],
    );
    same(&results, &folder.results("a"), "refused");
}

/// Heights change by what the strength says, whatever the cells.
#[test]
fn strength_means_the_same_at_any_resolution() {
    let folder = Folder::new();
    let mut works = Vec::new();
    for cells in [96, 192, 384] {
        let (name, out) = (folder.range(cells), format!("o{cells}"));
        let report = folder.eroded(&[&name, "-o", &out]);
        let work = mean_change(&folder.heights(&name), &folder.heights(&format!("{out}/height.exr")));
        let told = report["erode"]["work_m"].as_f64().unwrap();
        assert!((work - told).abs() < 1.0e-3 * work, "{work} m, {told} m told");
        works.push(work);
        let asked = report["erode"]["asked_m"].as_f64().unwrap();
        assert!((work / asked - 1.0).abs() < 0.1, "{cells} cells: {work} m of {asked} m");
        let relief = report["erode"]["relief_m"].as_f64().unwrap();
        assert!((asked / relief - 0.04).abs() < 1.0e-6, "{asked} m of {relief} m");
    }
    let (least, most) = works.iter().fold((f64::MAX, 0.0_f64), |(a, b), &w| (a.min(w), b.max(w)));
    assert!(most / least < 1.1, "{works:?} m on 96, 192 and 384 cells");
    // 1.5, 4 and 8 % of the relief.
    let done = |strength: &str| {
        let out = format!("s-{strength}");
        folder.eroded(&["range96.exr", "--strength", strength, "-o", &out])["erode"]["work_m"]
            .as_f64()
            .unwrap()
    };
    let (gentle, strong) = (done("gentle"), done("strong"));
    assert!((works[0] / gentle * 1.5 / 4.0 - 1.0).abs() < 0.1, "gentle {gentle} m, medium {} m", works[0]);
    assert!((strong / works[0] * 4.0 / 8.0 - 1.0).abs() < 0.1, "strong {strong} m, medium {} m", works[0]);
}

/// A river that enters has a bed to the edge, in which most of its water arrives.
#[test]
fn a_river_leaves_the_map() {
    let folder = Folder::new();
    folder.range(192);
    // In the middle of the map, by pixels from the upper left corner.
    folder.eroded(&["range192.exr", "--river", "96px,96px", "-o", "o"]);
    let scene = String::from_utf8(folder.read("o/inputs/scene.toml")).unwrap();
    let rate: f64 =
        scene.split("rate = \"").nth(2).and_then(|rest| rest.split(' ').next()).unwrap().parse().unwrap();
    let (flow, cell) = (folder.map("o/maps/flow.exr"), 10_240.0 / 192.0);
    let depth = folder.map("o/maps/water.exr");
    // From cell to cell down the river, which may be some cells wide; flow is a mean that counts the time before it came.
    let carries =
        |col: usize, row: usize| f64::from(flow.at(col, row)) * cell > 0.1 * rate && depth.at(col, row) > 0.5;
    let mut reached = vec![false; 192 * 192];
    let mut open = vec![(96_usize, 96_usize)];
    let mut left = false;
    while let Some((col, row)) = open.pop() {
        left |= col == 0 || row == 0 || col == 191 || row == 191;
        for (c, r) in (-1..=1).flat_map(|dc| (-1..=1).map(move |dr| (col as isize + dc, row as isize + dr))) {
            let inside = (0..192).contains(&c) && (0..192).contains(&r);
            if inside
                && carries(c as usize, r as usize)
                && !std::mem::replace(&mut reached[r as usize * 192 + c as usize], true)
            {
                open.push((c as usize, r as usize));
            }
        }
    }
    let length = reached.iter().filter(|&&reached| reached).count();
    assert!(left, "the river of {rate} m³/s ends after {length} cells");
}

/// What is likely not meant is said, with what to write instead.
#[test]
fn steep_coarse_and_closed_maps_are_warned_of() {
    let folder = Folder::new();
    folder.ok(&["generate", "--kind", "fbm", "--size", "80", "--cell", "10", "-o", "f.png"]);
    let note = |arguments: &[&str]| {
        let out = format!("o{}", folder.files().len());
        folder.ok(&[&["erode"], arguments, &NO_PICTURES, &["-o", &out]].concat()).stderr
    };
    let steep = note(&["f.png", "--cell", "2", "--heights", "0..200"]);
    for said in ["steeper than 40°", "try --cell 20", "try --heights 0..26"] {
        assert!(steep.contains(said), "{said:?} is not in {steep}");
    }
    let closed = note(&["f.png", "--cell", "10", "--heights", "0..100", "--closed", "north,west"]);
    assert!(
        closed.contains("closed edges (north, west) hold water back") && closed.contains("east, south"),
        "{closed}"
    );
    assert!(!closed.contains("steeper"), "{closed}");
    write(&folder.path("few.exr"), 80, 80, 10.0, |col, row| ((col + row) / 2) as f32);
    let few = note(&["few.exr"]);
    assert!(few.contains("different heights: expect terraces"), "{few}");
    let grey: Vec<u8> = (0..80 * 80).flat_map(|i| [(i % 80 + i / 80) as u8; 3]).collect();
    write_png_rgb(&folder.path("grey.png"), 80, 80, &grey).unwrap();
    let eight = note(&["grey.png", "--cell", "10", "--heights", "0..100"]);
    assert!(eight.contains("8-bit heights have 256 levels at most"), "{eight}");
    assert_eq!(note(&["f.png", "--cell", "10", "--heights", "0..100", "-q"]), "");
}

/// Ground of up to 74° stays as steep as it was, but for what rivers and soil take, and does not turn into a pyramid with sides along the
/// axes.
#[test]
fn steep_ground_stays_steep_and_faces_all_ways() {
    let folder = Folder::new();
    folder.ok(&[
        "generate",
        "--kind",
        "fbm",
        "--size",
        "192",
        "--cell",
        "10",
        "--seed",
        "1",
        "-o",
        "steep.png",
    ]);
    let report = folder.eroded(&["steep.png", "--cell", "10", "--heights", "0..530", "-o", "o"]);
    let [before, after] = ["realism_before", "realism_after"].map(|key| &report[key]);
    let number = |of: &Value, key: &str| of[key].as_f64().unwrap();
    let steep = [before, after].map(|of| number(of, "steep_fraction"));
    assert!(steep[0] > 0.5 && steep[1] > 0.75 * steep[0], "above 35°: {steep:?}");
    let (axes, uneven) = (number(after, "aspects_near_axes"), number(after, "aspect_unevenness"));
    assert!((0.9..1.1).contains(&axes) && uneven < 0.1, "{axes} along the axes, unevenness {uneven}");
}

/// Masks, hardness, years and seed are as they are asked for.
#[test]
fn masks_and_years_are_as_asked_for() {
    let folder = Folder::new();
    let name = folder.range(96);
    // The west is hard and dry.
    write(&folder.path("west.exr"), 96, 96, 1.0, |col, _| f32::from(u8::from(col < 48)));
    write(&folder.path("east.exr"), 96, 96, 1.0, |col, _| f32::from(u8::from(col >= 48)));
    let report = folder.eroded(&[
        &name,
        "--hardness",
        "west.exr",
        "--mask",
        "east.exr",
        "--years",
        "80kyr",
        "--seed",
        "5",
        "-o",
        "o",
    ]);
    assert_eq!(report["seed"], 5);
    assert_eq!(report["erode"]["years"], 80_000.0);
    assert_eq!(report["erode"]["asked_m"], Value::Null);
    let (before, after) = (folder.heights(&name), folder.heights("o/height.exr"));
    let half = |west: bool| {
        let cells = (0..96 * 96).filter(|i| (i % 96 < 44) == west && !(44..52).contains(&(i % 96)));
        cells.map(|i| f64::from((after.height.values()[i] - before.height.values()[i]).abs())).sum::<f64>()
    };
    assert!(half(true) < 0.5 * half(false), "{} in the west, {} in the east", half(true), half(false));
    assert!(folder.path("o/inputs/west.exr").is_file() && folder.path("o/inputs/east.exr").is_file());
}

/// What cannot be is answered before anything is written.
#[test]
fn what_cannot_be_eroded_is_refused() {
    let folder = Folder::new();
    let name = folder.range(80);
    write(&folder.path("level.exr"), 80, 80, 10.0, |_, _| 5.0);
    folder.write("notes.txt", "no picture");
    let before = folder.files();
    for (arguments, words) in [
        (&["none.png"][..], &["none.png", "no such file"][..]),
        (&["notes.txt"], &["notes.txt"]),
        (&["level.exr"], &["level"]),
        (&[&name, "--river", "20000,5"], &["--river", "20000", "10240 by 10240 m"]),
        (&[&name, "--river", "5"], &["X,Y"]),
        (&[&name, "--closed", "north,east,south,west"], &["a way out"]),
        (&[&name, "--mask", "none.png"], &["none.png"]),
        (&[&name, "--years", "-5"], &["years"]),
        (&[&name, "--years", "5", "--strength", "strong"], &["--strength"]),
        (&[&name, "--strength", "mild"], &["gentle", "medium", "strong"]),
        (&[&name, "--cell", "-1"], &["cell"]),
        (&[&name, "--set", "rain.0.rait=3"], &["rait"]),
        (&[], &["FILE"]),
    ] {
        folder.fails(&[&["erode"], arguments].concat(), 2, words);
        assert_eq!(folder.files(), before, "{arguments:?}");
    }
}
