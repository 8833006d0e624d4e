//! The constants of one step.

use super::params::{Counterflow, Exchange, Params, PipeArea, Slope, Velocity};

/// Water thinner than this has no velocity `[m]`; dividing a trickle by next to nothing would.
pub(super) const THIN: f64 = 1.0e-6;
/// Share of a cell's water that may leave in one step: all, less a few roundings of f32.
const ALL_OF_IT: f32 = 1.0 - 6.0e-7;
/// Square of the Froude number above which water falls rather than flows `[-]`: that of a sheet on a slope of 45°, 1/c_f, but for beds
/// smoother than any. Such water does not set the time step; it is no slower for it than a cell in a step.
fn falling(params: &Params) -> f64 {
    const SMOOTHEST: f64 = 0.01;
    1.0 / params.drag.max(SMOOTHEST)
}
/// Weights of straight and diagonal pipes that make waves run equally fast in all directions: the
/// nine-point Laplacian, 2/3 for each straight and 1/6 for each diagonal neighbour.
const STRAIGHT: f64 = 2.0 / 3.0;
const DIAGONAL: f64 = 1.0 / 6.0;
/// A wall mirrors the water before it: the diagonal pipe that it blocks leads, reflected, to the straight
/// neighbour along the wall, whose pipe is wider by that share.
pub(super) const WALL_GAIN: f32 = (DIAGONAL / STRAIGHT) as f32;

/// Everything that the stages multiply with, worked out once for a time step. Lengths and heights are the
/// solver's own (metres, unless the parameters name a height unit).
#[derive(Clone, Copy, Debug)]
pub(super) struct Coefficients {
    /// Flux gained for each metre of drop: Δt·g·A/l with a constant A ...
    pub push: f32,
    /// ... and Δt·g·l/l for each metre of depth with A = l·d.
    pub push_per_depth: f32,
    /// Share of the push that a diagonal pipe gets.
    pub diagonal_push: f32,
    /// Inverse share of the section that a straight and a diagonal face have.
    pub per_straight: f32,
    pub per_diagonal: f32,
    /// 4·Δt·c_f/l: drag for each unit of flux over squared depth.
    pub drag: f32,
    pub thin: f32,
    pub per_thin: f32,
    pub all_of_it: f32,
    pub per_all_of_it: f32,
    /// Square of the share of a cell that falling water crosses in a step, for each metre of its depth.
    pub brisk_per_depth: f32,
    /// Δt/l²: height gained for each unit of flux.
    pub height_per_flux: f32,
    /// 1/(2l).
    pub half_per_cell: f32,
    /// Δt/l: cells moved for each unit of speed.
    pub cells_per_speed: f32,
    /// Take the mean flux for the velocity.
    pub mean_flux: bool,
    /// Side of a cell.
    pub cell: f32,
    /// The capacity sees the fall of the surface along the outflow instead of the slope of the bed.
    pub downstream: bool,
    pub min_sin2: f32,
    pub per_ramp_depth: f32,
    /// Depth of the ramp, or what counts as dry without one.
    pub ramp_depth: f32,
    pub capacity: f32,
    /// Capacity for each unit of twice the flux through a cell, over depth and sine of the slope.
    pub capacity_per_flow: f32,
    /// Ground afloat that a metre of water can hold at all.
    pub most_load: f32,
    pub dissolve_share: f32,
    pub dissolve_limit: f32,
    pub deposit_share: f32,
    pub deposit_limit: f32,
    pub evaporation_keeps: f32,
    pub dry: f32,
}

impl Coefficients {
    /// For steps of `dt` `[s]` on cells of side `cell`, heights in units of `unit` metres.
    pub(super) fn new(params: &Params, cell: f64, unit: f64, dt: f64) -> Self {
        let straight = if params.neighbours == 8 { STRAIGHT } else { 1.0 };
        let push = dt * params.gravity * straight;
        let (push, push_per_depth) = match params.area {
            PipeArea::Constant => (push * params.pipe_area / cell, 0.0),
            PipeArea::Depth => (0.0, push),
        };
        let exchange = |constant: f64| match params.exchange {
            // The part of a difference that decays at a constant rate during dt.
            Exchange::Rate => (1.0 - (-constant * dt).exp(), f64::INFINITY),
            Exchange::Share => (constant, f64::INFINITY),
            Exchange::Limit => (1.0, constant * dt * params.time_lapse),
        };
        let worked = f64::from(u8::from(params.erosion));
        let (dissolve_share, dissolve_limit) = exchange(params.dissolve);
        let (deposit_share, deposit_limit) = exchange(params.deposit);
        let min_sin = params.min_tilt.sin();
        let capacity = params.capacity * params.time_lapse;
        let thin = THIN / unit;
        Self {
            push: push as f32,
            push_per_depth: push_per_depth as f32,
            diagonal_push: (DIAGONAL / STRAIGHT) as f32,
            per_straight: (1.0 / straight) as f32,
            per_diagonal: (1.0 / DIAGONAL) as f32,
            drag: (4.0 * dt * params.drag / cell) as f32,
            thin: thin as f32,
            per_thin: (1.0 / thin) as f32,
            all_of_it: ALL_OF_IT,
            per_all_of_it: 1.0 / ALL_OF_IT,
            brisk_per_depth: (falling(params) * params.gravity * (dt / cell).powi(2)) as f32,
            height_per_flux: (dt / (cell * cell)) as f32,
            half_per_cell: (0.5 / cell) as f32,
            cells_per_speed: (dt / cell) as f32,
            mean_flux: params.velocity == Velocity::MeanFlux,
            cell: cell as f32,
            downstream: params.slope == Slope::Downstream,
            min_sin2: (min_sin * min_sin) as f32,
            // Without a ramp any water at all carries its full load.
            per_ramp_depth: if params.ramp_depth > 0.0 {
                (unit / params.ramp_depth) as f32
            } else {
                f32::MAX
            },
            ramp_depth: (params.ramp_depth / unit).max(thin) as f32,
            capacity: capacity as f32,
            capacity_per_flow: (0.5 * capacity / cell) as f32,
            most_load: (params.max_load * params.time_lapse) as f32,
            dissolve_share: (dissolve_share * worked) as f32,
            dissolve_limit: (dissolve_limit as f32).min(f32::MAX),
            deposit_share: (deposit_share * worked) as f32,
            deposit_limit: (deposit_limit as f32).min(f32::MAX),
            evaporation_keeps: (1.0 - params.evaporation * dt).max(0.0) as f32,
            dry: (params.dry_depth / unit) as f32,
        }
    }
}

/// Largest stable time step `[s]` for waves of speed `speed` on cells of side `cell`.
///
/// The leap-frog of flux and depth is stable up to 2L/(c√λ), λ being the largest eigenvalue of the discrete
/// Laplacian: 8 for four neighbours, 16/3 for the nine-point one. Where opposite flows through a face do not
/// cancel, both pipes carry water while the head turns round, the net flux changes at twice the rate, and the
/// limit shrinks by √2: L/(2c) for four neighbours.
pub fn stable_dt(params: &Params, cell: f64, speed: f64) -> f64 {
    let eigenvalue: f64 = if params.neighbours == 8 { 16.0 / 3.0 } else { 8.0 };
    let rate = match params.counterflow {
        Counterflow::Cancel => 1.0,
        Counterflow::Keep => 2.0,
    };
    2.0 * cell / (speed * (rate * eigenvalue).sqrt())
}
