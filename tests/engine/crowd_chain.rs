//! Chains of crowds (SCIENCE 11) from arrivals to approved files: releases only grow, new rows of a
//! label are none or at least an atom's, each person is published or waits, and the gate approves
//! what the feed proposes and rejects everything that was changed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tidegate::engine::feed::{ClosingResult, ProposedRelease};
use tidegate::engine::histogram::{CodedRows, Histogram, Release, SensitiveValues};
use tidegate::engine::model::{
    Carving, Column, Columns, DetailSettings, Domain, Kind, Leaf, LeafRule, Node, Role, Taxonomy,
    Value,
};
use tidegate::engine::policy::{
    ChainKind, ColumnFacts, Decimal, MaxRatio, Policy, PolicySettings, Search,
};

use crate::common::chain::{Chain, Grown, Human, Offer, arrivals};
use crate::common::random::{self, Draw, tree};

const DIAGNOSES: [&str; 5] = ["Asthma", "Flu", "Gout", "HIV", "Zoster"];

pub fn columns(draw: &mut Draw) -> Columns {
    let column = |name: &str, role, domain: Option<Domain>| Column {
        name: name.into(),
        source: Default::default(),
        role,
        kind: Kind::String,
        taxonomy: domain.map(Arc::new),
        guarded: if role == Role::Sensitive {
            vec![vec!["HIV".into()]]
        } else {
            Vec::new()
        },
        optional: false,
        unknown: None,
        detail: DetailSettings::default(),
        unrelated: false,
    };
    let quasi = draw.between(1, 3);
    let mut all: Vec<Column> = (0..quasi)
        .map(|at| {
            let tree = tree(draw, at as usize, 3);
            let domain = Domain {
                tree,
                rule: LeafRule::Label,
            }
            .with_runs()
            .expect("small");
            column(&format!("quasi{at}"), Role::Quasi, Some(domain))
        })
        .collect();
    all.push(column("diagnosis", Role::Sensitive, None));
    Columns::new(all)
}

pub fn settings(k: u64, every: u64, m: Option<u64>) -> PolicySettings {
    PolicySettings {
        k: Some(k),
        m,
        search: Some(Search::Halves),
        publish_every: Some(every),
        min_solutions: Some(1),
        ..PolicySettings::default()
    }
}

/// The same for any search whose labels stay.
pub fn lasting(draw: &mut Draw, k: u64, every: u64, m: Option<u64>) -> PolicySettings {
    let halves = settings(k, every, m);
    let search = match draw.between(0, 3) {
        0 => Search::TopDown,
        1 => Search::Levels,
        _ => return halves,
    };
    PolicySettings {
        search: Some(search),
        publish_every: None,
        min_solutions: None,
        ..halves
    }
}

fn policy(written: &PolicySettings, columns: &Columns) -> Policy {
    Policy::new(written, ChainKind::Cumulative, &ColumnFacts::of(columns))
        .expect("no contradiction")
}

pub fn people(draw: &mut Draw, columns: &Columns, number: &mut u128, most: u64) -> Vec<Human> {
    (0..draw.between(0, most))
        .map(|_| {
            *number += 1;
            // Some leaves have many people and others few.
            let mut leaf = |tree: &Taxonomy| {
                let at = draw.between(0, tree.leaves() as u64 - 1);
                if draw.once_in(3) {
                    at as Leaf
                } else {
                    (at / 3) as Leaf
                }
            };
            let leaves = columns.trees().into_iter().map(&mut leaf).collect();
            let value = DIAGNOSES[draw.between(0, 4) as usize];
            Human {
                number: *number,
                leaves,
                values: vec![Value::Text(value.into())],
            }
        })
        .collect()
}

/// Rows by label and value.
pub fn lines(table: &Release, values: &SensitiveValues) -> BTreeMap<(Vec<Node>, String), u64> {
    let mut lines = BTreeMap::new();
    for class in 0..table.classes() {
        for group in table.range(class) {
            let [Value::Text(value)] = values.get(table.values()[group]) else {
                panic!("each person has a diagnosis")
            };
            let value = value.to_string();
            lines.insert((table.class(class).to_vec(), value), table.counts()[group]);
        }
    }
    lines
}

