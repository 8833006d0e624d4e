// What sediment makes of water. `look.rs` says the same in Rust.

// The colour of mud, linear.
const MUD_COLOUR = vec3f(0.27, 0.19, 0.105);
// The muddiest river still mirrors and shimmers as water.
const MUDDIEST = 0.75;

// How muddy water is, 0 to 1, by its share of sediment and the share that makes mud.
fn mud_of(share: f32, muddy: f32) -> f32 {
    return MUDDIEST * (1.0 - exp(-max(share, 0.0) / muddy));
}
