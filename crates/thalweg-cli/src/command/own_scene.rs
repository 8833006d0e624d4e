//! The scene around somebody's own heightmap: valleys over geological time, then rain on them. What is in it, and how
//! strong it is, is decided here alone.

use super::heightmap::{Ground, Image, quoted, range};
use crate::Failure;
use crate::args::StrengthArg;
use std::fmt::Write;
use std::path::Path;
use thalweg::Session;
use thalweg::erosion::stream_power::HEAD_OVER_SPACING;
use thalweg::field::{Frame, Heightfield};
use thalweg::project::Project;
use thalweg::terrain::analysis::slope;
use thalweg::terrain::resample;

/// What is asked for beside the heightmap itself.
#[derive(Default)]
pub(super) struct Wish {
    pub strength: StrengthArg,
    /// Geological time, instead of a strength `[yr]`.
    pub years: Option<f64>,
    /// Image of where it rains.
    pub mask: Option<Image>,
    /// Image of how hard the rock is.
    pub hardness: Option<Image>,
    /// Where rivers enter, east and north of the south-west corner `[m]`.
    pub rivers: Vec<[f64; 2]>,
    /// Sides over which nothing leaves.
    pub closed: Vec<&'static str>,
    pub seed: u64,
}

impl Wish {
    /// The images that the scene reads.
    pub(super) fn images(&self) -> impl Iterator<Item = &Image> {
        self.mask.iter().chain(&self.hardness)
    }
}

/// The sides of a terrain, as `[edges]` calls them.
pub(super) const SIDES: [&str; 4] = ["north", "east", "south", "west"];

impl StrengthArg {
    /// Mean work, |height after − height before|, as a share of the relief `[-]`.
    pub(super) fn share(self) -> f64 {
        match self {
            Self::Gentle => 0.015,
            Self::Medium => 0.04,
            Self::Strong => 0.08,
        }
    }
}

/// A heightmap seen from afar: what is measured on it does not depend on how many cells it has.
pub(super) struct Overview {
    ground: Heightfield,
    /// Highest over lowest ground `[m]`.
    pub relief: f64,
    /// Slope that the rock holds, by the steepest slopes that are there `[deg]`.
    holds: f64,
}

/// Cells along the shorter side of an overview.
const SEEN: usize = 256;
/// Slope that soil and broken rock hold everywhere, and the steepest that is taken for real `[deg]`.
const HOLDS: [f64; 2] = [36.0, 75.0];
/// How much steeper than all but a twentieth of the ground its rock can be cut `[deg]`.
const STEEPER: f64 = 4.0;

impl Overview {
    pub(super) fn of(ground: &Heightfield) -> Self {
        let ground = reduced(ground);
        let [low, high] = range(&ground);
        let mut slopes: Vec<f32> = slope(&ground).values().to_vec();
        slopes.sort_unstable_by(f32::total_cmp);
        let steep = slopes.get(slopes.len() * 19 / 20).map_or(0.0, |&slope| f64::from(slope).to_degrees());
        let holds = (steep + STEEPER).clamp(HOLDS[0], HOLDS[1]).round();
        Self { ground, relief: high - low, holds }
    }
}

/// The ground on at most so many cells as an overview has.
fn reduced(ground: &Heightfield) -> Heightfield {
    let (cols, rows) = (ground.height.cols(), ground.height.rows());
    let factor = SEEN as f64 / cols.min(rows) as f64;
    if factor >= 1.0 {
        return Heightfield { frame: Frame::with_cell(ground.frame.cell), ..ground.clone() };
    }
    let fewer = |cells: usize| (cells as f64 * factor).round().max(1.0) as usize;
    resample(ground, fewer(cols), fewer(rows))
}

/// A scene around a heightmap.
struct OwnScene<'a> {
    ground: &'a Ground,
    wish: &'a Wish,
    overview: &'a Overview,
    /// Geological time `[yr]`.
    years: f64,
}

