// The light of the sea: mirror, window to what is below, the sun's glitter and foam.

// Mean slope to the east and north, and mean of their squares, layer for layer as `sea_waves`.
@group(1) @binding(2) var sea_slopes: texture_2d_array<f32>;
// Light and depths of what is behind the water, and depths of the water.
@group(1) @binding(3) var behind_light: texture_2d<f32>;
@group(1) @binding(4) var behind_depths: texture_2d<f32>;
@group(1) @binding(5) var sea_depths: texture_2d<f32>;
// Places of the water at rest, bits of two floats; 0 where there is none.
@group(1) @binding(6) var sea_places: texture_2d<u32>;
// Share of a surface that has more foam than a place; bubbles.
@group(1) @binding(7) var foam_tile: texture_2d<f32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(vec2f(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0, 0.0, 1.0);
}

// Slope of the surface and how much slopes differ from it within what a sample shows, each to the east and north.
struct Slopes {
    mean: vec2f,
    spread: vec2f,
}

// Slopes around a place, over `wide` metres across the view and `long` along it.
fn slopes_at(rest: vec2f, ray: vec3f, wide: f32, long: f32) -> Slopes {
    let inner = on_grid(rest);
    let share = sea_share(rest, inner);
    let along = normalize(ray.xy + vec2f(1.0e-6, 0.0)) * long;
    // Grazing views see long strips: several looks along them keep what one blurred look would lose.
    let blur = max(wide, 0.25 * long);
    var mean = vec2f(0.0);
    var spread = vec2f(0.0);
    if share > 0.0 {
        for (var i = 0u; i < u32(frame.sea.z); i++) {
            let lod = square_lod(i, blur);
            var sum = vec4f(0.0);
            for (var look = 0; look < 4; look++) {
                let at = rest + along * (f32(look) - 1.5) * 0.25;
                sum += 0.25 * textureSampleLevel(sea_slopes, tiled, square_uv(i, at), i, lod);
            }
            mean += share * sum.xy;
            spread += share * share * max(sum.zw - sum.xy * sum.xy, vec2f(0.0));
        }
    }
    if inner > 0.0 {
        mean += inner * textureSampleLevel(grid_waves, clamped, uv_from_world(rest), 1, grid_lod(blur)).xy;
    }
    // Wrinkles finer than what is known of the waves.
    const WRINKLES = 0.055;
    let tile = frame.sea.w;
    let strength = WRINKLES * frame.ripples.x;
    let lod = log2(max(blur / tile * 256.0, 0.01));
    mean += strength * ripple_pair((rest + vec2f(0.31, 0.13) * frame.forward.w) / tile, lod).xy;
    let lost = smoothstep(1.5, 6.5, lod);
    // The finest of all are never seen one by one (Cox & Munk 1954).
    spread += 0.5 * strength * strength * lost + vec2f(3.0e-4 + 1.2e-3 * frame.ripples.x);
    return Slopes(mean, spread);
}

// Share of light that a rough surface mirrors (Bruneton et al. 2010, eq. 13).
fn rough_mirror(cosine: f32, spread: f32) -> f32 {
    let sigma = sqrt(spread);
    let fall = pow(1.0 - clamp(cosine, 0.0, 1.0), 5.0 * exp(-2.69 * sigma));
    return MIRRORED + (1.0 - MIRRORED) * fall / (1.0 + 22.7 * pow(sigma, 1.5));
}

fn picture_place(place: vec3f) -> vec3f {
    let clip = frame.clip_from_world * vec4f(place, 1.0);
    return vec3f(0.5 + 0.5 * clip.x / clip.w, 0.5 - 0.5 * clip.y / clip.w, clip.w);
}

// Way along a ray to what is behind the water: a thing, or the bed of the sea.
fn way_behind(depth: f32, ray: Ray) -> f32 {
    if depth > 0.0 {
        return way_of(depth, ray.direction);
    }
    let drop = ray.start.z - (frame.sea.x - frame.sea.y) * frame.grid.w;
    return drop / max(-ray.direction.z, 1.0e-4);
}

// What bodies show in the mirror: the ray is followed through the picture. In w whether it met any.
fn mirrored_bodies(start: vec3f, direction: vec3f) -> vec4f {
    if frame.bodies_high.w < 0.5 {
        return vec4f(0.0);
    }
    let inverse = 1.0 / select(direction, vec3f(1.0e-6), abs(direction) < vec3f(1.0e-6));
    let a = (frame.bodies_low.xyz - start) * inverse;
    let b = (frame.bodies_high.xyz - start) * inverse;
    let low = min(a, b);
    let high = max(a, b);
    let enter = max(max(max(low.x, low.y), low.z), 0.0);
    let leave = min(min(high.x, high.y), high.z);
    if leave <= enter {
        return vec4f(0.0);
    }
    var step = 0.12;
    var way = enter + 0.5 * step;
    for (var i = 0; i < 40; i++) {
        if way > leave {
            break;
        }
        let at = picture_place(start + direction * way);
        if at.z > frame.depths.x && all(at.xy == clamp(at.xy, vec2f(0.0), vec2f(1.0))) {
            let depth = textureLoad(behind_depths, vec2i(at.xy * frame.viewport.xy), 0).r;
            let eye = ray_at(at.xy * frame.viewport.xy);
            let reach = dot(start + direction * way - eye.start, eye.direction);
            let past = reach - way_of(max(depth, 1.0e-12), eye.direction);
            if depth > 0.0 && past > 0.0 && past < 2.0 * step + 0.4 {
                return vec4f(textureSampleLevel(behind_light, clamped, at.xy, 0.0).rgb, 1.0);
            }
        }
        way += step;
        step *= 1.16;
    }
    return vec4f(0.0);
}

