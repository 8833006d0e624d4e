//! Runs a scene for seeds and sizes and compares the landscapes with real ones; `cargo xtask realism` starts it.
//!
//! ```sh
//! cargo xtask realism [--seeds 1..20] [--sizes 512,1024] [--models FOLDER] [SCENE]
//! ```
//!
//! It ends with 1 if a landscape of the scene is not as wanted, and with 2 if it was asked for something it does not know.

#![expect(clippy::print_stdout, reason = "an example tells what it finds")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use thalweg::io::{ReadOptions, read_heightfield};
use thalweg::realism::{Sample, Survey, complaints, heading, legend, row, spread, windows};
use thalweg::terrain::Recipe;

/// Side of the windows that real ground is cut into `[m]`: the width of `demo`.
const WINDOW: f64 = 10_240.0;

/// Seeds of the noise that is shown for contrast.
const NOISE: [u64; 4] = [1, 2, 3, 4];

struct Asked {
    seeds: Vec<u64>,
    sizes: Vec<usize>,
    models: Option<PathBuf>,
    scene: String,
}

fn main() -> ExitCode {
    let asked = match asked(std::env::args().skip(1)) {
        Ok(asked) => asked,
        Err(message) => {
            eprintln!(
                "{message}\ncargo xtask realism [--seeds 1..20] [--sizes 512,1024] [--models FOLDER] [SCENE]"
            );
            return ExitCode::from(2);
        }
    };
    match survey(&asked) {
        Ok(wrong) if wrong.is_empty() => {
            println!("\nall as wanted");
            ExitCode::SUCCESS
        }
        Ok(wrong) => {
            println!("\nnot as wanted:\n{}", wrong.join("\n"));
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Prints the table; returns what is not as wanted about the landscapes of the scene.
fn survey(asked: &Asked) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    println!("{}\n{}", legend(), heading());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    tell_real(&root.join("scenes/tujunga/bigtujunga_512.png"), Some(30.0))?;
    let models = asked.models.clone().unwrap_or_else(|| root.join("../shared/data/dem"));
    for file in tiffs(&models) {
        tell_real(&file, None)?;
    }
    let noise: Vec<Sample> = NOISE.map(noise).into();
    print!("{}", spread("noise", &noise));
    let survey = Survey::new(&asked.scene, &[])?;
    let sizes = if asked.sizes.is_empty() { vec![survey.cols()] } else { asked.sizes.clone() };
    let (mut samples, mut wrong) = (Vec::new(), Vec::new());
    for &seed in &asked.seeds {
        survey.run_sizes(seed, &sizes, &mut |cols, made| match made {
            Ok(made) => {
                println!("{}", row(&made.sample));
                wrong.extend(complaints(&made.sample));
                samples.push(made.sample.clone());
            }
            Err(error) => {
                println!("{}, seed {seed}, {cols}: {error}", asked.scene);
                wrong.push(format!("{}, seed {seed}, {cols}: {error}", asked.scene));
            }
        });
    }
    print!("{}", spread(&asked.scene, &samples));
    Ok(wrong)
}

/// Ground that no water has been at: fractal noise with cells of 30 m.
fn noise(seed: u64) -> Sample {
    let cells = (WINDOW / 30.0) as usize;
    let recipe = Recipe::named("fbm", WINDOW).unwrap_or_default();
    Sample::of("", &recipe.build(cells, cells, 30.0, seed))
}

/// GeoTIFFs in a folder, by name; none if it is not there.
fn tiffs(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<_> = files.filter(|file| file.extension().is_some_and(|name| name == "tif")).collect();
    found.sort();
    found
}

/// The lines of a real elevation model, whole and in windows.
fn tell_real(file: &Path, cell: Option<f64>) -> Result<(), Box<dyn std::error::Error>> {
    let ground = read_heightfield(file, &ReadOptions { cell, utm: true, ..Default::default() })?.field;
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    println!("{}", row(&Sample::of(name.clone(), &ground)));
    let windows: Vec<Sample> = windows(&ground, WINDOW).iter().map(|window| Sample::of("", window)).collect();
    if windows.len() > 1 {
        print!("{}", spread(&format!("  its {} windows", windows.len()), &windows));
    }
    Ok(())
}

fn asked(mut args: impl Iterator<Item = String>) -> Result<Asked, String> {
    let mut asked = Asked { seeds: vec![4], sizes: Vec::new(), models: None, scene: "demo".into() };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--seeds" => asked.seeds = numbers(&value()?)?,
            "--sizes" => {
                asked.sizes =
                    numbers(&value()?)?.iter().map(|&size| size as usize).filter(|&size| size > 0).collect();
            }
            "--models" => asked.models = Some(value()?.into()),
            word if word.starts_with('-') => return Err(format!("there is no option {word}")),
            scene => asked.scene = scene.into(),
        }
    }
    Ok(asked)
}

/// Numbers as `4`, `1,2,7` or `1..20`, both ends included.
fn numbers(text: &str) -> Result<Vec<u64>, String> {
    let number =
        |part: &str| part.trim().parse::<u64>().map_err(|_| format!("\"{part}\" is no whole number"));
    match text.split_once("..") {
        Some((from, to)) => Ok((number(from)?..=number(to)?).collect()),
        None => text.split(',').map(number).collect(),
    }
}
