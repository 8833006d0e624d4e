//! Floating bodies: how deep they float, how they swing and sink, and what they give to the water.

use crate::{Case, Check, Checks, Stopped};
use thalweg_waves::{
    Basin, BodyParams, Fleet, HullForm, Motion, PARTICLE_VOLUME, Params, Sea, Setup, Turn, WaterPoint,
    WaterSurface, Waves,
};

pub(crate) const CASES: &[Case] = &[
    Case { name: "waves/body-swing", about: "a box heaves, rolls and pitches in its time", run: swing },
    Case { name: "waves/body-ball", about: "balls float as deep as they should, and heave", run: ball },
    Case { name: "waves/body-clipping", about: "what is displaced is exact", run: clipping },
    Case { name: "waves/body-sinking", about: "a heavy ball sinks at its terminal speed", run: sinking },
    Case { name: "waves/body-energy", about: "an undamped box swings for a hundred periods", run: energy },
    Case { name: "waves/body-volume", about: "what a hull displaces goes out in waves", run: volume },
    Case {
        name: "waves/body-radiation",
        about: "a heaving box loses what its waves carry away",
        run: radiation,
    },
    Case {
        name: "waves/body-radiation-on-waves",
        about: "a heaving box on waves loses what is then found in the water",
        run: radiation_on_waves,
    },
    Case { name: "waves/body-threads", about: "any number of threads, same bits", run: threads },
];

struct Calm;

impl WaterSurface for Calm {
    fn at(&self, _: [f64; 2]) -> WaterPoint {
        WaterPoint::default()
    }
}

/// Without drag, waves and added mass.
fn bare(hull: HullForm) -> BodyParams {
    BodyParams { drag: 0.0, lift: 0.0, waves: 0.0, added_mass: [0.0; 3], ..BodyParams::of(hull) }
}

fn alone(params: &BodyParams) -> Result<Fleet, Stopped> {
    let mut fleet = Fleet::new(Sea::default())?;
    fleet.add(params, None)?;
    Ok(fleet)
}

/// Mean time of five swings of something about 0 `[s]`.
fn period(params: &BodyParams, what: impl Fn(&Motion) -> f64) -> Result<f64, Stopped> {
    const DT: f64 = 1.0 / 60.0;
    let mut fleet = alone(params)?;
    let mut before = what(fleet.motion(0));
    let mut crossings = Vec::new();
    while crossings.len() < 6 && fleet.time() < 100.0 {
        let time = fleet.time();
        fleet.step(DT, &Calm)?;
        let now = what(fleet.motion(0));
        if before < 0.0 && now >= 0.0 {
            crossings.push(time + DT * before / (before - now));
        }
        before = now;
    }
    Ok(if crossings.len() == 6 { (crossings[5] - crossings[0]) / 5.0 } else { f64::NAN })
}

/// T17.
fn swing() -> Checks {
    let lifted = BodyParams { at: [0.0, 0.0, 0.02], ..bare(HullForm::Box) };
    let rolled = BodyParams { tilt: [0.0, 0.03], ..bare(HullForm::Box) };
    let pitched = BodyParams { tilt: [0.02, 0.0], ..bare(HullForm::Box) };
    let heavy = BodyParams { added_mass: [0.0, 0.0, 0.8], ..lifted.clone() };
    let heave = |m: &Motion| m.place[2] + 0.05;
    let check = |what: &str, measured: f64, expected: f64| {
        Check::new(what, "s", "linear theory of a floating box").near_share(measured, expected, 0.005)
    };
    let draught = 0.25 - alone(&bare(HullForm::Box))?.motion(0).place[2];
    let [across, along] = [metacentre([0.0, 0.0, 1.0e-3])?[0], metacentre([0.0, 1.0e-3, 0.0])?[1]];
    let height = |what: &str, measured: f64, expected: f64| {
        Check::new(what, "m", "I/V − BG").near_share(measured, expected, 0.005)
    };
    Ok(vec![
        height("metacentric height across", across, 0.17778),
        height("metacentric height along", along, 1.01111),
        Check::new("draught", "m", "Archimedes").near(draught, 0.3, 1.0e-12),
        check("heave", period(&lifted, heave)?, 1.09877),
        check("heave with added mass 0.8", period(&heavy, heave)?, 1.09877 * 1.8_f64.sqrt()),
        check("roll", period(&rolled, |m| m.turn.heading()[2])?, 1.53557),
        check("pitch", period(&pitched, |m| m.turn.heading()[1])?, 1.18727),
    ])
}

