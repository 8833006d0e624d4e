//! The model of Mei et al. 2007 and Schmidberger 2024 written down plainly: one loop per equation, one grid per
//! symbol, no vectors, no threads, no tricks.
//!
//! The fast solver is checked against it and its speed is given as a multiple of this one's. It knows steady
//! rain, one grid of inflow, closed edges, four pipes of constant area and semi-Lagrangian sediment.

use super::params::{Exchange, Params, Velocity};
use thalweg_field::Grid2;

/// The grids of table 1 of Schmidberger 2024, heights in metres.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Terrain height b.
    pub bed: Grid2<f32>,
    /// Water height d.
    pub depth: Grid2<f32>,
    /// Suspended sediment s.
    pub sediment: Grid2<f32>,
    /// Outflow to the left, right, top and bottom neighbour.
    flux: [Grid2<f32>; 4],
    velocity: [Grid2<f32>; 2],
    water_delta: Grid2<f32>,
    sediment_delta: Grid2<f32>,
    params: Params,
    cell: f32,
    dt: f32,
}

/// Column and row of the left, right, top and bottom neighbour, as differences.
const NEIGHBOURS: [(isize, isize); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];
/// The neighbour's pipe that leads back.
const BACK: [usize; 4] = [1, 0, 3, 2];

impl Reference {
    /// Dry ground on cells of side `cell` `[m]`, to go on in steps of `dt` `[s]`.
    pub fn new(bed: Grid2<f32>, cell: f64, dt: f64, params: &Params) -> Self {
        let zero = Grid2::filled(bed.cols(), bed.rows(), 0.0);
        Self {
            depth: zero.clone(),
            sediment: zero.clone(),
            flux: [zero.clone(), zero.clone(), zero.clone(), zero.clone()],
            velocity: [zero.clone(), zero.clone()],
            water_delta: zero.clone(),
            sediment_delta: zero,
            params: params.clone(),
            cell: cell as f32,
            dt: dt as f32,
            bed,
        }
    }

    /// One step; `inflow` is the water reaching each cell `[m/s]`.
    pub fn step(&mut self, inflow: &Grid2<f32>) {
        self.increase_water(inflow);
        self.update_outflow();
        self.update_water();
        self.update_velocity();
        self.erode_and_deposit();
        self.transport();
        self.evaporate();
    }

    fn neighbour(&self, col: usize, row: usize, (dc, dr): (isize, isize)) -> Option<(usize, usize)> {
        let (c, r) = (col.checked_add_signed(dc)?, row.checked_add_signed(dr)?);
        (c < self.bed.cols() && r < self.bed.rows()).then_some((c, r))
    }

    fn cells(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let cols = self.bed.cols();
        (0..self.bed.rows()).flat_map(move |row| (0..cols).map(move |col| (col, row)))
    }

    /// Eq. 1; d₁ takes the place of d.
    fn increase_water(&mut self, inflow: &Grid2<f32>) {
        for (col, row) in self.cells() {
            self.depth.set(col, row, self.depth.at(col, row) + self.dt * inflow.at(col, row));
        }
    }

    /// Eqs. 2 to 5.
    fn update_outflow(&mut self) {
        let (a, g, l) = (self.params.pipe_area as f32, self.params.gravity as f32, self.cell);
        for (col, row) in self.cells() {
            let d = self.depth.at(col, row);
            let mut flux = [0.0; 4];
            for side in 0..4 {
                let Some((c, r)) = self.neighbour(col, row, NEIGHBOURS[side]) else { continue };
                let drop = (self.bed.at(col, row) - self.bed.at(c, r)) + (d - self.depth.at(c, r));
                flux[side] = (self.flux[side].at(col, row) + self.dt * a * g * drop / l).max(0.0);
            }
            let out: f32 = flux.iter().sum();
            let k = if out > 0.0 { (d * l * l / (out * self.dt)).min(1.0) } else { 1.0 };
            for (grid, flux) in self.flux.iter_mut().zip(flux) {
                grid.set(col, row, k * flux);
            }
        }
    }

