//! Particles and meshes in PLY files: ours, those of other programs, and hostile ones.

use crate::common::{at_once, damage, droplets, pyramid};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use thalweg_field::random::Key;
use thalweg_field::{Column, FieldInfo, Points, TriMesh};
use thalweg_io::{Ply, ReadError, WriteError, read_ply, write_mesh, write_ply_mesh, write_ply_points};

/// More than any file here needs `[byte]`.
const PLENTY: u64 = 64 << 20;

/// Damaged versions of each file that are tried.
const ROUNDS: u64 = 500;

/// A folder with one file.
fn file(bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

#[track_caller]
fn points(bytes: &[u8]) -> Points {
    let (_folder, path) = file(bytes);
    match read_ply(&path, PLENTY).unwrap() {
        Ply::Points(points) => points,
        Ply::Mesh(mesh) => panic!("a mesh of {} triangles", mesh.triangles.len()),
    }
}

#[track_caller]
fn mesh(bytes: &[u8]) -> TriMesh {
    let (_folder, path) = file(bytes);
    match read_ply(&path, PLENTY).unwrap() {
        Ply::Points(points) => panic!("{} points", points.len()),
        Ply::Mesh(mesh) => mesh,
    }
}

/// Expects a refusal, and at once.
#[track_caller]
fn refused(bytes: impl AsRef<[u8]>) -> ReadError {
    let (_folder, path) = file(bytes.as_ref());
    let start = Instant::now();
    let error = read_ply(&path, u64::MAX).unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(2), "took {:?}", start.elapsed());
    assert!(error.to_string().contains("a.ply"), "{error}");
    error
}

/// Expects a refusal that says this.
#[track_caller]
fn refused_for(bytes: impl AsRef<[u8]>, reason: &str) {
    let message = refused(bytes).to_string();
    assert!(message.contains(reason), "\"{reason}\" is not in \"{message}\"");
}

#[test]
fn particles_come_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    let bare = Points { positions: vec![[1.0, -2.0, 3.5]], radius: 0.0, ..Points::default() };
    for original in [droplets(1000), droplets(0), bare, Points::default()] {
        write_ply_points(&path, &original, None).unwrap();
        assert_eq!(read_ply(&path, PLENTY).unwrap(), Ply::Points(original));
    }
}

#[test]
fn meshes_come_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    for original in [pyramid(), pyramid().with_normals(), TriMesh::default()] {
        write_ply_mesh(&path, &original).unwrap();
        assert_eq!(read_ply(&path, PLENTY).unwrap(), Ply::Mesh(original));
    }
}

/// Other programs take 8-bit colours for sRGB; here, colours are passed over.
#[test]
fn a_coloured_mesh_has_screen_colours_behind_its_corners() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    let mut colours = [[0.0, 0.5, 1.0, 0.25]; 5];
    colours[4] = [0.003, 0.2, 0.8, 1.0];
    for mesh in [pyramid(), pyramid().with_normals()] {
        write_mesh(&path, &mesh, Some(&colours)).unwrap();
        assert_eq!(read_ply(&path, PLENTY).unwrap(), Ply::Mesh(mesh.clone()));
        let bytes = std::fs::read(&path).unwrap();
        let head = b"property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\n\
            element face 6\nproperty list uchar uint vertex_indices\nend_header\n";
        let start = bytes.windows(head.len()).position(|window| window == head).unwrap() + head.len();
        let row = if mesh.normals.is_empty() { 16 } else { 28 };
        let colour = |corner: usize| &bytes[start + row * (corner + 1) - 4..start + row * (corner + 1)];
        // 0.5 in linear light is 188 of 255 on a screen; 0.003 lies on the straight part of the curve.
        assert_eq!(colour(0), [0, 188, 255, 64]);
        assert_eq!(colour(4), [10, 124, 231, 255]);
    }
}

/// A column may say "not known"; a place may not.
#[test]
fn columns_keep_what_is_not_finite() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    let mut original = droplets(3);
    original.columns[1].values = vec![f32::NAN, f32::INFINITY, -0.0];
    write_ply_points(&path, &original, None).unwrap();
    let Ply::Points(back) = read_ply(&path, PLENTY).unwrap() else { panic!("a mesh") };
    let bits = |points: &Points| points.columns[1].values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&back), bits(&original));
}

