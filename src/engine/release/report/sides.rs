//! On which side of its limit the figure of each check must lie. A check that is not listed here has no side.

use crate::release::figure::Figure;

/// Where the figure of a check must lie.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// At the limit or above.
    AtLeast,
    /// At the limit or below.
    AtMost,
    /// Below the limit.
    Below,
}

impl Side {
    /// Of the check of this name; `None` where there is no limit to compare with.
    pub fn of(check: &str) -> Option<Side> {
        match check {
            "crowd" | "atoms" | "slices" | "correspondence" | "chain" | "distinct_l" | "entropy_l" => {
                Some(Side::AtLeast)
            }
            "recursive_c" => Some(Side::Below),
            "utility" | "alpha" | "confidence" | "t" | "minimality" | "refinement" | "max_global_ratio"
            | "max_joint_ratio" | "dominance" | "max_odds" => Some(Side::AtMost),
            _ => None,
        }
    }

    /// Whether a figure keeps its limit.
    pub fn holds(self, value: Figure, limit: Figure) -> bool {
        match self {
            Side::AtLeast => value.get() >= limit.get(),
            Side::AtMost => value.get() <= limit.get(),
            Side::Below => value.get() < limit.get(),
        }
    }
}
