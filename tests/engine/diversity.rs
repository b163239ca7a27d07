//! Diversity of the candidates that attacks leave, for generated releases (SCIENCE 4): the gate's
//! figures against those of an audit of the same chain, the end of a chain that fails, and that
//! nothing may be concluded from one recoding for another.

use crate::common::chain;

use std::sync::atomic::{AtomicU64, Ordering};

use crate::common::columns;
use crate::common::random::{self, Draw};
use chain::{Chain, Human, arrivals};
use tidegate::engine::audit::{AuditFigures, AuditSubject, RowsLeftOut};
use tidegate::engine::feed::ClosingResult;
use tidegate::engine::gate::verdict::Verdict;
use tidegate::engine::histogram::{Histogram, Release};
use tidegate::engine::model::{Columns, Cut, Recoding, Taxonomy, Tree, Value};
use tidegate::engine::policy::{
    ChainKind, ColumnFacts, Decimal, DiversitySettings, Policy, PolicySettings,
};

fn decimal(text: &str) -> Option<Decimal> {
    Some(Decimal::parse(text).expect("a decimal"))
}

fn policy(written: &PolicySettings, kind: ChainKind) -> Policy {
    Policy::new(
        written,
        kind,
        &ColumnFacts {
            sensitive: 1,
            ..ColumnFacts::default()
        },
    )
    .expect("no contradiction")
}

/// Limits that everything keeps, so that every figure is reported.
fn lenient() -> DiversitySettings {
    DiversitySettings {
        distinct_l: Some(1),
        entropy_l: decimal("1"),
        alpha: decimal("1"),
        t: decimal("1"),
        ..DiversitySettings::default()
    }
}

fn people(draw: &mut Draw, columns: &Columns, first: u128) -> Vec<Human> {
    let trees = columns.trees();
    let human = |at: u64, draw: &mut Draw| {
        let leaves = trees
            .iter()
            .map(|tree| draw.between(0, tree.leaves() as u64 - 1) as u32)
            .collect();
        let value = Value::Text(format!("s{}", draw.between(1, 4)).into());
        Human {
            number: first + u128::from(at),
            leaves,
            values: vec![value],
        }
    };
    (0..draw.between(1, 20)).map(|at| human(at, draw)).collect()
}

/// The gate's figures, by name.
fn found(verdict: &Verdict) -> Vec<(String, Option<f64>)> {
    let names = ["distinct_l", "entropy_l", "alpha", "t"];
    let reported = verdict
        .checks
        .iter()
        .filter(|check| names.contains(&check.check.name()));
    reported
        .map(|check| {
            (
                check.check.to_string(),
                check.value.map(|value| value.get()),
            )
        })
        .collect()
}

/// The figures of the newest release in an audit of the whole chain.
fn audited(chain: &Chain, policy: &Policy) -> Vec<(String, Option<f64>)> {
    let rows: Vec<Histogram> = chain
        .feed
        .published()
        .iter()
        .map(|published| Histogram::clone(&published.rows))
        .collect();
    let rows = (policy.kind() == ChainKind::Cumulative).then_some(rows);
    let subject = AuditSubject::of_chain(
        &chain.columns,
        policy.kind(),
        chain.tables.clone(),
        rows,
        &RowsLeftOut::default(),
    );
    let subject = subject.expect("its own people");
    let after = AuditFigures::of(&subject, &chain.columns, policy)
        .expect("supersets")
        .releases
        .pop()
        .expect("one")
        .after;
    vec![
        ("distinct_l".to_owned(), after.distinct_l.map(|l| l as f64)),
        ("entropy_l".to_owned(), after.entropy_l),
        ("alpha".to_owned(), after.alpha),
        ("t".to_owned(), after.t_equal),
    ]
}

/// The smaller of two figures, as far as they are known.
fn worse(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).reduce(f64::min)
}

