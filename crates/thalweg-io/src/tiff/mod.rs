//! TIFF, and the GeoTIFF tags that say where on earth it lies.

mod keys;
mod layout;
mod pack;
mod write;

use crate::beside;
use crate::label::Label;
use crate::reading::{Head, Raster, Reading, SQUARE, Scale};
use crate::reproject::Degrees;
use crate::{Estimate, Notice, ReadError};
use ::tiff::TiffError;
use ::tiff::decoder::ifd::Value;
use ::tiff::decoder::{Decoder, IfdDecoder, Limits};
use ::tiff::tags::{ByteOrder, Tag};
use keys::{Heights, Keys};
use layout::{Layout, Rows, Wanted, photometric};
use std::fs::File;
use std::io::{self, BufReader};
use thalweg_field::Grid2;

pub(crate) use write::Writing;

const FORMAT: &str = "TIFF";

/// Longest value of a tag that is read `[byte]`, whatever the length of the file.
const LONGEST_VALUE: u64 = 64 << 20;

/// Longest text that is read from a tag `[byte]`.
const LONGEST_TEXT: u64 = 1 << 20;

/// Pictures of a file that are looked at for a mask.
const MOST_PICTURES: usize = 64;

/// What a picture of a file is for: bits of `NewSubfileType`.
const REDUCED: u64 = 1;
const MASK: u64 = 4;

/// Degrees that are those of WGS 84 within 2 m, by their EPSG numbers: WGS 84 itself, with heights, NAD 83 and ETRS 89.
const WGS_84: [u16; 4] = [4326, 4979, 4269, 4258];

/// Where GDAL tells scale, offset and unit, as XML.
const GDAL_METADATA: Tag = Tag::Unknown(42112);

/// A TIFF file whose header has been checked.
pub(crate) struct Opened<'a> {
    reading: Reading<'a>,
    file: File,
    rows: Rows,
    layout: Layout,
    /// Where there are heights: 0 is none.
    mask: Option<Rows>,
    facts: Facts,
    band: usize,
    /// From numbers to metres; known once the head has been read.
    metres: Metres,
    pub size: Estimate,
}

/// What the tags say about the numbers, as it stands there.
struct Facts {
    label: Option<Label>,
    keys: Keys,
    scale: Option<Vec<f64>>,
    tie: Option<Vec<f64>>,
    matrix: Option<Vec<f64>>,
    nodata: Option<f64>,
    metadata: String,
}

/// How numbers become heights.
#[derive(Clone, Copy)]
struct Metres {
    nodata: Option<f64>,
    scale: Scale,
    /// A unit of height `[m]`.
    unit: f64,
}

impl<'a> Opened<'a> {
    pub(crate) fn new(reading: Reading<'a>, file: BufReader<File>) -> Result<Self, ReadError> {
        let fail = |error| explain(reading, error);
        let handle = file.get_ref().try_clone();
        let mut limits = Limits::default();
        let value = reading.length.clamp(LONGEST_TEXT, LONGEST_VALUE);
        limits.ifd_value_size = usize::try_from(value).unwrap_or(usize::MAX);
        let mut decoder = Decoder::new(file).map_err(fail)?.with_limits(limits);
        let big_endian = decoder.byte_order() == ByteOrder::BigEndian;
        let layout = Layout::of(reading, &mut decoder.image_ifd(), big_endian)?;
        let wanted = wanted(reading, &layout)?;
        let size = reading.admit(FORMAT, layout.cols as u64, layout.rows as u64, 2 * layout.scratch())?;
        let facts = Facts::of(reading, &mut decoder, &layout)?;
        let mask = mask(reading, &mut decoder, &layout, big_endian)?;
        let file = handle.map_err(|source| ReadError::Io { path: reading.path.into(), source })?;
        let metres = Metres { nodata: facts.nodata, scale: Scale::AS_IT_IS, unit: 1.0 };
        let rows = Rows::new(layout.clone(), wanted);
        Ok(Self { reading, file, rows, layout, mask, facts, band: wanted.band, metres, size })
    }

