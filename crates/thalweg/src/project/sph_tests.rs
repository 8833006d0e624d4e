//! What scenes of particles say, and what is said about wrong ones.

use super::tests::{mistakes, says};
use super::*;

/// Everything that belongs to particles, in people's units.
pub(super) const WHOLE: &str = r#"
    version = 1
    [terrain]
    size = [40, 30]
    cell = "10 cm"
    [solver]
    kind = "sph"
    preset = "kataev-2022"
    [solver.fluid]
    spacing = "5 cm"
    radius = "9 cm"
    mass = 0.12
    dt = "1 ms"
    [solver.bed]
    hold = "pressure"
    spacing = "4 cm"
    [solver.erosion]
    repose = "40 deg"
    critical_shear = 2.5
    [edges]
    east = "open"
    [[water]]
    depth = "30 cm"
    bottom = "1 m"
    from = [0, 0]
    to = [1, "50 cm"]
    velocity = ["1 m/s", 0, -0.5]
    sediment = "10 %"
    lifetime = "1 min"
    [[emitter]]
    shape = "box"
    from = [0, 0, 2]
    to = [1, 1, "2.5 m"]
    velocity = [0, 0, "-3.6 km/h"]
    [[emitter]]
    shape = "disc"
    at = [1, 1, "30 cm"]
    radius = "20 cm"
    above_bed = true
    velocity = [1, 0, 0]
    rate = "20 l/s"
    lifetime = "30 s"
    sediment = 0.2
    start = "1 s"
    stop = "2 s"
    [[emitter]]
    shape = "line"
    from = [0, 0, 1]
    to = [0, 2, 1]
    velocity = [1, 0, 0]
    [[sink]]
    from = [3, 0, -10]
    to = [4, 3, 10]
    [time]
    steps = 40
    [output]
    particles_every = 10
    particles = ["ply", "vtp"]
    surface = "glb"
"#;

#[test]
fn every_section_of_particles_survives_a_round_trip() {
    let scene = parse(WHOLE, "whole", &[]).unwrap();
    let params: thalweg_coupling::Params = scene.solver.first().params().unwrap();
    assert_eq!((params.fluid.spacing, params.fluid.radius, params.fluid.dt), (0.05, Some(0.09), Some(0.001)));
    // What is not written is the preset's, within sections too.
    assert_eq!((params.fluid.viscosity, params.erosion.max_fraction), (3.5, 0.7));
    assert_eq!(
        (params.erosion.critical_shear, params.bed.hold),
        (Some(2.5), thalweg_coupling::Hold::Pressure)
    );
    assert_eq!(scene.water[0].velocity, Some([1.0, 0.0, -0.5]));
    assert_eq!((scene.emitters[0].velocity, scene.emitters[1].rate), ([0.0, 0.0, -1.0], Some(0.02)));
    assert_eq!(scene.output.particles, [ParticleFormat::Ply, ParticleFormat::Vtp]);
    assert_eq!(scene.output.surface, [SurfaceFormat::Glb]);
    let text = toml::to_string_pretty(&scene).unwrap();
    assert_eq!(parse(&text, "again", &[]).unwrap(), scene, "{text}");
    let text = toml::to_string(&scene).unwrap();
    assert_eq!(toml::from_str::<Scene>(&text).unwrap(), scene, "{text}");
}

#[test]
fn every_preset_of_particles_can_be_read_and_written() {
    for (preset, _) in thalweg_coupling::Params::PRESETS {
        let text = format!("version = 1\n[solver]\nkind = 'sph'\npreset = '{preset}'");
        let scene = parse(&text, "a.toml", &[]).unwrap();
        let params = thalweg_coupling::Params::preset(preset).unwrap();
        assert_eq!(scene.solver.first().params::<thalweg_coupling::Params>().unwrap(), params);
        assert_eq!(parse(&toml::to_string_pretty(&scene).unwrap(), "again", &[]).unwrap(), scene);
    }
}

