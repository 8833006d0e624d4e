//! Broken and hostile files give an error and nothing worse.

use crate::common::{PLAIN, Value, at_once, corpus, damage, metres, tiff_file, written};
use std::path::Path;
use thalweg_field::random::Key;
use thalweg_io::{ReadError, ReadOptions, WriteOptions, estimate, read_heightfield, write_heightfield};
use tiff::encoder::colortype::Gray32Float;
use tiff::tags::Tag;

const FORMATS: [&str; 4] = ["a.png", "a.tif", "a.exr", "a.r16"];

/// Damaged versions of each file that are tried.
const ROUNDS: u64 = 200;

/// Small enough that a file which claims to be huge is refused rather than tried.
fn options() -> ReadOptions {
    ReadOptions { max_bytes: 64 << 20, ..ReadOptions::default() }
}

/// Reads whatever the file holds; a panic fails the test, and so does a grid that is not whole.
fn attempt(path: &Path) -> Result<(), ReadError> {
    let size = estimate(path, &options());
    let read = read_heightfield(path, &options());
    if let Ok(terrain) = &read {
        let (size, height) = (size.unwrap(), &terrain.field.height);
        assert_eq!((size.cols, size.rows), (height.cols(), height.rows()));
        assert_eq!(height.values().len(), height.cols() * height.rows());
        assert!(height.values().iter().all(|h| h.is_finite()));
        assert!(terrain.field.frame.cell > 0.0);
    }
    read.map(|_| ())
}

#[test]
fn damaged_files_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = corpus(folder.path(), 21, 21);
    paths.extend(FORMATS.map(|name| written(folder.path(), name, 23, 17).0));
    for (index, path) in paths.iter().enumerate() {
        let whole = std::fs::read(path).unwrap();
        for round in 0..ROUNDS {
            let mut bytes = whole.clone();
            damage(&mut bytes, Key::new(11).with(index as u64).with(round));
            std::fs::write(path, &bytes).unwrap();
            let _ = at_once(path, || attempt(path));
        }
    }
}

/// Formats that only other programs write: 8 files, 250 damaged versions of each, half of them cut off as well.
#[test]
fn damaged_files_of_other_programs_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let grid = metres(21, 17);
    let floats: Vec<u8> = grid.values().iter().flat_map(|v| v.to_le_bytes()).collect();
    let codes: Vec<u8> = metres(21, 21).values().iter().flat_map(|&v| (v as i16).to_be_bytes()).collect();
    let mut text =
        "ncols 21\nnrows 17\nxllcorner 0\nyllcorner 0\ncellsize 5\nNODATA_value -9999\n".to_owned();
    for row in 0..17 {
        let words: Vec<_> = grid.row(row).iter().map(f32::to_string).collect();
        text += &(words.join(" ") + "\n");
    }
    let npy = {
        let mut head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (17, 21), }".to_vec();
        head.resize(117, b' ');
        head.push(b'\n');
        [b"\x93NUMPY\x01\x00".as_slice(), &118u16.to_le_bytes(), &head, &floats].concat()
    };
    let files = [
        ("a.asc", text.into_bytes()),
        ("N34W119.hgt", codes),
        ("a.npy", npy),
        ("a.pfm", [b"Pf\n21 17\n-1.0\n".as_slice(), &floats].concat()),
        ("a.r32", floats.clone()),
        ("b.raw", floats),
        ("tiled.tif", std::fs::read(written(folder.path(), "tiled.tif", 300, 270).0).unwrap()),
        ("b.png", std::fs::read(written(folder.path(), "b.png", 40, 30).0).unwrap()),
    ];
    let mut refused = 0;
    for (index, (name, whole)) in files.iter().enumerate() {
        let path = folder.path().join(name);
        for round in 0..250 {
            let key = Key::new(23).with(index as u64).with(round);
            let mut bytes = whole.clone();
            damage(&mut bytes, key);
            if round % 2 == 0 {
                bytes.truncate(key.with(9).bits() as usize % whole.len());
            }
            std::fs::write(&path, &bytes).unwrap();
            let read =
                at_once(&path, || read_heightfield(&path, &ReadOptions { cell: Some(5.0), ..options() }));
            if let Err(error) = read {
                refused += 1;
                assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
            }
        }
    }
    assert!(refused > 800, "only {refused} of 2000 were refused");
}

