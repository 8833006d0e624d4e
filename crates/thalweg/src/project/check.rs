//! Whether a scene makes sense.

use super::describe::description;
use super::schema::{Scene, VERSION};
use super::{
    CameraKind, CameraTable, Coarse, Every, KeyKind, OVERLAYS, Output, PictureTable, Pool, Rain, SolverTable,
    Source, SurfaceFormat, Time, Up, nearest,
};
use std::collections::HashSet;
use thalweg_field::Invalid;
use thalweg_field::range::brief;
use thalweg_render::{ShotError, StyleError};
use thalweg_terrain::Recipe;
use thalweg_terrain::recipe::Layer;
use thalweg_terrain::volume::VolumeRecipe;

/// A value that makes no sense, where it stands and what would be right.
#[derive(Clone, Debug, PartialEq)]
pub struct Complaint {
    /// Path of the key: `rain[0].rate`.
    pub path: String,
    /// What is wrong with it and what would be right.
    pub message: String,
}

impl From<Invalid> for Complaint {
    fn from(invalid: Invalid) -> Self {
        Self { path: invalid.key.clone(), message: invalid.to_string() }
    }
}

impl Complaint {
    /// One about a scene in which a method was alone, as the whole scene knows it: what comes before stands in `[[before]]`.
    pub(crate) fn of_stage(self, scene: &Scene, stage: usize) -> Self {
        let section = ["solver", "time"].into_iter().find(|section| {
            self.path
                .strip_prefix(section)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        });
        let Some(section) = section.filter(|_| stage < scene.before.len()) else { return self };
        let own = if section == "solver" { String::new() } else { format!(".{section}") };
        let told = |text: String| text.replacen(section, &format!("before[{stage}]{own}"), 1);
        Self { path: told(self.path), message: told(self.message) }
    }
}

/// Most frames that a film has.
const MOST_FRAMES: f64 = 100_000.0;

/// What was found so far.
#[derive(Default)]
pub(super) struct Complaints(Vec<Complaint>);

impl Complaints {
    /// Complains unless `good` holds.
    pub(super) fn unless(&mut self, good: bool, path: impl Into<String>, message: impl FnOnce() -> String) {
        if !good {
            self.0.push(Complaint { path: path.into(), message: message() });
        }
    }

    /// Takes more of them.
    pub(super) fn extend(&mut self, more: impl IntoIterator<Item = Complaint>) {
        self.0.extend(more);
    }
}

impl Scene {
    /// Checks everything that can be checked without opening other files, and tells the first that is wrong.
    pub fn validated(&self) -> Result<(), Complaint> {
        self.complaints().into_iter().next().map_or(Ok(()), Err)
    }

    /// Everything that is wrong, as far as it can be seen without opening other files.
    pub fn complaints(&self) -> Vec<Complaint> {
        let mut found = Complaints::default();
        found.unless(self.version == VERSION, "version", || {
            format!("version is {}; this program reads version {VERSION}", self.version)
        });
        self.check_terrain(&mut found);
        self.check_method(&mut found);
        self.check_before(&mut found);
        check_passes(&mut found, &self.time, "time");
        for (i, pool) in self.water.iter().enumerate() {
            check_pool(&mut found, pool, &format!("water[{i}]"));
        }
        self.check_emitters(&mut found);
        self.check_obstacles(&mut found);
        self.check_probes(&mut found);
        self.check_floating(&mut found);
        for (i, rain) in self.rain.iter().enumerate() {
            check_rain(&mut found, rain, &format!("rain[{i}]"));
        }
        for (kind, sources) in [("source", &self.sources), ("drain", &self.drains)] {
            for (i, Source { start, stop, .. }) in sources.iter().enumerate() {
                check_window(&mut found, &format!("{kind}[{i}]"), *start, *stop);
            }
        }
        self.check_maps(&mut found);
        self.check_film(&mut found);
        check_camera(&mut found, &self.camera);
        check_picture(&mut found, &self.picture);
        // What is said already in better words is not said again.
        let mut known: HashSet<String> = found.0.iter().map(|complaint| complaint.path.clone()).collect();
        for Invalid { key, value, remedy } in description().beyond(self) {
            let new = known.insert(key.clone());
            found.unless(!new, &key, || format!("{key} is {value}; {remedy}"));
        }
        found.0
    }

