// What stands or flows in space shares this: depths, rays through pixels, normals in few bits.

// Depth in the picture of what lies that far along the middle ray.
fn depth_at(distance: f32) -> f32 {
    if frame.eye.w > 0.5 {
        return frame.depths.x / distance;
    }
    return (frame.depths.y - distance) / (frame.depths.y - frame.depths.x);
}

// The ray through a place in the picture [px].
fn ray_at(pixel: vec2f) -> Ray {
    return ray_through(vec2f(pixel.x * frame.viewport.z, 1.0 - pixel.y * frame.viewport.w) * 2.0 - 1.0);
}

// A unit vector on the unfolded octahedron, and back (Cigolle et al. 2014).
fn onto_octahedron(normal: vec3f) -> vec2f {
    let flat = normal.xy / (abs(normal.x) + abs(normal.y) + abs(normal.z));
    let turned = (1.0 - abs(flat.yx)) * select(vec2f(-1.0), vec2f(1.0), flat >= vec2f(0.0));
    return select(flat, turned, normal.z < 0.0);
}

fn from_octahedron(flat: vec2f) -> vec3f {
    let z = 1.0 - abs(flat.x) - abs(flat.y);
    let turned = (1.0 - abs(flat.yx)) * select(vec2f(-1.0), vec2f(1.0), flat >= vec2f(0.0));
    return normalize(vec3f(select(flat, turned, z < 0.0), z));
}

fn folded(normal: vec3f) -> u32 {
    return pack2x16snorm(onto_octahedron(normal));
}

fn unfolded(bits: u32) -> vec3f {
    return from_octahedron(unpack2x16snorm(bits));
}

// What a surface of water writes: its normal in twelve bits along each side of the octahedron, true to 0.04°, and
// in eight its foam; then the bits of the depth, which are never all 0. Muddy water has its mud in the last eight
// of those, and the sign says so: the depth of clear water stays exact, that of muddy water is true to 1 in 65536.
const MUDDY = 0x80000000u;
// Steps to each side of the octahedron's middle.
const STEPS = 2047.0;

fn surface_of(normal: vec3f, depth: f32, mud: f32, foam: f32) -> vec2u {
    let flat = vec2u(round((onto_octahedron(normal) + 1.0) * STEPS));
    let exact = bitcast<u32>(depth);
    let level = u32(round(mud * 255.0));
    return vec2u(
        flat.x | (flat.y << 12u) | (u32(round(foam * 255.0)) << 24u),
        select(exact, MUDDY | (exact & 0xffffff00u) | level, level > 0u),
    );
}

fn surface_normal(bits: u32) -> vec3f {
    return from_octahedron(vec2f(vec2u(bits, bits >> 12u) & vec2u(0xfffu)) / STEPS - 1.0);
}

fn surface_foam(bits: u32) -> f32 {
    return f32(bits >> 24u) / 255.0;
}

fn surface_depth(bits: u32) -> f32 {
    return bitcast<f32>(select(bits, (bits & 0x7fffff00u) | 0x80u, (bits & MUDDY) != 0u));
}

fn surface_mud(bits: u32) -> f32 {
    return select(0.0, f32(bits & 0xffu) / 255.0, (bits & MUDDY) != 0u);
}

// What a render pass over opaque things writes: that there is one (to keep the ground's light away), its paint and
// normal. The light is worked out afterwards, once for each sample (`bodies.wgsl`).
struct Body {
    @location(0) seen: vec2f,
    @location(1) body: vec2u,
}

// Colours are kept as roots, which spends the bits where the eye needs them. `gloss` must not be 0.
fn paint_of(albedo: vec3f, gloss: f32) -> u32 {
    return pack4x8unorm(vec4f(sqrt(albedo), gloss));
}

// Finishes of bodies, in the place of gloss.
const PAINT = 0.3;
const METAL = 0.35;
const WOOD = 0.4;

// What the mesh of the ground has in the place of paint: how open it is to the sky, and whether it is the face of a cut. No
// gloss is a half.
const EARTH = 0.5;

fn earth_of(open: f32, sawn: bool) -> u32 {
    return pack4x8unorm(vec4f(sqrt(open), select(0.0, 1.0, sawn), 0.0, EARTH));
}

fn body_of(paint: u32, normal: vec3f) -> Body {
    return Body(vec2f(1.0, 0.0), vec2u(paint, folded(normal)));
}
