//! Files as other programs write them: what was once read wrongly without a word.

use crate::common::{self, PLAIN, Value, metres, north_west, tiff_file};
use std::fs::File;
use std::path::Path;
use thalweg_field::{FieldInfo, Frame, Grid2};
use thalweg_io::{
    Imported, Notice, ReadError, ReadOptions, Story, Streamed, Window, WriteOptions, estimate,
    read_heightfield, survey, write_heightfield,
};
use tiff::encoder::TiffEncoder;
use tiff::encoder::colortype::{Gray8, Gray16, Gray32Float, GrayI16};
use tiff::tags::Tag;

const SIZE: [usize; 2] = [20, 10];

fn read(path: &Path) -> Result<Imported, ReadError> {
    read_heightfield(path, &ReadOptions::default())
}

/// What GDAL writes about scale, offset and unit.
const GDAL: Tag = Tag::Unknown(42112);

fn geo(keys: &[[u16; 4]], doubles: Vec<f64>, text: &'static str) -> Vec<(Tag, Value)> {
    let head = [1, 1, 0, keys.len() as u16];
    let mut tags = vec![
        (Tag::ModelPixelScaleTag, Value::Doubles(vec![30.0, 30.0, 0.0])),
        (Tag::ModelTiepointTag, Value::Doubles(vec![0.0, 0.0, 0.0, 500.0, 900.0, 0.0])),
        (Tag::GeoKeyDirectoryTag, Value::Shorts(head.into_iter().chain(keys.concat()).collect())),
    ];
    if !doubles.is_empty() {
        tags.push((Tag::GeoDoubleParamsTag, Value::Doubles(doubles)));
    }
    if !text.is_empty() {
        tags.push((Tag::GeoAsciiParamsTag, Value::Text(text)));
    }
    tags
}

/// UTM, by its number.
const UTM: [[u16; 4]; 3] = [[1024, 0, 1, 1], [1025, 0, 1, 1], [3072, 0, 1, 32611]];

/// A height of 12345 below the mask was read as ground.
#[test]
fn cells_behind_the_mask_inside_a_tiff_are_no_ground() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("masked.tif");
    let mut grid = metres(SIZE[0], SIZE[1]);
    let whole = grid.clone();
    grid.set(7, 4, 12345.0);
    let mut encoder = TiffEncoder::new(File::create(&path).unwrap()).unwrap();
    encoder.write_image::<Gray32Float>(20, 10, grid.values()).unwrap();
    // One bit for each cell, rows padded to whole bytes.
    let mut bits = [[0xffu8, 0xff, 0xf0]; 10];
    bits[4][0] = 0b1111_1110;
    let mut mask = encoder.image_directory().unwrap();
    let at = mask.write_data(bits.as_flattened()).unwrap() as u32;
    for (tag, value) in [
        (Tag::NewSubfileType, 4u32),
        (Tag::ImageWidth, 20),
        (Tag::ImageLength, 10),
        (Tag::StripOffsets, at),
        (Tag::StripByteCounts, 30),
    ] {
        mask.write_tag(tag, value).unwrap();
    }
    for (tag, value) in
        [(Tag::BitsPerSample, 1u16), (Tag::Compression, 1), (Tag::PhotometricInterpretation, 4)]
    {
        mask.write_tag(tag, value).unwrap();
    }
    mask.finish().unwrap();
    drop(encoder);
    let back = read(&path).unwrap();
    let error = (back.field.height.at(7, 4) - whole.at(7, 4)).abs();
    assert!(error < 30.0, "the masked cell was filled with {} m", back.field.height.at(7, 4));
    assert_eq!(back.field.height.at(8, 4), whole.at(8, 4));
    assert!(back.notices.contains(&Notice::MaskUsed), "{:?}", back.notices);
    assert!(back.notices.contains(&Notice::Filled { count: 1, total: 200 }), "{:?}", back.notices);
}

