//! From values to positions along a colour map, and back to numbers that people read.

use crate::cpu::map::MapStyle;

/// How values are spread over the colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By their order of magnitude; values at or below zero take the first colour.
    Log,
    /// Evenly, with zero in the middle.
    AroundZero,
}

/// A number along a colour bar: its position in [0, 1] from the start, and its text.
pub type Tick = (f32, String);

/// The way from values to positions in [0, 1] along a colour map.
///
/// ```
/// use thalweg_render::{Scale, Spread};
///
/// let speed = Spread::new(Scale::Log, [0.01, 10.0]);
/// assert_eq!([0.001, 0.01, 10.0].map(|v| speed.position(v)), [0.0, 0.0, 1.0]);
/// assert!((speed.position(1.0) - 2.0 / 3.0).abs() < 1.0e-6);
/// let texts: Vec<String> = speed.ticks().into_iter().map(|(_, text)| text).collect();
/// assert_eq!(texts, ["0.01", "0.1", "1", "10"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    scale: Scale,
    first: f64,
    last: f64,
}

impl Spread {
    /// From a first to a last value. What cannot be a range is made one: a single value gets room above it,
    /// zero lies in the middle of [`Scale::AroundZero`], and [`Scale::Log`] begins four orders of magnitude
    /// below its end if not above zero.
    pub fn new(scale: Scale, [first, last]: [f32; 2]) -> Self {
        /// Orders of magnitude that a logarithmic bar spans unless told otherwise.
        const DECADES: i32 = 4;
        let (mut first, mut last) = (f64::from(first), f64::from(last));
        if !(first.is_finite() && last.is_finite()) {
            (first, last) = (0.0, 1.0);
        }
        match scale {
            Scale::Linear => {}
            Scale::AroundZero => {
                last = first.abs().max(last.abs());
                last = if last > 0.0 { last } else { 1.0 };
                first = -last;
            }
            Scale::Log => {
                last = last.max(f64::from(f32::MIN_POSITIVE));
                if first <= 0.0 {
                    first = last * 10f64.powi(-DECADES);
                }
            }
        }
        // A field of one value still needs a bar.
        if last <= first {
            last = first + first.abs().max(1.0);
        }
        Self { scale, first, last }
    }

    /// The spread of a style over these values: its own range, or what all but the most extreme 1 % of the
    /// finite ones span.
    pub fn of(values: &[f32], style: &MapStyle) -> Self {
        let spread = Self::new(style.scale, style.range.unwrap_or_else(|| bulk(values)));
        if style.range.is_none() && spread.scale == Scale::Log {
            // The smallest of measured values says little; four orders of magnitude are enough.
            let last = spread.last as f32;
            return Self::new(Scale::Log, [(spread.first as f32).max(last * 1.0e-4), last]);
        }
        spread
    }

    /// How values lie between the first and the last.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// The values of the first and the last colour.
    pub fn range(&self) -> [f32; 2] {
        [self.first as f32, self.last as f32]
    }

    /// Where a value lies; what is outside the range takes its end.
    pub fn position(&self, value: f32) -> f32 {
        self.place(f64::from(value)).clamp(0.0, 1.0) as f32
    }

