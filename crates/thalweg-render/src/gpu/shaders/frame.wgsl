// What every shader that draws the world knows. Places are metres east, north and up from the south-west
// corner of the terrain; heights are exaggerated when they leave a texture.

struct Frame {
    clip_from_world: mat4x4f,
    shadow_from_world: mat4x4f,
    // Start of all rays, or of the middle one if they are parallel (then w is 0).
    eye: vec4f,
    // Middle ray; w is the moment of the ripples [s].
    forward: vec4f,
    // Half the picture to the right and up, at distance 1 or in metres.
    right: vec4f,
    up: vec4f,
    // Width and height of what is drawn into [px], and one over each.
    viewport: vec4f,
    // Direction to the sun; w is the cosine of its radius.
    sun: vec4f,
    // Light of the sun on a surface that faces it; w is the haze of the air [1/m].
    sun_light: vec4f,
    // Skylight on a surface of normal n: ambient[0] + ambient[1] n.x + ...
    ambient: array<vec4f, 4>,
    // Columns, rows, side of a cell [m], exaggeration.
    grid: vec4f,
    // Height where the colours begin and over which they run, underside of the block, highest ground [m].
    heights: vec4f,
    // Distance where level 1 of the ground begins [m] (0: a fixed level, next), that level, haze begins at [m].
    lod: vec4f,
    // Linear colours: valley, slope, upland, summit, rock, snow, deposit, deep water.
    palette: array<vec4f, 8>,
    // Where snow begins (1: nowhere), depth that is drawn [m], loss of light in water [1/m of green], strength of foam.
    water: vec4f,
    // Strength of ripples, side of a ripple tile [m], side of a texel of the shadow map [m], exposure.
    ripples: vec4f,
    // Overlay: first and last value, opacity, kind of scale (0 even, 1 by magnitude).
    overlay: vec4f,
    // See the constants below; samples along each side of a pixel.
    flags: vec4u,
    // Colour of the particles' scale: first, last, kind, radius [m].
    particles: vec4f,
    // Near and far end of what is seen [m], share of sediment that makes mud, strength of relief in an overlay.
    depths: vec4f,
    // Side of the map of caustics [texels], time that the shutter is open [s].
    caustics: vec4f,
    // West, south, east and north end of everything [m].
    extent: vec4f,
    // Middle and radius of a ball around the meshes of water [m].
    ball: vec4f,
    // Where ground that is a mesh is sawn through: the way to what is taken away, how far along it the plane lies [m], 1 if at all.
    cut: vec4f,
    // Beds of rock: rise to the east and north, thickness of the pile [m], 1 if there are any.
    strata: vec4f,
    // Waves that bend them: how fast the phase grows to the east and north [rad/m], phase, height [m].
    folds: array<vec4f, 4>,
    // Level of the sea, its depth where nothing is known of it [m], squares of waves, side of a tile of wrinkles [m].
    sea: vec4f,
    // Whether the grid has waves, over which way they fade out at its edge [m], whether any body keeps water out.
    sea_grid: vec4f,
    // Of each square of waves, its side, its south-west corner and the side of its texels [m].
    sea_squares: array<vec4f, 6>,
    // Corners of a box around all bodies [m]; w of the second is 1 if there are any.
    bodies_low: vec4f,
    bodies_high: vec4f,
}

const PHONG = 1u;
const SHADOWS = 2u;
const SKY = 4u;
const GRID = 8u;
const WIREFRAME = 16u;
const WATER = 32u;
const CAUSTICS = 64u;
const OCCLUSION = 128u;
const COLOURED = 256u;
const LAND = 512u;
const LADEN = 1024u;
const ROOFED = 2048u;
// Water with waves of its own: the open sea, or a sheet over the grid.
const SEA = 4096u;
const SHEET = 8192u;

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var clamped: sampler;
@group(0) @binding(2) var tiled: sampler;
@group(0) @binding(3) var compared: sampler_comparison;
// Drawn surface and bed [m], one texel per cell.
@group(0) @binding(4) var top_heights: texture_2d<f32>;
@group(0) @binding(5) var bed_heights: texture_2d<f32>;
// Rise of the bed to the east and north.
@group(0) @binding(6) var slopes: texture_2d<f32>;
// Wet, eroded, fresh deposit, mud in the water; each 0 to 1.
@group(0) @binding(7) var matter: texture_2d<f32>;
// Cover 0 to 1, depth [m], rise of the water's surface to the east and north.
@group(0) @binding(8) var waters: texture_2d<f32>;
// Velocity of the water to the east and north [m/s].
@group(0) @binding(9) var flows: texture_2d<f32>;
// Share of the sky that is seen.
@group(0) @binding(10) var sky_view: texture_2d<f32>;
@group(0) @binding(11) var shadow_map: texture_depth_2d;
// Sunlight below the water, 1 where the surface is flat.
@group(0) @binding(12) var caustics: texture_2d<f32>;
// Slopes of a tile of ripples, two kinds of noise in 0 to 1.
@group(0) @binding(13) var ripple_tile: texture_2d<f32>;
@group(0) @binding(14) var sky_table: texture_2d<f32>;
@group(0) @binding(15) var overlay_values: texture_2d<f32>;
// Row 0: colours of the overlay; row 1: of the particles; row 2: of beds of rock, with their hardness.
@group(0) @binding(16) var colour_tables: texture_2d<f32>;

const PI = 3.14159265;

fn has(flag: u32) -> bool {
    return (frame.flags.x & flag) != 0u;
}

