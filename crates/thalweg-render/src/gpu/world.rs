//! A snapshot on the graphics device.

use thalweg_field::{Grid2, Snapshot};
use thalweg_gpu::{Gpu, GpuError};

use super::bake::{BakeData, Bakery};
use super::ground_mesh::Earth;
use super::lod::{Fineness, Quadtree};
use super::mesh::Body;
use super::particles::Cloud;
use super::sea_maps::{SeaMaps, has_waves};
use super::texture::Texture;
use crate::cpu::resample::filled;
use crate::{Camera, Extent, Lens, Look, Spread, View};

/// Side of the texture that holds how open the ground is to the sky, at most `[texels]`.
const OPENNESS_SIDE: u32 = 1024;

/// A snapshot on the graphics device, made by [`Renderer::load`](super::Renderer::load).
pub struct World {
    /// Columns and rows.
    pub(super) size: [u32; 2],
    /// Side of a cell `[m]`.
    pub(super) cell: f32,
    /// How far everything reaches.
    pub(super) extent: Extent,
    pub(super) has_water: bool,
    pub(super) tree: Quadtree,
    pub(super) maps: Maps,
    pub(super) overlay: Option<OverlayMap>,
    /// The particles, and the meshes that have triangles.
    pub(super) cloud: Option<Cloud>,
    pub(super) bodies: Vec<Body>,
    /// Ground that is a mesh; that of heights is not drawn then.
    pub(super) earth: Option<Earth>,
    /// Water with waves of its own; the ground is drawn without water then.
    pub(super) sea: Option<SeaMaps>,
    /// Rooms of bodies that no water enters.
    pub(super) rooms: Vec<Body>,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("World")
            .field("size", &self.size)
            .field("cell", &self.cell)
            .field("has_water", &self.has_water)
            .finish_non_exhaustive()
    }
}

/// The textures of the ground.
pub(super) struct Maps {
    pub top: Texture,
    pub bed: Texture,
    pub slopes: Texture,
    pub matter: Texture,
    pub waters: Texture,
    pub flows: Texture,
    pub openness: Texture,
}

/// A field in false colour.
pub(super) struct OverlayMap {
    pub values: Texture,
    pub spread: Spread,
}

impl World {
    pub(super) fn new(
        gpu: &Gpu,
        bakery: &Bakery,
        snapshot: &Snapshot,
        look: &Look,
    ) -> Result<Self, GpuError> {
        let flat = Grid2::filled(2, 2, 0.0);
        let height = snapshot.field("height").filter(|height| !height.is_empty()).unwrap_or(&flat);
        let size = [height.cols() as u32, height.rows() as u32];
        gpu.admit_texture("a terrain", [height.cols(), height.rows()])?;
        let cell = snapshot.frame.cell as f32;
        let depth = snapshot.field("water").filter(|depth| depth.same_shape(height));
        let deepest = depth.and_then(Grid2::range).map_or(0.0, |(_, most)| most.max(0.0));
        let waving = has_waves(snapshot, look);
        let has_water = !waving && deepest >= look.relief.water_min_depth;

        // Holes are filled, on a copy; they are rare.
        let holes = height.values().iter().any(|v| !v.is_finite());
        let whole = holes.then(|| filled(height));
        let height = whole.as_ref().unwrap_or(height);
        let missing = holes.then(|| snapshot.field("height").map(|h| h.map(|v| f32::from(!v.is_finite()))));

        let upload = |grid: &Grid2<f32>, name: &str| Texture::of_grid(gpu, name, grid);
        let field = |name: &str| {
            let values = snapshot.field(name).filter(|values| values.same_shape(height))?;
            Some(upload(values, name))
        };
        let bed = upload(height, "bed");
        // The surface of the sea is none of the ground's.
        let standing = depth.filter(|_| !waving || snapshot.sea.is_none());
        let top = standing.map_or_else(|| bed.clone(), |depth| upload(&surface(height, depth), "top"));
        let depth_map = field("water");
        let missing = missing.flatten().map(|missing| upload(&missing, "missing"));
        let maps = bake_maps(
            gpu,
            bakery,
            look,
            BakeInputs { size, cell, bed, top, depth: depth_map, missing },
            field,
        );
        let overlay = overlay_of(gpu, snapshot, look);
        let extent = Extent::of(snapshot);
        let sea = SeaMaps::new(gpu, snapshot, height, look);
        let cloud = snapshot.points.as_ref().map(|points| Cloud::new(gpu, points, look, extent.radius()));
        let cloud = cloud.transpose()?.flatten();
        let still = snapshot.meshes.iter().map(|mesh| Body::new(gpu, mesh));
        let parts = snapshot.bodies.iter().flat_map(|body| body.parts.iter().map(move |part| (body, part)));
        let moving = parts.map(|(body, part)| Body::of_part(gpu, body, part));
        let bodies = still.chain(moving).collect::<Result<Vec<_>, _>>()?;
        let rooms =
            snapshot.bodies.iter().map(|body| Body::room_of(gpu, body)).collect::<Result<Vec<_>, _>>()?;
        let earth = snapshot.ground.as_ref().map(|ground| Earth::new(gpu, ground)).transpose()?.flatten();
        Ok(Self {
            size,
            cell,
            extent,
            has_water,
            tree: Quadtree::new(height, cell, deepest),
            maps,
            overlay,
            cloud,
            bodies: bodies.into_iter().flatten().collect(),
            earth,
            sea,
            rooms: rooms.into_iter().flatten().collect(),
        })
    }

