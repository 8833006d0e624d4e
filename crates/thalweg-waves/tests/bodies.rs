//! Bodies in water, through the public API.

use std::f64::consts::{PI, TAU};
use thalweg_field::{Frame, Grid2, Heightfield};
use thalweg_waves::{
    Basin, BodyParams, Emission, Fleet, FleetError, HullForm, Motion, PARTICLE_VOLUME, Params, Sea, Setup,
    Turn, WaterPoint, WaterSurface, Waves,
};

const GRAVITY: f64 = 9.81;

struct Calm;

impl WaterSurface for Calm {
    fn at(&self, _: [f64; 2]) -> WaterPoint {
        WaterPoint::default()
    }
}

/// A long swell to the east, with the water going around below it.
struct Swell {
    height: f64,
    number: f64,
    phase: f64,
}

impl Swell {
    fn at_time(time: f64) -> Self {
        let number = TAU / 60.0;
        Self { height: 0.8, number, phase: (GRAVITY * number).sqrt() * time }
    }
}

impl WaterSurface for Swell {
    fn at(&self, place: [f64; 2]) -> WaterPoint {
        let angle = self.number * place[0] - self.phase;
        let frequency = (GRAVITY * self.number).sqrt();
        WaterPoint {
            height: self.height * angle.cos(),
            gradient: [-self.height * self.number * angle.sin(), 0.0],
            velocity: [self.height * frequency * angle.cos(), 0.0, self.height * frequency * angle.sin()],
        }
    }
}

/// Without drag, waves and added mass.
fn bare(hull: HullForm) -> BodyParams {
    BodyParams { drag: 0.0, lift: 0.0, waves: 0.0, added_mass: [0.0; 3], ..BodyParams::of(hull) }
}

fn alone(params: &BodyParams) -> Fleet {
    let mut fleet = Fleet::new(Sea::default()).unwrap();
    fleet.add(params, None).unwrap();
    fleet
}

/// Mean time of a whole swing of something `[s]`.
fn period(fleet: &mut Fleet, dt: f64, swings: usize, what: impl Fn(&Motion) -> f64) -> f64 {
    let mut before = what(fleet.motion(0));
    let mut crossings = Vec::new();
    while crossings.len() <= swings {
        let time = fleet.time();
        fleet.step(dt, &Calm).unwrap();
        let now = what(fleet.motion(0));
        if before < 0.0 && now >= 0.0 {
            crossings.push(time + dt * before / (before - now));
        }
        before = now;
        assert!(time < 1000.0, "it does not swing");
    }
    (crossings[swings] - crossings[0]) / swings as f64
}

#[test]
fn a_box_swings_as_theory_has_it() {
    let dt = 1.0 / 60.0;
    let lifted = BodyParams { at: [0.0, 0.0, 0.02], ..bare(HullForm::Box) };
    let heave = period(&mut alone(&lifted), dt, 5, |m| m.place[2] + 0.05);
    assert!((heave / 1.09877 - 1.0).abs() < 0.005, "heave {heave} s");
    let rolled = BodyParams { tilt: [0.0, 0.03], ..bare(HullForm::Box) };
    let roll = period(&mut alone(&rolled), dt, 5, |m| m.turn.heading()[2]);
    assert!((roll / 1.53557 - 1.0).abs() < 0.005, "roll {roll} s");
    let pitched = BodyParams { tilt: [0.02, 0.0], ..bare(HullForm::Box) };
    let pitch = period(&mut alone(&pitched), dt, 5, |m| m.turn.heading()[1]);
    assert!((pitch / 1.18727 - 1.0).abs() < 0.005, "pitch {pitch} s");
    let heavy = BodyParams { added_mass: [0.0, 0.0, 0.8], ..lifted };
    let slow = period(&mut alone(&heavy), dt, 5, |m| m.place[2] + 0.05);
    assert!((slow / 1.09877 / 1.8_f64.sqrt() - 1.0).abs() < 0.005, "with added mass {slow} s");
}

