//! Checks that everything is as it was written (CONTRACTS 3, verify): the log and what it names,
//! and what is published. Every manipulation is reported, not only the first. Nothing is changed
//! and no lock is taken.

mod decided_public;
mod delta;
mod held_entry;
mod log_entries;
mod only_files;
mod private;
mod public;
mod release_index;
mod removals;
mod scrub;

pub use delta::read_checkpoint;
pub use private::{Private, roots};
pub use public::{CheckedPublicRoot, public};
pub use scrub::{Damage, Scrub, ScrubInput, ScrubStep, ScrubbedObject, inspect, newest_objects};

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Error;

/// A file that differs from what was written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct FileFault {
    /// The file or object.
    pub file: String,
    /// What is wrong with it.
    pub text: String,
}

impl FileFault {
    fn new(file: impl Into<String>, text: impl Into<String>) -> FileFault {
        FileFault {
            file: file.into(),
            text: text.into(),
        }
    }

    /// The finding that an error describes.
    fn of(error: &Error) -> FileFault {
        let file = error
            .field
            .clone()
            .or_else(|| error.file.as_ref().map(|file| file.display().to_string()));
        FileFault::new(file.unwrap_or_else(|| "log".to_owned()), error.text.clone())
    }

    /// A file that no manifest names.
    pub fn unnamed(file: String) -> FileFault {
        let text = "no manifest names this file: another program put it here, or its release is being published or \
                    will be when the feed runs again";
        FileFault::new(file, text)
    }
}
