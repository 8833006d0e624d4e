//! Moving pictures: frames pushed one by one into a video or an animated PNG.

use crate::atomic::{BUFFER, Part};
use crate::map::check_pixels;
use crate::written::check_size;
use crate::{WriteError, png};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread::JoinHandle;

/// The program that makes videos.
const FFMPEG: &str = "ffmpeg";

/// More pictures each second than any screen shows `[1/s]`.
const MOST_FPS: u32 = 1000;

/// A moving picture that is being written. Frames are not held in memory, and the file takes its name
/// only when [`finish`](Self::finish) has succeeded: dropped before, it leaves nothing behind.
///
/// ```
/// use thalweg_io::Animation;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("dawn.png");
/// let mut animation = Animation::create(&path, [32, 18], 25, 10)?;
/// for frame in 0..10 {
///     animation.push(&[25 * frame; 32 * 18 * 3])?;
/// }
/// animation.finish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Animation {
    path: PathBuf,
    size: [usize; 2],
    frames: u32,
    pushed: u32,
    /// True once half a frame may be in the file.
    failed: bool,
    // Dropped in this order: whoever writes to the file ends before the file is removed.
    encoder: Encoder,
    part: Part,
}

impl std::fmt::Debug for Animation {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Animation")
            .field("path", &self.path)
            .field("size", &self.size)
            .field("frames", &self.frames)
            .field("pushed", &self.pushed)
            .finish_non_exhaustive()
    }
}

enum Encoder {
    Png(Box<::png::Writer<BufWriter<File>>>),
    Mp4(Ffmpeg),
}

impl Animation {
    /// Begins a moving picture of `size` (width, height) pixels with `frames` frames, `fps` of them each
    /// second. The name tells the format: `.mp4` is H.264 video, made by the program ffmpeg; `.png` or
    /// `.apng` is an animated PNG, which browsers show and which loses nothing but is larger.
    ///
    /// Where a side has an odd number of pixels the video leaves out the last one, as its colours are
    /// stored two by two.
    pub fn create(path: &Path, size: [usize; 2], fps: u32, frames: u32) -> Result<Self, WriteError> {
        Self::create_with(Command::new(FFMPEG), path, size, fps, frames)
    }

    fn create_with(
        ffmpeg: Command,
        path: &Path,
        size: [usize; 2],
        fps: u32,
        frames: u32,
    ) -> Result<Self, WriteError> {
        let refuse = |what, expected| Err(WriteError::Refused { path: path.into(), what, expected });
        let io = |source| WriteError::Io { path: path.into(), source };
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        let video = match extension.to_str() {
            Some("mp4") => true,
            Some("png" | "apng") => false,
            _ => return Err(WriteError::Extension { path: path.into(), expected: ".mp4 or .png" }),
        };
        check_size(path, size[0], size[1])?;
        if frames == 0 {
            return refuse("an animation of no frames".into(), "it must have 1 or more");
        }
        let fps = match u16::try_from(fps) {
            Ok(rate @ 1..) if fps <= MOST_FPS => rate,
            _ => return refuse(format!("{fps} frames per second"), "it must be from 1 to 1000"),
        };
        let part = Part::beside(path).map_err(io)?;
        let encoder = if video {
            Encoder::Mp4(Ffmpeg::start(ffmpeg, path, part.name(), size, fps)?)
        } else {
            let writer = BufWriter::with_capacity(BUFFER, part.file().try_clone().map_err(io)?);
            let writer = png::animation(writer, size.map(|side| side as u32), fps, frames).map_err(io)?;
            Encoder::Png(Box::new(writer))
        };
        Ok(Self { path: path.into(), size, frames, pushed: 0, failed: false, encoder, part })
    }

    /// Adds the next frame: red, green and blue of each pixel, row after row from the top.
    pub fn push(&mut self, rgb: &[u8]) -> Result<(), WriteError> {
        let [width, height] = self.size;
        check_pixels(&self.path, width, height, rgb)?;
        if self.pushed == self.frames {
            return Err(self.miscounted(u64::from(self.pushed) + 1));
        }
        let path = || self.path.clone();
        let written = match &mut self.encoder {
            Encoder::Png(writer) => writer
                .write_image_data(rgb)
                .map_err(|error| WriteError::Io { path: path(), source: error.into() }),
            Encoder::Mp4(ffmpeg) => {
                ffmpeg.push(rgb).map_err(|reason| WriteError::Ffmpeg { path: path(), reason })
            }
        };
        self.pushed += 1;
        self.failed |= written.is_err();
        written
    }

