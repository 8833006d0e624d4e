//! `--camera`

use crate::Failure;
use thalweg::project::{CameraKind, CameraTable};

/// The camera that the option names; `own` is the scene's.
pub(super) fn camera(text: Option<&str>, own: &CameraTable) -> Result<CameraTable, Failure> {
    let Some(text) = text.map(str::trim) else { return Ok(own.clone()) };
    let of_kind = |kind| CameraTable { kind, ..CameraTable::default() };
    let camera = match text {
        "scene" => own.clone(),
        "orbit" => of_kind(CameraKind::Orbit),
        "top" => of_kind(CameraKind::Top),
        "turntable" if matches!(own.kind, CameraKind::Orbit | CameraKind::Turntable) => {
            CameraTable { kind: CameraKind::Turntable, ..own.clone() }
        }
        "turntable" => of_kind(CameraKind::Turntable),
        "path" if own.kind == CameraKind::Path => own.clone(),
        "path" => {
            return Err(Failure::usage(
                "--camera path is for scenes whose [camera] is a path: kind = \"path\" and some [[camera.key]]",
            ));
        }
        other => parse(other).ok_or_else(|| wrong(other))?,
    };
    Ok(camera)
}

/// `YAW,PITCH` or `fly:EAST,NORTH,UP,YAW,PITCH`, metres and degrees.
fn parse(text: &str) -> Option<CameraTable> {
    let numbers = |text: &str| -> Option<Vec<f64>> {
        text.split(',').map(|number| number.trim().parse().ok().filter(|n: &f64| n.is_finite())).collect()
    };
    let (kind, position, [yaw, pitch]) = match text.strip_prefix("fly:") {
        None => (CameraKind::Orbit, None, <[f64; 2]>::try_from(numbers(text)?).ok()?),
        Some(place) => {
            let [east, north, up, yaw, pitch] = <[f64; 5]>::try_from(numbers(place)?).ok()?;
            (CameraKind::Fly, Some([east, north, up]), [yaw, pitch])
        }
    };
    let [yaw, pitch] = [yaw, pitch].map(f64::to_radians);
    Some(CameraTable { kind, position, yaw, pitch, ..CameraTable::default() })
}

fn wrong(text: &str) -> Failure {
    Failure::usage(format!(
        "--camera is \"{text}\"; write scene, orbit, top, turntable, path, YAW,PITCH in degrees, such as 30,35, or \
         fly:EAST,NORTH,UP,YAW,PITCH, such as fly:500,-200,900,0,20"
    ))
}
