//! Grains in water that stands still, and grains that flowing water loosens.

use super::measure::{dot, length, line, minus, position, water};
use super::setup::{flat, still_water, torrent};
use crate::{Check, Checks};
use thalweg_coupling::{Bed, ErosionParams, Params, ParticleWater, Patches, Setting, StepError, Stress};
use thalweg_erosion::law::settling::{Grains, richardson_zaki};
use thalweg_erosion::law::shear::Shear;
use thalweg_erosion::law::wall;
use thalweg_field::{Edge, Edges, Pool, Top};
use thalweg_sph::FluidParams;

/// Grains in water that stands still, far above the bed: what settles packs at the bottom of the water.
struct Settling {
    torrent: ParticleWater,
    /// Particles along each side of the column.
    side: usize,
    /// Smallest and largest share of sediment ever seen `[-]`.
    range: [f64; 2],
}

impl Settling {
    const SPACING: f64 = 0.025;
    const HEIGHT: f64 = 1.0;
    const BOTTOM: f64 = 0.5;
    const SHARE: f64 = 0.1;
    const GRAIN: f64 = 25.0e-6;

    fn new(side: usize) -> Self {
        let spacing = Self::SPACING;
        let params = Params {
            fluid: FluidParams { spacing, max_dt: 100.0, ..FluidParams::default() },
            erosion: ErosionParams {
                diffusivity: 0.0,
                grain_radius: Some(Self::GRAIN),
                ..ErosionParams::default()
            },
            ..Params::default()
        };
        let (edge, wide) = (0.5 * spacing, side as f64 * spacing);
        let top = Top::Depth(Self::HEIGHT);
        let pool = still_water([edge; 2], [edge + wide; 2], Some(Self::BOTTOM), top);
        let setting = Setting { water: vec![Pool { sediment: Self::SHARE, ..pool }], ..Setting::default() };
        let torrent = torrent(&flat([side; 2], spacing), &params, &setting);
        Self { torrent, side, range: [f64::INFINITY, 0.0] }
    }

    fn advance(&mut self, steps: u64) -> Result<(), StepError> {
        self.torrent.advance_still(steps)?;
        let particles = self.torrent.fluid().particles();
        let shares = || water(particles).map(|i| particles.cargo[i]);
        self.range = [shares().fold(self.range[0], f64::min), shares().fold(self.range[1], f64::max)];
        Ok(())
    }

    /// Mean share of sediment in each layer, from the bottom; over columns less than `reach` from the middle `[m]`.
    fn profile(&self, reach: f64) -> Vec<f64> {
        let mut layers = vec![[0.0f64; 2]; (Self::HEIGHT / Self::SPACING) as usize];
        let particles = self.torrent.fluid().particles();
        let middle = 0.5 * (self.side + 1) as f64 * Self::SPACING;
        for i in water(particles) {
            let [x, y, z] = position(particles, i);
            if (x - middle).abs() < reach && (y - middle).abs() < reach {
                let layer = &mut layers[((z - Self::BOTTOM) / Self::SPACING) as usize];
                *layer = [layer[0] + 1.0, layer[1] + particles.cargo[i]];
            }
        }
        layers.iter().map(|[count, sum]| sum / count).collect()
    }

    /// Height above the bottom at which the middle of the column falls below half of what it began with `[m]`.
    fn interface(&self) -> f64 {
        let (profile, level) = (self.profile(0.05), 0.5 * Self::SHARE);
        let last = profile.iter().rposition(|&c| c >= level).unwrap_or(0);
        let (a, b) = (profile[last], profile.get(last + 1).copied().unwrap_or(0.0));
        (last as f64 + 0.5 + (a - level) / (a - b)) * Self::SPACING
    }

    /// Thickness of what is packed: layers that are full to a twentieth, and the share of the next one `[m]`.
    fn packed(&self) -> f64 {
        let profile = self.profile(f64::INFINITY);
        let full = profile.iter().take_while(|&&c| c > 0.95 * 0.6).count();
        let layers = profile[..full + 1].iter().map(|c| c / 0.6).sum::<f64>();
        layers * Self::SPACING
    }
}

