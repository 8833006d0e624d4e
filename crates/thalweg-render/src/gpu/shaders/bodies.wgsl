// The light of opaque things in space: particles, solid meshes and ground that is a mesh, once for each sample.

@group(1) @binding(0) var bodies: texture_2d<u32>;
@group(1) @binding(1) var body_depths: texture_2d<f32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(vec2f(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0, 0.0, 1.0);
}

// What bodies mirror: the sky, and below it the water or the ground.
fn surroundings(direction: vec3f) -> vec3f {
    let below = 0.25 * sky(normalize(vec3f(direction.xy, 0.3))) + 0.3 * frame.palette[7].rgb;
    return mix(below, sky(vec3f(direction.xy, max(direction.z, 0.0))), smoothstep(-0.15, 0.1, direction.z));
}

// A coat over a body's own light, or bare metal.
fn finished(light: vec3f, albedo: vec3f, kind: f32, normal: vec3f, ray: vec3f, place: vec3f) -> vec3f {
    let metal = abs(kind - METAL) < 0.01;
    let facing = clamp(-dot(normal, ray), 0.0, 1.0);
    let edge = pow(1.0 - facing, 5.0);
    let image = surroundings(reflect(ray, normal));
    let halfway = normalize(frame.sun.xyz - ray);
    let sun = frame.sun_light.rgb * sun_seen(place, normal) * max(dot(normal, frame.sun.xyz), 0.0);
    let shine = pow(max(dot(normal, halfway), 0.0), select(180.0, 60.0, metal));
    if metal {
        return 0.25 * light + 0.8 * albedo * image + sun * albedo * 4.0 * shine;
    }
    let coat = select(1.0, 0.45, abs(kind - WOOD) < 0.01);
    let share = coat * (0.04 + 0.6 * edge);
    return mix(light, image, share) + sun * coat * 1.5 * shine;
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
    var light = lit(paint.rgb * paint.rgb, normal, open, paint.a, place);
    if abs(paint.a - PAINT) < 0.01 || abs(paint.a - METAL) < 0.01 || abs(paint.a - WOOD) < 0.01 {
        light = finished(light, paint.rgb * paint.rgb, paint.a, normal, ray.direction, place);
    }
    return vec4f(through_air(light, place), 1.0);
}
