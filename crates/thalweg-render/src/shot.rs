//! Cameras that move: a still, a path through keys, a turn around the subject.

use std::f32::consts::TAU;

use glam::Vec3;

use crate::camera::{Camera, Fly, Lens, Orbit, View};
use crate::scene::StyleError;

/// How a camera moves while pictures are taken.
#[derive(Clone, Debug, PartialEq)]
pub enum Shot {
    /// Not at all.
    Still(Camera),
    /// Smoothly through all keys, in the order of their times.
    Path(Vec<Key>),
    /// Around its target.
    Turntable {
        /// Where it begins.
        orbit: Orbit,
        /// How long it takes `[s]`.
        duration: f32,
        /// How often it goes around, clockwise seen from above; negative for the other way `[-]`.
        turns: f32,
    },
}

/// A camera at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// When `[s]`.
    pub time: f32,
    /// Where and whereto.
    pub camera: Camera,
}

/// A shot that cannot be taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShotError {
    /// A path needs a start and an end.
    #[error("a path of {0} keys; it needs 2 or more")]
    FewKeys(usize),
    /// Time runs forwards.
    #[error("key {key} is at {time} s, not after the one before at {before} s; times must increase")]
    Order {
        /// Which, counted from 0.
        key: usize,
        /// Its time `[s]`.
        time: f32,
        /// The time of the key before it `[s]`.
        before: f32,
    },
    /// Between a view without perspective and one with it there is no way.
    #[error("key {0} looks straight down without perspective (top); keys are orbit or fly cameras")]
    Top(usize),
    /// A body moves on a path of its own.
    #[error("key {0} belongs to a body (follow, ride); keys are orbit or fly cameras")]
    Body(usize),
    /// A camera that cannot take a picture.
    #[error("key {key}: {reason}")]
    Camera {
        /// Which, counted from 0.
        key: usize,
        /// What is wrong with it.
        reason: StyleError,
    },
    /// A number that makes no sense.
    #[error(transparent)]
    Style(#[from] StyleError),
}

/// Directions around a turntable that are tried to find a distance from which all of them show everything.
const TRIALS: usize = 24;

impl Shot {
    /// The shot itself if it can be taken.
    pub fn validated(self) -> Result<Self, ShotError> {
        match &self {
            Self::Still(camera) => {
                camera.clone().validated()?;
            }
            Self::Path(keys) => check_keys(keys)?,
            Self::Turntable { orbit, duration, turns } => {
                Camera::Orbit(orbit.clone()).validated()?;
                let wrong = |name, value, wanted| Err(StyleError { name, value, wanted }.into());
                if !(duration.is_finite() && *duration > 0.0) {
                    return wrong("duration", *duration, "it must be above 0 s");
                }
                if !turns.is_finite() {
                    return wrong("turns", *turns, "it must be a finite number");
                }
            }
        }
        Ok(self)
    }

    /// From the first moment to the last `[s]`; 0 for a still.
    pub fn duration(&self) -> f32 {
        match self {
            Self::Still(_) => 0.0,
            Self::Path(keys) => keys.last().map_or(0.0, |last| last.time - keys[0].time),
            Self::Turntable { duration, .. } => *duration,
        }
    }

    /// Moments for so many pictures, evenly spread. A path begins and ends with a picture; a turntable leaves
    /// out its end, which is its beginning.
    pub fn moments(&self, count: usize) -> impl Iterator<Item = f32> + use<> {
        let gaps = match self {
            Self::Turntable { .. } => count,
            Self::Still(_) | Self::Path(_) => count.saturating_sub(1),
        };
        let step = self.duration() / gaps.max(1) as f32;
        (0..count).map(move |number| number as f32 * step)
    }