    fn check_terrain(&self, found: &mut Complaints) {
        let terrain = &self.terrain;
        if let Some([low, high]) = terrain.height_range {
            found.unless(high > low, "terrain.height_range", || {
                format!("terrain.height_range is {low} to {high} m; the second must be the larger")
            });
        }
        if let Some(file) = &terrain.file {
            found.unless(terrain.layers.is_empty(), "terrain.layer", || {
                "a terrain comes from a file or from layers, not both; drop one of them".into()
            });
            found.unless(terrain.island.is_none(), "terrain.island", || {
                "a terrain from a file keeps its edges; drop terrain.island or the file".into()
            });
            check_path(found, file, "terrain.file");
        }
        check_layers(found, "terrain", &terrain.layers);
        self.check_volume(found);
        for (name, map) in [("hardness", &terrain.hardness), ("uplift", &terrain.uplift)] {
            let Some(map) = map else { continue };
            let section = format!("terrain.{name}");
            found.unless(map.file.is_some() == map.layers.is_empty(), &section, || {
                format!("{name} comes from a file or from layers; give exactly one of them")
            });
            if let Some(file) = &map.file {
                check_path(found, file, &format!("{section}.file"));
            }
            check_layers(found, &section, &map.layers);
        }
        let mut solvers = self.solver.iter().chain(self.before.iter().map(|earlier| &earlier.solver));
        let known = solvers.any(|solver| solver.method().understands.contains(&"terrain.uplift"));
        if terrain.uplift.is_some() && !known {
            found.extend(self.solver.first().method().misplaced("terrain.uplift", "terrain.uplift"));
        }
    }

    /// A volume comes from its recipe over heights, or all of it from a file.
    fn check_volume(&self, found: &mut Complaints) {
        let terrain = &self.terrain;
        let output = &self.output;
        let glb = [&output.ground, &output.water, &output.surface]
            .iter()
            .any(|list| list.contains(&SurfaceFormat::Glb));
        found.unless(output.mesh_up != Some(Up::Z) || !glb, "output.mesh_up", || {
            "output.mesh_up is \"z\", and a mesh is to be written as GLB, which has Y up by its standard; leave it out, or \
             write .obj, .ply or .stl"
                .into()
        });
        let Some(volume) = &terrain.volume else { return };
        found.unless(self.before.is_empty(), "before", || {
            "before: methods that come before work on heights, and this ground is a volume; drop [[before]] or \
             [terrain.volume]"
                .into()
        });
        for (i, cavern) in volume.caverns.iter().enumerate() {
            if let Some([low, high]) = cavern.between {
                let path = format!("terrain.volume.cavern[{i}].between");
                found.unless(high > low, &path, || {
                    format!("{path} is {low} to {high} m; the second must be the larger")
                });
            }
        }
        let Some(file) = &volume.file else { return };
        check_path(found, file, "terrain.volume.file");
        let bare = VolumeRecipe {
            file: volume.file.clone(),
            strata: volume.strata.clone(),
            ..VolumeRecipe::default()
        };
        for (path, there) in [
            ("terrain.volume", *volume != bare),
            ("terrain.file", terrain.file.is_some()),
            ("terrain.layer", !terrain.layers.is_empty()),
            ("terrain.island", terrain.island.is_some()),
            ("terrain.size", terrain.size.is_some()),
            ("terrain.cell", terrain.cell.is_some()),
        ] {
            found.unless(!there, path, || {
                format!(
                    "{path}: a volume from a file is all of the ground; give the file and its strata alone"
                )
            });
        }
    }

    /// Methods that come before, each as if it were alone in the scene.
    fn check_before(&self, found: &mut Complaints) {
        let alone = self.before.is_empty() || self.solver.iter().len() == 1;
        found.unless(alone, "before", || {
            "before: methods come before a water alone; drop [[before]], or all solvers but one".into()
        });
        for (i, earlier) in self.before.iter().enumerate() {
            let method = earlier.solver.method();
            // Maps are of the last method; they are checked with it.
            let output = Output { more_maps: Vec::new(), ..self.output.clone() };
            let complaints = (method.check)(&Self { output, ..self.of_stage(i) });
            found.extend(complaints.into_iter().map(|complaint| complaint.of_stage(self, i)));
            let path = format!("before[{i}].time");
            check_passes(found, &earlier.time, &path);
            if !earlier.time.coarse.is_empty() {
                found.extend(method.misplaced("time.coarse", &format!("{path}.coarse[0]")));
            }
        }
    }

    /// Maps that are asked for by name; those of waters beside the first are called after their kind.
    fn check_maps(&self, found: &mut Complaints) {
        let of_water = |(i, solver): (usize, &SolverTable)| {
            let method = solver.method();
            let prefix = if i == 0 { String::new() } else { format!("{}_", method.name) };
            method.more_maps.iter().map(move |name| format!("{prefix}{name}"))
        };
        let known: Vec<String> = self.solver.iter().enumerate().flat_map(of_water).collect();
        for (i, name) in self.output.more_maps.iter().enumerate() {
            let path = format!("output.more_maps[{i}]");
            found.unless(known.contains(name), &path, || {
                let names = if known.is_empty() { "none".into() } else { known.join(", ") };
                let near = nearest(name, known.iter().map(String::as_str));
                let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                format!("{path} is \"{name}\"; of maps that are made when asked for there are {names}{hint}")
            });
        }
    }

