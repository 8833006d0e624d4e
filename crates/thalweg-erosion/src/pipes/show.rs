//! What the water and the ground look like: maps in metres.

use super::Pipes;
use super::backend::{Backend, Quantity, Through};
use super::step::THIN;
use thalweg_field::{Grid2, Heightfield};

impl Pipes {
    /// One quantity, scaled to metres above `datum`.
    fn in_metres(&self, quantity: Quantity, datum: f64) -> Grid2<f32> {
        let unit = self.model.unit;
        self.backend.map(quantity, |_, _, value| (datum + unit * value) as f32)
    }

    /// Bed height `[m]`.
    pub fn bed(&self) -> Grid2<f32> {
        self.in_metres(Quantity::Bed, self.model.datum)
    }

    /// How much higher the bed is than `start` `[m]`: also where that is less than its height can tell.
    pub fn bed_above(&self, start: &Grid2<f32>) -> Grid2<f32> {
        let (datum, unit) = (self.model.datum, self.model.unit);
        self.backend
            .map(Quantity::Bed, |col, row, bed| ((datum - f64::from(start.at(col, row))) + unit * bed) as f32)
    }

    /// Water depth `[m]`.
    pub fn depth(&self) -> Grid2<f32> {
        self.in_metres(Quantity::Depth, 0.0)
    }

    /// Suspended sediment, as the height it would have at rest `[m]`: what water carries now. Where time is lapsed, `time_lapse` times that
    /// much ground is on its way.
    pub fn sediment(&self) -> Grid2<f32> {
        let scale = self.model.unit / self.model.params.time_lapse;
        self.backend.map(Quantity::Sediment, |_, _, value| (scale * value) as f32)
    }

    /// Ground that is afloat, as the height of bed it makes when it settles `[m]`.
    pub fn afloat(&self) -> Grid2<f32> {
        self.in_metres(Quantity::Sediment, 0.0)
    }

    /// Velocity to the east and to the north `[m/s]`.
    pub fn velocity(&self) -> [Grid2<f32>; 2] {
        let model = &self.model;
        // Where heights have a unit of their own, cells count as 1.
        let metres = model.frame.cell / model.cell;
        [(0, 1.0), (1, -1.0)].map(|(axis, sign): (usize, f64)| {
            self.backend.map_of_flow(|Through { flow, depth }| {
                // As deep as the water is that flows: where a torrent runs onto a film, the film's depth says nothing of its speed.
                if depth * model.unit > THIN {
                    (sign * flow[axis] * metres / (model.cell * depth)) as f32
                } else {
                    0.0
                }
            })
        })
    }

    /// Discharge per metre of width `[m²/s]`.
    pub fn discharge(&self) -> Grid2<f32> {
        let model = &self.model;
        let metres = model.frame.cell / model.cell * model.unit / model.cell;
        self.backend.map_of_flow(|Through { flow: [east, south], .. }| (east.hypot(south) * metres) as f32)
    }

    /// The terrain as it is now.
    pub fn ground(&self) -> Heightfield {
        Heightfield { height: self.bed(), frame: self.model.frame.clone() }
    }
}
