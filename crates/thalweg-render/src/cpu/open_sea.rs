//! The open sea as the processor draws it, plainly: its waves rise and fall but do not move aside.

use std::f32::consts::PI;

use glam::{Vec2, Vec3};
use thalweg_field::{Grid2, Sea, SeaPatch, Snapshot, TriMesh};

use super::lit_ground::sample;
use crate::Look;
use crate::extent::{bounds_of, placed};
use crate::light::{linear, smoothstep};

/// Share of light that water mirrors when it is seen from straight above (Schlick 1994).
const MIRRORED: f32 = 0.02;
/// Spread of slopes that no grid holds `[-]`.
const WRINKLES: f32 = 2.0e-3;

/// The sea of a snapshot.
pub(crate) struct OpenSea<'a> {
    sea: &'a Sea,
    squares: Vec<Square<'a>>,
    grid: Option<OnGrid<'a>>,
    rooms: Vec<Room>,
    /// Highest and lowest that water may stand, as it is drawn `[m]`.
    heights: [f32; 2],
    up: f32,
    own: Vec3,
    /// Loss of light along a way through the water [1/m].
    loss: Vec3,
    foam: f32,
    floor: Vec3,
}

struct Square<'a> {
    patch: &'a SeaPatch,
    /// Mean square of its slopes `[-]`.
    spread: f32,
}

/// What lies on the grid.
struct OnGrid<'a> {
    waves: Option<&'a Grid2<f32>>,
    foam: Option<&'a Grid2<f32>>,
    share: Option<&'a Grid2<f32>>,
    cell: f32,
    size: Vec2,
}

/// A room that no water enters.
struct Room {
    mesh: TriMesh,
    bounds: [Vec3; 2],
}

/// The sea where a ray meets it.
pub(crate) struct Met {
    /// Way along the ray `[m]`.
    pub way: f32,
    place: Vec3,
}

impl<'a> OpenSea<'a> {
    pub(crate) fn of(snapshot: &'a Snapshot, look: &Look) -> Option<Self> {
        let sea = snapshot.sea.as_deref().filter(|_| look.water.visible)?;
        let squares: Vec<Square> =
            sea.patches.iter().filter(|patch| patch.is_whole()).map(Square::new).collect();
        let up = look.relief.vertical_exaggeration;
        let height = snapshot.field("height");
        let field = |name: &str| {
            snapshot
                .field(name)
                .filter(|grid| !grid.is_empty() && height.is_none_or(|height| grid.same_shape(height)))
        };
        let [waves, foam, share] = ["waves", "foam", "sea_share"].map(field);
        let cell = snapshot.frame.cell as f32;
        let shape = [waves, foam, share].into_iter().flatten().next();
        let grid = shape.map(|any| {
            let size = Vec2::new(any.cols() as f32, any.rows() as f32) * cell;
            OnGrid { waves, foam, share, cell, size }
        });
        let range = |grid: &Grid2<f32>| grid.range().map_or(0.0, |(low, high)| high.max(-low));
        let rise =
            squares.iter().map(|square| range(&square.patch.height)).sum::<f32>() + waves.map_or(0.0, range);
        let rooms = snapshot.bodies.iter().filter_map(|body| {
            let mesh = placed(&body.pose, body.dry.as_ref()?);
            let bounds = bounds_of(&mesh.positions)?;
            Some(Room { mesh, bounds })
        });
        let palette = &look.relief.palette;
        Some(Self {
            sea,
            squares,
            grid,
            rooms: rooms.collect(),
            heights: [(sea.level + rise) * up, (sea.level - rise) * up],
            up,
            own: linear(palette.water_deep) * 0.7,
            loss: Vec3::new(3.2, 1.0, 0.72) * 3.0 / look.relief.water_deep,
            foam: look.water.foam.min(1.0),
            floor: linear(palette.deposit),
        })
    }

    /// Where a ray meets the sea before some way.
    pub(crate) fn meet(&self, eye: Vec3, ray: Vec3, within: f32, pixel: f32) -> Option<Met> {
        /// Steps down through the waves, and halvings of the last one.
        const STEPS: usize = 24;
        const HALVINGS: usize = 5;
        let fall = -ray.z;
        if fall <= 1.0e-5 {
            return None;
        }
        let to = |height: f32| (eye.z - height) / fall;
        let [first, last] = [to(self.heights[0]).max(0.0), to(self.heights[1])];
        if last <= 0.0 || first >= within {
            return None;
        }
        let above = |way: f32| {
            let place = eye + ray * way;
            place.z - self.height(place.truncate(), pixel * way) * self.up
        };
        let mut near = first;
        let mut far = last;
        for i in 1..=STEPS {
            let way = first + (last - first) * i as f32 / STEPS as f32;
            if above(way) <= 0.0 {
                far = way;
                break;
            }
            near = way;
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (near + far);
            if above(middle) > 0.0 { near = middle } else { far = middle }
        }
        let way = 0.5 * (near + far);
        let dry = || self.rooms.iter().any(|room| room.holds(eye, ray, way, self.up));
        (way < within && !dry()).then(|| Met { way, place: eye + ray * way })
    }

