//! Light of a clear sky: sunlight scattered once by air and haze, and what is scattered again.
//!
//! Coefficients after Bruneton & Neyret 2008 and Hillaire 2020, with less than half of their haze; the second and later scatterings are
//! taken as even in all directions (Hillaire 2020, section 5.5).

use std::f32::consts::{FRAC_PI_2, PI, TAU};

use glam::{Vec2, Vec3};

/// Radius of the earth and of the top of its air `[m]`.
const EARTH: f32 = 6.360e6;
const AIR: f32 = 6.460e6;
/// Scattering by air at sea level, and the height over which it thins to 1/e [1/m, m].
const RAYLEIGH: Vec3 = Vec3::new(5.802e-6, 13.558e-6, 33.1e-6);
const RAYLEIGH_HEIGHT: f32 = 8.0e3;
/// Scattering and extinction by haze at sea level `[1/m]`, its thinning `[m]` and forward lobe `[-]`.
const MIE: f32 = 1.6e-6;
const MIE_EXTINCTION: f32 = 1.78e-6;
const MIE_HEIGHT: f32 = 1.2e3;
const MIE_LOBE: f32 = 0.8;
/// Absorption by ozone at its densest `[1/m]`, its height and half width `[m]`.
const OZONE: Vec3 = Vec3::new(0.650e-6, 1.881e-6, 0.085e-6);
const OZONE_HEIGHT: f32 = 25.0e3;
const OZONE_WIDTH: f32 = 15.0e3;
/// Share of the light that the ground throws back `[-]`.
const GROUND: f32 = 0.25;
/// Phase function of light scattered evenly [1/sr].
const EVEN: f32 = 1.0 / (4.0 * PI);
/// Height of the viewer above the sea `[m]`.
const VIEWER: f32 = 500.0;

/// Columns (azimuth from the sun, 0 to π) and rows (square root of the elevation, 0 to π/2) of the table.
pub(crate) const TABLE: [usize; 2] = [64, 48];

/// Brightness of a colour as the eye sees it `[-]`.
fn luminance(light: Vec3) -> f32 {
    light.dot(Vec3::new(0.2126, 0.7152, 0.0722))
}

/// The sky for one height of the sun. All light is scaled so that a white level surface in the open
/// looks white (1).
#[derive(Clone, Debug)]
pub(crate) struct Sky {
    /// Radiance, row after row of `TABLE`.
    pub table: Vec<Vec3>,
    /// Light of the sun on a surface that faces it, over π.
    pub sun: Vec3,
    /// Light of sky and ground on a surface of normal n, over π: `ambient[0] + Σ ambient[1 + i] n[i]`,
    /// with x towards the sun's azimuth and z up.
    pub ambient: [Vec3; 4],
}

impl Sky {
    pub(crate) fn new(sun_elevation: f32) -> Self {
        let sun = Vec3::new(sun_elevation.cos(), 0.0, sun_elevation.sin());
        let air = Air::new(sun);
        let [cols, rows] = TABLE;
        let mut table: Vec<Vec3> = (0..cols * rows)
            .map(|i| air.radiance(VIEWER, direction_of(Vec2::new((i % cols) as f32, (i / cols) as f32))))
            .collect();
        let mut sun_light = air.transmittance(VIEWER, sun.z);
        let level: Vec3 = sun_light * sun.z + irradiance(&table);
        let scale = PI / luminance(level);
        table.iter_mut().for_each(|light| *light *= scale);
        sun_light *= scale / PI;
        let ground = GROUND * level * scale / PI;
        let ambient = ambient(&table, ground);
        Self { table, sun: sun_light, ambient }
    }

