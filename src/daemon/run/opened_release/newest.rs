//! Whether the newest release of a place is the one that a reader expects (CONTRACTS 3): a place
//! that someone has set back to an earlier state is whole, and every signature in it is valid. Only
//! what the reader already knows shows that it is old.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::release::Manifest;

/// The newest release of a place, as its manifest describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NewestRelease {
    /// The feed's name.
    pub feed: String,
    /// The number of the release.
    pub release: u32,
    /// The scheduled time of the release, in UTC.
    pub time: String,
}

/// What a reader knows of the newest release. An absent item accepts everything.
#[derive(Debug, Clone, Default)]
pub struct ExpectedRelease {
    /// The feed's name.
    pub feed: Option<String>,
    /// A release that has been there: the newest one is not older.
    pub at_least: Option<u32>,
    /// A time after which there was a release.
    pub since: Option<Timestamp>,
}

impl NewestRelease {
    /// The release of a manifest.
    pub fn of(manifest: &Manifest) -> NewestRelease {
        NewestRelease {
            feed: manifest.feed.clone(),
            release: manifest.release,
            time: manifest.time.clone(),
        }
    }
}

impl ExpectedRelease {
    /// Why the newest release is not the expected one; `None` if it may be.
    pub fn refusal(&self, newest: &NewestRelease) -> Option<String> {
        let NewestRelease {
            feed,
            release,
            time,
        } = newest;
        if let Some(expected) = self.feed.as_ref().filter(|expected| *expected != feed) {
            return Some(format!(
                "these are releases of the feed `{feed}`, and not of `{expected}`"
            ));
        }
        if let Some(number) = self.at_least.filter(|number| release < number) {
            return Some(format!(
                "the newest release is {release}, of {time}, and --at-least asks for release {number}: these files are \
                 old. Get the newest ones; if release {number} was withdrawn, a signed notice in `withdrawn` says so"
            ));
        }
        let since = self.since?;
        let made: Option<Timestamp> = time.parse().ok();
        if made.is_some_and(|made| made >= since) {
            return None;
        }
        Some(format!(
            "the newest release is {release}, of {time}, which is before the {since} that --since asks for: these files \
             are old, or the feed has published nothing since then. Get the newest ones"
        ))
    }
}
