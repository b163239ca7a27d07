//! A standing recoding that is made coarser at once (`max_wait` 0): every way in which the new
//! people can be distributed over the classes of the previous recoding, and the real tick on each.

use std::collections::BTreeSet;

use tidegate::engine::anonymizer::{RareRowRules, StandingRecoding, StandingState};
use tidegate::engine::gate::certainty::{CertaintyBudget, Fact, FactExtent, coarsened};
use tidegate::engine::histogram::Release;
use tidegate::engine::model::{Node, Recoding, Taxonomy};
use tidegate::engine::policy::{Decimal, Values};

use super::world::{Case, World, draw, headcount, release};
use crate::common::cases;

/// A class, and how many new people are in it.
type Part = (Vec<Node>, u32);

/// A chain after its first release, and its second release.
struct Chain {
    case: Case,
    state: StandingState,
    first: World,
    grown: Vec<(Vec<Node>, u64)>,
    recoding: Recoding,
    after: Release,
    /// Within the grown classes, all boxes between the two recodings.
    boxes: Vec<Vec<Node>>,
}

fn tick(
    state: &StandingState,
    people: &World,
    a: u64,
    trees: &[&Taxonomy],
) -> (Recoding, Vec<(Vec<Node>, u64)>) {
    let rules = RareRowRules {
        a,
        max_wait: 0,
        max_withheld: Decimal::ZERO,
    };
    let mut standing = StandingRecoding::resume(rules, state.clone());
    let tick = standing.tick(&headcount(trees.len(), people), 0, trees);
    let atoms = tick
        .atoms
        .iter()
        .map(|atom| (atom.class.clone(), atom.people.rows()))
        .collect();
    (standing.state().cut().expect("there is one").clone(), atoms)
}

impl Chain {
    fn random(number: u64) -> Option<Chain> {
        let mut draw = draw(21, number);
        let case = Case::random(&mut draw, 2, 10, Values::Repeated)?;
        let trees = case.trees();
        let first = case.people.clone();
        let mut people = World::new();
        for _ in 0..draw.between(case.a, 6) {
            people.push((
                trees
                    .iter()
                    .map(|tree| draw.between(0, tree.leaves() as u64 - 1) as u32)
                    .collect(),
                1,
            ));
        }
        let mut standing = StandingRecoding::new(
            RareRowRules {
                a: case.a,
                max_wait: 0,
                max_withheld: Decimal::ZERO,
            },
            trees.len(),
        );
        standing.tick(&headcount(trees.len(), &first), 0, &trees);
        let state = standing.into_state();
        let (recoding, grown) = tick(&state, &people, case.a, &trees);
        let after = release(&[&first[..], &people].concat(), &recoding);
        let mut boxes: Vec<Vec<Node>> = Vec::new();
        for (class, _) in &grown {
            let cuts = class.iter().zip(&case.found.recoding).zip(&trees);
            boxes.extend(cuts.fold(
                vec![Vec::new()],
                |boxes: Vec<Vec<Node>>, ((&node, cut), tree)| {
                    let between = |below: &Node| {
                        tree.covers(node, *below) && *below <= cut.at(tree.leaf_range(*below).start)
                    };
                    let nodes: Vec<Node> = (0..tree.nodes() as Node).filter(between).collect();
                    boxes
                        .iter()
                        .flat_map(|start| nodes.iter().map(|&node| [&start[..], &[node]].concat()))
                        .collect()
                },
            ));
        }
        Some(Chain {
            state,
            first,
            grown,
            recoding,
            after,
            boxes,
            case,
        })
    }

    /// Every way to distribute the new people over classes of the previous recoding: the class, and
    /// how many.
    fn worlds(&self, most: usize) -> Option<Vec<Vec<Part>>> {
        let mut worlds: Vec<Vec<Part>> = vec![Vec::new()];
        for (class, rows) in &self.grown {
            let some = spreads(&self.parts(class), *rows as u32);
            if worlds.len() * some.len() > most {
                return None;
            }
            worlds = worlds
                .iter()
                .flat_map(|world| some.iter().map(|more| [&world[..], more].concat()))
                .collect();
        }
        Some(worlds)
    }

    /// Classes of the previous recoding inside a class.
    fn parts(&self, class: &[Node]) -> Vec<Vec<Node>> {
        let cuts = class
            .iter()
            .zip(&self.case.found.recoding)
            .zip(&self.case.trees);
        cuts.fold(vec![Vec::new()], |parts, ((&node, cut), tree)| {
            let below = || {
                cut.nodes()
                    .iter()
                    .filter(|&&below| tree.covers(node, below))
            };
            parts
                .iter()
                .flat_map(|part| below().map(|&below| [&part[..], &[below]].concat()))
                .collect()
        })
    }

