//! Level floors in large valleys.
//!
//! A river swings from side to side and planes its valley down to its own level. That happens within half the width of the
//! floor, which grows with the square root of the drainage area as the width of rivers does (Leopold & Maddock 1953). Here the
//! swinging is a spreading of the ground: fast within the floor, none beyond it.

use super::layout::Layout;
use super::params::REFERENCE_AREA;
use std::f64::consts::SQRT_2;

/// Most spreading in a step, in cells²: it levels a floor of twenty cells in a few steps, and more would only cost stages.
const LEVELLED: f32 = 16.0;

/// How floors are made in a step.
pub(super) struct Floors {
    /// Width of the floor at the reference area `[m]`.
    pub(super) width: f64,
    /// What a river of the reference area cuts in a step `[m]`.
    pub(super) cut: f64,
}

impl Floors {
    /// The spreading of each cell in a step, diffusivity times time `[m²]`; `area` is in cells.
    pub(super) fn spread(&self, layout: &Layout, area: &[f64], spread: &mut Vec<f32>) {
        let cell = layout.cell;
        // How far the floor reaches beyond each cell, in cells.
        let scale = 0.5 * self.width / REFERENCE_AREA.sqrt();
        spread.clear();
        spread.extend(area.iter().map(|area| (scale * area.sqrt()) as f32));
        widen(layout, spread);
        // Rivers move sideways about as fast as they cut down where it is steep, across their own width.
        let factor = (4.0 * self.cut * cell * cell / self.width) as f32;
        let most = LEVELLED * (cell * cell) as f32;
        spread.iter_mut().for_each(|reach| *reach = (factor * *reach * (*reach - 0.5).max(0.0)).min(most));
    }
}

/// Lets every cell reach as far as the farthest reach over it: each step costs a cell, or √2 of them (Borgefors 1986).
fn widen(layout: &Layout, reach: &mut [f32]) {
    let stride = layout.stride;
    let (straight, across) = (1.0, SQRT_2 as f32);
    rim(layout, reach);
    for row in 1..=layout.rows {
        let (before, here) = reach.split_at_mut(row * stride);
        let (north, here) = (&before[(row - 1) * stride..], &mut here[..stride]);
        for col in 1..=layout.cols {
            let from_north = (north[col] - straight).max(north[col - 1].max(north[col + 1]) - across);
            here[col] = here[col].max(from_north);
        }
        for col in 1..=layout.cols {
            here[col] = here[col].max(here[col - 1] - straight);
        }
    }
    for row in (1..=layout.rows).rev() {
        let (before, after) = reach.split_at_mut((row + 1) * stride);
        let (here, south) = (&mut before[row * stride..], &after[..stride]);
        for col in 1..=layout.cols {
            let from_south = (south[col] - straight).max(south[col - 1].max(south[col + 1]) - across);
            here[col] = here[col].max(from_south);
        }
        for col in (1..=layout.cols).rev() {
            here[col] = here[col].max(here[col + 1] - straight);
        }
    }
}

/// Nothing reaches in from beyond the terrain.
fn rim(layout: &Layout, reach: &mut [f32]) {
    let stride = layout.stride;
    reach[..stride].fill(0.0);
    reach[(layout.rows + 1) * stride..].fill(0.0);
    for row in 1..=layout.rows {
        (reach[row * stride], reach[(row + 1) * stride - 1]) = (0.0, 0.0);
    }
}
