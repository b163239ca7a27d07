//! Whether the published releases and the private tables of their people belong together (SCIENCE
//! 10): a chain that lacks a release, or has other private tables, cannot be judged, however good
//! the candidate looks.

use super::super::super::check_result::{Check, Finding};
use super::super::super::comparison::PreparedCase;
use super::super::super::next_release::OlderIncrement;
use super::super::super::read_candidate::Compared;
use crate::histogram::{Histogram, Release, SensitiveValues};

impl PreparedCase<'_> {
    /// The reasons against the history.
    pub(crate) fn past(&self) -> Vec<Finding> {
        match (&self.lineage, &self.crowds) {
            (Some(_), _) => self.misfits(),
            (None, Some(known)) => kept_labels(self, known),
            (None, None) => Vec::new(),
        }
    }

    fn misfits(&self) -> Vec<Finding> {
        let (history, older) = (self.case.history, self.case.older);
        let mut reasons = Vec::new();
        let last = history.len().checked_sub(1);
        if !last.map_or(self.case.before.rows() == 0, |last| {
            self.shown(self.case.before, last)
        }) {
            let text = "the people who count as published are not the people of the last release";
            reasons.push(Finding::new(Check::Growth, "all people so far", text));
        }
        if history.len() != older.len() {
            let text = format!(
                "{} releases were published, and there are private tables of {}",
                history.len(),
                older.len()
            );
            reasons.push(Finding::new(Check::Growth, "the chain", text));
            return reasons;
        }
        let mut so_far = Histogram::empty(self.trees.len(), 0);
        for (at, older) in older.iter().enumerate() {
            so_far = so_far.merge(&Histogram::clone(older.rows).as_one(0));
            if !self.shown(&so_far, at) {
                let place = format!("release {} of the chain", at + 1);
                reasons.push(Finding::new(
                    Check::Growth,
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

/// The reasons against the history: private tables that do not belong to the people of the
/// releases. Each release is compared separately, so that together they match the last release,
/// which contains exactly these rows.
fn kept_labels(ready: &PreparedCase<'_>, known: &Compared<'_>) -> Vec<Finding> {
    if !ready.case.policy.keeps_labels() {
        return Vec::new();
    }
    let (older, history) = (ready.case.older, &known.history);
    let of_them = |(at, older): (usize, &OlderIncrement<'_>)| {
        history.are_of(at, older.rows, &ready.case.history.values)
    };
    if older.len() == history.len() && older.iter().enumerate().all(of_them) {
        return Vec::new();
    }
    vec![Finding::new(
        Check::Growth,
        "the chain",
        "its private tables do not hold the people of its releases",
    )]
}
