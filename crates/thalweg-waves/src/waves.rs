//! Waves on a basin: what is sent out goes its ways, and makes a surface.

use crate::basin::Basin;
use crate::books::Books;
use crate::fronts::Surroundings;
use crate::particles::{Event, Kind, Law, Particle, Queue, WaveParticles};
use crate::plane::{dot, left};
use crate::surface::{Fields, Foam, Spray, Strain, height_at};
use crate::{Emission, Params, Surface, WaterPoint, WaterSurface};
use thalweg_field::{Grid2, Invalid, require};

/// What waves begin with.
#[derive(Clone, Debug)]
pub struct Setup {
    /// How waves go.
    pub params: Params,
    /// Where they go.
    pub basin: Basin,
    /// Columns and rows of the surface.
    pub size: [usize; 2],
    /// Side of its cells `[m]`.
    pub cell: f64,
    /// Whether to keep how fast the water goes, which bodies and foam drift with.
    pub velocity: bool,
}

/// How many emissions became waves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Sent out.
    pub sent: usize,
    /// On land, where there is nothing to go through.
    pub on_land: usize,
    /// Beyond the most particles that there may be.
    pub held_back: usize,
}

/// Waves on a basin, and the surface that they make.
///
/// Waves go from event to event in time, whatever the steps are: however a time is cut into steps, the same bits come out.
#[derive(Clone, Debug)]
pub struct Waves {
    params: Params,
    basin: Basin,
    particles: WaveParticles,
    queue: Queue,
    fields: Fields,
    foam: Foam,
    books: Books,
    time: f64,
    /// Looks at the foam so far.
    looks: u64,
}

/// Tells for a time `[s]` how an open sea presses a surface together in each of its cells.
pub type SeaStrain<'a> = dyn Fn(f64, &Surface) -> Grid2<Strain> + 'a;

/// Times nearer than this are one `[s]`.
const HAIR: f64 = 1.0e-9;
/// Side of the surface that is not too much for any machine, in cells.
const MOST_CELLS: usize = 1 << 15;

impl Waves {
    /// Still water.
    pub fn new(setup: Setup) -> Result<Self, Invalid> {
        let Setup { params, basin, size, cell, velocity } = setup;
        params.validated()?;
        let shape = format!("{} x {} cells", size[0], size[1]);
        let fits = size.iter().all(|cells| (2..=MOST_CELLS).contains(cells));
        require(fits, "size", shape, format!("2 to {MOST_CELLS} cells each way"))?;
        require(cell > 0.0 && cell.is_finite(), "cell", format!("{cell} m"), "it must be above zero")?;
        let fields = Fields::new(&params, size, cell, velocity);
        Ok(Self {
            params,
            basin,
            particles: WaveParticles::default(),
            queue: Queue::default(),
            fields,
            foam: Foam::default(),
            books: Books::default(),
            time: 0.0,
            looks: 0,
        })
    }

    /// Memory that such waves take with as many particles as there may be `[bytes]`.
    pub fn memory(params: &Params, size: [usize; 2], cell: f64, velocity: bool) -> u64 {
        /// What a particle, its event and its bump take `[bytes]`.
        const PARTICLE: u64 = 400;
        Fields::bytes(params, size, cell, velocity) + PARTICLE * u64::from(params.most_particles)
    }

    /// Sends waves out, now or after their delay.
    pub fn emit(&mut self, emissions: &[Emission]) -> Result<Sent, Invalid> {
        for (i, emission) in emissions.iter().enumerate() {
            checked(emission)
                .map_err(|invalid| Invalid { key: format!("emission[{i}].{}", invalid.key), ..invalid })?;
        }
        let mut sent = Sent::default();
        for emission in emissions.iter().filter(|emission| emission.amplitude != 0.0) {
            let Some(particle) = self.surroundings().particle(emission, self.time) else {
                sent.on_land += 1;
                continue;
            };
            if self.particles.count() >= self.params.most_particles as usize {
                sent.held_back += 1;
                continue;
            }
            self.books.sent(&particle);
            self.add(particle);
            sent.sent += 1;
        }
        self.books.held_back += sent.held_back as u64;
        Ok(sent)
    }

    /// Stirs the water at a place with so much energy, which makes foam `[J]`.
    pub fn stir(&mut self, place: [f64; 2], energy: f64) {
        self.foam.sprays.push(Spray::of_stirring(place, energy));
    }

