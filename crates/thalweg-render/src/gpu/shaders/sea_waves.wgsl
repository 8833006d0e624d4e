// Waves as the sea and a sheet of water have them: squares that repeat, and what lies on the grid. Places are those of the
// water at rest, east and north [m].

// Moved east and north, raised [m], foam; a layer for each square that repeats.
@group(1) @binding(0) var sea_waves: texture_2d_array<f32>;
// Of the grid. Layer 0: moved east and north, raised [m], foam; layer 1: rise to the east and north, share of the sea's
// waves, whether there is water.
@group(1) @binding(1) var grid_waves: texture_2d_array<f32>;

// Where a place lies in a square that repeats.
fn square_uv(index: u32, rest: vec2f) -> vec2f {
    let square = frame.sea_squares[index];
    let at = (rest - square.yz) / square.x;
    return vec2f(at.x, -at.y);
}

// How coarsely a square is read where `blur` metres become one.
fn square_lod(index: u32, blur: f32) -> f32 {
    return log2(max(blur / frame.sea_squares[index].w, 0.01));
}

fn grid_lod(blur: f32) -> f32 {
    return log2(max(blur / frame.grid.z, 0.01));
}

// How much the waves of the grid count at a place: nothing at its edges, so that none shows.
fn on_grid(rest: vec2f) -> f32 {
    if frame.sea_grid.x < 0.5 {
        return 0.0;
    }
    let extent = frame.grid.xy * frame.grid.z;
    let away = min(min(rest.x, extent.x - rest.x), min(rest.y, extent.y - rest.y));
    return smoothstep(0.0, 1.0, away / frame.sea_grid.y);
}

// Share of the sea's waves at a place.
fn sea_share(rest: vec2f, inner: f32) -> f32 {
    if has(SHEET) {
        return 0.0;
    }
    if inner <= 0.0 {
        return 1.0;
    }
    return mix(1.0, textureSampleLevel(grid_waves, clamped, uv_from_world(rest), 1, 0.0).b, inner);
}

// How far the water of a place at rest has moved [m], and its foam.
fn moved(rest: vec2f, blur: f32) -> vec4f {
    let inner = on_grid(rest);
    let share = sea_share(rest, inner);
    var sum = vec4f(0.0);
    if share > 0.0 {
        for (var i = 0u; i < u32(frame.sea.z); i++) {
            let wave = textureSampleLevel(sea_waves, tiled, square_uv(i, rest), i, square_lod(i, blur));
            sum = vec4f(sum.xyz + share * wave.xyz, 1.0 - (1.0 - sum.w) * (1.0 - share * wave.w));
        }
    }
    if inner > 0.0 {
        let wave = textureSampleLevel(grid_waves, clamped, uv_from_world(rest), 0, grid_lod(blur));
        sum = vec4f(sum.xyz + inner * wave.xyz, 1.0 - (1.0 - sum.w) * (1.0 - inner * wave.w));
    }
    return sum;
}
