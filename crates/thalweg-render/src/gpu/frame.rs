//! What every shader that draws the world knows: `shaders/frame.wgsl` in Rust.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec3, Vec4};

use super::ground_mesh::{FOLDS, strata_data};
use super::sea_maps::SQUARES;
use super::world::World;
use crate::light::linear;
use crate::sky::Sky;
use crate::{Lens, Light, Look, Scale, View};

pub(super) const PHONG: u32 = 1;
pub(super) const SHADOWS: u32 = 2;
pub(super) const SKY: u32 = 4;
pub(super) const GRID: u32 = 8;
pub(super) const WIREFRAME: u32 = 16;
pub(super) const WATER: u32 = 32;
pub(super) const CAUSTICS: u32 = 64;
pub(super) const OCCLUSION: u32 = 128;
pub(super) const COLOURED: u32 = 256;
pub(super) const LAND: u32 = 512;
pub(super) const LADEN: u32 = 1024;
pub(super) const ROOFED: u32 = 2048;
pub(super) const SEA: u32 = 4096;
pub(super) const SHEET: u32 = 8192;

/// See `shaders/frame.wgsl` for what each holds.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(super) struct FrameData {
    clip_from_world: Mat4,
    shadow_from_world: Mat4,
    eye: Vec4,
    forward: Vec4,
    right: Vec4,
    up: Vec4,
    viewport: Vec4,
    sun: Vec4,
    sun_light: Vec4,
    ambient: [Vec4; 4],
    grid: Vec4,
    heights: Vec4,
    lod: Vec4,
    palette: [Vec4; 8],
    water: Vec4,
    ripples: Vec4,
    overlay: Vec4,
    flags: [u32; 4],
    particles: Vec4,
    depths: Vec4,
    caustics: Vec4,
    extent: Vec4,
    ball: Vec4,
    cut: Vec4,
    strata: Vec4,
    folds: [Vec4; FOLDS],
    sea: Vec4,
    sea_grid: Vec4,
    sea_squares: [Vec4; SQUARES],
    bodies_low: Vec4,
    bodies_high: Vec4,
}

/// Direction to the sun.
pub(super) fn to_sun(look: &Look) -> Vec3 {
    let (azimuth, elevation) = (look.relief.sun_azimuth, look.relief.sun_elevation);
    Vec3::new(azimuth.sin() * elevation.cos(), azimuth.cos() * elevation.cos(), elevation.sin())
}

/// How much brighter than a meter would say the picture is: matt ground is darker than white.
const EXPOSURE: f32 = 1.25;

