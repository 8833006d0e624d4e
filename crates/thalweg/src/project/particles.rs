//! What belongs to which method, and whether emitters and sinks make sense.

use super::check::{Complaints, check_window};
use super::schema::{Scene, SolverKind};
use super::{Emitter, EmitterShape};
use thalweg_erosion::pipes::Edge;

impl Scene {
    /// Complains about what the method knows nothing of.
    pub(super) fn check_method(&self, found: &mut Complaints) {
        let kind = self.solver.kind();
        for (path, there, right, advice) in self.belongings() {
            found.unless(!there || right == kind, &path, || {
                format!(
                    "{path} is for kind = \"{}\", and this is \"{}\": {advice}",
                    right.name(),
                    kind.name()
                )
            });
        }
        let edges = &self.edges;
        for (side, edge) in
            [("north", edges.north), ("east", edges.east), ("south", edges.south), ("west", edges.west)]
        {
            let path = format!("edges.{side}");
            found.unless(kind == SolverKind::Pipes || matches!(edge, Edge::Closed | Edge::Open), &path, || {
                format!(
                    "{path} is a reservoir, which particles cannot keep level; use \"closed\" or \"open\", \
                     and an [[emitter]] for the water that comes in"
                )
            });
        }
    }

    /// Everything that only one method knows: its path, whether it is there, the method, and what else to do.
    fn belongings(&self) -> Vec<(String, bool, SolverKind, &'static str)> {
        use SolverKind::{Pipes, Sph};
        let first = |name: &str| format!("{name}[0]");
        let output = &self.output;
        let mut all = vec![
            (
                first("rain"),
                !self.rain.is_empty(),
                Pipes,
                "a particle is far larger than a drop; let water in with [[emitter]], or begin with [[water]]",
            ),
            (
                first("source"),
                !self.sources.is_empty(),
                Pipes,
                "let water in with [[emitter]], which has a height and a velocity",
            ),
            (first("drain"), !self.drains.is_empty(), Pipes, "take water out with [[sink]]"),
            (
                "time.coarse[0]".into(),
                !self.time.coarse.is_empty(),
                Pipes,
                "particles cannot be refined; try things out with a larger solver.fluid.spacing",
            ),
            (first("emitter"), !self.emitters.is_empty(), Sph, "let water in with [[source]] or [[rain]]"),
            (first("sink"), !self.sinks.is_empty(), Sph, "take water out with [[drain]]"),
        ];
        for (i, pool) in self.water.iter().enumerate() {
            for (key, there) in [
                ("bottom", pool.bottom.is_some()),
                ("velocity", pool.velocity.is_some()),
                ("sediment", pool.sediment.is_some()),
                ("lifetime", pool.lifetime.is_some()),
            ] {
                let advice = "its water stands clear on the bed; leave the key out";
                all.push((format!("water[{i}].{key}"), there, Sph, advice));
            }
        }
        for (key, there) in [
            ("particles_every", output.particles_every > 0),
            ("particles", !output.particles.is_empty()),
            ("surface_every", output.surface_every > 0),
            ("surface", !output.surface.is_empty()),
        ] {
            all.push((format!("output.{key}"), there, Sph, "it has no particles; leave the key out"));
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
