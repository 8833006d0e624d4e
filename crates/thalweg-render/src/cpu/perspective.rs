//! The ground as a block seen from the side, by one ray per sample.

use glam::{Vec2, Vec3};
use thalweg_field::{Grid2, band, random::Key};

use super::heightfield_ray::RayField;
use super::lit_ground::{LitGround, sample};
use super::resample::filled;
use crate::camera::Subject;
use crate::light::{linear, smoothstep, srgb, tone};
use crate::{Camera, Picture, ReliefStyle, Scene, View};

/// Sky at the horizon and overhead.
const HORIZON: Vec3 = Vec3::new(0.70, 0.79, 0.88);
const ZENITH: Vec3 = Vec3::new(0.20, 0.38, 0.68);
/// The table that the block stands on.
const TABLE: Vec3 = Vec3::new(0.50, 0.56, 0.62);
/// Samples of a pixel, on a rotated grid: no two share a row or column, which smooths near-level and
/// near-upright edges best.
const SAMPLES: [[f32; 2]; 4] = [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]];

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
    /// Cells along the block from which on a picture gains nothing from a smoother surface.
    const FINE: usize = 1024;
    let ground = LitGround::new(scene, style, width.max(height).min(FINE));
    let block = Block::new(&ground);
    let subject = landmarks(&ground.surface, ground.cell);
    let view = View::new(camera, &subject, width as f32 / height as f32);
    let mut picture = Picture::filled(width, height, [0; 3]);
    band::for_each_chunk(&mut picture.rgb, width * 3, |row, bytes| {
        for (col, pixel) in bytes.chunks_exact_mut(3).enumerate() {
            let light: Vec3 = SAMPLES
                .iter()
                .map(|[x, y]| {
                    let x = (col as f32 + x) / width as f32;
                    let y = (row as f32 + y) / height as f32;
                    let (start, direction) = view.ray(x, y);
                    tone(block.light_along(start, direction))
                })
                .sum();
            // Half a step of noise hides the steps of 8 bits in the sky.
            let dither = Key::new(0).with((row * width + col) as u64).unit() as f32 - 0.5;
            pixel.copy_from_slice(&srgb(light / SAMPLES.len() as f32, dither));
        }
    });
    picture
}

/// The view that a camera has of a scene, as [`perspective`] draws it, without drawing anything.
pub fn outlook(scene: &Scene, style: &ReliefStyle, camera: &Camera, aspect: f32) -> View {
    let surface = Grid2::from_fn(scene.bed_height.cols(), scene.bed_height.rows(), |col, row| {
        let depth = scene.water_depth.map_or(0.0, |depth| depth.at(col, row));
        (scene.bed_height.at(col, row) + if depth > 0.0 { depth } else { 0.0 }) * style.vertical_exaggeration
    });
    View::new(camera, &landmarks(&filled(&surface), scene.frame.cell as f32), aspect)
}

/// The corners of the base and a net over the surface.
fn landmarks(surface: &Grid2<f32>, cell: f32) -> Subject {
    const NET: usize = 32;
    if surface.is_empty() {
        return Subject::default();
    }
    let base = base_of(surface, cell);
    let spread = |i: usize, count: usize| i as f32 / NET as f32 * (count - 1) as f32;
    let net = (0..=NET * NET + 2 * NET)
        .map(|i| Vec2::new(spread(i % (NET + 1), surface.cols()), spread(i / (NET + 1), surface.rows())));
    let landmarks = net.flat_map(|place| {
        let rows = surface.rows() as f32;
        let top = Vec3::new((place.x + 0.5) * cell, (rows - place.y - 0.5) * cell, sample(surface, place));
        [top, top.with_z(base)]
    });
    Subject { landmarks: landmarks.collect() }
}

