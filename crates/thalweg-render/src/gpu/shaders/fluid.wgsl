// Particles as the surface of a fluid, smoothed in the picture (van der Laan, Green & Sainz 2009), by the
// narrow-range filter of Truong & Yuksel 2018: a Gauss kernel of constant size in the world that leaves
// out what lies far in front and holds what lies far behind near, so that outlines stay.

// All of it is as fine as the picture, not as its samples.
@group(1) @binding(0) var distances: texture_2d<u32>;
@group(1) @binding(0) var pieces: texture_2d<u32>;
// Water along the ray, the sediment, the foam and the spray in it [m]; coarser than the picture.
@group(1) @binding(1) var thickness: texture_2d<f32>;

// Reach of the kernel [radii], and at most [px].
const REACH = 3.0;
const MOST = 120.0;
// Samples on each side, at most. A wide kernel leaves some out; a last round that leaves out none smooths
// the traces of that.
const SAMPLES = 12.0;
// Steps in distance up to this many radii are part of the surface.
const STEP = 6.0;
// What lies farther counts as this many radii behind.
const HELD = 1.0;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(vec2f(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0, 0.0, 1.0);
}

// On a plane this is linear in the picture; it is its own reverse.
fn straight(distance: f32) -> f32 {
    return select(distance, 1.0 / distance, frame.eye.w > 0.5);
}

struct Band {
    low: f32,
    high: f32,
}

// A neighbour's distance as it counts, or 0 if it lies in front. Widens the band along the surface.
fn counted(distance: f32, band: ptr<function, Band>, held: f32) -> f32 {
    if distance > 0.0 && distance < (*band).low {
        return 0.0;
    }
    if distance <= 0.0 || distance > (*band).high {
        return held;
    }
    let step = STEP * frame.particles.w;
    (*band).low = min((*band).low, distance - step);
    (*band).high = max((*band).high, distance + step);
    return distance;
}

// Distances are kept as bits.
fn distance_at(pixel: vec2i) -> f32 {
    return bitcast<f32>(textureLoad(distances, pixel, 0).r);
}

// The bits of the smoothed distance.
fn smoothed(at: vec2f, along: vec2i, most: f32) -> u32 {
    let pixel = vec2i(at);
    let here = distance_at(pixel);
    let radius = frame.particles.w;
    let reach = min(REACH * radius / (side_seen(here) * f32(frame.flags.y)), most);
    if here <= 0.0 || reach < 1.0 {
        return bitcast<u32>(here);
    }
    let count = min(ceil(reach), SAMPLES);
    let stride = reach / count;
    let held = here + HELD * radius;
    let step = STEP * radius;
    var ahead = Band(here - step, here + step);
    var astern = ahead;
    let size = vec2i(textureDimensions(distances));
    var sum = straight(here);
    var weights = 1.0;
    for (var i = 1.0; i <= count; i += 1.0) {
        let shift = along * i32(round(i * stride));
        // Pairs, so that a slope does not pull to one side.
        if any(pixel + shift >= size) || any(pixel - shift < vec2i(0)) {
            break;
        }
        let a = counted(distance_at(pixel + shift), &ahead, held);
        let b = counted(distance_at(pixel - shift), &astern, held);
        if a > 0.0 && b > 0.0 {
            let far = i / count;
            let weight = exp(-2.0 * far * far);
            sum += weight * (straight(a) + straight(b));
            weights += 2.0 * weight;
        }
    }
    return bitcast<u32>(straight(sum / weights));
}

@fragment
fn across_fragment(@builtin(position) at: vec4f) -> @location(0) u32 {
    return smoothed(at.xy, vec2i(1, 0), MOST);
}

@fragment
fn down_fragment(@builtin(position) at: vec4f) -> @location(0) u32 {
    return smoothed(at.xy, vec2i(0, 1), MOST);
}

@fragment
fn fine_across_fragment(@builtin(position) at: vec4f) -> @location(0) u32 {
    return smoothed(at.xy, vec2i(1, 0), SAMPLES);
}

@fragment
fn fine_down_fragment(@builtin(position) at: vec4f) -> @location(0) u32 {
    return smoothed(at.xy, vec2i(0, 1), SAMPLES);
}

