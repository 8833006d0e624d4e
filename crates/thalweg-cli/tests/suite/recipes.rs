//! Every recipe of docs/guide/recipes.md, run as it stands there, and what it promises. Pictures are left out, and films and
//! conversions are made of short runs: they are about files.

use crate::common::Folder;
use serde_json::Value;

const PAGE: &str = include_str!("../../../../docs/guide/recipes.md");
/// What keeps a run quick.
const QUICK: &str = " -q --set output.pictures=false";

/// A fenced block of the page: its language and its text.
type Block = (String, String);

/// The blocks below a heading.
fn section(heading: &str) -> Vec<Block> {
    let begin = PAGE.find(&format!("## {heading}\n")).unwrap_or_else(|| panic!("no recipe {heading:?}"));
    let text = &PAGE[begin + 3..];
    let text = &text[..text.find("\n## ").unwrap_or(text.len())];
    let fences: Vec<_> = text.split("```").collect();
    let block = |fence: &&str| fence.split_once('\n').map(|(kind, text)| (kind.to_owned(), text.to_owned()));
    fences.iter().skip(1).step_by(2).filter_map(block).collect()
}

/// A folder in which the scenes and commands of a recipe are, and have been run in order.
fn followed(heading: &str, words: impl Fn(&str) -> String) -> Folder {
    let folder = Folder::new();
    for (kind, text) in section(heading) {
        match &*kind {
            "toml" => {
                let name =
                    text.trim_start_matches("# ").split_whitespace().next().unwrap().trim_end_matches(':');
                assert!(name.ends_with(".toml"), "a recipe names its file in its first line: {text}");
                folder.write(name, &text);
            }
            "sh" => {
                for line in text.lines().filter(|line| line.starts_with("thalweg ")) {
                    let command =
                        line.split('#').next().unwrap().trim().replacen("thalweg", "\"$THALWEG\"", 1);
                    let ran = folder.shell(&words(&command));
                    assert_eq!(ran.code, 0, "{line}: {ran:?}");
                }
            }
            _ => panic!("{heading}: a block of {kind:?}"),
        }
    }
    folder
}

/// Without pictures where something is run.
fn quick(command: &str) -> String {
    let runs = command.contains(" run ") || command.contains(" erode ");
    if runs { format!("{command}{QUICK}") } else { command.into() }
}

impl Folder {
    fn run_scene(&self, name: &str) -> Value {
        let ran = self.shell(&format!("\"$THALWEG\" run {name}.toml{QUICK}"));
        assert_eq!(ran.code, 0, "{name}: {ran:?}");
        self.json(&format!("out/{name}/report.json"))
    }
}

/// Pits, concavity and landforms are no worse than before.
fn drains_like_real_ground(report: &Value, what: &str) {
    let [before, after] = ["realism_before", "realism_after"].map(|key| &report[key]);
    let number = |of: &Value, key: &str| of[key].as_f64();
    let pits = [before, after].map(|of| number(of, "pit_fraction").unwrap());
    assert!(pits[1] <= pits[0], "{what}: pits {pits:?}");
    // Rivers of real ground have 0.3 to 0.54.
    let off =
        |of: &Value| number(of, "concavity").map_or(f64::INFINITY, |c| (0.3 - c).max(c - 0.54).max(0.0));
    assert!(off(after) <= off(before), "{what}: concavity off by {} and {}", off(before), off(after));
    let distance = [before, after].map(|of| number(of, "geomorphon_distance").unwrap());
    assert!(distance[1] <= distance[0], "{what}: landforms {distance:?}");
}

#[test]
fn the_page_has_these_recipes() {
    let headings: Vec<_> = PAGE.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let known = [
        "Erode my own heightmap",
        "Rivers",
        "Coarse to fine",
        "Rain where I paint it",
        "Hard and soft rock",
        "Stronger, weaker, different",
        "A film of the run",
        "Into other programs",
        // In run.rs, with the other commands of a running scene.
        "Play with the water while it runs",
    ];
    assert_eq!(headings, known, "each has a test here");
}

