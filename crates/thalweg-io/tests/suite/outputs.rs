//! Files for other programs, read back byte by byte: volumes, grids, arrays, moving scenes.

use crate::common::{droplets, north_west, pyramid};
use flate2::read::ZlibDecoder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use thalweg_field::{Field, FieldInfo, Grid2, Points, Pose, TriMesh};
use thalweg_io::{
    MapLayer, MeshExtras, Moment, Motion, NpyArray, ReadError, Shape, SparseGrid, Thing, UpAxis, VdbClass,
    VdbGrid, VdbValues, WriteError, points_at, read_layers, read_mesh, read_moment, read_ply, read_pvd,
    write_glb_motion, write_layers, write_mesh_with, write_moment, write_npy, write_npz_fields,
    write_ply_points, write_pvd, write_shares_png, write_usda, write_vdb, write_vectors_png, write_vti,
};

fn file(name: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    (folder, path)
}

/// Numbers of a file, one after the other.
struct Bytes(Vec<u8>, usize);

impl Bytes {
    fn of(path: &Path) -> Self {
        Self(std::fs::read(path).unwrap(), 0)
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        self.1 += N;
        self.0[self.1 - N..self.1].try_into().unwrap()
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn i32(&mut self) -> i32 {
        i32::from_le_bytes(self.take())
    }

    fn i64(&mut self) -> i64 {
        i64::from_le_bytes(self.take())
    }

    fn f32(&mut self) -> f32 {
        f32::from_le_bytes(self.take())
    }

    fn f64(&mut self) -> f64 {
        f64::from_le_bytes(self.take())
    }

    fn text(&mut self) -> String {
        let length = self.u32() as usize;
        self.1 += length;
        String::from_utf8(self.0[self.1 - length..self.1].to_vec()).unwrap()
    }

    fn mask(&mut self, bits: usize) -> Vec<bool> {
        (0..bits / 64)
            .flat_map(|_| {
                let word = u64::from_le_bytes(self.take());
                (0..64).map(move |bit| word >> bit & 1 == 1)
            })
            .collect()
    }

    /// Values of a node, packed or not.
    fn values(&mut self, bytes: usize) -> Vec<u8> {
        assert_eq!(self.take::<1>(), [6], "all values follow");
        let length = self.i64();
        if length < 0 {
            assert_eq!(length, -(bytes as i64));
            self.1 += bytes;
            return self.0[self.1 - bytes..self.1].to_vec();
        }
        let mut values = Vec::new();
        self.1 += length as usize;
        ZlibDecoder::new(&self.0[self.1 - length as usize..self.1]).read_to_end(&mut values).unwrap();
        assert_eq!(values.len(), bytes);
        values
    }
}

/// Words about a grid, the size of its voxels, and its active ones.
type ReadVdb = (BTreeMap<String, String>, [f64; 3], BTreeMap<[i32; 3], f32>);

/// Active voxels of a grid of numbers in a VDB file, and what stands before them: written from the format's description, apart
/// from the writer.
fn read_vdb(path: &Path) -> ReadVdb {
    let mut file = Bytes::of(path);
    assert_eq!(file.i64(), 0x5644_4220);
    assert_eq!(file.u32(), 224);
    file.take::<8>();
    assert_eq!(file.take::<1>(), [1]);
    let identity = String::from_utf8(file.take::<36>().to_vec()).unwrap();
    assert_eq!(identity.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
    let meta = |file: &mut Bytes| {
        let mut entries = BTreeMap::new();
        for _ in 0..file.u32() {
            let (name, kind) = (file.text(), file.text());
            let value = match (&*kind, file.u32()) {
                ("string", length) => {
                    file.1 += length as usize;
                    String::from_utf8(file.0[file.1 - length as usize..file.1].to_vec()).unwrap()
                }
                ("vec3i", 12) => format!("{:?}", [file.i32(), file.i32(), file.i32()]),
                ("int64", 8) => file.i64().to_string(),
                ("bool", 1) => file.take::<1>()[0].to_string(),
                other => panic!("{other:?}"),
            };
            entries.insert(name, value);
        }
        entries
    };
    meta(&mut file);
    assert_eq!(file.i32(), 1, "one grid");
    let name = file.text();
    assert_eq!(file.text(), "Tree_float_5_4_3");
    assert_eq!(file.text(), "");
    let [begin, blocks, end] = [file.i64(), file.i64(), file.i64()];
    assert_eq!(begin as usize, file.1);
    assert_eq!(file.u32(), 1, "zlib");
    let mut about = meta(&mut file);
    about.insert("told".into(), name);
    assert_eq!(file.text(), "UniformScaleTranslateMap");
    let numbers: Vec<f64> = (0..18).map(|_| file.f64()).collect();
    let s = numbers[3];
    let expected = [s, s, 1.0 / s, 1.0 / (s * s), 0.5 / s];
    assert!(
        numbers[3..]
            .chunks(3)
            .zip(expected)
            .all(|(three, one)| three.iter().all(|x| (x - one).abs() < 1e-12))
    );
    assert_eq!(file.i32(), 1);
    let background = file.f32();
    assert_eq!(file.u32(), 0);
    let mut leaves = Vec::new();
    for _ in 0..file.u32() {
        let root = [file.i32(), file.i32(), file.i32()];
        let node = |file: &mut Bytes, side: u32| {
            let count = 1 << (3 * side);
            let children = file.mask(count);
            assert!(file.mask(count).iter().all(|on| !on));
            let values = file.values(4 * count);
            let off = children.iter().zip(values.chunks(4)).filter(|(child, _)| !**child);
            assert!(off.into_iter().all(|(_, value)| value == background.to_le_bytes()));
            let at = move |i: usize| [i >> (2 * side), i >> side, i].map(|x| (x & ((1 << side) - 1)) as i32);
            (0..count).filter(move |i| children[*i]).map(at).collect::<Vec<_>>()
        };
        for upper in node(&mut file, 5) {
            for lower in node(&mut file, 4) {
                leaves.push([0, 1, 2].map(|axis| root[axis] + 128 * upper[axis] + 8 * lower[axis]));
                file.mask(512);
            }
        }
    }
    assert_eq!(blocks as usize, file.1);
    let mut voxels = BTreeMap::new();
    for leaf in leaves {
        let active = file.mask(512);
        let values = file.values(4 * 512);
        for i in (0..512).filter(|i| active[*i]) {
            let at = [i >> 6, i >> 3 & 7, i & 7];
            let value = f32::from_le_bytes(values[4 * i..4 * i + 4].try_into().unwrap());
            voxels.insert([0, 1, 2].map(|axis| leaf[axis] + at[axis] as i32), value);
        }
    }
    assert_eq!((end as usize, file.1), (file.1, file.0.len()));
    (about, [numbers[0], numbers[1], numbers[2]], voxels)
}

fn fog(voxels: &[([i32; 3], f32)]) -> VdbGrid {
    let mut values = SparseGrid::new(0.0);
    voxels.iter().for_each(|(at, value)| values.set(*at, *value));
    let values = VdbValues::Float(values);
    VdbGrid {
        name: "density".into(),
        class: VdbClass::FogVolume,
        voxel: 0.25,
        origin: [1.0, -2.0, 3.5],
        values,
    }
}

#[test]
fn a_vdb_file_has_every_voxel_where_it_was_put() {
    let (_folder, path) = file("a.vdb");
    // Corners of leaves and nodes on both sides of zero, and a block without symmetry.
    let mut voxels =
        vec![([0, 0, 0], 0.5), ([-1, 7, 8], 0.25), ([4095, -4096, 127], 1.0), ([-4097, 128, -129], 0.75)];
    voxels.extend(
        (0..6)
            .flat_map(|x| (0..5).map(move |y| ([x + 20, y + 30, x * y], 0.01 * (x + 7 * y) as f32 + 0.001))),
    );
    write_vdb(&path, &[fog(&voxels)]).unwrap();
    let (about, origin, found) = read_vdb(&path);
    assert_eq!(found, voxels.iter().copied().collect());
    assert_eq!(origin, [1.0, -2.0, 3.5]);
    assert_eq!((&*about["told"], &*about["class"]), ("density", "fog volume"));
    assert_eq!(about["file_voxel_count"], voxels.len().to_string());
    assert_eq!(
        (&*about["file_bbox_min"], &*about["file_bbox_max"]),
        ("[-4097, -4096, -129]", "[4095, 128, 127]")
    );
    let bytes = std::fs::read(&path).unwrap();
    write_vdb(&path, &[fog(&voxels)]).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "the same content, the same file");
}

#[test]
fn grids_that_no_vdb_file_can_hold_are_refused() {
    let (_folder, path) = file("a.vdb");
    let refused = |grids: &[VdbGrid], reason: &str| {
        let error = write_vdb(&path, grids).unwrap_err();
        assert!(matches!(error, WriteError::Refused { .. }) && error.to_string().contains(reason), "{error}");
        assert!(!path.exists());
    };
    let good = fog(&[([1, 2, 3], 1.0)]);
    refused(&[good.clone(), good.clone()], "two grids are named density");
    refused(&[VdbGrid { name: "two words".into(), ..good.clone() }], "one word");
    refused(&[VdbGrid { voxel: 0.0, ..good.clone() }], "0 m wide");
    refused(&[fog(&[([9, 0, 0], f32::NAN)])], "block of voxels at [8, 0, 0]");
}

#[test]
fn grids_for_vtk_begin_in_the_south_west() {
    let (_folder, path) = file("a.vti");
    let ground = north_west(5, 3);
    let field = |name: &'static str, scale: f32| Field {
        info: FieldInfo::new(name, "m", "a -- b"),
        values: ground.height.map(|h| scale * h),
    };
    let (height, water) = (field("height", 1.0), field("water", 0.5));
    write_vti(&path, &[&height, &water], &ground.frame, Some(1.5)).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("WholeExtent=\"0 5 0 3 0 0\" Origin=\"0 0 0\" Spacing=\"12.5 12.5 1\""), "{text}");
    assert!(!text.contains("a -- b"), "XML comments end at --");
    let begin = text.find("   _").unwrap();
    let begin = bytes.windows(4).position(|four| four == b"   _").unwrap_or(begin) + 4;
    let f64_at = |at: usize| f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    assert_eq!((u64_at(begin), f64_at(begin + 8)), (8, 1.5));
    for (array, field) in [&height, &water].into_iter().enumerate() {
        let at = begin + 16 + array * (8 + 60);
        assert!(text.contains(&format!(
            "Name=\"{}\" NumberOfComponents=\"1\" format=\"appended\" offset=\"{}\"",
            field.info.name,
            at - begin
        )));
        assert_eq!(u64_at(at), 60);
        let found: Vec<f32> =
            bytes[at + 8..at + 68].chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
        let expected: Vec<f32> = (0..3).rev().flat_map(|row| field.values.row(row).to_vec()).collect();
        assert_eq!(found, expected);
    }
    let odd = Field { info: FieldInfo::new("odd", "", ""), values: Grid2::filled(2, 2, 0.0) };
    let error = write_vti(&path, &[&height, &odd], &ground.frame, None).unwrap_err().to_string();
    assert!(error.contains("odd is 2 × 2"), "{error}");
}

