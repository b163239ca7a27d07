//! Sums of classes that people join release by release (SCIENCE 7), under recodings that are
//! coarser, finer or cross: published figures are true, and for no set of people that are always
//! published together can a sum be computed that may not be published. If each class is checked by
//! itself, it can.

use std::collections::{BTreeMap, BTreeSet};

use tidegate::engine::histogram::{CodedRows, Histogram, Release, SensitiveValues};
use tidegate::engine::measures::{ReleaseAddends, SumSuppression};
use tidegate::engine::model::{Decimal, Leaf, Node, Recoding, Taxonomy, Tree, Value};
use tidegate::engine::policy::{ChainKind, ColumnFacts, Dominance, Policy, PolicySettings};
use tidegate::engine::sums::{Range, Relation, SumSystem, SumsAttack};

use crate::common::cases;
use crate::common::random::{self, Draw};

const K: usize = 3;

fn policy() -> Policy {
    let written = PolicySettings {
        k: Some(K as u64),
        dominance: Some(Dominance {
            n: 1,
            share: Decimal::parse("0.6").expect("a share"),
        }),
        p_rule: Decimal::parse("0.1"),
        ..PolicySettings::default()
    };
    let facts = ColumnFacts {
        sensitive: 1,
        measures: 1,
        ..ColumnFacts::default()
    };
    Policy::new(&written, ChainKind::Cumulative, &facts).expect("no contradiction")
}

/// By the definitions of the rules: too few numbers, or a sum that reveals one of them.
fn may_not_be_published(numbers: &[i64]) -> bool {
    let mut sizes: Vec<u64> = numbers.iter().map(|number| number.unsigned_abs()).collect();
    sizes.sort_unstable_by(|one, other| other.cmp(one));
    let all: u64 = sizes.iter().sum();
    let rest: u64 = sizes.iter().skip(2).sum();
    let largest = sizes.first().copied().unwrap_or(0);
    !numbers.is_empty() && (numbers.len() < K || 10 * largest > 6 * all || 10 * rest < largest)
}

/// Two levels of values above eight leaves.
fn tree() -> Taxonomy {
    let mut tree = Tree::new("*");
    for half in 0..2 {
        let at = tree.add(0, &format!("h{half}"), 1);
        (0..2).for_each(|quarter| {
            let under = tree.add(at, &format!("q{half}{quarter}"), 1);
            (0..2).for_each(|leaf| _ = tree.add(under, &format!("l{half}{quarter}{leaf}"), 1));
        });
    }
    tree.finish().expect("a tree")
}

struct Person {
    leaves: Vec<Leaf>,
    number: Option<i64>,
}

fn person(draw: &mut Draw) -> Person {
    let size = if draw.once_in(9) { 100_000 } else { 1_000 };
    let number = draw.between(0, 2 * size) as i64 - size as i64 / 4;
    Person {
        leaves: vec![draw.between(0, 7) as Leaf, draw.between(0, 7) as Leaf],
        number: (!draw.once_in(8)).then_some(number),
    }
}

fn rows(people: &[Person]) -> CodedRows {
    let column = |at: usize| people.iter().map(|person| person.leaves[at]).collect();
    let (values, _) = SensitiveValues::from_distinct(0, vec![Box::default()]);
    let rows = CodedRows::new(
        vec![column(0), column(1)],
        values,
        vec![0; people.len()],
        None,
    );
    rows.with_measures(vec![people.iter().map(|person| person.number).collect()])
}

/// Sets of people, and whether the sum of a set follows from published ones of others.
#[derive(Default)]
struct PublishedSets(BTreeSet<Vec<usize>>);

impl PublishedSets {
    /// Whether a sum of some people who are always published together can be computed that may not
    /// be published.
    fn gives_away(&self, people: &[Person]) -> bool {
        let mut slices: BTreeMap<Vec<bool>, Vec<usize>> = BTreeMap::new();
        for person in (0..people.len()).filter(|&person| people[person].number.is_some()) {
            slices
                .entry(self.0.iter().map(|set| set.contains(&person)).collect())
                .or_default()
                .push(person);
        }
        let slices: Vec<(Vec<bool>, Vec<usize>)> = slices.into_iter().collect();
        let sum = |set: &[usize]| {
            set.iter()
                .filter_map(|&person| people[person].number)
                .map(i128::from)
                .sum::<i128>()
        };
        let relations = (0..self.0.len()).map(|set| {
            let parts = (0..slices.len()).filter(|&slice| slices[slice].0[set]);
            Relation::total(slices.len() + set, parts)
        });
        let system = SumSystem::new(
            slices.len() + self.0.len(),
            relations.collect(),
            Range::Free,
        );
        let known = slices
            .iter()
            .map(|_| None)
            .chain(self.0.iter().map(|set| Some(sum(set))));
        let attack = SumsAttack::new(&system, known.collect());
        (0..slices.len()).any(|slice| {
            let numbers: Vec<i64> = slices[slice]
                .1
                .iter()
                .filter_map(|&person| people[person].number)
                .collect();
            may_not_be_published(&numbers) && attack.derivation(&[(slice, 1)]).is_some()
        })
    }
}