    /// What is known besides the numbers. Goes before the first row.
    pub(crate) fn head(&mut self, notices: &mut Vec<Notice>) -> Result<Head, ReadError> {
        let label = self.facts.label.take();
        let unit = self.unit_of_heights(notices)?;
        let place = self.place(unit == 1.0, notices)?;
        let mut assumed = Vec::new();
        self.metres.scale = match self.facts.linear(self.band) {
            Some(scale) if self.reading.options.height_range.is_none() && label.is_none() => {
                notices.push(Notice::Scaled { scale: scale.step(), offset: scale.low() });
                scale
            }
            _ => self.reading.scale(self.layout.full_code(), label.as_ref(), &mut assumed),
        };
        // Whoever gives heights gives them in metres.
        if self.reading.options.height_range.is_none() {
            self.metres.unit = unit;
        }
        // Elevation models with a place on earth are in metres unless they say otherwise.
        if unit == 1.0 && !matches!(place, Some(Place { crs: Some(_), .. } | Place { degrees: Some(_), .. }))
        {
            notices.append(&mut assumed);
        }
        if self.layout.photometric == photometric::WHITE_IS_ZERO && self.layout.bits > 1 {
            notices.push(Notice::WhiteIsZero);
        }
        if self.mask.is_some() {
            notices.push(Notice::MaskUsed);
        }
        if !self.layout.extra.is_empty() && self.reading.options.band.is_none() {
            notices.push(Notice::AlphaIgnored);
        }
        let bits = if self.layout.bits <= 8 { 8 } else { 32 };
        let Place { cell, origin, crs, degrees } = place.unwrap_or_default();
        let crs = crs.or(label.as_ref().and_then(|label| label.crs.clone()));
        Ok(Head { info: label.map(|label| label.info()), cell, origin, crs, bits, degrees })
    }

    /// A row of heights, counted from the north; neighbours are quickest one after the other.
    pub(crate) fn row(&mut self, row: usize, heights: &mut [f32]) -> Result<(), ReadError> {
        let Metres { nodata, scale, unit } = self.metres;
        let numbers = self.rows.row(self.reading, &mut self.file, row)?;
        for (height, &number) in heights.iter_mut().zip(numbers) {
            let metres = if unit == 1.0 {
                scale.metres(number)
            } else {
                (f64::from(scale.metres(number)) * unit) as f32
            };
            *height = if nodata == Some(number) { f32::NAN } else { metres };
        }
        if let Some(mask) = &mut self.mask {
            let there = mask.row(self.reading, &mut self.file, row)?;
            for (height, _) in heights.iter_mut().zip(there).filter(|(_, there)| **there == 0.0) {
                *height = f32::NAN;
            }
        }
        Ok(())
    }

    pub(crate) fn read(mut self, notices: &mut Vec<Notice>) -> Result<Raster, ReadError> {
        let head = self.head(notices)?;
        let mut heights = Grid2::filled(self.size.cols, self.size.rows, f32::NAN);
        for row in 0..self.size.rows {
            self.row(row, heights.row_mut(row))?;
        }
        Ok(Raster { heights, head })
    }

    /// Size of the terrain as it comes out: of a map in degrees that is laid out in metres, that of the layout.
    pub(crate) fn size_when_read(self) -> Result<Estimate, ReadError> {
        if !self.reading.options.utm {
            return Ok(self.size);
        }
        let degrees = match self.place(true, &mut Vec::new())? {
            Some(place) => place.degrees,
            None => beside::degrees(self.reading, [self.size.cols, self.size.rows])?,
        };
        match degrees {
            Some(degrees) => self.reading.laid_out(&self.size, &degrees),
            None => Ok(self.size),
        }
    }

    /// What a unit of height is `[m]`.
    fn unit_of_heights(&self, notices: &mut Vec<Notice>) -> Result<f64, ReadError> {
        let unit = match self.facts.keys.heights() {
            Heights::Unit(1.0) => self.facts.unit(self.band),
            Heights::Unit(unit) => unit,
            Heights::Down(system) => {
                let what = format!("its heights count downwards (EPSG:{system})");
                return Err(self.reading.unsupported(what, "turning depths into heights"));
            }
            Heights::Unknown(unit) => {
                let what = format!("its heights are not in metres (EPSG unit {unit})");
                return Err(self.reading.unsupported(what, "converting the heights to metres"));
            }
        };
        if unit != 1.0 {
            notices.push(Notice::HeightsInFeet { metres: unit });
        }
        Ok(unit)
    }

