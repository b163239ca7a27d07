//! The people of a minimality attack (SCIENCE 5), grouped by their leaves: which of their rows a
//! release shows ungeneralised, and in which generalised classes the other rows can be. Classes
//! that may hold rows of the same people form a group.
//!
//! This module looks at labels and numbers of rows. It uses sensitive values only to check that the
//! rows can be those of the release.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::gate::minimality::spread::{RowSpread, SpreadTable};
use crate::histogram::{Histogram, Release};
use crate::model::{Columns, Node, Taxonomy};

/// The most ways to divide rows among classes that are enumerated; with more, nothing is known.
const TABLES: usize = 1_000;

/// The most steps of this enumeration, per group.
const STEPS: u64 = 20_000_000;

/// People of one leaf tuple.
pub(super) struct Equals {
    /// The index of their raw tuple.
    pub tuple: usize,
    /// Their leaves, as nodes.
    pub leaves: Vec<Node>,
    /// The number of people.
    pub people: u64,
    /// The class that shows rows of theirs ungeneralised.
    pub shown: Option<usize>,
    /// The number of their rows that were generalised.
    pub generalised: u64,
    /// The first class that their rows may be in: a generalised one if some rows were generalised.
    pub class: usize,
}

/// Generalised classes, and the people who have rows in them.
pub(super) struct ClassGroup {
    /// The classes.
    pub classes: Vec<usize>,
    /// The people, as indices in the list of all.
    pub people: Vec<usize>,
    /// The numbers of rows on either side.
    pub spread: RowSpread,
    /// Every way to divide the people's rows among the classes; `None` if there are too many.
    pub tables: Option<Vec<SpreadTable>>,
}

/// Rows that do not belong to a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignRows {
    /// The labels of a class that these rows cannot fill.
    pub nodes: Vec<Node>,
}

/// The people behind a release, and its groups.
///
/// # Errors
/// The rows do not fill the labels of a class.
pub(super) fn groups(
    release: &Release,
    raw: &Histogram,
    columns: &Columns,
) -> Result<(Vec<Equals>, Vec<ClassGroup>), ForeignRows> {
    assert_eq!(release.width(), raw.width(), "rows of the release");
    let trees = columns.trees();
    let bare: Vec<bool> = (0..release.classes())
        .map(|class| is_bare(release.class(class), &trees))
        .collect();
    let of: Vec<(Equals, Vec<usize>)> = (0..raw.tuples())
        .into_par_iter()
        .filter(|&tuple| rows_of(raw, tuple) > 0)
        .map(|tuple| equals(release, raw, (&trees, &bare), tuple))
        .collect::<Result<_, _>>()?;
    let shown: usize = of
        .iter()
        .filter(|(equals, _)| equals.shown.is_some())
        .count();
    let (equals, may): (Vec<Equals>, Vec<Vec<usize>>) = of.into_iter().unzip();
    if shown < bare.iter().filter(|&&bare| bare).count() {
        let filled: Vec<usize> = equals.iter().filter_map(|equals| equals.shown).collect();
        let empty = (0..release.classes()).find(|class| bare[*class] && !filled.contains(class));
        return Err(ForeignRows {
            nodes: release.class(empty.expect("one is not filled")).to_vec(),
        });
    }
    let generalised = (0..release.classes()).filter(|&class| !bare[class]);
    let groups = linked(generalised, release.classes(), &may);
    let groups = groups
        .into_par_iter()
        .map(|(classes, people)| group(release, raw, (&equals, &may), classes, people));
    let groups = groups.collect::<Result<_, _>>()?;
    Ok((equals, groups))
}

fn is_bare(nodes: &[Node], trees: &[&Taxonomy]) -> bool {
    assert_eq!(nodes.len(), trees.len(), "one node for each column");
    nodes
        .iter()
        .zip(trees)
        .all(|(&node, tree)| tree.is_leaf(node))
}

fn rows_of(raw: &Histogram, tuple: usize) -> u64 {
    raw.cells_of(tuple)
        .iter()
        .map(|cell| u64::from(cell.count))
        .sum()
}

