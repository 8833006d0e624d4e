//! Particle water on volumes of rock, through its public door.

use thalweg_coupling::{
    Emitter, ErosionParams, Exchanged, Params, ParticleWater, RockBrush, RockTool, Setting, Shape, Solid,
    SolidShape,
};
use thalweg_field::{Pool, Strata, Top};
use thalweg_sph::{BOUNDARY, FluidParams, PressureSolver, SLIP};
use thalweg_terrain::volume::{BedRecipe, StrataRecipe, Volume};
use thalweg_test_support::on_threads;
use thalweg_test_support::particles::{bits, books_close, clear, water};

/// Side of a voxel, and of the box that they make `[m]`.
const VOXEL: f64 = 0.1;
const SIDE: f64 = 1.6;

/// A block of rock with a cave: a chamber, a shaft down into it, and a hollow that nothing leads to.
fn cave() -> Volume {
    let ball = |at: [f64; 3], middle: [f64; 3], radius: f64| {
        (0..3).map(|axis| (at[axis] - middle[axis]).powi(2)).sum::<f64>().sqrt() - radius
    };
    Volume::from_depths([16, 16, 20], VOXEL, 0.0, |start, row| {
        for (i, depth) in row.iter_mut().enumerate() {
            let at = [start[0] + VOXEL * i as f64, start[1], start[2]];
            let chamber = ball(at, [0.8, 0.8, 0.9], 0.6);
            let shaft = if at[2] > 0.9 { ball([at[0], at[1], 0.0], [0.8, 0.8, 0.0], 0.25) } else { 1.0 };
            let hollow = ball(at, [0.3, 0.3, 0.2], 0.15);
            *depth = (1.7 - at[2]).min(chamber).min(shaft).min(hollow) as f32;
        }
    })
    .unwrap()
}

/// The shares of all voxels.
fn shares(volume: &Volume) -> Vec<f32> {
    let mut shares = vec![0.0; volume.size().iter().product()];
    volume.copy_shares([0; 3], volume.size(), &mut shares);
    shares
}

fn pool(bottom: Option<f64>, top: Top) -> Pool {
    Pool { from: [0.0; 2], to: [SIDE; 2], bottom, top, velocity: [0.0; 3], sediment: 0.0, lifetime: None }
}

fn jet(height: f64) -> Emitter {
    Emitter::new(Shape::Disc { at: [0.85, 0.8, height], radius: 0.15 }, [0.5, 0.0, -4.0])
}

fn params(erodes: bool) -> Params {
    let fluid = FluidParams { spacing: 0.08, max_particles: 4000, ..FluidParams::default() };
    let erosion = ErosionParams { enabled: erodes, strength: Some(20.0), ..ErosionParams::default() };
    Params { fluid, erosion, ..clear() }
}

/// A jet that falls down the shaft onto a pool in the chamber, and eats into the rock.
fn torrent() -> ParticleWater {
    torrent_with(PressureSolver::Wcsph, None)
}

/// The same with another way to keep water from being compressed, and with beds of rock.
fn torrent_with(pressure: PressureSolver, strata: Option<Strata>) -> ParticleWater {
    let water = vec![pool(None, Top::Level(0.6))];
    let setting = Setting { water, emitters: vec![jet(1.5)], strata, ..Setting::default() };
    let mut params = params(true);
    params.fluid.pressure = pressure;
    ParticleWater::new(&cave(), &params, &setting).unwrap()
}

#[test]
fn a_pool_fills_the_open_chamber_and_not_the_closed_hollow() {
    let volume = |pool: Pool| {
        let setting = Setting { water: vec![pool], ..Setting::default() };
        let water = ParticleWater::new(&cave(), &params(false), &setting).unwrap();
        assert_eq!(water.buried(), 0);
        water.ledger().water.end
    };
    // The cap of a ball of 0.6 m, 0.3 m deep; a lake to the brim of the hill has the rest and the shaft too.
    let cap = |deep: f64| std::f64::consts::PI * deep * deep * (0.6 - deep / 3.0);
    let found = volume(pool(None, Top::Level(0.6)));
    assert!((found / cap(0.3) - 1.0).abs() < 0.03, "{found} m³, not {}", cap(0.3));
    let below = volume(pool(Some(0.0), Top::Level(0.6)));
    let hollow = 4.0 / 3.0 * std::f64::consts::PI * 0.15f64.powi(3);
    // It is less than four spacings wide: so few fit in that it may hold a third of its volume, or all.
    let more = (below - found) / hollow;
    assert!((0.33..1.1).contains(&more), "{more} of the hollow is full");
}

