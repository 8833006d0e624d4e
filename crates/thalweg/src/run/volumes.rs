//! Files of volumes: water of particles during the run and of its last step, ground which is a volume at the end.

use super::RunOptions;
use super::driver::to_next;
use super::level_set::level_set;
use super::particles::earlier;
use super::progress::Watcher;
use super::recorder::{Ending, Now, Recorder, Shows};
use crate::project::VolumeFormat;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use thalweg_field::{Points, Snapshot};
use thalweg_io::{
    SparseGrid, VdbClass, VdbGrid, VdbValues, WriteError, atomic, write_vdb, write_volume, write_vti_volume,
};
use thalweg_sph::gather;
#[cfg(feature = "render")]
use thalweg_surface::{SurfaceParams, reconstruct};
use thalweg_terrain::volume::Volume;

/// Writes volumes of the fluid when they are due.
pub(super) struct Volumes {
    folder: PathBuf,
    written: BTreeSet<PathBuf>,
    max_bytes: u64,
    told: bool,
}

impl Volumes {
    /// A run that goes on counts what it wrote before as its own.
    pub(super) fn new(options: &RunOptions, now: &Now) -> Self {
        let (folder, written) = (options.out.join("volumes"), earlier(options, now, "volumes"));
        Self { folder, written, max_bytes: options.max_bytes, told: false }
    }

    /// Name of the file of the present step, if there is to be one.
    fn path(&self, now: &Now) -> Option<PathBuf> {
        let vdb = now.scene().output.volumes.contains(&VolumeFormat::Vdb);
        vdb.then(|| self.folder.join(format!("water_{:06}.vdb", now.steps_taken())))
    }

    fn write_now(
        &mut self,
        now: &Now,
        shown: &Snapshot,
        watcher: &mut dyn Watcher,
    ) -> Result<(), WriteError> {
        let (Some(path), Some(points)) = (self.path(now), &shown.points) else { return Ok(()) };
        if points.is_empty() {
            return Ok(());
        }
        atomic::create_dir(&self.folder)?;
        let mut grids = fluid(points);
        match surface(points, self.max_bytes) {
            Ok(surface) => grids.push(surface),
            Err(reason) if !self.told => {
                self.told = true;
                watcher.notice(&format!("the surface of the water is not among the volumes: {reason}"));
            }
            Err(_) => {}
        }
        write_vdb(&path, &grids)?;
        self.written.insert(path);
        Ok(())
    }
}

impl Recorder for Volumes {
    fn name(&self) -> &'static str {
        "volumes"
    }

    fn due_in(&self, now: &Now) -> u64 {
        to_next(now.steps_taken(), now.scene().output.volumes_every)
    }

    fn is_due(&self, now: &Now) -> bool {
        let every = now.scene().output.volumes_every;
        every > 0 && now.steps_taken().is_multiple_of(every)
    }

    fn shows(&self) -> Shows {
        Shows::Points
    }

    fn write(
        &mut self,
        now: &Now,
        shown: &mut Snapshot,
        watcher: &mut dyn Watcher,
    ) -> Result<(), WriteError> {
        self.write_now(now, shown, watcher)
    }

    fn rewind(&mut self) {
        self.written.clear();
    }

    fn finish(&mut self, ending: &mut Ending) -> Result<Vec<PathBuf>, WriteError> {
        if self.path(ending.now).is_some_and(|path| !self.written.contains(&path)) {
            let Ending { now, snapshot, timings, watcher } = ending;
            timings.of("volumes", || self.write_now(now, snapshot, *watcher))?;
        }
        Ok(self.written.iter().cloned().collect())
    }
}

/// The fluid as `density`, the share of each voxel that it fills, and `velocity`, the mean of its particles. Voxels are as wide as
/// particles lie apart.
fn fluid(points: &Points) -> Vec<VdbGrid> {
    let voxel = 2.0 * f64::from(points.radius);
    let velocity = ["velocity_x", "velocity_y", "velocity_z"].map(|name| points.column(name));
    let way = |number: usize| velocity.map(|column| column.map_or(0.0, |column| column.values[number]));
    let (mut density, mut motion) = (SparseGrid::new(0.0_f32), SparseGrid::new([0.0_f32; 3]));
    for found in gather(&points.positions, voxel, way) {
        density.set(found.voxel, found.share.min(1.0));
        motion.set(found.voxel, found.velocity);
    }
    let grid = |name: &str, class, values| VdbGrid {
        name: name.into(),
        class,
        voxel,
        origin: [0.5 * voxel; 3],
        values,
    };
    let mut grids = vec![grid("density", VdbClass::FogVolume, VdbValues::Float(density))];
    if velocity.iter().all(Option::is_some) {
        grids.push(grid("velocity", VdbClass::Unknown, VdbValues::Vector(motion)));
    }
    grids
}

/// The surface of the fluid, as how far voxels near it lie from it; an error says why there is none.
#[cfg(feature = "render")]
fn surface(points: &Points, max_bytes: u64) -> Result<VdbGrid, String> {
    let params = SurfaceParams { max_bytes, ..SurfaceParams::of(points) };
    let mesh = reconstruct(points, &params).map_err(|error| error.to_string())?;
    let voxel = 2.0 * f64::from(points.radius);
    let origin = [0.5 * voxel; 3];
    let values = VdbValues::Float(level_set(&mesh, voxel, origin));
    Ok(VdbGrid { name: "surface".into(), class: VdbClass::LevelSet, voxel, origin, values })
}

