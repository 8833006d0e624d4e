//! Universal Transverse Mercator: degrees to metres and back.
//!
//! Krüger's series in the third flattening n, to n⁶, as Karney (2011, J. Geodesy 85, 475–485, eqs. 35 and 36) gives
//! them: within 5 nm of the exact projection as far as 35° from the zone's meridian.

use std::f64::consts::PI;
use std::fmt;

/// Half the long axis of the WGS 84 ellipsoid `[m]`.
const RADIUS: f64 = 6_378_137.0;
/// Its flattening `[-]`. That of GRS 80 differs in the tenth digit: 0.1 mm on the map.
const FLATTENING: f64 = 1.0 / 298.257_223_563;
/// Third flattening n `[-]`.
const N: f64 = FLATTENING / (2.0 - FLATTENING);
/// Scale on the zone's meridian `[-]`.
const SCALE: f64 = 0.9996;
/// Coordinate of the zone's meridian `[m]`.
const FALSE_EAST: f64 = 500_000.0;
/// Coordinate of the equator in zones south of it `[m]`.
const FALSE_NORTH: f64 = 10_000_000.0;
/// Where zones end to the south and to the north, and the polar projections begin [°].
const LATITUDES: [f64; 2] = [-80.0, 84.0];

/// Coefficients α of Karney's eq. 35, each a polynomial in n from its first power that counts on.
const FORWARD: [&[f64]; 6] = [
    &[1.0 / 2.0, -2.0 / 3.0, 5.0 / 16.0, 41.0 / 180.0, -127.0 / 288.0, 7891.0 / 37_800.0],
    &[13.0 / 48.0, -3.0 / 5.0, 557.0 / 1440.0, 281.0 / 630.0, -1_983_433.0 / 1_935_360.0],
    &[61.0 / 240.0, -103.0 / 140.0, 15_061.0 / 26_880.0, 167_603.0 / 181_440.0],
    &[49_561.0 / 161_280.0, -179.0 / 168.0, 6_601_661.0 / 7_257_600.0],
    &[34_729.0 / 80_640.0, -3_418_889.0 / 1_995_840.0],
    &[212_378_941.0 / 319_334_400.0],
];

/// Coefficients β of Karney's eq. 36, likewise.
const BACKWARD: [&[f64]; 6] = [
    &[1.0 / 2.0, -2.0 / 3.0, 37.0 / 96.0, -1.0 / 360.0, -81.0 / 512.0, 96_199.0 / 604_800.0],
    &[1.0 / 48.0, 1.0 / 15.0, -437.0 / 1440.0, 46.0 / 105.0, -1_118_711.0 / 3_870_720.0],
    &[17.0 / 480.0, -37.0 / 840.0, -209.0 / 4480.0, 5569.0 / 90_720.0],
    &[4397.0 / 161_280.0, -11.0 / 504.0, -830_251.0 / 7_257_600.0],
    &[4583.0 / 161_280.0, -108_847.0 / 3_991_680.0],
    &[20_648_693.0 / 638_668_800.0],
];

/// A zone of the Universal Transverse Mercator projection on WGS 84.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Utm {
    /// Number of the zone, 1 to 60.
    pub zone: u8,
    /// Whether it is the southern half.
    pub south: bool,
}

impl Utm {
    /// The zone of a place in degrees east and north; `None` for one that is not on the globe or near a pole. The wider
    /// zones at Bergen and on Svalbard are not made an exception of.
    pub fn at([longitude, latitude]: [f64; 2]) -> Option<Self> {
        let on_globe =
            (-180.0..=360.0).contains(&longitude) && (LATITUDES[0]..=LATITUDES[1]).contains(&latitude);
        let zone = ((longitude + 180.0).rem_euclid(360.0) / 6.0).floor() as u8 + 1;
        on_globe.then_some(Self { zone: zone.min(60), south: latitude < 0.0 })
    }

    /// Its number in the EPSG registry.
    pub fn epsg(self) -> u16 {
        (if self.south { 32_700 } else { 32_600 }) + u16::from(self.zone)
    }