#[test]
fn water_in_rock_is_refused_with_a_word() {
    let refused = |setting: Setting| ParticleWater::new(&cave(), &params(false), &setting).unwrap_err();
    let buried = refused(Setting { emitters: vec![jet(0.15)], ..Setting::default() });
    assert_eq!(buried.key, "emitter[0].at", "{buried}");
    let dry = pool(None, Top::Level(0.03));
    let dry = refused(Setting { water: vec![dry], ..Setting::default() });
    assert_eq!((dry.key.as_str(), dry.value.as_str()), ("water[0]", "in rock"), "{dry}");
}

/// Erosion deepens the cave under the jet; nothing gets into the rock, and nothing is lost.
#[test]
fn a_jet_eats_into_the_rock_and_nothing_is_lost_or_buried() {
    let mut torrent = torrent();
    let before = torrent.volume().unwrap().rock();
    for _ in 0..20 {
        torrent.advance(40).unwrap();
        assert_eq!(torrent.buried(), 0, "particles in the rock at step {}", torrent.steps_taken());
    }
    books_close(&torrent);
    let lost = before - torrent.volume().unwrap().rock();
    assert!(lost > 1.0e-3, "{lost} m³ of rock are gone");
    assert!(torrent.ledger().solids.suspended > 0.0);
}

#[test]
fn a_saved_run_on_a_volume_goes_on_to_the_same_bits() {
    let mut first = torrent();
    first.advance(150).unwrap();
    for steps in [1, 6, 1] {
        first.advance(steps).unwrap();
        let saved = first.save();
        let mut second = torrent();
        second.advance(30).unwrap();
        second.restore(&saved).unwrap();
        assert!(bits(&saved) == bits(&second.save()), "step {} is not taken up as it was", saved.step);
        first.advance(20).unwrap();
        second.advance(20).unwrap();
        assert!(
            bits(&first.save()) == bits(&second.save()),
            "saved at step {} it went elsewhere",
            saved.step
        );
    }
}

/// Iterations that stop by an error in density stop at the same one.
#[test]
fn incompressible_water_on_a_volume_goes_the_same_way_on_any_threads_and_from_a_file() {
    for pressure in [PressureSolver::Pcisph, PressureSolver::Dfsph] {
        let run = |threads: usize| {
            on_threads(threads, || {
                let mut water = torrent_with(pressure, None);
                water.advance(60).unwrap();
                water
            })
        };
        let (mut first, other) = (run(1), run(3));
        let saved = first.save();
        assert!(bits(&saved) == bits(&other.save()), "{pressure:?} goes elsewhere on three threads");
        let mut second = torrent_with(pressure, None);
        second.advance(7).unwrap();
        second.restore(&saved).unwrap();
        first.advance(20).unwrap();
        second.advance(20).unwrap();
        assert!(bits(&first.save()) == bits(&second.save()), "{pressure:?} is not taken up as it was");
    }
}

/// One bed through and through: the excess over its critical stress is all that wears it.
#[test]
fn harder_beds_wear_less_and_the_hardest_not_at_all() {
    let lost = |hardness: f64| {
        let bed = BedRecipe { hardness, ..BedRecipe::default() };
        let strata = StrataRecipe { beds: vec![bed], ..StrataRecipe::default() }.build(1);
        let mut water = torrent_with(PressureSolver::Wcsph, Some(strata));
        water.advance(300).unwrap();
        water.ledger().solids.eroded
    };
    let [soft, hard, hardest] = [0.0, 0.6, 1.0].map(lost);
    assert!(soft > 1.0e-3 && hard < 0.8 * soft, "{hard} m³ of hard rock and {soft} m³ of soft rock went");
    assert_eq!(hardest, 0.0);
}

