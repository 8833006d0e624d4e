// Behind everything: the sky, and the table that the block stands on.

struct Seen {
    @builtin(position) clip: vec4f,
    @location(0) at: vec2f,
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> Seen {
    // One triangle over the whole picture, at depth 0: infinitely far.
    let at = vec2f(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    return Seen(vec4f(at, 0.0, 1.0), at);
}

// Lines every `step` metres, `width` metres of picture per pixel.
fn lines(place: vec2f, step: f32, width: vec2f) -> f32 {
    let away = abs(fract(place / step - 0.5) - 0.5) * step / max(width, vec2f(1.0e-6));
    let line = 1.0 - clamp(min(away.x, away.y) - 0.3, 0.0, 1.0);
    // Lines nearer than a few pixels would shimmer.
    return line * (1.0 - smoothstep(0.1, 0.4, max(width.x, width.y) / step));
}

@fragment
fn fragment(seen: Seen) -> @location(0) vec4f {
    let ray = ray_through(seen.at);
    let drop = ray.start.z - frame.heights.z;
    let down = drop > 0.0 && ray.direction.z < -1.0e-4;
    let way = drop / max(-ray.direction.z, 1.0e-4);
    let place = ray.start + ray.direction * way;
    let width = fwidth(place.xy);
    if !down {
        return vec4f(sky(ray.direction) + sun_disc(ray.direction) * f32(has(SKY)), 1.0);
    }
    let extent = frame.grid.xy * frame.grid.z;
    let side = max(extent.x, extent.y);
    let middle = 0.5 * extent;
    // The block's soft contact shadow, and the sun's.
    let beside = length(max(abs(place.xy - middle) - middle, vec2f(0.0))) / side;
    let contact = 1.0 - 0.45 * exp(-beside / 0.03) - 0.12 * exp(-beside / 0.2);
    let up = vec3f(0.0, 0.0, 1.0);
    var albedo = vec3f(0.40, 0.41, 0.42);
    if has(GRID) {
        let step = pow(10.0, round(log2(side / 12.0) / log2(10.0)));
        let line = max(0.5 * lines(place.xy, step, width), lines(place.xy, 5.0 * step, width));
        albedo = mix(albedo, vec3f(0.12, 0.14, 0.17), 0.7 * line);
    }
    var light = lit(albedo, up, contact, 0.0, place);
    let far = 1.0 - exp(-length(place.xy - middle) / (2.2 * side));
    light = mix(light, sky(normalize(vec3f(ray.direction.xy, 0.02))), far * far);
    return vec4f(light, 1.0);
}
