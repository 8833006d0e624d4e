//! Everything a run needs to go on.

use crate::project::{
    CameraTable, Complaint, Mistake, Output, PictureTable, Pool, Project, Scene, Source, Terrain,
};
use std::path::{Path, PathBuf};
use thalweg_erosion::pipes::{self, Fall, Ledger, Pipes, Saved, StepError, StepReport, Weather, Window};
use thalweg_field::{Field, FieldInfo, Frame, Grid2, Heightfield, Snapshot};
use thalweg_io::checkpoint::{Checkpoint, CheckpointError, Section, SectionRef, rotate};
use thalweg_io::{Notice, ReadError, ReadOptions, read_heightfield};
use thalweg_terrain::analysis::slope;
use thalweg_terrain::{Recipe, resample};

/// Steps between two samples of flow and wetness.
const SAMPLE_EVERY: u64 = 64;
/// Steps taken in one go. The solver chooses its time step anew whenever the steps taken are a multiple of this.
const STRIDE: u64 = 8;
/// Water deeper than this counts as wet [m].
const WET: f32 = 0.01;

/// Why a scene cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A file it names cannot be read.
    #[error("{place}: {source}")]
    Read {
        /// Where the scene names it.
        place: String,
        /// Why.
        source: ReadError,
    },
    /// Values that do not fit the terrain; one line for each.
    #[error("{}", .0.iter().map(Mistake::to_string).collect::<Vec<_>>().join("\n"))]
    Wrong(Vec<Mistake>),
    /// Too large for this machine.
    #[error(
        "{place}: {cols} by {rows} cells need about {need_mib} MiB, but only {limit_mib} MiB may be used; \
         use a smaller terrain.size or raise --max-memory"
    )]
    Memory {
        /// Where the scene asks for it.
        place: String,
        /// Columns.
        cols: usize,
        /// Rows.
        rows: usize,
        /// Estimated need [MiB].
        need_mib: u64,
        /// The limit [MiB].
        limit_mib: u64,
    },
}

impl SetupError {
    /// What the solver says about a value, with the value's place.
    pub(crate) fn invalid(project: &Project, invalid: &pipes::Invalid) -> Self {
        let message = invalid.to_string();
        Self::Wrong(vec![Mistake { place: project.place_of(invalid.key), message }])
    }

    pub(crate) fn complaints(project: &Project, complaints: Vec<Complaint>) -> Self {
        let located = |complaint: Complaint| Mistake {
            place: project.place_of(&complaint.path),
            message: complaint.message,
        };
        Self::Wrong(complaints.into_iter().map(located).collect())
    }
}

/// Why a run cannot go on after some steps.
#[derive(Debug, thiserror::Error)]
pub enum NoteError {
    /// Its numbers have gone wild.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A value of the scene does not fit the terrain of the next pass.
    #[error(transparent)]
    Invalid(#[from] pipes::Invalid),
}

/// Bytes for each cell beside the solver's own: terrain before and now, flow and wetness, and the maps and
/// pictures made at the end.
const BYTES_BESIDE: u64 = 120;

/// The state of a run: saved in checkpoints, shown as snapshots.
#[derive(Debug)]
pub struct State {
    scene: Scene,
    /// The solver on the present terrain.
    pub pipes: Pipes,
    /// Terrain and everything on it at full resolution, before anything happened.
    site: Site,
    /// Which pass runs: coarse ones first, then the terrain itself.
    pass: usize,
    /// What the passes that are over leave behind.
    past: Option<Past>,
    /// The bed that they left to the present pass [m]: solvers measure heights from what they began with.
    inherited: Option<Grid2<f32>>,
    /// Shortest and longest time step so far [s].
    dt: [f64; 2],
    /// Time-weighted sums of discharge per width and of being wet, and the time of the pass that they cover.
    flow: Grid2<f32>,
    wet: Grid2<f32>,
    sampled: f64,
    /// What was assumed or repaired while reading files.
    pub notices: Vec<String>,
}

/// Passes that are over.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Past {
    steps: u64,
    /// Simulated time [s].
    time: f64,
    ledger: Ledger,
}

/// Terrain and weather at full resolution.
#[derive(Clone, Debug)]
struct Site {
    ground: Heightfield,
    softness: Option<Grid2<f32>>,
    masks: Vec<Option<Grid2<f32>>>,
}

