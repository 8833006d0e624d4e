//! A device, and what can go wrong with it.

use wgpu::{AdapterInfo, DeviceType};

#[cfg(not(target_arch = "wasm32"))]
use crate::choice::{Breadth, choose};
use crate::choice::{Needs, adapters, allowed, none_found, open};
use crate::trouble::Trouble;

/// What to install where there is no adapter.
const NEEDS: &str = if cfg!(target_os = "linux") {
    "install the graphics card's Vulkan driver, or Mesa's software one (Debian: apt-get install mesa-vulkan-drivers)"
} else {
    "install a graphics driver with Vulkan, Metal or Direct3D 12"
};

/// Why a device does not do what is asked for.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GpuError {
    /// No adapter at all.
    #[error("no graphics adapter was found; {NEEDS}")]
    NoAdapter,
    /// No adapter of the backends that the environment allows.
    #[error(
        "no graphics adapter was found for WGPU_BACKEND={backends}; unset it, or name a backend of this machine (vulkan, \
         gl, metal, dx12) that has a driver"
    )]
    Narrowed {
        /// What it is set to.
        backends: String,
    },
    /// There are adapters, and none of them can do all that is needed.
    #[error("no graphics adapter will do: {reasons}; {NEEDS}")]
    NoneWillDo {
        /// Which, and why not.
        reasons: String,
    },
    /// An adapter cannot do all that is needed.
    #[error("lacks {what}")]
    Lacks {
        /// What.
        what: String,
    },
    /// An adapter is there but gives no device.
    #[error("gives no device: {reason}")]
    NoDevice {
        /// Why, in the driver's words.
        reason: String,
    },
    /// Something is larger than the adapter can hold.
    #[error("{what} of {wanted} is more than the {limit} that the graphics adapter allows")]
    TooLarge {
        /// What.
        what: &'static str,
        /// How large it would be.
        wanted: u64,
        /// How large it may be.
        limit: u64,
    },
    /// The device, its driver or wgpu refused the work.
    #[error("the graphics device failed: {reason}")]
    Failed {
        /// Why, in their words.
        reason: String,
    },
    /// The device has no memory left.
    #[error("the graphics device ran out of memory")]
    OutOfMemory,
    /// The device went away while it worked.
    #[error("the graphics device stopped working: {reason}")]
    Lost {
        /// Why, in the driver's words.
        reason: String,
    },
}

/// A device with its queue. Cheap to clone; all clones are the same device.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// Makes buffers, textures and pipelines.
    pub device: wgpu::Device,
    /// Takes work.
    pub queue: wgpu::Queue,
    info: AdapterInfo,
    pub(crate) trouble: Trouble,
}

impl Gpu {
    /// The best adapter here that does all that is needed: see [`choose`](crate::choose).
    #[cfg(not(target_arch = "wasm32"))]
    pub fn new(needs: &Needs) -> Result<Self, GpuError> {
        choose(needs, Breadth::First, |gpu| Ok(gpu.clone())).made
    }

    /// As `new`, for places that cannot wait.
    pub async fn request(needs: &Needs<'_>) -> Result<Self, GpuError> {
        let mut last = none_found();
        for adapter in adapters(allowed()).await {
            match open(&adapter, needs).await {
                Ok(gpu) => return Ok(gpu),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Takes over a device that somebody else made, a window for example; from then on it tells its errors here.
    pub fn from_parts(device: wgpu::Device, queue: wgpu::Queue, info: AdapterInfo) -> Self {
        let trouble = Trouble::of(&device);
        Self { device, queue, info, trouble }
    }

    /// True if the processor does the work of the graphics card.
    pub fn is_software(&self) -> bool {
        self.info.device_type == DeviceType::Cpu
    }

    /// The adapter's name, and how it is spoken to.
    pub fn describe(&self) -> String {
        let kind = if self.is_software() { ", software" } else { "" };
        format!("{} ({}{kind})", self.info.name, self.info.backend)
    }

    /// An error if a texture of that size cannot be made.
    pub fn admit_texture(&self, what: &'static str, size: [usize; 2]) -> Result<(), GpuError> {
        let limit = u64::from(self.device.limits().max_texture_dimension_2d);
        let wanted = size[0].max(size[1]) as u64;
        if wanted > limit { Err(GpuError::TooLarge { what, wanted, limit }) } else { Ok(()) }
    }

    /// An error if a buffer of that many bytes cannot be made.
    pub fn admit_buffer(&self, what: &'static str, bytes: u64) -> Result<(), GpuError> {
        let limit = self.device.limits().max_buffer_size;
        if bytes > limit { Err(GpuError::TooLarge { what, wanted: bytes, limit }) } else { Ok(()) }
    }

    /// Joins parts of WGSL into one module, in the order given: what is shared first.
    pub fn shader(&self, label: &str, parts: &[&str]) -> wgpu::ShaderModule {
        self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(label),
            source: wgpu::ShaderSource::Wgsl(parts.join("\n").into()),
        })
    }
}
