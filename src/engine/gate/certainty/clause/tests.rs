//! Clauses against every world of small releases.

use super::super::replay::refusals;
use super::*;
use crate::histogram::{Cell, Histogram, SensitiveValues as Dictionary};
use crate::model::{Cut, Tree};

/// For two leaves with this room, and `*` as the recoding.
fn solved(sizes: &[u64], people: u32, a: u64, values: Values) -> Vec<(Node, u64, u64)> {
    let mut tree = Tree::new("*");
    for (at, &size) in sizes.iter().enumerate() {
        tree.add(0, &format!("leaf {at}"), size);
    }
    let tree = tree.finish().expect("distinct labels");
    let (dictionary, _) = Dictionary::from_distinct(0, vec![Box::new([])]);
    let cell = Cell {
        increment: 0,
        value: 0,
        count: people,
    };
    let rows = Histogram::of_counts(&[vec![0]], dictionary, &[cell]);
    let release = Release::under(&rows, 0..1, &[Cut::root(&tree)]);
    let refused =
        refusals(&release, &[&tree], a, &mut CertaintyBudget::FULL.clone()).expect("a refusal");
    let clause = Clause {
        release: &release,
        refused: &refused[0],
        a,
        least: 1,
    };
    let (facts, lone) = clause
        .solve(&[&tree], values, &mut CertaintyBudget::FULL.clone())
        .expect("solved");
    assert!(lone);
    if values == Values::Distinct {
        // Where there is enough room, bounds and rule agree.
        let (bounded, _) = clause
            .bounded(&[&tree], &mut CertaintyBudget::FULL.clone())
            .expect("solved");
        assert_eq!(bounded, facts);
    }
    facts
        .into_iter()
        .map(|fact| (fact.child, fact.least, fact.most))
        .collect()
}

#[test]
fn a_class_of_a_people_and_two_children() {
    for values in [Values::Repeated, Values::Distinct] {
        assert_eq!(solved(&[90, 90], 3, 3, values), [(1, 1, 2), (2, 1, 2)]);
        assert!(solved(&[90, 90], 4, 3, values).is_empty());
        assert!(solved(&[90, 90, 90], 3, 3, values).is_empty());
    }
}

#[test]
fn room_decides() {
    // Of five people at most one is in the first child, and no other child can be small.
    assert_eq!(solved(&[1, 90], 5, 2, Values::Distinct), [(1, 1, 1)]);
    // Of six people two or three are in the first child, three or four in the second.
    assert_eq!(solved(&[3, 4], 6, 4, Values::Distinct), [(1, 2, 3)]);
    assert_eq!(
        solved(&[3, 4], 6, 5, Values::Distinct),
        [(1, 2, 3), (2, 3, 4)]
    );
    assert!(solved(&[3, 4, 90], 6, 5, Values::Distinct).is_empty());
}

/// Distinctness has an effect only if a child has less room than its class has people.
#[test]
fn where_there_is_room_values_may_be_repeated() {
    for (size, binds) in [(2, true), (3, false), (4, false)] {
        let mut tree = Tree::new("*");
        ["one", "other"]
            .into_iter()
            .for_each(|label| _ = tree.add(0, label, size));
        let tree = tree.finish().expect("distinct labels");
        let (dictionary, _) = Dictionary::from_distinct(0, vec![Box::new([])]);
        let rows = Histogram::of_counts(
            &[vec![0]],
            dictionary,
            &[Cell {
                increment: 0,
                value: 0,
                count: 3,
            }],
        );
        let release = Release::under(&rows, 0..1, &[Cut::root(&tree)]);
        let refused =
            refusals(&release, &[&tree], 3, &mut CertaintyBudget::FULL.clone()).expect("a refusal");
        let clause = Clause {
            release: &release,
            refused: &refused[0],
            a: 3,
            least: 2,
        };
        let solved = clause.solve(
            &[&tree],
            Values::Distinct,
            &mut CertaintyBudget::FULL.clone(),
        );
        // If distinctness has an effect, nothing is known about several people who would wait.
        assert_eq!(solved.is_err(), binds, "room for {size}");
    }
}

/// Among twenty people in a class with room for two and eighteen no part is small, so the other
/// class has one person in its first part.
#[test]
fn a_class_without_a_small_part_explains_nothing() {
    let tree = |sizes: [u64; 2]| {
        let mut tree = Tree::new("*");
        sizes
            .iter()
            .enumerate()
            .for_each(|(at, &size)| _ = tree.add(0, &format!("leaf {at}"), size));
        tree.finish().expect("distinct labels")
    };
    let (first, second) = (tree([1, 9]), tree([1, 2]));
    let (dictionary, _) = Dictionary::from_distinct(0, vec![Box::new([])]);
    let cells = [5, 20].map(|count| Cell {
        increment: 0,
        value: 0,
        count,
    });
    let rows = Histogram::of_counts(&[vec![0, 0], vec![0, 1]], dictionary, &cells);
    let release = Release::under(&rows, 0..1, &[Cut::root(&first), Cut::leaves(&second)]);
    let crowd = |class: usize, rows| TraceClass {
        nodes: release.class(class).to_vec(),
        rows,
        parts: vec![class],
        children: vec![1, 2],
    };
    let refused = ReplayedRefusal {
        column: 0,
        crowds: vec![crowd(0, 5), crowd(1, 20)],
    };
    let clause = Clause {
        release: &release,
        refused: &refused,
        a: 2,
        least: 1,
    };
    let trees = [&first, &second];
    let (facts, lone) = clause
        .solve(&trees, Values::Distinct, &mut CertaintyBudget::FULL.clone())
        .expect("solved");
    assert!(lone);
    let learnt: Vec<_> = facts
        .iter()
        .map(|fact| {
            (
                &fact.class[..],
                fact.child,
                fact.least,
                fact.most,
                fact.sole,
            )
        })
        .collect();
    assert_eq!(learnt, [(release.class(0), 1, 1, 1, true)]);
}

