//! Chores: `cargo xtask test` runs the tests, `cargo xtask ci` everything that CI checks.

#![expect(clippy::print_stdout, reason = "what is run is told to whoever runs it")]

mod deps;
mod figures;

use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let task = std::env::args().nth(1).unwrap_or_default();
    let done = match task.as_str() {
        "test" => test(),
        "test-long" => test_long(),
        "test-checked" => test_checked(),
        "lint" => lint(),
        "deps" => deps::check(),
        "wasm" => wasm(),
        "wasm-drawing" => wasm_drawing(),
        "ci" => first_command() && lint() && wasm() && test(),
        "guide" => guide(),
        "peers" => peers(),
        "clients" => clients(),
        "realism" => realism(),
        "figures" => {
            add_vulkan();
            figures::figures()
        }
        "figures-001" => {
            add_vulkan();
            figures::of_001()
        }
        _ => {
            eprintln!(
                "cargo xtask test   all tests but the longest\n\
                 cargo xtask test-long  those\n\
                 cargo xtask test-checked  those of the crates that compute, with overflow checks\n\
                 cargo xtask lint   dependencies, formatting, clippy, documentation\n\
                 cargo xtask deps   licences, versions and sources of dependencies, by deny.toml\n\
                 cargo xtask wasm   the portable core builds for wasm32, and scenes run there\n\
                 cargo xtask wasm-drawing  after that: drawing on the graphics device builds for wasm32\n\
                 cargo xtask guide  the guide's tables of parameters and scene.schema.json\n\
                 cargo xtask realism  a scene for seeds and sizes, beside real elevation models\n\
                 cargo xtask ci     the README's first command, then all of these\n\
                 cargo xtask figures  the pictures of docs/gallery.md\n\
                 cargo xtask figures-001  the figures of Schmidberger 2024, of docs/methods/figures-001.md\n\
                 cargo xtask peers  beside other programs: heights and speed (Python, see xtask/peers)\n\
                 cargo xtask clients  opens our files in other programs (Python 3.11, Node.js; installs 3 GB below target/clients)"
            );
            return ExitCode::from(2);
        }
    };
    if done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Sees to it that pictures are drawn as those that are kept were: a fresh machine without a Vulkan driver gets Mesa's
/// software one. Where it cannot be installed, OpenGL will do.
fn add_vulkan() {
    let drivers = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
    let some = |folder: &&str| std::fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some());
    if !cfg!(target_os = "linux") || drivers.iter().any(some) {
        return;
    }
    let packages = ["mesa-vulkan-drivers", "libvulkan1"];
    let install = ["install", "--yes", "--no-install-recommends", packages[0], packages[1]];
    if !(run("apt-get", &["update", "--quiet"]) && run("apt-get", &install)) {
        eprintln!(
            "no Vulkan driver was found, OpenGL is tried; install {} (as root, or for your distribution)",
            packages.join(" and ")
        );
    }
}

/// What a newcomer does first, with whatever graphics the machine has.
fn first_command() -> bool {
    let out = "target/demo";
    // What an earlier run left there.
    let _ = std::fs::remove_dir_all(out);
    run("cargo", &["run", "--release", "--locked", "--", "demo", "--out", out])
}

fn test() -> bool {
    add_vulkan();
    let found = std::path::absolute(FOUND).ok().filter(|file| file.is_file());
    let portable = found
        .map_or(("CARGO_TERM_COLOR", "auto".into()), |file| ("THALWEG_PORTABLE", file.display().to_string()));
    // Contacts bring a physics engine along, which nothing else needs.
    let contacts = ["--package", "thalweg-waves", "--features", "contacts", "--test", "contacts"];
    run_with(portable.0, &portable.1, "cargo", &["test", "--release", "--workspace", "--locked"])
        && run("cargo", &[&["test", "--release", "--locked"], &contacts[..]].concat())
}

/// Tests that take too long for every change.
fn test_long() -> bool {
    run("cargo", &["test", "--release", "--workspace", "--locked", "--", "--ignored"])
}

/// Crates that compute.
const COMPUTING: [&str; 5] =
    ["thalweg-field", "thalweg-terrain", "thalweg-erosion", "thalweg-sph", "thalweg-coupling"];

