//! What scene files say, and what is said about wrong ones.

use super::*;

pub(super) fn mistakes(text: &str, changes: &[&str]) -> Vec<String> {
    let changes: Vec<_> = changes.iter().map(ToString::to_string).collect();
    match parse(text, "a.toml", &changes) {
        Err(ProjectError::Wrong(mistakes)) => mistakes.iter().map(Mistake::to_string).collect(),
        other => panic!("no mistake was found in {text:?} {changes:?}: {other:?}"),
    }
}

/// The only mistake begins with this place and says all of these.
pub(super) fn says(text: &str, place: &str, words: &[&str]) {
    let found = mistakes(text, &[]);
    assert_eq!(found.len(), 1, "{text:?} gave {found:#?}");
    assert!(
        found[0].starts_with(&format!("a.toml:{place}: ")),
        "{text:?} should be wrong at {place}: {found:?}"
    );
    for word in words {
        assert!(found[0].contains(word), "{text:?} should say {word:?}: {found:?}");
    }
}

#[test]
fn a_misspelt_key_is_told_with_its_place_and_the_right_one_in_every_section() {
    for (text, line, column, near) in [
        ("[terain]", 2, 2, "terrain"),
        ("[terrain]\nsice = [3, 3]", 3, 1, "size"),
        ("[terrain.island]\nshoer = 3", 3, 1, "shore"),
        ("[[terrain.layer]]\nkind = 'fbm'\noctave = 3", 4, 1, "octaves"),
        (
            "[[terrain.layer]]\nkind = 'bump'\nmask = { kind = 'radial', radius = 3, fadee = 2 }",
            4,
            39,
            "fade",
        ),
        ("[terrain.hardness]\nfiel = 'a.png'", 3, 1, "file"),
        ("[solver]\nevaporatoin = 3", 3, 1, "evaporation"),
        ("[solver]\npre_set = 'mei-2007'", 3, 1, "preset"),
        ("[edges]\nnort = 'open'", 3, 1, "north"),
        ("[time]\nstep = 3", 3, 1, "steps"),
        ("[[time.coarse]]\nsteps = 3\nfaktor = 2", 4, 1, "factor"),
        ("[output]\nmap = true", 3, 1, "maps"),
        ("[[water]]\nlevle = 3", 3, 1, "level"),
        ("[[rain]]\nrate = 0\n[[rain]]\nrait = 0", 5, 1, "rate"),
        ("[[rain]]\ndrops = { per_second = 1, depth = 1, raduis = 2 }", 3, 38, "radius"),
        ("[[source]]\nat = [0, 0]\nraet = 1", 4, 1, "rate"),
        ("[camera]\nyow = 3", 3, 1, "yaw"),
        ("[camera]\nkind = 'path'\n[[camera.key]]\ntime = 0\npich = 1", 6, 1, "pitch"),
        ("[picture]\nhase = 0", 3, 1, "haze"),
        ("[picture.water]\nriples = 0", 3, 1, "ripples"),
        ("[picture.particles]\ncolor = 'speed'", 3, 1, "colour"),
        ("[picture]\noverlay = { field = 'flow', color = 'blues' }", 3, 29, "colours"),
        ("  [[drain]]\n  at = [0, 0]\n  rate = 1\n  begin = 3\n  strat = 1", 6, 3, "start"),
    ] {
        let text = format!("version = 1\n{text}");
        let found = mistakes(&text, &[]);
        let place = format!("a.toml:{line}:{column}: unknown field ");
        let near = format!("did you mean `{near}`?");
        assert!(found.iter().any(|m| m.starts_with(&place) && m.ends_with(&near)), "{text}\ngave {found:#?}");
    }
}

