//! A heightfield as ground: triangles, the boundary particles below them, the flow above them, and how they move.

mod bed;
mod bed_flow;
mod boundary_tiles;
mod patch;
mod pool;
mod reshape;
mod settle;

pub use bed::{Bed, Triangle};
pub use patch::{Patch, Patches};
pub use reshape::{change_lowest_first, change_smoothly};

use crate::ground::{Eddies, Ground, SavedGround, Spot, layers};
use crate::params::Params;
use crate::setting::Setting;
use crate::walls::Walls;
use crate::water::Columns;
use bed_flow::BedFlow;
use boundary_tiles::BoundaryTiles;
use std::ops::RangeInclusive;
use thalweg_field::range::all_within;
use thalweg_field::{Grid2, Heightfield, Invalid, Pool, Region};
use thalweg_sph::{Fluid, FluidError, Particle};

/// Bytes for each vertex of the bed.
const BYTES_PER_VERTEX: u64 = 84 + BedFlow::BYTES;
/// Heights that a bed can have `[m]`.
const HEIGHTS: RangeInclusive<f64> = -1.0e6..=1.0e6;

/// A heightfield that water stands on.
#[derive(Debug)]
pub(crate) struct HeightGround {
    bed: Bed,
    boundary: BoundaryTiles,
    flow: BedFlow,
    patches: Patches,
    /// Hardness of each vertex, 0 to 1 `[-]`; missing: soft everywhere.
    hardness: Option<Vec<f32>>,
    /// Solid volume that each triangle gained in a step, and the triangles that did `[m³]`.
    gains: Vec<f64>,
    touched: Vec<u32>,
    /// How far each vertex rose in the last exchange `[m]`.
    risen: Vec<f32>,
}

impl HeightGround {
    /// The ground of a terrain; room for boundary particles is made later.
    pub(crate) fn new(ground: &Heightfield, params: &Params, setting: &Setting) -> Self {
        let bed = Bed::new(ground);
        let reach = 2.0 * params.fluid.smoothing_radius();
        let mut boundary = BoundaryTiles::new(&bed, layers(params), reach, setting.edges.sides(), 0);
        boundary.walls.join(params.periodic.joined());
        let moving = |count: usize| if params.erosion.enabled { count } else { 0 };
        Self {
            boundary,
            flow: BedFlow::new(&bed, params),
            patches: Patches::new(&bed, params.bed_spacing()),
            hardness: setting.hardness.as_ref().map(from_the_south),
            gains: vec![0.0; moving(bed.triangles())],
            touched: Vec::new(),
            risen: vec![0.0; moving(bed.heights().len())],
            bed,
        }
    }

    /// The triangles.
    pub(crate) fn bed(&self) -> &Bed {
        &self.bed
    }

    /// Sets what has come on top of some vertices, row by row from the north `[m]`. Returns how much came [m³, pores included] and how the
    /// bed was before; none if it would be too steep for any memory: nothing changes then.
    pub(crate) fn set_change(&mut self, region: &Region, values: &[f64]) -> Option<(f64, Bed)> {
        let before = self.bed.clone();
        let mut gained = 0.0;
        for ((col, row), &value) in region.cells().zip(values) {
            let vertex = self.bed.vertex(col, row);
            gained += (value - self.bed.change()[vertex]) * self.bed.area_at(vertex);
            self.bed.set_change_at(vertex, value);
        }
        let finite = values.iter().all(|value| value.is_finite());
        if !finite || !self.boundary.can_fill(&self.bed) {
            self.bed = before;
            return None;
        }
        Some((gained, before))
    }

    /// Volume of the ground below vertices of some heights `[m³]`.
    fn volume(&self, height: impl Fn(usize) -> f64) -> f64 {
        let [cols, rows] = self.bed.size;
        let row = |j: usize| (j * cols..(j + 1) * cols).map(|v| height(v) * self.bed.area_at(v)).sum::<f64>();
        (0..rows).map(row).sum::<f64>()
    }
}

impl Ground for HeightGround {
    fn size(&self) -> [usize; 2] {
        self.bed.size
    }

    fn cell(&self) -> f64 {
        self.bed.cell
    }

    fn extent(&self) -> [[f32; 2]; 2] {
        self.bed.extent()
    }

    fn top(&self, east: f64, north: f64) -> f64 {
        f64::from(self.bed.below(east as f32, north as f32).1)
    }

    #[inline(always)]
    fn clearance(&self, at: [f32; 3]) -> f32 {
        self.bed.clearance(at)
    }

    #[inline(always)]
    fn nearest(&self, [x, y, z]: [f32; 3]) -> (f32, [f32; 3]) {
        let (triangle, height) = self.bed.below(x, y);
        let normal = self.bed.normal(triangle);
        ((z - height) * normal[2], normal)
    }

    #[inline(always)]
    fn lift(&self, at: &mut [f32; 3]) {
        at[2] = at[2].max(self.bed.below(at[0], at[1]).1);
    }

    #[inline(always)]
    fn collide(&self, from: [f32; 3], particle: &mut Particle, restitution: f32, dt: f32) -> bool {
        self.bed.collide(from, particle, restitution, dt)
    }

    #[inline(always)]
    fn is_clear(&self, from: [f32; 3], to: [f32; 3]) -> bool {
        self.boundary.is_high(&self.bed, to) && self.boundary.is_high(&self.bed, from)
    }

    #[inline(always)]
    fn are_clear(&self, low: [f32; 3], high: [f32; 3]) -> bool {
        self.boundary.are_high(&self.bed, low, high)
    }

