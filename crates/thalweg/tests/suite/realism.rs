//! Real ground has what is wanted of a landscape, and noise has not.

#![cfg(feature = "files")]

use std::path::Path;
use thalweg::field::{Frame, Grid2, Heightfield};
use thalweg::io::{ReadOptions, read_heightfield};
use thalweg::realism::{MEASURES, Sample, Survey, Verdict, complaints, row};
use thalweg::terrain::analysis::{
    BIG_TUJUNGA, Geomorphons, Landform, Realism, compared, histogram, jensen_shannon,
};
use thalweg::terrain::{Recipe, resample};

/// 512 × 512 cells of 30 m of the San Gabriel Mountains, from SRTM.
fn big_tujunga() -> Heightfield {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/tujunga/bigtujunga_512.png");
    read_heightfield(&file, &ReadOptions { cell: Some(30.0), ..Default::default() }).unwrap().field
}

#[test]
fn the_landforms_that_others_are_compared_with_are_those_of_big_tujunga() {
    let measured = histogram(&Geomorphons::default().classify(&big_tujunga())).unwrap();
    for ((landform, kept), found) in Landform::ALL.iter().zip(BIG_TUJUNGA).zip(measured) {
        assert!((kept - found).abs() < 1.0e-12, "{landform:?}: {found}, kept as {kept}");
    }
}

#[test]
fn real_ground_is_as_wanted() {
    let sample = Sample::of("Big Tujunga", &big_tujunga());
    assert_eq!(complaints(&sample), Vec::<String>::new(), "{}", row(&sample));
}

/// Noise that no water has been at. Its slopes face all ways alike, and its concavity is anything: what is found as channels
/// leads through pits hundreds of metres deep.
#[test]
fn noise_is_not() {
    for seed in [1, 4] {
        let noise = Recipe::named("fbm", 10_240.0).unwrap().build(341, 341, 30.0, seed);
        let sample = Sample::of("noise", &noise);
        let outside: Vec<&str> = MEASURES
            .iter()
            .filter(|measure| measure.verdict(&sample) == Verdict::Outside)
            .map(|measure| measure.heading)
            .collect();
        for heading in ["pits %", "Hack", "beta", ">35° %", "JS", "twins %"] {
            assert!(outside.contains(&heading), "{heading} is as wanted on seed {seed}: {}", row(&sample));
        }
    }
}

/// A histogram that looks ten cells far measures the cell size first: compared cell by cell, Big Tujunga interpolated to
/// 10 m is 0.17 away from itself.
#[test]
fn interpolated_ground_is_still_itself() {
    let coarse = big_tujunga();
    let fine = resample(&coarse, 3 * 512, 3 * 512);
    let cell_by_cell = histogram(&Geomorphons::default().classify(&fine)).unwrap();
    let before = jensen_shannon(&BIG_TUJUNGA, &cell_by_cell);
    assert!(before > 0.15, "{before}");

    assert_eq!(compared(&fine).height.cols(), 512);
    let [own, found] = [&coarse, &fine].map(Realism::of);
    let distance = found.geomorphon_distance.unwrap();
    assert!(distance < 0.01, "{distance} from itself");
    // Interpolating and averaging smooths a little.
    for (what, own, found, off) in [
        ("Hack exponent", own.hack_exponent, found.hack_exponent, 0.02),
        ("concavity", own.concavity, found.concavity, 0.03),
        ("area exponent", own.area_exponent, found.area_exponent, 0.02),
        ("axes", own.aspects_near_axes, found.aspects_near_axes, 0.02),
        ("steep share", own.steep_fraction, found.steep_fraction, 0.02),
    ] {
        let (own, found) = (own.unwrap(), found.unwrap());
        assert!((own - found).abs() < off, "{what}: {own} at 30 m, {found} from 10 m");
    }
}

/// Faults that have been seen in made ground are found in real ground that is given them.
#[test]
fn faults_put_into_real_ground_are_found() {
    let outside = |ground: &Heightfield| {
        let sample = Sample::of("spoilt", ground);
        let wrong = MEASURES.iter().filter(|measure| measure.verdict(&sample) == Verdict::Outside);
        wrong.map(|measure| measure.heading).collect::<Vec<_>>()
    };
    let real = big_tujunga();
    let changed = |change: &(dyn Fn(usize, usize, f32) -> f32 + Sync)| Heightfield {
        height: Grid2::from_fn(512, 512, |col, row| change(col, row, real.height.at(col, row))),
        frame: Frame::with_cell(30.0),
    };
    assert_eq!(outside(&changed(&|_, _, z| 1.5 * z)), [">35° %"]);
    let hole = changed(&|col, row, z| {
        if (250..256).contains(&col) && (250..256).contains(&row) { 300.0 } else { z }
    });
    assert_eq!(outside(&hole), ["below m"]);
    let pocked = changed(&|col, row, z| if col % 5 == 0 && row % 5 == 0 { z - 60.0 } else { z });
    assert!(outside(&pocked).contains(&"pits %"), "{:?}", outside(&pocked));
}

/// The demo's landscape, on cells of 20 m: `cargo xtask realism` measures it at full size for many seeds.
#[test]
fn the_demo_is_as_wanted() {
    let made = Survey::new("demo", &[]).unwrap().run(4, 512).unwrap();
    for measure in &MEASURES {
        assert_eq!(measure.verdict(&made.sample), Verdict::Within, "{}: {}", measure.name, row(&made.sample));
    }
}

/// A scene in small: it runs over the same kilometres at both sizes, and they are compared.
#[test]
fn a_scene_is_measured_at_several_sizes() {
    let changes = ["time.steps=5".to_owned(), "time.coarse=[]".to_owned()];
    let survey = Survey::new("demo", &changes).unwrap();
    let mut found = Vec::new();
    survey.run_sizes(3, &[96, 128], &mut |_, made| found.push(made.unwrap().clone()));
    let [small, large] = &found[..] else { panic!("{} landscapes", found.len()) };
    assert!((small.ground.extent()[0] - large.ground.extent()[0]).abs() < 1.0e-6);
    assert!(small.sample.overlap.is_none() && large.sample.overlap.unwrap() > 0.3, "{:?}", large.sample);
    assert!(large.sample.speed_over_fall.unwrap() > 0.0);
    assert!(Survey::new("demo", &[]).unwrap().cols() == 1024);
    assert!(Survey::new("no such scene", &[]).is_err());
}