/// Tests of the crates that compute with overflow checks and debug assertions. These alone are built so, in release as all others, so
/// that what they are made of is built once.
fn test_checked() -> bool {
    let packages = COMPUTING.iter().flat_map(|name| ["--package", *name]);
    let checks = COMPUTING.iter().flat_map(|name| {
        ["debug-assertions", "overflow-checks"]
            .map(|check| format!("profile.release.package.{name}.{check}=true"))
    });
    let checks: Vec<String> = checks.flat_map(|check| ["--config".into(), check]).collect();
    let all = ["test", "--release", "--locked"].into_iter().chain(packages);
    run("cargo", &all.chain(checks.iter().map(String::as_str)).collect::<Vec<_>>())
}

/// Writes what comes from the descriptions of the parameters; a test tells when it is not current.
fn guide() -> bool {
    run("cargo", &["run", "--release", "--locked", "--package", "thalweg", "--example", "guide"])
}

/// Runs other programs on the same ground; what they need is said in the scripts.
fn peers() -> bool {
    let program = "target/release/thalweg";
    run("cargo", &["build", "--release", "--locked", "--package", "thalweg-cli"])
        && run("python3", &["xtask/peers/stream_power.py", program])
}

/// Where programs that open our files are put.
const CLIENTS: &str = "target/clients";

/// Those of the Python package index; Blender's, `bpy`, is made for one version of Python alone and brings OpenVDB. Open3D needs
/// libusb-1.0 of the system.
const PROGRAMS: [&str; 10] = [
    "bpy==5.0.1",
    "open3d",
    "OpenImageIO",
    "Pillow",
    "plyfile",
    "pynrrd",
    "rasterio",
    "trimesh",
    "usd-core",
    "vtk",
];

/// Opens a file of every kind in other programs, after they are installed into a folder of their own. What they find goes to the
/// guide.
fn clients() -> bool {
    let [packages, node, files] = ["python", "node", "files"].map(|name| format!("{CLIENTS}/{name}"));
    let there = |file: &str| std::path::Path::new(file).exists();
    let python = std::env::var("THALWEG_PYTHON").unwrap_or_else(|_| "python3".into());
    let install = [&["-m", "pip", "install", "--quiet", "--target", &packages], &PROGRAMS[..]].concat();
    if !there(&packages) && !run(&python, &install) {
        eprintln!(
            "{python} could not install them; Blender needs Python 3.11, which THALWEG_PYTHON may name"
        );
        // Half of them would pass for all of them the next time.
        let _ = std::fs::remove_dir_all(&packages);
        return false;
    }
    if !there(&node) && !run("npm", &["install", "--silent", "--prefix", &node, "gltf-validator"]) {
        eprintln!("gltf-validator is not installed; its checks are left out");
    }
    let example =
        ["run", "--release", "--locked", "--package", "thalweg-io", "--example", "clients", "--", &files];
    let reader = ["build", "--release", "--locked", "--package", "thalweg-io", "--example", "read_back"];
    let table = "docs/guide/clients.md";
    let check =
        ["xtask/clients/check.py", &files, &packages, &node, table, "target/release/examples/read_back"];
    run("cargo", &example) && run("cargo", &reader) && files_of_a_run(&files) && run(&python, &check)
}

/// Runs the scene that lies among the files and puts what comes of it beside it.
fn files_of_a_run(files: &str) -> bool {
    let (scene, out) = (format!("{files}/spout.toml"), format!("{CLIENTS}/run"));
    let program = ["run", "--release", "--locked", "--package", "thalweg-cli", "--"];
    let told = ["run", &scene, "--out", &out, "--force", "--quiet"];
    let last = |folder: &str, ending: &str| {
        let entries = std::fs::read_dir(format!("{out}/{folder}")).ok()?;
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        paths.filter(|path| path.extension().is_some_and(|found| found == ending)).max()
    };
    let copy = |from: Option<std::path::PathBuf>, name: &str| {
        from.is_some_and(|from| std::fs::copy(from, format!("{files}/{name}")).is_ok())
    };
    run("cargo", &[&program[..], &told].concat())
        && copy(last("volumes", "vdb"), "run_water.vdb")
        && copy(last("particles", "ply"), "run_drops.ply")
        && ["animation.usda", "animation.glb"]
            .iter()
            .all(|name| copy(Some(format!("{out}/{name}").into()), &format!("run_{name}")))
}

