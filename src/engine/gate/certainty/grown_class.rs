//! The facts in a standing recoding that was made coarser (SCIENCE 4, the standing recoding, 2):
//! for each node that is new in it, some class with one of its children had 1..a−1 waiting people,
//! one of them overdue. In its other columns that class was somewhere between the two recodings.
//! Both ways of coarsening guarantee that: the way up coarsens because of a child's class, and the
//! search from the top refuses a node because of one.
//!
//! All overdue people then become part of atoms, so the class in which they are published has
//! grown, and a class that grows at all grows by `a` people or more. In which of its parts they are
//! is not public.
//!
//! The rule, and why nothing else follows from clauses and growth: a clause is satisfied by one
//! person who is alone, so two classes that can satisfy it do not constrain each other. If only one
//! can, and the recoding was made coarser for it in this column only, it is a refusal like one of
//! the first search: with two children and exactly `a` new people both children hold few of them,
//! and with more people or children neither child must. If it was made coarser in several columns,
//! a person who is alone within one part of another column is enough, and all people may be in one
//! child or in the other.

use std::collections::BTreeMap;

use super::budget::{CertaintyBudget, CertaintyUndone};
use super::fact::{Certainty, Fact};
use crate::histogram::Release;
use crate::model::{Cut, Node, Taxonomy};

/// The facts that follow if the recoding of `before` was made coarser into that of `after`, the
/// next release of the chain. The recodings must be those that were stated, not those that labels
/// show. Facts are about the people who came in between: at least and at most so many of them are
/// in this part of a class of `after`, and it is the class of their increment, not of the release,
/// that is small. There are no facts if the recoding is unchanged.
pub fn coarsened(
    before: &Release,
    after: &Release,
    trees: &[&Taxonomy],
    a: u64,
    mut budget: CertaintyBudget,
) -> Certainty {
    assert_eq!(
        (before.width(), after.width()),
        (trees.len(), trees.len()),
        "one taxonomy for each column"
    );
    assert!(a >= 1, "a class has at least one person");
    let mut certainty = Certainty::nothing();
    let solved = Growth::new(before, after, trees, a, &mut budget).and_then(|growth| {
        for (column, cut) in after.recoding().iter().enumerate() {
            let old = before.recoding()[column].nodes();
            for &node in cut
                .nodes()
                .iter()
                .filter(|node| old.binary_search(node).is_err())
            {
                let children: Vec<Node> = trees[column]
                    .children(node)
                    .filter(|&child| trees[column].values(child) > 0)
                    .collect();
                budget.spend((growth.grown.len() + children.len()) as u64)?;
                let (facts, lone) = growth.clause(column, node, &children);
                certainty.clauses += 1;
                certainty.lone += u64::from(lone);
                certainty.facts.extend(facts);
            }
        }
        Ok(())
    });
    certainty.finished(solved)
}

/// A class that has grown.
struct GrownClass<'g> {
    nodes: &'g [Node],
    by: u64,
    /// For each column the nodes of the earlier recoding below its node.
    parts: Vec<&'g [Node]>,
}

struct Growth<'g> {
    /// Classes with several parts.
    grown: Vec<GrownClass<'g>>,
    a: u64,
}

