// From light to a picture: samples are toned, averaged, dithered and written as sRGB.

struct Finish {
    // Samples along each side of a pixel; whether the target does not encode sRGB itself.
    samples: u32,
    encode: u32,
    unused: vec2u,
}

@group(0) @binding(0) var light: texture_2d<f32>;
@group(0) @binding(1) var<uniform> finish: Finish;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(vec2f(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0, 0.0, 1.0);
}

// Straight up to a knee, then bending towards white: bright snow keeps its form.
fn tone(light: vec3f) -> vec3f {
    const KNEE = 0.55;
    let bent = 1.0 - (1.0 - KNEE) * exp(-(max(light, vec3f(KNEE)) - KNEE) / (1.0 - KNEE));
    return select(bent, light, light <= vec3f(KNEE));
}

fn srgb(light: vec3f) -> vec3f {
    let high = 1.055 * pow(max(light, vec3f(0.0031308)), vec3f(1.0 / 2.4)) - 0.055;
    return select(high, light * 12.92, light <= vec3f(0.0031308));
}

// Random in 0 to 1 for a pixel (Jarzynski & Olano 2020).
fn noise(pixel: vec2u) -> f32 {
    var v = pixel.x * 1664525u + pixel.y * 22695477u + 1013904223u;
    v = ((v >> ((v >> 28u) + 4u)) ^ v) * 277803737u;
    return f32((v >> 22u) ^ v) / 4294967295.0;
}

@fragment
fn fragment(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let pixel = vec2u(at.xy);
    var sum = vec3f(0.0);
    // Toned before they are averaged: one bright sample must not hide its neighbours.
    for (var y = 0u; y < finish.samples; y++) {
        for (var x = 0u; x < finish.samples; x++) {
            let sample = textureLoad(light, vec2i(pixel * finish.samples + vec2u(x, y)), 0).rgb;
            sum += clamp(tone(max(sample, vec3f(0.0))), vec3f(0.0), vec3f(1.0));
        }
    }
    let mean = sum / f32(finish.samples * finish.samples);
    if finish.encode == 0u {
        return vec4f(mean, 1.0);
    }
    // Half a step of noise hides the steps of 8 bits in the sky.
    return vec4f(srgb(mean) + (noise(pixel) - 0.5) / 255.0, 1.0);
}
