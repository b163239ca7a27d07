//! How far a global recoding narrows down who is where (SCIENCE 6, "Global recoding is not immune"): all ways in which the
//! people of a release can be spread over the leaf tuples of their classes (*pre-images*, each as likely as it has
//! combinations of values), over those from which the search would have made the same release. Told in three ways:
//!
//! - [`maximality`]: of what the final recoding alone tells, the node that tells most. A closed form, and no more than a
//!   bound from below: each candidate was refused at its own, coarser state, which tells more, and all refusals are told.
//! - [`whole`]: of the whole course of the search. Where values may be repeated this too is a closed form, and exact:
//!   columns are independent within a class, classes are independent, a refusal speaks of one column, and a class lies in
//!   one refusal per column; so the ratio is the product, over all refusals, of 1 / (1 − P(no small child)) at the state
//!   in which each happened. Where values are distinct columns are not independent, and [`replayed`] takes its place.
//! - [`replayed`]: the same by running the real search, on every pre-image while they are few, else on some that are drawn;
//!   then the ratio is a bound from above.
//!
//! Where the budget ends or no drawn pre-image was kept, the ratio is not known. Real people are not spread evenly, so even
//! an astronomical ratio need not harm anyone: it is reported, and what is judged is certainty.
//!
//! Knows classes and counts, never whose they are and never a sensitive value.

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

/// All pre-images over those from which the search makes this release: by the closed form where there is one, by the search
/// itself otherwise. The trees are those of the search.
pub fn whole(release: &Release, trees: &[&Taxonomy], a: u64, terms: TraceTerms) -> WholeTrace {
    assert_eq!(release.width(), trees.len(), "a taxonomy for each column");
    if terms.values == Values::Repeated {
        let ratio = closed_forms::whole(release, trees, a, terms.budget);
        if ratio != TraceRatio::Unknown {
            return WholeTrace { ratio, source: FigureSource::Formula };
        }
    }
    replayed(release, trees, a, terms)
}

/// What the final recoding alone tells at least, and what the whole course of the search tells at most, as decimal
/// logarithms; `None` where it is not known.
pub fn told(release: &Release, trees: &[&Taxonomy], a: u64, terms: TraceTerms) -> [Option<f64>; 2] {
    let finally = maximality(release, trees, a, terms.values, terms.budget);
    let wholly = whole(release, trees, a, terms).ratio.most();
    [finally.and_then(|told| told.at_least.log10()), wholly]
}

/// The same by running the search itself on pre-images.
pub fn replayed(release: &Release, trees: &[&Taxonomy], a: u64, terms: TraceTerms) -> WholeTrace {
    assert_eq!(release.width(), trees.len(), "a taxonomy for each column");
    worlds::counted(release, trees, a, terms).unwrap_or_else(|| draws::drawn(release, trees, a, terms))
}