#[test]
fn a_value_of_the_wrong_type_or_unit_is_told_with_its_place() {
    says("version = 1\ntitle = 3", "2:9", &["title", "string"]);
    says("version = 1\n[time]\nsteps = -4", "3:9", &["time.steps", "-4"]);
    says("version = 1\n[time]\nduration = '3 m'", "3:12", &["unit \"m\"", "min"]);
    says("version = 1\n[solver]\ndrag = 'much'", "3:8", &["solver.drag", "number"]);
    says("version = 1\n[solver]\nrepose = '3 mm/h'", "3:10", &["solver.repose", "deg"]);
    says("version = 1\n[solver]\npreset = 'mei'", "3:10", &["`mei-2007`"]);
    says("version = 1\n[solver]\npreset = 'mei_2007'", "3:10", &["did you mean `mei-2007`?"]);
    says("version = 1\n[solver]\nkind = 'pips'", "3:8", &["did you mean `pipes`?"]);
    says("version = 1\n[[terrain.layer]]\nkind = 'fmb'", "3:8", &["did you mean `fbm`?"]);
    says("version = 1\n[[terrain.layer]]\nkind = 'fbm'\nheight = true", "4:10", &["layer[0].height"]);
    says("version = 1\n[[source]]\nrate = 1\nat = [1, '2 h']", "4:10", &["source[0].at[1]", "km"]);
    says("version = 1\n[[source]]\nrate = 1\nat = [1]", "4:6", &["source[0].at", "[east, north]"]);
    says("version = 1\n[[source]]\nrate = 1", "2:1", &["source[0]", "missing field `at`"]);
    says("version = 1\n[edges]\neast = { level = '3 kg' }", "3:18", &["edges.east", "km"]);
    says("version = 1\n[camera]\nyaw = '3 m'", "3:7", &["camera.yaw", "deg"]);
    says("version = 1\n[camera]\nkind = 'fly'\nposition = [1, 2]", "4:12", &["camera.position", "length 3"]);
    says("version = 1\n[camera]\ntarget = [1, '2 kg', 3]", "3:14", &["camera.target[1]", "km"]);
    says("version = 1\n[camera]\nkind = 'orbits'", "3:8", &["did you mean `orbit`?"]);
    says("version = 1\n[camera]\nkind = 'path'\n[[camera.key]]\nyaw = 1", "4:1", &["missing field `time`"]);
    says("version = 1\n[picture]\nrenderer = 'cup'", "3:12", &["did you mean `cpu`?"]);
    says("version = 1\n[picture]\nsize = 300", "3:8", &["picture.size"]);
    says("version = 1\n[picture]\noverlay = 3", "3:11", &["picture.overlay", "name of a quantity"]);
    says(
        "version = 1\n[picture]\noverlay = { field = 'flow', colours = 'blue' }",
        "3:39",
        &["did you mean `blues`?"],
    );
    says("version = 1\nrain = 3", "2:8", &["rain", "sequence"]);
    says("version = 1\n[terrain]\ncell = inf", "3:8", &["finite"]);
    says("", "1:1", &["begin the file with version = 1"]);
    says("version = 1\nversion = 1", "2:1", &["duplicate key"]);
}

