//! What goes out comes back.

use crate::common::{self, corpus, metres, north_west};
use std::path::Path;
use thalweg_field::random::Key;
use thalweg_field::{Field, FieldInfo, Frame, Grid2, Heightfield};
use thalweg_io::{
    MapCodes, Notice, ReadOptions, Window, WriteError, WriteOptions, estimate, read_heightfield,
    read_png_rgb, write_heightfield, write_map, write_map_png_with, write_png_rgb, write_share_png,
};

const SIZES: [[usize; 2]; 4] = [[64, 64], [97, 31], [1, 40], [1, 1]];

/// Largest difference between two grids of one shape `[m]`.
fn difference(a: &Grid2<f32>, b: &Grid2<f32>) -> f32 {
    assert!(a.same_shape(b), "{} × {} became {} × {}", a.cols(), a.rows(), b.cols(), b.rows());
    a.values().iter().zip(b.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// Half a code of a 16-bit file, and what f32 itself rounds away at the height of these terrains `[m]`.
fn half_a_code(field: &Heightfield) -> f32 {
    let (low, high) = field.height.range().unwrap();
    0.5 * (high - low) / 65535.0 + 1.0e-4
}

#[test]
fn terrain_comes_back_from_every_format() {
    let folder = tempfile::tempdir().unwrap();
    for [cols, rows] in SIZES {
        let field = north_west(cols, rows);
        for (name, tolerance) in [
            ("a.tif", 0.0),
            ("b.exr", 0.0),
            ("c.png", half_a_code(&field)),
            ("d.r16", half_a_code(&field)),
            ("e.r32", 0.0),
            ("f.npy", 0.0),
            ("g.pfm", 0.0),
            ("h.asc", 0.0),
        ] {
            let path = folder.path().join(format!("{cols}_{rows}_{name}"));
            write_heightfield(&path, &field, &WriteOptions::default()).unwrap();
            let back = read_heightfield(&path, &ReadOptions::default()).unwrap();
            let error = difference(&field.height, &back.field.height);
            assert!(error <= tolerance, "{name} {cols} × {rows}: {error} m, {tolerance} m allowed");
            assert_eq!(back.field.frame, field.frame, "{name}");
            assert_eq!(back.notices, [], "{name} {cols} × {rows}");
            let size = estimate(&path, &ReadOptions::default()).unwrap();
            assert_eq!([size.cols, size.rows], [cols, rows]);
        }
    }
}

/// Any number that there is comes back with its bits, the smallest and the largest among them, from every format that rounds nothing
/// and into the next.
#[test]
fn every_bit_survives_from_one_lossless_format_into_the_next() {
    let folder = tempfile::tempdir().unwrap();
    for (round, [cols, rows]) in [[37, 23], [300, 3], [1, 17]].into_iter().enumerate() {
        let height = Grid2::from_fn(cols, rows, |col, row| {
            let bits = Key::new(round as u64).with(row as u64).with(col as u64).bits() as u32;
            let any = f32::from_bits(bits);
            match col + row {
                0 => f32::MAX,
                1 => f32::from_bits(1),
                2 => -0.0,
                _ if any.is_finite() => any,
                _ => bits as f32,
            }
        });
        let original = Heightfield { height, frame: Frame::with_cell(0.3) };
        let mut field = original.clone();
        for ending in ["tif", "exr", "r32", "npy", "pfm", "asc", "tif"] {
            let path = folder.path().join(format!("{round}.{ending}"));
            write_heightfield(&path, &field, &WriteOptions::default()).unwrap();
            field = read_heightfield(&path, &ReadOptions::default()).unwrap().field;
            let same = |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits();
            assert!(field.height.values().iter().zip(original.height.values()).all(same), "{ending}");
            assert_eq!(field.frame, original.frame, "{ending}");
        }
    }
}

/// A reader that turned or mirrored the grid would still pass with a symmetric terrain.
#[test]
fn the_high_corner_stays_in_the_north_west() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.tif", "b.exr", "c.png", "d.raw", "e.npy", "f.pfm", "g.asc", "h.r32"] {
        let (path, _) = common::written(folder.path(), name, 40, 25);
        let height = read_heightfield(&path, &ReadOptions::default()).unwrap().field.height;
        let corners = [height.at(39, 0), height.at(0, 24), height.at(39, 24)];
        assert!(corners.iter().all(|&corner| corner + 500.0 < height.at(0, 0)), "{name}: {corners:?}");
    }
}

