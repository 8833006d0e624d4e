//! NRRD, the plain format of volumes that other programs know: a header of text, then numbers.
//!
//! Written are shares of rock as 32-bit floats, packed with gzip, east running fastest, then north, then up. Read are floats
//! between 0 and 1, or whole numbers whose largest stands for rock, in one file, as they are or packed with gzip.

use crate::ReadError;
use crate::WriteError;
use crate::atomic::write_atomic;
use crate::reading::open_regular;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use thalweg_terrain::volume::Volume;

/// What every NRRD file begins with; the version follows.
pub(crate) const MAGIC: &[u8] = b"NRRD000";
const FORMAT: &str = "NRRD";
/// No header is longer `[byte]`.
const LONGEST_HEADER: u64 = 1 << 16;

/// How a number is kept.
#[derive(Clone, Copy)]
enum Number {
    F32,
    F64,
    U8,
    U16,
}

impl Number {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "float" => Self::F32,
            "double" => Self::F64,
            "uchar" | "unsigned char" | "uint8" | "uint8_t" => Self::U8,
            "ushort" | "unsigned short" | "unsigned short int" | "uint16" | "uint16_t" => Self::U16,
            _ => return None,
        })
    }

    fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F64 => 8,
            Self::U8 => 1,
            Self::U16 => 2,
        }
    }

    /// The share of rock that a number stands for.
    fn share(self, bytes: &[u8], big: bool) -> f32 {
        let mut least_first = [0; 8];
        least_first[..bytes.len()].copy_from_slice(bytes);
        if big {
            least_first[..bytes.len()].reverse();
        }
        let bits = u64::from_le_bytes(least_first);
        match self {
            Self::F32 => f32::from_bits(bits as u32),
            Self::F64 => f64::from_bits(bits) as f32,
            Self::U8 => bits as f32 / 255.0,
            Self::U16 => bits as f32 / 65535.0,
        }
    }
}

/// What the header says.
struct Header {
    number: Number,
    size: [usize; 3],
    voxel: f64,
    bottom: f64,
    gzip: bool,
    big_endian: bool,
}

