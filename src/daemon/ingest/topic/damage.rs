//! Messages that cannot be read as the brokers send them. The library may continue after them; here
//! they are fetched again, and errors that persist halt the feed.

use std::time::{Duration, Instant};

use rdkafka::types::RDKafkaErrorCode as Code;

/// The number of attempts for messages that are certainly damaged.
const TRIES: u32 = 5;
/// The duration of attempts if the cause is unknown.
const PATIENCE: Duration = Duration::from_secs(60);
/// After this time without an error, the problem is over.
const QUIET: Duration = Duration::from_secs(30);

/// The first error, the number of errors, and the last one.
#[derive(Debug, Clone, Copy)]
pub(super) struct DamageCount {
    since: Instant,
    last: Instant,
    times: u32,
    /// Whether one of the errors was about messages that are certainly damaged.
    sure: bool,
}

/// Whether an error means that messages cannot be read; `Some(true)`: they are certainly damaged.
pub(super) fn is_damage(code: Code) -> Option<bool> {
    match code {
        Code::BadMessage
        | Code::BadCompression
        | Code::InvalidMessage
        | Code::InvalidMessageSize
        | Code::InvalidRecord
        | Code::UnsupportedCompressionType => Some(true),
        Code::Unknown
        | Code::KafkaStorageError
        | Code::MessageSizeTooLarge
        | Code::InvalidRequest => Some(false),
        _ => None,
    }
}

impl DamageCount {
    /// Counts one more error.
    pub(super) fn again(before: Option<DamageCount>, sure: bool) -> DamageCount {
        let now = Instant::now();
        let first = DamageCount {
            since: now,
            last: now,
            times: 0,
            sure: false,
        };
        let known = before
            .filter(|known| known.last.elapsed() < QUIET)
            .unwrap_or(first);
        DamageCount {
            last: now,
            times: known.times + 1,
            sure: known.sure || sure,
            ..known
        }
    }

    /// Whether another attempt is useless.
    pub(super) fn lasts(&self) -> bool {
        self.sure && self.times > TRIES || self.since.elapsed() >= PATIENCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(complaints: &[bool]) -> bool {
        let damage = complaints
            .iter()
            .fold(None, |before, &sure| Some(DamageCount::again(before, sure)));
        damage.is_some_and(|damage| damage.lasts())
    }

    #[test]
    fn damage_that_was_sure_once_is_sure() {
        assert!(!after(&[true; 5]) && after(&[true; 6]));
        assert!(!after(&[false; 60]));
        // The library, which continues at an arbitrary offset after a damaged message, reports that
        // offset afterwards.
        assert!(
            !after(&[true, false, false, false, false])
                && after(&[true, false, false, false, false, false])
        );
    }
}