#[test]
fn a_value_that_makes_no_sense_is_told_with_its_place() {
    says("version = 7", "1:11", &["reads version 1"]);
    says("version = 1\n[[rain]]\nrate = '-3 mm/h'", "3:8", &["cannot be negative", "0 for a dry run"]);
    says(
        "version = 1\n[[rain]]\nrate = 1\ndrops = { per_second = 1, depth = 1, radius = 1 }",
        "2:1",
        &["exactly one"],
    );
    says("version = 1\n[[rain]]\nstart = 1", "2:1", &["exactly one"]);
    says("version = 1\n[[rain]]\ndrops = { per_second = 1e12, depth = 1, radius = 1 }", "3:24", &["rate"]);
    says("version = 1\n[[rain]]\nrate = 0\nstart = '2 h'\nstop = '1 h'", "5:8", &["after start"]);
    says("version = 1\n[[source]]\nat = [0, 0]\nrate = -1", "4:8", &["[[drain]]"]);
    says("version = 1\n[[drain]]\nat = [0, 0]\nrate = -1", "4:8", &["[[source]]"]);
    says("version = 1\n[[water]]\nlevel = 1\ndepth = 1", "2:1", &["exactly one"]);
    says("version = 1\n[[water]]\ndepth = -1", "3:9", &["water[0].depth is -1 m", "between 0 and 1e6 m"]);
    says("version = 1\n[[water]]\ndepth = 1\nfrom = [3, 3]\nto = [2, 4]", "5:6", &["north-east"]);
    says("version = 1\n[terrain]\nsize = [0, 9]", "3:8", &["between 1 and"]);
    says("version = 1\n[terrain]\nsize = [1, 99999]", "3:8", &["65536"]);
    says("version = 1\n[terrain]\ncell = '0 m'", "3:8", &["side of a cell"]);
    says("version = 1\n[terrain]\ncell = 1e300", "3:8", &["side of a cell"]);
    says("version = 1\n[terrain]\nheight_range = ['3 m', '2 m']", "3:16", &["larger"]);
    says("version = 1\n[terrain]\nfile = 'a.png'\n[[terrain.layer]]\nkind = 'fbm'", "4:1", &["not both"]);
    says("version = 1\n[terrain]\nfile = ''", "3:8", &["terrain.file is empty"]);
    says("version = 1\n[terrain.hardness]", "2:1", &["exactly one"]);
    says("version = 1\n[[terrain.layer]]\nkind = 'fbm'\nwavelength = -1", "4:14", &["layer[0].wavelength"]);
    says("version = 1\n[solver]\nneighbours = 6", "3:14", &["4 or 8"]);
    says("version = 1\n[time]\nduration = 0", "3:12", &["time.duration is 0 s", "between 1e-9 and 1e15 s"]);
    says("version = 1\n[[time.coarse]]\nfactor = 1\nsteps = 3", "3:10", &["above 1"]);
    says("version = 1\n[[time.coarse]]\nsteps = 3", "2:1", &["exactly one of factor and cell"]);
    says(
        "version = 1\n[[time.coarse]]\nsteps = 3\nfactor = 2\ncell = 8",
        "2:1",
        &["exactly one of factor and cell"],
    );
    says(
        "version = 1\n[[time.coarse]]\ncell = '8 m'\nsteps = 3\n[[time.coarse]]\ncell = '9 m'\nsteps = 3",
        "3:8",
        &["cell is 8 m", "above 9 m"],
    );
    says(
        "version = 1\n[[time.coarse]]\ncell = '8 m'\nsteps = 3\n[[time.coarse]]\nfactor = 2\nsteps = 3",
        "5:1",
        &["all passes a factor, or all a cell"],
    );
    says(
        "version = 1\n[[time.coarse]]\nfactor = 2\nsteps = 3\n[[time.coarse]]\nfactor = 4\nsteps = 3",
        "3:10",
        &["above 4"],
    );
    says("version = 1\n[edges]\neast = { level = 1e30 }", "3:18", &["edges.east.level", "-1e6 and 1e6 m"]);
    says("version = 1\n[camera]\npitch = '100 deg'", "3:9", &["camera.pitch is 100.0 deg", "-90 and 90"]);
    says("version = 1\n[camera]\nfov = 0", "3:7", &["camera.fov", "0 and 180"]);
    says("version = 1\n[camera]\ndistance = -3", "3:12", &["camera.distance is -3", "above 0"]);
    says("version = 1\n[camera]\nkind = 'fly'", "2:1", &["position = [east, north, up]"]);
    says("version = 1\n[camera]\nposition = [1, 2, 3]", "3:12", &["no meaning", "kind = \"fly\""]);
    says("version = 1\n[camera]\nkind = 'top'\ndistance = 3", "4:12", &["kind = \"orbit\""]);
    says("version = 1\n[camera]\nturns = 3", "3:9", &["kind = \"turntable\""]);
    says("version = 1\n[camera]\nkind = 'turntable'\nduration = 0", "4:12", &["camera.duration", "above 0"]);
    says("version = 1\n[camera]\nkind = 'path'", "2:1", &["2 or more"]);
    says(
        "version = 1\n[camera]\nkind = 'path'\nkey = [{ time = 2 }, { time = 1 }]",
        "4:31",
        &["must increase"],
    );
    says(
        "version = 1\n[camera]\nkind = 'path'\nkey = [{ time = 0, pitch = 9 }, { time = 1 }]",
        "4:28",
        &["camera.key[0].pitch"],
    );
    says("version = 1\n[picture]\nsize = [0, 9]", "3:8", &["between 1 and 16384"]);
    says("version = 1\n[picture]\nfps = 0", "3:7", &["picture.fps"]);
    says("version = 1\n[picture]\nhaze = -1", "3:8", &["picture.haze is -1", "negative"]);
    says("version = 1\n[picture]\nexaggeration = 0", "3:16", &["picture.exaggeration is 0", "above 0"]);
    says("version = 1\n[picture]\nsun_elevation = '-3 deg'", "3:17", &["-3.0 deg", "at most 90 deg"]);
    says("version = 1\n[picture]\nsupersampling = 9", "3:17", &["1 to 4"]);
    says("version = 1\n[picture.water]\nclear_depth = 0", "3:15", &["picture.water.clear_depth is 0"]);
    says("version = 1\n[picture.water]\nfoam = -1", "3:8", &["picture.water.foam is -1"]);
    says("version = 1\n[picture]\noverlay = 'flwo'", "3:11", &["picture.overlay is \"flwo\"", "`flow`?"]);
    says(
        "version = 1\n[picture]\noverlay = { field = 'flow', range = [2, 1] }",
        "3:37",
        &["picture.overlay.range is 2 to 1"],
    );
    says("version = 1\n[picture]\noverlay = { field = 'flow', opacity = 2 }", "3:39", &["opacity is 2"]);
    says("version = 1\n[picture]\nsnow = 'deep'", "3:8", &["\"deep\"", "\"off\"", "\"2400 m\""]);
    says(
        "version = 1\n[picture]\nsnow = '1e7 km'",
        "3:8",
        &["picture.snow is 1e10 m", "between -1e6 and 1e6 m"],
    );
}

