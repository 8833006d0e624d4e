//! When the frames of a run are taken.

use super::recorder::Now;
use crate::project::{Coarse, Every, Scene};

/// When frames are taken. The run itself goes on in the same steps, whatever the pace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pace {
    /// Again and again.
    Every(Every),
    /// So many, two at least, spread evenly over the whole run: the first shows its start, the last its end.
    Film(u64),
}

/// When a frame is due: after so many steps of all passes, or at a time of the present pass `[s]`, whichever comes first.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Moment {
    step: u64,
    pass_time: f64,
}

impl Moment {
    const NEVER: Self = Self { step: u64::MAX, pass_time: f64::INFINITY };

    fn has_come(self, now: &Now) -> bool {
        now.steps_taken() >= self.step || now.clock.pass_time >= self.pass_time
    }
}

impl Pace {
    /// What a scene asks for; `None` if it wants no frames.
    pub(super) fn of(scene: &Scene) -> Option<Self> {
        match (scene.output.video, scene.output.frames_every) {
            (Some(seconds), _) => {
                let frames = seconds * f64::from(scene.picture.fps);
                Some(Self::Film((frames.round() as u64).max(2)))
            }
            (None, Every::NEVER) => None,
            (None, every) => Some(Self::Every(every)),
        }
    }

    /// Whether its moments depend on how long the run is.
    pub(super) fn spans_the_run(self) -> bool {
        matches!(self, Self::Film(_))
    }

    /// Frames of a run of so many steps and so much simulated time `[s]`.
    pub(super) fn frames_in(self, steps: u64, time: f64) -> u64 {
        match self {
            Self::Every(Every::Steps(every)) => steps / every + 1,
            Self::Every(Every::Time(every)) => (time / every) as u64 + 1,
            Self::Film(frames) => frames,
        }
    }

    /// The first frame that a run has to draw which begins, or goes on, from here.
    pub(super) fn first(self, now: &Now) -> u64 {
        if now.steps_taken() == 0 {
            return 0;
        }
        match self {
            Self::Every(Every::Steps(steps)) => now.steps_taken().div_ceil(steps),
            Self::Every(Every::Time(time)) => {
                // Rounded either way; the frame itself knows whether it is due.
                let near = ((now.clock.time / time) as u64).saturating_sub(1);
                (near..).find(|&number| !self.is_due(number, now)).unwrap_or(u64::MAX)
            }
            Self::Film(frames) => (0..frames).find(|&number| !self.is_due(number, now)).unwrap_or(frames),
        }
    }

    /// Whether the moment of a frame has come.
    pub(super) fn is_due(self, number: u64, now: &Now) -> bool {
        let over = matches!(self, Self::Film(frames) if number < frames && now.clock.is_over);
        over && now.steps_taken() > 0 || self.moment(number, now).has_come(now)
    }

    /// Steps that can be taken until a frame might be due, at least one.
    pub(super) fn due_in(self, number: u64, now: &Now) -> u64 {
        let Moment { step, pass_time } = self.moment(number, now);
        step.saturating_sub(now.steps_taken()).max(1).min(now.steps_before(pass_time))
    }

    fn moment(self, number: u64, now: &Now) -> Moment {
        match self {
            Self::Every(Every::Steps(steps)) => {
                Moment { step: number.saturating_mul(steps), ..Moment::NEVER }
            }
            Self::Every(Every::Time(time)) => {
                let before = now.clock.time - now.clock.pass_time;
                Moment { pass_time: number as f64 * time - before, ..Moment::NEVER }
            }
            Self::Film(frames) if number < frames => film_moment(number, frames - 1, now),
            Self::Film(_) => Moment::NEVER,
        }
    }
}

/// The moment that lies `number` of `of` parts into the run.
fn film_moment(number: u64, of: u64, now: &Now) -> Moment {
    let scene = now.scene();
    let passes = passes(scene, now.start().frame.cell, now.clock.dt_grows_with_cells);
    let whole: u128 = passes.iter().map(Pass::work).sum();
    if whole == 0 {
        // A run without steps is a picture and no film.
        return if number == 0 { Moment { step: 0, ..Moment::NEVER } } else { Moment::NEVER };
    }
    // In parts of a unit of work, so that all numbers are whole.
    let at = u128::from(number) * whole;
    let of = u128::from(of);
    let (mut begin, mut step) = (0, 0);
    for pass in &passes {
        let end = begin + pass.work() * of;
        if at <= end {
            step += (at - begin).div_ceil(u128::from(pass.weight) * of) as u64;
            break;
        }
        (begin, step) = (end, step + pass.steps);
    }
    let Some(last) = passes.last() else { return Moment::NEVER };
    let coarse: u64 = scene.time.coarse.iter().map(|coarse| coarse.steps).sum();
    let pass_time = match scene.time.duration {
        // The last pass ends with its steps or with its time.
        Some(duration) if now.steps_taken() >= coarse && last.steps > 0 => {
            let begin = (whole - last.work()) * of;
            duration * at.saturating_sub(begin) as f64 / (last.work() * of) as f64
        }
        _ => f64::INFINITY,
    };
    Moment { step, pass_time }
}

