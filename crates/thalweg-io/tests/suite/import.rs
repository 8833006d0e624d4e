//! What files do not say, or say wrongly, is told or refused.

use crate::common::{self, PLAIN, Value, metres, north_west, png_file, tiff_file};
use exr::prelude::{Encoding, FlatSamples};
use png::ColorType;
use std::path::Path;
use thalweg_field::Grid2;
use thalweg_io::{
    ByteOrder, Imported, Notice, ReadError, ReadOptions, WriteOptions, estimate, read_heightfield,
    write_heightfield,
};
use tiff::encoder::colortype::{Gray8, Gray16, Gray32Float, GrayI16, RGB8};
use tiff::tags::Tag;

fn read(path: &Path) -> Result<Imported, ReadError> {
    read_heightfield(path, &ReadOptions::default())
}

fn codes(grid: &Grid2<f32>) -> Vec<u16> {
    grid.values().iter().map(|&h| h as u16).collect()
}

/// Tags of a north-up grid, with cells of `east` by `south`, and the keys given.
fn georeferenced(east: f64, south: f64, keys: &[[u16; 2]]) -> Vec<(Tag, Value)> {
    let entries = keys.iter().flat_map(|&[key, value]| [key, 0, 1, value]);
    vec![
        (Tag::ModelPixelScaleTag, Value::Doubles(vec![east, south, 0.0])),
        (Tag::ModelTiepointTag, Value::Doubles(vec![0.0, 0.0, 0.0, 500.0, 900.0, 0.0])),
        (
            Tag::GeoKeyDirectoryTag,
            Value::Shorts([1, 1, 0, keys.len() as u16].into_iter().chain(entries).collect()),
        ),
    ]
}

const UTM: [[u16; 2]; 3] = [[1024, 1], [1025, 1], [3072, 32611]];

#[test]
fn numbers_without_a_meaning_are_metres_until_a_range_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dem.png");
    let grid = metres(20, 10);
    png_file(&path, ColorType::Grayscale, [20, 10], &codes(&grid), |_| {});
    let plain = read(&path).unwrap();
    assert_eq!(plain.field.height, grid);
    assert_eq!(plain.notices, [Notice::TakenAsMetres, Notice::CellUnknown { cell: 1.0 }]);

    let options =
        ReadOptions { cell: Some(30.0), height_range: Some([-100.0, 655.35 - 100.0]), ..Default::default() };
    let ranged = read_heightfield(&path, &options).unwrap();
    let expected = f64::from(grid.at(3, 3)) * 0.01 - 100.0;
    assert!((f64::from(ranged.field.height.at(3, 3)) - expected).abs() < 1.0e-4);
    assert_eq!((ranged.field.frame.cell, ranged.notices), (30.0, vec![]));
}

#[test]
fn a_range_beside_the_file_is_used_if_the_size_fits() {
    let folder = tempfile::tempdir().unwrap();
    let field = north_west(20, 10);
    write_heightfield(&folder.path().join("dem.r16"), &field, &WriteOptions::default()).unwrap();
    // The same codes in a PNG without any text, as an editor leaves it.
    let raw = std::fs::read(folder.path().join("dem.r16")).unwrap();
    let codes: Vec<u16> = raw.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    let path = folder.path().join("dem.png");
    png_file(&path, ColorType::Grayscale, [20, 10], &codes, |_| {});
    let back = read(&path).unwrap();
    assert!((back.field.height.at(0, 0) - field.height.at(0, 0)).abs() < 0.01);
    assert_eq!((back.field.frame, back.notices), (field.frame, vec![]));

    png_file(&path, ColorType::Grayscale, [10, 20], &codes, |_| {});
    let other = read(&path).unwrap();
    assert!(matches!(other.notices[..], [Notice::SidecarIgnored { .. }, Notice::TakenAsMetres, ..]));

    std::fs::write(folder.path().join("dem.thalweg.json"), "{").unwrap();
    let message = read(&path).unwrap_err().to_string();
    assert!(message.contains("dem.thalweg.json") && message.contains("try correcting"), "{message}");
}

