// Meshes: solid bodies, and surfaces of water.

struct Corner {
    @location(0) place: vec3f,
    @location(1) normal: vec3f,
    // Linear colour, number of the finish.
    @location(2) colour: vec4f,
    // Linear colour below the line, 1 if there is any.
    @location(3) bottom: vec4f,
    // Height above the line and way to the left: factors on a place, and what is added.
    @location(4) up: vec4f,
    @location(5) left: vec4f,
}

struct Seen {
    @builtin(position) clip: vec4f,
    @location(0) place: vec3f,
    @location(1) normal: vec3f,
    @location(2) @interpolate(flat) colour: vec4f,
    @location(3) @interpolate(flat) bottom: vec4f,
    // Height above the line, way to the left [m].
    @location(4) own: vec2f,
}

fn raised(place: vec3f) -> vec3f {
    return vec3f(place.xy, place.z * frame.grid.w);
}

@vertex
fn vertex(corner: Corner) -> Seen {
    let place = raised(corner.place);
    // Normals turn against the stretch.
    let normal = normalize(corner.normal * vec3f(frame.grid.ww, 1.0) + vec3f(0.0, 0.0, 1.0e-9));
    let own = vec2f(dot(corner.up, vec4f(corner.place, 1.0)), dot(corner.left, vec4f(corner.place, 1.0)));
    return Seen(frame.clip_from_world * vec4f(place, 1.0), place, normal, corner.colour, corner.bottom, own);
}

@vertex
fn shadow_vertex(corner: Corner) -> @builtin(position) vec4f {
    return frame.shadow_from_world * vec4f(raised(corner.place), 1.0);
}

@fragment
fn solid_fragment(seen: Seen, @builtin(front_facing) front: bool) -> Body {
    let normal = normalize(seen.normal) * select(-1.0, 1.0, front);
    var albedo = seen.colour.rgb;
    let width = fwidth(seen.own);
    if abs(seen.colour.a - WOOD) < 0.01 {
        albedo *= planks(select(seen.own.x, seen.own.y, abs(normal.z) > 0.7), width.x + width.y);
    }
    if seen.bottom.a > 0.5 {
        let below = clamp(0.5 - seen.own.x / max(width.x, 1.0e-5), 0.0, 1.0);
        albedo = mix(albedo, seen.bottom.rgb, below);
    }
    return body_of(paint_of(albedo, seen.colour.a), normal);
}

// How light planks are, and the dark seams between them.
fn planks(at: f32, width: f32) -> f32 {
    const PLANK = 0.11;
    let plank = floor(at / PLANK);
    let own = 0.86 + 0.28 * fract(sin(plank * 91.7) * 4371.3);
    let seam = abs(fract(at / PLANK) - 0.5) * 2.0;
    let dark = smoothstep(0.86, 0.95, seam) * 0.45;
    return mix(own * (1.0 - dark), 0.97, smoothstep(0.2, 0.8, width / PLANK));
}

@fragment
fn room_fronts(@builtin(front_facing) front: bool) {
    if !front {
        discard;
    }
}

@fragment
fn room_backs(@builtin(front_facing) front: bool) {
    if front {
        discard;
    }
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
