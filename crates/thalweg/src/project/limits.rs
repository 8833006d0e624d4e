//! What each number of a scene may be. Parameters of solvers and layers of terrain have their limits in their own crates.
//!
//! Ranges are generous: they hold everything that happens on some planet, and nothing that only a slip of the hand or
//! ill will writes.

use super::schema::{Coarse, Drops, Emitter, Every, Output, Pool, Rain, Scene, Sink, Source, Time};
use super::{CameraKey, CameraTable, PictureTable, SnowChoice};
use std::f64::consts::{FRAC_PI_2, PI};
use thalweg_field::range::{Limit, Limited};

/// Heights of ground and water [m]; the highest mountain that is known has 22 km.
pub(super) const HEIGHT: [f64; 2] = [-1.0e6, 1.0e6];
/// Places, east and north of the terrain's corner [m].
const PLACE: [f64; 2] = [-1.0e9, 1.0e9];
/// Lengths that may be nothing [m].
const LENGTH: [f64; 2] = [0.0, 1.0e9];
/// Lengths that are something [m].
const SIZE: [f64; 2] = [1.0e-6, 1.0e9];
/// Depths of water [m].
const DEPTH: [f64; 2] = [0.0, 1.0e6];
/// Each part of a velocity of water [m/s].
const VELOCITY: [f64; 2] = [-1.0e3, 1.0e3];
/// Discharge [m³/s]; the Amazon has 2e5.
const DISCHARGE: [f64; 2] = [0.0, 1.0e9];
/// Times within a run [s], up to 30 million years.
const TIME: [f64; 2] = [0.0, 1.0e15];
/// Times that are something [s].
const SPAN: [f64; 2] = [1.0e-9, 1.0e15];
/// Directions and angles that may go around [rad].
const ANGLE: [f64; 2] = [-1.0e3, 1.0e3];
/// How far a camera looks down [rad]: 90 degrees, and rounding.
const PITCH: [f64; 2] = [-FRAC_PI_2 - 1.0e-5, FRAC_PI_2 + 1.0e-5];
/// Fields of view [rad]: nearly 180 degrees.
const FOV: [f64; 2] = [1.0e-6, PI - 1.0e-6];
/// Shares [-].
const SHARE: [f64; 2] = [0.0, 1.0];
/// Numbers of steps.
const STEPS: [f64; 2] = [0.0, 1.0e12];
/// Strengths of things in pictures [-].
const STRENGTH: [f64; 2] = [0.0, 1.0e3];

/// The parts of a place or a velocity, one after the other.
fn parts<const N: usize>(limit: Limit, values: Option<[f64; N]>) -> impl Iterator<Item = Limited> {
    values.into_iter().flatten().map(move |value| (limit, Some(value)))
}

/// East and north of a place, then its height.
fn point(key: &'static str, place: Option<[f64; 3]>) -> impl Iterator<Item = Limited> {
    let [flat, height] = [Limit::new(key, "m", PLACE), Limit::new(key, "m", HEIGHT)];
    place
        .into_iter()
        .flat_map(move |[east, north, up]| [(flat, Some(east)), (flat, Some(north)), (height, Some(up))])
}

impl Pool {
    fn limited(&self) -> Vec<Limited> {
        let mut all = vec![
            (Limit::new("level", "m", HEIGHT), self.level),
            (Limit::new("depth", "m", DEPTH), self.depth),
            (Limit::new("bottom", "m", HEIGHT), self.bottom),
            (Limit::new("sediment", "", SHARE), self.sediment),
            (Limit::new("lifetime", "s", SPAN), self.lifetime),
        ];
        all.extend(parts(Limit::new("from", "m", PLACE), Some(self.from)));
        all.extend(parts(Limit::new("to", "m", PLACE), Some(self.to)));
        all.extend(parts(Limit::new("velocity", "m/s", VELOCITY), self.velocity));
        all
    }
}

impl Rain {
    fn limited(&self) -> Vec<Limited> {
        let drops = self.drops;
        let of_drops = |value: fn(Drops) -> f64| drops.map(value);
        vec![
            (Limit::new("rate", "m/s", [0.0, 10.0]).hint("a cloudburst has 1e-4"), self.rate),
            (
                Limit::new("drops.per_second", "1/s", [0.0, 1.0e6])
                    .hint("even rain, rate, is faster for more"),
                of_drops(|drops| drops.per_second),
            ),
            (Limit::new("drops.depth", "m", [0.0, 100.0]), of_drops(|drops| drops.depth)),
            (Limit::new("drops.radius", "m", LENGTH), of_drops(|drops| drops.radius)),
            (Limit::new("start", "s", TIME), Some(self.start)),
            (Limit::new("stop", "s", TIME), self.stop),
        ]
    }
}

impl Source {
    fn limited(&self) -> Vec<Limited> {
        let mut all = vec![
            (Limit::new("rate", "m³/s", DISCHARGE).hint("the Amazon has 2e5"), Some(self.rate)),
            (Limit::new("radius", "m", LENGTH), Some(self.radius)),
            (Limit::new("start", "s", TIME), Some(self.start)),
            (Limit::new("stop", "s", TIME), self.stop),
        ];
        all.extend(parts(Limit::new("at", "m", PLACE), Some(self.at)));
        all
    }
}

impl Emitter {
    fn limited(&self) -> Vec<Limited> {
        let mut all = vec![
            (Limit::new("radius", "m", SIZE), self.radius),
            (Limit::new("rate", "m³/s", DISCHARGE), self.rate),
            (Limit::new("lifetime", "s", SPAN), self.lifetime),
            (Limit::new("sediment", "", SHARE), Some(self.sediment)),
            (Limit::new("start", "s", TIME), Some(self.start)),
            (Limit::new("stop", "s", TIME), self.stop),
        ];
        all.extend(point("at", self.at).chain(point("from", self.from)).chain(point("to", self.to)));
        all.extend(parts(Limit::new("velocity", "m/s", VELOCITY), Some(self.velocity)));
        all
    }
}

