//! Columns of particles that hold the volume of a pool, whatever the bed below it looks like.

use super::bed::Bed;
use crate::setting::Setting;
use crate::water::{Columns, GIVING, KEPT, top_of};
use thalweg_field::{Invalid, Pool};

/// Places along each side of a column or a cell where its depth is looked up.
const LOOKS: usize = 3;
/// Particles of a column are no closer than this, in layers `[-]`.
const CLOSEST: f64 = 0.75;

/// Heights between which a pool is filled over ground of some height `[m]`.
fn filled(pool: &Pool, ground: f64) -> [f64; 2] {
    [pool.bottom.map_or(ground, |bottom| bottom.max(ground)), top_of(pool, ground)]
}

fn ground(bed: &Bed, [east, north]: [f64; 2]) -> f64 {
    f64::from(bed.below(east as f32, north as f32).1)
}

/// Calls `put` with the places of a pool's particles and the height that it reaches there `[m]`, column by column.
pub(super) fn fill(
    bed: &Bed,
    pool: &Pool,
    columns: &Columns,
    put: &mut dyn FnMut([f64; 3], f64) -> Result<(), Invalid>,
) -> Result<(), Invalid> {
    let mut owed = 0.0;
    for column in columns.back_and_forth() {
        let at = columns.middle(column);
        let top = top_of(pool, ground(bed, at));
        for z in heights(bed, pool, columns, column, &mut owed) {
            put([at[0], at[1], z], top)?;
        }
    }
    Ok(())
}

/// Mean depth of the water of a column `[m]`.
fn depth(bed: &Bed, pool: &Pool, columns: &Columns, [i, j]: [usize; 2]) -> f64 {
    let looks = (0..LOOKS * LOOKS).map(|n| {
        let part = |cell: usize, n: usize| cell as f64 + (n as f64 + 0.5) / LOOKS as f64;
        let ground = ground(bed, columns.place([part(i, n % LOOKS), part(j, n / LOOKS)]));
        let [bottom, top] = filled(pool, ground);
        (top - bottom).max(0.0)
    });
    looks.sum::<f64>() / (LOOKS * LOOKS) as f64
}

/// Heights of the particles of a column, from the top down `[m]`; `owed` is the part of a particle that those before it owe
/// `[-]`, and afterwards what this one owes too. Layers are level, so that a lake is a lattice; the lowest few give way where the
/// bed leaves no room for whole ones.
fn heights(
    bed: &Bed,
    pool: &Pool,
    columns: &Columns,
    column: [usize; 2],
    owed: &mut f64,
) -> impl Iterator<Item = f64> + use<> {
    let layer = columns.layer;
    let wanted = depth(bed, pool, columns, column) / layer + *owed;
    let ground = ground(bed, columns.middle(column));
    let [bottom, top] = filled(pool, ground);
    let room = ((top - bottom) / layer).max(0.0);
    let most = (room / CLOSEST).max(f64::from(u8::from(wanted >= 0.5 && room > 0.0)));
    let count = wanted.round().clamp(0.0, most.floor()) as usize;
    *owed = wanted - count as f64;
    let whole = count.saturating_sub(GIVING);
    let lowest = ground + KEPT * columns.spacing;
    let giving = (room - whole as f64) / (count - whole).max(1) as f64;
    (0..count).map(move |k| {
        let below = if k < whole {
            k as f64 + 0.5
        } else {
            whole as f64 + (k - whole) as f64 * giving + 0.5 * giving
        };
        (top - below * layer).max(lowest)
    })
}

/// Water at the beginning, about: by its depth at some places of every cell `[m³]`. Where pools overlap there is one of them.
pub(super) fn volume(bed: &Bed, setting: &Setting) -> f64 {
    let side = bed.cell / LOOKS as f64;
    let [cols, rows] = bed.cells().map(|cells| cells * LOOKS);
    let depth = |i: usize, j: usize| {
        let at = [i, j].map(|n| 0.5 * bed.cell + (n as f64 + 0.5) * side);
        let ground = f64::from(bed.below(at[0] as f32, at[1] as f32).1);
        setting.water.iter().map(|pool| pool.depth_at(at, ground)).fold(0.0, f64::max)
    };
    (0..rows).map(|j| (0..cols).map(|i| depth(i, j)).sum::<f64>()).sum::<f64>() * side * side
}
