//! What the gate is given besides the bytes, and what it makes of both before it judges: one dictionary of sensitive
//! values, the chain that has to be looked at, and the people who are looked for in it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::check_result::RejectionReason;
use super::crowd_history::{CrowdHistory, ErasedAtom, ReleaseGrowth, RemovedLabels};
use super::history::History;
use super::parts::{ComparedParts, PublishedParts, compared};
use super::read_tables::ReadTables;
use crate::gate::bytes::{PartRows, PublishedTable, told_under};
use crate::histogram::{CodedRows, Headcount, Histogram, Release, SensitiveValues, ValueCode, describe};
use crate::model::{Carving, Columns, Cut, Leaf, Node, Role, Taxonomy};
use crate::policy::{ChainKind, ChainPromise, Policy};
use crate::release::{PartLine, ReleaseSpan};

/// The next release, apart from its bytes.
#[derive(Clone, Copy)]
pub struct NextRelease<'a> {
    /// What is promised.
    pub policy: &'a Policy,
    /// The columns of the feed.
    pub columns: &'a Columns,
    /// The number of the release.
    pub release: u32,
    /// People withheld from the chain so far.
    pub withheld: u64,
    /// Counts of people by which a person lost is missed; `None` in chains that do not count who comes.
    pub census: Option<Census>,
    /// Tests of finer releases that were made in the chain, one of this release included.
    pub tests: u32,
    /// The recoding that the manifest will state; of no column where classes have labels of their own.
    pub recoding: &'a [Cut],
    /// Those classes, in the order in which they were formed.
    pub carving: Option<&'a Carving>,
    /// Whether it is the recoding that a search of its own, or the standing one, led to, and no other that was fixed beside it.
    pub searched: bool,
    /// By how much it narrows down who is where, as far as it was worked out.
    pub learnt: Option<Learnt>,
    /// The chain's releases as they were published.
    pub history: &'a History,
    /// Atoms that this release and all later ones leave out, and that its notice names; in a chain of crowds only.
    pub erased: &'a [ErasedAtom],
    /// The private table of all people in the last release. In a chain of crowds it is not looked at: `older` holds the same people,
    /// and each of those tables is compared with what its release added.
    pub before: &'a Histogram,
    /// The private tables of the increments of the history, release by release.
    pub older: &'a [Older<'a>],
    /// The private tables of what is new, tick by tick.
    pub newest: &'a [Newest<'a>],
}

/// By how much a recoding narrows down who is where, as decimal logarithms.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Learnt {
    /// What the final recoding alone tells; the truth is not below it.
    pub finally: Option<f64>,
    /// What the whole course of the search tells, or a bound from above; `None`: it is not known.
    pub wholly: Option<f64>,
}

/// Counts of a chain, of which the withheld are another part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Census {
    /// All people who ever came into the chain and were not erased from it.
    pub came: u64,
    /// Those who wait and are not in the release.
    pub waiting: u64,
}

/// People who came with one earlier release.
#[derive(Clone, Copy)]
pub struct Older<'a> {
    /// The recoding as far as which they are known.
    pub known: &'a [Cut],
    /// The recoding that split none of their atoms.
    pub atoms: &'a [Cut],
    /// They. In a chain of crowds a table that was compared with its release is not compared again while it is this very one.
    pub rows: &'a Arc<Histogram>,
    /// The addends of their measures, label by label; `None` where there are none, or where rows keep their labels.
    pub addends: Option<&'a Histogram>,
}

/// People whose atoms formed in one tick.
#[derive(Clone, Copy)]
pub struct Newest<'a> {
    /// The recoding whose classes are the atoms; of no column where these have labels of their own.
    pub atoms: &'a [Cut],
    /// Those atoms.
    pub carving: Option<&'a Carving>,
    /// They, as they are published.
    pub rows: &'a Histogram,
    /// They, as they are; `None` where no person's value is ever changed.
    pub raw: Option<&'a Histogram>,
    /// They with the numbers of their measures; `None` where there are none.
    pub numbers: Option<&'a CodedRows>,
}

