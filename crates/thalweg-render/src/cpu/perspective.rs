//! Everything in perspective: the ground as a block, by one ray per sample, and what stands or flows over it.

use std::sync::atomic::AtomicBool;

use glam::{Vec2, Vec3};
use thalweg_field::{GroundMesh, Snapshot, band, random::Key};

use super::coverage::{Aim, Coverage, Pattern, ROWS, Seen};
use super::draped::Draped;
use super::heightfield_ray::RayField;
use super::lit_ground::{Lamps, LitGround, sample};
use super::open_sea::{Lit, OpenSea};
use super::rock::Rock;
use super::shade::Shade;
use super::things::{Thing, Things};
use crate::light::{linear, smoothstep, srgb, tone};
use crate::scene::is_set;
use crate::{Camera, Extent, Look, Picture, ReliefStyle, Scene, View};

/// Sky at the horizon and overhead.
const HORIZON: Vec3 = Vec3::new(0.70, 0.79, 0.88);
const ZENITH: Vec3 = Vec3::new(0.20, 0.38, 0.68);
/// The table that everything stands on.
const TABLE: Vec3 = Vec3::new(0.50, 0.56, 0.62);
/// Samples of a pixel, on a rotated grid: no two share a row or column, which smooths near-level and
/// near-upright edges best. They are a square lattice of side √5 / 4.
const SAMPLES: Pattern =
    Pattern { places: &[[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]], reach: 0.4 };

/// Draws a scene in perspective as a block cut out of the earth, `size` pixels wide and high.
///
/// The ground carries the same colours, shadows and skylight as in [`relief`](crate::relief); water
/// mirrors the sky, distance fades into haze.
///
/// # Panics
/// If the scene's grids differ in shape.
pub fn perspective(scene: &Scene, style: &ReliefStyle, camera: &Camera, size: [usize; 2]) -> Picture {
    let [width, height] = size;
    if scene.bed_height.is_empty() || width == 0 || height == 0 {
        return Picture::filled(width, height, [0; 3]);
    }
    let extent = Extent::of_ground(Some(scene));
    let view = extent.view(camera, style.vertical_exaggeration, width as f32 / height as f32);
    let look = Look { relief: style.clone(), ..Look::default() };
    let things = Things::default();
    let ground = Some(*scene);
    Stage { ground, earth: None, overlay: None, things, look: &look, extent, sea: None, stop: scene.stop }
        .picture(&view, size)
}

/// Draws all of a snapshot with the processor, `size` pixels wide and high: its ground as a block with the look's
/// overlay, its particles as spheres, whatever their shape in the look, and its meshes. Once `stop` is set it ends
/// soon, and what it returns is of no use.
pub fn sketch(
    snapshot: &Snapshot,
    look: &Look,
    camera: &Camera,
    size: [usize; 2],
    stop: Option<&AtomicBool>,
) -> Picture {
    let [width, height] = size;
    if width == 0 || height == 0 {
        return Picture::filled(width, height, [0; 3]);
    }
    let extent = Extent::of(snapshot);
    let view = extent.view(camera, look.relief.vertical_exaggeration, width as f32 / height as f32);
    let earth = snapshot.ground.as_deref();
    let ground = Scene::snapshot(snapshot).filter(|ground| !ground.bed_height.is_empty() && earth.is_none());
    let ground = ground.map(|ground| Scene {
        // The open sea is drawn apart.
        water_depth: ground.water_depth.filter(|_| look.water.visible && snapshot.sea.is_none()),
        stop,
        ..ground
    });
    let things = Things::of(snapshot, look, extent.radius());
    let overlay = Draped::of(snapshot, look);
    let sea = OpenSea::of(snapshot, look);
    Stage { ground, earth, overlay, things, look, extent, sea, stop }.picture(&view, size)
}

/// What is to be drawn, and how.
struct Stage<'a> {
    ground: Option<Scene<'a>>,
    /// Ground that is a mesh; it is among the things too.
    earth: Option<&'a GroundMesh>,
    overlay: Option<Draped<'a>>,
    things: Things<'a>,
    look: &'a Look,
    extent: Extent,
    sea: Option<OpenSea<'a>>,
    stop: Option<&'a AtomicBool>,
}