/// The labels of new rows of a release, with their number.
fn new_labels(
    now: &BTreeMap<(Vec<Node>, String), u64>,
    before: &BTreeMap<(Vec<Node>, String), u64>,
) -> BTreeMap<Vec<Node>, u64> {
    let mut new = BTreeMap::new();
    for (line, rows) in now {
        let more = rows - before.get(line).copied().unwrap_or(0);
        if more > 0 {
            *new.entry(line.0.clone()).or_default() += more;
        }
    }
    new
}

/// A chain that has published something, and what it would publish next.
pub fn grown(draw: &mut Draw, m: Option<u64>) -> (Chain, ProposedRelease) {
    loop {
        let columns = columns(draw);
        let k = draw.between(2, 4);
        let policy = policy(&lasting(draw, k, 1, m), &columns);
        let (mut chain, mut number) = (Chain::new(columns, policy), 0);
        chain.chance.0 = draw.clone();
        for _ in 0..12 {
            let people = people(draw, &chain.columns, &mut number, 60);
            if let ClosingResult::Candidate(candidate) = chain.tick(&people).closed {
                if chain.feed.releases() > 1 {
                    return (chain, *candidate);
                }
                let approved = chain
                    .offer(&candidate)
                    .decided(|_| ())
                    .expect("a good release");
                chain.publish(*candidate, approved);
            }
        }
    }
}

pub fn refused(offer: &Offer, check: &str) {
    let verdict = offer.judged().verdict().clone();
    let reasons: Vec<&str> = verdict
        .reasons()
        .map(|(check, _)| check.check.name())
        .collect();
    assert!(
        reasons.contains(&check),
        "{check} says nothing: {verdict:?}"
    );
}

#[test]
fn releases_only_grow_and_each_person_is_somewhere() {
    random::run("chains of crowds", 36, |draw| {
        let columns = columns(draw);
        let m = draw.once_in(2).then_some(2);
        let (k, every) = (draw.between(2, 4), draw.between(1, 3));
        let policy = policy(&lasting(draw, k, every, m), &columns);
        let (search, first) = (policy.search(), std::cell::Cell::new(true));
        let a = policy.a();
        let (mut chain, mut number) = (Chain::new(columns, policy), 0);
        chain.chance.0 = draw.clone();
        let (mut before, mut came, mut left) = (BTreeMap::new(), 0, 0);
        for _ in 0..12 {
            let people = people(draw, &chain.columns, &mut number, 40);
            came += people.len() as u64;
            let ticked = chain.tick(&people);
            let formed = chain.feed.waiting().rows() + chain.feed.pending();
            assert_eq!(
                chain.feed.whole().rows() + formed,
                came,
                "each person who came is published or waits"
            );
            let ClosingResult::Candidate(candidate) = ticked.closed else {
                continue;
            };
            let offer = chain.offer(&candidate);
            // An approver may reject a release: its atoms are published with the next one.
            if draw.once_in(4) {
                left = candidate.increments.len();
                continue;
            }
            assert!(candidate.increments.len() > left || left == 0);
            let approved = offer
                .decided(|_| ())
                .unwrap_or_else(|verdict| panic!("{verdict:?}"));
            let made = |check: &str| {
                approved
                    .verdict()
                    .checks
                    .iter()
                    .any(|line| line.check.name() == check && line.made)
            };
            for check in [
                "form",
                "crowd",
                "growth",
                "atoms",
                "correspondence",
                "chain",
                "utility",
                "pages",
            ] {
                assert!(made(check), "{check}");
            }
            assert_eq!(made("minimality"), m.is_some());
            // The search of a standing recoding is attacked once, where it was made.
            let halves = search == Search::Halves;
            assert_eq!(made("refinement"), halves);
            assert_eq!(made("certainty"), !halves && first.take());
            chain.publish(*candidate, approved);
            let now = chain.shown();
            let (table, values) = (Release::from_own_labels(&now), now.values());
            let now = lines(&table, values);
            assert!(
                before
                    .iter()
                    .all(|(line, rows)| now.get(line).is_some_and(|now| now >= rows)),
                "a row changed"
            );
            assert!(
                new_labels(&now, &before).values().all(|&rows| rows >= a),
                "few rows of a label are new"
            );
            (before, left) = (now, 0);
        }
    });
}