impl<'g> Growth<'g> {
    /// Creates the case.
    ///
    /// # Errors
    /// The budget is spent, or these are no two releases of a chain.
    fn new(
        before: &'g Release,
        after: &'g Release,
        trees: &[&Taxonomy],
        a: u64,
        budget: &mut CertaintyBudget,
    ) -> Result<Growth<'g>, CertaintyUndone> {
        budget.spend(((before.classes() + after.classes()) * trees.len()) as u64)?;
        if !before
            .recoding()
            .iter()
            .zip(after.recoding())
            .all(|(old, new)| old.refines(new))
        {
            return Err(CertaintyUndone::Contradiction);
        }
        let mut known: BTreeMap<Vec<Node>, u64> = BTreeMap::new();
        for class in 0..before.classes() {
            let lifted = before.class(class).iter().zip(after.recoding()).zip(trees);
            let lifted = lifted.map(|((&node, cut), tree)| cut.at(tree.leaf_range(node).start));
            *known.entry(lifted.collect()).or_default() += before.size(class);
        }
        let mut grown = Vec::new();
        for class in 0..after.classes() {
            let nodes = after.class(class);
            let by = after
                .size(class)
                .checked_sub(known.remove(nodes).unwrap_or(0))
                .ok_or(CertaintyUndone::Contradiction)?;
            if (1..a).contains(&by) {
                return Err(CertaintyUndone::Contradiction);
            }
            let cuts = before.recoding().iter().zip(trees).zip(nodes);
            let parts: Vec<&[Node]> = cuts
                .map(|((cut, tree), &node)| under(cut, tree, node))
                .collect();
            if by > 0 && parts.iter().any(|parts| parts.len() > 1) {
                grown.push(GrownClass { nodes, by, parts });
            }
        }
        if known.is_empty() {
            Ok(Growth { grown, a })
        } else {
            Err(CertaintyUndone::Contradiction)
        }
    }

    /// The facts from one new node, and whether only one class can have caused it. There may be
    /// none: the class that caused it may have been erased since.
    fn clause(&self, column: usize, node: Node, children: &[Node]) -> (Vec<Fact>, bool) {
        let mut able = self
            .grown
            .iter()
            .filter(|grown| grown.nodes[column] == node);
        let (Some(grown), None) = (able.next(), able.next()) else {
            return (Vec::new(), false);
        };
        let mut several = (0..grown.parts.len()).filter(|&column| grown.parts[column].len() > 1);
        let (Some(other), None) = (several.next(), several.next()) else {
            return (Vec::new(), true);
        };
        // A new node with a single node below it splits no class; its clause is about the parts of
        // the other column.
        let parts = if other == column {
            children
        } else {
            grown.parts[other]
        };
        assert!(
            grown.by >= self.a,
            "no class grows by fewer people than an atom has"
        );
        if parts.len() != 2 || grown.by != self.a {
            return (Vec::new(), true);
        }
        let fact = |&child: &Node| {
            let class = grown.nodes.to_vec();
            Fact {
                class,
                column: other,
                child,
                least: 1,
                most: self.a - 1,
                sole: false,
            }
        };
        (parts.iter().map(fact).collect(), true)
    }
}

/// The nodes of a cut that are below a node, or equal to it.
fn under<'c>(cut: &'c Cut, tree: &Taxonomy, node: Node) -> &'c [Node] {
    let nodes = cut.nodes();
    let from = nodes.partition_point(|&below| below < node);
    let under = nodes[from..].partition_point(|&below| tree.covers(node, below));
    assert!(from + under <= nodes.len(), "nodes of the cut");
    &nodes[from..from + under]
}

#[cfg(test)]
mod tests {
    use super::super::learnt;
    use super::*;
    use crate::histogram::{Cell, Histogram, SensitiveValues};
    use crate::model::Tree;
    use crate::policy::{Inference, Values};

    /// Two leaves with values, and one without.
    fn tree() -> Taxonomy {
        let mut tree = Tree::new("*");
        [("one", 1), ("other", 1), ("none", 0)]
            .into_iter()
            .for_each(|(label, size)| _ = tree.add(0, label, size));
        tree.finish().expect("distinct labels")
    }

