// The ground: patches of triangles over the heights, and the walls of the block at its edges.

struct Corner {
    // Column and row within the patch.
    @location(0) at: vec2i,
    // Which wall (0: the surface; 1 west, 2 east, 3 north, 4 south), and whether it is the wall's foot.
    @location(1) wall: vec2i,
    // Column, row and level of the patch.
    @location(2) area: vec4u,
}

struct Seen {
    @builtin(position) clip: vec4f,
    @location(0) place: vec3f,
    // Corner counted in triangles, for the wireframe.
    @location(1) net: vec2f,
    @location(2) @interpolate(flat) wall: i32,
}

fn corner_place(cell: vec2i) -> vec3f {
    let last = vec2i(frame.grid.xy) - 1;
    let at = clamp(cell, vec2i(0), last);
    return vec3f(world_from_cell(vec2f(at)), textureLoad(top_heights, at, 0).r * frame.grid.w);
}

// How far corners have slid towards the next coarser level, 0 to 1.
fn slid(place: vec3f, level: f32) -> f32 {
    var wanted = frame.lod.y;
    if frame.lod.x > 0.0 {
        wanted = log2(max(distance(place, frame.eye.xyz) / frame.lod.x, 1.0));
    }
    return clamp((wanted - level - 0.6) / 0.4, 0.0, 1.0);
}

fn corner_of(corner: Corner) -> vec3f {
    let step = 1 << corner.area.z;
    let cell = vec2i(corner.area.xy) + corner.at * step;
    let fine = corner_place(cell);
    let coarse = corner_place(vec2i(corner.area.xy) + (corner.at - (corner.at & vec2i(1))) * step);
    var place = mix(fine, coarse, slid(fine, f32(corner.area.z)));
    if corner.wall.y > 0 {
        // Walls stand on the edges of the terrain; elsewhere they have no height.
        let last = vec2i(frame.grid.xy) - 1;
        let on_edge = (corner.wall.x == 1 && cell.x <= 0) || (corner.wall.x == 2 && cell.x >= last.x)
            || (corner.wall.x == 3 && cell.y <= 0) || (corner.wall.x == 4 && cell.y >= last.y);
        if on_edge {
            place.z = frame.heights.z;
        }
    }
    return place;
}

@vertex
fn vertex(corner: Corner) -> Seen {
    let place = corner_of(corner);
    return Seen(frame.clip_from_world * vec4f(place, 1.0), place, vec2f(corner.at), corner.wall.x);
}

@vertex
fn shadow_vertex(corner: Corner) -> @builtin(position) vec4f {
    return frame.shadow_from_world * vec4f(corner_of(corner), 1.0);
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
        let own = mix(frame.palette[7].rgb, vec3f(0.27, 0.19, 0.105), mud);
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

fn wire(net: vec2f, width: vec2f, diagonal: f32) -> f32 {
    let lines = abs(fract(net - 0.5) - 0.5) / max(width, vec2f(1.0e-6));
    let across = abs(fract(net.x + net.y - 0.5) - 0.5) / max(diagonal, 1.0e-6);
    return 1.0 - clamp(min(min(lines.x, lines.y), across) - 0.2, 0.0, 1.0);
}

@fragment
fn fragment(seen: Seen) -> @location(0) vec4f {
    let place = seen.place;
    // The side of what a pixel shows of the ground: between its shorter and its longer one.
    let spread = fwidth(place.xy);
    let blur = max(sqrt(max(spread.x, 1.0e-6) * max(spread.y, 1.0e-6)), 0.6 * max(spread.x, spread.y));
    let net_width = fwidth(seen.net);
    let net_diagonal = fwidth(seen.net.x + seen.net.y);
    if seen.wall > 0 {
        return vec4f(through_air(wall_light(place, seen.wall), place), 1.0);
    }
    let uv = uv_from_world(place.xy);
    let lod = log2(max(blur / frame.grid.z, 0.01));
    let water = textureSampleLevel(waters, clamped, uv, lod);
    var light: vec3f;
    if water.x < -0.5 {
        // No number here.
        light = vec3f(1.0, 0.0, 1.0);
    } else {
        let ground = ground_at(place.xy, blur);
        let albedo = with_overlay(ground.albedo, place.xy);
        light = lit(albedo, ground.normal, ground.open, ground.wet, place);
        // The cover's edge is as sharp as the picture allows.
        let edge = clamp(0.25 * blur / frame.grid.z, 0.06, 0.5);
        let cover = smoothstep(0.5 - edge, 0.5 + edge, water.x);
        if has(WATER) && cover > 0.0 {
            let mud = textureSampleLevel(matter, clamped, uv, lod).a;
            light = mix(light, lake_light(place, water, mud, blur), cover);
        }
    }
    light = through_air(light, place);
    if has(WIREFRAME) {
        light = mix(light, vec3f(0.015, 0.02, 0.03), 0.75 * wire(seen.net, net_width, net_diagonal));
    }
    return vec4f(light, 1.0);
}
