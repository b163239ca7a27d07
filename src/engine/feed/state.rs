//! The state of a feed and its ticks (SCIENCE 3 and 4): what all feeds have in common. The
//! decisions of the kinds of ticks are in files of their own.
//!
//! Nothing here approves anything.

use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use super::parts::{ClosingResult, FeedTickResult, Increment, ProposedRelease, PublishedGroup};
use super::people::People;
use super::people_parts::PeopleInParts;
use crate::histogram::{CodedRows, Histogram, Person};
use crate::label::{
    Course, HiddenSums, LabellerMemory, NewAtoms, NoRelease, PrivateRows, RecodingStep,
    RowsBeforeTick, WaitingPeople, labeller,
};
use crate::measures::PersonNumbers;
use crate::model::{Columns, Leaf, Role, Taxonomy};
use crate::policy::{ChainKind, LabellerName, OnRepeat, Policy};
use crate::safeguards::mask::Draws;

/// The number of leaf tuples that are sampled to find out whether two parts are alike.
const LOOKED_AT: usize = 64;

/// Everything that the next tick depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Feed {
    pub(super) chain: u32,
    pub(super) ticks: u32,
    pub(super) releases: u32,
    pub(super) people: People,
    /// The people who came since the last closed tick, by the tick of arrival, in parts as they
    /// came.
    #[serde(serialize_with = "as_one")]
    pub(super) new: Vec<Histogram>,
    /// The people who wait, by the tick of arrival.
    pub(super) waiting: Histogram,
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
        let no_rows = Histogram::empty(quasi, sensitive);
        Feed {
            chain: 1,
            ticks: 0,
            releases: 0,
            people: People::default(),
            new: Vec::new(),
            waiting: no_rows.clone(),
            memory: LabellerMemory::default(),
            unpublished: Vec::new(),
            published: Vec::new(),
            whole: no_rows.into(),
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

    /// The people who wait, by the tick of arrival.
    pub fn waiting(&self) -> &Histogram {
        &self.waiting
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
        assert_eq!(
            self.waiting.width(),
            trees.len(),
            "one taxonomy for each column"
        );
        let (rows, repeats) = self.accept(rows, policy);
        self.arrive(&rows, self.ticks);
        FeedTickResult {
            duplicate: repeats.len() as u64,
            ..self.close(policy, trees, None, &mut NoDraws)
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
    pub fn arrive(&mut self, rows: &CodedRows, since: u32) {
        assert_eq!(rows.width(), self.waiting.width(), "rows of this feed");
        if rows.is_empty() {
            return;
        }
        let mut part = rows.histogram(since);
        // If the people of two parts are alike, the merged part takes hardly more memory than one
        // of them.
        assert_eq!(part.rows(), rows.len() as u64, "each row is counted once");
        while let Some(last) = self
            .new
            .pop_if(|last| last.cells() <= 2 * part.cells() && alike(last, &part))
        {
            part = last.merge(&part);
        }
        self.new.push(part.fitted());
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

    /// Drops the rows that came since the last closed tick; they will arrive again.
    pub fn forget_new(&mut self) {
        self.new.clear();
    }

    /// The number of rows that came since the last closed tick.
    pub fn new_rows(&self) -> u64 {
        self.new.iter().map(Histogram::rows).sum()
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
    /// reader may be able to predict the numbers of `draws`; `numbers` are those of all people who
    /// are not published, where the policy asks for sums that can be published.
    pub fn close(
        &mut self,
        policy: &Policy,
        trees: &[&Taxonomy],
        numbers: Option<&PersonNumbers>,
        draws: &mut dyn Draws,
    ) -> FeedTickResult {
        assert_eq!(
            self.waiting.width(),
            trees.len(),
            "one taxonomy for each column"
        );
        let mut ticked = FeedTickResult::of(self.ticks);
        self.ticks += 1;
        if let Some(arrivals) = Histogram::merge_all(std::mem::take(&mut self.new)) {
            self.waiting = self.waiting.merge(&arrivals);
        }
        if self.stopped {
            return ticked;
        }
        if policy.waits_again() {
            self.again();
        }
        let here = self.waiting.rows() + self.pending();
        let had_recoding = self.standing().is_some();
        let labelled = self.label(policy, trees, numbers, draws);
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
                ticked.added = self.form(atoms.course, atoms.labels, trees);
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
        policy: &Policy,
        trees: &[&Taxonomy],
        numbers: Option<&PersonNumbers>,
        draws: &mut dyn Draws,
    ) -> Result<Option<NewAtoms>, NoRelease> {
        let hidden = numbers.map(|numbers| |tuples: &[Vec<Leaf>]| numbers.are_hidden(tuples));
        let published = self.published.iter();
        let published = published.map(|of| (&*of.rows, &of.recoding[..])).collect();
        let waiting = WaitingPeople {
            people: self.waiting.headcount(),
            policy,
            trees,
            hidden_sums: hidden.as_ref().map(|hidden| hidden as HiddenSums<'_>),
            private: PrivateRows::new(&self.waiting, self.whole.get(), published),
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
        let none = || Histogram::empty(self.waiting.width(), self.waiting.values().width());
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
}

/// Used for searches without random draws.
struct NoDraws;

impl Draws for NoDraws {
    fn below(&mut self, _: u64) -> u64 {
        panic!("a tick whose search draws is closed with draws");
    }
}

/// The division of people into parts has no meaning: two feeds with the same people are serialised
/// alike.
fn as_one<S: Serializer>(parts: &[Histogram], serializer: S) -> Result<S::Ok, S::Error> {
    Histogram::merge_all(parts.to_vec())
        .into_iter()
        .collect::<Vec<_>>()
        .serialize(serializer)
}

/// Whether most leaf tuples of the second part are in the first one too, judged by a sample.
fn alike(first: &Histogram, second: &Histogram) -> bool {
    let some = (0..second.tuples()).step_by(second.tuples().div_ceil(LOOKED_AT).max(1));
    let (known, new): (Vec<usize>, Vec<usize>) = some.partition(|&tuple| {
        first
            .find(&second.tuple_at(tuple).collect::<Vec<_>>())
            .is_some()
    });
    known.len() >= new.len()
}