    /// Three people of each leaf pair come first, and three of one of them later; then the first
    /// column becomes `*`.
    #[test]
    fn the_class_that_has_grown_reveals_its_parts() {
        let (first, second) = (tree(), tree());
        let cell = |increment, count| Cell {
            increment,
            value: 0,
            count,
        };
        let (values, _) = SensitiveValues::from_distinct(0, vec![Box::new([])]);
        let came = |later: &[u32]| {
            let pairs = [[0, 0], [1, 0], [0, 1], [1, 1]];
            let mut rows: Vec<([u32; 2], Cell)> =
                pairs.into_iter().map(|pair| (pair, cell(0, 3))).collect();
            rows.extend(later.iter().map(|&other| ([1, other], cell(1, 3))));
            let columns = [0, 1].map(|column| rows.iter().map(|(pair, _)| pair[column]).collect());
            let cells: Vec<Cell> = rows.iter().map(|(_, cell)| *cell).collect();
            Histogram::of_counts(&columns, values.clone(), &cells)
        };
        let (leaves, trees) = ([&first, &second].map(Cut::leaves), [&first, &second]);
        let coarser = [Cut::root(&first), Cut::leaves(&second)];
        let found = |later: &[u32], a: u64, recoding: &[Cut]| {
            let rows = came(later);
            let (before, after) = (
                Release::under(&rows, 0..1, &leaves),
                Release::under(&rows, 0..2, recoding),
            );
            let certainty = learnt(
                Some(&before),
                &after,
                &trees,
                Inference::Replay,
                (a, Values::Repeated),
            );
            (certainty.facts, certainty.clauses, certainty.lone)
        };
        let (facts, clauses, lone) = found(&[0], 3, &coarser);
        let [one, other] = ["one", "other"].map(|label| first.find(label).expect("a leaf"));
        let shown = second.find("one").expect("a leaf");
        let fact = |child: Node| Fact {
            class: vec![0, shown],
            column: 0,
            child,
            least: 1,
            most: 2,
            sole: false,
        };
        assert_eq!((facts, clauses, lone), (vec![fact(one), fact(other)], 1, 1));
        // More people than an atom has, two classes that have grown, and an unchanged recoding.
        assert_eq!(found(&[0], 2, &coarser), (Vec::new(), 1, 1));
        assert_eq!(found(&[0, 1], 3, &coarser), (Vec::new(), 1, 0));
        assert_eq!(found(&[0], 3, &leaves), (Vec::new(), 0, 0));
    }

    /// A node with one child replaces that child, and in the other column two nodes become one:
    /// only the class that this splits can be the reason for either.
    #[test]
    fn a_class_that_grows_as_it_was_is_no_reason() {
        let mut first = Tree::new("*");
        let x = first.add(0, "x", 1);
        first.add(x, "x1", 1);
        first.add(0, "z", 1);
        let mut second = Tree::new("*");
        let u = second.add(0, "u", 2);
        ["u1", "u2"]
            .into_iter()
            .for_each(|label| _ = second.add(u, label, 1));
        second.add(0, "y", 1);
        let (first, second) = (
            first.finish().expect("a tree"),
            second.finish().expect("a tree"),
        );
        let node = |tree: &Taxonomy, label: &str| tree.find(label).expect("a label");
        let (values, _) = SensitiveValues::from_distinct(0, vec![Box::new([])]);
        // First three people of each pair with x1 come, later three with u1 and three with y.
        let [u1, u2, y] =
            ["u1", "u2", "y"].map(|label| second.leaf_range(node(&second, label)).start);
        let x1 = first.leaf_range(node(&first, "x1")).start;
        let came = [(u1, 0), (u1, 1), (u2, 0), (y, 0), (y, 1)];
        let cells = came.map(|(_, increment)| Cell {
            increment,
            value: 0,
            count: 3,
        });
        let columns = [
            vec![x1; came.len()],
            came.iter().map(|(leaf, _)| *leaf).collect(),
        ];
        let rows = Histogram::of_counts(&columns, values, &cells);
        let leaves = [&first, &second].map(Cut::leaves);
        let cut = |tree: &Taxonomy, labels: [&str; 2]| {
            let mut nodes = labels.map(|label| node(tree, label));
            nodes.sort_unstable();
            Cut::completed(tree, &nodes).expect("a cut")
        };
        let coarser = [cut(&first, ["x", "z"]), cut(&second, ["u", "y"])];
        let (before, after) = (
            Release::under(&rows, 0..1, &leaves),
            Release::under(&rows, 0..2, &coarser),
        );
        let found = coarsened(
            &before,
            &after,
            &[&first, &second],
            3,
            CertaintyBudget::FULL,
        );
        assert_eq!((found.clauses, found.lone), (2, 2));
        let class = vec![node(&first, "x"), node(&second, "u")];
        assert!(
            found
                .facts
                .iter()
                .all(|fact| fact.class == class && fact.column == 1),
            "{:?}",
            found.facts
        );
        let found: std::collections::BTreeSet<Node> =
            found.facts.iter().map(|fact| fact.child).collect();
        assert_eq!(found, ["u1", "u2"].map(|label| node(&second, label)).into());
    }
}
