//! Particles in VTP files, read back byte by byte.

use crate::common::droplets;
use std::ops::Range;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use thalweg_field::{Column, FieldInfo, Points};
use thalweg_io::{Ply, WriteError, read_ply, write_points, write_vtp_points};

/// One array as the head declares it.
#[derive(Debug)]
struct Declared {
    kind: String,
    name: String,
    components: usize,
    tuples: usize,
    /// Where its numbers are in the file, without their length.
    place: Range<usize>,
}

/// A file, and what it says of itself.
struct Vtp {
    bytes: Vec<u8>,
    head: String,
    arrays: Vec<Declared>,
}

/// The value of an attribute in a piece of XML.
fn attribute<'a>(xml: &'a str, name: &str) -> &'a str {
    let begin = format!(" {name}=\"");
    let (_, rest) = xml.split_once(&begin).unwrap_or_else(|| panic!("no {name} in {xml}"));
    rest.split_once('"').unwrap().0
}

impl Vtp {
    fn read(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        let mark = b"<AppendedData encoding=\"raw\">\n   _";
        let start = bytes.windows(mark.len()).position(|window| window == mark).unwrap() + mark.len();
        let head = String::from_utf8(bytes[..start].to_vec()).unwrap();
        let declared = |tag: &str| {
            let number = |name| attribute(tag, name).parse::<usize>().unwrap();
            assert_eq!(attribute(tag, "format"), "appended");
            let begin = start + number("offset");
            let length = u64::from_le_bytes(bytes[begin..begin + 8].try_into().unwrap()) as usize;
            Declared {
                kind: attribute(tag, "type").into(),
                name: attribute(tag, "Name").into(),
                components: number("NumberOfComponents"),
                tuples: number("NumberOfTuples"),
                place: begin + 8..begin + 8 + length,
            }
        };
        let arrays: Vec<_> = head.split("<DataArray").skip(1).map(declared).collect();
        // Nothing lies between the arrays, and nothing but the end of the file behind them.
        let mut end = start;
        for array in &arrays {
            assert_eq!(array.place.start, end + 8, "{array:?}");
            let each = if array.kind.ends_with("64") { 8 } else { 4 };
            assert_eq!(array.place.len(), each * array.components * array.tuples, "{array:?}");
            end = array.place.end;
        }
        assert_eq!(bytes[end..], *b"\n  </AppendedData>\n</VTKFile>\n");
        Self { bytes, head, arrays }
    }

    /// What lies between the beginning and the end of an element of the head.
    fn element(&self, name: &str) -> &str {
        let rest = self.head.split_once(&format!("<{name}>")).unwrap().1;
        rest.split_once(&format!("</{name}>")).unwrap().0
    }

    /// Names and components of all arrays.
    fn names(&self) -> Vec<(&str, usize)> {
        self.arrays.iter().map(|array| (array.name.as_str(), array.components)).collect()
    }

    fn numbers<const N: usize>(&self, name: &str, kind: &str) -> Vec<[u8; N]> {
        let array = self.arrays.iter().find(|array| array.name == name).unwrap();
        assert_eq!(array.kind, kind, "{name}");
        self.bytes[array.place.clone()].chunks(N).map(|bytes| bytes.try_into().unwrap()).collect()
    }

    fn whole(&self, name: &str) -> Vec<i64> {
        self.numbers(name, "Int64").into_iter().map(i64::from_le_bytes).collect()
    }

    /// The bits of an array of floats.
    fn bits(&self, name: &str) -> Vec<u32> {
        self.numbers(name, "Float32").into_iter().map(u32::from_le_bytes).collect()
    }
}

fn bits<'a>(values: impl IntoIterator<Item = &'a f32>) -> Vec<u32> {
    values.into_iter().map(|value| value.to_bits()).collect()
}

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vtp");
    (folder, path)
}

fn written(points: &Points) -> Vtp {
    let (_folder, path) = folder();
    write_vtp_points(&path, points, None).unwrap();
    Vtp::read(&path)
}

