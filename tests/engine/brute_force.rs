//! The fast code against a slow second implementation on thousands of tiny random chains (SCIENCE 2
//! and 3): every world that agrees with the releases is built, and an attacker's candidates are
//! counted over all of them.

use crate::common::world;

use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::common::random::{self, Draw};
use crate::common::{Row, columns, golden, rows, strings, tables, taxonomy};
use tidegate::engine::gate::chain::{
    ChainTarget, ComparablePairs, ExactBudget, ExactTarget, ExactWorlds, Fold, ReleaseChain,
    lower_bounds,
};
use tidegate::engine::histogram::{Slices, ValueCode};
use tidegate::engine::model::{Columns, Cut, Recoding, Taxonomy};
use world::{Way, World};

/// Keeps every target.
struct All;

/// A target's classes per view, its people, and Σ M with the paper's figure.
type Kept = (Vec<u32>, Vec<(ValueCode, u64)>, [u64; 2]);

impl Fold for All {
    type Sum = Vec<Kept>;
    fn start(&self) -> Self::Sum {
        Vec::new()
    }
    fn take(&self, sum: &mut Self::Sum, target: &ChainTarget<'_>) {
        assert_eq!(
            target.left,
            target.crowd.iter().map(|group| group.1).sum::<u64>()
        );
        sum.push((
            target.classes.to_vec(),
            target.crowd.to_vec(),
            [target.left, target.paper],
        ));
    }
    fn join(&self, mut first: Self::Sum, second: Self::Sum) -> Self::Sum {
        first.extend(second);
        first
    }
}

/// The product's figures: per path those of all and of realised targets, the exact number of
/// candidates, the least of all and of realised targets, the lower bounds, and nestedness.
struct Fast {
    all: BTreeMap<Way, [u64; 2]>,
    realised: BTreeMap<Way, [u64; 2]>,
    exact: BTreeMap<Way, u64>,
    least: [u64; 2],
    lower: Vec<Option<u64>>,
    nested: bool,
}

fn fast(columns: &Columns, releases: &[Vec<Row>], increments: &[Vec<Row>]) -> Fast {
    let trees = columns.trees();
    let tables = tables(columns, releases, increments);
    let chain = ReleaseChain::new(
        &tables.releases,
        &tables.number,
        &trees,
        tables.values.len(),
    );
    let pairs = ComparablePairs::of(&chain);
    let slices = Slices::of(
        &tables.histogram,
        &chain.cuts(),
        &chain.numbered().iter().collect::<Vec<_>>(),
    );
    let (mut all, mut realised) = (BTreeMap::new(), BTreeMap::new());
    let mut suspects: [Vec<(ExactTarget, Way)>; 2] = [Vec::new(), Vec::new()];
    chain
        .each_sight(|sight| {
            let way = |classes: &[u32]| -> Way {
                let class = |release: usize| {
                    let of_view = sight.views.iter().zip(classes);
                    let (view, &class) = of_view
                        .clone()
                        .find(|(view, _)| tables.number[view.release] == tables.number[release])
                        .expect("every later release is seen through some view");
                    let nodes = tables.releases[view.release].class(class as usize);
                    nodes
                        .iter()
                        .zip(&trees)
                        .map(|(&node, tree)| tree.label(node).to_owned())
                        .collect()
                };
                (
                    sight.increment,
                    (sight.increment..releases.len()).map(class).collect(),
                )
            };
            let (targets, whole) = chain.all(sight, &pairs, &All);
            assert!(whole);
            let suspect = |classes: &[u32], crowd: &[(ValueCode, u64)], [left, paper]: [u64; 2]| {
                ExactTarget::new(
                    sight,
                    &ChainTarget {
                        classes,
                        crowd,
                        left,
                        paper,
                    },
                )
            };
            for (classes, crowd, figures) in targets {
                let way = way(&classes);
                suspects[0].push((suspect(&classes, &crowd, figures), way.clone()));
                assert!(
                    all.insert(way, figures).is_none(),
                    "a target was looked at twice"
                );
            }
            for (classes, crowd, figures) in
                chain.realised(sight, &slices.of_increment(sight.increment), &All)
            {
                let way = way(&classes);
                suspects[1].push((suspect(&classes, &crowd, figures), way.clone()));
                realised.insert(way, figures);
            }
        })
        .expect("supersets");
    let least = suspects.each_ref().map(|suspects| {
        let mut sorted: Vec<ExactTarget> = suspects
            .iter()
            .map(|(suspect, _)| suspect.clone())
            .collect();
        sorted.sort();
        let least = ExactWorlds::new(&chain, &pairs).least(
            &sorted.iter().collect::<Vec<_>>(),
            &mut ExactBudget::FULL.clone(),
        );
        assert!(least.exact());
        least.left
    });
    let mut solver = ExactWorlds::new(&chain, &pairs);
    let mut left = |(suspect, way): (ExactTarget, Way)| {
        let values = suspect.crowd.iter().map(|group| group.0);
        let sum = values
            .map(|value| {
                solver
                    .candidates(&suspect, value, &mut ExactBudget::FULL.clone())
                    .expect("solved")
            })
            .sum();
        (way, sum)
    };
    let [of_all, _] = suspects;
    let exact = of_all.into_iter().map(&mut left).collect();
    let recodings: Vec<&[Cut]> = tables
        .releases
        .iter()
        .map(|release| release.recoding())
        .collect();
    Fast {
        all,
        realised,
        exact,
        least,
        lower: lower_bounds(&tables.histogram, &recodings, &trees),
        nested: chain.nested(),
    }
}