/// The reader and the writer could be wrong together; other programs would not be.
#[test]
fn the_bytes_are_those_of_the_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    let speed = Column { info: FieldInfo::new("speed", "m/s", "how fast"), values: vec![4.0] };
    let one = Points {
        positions: vec![[1.0, 2.0, 3.0]],
        radius: 0.5,
        ids: vec![0x0102_0304],
        columns: vec![speed],
    };
    write_ply_points(&path, &one, None).unwrap();
    let mut expected = b"ply\nformat binary_little_endian 1.0\n\
        comment thalweg: metres east, north and up from the south-west corner\n\
        comment radius 0.5\ncomment unit speed m/s\ncomment meaning speed how fast\n\
        element vertex 1\nproperty float x\nproperty float y\nproperty float z\nproperty uint id\nproperty float speed\n\
        end_header\n"
        .to_vec();
    expected.extend([0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40, 4, 3, 2, 1, 0, 0, 0x80, 0x40]);
    let found = std::fs::read(&path).unwrap();
    assert_eq!(found, expected, "{}", String::from_utf8_lossy(&found));

    let normals = vec![[0.0, 0.0, 1.0]; 3];
    write_ply_mesh(&path, &TriMesh { positions: vec![[0.0; 3]; 3], normals, triangles: vec![[0, 1, 2]] })
        .unwrap();
    let found = std::fs::read(&path).unwrap();
    let text = String::from_utf8_lossy(&found);
    assert!(text.contains(
        "property float nz\nelement face 1\nproperty list uchar uint vertex_indices\nend_header\n"
    ));
    assert!(found.ends_with(&[0, 0, 0x80, 0x3f, 3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]));
}

/// What other programs write: every type of number, a list among them, things nobody asked for.
const SCANNED: &str = "element vertex 2
property double z
property uchar red
property list uchar short echoes
property short level
property float32 x
property float y
property uint32 id
property int8 sign
property ushort pulse
property int time
";

fn scanned() -> Points {
    let column = |name: &str, values: [f32; 2]| {
        let info = FieldInfo { name: name.to_owned().into(), ..FieldInfo::new("", "-", "") };
        Column { info, values: values.to_vec() }
    };
    let mut points = Points {
        positions: vec![[1.5, -2.0, 0.1], [1.0e-3, 7.0, 1024.0]],
        radius: 0.0,
        ids: vec![4_000_000_001, 16_777_217],
        columns: vec![
            column("red", [255.0, 0.0]),
            column("level", [-300.0, 32767.0]),
            column("sign", [-128.0, 127.0]),
            column("pulse", [65535.0, 1.0]),
            column("time", [-70000.0, 70000.0]),
        ],
    };
    points.columns[1].info.unit = "dB re 1 m".into();
    points
}

fn scanned_binary(big: bool) -> Vec<u8> {
    fn put<const N: usize>(bytes: &mut Vec<u8>, big: bool, mut little: [u8; N]) {
        if big {
            little.reverse();
        }
        bytes.extend(little);
    }
    let order = if big { "big" } else { "little" };
    let mut bytes = format!(
        "ply\nformat binary_{order}_endian 1.0\ncomment unit level dB re 1 m\nobj_info made up\n{SCANNED}end_header\n"
    )
    .into_bytes();
    let points = scanned();
    for (vertex, [x, y, z]) in points.positions.iter().enumerate() {
        let column = |index: usize| points.columns[index].values[vertex];
        put(&mut bytes, big, f64::from(*z).to_le_bytes());
        put(&mut bytes, big, [column(0) as u8]);
        put(&mut bytes, big, [vertex as u8]);
        (0..vertex).for_each(|_| put(&mut bytes, big, 9i16.to_le_bytes()));
        put(&mut bytes, big, (column(1) as i16).to_le_bytes());
        put(&mut bytes, big, x.to_le_bytes());
        put(&mut bytes, big, y.to_le_bytes());
        put(&mut bytes, big, points.ids[vertex].to_le_bytes());
        put(&mut bytes, big, (column(2) as i8).to_le_bytes());
        put(&mut bytes, big, (column(3) as u16).to_le_bytes());
        put(&mut bytes, big, (column(4) as i32).to_le_bytes());
    }
    bytes
}