#[test]
fn a_list_of_times_comes_back() {
    let (_folder, path) = file("a.pvd");
    let files = vec![(0.0, "step_000000.vtp".to_owned()), (0.1 + 0.2, "step_000010.vtp".to_owned())];
    write_pvd(&path, &files).unwrap();
    assert_eq!(read_pvd(&path), files);
    assert_eq!(read_pvd(Path::new("nowhere.pvd")), []);
}

/// The shape and the bytes of an array.
fn npy(bytes: &[u8]) -> (String, &[u8]) {
    assert_eq!(bytes[..8], *b"\x93NUMPY\x01\x00");
    let length = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!(length % 64, 0);
    let text = std::str::from_utf8(&bytes[10..length]).unwrap();
    assert!(
        text.starts_with('{') && text.ends_with('\n') && text.contains("'fortran_order': False"),
        "{text}"
    );
    (text.to_owned(), &bytes[length..])
}

#[test]
fn arrays_for_python_keep_every_bit() {
    let ground = north_west(7, 4);
    let (_folder, path) = file("a.npy");
    write_npy(&path, &NpyArray::Grid(&ground.height)).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let (text, numbers) = npy(&bytes);
    assert!(text.contains("'descr': '<f4'") && text.contains("(4, 7)"), "{text}");
    let found: Vec<f32> = numbers.chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    assert_eq!(found, ground.height.values());

    let field = Field { info: FieldInfo::new("height", "m", ""), values: ground.height.clone() };
    let path = path.with_extension("npz");
    write_npz_fields(&path, &[&field], &ground.frame, 2.5).unwrap();
    let archive = std::fs::read(&path).unwrap();
    // The directory at the end tells where each array is.
    let word = |at: usize| u32::from_le_bytes(archive[at..at + 4].try_into().unwrap()) as usize;
    let half = |at: usize| usize::from(u16::from_le_bytes(archive[at..at + 2].try_into().unwrap()));
    let end = archive.len() - 22;
    assert_eq!(&archive[end..end + 4], b"PK\x05\x06");
    let (count, mut at) = (half(end + 10), word(end + 16));
    let mut found = BTreeMap::new();
    for _ in 0..count {
        assert_eq!(&archive[at..at + 4], b"PK\x01\x02");
        let (checksum, length, name, place) = (word(at + 16), word(at + 24), half(at + 28), word(at + 42));
        let name = std::str::from_utf8(&archive[at + 46..at + 46 + name]).unwrap();
        assert_eq!(&archive[place..place + 4], b"PK\x03\x04");
        let begin = place + 30 + half(place + 26) + half(place + 28);
        let content = &archive[begin..begin + length];
        let mut crc = flate2::Crc::new();
        crc.update(content);
        assert_eq!(crc.sum() as usize, checksum, "{name}");
        found.insert(name.to_owned(), npy(content).1.to_vec());
        at += 46 + name.len();
    }
    assert_eq!(at, end);
    assert_eq!(found.keys().collect::<Vec<_>>(), ["cell.npy", "height.npy", "origin.npy", "time.npy"]);
    assert_eq!(found["height.npy"], numbers);
    assert_eq!(found["cell.npy"], 12.5_f64.to_le_bytes());
}

