//! Refinement attacks on releases whose classes have labels of their own (SCIENCE 6), by whoever knows how such releases are
//! made, but not which of two classes that tie came first: their order is in no table.

use crate::engine::gate::refinement::{Attacker, judge};
use crate::engine::histogram::Release;
use crate::engine::model::{Columns, Node};
use crate::engine::policy::Policy;

/// Something that speaks against a release.
#[derive(Debug, Clone, PartialEq)]
pub struct Narrowed {
    /// The release, counted from 0.
    pub release: usize,
    /// The figure, as far as it is known.
    pub found: Option<f64>,
    /// What it had to keep.
    pub limit: Option<f64>,
    /// The same in words.
    pub text: String,
}

/// Everything that speaks against the releases.
pub fn narrowed(releases: &[Release], columns: &Columns, policy: &Policy) -> Vec<Narrowed> {
    if !policy.search().is_local() || policy.refinement().max_ratio.is_none() {
        return Vec::new();
    }
    let of = |(at, release): (usize, &Release)| -> Vec<Narrowed> {
        let class = |class: usize| -> (&[Node], u64) { (release.class(class), release.size(class)) };
        let classes = (0..release.classes()).map(class);
        match judge(columns, classes, (policy, Attacker::Paper), 1) {
            Err(text) => vec![Narrowed { release: at, found: None, limit: None, text }],
            Ok(judged) => judged
                .against
                .into_iter()
                .map(|against| Narrowed { release: at, found: against.found, limit: against.limit, text: against.text })
                .collect(),
        }
    };
    releases.iter().enumerate().filter(|(_, release)| release.is_local()).flat_map(of).collect()
}
