// The light of everything that stands still: ground, water on it, walls of the block, table and sky.

@group(1) @binding(0) var seen_things: texture_2d<f32>;
@group(1) @binding(1) var seen_depths: texture_2d<f32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(vec2f(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0, 0.0, 1.0);
}

// Random values in 0 to 1 at whole numbers with steps between them: beds of uneven thickness.
fn strata(at: f32) -> f32 {
    let low = floor(at);
    let a = fract(sin(low * 127.1) * 43758.5453);
    let b = fract(sin((low + 1.0) * 127.1) * 43758.5453);
    return mix(a, b, smoothstep(0.2, 0.8, at - low));
}

// The cut side of the block: water down to the bed, soil below it, then layered rock.
fn wall_light(place: vec3f, wall: i32) -> vec3f {
    var normal = vec3f(-1.0, 0.0, 0.0);
    if wall == 2 { normal = vec3f(1.0, 0.0, 0.0); }
    if wall == 3 { normal = vec3f(0.0, 1.0, 0.0); }
    if wall == 4 { normal = vec3f(0.0, -1.0, 0.0); }
    let width = max(frame.grid.x, frame.grid.y) * frame.grid.z;
    let depth = (bed_at(place.xy) - place.z) / width;
    let foot = (place.z - frame.heights.z) / width;
    var colour: vec3f;
    if depth < 0.0 {
        let mud = textureSampleLevel(matter, clamped, uv_from_world(place.xy), 0.0).a;
        let own = mix(frame.palette[7].rgb, MUD_COLOUR, mud);
        let below = top_at(place.xy) - place.z;
        colour = mix(own * 2.2 + vec3f(0.03, 0.08, 0.09), own, smoothstep(0.0, 0.02 * width, below));
    } else {
        let along = (place.x - place.y) / width;
        let fold = 0.012 * sin(along * 9.0) + 0.005 * sin(along * 23.0 + 1.0);
        let layer = foot + fold;
        let tint = 0.6 * strata(layer * 70.0) + 0.4 * strata(layer * 210.0);
        let rock = mix(vec3f(0.188, 0.136, 0.093), vec3f(0.413, 0.323, 0.223), tint);
        let soil = mix(vec3f(0.089, 0.054, 0.032), vec3f(0.296, 0.202, 0.122), smoothstep(0.002, 0.008, depth));
        colour = mix(soil, rock, smoothstep(0.006, 0.02, depth));
    }
    let open = 0.55 + 0.45 * smoothstep(0.0, 0.06, foot);
    return lit(colour, normal, open, 0.0, place);
}

// Lines every `step` metres, `width` metres of picture per pixel.
fn lines(place: vec2f, step: f32, width: f32) -> f32 {
    let away = abs(fract(place / step - 0.5) - 0.5) * step / width;
    let line = 1.0 - clamp(min(away.x, away.y) - 0.3, 0.0, 1.0);
    // Lines nearer than a few pixels would shimmer.
    return line * (1.0 - smoothstep(0.1, 0.4, width / step));
}

// The table that the block stands on, where a ray meets it.
fn table_light(place: vec3f, ray: vec3f, width: f32) -> vec3f {
    let extent = frame.extent.zw - frame.extent.xy;
    let side = max(extent.x, extent.y);
    let middle = 0.5 * (frame.extent.xy + frame.extent.zw);
    // The block's soft contact shadow.
    let block = 0.5 * frame.grid.xy * frame.grid.z;
    let beside = length(max(abs(place.xy - block) - block, vec2f(0.0))) / side;
    let contact = 1.0 - f32(has(LAND)) * (0.45 * exp(-beside / 0.03) + 0.12 * exp(-beside / 0.2));
    var albedo = vec3f(0.40, 0.43, 0.47);
    if has(GRID) {
        let step = pow(10.0, round(log2(side / 12.0) / log2(10.0)));
        let line = max(0.5 * lines(place.xy, step, width), lines(place.xy, 5.0 * step, width));
        albedo = mix(albedo, vec3f(0.12, 0.14, 0.17), 0.7 * line);
    }
    let light = lit(albedo, vec3f(0.0, 0.0, 1.0), contact, 0.0, place);
    let far = 1.0 - exp(-length(place.xy - middle) / (2.2 * side));
    return mix(light, sky(normalize(vec3f(ray.xy, 0.02))), far * far);
}

fn backdrop_light(ray: Ray) -> vec3f {
    let drop = ray.start.z - frame.heights.z;
    if drop <= 0.0 || ray.direction.z > -1.0e-4 || (has(SEA) && !has(SHEET)) {
        return sky(ray.direction) + sun_disc(ray.direction) * f32(has(SKY));
    }
    let way = drop / -ray.direction.z;
    return table_light(ray.start + ray.direction * way, ray.direction, side_seen(way) / -ray.direction.z);
}