impl Sink {
    fn limited(&self) -> Vec<Limited> {
        let corner = |key, place| parts(Limit::new(key, "m", PLACE), Some(place));
        corner("from", self.from).chain(corner("to", self.to)).collect()
    }
}

impl Time {
    fn limited(&self) -> Vec<Limited> {
        vec![
            (Limit::new("steps", "", STEPS), Some(self.steps as f64)),
            (Limit::new("duration", "s", SPAN), self.duration),
        ]
    }
}

impl Coarse {
    fn limited(&self) -> Vec<Limited> {
        vec![
            (Limit::new("factor", "cells", [2.0, 65_536.0]), Some(self.factor as f64)),
            (Limit::new("steps", "", STEPS), Some(self.steps as f64)),
            (Limit::new("detail", "", SHARE), Some(self.detail)),
        ]
    }
}

impl Output {
    fn limited(&self) -> Vec<Limited> {
        let every = |key, steps: u64| (Limit::new(key, "steps", STEPS), Some(steps as f64));
        vec![
            every("checkpoint_every", self.checkpoint_every),
            match self.frames_every {
                Every::Steps(steps) => every("frames_every", steps),
                Every::Time(time) => (Limit::new("frames_every", "s", [1.0e-6, 1.0e12]), Some(time)),
            },
            every("particles_every", self.particles_every),
            every("surface_every", self.surface_every),
        ]
    }
}

impl CameraTable {
    fn limited(&self) -> Vec<Limited> {
        let mut all = vec![
            (Limit::new("yaw", "rad", ANGLE), Some(self.yaw)),
            (Limit::new("pitch", "rad", PITCH), Some(self.pitch)),
            (Limit::new("fov", "rad", FOV), Some(self.fov)),
            (Limit::new("distance", "m", SIZE), self.distance),
            (Limit::new("duration", "s", [1.0e-3, 1.0e6]), self.duration),
            (Limit::new("turns", "", [-1.0e4, 1.0e4]), self.turns),
        ];
        all.extend(point("target", self.target).chain(point("position", self.position)));
        all
    }
}

impl CameraKey {
    fn limited(&self) -> Vec<Limited> {
        let mut all = vec![
            (Limit::new("time", "s", [-1.0e6, 1.0e6]), Some(self.time)),
            (Limit::new("yaw", "rad", ANGLE), Some(self.yaw)),
            (Limit::new("pitch", "rad", PITCH), Some(self.pitch)),
            (Limit::new("fov", "rad", FOV), Some(self.fov)),
            (Limit::new("distance", "m", SIZE), self.distance),
        ];
        all.extend(point("target", self.target).chain(point("position", self.position)));
        all
    }
}

impl PictureTable {
    fn limited(&self) -> Vec<Limited> {
        let water = &self.water;
        let mut all = vec![
            (Limit::new("sun_azimuth", "rad", ANGLE), Some(self.sun_azimuth)),
            (Limit::new("exaggeration", "", [1.0e-3, 1.0e3]), Some(self.exaggeration)),
            (Limit::new("haze", "", STRENGTH), Some(self.haze)),
            (Limit::new("snow_line", "", STRENGTH), Some(self.snow_line)),
            (
                Limit::new("snow", "m", HEIGHT),
                match self.snow {
                    SnowChoice::Above(height) => Some(height),
                    SnowChoice::Auto | SnowChoice::Off => None,
                },
            ),
            (Limit::new("triangle_size", "px", [0.25, 1.0e4]), Some(self.triangle_size)),
            (Limit::new("water.ripples", "", STRENGTH), Some(water.ripples)),
            (Limit::new("water.foam", "", STRENGTH), Some(water.foam)),
            (Limit::new("water.muddy", "", [1.0e-9, 1.0e3]), water.muddy),
            (Limit::new("water.clear_depth", "m", [1.0e-6, 1.0e6]), water.clear_depth),
            (Limit::new("water.min_depth", "m", DEPTH), Some(water.min_depth)),
        ];
        let range = self.overlay.as_ref().and_then(|overlay| overlay.range);
        all.extend(parts(Limit::new("overlay.range", "", [-1.0e12, 1.0e12]), range));
        all
    }
}

impl Scene {
    /// The numbers of every section, each with the section's path.
    pub(super) fn limited(&self) -> Vec<(String, Vec<Limited>)> {
        fn list<T>(
            name: &str,
            all: &[T],
            limited: impl Fn(&T) -> Vec<Limited>,
        ) -> Vec<(String, Vec<Limited>)> {
            all.iter().enumerate().map(|(i, one)| (format!("{name}[{i}]"), limited(one))).collect()
        }
        let mut all = vec![
            ("time".into(), self.time.limited()),
            ("output".into(), self.output.limited()),
            ("camera".into(), self.camera.limited()),
            ("picture".into(), self.picture.limited()),
        ];
        all.extend(list("time.coarse", &self.time.coarse, Coarse::limited));
        all.extend(list("water", &self.water, Pool::limited));
        all.extend(list("rain", &self.rain, Rain::limited));
        all.extend(list("source", &self.sources, Source::limited));
        all.extend(list("drain", &self.drains, Source::limited));
        all.extend(list("emitter", &self.emitters, Emitter::limited));
        all.extend(list("sink", &self.sinks, Sink::limited));
        all.extend(list("camera.key", &self.camera.keys, CameraKey::limited));
        all
    }
}
