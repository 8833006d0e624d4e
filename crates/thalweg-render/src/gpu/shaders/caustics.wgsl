// Sunlight on the bed below waves. A net of light enters the water and is carried down along refracted
// rays; where it is drawn together the bed is brighter, by the ratio of the areas. Each mesh of the net
// brings along the light that entered it, so that none is lost (Shah, Konttinen & Pattanaik 2007, with
// areas in place of points).
//
// The map is laid out by where light would enter flat water: flat water gives 1 everywhere.

struct Seen {
    @builtin(position) clip: vec4f,
    // Where the light entered [texels].
    @location(0) entered: vec2f,
}

@vertex
fn vertex(@location(0) at: vec2f) -> Seen {
    let extent = frame.grid.xy * frame.grid.z;
    let place = at * extent;
    let uv = uv_from_world(place);
    let water = textureSampleLevel(waters, clamped, uv, 0.0);
    let velocity = textureSampleLevel(flows, clamped, uv, 0.0).rg;
    let depth = max(water.y, 0.0) * step(0.5, water.x);
    let normal = upright(rippled(water, velocity, ripples_at(place, velocity, 0.0).xy));
    let waved = refract(-frame.sun.xyz, normal, 1.0 / INDEX);
    let flat_ray = refract(-frame.sun.xyz, vec3f(0.0, 0.0, 1.0), 1.0 / INDEX);
    let shift = depth * frame.grid.w * (waved.xy / -waved.z - flat_ray.xy / -flat_ray.z);
    // No light leaves through the edges.
    let room = 0.5 * min(place, extent - place);
    let lands = (place + clamp(shift, -room, room)) / extent;
    let texels = frame.caustics.x;
    return Seen(vec4f(lands * 2.0 - 1.0, 0.0, 1.0), vec2f(at.x, 1.0 - at.y) * texels);
}

@fragment
fn fragment(seen: Seen) -> @location(0) vec4f {
    let x = dpdx(seen.entered);
    let y = dpdy(seen.entered);
    return vec4f(abs(x.x * y.y - x.y * y.x), 0.0, 0.0, 1.0);
}
