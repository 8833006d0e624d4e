//! Particles against the triangles of the cells that their ways cross (Wang, Yang & Zhu 2021, 2.5).
//!
//! A way is followed cell by cell. Where it enters the rock through a triangle it stops a hair before it, and glides along the plane
//! of that as far as it would have gone; at most a few times, in a notch. Nothing passes a triangle, at any speed.

use super::rock::{Rock, Vector};
use thalweg_sph::Particle;
use thalweg_terrain::marching_cubes::Cell;
use thalweg_terrain::volume::SURFACE;

/// Planes that a particle glides along in a step.
const GLIDES: usize = 4;
/// How far before a triangle a particle stops, in voxels `[-]`: more than single precision rounds off a thousand voxels from the corner.
const HAIR: f64 = 1.0e-3;
/// A way that misses a triangle by so little hits it, in its own coordinates `[-]`: else it could slip through between two.
const SLACK: f64 = 1.0e-9;
/// Times that a place in the rock is put nearer to its surface.
const LIFTS: u32 = 10;
/// A voxel with no more rock than this is open `[-]`: its middle is clear of the surface.
const OPEN: f32 = 0.8 * SURFACE;
/// How far away the next open voxel is looked for, in voxels.
const FARTHEST_OPEN: isize = 24;
/// Most cells that a way is followed through; what would go farther stays where it was.
const MOST_CELLS: usize = 4096;

/// Where a way enters rock.
#[derive(Clone, Copy, Debug)]
struct Hit {
    /// Share of the way before it `[-]`.
    share: f64,
    /// Unit normal of the triangle, out of the rock.
    normal: Vector,
}

impl Rock {
    /// Ends the way of a particle at the rock, and turns its velocity (Kataev 2022, eq. 1.44). Returns whether it touched.
    pub(super) fn collide(
        &self,
        start: [f32; 3],
        particle: &mut Particle,
        restitution: f32,
        dt: f32,
    ) -> bool {
        let from = self.in_voxels(start.map(f64::from));
        let to = self.in_voxels(particle.position.map(f64::from));
        let Some(first) = self.first_hit(from, to) else { return false };
        let mut normals = [[0.0; 3]; GLIDES];
        let (mut at, mut goal, mut hit, mut count) = (from, to, Some(first), 0);
        while let Some(Hit { share, normal }) = hit {
            let way = minus(goal, at);
            let slow = -dot(way, normal);
            // Back along the way, until the plane is a hair away.
            let before = (share - HAIR / slow.max(HAIR)).max(0.0);
            at = along(at, way, before);
            normals[count] = normal;
            count += 1;
            if count == GLIDES {
                break;
            }
            let rest = minus(goal, at);
            goal = along(at, along(rest, normal, -dot(rest, normal)), 1.0);
            hit = self.first_hit(at, goal);
            if hit.is_none() {
                at = goal;
            }
        }
        let end = self.in_metres(at).map(|v| v as f32);
        particle.position = if self.is_rock(end) { start } else { end };
        particle.velocity = bounced(particle, &normals[..count], (to, at), (restitution, dt, self.voxel()));
        true
    }

    /// Where a way first enters rock.
    fn first_hit(&self, from: Vector, to: Vector) -> Option<Hit> {
        let way = minus(to, from);
        let mut walk = Walk::new(from, way);
        for _ in 0..MOST_CELLS {
            let cell = self.volume().cell(walk.cell);
            if cell.is_mixed() {
                let origin = minus(from, walk.cell.map(|n| n as f64));
                let hit = hits(&cell, origin, way).filter(|hit| dot(way, hit.normal) < 0.0);
                if let Some(hit) = hit.min_by(|a, b| a.share.total_cmp(&b.share)) {
                    return Some(hit);
                }
            }
            if !walk.go_on() {
                return None;
            }
        }
        Some(Hit { share: 0.0, normal: unit(way.map(|v| -v)) })
    }

    /// Whether a place is in the rock, by the triangles of its cell: which of their sides it sees on the way to a corner that is known.
    pub(super) fn is_rock(&self, at: [f32; 3]) -> bool {
        let at = self.in_voxels(at.map(f64::from));
        let first = at.map(f64::floor);
        let cell = self.volume().cell(first.map(|n| n as isize));
        if !cell.is_mixed() {
            return cell.0[0] > SURFACE;
        }
        let clear = |n: usize| (cell.0[n] - SURFACE).abs();
        let corner = (0..8).max_by(|&a, &b| clear(a).total_cmp(&clear(b))).unwrap_or(0);
        let origin = minus(at, first);
        let way = minus(std::array::from_fn(|axis| (corner >> axis & 1) as f64), origin);
        let seen = hits(&cell, origin, way).min_by(|a, b| a.share.total_cmp(&b.share));
        seen.map_or(cell.0[corner] > SURFACE, |hit| dot(way, hit.normal) > 0.0)
    }

