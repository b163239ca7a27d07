//! The small cases that motivate the rules (SCIENCE 3 and 4), by name: what an attacker would learn
//! without the rule, shown by building every population that fits, and that the rule is kept.

use crate::common::{chain, world};

use std::collections::BTreeSet;

use crate::common::{Row, columns, golden, recoding, rows, strings, tables, taxonomy};
use chain::{Chain, Human, Offer, policy};
use serde_json::{Value as Json, json};
use tidegate::engine::feed::ClosingResult;
use tidegate::engine::gate::bytes::read;
use tidegate::engine::gate::verdict::{History, Verdict};
use tidegate::engine::histogram::{Histogram, Release};
use tidegate::engine::model::{Carving, Columns, Recoding, Taxonomy, Value};
use tidegate::engine::policy::{ChainKind, Guarantee, Policy, PolicySettings};
use tidegate::engine::release::{self, ReleaseSpan};
use world::World;

fn settings(k: u64, guarantee: Guarantee) -> Policy {
    let written = PolicySettings {
        k: Some(k),
        guarantee: Some(guarantee),
        ..PolicySettings::default()
    };
    policy(&written, ChainKind::Cumulative)
}

/// A column with the values a and b.
fn a_and_b() -> Columns {
    columns(vec![taxonomy(&json!({"*": {"a": {}, "b": {}}}))])
}

/// A person in a or b.
fn human(number: u128, label: &str, s: &str) -> Human {
    let leaf = u32::from(label == "b");
    Human {
        number,
        leaves: vec![leaf],
        values: vec![Value::Text(s.into())],
    }
}

/// Nodes of a class, and its people per value.
type Class = (Vec<u32>, Vec<(String, u64)>);

fn published(chain: &Chain, at: usize) -> Vec<Class> {
    let (release, values) = &chain.tables[at];
    let group = |group: usize| match &values.get(release.values()[group])[0] {
        Value::Text(text) => (text.to_string(), release.counts()[group]),
        _ => panic!("no person's value is missing"),
    };
    let class = |class: usize| {
        (
            release.class(class).to_vec(),
            release.range(class).map(group).collect(),
        )
    };
    (0..release.classes()).map(class).collect()
}

fn checks(verdict: &Verdict) -> BTreeSet<&str> {
    verdict
        .reasons()
        .map(|(check, _)| check.check.name())
        .collect()
}

/// Releases that were decided, as the gate receives them one after the other.
struct Decided<'d> {
    columns: &'d Columns,
    policy: Policy,
    increments: Vec<Histogram>,
    recodings: Vec<Recoding>,
}

impl Decided<'_> {
    fn until(&self, at: usize) -> Histogram {
        let all = self.increments[..at]
            .iter()
            .map(|rows| rows.clone().as_one(0));
        Histogram::merge_all(all.collect())
            .unwrap_or_else(|| Histogram::empty(self.columns.trees().len(), 1))
    }

    fn bytes(&self, at: usize) -> (Release, Vec<u8>, Histogram) {
        let rows = self.until(at + 1);
        let table = Release::under(&rows, 0..1, &self.recodings[at]);
        let data = release::data(&table, rows.values(), self.columns);
        (table, data, rows)
    }

    fn offer(&self, at: usize) -> Offer {
        let mut history = History::default();
        for before in 0..at {
            let (table, _) = read(&self.bytes(before).1, self.columns);
            history
                .push(table.expect("a table"), &self.recodings[before])
                .expect("labels of its recoding");
        }
        let (table, data, rows) = self.bytes(at);
        let rows_of = |at: usize| self.increments[at].clone();
        let classes = Release::under(&rows_of(at), 0..u32::MAX, &self.recodings[at]);
        let labels = (0..classes.classes()).map(|class| classes.class(class).to_vec());
        let labels = Carving::new(labels.collect());
        Offer {
            raw: vec![None],
            columns: self.columns.clone(),
            policy: self.policy.clone(),
            recoding: self.recodings[at].clone(),
            history,
            erased: Vec::new(),
            before: self.until(at),
            older: (0..at).map(|at| rows_of(at).into()).collect(),
            newest: vec![(labels, rows_of(at))],
            tables: release::Tables(vec![release::ReleasePart {
                content: release::PartContent::Rows,
                span: None,
                rows: rows.rows(),
                bytes: data,
            }]),
            new: Histogram::empty(0, 0),
            table,
            values: rows.values().clone(),
            chain: 1,
            release: at as u32 + 1,
            previous: None,
            numbers: Vec::new(),
        }
    }
}

