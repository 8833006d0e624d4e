//! Changes while water flows: other parameters, another setting, and what somebody paints.

use super::ParticleWater;
use super::emitters::going_on;
use super::room::{boundary_room, check_spread};
use super::start::{particle_volume, running_emitters};
use crate::ground::{AnyGround, Ground};
use crate::params::Params;
use crate::sediment;
use crate::setting::Setting;
use crate::volume::{Crumbs, RockBrush, RockPatch};
use std::collections::{HashMap, HashSet};
use thalweg_field::{Invalid, Region, require};
use thalweg_sph::{AT_ONCE, Emitter, FOREVER, Particle, RunningEmitter};

/// How near to water that is there other water may be put back, in spacings.
const NEAREST: f64 = 0.5;

/// Particles by the box that they are in.
type Places = HashMap<[i64; 3], Vec<[f32; 3]>>;

/// Particles of the fluid that came and went when somebody painted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exchanged {
    /// Those that are new.
    pub came: Vec<Particle>,
    /// Those that are gone.
    pub went: Vec<Particle>,
}

impl ParticleWater {
    /// Takes other parameters and another setting from the next step on: emitters, sinks and hardness; the water of the
    /// setting was there at the beginning. An emitter of the same shape goes on as it was, also one that was gone meanwhile.
    pub fn change(&mut self, params: &Params, setting: &Setting) -> Result<(), Invalid> {
        self.check_change(params)?;
        let volume = particle_volume(params);
        let mut emitters = running_emitters(&setting.emitters, params, volume)?;
        let gone = going_on(&mut emitters, &self.emitters, &self.gone);
        check_spread(&self.ground, params, setting)?;
        self.check_fixtures(&emitters)?;
        let speed = self.beginning.expected_speed(&emitters, params);
        self.fluid.set_params(&params.fluid, speed).map_err(within_fluid)?;
        let own = f64::from(self.fluid.constants().wall_viscosity);
        self.fluid.set_wall_viscosity(params.bed.friction.unwrap_or(own));
        self.ground.change(params, setting);
        self.fluid.set_surplus(sediment::surplus(params));
        sediment::thicken(&mut self.fluid, params);
        self.fluid.set_boundary_factors(params.boundary_factors());
        let capacity = self.beginning.capacity(&emitters, params);
        let room = boundary_room(&self.ground, params, setting, capacity);
        self.ground.set_room(room);
        if self.steps_taken() > 0 {
            // Time has begun: the water has found its place.
            self.relaxed = params.fluid.relax;
        }
        (self.params, self.volume) = (params.clone(), volume);
        let walls = |emitter: &RunningEmitter| {
            let Emitter { shape, velocity, .. } = emitter.description();
            (*shape, *velocity)
        };
        let same = emitters.iter().map(walls).eq(self.emitters.iter().map(walls));
        (self.emitters, self.gone, self.sinks) = (emitters, gone, setting.sinks.clone());
        if !same {
            self.take_fixtures();
            self.put_fixtures();
        }
        Ok(())
    }

    /// Refuses parameters that do not fit the water that flows.
    fn check_change(&self, params: &Params) -> Result<(), Invalid> {
        params.validated()?;
        let remedy = "it cannot be switched while water flows; start the scene with it";
        let joined = params.periodic == self.params.periodic;
        require(joined, "periodic", format!("{:?}", params.periodic).to_lowercase(), remedy)?;
        let switched = params.erosion.enabled == self.params.erosion.enabled;
        require(switched, "erosion.enabled", params.erosion.enabled, remedy)?;
        // The fluid first: unless told otherwise, the bed has its spacing.
        self.fluid.check_params(&params.fluid).map_err(within_fluid)?;
        let kept = params.bed_spacing() == self.params.bed_spacing();
        require(kept, "bed.spacing", params.bed_spacing(), "it cannot change while water flows")?;
        let place = params.bed.place;
        require(place == self.params.bed.place, "bed.place", format!("{place:?}").to_lowercase(), remedy)?;
        let material = params.erosion.material;
        let same = material == self.params.erosion.material;
        require(same, "erosion.material", format!("{material:?}").to_lowercase(), remedy)?;
        let packing = params.erosion.soil().packing;
        require(packing == self.params.erosion.soil().packing, "erosion.packing", packing, remedy)?;
        // Whoever starts again with the same settings needs room for the water of the beginning.
        let (most, start) = (params.fluid.max_particles, self.beginning.count);
        let remedy = format!("{start} particles were there at the beginning");
        require(most as usize >= start, "fluid.max_particles", most, remedy)?;
        let (share, muddiest) = (params.erosion.max_fraction, self.beginning.sediment);
        let remedy = format!("water at the beginning carried {muddiest}");
        require(share >= muddiest, "erosion.max_fraction", share, remedy)
    }

