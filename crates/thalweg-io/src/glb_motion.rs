//! GLB: moving scenes as glTF 2.0 in one file.
//!
//! Water changes its triangles from one moment to the next, which neither morph targets nor skins can follow: both move the
//! corners of one mesh. So each moment of a thing is a mesh of its own, below a node that has its full size during that moment
//! and none at all else, an animation of scales in steps: "a mechanism to animate visibility" (Khronos Group, glTF 2.0
//! specification, on transformations), for which no extension is needed. Bodies, which keep their shape, are one mesh whose node
//! moves and turns.

use crate::atomic::write_atomic;
use crate::glb::{ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, write_numbers};
use crate::glb::{Arrays, BIN, FLOAT, JSON, Lengths, MAGIC, UNSIGNED_INT, VERSION, material};
use crate::mesh::UpAxis;
use crate::motion::{
    Moment, Motion, MotionError, Shape, Thing, carried, check_motion, check_thing, uncarried,
};
use crate::{ReadError, WriteError};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;
use thalweg_field::{Pose, TriMesh};

/// How glTF names triangles and points.
const TRIANGLES: u32 = 4;
const POINTS: u32 = 0;

/// Writes a moving scene. `moment` gives the moments in the order of their times, each twice, so that no more than one is in
/// memory. Y is up, as glTF has it; the animation begins at 0 s with the first moment. Bodies have the shape of the first moment at
/// which they are there.
pub fn write_glb_motion(
    path: &Path,
    motion: &Motion,
    mut moment: impl FnMut(usize) -> Result<Moment, ReadError>,
) -> Result<(), MotionError> {
    check_motion(path, motion)?;
    let mut scene = Scene::default();
    for thing in motion.still {
        scene.add(thing, None);
    }
    let mut times: Vec<f64> = Vec::new();
    for number in 0..motion.moments {
        let Moment { time, things } = moment(number)?;
        if !time.is_finite() || times.last().is_some_and(|last| *last >= time) {
            let what = format!("moment {number} is at {time} s");
            let expected = "each must come after the one before";
            return Err(WriteError::Refused { path: path.into(), what, expected }.into());
        }
        times.push(time);
        for thing in &things {
            check_thing(path, thing)?;
            scene.add(thing, Some(number));
        }
    }
    let first = times[0];
    let times: Vec<f32> = times.iter().map(|time| (time - first) as f32).collect();
    let tracks = scene.animate(&times);
    let length = scene.arrays.length;
    let mut text = scene.json().to_string();
    while !text.len().is_multiple_of(4) {
        text.push(' ');
    }
    let Some(lengths) = Lengths::of(text.len() as u64, length) else {
        let what = format!("the animation takes {length} bytes");
        let expected = "a .glb file has room for 4 GiB; try .usda, or fewer moments";
        return Err(WriteError::Refused { path: path.into(), what, expected }.into());
    };
    uncarried(write_atomic(path, |writer| {
        write_numbers(writer, [MAGIC, VERSION, lengths.file, lengths.json, JSON].map(u32::to_le_bytes))?;
        writer.write_all(text.as_bytes())?;
        if lengths.bin == 0 {
            return Ok(());
        }
        write_numbers(writer, [lengths.bin, BIN].map(u32::to_le_bytes))?;
        motion.still.iter().try_for_each(|thing| numbers(writer, thing))?;
        let mut known = BTreeSet::new();
        for number in 0..motion.moments {
            let shown = moment(number).map_err(|error| carried(MotionError::from(error)))?;
            for thing in &shown.things {
                let is_body = is_seen(thing) && matches!(thing.shape, Shape::Body { .. });
                let again = is_body && !known.insert(thing.name.clone());
                if !again {
                    numbers(writer, thing)?;
                }
            }
        }
        tracks.iter().try_for_each(|number| writer.write_all(&number.to_le_bytes()))
    }))
}

/// Whether there is anything of a thing; glTF has no empty arrays.
fn is_seen(thing: &Thing) -> bool {
    match &thing.shape {
        Shape::Mesh { mesh, .. } | Shape::Body { mesh, .. } => !mesh.triangles.is_empty(),
        Shape::Points(points) => !points.is_empty(),
    }
}

