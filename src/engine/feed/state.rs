//! The state of a feed and its ticks (SCIENCE 3 and 4): what all feeds have in common. The
//! decisions of the kinds of ticks are in files of their own.
//!
//! Nothing here approves anything.

use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use super::ledger::Ledger;
use super::parts::{ClosingResult, FeedTickResult, Increment, ProposedRelease, PublishedGroup};
use super::people::People;
use super::people_parts::PeopleInParts;
use crate::anonymizer::{Course, HalvingTicks};
use crate::histogram::{CodedRows, Histogram, Person};
use crate::measures::PersonNumbers;
use crate::model::{Columns, Cut, Recoding, Role, Taxonomy};
use crate::policy::{ChainKind, ChainPromise, OnRepeat, Policy};
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
    /// The standing recoding; `None` until it is found, and with other searches.
    pub(super) standing: Option<Course>,
    pub(super) unpublished: Vec<Increment>,
    pub(super) published: Vec<PublishedGroup>,
    /// All people in the newest release of the chain, without increments. If people are published
    /// in atoms, the nodes of their labels are in the place of leaves, here and in `published`.
    pub(super) whole: PeopleInParts,
    pub(super) stopped: bool,
    /// The release that is due for the people who wait, in policies without atoms.
    pub(super) alone: Option<WaitingRelease>,
    /// The ticks that halve, if halving divides people.
    pub(super) turns: HalvingTicks,
    /// Published rows were removed, and the newest release still contains them.
    pub(super) rows_left: bool,
    /// The next tick makes a release, whether it has new people or not.
    #[serde(skip)]
    pub(super) is_due: bool,
    /// The numbers of the waiting people, while a tick is closed whose search needs them
    /// (`dominance_safe`).
    #[serde(skip)]
    pub(super) numbers: Option<PersonNumbers>,
}

/// A release with all people who wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WaitingRelease {
    /// The recoding of its classes, with the specialisations that led to it.
    pub course: Course,
    /// The published values of masked rows; `None` if values are not masked.
    pub ledger: Option<Ledger>,
    /// The aggregates of their measures, by label; `None` if there are no measures.
    pub measures: Option<Histogram>,
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
            standing: None,
            unpublished: Vec::new(),
            published: Vec::new(),
            whole: no_rows.into(),
            stopped: false,
            alone: None,
            turns: HalvingTicks::default(),
            rows_left: false,
            is_due: false,
            numbers: None,
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

    /// The standing recoding; `None` until it is found, and with other searches.
    pub fn standing(&self) -> Option<&Course> {
        self.standing.as_ref()
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
    /// waited one tick more. In a chain of crowds it still counts, and `turns` are the ticks that
    /// halve after it.
    pub fn skipped(&mut self, turns: HalvingTicks) {
        self.ticks += 1;
        self.turns = turns;
    }

    /// The next tick groups people by these numbers as well as by their quasi columns.
    pub fn with_numbers(&mut self, numbers: PersonNumbers) {
        self.numbers = Some(numbers);
    }

    /// Closes a tick: the feed adds the people who came and builds the next release. No reader may
    /// be able to predict the numbers of `draws`.
    pub fn close(
        &mut self,
        policy: &Policy,
        trees: &[&Taxonomy],
        draws: &mut dyn Draws,
    ) -> FeedTickResult {
        assert_eq!(
            self.waiting.width(),
            trees.len(),
            "one taxonomy for each column"
        );
        let tick = self.ticks;
        self.ticks += 1;
        self.alone = None;
        let closed = ClosingResult::Stopped;
        let mut ticked = FeedTickResult {
            tick,
            duplicate: 0,
            added: 0,
            step: None,
            refusals: Vec::new(),
            levels: None,
            closed,
        };
        if let Some(arrivals) = Histogram::merge_all(std::mem::take(&mut self.new)) {
            self.waiting = self.waiting.merge(&arrivals);
        }
        if self.stopped {
            return ticked;
        }
        if policy.waits_again() {
            self.again();
        }
        let formed = self.unpublished.len();
        let here = self.waiting.rows() + self.pending();
        match policy.chain() {
            ChainPromise::Atoms { .. } => {
                ticked.closed = self.atoms(policy, trees, draws, &mut ticked)
            }
            ChainPromise::Bcf => ticked.closed = self.bcf(policy.k(), trees, &mut ticked.refusals),
            ChainPromise::Disjoint { .. } if policy.search().is_local() => {
                ticked.closed = self.local(policy, trees);
            }
            ChainPromise::Disjoint { .. } if policy.recodes_some() => {
                ticked.closed = self.recode(policy, trees, &mut ticked);
            }
            ChainPromise::Disjoint { .. } => {
                ticked.closed = self.disjoint(policy, trees, &mut ticked)
            }
        }
        assert_eq!(
            self.waiting.rows() + self.pending(),
            here,
            "a tick loses no person"
        );
        self.numbers = None;
        // A release that only omits rows forms no atoms.
        let forms = !policy.has_atoms() || self.unpublished.len() > formed;
        if let (ClosingResult::Candidate(candidate), true) = (&ticked.closed, forms) {
            // Unpublished atoms of earlier ticks are published together with those of this one.
            ticked.added = candidate
                .increments
                .last()
                .map_or(0, |increment| increment.rows.rows());
        }
        ticked
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
        (self.alone, self.rows_left) = (None, false);
        let recoding = candidate.recoding.clone();
        let measures = candidate.measures();
        let new = match policy.chain() {
            ChainPromise::Atoms { .. } => std::mem::take(&mut candidate.new),
            _ => candidate
                .increments
                .iter()
                .map(Increment::as_published)
                .collect(),
        };
        // A release that only omits rows has no increment.
        let none = || Histogram::empty(self.waiting.width(), self.waiting.values().width());
        let new = Histogram::merge_all(new)
            .unwrap_or_else(none)
            .as_one(self.published.len() as u32);
        let rows = match policy.chain() {
            ChainPromise::Atoms { alone: false, .. } => {
                self.unpublished.clear();
                self.whole = candidate.into_rows();
                new
            }
            ChainPromise::Bcf => {
                self.whole = candidate.into_rows();
                new
            }
            ChainPromise::Disjoint { .. } | ChainPromise::Atoms { alone: true, .. } => {
                self.unpublished.clear();
                Histogram::empty(new.width(), new.values().width())
            }
        };
        if !policy.forms() {
            self.waiting = Histogram::empty(rows.width(), rows.values().width());
        }
        assert!(
            self.unpublished.is_empty() || matches!(policy.chain(), ChainPromise::Bcf),
            "what is published does not wait"
        );
        let alone = policy.kind() == ChainKind::Disjoint;
        let measures = measures.filter(|_| !alone).map(Arc::new);
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

/// The recoding with `*` in all columns.
pub fn everything(trees: &[&Taxonomy]) -> Recoding {
    trees.iter().map(|tree| Cut::root(tree)).collect()
}
