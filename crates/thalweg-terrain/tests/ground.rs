//! Behaviour of recipes and measures through the public interface.

use thalweg_field::{Frame, Grid2, Heightfield};
use thalweg_terrain::analysis::{Measures, Statistics};
use thalweg_terrain::{Recipe, kinds};
use thalweg_test_support::on_threads;

#[test]
fn every_kind_builds_ground_worth_looking_at() {
    for (name, _) in kinds() {
        let recipe = Recipe::named(name, 6000.0).unwrap();
        recipe.validated().unwrap();
        let ground = recipe.build(96, 64, 62.5, 11);
        assert!(ground.height.values().iter().all(|z| z.is_finite()), "{name} is not finite everywhere");
        let (low, high) = ground.height.range().unwrap();
        assert!(high - low > 1.0, "{name} rises by {} m only", high - low);
        assert!(high - low < 3000.0, "{name} rises by {} m over 6 km", high - low);
    }
    assert_eq!(Recipe::named("marble", 6000.0), None);
}

#[test]
fn one_and_many_threads_build_the_same_bits() {
    for (name, _) in kinds() {
        let recipe = Recipe::named(name, 6000.0).unwrap();
        let build = || recipe.build(80, 70, 75.0, 3);
        assert_eq!(on_threads(1, build), on_threads(7, build), "{name}");
    }
    let ground = Recipe::default().build(80, 70, 125.0, 3);
    let measure = || Statistics::of(&ground, &Measures::default());
    assert_eq!(on_threads(1, measure), on_threads(7, measure));
}

/// Cells a third as wide have every third centre in common with the wide ones.
#[test]
fn finer_cells_show_the_same_hills() {
    for (name, _) in kinds() {
        let recipe = Recipe::named(name, 6000.0).unwrap();
        let (coarse, fine) = (recipe.build(60, 40, 90.0, 5), recipe.build(180, 120, 30.0, 5));
        for row in 0..40 {
            for col in 0..60 {
                let off = coarse.height.at(col, row) - fine.height.at(3 * col + 1, 3 * row + 1);
                // Places agree to the last bits of f64, heights to those of f32.
                assert!(off.abs() <= 1.0e-3, "{name} differs by {off} m at column {col}, row {row}");
            }
        }
    }
}

#[test]
fn another_seed_makes_other_ground() {
    let recipe = Recipe::default();
    assert_ne!(recipe.build(32, 32, 300.0, 1), recipe.build(32, 32, 300.0, 2));
}

#[test]
fn north_is_the_first_row_and_east_the_last_column() {
    let rising = |direction: &str| {
        let recipe: Recipe =
            toml::from_str(&format!("[[layer]]\nkind = 'ramp'\ngrade = '10 %'\ndirection = '{direction}'"))
                .unwrap();
        let height = recipe.build(8, 8, 10.0, 0).height;
        [height.at(4, 0) - height.at(4, 7), height.at(7, 4) - height.at(0, 4)]
    };
    let close = |[a, b]: [f32; 2], [c, d]: [f32; 2]| (a - c).abs() < 1.0e-4 && (b - d).abs() < 1.0e-4;
    assert!(close(rising("0 deg"), [7.0, 0.0]), "{:?}", rising("0 deg"));
    assert!(close(rising("90 deg"), [0.0, 7.0]), "{:?}", rising("90 deg"));
    assert!(close(rising("180 deg"), [-7.0, 0.0]), "{:?}", rising("180 deg"));
}

#[test]
fn an_island_has_sea_at_all_its_edges() {
    let ground = Recipe::named("island", 8000.0).unwrap().build(64, 64, 125.0, 9);
    for i in 0..64 {
        for (col, row) in [(i, 0), (i, 63), (0, i), (63, i)] {
            assert!(ground.height.at(col, row) < 0.0, "land at column {col}, row {row}");
        }
    }
    assert!(ground.height.range().unwrap().1 > 300.0);
}

#[test]
fn odd_grids_have_statistics_without_nan() {
    let with = |cols, rows, height: f32| Heightfield {
        height: Grid2::filled(cols, rows, height),
        frame: Frame::with_cell(30.0),
    };
    for (cols, rows) in [(0, 0), (1, 1), (1, 40), (40, 1), (2, 2), (40, 40)] {
        for height in [0.0, 1234.5, f32::NAN] {
            let statistics = Statistics::of(&with(cols, rows, height), &Measures::default());
            let text = toml::to_string(&statistics).unwrap();
            assert!(!text.contains("nan") && !text.contains("inf"), "{cols} × {rows} of {height}:\n{text}");
        }
    }
    let level = Statistics::of(&with(40, 40, 7.0), &Measures::default());
    assert_eq!((level.pit_fraction, level.slope_max_deg), (Some(0.0), Some(0.0)));
    assert_eq!((level.hypsometric_integral, level.concavity), (None, None));
}

/// Water has not been at work on pure noise: it is full of hollows.
#[test]
fn noise_has_many_pits_and_a_cone_has_none() {
    let pits = |name: &str| {
        let ground = Recipe::named(name, 8000.0).unwrap().build(128, 128, 62.5, 2);
        Statistics::of(&ground, &Measures::default()).pit_fraction.unwrap()
    };
    assert!(pits("fbm") > 0.1, "{}", pits("fbm"));
    assert_eq!(pits("cone"), 0.0);
}