/// All people have the same value here, and k = 2. The three recodings cross: each two releases
/// together leave two candidates for each person, all three together leave one of the people of the
/// last increment at (a1, b2), although neither the paper's figures nor the pair bound say so. The
/// paper's guarantee is kept, so `bcf` publishes; `blind` does not get that far, because the second
/// release already separates people of the first.
#[test]
fn ce_b2_recodings_are_approved_under_bcf() {
    let cases = golden("chain_counterexamples.json");
    let case = cases.as_array().expect("cases").iter().find(|case| {
        case["name"]
            .as_str()
            .is_some_and(|name| name.starts_with("CE-B2"))
    });
    let case = case.expect("the case");
    let list = |key: &str| case[key].as_array().expect("a list").clone();
    let columns = columns(list("taxonomies").iter().map(taxonomy).collect());
    let trees: Vec<&Taxonomy> = columns.trees();
    let increments: Vec<Vec<Row>> = list("D").iter().map(rows).collect();
    let cut = |json: &Json| {
        let labels: Vec<Vec<String>> = json
            .as_array()
            .expect("columns")
            .iter()
            .map(strings)
            .collect();
        recoding(&labels, &trees)
    };
    let decided = |guarantee| Decided {
        columns: &columns,
        policy: settings(2, guarantee),
        increments: increments
            .iter()
            .map(|rows| tables(&columns, &[], std::slice::from_ref(rows)).histogram)
            .collect(),
        recodings: list("cuts").iter().map(cut).collect(),
    };
    let releases: Vec<Vec<Row>> = list("R").iter().map(rows).collect();
    let world = World::new(&trees, &releases);
    let pairs = world.bounds().values().map(|figures| figures[0]).min();
    let exact = world.exact().expect("few worlds").values().min().copied();
    assert_eq!(
        (pairs, exact),
        (Some(2), Some(1)),
        "what all pairs say, and what is true"
    );

    let bcf = decided(Guarantee::Bcf);
    for at in 0..3 {
        let verdict = bcf.offer(at).decided(|_| ());
        assert!(verdict.is_ok(), "release {at}: {:?}", verdict.err());
    }
}

/// k = 2, all people of the first tick have s0, one of the second has s1. The paper's search reads
/// values, so that the recoding itself reveals who: only if it is the one person in a is the split
/// rejected. Blind releases are the same whichever person it is.
#[test]
fn the_refusal_under_bcf_reveals_a_value() {
    let people = ["a", "b", "b", "b", "b"];
    let shown = |guarantee, odd: usize| {
        let mut chain = Chain::new(a_and_b(), settings(2, guarantee));
        chain.release(&[human(0, "a", "s0"), human(1, "b", "s0")]);
        let value = |at: usize| if at == odd { "s1" } else { "s0" };
        let second: Vec<Human> = people
            .iter()
            .enumerate()
            .map(|(at, label)| human(at as u128 + 2, label, value(at)))
            .collect();
        chain.release(&second);
        [published(&chain, 0), published(&chain, 1)]
    };
    let bcf: Vec<_> = (0..people.len())
        .map(|odd| shown(Guarantee::Bcf, odd))
        .collect();
    let crowd = |s0, s1: &[(&str, u64)]| {
        let others = s1.iter().map(|&(s, count)| (s.to_owned(), count));
        vec![(
            vec![0],
            [("s0".to_owned(), s0)].into_iter().chain(others).collect(),
        )]
    };
    assert_eq!(
        bcf[0],
        [crowd(2, &[]), crowd(6, &[("s1", 1)])],
        "all people at the root"
    );
    let alike: Vec<usize> = (0..people.len())
        .filter(|&odd| bcf[odd] == bcf[0])
        .collect();
    assert_eq!(
        alike,
        [0],
        "a reader of this knows that the one in a has s1"
    );

    let blind: Vec<_> = (0..people.len())
        .map(|odd| shown(Guarantee::Blind, odd))
        .collect();
    for (odd, label) in people.iter().enumerate() {
        let alike: Vec<usize> = (0..people.len())
            .filter(|&other| blind[other] == blind[odd])
            .collect();
        let [_, second] = &blind[odd];
        assert!(
            second.len() == 1 && alike.len() == people.len(),
            "{label} at {odd}: {alike:?}"
        );
    }
}

