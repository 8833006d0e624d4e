//! What the command line understands.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueHint};
use std::path::PathBuf;
use thalweg::field::units::{self, Dimension};
use thalweg::project::{Every, built_in_scenes};
use thalweg::terrain::kinds;
use thalweg::terrain::volume::volume_kinds;

/// Water on terrain: erode landscapes with real water.
#[derive(Debug, Parser)]
#[command(name = "thalweg", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Everything it does.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a mountain range, erode it, write maps and before/after pictures
    Demo(DemoArgs),
    /// Run a scene
    Run(RunArgs),
    /// Erode your own heightmap: valleys over geological time, then rain; maps and before/after pictures
    Erode(ErodeArgs),
    /// List the built-in scenes
    Scenes(JsonArgs),
    /// Make a folder with a scene to edit: around your own heightmap, or a copy of a built-in one
    New(NewArgs),
    /// Make a terrain
    Generate(GenerateArgs),
    /// Tell what a run did, or what a terrain, map, mesh, checkpoint or scene holds
    Info(InfoArgs),
    /// Read a terrain and write it in another format
    Convert(ConvertArgs),
    /// Draw a terrain, a run, a scene at any step, particles or a mesh
    Render(RenderArgs),
    /// Check a scene without running it, and estimate what running it takes
    Check(CheckArgs),
    /// Tell how high and how deep it is at some places of a scene: ground, water, waves
    Query(QueryArgs),
    /// Open the studio: a window on a scene at work
    Studio(StudioArgs),
    /// Say what a key of a scene means: unit, range, default, presets
    Explain(ExplainArgs),
    /// Print the JSON Schema of scene files, for editors
    Schema,
    /// Compare the solvers with theory: measured against expected
    Validate(CasesArgs),
    /// Measure throughput
    Bench(CasesArgs),
    /// Tell what this machine offers: processor, memory, what draws and why
    Doctor(JsonArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write those of all commands to a folder
    Man(ManArgs),
}

impl Command {
    /// Whether it may start a graphics driver.
    pub(crate) fn may_draw(&self) -> bool {
        matches!(
            self,
            Self::Demo(_)
                | Self::Run(_)
                | Self::Erode(_)
                | Self::Render(_)
                | Self::Bench(_)
                | Self::Doctor(_)
                | Self::Studio(_)
        )
    }
}

/// Options of runs.
#[derive(Clone, Debug, Args)]
pub(crate) struct Limits {
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Memory that may be used, in MiB [default: 75 % of what the machine has]
    #[arg(long, value_name = "MIB")]
    pub max_memory: Option<u64>,
    /// No progress and no summary
    #[arg(long, short)]
    pub quiet: bool,
}

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Folder for everything it writes
    #[arg(long, short, value_name = "DIR", default_value = "out/demo", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Seed of the mountains
    #[arg(long, value_name = "N", value_parser = seed())]
    pub seed: Option<u64>,
    /// Replace an earlier run in the output folder
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub limits: Limits,
}

/// Arguments of `query`.
#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// Scene file, folder with a scene.toml, or name of a built-in scene
    #[arg(value_hint = ValueHint::AnyPath)]
    pub scene: String,
    /// A place in metres from the south-west corner: --at 120,80
    #[arg(long, value_name = "EAST,NORTH", allow_hyphen_values = true)]
    pub at: Vec<String>,
    /// File with a line EAST,NORTH for each place
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub points: Option<PathBuf>,
    /// When [default: at the beginning]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub time: Option<f64>,
    /// Change a value of the scene: --set ocean.wind=12
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub limits: Limits,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Scene file, folder with a scene.toml, name of a built-in scene, or - for standard input
    #[arg(value_hint = ValueHint::AnyPath)]
    pub scene: String,
    /// Folder for everything it writes [default: out/SCENE]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// Steps to take in all, instead of the scene's; coarse passes and the last one share them as they do in the scene
    #[arg(long, value_name = "N", value_parser = count())]
    pub steps: Option<u64>,
    /// What to run on
    #[arg(long, value_enum)]
    pub backend: Option<BackendArg>,
    /// Seed, instead of the scene's
    #[arg(long, value_name = "N", value_parser = seed())]
    pub seed: Option<u64>,
    /// Change a value of the scene: --set solver.drag=0.1 --set "rain.0.rate=12 mm/h"
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Read files that the scene names outside its folder
    #[arg(long)]
    pub allow_outside: bool,
    /// Go on from the newest checkpoint in the output folder, also for longer than the run there was asked for
    #[arg(long)]
    pub resume: bool,
    /// Replace an earlier run in the output folder
    #[arg(long, conflicts_with = "resume")]
    pub force: bool,
    /// Draw a picture every so many steps, or at every multiple of a simulated time: 200, 0.04s
    #[arg(long, value_name = "EVERY", conflicts_with = "video")]
    pub frames: Option<Every>,
    /// Make a film of that length, its frames spread evenly over the whole run: 10s
    #[arg(long, value_name = "LENGTH", value_parser = time)]
    pub video: Option<f64>,
    /// Obey a file, a named pipe, or - for standard input, while it runs: a line each of set KEY=VALUE, add,
    /// remove, paint, undo, redo, pause, resume, step, reset, stop
    #[arg(long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub commands: Option<PathBuf>,
    /// Print the report as one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub limits: Limits,
}