impl Stage<'_> {
    fn picture(&self, view: &View, size: [usize; 2]) -> Picture {
        /// Cells along the block from which on a picture gains nothing from a smoother surface.
        const FINE: usize = 1024;
        let [width, height] = size;
        let mut picture = Picture::filled(width, height, [0; 3]);
        let style = &self.look.relief;
        let lit = self.ground.as_ref().map(|scene| LitGround::new(scene, style, width.max(height).min(FINE)));
        if matches!(lit, Some(None)) || is_set(self.stop) {
            return picture;
        }
        let lit = lit.flatten();
        let scenery = Scenery::new(self, lit.as_ref(), view, size);
        band::for_each_chunk(&mut picture.rgb, ROWS * width * 3, |group, bytes| {
            let seen = scenery.coverage.of_rows(group);
            for (row, bytes) in bytes.chunks_exact_mut(width * 3).enumerate() {
                if is_set(self.stop) {
                    return;
                }
                for (col, pixel) in bytes.chunks_exact_mut(3).enumerate() {
                    let first = (row * width + col) * SAMPLES.places.len();
                    let seen = |sample: usize| seen.get(first + sample).copied().flatten();
                    let row = group * ROWS + row;
                    let light: Vec3 = SAMPLES
                        .places
                        .iter()
                        .enumerate()
                        .map(|(i, [x, y])| tone(scenery.light([col as f32 + x, row as f32 + y], seen(i))))
                        .sum();
                    // Half a step of noise hides the steps of 8 bits in the sky.
                    let dither = Key::new(0).with((row * width + col) as u64).unit() as f32 - 0.5;
                    pixel.copy_from_slice(&srgb(light / SAMPLES.places.len() as f32, dither));
                }
            }
        });
        picture
    }
}

/// Everything that a ray may meet, in its light.
struct Scenery<'a> {
    view: &'a View,
    size: [f32; 2],
    aim: Aim,
    things: &'a Things<'a>,
    coverage: Coverage<'a>,
    block: Option<Block<'a>>,
    rock: Option<Rock<'a>>,
    shade: Option<Shade>,
    sea: Option<&'a OpenSea<'a>>,
    lamps: Lamps,
    /// Factor on the light of level ground where things keep the sun away.
    shaded: Vec3,
    /// The colour of meshes of water.
    water: Vec3,
    /// Top of the table `[m]`.
    base: f32,
    /// Longer side of everything, and where its middle lies `[m]`.
    width: f32,
    middle: Vec3,
    /// Optical thickness of the air over one width `[-]`.
    haze: f32,
}

impl<'a> Scenery<'a> {
    fn new(stage: &'a Stage, lit: Option<&'a LitGround>, view: &'a View, size: [usize; 2]) -> Self {
        let style = &stage.look.relief;
        let exaggeration = style.vertical_exaggeration;
        let (aim, extent) = (Aim::new(view, size), &stage.extent);
        let lamps = Lamps::new(style);
        let base = extent.base(exaggeration);
        let bounds = extent.things(exaggeration).filter(|_| stage.look.shadows && stage.things.count() > 0);
        let [shallow, deep] = [style.palette.water_shallow, style.palette.water_deep].map(linear);
        Self {
            view,
            size: size.map(|n| n as f32),
            aim,
            things: &stage.things,
            coverage: Coverage::new(&stage.things, aim, &SAMPLES, |_| true),
            block: lit.map(|ground| Block::new(ground, stage.overlay.as_ref(), base)),
            rock: Rock::new(stage.earth, stage.look, extent),
            shade: bounds.map(|bounds| Shade::new(&stage.things, bounds, style)),
            sea: stage.sea.as_ref(),
            shaded: lamps.light_on(Vec3::Z, 0.0, 1.0) / lamps.light_on(Vec3::Z, 1.0, 1.0),
            lamps,
            water: shallow.lerp(deep, 0.5),
            base,
            width: extent.width(),
            middle: extent.centre(exaggeration),
            // Haze would pale the colours of an overlay.
            haze: if stage.overlay.is_some() {
                0.0
            } else {
                stage.look.haze * (extent.width() / extent.clear_way())
            },
        }
    }

