//! A chain in memory, as `anonymize` runs it in a folder: people are added tick by tick, the feed
//! proposes, the public files are written, the gate checks them, and approved releases become
//! history. An [`Offer`] contains everything that the gate receives for one release, so that a test
//! can falsify any part of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use tidegate::engine::feed::{ClosingResult, Feed, FeedTickResult, Ledger, ProposedRelease, mask};
use tidegate::engine::gate::bytes::read_part;
use tidegate::engine::gate::verdict::{
    Approved, ErasedAtom, History, JudgedTable, NewIncrement, NextRelease, OlderIncrement, Verdict,
    judge,
};
use tidegate::engine::histogram::{Cell, CodedRows, Histogram, Person, Release, SensitiveValues};
use tidegate::engine::model::{Carving, Columns, Leaf, Node, Recoding, Role, Value};
use tidegate::engine::policy::{ChainKind, ColumnFacts as Known, Policy, PolicySettings};
use tidegate::engine::release::{
    Manifest, PartLine, ReleaseFacts, ReleasePages, ReleaseSpan, Sha256, Tables, rewritten,
};
use tidegate::engine::safeguards::mask::Draws;

use super::random::Draw;

/// A person's row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Human {
    pub number: u128,
    pub leaves: Vec<Leaf>,
    pub values: Vec<Value>,
}

/// Rows as a source delivers them.
pub fn arrivals(columns: &Columns, people: &[Human]) -> CodedRows {
    let mut distinct: Vec<Box<[Value]>> = people
        .iter()
        .map(|human| human.values.as_slice().into())
        .collect();
    distinct.sort();
    distinct.dedup();
    let code = |human: &Human| {
        distinct
            .binary_search(&human.values.as_slice().into())
            .expect("a tuple") as u32
    };
    let codes = people.iter().map(code).collect();
    let quasi = columns.of(Role::Quasi).count();
    let leaves = (0..quasi)
        .map(|at| people.iter().map(|human| human.leaves[at]).collect())
        .collect();
    let (values, _) = SensitiveValues::from_distinct(columns.of(Role::Sensitive).count(), distinct);
    CodedRows::new(
        leaves,
        values,
        codes,
        Some(people.iter().map(|human| Person(human.number)).collect()),
    )
}

/// A policy from its written form.
pub fn policy(written: &PolicySettings, kind: ChainKind) -> Policy {
    let known = Known {
        sensitive: 1,
        ..Known::default()
    };
    Policy::new(written, kind, &known).expect("no contradiction")
}

/// A running feed.
#[derive(Clone)]
pub struct Chain {
    pub columns: Columns,
    pub policy: Policy,
    pub feed: Feed,
    pub history: History,
    /// The releases as the gate read them, with their recodings.
    pub tables: Vec<(Release, SensitiveValues)>,
    previous: Option<Sha256>,
    /// All published files, and the newest manifest.
    pub files: BTreeMap<String, Vec<u8>>,
    pub manifest: Option<Manifest>,
    /// Atoms that the next release leaves out.
    pub erased: Vec<ErasedAtom>,
    /// The source of random draws.
    pub chance: Chance,
}

/// Random draws of a test.
#[derive(Clone)]
pub struct Chance(pub Draw);

impl Draws for Chance {
    fn below(&mut self, n: u64) -> u64 {
        self.0.between(0, n - 1)
    }
}

impl Chain {
    pub fn new(columns: Columns, policy: Policy) -> Chain {
        let (feed, chance) = (Feed::new(&columns), Chance(Draw::new(1, 1)));
        let (history, tables, previous, erased) =
            (History::default(), Vec::new(), None, Vec::new());
        let (files, manifest) = (BTreeMap::new(), None);
        Chain {
            columns,
            policy,
            feed,
            history,
            tables,
            previous,
            files,
            manifest,
            erased,
            chance,
        }
    }

    /// Removes the rows of a label that were added in a release, both counted from 0, from all
    /// later releases. Returns their number.
    pub fn erase_rows(&mut self, release: usize, label: Vec<Node>) -> u64 {
        let number = self.feed.published()[release].release;
        let rows = self.feed.erase_rows(number, &label);
        self.erased.push(ErasedAtom { release, label });
        rows
    }

    /// Adds people; the result is not published yet.
    pub fn tick(&mut self, people: &[Human]) -> FeedTickResult {
        self.tick_of_rows(arrivals(&self.columns, people))
    }

    /// The same with their rows.
    pub fn tick_of_rows(&mut self, rows: CodedRows) -> FeedTickResult {
        let trees = self.columns.trees();
        let (rows, repeats) = self.feed.accept(rows, &self.policy);
        self.feed.arrive(rows, self.feed.ticks());
        let mut ticked = self.feed.close(&self.policy, &trees, &mut self.chance);
        ticked.duplicate = repeats.len() as u64;
        let ledger = mask(&self.feed, &self.policy, &self.columns, &mut self.chance);
        if let Some(ledger) = ledger.unwrap_or_else(|_| Some(Ledger::default())) {
            self.feed.masked(ledger);
            if let ClosingResult::Candidate(candidate) = &mut ticked.closed {
                **candidate = self.feed.propose(&self.policy, &trees);
            }
        }
        ticked
    }

