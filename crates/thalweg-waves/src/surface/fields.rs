//! The surface on a grid of cells.

use super::bumps::{Bump, each_bump};
use super::tiles::{Dot, Tiles};
use crate::basin::Basin;
use crate::particles::WaveParticles;
use crate::plane::Vec2;
use crate::{Params, WaterPoint, WaterSurface};
use fearless_simd::{Level, dispatch};
use std::f64::consts::{LN_2, PI};
use std::ops::Range;
use thalweg_field::{Grid2, band};

/// The surface at one moment, on a grid of cells: row 0 is the north edge.
///
/// Heights belong to the places of water at rest; what is seen above a place came there from beside it, and
/// [`at`](WaterSurface::at) finds out from where.
#[derive(Clone, Debug)]
pub struct Surface {
    cell: f64,
    pub(super) height: Grid2<f32>,
    /// How far the surface is moved sideways, east and north `[m]`.
    pub(super) shift: [Grid2<f32>; 2],
    /// How fast the water goes at the surface, east and north, and how fast it rises; empty if nobody asked for it `[m/s]`.
    pub(super) velocity: Option<[Grid2<f32>; 3]>,
    pub(super) foam: Grid2<f32>,
}

/// How a displacement grows: eastward to the east, northward to the north, and either across `[-]`.
pub type Strain = [f32; 3];

/// What makes the surface from particles.
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    pub(crate) surface: Surface,
    /// Radii that are drawn apart `[m]`.
    radii: Vec<f64>,
    /// What lies half-way between each two of them, by their ratio `[m]`.
    between: Vec<f64>,
    tiles: Tiles,
    band: Grid2<f32>,
    level: Level,
    /// Bumps that whoever sent them does not feel, by sender, counted from 1.
    own: Vec<(u32, Bump)>,
}

/// Smallest radius that cells show, in cells.
const LEAST_CELLS: f64 = 2.0;
/// Share of the steepness at which crests fold over up to which they are moved sideways in full.
const FOLD: f64 = 0.9;
/// Particles that one thread turns into bumps at a time.
const PART: usize = 2048;
/// How often a place is looked for anew from where the water there came, at most.
const LOOKS: usize = 24;

impl Fields {
    pub(crate) fn new(params: &Params, [cols, rows]: [usize; 2], cell: f64, velocity: bool) -> Self {
        let radii = radii(params, cell);
        let margin = margin(&radii, cell);
        let empty = || Grid2::filled(cols, rows, 0.0);
        let surface = Surface {
            cell,
            height: empty(),
            shift: [empty(), empty()],
            velocity: velocity.then(|| [empty(), empty(), empty()]),
            foam: empty(),
        };
        let tiles = Tiles::new([cols, rows], margin);
        let between = radii.windows(2).map(|pair| (pair[0] * pair[1]).sqrt()).collect();
        Self { surface, radii, between, tiles, band: empty(), level: Level::new(), own: Vec::new() }
    }

    /// Memory that it takes `[bytes]`.
    pub(crate) fn bytes(params: &Params, [cols, rows]: [usize; 2], cell: f64, velocity: bool) -> u64 {
        let grids = if velocity { 8 } else { 5 };
        let radii = radii(params, cell);
        (grids * cols * rows * size_of::<f32>()) as u64 + Tiles::bytes([cols, rows], margin(&radii, cell))
    }

    /// Which of the radii is nearest, by its ratio.
    fn band_of(&self, radius: f64) -> usize {
        self.between.iter().take_while(|&&bound| radius >= bound).count()
    }