/// Particles at the sides of a column have fewer others above them and settle more slowly; the clear water is measured
/// in the middle of a wide one, the bed, which only takes longer, in a narrow one.
pub(super) fn settling() -> Checks {
    const SOURCE: &str = "Richardson & Zaki 1954; Kynch 1952: w₀ (1 − φ)^4.65, bed φ H/φ_max";
    let alone = Grains {
        radius: Settling::GRAIN,
        density: 2650.0,
        fluid_density: 1000.0,
        viscosity: 0.001,
        gravity: 9.81,
    };
    let speed = alone.speed() * richardson_zaki(Settling::SHARE, 4.65);
    let mut wide = Settling::new(20);
    let mut interface = Vec::new();
    while wide.torrent.time() * speed < 0.5 {
        wide.advance(2)?;
        interface.push([wide.torrent.time(), wide.interface()]);
    }
    interface.retain(|[time, _]| time * speed > 0.1);
    let sinks = -line(&interface)[1];
    let mut narrow = Settling::new(8);
    let total = grains_afloat(&narrow.torrent);
    for _ in 0..50 {
        narrow.advance(20)?;
    }
    let packed = narrow.packed();
    let left = grains_afloat(&narrow.torrent) / total - 1.0;
    let check = |quantity: &str, unit| Check::new(quantity, unit, SOURCE);
    let expected = Settling::SHARE * Settling::HEIGHT / 0.6;
    Ok(vec![
        check("speed of the clear water's lower end", "m/s").near_share(sinks, speed, 0.05),
        check("thickness of the bed at last", "m").near_share(packed, expected, 0.02),
        check("smallest share of sediment", "-").at_least(wide.range[0].min(narrow.range[0]), 0.0),
        check("largest share of sediment", "-").at_most(wide.range[1].max(narrow.range[1]), 0.6),
        Check::new("sediment gained or lost", "of all", "conservation").near(left, 0.0, 1.0e-12),
    ])
}

fn grains_afloat(torrent: &ParticleWater) -> f64 {
    let particles = torrent.fluid().particles();
    water(particles).map(|i| particles.cargo[i]).sum()
}

/// Gives each particle of the water a share of sediment by its place.
fn set_sediment(torrent: &mut ParticleWater, share: impl Fn([f64; 3]) -> f64) {
    let mut saved = torrent.save();
    let count = torrent.fluid().particles().len();
    for i in water(torrent.fluid().particles()) {
        saved.doubles[i] = share(std::array::from_fn(|axis| f64::from(saved.floats[axis * count + i])));
    }
    torrent.restore(&saved).expect("a torrent takes its own state");
}

pub(super) fn diffusion() -> Checks {
    const SOURCE: &str = "Gaussian: variance s² + 2 D t, peak (1 + 2 D t/s²)^-3/2";
    let (d, s, time) = (1.0e-3, 0.05, 1.0);
    let (spacing, side) = (s / 3.0, 33);
    let steps = 40u32;
    let params = Params {
        fluid: FluidParams {
            spacing,
            gravity: 0.0,
            dt: Some(time / f64::from(steps)),
            ..FluidParams::default()
        },
        erosion: ErosionParams { diffusivity: d, ..ErosionParams::default() },
        ..Params::default()
    };
    let (edge, wide) = (0.5 * spacing, f64::from(side) * spacing);
    let pool = still_water([edge; 2], [edge + wide; 2], Some(1.0), Top::Depth(wide));
    let setting = Setting { water: vec![pool], ..Setting::default() };
    let mut torrent = torrent(&flat([side as usize; 2], spacing), &params, &setting);
    let middle = [edge + 0.5 * wide, edge + 0.5 * wide, 1.0 + 0.5 * wide];
    set_sediment(&mut torrent, |at| {
        let away = minus(at, middle);
        0.3 * (-dot(away, away) / (2.0 * s * s)).exp()
    });
    let moments = |torrent: &ParticleWater| {
        let particles = torrent.fluid().particles();
        let (mut sum, mut squares, mut peak) = (0.0, [0.0; 3], 0.0f64);
        for i in water(particles) {
            let (c, away) = (particles.cargo[i], minus(position(particles, i), middle));
            sum += c;
            squares = std::array::from_fn(|axis| squares[axis] + c * away[axis] * away[axis]);
            peak = peak.max(c);
        }
        (sum, squares.map(|v| v / sum), peak)
    };
    let start = moments(&torrent);
    torrent.advance_still(steps.into())?;
    let end = moments(&torrent);
    let mut checks = Vec::new();
    for (axis, name) in ["east", "north", "up"].into_iter().enumerate() {
        let check = Check::new(format!("variance, {name}"), "m²", SOURCE);
        checks.push(check.near_share(end.1[axis], s * s + 2.0 * d * time, 0.03));
    }
    let check = Check::new("peak", "of the first", SOURCE);
    checks.push(check.near_share(end.2 / start.2, (1.0 + 2.0 * d * time / (s * s)).powf(-1.5), 0.03));
    let check = Check::new("sediment gained or lost", "of all", "conservation");
    checks.push(check.near(end.0 / start.0 - 1.0, 0.0, 1.0e-12));
    Ok(checks)
}

