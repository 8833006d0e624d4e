//! How the view is moved: orbit, pan, zoom, fly.

use crate::picking::{Ground, Place};
use thalweg::render::{Camera, Fly, Lens, Orbit, View};

/// Turn of the view for a drag over the whole height of the picture `[rad]`.
const TURN: f32 = 3.0;
/// Views do not turn over `[rad]`.
const STEEPEST: f32 = 1.55;
const FLATTEST: f32 = -0.3;
/// Height of the field of view of cameras that fly `[rad]`.
const FLYING_FOV: f32 = 0.9;

/// The angles of a view: compass direction and angle down.
fn angles(view: &View) -> [f32; 2] {
    [view.forward.x.atan2(view.forward.y), (-view.forward.z).clamp(-1.0, 1.0).asin()]
}

/// An orbit with the eye where a view has it, around what it looks at.
pub(crate) fn orbit_of(view: &View, ground: Option<&Ground>) -> Orbit {
    let fov = match view.lens {
        Lens::Perspective(half) => 2.0 * half.atan(),
        Lens::Parallel(_) => Orbit::default().fov,
    };
    let [yaw, pitch] = angles(view);
    let looked_at = ground.and_then(|ground| {
        let Place { at, .. } = ground.seen(view, [0.5, 0.5])?;
        Some(ground.drawn(at))
    });
    let half_way = || 0.5 * (view.near + view.far);
    let distance = looked_at
        .map_or_else(half_way, |place| dot(minus(place, view.eye.to_array()), view.forward.to_array()));
    let distance = match view.lens {
        Lens::Perspective(_) => distance.max(1.0e-3),
        // As much is seen as before.
        Lens::Parallel(half) => half / (0.5 * fov).tan(),
    };
    let middle = match (view.lens, looked_at) {
        (Lens::Parallel(_), Some(place)) => place,
        _ => plus(view.eye.to_array(), view.forward.to_array(), distance),
    };
    Orbit { yaw, pitch, fov, distance: Some(distance), target: Some(middle) }
}

fn minus(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

fn plus(a: [f32; 3], way: [f32; 3], by: f32) -> [f32; 3] {
    std::array::from_fn(|i| a[i] + way[i] * by)
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

/// Turns a view around what it looks at, by shares of the picture's height.
pub(crate) fn turned(view: &View, ground: Option<&Ground>, by: [f32; 2]) -> Camera {
    let mut orbit = orbit_of(view, ground);
    orbit.yaw += TURN * by[0];
    orbit.pitch = (orbit.pitch + TURN * by[1]).clamp(FLATTEST, STEEPEST);
    Camera::Orbit(orbit)
}

/// Moves a view aside, so that what is under the cursor stays there.
pub(crate) fn moved(view: &View, ground: Option<&Ground>, by: [f32; 2]) -> Camera {
    let mut orbit = orbit_of(view, ground);
    let reach = 2.0 * (0.5 * orbit.fov).tan() * orbit.distance.unwrap_or(1.0);
    let target = orbit.target.unwrap_or_default();
    let aside = plus(target, view.right.to_array(), -by[0] * reach);
    orbit.target = Some(plus(aside, view.up.to_array(), by[1] * reach));
    Camera::Orbit(orbit)
}

/// Brings a view nearer to what is under the cursor, or away from it for factors above 1.
pub(crate) fn zoomed(view: &View, ground: Option<&Ground>, factor: f32, at: [f32; 2]) -> Camera {
    let mut orbit = orbit_of(view, ground);
    let target = orbit.target.unwrap_or_default();
    let under = ground.and_then(|ground| ground.seen(view, at).map(|place| ground.drawn(place.at)));
    let way = minus(under.unwrap_or(target), target);
    orbit.target = Some(plus(target, way, 1.0 - factor));
    orbit.distance = orbit.distance.map(|distance| (distance * factor).max(0.05));
    Camera::Orbit(orbit)
}

/// What the keys of a flight ask for, each from -1 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Flight {
    pub ahead: f32,
    pub aside: f32,
    pub up: f32,
    /// Turn, as shares of the picture's height.
    pub turn: [f32; 2],
}

/// Flies on from a view by that many metres for a whole key.
pub(crate) fn flown(view: &View, flight: &Flight, metres: f32) -> Camera {
    let [yaw, pitch] = angles(view);
    let ahead = plus(view.eye.to_array(), view.forward.to_array(), flight.ahead * metres);
    let mut position = plus(ahead, view.right.to_array(), flight.aside * metres);
    position[2] += flight.up * metres;
    let fov = match view.lens {
        Lens::Perspective(half) => 2.0 * half.atan(),
        Lens::Parallel(_) => FLYING_FOV,
    };
    let pitch = (pitch + TURN * flight.turn[1]).clamp(-STEEPEST, STEEPEST);
    Camera::Fly(Fly { position, yaw: yaw + TURN * flight.turn[0], pitch, fov })
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg::field::{Frame, Grid2, Heightfield, Snapshot};
    use thalweg::render::Extent;

    fn plain() -> (Snapshot, Ground) {
        let field =
            Heightfield { height: Grid2::from_fn(64, 64, |c, _| c as f32), frame: Frame::with_cell(10.0) };
        let snapshot = thalweg::draw::bare(&field);
        let ground = Ground::of(&snapshot, 1.0).unwrap();
        (snapshot, ground)
    }

    fn view(snapshot: &Snapshot, camera: &Camera) -> View {
        Extent::of(snapshot).view(camera, 1.0, 1.6)
    }

    #[test]
    fn what_is_under_the_cursor_stays_there_while_zooming_and_panning() {
        let (snapshot, ground) = plain();
        let before = view(&snapshot, &Camera::default());
        let at = [0.6, 0.55];
        let place = ground.seen(&before, at).unwrap();
        let near = view(&snapshot, &zoomed(&before, Some(&ground), 0.5, at));
        let [x, y] = near.place_of(ground.drawn(place.at).into()).unwrap();
        assert!((x - at[0]).hypot(y - at[1]) < 0.02, "it went to {x}, {y}");
        let middle = ground.seen(&before, [0.5, 0.5]).unwrap();
        let aside = view(&snapshot, &moved(&before, Some(&ground), [0.1 * 1.6, 0.0]));
        let [x, y] = aside.place_of(ground.drawn(middle.at).into()).unwrap();
        assert!((x - 0.6).abs() < 0.01 && (y - 0.5).abs() < 0.01, "it went to {x}, {y}");
    }

    #[test]
    fn an_orbit_stays_at_its_distance_and_a_flight_goes_where_it_looks() {
        let (snapshot, ground) = plain();
        let before = view(&snapshot, &Camera::default());
        let Camera::Orbit(start) = turned(&before, Some(&ground), [0.0; 2]) else { panic!() };
        let Camera::Orbit(end) = turned(&before, Some(&ground), [0.2, -0.05]) else { panic!() };
        assert_eq!((start.distance, start.target), (end.distance, end.target));
        assert!((end.yaw - start.yaw - 0.6).abs() < 1.0e-4 && end.pitch < start.pitch);
        let flight = Flight { ahead: 1.0, ..Flight::default() };
        let Camera::Fly(fly) = flown(&before, &flight, 7.0) else { panic!() };
        let way: f32 = (0..3).map(|i| (fly.position[i] - before.eye[i]) * before.forward[i]).sum();
        assert!((way - 7.0).abs() < 1.0e-2, "{way} m instead of 7 m");
    }
}