    /// Whether the ground is drawn from its heights.
    pub(super) fn has_heights(&self) -> bool {
        self.extent.has_ground && self.extent.earth.is_none()
    }

    /// The camera's view of this world in a picture of that shape, heights exaggerated as in the look.
    pub fn view(&self, camera: &Camera, look: &Look, aspect: f32) -> View {
        self.extent.view(camera, look.relief.vertical_exaggeration, aspect)
    }

    /// How the overlay's values are spread over its colours, for a legend.
    pub fn overlay_scale(&self) -> Option<&Spread> {
        self.overlay.as_ref().map(|overlay| &overlay.spread)
    }

    /// How the particles' values are spread over their colours, for a legend. `None` if no column colours
    /// them.
    pub fn particle_scale(&self) -> Option<&Spread> {
        self.cloud.as_ref()?.spread.as_ref()
    }

    /// Side of a tile of ripples `[m]`.
    pub(super) fn ripple_tile(&self) -> f32 {
        /// Cells along a tile, and its least side `[m]`.
        const CELLS: f32 = 12.0;
        const LEAST: f32 = 3.0;
        (CELLS * self.cell).max(LEAST)
    }

    /// How finely a picture of that height needs the ground.
    pub(super) fn fineness(&self, look: &Look, view: &View, height: u32) -> Fineness {
        // Triangles grow with what a pixel shows, before supersampling.
        let pixels = look.triangle_size * look.supersampling as f32;
        match view.lens {
            Lens::Perspective(_) => {
                let range = self.cell / (view.metres_per_pixel(1.0, height as usize) * pixels);
                Fineness { eye: view.eye, range, level: 0.0 }
            }
            Lens::Parallel(_) => {
                let side = view.metres_per_pixel(1.0, height as usize) * pixels;
                Fineness { eye: view.eye, range: 0.0, level: (side / self.cell).max(1.0).log2() }
            }
        }
    }
}

struct BakeInputs {
    size: [u32; 2],
    cell: f32,
    bed: Texture,
    top: Texture,
    depth: Option<Texture>,
    missing: Option<Texture>,
}

fn bake_maps(
    gpu: &Gpu,
    bakery: &Bakery,
    look: &Look,
    inputs: BakeInputs,
    field: impl Fn(&str) -> Option<Texture>,
) -> Maps {
    let BakeInputs { size, cell, bed, top, depth, missing } = inputs;
    let style = &look.relief;
    let data = BakeData {
        grid: [size[0] as f32, size[1] as f32, cell, style.water_min_depth],
        full: [style.deposit_full, 2.0 * style.deposit_full, look.water.muddy, style.vertical_exaggeration],
    };
    let bake =
        |map, inputs: &[Option<&Texture>], coarser| bakery.bake(gpu, map, size, &data, inputs, coarser);
    let depth = depth.as_ref();
    let slopes = bake("slopes", &[Some(&bed)], true);
    let levels = bake("levels", &[Some(&bed), depth], false);
    let waters = bake("covers", &[Some(&levels), depth, missing.as_ref()], true);
    let [wetness, erosion, deposition, sediment] =
        ["wetness", "erosion", "deposition", "sediment"].map(&field);
    let matter = bake(
        "matter",
        &[wetness.as_ref(), depth, erosion.as_ref(), deposition.as_ref(), sediment.as_ref()],
        true,
    );
    let [east, north] = ["velocity_east", "velocity_north"].map(&field);
    let flows = bake("flow", &[east.as_ref(), depth, north.as_ref()], true);
    let shrink = |n: u32| n.min(OPENNESS_SIDE);
    let small = size.map(shrink);
    let data = BakeData {
        grid: [size[0] as f32 / small[0] as f32, size[1] as f32 / small[1] as f32, cell, 0.0],
        ..data
    };
    let openness = bakery.bake(gpu, "openness", small, &data, &[Some(&top)], false);
    Maps { top, bed, slopes, matter, waters, flows, openness }
}

fn overlay_of(gpu: &Gpu, snapshot: &Snapshot, look: &Look) -> Option<OverlayMap> {
    let overlay = look.overlay.as_ref()?;
    let field = snapshot.labelled(&overlay.field)?;
    let spread = Spread::of(field.values.values(), &overlay.style);
    Some(OverlayMap { values: Texture::of_grid(gpu, "overlay", &field.values), spread })
}

/// What is drawn: the bed, or the water on it `[m]`.
fn surface(height: &Grid2<f32>, depth: &Grid2<f32>) -> Grid2<f32> {
    Grid2::from_fn(height.cols(), height.rows(), |col, row| height.at(col, row) + depth.at(col, row).max(0.0))
}
