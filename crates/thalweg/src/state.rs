//! Everything a run needs to go on.

use crate::project::{Project, Scene, Source};
use std::path::Path;
use thalweg_erosion::pipes::{self, Fall, Ledger, Pipes, Saved, Weather, Window};
use thalweg_field::{Field, FieldInfo, Frame, Grid2, Heightfield, Snapshot};
use thalweg_io::checkpoint::{Checkpoint, Section, SectionRef};
use thalweg_io::{Notice, ReadError, ReadOptions, read_heightfield};
use thalweg_terrain::analysis::slope;
use thalweg_terrain::{Recipe, resample};

/// Steps between two samples of flow and wetness.
const SAMPLE_EVERY: u64 = 64;
/// Water deeper than this counts as wet [m].
const WET: f32 = 0.01;

/// Why a scene cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A file it names cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A value does not fit the terrain.
    #[error("{0}")]
    Invalid(#[from] pipes::Invalid),
    /// Too large for this machine.
    #[error(
        "{cols} by {rows} cells need about {need_mib} MiB, but only {limit_mib} MiB may be used; \
         use a smaller terrain.size or raise --max-memory"
    )]
    Memory {
        /// Columns.
        cols: usize,
        /// Rows.
        rows: usize,
        /// Estimated need [MiB].
        need_mib: u64,
        /// The limit [MiB].
        limit_mib: u64,
    },
    /// A coarse pass would leave nothing.
    #[error(
        "time.coarse.factor is {factor}, but the terrain has only {cols} by {rows} cells; use a smaller factor"
    )]
    TooCoarse {
        /// The factor.
        factor: usize,
        /// Columns.
        cols: usize,
        /// Rows.
        rows: usize,
    },
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
    /// Steps taken by all passes.
    step: u64,
    /// Simulated time of all passes [s].
    time: f64,
    /// The books of the passes that are over.
    past: Option<Ledger>,
    /// Time-weighted sums of discharge per width and of being wet, and the time they cover.
    flow: Grid2<f32>,
    wet: Grid2<f32>,
    sampled: f64,
    last_sample: f64,
    /// What was assumed or repaired while reading files.
    pub notices: Vec<Notice>,
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
        let site = Site::new(&scene, &project.folder, max_bytes, &mut notices)?;
        let (cols, rows) = (site.ground.height.cols(), site.ground.height.rows());
        for coarse in &scene.time.coarse {
            if cols / coarse.factor < 2 || rows / coarse.factor < 2 {
                return Err(SetupError::TooCoarse { factor: coarse.factor, cols, rows });
            }
        }
        let ground = site.coarse_ground(&scene, 0);
        let pipes = site.flood(&scene, &ground, None)?;
        let empty = Grid2::filled(ground.height.cols(), ground.height.rows(), 0.0);
        Ok(Self {
            pipes,
            site,
            pass: 0,
            step: 0,
            time: 0.0,
            past: None,
            flow: empty.clone(),
            wet: empty,
            sampled: 0.0,
            last_sample: 0.0,
            notices,
            scene,
        })
    }

    /// The terrain before anything happened, at full resolution.
    pub fn start(&self) -> &Heightfield {
        &self.site.ground
    }

    /// The scene it runs.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Steps taken by all passes.
    pub fn steps_taken(&self) -> u64 {
        self.step
    }

    /// Simulated time of all passes [s].
    pub fn time(&self) -> f64 {
        self.time
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

    /// Steps until something has to be looked at: a sample, the end of a pass.
    pub fn steps_to_next_look(&self) -> u64 {
        let taken = self.pipes.steps_taken();
        (SAMPLE_EVERY - taken % SAMPLE_EVERY).min(self.pass_steps() - taken)
    }

    /// Whether all passes are over.
    pub fn is_over(&self) -> bool {
        let last = self.pass == self.scene.time.coarse.len();
        let late = last && self.scene.time.duration.is_some_and(|duration| self.pipes.time() >= duration);
        last && (self.pipes.steps_taken() >= self.pass_steps() || late)
    }

    /// Notes steps that a stage has taken: samples the flow, and moves on to the next pass when one is over.
    pub fn note(&mut self, steps: u64, simulated: f64) -> Result<(), SetupError> {
        self.step += steps;
        self.time += simulated;
        if self.pipes.steps_taken().is_multiple_of(SAMPLE_EVERY) {
            self.sample();
        }
        if self.pass < self.scene.time.coarse.len() && self.pipes.steps_taken() >= self.pass_steps() {
            self.refine()?;
        }
        Ok(())
    }

    fn sample(&mut self) {
        let span = self.pipes.time() - self.last_sample;
        self.last_sample = self.pipes.time();
        self.sampled += span;
        let (depth, discharge) = (self.pipes.depth(), self.pipes.discharge());
        let span = span as f32;
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
    fn refine(&mut self) -> Result<(), SetupError> {
        let ledger = self.ledger();
        let eroded = self.settled_ground();
        let detail = self.scene.time.coarse[self.pass].detail as f32;
        let before = self.site.coarse_ground(&self.scene, self.pass);
        self.pass += 1;
        let own = self.site.coarse_ground(&self.scene, self.pass);
        let (cols, rows) = (own.height.cols(), own.height.rows());
        let smooth = resample(&before, cols, rows);
        let mut ground = resample(&eroded, cols, rows);
        for (i, height) in ground.height.values_mut().iter_mut().enumerate() {
            *height += detail * (own.height.values()[i] - smooth.height.values()[i]);
        }
        ground.frame = own.frame;
        self.past = Some(ledger);
        let water = Heightfield { height: self.pipes.depth(), frame: eroded.frame };
        let water = resample(&water, cols, rows).height.map(|d| d.max(0.0));
        self.pipes = self.site.flood(&self.scene, &ground, Some(water))?;
        let empty = Grid2::filled(cols, rows, 0.0);
        (self.flow, self.wet) = (empty.clone(), empty);
        (self.sampled, self.last_sample) = (0.0, 0.0);
        Ok(())
    }

    /// The bed with everything that is afloat laid down where it is.
    pub fn settled_ground(&self) -> Heightfield {
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
        let Some(past) = &self.past else { return now };
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
        (snapshot.step, snapshot.time) = (self.step, self.time);
        let ground = self.settled_ground();
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        let start = self.site.coarse_ground(&self.scene, self.pass);
        let change = |sign: f32| {
            Grid2::from_fn(cols, rows, |c, r| {
                (sign * (ground.height.at(c, r) - start.height.at(c, r))).max(0.0)
            })
        };
        let per_time = if self.sampled > 0.0 { (1.0 / self.sampled) as f32 } else { 0.0 };
        let mut add = |name, unit, meaning, values| {
            snapshot.fields.push(Field { info: FieldInfo::new(name, unit, meaning), values })
        };
        add("erosion", "m", "ground lost since the beginning", change(-1.0));
        add("deposition", "m", "ground gained since the beginning", change(1.0));
        add("flow", "m²/s", "mean discharge per metre of width", self.flow.map(|v| v * per_time));
        add("wetness", "-", "share of the time under water", self.wet.map(|v| v * per_time));
        add("slope", "rad", "slope of the bed", slope(&ground));
        snapshot
    }

    /// Writes the state as a checkpoint into `folder`.
    pub fn save(
        &self,
        folder: &Path,
        name: &str,
    ) -> Result<std::path::PathBuf, thalweg_io::checkpoint::CheckpointError> {
        let Saved { size, step, numbers, accounts, cells } = self.pipes.save();
        let header = serde_json::json!({
            "thalweg": env!("CARGO_PKG_VERSION"),
            "scene": name,
            "text": toml::to_string(&self.scene).unwrap_or_default(),
            "pass": self.pass,
            "size": size,
            "pass_step": step,
            "step": self.step,
        });
        let past = self.past.map_or(Vec::new(), |Ledger { water: w, solids: s }| {
            vec![
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
        });
        let clock = [self.time, self.sampled, self.last_sample];
        thalweg_io::checkpoint::rotate(
            folder,
            self.step,
            &header,
            &[
                ("numbers", SectionRef::F64(&numbers)),
                ("accounts", SectionRef::F64(&accounts)),
                ("cells", SectionRef::F32(&cells)),
                ("past", SectionRef::F64(&past)),
                ("clock", SectionRef::F64(&clock)),
                ("flow", SectionRef::F32(self.flow.values())),
                ("wet", SectionRef::F32(self.wet.values())),
            ],
        )
    }

    /// Goes back to a checkpoint of the same scene; the text says why not.
    pub fn restore(&mut self, checkpoint: Checkpoint) -> Result<(), String> {
        let header = checkpoint.header;
        let number = |key: &str| header[key].as_u64().ok_or_else(|| format!("its header lacks \"{key}\""));
        let saved: Scene = header["text"]
            .as_str()
            .and_then(|text| toml::from_str(text).ok())
            .ok_or("its header holds no scene of this version")?;
        if !same_run(&saved, &self.scene) {
            return Err("it belongs to a run with another scene or other settings; run without --resume, or with the settings it had".into());
        }
        let [mut numbers, mut accounts, mut past, mut clock] = [const { None }; 4];
        let [mut cells, mut flow, mut wet] = [const { None }; 3];
        for (name, section) in checkpoint.sections {
            match (name.as_str(), section) {
                ("numbers", Section::F64(values)) => numbers = Some(values),
                ("accounts", Section::F64(values)) => accounts = Some(values),
                ("past", Section::F64(values)) => past = Some(values),
                ("clock", Section::F64(values)) => clock = Some(values),
                ("cells", Section::F32(values)) => cells = Some(values),
                ("flow", Section::F32(values)) => flow = Some(values),
                ("wet", Section::F32(values)) => wet = Some(values),
                _ => {}
            }
        }
        let missing = "a part of the state is missing";
        let pass = number("pass")? as usize;
        if pass > self.scene.time.coarse.len() {
            return Err("it counts more passes than the scene has".into());
        }
        let ground = self.site.coarse_ground(&self.scene, pass);
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        let mut pipes = self.site.flood(&self.scene, &ground, None).map_err(|error| error.to_string())?;
        let saved = Saved {
            size: [cols, rows],
            step: number("pass_step")?,
            numbers: numbers.ok_or(missing)?,
            accounts: accounts.ok_or(missing)?,
            cells: cells.ok_or(missing)?,
        };
        if !pipes.restore(&saved) {
            return Err("its state does not fit the terrain".into());
        }
        let grid = |values: Option<Vec<f32>>| {
            values.and_then(|values| Grid2::from_values(cols, rows, values)).ok_or(missing)
        };
        (self.flow, self.wet) = (grid(flow)?, grid(wet)?);
        self.past = match past.ok_or(missing)?[..] {
            [] => None,
            [w0, w1, w2, w3, w4, s0, s1, s2, s3, s4, s5] => Some(Ledger {
                water: pipes::Water { start: w0, added: w1, evaporated: w2, exported: w3, end: w4 },
                solids: pipes::Solids {
                    bed_start: s0,
                    bed_end: s1,
                    suspended: s2,
                    exported: s3,
                    added: s4,
                    eroded: s5,
                },
            }),
            _ => return Err(missing.into()),
        };
        [self.time, self.sampled, self.last_sample] =
            clock.and_then(|clock| clock.try_into().ok()).ok_or(missing)?;
        (self.pass, self.step) = (pass, number("step")?);
        self.pipes = pipes;
        Ok(())
    }
}

/// Whether two scenes make the same run; a longer run may go on from a shorter one, and outputs may differ.
fn same_run(a: &Scene, b: &Scene) -> bool {
    let essence = |scene: &Scene| {
        let mut scene = scene.clone();
        scene.title.clear();
        scene.output = crate::project::Output::default();
        scene.time.steps = 0;
        scene.time.duration = None;
        scene
    };
    essence(a) == essence(b)
}

impl Site {
    fn new(
        scene: &Scene,
        folder: &Path,
        max_bytes: u64,
        notices: &mut Vec<Notice>,
    ) -> Result<Self, SetupError> {
        let terrain = &scene.terrain;
        let enough = |[cols, rows]: [usize; 2]| {
            let solver = Pipes::memory(cols, rows, &scene.solver.params);
            let need = solver.saturating_add((cols as u64 * rows as u64).saturating_mul(BYTES_BESIDE));
            let (need_mib, limit_mib) = (need >> 20, max_bytes >> 20);
            if need > max_bytes {
                Err(SetupError::Memory { cols, rows, need_mib, limit_mib })
            } else {
                Ok(())
            }
        };
        let ground = match &terrain.file {
            Some(file) => {
                let path = folder.join(file);
                let options = ReadOptions {
                    cell: terrain.cell,
                    height_range: terrain.height_range,
                    max_bytes,
                    ..ReadOptions::default()
                };
                let estimate = thalweg_io::estimate(&path, &options)?;
                enough(terrain.size.unwrap_or([estimate.cols, estimate.rows]))?;
                let imported = read_heightfield(&path, &options)?;
                notices.extend(imported.notices);
                match terrain.size {
                    Some([cols, rows]) => resample(&imported.field, cols, rows),
                    None => imported.field,
                }
            }
            None => {
                let size = terrain.size.unwrap_or(crate::project::Terrain::SIZE);
                enough(size)?;
                terrain.recipe().build(
                    size[0],
                    size[1],
                    terrain.cell.unwrap_or(crate::project::Terrain::CELL),
                    scene.seed,
                )
            }
        };
        let (cols, rows) = (ground.height.cols(), ground.height.rows());
        // Images that weigh something: black is 0, white is 1, stretched over the terrain.
        let mut weights = |file: &str| -> Result<Grid2<f32>, SetupError> {
            let options = ReadOptions {
                cell: Some(1.0),
                height_range: Some([0.0, 1.0]),
                max_bytes,
                ..ReadOptions::default()
            };
            let imported = read_heightfield(&folder.join(file), &options)?;
            notices.extend(
                imported
                    .notices
                    .into_iter()
                    .filter(|notice| !matches!(notice, Notice::EightBit | Notice::FewLevels { .. })),
            );
            Ok(resample(&imported.field, cols, rows).height.map(|v| v.clamp(0.0, 1.0)))
        };
        let softness = match &terrain.hardness {
            None => None,
            Some(hardness) => {
                let hard = match &hardness.file {
                    Some(file) => weights(file)?,
                    None => {
                        let recipe = Recipe { layers: hardness.layers.clone(), island: None };
                        recipe.build(cols, rows, ground.frame.cell, scene.seed.wrapping_add(1)).height
                    }
                };
                Some(hard.map(|h| 1.0 - h.clamp(0.0, 1.0)))
            }
        };
        let masks = scene.rain.iter().map(|rain| rain.mask.as_deref().map(&mut weights).transpose());
        let masks = masks.collect::<Result<_, _>>()?;
        Ok(Self { ground, softness, masks })
    }

    /// The terrain of a pass, before anything happened.
    fn coarse_ground(&self, scene: &Scene, pass: usize) -> Heightfield {
        self.at_pass(scene, pass, &self.ground)
    }

    fn at_pass(&self, scene: &Scene, pass: usize, ground: &Heightfield) -> Heightfield {
        match scene.time.coarse.get(pass) {
            None => ground.clone(),
            Some(coarse) => {
                let size = |n: usize| (n / coarse.factor).max(1);
                resample(ground, size(ground.height.cols()), size(ground.height.rows()))
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
        let source = |source: &Source, sign: f64| pipes::Source {
            at: source.at,
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
        let inside = |pool: &&crate::project::Pool| {
            (pool.from[0]..pool.to[0]).contains(&east) && (pool.from[1]..pool.to[1]).contains(&north)
        };
        let depth = |pool: &crate::project::Pool| match pool.level {
            Some(level) => (level - f64::from(ground.height.at(col, row))).max(0.0),
            None => pool.depth.unwrap_or(0.0),
        };
        scene.water.iter().filter(inside).map(depth).fold(0.0, f64::max) as f32
    })
}
