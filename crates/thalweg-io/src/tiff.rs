//! TIFF, and the GeoTIFF tags that say where on earth it lies.

use crate::label::{HEIGHT, Label};
use crate::reading::{Raster, Reading};
use crate::reproject::{Degrees, Layout};
use crate::{Estimate, Notice, ReadError};
use ::tiff::decoder::ifd::Value;
use ::tiff::decoder::{ChunkType, Decoder, DecodingResult, DecodingSampleType, Limits};
use ::tiff::encoder::colortype::Gray32Float;
use ::tiff::encoder::{Compression, DeflateLevel, TiffEncoder, TiffKind, TiffKindBig, TiffKindStandard};
use ::tiff::tags::{Predictor, Tag};
use ::tiff::{ColorType, TiffError};
use std::fs::File;
use std::io::{self, BufReader, Seek, Write};
use thalweg_field::{FieldInfo, Frame, Grid2, Heightfield};

const FORMAT: &str = "TIFF";

/// Offsets of an ordinary TIFF end at 4 GiB; beyond this many bytes of heights it must be a BigTIFF.
/// Compression can make incompressible data a little longer, hence the distance.
const BIG: u64 = 4_000_000_000;

/// Difference between width and height of a cell that is put down to rounding `[-]`: a tenth of a cell
/// over a thousand.
const SQUARE: f64 = 1.0e-4;

/// Longest text that is read from a tag `[byte]`.
const LONGEST_TEXT: u64 = 1 << 20;

/// Degrees that are those of WGS 84 within 2 m, by their EPSG numbers: WGS 84 itself, with heights, NAD 83 and ETRS 89.
const WGS_84: [u16; 4] = [4326, 4979, 4269, 4258];

/// The `GeoTIFF` keys used here, and their values (OGC 19-008r4).
mod key {
    pub(super) const MODEL_TYPE: u16 = 1024;
    pub(super) const PROJECTED: u16 = 1;
    pub(super) const GEOGRAPHIC: u16 = 2;
    pub(super) const RASTER_TYPE: u16 = 1025;
    pub(super) const PIXEL_IS_AREA: u16 = 1;
    pub(super) const PIXEL_IS_POINT: u16 = 2;
    pub(super) const GEODETIC_CRS: u16 = 2048;
    pub(super) const PROJECTED_CRS: u16 = 3072;
    pub(super) const PROJECTED_UNITS: u16 = 3076;
    pub(super) const VERTICAL_UNITS: u16 = 4099;
    pub(super) const METRE: u16 = 9001;
    /// From here on codes are private or mean "user-defined".
    pub(super) const USER_DEFINED: u16 = 32767;
}

/// A TIFF file whose header has been checked.
pub(crate) struct Opened<'a> {
    reading: Reading<'a>,
    decoder: Decoder<BufReader<File>>,
    sample: DecodingSampleType,
    pub size: Estimate,
}

impl<'a> Opened<'a> {
    pub(crate) fn new(reading: Reading<'a>, file: BufReader<File>) -> Result<Self, ReadError> {
        let fail = |error| explain(reading, error);
        let mut decoder = Decoder::new(file).map_err(fail)?;
        let colour = decoder.colortype().map_err(fail)?;
        let ColorType::Gray(bits @ (8 | 16 | 32 | 64)) = colour else {
            return Err(reading
                .unsupported(format!("holds {colour:?} samples"), "exporting one band of 8 to 64 bits"));
        };
        let (cols, rows) = decoder.dimensions().map_err(fail)?;
        let (chunk_cols, chunk_rows) = decoder.chunk_dimensions();
        // A strip may declare more rows than there are; a tile really is as large as it says.
        let chunk_rows = if is_striped(&decoder) { chunk_rows.min(rows) } else { chunk_rows };
        let chunk_bytes = u64::from(chunk_cols) * u64::from(chunk_rows);
        let scratch = chunk_bytes.saturating_mul(u64::from(bits / 8));
        let size = reading.admit(FORMAT, cols.into(), rows.into(), scratch)?;
        let sample = decoder.image_buffer_layout().map_err(fail)?.sample_type;
        let sample = sample.filter(|sample| full_code(*sample).is_some());
        let sample = sample.ok_or_else(|| {
            reading.unsupported(
                format!("holds {bits}-bit samples of an unusual kind"),
                "exporting 32-bit floats",
            )
        })?;
        let mut limits = Limits::default();
        limits.decoding_buffer_size = usize::try_from(scratch.max(LONGEST_TEXT)).unwrap_or(usize::MAX);
        limits.intermediate_buffer_size = usize::try_from(reading.length).unwrap_or(usize::MAX);
        Ok(Self { reading, decoder: decoder.with_limits(limits), sample, size })
    }

