// Water of a depth field, drawn as part of the ground: one surface, so that shores neither flicker nor
// show the steps of cells.

// Slope of the ripples: wind wrinkles still water a little, currents more; shallow films stay smooth.
fn ripple_height(depth: f32, speed: f32) -> f32 {
    return frame.ripples.x * (0.035 + 0.10 * smoothstep(0.2, 4.0, speed)) * smoothstep(0.0, 0.5, depth);
}

// Slope of the water with its ripples.
fn rippled(water: vec4f, velocity: vec2f, ripples: vec2f) -> vec2f {
    return water.zw + ripples * ripple_height(max(water.y, 0.0), length(velocity)) / frame.grid.w;
}

// Light of the ground's surface where water covers it.
fn lake_light(place: vec3f, water: vec4f, mud: f32, blur: f32) -> vec3f {
    let uv = uv_from_world(place.xy);
    let velocity = textureSampleLevel(flows, clamped, uv, 0.0).rg;
    let speed = length(velocity);
    let ripples = ripples_at(place.xy, velocity, blur);
    let depth = max(water.y, 0.0);
    let height = ripple_height(depth, speed);
    let normal = upright(rippled(water, velocity, ripples.xy));
    let lost = smoothstep(0.0, 6.0, log2(max(blur / frame.ripples.y * 256.0, 1.0)));
    let rough = 0.02 + 0.5 * height * lost;

    // Shooting flow breaks: a Froude number above 1.
    let froude = speed / sqrt(9.81 * max(depth, 0.05));
    let broken = frame.water.w * smoothstep(0.9, 2.4, froude) * smoothstep(1.0, 5.0, speed);
    let foam = 0.85 * smoothstep(0.62 - 0.45 * broken, 0.80 - 0.30 * broken, ripples.z) * broken;

    let ray = refract(-to_eye(place), normal, 1.0 / INDEX);
    let bed = bed_seen(place, ray, depth);
    let ground = ground_at(bed.xy, blur);
    let below = max((place.z - bed.z) / frame.grid.w, 0.0);
    let loss = exp(-water_loss(mud) * below / max(frame.sun.z, 0.3));
    let sun = frame.sun_light.rgb * max(dot(ground.normal, frame.sun.xyz), 0.0) * focused(bed.xyz, below)
        * sun_seen(place, vec3f(0.0, 0.0, 1.0));
    let bed_light = 0.7 * ground.albedo * (sun + skylight(ground.normal)) * loss;
    let under = from_below(bed_light, bed.w, mud, place);
    return water_light(Water(place, normal, rough, mud, foam), under, blur);
}