    /// Eqs. 6 to 8; the result, d₂, is kept apart because the velocity needs both depths.
    fn update_water(&mut self) {
        for (col, row) in self.cells() {
            let mut change = 0.0;
            for side in 0..4 {
                change -= self.flux[side].at(col, row);
                if let Some((c, r)) = self.neighbour(col, row, NEIGHBOURS[side]) {
                    change += self.flux[BACK[side]].at(c, r);
                }
            }
            let d2 = self.depth.at(col, row) + self.dt * change / (self.cell * self.cell);
            self.water_delta.set(col, row, d2.max(0.0));
        }
    }

    /// Eqs. 9 and 10, with y pointing down like the rows; over depth and cell size as in Mei et al. 2007
    /// unless the thesis's form is asked for.
    fn update_velocity(&mut self) {
        for (col, row) in self.cells() {
            let inward = |side: usize| {
                self.neighbour(col, row, NEIGHBOURS[side])
                    .map_or(0.0, |(c, r)| self.flux[BACK[side]].at(c, r))
            };
            let out = |side: usize| self.flux[side].at(col, row);
            let mean_x = (inward(0) - out(0) + out(1) - inward(1)) / 2.0;
            let mean_y = (inward(2) - out(2) + out(3) - inward(3)) / 2.0;
            let mean_depth = (self.depth.at(col, row) + self.water_delta.at(col, row)) / 2.0;
            let (u, v) = match self.params.velocity {
                Velocity::MeanFlux => (mean_x, mean_y),
                Velocity::FluxOverDepth if mean_depth > 1.0e-6 => {
                    (mean_x / (self.cell * mean_depth), mean_y / (self.cell * mean_depth))
                }
                Velocity::FluxOverDepth => (0.0, 0.0),
            };
            self.velocity[0].set(col, row, u);
            self.velocity[1].set(col, row, v);
        }
    }

    /// Eqs. 11 to 14.
    fn erode_and_deposit(&mut self) {
        let old_bed = self.bed.clone();
        for (col, row) in self.cells() {
            let (c, r) = (col as isize, row as isize);
            let slope_x = (old_bed.at_clamped(c + 1, r) - old_bed.at_clamped(c - 1, r)) / (2.0 * self.cell);
            let slope_y = (old_bed.at_clamped(c, r + 1) - old_bed.at_clamped(c, r - 1)) / (2.0 * self.cell);
            let tilt = slope_x.hypot(slope_y).atan().max(self.params.min_tilt as f32);
            let speed = self.velocity[0].at(col, row).hypot(self.velocity[1].at(col, row));
            let capacity = self.params.capacity as f32 * tilt.sin() * speed;
            let s = self.sediment.at(col, row);
            let exchange = |difference: f32, constant: f64| match self.params.exchange {
                Exchange::Share => difference * constant as f32,
                Exchange::Rate => difference * (1.0 - (-constant as f32 * self.dt).exp()),
                Exchange::Limit => difference.min(constant as f32 * self.dt),
            };
            let taken = if capacity > s {
                exchange(capacity - s, self.params.dissolve)
            } else {
                -exchange(s - capacity, self.params.deposit)
            };
            self.bed.set(col, row, old_bed.at(col, row) - taken);
            self.sediment_delta.set(col, row, s + taken);
        }
    }

    /// Eqs. 15 and 16.
    fn transport(&mut self) {
        for (col, row) in self.cells() {
            let x = col as f32 - self.velocity[0].at(col, row) * self.dt / self.cell;
            let y = row as f32 - self.velocity[1].at(col, row) * self.dt / self.cell;
            self.sediment.set(col, row, self.sediment_delta.bilinear(f64::from(x), f64::from(y)));
        }
    }

    /// Eq. 17.
    fn evaporate(&mut self) {
        let keeps = 1.0 - self.params.evaporation as f32 * self.dt;
        for (col, row) in self.cells() {
            let d = self.water_delta.at(col, row) * keeps;
            self.depth.set(col, row, if d < self.params.dry_depth as f32 { 0.0 } else { d });
        }
    }
}
