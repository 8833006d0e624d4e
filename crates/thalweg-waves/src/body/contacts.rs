//! Contacts of bodies with one another, with walls and with the bed, by rapier.
//!
//! rapier gets no forces at all. It takes several small steps within one, in which a force is held: what depends on the place, as
//! buoyancy does, then pumps energy into every swing, ×20 in half a minute for a box in calm water. So the net force of a step,
//! weight and buoyancy together, becomes one impulse before it, as in symplectic Euler, and rapier only moves bodies and keeps
//! them apart. The world is made anew in each step from the state of the bodies, so that a run that goes on from a file
//! ends in the same bits.

use super::bed::Bed;
use super::floating::{Floating, Sea};
use super::obstacle::FRICTION;
use super::vector::{Turn, Vector as Place};
use super::wall::Wall;
use rapier3d_f64::parry::mass_properties::MassProperties;
use rapier3d_f64::parry::utils::Array2;
use rapier3d_f64::prelude::*;
use std::fmt;

/// Half the height of walls `[m]`.
const TALL: f64 = 100.0;
/// Half their thickness `[m]`.
const THICK: f64 = 0.25;

/// Shapes that things collide with.
#[derive(Clone, Default)]
pub(super) struct Contacts {
    bodies: Vec<Option<SharedShape>>,
    bed: Option<(SharedShape, Pose)>,
}

impl fmt::Debug for Contacts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Contacts of {} bodies", self.bodies.len())
    }
}

impl Contacts {
    pub(super) fn new(bed: Option<&Bed>) -> Self {
        let bed = bed.map(|bed| {
            let ground = &bed.ground;
            let (rows, cols) = (ground.height.rows(), ground.height.cols());
            let columnwise = (0..cols).flat_map(|c| (0..rows).map(move |r| (c, r)));
            let heights = columnwise.map(|(c, r)| f64::from(ground.height.at(c, r))).collect();
            let side = ground.frame.cell;
            let scale = Vector::new((cols - 1) as f64 * side, 1.0, (rows - 1) as f64 * side);
            let shape = SharedShape::heightfield(Array2::new(rows, cols, heights), scale);
            let [east, north] = ground.extent();
            // Their heights are along y; a quarter turn about x takes y up and z, which runs with the rows, south.
            let quarter = Turn::about([std::f64::consts::FRAC_PI_2, 0.0, 0.0]);
            (shape, pose([0.5 * east, 0.5 * north, 0.0], quarter))
        });
        Self { bodies: Vec::new(), bed }
    }

    /// Takes in a body, as the convex hull of its hull.
    pub(super) fn add(&mut self, body: &Floating) {
        let places: Vec<Vector> = body.hull.places.iter().map(|&p| vector(p)).collect();
        self.bodies.push(SharedShape::convex_hull(&places));
    }

    /// Steps of some bodies together.
    pub(super) fn advance(
        &self,
        bodies: &mut [Floating],
        chosen: &[usize],
        walls: &[Wall],
        (dt, steps): (f64, usize),
        sea: &Sea,
    ) {
        let mut world = PhysicsWorld::new();
        world.gravity = Vector::ZERO;
        world.integration_parameters.dt = dt;
        if let Some((shape, at)) = &self.bed {
            world.insert_collider(ColliderBuilder::new(shape.clone()).position(*at).friction(FRICTION), None);
        }
        for wall in walls {
            world.insert_collider(solid(wall, sea.level), None);
        }
        let handles: Vec<Option<RigidBodyHandle>> = chosen
            .iter()
            .map(|&n| {
                let (body, shape) = (&bodies[n], self.bodies[n].clone()?);
                let motion = &body.motion;
                let (mass, inertia) = body.heavy();
                let made = if body.params.held {
                    RigidBodyBuilder::kinematic_velocity_based()
                } else {
                    RigidBodyBuilder::dynamic()
                };
                let made = made
                    .pose(pose(motion.place, motion.turn))
                    .linvel(vector(motion.velocity))
                    .angvel(vector(motion.spin))
                    .can_sleep(false)
                    .additional_mass_properties(MassProperties::new(Vector::ZERO, mass, vector(inertia)));
                let hull = ColliderBuilder::new(shape).density(0.0).friction(FRICTION).restitution(0.0);
                Some(world.insert(made, hull).0)
            })
            .collect();
        for _ in 0..steps {
            for (&n, handle) in chosen.iter().zip(&handles) {
                bodies[n].kick(dt);
                if let Some(found) = handle.and_then(|handle| world.bodies.get_mut(handle)) {
                    found.set_linvel(vector(bodies[n].motion.velocity), true);
                    found.set_angvel(vector(bodies[n].motion.spin), true);
                }
            }
            world.step();
            for (&n, handle) in chosen.iter().zip(&handles) {
                if let Some(found) = handle.and_then(|handle| world.bodies.get(handle)) {
                    let motion = &mut bodies[n].motion;
                    motion.place = found.translation().to_array();
                    let turn = found.rotation();
                    motion.turn = Turn([turn.w, turn.x, turn.y, turn.z]).normalised();
                    motion.velocity = found.linvel().to_array();
                    motion.spin = found.angvel().to_array();
                }
                bodies[n].settle(dt, sea);
            }
        }
    }
}

/// A wall as a box whose face towards the water is where the wall is.
fn solid(wall: &Wall, level: f64) -> ColliderBuilder {
    let ([a, b], out) = (wall.ends, wall.left());
    let way = [b[0] - a[0], b[1] - a[1]];
    let half = 0.5 * libm::hypot(way[0], way[1]);
    let turn = Turn::about([0.0, 0.0, libm::atan2(way[1], way[0])]);
    let [x, y] = [0, 1].map(|i: usize| 0.5 * (a[i] + b[i]) - THICK * out[i]);
    ColliderBuilder::cuboid(half, THICK, TALL).position(pose([x, y, level], turn)).friction(FRICTION)
}

fn vector(v: Place) -> Vector {
    Vector::from_array(v)
}

fn pose(at: Place, turn: Turn) -> Pose {
    let [w, x, y, z] = turn.0;
    Pose::from_parts(vector(at), Rotation::from_xyzw(x, y, z, w))
}