/// A random chain: columns, releases and increments.
fn chain(draw: &mut Draw) -> (Columns, Vec<Vec<Row>>, Vec<Vec<Row>>) {
    let width = draw.between(1, 3) as usize;
    let columns = columns(
        (0..width)
            .map(|column| random::tree(draw, column, 2))
            .collect(),
    );
    let trees = columns.trees();
    let n = draw.between(2, 4) as usize;
    let (mut together, mut releases, mut increments) = (Vec::new(), Vec::new(), Vec::new());
    let mut recoding: Recoding = Vec::new();
    for _ in 0..n {
        let increment = random::rows(draw, &trees, 4, 2);
        together.extend(increment.clone());
        if recoding.is_empty() || !draw.once_in(3) {
            recoding = trees.iter().map(|tree| random::cut(draw, tree)).collect();
        }
        releases.push(random::published(&together, &recoding, &trees));
        increments.push(increment);
    }
    (columns, releases, increments)
}

#[test]
fn chains_against_every_world() {
    let tally = Mutex::new([0u64; 4]);
    random::run("chains_against_every_world", 1000, |draw| {
        let (columns, releases, increments) = chain(draw);
        let trees: Vec<&Taxonomy> = columns.trees();
        let world = World::new(&trees, &releases);
        let fast = fast(&columns, &releases, &increments);
        assert_eq!(
            fast.all,
            world.bounds(),
            "pair bound and the paper's figure by their definitions"
        );
        let Some(exact) = world.exact() else { return };
        assert_eq!(fast.exact, exact, "what is exactly left");
        let truth = [&fast.all, &fast.realised].map(|ways| ways.keys().map(|way| exact[way]).min());
        assert_eq!(
            truth,
            fast.least.map(Some),
            "the least of all and of realised targets"
        );
        for (way, [pair, paper]) in &fast.all {
            assert!(exact[way] <= *pair && pair <= paper, "bounds from above");
            assert!(
                !fast.nested || exact[way] == *pair,
                "exact in nested chains"
            );
        }
        for (increment, lower) in fast.lower.iter().enumerate() {
            let people = fast
                .realised
                .keys()
                .filter(|way| way.0 == increment)
                .map(|way| exact[way]);
            let truth = people.min();
            assert_eq!(truth.is_some(), lower.is_some());
            assert!(truth >= *lower, "a bound from below");
        }
        let crossing = !fast.nested;
        let loose = fast
            .all
            .iter()
            .any(|(way, figures)| figures[0] > exact[way]);
        let mut tally = tally.lock().expect("no panic while held");
        [true, fast.nested, crossing, loose]
            .iter()
            .zip(tally.iter_mut())
            .for_each(|(&seen, count)| *count += u64::from(seen));
    });
    let [decided, nested, crossing, loose] = *tally.lock().expect("no panic while held");
    println!(
        "{decided} chains decided: {nested} nested, {crossing} crossing, {loose} where pairs are not exact"
    );
    assert!(
        decided > 0 && nested > 0 && crossing > 0,
        "the cases cover both kinds of chain"
    );
}

/// FA = CA and BA of two releases from every world, with the figures of the whole pair.
#[test]
fn two_releases_against_every_world() {
    use tidegate::engine::gate::correspondence::Correspondence;
    use tidegate::engine::histogram::{Excess, JoinCells};
    random::run("two_releases_against_every_world", 1500, |draw| {
        let (columns, mut releases, mut increments) = chain(draw);
        releases.truncate(2);
        increments.truncate(2);
        let trees: Vec<&Taxonomy> = columns.trees();
        let tables = tables(&columns, &releases, &increments);
        let [earlier, later] = &tables.releases[..] else {
            panic!("two releases")
        };
        let cells = JoinCells::of(earlier, later, &trees);
        let excess = Excess::of(&cells, earlier, later, tables.values.len()).expect("a superset");
        let found = Correspondence::new(earlier, later, &cells, &excess).all();
        let Some(exact) = World::new(&trees, &releases).exact() else {
            return;
        };
        let least = |from| {
            exact
                .iter()
                .filter(|(way, _)| way.0 == from)
                .map(|(_, left)| *left)
                .min()
        };
        assert_eq!(
            (found.fa, found.ca, found.ba),
            (least(0), least(0), least(1))
        );
    });
}

/// `A_exact` and every group's exact figure of the shipped cases, by the slow way: this checks the
/// second implementation.
#[test]
fn the_second_opinion_agrees_with_known_answers() {
    let mut decided = 0;
    for file in ["chain_small.json", "chain_counterexamples.json"] {
        for case in golden(file).as_array().expect("cases") {
            let columns = columns(
                case["taxonomies"]
                    .as_array()
                    .expect("trees")
                    .iter()
                    .map(taxonomy)
                    .collect(),
            );
            let trees: Vec<&Taxonomy> = columns.trees();
            let releases: Vec<Vec<Row>> = case["R"]
                .as_array()
                .expect("releases")
                .iter()
                .map(rows)
                .collect();
            let Some(exact) = World::new(&trees, &releases).exact() else {
                continue;
            };
            decided += 1;
            assert_eq!(
                exact.values().min().copied(),
                case["A_exact"].as_u64(),
                "{file}"
            );
            let mut sums: BTreeMap<Way, u64> = BTreeMap::new();
            for group in case["groups"].as_array().expect("groups") {
                let tuple = group["tuple"]
                    .as_array()
                    .expect("classes")
                    .iter()
                    .map(strings)
                    .collect();
                let way = (group["ts"].as_u64().expect("a release") as usize - 1, tuple);
                *sums.entry(way).or_default() += group["exact"].as_u64().expect("a figure");
            }
            for (way, sum) in sums {
                assert_eq!(exact[&way], sum, "{file}: {way:?}");
            }
        }
    }
    assert!(decided >= 20, "only {decided} cases were small enough");
}
