//! How fine and how smooth a surface is, and what cannot be done.

use thalweg_field::Points;

/// How a surface is put around particles.
///
/// The density of the fluid is no parameter: each particle counts with the volume that its neighbours
/// leave it, and the mass cancels.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceParams {
    /// Half the distance between particles at rest `[m]`.
    pub particle_radius: f32,
    /// Reach of a particle, half of where its kernel ends, in particle radii; larger is rounder `[-]`.
    pub smoothing_length: f32,
    /// Side of the marching cubes in particle radii; half of it takes eight times as long `[-]`.
    pub cube_size: f32,
    /// Share of the full density at which the surface lies; larger shrinks it `[-]`.
    pub iso_threshold: f32,
    /// Merge the slivers that marching cubes cut off, and with them half of the corners.
    pub merge_slivers: bool,
    /// How often each corner moves towards its neighbours, fully where the fluid is dense and hardly in
    /// drops and thin sheets.
    pub smoothing_iterations: u32,
    /// How often each normal is averaged with its neighbours.
    pub normal_smoothing_iterations: u32,
    /// Memory that the work may take `[byte]`.
    pub max_bytes: u64,
}

impl SurfaceParams {
    /// A good-looking surface for particles of that radius `[m]`.
    pub fn for_radius(particle_radius: f32) -> Self {
        Self {
            particle_radius,
            smoothing_length: 2.0,
            cube_size: 0.5,
            iso_threshold: 0.6,
            merge_slivers: true,
            smoothing_iterations: 15,
            normal_smoothing_iterations: 10,
            max_bytes: 4 << 30,
        }
    }

    /// [`SurfaceParams::for_radius`] of these particles.
    pub fn of(points: &Points) -> Self {
        Self::for_radius(points.radius)
    }

    /// The parameters themselves if a surface can be made with them.
    pub fn validated(self) -> Result<Self, SurfaceError> {
        let check = |name, value: f32, right: bool, wanted| {
            if value.is_finite() && right { Ok(()) } else { Err(SurfaceError::Param { name, value, wanted }) }
        };
        let Self { particle_radius: radius, smoothing_length, cube_size, iso_threshold, .. } = self;
        check("particle_radius", radius, radius > 0.0, "it must be above 0 m")?;
        // Closer than one radius, particles at rest no longer touch; wider than eight, each has 4000
        // neighbours.
        let reach = (1.0..=8.0).contains(&smoothing_length);
        check("smoothing_length", smoothing_length, reach, "it must be from 1 to 8 particle radii")?;
        // A cube larger than the particles' distance would step over them.
        let fine = (0.05..=2.0).contains(&cube_size);
        check("cube_size", cube_size, fine, "it must be from 0.05 to 2 particle radii")?;
        let share = iso_threshold > 0.0 && iso_threshold < 1.0;
        check("iso_threshold", iso_threshold, share, "it must be above 0 and below 1")?;
        Ok(self)
    }

    /// Side of a cube `[m]`.
    pub(crate) fn cube(&self) -> f64 {
        f64::from(self.cube_size) * f64::from(self.particle_radius)
    }

    /// Particle radius in cubes.
    pub(crate) fn radius_in_cubes(&self) -> f32 {
        1.0 / self.cube_size
    }

    /// Where a particle's kernel ends, in cubes.
    pub(crate) fn support_in_cubes(&self) -> f32 {
        2.0 * self.smoothing_length / self.cube_size
    }
}

/// Why there is no surface.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SurfaceError {
    /// A parameter out of range.
    #[error("{name} is {value}; {wanted}")]
    Param {
        /// The field.
        name: &'static str,
        /// What it holds.
        value: f32,
        /// What would be right.
        wanted: &'static str,
    },
    /// Positions that are no numbers.
    #[error("{count} of {total} particles have no finite position, the first is number {first} at {at:?} m")]
    NotFinite {
        /// How many.
        count: usize,
        /// Of how many.
        total: usize,
        /// The first of them.
        first: usize,
        /// Where it claims to be `[m]`.
        at: [f32; 3],
    },
    /// Particles too far apart for the grid between them.
    #[error(
        "particles span {extent:.3e} m, {cubes} cubes of {cube:.3e} m; at most {most} can be told apart, \
         try larger cubes or leave out the particles that strayed"
    )]
    TooWide {
        /// The longest side around them `[m]`.
        extent: f64,
        /// Side of a cube `[m]`.
        cube: f64,
        /// Cubes along the longest side.
        cubes: u64,
        /// Cubes that are possible.
        most: u64,
    },
    /// More memory than is allowed.
    #[error(
        "a surface around {particles} particles needs about {} MiB of memory but only {} MiB are allowed; \
         try larger cubes or a higher limit", needed.div_ceil(1 << 20), allowed >> 20
    )]
    Memory {
        /// How many particles.
        particles: usize,
        /// Memory needed `[byte]`.
        needed: u64,
        /// Memory allowed `[byte]`.
        allowed: u64,
    },
    /// The reconstruction gave up.
    #[error("no surface could be made: {0}")]
    Failed(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_out_of_range_are_refused_by_name() {
        assert!(SurfaceParams::for_radius(0.01).validated().is_ok());
        let good = SurfaceParams::for_radius(0.01);
        for (params, name) in [
            (SurfaceParams::for_radius(0.0), "particle_radius is 0;"),
            (SurfaceParams::for_radius(-0.5), "particle_radius is -0.5;"),
            (SurfaceParams::for_radius(f32::NAN), "particle_radius is NaN;"),
            (SurfaceParams { smoothing_length: 0.5, ..good.clone() }, "smoothing_length is 0.5;"),
            (SurfaceParams { cube_size: 0.0, ..good.clone() }, "cube_size is 0;"),
            (SurfaceParams { iso_threshold: 1.0, ..good }, "iso_threshold is 1;"),
        ] {
            let message = params.validated().unwrap_err().to_string();
            assert!(message.starts_with(name), "{message}");
        }
    }
}
