//! Volumes of ground: what a file of one holds, and what becomes of it in other formats.

use super::{inspect, memory_limit, within_memory};
use crate::Failure;
use crate::args::{ConvertArgs, GenerateArgs, InfoArgs};
use crate::print::{answer, brief, fixed};
use serde_json::json;
use std::path::Path;
use thalweg::field::{Heightfield, Strata};
use thalweg::io::{Kind, WriteOptions, read_volume, write_heightfield, write_mesh, write_volume};
use thalweg::run::bed_colours;
use thalweg::terrain::marching_cubes::Surface;
use thalweg::terrain::volume::{NamedVolume, SIDE, Volume};

/// Voxels to the east and to the north where nothing else is said: four seconds' work.
const SIZE: usize = 256;

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
    write(&args.output, &volume, None)?;
    Ok(true)
}

/// `thalweg generate` of a volume; false if the kind is none of one.
pub(super) fn generate(args: &GenerateArgs, output: &Path) -> Result<bool, Failure> {
    let size = args.size.unwrap_or([SIZE; 2]);
    let Some(named) = NamedVolume::new(
        &args.kind,
        size.map(|cells| cells as f64 * args.cell).into_iter().fold(0.0, f64::max),
    ) else {
        return Ok(false);
    };
    let [east, north, up] = named.size(size, args.cell);
    let what = format!("{east} by {north} by {up} voxels");
    // Every block, and those around the surface voxel by voxel; a shell so thick was never seen.
    let blocks = [east, north, up].iter().map(|&voxels| voxels.div_ceil(SIDE) as u64).product::<u64>();
    let need = Volume::memory_of(blocks, blocks / 2);
    within_memory(&what, need, memory_limit(args.max_memory), "use a smaller --size")?;
    let volume = named.build(size, args.cell, args.seed).map_err(Failure::usage)?;
    write(output, &volume, named.volume.strata.map(|strata| strata.build(args.seed)).as_ref())?;
    let share = 100.0 * volume.rock() / ((east * north * up) as f64 * args.cell.powi(3));
    say!("{}: {what} of {} m, {} % of them rock", output.display(), args.cell, fixed(share, 1));
    Ok(true)
}

/// Writes a volume, its surface, with the colours of the beds if there are any, or its uppermost heights: what the name of the file asks for.
fn write(path: &Path, volume: &Volume, strata: Option<&Strata>) -> Result<(), Failure> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    match extension.to_str() {
        Some("twv" | "nrrd") => write_volume(path, volume)?,
        Some("ply" | "obj" | "glb") => {
            let mesh = Surface::of(volume).mesh();
            let colours = strata.map(|strata| bed_colours(strata, &mesh));
            write_mesh(path, &mesh, colours.as_deref())?;
        }
        _ => write_heightfield(path, &volume.heightfield(), &WriteOptions::default())?,
    }
    Ok(())
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
