//! How far apart particles are where their number is given.

use super::fixtures::bodies;
use super::start::{initial_particles, particle_volume, running_emitters};
use super::{ParticleWater, check_terrain, ground_of};
use crate::ground::Ground;
use crate::params::Params;
use crate::setting::{Setting, Terrain};
use thalweg_field::{Invalid, require};

/// How often a spacing is set right by the number that it gives, at most, and by how much that may differ from what is wanted `[-]`.
const ROUNDS: usize = 12;
const SLACK: f64 = 0.001;
/// The first spacing is so much wider than the looked up volume asks for that no more particles are tried than are wanted `[-]`.
const CAREFUL: f64 = 1.1;

impl ParticleWater {
    /// Parameters with the spacing that makes as many particles of the water at the beginning as they ask for; as they are if
    /// they ask for none.
    pub fn with_count<'a>(
        terrain: impl Into<Terrain<'a>>,
        params: &Params,
        setting: &Setting,
    ) -> Result<Params, Invalid> {
        let terrain = terrain.into();
        let Some(wanted) = params.fluid.particles else { return Ok(params.clone()) };
        params.validated()?;
        // As fine as it takes: the spacing is yet to be found.
        let mut fine = params.clone();
        fine.fluid.spacing = fine.fluid.spacing.min(terrain.cells().1);
        let ground = ground_of(terrain, &fine, setting)?;
        let all = ground.pool_volume(setting);
        let remedy = "it is the number of particles that [[water]] begins with, and there is none";
        require(all > 0.0, "fluid.particles", wanted, remedy)?;
        let mut found = params.clone();
        found.fluid.particles = None;
        found.fluid.spacing = CAREFUL * (all / f64::from(wanted)).cbrt();
        let mut count = 0.0;
        for _ in 0..ROUNDS {
            let emitters = running_emitters(&setting.emitters, &found, particle_volume(&found))?;
            let bodies = bodies(&setting.solids, &found)?;
            count = initial_particles(&ground, &found, setting, (&emitters, &bodies))?.len() as f64;
            if (count - f64::from(wanted)).abs() <= (SLACK * f64::from(wanted)).max(1.0) {
                check_terrain(terrain, &found)?;
                return Ok(found);
            }
            found.fluid.spacing *= (count.max(1.0) / f64::from(wanted)).cbrt();
        }
        let remedy = format!("no spacing gives so many; about {count} would do, or give fluid.spacing");
        Err(Invalid { key: "fluid.particles".into(), value: wanted.to_string(), remedy })
    }
}
