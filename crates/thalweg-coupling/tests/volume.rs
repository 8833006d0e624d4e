//! Particle water on volumes of rock.

use thalweg_coupling::{Params, ParticleWater, Setting};
use thalweg_field::{Pool, Top};
use thalweg_sph::{FluidParams, PressureSolver};
use thalweg_terrain::volume::Volume;
use thalweg_test_support::particles::{clear, water};

/// Side of the box of rock and side of a voxel `[m]`.
const SIDE: f64 = 1.3;
const VOXEL: f64 = 0.05;

/// A basin with a rough floor, steep sides and an overhang that the water stands under.
fn basin() -> Volume {
    let size = [26, 26, 26];
    Volume::from_depths(size, VOXEL, 0.0, |start, row| {
        for (i, depth) in row.iter_mut().enumerate() {
            let [x, y, z] = [start[0] + VOXEL * i as f64, start[1], start[2]];
            let floor = 0.3 + 0.05 * (14.0 * x).sin() * (11.0 * y).cos() - z;
            let side = (0.25 - x).max(x - SIDE + 0.25).max(0.25 - y).max(y - SIDE + 0.25) * 0.9;
            let ledge = 0.12 - ((z - 0.75).powi(2) + (x - 0.3).powi(2)).sqrt();
            *depth = floor.max(side).max(ledge) as f32;
        }
    })
    .unwrap()
}

fn pool(level: f64) -> Pool {
    let top = Top::Level(level);
    Pool {
        from: [0.0; 2],
        to: [SIDE; 2],
        bottom: None,
        top,
        velocity: [0.0; 3],
        sediment: 0.0,
        lifetime: None,
    }
}

fn params(pressure: PressureSolver) -> Params {
    Params { fluid: FluidParams { spacing: 0.05, pressure, ..FluidParams::default() }, ..clear() }
}

fn still(pressure: PressureSolver) -> ParticleWater {
    let setting = Setting { water: vec![pool(0.95)], ..Setting::default() };
    ParticleWater::new(&basin(), &params(pressure), &setting).unwrap()
}

#[test]
fn a_pool_on_rough_rock_comes_to_rest_under_the_pressure_of_what_is_above() {
    let mut pool = still(PressureSolver::Wcsph);
    let count = pool.particle_count();
    while pool.time() < 4.0 {
        pool.advance(50).unwrap();
        if std::env::var("WATCH").is_ok() {
            println!("{:.3} s: {:?}", pool.time(), state(&pool));
        }
    }
    let (kinetic, misfit, top) = state(&pool);
    assert!(kinetic < 1.0e-4, "{kinetic:e} of the potential energy moves");
    assert!(misfit < 0.03, "pressure is off by {misfit} of that at the bottom");
    assert!((top - 0.95).abs() < 0.02, "the surface is at {top} m");
    assert_eq!(pool.particle_count(), count);
}

/// Kinetic over potential energy, root mean square of the pressure's misfit over that at the bottom, height of the surface `[m]`.
fn state(pool: &ParticleWater) -> (f64, f64, f64) {
    let (fluid, particles) = (pool.fluid(), pool.fluid().particles());
    let mut heights: Vec<f64> = water(pool).map(|at| f64::from(at[2])).collect();
    heights.sort_by(f64::total_cmp);
    let layer = ((SIDE - 0.5) / 0.05).powi(2) as usize;
    let top = heights[heights.len() - layer..].iter().sum::<f64>() / layer as f64 + 0.025;
    let (mut kinetic, mut potential, mut misfit, mut count) = (0.0, 0.0, 0.0, 0.0);
    for i in (0..particles.len()).filter(|&i| !particles.is_boundary(i)) {
        let square = (0..3).map(|axis| f64::from(particles.velocity[axis][i]).powi(2)).sum::<f64>();
        let z = f64::from(particles.position[2][i]);
        kinetic += 0.5 * square;
        potential += 9.81 * (z - 0.25);
        let pressure = f64::from(fluid.pressure_at(fluid.last_density()[i]));
        misfit += (pressure / 9810.0 - (0.95 - z)).powi(2);
        count += 1.0;
    }
    (kinetic / potential, (misfit / count).sqrt() / 0.65, top)
}