/// Adds columns of those names; each has numbers of its own.
fn with_columns(mut points: Points, names: &[&'static str]) -> Points {
    for name in names {
        let first = 1000.0 * points.columns.len() as f32;
        let values = (0..points.len()).map(|index| first + index as f32).collect();
        points.columns.push(Column { info: FieldInfo::new(name, "m/s", "how fast it goes"), values });
    }
    points
}

#[test]
fn every_number_is_where_the_head_says() {
    let mut points = droplets(1000);
    points.columns[1].values[..4].copy_from_slice(&[f32::NAN, f32::INFINITY, -0.0, 1.0e-42]);
    points.positions[7] = [f32::NAN, f32::NEG_INFINITY, -0.0];
    let file = written(&points);
    assert_eq!(
        file.names(),
        [
            ("radius", 1),
            ("id", 1),
            ("speed", 1),
            ("foam", 1),
            ("dichte", 1),
            ("Points", 3),
            ("connectivity", 1),
            ("offsets", 1)
        ]
    );
    assert_eq!(file.bits("Points"), bits(points.positions.as_flattened()));
    for column in &points.columns {
        assert_eq!(file.bits(&column.info.name), bits(&column.values), "{}", column.info.name);
    }
    assert_eq!(file.bits("radius"), [0.037_f32.to_bits()]);
    let ids: Vec<u32> = file.numbers("id", "UInt32").into_iter().map(u32::from_le_bytes).collect();
    assert_eq!(ids, points.ids);
}

#[test]
fn each_particle_is_a_vertex_of_its_own() {
    let file = written(&droplets(300));
    for (count, number) in [("Points", 300), ("Verts", 300), ("Lines", 0), ("Strips", 0), ("Polys", 0)] {
        let tag = format!("NumberOf{count}");
        assert_eq!(attribute(&file.head, &tag).parse(), Ok(number), "{tag}");
    }
    assert_eq!(file.whole("connectivity"), (0..300).collect::<Vec<_>>());
    assert_eq!(file.whole("offsets"), (1..=300).collect::<Vec<_>>());
    assert!(file.element("Verts").contains("connectivity") && file.element("Verts").contains("offsets"));
}

/// What VTK needs to know before it reads the first number.
#[test]
fn the_head_says_how_numbers_are_written_and_what_is_whose() {
    let file = written(&droplets(2));
    let version = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n";
    assert!(file.head.starts_with(version), "{}", file.head);
    let (before, piece) = file.head.split_once("<Piece ").unwrap();
    assert!(before.contains("<FieldData>") && file.element("FieldData").contains("\"radius\""));
    assert!(piece.contains("<PointData>") && file.element("PointData").contains("\"foam\""));
    assert!(piece.contains("<Points>") && file.element("Points").contains("\"Points\""));
    assert!(
        piece.ends_with("</Verts>\n    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n   _")
    );
}

#[test]
fn three_columns_of_one_stem_become_a_vector() {
    // In any order, with others between.
    let points = with_columns(droplets(50), &["velocity_z", "velocity_x", "mass", "velocity_y"]);
    let file = written(&points);
    let names = file.names();
    assert_eq!(names[5..7], [("velocity", 3), ("mass", 1)], "{names:?}");
    assert_eq!(names.len(), 10, "{names:?}");
    let of = |name: &str| &points.column(name).unwrap().values;
    let [x, y, z] = ["velocity_x", "velocity_y", "velocity_z"].map(of);
    let expected: Vec<f32> = (0..50).flat_map(|index| [x[index], y[index], z[index]]).collect();
    assert_eq!(file.bits("velocity"), bits(&expected));
    for part in ["velocity_x", "velocity_y", "velocity_z"] {
        let label = format!("<!-- {part} [m/s] how fast it goes -->");
        assert!(file.head.contains(&label), "{label} is not in {}", file.head);
    }
}

#[test]
fn what_is_no_whole_vector_stays_apart() {
    let apart = |points: &Points, expected: &[&str]| {
        let file = written(points);
        let names: Vec<_> = file.names().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names[5..names.len() - 3], *expected);
        assert!(file.arrays.iter().all(|array| array.name == "Points" || array.components == 1));
    };
    let names = ["velocity_x", "velocity_y"];
    apart(&with_columns(droplets(3), &names), &names);
    // Nobody could tell the vector from the column of its name.
    let names = ["velocity_x", "velocity_y", "velocity_z", "velocity"];
    apart(&with_columns(droplets(3), &names), &names);
    let names = ["_x", "_y", "_z"];
    apart(&with_columns(droplets(3), &names), &names);
    // A vector has one unit.
    let names = ["pull_x", "pull_y", "pull_z"];
    let mut points = with_columns(droplets(3), &names);
    points.columns[4].info.unit = "N".into();
    apart(&points, &names);
}

