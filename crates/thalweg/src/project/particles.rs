//! What belongs to which method, and whether emitters and sinks make sense.

use super::check::{Complaints, check_window};
use super::schema::Scene;
use super::{Emitter, EmitterShape};

impl Scene {
    /// Complains about what the method knows nothing of.
    pub(super) fn check_method(&self, found: &mut Complaints) {
        let method = self.solver.method();
        found.extend((method.check)(self));
        let there = self.belongings().into_iter().filter(|(_, _, there)| *there);
        found.extend(there.filter_map(|(section, path, _)| method.misplaced(section, &path)));
    }

    /// Everything that not every method knows: what it belongs to, its path, and whether it is there.
    fn belongings(&self) -> Vec<(&'static str, String, bool)> {
        let output = &self.output;
        let mut all = vec![
            ("rain", "rain[0]".into(), !self.rain.is_empty()),
            ("source", "source[0]".into(), !self.sources.is_empty()),
            ("drain", "drain[0]".into(), !self.drains.is_empty()),
            ("time.coarse", "time.coarse[0]".into(), !self.time.coarse.is_empty()),
            ("emitter", "emitter[0]".into(), !self.emitters.is_empty()),
            ("sink", "sink[0]".into(), !self.sinks.is_empty()),
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
            all.push(("output.particles", format!("output.{key}"), there));
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

fn check_box(found: &mut Complaints, from: [f64; 3], to: [f64; 3], path: &str) {
    found.unless((0..3).all(|axis| to[axis] > from[axis]), format!("{path}.to"), || {
        format!("{path} is from {from:?} to {to:?}; \"to\" must lie east, north and above of \"from\"")
    });
}
