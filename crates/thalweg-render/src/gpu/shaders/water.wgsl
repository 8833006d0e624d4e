// Water: mirror and window at once.

// Refractive index of water, and what it mirrors when seen from straight above.
const INDEX = 1.333;
const MIRRORED = 0.02037;

// Share of light that is mirrored (Schlick 1994).
fn fresnel(cosine: f32) -> f32 {
    return MIRRORED + (1.0 - MIRRORED) * pow(1.0 - clamp(cosine, 0.0, 1.0), 5.0);
}

// Loss of light per metre: red goes first; mud takes all colours.
fn water_loss(mud: f32) -> vec3f {
    return frame.water.z * (vec3f(3.2, 1.0, 0.72) + 14.0 * mud);
}

// Light that leaves the ground at a place, seen from afar.
fn ground_light(place: vec2f, blur: f32) -> vec3f {
    let ground = ground_at(place, blur);
    return lit(ground.albedo, ground.normal, ground.open, 0.0, vec3f(place, top_at(place)));
}

fn inside(place: vec2f) -> bool {
    let half_cell = 0.5 * frame.grid.z;
    return all(place > vec2f(half_cell)) && all(place < frame.grid.xy * frame.grid.z - half_cell);
}

// What a mirror at a place shows: the ground where the mirrored ray meets it, or the sky.
fn mirrored(start: vec3f, direction: vec3f, blur: f32) -> vec3f {
    if has(ROOFED) {
        // Heights tell nothing below a roof but that there is one: rock in the shade.
        let covered = smoothstep(0.0, 6.0 * frame.grid.z, top_at(start.xy) - start.z - 2.0 * frame.grid.z);
        return mix(sky(direction), 0.12 * frame.palette[4].rgb * frame.ambient[0].rgb, covered);
    }
    var near = 0.0;
    var way = 1.5 * frame.grid.z;
    for (var step = 0; step < 26; step++) {
        let at = start + direction * way;
        if at.z > frame.heights.w || !inside(at.xy) {
            break;
        }
        if at.z < top_at(at.xy) {
            var far = way;
            for (var i = 0; i < 4; i++) {
                let middle = 0.5 * (near + far);
                let probe = start + direction * middle;
                if probe.z < top_at(probe.xy) {
                    far = middle;
                } else {
                    near = middle;
                }
            }
            let hit = start + direction * far;
            return through_air(ground_light(hit.xy, blur + 0.02 * far), hit);
        }
        near = way;
        way = way * 1.2 + 0.6 * frame.grid.z;
    }
    return sky(direction);
}

// Where a ray that enters the water at a place meets the bed; w is its way through the water [m].
fn bed_seen(surface: vec3f, ray: vec3f, depth: f32) -> vec4f {
    let fall = max(-ray.z, 0.05);
    var way = depth * frame.grid.w / fall;
    for (var i = 0; i < 4; i++) {
        let at = surface + ray * way;
        // Half a step at a time: steep beds would make whole ones swing.
        way = max(way + 0.5 * (at.z - bed_at(at.xy)) / fall, 0.0);
    }
    return vec4f(surface + ray * way, way);
}

// Sunlight on the bed below waves: 1 below flat water.
fn focused(place: vec3f, depth: f32) -> f32 {
    if !has(CAUSTICS) {
        return 1.0;
    }
    // The map is laid out by where light enters flat water.
    let ray = refract(-frame.sun.xyz, vec3f(0.0, 0.0, 1.0), 1.0 / INDEX);
    let entry = place.xy - ray.xy / -ray.z * depth * frame.grid.w;
    return textureSampleLevel(caustics, clamped, uv_from_world(entry), 0.0).r;
}

// How far below water with waves of its own a place lies [m]; 0 above it and where there is none.
fn sunk(place: vec3f) -> f32 {
    if has(SHEET) {
        return max(top_at(place.xy) - place.z, 0.0) / frame.grid.w;
    }
    return select(0.0, max(frame.sea.x - place.z / frame.grid.w, 0.0), has(SEA));
}

