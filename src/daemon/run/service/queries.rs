//! How feeds are run.

use std::net::SocketAddr;
use std::path::PathBuf;

/// When a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// When the process is asked to end.
    Asked,
    /// When each feed has closed one tick.
    Once,
}

/// The options of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunOptions {
    /// When the run ends.
    pub until: RunEnd,
    /// An operator has accepted the clock.
    pub accept_clock: bool,
    /// A feed that halts is not tried again.
    pub exit_on_halt: bool,
}

/// Options for the pages, beside `[http]` of the feed files.
#[derive(Debug, Clone, Default)]
pub struct PageOptions {
    /// The address of the pages, if not `http.bind`.
    pub bind: Option<SocketAddr>,
    /// The file of a token that readers may send, beside `http.tokens`.
    pub token: Option<PathBuf>,
}

impl RunOptions {
    /// Whether a feed that halts is tried again until it continues.
    pub fn tries_again(self) -> bool {
        self.until == RunEnd::Asked && !self.exit_on_halt
    }
}