    /// What has come on top of some vertices of the bed since the beginning `[m]`, row by row from the north.
    pub fn bed_change(&self, region: &Region) -> Vec<f64> {
        let bed = self.bed();
        region.cells().map(|(col, row)| bed.change()[bed.vertex(col, row)]).collect()
    }

    /// Sets it. Water is lifted by ground that rises below it; over ground that sinks it falls by itself, unless it is to
    /// follow it, as when a rise is taken back. The books count what comes and goes. A bed too steep for any memory is
    /// refused; nothing changes then.
    pub fn set_bed_change(&mut self, region: &Region, values: &[f64], follow: bool) -> Result<(), Invalid> {
        let too_steep = || {
            let remedy = "no memory holds the particles of a bed as steep as that".into();
            Invalid { key: "painted".into(), value: "too steep".into(), remedy }
        };
        let AnyGround::Heights(ground) = &mut self.ground else { return Err(no_heights()) };
        let (gained, before) = ground.set_change(region, values).ok_or_else(too_steep)?;
        let now = self.time() as f32;
        let particles = self.fluid.particles_mut();
        for i in (0..particles.len()).filter(|&i| !particles.is_boundary(i)).collect::<Vec<_>>() {
            let place: [f32; 3] = std::array::from_fn(|axis| particles.position[axis][i]);
            let risen = before.clearance(place) - self.ground.clearance(place);
            if (risen > 0.0 || follow) && particles.expires[i] > now {
                particles.position[2][i] += risen;
            }
        }
        let grains = gained * self.params.erosion.soil().packing;
        self.accounts.grains_added += grains.max(0.0);
        self.accounts.grains_gone += (-grains).max(0.0);
        self.painted = true;
        Ok(())
    }

    /// Lets a brush add rock, take it, or make it even, where the ground is a volume. The patch tells what changed; [`Self::paint_rock`] with its inverse takes
    /// it back.
    pub fn brush_rock(&mut self, brush: &RockBrush) -> Result<RockPatch, Invalid> {
        let AnyGround::Volume(ground) = &self.ground else { return Err(no_volume()) };
        let patch = ground.brushed(brush);
        self.paint_rock(&patch)
    }

    /// Height of the uppermost ground at a place `[m]`.
    pub fn top(&self, [east, north]: [f64; 2]) -> f64 {
        self.ground.top(east, north)
    }

    /// Changes the rock of a volume as a patch did, wherever something has happened since by as much, and returns what was changed. Water in new rock is lifted
    /// out of it; the books count what comes and goes.
    pub fn paint_rock(&mut self, patch: &RockPatch) -> Result<RockPatch, Invalid> {
        let AnyGround::Volume(ground) = &mut self.ground else { return Err(no_volume()) };
        let other = || {
            let remedy = "it is a box of voxels of this volume, with shares between 0 and 1".into();
            Invalid { key: "painted".into(), value: format!("{:?}", patch.first), remedy }
        };
        let (done, gained) = ground.put(patch).ok_or_else(other)?;
        ground.lift_water(&mut self.fluid);
        let grains = gained * self.params.erosion.soil().packing;
        self.accounts.grains_added += grains.max(0.0);
        self.accounts.grains_gone += (-grains).max(0.0);
        self.painted = true;
        Ok(done)
    }

    /// Pieces of a volume that nothing held, and that have fallen since the beginning.
    pub fn crumbs(&self) -> Crumbs {
        let AnyGround::Volume(ground) = &self.ground else { return Crumbs::default() };
        ground.crumbs()
    }

