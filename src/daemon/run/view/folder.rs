//! A folder of releases, the rows that wait, and what the next release would be. Counts, labels of
//! quasi columns and reasons; never a value.

use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::feed::{self, EmptyTick, Feed, Outlook};
use crate::engine::histogram::describe;
use crate::engine::label::NextHalvingTicks;
use crate::engine::model::{Columns, Role};
use crate::engine::policy::{Guarantee, Policy};
use crate::engine::release::{Manifest, PublishedLabels};
use crate::feed_writer::FeedState;
use crate::folder::{FolderStatus, TickVerdict};
use crate::terms::ChainTerms;

/// A folder of releases.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "show")]
pub struct ShowAnswer {
    /// The feed's name.
    pub feed: Option<String>,
    /// The guarantee of the chain; null for disjoint feeds.
    pub guarantee: Option<Guarantee>,
    /// Releases, oldest first.
    pub releases: Vec<ReleaseLine>,
    /// Ticks, oldest first; empty for a reader who may not read verdicts.
    pub ticks: Vec<TickLine>,
    /// People who are not published; null without the key.
    pub waiting: Option<Waiting>,
}

/// A release in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReleaseLine {
    /// Its number.
    pub release: u32,
    /// Its chain.
    pub chain: u32,
    /// Its time.
    pub time: String,
    /// The number of its rows.
    pub rows: u64,
    /// The number of its classes.
    pub classes: u64,
    /// The smallest of them.
    pub smallest_class: u64,
    /// The information loss.
    pub loss: f64,
}

/// A tick in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TickLine {
    /// Its number, from 0.
    pub tick: u32,
    /// The input file.
    pub file: String,
    /// Its result.
    pub answer: crate::folder::InputEntry,
    /// How the standing recoding was changed.
    pub step: Option<String>,
}

/// People who are not published.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Waiting {
    /// The chain.
    pub chain: u32,
    /// Whether a check that reads sensitive values stopped it.
    pub stopped: bool,
    /// Rows that wait. For a folder this includes rows that are kept for a later tick; a running
    /// feed reports those as `new`.
    pub rows: u64,
    /// Always 0: no row is left out of a chain.
    pub withheld: u64,
    /// Rows in atoms that are not published yet.
    pub pending: u64,
    /// How many ticks rows have been waiting for, the longest first; if classes keep their labels,
    /// rows since the last tick that formed classes are included.
    pub ages: Vec<Age>,
    /// The classes that wait, the largest first, up to a limit.
    pub crowds: Vec<CrowdLine>,
    /// What the next tick does if no person is added; null in a chain that was stopped, and if it
    /// is drawn at random.
    pub next: Option<NextLine>,
    /// What a new chain would publish at once of the people who wait; null without a standing
    /// recoding, and if it could not publish any of them either.
    pub new_chain: Option<NewChainLine>,
    /// When waiting people are divided next; null if classes do not keep labels of their own.
    pub halving: Option<HalvingLine>,
    /// Published people whose class shows one sensitive value only; null for the same reason, and
    /// if no person is published or no column is sensitive.
    pub uniform: Option<UniformLine>,
}

/// The next ticks that divide the people who wait, if classes keep their labels.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HalvingLine {
    /// The number of ticks until the next release can be published; 1 means the next tick.
    pub ticks: u64,
    /// The number of ticks until the next one that divides only as far as it must, so that few are
    /// left waiting.
    pub sweep: u64,
}

/// People in classes with one sensitive value.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UniformLine {
    /// The sensitive column; if there are several, the one with the most such people.
    pub column: String,
    /// Rows of such classes.
    pub rows: u64,
    /// Their share of all published rows.
    pub share: f64,
    /// The smallest k that would halve the share if people's values were independent of each other;
    /// null if none would.
    pub k: Option<u64>,
}

/// Rows of one age.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Age {
    /// The number of ticks.
    pub ticks: u32,
    /// The number of rows.
    pub rows: u64,
}

/// A class that is still too small.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CrowdLine {
    /// The class.
    pub class: String,
    /// The number of its rows.
    pub rows: u64,
}

/// The next tick.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NextLine {
    /// Rows that would be added.
    pub added: u64,
    /// Whether some of them may have to wait longer, because their classes have labels of their own
    /// and are attacked.
    pub at_most: bool,
}

/// The first release of a new chain.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NewChainLine {
    /// Its standing recoding.
    pub recoding: PublishedLabels,
    /// Rows that it would publish.
    pub added: u64,
}

/// One release.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReleaseShown {
    /// Its manifest.
    pub manifest: Manifest,
    /// Its verdict; null for a reader who may not read it.
    pub verdict: Option<TickVerdict>,
}

/// The greatest number of classes that are shown.
const MOST_CROWDS: usize = 12;

