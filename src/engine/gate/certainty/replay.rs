//! Repeats the top-down search from published class sizes and the recoding that it ended with
//! (SCIENCE 4: highest Score first, ties by column, then preorder; a refused candidate is dropped
//! permanently). Written from the definition, without the code of the search.
//!
//! Nodes that no class holds are never examined: splitting them changes nothing.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::BTreeSet;

use super::budget::{CertaintyBudget, CertaintyUndone};
use crate::histogram::Release;
use crate::model::{Node, Taxonomy};

/// A class of a state of the search: a union of published classes.
#[derive(Debug, Clone)]
pub(super) struct TraceClass {
    /// Its nodes, one per quasi column.
    pub nodes: Vec<Node>,
    /// Its number of people.
    pub rows: u64,
    /// The numbers of its published classes.
    pub parts: Vec<usize>,
    /// In a refusal the nodes that it would have been split into, in the column of the refusal.
    pub children: Vec<Node>,
}

/// A candidate that was refused.
#[derive(Debug, Clone)]
pub(super) struct ReplayedRefusal {
    /// The column.
    pub column: usize,
    /// The classes that held the node when it was refused.
    pub crowds: Vec<TraceClass>,
}

/// A candidate by its place in the order of the search.
type Turn = (Reverse<u128>, usize, Node);

/// One state of the search.
struct State<'r> {
    release: &'r Release,
    /// The number of people of each published class.
    sizes: Vec<u64>,
    trees: &'r [&'r Taxonomy],
    crowds: Vec<TraceClass>,
    /// The candidates: their Scores, and the classes that hold them.
    live: BTreeMap<(usize, Node), (u128, Vec<usize>)>,
    order: BTreeSet<Turn>,
}

/// All refusals, in the order in which they happened.
///
/// # Errors
/// The budget is spent, or no search with classes of at least `a` people ends with this recoding.
pub(super) fn refusals(
    release: &Release,
    trees: &[&Taxonomy],
    a: u64,
    budget: &mut CertaintyBudget,
) -> Result<Vec<ReplayedRefusal>, CertaintyUndone> {
    assert_eq!(release.width(), trees.len(), "one taxonomy for each column");
    let mut refused = Vec::new();
    if release.classes() == 0 {
        return Ok(refused);
    }
    let whole = TraceClass {
        nodes: vec![0; trees.len()],
        rows: release.rows(),
        parts: (0..release.classes()).collect(),
        children: Vec::new(),
    };
    if whole.rows < a {
        return Err(CertaintyUndone::Contradiction);
    }
    let sizes = (0..release.classes())
        .map(|class| release.size(class))
        .collect();
    let (live, order) = Default::default();
    let mut state = State {
        release,
        sizes,
        trees,
        crowds: vec![whole],
        live,
        order,
    };
    (0..trees.len()).for_each(|column| state.enter(column, 0, vec![0]));
    while let Some((_, column, node)) = state.order.pop_first() {
        let (_, holders) = state
            .live
            .remove(&(column, node))
            .expect("what has a turn is a candidate");
        let at = release.recoding()[column].at(trees[column].leaf_range(node).start);
        if at > node {
            state.split((column, node), &holders, a, budget)?;
            continue;
        }
        let children = parts(trees[column], node);
        let refused_one = |&crowd: &usize| TraceClass {
            children: children.clone(),
            ..state.crowds[crowd].clone()
        };
        let crowds: Vec<TraceClass> = holders.iter().map(refused_one).collect();
        let held: u64 = crowds.iter().map(|crowd| crowd.parts.len() as u64).sum();
        budget.spend(held)?;
        if crowds
            .iter()
            .flat_map(|crowd| &crowd.parts)
            .any(|&class| release.class(class)[column] != node)
        {
            return Err(CertaintyUndone::Contradiction);
        }
        refused.push(ReplayedRefusal { column, crowds });
    }
    assert!(state.live.is_empty(), "each candidate has had its turn");
    Ok(refused)
}

