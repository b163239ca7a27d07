//! Events of the whole process. They never contain a token, only whether one is required.

use std::net::SocketAddr;

use super::log_fields::{ProcessEvent, event};

event! {
    /// The daemon's pages can be read.
    Listening = "listening", Info {
        /// The address.
        address: SocketAddr,
        /// Whether a token is required.
        tokens: bool,
    }
}

impl ProcessEvent for Listening {}
