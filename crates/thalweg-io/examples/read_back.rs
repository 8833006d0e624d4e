//! Reads a file of heights or a mesh that another program has written, for `cargo xtask clients`: `read_back FILE OUT
//! [KEY=VALUE...]` prints what is known of it as JSON, or why it is refused, and writes what was read to OUT. Keys: `cell`, `band`, `utm`, `range`.

use serde_json::json;
use std::error::Error;
use std::io::Write;
use std::path::Path;
use thalweg_io::{
    Kind, ReadOptions, WriteOptions, heights_of_mesh, read_heightfield, read_mesh, write_heightfield,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let (Some(file), Some(out)) = (words.next(), words.next()) else {
        return Err("FILE and OUT are missing".into());
    };
    let (file, out) = (Path::new(&file), Path::new(&out));
    let mut options = ReadOptions { max_bytes: 1 << 28, ..ReadOptions::default() };
    for (key, value) in words.by_ref().collect::<Vec<_>>().iter().filter_map(|word| word.split_once('=')) {
        match key {
            "cell" => options.cell = Some(value.parse()?),
            "band" => options.band = Some(value.into()),
            "utm" => options.utm = true,
            "range" => {
                let (low, high) = value.split_once(',').ok_or("a range is LOW,HIGH")?;
                options.height_range = Some([low.parse()?, high.parse()?]);
            }
            _ => return Err(format!("{key} is no key").into()),
        }
    }
    let known = if matches!(Kind::of(file), Some(Kind::Obj | Kind::Ply | Kind::Stl | Kind::Glb)) {
        read_mesh(file, options.max_bytes).map(|mesh| {
            let ground = heights_of_mesh(&mesh, options.cell.unwrap_or(1.0));
            (ground, Vec::new())
        })
    } else {
        read_heightfield(file, &options).map(|read| (Some(read.field), read.notices))
    };
    let told = match known {
        Ok((Some(field), notices)) => {
            write_heightfield(out, &field, &WriteOptions::default())?;
            let notices: Vec<_> = notices.iter().map(ToString::to_string).collect();
            let frame = &field.frame;
            json!({ "cell": frame.cell, "origin": frame.origin, "crs": frame.crs, "notices": notices })
        }
        Ok((None, _)) => json!({ "error": "the mesh makes no terrain" }),
        Err(error) => json!({ "error": error.to_string() }),
    };
    Ok(writeln!(std::io::stdout(), "{told}")?)
}