/// Metacentric heights of the box about the axes east and north, from what rights it when it is turned by a little `[m]`.
fn metacentre(turned: [f64; 3]) -> Result<[f64; 2], Stopped> {
    let mut fleet = alone(&BodyParams { held: true, ..bare(HullForm::Box) })?;
    let place = fleet.motion(0).place;
    fleet.put(0, Motion { place, turn: Turn::from_heading(turned), ..Motion::default() });
    fleet.step(1.0e-3, &Calm)?;
    let wet = fleet.submerged(0);
    let angle = turned[1].abs().max(turned[2].abs());
    Ok([0, 1].map(|axis: usize| wet.torque[axis].abs() / (wet.force[2] * angle.sin())))
}

/// T18.
fn ball() -> Checks {
    let mut checks = Vec::new();
    for (density, draught, heave) in [
        (250.0, 0.652_704, 1.23508),
        (500.0, 1.0, 1.63795),
        (750.0, 1.347_296, 2.13922),
        (900.0, 1.608_400, 2.76897),
    ] {
        let detail = Some(0.08);
        let body = BodyParams { density, size: [2.0; 3], detail, ..bare(HullForm::Sphere) };
        let rest = alone(&body)?.motion(0).place[2];
        let check = Check::new(format!("draught at {density} kg/m³"), "m", "spherical cap");
        // 5120 triangles enclose 0.22 % less than the ball.
        checks.push(check.near(1.0 - rest, draught, 0.004));
        let lifted = BodyParams { at: [0.0, 0.0, 0.02], ..body };
        let found = period(&lifted, |m| m.place[2] - rest)?;
        let check = Check::new(format!("heave at {density} kg/m³"), "s", "2π√(m/ρgA)");
        checks.push(check.near_share(found, heave, 0.005));
    }
    Ok(checks)
}

/// T19.
fn clipping() -> Checks {
    let put = |hull: HullForm, size: [f64; 3], turned: [f64; 3], up: f64| {
        let mut fleet = alone(&BodyParams { held: true, size, ..bare(hull) })?;
        let turn = Turn::from_heading(turned);
        fleet.put(0, Motion { place: [3.0, -7.0, up], turn, ..Motion::default() });
        fleet.step(0.01, &Calm)?;
        Ok::<_, Stopped>((*fleet.submerged(0), fleet.hull(0).volume()))
    };
    let size = [2.0, 1.0, 0.5];
    let (afloat, _) = put(HullForm::Box, size, [0.0; 3], -0.05)?;
    let (heeled, _) = put(HullForm::Box, size, [0.4, 0.0, 20.0_f64.to_radians()], 0.0)?;
    let (under, _) = put(HullForm::Box, size, [0.3, 0.2, 0.1], -5.0)?;
    let (boat, of_boat) = put(HullForm::Boat, [9.0, 2.8, 1.8], [0.3, 0.2, 0.1], -20.0)?;
    let (ball, of_ball) = put(HullForm::Sphere, [2.0; 3], [0.3, 0.2, 0.1], -20.0)?;
    let exact = |what: &str, unit, measured: f64, expected: f64| {
        Check::new(what, unit, "Archimedes").near(measured, expected, 1.0e-12 * expected)
    };
    Ok(vec![
        exact("volume of a box 0.3 m deep", "m³", afloat.volume, 0.6),
        exact("its buoyancy", "N", afloat.force[2], 5886.0),
        exact("volume of a box heeled by 20°", "m³", heeled.volume, 0.5),
        exact("buoyancy of a box under water", "N", under.force[2], 9810.0),
        Check::new("boat under water beside its mesh", "-", "the thesis is 13.6 % off").near(
            boat.volume / of_boat,
            1.0,
            1.0e-9,
        ),
        Check::new("ball under water beside its mesh", "-", "Archimedes").near(
            ball.volume / of_ball,
            1.0,
            1.0e-9,
        ),
    ])
}

