//! The state of waves and bodies in sections, and back.

use super::{Sections, WaveRun};
use thalweg_field::Grid2;
use thalweg_waves::{Saved, SavedFleet};

pub(super) fn save(run: &WaveRun, into: &mut Sections) {
    let Saved { time, looks, particles, free, sprays, books, foam } = run.waves.save();
    into.put("wave_time", time);
    into.put("looks", looks);
    into.put("on_land", run.on_land);
    into.put_doubles("particles", particles);
    into.put_doubles("free", free.into_iter().map(f64::from).collect());
    into.put_doubles("sprays", sprays);
    into.put_doubles("wave_books", books);
    into.put_floats("foam", foam);
    let fleet = run.fleet.save();
    into.put("body_step", fleet.step);
    into.put("body_time", fleet.time);
    for (name, numbers) in fleet.arrays() {
        into.put_doubles(name, numbers.to_vec());
    }
    into.put_floats("bed", run.ground.height.values().to_vec());
    into.put_floats("shore_bed", run.lake.bed().height.values().to_vec());
    if let Some(filled) = run.lake.filled() {
        into.put_floats("filled", filled.values().to_vec());
    }
    into.put_doubles("level", vec![run.lake.level(), run.lake.next_look()]);
}

pub(super) fn load(run: &mut WaveRun, from: &Sections) -> Result<(), String> {
    let (step, steps) = (from.number("step")?, run.setup.scene.time.steps);
    if step > steps {
        return Err(from.too_far(steps)?);
    }
    let number = |key: &str| {
        let value = from.header.get(key).and_then(serde_json::Value::as_f64);
        value.ok_or_else(|| format!("its header lacks \"{key}\""))
    };
    let grid = |name: &str| {
        let height = &run.ground.height;
        let grid = Grid2::from_values(height.cols(), height.rows(), from.floats(name)?.to_vec());
        let whole = grid.filter(|grid| grid.values().iter().all(|value| value.is_finite()));
        whole.ok_or_else(|| format!("its \"{name}\" does not fit the terrain"))
    };
    let (bed, shore_bed) = (grid("bed")?, grid("shore_bed")?);
    let [level, next_look] = match from.doubles("level")? {
        &[level, next_look] if level.is_finite() && next_look.is_finite() => [level, next_look],
        _ => return Err("its \"level\" is no height".into()),
    };
    let filled = if from.floats("filled").is_ok() { Some(grid("filled")?) } else { None };
    let free = from.doubles("free")?.iter().map(|&slot| slot as u32).collect();
    let waves = Saved {
        time: number("wave_time")?,
        looks: from.number("looks")?,
        particles: from.doubles("particles")?.to_vec(),
        free,
        sprays: from.doubles("sprays")?.to_vec(),
        books: from.doubles("wave_books")?.to_vec(),
        foam: from.floats("foam")?.to_vec(),
    };
    let fleet = SavedFleet {
        step: from.number("body_step")?,
        time: number("body_time")?,
        bodies: from.doubles("bodies")?.to_vec(),
        waves: from.doubles("body_waves")?.to_vec(),
    };
    run.ground.height = bed;
    let mut lake = run.lake.clone();
    lake.resume(shore_bed, filled, [level, next_look]);
    let basin = lake.basin().map_err(|complaint| complaint.message)?;
    run.settle_on(lake, basin);
    run.waves.load(&waves)?;
    run.fleet.load(&fleet).map_err(|invalid| invalid.to_string())?;
    run.on_land = from.number("on_land")?;
    run.steps = step;
    Ok(())
}