/// A refusal of classes with these numbers of people and parts, about which nothing else is known.
fn refusal(crowds: &[(u64, usize)]) -> ReplayedRefusal {
    let crowd = |(at, &(rows, parts)): (usize, &(u64, usize))| TraceClass {
        nodes: vec![at as Node],
        rows,
        parts: Vec::new(),
        children: (0..parts as Node).collect(),
    };
    ReplayedRefusal {
        column: 0,
        crowds: crowds.iter().enumerate().map(crowd).collect(),
    }
}

/// Every way to distribute people over parts.
fn ways(people: u64, parts: usize) -> Vec<Vec<u64>> {
    match parts {
        1 => vec![vec![people]],
        _ => (0..=people)
            .flat_map(|first| {
                ways(people - first, parts - 1)
                    .into_iter()
                    .map(move |rest| [&[first], &rest[..]].concat())
            })
            .collect(),
    }
}

#[test]
fn people_who_would_wait_against_all_ways() {
    let release = Release::empty(1, Vec::new());
    let (mut cases, mut certain) = (0, 0);
    let classes = (1..=7).flat_map(|rows| (2..=3).map(move |parts| (rows, parts)));
    let one: Vec<Vec<(u64, usize)>> = classes.clone().map(|class| vec![class]).collect();
    let two = classes
        .clone()
        .flat_map(|one| classes.clone().map(move |other| vec![one, other]));
    let two = two.filter(|two| two.iter().map(|class| class.0).sum::<u64>() <= 8);
    for crowds in one.into_iter().chain(two) {
        for (a, least) in (2..=5).flat_map(|a| (2..=6).map(move |least| (a, least))) {
            let worlds = crowds.iter().fold(
                vec![Vec::new()],
                |worlds: Vec<Vec<Vec<u64>>>, &(rows, parts)| {
                    let more = |world: &Vec<Vec<u64>>| {
                        let world = world.clone();
                        ways(rows, parts)
                            .into_iter()
                            .map(move |way| [&world[..], &[way]].concat())
                    };
                    worlds.iter().flat_map(more).collect()
                },
            );
            let wait = |world: &&Vec<Vec<u64>>| {
                world
                    .iter()
                    .flatten()
                    .filter(|rows| **rows < a)
                    .sum::<u64>()
                    >= least
            };
            let refused: Vec<&Vec<Vec<u64>>> = worlds.iter().filter(wait).collect();
            let refusal = refusal(&crowds);
            let clause = Clause {
                release: &release,
                refused: &refusal,
                a,
                least,
            };
            let found = clause
                .several(&mut CertaintyBudget::FULL.clone())
                .expect("solved");
            assert_eq!(
                found.is_none(),
                refused.is_empty(),
                "{crowds:?}, a = {a}, {least} would wait"
            );
            let Some((facts, lone)) = found else { continue };
            let small = |crowd: usize| {
                worlds
                    .iter()
                    .any(|world| world[crowd].iter().any(|rows| (1..a).contains(rows)))
            };
            assert_eq!(
                lone,
                (0..crowds.len()).filter(|&crowd| small(crowd)).count() == 1,
                "{crowds:?}, a = {a}"
            );
            let mut truth = Vec::new();
            for (crowd, &(_, parts)) in crowds.iter().enumerate() {
                let inside = || refused.iter().map(|world| world[crowd][0]);
                let (fewest, most) = (
                    inside().min().expect("a way"),
                    inside().max().expect("a way"),
                );
                if fewest >= 1 && most < a {
                    truth.extend(
                        (0..parts as Node).map(|child| (vec![crowd as Node], child, fewest, most)),
                    );
                }
            }
            let learnt: Vec<_> = facts
                .into_iter()
                .map(|fact| (fact.class, fact.child, fact.least, fact.most))
                .collect();
            assert_eq!(learnt, truth, "{crowds:?}, a = {a}, {least} would wait");
            (cases, certain) = (cases + 1, certain + usize::from(!truth.is_empty()));
        }
    }
    assert!(cases > 500 && certain > 20, "{certain} of {cases}");
}

#[test]
fn what_no_search_refuses_is_a_contradiction() {
    let release = Release::empty(1, Vec::new());
    let tree = Tree::new("*").finish().expect("a tree");
    for (crowds, a) in [
        (&[(5, 2)][..], 1),
        (&[][..], 3),
        (&[(5, 1)][..], 3),
        (&[(5, 2), (5, 1)][..], 3),
    ] {
        let refusal = refusal(crowds);
        let clause = Clause {
            release: &release,
            refused: &refusal,
            a,
            least: 1,
        };
        let solved = clause.solve(
            &[&tree],
            Values::Repeated,
            &mut CertaintyBudget::FULL.clone(),
        );
        assert!(
            matches!(solved, Err(CertaintyUndone::Contradiction)),
            "{crowds:?}, a = {a}"
        );
    }
}