/// Arguments of `erode`.
#[derive(Debug, Args)]
pub(crate) struct ErodeArgs {
    /// Heightmap: .png .tif .exr .r16
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Folder for everything it writes; the scene to edit is in its folder inputs [default: out/FILE]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// How far heights change on average, as a share of highest over lowest: 1.5, 4 or 8 %
    #[arg(long, value_enum, default_value_t)]
    pub strength: StrengthArg,
    /// Geological time in years, instead of a strength: 150000, 150kyr
    #[arg(long, value_name = "N", value_parser = years, conflicts_with = "strength", allow_hyphen_values = true)]
    pub years: Option<f64>,
    /// Image of where it rains: black none, white all
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub mask: Option<PathBuf>,
    /// Image of how hard the rock is: black soft, white never erodes
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub hardness: Option<PathBuf>,
    /// Where a river enters: metres east and north of the south-west corner, or pixels from the upper left one, as
    /// in 120px,80px; may be given several times
    #[arg(long, value_name = "X,Y", value_parser = place, allow_hyphen_values = true)]
    pub river: Vec<Place>,
    /// Sides over which no water leaves [default: none]
    #[arg(long, value_enum, value_name = "SIDE", value_delimiter = ',')]
    pub closed: Vec<SideArg>,
    /// Change a value of the scene: --set output.pictures=false
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Seed of the rock's variation and of the ways that water takes
    #[arg(long, value_name = "N", value_parser = seed(), default_value_t = 1)]
    pub seed: u64,
    /// Print the report as one JSON object
    #[arg(long)]
    pub json: bool,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// No notes, no progress and no summary
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub reading: Reading,
}

/// How strongly a heightmap is eroded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum StrengthArg {
    /// Gullies and valleys in the ground as it is
    Gentle,
    /// Valleys everywhere, the large form as it is
    #[default]
    Medium,
    /// Ridges between deep valleys
    Strong,
}

/// A side of a terrain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum SideArg {
    /// The upper side of the image
    North,
    /// The right side
    East,
    /// The lower side
    South,
    /// The left side
    West,
}

/// A place on a terrain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    /// East and north of the south-west corner `[m]`.
    Metres([f64; 2]),
    /// Right of and below the upper left corner.
    Pixels([f64; 2]),
}

/// Arguments of `scenes` and `doctor`.
#[derive(Debug, Args)]
pub(crate) struct JsonArgs {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `new`.
#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// Folder to make
    #[arg(value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Built-in scene to copy; with --terrain, the one whose settings are taken
    #[arg(long, value_name = "NAME", value_parser = Names(scene_names), hide_possible_values = true)]
    pub from: Option<String>,
    /// Heightmap to make a scene around; it is copied into the folder
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub terrain: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
}

/// Arguments of `generate`.
#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    /// Kind of terrain, or of volume; --list shows them
    #[arg(long, default_value = "range", value_parser = Names(kind_names), hide_possible_values = true)]
    pub kind: String,
    /// Cells along each side, N or COLSxROWS [default: 1024; voxels of a volume: 256]
    #[arg(long, value_parser = size)]
    pub size: Option<[usize; 2]>,
    /// Side of a cell in metres
    #[arg(long, default_value_t = 10.0, allow_negative_numbers = true)]
    pub cell: f64,
    /// Seed
    #[arg(long, default_value_t = 0, value_parser = seed())]
    pub seed: u64,
    /// File to write: .png (16 bit), .tif, .exr, .r16, .raw, .r32, .asc, .npy, .pfm; a volume also as .twv, .nrrd,
    /// and its surface as .obj, .ply, .glb, .stl
    #[arg(short, long, value_name = "FILE", required_unless_present = "list", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// List the kinds of terrain
    #[arg(long)]
    pub list: bool,
    /// Memory that may be used, in MiB [default: 75 % of what the machine has]
    #[arg(long, value_name = "MIB")]
    pub max_memory: Option<u64>,
}

