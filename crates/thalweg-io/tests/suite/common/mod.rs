//! What the tests share: one terrain, particles and a mesh, and files as other programs write them.

use exr::prelude::{
    AnyChannel, AnyChannels, Blocks, Compression as Packing, Encoding, FlatSamples, Image, Layer,
    LayerAttributes, LineOrder, Vec2, WritableImage, f16,
};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use thalweg_field::random::Key;
use thalweg_field::{Column, FieldInfo, Frame, Grid2, Heightfield, Points, TriMesh};
use thalweg_io::{WriteOptions, write_heightfield};
use tiff::encoder::colortype::{ColorType, Gray16, Gray32, Gray32Float, Gray64Float, GrayI16, GrayI32};
use tiff::encoder::{Compression, DeflateLevel, Predictor, TiffEncoder, TiffValue};
use tiff::tags::Tag;

/// Terrain with no symmetry: high in the north-west, a little rough, partly below zero.
pub(crate) fn north_west(cols: usize, rows: usize) -> Heightfield {
    let key = Key::new(7);
    let height = Grid2::from_fn(cols, rows, |col, row| {
        let (east, south) = (col as f64 / cols as f64, row as f64 / rows as f64);
        let rough = key.with(col as u64).with(row as u64).unit();
        (900.0 * (1.0 - east) * (1.0 - south) - 150.0 * east + rough) as f32
    });
    let frame = Frame { cell: 12.5, origin: [431_000.25, 5_412_000.5], crs: Some("EPSG:32611".into()) };
    Heightfield { height, frame }
}

/// Particles with no symmetry, and three labelled columns.
pub(crate) fn droplets(count: usize) -> Points {
    let key = Key::new(3);
    let number = |point: usize, which: u64| key.with(point as u64).with(which).unit() as f32 * 200.0 - 100.0;
    let column =
        |info, which| Column { info, values: (0..count).map(|point| number(point, which)).collect() };
    Points {
        positions: (0..count).map(|point| [0, 1, 2].map(|axis| number(point, axis))).collect(),
        radius: 0.037,
        // 32-bit floats would make pairs of them the same.
        ids: (0..count as u32).map(|point| (1 << 30) + 3 * point).collect(),
        columns: vec![
            column(FieldInfo::new("speed", "m/s", "how fast it is"), 3),
            column(FieldInfo::new("foam", "-", ""), 4),
            column(FieldInfo::new("dichte", "kg m⁻³", "Masse je Raum"), 5),
        ],
    }
}

/// A pyramid of four triangles and a square, as a mesh of triangles.
pub(crate) fn pyramid() -> TriMesh {
    TriMesh {
        positions: vec![
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.25],
            [1.0, 1.0, 0.0],
            [0.0, 1.0, -0.125],
            [0.5, 0.5, 2.0],
        ],
        normals: Vec::new(),
        triangles: vec![[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4], [0, 3, 2], [0, 2, 1]],
    }
}

