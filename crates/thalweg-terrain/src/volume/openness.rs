//! How much of the sky's light reaches places on the surface of a volume.
//!
//! Rays go out from a place in a fixed set of directions and look at the rock in ever larger boxes (cone tracing, Crassin et al.
//! 2011): near by at voxels, then at means of 4³, 16³ and 64³. Where they leave the ground they see the sky. What is dark then still
//! gets light that walls throw back: it spreads through the air from box to box, weaker with every one.

use super::Volume;
use thalweg_field::band;

/// Rays from each place.
const RAYS: usize = 40;
/// Voxels along the side of the boxes of each level.
const LEVELS: [usize; 3] = [4, 16, 64];
/// Level in which light spreads.
const SPREAD: usize = 0;
/// Rounds in which it spreads, a box each.
const ROUNDS: usize = 24;
/// Share of light that reaches the next box of air `[-]`.
const CARRIED: f32 = 0.93;
/// Share of light that walls throw back in all `[-]`.
const THROWN_BACK: f32 = 0.42;
/// Places that one thread takes at a time.
const CHUNK: usize = 1024;

/// Means of the rock in boxes.
struct Means {
    /// Voxels along a side.
    side: usize,
    size: [usize; 3],
    shares: Vec<f32>,
}

impl Means {
    /// Those of a volume in boxes of so many voxels.
    fn of(volume: &Volume, side: usize) -> Self {
        let size = volume.size().map(|voxels| voxels.div_ceil(side));
        let mut shares = vec![0.0; size.iter().product()];
        band::for_each_chunk(&mut shares, size[0], |line, row| {
            let mut voxels = vec![0.0; side * side * side];
            for (x, mean) in row.iter_mut().enumerate() {
                let first = [x, line % size[1], line / size[1]].map(|n| (n * side) as isize);
                volume.copy_shares(first, [side; 3], &mut voxels);
                *mean = voxels.iter().sum::<f32>() / voxels.len() as f32;
            }
        });
        Self { side, size, shares }
    }

    /// Those of larger boxes.
    fn coarser(&self, side: usize) -> Self {
        let factor = side / self.side;
        let size = self.size.map(|boxes| boxes.div_ceil(factor));
        let mut shares = vec![0.0; size.iter().product()];
        for (index, mean) in shares.iter_mut().enumerate() {
            let at = [index % size[0], index / size[0] % size[1], index / size[0] / size[1]];
            let parts = (0..factor * factor * factor).map(|n| {
                let part = [n % factor, n / factor % factor, n / factor / factor];
                self.at(std::array::from_fn(|axis| (at[axis] * factor + part[axis]) as isize))
            });
            *mean = parts.sum::<f32>() / (factor * factor * factor) as f32;
        }
        Self { side, size, shares }
    }

    /// The mean of a box; outside there is air.
    fn at(&self, at: [isize; 3]) -> f32 {
        self.index(at).map_or(0.0, |index| self.shares[index])
    }

    fn index(&self, at: [isize; 3]) -> Option<usize> {
        let inside = (0..3).all(|axis| (0..self.size[axis] as isize).contains(&at[axis]));
        let [x, y, z] = at.map(|n| n as usize);
        inside.then(|| x + self.size[0] * (y + self.size[1] * z))
    }

    /// The mean around a place in voxels, smooth from box to box.
    fn around(&self, place: [f32; 3]) -> f32 {
        let scaled = place.map(|x| x / self.side as f32 - 0.5);
        let low = scaled.map(f32::floor);
        let part: [f32; 3] = std::array::from_fn(|axis| scaled[axis] - low[axis]);
        let first = low.map(|x| x as isize);
        (0..8)
            .map(|corner: usize| {
                let bit = |axis: usize| corner >> axis & 1;
                let weight: f32 =
                    (0..3).map(|axis| if bit(axis) == 1 { part[axis] } else { 1.0 - part[axis] }).product();
                weight * self.at(std::array::from_fn(|axis| first[axis] + bit(axis) as isize))
            })
            .sum()
    }
}

