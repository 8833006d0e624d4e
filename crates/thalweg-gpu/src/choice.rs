//! Choosing an adapter: the best one that can do all that is needed.

use wgpu::{
    Adapter, Backend, Backends, DeviceType, DownlevelFlags, Limits, TextureFormat, TextureFormatFeatureFlags,
    TextureUsages,
};

#[cfg(not(target_arch = "wasm32"))]
use crate::trouble::caught;
use crate::trouble::in_one_line;
use crate::{Gpu, GpuError};

/// What a device must be able to do for whoever works with it.
#[derive(Clone, Debug)]
pub struct Needs<'a> {
    /// Formats of textures, what they are used for, and what else that takes: blending, filtering.
    pub formats: &'a [(TextureFormat, TextureUsages, TextureFormatFeatureFlags)],
    /// Sizes and counts, at least. Sizes of textures and buffers are raised to what is there.
    pub limits: Limits,
    /// Abilities that older devices lack.
    pub abilities: DownlevelFlags,
}

impl Default for Needs<'_> {
    /// What a browser guarantees.
    fn default() -> Self {
        Self { formats: &[], limits: Limits::default(), abilities: DownlevelFlags::empty() }
    }
}

impl Needs<'_> {
    /// What the adapter lacks, in words; `None` if it lacks nothing.
    fn lacking(&self, adapter: &Adapter) -> Option<String> {
        let mut lacks = Vec::new();
        for (format, usages, flags) in self.formats {
            let can = adapter.get_texture_format_features(*format);
            let uses = (*usages - can.allowed_usages).iter_names().map(|(name, _)| name);
            let also = (*flags - can.flags).iter_names().map(|(name, _)| name);
            let missing: Vec<_> =
                uses.chain(also).map(|name| name.to_lowercase().replace('_', " ")).collect();
            if !missing.is_empty() {
                lacks.push(format!("{format:?} as {}", missing.join(" and ")));
            }
        }
        self.limits.check_limits_with_fail_fn(&adapter.limits(), false, |name, wanted, has| {
            lacks.push(format!("{} {wanted} (it has {has})", name.replace('_', " ")));
        });
        let missing = self.abilities - adapter.get_downlevel_capabilities().flags;
        lacks.extend(missing.iter_names().map(|(name, _)| name.to_lowercase().replace('_', " ")));
        (!lacks.is_empty()).then(|| lacks.join(", "))
    }
}

/// An adapter that was looked at.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// How it is spoken to: `vulkan`, `metal`, `dx12`, `gl`.
    pub backend: String,
    /// Whether the processor does its work.
    pub software: bool,
    /// Why it was passed over; `None` if it does all that is needed.
    pub passed_over: Option<String>,
}

impl Candidate {
    #[cfg(not(target_arch = "wasm32"))]
    fn new(info: &wgpu::AdapterInfo) -> Self {
        Self {
            name: info.name.clone(),
            backend: info.backend.to_string(),
            software: info.device_type == DeviceType::Cpu,
            passed_over: None,
        }
    }

    /// A sentence that tells why it was passed over.
    pub fn complaint(&self) -> Option<String> {
        self.passed_over.as_ref().map(|why| format!("{}: {why}", self.describe()))
    }

    /// The adapter's name, and how it is spoken to.
    pub fn describe(&self) -> String {
        let kind = if self.software { ", software" } else { "" };
        format!("{} ({}{kind})", self.name, self.backend)
    }
}

/// What became of a choice.
#[derive(Debug)]
pub struct Choice<T> {
    /// What the first adapter that does all that is needed was made into.
    pub made: Result<T, GpuError>,
    /// All that were looked at, in the order of preference.
    pub candidates: Vec<Candidate>,
}

/// How many adapters to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breadth {
    /// Up to the first that will do.
    First,
    /// All there are.
    All,
}