// The tile and a turned, larger copy of it: the eye does not find their common period.
fn ripple_pair(at: vec2f, lod: f32) -> vec4f {
    let turned = vec2f(0.8 * at.x - 0.6 * at.y, 0.6 * at.x + 0.8 * at.y) * 0.73;
    let one = textureSampleLevel(ripple_tile, tiled, at, lod);
    let two = textureSampleLevel(ripple_tile, tiled, turned, lod - 0.45);
    // The copy's slopes are turned back.
    let slope = vec2f(0.8 * two.x + 0.6 * two.y, 0.8 * two.y - 0.6 * two.x);
    return vec4f((one.xy + slope) * 0.707, mix(one.zw, two.zw, 0.5));
}

// Slope of the ripples (xy) and two kinds of noise (zw) that the flow carries along. The pattern moves
// with the water for a while and fades into a fresh copy of itself before it is torn (Vlachos 2010).
fn ripples_at(place: vec2f, velocity: vec2f, blur: f32) -> vec4f {
    let tile = frame.ripples.y;
    let period = 0.5 * tile / max(length(velocity), 0.05 * tile);
    let turn = frame.forward.w / period;
    let phase = fract(vec2f(turn, turn + 0.5));
    let shift = velocity * period / tile;
    let lod = log2(max(blur / tile * 256.0, 0.01));
    let first = ripple_pair(place / tile - shift * phase.x, lod);
    let second = ripple_pair(place / tile - shift * phase.y + vec2f(0.37, 0.61), lod);
    let share = abs(1.0 - 2.0 * phase.x);
    // Blending two patterns would flatten them; the root keeps their strength.
    let strength = inverseSqrt(share * share + (1.0 - share) * (1.0 - share));
    let both = mix(first, second, share);
    return vec4f(both.xy * strength, both.zw);
}

struct Water {
    place: vec3f,
    normal: vec3f,
    // Width of the highlight's lobe.
    rough: f32,
    mud: f32,
    foam: f32,
}

// What foam shows: bubbles and drops that throw back all light, those of muddy water some of it less.
fn foam_light(normal: vec3f, seen: f32, mud: f32) -> vec3f {
    let day = frame.sun_light.rgb * max(dot(normal, frame.sun.xyz), 0.0) * seen + skylight(normal);
    return mix(vec3f(0.85), 2.0 * MUD_COLOUR, mud) * day;
}

// What a surface of water shows, given the light that comes through it from below.
fn water_light(water: Water, below: vec3f, blur: f32) -> vec3f {
    let eye = to_eye(water.place);
    let facing = dot(water.normal, eye);
    var mirror = reflect(-eye, water.normal);
    mirror.z = abs(mirror.z);
    let seen = sun_seen(water.place, vec3f(0.0, 0.0, 1.0));
    var light = mix(below, mirrored(water.place, normalize(mirror), blur), fresnel(facing));
    // The sun's image, spread by waves too small to see (Walter et al. 2007).
    let halfway = normalize(eye + frame.sun.xyz);
    let a2 = water.rough * water.rough;
    let spread = dot(water.normal, halfway);
    let lobe = a2 / (PI * pow(spread * spread * (a2 - 1.0) + 1.0, 2.0));
    let sun = frame.sun_light.rgb * seen * PI;
    light += sun * min(lobe * fresnel(dot(eye, halfway)) / (4.0 * max(facing, 0.1)), 4.0);
    return mix(light, foam_light(vec3f(0.0, 0.0, 1.0), seen, 0.0), water.foam);
}

// Light from a lake's bed or from the water itself, after its way up.
fn from_below(bed_light: vec3f, way: f32, mud: f32, place: vec3f) -> vec3f {
    let loss = water_loss(mud);
    let own = mix(frame.palette[7].rgb, MUD_COLOUR, mud);
    let clear = exp(-loss * way / frame.grid.w);
    let day = frame.sun_light.rgb * max(frame.sun.z, 0.0) * sun_seen(place, vec3f(0.0, 0.0, 1.0))
        + skylight(vec3f(0.0, 0.0, 1.0));
    return bed_light * clear + own * day * (vec3f(1.0) - clear);
}