// Share of a sample that foam covers where so much of the surface does: lace where it is thin, holes where it is thick.
fn foam_seen(cover: f32, rest: vec2f, blur: f32) -> vec2f {
    if cover < 0.004 {
        return vec2f(0.0);
    }
    const TILE = 5.2;
    let lod = log2(max(blur / TILE * 256.0, 0.01));
    let turned = vec2f(0.6 * rest.x - 0.8 * rest.y, 0.8 * rest.x + 0.6 * rest.y);
    let fine = textureSampleLevel(foam_tile, tiled, rest / TILE, lod).rg;
    let broad = textureSampleLevel(foam_tile, tiled, turned / (4.3 * TILE), max(lod - 2.1, 0.0)).rg;
    // Two even spreads make a tent; this makes it even again, so that the share covered is the one told.
    let sum = 0.5 * (fine.x + broad.x);
    let rank = select(1.0 - 2.0 * (1.0 - sum) * (1.0 - sum), 2.0 * sum * sum, sum < 0.5);
    let soft = 0.06 + 0.1 * cover;
    let lace = smoothstep(-soft, soft, (cover - rank) * min(1.0, 1.0 + soft)) * smoothstep(0.0, 0.03, cover);
    // Between its lace there are single bubbles.
    const BUBBLES = 0.3;
    let lost = smoothstep(1.0, 4.5, lod);
    return vec2f(mix(lace, cover, max(lost, BUBBLES)), mix(fine.y, 0.5, lost));
}

// Mirrors too small to be seen one by one are few in a sample near the eye: it glitters, with a mean of 1.
fn sparkle(at: vec2f, side: f32) -> f32 {
    const SIDE = 0.6;
    var v = u32(at.x) * 1664525u + u32(at.y) * 22695477u + u32(frame.forward.w * 24.0) * 69069u + 1013904223u;
    v = ((v >> ((v >> 28u) + 4u)) ^ v) * 277803737u;
    let even = (f32(((v >> 22u) ^ v) & 0xffffffu) + 0.5) / 16777216.0;
    return mix(1.0, -log(even), 0.8 / (1.0 + side / SIDE));
}

struct Behind {
    light: vec3f,
    // Way through the water [m].
    way: f32,
}

// Light of the bed where nothing else is.
fn floor_light() -> vec3f {
    let day = frame.sun_light.rgb * max(frame.sun.z, 0.0) + skylight(vec3f(0.0, 0.0, 1.0));
    return 0.7 * frame.palette[6].rgb * day;
}

// Share of the light that comes down to a depth [m].
fn sunk_share(depth: f32) -> vec3f {
    return exp(-water_loss(0.0) * max(depth, 0.0) / (frame.grid.w * max(frame.sun.z, 0.3)));
}

// What is seen through the surface along the bent ray.
fn seen_below(at: vec2f, place: vec3f, ray: Ray, depth: f32, normal: vec3f) -> Behind {
    let straight = textureLoad(behind_depths, vec2i(at), 0).r;
    let room = max(way_behind(straight, ray) - dot(place - ray.start, ray.direction), 0.0);
    let bent = refract(ray.direction, normal, 1.0 / INDEX);
    // Straight on, things in the water seem deeper than bent rays reach.
    let flat_fall = max(-ray.direction.z, 0.02);
    let thick = room * flat_fall / max(-bent.z, 0.3);
    let here = at * frame.viewport.zw;
    let end = picture_place(place + bent * min(thick, 30.0));
    let shift = end.xy - here;
    for (var part = 1.0; part > 0.2; part *= 0.5) {
        let uv = here + shift * part;
        if end.z > frame.depths.x && all(uv == clamp(uv, vec2f(0.0), vec2f(1.0))) {
            let pixel = vec2i(uv * frame.viewport.xy);
            let found = textureLoad(behind_depths, pixel, 0).r;
            // What lies in front of the water cannot be seen through it.
            if found < textureLoad(sea_depths, pixel, 0).r && found < depth {
                let other = ray_at(uv * frame.viewport.xy);
                let met = other.start + other.direction * way_behind(found, other);
                let light = select(floor_light(), textureLoad(behind_light, pixel, 0).rgb, found > 0.0);
                let depth = max(place.z - met.z, 0.0);
                return Behind(light * sunk_share(depth), depth / max(-bent.z, 0.3));
            }
        }
    }
    let light = select(floor_light(), textureLoad(behind_light, vec2i(at), 0).rgb, straight > 0.0);
    return Behind(light * sunk_share(room * flat_fall), thick);
}

