//! What a reader knows of the newest release, as options of `verify`, `query` and `path` (CONTRACTS
//! 3).

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::daemon::opened_release::{ExpectedRelease, NewestRelease};

/// What the newest release must not be older than.
#[derive(clap::Args)]
pub(crate) struct NewestArgs {
    /// Refuse the place if its newest release has a smaller number: an old copy may be in the place
    /// of the present files
    #[arg(long, value_name = "RELEASE")]
    at_least: Option<u32>,
    /// Refuse the place if its newest release was made before this time: 2026-11-21T10:00:00Z, or a
    /// date in UTC
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<Timestamp>,
}

impl NewestArgs {
    /// What is expected of the newest release, of a feed if its name is known.
    pub(crate) fn expected(&self, feed: Option<String>) -> ExpectedRelease {
        ExpectedRelease {
            feed,
            at_least: self.at_least,
            since: self.since,
        }
    }
}

/// The newest release of a place, in one line.
pub(crate) fn newest_line(newest: &NewestRelease) -> String {
    let NewestRelease {
        feed,
        release,
        time,
    } = newest;
    format!("the newest release of {feed} is {release}, of {time}\n")
}

fn time(text: &str) -> Result<Timestamp, String> {
    let midnight = text
        .parse::<Date>()
        .ok()
        .filter(|_| text.len() == "2026-11-21".len());
    if let Some(date) = midnight {
        let midnight = date
            .to_zoned(TimeZone::UTC)
            .map_err(|error| error.to_string())?;
        return Ok(midnight.timestamp());
    }
    text.parse().map_err(|_| {
        "write a time such as 2026-11-21T10:00:00Z, or a date such as 2026-11-21".to_owned()
    })
}
