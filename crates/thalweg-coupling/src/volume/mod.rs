//! A volume of rock as ground: its surface, the boundary particles below it, the flow along it, and how it wears away.

mod bricks;
mod collide;
mod crumbs;
mod edit;
mod flow;
mod hardened;
mod pool;
mod ramp;
mod rock;
mod samples;
mod settle;
mod slip;
mod slots;
mod tiles;
mod wear;

pub use crumbs::Crumbs;
pub use edit::{RockBrush, RockLayer, RockPatch, RockTool};

use crate::ground::{Eddies, Ground, SavedGround, Spot, layers};
use crate::params::{Params, Periodic};
use crate::setting::Setting;
use crate::walls::{Squares, Walls};
use crate::water::Columns;
use bricks::Bricks;
use flow::RockFlow;
use hardened::Hardened;
use pool::Wet;
use rock::Rock;
use settle::Worn;
use thalweg_field::{Grid2, Heightfield, Invalid, Pool, Strata, require};
use thalweg_sph::{Fluid, FluidError, Particle};
use thalweg_terrain::volume::Volume;
use tiles::RockTiles;
use wear::Due;

/// Share of rock from which on a wall behind it is of no use `[-]`.
const BURIED: f32 = 1.0;

/// Most voxels: tiles of them have numbers of 28 bits.
const MOST_VOXELS: u64 = 1 << 33;

/// A volume that water stands on.
#[derive(Debug)]
pub(crate) struct VolumeGround {
    rock: Rock,
    bricks: Bricks,
    tiles: RockTiles,
    walls: Walls,
    flow: RockFlow,
    extent: [[f32; 2]; 2],
    /// Distance between boundary particles, and how deep the first stand `[m]`.
    spacing: f32,
    depth: f32,
    /// Rock of each column at the beginning, from the south-west [voxels].
    start: Vec<f64>,
    /// Beds of rock, which tell how hard it is; missing: soft everywhere. And how hard each column is besides, from the north-west.
    strata: Option<Strata>,
    hard_columns: Option<Grid2<f32>>,
    /// And each place, where somebody made it harder.
    hardened: Hardened,
    worn: Worn,
    /// Memory of what is looked up by place `[bytes]`.
    tables: u64,
}

impl VolumeGround {
    /// The ground of a volume; room for boundary particles is made later.
    pub(crate) fn new(volume: &Volume, params: &Params, setting: &Setting) -> Result<Self, Invalid> {
        let periodic = format!("{:?}", params.periodic).to_lowercase();
        let remedy = "edges of a volume are not joined; leave it out";
        require(params.periodic == Periodic::None, "periodic", periodic, remedy)?;
        check_size(volume, params, setting)?;
        let (rock, voxel) = (Rock::new(volume), volume.voxel());
        let tiles = RockTiles::new(&rock, layers(params), tiles_reach(params));
        let [east, north, _] = volume.size();
        let extent = [east, north].map(|n| [(0.5 * voxel) as f32, ((n as f64 - 0.5) * voxel) as f32]);
        let tile = tiles.side() as f64 * voxel;
        let squares = Squares {
            extent,
            tile,
            tiles: [east, north].map(|n| (n - 1).div_ceil(tiles.side())),
            base: volume.bottom(),
        };
        let start = columns(volume);
        Ok(Self {
            bricks: Bricks::new(&rock),
            walls: Walls::new(squares, layers(params), setting.edges.sides()),
            flow: RockFlow::new(volume.size(), voxel, volume.bottom(), params),
            tiles,
            extent,
            spacing: params.bed_spacing() as f32,
            depth: params.boundary_depth() as f32,
            start,
            strata: setting.strata.clone(),
            hard_columns: setting.hardness.clone(),
            hardened: Hardened::default(),
            worn: Worn::new(rock.blocks()),
            tables: tables(volume.size(), voxel, params),
            rock,
        })
    }

    /// The rock.
    pub(crate) fn volume(&self) -> &Volume {
        self.rock.volume()
    }

    /// What has fallen away since the beginning.
    pub(crate) fn crumbs(&self) -> Crumbs {
        self.worn.crumbs
    }

