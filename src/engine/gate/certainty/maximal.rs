//! The states next to a recoding that its search must have refused (SCIENCE 6, final maximality): under each of them people of some
//! published class would be in a class of fewer than `a`. Nothing is known of the order in which they were refused.

use super::budget::{CertaintyBudget, CertaintyUndone};
use super::replay::{ReplayedRefusal, TraceClass, parts};
use crate::histogram::Release;
use crate::model::{Decimal, Node, Taxonomy};

/// One state for each node that published classes hold: its children take its place.
pub fn by_node(
    release: &Release,
    trees: &[&Taxonomy],
    budget: &mut CertaintyBudget,
) -> Result<Vec<ReplayedRefusal>, CertaintyUndone> {
    assert_eq!(release.width(), trees.len(), "a taxonomy for each column");
    let mut refused = Vec::new();
    for (column, tree) in trees.iter().enumerate() {
        budget.spend(release.classes() as u64)?;
        let mut nodes: Vec<Node> = (0..release.classes()).map(|class| release.class(class)[column]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        for node in nodes {
            let holders = (0..release.classes()).filter(|&class| release.class(class)[column] == node);
            refused.extend(of(release, column, holders, |_| parts(tree, node)));
        }
    }
    Ok(refused)
}

/// One state for each column: every node of its level gives way to those of the level below.
pub fn by_level(
    release: &Release,
    trees: &[&Taxonomy],
    budget: &mut CertaintyBudget,
) -> Result<Vec<ReplayedRefusal>, CertaintyUndone> {
    assert_eq!(release.width(), trees.len(), "a taxonomy for each column");
    let mut refused = Vec::new();
    for (column, tree) in trees.iter().enumerate() {
        let levels = tree.padded();
        budget.spend((release.classes() * 2) as u64 + levels[0].len() as u64)?;
        let shown: Vec<Node> = (0..release.classes()).map(|class| release.class(class)[column]).collect();
        let on = |level: &Vec<Node>| shown.iter().all(|&node| level[tree.leaf_range(node).start as usize] == node);
        // The lowest of several: where they show the same labels the search takes the lower one.
        let Some(below) = levels.iter().position(on).and_then(|level| level.checked_sub(1)) else { continue };
        let children = |class: usize| {
            let leaves = tree.leaf_range(shown[class]);
            let mut nodes: Vec<Node> = leaves.map(|leaf| levels[below][leaf as usize]).collect();
            nodes.dedup();
            nodes.into_iter().filter(|&node| tree.values(node) > 0).collect()
        };
        refused.extend(of(release, column, 0..release.classes(), children));
    }
    Ok(refused)
}

/// The fewest people who must be in too small parts of published classes under such a state: as many people as the policy lets wait, less
/// the people who may wait already, and one more. Published classes hold no waiting person, and any other class holds fewer than `a`.
pub fn least(release: &Release, trees: &[&Taxonomy], a: u64, share: Decimal) -> u64 {
    assert_eq!(release.width(), trees.len(), "a taxonomy for each column");
    let of_column = |column: usize| {
        release.recoding()[column].nodes().iter().filter(|&&node| trees[column].values(node) > 0).count()
    };
    let classes = (0..trees.len()).fold(1u64, |classes, column| classes.saturating_mul(of_column(column) as u64));
    let room = classes.saturating_sub(release.classes() as u64).saturating_mul(a - 1);
    // The more wait already, the fewer may be added: never the other way round, since the share is below 1.
    let left = |waiting: u64| share.whole_of(release.rows() + waiting).checked_sub(waiting);
    let (mut most, mut beyond) = (0, room.min(release.rows().saturating_mul(1 << 20)) + 1);
    while beyond - most > 1 {
        let waiting = most + (beyond - most) / 2;
        if left(waiting).is_some() { most = waiting } else { beyond = waiting }
    }
    left(most).unwrap_or(0) + 1
}

/// The refusal of a state in which these classes have children in this column; `None` if none of them is divided.
fn of(
    release: &Release,
    column: usize,
    classes: impl Iterator<Item = usize>,
    children: impl Fn(usize) -> Vec<Node>,
) -> Option<ReplayedRefusal> {
    let crowd = |class: usize| {
        let (nodes, rows, parts) = (release.class(class).to_vec(), release.size(class), vec![class]);
        Some(TraceClass { nodes, rows, parts, children: children(class) }).filter(|crowd| crowd.children.len() > 1)
    };
    let crowds: Vec<TraceClass> = classes.filter_map(crowd).collect();
    assert!(crowds.iter().all(|crowd| crowd.rows > 0), "a class has rows");
    (!crowds.is_empty()).then_some(ReplayedRefusal { column, crowds })
}
