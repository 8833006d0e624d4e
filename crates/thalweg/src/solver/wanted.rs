//! What is to be shown.

/// What somebody wants to see; the rest is not worked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Names of maps; missing: all that a method shows unasked.
    pub fields: Option<Vec<String>>,
    /// Names of maps beside those, of the kind that a method makes only when it is asked for them by name.
    pub more: Vec<String>,
    /// Whether particles are wanted, where there are any.
    pub points: bool,
    /// Whether the surface of the ground is wanted, where it is a volume.
    pub mesh: bool,
}

impl Wanted {
    /// Everything.
    pub fn all() -> Self {
        Self { fields: None, more: Vec::new(), points: true, mesh: true }
    }

    /// Everything, and some maps that are made only when they are asked for by name.
    pub fn all_and(more: &[String]) -> Self {
        Self { more: more.to_vec(), ..Self::all() }
    }

    /// Some maps, and no particles.
    pub fn fields(names: &[&str]) -> Self {
        Self { fields: Some(names.iter().map(|&name| name.into()).collect()), ..Self::nothing() }
    }

    fn nothing() -> Self {
        Self { fields: Some(Vec::new()), more: Vec::new(), points: false, mesh: false }
    }

    /// Particles alone.
    pub fn points() -> Self {
        Self { points: true, ..Self::nothing() }
    }

    /// Whether a map is wanted that is shown unasked.
    pub fn has(&self, name: &str) -> bool {
        self.fields.is_none() || self.names(name)
    }

    /// Whether a map is asked for by its name.
    pub fn names(&self, name: &str) -> bool {
        self.fields.iter().flatten().chain(&self.more).any(|field| field == name)
    }

    /// What is wanted of a water whose maps are told under its method's name.
    pub(crate) fn below(&self, kind: &str) -> Self {
        let own = |name: &String| name.strip_prefix(kind)?.strip_prefix('_').map(str::to_owned);
        let fields = self.fields.as_ref().map(|fields| fields.iter().filter_map(own).collect());
        Self { fields, more: self.more.iter().filter_map(own).collect(), ..*self }
    }
}
