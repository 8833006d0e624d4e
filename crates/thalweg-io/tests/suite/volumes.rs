//! Volumes of ground come back to the bit, and broken files of them are refused with the reason.

use crate::common::{at_once, damage};
use std::path::{Path, PathBuf};
use thalweg_field::random::Key;
use thalweg_io::{Kind, ReadError, read_volume, write_volume};
use thalweg_terrain::volume::Volume;

const LIMIT: u64 = 64 << 20;

/// A hill with a cave in it, whose box is no cube.
fn hill() -> Volume {
    Volume::from_depths([50, 21, 37], 0.25, -3.5, |[x, y, z], row| {
        for (n, depth) in row.iter_mut().enumerate() {
            let [x, y, z] = [x + 0.25 * n as f64 - 6.0, y - 2.5, z + 1.0];
            *depth = (1.5 - z - 0.3 * x.abs()).min((x * x + y * y + z * z).sqrt() - 1.2) as f32;
        }
    })
    .unwrap()
}

fn written(folder: &Path, name: &str, volume: &Volume) -> PathBuf {
    let path = folder.join(name);
    write_volume(&path, volume).unwrap();
    path
}

fn refusal(path: &Path) -> String {
    read_volume(path, LIMIT).unwrap_err().to_string()
}

#[test]
fn volumes_come_back_to_the_bit_in_both_formats() {
    let folder = tempfile::tempdir().unwrap();
    let empty = Volume::empty([17, 3, 40], 2.0, 9.0).unwrap();
    let full = Volume::from_depths([16, 33, 5], 1.0, 0.0, |_, row| row.fill(99.0)).unwrap();
    for (n, volume) in [hill(), empty, full].iter().enumerate() {
        for end in ["twv", "nrrd"] {
            let path = written(folder.path(), &format!("{n}.{end}"), volume);
            assert_eq!(Kind::of(&path), Some(Kind::Volume));
            assert_eq!(read_volume(&path, LIMIT).unwrap(), *volume, "{n}.{end}");
        }
    }
}

/// A large world of air is a small file.
#[test]
fn a_file_is_as_long_as_the_surface_is_large() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "air.twv", &Volume::empty([512, 512, 512], 1.0, 0.0).unwrap());
    let length = path.metadata().unwrap().len();
    assert!(length < 200_000, "{length} bytes");
    let limit = read_volume(&path, 10_000).unwrap_err();
    assert!(matches!(limit, ReadError::TooMuch { .. }), "{limit}");
}

#[test]
fn damaged_volumes_never_panic_and_never_pass_for_whole_ones() {
    let folder = tempfile::tempdir().unwrap();
    for (index, end) in ["twv", "nrrd"].into_iter().enumerate() {
        let path = written(folder.path(), &format!("hill.{end}"), &hill());
        let whole = std::fs::read(&path).unwrap();
        for round in 0..200 {
            let mut bytes = whole.clone();
            damage(&mut bytes, Key::new(31).with(index as u64).with(round));
            std::fs::write(&path, &bytes).unwrap();
            let read = at_once(&path, || read_volume(&path, LIMIT));
            if end == "twv" && bytes != whole {
                assert!(read.is_err(), "round {round}");
            }
        }
        for length in (0..whole.len()).step_by(97) {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(
                read_volume(&path, LIMIT).is_err(),
                "{end} cut off after {length} of {} bytes",
                whole.len()
            );
        }
    }
}

#[test]
fn a_cut_off_volume_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "hill.twv", &hill());
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 5]).unwrap();
    let told = refusal(&path);
    assert!(told.contains(&format!("{} bytes were written but {}", whole.len(), whole.len() - 5)), "{told}");
    let mut newer = whole.clone();
    newer[8] = 9;
    std::fs::write(&path, &newer).unwrap();
    assert!(refusal(&path).contains("version 9"), "{}", refusal(&path));
}

/// What other programs write: whole numbers, doubles, big-endian, spacings instead of directions.
#[test]
fn nrrd_of_other_programs_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.nrrd");
    let write = |header: &str, numbers: &[u8]| {
        let text = format!("NRRD0004\n# a comment\n{header}dimension: 3\nsizes: 2 1 2\nencoding: raw\n\n");
        std::fs::write(&path, [text.as_bytes(), numbers].concat()).unwrap();
    };
    let shares = |volume: &Volume| [[0, 0, 0], [1, 0, 0], [0, 0, 1], [1, 0, 1]].map(|at| volume.share(at));
    write("type: uint8\nspacings: 3 3 3\n", &[0, 255, 51, 0]);
    let bytes = read_volume(&path, LIMIT).unwrap();
    assert_eq!((shares(&bytes), bytes.voxel(), bytes.bottom()), ([0.0, 1.0, 0.2, 0.0], 3.0, 0.0));
    let doubles: Vec<u8> = [0.25_f64, 0.5, 1.0, 0.0].iter().flat_map(|share| share.to_be_bytes()).collect();
    write("type: double\nendian: big\nspace origin: (0,0,10)\n", &doubles);
    let doubles = read_volume(&path, LIMIT).unwrap();
    assert_eq!((shares(&doubles), doubles.bottom()), ([0.25, 0.5, 1.0, 0.0], 9.5));
}

#[test]
fn nrrd_that_is_no_volume_of_rock_is_refused_with_what_would_be_right() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.nrrd");
    let floats = |values: [f32; 4]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
    let fine = floats([0.0, 1.0, 0.5, 0.0]);
    let sized = |more: &str| format!("type: float\ndimension: 3\nsizes: 2 1 2\nencoding: raw\n{more}");
    for (header, numbers, said) in [
        (sized(""), floats([0.0, f32::NAN, 0.5, 0.0]), "voxel 1, 0, 0 holds NaN"),
        (sized(""), floats([0.0, 1.0, 0.5, 7.0]), "holds 7"),
        (sized(""), fine[..9].to_vec(), "end in row 1 of 2"),
        (sized("spacings: 1 1 2\n"), fine.clone(), "no cubes"),
        (sized("space directions: (1,1,0) (0,1,0) (0,0,1)\n"), fine.clone(), "turned"),
        (sized("data file: other.raw\n"), fine.clone(), "another file"),
        (sized("").replace("float", "int64"), fine.clone(), "type int64"),
        (sized("").replace("raw", "bzip2"), fine.clone(), "encoding is bzip2"),
        (sized("").replace("2 1 2", "2 2"), fine.clone(), "not three numbers"),
        (sized("").replace("2 1 2", "0 1 2"), fine.clone(), "volume.east"),
        (sized("").replace("2 1 2", "9999999 9999999 9999999"), fine.clone(), "has only"),
    ] {
        std::fs::write(&path, [format!("NRRD0005\n{header}\n").as_bytes(), &numbers].concat()).unwrap();
        let told = refusal(&path);
        assert!(told.contains(said), "\"{said}\" is not in: {told}");
    }
}