#[test]
fn any_coordinate_system_or_none_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    for crs in [None, Some("Gauß–Krüger zone 3"), Some("EPSG:102008"), Some("EPSG:2056")] {
        let mut field = north_west(9, 5);
        field.frame = Frame { cell: 0.1, origin: [-0.3, 1.0e-3], crs: crs.map(str::to_owned) };
        for name in ["a.tif", "b.exr", "c.png", "d.raw", "e.npy", "f.pfm", "g.asc"] {
            let path = folder.path().join(name);
            write_heightfield(&path, &field, &WriteOptions::default()).unwrap();
            let back = read_heightfield(&path, &ReadOptions::default()).unwrap().field.frame;
            assert_eq!((back.cell, &back.crs), (0.1, &field.frame.crs), "{name}");
            // GeoTIFF keeps the north edge; going there and back rounds.
            let off = (back.origin[0] + 0.3).abs().max((back.origin[1] - 1.0e-3).abs());
            assert!(off < 1.0e-12, "{name} moved the origin by {off} m");
        }
    }
}

#[test]
fn flat_ground_keeps_its_height() {
    let folder = tempfile::tempdir().unwrap();
    let field = Heightfield { height: Grid2::filled(80, 80, -12.25), frame: Frame::with_cell(1.0) };
    for name in ["a.png", "b.raw"] {
        let path = folder.path().join(name);
        write_heightfield(&path, &field, &WriteOptions::default()).unwrap();
        let back = read_heightfield(&path, &ReadOptions::default()).unwrap();
        assert_eq!((back.field.height, back.notices), (field.height.clone(), vec![]), "{name}");
    }
}

#[test]
fn files_of_other_programs_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let expected = metres(50, 50);
    for path in corpus(folder.path(), 50, 50) {
        let back = read_heightfield(&path, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        let error = difference(&expected, &back.field.height);
        // Halves have 11 bits: steps of half a metre above 512 m.
        let tolerance = if path.ends_with("half.exr") { 0.5 } else { 0.0 };
        assert!(error <= tolerance, "{}: off by {error} m", path.display());
        assert!(back.notices.contains(&Notice::TakenAsMetres), "{}", path.display());
        assert!(back.notices.contains(&Notice::CellUnknown { cell: 1.0 }), "{}", path.display());
    }
}

#[test]
fn tiles_that_share_a_range_share_their_codes() {
    let folder = tempfile::tempdir().unwrap();
    let field = north_west(20, 20);
    let range = WriteOptions { height_range: Some([-500.0, 1500.0]), ..Default::default() };
    let path = folder.path().join("tile.png");
    write_heightfield(&path, &field, &range).unwrap();
    let back = read_heightfield(&path, &ReadOptions::default()).unwrap();
    let error = difference(&field.height, &back.field.height);
    assert!(error <= 0.5 * 2000.0 / 65535.0 + 1.0e-4, "{error} m");

    let narrow = WriteOptions { height_range: Some([0.0, 100.0]), ..Default::default() };
    let error = write_heightfield(&path, &field, &narrow).unwrap_err();
    assert!(matches!(error, WriteError::OutOfRange { range: [0.0, 100.0], .. }), "{error}");
    assert_eq!(read_heightfield(&path, &ReadOptions::default()).unwrap(), back, "the old file should stay");
}

#[test]
fn what_a_format_cannot_hold_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, height: Grid2<f32>| {
        let field = Heightfield { height, frame: Frame::with_cell(1.0) };
        write_heightfield(&folder.path().join(name), &field, &WriteOptions::default())
    };
    let mut hole = north_west(9, 9).height;
    hole.set(4, 4, f32::NAN);
    assert!(matches!(write("a.png", hole.clone()), Err(WriteError::NotFinite { count: 1, .. })));
    assert!(matches!(write("a.r16", hole), Err(WriteError::NotFinite { count: 1, .. })));
    assert!(matches!(write("a.tif", Grid2::filled(0, 7, 0.0)), Err(WriteError::Size { .. })));
    assert!(matches!(write("a.jpg", Grid2::filled(7, 7, 0.0)), Err(WriteError::Extension { .. })));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// The chunks of a PNG file by name.
