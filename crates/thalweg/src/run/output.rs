//! The files a run leaves behind.

use super::folder::REPORT;
use super::progress::Watcher;
use super::{art, map_frames, volumes};
use crate::project::{MapFormat, Output, Project, Scene, SurfaceFormat, Up, parse};
use crate::world::is_inside;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use thalweg_field::{Field, Frame, Grid2, Heightfield, Snapshot, Strata, TriMesh};
use thalweg_io::{
    MeshExtras, Story, UpAxis, WriteError, WriteOptions, atomic, write_heightfield, write_map_exr,
    write_map_png, write_map_tiff, write_mesh_with, write_npz_fields, write_volume, write_vti,
};
use thalweg_render::{Look, ground_colours};
use thalweg_terrain::tin::{Tin, TinParams, ground_mesh, water_mesh};
use thalweg_terrain::volume::Volume;

/// The video of all frames: as it should be, and as an animated PNG where no video can be made.
pub const VIDEOS: [&str; 2] = ["frames.mp4", "frames.png"];

/// The first words of every scene that a run writes.
const WRITTEN: &str = "# Written by thalweg";

/// Where the files that a scene reads are kept.
const INPUTS: &str = "inputs";

/// The scene as it ran.
pub(super) const SCENE: &str = "scene.toml";

/// The ground, where it is a volume.
const VOLUME: &str = "volume.twv";

/// All maps in one file.
const LAYERS: &str = "maps.exr";
const NPZ: &str = "maps.npz";
const VTI: &str = "maps.vti";

/// The animation.
pub(super) const ANIMATIONS: [&str; 2] = ["animation.usda", "animation.glb"];

/// What a run writes beside checkpoints, and may therefore overwrite.
pub(super) const OWN: [&str; 24] = [
    SCENE,
    REPORT,
    "height.png",
    "height.exr",
    "height.tif",
    "height.thalweg.json",
    "maps",
    map_frames::FOLDER,
    LAYERS,
    NPZ,
    VTI,
    "art",
    "volumes",
    "moments",
    ANIMATIONS[0],
    ANIMATIONS[1],
    "pictures",
    "frames",
    "particles",
    "bodies",
    "mesh",
    VOLUME,
    VIDEOS[0],
    VIDEOS[1],
];

/// The pictures of the end, in their folder.
pub(super) const PICTURES: [&str; 5] = ["before_after", "view", "flow", "erosion", "deposition"];

/// Whether a scene's text is one that a run wrote into its folder.
pub(super) fn is_written(scene: &[u8]) -> bool {
    scene.starts_with(WRITTEN.as_bytes())
}

/// The first file of the user's own that a run into `out` would overwrite: the scene, or what it reads.
pub(super) fn endangered(project: &Project, out: &Path) -> Option<PathBuf> {
    let out = out.canonicalize().ok()?;
    let hit = |file: &Path| {
        let file = file.canonicalize().ok()?;
        let within = file.strip_prefix(&out).ok()?.components().next()?;
        OWN.iter().any(|own| within.as_os_str() == *own).then_some(file.clone())
    };
    let there = out.join(SCENE);
    let foreign = there.is_file() && !std::fs::read(&there).is_ok_and(|text| is_written(&text));
    let scene = project.file().filter(|_| !is_written(project.text().as_bytes()));
    let mut inputs = inputs(project, &project.scene).into_iter();
    foreign.then_some(there).or_else(|| scene.and_then(hit)).or_else(|| inputs.find_map(|file| hit(&file)))
}

/// The files that a scene reads. A heightmap may have its description beside it.
pub(super) fn inputs(project: &Project, scene: &Scene) -> Vec<PathBuf> {
    let mut scene = scene.clone();
    let files = scene.files_mut().into_iter().map(|(_, file)| project.folder.join(file));
    files.flat_map(with_description).collect()
}

/// A heightmap and the description beside it, as far as they are there.
fn with_description(file: PathBuf) -> impl Iterator<Item = PathBuf> {
    [file.with_extension("thalweg.json"), file].into_iter().filter(|file| file.is_file())
}