    /// The same shot with everything decided that a camera leaves to the subject: its distance, and what is in the
    /// middle. Frames of one shot then keep their distance, even if the subject changes. `resolve` tells the view
    /// that a camera has of the subject.
    #[must_use]
    pub fn settled(self, resolve: &dyn Fn(&Camera) -> View) -> Self {
        match self {
            Self::Still(Camera::Orbit(orbit)) => Self::Still(Camera::Fly(standing(
                &resolve(&Camera::Orbit(orbit.clone())),
                orbit.yaw,
                orbit.pitch,
            ))),
            Self::Still(camera) => Self::Still(camera),
            Self::Path(keys) => {
                let fly = |camera: Camera| match camera {
                    Camera::Orbit(Orbit { yaw, pitch, .. }) => {
                        Camera::Fly(standing(&resolve(&camera), yaw, pitch))
                    }
                    other => other,
                };
                Self::Path(keys.into_iter().map(|key| Key { camera: fly(key.camera), ..key }).collect())
            }
            Self::Turntable { orbit, duration, turns } => {
                Self::Turntable { orbit: centred(orbit, resolve), duration, turns }
            }
        }
    }

    /// The camera at a moment after the start `[s]`; before the start and after the end it stands still. A path must
    /// be settled first, as long as one of its cameras leaves something to the subject: until then it jumps from key
    /// to key.
    pub fn at(&self, time: f32) -> Camera {
        match self {
            Self::Still(camera) => camera.clone(),
            Self::Path(keys) => along(keys, time),
            Self::Turntable { orbit, duration, turns } => {
                let share = if *duration > 0.0 { (time / duration).clamp(0.0, 1.0) } else { 0.0 };
                Camera::Orbit(Orbit {
                    yaw: orbit.yaw + TAU * (turns * share).rem_euclid(1.0),
                    ..orbit.clone()
                })
            }
        }
    }
}

fn check_keys(keys: &[Key]) -> Result<(), ShotError> {
    if keys.len() < 2 {
        return Err(ShotError::FewKeys(keys.len()));
    }
    for (i, key) in keys.iter().enumerate() {
        let time = key.time;
        if !time.is_finite() {
            return Err(StyleError { name: "time", value: time, wanted: "it must be a finite number" }.into());
        }
        if key.camera == Camera::Top {
            return Err(ShotError::Top(i));
        }
        if key.camera.body().is_some() {
            return Err(ShotError::Body(i));
        }
        key.camera.clone().validated().map_err(|reason| ShotError::Camera { key: i, reason })?;
    }
    match keys.windows(2).position(|pair| pair[1].time <= pair[0].time) {
        Some(i) => Err(ShotError::Order { key: i + 1, time: keys[i + 1].time, before: keys[i].time }),
        None => Ok(()),
    }
}

/// The camera that stands where a view is taken from. The angles are those that it was asked for: a direction
/// straight down has no heading of its own.
fn standing(view: &View, yaw: f32, pitch: f32) -> Fly {
    let fov = match view.lens {
        Lens::Perspective(half) => 2.0 * half.atan(),
        Lens::Parallel(_) => Orbit::default().fov,
    };
    Fly { position: view.eye.to_array(), yaw, pitch, fov }
}

/// An orbit whose target and distance are known, and from which all sides of the subject fit into the picture.
fn centred(orbit: Orbit, resolve: &dyn Fn(&Camera) -> View) -> Orbit {
    let target = orbit.target.map_or_else(|| middle(&orbit, resolve), Vec3::from_array);
    let orbit = Orbit { target: Some(target.to_array()), ..orbit };
    let away = |trial: usize| {
        let yaw = orbit.yaw + TAU * trial as f32 / TRIALS as f32;
        (resolve(&Camera::Orbit(Orbit { yaw, ..orbit.clone() })).eye - target).length()
    };
    let farthest = || (0..TRIALS).map(away).fold(0.0, f32::max);
    Orbit { distance: Some(orbit.distance.unwrap_or_else(farthest)), ..orbit.clone() }
}