fn scanned_text() -> String {
    format!(
        "ply\nformat ascii 1.0\ncomment unit level dB re 1 m\n{SCANNED}end_header\n\
         0.1 255 0 -300 1.5 -2 4000000001 -128 65535 -70000\n\n\
         1024 0 1 9 32767 1e-3 7.0 16777217 127 1 70000\n"
    )
}

#[test]
fn every_encoding_and_type_of_number_is_read() {
    assert_eq!(points(&scanned_binary(false)), scanned());
    assert_eq!(points(&scanned_binary(true)), scanned());
    assert_eq!(points(scanned_text().as_bytes()), scanned());
    assert_eq!(points(scanned_text().replace('\n', "\r\n").as_bytes()), scanned());
    // The last line may lack its end, and blanks may follow it.
    assert_eq!(points(scanned_text().trim_end().as_bytes()), scanned());
    assert_eq!(points((scanned_text() + " \r\n\n").as_bytes()), scanned());
}

/// Just above the middle of two floats; as f64 it would be the middle itself and go to the lower one.
#[test]
fn text_is_rounded_once() {
    let text = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n\
                end_header\n1.0000000596046447753906251 0 0\n";
    assert_eq!(points(text.as_bytes()).positions[0][0], 1.0 + f32::EPSILON);
}

/// One digit for each number, and nothing after the last.
#[test]
fn the_shortest_text_is_long_enough() {
    let text = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n\
                end_header\n1 2 3";
    assert_eq!(points(text.as_bytes()).positions, [[1.0, 2.0, 3.0]]);
}

/// A header whose lines end as on Windows, before numbers that are not text.
#[test]
fn a_header_with_carriage_returns_does_not_shift_the_numbers() {
    let bytes = scanned_binary(false);
    let end = bytes.windows(11).position(|window| window == b"end_header\n").unwrap() + 11;
    let mut windows = String::from_utf8(bytes[..end].to_vec()).unwrap().replace('\n', "\r\n").into_bytes();
    windows.extend(&bytes[end..]);
    assert_eq!(points(&windows), scanned());
}

/// The pyramid as text, with its square as one face, faces first, and more than we ask for.
const PYRAMID: &str = "ply
format ascii 1.0
comment a pyramid
element camera 2
property float zoom
property list int float lens
element nothing 1000000000000000000
element face 5
property uchar grey
property list uint8 int32 vertex_index
property list uchar float texcoord
element vertex 5
property float x
property float y
property float z
property uchar red
element edge 1
property int vertex1
property int vertex2
end_header
3 2 1 2
4 0
7 3 0 1 4 2 0.5 0.5
7 3 1 2 4 0
7 3 2 3 4 0
7 3 3 0 4 0
7 4 0 3 2 1 0
0 0 0 255
1 0 0.25 255
1 1 0 255
0 1 -0.125 255
0.5 0.5 2 255
0 1
";

#[test]
fn polygons_become_triangles_and_the_rest_is_passed_over() {
    assert_eq!(mesh(PYRAMID.as_bytes()), pyramid());
    let plain = PYRAMID.replace("vertex_index\n", "vertex_indices\n");
    assert_eq!(mesh(plain.as_bytes()), pyramid());
}

#[test]
fn a_mesh_takes_normals_that_are_whole() {
    let text = |properties: &str, third: &str| {
        format!(
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
             {properties}element face 1\nproperty list uchar int vertex_indices\nend_header\n\
             0 0 0 0 0 1\n1 0 0 0 1 0\n0 1 0 0 0 {third}\n3 0 1 2\n"
        )
    };
    let named = "property float nx\nproperty float ny\nproperty float nz\n";
    let normals = mesh(text(named, "-1").as_bytes()).normals;
    assert_eq!(normals, [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]]);
    assert_eq!(mesh(text(named, "nan").as_bytes()).normals, [[0.0; 3]; 0]);
    let half = "property float nx\nproperty float ny\nproperty float w\n";
    assert_eq!(mesh(text(half, "-1").as_bytes()).normals, [[0.0; 3]; 0]);
}

