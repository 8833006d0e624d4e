//! What a landscape asks of the memory, counted on the one thread that it runs on.

use allocation_counter::measure;
use thalweg_erosion::stream_power::{Lakes, Land, Params, Routing, StreamPower};
use thalweg_field::{Frame, Grid2, Heightfield};
use thalweg_test_support::on_threads;

/// Hills with many hollows. By then their rivers keep their ways, and none of what is kept of them grows any more.
#[test]
fn a_step_allocates_nothing_once_buffers_have_their_size() {
    for lakes in [Lakes::Keep, Lakes::Breach] {
        let (first, later) = on_threads(1, || {
            let bumps = |col: usize, row: usize| ((col * 37 + row * 101) % 23) as f32;
            let height = Grid2::from_fn(80, 60, bumps);
            let hills = Heightfield { height, frame: Frame::with_cell(50.0) };
            let params = Params { lakes, routing: Routing::D8, ..Params::default() };
            let mut land = StreamPower::new(&hills, &params, &Land::open()).unwrap();
            [400, 20].map(|steps| measure(|| land.advance(steps).unwrap())).into()
        });
        assert!(first.count_total > 10, "nothing is counted: {first:?}");
        assert_eq!(later.count_total, 0, "allocations in 20 steps, lakes: {lakes:?}; {later:?}");
    }
}