    /// Adds people, and expects a release.
    pub fn proposed(&mut self, people: &[Human]) -> ProposedRelease {
        match self.tick(people).closed {
            ClosingResult::Candidate(candidate) => *candidate,
            other => panic!("no candidate: {other:?}"),
        }
    }

    /// The tables of a candidate; if the table grows, the new parts: new rows, and earlier files
    /// that lose rows or are merged.
    pub fn tables_of(&self, candidate: &ProposedRelease) -> Tables {
        let exact = candidate.exact(self.policy.output());
        if !self.policy.has_atoms() {
            return Tables::of(
                candidate.table(),
                candidate.rows().values(),
                exact.as_ref(),
                &self.columns,
            );
        }
        let first = candidate.release - self.history.len() as u32;
        let lost = |span: ReleaseSpan| {
            self.erased
                .iter()
                .any(|atom| span.holds(first + atom.release as u32))
        };
        let spans = rewritten(&self.history.parts(), lost, (|_| 0, 0));
        let earlier = spans
            .into_iter()
            .map(|span| (span, self.feed.rows_of(span.first..=span.last)));
        let new = (ReleaseSpan::of(candidate.release), candidate.new_rows());
        Tables::parts(&earlier.chain([new]).collect::<Vec<_>>(), &self.columns)
    }

    /// Everything that the gate receives for a candidate.
    pub fn offer(&self, candidate: &ProposedRelease) -> Offer {
        let tables = self.tables_of(candidate);
        let older = self.feed.published().iter();
        let newest = candidate.increments.iter();
        let values = candidate.rows().values().clone();
        Offer {
            columns: self.columns.clone(),
            policy: self.policy.clone(),
            recoding: candidate.recoding.clone(),
            history: self.history.clone(),
            erased: self.erased.clone(),
            before: self.feed.whole().clone(),
            older: older.map(|older| older.rows.clone()).collect(),
            newest: newest
                .map(|new| (new.labels.clone().expect("labels"), new.as_published()))
                .collect(),
            raw: candidate
                .increments
                .iter()
                .map(|new| new.ledger.as_ref().map(|_| new.rows.clone()))
                .collect(),
            new: candidate.new_rows(),
            tables,
            table: candidate.table().clone(),
            values,
            chain: self.feed.chain(),
            release: candidate.release,
            previous: self.previous,
            numbers: Vec::new(),
        }
    }

    /// Adds an approved release to the history.
    pub fn publish(&mut self, candidate: ProposedRelease, approved: Approved) {
        let recoding = candidate.recoding.clone();
        let whole = (candidate.table().clone(), candidate.rows().values().clone());
        self.feed.publish(candidate, &self.policy);
        self.previous = Some(Sha256::of(approved.manifest()));
        self.manifest = Some(Manifest::parse(approved.manifest()).expect("a manifest"));
        self.files.extend(approved.files().iter().cloned());
        self.tables.push(match self.policy.has_atoms() {
            true => whole,
            false => (
                approved.table().release.clone(),
                approved.table().values.clone(),
            ),
        });
        // Disjoint releases have no history, since their people are others.
        if self.policy.kind() == ChainKind::Cumulative {
            assert!(
                self.history.erase(&std::mem::take(&mut self.erased)),
                "the gate has looked for them"
            );
            approved
                .enter(&mut self.history, &recoding)
                .expect("the gate has checked the labels");
        }
    }

    /// The rows of the newest release of a chain of crowds, as a reader of the files in its
    /// manifest sees them.
    pub fn shown(&self) -> Histogram {
        let manifest = self.manifest.as_ref().expect("a release");
        let parts = manifest
            .files
            .iter()
            .filter(|file| file.rows.is_some())
            .map(|file| {
                let bytes = &self.files[&file.path];
                let (part, leaks) = read_part(bytes, &self.columns, 1);
                assert!(
                    leaks.is_empty() && Sha256::of(bytes) == file.sha256,
                    "{leaks:?}"
                );
                let rows = part.expect("a part").counts;
                assert_eq!(Some(rows.rows()), file.rows);
                rows
            });
        let rows = Histogram::merge_all(parts.collect()).expect("a part");
        assert_eq!(rows.rows(), manifest.rows);
        rows
    }

    /// Adds people, and publishes the release if the gate approves it.
    pub fn release(&mut self, people: &[Human]) {
        let candidate = self.proposed(people);
        let approved = self
            .offer(&candidate)
            .decided(|_| ())
            .expect("a good release");
        self.publish(candidate, approved);
    }
}

/// Equal rows of a chain of crowds: their label, and their value and number, in the release that
/// added them.
pub type Grown = (Vec<Node>, Cell);

