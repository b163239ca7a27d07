//! Everybody hides in a crowd of at least k in the release itself.

use super::case::Ready;
use super::verdict::{Checked, Reason};

/// Classes that are named at most; the smallest ones.
const NAMED: usize = 12;

/// Judges the sizes of all classes.
pub fn check(ready: &Ready<'_>) -> Checked {
    let k = ready.case.policy.k();
    let mut sizes: Vec<(u64, usize)> =
        (0..ready.table.classes()).map(|class| (ready.table.size(class), class)).collect();
    sizes.sort_unstable();
    let mut found = Checked::made("crowd").at_least(sizes.first().map(|&(size, _)| size), k);
    if sizes.is_empty() {
        found.reasons.push(Reason::plain("data", "the release has no rows"));
    }
    for &(size, class) in sizes.iter().take_while(|(size, _)| *size < k).take(NAMED) {
        let place = ready.class(class);
        let text = format!("{place} holds {size} people, the policy wants at least {k}");
        found.reasons.push(Reason::crowd(place, size, k, text));
    }
    found
}
