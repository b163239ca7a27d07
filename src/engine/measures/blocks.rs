//! The sums of a chain whose releases contain all people so far (SCIENCE 7). The people of a class
//! of an earlier release are in classes of the later ones, together with others, and readers can
//! subtract sums.
//!
//! So people enter sums in blocks. A block is a set of people whose sum may be published; it is
//! never divided and never removed. People whose numbers are in no block wait in the rest of their
//! class, until their sum may be published together: then they become a block. A class shows its
//! sum if all of its people are in blocks that are entirely in it. Then all published sums are sums
//! over whole blocks, and so is everything that follows from them: both rules are subadditive, so
//! that no such sum reveals more than the blocks do.

use std::collections::{BTreeMap, BTreeSet};

use super::aggregate::{SumSuppression, count, table};
use crate::dominance::SumCell;
use crate::histogram::{Histogram, Release};
use crate::model::{Cut, Node, Taxonomy, Value};

/// The addends of a release, if it has any, and its recoding.
pub type ReleaseAddends<'a> = (&'a [Cut], Option<&'a Histogram>);

impl SumSuppression {
    /// The figures that the newest of these releases publishes for each of its classes: for each
    /// measure the number of values, and their sum. Suppressed figures are null.
    pub fn standing(
        &self,
        releases: &[ReleaseAddends<'_>],
        newest: &Release,
        trees: &[&Taxonomy],
    ) -> Histogram {
        assert_eq!(newest.width(), trees.len(), "one taxonomy for each column");
        let width = releases
            .iter()
            .find_map(|(_, added)| Some(added.as_ref()?.values().width()));
        let measures = width.unwrap_or(0) / self.width();
        // Counts use blocks that are large enough, and sums use those whose sums the rules allow as
        // well.
        let mut blocks: Vec<[Blocks; 2]> = (0..measures).map(|_| Default::default()).collect();
        for (recoding, added) in releases {
            for (label, cells) in added.iter().flat_map(|added| self.read(added)) {
                let parts = blocks.iter_mut().zip(&cells);
                parts.for_each(|(kinds, cell)| {
                    kinds
                        .iter_mut()
                        .for_each(|kind| kind.join(label.clone(), cell))
                });
            }
            for [counts, sums] in &mut blocks {
                counts.form(recoding, trees, |cell| self.are_few(cell));
                sums.form(recoding, trees, |cell| self.is_hidden(cell));
            }
        }
        let recoding = releases.last().map_or(&[][..], |(recoding, _)| recoding);
        let under: Vec<[RecodedBlocks<'_>; 2]> = blocks
            .iter()
            .map(|kinds| kinds.each_ref().map(|kind| kind.under(recoding, trees)))
            .collect();
        let row = |class: &[Node]| -> Box<[Value]> {
            let values = under.iter().flat_map(|[counts, sums]| {
                let known = counts.of(class, trees);
                let sum = known.as_ref().and_then(|_| sums.of(class, trees));
                [
                    known.map_or(Value::Null, |cell| count(&cell)),
                    sum.map_or(Value::Null, |cell| Value::Decimal(cell.sum())),
                ]
            });
            values.collect()
        };
        let classes = (0..newest.classes()).map(|class| newest.class(class).to_vec());
        table(
            trees.len(),
            2 * measures,
            classes.map(|class| (class.clone(), row(&class))),
        )
    }
}

/// The people so far, by the state of their numbers.
#[derive(Default)]
struct Blocks {
    /// People in blocks: all blocks of one label together, since they are always in the same class.
    whole: BTreeMap<Vec<Node>, SumCell>,
    /// People in no block, by the labels with which they came.
    rest: BTreeMap<Vec<Node>, SumCell>,
}

impl Blocks {
    fn join(&mut self, label: Vec<Node>, cell: &SumCell) {
        add(&mut self.rest, label, cell);
    }

    /// People in the rest of a class become a block if their common figure may be published.
    fn form(&mut self, recoding: &[Cut], trees: &[&Taxonomy], hidden: impl Fn(&SumCell) -> bool) {
        assert_eq!(recoding.len(), trees.len(), "one cut for each column");
        let mut classes = BTreeMap::new();
        self.rest
            .iter()
            .for_each(|(label, cell)| add(&mut classes, class_of(label, recoding, trees), cell));
        classes.retain(|_, cell| !hidden(cell));
        self.rest
            .retain(|label, _| !classes.contains_key(&class_of(label, recoding, trees)));
        classes
            .into_iter()
            .for_each(|(class, cell)| add(&mut self.whole, class, &cell));
    }

    fn under(&self, recoding: &[Cut], trees: &[&Taxonomy]) -> RecodedBlocks<'_> {
        assert_eq!(recoding.len(), trees.len(), "one cut for each column");
        let mut sums = BTreeMap::new();
        self.whole
            .iter()
            .for_each(|(label, cell)| add(&mut sums, class_of(label, recoding, trees), cell));
        let open = self
            .rest
            .keys()
            .map(|label| class_of(label, recoding, trees))
            .collect();
        let across = self.whole.iter().filter(|(label, cell)| {
            let mut columns = label.iter().zip(recoding).zip(trees);
            cell.rows() > 0
                && columns.any(|((&node, cut), tree)| node < cut.at(tree.leaf_range(node).start))
        });
        RecodedBlocks {
            sums,
            open,
            across: across.map(|(label, _)| label.as_slice()).collect(),
        }
    }
}

/// Blocks, distributed over the classes of a recoding.
struct RecodedBlocks<'b> {
    /// The numbers of the blocks that are entirely in one class.
    sums: BTreeMap<Vec<Node>, SumCell>,
    /// Classes with people who are in no block.
    open: BTreeSet<Vec<Node>>,
    /// Labels of blocks that several classes may share, since the recoding is finer.
    across: Vec<&'b [Node]>,
}

impl RecodedBlocks<'_> {
    /// All numbers of a class; `None` if some of them are in no block, or in one that other classes
    /// may share.
    fn of(&self, class: &[Node], trees: &[&Taxonomy]) -> Option<SumCell> {
        let meets = |label: &[Node]| {
            let mut columns = label.iter().zip(class).zip(trees);
            columns.all(|((&one, &other), tree)| tree.covers(one, other) || tree.covers(other, one))
        };
        if self.open.contains(class) || self.across.iter().any(|label| meets(label)) {
            return None;
        }
        Some(self.sums.get(class).cloned().unwrap_or(SumCell::new(0)))
    }
}

/// The class of people with this label; the label itself if the recoding is finer.
fn class_of(label: &[Node], recoding: &[Cut], trees: &[&Taxonomy]) -> Vec<Node> {
    assert_eq!(
        (label.len(), recoding.len()),
        (trees.len(), trees.len()),
        "one node for each column"
    );
    label
        .iter()
        .zip(recoding)
        .zip(trees)
        .map(|((&node, cut), tree)| cut.join_node(tree, node))
        .collect()
}

fn add(cells: &mut BTreeMap<Vec<Node>, SumCell>, label: Vec<Node>, cell: &SumCell) {
    match cells.get_mut(&label) {
        Some(known) => known.merge(cell),
        None => _ = cells.insert(label, cell.clone()),
    }
}