    fn place(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear | Scale::AroundZero => (value - self.first) / (self.last - self.first),
            Scale::Log => (value.max(self.first) / self.first).ln() / (self.last / self.first).ln(),
        }
    }

    /// Round numbers along the bar.
    pub fn ticks(&self) -> Vec<Tick> {
        self.ticks_times(1.0)
    }

    /// Round numbers of the values times `factor`: 180/π shows radians in degrees.
    pub fn ticks_times(&self, factor: f64) -> Vec<Tick> {
        /// A value this close to the end is on it, whatever rounding says `[-]`.
        const NEARLY: f64 = 1.0e-9;
        let (first, last) = (self.first * factor, self.last * factor);
        let ticks: Vec<(f64, String)> = match self.scale {
            Scale::Linear | Scale::AroundZero => {
                let step = round_down((last - first) / 4.0);
                let room = NEARLY * (last - first) / step;
                let (low, high) = ((first / step - room).ceil() as i64, (last / step + room).floor() as i64);
                let plain = is_plain(step) && is_plain(first.abs().max(last.abs()));
                (low..=high)
                    .map(|i| i as f64 * step)
                    .map(|value| (value, number(value, step, plain)))
                    .collect()
            }
            Scale::Log => {
                let (low, high) = (first.log10() - NEARLY, last.log10() + NEARLY);
                // Powers of ten, or 1, 2 and 5 where there would be fewer than three.
                let powers = high.floor() - low.ceil() + 1.0;
                let leads: &[f64] = if powers >= 3.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
                (low.floor() as i32..=high.ceil() as i32)
                    .flat_map(|power| leads.iter().map(move |lead| lead * 10f64.powi(power)))
                    .filter(|value| (low..=high).contains(&value.log10()))
                    .map(|value| (value, number(value, value, is_plain(value))))
                    .collect()
            }
        };
        let placed = |(value, text): (f64, String)| (self.place(value / factor).clamp(0.0, 1.0) as f32, text);
        ticks.into_iter().map(placed).collect()
    }
}

/// The power of ten below a number.
fn order(value: f64) -> i32 {
    (value.log10() + 1.0e-9).floor() as i32
}

/// Whether a number is read more easily without a power of ten.
fn is_plain(value: f64) -> bool {
    (-3..6).contains(&order(value))
}

/// A number as short as it can be read, with the digits that a step needs to be seen.
fn number(value: f64, step: f64, plain: bool) -> String {
    const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let sign = if value < -0.5 * step { "−" } else { "" };
    let size = value.abs();
    if size < 0.5 * step {
        return "0".into();
    }
    if plain {
        return format!("{sign}{size:.*}", (-order(step)).max(0) as usize);
    }
    let digits = (order(size) - order(step)).max(0) as usize;
    let lead = format!("{:.digits$}", size / 10f64.powi(order(size)));
    let power = order(size).to_string();
    let raised = power.chars().map(|c| c.to_digit(10).map_or('⁻', |d| SUPERSCRIPTS[d as usize]));
    let times = if lead == "1" { String::new() } else { format!("{lead}·") };
    format!("{sign}{times}10{}", raised.collect::<String>())
}

/// The range of all but the most extreme 1 % of the finite values.
fn bulk(values: &[f32]) -> [f32; 2] {
    let mut finite: Vec<f32> = values.iter().copied().filter(|v| v.is_finite()).collect();
    if finite.is_empty() {
        return [0.0, 1.0];
    }
    let cut = finite.len() / 200;
    let last = finite.len() - 1;
    let low = *finite.select_nth_unstable_by(cut, f32::total_cmp).1;
    let high = *finite.select_nth_unstable_by(last - cut, f32::total_cmp).1;
    [low, high]
}

