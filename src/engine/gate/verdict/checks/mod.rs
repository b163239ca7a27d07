//! The checks (SCIENCE 10): one file or folder each, and one line of [`of_table`]. They share no
//! code: each is given what was read, and computes what it judges by itself, so that an error in
//! one cannot hide an error in another.

mod atoms;
pub(super) mod certainty;
mod chain;
mod correspondence;
mod crowd;
mod diversity;
mod dominance;
pub(super) mod form;
mod growth;
mod minimality;
mod refinement;
pub(super) mod unjudged_policy;
mod utility;

use super::check_result::CheckResult;
use super::comparison::PreparedCase;

/// The checks that are made on a table that can be read, in the order of a verdict.
pub(super) fn of_table(ready: &PreparedCase<'_>) -> Vec<CheckResult> {
    let mut results = vec![
        crowd::check(ready),
        growth::check(ready),
        atoms::check(ready),
        correspondence::check(ready),
        chain::check(ready),
        utility::check(ready),
        minimality::check(ready),
    ];
    results.extend(diversity::checks(ready));
    results.push(refinement::check(ready));
    results.extend(certainty::checks(ready));
    results.push(dominance::check(ready));
    results
}
