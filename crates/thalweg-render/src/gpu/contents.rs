//! What particles hold and how they move, in few bits for the device.

use thalweg_field::{Points, random::Key};

/// Numbers for each particle: sediment and foam, velocity east and north, velocity up, spray and how that is torn.
pub(super) const WORDS: usize = 3;
/// Faster ones count as fast as this along each axis `[m/s]`; `particles.wgsl` says the same.
const FASTEST: f32 = 64.0;

/// What is known of each particle, 16 bits each, 8 for the spray and for the number that says how it is torn, which stays the particle's own from
/// picture to picture; `None` if nothing is known. What is no number is 0.
pub(super) fn contents_of(points: &Points) -> Option<Vec<u32>> {
    const NAMES: [&str; 6] = ["sediment", "foam", "velocity_x", "velocity_y", "velocity_z", "spray"];
    let known = NAMES.map(|name| {
        let full = points.column(name).filter(|column| column.values.len() == points.len());
        full.map(|column| &column.values[..])
    });
    known.iter().flatten().next()?;
    let value = |which: usize, i: usize| {
        known[which].map(|values| values[i]).filter(|value| value.is_finite()).unwrap_or(0.0)
    };
    let share = |which, i| (value(which, i).clamp(0.0, 1.0) * 65535.0).round() as u32;
    // In two's complement, as `unpack2x16snorm` wants it.
    let speed = |which, i| {
        let part = (value(which, i) / FASTEST).clamp(-1.0, 1.0);
        u32::from((part * 32767.0).round() as i16 as u16)
    };
    let own = points.column("id").filter(|column| column.values.len() == points.len());
    let torn = |i: usize| {
        let own = own.map_or(i as u64, |column| u64::from(column.values[i].to_bits()));
        (Key::new(own).unit() * 256.0) as u32
    };
    let spray = |i| share(5, i) >> 8;
    let words = |i| {
        let last = speed(4, i) | torn(i) << 16 | spray(i) << 24;
        [share(0, i) | share(1, i) << 16, speed(2, i) | speed(3, i) << 16, last]
    };
    Some((0..points.len()).flat_map(words).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::{Column, FieldInfo};

    #[test]
    fn contents_keep_their_place_their_sign_and_their_bounds() {
        let column = |name: &'static str, values: [f32; 2]| Column {
            info: FieldInfo::new(name, "-", ""),
            values: values.into(),
        };
        let mut points = Points { positions: vec![[0.0; 3]; 2], radius: 1.0, ..Points::default() };
        assert_eq!(contents_of(&points), None);
        points.columns = vec![
            column("foam", [1.0, f32::NAN]),
            column("velocity_x", [-64.0, 2.0]),
            column("velocity_z", [-900.0, 0.0]),
            column("spray", [0.5, 7.0]),
        ];
        let low = |part: i16| u32::from(part as u16);
        let east = (2.0_f32 / 64.0 * 32767.0).round() as i16;
        // Without what tears the spray.
        let known = |points: &Points| -> Vec<u32> {
            let words = contents_of(points).unwrap();
            words
                .iter()
                .enumerate()
                .map(|(n, word)| if n % 3 == 2 { word & 0xff00_ffff } else { *word })
                .collect()
        };
        assert_eq!(
            known(&points),
            [0xffff_0000, low(-32767), low(-32767) | 0x8000_0000, 0, low(east), 0xff00_0000]
        );
        // Torn by its own number, wherever it stands among the others.
        points.columns.push(column("id", [7.0, 8.0]));
        let torn = |points: &Points| -> Vec<u32> {
            contents_of(points).unwrap().iter().skip(2).step_by(3).map(|word| word >> 16 & 0xff).collect()
        };
        let before = torn(&points);
        points.columns.last_mut().unwrap().values.swap(0, 1);
        assert_eq!(torn(&points), [before[1], before[0]]);
        let shader = include_str!("shaders/particles.wgsl");
        assert!(shader.contains(&format!("const FASTEST = {FASTEST:?};")), "the shader has another scale");
    }
}
