//! `[time]`: how long a run takes, and how its steps are shared out among its passes.

use super::ranges::{share, span, steps};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thalweg_field::describe::{about, live, within};
use thalweg_field::units;

/// How long a run takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(transform = live)]
pub struct Time {
    /// Steps on the terrain itself.
    #[schemars(transform = steps().slider(0.0, 20_000.0))]
    pub steps: u64,
    /// Simulated time after which the last pass ends, if the steps have not run out before `[s]`.
    #[serde(with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = span().slider(1.0, 86_400.0))]
    pub duration: Option<f64>,
    /// Passes over a coarser terrain before, which lay out the large valleys.
    #[serde(rename = "coarse", skip_serializing_if = "Vec::is_empty")]
    #[schemars(transform = about().fixed())]
    pub coarse: Vec<Coarse>,
}

impl Default for Time {
    fn default() -> Self {
        Self { steps: 2000, duration: None, coarse: Vec::new() }
    }
}

/// A pass over a coarser terrain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Coarse {
    /// How many cells of the terrain make one of this pass, along each side; it falls from pass to pass. It or `cell` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(2.0, 65_536.0).slider(2.0, 32.0).of("cells"))]
    pub factor: Option<usize>,
    /// Side of a cell of this pass, rounded to whole cells of the terrain `[m]`. Unlike a factor it means the same on terrains of any
    /// number of cells; where those of the terrain are as wide, the pass works on the terrain itself.
    #[serde(default, with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-3, 1.0e6).slider(1.0, 500.0))]
    pub cell: Option<f64>,
    /// Steps of this pass, at most.
    #[schemars(transform = steps().slider(0.0, 5000.0))]
    pub steps: u64,
    /// Simulated time after which it ends, if the steps have not run out before `[s]`. Unlike a number of steps it means the same on
    /// terrains of any size.
    #[serde(default, with = "units::Time", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = span().slider(1.0, 86_400.0))]
    pub duration: Option<f64>,
    /// Share of the finer terrain's own detail that is put back afterwards, 0 to 1 `[-]`.
    #[serde(default = "half", with = "units::Ratio")]
    #[schemars(transform = share())]
    pub detail: f64,
}

fn half() -> f64 {
    0.5
}

impl Coarse {
    /// How many cells of a terrain make one of this pass, along each side; `cell` is the side of the terrain's `[m]`.
    pub fn factor_on(&self, cell: f64) -> usize {
        let wide = |own: f64| (own / cell).round().clamp(1.0, 65_536.0) as usize;
        self.factor.or(self.cell.map(wide)).unwrap_or(1)
    }

    /// How wide its cells are, in words.
    pub fn width(&self) -> String {
        match (self.cell, self.factor) {
            (Some(cell), _) => format!("cells of {cell} m"),
            (None, factor) => format!("cells {} times as wide", factor.unwrap_or(1)),
        }
    }
}

impl Time {
    /// Steps of a pass, the coarse ones first.
    pub(crate) fn steps_of(&self, pass: usize) -> u64 {
        self.coarse.get(pass).map_or(self.steps, |coarse| coarse.steps)
    }

    /// Simulated time after which a pass ends `[s]`, if it has one.
    pub(crate) fn duration_of(&self, pass: usize) -> Option<f64> {
        self.coarse.get(pass).map_or(self.duration, |coarse| coarse.duration)
    }

    /// Whether a pass has taken its steps or its time `[s]`.
    pub(crate) fn is_over(&self, pass: usize, steps: u64, time: f64) -> bool {
        self.duration_of(pass).is_some_and(|duration| time >= duration) || steps >= self.steps_of(pass)
    }

    /// Whether no pass comes after one.
    pub(crate) fn is_last(&self, pass: usize) -> bool {
        pass == self.coarse.len()
    }

    /// Steps of all passes together.
    pub fn steps_in_all(&self) -> u64 {
        self.coarse.iter().map(|coarse| coarse.steps).sum::<u64>() + self.steps
    }

    /// The same passes with `steps` steps in all, shared out as they are here. Each keeps a step at least, and where there
    /// are too few for that the coarsest are left out.
    pub fn lasting(&self, steps: u64) -> Self {
        let most = usize::try_from(steps.saturating_sub(1)).unwrap_or(usize::MAX);
        let left_out = self.coarse.len().saturating_sub(most);
        let mut time = Self { coarse: self.coarse[left_out..].to_vec(), ..self.clone() };
        // Passes without any step have nothing to go by: the last one takes all.
        let last = if time.steps_in_all() == 0 { 1 } else { time.steps };
        let weights: Vec<_> = time.coarse.iter().map(|coarse| coarse.steps).chain([last]).collect();
        let mut shares = shared_out(steps, &weights).into_iter();
        time.coarse.iter_mut().zip(&mut shares).for_each(|(coarse, share)| coarse.steps = share);
        time.steps = shares.next().unwrap_or(steps);
        time
    }

