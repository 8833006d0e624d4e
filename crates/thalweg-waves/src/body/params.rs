//! What there is to say about a body.

use super::hull::{Hull, HullError};
use super::shapes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thalweg_field::describe::{about, check, live, within};
use thalweg_field::{Invalid, TriMesh, require, units};

/// Farthest that anything may be from the origin `[m]`.
const FAR: f64 = 1.0e7;

/// Form of a hull.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HullForm {
    /// A box.
    Box,
    /// A ball, or an ellipsoid where the sizes differ.
    Sphere,
    /// A boat with a raked stem, sheer and a transom.
    #[default]
    Boat,
    /// A drum with a mast.
    Buoy,
    /// A closed mesh of your own.
    Mesh,
}

/// Something done at the wheel at some time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Steer {
    /// When `[s]`.
    #[serde(with = "units::Time")]
    #[schemars(transform = within(0.0, 1.0e9).slider(0.0, 600.0))]
    pub at: f64,
    /// Share of full power; below zero astern `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(-1.0, 1.0).slider(-1.0, 1.0))]
    pub throttle: f64,
    /// How far the rudder is over; positive turns the bow to port, anticlockwise seen from above `[rad]`.
    #[serde(with = "units::Angle")]
    #[schemars(transform = within(-1.0, 1.0).slider(-0.6, 0.6).hint("rudders stall beyond 35 deg"))]
    pub rudder: f64,
}

/// A body that floats, or sinks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Body", transform = live)]
pub struct BodyParams {
    /// What it is called, in tables and files.
    #[schemars(transform = about().fixed())]
    pub name: String,
    /// Its form.
    #[schemars(transform = about().fixed())]
    pub hull: HullForm,
    /// The file of its mesh, with `hull = "mesh"`: triangles that close and look outwards, its bow to the east.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = about().fixed())]
    pub file: Option<String>,
    /// Length, width and height of the hull `[m]`; a mesh is stretched to them.
    #[serde(with = "units::Triple::<units::Length>")]
    #[schemars(transform = within(1.0e-3, 1.0e3).slider(0.5, 100.0).fixed())]
    pub size: [f64; 3],
    /// Longest side of its triangles `[m]`; missing: as they are. Half of the shortest wave that it should feel.
    #[serde(with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-3, 1.0e3).slider(0.1, 5.0).fixed())]
    pub detail: Option<f64>,
    /// Mean density, with what is in it `[kg/m³]`; used where there is no `mass`. Above that of water it sinks.
    #[serde(with = "units::Density")]
    #[schemars(transform = within(1.0, 3.0e4).slider(100.0, 3000.0).fixed())]
    pub density: f64,
    /// Mass `[kg]`; missing: from `density`.
    #[serde(with = "units::Mass", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(1.0e-6, 1.0e12).slider(1.0, 1.0e6).fixed())]
    pub mass: Option<f64>,
    /// How far its centre of mass is above the middle of the hull's volume `[m]`; missing: a sixth of the height below for boats and
    /// buoys, which carry ballast, and in the middle for the others.
    #[serde(with = "units::Length", skip_serializing_if = "Option::is_none")]
    #[schemars(transform = within(-1.0e3, 1.0e3).slider(-1.0, 1.0).fixed())]
    pub mass_height: Option<f64>,
    /// Where its centre of mass is at the beginning: east, north, and up from where it would float upright `[m]`.
    #[serde(with = "units::Triple::<units::Length>")]
    #[schemars(transform = within(-FAR, FAR).slider(-100.0, 100.0).fixed())]
    pub at: [f64; 3],
    /// Compass bearing of its bow at the beginning, clockwise from north `[rad]`.
    #[serde(with = "units::Angle")]
    #[schemars(transform = within(-1.0e3, 1.0e3).slider(0.0, std::f64::consts::TAU).fixed())]
    pub heading: f64,
    /// How it is tilted at the beginning: bow down, and to starboard `[rad]`.
    #[serde(with = "units::Pair::<units::Angle>")]
    #[schemars(transform = within(-7.0, 7.0).slider(-0.5, 0.5).fixed())]
    pub tilt: [f64; 2],
    /// Velocity at the beginning, east, north and up `[m/s]`.
    #[serde(with = "units::Triple::<units::Speed>")]
    #[schemars(transform = within(-1.0e3, 1.0e3).slider(-10.0, 10.0).fixed())]
    pub velocity: [f64; 3],
    /// Spin at the beginning, about the axes east, north and up `[1/s]`.
    #[serde(with = "units::Triple::<units::Rate>")]
    #[schemars(transform = within(-1.0e3, 1.0e3).slider(-1.0, 1.0).fixed())]
    pub spin: [f64; 3],
    /// Whether it stays where it is, or moves along with its first velocity whatever happens.
    #[schemars(transform = about().fixed())]
    pub held: bool,
    /// Drag coefficient C_D `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 100.0).slider(0.0, 2.0).hint("a ball has 0.47"))]
    pub drag: f64,
    /// Lift coefficient C_L `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 100.0).slider(0.0, 2.0))]
    pub lift: f64,
    /// How much drag and lift depend on the side that the water meets, ξ: 1 is area seen along the way, 0 is all area `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 1.0).slider(0.9, 1.0))]
    pub facing: f64,
    /// Water that moves along with it, ahead, sideways and up, as shares of the displaced mass `[-]`.
    #[serde(with = "units::Triple::<units::Ratio>")]
    #[schemars(transform = within(0.0, 10.0).slider(0.0, 1.0).fixed())]
    pub added_mass: [f64; 3],
    /// How much of the water that it displaces becomes waves `[-]`; 0 for none, and then nothing is lost to them.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 10.0).slider(0.0, 1.0))]
    pub waves: f64,
    /// Push of the propeller at full power, for each kilogram of the body `[m/s²]`; 0 for none.
    #[serde(with = "units::Acceleration")]
    #[schemars(transform = within(0.0, 1.0e3).slider(0.0, 3.0))]
    pub thrust: f64,
    /// Area of the rudder beside length times height of the hull `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(0.0, 1.0).slider(0.0, 0.1))]
    pub rudder_area: f64,
    /// Throttle at the beginning, until the first entry of `steer` `[-]`.
    #[serde(with = "units::Ratio")]
    #[schemars(transform = within(-1.0, 1.0).slider(-1.0, 1.0))]
    pub throttle: f64,
    /// Rudder at the beginning `[rad]`; positive turns the bow to port.
    #[serde(with = "units::Angle")]
    #[schemars(transform = within(-1.0, 1.0).slider(-0.6, 0.6))]
    pub rudder: f64,
    /// What is done at the wheel later, by time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steer: Vec<Steer>,
}

