//! A reason against a release, the same from the check that finds it to the log, JSON and the
//! terminal.

use serde::{Deserialize, Serialize};

use super::check::Check;
use super::figure::Figure;

/// Why a release may not be published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Finding {
    /// The check; `search` or `stopped` if there was no release to check.
    pub check: String,
    /// The place: a class, a column, a file. Left out of the log, which is not encrypted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// The figure there.
    pub value: Option<Figure>,
    /// The limit there.
    pub limit: Option<Figure>,
    /// The reason in words. Left out of the log.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

impl Finding {
    /// A reason without figures.
    pub fn new(check: Check, place: impl Into<String>, text: impl Into<String>) -> Finding {
        Finding::named(check.name(), place, text)
    }

    /// A reason of the daemon itself, which had no release to check.
    pub fn named(check: &str, place: impl Into<String>, text: impl Into<String>) -> Finding {
        Finding {
            check: check.to_owned(),
            place: place.into(),
            value: None,
            limit: None,
            text: text.into(),
        }
    }

    /// A number of people that is not the one that it must be.
    pub fn count(check: Check, place: String, found: u64, limit: u64, text: String) -> Finding {
        Finding {
            value: Some(Figure::Whole(found)),
            limit: Some(Figure::Whole(limit)),
            ..Finding::new(check, place, text)
        }
    }

    /// The part that the log may show: neither places nor words, and no figure that is private.
    #[must_use]
    pub fn for_the_log(&self, value: Option<Figure>) -> Finding {
        Finding {
            check: self.check.clone(),
            place: String::new(),
            value: self.value.filter(|_| value.is_some()),
            limit: self.limit,
            text: String::new(),
        }
    }
}