    /// Place of the surface that a spot stands below `[m]`.
    fn surface_of(&self, spot: Spot) -> [f32; 3] {
        let out = self.normal(spot);
        std::array::from_fn(|axis| spot.at[axis] + self.depth * out[axis])
    }
}

/// How far water reaches from a tile `[m]`.
fn tiles_reach(params: &Params) -> f64 {
    2.0 * params.fluid.smoothing_radius()
}

/// Memory of what is looked up by place all over a box of voxels: bricks, tiles and cells of the flow `[bytes]`.
fn tables(size: [usize; 3], voxel: f64, params: &Params) -> u64 {
    let tiles = RockTiles::memory_of(size, RockTiles::side_of(tiles_reach(params), voxel));
    Bricks::memory_of(size) + tiles + RockFlow::memory_of(size, voxel, params)
}

/// Refuses a volume that is too large for particles: space around its surface is looked up in tables, and so is where a pool goes.
fn check_size(volume: &Volume, params: &Params, setting: &Setting) -> Result<(), Invalid> {
    let voxels: u64 = volume.size().iter().map(|&n| n as u64).product();
    let pools = if setting.water.is_empty() { 0 } else { pool::memory_of(voxels) };
    let need = tables(volume.size(), volume.voxel(), params) + pools;
    let most = setting.max_bytes.unwrap_or(u64::MAX);
    let [east, north, up] = volume.size();
    let remedy = match voxels > MOST_VOXELS {
        true => format!("with particles there may be {MOST_VOXELS} of them; use larger voxels, or fewer"),
        false => format!(
            "with particles it takes {} MiB more, and {} MiB may be used; use larger voxels, or fewer",
            need.div_ceil(1 << 20),
            most >> 20
        ),
    };
    let fits = voxels <= MOST_VOXELS && need <= most;
    require(fits, "terrain.volume", format!("{east} by {north} by {up} voxels"), remedy)
}

/// Value of a map for the column that a place in voxels is in.
fn column_of(map: &Grid2<f32>, at: [f64; 3]) -> f32 {
    let near = |v: f64, count: usize| v.round().clamp(0.0, count as f64 - 1.0) as usize;
    map.at(near(at[0], map.cols()), map.rows() - 1 - near(at[1], map.rows()))
}

/// Rock of each column of a volume, row by row from the south [voxels].
fn columns(volume: &Volume) -> Vec<f64> {
    let [east, north, up] = volume.size();
    let (mut row, mut sums) = (vec![0.0; east], vec![0.0; east * north]);
    for n in 0..up * north {
        let (y, z) = (n % north, n / north);
        volume.copy_shares([0, y as isize, z as isize], [east, 1, 1], &mut row);
        for (sum, &share) in sums[y * east..].iter_mut().zip(&row) {
            *sum += f64::from(share);
        }
    }
    sums
}

impl Ground for VolumeGround {
    fn size(&self) -> [usize; 2] {
        [self.rock.size()[0], self.rock.size()[1]]
    }

    fn cell(&self) -> f64 {
        self.rock.voxel()
    }

    fn extent(&self) -> [[f32; 2]; 2] {
        self.extent
    }

    fn top(&self, east: f64, north: f64) -> f64 {
        pool::top(&self.rock, [east, north])
    }

    #[inline(always)]
    fn clearance(&self, at: [f32; 3]) -> f32 {
        self.rock.distance(at).0
    }

    fn holds(&self, at: [f64; 3]) -> bool {
        self.rock.is_rock(at.map(|v| v as f32))
    }

    #[inline(always)]
    fn nearest(&self, at: [f32; 3]) -> (f32, [f32; 3]) {
        self.rock.distance(at)
    }

    #[inline(always)]
    fn lift(&self, at: &mut [f32; 3]) {
        self.rock.lift(at);
    }

    #[inline(always)]
    fn collide(&self, from: [f32; 3], particle: &mut Particle, restitution: f32, dt: f32) -> bool {
        self.rock.collide(from, particle, restitution, dt)
    }

    #[inline(always)]
    fn is_clear(&self, from: [f32; 3], to: [f32; 3]) -> bool {
        let corner = |choose: fn(f32, f32) -> f32| std::array::from_fn(|axis| choose(from[axis], to[axis]));
        self.are_clear(corner(f32::min), corner(f32::max))
    }