/// Programs declare faces for point clouds too, and say that there are none.
#[test]
fn a_cloud_that_declares_no_faces_is_particles() {
    let cloud = points(
        b"ply\nformat ascii 1.0\ncomment radius 0.25\ncomment radius of the well, see the map\n\
          element vertex 1\nproperty float x\nproperty float y\nproperty float z\nproperty float nx\n\
          element face 0\nproperty list uchar int vertex_indices\nend_header\n1 2 3 0.5\n",
    );
    assert_eq!(cloud.positions, [[1.0, 2.0, 3.0]]);
    assert_eq!(cloud.radius, 0.25);
    assert_eq!(cloud.column("nx").unwrap().values, [0.5]);
    assert_eq!(cloud.column("nx").unwrap().info.unit, "-");
}

/// Files of every kind, none of which can lose its last byte unnoticed.
fn corpus() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    let mut files = vec![scanned_binary(false), scanned_binary(true)];
    files.push(PYRAMID.trim_end().into());
    write_ply_points(&path, &droplets(20), None).unwrap();
    files.push(std::fs::read(&path).unwrap());
    write_ply_mesh(&path, &pyramid().with_normals()).unwrap();
    files.push(std::fs::read(&path).unwrap());
    files
}

#[test]
fn files_cut_off_anywhere_are_refused() {
    let (_folder, path) = file(b"");
    for (number, whole) in corpus().iter().enumerate() {
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let read = read_ply(&path, PLENTY);
            assert!(
                matches!(read, Err(ReadError::Broken { .. })),
                "{number} cut to {length} bytes: {read:?}"
            );
        }
        std::fs::write(&path, whole).unwrap();
        read_ply(&path, PLENTY).unwrap();
    }
}

/// Whatever is read is whole; a panic fails the test.
fn attempt(path: &Path) -> bool {
    match read_ply(path, PLENTY) {
        Ok(Ply::Points(points)) => {
            assert!(points.positions.iter().flatten().all(|x| x.is_finite()));
            assert!(points.columns.iter().all(|column| column.values.len() == points.len()));
            assert!(points.radius >= 0.0);
            true
        }
        Ok(Ply::Mesh(mesh)) => {
            assert!(mesh.positions.iter().flatten().all(|x| x.is_finite()));
            assert!(mesh.normals.is_empty() || mesh.normals.len() == mesh.positions.len());
            let corners = mesh.positions.len();
            assert!(mesh.triangles.iter().flatten().all(|&corner| (corner as usize) < corners));
            true
        }
        Err(_) => false,
    }
}

#[test]
fn damaged_files_never_panic() {
    let (_folder, path) = file(b"");
    let (mut read, mut refused) = (0, 0);
    for (number, whole) in corpus().iter().enumerate() {
        for round in 0..ROUNDS {
            let mut bytes = whole.clone();
            damage(&mut bytes, Key::new(12).with(number as u64).with(round));
            std::fs::write(&path, &bytes).unwrap();
            *(if at_once(&path, || attempt(&path)) { &mut read } else { &mut refused }) += 1;
        }
    }
    // Both ways were tried: neither is the damage too small to matter nor too large to reach the numbers.
    assert!(read > 200 && refused > 200, "{read} read, {refused} refused");
}

#[test]
fn enormous_counts_in_tiny_files_are_refused_before_allocating() {
    let binary = |bytes: Vec<u8>| {
        // The numbers of the binary files are not text.
        bytes.windows(11).position(|window| window == b"end_header\n").unwrap()
    };
    for huge in ["1000000000000", "18446744073709551615"] {
        for bytes in [scanned_binary(true), scanned_text().into_bytes()] {
            let end = binary(bytes.clone());
            let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
            let mut bytes =
                [head.replace("vertex 2", &format!("vertex {huge}")).as_bytes(), &bytes[end..]].concat();
            refused_for(&bytes, &format!("declares {huge} × vertex"));
            bytes.extend([0; 100]);
            refused_for(&bytes, &format!("declares {huge} × vertex"));
        }
        for name in ["face 5", "camera 2", "edge 1", "vertex 5"] {
            let word = name.split(' ').next().unwrap();
            let text = PYRAMID.replace(&format!("element {name}"), &format!("element {word} {huge}"));
            refused_for(text, &format!("declares {huge} × {word}"));
        }
    }
    refused_for(PYRAMID.replace("face 5", "face 18446744073709551616"), "has no number of elements");
    refused_for(PYRAMID.replace("face 5", "face -5"), "has no number of elements");
    // A list that claims more than the file has.
    let mut list =
        b"ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
        property float z\nproperty list uint double w\nend_header\n"
            .to_vec();
    list.extend([0; 12]);
    list.extend([0xff; 4]);
    refused_for(list, "ends too early");
}