#[test]
fn what_a_tick_has_fixed_is_taken_over() {
    random::run("classes that are read back", 24, |draw| {
        let columns = columns(draw);
        let (k, every) = (draw.between(2, 4), draw.between(1, 3));
        let policy = policy(&lasting(draw, k, every, Some(2)), &columns);
        let (mut chain, mut number) = (Chain::new(columns, policy), 0);
        let mut other = chain.clone();
        for _ in 0..10 {
            let people = people(draw, &chain.columns, &mut number, 40);
            let ticked = chain.tick(&people);
            let (trees, fixed) = (chain.columns.trees(), chain.feed.tick_atoms(&ticked));
            let ledger = chain
                .feed
                .unpublished()
                .last()
                .and_then(|increment| increment.ledger.clone());
            other
                .feed
                .accept(arrivals(&chain.columns, &people), &chain.policy);
            let formed = fixed.formed.is_some();
            other.feed.replay(fixed, &chain.policy);
            if let Some(ledger) = ledger.filter(|_| formed) {
                other.feed.masked(ledger);
            }
            let ClosingResult::Candidate(candidate) = ticked.closed else {
                assert!(chain.feed == other.feed, "another feed is read back");
                continue;
            };
            assert_eq!(other.feed.propose(&chain.policy, &trees), *candidate);
            if draw.once_in(4) {
                continue;
            }
            let approved = chain
                .offer(&candidate)
                .decided(|_| ())
                .expect("a good release");
            other.feed.publish((*candidate).clone(), &chain.policy);
            chain.publish(*candidate, approved);
            assert!(chain.feed == other.feed, "another feed is read back");
        }
    });
}

#[test]
fn values_that_change_places_in_an_atom_change_no_byte() {
    random::run("values inside atoms", 24, |draw| {
        let columns = columns(draw);
        let policy = policy(&lasting(draw, 3, 1, None), &columns);
        let (mut number, seed) = (0, draw.clone());
        let people = people(draw, &columns, &mut number, 80);
        let run = |people: &[Human]| {
            let mut chain = Chain::new(columns.clone(), policy.clone());
            chain.chance.0 = seed.clone();
            match chain.tick(people).closed {
                ClosingResult::Candidate(candidate) => {
                    Some((chain.offer(&candidate).tables, *candidate))
                }
                _ => None,
            }
        };
        let Some((data, candidate)) = run(&people) else {
            return;
        };
        let trees = columns.trees();
        let carving = candidate.increments[0]
            .labels
            .clone()
            .expect("classes have labels of their own");
        let finder = carving.finder(&trees);
        let mut changed = people.clone();
        for class in 0..carving.classes().len() {
            let inside: Vec<usize> = (0..people.len())
                .filter(|&at| {
                    finder
                        .class(&people[at].leaves)
                        .is_some_and(|(of, _)| of == class)
                })
                .collect();
            for (&to, &from) in inside.iter().zip(inside.iter().cycle().skip(1)) {
                changed[to].values = people[from].values.clone();
            }
        }
        let (other, _) = run(&changed).expect("nothing depends on values");
        assert!(
            data == other,
            "bytes depend on who in an atom has which value"
        );
    });
}

