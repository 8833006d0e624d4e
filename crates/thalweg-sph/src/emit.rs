//! Where particles of the fluid come from.

use crate::fit::Fit;
use crate::mouth::{Mouth, Seen, Vector, dot, length, plus};
use crate::params::FluidParams;
use crate::particles::{Particle, Particles};
use thalweg_field::{Invalid, require};

/// The shape of an emitter. Places are east, north and up `[m]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A box; water comes in through the face that it flows away from, all over it.
    Box {
        /// Lowest corner `[m]`.
        from: [f64; 3],
        /// Highest corner `[m]`.
        to: [f64; 3],
    },
    /// A disc across the flow.
    Disc {
        /// Its middle `[m]`.
        at: [f64; 3],
        /// Its radius `[m]`.
        radius: f64,
    },
    /// A line across the flow, one spacing thick: that times its length is the area of its mouth.
    Line {
        /// One end `[m]`.
        from: [f64; 3],
        /// The other `[m]`.
        to: [f64; 3],
    },
}

/// Where water comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Emitter {
    /// Where.
    pub shape: Shape,
    /// Velocity of the water that comes out `[m/s]`; with a rate, only its direction counts.
    pub velocity: [f64; 3],
    /// Water in each second `[m³/s]`; missing: as much as the velocity carries through the shape.
    pub rate: Option<f64>,
    /// How long its particles last `[s]`; missing: for ever.
    pub lifetime: Option<f64>,
    /// Share of the water that is sediment `[-]`.
    pub sediment: f64,
    /// When it begins `[s]`.
    pub start: f64,
    /// When it ends `[s]`.
    pub stop: f64,
}

impl Emitter {
    /// Clear water for ever, as much as its velocity carries through the shape.
    pub fn new(shape: Shape, velocity: [f64; 3]) -> Self {
        Self { shape, velocity, rate: None, lifetime: None, sediment: 0.0, start: 0.0, stop: f64::INFINITY }
    }
}

/// How much faster than asked for water may go where ground covers a part of the mouth, so that the rest gives the whole rate `[-]`.
const MOST_HASTE: f64 = 2.0;
/// Water so far beyond the driven way tells the pressure there, in spacings `[-]`.
const COLLAR: f64 = 1.5;
/// Particles that memory is kept for, over those that fit onto the driven way `[-]`.
const SLACK: f64 = 2.0;

/// An emitter at work. Particles come in rows, the next one when the last is far enough away; how far, and how far apart they are
/// in a row, is such that rows carry just what flows through the mouth.
///
/// Behind the mouth they are driven over a smoothing radius, whatever pushes them, and as in a pipe a wall is around them: no other
/// water gets in, so that the source gives the same when it is drowned. What comes out sees water behind it that goes as fast, under
/// the pressure of the water which it comes out into.
#[derive(Clone, Debug)]
pub struct RunningEmitter {
    emitter: Emitter,
    mouth: Mouth,
    /// Where particles are born `[m]`.
    birthplaces: Vec<Vector>,
    /// Where they go, a unit vector.
    direction: Vector,
    /// How fast, and how fast at present: ground may cover some of the mouth `[m/s]`.
    speed: f64,
    present_speed: f64,
    /// How far the last ones must be before the next follow `[m]`.
    gap: f64,
    /// How far the last ones are `[m]`.
    travelled: f64,
    /// Corners of a box around all that it drives, keeps out or looks at `[m]`.
    around: [[f32; 3]; 2],
    /// Numbers of the sorted particles that it drives, and their compression `[-]`.
    driven: Vec<(u32, f32)>,
}