#[test]
fn scale_and_offset_of_gdal_are_applied_and_nodata_is_compared_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scaled.tif");
    let mut tenths = metres(SIZE[0], SIZE[1]);
    tenths.set(3, 3, -9999.0);
    let mut tags = geo(&UTM, vec![], "");
    let xml = "<GDALMetadata>\n  <Item name=\"OFFSET\" sample=\"0\" role=\"offset\">-50</Item>\n  \
               <Item name=\"SCALE\" sample=\"0\" role=\"scale\">0.1</Item>\n</GDALMetadata>";
    tags.extend([(GDAL, Value::Text(xml)), (Tag::GdalNodata, Value::Text("-9999"))]);
    tiff_file::<GrayI16>(&path, &tenths.map(|h| h as i16), PLAIN, &tags);
    let back = read(&path).unwrap();
    let expected = f64::from(tenths.at(8, 2)) * 0.1 - 50.0;
    assert!(
        (f64::from(back.field.height.at(8, 2)) - expected).abs() < 1.0e-4,
        "{}",
        back.field.height.at(8, 2)
    );
    assert!(back.notices.contains(&Notice::Filled { count: 1, total: 200 }), "{:?}", back.notices);
    assert!(back.notices.contains(&Notice::Scaled { scale: 0.1, offset: -50.0 }), "{:?}", back.notices);
}

/// By a unit of its own, by that of a compound system (NAVD 88 in US survey feet), and by GDAL's word.
#[test]
fn heights_in_feet_become_metres() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("feet.tif");
    let grid = metres(SIZE[0], SIZE[1]);
    let word =
        "<GDALMetadata><Item name=\"UNITTYPE\" sample=\"0\" role=\"unittype\">ft</Item></GDALMetadata>";
    for (key, foot) in [
        (Some([4099, 0, 1, 9002]), 0.3048),
        (Some([4096, 0, 1, 6360]), 1200.0 / 3937.0),
        (Some([4096, 0, 1, 8228]), 0.3048),
        (None, 0.3048),
    ] {
        let mut tags = geo(&UTM.into_iter().chain(key).collect::<Vec<_>>(), vec![], "");
        if key.is_none() {
            tags.push((GDAL, Value::Text(word)));
        }
        tiff_file::<Gray16>(&path, &grid.map(|h| h as u16), PLAIN, &tags);
        let back = read(&path).unwrap();
        let expected = f64::from(grid.at(2, 2)) * foot;
        let error = (f64::from(back.field.height.at(2, 2)) - expected).abs();
        assert!(error < 1.0e-4, "{key:?}: {} m, not {expected}", back.field.height.at(2, 2));
        assert_eq!(back.notices, [Notice::HeightsInFeet { metres: foot }], "{key:?}");
        assert_eq!(
            back.field.frame.crs.as_deref(),
            Some("EPSG:32611"),
            "{key:?}: heights are in feet no more"
        );
    }
}

/// GDAL, QGIS and engines take the numbers as they are.
#[test]
fn a_tiff_whose_zero_is_white_is_not_turned_upside_down() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("white.tif");
    let grid = metres(SIZE[0], SIZE[1]);
    tiff_file::<Gray16>(
        &path,
        &grid.map(|h| h as u16),
        PLAIN,
        &[(Tag::PhotometricInterpretation, Value::Shorts(vec![0]))],
    );
    let back = read(&path).unwrap();
    assert_eq!(back.field.height, grid);
    assert!(back.notices.contains(&Notice::WhiteIsZero), "{:?}", back.notices);
}