#[cfg(not(feature = "render"))]
fn surface(_: &Points, _: u64) -> Result<VdbGrid, String> {
    Err("this program was built without the feature `render`".into())
}

/// Writes ground which is a volume: as VDB the share of rock and, of its surface, the distance.
pub(super) fn write_rock(
    folder: &Path,
    (volume, shown): (&Volume, &Snapshot),
    formats: &[VolumeFormat],
) -> Result<Vec<PathBuf>, WriteError> {
    atomic::create_dir(folder)?;
    let mut files = Vec::new();
    for format in formats {
        let path = folder.join(match format {
            VolumeFormat::Vdb => "ground.vdb",
            VolumeFormat::Nrrd => "ground.nrrd",
            VolumeFormat::Vti => "ground.vti",
        });
        match format {
            VolumeFormat::Vdb => write_vdb(&path, &rock(volume, shown))?,
            VolumeFormat::Nrrd => write_volume(&path, volume)?,
            VolumeFormat::Vti => write_vti_volume(&path, volume)?,
        }
        files.push(path);
    }
    Ok(files)
}

fn rock(volume: &Volume, shown: &Snapshot) -> Vec<VdbGrid> {
    let voxel = volume.voxel();
    let mut shares = SparseGrid::new(0.0_f32);
    volume.each_rock(|at, share| shares.set(at.map(|n| n as i32), share));
    let origin = [0.5 * voxel, 0.5 * voxel, volume.bottom() + 0.5 * voxel];
    let grid = |name: &str, class, values| VdbGrid {
        name: name.into(),
        class,
        voxel,
        origin,
        values: VdbValues::Float(values),
    };
    let mut grids = vec![grid("rock", VdbClass::FogVolume, shares)];
    if let Some(ground) = &shown.ground {
        grids.push(grid("surface", VdbClass::LevelSet, level_set(&ground.mesh, voxel, origin)));
    }
    grids
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::{Column, FieldInfo};

    #[test]
    fn a_block_of_particles_fills_its_voxels() {
        // One particle in the middle of each of 8 by 7 by 6 voxels of 0.2 m, going east at 3 m/s.
        let place = |i: usize| [i % 8, i / 8 % 7, i / 56].map(|n| 0.1 + 0.2 * n as f32);
        let column = |name, value| Column { info: FieldInfo::new(name, "m/s", ""), values: vec![value; 336] };
        let columns = vec![column("velocity_x", 3.0), column("velocity_y", 0.0), column("velocity_z", -1.0)];
        let points =
            Points { positions: (0..336).map(place).collect(), radius: 0.1, columns, ..Points::default() };
        let grids = fluid(&points);
        let [VdbValues::Float(density), VdbValues::Vector(velocity)] = [&grids[0].values, &grids[1].values]
        else {
            panic!("numbers, then vectors")
        };
        let mut sum = 0.0;
        for n in 0..12 * 11 * 10 {
            let at = [n % 12, n / 12 % 11, n / 132].map(|n| n - 2);
            let (share, _) = density.at(at);
            sum += f64::from(share);
            // The kernel reaches two voxels far: inside all is water, outside there is none, between them it fades.
            let ends = [8, 7, 6];
            if (0..3).all(|axis| (1..ends[axis] - 1).contains(&at[axis])) {
                assert!((share - 1.0).abs() < 1.0e-5, "{share} at {at:?}");
                let (way, _) = velocity.at(at);
                let off = way.iter().zip([3.0_f32, 0.0, -1.0]).map(|(a, b)| (a - b).abs());
                assert!(off.sum::<f32>() < 1.0e-5);
            }
            if (0..3).any(|axis| at[axis] < -1 || at[axis] > ends[axis]) {
                assert_eq!(share, 0.0, "{at:?}");
            }
        }
        assert!((sum - 336.0).abs() < 0.01, "{sum} voxels of water from 336 particles");
        assert_eq!(grids[0].origin, [f64::from(0.1_f32); 3]);
    }

    #[cfg(feature = "render")]
    #[test]
    fn the_surface_of_a_block_of_particles_lies_half_a_particle_around_it() {
        let place = |i: usize| [i % 8, i / 8 % 8, i / 64].map(|n| 0.1 + 0.2 * n as f32);
        let points = Points { positions: (0..512).map(place).collect(), radius: 0.1, ..Points::default() };
        let VdbValues::Float(away) = surface(&points, 1 << 30).unwrap().values else { panic!("distances") };
        // Voxels lie in the middles of particles: 0.2 m apart, the outermost 0.1 m below the faces of the block.
        for (at, expected) in [([7, 4, 4], -0.1), ([8, 4, 4], 0.1), ([4, 4, 6], -0.3), ([4, 9, 4], 0.3)] {
            let (found, _) = away.at(at);
            assert!(
                (f64::from(found) - expected).abs() < 0.08,
                "{found} m at {at:?} instead of {expected} m"
            );
        }
        assert!(away.at([4, 4, 4]).0 < -0.5 && away.at([14, 4, 4]).0 > 0.5);
    }
}
