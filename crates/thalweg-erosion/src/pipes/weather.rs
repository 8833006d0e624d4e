//! Where water comes from and where it goes: rain, sources, drains and the edges of the terrain.

use thalweg_field::{Edges, Grid2, Invalid, Window, require};

/// How rain falls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fall {
    /// Evenly.
    Steady {
        /// Water reaching every cell `[m/s]`.
        rate: f64,
    },
    /// As single drops at random places (Schmidberger 2024, section 4.1).
    Drops {
        /// Drops on the whole terrain in each second `[1/s]`.
        per_second: f64,
        /// Water that one drop leaves on the cells it hits `[m]`.
        depth: f64,
        /// Radius of a drop `[m]`.
        radius: f64,
    },
}

/// Rain over the terrain.
#[derive(Clone, Debug, PartialEq)]
pub struct Rain {
    /// Even or in drops.
    pub fall: Fall,
    /// Share of the rain that reaches each cell `[-]`; missing: all of it.
    pub mask: Option<Grid2<f32>>,
    /// When it rains.
    pub when: Window,
}

/// A spring (positive rate) or a drain (negative rate).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// Metres east and north of the south-west corner `[m]`.
    pub at: [f64; 2],
    /// Water added in each second `[m³/s]`; negative: water taken, as far as there is any.
    pub rate: f64,
    /// Radius of the disc it spreads over `[m]`.
    pub radius: f64,
    /// When it runs.
    pub when: Window,
}

/// Everything that brings or takes water.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weather {
    /// Rains, which add up.
    pub rain: Vec<Rain>,
    /// Springs and drains.
    pub sources: Vec<Source>,
    /// The edges of the terrain.
    pub edges: Edges,
    /// Water standing on the terrain at the beginning, as depth `[m]`; missing: dry.
    pub water: Option<Grid2<f32>>,
    /// Ground afloat in it, as height of bed `[m]`; missing: clear water.
    pub afloat: Option<Grid2<f32>>,
    /// How easily each cell erodes, 0 (never) to 1 (as the parameters say) or more `[-]`; missing: 1.
    pub softness: Option<Grid2<f32>>,
    /// Seed of the random drops.
    pub seed: u64,
}

impl Weather {
    /// Steady rain of `rate` `[m/s]` on closed ground.
    pub fn raining(rate: f64) -> Self {
        let rain = Rain { fall: Fall::Steady { rate }, mask: None, when: Window::ALWAYS };
        Self { rain: vec![rain], ..Self::default() }
    }

    /// Checks every number and every grid's shape once, before a run.
    pub fn validated(&self, cols: usize, rows: usize) -> Result<(), Invalid> {
        let natural = |x: f64| x >= 0.0 && x.is_finite();
        for rain in &self.rain {
            match rain.fall {
                Fall::Steady { rate } => {
                    require(
                        natural(rate),
                        "rain.rate",
                        rate,
                        "rain cannot be negative (use 0 for a dry run)",
                    )?;
                }
                Fall::Drops { per_second, depth, radius } => {
                    require(
                        natural(per_second),
                        "rain.drops",
                        per_second,
                        "their number cannot be negative",
                    )?;
                    require(natural(depth), "rain.depth", depth, "a drop cannot hold less than nothing")?;
                    require(natural(radius), "rain.radius", radius, "a radius cannot be negative")?;
                }
            }
            check_grid(rain.mask.as_ref(), "rain.mask", cols, rows)?;
        }
        for source in &self.sources {
            require(source.rate.is_finite(), "source.rate", source.rate, "it must be a finite number")?;
            require(natural(source.radius), "source.radius", source.radius, "a radius cannot be negative")?;
        }
        check_grid(self.water.as_ref(), "water", cols, rows)?;
        check_grid(self.afloat.as_ref(), "afloat", cols, rows)?;
        check_grid(self.softness.as_ref(), "softness", cols, rows)
    }
}

fn check_grid(grid: Option<&Grid2<f32>>, key: &'static str, cols: usize, rows: usize) -> Result<(), Invalid> {
    let Some(grid) = grid else { return Ok(()) };
    let shape = format!("{}x{} cells on a terrain of {cols}x{rows}", grid.cols(), grid.rows());
    require(grid.cols() == cols && grid.rows() == rows, key, shape, "it must have the terrain's shape")?;
    let worst = grid.values().iter().copied().find(|v| !(*v >= 0.0 && v.is_finite()));
    require(worst.is_none(), key, worst.unwrap_or(0.0), "every value must be a finite number, 0 or more")
}