/// Share of the sky's light that reaches places on the surface of a volume, with the ways out of the rock there `[-]`.
///
/// The same bits for any number of threads.
pub fn openness(volume: &Volume, places: &[[f32; 3]], normals: &[[f32; 3]]) -> Vec<f32> {
    let fine = Means::of(volume, LEVELS[0]);
    let middle = fine.coarser(LEVELS[1]);
    let means = [middle.coarser(LEVELS[2]), middle, fine];
    let [coarse, middle, fine] = &means;
    let sky = Sky { volume, means: [fine, middle, coarse], spread: spread([fine, middle, coarse][SPREAD]) };
    let directions = directions();
    let mut open = vec![0.0; places.len()];
    band::for_each_chunk(&mut open, CHUNK, |chunk, open| {
        for (n, open) in (chunk * CHUNK..).zip(open) {
            *open = sky.from(places[n], normals[n], &directions);
        }
    });
    open
}

/// Ways into all directions, evenly (a Fibonacci sphere).
fn directions() -> [[f32; 3]; RAYS * 2] {
    std::array::from_fn(|n| {
        let up = 1.0 - (2 * n + 1) as f64 / (2 * RAYS) as f64;
        let turn = n as f64 * std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
        let level = (1.0 - up * up).sqrt();
        [level * libm::cos(turn), level * libm::sin(turn), up].map(|x| x as f32)
    })
}

/// What is around a place.
struct Sky<'a> {
    volume: &'a Volume,
    means: [&'a Means; 3],
    /// Light in the boxes of [`SPREAD`] `[-]`.
    spread: Means,
}

impl Sky<'_> {
    /// Share of the sky's light at a place.
    fn from(&self, place: [f32; 3], normal: [f32; 3], directions: &[[f32; 3]]) -> f32 {
        let per_metre = 1.0 / self.volume.voxel() as f32;
        let bottom = self.volume.bottom() as f32;
        let place = [place[0], place[1], place[2] - bottom].map(|x| x * per_metre);
        let (mut seen, mut all) = (0.0, 0.0);
        for way in directions {
            let facing: f32 = (0..3).map(|axis| way[axis] * normal[axis]).sum();
            // The sky is above; the ground beyond the box throws less back.
            let bright = if way[2] > 0.0 { 1.0 } else { 1.0 + 0.75 * way[2].max(-1.0) };
            if facing > 0.0 {
                all += facing;
                seen += facing * bright * self.through(place, normal, *way);
            }
        }
        let seen = seen / f32::max(all, 1.0e-6);
        // Light of the air around it, a box away from the wall.
        let side = self.spread.side as f32;
        let before = std::array::from_fn(|axis| place[axis] + side * normal[axis]);
        (seen + THROWN_BACK * (1.0 - seen) * self.spread.around(before)).min(1.0)
    }

    /// Share of the light that comes along a ray.
    fn through(&self, place: [f32; 3], normal: [f32; 3], way: [f32; 3]) -> f32 {
        /// Where a ray begins: out of the rock that the surface itself is soft over `[voxels]`.
        const CLEAR: f32 = 2.0;
        /// How fast steps grow.
        const GROWTH: f32 = 1.3;
        let mut through = 1.0_f32;
        let mut distance = 1.0_f32;
        let size = self.volume.size();
        loop {
            let at: [f32; 3] =
                std::array::from_fn(|axis| place[axis] + CLEAR * normal[axis] + distance * way[axis]);
            let outside = |axis: usize| at[axis] < 0.0 || at[axis] > size[axis] as f32;
            if outside(0) || outside(1) || outside(2) {
                return through;
            }
            let share = match distance {
                d if d < 5.0 => self.volume.share(at.map(|x| x as isize)),
                d if d < 32.0 => self.means[0].around(at),
                d if d < 128.0 => self.means[1].around(at),
                _ => self.means[2].around(at),
            };
            through *= (1.25 - 1.5 * share).clamp(0.0, 1.0);
            if through < 0.01 {
                return 0.0;
            }
            distance *= GROWTH;
        }
    }
}

