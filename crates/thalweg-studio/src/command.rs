//! Everything that can be asked for with a key, a menu or the search: one table for all three and for the page of keys.

use egui::{Key, KeyboardShortcut, Modifiers};

/// What can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Open,
    Scenes,
    Heightmap,
    Save,
    Export,
    Screenshot,
    Sequence,
    Quit,
    Undo,
    Redo,
    Search,
    Play,
    Step,
    Reset,
    FrameAll,
    TopView,
    Wireframe,
    Water,
    Help,
    Welcome,
    /// An overlay, by its place in the list; the first is none.
    Overlay(u8),
    Look,
    Raise,
    Lower,
    Smooth,
    Flatten,
    Harden,
    Soften,
    Pour,
    Scoop,
    RainCloud,
    Source,
    Drain,
    Larger,
    Smaller,
    Dark,
    FollowBody,
    RideBody,
}

/// A menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Menu {
    File,
    Edit,
    Simulation,
    View,
    Tools,
    Help,
}

impl Menu {
    pub(crate) const ALL: [Self; 6] =
        [Self::File, Self::Edit, Self::Simulation, Self::View, Self::Tools, Self::Help];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::File => "File",
            Self::Edit => "Edit",
            Self::Simulation => "Simulation",
            Self::View => "View",
            Self::Tools => "Tools",
            Self::Help => "Help",
        }
    }
}

/// A command with its words and keys; the first key is the one that is told in menus.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub command: Command,
    pub menu: Menu,
    pub name: &'static str,
    pub keys: &'static [KeyboardShortcut],
}

const fn plain(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::NONE, key)
}

const fn ctrl(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND, key)
}

const fn ctrl_shift(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key)
}

const fn entry(command: Command, menu: Menu, name: &'static str, keys: &'static [KeyboardShortcut]) -> Entry {
    Entry { command, menu, name, keys }
}

