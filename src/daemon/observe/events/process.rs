//! What concerns the whole process and no feed. No token is ever told, only whether any is asked for.

use std::net::SocketAddr;

use super::log_fields::{ProcessEvent, event};

event! {
    /// The daemon's pages can be read.
    Listening = "listening", Info {
        /// Where.
        address: SocketAddr,
        /// Whether a token is asked for.
        tokens: bool,
    }
}

impl ProcessEvent for Listening {}
