//! Rain, springs and drains of a scene over the ground of a pass, and the water that it begins with.

use super::super::Setup;
use crate::project::{Complaint, Source};
use crate::world::standing_water;
use thalweg_erosion::pipes::{self, Fall, Params, Pipes, Weather};
use thalweg_field::{Frame, Grid2, Heightfield, Window};
use thalweg_terrain::resample;

/// Puts weather on a terrain, and the water that the scene begins with.
pub(super) fn flood(setup: &Setup, params: &Params, ground: &Heightfield) -> Result<Pipes, Complaint> {
    let scene = &setup.scene;
    let water = (!scene.water.is_empty()).then(|| standing_water(scene, ground));
    Ok(Pipes::new(ground, params, &Weather { water, ..weather(setup, ground) })?)
}

/// The weather of a scene over the ground of a pass.
pub(super) fn weather(setup: &Setup, ground: &Heightfield) -> Weather {
    let Setup { scene, ground: whole_ground, .. } = setup;
    let (cols, rows) = (ground.height.cols(), ground.height.rows());
    let fit = |grid: &Grid2<f32>| -> Grid2<f32> {
        if grid.cols() == cols && grid.rows() == rows {
            return grid.clone();
        }
        let field = Heightfield { height: grid.clone(), frame: Frame::with_cell(1.0) };
        resample(&field, cols, rows).height.map(|v| v.max(0.0))
    };
    let window = |start, stop: Option<f64>| Window { start, stop: stop.unwrap_or(f64::INFINITY) };
    let rain = scene.rain.iter().zip(&whole_ground.masks).map(|(rain, mask)| pipes::Rain {
        fall: match rain.drops {
            Some(drops) => {
                Fall::Drops { per_second: drops.per_second, depth: drops.depth, radius: drops.radius }
            }
            None => Fall::Steady { rate: rain.rate.unwrap_or(0.0) },
        },
        mask: mask.as_ref().map(fit),
        when: window(rain.start, rain.stop),
    });
    // A coarse terrain whose sides are not whole multiples of its cells is a little shorter or longer, and what
    // just touches a fine terrain may miss the cells of a coarse one: then it goes to the nearest.
    let (whole, here) = (whole_ground.heights().extent(), ground.extent());
    let placed = |source: &Source| {
        let at = [0, 1].map(|axis| source.at[axis] * (here[axis] / whole[axis]));
        let [col, row] = ground.cell_from_local(at);
        let index = |at: f64, count: usize| at.round().clamp(0.0, (count - 1) as f64) as usize;
        let nearest = ground.local_from_cell(index(col, cols), index(row, rows));
        let outside = (0..2).any(|axis| at[axis] < 0.0 || at[axis] > here[axis]);
        let misses = (at[0] - nearest[0]).hypot(at[1] - nearest[1]) > source.radius;
        if outside && misses { nearest } else { at }
    };
    let source = |source: &Source, sign: f64| pipes::Source {
        at: placed(source),
        rate: sign * source.rate,
        radius: source.radius,
        when: window(source.start, source.stop),
    };
    Weather {
        rain: rain.collect(),
        sources: scene
            .sources
            .iter()
            .map(|s| source(s, 1.0))
            .chain(scene.drains.iter().map(|s| source(s, -1.0)))
            .collect(),
        edges: scene.edges,
        water: None,
        afloat: None,
        softness: whole_ground.softness().map(fit),
        seed: scene.seed,
    }
}
