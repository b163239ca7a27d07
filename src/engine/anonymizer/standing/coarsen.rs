//! Coarsens the standing recoding as little as necessary to give every overdue row a class (SCIENCE
//! 4, the standing recoding, 2): the better of two results, one from the overdue rows up and one
//! from a search from the top down, by Σ|class|² over published and waiting rows.
//!
//! It sees only classes of the standing recoding and numbers of people, and never makes a class
//! finer.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use super::super::crowd::UrgentClasses;
use super::super::table::SearchTable;
use super::super::top_down::{Refusal, TopDownResult, top_down, top_down_from};
use super::course::Course;
use super::parts::RecodingStep;
use crate::model::{Cut, Leaf, Node, Recoding, Taxonomy};

/// People in one class of the standing recoding.
#[derive(Clone)]
pub struct ClassPeople {
    nodes: Vec<Node>,
    head: Head,
}

#[derive(Clone, Copy, Default)]
struct Head {
    /// The number of published and waiting people.
    all: u64,
    /// The number of waiting people.
    pool: u64,
    /// Whether a person is overdue.
    urgent: bool,
}

impl ClassPeople {
    /// `all` is the number of published and waiting people, `pool` that of waiting ones.
    pub fn new(nodes: &[Node], all: u64, pool: u64, urgent: bool) -> ClassPeople {
        ClassPeople {
            nodes: nodes.to_vec(),
            head: Head { all, pool, urgent },
        }
    }
}

type Classes = BTreeMap<Vec<Node>, Head>;

fn gather(rows: impl IntoIterator<Item = (Vec<Node>, Head)>) -> Classes {
    let mut classes = Classes::new();
    for (nodes, head) in rows {
        let sum = classes.entry(nodes).or_default();
        *sum = Head {
            all: sum.all + head.all,
            pool: sum.pool + head.pool,
            urgent: sum.urgent | head.urgent,
        };
    }
    classes
}

fn squares(classes: &Classes) -> u128 {
    classes
        .values()
        .map(|head| u128::from(head.all) * u128::from(head.all))
        .sum()
}

/// A coarser recoding.
pub struct CoarserRecoding {
    /// The recoding.
    pub recoding: Recoding,
    /// How it was found.
    pub step: RecodingStep,
    /// The specialisations that lead to it, if it was found by a new search.
    pub steps: Option<Vec<(usize, Node)>>,
    /// The specialisations that its search refused.
    pub refusals: Vec<Refusal>,
}

/// The coarsest recoding that may be published, and the weight of each column.
type Terms<'t> = (&'t [Cut], Vec<u32>);

/// The coarser recoding. At least `a` people have to wait.
pub fn coarsen(
    rows: Vec<ClassPeople>,
    cut: &[Cut],
    (coarsest, weights): Terms<'_>,
    a: u64,
    trees: &[&Taxonomy],
) -> CoarserRecoding {
    let classes = gather(rows.into_iter().map(|row| (row.nodes, row.head)));
    let (up, up_squares) = bottom_up(classes.clone(), cut, coarsest, a, trees);
    assert!(
        up_squares >= squares(&classes),
        "classes that are merged are larger"
    );
    let down = from_the_top(&classes, cut, (coarsest, weights), a, trees);
    let coarser = |recoding: &Recoding| {
        cut.iter()
            .zip(recoding)
            .all(|(standing, coarser)| standing.refines(coarser))
    };
    assert!(
        coarser(&up) && coarser(&down.recoding),
        "no class becomes finer"
    );
    if down.squares < up_squares {
        let steps = Some(
            Course::searched_from(coarsest, &down, trees)
                .steps()
                .to_vec(),
        );
        CoarserRecoding {
            recoding: down.recoding,
            step: RecodingStep::TopDown,
            steps,
            refusals: down.refusals,
        }
    } else {
        CoarserRecoding {
            recoding: up,
            step: RecodingStep::BottomUp,
            steps: None,
            refusals: Vec::new(),
        }
    }
}

/// As long as an overdue row has no class, the parent of one of its cut nodes replaces all cut
/// nodes below it.
fn bottom_up(
    mut classes: Classes,
    cut: &[Cut],
    coarsest: &[Cut],
    a: u64,
    trees: &[&Taxonomy],
) -> (Recoding, u128) {
    let mut nodes: Vec<Vec<Node>> = cut.iter().map(|cut| cut.nodes().to_vec()).collect();
    loop {
        let lonely = classes
            .iter()
            .filter(|(_, head)| head.urgent && head.pool < a);
        let above = lonely.flat_map(|(class, _)| {
            let parent = |(column, &node): (usize, &Node)| {
                let parent = trees[column].parent(node)?;
                within(&coarsest[column], parent, trees[column]).then_some((column, parent))
            };
            class.iter().enumerate().filter_map(parent)
        });
        let Some((column, node, merged)) = least(&classes, above.collect(), trees) else {
            break;
        };
        replace(&mut nodes[column], node, trees[column]);
        classes = merged;
    }
    (completed(&nodes, trees), squares(&classes))
}

