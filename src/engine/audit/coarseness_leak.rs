//! What releases under one recoding for all tell an attacker who takes the top-down search for granted (SCIENCE 6): the first of a
//! chain, and every one of a disjoint feed. What later ones of a chain tell needs the recodings that were stated, and labels
//! alone don't tell them.

use super::tables::AuditSubject;
use crate::gate::certainty::{Certainty, learnt};
use crate::histogram::Release;
use crate::model::Columns;
use crate::policy::{ChainPromise, Inference, Output, Policy};

/// What one release tells.
#[derive(Debug, Clone, PartialEq)]
pub struct CoarsenessLeak {
    /// The release, counted from 0.
    pub release: usize,
    /// Small classes that are certain; none where no search ends with such a release.
    pub certainty: Certainty,
    /// By how much final maximality alone narrows down who is where, as a decimal logarithm: a bound from below.
    pub finally: Option<f64>,
    /// The same for the whole course of the search, or a bound from above; `None`: it is not known.
    pub wholly: Option<f64>,
}

impl CoarsenessLeak {
    /// Of all releases of which it can be told. Ratios come from elsewhere: working one out runs the search.
    pub fn of(
        subject: &AuditSubject,
        columns: &Columns,
        policy: &Policy,
        ratios: impl Fn(&Release) -> [Option<f64>; 2],
    ) -> Vec<CoarsenessLeak> {
        let limits = policy.refinement();
        // Where rows keep labels of their own no search for one recoding ended.
        let own = subject.releases.iter().any(Release::is_local);
        let local = policy.search().is_local() || subject.growth.is_some() || own;
        if !limits.looks_at_coarseness() || local || policy.output() == Output::TwoTable {
            return Vec::new();
        }
        let releases = match policy.chain() {
            ChainPromise::Disjoint { .. } => &subject.releases[..],
            ChainPromise::Blind(_) | ChainPromise::Bcf => &subject.releases[..1],
            // Which of two recodings was let out is not told.
            ChainPromise::Tested { .. } => &[],
            // Classes have labels of their own.
            ChainPromise::Crowds { .. } => &[],
        };
        let trees = columns.trees();
        let of = |(at, release): (usize, &Release)| {
            let inference = policy.inference();
            let certainty = learnt(None, release, &trees, inference, (policy.a(), limits.values));
            let known = inference == Inference::Replay;
            let [finally, wholly] = if known { ratios(release) } else { [None; 2] };
            CoarsenessLeak { release: at, certainty, finally, wholly }
        };
        releases.iter().enumerate().map(of).collect()
    }
}
