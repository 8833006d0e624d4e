//! Where particles of the fluid come from.

use crate::particles::Particles;
use std::collections::HashMap;
use thalweg_field::{Invalid, require};

/// The shape of an emitter. Places are east, north and up `[m]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A box; water fills it and moves out of it as a whole.
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
    /// A line across the flow, one particle thick.
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

/// Particles that are born together.
pub(crate) const MOST_BIRTHPLACES: usize = 1_000_000;

/// An emitter at work: particles on a lattice, let go together whenever the last ones are far enough away. A place where
/// water stands already stays empty, so an emitter that is drowned gives less.
#[derive(Clone, Debug)]
pub struct RunningEmitter {
    emitter: Emitter,
    /// Where particles are born `[m]`.
    birthplaces: Vec<[f64; 3]>,
    /// Where they go, a unit vector.
    direction: [f64; 3],
    /// How fast `[m/s]`.
    speed: f64,
    /// How far the last ones must be before the next follow `[m]`.
    gap: f64,
    /// How far the last ones are `[m]`.
    travelled: f64,
    /// How close water may be to a place where a particle is born `[m]`.
    clear: f64,
    /// Places by the cell of side `clear` that they are in, and which are taken.
    cells: HashMap<[i32; 3], Vec<u32>>,
    taken: Vec<bool>,
}

/// Water nearer to a place than this share of the spacing takes it `[-]`.
const CLEAR: f64 = 0.7;