/// A block that stands in the pool of a cave: water goes around it and not in.
#[test]
fn water_in_a_cave_goes_around_an_obstacle() {
    let (from, to) = ([0.65, 0.65, 0.3], [0.95, 0.95, 0.75]);
    let solid = Solid { shape: SolidShape::Box { from, to, turn: 0.0 }, opens: None, lift: None };
    let setting =
        Setting { water: vec![pool(None, Top::Level(0.7))], solids: vec![solid], ..Setting::default() };
    let mut still = ParticleWater::new(&cave(), &params(false), &setting).unwrap();
    let count = still.particle_count();
    assert!(count > 200, "{count} particles");
    still.advance(200).unwrap();
    let inside =
        |place: &[f32; 3]| (0..3).all(|n| (from[n] + 1.0e-4..to[n] - 1.0e-4).contains(&f64::from(place[n])));
    assert_eq!(water(&still).filter(inside).count(), 0);
    assert_eq!((still.particle_count(), still.buried()), (count, 0));
}

#[test]
fn painted_rock_holds_water_up_and_is_taken_back_to_the_same_bits() {
    let mut torrent = torrent();
    torrent.advance(40).unwrap();
    let before = torrent.volume().unwrap().clone();
    let brush = RockBrush { tool: RockTool::Add, along: vec![[0.8, 0.8, 1.2]], radius: 0.5, share: 1.0 };
    let patch = torrent.brush_rock(&brush).unwrap();
    assert!(torrent.volume().unwrap().rock() > before.rock() + 0.05);
    assert_eq!(torrent.buried(), 0);
    books_close(&torrent);
    torrent.paint_rock(&patch.inverse()).unwrap();
    assert!(shares(torrent.volume().unwrap()) == shares(&before), "the rock is not what it was");
    books_close(&torrent);
}

/// Also what lies as near to the rock as it comes.
#[test]
fn all_water_that_was_scooped_comes_back_at_once() {
    let mut torrent = torrent();
    for _ in 0..8 {
        torrent.advance(25).unwrap();
        let count = torrent.particle_count();
        let went = torrent.scoop(|at| at[0] > 0.6).unwrap().went;
        assert!(went.len() > 100, "only {} of {count} particles went", went.len());
        let scooped = went.len();
        let back = torrent.exchange(Exchanged { came: went, went: Vec::new() }).unwrap().came.len();
        assert_eq!(back, scooped, "came back at step {}", torrent.steps_taken());
    }
}

#[test]
fn every_pressure_solver_keeps_a_pool_in_its_cave() {
    for pressure in [PressureSolver::Wcsph, PressureSolver::Pcisph, PressureSolver::Dfsph] {
        let mut params = params(false);
        (params.fluid.pressure, params.fluid.relax) = (pressure, 50);
        let setting = Setting { water: vec![pool(None, Top::Level(0.8))], ..Setting::default() };
        let mut still = ParticleWater::new(&cave(), &params, &setting).unwrap();
        let count = still.particle_count();
        while still.time() < 0.5 {
            still.advance(4).unwrap();
        }
        let top = water(&still).map(|at| at[2]).fold(0.0, f32::max);
        assert!((0.7..0.86).contains(&top), "{pressure:?}: the topmost particle is at {top} m");
        assert_eq!((still.particle_count(), still.buried()), (count, 0), "{pressure:?}");
    }
}

/// However thin rock is, particles stand for it that water touches and wears: as many as for a thick block.
#[test]
fn a_sheet_thinner_than_a_spacing_has_its_boundary_particles() {
    for thick in [0.03, 0.06, 0.078, 0.3] {
        let sheet = Volume::from_depths([16, 16, 20], VOXEL, 0.0, |start, row| {
            // Around the middles of voxels; between them the thinnest would not be there.
            row.fill((0.5 * thick - (start[2] - 0.85).abs()) as f32);
        });
        let setting = Setting { water: vec![pool(Some(1.0), Top::Level(1.3))], ..Setting::default() };
        let mut water = ParticleWater::new(&sheet.unwrap(), &params(false), &setting).unwrap();
        water.advance(1).unwrap();
        let particles = water.fluid().particles();
        let touches = |i: &usize| {
            let [x, y, z] = [0, 1, 2].map(|axis: usize| f64::from(particles.position[axis][*i]));
            let upper = z > 0.84 && z < 1.0;
            particles.tag[*i] & (BOUNDARY | SLIP) == BOUNDARY && upper && x.min(y) > 0.16 && x.max(y) < 1.44
        };
        let count = (0..particles.len()).filter(touches).count();
        // Sixteen spacings wide; of a thin sheet some stand for its lower side.
        assert!((240..600).contains(&count), "{count} particles below {thick} m of rock");
    }
}
