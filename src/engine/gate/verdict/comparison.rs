//! Prepares a candidate and its case for the checks: one dictionary of sensitive values, the chain
//! to be examined, and the people who must be found in it.

use super::crowd_history::{ReleaseGrowth, RemovedLabels};
use super::next_release::{NewIncrement, NextRelease};
use super::read_candidate::{Compared, ReadCandidate};
use crate::bytes::PublishedTable;
use crate::histogram::{Headcount, Histogram, Release, SensitiveValues, ValueCode};
use crate::model::Taxonomy;
use crate::policy::Guarantee;
use crate::release::PartLine;

/// A chain that ends with the candidate, and the people who must be found in it.
#[derive(Clone)]
pub(super) struct Lineage {
    /// Releases; the last one is the candidate.
    pub releases: Vec<Release>,
    /// The number of each release's recoding, in order of appearance.
    pub number: Vec<usize>,
    /// The people by the release in which they came; new people have the number of the candidate.
    pub rows: Histogram,
}

/// A case with its table read.
pub(super) struct PreparedCase<'a> {
    /// The case.
    pub case: &'a NextRelease<'a>,
    /// The trees of the quasi columns.
    pub trees: Vec<&'a Taxonomy>,
    /// The dictionary of all tables here.
    pub values: SensitiveValues,
    /// The candidate as it was read, under its recoding; if rows keep their labels only the rows
    /// that it adds.
    pub table: Release,
    /// The number of rows of each leaf tuple, if the candidate has two tables.
    pub exact: Option<Headcount>,
    /// The chain; `None` in a disjoint feed, and in a chain of crowds, whose rows keep their
    /// labels.
    pub lineage: Option<Lineage>,
    /// All people who must be in the candidate; in a chain of crowds all people who must be new in
    /// it, with the nodes of their labels in the place of leaves.
    pub people: Histogram,
    /// In a chain of crowds what was published and what is new, on the common dictionary.
    pub crowds: Option<Compared<'a>>,
    /// In a chain of crowds the private table of each new increment under the labels of its atoms,
    /// on the dictionary of that table; `None` if its atoms do not contain all of its people.
    pub atoms: Vec<Option<Release>>,
    /// The rows that the candidate adds to the table of measures, on the dictionary of that table,
    /// if it has one.
    pub measures: Option<(Release, SensitiveValues)>,
    /// The number of rows of each label that the candidate leaves out.
    pub erased: RemovedLabels,
}

impl<'a> PreparedCase<'a> {
    /// Prepares a candidate that was read.
    pub(super) fn new(candidate: ReadCandidate<'a>) -> PreparedCase<'a> {
        let ReadCandidate {
            case,
            table,
            crowds,
            measures,
            erased,
        } = candidate;
        let trees = case.columns.trees();
        let merged = |parts: Vec<Histogram>| {
            Histogram::merge_all(parts).unwrap_or_else(|| Histogram::empty(trees.len(), 0))
        };
        let PublishedTable {
            release,
            values: shown,
            exact,
        } = table;
        if let Some(compared) = crowds {
            let labelled =
                |newest: &NewIncrement<'_>| newest.rows.labelled_if_held(newest.labels, &trees);
            let labelled = case
                .newest
                .iter()
                .map(|newest| labelled(newest).map(|rows| rows.as_one(0)));
            let labelled: Vec<Option<Histogram>> = labelled.collect();
            let atoms = labelled
                .iter()
                .map(|rows| rows.as_ref().map(Release::from_own_labels))
                .collect();
            let new = merged(labelled.into_iter().flatten().collect());
            let (values, maps) = SensitiveValues::union(&[&shown, new.values()]);
            let (table, people) = (
                release.with_values(&maps[0]),
                new.with_values(&values, &maps[1]),
            );
            let growth = compared.growth.with_values(&maps[0]);
            let crowds = Some(Compared { growth, ..compared });
            return PreparedCase {
                case,
                trees,
                values,
                table,
                exact,
                lineage: None,
                people,
                crowds,
                atoms,
                measures,
                erased,
            };
        }
        let new = merged(
            case.newest
                .iter()
                .map(|newest| newest.rows.clone().as_one(0))
                .collect(),
        );
        let all_people = case.before.clone().as_one(0).merge(&new);
        let mut known = vec![
            &case.history.values,
            &shown,
            all_people.values(),
            new.values(),
        ];
        // A private table may hold values that were never published; a check has to report that.
        known.extend(case.older.iter().map(|older| older.rows.values()));
        let (values, maps) = SensitiveValues::union(&known);
        let table = release.with_values(&maps[1]);
        let people = all_people.with_values(&values, &maps[2]);
        let (crowds, atoms) = (None, Vec::new());
        let mut ready = PreparedCase {
            case,
            trees,
            values,
            table,
            exact,
            lineage: None,
            people,
            crowds,
            atoms,
            measures,
            erased,
        };
        if case.policy.guarantee() == Some(Guarantee::Bcf) {
            let new = new.with_values(&ready.values, &maps[3]);
            ready.lineage = Some(ready.line(&maps[0], new));
        }
        ready
    }

    /// The chain to be examined.
    fn line(&self, map: &[ValueCode], new: Histogram) -> Lineage {
        let history = self.case.history;
        let mut releases: Vec<Release> = history
            .releases
            .iter()
            .map(|release| release.clone().with_values(map))
            .collect();
        releases.push(self.table.clone());
        let mut recodings = history.number.clone();
        recodings.push(history.number_of(self.case.recoding));
        assert_eq!(
            releases.len(),
            recodings.len(),
            "each release has a recoding"
        );
        let newest = new.as_one(history.len() as u32);
        let older = self.case.older.iter().zip(0..);
        let older = older.map(|(older, at)| Histogram::clone(older.rows).as_one(at));
        let all = Histogram::merge_all(older.chain([newest]).collect()).expect("one at least");
        let (values, maps) = SensitiveValues::union(&[&self.values, all.values()]);
        assert!(values.len() == self.values.len(), "all values are known");
        Lineage {
            releases,
            number: renumbered(&recodings),
            rows: all.with_values(&values, &maps[1]),
        }
    }

    /// If rows keep their labels, what was published and what is new.
    pub(super) fn compared(&self) -> &Compared<'a> {
        let compared = self.crowds.as_ref();
        compared.expect("rows of this policy keep their labels")
    }