    /// Goes on by a time `[s]`.
    pub fn advance(&mut self, dt: f64) {
        self.advance_to(self.time + dt);
    }

    /// Goes on to a time `[s]`, and makes the surface of that moment.
    pub fn advance_to(&mut self, time: f64) {
        self.advance_under(time, None);
    }

    /// The same under an open sea, whose crests break as well: it tells for a time how it is pressed together in each cell.
    pub fn advance_under(&mut self, time: f64, sea: Option<&SeaStrain<'_>>) {
        loop {
            let look = (self.looks + 1) as f64 / crate::surface::LOOKS;
            if look > time + HAIR {
                break;
            }
            self.meet_events(look);
            self.refresh();
            let strain = sea.map(|sea| sea(look, &self.fields.surface));
            self.foam.step(&mut self.fields.surface, &self.params, strain.as_ref());
            self.looks += 1;
        }
        if time > self.time + HAIR {
            self.meet_events(time);
            self.refresh();
        }
    }

    /// Goes on to a time without looking at the surface or its foam: for those who only want to know where waves are.
    pub fn skip_to(&mut self, time: f64) {
        self.meet_events(time);
        self.looks = (time * crate::surface::LOOKS + HAIR) as u64;
    }

    /// Makes the surface of this moment; whoever emits waves and wants to see them at once calls it.
    pub fn refresh(&mut self) {
        self.refresh_telling(&mut |_| ());
    }

    /// The same, telling the name of each stage when it is done: for those who measure them.
    pub fn refresh_telling(&mut self, done: &mut dyn FnMut(&'static str)) {
        self.fields.refresh(&self.particles, &self.basin, &self.params, self.time, done);
    }

    /// Lets everything happen that happens up to a time.
    fn meet_events(&mut self, time: f64) {
        while let Some(event) = self.queue.pop(time) {
            let slot = event.slot as usize;
            if self.particles.stamp(slot) == event.stamp && self.particles.is_alive(slot) {
                self.meet(slot, &event);
            }
        }
        self.time = self.time.max(time);
    }

    fn meet(&mut self, slot: usize, event: &Event) {
        let before = *self.particles.get(slot);
        let moved = Particle { undivided: false, ..before.moved_to(event.time, self.params.damping) };
        self.books.damped(&before, &moved);
        if event.kind == Kind::Leave {
            self.books.left(&moved);
            self.particles.remove(slot);
            return;
        }
        // Whatever happens to it, it has felt the bed on its way there.
        let (particle, lost) = self.surroundings().bend(&moved, before.place);
        if lost > 0.0 {
            let energy = self.books.broken(&particle, lost, self.params.gravity);
            let half = 0.5 * particle.width;
            let along = left(particle.heading).map(|way| half * way);
            self.foam.sprays.push(Spray::of_breaking(particle.place, along, energy));
        }
        match event.kind {
            Kind::Fade | Kind::Bend if self.surroundings().is_faded(&particle) => {
                self.books.faded(&particle);
                self.particles.remove(slot);
            }
            Kind::Fade | Kind::Bend | Kind::Leave => self.set(slot, particle),
            Kind::Reflect(hit) => {
                let reflected = self.surroundings().reflect(&particle, &hit);
                self.books.met_wall(&particle, &reflected);
                if reflected.strength == 0.0 {
                    self.particles.remove(slot);
                } else {
                    self.set(slot, reflected);
                }
            }
            Kind::PassCorner(corner) => self.pass_corner(slot, particle, corner),
            Kind::Split => self.split(slot, &particle),
        }
    }

    fn split(&mut self, slot: usize, parent: &Particle) {
        if self.particles.count() + 2 > self.params.most_particles as usize {
            // It goes on as it is, ever wider, and leaves gaps.
            self.books.held_back += 2;
            self.set(slot, Particle { undivided: true, ..*parent });
            return;
        }
        let parts = self.surroundings().split(parent);
        self.books.split(parent, &parts);
        let [own, sides @ ..] = parts;
        if let Some(own) = own {
            self.set(slot, own);
        }
        sides.into_iter().flatten().for_each(|child| self.add(child));
    }

    fn pass_corner(&mut self, slot: usize, particle: Particle, corner: u32) {
        for part in self.surroundings().fan(&particle, corner) {
            if self.particles.count() < self.params.most_particles as usize {
                self.add(part);
            } else {
                self.books.held_back += 1;
            }
        }
        // Where it meets the wall beside the end at the same time, it turns back at once.
        let hair = 1.0e-6 * particle.radius;
        let now = match self.basin.cast(particle.place, particle.heading, hair) {
            Some(hit) => self.surroundings().reflect(&particle, &hit),
            None => particle,
        };
        self.books.met_wall(&particle, &now);
        self.set(slot, now);
    }

    fn add(&mut self, particle: Particle) {
        let slot = self.particles.add(particle);
        self.schedule(slot);
    }

    fn set(&mut self, slot: usize, particle: Particle) {
        self.particles.set(slot, particle);
        self.schedule(slot);
    }

    fn schedule(&mut self, slot: usize) {
        let (time, kind) = self.surroundings().next(self.particles.get(slot));
        self.queue.push(Event { time, slot: slot as u32, stamp: self.particles.stamp(slot), kind });
    }

    fn surroundings(&self) -> Surroundings<'_> {
        Surroundings { params: &self.params, basin: &self.basin }
    }

