//! Certain facts against those that hold in every world for which the search makes the same
//! release.

use std::collections::BTreeSet;

use tidegate::engine::gate::certainty::{Certainty, CertaintyBudget, Fact, FactExtent, searched};
use tidegate::engine::histogram::Release;
use tidegate::engine::model::{Cut, Node, Taxonomy};
use tidegate::engine::policy::{Inference, Values};

use super::world::{Case, World, draw};
use crate::common::cases;

/// Enough for most cases.
const WORLDS: usize = 600;

fn found(case: &Case, values: Values) -> Certainty {
    searched(
        &case.release,
        &case.trees(),
        Inference::Replay,
        (case.a, values),
        CertaintyBudget::FULL,
    )
}

/// The fewest and the most people of a box in all these worlds, if they are 1..a−1.
fn small(case: &Case, kept: &[(World, u128)], nodes: &[Node]) -> Option<(u64, u64)> {
    let counts = || kept.iter().map(|(world, _)| case.inside(world, nodes));
    let (least, most) = (counts().min()?, counts().max()?);
    (least >= 1 && most < case.a).then_some((least, most))
}

/// The box of a fact.
fn region(fact: &Fact) -> Vec<Node> {
    let mut nodes = fact.class.clone();
    nodes[fact.column] = fact.child;
    nodes
}

/// All boxes below some nodes.
fn boxes(nodes: &[Node], trees: &[&Taxonomy]) -> Vec<Vec<Node>> {
    nodes
        .iter()
        .zip(trees)
        .fold(vec![Vec::new()], |boxes, (&node, tree)| {
            let below =
                || (node..tree.nodes() as Node).take_while(|&below| tree.covers(node, below));
            boxes
                .iter()
                .flat_map(|start| below().map(|node| [&start[..], &[node]].concat()))
                .collect()
        })
}

/// The leaves of a box that are in a class, by columns.
fn shared(nodes: &[Node], class: &[Node], trees: &[&Taxonomy]) -> Option<Vec<Node>> {
    let both = |((&one, &other), tree): ((&Node, &Node), &&Taxonomy)| {
        let (upper, lower) = (one.min(other), one.max(other));
        tree.covers(upper, lower).then_some(lower)
    };
    nodes.iter().zip(class).zip(trees).map(both).collect()
}

/// Whether two boxes have the same leaves: for nodes with one child, node and child are equal.
fn alike(one: &[Node], other: &[Node], trees: &[&Taxonomy]) -> bool {
    one.iter()
        .zip(other)
        .zip(trees)
        .all(|((&one, &other), tree)| tree.leaf_range(one) == tree.leaf_range(other))
}

/// If values may be repeated the answer is exact: of all boxes of nodes, exactly those contain
/// 1..a−1 people in every world that are a reported child, with or without leaves without a person.
#[test]
fn repeated_values_exactly() {
    let (mut compared, mut certain) = (0, 0);
    for case in 0..u64::from(cases(700)) {
        let Some(case) = Case::random(&mut draw(1, case), 3, 7, Values::Repeated) else {
            continue;
        };
        let Some(worlds) = case.worlds(Values::Repeated, WORLDS) else {
            continue;
        };
        let kept = case.kept(&worlds);
        let trees = case.trees();
        let announced = found(&case, Values::Repeated);
        assert_eq!(announced.answer, FactExtent::Whole);
        assert_eq!(announced.clauses as usize, case.found.refusals.len());
        // The labels alone do not show how far nodes without a person were split; it does not
        // matter.
        let shown = (0..trees.len())
            .map(|column| Cut::completed(trees[column], &case.release.shown(column)));
        let labels: Vec<Cut> = shown.collect::<Result<_, _>>().expect("an antichain");
        let labelled = case
            .release
            .clone()
            .under_recoding(&labels)
            .expect("its own nodes");
        assert_eq!(
            searched(
                &labelled,
                &trees,
                Inference::Replay,
                (case.a, Values::Repeated),
                CertaintyBudget::FULL
            ),
            announced
        );
        for fact in &announced.facts {
            assert_eq!(
                small(&case, &kept, &region(fact)),
                Some((fact.least, fact.most)),
                "{fact:?}"
            );
        }
        let everything = vec![0; trees.len()];
        for nodes in boxes(&everything, &trees).iter().take(150) {
            let reported = announced.facts.iter().any(|fact| {
                case.classes()
                    .all(|(class, _)| match shared(nodes, class, &trees) {
                        Some(inside) => {
                            class == fact.class && alike(&inside, &region(fact), &trees)
                        }
                        None => class != fact.class,
                    })
            });
            assert_eq!(
                small(&case, &kept, nodes).is_some(),
                reported,
                "{nodes:?} of {:?}",
                announced.facts
            );
        }
        compared += 1;
        certain += u64::from(!announced.facts.is_empty());
    }
    println!("{compared} releases, {certain} with a small class that is certain");
}