    /// Height of the surface `[m]`, waves smaller than `blur` left out.
    fn height(&self, place: Vec2, blur: f32) -> f32 {
        let share = self.share(place);
        let sea: f32 = self
            .squares
            .iter()
            .map(|square| square.kept(blur) * square.at(&square.patch.height, place))
            .sum();
        let own = self.on_grid(place, |grid| grid.waves);
        self.sea.level + share * sea + own
    }

    fn on_grid(&self, place: Vec2, pick: impl Fn(&OnGrid<'a>) -> Option<&'a Grid2<f32>>) -> f32 {
        let Some((grid, values)) = self.grid.as_ref().and_then(|grid| Some((grid, pick(grid)?))) else {
            return 0.0;
        };
        grid.inner(place) * sample(values, grid.cells(place, values))
    }

    fn share(&self, place: Vec2) -> f32 {
        let Some((grid, share)) = self.grid.as_ref().and_then(|grid| Some((grid, grid.share?))) else {
            return 1.0;
        };
        1.0 + grid.inner(place) * (sample(share, grid.cells(place, share)).clamp(0.0, 1.0) - 1.0)
    }

    /// Slope to the east and north, and spread of what is too small to be seen, over `blur` metres.
    fn slope(&self, place: Vec2, blur: f32) -> (Vec2, f32) {
        // Over which way slopes are measured.
        let step = (0.5 * blur).max(0.05);
        let away =
            |axis: Vec2| self.height(place + axis * step, blur) - self.height(place - axis * step, blur);
        let slope = Vec2::new(away(Vec2::X), away(Vec2::Y)) / (2.0 * step);
        let lost =
            self.squares.iter().map(|square| square.spread * (1.0 - square.kept(blur).powi(2))).sum::<f32>();
        (slope * self.up, lost * self.up * self.up + WRINKLES)
    }

    fn white(&self, place: Vec2) -> f32 {
        let share = self.share(place);
        let bare: f32 = self
            .squares
            .iter()
            .filter(|square| !square.patch.foam.is_empty())
            .map(|square| 1.0 - share * square.at(&square.patch.foam, place).clamp(0.0, 1.0))
            .product();
        let own = self.on_grid(place, |grid| grid.foam).clamp(0.0, 1.0);
        (1.0 - bare * (1.0 - own)) * self.foam
    }

    /// What is seen of it: light from `behind` lies that far behind the surface `[m]`, without end if nothing is there.
    pub(crate) fn light(
        &self,
        met: &Met,
        ray: Vec3,
        pixel: f32,
        behind: Option<(Vec3, f32)>,
        sky: &Lit,
    ) -> Vec3 {
        let blur = pixel * met.way / (-ray.z).max(0.05);
        let (slope, spread) = self.slope(met.place.truncate(), blur);
        // Of a rough surface the sides that face the eye are seen.
        let tangent = ray.truncate().length() / (-ray.z).max(1.0e-3);
        let lean = spread * tangent / (1.0 + 1.25 * spread.sqrt() * tangent);
        let towards = -ray.truncate().normalize_or_zero();
        let normal = (-slope + towards * lean).extend(1.0).normalize();
        let facing = normal.dot(-ray).clamp(0.0, 1.0);
        let sigma = spread.sqrt();
        // Bruneton et al. 2010, eq. 13.
        let fall = (1.0 - facing).powf(5.0 * (-2.69 * sigma).exp()) / (1.0 + 22.7 * sigma.powf(1.5));
        let share = MIRRORED + (1.0 - MIRRORED) * fall;
        let mut mirror = ray - 2.0 * ray.dot(normal) * normal;
        mirror.z = mirror.z.abs().max(0.01);
        let (below, way) = behind.unwrap_or_else(|| {
            let way = self.sea.depth * self.up / (-ray.z).max(0.3);
            (self.floor * sky.day, way)
        });
        let clear = (-self.loss * way / self.up).map(f32::exp);
        let window = below * clear + self.own * sky.day * (Vec3::ONE - clear);
        let mut light = window.lerp((sky.of)(mirror.normalize()), share);
        let half = (sky.to_sun - ray).normalize_or(Vec3::Z);
        let off = -half.truncate() / half.z.max(0.05) + slope * -1.0;
        let many = (-0.5 * off.length_squared() / spread).exp() / (2.0 * PI * spread);
        let fresnel = MIRRORED + (1.0 - MIRRORED) * (1.0 - half.dot(-ray).clamp(0.0, 1.0)).powi(5);
        light +=
            sky.sun * PI * (fresnel * many / (4.0 * half.z.max(0.05).powi(4) * facing.max(0.12))).min(6.0);
        light.lerp(sky.day * 0.85, self.white(met.place.truncate()))
    }
}

/// The light over the sea.
pub(crate) struct Lit<'a> {
    /// That of a level surface.
    pub day: Vec3,
    /// That of the sun on a surface that faces it.
    pub sun: Vec3,
    pub to_sun: Vec3,
    /// That of the sky from a direction.
    pub of: &'a dyn Fn(Vec3) -> Vec3,
}