/// T20.
fn sinking() -> Checks {
    const DT: f64 = 1.0 / 240.0;
    let ball = BodyParams {
        size: [0.2; 3],
        density: 2000.0,
        drag: 0.47,
        detail: Some(0.02),
        at: [0.0, 0.0, -1.0],
        ..bare(HullForm::Sphere)
    };
    let mut checks = Vec::new();
    for (added, scale) in [(0.0, 0.480_98), (0.5, 0.601_23)] {
        let mut fleet = alone(&BodyParams { added_mass: [added; 3], ..ball.clone() })?;
        while fleet.time() < scale - 0.5 * DT {
            fleet.step(DT, &Calm)?;
        }
        let (then, time) = (-fleet.motion(0).velocity[2], fleet.time());
        for _ in 0..1200 {
            fleet.step(DT, &Calm)?;
        }
        let end = -fleet.motion(0).velocity[2];
        let check = |what: &str| Check::new(format!("{what}, added mass {added}"), "m/s", "v_T tanh(t/τ)");
        checks.push(check("speed after τ").near_share(then, 2.359_23 * (time / scale).tanh(), 0.01));
        checks.push(check("terminal speed").near_share(end, 2.359_23, 0.005));
    }
    Ok(checks)
}

/// T21.
fn energy() -> Checks {
    let mut fleet = alone(&BodyParams { at: [0.0, 0.0, 0.03], ..bare(HullForm::Box) })?;
    let energy = |m: &Motion| 300.0 * m.velocity[2].powi(2) + 9810.0 * (m.place[2] + 0.05).powi(2);
    let start = energy(fleet.motion(0));
    let (dt, steps) = (1.0 / 60.0, (100.0 * 1.09877 * 60.0) as usize);
    for _ in 0..steps {
        fleet.step(dt, &Calm)?;
    }
    let drift = energy(fleet.motion(0)) / start - 1.0;
    Ok(vec![
        Check::new("drift of the energy in 100 periods", "-", "nothing takes any").near(drift, 0.0, 0.01),
    ])
}

/// T8.
fn volume() -> Checks {
    let out = |params: &BodyParams, steps: usize| {
        let mut fleet = alone(&BodyParams { held: true, waves: 1.0, ..params.clone() })?;
        let mut fronts = Vec::new();
        for _ in 0..steps {
            fronts.extend(fleet.step(1.0 / 60.0, &Calm)?.emissions);
        }
        fronts.extend(fleet.flush());
        // Trains have as much above the water as below it.
        let single = fronts.iter().filter(|e| e.train == 0.0);
        let volume = single.map(|e| PARTICLE_VOLUME * e.amplitude * e.radius * e.radius).sum::<f64>();
        Ok::<_, Stopped>([volume, fronts.iter().map(|e| e.amplitude.abs()).fold(0.0, f64::max)])
    };
    let [net, _] = out(&BodyParams { velocity: [0.0, 0.0, -0.1], ..bare(HullForm::Box) }, 60)?;
    let diver = BodyParams {
        at: [0.0, 0.0, -1.0],
        velocity: [1.5, 0.3, 0.0],
        density: 1500.0,
        ..bare(HullForm::Sphere)
    };
    let [rest, highest] = out(&diver, 120)?;
    Ok(vec![
        Check::new("waves of a 2 × 1 m box lowered by 0.1 m", "m³", "what it displaces")
            .near_share(net, 0.2, 0.005),
        Check::new("waves of a ball that moves under water, in all", "m³", "it displaces nothing")
            .near(rest, 0.0, 1.0e-6),
        Check::new("highest of those", "m", "there are some").at_least(highest, 1.0e-5),
    ])
}

