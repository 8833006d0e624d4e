// The light of opaque things in space: particles, solid meshes and ground that is a mesh, once for each sample.

@group(1) @binding(0) var bodies: texture_2d<u32>;
@group(1) @binding(1) var body_depths: texture_2d<f32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(vec2f(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0, 0.0, 1.0);
}

@fragment
fn fragment(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let body = textureLoad(bodies, vec2i(at.xy), 0).xy;
    if body.x == 0u {
        discard;
    }
    let ray = ray_at(at.xy);
    let place = ray.start + ray.direction * way_of(textureLoad(body_depths, vec2i(at.xy), 0).r, ray.direction);
    let normal = unfolded(body.y);
    let paint = unpack4x8unorm(body.x);
    if abs(paint.a - EARTH) < 0.01 {
        return vec4f(earth_light(ray, place, normal, paint.r * paint.r, paint.g > 0.5), 1.0);
    }
    // Particles lie among others, which take the sky from their flanks.
    let crowded = select(0.0, 0.4, paint.a > 0.9 && has(OCCLUSION));
    let open = 1.0 - crowded * (1.0 - max(dot(normal, -ray.direction), 0.0));
    let light = lit(paint.rgb * paint.rgb, normal, open, paint.a, place);
    return vec4f(through_air(light, place), 1.0);
}
