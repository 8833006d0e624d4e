//! The gallery: runs the built-in scenes, draws them, and writes docs/gallery.md.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::run;

/// A picture: its file, what it shows, and the arguments of `thalweg render`. `RUN/` stands for the folder
/// that holds the runs.
struct Figure {
    file: &'static str,
    about: &'static str,
    render: &'static [&'static str],
}

/// Scenes that are run first, and with which settings: the largest with a wider spacing and until all its falls are there, in minutes instead of
/// hours.
const SCENES: [(&str, &[&str]); 30] = [
    ("demo", &[]),
    ("mountain", &[]),
    ("mountain-rain", &[]),
    ("river-detail", &[]),
    ("dam-break-2d", &[]),
    ("tujunga", &[]),
    ("pool", &[]),
    ("fluid-water", &[]),
    ("fluid-honey", &[]),
    ("fluid-heavy", &[]),
    ("dam-break", &[]),
    ("settling", &[]),
    ("diffusion", &[]),
    ("ditch", &[]),
    ("meander", &[]),
    ("canyon", &[]),
    ("lake", &[]),
    ("arch", &[]),
    ("cavern", &[]),
    ("spring-in-cave", &[]),
    ("peak-before-after", &[]),
    ("ocean", &["time.duration=10 s"]),
    ("wave-pool", &["time.duration=5 s"]),
    ("fleet", &[]),
    ("lighthouse", &[]),
    ("harbour", &[]),
    ("beach", &[]),
    ("lake-boats", &["time.duration=30 s"]),
    ("particles-max", &["time.duration=12 s"]),
    ("waterfall", &["solver.fluid.spacing=20 cm", "solver.fluid.damping=0.03", "time.duration=7 s"]),
];