    /// Makes the surface of a moment.
    pub(crate) fn refresh(
        &mut self,
        particles: &WaveParticles,
        basin: &Basin,
        params: &Params,
        time: f64,
        done: &mut dyn FnMut(&'static str),
    ) {
        self.find_own(particles, basin, (time, params.damping));
        let dots = self.dots(particles, basin, (time, params.damping));
        done("bumps");
        self.tiles.sort(&dots, self.radii.len());
        done("sort");
        let Surface { cell, height, shift, velocity, .. } = &mut self.surface;
        let [east, north] = shift;
        let mut all: Vec<&mut Grid2<f32>> = vec![height, east, north];
        all.extend(velocity.iter_mut().flatten());
        for grid in all {
            grid.values_mut().fill(0.0);
        }
        let cell = *cell;
        done("clear");
        for (number, &radius) in self.radii.iter().enumerate() {
            if !self.tiles.has(number) {
                continue;
            }
            self.tiles.put(number, 0);
            done("splat");
            self.tiles.filter(self.level, radius / cell);
            self.tiles.write(self.level, &mut self.band);
            done("filter");
            add_waves(self.level, &mut self.surface, &self.band, &self.tiles, radius, params.choppiness);
            done("waves");
            if self.surface.velocity.is_none() {
                continue;
            }
            for axis in [0, 1] {
                self.tiles.put(number, 1 + axis);
                self.tiles.filter(self.level, radius / cell);
                self.tiles.write(self.level, &mut self.band);
                let Some(velocity) = &mut self.surface.velocity else { break };
                add_flow(velocity, &self.band, cell, radius, axis);
                done("flow");
            }
        }
    }

    /// Keeps what bodies have sent out just now, in the order of the bodies.
    fn find_own(&mut self, particles: &WaveParticles, basin: &Basin, at: (f64, f64)) {
        let mut own = std::mem::take(&mut self.own);
        own.clear();
        for particle in particles.iter() {
            if let Some(sender) = particle.unfelt_by(at.0) {
                let drawn = |half_wave| self.radii[self.band_of(half_wave)];
                each_bump(particle, basin, at, drawn, &mut |bump| own.push((sender, bump)));
            }
        }
        own.sort_by_key(|(sender, _)| *sender);
        self.own = own;
    }

    /// The water above a place as a body feels it.
    pub(crate) fn felt_at(&self, place: Vec2, body: usize) -> WaterPoint {
        let first = self.own.partition_point(|(sender, _)| (*sender as usize) <= body);
        let own = self.own[first..].iter().take_while(|(sender, _)| *sender as usize == body + 1);
        let water = self.surface.at(place);
        let mut own = own.filter(|(_, bump)| bump.reaches(place)).peekable();
        if own.peek().is_none() {
            return water;
        }
        // The bump lies where its water was at rest.
        let rest = self.surface.rest_of(place);
        own.fold(water, |water, (_, bump)| water.plus(-1.0, bump.at(rest)))
    }

    /// What all particles put onto the cells.
    fn dots(&self, particles: &WaveParticles, basin: &Basin, at: (f64, f64)) -> Vec<Vec<Dot>> {
        let Surface { cell, ref height, .. } = self.surface;
        let rows = height.rows() as f64;
        let margin = self.tiles.margin as f64;
        let mut parts = vec![Vec::new(); particles.slots().div_ceil(PART)];
        band::for_each(&mut parts, |part, dots| {
            dots.reserve(PART);
            let slots = part * PART..((part + 1) * PART).min(particles.slots());
            for slot in slots.filter(|&slot| particles.is_alive(slot)) {
                let particle = particles.get(slot);
                let drawn = |half_wave| self.radii[self.band_of(half_wave)];
                each_bump(particle, basin, at, drawn, &mut |bump| {
                    let col = (bump.place[0] / cell - 0.5 + margin) as f32;
                    let row = (rows - bump.place[1] / cell - 0.5 + margin) as f32;
                    if self.tiles.holds(col, row) {
                        let height = bump.height as f32;
                        let [east, north] = bump.velocity.map(|v| height * v as f32);
                        dots.push(Dot {
                            col,
                            row,
                            values: [height, east, north],
                            band: self.band_of(bump.radius) as u32,
                        });
                    }
                });
            }
        });
        parts
    }
}

/// Adds the waves of one radius: their height, and how they move the surface sideways, ∇h/k (C16 of the method's page).
fn add_waves(
    level: Level,
    surface: &mut Surface,
    band: &Grid2<f32>,
    tiles: &Tiles,
    radius: f64,
    choppiness: f64,
) {
    let (cols, rows) = (band.cols(), band.rows());
    let per_slope = (choppiness * radius / PI) as f32;
    let to_slope = (0.5 / surface.cell) as f32;
    // Crests fold over where k times their height reaches 1.
    let highest = (FOLD * radius / PI) as f32;
    let [east, north] = &mut surface.shift;
    let lines = [surface.height.values_mut(), east.values_mut(), north.values_mut()];
    let lines = Rows(lines.map(|values| band::Lines { values, length: cols }));
    let add = |range: Range<usize>, mut lines: Rows<'_>| {
        for row in range.clone() {
            let reached = tiles.reached_in(row, cols);
            if reached.is_empty() {
                continue;
            }
            let [height, east, north] = lines.row(row - range.start, cols);
            let line = WaveLine {
                here: band.row(row),
                above: band.row(row.saturating_sub(1)),
                below: band.row((row + 1).min(rows - 1)),
                to_slope,
                per_slope,
                highest,
            };
            dispatch!(level, _simd => line.add(reached.clone(), height, east, north));
        }
    };
    band::for_each_part(0..rows, 16, lines, &add);
}