    /// Puts a place in the rock back out of it, by the shortest way that the slope of the rock knows.
    pub(super) fn lift(&self, at: &mut [f32; 3]) {
        for n in 0..LIFTS {
            if !self.is_rock(*at) {
                return;
            }
            let (distance, out) = self.distance(*at);
            // A little more each time: between the corners of a cell triangles and slope do not quite agree.
            let by = (-distance).max(0.0) + (HAIR * self.voxel()) as f32 * (1 << n) as f32;
            *at = std::array::from_fn(|axis| at[axis] + by * out[axis]);
        }
        // Deep in the rock there is no slope, and in a notch it leads from wall to wall.
        if self.is_rock(*at)
            && let Some(open) = self.next_open(*at)
        {
            *at = open;
        }
    }

    /// The middle of an open voxel near a place.
    fn next_open(&self, at: [f32; 3]) -> Option<[f32; 3]> {
        let place = self.in_voxels(at.map(f64::from));
        let middle = place.map(|v| v.round() as isize);
        let [east, north, _] = self.size().map(|voxels| voxels as isize);
        let open = |at: &[isize; 3]| {
            let within = (0..east).contains(&at[0]) && (0..north).contains(&at[1]) && at[2] >= 0;
            within && self.volume().share(*at) <= OPEN
        };
        let away =
            |at: &[isize; 3]| -> f64 { (0..3).map(|axis| (at[axis] as f64 - place[axis]).powi(2)).sum() };
        let within = |far: isize| {
            let side = 2 * far + 1;
            (0..side.pow(3)).map(move |n| {
                let off = [n % side, n / side % side, n / side / side];
                std::array::from_fn(|axis| middle[axis] + off[axis] - far)
            })
        };
        let near = |far: isize| within(far).filter(open).min_by(|a, b| away(a).total_cmp(&away(b)));
        let found = (1..=FARTHEST_OPEN).find_map(near)?;
        Some(self.in_metres(found.map(|n| n as f64)).map(|v| v as f32))
    }
}

/// The velocity of a particle that touched planes of these normals on its way to a place where it did not come: what comes back is bounded by how
/// far it was held up, so that no energy is gained (Kataev 2022, eq. 1.44).
fn bounced(
    particle: &Particle,
    normals: &[Vector],
    (to, at): (Vector, Vector),
    (restitution, dt, voxel): (f32, f32, f64),
) -> [f32; 3] {
    let mut velocity = particle.velocity.map(f64::from);
    let speed = length(velocity);
    let far = length(minus(to, at)) * voxel / (f64::from(dt) * speed).max(f64::MIN_POSITIVE);
    let back = f64::from(restitution) * far.min(1.0);
    for &normal in normals {
        let into = dot(velocity, normal);
        if into < 0.0 {
            velocity = along(velocity, normal, -(1.0 + back) * into);
        }
    }
    velocity.map(|v| v as f32)
}

/// Cells along a way, one after the other.
struct Walk {
    cell: [isize; 3],
    /// Share of the way at which the next cell along each axis begins, and how much it takes to pass one `[-]`.
    next: Vector,
    each: Vector,
    step: [isize; 3],
}

impl Walk {
    fn new(from: Vector, way: Vector) -> Self {
        let cell = from.map(|v| v.floor() as isize);
        let each = way.map(|v| if v == 0.0 { f64::INFINITY } else { 1.0 / v.abs() });
        let next = std::array::from_fn(|axis| {
            let inside = from[axis] - cell[axis] as f64;
            let left = if way[axis] > 0.0 { 1.0 - inside } else { inside };
            if way[axis] == 0.0 { f64::INFINITY } else { left * each[axis] }
        });
        Self { cell, next, each, step: way.map(|v| if v < 0.0 { -1 } else { 1 }) }
    }

    /// Goes to the next cell; false at the end of the way.
    fn go_on(&mut self) -> bool {
        let [x, y, z] = self.next;
        let axis = if x <= y && x <= z {
            0
        } else if y <= z {
            1
        } else {
            2
        };
        if self.next[axis] > 1.0 {
            return false;
        }
        self.cell[axis] += self.step[axis];
        self.next[axis] += self.each[axis];
        true
    }
}

/// Where a way that begins at a place of a cell meets the triangles in it, from either side.
fn hits(cell: &Cell, origin: Vector, way: Vector) -> impl Iterator<Item = Hit> {
    cell.triangles().filter_map(move |triangle| {
        let [a, b, c] = triangle.map(|corner| corner.map(f64::from));
        let (u, v) = (minus(b, a), minus(c, a));
        let across = cross(u, v);
        let flat = dot(across, across);
        let slow = dot(way, across);
        if slow == 0.0 || flat == 0.0 {
            return None;
        }
        let share = dot(minus(a, origin), across) / slow;
        if !(0.0..=1.0).contains(&share) {
            return None;
        }
        let at = minus(along(origin, way, share), a);
        let (p, q) = (dot(cross(at, v), across) / flat, dot(cross(u, at), across) / flat);
        let inside = p >= -SLACK && q >= -SLACK && p + q <= 1.0 + SLACK;
        inside.then(|| Hit { share, normal: unit(across) })
    })
}

