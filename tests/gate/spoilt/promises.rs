//! What a policy guarantees is checked or nothing is published; and what a manifest says about it.

use serde_json::{Value as Json, json};
use tidegate::engine::gate::verdict::{Approved, Verdict};
use tidegate::engine::model::{Carving, Value as Cell};
use tidegate::engine::policy::{
    ChainKind, ColumnFacts as Known, Decimal, Dominance, Guarantee, MaxRatio, Output, Policy,
    PolicySettings, Search,
};

use super::chain::{Chain, Human, Offer, policy};
use super::reported;
use super::sample::{columns, people, settings, third};

/// The first release under a policy, which is good except for the requirements of the policy.
fn first(written: &PolicySettings, kind: ChainKind) -> Offer {
    let known = Known {
        guarded_sets: 1,
        sensitive: 2,
        measures: 1,
        ..Known::default()
    };
    let asked = Policy::new(written, kind, &known).expect("no contradiction");
    // The feed need not know the requirement.
    let plain = PolicySettings {
        k: Some(3),
        ..PolicySettings::default()
    };
    let mut chain = Chain::new(columns(), policy(&plain, kind));
    let candidate = chain.proposed(&people(0));
    Offer {
        policy: asked,
        ..chain.offer(&candidate)
    }
}

/// The keys whose check is missing in a rejection.
fn uncovered(verdict: &Verdict) -> Vec<(String, String)> {
    let text =
        |key: &str| format!("policy.{key}: `{key}` is set and this version has no check for it");
    let mut found = reported(verdict);
    found.retain(|(_, reported)| reported.contains("no check for it"));
    for (_, reported) in &mut found {
        let key = reported
            .strip_prefix("policy.")
            .and_then(|rest| rest.split(':').next())
            .expect("a key")
            .to_owned();
        assert_eq!(*reported, text(&key));
        *reported = key;
    }
    found
}

fn ratio(text: &str) -> Option<Decimal> {
    Some(Decimal::parse(text).expect("a decimal"))
}

/// Each key with a requirement, and the check that must be made for it.
fn asking() -> Vec<(ChainKind, &'static str, &'static str, PolicySettings)> {
    use ChainKind::Cumulative;
    let plain = || PolicySettings {
        k: Some(3),
        ..PolicySettings::default()
    };
    let largest = Dominance {
        n: 1,
        share: ratio("0.6").expect("a share"),
    };
    vec![
        (
            Cumulative,
            "policy",
            "m",
            PolicySettings {
                m: Some(2),
                mask: Some(false),
                ..plain()
            },
        ),
        (
            Cumulative,
            "policy",
            "m",
            PolicySettings {
                m: Some(2),
                guarantee: Some(Guarantee::Bcf),
                ..plain()
            },
        ),
        (
            Cumulative,
            "dominance",
            "dominance",
            PolicySettings {
                dominance: Some(largest),
                ..plain()
            },
        ),
        (
            Cumulative,
            "dominance",
            "p_rule",
            PolicySettings {
                p_rule: ratio("0.1"),
                ..plain()
            },
        ),
    ]
}

#[test]
fn what_is_asked_for_is_checked_or_nothing_leaves() {
    for (kind, check, key, written) in asking() {
        let offer = first(&written, kind);
        assert!(!offer.judged().verdict().safe(), "{key}");
        let verdict = offer.decided(|_| ()).expect_err(key);
        let found = uncovered(&verdict);
        assert_eq!(found, [(check.to_owned(), key.to_owned())]);
        let line = verdict
            .checks
            .iter()
            .find(|line| line.check.name() == check)
            .expect("a line");
        assert!(!line.made && line.value.is_none(), "{key}");
    }
}

/// The action after a rejection is not a guarantee, and neither is a key that is off.
#[test]
fn what_promises_nothing_is_not_asked_for() {
    let plain = PolicySettings {
        k: Some(3),
        ..PolicySettings::default()
    };
    let off = [
        (
            ChainKind::Cumulative,
            PolicySettings {
                search: Some(Search::TopDown),
                ..plain.clone()
            },
        ),
        // Limits of attacks on classes that have labels of their own.
        (
            ChainKind::Cumulative,
            PolicySettings {
                max_ratio: ratio("2").map(MaxRatio::Limit),
                ..plain.clone()
            },
        ),
        (
            ChainKind::Cumulative,
            PolicySettings {
                min_solutions: Some(1 << 40),
                ..plain.clone()
            },
        ),
        (
            ChainKind::Disjoint,
            PolicySettings {
                suppression: Some(Decimal::ZERO),
                ..plain.clone()
            },
        ),
        (
            ChainKind::Disjoint,
            PolicySettings {
                output: Some(Output::OneTable),
                ..plain
            },
        ),
    ];
    for (kind, written) in off {
        let decided = first(&written, kind).decided(|_| ());
        assert!(
            decided.is_ok(),
            "{:?}",
            decided.err().map(|verdict| reported(&verdict))
        );
    }
}

fn manifest(approved: &Approved) -> Json {
    serde_json::from_slice(approved.manifest()).expect("JSON")
}

