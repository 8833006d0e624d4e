//! Pictures, still and moving.

use crate::common::{damage, png_file};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::Command;
use thalweg_field::random::Key;
use thalweg_io::{
    Animation, ReadError, WriteError, ffmpeg_present, read_png_rgb, write_jpeg_rgb, write_png_rgb,
};
use zune_jpeg::JpegDecoder;

/// More than any picture here needs `[byte]`.
const PLENTY: u64 = 64 << 20;

/// A smooth picture with no symmetry: red to the east, green to the south, blue with the frame.
fn sunset(width: usize, height: usize, frame: usize) -> Vec<u8> {
    let share = |at: usize, of: usize| (20 + 200 * at / of.max(2)) as u8;
    let pixel = |at: usize| [share(at % width, width), share(at / width, height), (20 * frame) as u8];
    (0..width * height).flat_map(pixel).collect()
}

/// Mean and largest difference of two pictures [of 255].
fn difference(a: &[u8], b: &[u8]) -> (f64, u8) {
    assert_eq!(a.len(), b.len());
    let differences = a.iter().zip(b).map(|(a, b)| a.abs_diff(*b));
    let sum: f64 = differences.clone().map(f64::from).sum();
    (sum / a.len() as f64, differences.max().unwrap_or(0))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_png_picture_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    for (width, height) in [(37, 20), (1, 1), (5, 300)] {
        let picture = sunset(width, height, 3);
        write_png_rgb(&path, width, height, &picture).unwrap();
        assert_eq!(read_png_rgb(&path, PLENTY).unwrap(), (width, height, picture));
    }
}

#[test]
fn grey_alpha_and_palettes_become_red_green_and_blue() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    let eight = |info: &mut png::Info| info.bit_depth = png::BitDepth::Eight;
    let read = || read_png_rgb(&path, PLENTY).unwrap();
    png_file(&path, png::ColorType::Rgba, [2, 1], &[1, 2, 3, 0, 4, 5, 6, 255], eight);
    assert_eq!(read(), (2, 1, vec![1, 2, 3, 4, 5, 6]));
    png_file(&path, png::ColorType::Grayscale, [1, 2], &[7, 250], eight);
    assert_eq!(read(), (1, 2, vec![7, 7, 7, 250, 250, 250]));
    png_file(&path, png::ColorType::GrayscaleAlpha, [1, 2], &[7, 1, 250, 2], eight);
    assert_eq!(read(), (1, 2, vec![7, 7, 7, 250, 250, 250]));
    png_file(&path, png::ColorType::Indexed, [2, 1], &[1, 0], |info| {
        eight(info);
        info.palette = Some(vec![9, 8, 7, 60, 50, 40].into());
    });
    assert_eq!(read(), (2, 1, vec![60, 50, 40, 9, 8, 7]));
    png_file(&path, png::ColorType::Rgb, [1, 1], &[1, 2, 3], |_| {});
    let error = read_png_rgb(&path, PLENTY).unwrap_err();
    assert!(
        matches!(error, ReadError::Unsupported { .. }) && error.to_string().contains("8 bits"),
        "{error}"
    );
}

#[test]
fn hostile_png_pictures_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    write_png_rgb(&path, 30, 20, &sunset(30, 20, 1)).unwrap();
    // Four bytes for a pixel with alpha while decoding, and the picture itself.
    let error = read_png_rgb(&path, 30 * 20 * 4).unwrap_err();
    assert!(matches!(error, ReadError::TooLarge { cols: 30, rows: 20, .. }), "{error}");
    let whole = std::fs::read(&path).unwrap();
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(
            matches!(read_png_rgb(&path, PLENTY), Err(ReadError::Broken { .. })),
            "cut to {length} bytes"
        );
    }
    for round in 0..1000 {
        let mut bytes = whole.clone();
        damage(&mut bytes, Key::new(4).with(round));
        std::fs::write(&path, &bytes).unwrap();
        if let Ok((width, height, picture)) = read_png_rgb(&path, PLENTY) {
            assert_eq!(picture.len(), width * height * 3);
        }
    }
    let message = |name: &str| read_png_rgb(&folder.path().join(name), PLENTY).unwrap_err().to_string();
    assert!(message("").contains("this is a folder"), "{}", message(""));
    assert!(message("missing.png").contains("no such file"), "{}", message("missing.png"));
}

