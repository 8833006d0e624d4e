//! The terrain of a scene before anything happened, and what lies over it.

use super::SetupError;
use crate::project::{Complaint, Pool, Project, Scene, Terrain, is_inside};
use std::path::{Path, PathBuf};
use thalweg_field::{Grid2, Heightfield};
use thalweg_io::{Notice, ReadOptions, read_heightfield};
use thalweg_terrain::{Recipe, resample};

/// Bytes for each cell beside the solver's own: terrain before and now, flow and wetness, and the maps and
/// pictures made at the end.
const BYTES_BESIDE: u64 = 120;

/// Memory for everything beside the solver [bytes].
pub(crate) fn memory_beside(cols: usize, rows: usize) -> u64 {
    (cols as u64 * rows as u64).saturating_mul(BYTES_BESIDE)
}

/// The ground of a scene at full resolution, before anything happened, and the maps that lie over it.
#[derive(Clone, Debug)]
pub struct Ground {
    /// Its heights.
    pub field: Heightfield,
    /// How easily each cell erodes, from 0 (never) to 1 [-]; missing: all alike.
    pub softness: Option<Grid2<f32>>,
    /// For each rain of the scene, the share of it that arrives in each cell [-]; missing: all of it.
    pub masks: Vec<Option<Grid2<f32>>>,
}

/// The terrain of a project at full resolution, before anything happened; `notices` gets what had to be assumed.
pub fn start_ground(
    project: &Project,
    max_bytes: u64,
    notices: &mut Vec<String>,
) -> Result<Heightfield, SetupError> {
    let (scene, terrain) = (&project.scene, &project.scene.terrain);
    let enough = |[cols, rows]: [usize; 2], path: &str| {
        let need = (scene.solver.method().memory_of_cells)([cols, rows], scene.solver.table());
        let (need_mib, limit_mib) = (need >> 20, max_bytes >> 20);
        if need > max_bytes {
            Err(SetupError::Memory { place: project.place_of(path), cols, rows, need_mib, limit_mib })
        } else {
            Ok(())
        }
    };
    let Some(file) = &terrain.file else {
        let [cols, rows] = terrain.size.unwrap_or(Terrain::SIZE);
        enough([cols, rows], "terrain.size")?;
        let cell = terrain.cell.unwrap_or(Terrain::CELL);
        return Ok(terrain.recipe().build(cols, rows, cell, scene.seed));
    };
    let options = ReadOptions {
        cell: terrain.cell,
        height_range: terrain.height_range,
        max_bytes,
        ..ReadOptions::default()
    };
    let path = inside(project, file, "terrain.file")?;
    let unreadable = |source| SetupError::Read { place: project.place_of("terrain.file"), source };
    let estimate = thalweg_io::estimate(&path, &options).map_err(unreadable)?;
    match terrain.size {
        Some(size) => enough(size, "terrain.size")?,
        None => enough([estimate.cols, estimate.rows], "terrain.file")?,
    }
    let imported = read_heightfield(&path, &options).map_err(unreadable)?;
    notices.extend(imported.notices.iter().map(|notice| format!("{file}: {notice}")));
    Ok(match terrain.size {
        Some([cols, rows]) => resample(&imported.field, cols, rows),
        None => imported.field,
    })
}

/// The path of a file that the scene names. Scenes may come from strangers: unless that is allowed, neither the path nor a link on it leads out of the
/// scene's folder.
fn inside(project: &Project, file: &str, key: &str) -> Result<PathBuf, SetupError> {
    let path = project.folder.join(file);
    if project.allow_outside {
        return Ok(path);
    }
    let refused =
        |message| Err(SetupError::complaints(project, vec![Complaint { path: key.into(), message }]));
    if !is_inside(file) {
        return refused(format!(
            "{key} is \"{file}\", outside the scene's folder; copy the file beside the scene and name it relative to \
             it, or allow it with --allow-outside"
        ));
    }
    let folder = if project.folder.as_os_str().is_empty() { Path::new(".") } else { &project.folder };
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(whole), Ok(folder)) if !whole.starts_with(&folder) => refused(format!(
            "\"{file}\" is a link that leads outside the scene's folder, to {}; copy the file beside the scene, or allow \
             it with --allow-outside",
            whole.display()
        )),
        // Where it is not there, reading it will tell.
        _ => Ok(path),
    }
}