    pub(crate) fn read(mut self, notices: &mut Vec<Notice>) -> Result<Raster, ReadError> {
        let label = self.own_label();
        let place = self.place()?;
        let layout = place.as_ref().and_then(|place| place.degrees).map(|degrees| self.layout(&degrees));
        let layout = layout.transpose()?;
        let nodata = self.nodata();
        let full = full_code(self.sample).unwrap_or(1.0);
        let mut assumed = Vec::new();
        let scale = self.reading.scale(full, label.as_ref(), &mut assumed);
        // Elevation models with a place on earth are in metres unless they say otherwise.
        if !matches!(place, Some(Place { crs: Some(_), .. } | Place { degrees: Some(_), .. })) {
            notices.append(&mut assumed);
        }
        let height = |number: f64| if nodata == Some(number) { f32::NAN } else { scale.metres(number) };

        let mut heights = Grid2::filled(self.size.cols, self.size.rows, f32::NAN);
        let (chunk_cols, chunk_rows) = self.decoder.chunk_dimensions();
        let chunk_cols = chunk_cols as usize;
        let across = self.size.cols.div_ceil(chunk_cols);
        let down = self.size.rows.div_ceil(chunk_rows as usize);
        let count = u32::try_from(across * down).map_err(|error| self.reading.broken(FORMAT, error))?;
        for index in 0..count {
            let chunk = self.decoder.read_chunk(index).map_err(|error| explain(self.reading, error))?;
            let (width, _) = self.decoder.chunk_data_dimensions(index);
            let col = index as usize % across * chunk_cols;
            let first_row = index as usize / across * chunk_rows as usize;
            let rows = decoded(chunk, height);
            for (row, cells) in (first_row..self.size.rows).zip(rows.chunks_exact(width as usize)) {
                heights.row_mut(row)[col..col + cells.len()].copy_from_slice(cells);
            }
        }
        let Place { cell, origin, crs, degrees } = place.unwrap_or_default();
        let crs = crs.or(label.and_then(|label| label.crs));
        let bits = if self.sample == DecodingSampleType::U8 { 8 } else { 32 };
        if let (Some(degrees), Some(layout)) = (degrees, layout) {
            let Layout { utm, cell, cols, rows, .. } = layout;
            notices.push(Notice::Reprojected { utm, cols, rows, cell });
            let Heightfield { height: heights, frame: Frame { origin, crs, .. } } =
                degrees.lay_out(&heights, &layout);
            return Ok(Raster { heights, info: None, cell: Some(cell), origin, crs, bits });
        }
        Ok(Raster { heights, info: None, cell, origin, crs, bits })
    }

    /// Size of the terrain as it comes out: of a map in degrees that is laid out in metres, that of the layout.
    pub(crate) fn size_when_read(mut self) -> Result<Estimate, ReadError> {
        if !self.reading.options.utm {
            return Ok(self.size);
        }
        match self.place()?.and_then(|place| place.degrees) {
            Some(degrees) => {
                let Layout { cols, rows, .. } = self.layout(&degrees)?;
                Ok(Estimate { cols, rows, bytes: self.bytes_with(cols, rows) })
            }
            None => Ok(self.size),
        }
    }

    /// Where a map in degrees comes to lie, if memory allows both it and the map.
    fn layout(&self, degrees: &Degrees) -> Result<Layout, ReadError> {
        let Reading { path, options, .. } = self.reading;
        let layout = degrees
            .layout(options.cell)
            .map_err(|reason| ReadError::Unprojectable { path: path.into(), reason })?;
        let (cols, rows) = (layout.cols, layout.rows);
        let (needed, allowed) = (self.bytes_with(cols, rows), options.max_bytes);
        if needed > allowed {
            let (cols, rows) = (cols as u64, rows as u64);
            return Err(ReadError::TooLarge { path: path.into(), cols, rows, needed, allowed });
        }
        Ok(layout)
    }

    /// Memory for so many cells besides those of the file `[byte]`.
    fn bytes_with(&self, cols: usize, rows: usize) -> u64 {
        let cells = (cols as u64).saturating_mul(rows as u64);
        cells.saturating_mul(size_of::<f32>() as u64).saturating_add(self.size.bytes)
    }