    #[inline(always)]
    fn are_clear(&self, low: [f32; 3], high: [f32; 3]) -> bool {
        let [low, high] = [low, high].map(|at| self.rock.in_voxels(at.map(f64::from)));
        self.bricks.are_clear(low, high)
    }

    #[inline(always)]
    fn is_lost(&self, at: [f32; 3]) -> bool {
        f64::from(at[2]) < self.rock.volume().bottom()
    }

    fn update_boundary(&mut self, fluid: &mut Fluid, reach: f64) -> Result<usize, FluidError> {
        self.tiles.claim(&self.rock, fluid, reach);
        self.walls.claim(fluid, reach)?;
        let [rock, walls] = [self.tiles.mark_stale(&self.rock), self.walls.mark_stale()];
        if rock || walls {
            self.tiles.clear_stale(fluid, |tag| self.walls.is_stale(tag));
        }
        let changed = self.tiles.fill(&self.rock, fluid)?;
        if changed > 0 {
            self.flow.find_feet(self.tiles.feet());
        }
        // The part of a wall that is deep in the rock would be of no use.
        let extent = self.extent.map(|range| range.map(f64::from));
        let useful = |at: [f64; 3]| {
            let [x, y] = [0, 1].map(|axis: usize| at[axis].clamp(extent[axis][0], extent[axis][1]));
            at[2] > self.rock.volume().bottom()
                && self.rock.share_at(self.rock.in_voxels([x, y, at[2]])) < BURIED
        };
        Ok(changed + self.walls.fill(fluid, self.tiles.room, useful)?)
    }

    fn check_start(&mut self, fluid: &Fluid, reach: f64) -> Result<(), FluidError> {
        self.tiles.claim(&self.rock, fluid, reach);
        self.walls.claim(fluid, reach)?;
        self.tiles.check_start(&self.rock, fluid)
    }

    fn room(&self) -> usize {
        self.tiles.room
    }

    fn set_room(&mut self, room: usize) {
        self.tiles.room = room;
    }

    fn patches(&self) -> usize {
        self.tiles.count()
    }

    fn walls(&self) -> &Walls {
        &self.walls
    }

    fn measure(&mut self, fluid: &Fluid) {
        self.flow.measure(fluid);
    }

    fn slow(&self, fluid: &mut Fluid, dt: f64) {
        self.flow.slow(fluid, dt);
    }

    fn change(&mut self, params: &Params, setting: &Setting) {
        self.strata = setting.strata.clone();
        self.hard_columns.clone_from(&setting.hardness);
        self.flow.set_params(params);
        self.flow.find_feet(self.tiles.feet());
    }

    #[inline(always)]
    fn hardness(&self, spot: Spot) -> f32 {
        let at = self.surface_of(spot).map(f64::from);
        let bed = self.strata.as_ref().map_or(0.0, |strata| strata.hardness(at) as f32);
        let place = self.rock.in_voxels(at);
        let column = self.hard_columns.as_ref().map_or(0.0, |map| column_of(map, place));
        // What all of them leave soft.
        1.0 - (1.0 - bed) * (1.0 - column) * (1.0 - self.hardened.at(place))
    }

    #[inline(always)]
    fn normal(&self, spot: Spot) -> [f32; 3] {
        self.rock.distance(spot.at).1
    }

    #[inline(always)]
    fn area(&self, spot: Spot) -> f32 {
        spot.share * self.spacing * self.spacing
    }

    #[inline(always)]
    fn stress(&self, spot: Spot) -> f32 {
        let out = self.normal(spot);
        // Half a cell above the surface: of the cells that it passes through, some have no water.
        let up = self.depth + 0.5 * self.flow.side();
        let above = std::array::from_fn(|axis| spot.at[axis] + up * out[axis]);
        self.flow.at(above).map_or(0.0, |(_, flow)| flow.stress(out))
    }

    #[inline(always)]
    fn eddies(&self, at: [f32; 3]) -> Eddies {
        let eddies = |(above, normal, flow): (f32, [f32; 3], &crate::law_of_wall::Flow)| Eddies {
            stress: flow.stress(normal),
            above,
            depth: flow.depth,
        };
        self.flow.above(at).map_or(Eddies { stress: 0.0, above: 0.0, depth: 0.0 }, eddies)
    }

