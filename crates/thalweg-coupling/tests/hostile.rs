//! Absurd places and absurd ground: refused by name before anything is allocated, or the end of a run with its place.

use thalweg_coupling::{Emitter, Params, ParticleWater, Setting, Shape, StepError};
use thalweg_field::{Edge, Edges, Heightfield, Invalid, Pool};
use thalweg_sph::FluidParams;
use thalweg_test_support::ground;
use thalweg_test_support::particles::{clear, still_water};

/// A tank of 2 m by 2 m with a little water, and memory for a small scene.
fn tank() -> (Heightfield, Setting) {
    let setting = Setting {
        water: vec![still_water([0.2; 2], [0.8; 2], 0.2)],
        max_bytes: Some(1 << 28),
        ..Setting::default()
    };
    (ground(21, 21, 0.1, |_, _| 0.0), setting)
}

fn spout(up: f64) -> Emitter {
    Emitter::new(Shape::Disc { at: [1.0, 1.0, up], radius: 0.1 }, [0.0, 0.0, -1.0])
}

fn refused(ground: &Heightfield, setting: &Setting) -> Invalid {
    let planned = ParticleWater::memory(ground, &clear(), setting).expect_err("the estimate complains");
    let made = ParticleWater::new(ground, &clear(), setting).map(drop).unwrap_err();
    assert_eq!(planned.key, made.key, "the estimate blames something else");
    made
}

#[test]
fn water_far_from_everything_is_refused_by_its_key() {
    let (ground, setting) = tank();
    for far in [1.0e9, -1.0e9, 3.0e5] {
        let emitters = vec![spout(1.0), spout(far)];
        let found = refused(&ground, &Setting { emitters, ..setting.clone() });
        assert_eq!(found.key, "emitter[1].at", "{found}");
        let pool = Pool { bottom: Some(far), ..setting.water[0].clone() };
        let water = vec![setting.water[0].clone(), pool];
        let found = refused(&ground, &Setting { water, ..setting.clone() });
        assert_eq!(found.key, "water[1].bottom", "{found}");
        assert!(found.to_string().contains("too wide for a smoothing radius of 0.11 m"), "{found}");
    }
}

#[test]
fn ground_that_would_need_billions_of_boundary_particles_is_refused() {
    let (_, setting) = tank();
    let steep = ground(21, 21, 0.1, |col, _| 1.0e3 * col as f64);
    let found = ParticleWater::new(&steep, &clear(), &setting).map(drop).unwrap_err();
    assert_eq!(found.key, "fluid.spacing", "{found}");
    assert!(found.to_string().contains("boundary particles"), "{found}");
    let wide = ground(21, 21, 1.0e4, |_, _| 0.0);
    let setting = Setting { water: vec![still_water([6.0e3; 2], [6.0e3 + 0.6; 2], 0.2)], ..setting };
    let found = ParticleWater::new(&wide, &clear(), &setting).map(drop).unwrap_err();
    assert_eq!(found.key, "terrain.cell", "{found}");
}

#[test]
fn boundary_particles_stay_within_the_memory_that_may_be_used() {
    let (ground, setting) = tank();
    let small = Setting { max_bytes: Some(150_000), ..setting.clone() };
    let found = ParticleWater::new(&ground, &clear(), &small).map(drop).unwrap_err();
    assert!(found.to_string().contains("--max-memory"), "{found}");
    ParticleWater::new(&ground, &clear(), &setting).unwrap().advance(20).unwrap();
}

#[test]
fn a_particle_that_flies_out_of_the_world_ends_the_run_with_its_step_and_place() {
    let (ground, setting) = tank();
    let pool = Pool { velocity: [0.0, 0.0, 1.0e7], ..setting.water[0].clone() };
    let fluid = FluidParams { dt: Some(0.01), ..FluidParams::default() };
    let params = Params { fluid, ..clear() };
    for edges in [Edges::all(Edge::Closed), Edges::all(Edge::Open)] {
        let setting = Setting { water: vec![pool.clone()], edges, ..setting.clone() };
        let mut torrent = ParticleWater::new(&ground, &params, &setting).unwrap();
        let error = torrent.advance(100).unwrap_err();
        assert!(matches!(error, StepError::TooWide { step: 1..=9, .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains("step") && text.contains("shorter time step"), "{text}");
    }
}

/// The estimate grows with the space that water is spread over, not only with its particles.
#[test]
fn space_between_waters_is_part_of_the_memory_estimate() {
    let (ground, setting) = tank();
    let bytes = |up: f64| {
        let emitters = vec![spout(up)];
        ParticleWater::memory(&ground, &clear(), &Setting { emitters, ..setting.clone() }).unwrap()
    };
    let (near, far) = (bytes(1.0), bytes(30_000.0));
    assert!(far > near + 1_000_000, "{near} bytes for a spout at 1 m, {far} for one at 30 km");
}

/// Water finds its place in the same way, however often it is asked on the way.
#[test]
fn relaxing_can_be_stopped_and_goes_on_to_the_same_bits() {
    let (ground, setting) = tank();
    let fluid = FluidParams { relax: 30, ..FluidParams::default() };
    let params = Params { fluid, ..clear() };
    let new = || ParticleWater::new(&ground, &params, &setting).unwrap();
    let (mut whole, mut parted, mut asked) = (new(), new(), Vec::new());
    assert!(whole.relax(&mut |_| true).unwrap());
    let stopped = parted.relax(&mut |step| {
        asked.push(step);
        step < 7
    });
    assert_eq!((stopped, &asked[..]), (Ok(false), &[0, 1, 2, 3, 4, 5, 6, 7][..]));
    assert!(parted.relax(&mut |step| step != 20).is_ok_and(|done| !done));
    // The first step takes what is left.
    for torrent in [&mut whole, &mut parted] {
        torrent.advance(10).unwrap();
    }
    assert_eq!(whole.save(), parted.save());
    assert_ne!(new().save(), whole.save());
}
