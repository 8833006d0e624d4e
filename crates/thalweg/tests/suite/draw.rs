//! What the processor draws of built-in scenes.

use thalweg::Session;
use thalweg::draw::{self, Exposure, Marks, Painter};
use thalweg::field::Snapshot;
use thalweg::project::{RendererChoice, built_in_scenes};
use thalweg::render::{Look, ParticleShape};

const MEMORY: u64 = 4 << 30;
const SIZE: [usize; 2] = [48, 32];

/// A machine without a driver sees every scene: whatever it holds is more than the ground, the table and the sky.
#[test]
fn every_scene_can_be_drawn_by_the_processor_as_it_begins() {
    let mut painter = Painter::new(RendererChoice::Cpu).unwrap();
    for scene in built_in_scenes() {
        let state = Session::new(&scene.open(&[]).unwrap(), MEMORY).unwrap();
        let picture = &state.scene().picture;
        let snapshot =
            Snapshot { points: state.points(), ..draw::opening(state.scene(), state.start_ground()) };
        let mut look = draw::coloured_by(picture.look(), state.start());
        look.overlay = None;
        let resolve = painter.view(&snapshot, &look, SIZE);
        let camera = state.scene().camera.shot().settled(&*resolve).at(0.0);
        let mut paint = |look: &Look| {
            let exposure =
                Exposure { look, camera: &camera, size: SIZE, marks: &Marks::default(), stop: None };
            painter.paint(&snapshot, &exposure).unwrap_or_else(|error| panic!("{}: {error}", scene.name))
        };
        let drawn = paint(&look);
        assert_eq!([drawn.width, drawn.height], SIZE, "{}", scene.name);
        if snapshot.points.as_ref().is_some_and(|points| !points.is_empty()) {
            look.particles.shape = ParticleShape::Hidden;
            assert!(drawn != paint(&look), "{}: nothing is seen of its particles", scene.name);
        }
    }
}