#[test]
fn what_the_program_chooses_for_particles_is_filled_in() {
    let text = "version = 1\n[solver]\nkind = 'sph'\n[output]\nparticles_every = 5\nsurface_every = 5";
    let scene = parse(text, "a.toml", &[]).unwrap();
    assert_eq!(
        (&scene.output.particles[..], &scene.output.surface[..]),
        (&[ParticleFormat::Ply][..], &[SurfaceFormat::Obj][..])
    );
    assert_eq!(scene.picture.particles.shape, Some(ShapeChoice::Surface));
    let changed = parse(text, "a.toml", &["picture.particles.shape=spheres".into()]).unwrap();
    assert_eq!(changed.picture.particles.shape, Some(ShapeChoice::Spheres));
    let spaced = format!("{text}\n[solver.fluid]\nspacing = '7 cm'");
    let water = parse(&spaced, "a.toml", &[]).unwrap().picture.water;
    assert_eq!((water.clear_depth, water.muddy), (Some(2.8), Some(0.05)));
    let said = ["picture.water.clear_depth=3 m".into(), "picture.water.muddy=1".into()];
    let look = parse(&spaced, "a.toml", &said).unwrap().picture.look();
    assert_eq!((look.relief.water_deep, look.water.muddy), (3.0, 1.0));
}

/// The whole text of the only mistake.
fn is_told(text: &str, told: &str) {
    let found = mistakes(&format!("version = 1\n[solver]\nkind = 'sph'\n{text}"), &[]);
    assert_eq!(found, [told], "{text}");
}

#[test]
fn parameters_that_cannot_be_are_told_with_their_place_and_the_right_range() {
    is_told(
        "[solver.fluid]\nspacing = 0.2\nradius = 0.1",
        "a.toml:6:10: solver.fluid.radius is 0.1; particles within it must be few dozens, not none and not \
         thousands: it lies between 0.2400 and 0.8000 m, 1.2 to 4 times the spacing of 0.2 m",
    );
    is_told(
        "[solver.fluid]\nradius = '-1 cm'",
        "a.toml:5:10: solver.fluid.radius is -0.01 m; it must lie between 1e-5 and 4000 m (2.2 times the spacing is right)",
    );
    is_told(
        "[solver.fluid]\nspacing = 0.1\nmass = 20",
        "a.toml:6:8: solver.fluid.mass is 20; particles 0.1 m apart that fill space with 1000 kg/m³ weigh about \
         1.0000e0 kg each; leave mass out, or change spacing or density",
    );
    is_told(
        "[solver.fluid]\nmax_particles = 1000000000",
        "a.toml:5:17: solver.fluid.max_particles is 1e9; it must lie between 1 and 1e8 (a larger spacing for more \
         water)",
    );
}

#[test]
fn misspelt_keys_of_particles_are_told_with_the_right_ones() {
    for (text, place, near) in [
        ("[solver.fluid]\nviscosty = 1", "5:1", "viscosity"),
        ("[solver.erosion]\ncritical_sheer = 1", "5:1", "critical_shear"),
        ("[solver.bed]\nfrictoin = 1", "5:1", "friction"),
        ("[solver.flud]\nviscosity = 1", "4:9", "fluid"),
        ("pre_set = 'thalweg'", "4:1", "preset"),
        (
            "[[emitter]]\nshape = 'line'\nfrom = [0, 0, 0]\nto = [0, 1, 0]\nvelocity = [1, 0, 0]\nraet = 1",
            "9:1",
            "rate",
        ),
        ("[[sink]]\nfrom = [0, 0, 0]\nto = [1, 1, 1]\nfro = 1", "7:1", "from"),
        ("[[water]]\ndepth = 1\nsedimnet = 1", "6:1", "sediment"),
        ("[output]\nparticle_every = 1", "5:1", "particles_every"),
    ] {
        let text = format!("version = 1\n[solver]\nkind = 'sph'\n{text}");
        let found = mistakes(&text, &[]);
        let right = found.len() == 1
            && found[0].starts_with(&format!("a.toml:{place}: unknown field "))
            && found[0].ends_with(&format!("did you mean `{near}`?"));
        assert!(right, "{text}\ngave {found:#?}");
    }
    let sph = |text: &str| format!("version = 1\n[solver]\nkind = 'sph'\n{text}");
    says(&sph("[output]\nparticles = 'plx'"), "5:13", &["output.particles", "did you mean `ply`?"]);
    says(&sph("[output]\nsurface = ['obj', 'gbl']"), "5:19", &["output.surface[1]", "did you mean `glb`?"]);
    says(
        &sph("[solver.fluid]\nequation = 'tate'"),
        "5:12",
        &["solver.fluid.equation", "did you mean `tait`?"],
    );
    says(&sph("[solver.fluid]\nspacing = '5 kg'"), "5:11", &["solver.fluid.spacing", "cm"]);
    says(&sph("[[sink]]\nfrom = [0, 0]\nto = [1, 1, 1]"), "5:8", &["sink[0].from", "length 3"]);
}