/// A chain that ends with the candidate, and the people that are looked for in it.
#[derive(Clone)]
pub struct Lineage {
    /// Releases; the last one is the candidate.
    pub releases: Vec<Release>,
    /// The places of the others in the history.
    pub kept: Vec<usize>,
    /// Which recoding each is under, in order of appearance.
    pub number: Vec<usize>,
    /// People by the release they came with; the number of those who are new is the candidate's.
    pub rows: Histogram,
    /// Whether the gate computes the candidates of all people. Otherwise it computes them for new people alone, because this release changes
    /// nothing for the others.
    pub all_people: bool,
}

impl NextRelease<'_> {
    /// Whether the release is under the recoding of the one before it.
    pub(super) fn stays(&self) -> bool {
        self.history.number.last() == Some(&self.history.number_of(self.recoding))
    }

    /// The same under `blind`: the candidate then only adds rows to what all other people were seen in, and every figure of
    /// theirs is a least figure that was judged already.
    fn only_adds(&self) -> bool {
        matches!(self.policy.chain(), ChainPromise::Blind(_)) && self.stays()
    }
}

/// A candidate as its bytes tell it, compared with what was published. Nothing of it is judged yet.
pub struct ReadCandidate<'a> {
    case: &'a NextRelease<'a>,
    /// The table, under the recoding that it is said to have.
    table: PublishedTable,
    /// In a chain of crowds, where `table` is what the candidate adds, what was published and what came of comparing both.
    crowds: Option<Compared<'a>>,
    /// What it adds to the table of measures, on the dictionary of that table, where it has one.
    measures: Option<(Release, SensitiveValues)>,
    /// How many rows of each label it leaves out.
    erased: RemovedLabels,
}

/// A candidate compared with what was published of a chain of crowds.
struct Compared<'a> {
    /// The releases, without the atoms that the candidate leaves out.
    history: Cow<'a, CrowdHistory>,
    /// What the candidate adds.
    growth: ReleaseGrowth,
    /// Files that are published and belong to it too.
    kept: Vec<PartLine>,
    /// What is wrong with its files.
    misfits: Vec<RejectionReason>,
}

/// What was published of a chain of crowds, and what the candidate adds to it.
pub struct Crowds<'a> {
    /// Its releases, without the atoms that the candidate leaves out.
    pub history: Cow<'a, CrowdHistory>,
    /// What the candidate adds, on its dictionary.
    pub growth: ReleaseGrowth,
    /// Files that are published and belong to it too.
    pub kept: Vec<PartLine>,
    /// What is wrong with its files.
    pub misfits: Vec<RejectionReason>,
    /// The private table of each new increment under the labels of its atoms, on the dictionary of that table; `None` where the
    /// increment has no such labels, or its atoms do not hold all of its people.
    pub atoms: Vec<Option<Release>>,
}

impl<'a> ReadCandidate<'a> {
    /// Of what was read. In a chain of crowds that is what is new, and files that take the places of earlier ones; these are compared
    /// with what was published here, and every check works with what is new, and with sums.
    ///
    /// # Errors
    /// The labels of the table are not those of the recoding, or an atom is said to be erased that is not there.
    pub fn new(case: &'a NextRelease<'a>, shown: ReadTables) -> Result<ReadCandidate<'a>, RejectionReason> {
        let (parts, measures) = match shown {
            ReadTables::Table(table, measures) => {
                let table = PublishedTable { release: told(case, table.release)?, ..*table };
                let measures = measures.and_then(|mut part| Some((part.releases.remove(&case.release)?, part.values)));
                return Ok(ReadCandidate { case, table, crowds: None, measures, erased: RemovedLabels::new() });
            }
            ReadTables::Parts(parts, measures) => (parts, measures),
        };
        let (history, erased) = remaining(case)?;
        let (release, values, width) = (case.release, &case.history.values, case.columns.of(Role::Quasi).count());
        let known = PublishedParts { release, width, values, history: &history, erased: case.erased };
        let ComparedParts { added, values, map, mut kept, reasons: mut misfits } = compared(&known, parts);
        let growth = history.growth(added.clone(), &map);
        let measures = if case.columns.has_measures() || !measures.is_empty() {
            let told = compared_measures(&known, case, measures)?;
            kept.extend(told.kept);
            misfits.extend(told.reasons);
            Some((told.added, told.values))
        } else {
            None
        };
        let table = PublishedTable { release: added, values, exact: None };
        Ok(ReadCandidate { case, table, crowds: Some(Compared { history, growth, kept, misfits }), measures, erased })
    }
}