#[test]
fn who_waits_changes_no_public_byte() {
    let fewer = AtomicU32::new(0);
    random::run("who waits", 36, |draw| {
        let columns = columns(draw);
        let k = draw.between(2, 4);
        let policy = policy(&lasting(draw, k, 1, None), &columns);
        let (mut number, seed) = (0, draw.clone());
        let people: Vec<Vec<Human>> = (0..2)
            .map(|_| people(draw, &columns, &mut number, 60))
            .collect();
        // The public part of the last release, the atoms of all, and the leaves of waiting people.
        let run = |people: &[Vec<Human>]| {
            let mut chain = Chain::new(columns.clone(), policy.clone());
            chain.chance.0 = seed.clone();
            let (mut public, mut atoms) = (None, Vec::new());
            for people in people {
                let ClosingResult::Candidate(candidate) = chain.tick(people).closed else {
                    return None;
                };
                let approved = chain
                    .offer(&candidate)
                    .decided(|_| ())
                    .expect("a good release");
                public = Some((approved.files().to_vec(), approved.manifest().to_vec()));
                atoms.push(lines(&approved.table().release, &approved.table().values));
                chain.publish(*candidate, approved);
            }
            let waiting = chain.feed.waiting_counts();
            let waits = |human: &Human| waiting.find(&human.leaves).is_some();
            let waiting: Vec<u128> = people
                .concat()
                .iter()
                .filter(|human| waits(human))
                .map(|human| human.number)
                .collect();
            Some((public, atoms, waiting))
        };
        let Some((public, atoms, waiting)) = run(&people) else {
            return;
        };
        let Some(&gone) = waiting.first() else { return };
        let without: Vec<Vec<Human>> = people
            .iter()
            .map(|people| {
                people
                    .iter()
                    .filter(|human| human.number != gone)
                    .cloned()
                    .collect()
            })
            .collect();
        let Some((other, same, others)) = run(&without) else {
            return;
        };
        if same == atoms {
            assert!(
                others != waiting && public == other,
                "public bytes depend on who waits"
            );
            fewer.fetch_add(1, Ordering::Relaxed);
        }
    });
    assert!(
        fewer.into_inner() > 0,
        "no person who waits could be left out"
    );
}

#[test]
fn the_gate_refuses_what_was_changed() {
    random::run("spoilt classes", 20, |draw| {
        let (chain, candidate) = grown(draw, None);
        let offer = chain.offer(&candidate);
        assert!(offer.judged().verdict().safe());
        let old = chain
            .tables
            .last()
            .map(|(table, _)| table.class(0).to_vec())
            .expect("a release");
        // All files may be written again unchanged.
        assert!(offer.with_rows(|_, _| ()).judged().verdict().safe());
        let spoilt = |change: &dyn Fn(&mut Grown)| {
            offer.with_rows(|rows, _| {
                let found = rows
                    .iter_mut()
                    .find(|(at, cell)| *at == old && cell.increment < offer.release);
                change(found.expect("there"));
            })
        };
        // A published row is missing.
        refused(&spoilt(&|(_, cell)| cell.count -= 1), "growth");
        // A row too many: no person's, and alone under its label in this release unless others are.
        refused(&spoilt(&|(_, cell)| cell.count += 1), "growth");
        // A published row under a coarser label.
        if old.iter().any(|&node| node > 0) {
            refused(
                &spoilt(&|(label, _)| *label = vec![0; label.len()]),
                "growth",
            );
        }
        // A published row is called new, and a new one older.
        refused(
            &spoilt(&|(_, cell)| cell.increment = offer.release),
            "growth",
        );
        let older = offer.with_rows(|rows, _| {
            let new = rows
                .iter_mut()
                .find(|(_, cell)| cell.increment == offer.release);
            new.expect("a person is new").1.increment -= 1;
        });
        refused(&older, "growth");
        // Private tables of other people.
        let mut fewer = offer.clone();
        fewer.newest[0].1 = fewer.newest[0]
            .1
            .divide(|tuple, _| tuple != first(&candidate).as_slice())[0]
            .clone();
        refused(&fewer, "growth");
        // A person is in none of the atoms.
        let mut outside = offer.clone();
        outside.newest[0].0 = offer.newest[0].0.without(|class| class == 0);
        refused(&outside, "atoms");
        // A release of the history is missing.
        let mut older = offer.clone();
        older.older.pop();
        refused(&older, "growth");
        // The private table of an earlier release, which was compared above, has as many rows and
        // one of another value.
        let mut other = offer.clone();
        if let Some(rows) = of_another_value(&offer.older[0]) {
            other.older[0] = Arc::new(rows);
            refused(&other, "growth");
        }
        // The same people in another object of memory, as after a start.
        other.older = offer
            .older
            .iter()
            .map(|rows| Arc::new(Histogram::clone(rows)))
            .collect();
        assert!(other.judged().verdict().safe());
        assert!(offer.judged().verdict().safe());
    });
}

