//! Every example runs to its end.

#[cfg(feature = "render")]
#[path = "../../examples/draw_a_snapshot.rs"]
#[expect(dead_code, reason = "its main asks for the name of a file")]
mod draw_a_snapshot;
#[path = "../../examples/erode_an_array.rs"]
mod erode_an_array;
#[path = "../../examples/live_edits.rs"]
mod live_edits;
#[path = "../../examples/torrent.rs"]
mod torrent;

#[test]
fn an_array_is_eroded() {
    erode_an_array::main().unwrap();
}

#[test]
fn a_torrent_runs() {
    torrent::main().unwrap();
}

#[test]
fn a_scene_is_edited_while_it_runs() {
    live_edits::main().unwrap();
}

#[cfg(feature = "render")]
#[test]
fn a_snapshot_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("picture.png");
    draw_a_snapshot::draw(file.to_str().unwrap()).unwrap();
    let bytes = file.metadata().unwrap().len();
    assert!(bytes > 10_000, "a picture of {bytes} bytes shows nothing");
}