/// The children of a node that have values; a child without values does not exist.
pub(super) fn parts(tree: &Taxonomy, node: Node) -> Vec<Node> {
    tree.children(node)
        .filter(|&child| tree.values(child) > 0)
        .collect()
}

fn square(rows: u64) -> u128 {
    u128::from(rows) * u128::from(rows)
}

impl State<'_> {
    /// Adds a node that these classes hold from now on. Leaves are never candidates.
    fn enter(&mut self, column: usize, node: Node, holders: Vec<usize>) {
        if !self.trees[column].is_leaf(node) {
            let score = holders
                .iter()
                .map(|&crowd| square(self.crowds[crowd].rows))
                .sum();
            self.order.insert((Reverse(score), column, node));
            self.live.insert((column, node), (score, holders));
        }
    }

    /// Replaces a node by its children. The result is public, so it must satisfy the rule.
    fn split(
        &mut self,
        (column, node): (usize, Node),
        holders: &[usize],
        a: u64,
        budget: &mut CertaintyBudget,
    ) -> Result<(), CertaintyUndone> {
        let children: Vec<Node> = self.trees[column].children(node).collect();
        budget.spend(children.len() as u64)?;
        let mut heirs: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &holder in holders {
            let width = self.trees.len() as u64;
            budget.spend(self.crowds[holder].parts.len() as u64 + width)?;
            let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for &class in &self.crowds[holder].parts {
                let below = self.release.class(class)[column];
                let child = children
                    .partition_point(|&child| child <= below)
                    .checked_sub(1);
                parts
                    .entry(child.ok_or(CertaintyUndone::Contradiction)?)
                    .or_default()
                    .push(class);
            }
            budget.spend(parts.len() as u64 * width)?;
            for (child, crowd) in self.divide(holder, column, &children, parts, a)? {
                heirs.entry(child).or_default().push(crowd);
            }
        }
        heirs
            .into_iter()
            .for_each(|(child, holders)| self.enter(column, children[child], holders));
        Ok(())
    }

    /// Splits a class; the first part keeps its number. Scores of the other columns are updated.
    fn divide(
        &mut self,
        holder: usize,
        column: usize,
        children: &[Node],
        parts: BTreeMap<usize, Vec<usize>>,
        a: u64,
    ) -> Result<Vec<(usize, usize)>, CertaintyUndone> {
        let before = self.crowds[holder].clone();
        let mut made = Vec::with_capacity(parts.len());
        let mut squares = 0;
        for (child, parts) in parts {
            let rows = parts.iter().map(|&class| self.sizes[class]).sum();
            if rows < a {
                return Err(CertaintyUndone::Contradiction);
            }
            squares += square(rows);
            let mut nodes = before.nodes.clone();
            nodes[column] = children[child];
            let crowd = TraceClass {
                nodes,
                rows,
                parts,
                children: Vec::new(),
            };
            if made.is_empty() {
                self.crowds[holder] = crowd;
                made.push((child, holder));
            } else {
                made.push((child, self.crowds.len()));
                self.crowds.push(crowd);
            }
        }
        for (other, &node) in before
            .nodes
            .iter()
            .enumerate()
            .filter(|&(other, _)| other != column)
        {
            if let Some((score, holders)) = self.live.get_mut(&(other, node)) {
                self.order.remove(&(Reverse(*score), other, node));
                *score = *score + squares - square(before.rows);
                self.order.insert((Reverse(*score), other, node));
                holders.extend(made.iter().skip(1).map(|&(_, crowd)| crowd));
            }
        }
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::{Cell, Histogram, SensitiveValues};
    use crate::model::{Cut, Tree};

    /// Of four people one has another first value, and two another second value.
    #[test]
    fn a_refusal_has_the_classes_of_its_state() {
        let tree = || {
            let mut tree = Tree::new("*");
            tree.add(0, "one", 1);
            tree.add(0, "other", 1);
            tree.finish().expect("distinct labels")
        };
        let (first, second) = (tree(), tree());
        let cell = |count| Cell {
            increment: 0,
            value: 0,
            count,
        };
        let (values, _) = SensitiveValues::from_distinct(0, vec![Box::new([])]);
        let rows = Histogram::of_counts(
            &[vec![0, 1, 1], vec![0, 0, 1]],
            values,
            &[cell(1), cell(1), cell(2)],
        );
        let release = Release::under(&rows, 0..1, &[Cut::root(&first), Cut::leaves(&second)]);
        let found = refusals(
            &release,
            &[&first, &second],
            2,
            &mut CertaintyBudget::FULL.clone(),
        )
        .expect("a search");
        let [ReplayedRefusal { column: 0, crowds }] = &found[..] else {
            panic!("{found:?}")
        };
        // It came first of two with equal Score, when all rows were one class.
        let [
            TraceClass {
                nodes,
                rows: 4,
                parts,
                children,
            },
        ] = &crowds[..]
        else {
            panic!("{crowds:?}")
        };
        assert_eq!(
            (&nodes[..], &parts[..], &children[..]),
            (&[0, 0][..], &[0, 1][..], &[1, 2][..])
        );
        // Classes of two are too small for a = 3.
        let undone = refusals(
            &release,
            &[&first, &second],
            3,
            &mut CertaintyBudget::FULL.clone(),
        );
        assert_eq!(undone.err(), Some(CertaintyUndone::Contradiction));
        let undone = refusals(
            &release,
            &[&first, &second],
            2,
            &mut CertaintyBudget::new(3),
        );
        assert_eq!(undone.err(), Some(CertaintyUndone::Spent));
    }

    /// The candidate with larger classes comes first, with the classes of its turn, and a node
    /// without values is no part.
    #[test]
    fn candidates_have_turns_by_the_classes_that_they_have_then() {
        let tree = |column: usize| {
            let mut tree = Tree::new("*");
            for inner in ["x", "y"] {
                let node = tree.add(0, &format!("{column}{inner}"), 2);
                ["a", "b"]
                    .iter()
                    .for_each(|leaf| _ = tree.add(node, &format!("{column}{inner}{leaf}"), 1));
            }
            tree.finish().expect("distinct labels")
        };
        let (first, second) = (tree(0), tree(1));
        let (x, y) = (1, 4);
        assert_eq!((first.label(x), first.label(y)), ("0x", "0y"));
        let cell = |count| Cell {
            increment: 0,
            value: 0,
            count,
        };
        let (values, _) = SensitiveValues::from_distinct(0, vec![Box::new([])]);
        let rows = Histogram::of_counts(
            &[vec![0, 0, 2], vec![0, 2, 0]],
            values,
            &[cell(2), cell(2), cell(3)],
        );
        let cut = |tree: &Taxonomy| Cut::completed(tree, &[x, y]).expect("a cut");
        let release = Release::under(&rows, 0..1, &[cut(&first), cut(&second)]);
        let found = refusals(
            &release,
            &[&first, &second],
            2,
            &mut CertaintyBudget::FULL.clone(),
        )
        .expect("a search");
        let turns: Vec<_> = found
            .iter()
            .map(|refused| (refused.column, refused.crowds[0].nodes[refused.column]))
            .collect();
        // 2² + 3² people, 3², 2² + 2², 2²; before the second column was split the first node had (2 + 2)².
        assert_eq!(turns, [(1, x), (0, y), (0, x), (1, y)]);
    }

    /// A child without a value does not exist.
    #[test]
    fn parts_have_values() {
        let mut tree = Tree::new("*");
        for (label, values) in [("one", 1), ("none", 0), ("other", 2)] {
            tree.add(0, label, values);
        }
        let tree = tree.finish().expect("distinct labels");
        assert_eq!(parts(&tree, 0), [1, 3]);
    }
}
