//! VTP: particles for VTK and ParaView.
//!
//! VTK's XML file of PolyData with all numbers in one block at the end, raw, low byte first, each array
//! after its length in 64 bits. Written by hand: the head is a few lines, and raw numbers are neither
//! larger nor slower than in a PLY file.

use crate::WriteError;
use crate::atomic::write_atomic;
use crate::points::{PLACES, check_points};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use thalweg_field::{Column, FieldInfo, Points};

/// Writes particles as VTK PolyData: a vertex for each, and an array of point data for each column under
/// its name; `id` holds the numbers that they were born with, if they have any.
///
/// Three columns of one unit named `<stem>_x`, `<stem>_y` and `<stem>_z` become one array of vectors
/// named after the stem, unless a column has that name already. Units and meanings are in comments at the
/// beginning, in which `--` becomes `- -`, for XML has it so. The radius is field data named `radius`,
/// and the time `[s]` is where ParaView looks for it, in field data named `TimeValue`.
pub fn write_vtp_points(path: &Path, points: &Points, time: Option<f64>) -> Result<(), WriteError> {
    check_points(path, points)?;
    for FieldInfo { name, unit, meaning } in points.columns.iter().map(|column| &column.info) {
        if [name, unit, meaning].iter().any(|text| text.contains(['\u{fffe}', '\u{ffff}'])) {
            let what = format!("the label of the column {name:?} has a character that is none");
            let expected = "XML allows neither U+FFFE nor U+FFFF";
            return Err(WriteError::Refused { path: path.into(), what, expected });
        }
    }
    let mut field_data = vec![Array { name: "radius", values: Values::One(points.radius) }];
    field_data.extend(time.map(|time| Array { name: "TimeValue", values: Values::Time(time) }));
    let ids = (!points.ids.is_empty()).then_some(Array { name: "id", values: Values::Ids(&points.ids) });
    let point_data: Vec<_> = ids.into_iter().chain(columns(points)).collect();
    let places = [Array { name: "Points", values: Values::Places(&points.positions) }];
    let vertices = [
        Array { name: "connectivity", values: Values::Count { from: 0, count: points.len() } },
        // Where each vertex ends.
        Array { name: "offsets", values: Values::Count { from: 1, count: points.len() } },
    ];
    let sections: [Section; 4] =
        [("FieldData", &field_data), ("PointData", &point_data), ("Points", &places), ("Verts", &vertices)];
    let head = head(points, &sections);
    write_atomic(path, |writer| {
        writer.write_all(head.as_bytes())?;
        for array in sections.iter().flat_map(|(_, arrays)| *arrays) {
            writer.write_all(&array.values.bytes().to_le_bytes())?;
            array.values.write(writer)?;
        }
        writer.write_all(b"\n  </AppendedData>\n</VTKFile>\n")
    })
}

/// An element of the file and the arrays in it.
type Section<'a> = (&'static str, &'a [Array<'a>]);

struct Array<'a> {
    name: &'a str,
    values: Values<'a>,
}