    fn check_film(&self, found: &mut Complaints) {
        let output = &self.output;
        let Some(video) = output.video else { return };
        found.unless(output.frames_every == Every::NEVER, "output.video", || {
            "a film has its frames evenly over the run (video) or at a pace (frames_every); give one of them".into()
        });
        let frames = video * f64::from(self.picture.fps);
        found.unless((2.0..=MOST_FRAMES).contains(&frames), "output.video", || {
            let fps = self.picture.fps;
            format!(
                "output.video is {video} s, {} frames at {fps} in each second; a film has between 2 and {MOST_FRAMES}",
                brief(frames.round())
            )
        });
    }

    /// Whether springs, drains and emitters touch a terrain of this extent `[m]`.
    pub(crate) fn check_places(&self, extent: [f64; 2]) -> Vec<Complaint> {
        let mut found = Complaints::default();
        let mut touches = |path: String, at: [f64; 2], radius: f64| {
            let beyond = |axis: usize| (-at[axis]).max(at[axis] - extent[axis]).max(0.0);
            found.unless(beyond(0).hypot(beyond(1)) <= radius, &path, || {
                format!(
                    "{path} is {} m east and {} m north of the south-west corner, outside the terrain of {} m by {} m",
                    at[0], at[1], extent[0], extent[1]
                )
            });
        };
        for (kind, sources) in [("source", &self.sources), ("drain", &self.drains)] {
            for (i, source) in sources.iter().enumerate() {
                touches(format!("{kind}[{i}].at"), source.at, source.radius);
            }
        }
        for (i, emitter) in self.emitters.iter().enumerate() {
            touches(format!("emitter[{i}]"), emitter.middle(), 0.0);
        }
        found.0
    }
}

fn check_layers(found: &mut Complaints, section: &str, layers: &[Layer]) {
    for (i, layer) in layers.iter().enumerate() {
        let alone = Recipe { layers: vec![layer.clone()], island: None };
        if let Err(invalid) = alone.fits_together() {
            let key = format!("{section}.{}", invalid.key.replacen("layer[0]", &format!("layer[{i}]"), 1));
            found.0.push(Invalid { key, ..invalid }.into());
        }
    }
}

/// Coarse passes in order.
fn check_passes(found: &mut Complaints, time: &Time, key: &str) {
    for (i, coarse) in time.coarse.iter().enumerate() {
        let path = format!("{key}.coarse[{i}]");
        let next = time.coarse.get(i + 1);
        match (coarse.factor, coarse.cell) {
            (Some(factor), None) => {
                let finer = next.map_or(1, |next| next.factor.unwrap_or(0));
                found.unless(factor > finer, format!("{path}.factor"), || {
                    format!("{path}.factor is {factor}; passes go from coarse to fine, so it must be above {finer}")
                });
            }
            (None, Some(cell)) => {
                let finer = next.and_then(|next| next.cell).unwrap_or(0.0);
                found.unless(cell > finer, format!("{path}.cell"), || {
                    format!("{path}.cell is {cell} m; passes go from coarse to fine, so it must be above {finer} m")
                });
            }
            _ => found.unless(false, &path, || {
                format!("{path}: say how wide its cells are, by exactly one of factor and cell")
            }),
        }
        let alike = |next: &Coarse| next.cell.is_some() == coarse.cell.is_some();
        found.unless(next.is_none_or(alike), format!("{key}.coarse[{}]", i + 1), || {
            format!("{key}.coarse: give all passes a factor, or all a cell, so that their order is plain")
        });
    }
}

fn check_pool(found: &mut Complaints, pool: &Pool, path: &str) {
    found.unless(pool.level.is_some() != pool.depth.is_some(), path, || {
        "standing water has a level or a depth; give exactly one of them".into()
    });
    found.unless(pool.to[0] > pool.from[0] && pool.to[1] > pool.from[1], format!("{path}.to"), || {
        format!("from {:?} to {:?}; \"to\" must lie north-east of \"from\"", pool.from, pool.to)
    });
}

fn check_rain(found: &mut Complaints, rain: &Rain, path: &str) {
    found.unless(rain.rate.is_some() != rain.drops.is_some(), path, || {
        "rain is either even (rate) or falls in drops (drops); give exactly one of them".into()
    });
    check_window(found, path, rain.start, rain.stop);
    if let Some(mask) = &rain.mask {
        check_path(found, mask, &format!("{path}.mask"));
    }
}

pub(super) fn check_window(found: &mut Complaints, path: &str, start: f64, stop: Option<f64>) {
    let stop = stop.unwrap_or(f64::INFINITY);
    found.unless(stop > start, format!("{path}.stop"), || {
        format!("{path}.stop is {stop} s; it must come after start ({start} s)")
    });
}