#[test]
fn my_own_heightmap_drains_like_real_ground() {
    let folder = followed("Erode my own heightmap", quick);
    drains_like_real_ground(&folder.json("out/my_heights/report.json"), "erode");
    drains_like_real_ground(&folder.json("out/my_terrain/report.json"), "by hand");
    for file in ["height.png", "maps/erosion.png", "inputs/scene.toml"] {
        assert!(folder.path(&format!("out/my_heights/{file}")).is_file(), "{file}");
    }
}

/// A river that reaches the open edge: most of the spring's water leaves there at the end, on a way that is wet throughout.
#[test]
fn a_river_reaches_the_edge() {
    let folder = followed("Rivers", quick);
    let report = folder.run_scene("river");
    let water = |key: &str| report["ledger"]["water"][key].as_f64().unwrap();
    let whole = [water("exported"), water("added")];
    // The last tenth of the time, by going on.
    let ran = folder.shell(&format!("\"$THALWEG\" run river.toml --resume --steps 5580{QUICK}"));
    assert_eq!(ran.code, 0, "{ran:?}");
    let later = folder.json("out/river/report.json");
    let water = |key: &str| later["ledger"]["water"][key].as_f64().unwrap();
    let (left, came) = (water("exported") - whole[0], water("added") - whole[1]);
    let seconds = later["simulated_s"].as_f64().unwrap() - report["simulated_s"].as_f64().unwrap();
    let sprung = 40.0 * seconds;
    assert!(left > 0.7 * sprung, "{left} m³ left while {sprung} m³ sprang and {came} m³ came in all");
    // From the spring down, through cells with at least 20 cm of water.
    let depth = folder.map("out/river/maps/water.exr");
    let cells = depth.cols();
    let mut reached = vec![false; depth.len()];
    let mut open = vec![(128_usize, 256 - 230_usize)];
    while let Some((col, row)) = open.pop() {
        for c in col.saturating_sub(1)..(col + 2).min(cells) {
            for r in row.saturating_sub(1)..(row + 2).min(cells) {
                if depth.at(c, r) > 0.2 && !std::mem::replace(&mut reached[r * cells + c], true) {
                    open.push((c, r));
                }
            }
        }
    }
    let south = reached[(cells - 1) * cells..].iter().any(|&reached| reached);
    assert!(
        south,
        "the river is {} cells long and does not reach the edge",
        reached.iter().filter(|&&r| r).count()
    );
}

#[test]
fn coarse_to_fine_drains_like_real_ground() {
    let folder = followed("Coarse to fine", quick);
    drains_like_real_ground(&folder.run_scene("coarse"), "coarse to fine");
}

/// Water works where rain is painted.
#[test]
fn painted_rain_erodes_where_it_is_painted() {
    let folder = followed("Rain where I paint it", quick);
    let report = folder.run_scene("painted");
    assert!(report["ledger"]["water"]["exported"].as_f64().unwrap() >= 0.0);
    let flow = folder.map("out/painted/maps/flow.exr");
    let mean = |inner: bool| {
        let within = |&(c, r): &(usize, usize)| {
            let away = |x: usize| (x as f64 - 127.5).abs();
            (away(c).hypot(away(r)) < 64.0) == inner
        };
        let cells: Vec<_> = (0..256 * 256).map(|i| (i % 256, i / 256)).filter(within).collect();
        cells.iter().map(|&(c, r)| f64::from(flow.at(c, r))).sum::<f64>() / cells.len() as f64
    };
    assert!(mean(true) > 2.0 * mean(false), "flow {} under the paint, {} beside it", mean(true), mean(false));
}

