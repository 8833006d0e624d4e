//! What there is to see of the ground.

use super::incision::Incision;
use super::layout::{OUTLET, WAY};
use super::power::power;
use super::solver::{Routes, StreamPower};
use thalweg_field::random::Key;
use thalweg_field::{Grid2, Heightfield};

/// The ways of the water over the ground as it is now.
#[derive(Clone, Debug)]
pub struct Survey<'a> {
    of: &'a StreamPower,
    routes: Routes,
    /// In cells, weighted with the rain.
    area: Vec<f32>,
}

impl StreamPower {
    /// The ground as it is now.
    pub fn ground(&self) -> Heightfield {
        let mut height = self.layout.grid(&self.cells.height, |height| height as f32);
        for &(cell, bed) in &self.given.drowned {
            let [col, row] = self.layout.place(cell as usize);
            height.set(col, row, bed as f32);
        }
        Heightfield { height, frame: self.frame.clone() }
    }

    /// Sediment on the rock `[m]`.
    pub fn sediment(&self) -> Grid2<f32> {
        self.layout.grid(&self.cells.sediment, |depth| depth)
    }

    /// How far the rock has risen `[m]`.
    pub fn uplifted(&self) -> Grid2<f32> {
        self.layout.grid(&self.cells.uplifted, |by| by)
    }

    /// How long the ground at the surface has lain within its uppermost metre `[s]`.
    pub fn age(&self) -> Grid2<f32> {
        self.layout.grid(&self.cells.age, |age| age)
    }

    /// Finds the ways of the water over the ground as it is now, for the maps that depend on them.
    pub fn survey(&self) -> Survey<'_> {
        let mut routes = Routes::default();
        let mut height = self.cells.height.clone();
        let key = Key::new(self.land.seed).with(self.clock.step);
        routes.find(&self.layout, &mut height, &self.params, key);
        let mut incision = Incision::default();
        incision.gather(&self.layout, &routes.order, self.given.rain.as_deref());
        Survey { of: self, routes, area: incision.area }
    }
}

impl Survey<'_> {
    /// Area that drains through each cell, weighted with the rain `[m²]`.
    pub fn drainage_area(&self) -> Grid2<f32> {
        let cell = self.of.layout.cell * self.of.layout.cell;
        self.of.layout.grid(&self.area, |area| (f64::from(area) * cell) as f32)
    }

    /// Depth of the lakes `[m]`.
    pub fn lakes(&self) -> Grid2<f32> {
        let mut depth = Grid2::filled(self.of.layout.cols, self.of.layout.rows, 0.0);
        for lake in &self.routes.hollows.cells {
            let [col, row] = self.of.layout.place(lake.cell as usize);
            depth.set(col, row, (lake.level - self.of.cells.height[lake.cell as usize]) as f32);
        }
        depth
    }

    /// Steepness of the rivers, k_s = S A^(m/n) `[m^(2m/n)]`.
    pub fn steepness(&self) -> Grid2<f32> {
        let steep = self.go_up(0.0, |at, _, distance, fall| (fall.max(0.0) / distance) * self.area_to(at));
        self.of.layout.grid(&steep, |steep| steep as f32)
    }

    /// χ, the way to the outlet with each part weighted by (1 km² / A)^(m/n) (Perron & Royden 2013) `[m]`.
    pub fn chi(&self) -> Grid2<f32> {
        let reference = super::REFERENCE_AREA.powf(self.concavity());
        let chi = self.go_up(0.0, |at, below, distance, _| below + distance * reference / self.area_to(at));
        self.of.layout.grid(&chi, |chi| chi as f32)
    }

    /// Which outlet each cell drains to, numbered along the edges from the north-west, from 1 `[-]`.
    pub fn basins(&self) -> Grid2<f32> {
        let layout = &self.of.layout;
        let mut basin = layout.filled(0.0_f64);
        for (number, at) in layout.outlets().into_iter().enumerate() {
            basin[at] = (number + 1) as f64;
        }
        let basin = self.go_up_starting(basin, |_, below, _, _| below);
        layout.grid(&basin, |basin| basin as f32)
    }

    /// The concavity of steady rivers, m/n `[-]`.
    pub fn concavity(&self) -> f64 {
        self.of.params.area_exponent / self.of.params.slope_exponent
    }

    fn area_to(&self, at: usize) -> f64 {
        let cell = self.of.layout.cell * self.of.layout.cell;
        power((f64::from(self.area[at]) * cell).max(f64::MIN_POSITIVE), self.concavity())
    }

    fn go_up(&self, outlet: f64, value: impl Fn(usize, f64, f64, f64) -> f64) -> Vec<f64> {
        self.go_up_starting(self.of.layout.filled(outlet), value)
    }

    /// Goes up the rivers; `value` is given the cell, the value of the one below, the distance to it and the fall, both in
    /// metres.
    fn go_up_starting(&self, mut values: Vec<f64>, value: impl Fn(usize, f64, f64, f64) -> f64) -> Vec<f64> {
        let layout = &self.of.layout;
        let (offsets, height) = (layout.offsets(), &self.of.cells.height);
        for &cell in self.routes.order.stretches().flat_map(|stretch| stretch.cells) {
            let at = cell as usize;
            let way = self.routes.ways[at] & WAY;
            let Some(&offset) = offsets.get(way as usize) else {
                debug_assert_eq!(way, OUTLET);
                continue;
            };
            let below = at.wrapping_add_signed(offset);
            values[at] = value(at, values[below], layout.distance(way), height[at] - height[below]);
        }
        values
    }
}
