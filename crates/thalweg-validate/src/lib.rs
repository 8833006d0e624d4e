//! Comparison with theory: each [`Case`] sets up a flow whose outcome is known, runs it, and returns the
//! numbers side by side as [`Check`]s.
//!
//! Tolerances come from the source or from a stated reason, never from what the solver happens to give. Where
//! the method itself is known to differ from nature the check says so and holds it to that difference.
//!
//! ```
//! for case in thalweg_validate::select(&["pipes/steady-sheet".to_owned()])? {
//!     for check in case.run() {
//!         assert!(check.pass, "{check}");
//!     }
//! }
//! # Ok::<(), String>(())
//! ```

mod pipes;
mod sph;
mod stream_power;
mod volume;
mod waves;

pub use sph::eroding_stream;

use serde::Serialize;
use std::fmt;
use std::ops::RangeInclusive;

/// What a case returns.
type Checks = Result<Vec<Check>, Stopped>;

/// Why a solver gave a run up, in its own words.
struct Stopped(String);

impl<E: std::error::Error> From<E> for Stopped {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// One number compared.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// Name of the case it belongs to.
    pub case: String,
    /// What was measured. One-sided bounds end in "(at most)" or "(at least)".
    pub quantity: String,
    /// The value found, in `unit`.
    pub measured: f64,
    /// What theory says, or the bound of a one-sided check, in `unit`.
    pub expected: f64,
    /// Largest difference that passes, in `unit`; 0 for a one-sided check.
    pub tolerance: f64,
    /// Unit of all three.
    pub unit: &'static str,
    /// Whether it passed.
    pub pass: bool,
    /// Where the expected value comes from.
    pub source: &'static str,
}

impl Check {
    fn new(quantity: impl Into<String>, unit: &'static str, source: &'static str) -> Self {
        let quantity = quantity.into();
        let (measured, expected, tolerance) = (f64::NAN, f64::NAN, f64::NAN);
        Self { case: String::new(), quantity, measured, expected, tolerance, unit, pass: false, source }
    }

    /// Passes if |measured − expected| ≤ tolerance; what is not a number fails.
    fn near(self, measured: f64, expected: f64, tolerance: f64) -> Self {
        let pass = (measured - expected).abs() <= tolerance;
        Self { measured, expected, tolerance, pass, ..self }
    }

    /// Passes if measured lies within `share` of expected.
    fn near_share(self, measured: f64, expected: f64, share: f64) -> Self {
        self.near(measured, expected, share * expected.abs())
    }

    /// Passes inside a range, which is given as its middle and half its width.
    fn within(self, measured: f64, range: RangeInclusive<f64>) -> Self {
        let (low, high) = range.into_inner();
        self.near(measured, 0.5 * (low + high), 0.5 * (high - low))
    }

    fn at_most(self, measured: f64, bound: f64) -> Self {
        let quantity = self.quantity + " (at most)";
        Self { quantity, measured, expected: bound, tolerance: 0.0, pass: measured <= bound, ..self }
    }

    fn at_least(self, measured: f64, bound: f64) -> Self {
        let quantity = self.quantity + " (at least)";
        Self { quantity, measured, expected: bound, tolerance: 0.0, pass: measured >= bound, ..self }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { case, quantity, measured, expected, tolerance, unit, source, .. } = self;
        let word = if self.pass { "ok" } else { "OUT" };
        write!(
            f,
            "{word} {case}: {quantity}: measured {measured:.6e}, expected {expected:.6e} ± {tolerance:.2e} {unit} \
             ({source})"
        )
    }
}

/// A flow with a known outcome.
#[derive(Debug)]
pub struct Case {
    /// Solver and case, as in `pipes/lake-at-rest`.
    pub name: &'static str,
    /// What it shows, in one line.
    pub about: &'static str,
    run: fn() -> Checks,
}

impl Case {
    /// Runs it. A run that the solver itself gives up is a failed check, with its reason as the quantity.
    pub fn run(&self) -> Vec<Check> {
        let mut checks = (self.run)().unwrap_or_else(|Stopped(error)| {
            vec![Check::new(format!("the run stopped: {error}"), "-", "the solver's own guard")]
        });
        for check in &mut checks {
            self.name.clone_into(&mut check.case);
        }
        checks
    }
}

/// All cases, in the order of their table.
pub fn cases() -> Vec<&'static Case> {
    [
        pipes::CASES,
        sph::CASES,
        sph::PCISPH,
        sph::DFSPH,
        stream_power::CASES,
        volume::CASES,
        waves::CASES,
        waves::ocean::CASES,
        waves::bodies::CASES,
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Cases that take minutes: they are run only by their whole names.
pub fn long_cases() -> &'static [Case] {
    sph::LONG
}

/// The cases of these names, in the order of [`cases`] and [`long_cases`]; `pipes` stands for all `pipes/...` that are not long, no names
/// for all of those.
pub fn select(names: &[String]) -> Result<Vec<&'static Case>, String> {
    let chosen = |case: &Case, name: &str| {
        case.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let long = || long_cases().iter().filter(|case| names.iter().any(|name| case.name == name));
    let known = |name: &&String| {
        cases().iter().any(|case| chosen(case, name)) || long_cases().iter().any(|case| case.name == **name)
    };
    if let Some(name) = names.iter().find(|name| !known(name)) {
        let known: Vec<_> = cases().into_iter().chain(long_cases()).map(|case| case.name).collect();
        return Err(format!("there is no case {name:?}; the cases are {}", known.join(", ")));
    }
    let wanted = |case: &&Case| names.is_empty() || names.iter().any(|name| chosen(case, name));
    Ok(cases().into_iter().filter(wanted).chain(long()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_can_fail() {
        let check = || Check::new("depth", "m", "here");
        assert!(check().near(1.01, 1.0, 0.02).pass && !check().near(1.03, 1.0, 0.02).pass);
        assert!(check().near_share(-9.9, -10.0, 0.02).pass && !check().near_share(-9.0, -10.0, 0.02).pass);
        assert!(check().within(3.0, 1.0..=3.0).pass && !check().within(0.9, 1.0..=3.0).pass);
        assert!(check().at_most(1.0, 1.0).pass && !check().at_most(1.1, 1.0).pass);
        assert!(check().at_least(1.0, 1.0).pass && !check().at_least(0.9, 1.0).pass);
        let lost = f64::NAN;
        assert!(!check().near(lost, 0.0, 1.0).pass && !check().at_most(lost, 1.0).pass);
    }

    #[test]
    fn cases_are_chosen_by_name_or_by_solver() {
        let pick = |names: &[&str]| select(&names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>());
        assert_eq!(pick(&[]).unwrap().len(), cases().len());
        let of = |solver: &str| cases().iter().filter(|case| case.name.starts_with(solver)).count();
        assert_eq!(pick(&["pipes"]).unwrap().len(), of("pipes/"));
        assert_eq!(pick(&["sph"]).unwrap().len(), of("sph/"));
        let counts = ["pipes/", "sph/", "pcisph/", "dfsph/", "stream-power/", "volume/", "waves/"].map(of);
        assert!(counts.iter().all(|&count| count > 0) && counts.iter().sum::<usize>() == cases().len());
        let two = pick(&["pipes/symmetry", "pipes/lake-at-rest", "pipes/symmetry"]).unwrap();
        assert_eq!(two.iter().map(|c| c.name).collect::<Vec<_>>(), ["pipes/lake-at-rest", "pipes/symmetry"]);
        let message = pick(&["pipes/lake"]).unwrap_err();
        assert!(message.starts_with("there is no case \"pipes/lake\"; the cases are pipes/lake-at-rest, "));
    }
}
