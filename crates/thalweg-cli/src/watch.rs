//! Progress on the terminal, and Ctrl-C.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::time::{Duration, Instant};
use thalweg::run::{Command, Progress, Watcher};

/// Time between two plain lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Longest line of commands `[bytes]`.
const LONGEST_LINE: u64 = 64 << 10;
/// Lines of commands that wait for the next step, at most.
const MOST_WAITING: usize = 1024;

/// A line of commands, or why there is none.
type Line = Result<String, String>;

/// A number in three digits or so: particles are slower than cells, and their runs shorter.
fn short(number: f64) -> String {
    let decimals = if number < 10.0 { 2 } else { 0 };
    format!("{number:.decimals$}")
}

/// A time as people read it: 5 s, 3:20, 1:03:20.
fn clock(time: Duration) -> String {
    let (seconds, minutes, hours) = (time.as_secs() % 60, time.as_secs() / 60 % 60, time.as_secs() / 3600);
    match (hours, minutes) {
        (0, 0) => format!("{seconds} s"),
        (0, _) => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// How far a run is, in one line.
fn told(progress: &Progress) -> String {
    let time = short(progress.time);
    let far = match progress.end_time {
        Some(end) => format!("t = {time} of {} s, step {}", short(end), progress.step),
        None => format!("step {}/{}, t = {time} s", progress.step, progress.steps),
    };
    let left = progress.left.map_or(String::new(), |left| format!(", {} left", clock(left)));
    format!(
        "{far}{left}  {} M {}/s  missing: water {:.0e}, ground {:.0e}",
        short(progress.rate / 1.0e6),
        progress.items,
        progress.water,
        progress.solids
    )
}

/// Parts of something that takes time that are too few for a bar.
const FEW: usize = 2;

/// Positions of the bar.
const WHOLE: u64 = 1000;

/// Shows a run: a bar on a terminal, plain lines elsewhere, nothing when quiet.
pub(crate) struct Watch {
    bar: Option<ProgressBar>,
    lines: bool,
    last_line: Instant,
    /// How much of the run is done, from 0 to 1 `[-]`.
    share: f64,
    cancelled: Arc<AtomicBool>,
    /// Lines of commands, if it listens to any.
    lines_in: Option<Receiver<Line>>,
    /// Whether these are all there: then they are waited for, so that the first of them comes before the first step.
    lines_are_there: bool,
}

impl Watch {
    /// Begins watching; from now on Ctrl-C stops the run after the current step.
    pub(crate) fn new(quiet: bool) -> Self {
        let cancelled = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&cancelled);
        // A second Ctrl-C ends the program at once. Where no handler can be set, Ctrl-C ends it as ever.
        let _ = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            if !quiet {
                remark!("stopping as soon as what is begun is done; once more ends at once");
            }
        });
        let terminal = std::io::stderr().is_terminal();
        let bar = (terminal && !quiet).then(|| {
            let bar = ProgressBar::with_draw_target(Some(WHOLE), ProgressDrawTarget::stderr());
            let style = "{bar:20.cyan/blue} {percent:>3} %  {wide_msg}";
            bar.set_style(
                ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar
        });
        Self {
            bar,
            lines: !terminal && !quiet,
            last_line: Instant::now(),
            share: 0.0,
            cancelled,
            lines_in: None,
            lines_are_there: false,
        }
    }

    /// Listens to commands from a file, a named pipe, or standard input if that is `-`. The text says why not.
    pub(crate) fn obey(&mut self, from: &Path) -> Result<(), String> {
        // Whoever writes faster than the run reads has to wait.
        let (sender, lines) = sync_channel(MOST_WAITING);
        if from == Path::new("-") {
            std::thread::spawn(move || listen("standard input", std::io::stdin().lock(), &sender));
        } else {
            let name = from.display().to_string();
            let wrong = |error: std::io::Error| format!("--commands {name}: cannot be read: {error}");
            let kind = from.metadata().map_err(wrong)?;
            self.lines_are_there = kind.is_file();
            if kind.is_dir() {
                return Err(format!("--commands {name}: this is a folder; name a file, a named pipe, or -"));
            }
            let (from, again) = (from.to_path_buf(), is_pipe(from));
            // Opening a named pipe waits for whoever writes into it, and when one has ended another may come.
            std::thread::spawn(move || {
                loop {
                    match File::open(&from) {
                        Ok(file) => listen(&name, BufReader::new(file), &sender),
                        Err(error) => {
                            return drop(sender.send(Err(format!("{name}: cannot be read: {error}"))));
                        }
                    }
                    if !again {
                        return;
                    }
                }
            });
        }
        self.lines_in = Some(lines);
        Ok(())
    }

    /// Shows a line, and a share of the whole on the bar.
    fn show(&mut self, share: f64, line: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(line.to_owned());
            bar.set_position((share * WHOLE as f64) as u64);
        } else if self.lines && self.last_line.elapsed() > LINE_EVERY {
            self.last_line = Instant::now();
            remark!("{:3.0} %  {line}", 100.0 * share);
        }
    }

    /// What Ctrl-C sets.
    pub(crate) fn stop(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancelled)
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Whether a path leads to a named pipe.
fn is_pipe(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        path.metadata().is_ok_and(|found| found.file_type().is_fifo())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Hands on lines until there are no more, or nobody listens. What is no line of text is told instead.
fn listen(name: &str, mut from: impl BufRead, sender: &SyncSender<Line>) {
    for number in 1.. {
        let mut line = Vec::new();
        let read = from.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        let too_long = line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n");
        let read =
            read.and_then(|count| if too_long { skip_line(&mut from) } else { Ok(()) }.map(|()| count));
        let passed_over = |why: String| format!("{name}: line {number} is {why}; it is passed over");
        let told = match read {
            Ok(0) => return,
            Ok(_) if too_long => Err(passed_over(format!("longer than {LONGEST_LINE} bytes"))),
            Ok(_) => String::from_utf8(line).map_err(|_| passed_over("not UTF-8 text".into())),
            Err(error) => {
                // Nobody waits for it any more, or it is told; either way it was the last.
                let _ = sender.send(Err(format!("{name}: cannot be read: {error}")));
                return;
            }
        };
        if sender.send(told).is_err() {
            return;
        }
    }
}

/// Passes over the rest of a line without keeping it.
fn skip_line(from: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let bytes = from.fill_buf()?;
        let (length, end) = match bytes.iter().position(|&byte| byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (bytes.len(), bytes.is_empty()),
        };
        from.consume(length);
        if end {
            return Ok(());
        }
    }
}