/// Steps of the coarsest pass over geological time, and of all finer ones together.
const STEPS: [usize; 2] = [66, 14];
/// Fewest cells along the shorter side of the coarsest pass over geological time, and of the rain's.
const FEWEST: [usize; 2] = [200, 300];
/// Share of the heightmap's own detail that comes back after a pass `[-]`.
const DETAIL: f64 = 1.0;
/// Largest distance of the smallest valleys, as on earth `[m]`, and as a share of the terrain's shorter side `[-]`.
const SPACING: [f64; 2] = [250.0, 0.025];
/// Width of the beds of rivers, over the distance between valleys, as by default `[-]`.
const BED: f64 = 0.09;
/// Width of the floor of a valley that drains 1 km², over that distance: half of the default, which makes trenches of gorges that are there
/// `[-]`.
const FLOOR: f64 = 0.06;
/// Dry time after the geological one `[yr]`, as a share of that at most, and the least drainage area where rivers begin in it `[m²]`.
const DRY: f64 = 2000.0;
const DRY_SHARE: f64 = 0.04;
const DRY_HEAD: f64 = 3.0e5;
const DRY_STEPS: usize = 4;
/// Fewest cells between the smallest valleys.
const CELLS_BETWEEN: f64 = 3.0;
/// Rain `[mm/h]`.
const RAIN: f64 = 60.0;
/// Speed at which water crosses the terrain while it rains `[m/s]`, and the shortest and longest rain `[s]`.
const CROSSES: f64 = 2.0;
const RAINS: [f64; 2] = [600.0, 6.0 * 3600.0];
/// Water that a river brings, as a share of all rain on the terrain `[-]`.
const RIVER: f64 = 0.25;

