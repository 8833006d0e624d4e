//! Maps in degrees, laid out in metres.

use crate::utm::{DEGREE, FARTHEST, Utm};
use thalweg_field::{Frame, Grid2, Heightfield};

/// Points along each side of a map that its outline in metres is taken from. A side of 6° bends by some kilometres, between
/// two of the points by less than a metre.
const ALONG: usize = 200;

/// A map in degrees, north up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Degrees {
    /// North-west corner, east and north [°].
    pub corner: [f64; 2],
    /// Width and height of a cell, both positive [°].
    pub cell: [f64; 2],
    pub cols: usize,
    pub rows: usize,
}

/// Where a map in degrees comes to lie.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layout {
    pub utm: Utm,
    /// Side of a cell `[m]`.
    pub cell: f64,
    /// South-west corner, east and north `[m]`.
    pub origin: [f64; 2],
    pub cols: usize,
    pub rows: usize,
}

impl Degrees {
    /// The zone in which its middle lies; `None` near the poles and where the numbers are no degrees.
    pub(crate) fn utm(&self) -> Option<Utm> {
        Utm::at(self.place(self.cols as f64 / 2.0, self.rows as f64 / 2.0))
    }

    /// Degrees at a distance from the north-west corner, in cells.
    fn place(&self, cols: f64, rows: f64) -> [f64; 2] {
        [self.corner[0] + cols * self.cell[0], self.corner[1] - rows * self.cell[1]]
    }

    /// The largest upright rectangle in metres that the map covers, so that no ground has to be made up, with cells of
    /// `cell` metres or, without it, as large as those of the map's middle. The message says why there is none.
    pub(crate) fn layout(&self, cell: Option<f64>) -> Result<Layout, String> {
        let utm = self.utm().ok_or("its middle is in no zone: they reach from 80° south to 84° north")?;
        let (width, height) = (self.cols as f64, self.rows as f64);
        let [west, north] = self.corner;
        let [east, south] = self.place(width, height);
        let turn = |longitude: f64| {
            let turn = longitude - utm.meridian();
            (turn - 360.0 * (turn / 360.0).round()).abs()
        };
        let farthest = turn(west).max(turn(east));
        if farthest > FARTHEST || east - west > 2.0 * FARTHEST || north > 84.5 || south < -80.5 {
            return Err(format!(
                "it reaches {farthest:.1}° from the meridian of {utm} and from {south:.1}° to {north:.1}° north; \
                 cut out a part within {FARTHEST}° of it, between 80° south and 84° north"
            ));
        }
        let along = |i: usize, length: f64| i as f64 / ALONG as f64 * length;
        let metres = |cols: f64, rows: f64| utm.project(self.place(cols, rows));
        let side = |place: &dyn Fn(usize) -> f64, inner: fn(f64, f64) -> f64| {
            (0..=ALONG).map(place).reduce(inner).unwrap_or_default()
        };
        let west = side(&|i| metres(0.0, along(i, height))[0], f64::max);
        let east = side(&|i| metres(width, along(i, height))[0], f64::min);
        let south = side(&|i| metres(along(i, width), height)[1], f64::max);
        let north = side(&|i| metres(along(i, width), 0.0)[1], f64::min);
        let cell = cell.unwrap_or_else(|| self.usual_cell());
        // A corner on a whole cell of the zone, so that neighbouring maps share their grid.
        let origin = [west, south].map(|edge| (edge / cell).ceil() * cell);
        let [cols, rows] =
            [east - origin[0], north - origin[1]].map(|length| (length / cell).floor().max(0.0) as usize);
        if cols == 0 || rows == 0 {
            return Err(format!(
                "in {utm} it is less than a cell of {cell} m wide; give a smaller cell size"
            ));
        }
        Ok(Layout { utm, cell, origin, cols, rows })
    }

    /// Side of the square that is as large as a cell in the middle of the map, to three digits `[m]`.
    fn usual_cell(&self) -> f64 {
        let [_, latitude] = self.place(0.0, self.rows as f64 / 2.0);
        let side = DEGREE * (self.cell[0] * self.cell[1] * libm::cos(latitude.to_radians())).sqrt();
        let digits = libm::pow(10.0, libm::floor(libm::log10(side)) - 2.0);
        (side / digits).round() * digits
    }