/// A file with that terrain, and its bytes.
pub(crate) fn written(folder: &Path, name: &str, cols: usize, rows: usize) -> (PathBuf, Vec<u8>) {
    let path = folder.join(name);
    write_heightfield(&path, &north_west(cols, rows), &WriteOptions::default()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    (path, bytes)
}

/// Whole metres without a sign: what an integer file can hold.
pub(crate) fn metres(cols: usize, rows: usize) -> Grid2<f32> {
    north_west(cols, rows).height.map(|h| (h + 200.0).round())
}

/// A PNG file of 16-bit samples, or of what `more` makes of its head.
pub(crate) fn png_file(
    path: &Path,
    colour: png::ColorType,
    size: [usize; 2],
    codes: &[u16],
    more: impl Fn(&mut png::Info),
) {
    let mut info = png::Info::with_size(size[0] as u32, size[1] as u32);
    info.color_type = colour;
    info.bit_depth = png::BitDepth::Sixteen;
    more(&mut info);
    let eight = info.bit_depth == png::BitDepth::Eight;
    let bytes: Vec<u8> = if eight {
        codes.iter().map(|&code| code as u8).collect()
    } else {
        codes.iter().flat_map(|code| code.to_be_bytes()).collect()
    };
    let mut writer =
        png::Encoder::with_info(File::create(path).unwrap(), info).unwrap().write_header().unwrap();
    writer.write_image_data(&bytes).unwrap();
    writer.finish().unwrap();
}

/// What a TIFF tag can hold here.
pub(crate) enum Value {
    Doubles(Vec<f64>),
    Shorts(Vec<u16>),
    Text(&'static str),
}

/// A TIFF file in strips, with tags of its own.
pub(crate) fn tiff_file<C: ColorType>(
    path: &Path,
    grid: &Grid2<C::Inner>,
    packing: (Compression, Predictor),
    tags: &[(Tag, Value)],
) where
    C::Inner: Copy,
    [C::Inner]: TiffValue,
{
    let encoder = TiffEncoder::new(File::create(path).unwrap()).unwrap();
    let mut encoder = encoder.with_compression(packing.0).with_predictor(packing.1);
    let mut image = encoder.new_image::<C>(grid.cols() as u32, grid.rows() as u32).unwrap();
    for (tag, value) in tags {
        let encoder = image.encoder();
        match value {
            Value::Doubles(numbers) => encoder.write_tag(*tag, &numbers[..]).unwrap(),
            Value::Shorts(numbers) => encoder.write_tag(*tag, &numbers[..]).unwrap(),
            Value::Text(text) => encoder.write_tag(*tag, *text).unwrap(),
        }
    }
    image.write_data(grid.values()).unwrap();
}

/// Not packed at all.
pub(crate) const PLAIN: (Compression, Predictor) = (Compression::Uncompressed, Predictor::None);

/// A TIFF file of 32-bit floats in tiles of 16 × 16, the outer ones padded.
pub(crate) fn tiled_tiff_file(path: &Path, grid: &Grid2<f32>) {
    let mut encoder = TiffEncoder::new(File::create(path).unwrap()).unwrap();
    let mut image = encoder.image_directory().unwrap();
    let (mut offsets, mut lengths) = (Vec::new(), Vec::new());
    for row in (0..grid.rows()).step_by(16) {
        for col in (0..grid.cols()).step_by(16) {
            let tile = Grid2::from_fn(16, 16, |c, r| grid.at_clamped((col + c) as isize, (row + r) as isize));
            offsets.push(image.write_data(tile.values()).unwrap() as u32);
            lengths.push(16 * 16 * 4u32);
        }
    }
    image.write_tag(Tag::ImageWidth, grid.cols() as u32).unwrap();
    image.write_tag(Tag::ImageLength, grid.rows() as u32).unwrap();
    for (tag, value) in [
        (Tag::BitsPerSample, 32u16),
        (Tag::Compression, 1),
        (Tag::PhotometricInterpretation, 1),
        (Tag::SamplesPerPixel, 1),
        (Tag::SampleFormat, 3),
        (Tag::TileWidth, 16),
        (Tag::TileLength, 16),
    ] {
        image.write_tag(tag, value).unwrap();
    }
    image.write_tag(Tag::TileOffsets, &offsets[..]).unwrap();
    image.write_tag(Tag::TileByteCounts, &lengths[..]).unwrap();
    image.finish().unwrap();
}

/// An EXR file with one channel for each name, all holding the same samples.
pub(crate) fn exr_file(
    path: &Path,
    size: [usize; 2],
    names: &[&str],
    samples: FlatSamples,
    encoding: Encoding,
) {
    let channels = names.iter().map(|&name| AnyChannel::new(name, samples.clone())).collect();
    let layer =
        Layer::new((size[0], size[1]), LayerAttributes::default(), encoding, AnyChannels::sort(channels));
    Image::from_layer(layer).write().to_file(path).unwrap();
}

/// Files of every kind that is read, as other programs write them; all hold [`metres`] of this size.
pub(crate) fn corpus(folder: &Path, cols: usize, rows: usize) -> Vec<PathBuf> {
    let metres = metres(cols, rows);
    let size = [cols, rows];
    let mut paths = Vec::new();
    let mut named = |name: &str| {
        paths.push(folder.join(name));
        paths[paths.len() - 1].clone()
    };
    let codes: Vec<u16> = metres.values().iter().map(|&h| h as u16).collect();
    png_file(&named("grey.png"), png::ColorType::Grayscale, size, &codes, |_| {});
    let doubled: Vec<u16> = codes.iter().flat_map(|&code| [code, 9]).collect();
    png_file(&named("alpha.png"), png::ColorType::GrayscaleAlpha, size, &doubled, |_| {});
    let tripled: Vec<u16> = codes.iter().flat_map(|&code| [code; 3]).collect();
    png_file(&named("rgb.png"), png::ColorType::Rgb, size, &tripled, |_| {});
    std::fs::write(
        named("square.raw"),
        codes.iter().flat_map(|code| code.to_le_bytes()).collect::<Vec<u8>>(),
    )
    .unwrap();

    let lzw = (Compression::Lzw, Predictor::Horizontal);
    let deflate = (Compression::Deflate(DeflateLevel::Fast), Predictor::None);
    tiff_file::<Gray16>(&named("u16.tif"), &metres.map(|h| h as u16), lzw, &[]);
    tiff_file::<GrayI16>(&named("i16.tif"), &metres.map(|h| h as i16), deflate, &[]);
    tiff_file::<Gray32>(
        &named("u32.tif"),
        &metres.map(|h| h as u32),
        (Compression::Packbits, Predictor::None),
        &[],
    );
    tiff_file::<GrayI32>(&named("i32.tif"), &metres.map(|h| h as i32), lzw, &[]);
    tiff_file::<Gray32Float>(&named("f32.tif"), &metres, PLAIN, &[]);
    tiff_file::<Gray64Float>(&named("f64.tiff"), &metres.map(f64::from), deflate, &[]);
    tiled_tiff_file(&named("tiled.tif"), &metres);

    let floats = || FlatSamples::F32(metres.values().to_vec());
    let halves = FlatSamples::F16(metres.values().iter().map(|&h| f16::from_f32(h)).collect());
    let whole = FlatSamples::U32(metres.values().iter().map(|&h| h as u32).collect());
    let lines =
        |compression| Encoding { compression, blocks: Blocks::ScanLines, line_order: LineOrder::Increasing };
    let tiles = |compression| Encoding { blocks: Blocks::Tiles(Vec2(16, 16)), ..lines(compression) };
    exr_file(&named("plain.exr"), size, &["Y"], floats(), lines(Packing::Uncompressed));
    exr_file(&named("zip.exr"), size, &["R", "G", "B"], floats(), lines(Packing::ZIP16));
    exr_file(&named("rle.exr"), size, &["height", "mask"], floats(), tiles(Packing::RLE));
    exr_file(&named("piz.exr"), size, &["elevation"], floats(), tiles(Packing::PIZ));
    exr_file(&named("pxr24.exr"), size, &["V"], floats(), lines(Packing::PXR24));
    exr_file(&named("b44.exr"), size, &["Y"], floats(), lines(Packing::B44));
    exr_file(&named("zips.exr"), size, &["Z"], whole, lines(Packing::ZIP1));
    exr_file(&named("half.exr"), size, &["Y"], halves, lines(Packing::ZIP1));
    paths
}

/// Changes a few bytes: flipped bits, extreme values, or a number copied from elsewhere.
pub(crate) fn damage(bytes: &mut [u8], key: Key) {
    let head = bytes.len().min(600);
    for change in 0..1 + key.with(0).bits() % 3 {
        let key = key.with(1).with(change);
        // Half of the changes go to the head, where sizes and offsets are.
        let reach = if key.with(0).bits().is_multiple_of(2) { head } else { bytes.len() };
        let at = key.with(1).bits() as usize % reach;
        match key.with(2).bits() % 4 {
            0 => bytes[at] ^= 1 << (key.with(3).bits() % 8),
            1 => bytes[at] = key.with(3).bits() as u8,
            2 => bytes[at] = 0xff,
            _ => {
                let end = (at + 4).min(bytes.len());
                bytes[at..end].fill([0x00, 0x7f, 0xff][key.with(3).bits() as usize % 3]);
            }
        }
    }
}

/// Longest time that a small file may take, whatever it holds.
const LONGEST: Duration = Duration::from_secs(1);

/// Does something with a small file, at once. What is late once may have waited for the machine; what is late twice is slow.
#[track_caller]
pub(crate) fn at_once<T>(path: &Path, read: impl Fn() -> T) -> T {
    let (mut start, mut found) = (Instant::now(), read());
    if start.elapsed() > LONGEST {
        (start, found) = (Instant::now(), read());
    }
    assert!(start.elapsed() <= LONGEST, "{} took {:?}", path.display(), start.elapsed());
    found
}

/// Most memory that this program has had `[byte]`, where the system tells it.
pub(crate) fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kibibytes| kibibytes << 10)
}