#[test]
fn presets_belong_to_their_method() {
    is_told(
        "preset = 'mei-2007'",
        "a.toml:4:10: solver.preset: unknown preset `mei-2007`, expected one of `thalweg`, `kelager-water`, \
         `kelager-honey`, `kelager-heavy`, `kataev-2022`, `kristof-2009` (this one is for kind = \"pipes\")",
    );
    says("version = 1\n[solver]\npreset = 'kristof-2009'", "3:10", &["`mei-2007`", "kind = \"sph\""]);
    is_told(
        "preset = 'kristof-2008'",
        "a.toml:4:10: solver.preset: unknown preset `kristof-2008`, expected one of `thalweg`, `kelager-water`, \
         `kelager-honey`, `kelager-heavy`, `kataev-2022`, `kristof-2009`; did you mean `kristof-2009`?",
    );
}

#[test]
fn what_the_other_method_knows_is_refused_with_what_to_use_instead() {
    is_told(
        "[[rain]]\nrate = '3 mm/h'",
        "a.toml:4:1: rain[0] is for kind = \"pipes\" or \"stream-power\", and this is \"sph\": a particle is far larger than a drop; \
         let water in with [[emitter]], or begin with [[water]]",
    );
    let sph = |text: &str| format!("version = 1\n[solver]\nkind = 'sph'\n{text}");
    says(&sph("[[source]]\nat = [0, 0]\nrate = 1"), "4:1", &["source[0]", "[[emitter]]"]);
    says(&sph("[[drain]]\nat = [0, 0]\nrate = 1"), "4:1", &["drain[0]", "[[sink]]"]);
    says(&sph("[[time.coarse]]\nfactor = 2\nsteps = 1"), "4:1", &["time.coarse[0]", "solver.fluid.spacing"]);
    says(&sph("[edges]\neast = { level = 3 }"), "5:8", &["edges.east", "\"closed\" or \"open\""]);

    let pipes = |text: &str| format!("version = 1\n{text}");
    let emitter = "[[emitter]]\nshape = 'disc'\nat = [0, 0, 0]\nradius = 1\nvelocity = [1, 0, 0]";
    says(&pipes(emitter), "2:1", &["emitter[0] is for kind = \"sph\"", "[[source]]"]);
    says(&pipes("[[sink]]\nfrom = [0, 0, 0]\nto = [1, 1, 1]"), "2:1", &["sink[0]", "[[drain]]"]);
    says(&pipes("[[water]]\ndepth = 1\nsediment = 0.1"), "4:12", &["water[0].sediment", "leave the key out"]);
    says(&pipes("[output]\nparticles_every = 3"), "3:19", &["output.particles_every", "no particles"]);
    says(&pipes("[output]\nsurface = 'obj'"), "3:11", &["output.surface is for kind = \"sph\""]);
}

