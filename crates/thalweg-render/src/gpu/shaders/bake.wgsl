// Passes over the cells of the terrain, one pixel each: what the drawing needs of the fields.

struct Bake {
    // Columns, rows, side of a cell [m], depth that is drawn [m].
    grid: vec4f,
    // Thickness that hides the ground: of deposits, of erosion [m]; share of sediment that makes mud; exaggeration.
    full: vec4f,
}

@group(0) @binding(0) var<uniform> bake: Bake;
@group(0) @binding(1) var first: texture_2d<f32>;
@group(0) @binding(2) var second: texture_2d<f32>;
@group(0) @binding(3) var third: texture_2d<f32>;
@group(0) @binding(4) var fourth: texture_2d<f32>;
@group(0) @binding(5) var fifth: texture_2d<f32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(vec2f(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0, 0.0, 1.0);
}

fn held(grid: texture_2d<f32>, cell: vec2i) -> vec4f {
    return textureLoad(grid, clamp(cell, vec2i(0), vec2i(textureDimensions(grid)) - 1), 0);
}

// Rise to the east and north (Horn 1981), exact on planes up to the edges. first: heights.
@fragment
fn slopes(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let cell = vec2i(at.xy);
    let last = vec2i(textureDimensions(first)) - 1;
    let low = max(cell - 1, vec2i(0));
    let high = min(cell + 1, last);
    let nw = held(first, low).r;
    let n = held(first, vec2i(cell.x, low.y)).r;
    let ne = held(first, vec2i(high.x, low.y)).r;
    let w = held(first, vec2i(low.x, cell.y)).r;
    let e = held(first, vec2i(high.x, cell.y)).r;
    let sw = held(first, vec2i(low.x, high.y)).r;
    let s = held(first, vec2i(cell.x, high.y)).r;
    let se = held(first, high).r;
    let span = vec2f(max(high - low, vec2i(1))) * 4.0 * bake.grid.z;
    let rise = vec2f(ne + 2.0 * e + se - nw - 2.0 * w - sw, nw + 2.0 * n + ne - sw - 2.0 * s - se);
    return vec4f(rise / span, 0.0, 0.0);
}

fn depth_of(cell: vec2i) -> f32 {
    return max(held(second, cell).r, 0.0);
}

// Level of the water at a cell (x), 1 where there is any (y).
fn level_of(cell: vec2i) -> vec2f {
    let depth = depth_of(cell);
    return vec2f(held(first, cell).r + depth, f32(depth > 0.25 * bake.grid.w));
}

// Depth by magnitude, rise of the water's level to the east and north, 1 where it is wet.
// first: bed, second: depth.
@fragment
fn levels(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let cell = vec2i(at.xy);
    let here = level_of(cell);
    let thin = clamp(log2(max(depth_of(cell), 1.0e-6) / bake.grid.w), -2.0, 4.0);
    // Dry neighbours do not tilt the water.
    var rise = vec2f(0.0);
    var sides = vec2f(1.0e-6);
    for (var side = -1; side <= 1; side += 2) {
        let x = level_of(cell + vec2i(side, 0));
        let y = level_of(cell - vec2i(0, side));
        rise += vec2f((x.x - here.x) * x.y, (y.x - here.x) * y.y) * f32(side);
        sides += vec2f(x.y, y.y);
    }
    return vec4f(thin, here.y * rise / (sides * bake.grid.z), here.y);
}

// Cover, depth, rise of the level, all a little blurred: a thin stream of cells becomes a line.
// first: levels, second: depth, third: 1 where there is no ground.
@fragment
fn covers(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let cell = vec2i(at.xy);
    var thin = 0.0;
    var rise = vec3f(0.0, 0.0, 1.0e-6);
    for (var y = -1; y <= 1; y++) {
        for (var x = -1; x <= 1; x++) {
            let weight = f32((2 - abs(x)) * (2 - abs(y))) / 16.0;
            let level = held(first, cell + vec2i(x, y));
            thin += level.x * weight;
            rise += vec3f(level.yz, 1.0) * level.w * weight;
        }
    }
    var cover = smoothstep(-1.3, 1.3, thin);
    if held(third, cell).r > 0.5 {
        cover = -4.0;
    }
    return vec4f(cover, min(depth_of(cell), 6.0e4), clamp(rise.xy / rise.z, vec2f(-8.0), vec2f(8.0)));
}

// Wet, eroded, deposited, muddy. first: wetness, second: depth, third: erosion, fourth: deposition,
// fifth: sediment.
@fragment
fn matter(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let cell = vec2i(at.xy);
    let depth = depth_of(cell);
    let damp = smoothstep(0.2, 0.95, held(first, cell).r) * 0.7;
    let wet = max(damp, smoothstep(0.0, bake.grid.w, depth));
    let eroded = smoothstep(0.0, bake.full.y, held(third, cell).r);
    let fresh = smoothstep(0.0, bake.full.x, held(fourth, cell).r);
    let share = held(fifth, cell).r / max(depth, 0.5 * bake.grid.w);
    return vec4f(wet, eroded, fresh, mud_of(share, bake.full.z));
}

// Velocity, only where there is water to be seen. first: east, second: depth, third: north.
@fragment
fn flow(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let cell = vec2i(at.xy);
    let wet = smoothstep(0.0, bake.grid.w, depth_of(cell));
    return vec4f(vec2f(held(first, cell).r, held(third, cell).r) * wet, 0.0, 0.0);
}

// Share of the sky that is seen, by the horizon in sixteen directions. first: drawn surface.
@fragment
fn openness(@builtin(position) at: vec4f) -> @location(0) vec4f {
    // The picture may be smaller than the grid, which is then counted in cells per pixel.
    let cell = at.xy * bake.grid.xy;
    let here = held(first, vec2i(cell)).r;
    var open = 0.0;
    for (var i = 0; i < 16; i++) {
        // Neighbouring cells turn the directions a little, so that no star shows.
        let turn = (f32(i) + fract(dot(floor(at.xy), vec2f(0.5, 0.25)))) / 16.0 * 6.2831853;
        let ray = vec2f(cos(turn), sin(turn));
        var steepest = 0.0;
        var way = 1.0;
        for (var step = 0; step < 10; step++) {
            let rise = held(first, vec2i(cell + ray * way)).r - here;
            steepest = max(steepest, rise / (way * bake.grid.z));
            way = way * 1.55 + 0.5;
        }
        // What a matt surface sees above a horizon of that height.
        let tangent = steepest * bake.full.w;
        open += 1.0 / (1.0 + tangent * tangent);
    }
    return vec4f(open / 16.0, 0.0, 0.0, 1.0);
}

// The next smaller level of a texture. first: the larger one.
@fragment
fn halved(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let cell = vec2i(at.xy) * 2;
    return 0.25 * (held(first, cell) + held(first, cell + vec2i(1, 0)) + held(first, cell + vec2i(0, 1))
        + held(first, cell + vec2i(1, 1)));
}
