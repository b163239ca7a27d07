//! What became of messages: counted when they are accepted, stored in the log, shown in log lines
//! and metrics.

use std::iter::Sum;
use std::ops::Add;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of messages: `seen = kept + duplicate + skipped + quarantined` (HOUSE 3).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IntakeCounts {
    /// The number of messages; if a message contains several rows, each row counts.
    pub seen: u64,
    /// Valid rows.
    pub kept: u64,
    /// Rows of people who have one already.
    pub duplicate: u64,
    /// Messages that the policy skips.
    pub skipped: u64,
    /// Messages that were set aside.
    pub quarantined: u64,
}

impl IntakeCounts {
    /// Whether each message is counted once.
    pub fn adds_up(&self) -> bool {
        let parts = [self.duplicate, self.skipped, self.quarantined];
        parts
            .iter()
            .try_fold(self.kept, |sum, &part| sum.checked_add(part))
            == Some(self.seen)
    }
}

impl Add for IntakeCounts {
    type Output = IntakeCounts;

    fn add(self, other: IntakeCounts) -> IntakeCounts {
        IntakeCounts {
            seen: self.seen + other.seen,
            kept: self.kept + other.kept,
            duplicate: self.duplicate + other.duplicate,
            skipped: self.skipped + other.skipped,
            quarantined: self.quarantined + other.quarantined,
        }
    }
}

impl Sum for IntakeCounts {
    fn sum<I: Iterator<Item = IntakeCounts>>(counts: I) -> IntakeCounts {
        counts.fold(IntakeCounts::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::IntakeCounts;

    #[test]
    fn counts_add_up_in_sums_too() {
        let counts = |kept, duplicate, skipped, quarantined| {
            let seen = kept + duplicate + skipped + quarantined;
            IntakeCounts {
                seen,
                kept,
                duplicate,
                skipped,
                quarantined,
            }
        };
        let all = [counts(4, 3, 2, 1), counts(0, 0, 0, 0), counts(1, 0, 5, 2)];
        let sum: IntakeCounts = all.into_iter().sum();
        assert_eq!(sum, counts(5, 3, 7, 3));
        assert!(sum.adds_up());
        assert!(!IntakeCounts { seen: 19, ..sum }.adds_up());
        assert!(
            !IntakeCounts {
                kept: u64::MAX,
                ..sum
            }
            .adds_up()
        );
    }
}