    /// Lays the heights of the map out.
    ///
    /// Each cell is the mean of cubic interpolations (Keys 1981) at as many points as it has cells of the map along each
    /// side, one where it is no larger, so that coarser cells do not alias.
    pub(crate) fn lay_out(&self, heights: &Grid2<f32>, layout: &Layout) -> Heightfield {
        let Layout { utm, cell, origin, cols, rows } = *layout;
        let middle = self.cell[0] * self.cols as f64 / 2.0;
        let points = (cell / self.usual_cell()).round().max(1.0) as usize;
        let height = Grid2::from_fn(cols, rows, |col, row| {
            let (mut sum, mut count) = (0.0, 0);
            for i in 0..points * points {
                let [x, y] = [i % points, i / points].map(|i| (i as f64 + 0.5) / points as f64);
                let east = origin[0] + (col as f64 + x) * cell;
                let north = origin[1] + ((rows - row) as f64 - y) * cell;
                let [longitude, latitude] = utm.unproject([east, north]);
                // Longitudes may be counted from 0 to 360 in the map: what is nearest to its middle is meant.
                let turn = longitude - self.corner[0];
                let turn = turn - 360.0 * ((turn - middle) / 360.0).round();
                let found = cubic(
                    heights,
                    turn / self.cell[0] - 0.5,
                    (self.corner[1] - latitude) / self.cell[1] - 0.5,
                );
                if found.is_finite() {
                    (sum, count) = (sum + found, count + 1);
                }
            }
            if 2 * count >= points * points { (sum / count as f64) as f32 } else { f32::NAN }
        });
        Heightfield { height, frame: Frame { cell, origin, crs: Some(format!("EPSG:{}", utm.epsg())) } }
    }
}

/// Catmull–Rom cubic at a place counted in cells from the centre of the north-west one. Cells without a height are left
/// out of the mixture; where the nearest ones are, there is none.
fn cubic(heights: &Grid2<f32>, col: f64, row: f64) -> f64 {
    let (across, down) = (taps(col - col.floor()), taps(row - row.floor()));
    let (first_col, first_row) = (col.floor() as isize - 1, row.floor() as isize - 1);
    let (mut sum, mut weight) = (0.0, 0.0);
    for (r, b) in (first_row..).zip(down) {
        for (c, a) in (first_col..).zip(across) {
            let height = extended(heights, c, r);
            if height.is_finite() {
                sum += a * b * height;
                weight += a * b;
            }
        }
    }
    if weight >= 0.5 { sum / weight } else { f64::NAN }
}

/// The height of a cell; beyond the edge the slope there goes on.
fn extended(heights: &Grid2<f32>, col: isize, row: isize) -> f64 {
    let at = |col, row| f64::from(heights.at_clamped(col, row));
    let (last_col, last_row) = (heights.cols() as isize - 1, heights.rows() as isize - 1);
    let (edge_col, edge_row) = (col.clamp(0, last_col), row.clamp(0, last_row));
    // As far inside as the cell is outside.
    let (inner_col, inner_row) = (2 * edge_col - col, 2 * edge_row - row);
    let edge = at(edge_col, edge_row);
    let mut height = edge;
    if inner_col != edge_col {
        height += edge - at(inner_col, edge_row);
    }
    if inner_row != edge_row {
        height += edge - at(edge_col, inner_row);
    }
    height
}

