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

/// Shows a run: a bar on a terminal, plain lines elsewhere, nothing when quiet.
pub struct Watch {
    bar: Option<ProgressBar>,
    lines: bool,
    last_line: Instant,
    last: Instant,
    rate: f64,
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
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
            let style = "{bar:30.cyan/blue} {pos}/{len} {prefix}  {msg}  {eta} left";
            bar.set_style(
                ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar
        });
        let now = Instant::now();
        Self {
            bar,
            lines: !terminal && !quiet,
            last_line: now,
            last: now,
            rate: 0.0,
            cancelled,
            lines_in: None,
        }
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

    /// Shows how many frames are drawn.
    pub fn frames(&mut self, drawn: usize, frames: usize) {
        if let Some(bar) = &self.bar {
            bar.set_prefix("frames");
            bar.set_message("");
            bar.set_length(frames as u64);
            bar.set_position(drawn as u64);
        } else if self.lines && self.last_line.elapsed() > LINE_EVERY {
            self.last_line = Instant::now();
            remark!("frame {drawn}/{frames}");
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
        let seconds = self.last.elapsed().as_secs_f64().max(1.0e-6);
        self.last = Instant::now();
        self.rate = progress.item_steps as f64 / seconds / 1.0e6;
        let (rate, time) = (short(self.rate), short(progress.time));
        let message = format!(
            "{rate} M {}/s  t = {time} s  missing: water {:.0e}, ground {:.0e}",
            progress.items, progress.water, progress.solids
        );
        if let Some(bar) = &self.bar {
            bar.set_prefix("steps");
            bar.set_length(progress.steps);
            bar.set_position(progress.step);
            bar.set_message(message);
        } else if self.lines && self.last_line.elapsed() > LINE_EVERY {
            self.last_line = Instant::now();
            remark!("step {}/{}  {message}", progress.step, progress.steps);
        }
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