/// Soft rock gives way more than hard rock does, by what the same scene does without hardness.
#[test]
fn hard_rock_erodes_less() {
    let folder = followed("Hard and soft rock", quick);
    let hard = folder.run_scene("strata");
    let text = String::from_utf8(folder.read("strata.toml")).unwrap();
    let begin = text.find("[[terrain.hardness.layer]]").unwrap();
    let end = begin + text[begin..].find("[edges]").unwrap();
    folder.write("soft.toml", format!("{}{}", &text[..begin], &text[end..]));
    let soft = folder.run_scene("soft");
    let eroded = [&hard, &soft].map(|report| report["ledger"]["eroded"].as_f64().unwrap());
    assert!(eroded[0] < 0.9 * eroded[1], "{eroded:?} kg of hard and of soft rock");
    let pits = ["realism_before", "realism_after"].map(|key| hard[key]["pit_fraction"].as_f64().unwrap());
    assert!(pits[1] <= pits[0], "pits {pits:?}");
}

/// Rough ground that falls to an open edge, twenty minutes of rain.
const HILLS: &str = "version = 1\n[terrain]\nsize = [96, 96]\ncell = '10 m'\n[[terrain.layer]]\nkind = 'ramp'\ndirection = '0 deg'\n\
    grade = '10 %'\n[[terrain.layer]]\nkind = 'fbm'\nheight = '150 m'\nwavelength = '500 m'\n[edges]\nsouth = 'open'\n\
    [[rain]]\nrate = '60 mm/h'\n[time]\nsteps = 1000\nduration = '20 min'\n";

/// What a run did, in the numbers that the table of what to turn speaks of.
struct Done {
    report: Value,
    /// Share of the ground steeper than 45° `[-]`.
    cliffs: f64,
}

impl Done {
    fn solids(&self, key: &str) -> f64 {
        self.report["ledger"][key].as_f64().unwrap()
    }

    fn water(&self, key: &str) -> f64 {
        self.report["ledger"]["water"][key].as_f64().unwrap()
    }

    fn eroded(&self) -> f64 {
        self.solids("eroded")
    }

    /// Of what was eroded, the share that is still on its way.
    fn afloat(&self) -> f64 {
        self.solids("suspended") / self.eroded()
    }

    fn stands(&self) -> f64 {
        self.water("end")
    }

    fn left(&self) -> f64 {
        self.water("exported")
    }

    fn steep(&self) -> f64 {
        self.report["realism_after"]["steep_fraction"].as_f64().unwrap()
    }
}

impl Folder {
    /// Runs the hills with such changes.
    fn hills(&self, changes: &[&str]) -> Done {
        self.write("hills.toml", HILLS);
        let sets: String = changes.iter().map(|change| format!(" --set '{change}'")).collect();
        let ran = self.shell(&format!("\"$THALWEG\" run hills.toml --force{QUICK}{sets}"));
        assert_eq!(ran.code, 0, "{changes:?}: {ran:?}");
        let slopes = self.map("out/hills/maps/slope.exr");
        let steep = slopes.values().iter().filter(|&&slope| slope > 45_f32.to_radians()).count();
        Done { report: self.json("out/hills/report.json"), cliffs: steep as f64 / slopes.len() as f64 }
    }
}

