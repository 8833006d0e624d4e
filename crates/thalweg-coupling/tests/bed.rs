//! The bed under a torrent: boundary particles where water is, hard ground, slopes that slip.

use thalweg_coupling::{Bed, BedParams, ErosionParams, Params, ParticleWater, Patches, Setting, Triangle};
use thalweg_field::{Grid2, Pool, Top};
use thalweg_sph::{BOUNDARY, FluidParams, SLIP};
use thalweg_test_support::ground;
use thalweg_test_support::particles::{books_close, clear, still_water, water};

/// Where the boundary particles of the bed are, without those of the walls `[m]`.
fn boundary_particles(torrent: &ParticleWater) -> Vec<[f32; 3]> {
    let particles = torrent.fluid().particles();
    (0..particles.len())
        .filter(|&i| particles.tag[i] & (BOUNDARY | SLIP) == BOUNDARY)
        .map(|i| particles.get(i).position)
        .collect()
}

/// A pool in a corner of wide, slippery ground, thrown towards the other end.
#[test]
fn boundary_particles_are_only_where_water_is() {
    let params =
        Params { bed: BedParams { friction: Some(0.0), roughness: 0.0, ..BedParams::default() }, ..clear() };
    let ground = ground(81, 41, 0.1, |_, _| 0.0);
    let pool = Pool { velocity: [4.0, 2.0, 0.0], ..still_water([0.05; 2], [0.55; 2], 0.1) };
    let setting = Setting { water: vec![pool], ..Setting::default() };
    let mut torrent = ParticleWater::new(&ground, &params, &setting).unwrap();
    let patches = Patches::new(torrent.bed(), params.bed_spacing());
    let mut whole = 0;
    for triangle in 0..torrent.bed().triangles() as Triangle {
        patches.sample(torrent.bed(), triangle, |_| whole += 1);
    }
    // A tile is 2h wide, and is claimed from h away and from as far as water goes until the next look: eight steps of
    // about a millisecond at some 8 m/s. By then it may have gone as far the other way.
    let (h, travel) = (0.11, 0.08);
    let far = 2.0 * h + h + 2.0 * travel;
    let old_place = |at: &&[f32; 3]| at[0] < 0.55 && at[1] < 0.55;
    for (steps, at_old_place) in [(1, true), (600, false), (300, false)] {
        torrent.advance(steps).unwrap();
        let (seeds, step) = (boundary_particles(&torrent), torrent.steps_taken());
        let places: Vec<_> = water(&torrent).collect();
        let apart = |a: [f32; 3], b: [f32; 3]| (a[0] - b[0]).abs().max((a[1] - b[1]).abs());
        let nearest =
            |seed: &[f32; 3]| places.iter().map(|&at| apart(at, *seed)).fold(f32::INFINITY, f32::min);
        let farthest = seeds.iter().map(nearest).fold(0.0, f32::max);
        assert!(farthest <= far, "step {step}: a boundary particle is {farthest} m from all water");
        let share = seeds.len() as f64 / f64::from(whole);
        assert!(share > 0.0 && share < 0.5, "step {step}: {share} of the ground is seeded");
        let left = seeds.iter().filter(old_place).count();
        assert_eq!(left > 0, at_old_place, "step {step}: {left} boundary particles where water was");
        // And below all water that is near the ground.
        let low = places.iter().filter(|at| at[2] < h);
        let bare = low.filter(|&at| !seeds.iter().any(|seed| apart(*at, *seed) < 0.05)).count();
        assert_eq!(bare, 0, "step {step}: particles above bare ground");
    }
}

/// Eqs. 1.52, 1.53: the bed's drag is proportional to its friction.
#[test]
fn twice_the_friction_slows_water_twice_as_much() {
    let slowed_by = |friction: f64| {
        let bed = BedParams { friction: Some(friction), roughness: 0.0, ..BedParams::default() };
        let pool = Pool { velocity: [1.0, 0.0, 0.0], ..still_water([0.45; 2], [1.45; 2], 0.1) };
        let setting = Setting { water: vec![pool], ..Setting::default() };
        let ground = ground(31, 20, 0.1, |_, _| 0.0);
        let mut torrent = ParticleWater::new(&ground, &Params { bed, ..clear() }, &setting).unwrap();
        torrent.advance(8).unwrap();
        let particles = torrent.fluid().particles();
        let water = (0..particles.len()).filter(|&i| !particles.is_boundary(i));
        let lost: f64 = water.map(|i| 1.0 - f64::from(particles.velocity[0][i])).sum();
        lost / torrent.fluid().len() as f64
    };
    let [none, one, two] = [0.0, 1.0, 2.0].map(slowed_by);
    assert!(none.abs() < 1.0e-3 && one > 0.001, "slowed by {none} m/s without friction, by {one} with it");
    let ratio = (two - none) / (one - none);
    assert!((ratio - 2.0).abs() < 0.1, "{ratio} times as much: {none}, {one}, {two} m/s");
}