/// The library without its default features.
const PLAIN: [&str; 6] =
    ["--package", "thalweg", "--no-default-features", "--features", "files,rayon", "--locked"];

/// Compares the landscapes of a scene with real ones. The library is not a dependency here, so that chores build fast.
fn realism() -> bool {
    let args: Vec<String> = std::env::args().skip(2).collect();
    let start = ["run", "--release", "--example", "realism"];
    let rest: Vec<&str> = std::iter::once("--").chain(args.iter().map(String::as_str)).collect();
    run("cargo", &[&start[..], &PLAIN, &rest].concat())
}

/// In release as all that is built here, so that macros and build scripts are built once.
fn lint() -> bool {
    // Each feature of the library alone; all of them together are checked with everything else, none of them with the portable core.
    let alone = |feature: &&str| {
        let features = ["--no-default-features", "--features", feature];
        run(
            "cargo",
            &[
                &["clippy", "--release", "--locked", "--package", "thalweg", "--lib"],
                &features[..],
                &["--", "-D", "warnings"],
            ]
            .concat(),
        )
    };
    deps::check()
        && run("cargo", &["fmt", "--all", "--check"])
        && run(
            "cargo",
            &["clippy", "--release", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"],
        )
        && ["files", "rayon", "render"].iter().all(alone)
        && run_with(
            "RUSTDOCFLAGS",
            "-D warnings",
            "cargo",
            &["doc", "--release", "--workspace", "--no-deps", "--locked"],
        )
}

fn wasm() -> bool {
    // A fresh toolchain lacks the target; where it is not managed by rustup it must be there already.
    let target = "wasm32-unknown-unknown";
    if Command::new("rustup").args(["target", "add", target]).status().is_err() {
        eprintln!("rustup is not here; the target {target} must be installed by other means");
    }
    run_portable(target)
}

/// Drawing on the graphics device is no part of the portable core, which is built and run.
fn wasm_drawing() -> bool {
    let check = ["check", "--release", "--locked", "--target", "wasm32-unknown-unknown"];
    let drawing = ["--package", "thalweg-render", "--no-default-features", "--features", "gpu"];
    run("cargo", &[&check[..], &drawing].concat())
}

/// What the scenes of the portable core end in when Node runs them; `cargo xtask test` compares it with this machine.
const FOUND: &str = "target/portable.txt";

/// Runs the portable core in Node. Hardly optimised it ends in the same bits, and is built sooner.
fn run_portable(target: &str) -> bool {
    let quick = ["--config", "profile.release.opt-level=1"];
    let build =
        [&["build", "--release", "--locked", "--target", target, "--package", "xtask-portable"], &quick[..]]
            .concat();
    let module = format!("target/{target}/release/xtask_portable.wasm");
    if Command::new("node").arg("--version").output().is_err() {
        run("apt-get", &["install", "--yes", "--no-install-recommends", "nodejs"]);
    }
    if !run("cargo", &build) {
        return false;
    }
    println!("> node xtask/wasm.mjs {module}");
    match Command::new("node").args(["xtask/wasm.mjs", &module]).output() {
        Ok(output) if output.status.success() => std::fs::write(FOUND, output.stdout).is_ok(),
        Ok(output) => {
            eprintln!("{}", String::from_utf8_lossy(&output.stderr));
            false
        }
        Err(error) => {
            eprintln!("node: {error}; install Node.js to run the portable core");
            false
        }
    }
}

fn run(program: &str, args: &[&str]) -> bool {
    run_with("CARGO_TERM_COLOR", "auto", program, args)
}

fn run_with(variable: &str, value: &str, program: &str, args: &[&str]) -> bool {
    println!("> {program} {}", args.join(" "));
    // Without a display, Mesa's choice between several devices complains about the display.
    match Command::new(program).args(args).env(variable, value).env("NODEVICE_SELECT", "1").status() {
        Ok(status) if status.success() => true,
        Ok(status) => {
            eprintln!("{program} {} failed: {status}", args.join(" "));
            false
        }
        Err(error) => {
            eprintln!("cannot run {program}: {error}");
            false
        }
    }
}
