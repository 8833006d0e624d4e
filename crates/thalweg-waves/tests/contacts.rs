//! Bodies that touch, through the public API.
#![cfg(feature = "contacts")]

use std::f64::consts::FRAC_PI_2;
use thalweg_waves::{BodyParams, Fleet, HullForm, Sea, WaterPoint, WaterSurface};

struct Calm;

impl WaterSurface for Calm {
    fn at(&self, _: [f64; 2]) -> WaterPoint {
        WaterPoint::default()
    }
}

fn bare() -> BodyParams {
    BodyParams { drag: 0.0, lift: 0.0, waves: 0.0, added_mass: [0.0; 3], ..BodyParams::of(HullForm::Box) }
}

fn fleet(bodies: &[BodyParams], walls: Vec<[[f64; 2]; 2]>) -> Fleet {
    let mut fleet = Fleet::new(Sea::default()).unwrap().within(None, &walls);
    for body in bodies {
        fleet.add(body, None).unwrap();
    }
    fleet
}

/// Forces held over several small steps made a box swing twenty times as far in half a minute.
#[test]
fn the_contact_library_pumps_no_energy_into_a_swing() {
    let swinging = BodyParams { at: [0.0, 0.0, 0.03], ..bare() };
    let near = BodyParams { at: [0.0, 1.6, 0.0], held: true, ..bare() };
    let mut fleet = fleet(&[swinging, near], Vec::new());
    let (mut high, mut crossings, mut before) = (0.0_f64, 0, 1.0);
    for step in 0..1800 {
        fleet.step(1.0 / 60.0, &Calm).unwrap();
        let off = fleet.motion(0).place[2] + 0.05;
        if step >= 1500 {
            high = high.max(off.abs());
        }
        crossings += i32::from(before < 0.0 && off >= 0.0);
        before = off;
    }
    assert!((high / 0.03 - 1.0).abs() < 0.06, "0.03 m became {high} m in 30 s");
    assert_eq!(crossings, 27, "periods of 1.0988 s in 30 s");
}

#[test]
fn boxes_that_meet_stay_apart_and_keep_their_momentum() {
    let one = BodyParams { velocity: [1.0, 0.0, 0.0], ..bare() };
    let other = BodyParams { at: [3.0, 0.0, 0.0], ..bare() };
    let mut fleet = fleet(&[one, other], Vec::new());
    for _ in 0..300 {
        fleet.step(1.0 / 60.0, &Calm).unwrap();
        let gap = fleet.motion(1).place[0] - fleet.motion(0).place[0];
        assert!(gap > 1.97, "they are {gap} m apart, and 2 m long");
    }
    let momentum: f64 = (0..2).map(|n| fleet.motion(n).velocity[0]).sum();
    assert!((momentum - 1.0).abs() < 1.0e-6, "1 m/s became {momentum} m/s for both");
    assert!(fleet.motion(1).velocity[0] > 0.45, "the other one goes at {} m/s", fleet.motion(1).velocity[0]);
}

#[test]
fn a_wall_stops_a_box() {
    let body = BodyParams { velocity: [1.5, 0.3, 0.0], ..bare() };
    let mut fleet = fleet(&[body], vec![[[4.0, -20.0], [4.0, 20.0]]]);
    for _ in 0..600 {
        fleet.step(1.0 / 60.0, &Calm).unwrap();
    }
    let place = fleet.motion(0).place;
    assert!(place[0] < 3.3, "its middle is at {} m, the wall at 4 m", place[0]);
    assert!((place[2] + 0.05).abs() < 0.2, "it floats at {} m", place[2]);
}

#[test]
fn contacts_go_on_from_a_saved_state_to_the_same_bits() {
    let start = || {
        let one = BodyParams { velocity: [1.0, 0.1, 0.0], waves: 1.0, ..bare() };
        let other = BodyParams { at: [2.3, 0.2, 0.0], heading: FRAC_PI_2 - 0.3, ..bare() };
        fleet(&[one, other], vec![[[5.0, -20.0], [5.0, 20.0]]])
    };
    let go = |fleet: &mut Fleet, steps: usize| {
        (0..steps).for_each(|_| drop(fleet.step(1.0 / 60.0, &Calm).unwrap()));
    };
    let bits = |fleet: &Fleet| fleet.save().bodies.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let mut whole = start();
    go(&mut whole, 25);
    let mut resumed = start();
    resumed.load(&whole.save()).unwrap();
    go(&mut whole, 100);
    go(&mut resumed, 100);
    assert_eq!(bits(&whole), bits(&resumed));
}