    /// The description that we put into the file, if it is one of ours.
    fn own_label(&mut self) -> Option<Label> {
        let text = self.text(Tag::ImageDescription)?;
        Label::parse(&text, self.reading.path).ok()
    }

    /// The number that marks a cell without a height, as it compares with the samples.
    fn nodata(&mut self) -> Option<f64> {
        let text = self.text(Tag::GdalNodata)?;
        let number: f64 = text.trim_matches(|c: char| c == '\0' || c.is_whitespace()).parse().ok()?;
        // Written with 17 digits, but what is in the cells has been through a float.
        Some(if self.sample == DecodingSampleType::F32 { f64::from(number as f32) } else { number })
    }

    fn text(&mut self, tag: Tag) -> Option<String> {
        let entry = self.decoder.image_ifd().find_entry(tag)?;
        let fits = entry.count() <= LONGEST_TEXT;
        if fits { self.decoder.get_tag_ascii_string(tag).ok() } else { None }
    }

    fn numbers(&mut self, tag: Tag) -> Result<Option<Vec<f64>>, ReadError> {
        let value = self.decoder.find_tag(tag).map_err(|error| explain(self.reading, error))?;
        value.map(Value::into_f64_vec).transpose().map_err(|error| explain(self.reading, error))
    }

    /// Cell size and position from the `GeoTIFF` tags, where there are any.
    fn place(&mut self) -> Result<Option<Place>, ReadError> {
        let keys = self.decoder.find_tag_unsigned_vec::<u16>(Tag::GeoKeyDirectoryTag);
        let keys = keys.map_err(|error| explain(self.reading, error))?.unwrap_or_default();
        // After a head of four numbers, each key is: name, where its value lies, count, the value itself.
        let key = |name: u16| {
            keys.chunks_exact(4).skip(1).find(|key| key[0] == name && key[1] == 0).map(|key| key[3])
        };
        let unit = |name| key(name).filter(|&unit| unit != key::METRE && unit < key::USER_DEFINED);
        if let Some(unit) = unit(key::VERTICAL_UNITS) {
            let what = format!("its heights are not in metres (EPSG unit {unit})");
            return Err(self.reading.unsupported(what, "converting the heights to metres"));
        }
        let Some(grid) = self.grid(key(key::RASTER_TYPE) == Some(key::PIXEL_IS_POINT))? else {
            return Ok(None);
        };
        let projected = key(key::PROJECTED_CRS);
        let geographic = match key(key::MODEL_TYPE) {
            Some(model) => model == key::GEOGRAPHIC,
            None => projected.is_none() && key(key::GEODETIC_CRS).is_some(),
        };
        let (east, south) = (grid.east, grid.south);
        let path = || self.reading.path.into();
        let Estimate { cols, rows, .. } = self.size;
        let degrees = Degrees { corner: grid.corner, cell: [east, south], cols, rows };
        let upright = !grid.rotated && east > 0.0 && south > 0.0;
        if geographic && upright && self.reading.options.utm {
            let datum = key(key::GEODETIC_CRS).filter(|&code| code < key::USER_DEFINED);
            if let Some(datum) = datum.filter(|datum| !WGS_84.contains(datum)) {
                let reason = format!(
                    "its degrees are those of EPSG:{datum}, not of WGS 84 (EPSG:4326); try reprojecting it with gdalwarp"
                );
                return Err(ReadError::Unprojectable { path: path(), reason });
            }
            return Ok(Some(Place { degrees: Some(degrees), ..Place::default() }));
        }
        let refusal = if geographic {
            Some(ReadError::Geographic { path: path(), cell: east, utm: degrees.utm().filter(|_| upright) })
        } else if let Some(unit) = unit(key::PROJECTED_UNITS) {
            let what = format!("its cell size is not in metres (EPSG unit {unit})");
            Some(self.reading.unsupported(what, "reprojecting it to metres, or give the cell size in metres"))
        } else if grid.rotated || !(east > 0.0 && (east - south).abs() <= SQUARE * east) {
            Some(ReadError::CellShape { path: path(), east, south, rotated: grid.rotated })
        } else {
            None
        };
        match refusal {
            // Whoever gives a cell size has decided; the position in the file's own unit is of no use then.
            Some(_) if self.reading.options.cell.is_some() => Ok(None),
            Some(refusal) => Err(refusal),
            None => Ok(Some(Place {
                degrees: None,
                cell: Some(east),
                origin: [grid.corner[0], grid.corner[1] - self.size.rows as f64 * east],
                crs: projected.filter(|&code| code < key::USER_DEFINED).map(|code| format!("EPSG:{code}")),
            })),
        }
    }