impl RunningEmitter {
    /// Sets an emitter up for a fluid whose particles fill `volume` each; `key` names it in complaints.
    pub fn new(emitter: &Emitter, params: &FluidParams, volume: f64, key: &str) -> Result<Self, Invalid> {
        let named = |field: &str| format!("{key}.{field}");
        let fast = length(emitter.velocity);
        let listed = format!("{:?}", emitter.velocity);
        let remedy = "water leaves a source in some direction, such as [1, 0, 0]";
        require(fast > 0.0 && fast.is_finite(), &named("velocity"), listed, remedy)?;
        let direction = emitter.velocity.map(|v| v / fast);
        let share = (0.0..=1.0).contains(&emitter.sediment);
        require(share, &named("sediment"), emitter.sediment, "it is a share of the water, between 0 and 1")?;
        if let Some(lifetime) = emitter.lifetime {
            require(lifetime > 0.0, &named("lifetime"), lifetime, "it is above 0; leave it out for ever")?;
        }
        let reach = params.smoothing_radius();
        let mouth = Mouth::new(&emitter.shape, direction, [params.spacing, reach], &named)?;
        let area = mouth.area();
        let speed = match emitter.rate {
            None => fast,
            Some(rate) => {
                let good = rate > 0.0 && rate.is_finite();
                require(good, &named("rate"), rate, "a source gives something, such as \"0.1 m³/s\"")?;
                rate / area
            }
        };
        let birthplaces = mouth.places();
        let gap = birthplaces.len() as f64 * volume / area;
        let rows = SLACK * (1.0 + reach / gap);
        Ok(Self {
            emitter: emitter.clone(),
            around: mouth.around(COLLAR * params.spacing).map(|corner| corner.map(|v| v as f32)),
            driven: Vec::with_capacity((rows * birthplaces.len() as f64) as usize),
            mouth,
            birthplaces,
            direction,
            speed,
            present_speed: speed,
            gap,
            // Half of the first row is out when it is born.
            travelled: 0.5 * gap,
        })
    }

    /// What it was made from.
    pub fn description(&self) -> &Emitter {
        &self.emitter
    }

    /// Speed of the water that comes out `[m/s]`.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Particles that are born in each second, on average `[1/s]`.
    pub fn rate(&self) -> f64 {
        self.birthplaces.len() as f64 * self.speed / self.gap
    }

    /// How far the last particles are `[m]`; all that changes while it works.
    pub fn travelled(&self) -> f64 {
        self.travelled
    }

    /// A step turned out to be shorter than it was to be, by so much `[s]`.
    pub fn go_back(&mut self, time: f64) {
        self.travelled -= self.present_speed * time;
    }

    /// Goes on from where it was.
    pub fn set_travelled(&mut self, travelled: f64) {
        self.travelled = travelled;
    }

    /// Whether water comes out at a time `[s]`.
    pub fn runs(&self, time: f64) -> bool {
        (self.emitter.start..self.emitter.stop).contains(&time)
    }

    /// Finds the water that it drives among sorted particles, and how much that is compressed: as the water ahead is, whose
    /// compression grows downwards by `growth` at rest `[1/m]`. To be called in each step, when densities are known.
    pub fn press(&mut self, sorted: &Particles, compression: &[f32], growth: f64) {
        let collar = self.mouth.reach() + COLLAR * self.mouth.spacing();
        let [low, high] = self.around;
        let mut ahead = Fit::default();
        self.driven.clear();
        for (i, &compression) in compression.iter().enumerate().take(sorted.len()) {
            let near = (0..3).all(|axis| (low[axis]..=high[axis]).contains(&sorted.position[axis][i]));
            if !near || sorted.is_boundary(i) {
                continue;
            }
            let place: Vector = std::array::from_fn(|axis| f64::from(sorted.position[axis][i]));
            let seen = self.mouth.see(place);
            if self.mouth.drives(seen) {
                self.driven.push((i as u32, sorted.position[2][i]));
            } else if self.mouth.beside(seen) < 0.0 && (self.mouth.reach()..collar).contains(&seen.way) {
                ahead.add(place[2], f64::from(compression));
            }
        }
        let ahead = ahead.line(growth);
        self.driven.iter_mut().for_each(|(_, value)| *value = ahead.at(*value));
    }

    /// Numbers of the sorted particles that it drives, each with its compression `[-]`.
    pub fn driven(&self) -> &[(u32, f32)] {
        &self.driven
    }

    /// Places of the wall around its mouth `[m]`, each with the share of a particle's room that it has `[-]`.
    pub fn wall(&self) -> Vec<([f64; 3], f64)> {
        self.mouth.wall()
    }

    /// Whether what stands at a place is in the way of the water that it drives `[m]`.
    pub fn needs(&self, place: [f64; 3]) -> bool {
        self.mouth.needs(self.mouth.see(place))
    }

    /// Whether that wall leaves no room for a particle at a place `[m]`.
    pub fn is_walled(&self, place: [f64; 3]) -> bool {
        self.mouth.is_walled(self.mouth.see(place))
    }