const FIGURES: [Figure; 50] = [
    Figure {
        file: "demo.jpg",
        about: "`demo`: mountains after rain has worked on them",
        render: &["RUN/demo"],
    },
    Figure {
        file: "demo_evening.jpg",
        about: "The same from a valley, in the evening",
        render: &[
            "RUN/demo",
            "--camera",
            "fly:1500,-900,1500,28,12",
            "--look",
            "sun_elevation=11 deg",
            "--look",
            "sun_azimuth=288 deg",
            "--look",
            "haze=0.5",
            "--look",
            "scale_bar=false",
            "--look",
            "north_arrow=false",
        ],
    },
    Figure {
        file: "demo_change.jpg",
        about: "Where ground went (red) and where it came to rest (blue)",
        render: &["RUN/demo", "--overlay", "erosion-deposition"],
    },
    Figure { file: "demo_flow.jpg", about: "Discharge", render: &["RUN/demo", "--overlay", "flow"] },
    Figure {
        file: "demo_slope.jpg",
        about: "Slope, from above",
        render: &["RUN/demo", "--overlay", "slope", "--camera", "top"],
    },
    Figure {
        file: "demo_wireframe.jpg",
        about: "The triangles: coarser with distance",
        render: &[
            "RUN/demo",
            "--look",
            "wireframe=true",
            "--look",
            "grid=true",
            "--look",
            "triangle_size=8",
            "--camera",
            "30,22",
        ],
    },
    Figure {
        file: "demo_phong.jpg",
        about: "The plain light of Phong",
        render: &["RUN/demo", "--look", "light=phong", "--look", "sky=false"],
    },
    Figure {
        file: "demo_sheet.jpg",
        about: "A contact sheet, `--sheet`",
        render: &["RUN/demo", "--sheet", "--size", "1440x810"],
    },
    Figure {
        file: "mountain.jpg",
        about: "`mountain`: Voronoi mountains with a river source",
        render: &["RUN/mountain"],
    },
    Figure {
        file: "mountain_before_after.jpg",
        about: "Before and after, `--before-after`",
        render: &["RUN/mountain", "--before-after", "--size", "640x480"],
    },
    Figure {
        file: "mountain_rain.jpg",
        about: "`mountain-rain`: the same under rain alone",
        render: &["RUN/mountain-rain", "--camera", "330,30"],
    },
    Figure {
        file: "river.jpg",
        about: "`river-detail`: a river finds its way over detailed ground",
        render: &["RUN/river-detail"],
    },
    Figure {
        file: "dam_break.jpg",
        about: "`dam-break-2d`: water rushes around a hill",
        render: &["RUN/dam-break-2d"],
    },
    Figure {
        file: "dam_break_speed.jpg",
        about: "Its speed",
        render: &["RUN/dam-break-2d", "--overlay", "speed"],
    },
    Figure {
        file: "tujunga.jpg",
        about: "`tujunga`: a storm over a real landscape",
        render: &["RUN/tujunga"],
    },
    Figure {
        file: "pool.jpg",
        about: "`pool`: rings on a pond, nets of light on its bed",
        render: &["RUN/pool"],
    },
    Figure {
        file: "lake.jpg",
        about: "`lake-at-rest`: water that stays where it is",
        render: &["lake-at-rest"],
    },
    Figure {
        file: "fluid_water.jpg",
        about: "`fluid-water`: a thousand particles of water have dropped into a box",
        render: &["RUN/fluid-water"],
    },
    Figure {
        file: "fluid_honey.jpg",
        about: "`fluid-honey`: the same with the viscosity of honey",
        render: &["RUN/fluid-honey"],
    },
    Figure {
        file: "fluid_heavy.jpg",
        about: "`fluid-heavy`: the same with heavier particles",
        render: &["RUN/fluid-heavy"],
    },
    Figure {
        file: "dam_break_particles.jpg",
        about: "`dam-break`: a column of particles has collapsed in a tank, coloured by speed",
        render: &["RUN/dam-break"],
    },
    Figure {
        file: "settling.jpg",
        about: "`settling`: mud sinks from one particle through still water",
        render: &["RUN/settling"],
    },
    Figure {
        file: "diffusion.jpg",
        about: "`diffusion`: mud spreads from one particle in still water",
        render: &["RUN/diffusion"],
    },
    Figure {
        file: "ditch.jpg",
        about: "`ditch`: 200 000 particles have sloshed through a ditch",
        render: &["RUN/ditch"],
    },
    Figure {
        file: "ditch_before_after.jpg",
        about: "Its ground alone: the ridge has gone",
        render: &[
            "RUN/ditch",
            "--before-after",
            "--look",
            "particles.shape=hidden",
            "--look",
            "water.visible=false",
            "--size",
            "640x360",
        ],
    },
    Figure {
        file: "meander.jpg",
        about: "`meander`: a stream erodes the meander that it has reached",
        render: &["RUN/meander"],
    },
    Figure {
        file: "canyon.jpg",
        about: "`canyon`: a river digs its channel through a canyon",
        render: &["RUN/canyon"],
    },
    Figure {
        file: "lake_outlet.jpg",
        about: "`lake`: a lake overflows and cuts an outlet",
        render: &["RUN/lake"],
    },
    Figure {
        file: "waterfall.jpg",
        about: "`waterfall`: two sources fall over three steps of rock",
        render: &["RUN/waterfall"],
    },
    Figure {
        file: "waterfall_erosion.jpg",
        about: "What they have taken away",
        render: &[
            "RUN/waterfall",
            "--overlay",
            "erosion",
            "--look",
            "particles.shape=hidden",
            "--look",
            "water.visible=false",
        ],
    },
    Figure {
        file: "particles.jpg",
        about: "Particles as spheres, coloured by their speed",
        render: &["RUN/wave.ply", "--colour", "speed", "--camera", "24,24"],
    },
    Figure {
        file: "particles_fluid.jpg",
        about: "The same as the surface of a fluid, smoothed in the picture",
        render: &["RUN/wave.ply", "--particles", "surface", "--camera", "24,24"],
    },
    Figure {
        file: "particles_mesh.jpg",
        about: "The same as a mesh",
        render: &["RUN/wave.ply", "--particles", "mesh", "--camera", "24,24"],
    },
    Figure {
        file: "noise_peaks.jpg",
        about: "`terrain-noise-peaks`: a volume of layered noise, meadows below and ice above",
        render: &["terrain-noise-peaks"],
    },
    Figure {
        file: "noise_overhangs.jpg",
        about: "`terrain-noise-overhangs`: noise tears the ground into overhangs and arches",
        render: &["terrain-noise-overhangs"],
    },
    Figure {
        file: "noise_islands.jpg",
        about: "`terrain-noise-islands`: hardly any bias leaves towers, bridges and crags that float",
        render: &["terrain-noise-islands"],
    },
    Figure {
        file: "noise_terraces.jpg",
        about: "`terrain-noise-terraces`: mesas with terraces, in beds of rock",
        render: &["terrain-noise-terraces"],
    },
    Figure {
        file: "cavern.jpg",
        about: "`cavern`: a stream falls through a hole in the roof of a chamber, sawn through, into the lake between its pillars",
        render: &["RUN/cavern"],
    },
    Figure { file: "arch.jpg", about: "`arch`: a fin of sandstone with a window", render: &["arch"] },
    Figure {
        file: "spring_in_cave.jpg",
        about: "`spring-in-cave`: a spring leaves the mouth of a cave, high above a pool, and falls",
        render: &["RUN/spring-in-cave"],
    },
    Figure {
        file: "arch_before_after.jpg",
        about: "The overhang of `arch` before a stream beat against it, and after: it is through",
        render: &["RUN/arch", "--before-after", "--look", "particles.shape=hidden", "--size", "640x360"],
    },
    Figure {
        file: "peak_before_after.jpg",
        about: "`peak-before-after`: a peak before water ran down from its top, and after",
        render: &[
            "RUN/peak-before-after",
            "--before-after",
            "--look",
            "particles.shape=hidden",
            "--size",
            "640x360",
        ],
    },
    Figure {
        file: "ocean.jpg",
        about: "`ocean`: a boat turns on the open sea, its wake behind it",
        render: &["RUN/ocean"],
    },
    Figure {
        file: "wave_pool.jpg",
        about: "`wave-pool`: a ball has fallen into a pool, and rings go out",
        render: &["RUN/wave-pool"],
    },
    Figure {
        file: "fleet.jpg",
        about: "`fleet`: sixteen ships, each in the wakes of the others",
        render: &["RUN/fleet"],
    },
    Figure {
        file: "lighthouse.jpg",
        about: "`lighthouse`: boats lie off an island, and a ferry has passed",
        render: &["RUN/lighthouse"],
    },
    Figure {
        file: "harbour.jpg",
        about: "`harbour`: swell passes the heads of two moles and dies away behind them",
        render: &["RUN/harbour"],
    },
    Figure {
        file: "beach.jpg",
        about: "`beach`: swell turns towards a beach and breaks",
        render: &["RUN/beach"],
    },
    Figure {
        file: "lake_boats.jpg",
        about: "`lake-boats`: two boats on a lake that a river fills",
        render: &["RUN/lake-boats"],
    },
    Figure {
        file: "particles_max.jpg",
        about: "`particles-max`: rings of four balls fill a closed pool",
        render: &["RUN/particles-max"],
    },
];