#[test]
fn films_and_frames_that_make_no_sense_are_told() {
    let output = |keys: &str| format!("version = 1\n[output]\n{keys}");
    says(&output("frames_every = -5"), "3:16", &["-5", "number of steps", "0.04 s"]);
    says(&output("frames_every = 0.5"), "3:16", &["0.5", "number of steps", "0.04 s"]);
    says(&output("frames_every = 'often'"), "3:16", &["\"often\"", "0.04 s"]);
    says(&output("frames_every = '0.5'"), "3:16", &["\"0.5\"", "0.04 s"]);
    says(&output("frames_every = '0 s'"), "3:16", &["output.frames_every is 0 s", "between 1e-6 and 1e12 s"]);
    says(&output("frames_every = '1e-9 s'"), "3:16", &["1e-9 s", "between 1e-6 and 1e12 s"]);
    says(&output("video = '3 m'"), "3:9", &["unit \"m\"", "min"]);
    says(
        &output("video = '10 ms'"),
        "3:9",
        &["output.video is 0.01 s, 0 frames at 25", "between 2 and 100000"],
    );
    says(&output("video = '2 d'"), "3:9", &["output.video is 172800 s", "between 2 and 100000"]);
    says(&output("video = '2 s'\nframes_every = 3"), "3:9", &["video", "frames_every", "one of them"]);
    for (text, expected) in [
        ("200", Every::Steps(200)),
        (" 7 ", Every::Steps(7)),
        ("0.04s", Every::Time(0.04)),
        ("2 min", Every::Time(120.0)),
    ] {
        assert_eq!(text.parse(), Ok(expected));
    }
}

