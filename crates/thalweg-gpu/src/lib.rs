//! A graphics device for computing and drawing, on hardware or in software.
//!
//! [`choose`] looks for the best adapter that has what its [`Needs`] say, [`Gpu::new`] opens it;
//! [`Gpu::is_software`] tells whether it is the processor pretending to be one. [`Gpu::shader`] joins parts of
//! WGSL, [`Gpu::texture_bytes`] and [`Gpu::buffer_values`] bring results back, and [`Gpu::guarded`] turns
//! what goes wrong in between into a [`GpuError`]. Nothing here knows what is computed or drawn.
//!
//! ```no_run
//! let gpu = thalweg_gpu::Gpu::new(&thalweg_gpu::Needs::default())?;
//! println!("{}", gpu.describe());
//! # Ok::<(), thalweg_gpu::GpuError>(())
//! ```

mod choice;
mod device;
#[cfg(not(target_arch = "wasm32"))]
mod readback;
mod trouble;

#[cfg(not(target_arch = "wasm32"))]
pub use choice::choose;
pub use choice::{Breadth, Candidate, Choice, Needs, none_found};
pub use device::{Gpu, GpuError};
pub use wgpu;