#[test]
fn what_is_displaced_is_exact() {
    let submerged = |turned: [f64; 3], up: f64| {
        let mut fleet = alone(&BodyParams { held: true, ..bare(HullForm::Box) });
        let turn = Turn::from_heading(turned);
        fleet.put(0, Motion { place: [3.0, -7.0, up], turn, ..Motion::default() });
        fleet.step(0.01, &Calm).unwrap();
        *fleet.submerged(0)
    };
    let afloat = submerged([0.0; 3], -0.05);
    assert!((afloat.volume - 0.6).abs() < 1.0e-12, "{} m³", afloat.volume);
    assert!((afloat.force[2] - 5886.0).abs() < 1.0e-8, "{} N", afloat.force[2]);
    let heeled = submerged([0.4, 0.0, 20.0_f64.to_radians()], 0.0);
    assert!((heeled.volume - 0.5).abs() < 1.0e-12, "{} m³", heeled.volume);
    let under = submerged([0.3, 0.2, 0.1], -5.0);
    assert!((under.force[2] - 9810.0).abs() < 1.0e-8, "{} N", under.force[2]);
    assert!(under.force[0].abs() + under.force[1].abs() < 1.0e-8 && under.waterplane.abs() < 1.0e-12);
}

#[test]
fn a_ball_floats_as_deep_as_its_density_says() {
    for (density, draught) in [(250.0, 0.652_704), (500.0, 1.0), (750.0, 1.347_296), (900.0, 1.608_400)] {
        let body = BodyParams { density, size: [2.0; 3], ..bare(HullForm::Sphere) };
        let up = alone(&body).motion(0).place[2];
        // 1280 triangles lack 0.9 % of the ball.
        assert!((1.0 - up - draught).abs() < 0.01, "density {density}: draught {}", 1.0 - up);
    }
}

#[test]
fn a_heavy_ball_sinks_at_its_terminal_speed() {
    let ball = BodyParams {
        size: [0.2; 3],
        density: 2000.0,
        drag: 0.47,
        detail: Some(0.02),
        at: [0.0, 0.0, -1.0],
        ..bare(HullForm::Sphere)
    };
    for (added, time_scale) in [(0.0, 0.480_98), (0.5, 0.601_23)] {
        let mut fleet = alone(&BodyParams { added_mass: [added; 3], ..ball.clone() });
        let dt = 1.0 / 240.0;
        while fleet.time() < time_scale - 0.5 * dt {
            fleet.step(dt, &Calm).unwrap();
        }
        let then = -fleet.motion(0).velocity[2];
        let expected = 2.359_23 * (fleet.time() / time_scale).tanh();
        assert!((then / expected - 1.0).abs() < 0.01, "added {added}: {then} m/s instead of {expected}");
        for _ in 0..1000 {
            fleet.step(dt, &Calm).unwrap();
        }
        let end = -fleet.motion(0).velocity[2];
        assert!((end / 2.359_23 - 1.0).abs() < 0.005, "added {added}: {end} m/s");
    }
}

#[test]
fn an_undamped_box_swings_for_a_hundred_periods() {
    let mut fleet = alone(&BodyParams { at: [0.0, 0.0, 0.03], ..bare(HullForm::Box) });
    let (dt, rest) = (1.0 / 60.0, -0.05);
    let spring = 1000.0 * GRAVITY * 2.0;
    let energy =
        |m: &Motion| 0.5 * 600.0 * m.velocity[2] * m.velocity[2] + 0.5 * spring * (m.place[2] - rest).powi(2);
    let start = energy(fleet.motion(0));
    for _ in 0..(100.0 * 1.09877 / dt) as usize {
        fleet.step(dt, &Calm).unwrap();
    }
    let end = energy(fleet.motion(0));
    assert!((end / start - 1.0).abs() < 0.01, "{start} J became {end} J");
}

#[test]
fn water_that_a_box_displaces_goes_out_in_waves() {
    let down = BodyParams {
        held: true,
        velocity: [0.0, 0.0, -0.1],
        ..BodyParams { waves: 1.0, ..bare(HullForm::Box) }
    };
    let mut fleet = alone(&down);
    let mut fronts = Vec::new();
    for _ in 0..60 {
        fronts.extend(fleet.step(1.0 / 60.0, &Calm).unwrap().emissions);
    }
    fronts.extend(fleet.flush());
    let volume: f64 = fronts.iter().map(|e| PARTICLE_VOLUME * e.amplitude * e.radius * e.radius).sum();
    assert!((volume / 0.2 - 1.0).abs() < 0.005, "{volume} m³");
    assert!(fronts.len() > 24 && fronts.iter().all(|e| e.amplitude > 0.0 && e.radius > 0.0));
    // Outwards on all sides, and all around together.
    assert!(fronts.iter().all(|e| e.place[0] * e.heading[0] + e.place[1] * e.heading[1] > 0.0));
    let around: f64 = fronts[..24].iter().map(|e| e.spread).sum();
    assert!((around - TAU).abs() < 1.0e-9, "{around} rad");
}