// A place on the surface, from the eye [m].
fn surface_at(pixel: vec2i, distance: f32) -> vec3f {
    let at = (vec2f(pixel) + 0.5) / vec2f(textureDimensions(distances));
    let across = frame.right.xyz * (2.0 * at.x - 1.0) + frame.up.xyz * (1.0 - 2.0 * at.y);
    return frame.forward.xyz * distance + across * select(1.0, distance, frame.eye.w > 0.5);
}

// The way along the surface to the next pixel: over both neighbours where they belong to it, else to the
// one that lies nearer.
fn tangent(pixel: vec2i, along: vec2i, distance: f32) -> vec3f {
    let last = vec2i(textureDimensions(distances)) - 1;
    let a = distance_at(min(pixel + along, last));
    let b = distance_at(max(pixel - along, vec2i(0)));
    let step_a = select(1.0e30, abs(a - distance), a > 0.0 && all(pixel + along <= last));
    let step_b = select(1.0e30, abs(b - distance), b > 0.0 && all(pixel - along >= vec2i(0)));
    let here = surface_at(pixel, distance);
    let ahead = surface_at(pixel + along, a) - here;
    let astern = here - surface_at(pixel - along, b);
    let near = min(step_a, step_b);
    if near > 1.0e29 {
        return surface_at(pixel + along, distance) - here;
    }
    if max(step_a, step_b) < 3.0 * near + 0.1 * frame.particles.w {
        return ahead + astern;
    }
    return select(astern, ahead, step_a < step_b);
}

// Folded normal, and bits of the distance.
@fragment
fn piece_fragment(@builtin(position) at: vec4f) -> @location(0) vec2u {
    let pixel = vec2i(at.xy);
    let distance = distance_at(pixel);
    if distance <= 0.0 {
        return vec2u(0u);
    }
    let normal = cross(tangent(pixel, vec2i(0, 1), distance), tangent(pixel, vec2i(1, 0), distance));
    return vec2u(folded(normalize(normal)), bitcast<u32>(distance));
}

struct Surface {
    @location(0) surface: vec2u,
    @builtin(frag_depth) depth: f32,
}

// Mud and foam of the water along the ray through a sample.
fn contents_at(at: vec2f) -> vec2f {
    // The least number of half precision: where there is no water there is no sediment.
    const LEAST = 6.0e-8;
    let water = textureSampleLevel(thickness, clamped, at * frame.viewport.zw, 0.0);
    // Foam as thick as a particle hides a third of what is below.
    const OPACITY = 0.4;
    let foam = 1.0 - exp(-OPACITY * frame.water.w * water.b / (2.0 * frame.particles.w));
    return vec2f(mud_of(water.g / max(water.r + water.a, LEAST), frame.depths.z), foam);
}

// Between the pixels: of the four around a sample, those that belong to the same surface as the nearest of
// them.
@fragment
fn surface_fragment(@builtin(position) at: vec4f) -> Surface {
    let last = vec2i(textureDimensions(pieces)) - 1;
    let place = at.xy / f32(frame.flags.y) - 0.5;
    let low = vec2i(floor(place));
    let part = place - floor(place);
    var found: array<vec2u, 4>;
    var shares: array<f32, 4>;
    var cover = 0.0;
    var most = 0.0;
    var level = 0.0;
    for (var i = 0; i < 4; i++) {
        let side = vec2i(i & 1, i >> 1u);
        found[i] = textureLoad(pieces, clamp(low + side, vec2i(0), last), 0).xy;
        let beside = select(1.0 - part, part, side == vec2i(1));
        shares[i] = select(0.0, beside.x * beside.y, found[i].y != 0u);
        cover += shares[i];
        if shares[i] > most {
            most = shares[i];
            level = bitcast<f32>(found[i].y);
        }
    }
    if cover < 0.5 {
        discard;
    }
    var normal = vec3f(0.0);
    var sum = vec2f(0.0);
    for (var i = 0; i < 4; i++) {
        let distance = bitcast<f32>(found[i].y);
        if shares[i] > 0.0 && abs(distance - level) < STEP * frame.particles.w {
            normal += shares[i] * unfolded(found[i].x);
            sum += shares[i] * vec2f(straight(distance), 1.0);
        }
    }
    let depth = clamp(depth_at(straight(sum.x / sum.y)), 1.0e-30, 1.0);
    let contents = contents_at(at.xy);
    return Surface(surface_of(normalize(normal), depth, contents.x, contents.y), depth);
}