/// Water that runs down a slope evenly, over ground of some hardness by row from the north.
fn worn(hardness: impl Fn(usize) -> f32 + Sync) -> ParticleWater {
    let (cols, rows) = (16, 13);
    let ground = ground(cols, rows, 0.1, |col, _| 0.02 * (cols - col) as f64);
    let pool = Pool { velocity: [2.0, 0.0, 0.0], ..still_water([0.05; 2], [0.65, 1.25], 0.1) };
    let hardness = Some(Grid2::from_fn(cols, rows, |_, row| hardness(row)));
    let setting = Setting { water: vec![pool], hardness, ..Setting::default() };
    let erosion = ErosionParams {
        critical_shear: Some(1.0),
        hard_shear: 5.0,
        strength: Some(0.1),
        talus: false,
        ..ErosionParams::default()
    };
    let params = Params { erosion, ..Params::default() };
    let mut torrent = ParticleWater::new(&ground, &params, &setting).unwrap();
    torrent.advance(200).unwrap();
    books_close(&torrent);
    torrent
}

#[test]
fn hard_ground_in_the_north_stays_while_soft_ground_in_the_south_wears_away() {
    let torrent = worn(|row| if row <= 6 { 1.0 } else { 0.0 });
    let [cols, _] = torrent.bed().size;
    // Rows are counted from the south here; those in between belong to triangles of both kinds.
    let lowest = |rows: std::ops::Range<usize>| {
        let change = &torrent.bed().change()[rows.start * cols..rows.end * cols];
        change.iter().fold(f64::INFINITY, |low, &v| low.min(v))
    };
    let (soft, hard) = (lowest(0..5), lowest(8..13));
    assert!(soft < -1.0e-5, "soft ground changed by {soft:e} m");
    assert!(hard >= 0.0, "hard ground changed by {hard:e} m, soft ground by {soft:e} m");
}

#[test]
fn the_harder_the_ground_the_less_wears_away() {
    let [soft, medium, hard] = [0.0, 0.5, 1.0].map(|hardness| worn(|_| hardness).ledger().solids.eroded);
    assert!(soft > 1.0e-6 && medium > 0.0, "eroded {soft:e} and {medium:e} m³");
    // Half as much for the hardness itself, and less for the higher threshold.
    assert!(medium < 0.5 * soft, "eroded {medium:e} m³ of half-hard ground, {soft:e} of soft ground");
    assert_eq!(hard, 0.0, "eroded m³ of the hardest ground");
}

/// The steepest slope between neighbouring vertices, across corners too `[rad]`.
fn steepest(torrent: &ParticleWater) -> f64 {
    let bed = torrent.bed();
    let [cols, rows] = bed.size;
    let mut most = 0.0f64;
    for (at, other) in (0..cols * rows).flat_map(|a| (0..a).map(move |b| (a, b))) {
        let [a, b] = [at, other].map(|v| [v % cols, v / cols]);
        let away = [0, 1].map(|axis: usize| a[axis].abs_diff(b[axis]) as f64);
        if away[0].max(away[1]) == 1.0 {
            let drop = (bed.exact_height(at) - bed.exact_height(other)).abs();
            most = most.max(drop / (bed.cell * away[0].hypot(away[1])));
        }
    }
    most.atan()
}