    /// Takes another basin from now on: a lake that fills. Waves on what has become land end.
    pub fn set_basin(&mut self, basin: Basin) {
        self.basin = basin;
        self.start_anew();
    }

    /// Goes on with other parameters, of those that may change.
    pub fn set_params(&mut self, params: Params) -> Result<(), Invalid> {
        params.validated()?;
        let fixed = |p: &Params| {
            (
                p.conserved,
                p.speed,
                p.wave_speed,
                p.gravity,
                p.smallest_radius,
                p.largest_radius,
                p.radii_per_octave,
            )
        };
        require(
            fixed(&params) == fixed(&self.params),
            "solver",
            "changed in what is fixed",
            "start anew to change what is kept, speeds, gravity or radii",
        )?;
        // What damping took so far is that of the old parameters.
        let damping = self.params.damping;
        self.params = params;
        for slot in 0..self.particles.slots() {
            if self.particles.is_alive(slot) {
                let moved =
                    self.particles.get(slot).moved_to(self.time.max(self.particles.get(slot).since), damping);
                self.particles.set(slot, moved);
            }
        }
        self.start_anew();
        Ok(())
    }

    /// Finds out anew what happens next to all waves.
    fn start_anew(&mut self) {
        self.queue.clear();
        for slot in 0..self.particles.slots() {
            if !self.particles.is_alive(slot) {
                continue;
            }
            let particle = *self.particles.get(slot);
            let moved = particle.moved_to(self.time.max(particle.since), self.params.damping);
            let moved = Particle { undivided: false, ..moved };
            self.books.damped(&particle, &moved);
            if self.basin.is_water(moved.place) {
                self.set(slot, moved);
            } else {
                self.books.faded(&moved);
                self.particles.remove(slot);
            }
        }
    }

    /// Present time `[s]`.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The basin.
    pub fn basin(&self) -> &Basin {
        &self.basin
    }

    /// The surface as it was last made.
    pub fn surface(&self) -> &Surface {
        &self.fields.surface
    }

    /// How many wave particles there are.
    pub fn particle_count(&self) -> usize {
        self.particles.count()
    }

    /// Memory that its particles take now `[bytes]`.
    pub fn particle_bytes(&self) -> u64 {
        (self.particles.bytes() + self.queue.bytes()) as u64
    }

    /// Where waves came from and went.
    pub fn books(&self) -> Books {
        self.books.with_present(self.particles.iter(), self.time, &self.params)
    }

