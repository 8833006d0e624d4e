//! What makes waves.

/// A piece of a wave front that something sends out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Emission {
    /// Where it starts, east and north of the scene's origin `[m]`.
    pub place: [f64; 2],
    /// Where it goes, a unit vector.
    pub heading: [f64; 2],
    /// Full angle of the arc that it stands for; 0 for a straight front `[rad]`.
    pub spread: f64,
    /// Distance to the centre of that arc, behind it; negative where the front converges `[m]`.
    pub origin_distance: f64,
    /// Height of its crest, below zero for a trough `[m]`.
    pub amplitude: f64,
    /// Half its wavelength `[m]`.
    pub radius: f64,
}