/// A waiting person who is repeated is still one: their two rows are not a class of two.
#[test]
fn a_repeat_of_a_waiting_person_is_no_crowd() {
    let first = || {
        let mut chain = Chain::new(a_and_b(), settings(2, Guarantee::Blind));
        chain.release(&[
            human(0, "a", "s0"),
            human(1, "a", "s1"),
            human(2, "b", "s0"),
            human(3, "b", "s1"),
        ]);
        assert_eq!(published(&chain, 0).len(), 2, "a and b are told apart");
        let ticked = chain.tick(&[human(4, "a", "s1")]);
        assert!(matches!(ticked.closed, ClosingResult::Waiting));
        chain
    };
    let mut chain = first();
    let ticked = chain.tick(&[human(4, "a", "s1"), human(4, "a", "s0")]);
    assert!(matches!(ticked.closed, ClosingResult::Waiting));
    assert_eq!(
        (ticked.duplicate, ticked.added, chain.feed.waiting().rows()),
        (2, 0, 1)
    );
    // Published people are not new people either.
    let ticked = chain.tick(&[human(0, "a", "s1"), human(3, "a", "s1")]);
    assert!(matches!(ticked.closed, ClosingResult::Waiting));
    assert_eq!((ticked.duplicate, chain.feed.waiting().rows()), (2, 1));
    chain.release(&[human(5, "a", "s0")]);
    assert_eq!(chain.feed.published()[1].rows.rows(), 2, "two people");

    // What the rule prevents: a row for a person, and the two new rows in a are both theirs.
    let mut chain = first();
    let candidate = chain.proposed(&[human(5, "a", "s1")]);
    let new = candidate
        .increments
        .iter()
        .map(|new| new.rows.rows())
        .sum::<u64>();
    assert_eq!(
        new, 2,
        "had 5 been 4 again, two rows would have been one person's, and s1 theirs for certain"
    );
}

/// An erasure removes a person from an atom that is not published yet. If the rest were published
/// unchanged, they would be too few; so the atom is dissolved, and its people wait, with their
/// arrival unchanged.
#[test]
fn an_erasure_inside_an_unpublished_atom_dissolves_it() {
    let mut chain = Chain::new(a_and_b(), settings(3, Guarantee::Blind));
    let six = |first: u128| -> Vec<Human> {
        ["a", "a", "a", "b", "b", "b"]
            .iter()
            .zip(first..)
            .map(|(label, at)| human(at, label, "s0"))
            .collect()
    };
    chain.release(&six(0));
    let left = chain.proposed(&six(10));
    assert_eq!((left.increments.len(), chain.feed.pending()), (1, 6));

    // Without the rule: one row of the atom is removed, the others stay.
    let mut spoilt = chain.offer(&left);
    let trees = chain.columns.trees();
    let five = chain::arrivals(&chain.columns, &six(10)[1..]).histogram(1);
    let labels = spoilt.newest[0].0.clone();
    spoilt.new = five.labelled(&labels, &trees).as_one(left.release);
    spoilt.newest[0].1 = five;
    let part = (ReleaseSpan::of(left.release), spoilt.new.clone());
    spoilt.tables = release::Tables::parts(&[part], &chain.columns);
    let verdict = spoilt.decided(|_| ()).expect_err("an atom of two");
    assert!(checks(&verdict).contains("atoms"), "{verdict:?}");

    // With it: no other atom is changed, and the remaining people wait for others.
    let person = tidegate::engine::histogram::Person;
    let people = |number: u128| [person(number)].into();
    let erased = chain.feed.erase(&people(0), &chain.policy, &trees);
    assert_eq!(
        (erased.dissolved, erased.people.len()),
        (0, 0),
        "a published person is in no atom that is not published"
    );
    let erased = chain.feed.erase(&people(10), &chain.policy, &trees);
    assert_eq!((erased.dissolved, erased.people), (1, people(10)));
    assert_eq!((chain.feed.pending(), chain.feed.waiting().rows()), (3, 2));
    let candidate = chain.proposed(&[human(20, "a", "s0")]);
    assert_eq!(
        candidate.increments.len(),
        2,
        "the atom of b of the tick before, and the one that formed anew"
    );
    assert!(
        candidate
            .increments
            .iter()
            .all(|increment| increment.rows.rows() == 3)
    );
    let approved = chain
        .offer(&candidate)
        .decided(|_| ())
        .expect("atoms of three");
    chain.publish(candidate, approved);
    assert_eq!(
        (
            chain.feed.whole().rows(),
            chain.feed.pending(),
            chain.feed.waiting().rows()
        ),
        (12, 0, 0)
    );
}

