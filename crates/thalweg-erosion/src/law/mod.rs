//! Laws of erosion that do not depend on how the water moves.

pub mod settling;
pub mod shear;
pub mod slip;
pub mod wall;