fn radiation() -> Checks {
    let mut fleet = alone(&BodyParams { at: [0.0, 0.0, 0.05], waves: 1.0, ..bare(HullForm::Box) })?;
    for _ in 0..600 {
        fleet.step(1.0 / 60.0, &Calm)?;
    }
    let account = *fleet.account(0);
    Ok(vec![
        Check::new("lost by a box lifted by 5 cm", "J", "½ρgA z²").near_share(account.damped, 24.525, 0.05),
        Check::new("carried away by its waves", "J", "what the box lost").near_share(
            account.radiated,
            account.damped,
            0.1,
        ),
    ])
}

/// The same on the surface of real waves: what the box gives up against what is then found in the water.
fn radiation_on_waves() -> Checks {
    const CELLS: usize = 320;
    const CELL: f64 = 0.1;
    // Nothing is lost on the way.
    let params = Params { damping: 0.0, lowest_crest: 1.0e-5, ..Params::default() };
    let setup =
        Setup { params: params.clone(), basin: Basin::open(), size: [CELLS; 2], cell: CELL, velocity: true };
    let mut waves = Waves::new(setup)?;
    let mut fleet = Fleet::new(Sea { least_radius: params.smallest_radius, ..Sea::default() })?;
    let middle = 0.5 * CELL * CELLS as f64;
    fleet.add(&BodyParams { at: [middle, middle, 0.05], waves: 1.0, ..bare(HullForm::Box) }, None)?;
    // Until it lies still; the first waves are 6 m away then, and none has left the surface.
    for _ in 0..210 {
        let wake = fleet.step(1.0 / 60.0, &waves)?;
        waves.emit(&wake.emissions)?;
        waves.advance(1.0 / 60.0);
    }
    let motion = *fleet.motion(0);
    let left = 300.0 * motion.velocity[2].powi(2) + 9810.0 * (motion.place[2] + 0.05).powi(2);
    // As much again of it moves.
    let height = waves.surface().height().values();
    let found = 9810.0 * CELL * CELL * height.iter().map(|h| f64::from(*h).powi(2)).sum::<f64>();
    Ok(vec![
        Check::new("lost by a box lifted by 5 cm, on its own waves", "J", "½ρgA z²").near_share(
            24.525 - left,
            24.525,
            0.01,
        ),
        Check::new("taken by its waves, of that", "J", "what the box lost").near_share(
            fleet.account(0).damped,
            24.525 - left,
            0.05,
        ),
        Check::new("found in the water, ρg∫η²", "J", "what the box lost").near_share(
            found,
            24.525 - left,
            0.1,
        ),
    ])
}

fn threads() -> Checks {
    let run = || -> Result<Vec<u64>, Stopped> {
        let mut fleet = Fleet::new(Sea::default())?;
        for (n, hull) in
            [HullForm::Boat, HullForm::Buoy, HullForm::Box, HullForm::Sphere].into_iter().enumerate()
        {
            fleet.add(
                &BodyParams { at: [20.0 * n as f64, 0.0, 0.1], throttle: 0.5, ..BodyParams::of(hull) },
                None,
            )?;
        }
        for _ in 0..60 {
            fleet.step(1.0 / 60.0, &Calm)?;
        }
        let saved = fleet.save();
        Ok(saved.bodies.iter().chain(&saved.waves).map(|x| x.to_bits()).collect())
    };
    let alone = run()?;
    let mut checks = Vec::new();
    #[cfg(not(target_arch = "wasm32"))]
    for count in [1, 2, 3, 8] {
        let other = rayon::ThreadPoolBuilder::new().num_threads(count).build()?.install(run)?;
        let differing =
            alone.iter().zip(&other).filter(|(a, b)| a != b).count() + alone.len().abs_diff(other.len());
        let check =
            Check::new(format!("numbers that differ with {count} threads"), "-", "bodies decide alone");
        checks.push(check.near(differing as f64, 0.0, 0.0));
    }
    checks
        .push(Check::new("numbers of the fleet", "-", "there are some").at_least(alone.len() as f64, 500.0));
    Ok(checks)
}