/// A case with its table read.
pub struct Ready<'a> {
    /// The case.
    pub case: &'a NextRelease<'a>,
    /// The trees of the quasi columns.
    pub trees: Vec<&'a Taxonomy>,
    /// The dictionary of everything here.
    pub values: SensitiveValues,
    /// The candidate as it was read, under its recoding; in a chain of crowds what it adds.
    pub table: Release,
    /// How many rows show each leaf tuple, where the candidate is in two tables.
    pub exact: Option<Headcount>,
    /// The chain; `None` in a disjoint feed, and in a chain of crowds, whose rows keep their labels.
    pub lineage: Option<Lineage>,
    /// All people who must be in the candidate; in a chain of crowds all people who must be new in it, with the nodes of their labels
    /// in the place of leaves.
    pub people: Histogram,
    /// In a chain of crowds what was published and what is new.
    pub crowds: Option<Crowds<'a>>,
    /// What the candidate adds to the table of measures, on the dictionary of that table, where it has one.
    pub measures: Option<(Release, SensitiveValues)>,
    /// How many rows of each label the candidate leaves out.
    pub erased: RemovedLabels,
}

impl<'a> Ready<'a> {
    /// Brings everything together.
    pub fn new(candidate: ReadCandidate<'a>) -> Ready<'a> {
        let ReadCandidate { case, table, crowds, measures, erased } = candidate;
        let trees = case.columns.trees();
        let merged =
            |parts: Vec<Histogram>| Histogram::merge_all(parts).unwrap_or_else(|| Histogram::empty(trees.len(), 0));
        let PublishedTable { release, values: shown, exact } = table;
        if let Some(Compared { history, growth, kept, misfits }) = crowds {
            let labelled = |newest: &Newest<'_>| newest.rows.labelled_if_held(newest.carving?, &trees);
            let labelled = case.newest.iter().map(|newest| labelled(newest).map(|rows| rows.as_one(0)));
            let labelled: Vec<Option<Histogram>> = labelled.collect();
            let atoms = labelled.iter().map(|rows| rows.as_ref().map(Release::from_own_labels)).collect();
            let new = merged(labelled.into_iter().flatten().collect());
            let (values, maps) = SensitiveValues::union(&[&shown, new.values()]);
            let (table, people) = (release.with_values(&maps[0]), new.with_values(&values, &maps[1]));
            let growth = growth.with_values(&maps[0]);
            let crowds = Some(Crowds { history, growth, kept, misfits, atoms });
            return Ready { case, trees, values, table, exact, lineage: None, people, crowds, measures, erased };
        }
        let new = merged(case.newest.iter().map(|newest| newest.rows.clone().as_one(0)).collect());
        let all_people = case.before.clone().as_one(0).merge(&new);
        let mut known = vec![&case.history.values, &shown, all_people.values(), new.values()];
        if !case.only_adds() {
            // A private table may hold what was never published; a check has to say so.
            known.extend(case.older.iter().map(|older| older.rows.values()));
        }
        let (values, maps) = SensitiveValues::union(&known);
        let table = release.with_values(&maps[1]);
        let people = all_people.with_values(&values, &maps[2]);
        let mut ready =
            Ready { case, trees, values, table, exact, lineage: None, people, crowds: None, measures, erased };
        if !matches!(case.policy.chain(), ChainPromise::Disjoint { .. }) {
            let new = new.with_values(&ready.values, &maps[3]);
            ready.lineage = Some(ready.line(&maps[0], new, case.only_adds()));
        }
        ready
    }

    /// The chain that is looked at. Where the candidate only adds rows, the newest release of each recoding and those who
    /// are new are all that matters.
    fn line(&self, map: &[ValueCode], new: Histogram, unchanged: bool) -> Lineage {
        let history = self.case.history;
        let now = history.number_of(self.case.recoding);
        let newest = |at: &usize| !history.number[at + 1..].contains(&history.number[*at]);
        let kept: Vec<usize> = (0..history.len()).filter(|at| !unchanged || newest(at)).collect();
        let mut releases: Vec<Release> = kept.iter().map(|&at| history.releases[at].clone().with_values(map)).collect();
        releases.push(self.table.clone());
        let recodings: Vec<usize> = kept.iter().map(|&at| history.number[at]).chain([now]).collect();
        let last = kept.len() as u32;
        let mut rows = new.as_one(last);
        if !unchanged {
            let older = self.case.older.iter().zip(0..).map(|(older, at)| Histogram::clone(older.rows).as_one(at));
            let all = Histogram::merge_all(older.chain([rows]).collect()).expect("one at least");
            let (values, maps) = SensitiveValues::union(&[&self.values, all.values()]);
            assert!(values.len() == self.values.len(), "all values are known");
            rows = all.with_values(&values, &maps[1]);
        }
        assert_eq!(releases.len(), recodings.len(), "each release has a recoding");
        Lineage { releases, kept, number: renumbered(&recodings), rows, all_people: !unchanged }
    }

    /// The whole chain, with all people in it; `None` in a disjoint feed.
    pub fn whole(&self) -> Option<Cow<'_, Lineage>> {
        let lineage = self.lineage.as_ref()?;
        if lineage.all_people {
            return Some(Cow::Borrowed(lineage));
        }
        let new = lineage.rows.clone().as_one(0);
        let (values, maps) = SensitiveValues::union(&[&self.values, &self.case.history.values, new.values()]);
        assert!(values.len() == self.values.len(), "all values are known");
        Some(Cow::Owned(self.line(&maps[1], new.with_values(&values, &maps[2]), false)))
    }