/// Weights of four cells for a place between the second and the third (Keys 1981, a = −½).
fn taps(t: f64) -> [f64; 4] {
    [
        t * (-0.5 + t * (1.0 - 0.5 * t)),
        1.0 + t * t * (-2.5 + 1.5 * t),
        t * (0.5 + t * (2.0 - 1.5 * t)),
        t * t * (-0.5 + 0.5 * t),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One arc second `[degree]`.
    const SECOND: f64 = 1.0 / 3600.0;

    /// Hills of 2 km on a map in arc seconds, as a function of the place in degrees.
    fn hills([longitude, latitude]: [f64; 2]) -> f64 {
        1000.0 + 200.0 * (longitude * 345.0).sin() + 150.0 * (latitude * 345.0).cos()
    }

    fn map(corner: [f64; 2], cols: usize, rows: usize) -> (Degrees, Grid2<f32>) {
        let degrees = Degrees { corner, cell: [SECOND; 2], cols, rows };
        let heights = Grid2::from_fn(cols, rows, |col, row| {
            hills(degrees.place(col as f64 + 0.5, row as f64 + 0.5)) as f32
        });
        (degrees, heights)
    }

    /// Largest difference of the cells from the hills at the place where they lie now `[m]`, of all but `rim` rows and columns
    /// at the edge.
    fn worst(corner: [f64; 2], cell: Option<f64>, rim: usize) -> f64 {
        let (degrees, heights) = map(corner, 250, 200);
        let layout = degrees.layout(cell).unwrap();
        let ground = degrees.lay_out(&heights, &layout);
        let mut worst = 0.0f64;
        for row in rim..layout.rows - rim {
            for col in rim..layout.cols - rim {
                let [x, y] = ground.local_from_cell(col, row);
                let place = layout.utm.unproject([layout.origin[0] + x, layout.origin[1] + y]);
                // Degrees as the map counts them.
                let turns = ((corner[0] - place[0]) / 360.0).round();
                let place = [place[0] + 360.0 * turns, place[1]];
                worst = worst.max((f64::from(ground.height.at(col, row)) - hills(place)).abs());
            }
        }
        worst
    }

    /// Cubics are off by (cell / wavelength)³ and more inside: 30 m of hills 1.7 km wide and 200 m high by centimetres. Beyond
    /// the outer cells' centres the slope goes on straight: half the bend of the ground, 200 m (2π / 1.7 km)², times (30 m)².
    #[test]
    fn ground_keeps_its_heights_at_its_places() {
        for corner in [[-118.3, 34.5], [241.7, 34.5], [179.97, -33.0], [8.0, 68.0], [14.95, 0.03]] {
            let inside = worst(corner, None, 2);
            assert!(inside < 0.05, "{inside} m off at {corner:?}");
            let off = worst(corner, None, 0);
            assert!(off < 1.3, "{off} m off at {corner:?}");
        }
    }

    /// A mean over 90 m of a hill 1150 m wide, as these are from west to east, is lower than its top by 1 − sin(x)/x of its
    /// height, x = 90 π / 1150.
    #[test]
    fn coarser_cells_are_means() {
        let off = worst([-118.3, 34.5], Some(90.0), 0);
        assert!(off < 6.0, "{off} m");
        let (degrees, mut heights) = map([-118.3, 34.5], 500, 400);
        let stripes = |col: usize| if col.is_multiple_of(2) { 100.0 } else { -100.0 };
        heights = Grid2::from_fn(heights.cols(), heights.rows(), |col, _| stripes(col));
        let ground = degrees.lay_out(&heights, &degrees.layout(Some(300.0)).unwrap());
        let (low, high) = ground.height.range().unwrap();
        assert!(low > -25.0 && high < 25.0, "stripes of 200 m came out as {low} to {high} m");
    }

    /// Nothing is made up: each corner of the new map lies in the old one.
    #[test]
    fn the_new_map_lies_inside_the_old_one() {
        for corner in [[-118.3, 34.5], [-120.0, 60.0], [151.0, -33.0]] {
            let (degrees, _) = map(corner, 700, 300);
            let Layout { utm, cell, origin, cols, rows } = degrees.layout(None).unwrap();
            for (c, r) in [(0, 0), (0, rows), (cols, 0), (cols, rows)] {
                let [longitude, latitude] =
                    utm.unproject([origin[0] + c as f64 * cell, origin[1] + r as f64 * cell]);
                let col = (longitude - corner[0]) / SECOND;
                let row = (corner[1] - latitude) / SECOND;
                assert!((-0.1..=700.1).contains(&col) && (-0.1..=300.1).contains(&row), "{col}, {row}");
            }
            assert!(cols * rows > 700 * 300 / 2, "{cols} × {rows} cells are left");
        }
    }

    #[test]
    fn holes_stay_holes() {
        let (degrees, mut heights) = map([-118.3, 34.5], 60, 60);
        for row in 20..40 {
            heights.row_mut(row)[20..40].fill(f32::NAN);
        }
        let ground = degrees.lay_out(&heights, &degrees.layout(None).unwrap());
        let (col, row) = (ground.height.cols() / 2, ground.height.rows() / 2);
        assert!(ground.height.at(col, row).is_nan() && ground.height.at(2, 2).is_finite());
    }

    #[test]
    fn maps_that_no_zone_holds_are_refused() {
        let with = |corner, cell, cols, rows| Degrees { corner, cell, cols, rows }.layout(None).unwrap_err();
        let message = with([-180.0, 90.0], [1.0, 1.0], 360, 180);
        assert!(message.contains("within 6°"), "{message}");
        assert!(with([0.0, 89.0], [0.01; 2], 10, 10).contains("84° north"));
        for cell in [1.0e-300, 1.0e300] {
            assert!(
                Degrees { corner: [9.0, 45.0], cell: [cell; 2], cols: 9, rows: 9 }.layout(None).is_err(),
                "{cell}"
            );
        }
        assert!(with([9.0, 45.0], [SECOND; 2], 1, 1).contains("smaller cell size"));
    }
}