#[test]
fn all_mistakes_are_told_in_the_order_of_the_file() {
    let form =
        "version = 1\ntite = 'x'\n[terrain]\ncell = '1 kg'\n[[source]]\nat = [0]\n[time]\nsteps = 'all'";
    let places = |found: Vec<String>| -> Vec<String> {
        found.iter().map(|mistake| mistake.split(": ").next().unwrap().to_owned()).collect()
    };
    let found = places(mistakes(form, &[]));
    // The source lacks its rate as well, but what is left of it is not judged.
    assert_eq!(found, ["a.toml:2:1", "a.toml:4:8", "a.toml:6:6", "a.toml:8:9"]);
    let sense = "version = 1\n[time]\nduration = -1\n[[rain]]\nrate = -1\n[terrain]\ncell = -1";
    let found = places(mistakes(sense, &["seed=3", "solver.drag=-1"]));
    assert_eq!(found, ["a.toml:3:12", "a.toml:5:8", "a.toml:7:8", "--set solver.drag=-1"]);
    let syntax = "version = 1\nfoo = = 3\nbar = [1,\n";
    let found = mistakes(syntax, &[]);
    assert!(!found.is_empty() && found[0].starts_with("a.toml:2:"), "{found:?}");
    let noise: String = (0..5000).map(|i| char::from(33 + (i * 7919 % 94) as u8)).collect();
    assert!(mistakes(&noise, &[]).len() <= 21);
}

#[test]
fn changes_reach_every_kind_of_place() {
    let text = "version = 1\n[[rain]]\nrate = 0\n[[rain]]\nrate = 0";
    let with = |changes: &[&str]| {
        let changes: Vec<_> = changes.iter().map(ToString::to_string).collect();
        parse(text, "a.toml", &changes).unwrap()
    };
    let rate = with(&["rain.1.rate=36 mm/h"]).rain[1].rate.unwrap();
    assert!((rate - 1.0e-5).abs() < 1.0e-15, "rain is {rate} m/s");
    assert_eq!(with(&["rain[0].rate = 2"]).rain[0].rate, Some(2.0));
    assert_eq!(with(&["terrain.size=[40, 30]"]).terrain.size, Some([40, 30]));
    assert_eq!(with(&["title=mud and water"]).title, "mud and water");
    assert_eq!(with(&["title=\"3\""]).title, "3");
    assert_eq!(with(&["solver.preset=mei-2007"]).solver.first().preset(), "mei-2007");
    assert_eq!(with(&["edges.east={ level = '3 km' }"]).edges.east, thalweg_field::Edge::Level(3000.0));
    // One change may need the next.
    let scene = with(&[
        "source.0.at=[1, 2]",
        "source.0.rate=3",
        "rain.2.rate=7",
        "time.coarse.0.factor=2",
        "time.coarse.0.steps=1",
    ]);
    assert_eq!((scene.sources[0].rate, scene.rain[2].rate, scene.time.coarse.len()), (3.0, Some(7.0), 1));
}

#[test]
fn a_wrong_change_is_blamed_on_itself() {
    let text = "version = 1\n[[rain]]\nrate = 0";
    for (change, words) in [
        ("rane.0.rate=3", "did you mean `rain`?"),
        ("time.step=3", "did you mean `steps`?"),
        ("rain.0.rate=-1", "cannot be negative"),
        (
            "rain.5.rate=3",
            "rain is a list of 1, counted from 0, and \"5\" is none of them nor the next; write rain.0.KEY",
        ),
        ("rain.first.rate=3", "write rain.0.KEY"),
        ("rain.0.rate.unit=3", "single value"),
        ("time.steps=many", "invalid type"),
        ("solver.preset=mei_2007", "did you mean `mei-2007`?"),
        ("rain.rate=3", "write rain.0.rate"),
        ("time.steps", "KEY=VALUE"),
        ("=3", "missing"),
        ("time..steps=3", "missing"),
        ("source.0.rate=3", "missing field `at`"),
    ] {
        let found = mistakes(text, &[change]);
        assert!(found.len() == 1 && found[0].starts_with(&format!("--set {change}: ")), "{found:?}");
        assert!(found[0].contains(words), "{found:?} should say {words:?}");
    }
    // What was wrong in the file stays the file's, and a change can put it right.
    let text = "version = 1\n[[rain]]\nrate = -1";
    assert!(mistakes(text, &["seed=3"])[0].starts_with("a.toml:3:8: "));
    assert!(parse(text, "a.toml", &["rain.0.rate=1".into()]).is_ok());
}

