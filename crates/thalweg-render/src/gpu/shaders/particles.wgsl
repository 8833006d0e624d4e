// Particles: one triangle each, just large enough for the sphere's outline. The sphere is met where the
// ray through the pixel meets it, so outline and depth are exact.

@group(1) @binding(0) var<storage, read> positions: array<f32>;
@group(1) @binding(1) var<storage, read> values: array<f32>;
// Of each: sediment and foam, velocity to the east and north, velocity upwards, 16 bits each; how its spray is torn and spray, 8 bits each.
@group(1) @binding(2) var<storage, read> contents: array<u32>;

struct Disc {
    @builtin(position) clip: vec4f,
    // From the centre to a place on the disc that faces the eye [m].
    @location(0) across: vec3f,
    // From the eye to the centre; w is the radius [m].
    @location(1) @interpolate(flat) centre: vec4f,
    @location(2) @interpolate(flat) paint: u32,
}

struct Contents {
    // Shares of the particle.
    sediment: f32,
    foam: f32,
    spray: f32,
    // Where on the tile of noise its spray lies.
    torn: f32,
    // [m/s]
    velocity: vec3f,
}

// What the whole numbers of a velocity stand for [m/s].
const FASTEST = 64.0;

fn contents_of(index: u32) -> Contents {
    if !has(LADEN) {
        return Contents(0.0, 0.0, 0.0, 0.0, vec3f(0.0));
    }
    let shares = unpack2x16unorm(contents[3u * index]);
    let level = unpack2x16snorm(contents[3u * index + 1u]);
    let last = contents[3u * index + 2u];
    let upwards = unpack2x16snorm(last).x;
    let spray = unpack4x8unorm(last);
    return Contents(shares.x, shares.y, spray.w, spray.z, FASTEST * vec3f(level, upwards));
}

// Particles as drops of water, linear.
const WATER_BLUE = vec3f(0.055, 0.21, 0.45);
// Where there is no number.
const MISSING = vec3f(1.0, 0.0, 1.0);

// Share of a pixel that the smallest drawn radius has: half its diagonal always meets a pixel's centre.
const SMALLEST = 0.71;

fn centre_of(index: u32) -> vec3f {
    let place = vec3f(positions[3u * index], positions[3u * index + 1u], positions[3u * index + 2u]);
    return vec3f(place.xy, place.z * frame.grid.w);
}

fn is_number(value: f32) -> bool {
    return (bitcast<u32>(value) & 0x7fffffffu) < 0x7f800000u;
}

fn colour_of_particle(index: u32) -> vec3f {
    if !has(COLOURED) {
        return WATER_BLUE;
    }
    let value = values[index];
    if !is_number(value) {
        return MISSING;
    }
    return colour_of(1, on_scale(value, frame.particles.x, frame.particles.y, frame.particles.z > 0.5));
}

// A corner of the triangle around the unit circle.
fn corner_at(corner: u32) -> vec2f {
    return vec2f((f32(corner) - 1.0) * 1.7320508, select(-1.0, 2.0, corner == 1u));
}

// A disc that is not drawn.
fn nothing() -> Disc {
    return Disc(vec4f(0.0, 0.0, -1.0, 1.0), vec3f(0.0), vec4f(0.0), 0u);
}

// The disc of a particle. `smallest` is the least radius in the picture [px].
fn disc_of(vertex: u32, radius: f32, smallest: f32) -> Disc {
    let centre = centre_of(vertex / 3u) - frame.eye.xyz;
    let away = length(centre);
    let drawn = max(radius, smallest * side_seen(dot(centre, frame.forward.xyz)));
    var facing = frame.forward.xyz;
    var reach = drawn;
    if frame.eye.w > 0.5 {
        facing = centre / away;
        // The cone that touches the sphere, where it meets the disc's plane.
        reach = drawn / sqrt(max(1.0 - drawn * drawn / (away * away), 0.0));
    }
    // What is no place, or around the eye, is not drawn. Comparisons with what is no number are false.
    if !(away < 1.0e18 && (away > drawn || frame.eye.w < 0.5)) {
        return nothing();
    }
    let right = normalize(frame.right.xyz - facing * dot(facing, frame.right.xyz));
    let corner = corner_at(vertex % 3u) * reach;
    let across = right * corner.x + cross(right, facing) * corner.y;
    var clip = frame.clip_from_world * vec4f(frame.eye.xyz + centre + across, 1.0);
    // The depth is the sphere's, not the disc's: only what lies behind the eye is cut off here.
    clip.z = 0.5 * clip.w;
    return Disc(clip, across, vec4f(centre, drawn), 0u);
}

