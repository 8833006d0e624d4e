//! `[camera]`: where pictures are taken from.

use super::picture::decimal;
use super::ranges::{Point, angle, fov_range, pitch_range, size};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thalweg_field::{describe::within, units};
use thalweg_render::{Camera, Fly, Follow, Key, Orbit, Ride, Shot};

/// Where pictures are taken from, and how the camera moves from frame to frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CameraTable {
    /// What kind of camera.
    pub kind: CameraKind,
    /// Compass direction that it looks along, clockwise from north; of `follow` and `ride`, clockwise from where the body
    /// heads, 0 as long as it has this default `[rad]`.
    #[serde(with = "units::Angle")]
    #[schemars(transform = angle())]
    pub yaw: f64,
    /// Angle that it looks down from the horizontal; of `follow` 16 deg and of `ride` 4 deg as long as it has this default
    /// `[rad]`.
    #[serde(with = "units::Angle")]
    #[schemars(transform = pitch_range())]
    pub pitch: f64,
    /// Height of the field of view; of `follow` 40 deg and of `ride` 60 deg as long as it has this default `[rad]`.
    #[serde(with = "units::Angle")]
    #[schemars(transform = fov_range())]
    pub fov: f64,
    /// `orbit`, `turntable`: way from the target `[m]`; missing: as far as everything is seen from. `follow`: way from the
    /// body; missing: by its size.
    #[serde(with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = size().slider(1.0, 2.0e4))]
    pub distance: Option<f64>,
    /// `orbit`, `turntable`: what it looks at, east, north and up; missing: the middle of everything.
    #[serde(with = "Point", skip_serializing_if = "Option::is_none")]
    pub target: Option<[f64; 3]>,
    /// `fly`: where it stands, east, north and up.
    #[serde(with = "Point", skip_serializing_if = "Option::is_none")]
    pub position: Option<[f64; 3]>,
    /// `follow`, `ride`: name of the body.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub body: String,
    /// `ride`: where it stands on the body, ahead, to the left and up; missing: behind its middle, above all of it.
    #[serde(with = "Point", skip_serializing_if = "Option::is_none")]
    pub seat: Option<[f64; 3]>,
    /// `turntable`: how long it takes `[s]`; missing: 8 s.
    #[serde(with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-3, 1.0e6).slider(1.0, 60.0))]
    pub duration: Option<f64>,
    /// `turntable`: how often it goes around, clockwise seen from above; negative for the other way `[-]`; missing: once.
    #[serde(with = "units::Ratio", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(-1.0e4, 1.0e4).slider(-2.0, 2.0))]
    pub turns: Option<f64>,
    /// `path`: where it leads through, two or more.
    #[serde(rename = "key", skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<CameraKey>,
}

/// Kinds of cameras.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CameraKind {
    /// Looks at a target from a distance.
    #[default]
    Orbit,
    /// Stands somewhere and looks along a direction.
    Fly,
    /// Looks straight down without perspective, north up.
    Top,
    /// Moves through keys.
    Path,
    /// Goes around its target.
    Turntable,
    /// Stays behind a body and above it.
    Follow,
    /// Stands on a body and moves with it.
    Ride,
}

/// A camera of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CameraKey {
    /// When the path comes through here `[s]`.
    #[serde(with = "units::Time")]
    #[schemars(transform = within(-1.0e6, 1.0e6).slider(0.0, 60.0))]
    pub time: f64,
    /// What kind of camera.
    #[serde(default)]
    pub kind: KeyKind,
    /// As in `[camera]` `[rad]`.
    #[serde(default = "yaw", with = "units::Angle")]
    #[schemars(transform = angle())]
    pub yaw: f64,
    /// As in `[camera]` `[rad]`.
    #[serde(default = "pitch", with = "units::Angle")]
    #[schemars(transform = pitch_range())]
    pub pitch: f64,
    /// As in `[camera]` `[rad]`.
    #[serde(default = "fov", with = "units::Angle")]
    #[schemars(transform = fov_range())]
    pub fov: f64,
    /// As in `[camera]` `[m]`.
    #[serde(default, with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = size().slider(1.0, 2.0e4))]
    pub distance: Option<f64>,
    /// As in `[camera]` `[m]`.
    #[serde(default, with = "Point", skip_serializing_if = "Option::is_none")]
    pub target: Option<[f64; 3]>,
    /// As in `[camera]` `[m]`.
    #[serde(default, with = "Point", skip_serializing_if = "Option::is_none")]
    pub position: Option<[f64; 3]>,
}