/// The figures of Schmidberger 2024: its number, the scene, and the step.
const OF_001: [(&str, &str, &str); 6] = [
    ("06", "schmidberger-mountain", "0"),
    ("07", "schmidberger-mountain", "10000"),
    ("08", "schmidberger-mountain", "20000"),
    ("09", "schmidberger-mountain", "30000"),
    ("10", "schmidberger-rain", "150000"),
    ("11", "schmidberger-river", "5000"),
];

/// Size of a picture unless it says otherwise.
const SIZE: &str = "960x540";

/// Makes all pictures and the page that shows them.
pub(crate) fn figures() -> bool {
    let runs = Path::new("target/figures");
    let images = Path::new("docs/gallery");
    if let Err(error) = fs::create_dir_all(runs).and_then(|()| fs::create_dir_all(images)) {
        eprintln!("cannot make a folder: {error}");
        return false;
    }
    let done = fs::write(runs.join("wave.ply"), wave()).is_ok()
        && SCENES.iter().all(|(scene, settings)| {
            let out = runs.join(scene).display().to_string();
            let settings = settings.iter().flat_map(|setting| ["--set", setting]);
            let run = ["run", scene, "--out", &out, "--frames", "0", "--quiet", "--force"];
            thalweg(&run.into_iter().chain(settings).collect::<Vec<_>>())
        })
        && FIGURES.iter().all(|figure| draw(runs, images, figure));
    done && fs::write("docs/gallery.md", page()).is_ok()
}

