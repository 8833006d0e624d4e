//! What is known of water with waves of its own, on the device: the open sea, or a sheet of water on the grid.

use std::borrow::Cow;

use half::f16;
use thalweg_field::{Grid2, Sea, SeaPatch, Snapshot};
use thalweg_gpu::Gpu;
use wgpu::TextureFormat;

use super::needs;
use super::texture::{Texture, levels_of};
use crate::Look;

/// Squares of waves that shaders add up at most; `frame.wgsl` says the same.
pub(super) const SQUARES: usize = 6;

/// Waves as shaders read them; see `shaders/sea_waves.wgsl`.
pub(super) struct SeaMaps {
    /// Whether it is a sheet of water on the grid, and not the open sea.
    pub sheet: bool,
    /// Height of the water at rest `[m]`.
    pub level: f32,
    /// Depth of the sea outside the grid `[m]`.
    pub depth: f32,
    /// Side, south-west corner and texel of each square `[m]`.
    pub squares: Vec<[f32; 4]>,
    /// Whether the grid has waves.
    pub on_grid: bool,
    /// Over which way they fade out at its edge `[m]`.
    pub fade: f32,
    /// Lowest and highest place that water may have, and how far it may move to a side `[m]`.
    pub heights: [f32; 2],
    pub aside: f32,
    pub waves: wgpu::TextureView,
    pub slopes: wgpu::TextureView,
    pub grid: wgpu::TextureView,
    pub sheet_heights: Texture,
}

/// Whether a snapshot's water is drawn with waves of its own. Water of a depth field alone is drawn as part of the ground.
pub(super) fn has_waves(snapshot: &Snapshot, look: &Look) -> bool {
    /// Fields that tell of waves.
    const MARKS: [&str; 3] = ["displacement_east", "displacement_north", "foam"];
    let on_lake = || {
        let told = !snapshot.bodies.is_empty() || MARKS.iter().any(|name| snapshot.field(name).is_some());
        told && snapshot.field("height").is_some()
            && snapshot.field("water").is_some()
            && look.overlay.is_none()
    };
    look.water.visible && (snapshot.sea.is_some() || on_lake())
}

impl SeaMaps {
    /// Those of a snapshot whose ground has that height, holes filled.
    pub(super) fn new(gpu: &Gpu, snapshot: &Snapshot, height: &Grid2<f32>, look: &Look) -> Option<Self> {
        if !has_waves(snapshot, look) {
            return None;
        }
        let cell = snapshot.frame.cell as f32;
        let sheet = snapshot.sea.is_none();
        let still = Sea::default();
        let sea = snapshot.sea.as_deref().unwrap_or(&still);
        let patches: Vec<&SeaPatch> =
            sea.patches.iter().filter(|patch| patch.is_whole()).take(SQUARES).collect();
        let side = patches.iter().map(|patch| patch.height.cols()).max().unwrap_or(1);
        let made: Vec<_> = patches.iter().map(|patch| square(patch, side)).collect();
        let [waves, slopes]: [Vec<_>; 2] =
            [0, 1].map(|kind| made.iter().map(|made| made[kind].clone()).collect());

        let water = snapshot.field("water").filter(|water| sheet && water.same_shape(height));
        let surface = water.map(|water| shored(height, water, look.relief.water_min_depth));
        let on_grid = snapshot.field("height").is_some() || snapshot.field("waves").is_some();
        let fade = cell * if sheet { 2.0 } else { (0.04 * height.cols().min(height.rows()) as f32).max(4.0) };
        let grid = grid_layers(snapshot, height, surface.as_ref());

        let range = |grids: &[&Grid2<f32>]| {
            grids.iter().filter_map(|grid| grid.range()).map(|(low, high)| high.max(-low)).fold(0.0, f32::max)
        };
        let all = |pick: fn(&SeaPatch) -> Vec<&Grid2<f32>>| {
            patches.iter().map(|patch| range(&pick(patch))).sum::<f32>()
        };
        let field = |name: &str| snapshot.field(name).map_or(0.0, |grid| range(&[grid]));
        let rise = all(|patch| vec![&patch.height]) + if sheet { 0.0 } else { field("waves") };
        let aside = all(|patch| vec![&patch.east, &patch.north])
            + field("displacement_east").max(field("displacement_north"));
        let levels = surface.as_ref().and_then(|[heights, _]| heights.range());
        let (low, high) = levels.unwrap_or((sea.level, sea.level));
        let flat = Grid2::filled(1, 1, 0.0);
        Some(Self {
            sheet,
            level: if sheet { high } else { sea.level },
            depth: sea.depth.max(0.0),
            squares: patches
                .iter()
                .map(|patch| [patch.side, patch.corner[0], patch.corner[1], patch.side / side as f32])
                .collect(),
            on_grid,
            fade,
            heights: [low - rise, high + rise],
            aside,
            waves: layers(gpu, "waves", &waves),
            slopes: layers(gpu, "slopes of waves", &slopes),
            grid: layers(gpu, "waves of the grid", &grid),
            sheet_heights: Texture::of_grid(
                gpu,
                "sheet",
                surface.as_ref().map_or(&flat, |[heights, _]| heights),
            ),
        })
    }