/// A map in degrees says how large the terrain becomes.
#[test]
fn damaged_maps_in_degrees_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("degrees.tif");
    let tags = [
        (Tag::ModelPixelScaleTag, Value::Doubles(vec![1.0 / 3600.0, 1.0 / 3600.0, 0.0])),
        (Tag::ModelTiepointTag, Value::Doubles(vec![0.0, 0.0, 0.0, -118.3, 34.4, 0.0])),
        (Tag::GeoKeyDirectoryTag, Value::Shorts(vec![1, 1, 0, 2, 1024, 0, 1, 2, 2048, 0, 1, 4326])),
    ];
    tiff_file::<Gray32Float>(&path, &metres(21, 19), PLAIN, &tags);
    let whole = std::fs::read(&path).unwrap();
    let options = ReadOptions { utm: true, max_bytes: 1 << 20, ..ReadOptions::default() };
    read_heightfield(&path, &options).unwrap();
    // The tags are at the end.
    let from = whole.len() - 400;
    for round in 0..5 * ROUNDS {
        let mut bytes = whole.clone();
        damage(&mut bytes[from..], Key::new(17).with(round));
        std::fs::write(&path, &bytes).unwrap();
        if let Ok(terrain) = at_once(&path, || read_heightfield(&path, &options)) {
            let (size, height) = (estimate(&path, &options).unwrap(), &terrain.field.height);
            assert_eq!((size.cols, size.rows), (height.cols(), height.rows()));
            assert!(height.values().iter().all(|h| h.is_finite()) && terrain.field.frame.cell > 0.0);
        }
    }
}

#[test]
fn files_cut_off_anywhere_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = corpus(folder.path(), 21, 21);
    // A square of raw numbers without a description may be cut to a smaller square, which nobody can tell.
    paths.retain(|path| !path.ends_with("square.raw"));
    paths.extend(FORMATS.map(|name| written(folder.path(), name, 23, 17).0));
    for path in paths {
        let whole = std::fs::read(&path).unwrap();
        for length in (0..whole.len()).step_by(1 + whole.len() / 200) {
            std::fs::write(&path, &whole[..length]).unwrap();
            let Err(error) = attempt(&path) else {
                panic!("{} cut to {length} bytes was read", path.display())
            };
            assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
        }
    }
}

/// Writes `bytes` and expects a refusal at once.
#[track_caller]
fn refused(name: &str, bytes: &[u8]) -> ReadError {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let unlimited = ReadOptions { max_bytes: u64::MAX, ..options() };
    at_once(&path, || read_heightfield(&path, &unlimited)).unwrap_err()
}

/// Puts other bytes `skip` bytes after `mark`.
fn patched(bytes: &[u8], mark: &[u8], skip: usize, new: &[u8]) -> Vec<u8> {
    let at = bytes.windows(mark.len()).position(|window| window == mark).expect("the mark is in the file");
    let mut bytes = bytes.to_vec();
    bytes[at + mark.len() + skip..][..new.len()].copy_from_slice(new);
    bytes
}

#[test]
fn enormous_sizes_in_tiny_files_are_refused_before_allocating() {
    let folder = tempfile::tempdir().unwrap();
    let huge = 0x7fff_0000u32;

    let (_, png) = written(folder.path(), "a.png", 23, 17);
    // 16 bits of red, green, blue and alpha: the bytes of such an image do not fit 64 bits.
    let mut png =
        patched(&png, b"IHDR", 0, &[huge.to_be_bytes(), huge.to_be_bytes(), [16, 6, 0, 0]].concat());
    let checksum = crc32(&png[12..29]);
    png[29..33].copy_from_slice(&checksum.to_be_bytes());
    assert!(matches!(refused("a.png", &png), ReadError::Broken { format: "PNG", .. }));

    // ImageWidth is tag 256, ImageLength 257 and RowsPerStrip 278, each one LONG.
    let (_, tif) = written(folder.path(), "a.tif", 23, 17);
    let mut tif = tif;
    for tag in [256u16, 257] {
        let mark = [tag.to_le_bytes(), 4u16.to_le_bytes(), [1, 0], [0, 0]].concat();
        tif = patched(&tif, &mark, 0, &huge.to_le_bytes());
    }
    assert!(matches!(refused("a.tif", &tif), ReadError::Broken { format: "TIFF", .. }));

    let (_, exr) = written(folder.path(), "a.exr", 23, 17);
    let exr = patched(&exr, b"dataWindow\0box2i\0", 12, &[huge.to_le_bytes(), huge.to_le_bytes()].concat());
    assert!(matches!(refused("a.exr", &exr), ReadError::Broken { format: "EXR", .. }));

    let size = Some([usize::MAX, usize::MAX]);
    let (path, _) = written(folder.path(), "a.r16", 23, 17);
    let error = read_heightfield(&path, &ReadOptions { size, ..options() }).unwrap_err();
    assert!(matches!(error, ReadError::Broken { .. }), "{error}");
}

