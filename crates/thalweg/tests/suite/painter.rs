//! Pictures are drawn, whatever becomes of the graphics device.

use thalweg::draw::{Exposure, Marks, Painter};
use thalweg::field::{Field, FieldInfo, Frame, Grid2, Snapshot};
use thalweg::project::{PictureTable, RendererChoice};
use thalweg::render::{Camera, Look};

fn hills() -> Snapshot {
    let height = Grid2::from_fn(48, 32, |c, r| 40.0 * (c as f32 * 0.3).sin() * (r as f32 * 0.2).cos());
    let info = FieldInfo::new("height", "m", "height of the bed");
    Snapshot::of_fields(Frame::with_cell(10.0), vec![Field { info, values: height }])
}

/// The device goes away between two pictures: the second one is drawn by the processor, and that is said once.
#[test]
fn when_the_device_is_lost_the_processor_takes_over_with_one_sentence() {
    let (look, marks) = (Look::default(), Marks::of(&PictureTable::default()));
    let exposure =
        Exposure { look: &look, camera: &Camera::default(), size: [96, 54], marks: &marks, stop: None };
    let mut painter = Painter::new(RendererChoice::Auto).unwrap();
    painter.take_notices();
    painter.paint(&hills(), &exposure).unwrap();
    painter.device().expect("the tests need a graphics adapter, in software if need be").device.destroy();
    for number in 0..2 {
        let picture =
            painter.paint(&hills(), &exposure).unwrap_or_else(|error| panic!("picture {number}: {error}"));
        let plain = Painter::new(RendererChoice::Cpu).unwrap().paint(&hills(), &exposure).unwrap();
        assert!(picture.rgb == plain.rgb, "picture {number} is not the processor's");
    }
    let notices = painter.take_notices();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].contains("the processor draws") && !notices[0].contains('\n'), "{notices:?}");
}
