//! Bodies that water cannot enter: boxes and closed meshes. They stand still, or open at some time like a gate.

mod hull;
mod sample;

use hull::{Hull, Vector, dot, length, plus};
use sample::Sample;
use std::sync::Arc;
use thalweg_field::{Invalid, TriMesh, require};
use thalweg_sph::Particle;

/// Bodies are at least so many spacings thick `[-]`: two layers of boundary particles fit into them.
const LEAST_THICK: f64 = 2.0;
/// A particle that is stopped stays so far outside, in spacings `[-]`: more than rounding takes away.
const HAIR: f64 = 0.01;
/// Faces that a particle may meet on one way, in a corner; then it stays where it was.
const MOST_FACES: usize = 4;
/// Most boundary particles of a body.
const MOST_PARTICLES: f64 = 1.0e8;
/// Water at the beginning keeps so far away, in spacings `[-]`.
const OFF: f64 = 0.25;

/// A body that water cannot enter.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// Its form.
    pub shape: SolidShape,
    /// When it opens `[s]`; missing: never.
    pub opens: Option<f64>,
    /// How fast it is lifted then, until it has risen by its own height `[m/s]`; missing: it is gone at once.
    pub lift: Option<f64>,
}

/// Forms of bodies. Places are metres east, north and up.
#[derive(Clone, Debug, PartialEq)]
pub enum SolidShape {
    /// A box.
    Box {
        /// Its lowest corner before it is turned `[m]`.
        from: [f64; 3],
        /// Its highest corner before it is turned `[m]`.
        to: [f64; 3],
        /// How far it is turned about the vertical through its middle, anticlockwise seen from above `[rad]`.
        turn: f64,
    },
    /// What a closed mesh encloses.
    Mesh(Arc<TriMesh>),
}

impl SolidShape {
    /// Its surface as it is seen, before it opens: a box with sharp edges, a mesh with the normals that it has.
    pub fn mesh(&self) -> TriMesh {
        match self {
            Self::Mesh(mesh) => TriMesh::clone(mesh),
            Self::Box { .. } => {
                let shared = box_mesh(self);
                let corners =
                    shared.triangles.iter().flatten().map(|&corner| shared.positions[corner as usize]);
                let positions: Vec<_> = corners.collect();
                let triangles = (0..positions.len() as u32).step_by(3).map(|n| [n, n + 1, n + 2]).collect();
                TriMesh { positions, normals: Vec::new(), triangles }.with_normals()
            }
        }
    }
}

/// A body in the water.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    hull: Hull,
    samples: Vec<Sample>,
    opens: f64,
    lift: Option<f64>,
    /// Of the particles of the fluid `[m]`.
    spacing: f64,
}

impl Body {
    /// The body of a description, among particles `spacing` apart; `key` names it in complaints.
    pub(crate) fn new(solid: &Solid, spacing: f64, key: &str) -> Result<Self, Invalid> {
        let field = if matches!(solid.shape, SolidShape::Box { .. }) { "to" } else { "file" };
        let key = format!("{key}.{field}");
        let refused = |why: String| Invalid { key: key.clone(), value: "no body".into(), remedy: why };
        let hull = match &solid.shape {
            SolidShape::Box { from, to, .. } => {
                let good = (0..3).all(|axis| to[axis] > from[axis] && (to[axis] - from[axis]).is_finite());
                require(good, &key, format!("{to:?}"), "it lies east, north and above of \"from\"")?;
                Hull::new(&box_mesh(&solid.shape)).map_err(refused)?
            }
            SolidShape::Mesh(mesh) => Hull::new(mesh).map_err(refused)?,
        };
        let [low, high] = hull.bounds();
        let sides = match solid.shape {
            SolidShape::Box { from, to, .. } => hull::minus(to, from),
            SolidShape::Mesh(_) => hull::minus(high, low),
        };
        let thin = sides.into_iter().fold(f64::INFINITY, f64::min);
        let least = LEAST_THICK * spacing;
        let remedy = format!(
            "it is at least {least:.4} m thick, two spacings: through a thinner one, water on one side would feel that on the other"
        );
        require(thin >= least * (1.0 - 1.0e-6), &key, format!("{thin:.4} m thick"), remedy)?;
        let need = 2.0 * hull.area() / (spacing * spacing);
        let remedy = format!("{need:.1e} boundary particles are too many; use a larger fluid.spacing");
        require(need <= MOST_PARTICLES, &key, "too large", remedy)?;
        let samples = match &solid.shape {
            SolidShape::Box { from, to, .. } => {
                sample::of_box(sides, spacing, |share| turned(&solid.shape, *from, *to, share))
            }
            SolidShape::Mesh(_) => sample::of_mesh(&hull, spacing),
        };
        Ok(Self { hull, samples, opens: solid.opens.unwrap_or(f64::INFINITY), lift: solid.lift, spacing })
    }