// Fractional column and row of a place, whole numbers at cell centres.
fn cell_from_world(place: vec2f) -> vec2f {
    return vec2f(place.x / frame.grid.z - 0.5, frame.grid.y - 0.5 - place.y / frame.grid.z);
}

// Texture coordinates of a place.
fn uv_from_world(place: vec2f) -> vec2f {
    return vec2f(place.x / (frame.grid.x * frame.grid.z), 1.0 - place.y / (frame.grid.y * frame.grid.z));
}

fn world_from_cell(cell: vec2f) -> vec2f {
    return vec2f(cell.x + 0.5, frame.grid.y - 0.5 - cell.y) * frame.grid.z;
}

// Bilinear value of a texture that cannot be filtered, between cell centres.
fn between(grid: texture_2d<f32>, cell: vec2f) -> f32 {
    let last = vec2i(textureDimensions(grid)) - 1;
    let low = floor(cell);
    let part = cell - low;
    let at = vec2i(low);
    let a = textureLoad(grid, clamp(at, vec2i(0), last), 0).r;
    let b = textureLoad(grid, clamp(at + vec2i(1, 0), vec2i(0), last), 0).r;
    let c = textureLoad(grid, clamp(at + vec2i(0, 1), vec2i(0), last), 0).r;
    let d = textureLoad(grid, clamp(at + vec2i(1, 1), vec2i(0), last), 0).r;
    return mix(mix(a, b, part.x), mix(c, d, part.x), part.y);
}

// Drawn surface and bed at a place [m], exaggerated.
fn top_at(place: vec2f) -> f32 {
    return between(top_heights, cell_from_world(place)) * frame.grid.w;
}

fn bed_at(place: vec2f) -> f32 {
    return between(bed_heights, cell_from_world(place)) * frame.grid.w;
}

// Start and direction of the ray through a place in the picture, -1 to 1, y up.
struct Ray {
    start: vec3f,
    direction: vec3f,
}

fn ray_through(at: vec2f) -> Ray {
    let across = frame.right.xyz * at.x + frame.up.xyz * at.y;
    if frame.eye.w > 0.5 {
        return Ray(frame.eye.xyz, normalize(frame.forward.xyz + across));
    }
    return Ray(frame.eye.xyz + across, frame.forward.xyz);
}

// Way along a ray to what has that depth in the picture.
fn way_of(depth: f32, direction: vec3f) -> f32 {
    if frame.eye.w > 0.5 {
        return frame.depths.x / (depth * dot(direction, frame.forward.xyz));
    }
    return mix(frame.depths.y, frame.depths.x, depth);
}

// Side of what a sample of the picture shows at a distance [m].
fn side_seen(distance: f32) -> f32 {
    return 2.0 * length(frame.up.xyz) * frame.viewport.w * select(1.0, distance, frame.eye.w > 0.5);
}

// Direction from a point to the eye.
fn to_eye(place: vec3f) -> vec3f {
    if frame.eye.w > 0.5 {
        return normalize(frame.eye.xyz - place);
    }
    return -frame.forward.xyz;
}

// Light of the sky from a direction; below the horizon, that of the horizon. Without a sky, an even
// pale backdrop.
fn sky(direction: vec3f) -> vec3f {
    if !has(SKY) {
        return mix(vec3f(0.86, 0.87, 0.88), vec3f(0.55, 0.58, 0.62), smoothstep(-0.3, 0.9, direction.z));
    }
    let size = vec2f(textureDimensions(sky_table));
    let sun = normalize(frame.sun.xy + vec2f(1.0e-6, 0.0));
    let along = dot(direction.xy, sun);
    let across = abs(direction.x * sun.y - direction.y * sun.x);
    let azimuth = atan2(across, along) / PI;
    let height = sqrt(asin(clamp(direction.z, 0.0, 1.0)) / (0.5 * PI));
    let uv = (vec2f(azimuth, height) * (size - 1.0) + 0.5) / size;
    return textureSampleLevel(sky_table, clamped, uv, 0.0).rgb * frame.ripples.w;
}

// The sun itself, where the sky is open.
fn sun_disc(direction: vec3f) -> vec3f {
    let edge = cos(0.0047 * 1.4);
    let inside = smoothstep(edge - 1.0e-5, edge + 1.0e-5, dot(direction, frame.sun.xyz));
    return frame.sun_light.rgb * inside * 60.0;
}

// Air between the eye and a place: light fades into the horizon's.
fn through_air(light: vec3f, place: vec3f) -> vec3f {
    let way = place - frame.eye.xyz;
    let distance = max(length(way) - frame.lod.z, 0.0);
    let clear = exp(-frame.sun_light.w * distance);
    let air = sky(normalize(vec3f(way.xy, max(way.z, 0.06 * length(way.xy)))));
    return mix(air, light, clear);
}

// Position in 0 to 1 on a colour scale.
fn on_scale(value: f32, first: f32, last: f32, by_magnitude: bool) -> f32 {
    if by_magnitude {
        return clamp(log(max(value, first) / first) / log(last / first), 0.0, 1.0);
    }
    return clamp((value - first) / (last - first), 0.0, 1.0);
}

fn colour_of(row: i32, at: f32) -> vec3f {
    let place = at * 255.0;
    let low = i32(place);
    let a = textureLoad(colour_tables, vec2i(low, row), 0).rgb;
    let b = textureLoad(colour_tables, vec2i(min(low + 1, 255), row), 0).rgb;
    return mix(a, b, place - f32(low));
}