/// Everything that the gate receives for one release.
#[derive(Clone)]
pub struct Offer {
    pub columns: Columns,
    pub policy: Policy,
    pub recoding: Recoding,
    pub history: History,
    pub erased: Vec<ErasedAtom>,
    pub before: Histogram,
    pub older: Vec<Arc<Histogram>>,
    /// The new people with the labels of their atoms, increment by increment.
    pub newest: Vec<(Carving, Histogram)>,
    /// The unmasked rows, if values are masked.
    pub raw: Vec<Option<Histogram>>,
    /// The bytes that are checked.
    pub tables: Tables,
    /// The new people, in a chain of crowds.
    pub new: Histogram,
    pub table: Release,
    pub values: SensitiveValues,
    pub chain: u32,
    pub release: u32,
    pub previous: Option<Sha256>,
    /// The new people with the numbers of their measures, increment by increment, if there are
    /// measures.
    pub numbers: Vec<CodedRows>,
}

impl Offer {
    /// The table alone.
    pub fn judged(&self) -> JudgedTable {
        let older = self.older.iter().map(|rows| OlderIncrement { rows });
        let newest = self.newest.iter().enumerate();
        let raw = |at: usize| self.raw.get(at).and_then(Option::as_ref);
        let newest = newest.map(|(at, (labels, rows))| NewIncrement {
            labels,
            rows,
            raw: raw(at),
            numbers: self.numbers.get(at),
        });
        let case = NextRelease {
            policy: &self.policy,
            columns: &self.columns,
            release: self.release,
            recoding: &self.recoding,
            learnt: None,
            history: &self.history,
            erased: &self.erased,
            before: &self.before,
            older: &older.collect::<Vec<_>>(),
            newest: &newest.collect::<Vec<_>>(),
        };
        judge(&case, self.tables.clone())
    }

    /// The same, with all rows of a chain of crowds written again after a change.
    #[must_use]
    pub fn with_rows(&self, change: impl FnOnce(&mut Vec<Grown>, &SensitiveValues)) -> Offer {
        let first = self.release - self.older.len() as u32;
        let older = self
            .older
            .iter()
            .zip(first..)
            .map(|(rows, release)| Histogram::clone(rows).as_one(release));
        let all =
            Histogram::merge_all(older.chain([self.new.clone()]).collect()).expect("one at least");
        let mut rows: Vec<Grown> = Vec::new();
        for tuple in 0..all.tuples() {
            let label: Vec<Node> = all.tuple_at(tuple).collect();
            rows.extend(
                all.cells_of(tuple)
                    .iter()
                    .map(|&cell| (label.clone(), cell)),
            );
        }
        change(&mut rows, all.values());
        let part = |span: ReleaseSpan| {
            let rows: Vec<&Grown> = rows
                .iter()
                .filter(|(_, cell)| cell.count > 0 && span.holds(cell.increment))
                .collect();
            let column = |at: usize| rows.iter().map(|(label, _)| label[at]).collect();
            let columns: Vec<Vec<Node>> = (0..self.new.width()).map(column).collect();
            let cells: Vec<Cell> = rows.iter().map(|(_, cell)| *cell).collect();
            (
                span,
                Histogram::of_counts(&columns, all.values().clone(), &cells),
            )
        };
        let earlier = (first < self.release).then(|| ReleaseSpan {
            first,
            last: self.release - 1,
        });
        let parts: Vec<_> = earlier
            .into_iter()
            .chain([ReleaseSpan::of(self.release)])
            .map(part)
            .collect();
        Offer {
            tables: Tables::parts(&parts, &self.columns),
            ..self.clone()
        }
    }

    /// The bytes of the one table, or of the only part.
    pub fn data(&self) -> &[u8] {
        self.tables.iter().next().expect("a table")
    }

    /// The same, to be changed.
    pub fn data_mut(&mut self) -> &mut Vec<u8> {
        let parts = &mut self.tables.0;
        let grows = parts.iter().all(|part| part.span.is_some());
        let at = if grows { parts.len() - 1 } else { 0 };
        &mut parts[at].bytes
    }

    /// The one of two tables with the sensitive columns, to be changed.
    pub fn sensitive_mut(&mut self) -> &mut Vec<u8> {
        &mut self.tables.0[1].bytes
    }

    pub fn facts(&self) -> ReleaseFacts<'_> {
        ReleaseFacts {
            feed: "admissions",
            chain: self.chain,
            time: "2026-11-21T10:00:00Z",
            signed: false,
            decision: None,
            previous: self.previous,
            layout: tidegate::engine::release::Layout::Folders,
            presentation: tidegate::engine::release::Presentation::default(),
        }
    }

    /// The files that are published with the table, as they follow from the checked table.
    pub fn pages(&self, judged: &JudgedTable) -> Option<ReleasePages> {
        let lines = judged.lines();
        Some(ReleasePages::of(
            &self.facts(),
            &judged.terms(&lines),
            &judged.overview()?,
            &self.tables,
        ))
    }

    /// The whole decision; `spoil` can change the files that are published with the table.
    pub fn decided(&self, spoil: impl FnOnce(&mut ReleasePages)) -> Result<Approved, Verdict> {
        let judged = self.judged();
        let Some(mut pages) = self.pages(&judged) else {
            return Err(judged.verdict().clone());
        };
        spoil(&mut pages);
        judged.approve(&self.facts(), pages)
    }
}
