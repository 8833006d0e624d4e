//! How far everything in a snapshot reaches: what cameras go by that show all of it, whoever draws.

use glam::{BVec3, Vec2, Vec3};
use thalweg_field::{Body, Grid2, Matter, Mesh, Points, Pose, Sea, Snapshot, TriMesh};

use crate::camera::{Craft, Subject};
use crate::cpu::resample::filled;
use crate::{Camera, Lens, Scene, View};

/// Thickness of the block below its lowest ground, in widths `[-]`.
const FOOT: f32 = 0.045;

/// Where the ground, the particles and the meshes of a snapshot lie.
///
/// ```
/// use thalweg_field::{Frame, Points, Snapshot};
/// use thalweg_render::{Camera, Extent};
///
/// let mut drop = Snapshot::of_fields(Frame::with_cell(1.0), Vec::new());
/// drop.points = Some(Points { positions: vec![[3.0, 4.0, 5.0]], radius: 0.5, ..Points::default() });
/// let view = Extent::of(&drop).view(&Camera::default(), 1.0, 1.6);
/// assert!(view.place_of([3.0, 4.0, 5.0].into()).is_some_and(|[x, y]| (x - 0.5).hypot(y - 0.5) < 0.1));
/// ```
#[derive(Clone, Debug)]
pub struct Extent {
    /// From west to east and from south to north, of the ground or of what stands in for it `[m]`.
    plan: Vec2,
    /// Lowest and highest drawn surface, not exaggerated `[m]`.
    pub(crate) heights: [f32; 2],
    pub(crate) has_ground: bool,
    /// Corners of a net over the surface, not exaggerated `[m]`.
    net: Vec<Vec3>,
    cloud: Option<Cloud>,
    /// Of each mesh that has triangles, what it is made of and its lowest and highest corner `[m]`.
    bodies: Vec<(Matter, [Vec3; 2])>,
    /// Lowest and highest corner of ground that is a mesh `[m]`.
    pub(crate) earth: Option<[Vec3; 2]>,
    /// The bodies that cameras may follow.
    followed: Vec<Followed>,
    /// Level of the open sea `[m]`.
    sea: Option<f32>,
}

/// A body as cameras know it.
#[derive(Clone, Debug)]
struct Followed {
    name: String,
    pose: Pose,
    /// Lowest and highest corner in its own axes `[m]`.
    size: [Vec3; 2],
    /// And in the world, if there is anything to see of it.
    bounds: Option<[Vec3; 2]>,
}

/// Where particles lie.
#[derive(Clone, Copy, Debug)]
struct Cloud {
    /// Smallest and largest coordinates of the centres, but for strays `[m]`.
    centres: [Vec3; 2],
    /// As they are drawn `[m]`.
    radius: f32,
}

impl Extent {
    /// That of everything in a snapshot.
    pub fn of(snapshot: &Snapshot) -> Self {
        let mut extent = Self::of_ground(Scene::snapshot(snapshot).as_ref());
        let points = snapshot.points.as_ref();
        extent.cloud = points.and_then(|points| {
            let centres = points.bounds()?.map(Vec3::from_array);
            Some(Cloud { centres, radius: radius_of(points, centres) })
        });
        extent.bodies = snapshot.meshes.iter().filter_map(body_of).collect();
        extent.followed = snapshot.bodies.iter().map(Followed::of).collect();
        extent.sea = snapshot.sea.as_ref().map(|sea| sea.level);
        if let Some(sea) = snapshot.sea.as_ref().filter(|_| !extent.has_ground) {
            extent.open(sea);
        }
        extent.earth = snapshot.ground.as_ref().and_then(|ground| bounds_of(&ground.mesh.positions));
        extent
    }