impl Watcher for Watch {
    fn progress(&mut self, progress: &Progress) {
        self.share = progress.share;
        self.show(progress.share, &told(progress));
    }

    fn busy(&mut self, what: &str, done: usize, of: usize) {
        let line = if of > 1 { format!("{what}, {done} of {of}") } else { what.to_owned() };
        // What has no parts worth counting leaves the bar where it is.
        let share = if of > FEW { done as f64 / of as f64 } else { self.share };
        self.show(share, &line);
    }

    fn notice(&mut self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| remark!("note: {text}")),
            None if self.lines => remark!("note: {text}"),
            None => {}
        }
    }

    fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    fn stopping(&self) -> Option<&AtomicBool> {
        Some(&self.cancelled)
    }

    fn commands(&mut self) -> Vec<Command> {
        let mut lines = Vec::new();
        while let Some(from) = self.lines_in.as_ref().filter(|_| lines.len() < MOST_WAITING) {
            let line = if self.lines_are_there {
                from.recv().map_err(|_| TryRecvError::Disconnected)
            } else {
                from.try_recv()
            };
            match line {
                Ok(line) => lines.push(line),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => self.lines_in = None,
            }
        }
        let mut commands = Vec::new();
        for line in lines {
            // Blank lines and remarks are passed over.
            let command = match &line {
                Ok(line) if matches!(line.trim().as_bytes(), [] | [b'#', ..]) => continue,
                Ok(line) => line.parse::<Command>(),
                Err(reason) => Err(reason.clone()),
            };
            match command {
                Ok(command) => commands.push(command),
                Err(reason) => self.notice(&reason),
            }
        }
        commands
    }

    fn has_told_all(&self) -> bool {
        self.lines_in.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(bytes: impl Into<Vec<u8>>) -> Vec<Line> {
        let (sender, lines) = sync_channel(MOST_WAITING);
        listen("orders", std::io::Cursor::new(bytes.into()), &sender);
        drop(sender);
        lines.iter().collect()
    }

    /// It grew in memory until there was none left.
    #[test]
    fn an_endless_line_is_told_and_passed_over() {
        let mut bytes = vec![b'x'; 10 * LONGEST_LINE as usize];
        bytes.extend(b"\npause\n");
        let lines = heard(bytes);
        assert!(
            lines[0].as_ref().unwrap_err().contains("orders: line 1 is longer than 65536 bytes"),
            "{lines:?}"
        );
        assert_eq!(lines[1..], [Ok("pause\n".into())]);
        assert_eq!(heard(vec![b'x'; 10 * LONGEST_LINE as usize]).len(), 1);
    }

    /// It ended the listening, and nobody was told.
    #[test]
    fn a_line_that_is_no_text_is_told_and_the_next_one_is_heard() {
        let lines = heard(b"stop\n\xff\xfe\nresume".to_vec());
        assert_eq!(lines[0], Ok("stop\n".into()));
        assert!(lines[1].as_ref().unwrap_err().contains("line 2 is not UTF-8 text"), "{lines:?}");
        assert_eq!(lines[2], Ok("resume".into()));
    }
}