/// ESRI:102039, say: a system that the EPSG has no number for was dropped.
#[test]
fn a_system_without_a_number_survives_the_way_to_another_tiff() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("albers.tif");
    let keys = [
        [1024, 0, 1, 1],
        [1025, 0, 1, 1],
        [1026, 34737, 12, 0],
        [2048, 0, 1, 4269],
        [3072, 0, 1, 32767],
        [3074, 0, 1, 32767],
        [3075, 0, 1, 11],
        [3076, 0, 1, 9001],
        [3078, 34736, 1, 0],
        [3079, 34736, 1, 1],
    ];
    let grid = metres(SIZE[0], SIZE[1]);
    tiff_file::<Gray16>(&path, &grid.map(|h| h as u16), PLAIN, &geo(&keys, vec![29.5, 45.5], "USA_Albers_|"));
    let first = read(&path).unwrap().field;
    let crs = first.frame.crs.clone().expect("it has a coordinate system");
    for part in ["USA_Albers_", "29.5", "45.5", "\"3075\":11"] {
        assert!(crs.contains(part), "{part} is not in {crs}");
    }
    let other = folder.path().join("again.tif");
    write_heightfield(&other, &first, &WriteOptions::default()).unwrap();
    assert_eq!(read(&other).unwrap().field, first);
    let mut decoder = tiff::decoder::Decoder::new(File::open(&other).unwrap()).unwrap();
    let text = decoder.get_tag_ascii_string(Tag::GeoAsciiParamsTag).unwrap();
    assert!(text.contains("USA_Albers_|"), "{text}");
    let nodata = decoder.get_tag_ascii_string(Tag::GdalNodata).unwrap();
    assert_eq!(nodata.trim_end_matches('\0'), "nan", "where there is no number there is no height");
}

/// A zstd frame of one block that is not packed (RFC 8878).
fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0b1010_0000];
    frame.extend((bytes.len() as u32).to_le_bytes());
    frame.extend(&((bytes.len() as u32) << 3 | 1).to_le_bytes()[..3]);
    frame.extend(bytes);
    frame
}

#[test]
fn zstd_and_halves_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("zstd.tif");
    let grid = metres(SIZE[0], SIZE[1]);
    let halves: Vec<u8> =
        grid.values().iter().flat_map(|&h| exr::prelude::f16::from_f32(h).to_le_bytes()).collect();
    let mut encoder = TiffEncoder::new(File::create(&path).unwrap()).unwrap();
    let mut image = encoder.image_directory().unwrap();
    let packed = zstd(&halves);
    let at = image.write_data(packed.as_slice()).unwrap() as u32;
    for (tag, value) in [
        (Tag::ImageWidth, 20u32),
        (Tag::ImageLength, 10),
        (Tag::StripOffsets, at),
        (Tag::StripByteCounts, packed.len() as u32),
    ] {
        image.write_tag(tag, value).unwrap();
    }
    for (tag, value) in [
        (Tag::BitsPerSample, 16u16),
        (Tag::Compression, 50000),
        (Tag::PhotometricInterpretation, 1),
        (Tag::SampleFormat, 3),
    ] {
        image.write_tag(tag, value).unwrap();
    }
    image.finish().unwrap();
    let back = read(&path).unwrap().field.height;
    // Halves have 11 bits: steps of a metre above 1024 m.
    let off = back.values().iter().zip(grid.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(off <= 0.5, "{off} m off");
}

#[test]
fn one_band_of_several_is_asked_for_by_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bands.tif");
    let grid = metres(SIZE[0], SIZE[1]);
    // Two bands, one number of each after the other.
    let both: Vec<u16> = grid.values().iter().flat_map(|&h| [1, h as u16]).collect();
    let mut encoder = TiffEncoder::new(File::create(&path).unwrap()).unwrap();
    let mut image = encoder.image_directory().unwrap();
    let at = image.write_data(both.as_slice()).unwrap() as u32;
    for (tag, value) in [
        (Tag::ImageWidth, 20u32),
        (Tag::ImageLength, 10),
        (Tag::StripOffsets, at),
        (Tag::StripByteCounts, 800),
    ] {
        image.write_tag(tag, value).unwrap();
    }
    for (tag, value) in [(Tag::PhotometricInterpretation, 1u16), (Tag::SamplesPerPixel, 2)] {
        image.write_tag(tag, value).unwrap();
    }
    image.write_tag(Tag::BitsPerSample, [16u16, 16].as_slice()).unwrap();
    image.write_tag(Tag::ExtraSamples, 0u16).unwrap();
    image.finish().unwrap();
    let message = read(&path).unwrap_err().to_string();
    assert!(message.contains("2 bands") && message.contains("--band"), "{message}");
    let band =
        |band: &str| read_heightfield(&path, &ReadOptions { band: Some(band.into()), ..Default::default() });
    assert_eq!(band("2").unwrap().field.height, grid);
    assert_eq!(band("1").unwrap().field.height.range(), Some((1.0, 1.0)));
    let message = band("3").unwrap_err().to_string();
    assert!(message.contains("bands 1 to 2"), "{message}");
}

