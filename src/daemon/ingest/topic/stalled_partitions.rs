//! Detects partitions without progress, although brokers answer and have messages for them, and
//! without an error.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The interval of checks.
const LOOK: Duration = Duration::from_secs(10);
/// The number of checks without progress after which a partition has stalled.
const TIMES: u32 = 6;
/// A feed that took messages in for longer than this has itself prevented progress.
const HELD: Duration = Duration::from_secs(1);

/// The positions of partitions at the last check, and the number of checks without progress.
pub(super) struct StalledPartitions {
    looked: Instant,
    held: bool,
    known: BTreeMap<i32, (u64, u32)>,
    /// Whether the library reported an unknown error.
    doubted: bool,
}

impl StalledPartitions {
    /// Starts without a check.
    pub(super) fn new() -> StalledPartitions {
        StalledPartitions {
            looked: Instant::now(),
            held: false,
            known: BTreeMap::new(),
            doubted: false,
        }
    }

    /// Records that messages waited this long to be accepted.
    pub(super) fn was_held(&mut self, time: Duration) {
        self.held |= time >= HELD;
    }

    /// Records that the library reported an unknown error.
    pub(super) fn doubt(&mut self) {
        self.doubted = true;
    }

    /// Whether it did since the last call.
    pub(super) fn is_doubted(&mut self) -> bool {
        std::mem::take(&mut self.doubted)
    }

    /// Whether a check is due.
    pub(super) fn is_due(&self) -> bool {
        self.looked.elapsed() >= LOOK
    }

    /// Checks partitions that have not reached their end, each with its next offset; returns those
    /// without progress, and whether they have stalled.
    pub(super) fn look(
        &mut self,
        partitions: impl Iterator<Item = (i32, u64)>,
    ) -> Vec<(i32, bool)> {
        let before = std::mem::take(&mut self.known);
        let held = std::mem::take(&mut self.held);
        let mut still = Vec::new();
        for (partition, next) in partitions {
            let times = match before.get(&partition) {
                Some((known, times)) if *known == next => times + u32::from(!held),
                _ => 0,
            };
            if times > 0 {
                still.push((partition, times >= TIMES));
            }
            self.known.insert(partition, (next, times));
        }
        self.looked = Instant::now();
        still
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_still_when_they_are_found_where_they_were() {
        let mut still = StalledPartitions::new();
        let mut look = |next: &[(i32, u64)], held| {
            still.was_held(Duration::from_secs(held));
            still.look(next.iter().copied())
        };
        assert_eq!(look(&[(0, 5), (1, 5)], 0), []);
        assert_eq!(look(&[(0, 5), (1, 6)], 0), [(0, false)]);
        // No partition makes progress while messages wait to be accepted.
        for _ in 0..9 {
            assert_eq!(look(&[(0, 5), (1, 6)], 2), [(0, false)]);
        }
        for times in 2..6 {
            assert_eq!(look(&[(0, 5), (1, times)], 0), [(0, false)]);
        }
        assert_eq!(look(&[(0, 5)], 0), [(0, true)]);
        assert_eq!(look(&[(0, 6)], 0), []);
        assert_eq!(look(&[(0, 6)], 0), [(0, false)]);
    }
}
