//! Broken, strange and hostile input: a clear message, the documented exit code, nothing half-written.

use crate::common::{self, Folder, SMALL};
use thalweg::field::{Frame, Grid2, Heightfield};
use thalweg::io::{WriteOptions, write_heightfield};

const REST: &str = "\n[[rain]]\nrate = '50 mm/h'\n[time]\nsteps = 20\n[output]\npictures = false\n";

/// A scene on a heightmap.
fn on(file: &str, more: &str) -> String {
    format!("version = 1\n[terrain]\nfile = '{file}'\n{more}{REST}")
}

fn hills(cols: usize, rows: usize) -> Heightfield {
    let height = Grid2::from_fn(cols, rows, |c, r| 20.0 * (c as f32 * 0.7).sin() + 3.0 * (r as f32).cos());
    Heightfield { height, frame: Frame::with_cell(10.0) }
}

fn write(folder: &Folder, name: &str, ground: &Heightfield) {
    write_heightfield(&folder.path(name), ground, &WriteOptions::default()).unwrap();
}

/// An uncompressed grey PNG, with one more chunk before its pixels.
fn png(cols: u32, rows: u32, bits: u8, extra: Option<(&[u8; 4], &[u8])>) -> Vec<u8> {
    let crc = |bytes: &[u8]| {
        !bytes.iter().fold(!0_u32, |crc, &b| {
            (0..8).fold(crc ^ u32::from(b), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
        })
    };
    let chunk = |kind: &[u8; 4], data: &[u8]| {
        let body = [kind, data].concat();
        [&(data.len() as u32).to_be_bytes()[..], &body, &crc(&body).to_be_bytes()].concat()
    };
    let header = [&cols.to_be_bytes()[..], &rows.to_be_bytes(), &[bits, 0, 0, 0, 0]].concat();
    let line: Vec<u8> =
        std::iter::once(0).chain((0..cols * u32::from(bits) / 8).map(|i| (i * 37) as u8)).collect();
    let pixels = line.repeat(rows.min(256) as usize);
    let (a, b) = pixels.iter().fold((1_u32, 0_u32), |(a, b), &v| {
        let a = (a + u32::from(v)) % 65_521;
        (a, (b + a) % 65_521)
    });
    let mut zlib = vec![0x78, 0x01];
    let mut blocks = pixels.chunks(65_535).peekable();
    while let Some(block) = blocks.next() {
        let length = block.len() as u16;
        zlib.push(u8::from(blocks.peek().is_none()));
        zlib.extend(length.to_le_bytes().into_iter().chain((!length).to_le_bytes()));
        zlib.extend(block);
    }
    zlib.extend(((b << 16) | a).to_be_bytes());
    let extra = extra.map_or(Vec::new(), |(kind, data)| chunk(kind, data));
    [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(b"IHDR", &header),
        extra,
        chunk(b"IDAT", &zlib),
        chunk(b"IEND", &[]),
    ]
    .concat()
}

/// A float TIFF in degrees: 8 × 8 cells, uncompressed, with the three GeoTIFF tags.
fn degrees() -> Vec<u8> {
    let (entries, ifd) = (12_u16, 8_u32);
    let data = ifd + 2 + 12 * u32::from(entries) + 4;
    let (scale, tie, keys) = (data + 256, data + 256 + 24, data + 256 + 24 + 48);
    let mut bytes = b"II\x2a\0\x08\0\0\0".to_vec();
    bytes.extend(entries.to_le_bytes());
    for (tag, kind, count, value) in [
        (256_u16, 3_u16, 1_u32, 8_u32),
        (257, 3, 1, 8),
        (258, 3, 1, 32),
        (259, 3, 1, 1),
        (262, 3, 1, 1),
        (273, 4, 1, data),
        (277, 3, 1, 1),
        (278, 3, 1, 8),
        (279, 4, 1, 256),
        (339, 3, 1, 3),
        (33_550, 12, 3, scale),
        (33_922, 12, 6, tie),
    ] {
        bytes.extend(tag.to_le_bytes().into_iter().chain(kind.to_le_bytes()));
        bytes.extend(count.to_le_bytes().into_iter().chain(value.to_le_bytes()));
    }
    // The thirteenth entry takes the place of the end mark, which follows it.
    bytes[8] = 13;
    bytes.extend([0xaf, 0x87, 3, 0, 12, 0, 0, 0]); // GeoKeyDirectoryTag, 12 shorts
    bytes.extend((keys + 12).to_le_bytes());
    bytes.extend([0; 4]);
    // The extra entry pushed the data back by twelve bytes.
    for at in [8 + 2 + 5 * 12 + 8, 8 + 2 + 10 * 12 + 8, 8 + 2 + 11 * 12 + 8] {
        let offset = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) + 12;
        bytes[at..at + 4].copy_from_slice(&offset.to_le_bytes());
    }
    bytes.extend((0..64).flat_map(|i| (i as f32).to_le_bytes()));
    bytes.extend([2.8e-4_f64, 2.8e-4, 0.0].iter().flat_map(|v| v.to_le_bytes()));
    bytes.extend([0.0_f64, 0.0, 0.0, 7.5, 46.5, 0.0].iter().flat_map(|v| v.to_le_bytes()));
    // Version 1.1.0, two keys: the model is geographic, its system WGS 84.
    bytes.extend([1_u16, 1, 0, 2, 1024, 0, 1, 2, 2048, 0, 1, 4326].iter().flat_map(|v| v.to_le_bytes()));
    bytes
}

