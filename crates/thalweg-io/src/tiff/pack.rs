//! How the bytes of strips and tiles are packed, and the predictors below that.

use std::io::Read;

pub(super) const NONE: u64 = 1;
const LZW: u64 = 5;
const DEFLATE: u64 = 8;
const OLD_DEFLATE: u64 = 32946;
const PACK_BITS: u64 = 32773;
const ZSTD: u64 = 50000;

pub(super) fn is_known(packing: u64) -> bool {
    matches!(packing, NONE | LZW | DEFLATE | OLD_DEFLATE | PACK_BITS | ZSTD)
}

/// A packing by its name, for messages.
pub(super) fn name(packing: u64) -> String {
    match packing {
        6 | 7 => "JPEG".into(),
        2..=4 => "a code for faxes".into(),
        34712 => "JPEG 2000".into(),
        34887 => "LERC".into(),
        34925 => "LZMA".into(),
        50001 => "WebP".into(),
        50002 => "JPEG XL".into(),
        other => format!("compression {other}"),
    }
}

/// As many bytes as there must be; fewer are an error, more are passed over.
pub(super) fn unpacked(packing: u64, packed: &[u8], length: usize) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; length];
    let all = |result: std::io::Result<()>| {
        result.map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => "a strip or tile ends too early".to_owned(),
            _ => format!("a strip or tile cannot be unpacked: {error}"),
        })
    };
    match packing {
        NONE => all((&mut &*packed).read_exact(&mut bytes))?,
        DEFLATE | OLD_DEFLATE => all(flate2::read::ZlibDecoder::new(packed).read_exact(&mut bytes))?,
        ZSTD => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(packed);
            let mut decoder =
                decoder.map_err(|error| format!("a strip or tile cannot be unpacked: {error}"))?;
            all(decoder.read_exact(&mut bytes))?;
        }
        LZW => unpack_lzw(packed, &mut bytes)?,
        _ => unpack_bits(packed, &mut bytes)?,
    }
    Ok(bytes)
}

fn unpack_lzw(mut packed: &[u8], mut bytes: &mut [u8]) -> Result<(), String> {
    let mut decoder = weezl::decode::Decoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8);
    while !bytes.is_empty() {
        let result = decoder.decode_bytes(packed, bytes);
        packed = &packed[result.consumed_in..];
        bytes = &mut bytes[result.consumed_out..];
        let ended = matches!(result.status, Ok(weezl::LzwStatus::Done | weezl::LzwStatus::NoProgress));
        match result.status {
            Err(error) => return Err(format!("a strip or tile cannot be unpacked: {error}")),
            Ok(_) if !bytes.is_empty() && (ended || result.consumed_in + result.consumed_out == 0) => {
                return Err("a strip or tile ends too early".into());
            }
            Ok(_) => {}
        }
    }
    Ok(())
}

/// Apple's `PackBits`, TIFF 6.0, section 9.
fn unpack_bits(packed: &[u8], bytes: &mut [u8]) -> Result<(), String> {
    let early = || "a strip or tile ends too early".to_owned();
    let (mut from, mut to) = (0, 0);
    while to < bytes.len() {
        let head = *packed.get(from).ok_or_else(early)? as i8;
        from += 1;
        match head {
            -128 => {}
            0.. => {
                let count = (head as usize + 1).min(bytes.len() - to);
                let run = packed.get(from..from + count).ok_or_else(early)?;
                bytes[to..to + count].copy_from_slice(run);
                (from, to) = (from + head as usize + 1, to + count);
            }
            _ => {
                let count = (1 - isize::from(head)) as usize;
                let end = (to + count).min(bytes.len());
                bytes[to..end].fill(*packed.get(from).ok_or_else(early)?);
                (from, to) = (from + 1, end);
            }
        }
    }
    Ok(())
}

/// Undoes predictor 2: each number of a row is the difference from the one `step` before it. Low byte first.
pub(super) fn sum(row: &mut [u8], size: usize, step: usize) {
    macro_rules! each {
        ($kind:ty) => {
            for at in step..row.len() / size {
                let number = |row: &[u8], at: usize| {
                    let mut bytes = [0; size_of::<$kind>()];
                    bytes.copy_from_slice(&row[at * size..][..size]);
                    <$kind>::from_le_bytes(bytes)
                };
                let sum = number(row, at).wrapping_add(number(row, at - step));
                row[at * size..][..size].copy_from_slice(&sum.to_le_bytes());
            }
        };
    }
    match size {
        1 => each!(u8),
        2 => each!(u16),
        4 => each!(u32),
        _ => each!(u64),
    }
}

/// Undoes predictor 3 (Adobe Photoshop TIFF Technical Note 3): differences of bytes, all first bytes of a row before all
/// second ones, high byte first. Numbers come out low byte first.
pub(super) fn sum_floats(row: &mut [u8], size: usize, step: usize) {
    for at in step..row.len() {
        row[at] = row[at].wrapping_add(row[at - step]);
    }
    let count = row.len() / size;
    let planes = row.to_vec();
    for (at, number) in row.chunks_exact_mut(size).enumerate() {
        for (byte, plane) in number.iter_mut().rev().zip(planes.chunks_exact(count)) {
            *byte = plane[at];
        }
    }
}

/// What predictor 3 makes of a row of numbers, into `out`, which is as long.
pub(super) fn predict_floats(row: &[f32], out: &mut [u8]) {
    let count = row.len();
    for (at, number) in row.iter().enumerate() {
        for (plane, byte) in number.to_be_bytes().into_iter().enumerate() {
            out[plane * count + at] = byte;
        }
    }
    for at in (1..out.len()).rev() {
        out[at] = out[at].wrapping_sub(out[at - 1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predicted_floats_come_back() {
        let row: Vec<f32> = (0..37).map(|i| (i as f32 * 0.37).sin() * 1000.0).collect();
        let mut bytes = vec![0; row.len() * 4];
        predict_floats(&row, &mut bytes);
        sum_floats(&mut bytes, 4, 1);
        let back: Vec<f32> = bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        assert_eq!(back, row);
    }

    /// The example of TIFF 6.0, section 9.
    #[test]
    fn packed_bits_are_those_of_the_specification() {
        let packed =
            [0xFE, 0xAA, 0x02, 0x80, 0x00, 0x2A, 0xFD, 0xAA, 0x03, 0x80, 0x00, 0x2A, 0x22, 0xF7, 0xAA];
        let expected = [
            0xAA, 0xAA, 0xAA, 0x80, 0x00, 0x2A, 0xAA, 0xAA, 0xAA, 0xAA, 0x80, 0x00, 0x2A, 0x22, 0xAA, 0xAA,
            0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA,
        ];
        assert_eq!(unpacked(PACK_BITS, &packed, expected.len()).unwrap(), expected);
        assert!(unpacked(PACK_BITS, &packed, expected.len() + 1).unwrap_err().contains("too early"));
    }

    #[test]
    fn what_is_packed_badly_is_an_error() {
        for packing in [NONE, LZW, DEFLATE, PACK_BITS, ZSTD] {
            for packed in [&[][..], &[0x80], &[1, 2, 3, 4, 5, 6, 7, 8, 9], &[0xff; 40]] {
                let _ = unpacked(packing, packed, 1 << 12).unwrap_err();
            }
        }
    }
}
