//! Of which files a release of a table that grows consists (SCIENCE 11): those of the release before, and new ones with the rows that are
//! new, with the rows of several small files, or with what is left of a file when atoms are erased.

use super::state::State;
use crate::engine::feed::Candidate;
use crate::engine::histogram::Histogram;
use crate::engine::policy::{ChainKind, Policy};
use crate::engine::release::{PartLine, Span, replaced, rewritten};

impl State {
    /// The files that a candidate needs and that are not published: the releases of each, and the rows that these have added.
    pub fn new_parts(&self, candidate: &Candidate, policy: &Policy) -> Vec<(Span, Histogram)> {
        let spans = match policy.kind() {
            ChainKind::Cumulative => rewritten(&self.parts(), |span| self.loses_rows(span)),
            ChainKind::Disjoint => Vec::new(),
        };
        let earlier = spans.into_iter().map(|span| (span, self.feed.rows_of(span.first..=span.last)));
        let new = (Span::of(candidate.release), candidate.new_rows());
        earlier.chain([new]).collect()
    }

    /// Whether atoms of one of these releases are in no later one.
    fn loses_rows(&self, span: Span) -> bool {
        self.erased.iter().any(|atom| span.holds(atom.release))
    }

    /// The files of the newest release, after one has come with these.
    pub fn parts_with(&self, new: &[PartLine], policy: &Policy) -> Vec<PartLine> {
        match policy.kind() {
            ChainKind::Cumulative => replaced(&self.parts(), new, |span| self.loses_rows(span)),
            ChainKind::Disjoint => new.to_vec(),
        }
    }
}
