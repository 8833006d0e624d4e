//! Slopes steeper than the angle of repose slip (Musgrave, Kolb & Mace 1989).
//!
//! The excess height between a cell and each of its eight neighbours moves downhill; what one cell loses the
//! other gains. One round moves only a share of the excess, so rounds can follow one another without
//! overshooting.

/// Largest share of the excess towards one of eight neighbours that cannot overshoot: even a spike gives to
/// all eight at once.
const STABLE: f64 = 1.0 / 16.0;

/// A way of slipping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slipping {
    /// Height difference that holds towards a straight neighbour.
    straight: f32,
    /// Height difference that holds towards a diagonal neighbour.
    diagonal: f32,
    /// Share of the excess that moves.
    share: f32,
    /// Adding and subtracting it rounds to whole quanta.
    rounder: f32,
}

impl Slipping {
    /// Slopes hold up to the angle `repose` `[rad]` on cells of side `cell`; `rate` is the share of the largest
    /// stable amount that one round moves; no bed is higher or deeper than `highest`.
    pub fn new(repose: f64, rate: f64, cell: f64, highest: f32) -> Self {
        let straight = repose.tan() * cell;
        // Only amounts that the highest bed can resolve move. A finer one would be rounded away where it is
        // taken and kept where it is put: the ground would grow.
        let quantum = f64::from(f32::EPSILON) * 2.0_f64.powf(f64::from(highest.max(1.0e-30)).log2().ceil());
        Self {
            straight: straight as f32,
            diagonal: (straight * std::f64::consts::SQRT_2) as f32,
            share: (rate * STABLE) as f32,
            // At 1.5·2²³ quanta the spacing of f32 is one quantum.
            rounder: (quantum * 1.5 * 8_388_608.0) as f32,
        }
    }

    /// Height that `here` gains from `there`; exactly the negative of what `there` gains from `here`.
    #[inline(always)]
    fn gain(&self, here: f32, there: f32, holds: f32) -> f32 {
        let drop = there - here;
        let moved = self.share * ((drop - holds).max(0.0) - (-drop - holds).max(0.0));
        (moved + self.rounder) - self.rounder
    }

    /// One round in one row; `old` holds the bed of the row and its neighbours before the round (the row
    /// itself again where the terrain ends).
    pub fn row(&self, old: [&[f32]; 3], bed: &mut [f32]) {
        let cols = bed.len();
        let [north, here, south] = old.map(|row| &row[..cols]);
        let cell = |col: usize, west: usize, east: usize| {
            let h = here[col];
            let straight = (self.gain(h, here[west], self.straight)
                + self.gain(h, here[east], self.straight))
                + (self.gain(h, north[col], self.straight) + self.gain(h, south[col], self.straight));
            let diagonal = (self.gain(h, north[west], self.diagonal)
                + self.gain(h, south[east], self.diagonal))
                + (self.gain(h, north[east], self.diagonal) + self.gain(h, south[west], self.diagonal));
            h + (straight + diagonal)
        };
        if cols < 3 {
            for (col, bed) in bed.iter_mut().enumerate() {
                *bed = cell(col, col.saturating_sub(1), (col + 1).min(cols - 1));
            }
            return;
        }
        bed[0] = cell(0, 0, 1);
        bed[cols - 1] = cell(cols - 1, cols - 2, cols - 1);
        for (col, bed) in bed.iter_mut().enumerate().take(cols - 1).skip(1) {
            *bed = cell(col, col - 1, col + 1);
        }
    }
}
