//! Licences, versions and sources of everything that the program is made of, compared with `deny.toml`.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Checks all packages; what is wrong is printed.
pub(crate) fn check() -> bool {
    let wrong = match (rules(), packages()) {
        (Ok(rules), Ok(packages)) => rules.broken_by(&packages),
        (Err(error), _) | (_, Err(error)) => vec![error],
    };
    wrong.iter().for_each(|line| eprintln!("{line}"));
    wrong.is_empty()
}

/// What may be there.
struct Rules {
    licences: Vec<String>,
    /// Names of packages that may be there in several versions.
    several: Vec<String>,
    registries: Vec<String>,
    /// The oldest compiler that we promise to work with.
    compiler: Version,
}

/// A version's first two numbers.
type Version = [u64; 2];

fn rules() -> Result<Rules, String> {
    let read = |file: &str| -> Result<toml::Table, String> {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        text.parse().map_err(|error| format!("{file}: {error}"))
    };
    let (deny, workspace) = (read("deny.toml")?, read("Cargo.toml")?);
    let words = |section: &str, key: &str, name: Option<&str>| -> Vec<String> {
        let list = deny.get(section).and_then(|section| section.get(key)?.as_array()).into_iter().flatten();
        list.filter_map(|word| name.map_or(Some(word), |name| word.get(name))?.as_str().map(str::to_owned))
            .collect()
    };
    let compiler =
        workspace.get("workspace").and_then(|table| table.get("package")?.get("rust-version")?.as_str());
    Ok(Rules {
        licences: words("licenses", "allow", None),
        several: words("bans", "skip", Some("crate")),
        registries: words("sources", "allow-registry", None),
        compiler: version(compiler.ok_or("Cargo.toml names no rust-version")?),
    })
}

fn version(text: &str) -> Version {
    let mut numbers = text.split('.').map(|number| number.parse().unwrap_or(0));
    [numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)]
}

fn packages() -> Result<Vec<Value>, String> {
    let arguments = ["metadata", "--format-version", "1", "--all-features", "--locked"];
    let output = Command::new("cargo").args(arguments).output().map_err(|error| format!("cargo: {error}"))?;
    let whole: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("cargo metadata: {error}: {}", String::from_utf8_lossy(&output.stderr)))?;
    let mut packages = whole["packages"].as_array().cloned().unwrap_or_default();
    let older = with_our_compiler(&packages, &whole["resolve"]["nodes"])?;
    for package in packages.iter_mut().filter(|package| !older.contains(&text(&package["id"]))) {
        package["rust_version"] = Value::Null;
    }
    Ok(packages)
}

/// The packages below those of our own crates that promise the compiler of the workspace. One that asks for a newer one, as the
/// studio does, brings along what may ask for it too.
fn with_our_compiler(packages: &[Value], nodes: &Value) -> Result<BTreeSet<String>, String> {
    let compiler = rules()?.compiler;
    let own = |package: &&Value| {
        package["source"].is_null() && version(&text(&package["rust_version"])) <= compiler
    };
    let mut ways: Vec<String> = packages.iter().filter(own).map(|package| text(&package["id"])).collect();
    let nodes = nodes.as_array().into_iter().flatten();
    let below: BTreeMap<_, _> = nodes.map(|node| (text(&node["id"]), &node["dependencies"])).collect();
    let mut found = BTreeSet::new();
    while let Some(id) = ways.pop() {
        if found.insert(id.clone()) {
            ways.extend(below.get(&id).and_then(|list| list.as_array()).into_iter().flatten().map(text));
        }
    }
    Ok(found)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().into()
}

impl Rules {
    fn broken_by(&self, packages: &[Value]) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for package in packages {
            let text = |key: &str| package[key].as_str().unwrap_or_default();
            let name = text("name");
            versions.entry(name).or_default().push(text("version"));
            // Our own have no source.
            let Some(source) = package["source"].as_str() else { continue };
            if !self.registries.iter().any(|registry| source == format!("registry+{registry}")) {
                wrong.push(format!("{name} comes from {source}, which deny.toml does not allow"));
            }
            if !self.allows(text("license")) {
                wrong.push(format!(
                    "{name} has the licence \"{}\", which deny.toml does not allow",
                    text("license")
                ));
            }
            if version(text("rust_version")) > self.compiler {
                let [major, minor] = self.compiler;
                wrong.push(format!(
                    "{name} needs Rust {}, and we promise {major}.{minor}",
                    text("rust_version")
                ));
            }
        }
        for (name, versions) in &versions {
            let excused = self.several.iter().any(|other| other == name);
            match versions.len() {
                1 if excused => wrong.push(format!("{name} is there once; deny.toml need not excuse it")),
                2.. if !excused => {
                    wrong.push(format!("{name} is there as {}; say in deny.toml why", versions.join(", ")));
                }
                _ => {}
            }
        }
        wrong
    }

    fn allows(&self, licence: &str) -> bool {
        let allowed = |wanted: &spdx::LicenseReq| self.licences.iter().any(|own| *own == wanted.to_string());
        spdx::Expression::parse_mode(licence, spdx::ParseMode::LAX)
            .is_ok_and(|expression| expression.evaluate(allowed))
    }
}