/// Looks at the adapters here, best first: graphics cards before the processor, then Vulkan, Metal and Direct3D before
/// OpenGL; `WGPU_BACKEND` (`vulkan`, `gl`, ...) narrows the choice. The first that has what is needed, gives a
/// device and lets `make` succeed is taken.
#[cfg(not(target_arch = "wasm32"))]
pub fn choose<T>(
    needs: &Needs,
    breadth: Breadth,
    mut make: impl FnMut(&Gpu) -> Result<T, GpuError>,
) -> Choice<T> {
    let list = |backends| caught(|| Ok(pollster::block_on(adapters(backends)))).unwrap_or_default();
    let mut choice = Choice { made: Err(none_found()), candidates: Vec::new() };
    let (cards, mut others): (Vec<_>, Vec<_>) =
        list(allowed() & Backends::PRIMARY).into_iter().partition(|adapter| !is_software(adapter));
    choice.consider(&cards, needs, breadth, &mut make);
    // OpenGL is asked only where no card answers otherwise: starting it takes time.
    if choice.made.is_err() || breadth == Breadth::All {
        others.extend(list(allowed() & Backends::SECONDARY));
        others.sort_by_key(rank);
        choice.consider(&others, needs, breadth, &mut make);
    }
    if choice.made.is_err() && !choice.candidates.is_empty() {
        let reasons: Vec<_> = choice.candidates.iter().filter_map(Candidate::complaint).collect();
        choice.made = Err(GpuError::NoneWillDo { reasons: reasons.join("; ") });
    }
    choice
}

#[cfg(not(target_arch = "wasm32"))]
impl<T> Choice<T> {
    fn consider(
        &mut self,
        adapters: &[Adapter],
        needs: &Needs,
        breadth: Breadth,
        make: &mut impl FnMut(&Gpu) -> Result<T, GpuError>,
    ) {
        for adapter in adapters {
            if self.made.is_ok() && breadth == Breadth::First {
                return;
            }
            let mut candidate = Candidate::new(&adapter.get_info());
            let opened = caught(|| pollster::block_on(open(adapter, needs)));
            match opened.and_then(|gpu| gpu.guarded(|| make(&gpu))) {
                Ok(made) if self.made.is_err() => self.made = Ok(made),
                Ok(_) => {}
                Err(error) => candidate.passed_over = Some(error.to_string()),
            }
            self.candidates.push(candidate);
        }
    }
}

/// A device of the adapter, if it has what is needed.
pub(crate) async fn open(adapter: &Adapter, needs: &Needs<'_>) -> Result<Gpu, GpuError> {
    if let Some(what) = needs.lacking(adapter) {
        return Err(GpuError::Lacks { what });
    }
    let can = adapter.limits();
    let required_limits = Limits {
        max_texture_dimension_2d: can.max_texture_dimension_2d,
        max_buffer_size: can.max_buffer_size,
        max_storage_buffer_binding_size: can.max_storage_buffer_binding_size,
        ..needs.limits.clone()
    };
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("thalweg"),
        required_features: adapter.features() & wgpu::Features::TIMESTAMP_QUERY,
        required_limits,
        ..Default::default()
    };
    let opened = adapter.request_device(&descriptor).await;
    let (device, queue) =
        opened.map_err(|error| GpuError::NoDevice { reason: in_one_line(&error.to_string()) })?;
    Ok(Gpu::from_parts(device, queue, adapter.get_info()))
}

/// What the choice of backends is narrowed to, if it is.
fn narrowed() -> Option<String> {
    std::env::var("WGPU_BACKEND").ok().filter(|backends| !backends.trim().is_empty())
}

/// The backends that may be used.
pub(crate) fn allowed() -> Backends {
    narrowed().and_then(|_| Backends::from_env()).unwrap_or(Backends::all())
}

/// Why there is no adapter.
pub fn none_found() -> GpuError {
    narrowed().map_or(GpuError::NoAdapter, |backends| GpuError::Narrowed { backends })
}

/// The adapters of some backends, best first.
pub(crate) async fn adapters(backends: Backends) -> Vec<Adapter> {
    if backends.is_empty() {
        return Vec::new();
    }
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = backends;
    let mut adapters = wgpu::Instance::new(descriptor).enumerate_adapters(backends).await;
    adapters.sort_by_key(rank);
    adapters
}

fn is_software(adapter: &Adapter) -> bool {
    adapter.get_info().device_type == DeviceType::Cpu
}

/// Lower is better.
fn rank(adapter: &Adapter) -> (bool, bool, u8) {
    let info = adapter.get_info();
    let kind = match info.device_type {
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other | DeviceType::Cpu => 3,
    };
    (is_software(adapter), info.backend == Backend::Gl, kind)
}