/// Light that goes from box to box through the air, from outside where there is 1.
fn spread(rock: &Means) -> Means {
    let air = |index: usize| (1.0 - 1.6 * rock.shares[index]).clamp(0.0, 1.0);
    let mut light = Means { side: rock.side, size: rock.size, shares: vec![0.0; rock.shares.len()] };
    let [across, along, up] = rock.size;
    // Down from the sky at first, which is where most of it comes from.
    for column in 0..across * along {
        let mut falls = 1.0_f32;
        for z in (0..up).rev() {
            let index = column + across * along * z;
            falls = falls.min(air(index));
            light.shares[index] = falls;
        }
    }
    let mut next = light.shares.clone();
    for _ in 0..ROUNDS {
        let before = &light;
        band::for_each_chunk(&mut next, across, |line, row| {
            let (y, z) = (line % along, line / along);
            for (x, value) in row.iter_mut().enumerate() {
                let index = x + across * line;
                let mut brightest = before.shares[index];
                for (axis, step) in [(0, -1), (0, 1), (1, -1), (1, 1), (2, -1), (2, 1)] {
                    let mut at = [x, y, z].map(|n| n as isize);
                    at[axis] += step;
                    let there = before.index(at).map_or(1.0, |index| before.shares[index]);
                    // The bottom stands on the ground.
                    let there = if at[2] < 0 { 0.0 } else { there };
                    brightest = brightest.max(there * CARRIED);
                }
                *value = brightest.min(air(index));
            }
        });
        std::mem::swap(&mut light.shares, &mut next);
    }
    light
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marching_cubes::Surface;

    /// Level rock with a chamber below it, closed but for what `opening` leaves.
    fn chamber(opening: f64) -> Volume {
        Volume::from_depths([96, 96, 64], 1.0, 0.0, |[x, y, z], row| {
            for (n, depth) in row.iter_mut().enumerate() {
                let [x, y] = [x + n as f64 - 48.0, y - 48.0];
                let around = (x * x + y * y + (z - 24.0) * (z - 24.0)).sqrt() - 16.0;
                let shaft = if z > 24.0 { (x * x + y * y).sqrt() - opening } else { f64::MAX };
                *depth = (48.0 - z).min(around).min(shaft) as f32;
            }
        })
        .unwrap()
    }

    /// Openness on the level ground far from the hole, and at the bottom of the chamber.
    fn top_and_bottom(volume: &Volume) -> [f32; 2] {
        let at = [[8.0, 48.0, 48.0], [48.0, 48.0, 8.0]];
        openness(volume, &at, &[[0.0, 0.0, 1.0]; 2]).try_into().unwrap()
    }

    #[test]
    fn level_ground_sees_the_sky_a_closed_chamber_nothing_and_an_open_one_a_little() {
        let [top, closed] = top_and_bottom(&chamber(-99.0));
        assert!(top > 0.97, "level ground: {top}");
        assert!(closed < 0.02, "closed chamber: {closed}");
        let [_, open] = top_and_bottom(&chamber(6.0));
        assert!((0.02..0.6).contains(&open), "below a shaft: {open}");
    }

    /// Half of the sky is behind a wall; the rest of its light is thrown back from the ground and the wall.
    #[test]
    fn a_wall_takes_half_of_the_sky_from_its_foot() {
        let wall = Volume::from_depths([96, 64, 96], 1.0, 0.0, |[x, _, z], row| {
            for (n, depth) in row.iter_mut().enumerate() {
                *depth = (8.0 - z).max(x + n as f64 - 48.0).min(90.0 - z) as f32;
            }
        })
        .unwrap();
        let seen = openness(&wall, &[[45.0, 32.0, 8.0]], &[[0.0, 0.0, 1.0]])[0];
        assert!((0.4..0.85).contains(&seen), "{seen}");
    }

    #[test]
    fn openness_is_a_share_wherever_the_surface_runs() {
        let mesh = Surface::of(&chamber(9.0)).mesh();
        let open = openness(&chamber(9.0), &mesh.positions, &mesh.normals);
        assert!(open.iter().all(|open| (0.0..=1.0).contains(open)));
    }
}
