//! Progress on stderr: bars on a terminal, a plain line where something starts or changes otherwise.

use super::output::Output;
use super::stop;
use crate::engine::face::indexing;
use crate::engine::face::models::PullEvent;
use crate::engine::face::system::can_start;
use crate::engine::{Progress, Session};
use crate::render::{line, shown_text};
use indicatif::{ProgressBar, ProgressStyle};

/// Draws the progress of one command.
pub(super) struct Meter<'a> {
    output: &'a Output,
    bar: Option<ProgressBar>,
    /// Whether the line for a long embedding was printed.
    announced: bool,
    /// Whether Ctrl-C is only remembered meanwhile.
    stoppable: bool,
}

impl<'a> Meter<'a> {
    pub fn new(output: &'a Output) -> Self {
        Self { output, bar: None, announced: false, stoppable: false }
    }

    /// A request whose progress is shown here.
    pub fn session(&mut self) -> Session<'_> {
        self.output.session().heard_by(|progress| self.show(progress)).stopped_by(&stop::is_asked_for)
    }

    /// Shows one step.
    pub fn show(&mut self, progress: Progress<'_>) {
        match progress {
            Progress::Pull(event) => self.pull(event),
            Progress::Embedding { what, done, total, model } => self.embedding(what, done, total, model),
            Progress::Waiting { what } => self.output.say(&format!("Waiting for another process that makes {what}.")),
            Progress::Linking { done, total } => {
                self.asking("Linking vectors", done, total);
                self.stoppable = true;
                stop::remember(true);
            }
            Progress::Search(_) => {}
            Progress::Index(step) => self.indexing(&step),
            Progress::Asking { what, done, total } => self.asking(what, done, total),
        }
    }

    fn pull(&mut self, event: &PullEvent<'_>) {
        match event {
            PullEvent::File { path, size, done } => {
                self.finish();
                let bar = self.start(size.unwrap_or(0), "{msg} {bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}");
                bar.set_message(shown_text(path).into_owned());
                bar.set_position(*done);
            }
            PullEvent::Bytes { done } => {
                if let Some(bar) = &self.bar {
                    bar.set_position(*done);
                }
            }
            PullEvent::Verifying { path } => self.spin(&format!("verifying {}", shown_text(path))),
            PullEvent::Running { .. } => self.spin("downloading the package"),
            PullEvent::Present { .. } => {}
            other => {
                self.finish();
                let text = other.to_string();
                if !text.is_empty() {
                    self.output.say(&line(&text));
                }
            }
        }
    }

    fn indexing(&mut self, step: &indexing::Progress) {
        match *step {
            indexing::Progress::Walking { files } => {
                if self.bar.is_none() {
                    self.start(0, "{spinner} {msg}");
                }
                self.say(format!("{files} files found"));
            }
            indexing::Progress::Indexing { files, files_total, bytes, bytes_total, chunks, tokens } => {
                if self.bar.as_ref().is_none_or(|bar| bar.length() != Some(bytes_total)) {
                    self.start(bytes_total, "{bar:30} {percent}% {msg}, {eta} left");
                }
                let speed = self.bar.as_ref().map_or(0.0, |bar| tokens as f64 / bar.elapsed().as_secs_f64().max(0.1));
                self.say(format!("{files}/{files_total} files, {chunks} chunks, {speed:.0} tokens/s"));
                if let Some(bar) = &self.bar {
                    bar.set_position(bytes);
                }
            }
            indexing::Progress::Completing { done, total, .. } => self.embedding("the index", done, total, ""),
        }
    }

    fn say(&self, message: String) {
        if let Some(bar) = &self.bar {
            bar.set_message(message);
        }
    }

    fn asking(&mut self, what: &str, done: usize, total: usize) {
        let what = line(what).into_owned();
        if self.bar.as_ref().is_none_or(|bar| bar.length() != Some(total as u64) || bar.message() != what) {
            self.finish();
            let bar = self.start(total as u64, "{msg} {bar:30} {pos}/{len} {eta}");
            bar.set_message(what.clone());
        }
        if let Some(bar) = &self.bar {
            bar.set_position(done as u64);
        }
    }

    fn embedding(&mut self, what: &'static str, done: usize, total: usize, model: &str) {
        if self.bar.as_ref().is_none_or(|bar| bar.length() != Some(total as u64)) {
            self.finish();
            let bar = self.start(total as u64, "{msg} {bar:30} {pos}/{len} {eta}");
            bar.set_message(format!("Embedding {what}"));
            if !self.output.interactive && total > 500 && !self.announced {
                self.announced = true;
                self.output.say(&format!("Embedding {total} texts of {what} with {}, once.", line(model)));
            }
        }
        if let Some(bar) = &self.bar {
            bar.set_position(done as u64);
        }
        if done >= total {
            self.finish();
        }
    }

    fn start(&mut self, length: u64, template: &str) -> &ProgressBar {
        let bar = ProgressBar::with_draw_target(Some(length), self.output.progress());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        self.bar.insert(bar)
    }

    fn spin(&mut self, message: &str) {
        self.finish();
        let interactive = self.output.interactive;
        let bar = self.start(0, "{spinner} {msg} {elapsed}");
        bar.set_message(message.to_owned());
        // The bar would start a thread, and panic where that is refused.
        if interactive && can_start(1).is_ok() {
            bar.enable_steady_tick(std::time::Duration::from_millis(120));
        }
    }

    /// Takes the bar away.
    pub fn finish(&mut self) {
        if std::mem::take(&mut self.stoppable) {
            stop::remember(false);
        }
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        self.finish();
    }
}