/// A ridge of 72 degrees from wall to wall under muddy water, which leaves a little everywhere.
#[test]
fn deposits_let_a_ridge_slip_to_the_angle_of_repose() {
    let after = |talus: bool, repose: f64, [cols, rows]: [usize; 2]| {
        let along = |col: usize, row: usize| if cols > rows { col } else { row };
        let ground = ground(cols, rows, 0.1, |col, row| if along(col, row) == 7 { 0.3 } else { 0.0 });
        let erosion =
            ErosionParams { still: true, every: 1, talus, repose: Some(repose), ..ErosionParams::default() };
        let pool = Pool { top: Top::Level(0.4), sediment: 0.01, ..still_water([0.0; 2], [1.5; 2], 0.0) };
        let setting = Setting { water: vec![pool], ..Setting::default() };
        let fluid = FluidParams { spacing: 0.1, ..FluidParams::default() };
        let params = Params { fluid, erosion, ..Params::default() };
        let mut torrent = ParticleWater::new(&ground, &params, &setting).unwrap();
        torrent.advance(1000).unwrap();
        books_close(&torrent);
        let grains = torrent.ledger().solids.bed_end - torrent.ledger().solids.bed_start;
        assert!(grains > 0.0, "nothing was deposited");
        steepest(&torrent)
    };
    for (degrees, size) in [(25.0_f64, [15, 4]), (35.0, [4, 15]), (50.0, [15, 4])] {
        let repose = degrees.to_radians();
        let found = after(true, repose, size);
        assert!((0.98..1.01).contains(&(found / repose)), "the ridge stands at {found} rad, not {repose}");
    }
    let kept = after(false, 0.6, [15, 4]);
    assert!((kept - 3.0_f64.atan()).abs() < 0.01, "without slipping the ridge stands at {kept} rad");
}

/// Patches cover the bed once, and their particles stand for its area; where cells are small they share particles.
#[test]
fn boundary_particles_are_as_far_apart_as_asked_on_cells_of_any_size() {
    let (cell, slope) = (0.1, 0.3);
    for spacing in [0.03, 0.1, 0.13, 0.2, 0.3, 0.55] {
        let bed = Bed::new(&ground(38, 26, cell, |col, _| slope * cell * col as f64));
        let patches = Patches::new(&bed, spacing);
        let [wide, deep] = bed.cells();
        let mut met = vec![0; bed.triangles()];
        let (mut count, mut area) = (0, 0.0);
        for patch in patches.within(&bed, [[0, wide], [0, deep]]) {
            patches.triangles(&bed, patch).for_each(|triangle| met[triangle as usize] += 1);
            let before = count;
            patches.sample(&bed, patch, |at| {
                count += 1;
                let below = f64::from(bed.below(at[0] as f32, at[1] as f32).1);
                assert!((at[2] - below).abs() < 1.0e-5, "{at:?} is not on the bed");
            });
            area += f64::from(patches.area_each(&bed, patch)) * f64::from(count - before);
        }
        assert!(met.iter().all(|&n| n == 1), "{spacing}: triangles belong to {met:?} patches");
        let true_area = (wide * deep) as f64 * cell * cell * (1.0f64 + slope * slope).sqrt();
        assert!((area / true_area - 1.0).abs() < 1.0e-5, "{spacing}: {area} m² of {true_area} m²");
        let each = (true_area / f64::from(count)).sqrt() / spacing;
        assert!((0.6..1.25).contains(&each), "{spacing}: particles are {each} spacings apart");
    }
}

/// The same stream over the same ground, drawn with cells larger and smaller than the spacing.
#[test]
fn erosion_does_not_depend_on_the_cells_of_the_terrain() {
    let eroded = |cells: usize| {
        let cell = 1.2 / cells as f64;
        let erosion =
            ErosionParams { critical_shear: Some(0.5), strength: Some(1.0), ..ErosionParams::default() };
        let params = Params { erosion, ..Params::default() };
        let ground = ground(cells + 1, cells + 1, cell, |_, _| 0.0);
        let pool =
            Pool { velocity: [1.0, 0.0, 0.0], ..still_water([0.5 * cell; 2], [0.5 * cell + 1.2; 2], 0.2) };
        let setting = Setting { water: vec![pool], ..Setting::default() };
        let mut torrent = ParticleWater::new(&ground, &params, &setting).unwrap();
        torrent.advance(120).unwrap();
        let ledger = torrent.ledger();
        assert!(ledger.solids.imbalance() < 1.0e-12, "{ledger:?}");
        ledger.solids.eroded
    };
    let [coarse, even, fine, finest] = [12, 24, 36, 48].map(eroded);
    for (name, other) in [("even", even), ("fine", fine), ("finest", finest)] {
        let ratio = other / coarse;
        println!("{name}: {ratio}");
        assert!((ratio - 1.0).abs() < 0.05, "{name}: {ratio} of what coarse cells lose");
    }
}
