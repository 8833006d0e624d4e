// The ground as a mesh, with caves and overhangs. This render pass finds what is seen where; `bodies.wgsl` works out its
// light, with the materials of `rock.wgsl`.

struct Corner {
    @location(0) place: vec3f,
    @location(1) normal: vec3f,
    // Share of the sky's light.
    @location(2) open: f32,
}

struct Seen {
    @builtin(position) clip: vec4f,
    @location(0) place: vec3f,
    @location(1) normal: vec3f,
    @location(2) open: f32,
}

fn raised(place: vec3f) -> vec3f {
    return vec3f(place.xy, place.z * frame.grid.w);
}

// Whether a place was taken away by the cut.
fn is_cut_off(place: vec3f) -> bool {
    return frame.cut.w > 0.5 && dot(place.xy, frame.cut.xy) > frame.cut.z;
}

@vertex
fn vertex(corner: Corner) -> Seen {
    let place = raised(corner.place);
    // Normals turn against the stretch.
    let normal = normalize(corner.normal * vec3f(frame.grid.ww, 1.0) + vec3f(0.0, 0.0, 1.0e-9));
    return Seen(frame.clip_from_world * vec4f(place, 1.0), place, normal, corner.open);
}

struct Shading {
    @builtin(position) clip: vec4f,
    @location(0) place: vec3f,
}

@vertex
fn shadow_vertex(corner: Corner) -> Shading {
    let place = raised(corner.place);
    return Shading(frame.shadow_from_world * vec4f(place, 1.0), place);
}

@fragment
fn shadow_fragment(shading: Shading) {
    if is_cut_off(shading.place) {
        discard;
    }
}

// Where a surface is seen from behind, the ray has come through the cut: there is rock before it, and what is seen is the face
// of the cut.
@fragment
fn fragment(seen: Seen, @builtin(front_facing) front: bool) -> Body {
    if is_cut_off(seen.place) {
        discard;
    }
    let sawn = frame.cut.w > 0.5 && !front;
    let normal = select(normalize(seen.normal) * select(-1.0, 1.0, front), vec3f(frame.cut.xy, 0.0), sawn);
    return body_of(earth_of(seen.open, sawn), normal);
}