fn chunks(path: &Path) -> Vec<String> {
    let bytes = std::fs::read(path).unwrap();
    let mut names = Vec::new();
    let mut at = 8;
    while at < bytes.len() {
        let length = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        names.push(String::from_utf8(bytes[at + 4..at + 8].to_vec()).unwrap());
        at += 12 + length;
    }
    names
}

#[test]
fn a_height_png_has_no_colour_tags_and_a_sidecar() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = common::written(folder.path(), "hill.png", 30, 20);
    let names = chunks(&path);
    assert!(names.contains(&"tEXt".to_owned()), "{names:?}");
    assert!(!names.iter().any(|name| ["gAMA", "sRGB", "iCCP", "cHRM"].contains(&name.as_str())), "{names:?}");
    let sidecar = std::fs::read(folder.path().join("hill.thalweg.json")).unwrap();
    let sidecar: serde_json::Value = serde_json::from_slice(&sidecar).unwrap();
    assert_eq!(sidecar["schema"], 2);
    assert_eq!((&sidecar["cols"], &sidecar["rows"]), (&30.into(), &20.into()));
    assert_eq!(sidecar["cell_m"], 12.5);
    assert_eq!(sidecar["row_order"], "north to south");
    assert_eq!(sidecar["crs"], "EPSG:32611");
}

#[test]
fn maps_keep_their_values_and_their_sign() {
    let folder = tempfile::tempdir().unwrap();
    let info = FieldInfo::new("erosion", "m", "ground taken away");
    let frame = Frame::with_cell(4.0);
    for (name, low) in [("erosion", 0.0), ("change.v2", -3.0), ("steep", -3.0)] {
        // The last is dark for the most part, so that its codes follow a curve.
        let values = Grid2::from_fn(33, 21, |col, row| match (name, col + row) {
            ("steep", 52) => 4.0,
            ("steep", 51) => -3.9,
            ("steep", far) => (far % 7) as f32 / 100.0,
            _ => low + (col * row) as f32 / 100.0,
        });
        let paths = write_map(
            &folder.path().join(name),
            &Field { info: info.clone(), values: values.clone() },
            &frame,
        )
        .unwrap();
        let names: Vec<_> = paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, [format!("{name}.exr"), format!("{name}.png")]);
        let [exact, coded] =
            [0, 1].map(|i| read_heightfield(&paths[i], &ReadOptions::default()).unwrap().field);
        assert_eq!(exact.height, values);
        assert_eq!(exact.frame, frame);
        let error = difference(&coded.height, &values);
        // Codes that follow the square root are twice as far apart at the top.
        let step = if name == "steep" { 2.0 * 4.0 / 32767.0 } else { 7.0 / 32767.0 };
        assert!(error <= 0.51 * step, "{name}.png is off by {error}");
        // Where nothing happened the map says exactly that.
        let untouched = values.values().iter().position(|&v| v == 0.0);
        assert_eq!(untouched.map(|at| coded.height.values()[at].abs() < 1.0e-6), Some(true), "{name}");
    }
}

#[test]
fn a_picture_is_srgb_and_its_pixels_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("view.png");
    let pixels: Vec<u8> = (0..5 * 4 * 3).collect();
    write_png_rgb(&path, 5, 4, &pixels).unwrap();
    assert!(chunks(&path).contains(&"sRGB".to_owned()));
    let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut back = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut back).unwrap();
    assert_eq!(back, pixels);
    assert!(matches!(write_png_rgb(&path, 5, 5, &pixels), Err(WriteError::Pixels { bytes: 60, .. })));
}

