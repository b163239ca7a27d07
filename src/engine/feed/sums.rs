//! The measures of a chain whose releases hold all people so far (SCIENCE 7): what a release tells of its classes follows from the addends
//! that came with it and with all releases before.

use super::parts::Candidate;
use super::state::Feed;
use crate::measures::{Added, Suppression};
use crate::model::Taxonomy;
use crate::policy::Policy;

impl Feed {
    /// The candidate with what it tells of the measures of each class, where there are measures.
    pub(super) fn with_sums(&self, candidate: Candidate, policy: &Policy, trees: &[&Taxonomy]) -> Candidate {
        let new = candidate.addends(policy);
        if new.is_none() {
            return candidate;
        }
        let earlier = self.published.iter().map(|of| (&of.recoding[..], of.measures.as_deref()));
        let releases: Vec<Added<'_>> = earlier.chain([(&candidate.recoding[..], new.as_ref())]).collect();
        let standing = Suppression::of(policy).standing(&releases, candidate.table(), trees);
        Candidate { standing: Some(standing), ..candidate }
    }
}
