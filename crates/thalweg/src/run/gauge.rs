//! What a probe finds in particles.

use crate::project::{Probe, ProbeKind};
use thalweg_field::{Field, Points, Snapshot};

/// Particles within so many spacings tell the pressure at a place `[-]`.
const NEAR: f64 = 2.0;
/// A particle is of the surface, and no spray, if another is within so many spacings below it `[-]`.
const JOINED: f64 = 1.5;

/// Headings of a probe's table: the time, and what it finds.
pub(super) fn headings(kind: ProbeKind) -> &'static str {
    match kind {
        ProbeKind::Pressure => "time [s],pressure [Pa]",
        ProbeKind::Surface => "time [s],surface [m]",
        ProbeKind::Discharge => "time [s],discharge [m³/s]",
        ProbeKind::Force => "time [s],force_east [N],force_north [N],force_up [N]",
    }
}

/// What a probe finds; nothing where there is no water to find it in.
pub(super) fn measure(probe: &Probe, shown: &Snapshot) -> Vec<f64> {
    let Some(points) = &shown.points else { return Vec::new() };
    let gauge = Gauge { points, spacing: 2.0 * f64::from(points.radius) };
    let at = probe.at.unwrap_or_default();
    let ends = [probe.from, probe.to].map(Option::unwrap_or_default);
    match probe.kind {
        ProbeKind::Pressure => vec![gauge.pressure(at)],
        ProbeKind::Surface => vec![gauge.surface([at[0], at[1]])],
        ProbeKind::Discharge => vec![gauge.discharge(ends)],
        ProbeKind::Force => gauge.force(ends, shown).to_vec(),
    }
}

/// Particles, and how far apart they are at rest `[m]`.
struct Gauge<'a> {
    points: &'a Points,
    spacing: f64,
}