/// Reads a volume.
pub(crate) fn read(path: &Path, max_bytes: u64) -> Result<Volume, ReadError> {
    let broken = |reason: String| ReadError::Broken { path: path.into(), format: FORMAT, reason };
    let io = |source| ReadError::Io { path: path.into(), source };
    let file = open_regular(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    let mut file = BufReader::with_capacity(1 << 20, file);
    let header = Header::read(path, &mut file)?;
    let [east, north, up] = header.size;
    let voxels = header.size.iter().fold(1_u64, |all, &side| all.saturating_mul(side as u64));
    let row = voxels.saturating_mul(header.number.bytes() as u64);
    // Deflate packs 1032 bytes into one at most.
    if row > length.saturating_mul(if header.gzip { 1032 } else { 1 }) {
        return Err(broken(format!(
            "it declares {east} by {north} by {up} voxels but has only {length} bytes"
        )));
    }
    let blocks = header.size.iter().map(|side| side.div_ceil(16) as u64).fold(1, u64::saturating_mul);
    let needed = Volume::memory_of(blocks, blocks);
    if needed > max_bytes {
        let what = format!("{east} by {north} by {up} voxels");
        return Err(ReadError::TooMuch { path: path.into(), what, needed, allowed: max_bytes });
    }
    let wrong = |wrong: thalweg_field::Invalid| broken(wrong.to_string());
    let mut volume = Volume::empty(header.size, header.voxel, header.bottom).map_err(wrong)?;
    let mut numbers: Box<dyn Read> =
        if header.gzip { Box::new(GzDecoder::new(file)) } else { Box::new(file) };
    let mut bytes = vec![0; east * header.number.bytes()];
    for line in 0..north * up {
        let cut_off = |_| broken(format!("its numbers end in row {line} of {}", north * up));
        numbers.read_exact(&mut bytes).map_err(cut_off)?;
        for (x, bytes) in bytes.chunks_exact(header.number.bytes()).enumerate() {
            let share = header.number.share(bytes, header.big_endian);
            if !(0.0..=1.0).contains(&share) {
                let what = format!(
                    "voxel {x}, {}, {} holds {share}, which is no share of rock from 0 to 1",
                    line % north,
                    line / north
                );
                let remedy = "scaling its numbers to 0 (air) and 1 (rock) in the program that made it";
                return Err(ReadError::Unsupported { path: path.into(), what, remedy });
            }
            volume.set_share([x, line % north, line / north], share);
        }
    }
    // Packed numbers have their checksum at the end.
    if !matches!(numbers.read(&mut [0]), Ok(0)) {
        return Err(broken("its numbers do not end where they should, or not with their checksum".into()));
    }
    volume.settle();
    Ok(volume)
}

impl Header {
    fn read(path: &Path, file: &mut impl BufRead) -> Result<Self, ReadError> {
        let broken = |reason: String| ReadError::Broken { path: path.into(), format: FORMAT, reason };
        let unsupported = |what: String, remedy| ReadError::Unsupported { path: path.into(), what, remedy };
        let fields = fields(path, file)?;
        let told = |name: &str| fields.get(name).map(String::as_str);
        let needed = |name: &str| told(name).ok_or_else(|| broken(format!("its header has no \"{name}\"")));
        if told("data file").or(told("datafile")).is_some() {
            return Err(unsupported(
                "its numbers are in another file".into(),
                "one file with both (unu make -e raw)",
            ));
        }
        let kind = needed("type")?;
        let number = Number::named(kind).ok_or_else(|| {
            unsupported(format!("its numbers are of type {kind}"), "float, double, uint8 or uint16")
        })?;
        if needed("dimension")? != "3" {
            return Err(unsupported(format!("it has {} dimensions", needed("dimension")?), "a volume of 3"));
        }
        let sizes: Vec<usize> =
            needed("sizes")?.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let size: [usize; 3] =
            sizes.try_into().map_err(|_| broken("its \"sizes\" are not three numbers".into()))?;
        let encoding = needed("encoding")?;
        let gzip = match encoding {
            "raw" => false,
            "gzip" | "gz" => true,
            _ => return Err(unsupported(format!("its encoding is {encoding}"), "raw or gzip")),
        };
        let voxel = voxel(told("spacings"), told("space directions"))
            .map_err(|what| unsupported(what, "resampling it to cubes along the axes"))?;
        let origin = told("space origin").map(vector).unwrap_or_default();
        let big_endian = told("endian").is_some_and(|endian| endian == "big");
        // The origin is the middle of the first voxel.
        let bottom = origin.get(2).map_or(0.0, |middle| middle - 0.5 * voxel);
        Ok(Self { number, size, voxel, bottom, gzip, big_endian })
    }
}

/// The lines of a header by name, up to the empty one that ends it.
fn fields(path: &Path, file: &mut impl BufRead) -> Result<BTreeMap<String, String>, ReadError> {
    let broken =
        |reason: &str| ReadError::Broken { path: path.into(), format: FORMAT, reason: reason.into() };
    let mut fields = BTreeMap::new();
    let mut header = file.take(LONGEST_HEADER);
    loop {
        let mut line = Vec::new();
        let io = |source| ReadError::Io { path: path.into(), source };
        if header.read_until(b'\n', &mut line).map_err(io)? == 0 {
            return Err(broken("its header has no end"));
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            return Ok(fields);
        }
        // Comments begin with #, values of other programs have := between name and value.
        if let Some((name, value)) = line.split_once(": ").filter(|_| !line.starts_with('#')) {
            fields.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
    }
}

/// The numbers of a vector such as `(1,0,0)`.
fn vector(text: &str) -> Vec<f64> {
    text.trim_matches(['(', ')']).split(',').filter_map(|word| word.trim().parse().ok()).collect()
}

/// Side of a voxel; the text says what is no cube. Without a word it is 1 m.
fn voxel(spacings: Option<&str>, directions: Option<&str>) -> Result<f64, String> {
    let sides: Vec<f64> = match (spacings, directions) {
        (_, Some(directions)) => {
            let axes: Vec<_> = directions.split_whitespace().map(vector).collect();
            let straight = |(axis, way): (usize, &Vec<f64>)| {
                way.len() == 3 && (0..3).all(|other| other == axis || way[other] == 0.0)
            };
            if axes.len() != 3 || !axes.iter().enumerate().all(straight) {
                return Err(format!("its axes are turned ({directions})"));
            }
            axes.iter().enumerate().map(|(axis, way)| way[axis]).collect()
        }
        (Some(spacings), None) => spacings.split_whitespace().filter_map(|word| word.parse().ok()).collect(),
        (None, None) => vec![1.0; 3],
    };
    let [east, north, up] = sides[..] else { return Err("its voxels do not have three sides".into()) };
    let alike = |other: f64| (other - east).abs() <= 1.0e-6 * east.abs();
    if !(alike(north) && alike(up) && east > 0.0) {
        return Err(format!("its voxels are {east} by {north} by {up}, no cubes"));
    }
    Ok(east)
}

/// Writes a volume.
pub(crate) fn write(path: &Path, volume: &Volume) -> Result<(), WriteError> {
    let [east, north, up] = volume.size();
    let (voxel, half) = (volume.voxel(), 0.5 * volume.voxel());
    let header = format!(
        "NRRD0004\n# share of rock in each voxel, written by thalweg\ntype: float\ndimension: 3\n\
         sizes: {east} {north} {up}\nspace: right-anterior-superior\n\
         space directions: ({voxel},0,0) (0,{voxel},0) (0,0,{voxel})\nspace origin: ({half},{half},{})\n\
         endian: little\nencoding: gzip\n\n",
        volume.bottom() + half
    );
    write_atomic(path, |file| {
        file.write_all(header.as_bytes())?;
        let mut packed = GzEncoder::new(file, Compression::fast());
        let mut row = vec![0.0_f32; east];
        for line in 0..north * up {
            for (x, share) in row.iter_mut().enumerate() {
                *share = volume.share([x as isize, (line % north) as isize, (line / north) as isize]);
            }
            packed.write_all(bytemuck::cast_slice(&row))?;
        }
        packed.finish().map(drop)
    })
}
