//! What a torrent asks of the memory, counted on the one thread that it runs on.

use allocation_counter::measure;
use thalweg_coupling::{ErosionParams, Params, ParticleWater, Setting};
use thalweg_field::{Heightfield, Pool};
use thalweg_sph::{FluidParams, PressureSolver};
use thalweg_terrain::volume::Volume;
use thalweg_test_support::particles::{clear, still_water};
use thalweg_test_support::{ground, on_threads};

/// A tank full of water that moves to and fro: twice as many particles as cells along each side.
fn tank(params: &Params, cells: [usize; 2], depth: f64) -> (Heightfield, Setting) {
    let end = cells.map(|n| 0.1 * n as f64 + 0.05);
    let sediment = if params.erosion.enabled { 0.02 } else { 0.0 };
    let pool = Pool { velocity: [0.5, 0.2, 0.0], sediment, ..still_water([0.05; 2], end, depth) };
    let setting = Setting { water: vec![pool], ..Setting::default() };
    (ground(cells[0] + 1, cells[1] + 1, 0.1, |_, _| 0.0), setting)
}

fn eroding() -> Params {
    let erosion = ErosionParams { strength: Some(0.1), ..ErosionParams::default() };
    Params { erosion, ..Params::default() }
}

/// Clear and eroding water of every solver.
fn waters() -> impl Iterator<Item = Params> {
    let solvers = [PressureSolver::Wcsph, PressureSolver::Pcisph, PressureSolver::Dfsph];
    solvers.into_iter().flat_map(|pressure| {
        let fluid = FluidParams { pressure, ..FluidParams::default() };
        [clear(), eroding()].map(|params| Params { fluid: fluid.clone(), ..params })
    })
}

/// By then the highest wave has passed, and the bed has been seeded anew many times.
#[test]
fn a_step_allocates_nothing_once_buffers_have_their_size() {
    for params in waters() {
        let (erosion, pressure) = (params.erosion.enabled, params.fluid.pressure);
        let (first, later) = on_threads(1, || {
            let (ground, setting) = tank(&params, [12, 8], 0.2);
            let mut torrent = ParticleWater::new(&ground, &params, &setting).unwrap();
            let [first, later] = [1200, 200].map(|steps| {
                measure(|| {
                    torrent.advance(steps).unwrap();
                })
            });
            assert!(!erosion || torrent.ledger().solids.eroded > 0.0, "nothing was eroded");
            (first, later)
        });
        assert!(first.count_total > 10, "nothing is counted: {first:?}");
        assert_eq!(
            later.count_total, 0,
            "allocations in 200 steps, {pressure:?}, erosion: {erosion}; {later:?}"
        );
    }
}

/// On a volume as over heights: the same tank in a block of rock, whose floor is eroded, laid down upon, made even and searched for crumbs.
#[test]
fn a_step_on_a_volume_allocates_nothing_once_buffers_have_their_size() {
    for params in [clear(), eroding()] {
        let erosion = params.erosion.enabled;
        let (first, later) = on_threads(1, || {
            let (ground, setting) = tank(&params, [12, 8], 0.2);
            let rock = Volume::from_heightfield(&ground, -0.6, 12).unwrap();
            let mut torrent = ParticleWater::new(&rock, &params, &setting).unwrap();
            let [first, later] = [600, 300].map(|steps| {
                measure(|| {
                    torrent.advance(steps).unwrap();
                })
            });
            assert!(!erosion || torrent.ledger().solids.eroded > 0.0, "nothing was eroded");
            (first, later)
        });
        assert!(first.count_total > 10, "nothing is counted: {first:?}");
        assert_eq!(later.count_total, 0, "allocations in 300 steps, erosion: {erosion}; {later:?}");
    }
}

/// Some 50 000 particles of water and what bounds them, after a few looks at the bed.
#[test]
fn a_particle_takes_no_more_memory_than_promised() {
    for params in waters() {
        let most = if params.erosion.enabled { 240.0 } else { 160.0 };
        let (ground, setting) = tank(&params, [20, 20], 1.6);
        let (used, count) = on_threads(1, || {
            let mut torrent = None;
            let used = measure(|| {
                let torrent = torrent.insert(ParticleWater::new(&ground, &params, &setting).unwrap());
                torrent.advance(30).unwrap();
            });
            (used.bytes_current, torrent.map_or(0, |torrent| torrent.fluid().particles().len()))
        });
        assert!(count > 50_000, "{count} particles");
        let erosion = params.erosion.enabled;
        let planned = ParticleWater::memory(&ground, &params, &setting).unwrap();
        assert!(
            used < planned as i64,
            "{used} bytes are used, {planned} are planned for, erosion: {erosion}"
        );
        let bytes = used as f64 / count as f64;
        assert!(
            bytes < most,
            "{bytes:.1} bytes for each of {count} particles, {:?}, erosion: {erosion}",
            params.fluid.pressure
        );
    }
}
