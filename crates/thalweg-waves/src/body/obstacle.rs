//! What stops bodies, without a contact library: impulses at the corners that touch it.

use super::floating::Floating;
use super::vector::{Matrix, Vector, cross, dot, minus, plus, scaled, times, unit_or_zero};

/// Rounds over the contacts; each passes momentum on to the next.
const ROUNDS: usize = 12;
/// Coulomb friction of hulls on the bed and along walls `[-]`: wood or steel on gravel.
pub(super) const FRICTION: f64 = 0.5;
/// Share of its depth in an obstacle that a body is lifted by in a step `[-]`.
const LIFT: f64 = 0.5;
/// Bodies may be so far inside `[m]`, so that their contacts last.
const SLOP: f64 = 1.0e-4;
/// Contacts at once: the deepest corner in each direction.
const SECTORS: usize = 8;

/// Something that bodies do not pass.
pub(super) trait Obstacle {
    /// How deep a place lies inside, below zero outside `[m]`.
    fn depth(&self, at: Vector) -> f64;

    /// Out of it, of length one.
    fn normal(&self, at: Vector) -> Vector;
}

/// A corner of a hull inside an obstacle.
#[derive(Clone, Copy)]
struct Contact {
    depth: f64,
    /// From the centre of mass.
    arm: Vector,
    normal: Vector,
}

/// Stops a body at an obstacle.
pub(super) fn stop(body: &mut Floating, obstacle: &dyn Obstacle) {
    let contacts = deepest(body, obstacle);
    let Some(most) = contacts.iter().map(|c| c.depth).reduce(f64::max) else { return };
    let yields = body.yielding();
    let mut pushed = [0.0; SECTORS];
    for _ in 0..ROUNDS {
        for (contact, pushed) in contacts.iter().zip(&mut pushed) {
            push(body, yields, contact, pushed);
        }
    }
    let mean = unit_or_zero(contacts.iter().fold([0.0; 3], |sum, c| plus(sum, 1.0, c.normal)));
    body.motion.place = plus(body.motion.place, LIFT * (most - SLOP).max(0.0), mean);
}

/// The deepest corner in each direction.
fn deepest(body: &Floating, obstacle: &dyn Obstacle) -> Vec<Contact> {
    let mut deepest: [Option<Contact>; SECTORS] = [None; SECTORS];
    for &arm in body.arms() {
        let at = plus(body.motion.place, 1.0, arm);
        let depth = obstacle.depth(at);
        if depth > 0.0 {
            let sector = usize::from(arm[0] > 0.0)
                + 2 * usize::from(arm[1] > 0.0)
                + 4 * usize::from(arm[0].abs() > arm[1].abs());
            if deepest[sector].is_none_or(|other| depth > other.depth) {
                deepest[sector] = Some(Contact { depth, arm, normal: obstacle.normal(at) });
            }
        }
    }
    deepest.into_iter().flatten().collect()
}

/// Stops what still goes inwards at a contact, and rubs; `pushed` is what it has been pushed with so far.
fn push(body: &mut Floating, (light, inertia): (f64, Matrix), contact: &Contact, pushed: &mut f64) {
    let Contact { arm, normal, .. } = *contact;
    let going = |body: &Floating| plus(body.motion.velocity, 1.0, cross(body.motion.spin, arm));
    let before = *pushed;
    let needed = -dot(going(body), normal) / ease(light, &inertia, arm, normal);
    *pushed = (before + needed).max(0.0);
    strike(body, light, &inertia, arm, scaled(*pushed - before, normal));
    let velocity = going(body);
    let sliding = minus(velocity, scaled(dot(velocity, normal), normal));
    let speed = dot(sliding, sliding).sqrt();
    if speed > 0.0 && *pushed > 0.0 {
        let way = scaled(1.0 / speed, sliding);
        let most = FRICTION * *pushed / ROUNDS as f64;
        let impulse = (speed / ease(light, &inertia, arm, way)).min(most);
        strike(body, light, &inertia, arm, scaled(-impulse, way));
    }
}

/// Velocity at an arm along a way that an impulse of 1 there gives [1/kg].
fn ease(light: f64, inertia: &Matrix, arm: Vector, way: Vector) -> f64 {
    let lever = cross(arm, way);
    light + dot(lever, times(inertia, lever))
}

fn strike(body: &mut Floating, light: f64, inertia: &Matrix, arm: Vector, impulse: Vector) {
    body.motion.velocity = plus(body.motion.velocity, light, impulse);
    body.motion.spin = plus(body.motion.spin, 1.0, times(inertia, cross(arm, impulse)));
}
