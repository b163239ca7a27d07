//! What is asked of feeds that run.

use std::net::SocketAddr;
use std::path::PathBuf;

/// When a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// The process is told to end.
    Told,
    /// Each feed has closed one tick.
    Once,
}

/// How feeds are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunOptions {
    /// When the run ends.
    pub until: RunEnd,
    /// An operator has accepted the clock.
    pub accept_clock: bool,
    /// A feed that halts is not tried again.
    pub exit_on_halt: bool,
}

/// What options say of the pages, beside `[http]` of the feed files.
#[derive(Debug, Clone, Default)]
pub struct PageOptions {
    /// Where pages are served, if not at `http.bind`.
    pub bind: Option<SocketAddr>,
    /// The file of a token that readers may show, beside `http.tokens`.
    pub token: Option<PathBuf>,
}

impl RunOptions {
    /// Whether a feed that halts is tried again until it goes on.
    pub fn tries_again(self) -> bool {
        self.until == RunEnd::Told && !self.exit_on_halt
    }
}