/// Runs the three scenes of Schmidberger 2024 whole and draws their figures, without the water, for docs/methods/figures-001.md.
pub(crate) fn of_001() -> bool {
    let [runs, images] = [Path::new("target/figures"), Path::new("docs/images/figures-001")];
    if let Err(error) = fs::create_dir_all(runs).and_then(|()| fs::create_dir_all(images)) {
        eprintln!("cannot make a folder: {error}");
        return false;
    }
    let out = |scene: &str| runs.join(scene).display().to_string();
    let mut scenes = OF_001.map(|(_, scene, _)| scene).to_vec();
    scenes.dedup();
    let run_all = |scene: &&str| {
        thalweg(&[
            "run",
            scene,
            "--out",
            &out(scene),
            "--frames",
            "0",
            "--set",
            "output.pictures=false",
            "--force",
        ])
    };
    let draw = |(number, scene, step): &(&str, &str, &str)| {
        let file = images.join(format!("figure_{number}.jpg")).display().to_string();
        let look = ["--look", "water.visible=false", "--size", "800x500"];
        thalweg(&[&["render", &out(scene), "--step", step, "-o", &file], &look[..]].concat())
    };
    scenes.iter().all(run_all) && OF_001.iter().all(draw)
}

fn arguments(figure: &Figure, runs: &str, output: &str) -> Vec<String> {
    let mut args: Vec<String> = vec!["render".into()];
    args.extend(figure.render.iter().map(|arg| arg.replace("RUN", runs)));
    args.extend(["-o".into(), output.into()]);
    if !figure.render.contains(&"--size") {
        args.extend(["--size".into(), SIZE.into()]);
    }
    args
}

fn draw(runs: &Path, images: &Path, figure: &Figure) -> bool {
    let output = images.join(figure.file).display().to_string();
    let args = arguments(figure, &runs.display().to_string(), &output);
    thalweg(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

fn thalweg(args: &[&str]) -> bool {
    run("cargo", &[&["run", "--release", "--locked", "--quiet", "--"], args].concat())
}

fn page() -> String {
    let mut page = String::from(
        "# Gallery\n\nAll of these are made by `cargo xtask figures`, on any adapter; the command that draws each \
         stands below it.\nThe runs it draws are those of `thalweg run NAME --out out/NAME`; the large ones of particles take up to half an hour \
         each; but for these, which are shorter or have fewer particles:\n\n",
    );
    for (scene, settings) in SCENES.iter().filter(|(_, settings)| !settings.is_empty()) {
        let settings: String = settings.iter().map(|setting| format!(" --set \"{setting}\"")).collect();
        writeln!(page, "- `thalweg run {scene} --out out/{scene}{settings}`")
            .expect("text can always be added to");
    }
    for figure in &FIGURES {
        let command = arguments(figure, "out", figure.file)
            .iter()
            .map(|arg| if arg.contains(' ') { format!("\"{arg}\"") } else { arg.clone() })
            .collect::<Vec<_>>()
            .join(" ");
        write!(
            page,
            "\n![{}](gallery/{})\n\n{}: `thalweg {command}`\n",
            figure.about.replace('`', ""),
            figure.file,
            figure.about
        )
        .expect("text can always be added to");
    }
    page
}

/// Particles of a wave that runs up a tank and curls, as a PLY file with their speeds.
fn wave() -> String {
    const SPACING: f32 = 0.05;
    let mut lines = String::new();
    let mut count = 0;
    let steps = |length: f32| (length / SPACING) as i32;
    for i in 0..steps(6.0) {
        for j in 0..steps(3.0) {
            let (x, y) = (i as f32 * SPACING, j as f32 * SPACING);
            // A steep front at x = 4 m, ripples behind it, a shallow sheet before it.
            let front = 1.0 / (1.0 + ((x - 4.0 - 0.25 * (y * 2.1).sin()) * 5.0).exp());
            let top = 0.22 + front * (0.75 + 0.12 * (x * 2.6 + 0.5 * (y * 3.0).cos()).sin());
            for k in 0..steps(top) {
                let z = k as f32 * SPACING;
                let speed = 0.4 + 2.8 * (1.0 - (2.0 * front - 1.0).powi(2)) + 1.2 * z / top * front;
                writeln!(lines, "{x} {y} {z} {speed}").expect("text can always be added to");
                count += 1;
            }
        }
    }
    format!(
        "ply\nformat ascii 1.0\ncomment unit speed m/s\ncomment radius {}\nelement vertex {count}\n\
         property float x\nproperty float y\nproperty float z\nproperty float speed\nend_header\n{lines}",
        0.5 * SPACING
    )
}