    /// These people under the labels that the release gives them.
    pub fn labelled(&self, people: &Histogram) -> Release {
        match self.case.carving {
            Some(carving) => Release::carved(people, 0..1, carving, &self.trees),
            None if self.table.is_local() => Release::from_own_labels(people),
            None => Release::under(people, 0..1, self.case.recoding),
        }
    }

    /// The rows of the smallest class; `None` if there are none.
    pub fn smallest(&self) -> Option<u64> {
        match &self.crowds {
            Some(crowds) => crowds.growth.sums.smallest(),
            None => self.table.smallest().map(|(rows, _)| rows),
        }
    }

    /// The rows of a class, of all releases together.
    pub fn size(&self, class: usize) -> u64 {
        let before = |crowds: &Crowds<'_>| crowds.history.size_of(self.table.class(class));
        self.table.size(class) + self.crowds.as_ref().map_or(0, before)
    }

    /// What was read, and what came of comparing it.
    pub fn into_found(self) -> ComparedCandidate {
        let table = PublishedTable { release: self.table, values: self.values, exact: self.exact };
        assert!(self.crowds.is_none() || self.lineage.is_none(), "a release is judged by one of them");
        let (growth, kept) = self.crowds.map(|crowds| (crowds.growth, crowds.kept)).unzip();
        ComparedCandidate {
            table,
            growth,
            measures: self.measures,
            kept: kept.unwrap_or_default(),
            erased: self.erased,
        }
    }

    /// A class of the candidate in words.
    pub fn class(&self, class: usize) -> String {
        self.table.describe(class, self.case.columns)
    }
}

/// What was read of a candidate, and what came of comparing it.
pub struct ComparedCandidate {
    /// The table; in a chain of crowds what is new in it.
    pub table: PublishedTable,
    /// In a chain of crowds what the candidate adds.
    pub growth: Option<ReleaseGrowth>,
    /// What it adds to the table of measures, where the feed has any.
    pub measures: Option<(Release, SensitiveValues)>,
    /// Files that are published and belong to it too.
    pub kept: Vec<PartLine>,
    /// How many rows of each label it leaves out.
    pub erased: RemovedLabels,
}

/// What was published of a chain of crowds, without the atoms that the candidate leaves out.
fn remaining<'a>(case: &NextRelease<'a>) -> Result<(Cow<'a, CrowdHistory>, RemovedLabels), RejectionReason> {
    let known = &case.history.crowds;
    if case.policy.kind() == ChainKind::Disjoint {
        return Ok((Cow::Owned(CrowdHistory::default()), RemovedLabels::new()));
    }
    if case.erased.is_empty() {
        return Ok((Cow::Borrowed(known), RemovedLabels::new()));
    }
    let rest = known.without(case.erased).map(|(rest, rows)| (Cow::Owned(rest), rows));
    let text = "an atom is said to be erased that is not in the last release";
    rest.ok_or_else(|| RejectionReason::plain("all releases", text))
}

