//! Passes of pipes from coarse to fine.

use std::path::Path;
use thalweg::project::Project;
use thalweg::run::{Silent, simulate};

/// A walled basin with a lake, of sizes that are no whole number of coarse cells.
fn basin([cols, rows]: [usize; 2]) -> String {
    format!(
        "version = 1\n[terrain]\nsize = [{cols}, {rows}]\ncell = 10\n[[terrain.layer]]\nkind = 'fbm'\nwavelength = 300\n\
         height = 40\n[[water]]\ndepth = 2\n[time]\nsteps = 40\n[[time.coarse]]\nfactor = 4\nsteps = 30\n\
         [[time.coarse]]\nfactor = 2\nsteps = 30\n"
    )
}

/// Water neither comes nor goes where terrain gets finer cells, and with it the sediment that is afloat.
#[test]
fn finer_cells_have_as_much_water_as_coarse_ones() {
    for size in [[96, 64], [97, 66], [95, 63]] {
        let project = Project::from_text(&basin(size), "basin", Path::new(""), &[]).unwrap();
        let water = simulate(&project, 1 << 30, &mut Silent).unwrap().ledger().water;
        assert!(water.start > 1.0e6, "{} m³ of water", water.start);
        let [came, left] = [water.added, water.exported + water.evaporated].map(|share| share / water.start);
        assert!(came.abs() < 1.0e-6, "{size:?}: {came:e} of the water was added");
        assert!(left.abs() < 1.0e-9, "{size:?}: {left:e} of the water left");
    }
}
