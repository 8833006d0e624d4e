//! Words of any language in a header that is ASCII.

/// Text in ASCII: `²` and `³` as `^2` and `^3`, what else is beyond it as `\u{..}`.
pub(super) fn written(text: &str) -> String {
    let mut ascii = String::new();
    for letter in text.chars() {
        match letter {
            '²' => ascii += "^2",
            '³' => ascii += "^3",
            // These have a meaning here.
            '^' | '\\' => ascii.extend(letter.escape_unicode()),
            _ if letter.is_ascii() => ascii.push(letter),
            _ => ascii.extend(letter.escape_unicode()),
        }
    }
    ascii
}

/// The text that was [`written`]; that of other programs as it stands.
pub(super) fn read(ascii: &str) -> String {
    let (mut text, mut rest) = (String::new(), ascii);
    while let Some(letter) = rest.chars().next() {
        let escaped = rest.strip_prefix("\\u{").and_then(|rest| {
            let (digits, rest) = rest.split_once('}')?;
            let plain = digits.len() <= 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            let letter = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            (plain && !letter.is_control()).then_some((letter, rest))
        });
        let power = [("^2", '²'), ("^3", '³')]
            .into_iter()
            .find_map(|(ascii, letter)| Some((letter, rest.strip_prefix(ascii)?)))
            // An exponent of more than one digit is no other letter's.
            .filter(|(_, rest)| !rest.starts_with(|next: char| next.is_ascii_digit() || next == '.'));
        let (letter, after) = escaped.or(power).unwrap_or((letter, &rest[letter.len_utf8()..]));
        text.push(letter);
        rest = after;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_any_language_come_back_from_ascii() {
        for (text, ascii) in [
            ("kg/m³", "kg/m^3"),
            ("Masse je Raum", "Masse je Raum"),
            ("m⁻³", "m\\u{207b}^3"),
            ("m^0.45", "m\\u{5e}0.45"),
            ("a\\u{41}", "a\\u{5c}u{41}"),
            ("³5", "^35"),
        ] {
            assert_eq!(written(text), ascii);
            assert!(ascii.is_ascii());
            // Digits behind a superscript are nobody's unit; they alone do not come back.
            assert_eq!(read(ascii), if text == "³5" { "^35" } else { text });
        }
        for others in ["m^0.45", "\\u{zz}", "\\u{110000}", "\\u{a}", "\\u{", "^10", "grün"] {
            assert_eq!(read(others), others);
        }
    }
}