    /// How many boundary particles it has.
    pub(crate) fn count(&self) -> usize {
        self.samples.len()
    }

    /// Its boundary particles before it opens: places `[m]`, and shares of a particle's room `[-]`.
    pub(crate) fn samples(&self) -> impl Iterator<Item = ([f32; 3], f32)> + '_ {
        self.samples.iter().map(|(at, share)| (at.map(|v| v as f32), *share as f32))
    }

    /// Whether it never opens.
    pub(crate) fn stays(&self) -> bool {
        self.opens == f64::INFINITY
    }

    /// When it opens `[s]`; never: infinity.
    pub(crate) fn opens(&self) -> f64 {
        self.opens
    }

    /// Whether a place is inside at a time `[s]`.
    pub(crate) fn holds(&self, at: [f64; 3], time: f64) -> bool {
        self.risen(time).is_some_and(|risen| self.contains([at[0], at[1], at[2] - risen]))
    }

    /// Whether a place is inside before it opens.
    pub(crate) fn contains(&self, at: [f64; 3]) -> bool {
        self.hull.contains(at)
    }

    /// Whether a place is inside, or so close that no water begins there.
    pub(crate) fn keeps_out(&self, at: [f64; 3]) -> bool {
        let near = OFF * self.spacing;
        let beside = |n: usize| {
            let mut at = at;
            at[n / 2] += if n.is_multiple_of(2) { near } else { -near };
            at
        };
        self.contains(at) || (0..6).any(|n| self.contains(beside(n)))
    }

    /// How far it has been lifted at a time `[m]`; none once it is gone.
    pub(crate) fn risen(&self, time: f64) -> Option<f64> {
        let open = time - self.opens;
        if open < 0.0 {
            return Some(0.0);
        }
        let [low, high] = self.hull.bounds();
        let risen = self.lift? * open;
        (risen < high[2] - low[2]).then_some(risen)
    }

    /// How fast it rises at a time `[m/s]`.
    pub(crate) fn speed(&self, time: f64) -> f64 {
        if time >= self.opens { self.lift.unwrap_or(0.0) } else { 0.0 }
    }

    /// How far it rose in the time before a time `[s]`, `[m]`.
    pub(crate) fn rose_within(&self, before: f64, time: f64) -> f64 {
        self.speed(time) * before.min(time - self.opens)
    }

    /// Whether nothing between two corners can touch it in a step from `time` that lasts no longer than it takes to rise one spacing.
    pub(crate) fn is_free(&self, low: [f32; 3], high: [f32; 3], time: f64) -> bool {
        let Some(risen) = self.risen(time) else { return true };
        let up = [0.0, 0.0, risen];
        let [from, to] = self.hull.bounds();
        (0..3).any(|axis| {
            f64::from(high[axis]) < from[axis] + up[axis]
                || f64::from(low[axis]) > to[axis] + up[axis] + self.spacing
        })
    }

    /// Stops a particle that would have entered it between two times `[s]`, and lets it glide along; whether it did.
    pub(crate) fn stop(
        &self,
        from: [f32; 3],
        particle: &mut Particle,
        [t0, t1]: [f64; 2],
        bounce: f32,
    ) -> bool {
        let (Some(before), Some(after)) = (self.risen(t0), self.risen(t1)) else { return false };
        // As the body sees it.
        let from = plus(from.map(f64::from), -before, UP);
        let mut to = plus(particle.position.map(f64::from), -after, UP);
        let mut normal = [0.0; 3];
        let mut met = 0;
        while let Some(hit) = self.hull.first_hit(from, to) {
            met += 1;
            normal = plus(normal, 1.0, hit.normal);
            if met == MOST_FACES {
                to = from;
                break;
            }
            let deep = dot(hull::minus(to, hit.at), hit.normal);
            to = plus(to, HAIR * self.spacing - deep, hit.normal);
        }
        if met == 0 {
            return false;
        }
        particle.position = plus(to, after, UP).map(|v| v as f32);
        let long = length(normal);
        if long > 0.0 {
            let normal = normal.map(|n| n / long);
            let moving = self.speed(t1);
            let into = dot(particle.velocity.map(f64::from), normal) - moving * normal[2];
            if into < 0.0 {
                let back = -(1.0 + f64::from(bounce)) * into;
                particle.velocity = plus(particle.velocity.map(f64::from), back, normal).map(|v| v as f32);
            }
        }
        true
    }

    /// Whether a way leads into it between two times `[s]`.
    pub(crate) fn is_entered(&self, from: [f32; 3], to: [f32; 3], [t0, t1]: [f64; 2]) -> bool {
        let (Some(before), Some(after)) = (self.risen(t0), self.risen(t1)) else { return false };
        let (from, to) = (plus(from.map(f64::from), -before, UP), plus(to.map(f64::from), -after, UP));
        self.hull.first_hit(from, to).is_some()
    }
}

