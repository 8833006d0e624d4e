//! Terrain in other sizes, for other programs, and cut into tiles.

use crate::common::Folder;
use thalweg::field::{Frame, Grid2, Heightfield};
use thalweg::io::{
    ReadOptions, WriteOptions, read_heightfield, read_layers, read_png_rgb, write_heightfield,
};

/// High in the north-west, below the sea in the south-east, and no square.
fn ground(cols: usize, rows: usize) -> Heightfield {
    let height = Grid2::from_fn(cols, rows, |col, row| {
        let (east, south) = (col as f32 / cols as f32, row as f32 / rows as f32);
        900.0 * (1.0 - east) * (1.0 - south) - 150.0 * east + (col * 7 % 5) as f32
    });
    Heightfield {
        height,
        frame: Frame { cell: 12.5, origin: [400.0, 600.0], crs: Some("EPSG:32611".into()) },
    }
}

fn with(cols: usize, rows: usize) -> (Folder, Heightfield) {
    let folder = Folder::new();
    let ground = ground(cols, rows);
    write_heightfield(&folder.path("a.tif"), &ground, &WriteOptions::default()).unwrap();
    (folder, ground)
}

fn read(folder: &Folder, name: &str) -> Heightfield {
    read_heightfield(&folder.path(name), &ReadOptions::default()).unwrap().field
}

fn sidecar(folder: &Folder, name: &str) -> serde_json::Value {
    serde_json::from_str(&std::fs::read_to_string(folder.path(name)).unwrap()).unwrap()
}

/// The summit moved by hundreds of metres, and a GeoTIFF covered another rectangle.
#[test]
fn another_shape_is_never_given_unasked() {
    let (folder, before) = with(120, 80);
    folder.fails(&["convert", "a.tif", "b.tif", "--size", "60"], 2, &["--size 60x40", "--fit crop"]);
    folder.ok(&["convert", "a.tif", "b.tif", "--size", "60x40"]);
    let after = read(&folder, "b.tif");
    assert_eq!((after.extent(), after.frame.origin), (before.extent(), before.frame.origin));
    folder.ok(&["convert", "a.tif", "c.tif", "--size", "60", "--fit", "crop"]);
    let near = |name: &str, side: f64| {
        let extent = read(&folder, name).extent();
        assert!(extent.iter().all(|length| (length - side).abs() < 1.0e-6), "{name}: {extent:?} m");
    };
    near("c.tif", 1000.0);
    folder.ok(&["convert", "a.tif", "d.tif", "--size", "60", "--fit", "pad"]);
    near("d.tif", 1500.0);
}

/// `--height-range=-100,900` made mountains of 880 km of a float file.
#[test]
fn input_and_output_heights_are_two_things() {
    let (folder, _) = with(40, 30);
    folder.fails(
        &["convert", "a.tif", "b.png", "--height-range", "-200,1000"],
        2,
        &["--input-heights", "--output-heights"],
    );
    folder.ok(&["convert", "a.tif", "b.png", "--output-heights", "-200,1000"]);
    let label = sidecar(&folder, "b.thalweg.json");
    assert_eq!(label["code_values"], serde_json::json!([-200.0, 1000.0]));
    assert_eq!((&label["file"], &label["schema"]), (&"b.png".into(), &2.into()));
    folder.fails(
        &["convert", "a.tif", "b.png", "--output-heights", "0,100"],
        2,
        &["do not fit the range 0 to 100"],
    );
    folder.fails(&["convert", "a.tif", "b.jpg"], 2, &["b.jpg", "try .png"]);
}

#[test]
fn unreal_gets_a_landscape_and_what_to_type_in() {
    let (folder, _) = with(122, 122);
    folder.fails(
        &["convert", "a.tif", "u.png", "--for", "unreal"],
        2,
        &["122 x 122", "the nearest are", "--fit"],
    );
    let said = folder.ok(&["convert", "a.tif", "u.raw", "--for", "unreal", "--size", "127"]).stdout;
    for words in ["Scale Z", "Location Z (cm)", "Section Size", "63x63 Quads"] {
        assert!(said.contains(words), "{words} is not in: {said}");
    }
    let json = sidecar(&folder, "u.json");
    assert_eq!(json, serde_json::json!({ "width": 127, "height": 127, "bpp": 16 }));
    let engine = &sidecar(&folder, "u.thalweg.json")["engine"];
    assert_eq!(engine["for"], "unreal");
    assert!((engine["Scale X, Y"].as_f64().unwrap() - 1250.0 * 122.0 / 127.0).abs() < 1.0e-3, "{engine}");
    folder.ok(&["convert", "a.tif", "n.png", "--for", "unreal", "--fit", "nearest"]);
}

