//! Paddles that make straight waves.

use crate::project::Wavemaker;
use thalweg_waves::{Emission, Waves};

/// Distance between the wave particles of a paddle, in their radii: fronts ripple by 1.6 % (Yuksel, House & Keyser 2007).
const APART: f64 = 0.5;

/// What all paddles send out within a step that begins at `time` and takes `dt` `[s]`.
pub(super) fn emissions(makers: &[Wavemaker], waves: &Waves, [time, dt]: [f64; 2]) -> Vec<Emission> {
    makers.iter().flat_map(|maker| of_one(maker, waves, [time, dt])).collect()
}

/// Crests and troughs take turns, half a period apart: bumps ½(1 + cos) of one sign and then the other add up to a cosine.
fn of_one(maker: &Wavemaker, waves: &Waves, [time, dt]: [f64; 2]) -> Vec<Emission> {
    let gravity = waves.params().gravity;
    let half = 0.5 * maker.period(gravity);
    let first = ((time - maker.start) / half).ceil().max(0.0) as u64;
    let stop = maker.stop.unwrap_or(f64::INFINITY).min(time + dt);
    let moments = (first..).map(|n| (n, maker.start + n as f64 * half));
    let moments = moments.skip_while(|(_, at)| *at < time).take_while(|(_, at)| *at < stop);
    moments.flat_map(|(n, at)| front(maker, waves, if n % 2 == 0 { 1.0 } else { -1.0 }, at - time)).collect()
}

/// One crest or trough along the whole paddle.
fn front(maker: &Wavemaker, waves: &Waves, sign: f64, delay: f64) -> Vec<Emission> {
    let along = [maker.to[0] - maker.from[0], maker.to[1] - maker.from[1]];
    let long = (along[0] * along[0] + along[1] * along[1]).sqrt();
    let heading = [-along[1] / long, along[0] / long];
    let middle = [0, 1].map(|axis| maker.from[axis] + 0.5 * along[axis]);
    let radius = maker.radius(waves.params().gravity, waves.basin().depth(middle));
    let count = (long / (APART * radius)).ceil().max(1.0);
    let part = |n: f64| Emission {
        place: [0, 1].map(|axis| maker.from[axis] + along[axis] * (n + 0.5) / count),
        heading,
        width: long / count,
        amplitude: 0.5 * sign * maker.height,
        radius,
        delay,
        row: true,
        ..Emission::default()
    };
    (0..count as u64).map(|n| part(n as f64)).collect()
}