    /// Writes what is left and puts the file in its place. All frames must have been pushed.
    pub fn finish(self) -> Result<(), WriteError> {
        if self.pushed < self.frames {
            return Err(self.miscounted(self.pushed.into()));
        }
        if self.failed {
            let what = "one of the frames could not be written".into();
            return Err(WriteError::Refused { path: self.path, what, expected: "all of them must be" });
        }
        let Self { path, encoder, part, .. } = self;
        let io = |source| WriteError::Io { path: path.clone(), source };
        match encoder {
            Encoder::Png(writer) => writer.finish().map_err(|error| io(error.into()))?,
            Encoder::Mp4(mut ffmpeg) => {
                ffmpeg.end().map_err(|reason| WriteError::Ffmpeg { path: path.clone(), reason })?;
            }
        }
        part.keep().map_err(io)
    }

    fn miscounted(&self, given: u64) -> WriteError {
        let what = format!("{given} frames were given but {} were announced", self.frames);
        WriteError::Refused { path: self.path.clone(), what, expected: "the two must be the same" }
    }
}

/// True if the program ffmpeg, which makes videos, is installed.
pub fn ffmpeg_present() -> bool {
    let mut command = Command::new(FFMPEG);
    command.arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// A running ffmpeg that takes raw frames; ended when dropped.
struct Ffmpeg {
    child: Child,
    /// Where frames go in; gone once it has ended.
    input: Option<ChildStdin>,
    /// Reads what it complains about: nobody else would, and a full pipe would stop it.
    complaints: Option<JoinHandle<String>>,
}

impl Ffmpeg {
    fn start(
        mut command: Command,
        path: &Path,
        output: &Path,
        size: [usize; 2],
        fps: u16,
    ) -> Result<Self, WriteError> {
        command.args(arguments(size, fps)).arg(plain_file(output));
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        // Ctrl-C in the terminal is for us, who then finish the video or remove it; ffmpeg would end
        // at once and leave us half of it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|source| match source.kind() {
            ErrorKind::NotFound => WriteError::NoFfmpeg { path: path.into() },
            _ => WriteError::Ffmpeg { path: path.into(), reason: source.to_string() },
        })?;
        let input = child.stdin.take();
        let complaints = child.stderr.take().map(|errors| std::thread::spawn(|| last_complaint(errors)));
        Ok(Self { child, input, complaints })
    }

    fn push(&mut self, rgb: &[u8]) -> Result<(), String> {
        let early = || "it ended before all frames were given".to_owned();
        let Some(input) = &mut self.input else { return Err(early()) };
        match input.write_all(rgb) {
            Ok(()) => Ok(()),
            // It has closed its ears; why, it tells at its end.
            Err(_) => Err(self.end().err().unwrap_or_else(early)),
        }
    }

    /// Tells it that there are no more frames and waits until it has written them all.
    fn end(&mut self) -> Result<(), String> {
        drop(self.input.take());
        let status = self.child.wait().map_err(|error| error.to_string())?;
        let complaint = self.complaints.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        match complaint {
            _ if status.success() => Ok(()),
            silence if silence.is_empty() => Err(format!("it ended with {status} and said nothing")),
            complaint => Err(complaint),
        }
    }
}