const UP: Vector = [0.0, 0.0, 1.0];

/// The place of a box at shares of its sides.
fn turned(shape: &SolidShape, from: Vector, to: Vector, share: Vector) -> Vector {
    let SolidShape::Box { turn, .. } = shape else { return from };
    let middle = plus(from, 0.5, hull::minus(to, from));
    let off: Vector = std::array::from_fn(|axis| (share[axis] - 0.5) * (to[axis] - from[axis]));
    let (sin, cos) = turn.sin_cos();
    plus(middle, 1.0, [cos * off[0] - sin * off[1], sin * off[0] + cos * off[1], off[2]])
}

/// A box as a mesh.
fn box_mesh(shape: &SolidShape) -> TriMesh {
    let SolidShape::Box { from, to, .. } = *shape else { return TriMesh::default() };
    let corner = |n: usize| [n & 1, n >> 1 & 1, n >> 2].map(|bit| bit as f64);
    let positions = (0..8).map(|n| turned(shape, from, to, corner(n)).map(|v| v as f32)).collect();
    // Below, above, south, north, west, east.
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh { positions, normals: Vec::new(), triangles }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxed(from: [f64; 3], to: [f64; 3], turn: f64) -> Solid {
        Solid { shape: SolidShape::Box { from, to, turn }, opens: None, lift: None }
    }

    fn body(solid: &Solid) -> Body {
        Body::new(solid, 0.1, "obstacle[0]").unwrap()
    }

    fn particle(position: [f32; 3], velocity: [f32; 3]) -> Particle {
        Particle { position, velocity, mass: 1.0, expires: 1.0, compression: 0.0, tag: 0, cargo: 0.0 }
    }

    /// A pyramid over a square, 2 m wide and 1 m high.
    fn pyramid() -> TriMesh {
        let positions =
            vec![[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 2.0, 0.0], [1.0, 1.0, 1.0]];
        let triangles = vec![[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];
        TriMesh { positions, normals: Vec::new(), triangles }
    }

    fn meshed(mesh: TriMesh) -> Solid {
        Solid { shape: SolidShape::Mesh(Arc::new(mesh)), opens: None, lift: None }
    }

    /// The particles of a box stand for its two outermost layers, and those of the same box as a mesh too.
    #[test]
    fn boundary_particles_fill_the_two_outermost_layers() {
        let solid = boxed([0.0; 3], [1.0, 0.8, 0.6], 0.0);
        let shell = 1.0 * 0.8 * 0.6 - 0.6 * 0.4 * 0.2;
        for (name, solid) in [("box", solid.clone()), ("mesh", meshed(box_mesh(&solid.shape)))] {
            let body = body(&solid);
            let volume: f64 = body.samples.iter().map(|(_, share)| share * 0.001).sum();
            assert!((volume - shell).abs() < 0.001 * shell, "{name}: {volume} m³ of {shell}");
            assert!(body.samples.iter().all(|(at, _)| body.contains(*at)), "{name}: one is outside");
        }
    }

    #[test]
    fn a_turned_box_and_a_pyramid_know_their_inside() {
        let turned = body(&boxed([0.0; 3], [2.0, 0.4, 1.0], std::f64::consts::FRAC_PI_2));
        assert!(turned.contains([1.0, 1.1, 0.5]) && !turned.contains([1.9, 0.2, 0.5]));
        let pyramid = body(&meshed(pyramid()));
        assert!(pyramid.contains([1.0, 1.0, 0.9]) && !pyramid.contains([0.3, 0.3, 0.5]));
        // Turned inside out it is the same body.
        let mut inwards = self::pyramid();
        inwards.triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
        assert!(body(&meshed(inwards)).contains([1.0, 1.0, 0.9]));
    }

    /// Whatever a particle's way is, slow or through the whole body and into its edges and corners, it ends outside.
    #[test]
    fn nothing_gets_in() {
        let bodies = [body(&boxed([0.0; 3], [1.0, 0.5, 0.5], 0.3)), body(&meshed(pyramid()))];
        let mut worst = 0;
        for body in &bodies {
            for n in 0..20_000 {
                let unit = |k: u64| thalweg_field::random::Key::new(7).with(n).with(k).unit();
                let place = |k: u64| [0, 1, 2].map(|axis| (4.0 * unit(k + axis) - 1.5) as f32);
                let (from, to) = (place(0), place(3));
                if body.contains(from.map(f64::from)) {
                    continue;
                }
                let mut particle = particle(to, std::array::from_fn(|axis| to[axis] - from[axis]));
                let speed = |p: &Particle| p.velocity.iter().map(|v| v * v).sum::<f32>();
                let before = speed(&particle);
                body.stop(from, &mut particle, [0.0, 1.0], 0.0);
                worst += i32::from(body.contains(particle.position.map(f64::from)));
                assert!(speed(&particle) <= before * 1.0001, "a stop made energy");
            }
        }
        assert_eq!(worst, 0, "so many got in");
    }

    #[test]
    fn a_gate_is_lifted_out_of_the_water_or_vanishes() {
        let still = boxed([0.0; 3], [0.2, 1.0, 1.0], 0.0);
        let gate = body(&Solid { opens: Some(0.5), lift: Some(2.0), ..still.clone() });
        assert_eq!(gate.risen(0.4), Some(0.0));
        assert!((gate.risen(0.75).unwrap() - 0.5).abs() < 1.0e-12);
        assert_eq!(gate.risen(1.01), None);
        let through = |gate: &Body, time: f64| {
            let mut particle = particle([0.3, 0.5, 0.2], [4.0, 0.0, 0.0]);
            gate.stop([-0.1, 0.5, 0.2], &mut particle, [time, time + 1.0e-3], 0.0)
        };
        assert!(through(&gate, 0.4) && !through(&gate, 0.7));
        let gone = body(&Solid { opens: Some(0.5), ..still });
        assert!(through(&gone, 0.4) && !through(&gone, 0.5));
        // One on top is lifted along.
        let mut rider = particle([0.1, 0.5, 1.2], [0.0; 3]);
        assert!(gate.stop([0.1, 0.5, 1.21], &mut rider, [0.6, 0.7], 0.0), "it passed through");
        assert!(rider.velocity[2] >= 2.0 && rider.position[2] >= 1.4, "{rider:?}");
    }

    #[test]
    fn what_is_no_body_is_refused() {
        let told = |solid: &Solid| Body::new(solid, 0.1, "obstacle[2]").unwrap_err().to_string();
        let thin = told(&boxed([0.0; 3], [1.0, 1.0, 0.15], 0.0));
        assert!(thin.contains("obstacle[2].to") && thin.contains("0.2000 m thick"), "{thin}");
        assert!(told(&boxed([0.0; 3], [1.0, -1.0, 1.0], 0.0)).contains("east, north and above"));
        let mut open = pyramid();
        open.triangles.pop();
        let open = told(&meshed(open));
        assert!(
            open.contains("obstacle[2].file") && open.contains("not closed: 3 of its 15 edges"),
            "{open}"
        );
        assert!(told(&meshed(TriMesh::default())).contains("no inside"));
    }
}
