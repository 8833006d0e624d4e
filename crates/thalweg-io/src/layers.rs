//! All maps of a run in one EXR file, a part for each.

use crate::atomic::write_atomic;
use crate::label::{KEY, Label};
use crate::reading::Reading;
use crate::written::check_size;
use crate::{ReadError, ReadOptions, WriteError};
use ::exr::error::Error;
use ::exr::image::{AnyChannel, AnyChannels, Encoding, FlatSamples, Image, Layer};
use ::exr::math::Vec2;
use ::exr::meta::MetaData;
use ::exr::meta::attribute::{AttributeValue, IntegerBounds, Text};
use ::exr::meta::header::{ImageAttributes, LayerAttributes};
use ::exr::prelude::{ReadChannels, ReadLayers, WritableImage, read};
use std::collections::HashSet;
use std::io;
use std::path::Path;
use thalweg_field::{Field, FieldInfo, Frame, Grid2};

/// A part of an EXR file: one grid, or the parts of a vector to the east and to the north.
#[derive(Clone, Debug)]
pub struct MapLayer<'a> {
    /// Its label; the part has its name.
    pub info: FieldInfo,
    /// One grid, in the channel `Y`, or two, in `X` and `Y`.
    pub grids: Vec<&'a Grid2<f32>>,
}

impl<'a> MapLayer<'a> {
    /// A part of one grid.
    pub fn of(field: &'a Field) -> Self {
        Self { info: field.info.clone(), grids: vec![&field.values] }
    }
}

/// Writes maps as one EXR file with a part for each, named after it, all in 32-bit floats. Programs that read the
/// first part only get the first map. Each part has its description in the attribute `thalweg`.
pub fn write_layers(path: &Path, layers: &[MapLayer], frame: &Frame) -> Result<(), WriteError> {
    let refuse = |what, expected| Err(WriteError::Refused { path: path.into(), what, expected });
    let Some(first) = layers.first().and_then(|layer| layer.grids.first()) else {
        return refuse("there is no map to write".into(), "one at least must be given");
    };
    check_size(path, first.cols(), first.rows())?;
    let mut names = HashSet::new();
    for MapLayer { info, grids } in layers {
        if !names.insert(&info.name) {
            return refuse(format!("two maps are named {}", info.name), "each needs a name of its own");
        }
        if !(1..=2).contains(&grids.len()) || grids.iter().any(|grid| !grid.same_shape(first)) {
            let what = format!("the map {} has {} grids, or grids of another shape", info.name, grids.len());
            return refuse(what, "one or two of the shape of the first map");
        }
    }
    let size = Vec2(first.cols(), first.rows());
    let parts: ::exr::prelude::SmallVec<_> = layers.iter().map(|layer| part(layer, frame, size)).collect();
    let image = Image::from_layers(ImageAttributes::new(IntegerBounds::from_dimensions(size)), parts);
    write_atomic(path, |writer| {
        image.write().to_buffered(writer).map_err(|error| match error {
            Error::Io(error) => error,
            other => io::Error::other(other),
        })
    })
}

fn part(layer: &MapLayer, frame: &Frame, size: Vec2<usize>) -> Layer<AnyChannels<FlatSamples>> {
    let mut attributes = LayerAttributes::named(&*layer.info.name);
    let label = Label::new(&layer.info, layer.grids[0], frame).to_ascii();
    attributes.other.insert(Text::from(KEY), AttributeValue::Text(Text::from(label.as_str())));
    let names: &[&str] = if layer.grids.len() == 1 { &["Y"] } else { &["X", "Y"] };
    let channels = names
        .iter()
        .zip(&layer.grids)
        .map(|(name, grid)| AnyChannel::new(Text::from(*name), FlatSamples::F32(grid.values().to_vec())));
    Layer::new(size, attributes, Encoding::SMALL_LOSSLESS, AnyChannels::sort(channels.collect()))
}

/// The label of a part, and its grids.
pub type ReadLayer = (FieldInfo, Vec<Grid2<f32>>);

/// Reads the parts of an EXR file that [`write_layers`] wrote: the label of each and its grids. `max_bytes` is the memory that
/// reading may use `[byte]`.
pub fn read_layers(path: &Path, max_bytes: u64) -> Result<Vec<ReadLayer>, ReadError> {
    let broken = |reason: String| ReadError::Broken { path: path.into(), format: "EXR", reason };
    let options = ReadOptions { max_bytes, ..ReadOptions::default() };
    let (reading, file) = Reading::open(path, &options)?;
    let meta = MetaData::read_from_buffered(file, false).map_err(|error| broken(error.to_string()))?;
    let numbers = meta.headers.iter().map(|header| {
        let Vec2(cols, rows) = header.layer_size;
        (cols as u64).saturating_mul(rows as u64).saturating_mul(header.channels.list.len() as u64)
    });
    // Each number is there twice at the end: as decoded and in its grid.
    reading.admit("EXR", numbers.fold(0, u64::saturating_add), 2, 0)?;
    let image = read()
        .no_deep_data()
        .largest_resolution_level()
        .all_channels()
        .all_layers()
        .all_attributes()
        .from_file(path)
        .map_err(|error| broken(error.to_string()))?;
    let mut layers = Vec::new();
    for layer in image.layer_data {
        let Vec2(cols, rows) = layer.size;
        let grids = layer.channel_data.list.iter().map(|channel| {
            let values = channel.sample_data.values_as_f32().collect();
            Grid2::from_values(cols, rows, values).ok_or_else(|| broken("a part has too few cells".into()))
        });
        let grids = grids.collect::<Result<_, _>>()?;
        let name = layer.attributes.layer_name.map(|name| name.to_string()).unwrap_or_default();
        let info = match layer.attributes.other.get(&Text::from(KEY)) {
            Some(AttributeValue::Text(text)) => Label::parse(&text.to_string(), path)?.info(),
            _ => FieldInfo { name: name.into(), unit: "-".into(), meaning: "".into() },
        };
        layers.push((info, grids));
    }
    Ok(layers)
}