/// Two computations that share the measures but not how people and attacks are gathered.
#[test]
fn the_gate_finds_what_an_audit_finds() {
    let seen = AtomicU64::new(0);
    random::run("diversity of chains", 200, |draw| {
        let trees = (0..draw.between(1, 2))
            .map(|column| random::tree(draw, column as usize, 2))
            .collect();
        let kind = if draw.once_in(4) {
            ChainKind::Disjoint
        } else {
            ChainKind::Cumulative
        };
        let written = PolicySettings {
            k: Some(draw.between(2, 3)),
            diversity: Some(lenient()),
            ..PolicySettings::default()
        };
        let mut chain = Chain::new(columns(trees), policy(&written, kind));
        let (mut first, mut worst) = (0, Vec::new());
        for _ in 0..draw.between(2, 6) {
            let people = people(draw, &chain.columns, first);
            first += people.len() as u128;
            let ClosingResult::Candidate(candidate) = chain.tick(&people).closed else {
                continue;
            };
            let offer = chain.offer(&candidate);
            let mut reported = found(offer.judged().verdict());
            let approved = offer
                .decided(|_| ())
                .unwrap_or_else(|verdict| panic!("{verdict:?}"));
            chain.publish(*candidate, approved);
            let mut wanted = audited(&chain, &chain.policy);
            if chain.policy.has_atoms() {
                // The gate judges the new atoms, an audit those of all releases; and the table that
                // values are compared with grows.
                for ((_, found), (_, before)) in reported.iter_mut().zip(&worst) {
                    *found = worse(*found, *before);
                }
                worst = reported.clone();
                reported.truncate(2);
                wanted.truncate(2);
            }
            for ((name, found), (known, wanted)) in reported.iter().zip(&wanted) {
                assert_eq!(name, known);
                let close = found
                    .zip(*wanted)
                    .is_some_and(|(found, wanted)| (found - wanted).abs() < 1e-9);
                assert!(
                    close || found == wanted,
                    "{name}: {found:?} is not {wanted:?}"
                );
            }
            assert_eq!(reported.len(), wanted.len());
            seen.fetch_add(u64::from(chain.tables.len() > 1), Ordering::Relaxed);
        }
    });
    let seen = seen.into_inner();
    println!("{seen} releases behind a first one");
    assert!(seen > 100, "most chains have several releases");
}

/// A release whose classes are not diverse ends its chain: no release follows, and none is tried
/// again.
#[test]
fn a_chain_that_fails_is_stopped() {
    let mut tree = Tree::new("*");
    ["a", "b"].iter().for_each(|leaf| _ = tree.add(0, leaf, 1));
    let columns = columns(vec![tree.finish().expect("a tree")]);
    let asked = DiversitySettings {
        distinct_l: Some(2),
        ..DiversitySettings::default()
    };
    let written = PolicySettings {
        k: Some(2),
        diversity: Some(asked),
        ..PolicySettings::default()
    };
    let mut chain = Chain::new(columns, policy(&written, ChainKind::Cumulative));
    let human = |number: u128, value: &str| Human {
        number,
        leaves: vec![0],
        values: vec![Value::Text(value.into())],
    };
    chain.release(&[human(1, "x"), human(2, "y")]);
    // Three more people with one value do no harm to the class itself; but a person who was added
    // with them is one of three who have it.
    let candidate = chain.proposed(&[human(3, "x"), human(4, "x"), human(5, "x")]);
    let verdict = chain
        .offer(&candidate)
        .decided(|_| ())
        .expect_err("they are alike once the others are excluded");
    assert!(verdict.stops(), "{verdict:?}");
    let reasons: Vec<&str> = verdict
        .reasons()
        .map(|(check, _)| check.check.name())
        .collect();
    assert_eq!(reasons, ["distinct_l"]);
    // No figure of it is public.
    let lines = chain.offer(&candidate).judged().lines();
    let line = lines
        .iter()
        .find(|line| line.check.name() == "distinct_l")
        .expect("it is told");
    assert!(line.made && line.value.is_none() && line.limit.is_some());
    chain.feed.stop();
    assert!(matches!(
        chain.tick(&[human(6, "y"), human(7, "z")]).closed,
        ClosingResult::Stopped
    ));
}