#[test]
fn no_sum_follows_that_may_not_be_published() {
    let seed = random::seed();
    println!("blocks: seed {seed}; the same again: TIDEGATE_SEED={seed}");
    let (tree, suppression) = (tree(), SumSuppression::of(&policy()));
    let trees: [&Taxonomy; 2] = [&tree, &tree];
    let (mut found, mut unsafe_alone) = ([0, 0, 0], 0);
    for case in 0..u64::from(cases(60)) {
        let mut draw = Draw::new(seed, case);
        let (mut people, mut releases): (Vec<Person>, Vec<(Recoding, Histogram)>) =
            Default::default();
        let [mut reported, mut alone] = [PublishedSets::default(), PublishedSets::default()];
        for _ in 0..draw.between(2, 7) {
            let new: Vec<Person> = (0..draw.between(1, 30))
                .map(|_| person(&mut draw))
                .collect();
            let leaf =
                |leaves: &[Leaf]| Some(leaves.iter().map(|&leaf| tree.leaf_node(leaf)).collect());
            let addends = suppression.addends(&rows(&new), leaf);
            people.extend(new);
            // Often the recoding of an earlier release again.
            let again = releases.get(draw.between(0, 2 * releases.len() as u64 + 1) as usize);
            let fresh = || {
                trees
                    .iter()
                    .map(|tree| random::cut(&mut draw, tree))
                    .collect()
            };
            let recoding: Recoding = again
                .map(|(recoding, _)| recoding.clone())
                .unwrap_or_else(fresh);
            releases.push((recoding.clone(), addends));
            let table = Release::under(&rows(&people).histogram(0), 0..1, &recoding);
            let parts: Vec<ReleaseAddends<'_>> = releases
                .iter()
                .map(|(recoding, added)| (&recoding[..], Some(added)))
                .collect();
            let standing = suppression.standing(&parts, &table, &trees);
            assert_eq!(standing.tuples(), table.classes());
            for tuple in 0..standing.tuples() {
                let label: Vec<Node> = standing.tuple_at(tuple).collect();
                let is_in = |person: &Person| {
                    label
                        .iter()
                        .zip(&person.leaves)
                        .all(|(&node, &leaf)| tree.covers(node, tree.leaf_node(leaf)))
                };
                let set: Vec<usize> = (0..people.len())
                    .filter(|&at| is_in(&people[at]) && people[at].number.is_some())
                    .collect();
                let numbers: Vec<i64> = set.iter().filter_map(|&at| people[at].number).collect();
                let sum = Value::Decimal(numbers.iter().map(|&number| i128::from(number)).sum());
                let count = Value::Int(numbers.len() as i64);
                let shown = standing.values().get(standing.cells_of(tuple)[0].value);
                let meant: [[&Value; 2]; 3] = [
                    [&count, &sum],
                    [&count, &Value::Null],
                    [&Value::Null, &Value::Null],
                ];
                let which = meant
                    .iter()
                    .position(|meant| shown.iter().eq(meant.iter().copied()));
                let which =
                    which.unwrap_or_else(|| panic!("seed {seed}, case {case}: this is not true"));
                found[which] += 1;
                if which == 0 {
                    assert!(!may_not_be_published(&numbers), "seed {seed}, case {case}");
                    reported.0.insert(set.clone());
                }
                if !may_not_be_published(&numbers) {
                    alone.0.insert(set);
                }
            }
        }
        assert!(
            !reported.gives_away(&people),
            "seed {seed}, case {case}: a sum follows that may not be told"
        );
        unsafe_alone += u64::from(alone.gives_away(&people));
    }
    println!(
        "{found:?} classes tell their sum, their count alone, nothing; judged alone {unsafe_alone} chains are unsafe"
    );
    assert!(found.iter().all(|classes| *classes > 20), "{found:?}");
    assert!(unsafe_alone > 5, "{unsafe_alone}");
}