// From the sphere's centre to where the ray meets it; w is below 0 where it does not. Written without
// differences of large numbers: spheres may be small and far away.
fn met(disc: Disc) -> vec4f {
    let centre = disc.centre.xyz;
    let radius = disc.centre.w;
    let o2 = dot(disc.across, disc.across);
    if frame.eye.w < 0.5 {
        let h2 = radius * radius - o2;
        return vec4f(disc.across - frame.forward.xyz * sqrt(max(h2, 0.0)), h2);
    }
    let d2 = dot(centre, centre);
    let l2 = d2 + o2;
    let h2 = radius * radius - d2 * o2 / l2;
    let nearest = (disc.across * d2 - centre * o2) / l2;
    return vec4f(nearest - (centre + disc.across) * (inverseSqrt(l2) * sqrt(max(h2, 0.0))), h2);
}

// How far along the middle ray a place on the sphere lies.
fn distance_of(disc: Disc, from_centre: vec3f) -> f32 {
    return dot(disc.centre.xyz, frame.forward.xyz) + dot(from_centre, frame.forward.xyz);
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> Disc {
    var disc = disc_of(index, frame.particles.w, SMALLEST);
    disc.paint = paint_of(colour_of_particle(index / 3u), 1.0);
    return disc;
}

struct SphereBody {
    @location(0) seen: vec2f,
    @location(1) body: vec2u,
    @builtin(frag_depth) depth: f32,
}

@fragment
fn fragment(disc: Disc) -> SphereBody {
    let hit = met(disc);
    let depth = depth_at(distance_of(disc, hit.xyz));
    if hit.w < 0.0 || !(depth > 0.0 && depth <= 1.0) {
        discard;
    }
    let body = body_of(disc.paint, hit.xyz / disc.centre.w);
    return SphereBody(body.seen, body.body, depth);
}

fn shadow_sides() -> mat2x3f {
    let across = vec3f(-frame.sun.y, frame.sun.x, 0.0);
    let side = normalize(select(vec3f(1.0, 0.0, 0.0), across, length(frame.sun.xy) > 1.0e-3));
    return mat2x3f(side, cross(frame.sun.xyz, side));
}

// As the sun sees them: discs through their centres.
@vertex
fn shadow_vertex(@builtin(vertex_index) index: u32) -> Disc {
    let centre = centre_of(index / 3u);
    let radius = frame.particles.w;
    let corner = corner_at(index % 3u) * radius;
    let across = shadow_sides() * corner;
    return Disc(frame.shadow_from_world * vec4f(centre + across, 1.0), across, vec4f(centre, radius), 0u);
}

@fragment
fn shadow_fragment(disc: Disc) {
    if dot(disc.across, disc.across) > disc.centre.w * disc.centre.w {
        discard;
    }
}

// Particles as a fluid: spheres this much larger close the gaps between neighbours, and their mean level
// is that of the fluid, one radius above the uppermost centres.
const CLOSED = 1.5;

// What is more spray than water has no surface: it is mist.
const SPRAY = 0.5;

@vertex
fn fluid_vertex(@builtin(vertex_index) index: u32) -> Disc {
    if contents_of(index / 3u).spray > SPRAY {
        return nothing();
    }
    return disc_of(index, CLOSED * frame.particles.w, f32(frame.flags.y) * SMALLEST);
}

struct SphereDistance {
    @location(0) bits: u32,
    @builtin(frag_depth) depth: f32,
}

// From the sphere's centre to where the ray meets what is left of it within the walls of the block: water is cut there
// as the ground is. w is below 0 where nothing is left.
fn met_within_walls(disc: Disc) -> vec4f {
    let hit = met(disc);
    if !has(LAND) {
        return hit;
    }
    let place = frame.eye.xyz.xy + disc.centre.xy + hit.xy;
    let half_cell = vec2f(0.5 * frame.grid.z);
    let beyond = place - clamp(place, half_cell, frame.grid.xy * frame.grid.z - half_cell);
    let ray = select(frame.forward.xyz, normalize(disc.centre.xyz + hit.xyz), frame.eye.w > 0.5);
    // The way back to the walls; none from inside out.
    let back = -beyond / ray.xy;
    let way = max(select(0.0, back.x, beyond.x != 0.0), select(0.0, back.y, beyond.y != 0.0));
    let outward = any((beyond != vec2f(0.0)) & (beyond * ray.xy >= vec2f(0.0)));
    let cut = hit.xyz + ray * way;
    let left = select(disc.centre.w * disc.centre.w - dot(cut, cut), -1.0, outward);
    return vec4f(cut, select(hit.w, min(hit.w, left), way > 0.0 || outward));
}

// How far the nearest sphere is along the middle ray, as bits: not every device draws numbers of 32 bits.
@fragment
fn distance_fragment(disc: Disc) -> SphereDistance {
    let hit = met_within_walls(disc);
    let distance = distance_of(disc, hit.xyz);
    let depth = depth_at(distance);
    if hit.w < 0.0 || !(depth > 0.0 && depth <= 1.0) {
        discard;
    }
    return SphereDistance(bitcast<u32>(distance), depth);
}

@group(2) @binding(0) var behind_depths: texture_2d<f32>;

// A smooth splat this many radii wide; its texels are twice as large as the picture's pixels.
const SPLAT = 2.5;
// The same of spray, whose drops fly apart.
const SPRAYED = 3.2;
// Half of a splat's width on the tile of noise that tears spray into drops.
const TORN = 0.11;

struct Splat {
    @builtin(position) clip: vec4f,
    // From the centre, 1 at the rim.
    @location(0) across: vec2f,
    // How far the centre is along the middle ray [m].
    @location(1) @interpolate(flat) distance: f32,
    // Water, sediment in it and in the spray, foam and spray along the ray through the centre [m].
    @location(2) @interpolate(flat) amounts: vec4f,
    // The middle of its piece of the tile of noise, and how blurred that is seen.
    @location(3) @interpolate(flat) torn: vec3f,
}

// A splat as long as the particle's way while the shutter is open: its water is spread along that.
@vertex
fn thickness_vertex(@builtin(vertex_index) vertex: u32) -> Splat {
    let index = vertex / 3u;
    let centre = centre_of(index) - frame.eye.xyz;
    let distance = dot(centre, frame.forward.xyz);
    let away = length(centre);
    let radius = frame.particles.w;
    if !(away < 1.0e18 && away > radius) {
        return Splat(vec4f(0.0, 0.0, -1.0, 1.0), vec2f(0.0), 0.0, vec4f(0.0), vec3f(0.0));
    }
    let held = contents_of(index);
    let facing = select(frame.forward.xyz, centre / away, frame.eye.w > 0.5);
    let texel = 2.0 * f32(frame.flags.y) * side_seen(distance);
    let wide = max(mix(SPLAT, SPRAYED, held.spray) * radius, texel * SMALLEST);
    let way = 0.5 * frame.caustics.y * held.velocity * vec3f(1.0, 1.0, frame.grid.w);
    let seen_way = way - facing * dot(facing, way);
    let long = wide + length(seen_way);
    let right = frame.right.xyz - facing * dot(facing, frame.right.xyz);
    let along = normalize(select(right, seen_way, length(seen_way) > 1.0e-3 * wide));
    let corner = corner_at(vertex % 3u);
    let place = centre + along * (corner.x * long) + cross(along, facing) * (corner.y * wide);
    var clip = frame.clip_from_world * vec4f(frame.eye.xyz + place, 1.0);
    clip.z = 0.5 * clip.w;
    // A particle stands for a cube two radii wide.
    let most = 24.0 * radius * radius * radius / (PI * wide * long);
    let water = 1.0 - held.spray;
    let middle = vec2f(held.torn * 16.0, floor(held.torn * 16.0)) / 16.0;
    let torn = vec3f(middle, log2(max(256.0 * TORN * texel / wide, 1.0)));
    return Splat(clip, corner, distance, most * vec4f(water, held.sediment, water * held.foam, held.spray), torn);
}

// Only what lies in front of the ground, or of whatever is there, counts.
@fragment
fn thickness_fragment(splat: Splat) -> @location(0) vec4f {
    let inside = max(1.0 - dot(splat.across, splat.across), 0.0);
    let size = ceil(frame.viewport.xy / (2.0 * f32(frame.flags.y)));
    let behind = textureLoad(behind_depths, vec2i(splat.clip.xy / size * frame.viewport.xy), 0).r;
    var share = 1.0;
    if behind > 0.0 {
        let room = select(mix(frame.depths.y, frame.depths.x, behind), frame.depths.x / behind, frame.eye.w > 0.5)
            - splat.distance;
        share = clamp(0.5 + 0.5 * room / frame.particles.w, 0.0, 1.0);
    }
    // Spray is torn into drops and the mist between them: on average that is all of it.
    let even = inside * inside;
    let noise = textureSampleLevel(ripple_tile, tiled, splat.torn.xy + TORN * splat.across, splat.torn.z).a;
    let drops = 0.25 + 1.7 * smoothstep(0.4, 0.75, noise);
    return even * share * splat.amounts * vec4f(1.0, 1.0, 1.0, drops);
}