/// Heights of one radius in a row and its neighbours.
struct WaveLine<'a> {
    here: &'a [f32],
    above: &'a [f32],
    below: &'a [f32],
    to_slope: f32,
    per_slope: f32,
    highest: f32,
}

impl WaveLine<'_> {
    #[inline(always)]
    fn add(&self, reached: Range<usize>, height: &mut [f32], east: &mut [f32], north: &mut [f32]) {
        let last = self.here.len() - 1;
        let inner = reached.start.max(1)..reached.end.min(last);
        // Rows and columns at the edges have their own value beyond.
        for col in [0, last].into_iter().filter(|col| reached.contains(col)) {
            let (before, after) = (self.here[col.saturating_sub(1)], self.here[(col + 1).min(last)]);
            self.add_cell(
                [self.here[col], before, after, self.above[col], self.below[col]],
                [&mut height[col], &mut east[col], &mut north[col]],
            );
        }
        if inner.is_empty() {
            return;
        }
        let (first, count) = (inner.start, inner.len());
        let before = &self.here[first - 1..][..count];
        let here = &self.here[first..][..count];
        let after = &self.here[first + 1..][..count];
        let (above, below) = (&self.above[first..][..count], &self.below[first..][..count]);
        let height = &mut height[first..][..count];
        let (east, north) = (&mut east[first..][..count], &mut north[first..][..count]);
        for i in 0..count {
            self.add_cell(
                [here[i], before[i], after[i], above[i], below[i]],
                [&mut height[i], &mut east[i], &mut north[i]],
            );
        }
    }

    #[inline(always)]
    fn add_cell(&self, [h, before, after, above, below]: [f32; 5], [height, east, north]: [&mut f32; 3]) {
        let scale = self.to_slope * self.per_slope;
        let (dx, dy) = ((after - before) * scale, (above - below) * scale);
        let size = (h * h + (dx * dx + dy * dy)).sqrt();
        let share = if size > self.highest { self.highest / size } else { 1.0 };
        *height += h;
        *east += dx * share;
        *north += dy * share;
    }
}

/// Adds what flows along one axis with waves of one radius: `flux` is height times the speed of crests. The water of the surface goes k times as
/// fast, and rises where what flows comes together.
fn add_flow(velocity: &mut [Grid2<f32>; 3], flux: &Grid2<f32>, cell: f64, radius: f64, axis: usize) {
    let (cols, rows) = (flux.cols(), flux.rows());
    let k = (PI / radius) as f32;
    let to_slope = (0.5 / cell) as f32;
    let [east, north, up] = velocity;
    let along = if axis == 0 { east } else { north };
    let along_row = |row: usize, cells: &mut [f32]| {
        for (cell, flux) in cells.iter_mut().zip(flux.row(row)) {
            *cell += k * flux;
        }
    };
    along.for_each_row(along_row);
    up.for_each_row(|row, cells| {
        let (above, below) = (flux.row(row.saturating_sub(1)), flux.row((row + 1).min(rows - 1)));
        let here = flux.row(row);
        for (col, cell) in cells.iter_mut().enumerate() {
            let growth = if axis == 0 {
                here[(col + 1).min(cols - 1)] - here[col.saturating_sub(1)]
            } else {
                above[col] - below[col]
            };
            *cell -= growth * to_slope;
        }
    });
}

