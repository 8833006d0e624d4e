//! The table of measures as text.

use super::{MEASURES, Measure, Sample, Verdict};
use std::fmt::Write;

/// Width of the names `[characters]`.
const NAME: usize = 30;
/// Width of a column `[characters]`.
const COLUMN: usize = 9;

/// The first line of the table.
pub fn heading() -> String {
    line("", |measure| measure.heading.into())
}

/// The line of one landscape; what is not as wanted has a star.
pub fn row(sample: &Sample) -> String {
    line(&sample.name, |measure| match ((measure.value)(sample), measure.verdict(sample)) {
        (Some(value), Verdict::Within) => format!("{value:.0$}", measure.decimals),
        (Some(value), _) => format!("{value:.0$}*", measure.decimals),
        (None, _) => "-".into(),
    })
}

/// Two lines, with the smallest and the largest number of several landscapes; nothing without any.
pub fn spread(name: &str, samples: &[Sample]) -> String {
    let mut text = String::new();
    for (word, pick) in [("least", f64::min as fn(f64, f64) -> f64), ("most", f64::max)] {
        let end = line(&format!("{name}, {word}"), |measure| {
            let values = samples.iter().filter_map(measure.value);
            values.reduce(pick).map_or("-".into(), |value| format!("{value:.0$}", measure.decimals))
        });
        writeln!(text, "{end}").expect("text grows");
    }
    if samples.is_empty() { String::new() } else { text }
}

fn line(name: &str, cell: impl Fn(&Measure) -> String) -> String {
    let mut text = format!("{name:<NAME$}");
    for measure in &MEASURES {
        // A star hangs over, so that the numbers stand below each other.
        let cell = cell(measure);
        let (number, star) = cell.strip_suffix('*').map_or((cell.as_str(), ' '), |number| (number, '*'));
        write!(text, "{number:>COLUMN$}{star}").expect("text grows");
    }
    text.trim_end().to_owned()
}

/// What the columns are, and what is wanted of them.
pub fn legend() -> String {
    let mut text = String::new();
    for Measure { heading, about, wanted, reason, .. } in &MEASURES {
        let wanted = wanted.as_ref().map_or("for information".into(), |wanted| {
            match (*wanted.start(), *wanted.end()) {
                (f64::NEG_INFINITY, most) => format!("wanted: at most {most}"),
                (least, most) => format!("wanted: {least} to {most}"),
            }
        });
        writeln!(text, "{heading:<9}{about}; {wanted} ({reason})").expect("text grows");
    }
    text
}

/// What is not as wanted about a landscape, in words.
pub fn complaints(sample: &Sample) -> Vec<String> {
    let complain = |measure: &Measure| {
        let Measure { name, decimals, .. } = *measure;
        match (measure.verdict(sample), (measure.value)(sample), &measure.wanted) {
            (Verdict::Outside, Some(value), Some(wanted)) => {
                let (word, bound) =
                    if value > *wanted.end() { ("above", *wanted.end()) } else { ("below", *wanted.start()) };
                Some(format!("{}: {name}: {value:.decimals$}, {word} {bound}", sample.name))
            }
            (Verdict::Missing, ..) => Some(format!("{}: {name}: cannot be measured", sample.name)),
            _ => None,
        }
    };
    MEASURES.iter().filter_map(complain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_terrain::analysis::Realism;

    fn sample(realism: Realism) -> Sample {
        Sample { name: "here".into(), realism, ..Sample::default() }
    }

    #[test]
    fn what_is_out_of_range_is_marked_and_told() {
        let good = Realism {
            pit_fraction: Some(0.004),
            hack_exponent: Some(0.53),
            concavity: Some(0.4),
            area_exponent: Some(0.52),
            steep_fraction: Some(0.07),
            aspects_near_axes: Some(0.97),
            geomorphon_distance: Some(0.03),
            twin_share: Some(0.0),
            below_outlet: Some(0.0),
            ..Realism::default()
        };
        assert_eq!(complaints(&sample(good.clone())), Vec::<String>::new());
        assert!(!row(&sample(good.clone())).contains('*'));

        let bad = Realism { pit_fraction: Some(0.021), concavity: Some(0.12), ..good.clone() };
        let told = complaints(&sample(bad.clone()));
        assert_eq!(
            told,
            ["here: cells in pits [%]: 2.10, above 1", "here: concavity of channels [-]: 0.120, below 0.26"]
        );
        let row = row(&sample(bad));
        assert!(row.contains("2.10*") && row.contains("0.120*") && row.matches('*').count() == 2, "{row}");

        let without = Realism { hack_exponent: None, ..good };
        assert_eq!(complaints(&sample(without)), ["here: Hack exponent [-]: cannot be measured"]);
    }
}
