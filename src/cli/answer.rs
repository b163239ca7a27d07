//! The results that commands return: what a command found, or why it failed. Must never hold a
//! value of a record.

use schemars::JsonSchema;
use serde::Serialize;

use crate::daemon::error::{Described, Error};

/// The result of a command that did not fail; its number is the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done, or safe.
    Done = 0,
    /// Unsafe, rejected, or different from what it should be.
    Unsafe = 1,
    /// An error, which has been printed.
    Failed = 2,
}

/// Why a command failed: at least one error.
#[derive(Debug)]
pub struct Failure(Vec<Error>);

impl Failure {
    /// `None` if there is no error.
    pub fn of(errors: Vec<Error>) -> Option<Failure> {
        (!errors.is_empty()).then_some(Failure(errors))
    }

    /// The errors, in order; never empty.
    pub fn errors(&self) -> &[Error] {
        &self.0
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure(vec![error])
    }
}

/// The return type of a command.
pub type CommandResult<T> = std::result::Result<T, Failure>;

/// An error as it is printed with `--json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ErrorReport {
    /// The first error.
    pub error: Described,
    /// The other errors, where several feeds were given; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<Described>,
}