// Light that the tone curve of `finish.wgsl` turns into a colour.
fn untoned(colour: vec3f) -> vec3f {
    const KNEE = 0.55;
    let below = min(colour, vec3f(0.998)); // white would take endless light
    let bent = KNEE - (1.0 - KNEE) * log((1.0 - max(below, vec3f(KNEE))) / (1.0 - KNEE));
    return select(bent, below, below <= vec3f(KNEE));
}

// A field in false colour. Its colours must be read off a legend: no shadow, snow, water or air changes them, and the
// forms are only hinted at, as in `cpu/map.rs`, by light from where the sun is.
fn overlay_light(place: vec3f, slope: vec2f) -> vec3f {
    let value = between(overlay_values, cell_from_world(place.xy));
    let at = on_scale(value, frame.overlay.x, frame.overlay.y, frame.overlay.w > 0.5);
    let sun = normalize(frame.sun.xy + vec2f(1.0e-6, 0.0));
    let facing = -atan(dot(slope, sun)) / (0.25 * PI);
    let shade = 1.0 + frame.depths.w * select(facing, facing / 3.0, facing > 0.0);
    return untoned(colour_of(0, at) * shade);
}

// Light that leaves the bed below the waves, as in `lake.wgsl`; what the water takes of it, `sea_light.wgsl` knows.
fn sunk_light(ground: Ground, place: vec3f, depth: f32) -> vec3f {
    let sun = frame.sun_light.rgb * max(dot(ground.normal, frame.sun.xyz), 0.0) * focused(place, depth)
        * sun_seen(place, ground.normal);
    return 0.7 * ground.albedo * (sun + skylight(ground.normal));
}

fn surface_light(place: vec3f, ray: vec3f) -> vec3f {
    let uv = uv_from_world(place.xy);
    // The side of what a sample shows of the ground, longer the flatter it is seen.
    let side = side_seen(distance(place, frame.eye.xyz));
    let coarse = textureSampleLevel(slopes, clamped, uv, log2(max(side / frame.grid.z, 0.01))).rg;
    let facing = max(-dot(upright(coarse), ray), 0.05);
    let blur = side * inverseSqrt(facing);
    let lod = log2(max(blur / frame.grid.z, 0.01));
    let water = textureSampleLevel(waters, clamped, uv, lod);
    if water.x < -0.5 {
        // No number here.
        return vec3f(8.0, 0.0, 8.0);
    }
    // The cover's edge is as sharp as the picture allows.
    let edge = clamp(0.25 * blur / frame.grid.z, 0.06, 0.5);
    let cover = select(0.0, smoothstep(0.5 - edge, 0.5 + edge, water.x), has(WATER));
    var light = vec3f(0.0);
    if cover < 1.0 {
        let ground = ground_at(place.xy, blur);
        let depth = sunk(place);
        if depth > 0.0 {
            light = sunk_light(ground, place, depth);
        } else {
            light = lit(ground.albedo, ground.normal, ground.open, ground.wet, place);
        }
    }
    if cover > 0.0 {
        let mud = textureSampleLevel(matter, clamped, uv, lod).a;
        light = mix(light, lake_light(place, water, mud, blur), cover);
    }
    light = through_air(light, place);
    if frame.overlay.z > 0.0 {
        light = mix(light, overlay_light(place, coarse), frame.overlay.z);
    }
    return light;
}

@fragment
fn fragment(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let ray = ray_through(vec2f(at.x * frame.viewport.z, 1.0 - at.y * frame.viewport.w) * 2.0 - 1.0);
    let seen = textureLoad(seen_things, vec2i(at.xy), 0).rg;
    let thing = i32(seen.r * 255.0 + 0.5);
    if thing == 0 {
        return vec4f(backdrop_light(ray), 1.0);
    }
    if thing == 255 {
        // Something stands in front; `bodies.wgsl` lights it.
        return vec4f(0.0);
    }
    let place = ray.start + ray.direction * way_of(textureLoad(seen_depths, vec2i(at.xy), 0).r, ray.direction);
    var light: vec3f;
    if thing == 1 {
        light = surface_light(place, ray.direction);
    } else {
        light = through_air(wall_light(place, thing - 1), place);
    }
    return vec4f(mix(light, vec3f(0.015, 0.02, 0.03), 0.75 * seen.g * f32(has(WIREFRAME))), 1.0);
}
