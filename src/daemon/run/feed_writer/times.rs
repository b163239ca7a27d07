//! Times of the log as numbers.

use jiff::Timestamp;

/// A time of the log in milliseconds since 1970.
pub(super) fn milliseconds(time: &str) -> i64 {
    time.parse::<Timestamp>()
        .map_or(0, |time| time.as_millisecond())
}
