//! The states next to a recoding that its search must have refused (SCIENCE 6, final maximality):
//! in each of them people of some published class would be in a class of fewer than `a`. The order
//! of the refusals is unknown.

use super::budget::{CertaintyBudget, CertaintyUndone};
use super::replay::{ReplayedRefusal, TraceClass, parts};
use crate::histogram::Release;
use crate::model::{Decimal, Node, Taxonomy};

/// One state for each node that published classes have: its children replace it.
pub(super) fn by_node(
    release: &Release,
    trees: &[&Taxonomy],
    budget: &mut CertaintyBudget,
) -> Result<Vec<ReplayedRefusal>, CertaintyUndone> {
    assert_eq!(release.width(), trees.len(), "one taxonomy for each column");
    let mut refused = Vec::new();
    for (column, tree) in trees.iter().enumerate() {
        budget.spend(release.classes() as u64)?;
        let mut nodes: Vec<Node> = (0..release.classes())
            .map(|class| release.class(class)[column])
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        for node in nodes {
            let holders =
                (0..release.classes()).filter(|&class| release.class(class)[column] == node);
            refused.extend(of(release, column, holders, |_| parts(tree, node)));
        }
    }
    Ok(refused)
}

/// One state for each column: every node of its level is replaced by those of the level below.
pub(super) fn by_level(
    release: &Release,
    trees: &[&Taxonomy],
    budget: &mut CertaintyBudget,
) -> Result<Vec<ReplayedRefusal>, CertaintyUndone> {
    assert_eq!(release.width(), trees.len(), "one taxonomy for each column");
    let mut refused = Vec::new();
    for (column, tree) in trees.iter().enumerate() {
        let levels = tree.by_level();
        budget.spend((release.classes() * 2) as u64 + levels[0].len() as u64)?;
        let shown: Vec<Node> = (0..release.classes())
            .map(|class| release.class(class)[column])
            .collect();
        let on = |level: &Vec<Node>| {
            shown
                .iter()
                .all(|&node| level[tree.leaf_range(node).start as usize] == node)
        };
        // The lowest of several levels: if they show the same labels, the search takes the lower
        // one.
        let Some(below) = levels
            .iter()
            .position(on)
            .and_then(|level| level.checked_sub(1))
        else {
            continue;
        };
        let children = |class: usize| {
            let leaves = tree.leaf_range(shown[class]);
            let mut nodes: Vec<Node> = leaves.map(|leaf| levels[below][leaf as usize]).collect();
            nodes.dedup();
            nodes
                .into_iter()
                .filter(|&node| tree.values(node) > 0)
                .collect()
        };
        refused.extend(of(release, column, 0..release.classes(), children));
    }
    Ok(refused)
}

/// The smallest number of people who must be in too small parts of published classes in such a
/// state: the number of people whom the policy lets wait, minus the people who may wait already,
/// plus one. Published classes hold no waiting person, and any other class holds fewer than `a`.
pub(super) fn least(release: &Release, trees: &[&Taxonomy], a: u64, share: Decimal) -> u64 {
    assert_eq!(release.width(), trees.len(), "one taxonomy for each column");
    let of_column = |column: usize| {
        release.recoding()[column]
            .nodes()
            .iter()
            .filter(|&&node| trees[column].values(node) > 0)
            .count()
    };
    let classes = (0..trees.len()).fold(1u64, |classes, column| {
        classes.saturating_mul(of_column(column) as u64)
    });
    let room = classes
        .saturating_sub(release.classes() as u64)
        .saturating_mul(a - 1);
    // The more people wait already, the fewer may be added: never the other way round, since the
    // share is below 1.
    let left = |waiting: u64| {
        share
            .whole_of(release.rows() + waiting)
            .checked_sub(waiting)
    };
    let (mut most, mut beyond) = (0, room.min(release.rows().saturating_mul(1 << 20)) + 1);
    while beyond - most > 1 {
        let waiting = most + (beyond - most) / 2;
        if left(waiting).is_some() {
            most = waiting
        } else {
            beyond = waiting
        }
    }
    left(most).unwrap_or(0) + 1
}

