//! What goes to the device comes back as it was.

use thalweg_gpu::{Breadth, Gpu, GpuError, Needs, choose, wgpu};
use wgpu::util::DeviceExt;

fn gpu() -> Gpu {
    Gpu::new(&Needs::default()).expect("the tests need a graphics adapter, in software if need be")
}

#[test]
fn buffers_come_back_as_they_went() {
    let gpu = gpu();
    let values: Vec<f32> = (0..1000).map(|i| i as f32 * 0.37 - 5.0).collect();
    let buffer = gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: None,
        contents: bytemuck::cast_slice(&values),
        usage: wgpu::BufferUsages::COPY_SRC,
    });
    assert_eq!(gpu.buffer_values::<f32>(&buffer).unwrap(), values);
}

/// Rows are padded to 256 bytes on the way; 37 texels of 4 bytes need that.
#[test]
fn textures_come_back_without_padding() {
    let gpu = gpu();
    let size = wgpu::Extent3d { width: 37, height: 5, depth_or_array_layers: 1 };
    let bytes: Vec<u8> = (0..37 * 5 * 4).map(|i| (i * 7 % 251) as u8).collect();
    let texture = gpu.device.create_texture_with_data(
        &gpu.queue,
        &wgpu::TextureDescriptor {
            label: None,
            size,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8Unorm,
            usage: wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        },
        wgpu::util::TextureDataOrder::LayerMajor,
        &bytes,
    );
    assert_eq!(gpu.texture_bytes(&texture).unwrap(), bytes);
}

/// Parts that are joined see each other, in the order given.
#[test]
fn parts_of_a_shader_are_joined() {
    let gpu = gpu();
    let twice = "fn twice(x: u32) -> u32 { return 2u * x; }";
    let main = "@group(0) @binding(0) var<storage, read_write> values: array<u32>;
        @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) at: vec3u) {
            values[at.x] = twice(values[at.x]);
        }";
    let module = gpu.shader("twice", &[twice, main]);
    let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: Default::default(),
        cache: None,
    });
    let buffer = gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: None,
        contents: bytemuck::cast_slice(&[1_u32, 20, 300, 4000]),
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
    });
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() }],
    });
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    }
    gpu.queue.submit([encoder.finish()]);
    assert_eq!(gpu.buffer_values::<u32>(&buffer).unwrap(), [2, 40, 600, 8000]);
}

#[test]
fn what_is_too_large_is_refused_with_the_limit() {
    let error = gpu().admit_texture("a terrain", [1 << 30, 4]).unwrap_err();
    assert!(matches!(error, GpuError::TooLarge { wanted, .. } if wanted == 1 << 30), "{error}");
    assert!(error.to_string().starts_with("a terrain of 1073741824 is more than the "), "{error}");
}

#[test]
fn no_adapter_is_one_sentence_that_tells_what_to_install() {
    let message = GpuError::NoAdapter.to_string();
    assert_eq!(message.lines().count(), 1);
    if cfg!(target_os = "linux") {
        assert!(message.contains("mesa-vulkan-drivers"), "{message}");
    }
}

/// A texture without texels, which no device makes.
fn ask_for_nonsense(gpu: &Gpu) {
    let _refused = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("nonsense"),
        size: wgpu::Extent3d { width: 0, height: 1, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage: wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
}

#[test]
fn what_the_device_refuses_is_one_sentence_and_the_next_work_goes_on() {
    let gpu = gpu();
    let refused = gpu.guarded(|| {
        ask_for_nonsense(&gpu);
        Ok(())
    });
    let message = refused.unwrap_err().to_string();
    assert!(message.starts_with("the graphics device failed: ") && message.contains("nonsense"), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    gpu.guarded(|| gpu.wait()).expect("the device is as good as before");
}

/// wgpu panics when a device is lost while it is waited for; whoever waits must not.
#[test]
fn a_panic_inside_the_work_is_an_error() {
    let error = gpu().guarded(|| -> Result<(), _> { panic!("the driver\ngave up") }).unwrap_err();
    let message = error.to_string();
    assert!(message.starts_with("the graphics device failed: the driver: gave up ("), "{message}");
}

#[test]
fn a_lost_device_is_an_error_and_stays_lost() {
    let gpu = gpu();
    gpu.device.destroy();
    for attempt in 0..2 {
        let error = gpu.guarded(|| gpu.wait()).expect_err("the device is gone");
        assert!(matches!(error, GpuError::Lost { .. }), "attempt {attempt}: {error}");
    }
}

#[test]
fn an_adapter_that_lacks_something_is_passed_over_by_name() {
    use wgpu::{TextureFormat, TextureFormatFeatureFlags, TextureUsages};
    let formats =
        [(TextureFormat::Rgb9e5Ufloat, TextureUsages::STORAGE_BINDING, TextureFormatFeatureFlags::BLENDABLE)];
    let limits = wgpu::Limits { max_texture_dimension_2d: 1 << 30, ..wgpu::Limits::default() };
    let needs = Needs { formats: &formats, limits, ..Needs::default() };
    let choice = choose(&needs, Breadth::All, |gpu| Ok(gpu.clone()));
    assert!(!choice.candidates.is_empty(), "the tests need a graphics adapter, in software if need be");
    let message = choice.made.unwrap_err().to_string();
    for candidate in &choice.candidates {
        let complaint = candidate.complaint().expect("no adapter has all that");
        assert!(message.contains(&complaint) && complaint.contains(&candidate.name), "{message}");
        for word in ["Rgb9e5Ufloat as storage binding and blendable", "max texture dimension 2d 1073741824"] {
            assert!(complaint.contains(word), "{complaint}");
        }
    }
}

/// Where the work cannot be set up on the first adapter, the next is tried.
#[test]
fn an_adapter_that_fails_at_the_work_is_passed_over() {
    let choice = choose(&Needs::default(), Breadth::First, |gpu| -> Result<(), _> {
        ask_for_nonsense(gpu);
        Ok(())
    });
    let message = choice.made.unwrap_err().to_string();
    assert!(
        message.starts_with("no graphics adapter will do: ") && message.contains("nonsense"),
        "{message}"
    );
    assert_eq!(message.lines().count(), 1, "{message}");
}