impl<'a> Square<'a> {
    fn new(patch: &'a SeaPatch) -> Self {
        let cells = patch.height.cols();
        let texel = patch.side / cells as f32;
        let at = |col: usize, row: usize| f64::from(patch.height.at(col % cells, row % cells));
        let sum: f64 = (0..cells * cells)
            .map(|i| {
                let (col, row) = (i % cells, i / cells);
                (at(col + 1, row) - at(col, row)).powi(2) + (at(col, row + 1) - at(col, row)).powi(2)
            })
            .sum();
        let spread = 0.5 * sum as f32 / ((cells * cells) as f32 * texel * texel);
        Self { patch, spread }
    }

    /// How much of its waves is seen where `blur` metres become one `[-]`.
    fn kept(&self, blur: f32) -> f32 {
        1.0 - smoothstep(0.02, 0.3, blur / self.patch.side)
    }

    fn at(&self, grid: &Grid2<f32>, place: Vec2) -> f32 {
        let cells = grid.cols() as f32;
        let at = (place - Vec2::from_array(self.patch.corner)) / self.patch.side;
        let at = Vec2::new(at.x.rem_euclid(1.0), (-at.y).rem_euclid(1.0)) * cells - 0.5;
        let low = at.floor();
        let part = at - low;
        let value = |x: f32, y: f32| {
            let wrapped = |v: f32| (v as isize).rem_euclid(cells as isize) as usize;
            grid.at(wrapped(low.x + x), wrapped(low.y + y))
        };
        let north = value(0.0, 0.0) + (value(1.0, 0.0) - value(0.0, 0.0)) * part.x;
        let south = value(0.0, 1.0) + (value(1.0, 1.0) - value(0.0, 1.0)) * part.x;
        north + (south - north) * part.y
    }
}

impl OnGrid<'_> {
    /// How much it counts at a place: nothing at its edges.
    fn inner(&self, place: Vec2) -> f32 {
        let away = place.min(self.size - place).min_element();
        smoothstep(0.0, (0.04 * self.size.min_element()).max(4.0 * self.cell), away)
    }

    fn cells(&self, place: Vec2, grid: &Grid2<f32>) -> Vec2 {
        Vec2::new(place.x / self.cell - 0.5, grid.rows() as f32 - place.y / self.cell - 0.5)
    }
}

impl Room {
    /// Whether a place along a ray lies in it: the ray has gone in once more than out.
    fn holds(&self, eye: Vec3, ray: Vec3, way: f32, up: f32) -> bool {
        let [low, high] = self.bounds;
        let place = eye + ray * way;
        let level = place.with_z(place.z / up);
        if level.cmplt(low).any() || level.cmpgt(high).any() {
            return false;
        }
        // Straight up: a place in the room has one wall above it, or three.
        let above = |corners: &&[u32; 3]| {
            let [a, b, c] = corners.map(|corner| Vec3::from_array(self.mesh.positions[corner as usize]));
            let side = |from: Vec3, to: Vec3| (to - from).truncate().perp_dot((level - from).truncate());
            let [x, y, z] = [side(b, c), side(c, a), side(a, b)];
            let inside = (x >= 0.0) == (y >= 0.0) && (y >= 0.0) == (z >= 0.0);
            let sum = x + y + z;
            inside && sum != 0.0 && (a.z * x + b.z * y + c.z * z) / sum > level.z
        };
        self.mesh.triangles.iter().filter(above).count() % 2 == 1
    }
}