    /// Its meridian [°].
    pub fn meridian(self) -> f64 {
        f64::from(self.zone) * 6.0 - 183.0
    }

    /// Metres east and north of a place in degrees.
    pub fn project(self, [longitude, latitude]: [f64; 2]) -> [f64; 2] {
        let turn = longitude - self.meridian();
        let lambda = (turn - 360.0 * libm::rint(turn / 360.0)).to_radians();
        let tau = conformal(libm::tan(latitude.to_radians()));
        let xi = libm::atan2(tau, libm::cos(lambda));
        let eta = libm::asinh(libm::sin(lambda) / libm::hypot(tau, libm::cos(lambda)));
        let [dxi, deta] = series(&FORWARD, xi, eta);
        let north = if self.south { FALSE_NORTH } else { 0.0 };
        let metres = SCALE * rectifying_radius();
        [FALSE_EAST + metres * (eta + deta), north + metres * (xi + dxi)]
    }

    /// Degrees east and north of a place in metres.
    pub fn unproject(self, [east, north]: [f64; 2]) -> [f64; 2] {
        let metres = SCALE * rectifying_radius();
        let eta = (east - FALSE_EAST) / metres;
        let xi = (north - if self.south { FALSE_NORTH } else { 0.0 }) / metres;
        let [dxi, deta] = series(&BACKWARD, xi, eta);
        let (xi, eta) = (xi - dxi, eta - deta);
        let (sinh, cos) = (libm::sinh(eta), libm::cos(xi));
        let tau = geographic(libm::sin(xi) / libm::hypot(sinh, cos));
        [self.meridian() + libm::atan2(sinh, cos).to_degrees(), libm::atan(tau).to_degrees()]
    }
}

impl fmt::Display for Utm {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "UTM zone {}{} (EPSG:{})", self.zone, if self.south { 'S' } else { 'N' }, self.epsg())
    }
}

/// Radius of the circle that is as long as a meridian `[m]` (Karney 2011, eq. 14).
fn rectifying_radius() -> f64 {
    let n2 = N * N;
    RADIUS / (1.0 + N) * (1.0 + n2 / 4.0 + n2 * n2 / 64.0 + n2 * n2 * n2 / 256.0)
}

/// First eccentricity `[-]`.
fn eccentricity() -> f64 {
    (FLATTENING * (2.0 - FLATTENING)).sqrt()
}

/// Tangent of the conformal latitude from that of the geographic one (Karney 2011, eqs. 7 to 9).
fn conformal(tau: f64) -> f64 {
    let e = eccentricity();
    let secant = libm::hypot(1.0, tau);
    let sigma = libm::sinh(e * libm::atanh(e * tau / secant));
    tau * libm::hypot(1.0, sigma) - sigma * secant
}

/// Tangent of the geographic latitude from that of the conformal one, by Newton's method (Karney 2011, eqs. 19 to 21):
/// two rounds reach the last bits, a third is for safety.
fn geographic(wanted: f64) -> f64 {
    let e2 = FLATTENING * (2.0 - FLATTENING);
    let mut tau = wanted / (1.0 - e2);
    for _ in 0..3 {
        let own = conformal(tau);
        let slope = (1.0 - e2) * libm::hypot(1.0, tau) / (1.0 + (1.0 - e2) * tau * tau);
        tau += (wanted - own) / libm::hypot(1.0, own) / slope;
    }
    tau
}

/// Σ cⱼ sin 2jξ cosh 2jη and Σ cⱼ cos 2jξ sinh 2jη.
fn series(coefficients: &[&[f64]; 6], xi: f64, eta: f64) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for (power, coefficients) in (1..).zip(coefficients) {
        let polynomial = coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * N + coefficient);
        let c = polynomial * (0..power).fold(1.0, |product, _| product * N);
        let (angle, stretch) = (2.0 * f64::from(power) * xi, 2.0 * f64::from(power) * eta);
        sums[0] += c * libm::sin(angle) * libm::cosh(stretch);
        sums[1] += c * libm::cos(angle) * libm::sinh(stretch);
    }
    sums
}

