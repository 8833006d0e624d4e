// The light of water's surfaces in space, of meshes and of particles: mirror, and window to what is behind.

// Light, and in alpha the water along the ray in front of it [m].
@group(1) @binding(0) var behind_light: texture_2d<f32>;
@group(1) @binding(1) var behind_depths: texture_2d<f32>;
// Normal and foam, depth and mud: `surface_of`; 0 where there is no water.
@group(1) @binding(2) var surfaces: texture_2d<u32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(vec2f(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0, 0.0, 1.0);
}

// Way along a ray to what is behind the water: a thing, the table, or far away.
fn way_behind(depth: f32, ray: Ray) -> f32 {
    if depth > 0.0 {
        return way_of(depth, ray.direction);
    }
    let drop = ray.start.z - frame.heights.z;
    if drop > 0.0 && ray.direction.z < -1.0e-4 {
        return drop / -ray.direction.z;
    }
    return 10.0 * frame.depths.y;
}

// Where a place lies in the picture, 0 to 1 from the top left.
fn picture_place(place: vec3f) -> vec2f {
    let clip = frame.clip_from_world * vec4f(place, 1.0);
    return vec2f(0.5 + 0.5 * clip.x / clip.w, 0.5 - 0.5 * clip.y / clip.w);
}

struct Behind {
    light: vec3f,
    // Way through the water [m].
    way: f32,
}

// What is seen through the surface: along the bent ray through the water, then straight on.
fn seen_behind(at: vec2f, place: vec3f, ray: Ray, depth: f32, normal: vec3f, thick: f32, room: f32) -> Behind {
    let bent = refract(ray.direction, normal, 1.0 / INDEX);
    let end = place + bent * thick + ray.direction * (room - thick);
    let shift = picture_place(end) - at;
    for (var part = 1.0; part > 0.2; part *= 0.5) {
        let uv = at + shift * part;
        if all(uv == clamp(uv, vec2f(0.0), vec2f(1.0))) {
            let found = textureLoad(behind_depths, vec2i(uv * frame.viewport.xy), 0).r;
            // What lies in front of the water cannot be seen through it.
            if found < depth {
                let other = ray_at(uv * frame.viewport.xy);
                let met = other.start + other.direction * way_behind(found, other);
                // Bent rays fall steeper and are shorter.
                let length = clamp(distance(met, place) / max(room, 1.0e-6), 0.5, 1.25);
                return Behind(textureSampleLevel(behind_light, clamped, uv, 0.0).rgb, thick * length);
            }
        }
    }
    return Behind(textureSampleLevel(behind_light, clamped, at, 0.0).rgb, thick);
}

// What the surface mirrors: ground, sky, or the table below.
fn mirror_image(place: vec3f, direction: vec3f, blur: f32) -> vec3f {
    let image = mirrored(place, direction, blur);
    if direction.z >= 0.0 {
        return image;
    }
    let table = 0.4 * (frame.sun_light.rgb * max(frame.sun.z, 0.0) + skylight(vec3f(0.0, 0.0, 1.0)));
    return mix(image, min(table, image), smoothstep(0.0, -0.1, direction.z));
}

// A surface at a pixel.
struct Surface {
    depth: f32,
    normal: vec3f,
    // Water along the ray [m].
    water: f32,
    mud: f32,
    foam: f32,
}

// The skin of moving water: ripples finer than particles can tell, on what lies level; thin films stay smooth.
fn wrinkled_normal(normal: vec3f, place: vec3f, depth: f32, blur: f32) -> vec3f {
    const STEEPNESS = 0.12;
    let ripples = ripples_at(place.xy, vec2f(0.0), blur).xy;
    let level = max(normal.z, 0.0);
    let strength = frame.ripples.x * STEEPNESS * level * level * smoothstep(0.0, 0.3, depth);
    return normal - vec3f(ripples * strength, 0.0);
}

// What a surface full of small waves mirrors: at a glance they hide each other, and less than a smooth one (after
// Lagarde 2011).
fn rough_fresnel(cosine: f32) -> f32 {
    let rough = 0.45 * min(frame.ripples.x, 1.0);
    return MIRRORED + (1.0 - rough - MIRRORED) * pow(1.0 - clamp(cosine, 0.0, 1.0), 5.0);
}

fn surface_light(pixel: vec2f, ray: Ray, surface: Surface, behind_way: f32) -> vec3f {
    let way = way_of(surface.depth, ray.direction);
    let place = ray.start + ray.direction * way;
    // At a rim a smooth normal may turn away from the eye.
    let away = max(0.08 + dot(surface.normal, ray.direction), 0.0);
    let blur = side_seen(dot(place - frame.eye.xyz, frame.forward.xyz));
    let wrinkled = wrinkled_normal(surface.normal - ray.direction * away, place, surface.water, blur);
    let normal = normalize(wrinkled);
    let facing = -dot(normal, ray.direction);
    let room = max(behind_way - way, 0.0);
    let thick = clamp(surface.water, 0.0, room);
    let behind = seen_behind(pixel * frame.viewport.zw, place, ray, surface.depth, normal, thick, room);

    // A film thinner than what can be seen mirrors nothing either: no seam where water ends.
    let film = smoothstep(0.0, 1.0, thick / (2.0 * blur + 2.0 * frame.particles.w));
    let share = rough_fresnel(facing) * film;
    let clear = exp(-water_loss(surface.mud) * behind.way / frame.grid.w);
    let own = from_below(vec3f(0.0), behind.way, surface.mud, place);
    let mirror = reflect(ray.direction, normal);
    var light = own * (1.0 - share) + mirror_image(place, mirror, blur) * share;
    // The sun's image (Walter et al. 2007).
    let halfway = normalize(frame.sun.xyz - ray.direction);
    let spread = max(dot(normal, halfway), 0.0);
    const A2 = 0.0016;
    let lobe = A2 / (PI * pow(spread * spread * (A2 - 1.0) + 1.0, 2.0));
    let glint = lobe * fresnel(dot(halfway, -ray.direction)) / (4.0 * max(facing, 0.1));
    let seen = sun_seen(place, normal);
    light += frame.sun_light.rgb * seen * PI * min(glint, 4.0) * film;
    // Foam hides what is below it, but for a film.
    let foam = surface.foam * film;
    light = mix(light, foam_light(normal, seen, surface.mud), foam);

    // What is behind has come through the air already.
    let air = through_air(vec3f(0.0), place);
    let open = through_air(vec3f(1.0), place) - air;
    let window = clear * (1.0 - share) * (1.0 - foam);
    return light * open + behind.light * window + air * (1.0 - window);
}

@fragment
fn fragment(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let pixel = vec2i(at.xy);
    let bits = textureLoad(surfaces, pixel, 0).xy;
    if bits.y == 0u {
        discard;
    }
    let ray = ray_at(at.xy);
    let behind = way_behind(textureLoad(behind_depths, pixel, 0).r, ray);
    let water = textureLoad(behind_light, pixel, 0).a;
    let surface = Surface(
        surface_depth(bits.y),
        surface_normal(bits.x),
        water,
        surface_mud(bits.y),
        surface_foam(bits.x),
    );
    return vec4f(surface_light(at.xy, ray, surface, behind), 1.0);
}
