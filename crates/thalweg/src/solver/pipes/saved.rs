//! The state of a run of pipes in sections, and back.

use super::super::Sections;
use super::super::sections::time_steps;
use super::PipesRun;
use super::passes::Past;
use super::weather::flood;
use thalweg_erosion::pipes::Saved;
use thalweg_field::Grid2;
use thalweg_field::range::{NATURAL_F32, all_within};

impl PipesRun {
    /// Refuses a saved state that lies beyond the passes of the scene.
    fn check_pass(&self, pass: usize, step: u64, from: &Sections) -> Result<(), String> {
        let time = &self.scene().time;
        let passes = time.coarse.len();
        if pass > passes {
            return Err("it counts more passes than the scene has".into());
        }
        if time.coarse.get(pass).is_some_and(|coarse| step > coarse.steps) {
            return Err(format!("its pass {pass} is at step {step}, beyond its end"));
        }
        if pass == passes && step > time.steps {
            return Err(from.too_far(time.steps_in_all())?);
        }
        Ok(())
    }
}

pub(super) fn misfit() -> String {
    "its state does not fit the terrain".into()
}

pub(super) fn save(run: &PipesRun, into: &mut Sections) {
    let Saved { size, step, numbers, accounts, cells, painted, crossing, afloat_start, chosen_dt } =
        run.pipes.save();
    into.put("pass", run.pass);
    into.put("size", size.to_vec());
    into.put("pass_step", step);
    into.put_doubles("numbers", numbers);
    into.put_doubles("accounts", accounts);
    into.put_floats("cells", cells);
    if let Some(painted) = painted {
        into.put_doubles("painted", painted.to_vec());
    }
    if let Some(dt) = chosen_dt {
        into.put_doubles("chosen_dt", vec![dt]);
    }
    into.put_doubles("past", run.past.map_or(Vec::new(), |past| past.numbers().to_vec()));
    // Nothing that flows takes no time.
    let flowing = [crossing.unwrap_or(0.0), afloat_start];
    into.put_doubles("clock", [&[run.sampled, run.dt.0[0], run.dt.0[1]], &flowing[..]].concat());
    into.put_floats("flow", run.flow.values().to_vec());
    into.put_floats("wet", run.wet.values().to_vec());
    into.put_floats("inherited", run.inherited.as_ref().map_or(Vec::new(), |bed| bed.values().to_vec()));
}

pub(super) fn load(run: &mut PipesRun, from: &Sections) -> Result<(), String> {
    let (pass, step) = (from.number("pass")? as usize, from.number("pass_step")?);
    run.check_pass(pass, step, from)?;
    let mut ground = run.setup.ground.of_pass(run.scene(), pass);
    let (cols, rows) = (ground.height.cols(), ground.height.rows());
    let grid = |name| Grid2::from_values(cols, rows, from.floats(name)?.to_vec()).ok_or_else(misfit);
    if pass > 0 {
        ground.height = grid("inherited")?;
    }
    let params = run.setup.params().map_err(|complaint| complaint.message)?;
    let mut pipes = flood(&run.setup, &params, &ground).map_err(|complaint| complaint.message)?;
    // States of version 0.1 know nothing of what flows.
    let (clock, flowing) = from.doubles("clock")?.split_at_checked(3).ok_or_else(misfit)?;
    let saved = Saved {
        size: [cols, rows],
        step,
        numbers: from.doubles("numbers")?.to_vec(),
        accounts: from.doubles("accounts")?.to_vec(),
        cells: from.floats("cells")?.to_vec(),
        // States of version 0.1 know nothing of paint.
        painted: from.doubles("painted").ok().and_then(|painted| painted.try_into().ok()),
        crossing: flowing.first().copied().filter(|&crossing| crossing != 0.0),
        afloat_start: flowing.get(1).copied().unwrap_or(0.0),
        chosen_dt: from.doubles("chosen_dt").ok().and_then(|dt| dt.first().copied()),
    };
    pipes.restore(&saved)?;
    let past = match from.doubles("past")? {
        [] if pass == 0 => None,
        numbers if pass > 0 => Some(Past::from_numbers(numbers)?),
        _ => return Err(misfit()),
    };
    let (&[sampled], dt) = clock.split_first_chunk::<1>().ok_or_else(misfit)?;
    all_within("the time of its last sample,", &[sampled], &(0.0..=pipes.time()))?;
    let (flow, wet, dt) = (grid("flow")?, grid("wet")?, time_steps(dt)?);
    all_within("flow in cell", flow.values(), &NATURAL_F32)?;
    all_within("wetness in cell", wet.values(), &NATURAL_F32)?;
    let inherited = (pass > 0).then_some(ground.height);
    *run = PipesRun { setup: run.setup.clone(), pipes, pass, past, inherited, dt, flow, wet, sampled };
    run.pipes.end_at(run.scene().time.duration_of(run.pass));
    Ok(())
}