/// Assignments of s0 and s1 to this many people.
fn assignments(people: u32) -> impl Iterator<Item = Vec<u8>> {
    (0..1u32 << people).map(move |bits| (0..people).map(|at| (bits >> at & 1) as u8).collect())
}

fn sorted(mut values: Vec<u8>) -> Vec<u8> {
    values.sort_unstable();
    values
}

/// k = 2, two different values required in every class, p and q are added first, then r. A
/// publisher who adds rejected people to the next release, if it is diverse then, reveals with {s0,
/// s0, s1} that p and q both have s0: if they differed, they would have been published before. A
/// publisher who stops instead leaves both answers possible for ever.
#[test]
fn a_release_refused_for_its_values_is_never_merged_with_the_next() {
    let diverse = |values: &[u8]| values.contains(&0) && values.contains(&1);
    let merged = |who: &[u8]| {
        let first = diverse(&who[..2]).then(|| sorted(who[..2].to_vec()));
        let second = diverse(who).then(|| sorted(who.to_vec()));
        [first, second]
    };
    let seen = [None, Some(vec![0, 0, 1])];
    let worlds: Vec<Vec<u8>> = assignments(3).filter(|who| merged(who) == seen).collect();
    assert_eq!(
        worlds,
        [[0, 0, 1]],
        "one population is left: p = q = s0 for certain"
    );

    let stopped =
        |who: &[u8]| diverse(&who[..2]).then(|| [sorted(who[..2].to_vec()), sorted(who.to_vec())]);
    for at in 0..3 {
        let left: BTreeSet<u8> = assignments(3)
            .filter(|who| stopped(who).is_none())
            .map(|who| who[at])
            .collect();
        assert_eq!(left.len(), 2, "nothing is known of anybody");
    }

    // The stopped feed publishes nothing any more, and its people count as published.
    let mut chain = Chain::new(a_and_b(), settings(2, Guarantee::Blind));
    chain.proposed(&[human(0, "a", "s0"), human(1, "a", "s0")]);
    chain.feed.stop();
    let ticked = chain.tick(&[human(2, "a", "s1"), human(0, "a", "s1")]);
    assert!(matches!(ticked.closed, ClosingResult::Stopped));
    assert_eq!(
        (
            ticked.duplicate,
            chain.feed.pending(),
            chain.feed.waiting().rows()
        ),
        (1, 0, 1)
    );
    chain.feed.new_chain();
    let ticked = chain.tick(&[human(3, "a", "s1"), human(1, "a", "s1")]);
    let ClosingResult::Candidate(candidate) = ticked.closed else {
        panic!("two people who were never in a release")
    };
    assert_eq!((ticked.duplicate, candidate.table().rows()), (1, 2));
}

/// The same with rows: k = 2, p, q and r are added, and rows with a value that is not of its
/// column's type do not count. The waiting rows then reveal whose value was rejected. Here it
/// counts, as a missing value.
#[test]
fn a_row_is_not_refused_for_its_sensitive_value() {
    // A publisher who sets such rows aside: the release is published at the second good row.
    let good = |who: &[u8]| who.iter().filter(|&&value| value == 0).count();
    let outcome = |who: &[u8]| (good(&who[..2]) >= 2, good(who) >= 2);
    let worlds: Vec<Vec<u8>> = assignments(3)
        .filter(|who| outcome(who) == (false, true))
        .collect();
    assert!(
        worlds.iter().all(|who| who[2] == 0 && who[0] != who[1]),
        "r has a good value for certain"
    );

    for malformed in 0..3 {
        let mut chain = Chain::new(a_and_b(), settings(2, Guarantee::Blind));
        let row = |at: usize| {
            let fine = human(at as u128, "a", "s0");
            if at == malformed {
                Human {
                    values: vec![Value::Null],
                    ..fine
                }
            } else {
                fine
            }
        };
        chain.release(&[row(0), row(1)]);
        let ticked = chain.tick(&[row(2)]);
        assert!(matches!(ticked.closed, ClosingResult::Waiting));
        assert_eq!(
            (chain.feed.whole().rows(), chain.feed.waiting().rows()),
            (2, 1),
            "whichever of them it is"
        );
    }
}
