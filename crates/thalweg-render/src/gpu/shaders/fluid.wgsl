// Particles as the surface of a fluid, smoothed in the picture (van der Laan, Green & Sainz 2009), by the
// narrow-range filter of Truong & Yuksel 2018: a Gauss kernel of constant size in the world that leaves
// out what lies far in front and holds what lies far behind near, so that outlines stay.

@group(1) @binding(0) var distances: texture_2d<f32>;

// Reach of the kernel [radii], and at most [px].
const REACH = 4.0;
const MOST = 80.0;
// Samples on each side, at most.
const SAMPLES = 10.0;
// Steps in distance up to this many radii are part of the surface.
const STEP = 4.0;
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

fn smoothed(at: vec2f, along: vec2i) -> f32 {
    let pixel = vec2i(at);
    let here = textureLoad(distances, pixel, 0).r;
    let radius = frame.particles.w;
    let reach = min(REACH * radius / side_seen(here), MOST);
    if here <= 0.0 || reach < 1.0 {
        return here;
    }
    let count = min(ceil(reach), SAMPLES);
    let stride = reach / count;
    let held = here + HELD * radius;
    let step = STEP * radius;
    var ahead = Band(here - step, here + step);
    var astern = ahead;
    let size = vec2i(frame.viewport.xy);
    var sum = straight(here);
    var weights = 1.0;
    for (var i = 1.0; i <= count; i += 1.0) {
        let shift = along * i32(round(i * stride));
        // Pairs, so that a slope does not pull to one side.
        if any(pixel + shift >= size) || any(pixel - shift < vec2i(0)) {
            break;
        }
        let a = counted(textureLoad(distances, pixel + shift, 0).r, &ahead, held);
        let b = counted(textureLoad(distances, pixel - shift, 0).r, &astern, held);
        if a > 0.0 && b > 0.0 {
            let far = i / count;
            let weight = exp(-2.0 * far * far);
            sum += weight * (straight(a) + straight(b));
            weights += 2.0 * weight;
        }
    }
    return straight(sum / weights);
}

@fragment
fn across_fragment(@builtin(position) at: vec4f) -> @location(0) f32 {
    return smoothed(at.xy, vec2i(1, 0));
}

@fragment
fn down_fragment(@builtin(position) at: vec4f) -> @location(0) f32 {
    return smoothed(at.xy, vec2i(0, 1));
}

// A place on the surface, from the eye [m].
fn surface_at(pixel: vec2i, distance: f32) -> vec3f {
    let at = (vec2f(pixel) + 0.5) * frame.viewport.zw;
    let across = frame.right.xyz * (2.0 * at.x - 1.0) + frame.up.xyz * (1.0 - 2.0 * at.y);
    return frame.forward.xyz * distance + across * select(1.0, distance, frame.eye.w > 0.5);
}

// The way along the surface to the next pixel: over both neighbours where they belong to it, else to the
// one that lies nearer.
fn tangent(pixel: vec2i, along: vec2i, distance: f32) -> vec3f {
    let last = vec2i(frame.viewport.xy) - 1;
    let a = textureLoad(distances, min(pixel + along, last), 0).r;
    let b = textureLoad(distances, max(pixel - along, vec2i(0)), 0).r;
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

struct Surface {
    @location(0) surface: vec2u,
    @builtin(frag_depth) depth: f32,
}

@fragment
fn surface_fragment(@builtin(position) at: vec4f) -> Surface {
    let pixel = vec2i(at.xy);
    let distance = textureLoad(distances, pixel, 0).r;
    if distance <= 0.0 {
        discard;
    }
    let normal = normalize(cross(tangent(pixel, vec2i(0, 1), distance), tangent(pixel, vec2i(1, 0), distance)));
    let depth = clamp(depth_at(distance), 1.0e-30, 1.0);
    return Surface(vec2u(folded(normal), bitcast<u32>(depth)), depth);
}