impl State {
    /// Builds the terrain of a project and puts its weather over it, using at most `max_bytes` of memory.
    pub fn new(project: &Project, max_bytes: u64) -> Result<Self, SetupError> {
        let scene = project.scene.clone();
        let mut notices = Vec::new();
        let site = Site::new(project, max_bytes, &mut notices)?;
        let (cols, rows) = (site.ground.height.cols(), site.ground.height.rows());
        let mut complaints = scene.check_places(site.ground.extent());
        for (i, coarse) in scene.time.coarse.iter().enumerate() {
            let factor = coarse.factor;
            if cols / factor < 2 || rows / factor < 2 {
                let path = format!("time.coarse[{i}].factor");
                let message = format!(
                    "{path} is {factor}, but the terrain has only {cols} by {rows} cells; use a smaller factor"
                );
                complaints.push(Complaint { path, message });
            }
        }
        if !complaints.is_empty() {
            return Err(SetupError::complaints(project, complaints));
        }
        let ground = site.ground_of(&scene, 0);
        let pipes =
            site.flood(&scene, &ground, None).map_err(|invalid| SetupError::invalid(project, &invalid))?;
        let empty = Grid2::filled(ground.height.cols(), ground.height.rows(), 0.0);
        Ok(Self {
            pipes,
            site,
            pass: 0,
            past: None,
            inherited: None,
            dt: [f64::INFINITY, 0.0],
            flow: empty.clone(),
            wet: empty,
            sampled: 0.0,
            notices,
            scene,
        })
    }

    /// The terrain before anything happened, at full resolution.
    pub fn start(&self) -> &Heightfield {
        &self.site.ground
    }

    /// Depth of the water on it then [m].
    pub fn start_water(&self) -> Grid2<f32> {
        standing_water(&self.scene, &self.site.ground)
    }

    /// The scene it runs.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Steps taken by all passes.
    pub fn steps_taken(&self) -> u64 {
        self.past.map_or(0, |past| past.steps) + self.pipes.steps_taken()
    }

    /// Simulated time of all passes [s].
    pub fn time(&self) -> f64 {
        self.past.map_or(0.0, |past| past.time) + self.pipes.time()
    }

    /// Shortest and longest time step so far [s]; both 0 before the first.
    pub fn dt_range(&self) -> [f64; 2] {
        if self.steps_taken() > 0 { self.dt } else { [0.0; 2] }
    }

    /// Steps of all passes together.
    pub fn steps_planned(&self) -> u64 {
        self.scene.time.coarse.iter().map(|coarse| coarse.steps).sum::<u64>() + self.scene.time.steps
    }

    /// Cells of the terrain that the present pass works on.
    pub fn cells(&self) -> usize {
        self.flow.len()
    }

    fn pass_steps(&self) -> u64 {
        self.scene.time.coarse.get(self.pass).map_or(self.scene.time.steps, |coarse| coarse.steps)
    }

    fn is_last_pass(&self) -> bool {
        self.pass == self.scene.time.coarse.len()
    }

    /// Steps until something has to be looked at: a sample, the end of a pass, the end of the duration.
    pub fn steps_to_next_look(&self) -> u64 {
        let taken = self.pipes.steps_taken();
        let aligned = (STRIDE - taken % STRIDE).min(self.pass_steps().saturating_sub(taken));
        match self.scene.time.duration {
            // The time step is known only when it is about to be chosen. The last steps are taken one by one, so
            // that a run ends at the same step however it was cut.
            Some(duration) if self.is_last_pass() => {
                let params = self.pipes.params();
                let dt = params.dt.unwrap_or((params.safety * self.pipes.max_dt()).min(params.max_dt));
                let far = self.pipes.time() + (STRIDE + 1) as f64 * dt < duration;
                if far && taken.is_multiple_of(STRIDE) { aligned } else { aligned.min(1) }
            }
            _ => aligned,
        }
    }

    /// Whether all passes are over.
    pub fn is_over(&self) -> bool {
        let late = self.scene.time.duration.is_some_and(|duration| self.pipes.time() >= duration);
        self.is_last_pass() && (late || self.pipes.steps_taken() >= self.pass_steps())
    }