#[test]
fn eight_bits_and_few_levels_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    let coarse = metres(80, 80).map(|h| (h / 8.0).floor());
    png_file(&path, ColorType::Grayscale, [80, 80], &codes(&coarse), |info| {
        info.bit_depth = png::BitDepth::Eight;
    });
    let eight = read(&path).unwrap();
    assert_eq!(eight.field.height, coarse);
    assert!(eight.notices.contains(&Notice::EightBit), "{:?}", eight.notices);

    png_file(&path, ColorType::Grayscale, [80, 80], &codes(&coarse), |_| {});
    let notices = read(&path).unwrap().notices;
    assert!(
        notices.iter().any(|notice| matches!(notice, Notice::FewLevels { levels: 2..=256 })),
        "{notices:?}"
    );

    let path = folder.path().join("a.tif");
    tiff_file::<Gray8>(&path, &coarse.map(|h| h as u8), PLAIN, &[]);
    assert!(read(&path).unwrap().notices.contains(&Notice::EightBit));
}

#[test]
fn colour_tags_do_not_bend_the_heights() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    let grid = metres(20, 10);
    let tag = |chunk, more: &dyn Fn(&mut png::Info)| {
        png_file(&path, ColorType::Grayscale, [20, 10], &codes(&grid), more);
        let back = read(&path).unwrap();
        assert_eq!(back.field.height, grid, "{chunk}");
        assert!(back.notices.contains(&Notice::ColourTagIgnored { chunk }), "{chunk}: {:?}", back.notices);
    };
    tag("sRGB", &|info| info.srgb = Some(png::SrgbRenderingIntent::Perceptual));
    tag("gAMA", &|info| info.source_gamma = Some(png::ScaledFloat::new(0.45455)));
    tag("iCCP", &|info| info.icc_profile = Some(vec![0; 128].into()));
}

#[test]
fn colours_are_not_heights_unless_they_are_grey() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    let grid = metres(20, 10);
    let mut rgba: Vec<u16> = codes(&grid).into_iter().flat_map(|code| [code, code, code, 500]).collect();
    png_file(&path, ColorType::Rgba, [20, 10], &rgba, |_| {});
    let back = read(&path).unwrap();
    assert_eq!(back.field.height, grid);
    assert!(back.notices.contains(&Notice::AlphaIgnored));

    rgba[4 * (20 * 7 + 5) + 2] += 1;
    png_file(&path, ColorType::Rgba, [20, 10], &rgba, |_| {});
    let error = read(&path).unwrap_err();
    assert!(matches!(error, ReadError::Colour { col: 5, row: 7, .. }), "{error}");

    let path = folder.path().join("a.tif");
    let mut encoder = tiff::encoder::TiffEncoder::new(std::fs::File::create(&path).unwrap()).unwrap();
    let mut colours = [7; 48];
    encoder.write_image::<RGB8>(4, 4, &colours).unwrap();
    assert_eq!(read(&path).unwrap().field.height, Grid2::filled(4, 4, 7.0));
    colours[3 * 6 + 1] = 8;
    let mut encoder = tiff::encoder::TiffEncoder::new(std::fs::File::create(&path).unwrap()).unwrap();
    encoder.write_image::<RGB8>(4, 4, &colours).unwrap();
    let error = read(&path).unwrap_err();
    assert!(matches!(error, ReadError::Colour { col: 2, row: 1, .. }), "{error}");
}

#[test]
fn holes_are_filled_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.tif", "a.exr"] {
        let path = folder.path().join(name);
        let whole = north_west(40, 30);
        let mut holed = whole.clone();
        for (col, row, nothing) in
            [(0, 0, f32::NAN), (12, 12, f32::NAN), (13, 12, f32::INFINITY), (39, 29, f32::NAN)]
        {
            holed.height.set(col, row, nothing);
        }
        write_heightfield(&path, &holed, &WriteOptions::default()).unwrap();
        let back = read(&path).unwrap();
        assert_eq!(back.notices, [Notice::Filled { count: 4, total: 1200 }], "{name}");
        assert_eq!(back.field.height.at(20, 20), whole.height.at(20, 20));
        let error = (back.field.height.at(12, 12) - whole.height.at(12, 12)).abs();
        assert!(error < 10.0, "{name}: filled {error} m off, on a slope of 35 m from cell to cell");

        holed.height.values_mut().fill(f32::NAN);
        write_heightfield(&path, &holed, &WriteOptions::default()).unwrap();
        assert!(matches!(read(&path).unwrap_err(), ReadError::NoHeights { cells: 1200, .. }), "{name}");
    }
}