impl Gauge<'_> {
    fn places(&self) -> impl Iterator<Item = (usize, [f64; 3])> + '_ {
        self.points.positions.iter().map(|place| place.map(f64::from)).enumerate()
    }

    fn column(&self, name: &str) -> &[f32] {
        self.points.column(name).map_or(&[], |column| &column.values)
    }

    /// Pressure at a place `[Pa]`: a line over the height through that of the particles around it, the nearer the more; where
    /// there are none, that of the air, zero.
    fn pressure(&self, at: [f64; 3]) -> f64 {
        let reach = NEAR * self.spacing;
        let near = self.places().filter_map(|(i, place)| {
            let rr: f64 = (0..3).map(|axis| (place[axis] - at[axis]).powi(2)).sum();
            (rr < reach * reach).then_some((i, place[2] - at[2], (1.0 - rr / (reach * reach)).powi(3)))
        });
        pressure_of(near, self.column("pressure"))
    }

    /// Height of the surface above a place `[m]`: half a spacing above the highest particle within a spacing of it that is no
    /// spray. Not a number where there is none.
    fn surface(&self, at: [f64; 2]) -> f64 {
        let beside = |place: [f64; 3]| (place[0] - at[0]).hypot(place[1] - at[1]) < self.spacing;
        let mut heights: Vec<f64> =
            self.places().filter(|(_, place)| beside(*place)).map(|(_, place)| place[2]).collect();
        heights.sort_by(|a, b| b.total_cmp(a));
        let joined = heights.windows(2).find(|pair| pair[0] - pair[1] < JOINED * self.spacing);
        let top = joined.map(|pair| pair[0]).or(heights.last().copied());
        top.map_or(f64::NAN, |top| top + 0.5 * self.spacing)
    }

    /// Water that passes a vertical section in a second `[m³/s]`: that of the slab within a spacing on either side.
    fn discharge(&self, [from, to]: [[f64; 2]; 2]) -> f64 {
        let along = [to[0] - from[0], to[1] - from[1]];
        let long = along[0].hypot(along[1]);
        let along = along.map(|v| v / long);
        // To the right of whoever looks along it.
        let across = [along[1], -along[0]];
        let [east, north] = ["velocity_x", "velocity_y"].map(|name| self.column(name));
        let passing = self.places().filter_map(|(i, place)| {
            let away = [place[0] - from[0], place[1] - from[1]];
            let (way, off) =
                (away[0] * along[0] + away[1] * along[1], away[0] * across[0] + away[1] * across[1]);
            let inside = (0.0..=long).contains(&way) && off.abs() <= self.spacing;
            inside.then(|| f64::from(east[i]) * across[0] + f64::from(north[i]) * across[1])
        });
        passing.sum::<f64>() * self.spacing.powi(3) / (2.0 * self.spacing)
    }

    /// Force on a rectangle of the bed `[N]`: the sum over squares of about a spacing of pressure times area, against its normal.
    fn force(&self, [from, to]: [[f64; 2]; 2], shown: &Snapshot) -> [f64; 3] {
        let Some(bed) = shown.fields.iter().find(|field| field.info.name == "height") else {
            return [0.0; 3];
        };
        let ground = Ground { bed, shown };
        let counts: [usize; 2] =
            std::array::from_fn(|axis| ((to[axis] - from[axis]) / self.spacing).round().max(1.0) as usize);
        let side: [f64; 2] = std::array::from_fn(|axis| (to[axis] - from[axis]) / counts[axis] as f64);
        let close = self.close_to_bed([from, to], &ground);
        let mut force = [0.0; 3];
        for n in 0..counts[0] * counts[1] {
            let at = [(n % counts[0], 0), (n / counts[0], 1)]
                .map(|(k, axis)| from[axis] + (k as f64 + 0.5) * side[axis]);
            let (height, slope) = ground.at(at);
            let reach = NEAR * self.spacing;
            let near = close.iter().filter_map(|&(i, place)| {
                let away = [place[0] - at[0], place[1] - at[1], place[2] - height];
                let rr: f64 = away.iter().map(|v| v * v).sum();
                (rr < reach * reach).then_some((i, away[2], (1.0 - rr / (reach * reach)).powi(3)))
            });
            let pressed = pressure_of(near, self.column("pressure")) * side[0] * side[1];
            force = [force[0] + pressed * slope[0], force[1] + pressed * slope[1], force[2] - pressed];
        }
        force
    }

    /// Particles that are near enough to a rectangle of the bed to tell the pressure there.
    fn close_to_bed(&self, [from, to]: [[f64; 2]; 2], ground: &Ground) -> Vec<(usize, [f64; 3])> {
        let reach = NEAR * self.spacing;
        let close = |(_, place): &(usize, [f64; 3])| {
            (0..2).all(|axis| (from[axis] - reach..=to[axis] + reach).contains(&place[axis])) && {
                let (height, slope) = ground.at([place[0], place[1]]);
                place[2] - height < reach * (1.0 + slope[0].hypot(slope[1]))
            }
        };
        self.places().filter(close).collect()
    }
}

/// Pressure where particles with these numbers, heights above the place and weights say so `[Pa]`.
fn pressure_of(near: impl Iterator<Item = (usize, f64, f64)>, pressure: &[f32]) -> f64 {
    let [mut weight, mut height, mut value, mut squares, mut products] = [0.0; 5];
    for (i, above, w) in near {
        let p = f64::from(pressure.get(i).copied().unwrap_or(0.0));
        weight += w;
        height += w * above;
        value += w * p;
        squares += w * above * above;
        products += w * above * p;
    }
    if weight == 0.0 {
        return 0.0;
    }
    let (height, value) = (height / weight, value / weight);
    let spread = squares / weight - height * height;
    let steep = (products / weight - height * value) / spread;
    // It falls upwards.
    let steep = if steep.is_finite() { steep.min(0.0) } else { 0.0 };
    value - steep * height
}

/// The bed as a map.
struct Ground<'a> {
    bed: &'a Field,
    shown: &'a Snapshot,
}