/// How to read a terrain file that does not say it all.
#[derive(Clone, Debug, Args)]
pub(crate) struct Reading {
    #[command(flatten)]
    pub source: Source,
    /// Heights in metres of the darkest and the brightest value, LOW,HIGH or LOW..HIGH
    #[arg(long, visible_aliases = ["heights", "input-heights"], value_name = "LOW,HIGH", value_parser = range, allow_hyphen_values = true)]
    pub height_range: Option<[f64; 2]>,
}

/// What a terrain file may not say, heights aside.
#[derive(Clone, Debug, Args)]
pub(crate) struct Source {
    /// Side of a cell in metres, instead of what the file says
    #[arg(long, visible_alias = "cell", value_name = "M", allow_negative_numbers = true)]
    pub metres_per_pixel: Option<f64>,
    /// Columns and rows of a raw file, COLSxROWS [default: a square, or the shape in which it is smoothest]
    #[arg(long, value_name = "COLSxROWS", value_parser = size)]
    pub raw_size: Option<[usize; 2]>,
    /// The raw file has the high byte first [default: the order in which it is smoother]
    #[arg(long, conflicts_with = "little_endian")]
    pub big_endian: bool,
    /// The raw file has the low byte first
    #[arg(long)]
    pub little_endian: bool,
    /// Which band of a TIFF, counted from 1, or which channel of an EXR, by its name
    #[arg(long, value_name = "BAND")]
    pub band: Option<String>,
    /// Lay a map in degrees out in metres, in its UTM zone
    #[arg(long, visible_alias = "metres")]
    pub utm: bool,
    /// Memory that may be used, in MiB [default: 75 % of what the machine has]
    #[arg(long, value_name = "MIB")]
    pub max_memory: Option<u64>,
}

/// Arguments of `info`.
#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    /// Output folder of a run, terrain or map (.png .tif .exr .r16 .raw .r32 .asc .npy .pfm .hgt), particles or mesh
    /// (.ply .obj .stl .glb), checkpoint (.twc), scene, or - for a scene from standard input
    #[arg(value_hint = ValueHint::AnyPath)]
    pub file: String,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub reading: Reading,
}

/// Arguments of `convert`.
#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// Terrain to read: heights, a volume (.twv, .nrrd), or with --for the folder of a run
    #[arg(value_hint = ValueHint::AnyPath)]
    pub input: PathBuf,
    /// File to write: .png (16 bit), .tif, .exr, .r16, .raw, .r32, .asc, .npy, .pfm; as a mesh .obj, .ply, .glb, .stl; a volume as
    /// .twv or .nrrd; with --for, also a folder
    #[arg(value_hint = ValueHint::AnyPath)]
    pub output: PathBuf,
    /// Resample to so many cells, N or COLSxROWS; a shape other than the terrain's needs --fit
    #[arg(long, value_parser = size)]
    pub size: Option<[usize; 2]>,
    /// What becomes of a terrain that has not the size it is to have
    #[arg(long, value_enum)]
    pub fit: Option<FitArg>,
    /// Program that is to open it: format, size, byte order and what to type into it
    #[arg(long = "for", value_enum, value_name = "PROGRAM")]
    pub target: Option<TargetArg>,
    /// Heights in metres that the darkest and the brightest value of INPUT stand for, LOW,HIGH or LOW..HIGH
    #[arg(long, value_name = "LOW,HIGH", value_parser = range, allow_hyphen_values = true)]
    pub input_heights: Option<[f64; 2]>,
    /// Heights in metres that the smallest and the largest code of OUTPUT shall stand for [default: the terrain's own range]
    #[arg(long, value_name = "LOW,HIGH", value_parser = range, allow_hyphen_values = true)]
    pub output_heights: Option<[f64; 2]>,
    /// Says which of the two is not meant
    #[arg(long, alias = "heights", hide = true, value_parser = range, allow_hyphen_values = true)]
    pub height_range: Option<[f64; 2]>,
    /// Cut into so many tiles, N or COLSxROWS, that share their edges and one range of heights: name_x0_y0.png and so on
    #[arg(long, value_parser = size, conflicts_with = "join")]
    pub tiles: Option<[usize; 2]>,
    /// Triangles that a mesh of the terrain may have [default: 200000]
    #[arg(long, value_name = "N")]
    pub triangles: Option<usize>,
    /// Join tiles: INPUT is one of them, such as name_x0_y0.png, or name_0_0.raw of Unity
    #[arg(long)]
    pub join: bool,
    #[command(flatten)]
    pub source: Source,
}

