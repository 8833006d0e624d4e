use super::*;
use thalweg_field::{Frame, Grid2, Heightfield, random::Key};

fn ball(size: usize, radius: f64) -> Volume {
    let middle = size as f64 / 2.0;
    Volume::from_depths([size; 3], 1.0, 0.0, |[x, y, z], row| {
        for (n, depth) in row.iter_mut().enumerate() {
            let away =
                [x + n as f64, y, z].map(|at| (at - middle) * (at - middle)).iter().sum::<f64>().sqrt();
            *depth = (radius - away) as f32;
        }
    })
    .unwrap()
}

/// Around a bulge there is more of the soft rim outside than inside: the mean of (r + s)³ over -2 < s < 2 is r³ + 4 r.
#[test]
fn rock_is_what_the_shares_add_up_to() {
    let radius = 20.0;
    let ball = ball(64, radius);
    let exact = 4.0 / 3.0 * std::f64::consts::PI * (radius.powi(3) + 4.0 * radius);
    assert!((ball.rock() / exact - 1.0).abs() < 0.001, "{} of {exact} m³", ball.rock());
}

#[test]
fn a_world_costs_as_much_as_its_surface() {
    let flat = Volume::from_depths([512, 512, 512], 1.0, 0.0, |[_, _, z], row| {
        row.fill((100.0 - z) as f32);
    })
    .unwrap();
    assert_eq!(flat.rock(), 512.0 * 512.0 * 100.0);
    // A layer of 16 voxels of 4 bytes is dense, of 512.
    assert!(flat.bytes() < 20 << 20, "{} bytes", flat.bytes());
}

#[test]
fn voxels_are_read_back_as_they_were_set_in_boxes_of_any_size() {
    let size = [37, 5, 18];
    let mut volume = Volume::empty(size, 0.5, -3.0).unwrap();
    let key = Key::new(4);
    let value = |x: usize, y: usize, z: usize| key.with((x + 100 * (y + 100 * z)) as u64).unit() as f32;
    for (x, y, z) in every(size) {
        volume.set_share([x, y, z], value(x, y, z));
    }
    for (x, y, z) in every(size) {
        assert_eq!(volume.share([x as isize, y as isize, z as isize]), value(x, y, z));
    }
    let all: f64 = every(size).map(|(x, y, z)| f64::from(value(x, y, z))).sum();
    assert!((volume.rock() - 0.125 * all).abs() < 1.0e-9, "{} of {} m³", volume.rock(), 0.125 * all);
    assert_eq!(volume.share([-1, 0, 0]), 0.0);
    assert_eq!(volume.share([0, 5, 0]), 0.0);
    let mut copy = vec![9.0; 40 * 8 * 20];
    volume.copy_shares([-1, -2, -1], [40, 8, 20], &mut copy);
    for (x, y, z) in every([40, 8, 20]) {
        let share = volume.share([x as isize - 1, y as isize - 2, z as isize - 1]);
        assert_eq!(copy[x + 40 * (y + 8 * z)], share, "{x} {y} {z}");
    }
}

fn every([east, north, up]: [usize; 3]) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..up).flat_map(move |z| (0..north).flat_map(move |y| (0..east).map(move |x| (x, y, z))))
}

#[test]
fn a_heightfield_comes_back_from_its_volume_within_half_a_voxel() {
    let noise = Perlin::new(Key::new(2), 12.0);
    let ground = Heightfield {
        height: Grid2::from_fn(60, 45, |col, row| {
            let mut value = [0.0];
            noise.row([col as f64, row as f64, 0.0], 1.0, &mut value);
            100.0 + 9.0 * value[0] + 0.4 * col as f32
        }),
        frame: Frame::with_cell(2.0),
    };
    let volume = Volume::from_heightfield(&ground, 60.0, 48).unwrap();
    let back = volume.heightfield();
    let worst = (ground.height.values().iter().zip(back.height.values()))
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, |worst: f32, away| if away.is_nan() { away } else { worst.max(away) });
    assert!(worst < 1.0, "{worst} m with voxels of 2 m");
}

/// What lies past the box in the blocks at its ends is not counted.
#[test]
fn a_dent_takes_what_it_is_deep() {
    let mut full = Volume::from_depths([20, 30, 17], 1.0, 0.0, |_, row| row.fill(9.0)).unwrap();
    full.set_share([19, 29, 16], 0.25);
    assert_eq!(full.rock(), 20.0 * 30.0 * 17.0 - 0.75);
    full.make_dense();
    assert_eq!(full.rock(), 20.0 * 30.0 * 17.0 - 0.75);
}

#[test]
fn sizes_that_no_volume_has_are_refused_by_name() {
    assert_eq!(Volume::empty([4, 0, 4], 1.0, 0.0).unwrap_err().key, "volume.north");
    assert_eq!(Volume::empty([4, 4, MOST + 1], 1.0, 0.0).unwrap_err().key, "volume.up");
    assert_eq!(Volume::empty([4; 3], f64::NAN, 0.0).unwrap_err().key, "volume.voxel");
    assert_eq!(Volume::empty([4; 3], 1.0, f64::INFINITY).unwrap_err().key, "volume.bottom");
}
