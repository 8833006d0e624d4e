//! What water stands on, of whatever kind: a heightfield or a volume.
//!
//! [`Ground`] is all that the water asks of it. Walks over particles are compiled for either kind ([`on_ground!`]), so that loops
//! choose once; whoever asks about single places asks [`AnyGround`].

use crate::boundary::{FIXTURE, Layers, WALL, is_fixture};
use crate::heightfield::HeightGround;
use crate::params::Params;
use crate::setting::Setting;
use crate::volume::VolumeGround;
use crate::walls::Walls;
use crate::water::Columns;
use thalweg_field::{Grid2, Heightfield, Invalid, Pool};
use thalweg_sph::{BOUNDARY, BoundaryFactors, COPY, Fluid, FluidError, Particle, SLIP};

/// A boundary particle as sediment meets it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    /// Its tag without marks: the patch of the ground that it stands on.
    pub patch: u32,
    /// Where it stands `[m]`.
    pub at: [f32; 3],
    /// Area that it stands for, over the square of the spacing `[-]`.
    pub share: f32,
}

/// Turbulence at a place in the water.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Eddies {
    /// Stress on the ground there over the density of the water, u*² `[m²/s²]`.
    pub stress: f32,
    /// How far from the ground the place is, and how deep the water `[m]`.
    pub above: f32,
    pub depth: f32,
}

/// State of the ground beside the particles of its boundary.
#[derive(Clone, Debug, Default)]
pub(crate) struct SavedGround<'a> {
    /// How it has changed.
    pub doubles: &'a [f64],
    /// What its boundary particles were put on.
    pub floats: &'a [f32],
    /// Which of its tiles and which squares of the walls are filled.
    pub filled: &'a [bool],
    pub walls: &'a [bool],
}

/// What water asks of the ground.
pub(crate) trait Ground: Sync {
    /// Cells to the east and to the north.
    fn size(&self) -> [usize; 2];
    /// Side of a cell `[m]`.
    fn cell(&self) -> f64;
    /// Where the edges are: west, east; south, north `[m]`.
    fn extent(&self) -> [[f32; 2]; 2];
    /// Height of the uppermost surface at a place `[m]`.
    fn top(&self, east: f64, north: f64) -> f64;
    /// How far above the ground a place is, negative in it `[m]`; no more than that it is far where it is.
    fn clearance(&self, at: [f32; 3]) -> f32;
    /// Whether a place is in the ground.
    fn holds(&self, at: [f64; 3]) -> bool {
        self.top(at[0], at[1]) >= at[2]
    }
    /// How far above the nearest surface a place is, along the unit normal of that `[m]`.
    fn nearest(&self, at: [f32; 3]) -> (f32, [f32; 3]);
    /// Puts a place in the ground back onto it.
    fn lift(&self, at: &mut [f32; 3]);
    /// Ends the way of a particle that would have gone into the ground on its surface, and turns its velocity. Returns whether it
    /// touched.
    fn collide(&self, from: [f32; 3], particle: &mut Particle, restitution: f32, dt: f32) -> bool;
    /// Whether a way meets no ground; said only where it is soon found out. The same of all that stay between two corners.
    fn is_clear(&self, from: [f32; 3], to: [f32; 3]) -> bool;
    fn are_clear(&self, low: [f32; 3], high: [f32; 3]) -> bool;
    /// Whether a particle has fallen out of the world.
    fn is_lost(&self, _at: [f32; 3]) -> bool {
        false
    }

    /// Adds and removes boundary particles; `reach` is how far from water they are needed until the next update `[m]`. Returns how many
    /// tiles changed.
    fn update_boundary(&mut self, fluid: &mut Fluid, reach: f64) -> Result<usize, FluidError>;
    /// Refuses water at the beginning whose ground would need more boundary particles than there is room for.
    fn check_start(&mut self, fluid: &Fluid, reach: f64) -> Result<(), FluidError>;
    /// Most particles of the boundary, and how many there can be from now on.
    fn room(&self) -> usize;
    fn set_room(&mut self, room: usize);
    /// Patches that boundary particles can stand on.
    fn patches(&self) -> usize;
    /// The walls at its edges.
    fn walls(&self) -> &Walls;