/// Everything that the scene file has, in people's units.
const WHOLE: &str = r#"
    version = 1
    title = "everything"
    seed = 7
    [terrain]
    size = [40, 30]
    cell = "5 m"
    [[terrain.layer]]
    kind = "fbm"
    height = "0.1 km"
    wavelength = "80 m"
    warp = { amplitude = "5 m", wavelength = "30 m" }
    [[terrain.layer]]
    kind = "bump"
    height = "10 m"
    radius = "20 m"
    blend = "max"
    weight = "50 %"
    mask = { kind = "radial", radius = "50 m", fade = "10 m" }
    [terrain.island]
    shore = "20 m"
    [[terrain.hardness.layer]]
    kind = "plane"
    offset = 0.3
    [solver]
    kind = "pipes"
    preset = "thalweg"
    backend = "auto"
    repose = "40 deg"
    evaporation = "1 1/h"
    [edges]
    north = "open"
    east = { level = "2 m" }
    [[water]]
    level = "12 m"
    from = ["0 m", "0 m"]
    to = ["0.1 km", "50 m"]
    [[water]]
    depth = "10 cm"
    [[rain]]
    rate = "60 mm/h"
    start = "1 min"
    stop = "1 h"
    [[rain]]
    drops = { per_second = "3 1/s", depth = "1 cm", radius = "5 m" }
    [[source]]
    at = ["50 m", "50 m"]
    rate = "200 l/s"
    radius = "10 m"
    [[drain]]
    at = [10, 10]
    rate = 0.1
    [time]
    steps = 40
    duration = "1 d"
    [[time.coarse]]
    factor = 2
    steps = 16
    detail = 0.25
    [output]
    maps = true
    pictures = false
    checkpoint_every = 10
    frames_every = "0.5 s"
    [camera]
    kind = "path"
    [[camera.key]]
    time = 0
    yaw = "30 deg"
    target = ["10 m", "20 m", 5]
    [[camera.key]]
    time = "3 s"
    kind = "fly"
    position = [0, 0, "0.1 km"]
    pitch = "10 deg"
    fov = "40 deg"
    [picture]
    size = [320, 180]
    renderer = "cpu"
    light = "phong"
    title = "all of it"
    sun_azimuth = "200 deg"
    exaggeration = 1.5
    sky = false
    grid = true
    north_arrow = false
    haze = "20 %"
    fps = 30
    snow = "2.4 km"
    overlay = { field = "flow", colours = "viridis", scale = "log", range = [1e-3, 10], opacity = "50 %" }
    [picture.water]
    clear_depth = "4 m"
    caustics = false
    [picture.particles]
    shape = "surface"
    colour = "speed"
"#;

#[test]
fn every_section_survives_a_round_trip() {
    let scene = parse(WHOLE, "whole", &[]).unwrap();
    assert_eq!(scene.terrain.cell, Some(5.0));
    assert_eq!(scene.rain[0].stop, Some(3600.0));
    assert_eq!(scene.sources[0].rate, 0.2);
    assert_eq!(scene.output.frames_every, Every::Time(0.5));
    assert_eq!(scene.picture.snow, SnowChoice::Above(2400.0));
    let look = scene.picture.look();
    assert_eq!((look.relief.water_deep, look.haze, look.sky, look.grid), (4.0, 0.2, false, true));
    let overlay = look.overlay.unwrap();
    assert_eq!((overlay.opacity, overlay.style.range), (0.5, Some([1.0e-3, 10.0])));
    assert_eq!(scene.camera.shot().duration(), 3.0);
    let again = parse(&toml::to_string_pretty(&scene).unwrap(), "again", &[]).unwrap();
    assert_eq!(again, scene);
}

