//! Whether a scene makes sense.

use super::schema::{Pool, Scene, VERSION};
use thalweg_terrain::Recipe;

/// A value that makes no sense, where it stands and what would be right.
#[derive(Clone, Debug, PartialEq)]
pub struct Complaint {
    /// Path of the key: `rain[0].rate`.
    pub path: String,
    /// What is wrong with it and what would be right.
    pub message: String,
}

fn that(good: bool, path: impl Into<String>, message: impl Into<String>) -> Result<(), Complaint> {
    if good { Ok(()) } else { Err(Complaint { path: path.into(), message: message.into() }) }
}

/// Largest terrain that is taken for meant, along one side [cells].
const MOST_CELLS: usize = 65_536;

impl Scene {
    /// Checks everything that can be checked without opening other files.
    pub fn validated(&self) -> Result<(), Complaint> {
        that(
            self.version == VERSION,
            "version",
            format!("version is {}; this program reads version {VERSION}", self.version),
        )?;
        self.check_terrain()?;
        self.solver.params.validated().map_err(|invalid| Complaint {
            path: format!("solver.{}", invalid.key),
            message: invalid.to_string(),
        })?;
        self.check_time()?;
        for (i, pool) in self.water.iter().enumerate() {
            check_pool(pool, &format!("water[{i}]"))?;
        }
        for (i, rain) in self.rain.iter().enumerate() {
            let path = format!("rain[{i}]");
            that(
                rain.rate.is_some() != rain.drops.is_some(),
                &path,
                "rain is either even (rate) or falls in drops (drops); give exactly one of them",
            )?;
            let rate = rain.rate.unwrap_or(0.0);
            that(
                rate >= 0.0,
                format!("{path}.rate"),
                format!("rain of {rate} m/s; it cannot be negative (use 0 for a dry run)"),
            )?;
            if let Some(drops) = rain.drops {
                for (key, value) in
                    [("per_second", drops.per_second), ("depth", drops.depth), ("radius", drops.radius)]
                {
                    that(
                        value >= 0.0,
                        format!("{path}.drops.{key}"),
                        format!("{key} is {value}; it cannot be negative"),
                    )?;
                }
            }
            check_window(&path, rain.start, rain.stop)?;
            if let Some(mask) = &rain.mask {
                check_path(mask, &format!("{path}.mask"))?;
            }
        }
        for (kind, sources) in [("source", &self.sources), ("drain", &self.drains)] {
            for (i, source) in sources.iter().enumerate() {
                let path = format!("{kind}[{i}]");
                let advice = if kind == "source" {
                    "use [[drain]] to take water away"
                } else {
                    "use [[source]] to add water"
                };
                that(
                    source.rate >= 0.0,
                    format!("{path}.rate"),
                    format!("rate is {} m³/s; {advice}", source.rate),
                )?;
                that(
                    source.radius >= 0.0,
                    format!("{path}.radius"),
                    format!("radius is {} m; it cannot be negative", source.radius),
                )?;
                check_window(&path, source.start, source.stop)?;
            }
        }
        Ok(())
    }

    fn check_terrain(&self) -> Result<(), Complaint> {
        let terrain = &self.terrain;
        if let Some(cell) = terrain.cell {
            that(cell > 0.0, "terrain.cell", format!("cells of {cell} m; their side must be positive"))?;
        }
        if let Some([cols, rows]) = terrain.size {
            let sane = |n| (1..=MOST_CELLS).contains(&n);
            let message = format!("{cols} by {rows} cells; each side must have between 1 and {MOST_CELLS}");
            that(sane(cols) && sane(rows), "terrain.size", message)?;
        }
        if let Some([low, high]) = terrain.height_range {
            let message = format!("heights from {low} to {high} m; the second must be the larger");
            that(low.is_finite() && high.is_finite() && high > low, "terrain.height_range", message)?;
        }
        if let Some(file) = &terrain.file {
            that(
                terrain.layers.is_empty(),
                "terrain.layer",
                "a terrain comes from a file or from layers, not both; drop one of them",
            )?;
            check_path(file, "terrain.file")?;
        }
        let under = |prefix: &str, recipe: &Recipe| {
            recipe.validated().map_err(|invalid| Complaint {
                path: format!("{prefix}.{}", invalid.path),
                message: invalid.to_string(),
            })
        };
        under("terrain", &terrain.recipe())?;
        if let Some(hardness) = &terrain.hardness {
            that(
                hardness.file.is_some() == hardness.layers.is_empty(),
                "terrain.hardness",
                "hardness comes from a file or from layers; give exactly one of them",
            )?;
            if let Some(file) = &hardness.file {
                check_path(file, "terrain.hardness.file")?;
            }
            under("terrain.hardness", &Recipe { layers: hardness.layers.clone(), island: None })?;
        }
        Ok(())
    }

    fn check_time(&self) -> Result<(), Complaint> {
        if let Some(duration) = self.time.duration {
            that(duration > 0.0, "time.duration", format!("duration is {duration} s; it must be positive"))?;
        }
        let mut finer = 1;
        for (i, coarse) in self.time.coarse.iter().enumerate().rev() {
            let path = format!("time.coarse[{i}]");
            let message = format!(
                "factor is {}; passes go from coarse to fine, each a whole factor above {finer}",
                coarse.factor
            );
            that(coarse.factor > finer, format!("{path}.factor"), message)?;
            finer = coarse.factor;
            let message = format!("detail is {}; it is a share between 0 and 1", coarse.detail);
            that((0.0..=1.0).contains(&coarse.detail), format!("{path}.detail"), message)?;
        }
        Ok(())
    }
}

fn check_pool(pool: &Pool, path: &str) -> Result<(), Complaint> {
    that(
        pool.level.is_some() != pool.depth.is_some(),
        path,
        "standing water has a level or a depth; give exactly one of them",
    )?;
    let depth = pool.depth.unwrap_or(0.0);
    that(depth >= 0.0, format!("{path}.depth"), format!("depth is {depth} m; it cannot be negative"))?;
    let message = format!("from {:?} to {:?}; \"to\" must lie north-east of \"from\"", pool.from, pool.to);
    that(pool.to[0] > pool.from[0] && pool.to[1] > pool.from[1], format!("{path}.to"), message)
}

fn check_window(path: &str, start: f64, stop: Option<f64>) -> Result<(), Complaint> {
    that(start >= 0.0, format!("{path}.start"), format!("start is {start} s; a run begins at 0 s"))?;
    let stop = stop.unwrap_or(f64::INFINITY);
    that(
        stop > start,
        format!("{path}.stop"),
        format!("stop is {stop} s; it must come after start ({start} s)"),
    )
}

/// Scenes may come from strangers: they read nothing outside their own folder.
fn check_path(file: &str, path: &str) -> Result<(), Complaint> {
    use std::path::{Component, Path};
    let inside =
        Path::new(file).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let message = format!(
        "\"{file}\" lies outside the scene's folder; copy the file beside the scene and name it relative to it"
    );
    that(inside && !file.is_empty(), path, message)
}
