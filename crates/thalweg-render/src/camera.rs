//! Where a view is taken from, and how the world falls onto its picture.

use std::f32::consts::{FRAC_PI_2, PI};

use glam::{Mat4, Vec2, Vec3, Vec4};
use thalweg_field::Pose;

use crate::scene::{StyleError, check};

/// A camera. Places are metres east and north of the south-west corner of the terrain, and the drawn
/// (exaggerated) height.
#[derive(Clone, Debug, PartialEq)]
pub enum Camera {
    /// Looks at a target from a distance.
    Orbit(Orbit),
    /// Stands somewhere and looks along a direction.
    Fly(Fly),
    /// Looks straight down without perspective, north up; shows everything.
    Top,
    /// Stays behind and above a body.
    Follow(Follow),
    /// Stands on a body and moves with it.
    Ride(Ride),
}

/// A camera that stays behind a body. It takes part in neither heave, roll nor pitch.
#[derive(Clone, Debug, PartialEq)]
pub struct Follow {
    /// Name of the body.
    pub body: String,
    /// Compass direction that it looks along, clockwise from where the body heads `[rad]`.
    pub yaw: f32,
    /// Angle that it looks down from the horizontal `[rad]`.
    pub pitch: f32,
    /// Height of the field of view `[rad]`.
    pub fov: f32,
    /// Way from the body; `None` goes by its size `[m]`.
    pub distance: Option<f32>,
}

/// A camera that stands on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Ride {
    /// Name of the body.
    pub body: String,
    /// Direction that it looks along, clockwise from the bow `[rad]`.
    pub yaw: f32,
    /// Angle that it looks down from the body's own level `[rad]`.
    pub pitch: f32,
    /// Height of the field of view `[rad]`.
    pub fov: f32,
    /// Where it stands, ahead, to the left and up in the body's axes; `None` for behind its middle, a little above all of
    /// it `[m]`.
    pub seat: Option<[f32; 3]>,
}

impl Default for Follow {
    fn default() -> Self {
        Self {
            body: String::new(),
            yaw: 0.0,
            pitch: 16f32.to_radians(),
            fov: 40f32.to_radians(),
            distance: None,
        }
    }
}

impl Default for Ride {
    fn default() -> Self {
        Self { body: String::new(), yaw: 0.0, pitch: 4f32.to_radians(), fov: 60f32.to_radians(), seat: None }
    }
}

/// A camera that circles a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Orbit {
    /// Compass direction that it looks along, clockwise from north `[rad]`.
    pub yaw: f32,
    /// Angle that it looks down from the horizontal `[rad]`.
    pub pitch: f32,
    /// Height of the field of view `[rad]`.
    pub fov: f32,
    /// Way from the target; `None` shows everything `[m]`.
    pub distance: Option<f32>,
    /// What it looks at; `None` puts everything in the middle of the picture `[m]`.
    pub target: Option<[f32; 3]>,
}

/// A camera that stands somewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Fly {
    /// Where it is `[m]`.
    pub position: [f32; 3],
    /// Compass direction that it looks along, clockwise from north `[rad]`.
    pub yaw: f32,
    /// Angle that it looks down from the horizontal `[rad]`.
    pub pitch: f32,
    /// Height of the field of view `[rad]`.
    pub fov: f32,
}

impl Default for Orbit {
    /// Everything, from the south and a little from the west.
    fn default() -> Self {
        Self {
            yaw: 14f32.to_radians(),
            pitch: 35f32.to_radians(),
            fov: 26f32.to_radians(),
            distance: None,
            target: None,
        }
    }
}

impl Default for Camera {
    fn default() -> Self {
        Self::Orbit(Orbit::default())
    }
}

impl Camera {
    /// A camera that shows everything along a compass direction, looking down by `pitch` `[rad]`.
    pub fn orbit(yaw: f32, pitch: f32) -> Self {
        Self::Orbit(Orbit { yaw, pitch, ..Orbit::default() })
    }

    /// The body that it belongs to.
    pub fn body(&self) -> Option<&str> {
        match self {
            Self::Follow(follow) => Some(&follow.body),
            Self::Ride(ride) => Some(&ride.body),
            Self::Orbit(_) | Self::Fly(_) | Self::Top => None,
        }
    }

