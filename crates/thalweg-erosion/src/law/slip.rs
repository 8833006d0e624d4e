//! Slopes steeper than the angle of repose slip.
//!
//! Ground moves down the steepest slope, as fast as its excess over the angle of repose is large: the flux between two cells is
//! κ (1 − S_c/|∇b|) times the drop between them, and nothing where |∇b| ≤ S_c. The gradient has both its parts at every face, so
//! slopes come to rest equally steep in all directions; a rule that compares a cell with eight neighbours one by one
//! (Musgrave, Kolb & Mace 1989) carves eight-sided cones.

/// Largest share of a drop that may move towards each of four neighbours without overshooting.
const STABLE: f64 = 0.25;

/// A way of slipping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slipping {
    /// Height difference that holds between two cells, squared ...
    holds2: f32,
    /// ... and itself.
    holds: f32,
    /// Share of the drop that moves where nothing holds.
    share: f32,
    /// Adding and subtracting it rounds to whole quanta; 0 leaves amounts as they are.
    rounder: f32,
    /// Whether a base level slips onto lower ground.
    edges_follow: bool,
}

impl Slipping {
    /// Slopes hold up to the angle `repose` `[rad]` on cells of side `cell`; `share` of the excess drop moves in one round, at most what is
    /// stable.
    pub fn new(repose: f64, share: f64, cell: f64) -> Self {
        let holds = repose.tan() * cell;
        let (holds, holds2) = (holds as f32, (holds * holds) as f32);
        Self { holds2, holds, share: share.min(STABLE) as f32, rounder: 0.0, edges_follow: false }
    }

    /// The same with edges that slip onto lower ground behind them, or that keep their height.
    #[must_use]
    pub fn with_edges_that_follow(self, edges_follow: bool) -> Self {
        Self { edges_follow, ..self }
    }

    /// The same for beds that are one number each and no higher or deeper than `highest`. Only amounts that the highest can resolve move: a
    /// finer one would be rounded away where it is taken and kept where it is put, and the ground would grow.
    #[must_use]
    pub fn in_quanta_of(self, highest: f32) -> Self {
        let quantum = f64::from(f32::EPSILON) * 2.0_f64.powf(f64::from(highest.max(1.0e-30)).log2().ceil());
        // At 1.5·2²³ quanta the spacing of f32 is one quantum.
        Self { rounder: (quantum * 1.5 * 8_388_608.0) as f32, ..self }
    }

    /// Height that moves over a face down the drop `along` it; `across` is four times the drop along the face.
    #[inline(always)]
    fn moved(&self, along: f32, across: f32) -> f32 {
        let across = across * 0.25;
        let steep2 = along * along + across * across;
        // Where all holds the root is that of what holds, and the difference nothing.
        let excess = 1.0 - self.holds / steep2.max(self.holds2).sqrt();
        (self.share * excess * along + self.rounder) - self.rounder
    }

    /// What moves east from each cell of a row but the last; `rows` are the bed of the row above, of the row and of the row below.
    #[inline(always)]
    pub(crate) fn move_east(&self, [above, here, below]: [&[f32]; 3], moved: &mut [f32]) {
        let last = moved.len();
        let [above, here, below] = [above, here, below].map(|row| (&row[..last], &row[1..=last]));
        for (i, moved) in moved.iter_mut().enumerate() {
            let across = (above.0[i] + above.1[i]) - (below.0[i] + below.1[i]);
            *moved = self.moved(here.0[i] - here.1[i], across);
        }
    }

    /// What moves south from each cell of a row to the row below; both are given with one more cell at either end.
    #[inline(always)]
    pub(crate) fn move_south(&self, [here, below]: [&[f32]; 2], moved: &mut [f32]) {
        let cells = moved.len();
        let ([west, middle, east], [below_west, below, below_east]) =
            ([0, 1, 2].map(|i| &here[i..][..cells]), [0, 1, 2].map(|i| &below[i..][..cells]));
        for (i, moved) in moved.iter_mut().enumerate() {
            let across = (east[i] + below_east[i]) - (west[i] + below_west[i]);
            *moved = self.moved(middle[i] - below[i], across);
        }
    }

    /// Keeps a base level: what moves between two of its cells is nothing, and none of it leaves it unless it follows the ground
    /// beside it down. `moved` is positive from the first to the second.
    #[inline(always)]
    pub(crate) fn keep_base(&self, moved: &mut f32, [first, second]: [bool; 2]) {
        if self.edges_follow && first != second {
            return;
        }
        if first {
            *moved = moved.min(0.0);
        }
        if second {
            *moved = moved.max(0.0);
        }
    }
}