/// The sampling of the first channel in the frame header, marker FFC0: 0x11 or 0x22.
fn sampling(bytes: &[u8]) -> u8 {
    let at = bytes.windows(4).position(|window| window == [0xff, 0xc0, 0, 17]).expect("a frame header");
    bytes[at + 11]
}

#[test]
fn a_jpeg_looks_like_the_picture() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jpg");
    for (width, height) in [(160, 90), (161, 91), (7, 33), (1, 1)] {
        let picture = sunset(width, height, 4);
        for (quality, tolerance, sampled) in
            [(85, 3.0, 0x22), (89, 3.0, 0x22), (90, 2.0, 0x11), (100, 1.0, 0x11)]
        {
            write_jpeg_rgb(&path, width, height, &picture, quality).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            assert_eq!(sampling(&bytes), sampled, "quality {quality}");
            let mut decoder = JpegDecoder::new(std::io::Cursor::new(&bytes));
            let back = decoder.decode().unwrap();
            assert_eq!(decoder.dimensions(), Some((width, height)));
            let (mean, _) = difference(&picture, &back);
            assert!(mean <= tolerance, "{width} × {height}, quality {quality}: off by {mean} of 255");
        }
    }
    assert_eq!(names(folder.path()), ["a.jpg"]);
}

#[test]
fn a_jpeg_that_cannot_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jpg");
    let write = |width, height, bytes, quality| {
        write_jpeg_rgb(&path, width, height, &vec![0; bytes], quality).unwrap_err()
    };
    assert!(matches!(write(4, 4, 47, 80), WriteError::Pixels { bytes: 47, .. }));
    assert!(matches!(write(4, 4, 49, 80), WriteError::Pixels { bytes: 49, .. }));
    assert!(matches!(write(0, 4, 0, 80), WriteError::Size { .. }));
    assert!(write(65536, 1, 3 * 65536, 80).to_string().contains("between 1 and 65535"));
    assert!(write(4, 4, 48, 0).to_string().contains("the JPEG quality is 0; it must be from 1 to 100"));
    assert!(matches!(write(4, 4, 48, 101), WriteError::Refused { .. }));
    assert_eq!(names(folder.path()), [""; 0]);
}

/// Writes `frames` frames of the sunset.
fn animate(path: &Path, size: [usize; 2], fps: u32, frames: u32) -> Result<(), WriteError> {
    let mut animation = Animation::create(path, size, fps, frames)?;
    (0..frames as usize).try_for_each(|frame| animation.push(&sunset(size[0], size[1], frame)))?;
    animation.finish()
}