    /// Lays water on the bed or on the water that is there, so deep at each place as `depth` says `[m]`. In a volume it is poured from the height `below`, if there
    /// is one, onto what lies below that.
    pub fn pour(
        &mut self,
        region: &Region,
        below: Option<f64>,
        depth: impl Fn([f64; 2]) -> f64,
    ) -> Result<Exchanged, Invalid> {
        let (spacing, cell) = (self.params.fluid.spacing, self.ground.cell());
        let below = below.filter(|_| self.volume().is_some());
        let (tops, most) =
            (self.tops(below.unwrap_or(f64::INFINITY)), self.params.fluid.max_particles as usize);
        let [cols, rows] = self.ground.size();
        // Beyond the outermost centres of cells there is no bed.
        let range = |from: usize, to: usize, count: usize| {
            let within = move |x: &f64| {
                let margin = 0.5 * (cell + spacing);
                (margin..=count as f64 * cell - margin).contains(x)
            };
            let (first, last) = (from as f64 * cell / spacing, to as f64 * cell / spacing);
            (first as i64..=last as i64).map(move |n| (n as f64 + 0.5) * spacing).filter(within)
        };
        let (south, north) = (rows - region.rows.end, rows - region.rows.start);
        let mut came = Vec::new();
        for y in range(south, north, rows) {
            for x in range(region.cols.start, region.cols.end, cols) {
                let layers = (depth([x, y]) / spacing + 0.5) as usize;
                let Some(bed) = self.bed_below([x, y], below) else { continue };
                let bed = bed - 0.5 * spacing;
                let lowest = tops.get(&column([x, y], spacing)).map_or(bed, |&top| bed.max(f64::from(top)));
                // More than there is room for is refused below.
                for layer in 1..=layers.min((most + 1).saturating_sub(came.len())) {
                    let z = lowest + layer as f64 * spacing;
                    came.push(Particle {
                        position: [x as f32, y as f32, z as f32],
                        velocity: [0.0; 3],
                        mass: 0.0,
                        expires: FOREVER,
                        compression: 0.0,
                        tag: 0,
                        cargo: 0.0,
                    });
                }
            }
        }
        self.exchange(Exchanged { came, went: Vec::new() })
    }

    /// Height of the ground that water falls onto from some height, or from the sky `[m]`; none in the rock.
    fn bed_below(&self, [east, north]: [f64; 2], height: Option<f64>) -> Option<f64> {
        match (&self.ground, height) {
            (AnyGround::Volume(ground), Some(height)) => ground.floor_below([east, north, height]),
            _ => Some(self.ground.top(east, north)),
        }
    }

    /// Takes the water away that is where `taken` says.
    pub fn scoop(&mut self, taken: impl Fn([f64; 3]) -> bool) -> Result<Exchanged, Invalid> {
        let now = self.time() as f32;
        let particles = self.fluid.particles();
        let alive = |&i: &usize| !particles.is_boundary(i) && particles.expires[i] > now;
        let there = (0..particles.len()).filter(alive);
        let inside = |i: &usize| taken([0, 1, 2].map(|axis: usize| f64::from(particles.position[axis][*i])));
        let went = there.filter(inside).map(|i| particles.get(i)).collect();
        self.exchange(Exchanged { came: Vec::new(), went })
    }

    /// Lets particles come, where nothing is in their place, and others go, if they are still there. Returns those that did.
    /// What is scooped and put back at once is whole again.
    pub fn exchange(&mut self, wanted: Exchanged) -> Result<Exchanged, Invalid> {
        let most = self.params.fluid.max_particles as usize;
        let now = self.time() as f32;
        let there = {
            let particles = self.fluid.particles();
            (0..particles.len()).filter(|&i| !particles.is_boundary(i) && particles.expires[i] > now).count()
        };
        let many = there + wanted.came.len();
        let remedy = format!("solver.fluid.max_particles allows {most}");
        require(wanted.came.is_empty() || many <= most, "painted", format!("{many} particles"), remedy)?;
        let mut done = Exchanged::default();
        let going: HashSet<u32> = wanted.went.iter().map(|particle| particle.tag).collect();
        let particles = self.fluid.particles_mut();
        // The next step drops these: until then nothing has moved since they went, however near it is.
        let just_gone: HashSet<u32> = (0..particles.len())
            .filter(|&i| !particles.is_boundary(i) && particles.expires[i] == AT_ONCE)
            .map(|i| particles.tag[i])
            .collect();
        for i in 0..particles.len() {
            if !particles.is_boundary(i) && particles.expires[i] > now && going.contains(&particles.tag[i]) {
                done.went.push(particles.get(i));
                particles.expires[i] = AT_ONCE;
            }
        }
        let there = self.places();
        let spacing = self.params.fluid.spacing;
        for particle in wanted.came {
            if (!just_gone.contains(&particle.tag) && is_taken(&there, particle.position, spacing))
                || self.is_in_ground(particle.position)
                || self.bodies.iter().any(|body| body.holds(particle.position.map(f64::from), f64::from(now)))
            {
                continue;
            }
            let tag = self.fluid.next_tag();
            self.fluid.add_again(&particle);
            self.accounts.water_added += self.volume;
            self.accounts.grains_added += particle.cargo * self.volume;
            done.came.push(Particle { tag, ..particle });
        }
        self.painted = true;
        Ok(done)
    }

