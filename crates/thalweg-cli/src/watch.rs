//! Progress on the terminal, and Ctrl-C.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use thalweg::run::{Command, Progress, Watcher};

/// Time between two plain lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

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

/// Positions of the bar.
const WHOLE: u64 = 1000;

/// Shows a run: a bar on a terminal, plain lines elsewhere, nothing when quiet.
pub struct Watch {
    bar: Option<ProgressBar>,
    lines: bool,
    last_line: Instant,
    cancelled: Arc<AtomicBool>,
    /// Lines of commands, if it listens to any.
    lines_in: Option<Receiver<String>>,
}

impl Watch {
    /// Begins watching; from now on Ctrl-C stops the run after the current step.
    pub fn new(quiet: bool) -> Self {
        let cancelled = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&cancelled);
        // A second Ctrl-C ends the program at once. Where no handler can be set, Ctrl-C ends it as ever.
        let _ = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        let terminal = std::io::stderr().is_terminal();
        let bar = (terminal && !quiet).then(|| {
            let bar = ProgressBar::with_draw_target(Some(WHOLE), ProgressDrawTarget::stderr());
            let style = "{bar:30.cyan/blue} {percent:>3} %  {msg}";
            bar.set_style(
                ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar
        });
        Self { bar, lines: !terminal && !quiet, last_line: Instant::now(), cancelled, lines_in: None }
    }

    /// Listens to commands from a file, a named pipe, or standard input if that is `-`. The text says why not.
    pub fn obey(&mut self, from: &Path) -> Result<(), String> {
        let (sender, lines) = channel();
        if from == Path::new("-") {
            std::thread::spawn(move || listen(std::io::stdin().lock(), &sender));
        } else {
            let wrong =
                |error: std::io::Error| format!("--commands {}: cannot be read: {error}", from.display());
            from.metadata().map_err(wrong)?;
            let (from, cannot) = (from.to_path_buf(), sender.clone());
            // Opening a named pipe waits for whoever writes into it.
            std::thread::spawn(move || match File::open(&from) {
                Ok(file) => listen(BufReader::new(file), &sender),
                Err(error) => drop(cannot.send(format!("{}: cannot be read: {error}", from.display()))),
            });
        }
        self.lines_in = Some(lines);
        Ok(())
    }

    /// Shows a line, and a share of the whole on the bar.
    fn show(&mut self, share: f64, line: &str) {
        if let Some(bar) = &self.bar {
            bar.set_position((share * WHOLE as f64) as u64);
            bar.set_message(line.to_owned());
        } else if self.lines && self.last_line.elapsed() > LINE_EVERY {
            self.last_line = Instant::now();
            remark!("{:3.0} %  {line}", 100.0 * share);
        }
    }

    /// What Ctrl-C sets.
    pub fn stop(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancelled)
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Hands on lines until there are no more, or nobody listens.
fn listen(lines: impl BufRead, sender: &Sender<String>) {
    for line in lines.lines().map_while(Result::ok) {
        if sender.send(line).is_err() {
            return;
        }
    }
}

impl Watcher for Watch {
    fn progress(&mut self, progress: &Progress) {
        self.show(progress.share, &told(progress));
    }

    fn busy(&mut self, what: &str, done: usize, of: usize) {
        let line = if of > 1 { format!("{what}, {done} of {of}") } else { what.to_owned() };
        self.show(done as f64 / of.max(1) as f64, &line);
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
        let lines: Vec<_> = self.lines_in.iter().flat_map(Receiver::try_iter).collect();
        let mut commands = Vec::new();
        // Blank lines and remarks are passed over.
        for line in lines.iter().filter(|line| !matches!(line.trim().as_bytes(), [] | [b'#', ..])) {
            match line.parse::<Command>() {
                Ok(command) => commands.push(command),
                Err(reason) => self.notice(&reason),
            }
        }
        commands
    }
}
