//! The state of a feed and its ticks (SCIENCE 3 and 4): what all feeds have in common. The
//! decisions of the kinds of ticks are in files of their own.
//!
//! Nothing here approves anything.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::arrivals::Arrivals;
use super::parts::{ClosingResult, FeedTickResult, Increment, ProposedRelease, PublishedGroup};
use super::people::People;
use super::people_parts::PeopleInParts;
use crate::histogram::{CodedRows, Histogram, Person};
use crate::label::{
    Course, HiddenSums, LabellerMemory, NewAtoms, NoRelease, PrivateRows, RecodingStep,
    RowsBeforeTick, WaitingPeople, labeller,
};
use crate::measures::{PersonNumbers, SumSuppression};
use crate::model::{Columns, Leaf, Role, Taxonomy};
use crate::policy::{ChainKind, LabellerName, OnRepeat, Policy};
use crate::safeguards::mask::Draws;

/// Everything that the next tick depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Feed {
    pub(super) chain: u32,
    pub(super) ticks: u32,
    pub(super) releases: u32,
    pub(super) people: People,
    /// The numbers of quasi and of sensitive columns.
    pub(super) columns: (usize, usize),
    /// The rows that came since the last closed tick. Neither these nor those that wait are in a
    /// checkpoint: they are read from the objects of the log.
    #[serde(skip)]
    pub(super) new: Arrivals,
    /// The rows that wait.
    #[serde(skip)]
    pub(super) waiting: Arrivals,
    /// What the labeller remembers of earlier ticks.
    pub(super) memory: LabellerMemory,
    pub(super) unpublished: Vec<Increment>,
    pub(super) published: Vec<PublishedGroup>,
    /// All people in the newest release of the chain, without increments. If people are published
    /// in atoms, the nodes of their labels are in the place of leaves, here and in `published`.
    pub(super) whole: PeopleInParts,
    pub(super) stopped: bool,
    /// Published rows were removed, and the newest release still contains them.
    pub(super) rows_left: bool,
    /// The next tick makes a release, whether it has new people or not.
    #[serde(skip)]
    pub(super) is_due: bool,
}

impl Feed {
    /// A feed that begins.
    pub fn new(columns: &Columns) -> Feed {
        let (quasi, sensitive) = (
            columns.of(Role::Quasi).count(),
            columns.of(Role::Sensitive).count(),
        );
        Feed {
            chain: 1,
            ticks: 0,
            releases: 0,
            people: People::default(),
            columns: (quasi, sensitive),
            new: Arrivals::default(),
            waiting: Arrivals::default(),
            memory: LabellerMemory::default(),
            unpublished: Vec::new(),
            published: Vec::new(),
            whole: Histogram::empty(quasi, sensitive).into(),
            stopped: false,
            rows_left: false,
            is_due: false,
        }
    }

    /// The number of the chain, from 1.
    pub fn chain(&self) -> u32 {
        self.chain
    }

    /// The number of ticks so far.
    pub fn ticks(&self) -> u32 {
        self.ticks
    }

    /// The number of releases so far, over all chains.
    pub fn releases(&self) -> u32 {
        self.releases
    }

    /// The rows that wait.
    pub fn waiting(&self) -> &Arrivals {
        &self.waiting
    }

    /// The rows that wait, as counts.
    pub fn waiting_counts(&self) -> Histogram {
        let none = || Histogram::empty(self.columns.0, self.columns.1);
        self.waiting.histogram().unwrap_or_else(none)
    }

    /// All rows that are not published.
    pub fn unpublished_rows(&self) -> impl Iterator<Item = &Arrivals> {
        let formed = self.unpublished.iter().map(|formed| &formed.people);
        [&self.waiting, &self.new].into_iter().chain(formed)
    }

    /// The recoding of all ticks; `None` until it is found, and with other labellers.
    pub fn standing(&self) -> Option<&Course> {
        self.memory.recoding()
    }

    /// What the labeller remembers of earlier ticks.
    pub fn memory(&self) -> &LabellerMemory {
        &self.memory
    }

    /// Whether the next tick labels people; the schedule lets a tick pass with fewer than `least`
    /// new rows.
    pub fn is_due(&self, policy: &Policy, least: u64) -> bool {
        labeller(policy.labeller()).is_due(self.rows_before_tick(least), &self.memory, policy)
    }

    /// What the labeller remembers after the next tick, if it passes.
    pub fn memory_after_passing(&self, policy: &Policy) -> LabellerMemory {
        labeller(policy.labeller()).after_passing(self.rows_before_tick(0), &self.memory, policy)
    }

    fn rows_before_tick(&self, least: u64) -> RowsBeforeTick {
        RowsBeforeTick {
            new: self.new_rows(),
            waiting: self.waiting.rows(),
            least,
        }
    }

