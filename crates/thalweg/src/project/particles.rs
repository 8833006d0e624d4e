//! What belongs to which method, and whether emitters and sinks make sense.

use super::check::{Complaints, check_window};
use super::schema::Scene;
use super::{Complaint, Emitter, EmitterShape, SolverTable};

impl Scene {
    /// Complains about what no method of it knows anything of.
    pub(super) fn check_method(&self, found: &mut Complaints) {
        let methods: Vec<_> = self.solver.iter().map(SolverTable::method).collect();
        for (i, method) in methods.iter().enumerate() {
            let alone = Self { solver: self.solver.only(i), ..self.clone() };
            // With several of them, each is known by its number.
            let numbered = |text: String| text.replacen("solver.", &format!("solver[{i}]."), 1);
            found.extend((method.check)(&alone).into_iter().map(|complaint| match methods.len() {
                1 => complaint,
                _ => Complaint { path: numbered(complaint.path), message: numbered(complaint.message) },
            }));
            let again = methods[..i].iter().any(|other| other.name == method.name);
            found.unless(!again, format!("solver[{i}].kind"), || {
                format!("solver[{i}].kind is \"{}\" again; each method runs once on a ground", method.name)
            });
        }
        for (section, path, _) in self.belongings().into_iter().filter(|(_, _, there)| *there) {
            // Keys of standing water are for the solver that has it.
            let pool =
                path.strip_prefix("water[").and_then(|rest| rest.split(']').next()?.parse::<usize>().ok());
            let owner = pool.and_then(|pool| self.water[pool].solver.as_ref());
            let owner = methods
                .iter()
                .find(|method| owner.is_some_and(|kind| method.name == kind))
                .unwrap_or(&methods[0]);
            let known = match pool {
                Some(_) => owner.understands.contains(&section),
                None => methods.iter().any(|method| method.understands.contains(&section)),
            };
            if !known {
                found.extend(owner.misplaced(section, &path));
            }
        }
        for (i, pool) in self.water.iter().enumerate() {
            let known =
                pool.solver.as_ref().is_none_or(|kind| methods.iter().any(|method| method.name == kind));
            found.unless(known, format!("water[{i}].solver"), || {
                let names: Vec<_> = methods.iter().map(|method| format!("\"{}\"", method.name)).collect();
                format!(
                    "water[{i}].solver is {:?}; this scene has {}",
                    pool.solver.as_deref().unwrap_or(""),
                    names.join(", ")
                )
            });
        }
        found.unless(methods.len() == 1 || self.time.coarse.is_empty(), "time.coarse", || {
            "passes over a coarser terrain are for a water alone; drop time.coarse, or all solvers but one".into()
        });
    }

    /// Everything that not every method knows: what it belongs to, its path, and whether it is there.
    fn belongings(&self) -> Vec<(&'static str, String, bool)> {
        let output = &self.output;
        let mut all = vec![
            ("terrain.volume", "terrain.volume".into(), self.terrain.volume.is_some()),
            ("rain", "rain[0]".into(), !self.rain.is_empty()),
            ("source", "source[0]".into(), !self.sources.is_empty()),
            ("drain", "drain[0]".into(), !self.drains.is_empty()),
            ("time.coarse", "time.coarse[0]".into(), !self.time.coarse.is_empty()),
            ("emitter", "emitter[0]".into(), !self.emitters.is_empty()),
            ("sink", "sink[0]".into(), !self.sinks.is_empty()),
            ("obstacle", "obstacle[0]".into(), !self.obstacles.is_empty()),
            ("probe", "probe[0]".into(), !self.probes.is_empty()),
            ("ocean", "ocean".into(), self.ocean.is_some()),
            ("body", "body[0]".into(), !self.bodies.is_empty()),
            ("wavemaker", "wavemaker[0]".into(), !self.wavemakers.is_empty()),
        ];
        for (i, pool) in self.water.iter().enumerate() {
            for (key, there) in [
                ("bottom", pool.bottom.is_some()),
                ("velocity", pool.velocity.is_some()),
                ("sediment", pool.sediment.is_some()),
                ("lifetime", pool.lifetime.is_some()),
            ] {
                all.push(("water.particles", format!("water[{i}].{key}"), there));
            }
        }
        for (key, there) in [
            ("particles_every", output.particles_every > 0),
            ("particles", !output.particles.is_empty()),
            ("surface_every", output.surface_every > 0),
            ("surface", !output.surface.is_empty()),
        ] {
            let what = if key.starts_with("surface") { "output.surface" } else { "output.particles" };
            all.push((what, format!("output.{key}"), there));
        }
        all
    }

    pub(super) fn check_emitters(&self, found: &mut Complaints) {
        for (i, emitter) in self.emitters.iter().enumerate() {
            check_emitter(found, emitter, &format!("emitter[{i}]"));
        }
        for (i, sink) in self.sinks.iter().enumerate() {
            let path = format!("sink[{i}]");
            check_box(found, sink.from, sink.to, &path);
        }
    }
}

fn check_emitter(found: &mut Complaints, emitter: &Emitter, path: &str) {
    let disc = emitter.shape == EmitterShape::Disc;
    for (key, there, needed, shapes) in [
        ("at", emitter.at.is_some(), disc, "\"disc\""),
        ("radius", emitter.radius.is_some(), disc, "\"disc\""),
        ("from", emitter.from.is_some(), !disc, "\"box\" or \"line\""),
        ("to", emitter.to.is_some(), !disc, "\"box\" or \"line\""),
    ] {
        let path = format!("{path}.{key}");
        found.unless(there || !needed, &path, || format!("{path} is missing; shape = {shapes} needs it"));
        found.unless(!there || needed, &path, || {
            format!("{path} has no meaning here; it is for shape = {shapes}")
        });
    }
    if let (EmitterShape::Box, Some(from), Some(to)) = (emitter.shape, emitter.from, emitter.to) {
        check_box(found, from, to, path);
    }
    check_window(found, path, emitter.start, emitter.stop);
}

pub(super) fn check_box(found: &mut Complaints, from: [f64; 3], to: [f64; 3], path: &str) {
    found.unless((0..3).all(|axis| to[axis] > from[axis]), format!("{path}.to"), || {
        format!("{path} is from {from:?} to {to:?}; \"to\" must lie east, north and above of \"from\"")
    });
}
