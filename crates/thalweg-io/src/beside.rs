//! What lies beside a picture and says where it is: world files, and `.prj` files about the coordinate system.

use crate::ReadError;
use crate::reading::{Reading, open_regular};
use crate::reproject::Degrees;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Longest of these files that is read `[byte]`.
const LONGEST: u64 = 1 << 16;

/// The text of a file, if there is one.
fn text(path: &Path) -> Result<Option<String>, ReadError> {
    let io = |source| ReadError::Io { path: path.into(), source };
    let file = match open_regular(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::IsADirectory) => {
            return Ok(None);
        }
        file => file.map_err(io)?,
    };
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes).map_err(io)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// A world file: six numbers (ESRI).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct World {
    /// Width and height of a cell, both positive if north is up.
    pub cell: [f64; 2],
    pub rotated: bool,
    /// The north-west corner.
    pub corner: [f64; 2],
}

impl World {
    /// The one beside a picture: `.tfw` or `.tifw` for `.tif`, or `.wld`.
    pub(crate) fn beside(reading: Reading) -> Result<Option<(Self, PathBuf)>, ReadError> {
        let ending = reading.path.extension().unwrap_or_default().to_string_lossy().into_owned();
        let mut letters = ending.chars();
        let short: String = letters.next().into_iter().chain(letters.next_back()).chain(['w']).collect();
        for ending in [short, format!("{ending}w"), "wld".into()] {
            let path = reading.path.with_extension(ending);
            if let Some(text) = text(&path)? {
                return Self::parse(&text, &path).map(|world| Some((world, path)));
            }
        }
        Ok(None)
    }

    fn parse(text: &str, path: &Path) -> Result<Self, ReadError> {
        let numbers: Vec<f64> = text.split_whitespace().map_while(|word| word.parse().ok()).collect();
        let &[a, d, b, e, x, y] = numbers.as_slice() else {
            let reason = format!("it has {} numbers where six should be", numbers.len());
            return Err(ReadError::Broken { path: path.into(), format: "world", reason });
        };
        if !numbers.iter().all(|number| number.is_finite()) {
            let reason = "a number in it is not finite".into();
            return Err(ReadError::Broken { path: path.into(), format: "world", reason });
        }
        // The place is that of the middle of the first cell.
        let corner = [x - 0.5 * a - 0.5 * b, y - 0.5 * d - 0.5 * e];
        Ok(Self { cell: [a, -e], rotated: b != 0.0 || d != 0.0, corner })
    }
}

/// Where a picture of so many columns and rows lies in degrees, by a world file and a coordinate system beside it; asked for if it is
/// to be laid out in metres.
pub(crate) fn degrees(reading: Reading, [cols, rows]: [usize; 2]) -> Result<Option<Degrees>, ReadError> {
    if !reading.options.utm {
        return Ok(None);
    }
    let Some((World { cell, rotated, corner }, _)) = World::beside(reading)? else { return Ok(None) };
    let upright = !rotated && cell[0] > 0.0 && cell[1] > 0.0;
    let geographic = Prj::beside(reading)?.is_some_and(|prj| prj.geographic);
    Ok((upright && geographic).then_some(Degrees { corner, cell, cols, rows }))
}

/// A coordinate system as text beside a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Prj {
    /// Whether places are in degrees.
    pub geographic: bool,
    /// Whether they are in feet.
    feet: bool,
    /// The system: its number where the text ends with one, else the text.
    pub crs: String,
}

impl Prj {
    pub(crate) fn beside(reading: Reading) -> Result<Option<Self>, ReadError> {
        let text = text(&reading.path.with_extension("prj"))?;
        let prj = text.map(|text| Self::parse(&text)).filter(|prj| !prj.crs.is_empty());
        if prj.as_ref().is_some_and(|prj| prj.feet) && reading.options.cell.is_none() {
            let what = "its .prj file says that places are in feet";
            let remedy = "reprojecting it to metres, or give the cell size in metres (--metres-per-pixel)";
            return Err(reading.unsupported(what, remedy));
        }
        Ok(prj)
    }

    fn parse(text: &str) -> Self {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let upper = text.to_ascii_uppercase();
        // Well-known text, or the two lines that ArcInfo wrote.
        let geographic = ["GEOGCS", "GEOGCRS", "GEODCRS", "BASEGEOGCRS", "PROJECTION GEOGRAPHIC"]
            .iter()
            .any(|word| upper.starts_with(word));
        let last = upper.rsplit_once("AUTHORITY[\"EPSG\",").or_else(|| upper.rsplit_once("ID[\"EPSG\","));
        let number = last.and_then(|(_, rest)| {
            let digits: String =
                rest.trim_start_matches('"').chars().take_while(char::is_ascii_digit).collect();
            // Only one that stands at the very end is that of the whole system.
            let end = rest.trim_start_matches('"').get(digits.len()..)?;
            let end = end.chars().all(|c| matches!(c, '"' | ']' | ' '));
            digits.parse::<u16>().ok().filter(|_| end)
        });
        let feet = !geographic && (upper.contains("UNIT[\"FOOT") || upper.contains("UNIT[\"US SURVEY FOOT"));
        Self { geographic, feet, crs: number.map_or(text, |number| format!("EPSG:{number}")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_in_words_tells_its_number_and_degrees() {
        let utm = r#"PROJCS["WGS 84 / UTM zone 11N",GEOGCS["WGS 84",AUTHORITY["EPSG","4326"]],UNIT["metre",1],AUTHORITY["EPSG","32611"]]"#;
        assert_eq!(Prj::parse(utm), Prj { geographic: false, feet: false, crs: "EPSG:32611".into() });
        let esri = r#"PROJCS["Albers",GEOGCS["GCS",AUTHORITY["EPSG","4269"]],UNIT["Meter",1.0]]"#;
        assert_eq!(Prj::parse(esri), Prj { geographic: false, feet: false, crs: esri.into() });
        let degrees = r#"GEOGCS["GCS_WGS_1984",UNIT["Degree",0.0174532925199433]]"#;
        assert!(Prj::parse(degrees).geographic);
    }

    #[test]
    fn a_world_file_places_the_corner() {
        let world = World::parse("30.0\n0\n0\n-30.0\n500015\n3999985\n", Path::new("a.tfw")).unwrap();
        assert_eq!(world, World { cell: [30.0, 30.0], rotated: false, corner: [500_000.0, 4_000_000.0] });
        let message = World::parse("30.0 0 0", Path::new("a.tfw")).unwrap_err().to_string();
        assert!(message.contains("a.tfw") && message.contains("six"), "{message}");
    }
}