    /// Light that arrives at a place in the picture `[px]`, at which that is the nearest thing.
    fn light(&self, [x, y]: [f32; 2], seen: Option<Seen>) -> Vec3 {
        let (eye, ray) = self.view.ray(x / self.size[0], y / self.size[1]);
        let to_thing = seen.map_or(f32::INFINITY, |seen| seen.ahead / ray.dot(self.view.forward));
        let ground = self.block.as_ref().and_then(|block| Some((block, block.meet(eye, ray, to_thing)?)));
        let met = match (ground, seen) {
            (Some((_, (way, _))), _) => way,
            (None, Some(_)) => to_thing,
            (None, None) => f32::INFINITY,
        };
        let pixel = self.view.metres_per_pixel(1.0, self.size[1] as usize);
        let laid_over = self.block.as_ref().filter(|block| block.overlay.is_some());
        let sea = self.sea.and_then(|sea| {
            let water = sea.meet(eye, ray, met, pixel)?;
            // What is laid over the ground must be seen.
            let hidden = laid_over.is_some_and(|block| block.beside(eye + ray * water.way) <= 0.0);
            (!hidden).then_some((sea, water))
        });
        let behind = || match (ground, seen) {
            (Some((block, (way, part))), _) => {
                let shade = self.shade_at(eye + ray * way);
                self.hazy(block.light(part, -ray, shade), way)
            }
            (None, Some(seen)) => {
                let place = eye + ray * to_thing;
                let at = self.aim.at(x, y);
                let earth = self.earth_light(seen.thing, at, place, (eye, ray));
                self.hazy(earth.unwrap_or_else(|| self.light_of(seen.thing, at, place, ray)), to_thing)
            }
            (None, None) => self.backdrop(eye, ray),
        };
        let Some((sea, water)) = sea else { return behind() };
        let place = eye + ray * water.way;
        let sun = self.shade.as_ref().map_or(1.0, |shade| shade.sun_at(place, Vec3::Z));
        let facing = self.lamps.light_on(self.lamps.to_sun, sun, 0.0);
        let lit = Lit {
            day: self.lamps.light_on(Vec3::Z, sun, 1.0),
            sun: facing * sun,
            to_sun: self.lamps.to_sun,
            of: &sky,
        };
        let below = met.is_finite().then(|| (behind(), met - water.way));
        self.hazy(sea.light(&water, ray, pixel, below, &lit), water.way)
    }

    /// Factor on the light of the ground by the shadows of things.
    fn shade_at(&self, place: Vec3) -> Vec3 {
        let sun = self.shade.as_ref().map_or(1.0, |shade| shade.sun_at(place, Vec3::Z));
        self.shaded.lerp(Vec3::ONE, sun)
    }

    /// Light of a particle or a triangle that is met at a place.
    fn light_of(&self, thing: Thing, at: Vec2, place: Vec3, ray: Vec3) -> Vec3 {
        /// Particles lie among others, which take the sky from their flanks `[-]`.
        const CROWDED: f32 = 0.4;
        /// The sun on wet things: strength and exponent of its lobe (Blinn 1977) `[-]`.
        const SHEEN: f32 = 0.15;
        const LOBE: i32 = 40;
        let normal = self.coverage.normal(thing, at);
        let paint = self.things.paint(thing, self.water);
        let facing = normal.dot(-ray).max(0.0);
        let round = matches!(thing, Thing::Sphere(_));
        let open = if round { 1.0 - CROWDED * (1.0 - facing) } else { 1.0 };
        let mut sun = self.shade.as_ref().map_or(1.0, |shade| shade.sun_at(place, normal));
        if let (Some(block), true) = (&self.block, sun > 0.0 && self.shade.is_some()) {
            sun *= f32::from(block.sees_sun(place, self.lamps.to_sun));
        }
        let light = self.lamps.light_on(normal, sun, open);
        let mut seen = paint.albedo * light;
        if paint.wet {
            let half = (self.lamps.to_sun - ray).normalize_or_zero();
            seen += light * (sun * SHEEN * normal.dot(half).max(0.0).powi(LOBE));
        }
        if paint.wet && !round {
            // Schlick 1994, with the 2 % that water mirrors when looked at from straight above.
            let fresnel = 0.02 + 0.98 * (1.0 - facing).powi(5);
            seen = seen.lerp(sky(ray - 2.0 * normal.dot(ray) * normal), fresnel);
        }
        seen
    }