    /// Every wave particle as it is now.
    pub fn particles(&self) -> impl Iterator<Item = WaveParticle> + '_ {
        self.particles.iter().filter(|particle| particle.born <= self.time).map(|particle| {
            let now = particle.moved_to(self.time, self.params.damping);
            WaveParticle {
                place: now.place,
                heading: now.heading,
                crest: now.crest(self.time),
                width: now.width_after(0.0),
                spread: now.spread,
                radius: now.radius,
                speed: now.speed,
                is_diffracted: matches!(now.law, Law::Fan(_)),
            }
        })
    }

    /// Height of the surface at a place as the exact sum of round bumps, without what moves it sideways: slow, the reference `[m]`.
    pub fn exact_height(&self, place: [f64; 2]) -> f64 {
        height_at(self.particles.iter(), &self.basin, (self.time, self.params.damping), place)
    }

    /// Its state as named columns of numbers.
    pub fn save(&self) -> Saved {
        let (particles, free) = self.particles.save();
        let sprays = self.foam.sprays.iter().flat_map(|spray| {
            let Spray { place, along, area } = *spray;
            [place[0], place[1], along[0], along[1], area]
        });
        Saved {
            time: self.time,
            looks: self.looks,
            particles,
            free,
            sprays: sprays.collect(),
            books: self.books.save(),
            foam: self.fields.surface.foam().values().to_vec(),
        }
    }

    /// Goes on from a state that was saved, to the same bits; the text says why it cannot, and nothing has changed then.
    pub fn load(&mut self, saved: &Saved) -> Result<(), String> {
        let particles = WaveParticles::load(&saved.particles, &saved.free)?;
        let (rows, rest) = saved.sprays.as_chunks::<5>();
        let foam = self.fields.surface.foam();
        let foam = Grid2::from_values(foam.cols(), foam.rows(), saved.foam.clone())
            .ok_or_else(|| format!("foam on {} cells, not on {}", saved.foam.len(), foam.len()))?;
        if !rest.is_empty() || !saved.time.is_finite() || saved.time < 0.0 {
            return Err(format!(
                "its time is {} s, with {} numbers of spray",
                saved.time,
                saved.sprays.len()
            ));
        }
        let books = Books::load(&saved.books)?;
        let sprays =
            rows.iter().map(|&[x, y, a, b, area]| Spray { place: [x, y], along: [a, b], area }).collect();
        self.foam = Foam::resume(&mut self.fields.surface, foam, sprays);
        (self.particles, self.books) = (particles, books);
        (self.time, self.looks) = (saved.time, saved.looks);
        self.queue.clear();
        for slot in 0..self.particles.slots() {
            if self.particles.is_alive(slot) {
                self.schedule(slot);
            }
        }
        self.refresh();
        Ok(())
    }
}

impl WaterSurface for Waves {
    fn at(&self, place: [f64; 2]) -> WaterPoint {
        self.fields.surface.at(place)
    }

    fn felt_at(&self, place: [f64; 2], body: usize) -> WaterPoint {
        self.fields.felt_at(place, body)
    }
}

/// A wave particle as others see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaveParticle {
    /// Its place `[m]`.
    pub place: [f64; 2],
    /// Where it goes, a unit vector.
    pub heading: [f64; 2],
    /// Height of the crest of its front `[m]`.
    pub crest: f64,
    /// Width of the front that it stands for `[m]`.
    pub width: f64,
    /// Growth of that width along its way `[rad]`.
    pub spread: f64,
    /// Half its wavelength `[m]`.
    pub radius: f64,
    /// Its speed `[m/s]`.
    pub speed: f64,
    /// Whether it is a part of what came around the end of a wall.
    pub is_diffracted: bool,
}

impl WaveParticle {
    /// Height of its own bump, of which those of its neighbours make the crest `[m]`.
    pub fn amplitude(&self) -> f64 {
        self.crest * self.width / self.radius
    }
}

/// The state of waves as columns of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Saved {
    /// Time `[s]`.
    pub time: f64,
    /// Looks at the foam so far.
    pub looks: u64,
    /// Particles, so many numbers for each.
    pub particles: Vec<f64>,
    /// Empty slots among them.
    pub free: Vec<u32>,
    /// What broke since the last look at the foam, five numbers each.
    pub sprays: Vec<f64>,
    /// The books.
    pub books: Vec<f64>,
    /// Foam of every cell.
    pub foam: Vec<f32>,
}

/// Refuses an emission that makes no sense.
fn checked(emission: &Emission) -> Result<(), Invalid> {
    let Emission { place, heading, spread, origin_distance, width, amplitude, radius, .. } = *emission;
    let Emission { delay, train, phase, .. } = *emission;
    let numbers =
        [place[0], place[1], spread, origin_distance, width, amplitude, radius, delay, train, phase];
    let finite = numbers.iter().all(|number| number.is_finite());
    require(finite, "place", "not finite, or another of its numbers", "all must be finite")?;
    let long = dot(heading, heading);
    require((long - 1.0).abs() < 1.0e-3, "heading", format!("{heading:?}"), "it must be a unit vector")?;
    require(radius > 0.0, "radius", format!("{radius} m"), "it must be above zero")?;
    require((0.0..=7.0).contains(&spread), "spread", format!("{spread} rad"), "between 0 and a full turn")?;
    require(width >= 0.0 && delay >= 0.0, "width", format!("{width} m, delay {delay} s"), "0 or more")?;
    require((0.0..=1.0e3).contains(&train), "train", format!("{train} wavelengths"), "between 0 and 1000")
}
