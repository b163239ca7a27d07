//! Messages that cannot be read as the brokers send them. The library may go on behind them; here they are asked for again,
//! and complaints that do not end halt the feed.

use std::time::{Duration, Instant};

use rdkafka::types::RDKafkaErrorCode as Code;

/// How often messages are asked for again that are damaged for sure.
const TRIES: u32 = 5;
/// How long they are when it is not known what is wrong.
const PATIENCE: Duration = Duration::from_secs(60);
/// After so long without one it is over.
const QUIET: Duration = Duration::from_secs(30);

/// Since when, how often, and when last.
#[derive(Debug, Clone, Copy)]
pub struct DamageCount {
    since: Instant,
    last: Instant,
    times: u32,
    /// Whether one of the complaints was of messages that are damaged for sure.
    sure: bool,
}

/// Whether a complaint says that messages cannot be read; `Some(true)`: that they are damaged for sure.
pub fn is_damage(code: Code) -> Option<bool> {
    match code {
        Code::BadMessage
        | Code::BadCompression
        | Code::InvalidMessage
        | Code::InvalidMessageSize
        | Code::InvalidRecord
        | Code::UnsupportedCompressionType => Some(true),
        Code::Unknown | Code::KafkaStorageError | Code::MessageSizeTooLarge | Code::InvalidRequest => Some(false),
        _ => None,
    }
}

impl DamageCount {
    /// One more, after those that were.
    pub fn again(before: Option<DamageCount>, sure: bool) -> DamageCount {
        let now = Instant::now();
        let first = DamageCount { since: now, last: now, times: 0, sure: false };
        let known = before.filter(|known| known.last.elapsed() < QUIET).unwrap_or(first);
        DamageCount { last: now, times: known.times + 1, sure: known.sure || sure, ..known }
    }

    /// Whether it is no use to ask again.
    pub fn lasts(&self) -> bool {
        self.sure && self.times > TRIES || self.since.elapsed() >= PATIENCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(complaints: &[bool]) -> bool {
        let damage = complaints.iter().fold(None, |before, &sure| Some(DamageCount::again(before, sure)));
        damage.is_some_and(|damage| damage.lasts())
    }

    #[test]
    fn damage_that_was_sure_once_is_sure() {
        assert!(!after(&[true; 5]) && after(&[true; 6]));
        assert!(!after(&[false; 60]));
        // The library, which reads on at any offset behind a damaged message, complains of that offset afterwards.
        assert!(!after(&[true, false, false, false, false]) && after(&[true, false, false, false, false, false]));
    }
}
