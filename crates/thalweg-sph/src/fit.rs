//! How compression changes with height: a straight line through that of some particles.

/// How compression changes with height.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Compression {
    /// At 0 m `[-]`.
    base: f64,
    /// With each metre upwards `[1/m]`.
    slope: f64,
}

impl Compression {
    /// That of water at a height; a source never pulls.
    pub(crate) fn at(&self, height: f32) -> f32 {
        (self.base + self.slope * f64::from(height)).max(0.0) as f32
    }
}

/// Sums for a straight line through compressions at heights.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fit {
    count: f64,
    height: f64,
    value: f64,
    squares: f64,
    products: f64,
}

impl Fit {
    pub(crate) fn add(&mut self, height: f64, value: f64) {
        self.count += 1.0;
        self.height += height;
        self.value += value;
        self.squares += height * height;
        self.products += height * value;
    }

    /// The line; it falls upwards, by no more than that of water at rest. Without any values it is zero.
    pub(crate) fn line(&self, growth: f64) -> Compression {
        if self.count == 0.0 {
            return Compression::default();
        }
        let (height, value) = (self.height / self.count, self.value / self.count);
        let spread = self.squares / self.count - height * height;
        let steep = (self.products / self.count - height * value) / spread;
        let slope = if steep.is_finite() { steep.clamp(-growth, 0.0) } else { 0.0 };
        Compression { base: value - slope * height, slope }
    }
}