    /// The camera itself if it can take a picture.
    pub fn validated(self) -> Result<Self, StyleError> {
        let angles = |yaw: f32, pitch: f32, fov: f32| {
            check("yaw", yaw, true, "it must be a finite angle")?;
            check("pitch", pitch, pitch.abs() <= FRAC_PI_2 + 1.0e-6, "it must lie between -90 and 90 deg")?;
            check("fov", fov, fov > 0.0 && fov < PI, "it must lie between 0 and 180 deg")
        };
        let place =
            |name, at: [f32; 3]| at.iter().try_for_each(|v| check(name, *v, true, "it must be finite"));
        match &self {
            Self::Orbit(orbit) => {
                angles(orbit.yaw, orbit.pitch, orbit.fov)?;
                if let Some(distance) = orbit.distance {
                    check("distance", distance, distance > 0.0, "it must be above 0")?;
                }
                orbit.target.map_or(Ok(()), |target| place("target", target))?;
            }
            Self::Fly(fly) => {
                angles(fly.yaw, fly.pitch, fly.fov)?;
                place("position", fly.position)?;
            }
            Self::Top => {}
            Self::Follow(follow) => {
                angles(follow.yaw, follow.pitch, follow.fov)?;
                if let Some(distance) = follow.distance {
                    check("distance", distance, distance > 0.0, "it must be above 0")?;
                }
            }
            Self::Ride(ride) => {
                angles(ride.yaw, ride.pitch, ride.fov)?;
                ride.seat.map_or(Ok(()), |seat| place("seat", seat))?;
            }
        }
        Ok(self)
    }
}

/// What a camera that shows everything has to show.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subject {
    /// Points whose outline is that of the whole `[m]`.
    pub landmarks: Vec<Vec3>,
}

impl Subject {
    pub(crate) fn bounds(&self) -> [Vec3; 2] {
        let start = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        let [low, high] = self.landmarks.iter().fold(start, |[low, high], p| [low.min(*p), high.max(*p)]);
        if low.x <= high.x { [low, high] } else { [Vec3::ZERO, Vec3::ONE] }
    }
}

/// A camera with everything decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Where it is `[m]`.
    pub eye: Vec3,
    /// Where it looks, unit length `[-]`.
    pub forward: Vec3,
    /// Right in the picture, unit length `[-]`.
    pub right: Vec3,
    /// Up in the picture, unit length `[-]`.
    pub up: Vec3,
    /// How the world is spread over the picture.
    pub lens: Lens,
    /// Width over height of the picture `[-]`.
    pub aspect: f32,
    /// Nothing nearer than this is seen `[m]`.
    pub near: f32,
    /// What matters lies nearer than this; used where a far end is needed `[m]`.
    pub far: f32,
}

/// How the world is spread over a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lens {
    /// Perspective; half the height of the picture at distance 1 `[-]`.
    Perspective(f32),
    /// Parallel rays; half the height of the picture `[m]`.
    Parallel(f32),
}

/// Share of the picture that a subject may fill `[-]`.
const FILL: f32 = 0.93;

/// A body as a camera sees it that belongs to it.
pub(crate) struct Craft<'a> {
    pub pose: &'a Pose,
    /// Lowest and highest corner in its own axes `[m]`.
    pub size: [Vec3; 2],
    /// Height that a camera behind it goes by `[m]`.
    pub level: f32,
    /// Factor on heights `[-]`.
    pub exaggeration: f32,
}

impl Craft<'_> {
    /// A direction of its own axes in the world's.
    fn turned(&self, way: Vec3) -> Vec3 {
        Vec3::from_array(self.pose.turned(way.to_array().map(f64::from)).map(|v| v as f32))
            .normalize_or(Vec3::X)
    }

    /// A place of its own axes in the world's, as it is drawn `[m]`.
    fn world(&self, place: Vec3) -> Vec3 {
        let [x, y, z] = self.pose.world(place.to_array().map(f64::from)).map(|v| v as f32);
        Vec3::new(x, y, z * self.exaggeration)
    }
}