/// Makes raw floats a TIFF of one strip, which is not packed: what stands before a TIFF's numbers may stand behind them, but for
/// eight bytes, which take the place of the first two cells: all others come two places before.
pub(crate) fn in_one_strip(path: &Path, [cols, rows]: [usize; 2]) {
    use std::io::{Seek, SeekFrom, Write};
    let mut file = File::options().read(true).write(true).open(path).unwrap();
    let bytes = (cols * rows * 4) as u32;
    let tags: [(u16, u32); 9] = [
        (256, cols as u32),
        (257, rows as u32),
        (258, 32),
        (259, 1),
        (262, 1),
        (273, 8),
        (278, rows as u32),
        (279, bytes),
        (339, 3),
    ];
    let mut directory = (tags.len() as u16).to_le_bytes().to_vec();
    for (tag, value) in tags {
        let entry = [&tag.to_le_bytes()[..], &4u16.to_le_bytes(), &1u32.to_le_bytes(), &value.to_le_bytes()];
        directory.extend(entry.concat());
    }
    directory.extend([0; 4]);
    file.write_all(&[b"II*\0".as_slice(), &(bytes + 8).to_le_bytes()].concat()).unwrap();
    file.seek(SeekFrom::End(0)).unwrap();
    file.write_all(&[&[0; 8][..], &directory].concat()).unwrap();
}