pub(super) fn erosion_law() -> Checks {
    const SOURCE: &str = "Partheniades 1965: M 1e-4 kg/(m²·s), τ = 2 τ_c, bed of 1590 kg/m³";
    // The law that the solver's vectors go through.
    let critical = 0.4;
    let shear = Shear { constant: 1.0, critical };
    let (distance, twice) = (0.1, (2.0 * critical).powi(2));
    let excess = |speed: f32| f64::from(shear.at(speed, distance)[1]);
    let lowering = 1.0e-4 / f64::from(critical) * excess(twice * distance) / 1590.0;
    let below = critical * critical * distance * (1.0 - 1.0e-5);
    let mut checks = vec![
        // f32 keeps seven digits, the difference of two stresses six.
        Check::new("lowering of the bed", "m/s", SOURCE).near_share(lowering, 6.289_308_176e-8, 1.0e-6),
        Check::new("excess just below the critical stress", "Pa", SOURCE).near(excess(below), 0.0, 0.0),
        Check::new("stress of 0.9 m/s in 0.1 m", "Pa", "τ = K θ^½, Krištof et al. 2009").near_share(
            shear.at(0.9, distance)[0].into(),
            3.0,
            1.0e-6,
        ),
    ];
    for (name, stress) in [("wall", Stress::Wall), ("shear-rate", Stress::ShearRate)] {
        for (pace, speed) in [("fast", 2.0), ("hardly fast enough", 0.6), ("slow", 0.2)] {
            let (found, expected) = loosened_by(speed, stress)?;
            let quantity = format!("grains loosened, {pace} water, stress {name}");
            let check = Check::new(quantity, "m³", "the law, summed up over the boundary in f64");
            // Depths that the law of the wall reads off the particles differ a little from that of the pool.
            let exact = if stress == Stress::Wall { 1.0e-2 } else { 1.0e-4 };
            checks.push(check.near(found, expected, exact * expected));
        }
    }
    Ok(checks)
}

/// Grains that one exchange loosens under water of a speed, and what the sum over boundary particles says `[m³]`.
fn loosened_by(speed: f64, stress: Stress) -> Result<(f64, f64), StepError> {
    const DEPTH: f64 = 0.2;
    let (spacing, cell, dt) = (0.05, 0.07, 1.0e-3);
    let params = Params {
        fluid: FluidParams { spacing, dt: Some(dt), ..FluidParams::default() },
        erosion: ErosionParams {
            stress,
            talus: false,
            critical_shear: Some(0.9),
            ..ErosionParams::default()
        },
        ..Params::default()
    };
    let pool = Pool {
        velocity: [0.8 * speed, -0.6 * speed, 0.0],
        ..still_water([0.5 * cell; 2], [0.8; 2], None, Top::Depth(DEPTH))
    };
    let setting = Setting { water: vec![pool], edges: Edges::all(Edge::Open), ..Setting::default() };
    let mut torrent = torrent(&flat([12, 12], cell), &params, &setting);
    let bed = Bed::new(&torrent.ground());
    torrent.advance_still(1)?;
    let eroded = torrent.ledger().solids.eroded;
    let particles = torrent.fluid().sorted();
    let (e, soil, h) = (&params.erosion, params.erosion.soil(), params.fluid.smoothing_radius());
    let mut expected = 0.0;
    // Only the topmost layer of the boundary touches the water.
    let top =
        |i: &usize| particles.tag[*i] & (thalweg_sph::BOUNDARY | thalweg_sph::SLIP) == thalweg_sph::BOUNDARY;
    for i in (0..particles.len()).filter(top) {
        let triangle = particles.tag[i] & !thalweg_sph::BOUNDARY;
        let mut samples = 0;
        Patches::new(&bed, spacing).sample(&bed, triangle, |_| samples += 1);
        let area = 0.5 * cell * cell / f64::from(samples);
        let near = || water(particles).map(|j| length(minus(position(particles, i), position(particles, j))));
        let exceeding = match stress {
            Stress::Wall => {
                let all: f64 = near().map(|r| (h * h - r * r).max(0.0).powi(3)).sum();
                let stress = params.fluid.density * wall::drag(DEPTH, params.bed.roughness) * speed * speed;
                (stress - soil.critical_shear).max(0.0) * (all / half_a_layer(spacing, h)).min(1.0)
            }
            Stress::ShearRate => {
                let stress = |r: f64| e.shear * (speed / r).sqrt();
                near().filter(|&r| r < h).map(|r| (stress(r) - soil.critical_shear).max(0.0)).sum()
            }
        };
        expected += dt / e.sediment_density * area * soil.strength * exceeding;
    }
    Ok((eroded, expected))
}

/// Half of what a layer of particles one spacing above one of the boundary does there: from then on it is covered [m⁶].
fn half_a_layer(spacing: f64, h: f64) -> f64 {
    let along = || (-3..=3).map(|n| f64::from(n) * spacing);
    let squared = along().flat_map(|x| along().map(move |y| x * x + y * y + spacing * spacing));
    0.5 * squared.map(|rr| (h * h - rr).max(0.0).powi(3)).sum::<f64>()
}
