//! What makes waves.

/// A piece of a wave front that something sends out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Emission {
    /// Where it starts, east and north of the scene's origin `[m]`.
    pub place: [f64; 2],
    /// Where it goes, a unit vector.
    pub heading: [f64; 2],
    /// Full angle of the arc that it stands for; 0 for a straight front `[rad]`.
    pub spread: f64,
    /// Distance to the centre of that arc, behind it; negative where the front converges `[m]`.
    pub origin_distance: f64,
    /// Width that it stands for where the front is straight; 0 for half its radius `[m]`.
    pub width: f64,
    /// Height of its crest, below zero for a trough `[m]`. What starts nearer to its centre than one radius has this height there.
    pub amplitude: f64,
    /// Half its wavelength `[m]`.
    pub radius: f64,
    /// How long after now it starts `[s]`.
    pub delay: f64,
    /// Wavelengths from the middle of a train of waves to its end `[-]`; 0 for a single crest that keeps its shape. A train goes at the
    /// speed of groups, its crests at theirs.
    pub train: f64,
    /// Phase of a train in its middle, 0 for a crest `[rad]`.
    pub phase: f64,
    /// Whether it is one of a row of crests and troughs, half a wavelength apart, as trains are: from trough to crest such waves are
    /// twice as high as their crests. Others are lone crests.
    pub row: bool,
    /// Which body sends it, counted from 1; 0 for none. It does not feel it until it has gone two radii: see
    /// [`WaterSurface::felt_at`](crate::WaterSurface::felt_at).
    pub sender: u32,
}