fn sea_light(at: vec2f, ray: Ray, rest: vec2f, depth: f32) -> vec3f {
    let way = way_of(depth, ray.direction);
    let place = ray.start + ray.direction * way;
    let side = side_seen(max(dot(place - frame.eye.xyz, frame.forward.xyz), 0.01));
    let up = frame.grid.w;
    let flat_fall = max(-ray.direction.z, 1.0e-3);
    let slopes = slopes_at(rest, ray.direction, side, min(side / flat_fall, 60.0 * side));
    let spread = slopes.spread * up * up;
    // Of a rough surface the sides that face the eye are seen, the more so the flatter the view.
    let towards = normalize(-ray.direction.xy + vec2f(1.0e-6, 0.0));
    let rough = 0.5 * (spread.x + spread.y);
    let tangent = length(ray.direction.xy) / flat_fall;
    let lean = rough * tangent / (1.0 + 1.25 * sqrt(rough) * tangent);
    let mean = slopes.mean * up;
    let normal = normalize(vec3f(-mean, 1.0));
    let shown = normalize(vec3f(-mean + towards * lean, 1.0));
    let facing = max(-dot(shown, ray.direction), 0.0);
    let seen = sun_seen(place, vec3f(0.0, 0.0, 1.0));

    // The mirror. Low rays meet other waves, which show the sky above them.
    let share = rough_mirror(facing, 0.5 * rough);
    var mirror = reflect(ray.direction, shown);
    mirror.z = max(abs(mirror.z), 0.01);
    mirror = normalize(mirror);
    var image = sky(mirror);
    if has(LAND) {
        image = mirrored(place, mirror, side);
    }
    let bodies = mirrored_bodies(place, mirror);
    image = mix(image, bodies.rgb, bodies.w);

    // The window.
    let foam = moved(rest, side).w * min(frame.water.w, 1.0);
    let below = seen_below(at, place, ray, depth, normalize(vec3f(-mean * 0.6, 1.0)));
    let clear = exp(-water_loss(0.0) * below.way / up);
    let day = frame.sun_light.rgb * max(frame.sun.z, 0.0) * seen + skylight(vec3f(0.0, 0.0, 1.0));
    // Water throws back a little light of its own; bubbles in it much more.
    const SEA_GREEN = vec3f(0.020, 0.082, 0.083);
    let deep = 0.55 * frame.palette[7].rgb;
    let bubbles = mix(deep, vec3f(0.13, 0.36, 0.40), 0.75 * smoothstep(0.0, 0.6, foam));
    // Crests let the sun through.
    let raised = max(place.z / up - frame.sea.x, 0.0) * select(1.0, 0.0, has(SHEET));
    let against = pow(max(dot(normalize(frame.sun.xy + vec2f(1.0e-6, 0.0)), normalize(ray.direction.xy + vec2f(1.0e-6, 0.0))), 0.0), 3.0);
    let crest = raised * raised / (raised * raised + 2.0) * (0.2 + 0.8 * against * max(1.0 - frame.sun.z, 0.0));
    let own = bubbles * day + SEA_GREEN * crest * frame.sun_light.rgb * seen * 2.0;
    let window = below.light * clear + own * (vec3f(1.0) - clear);
    var light = mix(window, image, share);

    // The sun, in all the small mirrors that throw it to the eye.
    let halfway = normalize(frame.sun.xyz - ray.direction);
    let off = -halfway.xy / max(halfway.z, 0.05) - mean;
    let wide = spread + vec2f(2.0e-5);
    let many = exp(-0.5 * dot(off * off, 1.0 / wide)) / (2.0 * PI * sqrt(wide.x * wide.y));
    let bright = fresnel(dot(halfway, -ray.direction)) * many / (4.0 * pow(max(halfway.z, 0.05), 4.0) * max(facing, 0.12));
    light += frame.sun_light.rgb * seen * PI * min(bright * sparkle(at, side), 6.0) * (1.0 - bodies.w);

    let white = foam_seen(foam, rest, side);
    // Foam is uneven and takes the shape of the waves.
    let bumps = normalize(vec3f(-mean - 0.25 * (white.y - 0.5), 1.0));
    light = mix(light, foam_light(bumps, seen, 0.0) * (0.72 + 0.28 * white.y), white.x);

    // Films at the waterline mirror nothing: no seam where the water ends.
    let film = smoothstep(0.0, 0.04, below.way);
    let air = through_air(vec3f(0.0), place);
    let open = through_air(vec3f(1.0), place) - air;
    return mix(below.light, light * open + air, max(film, white.x));
}

@fragment
fn fragment(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let pixel = vec2i(at.xy);
    let bits = textureLoad(sea_places, pixel, 0).xy;
    if all(bits == vec2u(0u)) {
        discard;
    }
    let rest = vec2f(bitcast<f32>(bits.x), bitcast<f32>(bits.y));
    let ray = ray_at(at.xy);
    return vec4f(sea_light(at.xy, ray, rest, textureLoad(sea_depths, pixel, 0).r), 1.0);
}