impl Ground<'_> {
    /// Height at a place, and how it rises to the east and to the north `[m]`, `[-]`.
    fn at(&self, [east, north]: [f64; 2]) -> (f64, [f64; 2]) {
        let cell = self.shown.frame.cell;
        let rows = self.bed.values.rows() as f64;
        let look = |east: f64, north: f64| {
            f64::from(self.bed.values.bilinear(east / cell - 0.5, rows - 0.5 - north / cell))
        };
        let rise = |a: f64, b: f64| (a - b) / cell;
        let half = 0.5 * cell;
        (
            look(east, north),
            [
                rise(look(east + half, north), look(east - half, north)),
                rise(look(east, north + half), look(east, north - half)),
            ],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::{Column, FieldInfo, Frame, Grid2};

    const SPACING: f64 = 0.1;
    const WEIGHT: f64 = 9810.0;

    /// Water up to 1 m over 2 m by 2 m of a bed that rises to the east, 0.5 m/s to the east, and a drop above it.
    fn water(grade: f64) -> Snapshot {
        let mut positions = Vec::new();
        for n in 0..20 * 20 * 10 {
            let [x, y, z] = [n % 20, n / 20 % 20, n / 400].map(|n| (f64::from(n) + 0.5) * SPACING);
            if z > grade * x {
                positions.push([x, y, z].map(|v| v as f32));
            }
        }
        positions.push([1.02, 1.0, 3.0]);
        let pressure: Vec<f32> = positions.iter().map(|p| (WEIGHT as f32 * (1.0 - p[2])).max(0.0)).collect();
        let column =
            |name: &'static str, values: Vec<f32>| Column { info: FieldInfo::new(name, "-", ""), values };
        let all = |value: f32| vec![value; pressure.len()];
        let columns = vec![
            column("velocity_x", all(0.5)),
            column("velocity_y", all(0.0)),
            column("pressure", pressure.clone()),
        ];
        let values = Grid2::from_fn(20, 20, |col, _| (grade * (col as f64 + 0.5) * SPACING) as f32);
        let bed = Field { info: FieldInfo::new("height", "m", ""), values };
        let points = Some(Points { positions, radius: 0.05, columns, ..Points::default() });
        Snapshot { points, ..Snapshot::of_fields(Frame::with_cell(SPACING), vec![bed]) }
    }

    fn probe(kind: ProbeKind, at: [f64; 3], ends: [[f64; 2]; 2]) -> Probe {
        let [from, to] = ends.map(Some);
        Probe { name: "a".into(), kind, at: Some(at), from, to, every: 0.1 }
    }

    #[test]
    fn pressure_surface_and_discharge_are_those_of_the_water() {
        let still = [[0.0; 2], [0.0; 2]];
        for height in [0.0, 0.33, 0.8] {
            let found = measure(&probe(ProbeKind::Pressure, [1.0, 1.0, height], still), &water(0.0))[0];
            let expected = WEIGHT * (1.0 - height);
            assert!((found - expected).abs() < 0.001 * WEIGHT, "{found} Pa of {expected} at {height} m");
        }
        let dry = measure(&probe(ProbeKind::Pressure, [1.0, 1.0, 2.0], still), &water(0.0))[0];
        assert!(dry == 0.0, "{dry} Pa in the air");
        let surface = |at| measure(&probe(ProbeKind::Surface, at, still), &water(0.0))[0];
        // The drop is spray.
        assert!((surface([1.0, 1.0, 0.0]) - 1.0).abs() < 1.0e-6, "{} m", surface([1.0, 1.0, 0.0]));
        assert!(surface([5.0, 5.0, 0.0]).is_nan());
        // To the right of whoever looks north; 0.5 m/s through 1 m of depth and 1.2 m of width, and the drop, which is on its way over
        // two spacings.
        let all = 0.6 + 0.5 * SPACING.powi(3) / (2.0 * SPACING);
        for (ends, expected) in [([[1.0, 0.4], [1.0, 1.6]], all), ([[1.0, 1.6], [1.0, 0.4]], -all)] {
            let found = measure(&probe(ProbeKind::Discharge, [0.0; 3], ends), &water(0.0))[0];
            assert!((found - expected).abs() < 1.0e-6, "{found} m³/s of {expected}");
        }
    }

    /// Downwards the weight of the water above; sideways the same times the slope.
    #[test]
    fn the_force_on_a_bed_is_the_weight_above_it() {
        for (grade, deep) in [(0.0, 1.0), (0.5, 0.5)] {
            let ends = [[0.5, 0.5], [1.5, 1.5]];
            let [east, north, up]: [f64; 3] =
                measure(&probe(ProbeKind::Force, [0.0; 3], ends), &water(grade)).try_into().unwrap();
            let weight = WEIGHT * deep;
            assert!((up + weight).abs() < 0.01 * weight, "{up} N up of {weight}, grade {grade}");
            assert!((east - grade * weight).abs() < 0.01 * weight, "{east} N east, grade {grade}");
            assert!(north.abs() < 1.0e-6 * weight, "{north} N north");
        }
    }
}