    /// That of ground alone, or of what stands in for it.
    pub(crate) fn of_ground(ground: Option<&Scene>) -> Self {
        let flat = Grid2::filled(2, 2, 0.0);
        let ground = ground.filter(|ground| !ground.bed_height.is_empty());
        let height = ground.map_or(&flat, |ground| ground.bed_height);
        let cell = ground.map_or(1.0, |ground| ground.frame.cell as f32);
        // Holes are filled, on a copy; they are rare.
        let whole = height.values().iter().any(|v| !v.is_finite()).then(|| filled(height));
        let height = whole.as_ref().unwrap_or(height);
        let net = net_of(height, ground.and_then(|ground| ground.water_depth), cell);
        let (low, high) = height.range().unwrap_or((0.0, 0.0));
        Self {
            plan: Vec2::new(height.cols() as f32, height.rows() as f32) * cell,
            heights: [low, net.iter().map(|p| p.z).fold(high, f32::max)],
            has_ground: ground.is_some(),
            net,
            cloud: None,
            bodies: Vec::new(),
            earth: None,
            followed: Vec::new(),
            sea: None,
        }
    }

    /// The view that a camera has of everything in a picture of that shape, heights exaggerated that much.
    ///
    /// A camera that follows a body which is not there shows everything; [`Self::body_names`] tells which there are.
    pub fn view(&self, camera: &Camera, exaggeration: f32, aspect: f32) -> View {
        /// Nearest water that is seen of the sea `[m]`.
        const AT_SEA: f32 = 0.1;
        let named = camera.body().and_then(|name| self.followed.iter().find(|body| body.name == name));
        let whole = Camera::default();
        let camera = if camera.body().is_some() && named.is_none() { &whole } else { camera };
        let base = self.base(exaggeration);
        let things = self.things(exaggeration);
        let corners = things.iter().flat_map(|[low, high]| {
            (0..8).map(|i| Vec3::select(BVec3::new(i & 1 > 0, i & 2 > 0, i & 4 > 0), *high, *low))
        });
        // Without ground the net is a stand-in.
        let net = if self.has_ground || things.is_none() { &self.net[..] } else { &[] };
        let landmarks =
            net.iter().flat_map(|p| [p.with_z(p.z * exaggeration), p.with_z(base)]).chain(corners).collect();
        let subject = Subject { landmarks };
        let view = match (camera, named) {
            (Camera::Follow(follow), Some(body)) => {
                let level = self.sea.map_or(body.pose.place[2], f64::from);
                let craft = Craft { pose: &body.pose, size: body.size, level: level as f32, exaggeration };
                View::following(follow, &craft, &subject, aspect)
            }
            (Camera::Ride(ride), Some(body)) => {
                let level = body.pose.place[2] as f32;
                let craft = Craft { pose: &body.pose, size: body.size, level, exaggeration };
                View::riding(ride, &craft, &subject, aspect)
            }
            _ => View::new(camera, &subject, aspect),
        };
        match view.lens {
            // The sea begins below the eye, whatever stands in it.
            Lens::Perspective(_) if self.sea.is_some() => View { near: view.near.min(AT_SEA), ..view },
            _ => view,
        }
    }

    /// As which particles are drawn `[m]`; 0 if there are none.
    pub(crate) fn radius(&self) -> f32 {
        self.cloud.map_or(0.0, |cloud| cloud.radius)
    }

    /// Lowest and highest corner of all particles and meshes `[m]`.
    pub(crate) fn things(&self, exaggeration: f32) -> Option<[Vec3; 2]> {
        let cloud = self.cloud.iter().map(|cloud| {
            let [low, high] = raised(cloud.centres, exaggeration);
            [low - cloud.radius, high + cloud.radius]
        });
        let moving = self.followed.iter().filter_map(|body| body.bounds.as_ref());
        let meshes = self.bodies.iter().map(|(_, bounds)| bounds).chain(moving).chain(&self.earth);
        cloud.chain(meshes.map(|bounds| raised(*bounds, exaggeration))).reduce(joined)
    }

    /// Lowest and highest corner of all bodies `[m]`.
    #[cfg(feature = "gpu")]
    pub(crate) fn bodies(&self, exaggeration: f32) -> Option<[Vec3; 2]> {
        let bounds = self.followed.iter().filter_map(|body| body.bounds);
        bounds.map(|bounds| raised(bounds, exaggeration)).reduce(joined)
    }

    /// The way over which air has the haze that a look tells: the width of everything, or more over the sea `[m]`.
    pub(crate) fn clear_way(&self) -> f32 {
        /// Over the sea the air is as clear, whatever lies in the middle `[m]`.
        const AT_SEA: f32 = 6.0e3;
        if self.sea.is_some() { self.width().max(AT_SEA) } else { self.width() }
    }