#[test]
fn what_the_program_chooses_is_filled_in() {
    let scene = parse("version = 1", "a.toml", &[]).unwrap();
    assert_eq!((scene.terrain.size, scene.terrain.cell), (Some(Terrain::SIZE), Some(Terrain::CELL)));
    assert!(!scene.terrain.layers.is_empty());
    let again = parse(&toml::to_string_pretty(&scene).unwrap(), "again", &[]).unwrap();
    assert_eq!(again, scene);
}

/// What the scene file calls default is what the renderer calls default.
#[test]
fn a_scene_that_says_nothing_of_pictures_takes_the_usual_ones() {
    use thalweg_render::{Camera, Look, Orbit, Shot};
    let scene = parse("version = 1", "a.toml", &[]).unwrap();
    assert_eq!(scene.picture.look(), Look::default());
    let Shot::Still(Camera::Orbit(orbit)) = scene.camera.shot() else { panic!("{:?}", scene.camera) };
    assert_eq!(orbit, Orbit::default());
    let turning = parse("version = 1\n[camera]\nkind = 'turntable'", "a.toml", &[]).unwrap();
    assert_eq!((turning.camera.duration, turning.camera.turns), (Some(CameraTable::DURATION), Some(1.0)));
}

#[test]
fn cameras_and_pictures_are_changed_like_everything_else() {
    let with = |changes: &[&str]| {
        let changes: Vec<_> = changes.iter().map(ToString::to_string).collect();
        parse("version = 1", "a.toml", &changes).unwrap()
    };
    let yaw = with(&["camera.yaw=30deg"]).camera.yaw;
    assert!((yaw - 30_f64.to_radians()).abs() < 1.0e-12, "{yaw} rad");
    assert_eq!(with(&["picture.overlay=flow"]).picture.overlay, Some(OverlayTable::named("flow")));
    assert!(!with(&["picture.water.caustics=false"]).picture.water.caustics);
    let path = with(&["camera.kind=path", "camera.key.0.time=0", "camera.key.1.time=2 min"]);
    assert_eq!(path.camera.shot().duration(), 120.0);
    let found = mistakes("version = 1", &["camera.pitch=100deg"]);
    assert!(found[0].starts_with("--set camera.pitch=100deg: camera.pitch is 100.0 deg"), "{found:?}");
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_do_no_harm() {
    let scene = parse("\u{feff}version = 1\r\n[time]\r\nsteps = 5\r\n", "a.toml", &[]).unwrap();
    assert_eq!(scene.time.steps, 5);
    says("version = 1\r\n[time]\r\nstep = 5\r\n", "3:1", &["steps"]);
}

#[test]
fn only_like_names_are_suggested() {
    assert_eq!(nearest("rait", ["rate", "start"]), Some("rate"));
    assert_eq!(nearest("xyzzy", ["rate", "start"]), None);
    assert_eq!(nearest("anything", []), None);
}

/// A scene needs no file: programs make its text, and its files are where they say.
#[test]
fn a_scene_from_text_is_one_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let text = "version = 1\n[terrain]\nsize = [20, 10]\n[time]\nsteps = 3\n";
    let changes = ["time.steps=7".to_owned()];
    let project = Project::from_text(text, "made", folder.path(), &changes).unwrap();
    assert_eq!((project.name.as_str(), project.folder.as_path()), ("made", folder.path()));
    assert_eq!(project.scene.time.steps, 7, "the change is carried out");
    assert_eq!((project.file(), project.text()), (None, text));
    assert_eq!(project.place_of("terrain.size"), "made:3:8");
    assert_eq!(project.place_of("time.steps"), "--set time.steps=7");
    let wrong = Project::from_text("version = 1\nsead = 3", "made", folder.path(), &[]).unwrap_err();
    assert!(wrong.to_string().starts_with("made:2:1: unknown field `sead`"), "{wrong}");
}