/// A finer recoding may keep a requirement that a coarser one fails: R1 {4, 2, 1}, then {4, 3, 2}
/// at `*`, is worse than the same split into {2, 1, 1} and {2, 2, 1}. So none of these figures may
/// steer a search.
#[test]
fn a_coarser_recoding_may_be_worse() {
    let mut tree = Tree::new("*");
    ["a", "b"].iter().for_each(|leaf| _ = tree.add(0, leaf, 1));
    let columns = columns(vec![tree.finish().expect("a tree")]);
    let policy = policy(
        &PolicySettings {
            k: Some(2),
            ..PolicySettings::default()
        },
        ChainKind::Cumulative,
    );
    let rows = |counts: [[usize; 3]; 2]| {
        let values = |leaf: usize| {
            ["x", "y", "z"]
                .into_iter()
                .zip(counts[leaf])
                .map(move |(value, many)| (leaf, value, many))
        };
        let all = (0..2)
            .flat_map(values)
            .flat_map(|(leaf, value, many)| vec![(leaf as u32, value); many]);
        let human = |(number, (leaf, value)): (usize, (u32, &str))| Human {
            number: number as u128,
            leaves: vec![leaf],
            values: vec![Value::Text(value.into())],
        };
        arrivals(&columns, &all.enumerate().map(human).collect::<Vec<_>>()).histogram(0)
    };
    let (first, second) = (rows([[2, 1, 1], [2, 1, 0]]), rows([[0, 0, 0], [0, 1, 1]]));
    let all = first.merge(&second);
    let trees = columns.trees();
    let alpha = |cut: fn(&Taxonomy) -> Cut| {
        let recoding = |cut: fn(&Taxonomy) -> Cut| -> Recoding {
            trees.iter().map(|tree| cut(tree)).collect()
        };
        let tables = [(&first, recoding(Cut::root)), (&all, recoding(cut))];
        let tables =
            tables.map(|(rows, cuts)| (Release::under(rows, 0..1, &cuts), rows.values().clone()));
        // To a reader who knows one person; who knows all people leaves less, whatever the
        // recoding.
        let subject = AuditSubject::of_chain(
            &columns,
            ChainKind::Cumulative,
            tables.to_vec(),
            None,
            &RowsLeftOut::default(),
        );
        let subject = subject.expect("its own people");
        AuditFigures::of(&subject, &columns, &policy)
            .expect("supersets")
            .releases[1]
            .after
            .alpha
            .expect("a share")
    };
    let (coarse, fine) = (alpha(Cut::root), alpha(Cut::leaves));
    assert!(
        (coarse - 4.0 / 7.0).abs() < 1e-12 && (fine - 0.5).abs() < 1e-12,
        "{coarse} and {fine}"
    );
}

/// Why nothing is tried again (SCIENCE 3): k = 2, two values required. If two people who were added
/// alone were rejected and published with the next release, a reader who sees {s0, s0, s1} would
/// know which two have s0. Here none of them is ever published.
#[test]
fn an_increment_that_is_refused_and_merged_reveals_its_values() {
    let mut tree = Tree::new("*");
    ["a", "b"].iter().for_each(|leaf| _ = tree.add(0, leaf, 1));
    let columns = columns(vec![tree.finish().expect("a tree")]);
    let asked = DiversitySettings {
        distinct_l: Some(2),
        ..DiversitySettings::default()
    };
    let written = PolicySettings {
        k: Some(2),
        diversity: Some(asked),
        ..PolicySettings::default()
    };
    let human = |number: u128, value: u64| Human {
        number,
        leaves: vec![0],
        values: vec![Value::Text(format!("s{value}").into())],
    };
    // p, q, and r who is added later; the observation if rejected people were merged, and the real
    // one.
    let (mut merged, mut seen) = (Vec::new(), Vec::new());
    for assigned in 0..8u64 {
        let value = |person: u64| assigned >> person & 1;
        let mut chain = Chain::new(columns.clone(), policy(&written, ChainKind::Cumulative));
        let candidate = chain.proposed(&[human(1, value(0)), human(2, value(1))]);
        let refused = chain.offer(&candidate).decided(|_| ()).is_err();
        assert_eq!(refused, value(0) == value(1));
        let mut counts = [0; 2];
        (0..3).for_each(|person| counts[value(person) as usize] += 1);
        merged.push((refused, counts, [value(0), value(1)]));
        if refused {
            chain.feed.stop();
            assert!(matches!(
                chain.tick(&[human(3, value(2))]).closed,
                ClosingResult::Stopped
            ));
            seen.push([value(0), value(1)]);
        }
    }
    let known: Vec<[u64; 2]> = merged
        .iter()
        .filter(|reported| (reported.0, reported.1) == (true, [2, 1]))
        .map(|reported| reported.2)
        .collect();
    assert_eq!(
        known,
        [[0, 0]],
        "merged, there is one way in which it can be"
    );
    assert_eq!(
        seen,
        [[0, 0], [1, 1], [0, 0], [1, 1]],
        "stopped, each value is as likely as the other"
    );
}