/// The numbers of a thing, in the order of [`Scene::add`].
fn numbers(writer: &mut impl Write, thing: &Thing) -> io::Result<()> {
    if !is_seen(thing) {
        return Ok(());
    }
    let empty = TriMesh::default();
    let (places, mesh, colours): (&[[f32; 3]], _, &[[f32; 4]]) = match &thing.shape {
        Shape::Mesh { mesh, colours } | Shape::Body { mesh, colours, .. } => (&mesh.positions, mesh, colours),
        Shape::Points(points) => (&points.positions, &empty, &[]),
    };
    for triple in places.iter().chain(&mesh.normals) {
        write_numbers(writer, UpAxis::Y.turned(*triple).map(f32::to_le_bytes))?;
    }
    for colour in colours {
        write_numbers(writer, colour.map(f32::to_le_bytes))?;
    }
    mesh.triangles.iter().try_for_each(|triangle| write_numbers(writer, triangle.map(u32::to_le_bytes)))
}

#[derive(Default)]
struct Scene {
    arrays: Arrays,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    nodes: Vec<Value>,
    /// Nodes that are seen at one moment alone, and at which.
    seen: Vec<(usize, usize)>,
    /// Nodes of bodies by their names, and where those are at which moments.
    bodies: BTreeMap<String, (usize, Vec<(usize, Pose)>)>,
    channels: Vec<Value>,
    samplers: Vec<Value>,
}

impl Scene {
    fn add(&mut self, thing: &Thing, moment: Option<usize>) {
        if !is_seen(thing) {
            return;
        }
        let body = match &thing.shape {
            Shape::Body { pose, .. } => Some(*pose),
            _ => None,
        };
        if let (Some(pose), Some(number), Some((_, ways))) = (body, moment, self.bodies.get_mut(&thing.name))
        {
            return ways.push((number, pose));
        }
        let name = match moment.filter(|_| body.is_none()) {
            Some(number) => format!("{}_{number:04}", thing.name),
            None => thing.name.clone(),
        };
        let primitive = self.primitive(thing, moment.is_none());
        let mut node = json!({ "mesh": self.meshes.len(), "name": name });
        self.meshes.push(json!({ "name": name, "primitives": [primitive] }));
        match (body, moment) {
            (Some(pose), _) => {
                node["translation"] = json!(place(&pose));
                node["rotation"] = json!(turn(&pose));
                if let Some(number) = moment {
                    self.bodies.insert(name, (self.nodes.len(), vec![(number, pose)]));
                }
            }
            (None, Some(number)) => {
                // Where nothing is played, the first moment is seen.
                if number > 0 {
                    node["scale"] = json!([0.0, 0.0, 0.0]);
                }
                self.seen.push((self.nodes.len(), number));
            }
            (None, None) => {}
        }
        self.nodes.push(node);
    }

    /// The arrays and the material of a thing.
    fn primitive(&mut self, thing: &Thing, still: bool) -> Value {
        let arrays = &mut self.arrays;
        let first = arrays.accessors.len();
        let (places, primitive): (&[[f32; 3]], _) = match &thing.shape {
            Shape::Mesh { mesh, colours } | Shape::Body { mesh, colours, .. } => {
                let mut attributes =
                    json!({ "POSITION": arrays.add(ARRAY_BUFFER, "VEC3", FLOAT, mesh.positions.len()) });
                if !mesh.normals.is_empty() {
                    attributes["NORMAL"] = arrays.add(ARRAY_BUFFER, "VEC3", FLOAT, mesh.normals.len()).into();
                }
                if !colours.is_empty() {
                    attributes["COLOR_0"] = arrays.add(ARRAY_BUFFER, "VEC4", FLOAT, colours.len()).into();
                }
                let indices =
                    arrays.add(ELEMENT_ARRAY_BUFFER, "SCALAR", UNSIGNED_INT, 3 * mesh.triangles.len());
                let coloured = (!colours.is_empty()).then_some(&**colours);
                // What stands still is ground.
                let matt = still || matches!(thing.shape, Shape::Body { .. });
                let look = material(coloured, matt && coloured.is_some());
                let number = self.materials.iter().position(|other| *other == look).unwrap_or_else(|| {
                    self.materials.push(look);
                    self.materials.len() - 1
                });
                let primitive = json!({ "attributes": attributes, "indices": indices, "material": number,
                    "mode": TRIANGLES });
                (&mesh.positions, primitive)
            }
            Shape::Points(points) => {
                let places = arrays.add(ARRAY_BUFFER, "VEC3", FLOAT, points.len());
                let primitive = json!({ "attributes": { "POSITION": places }, "mode": POINTS });
                (&points.positions, primitive)
            }
        };
        let end = |pick: fn(f32, f32) -> f32| -> [f32; 3] {
            places
                .iter()
                .map(|place| UpAxis::Y.turned(*place))
                .reduce(|one, other| std::array::from_fn(|axis| pick(one[axis], other[axis])))
                .unwrap_or_default()
        };
        arrays.accessors[first]["min"] = json!(end(f32::min));
        arrays.accessors[first]["max"] = json!(end(f32::max));
        primitive
    }

