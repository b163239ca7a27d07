//! What concerns the whole process and no feed. No token is ever told, only whether any is asked for.

use std::net::SocketAddr;

use super::told::{ProcessEvent, event};

event! {
    /// The daemon's pages can be read.
    Listening = "listening", Info {
        /// Where.
        address: SocketAddr,
        /// Whether metrics are shown to those with a token only.
        tokens: bool,
    }
}

impl ProcessEvent for Listening {}

event! {
    /// Other machines reach the daemon's pages and nobody is asked for a token: write `http.tokens`.
    OpenPages = "open_pages", Warn {
        /// Where.
        address: SocketAddr,
    }
}

impl ProcessEvent for OpenPages {}