    /// The light from a direction above the horizon, x towards the sun's azimuth, z up.
    #[cfg(test)]
    pub(crate) fn radiance(&self, direction: Vec3) -> Vec3 {
        let [cols, rows] = TABLE;
        let at = place_of(direction);
        let (x, y) = (at.x.min(cols as f32 - 1.0), at.y.min(rows as f32 - 1.0));
        let cell =
            |c: f32, r: f32| self.table[(r as usize).min(rows - 1) * cols + (c as usize).min(cols - 1)];
        let (c, r) = (x.floor(), y.floor());
        let north = cell(c, r).lerp(cell(c + 1.0, r), x - c);
        let south = cell(c, r + 1.0).lerp(cell(c + 1.0, r + 1.0), x - c);
        north.lerp(south, y - r)
    }
}

/// Direction at a place in the table, counted in cells.
fn direction_of(place: Vec2) -> Vec3 {
    let azimuth = place.x / (TABLE[0] - 1) as f32 * PI;
    let share = place.y / (TABLE[1] - 1) as f32;
    let elevation = share * share * FRAC_PI_2;
    Vec3::new(azimuth.cos() * elevation.cos(), azimuth.sin() * elevation.cos(), elevation.sin())
}

#[cfg(test)]
fn place_of(direction: Vec3) -> Vec2 {
    let azimuth = direction.y.abs().atan2(direction.x);
    let elevation = direction.z.clamp(0.0, 1.0).asin();
    Vec2::new(azimuth / PI * (TABLE[0] - 1) as f32, (elevation / FRAC_PI_2).sqrt() * (TABLE[1] - 1) as f32)
}

/// Directions of the upper half, evenly spread, with the solid angle that each stands for [sr].
fn upper_half() -> (impl Iterator<Item = (Vec3, usize)>, f32) {
    const RINGS: usize = 24;
    const AROUND: usize = 48;
    let all = (0..RINGS * AROUND).map(|i| {
        let z = ((i / AROUND) as f32 + 0.5) / RINGS as f32;
        let azimuth = ((i % AROUND) as f32 + 0.5) / AROUND as f32 * TAU;
        let flat = (1.0 - z * z).sqrt();
        let direction = Vec3::new(azimuth.cos() * flat, azimuth.sin() * flat, z);
        (direction, nearest(direction))
    });
    (all, TAU / (RINGS * AROUND) as f32)
}

/// Index into the table of the cell nearest to a direction.
fn nearest(direction: Vec3) -> usize {
    let azimuth = direction.y.abs().atan2(direction.x) / PI;
    let height = (direction.z.asin() / FRAC_PI_2).sqrt();
    let col = (azimuth * (TABLE[0] - 1) as f32).round() as usize;
    let row = (height * (TABLE[1] - 1) as f32).round() as usize;
    row * TABLE[0] + col
}

/// Light of the sky on a level surface.
fn irradiance(table: &[Vec3]) -> Vec3 {
    let (directions, solid) = upper_half();
    directions.map(|(direction, i)| table[i] * direction.z * solid).sum()
}

/// First two bands of spherical harmonics of sky and ground, folded with the cosine (Ramamoorthi &
/// Hanrahan 2001): E(n)/π = c₀ + c₁·n.
fn ambient(table: &[Vec3], ground: Vec3) -> [Vec3; 4] {
    let (directions, solid) = upper_half();
    let mut sums = [Vec3::ZERO; 4];
    for (direction, i) in directions {
        for (light, toward) in [(table[i], direction), (ground, -direction)] {
            sums[0] += light * solid;
            for (sum, part) in sums[1..].iter_mut().zip(toward.to_array()) {
                *sum += light * part * solid;
            }
        }
    }
    // Band 0: π · 1/(4π) over π; band 1: (2π/3) · 3/(4π) over π.
    let [even, x, y, z] = sums;
    [even / (4.0 * PI), x / TAU, y / TAU, z / TAU]
}

/// The air, with what is needed again and again.
struct Air {
    sun: Vec3,
    /// Light scattered more than once, for a sun of strength 1, at the heights of `LEVELS`.
    again: [Vec3; 3],
}

/// Heights at which the light scattered more than once is worked out `[m]`.
const LEVELS: [f32; 3] = [0.0, 4.0e3, 16.0e3];