/// Writes the scene as it runs, defaults filled in, and beside it what it reads: it can be run again from there.
pub(super) fn write_scene(out: &Path, project: &Project, scene: &Scene) -> Result<Vec<PathBuf>, WriteError> {
    let mut scene = scene.clone();
    let mut written = vec![out.join(SCENE)];
    let copies = copies(&mut scene);
    for (_, file) in scene.files_mut() {
        let from = project.folder.join(&file);
        if let Some(copy) = copies.get(file) {
            file.clone_from(copy);
        }
        for from in with_description(from) {
            let to = out.join(&file).with_file_name(from.file_name().unwrap_or_default());
            let same = to.canonicalize().is_ok_and(|to| from.canonicalize().is_ok_and(|from| from == to));
            if !written.contains(&to) {
                if !same {
                    copy(&from, &to)?;
                }
                written.push(to);
            }
        }
    }
    let text = toml::to_string_pretty(&scene).expect("a scene that was read can be written");
    let version = env!("CARGO_PKG_VERSION");
    atomic::write_atomic(&written[0], |file| {
        writeln!(file, "{WRITTEN} {version}: what ran, with every default filled in.")?;
        file.write_all(text.as_bytes())
    })?;
    Ok(written)
}

/// Where copies of the files that a scene reads go, seen from the output folder: as they lie in the scene's folder. Each from
/// outside it has a folder of its own, which does not depend on what else the scene reads: a mask that comes back when an edit
/// is undone finds its copy.
fn copies(scene: &mut Scene) -> BTreeMap<String, String> {
    let files: BTreeSet<_> = scene.files_mut().into_iter().map(|(_, file)| file.clone()).collect();
    let (inside, outside): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| is_inside(file));
    let below = |file: &String| {
        if Path::new(file).starts_with(INPUTS) { file.clone() } else { format!("{INPUTS}/{file}") }
    };
    let mut copies: BTreeMap<_, _> = inside.iter().map(|file| (file.clone(), below(file))).collect();
    for file in outside {
        let number = file.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
            // FNV-1a, 32 bits.
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        });
        let name = Path::new(&file).file_name().unwrap_or_default().to_string_lossy();
        let mut copy = format!("{INPUTS}/outside/{number:08x}/{name}");
        while copies.values().any(|other| *other == copy) {
            copy = copy.replacen("outside", "outside-", 1);
        }
        copies.insert(file, copy);
    }
    copies
}

fn copy(from: &Path, to: &Path) -> Result<(), WriteError> {
    atomic::create_dir(to.parent().unwrap_or(Path::new(".")))?;
    atomic::write_atomic(to, |file| std::io::copy(&mut thalweg_io::open_regular(from)?, file).map(drop))
}

/// Writes ground that is a volume: its voxels, and its surface in the formats that are asked for.
pub(super) fn write_ground(
    out: &Path,
    (volume, shown): (&Volume, &Snapshot),
    asked: &Output,
) -> Result<Vec<PathBuf>, WriteError> {
    let mut files = vec![out.join(VOLUME)];
    write_volume(&files[0], volume)?;
    if !asked.volumes.is_empty() {
        files.extend(volumes::write_rock(&out.join("volumes"), (volume, shown), &asked.volumes)?);
    }
    let Some(ground) = shown.ground.as_ref().filter(|_| !asked.ground.is_empty()) else { return Ok(files) };
    let colours = ground.strata.as_ref().map(|strata| bed_colours(strata, &ground.mesh));
    let up = asked.mesh_up.map(Up::into);
    let extras = MeshExtras { colours: colours.as_deref(), up, matt: true, uvs: None };
    files.extend(write_meshes(out, "ground", (&ground.mesh, &extras), &asked.ground)?);
    Ok(files)
}

/// Writes a mesh in each of some formats.
fn write_meshes(
    out: &Path,
    name: &str,
    (mesh, extras): (&TriMesh, &MeshExtras),
    formats: &[SurfaceFormat],
) -> Result<Vec<PathBuf>, WriteError> {
    atomic::create_dir(&out.join("mesh"))?;
    let write = |format: &SurfaceFormat| {
        let path = out.join("mesh").join(format!("{name}.{}", format.extension()));
        write_mesh_with(&path, mesh, extras).map(|()| path)
    };
    formats.iter().map(write).collect()
}

/// Water less deep than this has no surface of its own in a mesh: it would flicker over the ground `[m]`.
pub(super) const FILM: f32 = 0.02;

/// How far below the lowest cell the floor of a closed mesh lies, in widths of a cell `[-]`.
const FLOOR: f64 = 4.0;

/// The ground of a snapshot.
pub(super) fn ground_of(shown: &Snapshot) -> Option<Heightfield> {
    let height = shown.field("height")?.clone();
    Some(Heightfield { height, frame: shown.frame.clone() })
}

/// Triangles that meshes of heights and water may have.
pub(super) fn tin_params(asked: &Output) -> TinParams {
    TinParams { max_triangles: usize::try_from(asked.mesh_triangles).unwrap_or(usize::MAX), max_error: 0.0 }
}