#[test]
fn the_memory_limit_holds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    let at_limit = |needed: u64| {
        let error = read_ply(&path, needed - 1).unwrap_err();
        let fits =
            matches!(error, ReadError::TooMuch { needed: n, allowed, .. } if n == needed && allowed < n);
        assert!(fits, "{error}");
        read_ply(&path, needed).unwrap();
    };
    write_ply_points(&path, &droplets(100), None).unwrap();
    at_limit(100 * (3 + 1 + 3) * 4);
    write_ply_mesh(&path, &pyramid().with_normals()).unwrap();
    at_limit(5 * (3 + 3) * 4 + 6 * 3 * 4);

    // One face that is nearly all of the memory: 998 triangles.
    let corners = (0..1000).map(|corner| format!(" {corner}")).collect::<String>();
    let places = "0 0 0\n".repeat(1000);
    let fan = format!(
        "ply\nformat ascii 1.0\nelement vertex 1000\nproperty float x\nproperty float y\nproperty float z\n\
         element face 1\nproperty list ushort ushort vertex_indices\nend_header\n{places}1000{corners}\n"
    );
    std::fs::write(&path, &fan).unwrap();
    let error = read_ply(&path, 1000 * 12 + 998 * 12).unwrap_err();
    assert!(matches!(error, ReadError::TooMuch { .. }), "{error}");
    let read = read_ply(&path, 4 * (1000 * 12 + 998 * 12)).unwrap();
    let Ply::Mesh(mesh) = read else { panic!("no mesh") };
    assert_eq!(mesh.triangles.len(), 998);
    assert_eq!(mesh.triangles[997], [0, 998, 999]);
}

#[test]
fn corners_that_are_not_there_are_refused() {
    let with = |face: &str| PYRAMID.replace("7 3 2 3 4 0", face);
    assert_eq!(mesh(with("7 3 2 3 4 0").as_bytes()), pyramid());
    refused_for(with("7 3 2 3 5 0"), "face 2 (counted from 0) has corner 5 but there are 5 vertices");
    refused_for(with("7 3 -1 3 4 0"), "has corner -1 ");
    refused_for(with("7 3 2 2147483647 4 0"), "has corner 2147483647 ");
    refused_for(with("7 2 2 3 0"), "has 2 corners");
    refused_for(with("7 0 0"), "has 0 corners");
    refused_for(with("7 3 2 3 2.5 0"), "\"2.5\" where a number of type int");
    refused_for(
        PYRAMID
            .replace("list uint8 int32", "list int8 int32")
            .replace("7 0 0", "7 -3 0")
            .replace("7 3 2 3", "7 -3 2 3"),
        "a list of -3 numbers",
    );
}

#[test]
fn wrong_types_and_headers_are_named() {
    let with = |old: &str, new: &str| {
        assert!(PYRAMID.contains(old));
        PYRAMID.replace(old, new)
    };
    refused_for(
        with("list uint8 int32", "list uint8 float"),
        "no list of whole numbers named vertex_indices",
    );
    refused_for(with("list uint8 int32", "list float int32"), "counts in fractions");
    refused_for(
        with("property list uint8 int32 vertex_index", "property int vertex_index"),
        "no list of whole",
    );
    refused_for(with("vertex_index\n", "corners\n"), "no list of whole numbers named vertex_indices");
    refused_for(with("property float y", "property list uchar float y"), "no number named y");
    refused_for(with("property float y\n", ""), "no number named y");
    refused_for(with("property float y", "property quad y"), "has no known type of number");
    refused_for(
        with("property float y", "property float x"),
        "line 14 of its header, \"property float x\", appears twice",
    );
    refused_for(with("element edge", "element vertex"), "appears twice");
    refused_for(with("element vertex", "element corner"), "no element vertex");
    refused_for(with("format ascii 1.0\n", ""), "does not tell the format");
    refused_for(with("format ascii", "format morse"), "is none of ascii");
    refused_for(with("ascii 1.0", "ascii 2.0"), "not of version 1.0");
    refused_for(
        with("comment a", "remark a"),
        "line 3 of its header, \"remark a pyramid\", is not understood",
    );
    refused_for(with("comment a pyramid", "property int early"), "belongs to no element");
    refused_for(with("end_header\n", ""), "is not understood");
    refused_for(with("1 1 0 255", "1 1 0 256"), "\"256\" where a number of type uchar");
    refused_for(with("1 1 0 255", "1 one 0 255"), "\"one\" where a number of type float");
    refused_for(with("1 1 0 255", "1 1 0"), "fewer numbers");
    refused_for(with("1 1 0 255", "1 1 0 255 9"), "more numbers");
    refused_for(PYRAMID.to_owned() + "0 1\n", "goes on after the last element");
    refused_for([&scanned_binary(false)[..], &[0]].concat(), "goes on after the last element");
    refused_for(
        with("comment a", "comment radius -0.5\ncomment a").replace("element face 5", "element x 5"),
        "radius is -0.5 m",
    );
    refused_for(with("element face 5", "element tristrips 5"), "strips of triangles");
}

