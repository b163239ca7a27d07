//! Every labeller, in each kind of chain that it serves, through the same properties: no person is
//! lost or counted twice, labels cover their people, atoms are large enough, sensitive values steer
//! nothing but the paper's anonymizer, rows that keep their labels never change, and a feed that
//! reads a tick's decisions back is the feed that made them.

use std::collections::BTreeMap;
use std::sync::Mutex;

use tidegate::engine::feed::{ClosingResult, Feed, Increment};
use tidegate::engine::label::carvable;
use tidegate::engine::model::{Leaf, Node, Taxonomy};
use tidegate::engine::policy::{
    ChainKind, ColumnFacts, Guarantee, LabellerName, Policy, PolicySettings, Search,
};

use super::crowd_chain::{columns, lines, people};
use crate::common::chain::{Chain, Human, arrivals};
use crate::common::random::{self, Draw};

/// All searches.
const SEARCHES: [Search; 6] = [
    Search::Halves,
    Search::TopDown,
    Search::Levels,
    Search::ArxLr,
    Search::Mondrian,
    Search::Mdav,
];

/// The kinds of chain that a search serves. A new one belongs into [`SEARCHES`] too.
fn served(search: Search) -> &'static [ChainKind] {
    match search {
        Search::Halves | Search::TopDown | Search::Levels => {
            &[ChainKind::Cumulative, ChainKind::Disjoint]
        }
        Search::ArxLr | Search::Mondrian | Search::Mdav => &[ChainKind::Disjoint],
    }
}

/// A policy for each labeller and kind of chain.
fn policies(k: u64, facts: &ColumnFacts) -> Vec<Policy> {
    let mut found = Vec::new();
    for search in SEARCHES {
        for &kind in served(search) {
            let written = PolicySettings {
                k: Some(k),
                search: Some(search),
                min_solutions: search.is_local().then_some(1),
                ..PolicySettings::default()
            };
            found.push(Policy::new(&written, kind, facts).expect("no contradiction"));
        }
    }
    let bcf = PolicySettings {
        k: Some(k),
        guarantee: Some(Guarantee::Bcf),
        ..PolicySettings::default()
    };
    found.push(Policy::new(&bcf, ChainKind::Cumulative, facts).expect("no contradiction"));
    found
}

#[test]
fn each_labeller_in_each_chain_keeps_the_same_promises() {
    let made: Mutex<BTreeMap<String, [u64; 2]>> = Mutex::default();
    random::run("labellers", 16, |draw| {
        let columns = columns(draw);
        let k = draw.between(2, 4);
        let has_layers = carvable(&columns.trees()).is_ok();
        for policy in policies(k, &ColumnFacts::of(&columns)) {
            // The check of a feed file refuses taxonomies without layers.
            if policy.search() == Search::ArxLr && !has_layers {
                continue;
            }
            let name = format!("{:?}, {:?}", policy.labeller(), policy.kind());
            let published = plays(draw, Chain::new(columns.clone(), policy));
            let mut made = made.lock().expect("no run has failed");
            let [runs, rows] = made.entry(name).or_default();
            *runs += 1;
            *rows += published;
        }
    });
    for (name, [runs, rows]) in made.into_inner().expect("no run has failed") {
        assert!(runs < 4 || rows > 0, "{name}: nothing was published");
    }
}