/// A pass of a run, and how much of the film a step of it takes.
struct Pass {
    steps: u64,
    weight: u64,
}

impl Pass {
    fn work(&self) -> u128 {
        u128::from(self.steps) * u128::from(self.weight)
    }
}

/// The passes of a scene. Time steps are as long as a wave takes to cross a cell, so that one on cells eight times as
/// wide counts as eight: the film then keeps its tempo from pass to pass.
fn passes(scene: &Scene, cell: f64, grows: bool) -> Vec<Pass> {
    let coarse = scene.time.coarse.iter();
    let weight = |pass: &Coarse| if grows { pass.factor_on(cell) as u64 } else { 1 };
    let coarse = coarse.map(|pass| Pass { steps: pass.steps, weight: weight(pass) });
    coarse.chain([Pass { steps: scene.time.steps, weight: 1 }]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Project;
    use crate::session::Session;

    const MEMORY: u64 = 1 << 28;

    /// Rain on hills, by two coarse passes and the terrain itself.
    const HILLS: &str = "version = 1\n[terrain]\nsize = [48, 48]\n[[rain]]\nrate = '60 mm/h'\n[time]\nsteps = 160\n\
                         [[time.coarse]]\nfactor = 4\nsteps = 120\n[[time.coarse]]\nfactor = 2\nsteps = 80\n";

    fn state(text: &str) -> Session {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("scene.toml");
        std::fs::write(&file, text).unwrap();
        Session::new(&Project::open(file.to_str().unwrap(), &[]).unwrap(), MEMORY).unwrap()
    }

    fn step(state: &mut Session, steps: u64) {
        state.advance(steps).unwrap();
    }

    /// Steps and times of all frames, taking as many steps in one go as may be.
    fn shown(text: &str, pace: Pace) -> Vec<(u64, f64)> {
        let mut state = state(text);
        let mut shown = Vec::new();
        loop {
            while Now::tell(&state, |now| pace.is_due(shown.len() as u64, now)) {
                shown.push((state.steps_taken(), state.time()));
            }
            if state.is_over() {
                return shown;
            }
            let steps =
                Now::tell(&state, |now| pace.due_in(shown.len() as u64, now)).min(state.clock().most_steps);
            step(&mut state, steps);
        }
    }

    /// Time from each frame to the next `[s]`.
    fn gaps(shown: &[(u64, f64)]) -> Vec<f64> {
        shown.windows(2).map(|pair| pair[1].1 - pair[0].1).collect()
    }

    /// A step on wider cells takes longer, and counts that much more of the film.
    #[test]
    fn time_passes_evenly_through_a_film_from_pass_to_pass() {
        let shown = shown(HILLS, Pace::Film(41));
        assert_eq!(shown.first(), Some(&(0, 0.0)));
        assert_eq!((shown.len(), shown[40].0), (41, 360), "frames, and the step of the last one");
        let gaps = gaps(&shown);
        // Steps change by a fifth or so within a pass, as the water deepens; frames lie at whole steps.
        for pair in gaps.windows(2) {
            let jump = pair[1] / pair[0];
            assert!((0.6..1.7).contains(&jump), "the tempo jumps by {jump}: {gaps:?} s");
        }
    }

    #[test]
    fn a_film_of_a_run_that_ends_by_time_has_its_frames_at_even_times() {
        let text =
            HILLS.split("steps = 160").next().unwrap().to_owned() + "steps = 5000\nduration = '600 s'\n";
        let shown = shown(&text, Pace::Film(11));
        assert_eq!(shown.len(), 11);
        for (number, (step, time)) in shown.iter().enumerate() {
            // A time step is 10 s long at most.
            let due = 60.0 * number as f64;
            assert!(
                (due..due + 10.0).contains(time),
                "frame {number} shows {time} s (step {step}), not {due} s"
            );
        }
    }

    /// Whatever the step at which a run is taken up again, it draws what is missing and nothing else.
    #[test]
    fn a_run_that_goes_on_draws_the_frames_that_are_missing() {
        for pace in [Pace::Film(50), Pace::Every(Every::Time(7.0)), Pace::Every(Every::Steps(9))] {
            let (mut state, mut drawn) = (state(HILLS), 0);
            loop {
                while Now::tell(&state, |now| pace.is_due(drawn, now)) {
                    drawn += 1;
                }
                let first = Now::tell(&state, |now| pace.first(now));
                let same =
                    u64::from(state.steps_taken() == 0 || matches!(pace, Pace::Every(Every::Steps(_))));
                // At a frame's own step it may be drawn again: it looks the same.
                let range = drawn - same.min(drawn)..=drawn;
                assert!(range.contains(&first), "{pace:?}: goes on with frame {first} of {drawn}");
                if state.is_over() {
                    break;
                }
                step(&mut state, 1);
            }
            assert!(drawn > 30, "{pace:?}: {drawn} frames");
        }
    }

    #[test]
    fn a_run_without_steps_is_one_picture() {
        let text = HILLS.split("[time]").next().unwrap().to_owned() + "[time]\nsteps = 0\n";
        assert_eq!(shown(&text, Pace::Film(9)).len(), 1);
    }
}
