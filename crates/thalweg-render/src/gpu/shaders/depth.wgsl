// A copy of depths. Drawn, because not every device copies them otherwise.

@group(1) @binding(0) var depths: texture_2d<f32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(vec2f(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0, 0.0, 1.0);
}

@fragment
fn fragment(@builtin(position) at: vec4f) -> @builtin(frag_depth) f32 {
    return textureLoad(depths, vec2i(at.xy), 0).r;
}
