use thalweg_erosion::pipes::*;
use thalweg_field::*;
fn main() {
    for cell in [1.0, 10.0, 30.0] {
        for grade in [0.05, 0.3, 0.6] {
            for n in [8u8, 4] {
                let (cols, rows) = (100, 8);
                let rain = 200.0 / 3.6e6;
                let height = Grid2::from_fn(cols, rows, |c, _| (grade * cell * (cols - c) as f64) as f32);
                let ground = Heightfield { height, frame: Frame::with_cell(cell) };
                let edges = Edges { east: Edge::Open, ..Edges::default() };
                let weather = Weather { edges, ..Weather::raining(rain) };
                let params = Params { erosion: false, talus: false, neighbours: n, ..Params::default() };
                let mut pipes = Pipes::new(&ground, &params, &weather).unwrap();
                let mut steps = 0;
                let len = cols as f64 * cell;
                let q = rain * len;
                let h = (0.25 * q * q / (9.81 * grade)).cbrt();
                let t = 6.0 * len / (q / h);
                while pipes.time() < t {
                    pipes.advance(64).unwrap();
                    steps += 64;
                }
                let depth = pipes.depth();
                let (mut lo, mut hi) = (f64::MAX, 0.0f64);
                let mut at = (0, 0);
                for c in 0..cols {
                    for r in 0..rows {
                        let q = rain * cell * (c + 1) as f64;
                        let d = (0.25 * q * q / (9.81 * grade)).cbrt();
                        let ratio = f64::from(depth.at(c, r)) / d;
                        if ratio < lo {
                            lo = ratio;
                            at.0 = c;
                        }
                        if ratio > hi {
                            hi = ratio;
                            at.1 = c;
                        }
                    }
                }
                println!(
                    "cell {cell:4} grade {grade:4} n {n}: {lo:.4} (col {}) .. {hi:.4} (col {}) dt {:.3} steps {steps}",
                    at.0,
                    at.1,
                    pipes.max_dt()
                );
            }
        }
    }
}