    /// Cell size and position from the `GeoTIFF` tags, where there are any.
    fn place(&self, vertical: bool, notices: &mut Vec<Notice>) -> Result<Option<Place>, ReadError> {
        let keys = &self.facts.keys;
        let Some(grid) = self.grid(keys.code(keys::RASTER_TYPE) == Some(keys::PIXEL_IS_POINT))? else {
            return Ok(None);
        };
        let projected = keys.code(keys::PROJECTED_CRS);
        let geographic = match keys.code(keys::MODEL_TYPE) {
            Some(model) => model == keys::GEOGRAPHIC,
            None => projected.is_none() && keys.code(keys::GEODETIC_CRS).is_some(),
        };
        let (east, south) = (grid.east, grid.south);
        let path = || self.reading.path.into();
        let Estimate { cols, rows, .. } = self.size;
        let degrees = Degrees { corner: grid.corner, cell: [east, south], cols, rows };
        let upright = !grid.rotated && east > 0.0 && south > 0.0;
        if geographic && upright && self.reading.options.utm {
            let datum = keys.epsg(keys::GEODETIC_CRS);
            if let Some(datum) = datum.filter(|datum| !WGS_84.contains(datum)) {
                let reason = format!(
                    "its degrees are those of EPSG:{datum}, not of WGS 84 (EPSG:4326); try reprojecting it with gdalwarp"
                );
                return Err(ReadError::Unprojectable { path: path(), reason });
            }
            return Ok(Some(Place { degrees: Some(degrees), ..Place::default() }));
        }
        let unit = keys.epsg(keys::PROJECTED_UNITS).filter(|&unit| unit != keys::METRE);
        let off = (east - south).abs() / east;
        let refusal = if geographic {
            Some(ReadError::Geographic { path: path(), cell: east, utm: degrees.utm().filter(|_| upright) })
        } else if let Some(unit) = unit {
            let what = format!("its cell size is not in metres (EPSG unit {unit})");
            Some(self.reading.unsupported(
                what,
                "reprojecting it to metres, or give the cell size in metres (--metres-per-pixel)",
            ))
        } else if !(upright && off <= SQUARE) {
            Some(ReadError::CellShape { path: path(), east, south, rotated: grid.rotated })
        } else {
            None
        };
        match refusal {
            // Whoever gives a cell size has decided; the position in the file's own unit is of no use then.
            Some(_) if self.reading.options.cell.is_some() => Ok(None),
            Some(refusal) => Err(refusal),
            None => {
                let cell = self.reading.square(east, south, notices)?;
                Ok(Some(Place {
                    degrees: None,
                    cell: Some(cell),
                    origin: [grid.corner[0], grid.corner[1] - self.size.rows as f64 * cell],
                    crs: keys.crs(vertical),
                }))
            }
        }
    }