struct Density {
    scattered: Vec3,
    rayleigh: Vec3,
    mie: f32,
    extinction: Vec3,
}

fn density(height: f32) -> Density {
    let height = height.max(0.0);
    let rayleigh = RAYLEIGH * (-height / RAYLEIGH_HEIGHT).exp();
    let haze = (-height / MIE_HEIGHT).exp();
    let ozone = OZONE * (1.0 - (height - OZONE_HEIGHT).abs() / OZONE_WIDTH).max(0.0);
    Density {
        scattered: rayleigh + MIE * haze,
        rayleigh,
        mie: MIE * haze,
        extinction: rayleigh + MIE_EXTINCTION * haze + ozone,
    }
}

/// Way from a height along a direction with that vertical part to the top of the air, or to the ground
/// (then true).
fn way_out(height: f32, up: f32) -> (f32, bool) {
    let radius = EARTH + height;
    let reach = |sphere: f32| radius * radius * (up * up - 1.0) + sphere * sphere;
    let ground = reach(EARTH);
    if up < 0.0 && ground >= 0.0 {
        return (-radius * up - ground.sqrt(), true);
    }
    (-radius * up + reach(AIR).max(0.0).sqrt(), false)
}

fn height_along(height: f32, up: f32, way: f32) -> f32 {
    let radius = EARTH + height;
    (radius * radius + way * way + 2.0 * radius * up * way).sqrt() - EARTH
}

impl Air {
    fn new(sun: Vec3) -> Self {
        let mut air = Self { sun, again: [Vec3::ZERO; 3] };
        air.again = LEVELS.map(|height| air.scattered_again(height));
        air
    }

    /// Share of light that arrives from outside the air at a height; `up` is the sine of its elevation.
    fn transmittance(&self, height: f32, up: f32) -> Vec3 {
        const STEPS: usize = 24;
        let (way, grounded) = way_out(height, up);
        if grounded {
            return Vec3::ZERO;
        }
        let mut depth = Vec3::ZERO;
        for step in 0..STEPS {
            // Steps grow outwards, as the air thins.
            let edge = |i: usize| way * (i as f32 / STEPS as f32).powi(2);
            let (near, far) = (edge(step), edge(step + 1));
            depth += density(height_along(height, up, 0.5 * (near + far))).extinction * (far - near);
        }
        (-depth).exp()
    }

    fn radiance(&self, height: f32, direction: Vec3) -> Vec3 {
        const STEPS: usize = 32;
        self.gathered(height, direction, STEPS, true).0
    }

    /// Light from a direction, and the share of even light that would be scattered into it.
    fn gathered(&self, height: f32, direction: Vec3, steps: usize, lobes: bool) -> (Vec3, Vec3) {
        let (way, grounded) = way_out(height, direction.z);
        let cosine = direction.dot(self.sun);
        let (rayleigh_phase, mie_phase) =
            if lobes { (rayleigh(cosine), henyey_greenstein(cosine)) } else { (EVEN, EVEN) };
        let (mut light, mut share, mut clear) = (Vec3::ZERO, Vec3::ZERO, Vec3::ONE);
        for step in 0..steps {
            let edge = |i: usize| way * (i as f32 / steps as f32).powi(2);
            let (near, far) = (edge(step), edge(step + 1));
            let middle = 0.5 * (near + far);
            let here = height_along(height, direction.z, middle);
            let air = density(here);
            let through = (-air.extinction * (far - near)).exp();
            let up = self.sun_up(height, direction, middle);
            let lit = self.transmittance(here, up);
            let source = (air.rayleigh * rayleigh_phase + Vec3::splat(air.mie * mie_phase)) * lit
                + air.scattered * self.again(here);
            // Exact over the step if source and extinction are even in it (Hillaire 2015).
            let weight = clear * (Vec3::ONE - through) / air.extinction.max(Vec3::splat(1.0e-12));
            light += weight * source;
            share += weight * air.scattered;
            clear *= through;
        }
        if grounded {
            let lit = self.transmittance(0.0, self.sun.z) * self.sun.z.max(0.0);
            light += clear * lit * GROUND / PI;
        }
        (light, share)
    }