/// Every release under `bcf` says that it is not safe against an attacker who knows the algorithm;
/// no other does.
#[test]
fn bcf_says_what_it_is_not_safe_against() {
    for guarantee in [Guarantee::Blind, Guarantee::Bcf] {
        let (_, good) = third(ChainKind::Cumulative, Some(guarantee));
        let approved = good.decided(|_| ()).expect("a good release");
        let reported = manifest(&approved);
        let lines: Vec<&Json> = reported["checks"]
            .as_array()
            .expect("checks")
            .iter()
            .filter(|line| line["check"] == "algorithm")
            .collect();
        let report = String::from_utf8_lossy(&approved.files()[2].1).into_owned();
        let said = report.contains("<th scope=\"row\">An attacker who knows the algorithm<p>");
        if guarantee == Guarantee::Bcf {
            assert_eq!(
                lines,
                [&json!({"check": "algorithm", "made": false, "value": null, "limit": null})]
            );
            assert!(said && report.contains("not safe against this attacker"));
            assert!(report.contains("one who knows the columns below of every person"));
            assert_eq!(
                reported["reader"], "one_person",
                "the reader that the guarantee assumes"
            );
        } else {
            assert!(lines.is_empty() && !said && reported.get("reader").is_none());
        }
    }
}

/// A release of groups says that leakage of the method of grouping is not known; and its labels
/// must be the finest that cover their people, which its attack assumes.
#[test]
fn groups_have_the_finest_labels_and_say_what_is_not_looked_at() {
    for search in [Search::Mondrian, Search::Mdav] {
        let written = PolicySettings {
            k: Some(3),
            search: Some(search),
            min_solutions: Some(1),
            ..PolicySettings::default()
        };
        let mut chain = Chain::new(columns(), policy(&written, ChainKind::Disjoint));
        let candidate = chain.proposed(&people(0));
        let good = chain.offer(&candidate);
        let approved = good.decided(|_| ()).expect("a good release");
        let reported = manifest(&approved);
        let lines: Vec<&Json> = reported["checks"]
            .as_array()
            .expect("checks")
            .iter()
            .filter(|line| line["check"] == "grouping")
            .collect();
        assert_eq!(
            lines,
            [&json!({"check": "grouping", "made": false, "value": null, "limit": null})]
        );
        let report = String::from_utf8_lossy(&approved.files()[2].1).into_owned();
        assert!(report.contains("<th scope=\"row\">Conclusions from how groups were made<p>"));
        // Two classes are exchanged.
        let carving = good.newest[0].0.clone();
        let mut groups = carving.groups().expect("groups");
        assert!(groups.len() > 1, "{} classes", groups.len());
        groups.swap(0, 1);
        let spoilt = Carving::of_groups(carving.classes().to_vec(), &groups);
        let offer = Offer {
            newest: vec![(spoilt, good.newest[0].1.clone())],
            ..good
        };
        let verdict = offer.decided(|_| ()).expect_err("its labels are wrong");
        assert!(
            super::reported(&verdict)
                .iter()
                .any(|(_, text)| text.contains("are not the finest that cover"))
        );
    }
}

/// Two atoms of one class, 3 and 7 or 5 and 5 people: the first was not published when it formed,
/// so both are published with one release. No public file reveals how many formed together.
#[test]
fn a_manifest_contains_no_sizes_of_atoms() {
    let published = |sizes: [usize; 2]| {
        let mut chain = Chain::new(
            columns(),
            policy(&settings(Some(Guarantee::Blind)), ChainKind::Cumulative),
        );
        chain.release(&people(0));
        let some = |first: usize, count: usize| -> Vec<Human> {
            let values = vec![Cell::Text("Flu".into()), Cell::Null];
            let human = |at: usize| Human {
                number: 1000 + at as u128,
                leaves: vec![0, 0],
                values: values.clone(),
            };
            (first..first + count).map(human).collect()
        };
        chain.proposed(&some(0, sizes[0]));
        let candidate = chain.proposed(&some(sizes[0], sizes[1]));
        let offer = chain.offer(&candidate);
        assert_eq!(offer.newest.len(), 2);
        let approved = offer.decided(|_| ()).expect("a good release");
        let smallest = approved
            .verdict()
            .checks
            .iter()
            .find(|check| check.check.name() == "atoms")
            .expect("a check")
            .value;
        let manifest = String::from_utf8(approved.manifest().to_vec()).expect("text");
        (
            smallest.map(|figure| figure.get() as usize),
            approved.files().to_vec(),
            manifest,
        )
    };
    let (least, files, reported) = published([3, 7]);
    let (other_least, other_files, other_told) = published([5, 5]);
    assert_eq!(
        [least, other_least],
        [Some(3), Some(5)],
        "the operator is told"
    );
    assert!(files == other_files, "the same public files");
    assert_eq!(reported, other_told);
    let json: Json = serde_json::from_str(&reported).expect("JSON");
    let atoms = json["checks"]
        .as_array()
        .expect("checks")
        .iter()
        .find(|line| line["check"] == "atoms");
    assert_eq!(
        atoms,
        Some(&json!({"check": "atoms", "made": true, "value": null, "limit": 3}))
    );
    let report = String::from_utf8_lossy(&files[2].1).into_owned();
    assert!(!report.contains("sensitive values and is not given"));
    // One list of labels that data chose: they do not overlap, and no estimate but an even spread is
    // recommended to readers.
    assert!(report.contains("A published row never changes"));
    assert!(!report.contains("overlap") && !report.contains("tidegate query"));
}