    /// Notes steps that a stage has taken: samples the flow, and moves on to the next pass when one is over.
    pub fn note(&mut self, report: &StepReport) -> Result<(), NoteError> {
        let [shortest, longest] = self.dt;
        self.dt = [shortest.min(report.dt_min), longest.max(report.dt_max)];
        if self.pipes.steps_taken().is_multiple_of(SAMPLE_EVERY) || self.is_over() {
            self.sample();
        }
        let pass_is_over = self.pipes.steps_taken() >= self.pass_steps();
        if pass_is_over || self.is_over() {
            self.check_finite()?;
        }
        if pass_is_over && !self.is_last_pass() {
            self.refine()?;
        }
        Ok(())
    }

    /// Refuses numbers that have gone wild. The solver looks for them now and then; what is saved, shown or handed to
    /// the next pass must be free of them.
    pub fn check_finite(&self) -> Result<(), StepError> {
        let [bed, depth, sediment] = [self.pipes.bed(), self.pipes.depth(), self.pipes.sediment()];
        let cells = bed.values().iter().zip(depth.values()).zip(sediment.values());
        let wild = |((b, d), s): ((&f32, &f32), &f32)| !(b + d + s).is_finite();
        let mut strays = cells.enumerate().filter(|(_, cell)| wild(*cell)).map(|(at, _)| at);
        let Some(first) = strays.next() else { return Ok(()) };
        Err(StepError::NotFinite {
            count: 1 + strays.count(),
            step: self.steps_taken(),
            time: self.time(),
            col: first % bed.cols(),
            row: first / bed.cols(),
        })
    }

    fn sample(&mut self) {
        let span = (self.pipes.time() - self.sampled) as f32;
        self.sampled = self.pipes.time();
        let (depth, discharge) = (self.pipes.depth(), self.pipes.discharge());
        self.flow.for_each_row(|row, cells| {
            for (flow, q) in cells.iter_mut().zip(discharge.row(row)) {
                *flow += q * span;
            }
        });
        self.wet.for_each_row(|row, cells| {
            for (wet, &d) in cells.iter_mut().zip(depth.row(row)) {
                *wet += if d > WET { span } else { 0.0 };
            }
        });
    }

    /// Ends a coarse pass: what was afloat settles, the finer terrain takes over the shape and gets back some of
    /// its own detail.
    fn refine(&mut self) -> Result<(), pipes::Invalid> {
        let past = Past { steps: self.steps_taken(), time: self.time(), ledger: self.ledger() };
        let eroded = self.settled_ground();
        let detail = self.scene.time.coarse[self.pass].detail as f32;
        let before = self.site.ground_of(&self.scene, self.pass);
        self.pass += 1;
        let own = self.site.ground_of(&self.scene, self.pass);
        let (cols, rows) = (own.height.cols(), own.height.rows());
        let smooth = resample(&before, cols, rows);
        let mut ground = resample(&eroded, cols, rows);
        for (i, height) in ground.height.values_mut().iter_mut().enumerate() {
            *height += detail * (own.height.values()[i] - smooth.height.values()[i]);
        }
        ground.frame = own.frame;
        let water = Heightfield { height: self.pipes.depth(), frame: eroded.frame };
        let water = resample(&water, cols, rows).height.map(|d| d.max(0.0));
        self.pipes = self.site.flood(&self.scene, &ground, Some(water))?;
        (self.past, self.inherited) = (Some(past), Some(ground.height));
        let empty = Grid2::filled(cols, rows, 0.0);
        (self.flow, self.wet, self.sampled) = (empty.clone(), empty, 0.0);
        Ok(())
    }

    /// The bed with everything that is afloat laid down where it is.
    fn settled_ground(&self) -> Heightfield {
        let mut ground = self.pipes.ground();
        let sediment = self.pipes.sediment();
        for (height, s) in ground.height.values_mut().iter_mut().zip(sediment.values()) {
            *height += s;
        }
        ground
    }