impl OwnScene<'_> {
    /// Widths to the east and the north `[m]`.
    fn extent(&self) -> [f64; 2] {
        self.ground.field.extent()
    }

    /// Factors of the passes, the coarsest first and the terrain itself last.
    fn factors(field: &Heightfield, fewest: usize) -> Vec<usize> {
        let shorter = field.height.cols().min(field.height.rows());
        let coarse = (1..16).map(|power| 1 << power).take_while(|factor| shorter / factor >= fewest);
        let mut factors: Vec<_> = coarse.collect();
        factors.reverse();
        factors.push(1);
        factors
    }

    /// Distance between the smallest valleys `[m]`.
    fn spacing(&self) -> f64 {
        let [east, north] = self.extent();
        let spacing = SPACING[0].min(SPACING[1] * east.min(north));
        spacing.max(CELLS_BETWEEN * self.ground.field.frame.cell)
    }

    /// Drainage area where rivers begin in the dry age `[m²]`: larger than where they begin before.
    fn dry_head(&self) -> f64 {
        DRY_HEAD.max(HEAD_OVER_SPACING * self.spacing().powi(2))
    }

    /// Keys of a stream-power stage, for so many years.
    fn valleys(&self, years: f64) -> String {
        let spacing = self.spacing();
        format!(
            "kind = \"stream-power\"\n\
             years = \"{years:.0} yr\"\n\
             uplift = 0                           # rock does not rise: what is carried away is gone\n\
             critical_slope = \"{holds} deg\"           # steepest slope that the rock holds\n\
             valley_spacing = \"{spacing} m\"\n\
             flow_width = \"{bed} m\"                 # how wide the beds of rivers are\n\
             valley_width = \"{floor} m\"             # floor of a valley that drains 1 km²\n",
            holds = self.overview.holds,
            spacing = digits(spacing),
            bed = digits(BED * spacing),
            floor = digits(FLOOR * spacing),
        )
    }

    /// `time` of the stream-power stage, as the inside of a table.
    fn ages(field: &Heightfield) -> String {
        let factors = Self::factors(field, FEWEST[0]);
        let finer = factors.len() - 1;
        let steps = |i: usize| match (i, finer) {
            (_, 0) => STEPS[0] + STEPS[1],
            (0, _) => STEPS[0],
            _ => STEPS[1] / finer + usize::from(i == finer) * (STEPS[1] % finer),
        };
        let coarse: Vec<_> = factors[..finer]
            .iter()
            .enumerate()
            .map(|(i, factor)| {
                format!("    {{ factor = {factor}, steps = {}, detail = {DETAIL} }},\n", steps(i))
            })
            .collect();
        match coarse.is_empty() {
            true => format!("{{ steps = {} }}", steps(finer)),
            false => format!("{{ steps = {}, coarse = [\n{}] }}", steps(finer), coarse.concat()),
        }
    }

    /// How long it rains on the terrain `[s]`.
    fn rains(&self) -> f64 {
        let [east, north] = self.extent();
        (east.max(north) / CROSSES).clamp(RAINS[0], RAINS[1]).round()
    }

    /// `[time]`: water crosses the terrain on coarse cells, where that is quick, and settles on finer ones.
    fn time(&self) -> String {
        let factors = Self::factors(&self.ground.field, FEWEST[1]);
        let rains = self.rains();
        // Each finer pass costs eight times as much for the same time.
        let length = |i: usize| if i == 0 { rains } else { (rains / 4.0 / f64::from(1 << i)).round() };
        let last = factors.len() - 1;
        let mut text = format!("[time]\nduration = \"{} s\"\nsteps = {MOST_STEPS}\n", length(last));
        for (i, factor) in factors[..last].iter().enumerate() {
            let _ = write!(
                text,
                "\n[[time.coarse]]\nfactor = {factor}\nduration = \"{} s\"\nsteps = {MOST_STEPS}\ndetail = 1\n",
                length(i)
            );
        }
        text
    }

    fn edges(&self) -> String {
        let side = |side: &&str| {
            let kind = if self.wish.closed.contains(side) { "closed" } else { "open" };
            format!("{side} = \"{kind}\"\n")
        };
        format!("[edges]\n{}", SIDES.iter().map(side).collect::<String>())
    }

    fn rain(&self) -> String {
        let mask = self.wish.mask.as_ref().map_or_else(
            || "# mask = \"rain.png\"                  # an image beside this file: black stays dry, white gets all of it\n".into(),
            |mask| format!("mask = {}\n", quoted(&mask.name)),
        );
        format!("[[rain]]\nrate = \"{RAIN} mm/h\"\n{mask}")
    }

    fn rivers(&self) -> String {
        let [east, north] = self.extent();
        let rate = RIVER * RAIN / 3.6e6 * east * north;
        let radius = (2.0 * self.ground.field.frame.cell).max(east.min(north) / 400.0);
        let river = |[x, y]: &[f64; 2]| {
            format!(
                "\n# A river that enters. In geological time it cuts like the river of the area that would bring as much rain.\n\
                 [[source]]\n\
                 at = [\"{} m\", \"{} m\"]               # east and north of the south-west corner\n\
                 rate = \"{} m3/s\"\n\
                 radius = \"{} m\"\n",
                digits(*x),
                digits(*y),
                digits(rate),
                digits(radius)
            )
        };
        self.wish.rivers.iter().map(river).collect()
    }

    fn hardness(&self) -> String {
        let words = "\n[terrain.hardness]                   # black is soft, white never erodes\nfile = ";
        self.wish.hardness.as_ref().map_or(String::new(), |image| format!("{words}{}\n", quoted(&image.name)))
    }

    /// The scene with all its words.
    fn text(&self) -> String {
        format!(
            r#"# A heightmap under water. `thalweg check FOLDER` checks this scene, `thalweg run FOLDER` runs it.
# Every key: docs/guide/scene-file.md. What to turn for which look: docs/guide/recipes.md.
version = 1
title = {title}
seed = {seed}                             # of the rock's variation and of the ways that water takes

# Water sees slopes, which are heights over distances: these two numbers matter more than all others.
{terrain}{hardness}
# First geological time: rivers cut their valleys from the edges up, soil creeps down the slopes between them, hollows fill.
# More years, more erosion. Large valleys come first, on wide cells; detail is the share of the heightmap's own bumps that
# comes back on finer ones.
[[before]]
{valleys}time = {ages}

# In a dry age small streams are too weak to clear their heads, and soil fills them: hollows instead of notches.
[[before]]
{dry}channel_area = "{dry_head} m2"            # where rivers begin
time = {{ steps = {DRY_STEPS} }}

# Then rain: rivers sort the floors of the valleys and lay down fans, and the maps show where water runs. More time_lapse,
# deeper gullies; a smaller repose, gentler slopes.
[solver]
kind = "pipes"
time_lapse = 300
edges_follow = true                  # open edges slip where the ground behind them falls away
repose = "{repose} deg"

# Water leaves over an open edge; a "closed" one holds water back. For a sea: south = {{ level = "0 m" }}.
{edges}
{rain}{rivers}
# Time for the water to cross the terrain.
{time}"#,
            title = quoted(&format!("Erosion of {}", self.ground.name)),
            seed = self.wish.seed,
            terrain = self.ground.section(),
            valleys = self.valleys(self.years),
            dry = self.valleys(DRY.min(DRY_SHARE * self.years).max(1.0)),
            dry_head = digits(self.dry_head()),
            ages = Self::ages(&self.ground.field),
            repose = self.overview.holds.max(REPOSE),
            edges = self.edges(),
            hardness = self.hardness(),
            rain = self.rain(),
            rivers = self.rivers(),
            time = self.time(),
        )
    }

    /// Mean work that the geological time of the scene does on the overview `[m]`.
    fn work(&self, max_bytes: u64) -> Result<f64, Failure> {
        let field = &self.overview.ground;
        let text = format!(
            "version = 1\nseed = {}\n[terrain]\nfile = \"overview\"\n{}\n[solver]\n{}\n{}\n{}{}\n[time]\n{}",
            self.wish.seed,
            self.hardness(),
            self.valleys(self.years),
            self.edges(),
            self.rain(),
            self.rivers(),
            inside(&Self::ages(field)),
        );
        let mut project = Project::from_text(&text, "overview", Path::new(""), &[])?;
        project.give_map("overview", field.clone());
        self.wish.images().for_each(|image| project.give_map(&image.name, image.shares.clone()));
        let mut session = Session::new(&project, max_bytes)?;
        while !session.is_over() {
            session.tick(u64::MAX).map_err(Failure::run)?;
        }
        Ok(mean_work(field, &session.ground()))
    }
}