    fn grid(&self, pixel_is_point: bool) -> Result<Option<Grid>, ReadError> {
        let Facts { scale, tie, matrix, .. } = &self.facts;
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

impl Facts {
    fn of(
        reading: Reading,
        decoder: &mut Decoder<BufReader<File>>,
        layout: &Layout,
    ) -> Result<Self, ReadError> {
        let fail = |error| explain(reading, error);
        let mut tags = decoder.image_ifd();
        let mut numbers = |tag: Tag| -> Result<Option<Vec<f64>>, ReadError> {
            tags.find_tag(tag).map_err(fail)?.map(Value::into_f64_vec).transpose().map_err(fail)
        };
        let scale = numbers(Tag::ModelPixelScaleTag)?;
        let tie = numbers(Tag::ModelTiepointTag)?;
        let matrix = numbers(Tag::ModelTransformationTag)?;
        let doubles = numbers(Tag::GeoDoubleParamsTag)?.unwrap_or_default();
        let directory = tags.find_tag_unsigned_vec::<u16>(Tag::GeoKeyDirectoryTag).map_err(fail)?;
        let ascii = text(&mut tags, Tag::GeoAsciiParamsTag).unwrap_or_default();
        let keys = Keys::of(&directory.unwrap_or_default(), &doubles, &ascii);
        let label =
            text(&mut tags, Tag::ImageDescription).and_then(|text| Label::parse(&text, reading.path).ok());
        let nodata = text(&mut tags, Tag::GdalNodata).and_then(|text| {
            let number: f64 = text.trim_matches(|c: char| c == '\0' || c.is_whitespace()).parse().ok()?;
            // Written with 17 digits, but what is in the cells has been through a float.
            let single = layout.kind == layout::Kind::Float && layout.bits == 32;
            Some(if single { f64::from(number as f32) } else { number })
        });
        let metadata = text(&mut tags, GDAL_METADATA).unwrap_or_default();
        Ok(Self { label, keys, scale, tie, matrix, nodata, metadata })
    }

    /// What GDAL says about a band, by its role: `scale`, `offset` or `unittype`.
    fn item(&self, band: usize, role: &str) -> Option<&str> {
        self.metadata.split("<Item ").skip(1).find_map(|item| {
            let (head, rest) = item.split_once('>')?;
            let attribute = |name: &str| {
                let (_, value) = head.split_once(&format!("{name}=\""))?;
                value.split_once('"').map(|(value, _)| value)
            };
            let sample: usize = attribute("sample").map_or(Some(0), |sample| sample.parse().ok())?;
            let found = sample == band && attribute("role") == Some(role);
            found.then(|| rest.split_once("</Item>").map(|(value, _)| value.trim())).flatten()
        })
    }

    /// GDAL's scale and offset of a band.
    fn linear(&self, band: usize) -> Option<Scale> {
        let number = |role| {
            self.item(band, role).and_then(|text| text.parse().ok()).filter(|number: &f64| number.is_finite())
        };
        let (scale, offset) = (number("scale"), number("offset"));
        let scale = (scale.is_some() || offset.is_some())
            .then(|| Scale::new(offset.unwrap_or(0.0), scale.unwrap_or(1.0)))?;
        (scale != Scale::AS_IT_IS).then_some(scale)
    }

    /// GDAL's unit of a band `[m]`; metres where it is not known.
    fn unit(&self, band: usize) -> f64 {
        match self.item(band, "unittype").unwrap_or_default().to_ascii_lowercase().as_str() {
            "ft" | "foot" | "feet" => 0.3048,
            "us survey foot" | "ftus" | "us-ft" => 1200.0 / 3937.0,
            _ => 1.0,
        }
    }
}

/// Which band is read: the one asked for, the only one, or one of three that are the same.
fn wanted(reading: Reading, layout: &Layout) -> Result<Wanted, ReadError> {
    let Layout { samples, photometric, .. } = *layout;
    if let Some(band) = &reading.options.band {
        let number = band.parse().ok().filter(|number| (1..=samples).contains(number));
        let number: usize = number.ok_or_else(|| ReadError::Band {
            path: reading.path.into(),
            asked: band.clone(),
            there: if samples == 1 { "band 1 alone".into() } else { format!("bands 1 to {samples}") },
        })?;
        return Ok(Wanted { band: number - 1, grey: false });
    }
    let colours = photometric == photometric::RGB;
    if colours && samples >= 3 && !layout.separate {
        return Ok(Wanted { band: 0, grey: true });
    }
    if matches!(photometric, photometric::PALETTE | photometric::YCBCR) {
        let what = "holds colours, not heights";
        return Err(reading.unsupported(what, "exporting the height as one grey band"));
    }
    let alpha = layout.extra.len() == samples - 1 && layout.extra.iter().all(|kind| matches!(kind, 1 | 2));
    if samples == 1 || alpha && !colours {
        return Ok(Wanted { band: 0, grey: false });
    }
    let what = format!("holds {samples} bands");
    Err(reading.unsupported(what, "saying which one is the height with --band, such as --band 1"))
}

/// The picture that says where the first one of the file has numbers, as GDAL writes it.
fn mask(
    reading: Reading,
    decoder: &mut Decoder<BufReader<File>>,
    of: &Layout,
    big_endian: bool,
) -> Result<Option<Rows>, ReadError> {
    let fail = |error| explain(reading, error);
    let mut pointer = decoder.image_ifd().directory().next();
    for _ in 0..MOST_PICTURES {
        let Some(next) = pointer.take() else { break };
        // What is damaged behind the picture itself does not matter to it.
        let Ok(directory) = decoder.read_directory(next) else { break };
        pointer = directory.next();
        let mut tags = decoder.read_directory_tags(&directory);
        let kind = tags.find_tag_unsigned::<u64>(Tag::NewSubfileType).map_err(fail)?.unwrap_or(0);
        let size = [Tag::ImageWidth, Tag::ImageLength]
            .map(|tag| tags.find_tag_unsigned::<u64>(tag).ok().flatten().unwrap_or(0));
        if kind & MASK == 0 || kind & REDUCED != 0 || size != [of.cols as u64, of.rows as u64] {
            continue;
        }
        let layout = Layout::of(reading, &mut tags, big_endian)?;
        return Ok(Some(Rows::new(layout, Wanted { band: 0, grey: false })));
    }
    Ok(None)
}

fn text(tags: &mut IfdDecoder<'_>, tag: Tag) -> Option<String> {
    let fits = tags.find_entry(tag)?.count() <= LONGEST_TEXT;
    if fits { tags.get_tag_ascii_string(tag).ok() } else { None }
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

/// Whether a `GeoTIFF` can tell a coordinate system to other programs: one with an EPSG number, one that came from a `GeoTIFF`, or
/// well-known text in ASCII. Any other stands in our own description alone.
pub fn geotiff_tells(crs: &str) -> bool {
    Keys::system(crs).is_some()
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
