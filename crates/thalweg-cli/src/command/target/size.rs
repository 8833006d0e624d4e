//! Sizes of terrain that programs take.

use super::Target;
use crate::Failure;
use crate::args::{ConvertArgs, FitArg, TargetArg};
use crate::command::fitted::keeps_shape;
use crate::command::tiles;
use std::collections::BTreeSet;

/// Cells along the sides of sections that Unreal has, less one, and sections along the side of a component.
const QUADS: [usize; 6] = [7, 15, 31, 63, 127, 255];
const SECTIONS: [usize; 2] = [1, 2];

/// Most components of a landscape in Unreal.
const COMPONENTS: usize = 1024;

impl Target {
    /// The size to write: the ground's own or the one asked for, if the program takes it, or with `--fit` the nearest that it does.
    pub(crate) fn size(&self, args: &ConvertArgs, old: [usize; 2]) -> Result<[usize; 2], Failure> {
        let wanted = args.size.unwrap_or(old);
        // Tiles have the size that counts.
        let [across, down] = args.tiles.unwrap_or([1, 1]);
        let tile = [(wanted[0] - 1) / across + 1, (wanted[1] - 1) / down + 1];
        if self.is_legal(tile) {
            if let Some(count) = args.tiles {
                tiles::windows(wanted, count)?;
            }
            return Ok(wanted);
        }
        let near = self.nearest(tile);
        let (Some(fit), None) = (args.fit, args.size) else { return Err(self.refused(tile, &near)) };
        let whole = |[cols, rows]: [usize; 2]| [(cols - 1) * across + 1, (rows - 1) * down + 1];
        let off = |size: &[usize; 2]| {
            let cells = |[cols, rows]: [usize; 2]| (cols as f64 * rows as f64).ln();
            let bent = if keeps_shape(old, *size) { 0.0 } else { 10.0 };
            (cells(*size) - cells(old)).abs() + if fit == FitArg::Nearest { bent } else { 0.0 }
        };
        let sizes = near.iter().map(|&size| whole(size));
        let Some(size) = sizes.min_by(|a, b| off(a).total_cmp(&off(b))) else {
            return Err(self.refused(tile, &near));
        };
        if fit == FitArg::Nearest && !keeps_shape(old, size) {
            return Err(Failure::usage(format!(
                "{} takes no terrain of the shape of {} x {} cells; say --fit crop to cut or --fit pad to add ground \
                 instead of --fit nearest",
                self.name, old[0], old[1]
            )));
        }
        Ok(size)
    }

    fn refused(&self, [cols, rows]: [usize; 2], near: &[[usize; 2]]) -> Failure {
        let sizes: Vec<_> = near.iter().map(|[cols, rows]| format!("{cols}x{rows}")).collect();
        let rule = match self.program {
            TargetArg::Unity => "a square of 33 to 4097, a power of two and one",
            _ => "sections of 7 to 255 cells and one, such as 505, 1009, 2017 or 4033",
        };
        Failure::usage(format!(
            "{} takes no terrain of {cols} x {rows} cells ({rule}); the nearest are {}: choose one with --size, or say \
             --fit nearest to resample, --fit crop to cut or --fit pad to add ground",
            self.name,
            sizes.join(" and ")
        ))
    }

    fn is_legal(&self, [cols, rows]: [usize; 2]) -> bool {
        match self.program {
            TargetArg::Unity => cols == rows && (33..=4097).contains(&cols) && (cols - 1).is_power_of_two(),
            TargetArg::Unreal => landscape([cols, rows]).is_some(),
            _ => true,
        }
    }