    /// The books of all passes; what refining changed of ground and water counts as added.
    pub fn ledger(&self) -> Ledger {
        let now = self.pipes.ledger();
        let Some(Past { ledger: past, .. }) = &self.past else { return now };
        Ledger {
            water: pipes::Water {
                start: past.water.start,
                added: past.water.added + now.water.added + now.water.start - past.water.end,
                evaporated: past.water.evaporated + now.water.evaporated,
                exported: past.water.exported + now.water.exported,
                end: now.water.end,
            },
            solids: pipes::Solids {
                bed_start: past.solids.bed_start,
                bed_end: now.solids.bed_end,
                suspended: now.solids.suspended,
                exported: past.solids.exported + now.solids.exported,
                added: past.solids.added + now.solids.bed_start - past.solids.bed_end - past.solids.suspended,
                eroded: past.solids.eroded + now.solids.eroded,
            },
        }
    }

    /// Everything there is to show.
    pub fn snapshot(&mut self) -> Snapshot {
        let mut snapshot = self.pipes.snapshot();
        (snapshot.step, snapshot.time) = (self.steps_taken(), self.time());
        let ground = self.pipes.ground();
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        let start = self.site.ground_of(&self.scene, self.pass);
        let change = |sign: f32| {
            Grid2::from_fn(cols, rows, |c, r| {
                (sign * (ground.height.at(c, r) - start.height.at(c, r))).max(0.0)
            })
        };
        let per_time = if self.sampled > 0.0 { (1.0 / self.sampled) as f32 } else { 0.0 };
        let mut add = |name, unit, meaning, values| {
            snapshot.fields.push(Field { info: FieldInfo::new(name, unit, meaning), values });
        };
        add("erosion", "m", "bed lost since the beginning", change(-1.0));
        add("deposition", "m", "bed gained since the beginning", change(1.0));
        add("flow", "m²/s", "mean discharge per metre of width", self.flow.map(|v| v * per_time));
        add("wetness", "-", "share of the time under water", self.wet.map(|v| v * per_time));
        add("slope", "rad", "slope of the bed", slope(&ground));
        snapshot
    }

    /// Writes the state as a checkpoint into `folder`; `name` is the scene's.
    pub fn save(&self, folder: &Path, name: &str) -> Result<PathBuf, CheckpointError> {
        let Saved { size, step, numbers, accounts, cells } = self.pipes.save();
        let header = serde_json::json!({
            "thalweg": env!("CARGO_PKG_VERSION"),
            "scene": name,
            "text": toml::to_string(&self.scene).unwrap_or_default(),
            "site": self.site.fingerprint(),
            "pass": self.pass,
            "size": size,
            "pass_step": step,
            "step": self.steps_taken(),
            "time": self.time(),
        });
        let past = self.past.map_or(Vec::new(), |past| past.numbers().to_vec());
        let clock = [self.sampled, self.dt[0], self.dt[1]];
        let sections = [
            ("numbers", SectionRef::F64(&numbers)),
            ("accounts", SectionRef::F64(&accounts)),
            ("cells", SectionRef::F32(&cells)),
            ("past", SectionRef::F64(&past)),
            ("clock", SectionRef::F64(&clock)),
            ("flow", SectionRef::F32(self.flow.values())),
            ("wet", SectionRef::F32(self.wet.values())),
            ("inherited", SectionRef::F32(self.inherited.as_ref().map_or(&[], Grid2::values))),
        ];
        rotate(folder, self.steps_taken(), &header, &sections)
    }