#[test]
fn no_byte_of_a_part_can_be_changed() {
    let (chain, candidate) = grown(&mut Draw::new(random::seed(), 0), None);
    let offer = chain.offer(&candidate);
    assert!(offer.decided(|_| ()).is_ok());
    for at in 0..offer.data().len() {
        let mut spoilt = offer.clone();
        spoilt.data_mut()[at] ^= [0x01, 0x80][at % 2];
        assert!(spoilt.decided(|_| ()).is_err(), "byte {at}");
    }
}

/// The same rows, except for some with another value; None if there is one value only.
fn of_another_value(rows: &Histogram) -> Option<Histogram> {
    let (mut columns, mut cells) = (vec![Vec::new(); rows.width()], Vec::new());
    for tuple in 0..rows.tuples() {
        for cell in rows.cells_of(tuple) {
            columns
                .iter_mut()
                .zip(rows.tuple_at(tuple))
                .for_each(|(column, leaf)| column.push(leaf));
            cells.push(*cell);
        }
    }
    let values = rows.values().len() as u32;
    cells[0].value = (cells[0].value + 1) % values;
    (values > 1).then(|| Histogram::of_counts(&columns, rows.values().clone(), &cells))
}

fn first(candidate: &ProposedRelease) -> Vec<Leaf> {
    candidate.increments[0].rows.tuple_at(0).collect()
}

#[test]
fn the_gate_refuses_small_atoms_and_labels_that_halving_does_not_come_to() {
    random::run("forged classes", 36, |draw| {
        let (chain, candidate) = grown(draw, None);
        let trees = chain.columns.trees();
        let offer = chain.offer(&candidate);
        let mut miscounted = offer.clone();
        miscounted.tables.0.last_mut().expect("a part").rows += 1;
        refused(&miscounted, "form");
        let increment = &candidate.increments[0];
        let carving = increment.labels.clone().expect("labels");
        // The policy requires one more than the smallest atom has.
        let people = Release::carved(&increment.rows, 0..u32::MAX, &carving, &trees);
        let smallest = (0..people.classes())
            .map(|class| people.size(class))
            .min()
            .expect("an atom");
        let written = PolicySettings {
            k: Some(smallest + 1),
            ..chain.policy.in_force().clone()
        };
        let strict = Offer {
            policy: policy(&written, &chain.columns),
            ..offer.clone()
        };
        for check in ["atoms", "correspondence", "chain"] {
            refused(&strict, check);
        }
        // A label is finer than halving makes it: the leaves of one person in place of the label of
        // their atom.
        let division = chain.policy.division(&trees).expect("small");
        let label = carving.classes()[0].clone();
        let finder = carving.finder(&trees);
        let person = (0..increment.rows.tuples())
            .map(|tuple| increment.rows.tuple_at(tuple).collect::<Vec<Leaf>>())
            .find(|tuple| finder.class(tuple).is_some_and(|(class, _)| class == 0))
            .expect("a person");
        let foreign: Vec<Node> = person
            .iter()
            .zip(&trees)
            .map(|(&leaf, tree)| tree.leaf_node(leaf))
            .collect();
        if foreign == label || division.way_to(&foreign, chain.policy.refusals()).is_some() {
            return;
        }
        let forged = Carving::new(
            carving
                .classes()
                .iter()
                .map(|class| {
                    if *class == label {
                        foreign.clone()
                    } else {
                        class.clone()
                    }
                })
                .collect(),
        );
        let first = chain.tables.last().expect("a release").0.size_of(&label) == 0;
        let other = offer.with_rows(|rows, _| {
            let new = rows
                .iter_mut()
                .filter(|(at, cell)| *at == label && cell.increment == offer.release && first);
            new.for_each(|(at, _)| at.clone_from(&foreign));
        });
        let forged = Offer {
            newest: vec![(forged, other.newest[0].1.clone())],
            ..other
        };
        refused(&forged, if first { "refinement" } else { "growth" });
    });
}

