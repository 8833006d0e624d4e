// The materials of ground that is a mesh: rock in its beds, soil and grass on what is not too steep, snow above. Nothing is
// stretched on walls and ceilings: patterns are laid on from the three sides, as the surface faces them.

// Height in the pile of beds at a place, as if they lay level [m]; `strata.rs` in WGSL.
fn bed_level(place: vec3f) -> f32 {
    var level = place.z / frame.grid.w - dot(frame.strata.xy, place.xy);
    for (var i = 0; i < 4; i++) {
        let fold = frame.folds[i];
        level -= fold.w * sin(dot(fold.xy, place.xy) + fold.z);
    }
    return level;
}

// Colour of the bed at a height in the pile, and its hardness.
fn bed_colour(level: f32) -> vec4f {
    let at = fract(level / frame.strata.z) * 256.0 - 0.5;
    let low = floor(at);
    let a = textureLoad(colour_tables, vec2i((i32(low) + 256) % 256, 2), 0);
    let b = textureLoad(colour_tables, vec2i((i32(low) + 257) % 256, 2), 0);
    return mix(a, b, at - low);
}

// Two kinds of noise in -0.5 to 0.5 on each of the three sides, `wide` metres to a tile.
struct Grain {
    x: vec2f,
    y: vec2f,
    z: vec2f,
}

fn grain_at(place: vec3f, wide: f32, blur: f32) -> Grain {
    let at = place / wide;
    let lod = log2(max(blur / wide * 256.0, 0.01));
    return Grain(
        textureSampleLevel(ripple_tile, tiled, at.yz, lod).ba - 0.5,
        textureSampleLevel(ripple_tile, tiled, at.xz + vec2f(0.37, 0.71), lod).ba - 0.5,
        textureSampleLevel(ripple_tile, tiled, at.xy + vec2f(0.13, 0.29), lod).ba - 0.5,
    );
}

// How much each side counts for a surface that faces that way.
fn sides_of(normal: vec3f) -> vec3f {
    let weights = pow(abs(normal), vec3f(4.0));
    return weights / (weights.x + weights.y + weights.z);
}

fn blended(grain: Grain, sides: vec3f) -> vec2f {
    return sides.x * grain.x + sides.y * grain.y + sides.z * grain.z;
}

// A push along the surface, from the noise of each side.
fn pushed(grain: Grain, sides: vec3f) -> vec3f {
    return sides.x * vec3f(0.0, grain.x) + sides.y * vec3f(grain.y.x, 0.0, grain.y.y) + sides.z * vec3f(grain.z, 0.0);
}

// Rock at a place: its colour, and how it throws the normal about.
struct Rock {
    albedo: vec3f,
    push: vec3f,
}

// Thin lines where a noise is nothing: joints of the rock. They fade before the eye cannot tell them apart.
fn joints(noise: f32, wide: f32, blur: f32) -> f32 {
    return (1.0 - smoothstep(0.0, 0.05, abs(noise))) * (1.0 - smoothstep(0.2, 1.2, 40.0 * blur / wide));
}

fn rock_at(place: vec3f, normal: vec3f, blur: f32, sawn: bool) -> Rock {
    let sides = sides_of(normal);
    let cell = frame.grid.z;
    let coarse = grain_at(place, 41.0 * cell, blur);
    let middle = grain_at(place, 13.0 * cell, blur);
    let fine = grain_at(place, 4.3 * cell, blur);
    let broad = blended(coarse, sides);
    let grain = blended(middle, sides);
    let speck = blended(fine, sides);
    let steep = 1.0 - abs(normal.z);
    var albedo = frame.palette[4].rgb;
    var push = 0.5 * pushed(coarse, sides) + 0.85 * pushed(middle, sides) + 0.7 * pushed(fine, sides);
    if frame.strata.w > 0.5 {
        // The edges of beds are ragged.
        let level = bed_level(place) + cell * (0.9 * grain.x + 0.5 * speck.y);
        let bed = bed_colour(level);
        albedo = 0.82 * bed.rgb;
        // Thin layers within each bed, as far as the eye can tell them apart.
        let thin = 0.7 * cell;
        let seam = sin(level / thin * 2.0) * sin(level / thin * 0.73 + 4.0 * grain.y);
        albedo *= 1.0 + 0.12 * seam * (1.0 - smoothstep(0.3, 1.2, blur / thin));
        // Hard beds stand out over soft ones: ledges catch light, hollows lie in shade.
        let ledge = bed.a - bed_colour(level - 1.2 * cell).a;
        push.z += 1.1 * ledge * steep;
    }
    var shade = 0.32 * broad.x + 0.26 * grain.x + 0.24 * speck.x;
    // Dark and pale streaks that water left on walls.
    shade += 0.30 * steep * blended(grain_at(place * vec3f(1.0, 1.0, 0.11), 17.0 * cell, blur), sides).x;
    shade -= 0.30 * joints(broad.y + 0.3 * grain.y, 41.0 * cell, blur) + 0.22 * joints(grain.y, 13.0 * cell, blur);
    if sawn {
        shade *= 0.3;
        push *= 0.1;
    }
    return Rock(albedo * max(1.0 + shade, 0.15), push);
}