impl Ground {
    pub(crate) fn new(
        project: &Project,
        max_bytes: u64,
        notices: &mut Vec<String>,
    ) -> Result<Self, SetupError> {
        let scene = &project.scene;
        let ground = start_ground(project, max_bytes, notices)?;
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        // Images that weigh something: black is 0, white is 1, stretched over the terrain.
        let mut weights = |file: &str, key: &str| -> Result<Grid2<f32>, SetupError> {
            let options = ReadOptions {
                cell: Some(1.0),
                height_range: Some([0.0, 1.0]),
                max_bytes,
                ..ReadOptions::default()
            };
            let imported = read_heightfield(&inside(project, file, key)?, &options)
                .map_err(|source| SetupError::Read { place: project.place_of(key), source })?;
            let worth = |notice: &&Notice| !matches!(notice, Notice::EightBit | Notice::FewLevels { .. });
            notices.extend(imported.notices.iter().filter(worth).map(|notice| format!("{file}: {notice}")));
            Ok(resample(&imported.field, cols, rows).height.map(|v| v.clamp(0.0, 1.0)))
        };
        let softness = match &scene.terrain.hardness {
            None => None,
            Some(hardness) => {
                let hard = match &hardness.file {
                    Some(file) => weights(file, "terrain.hardness.file")?,
                    None => {
                        let recipe = Recipe { layers: hardness.layers.clone(), island: None };
                        recipe.build(cols, rows, ground.frame.cell, scene.seed.wrapping_add(1)).height
                    }
                };
                Some(hard.map(|h| 1.0 - h.clamp(0.0, 1.0)))
            }
        };
        let mut masks = Vec::new();
        for (i, rain) in scene.rain.iter().enumerate() {
            let mask = rain.mask.as_ref().map(|file| weights(file, &format!("rain[{i}].mask")));
            masks.push(mask.transpose()?);
        }
        Ok(Self { field: ground, softness, masks })
    }

    /// A number that another terrain, hardness or mask would not have (FNV-1a, 64 bits), as text.
    pub(crate) fn fingerprint(&self) -> String {
        let grids = std::iter::once(&self.field.height)
            .chain(&self.softness)
            .chain(self.masks.iter().flatten())
            .flat_map(|grid| grid.values().iter().map(|v| u64::from(v.to_bits())));
        let numbers = grids.chain([self.field.frame.cell.to_bits(), self.field.height.cols() as u64]);
        let hash =
            numbers.fold(0xcbf2_9ce4_8422_2325_u64, |hash, n| (hash ^ n).wrapping_mul(0x0100_0000_01b3));
        format!("{hash:016x}")
    }

    /// The terrain of a pass, before anything happened.
    pub(crate) fn of_pass(&self, scene: &Scene, pass: usize) -> Heightfield {
        match scene.time.coarse.get(pass) {
            None => self.field.clone(),
            Some(coarse) => {
                let size = |n: usize| (n / coarse.factor).max(1);
                resample(&self.field, size(self.field.height.cols()), size(self.field.height.rows()))
            }
        }
    }
}

/// Depth of the water that stands on the ground at the beginning [m].
pub(crate) fn standing_water(scene: &Scene, ground: &Heightfield) -> Grid2<f32> {
    Grid2::from_fn(ground.height.cols(), ground.height.rows(), |col, row| {
        let [east, north] = ground.local_from_cell(col, row);
        let inside = |pool: &&Pool| {
            (pool.from[0]..pool.to[0]).contains(&east) && (pool.from[1]..pool.to[1]).contains(&north)
        };
        let bed = f64::from(ground.height.at(col, row));
        let depth = |pool: &Pool| match pool.level {
            Some(level) => (level - bed).max(0.0),
            None => pool.depth.unwrap_or(0.0) + pool.bottom.map_or(0.0, |bottom| (bottom - bed).max(0.0)),
        };
        scene.water.iter().filter(inside).map(depth).fold(0.0, f64::max) as f32
    })
}