    /// Whether water cannot be where it was before: it may lie nearer to the ground than water is born, and on a volume as near as the triangles
    /// that it collides with, where shares have rock already.
    fn is_in_ground(&self, at: [f32; 3]) -> bool {
        match &self.ground {
            AnyGround::Heights(ground) => ground.clearance(at) < 0.0,
            AnyGround::Volume(ground) => ground.holds(at.map(f64::from)),
        }
    }

    /// Height of the topmost particle of each column of water below some height `[m]`.
    fn tops(&self, below: f64) -> HashMap<[i64; 2], f32> {
        let mut tops = HashMap::new();
        let particles = self.fluid.particles();
        let (now, spacing) = (self.time() as f32, self.params.fluid.spacing);
        for i in (0..particles.len()).filter(|&i| !particles.is_boundary(i) && particles.expires[i] > now) {
            if f64::from(particles.position[2][i]) > below {
                continue;
            }
            let at = column([0, 1].map(|axis: usize| f64::from(particles.position[axis][i])), spacing);
            let top = tops.entry(at).or_insert(f32::NEG_INFINITY);
            *top = top.max(particles.position[2][i]);
        }
        tops
    }

    /// Where particles are, by boxes one spacing wide.
    fn places(&self) -> Places {
        let particles = self.fluid.particles();
        let (now, spacing) = (self.time() as f32, self.params.fluid.spacing);
        let mut places = Places::new();
        for i in (0..particles.len()).filter(|&i| !particles.is_boundary(i) && particles.expires[i] > now) {
            let at = std::array::from_fn(|axis| particles.position[axis][i]);
            places.entry(voxel(at, spacing)).or_default().push(at);
        }
        places
    }
}

fn no_volume() -> Invalid {
    let remedy = "a heightfield is painted with heights, not with rock in space".into();
    Invalid { key: "painted".into(), value: "rock".into(), remedy }
}

fn no_heights() -> Invalid {
    let remedy = "a volume is painted with rock in space, not with heights".into();
    Invalid { key: "painted".into(), value: "heights".into(), remedy }
}

fn within_fluid(invalid: Invalid) -> Invalid {
    Invalid { key: format!("fluid.{}", invalid.key), ..invalid }
}

/// The column of water that a place belongs to.
fn column(place: [f64; 2], spacing: f64) -> [i64; 2] {
    place.map(|x| (x / spacing).floor() as i64)
}

/// The box of one spacing that a place is in.
fn voxel(place: [f32; 3], spacing: f64) -> [i64; 3] {
    place.map(|x| (f64::from(x) / spacing).floor() as i64)
}

/// Whether a particle is so near to a place that another cannot come there.
fn is_taken(there: &Places, at: [f32; 3], spacing: f64) -> bool {
    let least = (NEAREST * spacing) as f32;
    let near = |other: &[f32; 3]| {
        let squares = (0..3).map(|axis| (other[axis] - at[axis]).powi(2));
        squares.sum::<f32>() < least * least
    };
    let [x, y, z] = voxel(at, spacing);
    let around = (0..27).filter_map(|n| there.get(&[x + n % 3 - 1, y + n / 3 % 3 - 1, z + n / 9 - 1]));
    around.flatten().any(near)
}
