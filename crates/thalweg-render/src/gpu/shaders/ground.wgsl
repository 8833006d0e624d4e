// The ground in its colours, in sun, shade and skylight.

struct Ground {
    // Share of white light that it throws back.
    albedo: vec3f,
    normal: vec3f,
    // Share of the sky that it sees.
    open: f32,
    wet: f32,
}

fn upright(slope: vec2f) -> vec3f {
    return normalize(vec3f(-slope * frame.grid.w, 1.0));
}

// The ground at a place; `blur` is the side of what is seen of it [m].
fn ground_at(place: vec2f, blur: f32) -> Ground {
    let uv = uv_from_world(place);
    let lod = log2(max(blur / frame.grid.z, 0.01));
    let slope = textureSampleLevel(slopes, clamped, uv, lod).rg;
    // Soil and snow do not follow every pebble.
    let broad = textureSampleLevel(slopes, clamped, uv, max(lod, 0.0) + 1.0).rg;
    let maps = textureSampleLevel(matter, clamped, uv, lod);
    let open = select(1.0, textureSampleLevel(sky_view, clamped, uv, 0.0).r, has(OCCLUSION));
    let height = between(bed_heights, cell_from_world(place));
    let level = clamp((height - frame.heights.x) / frame.heights.y, 0.0, 1.0);

    // Detail below the cell, where the eye is near enough to see it.
    let grain_uv = place / (9.0 * frame.grid.z);
    let grain_lod = log2(max(blur / (9.0 * frame.grid.z) * 256.0, 0.01));
    // Two turned copies of the tile: the eye does not find their common period.
    let turned = vec2f(0.8 * grain_uv.x - 0.6 * grain_uv.y, 0.6 * grain_uv.x + 0.8 * grain_uv.y) * 0.73;
    let grain = 0.65 * (textureSampleLevel(ripple_tile, tiled, grain_uv, grain_lod).ba
        + textureSampleLevel(ripple_tile, tiled, turned, grain_lod - 0.45).ba - 1.0);
    let patchy = textureSampleLevel(ripple_tile, tiled, grain_uv * 0.093, max(grain_lod - 3.4, 0.0)).ba - 0.5;

    let degrees = atan(length(broad)) * 180.0 / PI;
    // Ribs are dry and bare, hollows damp and green; slopes that face north keep their damp.
    let rib = clamp((open - 0.78) * 3.0, -1.0, 0.6);
    let sunny = clamp(broad.y, -0.6, 0.6);
    let tone = clamp(level + 0.10 * rib + 0.05 * sunny + 0.10 * patchy.x + 0.03 * grain.x, 0.0, 1.0);
    let at = tone * 3.0;
    let stop = min(u32(at), 2u);
    var albedo = mix(frame.palette[stop].rgb, frame.palette[stop + 1u].rgb, smoothstep(0.0, 1.0, at - f32(stop)));
    let bare = smoothstep(25.0, 41.0, degrees + 6.0 * rib + 8.0 * (level - 0.5) + 9.0 * grain.y + 5.0 * patchy.y);
    albedo = mix(albedo, frame.palette[4].rgb * (1.0 + 0.35 * grain.x), 0.85 * bare);
    let eroded = maps.g * (1.0 - bare);
    albedo = mix(albedo, mix(frame.palette[4].rgb, frame.palette[6].rgb, 0.35) * 0.8, 0.55 * eroded);
    if frame.water.x < 1.0 {
        let line = frame.water.x;
        let cold = smoothstep(line - 0.03, line + 0.05, level - 0.03 * rib - 0.08 * sunny + 0.05 * patchy.y);
        albedo = mix(albedo, frame.palette[5].rgb, cold * (1.0 - smoothstep(30.0, 46.0, degrees)));
    }
    albedo = mix(albedo, frame.palette[6].rgb * (1.0 + 0.12 * grain.y), 0.8 * maps.b);
    let wet = maps.r;
    albedo *= (1.0 + 0.10 * grain.x + 0.10 * patchy.y) * mix(1.0, 0.62, wet);
    let rough = (0.10 + 0.25 * bare) * 0.6;
    return Ground(albedo, upright(slope + rough * grain.yx), open, wet);
}

// Share of the sun that is seen from a place.
fn sun_seen(place: vec3f, normal: vec3f) -> f32 {
    if !has(SHADOWS) {
        return 1.0;
    }
    // A step along the normal keeps the surface out of its own shadow.
    let texel = frame.ripples.z;
    let lifted = place + (normal * 1.5 + frame.sun.xyz) * texel;
    let at = frame.shadow_from_world * vec4f(lifted, 1.0);
    let uv = vec2f(0.5 + 0.5 * at.x, 0.5 - 0.5 * at.y);
    if any(uv != clamp(uv, vec2f(0.0), vec2f(1.0))) || at.z <= 0.0 {
        return 1.0;
    }
    let step = 1.0 / vec2f(textureDimensions(shadow_map));
    var seen = 0.0;
    for (var y = -1; y <= 1; y++) {
        for (var x = -1; x <= 1; x++) {
            seen += textureSampleCompareLevel(shadow_map, compared, uv + vec2f(f32(x), f32(y)) * 1.2 * step, at.z);
        }
    }
    return seen / 9.0;
}

fn skylight(normal: vec3f) -> vec3f {
    let light = frame.ambient[0].rgb + frame.ambient[1].rgb * normal.x + frame.ambient[2].rgb * normal.y
        + frame.ambient[3].rgb * normal.z;
    return max(light, vec3f(0.0));
}

// Light that leaves a matt surface; `gloss` adds the sheen of a wet one.
fn lit(albedo: vec3f, normal: vec3f, open: f32, gloss: f32, place: vec3f) -> vec3f {
    let facing = max(dot(normal, frame.sun.xyz), 0.0);
    if has(PHONG) {
        // Phong 1975: ambient, diffuse and a highlight, nothing else.
        let mirror = reflect(-frame.sun.xyz, normal);
        let shine = pow(max(dot(mirror, to_eye(place)), 0.0), 24.0);
        return albedo * (0.25 + 0.85 * facing) + vec3f(0.08 * shine);
    }
    let sun = frame.sun_light.rgb * facing * sun_seen(place, normal);
    // Light that the surroundings throw back fills hollows in the colour of the ground (Jimenez et al. 2016).
    let a = 2.0404 * albedo - 0.3324;
    let b = -4.7951 * albedo + 0.6417;
    let c = 2.7552 * albedo + 0.6903;
    let between_walls = max(vec3f(open), ((open * a + b) * open + c) * open);
    var light = albedo * (sun + skylight(normal) * between_walls);
    if gloss > 0.0 {
        let halfway = normalize(frame.sun.xyz + to_eye(place));
        light += sun * gloss * 0.15 * pow(max(dot(normal, halfway), 0.0), 40.0);
    }
    return light;
}