    /// Lets particles go for a step of `dt` that begins at `time` `[s]`, as long as there is `room` for them: `allowed` tells
    /// whether there may be water at a place, `add` takes each of them. Returns how many found no room, on average.
    pub fn emit(
        &mut self,
        [time, dt]: [f64; 2],
        room: usize,
        allowed: impl Fn([f32; 3]) -> bool,
        mut add: impl FnMut(Particle),
    ) -> f64 {
        if !self.runs(time) {
            return 0.0;
        }
        let place = |birthplace: &Vector, way: f64| plus(*birthplace, way, self.direction).map(|v| v as f32);
        if self.emitter.rate.is_some() {
            let open = self.birthplaces.iter().filter(|birthplace| allowed(place(birthplace, 0.0))).count();
            let haste = self.birthplaces.len() as f64 / open.max(1) as f64;
            self.present_speed = self.speed * haste.min(MOST_HASTE);
        }
        let velocity = self.velocity();
        let expires = self.emitter.lifetime.map_or(crate::FOREVER, |lifetime| (time + lifetime) as f32);
        let mut room = room;
        // Long steps may let several go at once, the first of them farthest.
        while self.travelled >= self.gap {
            if room < self.birthplaces.len() {
                self.travelled = self.gap;
                return self.birthplaces.len() as f64 * self.present_speed * dt / self.gap;
            }
            room -= self.birthplaces.len();
            self.travelled -= self.gap;
            let born = self.birthplaces.iter().map(|birthplace| place(birthplace, self.travelled));
            for position in born.filter(|&at| allowed(at)) {
                add(Particle {
                    position,
                    velocity,
                    mass: 0.0,
                    expires,
                    compression: 0.0,
                    tag: 0,
                    cargo: self.emitter.sediment,
                });
            }
        }
        self.travelled += self.present_speed * dt;
        0.0
    }

    /// Velocity of what it drives `[m/s]`.
    fn velocity(&self) -> [f32; 3] {
        self.direction.map(|d| (d * self.present_speed) as f32)
    }

    /// Whether nothing between two corners is near enough to the mouth to be driven or kept out in a step.
    pub fn is_free(&self, low: [f32; 3], high: [f32; 3]) -> bool {
        let [from, to] = self.around;
        (0..3).any(|axis| high[axis] < from[axis] || low[axis] > to[axis])
    }

    /// Ends the move of a particle from `from`: drives it, and says so, or keeps it out.
    pub fn end_move(&self, from: [f32; 3], particle: &mut Particle, dt: f32) -> bool {
        let [before, after] = [from, particle.position].map(|place| self.mouth.see(place.map(f64::from)));
        let driven = self.mouth.drives(before);
        if driven {
            let way = self.present_speed * f64::from(dt);
            particle.velocity = self.velocity();
            particle.position = plus(from.map(f64::from), way, self.direction).map(|v| v as f32);
        } else if self.mouth.drives(after) {
            particle.velocity = self.turned(before, particle.velocity.map(f64::from)).map(|v| v as f32);
            particle.position = std::array::from_fn(|axis| from[axis] + dt * particle.velocity[axis]);
        }
        driven
    }