fn check_camera(found: &mut Complaints, camera: &CameraTable) {
    let kind = camera.kind;
    let orbits = matches!(kind, CameraKind::Orbit | CameraKind::Turntable);
    let carried = matches!(kind, CameraKind::Follow | CameraKind::Ride);
    let turns = kind == CameraKind::Turntable;
    let keys = camera.keys.iter().enumerate().map(|(i, key)| {
        let there = [key.position.is_some(), key.target.is_some(), key.distance.is_some()];
        (format!("camera.key[{i}]"), key.kind == KeyKind::Fly, key.kind == KeyKind::Orbit, there)
    });
    let there = [camera.position.is_some(), camera.target.is_some(), camera.distance.is_some()];
    for (path, flies, orbits, [position, target, distance]) in
        std::iter::once(("camera".to_owned(), kind == CameraKind::Fly, orbits, there)).chain(keys)
    {
        found.unless(position || !flies, &path, || {
            format!("{path} stands nowhere; give a fly camera its position = [east, north, up]")
        });
        for (key, set, right, for_kind) in [
            ("position", position, flies, "fly"),
            ("target", target, orbits, "orbit"),
            ("distance", distance, orbits || (path == "camera" && kind == CameraKind::Follow), "orbit"),
        ] {
            meaningless(found, set && !right, &format!("{path}.{key}"), for_kind);
        }
    }
    meaningless(found, camera.duration.is_some() && !turns, "camera.duration", "turntable");
    meaningless(found, camera.turns.is_some() && !turns, "camera.turns", "turntable");
    meaningless(found, !camera.body.is_empty() && !carried, "camera.body", "follow");
    meaningless(found, camera.seat.is_some() && kind != CameraKind::Ride, "camera.seat", "ride");
    found.unless(!carried || !camera.body.is_empty(), "camera", || {
        "camera belongs to no body; give it the name of one, body = \"...\"".to_owned()
    });
    meaningless(found, !camera.keys.is_empty() && kind != CameraKind::Path, "camera.key", "path");
    if let Err(error) = camera.shot().validated() {
        let (path, message) = match error {
            ShotError::Style(error) => style("camera.", error.name, &error),
            ShotError::Camera { key, reason } => style(&format!("camera.key[{key}]."), reason.name, &reason),
            ShotError::Order { key, .. } => (format!("camera.key[{key}].time"), format!("camera: {error}")),
            ShotError::FewKeys(_) | ShotError::Top(_) | ShotError::Body(_) => {
                ("camera.key".into(), format!("camera: {error}"))
            }
        };
        found.0.push(Complaint { path, message });
    }
}

/// Complains about a key that does nothing for this kind of camera.
fn meaningless(found: &mut Complaints, so: bool, path: &str, kind: &str) {
    found.unless(!so, path, || format!("{path} has no meaning here; it is for kind = \"{kind}\""));
}

fn check_picture(found: &mut Complaints, picture: &PictureTable) {
    if let Some(overlay) = &picture.overlay {
        let name = overlay.field.as_str();
        found.unless(OVERLAYS.contains(&name), "picture.overlay", || {
            let hint =
                nearest(name, OVERLAYS).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            format!(
                "picture.overlay is \"{name}\", which no run shows; there are {}{hint}",
                OVERLAYS.join(", ")
            )
        });
        if let Some([low, high]) = overlay.range {
            found.unless(low < high, "picture.overlay.range", || {
                format!("picture.overlay.range is {low} to {high}; the second must be the larger")
            });
        }
    }
    if let Err(error) = picture.look().validated() {
        let (path, message) = style("picture.", &PictureTable::key_of(error.name), &error);
        found.0.push(Complaint { path, message });
    }
}

/// Path and words for a number that cannot be drawn; angles are told in degrees, as their limits are.
fn style(section: &str, key: &str, error: &StyleError) -> (String, String) {
    let path = format!("{section}{key}");
    let value = match key {
        "yaw" | "pitch" | "fov" | "sun_azimuth" | "sun_elevation" => {
            format!("{:.1} deg", error.value.to_degrees())
        }
        _ => error.value.to_string(),
    };
    let message = format!("{path} is {value}; {}", error.wanted);
    (path, message)
}

/// A name that a file can have anywhere.
pub(super) fn check_file_name(found: &mut Complaints, name: &str, path: &str) {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let good = !name.is_empty() && name.len() <= 64 && name.chars().all(plain);
    found.unless(good, path, || format!("{path} is {name:?}; it is 1 to 64 letters, digits, - and _"));
}

pub(super) fn check_path(found: &mut Complaints, file: &str, path: &str) {
    found.unless(!file.is_empty(), path, || format!("{path} is empty; name a file"));
}