#[test]
fn heightmaps_that_cannot_be_used_are_refused_by_every_command() {
    let folder = Folder::new();
    write(&folder, "good.png", &hills(20, 20));
    write(&folder, "good.tif", &hills(20, 20));
    write(&folder, "good.exr", &hills(20, 20));
    for name in ["good.png", "good.tif", "good.exr"] {
        let whole = folder.read(name);
        folder.write(&name.replace("good", "cut"), &whole[..whole.len() * 2 / 3]);
        folder.write(&name.replace("good", "noise"), [&whole[..12], &[0xa5; 400][..]].concat());
    }
    folder.write("empty.png", "");
    folder.write("text.png", "this is not a picture");
    folder.write("huge.png", png(60_000, 60_000, 16, None));
    folder.write("zero.png", png(0, 0, 16, None));
    folder.write("degrees.tif", degrees());
    folder.write("odd.r16", [0; 7]);
    folder.write("a.txt", "heights");
    folder.write("folder.png/x", "");
    let mut nan = hills(20, 20);
    nan.height.values_mut().fill(f32::NAN);
    write(&folder, "nan.exr", &nan);
    for (file, words) in [
        ("cut.png", "broken PNG"),
        ("cut.tif", "broken TIFF"),
        ("cut.exr", "broken EXR"),
        ("noise.png", "broken PNG"),
        ("noise.tif", "broken TIFF"),
        ("noise.exr", "broken EXR"),
        ("empty.png", "broken PNG"),
        ("text.png", "does not begin like one"),
        ("huge.png", "60000"),
        ("zero.png", "PNG"),
        ("degrees.tif", "degrees"),
        ("odd.r16", "not a square"),
        ("a.txt", "PNG, TIFF, EXR"),
        ("folder.png", "folder"),
        ("nan.exr", "none of its 400 cells"),
        ("missing.png", "no such file"),
    ] {
        if file != "folder.png" {
            folder.fails(&["info", file, "--max-memory", "200"], 2, &[file, words]);
        }
        folder.fails(&["convert", file, "out.exr", "--max-memory", "200"], 2, &[file, words]);
        folder.write("scene.toml", on(file, ""));
        folder.fails(
            &["run", "scene.toml", "--out", "o", "--max-memory", "200"],
            2,
            &["scene.toml:3:8: ", file, words],
        );
        folder.fails(&["check", "scene.toml", "--max-memory", "200"], 2, &["scene.toml:3:8: ", file, words]);
        if file == "degrees.tif" {
            continue; // a mask is stretched over the terrain whatever its cells are
        }
        folder.write(
            "scene.toml",
            format!("version = 1\n[terrain]\nsize = [16, 16]\n[[rain]]\nrate = 0\nmask = '{file}'"),
        );
        folder.fails(&["check", "scene.toml", "--max-memory", "200"], 2, &["scene.toml:6:8: ", file, words]);
        assert!(
            !folder.path("o").exists() && !folder.path("out.exr").exists(),
            "{file} left something behind"
        );
    }
}

