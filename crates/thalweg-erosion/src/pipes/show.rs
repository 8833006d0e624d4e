//! What the water and the ground look like: maps in metres.

use super::Pipes;
use super::backend::{Backend, Neighbour, Quantity};
use super::params::Counterflow;
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

    /// Depth of the water before it flowed in the last step, in the solver's heights: what is left of it says nothing of its speed.
    fn depth_that_flowed(&self) -> Grid2<f32> {
        let after = self.backend.map(Quantity::Depth, |_, _, depth| depth as f32);
        let height_per_flux = self.clock.dt / (self.model.cell * self.model.cell);
        self.backend.map_of_flows(|[col, row], flows| {
            let lost: f64 = flows.0.iter().map(|[out, inward]| out - inward).sum();
            (f64::from(after.at(col, row)) + height_per_flux * lost) as f32
        })
    }

    /// Velocity to the east and to the north `[m/s]`.
    pub fn velocity(&self) -> [Grid2<f32>; 2] {
        let model = &self.model;
        // Where heights have a unit of their own, cells count as 1.
        let metres = model.frame.cell / model.cell;
        let flowed = self.depth_that_flowed();
        [(0, 1.0), (1, -1.0)].map(|(axis, sign): (usize, f64)| {
            self.backend.map_of_flows(|[col, row], flows| {
                // As deep as the water is that flows: where a torrent runs onto a film, the film's depth says nothing of its speed.
                let (mut depth, mut all) = (0.0, 0.0);
                for (to, [out, inward]) in Neighbour::ALL.iter().zip(flows.0) {
                    let [east, south] = to.step();
                    let there = flowed.at_clamped(col as isize + east, row as isize + south);
                    depth += out * f64::from(flowed.at(col, row)) + inward * f64::from(there);
                    all += out + inward;
                }
                if depth * model.unit > THIN * all {
                    (sign * flows.through()[axis] * metres * all / (model.cell * depth)) as f32
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
        self.backend.map_of_flows(|_, flows| {
            let [east, south] = flows.through();
            (east.hypot(south) * metres) as f32
        })
    }

    /// The neighbours that every cell has pipes to.
    pub fn neighbours(&self) -> &'static [Neighbour] {
        Neighbour::around(self.model.params.neighbours == 8)
    }

    /// Flow to a neighbour in the last step `[m³/s]`. With two pipes through each face it is what the cell sends there; of a net flow
    /// it is what leaves less what comes, below 0 where water comes from there.
    pub fn outflow(&self, to: Neighbour) -> Grid2<f32> {
        let model = &self.model;
        let side = model.frame.cell / model.cell;
        let volume = model.unit * side * side;
        let both_ways = model.params.counterflow == Counterflow::Keep;
        self.backend.map_of_flows(|_, flows| {
            let [out, inward] = flows.0[to as usize];
            let flow = if both_ways { out } else { out - inward };
            (volume * flow) as f32
        })
    }

    /// The terrain as it is now.
    pub fn ground(&self) -> Heightfield {
        Heightfield { height: self.bed(), frame: self.model.frame.clone() }
    }
}
