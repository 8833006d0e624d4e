//! Wave particles: pieces of wave fronts, each a bump of the surface that goes straight on from one event to the next.
//!
//! Where a particle is at any time follows from where it last changed, so that nothing is carried from step to step: results do not
//! depend on how long steps are, and no wall is passed between two of them.

mod columns;
mod law;
mod packet;
mod queue;

pub(crate) use columns::WaveParticles;
pub(crate) use law::{Law, Particle, faded as faded_height};
pub(crate) use packet::Packet;
pub(crate) use queue::{Event, Kind, Queue};
