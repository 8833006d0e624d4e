//! The open sea, and how much of it arrives near land.

use super::lake::Lake;
use crate::project::Complaint;
use thalweg_field::{Grid2, Invalid, Sea, SeaPatch};
use thalweg_waves::{Ocean, OceanParams, OceanSurface, Strain, Surface, WaterPoint, WaterSurface, whitecap};

/// Waves as high as this share of the depth break; what is higher does not arrive (McCowan 1894) `[-]`.
const BREAKING: f64 = 0.78;
/// Depth of the sea that nobody said anything of `[m]`.
const DEEP: f32 = 200.0;

/// The open sea over a ground.
#[derive(Debug)]
pub(super) struct OpenSea {
    ocean: Ocean,
    /// Share of its waves in every cell `[-]`.
    share: Grid2<f32>,
    cell: f64,
}

impl OpenSea {
    pub(super) fn new(params: &OceanParams, lake: &Lake) -> Result<Self, Complaint> {
        let in_ocean =
            |invalid: Invalid| Complaint::from(Invalid { key: format!("ocean.{}", invalid.key), ..invalid });
        let ocean = Ocean::new(params).map_err(in_ocean)?;
        let mut sea = Self { ocean, share: Grid2::default(), cell: lake.bed().frame.cell };
        sea.reach(lake);
        Ok(sea)
    }

    /// Finds how much of it arrives over a bed.
    pub(super) fn reach(&mut self, lake: &Lake) {
        let highest = self.ocean.significant_height().max(1.0e-6);
        let arrives = |depth: f32| (BREAKING * f64::from(depth.max(0.0)) / highest).min(1.0) as f32;
        self.share = lake.depth(lake.bed()).map(arrives);
    }

    /// Share of its waves in every cell `[-]`.
    pub(super) fn share(&self) -> &Grid2<f32> {
        &self.share
    }

    /// The sea at a time `[s]`.
    pub(super) fn at_time(&self, time: f64) -> SeaNow<'_> {
        SeaNow { sea: self, surface: self.ocean.at_time(time, true) }
    }

    /// Height of its waves in every cell of a surface `[m]`.
    pub(super) fn heights(&self, time: f64, on: &Surface) -> Grid2<f32> {
        let sea = SeaNow { sea: self, surface: self.ocean.at_time(time, false) };
        let (cols, rows) = (self.share.cols(), self.share.rows());
        Grid2::from_fn(cols, rows, |col, row| sea.at(on.place_of(col, row)).height as f32)
    }

    /// How it presses the surface together in every cell of one at a time.
    pub(super) fn strain(&self, time: f64, on: &Surface) -> Grid2<Strain> {
        let surface = self.ocean.at_time(time, false);
        let (cols, rows) = (self.share.cols(), self.share.rows());
        let mut strain = Grid2::filled(cols, rows, Strain::default());
        strain.for_each_row(|row, cells| {
            for (col, cell) in cells.iter_mut().enumerate() {
                let share = self.share.at(col, row);
                let strain = surface.of_rest(on.place_of(col, row)).strain;
                *cell = strain.map(|part| share * part as f32);
            }
        });
        strain
    }

    /// Its patches, to be drawn as far as the eye reaches.
    pub(super) fn patches(&self, time: f64, level: f64) -> Sea {
        let surface = self.ocean.at_time(time, false);
        let patch = |view: thalweg_waves::PatchView<'_>| {
            let count = view.count;
            // Points run from the south, rows of grids from the north; a point is the middle of its cell.
            let grid = |number: usize| {
                Grid2::from_fn(count, count, |col, row| view.nodes()[(count - 1 - row) * count + col][number])
            };
            let [xx, yy, xy] = [grid(5), grid(6), grid(7)];
            let foam = Grid2::from_fn(count, count, |col, row| {
                let [xx, yy, xy] = [&xx, &yy, &xy].map(|grid| grid.at(col, row));
                whitecap((1.0 + xx) * (1.0 + yy) - xy * xy)
            });
            let half = 0.5 * view.side / count as f64;
            SeaPatch {
                side: view.side as f32,
                corner: [-half as f32; 2],
                height: grid(0),
                east: grid(1),
                north: grid(2),
                foam,
            }
        };
        let depth = self.ocean.params().depth.map_or(DEEP, |depth| depth as f32);
        Sea { level: level as f32, patches: surface.patches().map(patch).collect(), depth }
    }
}

/// The sea at one moment, as bodies feel it.
pub(super) struct SeaNow<'a> {
    sea: &'a OpenSea,
    surface: OceanSurface<'a>,
}

impl WaterSurface for SeaNow<'_> {
    fn at(&self, place: [f64; 2]) -> WaterPoint {
        let OpenSea { share, cell, .. } = self.sea;
        let share =
            f64::from(share.bilinear(place[0] / cell - 0.5, share.rows() as f64 - place[1] / cell - 0.5));
        let WaterPoint { height, gradient, velocity } = self.surface.at(place);
        WaterPoint {
            height: share * height,
            gradient: gradient.map(|slope| share * slope),
            velocity: velocity.map(|speed| share * speed),
        }
    }
}