/// Parts of the table of measures compared with what was published of it.
fn compared_measures(
    known: &PublishedParts<'_>,
    case: &NextRelease<'_>,
    parts: Vec<(ReleaseSpan, PartRows)>,
) -> Result<ComparedParts, RejectionReason> {
    let measures = &case.history.measures;
    let alone = case.policy.kind() == ChainKind::Disjoint;
    let rest =
        if alone { Some(CrowdHistory::default()) } else { measures.rows.without(case.erased).map(|rest| rest.0) };
    let text = "an atom is said to be erased of which the last release shows no measures";
    let history = &rest.ok_or_else(|| RejectionReason::plain("measures", text))?;
    if history.len() != known.history.len() {
        return Err(RejectionReason::plain("measures", "the chain has other releases than its table of measures"));
    }
    let mut told = compared(&PublishedParts { values: &measures.values, history, ..*known }, parts);
    told.reasons.iter_mut().for_each(|reason| reason.place = format!("measures, {}", reason.place));
    Ok(told)
}

/// The table as one under the recoding, or with the classes, that it is said to have.
fn told(case: &NextRelease<'_>, release: Release) -> Result<Release, RejectionReason> {
    if let Some(carving) = case.carving {
        let known: BTreeSet<&[Node]> = carving.classes().iter().map(Vec::as_slice).collect();
        let foreign = (0..release.classes()).find(|&class| !known.contains(release.class(class)));
        return match foreign {
            None => mislabelled(case).map_or(Ok(release), Err),
            Some(class) => {
                let text = "no person was put into this class";
                Err(RejectionReason::plain(release.describe(class, case.columns), text))
            }
        };
    }
    told_under(release, case.recoding).map_err(|column| {
        let name = case.columns.of(Role::Quasi).nth(column).map_or("", |column| &column.name);
        RejectionReason::plain(format!("column {name}"), "a label is not one of the recoding that the manifest states")
    })
}

/// A class of groups whose labels are not the finest that cover its people, which is what readers and attacks take for granted.
fn mislabelled(case: &NextRelease<'_>) -> Option<RejectionReason> {
    let trees = case.columns.trees();
    for newest in case.newest {
        let Some(carving) = newest.carving.filter(|carving| carving.has_groups()) else { continue };
        let finder = carving.finder(&trees);
        let mut sides: BTreeMap<usize, Vec<[Leaf; 2]>> = BTreeMap::new();
        for tuple in 0..newest.rows.tuples() {
            let leaves: Vec<Leaf> = newest.rows.tuple_at(tuple).collect();
            let Some((class, _)) = finder.class(&leaves) else { continue };
            let sides = sides.entry(class).or_insert_with(|| leaves.iter().map(|&leaf| [leaf, leaf]).collect());
            for ([low, high], &leaf) in sides.iter_mut().zip(&leaves) {
                (*low, *high) = ((*low).min(leaf), (*high).max(leaf));
            }
        }
        let is_finest = |tree: &Taxonomy, node: Node, [low, high]: [Leaf; 2]| {
            let covers = |node: Node| tree.leaf_range(node).contains(&low) && tree.leaf_range(node).contains(&high);
            covers(node) && !tree.children(node).any(covers)
        };
        for (class, sides) in sides {
            let labels = &carving.classes()[class];
            if !trees.iter().zip(labels).zip(sides).all(|((tree, &node), sides)| is_finest(tree, node, sides)) {
                let text = "its labels are not the finest that cover its people";
                return Some(RejectionReason::plain(format!("class {}", describe(labels, case.columns)), text));
            }
        }
    }
    None
}

/// Numbers in order of appearance.
fn renumbered(of: &[usize]) -> Vec<usize> {
    let mut known: Vec<usize> = Vec::new();
    let number = |&old: &usize| {
        known.iter().position(|&seen| seen == old).unwrap_or_else(|| {
            known.push(old);
            known.len() - 1
        })
    };
    let numbers: Vec<usize> = of.iter().map(number).collect();
    assert!(numbers.iter().enumerate().all(|(at, &number)| number <= at), "numbers are given in order");
    numbers
}