/// Height of the underside of a block [m].
fn base_of(surface: &Grid2<f32>, cell: f32) -> f32 {
    /// Thickness of the block below its lowest ground, in widths [-].
    const FOOT: f32 = 0.045;
    let low = surface.range().map_or(0.0, |(low, _)| low);
    low - FOOT * surface.cols().max(surface.rows()) as f32 * cell
}

/// The ground as a solid block.
struct Block<'a> {
    ground: &'a LitGround,
    field: RayField<'a>,
    /// Underside [m].
    base: f32,
    /// Extent to the east, to the north and upwards [m].
    size: Vec3,
}

impl<'a> Block<'a> {
    fn new(ground: &'a LitGround) -> Self {
        let high = ground.surface.range().map_or(0.0, |(_, high)| high);
        let (cols, rows) = (ground.surface.cols() as f32, ground.surface.rows() as f32);
        let plan = Vec2::new(cols, rows) * ground.cell;
        let base = base_of(&ground.surface, ground.cell);
        Self { ground, field: RayField::new(&ground.surface), base, size: plan.extend(high - base) }
    }

    fn centre(&self) -> Vec3 {
        self.size * 0.5 + Vec3::Z * self.base
    }

    /// Light that arrives at `eye` against the ray.
    fn light_along(&self, eye: Vec3, ray: Vec3) -> Vec3 {
        let cell = self.ground.cell;
        let rows = self.ground.surface.rows() as f32;
        let origin = Vec3::new(eye.x / cell - 0.5, rows - eye.y / cell - 0.5, eye.z);
        let direction = Vec3::new(ray.x / cell, -ray.y / cell, ray.z);
        let seen = self.field.overlap(origin, direction).and_then(|(start, end)| {
            let entry = origin + direction * start;
            let ground = self.field.height_at(entry.truncate());
            if start > 0.0 && entry.z < ground {
                return (entry.z >= self.base).then(|| (start, self.wall(entry)));
            }
            let way = self.field.hit(origin, direction, start, end)?;
            let place = origin + direction * way;
            Some((way, self.top(place.truncate(), -ray)))
        });
        seen.map_or_else(|| self.backdrop(eye, ray), |(way, light)| self.hazy(light, way, eye))
    }

    fn top(&self, place: Vec2, to_eye: Vec3) -> Vec3 {
        let bed = sample(&self.ground.bed_light, place);
        self.ground.water.as_ref().map_or(bed, |water| water.over(bed, place, to_eye, sky))
    }

    /// The cut side: water down to the bed, soil below it, then layered rock that darkens towards the table.
    fn wall(&self, place: Vec3) -> Vec3 {
        let width = self.size.x.max(self.size.y);
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

    /// Sky above the horizon; below it the table, with the soft shadow of the block around its foot.
    fn backdrop(&self, eye: Vec3, ray: Vec3) -> Vec3 {
        let drop = eye.z - self.base;
        if ray.z >= 0.0 || drop <= 0.0 {
            return sky(ray);
        }
        let place = eye + ray * (drop / -ray.z);
        let width = self.size.x.max(self.size.y);
        let middle = self.size.truncate() * 0.5;
        let beside = ((place.truncate() - middle).abs() - middle).max(Vec2::ZERO).length() / width;
        let shade = 1.0 - 0.5 * (-beside / 0.035).exp() - 0.12 * (-beside / 0.2).exp();
        let fade = 1.0 - (-(place.truncate() - middle).length() / (2.5 * width)).exp();
        (TABLE * shade).lerp(HORIZON, fade)
    }

    fn hazy(&self, light: Vec3, way: f32, eye: Vec3) -> Vec3 {
        /// Optical thickness of the air over one width of the block [-].
        const THICKNESS: f32 = 0.16;
        let width = self.size.x.max(self.size.y);
        let nearest = (eye - self.centre()).length() - 0.5 * width;
        let clear = (-THICKNESS * ((way - nearest) / width).max(0.0)).exp();
        HORIZON.lerp(light, clear)
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
