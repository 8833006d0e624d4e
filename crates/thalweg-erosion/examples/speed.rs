use std::time::Instant;
use thalweg_erosion::pipes::*;
use thalweg_field::*;
fn main() {
    let size: usize = std::env::args().nth(1).map_or(512, |s| s.parse().unwrap());
    for name in ["thalweg", "mei-2007"] {
        let height = Grid2::from_fn(size, size, |c, r| {
            let (x, y) = (c as f32 * 0.05, r as f32 * 0.043);
            40.0 * (x.sin() + y.cos() + (x * 0.7 + y * 1.3).sin())
        });
        let ground = Heightfield { height, frame: Frame::with_cell(10.0) };
        let weather = Weather { edges: Edges::all(Edge::Open), ..Weather::raining(5.0e-5) };
        let mut pipes = Pipes::new(&ground, &Params::preset(name).unwrap(), &weather).unwrap();
        pipes.advance(64).unwrap();
        let mut best = 0.0f64;
        for _ in 0..12 {
            let n = 64;
            let t = Instant::now();
            pipes.advance(n).unwrap();
            best = best.max((size * size) as f64 * n as f64 / t.elapsed().as_secs_f64() / 1e6);
        }
        println!(
            "{name} {size}: {best:.0} M cell-steps/s, {} bytes, dt {}",
            pipes.bytes_per_cell(),
            pipes.max_dt()
        );
    }
}