    /// Whether the tick would have done the same.
    fn same(&self, world: &[Part]) -> bool {
        let trees = self.case.trees();
        let leaves = |nodes: &Vec<Node>| {
            nodes
                .iter()
                .zip(&trees)
                .map(|(&node, tree)| tree.leaf_range(node).start)
                .collect()
        };
        let people: World = world
            .iter()
            .map(|(nodes, count)| (leaves(nodes), *count))
            .collect();
        tick(&self.state, &people, self.case.a, &trees)
            == (self.recoding.clone(), self.grown.clone())
    }

    /// Whether for every new node some class with one of its children, between the two recodings,
    /// has 1..a−1 people.
    fn clauses(&self, world: &[Part]) -> bool {
        let before = &self.case.found.recoding;
        (0..before.len()).all(|column| {
            let mut new = self.recoding[column]
                .nodes()
                .iter()
                .filter(|node| !before[column].nodes().contains(node));
            new.all(|&node| {
                let boxes = self
                    .boxes
                    .iter()
                    .filter(|nodes| self.case.trees[column].parent(nodes[column]) == Some(node));
                boxes
                    .into_iter()
                    .any(|nodes| (1..self.case.a).contains(&self.inside(world, nodes)))
            })
        })
    }

    /// New people of a world in a box of nodes.
    fn inside(&self, world: &[Part], nodes: &[Node]) -> u64 {
        let within = |part: &[Node]| {
            nodes
                .iter()
                .zip(part)
                .zip(&self.case.trees)
                .all(|((&node, &part), tree)| tree.covers(node, part))
        };
        world
            .iter()
            .filter(|(part, _)| within(part))
            .map(|&(_, count)| u64::from(count))
            .sum()
    }

    /// Boxes within grown classes that contain 1..a−1 new people in all these worlds, as leaves.
    fn small(&self, worlds: &[&Vec<Part>]) -> BTreeSet<Vec<(u32, u32)>> {
        let certain = |nodes: &&Vec<Node>| {
            worlds
                .iter()
                .all(|world| (1..self.case.a).contains(&self.inside(world, nodes)))
        };
        self.boxes
            .iter()
            .filter(certain)
            .map(|nodes| self.leaves(nodes))
            .collect()
    }

    /// For nodes with one child, node and child are equal.
    fn leaves(&self, nodes: &[Node]) -> Vec<(u32, u32)> {
        let range = |(&node, tree): (&Node, &Taxonomy)| {
            (tree.leaf_range(node).start, tree.leaf_range(node).end)
        };
        nodes.iter().zip(&self.case.trees).map(range).collect()
    }
}

fn spreads(parts: &[Vec<Node>], rows: u32) -> Vec<Vec<Part>> {
    let [part, rest @ ..] = parts else {
        return if rows == 0 {
            vec![Vec::new()]
        } else {
            Vec::new()
        };
    };
    let here = |count: u32| {
        let head: Vec<Part> = (count > 0)
            .then(|| (part.clone(), count))
            .into_iter()
            .collect();
        spreads(rest, rows - count)
            .into_iter()
            .map(move |more| [&head[..], &more].concat())
    };
    (0..=rows).flat_map(here).collect()
}

/// The reported facts are all that clauses and growth make certain, and they are true; the course
/// of the tick reveals more.
#[test]
fn clauses_exactly_and_the_truth_from_below() {
    let (mut compared, mut found, mut truth) = (0, 0, 0);
    for number in 0..u64::from(cases(800)) {
        let Some(chain) = Chain::random(number) else {
            continue;
        };
        let trees = chain.case.trees();
        let before = release(&chain.first, &chain.case.found.recoding);
        let announced = coarsened(
            &before,
            &chain.after,
            &trees,
            chain.case.a,
            CertaintyBudget::FULL,
        );
        if chain.recoding == chain.case.found.recoding {
            assert_eq!(
                (announced.facts.len(), announced.clauses, announced.answer),
                (0, 0, FactExtent::Whole)
            );
            continue;
        }
        let Some(worlds) = chain.worlds(300) else {
            continue;
        };
        assert_eq!(announced.answer, FactExtent::Whole);
        let reported = |fact: &Fact| {
            let mut nodes = fact.class.clone();
            nodes[fact.column] = fact.child;
            chain.leaves(&nodes)
        };
        let reported: BTreeSet<Vec<(u32, u32)>> = announced.facts.iter().map(reported).collect();
        let agreeing: Vec<&Vec<Part>> =
            worlds.iter().filter(|world| chain.clauses(world)).collect();
        assert_eq!(reported, chain.small(&agreeing), "case {number}");
        let kept: Vec<&Vec<Part>> = worlds.iter().filter(|world| chain.same(world)).collect();
        assert!(
            !kept.is_empty() && kept.iter().all(|world| chain.clauses(world)),
            "clauses of a coarsening are true"
        );
        let certain = chain.small(&kept);
        assert!(reported.is_subset(&certain));
        (compared, found, truth) = (compared + 1, found + reported.len(), truth + certain.len());
    }
    println!("{compared} coarsenings: {found} of {truth} small classes that are certain");
}