    /// Atoms that are not published yet, oldest first.
    pub fn unpublished(&self) -> &[Increment] {
        &self.unpublished
    }

    /// The people who were first published in each release of this chain.
    pub fn published(&self) -> &[PublishedGroup] {
        &self.published
    }

    /// All people in the newest release of the chain, as far as they are stored separately.
    pub fn whole(&self) -> &Histogram {
        self.whole.get()
    }

    /// Whether a check that reads sensitive values failed in this chain.
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    /// The number of rows that wait for a release although their atoms have formed.
    pub fn pending(&self) -> u64 {
        self.unpublished
            .iter()
            .map(|increment| increment.rows.rows())
            .sum()
    }

    /// One tick of the schedule, for searches without random draws: these rows arrive, and the next
    /// release is built.
    ///
    /// # Panics
    /// If the search of the policy needs random draws.
    pub fn tick(
        &mut self,
        rows: CodedRows,
        policy: &Policy,
        trees: &[&Taxonomy],
    ) -> FeedTickResult {
        assert_eq!(self.columns.0, trees.len(), "one taxonomy for each column");
        let (rows, repeats) = self.accept(rows, policy);
        self.arrive(rows, self.ticks);
        FeedTickResult {
            duplicate: repeats.len() as u64,
            ..self.close(policy, trees, &mut NoDraws)
        }
    }

    /// The rows of new people, who are known from now on, and the indices of the rows of people who
    /// were known before.
    pub fn accept(&mut self, rows: CodedRows, policy: &Policy) -> (CodedRows, Vec<u32>) {
        let Some(people) = rows
            .people()
            .filter(|_| policy.on_repeat() != OnRepeat::None)
        else {
            return (rows, Vec::new());
        };
        let new = self.people.accept_all(people);
        let repeats: Vec<u32> = (0..)
            .zip(&new)
            .filter_map(|(row, new)| (!new).then_some(row))
            .collect();
        assert!(
            repeats.is_sorted_by(|one, next| one < next),
            "places ascend"
        );
        if repeats.is_empty() {
            (rows, repeats)
        } else {
            (rows.only(|row| new[row]), repeats)
        }
    }

    /// Adds accepted rows, before the tick `since`; the next tick that is closed takes them in.
    pub fn arrive(&mut self, rows: CodedRows, since: u32) {
        assert_eq!(rows.width(), self.columns.0, "rows of this feed");
        self.new.add(since, rows);
    }

    /// All people who were accepted and not erased.
    pub fn people(&self) -> &People {
        &self.people
    }

    /// Adds people who were accepted earlier.
    pub fn known(&mut self, people: impl IntoIterator<Item = Person>) {
        _ = self
            .people
            .accept_all(&people.into_iter().collect::<Vec<_>>());
    }

    /// The number of rows that came since the last closed tick.
    pub fn new_rows(&self) -> u64 {
        self.new.rows()
    }

    /// A tick of the schedule passes without being closed: the people who came before it have
    /// waited one tick more. It still counts for halving; this is what the labeller remembers
    /// after it.
    pub fn skipped(&mut self, memory: LabellerMemory) {
        self.ticks += 1;
        self.memory = memory;
    }

    /// Closes a tick (SCIENCE 10): the people who came wait, the labeller says who of them form
    /// atoms under which labels, and the atoms that are not published make the next release. No
    /// reader may be able to predict the numbers of `draws`.
    pub fn close(
        &mut self,
        policy: &Policy,
        trees: &[&Taxonomy],
        draws: &mut dyn Draws,
    ) -> FeedTickResult {
        assert_eq!(self.columns.0, trees.len(), "one taxonomy for each column");
        let mut ticked = FeedTickResult::of(self.ticks);
        self.ticks += 1;
        self.waiting.append(std::mem::take(&mut self.new));
        if self.stopped {
            return ticked;
        }
        if policy.waits_again() {
            self.again();
        }
        let here = self.waiting.rows() + self.pending();
        let had_recoding = self.standing().is_some();
        let people = self.waiting_counts();
        let labelled = self.label(&people, policy, trees, draws);
        if policy.has_standing_recoding() && !had_recoding {
            ticked.step = Some(match self.standing() {
                Some(_) => RecodingStep::First,
                None => RecodingStep::Hold,
            });
        }
        let forms = match labelled {
            Err(reason) => {
                ticked.closed = ClosingResult::Impossible(reason);
                return ticked;
            }
            Ok(None) => false,
            Ok(Some(atoms)) => {
                ticked.refusals = atoms.refusals;
                ticked.levels = atoms.levels;
                // Unpublished atoms of earlier ticks are published together with these.
                ticked.added = self.form(&people, atoms.course, atoms.labels, policy, trees);
                true
            }
        };
        ticked.closed = if forms || self.owes_release() {
            ClosingResult::Candidate(Box::new(self.propose(policy, trees)))
        } else if self.is_held(policy) {
            ClosingResult::Held
        } else {
            ClosingResult::Waiting
        };
        assert_eq!(
            self.waiting.rows() + self.pending(),
            here,
            "a tick loses no person"
        );
        ticked
    }

