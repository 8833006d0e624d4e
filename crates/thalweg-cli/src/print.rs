//! Where text leaves the program. Names of files, titles and arguments are other people's words: what a terminal would
//! obey in them is written out, here and nowhere else.

use serde::Serialize;
use std::fmt::Write as _;
use std::io::{ErrorKind, Write};

/// Whether a terminal would do something with it beside showing it: control characters, and marks that turn the
/// direction of the text around them. Line ends and tabs are ours.
fn acts(c: char) -> bool {
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || c.is_control() && c != '\n' && c != '\t'
}

/// The text with everything written out, as `\u{1b}`, that a terminal would obey.
pub(crate) fn harmless(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if acts(c) {
            clean.extend(c.escape_unicode());
        } else {
            clean.push(c);
        }
    }
    clean
}

/// Prints a line on standard output. A reader that has gone away (`thalweg scenes | head -1`) has read enough: the
/// program ends in peace.
pub(crate) fn line(line: std::fmt::Arguments) {
    write_line(&harmless(&line.to_string()));
}

/// Prints a line on standard error, if anybody reads it.
pub(crate) fn remark(line: std::fmt::Arguments) {
    let _ = writeln!(std::io::stderr(), "{}", harmless(&line.to_string()));
}

/// Prints the one JSON object that `--json` asks for.
pub(crate) fn answer(object: &impl Serialize) {
    let text = serde_json::to_string(object).expect("an answer is plain numbers and text");
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if acts(c) {
            // JSON itself escapes the others; these are below U+FFFF.
            let _ = write!(clean, "\\u{:04x}", u32::from(c));
        } else {
            clean.push(c);
        }
    }
    write_line(&clean);
}

fn write_line(line: &str) {
    if let Err(error) = writeln!(std::io::stdout(), "{line}") {
        if error.kind() == ErrorKind::BrokenPipe {
            std::process::exit(0);
        }
        remark(format_args!("standard output: cannot be written: {error}"));
        std::process::exit(1);
    }
}

/// A number with so many decimals; what rounds to nothing has no sign.
pub(crate) fn fixed(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    let nothing = text.strip_prefix('-').filter(|rest| rest.chars().all(|c| matches!(c, '0' | '.')));
    nothing.map_or_else(|| text.clone(), str::to_owned)
}

/// A number in three digits.
pub(crate) fn brief(number: f64) -> String {
    if number == 0.0 {
        return "0".into();
    }
    match number.abs().log10().floor() as i32 {
        size @ -3..=5 => fixed(number, (2 - size).max(0) as usize),
        _ => format!("{number:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_written_out() {
        assert_eq!(
            harmless("a\x1b[31mred\u{9b}2J\x07\r\u{202e}gnp.exe"),
            "a\\u{1b}[31mred\\u{9b}2J\\u{7}\\u{d}\\u{202e}gnp.exe"
        );
        let ours = "two lines\n\tof m³/s, 12 °, Österreich, 山";
        assert_eq!(harmless(ours), ours);
    }

    #[test]
    fn nothing_has_no_sign() {
        for (number, decimals, text) in [
            (-0.001, 2, "0.00"),
            (-0.0, 0, "0"),
            (-0.006, 2, "-0.01"),
            (-10.0, 1, "-10.0"),
            (0.0, 3, "0.000"),
        ] {
            assert_eq!(fixed(number, decimals), text);
        }
        for (number, text) in [
            (0.0, "0"),
            (1234.4, "1234"),
            (12.34, "12.3"),
            (1.234, "1.23"),
            (0.1234, "0.123"),
            (0.01234, "0.0123"),
            (-0.5, "-0.500"),
            (1.0e7, "1.00e7"),
            (0.0012, "0.00120"),
        ] {
            assert_eq!(brief(number), text);
        }
    }
}
