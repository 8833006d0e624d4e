// Spray: drops too small to be seen one by one, as mist in front of what is behind them.

// Water along the ray, the sediment, the foam and the spray in it [m]; coarser than the picture.
@group(1) @binding(0) var thickness: texture_2d<f32>;
@group(1) @binding(1) var depths: texture_2d<f32>;

// Spray as thick as a particle hides six tenths of what is behind.
const OPACITY = 0.9;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(vec2f(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0, 0.0, 1.0);
}

// Light, multiplied with how much it hides.
@fragment
fn fragment(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let water = textureSampleLevel(thickness, clamped, at.xy * frame.viewport.zw, 0.0);
    let hidden = 1.0 - exp(-OPACITY * frame.water.w * water.a / (2.0 * frame.particles.w));
    if hidden < 0.002 {
        discard;
    }
    const UP = vec3f(0.0, 0.0, 1.0);
    let ray = ray_at(at.xy);
    let depth = textureLoad(depths, vec2i(at.xy), 0).r;
    // Before the sky there is nothing that shades it.
    var place = ray.start;
    var seen = 1.0;
    if depth > 0.0 {
        place += ray.direction * way_of(depth, ray.direction);
        seen = sun_seen(place, UP);
    }
    let mud = mud_of(water.g / (water.r + water.a), frame.depths.z);
    // Drops scatter light from all sides.
    let day = frame.sun_light.rgb * seen * 0.5 + skylight(UP);
    let light = mix(vec3f(0.85), 2.0 * MUD_COLOUR, mud) * day;
    return vec4f(through_air(light, place) * hidden, hidden);
}