impl View {
    /// Behind a body and above it, level whatever the waves do.
    pub(crate) fn following(follow: &Follow, craft: &Craft, subject: &Subject, aspect: f32) -> Self {
        /// Lengths of the body between it and the camera, unless it is told `[-]`.
        const LENGTHS: f32 = 2.4;
        /// A camera keeps out of the water that much `[m]`.
        const ABOVE: f32 = 1.5;
        let ahead = craft.turned(Vec3::X);
        let heading = ahead.x.atan2(ahead.y);
        let mut view = Self::looking(heading + follow.yaw, follow.pitch, follow.fov, aspect);
        let [low, high] = craft.size;
        let length = (high - low).length().max(1.0);
        let target =
            craft.world(Vec3::ZERO).with_z((craft.level + 0.25 * high.z.max(0.0)) * craft.exaggeration);
        let distance = follow.distance.unwrap_or(LENGTHS * length);
        view.eye = target - view.forward * distance;
        view.eye.z = view.eye.z.max(craft.level * craft.exaggeration + ABOVE);
        view.with_ends(subject)
    }

    /// On a body, and tilted with it.
    pub(crate) fn riding(ride: &Ride, craft: &Craft, subject: &Subject, aspect: f32) -> Self {
        let [low, high] = craft.size;
        // Behind the middle, where a helmsman stands, over all that is there.
        let helm = || {
            let length = high.x - low.x;
            Vec3::new(low.x + 0.3 * length, 0.5 * (low.y + high.y), high.z + 0.06 * length)
        };
        let mut view = Self::looking(0.0, 0.0, ride.fov, aspect);
        let (yaw, pitch) = (ride.yaw, ride.pitch);
        let forward = Vec3::new(yaw.cos() * pitch.cos(), -yaw.sin() * pitch.cos(), -pitch.sin());
        let right = Vec3::new(-yaw.sin(), -yaw.cos(), 0.0);
        (view.forward, view.right) = (craft.turned(forward), craft.turned(right));
        view.up = view.right.cross(view.forward).normalize_or(Vec3::Z);
        view.eye = craft.world(ride.seat.map_or_else(helm, Vec3::from_array));
        view.with_ends(subject)
    }

    pub(crate) fn new(camera: &Camera, subject: &Subject, aspect: f32) -> Self {
        let [low, high] = subject.bounds();
        let reach = (high - low).length().max(1.0e-3);
        let view = match camera {
            Camera::Orbit(orbit) => Self::orbit(orbit, subject, aspect),
            Camera::Fly(fly) => {
                let mut view = Self::looking(fly.yaw, fly.pitch, fly.fov, aspect);
                view.eye = Vec3::from_array(fly.position);
                view
            }
            Camera::Top => {
                let size = (high - low).truncate();
                let half = 0.5 * size.y.max(size.x / aspect).max(1.0e-3);
                let mut view = Self::looking(0.0, FRAC_PI_2, 1.0, aspect);
                view.lens = Lens::Parallel(half);
                view.eye = ((low + high) * 0.5).with_z(high.z + reach);
                view
            }
            // Without its body it shows everything.
            Camera::Follow(_) | Camera::Ride(_) => Self::orbit(&Orbit::default(), subject, aspect),
        };
        view.with_ends(subject)
    }

    /// The view with the ends of what is seen of a subject.
    fn with_ends(mut self, subject: &Subject) -> Self {
        let [low, high] = subject.bounds();
        let reach = (high - low).length().max(1.0e-3);
        let view = &mut self;
        let ways: Vec<f32> = subject.landmarks.iter().map(|p| (*p - view.eye).dot(view.forward)).collect();
        let nearest = ways.iter().copied().fold(f32::INFINITY, f32::min);
        let farthest = ways.iter().copied().fold(0.0, f32::max);
        // The infinite reversed depth range keeps its precision wherever the near end lies; it only has to
        // stay in front of all that is drawn, also between the landmarks.
        view.near = (0.5 * nearest.min(1.0e9)).max(1.0e-4 * reach);
        view.far = farthest.max(view.near * 2.0) + reach;
        self
    }