    /// How long a run goes on that was begun with the passes of `before`: they stay as they were, and the last one takes
    /// what is left of `steps` steps in all. The text says why not.
    pub fn going_on(&self, before: &Self, steps: u64) -> Result<Self, String> {
        let coarse: u64 = before.coarse.iter().map(|coarse| coarse.steps).sum();
        match steps.checked_sub(coarse) {
            Some(left) if left > 0 || coarse == 0 => {
                Ok(Self { steps: left, coarse: before.coarse.clone(), duration: self.duration })
            }
            _ => Err(format!(
                "its coarse passes alone have {coarse} steps; ask for more, or run without --resume"
            )),
        }
    }
}

/// Shares out a number in proportion to weights, the largest remainders rounded up, and at least one to each.
pub(super) fn shared_out(number: u64, weights: &[u64]) -> Vec<u64> {
    let all = weights.iter().map(|&weight| u128::from(weight)).sum::<u128>().max(1);
    let exact = |weight: u64| u128::from(number) * u128::from(weight);
    let mut shares: Vec<_> = weights.iter().map(|&weight| ((exact(weight) / all) as u64).max(1)).collect();
    let mut order: Vec<_> = (0..weights.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse((exact(weights[i]) % all, i)));
    let mut next = order.into_iter().cycle();
    loop {
        let given: u64 = shares.iter().sum();
        let largest = (0..shares.len()).max_by_key(|&i| shares[i]);
        match (given.cmp(&number), largest) {
            (std::cmp::Ordering::Less, _) => next.next().into_iter().for_each(|i| shares[i] += 1),
            (std::cmp::Ordering::Greater, Some(i)) if shares[i] > 0 => shares[i] -= 1,
            _ => return shares,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Coarse;

    fn time(coarse: &[u64], steps: u64) -> Time {
        let factor = |i: usize| 2_usize.pow((coarse.len() - i) as u32);
        let pass =
            |(i, &steps)| Coarse { factor: Some(factor(i)), cell: None, steps, duration: None, detail: 0.5 };
        Time { steps, duration: None, coarse: coarse.iter().enumerate().map(pass).collect() }
    }

    fn passes(time: &Time) -> Vec<u64> {
        time.coarse.iter().map(|coarse| coarse.steps).chain([time.steps]).collect()
    }

    #[test]
    fn steps_are_shared_out_in_proportion_and_none_is_lost() {
        let scene = time(&[400, 2000, 1500], 800);
        for (steps, expected) in [
            (4700, [400, 2000, 1500, 800]),
            (9400, [800, 4000, 3000, 1600]),
            (100, [8, 43, 32, 17]),
            (4, [1, 1, 1, 1]),
        ] {
            assert_eq!(passes(&scene.lasting(steps)), expected, "{steps} steps");
        }
        for steps in 0..2000 {
            assert_eq!(scene.lasting(steps).steps_in_all(), steps);
        }
    }

    #[test]
    fn cells_of_a_pass_mean_the_same_on_any_terrain() {
        let pass = Coarse { factor: None, cell: Some(80.0), steps: 1, duration: None, detail: 0.5 };
        // 1024, 512 and 256 cells over the same 10 km are 128 by 128 for this pass.
        assert_eq!([10.0, 20.0, 40.0].map(|cell| pass.factor_on(cell)), [8, 4, 2]);
        assert_eq!(
            [70.0, 80.0, 300.0].map(|cell| pass.factor_on(cell)),
            [1, 1, 1],
            "no finer than the terrain"
        );
        assert_eq!(Coarse { factor: Some(4), cell: None, ..pass }.factor_on(3.0), 4);
    }

    #[test]
    fn the_coarsest_passes_go_where_steps_are_too_few() {
        let scene = time(&[400, 2000, 1500], 800);
        assert_eq!(passes(&scene.lasting(2)), [1, 1]);
        assert_eq!(scene.lasting(2).coarse[0].factor, Some(2), "the finest of the coarse ones stays");
        assert_eq!(passes(&scene.lasting(0)), [0]);
        assert_eq!(passes(&time(&[1, 1], 10_000).lasting(3)), [1, 1, 1]);
        assert_eq!(passes(&time(&[0, 0], 0).lasting(5)).iter().sum::<u64>(), 5);
        assert_eq!(passes(&time(&[], 7).lasting(1_000_000_000_000)), [1_000_000_000_000]);
    }

    #[test]
    fn passes_that_are_over_stay_as_they_were() {
        let before = time(&[10, 20], 30);
        let scene = time(&[40, 80], 120);
        assert_eq!(passes(&scene.going_on(&before, 100).unwrap()), [10, 20, 70]);
        let refused = scene.going_on(&before, 30).unwrap_err();
        assert!(refused.contains("30 steps"), "{refused}");
        assert_eq!(passes(&scene.going_on(&time(&[], 5), 0).unwrap()), [0]);
    }
}
