//! What is refused, and in which words.

use thalweg_field::Invalid;
use thalweg_field::describe::{About, within};

/// No length or place of a terrain is larger `[m]`.
const LARGEST: f64 = 1.0e9;

/// Places and pushes.
pub(crate) const fn place() -> About {
    within(-LARGEST, LARGEST)
}

/// Lengths that may be nothing.
pub(crate) const fn length() -> About {
    within(0.0, LARGEST)
}

/// Lengths that are divided by.
pub(crate) const fn size() -> About {
    within(1.0e-6, LARGEST)
}

/// Heights of ground; the highest mountain that is known has 22 km.
pub(crate) const fn height() -> About {
    within(-1.0e6, 1.0e6)
}

/// Depths of hollows.
pub(crate) const fn depth() -> About {
    within(0.0, 1.0e6)
}

/// Slopes, up to a wall that leans by half a degree.
pub(crate) const fn grade() -> About {
    within(-100.0, 100.0)
}

/// Bearings, which may go around.
pub(crate) const fn bearing() -> About {
    within(-1.0e3, 1.0e3).slider(0.0, std::f64::consts::TAU)
}

/// Numbers of octaves: more reach below a millimetre from anything that is a terrain.
pub(crate) const fn octaves() -> About {
    within(1.0, 24.0).slider(1.0, 12.0)
}

/// Checks of numbers that depend on each other, below one path.
pub(crate) struct Check {
    path: String,
}

impl Check {
    pub(crate) fn new(path: impl Into<String>) -> Self {
        Self { path: path.into() }
    }

    /// The same checks for a table inside this one.
    pub(crate) fn below(&self, name: &str) -> Self {
        Self::new(format!("{}.{name}", self.path))
    }

    pub(crate) fn within(&self, name: &str, value: f64, low: f64, high: f64) -> Result<(), Invalid> {
        let fits = (low..=high).contains(&value);
        self.that(fits, name, value, || format!("it must lie between {low} and {high} m"))
    }

    /// A winding line that does not fold onto itself, and a channel not far wider than its bends.
    pub(crate) fn bends(&self, amplitude: f64, wavelength: f64, width: f64) -> Result<(), Invalid> {
        self.within("amplitude", amplitude, 0.0, 2.0 * wavelength)?;
        self.that(width <= 4.0 * wavelength, "wavelength", wavelength, || {
            format!("it must be at least a quarter of the width, {} m", width / 4.0)
        })
    }

    /// Refuses a length that does not fit `[m]`, saying what would be right.
    pub(crate) fn that(
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
        Err(Invalid { key: path, value: format!("{value} m"), remedy: right() })
    }
}
