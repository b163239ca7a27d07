//! The two rules, computed in whole numbers.

use num_bigint::BigUint;
use num_integer::Integer;

use super::cell::SumCell;
use crate::model::Decimal;

/// A sum to which fewer people contributed is sensitive under every rule, whatever the
/// contributions are: who knows all but one of them knows that one. A sum without contributions is
/// not.
pub const FEWEST_CONTRIBUTORS: u64 = 3;

/// When a sum is sensitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DominanceRule {
    /// (n, r): the n largest contributions are more than the share r of the sum.
    Dominance {
        /// n.
        largest: usize,
        /// r.
        share: Decimal,
    },
    /// p%: the contributor of the second largest contribution can estimate the largest one to
    /// within the share p of it, since all other contributions together are less than that.
    Percent(Decimal),
}

impl DominanceRule {
    /// The number of largest contributions that a cell has to keep for the rule.
    pub fn keeps(self) -> usize {
        match self {
            DominanceRule::Dominance { largest, .. } => largest,
            DominanceRule::Percent(_) => 2,
        }
    }

    /// Whether the sum of this cell is sensitive. It is not if all contributions are 0.
    pub fn is_sensitive(self, cell: &SumCell) -> bool {
        match self {
            DominanceRule::Dominance { largest, share } => {
                product(cell.largest(largest), unit(share))
                    > product(cell.absolute(), share.digits())
            }
            DominanceRule::Percent(share) => {
                let others = cell.absolute() - cell.largest(2);
                product(others, unit(share)) < product(cell.largest(1), share.digits())
            }
        }
    }

    /// The margin by which readers' estimates of this sum have to miss it, above and below, so that
    /// it reveals no more than a sum that is not sensitive: for p%, the share p of the largest
    /// contribution minus all but the two largest; for (n, r), the n largest divided by r, minus
    /// the sum. Rounded up, so at least 1; 0 for a sum that is not sensitive.
    pub fn protection(self, cell: &SumCell) -> u128 {
        if !self.is_sensitive(cell) {
            return 0;
        }
        match self {
            DominanceRule::Dominance { largest, share } => {
                let enough = share_above(cell.largest(largest), unit(share), share.digits());
                enough.saturating_sub(cell.absolute())
            }
            DominanceRule::Percent(share) => {
                let others = cell.absolute() - cell.largest(2);
                share_above(cell.largest(1), share.digits(), unit(share)).saturating_sub(others)
            }
        }
    }
}

/// The smallest whole number that is at least `of · times / over`, saturating.
fn share_above(of: u128, times: u64, over: u64) -> u128 {
    assert!(over > 0, "a share of something");
    let number = (BigUint::from(of) * times).div_ceil(&BigUint::from(over.max(1)));
    u128::try_from(number).unwrap_or(u128::MAX)
}

/// The denominator of the digits of a share.
fn unit(share: Decimal) -> u64 {
    10u64.pow(u32::from(share.scale()))
}

/// The product, in 192 bits.
fn product(factor: u128, other: u64) -> (u128, u64) {
    let (high, low) = (factor >> 64, factor & u128::from(u64::MAX));
    let low = low * u128::from(other);
    (high * u128::from(other) + (low >> 64), low as u64)
}
