//! What a run shows to the outside.

use std::borrow::Cow;
use std::sync::Arc;

use crate::{Body, Frame, Grid2, Points, Sea, Strata, TriMesh};

/// Name, unit and meaning of a quantity; files, colour bars and reports read them from here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldInfo {
    /// Short name, also the stem of its file: `water`, `sediment`, ...
    pub name: Cow<'static, str>,
    /// SI unit, `-` for a pure ratio.
    pub unit: Cow<'static, str>,
    /// What it tells, in a few words.
    pub meaning: Cow<'static, str>,
}

impl FieldInfo {
    /// A label.
    pub const fn new(name: &'static str, unit: &'static str, meaning: &'static str) -> Self {
        Self { name: Cow::Borrowed(name), unit: Cow::Borrowed(unit), meaning: Cow::Borrowed(meaning) }
    }

    /// Name and unit as people write them: `speed [m/s]`, or the name alone of a pure ratio.
    pub fn title(&self) -> String {
        match &*self.unit {
            "-" | "" => self.name.to_string(),
            unit => format!("{} [{unit}]", self.name),
        }
    }
}

/// One labelled grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its label.
    pub info: FieldInfo,
    /// Its values.
    pub values: Grid2<f32>,
}

/// A mesh with a name and what it is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Short name: `surface`, `boat`, ...
    pub name: Cow<'static, str>,
    /// What it is made of.
    pub matter: Matter,
    /// Its triangles.
    pub mesh: TriMesh,
}

/// What a mesh is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Matter {
    /// The surface of water.
    Water,
    /// Something solid of that colour, sRGB.
    Solid([u8; 3]),
}

/// Ground with caves and overhangs, which no grid of heights tells.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundMesh {
    /// Its surface, closed: the walls and the bottom of its box belong to it.
    pub mesh: TriMesh,
    /// Share of the sky's light that reaches each corner, seen or thrown back by walls `[-]`.
    pub open: Vec<f32>,
    /// The beds that it is made of; without any, all rock is alike.
    pub strata: Option<Strata>,
}

/// Everything a run shows at one moment: files, pictures and windows read this and nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Cell size and position of all fields.
    pub frame: Frame,
    /// Steps taken so far.
    pub step: u64,
    /// Simulated time `[s]`.
    pub time: f64,
    /// The labelled grids, all of one shape.
    ///
    /// `height` is the bed and `water` the depth above it, waves included. What waves do to that surface may be told
    /// beside it: `displacement_east` and `displacement_north` `[m]` say how far what was at a place at rest has moved, and
    /// `foam` `[-]` how much of the surface is white. With a [`sea`](Self::sea), `waves` `[m]` is what lies on top of the
    /// sea's own surface (wakes, for one; displacement and foam belong to it then), and `sea_share` `[-]` how much of the
    /// sea's waves there is at a place: 1 where it is missing, less in the shelter of a mole.
    pub fields: Vec<Field>,
    /// The particles, if the run has any.
    pub points: Option<Points>,
    /// Pieces of wave fronts, if the run has any and somebody asked for them: for files, as what they make is seen in the fields.
    pub fronts: Option<Points>,
    /// Surfaces and things that do not move.
    pub meshes: Vec<Mesh>,
    /// Things that move as a whole, and that cameras may follow.
    pub bodies: Vec<Body>,
    /// The open sea around and in the grid.
    pub sea: Option<Arc<Sea>>,
    /// The ground itself, where it is more than heights; the field `height` is its uppermost surface then.
    pub ground: Option<Arc<GroundMesh>>,
}

impl Snapshot {
    /// Grids alone, at the beginning.
    pub fn of_fields(frame: Frame, fields: Vec<Field>) -> Self {
        Self {
            frame,
            step: 0,
            time: 0.0,
            fields,
            points: None,
            fronts: None,
            meshes: Vec::new(),
            bodies: Vec::new(),
            sea: None,
            ground: None,
        }
    }

    /// The grid of that name, if the run made one.
    pub fn field(&self, name: &str) -> Option<&Grid2<f32>> {
        self.labelled(name).map(|field| &field.values)
    }

    /// The body of that name.
    pub fn body(&self, name: &str) -> Option<&Body> {
        self.bodies.iter().find(|body| body.name == name)
    }

    /// The grid of that name with its label.
    pub fn labelled(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.info.name == name)
    }
}