#[test]
fn an_animated_png_has_every_frame_and_its_time() {
    let folder = tempfile::tempdir().unwrap();
    for (name, frames) in [("a.png", 5), ("b.apng", 1), ("C.PNG", 2)] {
        let path = folder.path().join(name);
        animate(&path, [41, 23], 12, frames).unwrap();
        let decoder = png::Decoder::new(BufReader::new(File::open(&path).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let control = reader.info().animation_control.unwrap();
        assert_eq!((control.num_frames, control.num_plays), (frames, 0));
        let mut back = vec![0; reader.output_buffer_size().unwrap()];
        for frame in 0..frames as usize {
            let shown = reader.next_frame(&mut back).unwrap();
            assert_eq!((shown.width, shown.height), (41, 23));
            let time = reader.info().frame_control.unwrap();
            assert_eq!((time.delay_num, time.delay_den), (1, 12));
            assert_eq!(back, sunset(41, 23, frame), "{name}, frame {frame}");
        }
        assert!(reader.next_frame(&mut back).is_err());
        // Programs that know nothing of animation show the first frame.
        assert_eq!(read_png_rgb(&path, PLENTY).unwrap(), (41, 23, sunset(41, 23, 0)));
    }
    assert_eq!(names(folder.path()).len(), 3);
}

#[test]
fn an_animation_that_does_not_add_up_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    std::fs::write(&path, b"old").unwrap();
    let frame = sunset(8, 8, 0);

    let mut short = Animation::create(&path, [8, 8], 25, 3).unwrap();
    short.push(&frame).unwrap();
    let error = short.finish().unwrap_err().to_string();
    assert!(error.contains("1 frames were given but 3 were announced"), "{error}");

    let mut long = Animation::create(&path, [8, 8], 25, 1).unwrap();
    let error = long.push(&frame[3..]).unwrap_err();
    assert!(matches!(error, WriteError::Pixels { bytes: 189, .. }), "{error}");
    long.push(&frame).unwrap();
    let error = long.push(&frame).unwrap_err().to_string();
    assert!(error.contains("2 frames were given but 1 were announced"), "{error}");
    drop(long);

    let create = |name: &str, size, fps, frames| {
        Animation::create(&folder.path().join(name), size, fps, frames).expect_err("a refusal").to_string()
    };
    assert!(create("a.gif", [8, 8], 25, 1).contains("try .mp4 or .png"));
    assert!(create("png", [8, 8], 25, 1).contains("try .mp4 or .png"));
    assert!(create("a.png", [8, 0], 25, 1).contains("8 × 0"));
    assert!(create("a.png", [8, 8], 0, 1).contains("0 frames per second"));
    assert!(create("a.png", [8, 8], 65536 + 25, 1).contains("65561 frames per second"));
    assert!(create("a.png", [8, 8], 25, 0).contains("no frames"));
    assert!(create("nowhere/a.png", [8, 8], 25, 1).contains("does not exist"));

    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["a.png"]);
}

/// Unpacks a video with ffmpeg.
fn decoded(path: &Path, pixels: &str) -> Vec<u8> {
    let mut command = Command::new("ffmpeg");
    command.args(["-loglevel", "error", "-i"]).arg(path).args(["-f", "rawvideo", "-pix_fmt", pixels, "-"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn a_video_has_every_frame_in_its_colours() {
    if !ffmpeg_present() {
        println!("ffmpeg is not installed: no video was made");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, size, even) in [("a.mp4", [64, 48], [64, 48]), ("-b:c d.mp4", [65, 49], [64, 48])] {
        let path = folder.path().join(name);
        animate(&path, size, 25, 10).unwrap();
        let video = decoded(&path, "rgb24");
        let frame_bytes = even[0] * even[1] * 3;
        assert_eq!(video.len(), 10 * frame_bytes, "{name}");
        for (frame, back) in video.chunks_exact(frame_bytes).enumerate() {
            let picture = sunset(size[0], size[1], frame);
            let rows = picture.chunks_exact(size[0] * 3).take(even[1]);
            let cropped: Vec<u8> = rows.flat_map(|row| row[..even[0] * 3].to_vec()).collect();
            let (mean, _) = difference(&cropped, back);
            assert!(mean < 3.0, "{name}, frame {frame}: off by {mean} of 255");
        }
    }
    // Green is 173 in BT.709, which the file claims, and 145 in BT.601.
    let path = folder.path().join("green.mp4");
    let mut green = Animation::create(&path, [32, 32], 30, 2).unwrap();
    (0..2).for_each(|_| green.push(&[0, 255, 0].repeat(32 * 32)).unwrap());
    green.finish().unwrap();
    let luma = decoded(&path, "yuv420p")[0];
    assert!(luma.abs_diff(173) <= 2, "the luma of green is {luma}");
    // The index stands before the pictures, so that a browser can begin at once.
    let bytes = std::fs::read(&path).unwrap();
    let place = |name: &[u8]| bytes.windows(4).position(|window| window == name).unwrap();
    assert!(place(b"moov") < place(b"mdat"));
    animate(&folder.path().join("thin.mp4"), [1, 5], 1000, 3).unwrap();
    assert_eq!(names(folder.path()).len(), 4);
}