#[test]
fn strange_heightmaps_run_with_a_note() {
    let folder = Folder::new();
    folder.write("eight.png", png(40, 30, 8, None));
    folder.write("srgb.png", png(40, 30, 16, Some((b"sRGB", &[0]))));
    write(&folder, "wide.exr", &hills(70, 9));
    write(&folder, "one.exr", &hills(1, 1));
    write(&folder, "row.exr", &hills(33, 1));
    write(&folder, "column.exr", &hills(1, 33));
    write(&folder, "two.exr", &hills(2, 2));
    let mut holes = hills(30, 30);
    holes.height.values_mut()[100..140].fill(f32::NAN);
    holes.height.values_mut()[7] = f32::INFINITY;
    write(&folder, "holes.exr", &holes);
    folder.write("degrees.tif", degrees());
    for (file, more, note) in [
        ("eight.png", "height_range = ['0 m', '100 m']", "8-bit"),
        ("srgb.png", "height_range = [0, 100]\ncell = 10", "sRGB"),
        ("wide.exr", "", ""),
        ("wide.exr", "size = [20, 20]", ""),
        ("one.exr", "", ""),
        ("row.exr", "", ""),
        ("column.exr", "", ""),
        ("two.exr", "", ""),
        ("holes.exr", "", "41 of 900 cells"),
        ("degrees.tif", "cell = '30 m'", ""),
        ("degrees.tif", "utm = true", "laid out in metres in UTM zone 32N (EPSG:32632)"),
    ] {
        folder.write("scene.toml", on(file, more));
        let ran = folder.ok(&["run", "scene.toml", "--out", "o", "--force"]);
        assert!(ran.stderr.contains(note), "{file} should be noted with {note:?}: {ran:?}");
        assert!(note.is_empty() || ran.stderr.contains(&format!("note: {file}: ")), "{file}: {ran:?}");
        assert!(folder.ok(&["check", "scene.toml"]).stdout.contains(note));
        folder.ok(&["info", "o/height.exr"]);
        folder.ok(&["convert", "o/height.exr", "h.png"]);
    }
    for file in ["one.exr", "row.exr", "column.exr"] {
        folder.ok(&["info", file]);
        folder.ok(&["render", file, "-o", "p.png", "--size", "64"]);
        folder.ok(&["render", file, "-o", "p.png", "--size", "64", "--camera", "20,30"]);
    }
    // Pictures of the smallest terrain there is.
    folder.write("scene.toml", on("one.exr", "").replace("pictures = false", "frames_every = 10"));
    folder.ok(&["run", "scene.toml", "--out", "o", "-q", "--force"]);
}