#[test]
fn one_exr_file_holds_all_maps_by_name() {
    let (_folder, path) = file("maps.exr");
    let ground = north_west(9, 6);
    let height = Field { info: FieldInfo::new("height", "m", "bed"), values: ground.height.clone() };
    let [east, north] = [0.6_f32, -0.8].map(|x| ground.height.map(|h| x * h));
    let ways = MapLayer { info: FieldInfo::new("flowdir", "-", "way"), grids: vec![&east, &north] };
    write_layers(&path, &[MapLayer::of(&height), ways.clone()], &ground.frame).unwrap();
    let found = read_layers(&path, 1 << 20).unwrap();
    assert_eq!(found.len(), 2);
    assert_eq!(found[0], (height.info.clone(), vec![ground.height.clone()]));
    assert_eq!(found[1], (ways.info.clone(), vec![east.clone(), north.clone()]));
    let error = read_layers(&path, 9 * 6 * 4).unwrap_err();
    assert!(matches!(error, ReadError::TooLarge { .. }), "{error}");
    let error = write_layers(&path, &[ways.clone(), ways], &ground.frame).unwrap_err().to_string();
    assert!(error.contains("two maps are named flowdir"), "{error}");
}

#[test]
fn maps_of_vectors_and_shares_are_codes_as_told() {
    let (_folder, path) = file("normal.png");
    let vectors = Grid2::from_fn(3, 2, |col, row| [col as f32 - 1.0, 1.0 - row as f32, 0.5]);
    write_vectors_png(&path, &vectors, "{}").unwrap();
    let decode = |path: &Path| {
        let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        assert!(reader.info().srgb.is_none() && reader.info().gama_chunk.is_none());
        bytes
    };
    let codes: Vec<u16> = decode(&path).chunks(2).map(|b| u16::from_be_bytes([b[0], b[1]])).collect();
    assert_eq!(codes[..6], [1, 65535, 49152, 32768, 65535, 49152]);
    assert_eq!(codes[9..12], [1, 32768, 49152]);
    let shares = Grid2::from_fn(2, 2, |col, row| [col as u8, row as u8, 200, 55 - col as u8 - row as u8]);
    write_shares_png(&path, &shares, "{}").unwrap();
    assert_eq!(decode(&path), shares.values().as_flattened());
}