    /// A view from the origin along a direction.
    pub(crate) fn looking(yaw: f32, pitch: f32, fov: f32, aspect: f32) -> Self {
        let forward = Vec3::new(yaw.sin() * pitch.cos(), yaw.cos() * pitch.cos(), -pitch.sin());
        let right = Vec3::new(yaw.cos(), -yaw.sin(), 0.0);
        Self {
            eye: Vec3::ZERO,
            forward,
            right,
            up: right.cross(forward),
            lens: Lens::Perspective((fov * 0.5).tan()),
            aspect,
            near: 1.0,
            far: 2.0,
        }
    }

    fn orbit(orbit: &Orbit, subject: &Subject, aspect: f32) -> Self {
        let mut view = Self::looking(orbit.yaw, orbit.pitch, orbit.fov, aspect);
        let [low, high] = subject.bounds();
        let half = (orbit.fov * 0.5).tan();
        let mut target = orbit.target.map_or((low + high) * 0.5, Vec3::from_array);
        let mut distance = orbit.distance.unwrap_or((high - low).max_element());
        view.eye = target - view.forward * distance;
        // Each round centres the outline and fits the distance to it; the perspective changes a little
        // with both, so a few rounds are needed. From a chosen distance part of the subject may lie
        // behind the eye, and there is no outline to fit.
        let rounds = if orbit.distance.is_none() { 12 } else { 0 };
        for _ in 0..rounds {
            let [low, high] = view.outline(&subject.landmarks);
            let middle = (low + high) * 0.5;
            if orbit.target.is_none() {
                target += (view.right * middle.x * aspect + view.up * middle.y) * half * distance;
            }
            let reach = if orbit.target.is_none() { (high - low) * 0.5 } else { high.max(-low) };
            distance *= (reach.max_element() / FILL).clamp(0.5, 2.0);
            view.eye = target - view.forward * distance;
        }
        view
    }

    /// Smallest and largest place of points in the picture, in [-1, 1] if inside.
    fn outline(&self, points: &[Vec3]) -> [Vec2; 2] {
        let start = [Vec2::INFINITY, Vec2::NEG_INFINITY];
        let project = |point: &Vec3| {
            let way = *point - self.eye;
            // Points beside or behind the eye count as far outside, which moves the camera away.
            self.spread(way, way.dot(self.forward).max(1.0e-3 * way.length()))
        };
        points.iter().map(project).fold(start, |[low, high], p| [low.min(p), high.max(p)])
    }

    fn spread(&self, way: Vec3, depth: f32) -> Vec2 {
        let half = match self.lens {
            Lens::Perspective(half) => half * depth,
            Lens::Parallel(half) => half,
        };
        Vec2::new(way.dot(self.right) / (half * self.aspect), way.dot(self.up) / half)
    }

    /// Start and unit direction of the ray through a place in the picture, both in [0, 1] from the top left.
    pub fn ray(&self, x: f32, y: f32) -> (Vec3, Vec3) {
        let across =
            |half: f32| self.right * (2.0 * x - 1.0) * half * self.aspect + self.up * (1.0 - 2.0 * y) * half;
        match self.lens {
            Lens::Perspective(half) => (self.eye, (self.forward + across(half)).normalize()),
            Lens::Parallel(half) => (self.eye + across(half), self.forward),
        }
    }

    /// Where a point lies in the picture, both in [0, 1] from the top left if inside; `None` if it is
    /// nearer than the near end or behind.
    pub fn place_of(&self, point: Vec3) -> Option<[f32; 2]> {
        let way = point - self.eye;
        let depth = way.dot(self.forward);
        if depth < self.near {
            return None;
        }
        let at = self.spread(way, depth);
        Some([0.5 + 0.5 * at.x, 0.5 - 0.5 * at.y])
    }

    /// World to clip space; depth runs from 1 at the near end to 0 far away.
    pub fn clip_from_world(&self) -> Mat4 {
        // Rows of the matrix, each with the eye moved to the origin.
        let row = |axis: Vec3, scale: f32| (axis * scale).extend(-axis.dot(self.eye) * scale);
        let rows = match self.lens {
            Lens::Perspective(half) => [
                row(self.right, 1.0 / (half * self.aspect)),
                row(self.up, 1.0 / half),
                Vec4::W * self.near,
                row(self.forward, 1.0),
            ],
            Lens::Parallel(half) => {
                let depth = row(self.forward, -1.0 / (self.far - self.near));
                [
                    row(self.right, 1.0 / (half * self.aspect)),
                    row(self.up, 1.0 / half),
                    depth + Vec4::W * (self.far / (self.far - self.near)),
                    Vec4::W,
                ]
            }
        };
        Mat4::from_cols(rows[0], rows[1], rows[2], rows[3]).transpose()
    }