    /// Goes back to a checkpoint of the same scene; the text says why not. Nothing changes then.
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), String> {
        let header = &checkpoint.header;
        let number = |key: &str| header[key].as_u64().ok_or_else(|| format!("its header lacks \"{key}\""));
        let saved: Scene = header["text"]
            .as_str()
            .and_then(|text| toml::from_str(text).ok())
            .ok_or("its header holds no scene of this version")?;
        if !same_run(&saved, &self.scene) {
            return Err("it belongs to a run with another scene or other settings; run without --resume, or with the settings it had".into());
        }
        if header["site"].as_str() != Some(&self.site.fingerprint()) {
            return Err("it belongs to a run on another terrain: a file that the scene reads has changed since; run without --resume, or put the file back".into());
        }
        let pass = number("pass")? as usize;
        let step = number("pass_step")?;
        if pass > self.scene.time.coarse.len() {
            return Err("it counts more passes than the scene has".into());
        }
        let last = pass == self.scene.time.coarse.len();
        if last && step > self.scene.time.steps {
            return Err(format!(
                "it is at step {} already, beyond the {} steps asked for; ask for more, or run without --resume",
                number("step")?,
                self.steps_planned()
            ));
        }
        let mut ground = self.site.ground_of(&self.scene, pass);
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        let doubles = |name: &str| match checkpoint.section(name) {
            Some(Section::F64(values)) => Ok(values.clone()),
            _ => Err(format!("its section \"{name}\" is missing")),
        };
        let floats = |name: &str| match checkpoint.section(name) {
            Some(Section::F32(values)) => Ok(values.clone()),
            _ => Err(format!("its section \"{name}\" is missing")),
        };
        let misfit = || "its state does not fit the terrain".to_owned();
        let grid = |name| Grid2::from_values(cols, rows, floats(name)?).ok_or_else(misfit);
        if pass > 0 {
            ground.height = grid("inherited")?;
        }
        let mut pipes = self.site.flood(&self.scene, &ground, None).map_err(|error| error.to_string())?;
        let saved = Saved {
            size: [cols, rows],
            step,
            numbers: doubles("numbers")?,
            accounts: doubles("accounts")?,
            cells: floats("cells")?,
        };
        if !pipes.restore(&saved) {
            return Err(misfit());
        }
        let past = match doubles("past")?.as_slice() {
            [] => None,
            numbers => Some(Past::from_numbers(numbers).ok_or_else(misfit)?),
        };
        let [sampled, shortest, longest] = doubles("clock")?.try_into().map_err(|_| misfit())?;
        (self.flow, self.wet) = (grid("flow")?, grid("wet")?);
        (self.past, self.sampled, self.dt) = (past, sampled, [shortest, longest]);
        (self.pass, self.pipes) = (pass, pipes);
        self.inherited = (pass > 0).then_some(ground.height);
        Ok(())
    }
}

impl Past {
    fn numbers(&self) -> [f64; 13] {
        let Ledger { water: w, solids: s } = self.ledger;
        [
            self.steps as f64,
            self.time,
            w.start,
            w.added,
            w.evaporated,
            w.exported,
            w.end,
            s.bed_start,
            s.bed_end,
            s.suspended,
            s.exported,
            s.added,
            s.eroded,
        ]
    }

    fn from_numbers(numbers: &[f64]) -> Option<Self> {
        let [steps, time, w0, w1, w2, w3, w4, s0, s1, s2, s3, s4, s5] = numbers.try_into().ok()?;
        let water = pipes::Water { start: w0, added: w1, evaporated: w2, exported: w3, end: w4 };
        let solids =
            pipes::Solids { bed_start: s0, bed_end: s1, suspended: s2, exported: s3, added: s4, eroded: s5 };
        Some(Self { steps: steps as u64, time, ledger: Ledger { water, solids } })
    }
}

/// Whether two scenes make the same run; a longer run may go on from a shorter one, one that went wild with a shorter
/// time step, outputs may differ, and files may be called differently (their content is compared by itself).
fn same_run(a: &Scene, b: &Scene) -> bool {
    let essence = |scene: &Scene| {
        let mut scene = scene.clone();
        scene.title.clear();
        scene.output = Output::default();
        (scene.camera, scene.picture) = (CameraTable::default(), PictureTable::default());
        (scene.time.steps, scene.time.duration) = (0, None);
        let params = &mut scene.solver.params;
        (params.dt, params.safety, params.max_dt) = (None, 0.0, 0.0);
        for (_, file) in scene.files_mut() {
            file.clear();
        }
        scene
    };
    essence(a) == essence(b)
}

