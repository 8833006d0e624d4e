//! Landforms by what is seen from each cell.

use super::depressions::NEIGHBOURS;
use serde::Serialize;
use thalweg_field::{Grid2, Heightfield};

/// The ten common landforms of Jasiewicz & Stepinski 2013, in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Landform {
    /// Level all around.
    #[default]
    Flat,
    /// Higher than all around.
    Peak,
    /// Higher than both sides.
    Ridge,
    /// Where a level top begins to fall.
    Shoulder,
    /// A nose of higher ground on a slope.
    Spur,
    /// Rising on one side, falling on the other.
    Slope,
    /// A recess in a slope.
    Hollow,
    /// Where a slope runs out into level ground.
    Footslope,
    /// Lower than both sides.
    Valley,
    /// Lower than all around.
    Pit,
}

impl Landform {
    /// All ten, in order.
    pub const ALL: [Self; 10] = [
        Self::Flat,
        Self::Peak,
        Self::Ridge,
        Self::Shoulder,
        Self::Spur,
        Self::Slope,
        Self::Hollow,
        Self::Footslope,
        Self::Valley,
        Self::Pit,
    ];
}

/// Landform by how many of the eight directions are lower (row) and higher (column): table 1 and figure 4
/// of the paper. `None` fills the corner where there would be more than eight directions.
const FORMS: [[Option<Landform>; 9]; 9] = {
    use Landform::{Flat, Footslope, Hollow, Peak, Pit, Ridge, Shoulder, Slope, Spur, Valley};
    const FL: Option<Landform> = Some(Flat);
    const PK: Option<Landform> = Some(Peak);
    const RI: Option<Landform> = Some(Ridge);
    const SH: Option<Landform> = Some(Shoulder);
    const SP: Option<Landform> = Some(Spur);
    const SL: Option<Landform> = Some(Slope);
    const HL: Option<Landform> = Some(Hollow);
    const FS: Option<Landform> = Some(Footslope);
    const VL: Option<Landform> = Some(Valley);
    const PT: Option<Landform> = Some(Pit);
    const NO: Option<Landform> = None;
    [
        [FL, FL, FL, FS, FS, VL, VL, VL, PT],
        [FL, FL, FS, FS, FS, VL, VL, VL, NO],
        [FL, SH, SL, SL, HL, HL, VL, NO, NO],
        [SH, SH, SL, SL, SL, HL, NO, NO, NO],
        [SH, SH, SP, SL, SL, NO, NO, NO, NO],
        [RI, RI, SP, SP, NO, NO, NO, NO, NO],
        [RI, RI, RI, NO, NO, NO, NO, NO, NO],
        [RI, RI, NO, NO, NO, NO, NO, NO, NO],
        [PK, NO, NO, NO, NO, NO, NO, NO, NO],
    ]
};

/// How landforms are told apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Geomorphons {
    /// How far is looked in each of the eight directions `[cells]`.
    pub radius: usize,
    /// Angle below which a direction counts as level `[rad]`.
    pub flatness: f64,
}

impl Default for Geomorphons {
    fn default() -> Self {
        Self { radius: 10, flatness: 1.0f64.to_radians() }
    }
}

impl Geomorphons {
    /// The landform of every cell; `None` for cells without data.
    ///
    /// A direction is higher if its steepest line of sight up rises above the level by more than the
    /// steepest one down falls below, lower the other way round, and level if the two differ by less than
    /// `flatness`. At the edge of the map the sight ends, and a direction without any cell is level.
    pub fn classify(&self, ground: &Heightfield) -> Grid2<Option<Landform>> {
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        Grid2::from_fn(cols, rows, |col, row| {
            let own = ground.height.at(col, row);
            if !own.is_finite() {
                return None;
            }
            let (mut lower, mut higher) = (0, 0);
            for step in NEIGHBOURS {
                let rise = self.horizon(ground, [col, row], step);
                lower += usize::from(rise < -self.flatness);
                higher += usize::from(rise > self.flatness);
            }
            FORMS[lower][higher]
        })
    }