/// The place above the middle of the subject's plan that an orbit without a target looks at.
fn middle(orbit: &Orbit, resolve: &dyn Fn(&Camera) -> View) -> Vec3 {
    let plan = resolve(&Camera::Top).eye.truncate();
    let view = resolve(&Camera::Orbit(orbit.clone()));
    let ahead = view.forward.truncate();
    // Where the middle of the picture comes nearest to the upright line through the plan's middle. From straight
    // above all of it lies on that line; then it is the nearest part of the subject, at twice the near end.
    let way = match ahead.length_squared() {
        flat if flat > 1.0e-6 => (plan - view.eye.truncate()).dot(ahead) / flat,
        _ => view.near * 2.0,
    };
    plan.extend(view.eye.z + view.forward.z * way)
}

/// The camera on a path: through all keys, in a straight line of time.
fn along(keys: &[Key], time: f32) -> Camera {
    let Some(first) = keys.first() else { return Camera::default() };
    let now = first.time + time;
    let next = keys.partition_point(|key| key.time <= now);
    let (Some(from), Some(to)) = (next.checked_sub(1).map(|i| &keys[i]), keys.get(next)) else {
        return keys[next.saturating_sub(1).min(keys.len() - 1)].camera.clone();
    };
    let (Camera::Fly(a), Camera::Fly(b)) = (&from.camera, &to.camera) else { return from.camera.clone() };
    let [before, after] = [next.checked_sub(2), Some(next + 1)].map(|i| {
        i.and_then(|i| keys.get(i)).and_then(|key| match &key.camera {
            Camera::Fly(fly) => Some((key.time, fly)),
            _ => None,
        })
    });
    let times =
        [before.map_or(from.time, |key| key.0), from.time, to.time, after.map_or(to.time, |key| key.0)];
    let stations = [before.map_or(a, |key| key.1), a, b, after.map_or(b, |key| key.1)];
    let curve = Curve { times, now };
    let each = |value: &dyn Fn(&Fly) -> f32| curve.through(stations.map(value));
    let yaws = unwrapped(stations.map(|fly| fly.yaw));
    Camera::Fly(Fly {
        position: std::array::from_fn(|axis| each(&|fly| fly.position[axis])),
        yaw: curve.through(yaws),
        pitch: each(&|fly| fly.pitch).clamp(-std::f32::consts::FRAC_PI_2, std::f32::consts::FRAC_PI_2),
        fov: each(&|fly| fly.fov).clamp(1.0e-3, std::f32::consts::PI - 1.0e-3),
    })
}

/// Headings that turn the short way from each to the next.
fn unwrapped(mut yaws: [f32; 4]) -> [f32; 4] {
    for i in 1..yaws.len() {
        let turn = (yaws[i] - yaws[i - 1] + 0.5 * TAU).rem_euclid(TAU) - 0.5 * TAU;
        yaws[i] = yaws[i - 1] + turn;
    }
    yaws
}

/// A cubic between the second and the third of four moments whose speed at each is the slope between its
/// neighbours (Catmull & Rom 1974, with uneven times as in Kochanek & Bartels 1984).
struct Curve {
    times: [f32; 4],
    now: f32,
}