    fn grid(&mut self, pixel_is_point: bool) -> Result<Option<Grid>, ReadError> {
        let scale = self.numbers(Tag::ModelPixelScaleTag)?;
        let tie = self.numbers(Tag::ModelTiepointTag)?;
        let matrix = self.numbers(Tag::ModelTransformationTag)?;
        let mut grid = match (scale.as_deref(), tie.as_deref(), matrix.as_deref()) {
            (Some(&[east, south, ..]), Some(&[col, row, _, x, y, ..]), _) => {
                Grid { east, south, rotated: false, corner: [x - col * east, y + row * south] }
            }
            (Some(&[east, south, ..]), None, _) => {
                Grid { east, south, rotated: false, corner: [0.0, self.size.rows as f64 * south] }
            }
            (None, _, Some(&[a, b, _, x, d, e, _, y, ..])) => {
                Grid { east: a, south: -e, rotated: b != 0.0 || d != 0.0, corner: [x, y] }
            }
            _ => return Ok(None),
        };
        if pixel_is_point {
            grid.corner = [grid.corner[0] - 0.5 * grid.east, grid.corner[1] + 0.5 * grid.south];
        }
        if [grid.east, grid.south, grid.corner[0], grid.corner[1]].iter().all(|number| number.is_finite()) {
            Ok(Some(grid))
        } else {
            Err(self.reading.broken(FORMAT, "its position is not a finite number"))
        }
    }
}

/// The grid as the tags give it.
struct Grid {
    /// Width of a cell.
    east: f64,
    /// Height of a cell, counted southwards.
    south: f64,
    rotated: bool,
    /// The north-west corner.
    corner: [f64; 2],
}

#[derive(Default)]
struct Place {
    /// A map in degrees that is to be laid out in metres.
    degrees: Option<Degrees>,
    cell: Option<f64>,
    origin: [f64; 2],
    crs: Option<String>,
}

fn is_striped(decoder: &Decoder<BufReader<File>>) -> bool {
    decoder.get_chunk_type() == ChunkType::Strip
}

/// The largest code of an integer sample, 1 for a float; none for samples that are not read.
fn full_code(sample: DecodingSampleType) -> Option<f64> {
    match sample {
        DecodingSampleType::U8 => Some(u8::MAX.into()),
        DecodingSampleType::U16 => Some(u16::MAX.into()),
        DecodingSampleType::U32 => Some(u32::MAX.into()),
        DecodingSampleType::I16 => Some(i16::MAX.into()),
        DecodingSampleType::I32 => Some(i32::MAX.into()),
        DecodingSampleType::F16 | DecodingSampleType::F32 | DecodingSampleType::F64 => Some(1.0),
        DecodingSampleType::U64 | DecodingSampleType::I8 | DecodingSampleType::I64 => None,
    }
}

/// The numbers of one strip or tile as heights.
fn decoded(chunk: DecodingResult, height: impl Fn(f64) -> f32) -> Vec<f32> {
    fn each<T: Into<f64>>(numbers: Vec<T>, height: impl Fn(f64) -> f32) -> Vec<f32> {
        numbers.into_iter().map(|number| height(number.into())).collect()
    }
    match chunk {
        DecodingResult::U8(numbers) => each(numbers, height),
        DecodingResult::U16(numbers) => each(numbers, height),
        DecodingResult::U32(numbers) => each(numbers, height),
        DecodingResult::I8(numbers) => each(numbers, height),
        DecodingResult::I16(numbers) => each(numbers, height),
        DecodingResult::I32(numbers) => each(numbers, height),
        DecodingResult::F16(numbers) => each(numbers, height),
        DecodingResult::F32(numbers) => each(numbers, height),
        DecodingResult::F64(numbers) => each(numbers, height),
        DecodingResult::U64(numbers) => numbers.into_iter().map(|number| height(number as f64)).collect(),
        DecodingResult::I64(numbers) => numbers.into_iter().map(|number| height(number as f64)).collect(),
    }
}

