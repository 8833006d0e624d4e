//! GLB: moving scenes as glTF 2.0 in one file.
//!
//! Water changes its triangles from one moment to the next, which neither morph targets nor skins can follow. So each moment of
//! a thing is a mesh of its own, below a node that has its full size during that moment and none at all else: an
//! animation of scales in steps, which every viewer plays.

use crate::atomic::write_atomic;
use crate::glb::{ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, write_numbers};
use crate::glb::{Arrays, BIN, FLOAT, JSON, Lengths, MAGIC, UNSIGNED_INT, VERSION, material};
use crate::mesh::UpAxis;
use crate::motion::{
    Moment, Motion, MotionError, Shape, Thing, carried, check_motion, check_thing, uncarried,
};
use crate::{ReadError, WriteError};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::Path;
use thalweg_field::TriMesh;

/// How glTF names triangles and points.
const TRIANGLES: u32 = 4;
const POINTS: u32 = 0;

/// Writes a moving scene. `moment` gives the moments in the order of their times, each twice, so that no more than one is in
/// memory. Y is up, as glTF has it; the animation begins at 0 s with the first moment.
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
        for number in 0..motion.moments {
            let shown = moment(number).map_err(|error| carried(MotionError::from(error)))?;
            shown.things.iter().try_for_each(|thing| numbers(writer, thing))?;
        }
        tracks.iter().try_for_each(|number| writer.write_all(&number.to_le_bytes()))
    }))
}

/// Whether there is anything of a thing; glTF has no empty arrays.
fn is_seen(thing: &Thing) -> bool {
    match &thing.shape {
        Shape::Mesh { mesh, .. } => !mesh.triangles.is_empty(),
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
        Shape::Mesh { mesh, colours } => (&mesh.positions, mesh, colours),
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
    /// Nodes that move, with the moment at which they are seen.
    seen: Vec<(usize, usize)>,
    channels: Vec<Value>,
    samplers: Vec<Value>,
}

impl Scene {
    fn add(&mut self, thing: &Thing, moment: Option<usize>) {
        if !is_seen(thing) {
            return;
        }
        let arrays = &mut self.arrays;
        let first = arrays.accessors.len();
        let primitive = match &thing.shape {
            Shape::Mesh { mesh, colours } => {
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
                let look = material((!colours.is_empty()).then_some(colours));
                let number = self.materials.iter().position(|other| *other == look).unwrap_or_else(|| {
                    self.materials.push(look);
                    self.materials.len() - 1
                });
                json!({ "attributes": attributes, "indices": indices, "material": number, "mode": TRIANGLES })
            }
            Shape::Points(points) => {
                let places = arrays.add(ARRAY_BUFFER, "VEC3", FLOAT, points.len());
                json!({ "attributes": { "POSITION": places }, "mode": POINTS })
            }
        };
        let places: &[[f32; 3]] = match &thing.shape {
            Shape::Mesh { mesh, .. } => &mesh.positions,
            Shape::Points(points) => &points.positions,
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
        let name = match moment {
            Some(number) => format!("{}_{number:04}", thing.name),
            None => thing.name.clone(),
        };
        let mut node = json!({ "mesh": self.meshes.len(), "name": name });
        self.meshes.push(json!({ "name": name, "primitives": [primitive] }));
        if let Some(number) = moment {
            // Where nothing is played, the first moment is seen.
            if number > 0 {
                node["scale"] = json!([0.0, 0.0, 0.0]);
            }
            self.seen.push((self.nodes.len(), number));
        }
        self.nodes.push(node);
    }

    /// Adds a track for each node that moves; returns their numbers, times first.
    fn animate(&mut self, times: &[f32]) -> Vec<f32> {
        let mut numbers = Vec::new();
        if times.len() < 2 {
            return numbers;
        }
        let mut track = |arrays: &mut Arrays, moment: usize| {
            // On from its moment until the next; the last stays.
            let mut keys = Vec::new();
            if moment > 0 {
                keys.push((0.0, 0.0));
            }
            keys.push((times[moment], 1.0));
            if let Some(next) = times.get(moment + 1) {
                keys.push((*next, 0.0));
            }
            let input = arrays.add(0, "SCALAR", FLOAT, keys.len());
            arrays.accessors[input]["min"] = json!([keys[0].0]);
            arrays.accessors[input]["max"] = json!([keys[keys.len() - 1].0]);
            let output = arrays.add(0, "VEC3", FLOAT, keys.len());
            numbers.extend(keys.iter().map(|(time, _)| *time));
            numbers.extend(keys.iter().flat_map(|(_, scale)| [*scale; 3]));
            json!({ "input": input, "output": output, "interpolation": "STEP" })
        };
        for &(node, moment) in &self.seen {
            let sampler = self.samplers.len();
            self.samplers.push(track(&mut self.arrays, moment));
            self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": "scale" } }));
        }
        numbers
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