impl ShowAnswer {
    /// From the files of a folder, and the sealed state if it could be opened.
    pub fn of(seen: &FolderStatus, saved: Option<&FeedState>) -> ShowAnswer {
        let tick = |tick: &TickVerdict| TickLine {
            tick: tick.tick,
            file: tick.file.clone(),
            answer: tick.answer.clone(),
            step: tick.step.clone(),
        };
        let last = seen.manifests.last();
        ShowAnswer {
            feed: saved
                .map(|saved| saved.terms.name.clone())
                .or_else(|| last.map(|manifest| manifest.feed.clone())),
            guarantee: last.and_then(|manifest| manifest.guarantee),
            releases: seen.manifests.iter().map(ReleaseLine::of).collect(),
            ticks: seen.ticks.iter().map(tick).collect(),
            waiting: saved.map(|saved| {
                let waiting = Waiting::of(&saved.feed, &saved.terms);
                Waiting {
                    rows: waiting.rows + saved.feed.new_rows(),
                    ..waiting
                }
            }),
        }
    }
}

impl ReleaseLine {
    /// From a manifest.
    pub fn of(manifest: &Manifest) -> ReleaseLine {
        ReleaseLine {
            release: manifest.release,
            chain: manifest.chain,
            time: manifest.time.clone(),
            rows: manifest.rows,
            classes: manifest.classes,
            smallest_class: manifest.smallest_class,
            loss: manifest.loss,
        }
    }
}

impl Waiting {
    /// From a feed between two ticks.
    pub fn of(feed: &Feed, terms: &ChainTerms) -> Waiting {
        let columns = &terms.columns;
        let trees = columns.trees();
        let policy = terms.policy().ok().filter(|_| !feed.stopped());
        let outlook = policy
            .as_ref()
            .map(|policy| feed::outlook(feed, policy, &trees));
        let attacked = policy.as_ref().is_some_and(|policy| {
            policy.search().is_local() && policy.refinement().max_ratio.is_some()
        });
        let known = outlook.as_ref();
        Waiting {
            chain: feed.chain(),
            stopped: feed.stopped(),
            rows: feed.waiting().rows(),
            withheld: 0,
            pending: feed.pending(),
            ages: known.map(ages).unwrap_or_default(),
            crowds: known
                .map(|outlook| crowds(outlook, columns))
                .unwrap_or_default(),
            next: known
                .and_then(|outlook| outlook.next)
                .map(|of| next(of, attacked)),
            new_chain: known.and_then(|outlook| new_chain(outlook, columns)),
            halving: known.and_then(|outlook| outlook.turns).map(halving),
            uniform: policy.and_then(|policy| uniform(feed, &policy, columns)),
        }
    }
}

fn ages(outlook: &Outlook) -> Vec<Age> {
    outlook
        .ages
        .iter()
        .map(|&(ticks, rows)| Age { ticks, rows })
        .collect()
}

fn crowds(outlook: &Outlook, columns: &Columns) -> Vec<CrowdLine> {
    let line = |(class, rows): &(Vec<_>, u64)| CrowdLine {
        class: describe(class, columns),
        rows: *rows,
    };
    outlook.crowds.iter().take(MOST_CROWDS).map(line).collect()
}

fn next(of: EmptyTick, at_most: bool) -> NextLine {
    NextLine {
        added: of.added,
        at_most,
    }
}

fn halving(turns: NextHalvingTicks) -> HalvingLine {
    HalvingLine {
        ticks: turns.halving,
        sweep: turns.sweep,
    }
}

fn uniform(feed: &Feed, policy: &Policy, columns: &Columns) -> Option<UniformLine> {
    let found = feed::uniform(feed, policy)?;
    let column = columns
        .of(Role::Sensitive)
        .nth(found.column)?
        .name
        .to_string();
    Some(UniformLine {
        column,
        rows: found.rows,
        share: found.rows as f64 / found.of as f64,
        k: found.k,
    })
}

fn new_chain(outlook: &Outlook, columns: &Columns) -> Option<NewChainLine> {
    let found = outlook.new_chain.as_ref()?;
    let cuts = columns
        .of(Role::Quasi)
        .zip(columns.trees())
        .zip(&found.recoding);
    let labels = cuts.map(|((column, tree), cut)| {
        (
            column.name.to_string(),
            cut.nodes()
                .iter()
                .map(|&node| tree.label(node).to_owned())
                .collect(),
        )
    });
    let recoding = PublishedLabels(labels.collect());
    Some(NewChainLine {
        recoding,
        added: found.added,
    })
}

impl ReleaseShown {
    /// The release with this number.
    pub fn of(seen: &FolderStatus, number: u32) -> Option<ReleaseShown> {
        let manifest = seen
            .manifests
            .iter()
            .find(|manifest| manifest.release == number)?
            .clone();
        let verdict = seen
            .ticks
            .iter()
            .find(|tick| tick.answer.release == Some(number))
            .cloned();
        Some(ReleaseShown { manifest, verdict })
    }
}