/// The largest of 1, 2, 5 times a power of ten that is not above `value`; 0 if there is none.
pub(crate) fn round_down(value: f64) -> f64 {
    if !(value.is_finite() && value > 0.0) {
        return 0.0;
    }
    let power = 10f64.powi(value.log10().floor() as i32);
    let lead = value / power;
    power
        * if lead >= 5.0 {
            5.0
        } else if lead >= 2.0 {
            2.0
        } else {
            1.0
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(spread: Spread) -> Vec<String> {
        spread.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn round_lengths_are_one_two_or_five() {
        for (value, expected) in
            [(1.0, 1.0), (3.9, 2.0), (780.0, 500.0), (0.07, 0.05), (0.0, 0.0), (f64::NAN, 0.0)]
        {
            assert!((round_down(value) - expected).abs() < 1.0e-12, "{value}");
        }
    }

    #[test]
    fn ticks_are_round_and_differ_from_each_other() {
        for (scale, range, expected) in [
            (Scale::Linear, [0.0, 1.0], vec!["0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
            (Scale::Linear, [11_800.0, 12_650.0], vec!["11800", "12000", "12200", "12400", "12600"]),
            (Scale::Linear, [2.0e6, 4.0e6], vec!["2.0·10⁶", "2.5·10⁶", "3.0·10⁶", "3.5·10⁶", "4.0·10⁶"]),
            (Scale::Linear, [0.0, 5.0e-4], vec!["0", "10⁻⁴", "2·10⁻⁴", "3·10⁻⁴", "4·10⁻⁴", "5·10⁻⁴"]),
            (Scale::Linear, [0.0, 2.0e6], vec!["0", "5·10⁵", "1.0·10⁶", "1.5·10⁶", "2.0·10⁶"]),
            (Scale::AroundZero, [-3.0, 7.0], vec!["−6", "−4", "−2", "0", "2", "4", "6"]),
            (Scale::Log, [1.0e-5, 1.0e-1], vec!["10⁻⁵", "10⁻⁴", "0.001", "0.01", "0.1"]),
            (Scale::Log, [3.0, 40.0], vec!["5", "10", "20"]),
        ] {
            assert_eq!(texts(Spread::new(scale, range)), expected, "{scale:?} {range:?}");
        }
    }

    #[test]
    fn ticks_lie_where_their_values_do() {
        let slope = Spread::new(Scale::Linear, [0.0, std::f32::consts::FRAC_PI_4]);
        let ticks = slope.ticks_times(180.0 / std::f64::consts::PI);
        assert_eq!(ticks.len(), 5);
        for (i, (at, text)) in ticks.iter().enumerate() {
            assert_eq!(*text, (10 * i).to_string());
            assert!((at - 10.0 * i as f32 / 45.0).abs() < 1.0e-6, "{text} degrees at {at}");
        }
    }

    #[test]
    fn positions_are_even_in_value_or_in_magnitude() {
        for (scale, range, value, expected) in [
            (Scale::Linear, [10.0, 30.0], 15.0, 0.25),
            (Scale::Linear, [10.0, 30.0], 99.0, 1.0),
            (Scale::AroundZero, [-1.0, 4.0], 0.0, 0.5),
            (Scale::AroundZero, [-1.0, 4.0], -2.0, 0.25),
            (Scale::Log, [0.1, 1000.0], 1.0, 0.25),
            (Scale::Log, [0.1, 1000.0], -5.0, 0.0),
        ] {
            let at = Spread::new(scale, range).position(value);
            assert!((at - expected).abs() < 1.0e-6, "{value} lies at {at} of {scale:?} {range:?}");
        }
    }

    #[test]
    fn ranges_that_are_none_are_mended() {
        assert_eq!(Spread::new(Scale::Linear, [4.0, 4.0]).range(), [4.0, 8.0]);
        assert_eq!(Spread::new(Scale::Linear, [f32::NAN, 1.0]).range(), [0.0, 1.0]);
        assert_eq!(Spread::new(Scale::AroundZero, [-2.0, 1.0]).range(), [-2.0, 2.0]);
        assert_eq!(Spread::new(Scale::AroundZero, [0.0, 0.0]).range(), [-1.0, 1.0]);
        let [first, last] = Spread::new(Scale::Log, [0.0, 50.0]).range();
        assert!((first - 0.005).abs() < 1.0e-9 && last == 50.0, "{first} to {last}");
        for scale in [Scale::Linear, Scale::Log, Scale::AroundZero] {
            for range in [[0.0, 0.0], [-4.0, -4.0], [1.0e30, 1.0e30], [1.0e-38, 1.0e-38], [-1.0, f32::MAX]] {
                let spread = Spread::new(scale, range);
                let at = spread.position(0.5 * (range[0] + range[1]));
                assert!((0.0..=1.0).contains(&at), "{spread:?} has {at}");
                assert!(spread.ticks().len() < 60, "{spread:?}");
            }
        }
    }

    #[test]
    fn the_most_extreme_hundredth_does_not_stretch_the_colours() {
        let mut values: Vec<f32> = (0..1000).map(|i| i as f32).collect();
        values[500] = 1.0e9;
        values[501] = f32::NAN;
        let [first, last] = Spread::of(&values, &MapStyle::default()).range();
        assert!(first < 10.0 && (990.0..1000.0).contains(&last), "{first} to {last}");
        let given = MapStyle { range: Some([-1.0, 2.0]), ..MapStyle::default() };
        assert_eq!(Spread::of(&values, &given).range(), [-1.0, 2.0]);
    }
}