#[test]
fn an_obj_file_says_which_way_is_up_and_comes_back_either_way() {
    let mesh = pyramid().with_normals();
    let uvs: Vec<[f32; 2]> = mesh.positions.iter().map(|p| [p[0], p[1]]).collect();
    for (up, corner, words) in [
        (None, "\nv 1 0.25 -0\n", "Y is up"),
        (Some(UpAxis::Y), "\nv 1 0.25 -0\n", "Y is up"),
        (Some(UpAxis::Z), "\nv 1 0 0.25\n", "east, north and up"),
    ] {
        let (_folder, path) = file("a.obj");
        write_mesh_with(&path, &mesh, &MeshExtras { uvs: Some(&uvs), up, ..MeshExtras::default() }).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(corner) && text.lines().next().unwrap().contains(words), "{text}");
        assert!(text.contains("\nvt 0.5 0.5\n") && text.contains("\nf 1/1/1 2/2/2 5/5/5\n"), "{text}");
        let back = read_mesh(&path, 1 << 20).unwrap();
        assert_eq!((back.positions, back.triangles), (mesh.positions.clone(), mesh.triangles.clone()));
        let ply = path.with_extension("ply");
        write_mesh_with(&ply, &mesh, &MeshExtras { uvs: Some(&uvs), up, ..MeshExtras::default() }).unwrap();
        assert_eq!(read_mesh(&ply, 1 << 20).unwrap(), mesh);
    }
    let (_folder, path) = file("a.glb");
    let extras = MeshExtras { up: Some(UpAxis::Z), ..MeshExtras::default() };
    let error = write_mesh_with(&path, &mesh, &extras).unwrap_err().to_string();
    assert!(error.contains("glTF has Y up"), "{error}");
    let extras = MeshExtras { uvs: Some(&uvs[..4]), ..MeshExtras::default() };
    let error = write_mesh_with(&path, &mesh, &extras).unwrap_err().to_string();
    assert!(error.contains("4 places in a picture for 5 corners"), "{error}");
}

