//! What is refused, and in which words.

/// A number in a recipe that makes no ground.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path} {message}")]
pub struct Invalid {
    /// Where it stands, such as `layer[2].wavelength`.
    pub path: String,
    /// Its value and what would be right.
    pub message: String,
}

/// No length or place of a terrain is larger [m].
const LARGEST: f64 = 1.0e9;
/// No ground is higher or deeper [m]; the highest mountain that is known has 22 km.
const HIGHEST: f64 = 1.0e6;
/// No slope is steeper [-]: a wall that leans by half a degree.
const STEEPEST: f64 = 100.0;
/// No bearing goes around more often [rad].
const AROUND: f64 = 1.0e3;

/// No length that is divided by is smaller [m].
const SMALLEST: f64 = 1.0e-6;

/// Checks of the numbers below one path; all of them refuse what is not finite.
pub(crate) struct Check {
    path: String,
}

impl Check {
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into() }
    }

    /// The same checks for a table inside this one.
    pub fn below(&self, name: &str) -> Self {
        Self::new(format!("{}.{name}", self.path))
    }

    pub fn finite(&self, name: &str, value: f64) -> Result<(), Invalid> {
        self.within(name, value, -LARGEST, LARGEST)
    }

    pub fn height(&self, name: &str, value: f64) -> Result<(), Invalid> {
        self.within(name, value, -HIGHEST, HIGHEST)
    }

    pub fn depth(&self, name: &str, value: f64) -> Result<(), Invalid> {
        self.within(name, value, 0.0, HIGHEST)
    }

    pub fn grade(&self, name: &str, value: f64) -> Result<(), Invalid> {
        self.within(name, value, -STEEPEST, STEEPEST)
    }

    pub fn bearing(&self, name: &str, value: f64) -> Result<(), Invalid> {
        self.within(name, value, -AROUND, AROUND)
    }

    pub fn positive(&self, name: &str, value: f64) -> Result<(), Invalid> {
        self.finite(name, value)?;
        self.that(value >= SMALLEST, name, value, || format!("it must be above 0, at least {SMALLEST}"))
    }

    pub fn not_negative(&self, name: &str, value: f64) -> Result<(), Invalid> {
        self.finite(name, value)?;
        self.that(value >= 0.0, name, value, || "it must not be negative".into())
    }

    pub fn within(&self, name: &str, value: f64, low: f64, high: f64) -> Result<(), Invalid> {
        let fits = (low..=high).contains(&value);
        self.that(fits, name, value, || format!("it must lie between {low} and {high}"))
    }

    pub fn place(&self, name: &str, place: Option<[f64; 2]>) -> Result<(), Invalid> {
        place.iter().flatten().try_for_each(|&metres| self.finite(name, metres))
    }

    /// A winding line that does not fold onto itself, and a channel not far wider than its bends.
    pub fn bends(&self, amplitude: f64, wavelength: f64, width: f64) -> Result<(), Invalid> {
        self.within("amplitude", amplitude, 0.0, 2.0 * wavelength)?;
        self.that(width <= 4.0 * wavelength, "wavelength", wavelength, || {
            format!("it must be at least a quarter of the width, {}", width / 4.0)
        })
    }

    /// Refuses a value that does not fit, saying what would be right.
    pub fn that(
        &self,
        fits: bool,
        name: &str,
        value: f64,
        right: impl Fn() -> String,
    ) -> Result<(), Invalid> {
        if fits {
            return Ok(());
        }
        let path = format!("{}.{name}", self.path);
        Err(Invalid { path, message: format!("is {value}; {}", right()) })
    }
}