/// Every number of a scene, with its path.
fn numbers(value: &toml::Value, path: &str, all: &mut Vec<(String, bool)>) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                numbers(value, &if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, all);
            }
        }
        toml::Value::Array(array) => {
            for (i, value) in array.iter().enumerate() {
                numbers(value, &format!("{path}.{i}"), all);
            }
        }
        toml::Value::Float(_) => all.push((path.into(), false)),
        toml::Value::Integer(_) => all.push((path.into(), true)),
        _ => {}
    }
}

/// Whoever adds a key states what it may be: beyond that it is refused by its name, and nothing runs.
#[test]
fn every_number_has_a_range_and_is_refused_beyond_it_by_its_key() {
    let plain = WHOLE.replace("kind = \"path\"", "kind = \"orbit\"").replace("[[camera.key]]", "[[ignored]]");
    let orbit = &plain[..plain.find("[[ignored]]").unwrap()];
    let orbit = format!("{orbit}distance = 30\ntarget = [1, 2, 3]\n");
    let turning = "version = 1\n[camera]\nkind = 'turntable'\nduration = 3\nturns = 2\n[[rain]]\nrate = 0\nstop = 3\n[solver]\ndt = 0.1\nheight_unit = 2";
    for text in [WHOLE, &orbit, turning, sph_tests::WHOLE] {
        let scene = parse(text, "whole", &[]).unwrap();
        let table = toml::Value::try_from(&scene).unwrap();
        let mut all = Vec::new();
        numbers(&table, "", &mut all);
        assert!(all.len() > 20, "{all:?}");
        let text = toml::to_string(&scene).unwrap();
        let mut unnamed = Vec::new();
        for (path, whole) in all {
            // Any number is a seed.
            if path == "seed" {
                continue;
            }
            // The largest that the key's type can hold.
            let most = ["9223372036854775807", "4294967295", "255"];
            let refused = |wrong: &str| {
                let found = parse(&text, "whole", &[format!("{path}={wrong}")]);
                found.err().map_or_else(|| "nothing: it is taken".into(), |error| error.to_string())
            };
            let holds = |wrong: &&&str| !refused(wrong).contains("invalid value");
            let largest = most.iter().find(holds).unwrap_or(&"255");
            for wrong in if whole { [*largest; 2] } else { ["1e300", "-1e300"] } {
                let found = refused(wrong);
                // The section of a place or of a list is named as a whole.
                let parts: Vec<_> = path.split('.').filter(|part| part.parse::<usize>().is_err()).collect();
                let key = if parts[0] == "edges" { parts[1] } else { parts[parts.len() - 1] };
                let named = found.split(": ").nth(1).is_some_and(|said| said.contains(key));
                if !named {
                    unnamed.push(format!("{path}={wrong} is answered with {found}"));
                }
            }
        }
        assert!(unnamed.is_empty(), "{}", unnamed.join("\n"));
    }
}

/// It took the square of their number, twenty times over.
#[test]
fn ten_thousand_unknown_keys_are_looked_through_once_for_each_mistake() {
    let keys: String = (0..10_000).map(|i| format!("rate_{i} = {i}\n")).collect();
    for section in ["", "[terrain]\n", "[solver]\n", "[[rain]]\nrate = 1\n", "[picture]\n"] {
        let found = mistakes(&format!("version = 1\n{section}{keys}"), &[]);
        assert!((1..=21).contains(&found.len()), "{} mistakes", found.len());
        assert!(found[0].contains("unknown field `rate_"), "{}", found[0]);
    }
    let found = mistakes(&format!("version = 1\n{} = 1", "k".repeat(1 << 20)), &[]);
    assert!(
        found.len() == 1 && found[0].len() < 1000 && found[0].contains("k…`"),
        "{} bytes",
        found[0].len()
    );
}