/// Rows of three grids, cut together.
struct Rows<'a>([band::Lines<'a, f32>; 3]);

impl band::Cut for Rows<'_> {
    fn cut(self, at: usize) -> (Self, Self) {
        let (before, after) = self.0.cut(at);
        (Self(before), Self(after))
    }
}

impl Rows<'_> {
    fn row(&mut self, row: usize, cols: usize) -> [&mut [f32]; 3] {
        self.0.each_mut().map(|lines| &mut lines.values[row * cols..][..cols])
    }
}

/// The radii that are drawn apart: each is so many times the one before, from the smallest that cells show.
fn radii(params: &Params, cell: f64) -> Vec<f64> {
    let smallest = params.smallest_radius.max(LEAST_CELLS * cell);
    let largest = params.largest_radius.max(smallest);
    let step = LN_2 / f64::from(params.radii_per_octave);
    let count = (libm::log(largest / smallest) / step + 1.0e-9).floor() as usize + 1;
    (0..count).map(|n| smallest * libm::exp(step * n as f64)).collect()
}

/// Cells beyond the edges from which bumps reach into the grid.
fn margin(radii: &[f64], cell: f64) -> usize {
    (radii.last().copied().unwrap_or(0.0) / cell).ceil() as usize + 2
}

impl Surface {
    /// Height of the surface above water at rest `[m]`.
    pub fn height(&self) -> &Grid2<f32> {
        &self.height
    }

    /// How far the surface is moved sideways, east and north `[m]`.
    pub fn displacement(&self) -> &[Grid2<f32>; 2] {
        &self.shift
    }

    /// Speed of the water at the surface, east, north and up, if it was asked for `[m/s]`.
    pub fn velocity(&self) -> Option<&[Grid2<f32>; 3]> {
        self.velocity.as_ref()
    }

    /// Share of the surface that foam covers `[-]`.
    pub fn foam(&self) -> &Grid2<f32> {
        &self.foam
    }

    /// Side of a cell `[m]`.
    pub fn cell(&self) -> f64 {
        self.cell
    }

    /// How the surface rises to the east and to the north `[-]`, before it is moved sideways.
    pub fn gradient(&self) -> [Grid2<f32>; 2] {
        let (cols, rows) = (self.height.cols(), self.height.rows());
        let [east, north] = [true, false].map(|is_east| {
            Grid2::from_fn(cols, rows, |col, row| {
                let (a, b) = if is_east {
                    ([col.saturating_sub(1), row], [(col + 1).min(cols - 1), row])
                } else {
                    ([col, (row + 1).min(rows - 1)], [col, row.saturating_sub(1)])
                };
                let apart = ((b[0] - a[0]) + (a[1] - b[1])).max(1) as f32 * self.cell as f32;
                (self.height.at(b[0], b[1]) - self.height.at(a[0], a[1])) / apart
            })
        });
        [east, north]
    }

    /// How many times its area at rest each cell's surface has, with the open sea on it if there is one; less than 0 where it folds
    /// over `[-]`.
    pub fn stretch(&self, sea: Option<&Grid2<Strain>>) -> Grid2<f32> {
        let [east, north] = &self.shift;
        let (cols, rows) = (east.cols(), east.rows());
        let to_slope = (0.5 / self.cell) as f32;
        Grid2::from_fn(cols, rows, |col, row| {
            let (west_col, east_col) = (col.saturating_sub(1), (col + 1).min(cols - 1));
            let (north_row, south_row) = (row.saturating_sub(1), (row + 1).min(rows - 1));
            let along = |grid: &Grid2<f32>| (grid.at(east_col, row) - grid.at(west_col, row)) * to_slope;
            let across = |grid: &Grid2<f32>| (grid.at(col, north_row) - grid.at(col, south_row)) * to_slope;
            let [xx, yy, xy] = sea.map_or([0.0; 3], |sea| sea.at(col, row));
            (1.0 + along(east) + xx) * (1.0 + across(north) + yy) - (across(east) + xy) * (along(north) + xy)
        })
    }

