//! Ready-made recipes.

use super::{Blend, Island, Layer, Mask, Recipe};
use crate::noise::{Billow, Fbm, Ridged, Voronoi, Warp};
use crate::shape::{Basin, Bump, Canyon, Cone, Ditch, Meander, Plane, Ramp};

/// The names that [`Recipe::named`] knows, each with what it makes.
pub fn kinds() -> &'static [(&'static str, &'static str)] {
    &[
        ("range", "a mountain range with broad valleys, to be eroded"),
        ("island", "a mountainous island, its coast inside the terrain"),
        ("fbm", "rolling hills of fractional Brownian motion"),
        ("ridged", "branching crests of ridged multifractal noise"),
        ("billow", "rounded hills that meet in creases"),
        ("voronoi", "cone-like mountains whose feet meet at the cell borders"),
        ("plane", "level ground with the faintest roughness"),
        ("ramp", "an even slope rising north, slightly rough"),
        ("bump", "one smooth round hill"),
        ("cone", "one straight cone"),
        ("basin", "a round bowl"),
        ("ditch", "a straight channel with a ridge across its middle"),
        ("meander", "a winding channel down a gentle slope"),
        ("canyon", "a plateau cut by a terraced winding valley"),
    ]
}

impl Recipe {
    /// A ready-made recipe for a terrain `extent` metres wide; `None` for a name not in [`kinds`].
    pub fn named(kind: &str, extent: f64) -> Option<Self> {
        let faint = |height: f64| {
            Layer::Fbm(Fbm {
                height: height * extent,
                wavelength: 0.1 * extent,
                octaves: 5,
                ..Fbm::default()
            })
        };
        let layers = match kind {
            "range" => return Some(range(extent)),
            "island" => return Some(island(extent)),
            "fbm" => vec![Layer::Fbm(Fbm {
                height: 0.12 * extent,
                wavelength: 0.5 * extent,
                octaves: 10,
                ..Fbm::default()
            })],
            "ridged" => vec![Layer::Ridged(Ridged {
                height: 0.13 * extent,
                wavelength: 0.5 * extent,
                octaves: 9,
                gain: 0.45,
                warp: warp(extent, 0.04, 0.3),
                ..Ridged::default()
            })],
            "billow" => vec![Layer::Billow(Billow {
                height: 0.08 * extent,
                wavelength: 0.4 * extent,
                warp: warp(extent, 0.03, 0.25),
                ..Billow::default()
            })],
            "voronoi" => voronoi(extent),
            "plane" => vec![Layer::Plane(Plane::default()), faint(0.0005)],
            "ramp" => vec![Layer::Ramp(Ramp { grade: 0.1, ..Ramp::default() }), faint(0.002)],
            "bump" => {
                vec![Layer::Bump(Bump { height: 0.15 * extent, radius: 0.17 * extent, ..Bump::default() })]
            }
            "cone" => {
                vec![Layer::Cone(Cone { height: 0.2 * extent, radius: 0.42 * extent, ..Cone::default() })]
            }
            "basin" => {
                vec![Layer::Basin(Basin { depth: 0.1 * extent, radius: 0.45 * extent, ..Basin::default() })]
            }
            "ditch" => vec![
                Layer::Ramp(Ramp { grade: 0.04, ..Ramp::default() }),
                Layer::Ditch(Ditch {
                    depth: 0.06 * extent,
                    width: 0.3 * extent,
                    ridge_height: 0.035 * extent,
                    ridge_width: 0.16 * extent,
                    ..Ditch::default()
                }),
                faint(0.002),
            ],
            "meander" => vec![
                Layer::Ramp(Ramp { grade: 0.04, ..Ramp::default() }),
                Layer::Meander(Meander {
                    depth: 0.03 * extent,
                    width: 0.09 * extent,
                    amplitude: 0.1 * extent,
                    wavelength: 0.5 * extent,
                    ..Meander::default()
                }),
                faint(0.002),
            ],
            "canyon" => canyon(extent),
            _ => return None,
        };
        Some(Self { layers, island: None })
    }
}

/// A warp in shares of the extent.
fn warp(extent: f64, amplitude: f64, wavelength: f64) -> Option<Warp> {
    Some(Warp { amplitude: amplitude * extent, wavelength: wavelength * extent, octaves: 3 })
}