#[test]
fn cells_a_little_oblong_are_squares_with_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("oblong.tif");
    let grid = metres(SIZE[0], SIZE[1]).map(|h| h as u16);
    let mut tags = geo(&UTM, vec![], "");
    tags[0] = (Tag::ModelPixelScaleTag, Value::Doubles(vec![30.0, 30.009, 0.0]));
    tiff_file::<Gray16>(&path, &grid, PLAIN, &tags);
    let back = read(&path).unwrap();
    let [Notice::NearlySquare { east: 30.0, south: 30.009, cell }] = back.notices[..] else {
        panic!("{:?}", back.notices)
    };
    assert!((cell - 30.0045).abs() < 1.0e-6 && back.field.frame.cell == cell, "{cell} m");
    tags[0] = (Tag::ModelPixelScaleTag, Value::Doubles(vec![30.0, 30.16, 0.0]));
    tiff_file::<Gray16>(&path, &grid, PLAIN, &tags);
    assert!(matches!(read(&path).unwrap_err(), ReadError::CellShape { .. }));
}

#[test]
fn a_world_file_says_where_a_picture_lies() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dem.tif");
    tiff_file::<Gray16>(&path, &metres(SIZE[0], SIZE[1]).map(|h| h as u16), PLAIN, &[]);
    std::fs::write(folder.path().join("dem.tfw"), "30\n0\n0\n-30\n500015\n3999985\n").unwrap();
    std::fs::write(
        folder.path().join("dem.prj"),
        "PROJCS[\"UTM\",GEOGCS[\"x\"],UNIT[\"metre\",1],AUTHORITY[\"EPSG\",\"32611\"]]",
    )
    .unwrap();
    let frame = read(&path).unwrap().field.frame;
    assert_eq!(
        frame,
        Frame { cell: 30.0, origin: [500_000.0, 4_000_000.0 - 300.0], crs: Some("EPSG:32611".into()) }
    );
}

/// A picture with a world file in degrees is laid out in metres where that is asked for, and refused otherwise.
#[test]
fn a_picture_in_degrees_is_laid_out_in_metres() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dem.png");
    let codes: Vec<u16> = metres(SIZE[0], SIZE[1]).values().iter().map(|&height| height as u16).collect();
    common::png_file(&path, png::ColorType::Grayscale, SIZE, &codes, |_| {});
    std::fs::write(folder.path().join("dem.pgw"), "0.001\n0\n0\n-0.001\n7.0005\n46.9995\n").unwrap();
    std::fs::write(
        folder.path().join("dem.prj"),
        "GEOGCS[\"GCS_WGS_1984\",UNIT[\"Degree\",0.0174532925199433]]",
    )
    .unwrap();
    let refused = read_heightfield(&path, &ReadOptions::default()).unwrap_err().to_string();
    assert!(refused.contains("--utm") && refused.contains("32632"), "{refused}");
    let options = ReadOptions { utm: true, ..ReadOptions::default() };
    let size = estimate(&path, &options).unwrap();
    let Imported { field, notices, .. } = read_heightfield(&path, &options).unwrap();
    assert_eq!(field.frame.crs.as_deref(), Some("EPSG:32632"));
    assert!((75.0..112.0).contains(&field.frame.cell), "cells of {} m", field.frame.cell);
    assert_eq!([size.cols, size.rows], [field.height.cols(), field.height.rows()]);
    assert!(notices.iter().any(|notice| matches!(notice, Notice::Reprojected { .. })), "{notices:?}");
}

/// The terrain of all, as text.
fn ascii_grid(head: &str) -> String {
    let grid = metres(SIZE[0], SIZE[1]);
    let mut text = format!("ncols 20\r\nNROWS 10\n{head}\nNODATA_value -9999\n");
    for row in 0..10 {
        let words: Vec<_> = grid
            .row(row)
            .iter()
            .map(|&h| if h == grid.at(4, 4) { "-9999".into() } else { h.to_string() })
            .collect();
        text += &(words.join(" ") + "\n");
    }
    text
}