#[test]
fn an_stl_file_has_every_triangle_with_its_normal() {
    let (_folder, path) = file("a.stl");
    let mesh = pyramid();
    write_mesh_with(&path, &mesh, &MeshExtras::default()).unwrap();
    let mut bytes = Bytes::of(&path);
    let words = String::from_utf8(bytes.take::<80>().to_vec()).unwrap();
    assert!(!words.starts_with("solid") && words.contains("Z is up"), "{words}");
    assert_eq!(bytes.u32() as usize, mesh.triangles.len());
    for triangle in &mesh.triangles {
        let mut triple = || [bytes.f32(), bytes.f32(), bytes.f32()];
        let normal = triple();
        let alone = TriMesh {
            positions: triangle.map(|i| mesh.positions[i as usize]).to_vec(),
            normals: Vec::new(),
            triangles: vec![[0, 1, 2]],
        };
        assert_eq!([triple(), triple(), triple()].as_slice(), alone.positions);
        let expected = alone.with_normals().normals[0];
        assert!(normal.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1.0e-6), "{normal:?} {expected:?}");
        bytes.take::<2>();
    }
    assert_eq!(bytes.1, bytes.0.len());
}

#[test]
fn the_header_of_particles_is_ascii_and_keeps_every_word() {
    let (_folder, path) = file("a.ply");
    let mut points = droplets(4);
    points.columns[0].info = FieldInfo::new("density", "kg/m³", "Dichte größer 5 m⁻³ m^2 \\u{41}");
    points.columns[2].info = FieldInfo::new("höhe", "m²", "");
    write_ply_points(&path, &points, Some(0.5)).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let end = bytes.windows(11).position(|window| window == b"end_header\n").unwrap();
    let header = std::str::from_utf8(&bytes[..end]).unwrap();
    assert!(header.is_ascii() && header.contains("comment unit density kg/m^3\n"), "{header}");
    assert_eq!(read_ply(&path, 1 << 20).unwrap(), thalweg_io::Ply::Points(points));
}

