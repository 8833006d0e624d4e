//! Maps for artists, and all maps in one file under Houdini's names.

use super::output::ground_of;
use crate::project::ArtMap;
use serde_json::json;
use std::path::{Path, PathBuf};
use thalweg_field::{Field, FieldInfo, Grid2, Heightfield, Points, Snapshot};
use thalweg_io::{
    MapLayer, WriteError, atomic, write_layers, write_map, write_shares_png, write_vectors_png,
};
use thalweg_terrain::analysis::curvature;
use thalweg_terrain::art::{NormalStyle, directions, downhill, normals, shore_distance, sky_seen, splat};

/// Water at least this deep counts as such in a mask and for the shore `[m]`.
const WET: f32 = 0.01;

/// How far the sky is looked for, as a share of the longer side `[-]`.
const SKY: f64 = 0.25;

impl ArtMap {
    fn file_stem(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::NormalDirectx => "normal_directx",
            Self::Curvature => "curvature",
            Self::AmbientOcclusion => "ambient_occlusion",
            Self::Splat => "splat",
            Self::FlowDirection => "flow_direction",
            Self::Shoreline => "shoreline",
            Self::Foam => "foam",
            Self::Wear => "wear",
            Self::Debris => "debris",
        }
    }
}

/// Writes the maps for artists that are asked for into a folder. What a run has nothing of, such as the foam of pipes, is zero everywhere.
pub(super) fn write_art(
    folder: &Path,
    shown: &Snapshot,
    asked: &[ArtMap],
) -> Result<Vec<PathBuf>, WriteError> {
    let mut files = Vec::new();
    let Some(ground) = ground_of(shown).filter(|_| !asked.is_empty()) else { return Ok(files) };
    atomic::create_dir(folder)?;
    for &map in asked {
        let stem = folder.join(map.file_stem());
        let png = stem.with_extension("png");
        match map {
            ArtMap::Normal | ArtMap::NormalDirectx => {
                let style = if map == ArtMap::Normal { NormalStyle::OpenGl } else { NormalStyle::DirectX };
                write_normals(&png, &normals(&ground, style), style)?;
                files.push(png);
            }
            ArtMap::FlowDirection => {
                let [east, north] = flow_direction(shown, &ground);
                let ways =
                    Grid2::from_fn(east.cols(), east.rows(), |c, r| [east.at(c, r), north.at(c, r), 0.0]);
                let about = json!({ "quantity": "flow_direction", "red": "east", "green": "north", "blue": "nothing",
                    "codes": "1, 32768 and 65535 are -1, 0 and 1" });
                write_vectors_png(&png, &ways, &about.to_string())?;
                files.push(png);
            }
            ArtMap::Splat => {
                let shares = ground_shares(&ground, shown.field("deposition"), shown.field("water"));
                write_shares(&png, &shares)?;
                files.push(png);
            }
            _ => files.extend(write_map(&stem, &plain(map, shown, &ground), &shown.frame)?),
        }
    }
    Ok(files)
}

/// Writes normals of a style as a picture that says which.
pub fn write_normals(path: &Path, normals: &Grid2<[f32; 3]>, style: NormalStyle) -> Result<(), WriteError> {
    let (green, told) = match style {
        NormalStyle::OpenGl => ("north", "OpenGL"),
        NormalStyle::DirectX => ("south", "DirectX"),
    };
    let about = json!({ "quantity": "normal", "style": told, "red": "east", "green": green, "blue": "up",
        "codes": "1, 32768 and 65535 are -1, 0 and 1" });
    write_vectors_png(path, normals, &about.to_string())
}

/// Shares of rock, soil, loose ground and water in each cell, 255 together, by what was laid down and how deep the water is `[m]`.
pub fn ground_shares(
    ground: &Heightfield,
    deposit: Option<&Grid2<f32>>,
    water: Option<&Grid2<f32>>,
) -> Grid2<[u8; 4]> {
    splat(ground, deposit, water.map(wet).as_ref())
}

/// Writes such shares as a picture that says what they are.
pub fn write_shares(path: &Path, shares: &Grid2<[u8; 4]>) -> Result<(), WriteError> {
    let about = json!({ "quantity": "splat", "red": "rock", "green": "soil", "blue": "loose ground",
        "alpha": "water", "sum": 255 });
    write_shares_png(path, shares, &about.to_string())
}

/// 1 where there is water, else 0.
fn wet(depth: &Grid2<f32>) -> Grid2<f32> {
    depth.map(|depth| f32::from(u8::from(depth >= WET)))
}

