// What is behind the water: its light, and in alpha how much water of particles is in front of it [m].
// One texture for both: a shader may read no more than sixteen.

@group(1) @binding(0) var light: texture_2d<f32>;
@group(1) @binding(1) var thickness: texture_2d<f32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(vec2f(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0, 0.0, 1.0);
}

@fragment
fn fragment(@builtin(position) at: vec4f) -> @location(0) vec4f {
    // Splats do not know that heights are stretched.
    let water = textureSampleLevel(thickness, clamped, at.xy * frame.viewport.zw, 0.0).r * frame.grid.w;
    return vec4f(textureLoad(light, vec2i(at.xy), 0).rgb, water);
}
