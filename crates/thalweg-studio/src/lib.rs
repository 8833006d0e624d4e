//! The studio of thalweg: water on terrain in a window, live.
//!
//! A [`Studio`] is an egui application. The scene is at work on a thread of its own and leaves snapshots; another thread draws the
//! newest of them; the window shows the last picture and never waits for either. Whatever is changed goes to the scene as an
//! [`Edit`](thalweg::Edit), so it can be undone, and what was done in the window can be done again on the command line.
//!
//! [`run`] opens the window.

mod autosave;
mod camera;
mod command;
mod drawing;
mod engine;
mod panels;
mod parameters;
mod picking;
mod picture_file;
mod recording;
mod studio;
#[cfg(test)]
mod tests;
mod theme;
mod timeline;
mod tools;
mod worker;

pub use studio::{FIRST_SCENE, Options, Studio};

/// Smallest window in which everything has its place, in points.
const SMALLEST: [f32; 2] = [960.0, 600.0];

/// Opens the window and returns when it is closed; the text says why there is none.
pub fn run(options: Options) -> Result<(), String> {
    let viewport = egui::ViewportBuilder::default()
        .with_title("thalweg studio")
        .with_app_id("thalweg-studio")
        .with_inner_size([1280.0, 720.0])
        .with_min_inner_size(SMALLEST);
    let native = eframe::NativeOptions { viewport, ..eframe::NativeOptions::default() };
    let opened = eframe::run_native(
        "thalweg studio",
        native,
        Box::new(|context| Ok(Box::new(Studio::new(&context.egui_ctx, options)))),
    );
    opened.map_err(|error| no_window(&error.to_string()))
}

/// One sentence for a machine that opens no window.
fn no_window(reason: &str) -> String {
    let install = if cfg!(target_os = "linux") {
        "install a Vulkan driver (Debian: apt-get install mesa-vulkan-drivers) and start it on a desktop (DISPLAY)"
    } else {
        "install a graphics driver with Vulkan, Metal or Direct3D 12"
    };
    let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("no window can be opened: {install}; the system says: {reason}")
}
