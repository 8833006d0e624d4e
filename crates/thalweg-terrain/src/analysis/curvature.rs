//! How the ground bends.

use super::window::window;
use thalweg_field::{Grid2, Heightfield};

/// Slopes below this have no direction to bend along `[-]`.
const LEVEL: f64 = 1.0e-9;

/// How the ground bends at every cell `[1/m]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Curvature {
    /// Down the slope: above zero where it grows gentler (a foot), below where it grows steeper (a brow).
    pub profile: Grid2<f32>,
    /// Across the slope: above zero where water gathers (a hollow), below where it parts (a nose).
    pub plan: Grid2<f32>,
    /// Both together, the sum of the second derivatives: above zero in hollows, below on hills.
    pub laplacian: Grid2<f32>,
}

/// Fits a partial quartic through the 3 × 3 cells around each cell (Zevenbergen & Thorne 1987) and takes
/// the second derivative along and across its slope. The sign is that of the mathematical derivative,
/// d²z/ds², where the paper's profile curvature counts the same way; level cells bend in neither.
pub fn curvature(ground: &Heightfield) -> Curvature {
    let cell = ground.frame.cell;
    let bends = Grid2::from_fn(ground.height.cols(), ground.height.rows(), |col, row| {
        let [z1, z2, z3] = window(&ground.height, col, row);
        let d = ((z2[0] + z2[2]) / 2.0 - z2[1]) / (cell * cell);
        let e = ((z1[1] + z3[1]) / 2.0 - z2[1]) / (cell * cell);
        let f = (-z1[0] + z1[2] + z3[0] - z3[2]) / (4.0 * cell * cell);
        let (g, h) = ((z2[2] - z2[0]) / (2.0 * cell), (z1[1] - z3[1]) / (2.0 * cell));
        let steepness = g * g + h * h;
        let laplacian = 2.0 * (d + e);
        if steepness < LEVEL * LEVEL {
            return [0.0, 0.0, laplacian as f32];
        }
        let profile = 2.0 * (d * g * g + e * h * h + f * g * h) / steepness;
        let plan = 2.0 * (d * h * h + e * g * g - f * g * h) / steepness;
        [profile as f32, plan as f32, laplacian as f32]
    });
    let part = |i: usize| bends.map(|bend| bend[i]);
    Curvature { profile: part(0), plan: part(1), laplacian: part(2) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::Frame;

    /// z = x²/200 + y²/50 bends by 1/100 along x and 1/25 along y.
    #[test]
    fn a_paraboloid_bends_as_its_formula_says() {
        let height = Grid2::from_fn(21, 21, |col, row| {
            let (x, y) = (col as f32 - 10.0, 10.0 - row as f32);
            x * x / 200.0 + y * y / 50.0
        });
        let bend = curvature(&Heightfield { height, frame: Frame::with_cell(1.0) });
        // Five cells east of the middle the slope points along x.
        assert!((bend.profile.at(15, 10) - 0.01).abs() < 1.0e-5, "{}", bend.profile.at(15, 10));
        assert!((bend.plan.at(15, 10) - 0.04).abs() < 1.0e-5, "{}", bend.plan.at(15, 10));
        assert!((bend.laplacian.at(3, 4) - 0.05).abs() < 1.0e-5, "{}", bend.laplacian.at(3, 4));
        // Along the diagonal profile and plan still share the Laplacian.
        let shared = bend.profile.at(15, 5) + bend.plan.at(15, 5);
        assert!((shared - 0.05).abs() < 1.0e-5, "{shared}");
    }
}