    /// Side of a tile of wrinkles finer than what is known of the waves `[m]`.
    pub(super) fn wrinkles(&self, cell: f32) -> f32 {
        /// Texels of the finest waves along a tile, and the least and largest side `[m]`.
        const TEXELS: f32 = 14.0;
        const SIDES: [f32; 2] = [0.8, 9.0];
        let finest = self.squares.iter().map(|square| square[3]).fold(f32::INFINITY, f32::min);
        let finest = if finest.is_finite() { finest } else { cell };
        (TEXELS * finest).clamp(SIDES[0], SIDES[1])
    }
}

/// A square of waves with so many texels along its side: how far water has moved and its foam; its slopes and their squares.
fn square(patch: &SeaPatch, side: usize) -> [Grid2<[f32; 4]>; 2] {
    let fine = |grid: &Grid2<f32>| {
        if grid.is_empty() { Grid2::filled(side, side, 0.0) } else { repeated(grid, side) }
    };
    let [height, east, north] = [&patch.height, &patch.east, &patch.north].map(fine);
    let texel = patch.side / side as f32;
    let rises = |grid: &Grid2<f32>, col: usize, row: usize| {
        let at = |c: usize, r: usize| grid.at(c % side, r % side);
        // Rows run to the south.
        let [x, y] = [at(col + 1, row) - at(col + side - 1, row), at(col, row + side - 1) - at(col, row + 1)];
        [x, y].map(|rise| rise / (2.0 * texel))
    };
    let foam = (!patch.foam.is_empty()).then(|| fine(&patch.foam));
    let waves = Grid2::from_fn(side, side, |col, row| {
        let white = match &foam {
            Some(foam) => foam.at(col, row).clamp(0.0, 1.0),
            None => folded(rises(&east, col, row), rises(&north, col, row)),
        };
        [east.at(col, row), north.at(col, row), height.at(col, row), white].map(finite)
    });
    let slopes = Grid2::from_fn(side, side, |col, row| {
        let [x, y] = choppy(rises(&height, col, row), rises(&east, col, row)[0], rises(&north, col, row)[1]);
        [x, y, x * x, y * y].map(finite)
    });
    [waves, slopes]
}

/// Slope of a surface that was also moved aside, to the first order.
fn choppy([x, y]: [f32; 2], stretch_east: f32, stretch_north: f32) -> [f32; 2] {
    /// Crests that fold stay steep, not more `[-]`.
    const LEAST: f32 = 0.35;
    [x / (1.0 + stretch_east).max(LEAST), y / (1.0 + stretch_north).max(LEAST)]
}

/// Foam where a surface folds: where the area of what was level at rest has shrunk (Tessendorf 2001, section 4.7).
fn folded(east: [f32; 2], north: [f32; 2]) -> f32 {
    /// Area left where foam begins, and where there is nothing else `[-]`.
    const AREAS: [f32; 2] = [0.6, 0.1];
    let area = (1.0 + east[0]) * (1.0 + north[1]) - east[1] * north[0];
    crate::light::smoothstep(AREAS[0], AREAS[1], area)
}

/// A grid that repeats, with so many cells along its side.
fn repeated(grid: &Grid2<f32>, side: usize) -> Grid2<f32> {
    let cells = grid.cols();
    if cells == side {
        return grid.clone();
    }
    Grid2::from_fn(side, side, |col, row| {
        let place = |i: usize| (i as f32 + 0.5) * cells as f32 / side as f32 - 0.5 + cells as f32;
        let (x, y) = (place(col), place(row));
        let at = |c: usize, r: usize| grid.at((x as usize + c) % cells, (y as usize + r) % cells);
        let (part_x, part_y) = (x.fract(), y.fract());
        let mix = |a: f32, b: f32, part: f32| a + (b - a) * part;
        mix(mix(at(0, 0), at(1, 0), part_x), mix(at(0, 1), at(1, 1), part_x), part_y)
    })
}

