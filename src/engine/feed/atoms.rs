//! A tick of a chain whose people are published in atoms, which keep their labels for ever (SCIENCE 4
//! and 11). Halving divides the waiting people when it is due; a standing recoding, found by the
//! first tick with enough people, makes an atom of each of its classes in which enough people wait.
//! A release consists of the previous one, without atoms that were erased since, and the rows of
//! unpublished atoms; in a disjoint chain it consists of the latter alone.
//!
//! No line of this file may look at a sensitive value.

use super::parts::{ClosingResult, FeedTickResult, Increment, ProposedRelease};
use super::state::Feed;
use crate::anonymizer::{
    Effort, HalvingTicks, Recoder, RecodingStep, Region, crowds, full_classes,
};
use crate::histogram::Histogram;
use crate::model::{Carving, Leaf, Node, Recoding, Taxonomy};
use crate::policy::{Certain, Policy};
use crate::safeguards::mask::Draws;

impl Feed {
    /// Whether the next tick halves: it is due, and the waiting and new people
    /// are enough for an atom.
    pub fn halves(&self, every: u64, policy: &Policy) -> bool {
        let people = self.waiting.rows() + self.new_rows();
        let mut turns = self.turns;
        people >= policy.a()
            && turns
                .tick(people, policy.a(), &Certain::CROWDS, every)
                .is_some()
    }

    /// The ticks that halve, after the next one.
    pub fn turns_behind(&self, policy: &Policy) -> HalvingTicks {
        let mut turns = self.turns;
        if let Some(every) = policy.publish_every() {
            let people = self.waiting.rows() + self.new_rows();
            turns.tick(people, policy.a(), &Certain::CROWDS, every);
        }
        turns
    }

    /// The ticks that halve.
    pub fn turns(&self) -> HalvingTicks {
        self.turns
    }

    /// Forms the atoms of this tick, and the release with them.
    pub(super) fn atoms(
        &mut self,
        policy: &Policy,
        trees: &[&Taxonomy],
        draws: &mut dyn Draws,
        ticked: &mut FeedTickResult,
    ) -> ClosingResult {
        assert_eq!(
            self.waiting.width(),
            trees.len(),
            "one taxonomy for each column"
        );
        let forms = match policy.publish_every() {
            Some(every) => {
                let people = self.waiting.rows();
                let turn = self.turns.tick(people, policy.a(), &Certain::CROWDS, every);
                turn.is_some_and(|certain| self.halve(certain, policy, trees, draws))
            }
            None => self.fill_classes(policy, trees, ticked),
        };
        if forms || self.owes_release() {
            ClosingResult::Candidate(Box::new(self.in_crowds(trees)))
        } else if self.published.is_empty() && self.standing.is_none() {
            ClosingResult::Held
        } else {
            ClosingResult::Waiting
        }
    }

    /// Forms an atom of each class of the standing recoding in which enough people wait; the first
    /// tick with enough people for a class finds the recoding. Returns whether atoms formed.
    fn fill_classes(
        &mut self,
        policy: &Policy,
        trees: &[&Taxonomy],
        ticked: &mut FeedTickResult,
    ) -> bool {
        let people = self.waiting.headcount();
        if self.standing.is_none() {
            let Some(found) = Recoder::of(policy, trees).find(&people, trees) else {
                ticked.step = Some(RecodingStep::Hold);
                return false;
            };
            ticked.step = Some(RecodingStep::First);
            ticked.refusals = found.refusals;
            ticked.levels = found.levels;
            self.standing = Some(found.course);
        }
        let standing = self.standing.as_ref().expect("it was found");
        let labels = full_classes(&people, standing.cut(), policy.a());
        if labels.is_empty() {
            return false;
        }
        self.form_carved(self.standing_cut(), Carving::new(labels), trees);
        true
    }

    /// The standing recoding; without columns if there is none.
    pub(super) fn standing_cut(&self) -> Recoding {
        self.standing
            .as_ref()
            .map_or_else(Recoding::new, |standing| standing.cut().clone())
    }

    /// Halves the waiting people. Returns whether atoms formed.
    fn halve(
        &mut self,
        certain: u64,
        policy: &Policy,
        trees: &[&Taxonomy],
        draws: &mut dyn Draws,
    ) -> bool {
        assert_eq!(
            self.waiting.width(),
            trees.len(),
            "one taxonomy for each column"
        );
        let division = policy.division(trees).expect("the feed file was checked");
        let effort = Effort {
            certain,
            refusals: policy.refusals(),
        };
        // One coin in four refuses the split.
        let halved = crowds(&self.waiting.headcount(), &division, effort, &mut || {
            draws.below(4) > 0
        });
        if halved.classes.is_empty() {
            return false;
        }
        let labels = halved
            .classes
            .into_iter()
            .map(|Region { nodes, .. }| nodes)
            .collect();
        self.form_carved(Recoding::new(), Carving::new(labels), trees);
        true
    }