impl Curve {
    fn through(&self, values: [f32; 4]) -> f32 {
        let [t0, t1, t2, t3] = self.times;
        let [v0, v1, v2, v3] = values;
        let span = t2 - t1;
        // Weighing the slopes on either side by the other's time keeps the curve from overshooting where a long
        // pause follows a short one.
        let slope = |before: [f32; 2], after: [f32; 2]| match (before[1], after[1]) {
            (0.0, time) => after[0] / time,
            (time, 0.0) => before[0] / time,
            (early, late) => (before[0] / early * late + after[0] / late * early) / (early + late),
        };
        let start = slope([v1 - v0, t1 - t0], [v2 - v1, span]) * span;
        let end = slope([v2 - v1, span], [v3 - v2, t3 - t2]) * span;
        let u = ((self.now - t1) / span).clamp(0.0, 1.0);
        let (u2, u3) = (u * u, u * u * u);
        v1 * (2.0 * u3 - 3.0 * u2 + 1.0)
            + start * (u3 - 2.0 * u2 + u)
            + v2 * (3.0 * u2 - 2.0 * u3)
            + end * (u3 - u2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Subject;

    fn fly(position: [f32; 3], yaw_degrees: f32) -> Camera {
        Camera::Fly(Fly { position, yaw: yaw_degrees.to_radians(), pitch: 0.3, fov: 0.6 })
    }

    fn path() -> Shot {
        let keys = [
            (2.0, fly([0.0, 0.0, 50.0], 340.0)),
            (3.0, fly([100.0, 20.0, 60.0], 10.0)),
            (7.0, fly([150.0, 200.0, 90.0], 80.0)),
            (7.5, fly([120.0, 260.0, 40.0], -170.0)),
        ];
        Shot::Path(keys.map(|(time, camera)| Key { time, camera }).into()).validated().unwrap()
    }

    fn place(camera: &Camera) -> (Vec3, f32) {
        match camera {
            Camera::Fly(fly) => (Vec3::from_array(fly.position), fly.yaw),
            other => panic!("{other:?}"),
        }
    }

    fn cube() -> Subject {
        let corner = |i: usize| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32) * 100.0;
        Subject { landmarks: (0..8).map(corner).collect() }
    }

    #[test]
    fn a_path_goes_through_its_keys_at_their_times() {
        let shot = path();
        let Shot::Path(keys) = &shot else { unreachable!() };
        assert_eq!(shot.duration(), 5.5);
        for key in keys {
            let (found, yaw) = place(&shot.at(key.time - 2.0));
            let (expected, heading) = place(&key.camera);
            assert!((found - expected).length() < 1.0e-3, "at {} s: {found}, not {expected}", key.time);
            assert!((yaw - heading).sin().abs() < 1.0e-4, "at {} s: {yaw}, not {heading} rad", key.time);
        }
        // Before and after, it stands at its ends.
        assert_eq!(place(&shot.at(-1.0)).0, place(&keys[0].camera).0);
        assert_eq!(place(&shot.at(99.0)).0, place(&keys[3].camera).0);
    }

    /// Neither place nor speed jumps: over 1/500 s nothing moves farther than the fastest part of the path, and
    /// the steps change little from one to the next.
    #[test]
    fn a_path_is_smooth() {
        let shot = path();
        let places: Vec<Vec3> = (0..=2750).map(|i| place(&shot.at(i as f32 / 500.0)).0).collect();
        let steps: Vec<Vec3> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let longest = steps.iter().map(|step| step.length()).fold(0.0, f32::max);
        assert!(longest < 0.5, "a step of {longest} m in 1/500 s");
        let jerk = steps.windows(2).map(|pair| (pair[1] - pair[0]).length()).fold(0.0, f32::max);
        assert!(jerk < 0.01, "the speed jumps by {} m/s", jerk * 500.0);
    }

    #[test]
    fn headings_turn_the_short_way_over_north() {
        let shot = path();
        for i in 0..=100 {
            let yaw = place(&shot.at(i as f32 / 100.0)).1.to_degrees().rem_euclid(360.0);
            assert!(!(20.0..335.0).contains(&yaw), "from 340 to 10 degrees over {yaw}");
        }
    }

    #[test]
    fn keys_of_both_kinds_make_one_path() {
        let keys = vec![
            Key { time: 0.0, camera: Camera::default() },
            Key { time: 1.0, camera: fly([0.0, 0.0, 200.0], 45.0) },
        ];
        let cube = cube();
        let resolve = |camera: &Camera| View::new(camera, &cube, 1.5);
        let shot = Shot::Path(keys).validated().unwrap().settled(&resolve);
        let whole = resolve(&Camera::default());
        assert!((place(&shot.at(0.0)).0 - whole.eye).length() < 1.0e-3);
        let between = place(&shot.at(0.5)).0;
        assert!((between - whole.eye.midpoint(Vec3::new(0.0, 0.0, 200.0))).length() < 1.0, "{between}");
    }

    #[test]
    fn a_turntable_ends_where_it_began_and_always_shows_everything() {
        let cube = cube();
        let resolve = |camera: &Camera| View::new(camera, &cube, 1.5);
        let shot = Shot::Turntable { orbit: Orbit::default(), duration: 8.0, turns: 1.0 };
        let shot = shot.validated().unwrap().settled(&resolve);
        let [first, last] = [0.0, 8.0].map(|time| resolve(&shot.at(time)));
        assert!((first.eye - last.eye).length() < 1.0e-3, "{} and {}", first.eye, last.eye);
        let moments: Vec<f32> = shot.moments(16).collect();
        assert_eq!((moments[0], moments[8], moments.len()), (0.0, 4.0, 16));
        for time in moments {
            let view = resolve(&shot.at(time));
            let away = (view.eye - Vec3::splat(50.0)).length();
            let begin = (first.eye - Vec3::splat(50.0)).length();
            assert!((away - begin).abs() < 20.0, "{away} m away at {time} s, {begin} m at the start");
            for point in &cube.landmarks {
                let [x, y] = view.place_of(*point).expect("in front");
                let inside = (-0.01..=1.01).contains(&x) && (-0.01..=1.01).contains(&y);
                assert!(inside, "{point} lies at {x} {y} after {time} s");
            }
        }
    }

    #[test]
    fn a_settled_still_keeps_its_place_when_the_subject_grows() {
        let (small, large) =
            (cube(), Subject { landmarks: cube().landmarks.iter().map(|p| *p * 2.0).collect() });
        let shot = Shot::Still(Camera::default()).settled(&|camera| View::new(camera, &small, 1.5));
        let [before, after] = [&small, &large].map(|subject| View::new(&shot.at(0.0), subject, 1.5));
        assert_eq!((before.eye, before.forward), (after.eye, after.forward));
        let asked = View::new(&Camera::default(), &small, 1.5);
        assert!(
            (before.eye - asked.eye).length() < 1.0e-3 && (before.forward - asked.forward).length() < 1.0e-5
        );
    }

    #[test]
    fn shots_that_make_no_sense_are_refused_with_the_reason() {
        let keys = |times: &[f32]| {
            let key = |&time: &f32| Key { time, camera: fly([time, 0.0, 9.0], 0.0) };
            Shot::Path(times.iter().map(key).collect())
        };
        let told = |shot: Shot| shot.validated().unwrap_err().to_string();
        assert_eq!(told(keys(&[1.0])), "a path of 1 keys; it needs 2 or more");
        assert!(
            told(keys(&[0.0, 2.0, 2.0])).starts_with("key 2 is at 2 s"),
            "{}",
            told(keys(&[0.0, 2.0, 2.0]))
        );
        assert!(told(keys(&[0.0, f32::NAN])).contains("finite"));
        let top = Shot::Path(vec![
            Key { time: 0.0, camera: Camera::default() },
            Key { time: 1.0, camera: Camera::Top },
        ]);
        assert!(told(top).contains("key 1 looks straight down"));
        let steep = Camera::orbit(0.0, 3.0);
        let path =
            vec![Key { time: 0.0, camera: steep.clone() }, Key { time: 1.0, camera: Camera::default() }];
        assert!(told(Shot::Path(path)).starts_with("key 0: pitch is 3"));
        assert!(told(Shot::Still(steep)).contains("pitch"));
        let turn = |duration, turns| Shot::Turntable { orbit: Orbit::default(), duration, turns };
        assert!(told(turn(0.0, 1.0)).contains("duration is 0"));
        assert!(told(turn(1.0, f32::INFINITY)).contains("turns"));
    }
}
