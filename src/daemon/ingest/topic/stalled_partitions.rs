//! Partitions that do not go on, although brokers answer and have messages of them, and without an error.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How often it is looked.
const LOOK: Duration = Duration::from_secs(10);
/// How often a partition must be found where it was.
const TIMES: u32 = 6;
/// A feed that took messages in for longer has kept all partitions from going on.
const HELD: Duration = Duration::from_secs(1);

/// Where partitions were when it was looked last, and how often they were found there.
pub struct StalledPartitions {
    looked: Instant,
    held: bool,
    known: BTreeMap<i32, (u64, u32)>,
    /// The library complained of something unknown.
    doubted: bool,
}

impl StalledPartitions {
    /// It was not looked at yet.
    pub fn new() -> StalledPartitions {
        StalledPartitions { looked: Instant::now(), held: false, known: BTreeMap::new(), doubted: false }
    }

    /// Messages waited for so long to be taken in.
    pub fn was_held(&mut self, time: Duration) {
        self.held |= time >= HELD;
    }

    /// The library complains of something unknown.
    pub fn doubt(&mut self) {
        self.doubted = true;
    }

    /// Whether it did since this was asked.
    pub fn is_doubted(&mut self) -> bool {
        std::mem::take(&mut self.doubted)
    }

    /// Whether it is to be looked.
    pub fn is_due(&self) -> bool {
        self.looked.elapsed() >= LOOK
    }

    /// Looks at partitions that have not come to their end, each with the offset that is next; those that are where they
    /// were, and whether they have been for too long.
    pub fn look(&mut self, partitions: impl Iterator<Item = (i32, u64)>) -> Vec<(i32, bool)> {
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
        // No partition goes on while messages wait to be taken in.
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