impl Default for BodyParams {
    fn default() -> Self {
        Self {
            name: "boat".into(),
            hull: HullForm::Boat,
            file: None,
            size: [9.0, 2.8, 1.8],
            detail: None,
            density: 330.0,
            mass: None,
            mass_height: None,
            at: [0.0; 3],
            heading: std::f64::consts::FRAC_PI_2,
            tilt: [0.0; 2],
            velocity: [0.0; 3],
            spin: [0.0; 3],
            held: false,
            drag: 0.25,
            lift: 0.15,
            facing: 0.99,
            added_mass: [0.06, 0.5, 0.8],
            waves: 1.0,
            thrust: 0.6,
            rudder_area: 0.03,
            throttle: 0.0,
            rudder: 0.0,
            steer: Vec::new(),
        }
    }
}

/// Why there cannot be such a body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BodyError {
    /// A parameter beyond its range.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// Its mesh is no hull.
    #[error("{name}: {error}")]
    Hull {
        /// Its name.
        name: String,
        /// What is wrong with it.
        error: HullError,
    },
}

impl BodyParams {
    /// A body of this form with usual numbers: drag, lift and density differ between boats and boxes.
    pub fn of(hull: HullForm) -> Self {
        let boat = Self::default();
        let plain = |name: &str, size, density| Self {
            name: name.into(),
            hull,
            size,
            density,
            drag: 0.9,
            lift: 0.0,
            facing: 1.0,
            added_mass: [0.5; 3],
            thrust: 0.0,
            rudder_area: 0.0,
            ..boat.clone()
        };
        match hull {
            HullForm::Boat => boat,
            HullForm::Box => plain("box", [2.0, 1.0, 0.5], 600.0),
            HullForm::Sphere => Self { drag: 0.47, ..plain("sphere", [1.0; 3], 500.0) },
            HullForm::Buoy => plain("buoy", [1.2, 1.2, 2.5], 350.0),
            HullForm::Mesh => Self { name: "mesh".into(), hull, ..boat },
        }
    }