/// Few mountains with warped flanks, rougher towards their tops.
fn voronoi(extent: f64) -> Vec<Layer> {
    vec![
        Layer::Voronoi(Voronoi {
            height: 0.19 * extent,
            spacing: 0.36 * extent,
            jitter: 1.0,
            sharpness: 1.2,
            warp: warp(extent, 0.03, 0.2),
            ..Voronoi::default()
        }),
        Layer::Ridged(Ridged {
            height: 0.03 * extent,
            wavelength: 0.15 * extent,
            octaves: 8,
            gain: 0.45,
            mask: Some(Mask::Height { low: 0.06 * extent, high: extent, fade: 0.1 * extent }),
            warp: warp(extent, 0.01, 0.1),
            ..Ridged::default()
        }),
        Layer::Fbm(Fbm {
            height: 0.012 * extent,
            wavelength: 0.2 * extent,
            octaves: 8,
            gain: 0.45,
            ..Fbm::default()
        }),
    ]
}

/// A winding main crest from which the ground falls to both sides, mountains and spurs along it whose
/// valleys join at their feet, and detail that grows rougher the higher it stands. The even fall below
/// lets the valleys out; noise alone would close them.
pub(super) fn range(extent: f64) -> Recipe {
    let chain = Layer::Canyon(Canyon {
        depth: 0.1 * extent,
        width: 1.1 * extent,
        floor_width: 0.0,
        roundness: 0.75,
        grade: 0.01,
        amplitude: 0.3 * extent,
        wavelength: 0.8 * extent,
        direction: 1.1, // across the map, but not along its edges
        blend: Blend::Subtract,
        warp: warp(extent, 0.08, 0.4),
        ..Canyon::default()
    });
    let mountains = Layer::Voronoi(Voronoi {
        height: 0.1 * extent,
        spacing: 0.3 * extent,
        jitter: 1.0,
        variety: 0.5,
        sharpness: 1.3,
        warp: warp(extent, 0.05, 0.25),
        ..Voronoi::default()
    });
    let spurs = Layer::Voronoi(Voronoi {
        height: 0.025 * extent,
        spacing: 0.12 * extent,
        jitter: 1.0,
        variety: 0.6,
        warp: warp(extent, 0.03, 0.15),
        ..Voronoi::default()
    });
    let crests = Layer::Ridged(Ridged {
        height: 0.02 * extent,
        wavelength: 0.14 * extent,
        octaves: 8,
        gain: 0.42,
        warp: warp(extent, 0.015, 0.15),
        mask: Some(Mask::Height { low: 0.09 * extent, high: extent, fade: 0.1 * extent }),
        ..Ridged::default()
    });
    let hills = Layer::Fbm(Fbm {
        height: 0.008 * extent,
        wavelength: 0.2 * extent,
        octaves: 9,
        gain: 0.45,
        ..Fbm::default()
    });
    Recipe { layers: vec![chain, mountains, spurs, crests, hills], island: None }
}

/// The range with bays and headlands, drowned at the edges of the map.
fn island(extent: f64) -> Recipe {
    let Recipe { mut layers, .. } = range(extent);
    layers.push(Layer::Fbm(Fbm {
        height: 0.09 * extent,
        wavelength: 0.4 * extent,
        octaves: 9,
        offset: -0.07 * extent,
        ..Fbm::default()
    }));
    Recipe { layers, island: Some(Island { shore: 0.4 * extent, sharpness: 1.0, floor: -0.03 * extent }) }
}

/// A plateau, the canyon through it, and roughness on both.
fn canyon(extent: f64) -> Vec<Layer> {
    vec![
        Layer::Fbm(Fbm { height: 0.02 * extent, wavelength: 0.4 * extent, octaves: 6, ..Fbm::default() }),
        Layer::Canyon(Canyon {
            depth: 0.12 * extent,
            width: 0.3 * extent,
            floor_width: 0.02 * extent,
            roundness: 1.2,
            terraces: 5,
            grade: 0.02,
            amplitude: 0.18 * extent,
            wavelength: 0.45 * extent,
            direction: std::f64::consts::FRAC_PI_2,
            warp: warp(extent, 0.02, 0.1),
            ..Canyon::default()
        }),
        Layer::Fbm(Fbm { height: 0.004 * extent, wavelength: 0.08 * extent, octaves: 7, ..Fbm::default() }),
    ]
}
