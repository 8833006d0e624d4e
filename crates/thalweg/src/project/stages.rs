//! Methods one after the other: what each of them runs, and how steps are shared out among them.

use super::passes::shared_out;
use super::{Scene, Time};
use crate::solver::Method;

impl Scene {
    /// How many methods follow one another: those of `[[before]]`, and the scene's own.
    pub(crate) fn stages(&self) -> usize {
        self.before.len() + 1
    }

    /// How long one of them runs.
    pub(crate) fn time_of_stage(&self, stage: usize) -> &Time {
        self.before.get(stage).map_or(&self.time, |earlier| &earlier.time)
    }

    /// The scene as if one of them were alone in it.
    pub(crate) fn of_stage(&self, stage: usize) -> Self {
        let mut alone = Self { before: Vec::new(), ..self.clone() };
        if let Some(earlier) = self.before.get(stage) {
            (alone.solver, alone.time) = (earlier.solver.clone().into(), earlier.time.clone());
        }
        alone
    }

    /// The method of one of them.
    pub(crate) fn method_of_stage(&self, stage: usize) -> &'static Method {
        self.before.get(stage).map_or_else(|| self.solver.first().method(), |earlier| earlier.solver.method())
    }

    /// Steps of all methods and passes together.
    pub fn steps_in_all(&self) -> u64 {
        (0..self.stages()).map(|stage| self.time_of_stage(stage).steps_in_all()).sum()
    }

    /// The same with `steps` steps in all, shared out among methods and passes as they are here. Each keeps a step at least; where there
    /// are too few for that, the first are left out.
    #[must_use]
    pub fn lasting(&self, steps: u64) -> Self {
        let mut scene = self.clone();
        let most = usize::try_from(steps.saturating_sub(1)).unwrap_or(usize::MAX);
        scene.before.drain(..self.before.len().saturating_sub(most));
        let weights: Vec<_> =
            (0..scene.stages()).map(|stage| scene.time_of_stage(stage).steps_in_all()).collect();
        let shares = if scene.before.is_empty() { vec![steps] } else { shared_out(steps, &weights) };
        for (earlier, &share) in scene.before.iter_mut().zip(&shares) {
            earlier.time = earlier.time.lasting(share);
        }
        scene.time = scene.time.lasting(shares.last().copied().unwrap_or(steps));
        scene
    }

    /// How a run goes on that was begun as `begun`: methods and passes before its last stay as they were, and that one takes what is left
    /// of `steps` steps in all. The text says why not.
    pub fn going_on(&self, begun: &Self, steps: u64) -> Result<Self, String> {
        let earlier: u64 = begun.before.iter().map(|earlier| earlier.time.steps_in_all()).sum();
        let left = steps.checked_sub(earlier).filter(|&left| left > 0 || earlier == 0);
        let left = left.ok_or_else(|| {
            format!("what comes before has {earlier} steps by itself; ask for more, or run without --resume")
        })?;
        let time = self.time.going_on(&begun.time, left)?;
        Ok(Self { before: begun.before.clone(), time, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use crate::project::parse;

    fn steps(scene: &crate::project::Scene) -> Vec<u64> {
        (0..scene.stages()).map(|stage| scene.time_of_stage(stage).steps_in_all()).collect()
    }

    #[test]
    fn steps_are_shared_out_among_methods_and_none_is_lost() {
        let text = "version = 1\n[edges]\nsouth = 'open'\n[[before]]\nkind = 'stream-power'\ntime = { steps = 30, coarse = [{ factor = 2, steps = 70 }] }\n\
                    [time]\nsteps = 300";
        let scene = parse(text, "a.toml", &[]).unwrap();
        assert_eq!((scene.steps_in_all(), steps(&scene.lasting(40))), (400, vec![10, 30]));
        assert_eq!(scene.lasting(40).before[0].time.coarse[0].steps, 7);
        for few in 0..50 {
            assert_eq!(scene.lasting(few).steps_in_all(), few);
        }
        assert_eq!(steps(&scene.lasting(1)), [1], "with a single step the scene's own method has it");
        assert_eq!(scene.lasting(400), scene);
    }

    #[test]
    fn methods_that_are_over_stay_as_they_were() {
        let text = "version = 1\n[edges]\nsouth = 'open'\n[[before]]\nkind = 'stream-power'\ntime = { steps = 10 }\n[time]\nsteps = 30";
        let begun = parse(text, "a.toml", &[]).unwrap();
        let longer = begun.going_on(&begun, 100).unwrap();
        assert_eq!(steps(&longer), [10, 90]);
        let refused = begun.going_on(&begun, 10).unwrap_err();
        assert!(refused.contains("10 steps"), "{refused}");
    }
}