/// All of them, in the order of the menus. Longer combinations come before shorter ones of the same key.
pub(crate) const COMMANDS: [Entry; 46] = [
    entry(Command::Scenes, Menu::File, "Scene gallery…", &[ctrl_shift(Key::O)]),
    entry(Command::Open, Menu::File, "Open scene…", &[ctrl(Key::O)]),
    entry(Command::Heightmap, Menu::File, "Open heightmap…", &[ctrl(Key::H)]),
    entry(Command::Save, Menu::File, "Save scene", &[ctrl(Key::S)]),
    entry(Command::Export, Menu::File, "Export terrain…", &[ctrl(Key::E)]),
    entry(Command::Screenshot, Menu::File, "Save picture", &[plain(Key::F12)]),
    entry(Command::Sequence, Menu::File, "Record frames, or stop", &[plain(Key::F11)]),
    entry(Command::Quit, Menu::File, "Quit", &[ctrl(Key::Q)]),
    entry(Command::Redo, Menu::Edit, "Redo", &[ctrl_shift(Key::Z), ctrl(Key::Y)]),
    entry(Command::Undo, Menu::Edit, "Undo", &[ctrl(Key::Z)]),
    entry(Command::Search, Menu::Edit, "Search parameters and commands", &[ctrl(Key::P)]),
    entry(Command::Play, Menu::Simulation, "Play or pause", &[plain(Key::Space), plain(Key::P)]),
    entry(Command::Step, Menu::Simulation, "One step", &[plain(Key::Period), plain(Key::ArrowRight)]),
    entry(Command::Reset, Menu::Simulation, "Back to the beginning", &[plain(Key::R)]),
    entry(Command::FrameAll, Menu::View, "Show everything", &[plain(Key::F)]),
    entry(Command::TopView, Menu::View, "From above", &[plain(Key::T)]),
    entry(Command::FollowBody, Menu::View, "Follow the next body", &[plain(Key::N)]),
    entry(Command::RideBody, Menu::View, "Ride on the next body", &[plain(Key::B)]),
    entry(Command::Wireframe, Menu::View, "Wireframe", &[plain(Key::W)]),
    entry(Command::Water, Menu::View, "Show or hide water", &[plain(Key::V)]),
    entry(Command::Overlay(0), Menu::View, "No overlay", &[plain(Key::Num0)]),
    entry(Command::Overlay(1), Menu::View, "Overlay: height", &[plain(Key::Num1)]),
    entry(Command::Overlay(2), Menu::View, "Overlay: slope", &[plain(Key::Num2)]),
    entry(Command::Overlay(3), Menu::View, "Overlay: erosion and deposition", &[plain(Key::Num3)]),
    entry(Command::Overlay(4), Menu::View, "Overlay: flow", &[plain(Key::Num4)]),
    entry(Command::Overlay(5), Menu::View, "Overlay: water depth", &[plain(Key::Num5)]),
    entry(Command::Overlay(6), Menu::View, "Overlay: speed", &[plain(Key::Num6)]),
    entry(Command::Overlay(7), Menu::View, "Overlay: sediment", &[plain(Key::Num7)]),
    entry(Command::Overlay(8), Menu::View, "Overlay: wetness", &[plain(Key::Num8)]),
    entry(Command::Overlay(9), Menu::View, "Overlay: change since the start", &[plain(Key::Num9)]),
    entry(Command::Dark, Menu::View, "Light or dark", &[ctrl(Key::L)]),
    entry(Command::Look, Menu::Tools, "Look around", &[plain(Key::Q)]),
    entry(Command::Raise, Menu::Tools, "Raise", &[ctrl(Key::Num1)]),
    entry(Command::Lower, Menu::Tools, "Lower", &[ctrl(Key::Num2)]),
    entry(Command::Smooth, Menu::Tools, "Smooth", &[ctrl(Key::Num3)]),
    entry(Command::Flatten, Menu::Tools, "Flatten", &[ctrl(Key::Num4)]),
    entry(Command::Harden, Menu::Tools, "Harden", &[ctrl(Key::Num5)]),
    entry(Command::Soften, Menu::Tools, "Soften", &[ctrl(Key::Num6)]),
    entry(Command::Pour, Menu::Tools, "Pour water", &[ctrl(Key::Num7)]),
    entry(Command::Scoop, Menu::Tools, "Scoop water", &[ctrl(Key::Num8)]),
    entry(Command::RainCloud, Menu::Tools, "Rain cloud", &[ctrl(Key::Num9)]),
    entry(Command::Source, Menu::Tools, "Source", &[ctrl(Key::Num0)]),
    entry(Command::Drain, Menu::Tools, "Drain", &[ctrl(Key::D)]),
    entry(Command::Larger, Menu::Tools, "Larger brush", &[plain(Key::CloseBracket)]),
    entry(Command::Smaller, Menu::Tools, "Smaller brush", &[plain(Key::OpenBracket)]),
    entry(Command::Help, Menu::Help, "Keys", &[plain(Key::F1), plain(Key::Questionmark)]),
];

/// The welcome is in the menu of help alone.
pub(crate) const WELCOME: Entry = entry(Command::Welcome, Menu::Help, "Welcome", &[]);

impl Entry {
    /// Its keys, as people write them.
    pub(crate) fn keys_told(&self, ctx: &egui::Context) -> String {
        let told: Vec<_> = self.keys.iter().map(|keys| ctx.format_shortcut(keys)).collect();
        told.join(" or ")
    }
}

/// The entry of a command.
pub(crate) fn entry_of(command: Command) -> Entry {
    COMMANDS.into_iter().find(|entry| entry.command == command).unwrap_or(WELCOME)
}

/// Commands whose keys were pressed; none while somebody writes, but for those with Ctrl.
pub(crate) fn pressed(ctx: &egui::Context) -> Vec<Command> {
    let writing = ctx.egui_wants_keyboard_input();
    let mut found = Vec::new();
    for entry in COMMANDS {
        let keys = entry
            .keys
            .iter()
            .filter(|keys| !writing || keys.modifiers.command || is_function(keys.logical_key));
        for keys in keys {
            if ctx.input_mut(|input| input.consume_shortcut(keys)) {
                found.push(entry.command);
            }
        }
    }
    found
}

fn is_function(key: Key) -> bool {
    matches!(key, Key::F1 | Key::F11 | Key::F12)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_is_given_twice() {
        let keys: Vec<_> = COMMANDS.iter().flat_map(|entry| entry.keys).collect();
        for (i, one) in keys.iter().enumerate() {
            assert!(!keys[..i].contains(one), "{one:?} is there twice");
        }
        assert!(!keys.iter().any(|keys| keys.logical_key == Key::Escape), "Escape never quits");
    }
}