impl FrameData {
    /// Everything that the shaders read, each number on a line of its own; long, and nothing but a list.
    pub(super) fn new(
        world: &World,
        look: &Look,
        view: &View,
        sky: &Sky,
        shadow: &super::shadow::Shadow,
        size: [u32; 2],
    ) -> Self {
        let style = &look.relief;
        let sun = to_sun(look);
        let lens = |axis: Vec3, half: f32| (axis * half).extend(0.0);
        let (half, perspective) = match view.lens {
            Lens::Perspective(half) => (half, 1.0),
            Lens::Parallel(half) => (half, 0.0),
        };
        let [width, height] = size.map(|n| n as f32);
        let [low, high] = style.height_range.unwrap_or(world.extent.heights);
        // On nearly flat ground metres would paint stripes: there the range is at least a share of the width.
        let span = (high - low).max(0.02 * world.extent.width());
        let palette = &style.palette;
        let colours = [
            palette.valley,
            palette.slope,
            palette.upland,
            palette.summit,
            palette.rock,
            palette.snow,
            palette.deposit,
            palette.water_deep,
        ];
        let nearest = (view.eye - world.extent.centre(style.vertical_exaggeration)).length()
            - 0.5 * world.extent.width();
        let [west_south, east_north] = world.extent.ends();
        // A ball around all meshes of water.
        let [low_water, high_water] =
            world.extent.waters(style.vertical_exaggeration).unwrap_or([Vec3::ZERO; 2]);
        let fineness = world.fineness(look, view, size[1]);
        // From the table's axes (x towards the sun) to the world's.
        let along = sun.truncate().normalize_or(glam::Vec2::Y);
        let ambient = sky.ambient.map(|light| light * EXPOSURE);
        let overlay = world.overlay.as_ref();
        let [first, last] = overlay.map_or([0.0, 1.0], |overlay| overlay.spread.range());
        let by_magnitude = overlay.is_some_and(|overlay| overlay.spread.scale() == Scale::Log);
        let opacity =
            look.overlay.as_ref().filter(|_| overlay.is_some()).map_or(0.0, |overlay| overlay.opacity);
        let relief = look.overlay.as_ref().map_or(0.0, |overlay| overlay.style.relief);
        let (sea, sea_grid, sea_squares) = sea_data(world);
        let bodies = world.extent.bodies(style.vertical_exaggeration);
        let [bodies_low, bodies_high] = bodies.unwrap_or([Vec3::ZERO; 2]);
        let (strata, folds) = strata_data(world.earth.as_ref().and_then(|earth| earth.strata.as_ref()));
        Self {
            clip_from_world: view.clip_from_world(),
            shadow_from_world: shadow.clip_from_world,
            eye: view.eye.extend(perspective),
            forward: view.forward.extend(look.time),
            right: lens(view.right, half * view.aspect),
            up: lens(view.up, half),
            viewport: Vec4::new(width, height, 1.0 / width, 1.0 / height),
            sun: sun.extend(style.sun_radius.cos()),
            sun_light: (sky.sun * EXPOSURE).extend(look.haze / world.extent.clear_way()),
            ambient: [
                ambient[0],
                ambient[1] * along.x - ambient[2] * along.y,
                ambient[1] * along.y + ambient[2] * along.x,
                ambient[3],
            ]
            .map(|light| light.extend(0.0)),
            grid: Vec4::new(
                world.size[0] as f32,
                world.size[1] as f32,
                world.cell,
                style.vertical_exaggeration,
            ),
            heights: Vec4::new(
                low,
                span,
                world.extent.base(style.vertical_exaggeration),
                if world.extent.has_ground {
                    world.extent.heights[1] * style.vertical_exaggeration
                } else {
                    -1.0e30
                },
            ),
            lod: Vec4::new(fineness.range, fineness.level, nearest.max(0.0), 0.0),
            palette: colours.map(|colour| linear(colour).extend(1.0)),
            water: Vec4::new(
                style.snow_level([low, high], span),
                style.water_min_depth,
                3.0 / style.water_deep,
                look.water.foam,
            ),
            ripples: Vec4::new(look.water.ripples, world.ripple_tile(), shadow.texel, EXPOSURE),
            overlay: Vec4::new(first, last, opacity, f32::from(by_magnitude)),
            flags: [flags(look, world), look.supersampling, 0, 0],
            particles: world.cloud.as_ref().map_or(Vec4::ZERO, |cloud| {
                let [first, last] = cloud.spread.map_or([0.0, 1.0], |spread| spread.range());
                let by_magnitude = cloud.spread.is_some_and(|spread| spread.scale() == Scale::Log);
                Vec4::new(first, last, f32::from(by_magnitude), cloud.radius)
            }),
            depths: Vec4::new(view.near, view.far, look.water.muddy, relief),
            caustics: Vec4::new(super::caustics::SIDE as f32, look.water.shutter, 0.0, 0.0),
            extent: Vec4::new(west_south.x, west_south.y, east_north.x, east_north.y),
            cut: cut_data(look, world),
            strata,
            folds,
            sea,
            sea_grid,
            sea_squares,
            bodies_low: bodies_low.extend(0.0),
            bodies_high: bodies_high.extend(f32::from(bodies.is_some())),
            ball: ((low_water + high_water) * 0.5).extend(0.5 * (high_water - low_water).length()),
        }
    }
}

/// The plane that a mesh of ground is sawn through at.
fn cut_data(look: &Look, world: &World) -> Vec4 {
    let cut = look.cut.filter(|_| world.earth.is_some()).map(|cut| cut.plane());
    cut.map_or(Vec4::ZERO, |([east, north], offset)| Vec4::new(east, north, offset, 1.0))
}

/// The sea: its numbers, those of the grid's waves, its squares.
fn sea_data(world: &World) -> (Vec4, Vec4, [Vec4; SQUARES]) {
    let Some(maps) = &world.sea else { return (Vec4::ZERO, Vec4::ZERO, [Vec4::ZERO; SQUARES]) };
    let mut squares = [Vec4::ONE; SQUARES];
    for (square, known) in squares.iter_mut().zip(&maps.squares) {
        *square = Vec4::from_array(*known);
    }
    let sea = Vec4::new(maps.level, maps.depth, maps.squares.len() as f32, maps.wrinkles(world.cell));
    let rooms = f32::from(!world.rooms.is_empty());
    (sea, Vec4::new(f32::from(maps.on_grid), maps.fade, rooms, 0.0), squares)
}

/// Whether waves focus light to be seen: on coarse cells none is short enough for its water's depth.
pub(super) fn focuses(look: &Look, world: &World) -> bool {
    /// Side of the largest cell whose waves may `[m]`.
    const FINE: f32 = 1.0;
    let water = world.has_water || (world.sea.is_some() && world.has_heights());
    look.water.caustics && look.water.visible && water && world.cell <= FINE
}

fn flags(look: &Look, world: &World) -> u32 {
    [
        (PHONG, look.light == Light::Phong),
        (SHADOWS, look.shadows && look.light == Light::Physical),
        (SKY, look.sky),
        (GRID, look.grid),
        (WIREFRAME, look.wireframe),
        (WATER, look.water.visible && world.has_water),
        (CAUSTICS, focuses(look, world)),
        (OCCLUSION, look.ambient_occlusion && look.light == Light::Physical),
        (COLOURED, look.particles.colour.is_some() && world.particle_scale().is_some()),
        (LAND, world.extent.has_ground),
        (ROOFED, world.extent.earth.is_some()),
        (SEA, world.sea.is_some()),
        (SHEET, world.sea.as_ref().is_some_and(|maps| maps.sheet)),
        (LADEN, world.cloud.as_ref().is_some_and(|cloud| cloud.laden)),
    ]
    .iter()
    .map(|(flag, on)| flag * u32::from(*on))
    .sum()
}