#[test]
fn a_label_leaks_no_more_than_the_policy_allows() {
    let line = |offer: &Offer| {
        let verdict = offer.judged().verdict().clone();
        verdict
            .checks
            .into_iter()
            .find(|check| check.check.name() == "refinement")
            .expect("a line")
    };
    let above = AtomicU32::new(0);
    random::run("figures of classes", 36, |draw| {
        let (chain, candidate) = grown(draw, None);
        if chain.policy.search() != Search::Halves {
            return;
        }
        let offer = chain.offer(&candidate);
        let found = line(&offer);
        assert!(found.made && found.reasons.is_empty(), "{found:?}");
        let value = serde_json::to_value(found.value)
            .expect("JSON")
            .as_f64()
            .expect("a number");
        assert!([1.0, 4.0, 16.0, 64.0].contains(&value), "{value}");
        // A person for whom only one split may be rejected does not get labels after two
        // rejections.
        let most = MaxRatio::Limit(Decimal::new(4, 0).expect("a number"));
        let written = PolicySettings {
            max_ratio: Some(most),
            ..chain.policy.in_force().clone()
        };
        let strict = Offer {
            policy: policy(&written, &chain.columns),
            ..offer
        };
        let division = chain
            .policy
            .division(&chain.columns.trees())
            .expect("small");
        let reached = candidate.increments[0]
            .labels
            .as_ref()
            .expect("labels")
            .classes()
            .iter()
            .all(|label| division.way_to(label, 1).is_some());
        assert_eq!(line(&strict).reasons.is_empty(), reached);
        above.fetch_add(u32::from(!reached), Ordering::Relaxed);
    });
    assert!(above.into_inner() > 0, "no label needs two refusals");
}

#[test]
fn an_atom_that_was_not_published_is_dissolved_with_one_of_its_people() {
    random::run("erasures of classes", 24, |draw| {
        let (mut chain, candidate) = grown(draw, None);
        let (waiting, published) = (chain.feed.waiting().rows(), chain.feed.whole().rows());
        let increment = &candidate.increments[0];
        let leaves = first(&candidate);
        let carving = increment.labels.clone().expect("labels");
        let columns = chain.columns.clone();
        let trees = columns.trees();
        let people = Release::carved(&increment.rows, 0..u32::MAX, &carving, &trees);
        let finder = carving.finder(&trees);
        let size = people.size_of(finder.class(&leaves).expect("an atom").1);
        let policy = chain.policy.clone();
        let has = |rows: &CodedRows, row: usize| rows.tuple_at(row).eq(leaves.iter().copied());
        let found = increment.people.iter().find_map(|(_, rows)| {
            let row = (0..rows.len()).find(|&row| has(rows, row))?;
            Some(rows.people()?[row])
        });
        let person = found.expect("a person with these leaves");
        let erased = chain.feed.erase(&[person].into(), &policy, &trees);
        assert_eq!((erased.dissolved, erased.people), (1, [person].into()));
        assert!(!chain.feed.people().knows(person));
        assert_eq!(chain.feed.waiting().rows(), waiting + size - 1);
        assert_eq!(chain.feed.whole().rows(), published);
        // The next release does not contain that atom.
        let ticked = chain.tick(&[]);
        if let ClosingResult::Candidate(candidate) = ticked.closed {
            let approved = chain
                .offer(&candidate)
                .decided(|_| ())
                .expect("a good release");
            chain.publish(*candidate, approved);
        }
    });
}
