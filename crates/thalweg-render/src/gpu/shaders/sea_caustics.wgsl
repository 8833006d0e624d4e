// Sunlight on the bed below the waves of the sea or of a sheet of water: a net of light as in `caustics.wgsl`.

@group(1) @binding(2) var sea_slopes: texture_2d_array<f32>;

struct Seen {
    @builtin(position) clip: vec4f,
    // Where the light entered [texels].
    @location(0) entered: vec2f,
}

@vertex
fn vertex(@location(0) at: vec2f) -> Seen {
    let extent = frame.grid.xy * frame.grid.z;
    let place = at * extent;
    var depth = frame.sea.x * frame.grid.w - bed_at(place);
    if has(SHEET) {
        depth = top_at(place) - bed_at(place);
    }
    depth = max(depth, 0.0);
    // Meshes of the net cannot tell waves much shorter than they are, and light of waves much shorter than the water is
    // deep is spread evenly.
    let mesh = max(2.0 * max(extent.x, extent.y) / 512.0, 0.08 * depth);
    let inner = on_grid(place);
    let share = sea_share(place, inner);
    var slope = vec2f(0.0);
    if share > 0.0 {
        for (var i = 0u; i < u32(frame.sea.z); i++) {
            slope += share * textureSampleLevel(sea_slopes, tiled, square_uv(i, place), i, square_lod(i, mesh)).xy;
        }
    }
    slope += inner * textureSampleLevel(grid_waves, clamped, uv_from_world(place), 1, 0.0).xy;
    let tile = frame.sea.w;
    slope += 0.055 * frame.ripples.x * ripple_pair((place + vec2f(0.31, 0.13) * frame.forward.w) / tile, log2(max(mesh / tile * 256.0, 0.01))).xy;
    let waved = refract(-frame.sun.xyz, upright(slope), 1.0 / INDEX);
    let flat_ray = refract(-frame.sun.xyz, vec3f(0.0, 0.0, 1.0), 1.0 / INDEX);
    let shift = depth * (waved.xy / -waved.z - flat_ray.xy / -flat_ray.z);
    // No light leaves through the edges.
    let room = 0.5 * min(place, extent - place);
    let lands = (place + clamp(shift, -room, room)) / extent;
    return Seen(vec4f(lands * 2.0 - 1.0, 0.0, 1.0), vec2f(at.x, 1.0 - at.y) * frame.caustics.x);
}

@fragment
fn fragment(seen: Seen) -> @location(0) vec4f {
    let x = dpdx(seen.entered);
    let y = dpdy(seen.entered);
    return vec4f(abs(x.x * y.y - x.y * y.x), 0.0, 0.0, 1.0);
}
