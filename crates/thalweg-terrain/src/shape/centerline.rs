//! The middle line of a winding channel.

use super::Bearing;

/// Pieces that one wavelength of the line is cut into: a bend then deviates from its chord by less than
/// a thousandth of the wavelength.
const PIECES_PER_WAVELENGTH: f64 = 64.0;

/// Most pieces of a whole line; one with more bends than this can hold has them below any cell size.
const MOST_PIECES: f64 = 65_536.0;

/// A line that leaves a straight one sideways.
pub(super) struct Centerline {
    bearing: Bearing,
    /// Half the length that is covered, before and behind the middle `[m]`.
    reach: f64,
    /// Distance between two knots along the straight line `[m]`.
    step: f64,
    /// How far the line lies to the right at each knot `[m]`.
    offsets: Vec<f64>,
    /// The largest of them `[m]`.
    farthest: f64,
}

impl Centerline {
    /// Follows `offset(along)` to twice the distance `reach` `[m]` of the farthest corner of the map: a
    /// warp may push places far beyond it.
    pub(super) fn new(bearing: Bearing, reach: f64, wavelength: f64, offset: impl Fn(f64) -> f64) -> Self {
        let reach = 2.0 * reach;
        let step = (wavelength / PIECES_PER_WAVELENGTH).max(2.0 * reach / MOST_PIECES);
        let knots = (2.0 * reach / step).ceil() as usize + 2;
        let offsets: Vec<f64> = (0..knots).map(|knot| offset(knot as f64 * step - reach)).collect();
        let farthest = offsets.iter().fold(0.0, |far: f64, &o| far.max(o.abs()));
        Self { bearing, reach, step, offsets, farthest }
    }

    /// How far a place lies along the straight line, and how far off the winding one `[m]`; `None` if that
    /// is more than `within`.
    pub(super) fn nearest(&self, place: [f64; 2], within: f64) -> Option<[f64; 2]> {
        let [along, right] = self.bearing.along_and_right(place);
        if right.abs() > self.farthest + within {
            return None;
        }
        let pieces = self.offsets.len() - 1;
        let here = ((along + self.reach) / self.step).clamp(0.0, pieces as f64) as usize;
        let ahead = self.closest([along, right], here..pieces, within * within);
        let nearest = self.closest([along, right], (0..here).rev(), ahead);
        (nearest < within * within).then(|| [along, nearest.sqrt()])
    }

    /// Square of the distance to the closest of the pieces, or `limit` if none is closer `[m²]`. They are
    /// given outwards from the place: once one is too far along the line, so are all after it.
    fn closest(&self, [along, right]: [f64; 2], pieces: impl Iterator<Item = usize>, limit: f64) -> f64 {
        let mut nearest = limit;
        for piece in pieces {
            let (x, y) = (along + self.reach - piece as f64 * self.step, right - self.offsets[piece]);
            let (dx, dy) = (self.step, self.offsets[piece + 1] - self.offsets[piece]);
            let gap = (-x).max(x - dx).max(0.0);
            if gap * gap > nearest {
                break;
            }
            let t = ((x * dx + y * dy) / (dx * dx + dy * dy)).clamp(0.0, 1.0);
            nearest = nearest.min((x - t * dx) * (x - t * dx) + (y - t * dy) * (y - t * dy));
        }
        nearest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_to_a_slanting_line_is_measured_across_it() {
        let line = Centerline::new(Bearing::new([0.0, 0.0], 0.0), 100.0, 64.0, |along| along);
        // Bearing north, the line runs to the north-east; (10, 0) lies √50 off it.
        let [along, off] = line.nearest([10.0, 0.0], 20.0).unwrap();
        assert!(along.abs() < 1.0e-9 && (off - 50.0f64.sqrt()).abs() < 1.0e-9, "{along} {off}");
        assert_eq!(line.nearest([50.0, 0.0], 20.0), None);
    }
}