#[test]
fn ascii_grids_are_read_and_those_in_degrees_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dem.asc");
    std::fs::write(&path, ascii_grid("xllcenter 415\nyllcenter 615\ncellsize 30")).unwrap();
    let back = read(&path).unwrap();
    assert_eq!(back.field.height.at(0, 0), metres(20, 10).at(0, 0));
    assert_eq!((back.field.frame.cell, back.field.frame.origin), (30.0, [400.0, 600.0]));
    assert!(
        matches!(
            back.notices[..],
            [Notice::TakenAsMetres, Notice::Filled { total: 200, .. }] | [Notice::Filled { total: 200, .. }]
        ),
        "{:?}",
        back.notices
    );
    std::fs::write(&path, ascii_grid("xllcorner -118.3\nyllcorner 34.4\ncellsize 0.000277778")).unwrap();
    let message = read(&path).unwrap_err().to_string();
    assert!(message.contains("degrees") && message.contains("--utm"), "{message}");
    let options = ReadOptions { utm: true, ..Default::default() };
    let laid_out = read_heightfield(&path, &options).unwrap();
    assert_eq!(laid_out.field.frame.crs.as_deref(), Some("EPSG:32611"));
    let size = estimate(&path, &options).unwrap();
    assert_eq!([size.cols, size.rows], [laid_out.field.height.cols(), laid_out.field.height.rows()]);
}

#[test]
fn a_tile_of_srtm_is_laid_out_in_metres() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("N34W119.hgt");
    let ground = metres(121, 121);
    let bytes: Vec<u8> = ground
        .values()
        .iter()
        .enumerate()
        .flat_map(|(at, &h)| if at == 5000 { i16::MIN } else { h as i16 }.to_be_bytes())
        .collect();
    std::fs::write(&path, &bytes).unwrap();
    assert!(matches!(read(&path).unwrap_err(), ReadError::Geographic { .. }));
    let utm = ReadOptions { utm: true, ..Default::default() };
    let back = read_heightfield(&path, &utm).unwrap();
    assert_eq!(back.field.frame.crs.as_deref(), Some("EPSG:32611"));
    let height = &back.field.height;
    assert!(height.at(0, 0) > height.at(height.cols() - 1, height.rows() - 1) + 500.0, "turned around");
    let plain = ReadOptions { cell: Some(900.0), ..Default::default() };
    let plain = read_heightfield(&path, &plain).unwrap();
    assert_eq!(plain.notices, [Notice::Filled { count: 1, total: 121 * 121 }]);
}

/// Four cells of metres, row 0 in the north, as each format has them.
#[test]
fn arrays_and_float_maps_are_read_upright() {
    let folder = tempfile::tempdir().unwrap();
    let expected = Grid2::from_values(3, 2, vec![6.5f32, 5.0, 4.0, 3.0, 2.0, -1.0]).unwrap();
    let check = |name: &str, bytes: Vec<u8>| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(read(&path).unwrap_or_else(|error| panic!("{error}")).field.height, expected, "{name}");
    };
    let npy = |descr: &str, fortran: &str, data: Vec<u8>| {
        let mut head =
            format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': (2, 3), }}").into_bytes();
        head.resize(117, b' ');
        head.push(b'\n');
        [b"\x93NUMPY\x01\x00".as_slice(), &118u16.to_le_bytes(), &head, &data].concat()
    };
    let rows = expected.values();
    check("c.npy", npy("<f4", "False", rows.iter().flat_map(|v| v.to_le_bytes()).collect()));
    check("d.npy", npy(">f8", "False", rows.iter().flat_map(|&v| f64::from(v).to_be_bytes()).collect()));
    let columns = [0, 3, 1, 4, 2, 5].map(|at| rows[at]);
    check("f.npy", npy("<f4", "True", columns.iter().flat_map(|v| v.to_le_bytes()).collect()));
    let lowest_first = [3, 4, 5, 0, 1, 2].map(|at| rows[at]);
    let pfm = |scale: &str, data: Vec<u8>| [format!("Pf\n3 2\n{scale}\n").into_bytes(), data].concat();
    check("l.pfm", pfm("-1.0", lowest_first.iter().flat_map(|v| v.to_le_bytes()).collect()));
    check("b.pfm", pfm("1.0", lowest_first.iter().flat_map(|v| v.to_be_bytes()).collect()));
}

