use thalweg_erosion::pipes::*;
use thalweg_field::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let size = 256usize;
    let raw = std::fs::read("/tmp/tuj256.f32").unwrap();
    let h: Vec<f32> = raw.chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    let rain = 60.0 / 3.6e6;
    let hours: f64 = args.get(1).map_or(1.0, |a| a.parse().unwrap());
    for (name, raise, safety) in [
        ("dt", 0.0, 0.8),
        ("dt/2", 0.0, 0.4),
        ("dt/4", 0.0, 0.2),
        ("+500", 500.0, 0.8),
        ("+1500", 1500.0, 0.8),
        ("+3000", 3000.0, 0.8),
        ("+8000", 8000.0, 0.8),
        ("-533", -533.0, 0.8),
    ] {
        let height = Grid2::from_values(size, size, h.iter().map(|v| v + raise as f32).collect()).unwrap();
        let start = height.clone();
        let ground = Heightfield { height, frame: Frame::with_cell(30.0) };
        let weather = Weather { edges: Edges::all(Edge::Open), ..Weather::raining(rain) };
        let params = Params { safety, ..Params::default() };
        let mut pipes = Pipes::new(&ground, &params, &weather).unwrap();
        let mut steps = 0u64;
        let t = std::time::Instant::now();
        while pipes.time() < hours * 3600.0 {
            pipes.advance(8).unwrap();
            steps += 8;
        }
        let change = pipes.bed_above(&start);
        let (mut ero, mut dep, mut lo, mut hi) = (0.0f64, 0.0f64, 0.0f32, 0.0f32);
        for &c in change.values() {
            if c < 0.0 {
                ero -= f64::from(c)
            } else {
                dep += f64::from(c)
            }
            lo = lo.min(c);
            hi = hi.max(c);
        }
        let n = (size * size) as f64;
        let l = pipes.ledger();
        let [u, v] = pipes.velocity();
        let mut vmax = 0.0f32;
        for (a, b) in u.values().iter().zip(v.values()) {
            vmax = vmax.max(a.hypot(*b));
        }
        let sd = pipes.sediment();
        let d = pipes.depth();
        let mut share = 0.0f32;
        for (s, d) in sd.values().iter().zip(d.values()) {
            if *d > 1e-6 {
                share = share.max(s / d);
            }
        }
        println!(
            "{name}: steps {steps} t {:.0} wall {:.1} ero {:.6} mm dep {:.6} mm  min {lo:.3} max {hi:.3} m eroded gross {:.6} mm exported {:.6} mm depth {:.3} vmax {vmax:.2} load {share:.3} imb {:.1e} {:.1e}",
            pipes.time(),
            t.elapsed().as_secs_f64(),
            ero / n * 1e3,
            dep / n * 1e3,
            l.solids.eroded / n / 900.0 * 1e3,
            l.solids.exported / n / 900.0 * 1e3,
            d.range().unwrap().1,
            l.water.imbalance(),
            l.solids.imbalance()
        );
    }
}