    /// Elevation angle of the highest line of sight plus that of the lowest `[rad]`; the paper's nadir
    /// angle less its zenith angle.
    fn horizon(&self, ground: &Heightfield, [col, row]: [usize; 2], (dc, dr): (isize, isize)) -> f64 {
        let (cols, rows) = (ground.height.cols() as isize, ground.height.rows() as isize);
        let own = f64::from(ground.height.at(col, row));
        let way = ground.frame.cell * if dc != 0 && dr != 0 { std::f64::consts::SQRT_2 } else { 1.0 };
        let (mut up, mut down) = (f64::MIN, f64::MAX);
        for k in 1..=self.radius as isize {
            let (c, r) = (col as isize + k * dc, row as isize + k * dr);
            if !(0..cols).contains(&c) || !(0..rows).contains(&r) {
                break;
            }
            let tangent = (f64::from(ground.height.at(c as usize, r as usize)) - own) / (way * k as f64);
            // Cells without data compare as neither.
            if tangent > up {
                up = tangent;
            }
            if tangent < down {
                down = tangent;
            }
        }
        if up < down { 0.0 } else { libm::atan(up) + libm::atan(down) }
    }
}

/// Share of the cells with data that each landform has, in the order of [`Landform::ALL`] `[-]`; `None`
/// without data.
pub fn histogram(landforms: &Grid2<Option<Landform>>) -> Option<[f64; 10]> {
    let mut counts = [0u32; 10];
    for landform in landforms.values().iter().flatten() {
        counts[*landform as usize] += 1;
    }
    let total: u32 = counts.iter().sum();
    (total > 0).then(|| counts.map(|count| f64::from(count) / f64::from(total)))
}

/// Jensen–Shannon distance between two histograms (Endres & Schindelin 2003) `[-]`: the square root of the
/// divergence in bits; 0 for equal ones, 1 for those that share no landform.
pub fn jensen_shannon(p: &[f64; 10], q: &[f64; 10]) -> f64 {
    let part = |p: f64, q: f64| if p > 0.0 { 0.5 * p * (2.0 * p / (p + q)).log2() } else { 0.0 };
    let divergence: f64 = p.iter().zip(q).map(|(&p, &q)| part(p, q) + part(q, p)).sum();
    divergence.max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::Frame;

    fn middle(height: impl Fn(f32, f32) -> f32 + Sync) -> Landform {
        let height = Grid2::from_fn(31, 31, |col, row| height(col as f32 - 15.0, 15.0 - row as f32));
        let ground = Heightfield { height, frame: Frame::with_cell(1.0) };
        Geomorphons::default().classify(&ground).at(15, 15).unwrap()
    }

    #[test]
    fn simple_ground_is_called_what_it_is() {
        assert_eq!(middle(|_, _| 4.0), Landform::Flat);
        assert_eq!(middle(|x, y| -0.1 * (x * x + y * y)), Landform::Peak);
        assert_eq!(middle(|x, y| 0.1 * (x * x + y * y)), Landform::Pit);
        assert_eq!(middle(|x, _| -x.abs()), Landform::Ridge);
        assert_eq!(middle(|x, _| x.abs()), Landform::Valley);
        assert_eq!(middle(|x, y| x + 0.3 * y), Landform::Slope);
        assert_eq!(middle(|x, _| x.min(0.0)), Landform::Shoulder);
        assert_eq!(middle(|x, _| x.max(0.0)), Landform::Footslope);
        assert_eq!(middle(|x, y| y - 1.5 * x.abs()), Landform::Ridge);
        assert_eq!(middle(|x, y| y - 0.5 * x.abs()), Landform::Spur);
        assert_eq!(middle(|x, y| y + 0.5 * x.abs()), Landform::Hollow);
    }

    #[test]
    fn a_histogram_counts_only_cells_with_data() {
        let mut height = Grid2::filled(4, 1, 1.0);
        height.set(3, 0, f32::NAN);
        let ground = Heightfield { height, frame: Frame::with_cell(1.0) };
        let shares = histogram(&Geomorphons::default().classify(&ground)).unwrap();
        assert_eq!(shares, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(histogram(&Grid2::filled(2, 2, None)), None);
    }

    #[test]
    fn histograms_without_anything_in_common_are_one_apart() {
        let (mut p, mut q) = ([0.0; 10], [0.0; 10]);
        (p[2], q[5]) = (1.0, 1.0);
        assert_eq!(jensen_shannon(&p, &q), 1.0);
        assert_eq!(jensen_shannon(&p, &p), 0.0);
        q[2] = 1.0;
        assert_eq!(jensen_shannon(&p, &q.map(|v| v / 2.0)), jensen_shannon(&q.map(|v| v / 2.0), &p));
    }
}