#[test]
fn raw_floats_find_their_byte_order() {
    let folder = tempfile::tempdir().unwrap();
    let grid = north_west(40, 40).height;
    for (name, bytes) in [
        ("l.r32", grid.values().iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>()),
        ("b.r32", grid.values().iter().flat_map(|v| v.to_be_bytes()).collect()),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let back = read(&path).unwrap();
        assert_eq!(back.field.height, grid, "{name}");
        let guessed = back.notices.iter().any(|notice| matches!(notice, Notice::ByteOrderGuessed { .. }));
        assert_eq!(guessed, name == "b.r32", "{:?}", back.notices);
    }
    let path = folder.path().join("ours.r32");
    let field = north_west(17, 9);
    write_heightfield(&path, &field, &WriteOptions::default()).unwrap();
    let back = read(&path).unwrap();
    assert_eq!((back.field, back.notices), (field, vec![]));
}

/// `a.r16`, then `a.png` of another size, made `a.r16` unreadable: they shared `a.thalweg.json`.
#[test]
fn files_of_one_name_keep_a_description_each() {
    let folder = tempfile::tempdir().unwrap();
    let [raw, png] = ["a.r16", "a.png"].map(|name| folder.path().join(name));
    let (large, small) = (north_west(40, 30), north_west(20, 15));
    let write = |path: &Path, field| write_heightfield(path, field, &WriteOptions::default()).unwrap();
    write(&raw, &large);
    write(&png, &small);
    let back = read(&raw).unwrap();
    assert_eq!((back.field.frame, back.notices), (large.frame.clone(), vec![]));
    assert_eq!(read(&png).unwrap().notices, []);
    // Written again, each finds its own.
    write(&raw, &small);
    let shared = std::fs::read_to_string(folder.path().join("a.thalweg.json")).unwrap();
    assert!(shared.contains("\"file\": \"a.r16\"") && shared.contains("\"cols\": 20"), "{shared}");
    let own = std::fs::read_to_string(folder.path().join("a.png.thalweg.json")).unwrap();
    assert!(own.contains("\"file\": \"a.png\""), "{own}");
}

/// `convert maps/flow.exr flow.tif` was labelled "height, m".
#[test]
fn what_the_numbers_are_travels_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let flow = FieldInfo::new("flow", "m²/s", "mean discharge");
    for name in ["flow.tif", "flow.exr", "flow.png", "flow.r16", "flow.r32"] {
        let path = folder.path().join(name);
        let story = Story { seed: Some(7), sea_level: Some(0.0), ..Default::default() };
        let options = WriteOptions { info: Some(flow.clone()), story, ..Default::default() };
        write_heightfield(&path, &north_west(9, 7), &options).unwrap();
        assert_eq!(read(&path).unwrap().info, flow, "{name}");
    }
    let sidecar = std::fs::read_to_string(folder.path().join("flow.thalweg.json")).unwrap();
    let sidecar: serde_json::Value = serde_json::from_str(&sidecar).unwrap();
    assert_eq!((&sidecar["seed"], &sidecar["sea_level_m"]), (&7.into(), &0.0.into()));
}