/// Unity's first row is the south; ours reads the file back upright all the same.
#[test]
fn unity_gets_its_rows_from_the_south() {
    let (folder, _) = with(65, 65);
    let said = folder.ok(&["convert", "a.tif", "u.raw", "--for", "unity"]).stdout;
    assert!(said.contains("Terrain Height") && said.contains("Flip Vertically"), "{said}");
    let bytes = std::fs::read(folder.path("u.raw")).unwrap();
    let code = |at: usize| u16::from_le_bytes([bytes[2 * at], bytes[2 * at + 1]]);
    // The highest corner, in the north-west, begins the last row.
    assert!(code(64 * 65) > 60_000 && code(0) < 30_000, "{} {}", code(64 * 65), code(0));
    let back = read(&folder, "u.raw").height;
    assert!(back.at(0, 0) > back.at(0, 64) + 500.0);
    folder.fails(&["convert", "a.tif", "u.png", "--for", "unity"], 2, &[".raw or .r16"]);
    folder.fails(&["convert", "a.tif", "g.png", "--for", "godot"], 2, &["256 levels"]);
    let (folder, _) = with(64, 60);
    folder.fails(&["convert", "a.tif", "u.raw", "--for", "unity"], 2, &["33x33 and 65x65"]);
}

/// Rows and columns at the edges are the same to the bit, and joined they are what was cut.
#[test]
fn tiles_share_their_edges_to_the_bit() {
    let (folder, _) = with(65, 33);
    folder.fails(&["convert", "a.tif", "t.png", "--tiles", "3x2"], 2, &["such as --size 64x33"]);
    folder.ok(&["convert", "a.tif", "t.png", "--tiles", "2x2"]);
    let tile = |name: &str| read(&folder, name);
    let [nw, ne, sw] = ["t_x0_y0.png", "t_x1_y0.png", "t_x0_y1.png"].map(tile);
    assert_eq!([nw.height.cols(), nw.height.rows()], [33, 17]);
    for row in 0..17 {
        assert_eq!(nw.height.at(32, row).to_bits(), ne.height.at(0, row).to_bits(), "row {row}");
    }
    assert_eq!(nw.height.row(16), sw.height.row(0));
    assert_eq!(ne.frame.origin[0], nw.frame.origin[0] + 32.0 * 12.5);
    assert_eq!(sw.frame.origin, [400.0, 600.0]);
    folder.ok(&["convert", "t_x0_y0.png", "back.tif", "--join"]);
    folder.ok(&["convert", "a.tif", "whole.png"]);
    assert_eq!(read(&folder, "back.tif"), read(&folder, "whole.png"));
    // Unity's tiles count from the south.
    folder.ok(&["convert", "a.tif", "u.raw", "--for", "unity", "--tiles", "2x1"]);
    folder.ok(&["convert", "u_1_0.raw", "unity.tif", "--join"]);
    let [joined, whole] = ["unity.tif", "a.tif"].map(|name| read(&folder, name));
    let quantum = sidecar(&folder, "u_0_0.thalweg.json")["quantum"].as_f64().unwrap();
    let off = joined.height.values().iter().zip(whole.height.values()).map(|(a, b)| (a - b).abs());
    let off = f64::from(off.fold(0.0, f32::max));
    assert!(off <= 0.5 * quantum + 1.0e-4, "{off} m off, a code is {quantum} m");
    assert_eq!(joined.frame, whole.frame);
}

#[test]
fn a_mesh_is_seen_from_above() {
    let folder = Folder::new();
    // One slope that rises to the north.
    let text = "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 40 0 0\nvertex 40 20 50\nendloop\nendfacet\n\
                facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 40 20 50\nvertex 0 20 50\nendloop\nendfacet\nendsolid\n";
    std::fs::write(folder.path("slope.stl"), text).unwrap();
    folder.ok(&["convert", "slope.stl", "slope.tif", "--metres-per-pixel", "2"]);
    let ground = read(&folder, "slope.tif");
    assert_eq!([ground.height.cols(), ground.height.rows()], [20, 10]);
    assert!((ground.height.at(3, 0) - 47.5).abs() < 1.0e-4 && (ground.height.at(3, 9) - 2.5).abs() < 1.0e-4);
}

