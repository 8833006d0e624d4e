//! What is measured, and what is wanted of it.

use super::Sample;
use std::ops::RangeInclusive;

/// Whether a number is as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Within what is wanted, or nothing is wanted of it.
    Within,
    /// Outside.
    Outside,
    /// There is no number, where there should be one.
    Missing,
}

/// A number about a landscape, and what is wanted of it.
#[derive(Debug)]
pub struct Measure {
    /// Name of its column.
    pub heading: &'static str,
    /// What it is called, with its unit.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// What is wanted, in the units of the table; missing: it is told for information.
    pub wanted: Option<RangeInclusive<f64>>,
    /// Where the numbers come from that are wanted.
    pub reason: &'static str,
    /// Decimals in the table.
    pub decimals: usize,
    /// Whether every landscape must have it. What only runs have, or several sizes, need not be there.
    pub required: bool,
    /// Its value in the units of the table.
    pub value: fn(&Sample) -> Option<f64>,
}

impl Measure {
    /// Whether a landscape has what is wanted of it.
    pub fn verdict(&self, sample: &Sample) -> Verdict {
        match ((self.value)(sample), &self.wanted) {
            (_, None) => Verdict::Within,
            (Some(value), Some(wanted)) if wanted.contains(&value) => Verdict::Within,
            (Some(_), Some(_)) => Verdict::Outside,
            (None, Some(_)) if self.required => Verdict::Missing,
            (None, Some(_)) => Verdict::Within,
        }
    }
}

/// Anything up to a number.
const fn up_to(most: f64) -> Option<RangeInclusive<f64>> {
    Some(f64::NEG_INFINITY..=most)
}

/// Deepest that a bed may lie below its outlet `[m]`: twice Lacey's (1930) depth of scour, 0.47 (Q/f)^⅓, for a river of
/// 10 000 m³/s and a silt factor f of 1. The factor of two is that for sharp bends.
const SCOUR: f64 = 20.0;

/// All that is measured, in the order of the table's columns. Ranges are those that windows of Big Tujunga span, 10.2 km
/// wide, widened a little; noise is outside most of them. `real windows` are the eight that `cargo xtask realism` cuts out of the
/// whole of `bigtujunga_srtm30.tif`.
pub const MEASURES: [Measure; 16] = [
    Measure {
        heading: "pits %",
        name: "cells in pits [%]",
        about: "cells in pits",
        wanted: up_to(1.0),
        reason: "real windows 0.2 to 1.0",
        decimals: 2,
        required: true,
        value: |sample| percent(sample.realism.pit_fraction),
    },
    Measure {
        heading: "Hack",
        name: "Hack exponent [-]",
        about: "exponent of Hack's law, length of rivers over area",
        wanted: Some(0.48..=0.60),
        reason: "real windows 0.48 to 0.56",
        decimals: 3,
        required: true,
        value: |sample| sample.realism.hack_exponent,
    },
    Measure {
        heading: "concav.",
        name: "concavity of channels [-]",
        about: "concavity of channels over reaches of 300 m",
        wanted: Some(0.26..=0.55),
        reason: "real windows 0.30 to 0.54",
        decimals: 3,
        required: true,
        value: |sample| sample.realism.concavity,
    },
    Measure {
        heading: "beta",
        name: "exponent of drainage areas [-]",
        about: "exponent of the distribution of drainage areas",
        wanted: Some(0.45..=0.60),
        reason: "real windows 0.44 to 0.60",
        decimals: 3,
        required: true,
        value: |sample| sample.realism.area_exponent,
    },
    Measure {
        heading: ">35° %",
        name: "cells above 35 degrees [%]",
        about: "cells steeper than 35 degrees",
        wanted: up_to(15.0),
        reason: "real windows 2 to 13",
        decimals: 1,
        required: true,
        value: |sample| percent(sample.realism.steep_fraction),
    },
    Measure {
        heading: "axes",
        name: "slopes along the axes, 1 = even",
        about: "slopes that face along the grid's axes, over an even share",
        wanted: Some(0.90..=1.10),
        reason: "real windows 0.94 to 0.99",
        decimals: 2,
        required: true,
        value: |sample| sample.realism.aspects_near_axes,
    },
    Measure {
        heading: "uneven",
        name: "unevenness of aspects [-]",
        about: "largest difference of a sector of aspects from an even share",
        wanted: None,
        reason: "real windows 0.03 to 0.08",
        decimals: 2,
        required: false,
        value: |sample| sample.realism.aspect_unevenness,
    },
    Measure {
        heading: "JS",
        name: "landforms, distance to real ones",
        about: "distance of the landforms to those of Big Tujunga, at 30 m",
        wanted: up_to(0.045),
        reason: "real windows 0.01 to 0.06",
        decimals: 3,
        required: true,
        value: |sample| sample.realism.geomorphon_distance,
    },
    Measure {
        heading: "twins %",
        name: "rivers with two threads [%]",
        about: "channel cells with a second thread beside them",
        wanted: up_to(6.0),
        reason: "real windows 0.2 to 1.6",
        decimals: 1,
        required: true,
        value: |sample| percent(sample.realism.twin_share),
    },
    Measure {
        heading: "below m",
        name: "lowest cell below outlet [m]",
        about: "depth of the lowest cell below the lowest outlet",
        wanted: up_to(SCOUR),
        reason: "twice Lacey's depth of scour for 10 000 m³/s",
        decimals: 1,
        required: true,
        value: |sample| sample.realism.below_outlet,
    },
    Measure {
        heading: "speed",
        name: "fastest water, 1 = free fall",
        about: "fastest water, over what falling down the whole relief gives, sqrt(2 g relief)",
        wanted: up_to(1.0),
        reason: "energy",
        decimals: 2,
        required: false,
        value: |sample| sample.speed_over_fall,
    },
    Measure {
        heading: "same %",
        name: "channels as at first size [%]",
        about: "channels within 100 m of those of the first size, and the other way round",
        wanted: Some(90.0..=100.0),
        reason: "the same scene at another size is the same landscape",
        decimals: 0,
        required: false,
        value: |sample| percent(sample.overlap),
    },
    Measure {
        heading: "export",
        name: "ground exported, 1 = as at first size",
        about: "ground that left over the edges, over that of the first size",
        wanted: Some(0.9..=1.1),
        reason: "the same scene at another size does the same work",
        decimals: 2,
        required: false,
        value: |sample| sample.export_ratio,
    },
    Measure {
        heading: "floor %",
        name: "rivers with a flat floor [%]",
        about: "river cells (1 km² and more) with a flat floor at least 90 m wide",
        wanted: None,
        reason: "real windows 0 to 18",
        decimals: 1,
        required: false,
        value: |sample| percent(sample.realism.floor_share),
    },
    Measure {
        heading: "curv.",
        name: "skewness of curvature [-]",
        about: "skewness of the curvature",
        wanted: None,
        reason: "real windows -0.08 to 0.03",
        decimals: 2,
        required: false,
        value: |sample| sample.realism.curvature_skew,
    },
    Measure {
        heading: "slopes",
        name: "skewness of slopes [-]",
        about: "skewness of the slope",
        wanted: None,
        reason: "real windows -0.24 to 0.33",
        decimals: 2,
        required: false,
        value: |sample| sample.realism.slope_skew,
    },
];

fn percent(share: Option<f64>) -> Option<f64> {
    share.map(|share| 100.0 * share)
}