/// How far the meridian through a place is from the zone's, at most, for a map to be put into one zone [°]. Lengths are
/// 0.5 % off there.
pub(crate) const FARTHEST: f64 = 6.0;

/// A degree along a meridian, roughly `[m]`.
pub(crate) const DEGREE: f64 = RADIUS * PI / 180.0;

#[cfg(test)]
mod tests {
    use super::*;

    /// Coordinates by PROJ 9 (pyproj 3.7.2), to 0.01 mm: inside zones, at their borders, on both sides of the equator and of
    /// the date line, near the pole, and 6° from a meridian.
    const KNOWN: [(Utm, [f64; 2], [f64; 2]); 11] = [
        (Utm { zone: 11, south: false }, [-118.2, 34.3], [389_570.721_79, 3_796_071.921_89]),
        (Utm { zone: 11, south: false }, [-120.0, 34.0], [222_908.704_53, 3_766_214.716_10]),
        (Utm { zone: 11, south: false }, [-114.0, 48.5], [721_603.297_31, 5_376_222.563_15]),
        (Utm { zone: 32, south: false }, [9.0, 0.0], [500_000.0, 0.0]),
        (Utm { zone: 32, south: false }, [8.2275, 46.8182], [441_071.440_02, 5_185_251.340_66]),
        (Utm { zone: 33, south: false }, [17.9, 83.9], [534_390.831_27, 9_317_795.753_33]),
        (Utm { zone: 56, south: true }, [151.2153, -33.8568], [334_900.569_65, 6_252_288.752_89]),
        (Utm { zone: 19, south: true }, [-71.9, -54.9], [314_057.039_49, 3_912_485.042_03]),
        (Utm { zone: 31, south: false }, [9.0, 60.0], [834_359.667_89, 6_666_593.572_15]),
        (Utm { zone: 60, south: false }, [179.9, 65.0], [636_716.782_88, 7_211_591.252_16]),
        (Utm { zone: 1, south: true }, [-179.99, -17.5], [182_471.839_92, 8_062_638.089_43]),
    ];

    #[test]
    fn known_places_have_their_coordinates() {
        for (utm, degrees, metres) in KNOWN {
            let [east, north] = utm.project(degrees);
            let off = (east - metres[0]).hypot(north - metres[1]);
            // The numbers above are rounded to 0.01 mm.
            assert!(off < 2.0e-5, "{degrees:?} is {off:e} m off in {utm}");
        }
    }

    #[test]
    fn places_come_back() {
        for (utm, degrees, _) in KNOWN {
            let [longitude, latitude] = utm.unproject(utm.project(degrees));
            let off = (longitude - degrees[0]).hypot(latitude - degrees[1]) * DEGREE;
            assert!(off < 1.0e-6, "{degrees:?} comes back {off:e} m off in {utm}");
        }
    }

    #[test]
    fn places_have_a_zone_and_poles_have_none() {
        let epsg = |longitude, latitude| Utm::at([longitude, latitude]).map(Utm::epsg);
        assert_eq!(epsg(-118.2, 34.3), Some(32_611));
        assert_eq!(epsg(151.2, -33.9), Some(32_756));
        assert_eq!(
            (epsg(-180.0, 1.0), epsg(180.0, 1.0), epsg(179.9, 1.0)),
            (Some(32_601), Some(32_601), Some(32_660))
        );
        assert_eq!(
            (epsg(241.8, 34.3), epsg(6.0, 50.0), epsg(5.999, 50.0)),
            (Some(32_611), Some(32_632), Some(32_631))
        );
        assert_eq!(
            (epsg(9.0, 85.0), epsg(9.0, -81.0), epsg(500.0, 3.0), epsg(f64::NAN, 3.0)),
            (None, None, None, None)
        );
        assert_eq!(Utm::at([-71.0, -50.0]).unwrap().to_string(), "UTM zone 19S (EPSG:32719)");
    }
}
