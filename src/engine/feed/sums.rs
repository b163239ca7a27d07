//! The measures of a chain whose releases contain all people so far (SCIENCE 7): the published
//! figures of a class follow from the addends of the release and of all releases before it.

use super::parts::ProposedRelease;
use super::state::Feed;
use crate::measures::{ReleaseAddends, SumSuppression};
use crate::model::Taxonomy;
use crate::policy::Policy;

impl Feed {
    /// The candidate with the published measures of each class, if there are measures.
    pub(super) fn with_sums(
        &self,
        candidate: ProposedRelease,
        policy: &Policy,
        trees: &[&Taxonomy],
    ) -> ProposedRelease {
        let new = candidate.addends(policy);
        if new.is_none() {
            return candidate;
        }
        let earlier = self
            .published
            .iter()
            .map(|of| (&of.recoding[..], of.measures.as_deref()));
        let releases: Vec<ReleaseAddends<'_>> = earlier
            .chain([(&candidate.recoding[..], new.as_ref())])
            .collect();
        let standing = SumSuppression::of(policy).standing(&releases, candidate.table(), trees);
        ProposedRelease {
            standing: Some(standing),
            ..candidate
        }
    }
}
