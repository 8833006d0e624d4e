//! Values that make no sense.

/// A value that makes no sense, and what would.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} is {value}; {remedy}")]
pub struct Invalid {
    /// Its key: `rain[0].rate`.
    pub key: String,
    /// The value found, with its unit.
    pub value: String,
    /// What would be right.
    pub remedy: String,
}

/// Refuses a value unless something holds.
pub fn require(
    holds: bool,
    key: &str,
    value: impl ToString,
    remedy: impl Into<String>,
) -> Result<(), Invalid> {
    if holds {
        return Ok(());
    }
    Err(Invalid { key: key.into(), value: value.to_string(), remedy: remedy.into() })
}