    /// The nearest sizes below and above.
    fn nearest(&self, [cols, rows]: [usize; 2]) -> Vec<[usize; 2]> {
        let side = cols.max(rows);
        if self.program == TargetArg::Unity {
            let sides: Vec<usize> = (5..=12).map(|n| (1 << n) + 1).collect();
            let below = sides.iter().rev().find(|&&n| n <= side);
            let above = sides.iter().find(|&&n| n >= side);
            return below.into_iter().chain(above).map(|&n| [n, n]).collect();
        }
        let mut sizes = BTreeSet::new();
        for unit in QUADS.iter().flat_map(|quads| SECTIONS.map(|sections| quads * sections)) {
            for longer in 1..=COMPONENTS {
                let long = longer * unit;
                if longer > 1 && long > 2 * side {
                    break;
                }
                let short =
                    (cols.min(rows) - 1) as f64 / (side.max(2) - 1) as f64 * long as f64 / unit as f64;
                for shorter in [short.floor(), short.ceil()].map(|n| (n as usize).max(1)) {
                    if longer * shorter <= COMPONENTS {
                        let [a, b] = [long + 1, shorter * unit + 1];
                        sizes.insert(if cols >= rows { [a, b] } else { [b, a] });
                    }
                }
            }
        }
        // Its own shape first: one that is bent least, then the one nearest in size.
        let shape = (cols as f64 / rows as f64).ln();
        let off = |size: &[usize; 2]| {
            let bent = ((size[0] as f64 / size[1] as f64).ln() - shape).abs();
            let far = (size[0].max(size[1]) as f64 / side as f64).ln().abs();
            far + 4.0 * bent
        };
        let best = |wanted: &dyn Fn(usize) -> bool| {
            let sizes = sizes.iter().filter(|size| wanted(size[0].max(size[1])));
            sizes.min_by(|a, b| off(a).total_cmp(&off(b))).copied()
        };
        best(&|n| n <= side).into_iter().chain(best(&|n| n > side)).collect()
    }
}

/// Quads along a section, sections along a component, and components to the east and to the south of a landscape in Unreal:
/// as few components as possible. `None` if it takes no such size.
pub(super) fn landscape([cols, rows]: [usize; 2]) -> Option<[usize; 4]> {
    let mut best = None;
    for quads in QUADS {
        for sections in SECTIONS {
            let unit = quads * sections;
            if cols < 2 || rows < 2 || !(cols - 1).is_multiple_of(unit) || !(rows - 1).is_multiple_of(unit) {
                continue;
            }
            let [across, down] = [(cols - 1) / unit, (rows - 1) / unit];
            let fewer = best.is_none_or(|[_, _, a, d]: [usize; 4]| across * down < a * d);
            if across * down <= COMPONENTS && fewer {
                best = Some([quads, sections, across, down]);
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes that Epic recommends, with the sections and components of its table.
    #[test]
    fn the_recommended_sizes_are_made_of_their_sections() {
        for (side, expected) in [
            (8129, [127, 2, 32, 32]),
            (4033, [63, 2, 32, 32]),
            (2017, [63, 2, 16, 16]),
            (1009, [63, 2, 8, 8]),
            (505, [63, 2, 4, 4]),
        ] {
            let found = landscape([side, side]).unwrap_or_default();
            let [quads, sections, across, down] = found;
            assert_eq!(quads * sections * across + 1, side, "{found:?}");
            assert!(
                across * down <= expected[2] * expected[3],
                "{side}: {found:?}, {expected:?} are recommended"
            );
        }
        assert_eq!(landscape([1024, 1024]), None);
        assert_eq!(landscape([1009, 505]).map(|[.., a, d]| a == 2 * d), Some(true));
    }

    #[test]
    fn the_nearest_sizes_lie_on_both_sides() {
        let unity = Target::of(TargetArg::Unity);
        assert_eq!(unity.nearest([1000, 700]), [[513, 513], [1025, 1025]]);
        let unreal = Target::of(TargetArg::Unreal);
        let [below, above] = unreal.nearest([1000, 1000])[..] else { panic!() };
        assert!(unreal.is_legal(below) && unreal.is_legal(above));
        assert!(below[0] <= 1000 && above[0] > 1000 && below[0] == below[1] && above[0] == above[1]);
        for size in unreal.nearest([1000, 500]) {
            assert!(unreal.is_legal(size), "{size:?}");
        }
    }
}