    /// If rows keep their labels, the new rows of the candidate by label, as its bytes show them.
    pub(super) fn added(&self) -> &Release {
        &self.compared().growth.added
    }

    /// These people under the labels that the release gives them.
    pub(super) fn labelled(&self, people: &Histogram) -> Release {
        match self.case.own_labels() {
            Some(labels) => Release::carved(people, 0..1, labels, &self.trees),
            None if self.table.is_local() => Release::from_own_labels(people),
            None => Release::under(people, 0..1, self.case.recoding),
        }
    }

    /// The number of rows of the smallest class; `None` if there are no classes.
    pub(super) fn smallest(&self) -> Option<u64> {
        match &self.crowds {
            Some(crowds) => crowds.growth.sums.smallest(),
            None => self.table.smallest().map(|(rows, _)| rows),
        }
    }

    /// The number of rows of a class, over all releases.
    pub(super) fn size(&self, class: usize) -> u64 {
        let before = |crowds: &Compared<'_>| crowds.history.size_of(self.table.class(class));
        self.table.size(class) + self.crowds.as_ref().map_or(0, before)
    }

    /// What was read, and the results of comparing it.
    pub(super) fn into_found(self) -> ComparedCandidate {
        let table = PublishedTable {
            release: self.table,
            values: self.values,
            exact: self.exact,
        };
        assert!(
            self.crowds.is_none() || self.lineage.is_none(),
            "a release is checked by one of them"
        );
        let (growth, kept) = self
            .crowds
            .map(|crowds| (crowds.growth, crowds.kept))
            .unzip();
        ComparedCandidate {
            table,
            growth,
            measures: self.measures,
            kept: kept.unwrap_or_default(),
            erased: self.erased,
        }
    }

    /// A class of the candidate in words.
    pub(super) fn class(&self, class: usize) -> String {
        self.table.describe(class, self.case.columns)
    }
}

/// What was read of a candidate, and the results of comparing it.
pub(super) struct ComparedCandidate {
    /// The table; in a chain of crowds only its new rows.
    pub table: PublishedTable,
    /// In a chain of crowds what the candidate adds.
    pub growth: Option<ReleaseGrowth>,
    /// The rows that it adds to the table of measures, if the feed has measures.
    pub measures: Option<(Release, SensitiveValues)>,
    /// Published files that belong to it as well.
    pub kept: Vec<PartLine>,
    /// The number of rows of each label that it leaves out.
    pub erased: RemovedLabels,
}

/// Renumbers in order of appearance.
fn renumbered(of: &[usize]) -> Vec<usize> {
    let mut known: Vec<usize> = Vec::new();
    let number = |&old: &usize| {
        known
            .iter()
            .position(|&seen| seen == old)
            .unwrap_or_else(|| {
                known.push(old);
                known.len() - 1
            })
    };
    let numbers: Vec<usize> = of.iter().map(number).collect();
    assert!(
        numbers.iter().enumerate().all(|(at, &number)| number <= at),
        "numbers are given in order"
    );
    numbers
}
