// The surface of the sea, or of a sheet of water on the grid: a net of triangles around the point below the eye, finer
// where the picture is. This pass finds which water is seen where; `sea_light.wgsl` works out its light.

// Height of a sheet of water on the grid [m].
@group(1) @binding(2) var sheet_heights: texture_2d<f32>;
// Nearest front and back of the rooms that no water enters.
@group(1) @binding(3) var dry_fronts: texture_2d<f32>;
@group(1) @binding(4) var dry_backs: texture_2d<f32>;

struct Seen {
    @builtin(position) clip: vec4f,
    // Place of the water at rest [m].
    @location(0) rest: vec2f,
}

// `knot`: place at rest, distance to its neighbours [m].
@vertex
fn vertex(@location(0) knot: vec3f) -> Seen {
    let rest = knot.xy;
    let shift = moved(rest, knot.z);
    var level = frame.sea.x;
    if has(SHEET) {
        level = between(sheet_heights, cell_from_world(rest));
    }
    let place = vec3f(rest + shift.xy, (level + shift.z) * frame.grid.w);
    return Seen(frame.clip_from_world * vec4f(place, 1.0), rest);
}

@fragment
fn fragment(seen: Seen) -> @location(0) vec2u {
    let extent = frame.grid.xy * frame.grid.z;
    let on = all(seen.rest > vec2f(0.0)) && all(seen.rest < extent);
    if has(SHEET) {
        if !on || textureSampleLevel(grid_waves, clamped, uv_from_world(seen.rest), 1, 0.0).a < 0.5 {
            discard;
        }
    } else if frame.overlay.z > 0.0 && on && has(LAND) {
        // What is laid over the ground must be seen.
        discard;
    }
    if frame.sea_grid.z > 0.5 {
        let front = textureLoad(dry_fronts, vec2i(seen.clip.xy), 0).r;
        let back = textureLoad(dry_backs, vec2i(seen.clip.xy), 0).r;
        // Without a front before its back, the eye is in the room.
        if seen.clip.z >= back && back > 0.0 && (front <= back || seen.clip.z <= front) {
            discard;
        }
    }
    return vec2u(bitcast<u32>(seen.rest.x), bitcast<u32>(seen.rest.y));
}
