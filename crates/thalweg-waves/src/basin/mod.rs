//! Where the water is: its walls, exactly, and how deep it is.
//!
//! Walls are lines, whatever they come from: polygons as they are, shores as the contour of the water's level on the ground. Lines
//! have a normal towards the water that turns evenly along round walls, and a curvature; where they turn sharply there is a corner.

mod bed;
mod contour;
mod lines;
mod walls;

pub use walls::Hit;
pub(crate) use walls::{Corner, Shade};

use crate::plane::Vec2;
use bed::Bed;
use thalweg_field::{Grid2, Heightfield, Invalid, require};
use walls::Walls;

/// What lies outside all polygons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// Water: the polygons are islands and moles.
    Water,
    /// Land: the first polygon is a pool.
    Land,
}

/// Water with its walls and its bed.
#[derive(Clone, Debug)]
pub struct Basin {
    walls: Walls,
    bed: Option<Bed>,
    /// South-west and north-east corner of what is looked at; waves beyond are forgotten.
    extent: Option<[Vec2; 2]>,
}

impl Basin {
    /// Deep water without end.
    pub fn open() -> Self {
        Self { walls: Walls::none(true), bed: None, extent: None }
    }

    /// Deep water bounded by closed polygons, each a list of its corners; one within another bounds the other side again.
    pub fn from_polygons(polygons: &[Vec<Vec2>], outside: Outside) -> Result<Self, Invalid> {
        for (i, polygon) in polygons.iter().enumerate() {
            let key = format!("basin.polygon[{i}]");
            require(polygon.len() >= 3, &key, format!("{} points", polygon.len()), "it needs three or more")?;
            let finite = polygon.iter().flatten().all(|v| v.is_finite());
            require(finite, &key, "not a number", "all its points must be finite")?;
            let area = lines::area(polygon);
            require(area.abs() > 0.0, &key, "without area", "its points must not lie on one line")?;
        }
        require(
            outside == Outside::Water || !polygons.is_empty(),
            "basin",
            "all land",
            "draw a polygon for the water, or let water lie outside",
        )?;
        let lines = lines::of_polygons(polygons, outside == Outside::Water);
        Ok(Self { walls: Walls::new(&lines, outside == Outside::Water), bed: None, extent: None })
    }

    /// Water that stands at a level over ground: shores where the ground comes out of it. Beyond the grid waves are forgotten; where
    /// `closed`, its edges are walls.
    pub fn from_ground(ground: &Heightfield, level: f64, closed: bool) -> Result<Self, Invalid> {
        let depth = ground.height.map(|height| (level - f64::from(height)) as f32);
        Self::from_depth(&Heightfield { height: depth, frame: ground.frame.clone() }, closed)
    }

    /// The same of the depth of the water itself, below zero by as much as the ground stands out.
    pub fn from_depth(depth: &Heightfield, closed: bool) -> Result<Self, Invalid> {
        let grid = &depth.height;
        let size = format!("{} x {} cells", grid.cols(), grid.rows());
        require(grid.cols() >= 2 && grid.rows() >= 2, "basin", size, "it needs two or more each way")?;
        let finite = grid.values().iter().all(|depth| depth.is_finite());
        require(finite, "basin", "not a number somewhere", "the ground and the level must be finite")?;
        let wet = grid.values().iter().any(|&depth| depth > 0.0);
        require(wet, "basin", "all land", "raise the level of the water, or lower the ground")?;
        let lines = contour::shores(depth, closed);
        let [east, north] = depth.extent();
        Ok(Self {
            walls: Walls::new(&lines, true),
            bed: Some(Bed::new(depth)),
            extent: Some([[0.0; 2], [east, north]]),
        })
    }

    /// Deep water where cells are true.
    pub fn from_mask(water: &Grid2<bool>, cell: f64, closed: bool) -> Result<Self, Invalid> {
        let side = |water: bool| if water { 1.0 } else { -1.0 };
        let frame = thalweg_field::Frame::with_cell(cell);
        let depth = Heightfield { height: water.map(side), frame };
        Ok(Self { bed: None, ..Self::from_depth(&depth, closed)? })
    }

    /// Forgets waves that leave a rectangle, given by its south-west and its north-east corner.
    #[must_use]
    pub fn within(self, south_west: Vec2, north_east: Vec2) -> Self {
        Self { extent: Some([south_west, north_east]), ..self }
    }

    /// Distance to the nearest wall, below zero on land; `None` if there are no walls `[m]`.
    pub fn distance(&self, place: Vec2) -> Option<f64> {
        self.walls.distance(place)
    }

    /// Whether there is water at a place.
    pub fn is_water(&self, place: Vec2) -> bool {
        self.walls.is_water(place)
    }

    /// Depth of the water at rest; infinite where nobody said what is below `[m]`.
    pub fn depth(&self, place: Vec2) -> f64 {
        self.bed.as_ref().map_or(f64::INFINITY, |bed| bed.depth(place))
    }

    /// The first wall on a straight way of at most `reach` metres that comes from the water.
    pub fn cast(&self, from: Vec2, heading: Vec2, reach: f64) -> Option<Hit> {
        self.walls.cast(from, heading, reach)
    }

    pub(crate) fn has_walls(&self) -> bool {
        !self.walls.is_empty()
    }

    /// Depth of the shallowest water; infinite where nobody said what is below `[m]`.
    pub(crate) fn least_depth(&self) -> f64 {
        self.bed.as_ref().map_or(f64::INFINITY, Bed::least)
    }

    /// Side of the cells of the bed, if it has one `[m]`.
    pub(crate) fn bed_cell(&self) -> Option<f64> {
        self.bed.as_ref().map(Bed::cell)
    }

    pub(crate) fn extent(&self) -> Option<[Vec2; 2]> {
        self.extent
    }

    /// Images of a place in the walls nearer than `radius`: what a bump there sends back.
    pub(crate) fn images(&self, place: Vec2, radius: f64, image: &mut impl FnMut(Vec2)) {
        self.walls.images(place, radius, image);
    }

    /// A distance that surely reaches no wall from a place `[m]`.
    pub(crate) fn clear(&self, place: Vec2) -> f64 {
        self.walls.clear(place)
    }

    pub(crate) fn corners(&self) -> &[Corner] {
        self.walls.corners()
    }

    /// What the end of a wall shades from waves of a heading: `None` if they reach both its sides, or neither.
    pub(crate) fn corner_shades(&self, corner: usize, heading: Vec2) -> Option<Shade> {
        self.walls.corners()[corner].shades(heading)
    }

    /// Memory that it takes `[bytes]`.
    pub fn bytes(&self) -> u64 {
        self.walls.bytes() + self.bed.as_ref().map_or(0, Bed::bytes)
    }
}