    /// The release of all people in atoms: new people are added to those of the last release, whose
    /// rows are not read.
    pub(super) fn in_crowds(&self, trees: &[&Taxonomy]) -> ProposedRelease {
        assert_eq!(
            self.waiting.width(),
            trees.len(),
            "one taxonomy for each column"
        );
        let new: Vec<Histogram> = self
            .unpublished
            .iter()
            .map(|increment| increment.labelled(trees))
            .collect();
        let rows = self.whole.and(new.iter().cloned());
        let (release, atoms) = (self.releases() + 1, self.unpublished.clone());
        ProposedRelease::of_labels(release, self.standing_cut(), (rows, new), atoms)
    }

    /// The rows that some releases of this chain added, by the number of the release, with the
    /// nodes of their labels in the place of leaves, without atoms that were erased since.
    pub fn rows_of(&self, releases: std::ops::RangeInclusive<u32>) -> Histogram {
        assert!(!releases.is_empty(), "releases in their order");
        let held = self
            .published
            .iter()
            .filter(|published| releases.contains(&published.release));
        let rows =
            held.map(|published| Histogram::clone(&published.rows).as_one(published.release));
        Histogram::merge_all(rows.collect())
            .unwrap_or_else(|| Histogram::empty(self.waiting.width(), 0))
    }

    /// The aggregates of the measures of these rows, one row for each label and release.
    pub fn measures_of(&self, releases: std::ops::RangeInclusive<u32>) -> Option<Histogram> {
        assert!(!releases.is_empty(), "releases in their order");
        let held = self
            .published
            .iter()
            .filter(|published| releases.contains(&published.release));
        let tables =
            held.filter_map(|published| Some((published.release, published.measures.as_deref()?)));
        Histogram::merge_all(
            tables
                .map(|(release, table)| table.clone().as_one(release))
                .collect(),
        )
    }

    /// Sets the aggregates of the measures of the people whose atoms the last tick formed; in
    /// policies without atoms, of the people who are published with it. Candidates that are built
    /// from now on contain them.
    pub fn measured(&mut self, measures: Histogram) {
        let formed = self
            .unpublished
            .last_mut()
            .map(|increment| &mut increment.measures);
        let slot = self
            .alone
            .as_mut()
            .map(|alone| &mut alone.measures)
            .or(formed);
        slot.into_iter()
            .for_each(|slot| *slot = Some(measures.clone()));
    }

    /// Dissolves the unpublished atom of a person: its people wait again, as of their arrival.
    /// `false` if no person of this leaf tuple and arrival is in such an atom.
    pub(super) fn dissolve_crowd(
        &mut self,
        leaves: &[Leaf],
        since: u32,
        trees: &[&Taxonomy],
    ) -> bool {
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
        let carving = increment
            .carving
            .take()
            .expect("classes have labels of their own");
        let finder = carving.finder(trees);
        let class = |tuple: &[Leaf]| finder.class(tuple).map(|(class, _)| class);
        let gone = class(leaves);
        let [atom, rest] = increment.rows.divide(|tuple, _| class(tuple) == gone);
        increment.carving = Some(carving.without(|class| Some(class) == gone));
        increment.rows = rest;
        let label = gone.map(|gone| carving.classes()[gone].clone());
        if let Some(measures) = &mut increment.measures {
            *measures = measures.divide(|tuple, _| Some(tuple) != label.as_deref())[0].clone();
        }
        if increment.rows.rows() == 0 {
            self.unpublished.remove(at);
        }
        self.waiting = self.waiting.merge(&atom);
        true
    }
}

impl Increment {
    /// The rows as they are published, with the nodes of their labels in the place of leaves. This
    /// is also the form of rows of which nothing else is kept.
    pub fn labelled(&self, trees: &[&Taxonomy]) -> Histogram {
        let masked = self
            .ledger
            .as_ref()
            .map(|ledger| ledger.applied(&self.rows));
        let masked = masked.as_ref().unwrap_or(&self.rows);
        let labelled = self
            .carving
            .as_ref()
            .map_or_else(|| masked.clone(), |carving| masked.labelled(carving, trees));
        labelled.as_one(0)
    }

    /// The labels of the increment's atoms.
    pub fn labels(&self) -> &[Vec<Node>] {
        self.carving.as_ref().map_or(&[], Carving::classes)
    }
}
