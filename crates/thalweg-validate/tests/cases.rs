//! The physics cases, one test each.

use thalweg_test_support::on_threads;
use thalweg_validate::{Check, cases, select};

fn run(name: &str) -> Vec<Check> {
    let chosen = select(&[name.to_owned()]).unwrap();
    assert_eq!(chosen.len(), 1, "{name} names one case");
    chosen[0].run()
}

fn holds(name: &str) {
    let checks = run(name);
    assert!(!checks.is_empty(), "{name} compares nothing");
    let out: Vec<String> = checks.iter().filter(|check| !check.pass).map(ToString::to_string).collect();
    assert!(out.is_empty(), "{} of {} numbers are off:\n{}", out.len(), checks.len(), out.join("\n"));
}

/// One test for each case, and the list of them. Those that take long are run by `cargo xtask test-long`.
macro_rules! tests_of_cases {
    ($($test:ident: $name:literal $($long:ident)?,)*) => {
        const TESTED: &[&str] = &[$($name),*];
        $(#[test]
        $(#[ignore = stringify!($long)])?
        fn $test() {
            holds($name);
        })*
    };
}

tests_of_cases! {
    a_level_lake_stays_level: "pipes/lake-at-rest",
    no_water_is_lost: "pipes/water-budget",
    no_ground_is_lost: "pipes/solids-budget",
    small_waves_run_at_the_speed_of_theory: "pipes/linear-wave",
    a_ring_wave_stays_round: "pipes/ring-wave",
    a_basin_swings_at_its_period_and_in_meis_form_as_far_off_as_is_known: "pipes/seiche",
    a_dam_breaks_over_dry_ground: "pipes/ritter",
    a_dam_breaks_over_wet_ground_as_far_off_as_is_known: "pipes/stoker",
    a_bowl_swings_as_far_off_as_is_known: "pipes/thacker",
    water_is_calm_below_the_limit_and_wild_above: "pipes/stability",
    turned_ground_gives_turned_bits: "pipes/symmetry",
    rain_runs_off_a_slope_as_deep_as_drag_says: "pipes/steady-sheet",
    water_falls_alike_in_all_directions: "pipes/downhill",
    a_storm_erodes_the_same_at_any_time_step: "pipes/time-step",
    high_ground_erodes_like_low_ground: "pipes/high-ground",
    rivers_do_not_know_the_cells: "pipes/resolution" long,
    any_cut_gives_the_same_bits: "pipes/bands",
    kernels_are_what_they_say: "sph/kernels",
    every_particle_feels_just_those_within_h: "sph/neighbours",
    forces_are_those_of_plain_sums: "sph/reference",
    a_free_blob_keeps_its_momentum: "sph/momentum",
    a_column_at_rest_carries_its_weight: "sph/hydrostatic",
    a_pond_on_rough_ground_stays_one: "sph/pond" long,
    pools_are_filled_to_their_level: "sph/pools",
    a_standing_wave_keeps_its_height: "sph/wave" long,
    a_drop_that_is_pulled_long_thins: "sph/drop",
    a_square_that_spins_grows_four_arms: "sph/spinning-square",
    a_column_falls_as_martin_and_moyce_saw: "sph/dam-break",
    a_column_falls_as_koshizuka_and_oka_saw: "sph/koshizuka-oka",
    a_dam_breaks_as_ritter_says: "sph/ritter" long,
    a_dam_breaks_against_a_wall_as_lobovsky_saw: "sph/lobovsky" long,
    a_force_drives_water_between_plates: "sph/poiseuille" long,
    a_plate_drives_water_beside_it: "sph/couette" long,
    sources_give_what_they_promise: "sph/discharge",
    grains_settle_as_richardson_and_zaki_found: "sph/settling" long,
    a_cloud_of_sediment_spreads: "sph/diffusion",
    shear_loosens_what_the_law_says: "sph/erosion-law",
    a_sheet_erodes_the_same_at_any_spacing: "sph/erosion-spacing" long,
    rough_ground_stops_what_falls_on_it: "sph/no-leak",
    a_triangle_changes_the_bed_by_what_it_gains: "sph/triangle-mass",
    no_grain_is_lost_in_a_stream: "sph/ledger",
    a_saved_torrent_goes_on_to_the_same_bits: "sph/resume",
    any_number_of_threads_gives_the_same_torrent: "sph/threads",
    a_column_at_rest_carries_its_weight_by_pcisph: "pcisph/hydrostatic" long,
    a_pond_on_rough_ground_stays_one_by_pcisph: "pcisph/pond" long,
    sources_give_what_they_promise_by_pcisph: "pcisph/discharge" long,
    a_sheet_erodes_the_same_at_any_spacing_by_pcisph: "pcisph/erosion-spacing" long,
    a_standing_wave_keeps_its_height_by_pcisph: "pcisph/wave" long,
    a_drop_that_is_pulled_long_thins_by_pcisph: "pcisph/drop" long,
    a_column_falls_by_pcisph: "pcisph/dam-break" long,
    a_saved_torrent_goes_on_to_the_same_bits_by_pcisph: "pcisph/resume" long,
    any_number_of_threads_gives_the_same_torrent_by_pcisph: "pcisph/threads" long,
    a_column_at_rest_carries_its_weight_by_dfsph: "dfsph/hydrostatic",
    a_pond_on_rough_ground_stays_one_by_dfsph: "dfsph/pond" long,
    sources_give_what_they_promise_by_dfsph: "dfsph/discharge" long,
    a_sheet_erodes_the_same_at_any_spacing_by_dfsph: "dfsph/erosion-spacing" long,
    a_standing_wave_keeps_its_height_by_dfsph: "dfsph/wave",
    a_drop_that_is_pulled_long_thins_by_dfsph: "dfsph/drop" long,
    a_column_falls_by_dfsph: "dfsph/dam-break" long,
    a_saved_torrent_goes_on_to_the_same_bits_by_dfsph: "dfsph/resume" long,
    any_number_of_threads_gives_the_same_torrent_by_dfsph: "dfsph/threads",
    a_steady_river_is_as_steep_as_its_area_says: "stream-power/steady-slope",
    a_steady_river_has_the_profile_of_theory: "stream-power/profile",
    a_lake_fills_to_its_brim: "stream-power/lake",
    a_hill_under_linear_creep_is_a_parabola: "stream-power/linear-creep",
    a_hill_under_nonlinear_creep_is_as_steep_as_roering_says: "stream-power/critical-creep",
    valleys_are_as_far_apart_as_is_asked_for: "stream-power/valley-spacing" long,
    mountains_lose_no_ground: "stream-power/books",
    finer_cells_give_the_same_mountains_as_far_off_as_is_known: "stream-power/resolution" long,
    any_number_of_threads_gives_the_same_mountains: "stream-power/threads",
    a_ball_and_a_ring_have_their_measures: "volume/shapes",
    every_edge_of_any_surface_has_two_triangles: "volume/closed",
    a_changed_surface_is_that_of_the_whole: "volume/update",
    heights_come_back_from_their_volume: "volume/heightfield",
    beds_are_as_thick_as_they_are_said_to_be: "volume/strata",
    any_number_of_threads_gives_the_same_volume: "volume/threads",
    a_pool_on_rough_rock_comes_to_rest: "volume/pool",
    a_pool_on_rough_rock_comes_to_rest_with_pcisph: "volume/pool-pcisph",
    a_pool_on_rough_rock_comes_to_rest_with_dfsph: "volume/pool-dfsph",
    a_pool_of_small_particles_rests_on_rough_rock: "volume/pool-fine" long,
    voxels_erode_as_heights_do: "volume/erosion",
    voxels_erode_as_heights_do_with_pcisph: "volume/erosion-pcisph" long,
    voxels_erode_as_heights_do_with_dfsph: "volume/erosion-dfsph" long,
    voxels_erode_as_heights_do_by_blows: "volume/erosion-blows" long,
    a_jet_wears_rock_whichever_way_it_faces: "volume/jet",
    an_eroding_stream_on_voxels_loses_nothing: "volume/books",
    a_ring_splits_and_keeps_what_it_has: "waves/split",
    the_exact_ring_is_the_one_in_books: "waves/exact-ring",
    layers_of_rings_keep_to_the_wave_equation: "waves/matched-ring",
    a_wall_answers_as_an_image_would: "waves/wall",
    round_pools_bring_waves_together: "waves/pool",
    wakes_are_as_wide_as_mach_and_kelvin_say: "waves/wake",
    a_ring_over_deep_water_comes_apart: "waves/dispersive-ring",
    waves_slow_down_turn_rise_and_break_over_a_beach: "waves/beach",
    waves_go_around_the_end_of_a_mole: "waves/mole",
    any_cut_of_time_gives_the_same_waves: "waves/bits",
    waves_at_a_point_turn_in_their_time: "waves/ocean-dispersion",
    raised_seas_are_as_high_as_pierson_and_moskowitz_say: "waves/ocean-moskowitz",
    seas_by_tessendorf_have_their_variance: "waves/ocean-phillips",
    growing_seas_are_as_high_as_jonswap_says: "waves/ocean-jonswap",
    any_number_of_threads_gives_the_same_sea: "waves/ocean-threads",
    a_box_swings_in_its_time: "waves/body-swing",
    balls_float_as_deep_as_they_should: "waves/body-ball",
    what_a_hull_displaces_is_exact: "waves/body-clipping",
    a_heavy_ball_sinks_at_its_speed: "waves/body-sinking",
    an_undamped_box_swings_on: "waves/body-energy",
    what_a_hull_displaces_goes_out_in_waves: "waves/body-volume",
    a_heaving_box_loses_what_its_waves_carry_away: "waves/body-radiation",
    a_heaving_box_on_waves_loses_what_is_found_in_the_water: "waves/body-radiation-on-waves",
    any_number_of_threads_moves_bodies_alike: "waves/body-threads",
}

#[test]
fn every_case_has_its_test() {
    let names: Vec<&str> = cases().iter().map(|case| case.name).collect();
    assert_eq!(TESTED, names);
}

#[test]
fn any_number_of_threads_measures_the_same_bits() {
    for name in ["pipes/ring-wave", "sph/ledger"] {
        let measured = |threads| {
            let checks = on_threads(threads, || run(name));
            checks.iter().map(|check| check.measured.to_bits()).collect::<Vec<_>>()
        };
        let alone = measured(1);
        assert_eq!(alone, measured(3), "{name} with three threads");
    }
}

/// The keys that `validate --json` promises.
#[test]
fn a_check_is_written_with_the_promised_keys() {
    let check = serde_json::to_value(&run("pipes/symmetry")[0]).unwrap();
    let keys: Vec<&str> = check.as_object().unwrap().keys().map(String::as_str).collect();
    let mut promised = ["case", "quantity", "measured", "expected", "tolerance", "unit", "pass", "source"];
    promised.sort_unstable();
    let mut found = keys;
    found.sort_unstable();
    assert_eq!(found, promised);
    assert_eq!(check["case"], "pipes/symmetry");
}