impl ConvertArgs {
    /// How the input is read.
    pub(crate) fn reading(&self) -> Reading {
        Reading { source: self.source.clone(), height_range: self.input_heights }
    }
}

/// What becomes of a terrain that has not the size it is to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum FitArg {
    /// Resampled to the nearest size of its shape that --for allows
    Nearest,
    /// The middle is cut out in the shape of the size
    Crop,
    /// Ground is added around it, as high as its edge
    Pad,
    /// Stretched: its cells are no squares any more
    Stretch,
}

/// A program that opens terrain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum TargetArg {
    /// Unreal Engine 5: .png, .r16 or .raw
    Unreal,
    /// Unity: .raw
    Unity,
    /// Godot with Terrain3D: .exr or .r16
    Godot,
    /// Blender: .exr, .tif or .png
    Blender,
    /// Houdini: .exr
    Houdini,
    /// Gaea: .exr, .r32, .tif or .png
    Gaea,
    /// QGIS and all that reads with GDAL: .tif
    Gis,
}

/// Arguments of `render`.
#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// Terrain file, output folder of a run, scene, PLY file of particles or of a mesh, or - for a scene from standard
    /// input
    #[arg(value_hint = ValueHint::AnyPath)]
    pub what: String,
    /// File to write: .png or .jpg, or .mp4 or .apng for a moving picture
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Where to look from: scene, orbit, top, turntable, path, YAW,PITCH in degrees, or
    /// fly:EAST,NORTH,UP,YAW,PITCH in metres and degrees [default: scene; orbit where there is none]
    #[arg(long, allow_hyphen_values = true)]
    pub camera: Option<String>,
    /// Size of the picture, WxH; from the top, the terrain's shape is fitted into it [default: the scene's, 1600x900]
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub size: Option<[usize; 2]>,
    /// Step of a scene or a run to draw; it is run to there, from the newest checkpoint that helps
    #[arg(long, value_name = "N", value_parser = count())]
    pub step: Option<u64>,
    /// Quantity to lay over the ground in false colour, FIELD or FIELD:COLOURS
    #[arg(long, value_name = "FIELD[:COLOURS]")]
    pub overlay: Option<String>,
    /// Change the look, with the keys of [picture]: --look haze=0 --look water.foam=0
    #[arg(long, value_name = "KEY=VALUE")]
    pub look: Vec<String>,
    /// What draws [default: the scene's, auto]
    #[arg(long, value_enum)]
    pub renderer: Option<RendererArg>,
    /// The start beside the present state
    #[arg(long, conflicts_with = "sheet")]
    pub before_after: bool,
    /// A sheet of pictures: from above, the view, and each quantity there is
    #[arg(long)]
    pub sheet: bool,
    /// Number of frames of a moving picture; makes a .png one [default: its duration times picture.fps]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub frames: Option<u32>,
    /// Length of a moving picture; makes a .png one: 10s
    #[arg(long, value_name = "LENGTH", value_parser = time, conflicts_with = "frames")]
    pub video: Option<f64>,
    /// Column that colours particles
    #[arg(long, value_name = "COLUMN")]
    pub colour: Option<String>,
    /// As what particles are drawn
    #[arg(long, value_enum)]
    pub particles: Option<ParticlesArg>,
    /// Ground below the particles or the mesh
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub terrain: Option<PathBuf>,
    /// Read files that the scene names outside its folder
    #[arg(long)]
    pub allow_outside: bool,
    /// No progress
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub reading: Reading,
}

impl RenderArgs {
    /// Whether a moving picture is asked for in so many words.
    pub(crate) fn moves(&self) -> bool {
        self.frames.is_some() || self.video.is_some()
    }
}

/// What can draw.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum RendererArg {
    /// The graphics device, or the processor where there is none
    Auto,
    /// The graphics device
    Gpu,
    /// The processor
    Cpu,
}

/// As what particles can be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ParticlesArg {
    /// Lit spheres
    Spheres,
    /// The surface of a fluid, smoothed in the picture
    Surface,
    /// The surface of a fluid, as a mesh around the particles
    Mesh,
    /// Not at all
    Hidden,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Scene file, folder with a scene.toml, name of a built-in scene, or - for standard input
    #[arg(value_hint = ValueHint::AnyPath)]
    pub scene: String,
    /// Steps of all passes together, shared out as they are in the scene
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Change a value first
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Read files that the scene names outside its folder
    #[arg(long)]
    pub allow_outside: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Memory that may be used, in MiB [default: 75 % of what the machine has]
    #[arg(long, value_name = "MIB")]
    pub max_memory: Option<u64>,
}

