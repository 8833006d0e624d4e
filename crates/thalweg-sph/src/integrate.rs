//! Leap-frog: velocities live half a step before positions (Kataev 2022, eqs. 1.45–1.48).

use crate::particles::Particle;

/// What lies around the fluid and is no particle: ground, walls, places where water leaves.
pub trait Surroundings: Sync {
    /// Acceleration of a particle by whatever is there [m/s²].
    fn push(&self, _position: [f32; 3], _velocity: [f32; 3], _density: f32) -> [f32; 3] {
        [0.0; 3]
    }

    /// Ends the move of a particle from `from`: it may be held up, turned round, or told to vanish.
    fn end_move(&self, from: [f32; 3], particle: &mut Particle, dt: f32);
}

/// How far a step goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Motion {
    /// Time between the velocities before and after: half of the last step and half of this one [s].
    pub kick: f32,
    /// Time between the positions before and after [s].
    pub drift: f32,
    /// What is left of the velocity; less than 1 while particles find their places [-].
    pub keep: f32,
}

impl Motion {
    /// A particle after the step, its speed and acceleration squared.
    #[inline(always)]
    pub fn moved(
        &self,
        mut particle: Particle,
        mut a: [f32; 3],
        density: f32,
        surroundings: &impl Surroundings,
    ) -> (Particle, f32, f32) {
        let from = particle.position;
        let pushed = surroundings.push(from, particle.velocity, density);
        a = std::array::from_fn(|axis| a[axis] + pushed[axis]);
        let Particle { position, velocity, .. } = &mut particle;
        for ((x, v), a) in position.iter_mut().zip(velocity).zip(a) {
            *v = self.keep * (*v + self.kick * a); // (1.45)
            *x += self.drift * *v; // (1.46)
        }
        surroundings.end_move(from, &mut particle, self.drift);
        let square = |v: [f32; 3]| v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        (particle, square(particle.velocity), square(a))
    }
}
