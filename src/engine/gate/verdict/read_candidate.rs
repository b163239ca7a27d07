//! A candidate as its bytes show it: its labels are those that the manifest states, and in a chain
//! of crowds its files are compared with what was published.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::check_result::{Check, Finding};
use super::crowd_history::{CrowdHistory, ReleaseGrowth, RemovedLabels};
use super::next_release::NextRelease;
use super::parts::{ComparedParts, PublishedParts, compared};
use super::read_tables::ReadTables;
use crate::bytes::{PartRows, PublishedTable, under_recoding};
use crate::histogram::{Release, SensitiveValues, describe};
use crate::model::{Leaf, Node, Role, Taxonomy};
use crate::policy::ChainKind;
use crate::release::{PartLine, ReleaseSpan};

/// A candidate as its bytes show it, compared with what was published. Not judged yet.
pub(super) struct ReadCandidate<'a> {
    pub case: &'a NextRelease<'a>,
    /// The table, under its stated recoding.
    pub table: PublishedTable,
    /// In a chain of crowds, where `table` contains only the new rows, what was published and the
    /// results of the comparison.
    pub crowds: Option<Compared<'a>>,
    /// The rows that it adds to the table of measures, on the dictionary of that table, if it has
    /// one.
    pub measures: Option<(Release, SensitiveValues)>,
    /// The number of rows of each label that it leaves out.
    pub erased: RemovedLabels,
}

/// A candidate compared with what was published of a chain of crowds.
pub(super) struct Compared<'a> {
    /// The releases, without the atoms that the candidate leaves out.
    pub history: Cow<'a, CrowdHistory>,
    /// What the candidate adds.
    pub growth: ReleaseGrowth,
    /// Published files that belong to it as well.
    pub kept: Vec<PartLine>,
    /// What is wrong with its files.
    pub misfits: Vec<Finding>,
}

impl<'a> ReadCandidate<'a> {
    /// From what was read. In a chain of crowds that is the new rows, and files that replace
    /// earlier ones; these are compared with what was published here, and every check uses the new
    /// rows and sums.
    ///
    /// # Errors
    /// The labels of the table are not those of the recoding, or an atom is declared as erased that
    /// is not there.
    pub(super) fn new(
        case: &'a NextRelease<'a>,
        shown: ReadTables,
    ) -> Result<ReadCandidate<'a>, Finding> {
        let (parts, measures) = match shown {
            ReadTables::Table(table, measures) => {
                let table = PublishedTable {
                    release: stated(case, table.release)?,
                    ..*table
                };
                let measures = measures
                    .and_then(|mut part| Some((part.releases.remove(&case.release)?, part.values)));
                return Ok(ReadCandidate {
                    case,
                    table,
                    crowds: None,
                    measures,
                    erased: RemovedLabels::new(),
                });
            }
            ReadTables::Parts(parts, measures) => (parts, measures),
        };
        let (history, erased) = remaining(case)?;
        let (release, values, width) = (
            case.release,
            &case.history.values,
            case.columns.of(Role::Quasi).count(),
        );
        let known = PublishedParts {
            release,
            width,
            values,
            history: &history,
            erased: case.erased,
        };
        let ComparedParts {
            added,
            values,
            map,
            mut kept,
            reasons: mut misfits,
        } = compared(&known, parts);
        let growth = history.growth(added.clone(), &map);
        let measures = if case.columns.has_measures() || !measures.is_empty() {
            let comparison = compared_measures(&known, case, measures)?;
            kept.extend(comparison.kept);
            misfits.extend(comparison.reasons);
            Some((comparison.added, comparison.values))
        } else {
            None
        };
        let table = PublishedTable {
            release: added,
            values,
            exact: None,
        };
        Ok(ReadCandidate {
            case,
            table,
            crowds: Some(Compared {
                history,
                growth,
                kept,
                misfits,
            }),
            measures,
            erased,
        })
    }
}

