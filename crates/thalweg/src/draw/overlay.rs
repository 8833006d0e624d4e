//! Quantities that are laid over the ground.

use crate::project::nearest;
use thalweg_field::{Field, FieldInfo, Grid2, Heightfield, Snapshot};
use thalweg_render::{Look, Spread};
use thalweg_terrain::analysis::slope;
use thalweg_terrain::resample;

/// A quantity that is not there to be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no \"{name}\" to lay over the ground{reason}; there is {}{hint}", known.join(", "))]
pub struct NoField {
    name: String,
    reason: &'static str,
    known: Vec<String>,
    hint: String,
}

/// Makes sure that a snapshot has the quantity that a look lays over its ground. `slope`, `change` (the height less
/// that of the start) and `erosion-deposition` are worked out if they are not there.
pub fn lay_over(snapshot: &mut Snapshot, look: &Look, start: Option<&Heightfield>) -> Result<(), NoField> {
    let Some(overlay) = &look.overlay else { return Ok(()) };
    let name = &*overlay.field;
    if snapshot.field(name).is_some() {
        return Ok(());
    }
    let made = match name {
        "slope" => steepness(snapshot),
        "change" => start.and_then(|start| change(snapshot, start)),
        "erosion-deposition" => balance(snapshot),
        _ => None,
    };
    let field = made.ok_or_else(|| missing(snapshot, name))?;
    snapshot.fields.push(field);
    Ok(())
}

fn missing(snapshot: &Snapshot, name: &str) -> NoField {
    let known: Vec<_> = snapshot.fields.iter().map(|field| field.info.name.to_string()).collect();
    let reason = match name {
        "change" => " (the start is not known)",
        "erosion-deposition" => " (it needs the maps of erosion and deposition)",
        _ => "",
    };
    let near = nearest(name, known.iter().map(String::as_str)).filter(|_| reason.is_empty());
    let hint = near.map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
    NoField { name: name.into(), reason, known, hint }
}

fn steepness(snapshot: &Snapshot) -> Option<Field> {
    let ground = Heightfield { height: snapshot.field("height")?.clone(), frame: snapshot.frame.clone() };
    Some(Field { info: FieldInfo::new("slope", "rad", "slope of the bed"), values: slope(&ground) })
}

fn change(snapshot: &Snapshot, start: &Heightfield) -> Option<Field> {
    let height = snapshot.field("height")?;
    let (cols, rows) = (height.cols(), height.rows());
    // A pass over a coarser terrain is compared with the start seen as coarsely.
    let coarse = (!start.height.same_shape(height)).then(|| resample(start, cols, rows).height);
    let before = coarse.as_ref().unwrap_or(&start.height);
    let info = FieldInfo::new("change", "m", "height of the bed less that of the start");
    Some(Field { info, values: difference(height, before) })
}

fn balance(snapshot: &Snapshot) -> Option<Field> {
    let values = difference(snapshot.field("deposition")?, snapshot.field("erosion")?);
    let info = FieldInfo::new("erosion-deposition", "m", "bed gained less bed lost since the beginning");
    Some(Field { info, values })
}

fn difference(a: &Grid2<f32>, b: &Grid2<f32>) -> Grid2<f32> {
    Grid2::from_fn(a.cols(), a.rows(), |col, row| a.at(col, row) - b.at(col, row))
}

/// A look whose colours have their ranges, so that picture and legend agree: its own, or what the values span.
pub(super) fn ranged(look: &Look, snapshot: &Snapshot) -> Look {
    let mut look = look.clone();
    if let Some(overlay) = &mut look.overlay
        && let Some(values) = snapshot.field(&overlay.field)
    {
        overlay.style.range = Some(Spread::of(values.values(), &overlay.style).range());
    }
    if let Some((name, style)) = &mut look.particles.colour
        && let Some(column) = snapshot.points.as_ref().and_then(|points| points.column(name))
    {
        style.range = Some(Spread::of(&column.values, style).range());
    }
    look
}

/// Fixes the range of a look's overlay to that of a snapshot, so that the colours of later pictures mean the same.
/// Nothing happens where the range is fixed already, or where nearly everything is zero so far. True if it was fixed
/// now.
pub fn keep_colours(look: &mut Look, snapshot: &Snapshot) -> bool {
    /// Share of the cells that must show something `[-]`.
    const ENOUGH: f64 = 0.02;
    let Some(overlay) = &mut look.overlay else { return false };
    let Some(values) = snapshot.field(&overlay.field).filter(|_| overlay.style.range.is_none()) else {
        return false;
    };
    let shown = values.values().iter().filter(|value| **value != 0.0).count();
    if (shown as f64) < ENOUGH * values.len() as f64 {
        return false;
    }
    overlay.style.range = Some(Spread::of(values.values(), &overlay.style).range());
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_field::Frame;
    use thalweg_render::{MapStyle, Overlay};

    fn look(field: &'static str) -> Look {
        let overlay = Overlay { field: field.into(), style: MapStyle::default(), opacity: 1.0 };
        Look { overlay: Some(overlay), ..Look::default() }
    }

    fn snapshot(fields: &[(&'static str, f32)]) -> Snapshot {
        let field = |&(name, value): &(&'static str, f32)| Field {
            info: FieldInfo::new(name, "m", "made up"),
            values: Grid2::filled(4, 2, value),
        };
        Snapshot::of_fields(Frame::with_cell(2.0), fields.iter().map(field).collect())
    }

    #[test]
    fn what_a_run_does_not_keep_is_worked_out() {
        let start = Heightfield { height: Grid2::filled(8, 4, 5.0), frame: Frame::with_cell(1.0) };
        let mut shown = snapshot(&[("height", 3.0), ("erosion", 2.0), ("deposition", 0.5)]);
        for (name, value) in [("change", -2.0), ("erosion-deposition", -1.5), ("slope", 0.0), ("height", 3.0)]
        {
            lay_over(&mut shown, &look(name), Some(&start)).unwrap();
            let found = shown.field(name).unwrap();
            assert!(found.values().iter().all(|v| (v - value).abs() < 1.0e-5), "{name}: {found:?}");
        }
        assert_eq!(shown.fields.len(), 6, "nothing is worked out twice");
    }

    #[test]
    fn a_quantity_that_is_not_there_is_told_with_those_that_are() {
        let told =
            |name| lay_over(&mut snapshot(&[("height", 1.0)]), &look(name), None).unwrap_err().to_string();
        assert!(told("hight").contains("there is height; did you mean \"height\"?"), "{}", told("hight"));
        assert!(told("change").contains("the start is not known"), "{}", told("change"));
        assert!(told("erosion-deposition").contains("maps of erosion"), "{}", told("erosion-deposition"));
    }

    #[test]
    fn colours_are_fixed_by_the_first_picture_that_shows_anything() {
        let mut look = look("flow");
        assert!(!keep_colours(&mut look, &snapshot(&[("flow", 0.0)])));
        let mut first = snapshot(&[("flow", 0.0)]);
        first.fields[0].values.set(1, 1, 3.0);
        assert!(keep_colours(&mut look, &first));
        assert!(!keep_colours(&mut look, &snapshot(&[("flow", 9.0)])));
        assert_eq!(look.overlay.unwrap().style.range, Some([0.0, 3.0]));
    }
}