#[test]
fn a_ball_that_moves_under_water_makes_no_water() {
    let diver = BodyParams {
        held: true,
        at: [0.0, 0.0, -1.0],
        velocity: [1.5, 0.3, 0.0],
        ..BodyParams { waves: 1.0, density: 1500.0, ..bare(HullForm::Sphere) }
    };
    let mut fleet = alone(&diver);
    let mut fronts = Vec::new();
    for _ in 0..120 {
        fronts.extend(fleet.step(1.0 / 60.0, &Calm).unwrap().emissions);
    }
    fronts.extend(fleet.flush());
    // What it leaves behind are trains, of as much above the water as below.
    let single = fronts.iter().filter(|e| e.train == 0.0);
    let net: f64 = single.map(|e| PARTICLE_VOLUME * e.amplitude * e.radius * e.radius).sum();
    let highest = fronts.iter().map(|e| e.amplitude.abs()).fold(0.0, f64::max);
    assert!(net.abs() < 1.0e-6 && highest > 1.0e-5, "{net} m³ in waves of up to {highest} m");
}

#[test]
fn deep_bodies_make_lower_waves() {
    let stirred = |depth: f64| {
        let diver = BodyParams {
            held: true,
            at: [0.0, 0.0, -depth],
            velocity: [2.0, 0.0, 0.0],
            ..BodyParams { waves: 1.0, density: 1500.0, ..bare(HullForm::Sphere) }
        };
        let mut fleet = alone(&diver);
        let emissions = (0..60).flat_map(|_| fleet.step(1.0 / 60.0, &Calm).unwrap().emissions);
        // The train that goes straight ahead is the longest.
        let longest = emissions.max_by(|a, b| a.radius.total_cmp(&b.radius)).unwrap();
        (longest.amplitude.abs(), longest.radius)
    };
    let ((near, radius), (far, _)) = (stirred(2.0), stirred(3.0));
    let expected = (-PI / radius).exp();
    assert!((far / near / expected - 1.0).abs() < 0.05, "{} instead of {expected}", far / near);
}

#[test]
fn a_box_that_heaves_loses_what_its_waves_carry_away() {
    let mut fleet = alone(&BodyParams { at: [0.0, 0.0, 0.05], waves: 1.0, ..bare(HullForm::Box) });
    let potential = 0.5 * 1000.0 * GRAVITY * 2.0 * 0.05 * 0.05;
    for _ in 0..600 {
        fleet.step(1.0 / 60.0, &Calm).unwrap();
    }
    fleet.flush();
    fleet.step(1.0 / 60.0, &Calm).unwrap();
    let account = fleet.account(0);
    assert!((account.damped / potential - 1.0).abs() < 0.05, "lost {} of {potential} J", account.damped);
    let share = account.radiated / account.damped;
    assert!((share - 1.0).abs() < 0.02, "waves carry {} J of {} J", account.radiated, account.damped);
}

#[test]
fn a_boat_drives_and_turns_to_the_side_of_its_rudder() {
    let boat = BodyParams { throttle: 1.0, rudder: 0.4, ..BodyParams::default() };
    let mut fleet = alone(&boat);
    let mut foam = 0.0;
    for _ in 0..600 {
        let wake = fleet.step(1.0 / 60.0, &Calm).unwrap();
        foam += wake.foam.iter().filter(|f| f.propeller).map(|f| f.power).sum::<f64>();
    }
    let motion = fleet.motion(0);
    let speed = motion.velocity[0].hypot(motion.velocity[1]);
    assert!((1.0..8.0).contains(&speed), "{speed} m/s");
    assert!(motion.turn.heading()[0].abs() > 0.3 && motion.spin[2] > 0.01, "{motion:?}");
    assert!(foam > 1.0e4, "{foam}");
    assert!(motion.turn.heading()[2].abs() < 0.5, "it lies over by {} rad", motion.turn.heading()[2]);
    fleet.steer(0, 0.0, 0.0).unwrap();
    for _ in 0..1200 {
        fleet.step(1.0 / 60.0, &Calm).unwrap();
    }
    let slow = fleet.motion(0).velocity[0].hypot(fleet.motion(0).velocity[1]);
    assert!(slow < 0.5 * speed, "{slow} m/s without power");
    assert!(fleet.steer(0, 2.0, 0.0).unwrap_err().to_string().contains("throttle is 2"));
}