    /// Names of the bodies that cameras may follow.
    pub fn body_names(&self) -> impl Iterator<Item = &str> {
        self.followed.iter().map(|body| &body.name[..])
    }

    /// Open sea in the place of ground: a few of its largest waves, for cameras that show everything.
    fn open(&mut self, sea: &Sea) {
        /// Without waves `[m]`.
        const STILL: f32 = 100.0;
        let side = sea.patches.iter().map(|patch| patch.side).fold(0.0, f32::max);
        self.plan = Vec2::splat(if side > 0.0 { side } else { STILL });
        self.heights = [sea.level; 2];
        let corner = |i: usize| (Vec2::new((i & 1) as f32, (i >> 1) as f32) * self.plan).extend(sea.level);
        self.net = (0..4).map(corner).collect();
    }

    /// Lowest and highest corner of all meshes of water `[m]`.
    #[cfg(feature = "gpu")]
    pub(crate) fn waters(&self, exaggeration: f32) -> Option<[Vec3; 2]> {
        let waters = self.bodies.iter().filter(|(matter, _)| *matter == Matter::Water);
        waters.map(|(_, bounds)| raised(*bounds, exaggeration)).reduce(joined)
    }

    /// South-west and north-east end of everything `[m]`.
    pub(crate) fn ends(&self) -> [Vec2; 2] {
        let ground = [Vec3::ZERO, self.plan.extend(0.0)];
        let ends = match self.things(1.0) {
            Some(things) if self.has_ground => joined(ground, things),
            Some(things) => things,
            None => ground,
        };
        ends.map(Vec3::truncate)
    }

    /// Longer side of everything `[m]`.
    pub(crate) fn width(&self) -> f32 {
        let [low, high] = self.ends();
        (high - low).max_element()
    }

    /// Underside of the block, or of what stands on the table without one `[m]`.
    pub(crate) fn base(&self, exaggeration: f32) -> f32 {
        let block = self.heights[0] * exaggeration - FOOT * self.width();
        match self.things(exaggeration) {
            // A mesh has a bottom of its own.
            Some([low, _]) if self.has_ground && self.earth.is_none() => low.z.min(block),
            Some([low, _]) => low.z,
            None => block,
        }
    }

    /// Lowest and highest corner of everything `[m]`.
    pub(crate) fn bounds(&self, exaggeration: f32) -> [Vec3; 2] {
        let [low, high] = self.ends();
        let things = self.things(exaggeration).map(|[_, high]| high.z);
        let ground = (self.has_ground || things.is_none()).then_some(self.heights[1] * exaggeration);
        let top = [things, ground].into_iter().flatten().fold(f32::NEG_INFINITY, f32::max);
        [low.extend(self.base(exaggeration)), high.extend(top)]
    }

    /// The middle of everything `[m]`.
    pub(crate) fn centre(&self, exaggeration: f32) -> Vec3 {
        let [low, high] = self.bounds(exaggeration);
        (low + high) * 0.5
    }
}

impl Followed {
    fn of(body: &Body) -> Self {
        let parts = || body.parts.iter().filter(|part| !part.mesh.triangles.is_empty());
        let size = parts().filter_map(|part| bounds_of(&part.mesh.positions)).reduce(joined);
        let bounds =
            parts().filter_map(|part| bounds_of(&placed(&body.pose, &part.mesh).positions)).reduce(joined);
        Self { name: body.name.to_string(), pose: body.pose, size: size.unwrap_or([Vec3::ZERO; 2]), bounds }
    }
}

/// A mesh in the axes of a body, where that body is.
pub(crate) fn placed(pose: &Pose, mesh: &TriMesh) -> TriMesh {
    let moved = |place: &[f32; 3]| pose.world(place.map(f64::from)).map(|v| v as f32);
    let turned = |way: &[f32; 3]| pose.turned(way.map(f64::from)).map(|v| v as f32);
    TriMesh {
        positions: mesh.positions.iter().map(moved).collect(),
        normals: mesh.normals.iter().map(turned).collect(),
        triangles: mesh.triangles.clone(),
    }
}

fn joined([a, b]: [Vec3; 2], [c, d]: [Vec3; 2]) -> [Vec3; 2] {
    [a.min(c), b.max(d)]
}

