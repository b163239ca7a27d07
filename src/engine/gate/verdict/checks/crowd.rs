//! Each person must be in a class of at least k in the release itself.

use super::super::check_result::{Check, CheckResult, Finding};
use super::super::comparison::PreparedCase;

/// The most classes that are named: the smallest ones.
const NAMED: usize = 12;

/// Judges the sizes of all classes.
pub(super) fn check(ready: &PreparedCase<'_>) -> CheckResult {
    let k = ready.case.policy.k();
    let smallest = ready.smallest();
    let mut found = CheckResult::made(Check::Crowd).at_least(smallest, k);
    match smallest {
        Some(smallest) if smallest >= k => return found,
        Some(_) => {}
        None => found.reasons.push(Finding::new(
            Check::Crowd,
            "data",
            "the release has no rows",
        )),
    }
    let sizes = (0..ready.table.classes()).map(|class| (ready.size(class), class));
    let mut small: Vec<(u64, usize)> = sizes.filter(|(size, _)| *size < k).collect();
    small.sort_unstable();
    for &(size, class) in small.iter().take(NAMED) {
        let place = ready.class(class);
        let text = format!("{place} has {size} people, the policy requires at least {k}");
        found
            .reasons
            .push(Finding::count(Check::Crowd, place, size, k, text));
    }
    found
}