    /// Side of what one pixel of a picture of that height shows at a distance `[m]`.
    pub fn metres_per_pixel(&self, distance: f32, height: usize) -> f32 {
        let half = match self.lens {
            Lens::Perspective(half) => half * distance,
            Lens::Parallel(half) => half,
        };
        2.0 * half / height.max(1) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> Subject {
        let corner = |i: usize| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32) * 100.0;
        Subject { landmarks: (0..8).map(corner).collect() }
    }

    /// A camera at (50, -100, 50) that looks north with a field of view of 90°: at distance 100 the
    /// picture is 200 m high, so 50 m up is a quarter of the picture above its middle.
    #[test]
    fn known_points_land_on_known_pixels() {
        let fly = Fly { position: [50.0, -100.0, 50.0], yaw: 0.0, pitch: 0.0, fov: FRAC_PI_2 };
        let view = View::new(&Camera::Fly(fly), &cube(), 2.0);
        for (point, expected) in [
            ([50.0, 0.0, 50.0], [0.5, 0.5]),
            ([50.0, 0.0, 100.0], [0.5, 0.25]),
            ([100.0, 0.0, 50.0], [0.625, 0.5]),
            ([50.0, 100.0, 0.0], [0.5, 0.625]),
        ] {
            let found = view.place_of(Vec3::from_array(point)).expect("in front");
            assert!((found[0] - expected[0]).abs() < 1.0e-6, "{point:?}: {found:?}, not {expected:?}");
            assert!((found[1] - expected[1]).abs() < 1.0e-6, "{point:?}: {found:?}, not {expected:?}");
        }
        assert_eq!(view.place_of(Vec3::new(50.0, -200.0, 50.0)), None, "behind the camera");
    }

    /// The matrix for the graphics device, the projection and the rays are three ways to say the same.
    #[test]
    fn matrix_projection_and_rays_agree() {
        let cameras = [
            Camera::default(),
            Camera::orbit(2.0, 0.9),
            Camera::Top,
            Camera::Fly(Fly { position: [-90.0, 30.0, 80.0], yaw: 1.3, pitch: 0.2, fov: 0.8 }),
        ];
        for camera in cameras {
            let view = View::new(&camera, &cube(), 1.6);
            for point in cube().landmarks {
                let Some([x, y]) = view.place_of(point) else { continue };
                let clip = view.clip_from_world().project_point3(point);
                assert!((clip.x - (2.0 * x - 1.0)).abs() < 1.0e-4, "{camera:?} {point}: {clip}");
                assert!((clip.y - (1.0 - 2.0 * y)).abs() < 1.0e-4, "{camera:?} {point}: {clip}");
                assert!(clip.z > 0.0 && clip.z <= 1.0, "{camera:?} {point}: depth {}", clip.z);
                let (start, direction) = view.ray(x, y);
                let way = point - start;
                assert!((way - direction * way.dot(direction)).length() < 1.0e-2, "{camera:?} {point}");
            }
        }
    }

    #[test]
    fn a_camera_that_shows_everything_shows_everything() {
        for (yaw, pitch) in [(0.0, 0.6), (2.5, 0.1), (-1.0, 1.5)] {
            let view = View::new(&Camera::orbit(yaw, pitch), &cube(), 1.8);
            for point in cube().landmarks {
                let place = view.place_of(point).expect("in front");
                assert!(place.iter().all(|v| (0.0..=1.0).contains(v)), "{yaw} {pitch} {point}: {place:?}");
            }
        }
    }

    #[test]
    fn north_is_up_and_east_is_right_from_the_top() {
        let view = View::new(&Camera::Top, &cube(), 1.0);
        let [x, y] = view.place_of(Vec3::new(100.0, 100.0, 50.0)).unwrap();
        assert!((x - 1.0).abs() < 1.0e-5 && y.abs() < 1.0e-5, "{x} {y}");
    }
}
