//! Progress of long work, on a terminal only (CONTRACTS 3); it goes to standard error and leaves
//! nothing behind.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::daemon::error::printable;

/// The time before work shows its progress.
const PATIENCE: Duration = Duration::from_millis(120);

/// A line that is shown while it lives.
pub(crate) struct ProgressLine(ProgressBar);

impl ProgressLine {
    /// Work of unknown length.
    pub(crate) fn new(doing: &'static str) -> ProgressLine {
        let bar = ProgressBar::new_spinner().with_message(doing);
        bar.enable_steady_tick(PATIENCE);
        ProgressLine(bar)
    }

    /// Shows what is being done.
    pub(crate) fn say(&self, doing: String) {
        self.0.set_message(printable(&doing));
    }

    /// Lets other code write to the terminal.
    pub(crate) fn paused(&self, write: impl FnOnce()) {
        self.0.suspend(write);
    }

    /// Reading this number of files.
    pub(crate) fn files(files: usize) -> ProgressLine {
        let bar = ProgressBar::new(files as u64);
        let style =
            ProgressStyle::with_template("{spinner} reading {pos} of {len} files, {elapsed}");
        bar.set_style(style.expect("the template is fixed"));
        bar.enable_steady_tick(PATIENCE);
        ProgressLine(bar)
    }

    /// One more file was read.
    pub(crate) fn one_more(&self) {
        self.0.inc(1);
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
