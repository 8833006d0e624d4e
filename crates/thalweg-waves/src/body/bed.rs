//! Bodies that come to rest on the bed, without a contact library: impulses at the corners that touch it.

use super::floating::Floating;
use super::vector::{Matrix, Vector, cross, dot, minus, plus, scaled, times, unit_or_zero};
use thalweg_field::Heightfield;

/// Rounds over the contacts; each passes momentum on to the next.
const ROUNDS: usize = 12;
/// Coulomb friction of hulls on the bed `[-]`: wood or steel on gravel.
pub(super) const FRICTION: f64 = 0.5;
/// Share of its depth in the bed that a body is lifted by in a step `[-]`.
const LIFT: f64 = 0.5;
/// Bodies may be so far inside the bed `[m]`, so that their contacts last.
const SLOP: f64 = 1.0e-4;
/// Contacts at once: the deepest corner in each direction.
const SECTORS: usize = 8;

/// The bed under the water.
#[derive(Clone, Debug)]
pub(super) struct Bed {
    pub(super) ground: Heightfield,
}

impl Bed {
    /// Height above the world's 0; the outermost cells go on beyond the edge `[m]`.
    fn height(&self, place: [f64; 2]) -> f64 {
        let [col, row] = self.ground.cell_from_local(place);
        f64::from(self.ground.height.bilinear(col, row))
    }

    fn normal(&self, place: [f64; 2]) -> Vector {
        let reach = 0.5 * self.ground.frame.cell;
        let slope = [0, 1].map(|axis: usize| {
            let at = |sign: f64| {
                let mut place = place;
                place[axis] += sign * reach;
                self.height(place)
            };
            (at(1.0) - at(-1.0)) / (2.0 * reach)
        });
        unit_or_zero([-slope[0], -slope[1], 1.0])
    }

    /// Whether a ball may touch it.
    pub(super) fn is_near(&self, place: Vector, reach: f64) -> bool {
        let cell = self.ground.frame.cell;
        let steps = ((reach / cell).ceil() as i64).min(64);
        let stride = reach.max(cell) / steps.max(1) as f64;
        (-steps..=steps).any(|j| {
            (-steps..=steps).any(|i| {
                let at = [place[0] + i as f64 * stride, place[1] + j as f64 * stride];
                self.height(at) > place[2] - reach
            })
        })
    }

    /// Stops a body at the bed.
    pub(super) fn stop(&self, body: &mut Floating) {
        let mut deepest: [Option<(f64, Vector)>; SECTORS] = [None; SECTORS];
        for arm in body.arms() {
            let at = plus(body.motion.place, 1.0, *arm);
            let depth = self.height([at[0], at[1]]) - at[2];
            if depth > 0.0 {
                let sector = usize::from(arm[0] > 0.0)
                    + 2 * usize::from(arm[1] > 0.0)
                    + 4 * usize::from(arm[0].abs() > arm[1].abs());
                if deepest[sector].is_none_or(|(other, _)| depth > other) {
                    deepest[sector] = Some((depth, *arm));
                }
            }
        }
        let contacts: Vec<(f64, Vector, Vector)> = deepest
            .into_iter()
            .flatten()
            .map(|(depth, arm)| {
                let at = plus(body.motion.place, 1.0, arm);
                (depth, arm, self.normal([at[0], at[1]]))
            })
            .collect();
        let Some(most) = contacts.iter().map(|c| c.0).reduce(f64::max) else { return };
        let (light, inertia) = body.yielding();
        let mut pushed = [0.0; SECTORS];
        for _ in 0..ROUNDS {
            for ((_, arm, normal), pushed) in contacts.iter().zip(&mut pushed) {
                let before = *pushed;
                let velocity = plus(body.motion.velocity, 1.0, cross(body.motion.spin, *arm));
                let needed = -dot(velocity, *normal) / ease(light, &inertia, *arm, *normal);
                *pushed = (before + needed).max(0.0);
                strike(body, light, &inertia, *arm, scaled(*pushed - before, *normal));
                let velocity = plus(body.motion.velocity, 1.0, cross(body.motion.spin, *arm));
                let sliding = minus(velocity, scaled(dot(velocity, *normal), *normal));
                let speed = dot(sliding, sliding).sqrt();
                if speed > 0.0 && *pushed > 0.0 {
                    let way = scaled(1.0 / speed, sliding);
                    let most = FRICTION * *pushed / ROUNDS as f64;
                    let impulse = (speed / ease(light, &inertia, *arm, way)).min(most);
                    strike(body, light, &inertia, *arm, scaled(-impulse, way));
                }
            }
        }
        let mean = unit_or_zero(contacts.iter().fold([0.0; 3], |sum, c| plus(sum, 1.0, c.2)));
        body.motion.place = plus(body.motion.place, LIFT * (most - SLOP).max(0.0), mean);
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