/// Water that changes its triangles, a body that does not, particles that come late.
fn moments() -> Vec<Moment> {
    let mesh = |positions: Vec<[f32; 3]>, triangles: Vec<[u32; 3]>| {
        TriMesh { positions, normals: Vec::new(), triangles }.with_normals()
    };
    (0..3)
        .map(|i| {
            let z = i as f32;
            let mut water = mesh(vec![[0.0, 0.0, z], [2.0, 0.0, z], [0.0, 3.0, z]], vec![[0, 1, 2]]);
            if i == 2 {
                water = mesh(
                    vec![[0.0, 0.0, z], [2.0, 0.0, z], [0.0, 3.0, z], [2.0, 3.0, z]],
                    vec![[0, 1, 2], [1, 3, 2]],
                );
            }
            let mut boat = pyramid();
            boat.positions.iter_mut().for_each(|p| p[0] += 10.0 * z);
            let thing =
                |name: &str, mesh, colours| Thing { name: name.into(), shape: Shape::Mesh { mesh, colours } };
            // It goes east and turns to the left; its last turn is told by the opposite quaternion, which is the same.
            let half = std::f64::consts::FRAC_1_SQRT_2;
            let turn = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, half, half], [0.0, 0.0, -1.0, 0.0]][i as usize];
            let pose = Pose { place: [4.0 * f64::from(i), 1.0, 2.0], turn };
            let buoy = Shape::Body { mesh: pyramid(), colours: vec![[1.0, 0.0, 0.0, 1.0]; 5], pose };
            let mut things = vec![
                thing("Water", water, Vec::new()),
                thing("Boat", boat, vec![[0.5, 0.25, 0.125, 1.0]; 5]),
                Thing { name: "Buoy".into(), shape: buoy },
            ];
            if i > 0 {
                let mut points = droplets(2);
                points.columns.clear();
                things.push(Thing { name: "Drops".into(), shape: Shape::Points(points) });
            }
            Moment { time: 0.5 * f64::from(i), things }
        })
        .collect()
}

#[test]
fn a_moment_comes_back_to_the_bit_and_spoiled_ones_are_refused() {
    let (_folder, path) = file("a.twm");
    let moment = moments().remove(2);
    write_moment(&path, &moment).unwrap();
    assert_eq!(read_moment(&path, 1 << 20).unwrap(), moment);
    let good = std::fs::read(&path).unwrap();
    for cut in 0..good.len() {
        std::fs::write(&path, &good[..cut]).unwrap();
        assert!(read_moment(&path, 1 << 20).is_err(), "cut to {cut} bytes");
    }
    // Lengths are what a spoiled file lies about: 255 in each byte in turn gives an error or other numbers, and no panic.
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] = 0xff;
        std::fs::write(&path, &bad).unwrap();
        let _ = read_moment(&path, 1 << 20);
    }
}