/// Cells become corners of triangles and cells again, in their places and upright, whichever axis a format has up.
#[test]
fn terrain_becomes_a_mesh_and_terrain_again() {
    let (folder, whole) = with(40, 30);
    for name in ["m.obj", "m.ply", "m.glb", "m.stl"] {
        let told = folder.ok(&["convert", "a.tif", name, "--triangles", "1000"]).stdout;
        assert!(told.contains("triangles, ") && told.contains(" m off the cells at most"), "{told}");
        let off: f32 = told.rsplit_once(" m off").unwrap().0.rsplit_once(' ').unwrap().1.parse().unwrap();
        folder.ok(&["convert", name, "back.exr", "--metres-per-pixel", "12.5"]);
        let back = read(&folder, "back.exr");
        // The mesh lies between the middles of the outermost cells.
        assert_eq!([back.height.cols(), back.height.rows()], [39, 29], "{name}");
        for [col, row] in [[0, 0], [20, 3], [38, 28], [3, 25]] {
            let corners = [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[c, r]| whole.height.at(col + c, row + r));
            let [low, high] = [
                corners.iter().copied().fold(f32::MAX, f32::min),
                corners.iter().copied().fold(f32::MIN, f32::max),
            ];
            let found = back.height.at(col, row);
            assert!(
                (low - off - 0.1..=high + off + 0.1).contains(&found),
                "{name}: {found} m, {low} to {high} m"
            );
        }
    }
    folder.fails(&["convert", "a.tif", "m.png", "--triangles", "100"], 2, &["--triangles is for meshes"]);
    folder.fails(&["convert", "a.tif", "m.glb", "--tiles", "2"], 2, &["--for and --tiles"]);
}

/// Depths of water in a file of their own, or in the one that holds all maps.
fn water(folder: &Folder, name: &str) -> Grid2<f32> {
    if !name.ends_with("maps.exr") {
        return read(folder, name).height;
    }
    let layers = read_layers(&folder.path(name), 1 << 30).unwrap();
    let (_, mut grids) =
        layers.into_iter().find(|(info, _)| &*info.name == "water").expect("a layer of water");
    grids.remove(0)
}

/// The layers of a landscape in Unreal.
fn weights_fill_every_cell(folder: &Folder) {
    let weights = ["rock", "soil", "loose", "water"].map(|name| {
        let path = folder.path(&format!("unreal/weight_{name}.png"));
        let (_, _, pixels) = read_png_rgb(&path, 1 << 30).expect("8 bits");
        pixels.into_iter().step_by(3).collect::<Vec<u8>>()
    });
    for cell in 0..64 * 43 {
        let sum: u32 = weights.iter().map(|weight| u32::from(weight[cell])).sum();
        assert_eq!(sum, 255, "cell {cell}");
    }
}