// Ground that spans so much of height has valleys, meadows and summits [m].
const MOUNTAINS = 300.0;

// The ground at a place on its mesh; `open` is the share of the sky's light, `blur` the side of what is seen of it [m].
fn earth_at(place: vec3f, normal: vec3f, open: f32, blur: f32, sawn: bool) -> Ground {
    let cell = frame.grid.z;
    // The sides of the box are sawn too.
    let plan = frame.grid.xy * cell;
    let rim = min(min(place.x, plan.x - place.x), min(place.y, plan.y - place.y));
    let side = sawn || (rim < 0.6 * cell && abs(normal.z) < 0.3);
    let rock = rock_at(place, normal, blur, side);
    if side {
        return Ground(rock.albedo, normalize(normal + rock.push), select(open, 1.0, sawn), 0.0);
    }
    let sides = sides_of(normal);
    let patches = blended(grain_at(place, 57.0 * cell, blur), sides);
    let tufts = blended(grain_at(place, 5.1 * cell, blur), sides);
    // Low hills are meadows all over; mountains have the whole curve of colours.
    let above = place.z / frame.grid.w - frame.heights.x;
    let level = clamp(0.3 + (above - 0.3 * frame.heights.y) / max(frame.heights.y, MOUNTAINS), 0.0, 1.0);
    // The higher and the more level, the farther along the curve (Wang, Yang & Zhu 2021, section 2.7).
    let tone = clamp(level + 0.35 * (normal.z - 0.85) + 0.16 * patches.x + 0.10 * tufts.y, 0.0, 1.0) * 3.0;
    let stop = min(u32(tone), 2u);
    let grass = mix(frame.palette[stop].rgb, frame.palette[stop + 1u].rgb, smoothstep(0.0, 1.0, tone - f32(stop)))
        * 0.86 * (1.0 + 0.35 * tufts.x + 0.25 * patches.y);
    // Soil lies where it is not too steep; grass grows where there is light, below roofs there is sand.
    let lies = smoothstep(0.62, 0.80, normal.z + 0.22 * tufts.x + 0.25 * patches.y);
    let grows = smoothstep(0.55, 0.75, open + 0.2 * tufts.y);
    let sand = mix(rock.albedo, frame.palette[6].rgb * 0.75, 0.55) * (1.0 + 0.25 * tufts.x);
    var albedo = mix(rock.albedo, mix(sand, grass, grows), 0.92 * lies);
    if frame.water.x < 1.0 {
        let line = frame.water.x;
        let cold = smoothstep(line - 0.03, line + 0.05, above / frame.heights.y + 0.07 * patches.y) * grows;
        albedo = mix(albedo, frame.palette[5].rgb, cold * smoothstep(0.55, 0.75, normal.z + 0.2 * tufts.x));
    }
    let push = mix(rock.push, 0.35 * rock.push, lies);
    return Ground(albedo, normalize(normal + 0.8 * push), open, 0.0);
}

// Light of a ground mesh where a ray meets it, or the face of the cut before it.
fn earth_light(ray: Ray, met: vec3f, normal: vec3f, open: f32, sawn: bool) -> vec3f {
    var place = met;
    if sawn {
        let way = (frame.cut.z - dot(ray.start.xy, frame.cut.xy)) / dot(ray.direction.xy, frame.cut.xy);
        place = ray.start + ray.direction * way;
    }
    let side = side_seen(distance(place, frame.eye.xyz));
    let blur = side * inverseSqrt(max(-dot(normal, ray.direction), 0.08));
    var ground = earth_at(place, normal, select(1.0, open, has(OCCLUSION)), blur, sawn);
    if frame.cut.w > 0.5 {
        // Light falls in through the cut.
        let away = (frame.cut.z - dot(place.xy, frame.cut.xy)) / (0.3 * max(frame.grid.x, frame.grid.y) * frame.grid.z);
        ground.open = max(ground.open, 0.9 * exp(-max(away, 0.0)));
    }
    // What light there is in caves has met rock before: it is warmer than the sky's.
    ground.albedo *= mix(vec3f(1.35, 1.0, 0.7), vec3f(1.0), select(smoothstep(0.0, 0.6, open), 1.0, sawn));
    return through_air(lit(ground.albedo, ground.normal, ground.open, ground.wet, place), place);
}
