//! The leakage of a global recoding (SCIENCE 6, "Global recoding is not immune"): the ratio of all
//! ways to distribute the people of a release over the leaf tuples of their classes (*pre-images*,
//! each weighted with its number of combinations of values) to those from which the search would
//! have made the same release. Computed in three ways:
//!
//! - [`maximality`]: the leakage of the final recoding alone, for the node with the largest one. A
//!   closed form, but only a lower bound: each candidate was refused in its own, coarser state,
//!   which reveals more, and all refusals are known.
//! - [`whole`]: the leakage of the whole course of the search. If values may be repeated this is a
//!   closed form too, and exact: columns are independent within a class, classes are independent, a
//!   refusal is about one column, and a class is in one refusal per column; so the ratio is the
//!   product, over all refusals, of 1 / (1 − P(no small child)) in the state in which each
//!   happened. If values are distinct, columns are not independent, and [`replayed`] is used
//!   instead.
//! - [`replayed`]: the same by running the real search, on every pre-image if there are few,
//!   otherwise on sampled ones; then the ratio is an upper bound.
//!
//! If the budget is spent or no sampled pre-image was kept, the ratio is unknown. Real people are
//! not distributed evenly, so even an astronomical ratio need not harm a person: it is reported,
//! and certainty is judged.
//!
//! This room knows classes and counts, never whose they are and never a sensitive value.

mod clean;
mod closed_forms;
mod draws;
mod figure;
mod log_bounds;
mod pmf;
mod refusals;
mod rerun;
mod terms;
mod worlds;

pub use self::closed_forms::{Maximality, maximality};
pub use self::figure::TraceRatio;
pub use self::terms::{FigureSource, TraceBudget, TraceTerms, WholeTrace};

use crate::histogram::Release;
use crate::model::Taxonomy;
use crate::policy::Values;

/// The ratio of all pre-images to those from which the search makes this release: by the closed
/// form if there is one, otherwise by running the search. The trees are those of the search.
pub fn whole(release: &Release, trees: &[&Taxonomy], a: u64, terms: TraceTerms) -> WholeTrace {
    assert_eq!(release.width(), trees.len(), "one taxonomy for each column");
    if terms.values == Values::Repeated {
        let ratio = closed_forms::whole(release, trees, a, terms.budget);
        if ratio != TraceRatio::Unknown {
            return WholeTrace {
                ratio,
                source: FigureSource::Formula,
            };
        }
    }
    replayed(release, trees, a, terms)
}

/// A lower bound of the leakage of the final recoding alone, and an upper bound of that of the
/// whole course of the search, as decimal logarithms; `None` if it is unknown.
pub fn leakage(
    release: &Release,
    trees: &[&Taxonomy],
    a: u64,
    terms: TraceTerms,
) -> [Option<f64>; 2] {
    let finally = maximality(release, trees, a, terms.values, terms.budget);
    let wholly = whole(release, trees, a, terms).ratio.most();
    [finally.and_then(|least| least.at_least.log10()), wholly]
}

/// The same by running the search on pre-images.
pub fn replayed(release: &Release, trees: &[&Taxonomy], a: u64, terms: TraceTerms) -> WholeTrace {
    assert_eq!(release.width(), trees.len(), "one taxonomy for each column");
    worlds::counted(release, trees, a, terms)
        .unwrap_or_else(|| draws::drawn(release, trees, a, terms))
}