/// What was published of a chain of crowds, without the atoms that the candidate leaves out.
fn remaining<'a>(
    case: &NextRelease<'a>,
) -> Result<(Cow<'a, CrowdHistory>, RemovedLabels), Finding> {
    let known = &case.history.crowds;
    if case.policy.kind() == ChainKind::Disjoint {
        return Ok((Cow::Owned(CrowdHistory::default()), RemovedLabels::new()));
    }
    if case.erased.is_empty() {
        return Ok((Cow::Borrowed(known), RemovedLabels::new()));
    }
    let rest = known
        .without(case.erased)
        .map(|(rest, rows)| (Cow::Owned(rest), rows));
    let text = "an atom is stated to be erased that is not in the last release";
    rest.ok_or_else(|| Finding::new(Check::Form, "all releases", text))
}

/// Parts of the table of measures compared with what was published of it.
fn compared_measures(
    known: &PublishedParts<'_>,
    case: &NextRelease<'_>,
    parts: Vec<(ReleaseSpan, PartRows)>,
) -> Result<ComparedParts, Finding> {
    let measures = &case.history.measures;
    let alone = case.policy.kind() == ChainKind::Disjoint;
    let rest = if alone {
        Some(CrowdHistory::default())
    } else {
        measures.rows.without(case.erased).map(|rest| rest.0)
    };
    let text = "an atom is stated to be erased of which the last release shows no measures";
    let history = &rest.ok_or_else(|| Finding::new(Check::Form, "measures", text))?;
    if history.len() != known.history.len() {
        return Err(Finding::new(
            Check::Form,
            "measures",
            "the chain has other releases than its table of measures",
        ));
    }
    let mut comparison = compared(
        &PublishedParts {
            values: &measures.values,
            history,
            ..*known
        },
        parts,
    );
    comparison
        .reasons
        .iter_mut()
        .for_each(|reason| reason.place = format!("measures, {}", reason.place));
    Ok(comparison)
}

/// The table under its stated recoding, or with its stated classes.
fn stated(case: &NextRelease<'_>, release: Release) -> Result<Release, Finding> {
    if let Some(labels) = case.own_labels() {
        let known: BTreeSet<&[Node]> = labels.classes().iter().map(Vec::as_slice).collect();
        let foreign = (0..release.classes()).find(|&class| !known.contains(release.class(class)));
        return match foreign {
            None => mislabelled(case).map_or(Ok(release), Err),
            Some(class) => {
                let text = "no person was put into this class";
                Err(Finding::new(
                    Check::Form,
                    release.describe(class, case.columns),
                    text,
                ))
            }
        };
    }
    under_recoding(release, case.recoding).map_err(|column| {
        let name = case
            .columns
            .of(Role::Quasi)
            .nth(column)
            .map_or("", |column| &column.name);
        Finding::new(
            Check::Form,
            format!("column {name}"),
            "a label is not one of the recoding that the manifest states",
        )
    })
}

/// The reason against a class of neighbours whose labels are not the finest that cover its people,
/// as readers and attacks assume.
fn mislabelled(case: &NextRelease<'_>) -> Option<Finding> {
    let trees = case.columns.trees();
    for newest in case.newest {
        if !newest.labels.has_groups() {
            continue;
        }
        let finder = newest.labels.finder(&trees);
        let mut sides: BTreeMap<usize, Vec<[Leaf; 2]>> = BTreeMap::new();
        for tuple in 0..newest.rows.tuples() {
            let leaves: Vec<Leaf> = newest.rows.tuple_at(tuple).collect();
            let Some((class, _)) = finder.class(&leaves) else {
                continue;
            };
            let sides = sides
                .entry(class)
                .or_insert_with(|| leaves.iter().map(|&leaf| [leaf, leaf]).collect());
            for ([low, high], &leaf) in sides.iter_mut().zip(&leaves) {
                (*low, *high) = ((*low).min(leaf), (*high).max(leaf));
            }
        }
        let is_finest = |tree: &Taxonomy, node: Node, [low, high]: [Leaf; 2]| {
            let covers = |node: Node| {
                tree.leaf_range(node).contains(&low) && tree.leaf_range(node).contains(&high)
            };
            covers(node) && !tree.children(node).any(covers)
        };
        for (class, sides) in sides {
            let labels = &newest.labels.classes()[class];
            if !trees
                .iter()
                .zip(labels)
                .zip(sides)
                .all(|((tree, &node), sides)| is_finest(tree, node, sides))
            {
                let text = "its labels are not the finest that cover its people";
                return Some(Finding::new(
                    Check::Form,
                    format!("class {}", describe(labels, case.columns)),
                    text,
                ));
            }
        }
    }
    None
}
