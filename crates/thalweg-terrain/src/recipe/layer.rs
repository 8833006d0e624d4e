//! One layer: a shape, and how it joins the ground below it.

use super::{Check, Mask};
use crate::noise::{Billow, Fbm, Ridged, Voronoi, Warp};
use crate::shape::{Basin, Bump, Canyon, Cone, Ditch, Meander, Plane, Ramp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thalweg_field::Invalid;
use thalweg_field::random::Key;

/// How a layer joins the ground below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Blend {
    /// The sum.
    #[default]
    Add,
    /// The ground less the layer.
    Subtract,
    /// The ground times the layer, whose metres are read as a pure factor.
    Multiply,
    /// The higher of the two.
    Max,
    /// The lower of the two.
    Min,
    /// The layer; with a weight or mask, a mixture of the two.
    Replace,
}

/// One layer of a [`Recipe`](super::Recipe), told apart by its `kind`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Layer {
    /// Rolling hills.
    Fbm(Fbm),
    /// Branching crests.
    Ridged(Ridged),
    /// Rounded hills that meet in creases.
    Billow(Billow),
    /// Cone-like mountains, bowls or plateaus around scattered points.
    Voronoi(Voronoi),
    /// Level ground.
    Plane(Plane),
    /// An even slope.
    Ramp(Ramp),
    /// A smooth round hill.
    Bump(Bump),
    /// A straight cone.
    Cone(Cone),
    /// A round bowl.
    Basin(Basin),
    /// A straight channel with a ridge across it.
    Ditch(Ditch),
    /// A winding channel.
    Meander(Meander),
    /// A deep winding valley.
    Canyon(Canyon),
}

/// A function of the place, metres east and north: the layer's own height there `[m]`.
pub(crate) type Surface<'a> = Box<dyn Fn([f64; 2]) -> f64 + Send + Sync + 'a>;

/// A layer made ready: the height at a place from that of the ground below `[m]`.
pub(crate) type Prepared<'a> = Box<dyn Fn([f64; 2], f64) -> f64 + Send + Sync + 'a>;

/// What a layer may know beside the place.
pub(crate) struct LayerContext {
    /// Where its random numbers come from.
    pub key: Key,
    /// Size of the terrain to the east and to the north `[m]`.
    pub extent: [f64; 2],
}

impl LayerContext {
    /// The place given, or the middle of the terrain.
    pub(crate) fn center(&self, given: Option<[f64; 2]>) -> [f64; 2] {
        given.unwrap_or(self.extent.map(|side| side / 2.0))
    }

    /// Distance from a place to the farthest corner of the terrain `[m]`.
    pub(crate) fn reach(&self, from: [f64; 2]) -> f64 {
        let far = |axis: usize| from[axis].abs().max((self.extent[axis] - from[axis]).abs());
        (far(0) * far(0) + far(1) * far(1)).sqrt()
    }
}

/// What every kind of layer can do.
pub(crate) trait Kind: Placed {
    /// Refuses parameters that make no ground together, each within its own range as it may be.
    fn fits_together(&self, _: &Check) -> Result<(), Invalid> {
        Ok(())
    }
    /// The layer's own height as a function of the place.
    fn surface(&self, context: &LayerContext) -> Surface<'_>;
}

/// Gives the parameters that all kinds share; written by [`layer!`].
pub(crate) trait Placed {
    fn placement(&self) -> Placement<'_>;
}

/// The parameters that all kinds share.
pub(crate) struct Placement<'a> {
    pub offset: f64,
    pub blend: Blend,
    pub weight: f64,
    pub mask: Option<&'a Mask>,
    pub warp: Option<&'a Warp>,
}

/// Declares the parameters of one kind of layer with their defaults, and adds those that all kinds share.
///
/// They are repeated in every struct because serde can refuse unknown keys, and list the right ones,
/// only where no field is flattened.
macro_rules! layer {
    ($(#[$about:meta])* $name:ident {
        $($(#[$attribute:meta])* $field:ident: $type:ty = $default:expr,)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $($(#[$attribute])* pub $field: $type,)*
            /// Added to the layer before it is blended `[m]`.
            #[serde(with = "thalweg_field::units::Length")]
            #[schemars(transform = $crate::recipe::height().slider(-500.0, 2000.0))]
            pub offset: f64,
            /// How it joins the ground below.
            pub blend: $crate::recipe::Blend,
            /// How much of the blended result is taken, from 0 (none) to 1 (all) `[-]`.
            #[serde(with = "thalweg_field::units::Ratio")]
            #[schemars(transform = thalweg_field::describe::within(0.0, 1.0).slider(0.0, 1.0))]
            pub weight: f64,
            /// Where the layer applies; everywhere if left out.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub mask: Option<$crate::recipe::Mask>,
            /// Bends the layer, if given.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub warp: Option<$crate::noise::Warp>,
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    $($field: $default,)*
                    offset: 0.0,
                    blend: $crate::recipe::Blend::Add,
                    weight: 1.0,
                    mask: None,
                    warp: None,
                }
            }
        }

        impl $crate::recipe::Placed for $name {
            fn placement(&self) -> $crate::recipe::Placement<'_> {
                $crate::recipe::Placement {
                    offset: self.offset,
                    blend: self.blend,
                    weight: self.weight,
                    mask: self.mask.as_ref(),
                    warp: self.warp.as_ref(),
                }
            }
        }
    };
}
pub(crate) use layer;

impl Layer {
    fn kind(&self) -> &dyn Kind {
        match self {
            Self::Fbm(kind) => kind,
            Self::Ridged(kind) => kind,
            Self::Billow(kind) => kind,
            Self::Voronoi(kind) => kind,
            Self::Plane(kind) => kind,
            Self::Ramp(kind) => kind,
            Self::Bump(kind) => kind,
            Self::Cone(kind) => kind,
            Self::Basin(kind) => kind,
            Self::Ditch(kind) => kind,
            Self::Meander(kind) => kind,
            Self::Canyon(kind) => kind,
        }
    }

    pub(super) fn fits_together(&self, check: &Check) -> Result<(), Invalid> {
        self.kind().fits_together(check)?;
        let placement = self.kind().placement();
        placement.mask.iter().try_for_each(|mask| mask.fits_together(&check.below("mask")))
    }

    /// Makes the layer ready.
    pub(super) fn prepared(&self, context: &LayerContext) -> Prepared<'_> {
        // Keys of the octaves count up from 0; the warp and mask keep clear of them.
        let aside = |index| LayerContext { key: context.key.with(u64::MAX - index), extent: context.extent };
        let surface = self.kind().surface(context);
        let Placement { offset, blend, weight, mask, warp } = self.kind().placement();
        let warp = warp.map(|warp| warp.prepared(aside(0).key));
        let mask = mask.map(|mask| mask.prepared(&aside(1)));
        Box::new(move |place, ground| {
            let bent = warp.as_ref().map_or(place, |warp| warp.place(place));
            let height = surface(bent) + offset;
            let blended = match blend {
                Blend::Add => ground + height,
                Blend::Subtract => ground - height,
                Blend::Multiply => ground * height,
                Blend::Max => ground.max(height),
                Blend::Min => ground.min(height),
                Blend::Replace => height,
            };
            let share = weight * mask.as_ref().map_or(1.0, |mask| mask(place, ground));
            ground + share * (blended - ground)
        })
    }
}