/// What each program gets of a whole run: the height in its format, every map, normals and a splat map.
#[test]
fn a_run_goes_to_every_program() {
    let folder = Folder::new();
    folder.write(
        "scene.toml",
        "version = 1\n[terrain]\nsize = [64, 43]\ncell = '5 m'\n[[terrain.layer]]\nkind = 'fbm'\nheight = '40 m'\n\
         wavelength = '90 m'\n[[rain]]\nrate = '90 mm/h'\n[[water]]\nlevel = '-5 m'\n[time]\nsteps = 8\n[output]\npictures = false\n",
    );
    folder.ok(&["run", "scene.toml", "--out", "r", "--quiet"]);
    for (program, height, mask, more) in [
        ("unreal", "height.png", "water.png", [].as_slice()),
        ("unity", "height.raw", "water.png", &["--fit", "crop"]),
        ("godot", "height.exr", "water.exr", &[]),
        ("blender", "height.exr", "water.exr", &["--size", "96x65"]),
        ("houdini", "height.exr", "maps.exr", &[]),
        ("gaea", "height.exr", "water.png", &[]),
        ("gis", "height.tif", "water.tif", &[]),
    ] {
        folder.ok(&[&["convert", "r", program, "--for", program], more].concat());
        let engine = sidecar(&folder, &format!("{program}/height.thalweg.json"));
        assert_eq!(engine["engine"]["for"], program);
        let ground = read(&folder, &format!("{program}/{height}")).height;
        let water = water(&folder, &format!("{program}/{mask}"));
        assert!(ground.same_shape(&water), "{program}");
        // No water is less than none, also where cubics go between cells.
        assert!(water.range().unwrap().0 >= 0.0, "{program}: {:?}", water.range());
        for name in ["normal.png", "splat.png"] {
            assert_eq!(
                folder.path(&format!("{program}/{name}")).is_file(),
                program != "gis",
                "{program}/{name}"
            );
        }
    }
    let layers = read_layers(&folder.path("houdini/maps.exr"), 1 << 30).unwrap();
    let names: Vec<_> = layers.iter().map(|(info, _)| &*info.name).collect();
    for name in ["height", "water", "sediment", "debris", "bedrock", "flow", "flowdir", "mask"] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
    // Shares of the height in the file, metres by its description.
    let shares = ReadOptions { height_range: Some([0.0, 1.0]), ..ReadOptions::default() };
    let gaea = read_heightfield(&folder.path("gaea/height.exr"), &shares).unwrap().field.height;
    assert_eq!(gaea.range(), Some((0.0, 1.0)));
    let [in_metres, before] = ["gaea/height.exr", "r/height.exr"].map(|name| read(&folder, name).height);
    let off = in_metres.values().iter().zip(before.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(off < 1.0e-4, "{off} m off");
    let pixels = |program: &str| std::fs::read(folder.path(&format!("{program}/normal.png"))).unwrap();
    assert!(pixels("unreal") != pixels("godot"), "green is south in one and north in the other");
    weights_fill_every_cell(&folder);
    folder.fails(
        &["convert", "r", "bent", "--for", "unity", "--fit", "nearest"],
        2,
        &["64 x 43", "--fit crop", "--fit pad"],
    );
    assert!(!folder.path("bent").exists(), "nothing was written");
}

/// Tiles of a run have all maps with them, and those share one range.
#[test]
fn tiles_of_a_run_have_their_maps_with_them() {
    let folder = Folder::new();
    folder.write(
        "scene.toml",
        "version = 1\n[terrain]\nsize = [65, 33]\ncell = '5 m'\n[[terrain.layer]]\nkind = 'fbm'\nheight = '40 m'\n\
         wavelength = '90 m'\n[[water]]\nlevel = '5 m'\n[time]\nsteps = 4\n[output]\npictures = false\nmap_formats = ['layers']\n",
    );
    folder.ok(&["run", "scene.toml", "--out", "r", "--quiet"]);
    folder.ok(&["convert", "r", "g", "--for", "unity", "--tiles", "2x1"]);
    for name in ["height", "water", "normal", "splat"] {
        let ending = if name == "height" { "raw" } else { "png" };
        for tile in [format!("g/{name}_0_0.{ending}"), format!("g/{name}_1_0.{ending}")] {
            assert!(folder.path(&tile).is_file(), "{tile} is missing");
        }
    }
    let [west, east] = ["g/water_0_0.png", "g/water_1_0.png"].map(|name| read(&folder, name).height);
    assert!(west.range().unwrap().1 > 0.0, "there is water");
    for row in 0..33 {
        assert_eq!(west.at(32, row).to_bits(), east.at(0, row).to_bits(), "row {row}");
    }
    let label = sidecar(&folder, "r/height.thalweg.json");
    assert_eq!((&label["sea_level_m"], label["seed"].is_u64()), (&5.0.into(), true), "{label}");
    assert!(label["parameters_hash"].as_str().is_some_and(|hash| hash.len() == 16), "{label}");
}

/// What is not found is told, and a map that another program wrote does not pass for the height.
#[test]
fn maps_of_a_run_are_named_after_their_files() {
    let folder = Folder::new();
    folder.write(
        "scene.toml",
        "version = 1\n[terrain]\nsize = [64, 43]\n[[terrain.layer]]\nkind = 'fbm'\n[time]\nsteps = 1\n[output]\n\
         pictures = false\nmap_formats = ['npz']\n",
    );
    folder.ok(&["run", "scene.toml", "--out", "r", "--quiet"]);
    let told = folder.ok(&["convert", "r", "none", "--for", "godot"]);
    assert!(told.stderr.contains("no maps but the height"), "{}", told.stderr);
    std::fs::create_dir_all(folder.path("r/maps")).unwrap();
    let mine = ground(64, 43);
    write_heightfield(&folder.path("r/maps/mine.exr"), &mine, &WriteOptions::default()).unwrap();
    folder.ok(&["convert", "r", "one", "--for", "godot"]);
    assert_eq!(read(&folder, "one/mine.exr").height, mine.height);
    assert_eq!(read(&folder, "one/height.exr").height, read(&folder, "r/height.exr").height);
}