/// What is wanted, what is turned for it, and a number of the run with the way it goes, 1 for up.
type Turn = (&'static str, &'static [&'static str], fn(&Done) -> f64, f64);

const TURNS: [Turn; 15] = [
    ("deeper, faster", &["solver.time_lapse=600"], Done::eroded, 1.0),
    ("muddier water", &["solver.capacity=1", "solver.max_load=0.6"], Done::eroded, 1.0),
    ("softer ground", &["solver.dissolve=0.1"], Done::eroded, 1.0),
    ("sediment that settles near", &["solver.deposit=0.5"], Done::afloat, -1.0),
    ("more water", &["rain.0.rate=120 mm/h"], Done::stands, 1.0),
    ("dry valleys, crisp gullies", &["solver.evaporation=0.001"], Done::stands, -1.0),
    ("erosion only in channels, untouched slopes", &["solver.ramp_depth=20"], Done::eroded, -1.0),
    ("erosion everywhere", &["solver.ramp_depth=0.5"], Done::eroded, 1.0),
    ("work on flat ground", &["solver.min_tilt=10 deg"], Done::eroded, 1.0),
    ("slower, broader water", &["solver.drag=1"], Done::left, -1.0),
    ("wild water", &["solver.drag=0.1"], Done::left, 1.0),
    ("gentler slopes", &["solver.repose=30 deg"], Done::steep, -1.0),
    ("cliffs", &["solver.repose=60 deg"], |done| done.cliffs, 1.0),
    ("cliffs", &["solver.talus=false"], |done| done.cliffs, 1.0),
    ("quicker slumping", &["solver.talus_rate=0.001"], |done| done.cliffs, 1.0),
];

/// Each row of the table does what it says, by at least half a hundredth.
#[test]
fn what_is_turned_does_what_the_table_says() {
    let folder = Folder::new();
    let plain = folder.hills(&[]);
    for (wanted, changes, number, way) in TURNS {
        assert!(PAGE.contains(&format!("| {wanted} |")), "no row {wanted:?}");
        let [before, after] = [&plain, &folder.hills(changes)].map(number);
        assert!(way * (after / before - 1.0) > 0.005, "{wanted}, {changes:?}: {before} becomes {after}");
    }
    // Both changed alike: the strength stays as it was.
    let alike = folder.hills(&["solver.ramp_depth=0.5", "solver.capacity=0.05", "solver.max_load=0.3"]);
    let ratio = alike.eroded() / plain.eroded();
    assert!((0.9..1.1).contains(&ratio), "{ratio} times as much");
    // The rows that are not about parameters of the default preset.
    let rows = PAGE.split("| I want | turn |").nth(1).unwrap().lines().skip(2);
    let rows = rows.take_while(|line| line.starts_with('|')).filter_map(|line| line.split('|').nth(1));
    let own = ["more erosion", "fewer grid-aligned channels", "the look of the papers"];
    for row in rows.map(str::trim) {
        assert!(own.contains(&row) || TURNS.iter().any(|turn| turn.0 == row), "{row:?} has no test");
    }
    let begun = folder.hills(&["time.steps=100"]);
    let ran = folder
        .shell(&format!("\"$THALWEG\" run hills.toml --resume --steps 200 --set time.steps=100{QUICK}"));
    assert_eq!(ran.code, 0, "{ran:?}");
    let longer = folder.json("out/hills/report.json")["ledger"]["eroded"].as_f64().unwrap();
    assert!(longer > begun.eroded(), "{longer} after {}", begun.eroded());
    for preset in ["mei-2007", "schmidberger-2024"] {
        folder.hills(&[&format!("solver.preset={preset}")]);
    }
}

/// Films of short runs: what is promised are the files.
#[test]
fn films_are_made() {
    let short = |command: &str| {
        let seconds =
            if command.contains("--video") { command.replace("10s", "0.4s") } else { command.into() };
        let steps = if seconds.contains("--steps") { "" } else { " --steps 40" };
        let force = " --force -q --set picture.size='[64, 48]' --set picture.renderer=cpu";
        format!("{seconds}{steps}{force}")
    };
    let folder = followed("A film of the run", short);
    for run in ["dam-break-2d", "dam-break"] {
        assert!(
            folder.path(&format!("out/{run}/frames/frame_000000.png")).is_file(),
            "{run}: {:?}",
            folder.files()
        );
    }
}

/// Conversions of a small run that stands for the demo.
#[test]
fn heights_go_into_other_programs() {
    let folder = Folder::with_scene();
    folder.ok(&["run", "small.toml", "-q", "-o", "out/demo", "--set", "terrain.size=[48, 48]"]);
    for (kind, text) in section("Into other programs") {
        assert_eq!(kind, "sh");
        for line in text.lines().filter(|line| line.starts_with("thalweg ")) {
            let command = line.split('#').next().unwrap().trim().replacen("thalweg", "\"$THALWEG\"", 1);
            let ran = folder.shell(&command);
            assert_eq!(ran.code, 0, "{line}: {ran:?}");
        }
    }
    let info = folder.ok(&["info", "demo.png", "--json"]).json();
    assert_eq!(info["statistics"]["cols"], 1009);
    assert_eq!(folder.json("demo_unity.thalweg.json")["cols"], 1025);
    assert!(folder.path("demo.tif").is_file());
}