/// The checksum of PNG chunks.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & 0u32.wrapping_sub(crc & 1)))
    })
}

#[test]
fn the_memory_limit_holds() {
    let folder = tempfile::tempdir().unwrap();
    for name in FORMATS {
        let (path, _) = written(folder.path(), name, 64, 64);
        let needed = estimate(&path, &options()).unwrap().bytes;
        assert!(needed >= 64 * 64 * 4);
        let error = read_heightfield(&path, &ReadOptions { max_bytes: needed - 1, ..options() }).unwrap_err();
        assert!(matches!(error, ReadError::TooLarge { cols: 64, rows: 64, .. }), "{error}");
        read_heightfield(&path, &ReadOptions { max_bytes: needed, ..options() }).unwrap();
    }
}

#[test]
fn other_things_than_terrain_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| read_heightfield(&folder.path().join(name), &options()).unwrap_err();
    std::fs::write(folder.path().join("notes.txt"), "hello").unwrap();
    assert!(matches!(read("notes.txt"), ReadError::UnknownFormat { .. }));
    std::fs::write(folder.path().join("text.png"), "hello").unwrap();
    assert!(matches!(read("text.png"), ReadError::Broken { format: "PNG", .. }));
    std::fs::write(folder.path().join("empty.raw"), "").unwrap();
    assert!(matches!(read("empty.raw"), ReadError::RawSizeUnknown { bytes: 0, .. }));
    std::fs::create_dir(folder.path().join("folder.tif")).unwrap();
    assert!(read("folder.tif").to_string().contains("this is a folder"));
    assert!(read("missing.tif").to_string().contains("no such file"));
    assert!(read("nowhere/missing.tif").to_string().contains("does not exist"));
}

/// A block in the place of another would leave cells unwritten, which look like holes to be filled.
#[test]
fn an_exr_with_one_block_twice_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    // 40 rows are three blocks. The table of their offsets ends where the first block begins.
    let (path, mut bytes) = written(folder.path(), "a.exr", 23, 40);
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let table = (8..bytes.len() - 24).find(|&at| number(at) == at + 24).expect("the table is in the file");
    bytes.copy_within(table..table + 8, table + 8);
    std::fs::write(&path, &bytes).unwrap();
    let message = attempt(&path).unwrap_err().to_string();
    assert!(message.contains("appears twice"), "{message}");
}

/// Where this is set, the program runs one test in a process of its own.
const ALONE: &str = "THALWEG_TEST_ALONE";

/// What spoiled files may take beyond their limit: buffers of threads, and the files themselves [byte].
const BESIDE: u64 = 24 << 20;

/// Files of 16 MiB of flat heights, which are small when packed, spoiled in their heads: some pass for larger ones.
#[test]
fn damaged_files_take_no_more_memory_than_they_may() {
    use crate::common::peak;
    const NAME: &str = "hostile::damaged_files_take_no_more_memory_than_they_may";
    if std::env::var_os(ALONE).is_none() {
        // What other tests take meanwhile would count as well.
        let own = std::env::current_exe().unwrap();
        let alone = std::process::Command::new(own).args([NAME, "--exact"]).env(ALONE, "1").output().unwrap();
        assert!(alone.status.success(), "{}", String::from_utf8_lossy(&alone.stdout));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let flat = thalweg_field::Heightfield {
        height: thalweg_field::Grid2::filled(2048, 2048, 3.5),
        frame: thalweg_field::Frame::with_cell(2.0),
    };
    let files = ["a.png", "a.tif", "a.exr"].map(|name| {
        let path = folder.path().join(name);
        write_heightfield(&path, &flat, &WriteOptions::default()).unwrap();
        (std::fs::read(&path).unwrap(), path)
    });
    drop(flat);
    // Linux forgets the peak so far (proc(5)).
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let Some(before) = peak() else { return };
    let limit = ReadOptions { max_bytes: 4 << 20, ..ReadOptions::default() };
    for (index, (whole, path)) in files.iter().enumerate() {
        for round in 0..100 {
            let mut bytes = whole.clone();
            let head = bytes.len().min(700);
            damage(&mut bytes[..head], Key::new(37).with(index as u64).with(round));
            std::fs::write(path, &bytes).unwrap();
            let _ = at_once(path, || read_heightfield(path, &limit));
        }
    }
    let more = peak().unwrap_or(before) - before;
    assert!(more < limit.max_bytes + BESIDE, "{} MiB more", more >> 20);
}