fn cell_of(place: [f64; 3], side: f64) -> [i32; 3] {
    place.map(|v| (v / side).floor() as i32)
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

impl RunningEmitter {
    /// Sets an emitter up for particles `spacing` apart that fill `volume` each; `key` names it in complaints.
    pub fn new(emitter: &Emitter, spacing: f64, volume: f64, key: &str) -> Result<Self, Invalid> {
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
        let (birthplaces, gap) = birthplaces(&emitter.shape, direction, spacing, &named)?;
        let speed = match emitter.rate {
            None => fast,
            Some(rate) => {
                let good = rate > 0.0 && rate.is_finite();
                require(good, &named("rate"), rate, "a source gives something, such as \"0.1 m³/s\"")?;
                rate * gap / (birthplaces.len() as f64 * volume)
            }
        };
        let clear = CLEAR * spacing;
        let mut cells: HashMap<[i32; 3], Vec<u32>> = HashMap::new();
        for (i, &birthplace) in birthplaces.iter().enumerate() {
            cells.entry(cell_of(birthplace, clear)).or_default().push(i as u32);
        }
        let taken = vec![false; birthplaces.len()];
        Ok(Self {
            emitter: emitter.clone(),
            birthplaces,
            direction,
            speed,
            gap,
            travelled: gap,
            clear,
            cells,
            taken,
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

    /// Goes on from where it was.
    pub fn set_travelled(&mut self, travelled: f64) {
        self.travelled = travelled;
    }

    /// Lets particles go for a step of `dt` that begins at `time` `[s]`, as long as there is `room` for them: `allowed` tells
    /// whether there may be water at a place, `add` takes position, velocity and the time when the particle vanishes.
    pub fn emit(
        &mut self,
        [time, dt]: [f64; 2],
        room: usize,
        particles: &Particles,
        allowed: impl Fn([f32; 3]) -> bool,
        mut add: impl FnMut([f32; 3], [f32; 3], f32),
    ) {
        if !(self.emitter.start..self.emitter.stop).contains(&time) {
            return;
        }
        let velocity = self.direction.map(|d| (d * self.speed) as f32);
        let expires = self.emitter.lifetime.map_or(crate::FOREVER, |lifetime| (time + lifetime) as f32);
        let mut room = room;
        // Long steps may let several go at once, the first of them farthest.
        let mut first = true;
        while self.travelled >= self.gap {
            if room < self.birthplaces.len() {
                self.travelled = self.gap;
                return;
            }
            room -= self.birthplaces.len();
            self.travelled -= self.gap;
            if first {
                self.find_taken(particles);
                first = false;
            }
            for (birthplace, taken) in self.birthplaces.iter().zip(&self.taken) {
                let at = std::array::from_fn(|axis| {
                    (birthplace[axis] + self.direction[axis] * self.travelled) as f32
                });
                if !taken && allowed(at) {
                    add(at, velocity, expires);
                }
            }
        }
        self.travelled += self.speed * dt;
    }

    /// Finds places where water stands.
    fn find_taken(&mut self, particles: &Particles) {
        self.taken.fill(false);
        let around: [[f64; 2]; 3] = std::array::from_fn(|axis| {
            let along = self.birthplaces.iter().map(|birthplace| birthplace[axis]);
            let ends = along.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], v| [a.min(v), b.max(v)]);
            [ends[0] - self.clear, ends[1] + self.clear]
        });
        for i in (0..particles.len()).filter(|&i| !particles.is_boundary(i)) {
            let place: [f64; 3] = std::array::from_fn(|axis| {
                f64::from(particles.position[axis][i]) - self.direction[axis] * self.travelled
            });
            if (0..3).any(|axis| place[axis] < around[axis][0] || place[axis] > around[axis][1]) {
                continue;
            }
            let [x, y, z] = cell_of(place, self.clear);
            for k in 0..27 {
                let cell = [x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1];
                for &birthplace in self.cells.get(&cell).into_iter().flatten() {
                    let far = (0..3)
                        .map(|axis| (self.birthplaces[birthplace as usize][axis] - place[axis]).powi(2))
                        .sum::<f64>();
                    self.taken[birthplace as usize] |= far < self.clear * self.clear;
                }
            }
        }
    }
}

/// Where particles are born, and how far they go before the next ones.
fn birthplaces(
    shape: &Shape,
    direction: [f64; 3],
    spacing: f64,
    named: &dyn Fn(&str) -> String,
) -> Result<(Vec<[f64; 3]>, f64), Invalid> {
    let few = |count: f64, field: &str| {
        let remedy = format!(
            "particles {spacing} m apart make {count:.0} of them at once; make it smaller, or spacing larger"
        );
        require(count <= MOST_BIRTHPLACES as f64, &named(field), "too large", remedy)
    };
    match *shape {
        Shape::Box { from, to } => {
            let extent: [f64; 3] = std::array::from_fn(|axis| to[axis] - from[axis]);
            let good = extent.iter().all(|e| *e >= 0.0 && e.is_finite());
            let remedy = "it is the highest corner, above `from` along every axis";
            require(good, &named("to"), format!("{to:?}"), remedy)?;
            few(extent.iter().map(|e| (e / spacing).max(1.0)).product(), "to")?;
            Ok(in_box(from, to, direction, spacing))
        }
        Shape::Disc { at, radius } => {
            let good = radius > 0.0 && radius.is_finite();
            require(good, &named("radius"), radius, "a disc has a positive radius")?;
            few((2.0 * radius / spacing).max(1.0).powi(2), "radius")?;
            Ok((on_disc(at, radius, direction, spacing), spacing))
        }
        Shape::Line { from, to } => {
            few(length(std::array::from_fn(|axis| to[axis] - from[axis])) / spacing, "to")?;
            Ok((on_line(from, to, spacing), spacing))
        }
    }
}

/// Particles along a way.
fn steps(extent: f64, spacing: f64) -> usize {
    ((extent / spacing).round() as usize).max(1)
}

/// Places that fill a box, and how far they go until it is empty.
fn in_box(from: [f64; 3], to: [f64; 3], direction: [f64; 3], spacing: f64) -> (Vec<[f64; 3]>, f64) {
    let count: [usize; 3] = std::array::from_fn(|axis| steps(to[axis] - from[axis], spacing));
    let axis = (0..3).max_by(|a, b| direction[*a].abs().total_cmp(&direction[*b].abs())).unwrap_or(0);
    let gap = count[axis] as f64 * spacing / direction[axis].abs();
    let place = |index: [usize; 3]| {
        std::array::from_fn(|a| {
            0.5 * (from[a] + to[a]) + (index[a] as f64 + 0.5 - 0.5 * count[a] as f64) * spacing
        })
    };
    let layer = |k| (0..count[1]).flat_map(move |j| (0..count[0]).map(move |i| [i, j, k]));
    ((0..count[2]).flat_map(layer).map(place).collect(), gap)
}

/// Places on a disc across the flow.
fn on_disc(at: [f64; 3], radius: f64, direction: [f64; 3], spacing: f64) -> Vec<[f64; 3]> {
    // Two axes across the flow; the first level, unless the flow is vertical.
    let flat = (direction[0] * direction[0] + direction[1] * direction[1]).sqrt();
    let u = if flat > 1.0e-6 { [-direction[1] / flat, direction[0] / flat, 0.0] } else { [1.0, 0.0, 0.0] };
    let v = [
        direction[1] * u[2] - direction[2] * u[1],
        direction[2] * u[0] - direction[0] * u[2],
        direction[0] * u[1] - direction[1] * u[0],
    ];
    let reach = (radius / spacing).floor() as i32;
    let lattice = (-reach..=reach).flat_map(|j| (-reach..=reach).map(move |i| (i, j)));
    let places = lattice.map(|(i, j)| (f64::from(i) * spacing, f64::from(j) * spacing));
    let inside = places.filter(|(a, b)| a * a + b * b <= radius * radius);
    inside.map(|(a, b)| std::array::from_fn(|axis| at[axis] + a * u[axis] + b * v[axis])).collect()
}

/// Places on a line.
fn on_line(from: [f64; 3], to: [f64; 3], spacing: f64) -> Vec<[f64; 3]> {
    let along: [f64; 3] = std::array::from_fn(|axis| to[axis] - from[axis]);
    let count = steps(length(along), spacing) + 1;
    let share = |i: usize| if count > 1 { i as f64 / (count - 1) as f64 } else { 0.5 };
    (0..count).map(|i| std::array::from_fn(|axis| from[axis] + along[axis] * share(i))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// Discharge does not depend on how time is cut into steps.
    #[test]
    fn a_source_gives_the_water_that_its_speed_carries() {
        let spacing = 0.1;
        let shapes = [
            (Shape::Disc { at: [0.0; 3], radius: 0.5 }, None),
            (Shape::Box { from: [0.0; 3], to: [0.3, 1.0, 0.5] }, None),
            (Shape::Line { from: [0.0; 3], to: [0.0, 1.0, 0.0] }, None),
            (Shape::Disc { at: [0.0; 3], radius: 0.5 }, Some(0.7)),
        ];
        for (shape, rate) in shapes {
            for dt in [0.001, 0.0137, 0.2] {
                let mut running = RunningEmitter::new(
                    &Emitter { rate, ..emitter(shape) },
                    spacing,
                    spacing.powi(3),
                    "emitter[0]",
                )
                .unwrap();
                let nobody = Particles::default();
                let (mut count, mut time) = (0u32, 0.0);
                while time < 8.0 {
                    running.emit(
                        [time, dt],
                        usize::MAX,
                        &nobody,
                        |_| true,
                        |_, v, expires| {
                            assert!((v[0] - source_speed(rate, shape)).abs() < 0.3 * v[0] && expires >= 4.0);
                            count += 1;
                        },
                    );
                    time += dt;
                }
                let given = f64::from(count) * spacing.powi(3) / 4.0;
                let expected = rate.unwrap_or(running.rate() * spacing.powi(3));
                let slack = (running.birthplaces.len() as f64 * spacing.powi(3) + expected * dt) / 4.0;
                assert!(
                    (given - expected).abs() <= slack * 1.01,
                    "{given} of {expected} m³/s at {dt} s: {shape:?}"
                );
            }
        }
    }

    fn source_speed(rate: Option<f64>, _: Shape) -> f32 {
        // 0.7 m³/s through a disc of 0.785 m².
        if rate.is_some() { 0.87 } else { 2.0 }
    }

    #[test]
    fn a_drowned_source_gives_only_where_there_is_no_water() {
        let shape = Shape::Box { from: [0.0; 3], to: [0.2, 1.0, 0.2] };
        let mut running = RunningEmitter::new(&emitter(shape), 0.1, 0.001, "emitter[0]").unwrap();
        let mut water = Particles::with_capacity(1, false);
        let particle = crate::Particle {
            position: [0.06, 0.12, 0.05],
            velocity: [0.0; 3],
            mass: 1.0,
            expires: 9.0,
            compression: 0.0,
            tag: 0,
            cargo: 0.0,
        };
        water.push(particle);
        let mut born = Vec::new();
        running.emit([1.0, 0.01], 1000, &water, |at| at[1] < 0.9, |at, _, _| born.push(at));
        // Two layers of 10 by 2, without the one that is next to the water and the four that are not allowed.
        assert_eq!(born.len(), 35, "{born:?}");
    }

    #[test]
    fn a_source_without_direction_or_with_an_endless_shape_is_refused() {
        let still = Emitter { velocity: [0.0; 3], ..emitter(Shape::Disc { at: [0.0; 3], radius: 1.0 }) };
        let invalid = RunningEmitter::new(&still, 0.1, 0.001, "emitter[3]").unwrap_err();
        assert_eq!(invalid.key, "emitter[3].velocity");
        let endless = emitter(Shape::Disc { at: [0.0; 3], radius: 1.0e9 });
        assert_eq!(
            RunningEmitter::new(&endless, 0.1, 0.001, "emitter[0]").unwrap_err().key,
            "emitter[0].radius"
        );
    }
}
