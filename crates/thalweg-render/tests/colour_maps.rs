//! The colour maps as people with other eyes see them.

use thalweg_render::ColourMap;

/// Least distance of two colours at least 1/8 of a map apart, in CIELAB (1976). A just noticeable difference
/// is about 2.3 side by side; twice that and more can be found again in a legend.
const LEAST: f64 = 6.0;

/// Linear light to linear light as seen without red or without green cones (Machado, Oliveira & Fernandes
/// 2009, severity 1).
const EYES: [(&str, [[f64; 3]; 3]); 3] = [
    ("all colours", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    ),
    (
        "deuteranopia",
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    ),
];

fn times(matrix: &[[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| (0..3).map(|i| row[i] * v[i]).sum())
}

/// CIELAB of an sRGB colour as an eye sees it, white D65.
fn lab(srgb: [u8; 3], eye: &[[f64; 3]; 3]) -> [f64; 3] {
    const XYZ: [[f64; 3]; 3] = [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ];
    const WHITE: [f64; 3] = [0.95047, 1.0, 1.08883];
    let light = srgb.map(|v| {
        let v = f64::from(v) / 255.0;
        if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    });
    let seen = times(eye, light).map(|v| v.clamp(0.0, 1.0));
    let xyz = times(&XYZ, seen);
    let [x, y, z] = std::array::from_fn(|i| {
        let t: f64 = xyz[i] / WHITE[i];
        if t > 216.0 / 24389.0 { t.cbrt() } else { (24389.0 / 27.0 * t + 16.0) / 116.0 }
    });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// The least distance between colours of a table that lie 1/8 of it or more apart, and where.
fn least_distance(table: &[[u8; 3]; 256], eye: &[[f64; 3]; 3]) -> (f64, [usize; 2]) {
    let seen = table.map(|colour| lab(colour, eye));
    let mut least = (f64::INFINITY, [0; 2]);
    for i in 0..256 {
        for j in i + 32..256 {
            let distance = (0..3).map(|k| (seen[i][k] - seen[j][k]).powi(2)).sum::<f64>().sqrt();
            if distance < least.0 {
                least = (distance, [i, j]);
            }
        }
    }
    least
}

#[test]
fn steps_of_an_eighth_can_be_told_apart_by_all_eyes() {
    for map in ColourMap::ALL {
        for (name, eye) in EYES {
            let (distance, at) = least_distance(&map.table(), &eye);
            assert!(distance > LEAST, "{map:?} with {name}: {distance:.1} between {at:?} of 256");
        }
    }
}

/// Steps at which lightness has turned back by more than rounding on its way from the first to the last.
fn turns(table: &[[u8; 3]], eye: &[[f64; 3]; 3]) -> usize {
    /// One step of 8 bits in one channel `[-]`.
    const ROUNDING: f64 = 0.5;
    let lightness: Vec<f64> = table.iter().map(|&colour| lab(colour, eye)[0]).collect();
    let way = (lightness[lightness.len() - 1] - lightness[0]).signum();
    let mut reached = f64::NEG_INFINITY;
    let back = |l: &&f64| {
        reached = reached.max(way * **l);
        way * **l < reached - ROUNDING
    };
    lightness.iter().filter(back).count()
}

/// More is darker, or lighter, all along: a map that lacks this has an order only for those who know it.
#[test]
fn lightness_runs_one_way_or_away_from_the_middle() {
    for map in ColourMap::ALL {
        let table = map.table();
        let is_diverging = matches!(map, ColourMap::Diverging | ColourMap::RedBlue);
        let (parts, least): (&[&[[u8; 3]]], f64) =
            if is_diverging { (&[&table[..128], &table[128..]], 30.0) } else { (&[&table], 40.0) };
        for (name, eye) in EYES {
            for part in parts {
                assert_eq!(turns(part, &eye), 0, "{map:?} with {name}");
                let span = lab(part[0], &eye)[0] - lab(part[part.len() - 1], &eye)[0];
                assert!(span.abs() > least, "{map:?} with {name} spans a lightness of {span:.0} only");
            }
        }
    }
}

/// What the two tests above are there to keep out.
#[test]
fn rainbows_and_traffic_lights_fail() {
    let table = |gradient: colorous::Gradient| -> [[u8; 3]; 256] {
        std::array::from_fn(|i| {
            let colour = gradient.eval_continuous(i as f64 / 255.0);
            [colour.r, colour.g, colour.b]
        })
    };
    for (name, eye) in &EYES[1..] {
        let (distance, at) = least_distance(&table(colorous::RED_YELLOW_GREEN), eye);
        assert!(distance < LEAST, "{name}: {distance:.1} between {at:?} of 256");
    }
    // The steps of a rainbow can be told apart, 9 and more, but both of its ends are dark.
    for rainbow in [colorous::TURBO, colorous::RAINBOW] {
        for (name, eye) in EYES {
            let back = turns(&table(rainbow), &eye);
            assert!(back > 50, "{name}: {back} steps turn back");
        }
    }
}