/// A map of one value for each cell.
fn plain(map: ArtMap, shown: &Snapshot, ground: &Heightfield) -> Field {
    let none = || ground.height.map(|_| 0.0_f32);
    let copy = |name: &str| shown.field(name).cloned().unwrap_or_else(none);
    let (unit, meaning, values) = match map {
        ArtMap::Curvature => {
            ("1/m", "Laplacian of the height: above zero in hollows", curvature(ground).laplacian)
        }
        ArtMap::AmbientOcclusion => {
            let [east, north] = ground.extent();
            ("-", "share of the sky that is seen", sky_seen(ground, SKY * east.max(north)))
        }
        ArtMap::Shoreline => {
            let wet = shown.field("water").map(|depth| depth.map(|depth| depth >= WET));
            let wet = wet.unwrap_or_else(|| ground.height.map(|_| false));
            ("m", "distance from the shore, below zero in water", shore_distance(&wet, ground.frame.cell))
        }
        ArtMap::Foam => {
            let of_particles = || {
                let points = shown.points.as_ref().map(crate::whitewater::with_whitewater)?;
                foam(&points, ground)
            };
            let values = shown.field("foam").cloned().or_else(of_particles).unwrap_or_else(none);
            ("-", "share of the water that is white with air", values)
        }
        ArtMap::Wear => ("m", "depth of the ground that was worn away", copy("erosion")),
        _ => ("m", "depth of the ground that was laid down", copy("deposition")),
    };
    Field { info: FieldInfo::new(map.file_stem(), unit, meaning), values }
}

/// The foam of the whitest particle above each cell; `None` if particles do not tell.
fn foam(points: &Points, ground: &Heightfield) -> Option<Grid2<f32>> {
    let foam = points.column("foam").filter(|column| column.values.len() == points.len())?;
    let mut values = ground.height.map(|_| 0.0_f32);
    for (place, &foam) in points.positions.iter().zip(&foam.values) {
        let [col, row] = ground.cell_from_local([place[0].into(), place[1].into()]).map(f64::round);
        let inside = col >= 0.0 && row >= 0.0 && col < values.cols() as f64 && row < values.rows() as f64;
        if inside && foam.is_finite() {
            let (col, row) = (col as usize, row as usize);
            values.set(col, row, values.at(col, row).max(foam));
        }
    }
    Some(values)
}

/// Which way the water flows, or where nobody knows, which way it would: down the slope.
fn flow_direction(shown: &Snapshot, ground: &Heightfield) -> [Grid2<f32>; 2] {
    match [shown.field("velocity_east"), shown.field("velocity_north")] {
        [Some(east), Some(north)] => directions(east, north),
        _ => downhill(ground),
    }
}

/// Writes all fields of a snapshot as [Houdini](https://www.sidefx.com/docs/houdini/heightfields/) has layers, in one EXR file.
pub fn write_layered_maps(path: &Path, shown: &Snapshot) -> Result<(), WriteError> {
    write_all_layers(path, shown, &shown.fields.iter().collect::<Vec<_>>())
}

/// Writes all maps as one EXR file of many parts: under Houdini's names `height`, `water`, `sediment`, `debris`, `bedrock`, `flow`,
/// `flowdir` and `mask`, and all others under their own.
pub(super) fn write_all_layers(path: &Path, shown: &Snapshot, maps: &[&Field]) -> Result<(), WriteError> {
    let Some(ground) = ground_of(shown) else { return Ok(()) };
    let label = FieldInfo::new;
    let laid_down = shown.field("deposition");
    let debris = laid_down.map(|debris| Field {
        info: label("debris", "m", "ground that was laid down since the beginning"),
        values: debris.clone(),
    });
    let bedrock = laid_down.map(|debris| Field {
        info: label("bedrock", "m", "height of the ground below what was laid down"),
        values: Grid2::from_fn(debris.cols(), debris.rows(), |c, r| ground.height.at(c, r) - debris.at(c, r)),
    });
    let mask = shown.field("water").map(|depth| Field {
        info: label("mask", "-", "1 where water is 1 cm deep or more, else 0"),
        values: wet(depth),
    });
    let ways = flow_direction(shown, &ground);
    let mut layers: Vec<_> = maps.iter().map(|map| MapLayer::of(map)).collect();
    layers.extend([&debris, &bedrock, &mask].into_iter().flatten().map(MapLayer::of));
    let info = label("flowdir", "-", "unit vector along which water flows, to the east and to the north");
    layers.push(MapLayer { info, grids: ways.iter().collect() });
    write_layers(path, &layers, &shown.frame)
}

#[cfg(test)]
mod tests {
    use crate::project::Project;
    use crate::run::{Earlier, RunOptions, Silent, run};
    use thalweg_io::{read_heightfield, read_layers, read_map, read_mesh};