#[test]
fn the_nodata_tag_is_honoured_and_its_absence_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tif");
    let mut grid = metres(20, 10);
    grid.set(5, 5, -9999.0);
    let mut tags = georeferenced(30.0, 30.0, &UTM);
    tiff_file::<GrayI16>(&path, &grid.map(|h| h as i16), PLAIN, &tags);
    assert_eq!(read(&path).unwrap().notices, [Notice::LooksLikeNodata { value: -9999.0, count: 1 }]);
    tags.push((Tag::GdalNodata, Value::Text("-9999 ")));
    tiff_file::<GrayI16>(&path, &grid.map(|h| h as i16), PLAIN, &tags);
    assert_eq!(read(&path).unwrap().notices, [Notice::Filled { count: 1, total: 200 }]);

    // The smallest float, written with all its digits.
    grid.set(5, 5, f32::MIN);
    tags.pop();
    tags.push((Tag::GdalNodata, Value::Text("-3.4028234663852886e+38")));
    tiff_file::<Gray32Float>(&path, &grid, PLAIN, &tags);
    assert_eq!(read(&path).unwrap().notices, [Notice::Filled { count: 1, total: 200 }]);
}

#[test]
fn a_projected_geotiff_knows_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tif");
    let grid = metres(20, 10);
    tiff_file::<Gray16>(&path, &grid.map(|h| h as u16), PLAIN, &georeferenced(30.0, 30.0, &UTM));
    let back = read(&path).unwrap();
    assert_eq!(back.notices, []);
    assert_eq!(back.field.frame.cell, 30.0);
    assert_eq!(back.field.frame.origin, [500.0, 900.0 - 300.0]);
    assert_eq!(back.field.frame.crs.as_deref(), Some("EPSG:32611"));

    // Where the tags place the middle of a cell, its corner is half a cell further out.
    let point = [[1024, 1], [1025, 2], [3072, 32611]];
    tiff_file::<Gray16>(&path, &grid.map(|h| h as u16), PLAIN, &georeferenced(30.0, 30.0, &point));
    assert_eq!(read(&path).unwrap().field.frame.origin, [485.0, 615.0]);

    let mut matrix = vec![0.0; 16];
    (matrix[0], matrix[3], matrix[5], matrix[7], matrix[15]) = (30.0, 500.0, -30.0, 900.0, 1.0);
    let tags = |matrix: &Vec<f64>| [(Tag::ModelTransformationTag, Value::Doubles(matrix.clone()))];
    tiff_file::<Gray16>(&path, &grid.map(|h| h as u16), PLAIN, &tags(&matrix));
    assert_eq!(read(&path).unwrap().field.frame.origin, [500.0, 600.0]);
    matrix[1] = 3.0;
    tiff_file::<Gray16>(&path, &grid.map(|h| h as u16), PLAIN, &tags(&matrix));
    assert!(matches!(read(&path).unwrap_err(), ReadError::CellShape { rotated: true, .. }));
}

#[test]
fn degrees_feet_and_oblong_cells_are_refused_until_a_cell_size_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tif");
    let grid = metres(20, 10);
    let arc_second = 1.0 / 3600.0;
    let cases: [(&str, Vec<(Tag, Value)>); 4] = [
        ("degrees", georeferenced(arc_second, arc_second, &[[1024, 2], [1025, 1], [2048, 4326]])),
        ("degrees", georeferenced(arc_second, arc_second, &[[2048, 4326]])),
        ("EPSG unit 9003", georeferenced(98.4, 98.4, &[[1024, 1], [3072, 2225], [3076, 9003]])),
        ("30 m to the east by 31 m", georeferenced(30.0, 31.0, &UTM)),
    ];
    for (reason, tags) in cases {
        tiff_file::<Gray16>(&path, &grid.map(|h| h as u16), PLAIN, &tags);
        let message = read(&path).unwrap_err().to_string();
        assert!(message.contains(reason) && message.contains("give the cell size"), "{message}");
        let given = ReadOptions { cell: Some(28.0), ..Default::default() };
        let frame = read_heightfield(&path, &given).unwrap().field.frame;
        assert_eq!((frame.cell, frame.origin, frame.crs), (28.0, [0.0, 0.0], None));
    }
    for (keys, words) in
        [([4099, 9036], "heights are not in metres (EPSG unit 9036)"), ([4096, 5715], "count downwards")]
    {
        tiff_file::<Gray16>(&path, &grid.map(|h| h as u16), PLAIN, &georeferenced(30.0, 30.0, &[keys]));
        let message = read(&path).unwrap_err().to_string();
        assert!(message.contains(words), "{message}");
    }
}