/// The quantum that a description states is met, and codes that go from PNG to R16 and back are the same codes.
#[test]
fn a_code_is_as_much_as_the_description_says_and_survives_other_formats() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let field = north_west(57, 31);
    let range = Some([-200.0, 1100.0]);
    let how = WriteOptions { height_range: range, ..WriteOptions::default() };
    for name in ["a.png", "b.r16"] {
        write_heightfield(&path(name), &field, &how).unwrap();
        let label = std::fs::read(path(name).with_extension("thalweg.json")).unwrap();
        let label: serde_json::Value = serde_json::from_slice(&label).unwrap();
        let quantum = label["quantum"].as_f64().expect("it is stated");
        assert!((quantum - 1300.0 / 65535.0).abs() < 1.0e-12, "{name}: a code is {quantum} m");
        let back = read_heightfield(&path(name), &ReadOptions::default()).unwrap().field.height;
        let off = |(a, b): (&f32, &f32)| f64::from(a - b).abs();
        let most = back.values().iter().zip(field.height.values()).map(off).fold(0.0, f64::max);
        // A float of 1100 m is exact to 6e-5 m.
        assert!(most <= 0.5 * quantum + 6.2e-5, "{name}: {most} m off, a code is {quantum} m");
        assert!(most > 0.45 * quantum, "{name}: {most} m off among {} cells is too good", back.len());
    }
    let through = |from: &str, to: &str| {
        let heights = read_heightfield(&path(from), &ReadOptions::default()).unwrap().field;
        write_heightfield(&path(to), &heights, &how).unwrap();
    };
    through("a.png", "c.r16");
    assert!(std::fs::read(path("b.r16")).unwrap() == std::fs::read(path("c.r16")).unwrap(), "PNG to R16");
    through("c.r16", "d.png");
    let codes = |name: &str| {
        let options = ReadOptions { height_range: Some([0.0, 65535.0]), ..ReadOptions::default() };
        read_heightfield(&path(name), &options).unwrap().field.height
    };
    assert_eq!(codes("a.png"), codes("d.png"));
}

/// Floats may be shares of a range; what beside and in the file is told makes metres of them.
#[test]
fn floats_from_0_to_1_come_back_as_metres() {
    let folder = tempfile::tempdir().unwrap();
    let field = north_west(40, 23);
    let how = WriteOptions { height_range: Some([-200.0, 1100.0]), shares: true, ..WriteOptions::default() };
    for name in ["a.exr", "a.tif", "a.r32"] {
        let path = folder.path().join(name);
        write_heightfield(&path, &field, &how).unwrap();
        let shares = ReadOptions { height_range: Some([0.0, 1.0]), ..ReadOptions::default() };
        let shares = read_heightfield(&path, &shares).unwrap().field.height;
        let (low, high) = shares.range().unwrap();
        assert!(low >= 0.0 && high <= 1.0 && high - low > 0.7, "{name}: {low} to {high}");
        let back = read_heightfield(&path, &ReadOptions::default()).unwrap().field;
        assert_eq!(back.frame, field.frame, "{name}");
        // A float of a share of 1300 m is exact to 8e-5 m.
        let off = difference(&back.height, &field.height);
        assert!(off < 2.0e-4, "{name}: {off} m off");
    }
}

/// Tiles of a map share its codes, and a single share is what it is.
#[test]
fn parts_of_maps_have_the_codes_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let field = north_west(40, 23);
    let map = |window: Window| Field {
        info: FieldInfo::new("water", "m", "depth"),
        values: window.of(&field.height),
    };
    let whole = map(Window { west: 0, north: 0, cols: 40, rows: 23 });
    let codes = MapCodes::of(&whole.values);
    let read = |name: &str| {
        read_heightfield(&folder.path().join(name), &ReadOptions::default()).unwrap().field.height
    };
    write_map_png_with(&folder.path().join("whole.png"), &whole, &field.frame, &codes).unwrap();
    let part = Window { west: 25, north: 4, cols: 15, rows: 19 };
    write_map_png_with(&folder.path().join("part.png"), &map(part), &part.frame(&field.frame, 23), &codes)
        .unwrap();
    assert_eq!(part.of(&read("whole.png")), read("part.png"));
    let share = Grid2::from_fn(7, 5, |col, row| (col * 30 + row) as u8);
    let path = folder.path().join("share.png");
    write_share_png(&path, &share, "{}").unwrap();
    let (_, _, pixels) = read_png_rgb(&path, 1 << 20).unwrap();
    assert!(pixels.iter().step_by(3).eq(share.values()), "8 bits, grey");
}
