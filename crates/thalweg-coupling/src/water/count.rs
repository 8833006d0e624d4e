//! How far apart particles are where their number is given.

use super::fixtures::bodies;
use super::start::{initial_particles, particle_volume, running_emitters};
use super::{ParticleWater, check_bed};
use crate::bed::Bed;
use crate::params::Params;
use crate::setting::Setting;
use thalweg_field::{Heightfield, Invalid, require};

/// Places along each side of a cell where the depth of the water is looked up.
const LOOKS: usize = 3;
/// How often a spacing is set right by the number that it gives, at most, and by how much that may differ from what is wanted `[-]`.
const ROUNDS: usize = 12;
const SLACK: f64 = 0.001;
/// The first spacing is so much wider than the looked up volume asks for that no more particles are tried than are wanted `[-]`.
const CAREFUL: f64 = 1.1;

/// Water at the beginning, about: by its depth at some places of every cell `[m³]`. Where pools overlap there is one of them.
fn volume(bed: &Bed, setting: &Setting) -> f64 {
    let side = bed.cell / LOOKS as f64;
    let [cols, rows] = bed.cells().map(|cells| cells * LOOKS);
    let depth = |i: usize, j: usize| {
        let at = [i, j].map(|n| 0.5 * bed.cell + (n as f64 + 0.5) * side);
        let ground = f64::from(bed.below(at[0] as f32, at[1] as f32).1);
        setting.water.iter().map(|pool| pool.depth_at(at, ground)).fold(0.0, f64::max)
    };
    (0..rows).map(|j| (0..cols).map(|i| depth(i, j)).sum::<f64>()).sum::<f64>() * side * side
}

impl ParticleWater {
    /// Parameters with the spacing that makes as many particles of the water at the beginning as they ask for; as they are if
    /// they ask for none.
    pub fn with_count(ground: &Heightfield, params: &Params, setting: &Setting) -> Result<Params, Invalid> {
        let Some(wanted) = params.fluid.particles else { return Ok(params.clone()) };
        params.validated()?;
        let bed = Bed::new(ground);
        let all = volume(&bed, setting);
        let remedy = "it is the number of particles that [[water]] begins with, and there is none";
        require(all > 0.0, "fluid.particles", wanted, remedy)?;
        let mut found = params.clone();
        found.fluid.particles = None;
        found.fluid.spacing = CAREFUL * (all / f64::from(wanted)).cbrt();
        let mut count = 0.0;
        for _ in 0..ROUNDS {
            let emitters = running_emitters(&setting.emitters, &found, particle_volume(&found))?;
            let bodies = bodies(&setting.solids, &found)?;
            count = initial_particles(&bed, &found, setting, (&emitters, &bodies))?.len() as f64;
            if (count - f64::from(wanted)).abs() <= (SLACK * f64::from(wanted)).max(1.0) {
                check_bed(&bed, &found)?;
                return Ok(found);
            }
            found.fluid.spacing *= (count.max(1.0) / f64::from(wanted)).cbrt();
        }
        let remedy = format!("no spacing gives so many; about {count} would do, or give fluid.spacing");
        Err(Invalid { key: "fluid.particles".into(), value: wanted.to_string(), remedy })
    }
}