/// What an array is made of.
enum Values<'a> {
    One(f32),
    Time(f64),
    Places(&'a [[f32; 3]]),
    Column(&'a Column),
    Vector([&'a Column; 3]),
    Ids(&'a [u32]),
    /// Whole numbers, each one more than that before.
    Count {
        from: i64,
        count: usize,
    },
}

impl Values<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Self::Count { .. } => "Int64",
            Self::Time(_) => "Float64",
            Self::Ids(_) => "UInt32",
            _ => "Float32",
        }
    }

    fn components(&self) -> u64 {
        match self {
            Self::Places(_) | Self::Vector(_) => 3,
            _ => 1,
        }
    }

    fn tuples(&self) -> u64 {
        let tuples = match self {
            Self::One(_) | Self::Time(_) => 1,
            Self::Places(places) => places.len(),
            Self::Ids(ids) => ids.len(),
            Self::Column(column) | Self::Vector([column, ..]) => column.values.len(),
            Self::Count { count, .. } => *count,
        };
        tuples as u64
    }

    /// Length without the number that tells it `[byte]`.
    fn bytes(&self) -> u64 {
        let each = match self {
            Self::Count { .. } => size_of::<i64>(),
            Self::Time(_) => size_of::<f64>(),
            _ => size_of::<f32>(),
        };
        each as u64 * self.components() * self.tuples()
    }

    fn write(&self, writer: &mut impl Write) -> io::Result<()> {
        match self {
            Self::One(value) => writer.write_all(&value.to_le_bytes()),
            Self::Time(value) => writer.write_all(&value.to_le_bytes()),
            Self::Places(places) => places
                .iter()
                .try_for_each(|place| writer.write_all(place.map(f32::to_le_bytes).as_flattened())),
            Self::Column(column) => {
                column.values.iter().try_for_each(|value| writer.write_all(&value.to_le_bytes()))
            }
            Self::Ids(ids) => ids.iter().try_for_each(|id| writer.write_all(&id.to_le_bytes())),
            Self::Vector(parts) => (0..parts[0].values.len()).try_for_each(|index| {
                writer.write_all(parts.map(|part| part.values[index].to_le_bytes()).as_flattened())
            }),
            Self::Count { from, count } => {
                (*from..).take(*count).try_for_each(|number| writer.write_all(&number.to_le_bytes()))
            }
        }
    }
}

/// The arrays that the columns make, a vector in the place of the first of its three.
fn columns(points: &Points) -> Vec<Array<'_>> {
    let mut arrays: Vec<Array> = Vec::new();
    for column in &points.columns {
        match vector(points, column) {
            None => arrays.push(Array { name: &column.info.name, values: Values::Column(column) }),
            Some((stem, parts)) if arrays.iter().all(|array| array.name != stem) => {
                arrays.push(Array { name: stem, values: Values::Vector(parts) });
            }
            Some(_) => {} // already there
        }
    }
    arrays
}

/// The vector that a column is part of, and its name.
fn vector<'a>(points: &'a Points, column: &'a Column) -> Option<(&'a str, [&'a Column; 3])> {
    let FieldInfo { name, unit, .. } = &column.info;
    let stem = ["_x", "_y", "_z"].iter().find_map(|axis| name.strip_suffix(axis))?;
    if stem.is_empty() || points.column(stem).is_some() {
        return None;
    }
    let [x, y, z] = ["_x", "_y", "_z"].map(|axis| points.column(&format!("{stem}{axis}")));
    let parts = [x?, y?, z?];
    parts.iter().all(|part| part.info.unit == *unit).then_some((stem, parts))
}

/// Everything before the numbers. Field data belong to the whole, all else to its one piece.
fn head(points: &Points, [field_data, piece @ ..]: &[Section; 4]) -> String {
    let mut head = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n",
    );
    // Writing to a string cannot fail.
    let _ = writeln!(head, "  <!-- {PLACES} -->");
    for FieldInfo { name, unit, meaning } in points.columns.iter().map(|column| &column.info) {
        let _ = writeln!(head, "  <!-- {} -->", in_comment(&format!("{name} [{unit}] {meaning}")));
    }
    head += "  <PolyData>\n";
    let mut offset = 0;
    declare(&mut head, &mut offset, field_data);
    let _ = writeln!(
        head,
        "    <Piece NumberOfPoints=\"{0}\" NumberOfVerts=\"{0}\" NumberOfLines=\"0\" \
         NumberOfStrips=\"0\" NumberOfPolys=\"0\">",
        points.len()
    );
    for section in piece {
        declare(&mut head, &mut offset, section);
    }
    // Numbers begin right after the underscore, whatever they look like.
    head + "    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n   _"
}

/// Tells what the arrays of an element are and where they begin, counted from the first of all `[byte]`.
fn declare(head: &mut String, offset: &mut u64, (element, arrays): &Section) {
    let _ = writeln!(head, "      <{element}>");
    for Array { name, values } in *arrays {
        let _ = writeln!(
            head,
            "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" NumberOfTuples=\"{}\" \
             format=\"appended\" offset=\"{offset}\"/>",
            values.kind(),
            in_quotes(name),
            values.components(),
            values.tuples()
        );
        *offset += size_of::<u64>() as u64 + values.bytes();
    }
    let _ = writeln!(head, "      </{element}>");
}

/// Text for an XML comment, which ends at the first `--`.
pub(crate) fn in_comment(text: &str) -> String {
    let mut text = text.to_owned();
    while text.contains("--") {
        text = text.replace("--", "- -");
    }
    text
}

/// Text for an XML attribute.
pub(crate) fn in_quotes(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
