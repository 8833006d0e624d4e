//! The terrain of a scene before anything happened, and what lies over it.

use super::SetupError;
use super::files::Request;
use crate::project::{Complaint, GroundMap, Project, Scene, Terrain};
use crate::solver::{Canvas, CellPatch, Layer, Patch, Stroke};
use std::sync::{Arc, Mutex, PoisonError};
use thalweg_field::{Grid2, GroundMesh, Heightfield, Region, Strata, TriMesh};
use thalweg_terrain::volume::{Floating, SIDE, Volume, VolumeRecipe};
use thalweg_terrain::{LitSurface, Recipe, resample};

/// Bytes for each cell beside the solver's own: terrain before and now, flow and wetness, and the maps and
/// pictures made at the end.
const BYTES_BESIDE: u64 = 120;

/// Memory for everything beside the solver `[bytes]`.
pub(crate) fn memory_beside(cols: usize, rows: usize) -> u64 {
    (cols as u64 * rows as u64).saturating_mul(BYTES_BESIDE)
}

/// The ground of a scene at full resolution, before anything happened, and the maps that lie over it.
#[derive(Clone, Debug)]
pub struct Ground {
    shape: Shape,
    /// What the heights were made of, and its seed; none where they come from a file, or from another method.
    recipe: Option<(Recipe, u64)>,
    /// How easily each cell erodes, from 0 (never) to 1 `[-]`; missing: all alike.
    softness: Option<Grid2<f32>>,
    /// How fast each cell rises, as a share of what the method says `[-]`; missing: all alike.
    pub uplift: Option<Grid2<f32>>,
    /// The softness after somebody painted it.
    painted: Option<Grid2<f32>>,
    /// For each rain of the scene, the share of it that arrives in each cell `[-]`; missing: all of it.
    pub masks: Vec<Option<Grid2<f32>>>,
    /// For each obstacle of the scene, its mesh as it is in its file; none for those without one.
    pub meshes: Vec<Option<Arc<TriMesh>>>,
    /// The same for each body that floats.
    pub hulls: Vec<Option<Arc<TriMesh>>>,
}

/// What kind of ground it is. Nobody asks outside of this file.
#[derive(Clone, Debug)]
enum Shape {
    /// A height for every cell.
    Heightfield(Heightfield),
    /// Voxels.
    Volume(VolumeGround),
}

/// Ground of voxels.
#[derive(Clone, Debug)]
struct VolumeGround {
    volume: Arc<Volume>,
    /// Its uppermost surface.
    top: Heightfield,
    strata: Option<Strata>,
    /// The surface that was shown last, which that of the next moment follows from.
    shown: Arc<Mutex<Option<LitSurface>>>,
}

/// The terrain of a project at full resolution, before anything happened; `notices` gets what had to be assumed.
pub fn start_ground(
    project: &Project,
    max_bytes: u64,
    notices: &mut Vec<String>,
) -> Result<Heightfield, SetupError> {
    match volume_of(project, max_bytes, notices)? {
        Some(ground) => Ok(ground.top),
        None => start_heights(project, max_bytes, notices),
    }
}

/// The volume of a project, before anything happened; none where its ground is heights.
fn volume_of(
    project: &Project,
    max_bytes: u64,
    notices: &mut Vec<String>,
) -> Result<Option<VolumeGround>, SetupError> {
    let Some(recipe) = &project.scene.terrain.volume else { return Ok(None) };
    let seed = project.scene.seed;
    let volume = match &recipe.file {
        Some(file) => {
            let request = Request { file, key: "terrain.volume.file", is_terrain: true, max_bytes };
            request.read_volume(project)?
        }
        None => {
            let heights = start_heights(project, max_bytes, notices)?;
            enough_for_volume(project, recipe, &heights, max_bytes)?;
            let built = recipe.build(&heights, seed);
            let (volume, floating) = built.map_err(|invalid| too_high(project, recipe, &invalid.remedy))?;
            notices.extend(left_out(floating));
            volume
        }
    };
    let top = volume.heightfield();
    let strata = recipe.strata.as_ref().map(|strata| strata.build(seed));
    Ok(Some(VolumeGround { volume: Arc::new(volume), top, strata, shown: Arc::default() }))
}