/// The terrain of a project at full resolution, before anything happened; `notices` gets what had to be assumed.
pub fn start_ground(
    project: &Project,
    max_bytes: u64,
    notices: &mut Vec<String>,
) -> Result<Heightfield, SetupError> {
    let (scene, terrain) = (&project.scene, &project.scene.terrain);
    let enough = |[cols, rows]: [usize; 2], path: &str| {
        let solver = Pipes::memory(cols, rows, &scene.solver.params);
        let need = solver.saturating_add((cols as u64 * rows as u64).saturating_mul(BYTES_BESIDE));
        let (need_mib, limit_mib) = (need >> 20, max_bytes >> 20);
        if need > max_bytes {
            Err(SetupError::Memory { place: project.place_of(path), cols, rows, need_mib, limit_mib })
        } else {
            Ok(())
        }
    };
    let Some(file) = &terrain.file else {
        let [cols, rows] = terrain.size.unwrap_or(Terrain::SIZE);
        enough([cols, rows], "terrain.size")?;
        let cell = terrain.cell.unwrap_or(Terrain::CELL);
        return Ok(terrain.recipe().build(cols, rows, cell, scene.seed));
    };
    let options = ReadOptions {
        cell: terrain.cell,
        height_range: terrain.height_range,
        max_bytes,
        ..ReadOptions::default()
    };
    let path = inside(project, file, "terrain.file")?;
    let unreadable = |source| SetupError::Read { place: project.place_of("terrain.file"), source };
    let estimate = thalweg_io::estimate(&path, &options).map_err(unreadable)?;
    match terrain.size {
        Some(size) => enough(size, "terrain.size")?,
        None => enough([estimate.cols, estimate.rows], "terrain.file")?,
    }
    let imported = read_heightfield(&path, &options).map_err(unreadable)?;
    notices.extend(imported.notices.iter().map(|notice| format!("{file}: {notice}")));
    Ok(match terrain.size {
        Some([cols, rows]) => resample(&imported.field, cols, rows),
        None => imported.field,
    })
}

/// The path of a file that the scene names. A link must not lead out of the scene's folder either.
fn inside(project: &Project, file: &str, key: &str) -> Result<PathBuf, SetupError> {
    let path = project.folder.join(file);
    let folder = if project.folder.as_os_str().is_empty() { Path::new(".") } else { &project.folder };
    let (Ok(whole), Ok(folder)) = (path.canonicalize(), folder.canonicalize()) else {
        return Ok(path); // reading it will tell what is wrong
    };
    if whole.starts_with(folder) {
        return Ok(path);
    }
    let message = format!(
        "\"{file}\" is a link that leads outside the scene's folder, to {}; copy the file beside the scene",
        whole.display()
    );
    Err(SetupError::complaints(project, vec![Complaint { path: key.into(), message }]))
}

impl Site {
    fn new(project: &Project, max_bytes: u64, notices: &mut Vec<String>) -> Result<Self, SetupError> {
        let scene = &project.scene;
        let ground = start_ground(project, max_bytes, notices)?;
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        // Images that weigh something: black is 0, white is 1, stretched over the terrain.
        let mut weights = |file: &str, key: &str| -> Result<Grid2<f32>, SetupError> {
            let options = ReadOptions {
                cell: Some(1.0),
                height_range: Some([0.0, 1.0]),
                max_bytes,
                ..ReadOptions::default()
            };
            let imported = read_heightfield(&inside(project, file, key)?, &options)
                .map_err(|source| SetupError::Read { place: project.place_of(key), source })?;
            let worth = |notice: &&Notice| !matches!(notice, Notice::EightBit | Notice::FewLevels { .. });
            notices.extend(imported.notices.iter().filter(worth).map(|notice| format!("{file}: {notice}")));
            Ok(resample(&imported.field, cols, rows).height.map(|v| v.clamp(0.0, 1.0)))
        };
        let softness = match &scene.terrain.hardness {
            None => None,
            Some(hardness) => {
                let hard = match &hardness.file {
                    Some(file) => weights(file, "terrain.hardness.file")?,
                    None => {
                        let recipe = Recipe { layers: hardness.layers.clone(), island: None };
                        recipe.build(cols, rows, ground.frame.cell, scene.seed.wrapping_add(1)).height
                    }
                };
                Some(hard.map(|h| 1.0 - h.clamp(0.0, 1.0)))
            }
        };
        let mut masks = Vec::new();
        for (i, rain) in scene.rain.iter().enumerate() {
            let mask = rain.mask.as_ref().map(|file| weights(file, &format!("rain[{i}].mask")));
            masks.push(mask.transpose()?);
        }
        Ok(Self { ground, softness, masks })
    }

    /// A number that another terrain, hardness or mask would not have (FNV-1a, 64 bits), as text.
    fn fingerprint(&self) -> String {
        let grids = std::iter::once(&self.ground.height)
            .chain(&self.softness)
            .chain(self.masks.iter().flatten())
            .flat_map(|grid| grid.values().iter().map(|v| u64::from(v.to_bits())));
        let numbers = grids.chain([self.ground.frame.cell.to_bits(), self.ground.height.cols() as u64]);
        let hash =
            numbers.fold(0xcbf2_9ce4_8422_2325_u64, |hash, n| (hash ^ n).wrapping_mul(0x0100_0000_01b3));
        format!("{hash:016x}")
    }