/// Writes heights and the water on them as meshes, as far as that is asked for. What cannot be one is told by the watcher: a run does not
/// fail over it.
pub(super) fn write_height_meshes(
    out: &Path,
    shown: &Snapshot,
    scene: &Scene,
    watcher: &mut dyn Watcher,
) -> Result<Vec<PathBuf>, WriteError> {
    let (asked, look) = (&scene.output, scene.picture.look());
    let mut files = Vec::new();
    let Some(ground) = ground_of(shown) else { return Ok(files) };
    let up = asked.mesh_up.map(Up::into);
    let params = tin_params(asked);
    if !asked.ground.is_empty() && shown.ground.is_none() {
        let lowest = ground.height.range().map_or(0.0, |(low, _)| f64::from(low));
        let floor = asked.mesh_closed.then_some(lowest - FLOOR * ground.frame.cell);
        match ground_mesh(&ground, &params, floor) {
            Ok(tin) => {
                let colours = colours_of_ground(&tin, shown.field("deposition"), &ground, &look);
                let extras = MeshExtras { colours: Some(&colours), uvs: Some(&tin.uvs), up, matt: true };
                files.extend(write_meshes(out, "ground", (&tin.mesh, &extras), &asked.ground)?);
                watcher.notice(&told("the ground", &tin));
            }
            Err(wrong) => watcher.notice(&format!("the ground is no mesh: {wrong}")),
        }
    }
    let Some(depth) = shown.field("water").filter(|_| !asked.water.is_empty()) else { return Ok(files) };
    match water_mesh(&ground, depth, FILM, &params) {
        Ok(tin) if tin.mesh.triangles.is_empty() => {
            watcher.notice(&format!("no mesh of the water is written: none is {FILM} m deep"));
        }
        Ok(tin) => {
            let colours = colours_of_water(&tin, shown, depth, &look);
            let extras = MeshExtras { colours: Some(&colours), uvs: Some(&tin.uvs), up, matt: false };
            files.extend(write_meshes(out, "water", (&tin.mesh, &extras), &asked.water)?);
            watcher.notice(&told("the surface of the water", &tin));
        }
        Err(wrong) => watcher.notice(&format!("the water is no mesh: {wrong}")),
    }
    Ok(files)
}

/// The colour of the ground at each corner of its mesh, as pictures have it: linear, with opacity. `deposit` is what was laid down `[m]`.
pub fn colours_of_ground(
    tin: &Tin,
    deposit: Option<&Grid2<f32>>,
    ground: &Heightfield,
    look: &Look,
) -> Vec<[f32; 4]> {
    let colours = ground_colours(&ground.height, deposit, &look.relief, ground.frame.cell as f32);
    at_corners(tin, &colours, |[red, green, blue]| [red, green, blue, 1.0])
}

/// The colour of water at each corner of its surface, by the sediment in it.
pub(super) fn colours_of_water(
    tin: &Tin,
    shown: &Snapshot,
    depth: &Grid2<f32>,
    look: &Look,
) -> Vec<[f32; 4]> {
    let load = shown.field("sediment");
    let share = Grid2::from_fn(depth.cols(), depth.rows(), |col, row| {
        let [load, depth] = [load.map_or(0.0, |load| load.at(col, row)), depth.at(col, row)];
        if depth > FILM { (load / (load + depth)).max(0.0) } else { 0.0 }
    });
    at_corners(tin, &share, |share| {
        let [red, green, blue] = look.water_colour(share);
        [red, green, blue, OPACITY]
    })
}

/// Opacity of the surface of water in files that tell one `[-]`.
const OPACITY: f32 = 0.85;

/// What is made of the cell below each corner of a mesh.
fn at_corners<T: Copy>(tin: &Tin, grid: &Grid2<T>, make: impl Fn(T) -> [f32; 4]) -> Vec<[f32; 4]> {
    let cell = |share: f32, count: usize| ((share * count as f32) as usize).min(count - 1);
    let corner =
        |&[east, north]: &[f32; 2]| make(grid.at(cell(east, grid.cols()), cell(1.0 - north, grid.rows())));
    tin.uvs.iter().map(corner).collect()
}

fn told(what: &str, tin: &Tin) -> String {
    format!(
        "{what} as a mesh: {} triangles, {:.3} m off the cells at most",
        tin.mesh.triangles.len(),
        tin.error
    )
}

impl From<Up> for UpAxis {
    fn from(up: Up) -> Self {
        match up {
            Up::Y => Self::Y,
            Up::Z => Self::Z,
        }
    }
}