    /// Looks at the flow of a sorted fluid along the ground.
    fn measure(&mut self, fluid: &Fluid);
    /// Slows the particles near the ground, where they are after their step of `dt` `[s]`.
    fn slow(&self, fluid: &mut Fluid, dt: f64);
    /// Takes other parameters and another hardness from now on.
    fn change(&mut self, params: &Params, setting: &Setting);

    /// Hardness of a spot, 0 to 1 `[-]`.
    fn hardness(&self, spot: Spot) -> f32;
    /// Unit normal of a spot, out of the ground.
    fn normal(&self, spot: Spot) -> [f32; 3];
    /// Area that a spot stands for `[m²]`.
    fn area(&self, spot: Spot) -> f32;
    /// Stress on a spot over the density of the water, u*² `[m²/s²]`.
    fn stress(&self, spot: Spot) -> f32;
    /// Turbulence at a place in the water.
    fn eddies(&self, at: [f32; 3]) -> Eddies;
    /// Notes that a spot gained so much, or lost it [m³ of grains].
    fn gain(&mut self, spot: Spot, grains: f64);
    /// Lets the ground follow what its spots gained and lost in the time `dt` `[s]`, and the water follow the ground.
    fn reshape(&mut self, fluid: &mut Fluid, params: &Params, dt: f64);

    /// Calls `put` with the places of the particles of a pool of some name, and the height that water reaches there `[m]`.
    fn fill_pool(
        &self,
        named: (&str, &Pool),
        columns: &Columns,
        put: &mut dyn FnMut([f64; 3], f64) -> Result<(), Invalid>,
    ) -> Result<(), Invalid>;
    /// Refuses an emitter of some name whose middle is in the ground, where that is never right.
    fn check_mouth(&self, _key: &str, _at: [f64; 3]) -> Result<(), Invalid> {
        Ok(())
    }
    /// Water at the beginning, about `[m³]`. Where pools overlap there is one of them.
    fn pool_volume(&self, setting: &Setting) -> f64;
    /// Lowest and highest ground between two corners, east and north `[m]`.
    fn heights_within(&self, sides: [[f64; 2]; 2]) -> [f64; 2];

    /// Bytes for the ground itself.
    fn bytes(&self) -> u64;
    /// Ground above 0 m at the beginning, and what has come on top since [m³, pores included].
    fn solid(&self) -> [f64; 2];
    /// A map in the order of heightfields: the uppermost surface, and what has come on top since the beginning `[m]`.
    fn height_map(&self) -> Heightfield;
    fn change_map(&self) -> Grid2<f64>;

    /// State beside the particles, in four parts as in [`SavedGround`].
    fn save(&self) -> (Vec<f64>, Vec<f32>, &[bool]);
    /// Whether a state has the right number of doubles and floats.
    fn fits(&self, doubles: usize, floats: usize) -> bool;
    /// Takes it up again; the text says why not.
    fn restore(&mut self, saved: &SavedGround) -> Result<(), String>;

    /// Whether a boundary particle's tag names a patch, one of so many squares of wall, or a fixture of so many bodies.
    fn owns(&self, tag: u32, [walls, bodies]: [usize; 2]) -> bool {
        if is_fixture(tag) {
            return tag == COPY || (tag & !(BOUNDARY | FIXTURE)) as usize <= bodies;
        }
        let number = (tag & (WALL - 1)) as usize;
        match tag & (SLIP | WALL) {
            0 | SLIP => number < self.patches(),
            kind => kind == SLIP | WALL && number < walls,
        }
    }
}

/// How boundary particles stand below the surface.
pub(crate) fn layers(params: &Params) -> Layers {
    Layers {
        spacing: params.bed_spacing(),
        depth: params.boundary_depth(),
        count: BoundaryFactors::layers(&params.fluid),
    }
}