    /// Velocity of a particle that would get onto the driven way: what comes from ahead goes back with the flow, what comes from
    /// elsewhere glides along.
    fn turned(&self, seen: Seen, velocity: Vector) -> Vector {
        let (out, least) = if seen.way >= self.mouth.reach() {
            (self.direction, self.present_speed)
        } else if self.mouth.beside(seen) >= 0.0 {
            (self.mouth.outwards(seen), 0.0)
        } else {
            (self.mouth.back(), 0.0)
        };
        plus(velocity, (least - dot(velocity, out)).max(0.0), out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn emitter(shape: Shape) -> Emitter {
        Emitter {
            shape,
            velocity: [2.0, 0.0, 0.0],
            rate: None,
            lifetime: Some(3.0),
            sediment: 0.0,
            start: 1.0,
            stop: 5.0,
        }
    }

    fn running(emitter: &Emitter, spacing: f64) -> Result<RunningEmitter, Invalid> {
        let params = FluidParams { spacing, ..FluidParams::default() };
        RunningEmitter::new(emitter, &params, spacing.powi(3), "emitter[3]")
    }

    /// Volume that is given from 0 to 8 s in steps of `dt` `[m³]`.
    fn given(running: &mut RunningEmitter, dt: f64, allowed: impl Fn([f32; 3]) -> bool + Copy) -> f64 {
        let (mut count, mut time) = (0u32, 0.0);
        while time < 8.0 {
            running.emit([time, dt], usize::MAX, allowed, |particle| {
                assert!(particle.expires >= 4.0 && particle.velocity[0] > 0.5, "{particle:?}");
                count += 1;
            });
            time += dt;
        }
        f64::from(count) * running.mouth.spacing().powi(3)
    }

    /// Discharge does not depend on how time is cut into steps, nor on the spacing.
    #[test]
    fn a_source_gives_the_water_that_its_speed_carries() {
        let disc = Shape::Disc { at: [0.0; 3], radius: 0.41 };
        let shut = Shape::Box { from: [0.0; 3], to: [0.3, 1.04, 0.57] };
        let line = Shape::Line { from: [0.0; 3], to: [0.0, 1.04, 0.0] };
        let [ahead, slanting] = [[2.0, 0.0, 0.0], [1.6, 0.0, -1.2]];
        for spacing in [0.2, 0.1, 0.03] {
            for (shape, velocity, rate, expected) in [
                (disc, ahead, None, 2.0 * PI * 0.41 * 0.41),
                (disc, slanting, None, 2.0 * PI * 0.41 * 0.41),
                (disc, ahead, Some(0.7), 0.7),
                (shut, ahead, None, 2.0 * 1.04 * 0.57),
                (shut, slanting, None, 1.6 * 1.04 * 0.57),
                (line, ahead, None, 2.0 * 1.04 * spacing),
            ] {
                let source = Emitter { velocity, rate, ..emitter(shape) };
                for dt in [0.001, 0.0137] {
                    let mut running = running(&source, spacing).unwrap();
                    let row = running.birthplaces.len() as f64 * spacing.powi(3);
                    let given = given(&mut running, dt, |_| true);
                    let slack = 0.5 * row + expected * dt;
                    assert!(
                        (given - 4.0 * expected).abs() <= 1.001 * slack,
                        "{given} of {} m³ at {dt} s, {spacing} m: {source:?}",
                        4.0 * expected
                    );
                }
            }
        }
    }

    /// Rows are not much closer, nor farther apart, than particles are at rest.
    #[test]
    fn rows_of_a_wide_mouth_are_about_a_spacing_apart() {
        for radius in [0.31, 0.5, 0.87] {
            let running = running(&emitter(Shape::Disc { at: [0.0; 3], radius }), 0.1).unwrap();
            assert!((running.gap / 0.1 - 1.0).abs() < 0.02, "{} m for a disc of {radius} m", running.gap);
            let all = &running.birthplaces;
            let apart =
                |i: usize| (0..i).map(|k| length(plus(all[i], -1.0, all[k]))).fold(f64::INFINITY, f64::min);
            let nearest = (1..all.len()).map(apart).fold(f64::INFINITY, f64::min);
            assert!(nearest > 0.07, "two places are {nearest} m apart");
        }
    }

    #[test]
    fn a_mouth_that_ground_covers_in_part_gives_its_rate_all_the_same() {
        let shape = Shape::Box { from: [0.0; 3], to: [0.2, 1.0, 1.0] };
        let source = Emitter { rate: Some(0.5), ..emitter(shape) };
        let mut running = running(&source, 0.1).unwrap();
        let given = given(&mut running, 0.001, |at| at[2] > 0.4);
        assert!((given - 4.0 * 0.5).abs() < 0.02, "{given} m³ in 4 s");
    }

    #[test]
    fn a_source_without_room_says_so_and_gives_nothing() {
        let shape = Shape::Box { from: [0.0; 3], to: [0.2, 1.0, 0.2] };
        let mut running = running(&emitter(shape), 0.1).unwrap();
        let mut count = 0;
        let held_back = [1.0, 1.1].map(|time| running.emit([time, 0.1], 19, |_| true, |_| count += 1));
        // 20 in a row, and two rows in 0.1 s.
        assert!(
            held_back[0] == 0.0 && (held_back[1] - 40.0).abs() < 1.0e-9 && count == 0,
            "{held_back:?}, {count}"
        );
        let held_back = [1.2, 1.31].map(|time| running.emit([time, 0.11], 40, |_| true, |_| count += 1));
        assert_eq!((held_back, count), ([0.0, 0.0], 60));
    }

    /// What is on the driven way goes on as fast as the source says, whatever pushes it; other water stays out.
    #[test]
    fn water_behind_the_mouth_is_driven_and_no_other_gets_in() {
        let shape = Shape::Disc { at: [0.0; 3], radius: 0.5 };
        let running = running(&emitter(shape), 0.1).unwrap();
        let particle = |position: [f32; 3], velocity: [f32; 3]| Particle {
            position,
            velocity,
            mass: 1.0,
            expires: 9.0,
            compression: 0.0,
            tag: 0,
            cargo: 0.0,
        };
        let mut driven = particle([0.19, 0.0, 0.01], [-1.0, 5.0, 0.0]);
        assert!(running.end_move([0.2, 0.0, 0.0], &mut driven, 0.01));
        assert_eq!((driven.position, driven.velocity), ([0.22, 0.0, 0.0], [2.0, 0.0, 0.0]));
        for (from, to, left) in [
            ([-0.01, 0.0, 0.0], [0.01, 0.0, 0.0], [0.0, 1.0, 1.0]),
            ([0.1, 0.51, 0.0], [0.1, 0.49, 0.0], [1.0, 0.0, 1.0]),
            ([0.23, 0.0, 0.0], [0.21, 0.0, 0.0], [2.0, 1.0, 1.0]),
        ] {
            let towards: [f32; 3] =
                std::array::from_fn(|axis| if left[axis] == 1.0 { 1.0 } else { to[axis] - from[axis] });
            let mut other = particle(to, towards);
            assert!(!running.end_move(from, &mut other, 0.01), "{from:?} is driven");
            assert_eq!(other.velocity, left, "from {from:?}");
            assert!(
                !running.mouth.drives(running.mouth.see(other.position.map(f64::from))),
                "{from:?} got in"
            );
        }
    }

    /// The pressure of the water ahead, which is a straight line over the height.
    #[test]
    fn driven_water_is_pressed_as_the_water_that_it_meets() {
        let shape = Shape::Disc { at: [0.0; 3], radius: 0.5 };
        let mut running = running(&emitter(shape), 0.1).unwrap();
        let mut water = Particles::with_capacity(8, false);
        let expected = |z: f32| 0.02 - 0.01 * z;
        for (x, z) in [(0.2, 0.3), (0.23, -0.2), (0.3, 0.0), (0.3, 0.4), (0.2, -0.4), (9.0, 0.0)] {
            let compression = if x > 0.22 { expected(z) } else { 0.5 };
            let (position, velocity, mass) = ([x, 0.0, z], [0.0; 3], 1.0);
            water.push(Particle { position, velocity, mass, expires: 9.0, compression, tag: 0, cargo: 0.0 });
        }
        running.press(&water, &water.compression, 0.02);
        let driven = running.driven().to_vec();
        assert_eq!(driven.iter().map(|(i, _)| *i).collect::<Vec<_>>(), [0, 4]);
        for (i, found) in driven {
            let z = water.position[2][i as usize];
            assert!((found - expected(z)).abs() < 1.0e-6, "compression {found} at {z} m");
        }
        // No steeper than at rest: the mean stays, 0.0193 at 0.067 m.
        running.press(&water, &water.compression, 0.005);
        let (mean, middle) = (0.02 - 0.01 * 0.2 / 3.0, 0.2 / 3.0);
        let found = running.driven()[0].1;
        assert!((f64::from(found) - (mean - 0.005 * (0.3 - middle))).abs() < 1.0e-6, "{found}");
    }

    /// Two layers all around: nothing inside, nothing at the end, the room of a particle for each.
    #[test]
    fn a_wall_is_around_the_driven_way_but_not_before_its_end() {
        for shape in [
            Shape::Disc { at: [0.0; 3], radius: 0.5 },
            Shape::Box { from: [0.0, -0.4, -0.6], to: [0.0, 0.4, 0.6] },
        ] {
            let running = running(&emitter(shape), 0.1).unwrap();
            let walls = running.wall();
            for (at, share) in &walls {
                let seen = running.mouth.see(*at);
                assert!(!running.mouth.drives(seen) && running.is_walled(*at), "{at:?} is in the way");
                assert!(at[0] < 0.22 && (0.8..1.2).contains(share), "{share} at {at:?}");
            }
            let room = walls.iter().map(|(_, share)| share).sum::<f64>() * 0.001;
            let (inner, outer) = match shape {
                Shape::Disc { .. } => (PI * 0.25, PI * 0.49),
                _ => (0.8 * 1.2, 1.2 * 1.6),
            };
            let expected = outer * 0.2 + (outer - inner) * 0.22;
            assert!((room / expected - 1.0).abs() < 0.02, "{room} m³ of {expected} m³");
        }
    }

    #[test]
    fn a_source_without_direction_or_with_an_endless_shape_is_refused() {
        let disc = Shape::Disc { at: [0.0; 3], radius: 1.0 };
        let along = Shape::Line { from: [0.0; 3], to: [1.0, 0.0, 0.0] };
        for (source, key) in [
            (Emitter { velocity: [0.0; 3], ..emitter(disc) }, "emitter[3].velocity"),
            (emitter(Shape::Disc { at: [0.0; 3], radius: 1.0e9 }), "emitter[3].radius"),
            (emitter(along), "emitter[3].to"),
        ] {
            assert_eq!(running(&source, 0.1).unwrap_err().key, key);
        }
    }
}
