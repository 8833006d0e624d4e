//! A graphics device for computing and drawing, on hardware or in software.
//!
//! [`Gpu::new`] picks the best adapter there is; [`Gpu::is_software`] tells whether it is the processor
//! pretending to be one. [`Gpu::shader`] joins parts of WGSL, [`Gpu::texture_bytes`] and
//! [`Gpu::buffer_values`] bring results back. Nothing here knows what is computed or drawn.
//!
//! ```no_run
//! let gpu = thalweg_gpu::Gpu::new()?;
//! println!("{}", gpu.describe());
//! # Ok::<(), thalweg_gpu::GpuError>(())
//! ```

mod device;
#[cfg(not(target_arch = "wasm32"))]
mod readback;

pub use device::{Gpu, GpuError, NEEDS};
pub use wgpu;
