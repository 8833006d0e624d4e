//! The same physics as a plain program: one particle after the other, each with a list of neighbours from a hash map.
//!
//! It stays simple. The fast one is measured and checked against it.

use crate::boundary::Grip;
use crate::fluid::Constants;
use crate::params::Kernels;
use std::collections::HashMap;

/// A particle as a plain program has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where [m].
    pub position: [f64; 3],
    /// How fast [m/s].
    pub velocity: [f64; 3],
    /// How heavy [kg].
    pub mass: f64,
    /// Whether it belongs to the boundary.
    pub boundary: bool,
}

/// Density and acceleration of a particle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Felt {
    /// Density [kg/m³].
    pub density: f64,
    /// Acceleration [m/s²].
    pub acceleration: [f64; 3],
}

/// Density (1.25), pressure (1.33), viscosity (1.35) and gravity for every particle of the fluid; zero for the boundary.
pub fn forces(
    points: &[Point],
    kernels: Kernels,
    constants: &Constants,
    wall_viscosity: f64,
    grip: Grip,
) -> Vec<Felt> {
    let h = f64::from(constants.h);
    // Kernel and slope without sign.
    let bell = |r: f64| match kernels {
        Kernels::Wendland => f64::from(constants.wendland) * (h - r).powi(4) * (h + 4.0 * r),
        Kernels::Mueller => f64::from(constants.poly6) * (h * h - r * r).powi(3),
    };
    let slope = |r: f64| match kernels {
        Kernels::Wendland => f64::from(constants.slope) * (h - r).powi(3) * r,
        Kernels::Mueller => f64::from(constants.slope) * (h - r).powi(2),
    };
    let cell = |p: [f64; 3]| p.map(|v| (v / h).floor() as i64);
    let mut cells: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    for (i, point) in points.iter().enumerate() {
        cells.entry(cell(point.position)).or_default().push(i);
    }
    let away = |i: usize, j: usize| -> [f64; 3] {
        std::array::from_fn(|axis| points[i].position[axis] - points[j].position[axis])
    };
    let near = |i: usize| {
        let [x, y, z] = cell(points[i].position);
        let around = (0..27).map(move |k| [x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1]);
        let all: Vec<usize> = around.filter_map(|cell| cells.get(&cell)).flatten().copied().collect();
        let reached = |&j: &usize| away(i, j).iter().map(|d| d * d).sum::<f64>() < h * h;
        all.into_iter().filter(reached).collect::<Vec<_>>()
    };
    let lists: Vec<Vec<usize>> =
        (0..points.len()).map(|i| if points[i].boundary { Vec::new() } else { near(i) }).collect();
    let mut felt = vec![Felt::default(); points.len()];
    for (i, list) in lists.iter().enumerate() {
        for &j in list {
            let rr: f64 = away(i, j).iter().map(|d| d * d).sum();
            let share = if points[j].boundary { f64::from(grip.density) } else { 1.0 };
            felt[i].density += share * points[j].mass * bell(rr.sqrt());
        }
    }
    let pressure = |i: usize| f64::from(constants.pressure(felt[i].density as f32));
    let over = |i: usize| pressure(i) / (felt[i].density * felt[i].density);
    let mut accelerations = vec![[0.0; 3]; points.len()];
    for (i, list) in lists.iter().enumerate().filter(|(i, _)| !points[*i].boundary) {
        for &j in list.iter().filter(|&&j| j != i) {
            let d = away(i, j);
            let r = d.iter().map(|d| d * d).sum::<f64>().sqrt();
            let (push, drag) = if points[j].boundary {
                let rest = f64::from(constants.rest_density);
                let volume = f64::from(grip.drag) * points[j].mass / rest;
                let deeper = f64::from(constants.lift).min(0.5 * over(i).max(0.0) / h) * d[2];
                (f64::from(grip.push) * points[j].mass * (over(i) + deeper), wall_viscosity * volume)
            } else {
                let volume = points[j].mass / felt[j].density;
                (points[j].mass * (over(i) + over(j)), f64::from(constants.viscosity) * volume)
            };
            for axis in 0..3 {
                let away = slope(r) * d[axis] / r;
                let laplacian = f64::from(constants.friction) * (h - r);
                let faster = points[j].velocity[axis] - points[i].velocity[axis];
                accelerations[i][axis] += push * away + drag * laplacian * faster / felt[i].density;
            }
        }
        accelerations[i][2] -= f64::from(constants.gravity);
    }
    for (felt, acceleration) in felt.iter_mut().zip(accelerations) {
        felt.acceleration = acceleration;
    }
    felt
}