/// Children of rejected nodes, in the classes of the search and in published ones, that contain
/// 1..a−1 people in all worlds.
fn truth(case: &Case, kept: &[(World, u128)]) -> BTreeSet<Fact> {
    let mut facts = BTreeSet::new();
    let (world, _) = &kept[0];
    for (column, node, state) in case.states() {
        let then: Release = super::world::release(world, &state);
        // Classes that were divided, and published ones.
        let single = |class: &Vec<Node>| {
            case.classes().any(|(nodes, rows)| {
                shared(class, nodes, &case.trees()).is_some() && case.inside(world, class) == rows
            })
        };
        let coarse = (0..then.classes())
            .map(|class| then.class(class).to_vec())
            .filter(|class| !single(class));
        for class in coarse
            .chain(case.classes().map(|(nodes, _)| nodes.to_vec()))
            .filter(|class| class[column] == node)
        {
            for child in case.trees[column].children(node) {
                let mut nodes = class.clone();
                nodes[column] = child;
                let fact = |(least, most)| Fact {
                    class: class.clone(),
                    column,
                    child,
                    least,
                    most,
                    sole: false,
                };
                facts.extend(small(case, kept, &nodes).map(fact));
            }
        }
    }
    facts
}

/// If values are distinct every reported fact is true, and nearly all are found.
#[test]
fn distinct_values_from_below() {
    let (mut compared, mut found_ones, mut all) = (0, 0, 0);
    for number in 0..u64::from(cases(1500)) {
        let Some(case) = Case::random(&mut draw(2, number), 3, 8, Values::Distinct) else {
            continue;
        };
        let Some(worlds) = case.worlds(Values::Distinct, WORLDS) else {
            continue;
        };
        let kept = case.kept(&worlds);
        let truth = truth(&case, &kept);
        let announced = found(&case, Values::Distinct);
        assert_eq!(announced.answer, FactExtent::Whole);
        for fact in &announced.facts {
            let bounds = small(&case, &kept, &region(fact));
            let (least, most) =
                bounds.unwrap_or_else(|| panic!("case {number}: not certain: {fact:?}"));
            assert!(fact.least <= least && most <= fact.most, "{fact:?}");
        }
        // A fact that is certain although two people may be equal is certain if they may not.
        let fewer = found(&case, Values::Repeated).facts;
        assert!(fewer.iter().all(|fact| {
            announced
                .facts
                .iter()
                .any(|other| region(other) == region(fact))
        }));
        compared += 1;
        found_ones += announced.facts.len();
        all += truth.len();
    }
    println!("{compared} releases: {found_ones} of {all} certain facts found");
    assert!(found_ones <= all);
}

/// With an insufficient budget the answer contains less, and says so.
#[test]
fn an_answer_is_open_when_the_budget_ends() {
    let mut open = 0;
    for number in 0..200 {
        let Some(case) = Case::random(&mut draw(3, number), 3, 12, Values::Distinct) else {
            continue;
        };
        for values in [Values::Repeated, Values::Distinct] {
            let whole = found(&case, values);
            for budget in [0, 1, 5, 20, 60, 200] {
                let part = searched(
                    &case.release,
                    &case.trees(),
                    Inference::Replay,
                    (case.a, values),
                    CertaintyBudget::new(budget),
                );
                if part.answer == FactExtent::Whole {
                    assert_eq!(part, whole);
                } else {
                    assert_eq!(part.answer, FactExtent::Open);
                    assert!(part.facts.iter().all(|fact| whole.facts.contains(fact)));
                    open += 1;
                }
            }
        }
    }
    assert!(open > 0);
}