/// The refusal of a state in which these classes have children in this column; `None` if none of
/// them is divided.
fn of(
    release: &Release,
    column: usize,
    classes: impl Iterator<Item = usize>,
    children: impl Fn(usize) -> Vec<Node>,
) -> Option<ReplayedRefusal> {
    let crowd = |class: usize| {
        let (nodes, rows, parts) = (
            release.class(class).to_vec(),
            release.size(class),
            vec![class],
        );
        Some(TraceClass {
            nodes,
            rows,
            parts,
            children: children(class),
        })
        .filter(|crowd| crowd.children.len() > 1)
    };
    let crowds: Vec<TraceClass> = classes.filter_map(crowd).collect();
    assert!(
        crowds.iter().all(|crowd| crowd.rows > 0),
        "a class has rows"
    );
    (!crowds.is_empty()).then_some(ReplayedRefusal { column, crowds })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::{Cell, Histogram, SensitiveValues as Dictionary};
    use crate::model::{Cut, Leaf, Tree};

    /// The given numbers of people for each of these leaves.
    fn release(people: &[(Leaf, u32)], cut: Cut) -> Release {
        let (dictionary, _) = Dictionary::from_distinct(0, vec![Box::new([])]);
        let cells: Vec<Cell> = people
            .iter()
            .map(|&(_, count)| Cell {
                increment: 0,
                value: 0,
                count,
            })
            .collect();
        let rows = Histogram::of_counts(
            &[people.iter().map(|one| one.0).collect()],
            dictionary,
            &cells,
        );
        Release::under(&rows, 0..1, &[cut])
    }

    #[test]
    fn fewest_who_would_wait_too_many() {
        let tree = crate::test_trees::two_halves();
        for (rows, leaves) in (1..=40).flat_map(|rows| (1..=3).map(move |leaves| (rows, leaves))) {
            let people: Vec<(Leaf, u32)> = (0..leaves).map(|leaf| (leaf, rows)).collect();
            let table = release(&people, Cut::leaves(&tree));
            for (a, percent) in (1..=5).flat_map(|a| [0, 1, 10, 35, 70].map(|percent| (a, percent)))
            {
                let share = Decimal::new(percent, 2).expect("two decimals");
                // Each unpublished class may hold a − 1 people who wait already.
                let room = u64::from(4 - leaves) * (a - 1);
                let may =
                    |waiting: u64| (percent * (table.rows() + waiting) / 100).checked_sub(waiting);
                let fewest = (0..=room)
                    .filter_map(may)
                    .min()
                    .expect("no person may wait");
                assert_eq!(
                    least(&table, &[&tree], a, share),
                    fewest + 1,
                    "{rows} of {leaves}, a = {a}, {percent} %"
                );
            }
        }
    }

    #[test]
    fn levels_below_the_ones_that_are_shown() {
        let tree = crate::test_trees::two_halves();
        let nodes = |cut: Cut| {
            let table = release(&[(0, 3), (1, 2), (3, 4)], cut);
            let refused =
                by_level(&table, &[&tree], &mut CertaintyBudget::FULL.clone()).expect("solved");
            let crowds = refused.into_iter().flat_map(|refused| refused.crowds);
            crowds
                .map(|crowd| (crowd.nodes, crowd.rows, crowd.children))
                .collect::<Vec<_>>()
        };
        let [a, b] = ["a", "b"].map(|label| tree.find(label).expect("a node"));
        let below = |node: Node| tree.children(node).collect::<Vec<Node>>();
        assert_eq!(nodes(Cut::root(&tree)), [(vec![0], 9, vec![a, b])]);
        let halves = Cut::completed(&tree, &[a, b]).expect("a cut");
        assert_eq!(
            nodes(halves),
            [(vec![a], 5, below(a)), (vec![b], 4, below(b))]
        );
        assert!(nodes(Cut::leaves(&tree)).is_empty(), "nothing is finer");
    }
    /// A node without values is no part of a class, and forms no class in which people may wait.
    #[test]
    fn nodes_without_values_do_not_count() {
        let mut tree = Tree::new("*");
        [("one", 1), ("other", 1), ("none", 0)]
            .into_iter()
            .for_each(|(label, size)| _ = tree.add(0, label, size));
        let tree = tree.finish().expect("distinct labels");
        let table = release(&[(0, 10), (1, 10)], Cut::root(&tree));
        let refused =
            by_level(&table, &[&tree], &mut CertaintyBudget::FULL.clone()).expect("solved");
        assert_eq!(refused[0].crowds[0].children, [1, 2]);
        let table = release(&[(0, 10), (1, 10)], Cut::leaves(&tree));
        let share = Decimal::new(35, 2).expect("two decimals");
        assert_eq!(least(&table, &[&tree], 3, share), 8);
    }
}