    /// Sine of the sun's elevation at a place along a ray.
    fn sun_up(&self, height: f32, direction: Vec3, way: f32) -> f32 {
        let place = Vec3::new(0.0, 0.0, EARTH + height) + direction * way;
        place.normalize().dot(self.sun)
    }

    fn again(&self, height: f32) -> Vec3 {
        let [low, middle, high] = self.again;
        if height < LEVELS[1] {
            low.lerp(middle, height / LEVELS[1])
        } else {
            middle.lerp(high, ((height - LEVELS[1]) / (LEVELS[2] - LEVELS[1])).min(1.0))
        }
    }

    /// All scatterings but the first, as a geometric row (Hillaire 2020, eq. 10).
    fn scattered_again(&self, height: f32) -> Vec3 {
        const SIDE: usize = 8;
        let (mut light, mut share) = (Vec3::ZERO, Vec3::ZERO);
        for i in 0..SIDE * SIDE {
            let z = ((i / SIDE) as f32 + 0.5) / SIDE as f32 * 2.0 - 1.0;
            let azimuth = ((i % SIDE) as f32 + 0.5) / SIDE as f32 * TAU;
            let flat = (1.0 - z * z).sqrt();
            let direction = Vec3::new(azimuth.cos() * flat, azimuth.sin() * flat, z);
            let (one, part) = self.gathered(height, direction, 16, false);
            light += one;
            share += part;
        }
        let count = (SIDE * SIDE) as f32;
        (light / count) / (Vec3::ONE - (share / count).min(Vec3::splat(0.95)))
    }
}

fn rayleigh(cosine: f32) -> f32 {
    3.0 / (16.0 * PI) * (1.0 + cosine * cosine)
}

/// Cornette & Shanks' form of the phase function of Henyey & Greenstein.
fn henyey_greenstein(cosine: f32) -> f32 {
    let g = MIE_LOBE;
    let shape = 3.0 / (8.0 * PI) * (1.0 - g * g) / (2.0 + g * g);
    shape * (1.0 + cosine * cosine) / (1.0 + g * g - 2.0 * g * cosine).powf(1.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clear_noon_sky_is_blue_above_and_paler_at_the_horizon() {
        let sky = Sky::new(1.0);
        let (zenith, horizon) = (sky.radiance(Vec3::Z), sky.radiance(Vec3::new(0.0, 1.0, 0.03)));
        assert!(zenith.z > 1.8 * zenith.x, "{zenith}");
        assert!(luminance(horizon) > 1.5 * luminance(zenith), "{horizon} {zenith}");
        assert!(horizon.z / horizon.x < 0.8 * zenith.z / zenith.x, "{horizon} {zenith}");
    }

    #[test]
    fn a_white_level_surface_looks_white_and_a_low_sun_is_red() {
        for elevation in [0.2, 0.5, 1.3_f32] {
            let sky = Sky::new(elevation);
            let level = sky.sun * elevation.sin() + sky.ambient[0] + sky.ambient[3];
            assert!((luminance(level) - 1.0).abs() < 0.08, "{elevation}: {level}");
        }
        let (low, high) = (Sky::new(0.04).sun, Sky::new(1.2).sun);
        assert!(low.x / low.z > 2.0 * high.x / high.z, "{low} {high}");
    }

    /// Skylight is a tenth to a fifth of all light on a clear day with a high sun.
    #[test]
    fn skylight_is_a_small_part_of_daylight() {
        let sky = Sky::new(60f32.to_radians());
        let share = luminance(sky.ambient[0] + sky.ambient[3]) / 1.0;
        assert!((0.08..0.25).contains(&share), "{share}");
    }
}