fn explain(reading: Reading, error: TiffError) -> ReadError {
    match error {
        TiffError::UnsupportedError(what) => reading
            .unsupported(what, "exporting one band of 32-bit floats, packed with deflate, LZW or not at all"),
        TiffError::IoError(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            reading.broken(FORMAT, "it ends too early")
        }
        other => reading.broken(FORMAT, other),
    }
}

/// Writes a `GeoTIFF` of 32-bit floats, packed with deflate.
pub(crate) fn write(writer: impl Write + Seek, heights: &Grid2<f32>, frame: &Frame) -> io::Result<()> {
    write_labelled(writer, heights, (&HEIGHT, frame))
}

/// Writes values of any kind, which the description tells.
pub(crate) fn write_labelled(
    writer: impl Write + Seek,
    heights: &Grid2<f32>,
    about: (&FieldInfo, &Frame),
) -> io::Result<()> {
    let done = if size_of_val(heights.values()) as u64 > BIG {
        encode::<_, TiffKindBig>(writer, heights, about)
    } else {
        encode::<_, TiffKindStandard>(writer, heights, about)
    };
    done.map_err(|error| match error {
        TiffError::IoError(error) => error,
        other => io::Error::other(other),
    })
}

fn encode<W: Write + Seek, K: TiffKind>(
    writer: W,
    heights: &Grid2<f32>,
    (info, frame): (&FieldInfo, &Frame),
) -> Result<(), TiffError> {
    let encoder = TiffEncoder::<W, K>::new_generic(writer)?;
    // A sixth of the time of the balanced level for a tenth more bytes.
    let mut encoder = encoder.with_compression(Compression::Deflate(DeflateLevel::Fast));
    let mut image = encoder.new_image::<Gray32Float>(heights.cols() as u32, heights.rows() as u32)?;
    let tags = image.encoder();
    let [west, south] = frame.origin;
    let north = south + heights.rows() as f64 * frame.cell;
    tags.write_tag(Tag::ImageDescription, Label::new(info, heights, frame).to_ascii().as_str())?;
    tags.write_tag(Tag::ModelPixelScaleTag, [frame.cell, frame.cell, 0.0])?;
    tags.write_tag(Tag::ModelTiepointTag, [0.0, 0.0, 0.0, west, north, 0.0])?;
    tags.write_tag(Tag::GeoKeyDirectoryTag, geo_keys(frame.crs.as_deref()).as_slice())?;
    if heights.values().iter().any(|height| !height.is_finite()) {
        tags.write_tag(Tag::GdalNodata, "nan")?;
    }
    // The crate can undo the floating-point predictor but not apply it, so that is done here.
    tags.write_tag(Tag::Predictor, Predictor::FloatingPoint.to_u16())?;
    image.write_data(&predicted(heights))
}

/// The coordinate system as keys: version, then entries in ascending order. Without an EPSG number only
/// the description in the file can tell it.
fn geo_keys(crs: Option<&str>) -> Vec<u16> {
    let code = crs.and_then(|crs| crs.strip_prefix("EPSG:")).and_then(|code| code.parse().ok());
    let code = code.filter(|&code| code < key::USER_DEFINED);
    let mut entries = vec![(key::RASTER_TYPE, key::PIXEL_IS_AREA)];
    if let Some(code) = code {
        entries.insert(0, (key::MODEL_TYPE, key::PROJECTED));
        entries.push((key::PROJECTED_CRS, code));
    }
    let head = [1, 1, 0, entries.len() as u16];
    head.into_iter().chain(entries.into_iter().flat_map(|(name, value)| [name, 0, 1, value])).collect()
}

/// Rows ready for deflate (Adobe Photoshop TIFF Technical Note 3): all first bytes of a row, then all
/// second bytes and so on, high byte first, each less the one before. Smooth ground becomes long runs.
fn predicted(heights: &Grid2<f32>) -> Vec<f32> {
    let mut out = vec![0.0f32; heights.len()];
    for (row, out) in out.chunks_exact_mut(heights.cols()).enumerate() {
        let out: &mut [u8] = bytemuck::cast_slice_mut(out);
        for (col, height) in heights.row(row).iter().enumerate() {
            for (plane, byte) in height.to_be_bytes().into_iter().enumerate() {
                out[plane * heights.cols() + col] = byte;
            }
        }
        for at in (1..out.len()).rev() {
            out[at] = out[at].wrapping_sub(out[at - 1]);
        }
    }
    out
}
