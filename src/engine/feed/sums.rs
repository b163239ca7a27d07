//! The measures of a chain whose releases hold all people so far (SCIENCE 7): what a release tells of its classes follows from the addends
//! that came with it and with all releases before.

use super::parts::ProposedRelease;
use super::state::Feed;
use crate::measures::{ReleaseAddends, SumSuppression};
use crate::model::Taxonomy;
use crate::policy::Policy;

impl Feed {
    /// The candidate with what it tells of the measures of each class, where there are measures.
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
        let earlier = self.published.iter().map(|of| (&of.recoding[..], of.measures.as_deref()));
        let releases: Vec<ReleaseAddends<'_>> = earlier.chain([(&candidate.recoding[..], new.as_ref())]).collect();
        let standing = SumSuppression::of(policy).standing(&releases, candidate.table(), trees);
        ProposedRelease { standing: Some(standing), ..candidate }
    }
}