/// Tags of a map in arc seconds with its north-west corner in the San Gabriel Mountains.
fn in_degrees(datum: u16) -> Vec<(Tag, Value)> {
    let arc_second = 1.0 / 3600.0;
    let mut tags = georeferenced(arc_second, arc_second, &[[1024, 2], [1025, 1], [2048, datum]]);
    tags[1] = (Tag::ModelTiepointTag, Value::Doubles(vec![0.0, 0.0, 0.0, -118.3, 34.4, 0.0]));
    tags
}

#[test]
fn the_refusal_of_degrees_names_the_zone_and_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dem.tif");
    tiff_file::<Gray16>(&path, &metres(20, 10).map(|h| h as u16), PLAIN, &in_degrees(4326));
    let message = read(&path).unwrap_err().to_string();
    for words in
        ["UTM zone 11N (EPSG:32611)", "--utm", "utm = true", "thalweg convert ", " dem_utm.tif --utm`"]
    {
        assert!(message.contains(words), "{words} is not in: {message}");
    }
}

#[test]
fn degrees_become_metres_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dem.tif");
    let grid = metres(120, 90);
    tiff_file::<Gray16>(&path, &grid.map(|h| h as u16), PLAIN, &in_degrees(4326));
    let options = ReadOptions { utm: true, ..Default::default() };
    let Imported { field, notices, .. } = read_heightfield(&path, &options).unwrap();
    let (cols, rows) = (field.height.cols(), field.height.rows());
    // An arc second is 25.5 m by 30.8 m at 34.4° north; the map loses a little all around, because it is turned by 0.7°.
    assert_eq!(field.frame.crs.as_deref(), Some("EPSG:32611"));
    assert!((field.frame.cell - 28.1).abs() < 0.11, "{} m", field.frame.cell);
    assert!((100..=110).contains(&cols) && (92..=99).contains(&rows), "{cols} × {rows}");
    let [told] = &notices[..] else { panic!("{notices:?}") };
    assert!(told.to_string().contains("UTM zone 11N (EPSG:32611)"), "{told}");
    let size = estimate(&path, &options).unwrap();
    assert_eq!((size.cols, size.rows), (cols, rows));

    let coarse =
        read_heightfield(&path, &ReadOptions { cell: Some(100.0), ..options.clone() }).unwrap().field;
    assert_eq!(coarse.frame.cell, 100.0);
    let little = ReadOptions { cell: Some(0.01), ..options.clone() };
    assert!(matches!(read_heightfield(&path, &little).unwrap_err(), ReadError::TooLarge { .. }));

    tiff_file::<Gray16>(&path, &grid.map(|h| h as u16), PLAIN, &in_degrees(4267));
    let message = read_heightfield(&path, &options).unwrap_err().to_string();
    assert!(message.contains("EPSG:4267") && message.contains("WGS 84"), "{message}");
    tiff_file::<Gray16>(&path, &grid.map(|h| h as u16), PLAIN, &georeferenced(30.0, 30.0, &UTM));
    let metres = read_heightfield(&path, &options).unwrap();
    assert_eq!((metres.field.height, metres.notices), (grid, vec![Notice::NotInDegrees]));
}