    /// Adds tracks for the nodes that move or are not always seen; returns their numbers, times first.
    fn animate(&mut self, times: &[f32]) -> Vec<f32> {
        let mut numbers = Vec::new();
        if times.len() < 2 {
            return numbers;
        }
        for (node, moment) in std::mem::take(&mut self.seen) {
            // On from its moment until the next; the last stays.
            let seen: Vec<bool> = (0..times.len()).map(|number| number == moment).collect();
            self.track(&mut numbers, node, "scale", &sizes(times, &seen));
        }
        for (_, (node, ways)) in std::mem::take(&mut self.bodies) {
            let places: Vec<_> =
                ways.iter().map(|(number, pose)| (times[*number], place(pose).to_vec())).collect();
            self.track(&mut numbers, node, "translation", &places);
            self.track(&mut numbers, node, "rotation", &turns(times, &ways));
            if ways.len() < times.len() {
                let seen: Vec<bool> =
                    (0..times.len()).map(|number| ways.iter().any(|(there, _)| *there == number)).collect();
                self.track(&mut numbers, node, "scale", &sizes(times, &seen));
            }
        }
        numbers
    }

    /// A track of a node: what it has at some times.
    fn track(&mut self, numbers: &mut Vec<f32>, node: usize, path: &str, keys: &[(f32, Vec<f32>)]) {
        let input = self.arrays.add(0, "SCALAR", FLOAT, keys.len());
        self.arrays.accessors[input]["min"] = json!([keys[0].0]);
        self.arrays.accessors[input]["max"] = json!([keys[keys.len() - 1].0]);
        let shape = if path == "rotation" { "VEC4" } else { "VEC3" };
        let output = self.arrays.add(0, shape, FLOAT, keys.len());
        numbers.extend(keys.iter().map(|(time, _)| *time));
        numbers.extend(keys.iter().flat_map(|(_, value)| value));
        let kind = if path == "scale" { "STEP" } else { "LINEAR" };
        let sampler = self.samplers.len();
        self.samplers.push(json!({ "input": input, "output": output, "interpolation": kind }));
        self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }

    fn json(&self) -> Value {
        let asset = json!({ "version": "2.0", "generator": "thalweg" });
        if self.nodes.is_empty() {
            return json!({ "asset": asset, "scene": 0, "scenes": [{}] });
        }
        let mut scene = json!({
            "asset": asset,
            "scene": 0,
            "scenes": [{ "nodes": (0..self.nodes.len()).collect::<Vec<_>>() }],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "accessors": self.arrays.accessors,
            "bufferViews": self.arrays.views,
            "buffers": [{ "byteLength": self.arrays.length }],
        });
        if !self.materials.is_empty() {
            scene["materials"] = json!(self.materials);
        }
        if !self.channels.is_empty() {
            scene["animations"] =
                json!([{ "name": "run", "channels": self.channels, "samplers": self.samplers }]);
        }
        scene
    }
}

/// Full size where a thing is seen and none where it is not, a key wherever that changes.
fn sizes(times: &[f32], seen: &[bool]) -> Vec<(f32, Vec<f32>)> {
    let changes = (0..times.len()).filter(|&number| number == 0 || seen[number] != seen[number - 1]);
    changes.map(|number| (times[number], vec![f32::from(u8::from(seen[number])); 3])).collect()
}

/// Where a body is, with Y up.
fn place(pose: &Pose) -> [f32; 3] {
    UpAxis::Y.turned(pose.place.map(|x| x as f32))
}

/// How a body is turned, with Y up: the axis of a turn is turned like any direction.
fn turn(pose: &Pose) -> [f32; 4] {
    let [x, y, z, w] = pose.turn;
    let length = (x * x + y * y + z * z + w * w).sqrt();
    let [x, y, z, w] = if length > 0.0 { pose.turn.map(|part| part / length) } else { [0.0, 0.0, 0.0, 1.0] };
    let [x, y, z] = UpAxis::Y.turned([x, y, z].map(|part| part as f32));
    [x, y, z, w as f32]
}

/// Turns at their times. A turn and its opposite are the same: the one nearer to the turn before is told, so that all programs go the
/// short way.
fn turns(times: &[f32], ways: &[(usize, Pose)]) -> Vec<(f32, Vec<f32>)> {
    let mut before = [0.0; 4];
    let near = ways.iter().map(|(number, pose)| {
        let here = turn(pose);
        let along: f32 = here.iter().zip(before).map(|(a, b)| a * b).sum();
        before = if along < 0.0 { here.map(|part| -part) } else { here };
        (times[*number], before.to_vec())
    });
    near.collect()
}
