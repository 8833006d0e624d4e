//! Volumes of ground: what a file of one holds, and what becomes of it in other formats.

use super::{inspect, memory_limit};
use crate::Failure;
use crate::args::{ConvertArgs, InfoArgs};
use crate::print::{answer, brief, fixed};
use serde_json::json;
use std::path::Path;
use thalweg::field::Heightfield;
use thalweg::io::{Kind, WriteOptions, read_volume, write_heightfield, write_mesh, write_volume};
use thalweg::terrain::marching_cubes::Surface;
use thalweg::terrain::volume::Volume;

/// `thalweg info` on a volume.
pub(super) fn info(path: &Path, args: &InfoArgs) -> Result<(), Failure> {
    let volume = read_volume(path, memory_limit(args.reading.source.max_memory)).map_err(Failure::usage)?;
    let [east, north, up] = volume.size();
    let (voxel, bottom, rock) = (volume.voxel(), volume.bottom(), volume.rock());
    let whole = (east * north * up) as f64 * voxel.powi(3);
    let (triangles, bytes) = (Surface::of(&volume).triangles(), volume.bytes());
    if args.json {
        answer(&json!({
            "kind": "volume", "size": [east, north, up], "voxel": voxel, "bottom": bottom, "rock_m3": rock,
            "share": rock / whole, "triangles": triangles, "memory_bytes": bytes,
        }));
        return Ok(());
    }
    let sides = [east, north, up].map(|voxels| brief(voxels as f64 * voxel));
    say!("volume          {east} x {north} x {up} voxels, {} m", sides.join(" x "));
    say!("voxel           {voxel} m");
    say!("heights         {} to {} m", brief(bottom), brief(bottom + up as f64 * voxel));
    say!("rock            {} m³, {} % of the box", brief(rock), fixed(100.0 * rock / whole, 1));
    say!("surface         {triangles} triangles");
    say!("in memory       {} MiB", fixed(bytes as f64 / f64::from(1 << 20), 1));
    Ok(())
}

/// `thalweg convert` from or to a volume; false if neither is one.
pub(super) fn convert(args: &ConvertArgs) -> Result<bool, Failure> {
    let extension = args.output.extension().unwrap_or_default().to_ascii_lowercase();
    let to_volume = matches!(extension.to_str(), Some("twv" | "nrrd"));
    let limit = memory_limit(args.source.max_memory);
    let from_volume = Kind::of(&args.input) == Some(Kind::Volume);
    if !(from_volume || to_volume) {
        return Ok(false);
    }
    if args.size.is_some() || args.fit.is_some() || args.target.is_some() || args.tiles.is_some() || args.join
    {
        return Err(Failure::usage(
            "--size, --fit, --for, --tiles and --join are for heights; a volume keeps its voxels",
        ));
    }
    let volume = if from_volume {
        read_volume(&args.input, limit).map_err(Failure::usage)?
    } else {
        below(&inspect::read(&args.input, &args.reading())?)?
    };
    match extension.to_str() {
        Some("twv" | "nrrd") => write_volume(&args.output, &volume)?,
        Some("ply" | "obj" | "glb") => write_mesh(&args.output, &Surface::of(&volume).mesh(), None)?,
        _ => write_heightfield(&args.output, &volume.heightfield(), &WriteOptions::default())?,
    }
    Ok(true)
}

/// The volume below a heightfield, with some rock below its lowest place and air above its highest.
fn below(ground: &Heightfield) -> Result<Volume, Failure> {
    /// Voxels of each.
    const ROOM: f64 = 8.0;
    let cell = ground.frame.cell;
    let [low, high] = super::heightmap::range(ground);
    let bottom = low - ROOM * cell;
    let up = ((high - bottom) / cell + ROOM).ceil();
    Volume::from_heightfield(ground, bottom, up as usize).map_err(Failure::usage)
}