#[test]
fn labels_cannot_break_the_file() {
    let mut points = droplets(2);
    points.columns[0].info = FieldInfo::new("a<b>&\"c\"'--->", "-", "---> & <PolyData>");
    let file = written(&points);
    assert_eq!(file.names()[2].0, "a&lt;b&gt;&amp;&quot;c&quot;'---&gt;");
    assert!(file.head.contains("<!-- a<b>&\"c\"'- - -> [-] - - -> & <PolyData> -->"), "{}", file.head);
    for comment in file.head.split("<!--").skip(1) {
        let (text, _) = comment.split_once("--").unwrap();
        assert!(comment[text.len()..].starts_with("-->\n"), "{comment}");
    }
}

#[test]
fn no_particles_are_still_a_file() {
    for points in [droplets(0), Points::default()] {
        let file = written(&points);
        assert_eq!(attribute(&file.head, "NumberOfPoints"), "0");
        assert_eq!(file.names().len(), 4 + points.columns.len());
        assert!(file.arrays[1..].iter().all(|array| array.place.is_empty()));
    }
}

#[test]
fn the_name_tells_the_format_of_particles() {
    let folder = tempfile::tempdir().unwrap();
    let points = droplets(5);
    for name in ["a.vtp", "b.VTP"] {
        write_points(&folder.path().join(name), &points, None).unwrap();
        let file = Vtp::read(&folder.path().join(name));
        assert_eq!(file.bits("Points"), bits(points.positions.as_flattened()));
    }
    for name in ["c.ply", "d.Ply"] {
        write_points(&folder.path().join(name), &points, None).unwrap();
        let back = read_ply(&folder.path().join(name), 1 << 20).unwrap();
        assert_eq!(back, Ply::Points(points.clone()));
    }
    for name in ["e.obj", "f", "vtp"] {
        let error = write_points(&folder.path().join(name), &points, None).unwrap_err();
        assert!(matches!(error, WriteError::Extension { .. }), "{error}");
        assert!(error.to_string().ends_with("try .ply or .vtp"), "{error}");
        assert!(!folder.path().join(name).exists());
    }
}

#[test]
fn particles_that_make_no_sense_are_refused() {
    let (folder, path) = folder();
    let refused = |change: &dyn Fn(&mut Points), reason: &str| {
        let mut points = droplets(4);
        change(&mut points);
        let error = write_vtp_points(&path, &points, None).unwrap_err();
        assert!(matches!(error, WriteError::Refused { .. }), "{error}");
        assert!(error.to_string().contains(reason), "{error}");
    };
    refused(&|p| p.columns[0].values.truncate(3), "speed has 3 values for 4 points");
    refused(&|p| p.columns[1].info.name = "speed".into(), "two columns are named speed");
    refused(&|p| p.columns[1].info.name = "my foam".into(), "must be one word");
    refused(&|p| p.columns[1].info.unit = "m\n".into(), "must be one line");
    refused(&|p| p.columns[1].info.meaning = "a\u{ffff}".into(), "neither U+FFFE nor U+FFFF");
    refused(&|p| p.radius = f32::NAN, "the radius is NaN m");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// ParaView reads the time from there.
#[test]
fn the_time_stands_in_the_head_of_both_formats() {
    let folder = tempfile::tempdir().unwrap();
    let [ply, vtp] = ["a.ply", "a.vtp"].map(|name| folder.path().join(name));
    for path in [&ply, &vtp] {
        write_points(path, &droplets(3), Some(0.1)).unwrap();
    }
    let vtp = Vtp::read(&vtp);
    assert!(vtp.element("FieldData").contains("TimeValue"), "{}", vtp.head);
    assert_eq!(vtp.numbers::<8>("TimeValue", "Float64"), [0.1f64.to_le_bytes()]);
    let bytes = std::fs::read(&ply).unwrap();
    assert!(String::from_utf8_lossy(&bytes).contains("\ncomment time 0.1\n"));
    assert_eq!(read_ply(&ply, 1 << 20).unwrap(), Ply::Points(droplets(3)));
}
