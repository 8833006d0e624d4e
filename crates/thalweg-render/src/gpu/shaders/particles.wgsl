// Particles: one triangle each, just large enough for the sphere's outline. The sphere is met where the
// ray through the pixel meets it, so outline and depth are exact.

@group(1) @binding(0) var<storage, read> positions: array<f32>;
@group(1) @binding(1) var<storage, read> values: array<f32>;
// Share of each that is sediment, and share that is foam, in 16 bits.
@group(1) @binding(2) var<storage, read> contents: array<u32>;

struct Disc {
    @builtin(position) clip: vec4f,
    // From the centre to a place on the disc that faces the eye [m].
    @location(0) across: vec3f,
    // From the eye to the centre; w is the radius [m].
    @location(1) @interpolate(flat) centre: vec4f,
    // Paint, or contents.
    @location(2) @interpolate(flat) paint: u32,
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
        return Disc(vec4f(0.0, 0.0, -1.0, 1.0), vec3f(0.0), vec4f(0.0), 0u);
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

@vertex
fn fluid_vertex(@builtin(vertex_index) index: u32) -> Disc {
    return disc_of(index, CLOSED * frame.particles.w, f32(frame.flags.y) * SMALLEST);
}

struct SphereDistance {
    @location(0) bits: u32,
    @builtin(frag_depth) depth: f32,
}

// How far the nearest sphere is along the middle ray, as bits: not every device draws numbers of 32 bits.
@fragment
fn distance_fragment(disc: Disc) -> SphereDistance {
    let hit = met(disc);
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

@vertex
fn thickness_vertex(@builtin(vertex_index) index: u32) -> Disc {
    var disc = disc_of(index, SPLAT * frame.particles.w, 2.0 * f32(frame.flags.y) * SMALLEST);
    if has(LADEN) {
        disc.paint = contents[index / 3u];
    }
    return disc;
}

// Water along the ray, the sediment in it and the foam in it [m]: a particle stands for a cube two radii wide,
// spread over its splat.
@fragment
fn thickness_fragment(disc: Disc) -> @location(0) vec4f {
    let radius = frame.particles.w;
    let wide = disc.centre.w * disc.centre.w;
    let inside = max(1.0 - dot(disc.across, disc.across) / wide, 0.0);
    let most = 24.0 * radius * radius * radius / (PI * wide);
    let size = ceil(frame.viewport.xy / (2.0 * f32(frame.flags.y)));
    let behind = textureLoad(behind_depths, vec2i(disc.clip.xy / size * frame.viewport.xy), 0).r;
    var share = 1.0;
    if behind > 0.0 {
        // Only what lies in front of the ground, or of whatever is there, counts.
        let room = select(mix(frame.depths.y, frame.depths.x, behind), frame.depths.x / behind, frame.eye.w > 0.5)
            - dot(disc.centre.xyz, frame.forward.xyz);
        share = clamp(0.5 + 0.5 * room / radius, 0.0, 1.0);
    }
    return most * inside * inside * share * vec4f(1.0, unpack2x16unorm(disc.paint), 0.0);
}
