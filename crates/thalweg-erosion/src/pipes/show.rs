//! What the water and the ground look like: maps in metres.

use super::Pipes;
use super::backend::{Backend, Quantity};
use super::step::THIN;
use thalweg_field::{Grid2, Heightfield};

impl Pipes {
    /// One quantity, scaled to metres above `datum`.
    fn in_metres(&self, quantity: Quantity, datum: f64) -> Grid2<f32> {
        let unit = self.model.unit;
        self.backend.map(quantity, |value| (datum + unit * f64::from(value)) as f32)
    }

    /// Bed height `[m]`.
    pub fn bed(&self) -> Grid2<f32> {
        self.in_metres(Quantity::Bed, self.model.datum)
    }

    /// Water depth `[m]`.
    pub fn depth(&self) -> Grid2<f32> {
        self.in_metres(Quantity::Depth, 0.0)
    }

    /// Suspended sediment, as the height of bed it would make `[m]`.
    pub fn sediment(&self) -> Grid2<f32> {
        self.in_metres(Quantity::Sediment, 0.0)
    }

    /// Velocity to the east and to the north `[m/s]`.
    pub fn velocity(&self) -> [Grid2<f32>; 2] {
        let model = &self.model;
        // Where heights have a unit of their own, cells count as 1.
        let metres = model.frame.cell / model.cell;
        [(0, 1.0), (1, -1.0)].map(|(axis, sign): (usize, f64)| {
            self.backend.map_of_flow(model, |depth, flow| {
                if depth * model.unit > THIN {
                    (sign * flow()[axis] * metres / (model.cell * depth)) as f32
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
        self.backend.map_of_flow(model, |_, flow| {
            let [east, south] = flow();
            ((east * east + south * south).sqrt() * metres) as f32
        })
    }

    /// The terrain as it is now.
    pub fn ground(&self) -> Heightfield {
        Heightfield { height: self.bed(), frame: self.model.frame.clone() }
    }
}
