//! The head of a PLY file: lines of text that say what follows.

use super::FORMAT;
use super::input::Input;
use crate::ReadError;
use std::collections::HashSet;

/// Length that no honest header comes near `[byte]`.
const LONGEST_HEADER: u64 = 1 << 20;

/// How the numbers after the header are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    /// Text, one line for each element.
    Ascii,
    /// Low byte first.
    Little,
    /// High byte first.
    Big,
}

/// The type of one number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Kind {
    /// By its name, of which there are an old and a new one.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    /// Its name, the old one.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::I8 => "char",
            Self::U8 => "uchar",
            Self::I16 => "short",
            Self::U16 => "ushort",
            Self::I32 => "int",
            Self::U32 => "uint",
            Self::F32 => "float",
            Self::F64 => "double",
        }
    }

    /// Length of one number that is not text `[byte]`.
    pub(super) fn bytes(self) -> u64 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }
}

/// One number, or a length and that many numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Scalar(Kind),
    List { length: Kind, item: Kind },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Property {
    pub name: String,
    pub form: Form,
}

/// A kind of thing that the file has `count` of: vertices, faces, or whatever a program thought of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<Property>,
}

impl Element {
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.properties.iter().position(|property| property.name == name)
    }

    /// Shortest length that one of these can have in the file `[byte]`. Lists may be empty, but
    /// `corners`, the list of a face, has three at least.
    pub(super) fn least_bytes(&self, encoding: Encoding, corners: Option<usize>) -> u64 {
        let least = |(index, property): (usize, &Property)| {
            let items = if corners == Some(index) { 3 } else { 0 };
            match (encoding, property.form) {
                // A digit, and what separates it from the next.
                (Encoding::Ascii, Form::Scalar(_)) => 2,
                (Encoding::Ascii, Form::List { .. }) => 2 + 2 * items,
                (_, Form::Scalar(kind)) => kind.bytes(),
                (_, Form::List { length, item }) => length.bytes() + items * item.bytes(),
            }
        };
        self.properties.iter().enumerate().map(least).sum()
    }
}

#[derive(Debug)]
pub(crate) struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
    /// What the comment lines say.
    pub comments: Vec<String>,
    /// Length of all that follows the header `[byte]`.
    pub rest: u64,
}

impl Header {
    pub(super) fn read(input: &mut Input) -> Result<Self, ReadError> {
        let reading = input.reading;
        if !input.next_line()? || input.text().trim_end() != "ply" {
            return Err(reading.broken(FORMAT, "it does not begin with the line ply"));
        }
        let mut told = Told::default();
        loop {
            if !input.next_line()? {
                return Err(reading.broken(FORMAT, "its header has no end"));
            }
            if input.position()? > LONGEST_HEADER {
                return Err(reading.broken(FORMAT, "its header is longer than 1 MiB"));
            }
            let line = input.text();
            let line = line.trim_end();
            match told.line(line) {
                Ok(false) => {}
                Ok(true) => break,
                Err(what) => {
                    let line = shortened(line);
                    let reason = format!("line {} of its header, \"{line}\", {what}", input.number);
                    return Err(reading.broken(FORMAT, reason));
                }
            }
        }
        let Told { encoding, elements, comments, .. } = told;
        let Some(encoding) = encoding else {
            return Err(reading.broken(FORMAT, "its header does not tell the format of the numbers"));
        };
        let rest = reading.length.saturating_sub(input.position()?);
        Ok(Self { encoding, elements, comments, rest })
    }

    pub(super) fn element(&self, name: &str) -> Option<&Element> {
        self.elements.iter().find(|element| element.name == name)
    }
}

/// What the lines of a header have told so far.
#[derive(Default)]
struct Told {
    encoding: Option<Encoding>,
    elements: Vec<Element>,
    comments: Vec<String>,
    /// Names of elements, and of properties with the number of their element.
    seen: HashSet<(usize, String)>,
}

impl Told {
    /// Takes in a line; true if it is the last one. The message says what is wrong with it.
    fn line(&mut self, line: &str) -> Result<bool, &'static str> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] | ["obj_info", ..] => {}
            ["comment", ..] => {
                self.comments.push(line.trim_start()["comment".len()..].trim_start().to_owned());
            }
            ["end_header"] => return Ok(true),
            ["format", name, "1.0"] => {
                let found = match name {
                    "ascii" => Encoding::Ascii,
                    "binary_little_endian" => Encoding::Little,
                    "binary_big_endian" => Encoding::Big,
                    _ => return Err("is none of ascii, binary_little_endian and binary_big_endian"),
                };
                if self.encoding.replace(found).is_some_and(|before| before != found) {
                    return Err("contradicts an earlier one");
                }
            }
            ["format", _, _] => return Err("is not of version 1.0"),
            ["element", name, count] => {
                let count = count.parse().map_err(|_| "has no number of elements")?;
                self.name(0, name)?;
                self.elements.push(Element { name: name.to_owned(), count, properties: Vec::new() });
            }
            ["property", ref form @ .., name] => {
                let number = self.elements.len();
                if number == 0 {
                    return Err("belongs to no element");
                }
                let form = Form::told(form)?;
                self.name(number, name)?;
                self.elements[number - 1].properties.push(Property { name: name.to_owned(), form });
            }
            _ => return Err("is not understood"),
        }
        Ok(false)
    }

    /// Takes in a name, of an element or of a property of so many elements.
    fn name(&mut self, elements: usize, name: &str) -> Result<(), &'static str> {
        if self.seen.insert((elements, name.to_owned())) { Ok(()) } else { Err("appears twice") }
    }
}

impl Form {
    /// By the words between `property` and the name.
    fn told(words: &[&str]) -> Result<Self, &'static str> {
        let form = match *words {
            [kind] => Kind::named(kind).map(Self::Scalar),
            ["list", length, item] => match (Kind::named(length), Kind::named(item)) {
                (Some(length), _) if length.is_float() => return Err("counts in fractions"),
                (Some(length), Some(item)) => Some(Self::List { length, item }),
                _ => None,
            },
            _ => None,
        };
        form.ok_or("has no known type of number")
    }
}

/// As much of a line as an error message can take.
fn shortened(line: &str) -> String {
    line.chars().take(60).collect()
}
