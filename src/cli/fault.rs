//! Panics of this program (CONTRACTS 5): only their place is shown, because a message may quote a
//! record. Must never print the message of a panic.

use std::io::Write;
use std::panic::{self, AssertUnwindSafe};

use super::{CommandResult, Exit};
use crate::daemon::error::{Error, ErrorCategory};

/// From now on a panic prints only its place.
pub(crate) fn show_places_only() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(
            || "an unknown place".to_owned(),
            |at| format!("{}:{}", at.file(), at.line()),
        );
        // A macro that prints would panic here if its reader is gone, and abort the program.
        let _ = writeln!(anstream::stderr(), "tidegate: internal error at {place}");
    }));
}

/// Runs a command; a panic becomes an error.
pub(crate) fn caught(command: impl FnOnce() -> CommandResult<Exit>) -> CommandResult<Exit> {
    panic::catch_unwind(AssertUnwindSafe(command)).unwrap_or_else(|_| {
        let text = "internal error (this is a bug); nothing was approved. Please report the place that is shown above";
        Err(Error::new(ErrorCategory::Internal, text).into())
    })
}
