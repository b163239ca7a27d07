//! Whether the published releases and the private tables of their people belong together (SCIENCE
//! 10): a chain that lacks a release, or has other private tables, cannot be judged, however good
//! the candidate looks.

use super::check_result::RejectionReason;
use super::comparison::{Lineage, PreparedCase};
use super::crowds;
use crate::histogram::{Histogram, Release, SensitiveValues};

impl PreparedCase<'_> {
    /// The reasons against the history.
    pub fn past(&self) -> Vec<RejectionReason> {
        match (&self.lineage, &self.crowds) {
            (Some(lineage), _) => self.misfits(lineage),
            (None, Some(known)) => crowds::past(self, known),
            (None, None) => Vec::new(),
        }
    }

    fn misfits(&self, lineage: &Lineage) -> Vec<RejectionReason> {
        let (history, older) = (self.case.history, self.case.older);
        let mut reasons = Vec::new();
        let last = history.len().checked_sub(1);
        if !last.map_or(self.case.before.rows() == 0, |last| {
            self.shown(self.case.before, last)
        }) {
            let text = "the people who count as published are not the people of the last release";
            reasons.push(RejectionReason::plain("all people so far", text));
        }
        if history.len() != older.len() {
            let text = format!(
                "{} releases were published, and there are private tables of {}",
                history.len(),
                older.len()
            );
            reasons.push(RejectionReason::plain("the chain", text));
            return reasons;
        }
        // All releases are counted. If all people must be found, those that contribute to figures
        // are compared class by class; otherwise no figure uses the private tables of older
        // increments.
        let (mut so_far, mut people, mut taken) = (Histogram::empty(self.trees.len(), 0), 0, 0);
        for at in 0..history.len() {
            people += older[at].rows.rows();
            let mut fits = history.release(at).0.rows() == people;
            if fits && lineage.all_people && lineage.kept.contains(&at) {
                let more = older[taken..=at]
                    .iter()
                    .map(|older| Histogram::clone(older.rows).as_one(0));
                so_far = Histogram::merge_all([so_far].into_iter().chain(more).collect())
                    .expect("one at least");
                taken = at + 1;
                fits = self.shown(&so_far, at);
            }
            if !fits {
                let place = format!("release {} of the chain", at + 1);
                reasons.push(RejectionReason::plain(
                    place,
                    "its private tables do not hold the people of its rows",
                ));
                break;
            }
        }
        reasons
    }

    /// Whether a release of the history shows exactly these people.
    fn shown(&self, people: &Histogram, at: usize) -> bool {
        let (release, recoding, values) = self.case.history.release(at);
        let (_, maps) = SensitiveValues::union(&[values, people.values()]);
        let people =
            Release::under(&people.clone().as_one(0), 0..1, recoding).with_values(&maps[1]);
        release
            .clone()
            .with_values(&maps[0])
            .first_difference(&people)
            .is_none()
    }
}