    fn update_boundary(&mut self, fluid: &mut Fluid, reach: f64) -> Result<usize, FluidError> {
        self.boundary.update(&self.bed, fluid, reach)
    }

    fn check_start(&mut self, fluid: &Fluid, reach: f64) -> Result<(), FluidError> {
        self.boundary.check_start(&self.bed, fluid, reach)
    }

    fn room(&self) -> usize {
        self.boundary.room()
    }

    fn set_room(&mut self, room: usize) {
        self.boundary.set_room(room);
    }

    fn patches(&self) -> usize {
        self.bed.triangles()
    }

    fn walls(&self) -> &Walls {
        &self.boundary.walls
    }

    fn measure(&mut self, fluid: &Fluid) {
        self.flow.measure(&self.bed, fluid);
    }

    fn slow(&self, fluid: &mut Fluid, dt: f64) {
        self.flow.slow(&self.bed, fluid, dt);
    }

    fn change(&mut self, params: &Params, setting: &Setting) {
        self.flow.set_params(params);
        self.hardness = setting.hardness.as_ref().map(from_the_south);
    }

    #[inline(always)]
    fn hardness(&self, spot: Spot) -> f32 {
        self.hardness.as_ref().map_or(0.0, |map| self.patches.mean_of(&self.bed, map, spot.patch))
    }

    #[inline(always)]
    fn normal(&self, spot: Spot) -> [f32; 3] {
        self.patches.normal(&self.bed, spot.patch)
    }

    #[inline(always)]
    fn area(&self, spot: Spot) -> f32 {
        self.patches.area_each(&self.bed, spot.patch)
    }

    #[inline(always)]
    fn stress(&self, spot: Spot) -> f32 {
        self.flow.at(spot.at[0], spot.at[1]).stress(self.normal(spot))
    }

    #[inline(always)]
    fn eddies(&self, at: [f32; 3]) -> Eddies {
        let flow = self.flow.at(at[0], at[1]);
        let (above, normal) = self.nearest(at);
        Eddies { stress: flow.stress(normal), above, depth: flow.depth }
    }

    fn gain(&mut self, spot: Spot, grains: f64) {
        let Self { bed, patches, gains, touched, .. } = self;
        let share = grains / patches.triangles(bed, spot.patch).count() as f64;
        for triangle in patches.triangles(bed, spot.patch) {
            if gains[triangle as usize] == 0.0 {
                touched.push(triangle);
            }
            gains[triangle as usize] += share;
        }
    }

    fn reshape(&mut self, fluid: &mut Fluid, params: &Params, dt: f64) {
        self.settle(fluid, &params.erosion, dt);
    }

    fn fill_pool(
        &self,
        (_, pool): (&str, &Pool),
        columns: &Columns,
        put: &mut dyn FnMut([f64; 3], f64) -> Result<(), Invalid>,
    ) -> Result<(), Invalid> {
        pool::fill(&self.bed, pool, columns, put)
    }

    fn pool_volume(&self, setting: &Setting) -> f64 {
        pool::volume(&self.bed, setting)
    }

    fn heights_within(&self, sides: [[f64; 2]; 2]) -> [f64; 2] {
        let bed = &self.bed;
        // Vertices below it, and those next to them.
        let cells = |axis: usize| {
            let [low, high] = sides[axis].map(|v| (v / bed.cell - 0.5).max(0.0));
            low as usize..(high.ceil() as usize + 1).min(bed.size[axis])
        };
        let row = |j: usize| &bed.heights()[j * bed.size[0]..][cells(0)];
        let heights = cells(1).flat_map(row).map(|&h| f64::from(h));
        heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], h| [low.min(h), high.max(h)])
    }

    fn bytes(&self) -> u64 {
        self.bed.heights().len() as u64 * BYTES_PER_VERTEX
    }

    fn solid(&self) -> [f64; 2] {
        let start = |v: usize| self.bed.exact_height(v) - self.bed.change()[v];
        [self.volume(start), self.volume(|v| self.bed.change()[v])]
    }

    fn height_map(&self) -> Heightfield {
        self.bed.ground()
    }

    fn change_map(&self) -> Grid2<f64> {
        let [cols, rows] = self.bed.size;
        Grid2::from_fn(cols, rows, |col, row| self.bed.change()[self.bed.vertex(col, row)])
    }

    fn save(&self) -> (Vec<f64>, Vec<f32>, &[bool]) {
        let (filled, heights, _) = self.boundary.save();
        (self.bed.change().to_vec(), heights.to_vec(), filled)
    }

    fn fits(&self, doubles: usize, floats: usize) -> bool {
        let vertices = self.bed.heights().len();
        doubles == vertices && floats == vertices
    }

    fn restore(&mut self, saved: &SavedGround) -> Result<(), String> {
        all_within("height of the bed at vertex", saved.floats, &HEIGHTS)?;
        all_within("change of the bed at vertex", saved.doubles, &HEIGHTS)?;
        self.bed.set_change(saved.doubles);
        if !self.boundary.can_fill(&self.bed) {
            return Err(
                "its bed is so steep somewhere that no memory holds the particles of its surface".into()
            );
        }
        self.boundary.restore(&self.bed, saved.filled, saved.floats, saved.walls);
        Ok(())
    }
}

/// The values of a map row by row from the south, as those of a bed are.
fn from_the_south(map: &Grid2<f32>) -> Vec<f32> {
    (0..map.rows()).rev().flat_map(|row| map.row(row).iter().copied()).collect()
}