#[test]
fn scenes_that_are_none_are_refused() {
    let folder = Folder::with_scene();
    let garbage: Vec<u8> = (0..4096_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    folder.write("garbage.toml", garbage);
    folder.write("empty.toml", "");
    folder.write("nested.toml", format!("version = 1\na = {}", "[".repeat(5000)));
    folder.write("long.toml", format!("version = 1\n# {}", "x".repeat(17 << 20)));
    folder.write("folder/readme", "");
    for command in ["run", "check", "info"] {
        folder.fails(&[command, "garbage.toml"], 2, &["garbage.toml:1: not UTF-8"]);
        folder.fails(
            &[command, "empty.toml"],
            2,
            &["empty.toml:1:1: missing field `version`", "version = 1"],
        );
        folder.fails(&[command, "nested.toml"], 2, &["nested.toml:2:"]);
        folder.fails(&[command, "long.toml"], 2, &["long.toml", "too many for a scene"]);
        folder.fails(&[command, "folder"], 2, &["folder", "without a scene.toml"]);
        folder.fails(&[command, "nothing.toml"], 2, &["nothing.toml", "no such file", "thalweg scenes"]);
        folder.fails(&[command, "montain"], 2, &["did you mean \"mountain\"?"]);
    }
    folder.write("picture.toml", png(8, 8, 8, None));
    for command in ["run", "check"] {
        folder.fails(&[command, "picture.toml"], 2, &["a heightmap", "--terrain picture.toml"]);
    }
    assert!(!folder.path("out").exists());
    folder.write("wrong.toml", format!("{SMALL}\ncolour = 'red'\n").replace("seed = 3", "sead = 3"));
    let ran = folder.fails(
        &["check", "wrong.toml"],
        2,
        &["wrong.toml:3:1: unknown field `sead`", "did you mean `seed`?"],
    );
    assert_eq!(ran.stderr.lines().count(), 2, "both mistakes are told: {ran:?}");
}

#[test]
fn what_does_not_fit_the_terrain_is_told_with_its_place() {
    let folder = Folder::with_scene();
    let out = |change: &str| SMALL.replace("[\"200 m\", \"300 m\"]", change);
    folder.write("far.toml", out("[\"200 km\", \"300 m\"]"));
    folder.fails(
        &["run", "far.toml"],
        2,
        &["far.toml:18:6: source[0].at is 200000 m east", "480 m by 400 m"],
    );
    folder.fails(
        &["run", "small.toml", "--set", "source.0.at=[-50, 10]"],
        2,
        &["--set source.0.at=[-50, 10]: ", "outside"],
    );
    // A spring that touches the terrain from outside will do.
    folder.ok(&["check", "small.toml", "--set", "source.0.at=[-10, 10]"]);
    folder.write("coarse.toml", SMALL.replace("factor = 2", "factor = 30"));
    folder.fails(
        &["check", "coarse.toml"],
        2,
        &["coarse.toml:29:10: time.coarse[0].factor is 30", "48 by 40"],
    );
    folder.write("two.toml", out("[\"200 km\", 3]").replace("factor = 2", "factor = 30"));
    let ran = folder.fails(&["check", "two.toml"], 2, &["two.toml:18:6: ", "two.toml:29:10: "]);
    assert_eq!(ran.stderr.lines().count(), 2, "{ran:?}");
    assert!(!folder.path("out").exists());
}

/// Sides that are no whole multiple of the coarse cells shift nothing off the terrain.
#[test]
fn odd_sizes_refine_too() {
    let folder = Folder::with_scene();
    let arguments = [
        "run",
        "small.toml",
        "-q",
        "--set",
        "terrain.size=[50, 19]",
        "--set",
        "time.coarse.0.factor=8",
        "--set",
        "source.0.at=[490, 188]",
        "--set",
        "source.0.radius=0",
    ];
    folder.ok(&arguments);
}

#[test]
fn memory_is_estimated_before_it_is_taken() {
    let folder = Folder::with_scene();
    let words = ["terrain.size=[60000, 60000]", "60000 by 60000 cells need about", "MiB", "--max-memory"];
    folder.fails(&["run", "small.toml", "--set", "terrain.size=[60000, 60000]"], 2, &words);
    folder.write("large.toml", SMALL.replace("[48, 40]", "[2000, 2000]"));
    folder.fails(
        &["run", "large.toml", "--max-memory", "10"],
        2,
        &["large.toml:6:8: 2000 by 2000", "only 10 MiB"],
    );
    folder.fails(&["render", "large.toml", "-o", "x.png", "--max-memory", "100"], 2, &["large.toml:6:8"]);
    write(&folder, "big.exr", &hills(600, 600));
    folder.write("file.toml", on("big.exr", ""));
    folder.fails(&["run", "file.toml", "--max-memory", "10"], 2, &["file.toml:3:8: ", "10"]);
}

#[test]
fn huge_numbers_are_refused_before_anything_runs() {
    let folder = Folder::with_scene();
    for change in [
        "rain.0.rate=1e300",
        "rain.0.rate=1e30",
        "source.0.rate=1e300",
        "source.0.radius=1e300",
        "source.0.at=[1e300, 0]",
        "terrain.cell=1e300",
        "terrain.cell=1e-300",
        "terrain.layer.0.height=1e300",
        "time.steps=9223372036854775807",
        "time.steps=92233720368547758070",
        "time.duration=-1",
        "time.coarse.0.factor=0",
        "time.coarse.0.factor=9223372036854775807",
        "time.coarse.0.detail=2",
        "seed=-1",
        "water=[{ level = 1e300 }]",
        "edges.east={ level = -1e300 }",
        "rain=[{ drops = { per_second = 1e18, depth = 1, radius = 1 } }]",
        "solver.dt=1e-300",
        "solver.talus_every=4294967295",
        "output.frames_every=9223372036854775807",
    ] {
        let arguments =
            ["run", "small.toml", "--force", "--out", "o", "--set", change, "--set", "output.maps=false"];
        let ran = folder.run(&arguments);
        assert_eq!(ran.code, 2, "--set {change}: {ran:?}");
    }
}

#[test]
fn scenes_read_nothing_outside_their_folder() {
    let folder = Folder::new();
    write(&folder, "secret.exr", &hills(16, 16));
    for path in ["../secret.exr", "inner/../../secret.exr", &folder.path("secret.exr").to_string_lossy()] {
        folder.write("scene/scene.toml", on(path, ""));
        folder.fails(
            &["run", "scene", "--out", "o"],
            2,
            &["scene/scene.toml:3:8: ", "outside the scene's folder", "copy the file", "--allow-outside"],
        );
    }
    folder.write("scene/scene.toml", "version = 1\n[[rain]]\nrate = 1\nmask = '../../m.png'");
    folder.fails(&["check", "scene"], 2, &["scene/scene.toml:4:8: ", "outside the scene's folder"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path("secret.exr"), folder.path("scene/link.exr")).unwrap();
        folder.write("scene/scene.toml", on("link.exr", ""));
        folder.fails(&["run", "scene", "--out", "o"], 2, &["scene/scene.toml:3:8: ", "leads outside"]);
        // A link within the folder is fine.
        std::fs::rename(folder.path("secret.exr"), folder.path("scene/own.exr")).unwrap();
        std::fs::remove_file(folder.path("scene/link.exr")).unwrap();
        std::os::unix::fs::symlink("own.exr", folder.path("scene/link.exr")).unwrap();
        folder.ok(&["run", "scene", "--out", "o", "-q"]);
    }
}

/// Whoever allows it reads files from anywhere, and the scene that the run writes needs no leave: it has its own copies.
#[test]
fn files_outside_the_folder_are_read_where_that_is_allowed() {
    let folder = Folder::new();
    for name in ["one", "two", "scene"] {
        std::fs::create_dir(folder.path(name)).unwrap();
    }
    write(&folder, "one/hills.exr", &hills(16, 16));
    write(&folder, "two/hills.exr", &hills(9, 9));
    write(&folder, "scene/inside.exr", &hills(12, 12));
    let far = folder.path("two/hills.exr").display().to_string();
    let text = format!(
        "version = 1\n[terrain]\nfile = '../one/hills.exr'\n[terrain.hardness]\nfile = 'inside.exr'\n\
         [[rain]]\nrate = '50 mm/h'\nmask = '{far}'\n[time]\nsteps = 20\n[output]\npictures = false"
    );
    folder.write("scene/scene.toml", text);
    folder.fails(&["check", "scene"], 2, &["outside the scene's folder"]);
    folder.ok(&["check", "scene", "--allow-outside"]);
    folder.ok(&["run", "scene", "-q", "--out", "o", "--allow-outside"]);
    assert!(folder.path("o/inputs/inside.exr").is_file(), "{:?}", folder.files());
    let outside = std::fs::read_dir(folder.path("o/inputs/outside")).unwrap();
    let kept = outside.filter(|own| own.as_ref().unwrap().path().join("hills.exr").is_file()).count();
    assert_eq!(kept, 2, "{:?}", folder.files());
    folder.ok(&["run", "o", "-q", "--out", "again"]);
    common::same(&folder.results("o"), &folder.results("again"), "run again from its own copies");
}

#[test]
fn output_that_cannot_be_written_fails_with_the_reason() {
    let folder = Folder::with_scene();
    folder.write("file", "mine");
    folder.fails(&["run", "small.toml", "--out", "file"], 2, &["file", "choose another --out"]);
    folder.fails(&["run", "small.toml", "--out", "file/below"], 1, &["file/below", "cannot be written"]);
    assert_eq!(folder.read("file"), b"mine");
    folder.write("own/scene.toml", SMALL);
    folder.fails(&["run", "own", "--out", "own"], 2, &["own/scene.toml", "overwritten", "--out"]);
    assert_eq!(folder.read("own/scene.toml"), SMALL.as_bytes());
    // Folders where files should go.
    folder.write("o/height.exr/x", "");
    folder.fails(&["run", "small.toml", "--out", "o", "--force"], 1, &["o/height.exr", "cannot be written"]);
    folder.write("p/maps", "");
    folder.fails(&["run", "small.toml", "--out", "p", "--force"], 1, &["p/maps", "cannot be written"]);
    if std::path::Path::new("/proc/self").exists() {
        folder.fails(
            &["run", "small.toml", "--out", "/proc/thalweg"],
            1,
            &["/proc/thalweg", "cannot be written"],
        );
        folder.fails(
            &["generate", "--size", "8", "-o", "/proc/a.png"],
            1,
            &["/proc/a.png", "cannot be written"],
        );
    }
}

/// The disk is full when maps are due: the state is saved if there is room for it, and nothing is there in halves.
#[cfg(unix)]
#[test]
fn a_full_disk_loses_nothing_that_was_there() {
    let folder = Folder::with_scene();
    folder.ok(&["run", "small.toml", "--out", "o", "-q", "--steps", "8"]);
    // No file may grow beyond 5 KiB (blocks of 512 bytes): the scene fits, the maps do not.
    let limit = "trap '' XFSZ; ulimit -f 10; ";
    let ran = folder.shell(&format!("{limit} \"$THALWEG\" run small.toml --out o --force"));
    ran.failed(1, &["o/height.exr", "cannot be written", "the last state was not kept"], "a full disk");
    let told = !folder.path("o/report.json").exists() && folder.path("o/unfinished.json").is_file();
    assert!(told, "the folder says that its run did not finish: {:?}", folder.files());
    let ran = folder
        .shell(&format!("{limit} \"$THALWEG\" run small.toml --out p --set output.checkpoint_every=20"));
    ran.failed(1, &["p/checkpoints/step_0000000020.twc", "cannot be written"], "a full disk");
    let ran = folder.shell(&format!("{limit} \"$THALWEG\" generate --size 64 -o g.exr"));
    ran.failed(1, &["g.exr", "cannot be written"], "a full disk");
    assert!(!folder.path("g.exr").exists());
    // Where only the maps' folder is in trouble, the run can go on later.
    folder.write("q/height.exr/x", "");
    let ran = folder.run(&["run", "small.toml", "--out", "q", "--force"]);
    ran.failed(
        1,
        &["q/height.exr", "the last good state is in q/checkpoints/step_0000000160.twc"],
        "no room",
    );
    std::fs::remove_dir_all(folder.path("q/height.exr")).unwrap();
    folder.ok(&["run", "small.toml", "--out", "q", "--resume", "-q"]);
    folder.ok(&["run", "small.toml", "--out", "r", "-q"]);
    assert!(folder.read("q/height.exr") == folder.read("r/height.exr"));
}

/// The same on a file system of its own, where mounting is permitted.
#[cfg(target_os = "linux")]
#[test]
fn a_full_file_system_is_explained() {
    let folder = Folder::with_scene();
    std::fs::create_dir(folder.path("tiny")).unwrap();
    // The mount lives in a name space of its own and ends with it.
    let line = "unshare -m sh -c 'mount -t tmpfs -o size=64k tmpfs tiny || exit 77; \
                \"$THALWEG\" run small.toml --out tiny/o; code=$?; ls -aR tiny >&2; exit $code'";
    let ran = folder.shell(&format!("{line} 2>&1 >/dev/null | cat >&2; true"));
    if !ran.stderr.contains("tiny/o") {
        println!("skipped: mounting is not permitted here ({})", ran.stderr.trim());
        return;
    }
    assert!(ran.stderr.contains("no space left") && ran.stderr.contains("another disk"), "{ran:?}");
    assert!(!ran.stderr.contains(".part"), "{ran:?}");
}