/// The waves of the grid.
fn grid_layers(
    snapshot: &Snapshot,
    height: &Grid2<f32>,
    surface: Option<&[Grid2<f32>; 2]>,
) -> [Grid2<[f32; 4]>; 2] {
    let (cols, rows, cell) = (height.cols(), height.rows(), snapshot.frame.cell as f32);
    let field = |name: &str| snapshot.field(name).filter(|values| values.same_shape(height));
    let [east, north, foam, waves, share] =
        ["displacement_east", "displacement_north", "foam", "waves", "sea_share"].map(field);
    let value = |grid: Option<&Grid2<f32>>, col, row| grid.map_or(0.0, |grid| finite(grid.at(col, row)));
    // A sheet has the height of its water already.
    let raised = waves.filter(|_| surface.is_none());
    let top = raised.or(surface.map(|[heights, _]| heights));
    let rises = |grid: Option<&Grid2<f32>>, col: usize, row: usize| {
        grid.map_or([0.0; 2], |grid| {
            let at = |c: isize, r: isize| finite(grid.at_clamped(col as isize + c, row as isize + r));
            [at(1, 0) - at(-1, 0), at(0, -1) - at(0, 1)].map(|rise| rise / (2.0 * cell))
        })
    };
    let moved = Grid2::from_fn(cols, rows, |col, row| {
        let white = value(foam, col, row).clamp(0.0, 1.0);
        [value(east, col, row), value(north, col, row), value(raised, col, row), white]
    });
    let slopes = Grid2::from_fn(cols, rows, |col, row| {
        let [x, y] = choppy(rises(top, col, row), rises(east, col, row)[0], rises(north, col, row)[1]);
        let share = share.map_or(1.0, |share| finite(share.at(col, row)).clamp(0.0, 1.0));
        [x, y, share, surface.map_or(1.0, |[_, wet]| wet.at(col, row))]
    });
    [moved, slopes]
}

/// Height of a sheet of water, which goes on below the shore for a little, and where it is (1).
fn shored(height: &Grid2<f32>, water: &Grid2<f32>, least: f32) -> [Grid2<f32>; 2] {
    /// How far it goes on `[cells]`, and how far below ground that slopes away from it `[m]`.
    const SHORE: usize = 2;
    const BELOW: f32 = 0.05;
    let (cols, rows) = (height.cols(), height.rows());
    let mut surface =
        Grid2::from_fn(cols, rows, |col, row| height.at(col, row) + finite(water.at(col, row)).max(0.0));
    let mut wet = water.map(|depth| f32::from(depth >= 0.25 * least));
    for _ in 0..SHORE {
        let (before, levels) = (wet.clone(), surface.clone());
        for row in 0..rows {
            for col in 0..cols {
                if before.at(col, row) > 0.5 {
                    continue;
                }
                let (mut sum, mut count) = (0.0, 0.0);
                for (c, r) in (-1..=1).flat_map(|c| (-1..=1).map(move |r| (c, r))) {
                    let (c, r) = (col as isize + c, row as isize + r);
                    let inside = c >= 0 && r >= 0 && c < cols as isize && r < rows as isize;
                    if inside && before.at(c as usize, r as usize) > 0.5 {
                        sum += levels.at(c as usize, r as usize);
                        count += 1.0;
                    }
                }
                if count > 0.0 {
                    let level: f32 = sum / count;
                    let ground = height.at(col, row);
                    surface.row_mut(row)[col] = if ground > level { level } else { ground - BELOW };
                    wet.row_mut(row)[col] = 1.0;
                }
            }
        }
    }
    [surface, wet]
}

fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

/// Grids of one shape as the layers of a texture with all its coarser levels; one of nothing if there are none.
fn layers(gpu: &Gpu, label: &str, grids: &[Grid2<[f32; 4]>]) -> wgpu::TextureView {
    let nothing = [Grid2::filled(1, 1, [0.0; 4])];
    let grids = if grids.is_empty() { &nothing[..] } else { grids };
    let size = [grids[0].cols() as u32, grids[0].rows() as u32];
    let levels = levels_of(size);
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: grids.len() as u32 },
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: TextureFormat::Rgba16Float,
        usage: needs::uses(TextureFormat::Rgba16Float),
        view_formats: &[],
    });
    for (grid, layer) in grids.iter().zip(0..) {
        let mut grid = Cow::Borrowed(grid);
        for level in 0..levels {
            if level > 0 {
                grid = Cow::Owned(halved(&grid));
            }
            write(gpu, &texture, layer, level, &grid);
        }
    }
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::D2Array),
        ..Default::default()
    })
}

fn write(gpu: &Gpu, texture: &wgpu::Texture, layer: u32, mip_level: u32, grid: &Grid2<[f32; 4]>) {
    let texels: Vec<[f16; 4]> = grid.values().iter().map(|texel| texel.map(f16::from_f32)).collect();
    let [width, height] = [grid.cols() as u32, grid.rows() as u32];
    gpu.queue.write_texture(
        wgpu::TexelCopyTextureInfo {
            texture,
            mip_level,
            origin: wgpu::Origin3d { x: 0, y: 0, z: layer },
            aspect: wgpu::TextureAspect::All,
        },
        bytemuck::cast_slice(&texels),
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(8 * width), rows_per_image: None },
        wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
    );
}

/// The next coarser level.
fn halved(fine: &Grid2<[f32; 4]>) -> Grid2<[f32; 4]> {
    let half = |n: usize| (n / 2).max(1);
    Grid2::from_fn(half(fine.cols()), half(fine.rows()), |col, row| {
        let at = |c: usize, r: usize| fine.at_clamped((2 * col + c) as isize, (2 * row + r) as isize);
        let [a, b, c, d] = [at(0, 0), at(1, 0), at(0, 1), at(1, 1)];
        std::array::from_fn(|i| 0.25 * (a[i] + b[i] + c[i] + d[i]))
    })
}