    const SCENE: &str = "
version = 1
[terrain]
size = [40, 24]
cell = '10 m'
[[terrain.layer]]
kind = 'fbm'
height = '60 m'
wavelength = '200 m'
[[water]]
level = '20 m'
[solver]
erosion = false
[time]
steps = 8
[output]
pictures = false
map_formats = ['exr', 'tif', 'layers', 'npz', 'vti']
art = ['normal', 'splat', 'shoreline', 'flow-direction', 'foam']
ground = ['obj', 'stl', 'ply']
water = 'ply'
mesh_triangles = 500
animation_every = 4
";

    #[test]
    fn a_run_writes_every_file_that_it_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("o");
        let project = Project::from_text(SCENE, "all", folder.path(), &[]).unwrap();
        let options = RunOptions { out: out.clone(), earlier: Earlier::Refuse, max_bytes: 1 << 30 };
        run(&project, &options, &mut Silent).unwrap();
        let report: serde_json::Value =
            serde_json::from_slice(&std::fs::read(out.join("report.json")).unwrap()).unwrap();
        let files: Vec<&str> =
            report["files"].as_array().unwrap().iter().filter_map(|f| f.as_str()).collect();
        for file in [
            "height.tif",
            "maps/water.exr",
            "maps/water.tif",
            "maps.exr",
            "maps.npz",
            "maps.vti",
            "art/normal.png",
            "art/splat.png",
            "art/shoreline.exr",
            "art/flow_direction.png",
            "art/foam.exr",
            "mesh/ground.obj",
            "mesh/ground.stl",
            "mesh/ground.ply",
            "mesh/water.ply",
            "animation.usda",
            "moments/moment_000002.twm",
        ] {
            assert!(out.join(file).is_file() && files.contains(&file), "{file} is not among {files:?}");
        }
        assert!(!out.join("maps/water.png").exists(), "nobody asked for it");
        let most = 1 << 30;
        let water = read_map(&out.join("maps/water.exr"), most).unwrap().values;
        let tif = read_heightfield(&out.join("maps/water.tif"), &Default::default()).unwrap();
        assert_eq!((tif.field.height, &*tif.info.name), (water.clone(), "water"));
        let layers = read_layers(&out.join("maps.exr"), 1 << 30).unwrap();
        let names: Vec<_> = layers.iter().map(|(info, _)| &*info.name).collect();
        for name in ["height", "water", "debris", "bedrock", "flow", "flowdir", "mask"] {
            assert!(names.contains(&name), "{name} is not among {names:?}");
        }
        let layer = |name: &str| &layers.iter().find(|(info, _)| info.name == name).unwrap().1;
        assert_eq!(layer("water"), std::slice::from_ref(&water));
        assert_eq!(layer("mask")[0], water.map(|depth| if depth >= 0.01 { 1.0 } else { 0.0 }));
        // Within the distance of its name: water is below zero, land above.
        let shore = read_map(&out.join("art/shoreline.exr"), most).unwrap().values;
        assert!(
            shore.values().iter().zip(water.values()).all(|(away, depth)| (*away < 0.0) == (*depth >= 0.01))
        );
        let mesh = read_mesh(&out.join("mesh/ground.obj"), most).unwrap();
        assert!(mesh.triangles.len() <= 500);
        assert_eq!(mesh.positions, read_mesh(&out.join("mesh/ground.ply"), most).unwrap().positions);
        // Corners of the water that lie in the open are as high as it stands.
        let lake = read_mesh(&out.join("mesh/water.ply"), most).unwrap();
        let ground = read_heightfield(&out.join("height.tif"), &Default::default()).unwrap().field;
        let is_open = |place: &&[f32; 3]| {
            let [col, row] = ground.cell_from_local([place[0], place[1]].map(f64::from));
            place[2] > ground.height.bilinear(col, row) + 0.1
        };
        let open: Vec<_> = lake.positions.iter().filter(is_open).map(|place| place[2]).collect();
        let highest = open.iter().copied().fold(f32::MIN, f32::max);
        let surface = ground.height.values().iter().zip(water.values());
        let wet = surface
            .filter(|(_, depth)| **depth >= super::super::output::FILM)
            .map(|(bed, depth)| bed + depth);
        let level = wet.fold(f32::MIN, f32::max);
        assert!(
            open.len() > 3 && (highest - level).abs() < 0.1,
            "{} corners up to {highest} m, water to {level} m",
            open.len()
        );
        let usda = std::fs::read_to_string(out.join("animation.usda")).unwrap();
        assert!(usda.contains("def Mesh \"Ground\"") && usda.matches("def Mesh \"Water\"").count() == 1);
    }
}