/// The colour of the bed at each corner of the surface of a volume, linear.
pub fn bed_colours(strata: &Strata, mesh: &TriMesh) -> Vec<[f32; 4]> {
    let colour = |place: &[f32; 3]| {
        let bed = strata.bed_at(strata.level(place.map(f64::from)));
        let [red, green, blue] = bed.map_or([128; 3], |bed| bed.colour).map(linear);
        [red, green, blue, 1.0]
    };
    mesh.positions.iter().map(colour).collect()
}

/// Linear light of an sRGB value (IEC 61966-2-1).
pub(super) fn linear(value: u8) -> f32 {
    let value = f32::from(value) / 255.0;
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// Writes the height, and into `maps/` every other field that is asked for.
pub(super) fn write_maps(
    out: &Path,
    snapshot: &Snapshot,
    asked: &Output,
) -> Result<Vec<PathBuf>, WriteError> {
    let mut files = Vec::new();
    let formats = map_formats(snapshot, asked);
    let each: Vec<_> = formats.iter().filter(|format| EACH.contains(format)).collect();
    let wanted = |field: &&Field| {
        field.info.name != "height"
            && (asked.maps || asked.more_maps.iter().any(|name| *name == field.info.name))
    };
    let maps: Vec<_> = snapshot.fields.iter().filter(wanted).collect();
    if !maps.is_empty() && !each.is_empty() {
        atomic::create_dir(&out.join("maps"))?;
    }
    let frame = &snapshot.frame;
    if let Some(ground) = ground_of(snapshot) {
        // A terrain like any other: it can be read again, by us and by others, with its range beside it.
        let mut names = vec!["height.png", "height.exr"];
        let how = WriteOptions { story: story(out), ..WriteOptions::default() };
        names.extend(formats.contains(&MapFormat::Tif).then_some("height.tif"));
        for name in names {
            write_heightfield(&out.join(name), &ground, &how)?;
            files.push(out.join(name));
        }
        files.push(out.join("height.thalweg.json"));
    }
    for field in &maps {
        for format in &each {
            let (end, write): (_, fn(&Path, &Field, &Frame) -> _) = match format {
                MapFormat::Png => ("png", write_map_png),
                MapFormat::Tif => ("tif", write_map_tiff),
                _ => ("exr", write_map_exr),
            };
            let path = out.join("maps").join(format!("{}.{end}", field.info.name));
            write(&path, field, frame)?;
            files.push(path);
        }
    }
    let all: Vec<&Field> = snapshot.labelled("height").into_iter().chain(maps).collect();
    for format in formats.iter().filter(|format| !EACH.contains(format) && !all.is_empty()) {
        let path = out.join(match format {
            MapFormat::Npz => NPZ,
            MapFormat::Vti => VTI,
            _ => LAYERS,
        });
        match format {
            MapFormat::Npz => write_npz_fields(&path, &all, frame, snapshot.time)?,
            MapFormat::Vti => write_vti(&path, &all, frame, Some(snapshot.time))?,
            _ => art::write_all_layers(&path, snapshot, &all)?,
        }
        files.push(path);
    }
    files.extend(art::write_art(&out.join("art"), snapshot, &asked.art)?);
    Ok(files)
}

/// Where the ground of a run comes from, by the scene in its folder: the seed, a hash of all parameters, and how high the water
/// stands around it.
pub fn story(out: &Path) -> Story {
    let Ok(text) = std::fs::read_to_string(out.join(SCENE)) else { return Story::default() };
    // FNV-1a, 64 bits.
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let scene = parse(&text, SCENE, &[]).ok();
    Story {
        sea_level: scene.as_ref().and_then(sea_level),
        seed: scene.map(|scene| scene.seed),
        parameters: Some(format!("{hash:016x}")),
        engine: None,
    }
}

/// How high the open sea stands, or the water that the whole terrain was filled up to, if there is any `[m]`.
fn sea_level(scene: &Scene) -> Option<f64> {
    let sea = scene.water.iter().find(|water| water.is_everywhere()).and_then(|water| water.level);
    sea.or_else(|| scene.ocean.as_ref().map(|_| 0.0))
}

/// Formats that have a file for each map.
const EACH: [MapFormat; 3] = [MapFormat::Exr, MapFormat::Png, MapFormat::Tif];

/// Those that are asked for, or else what the program chooses.
fn map_formats(snapshot: &Snapshot, asked: &Output) -> Vec<MapFormat> {
    if !asked.map_formats.is_empty() {
        return asked.map_formats.clone();
    }
    let mut formats = vec![MapFormat::Exr, MapFormat::Png];
    formats.extend(snapshot.frame.crs.is_some().then_some(MapFormat::Tif));
    formats
}