/// What is told of rock that hung in the air.
fn left_out(Floating { count, rock }: Floating) -> Option<String> {
    let pieces = if count == 1 { "piece" } else { "pieces" };
    let text = format!(
        "{count} {pieces} of rock, {rock:.3} m³ together, hung in the air and were left out; terrain.volume.floating = true \
         keeps what hangs"
    );
    (count > 0).then_some(text)
}

/// The height of a box is all that can still be wrong with its size.
fn too_high(project: &Project, recipe: &VolumeRecipe, remedy: &str) -> SetupError {
    let path = "terrain.volume.height".to_owned();
    let message = format!("{path} is {} m; {remedy}", recipe.height);
    SetupError::complaints(project, vec![Complaint { path, message }])
}

/// Refuses a volume that would need more memory than may be used.
fn enough_for_volume(
    project: &Project,
    recipe: &VolumeRecipe,
    heights: &Heightfield,
    max_bytes: u64,
) -> Result<(), SetupError> {
    let [east, north, up] = recipe.size_on(heights);
    let blocks = [east, north, up].iter().map(|&voxels| voxels.div_ceil(SIDE) as u64).product();
    // Looking at the blocks one by one takes as long as there are many.
    let need = match Volume::memory_of(blocks, 0) {
        table if table > max_bytes => table,
        _ => recipe.memory(heights, project.scene.seed),
    };
    if need <= max_bytes {
        return Ok(());
    }
    let path = "terrain.volume.height".to_owned();
    let message = format!(
        "{path} is {} m: {east} by {north} by {up} voxels need about {} MiB, but only {} MiB may be used; use a lower \
         box, larger cells (terrain.cell) or fewer of them (terrain.size), or raise --max-memory",
        recipe.height,
        need.div_ceil(1 << 20),
        max_bytes >> 20
    );
    Err(SetupError::complaints(project, vec![Complaint { path, message }]))
}