#[test]
fn raw_files_get_their_size_and_byte_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.raw");
    let grid = metres(40, 90);
    let bytes: Vec<u8> = codes(&grid).into_iter().flat_map(u16::to_be_bytes).collect();
    std::fs::write(&path, &bytes).unwrap();
    // 3600 cells are also a square of 60, but a rough one.
    let guessed = read(&path).unwrap();
    assert_eq!(guessed.field.height, grid);
    let told = |read: &Imported, is: fn(&Notice) -> bool| read.notices.iter().any(is);
    assert!(told(&guessed, |notice| matches!(notice, Notice::RawSizeGuessed { cols: 40, rows: 90 })));
    assert!(told(&guessed, |notice| matches!(notice, Notice::ByteOrderGuessed { .. })));
    let sized = ReadOptions { size: Some([40, 90]), ..Default::default() };
    let with = |order| {
        let options = ReadOptions { byte_order: Some(order), ..sized.clone() };
        read_heightfield(&path, &options).unwrap()
    };
    let wrong = with(ByteOrder::Little);
    assert!(told(&wrong, |notice| matches!(notice, Notice::ByteOrder { .. })), "{:?}", wrong.notices);
    let right = with(ByteOrder::Big);
    assert_eq!(right.field.height, grid);
    assert_eq!(right.notices, [Notice::TakenAsMetres, Notice::CellUnknown { cell: 1.0 }]);

    let error = read_heightfield(&path, &ReadOptions { size: Some([40, 91]), ..sized }).unwrap_err();
    assert!(matches!(error, ReadError::RawSize { cols: 40, rows: 91, bytes: 7200, .. }), "{error}");
    std::fs::write(&path, &bytes[..7000]).unwrap();
    assert!(matches!(read(&path).unwrap_err(), ReadError::RawSizeUnknown { bytes: 7000, .. }));
}

/// Heights once kept in 8 bits and widened by 256 look alike in both orders, apart from the scale.
#[test]
fn widened_eight_bit_heights_are_not_taken_for_swapped_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.raw");
    let widened = metres(60, 60).map(|h| (h / 8.0).floor() * 256.0);
    std::fs::write(&path, codes(&widened).into_iter().flat_map(u16::to_le_bytes).collect::<Vec<u8>>())
        .unwrap();
    let notices = read(&path).unwrap().notices;
    assert!(!notices.iter().any(|notice| matches!(notice, Notice::ByteOrder { .. })), "{notices:?}");
}

#[test]
fn an_exr_without_a_height_channel_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.exr");
    let samples = FlatSamples::F32(metres(8, 8).into_values());
    common::exr_file(&path, [8, 8], &["normal.x", "normal.y"], samples, Encoding::UNCOMPRESSED);
    let message = read(&path).unwrap_err().to_string();
    assert!(message.contains("normal.x, normal.y") && message.contains("channel named Y"), "{message}");
}

#[test]
fn content_wins_over_the_name() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = common::written(folder.path(), "a.tif", 20, 10);
    let renamed = folder.path().join("b.raw");
    std::fs::rename(path, &renamed).unwrap();
    assert_eq!(read(&renamed).unwrap().field, north_west(20, 10));
}

#[test]
fn options_out_of_range_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = common::written(folder.path(), "a.tif", 20, 10);
    for cell in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error =
            read_heightfield(&path, &ReadOptions { cell: Some(cell), ..Default::default() }).unwrap_err();
        assert!(matches!(error, ReadError::Option { option: "the cell size", .. }), "{error}");
    }
    let range = Some([0.0, f64::NAN]);
    assert!(read_heightfield(&path, &ReadOptions { height_range: range, ..Default::default() }).is_err());
}

#[test]
fn every_notice_is_a_sentence() {
    let notices = [
        Notice::EightBit,
        Notice::FewLevels { levels: 12 },
        Notice::ColourTagIgnored { chunk: "sRGB" },
        Notice::AlphaIgnored,
        Notice::Filled { count: 3, total: 9 },
        Notice::LooksLikeNodata { value: -9999.0, count: 2 },
        Notice::CellUnknown { cell: 1.0 },
        Notice::ByteOrder { roughness: 0.2, swapped: 0.001 },
        Notice::TakenAsMetres,
        Notice::SidecarIgnored { path: "a.thalweg.json".into() },
    ];
    assert!(notices.iter().all(|notice| notice.to_string().len() > 20));
    assert!(notices[7].to_string().contains("200 times"));
}