    /// Asks the labeller about the people who wait.
    fn label(
        &mut self,
        people: &Histogram,
        policy: &Policy,
        trees: &[&Taxonomy],
        draws: &mut dyn Draws,
    ) -> Result<Option<NewAtoms>, NoRelease> {
        let groups_sums = policy.in_force().dominance_safe == Some(true);
        let numbers = groups_sums.then(|| {
            let mut numbers = PersonNumbers::new(SumSuppression::of(policy));
            self.waiting.iter().for_each(|(_, rows)| numbers.add(rows));
            numbers
        });
        let hidden = numbers
            .as_ref()
            .map(|numbers| |tuples: &[Vec<Leaf>]| numbers.are_hidden(tuples));
        let published = self.published.iter();
        let published = published.map(|of| (&*of.rows, &of.recoding[..])).collect();
        let waiting = WaitingPeople {
            people: people.headcount(),
            policy,
            trees,
            hidden_sums: hidden.as_ref().map(|hidden| hidden as HiddenSums<'_>),
            private: PrivateRows::new(people, self.whole.get(), published),
        };
        // One coin in four refuses a division.
        let mut coin = || draws.below(4) > 0;
        labeller(policy.labeller()).label(&waiting, &mut self.memory, &mut coin)
    }

    /// Whether a tick that forms nothing is the beginning of a chain, or, under `bcf`, has too few
    /// new rows.
    fn is_held(&self, policy: &Policy) -> bool {
        let begins = self.published.is_empty() && self.standing().is_none();
        begins || policy.labeller() == LabellerName::Bcf
    }

    /// Records that the candidate was approved and is published.
    ///
    /// # Panics
    /// If it is not the candidate of the last tick.
    pub fn publish(&mut self, mut candidate: ProposedRelease, policy: &Policy) {
        assert_eq!(
            candidate.release,
            self.releases + 1,
            "releases are published in order"
        );
        self.releases = candidate.release;
        self.rows_left = false;
        let recoding = candidate.recoding.clone();
        let measures = candidate.measures();
        let new = if policy.has_atoms() {
            std::mem::take(&mut candidate.new)
        } else {
            let increments = candidate.increments.iter();
            increments.map(Increment::as_published).collect()
        };
        // A release that only omits rows has no increment.
        let none = || Histogram::empty(self.columns.0, self.columns.1);
        let new = Histogram::merge_all(new)
            .unwrap_or_else(none)
            .as_one(self.published.len() as u32);
        self.unpublished.clear();
        let (rows, measures) = match policy.kind() {
            ChainKind::Cumulative => {
                self.whole = candidate.into_rows();
                (new, measures.map(Arc::new))
            }
            // Nothing of a disjoint release is kept for the next one.
            ChainKind::Disjoint => (none(), None),
        };
        self.published.push(PublishedGroup {
            release: self.releases,
            recoding,
            rows: Arc::new(rows),
            measures,
        });
    }

    /// A check that reads sensitive values failed: the chain publishes nothing any more, and the
    /// people of the increment count as published for ever.
    pub fn stop(&mut self) {
        self.stopped = true;
        // No tick labels anyone any more.
        self.memory = LabellerMemory::Nothing;
        self.unpublished.clear();
    }

    /// Begins a new chain: all people who wait or are in unpublished atoms are moved
    /// to it.
    pub fn new_chain(&mut self) {
        self.again();
        let (waiting, columns) = (std::mem::take(&mut self.waiting), self.columns);
        self.begin_chain(waiting, columns);
    }

    /// Begins a new chain with these rows, whose leaves may be those of other taxonomies than
    /// before; `columns`: the numbers of quasi and of sensitive columns.
    pub fn begin_chain(&mut self, rows: Arrivals, columns: (usize, usize)) {
        let (quasi, sensitive) = columns;
        self.columns = columns;
        self.whole = Histogram::empty(quasi, sensitive).into();
        self.unpublished.clear();
        self.waiting = rows;
        self.memory = LabellerMemory::Nothing;
        self.published.clear();
        self.stopped = false;
        self.rows_left = false;
        self.chain += 1;
    }
}

/// Used for searches without random draws.
struct NoDraws;

impl Draws for NoDraws {
    fn below(&mut self, _: u64) -> u64 {
        panic!("a tick whose search draws is closed with draws");
    }
}
