//! The leakage of releases with one recoding for all rows, to an attacker who assumes the top-down
//! search (SCIENCE 6): computed for the first release of a chain, and for every release of a
//! disjoint feed. For later releases of a chain it would take the recodings that were stated, which
//! labels alone do not show.

use super::tables::AuditSubject;
use crate::gate::certainty::{Certainty, CertaintyBudget, searched};
use crate::histogram::Release;
use crate::model::Columns;
use crate::policy::{ChainKind, Inference, Output, Policy};

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
        let local = policy.search().is_local();
        if !limits.looks_at_coarseness() || local || policy.output() == Output::TwoTable {
            return Vec::new();
        }
        let trees = columns.trees();
        // A standing recoding is searched for once. Under `bcf` later refusals depend on sensitive
        // values.
        let many = match policy.kind() {
            ChainKind::Disjoint => subject.releases.len(),
            ChainKind::Cumulative => 1,
        };
        let mut releases = Vec::new();
        for release in subject.releases.iter().take(many) {
            // Rows with labels of two recodings are not the result of a search for one.
            let shown = match release.is_local() {
                true => release.clone().with_shown_recoding(&trees).ok(),
                false => Some(release.clone()),
            };
            let Some(shown) = shown else {
                return Vec::new();
            };
            releases.push(shown);
        }
        let of = |(at, release): (usize, &Release)| {
            let inference = policy.inference();
            let certainty = searched(
                release,
                &trees,
                inference,
                (policy.a(), limits.values),
                CertaintyBudget::FULL,
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