/// Another program that saves a PNG again packs its texts (zTXt) or writes them in Unicode (iTXt).
#[test]
fn a_description_is_found_however_the_text_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = common::written(folder.path(), "ours.png", 20, 10);
    let expected = read(&path).unwrap();
    let decoder = png::Decoder::new(std::io::BufReader::new(File::open(&path).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let text = reader.info().uncompressed_latin1_text[0].text.clone();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    for kind in ["zTXt", "iTXt"] {
        let again = folder.path().join(format!("{kind}.png"));
        let mut encoder = png::Encoder::new(File::create(&again).unwrap(), 20, 10);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::Sixteen);
        if kind == "zTXt" {
            encoder.add_ztxt_chunk("thalweg".into(), text.clone()).unwrap();
        } else {
            encoder.add_itxt_chunk("thalweg".into(), text.clone()).unwrap();
        }
        encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
        assert_eq!(read(&again).unwrap(), expected, "{kind}");
    }
}

#[test]
fn choices_among_the_channels_of_an_exr_are_told() {
    use exr::prelude::{Encoding, FlatSamples};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.exr");
    let samples = FlatSamples::F32(metres(8, 8).into_values());
    common::exr_file(&path, [8, 8], &["Y", "mask"], samples.clone(), Encoding::UNCOMPRESSED);
    let told =
        |notices: &[Notice]| notices.iter().any(|notice| matches!(notice, Notice::ChannelChosen { .. }));
    assert!(told(&read(&path).unwrap().notices));
    let mask = ReadOptions { band: Some("mask".into()), ..Default::default() };
    assert!(!told(&read_heightfield(&path, &mask).unwrap().notices));
    let none = ReadOptions { band: Some("depth".into()), ..Default::default() };
    let message = read_heightfield(&path, &none).unwrap_err().to_string();
    assert!(message.contains("channels Y, mask"), "{message}");
    // Grey as three equal channels leaves nothing out; three that differ do.
    common::exr_file(&path, [8, 8], &["B", "G", "R"], samples, Encoding::UNCOMPRESSED);
    assert!(!told(&read(&path).unwrap().notices));
    let mut bytes = std::fs::read(&path).unwrap();
    let last = bytes.len() - 40;
    bytes[last] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let notices = read(&path).unwrap().notices;
    assert!(notices.iter().any(|n| matches!(n, Notice::ChannelChosen { differ: true, .. })), "{notices:?}");
}

#[test]
fn the_part_named_height_is_read_wherever_it_stands() {
    use exr::prelude::{Image, Layer, LayerAttributes, SpecificChannels, Text, WritableImage};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("parts.exr");
    let layer = |name: &str, value: f32| {
        let channels = SpecificChannels::build().with_channel("Y").with_pixel_fn(move |_| (value,));
        let attributes = LayerAttributes::named(Text::from(name));
        Layer::new((6, 4), attributes, exr::prelude::Encoding::UNCOMPRESSED, channels)
    };
    let layers = vec![layer("mask", 1.0), layer("height", 250.0)];
    Image::from_layers(
        exr::prelude::ImageAttributes::new(exr::prelude::IntegerBounds::from_dimensions((6, 4))),
        layers,
    )
    .write()
    .to_file(&path)
    .unwrap();
    let back = read(&path).unwrap();
    assert_eq!(back.field.height.range(), Some((250.0, 250.0)));
    assert!(
        back.notices.contains(&Notice::PartChosen { part: 1, name: "height".into(), count: 2 }),
        "{:?}",
        back.notices
    );
}

/// Row by row and all at once are the same, to the byte.
#[test]
fn rows_that_pass_by_make_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let field = north_west(301, 270);
    let from = folder.path().join("from.tif");
    write_heightfield(&from, &field, &WriteOptions::default()).unwrap();
    let options = ReadOptions::default();
    let surveyed = survey(&from, &options).unwrap().expect("a TIFF comes row by row");
    assert_eq!((surveyed.frame.clone(), surveyed.notices.clone()), (field.frame.clone(), vec![]));
    let streamed = Streamed { from, options, surveyed };
    let part = Window { west: 100, north: 30, cols: 90, rows: 200 };
    for window in [streamed.whole(), part] {
        let frame = window.frame(&field.frame, 270);
        let field = thalweg_field::Heightfield { height: window.of(&field.height), frame };
        for name in ["a.tif", "a.png", "a.r16", "a.r32", "a.exr", "a.pfm", "a.npy", "a.asc"] {
            let south = name == "a.r16";
            let how = WriteOptions { south_first: south, ..WriteOptions::default() };
            let [whole, rows] = ["whole", "rows"].map(|dir| folder.path().join(dir).join(name));
            for path in [&whole, &rows] {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            }
            write_heightfield(&whole, &field, &how).unwrap();
            streamed.write(window, &rows, &how).unwrap();
            assert!(std::fs::read(&whole).unwrap() == std::fs::read(&rows).unwrap(), "{name} differs");
            let back = read_heightfield(&rows, &ReadOptions::default()).unwrap().field;
            assert_eq!(back.frame.origin, field.frame.origin, "{name}");
        }
    }
}