    /// The same with those numbers of another that can change while it floats: drag, lift, facing, waves, thrust, the area of the rudder, and
    /// what is done at the wheel.
    #[must_use]
    pub fn with_live_of(&self, new: &Self) -> Self {
        Self {
            drag: new.drag,
            lift: new.lift,
            facing: new.facing,
            waves: new.waves,
            thrust: new.thrust,
            rudder_area: new.rudder_area,
            throttle: new.throttle,
            rudder: new.rudder,
            steer: new.steer.clone(),
            ..self.clone()
        }
    }

    /// Refuses what makes no sense.
    pub fn validated(self) -> Result<Self, Invalid> {
        check(&self)?;
        let ordered = self.steer.windows(2).all(|pair| pair[0].at <= pair[1].at);
        require(ordered, "steer", "not in order", "entries follow each other in time; sort them by \"at\"")?;
        let file = self.file.as_deref().unwrap_or("missing");
        let needs = self.hull != HullForm::Mesh || self.file.is_some();
        require(needs, "file", file, "hull = \"mesh\" needs the file of a closed mesh (.obj or .glb)")?;
        let spare = self.hull == HullForm::Mesh || self.file.is_none();
        require(spare, "file", file, "only hull = \"mesh\" reads a file")?;
        Ok(self)
    }

    /// Its hull; `mesh` is what the file holds.
    pub fn hull(&self, mesh: Option<&TriMesh>) -> Result<Hull, BodyError> {
        let error = |error| BodyError::Hull { name: self.name.clone(), error };
        let hull = match self.hull {
            HullForm::Box => shapes::box_hull(self.size),
            // 1280 triangles.
            HullForm::Sphere => shapes::sphere_hull(self.size, 3),
            HullForm::Boat => shapes::boat_hull(self.size),
            HullForm::Buoy => shapes::buoy_hull(self.size),
            HullForm::Mesh => {
                let missing = TriMesh::default();
                stretched(&Hull::of_mesh(mesh.unwrap_or(&missing)).map_err(error)?, self.size)
                    .map_err(error)?
            }
        };
        Ok(self.detail.map_or(hull.clone(), |detail| hull.refined(detail)))
    }

    /// How far the centre of mass is above the middle of the volume `[m]`.
    pub(super) fn mass_height(&self) -> f64 {
        let ballast = match self.hull {
            HullForm::Boat | HullForm::Buoy => -self.size[2] / 6.0,
            HullForm::Box | HullForm::Sphere | HullForm::Mesh => 0.0,
        };
        self.mass_height.unwrap_or(ballast)
    }
}

/// A hull stretched to a size.
fn stretched(hull: &Hull, size: [f64; 3]) -> Result<Hull, HullError> {
    let [low, high] = hull.bounds();
    let places: Vec<_> = hull
        .places
        .iter()
        .map(|p| std::array::from_fn(|i| ((p[i] - low[i]) / (high[i] - low[i]) - 0.5) * size[i]))
        .collect();
    Hull::new(&places, &hull.triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_that_make_no_sense_are_refused() {
        let refused = |body: BodyParams| body.validated().unwrap_err().to_string();
        let light = BodyParams { density: -1.0, ..BodyParams::default() };
        assert!(refused(light).starts_with("density is -1 kg/m³; it must lie between 1 and 30000 kg/m³"));
        let steer = [2.0, 1.0].map(|at| Steer { at, ..Steer::default() }).to_vec();
        assert!(refused(BodyParams { steer, ..BodyParams::default() }).starts_with("steer is not in order"));
        assert!(refused(BodyParams::of(HullForm::Mesh)).contains("needs the file"));
        assert!(BodyParams::default().validated().is_ok());
    }

    #[test]
    fn a_mesh_is_stretched_to_its_size() {
        let mesh = shapes::box_hull([1.0; 3]).mesh();
        let body = BodyParams { size: [4.0, 2.0, 1.0], ..BodyParams::of(HullForm::Mesh) };
        let hull = body.hull(Some(&mesh)).unwrap();
        assert!((hull.volume() - 8.0).abs() < 1.0e-6);
        let error = body.hull(None).unwrap_err().to_string();
        assert_eq!(error, "mesh: the hull has no triangles; it needs at least four");
    }
}