/// Plays some ticks; returns the number of published rows.
fn plays(draw: &mut Draw, mut chain: Chain) -> u64 {
    let (mut number, mut accepted, mut published) = (0, 0, 0);
    for _ in 0..6 {
        let new = people(draw, &chain.columns, &mut number, 30);
        accepted += new.len() as u64;
        let mut twin = chain.clone();
        let before = chain.feed.clone();
        let ticked = chain.tick(&new);
        twin.tick(&with_other_values(&new));
        let steered = chain.policy.labeller() == LabellerName::Bcf;
        assert!(
            steered || labels(&chain.feed) == labels(&twin.feed),
            "{:?}: labels follow values",
            chain.policy
        );
        reads_back(before, &chain, &new, &ticked);
        let waiting = chain.feed.waiting().rows() + chain.feed.pending();
        assert_eq!(published + waiting, accepted, "{:?}", chain.policy);
        let ClosingResult::Candidate(candidate) = ticked.closed else {
            continue;
        };
        for increment in &candidate.increments {
            holds_its_people(increment, &chain);
        }
        let offer = chain.offer(&candidate);
        let added: u64 = candidate.increments.iter().map(|of| of.rows.rows()).sum();
        match offer.decided(|_| ()) {
            Ok(approved) => {
                let earlier = chain.tables.last().cloned();
                chain.publish(*candidate, approved);
                published += added;
                if let (true, Some(earlier)) = (chain.policy.keeps_labels(), earlier) {
                    let now = chain.tables.last().expect("a release");
                    let (old, new) = (lines(&earlier.0, &earlier.1), lines(&now.0, &now.1));
                    let stays = |(line, rows): (_, &u64)| new.get(line) >= Some(rows);
                    assert!(old.iter().all(stays), "{:?}: rows changed", chain.policy);
                }
            }
            // The people of a release that was rejected form the next one, or wait again.
            Err(verdict) => assert!(!verdict.stops() || steered, "{verdict:?}"),
        }
    }
    published
}

/// The same people, each with the value of another one.
fn with_other_values(people: &[Human]) -> Vec<Human> {
    let values = people.iter().map(|human| human.values.clone());
    let mut others: Vec<_> = values.collect();
    if !others.is_empty() {
        others.rotate_left(1);
    }
    let mut found = people.to_vec();
    for (human, values) in found.iter_mut().zip(others) {
        human.values = values;
    }
    found
}

/// The labels of the atoms that are not published.
fn labels(feed: &Feed) -> Vec<Vec<Vec<Node>>> {
    let increments = feed.unpublished().iter();
    let labels = increments.filter_map(|increment| increment.labels.as_ref());
    labels.map(|labels| labels.classes().to_vec()).collect()
}

/// Each person of an increment is in an atom whose label covers them, and atoms are large enough.
fn holds_its_people(increment: &Increment, chain: &Chain) {
    let trees = chain.columns.trees();
    let labels = increment.labels.as_ref().expect("labels");
    let finder = labels.finder(&trees);
    let covers = |tree: &Taxonomy, node: Node, leaf: Leaf| tree.leaf_range(node).contains(&leaf);
    let mut people: BTreeMap<usize, u64> = BTreeMap::new();
    for tuple in 0..increment.rows.tuples() {
        let leaves: Vec<Leaf> = increment.rows.tuple_at(tuple).collect();
        let (class, label) = finder.class(&leaves).expect("each person is in an atom");
        for ((tree, &node), &leaf) in trees.iter().zip(label).zip(&leaves) {
            assert!(covers(tree, node, leaf), "a label covers its people");
        }
        let cells = increment.rows.cells_of(tuple).iter();
        *people.entry(class).or_default() += cells.map(|cell| u64::from(cell.count)).sum::<u64>();
    }
    // Under `bcf` a class has people of earlier releases too.
    let least = match chain.policy.labeller() {
        LabellerName::Bcf => 1,
        _ => chain.policy.a(),
    };
    assert!(people.values().all(|&people| people >= least));
    if let Some(course) = &increment.course {
        for class in labels.classes() {
            for (cut, node) in course.cut().iter().zip(class) {
                assert!(cut.nodes().contains(node), "a class of the recoding");
            }
        }
    }
}

/// A feed that reads the decisions of the tick back is the one that made them, and proposes the
/// same release.
fn reads_back(
    mut other: Feed,
    chain: &Chain,
    new: &[Human],
    ticked: &tidegate::engine::feed::FeedTickResult,
) {
    other.accept(arrivals(&chain.columns, new), &chain.policy);
    other.replay(chain.feed.tick_atoms(ticked), &chain.policy);
    assert!(other == chain.feed, "{:?}: another feed", chain.policy);
    if let ClosingResult::Candidate(candidate) = &ticked.closed {
        let again = other.propose(&chain.policy, &chain.columns.trees());
        assert!(again == **candidate, "another release is proposed");
    }
}