/// The people of a tuple, and the generalised classes that may hold their rows.
fn equals(
    release: &Release,
    raw: &Histogram,
    (trees, bare): (&[&Taxonomy], &[bool]),
    tuple: usize,
) -> Result<(Equals, Vec<usize>), ForeignRows> {
    let leaves: Vec<Node> = raw
        .tuple_at(tuple)
        .zip(trees)
        .map(|(leaf, tree)| tree.leaf_node(leaf))
        .collect();
    let people = rows_of(raw, tuple);
    let shown = release.find(&leaves);
    let astray = || ForeignRows {
        nodes: leaves.clone(),
    };
    let generalised = people
        .checked_sub(shown.map_or(0, |class| release.size(class)))
        .ok_or_else(astray)?;
    for group in shown.iter().flat_map(|&class| release.range(class)) {
        let cells = raw
            .cells_of(tuple)
            .iter()
            .filter(|cell| cell.value == release.values()[group]);
        if cells.map(|cell| u64::from(cell.count)).sum::<u64>() < release.counts()[group] {
            return Err(astray());
        }
    }
    let may: Vec<usize> = if generalised == 0 {
        Vec::new()
    } else if release.is_local() {
        let covers = |&class: &usize| {
            let mut columns = trees.iter().zip(release.class(class)).zip(&leaves);
            !bare[class] && columns.all(|((tree, &node), &leaf)| tree.covers(node, leaf))
        };
        (0..release.classes()).filter(covers).collect()
    } else {
        let labels = release
            .recoding()
            .iter()
            .zip(raw.tuple_at(tuple))
            .map(|(cut, leaf)| cut.at(leaf));
        release
            .find(&labels.collect::<Vec<Node>>())
            .into_iter()
            .filter(|&class| !bare[class])
            .collect()
    };
    let class = may
        .first()
        .copied()
        .or(shown.filter(|_| generalised == 0))
        .ok_or_else(astray)?;
    Ok((
        Equals {
            tuple,
            leaves,
            people,
            shown,
            generalised,
            class,
        },
        may,
    ))
}

/// The classes that are linked with these by people whose rows may be in either.
fn linked(
    classes: impl Iterator<Item = usize>,
    all: usize,
    may: &[Vec<usize>],
) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut above: Vec<usize> = (0..all).collect();
    fn top(above: &mut [usize], mut class: usize) -> usize {
        while above[class] != class {
            above[class] = above[above[class]];
            class = above[class];
        }
        class
    }
    for of in may {
        for pair in of.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|class| top(&mut above, class));
            above[a.max(b)] = a.min(b);
        }
    }
    let mut groups: BTreeMap<usize, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for class in classes {
        groups
            .entry(top(&mut above, class))
            .or_default()
            .0
            .push(class);
    }
    for (people, of) in may.iter().enumerate() {
        if let Some(group) = of
            .first()
            .and_then(|&class| groups.get_mut(&top(&mut above, class)))
        {
            group.1.push(people);
        }
    }
    groups.into_values().collect()
}

fn group(
    release: &Release,
    raw: &Histogram,
    (equals, may): (&[Equals], &[Vec<usize>]),
    classes: Vec<usize>,
    people: Vec<usize>,
) -> Result<ClassGroup, ForeignRows> {
    let place: BTreeMap<usize, usize> = classes.iter().copied().zip(0..).collect();
    let pairs = people
        .iter()
        .enumerate()
        .flat_map(|(at, &of)| may[of].iter().map(move |class| (class, at)));
    let spread = RowSpread {
        people: people.iter().map(|&of| equals[of].generalised).collect(),
        classes: classes.iter().map(|&class| release.size(class)).collect(),
        may: pairs.map(|(class, at)| (place[class], at)).collect(),
    };
    let tables = spread.tables(TABLES, STEPS);
    let fits = tables.as_ref().is_none_or(|tables| !tables.is_empty());
    if !fits || !agree(release, raw, equals, (&classes, &people)) {
        return Err(ForeignRows {
            nodes: release.class(classes[0]).to_vec(),
        });
    }
    Ok(ClassGroup {
        classes,
        people,
        spread,
        tables,
    })
}

/// Whether people have as many rows of each value as their classes show, generalised or not.
fn agree(
    release: &Release,
    raw: &Histogram,
    equals: &[Equals],
    (classes, people): (&[usize], &[usize]),
) -> bool {
    let mut rows: BTreeMap<u32, i64> = BTreeMap::new();
    let shown = people.iter().filter_map(|&of| equals[of].shown);
    for class in classes.iter().copied().chain(shown) {
        for group in release.range(class) {
            *rows.entry(release.values()[group]).or_default() += release.counts()[group] as i64;
        }
    }
    for &of in people {
        for cell in raw.cells_of(equals[of].tuple) {
            *rows.entry(cell.value).or_default() -= i64::from(cell.count);
        }
    }
    rows.values().all(|&rows| rows == 0)
}