impl Drop for Ffmpeg {
    fn drop(&mut self) {
        // Both do nothing if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Raw frames in, H.264 out. Colours are BT.709 and say so: left to itself ffmpeg would convert them
/// with the older BT.601 and not tell, and players would show the grass too green.
fn arguments(size: [usize; 2], fps: u16) -> Vec<String> {
    let [width, height] = size;
    let [wide, high] = size.map(|side| side.max(2)); // a single row is too few for colours two by two
    let [even_width, even_height] = [wide, high].map(|side| side - side % 2);
    let fit = format!("pad={wide}:{high},crop={even_width}:{even_height}:0:0");
    let input = format!(
        "-y -hide_banner -loglevel error -f rawvideo -pix_fmt rgb24 -s {width}x{height} -r {fps} -i -"
    );
    let filter = format!("-vf {fit},scale=out_color_matrix=bt709:out_range=tv,format=yuv420p");
    let video = "-c:v libx264 -pix_fmt yuv420p -crf 18 -movflags +faststart -f mp4";
    let colours = "-colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv";
    [&input, &filter, colours, video].iter().flat_map(|part| part.split(' ')).map(str::to_owned).collect()
}

/// A name that ffmpeg takes for a file, even if it looks like an option or an address.
fn plain_file(path: &Path) -> OsString {
    let mut name = OsString::from("file:");
    name.push(path);
    name
}

/// The last line that says something, once the other end is closed.
fn last_complaint(errors: impl Read) -> String {
    let mut last = String::new();
    let mut line = Vec::new();
    let mut errors = BufReader::new(errors);
    while let Ok(1..) = read_line(&mut errors, &mut line) {
        let text = String::from_utf8_lossy(&line);
        // Newer versions close with this, after the line that matters.
        if !matches!(text.trim(), "" | "Conversion failed!") {
            text.trim().clone_into(&mut last);
        }
    }
    last
}

fn read_line(errors: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    line.clear();
    errors.read_until(b'\n', line)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A program in the place of ffmpeg: a line of shell, which ignores the arguments.
    fn shell(line: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        command
    }

    fn names(folder: &Path) -> Vec<OsString> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    /// Pushes three frames of 64 × 64 and finishes.
    fn make(command: Command, path: &Path) -> Result<(), WriteError> {
        let mut animation = Animation::create_with(command, path, [64, 64], 25, 3)?;
        (0..3).try_for_each(|_| animation.push(&[9; 64 * 64 * 3]))?;
        animation.finish()
    }

    #[test]
    fn a_video_without_ffmpeg_says_what_to_install_or_to_name_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.mp4");
        let error = make(Command::new("no-such-program-as-ffmpeg"), &path).unwrap_err();
        let message = error.to_string();
        assert!(matches!(error, WriteError::NoFfmpeg { .. }), "{message}");
        assert!(message.contains("run.mp4") && message.contains("installing ffmpeg"), "{message}");
        assert!(message.contains(".png"), "{message}");
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn a_failing_ffmpeg_is_quoted_and_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.mp4");
        std::fs::write(&path, b"old").unwrap();
        for line in [
            "echo first >&2; echo 'bad luck' >&2; exit 1",
            "cat > /dev/null; echo 'bad luck' >&2; echo >&2; echo 'Conversion failed!' >&2; exit 1",
            "head -c 20000 > /dev/null; echo 'bad luck' >&2; exit 3",
        ] {
            let error = make(shell(line), &path).unwrap_err();
            assert!(matches!(&error, WriteError::Ffmpeg { reason, .. } if reason == "bad luck"), "{error}");
            assert_eq!(std::fs::read(&path).unwrap(), b"old");
            assert_eq!(names(folder.path()), ["run.mp4"]);
        }
        let error = make(shell("cat > /dev/null; exit 5"), &path).unwrap_err().to_string();
        assert!(error.contains("exit status: 5"), "{error}");
    }

    /// Half a frame is in the file; the caller who goes on regardless must not get it.
    #[test]
    fn a_frame_that_failed_spoils_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.mp4");
        let mut animation = Animation::create_with(shell("exit 0"), &path, [400, 400], 25, 2).unwrap();
        for _ in 0..2 {
            // More than a pipe holds, so that nobody takes it.
            let error = animation.push(&[9; 400 * 400 * 3]).unwrap_err();
            assert!(error.to_string().contains("ended before all frames"), "{error}");
        }
        assert!(matches!(animation.finish(), Err(WriteError::Refused { .. })));
        assert_eq!(names(folder.path()), [""; 0]);
    }

    /// More complaints than a pipe holds would stop ffmpeg if nobody read them.
    #[test]
    fn a_talkative_ffmpeg_does_not_hang() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.mp4");
        let line = "i=0; while [ $i -lt 20000 ]; do echo 'a warning, and another one' >&2; i=$((i+1)); done; \
                    cat > /dev/null";
        make(shell(line), &path).unwrap();
        assert_eq!(names(folder.path()), ["run.mp4"]);
    }

    #[test]
    fn a_video_given_up_ends_ffmpeg_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.mp4");
        let animation = Animation::create_with(shell("exec sleep 60"), &path, [64, 64], 25, 3).unwrap();
        let Encoder::Mp4(ffmpeg) = &animation.encoder else { panic!("an .mp4 is a video") };
        let process = format!("/proc/{}", ffmpeg.child.id());
        let start = std::time::Instant::now();
        drop(animation);
        assert!(start.elapsed().as_secs() < 30, "waited {:?} for it", start.elapsed());
        assert!(!Path::new(&process).exists());
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn odd_sides_lose_a_pixel_and_single_rows_gain_one() {
        let filter = |size| arguments(size, 25).into_iter().find(|word| word.starts_with("pad")).unwrap();
        assert!(filter([640, 360]).starts_with("pad=640:360,crop=640:360:"), "{}", filter([640, 360]));
        assert!(filter([641, 361]).starts_with("pad=641:361,crop=640:360:"), "{}", filter([641, 361]));
        assert!(filter([1, 7]).starts_with("pad=2:7,crop=2:6:"), "{}", filter([1, 7]));
    }
}
