//! What the water shows: its particles, and maps of water and bed.

use super::ParticleWater;
use crate::ground::Ground;
use thalweg_field::{Column, Field, FieldInfo, Grid2, Points};

/// Water spread over the vertices of the bed.
struct Spread {
    /// How deep it stands `[m]`.
    depth: Vec<f64>,
    /// Its grains `[m]`, and its depth times its speed `[m²/s]`.
    load: Vec<f64>,
    pace: Vec<f64>,
}

impl ParticleWater {
    /// The particles of the fluid with all that is known of them.
    pub fn points(&self) -> Points {
        let particles = self.fluid.particles();
        let now = self.time() as f32;
        let alive: Vec<usize> = (0..particles.len())
            .filter(|&i| !particles.is_boundary(i) && particles.expires[i] > now)
            .collect();
        let column = |name, unit, meaning, value: &dyn Fn(usize) -> f32| Column {
            info: FieldInfo::new(name, unit, meaning),
            values: alive.iter().map(|&i| value(i)).collect(),
        };
        let speed = |i: usize| (0..3).map(|axis| particles.velocity[axis][i].powi(2)).sum::<f32>().sqrt();
        // Density and pressure are those of the last step; before the first there are none.
        let density =
            |i: usize| self.fluid.last_density().get(i).copied().unwrap_or(self.params.fluid.density as f32);
        let mut columns = vec![
            column("velocity_x", "m/s", "velocity to the east", &|i| particles.velocity[0][i]),
            column("velocity_y", "m/s", "velocity to the north", &|i| particles.velocity[1][i]),
            column("velocity_z", "m/s", "velocity upwards", &|i| particles.velocity[2][i]),
            column("speed", "m/s", "speed of the water", &speed),
            column("density", "kg/m³", "density of the water", &density),
            column("pressure", "Pa", "pressure of the water", &|i| self.fluid.pressure_at(density(i))),
        ];
        if self.params.erosion.enabled {
            let carried = |i: usize| particles.cargo[i].max(0.0) as f32;
            columns.push(column("sediment", "-", "share of the water that is sediment", &carried));
        }
        let positions =
            alive.iter().map(|&i| std::array::from_fn(|axis| particles.position[axis][i])).collect();
        let ids = alive.iter().map(|&i| particles.tag[i]).collect();
        Points { positions, radius: (0.5 * self.params.fluid.spacing) as f32, ids, columns }
    }

    /// Maps: height, water, speed, and with erosion sediment, erosion and deposition.
    pub fn fields(&self) -> Vec<Field> {
        let Spread { depth, load, pace } = self.spread();
        let [cols, rows] = self.ground.size();
        let field = |name, unit, meaning, values| Field { info: FieldInfo::new(name, unit, meaning), values };
        // Columns of water lie row by row from the south.
        let spread = |value: &(dyn Fn(usize) -> f32 + Sync)| {
            Grid2::from_fn(cols, rows, |col, row| value((rows - 1 - row) * cols + col))
        };
        let speed = |v: usize| if depth[v] > 0.0 { (pace[v] / depth[v]) as f32 } else { 0.0 };
        let mut fields = vec![
            field("height", "m", "height of the bed", self.ground.height_map().height),
            field("water", "m", "water above the bed", spread(&|v| depth[v] as f32)),
            field("speed", "m/s", "mean speed of the water", spread(&speed)),
        ];
        if self.params.erosion.enabled {
            let packing = self.params.erosion.soil().packing;
            let change = self.ground.change_map();
            let afloat = spread(&|v| (load[v] / packing) as f32);
            let [lost, gained] = [-1.0, 1.0].map(|sign| change.map(|change| (sign * change).max(0.0) as f32));
            fields.extend([
                field("sediment", "m", "bed that the sediment afloat would make", afloat),
                field("erosion", "m", "bed lost since the beginning", lost),
                field("deposition", "m", "bed gained since the beginning", gained),
            ]);
        }
        fields
    }

    /// Spreads the water over the vertices of the bed: each particle by a tent, as wide as cells and particles ask for.
    fn spread(&self) -> Spread {
        let [cols, rows] = self.ground.size();
        let particles = self.fluid.particles();
        let now = self.time() as f32;
        let [mut depth, mut load, mut pace] = std::array::from_fn(|_| vec![0.0; cols * rows]);
        let cell = self.ground.cell();
        let each = self.volume / (cell * cell);
        let wide = (2.0 * self.params.fluid.spacing / cell).max(1.0);
        for i in 0..particles.len() {
            if particles.is_boundary(i) || particles.expires[i] <= now {
                continue;
            }
            let at = [0, 1].map(|axis: usize| f64::from(particles.position[axis][i]) / cell - 0.5);
            let speed = (0..3).map(|axis| f64::from(particles.velocity[axis][i]).powi(2)).sum::<f64>().sqrt();
            let carried = particles.cargo.get(i).copied().unwrap_or(0.0);
            let range = |axis: usize| {
                let (from, to) = ((at[axis] - wide).ceil().max(0.0), (at[axis] + wide).floor());
                from as usize..((to + 1.0).max(0.0) as usize).min([cols, rows][axis])
            };
            let tent = |axis: usize, n: usize| (1.0 - (at[axis] - n as f64).abs() / wide).max(0.0) / wide;
            for b in range(1) {
                for a in range(0) {
                    let share = tent(0, a) * tent(1, b) * each;
                    let v = b * cols + a;
                    depth[v] += share;
                    pace[v] += share * speed;
                    load[v] += share * carried;
                }
            }
        }
        Spread { depth, load, pace }
    }
}