    fn gain(&mut self, spot: Spot, grains: f64) {
        let at = self.rock.in_voxels(self.surface_of(spot).map(f64::from));
        self.worn.due.push(Due { at, out: self.normal(spot), rock: grains });
    }

    fn reshape(&mut self, fluid: &mut Fluid, params: &Params, dt: f64) {
        self.settle(fluid, &params.erosion, dt);
    }

    fn fill_pool(
        &self,
        (key, pool): (&str, &Pool),
        columns: &Columns,
        put: &mut dyn FnMut([f64; 3], f64) -> Result<(), Invalid>,
    ) -> Result<(), Invalid> {
        let filled = Wet::new(&self.rock, pool, self.extent).fill(columns, put)?;
        let remedy = "there is rock everywhere in it, or no way for water from its level down; water stands in the open, \
                      or with a bottom also where nothing leads to";
        require(filled > 0, key, "in rock", remedy)
    }

    fn check_mouth(&self, key: &str, at: [f64; 3]) -> Result<(), Invalid> {
        let remedy = "its middle is in the rock; water comes out in the open";
        require(!self.holds(at), key, format!("{at:.3?} m"), remedy)
    }

    fn pool_volume(&self, setting: &Setting) -> f64 {
        pool::volume(&self.rock, setting, self.extent)
    }

    fn heights_within(&self, _: [[f64; 2]; 2]) -> [f64; 2] {
        let (volume, [.., up]) = (self.rock.volume(), self.rock.size());
        [volume.bottom(), volume.bottom() + up as f64 * volume.voxel()]
    }

    fn bytes(&self) -> u64 {
        // Blocks of the surface: the shares, those to all digits, and the slots of cells around it.
        self.rock.volume().bytes() as u64 * 4 + self.rock.blocks() as u64 * 32 + self.tables
    }

    fn solid(&self) -> [f64; 2] {
        let [start, gained] = self.rock.books();
        [start, gained + self.worn.owed * self.rock.voxel().powi(3)]
    }

    fn height_map(&self) -> Heightfield {
        self.rock.volume().heightfield()
    }

    fn change_map(&self) -> Grid2<f64> {
        let ([cols, rows], now) = (self.size(), columns(self.rock.volume()));
        let voxel = self.rock.voxel();
        Grid2::from_fn(cols, rows, |col, row| {
            let column = (rows - 1 - row) * cols + col;
            (now[column] - self.start[column]) * voxel
        })
    }

    fn save(&self) -> (Vec<f64>, Vec<f32>, &[bool]) {
        let mut doubles = self.worn.save();
        doubles.extend(self.rock.save());
        doubles.extend(self.hardened.save(self.rock.blocks(), self.rock.layout()));
        (doubles, self.tiles.save(), self.tiles.filled())
    }

    fn fits(&self, doubles: usize, floats: usize) -> bool {
        let own = Worn::numbers(self.rock.blocks());
        doubles >= own
            && (doubles - own).is_multiple_of(rock::BLOCK + 1)
            && floats.is_multiple_of((self.tiles.side() + 1).pow(3))
    }

    fn restore(&mut self, saved: &SavedGround) -> Result<(), String> {
        thalweg_field::range::all_within("share of rock below a particle,", saved.floats, &(0.0..=1.0))?;
        let (worn, blocks) = saved.doubles.split_at(Worn::numbers(self.rock.blocks()));
        self.worn = Worn::restored(worn)?;
        // Blocks of rock come first; what was hardened counts on from them.
        let is_rock = |block: &&[f64]| block[0] < 2.0 * self.rock.blocks() as f64;
        let of_rock = blocks.chunks_exact(rock::BLOCK + 1).take_while(is_rock).count();
        let (blocks, hard) = blocks.split_at(of_rock * (rock::BLOCK + 1));
        self.rock.restore(blocks)?;
        self.hardened = Hardened::restored(hard, self.rock.volume(), self.rock.layout())?;
        if !self.tiles.restore(saved.filled, saved.floats, &self.rock) {
            return Err("its particles do not fit the scene".into());
        }
        self.walls.restore(saved.walls);
        self.bricks = Bricks::new(&self.rock);
        self.flow.find_feet(self.tiles.feet());
        Ok(())
    }
}
