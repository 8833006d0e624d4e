// Meshes: solid bodies, and surfaces of water.

struct Corner {
    @location(0) place: vec3f,
    @location(1) normal: vec3f,
    @location(2) colour: vec4f,
}

struct Seen {
    @builtin(position) clip: vec4f,
    @location(0) place: vec3f,
    @location(1) normal: vec3f,
    @location(2) @interpolate(flat) colour: vec4f,
}

fn raised(place: vec3f) -> vec3f {
    return vec3f(place.xy, place.z * frame.grid.w);
}

@vertex
fn vertex(corner: Corner) -> Seen {
    let place = raised(corner.place);
    // Normals turn against the stretch.
    let normal = normalize(corner.normal * vec3f(frame.grid.ww, 1.0) + vec3f(0.0, 0.0, 1.0e-9));
    return Seen(frame.clip_from_world * vec4f(place, 1.0), place, normal, corner.colour);
}

@vertex
fn shadow_vertex(corner: Corner) -> @builtin(position) vec4f {
    return frame.shadow_from_world * vec4f(raised(corner.place), 1.0);
}

@fragment
fn solid_fragment(seen: Seen, @builtin(front_facing) front: bool) -> Body {
    let normal = normalize(seen.normal) * select(-1.0, 1.0, front);
    return body_of(paint_of(seen.colour.rgb, 0.25), normal);
}

// The nearest surface of water.
@fragment
fn water_fragment(seen: Seen, @builtin(front_facing) front: bool) -> @location(0) vec2u {
    let normal = normalize(seen.normal) * select(-1.0, 1.0, front);
    return surface_of(normal, seen.clip.z, 0.0, 0.0);
}

@group(1) @binding(0) var behind_depths: texture_2d<f32>;

// Water along the ray [m], summed over all surfaces: from where the ray enters to what is behind, less from
// where it leaves, into alpha. Without a far side the water reaches to what is behind.
@fragment
fn thickness_fragment(seen: Seen, @builtin(front_facing) front: bool) -> @location(0) vec4f {
    let behind = textureLoad(behind_depths, vec2i(seen.clip.xy), 0).r;
    if seen.clip.z <= behind {
        discard;
    }
    let ray = ray_at(seen.clip.xy);
    // Any end will do if all surfaces count to the same one; a near one keeps the differences exact.
    var end = dot(frame.ball.xyz - ray.start, ray.direction) + frame.ball.w;
    if behind > 0.0 {
        end = min(end, way_of(behind, ray.direction));
    }
    let room = max(end - dot(seen.place - ray.start, ray.direction), 0.0);
    return vec4f(0.0, 0.0, 0.0, select(-room, room, front));
}
