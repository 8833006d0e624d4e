//! Gradient noise in space (Perlin 1985, 2002), a row at a time.

use thalweg_field::random::Key;

/// How far the noise of one key lies from that of another over its lattice, in lattice cells.
const SHIFT: f64 = 1.0e4;

/// Noise of one wavelength, between about -1 and 1.
#[derive(Clone, Copy, Debug)]
pub struct Perlin {
    /// Lattice cells to the metre `[1/m]`.
    frequency: f64,
    shift: [f64; 3],
    seed: u32,
}

/// What the four lattice points of a plane across the row do to it: a value where the plane is, and its slope along the row.
#[derive(Clone, Copy, Default)]
struct Plane {
    value: f32,
    slope: f32,
}

/// Where a row lies across the lattice.
#[derive(Clone, Copy)]
struct Across {
    cell: [i64; 2],
    fraction: [f32; 2],
}

impl Perlin {
    /// Noise with features of this size `[m]`.
    pub fn new(key: Key, wavelength: f64) -> Self {
        Self {
            frequency: 1.0 / wavelength,
            shift: [1, 2, 3].map(|axis| key.with(axis).unit() * SHIFT),
            seed: key.bits() as u32,
        }
    }

    /// The noise at places that follow each other eastwards, the first at `start` and `spacing` apart `[m]`.
    pub fn row(&self, start: [f64; 3], spacing: f64, row: &mut [f32]) {
        let place: [f64; 3] = std::array::from_fn(|axis| start[axis] * self.frequency + self.shift[axis]);
        let [(north, y), (up, z)] = [place[1], place[2]].map(split);
        let across = Across { cell: [north, up], fraction: [y, z] };
        let step = spacing * self.frequency;
        let mut cell = i64::MIN;
        let (mut west, mut east) = (Plane::default(), Plane::default());
        for (i, value) in row.iter_mut().enumerate() {
            let (here, x) = split(place[0] + step * i as f64);
            if here != cell {
                west = if here == cell.wrapping_add(1) { east } else { self.plane(here, across) };
                east = self.plane(here + 1, across);
                cell = here;
            }
            let from_west = west.value + west.slope * x;
            let from_east = east.value + east.slope * (x - 1.0);
            *value = from_west + fade(x) * (from_east - from_west);
        }
    }

    /// The four lattice points around a row in the plane at so many cells to the east.
    fn plane(&self, east: i64, Across { cell, fraction: [y, z] }: Across) -> Plane {
        let (fy, fz) = (fade(y), fade(z));
        let mut plane = Plane::default();
        for (north, up, weight) in [
            (0, 0, (1.0 - fy) * (1.0 - fz)),
            (1, 0, fy * (1.0 - fz)),
            (0, 1, (1.0 - fy) * fz),
            (1, 1, fy * fz),
        ] {
            let [gx, gy, gz] = self.gradient([east, cell[0] + north, cell[1] + up]);
            plane.value += weight * (gy * (y - north as f32) + gz * (z - up as f32));
            plane.slope += weight * gx;
        }
        plane
    }

    /// One of the twelve ways from the middle of a cube to its edges (Perlin 2002).
    fn gradient(&self, point: [i64; 3]) -> [f32; 3] {
        const WAYS: [[f32; 3]; 16] = [
            [1.0, 1.0, 0.0],
            [-1.0, 1.0, 0.0],
            [1.0, -1.0, 0.0],
            [-1.0, -1.0, 0.0],
            [1.0, 0.0, 1.0],
            [-1.0, 0.0, 1.0],
            [1.0, 0.0, -1.0],
            [-1.0, 0.0, -1.0],
            [0.0, 1.0, 1.0],
            [0.0, -1.0, 1.0],
            [0.0, 1.0, -1.0],
            [0.0, -1.0, -1.0],
            [1.0, 1.0, 0.0],
            [-1.0, 1.0, 0.0],
            [0.0, -1.0, 1.0],
            [0.0, -1.0, -1.0],
        ];
        // Odd factors spread neighbours over all bits; the rounds between mix high bits into low ones.
        let [x, y, z] = point.map(|n| n as u32);
        let mut bits = self.seed
            ^ x.wrapping_mul(0x9e37_79b1)
            ^ y.wrapping_mul(0x85eb_ca77)
            ^ z.wrapping_mul(0xc2b2_ae3d);
        bits = (bits ^ (bits >> 15)).wrapping_mul(0x2c1b_3c6d);
        bits = (bits ^ (bits >> 12)).wrapping_mul(0x297a_2d39);
        WAYS[(bits >> 28) as usize]
    }
}

/// The whole number below, and what is left.
#[inline(always)]
fn split(place: f64) -> (i64, f32) {
    let whole = place as i64;
    let whole = whole - i64::from(place < whole as f64);
    (whole, (place - whole as f64) as f32)
}

/// From 0 to 1 with neither slope nor curvature at the ends (Perlin 2002).
#[inline(always)]
fn fade(x: f32) -> f32 {
    x * x * x * (x * (x * 6.0 - 15.0) + 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_zero_on_average_and_stays_within_its_range() {
        let noise = Perlin::new(Key::new(3), 10.0);
        let mut row = [0.0; 64];
        let (mut sum, mut largest) = (0.0_f64, 0.0_f32);
        for n in 0..4096 {
            noise.row([0.0, f64::from(n % 64) * 3.7, f64::from(n / 64) * 4.1 - 50.0], 2.3, &mut row);
            sum += row.iter().map(|&v| f64::from(v)).sum::<f64>();
            largest = row.iter().fold(largest, |largest, v| largest.max(v.abs()));
        }
        let mean = sum / (4096.0 * 64.0);
        assert!(mean.abs() < 0.01, "mean {mean}");
        assert!((0.7..1.1).contains(&largest), "largest {largest}");
    }

    /// However a row is cut, and whichever plane was known before, the noise of a place is the same and has no steps.
    #[test]
    fn noise_depends_on_the_place_alone_and_is_smooth() {
        let noise = Perlin::new(Key::new(8), 1.0);
        let mut whole = [0.0; 1000];
        noise.row([-3.0, 0.4, -0.3], 0.01, &mut whole);
        for (i, value) in whole.iter().enumerate() {
            let mut one = [0.0];
            noise.row([-3.0 + 0.01 * i as f64, 0.4, -0.3], 0.01, &mut one);
            assert!((one[0] - value).abs() < 1.0e-5, "{i}: {} and {value}", one[0]);
        }
        let step = whole.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
        assert!(step < 0.04, "step of {step}");
    }
}
