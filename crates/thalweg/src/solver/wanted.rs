//! What is to be shown.

/// What somebody wants to see; the rest is not worked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Names of maps; missing: all there are.
    pub fields: Option<Vec<String>>,
    /// Whether particles are wanted, where there are any.
    pub points: bool,
}

impl Wanted {
    /// Everything.
    pub fn all() -> Self {
        Self { fields: None, points: true }
    }

    /// Some maps, and no particles.
    pub fn fields(names: &[&str]) -> Self {
        Self { fields: Some(names.iter().map(|&name| name.into()).collect()), points: false }
    }

    /// Whether a map is wanted.
    pub fn has(&self, name: &str) -> bool {
        self.fields.as_ref().is_none_or(|fields| fields.iter().any(|field| field == name))
    }

    /// What is wanted of a water whose maps are told under its method's name.
    pub(crate) fn below(&self, kind: &str) -> Self {
        let own = |name: &String| name.strip_prefix(kind)?.strip_prefix('_').map(str::to_owned);
        let fields = self.fields.as_ref().map(|fields| fields.iter().filter_map(own).collect());
        Self { fields, points: self.points }
    }
}