/// Whether a node is in or below a cut, so that a column may become as coarse as the node.
fn within(coarsest: &Cut, node: Node, tree: &Taxonomy) -> bool {
    // Of two nodes on one path the lower one has the larger number.
    coarsest.at(tree.leaf_range(node).start) <= node
}

/// The node among several that leads to the least Σ|class|² when it replaces all nodes below it,
/// and the classes after that.
fn least(
    classes: &Classes,
    above: BTreeSet<(usize, Node)>,
    trees: &[&Taxonomy],
) -> Option<(usize, Node, Classes)> {
    let merged = |(column, node): (usize, Node)| {
        let lift = |(class, &head): (&Vec<Node>, &Head)| {
            let mut class = class.clone();
            if trees[column].covers(node, class[column]) {
                class[column] = node;
            }
            (class, head)
        };
        (column, node, gather(classes.iter().map(lift)))
    };
    above
        .into_iter()
        .map(merged)
        .min_by_key(|(column, node, merged)| (squares(merged), *column, *node))
}

fn replace(nodes: &mut Vec<Node>, node: Node, tree: &Taxonomy) {
    nodes.retain(|&below| !tree.covers(node, below));
    nodes.push(node);
}

fn completed(nodes: &[Vec<Node>], trees: &[&Taxonomy]) -> Recoding {
    let recoding = nodes
        .iter()
        .zip(trees)
        .map(|(nodes, tree)| Cut::completed(tree, nodes));
    recoding
        .collect::<Result<_, _>>()
        .expect("a node replaces all below it")
}

/// The recoding one step coarser for a class (SCIENCE 6, repair), by the rule of [`bottom_up`], and
/// the column of the step. A step has to change something, so a node with a single child is
/// skipped. `None` if nothing is coarser.
pub fn raised(
    people: impl IntoIterator<Item = (Vec<Node>, u64)>,
    cut: &[Cut],
    class: &[Node],
    coarsest: &[Cut],
    trees: &[&Taxonomy],
) -> Option<(usize, Recoding)> {
    assert!(
        class.len() == trees.len() && cut.len() == trees.len(),
        "a label and a cut of each column"
    );
    let classes = gather(people.into_iter().map(|(nodes, all)| {
        (
            nodes,
            Head {
                all,
                ..Head::default()
            },
        )
    }));
    let splits = |tree: &Taxonomy, node: Node| {
        tree.children(node)
            .filter(|&child| tree.values(child) > 0)
            .count()
            > 1
    };
    let above = class
        .iter()
        .zip(trees)
        .enumerate()
        .filter_map(|(column, (&node, tree))| {
            let mut parents = std::iter::successors(tree.parent(node), |&node| tree.parent(node));
            let above = parents.find(|&node| splits(tree, node))?;
            within(&coarsest[column], above, tree).then_some((column, above))
        });
    let (column, node, _) = least(&classes, above.collect(), trees)?;
    let mut nodes: Vec<Vec<Node>> = cut.iter().map(|cut| cut.nodes().to_vec()).collect();
    replace(&mut nodes[column], node, trees[column]);
    let raised = completed(&nodes, trees);
    assert!(
        cut[column].refines(&raised[column]) && cut[column] != raised[column],
        "the column of the step becomes coarser"
    );
    Some((column, raised))
}

/// The search from `*` down to recodings at or above the standing one: every overdue row has to get
/// a class.
fn from_the_top(
    classes: &Classes,
    cut: &[Cut],
    (coarsest, weights): Terms<'_>,
    a: u64,
    trees: &[&Taxonomy],
) -> TopDownResult {
    let leaf = |(column, tree): (usize, &&Taxonomy)| -> Vec<Leaf> {
        classes
            .keys()
            .map(|class| tree.leaf_range(class[column]).start)
            .collect()
    };
    let columns: Vec<Vec<Leaf>> = trees.iter().enumerate().map(leaf).collect();
    let all: Vec<u64> = classes.values().map(|head| head.all).collect();
    let pool: Vec<u64> = classes.values().map(|head| head.pool).collect();
    let urgent: Vec<bool> = classes.values().map(|head| head.urgent).collect();
    let table = SearchTable {
        trees,
        columns: columns.iter().map(Vec::as_slice).collect(),
        rows: &all,
        weights,
    };
    let mut validity = UrgentClasses {
        a,
        rows: &pool,
        urgent: Some(&urgent),
    };
    let roots: Recoding = trees.iter().map(|tree| Cut::root(tree)).collect();
    match *coarsest == roots {
        true => top_down(&table, cut, &mut validity).expect("the pool has at least a rows"),
        false => top_down_from(&table, coarsest, cut, &mut validity),
    }
}