#[test]
fn a_boat_rides_a_long_swell() {
    let mut fleet = alone(&BodyParams::default());
    let rest = fleet.motion(0).place[2];
    let dt = 1.0 / 60.0;
    let (mut off, mut high, mut pitch) = (0.0_f64, 0.0_f64, 0.0_f64);
    for step in 0..1800 {
        let water = Swell::at_time((f64::from(step) + 0.5) * dt);
        fleet.step(dt, &water).unwrap();
        let place = fleet.motion(0).place;
        let below = Swell::at_time(fleet.time()).at([place[0], place[1]]).height;
        if step > 600 {
            off = off.max((place[2] - rest - below).abs());
            high = high.max(place[2] - rest);
            pitch = pitch.max(fleet.motion(0).turn.heading()[1].abs());
        }
    }
    assert!(high > 0.7 && off < 0.25, "it rises by {high} m and is off the water by {off} m");
    assert!((0.04..0.2).contains(&pitch), "pitch {pitch} rad where the swell is as steep as 0.084");
}

#[test]
fn heavy_bodies_sink_and_come_to_rest_on_the_bed() {
    let slope = |col: usize, row: usize| -6.0 + 0.02 * (col + row) as f32;
    let bed = Heightfield { height: Grid2::from_fn(64, 64, slope), frame: Frame::with_cell(1.0) };
    let mut fleet = Fleet::new(Sea::default()).unwrap().within(Some(bed), &[]);
    let at = [30.0, 30.0, 0.5];
    for hull in [HullForm::Box, HullForm::Sphere] {
        let density = 2600.0;
        let east = if hull == HullForm::Box { 0.0 } else { 10.0 };
        let body = BodyParams { density, at: [at[0] + east, at[1], at[2]], ..BodyParams::of(hull) };
        fleet.add(&body, None).unwrap();
    }
    for _ in 0..900 {
        fleet.step(1.0 / 60.0, &Calm).unwrap();
    }
    let motion = fleet.motion(0);
    let row = 63.5 - motion.place[1];
    let bed = -6.0 + 0.02 * (motion.place[0] - 0.5 + row);
    let above = motion.place[2] - bed;
    assert!((above - 0.25).abs() < 0.05, "the middle of the box is {above} m above the bed");
    let speed = motion.velocity.iter().map(|v| v * v).sum::<f64>().sqrt();
    assert!(speed < 0.02, "{speed} m/s");
    // A ball rolls down, but stays on the bed.
    let ball = fleet.motion(1).place;
    let bed = -6.0 + 0.02 * (ball[0] - 0.5 + 63.5 - ball[1]);
    assert!((ball[2] - bed - 0.5).abs() < 0.05, "the ball is {} m above the bed", ball[2] - bed);
}

fn all_bits(fleet: &Fleet) -> Vec<u64> {
    let saved = fleet.save();
    saved.bodies.iter().chain(&saved.waves).map(|x| x.to_bits()).collect()
}

fn harbour() -> Fleet {
    let mut fleet = Fleet::new(Sea::default()).unwrap();
    for n in 0..6 {
        let hull = [HullForm::Boat, HullForm::Buoy, HullForm::Box][n % 3];
        let at = [14.0 * n as f64, 3.0 * (n % 2) as f64, 0.1];
        let body = BodyParams { at, throttle: 0.7, rudder: 0.1, ..BodyParams::of(hull) };
        fleet.add(&body, None).unwrap();
    }
    fleet
}

fn sail(fleet: &mut Fleet, steps: usize) {
    let dt = 1.0 / 60.0;
    for _ in 0..steps {
        let water = Swell::at_time(fleet.time() + 0.5 * dt);
        fleet.step(dt, &water).unwrap();
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let run = || {
        let mut fleet = harbour();
        sail(&mut fleet, 120);
        all_bits(&fleet)
    };
    let first = run();
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(run), first, "{threads} threads");
    }
}

/// Pictures look between steps; they do not change them.
#[test]
fn any_picture_rate_gives_the_same_bits() {
    let dt = 1.0 / 60.0;
    let run = |pictures: f64| {
        let mut fleet = harbour();
        let mut shown = 0.0;
        for _ in 0..90 {
            let water = Swell::at_time(fleet.time() + 0.5 * dt);
            fleet.step(dt, &water).unwrap();
            while shown <= fleet.time() {
                let share = 1.0 - (fleet.time() - shown) / dt;
                let seen = fleet.motion_between(0, share.max(0.0)).place;
                assert!(seen.iter().all(|x| x.is_finite()));
                shown += 1.0 / pictures;
            }
        }
        all_bits(&fleet)
    };
    let at_60 = run(60.0);
    assert_eq!(run(30.0), at_60);
    assert_eq!(run(144.0), at_60);
}

