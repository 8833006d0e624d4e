// The ground: patches of triangles over the heights, and the walls of the block at its edges. This render pass
// only finds what is seen where; `light.wgsl` works out its light, once for each sample of the picture.

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
    // Corner counted in triangles, for the wireframe.
    @location(0) net: vec2f,
    @location(1) @interpolate(flat) wall: i32,
}

fn corner_place(cell: vec2i, wall: bool) -> vec3f {
    let last = vec2i(frame.grid.xy) - 1;
    let at = clamp(cell, vec2i(0), last);
    var height = textureLoad(top_heights, at, 0).r;
    if has(SHEET) && !wall {
        // The water is drawn apart; walls show its section.
        height = textureLoad(bed_heights, at, 0).r;
    }
    return vec3f(world_from_cell(vec2f(at)), height * frame.grid.w);
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
    let wall = corner.wall.x > 0;
    let fine = corner_place(cell, wall);
    let coarse = corner_place(vec2i(corner.area.xy) + (corner.at - (corner.at & vec2i(1))) * step, wall);
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
    return Seen(frame.clip_from_world * vec4f(place, 1.0), vec2f(corner.at), corner.wall.x);
}

@vertex
fn shadow_vertex(corner: Corner) -> @builtin(position) vec4f {
    return frame.shadow_from_world * vec4f(corner_of(corner), 1.0);
}

fn wire(net: vec2f, width: vec2f, diagonal: f32) -> f32 {
    let lines = abs(fract(net - 0.5) - 0.5) / max(width, vec2f(1.0e-6));
    let across = abs(fract(net.x + net.y - 0.5) - 0.5) / max(diagonal, 1.0e-6);
    return 1.0 - clamp(min(min(lines.x, lines.y), across) - 0.2, 0.0, 1.0);
}

// What is seen, in 255ths (1 the surface, 2 to 5 the walls), and how much a line of the wireframe covers it.
@fragment
fn fragment(seen: Seen) -> @location(0) vec2f {
    let line = wire(seen.net, fwidth(seen.net), fwidth(seen.net.x + seen.net.y));
    return vec2f(f32(seen.wall + 1) / 255.0, select(line, 0.0, seen.wall > 0));
}