fn minus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

fn along(a: Vector, way: Vector, share: f64) -> Vector {
    std::array::from_fn(|axis| a[axis] + share * way[axis])
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

fn unit(a: Vector) -> Vector {
    let per = 1.0 / length(a).max(f64::MIN_POSITIVE);
    a.map(|v| v * per)
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::random::Key;
    use thalweg_terrain::volume::Volume;

    /// Rough rock with holes through it.
    fn sponge() -> Rock {
        let volume = Volume::from_depths([24; 3], 0.25, -1.0, |start, row| {
            for (i, depth) in row.iter_mut().enumerate() {
                let [x, y, z] = [start[0] + 0.25 * i as f64, start[1], start[2]];
                *depth = ((1.9 * x).sin() + (2.3 * y).sin() + (1.7 * z + 1.0).sin()) as f32 * 0.3;
            }
        });
        Rock::new(&volume.unwrap())
    }

    fn particle(position: [f32; 3], velocity: [f32; 3]) -> Particle {
        Particle { position, velocity, mass: 1.0, expires: 1.0, compression: 0.0, tag: 0, cargo: 0.0 }
    }

    /// Ways of all lengths, from a hundredth of a voxel to right through the box, each from where the last ended.
    #[test]
    fn nothing_gets_in_at_any_speed_and_no_bounce_gains_energy() {
        let rock = sponge();
        let key = Key::new(5);
        let (mut touched, mut at) = (0, [3.0f32, 3.0, 2.0]);
        rock.lift(&mut at);
        for n in 0..40_000u64 {
            let unit = |axis: u64| key.with(n).with(axis).unit();
            if n % 100 == 0 {
                let start = [0, 1, 2]
                    .map(|axis| (0.3 + 5.4 * unit(10 + axis)) as f32 - if axis == 2 { 1.0 } else { 0.0 });
                if rock.is_rock(start) {
                    continue;
                }
                at = start;
            }
            let far = 0.0025 * 2000.0f64.powf(unit(3));
            let velocity = [0, 1, 2].map(|axis| (far * (2.0 * unit(axis) - 1.0)) as f32);
            let to = std::array::from_fn(|axis| at[axis] + velocity[axis]);
            let mut moved = particle(to, velocity);
            touched += u32::from(rock.collide(at, &mut moved, (n % 3) as f32 * 0.5, 1.0));
            let square = |v: [f32; 3]| v.iter().map(|v| v * v).sum::<f32>();
            assert!(square(moved.velocity) <= 1.0001 * square(velocity), "a bounce made energy");
            assert!(
                !rock.is_rock(moved.position),
                "way {n} from {at:?} to {to:?} ends in rock at {:?}",
                moved.position
            );
            // The straight way there is free as well, or it went around a corner along planes.
            let outside = (0..3).any(|axis| !(-1.5..=6.5).contains(&moved.position[axis]));
            at = if outside { [3.0, 3.0, 2.0] } else { moved.position };
            rock.lift(&mut at);
        }
        assert!(touched > 5000, "only {touched} ways met rock");
    }

    #[test]
    fn a_thin_sheet_stops_what_would_jump_over_it() {
        let volume = Volume::from_depths([16, 16, 64], 0.25, 0.0, |start, row| {
            row.fill(0.3 - (start[2] as f32 - 8.0).abs());
        });
        let rock = Rock::new(&volume.unwrap());
        for speed in [0.1, 3.0, 50.0, 900.0] {
            let from = [2.0, 2.1, 9.0];
            let velocity = [0.3 * speed, 0.1, -speed];
            let to = std::array::from_fn(|axis| from[axis] + 0.05 * velocity[axis]);
            let mut moved = particle(to, velocity);
            rock.collide(from, &mut moved, 0.0, 0.05);
            assert!(moved.position[2] > 8.2, "at {speed} m/s it came to {:?}", moved.position);
        }
    }

    #[test]
    fn what_is_in_the_rock_is_lifted_out_of_it() {
        let rock = sponge();
        let (mut inside, mut left) = (0, 0);
        for n in 0..4000u64 {
            let unit = |axis: u64| Key::new(8).with(n).with(axis).unit();
            let mut at =
                [0, 1, 2].map(|axis| (0.5 + 5.0 * unit(axis)) as f32 - if axis == 2 { 1.0 } else { 0.0 });
            if rock.is_rock(at) && rock.distance(at).0 > -0.2 {
                inside += 1;
                rock.lift(&mut at);
                left += u32::from(rock.is_rock(at));
            }
        }
        assert!(inside > 200 && left * 100 <= inside, "{left} of {inside} are still in the rock");
    }
}
