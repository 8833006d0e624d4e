//! Volumes of ground, in and out: `.twv`, our own format, and [NRRD](crate::nrrd) for exchange.
//!
//! ```text
//! "THALWEGV"  version u32  0u32  voxels east, north, up u64  voxel f64  bottom f64  dense blocks u64
//! checksum of all before u64  checksum of all behind u64  block f32 ...  voxel f32 ...
//! ```
//! All numbers are little-endian. A block of 16³ voxels that are all alike is one number, -1 stands for one whose voxels
//! follow (see [`Parts`]): a file is as long as the surface is large. Nothing is allocated before the first checksum (XXH3, 64 bits)
//! has been checked, and nothing is believed before the second.

use crate::atomic::write_atomic;
use crate::reading::open_regular;
use crate::{ReadError, WriteError, nrrd};
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use thalweg_terrain::volume::{Parts, SIDE, Volume};
use xxhash_rust::xxh3::xxh3_64;

pub(crate) const MAGIC: [u8; 8] = *b"THALWEGV";
const FORMAT: &str = "TWV";
const VERSION: u32 = 1;
/// Bytes before the checksums.
const HEADER: usize = 64;
/// Voxels in a block.
const BLOCK: u64 = (SIDE * SIDE * SIDE) as u64;

/// Reads a volume in the format that its content tells, TWV or NRRD. `max_bytes` is the memory that reading may use `[byte]`.
pub fn read_volume(path: &Path, max_bytes: u64) -> Result<Volume, ReadError> {
    let io = |source| ReadError::Io { path: path.into(), source };
    let file = open_regular(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    let mut file = BufReader::with_capacity(1 << 20, file);
    let mut magic = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut magic).map_err(io)?;
    match magic.as_slice() {
        magic if magic == MAGIC => Opened::new(path, file, length, max_bytes)?.read(),
        magic if magic.starts_with(nrrd::MAGIC) => nrrd::read(path, max_bytes),
        _ => {
            let what = "neither a TWV nor an NRRD file".into();
            Err(ReadError::Unsupported {
                path: path.into(),
                what,
                remedy: "a volume that thalweg wrote, or NRRD",
            })
        }
    }
}

/// Writes a volume in the format that the name tells: `.twv`, or `.nrrd`.
pub fn write_volume(path: &Path, volume: &Volume) -> Result<(), WriteError> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    match extension.to_str() {
        Some("twv") => write(path, volume),
        Some("nrrd") => nrrd::write(path, volume),
        _ => Err(WriteError::Extension { path: path.into(), expected: ".twv or .nrrd" }),
    }
}

/// A file whose header has been checked.
struct Opened<'a> {
    path: &'a Path,
    file: BufReader<File>,
    size: [usize; 3],
    voxel: f64,
    bottom: f64,
    /// Blocks, and those of them whose voxels differ.
    counts: [u64; 2],
    checksum: u64,
}

impl<'a> Opened<'a> {
    fn new(
        path: &'a Path,
        mut file: BufReader<File>,
        length: u64,
        max_bytes: u64,
    ) -> Result<Self, ReadError> {
        let broken = |reason: String| ReadError::Broken { path: path.into(), format: FORMAT, reason };
        let mut header = MAGIC.to_vec();
        let rest = (HEADER + 16 - MAGIC.len()) as u64;
        let io = |source| ReadError::Io { path: path.into(), source };
        file.by_ref().take(rest).read_to_end(&mut header).map_err(io)?;
        let number = |at: usize| {
            let bytes = header.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
            bytes
                .map(u64::from_le_bytes)
                .ok_or_else(|| broken(format!("its header is cut off after {length} bytes")))
        };
        let version = number(8)?;
        if version != u64::from(VERSION) {
            let what = format!("a volume of version {version}, and this program reads version {VERSION}");
            let remedy = "the program that wrote it";
            return Err(ReadError::Unsupported { path: path.into(), what, remedy });
        }
        if number(HEADER)? != xxh3_64(&header[..HEADER]) {
            return Err(broken("its header does not have its checksum".into()));
        }
        let size = [number(16)?, number(24)?, number(32)?];
        let blocks = size.iter().map(|voxels| voxels.div_ceil(SIDE as u64)).fold(1, u64::saturating_mul);
        let dense = number(56)?;
        let body = blocks.saturating_add(dense.saturating_mul(BLOCK)).saturating_mul(4);
        let expected = body.saturating_add(HEADER as u64 + 16);
        if length != expected {
            return Err(broken(format!("{expected} bytes were written but {length} are there")));
        }
        // The numbers as they are read, and the volume that is made of them.
        let needed = body.saturating_add(Volume::memory_of(blocks, dense));
        if needed > max_bytes {
            let what = format!("{} by {} by {} voxels", size[0], size[1], size[2]);
            return Err(ReadError::TooMuch { path: path.into(), what, needed, allowed: max_bytes });
        }
        let [voxel, bottom] = [f64::from_bits(number(40)?), f64::from_bits(number(48)?)];
        let (size, checksum) = (size.map(|voxels| voxels as usize), number(HEADER + 8)?);
        Ok(Self { path, file, size, voxel, bottom, counts: [blocks, dense], checksum })
    }

    fn read(mut self) -> Result<Volume, ReadError> {
        let [blocks, dense] = self.counts;
        let mut numbers = vec![0.0_f32; (blocks + dense * BLOCK) as usize];
        let io = |source| ReadError::Io { path: self.path.into(), source };
        self.file.read_exact(bytemuck::cast_slice_mut(&mut numbers)).map_err(io)?;
        let broken = |reason: String| ReadError::Broken { path: self.path.into(), format: FORMAT, reason };
        if xxh3_64(bytemuck::cast_slice(&numbers)) != self.checksum {
            return Err(broken("its voxels do not have their checksum".into()));
        }
        let voxels = numbers.split_off(blocks as usize);
        let parts = Parts { blocks: numbers, voxels };
        Volume::from_parts(self.size, self.voxel, self.bottom, &parts)
            .map_err(|wrong| broken(wrong.to_string()))
    }
}

fn write(path: &Path, volume: &Volume) -> Result<(), WriteError> {
    let Parts { blocks, voxels } = volume.parts();
    let dense = voxels.len() as u64 / BLOCK;
    let numbers = [&blocks[..], &voxels].concat();
    let mut header = MAGIC.to_vec();
    header.extend(u64::from(VERSION).to_le_bytes());
    header.extend(volume.size().iter().flat_map(|&voxels| (voxels as u64).to_le_bytes()));
    header.extend([volume.voxel(), volume.bottom()].iter().flat_map(|length| length.to_le_bytes()));
    header.extend(dense.to_le_bytes());
    write_atomic(path, |file| {
        file.write_all(&header)?;
        file.write_all(&xxh3_64(&header).to_le_bytes())?;
        file.write_all(&xxh3_64(bytemuck::cast_slice(&numbers)).to_le_bytes())?;
        file.write_all(bytemuck::cast_slice(&numbers))
    })
}