    /// Place of a cell's centre, east and north of the south-west corner `[m]`.
    pub fn place_of(&self, col: usize, row: usize) -> [f64; 2] {
        let rows = self.height.rows() as f64;
        [(col as f64 + 0.5) * self.cell, (rows - row as f64 - 0.5) * self.cell]
    }

    /// Fractional column and row of a place.
    fn cell_of(&self, place: Vec2) -> [f64; 2] {
        [place[0] / self.cell - 0.5, self.height.rows() as f64 - place[1] / self.cell - 0.5]
    }

    fn shift_at(&self, place: Vec2) -> Vec2 {
        let [col, row] = self.cell_of(place);
        [0, 1].map(|axis| f64::from(self.shift[axis].bilinear(col, row)))
    }

    /// Where the water that is seen above a place was at rest: the place less how far it was moved.
    pub fn rest_of(&self, place: [f64; 2]) -> [f64; 2] {
        let (mut rest, mut last) = (place, f64::INFINITY);
        for _ in 0..LOOKS {
            let shift = self.shift_at(rest);
            let next = [place[0] - shift[0], place[1] - shift[1]];
            let moved = (next[0] - rest[0]).abs().max((next[1] - rest[1]).abs());
            if moved < 1.0e-4 * self.cell {
                return next;
            }
            // Where crests are about to fold over it would go to and fro: half-way then.
            let share = if moved > 0.7 * last { 0.5 } else { 1.0 };
            rest = [0, 1].map(|axis| rest[axis] + share * (next[axis] - rest[axis]));
            last = moved;
        }
        rest
    }

    fn bilinear(&self, grid: &Grid2<f32>, place: Vec2) -> f64 {
        let [col, row] = self.cell_of(place);
        f64::from(grid.bilinear(col, row))
    }

    /// How a quantity rises to the east and to the north of a place.
    fn slope(&self, grid: &Grid2<f32>, [x, y]: Vec2) -> Vec2 {
        let half = 0.5 * self.cell;
        let at = |place: Vec2| self.bilinear(grid, place);
        [
            (at([x + half, y]) - at([x - half, y])) / self.cell,
            (at([x, y + half]) - at([x, y - half])) / self.cell,
        ]
    }
}

impl WaterSurface for Surface {
    /// Outside the grid the water is at rest.
    fn at(&self, place: [f64; 2]) -> WaterPoint {
        let size = [self.height.cols(), self.height.rows()].map(|cells| cells as f64 * self.cell);
        if (0..2).any(|axis| !(0.0..=size[axis]).contains(&place[axis])) {
            return WaterPoint::default();
        }
        let rest = self.rest_of(place);
        let rise = self.slope(&self.height, rest);
        // The slope above the place, not above where its water came from: (I + ∇D)ᵀ g = ∇h.
        let [[xx, xy], [yx, yy]] = [0, 1].map(|axis| self.slope(&self.shift[axis], rest));
        let stretch = ((1.0 + xx) * (1.0 + yy) - xy * yx).max(0.05);
        let gradient = [
            ((1.0 + yy) * rise[0] - yx * rise[1]) / stretch,
            ((1.0 + xx) * rise[1] - xy * rise[0]) / stretch,
        ];
        let velocity = self
            .velocity
            .as_ref()
            .map_or([0.0; 3], |velocity| std::array::from_fn(|axis| self.bilinear(&velocity[axis], rest)));
        WaterPoint { height: self.bilinear(&self.height, rest), gradient, velocity }
    }
}