    /// Light of ground that is a mesh, or of the face of the cut before it; none of other things.
    fn earth_light(&self, thing: Thing, at: Vec2, met: Vec3, (eye, ray): (Vec3, Vec3)) -> Option<Vec3> {
        let (rock, Thing::Facet { body, triangle }) = (self.rock.as_ref()?, thing) else { return None };
        let (weights, front) = self.coverage.facet(body, triangle, at);
        let mut open = self.things.open(body, triangle, weights)?;
        let (mut place, mut normal) = (met, self.coverage.normal(thing, at));
        let cut = rock.cut().map(|cut| cut.plane());
        let sawn = cut.is_some() && !front;
        if let Some(([east, north], offset)) = cut {
            let way = Vec3::new(east, north, 0.0);
            if sawn {
                (place, normal) = (eye + ray * ((offset - eye.dot(way)) / ray.dot(way)), way);
                open = 1.0;
            }
        }
        let albedo = rock.albedo(place, normal, open, sawn);
        if let Some(([east, north], offset)) = cut {
            // Light falls in through the cut.
            let away = (offset - place.x * east - place.y * north).max(0.0) / (0.3 * self.width);
            open = open.max(0.9 * (-away).exp());
        }
        let sun = self.shade.as_ref().map_or(1.0, |shade| shade.sun_at(place, normal));
        Some(albedo * self.lamps.light_on(normal, sun, open))
    }

    /// Sky above the horizon; below it the table, with the soft shadow of the block around its foot.
    fn backdrop(&self, eye: Vec3, ray: Vec3) -> Vec3 {
        let drop = eye.z - self.base;
        if ray.z >= 0.0 || drop <= 0.0 || self.sea.is_some() {
            return sky(ray);
        }
        let place = eye + ray * (drop / -ray.z);
        let beside = self.block.as_ref().map_or(f32::INFINITY, |block| block.beside(place) / self.width);
        let contact = 1.0 - 0.5 * (-beside / 0.035).exp() - 0.12 * (-beside / 0.2).exp();
        let away = (place - self.middle).truncate().length();
        let fade = 1.0 - (-away / (2.5 * self.width)).exp();
        (TABLE * contact * self.shade_at(place)).lerp(HORIZON, fade)
    }

    fn hazy(&self, light: Vec3, way: f32) -> Vec3 {
        let nearest = (self.view.eye - self.middle).length() - 0.5 * self.width;
        let clear = (-self.haze * ((way - nearest) / self.width).max(0.0)).exp();
        HORIZON.lerp(light, clear)
    }
}

/// The ground as a solid block.
struct Block<'a> {
    ground: &'a LitGround,
    field: RayField<'a>,
    overlay: Option<&'a Draped<'a>>,
    /// Underside `[m]`.
    base: f32,
    /// Extent to the east and to the north `[m]`.
    plan: Vec2,
}

/// A place on the block, in cells and metres of height.
#[derive(Clone, Copy)]
enum Part {
    Top(Vec2),
    Wall(Vec3),
}

impl<'a> Block<'a> {
    fn new(ground: &'a LitGround, overlay: Option<&'a Draped<'a>>, base: f32) -> Self {
        let (cols, rows) = (ground.surface.cols() as f32, ground.surface.rows() as f32);
        let plan = Vec2::new(cols, rows) * ground.cell;
        Self { ground, field: RayField::new(&ground.surface), overlay, base, plan }
    }

    /// A place and a direction in cells.
    fn in_cells(&self, place: Vec3, ray: Vec3) -> (Vec3, Vec3) {
        let (cell, rows) = (self.ground.cell, self.ground.surface.rows() as f32);
        let origin = Vec3::new(place.x / cell - 0.5, rows - place.y / cell - 0.5, place.z);
        (origin, Vec3::new(ray.x / cell, -ray.y / cell, ray.z))
    }