#[test]
fn usd_has_a_sample_for_each_moment() {
    let (_folder, path) = file("a.usda");
    let ground = Thing { name: "Ground".into(), shape: Shape::Mesh { mesh: pyramid(), colours: Vec::new() } };
    let motion = Motion { fps: 24.0, still: &[ground], moments: 3 };
    write_usda(&path, &motion, |number| Ok(moments().remove(number))).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with("#usda 1.0\n")
            && text.contains("upAxis = \"Z\"")
            && text.contains("endTimeCode = 24\n")
    );
    let part = |name: &str| {
        let begin = text.find(&format!(" \"{name}\"\n")).unwrap();
        text[begin..].split("\n    }\n").next().unwrap()
    };
    let samples = |part: &str, key: &str| -> Vec<(String, String)> {
        let (_, rest) = part.split_once(&format!("{key}.timeSamples = {{\n")).unwrap();
        let lines = rest.split("        }\n").next().unwrap().lines();
        lines
            .filter(|line| line.contains(": "))
            .map(|line| {
                let (time, value) = line.trim().split_once(": ").unwrap();
                (time.to_owned(), value.trim_end_matches(',').to_owned())
            })
            .collect()
    };
    let water = part("Water");
    let found = samples(water, "point3f[] points");
    assert_eq!(found[1], ("12".into(), "[(0, 0, 1), (2, 0, 1), (0, 3, 1)]".into()));
    let counts = samples(water, "int[] faceVertexCounts");
    assert_eq!(counts.iter().map(|(_, n)| &**n).collect::<Vec<_>>(), ["[3]", "[3]", "[3, 3]"]);
    let boat = part("Boat");
    assert!(
        boat.contains("int[] faceVertexCounts = [3, 3, 3, 3, 3, 3]\n"),
        "the same triangles are told once"
    );
    assert!(samples(boat, "color3f[] primvars:displayColor")[0].1.starts_with("[(0.5, 0.25, 0.125), "));
    let buoy = part("Buoy");
    assert_eq!(buoy.matches("point3f[] points").count(), 1, "a body keeps its shape");
    assert_eq!(samples(buoy, "double3 xformOp:translate")[1], ("12".into(), "(4, 1, 2)".into()));
    assert_eq!(samples(buoy, "quatf xformOp:orient")[2], ("24".into(), "(0, 0, 0, -1)".into()));
    assert!(buoy.contains("xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]"));
    let seen = samples(part("Drops"), "token visibility");
    assert_eq!(
        seen.iter().map(|(_, s)| &**s).collect::<Vec<_>>(),
        ["\"invisible\"", "\"inherited\"", "\"inherited\""]
    );
    assert_eq!(text.matches('{').count(), text.matches('}').count());
    let motion = Motion { moments: 2, ..motion };
    let error = write_usda(&path, &motion, |_| Ok(moments().remove(0))).unwrap_err().to_string();
    assert!(error.contains("moment 1 is at 0 s"), "{error}");
}

/// The scene of a GLB file, and its numbers.
struct Glb {
    scene: Value,
    numbers: Vec<u8>,
}

impl Glb {
    fn of(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let scene: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
        let numbers = bytes[20 + length + 8..].to_vec();
        assert_eq!(scene["buffers"][0]["byteLength"].as_u64().unwrap() as usize, numbers.len());
        Self { scene, numbers }
    }