    /// The terrain of a pass, before anything happened.
    fn ground_of(&self, scene: &Scene, pass: usize) -> Heightfield {
        match scene.time.coarse.get(pass) {
            None => self.ground.clone(),
            Some(coarse) => {
                let size = |n: usize| (n / coarse.factor).max(1);
                resample(&self.ground, size(self.ground.height.cols()), size(self.ground.height.rows()))
            }
        }
    }

    /// Puts weather on a terrain, and the water given or that the scene begins with.
    fn flood(
        &self,
        scene: &Scene,
        ground: &Heightfield,
        water: Option<Grid2<f32>>,
    ) -> Result<Pipes, pipes::Invalid> {
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        let fit = |grid: &Grid2<f32>| -> Grid2<f32> {
            if grid.cols() == cols && grid.rows() == rows {
                return grid.clone();
            }
            let field = Heightfield { height: grid.clone(), frame: Frame::with_cell(1.0) };
            resample(&field, cols, rows).height.map(|v| v.max(0.0))
        };
        let window = |start, stop: Option<f64>| Window { start, stop: stop.unwrap_or(f64::INFINITY) };
        let rain = scene.rain.iter().zip(&self.masks).map(|(rain, mask)| pipes::Rain {
            fall: match rain.drops {
                Some(drops) => {
                    Fall::Drops { per_second: drops.per_second, depth: drops.depth, radius: drops.radius }
                }
                None => Fall::Steady { rate: rain.rate.unwrap_or(0.0) },
            },
            mask: mask.as_ref().map(fit),
            when: window(rain.start, rain.stop),
        });
        // A coarse terrain whose sides are not whole multiples of its cells is a little shorter or longer, and what
        // just touches a fine terrain may miss the cells of a coarse one: then it goes to the nearest.
        let (whole, here) = (self.ground.extent(), ground.extent());
        let placed = |source: &Source| {
            let at = [0, 1].map(|axis| source.at[axis] * (here[axis] / whole[axis]));
            let [col, row] = ground.cell_from_local(at);
            let index = |at: f64, count: usize| at.round().clamp(0.0, (count - 1) as f64) as usize;
            let nearest = ground.local_from_cell(index(col, cols), index(row, rows));
            let outside = (0..2).any(|axis| at[axis] < 0.0 || at[axis] > here[axis]);
            let misses = (at[0] - nearest[0]).hypot(at[1] - nearest[1]) > source.radius;
            if outside && misses { nearest } else { at }
        };
        let source = |source: &Source, sign: f64| pipes::Source {
            at: placed(source),
            rate: sign * source.rate,
            radius: source.radius,
            when: window(source.start, source.stop),
        };
        let weather = Weather {
            rain: rain.collect(),
            sources: scene
                .sources
                .iter()
                .map(|s| source(s, 1.0))
                .chain(scene.drains.iter().map(|s| source(s, -1.0)))
                .collect(),
            edges: scene.edges,
            water: water.or_else(|| (!scene.water.is_empty()).then(|| standing_water(scene, ground))),
            softness: self.softness.as_ref().map(fit),
            seed: scene.seed,
        };
        Pipes::new(ground, &scene.solver.params, &weather)
    }
}

/// Depth of the water that stands on the ground at the beginning [m].
fn standing_water(scene: &Scene, ground: &Heightfield) -> Grid2<f32> {
    Grid2::from_fn(ground.height.cols(), ground.height.rows(), |col, row| {
        let [east, north] = ground.local_from_cell(col, row);
        let inside = |pool: &&Pool| {
            (pool.from[0]..pool.to[0]).contains(&east) && (pool.from[1]..pool.to[1]).contains(&north)
        };
        let depth = |pool: &Pool| match pool.level {
            Some(level) => (level - f64::from(ground.height.at(col, row))).max(0.0),
            None => pool.depth.unwrap_or(0.0),
        };
        scene.water.iter().filter(inside).map(depth).fold(0.0, f64::max) as f32
    })
}