/// Arguments of `studio`.
#[derive(Debug, Args)]
pub(crate) struct StudioArgs {
    /// Scene file, folder with a scene.toml, or name of a built-in scene [default: a welcome]
    #[arg(value_hint = ValueHint::AnyPath)]
    pub scene: Option<String>,
    /// Folder for pictures, exports and scenes [default: thalweg-studio among your pictures]
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// Key of a scene, such as solver.capacity, rain.rate, solver.fluid.spacing, or its last name alone
    #[arg(value_name = "KEY")]
    pub key: String,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `validate` and `bench`.
#[derive(Debug, Args)]
pub(crate) struct CasesArgs {
    /// Which cases; none: all
    pub cases: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Folder for one page for each command [default: the main page goes to standard output]
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
}

/// What a run can be asked to run on.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum BackendArg {
    /// The processor, all cores
    Cpu,
    /// Whatever is fastest here
    Auto,
}

/// Scene files hold whole numbers up to 2⁶³.
fn seed() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(..=i64::MAX as u64)
}

/// Numbers of steps.
fn count() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(..=1_000_000_000_000)
}

/// Reads a time with its unit, in seconds.
fn time(text: &str) -> Result<f64, String> {
    let time = units::parse(text, Dimension::Time).map_err(|error| error.to_string())?;
    if time > 0.0 { Ok(time) } else { Err("it must be longer than nothing, such as 10s".into()) }
}

/// Reads a number of years, or a time with its unit, in years.
fn years(text: &str) -> Result<f64, String> {
    let years = match text.trim().parse() {
        Ok(years) => years,
        Err(_) => units::parse(text, Dimension::Time).map_err(|error| error.to_string())? / units::YEAR,
    };
    let likely = 1.0..=1.0e9;
    if likely.contains(&years) { Ok(years) } else { Err("between 1 and 1e9 years, such as 150000".into()) }
}

/// Reads `X,Y` in metres or in pixels.
fn place(text: &str) -> Result<Place, String> {
    let number = |text: &str| text.trim().parse().ok().filter(|x: &f64| x.is_finite());
    let pair = |[x, y]: [&str; 2]| number(x).zip(number(y)).map(|(x, y)| [x, y]);
    let found = text.split_once(',').and_then(|(x, y)| {
        let [x, y] = [x.trim(), y.trim()];
        match (x.strip_suffix("px"), y.strip_suffix("px")) {
            (Some(x), Some(y)) => pair([x, y]).map(Place::Pixels),
            _ => pair([x, y]).map(Place::Metres),
        }
    });
    found.ok_or_else(|| "write X,Y in metres, such as 1200,800, or in pixels, such as 120px,80px".into())
}

/// Reads `N` or `COLSxROWS`.
fn size(text: &str) -> Result<[usize; 2], String> {
    let number = |text: &str| text.trim().parse().ok().filter(|&n| (1..=65_536).contains(&n));
    let pair = match text.split_once(['x', 'X']) {
        Some((cols, rows)) => number(cols).zip(number(rows)),
        None => number(text).map(|n| (n, n)),
    };
    pair.map(|(cols, rows)| [cols, rows])
        .ok_or_else(|| "write N or COLSxROWS, each between 1 and 65536".into())
}

/// Any text; completions offer the names there are. A misspelt one is answered with the nearest by the command.
#[derive(Clone)]
struct Names(fn() -> Vec<&'static str>);

impl TypedValueParser for Names {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        clap::builder::StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0().into_iter().map(PossibleValue::new)))
    }
}

fn scene_names() -> Vec<&'static str> {
    built_in_scenes().iter().map(|scene| scene.name).collect()
}

fn kind_names() -> Vec<&'static str> {
    kinds().iter().chain(volume_kinds()).map(|(name, _)| *name).collect()
}

/// Reads `LOW,HIGH` or `LOW..HIGH`.
fn range(text: &str) -> Result<[f64; 2], String> {
    let number = |text: &str| text.trim().parse().ok().filter(|x: &f64| x.is_finite());
    let pair = text
        .split_once("..")
        .or_else(|| text.split_once(','))
        .and_then(|(low, high)| number(low).zip(number(high)));
    pair.map(|(low, high)| [low, high]).ok_or_else(|| "write LOW,HIGH in metres, such as 0,1200".into())
}