/// Ground of either kind.
#[derive(Debug)]
pub(crate) enum AnyGround {
    /// Triangles over a heightfield.
    Heights(Box<HeightGround>),
    /// The surface of a volume.
    Volume(Box<VolumeGround>),
}

/// Does something with the ground, compiled for either kind.
macro_rules! on_ground {
    ($any:expr, $ground:ident => $work:expr) => {
        match $any {
            $crate::ground::AnyGround::Heights($ground) => $work,
            $crate::ground::AnyGround::Volume($ground) => $work,
        }
    };
}
pub(crate) use on_ground;

/// Asks the ground, whichever it is.
macro_rules! either {
    ($(fn $name:ident(&self $(, $argument:ident: $kind:ty)*) $(-> $result:ty)?;)*) => {
        $(fn $name(&self $(, $argument: $kind)*) $(-> $result)? {
            on_ground!(self, ground => ground.$name($($argument),*))
        })*
    };
}
macro_rules! either_mut {
    ($(fn $name:ident(&mut self $(, $argument:ident: $kind:ty)*) $(-> $result:ty)?;)*) => {
        $(fn $name(&mut self $(, $argument: $kind)*) $(-> $result)? {
            on_ground!(self, ground => ground.$name($($argument),*))
        })*
    };
}

impl Ground for AnyGround {
    either! {
        fn size(&self) -> [usize; 2];
        fn cell(&self) -> f64;
        fn extent(&self) -> [[f32; 2]; 2];
        fn top(&self, east: f64, north: f64) -> f64;
        fn clearance(&self, at: [f32; 3]) -> f32;
        fn holds(&self, at: [f64; 3]) -> bool;
        fn nearest(&self, at: [f32; 3]) -> (f32, [f32; 3]);
        fn lift(&self, at: &mut [f32; 3]);
        fn collide(&self, from: [f32; 3], particle: &mut Particle, restitution: f32, dt: f32) -> bool;
        fn is_clear(&self, from: [f32; 3], to: [f32; 3]) -> bool;
        fn are_clear(&self, low: [f32; 3], high: [f32; 3]) -> bool;
        fn is_lost(&self, at: [f32; 3]) -> bool;
        fn room(&self) -> usize;
        fn patches(&self) -> usize;
        fn walls(&self) -> &Walls;
        fn slow(&self, fluid: &mut Fluid, dt: f64);
        fn hardness(&self, spot: Spot) -> f32;
        fn normal(&self, spot: Spot) -> [f32; 3];
        fn area(&self, spot: Spot) -> f32;
        fn stress(&self, spot: Spot) -> f32;
        fn eddies(&self, at: [f32; 3]) -> Eddies;
        fn fill_pool(&self, named: (&str, &Pool), columns: &Columns, put: &mut dyn FnMut([f64; 3], f64) -> Result<(), Invalid>) -> Result<(), Invalid>;
        fn check_mouth(&self, key: &str, at: [f64; 3]) -> Result<(), Invalid>;
        fn pool_volume(&self, setting: &Setting) -> f64;
        fn heights_within(&self, sides: [[f64; 2]; 2]) -> [f64; 2];
        fn bytes(&self) -> u64;
        fn solid(&self) -> [f64; 2];
        fn height_map(&self) -> Heightfield;
        fn change_map(&self) -> Grid2<f64>;
        fn save(&self) -> (Vec<f64>, Vec<f32>, &[bool]);
        fn fits(&self, doubles: usize, floats: usize) -> bool;
    }
    either_mut! {
        fn update_boundary(&mut self, fluid: &mut Fluid, reach: f64) -> Result<usize, FluidError>;
        fn check_start(&mut self, fluid: &Fluid, reach: f64) -> Result<(), FluidError>;
        fn set_room(&mut self, room: usize);
        fn measure(&mut self, fluid: &Fluid);
        fn change(&mut self, params: &Params, setting: &Setting);
        fn gain(&mut self, spot: Spot, grains: f64);
        fn reshape(&mut self, fluid: &mut Fluid, params: &Params, dt: f64);
        fn restore(&mut self, saved: &SavedGround) -> Result<(), String>;
    }
}