#[test]
fn a_fleet_goes_on_from_its_saved_state_to_the_same_bits() {
    let mut whole = harbour();
    sail(&mut whole, 50);
    whole.steer(0, 0.2, -0.3).unwrap();
    sail(&mut whole, 20);
    let saved = whole.save();
    let mut resumed = harbour();
    resumed.load(&saved).unwrap();
    sail(&mut whole, 60);
    sail(&mut resumed, 60);
    assert_eq!(all_bits(&whole), all_bits(&resumed));
    let mut damaged = saved.clone();
    damaged.bodies[4] = f64::NAN;
    assert!(resumed.load(&damaged).unwrap_err().to_string().contains("finite"));
    damaged.bodies.pop();
    assert!(resumed.load(&damaged).unwrap_err().to_string().contains("has"));
}

#[test]
fn steps_that_are_none_are_refused() {
    let mut fleet = alone(&BodyParams::default());
    assert_eq!(fleet.step(-1.0, &Calm), Err(FleetError::Step { dt: -1.0 }));
    assert!(Fleet::new(Sea { gravity: 0.0, ..Sea::default() }).is_err());
}

/// Half of each front that it sends lies under its hull, where there is no water; what fronts do to it is in its account.
#[test]
fn a_body_does_not_feel_what_it_has_just_sent_and_others_do() {
    let setup = Setup {
        params: Params::default(),
        basin: Basin::open(),
        size: [128; 2],
        cell: 0.125,
        velocity: true,
    };
    let mut water = Waves::new(setup).unwrap();
    let front = Emission {
        place: [8.0, 8.0],
        heading: [1.0, 0.0],
        width: 1.0,
        amplitude: 0.1,
        radius: 1.0,
        sender: 2,
        ..Emission::default()
    };
    water.emit(&[front]).unwrap();
    water.advance(0.2);
    let at = [front.place[0] + 0.2 * water.particles().next().unwrap().speed, 8.0];
    let [sender, other] = [1, 0].map(|body| water.felt_at(at, body));
    assert_eq!(other, water.at(at));
    assert!(other.height > 0.075, "{} m", other.height);
    assert!(
        sender.height.abs() < 0.1 * other.height,
        "{} m of {} m are felt by whoever sent it",
        sender.height,
        other.height
    );
    let [speed, all] = [sender, other].map(|water| water.velocity[0]);
    assert!(speed.abs() < 0.1 * all, "{speed} m/s of {all} m/s");
    // After two radii it is a wave like any other.
    water.advance(2.0);
    let front = water.particles().next().unwrap();
    assert_eq!(water.felt_at(front.place, 1), water.at(front.place));
}

/// Without the feature `contacts` as well: whatever falls into a pool stays in it.
#[test]
fn walls_stop_bodies() {
    let walls = [[[4.0, -20.0], [4.0, 20.0]], [[20.0, 3.0], [-20.0, 3.0]]];
    for hull in [HullForm::Box, HullForm::Sphere, HullForm::Boat] {
        let body = BodyParams {
            size: [2.0, 1.0, 0.8],
            velocity: [3.0, 1.5, 0.0],
            throttle: 1.0,
            ..BodyParams::of(hull)
        };
        let mut fleet = Fleet::new(Sea::default()).unwrap().within(None, &walls);
        fleet.add(&body, None).unwrap();
        let mut most = [0.0_f64; 2];
        for _ in 0..600 {
            fleet.step(1.0 / 60.0, &Calm).unwrap();
            for corner in &fleet.hull(0).mesh().positions {
                let at = fleet.motion(0).apply(corner.map(f64::from));
                (0..2).for_each(|axis| most[axis] = most[axis].max(at[axis]));
            }
        }
        assert!(most[0] > 3.8, "{hull:?} never came to the wall: {} m", most[0]);
        assert!(most[0] < 4.1 && most[1] < 3.1, "{hull:?} was at {most:?} m");
        let place = fleet.motion(0).place;
        assert!(place[2].abs() < 0.5, "{hull:?} floats at {place:?}");
    }
}