    fn array(&self, accessor: &Value) -> Vec<f32> {
        let accessor = &self.scene["accessors"][accessor.as_u64().unwrap() as usize];
        let view = &self.scene["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let [begin, bytes] = ["byteOffset", "byteLength"].map(|key| view[key].as_u64().unwrap() as usize);
        let numbers = self.numbers[begin..begin + bytes].chunks(4);
        numbers.map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    /// Corners of the mesh of a node.
    fn corners(&self, node: &str) -> Vec<f32> {
        let node =
            self.scene["nodes"].as_array().unwrap().iter().find(|other| other["name"] == node).unwrap();
        let mesh = &self.scene["meshes"][node["mesh"].as_u64().unwrap() as usize]["primitives"][0];
        self.array(&mesh["attributes"]["POSITION"])
    }

    /// Interpolation, times and values of a track.
    fn track(&self, node: &str, path: &str) -> (String, Vec<f32>, Vec<f32>) {
        let animation = &self.scene["animations"][0];
        let number = self.scene["nodes"].as_array().unwrap().iter().position(|other| other["name"] == node);
        let mut channels = animation["channels"].as_array().unwrap().iter();
        let found = channels.find(|channel| {
            channel["target"]["node"] == number.unwrap() && channel["target"]["path"] == path
        });
        let sampler = &animation["samplers"][found.unwrap()["sampler"].as_u64().unwrap() as usize];
        let kind = sampler["interpolation"].as_str().unwrap().to_owned();
        (kind, self.array(&sampler["input"]), self.array(&sampler["output"]))
    }
}

#[test]
fn a_moving_glb_shows_one_moment_at_a_time() {
    let (_folder, path) = file("a.glb");
    let motion = Motion { fps: 24.0, still: &[], moments: 3 };
    write_glb_motion(&path, &motion, |number| Ok(moments().remove(number))).unwrap();
    let glb = Glb::of(&path);
    // The scale of a node at a time.
    let scale = |name: &str, time: f32| {
        let (kind, times, scales) = glb.track(name, "scale");
        assert_eq!(kind, "STEP");
        let at = times.iter().rposition(|key| *key <= time).unwrap();
        scales[3 * at]
    };
    for (time, seen) in [(0.0, 0), (0.4, 0), (0.5, 1), (0.9, 1), (1.0, 2), (5.0, 2)] {
        for moment in 0..3 {
            let expected = if moment == seen { 1.0 } else { 0.0 };
            assert_eq!(scale(&format!("Water_{moment:04}"), time), expected, "moment {moment} at {time} s");
        }
    }
    assert_eq!(glb.corners("Water_0000"), [0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, -3.0]);
}

/// A corner of the buoy, moved and turned as glTF says, is where the pose has it.
#[test]
fn a_body_in_a_moving_glb_is_one_mesh_that_moves_and_turns() {
    let (_folder, path) = file("a.glb");
    let motion = Motion { fps: 24.0, still: &[], moments: 3 };
    write_glb_motion(&path, &motion, |number| Ok(moments().remove(number))).unwrap();
    let glb = Glb::of(&path);
    let corner: Vec<f64> = glb.corners("Buoy")[3..6].iter().map(|&x| x.into()).collect();
    let (kind, times, places) = glb.track("Buoy", "translation");
    assert_eq!((&*kind, &times[..]), ("LINEAR", &[0.0, 0.5, 1.0][..]));
    let (kind, _, turns) = glb.track("Buoy", "rotation");
    assert_eq!(kind, "LINEAR");
    for (moment, expected) in [[1.0, 1.0, 2.25], [4.0, 2.0, 2.25], [7.0, 1.0, 2.25]].into_iter().enumerate() {
        let place = std::array::from_fn(|axis| places[3 * moment + axis].into());
        let turn = std::array::from_fn(|part| turns[4 * moment + part].into());
        let [x, y, z] = Pose { place, turn }.world([corner[0], corner[1], corner[2]]);
        // Back to Z up.
        let found = [x, -z, y];
        let off = (0..3).map(|i| (found[i] - expected[i]).abs()).fold(0.0, f64::max);
        assert!(off < 1.0e-6, "moment {moment}: {found:?}, not {expected:?}");
    }
    let nearness: f32 = (0..4).map(|part| turns[4 + part] * turns[8 + part]).sum();
    assert!(nearness > 0.0, "the last turn goes the long way around: {turns:?}");
}

#[test]
fn particles_are_shown_where_they_were_at_the_moment() {
    let mut points =
        Points { positions: vec![[1.0, 2.0, 3.0]], radius: 0.1, ids: vec![16_777_217], ..Points::default() };
    for (name, value) in [("velocity_x", 2.0), ("velocity_y", 0.0), ("velocity_z", -4.0), ("speed", 9.0)] {
        points
            .columns
            .push(thalweg_field::Column { info: FieldInfo::new(name, "m/s", ""), values: vec![value] });
    }
    let there = points_at(&points, 1.25, 1.0);
    assert_eq!(there.positions, [[0.5, 2.0, 4.0]]);
    assert_eq!((there.columns.len(), &there.ids), (3, &vec![16_777_217]));
}