#[test]
fn places_that_are_nowhere_are_refused() {
    for number in ["nan", "inf", "-inf", "1e39"] {
        let error = refused(PYRAMID.replace("0 1 -0.125", &format!("0 {number} -0.125")));
        let ReadError::NotFinite { vertex, at, .. } = &error else { panic!("{error}") };
        assert_eq!(*vertex, 3);
        assert!(at[0] == 0.0 && !at[1].is_finite() && at[2] == -0.125, "{at:?}");
    }
    // A double that no float can hold.
    refused_for(
        scanned_text().replace("1024 ", "1e300 "),
        "vertex 1 (counted from 0) lies at [0.001, 7.0, inf] m",
    );
}

#[test]
fn other_things_than_ply_are_named() {
    refused_for(b"", "does not begin with the line ply");
    refused_for(b"\n", "does not begin with the line ply");
    refused_for(b"plyformat", "does not begin with the line ply");
    refused_for(b"ply", "header has no end");
    refused_for(b"ply\n", "header has no end");
    refused_for(b"ply\nformat ascii 1.0\n\xff\xfe\n", "is not understood");
    refused_for(vec![b'p'; 3 << 20], "longer than 1 MiB");
    refused_for(["ply\n", &"comment nothing\n".repeat(100_000)].concat(), "header is longer than 1 MiB");
    let folder = tempfile::tempdir().unwrap();
    let message = |name: &str| read_ply(&folder.path().join(name), PLENTY).unwrap_err().to_string();
    assert!(message("").contains("this is a folder"), "{}", message(""));
    assert!(message("missing.ply").contains("no such file"), "{}", message("missing.ply"));
}

#[test]
fn what_could_not_be_read_again_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    let refused_points = |change: &dyn Fn(&mut Points), reason: &str| {
        let mut points = droplets(4);
        change(&mut points);
        let error = write_ply_points(&path, &points, None).unwrap_err();
        assert!(matches!(error, WriteError::Refused { .. }), "{error}");
        assert!(error.to_string().contains(reason), "{error}");
    };
    refused_points(&|p| p.columns[0].values.truncate(3), "speed has 3 values for 4 points");
    refused_points(&|p| p.columns[0].info.name = "z".into(), "two columns are named z");
    refused_points(&|p| p.columns[1].info.name = "speed".into(), "two columns are named speed");
    refused_points(&|p| p.columns[1].info.name = "my foam".into(), "must be one word");
    refused_points(&|p| p.columns[1].info.name = "".into(), "must be one word");
    refused_points(&|p| p.columns[1].info.unit = "m\nelement vertex 9".into(), "must be one line");
    refused_points(&|p| p.columns[1].info.meaning = " m".into(), "must be one line");
    refused_points(&|p| p.radius = -1.0, "the radius is -1 m");
    refused_points(&|p| p.radius = f32::NAN, "the radius is NaN m");

    let refused_mesh = |change: &dyn Fn(&mut TriMesh), reason: &str| {
        let mut mesh = pyramid().with_normals();
        change(&mut mesh);
        let error = write_ply_mesh(&path, &mesh).unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
    };
    refused_mesh(&|m| m.normals.truncate(2), "2 normals for 5 corners");
    refused_mesh(&|m| m.triangles[3] = [0, 5, 1], "triangle 3 is [0, 5, 1] but there are 5 corners");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