/// Steps that no pass reaches before its time is over.
const MOST_STEPS: u64 = 1_000_000;
/// Slope that loose ground holds `[deg]`.
pub(super) const REPOSE: f64 = 40.0;

/// Keys of an inline table, one in a line.
fn inside(table: &str) -> String {
    let keys = table.trim_start_matches("{ ").trim_end_matches(" }").trim_end_matches('}');
    keys.replacen(", coarse", "\ncoarse", 1)
}

/// A number of a scene, to three digits.
fn digits(number: f64) -> f64 {
    if number == 0.0 || !number.is_finite() {
        return number;
    }
    let unit = 10_f64.powf(number.abs().log10().floor() - 2.0).min(1.0);
    (number / unit).round() * unit
}

/// Mean of |height after − height before| `[m]`.
pub(super) fn mean_work(before: &Heightfield, after: &Heightfield) -> f64 {
    let pairs = before.height.values().iter().zip(after.height.values());
    let sum: f64 = pairs.map(|(before, after)| f64::from((after - before).abs())).sum();
    sum / before.height.len().max(1) as f64
}

/// First guess of the geological time, and the shortest and longest `[yr]`.
const GUESS: f64 = 1.0e5;
const AGES: [f64; 2] = [1.0, 1.0e8];
/// How near to the strength a time has to come `[-]`, and how often it is tried.
const NEAR: f64 = 0.02;
const TRIES: usize = 8;

/// The geological time that does so much work, as it turns out on the overview `[yr]`.
fn years_for(work: f64, scene: &OwnScene, max_bytes: u64) -> Result<f64, Failure> {
    // Work grows almost like time at first, and less and less later.
    let (mut years, mut low, mut high) = (GUESS, AGES[0], AGES[1]);
    for _ in 0..TRIES {
        let done = OwnScene { years, ..*scene }.work(max_bytes)?;
        if (done / work - 1.0).abs() < NEAR {
            break;
        }
        *(if done < work { &mut low } else { &mut high }) = years;
        let next = years * (work / done.max(f64::MIN_POSITIVE)).clamp(0.1, 10.0);
        years = if next > low && next < high { next } else { (low * high).sqrt() };
    }
    let unit = 10_f64.powf(years.log10().floor() - 2.0).max(1.0);
    Ok((years / unit).round() * unit)
}

/// A scene as it is written, and how strong it is.
pub(super) struct Written {
    pub text: String,
    /// Geological time `[yr]`.
    pub years: f64,
}

/// Writes the scene that is wished for.
pub(super) fn write(
    ground: &Ground,
    wish: &Wish,
    overview: &Overview,
    max_bytes: u64,
) -> Result<Written, Failure> {
    let mut scene = OwnScene { ground, wish, overview, years: wish.years.unwrap_or(GUESS) };
    if wish.years.is_none() && overview.relief > 0.0 {
        scene.years = years_for(wish.strength.share() * overview.relief, &scene, max_bytes)?;
    }
    Ok(Written { text: scene.text(), years: scene.years })
}