fn raised(bounds: [Vec3; 2], exaggeration: f32) -> [Vec3; 2] {
    bounds.map(|p| p.with_z(p.z * exaggeration))
}

fn body_of(mesh: &Mesh) -> Option<(Matter, [Vec3; 2])> {
    let bounds = bounds_of(&mesh.mesh.positions).filter(|_| !mesh.mesh.triangles.is_empty())?;
    Some((mesh.matter, bounds))
}

/// A net over the drawn surface, fine enough that nothing of weight stands out of it.
fn net_of(height: &Grid2<f32>, depth: Option<&Grid2<f32>>, cell: f32) -> Vec<Vec3> {
    const NET: usize = 32;
    let spread = |i: usize, count: usize| i * (count - 1) / NET;
    let rows = height.rows() as f32;
    (0..(NET + 1) * (NET + 1))
        .map(|i| {
            let (col, row) = (spread(i % (NET + 1), height.cols()), spread(i / (NET + 1), height.rows()));
            let water = depth.map_or(0.0, |depth| depth.at(col, row).max(0.0));
            let (x, y) = ((col as f32 + 0.5) * cell, (rows - row as f32 - 0.5) * cell);
            Vec3::new(x, y, height.at(col, row) + if water.is_finite() { water } else { 0.0 })
        })
        .collect()
}

/// Smallest and largest of the finite places.
pub(crate) fn bounds_of(places: &[[f32; 3]]) -> Option<[Vec3; 2]> {
    let start = [Vec3::INFINITY, Vec3::NEG_INFINITY];
    let [low, high] = places
        .iter()
        .map(|place| Vec3::from_array(*place))
        .filter(|place| place.is_finite())
        .fold(start, |[low, high], place| [low.min(place), high.max(place)]);
    (low.x <= high.x).then_some([low, high])
}

/// The radius of particles whose centres lie between two corners `[m]`: their own, or a likely one.
pub(crate) fn radius_of(points: &Points, centres: [Vec3; 2]) -> f32 {
    if points.radius > 0.0 { points.radius } else { touching_radius(centres, points.len()) }
}

/// The radius of particles that tell none `[m]`: they touch their neighbours if they fill their box evenly. Strays do not
/// count.
pub fn likely_radius(points: &Points) -> f32 {
    let [low, high] = points.bounds().unwrap_or_default().map(Vec3::from_array);
    touching_radius([low, high], points.len())
}

/// Half the spacing of particles that fill their box evenly, be it a box, a sheet or a row `[m]`.
fn touching_radius([low, high]: [Vec3; 2], count: usize) -> f32 {
    /// Rounds after which the spacing has settled; a row gains a third of its digits in each.
    const ROUNDS: usize = 40;
    let sides = high - low;
    let mut spacing = sides.max_element();
    for _ in 0..ROUNDS {
        // Flat sides are one spacing thick.
        let room = sides.max(Vec3::splat(spacing));
        spacing = (room.x * room.y * room.z / count as f32).cbrt();
    }
    // A single one has no spacing.
    if spacing > 1.0e-6 * sides.max_element() && count > 1 { 0.5 * spacing } else { 0.5 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_without_a_radius_touch_their_neighbours() {
        for (sides, count) in [([10, 20, 5], 1000), ([50, 20, 1], 1000), ([64, 1, 1], 64)] {
            let spacing = 0.5;
            let high = Vec3::from_array(sides.map(|n: i32| (n - 1) as f32 * spacing));
            let radius = touching_radius([Vec3::ZERO, high], count);
            // The box of the centres is one spacing smaller than what the particles fill.
            assert!((0.19..0.26).contains(&radius), "{sides:?}: {radius} m, spacing {spacing} m");
        }
        assert_eq!(touching_radius([Vec3::ONE, Vec3::ONE], 1), 0.5);
    }

    #[test]
    fn places_that_are_no_numbers_do_not_count() {
        let places = [[f32::NAN, 0.0, 0.0], [1.0, -2.0, 3.0], [f32::INFINITY, 0.0, 9.0], [4.0, 5.0, -6.0]];
        assert_eq!(bounds_of(&places), Some([Vec3::new(1.0, -2.0, -6.0), Vec3::new(4.0, 5.0, 3.0)]));
        assert_eq!(bounds_of(&places[..1]), None);
    }
}