    /// Where a ray meets it within some way `[m]`.
    fn meet(&self, eye: Vec3, ray: Vec3, within: f32) -> Option<(f32, Part)> {
        let (origin, direction) = self.in_cells(eye, ray);
        let (start, end) = self.field.overlap(origin, direction).filter(|(start, _)| *start <= within)?;
        let entry = origin + direction * start;
        if start > 0.0 && entry.z < self.field.height_at(entry.truncate()) {
            return (entry.z >= self.base).then_some((start, Part::Wall(entry)));
        }
        let way = self.field.hit(origin, direction, start, end.min(within))?;
        Some((way, Part::Top((origin + direction * way).truncate())))
    }

    /// Whether no ground stands between a place and the sun.
    fn sees_sun(&self, place: Vec3, to_sun: Vec3) -> bool {
        // The ground is smoothed a little for the picture: what lies on it must not sink into its own shadow.
        let lifted = place + Vec3::Z * self.ground.cell;
        let (origin, direction) = self.in_cells(lifted, to_sun);
        let over = self.field.overlap(origin, direction);
        over.is_none_or(|(start, end)| self.field.hit(origin, direction, start, end).is_none())
    }

    /// How far a place lies beside it `[m]`.
    fn beside(&self, place: Vec3) -> f32 {
        let middle = self.plan * 0.5;
        ((place.truncate() - middle).abs() - middle).max(Vec2::ZERO).length()
    }

    /// Light that leaves a part of it, where things leave that much of it.
    fn light(&self, part: Part, to_eye: Vec3, shade: Vec3) -> Vec3 {
        match part {
            Part::Top(place) => self.top(place, to_eye, shade),
            Part::Wall(place) => self.wall(place) * shade,
        }
    }

    fn top(&self, place: Vec2, to_eye: Vec3, shade: Vec3) -> Vec3 {
        let ground = self.ground;
        let bed = sample(&ground.bed_light, place);
        let light = ground.water.as_ref().map_or(bed, |water| water.over(bed, place, to_eye, sky)) * shade;
        self.overlay.map_or(light, |overlay| {
            let cells = [ground.surface.cols(), ground.surface.rows()];
            overlay.over(light, place, cells, ground.fall(place))
        })
    }

    /// The cut side: water down to the bed, soil below it, then layered rock that darkens towards the table.
    fn wall(&self, place: Vec3) -> Vec3 {
        let width = self.plan.max_element();
        let (cols, rows) = (self.ground.surface.cols() as f32, self.ground.surface.rows() as f32);
        let edges = [
            (place.x, -Vec3::X),
            (cols - 1.0 - place.x, Vec3::X),
            (place.y, Vec3::Y),
            (rows - 1.0 - place.y, -Vec3::Y),
        ];
        let normal = edges.iter().min_by(|a, b| a.0.total_cmp(&b.0)).map_or(Vec3::Y, |edge| edge.1);
        let light = self.ground.light_on_wall(normal);
        let depth = (sample(&self.ground.bed, place.truncate()) - place.z) / width;
        if let Some(water) = self.ground.water.as_ref().filter(|_| depth < 0.0) {
            return water.cut(place.truncate()) * light;
        }
        let soil = linear([84, 66, 50]).lerp(linear([148, 124, 98]), smoothstep(0.002, 0.008, depth));
        let along = (place.x + place.y) / cols.max(rows);
        let fold = 0.012 * (along * 9.0).sin() + 0.005 * (along * 23.0 + 1.0).sin();
        let layer = (place.z - self.base) / width + fold;
        let tint = 0.6 * noise(layer * 70.0) + 0.4 * noise(layer * 210.0);
        let rock = linear([120, 103, 86]).lerp(linear([172, 154, 130]), tint);
        let earth = soil.lerp(rock, smoothstep(0.006, 0.02, depth));
        let foot = smoothstep(-0.01, 0.05, (place.z - self.base) / width);
        earth * light * (0.65 + 0.35 * foot)
    }
}

/// Random values in [0, 1] at whole numbers with steps between them: beds of uneven thickness.
fn noise(at: f32) -> f32 {
    let value = |i: f32| Key::new(1).with(i as i64 as u64).unit() as f32;
    let low = at.floor();
    value(low) + (value(low + 1.0) - value(low)) * smoothstep(0.2, 0.8, at - low)
}

/// Light of the sky in a direction.
fn sky(direction: Vec3) -> Vec3 {
    HORIZON.lerp(ZENITH, smoothstep(-0.1, 0.8, direction.z))
}