/// The heights of a project at full resolution, which a volume may be made of.
fn start_heights(
    project: &Project,
    max_bytes: u64,
    notices: &mut Vec<String>,
) -> Result<Heightfield, SetupError> {
    let (scene, terrain) = (&project.scene, &project.scene.terrain);
    let enough = |[cols, rows]: [usize; 2], path: &str| {
        let need =
            (scene.solver.first().method().memory_of_cells)([cols, rows], scene.solver.first().table());
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
    let request = Request { file, key: "terrain.file", is_terrain: true, max_bytes };
    // What cannot be read is told first.
    let own = request.size(project)?;
    match terrain.size {
        Some(size) => enough(size, "terrain.size")?,
        None => enough(own, "terrain.file")?,
    }
    let field = request.read(project, notices)?;
    Ok(match terrain.size {
        Some([cols, rows]) => resample(&field, cols, rows),
        None => field,
    })
}

impl Shape {
    fn heights(&self) -> &Heightfield {
        match self {
            Self::Heightfield(field) => field,
            Self::Volume(ground) => &ground.top,
        }
    }
}

impl Ground {
    pub(crate) fn new(
        project: &Project,
        max_bytes: u64,
        notices: &mut Vec<String>,
    ) -> Result<Self, SetupError> {
        let scene = &project.scene;
        let shape = match volume_of(project, max_bytes, notices)? {
            Some(ground) => Shape::Volume(ground),
            None => Shape::Heightfield(start_heights(project, max_bytes, notices)?),
        };
        let ground = shape.heights();
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        // Images that weigh something: black is 0, white is 1, stretched over the terrain.
        let mut weights = |file: &str, key: &str| -> Result<Grid2<f32>, SetupError> {
            let field = Request { file, key, is_terrain: false, max_bytes }.read(project, notices)?;
            Ok(resample(&field, cols, rows).height.map(|v| v.clamp(0.0, 1.0)))
        };
        // The seed keeps one map's noise from being another's.
        let mut shares = |map: &Option<GroundMap>, key: &str, seed: u64| -> Result<_, SetupError> {
            let Some(map) = map else { return Ok(None) };
            let grid = match &map.file {
                Some(file) => weights(file, key)?,
                None => {
                    let recipe = Recipe { layers: map.layers.clone(), island: None };
                    recipe.build(cols, rows, ground.frame.cell, scene.seed.wrapping_add(seed)).height
                }
            };
            Ok(Some(grid.map(|share| share.clamp(0.0, 1.0))))
        };
        let hard = shares(&scene.terrain.hardness, "terrain.hardness.file", 1)?;
        let softness = hard.map(|hard| hard.map(|hard| 1.0 - hard));
        let uplift = shares(&scene.terrain.uplift, "terrain.uplift.file", 2)?;
        let mut masks = Vec::new();
        for (i, rain) in scene.rain.iter().enumerate() {
            let mask = rain.mask.as_ref().map(|file| weights(file, &format!("rain[{i}].mask")));
            masks.push(mask.transpose()?);
        }
        let mesh = |file: Option<&String>, key: String| {
            let read = |file| Request { file, key: &key, is_terrain: false, max_bytes }.read_mesh(project);
            file.map(|file| read(file).map(Arc::new)).transpose()
        };
        let obstacles = scene.obstacles.iter().enumerate();
        let meshes =
            obstacles.map(|(i, obstacle)| mesh(obstacle.file.as_ref(), format!("obstacle[{i}].file")));
        let meshes = meshes.collect::<Result<_, _>>()?;
        let bodies = scene.bodies.iter().enumerate();
        let hulls = bodies.map(|(i, body)| mesh(body.file.as_ref(), format!("body[{i}].file")));
        let hulls = hulls.collect::<Result<_, _>>()?;
        let layered = scene.terrain.file.is_none() && scene.terrain.volume.is_none();
        let recipe = layered.then(|| (scene.terrain.recipe(), scene.seed));
        Ok(Self { shape, recipe, softness, uplift, painted: None, masks, meshes, hulls })
    }

    /// The height of every cell; of a volume, its uppermost surface.
    pub fn heights(&self) -> &Heightfield {
        self.shape.heights()
    }

    /// The voxels, where the ground is a volume.
    pub fn volume(&self) -> Option<&Arc<Volume>> {
        match &self.shape {
            Shape::Heightfield(_) => None,
            Shape::Volume(ground) => Some(&ground.volume),
        }
    }

    /// The beds of rock that a volume is made of; without any, all rock is alike.
    pub fn strata(&self) -> Option<&Strata> {
        match &self.shape {
            Shape::Heightfield(_) => None,
            Shape::Volume(ground) => ground.strata.as_ref(),
        }
    }

    /// The surface of a volume that this ground is or has become, to be shown: only what changed since the last time is worked out.
    pub fn mesh_of(&self, volume: &Volume) -> Arc<GroundMesh> {
        let Shape::Volume(ground) = &self.shape else { return LitSurface::of(volume, None).shown().clone() };
        let mut shown = ground.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(surface) = &mut *shown {
            surface.follow(volume);
        }
        shown.get_or_insert_with(|| LitSurface::of(volume, ground.strata.as_ref())).shown().clone()
    }

    /// The same with other heights, of as many cells.
    pub(crate) fn reshaped(&self, heights: Heightfield) -> Self {
        Self { shape: Shape::Heightfield(heights), recipe: None, ..self.clone() }
    }

    /// How easily each cell erodes, from 0 (never) to 1 `[-]`; missing: all alike.
    pub fn softness(&self) -> Option<&Grid2<f32>> {
        self.painted.as_ref().or(self.softness.as_ref())
    }

    /// The same, if somebody painted it.
    pub(crate) fn painted_softness(&self) -> Option<&Grid2<f32>> {
        self.painted.as_ref()
    }

    /// Takes up what was painted before; the text says why not.
    pub(crate) fn paint_softness(&mut self, values: &[f32]) -> Result<(), String> {
        self.painted = self.map_of_shares(values);
        self.painted.as_ref().map(drop).ok_or_else(|| "its painted hardness does not fit the terrain".into())
    }

    /// A map over this ground of values from 0 to 1; none if it is not that.
    pub(crate) fn map_of_shares(&self, values: &[f32]) -> Option<Grid2<f32>> {
        let height = &self.heights().height;
        let share = |value: &f32| (0.0..=1.0).contains(value);
        let map = Grid2::from_values(height.cols(), height.rows(), values.to_vec());
        map.filter(|_| values.iter().all(share))
    }

    /// The softness of the scene itself.
    pub(crate) fn forget_paint(&mut self) {
        self.painted = None;
    }

    /// Makes ground harder or softer.
    pub(crate) fn paint(&mut self, stroke: &Stroke) -> Patch {
        let field = self.heights();
        let canvas = Canvas::new(field.height.cols(), field.height.rows(), &field.frame);
        let region = stroke.region(&canvas);
        self.set_softness(canvas.size, region, |region, now| stroke.painted(&canvas, region, now))
    }

    /// Lays down what was there before or after a stroke.
    pub(crate) fn repaint(&mut self, patch: &CellPatch) -> Patch {
        let height = &self.heights().height;
        let patch = patch.on_grid([height.cols(), height.rows()]);
        self.set_softness(patch.grid, patch.region.clone(), |_, now| patch.over(now))
    }

    fn set_softness(
        &mut self,
        grid: [usize; 2],
        region: Region,
        paint: impl FnOnce(&Region, &[f64]) -> Vec<f64>,
    ) -> Patch {
        let [cols, rows] = grid;
        let whole = || self.softness.clone().unwrap_or_else(|| Grid2::filled(cols, rows, 1.0));
        let softness = self.painted.get_or_insert_with(whole);
        let before: Vec<_> = region.cells().map(|(col, row)| f64::from(softness.at(col, row))).collect();
        let share = |value: f64| f64::from(value.clamp(0.0, 1.0) as f32);
        let after: Vec<_> = paint(&region, &before).into_iter().map(share).collect();
        for ((col, row), &value) in region.cells().zip(&after) {
            softness.values_mut()[row * cols + col] = value as f32;
        }
        Patch::Cells(CellPatch { layer: Layer::Softness, grid, region, before, after })
    }

    /// A number that another terrain, hardness, mask or mesh would not have (FNV-1a, 64 bits), as text.
    pub(crate) fn fingerprint(&self) -> String {
        let field = self.heights();
        let grids = std::iter::once(&field.height)
            .chain(&self.softness)
            .chain(self.masks.iter().flatten())
            .flat_map(|grid| grid.values().iter().map(|v| u64::from(v.to_bits())));
        let corners = self.meshes.iter().chain(&self.hulls).flatten().flat_map(|mesh| {
            let places = mesh.positions.iter().flatten().map(|v| u64::from(v.to_bits()));
            places.chain(mesh.triangles.iter().flatten().map(|&corner| u64::from(corner)))
        });
        let voxels =
            self.volume().into_iter().flat_map(|volume| volume.numbers().map(|v| u64::from(v.to_bits())));
        let numbers = grids
            .chain(corners)
            .chain(voxels)
            .chain([field.frame.cell.to_bits(), field.height.cols() as u64]);
        let hash =
            numbers.fold(0xcbf2_9ce4_8422_2325_u64, |hash, n| (hash ^ n).wrapping_mul(0x0100_0000_01b3));
        format!("{hash:016x}")
    }

    /// The terrain of a pass, before anything happened.
    pub(crate) fn of_pass(&self, scene: &Scene, pass: usize) -> Heightfield {
        match scene.time.coarse.get(pass) {
            None => self.heights().clone(),
            Some(coarse) => {
                let Heightfield { height, frame } = self.heights();
                let factor = coarse.factor_on(frame.cell);
                let size = [height.cols(), height.rows()];
                let [cols, rows] = size.map(|cells| (cells / factor).max(1));
                let fits = [cols * factor, rows * factor] == size;
                match &self.recipe {
                    // Made on its own cells it is the same to the bit, however many cells the terrain has.
                    Some((recipe, seed)) if coarse.cell.is_some() && fits => {
                        recipe.build(cols, rows, frame.cell * factor as f64, *seed)
                    }
                    _ => resample(self.heights(), cols, rows),
                }
            }
        }
    }
}

/// Depth of the water that stands on the ground at the beginning `[m]`.
pub(crate) fn standing_water(scene: &Scene, ground: &Heightfield) -> Grid2<f32> {
    let pools = scene.pools();
    Grid2::from_fn(ground.height.cols(), ground.height.rows(), |col, row| {
        let (place, bed) = (ground.local_from_cell(col, row), f64::from(ground.height.at(col, row)));
        pools.iter().map(|pool| pool.depth_at(place, bed)).fold(0.0, f64::max) as f32
    })
}
