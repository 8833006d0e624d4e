//! What the pointer does to the ground.

use crate::command::Command;
use thalweg::Edit;
use thalweg::solver::{Stroke, Tool};

/// What is in the hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Hand {
    /// Nothing: the pointer turns the view.
    #[default]
    Look,
    /// A brush for ground, hardness or water.
    Brush(Tool),
    /// Places a round cloud of rain.
    RainCloud,
    /// Places a source.
    Source,
    /// Places a drain.
    Drain,
}

impl Hand {
    /// All tools, in the order of the toolbar, each with the command that takes it up.
    pub(crate) const ALL: [(Self, Command); 12] = [
        (Self::Look, Command::Look),
        (Self::Brush(Tool::Raise), Command::Raise),
        (Self::Brush(Tool::Lower), Command::Lower),
        (Self::Brush(Tool::Smooth), Command::Smooth),
        (Self::Brush(Tool::Flatten), Command::Flatten),
        (Self::Brush(Tool::Harden), Command::Harden),
        (Self::Brush(Tool::Soften), Command::Soften),
        (Self::Brush(Tool::Pour), Command::Pour),
        (Self::Brush(Tool::Scoop), Command::Scoop),
        (Self::RainCloud, Command::RainCloud),
        (Self::Source, Command::Source),
        (Self::Drain, Command::Drain),
    ];

    /// Whether its strength is a height, rather than a share.
    pub(crate) fn is_height(self) -> bool {
        matches!(self, Self::Brush(Tool::Raise | Tool::Lower | Tool::Pour | Tool::Scoop))
    }
}

/// A brush with its size, and the stroke that it is drawing.
#[derive(Debug)]
pub(crate) struct Brush {
    pub hand: Hand,
    /// How far it reaches `[m]`.
    pub radius: f64,
    /// Height that raises, lowers, pours and scoops `[m]`.
    pub height: f64,
    /// Share for the other tools `[-]`.
    pub share: f64,
    /// Water that a source gives and a drain takes `[m³/s]`.
    pub discharge: f64,
    /// Rain of a cloud `[m/s]`.
    pub rain: f64,
    /// The line that is being drawn, metres east and north.
    pub stroke: Vec<[f64; 2]>,
    /// A source, drain or emitter that is being dragged: its key.
    pub dragged: Option<String>,
    /// Whether the keys fly the camera.
    pub flies: bool,
}

impl Default for Brush {
    fn default() -> Self {
        Self {
            hand: Hand::Look,
            radius: 100.0,
            height: 10.0,
            share: 0.5,
            discharge: 10.0,
            rain: 100.0e-3 / 3600.0,
            stroke: Vec::new(),
            dragged: None,
            flies: false,
        }
    }
}

/// Radius and height of a new brush as shares of the ground's shorter side `[-]`.
const RADIUS: f64 = 0.05;
const HEIGHT: f64 = 0.005;
/// Shortest way between two points of a stroke, as a share of its radius `[-]`.
const APART: f64 = 0.2;
/// Factor on the strength of a fine stroke `[-]`.
const FINE: f64 = 0.2;

impl Brush {
    /// Sizes that suit a ground of that extent.
    pub(crate) fn fit(&mut self, extent: [f64; 2], cell: f64) {
        let side = extent[0].min(extent[1]);
        self.radius = (RADIUS * side).max(2.0 * cell);
        self.height = HEIGHT * side;
        self.discharge = (2.0e-4 * self.radius * self.radius).clamp(0.01, 1.0e4);
        self.put_down();
    }

    /// Takes up the tool that a command asks for.
    pub(crate) fn take(&mut self, command: Command) {
        if let Some((hand, _)) = Hand::ALL.iter().find(|(_, own)| *own == command) {
            self.hand = *hand;
            self.stroke.clear();
        }
    }

    pub(crate) fn put_down(&mut self) {
        self.hand = Hand::Look;
        self.stroke.clear();
        self.dragged = None;
    }

    pub(crate) fn resize(&mut self, factor: f64) {
        self.radius = (self.radius * factor).clamp(1.0e-3, 1.0e7);
    }

    /// Draws the line on.
    pub(crate) fn go_to(&mut self, at: [f64; 2]) {
        let far = |last: &[f64; 2]| (at[0] - last[0]).hypot(at[1] - last[1]) > APART * self.radius;
        if self.stroke.last().is_none_or(far) {
            self.stroke.push(at);
        }
    }

    /// What the pointer does when it is let go of; `fine` is weaker, `inverse` the other way round.
    pub(crate) fn done(&mut self, fine: bool) -> Option<Edit> {
        let along = std::mem::take(&mut self.stroke);
        let first = *along.first()?;
        let strength = if fine { FINE } else { 1.0 };
        match self.hand {
            Hand::Look => None,
            Hand::Brush(tool) => {
                let whole = if self.hand.is_height() { self.height } else { self.share };
                let stroke =
                    Stroke { tool, along, radius: self.radius, strength: whole * strength, level: None };
                Some(Edit::Paint(stroke))
            }
            Hand::RainCloud => {
                let rate = self.rain * std::f64::consts::PI * self.radius * self.radius * strength;
                Some(self.place("source", first, rate))
            }
            Hand::Source => Some(self.place("source", first, self.discharge * strength)),
            Hand::Drain => Some(self.place("drain", first, self.discharge * strength)),
        }
    }

    fn place(&self, list: &str, [east, north]: [f64; 2], rate: f64) -> Edit {
        let entry =
            format!("{{ at = [{east:.2}, {north:.2}], rate = {rate:e}, radius = {:.3} }}", self.radius);
        Edit::Add { list: list.into(), entry, at: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stroke_is_one_edit_and_shift_makes_it_weaker() {
        let mut brush = Brush::default();
        brush.take(Command::Raise);
        for east in 0..200 {
            brush.go_to([f64::from(east), 50.0]);
        }
        assert!(brush.stroke.len() < 12, "{} points for 200 m at a radius of 100 m", brush.stroke.len());
        let Some(Edit::Paint(stroke)) = brush.done(true) else { panic!() };
        assert_eq!((stroke.tool, stroke.strength), (Tool::Raise, 2.0));
        assert!(brush.done(false).is_none(), "nothing is left");
    }

    /// A cloud gives as much water as its rain on its disc.
    #[test]
    fn a_cloud_rains_on_its_disc() {
        let mut brush = Brush { hand: Hand::RainCloud, radius: 20.0, rain: 1.0e-3, ..Brush::default() };
        brush.go_to([10.0, 30.0]);
        let Some(Edit::Add { list, entry, .. }) = brush.done(false) else { panic!() };
        let entry: toml::Table = format!("entry = {entry}").parse().unwrap();
        let rate = entry["entry"]["rate"].as_float().unwrap();
        assert_eq!(list, "source");
        assert!((rate - 1.256_637).abs() < 1.0e-4, "{rate} m³/s");
    }
}
