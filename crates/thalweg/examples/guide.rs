//! Writes the guide's tables of parameters and `scene.schema.json` anew; `cargo xtask guide` runs it.

#![expect(clippy::print_stdout, reason = "an example tells what it finds")]

use std::path::Path;

/// Pages with tables of parameters.
const PAGES: [&str; 5] = ["scene-file.md", "sph.md", "terrain.md", "volumes.md", "waves.md"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for page in PAGES {
        let path = root.join("docs/guide").join(page);
        let text = std::fs::read_to_string(&path)?;
        let written = thalweg::project::with_tables(&text).map_err(|error| format!("{page}: {error}"))?;
        if written != text {
            println!("{page}");
            std::fs::write(path, written)?;
        }
    }
    let schema = serde_json::to_string_pretty(&thalweg::project::json_schema())? + "\n";
    std::fs::write(root.join("scene.schema.json"), schema)?;
    Ok(())
}
