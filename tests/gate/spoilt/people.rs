//! People who are not under the labels of the release, in chains that are too short for the list of
//! mutants: rejected, never with a panic; and the effect on a chain of a rejection that follows
//! from sensitive values.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tidegate::engine::gate::verdict::Verdict;
use tidegate::engine::histogram::Release;
use tidegate::engine::model::Value;
use tidegate::engine::policy::{ChainKind, Guarantee};
use tidegate::engine::release;

use super::chain::{Chain, Human, Offer, arrivals, policy};
use super::sample::{columns, people, settings, third};
use super::{FEEDS, reported};

/// The first release with a table of other people; the gate has the right ones.
fn first_of(kind: ChainKind, guarantee: Option<Guarantee>, other: &[Human]) -> Offer {
    let mut chain = Chain::new(columns(), policy(&settings(guarantee), kind));
    let candidate = chain.proposed(&people(0));
    let mut offer = chain.offer(&candidate);
    let rows = arrivals(&chain.columns, other).histogram(0);
    offer.table = Release::under(&rows, 0..1, &offer.recoding);
    offer.values = rows.values().clone();
    *offer.data_mut() = release::data(&offer.table, &offer.values, &offer.columns);
    offer
}

fn refused(offer: &Offer, context: &str) -> Verdict {
    let decided = catch_unwind(AssertUnwindSafe(|| offer.decided(|_| ())));
    decided
        .unwrap_or_else(|_| panic!("{context}: the gate panicked"))
        .expect_err(context)
}

fn has(verdict: &Verdict, check: &str, text: &str) -> bool {
    reported(verdict)
        .iter()
        .any(|(of, reported)| of == check && reported.contains(text))
}

/// All old people in the north are published as young: their class is missing.
#[test]
fn a_class_under_another_label_is_refused() {
    for (kind, guarantee) in FEEDS {
        let moved = people(0).into_iter().map(|mut human| {
            if human.leaves[0] >= 2 && human.leaves[1] < 2 {
                human.leaves[0] = 0;
            }
            human
        });
        let spoilt = first_of(kind, guarantee, &moved.collect::<Vec<_>>());
        let verdict = refused(&spoilt, "people in another class");
        assert!(has(&verdict, "growth", "its people are"), "{verdict:?}");
    }
}

/// The private table of an older increment contains a value that no person has.
#[test]
fn an_older_table_with_a_foreign_value_is_refused() {
    let stranger = |human: Human| Human {
        values: vec![Value::Text("Zoster".into()), Value::Null],
        ..human
    };
    {
        let (chain, mut spoilt) = third(ChainKind::Cumulative, Some(Guarantee::Bcf));
        let strangers: Vec<Human> = people(0).into_iter().map(stranger).collect();
        spoilt.older[0] = arrivals(&chain.columns, &strangers).histogram(0).into();
        let verdict = refused(&spoilt, "a value that was never published");
        assert!(has(&verdict, "growth", "private tables"), "{verdict:?}");
    }
}

/// A release that is rejected for its values is never merged with the next one.
#[test]
fn a_refusal_that_may_follow_from_values_stops_the_chain() {
    let other = people(0).into_iter().map(|human| Human {
        values: vec![Value::Text("Flu".into()), Value::Null],
        ..human
    });
    let other: Vec<Human> = other.collect();
    for (kind, guarantee) in FEEDS {
        let verdict = refused(&first_of(kind, guarantee, &other), "other values");
        assert!(verdict.stops(), "{verdict:?}");
        let (_, good) = third(kind, guarantee);
        let half = good.data()[..good.data().len() / 2].to_vec();
        let cut = Offer {
            tables: good.tables.clone().with_bytes(vec![half]).expect("one"),
            ..good.clone()
        };
        assert!(refused(&cut, "half of the bytes").stops());
        let verdict = good
            .decided(|pages| pages.manifest.push(b' '))
            .expect_err("another manifest");
        assert!(verdict.stops(), "{verdict:?}");
    }
}

/// The inputs of every check: checks that may depend on values, and checks whose figures are
/// private for another reason.
#[test]
fn checks_say_what_they_read() {
    let sensitive = ["form", "growth", "correspondence", "chain", "pages"];
    for (kind, guarantee) in FEEDS {
        let (_, good) = third(kind, guarantee);
        let approved = good.decided(|_| ()).expect("a good release");
        for check in &approved.verdict().checks {
            assert_eq!(
                check.sensitive,
                sensitive.contains(&check.check.name()),
                "{}",
                check.check
            );
            assert_eq!(
                check.private,
                check.made && check.check.name() == "atoms",
                "{}",
                check.check
            );
            let public = ["crowd", "utility"].contains(&check.check.name())
                || (check.check.name() == "certainty" && check.made);
            assert_eq!(check.public_value().is_some(), public, "{}", check.check);
        }
    }
}
