//! A message carries the epoch of the leader that wrote it. If that differs from the epoch of the
//! previous message, the current leader may have lost the previous message and given its offset to
//! another one. So before such a message is accepted, the last message that was accepted is read
//! again.

use std::collections::BTreeMap;

/// For each partition the epoch for which the last message was read again.
#[derive(Default)]
pub(super) struct Epochs(BTreeMap<i32, i32>);

impl Epochs {
    /// Whether a message may be accepted after the last one of its partition. If not, partitions
    /// have to be read again, each from its last message on; when the same message comes again, the
    /// last one has been compared, or no longer exists.
    pub(super) fn follows(
        &mut self,
        partition: i32,
        last: Option<i32>,
        message: Option<i32>,
    ) -> bool {
        let (Some(last), Some(message)) = (last, message) else {
            return true;
        };
        last == message || self.0.insert(partition, message) == Some(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_message_is_read_again_once_for_each_other_epoch() {
        let mut epochs = Epochs::default();
        assert!(epochs.follows(0, Some(0), Some(0)));
        assert!(!epochs.follows(0, Some(0), Some(2)), "a new leader");
        assert!(!epochs.follows(1, Some(0), Some(2)), "of another partition");
        assert!(
            epochs.follows(0, Some(0), Some(2)),
            "the last message was there"
        );
        assert!(epochs.follows(0, Some(2), Some(2)));
        assert!(!epochs.follows(0, Some(2), Some(3)));
        assert!(
            !epochs.follows(0, Some(2), Some(4)),
            "one more while it was read again"
        );
        assert!(epochs.follows(0, Some(2), Some(4)));
    }

    #[test]
    fn brokers_that_know_no_epochs_are_trusted() {
        let mut epochs = Epochs::default();
        assert!(
            epochs.follows(0, None, Some(1))
                && epochs.follows(0, Some(1), None)
                && epochs.follows(0, None, None)
        );
    }
}