/// Kinds of cameras that a path can lead through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KeyKind {
    /// Looks at a target from a distance.
    #[default]
    Orbit,
    /// Stands somewhere and looks along a direction.
    Fly,
}

fn yaw() -> f64 {
    decimal(Orbit::default().yaw)
}

fn pitch() -> f64 {
    decimal(Orbit::default().pitch)
}

fn fov() -> f64 {
    decimal(Orbit::default().fov)
}

impl Default for CameraTable {
    /// Everything, from the south and a little from the west.
    fn default() -> Self {
        Self {
            kind: CameraKind::Orbit,
            yaw: yaw(),
            pitch: pitch(),
            fov: fov(),
            distance: None,
            target: None,
            position: None,
            body: String::new(),
            seat: None,
            duration: None,
            turns: None,
            keys: Vec::new(),
        }
    }
}

impl CameraTable {
    /// Time that a turntable takes, where the scene does not say `[s]`.
    pub const DURATION: f64 = 8.0;

    /// Writes out what the program would choose.
    pub(super) fn fill_in(&mut self) {
        if self.kind == CameraKind::Turntable {
            self.duration.get_or_insert(Self::DURATION);
            self.turns.get_or_insert(1.0);
        }
    }

    /// The shot that it describes.
    pub fn shot(&self) -> Shot {
        match self.kind {
            CameraKind::Orbit => Shot::Still(Camera::Orbit(self.orbit())),
            CameraKind::Fly => Shot::Still(Camera::Fly(Fly {
                position: self.position.unwrap_or_default().map(|v| v as f32),
                yaw: self.yaw as f32,
                pitch: self.pitch as f32,
                fov: self.fov as f32,
            })),
            CameraKind::Top => Shot::Still(Camera::Top),
            CameraKind::Follow => {
                let own = Follow::default();
                let [yaw, pitch, fov] = self.angles_or([own.yaw, own.pitch, own.fov]);
                let distance = self.distance.map(|v| v as f32);
                Shot::Still(Camera::Follow(Follow { body: self.body.clone(), yaw, pitch, fov, distance }))
            }
            CameraKind::Ride => {
                let own = Ride::default();
                let [yaw, pitch, fov] = self.angles_or([own.yaw, own.pitch, own.fov]);
                let seat = self.seat.map(|seat| seat.map(|v| v as f32));
                Shot::Still(Camera::Ride(Ride { body: self.body.clone(), yaw, pitch, fov, seat }))
            }
            CameraKind::Path => Shot::Path(self.keys.iter().map(CameraKey::key).collect()),
            CameraKind::Turntable => Shot::Turntable {
                orbit: self.orbit(),
                duration: self.duration.unwrap_or(Self::DURATION) as f32,
                turns: self.turns.unwrap_or(1.0) as f32,
            },
        }
    }

    /// Yaw, pitch and field of view; those of another kind of camera where they are the table's defaults.
    fn angles_or(&self, own: [f32; 3]) -> [f32; 3] {
        let told = [(self.yaw, yaw()), (self.pitch, pitch()), (self.fov, fov())];
        std::array::from_fn(|i| if told[i].0 == told[i].1 { own[i] } else { told[i].0 as f32 })
    }

    fn orbit(&self) -> Orbit {
        Orbit {
            yaw: self.yaw as f32,
            pitch: self.pitch as f32,
            fov: self.fov as f32,
            distance: self.distance.map(|v| v as f32),
            target: self.target.map(|target| target.map(|v| v as f32)),
        }
    }
}

impl CameraKey {
    fn key(&self) -> Key {
        // A camera of its own, apart from its time.
        let kind = match self.kind {
            KeyKind::Orbit => CameraKind::Orbit,
            KeyKind::Fly => CameraKind::Fly,
        };
        let Self { yaw, pitch, fov, distance, target, position, .. } = *self;
        let alone =
            CameraTable { kind, yaw, pitch, fov, distance, target, position, ..CameraTable::default() };
        Key { time: self.time as f32, camera: alone.shot().at(0.0) }
    }
}
