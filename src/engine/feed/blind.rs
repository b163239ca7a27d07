//! A tick under `blind` (SCIENCE 4): the standing recoding decides from numbers of people who
//! waits, who is withheld and whose atoms form; this module moves the people's rows accordingly,
//! and never the reverse.
//!
//! No line of this file may look at a sensitive value.

use std::collections::BTreeSet;

use super::parts::{ClosingResult, FeedTickResult, Increment, ProposedRelease};
use super::state::Feed;
use crate::anonymizer::{
    Atom, RareRowRules, Recoder, RecodingStep, StandingRecoding, StandingState,
};
use crate::histogram::{Cell, Headcount, Histogram, Release};
use crate::model::{Cut, Leaf, Node, Taxonomy};
use crate::policy::{self, Policy};

/// The rules of the standing recoding under this policy.
pub(super) fn rules(a: u64, rare: &policy::RareRowPolicy) -> RareRowRules {
    let max_wait = u32::try_from(rare.max_wait).unwrap_or(u32::MAX);
    RareRowRules {
        a,
        max_wait,
        max_withheld: rare.max_withheld,
    }
}

impl Feed {
    /// One tick: `arrivals` are the new people of this chain.
    pub(super) fn blind(
        &mut self,
        arrivals: &Headcount,
        rare: &policy::RareRowPolicy,
        policy: &Policy,
        trees: &[&Taxonomy],
        ticked: &mut FeedTickResult,
    ) {
        assert_eq!(
            self.waiting.width(),
            trees.len(),
            "one taxonomy for each column"
        );
        let state = std::mem::replace(&mut self.standing, StandingState::new(trees.len()));
        let mut standing = StandingRecoding::resume(rules(policy.a(), rare), state)
            .with(Recoder::of(policy, trees));
        let tick = standing.tick(arrivals, ticked.tick, trees);
        self.standing = standing.into_state();
        ticked.step = tick.step;
        ticked.refusals = tick.refusals;
        ticked.levels = tick.levels;
        self.withhold(&tick.withheld);
        if !tick.atoms.is_empty() {
            ticked.added = self.form(&tick.atoms);
        }
        assert_eq!(
            self.waiting.headcount(),
            *self.standing.pool(),
            "people follow what was decided"
        );
        assert_eq!(
            self.withheld.headcount(),
            *self.standing.withheld(),
            "people follow what was decided"
        );
        ticked.closed = match tick.step {
            Some(RecodingStep::Hold) => ClosingResult::Held,
            _ if tick.atoms.is_empty()
                && self.published.is_empty()
                && self.unpublished.is_empty() =>
            {
                ClosingResult::Held
            }
            _ if tick.atoms.is_empty() => ClosingResult::Waiting,
            _ => {
                let recoding = self.standing.cut().expect("atoms formed under a recoding");
                ClosingResult::Candidate(Box::new(self.atoms_under(recoding)))
            }
        };
    }

    /// Moves the rows of people who are withheld from now on.
    fn withhold(&mut self, people: &Headcount) {
        if people.is_empty() {
            return;
        }
        let [withheld, waiting] = self.waiting.divide(|tuple, cell| has(people, tuple, cell));
        (self.withheld, self.waiting) = (self.withheld.merge(&withheld), waiting);
    }

    /// Moves the rows of people whose atoms formed; returns how many.
    pub(super) fn form(&mut self, atoms: &[Atom]) -> u64 {
        let cut = self
            .standing
            .cut()
            .expect("there are no atoms before there is a recoding")
            .clone();
        let formed: BTreeSet<&[Node]> = atoms.iter().map(|atom| atom.class.as_slice()).collect();
        let class = |tuple: &[Leaf]| -> Vec<Node> {
            cut.iter()
                .zip(tuple)
                .map(|(cut, &leaf)| cut.at(leaf))
                .collect()
        };
        let [rows, waiting] = self
            .waiting
            .divide(|tuple, _| formed.contains(class(tuple).as_slice()));
        let added = rows.rows();
        assert_eq!(
            added,
            atoms.iter().map(|atom| atom.people.rows()).sum::<u64>(),
            "atoms hold who waited"
        );
        self.waiting = waiting;
        self.unpublished.push(Increment {
            recoding: cut,
            carving: None,
            rows,
            ledger: None,
            measures: None,
        });
        added
    }

    /// The release of all people in atoms under a recoding.
    pub(super) fn atoms_under(&self, recoding: &[Cut]) -> ProposedRelease {
        assert_eq!(
            recoding.len(),
            self.waiting.width(),
            "one cut for each column"
        );
        let mut all = vec![self.whole().clone()];
        all.extend(
            self.unpublished
                .iter()
                .map(|increment| increment.as_published().as_one(0)),
        );
        let rows = Histogram::merge_all(all).expect("one at least");
        let table = Release::under(&rows, 0..1, recoding);
        ProposedRelease::of(self.releases + 1, table, rows, self.unpublished.clone())
    }

    /// Dissolves the atom of a person whose atom is not published yet: its people wait again, as of
    /// their arrival. `false` if no person of this leaf tuple and arrival is in such an atom.
    pub fn dissolve(&mut self, leaves: &[Leaf], since: u32, trees: &[&Taxonomy]) -> bool {
        assert_eq!(leaves.len(), trees.len(), "one leaf for each column");
        let holds = |increment: &Increment| {
            let [found, _] = increment
                .rows
                .divide(|tuple, cell| tuple == leaves && cell.increment == since);
            found.rows() > 0
        };
        let Some(at) = self.unpublished.iter().position(holds) else {
            return false;
        };
        let increment = &mut self.unpublished[at];
        let cut = &increment.recoding;
        let together = |tuple: &[Leaf]| {
            cut.iter()
                .zip(tuple.iter().zip(leaves))
                .all(|(cut, (&leaf, &other))| cut.at(leaf) == cut.at(other))
        };
        let [atom, rest] = increment.rows.divide(|tuple, _| together(tuple));
        self.standing.dissolve(&atom.headcount());
        self.waiting = self.waiting.merge(&atom);
        increment.rows = rest;
        if let Some(addends) = &mut increment.measures {
            // Labels are those of atoms, or of leaf tuples.
            let first = |nodes: &[Node]| -> Vec<Leaf> {
                nodes
                    .iter()
                    .zip(trees)
                    .map(|(&node, tree)| tree.leaf_range(node).start)
                    .collect()
            };
            *addends = addends.divide(|label, _| !together(&first(label)))[0].clone();
        }
        if increment.rows.rows() == 0 {
            self.unpublished.remove(at);
        }
        true
    }
}

/// Whether people of this leaf tuple and arrival are in the table; then all of them are.
fn has(people: &Headcount, tuple: &[Leaf], cell: &Cell) -> bool {
    let found = people.find(tuple);
    found.is_some_and(|at| {
        people
            .heads_of(at)
            .iter()
            .any(|heads| heads.since == cell.increment)
    })
}