#[test]
fn emitters_and_sinks_that_make_no_sense_are_told() {
    let emitter = |text: &str| {
        format!("version = 1\n[solver]\nkind = 'sph'\n[[emitter]]\nvelocity = [1, 0, 0]\n{text}")
    };
    says(&emitter("shape = 'disc'\nat = [0, 0, 0]"), "4:1", &["emitter[0].radius is missing", "\"disc\""]);
    says(&emitter("shape = 'line'\nfrom = [0, 0, 0]"), "4:1", &["emitter[0].to is missing", "\"line\""]);
    says(
        &emitter("shape = 'disc'\nat = [0, 0, 0]\nradius = 1\nto = [1, 1, 1]"),
        "9:6",
        &["no meaning", "\"box\" or \"line\""],
    );
    says(&emitter("shape = 'disc'\nat = [0, 0, 0]\nradius = 0"), "8:10", &["between 1e-6 and 1e9 m"]);
    says(&emitter("shape = 'box'\nfrom = [0, 0, 0]\nto = [1, 1, -1]"), "8:6", &["above"]);
    says(&emitter("shape = 'disk'\nat = [0, 0, 0]\nradius = 1"), "6:9", &["did you mean `disc`?"]);
    says(&emitter("shape = 'disc'\nat = [0, 0, 0]\nradius = 1\nsediment = 2"), "9:12", &["between 0 and 1"]);
    says(&emitter("shape = 'disc'\nat = [0, 0, 0]\nradius = 1\nlifetime = 0"), "9:12", &["last for ever"]);
    says(&emitter("shape = 'disc'\nat = [0, 0, 0]\nradius = 1\nstop = 0"), "9:8", &["after start"]);
    let sink = "version = 1\n[solver]\nkind = 'sph'\n[[sink]]\nfrom = [0, 0, 0]\nto = [0, 1, 1]";
    says(sink, "6:6", &["sink[0]", "east, north and above"]);
}

#[test]
fn obstacles_that_make_no_sense_are_told() {
    let obstacle = |text: &str| format!("version = 1\n[solver]\nkind = 'sph'\n[[obstacle]]\n{text}");
    says(&obstacle("shape = 'box'\nfrom = [0, 0, 0]"), "4:1", &["obstacle[0].to is missing", "\"box\""]);
    says(&obstacle("shape = 'mesh'"), "4:1", &["obstacle[0].file is missing", "\"mesh\""]);
    says(
        &obstacle("shape = 'box'\nfrom = [0, 0, 0]\nto = [1, 1, 1]\nscale = 2"),
        "8:9",
        &["no meaning", "\"mesh\""],
    );
    says(&obstacle("shape = 'box'\nfrom = [0, 0, 0]\nto = [1, 1, -1]"), "7:6", &["above"]);
    says(
        &obstacle("shape = 'box'\nfrom = [0, 0, 0]\nto = [1, 1, 1]\nlift = 2"),
        "8:8",
        &["without obstacle[0].opens"],
    );
    says(&obstacle("shape = 'boks'\nfrom = [0, 0, 0]"), "5:9", &["did you mean `box`?"]);
    let pipes = "version = 1\n[[obstacle]]\nshape = 'box'\nfrom = [0, 0, 0]\nto = [1, 1, 1]";
    says(pipes, "2:1", &["obstacle[0] is for kind = \"sph\"", "terrain"]);
}

#[test]
fn a_scene_can_be_changed_while_it_runs() {
    let scene = parse(WHOLE, "whole", &[]).unwrap();
    let changed = scene.with("solver.fluid.viscosity=7").unwrap();
    let Difference { path, left, right } = Difference::first(&scene, &changed).unwrap();
    assert_eq!((&*path, &*left, &*right), ("solver.fluid.viscosity", "3.5", "7.0"));
    let changed = scene.with("emitter.1.rate=30 l/s").unwrap();
    assert_eq!(Difference::first(&scene, &changed).unwrap().path, "emitter[1].rate");
    assert_eq!(Difference::first(&scene, &scene.with("time.steps=40").unwrap()), None);
    let wrong = scene.with("solver.fluid.viscosity=-1").unwrap_err().to_string();
    assert!(wrong.contains("between 0 and 1e8 Pa·s"), "{wrong}");
}