/// A strip that is not packed need not be there as a whole.
#[test]
fn a_large_strip_is_read_in_slices() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("strip.tif");
    let heights = north_west(1009, 4400).height;
    let bytes: Vec<u8> = heights.values().iter().flat_map(|height| height.to_le_bytes()).collect();
    std::fs::write(&path, bytes).unwrap();
    common::in_one_strip(&path, [1009, 4400]);
    let options = ReadOptions::default();
    let size = estimate(&path, &options).unwrap();
    // Twice 24 bytes for each cell of a strip would be 213 MB.
    let scratch = size.bytes - 4 * 1009 * 4400;
    assert!(scratch < 64 << 20, "{scratch} bytes beside the heights");
    let back = read_heightfield(&path, &options).unwrap().field.height;
    // The head of the file has the place of the first two cells; the others come two places before.
    assert!(back.values()[..back.len() - 2] == heights.values()[2..]);
}

#[test]
fn eight_bits_of_any_depth_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tif");
    tiff_file::<Gray8>(&path, &metres(20, 10).map(|h| (h / 8.0) as u8), PLAIN, &[]);
    assert!(read(&path).unwrap().notices.contains(&Notice::EightBit));
}

/// A corner of a mesh that is no two alike, as each format gives it back.
#[test]
fn meshes_of_other_formats_come_back_upright() {
    use thalweg_io::{read_mesh, write_mesh};
    let folder = tempfile::tempdir().unwrap();
    let pyramid = common::pyramid();
    for name in ["a.stl", "a.glb", "a.obj", "a.ply"] {
        let path = folder.path().join(name);
        write_mesh(&path, &pyramid, None).unwrap();
        let back = read_mesh(&path, 1 << 20).unwrap();
        assert_eq!(back.triangles.len(), pyramid.triangles.len(), "{name}");
        for (ours, theirs) in pyramid.triangles.iter().zip(&back.triangles) {
            let places = |mesh: &thalweg_field::TriMesh, triangle: &[u32; 3]| {
                triangle.map(|corner| mesh.positions[corner as usize].map(|x| x + 0.0))
            };
            assert_eq!(places(&pyramid, ours), places(&back, theirs), "{name}");
        }
    }
}

/// Truncated, flipped and overwritten: an error with the file's name, and nothing worse.
#[test]
fn damaged_meshes_are_refused_at_once() {
    use thalweg_field::random::Key;
    use thalweg_io::{read_mesh, write_mesh};
    let folder = tempfile::tempdir().unwrap();
    for (index, name) in ["a.stl", "a.glb", "a.obj", "a.ply"].into_iter().enumerate() {
        let path = folder.path().join(name);
        write_mesh(&path, &common::pyramid(), None).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for round in 0..300 {
            let key = Key::new(29).with(index as u64).with(round);
            let mut bytes = whole.clone();
            common::damage(&mut bytes, key);
            if round % 3 == 0 {
                bytes.truncate(key.with(9).bits() as usize % whole.len());
            }
            std::fs::write(&path, &bytes).unwrap();
            match common::at_once(&path, || read_mesh(&path, 1 << 20)) {
                Ok(mesh) => {
                    let count = mesh.positions.len() as u32;
                    assert!(mesh.triangles.iter().flatten().all(|&corner| corner < count));
                    assert!(mesh.positions.iter().flatten().all(|x| x.is_finite()));
                }
                Err(error) => assert!(error.to_string().contains(name), "{error}"),
            }
        }
    }
}
