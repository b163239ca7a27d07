//! The leakage of releases with one recoding for all rows, to an attacker who assumes the top-down
//! search (SCIENCE 6): computed for the first release of a chain, and for every release of a
//! disjoint feed. For later releases of a chain it would take the recodings that were stated, which
//! labels alone do not show.

use super::tables::AuditSubject;
use crate::gate::certainty::{Certainty, learnt};
use crate::histogram::Release;
use crate::model::Columns;
use crate::policy::{ChainPromise, Inference, Output, Policy};

/// The leakage of one release.
#[derive(Debug, Clone, PartialEq)]
pub struct CoarsenessLeak {
    /// The number of the release, counted from 0.
    pub release: usize,
    /// Small classes that are certain; none if no search ends with such a release.
    pub certainty: Certainty,
    /// By how much final maximality alone reduces the possible tables, as a decimal logarithm: a
    /// lower bound.
    pub finally: Option<f64>,
    /// The same for the whole course of the search, or an upper bound; `None` if it is unknown.
    pub wholly: Option<f64>,
}

impl CoarsenessLeak {
    /// The leakage of all releases for which it can be computed. The caller computes the ratios,
    /// because that runs the search.
    pub fn of(
        subject: &AuditSubject,
        columns: &Columns,
        policy: &Policy,
        ratios: impl Fn(&Release) -> [Option<f64>; 2],
    ) -> Vec<CoarsenessLeak> {
        let limits = policy.refinement();
        // Rows with labels of their own are not the result of a search for one recoding.
        let own = subject.releases.iter().any(Release::is_local);
        let local = policy.search().is_local() || subject.growth.is_some() || own;
        if !limits.looks_at_coarseness() || local || policy.output() == Output::TwoTable {
            return Vec::new();
        }
        let releases = match policy.chain() {
            ChainPromise::Disjoint { .. } => &subject.releases[..],
            ChainPromise::Blind(_) | ChainPromise::Bcf => &subject.releases[..1],
            // Classes have labels of their own.
            ChainPromise::Crowds { .. } => &[],
        };
        let trees = columns.trees();
        let of = |(at, release): (usize, &Release)| {
            let inference = policy.inference();
            let certainty = learnt(
                None,
                release,
                &trees,
                inference,
                (policy.a(), limits.values),
            );
            let known = inference == Inference::Replay;
            let [finally, wholly] = if known { ratios(release) } else { [None; 2] };
            CoarsenessLeak {
                release: at,
                certainty,
                finally,
                wholly,
            }
        };
        releases.iter().enumerate().map(of).collect()
    }
}
