// What is behind the sea: copies of light and depths. Drawn, because not every device copies them otherwise.

@group(1) @binding(0) var light: texture_2d<f32>;
@group(1) @binding(1) var depths: texture_2d<f32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(vec2f(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0, 0.0, 1.0);
}

@fragment
fn light_fragment(@builtin(position) at: vec4f) -> @location(0) vec4f {
    return textureLoad(light, vec2i(at.xy), 0);
}

@fragment
fn depth_fragment(@builtin(position) at: vec4f) -> @builtin(frag_depth) f32 {
    return textureLoad(depths, vec2i(at.xy), 0).r;
}
