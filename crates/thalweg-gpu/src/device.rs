//! Choosing a device.

use wgpu::{Adapter, AdapterInfo, Backends, DeviceType};

/// What to install where there is no adapter.
pub const NEEDS: &str = if cfg!(target_os = "linux") {
    "install the graphics card's Vulkan driver, or Mesa's software one (Debian: apt-get install mesa-vulkan-drivers)"
} else {
    "install a graphics driver with Vulkan, Metal or Direct3D 12"
};

/// Why there is no device.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GpuError {
    /// No adapter at all.
    #[error("no graphics adapter was found; {NEEDS}")]
    NoAdapter,
    /// The adapter is there but gives no device.
    #[error("the graphics adapter {adapter} gives no device: {reason}")]
    NoDevice {
        /// Which.
        adapter: String,
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
}

impl Gpu {
    /// The best adapter here: a graphics card before the processor, Vulkan, Metal and Direct3D before
    /// OpenGL. `WGPU_BACKEND` (`vulkan`, `gl`, ...) narrows the choice.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn new() -> Result<Self, GpuError> {
        pollster::block_on(Self::request())
    }

    /// As `new`, for places that cannot wait.
    pub async fn request() -> Result<Self, GpuError> {
        let allowed = Backends::from_env().unwrap_or(Backends::all());
        // OpenGL is asked only where nothing else answers: starting it costs time, and Mesa complains on
        // standard error where no display is set up.
        for backends in [allowed & Backends::PRIMARY, allowed & Backends::SECONDARY] {
            if backends.is_empty() {
                continue;
            }
            let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
            descriptor.backends = backends;
            let instance = wgpu::Instance::new(descriptor);
            let options = wgpu::RequestAdapterOptions {
                power_preference: wgpu::PowerPreference::HighPerformance,
                ..Default::default()
            };
            if let Ok(adapter) = instance.request_adapter(&options).await {
                return Self::from_adapter(&adapter).await;
            }
        }
        Err(GpuError::NoAdapter)
    }

    async fn from_adapter(adapter: &Adapter) -> Result<Self, GpuError> {
        let info = adapter.get_info();
        let can = adapter.limits();
        // The defaults are what a browser guarantees; only sizes are raised to what is there.
        let required_limits = wgpu::Limits {
            max_texture_dimension_2d: can.max_texture_dimension_2d,
            max_buffer_size: can.max_buffer_size,
            max_storage_buffer_binding_size: can.max_storage_buffer_binding_size,
            ..wgpu::Limits::default()
        };
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("thalweg"),
            required_features: adapter.features() & wgpu::Features::TIMESTAMP_QUERY,
            required_limits,
            ..Default::default()
        };
        let (device, queue) = adapter
            .request_device(&descriptor)
            .await
            .map_err(|error| GpuError::NoDevice { adapter: info.name.clone(), reason: error.to_string() })?;
        Ok(Self { device, queue, info })
    }

    /// Takes over a device that somebody else made, a window for example.
    pub fn from_parts(device: wgpu::Device, queue: wgpu::Queue, info: AdapterInfo) -> Self {
        Self { device, queue, info }
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
