//! NPY and NPZ: arrays for Python.
//!
//! NPY 1.0 is a line of text with type and shape, then the numbers; NPZ a ZIP archive of such, here without packing
//! (`numpy.load` reads both). Row 0 is the north edge.

use crate::WriteError;
use crate::atomic::write_atomic;
use std::io::{self, Write};
use std::path::Path;
use thalweg_field::{Field, Frame, Grid2};

/// Numbers begin at a multiple of this `[byte]`.
const ALIGNED: usize = 64;

/// An array of numbers, low byte first.
pub enum NpyArray<'a> {
    /// Rows of a grid.
    Grid(&'a Grid2<f32>),
    /// A list of places or directions.
    Triples(&'a [[f32; 3]]),
    /// A list.
    Floats(&'a [f32]),
    /// A list of doubles.
    Doubles(&'a [f64]),
}

impl std::fmt::Debug for NpyArray<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{} of {}", self.kind(), self.shape())
    }
}

impl NpyArray<'_> {
    fn kind(&self) -> &'static str {
        if matches!(self, Self::Doubles(_)) { "<f8" } else { "<f4" }
    }

    fn shape(&self) -> String {
        match self {
            Self::Grid(grid) => format!("({}, {})", grid.rows(), grid.cols()),
            Self::Triples(list) => format!("({}, 3)", list.len()),
            Self::Floats(list) => format!("({},)", list.len()),
            Self::Doubles(list) => format!("({},)", list.len()),
        }
    }

    /// Text before the numbers, and those.
    fn parts(&self) -> [Vec<u8>; 2] {
        let head = npy_head(self.kind(), &self.shape());
        let numbers: &[u8] = match self {
            Self::Grid(grid) => bytemuck::cast_slice(grid.values()),
            Self::Triples(list) => bytemuck::cast_slice(list),
            Self::Floats(list) => bytemuck::cast_slice(list),
            Self::Doubles(list) => bytemuck::cast_slice(list),
        };
        [head, numbers.to_vec()]
    }
}

/// Text before the numbers of an array.
pub(crate) fn npy_head(kind: &str, shape: &str) -> Vec<u8> {
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    // Magic, version and length take ten bytes, a newline one.
    while !(10 + text.len() + 1).is_multiple_of(ALIGNED) {
        text.push(' ');
    }
    text.push('\n');
    let mut head = b"\x93NUMPY\x01\x00".to_vec();
    head.extend((text.len() as u16).to_le_bytes());
    head.extend(text.as_bytes());
    head
}

/// Writes one array as NPY.
pub fn write_npy(path: &Path, array: &NpyArray) -> Result<(), WriteError> {
    write_atomic(path, |writer| array.parts().iter().try_for_each(|part| writer.write_all(part)))
}

/// Writes grids as NPZ, each under its name, and beside them `cell` `[m]`, `origin` (east and north of the south-west corner
/// `[m]`) and `time` `[s]`.
pub fn write_npz_fields(path: &Path, fields: &[&Field], frame: &Frame, time: f64) -> Result<(), WriteError> {
    let (cell, time) = ([frame.cell], [time]);
    let mut arrays: Vec<(&str, NpyArray)> =
        fields.iter().map(|field| (&*field.info.name, NpyArray::Grid(&field.values))).collect();
    arrays.push(("cell", NpyArray::Doubles(&cell)));
    arrays.push(("origin", NpyArray::Doubles(&frame.origin)));
    arrays.push(("time", NpyArray::Doubles(&time)));
    write_npz(path, &arrays)
}

/// Writes arrays as NPZ, each under its name.
pub fn write_npz(path: &Path, arrays: &[(&str, NpyArray)]) -> Result<(), WriteError> {
    let refuse = |what, expected| Err(WriteError::Refused { path: path.into(), what, expected });
    for (number, (name, array)) in arrays.iter().enumerate() {
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b)) {
            return refuse(format!("an array is named {name:?}"), "letters, digits, _, - and . only");
        }
        if arrays[..number].iter().any(|(other, _)| other == name) {
            return refuse(format!("two arrays are named {name}"), "each needs a name of its own");
        }
        let bytes: u64 = array.parts().iter().map(|part| part.len() as u64).sum();
        if bytes > u64::from(u32::MAX) / 2 {
            return refuse(
                format!("the array {name} has {bytes} bytes"),
                "2 GiB is the most; try .npy or .exr",
            );
        }
    }
    write_atomic(path, |writer| zip(writer, arrays))
}

/// A ZIP archive without packing (PKWARE APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16).
fn zip(writer: &mut impl Write, arrays: &[(&str, NpyArray)]) -> io::Result<()> {
    let (mut at, mut directory) = (0_u32, Vec::new());
    let too_long = || io::Error::other("an .npz file has room for 4 GiB; try .exr");
    for (name, array) in arrays {
        let parts = array.parts();
        let name = format!("{name}.npy");
        let mut checksum = flate2::Crc::new();
        parts.iter().for_each(|part| checksum.update(part));
        let length = parts.iter().map(Vec::len).sum::<usize>() as u32;
        // Version that is needed, flags, no packing, and 1 January 1980: files must not depend on the clock.
        let mut shared = Vec::new();
        shared.extend([20_u16, 0, 0, 0, 0x21].iter().flat_map(|word| word.to_le_bytes()));
        shared.extend([checksum.sum(), length, length].iter().flat_map(|word| word.to_le_bytes()));
        shared.extend([name.len() as u16, 0].iter().flat_map(|word| word.to_le_bytes()));
        let begin = at;
        for bytes in [b"PK\x03\x04", &shared[..], name.as_bytes(), &parts[0], &parts[1]] {
            writer.write_all(bytes)?;
            at =
                u32::try_from(bytes.len()).ok().and_then(|more| at.checked_add(more)).ok_or_else(too_long)?;
        }
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&shared);
        // No comment, first disk, no attributes.
        directory.extend([0; 10]);
        directory.extend(begin.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    writer.write_all(&directory)?;
    writer.write_all(b"PK\x05\x06\0\0\0\0")?;
    let count = arrays.len() as u16;
    writer.write_all([count, count].map(u16::to_le_bytes).as_flattened())?;
    writer.write_all([directory.len() as u32, at].map(u32::to_le_bytes).as_flattened())?;
    writer.write_all(&[0; 2])
}
